(** * Exact sums, and one rounding of them

    A fuse whose children are all exact adds real numbers; a round gives Flocq's rounding of its child, its overflow and
    its signs, in an IEEE format and a mode of IEEE. *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core.
From Flocq Require Import BinarySingleNaN Binary Bits.
From Discern Require Import Notation Real Patterns.
Import ListNotations.
Open Scope Z_scope.

(** ** The sum *)

(** No register, no sticky bit, no frame; a floor and steps do not matter. *)
Definition plain_fuse (u : fuse_attr) : Prop :=
  u_carry u = None /\ u_sticky u = false /\ u_plus u = false /\ u_frame u = NoFrame.

(** A finite term of an exact child; a number that is not zero has an exponent. *)
Definition exact_term (t : term) : Prop :=
  ch_F (t_child t) = None /\ ch_drop (t_child t) = None /\
  exists v e s, t_number t = Finite v e s /\ (is_zero v = false -> e <> None).

Definition real_of (t : term) : R := D2R (value_of (t_number t)).

Lemma no_special l : Forall (fun x => match x with Finite _ _ _ => True | _ => False end) l -> special_sum l = None.
Proof.
  intros H. unfold special_sum.
  assert (G : forall b, special_of b l = None).
  { intros b. unfold special_of.
    assert (N : existsb (is_nan_of b) l = false).
    { induction H as [|x l Hx Hl IH]; [reflexivity|]. destruct x; try easy. }
    assert (P : forall s, existsb (is_infinity_of b s) l = false).
    { intros s. induction H as [|x l Hx Hl IH]; [reflexivity|]. destruct x; try easy.
      cbn. apply IH. cbn in N. exact N. }
    now rewrite N, !P. }
  now rewrite !G.
Qed.

Lemma max_option_none l : forall x, fold_left max_option l x = None -> x = None /\ Forall (fun y => y = None) l.
Proof.
  induction l as [|y l IH]; intros x H; [now split|]. cbn in H. apply IH in H. destruct H as [H1 H2].
  destruct x, y; try discriminate. now repeat constructor.
Qed.

Lemma aligned_exact E t : exact_term t -> is_zero (aligned E t) = is_zero_number (t_number t) /\
  D2R (aligned E t) = real_of t.
Proof.
  intros (HF & HD & v & e & s & Hn & _). unfold aligned, real_of. rewrite Hn, HF, HD. cbn.
  destruct (is_zero v) eqn:Z; cbn.
  - split; [reflexivity|]. rewrite D2R_zero. symmetry. now apply is_zero_correct.
  - now rewrite Z.
Qed.

Lemma in_frame_none u E terms : u_frame u = NoFrame -> in_frame u E terms = map (aligned E) terms.
Proof. intros H. unfold in_frame. destruct (find t_is_c terms); [|reflexivity]. now rewrite H. Qed.

Theorem fuse_exact u children terms : plain_fuse u -> Forall exact_term terms ->
  exists S e, fuse u children terms =
    Finite S e (if forallb is_zero_number (map t_number terms) then common_sign (map t_number terms) else Mixed) /\
  D2R S = Rsum (map real_of terms).
Proof.
  intros (Hc & Hs & Hp & Hf) H. unfold fuse.
  rewrite no_special.
  2: { induction H as [|t l Ht Hl IH]; constructor; [|exact IH]. destruct Ht as (_ & _ & v & e & s & -> & _). exact I. }
  rewrite Hp. destruct (common_exponent u terms) as [E|] eqn:HE.
  - unfold register. rewrite Hc, Hs, in_frame_none by exact Hf. do 2 eexists. clear HE. split.
    + f_equal. unfold zero_sum_sign.
      replace (forallb is_zero (map (aligned E) terms)) with (forallb is_zero_number (map t_number terms)); [reflexivity|].
      induction H as [|t l Ht Hl IH]; [reflexivity|]. cbn. rewrite IH. f_equal. symmetry. now apply aligned_exact.
    + rewrite D2R_sum. f_equal. rewrite map_map.
      induction H as [|t l Ht Hl IH]; [reflexivity|]. cbn. f_equal; [now apply aligned_exact|exact IH].
  - exists zero, None.
    assert (Z : Forall (fun t => is_zero_number (t_number t) = true) terms).
    { unfold common_exponent in HE. destruct (fold_left max_option (map takes_part terms) (u_floor u)) eqn:HM; [discriminate|].
      apply max_option_none in HM. destruct HM as [_ HM].
      induction H as [|t l Ht Hl IH]; constructor; inversion HM; subst; [|now apply IH].
      destruct Ht as (_ & _ & v & e & s & Hn & He). unfold takes_part in H1. rewrite Hn in *. cbn.
      destruct (is_zero v) eqn:K; [reflexivity|]. exfalso. apply He; [reflexivity|]. now destruct e. }
    split.
    + f_equal. replace (forallb is_zero_number (map t_number terms)) with true; [reflexivity|].
      symmetry. clear -Z. induction Z as [|t l Ht Hl IH]; [reflexivity|]. cbn. now rewrite Ht.
    + rewrite D2R_zero. clear -Z. induction Z as [|t l Ht Hl IH]; [reflexivity|].
      change (0 = real_of t + Rsum (map real_of l))%R. rewrite <- IH. unfold real_of. destruct (t_number t); cbn in *; try discriminate.
      apply is_zero_correct in Ht. rewrite Ht. ring.
Qed.

(** ** The round *)

Definition mode_of (m : BinarySingleNaN.mode) : Notation.mode :=
  match m with mode_NE => rne | mode_ZR => rz | mode_DN => rd | mode_UP => ru | mode_NA => rna end.

Lemma Zrnd_mode_of m : Zrnd (mode_of m) = round_mode m.
Proof. now destruct m. Qed.

Section Round.

Variables E M : Z.
Hypothesis HE : 0 < E.
Hypothesis HM : 0 < M.
Hypothesis Hmax : M + 1 < 2 ^ (E - 1).

Notation f := (ieee E M).
Notation prec := (M + 1).
Notation fmax := (2 ^ (E - 1)).
Notation fmin := (3 - fmax - prec).
Notation B := (binary_float prec fmax).
Notation fexp := (SpecFloat.fexp prec fmax).

Local Instance prec_positive : FLX.Prec_gt_0 prec.
Proof. unfold FLX.Prec_gt_0. clear -HM. lia. Qed.
Local Instance valid_fexp : Valid_exp fexp.
Proof. exact (FLT_exp_valid fmin prec). Qed.

(** IEEE's round: no flush, zeros and overflow as IEEE says. *)
Definition ieee_round (m : BinarySingleNaN.mode) : round_attr :=
  RoundAttr f (mode_of m) OverflowIeee NoFlush false false false.

Lemma D2R_largest : D2R (largest f) = (bpow radix2 fmax - bpow radix2 (fmax - prec))%R.
Proof.
  unfold largest. rewrite emax_ieee by assumption. change (M_bits f) with M. change (kind_of f) with Ieee. cbv iota.
  unfold D2R, F2R; cbn [num scale Fnum Fexp].
  rewrite minus_IZR, IZR_pow2 by lia. rewrite Rmult_minus_distr_r, <- bpow_plus.
  replace (M + 1 + (fmax - 1 - M)) with fmax by ring. replace (fmax - 1 - M) with (fmax - prec) by ring. ring.
Qed.

Lemma overflow_correct x : generic_format radix2 fexp x ->
  Rlt_bool (D2R (largest f)) (Rabs x) = negb (Rlt_bool (Rabs x) (bpow radix2 fmax)).
Proof.
  intros G. rewrite D2R_largest. destruct (Rlt_bool_spec (Rabs x) (bpow radix2 fmax)) as [H|H]; cbn.
  - apply Rlt_bool_false.
    replace (bpow radix2 fmax - bpow radix2 (fmax - prec))%R with (pred radix2 fexp (bpow radix2 fmax)).
    + apply pred_ge_gt; try assumption; [apply valid_fexp| |].
      * now apply generic_format_abs.
      * apply generic_format_bpow. unfold SpecFloat.fexp, SpecFloat.emin. lia.
    + rewrite pred_bpow. do 2 f_equal. unfold SpecFloat.fexp, SpecFloat.emin. lia.
  - apply Rlt_bool_true. pose proof (bpow_gt_0 radix2 (fmax - prec)). lra.
Qed.

(** The sign that the result has. *)
Definition ieee_sign (m : BinarySingleNaN.mode) (v : R) (s : sign) : sign :=
  match Rcompare v 0 with
  | Lt => Minus
  | Gt => Plus
  | Eq => match s with Mixed => match m with mode_DN => Minus | _ => Plus end | _ => s end
  end.

Theorem round_correct m v e s :
  let r := Generic_fmt.round radix2 fexp (round_mode m) (D2R v) in
  if Rlt_bool (Rabs r) (bpow radix2 fmax)
  then exists w e' s', Notation.round (ieee_round m) (Finite v e s) = Finite w e' s' /\ D2R w = r /\
         sign_of (Finite w e' s') = ieee_sign m (D2R v) s
  else Notation.round (ieee_round m) (Finite v e s) =
         if overflow_to_inf m (Rlt_bool (D2R v) 0) then Infinite (sign_if (Rlt_bool (D2R v) 0)) false
         else largest_of f (Rlt_bool (D2R v) 0).
Proof.
  intros r. unfold Notation.round. change (is_fixed (r_format (ieee_round m))) with false. cbv iota.
  unfold ieee_sign. destruct (is_zero v) eqn:Z.
  - apply is_zero_correct in Z. unfold r. rewrite Z, round_0, Rabs_R0 by apply valid_rnd_round_mode.
    rewrite Rlt_bool_true by apply bpow_gt_0. rewrite Rcompare_Eq by reflexivity.
    do 3 eexists. split; [reflexivity|]. split; [apply D2R_zero|].
    cbn. destruct s; try reflexivity. now destruct m.
  - apply is_zero_false in Z.
    assert (Hr : D2R (rnd (mode_of m) v (Z.max (lg v) (emin f) - M)) = r).
    { rewrite rnd_FLT by (try assumption; lia). rewrite emin_ieee, Zrnd_mode_of by assumption.
      unfold r. replace (fmin + M - M) with fmin by ring. reflexivity. }
    unfold round_finite. change (r_format (ieee_round m)) with f. change (M_bits f) with M.
    change (r_mode (ieee_round m)) with (mode_of m).
    set (w := rnd (mode_of m) v (Z.max (lg v) (emin f) - M)) in *.
    change (is_flushed (ieee_round m) v w) with false. cbv iota.
    rewrite is_negative_Rlt_bool, less_than_correct, D2R_magnitude, Hr.
    rewrite overflow_correct by (apply generic_format_round; [apply valid_fexp|apply valid_rnd_round_mode]).
    assert (Sr : (r <> 0 -> (r < 0 <-> D2R v < 0))%R).
    { intros N. split; intros K.
      - apply Rnot_le_lt. intros L. apply (Rlt_not_le _ _ K).
        rewrite <- (round_0 radix2 fexp (round_mode m)). apply round_le; auto with typeclass_instances.
      - enough (r <= 0)%R by lra.
        rewrite <- (round_0 radix2 fexp (round_mode m)). apply round_le; auto with typeclass_instances. lra. }
    destruct (is_zero w) eqn:Zw.
    + apply is_zero_correct in Zw. rewrite Hr in Zw. rewrite Zw, Rabs_R0, Rlt_bool_true by apply bpow_gt_0.
      do 3 eexists. split; [reflexivity|]. split; [apply D2R_zero|]. cbn.
      unfold Rlt_bool. destruct (Rcompare_spec (D2R v) 0); try reflexivity. lra.
    + apply is_zero_false in Zw. rewrite Hr in Zw.
      destruct (Rlt_bool (Rabs r) (bpow radix2 fmax)); cbn [negb].
      * do 3 eexists. split; [reflexivity|]. split; [exact Hr|].
        unfold sign_of. replace (is_zero w) with false by (symmetry; apply is_zero_false; now rewrite Hr).
        rewrite is_negative_Rlt_bool, Hr. unfold Rlt_bool at 1.
        specialize (Sr Zw). destruct (Rcompare_spec r 0), (Rcompare_spec (D2R v) 0); try reflexivity; lra.
      * unfold overflows_to_infinity, ieee_round; cbn [r_overflow r_mode]. now destruct m.
Qed.

End Round.

(** ** Units without scales *)

Lemma product_scales_none u : unit_scales u = None -> product_scales u = None.
Proof. intros H. unfold product_scales. rewrite H. now destruct (has_scaled_sums _). Qed.

Lemma as_child_unscaled u x i n a y : unit_scales u = None -> as_child u x i n a y = as_term n y.
Proof. intros H. unfold as_child. rewrite H. destruct (ch_scaled a), (elements_below (unit_L u) n); reflexivity. Qed.

Lemma terms_unscaled u x i n a b l : unit_scales u = None ->
  map (fun y => Term a b (as_child u x i n a y)) l = map (fun y => Term a b (as_term n y)) l.
Proof. intros H. apply map_ext. intros y. now rewrite as_child_unscaled. Qed.
