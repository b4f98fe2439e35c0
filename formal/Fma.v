(** * The fused multiply-add of IEEE 754

    The line  f*f+f->f K=1 : round[f m](fuse[exact](p0, c))  computes Flocq's fused multiply-add, on all inputs, for every
    IEEE format f and every mode of IEEE: finite numbers, zeros with their signs, infinities, and NaN up to its
    payload. *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core.
From Flocq Require Import BinarySingleNaN Binary Bits.
From Discern Require Import Notation Real Carried Patterns Exact.
Import ListNotations.
Open Scope Z_scope.

Definition exact_child : child_attr := ChildAttr None rz Ignore None 0 ByNone.
Definition exact_fuse : fuse_attr := FuseAttr None None false false NoFrame AllOpposed None 0.
Definition plain_product : product_attr := ProductAttr All raw None false None KeepSubnormals false false false.
Definition plain_c : c_attr := CAttr None KeepSubnormals.

Definition fma_unit (f : format) (m : Notation.mode) (nan : nan_rule) : Notation.unit :=
  Unit f f (Some f) f None 1 1 0 false nan (RoundAttr f m OverflowIeee NoFlush false false false)
       (FuseNode exact_fuse [(ProductLeaf plain_product, exact_child); (CLeaf plain_c, exact_child)]).

Lemma flush_keep f x : flush_operand KeepSubnormals f x = x.
Proof. now destruct x. Qed.
Lemma factor_plain f x : factor plain_product f x = x.
Proof. unfold factor. destruct x; reflexivity. Qed.
Lemma limit_plain x : limit_and_normalise plain_product x = x.
Proof. destruct x as [v e s| |]; try reflexivity. cbn. now destruct (is_zero v). Qed.
Lemma accumulator_plain f bits : accumulator plain_c f bits = read f bits.
Proof. unfold accumulator. rewrite flush_keep. now destruct (read f bits). Qed.

Definition fma_sum (a b c : number) : number :=
  fuse exact_fuse [exact_child; exact_child] [Term exact_child false (product false a b); Term exact_child true c].

Theorem fma_unit_is f m nan x : let u := fma_unit f m nan in
  evaluate u x = result u f (rounded u (unit_root u) (fma_sum (read f (in_a x 0)) (read f (in_b x 0)) (kept (read f (in_c x))))).
Proof.
  cbv zeta. unfold fma_sum, evaluate, chain, block.
  cbn -[read rounded kept fuse result factor accumulator product limit_and_normalise].
  unfold product_of_element. cbn -[read rounded kept fuse result factor accumulator product limit_and_normalise].
  change (seq 0 (Pos.to_nat 1)) with [0%nat].
  cbn -[read rounded kept fuse result factor accumulator product limit_and_normalise].
  now rewrite !factor_plain, limit_plain, accumulator_plain.
Qed.

Section Fma.

Variables E M : Z.
Hypothesis HE : 0 < E.
Hypothesis HM : 0 < M.
Hypothesis Hmax : M + 1 < 2 ^ (E - 1).
Hypothesis HM64 : M < 64.

Notation f := (ieee E M).
Notation prec := (M + 1).
Notation fmax := (2 ^ (E - 1)).
Notation B := (binary_float prec fmax).
Notation of_bits := (binary_float_of_bits M E HM HE Hmax).
Notation to_bits := (bits_of_binary_float M E).
Notation num x := (number_of E M (B2FF prec fmax x)).
Notation same := (same E M).

Context (prec_gt_0_ : FLX.Prec_gt_0 prec) (prec_lt_emax_ : Prec_lt_emax prec fmax).

(** Which NaN Flocq returns is a parameter: the theorems hold for each. *)
Variable fma_nan : B -> B -> B -> { x : B | is_nan prec fmax x = true }.
Notation Bfma := (Bfma prec fmax prec_gt_0_ prec_lt_emax_ fma_nan).

Definition is_pattern (x : Z) : Prop := 0 <= x < 2 ^ (M + E + 1).

(** ** NaN stays NaN *)

Lemma quiet_nan (b : B) c : num b = NaN (sign_of (num b)) false (Some c) -> content_fits c.
Proof.
  destruct b as [s|s|s pl Hpl|s m e Hb]; cbn [B2FF number_of sign_of]; intros H; try discriminate H.
  assert (C : c = Content s (Z.lor (Zpos pl * pow2 (64 - M)) quiet_bit) OfFactor) by congruence.
  clear H. subst c. apply field_fits; [lia|]. split; [lia|].
  unfold nan_pl in Hpl. apply Z.ltb_lt in Hpl. rewrite Zpos_digits2_pos in Hpl.
  apply (Zpower_gt_Zdigits radix2 M (Zpos pl)). lia.
Qed.

Lemma read_write_nan c : content_fits c -> exists s c', read f (write_nan f c) = NaN s false (Some c') /\ content_fits c'.
Proof.
  intros Q. unfold write_nan. change (kind_of f) with Ieee. cbv iota. rewrite fields_join by assumption.
  change (M_bits f) with M. change (E_bits f) with E. rewrite !pow2_correct.
  pose proof (written_field M c ltac:(lia) Q) as Rf. rewrite pow2_correct in Rf. set (fr := content_fraction c / 2 ^ (64 - M)) in *.
  pose proof (Z.pow_pos_nonneg 2 E eq_refl ltac:(lia)) as PE. pose proof (Z.pow_pos_nonneg 2 (M - 1) eq_refl ltac:(lia)) as PM.
  assert (Re : 0 <= 2 ^ E - 1 < 2 ^ E) by lia.
  rewrite (read_correct E M HE HM Hmax).
  2: { apply join_bits_range; change Zpower with Z.pow; lia. }
  unfold binary_float_of_bits. rewrite B2FF_FF2B. unfold binary_float_of_bits_aux.
  rewrite split_join_bits by (change Zpower with Z.pow; lia).
  rewrite Zeq_bool_false by (rewrite (pow_E E HE); pose proof (Z.pow_pos_nonneg 2 (E - 1) eq_refl); lia).
  rewrite Zeq_bool_true by reflexivity.
  destruct fr as [|p|p]; try lia. do 2 eexists. split; [reflexivity|]. apply field_fits; lia.
Qed.

Lemma round_nan_is_nan m s t c : (forall c', c = Some c' -> content_fits c') ->
  exists s' t' c', Notation.round (ieee_round E M m) (NaN s t c) = NaN s' t' c'.
Proof.
  intros H. unfold Notation.round. change (is_fixed (r_format (ieee_round E M m))) with false. cbv iota.
  change (r_format (ieee_round E M m)) with f. unfold round_nan. change (has_nan f) with true. cbv iota.
  destruct (read_write_nan (match c with Some c => c | None => invalid end)) as (s' & c' & -> & _).
  - destruct c; [now apply H|apply invalid_fits].
  - now do 3 eexists.
Qed.

Lemma same_nan m s t c r : (forall c', c = Some c' -> content_fits c') -> is_nan prec fmax r = true ->
  same (Notation.round (ieee_round E M m) (NaN s t c)) r.
Proof. intros H N. destruct (round_nan_is_nan m s t c H) as (s' & t' & c' & ->). exact N. Qed.

Lemma same_infinity m (s : bool) t r : r = B754_infinity prec fmax s ->
  same (Notation.round (ieee_round E M m) (Infinite (sign_if s) t)) r.
Proof. intros ->. reflexivity. Qed.

Lemma is_nan_BSN2B v : is_nan prec fmax (BSN2B prec fmax v BinarySingleNaN.B754_nan) = true.
Proof. apply is_nan_build_nan. Qed.

Lemma number_quiet (b : B) : carries_fitting (num b).
Proof.
  pose proof (quiet_nan b) as Q. destruct b as [s|s|s pl Hpl|s m e Hb]; try exact I. cbn [B2FF number_of carries] in *.
  now apply Q.
Qed.

Lemma round_quiet m x : carries_fitting x -> carries_fitting (Notation.round (ieee_round E M m) x).
Proof.
  intros H. unfold Notation.round. change (is_fixed (r_format (ieee_round E M m))) with false. cbv iota.
  destruct x as [v e s|s t|s t c]; [|exact I|].
  - destruct (is_zero v); [exact I|]. unfold round_finite, zero_of, infinity_of, largest_of.
    change (has_infinity (r_format (ieee_round E M m))) with true. cbv iota zeta.
    repeat match goal with |- context [if ?c then _ else _] => destruct c; try exact I end.
  - change (r_format (ieee_round E M m)) with f. unfold round_nan. change (has_nan f) with true. cbv iota zeta.
    destruct (read_write_nan (match c with Some c => c | None => invalid end)) as (s' & c' & -> & Q); [|exact Q].
    destruct c; [exact H|apply invalid_fits].
Qed.

Lemma quiet_factor b : content_fits (Content b (factor_nan_fraction f * pow2 (64 - M)) OfFactor).
Proof.
  unfold content_fits, factor_nan_fraction; cbn [content_fraction]. change (M_bits f) with M. rewrite !pow2_correct.
  pose proof (Z.pow_pos_nonneg 2 (M - 1) eq_refl ltac:(lia)) as P.
  pose proof (Z.mod_pos_bound 2621 (2 ^ (M - 1)) P) as B.
  assert (Q : 0 < 2 ^ (64 - M)) by (apply Z.pow_pos_nonneg; lia).
  assert (K : 2 ^ 63 = 2 ^ (M - 1) * 2 ^ (64 - M)) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  change (2 ^ 64) with (2 * 2 ^ 63). rewrite K. nia.
Qed.

Lemma nan_of_rule_quiet u x : carries_fitting x -> carries_fitting (nan_of_rule u f x).
Proof.
  intros H. unfold nan_of_rule. destruct (unit_nan u); try exact H. destruct x as [| |s t c]; try exact H.
  change (M_bits f) with M. destruct (origin_of c); [apply (quiet_factor true)| |exact H].
  cbn [carries]. destruct (invalid_is_as_of_factor u); [apply (quiet_factor true)|].
  unfold content_fits, quiet_bit; cbn. lia.
Qed.

Lemma rounded_same u m x r : carries_fitting x -> same (Notation.round (ieee_round E M m) x) r ->
  same (rounded u (ieee_round E M m) x) r.
Proof.
  intros Q H. unfold rounded. change (r_format (ieee_round E M m)) with f.
  pose proof (nan_of_rule_quiet u x Q) as K. revert K.
  assert (G : nan_of_rule u f x = x \/ exists s t c s' t' c', x = NaN s t c /\ nan_of_rule u f x = NaN s' t' c').
  { unfold nan_of_rule. destruct (unit_nan u); auto. destruct x as [| |s t c]; auto.
    destruct (origin_of c); auto; right; now do 6 eexists. }
  destruct G as [->|(s & t & c & s' & t' & c' & -> & ->)]; [intros _; exact H|]. intros K.
  apply same_nan; [intros k ->; exact K|].
  destruct (round_nan_is_nan m s t c) as (s1 & t1 & c1 & R); [intros k ->; exact Q|]. rewrite R in H. exact H.
Qed.

(** ** Finite numbers *)

Lemma number_finite (b : B) : is_finite prec fmax b = true ->
  exists v e, num b = Finite v (Some e) (sign_if (Bsign prec fmax b)) /\ D2R v = B2R prec fmax b /\
    sign_of (num b) = sign_if (Bsign prec fmax b).
Proof.
  intros F. pose proof (same_number_of E M b) as S.
  destruct b as [s|s|s pl Hpl|s m e Hb]; try discriminate; do 2 eexists; (split; [reflexivity|]); cbn in S |- *; tauto.
Qed.

Lemma sign_product_if s t : sign_product (sign_if s) (sign_if t) = sign_if (xorb s t).
Proof. now destruct s, t. Qed.

Theorem fma_finite m (a b c : B) :
  is_finite prec fmax a = true -> is_finite prec fmax b = true -> is_finite prec fmax c = true ->
  same (Notation.round (ieee_round E M m) (fma_sum (num a) (num b) (num c))) (Bfma m a b c).
Proof.
  intros Fa Fb Fc.
  destruct (number_finite a Fa) as (va & ea & Na & Va & Sa).
  destruct (number_finite b Fb) as (vb & eb & Nb & Vb & Sb).
  destruct (number_finite c Fc) as (vc & ec & Nc & Vc & Sc).
  assert (Np : product false (num a) (num b) =
               Finite (times va vb) (Some (ea + eb)) (sign_if (xorb (Bsign prec fmax a) (Bsign prec fmax b)))).
  { unfold product. rewrite Sa, Sb, sign_product_if, Na, Nb. reflexivity. }
  unfold fma_sum. rewrite Np.
  set (sp := xorb (Bsign prec fmax a) (Bsign prec fmax b)) in *. set (sc := Bsign prec fmax c) in *.
  destruct (fuse_exact exact_fuse [exact_child; exact_child]
              [Term exact_child false (Finite (times va vb) (Some (ea + eb)) (sign_if sp)); Term exact_child true (num c)])
    as (S & e & -> & HS).
  { repeat split. }
  { repeat constructor; do 3 eexists; (split; [first [reflexivity | exact Nc]|]); discriminate. }
  assert (HR : D2R S = (B2R prec fmax a * B2R prec fmax b + B2R prec fmax c)%R).
  { rewrite HS. unfold Rsum, real_of; cbn [map fold_right value_of t_number]. rewrite Nc; cbn [value_of].
    rewrite D2R_times, Va, Vb, Vc. ring. }
  clear HS.
  pose proof (round_correct E M HE HM Hmax m S e) as R. cbv zeta in R.
  match goal with |- same (_ _ (Finite S e ?z)) _ => specialize (R z); set (zs := z) in * end.
  rewrite HR in R.
  pose proof (Bfma_correct prec fmax prec_gt_0_ prec_lt_emax_ fma_nan m a b c Fa Fb Fc) as K. cbv zeta in K.
  set (res := (B2R prec fmax a * B2R prec fmax b + B2R prec fmax c)%R) in *.
  destruct (Rlt_bool _ _).
  - destruct R as (w & e' & s' & -> & HW & HSg). destruct K as (K1 & K2 & K3).
    unfold Patterns.same. rewrite HSg, K3. split; [exact K2|]. split; [now rewrite HW|].
    unfold ieee_sign. destruct (Rcompare_spec res 0) as [C|C|C]; try reflexivity.
    (* the sign of a zero *)
    change (Bfma_szero prec fmax m a b c) with
      (let s_xy := xorb (BinarySingleNaN.Bsign (B2BSN prec fmax a)) (BinarySingleNaN.Bsign (B2BSN prec fmax b)) in
       if Bool.eqb s_xy (BinarySingleNaN.Bsign (B2BSN prec fmax c)) then s_xy else match m with mode_DN => true | _ => false end).
    cbv zeta. rewrite !Bsign_B2BSN by (first [now destruct a | now destruct b | now destruct c]). fold sp sc.
    unfold zs. cbn [map t_number forallb is_zero_number].
    assert (Zc : is_zero_number (num c) = is_zero vc) by (rewrite Nc; reflexivity). rewrite Zc.
    assert (CS : is_zero (times va vb) = true -> is_zero vc = true -> 
                 common_sign [Finite (times va vb) (Some (ea + eb)) (sign_if sp); num c] =
                 if Bool.eqb sp sc then sign_if sp else Mixed).
    { intros Z1 Z2. unfold common_sign. cbn [forallb]. rewrite Sc. cbn [sign_of]. rewrite Z1. now destruct sp, sc. }
    destruct (is_zero (times va vb)) eqn:Z1; destruct (is_zero vc) eqn:Z2; cbn [andb].
    + rewrite CS by reflexivity. now destruct sp, sc, m.
    + exfalso. apply is_zero_correct in Z1. apply is_zero_false in Z2. apply Z2. rewrite D2R_times, Va, Vb in Z1.
      unfold res in C. rewrite Vc. lra.
    + exfalso. apply is_zero_false in Z1. apply is_zero_correct in Z2. apply Z1. rewrite D2R_times, Va, Vb.
      unfold res in C. rewrite Vc in Z2. lra.
    + (* terms that cancel have different signs *)
      assert (D : sp <> sc).
      { intros Q. apply is_zero_false in Z1, Z2. rewrite D2R_times, Va, Vb in Z1. rewrite Vc in Z2. unfold res in C.
        assert (SG : forall (x : B), is_finite prec fmax x = true -> B2R prec fmax x <> 0%R ->
                     Bsign prec fmax x = Rlt_bool (B2R prec fmax x) 0).
        { intros x Fx Nx. destruct (number_finite x Fx) as (v & e0 & N1 & N2 & N3). rewrite N1 in N3. cbn in N3.
          replace (is_zero v) with false in N3 by (symmetry; apply is_zero_false; now rewrite N2).
          rewrite is_negative_Rlt_bool, N2 in N3. destruct (Bsign prec fmax x), (Rlt_bool _ 0); easy. }
        assert (Na0 : B2R prec fmax a <> 0%R) by (intros U; apply Z1; rewrite U; ring).
        assert (Nb0 : B2R prec fmax b <> 0%R) by (intros U; apply Z1; rewrite U; ring).
        unfold sp, sc in Q. rewrite (SG a Fa Na0), (SG b Fb Nb0), (SG c Fc Z2) in Q.
        revert Q. destruct (Rlt_bool_spec (B2R prec fmax a) 0), (Rlt_bool_spec (B2R prec fmax b) 0),
          (Rlt_bool_spec (B2R prec fmax c) 0); cbn; try discriminate; intros _; nra. }
      destruct sp, sc; try congruence; now destruct m.
  - rewrite R. unfold binary_overflow, BinarySingleNaN.binary_overflow in K.
    destruct (overflow_to_inf m (Rlt_bool res 0)); cbn [SF2FF] in K.
    + destruct (Bfma m a b c); try discriminate. inversion K. reflexivity.
    + destruct (Bfma m a b c) as [s|s|s pl Hpl|s mx ex Hb] eqn:BQ; try discriminate. cbn in K. inversion K as [[K1 K2 K3]].
      unfold Patterns.same, largest_of. split; [reflexivity|].
      assert (P1 : 0 < 2 ^ prec - 1) by (pose proof (Z.pow_gt_1 2 prec); lia).
      assert (L : D2R (largest f) = F2R (Float radix2 (Zpos mx) ex)).
      { rewrite D2R_largest by assumption. rewrite K2, K3, Z2Pos.id by exact P1. unfold F2R; cbn [Fnum Fexp].
        replace (IZR (2 ^ prec - 1)) with (bpow radix2 prec - 1)%R.
        2: { rewrite minus_IZR. f_equal. symmetry. rewrite <- pow2_correct. apply IZR_pow2. lia. }
        rewrite Rmult_minus_distr_r, <- bpow_plus.
        replace (prec + (fmax - prec)) with fmax by ring. ring. }
      assert (L0 : (0 < D2R (largest f))%R) by (rewrite L; now apply F2R_gt_0).
      destruct (Rlt_bool res 0); cbn [B2R Bsign cond_Zopp].
      * split; [rewrite D2R_opposite, L; now rewrite <- F2R_Zopp|].
        cbn [sign_of]. replace (is_zero (opposite (largest f))) with false.
        2: { symmetry. apply is_zero_false. rewrite D2R_opposite. lra. }
        rewrite is_negative_Rlt_bool, Rlt_bool_true by (rewrite D2R_opposite; lra). reflexivity.
      * split; [exact L|]. cbn [sign_of]. replace (is_zero (largest f)) with false.
        2: { symmetry. apply is_zero_false. lra. }
        rewrite is_negative_Rlt_bool, Rlt_bool_false by lra. reflexivity.
Qed.

(** ** All inputs *)

(** The class of a number, and how the definition writes it. *)
Inductive class : B -> number -> Prop :=
| IsZero s v e : is_zero v = true -> class (B754_zero prec fmax s) (Finite v (Some e) (sign_if s))
| IsFinite s m e H v e' : is_zero v = false -> is_negative v = s ->
    class (B754_finite prec fmax s m e H) (Finite v (Some e') (sign_if s))
| IsInfinity s : class (B754_infinity prec fmax s) (Infinite (sign_if s) false)
| IsNaN s pl H c : content_fits c -> class (B754_nan prec fmax s pl H) (NaN (sign_if s) false (Some c)).

Lemma class_of (b : B) : class b (num b).
Proof.
  destruct b as [s|s|s pl H|s m e H].
  - now constructor.
  - constructor.
  - cbn [B2FF number_of]. constructor. now apply (quiet_nan (B754_nan prec fmax s pl H)).
  - cbn [B2FF number_of]. constructor; now destruct s.
Qed.

Lemma class_kept (b : B) : class b (kept (num b)).
Proof. destruct (class_of b); constructor; try assumption. Qed.

Theorem fma_correct m (a b c : B) :
  same (Notation.round (ieee_round E M m) (fma_sum (num a) (num b) (kept (num c)))) (Bfma m a b c).
Proof.
  destruct (is_finite prec fmax a && is_finite prec fmax b && is_finite prec fmax c) eqn:F.
  { apply andb_prop in F. destruct F as [F Fc]. apply andb_prop in F. destruct F as [Fa Fb].
    replace (kept (num c)) with (num c) by (destruct c; try discriminate Fc; reflexivity). now apply fma_finite. }
  generalize (class_of a); generalize (num a); intros na Ca.
  generalize (class_of b); generalize (num b); intros nb Cb.
  generalize (class_kept c); generalize (kept (num c)); intros nc Cc.
  destruct Ca as [sa va ea Za|sa ma xa Ha va ea Za Na|sa|sa pa Ha ka Qa];
    destruct Cb as [sb vb eb Zb|sb mb xb Hb vb eb Zb Nb|sb|sb pb Hb kb Qb];
    destruct Cc as [sc vc ec Zc|sc mc xc Hc vc ec Zc Nc|sc|sc pc Hc kc Qc]; try discriminate F; clear F;
    unfold fma_sum, product; cbn [sign_of is_zero_number]; rewrite ?Za, ?Zb, ?Na, ?Nb;
    destruct sa, sb; cbn [sign_if sign_product sign_eqb negb orb andb]; try destruct sc;
    unfold fuse; cbn [map t_number special_sum special_of existsb is_nan_of is_infinity_of sign_eqb sign_if Bool.eqb
                      is_nan_from origin_of origin_eqb carried_on andb orb negb first_carried option_map];
    first [ apply same_nan; [intros k Q; inversion Q; subst; unfold content_fits, with_origin in *; assumption | exact (is_nan_BSN2B _)]
          | apply (same_infinity m true); reflexivity
          | apply (same_infinity m false); reflexivity ].
Qed.

(** ** The unit, from bits to bits *)

Theorem fma_unit_correct m nan x :
  is_pattern (in_a x 0) -> is_pattern (in_b x 0) -> is_pattern (in_c x) ->
  let d := evaluate (fma_unit f (mode_of m) nan) x in
  let r := Bfma m (of_bits (in_a x 0)) (of_bits (in_b x 0)) (of_bits (in_c x)) in
  if is_nan prec fmax r
  then match nan with
       | NanPattern p => d = p
       | _ => exists s c, read f d = NaN s false (Some c)
       end
  else d = to_bits r.
Proof.
  intros Ra Rb Rc d r. unfold d. rewrite fma_unit_is.
  rewrite !(read_correct E M HE HM Hmax) by assumption.
  change (unit_root (fma_unit f (mode_of m) nan)) with (ieee_round E M m).
  pose proof (fma_correct m (of_bits (in_a x 0)) (of_bits (in_b x 0)) (of_bits (in_c x))) as S. fold r in S.
  set (sum := fma_sum _ _ _) in *.
  assert (Qs : carries_fitting sum).
  { apply fuse_carries; [exact fits_any_origin|]. repeat constructor; [apply product_carries; apply number_quiet|apply kept_carries; [exact fits_any_origin|apply number_quiet]]. }
  apply (rounded_same (fma_unit f (mode_of m) nan) m sum r Qs) in S.
  destruct (is_nan prec fmax r) eqn:N.
  - destruct (rounded _ _ _) as [v e s|s t|s t c] eqn:R; cbn [Patterns.same] in S.
    + destruct S as [S _]. now destruct r.
    + now destruct r.
    + assert (G : exists s' c', read f (write_nan f (match c with Some c => c | None => invalid end)) = NaN s' false (Some c')).
      { destruct (read_write_nan (match c with Some c => c | None => invalid end)) as (s' & c' & Q & _); [|now exists s', c'].
        destruct c as [c|]; [|apply invalid_fits].
        assert (C : carries_fitting (rounded (fma_unit f (mode_of m) nan) (ieee_round E M m) sum)).
        { apply round_quiet. now apply nan_of_rule_quiet. }
        rewrite R in C. exact C. }
      cbn [result]. destruct nan as [p| | |]; cbn [unit_nan fma_unit]; [reflexivity| |exact G|exact G].
      destruct (read_write_nan (Content false quiet_bit Kept)) as (s' & c' & Q & _); [unfold content_fits; cbn; lia|].
      now exists s', c'.
  - eapply write_correct; eassumption.
Qed.

End Fma.

(** ** f16, bf16, f32 and f64 *)

(** Of f32 and f64, Flocq's own operations. *)
Theorem fma_f32 m nan x :
  0 <= in_a x 0 < 2 ^ 32 -> 0 <= in_b x 0 < 2 ^ 32 -> 0 <= in_c x < 2 ^ 32 ->
  let d := evaluate (fma_unit f32 (mode_of m) nan) x in
  let r := b32_fma m (b32_of_bits (in_a x 0)) (b32_of_bits (in_b x 0)) (b32_of_bits (in_c x)) in
  if is_nan 24 128 r
  then match nan with NanPattern p => d = p | _ => exists s c, read f32 d = NaN s false (Some c) end
  else d = bits_of_b32 r.
Proof. exact (fma_unit_correct 8 23 eq_refl eq_refl eq_refl eq_refl _ _ ternop_nan_pl32 m nan x). Qed.

Theorem fma_f64 m nan x :
  0 <= in_a x 0 < 2 ^ 64 -> 0 <= in_b x 0 < 2 ^ 64 -> 0 <= in_c x < 2 ^ 64 ->
  let d := evaluate (fma_unit f64 (mode_of m) nan) x in
  let r := b64_fma m (b64_of_bits (in_a x 0)) (b64_of_bits (in_b x 0)) (b64_of_bits (in_c x)) in
  if is_nan 53 1024 r
  then match nan with NanPattern p => d = p | _ => exists s c, read f64 d = NaN s false (Some c) end
  else d = bits_of_b64 r.
Proof. exact (fma_unit_correct 11 52 eq_refl eq_refl eq_refl eq_refl _ _ ternop_nan_pl64 m nan x). Qed.

(** Flocq has no names of its own for these. *)
Theorem fma_f16 prec_gt_0 prec_lt_emax fma_nan m nan x :
  0 <= in_a x 0 < 2 ^ 16 -> 0 <= in_b x 0 < 2 ^ 16 -> 0 <= in_c x < 2 ^ 16 ->
  let of_bits := binary_float_of_bits 10 5 eq_refl eq_refl eq_refl in
  let d := evaluate (fma_unit f16 (mode_of m) nan) x in
  let r := Bfma 11 16 prec_gt_0 prec_lt_emax fma_nan m (of_bits (in_a x 0)) (of_bits (in_b x 0)) (of_bits (in_c x)) in
  if is_nan 11 16 r
  then match nan with NanPattern p => d = p | _ => exists s c, read f16 d = NaN s false (Some c) end
  else d = bits_of_binary_float 10 5 r.
Proof. exact (fma_unit_correct 5 10 eq_refl eq_refl eq_refl eq_refl prec_gt_0 prec_lt_emax fma_nan m nan x). Qed.

Theorem fma_bf16 prec_gt_0 prec_lt_emax fma_nan m nan x :
  0 <= in_a x 0 < 2 ^ 16 -> 0 <= in_b x 0 < 2 ^ 16 -> 0 <= in_c x < 2 ^ 16 ->
  let of_bits := binary_float_of_bits 7 8 eq_refl eq_refl eq_refl in
  let d := evaluate (fma_unit bf16 (mode_of m) nan) x in
  let r := Bfma 8 128 prec_gt_0 prec_lt_emax fma_nan m (of_bits (in_a x 0)) (of_bits (in_b x 0)) (of_bits (in_c x)) in
  if is_nan 8 128 r
  then match nan with NanPattern p => d = p | _ => exists s c, read bf16 d = NaN s false (Some c) end
  else d = bits_of_binary_float 7 8 r.
Proof. exact (fma_unit_correct 8 7 eq_refl eq_refl eq_refl eq_refl prec_gt_0 prec_lt_emax fma_nan m nan x). Qed.

