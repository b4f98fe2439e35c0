(** * The circuit of a round computes the round of the definition

    To formats with a sign, zero and NaN: in all modes, with every rule of overflow, of zeros and of flushing; numbers,
    infinities and NaN; and which NaN. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Flocq Require Import Core.
From Discern Require Import Notation Real Carried Units Gates Lrat Making Words Shifts Integers Largest Circuit CircuitUnit Fields Reading
  Numbers Alignment RoundNode Packing.
Import ListNotations.
Open Scope Z_scope.

Section Definition_.
Variable r : round_attr.
Notation f := (r_format r).
Notation M := (M_bits (r_format r)).
Notation E := (E_bits (r_format r)).
Hypothesis Hf : float_format f = true.

(** Sign, exponent field and fraction field of the pattern of a number that is finite and not zero, from the stages. *)
Definition finite_fields (flushed overflow : bool) (s : bool) (S x fr : Z) (inf : bool * Z * Z) : bool * Z * Z :=
  if flushed || (S =? 0) then (has_minus_zero f && (if flushed then negb (r_ftz_pos r) && s else negb (r_usign_pos r) && s), 0, 0)
  else if overflow then if overflows_to_infinity r s then inf else (s, emax f + bias f, largest_fraction f)
  else (s, x, fr).

Definition pattern_of (t : bool * Z * Z) : Z := fields f (fst (fst t)) (snd (fst t)) (snd t).

Lemma rounded_packs d (s : bool) S x inf : is_zero d = false -> is_negative d = s ->
  0 <= S <= 2 ^ (M + 1) -> (S < 2 ^ M -> x = 0) ->
  let e := exponent_before r d + if S =? 2 ^ (M + 1) then 1 else 0 in
  D2R (rounded_to r d) = D2R (Dyadic (if s then - S else S) (exponent_before r d - M)) ->
  (emin f <= lg d -> 2 ^ M <= S) ->
  (2 ^ M <= S -> x = (e - (emin f - 1)) mod 2 ^ E) ->
  packs f (pattern_of inf) (infinity_of f (sign_if s)) ->
  packs f (pattern_of (finite_fields (is_flushed r d (rounded_to r d)) ((emax f <? e) || ((e =? emax f) && (largest_fraction f <? S mod 2 ^ M)))
                                     s S x (S mod 2 ^ M) inf)) (round_finite r d).
Proof.
  intros Z Neg HS Hx e V Hlg Hx' Hinf.
  destruct (float_parts f Hf) as (Fx & _ & HZ & _ & P5 & P6 & _ & _ & _ & P10 & P11). destruct (emin_below_emax f Hf) as (B & Bm & Em).
  assert (P2 : 2 ^ (M + 1) = 2 * 2 ^ M) by (rewrite Z.pow_add_r by lia; change (2 ^ 1) with 2; ring).
  unfold round_finite. rewrite Neg. change (rnd (r_mode r) d (Z.max (lg d) (emin f) - M)) with (rounded_to r d). unfold finite_fields.
  assert (ZP : forall pos : bool, packs f (pattern_of (has_minus_zero f && (negb pos && s), 0, 0)) (zero_of f (if pos then Plus else sign_if s))).
  { intros pos. pose proof (zero_packs f Hf (if pos then Plus else sign_if s)) as H. destruct pos, s; apply H; discriminate. }
  destruct (is_flushed r d (rounded_to r d)); cbn [orb]; [apply ZP|].
  assert (Zr : is_zero (rounded_to r d) = (S =? 0)) by (rewrite (is_zero_value _ _ V); apply zero_of_units). rewrite Zr.
  destruct (Z.eqb_spec S 0) as [S0|S0]; [apply ZP|].
  (* the significand after a carry *)
  assert (N : exists n, D2R (rounded_to r d) = D2R (Dyadic (if s then - n else n) (e - M)) /\ 0 < n < 2 ^ (M + 1) /\ n mod 2 ^ M = S mod 2 ^ M /\
              (2 ^ M <= n /\ emin f <= e /\ 2 ^ M <= S \/ n < 2 ^ M /\ e = emin f /\ S < 2 ^ M)).
  { assert (Le : emin f <= exponent_before r d) by (unfold exponent_before; lia). unfold e.
    destruct (Z.eqb_spec S (2 ^ (M + 1))) as [->|NS].
    - exists (2 ^ M). split; [|split; [lia|split; [|left; lia]]].
      + rewrite V. unfold D2R, F2R. cbn [num scale Fnum Fexp].
        replace (if s then - 2 ^ (M + 1) else 2 ^ (M + 1)) with ((if s then - 2 ^ M else 2 ^ M) * pow2 1) by (rewrite P2; change (pow2 1) with 2; destruct s; ring).
        rewrite mult_IZR, IZR_pow2, Rmult_assoc, <- bpow_plus by lia. f_equal. f_equal. ring.
      + rewrite P2, Z.mod_same, Z.mul_comm, Z.mul_mod, Z.mod_same, Z.mul_0_l by lia. symmetry. apply Z.mod_0_l. lia.
    - exists S. rewrite Z.add_0_r. split; [exact V|]. split; [lia|]. split; [reflexivity|]. destruct (Z.lt_ge_cases S (2 ^ M)) as [L|L]; [right|left; lia].
      split; [exact L|]. split; [|exact L]. unfold exponent_before. destruct (Z.le_gt_cases (emin f) (lg d)); [specialize (Hlg H); lia|lia]. }
  destruct N as (n & Vn & Hn & <- & He).
  assert (Ov : less_than (largest f) (magnitude (rounded_to r d)) = (emax f <? e) || ((e =? emax f) && (largest_fraction f <? n mod 2 ^ M))).
  { rewrite less_than_correct, D2R_magnitude, Vn, <- D2R_magnitude. replace (magnitude (Dyadic (if s then - n else n) (e - M))) with (Dyadic n (e - M)).
    2: { unfold magnitude. cbn [num scale]. f_equal. destruct s; lia. }
    rewrite (beyond_largest f Hf n e) by lia. f_equal. destruct (Z.eqb_spec e (emax f)) as [Q|Q]; [|reflexivity]. cbn [andb].
    replace (n mod 2 ^ M) with (n - 2 ^ M); [reflexivity|]. apply (Z.mod_unique _ _ 1); lia. }
  rewrite Ov. destruct ((emax f <? e) || _) eqn:O.
  - destruct (overflows_to_infinity r s); [exact Hinf|]. apply (largest_packs f Hf).
  - apply orb_false_elim in O. destruct O as [O1 O2]. apply Z.ltb_ge in O1.
    assert (Lr : Z.max (lg (rounded_to r d)) (emin f) = e).
    { destruct (lg_units _ _ _ Vn) as [_ ->]; [rewrite (is_zero_value _ _ Vn), zero_of_units; apply Z.eqb_neq; lia|].
      replace (Z.abs (if s then - n else n)) with n by (destruct s; lia). destruct He as [He|He].
      - assert (Z.log2 n = M) by (apply Z.log2_unique; replace (Z.succ M) with (M + 1) by ring; lia). lia.
      - assert (Z.log2 n < M) by (apply Z.log2_lt_pow2; lia). lia. }
    rewrite Lr. cbn [packs]. exists s, n, e. split; [reflexivity|]. split; [exact Vn|]. split; [|split].
    + unfold holds. split; [lia|]. split; [lia|]. split; [exact O1|]. split; [|lia]. intros Q. rewrite Q, Z.eqb_refl in O2. cbn [andb] in O2.
      apply Z.ltb_ge in O2. replace (n mod 2 ^ M) with (n - 2 ^ M) in O2; [exact O2|]. apply (Z.mod_unique _ _ 1); lia.
    + cbn [sign_of]. rewrite Zr, (is_negative_value _ _ Vn). unfold is_negative. cbn [num].
      destruct s; [destruct (Z.ltb_spec (- n) 0)|destruct (Z.ltb_spec n 0)]; try reflexivity; lia.
    + unfold pattern_of. cbn [fst snd]. destruct (Z.ltb_spec n (2 ^ M)) as [L|L].
      * rewrite Hx, Z.mod_small by lia. reflexivity.
      * rewrite Hx' by lia. f_equal; [|symmetry; apply (Z.mod_unique _ _ 1); lia]. rewrite Em. rewrite Z.mod_small by lia. ring.
Qed.

End Definition_.

Lemma rounded_fits u r x : float_format (r_format r) = true -> carries_fitting x -> carries_fitting (rounded u r x).
Proof. intros Hf H. destruct (float_parts _ Hf) as (_ & _ & _ & _ & _ & PM & _). apply round_fits; [lia|]. apply rule_fits; (lia || exact H). Qed.

Section Round.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Variable r : round_attr.
Notation f := (r_format r).
Notation M := (M_bits (r_format r)).
Notation E := (E_bits (r_format r)).
Hypothesis Hf : float_format f = true.

(** ** The fields of a pattern as wires *)

Definition parts_are (p : parts) (t : bool * Z * Z) : Prop :=
  len (f_exponent p) = E /\ len (f_mantissa p) = M /\
  value v (f_sign p) = fst (fst t) /\ num (f_exponent p) = snd (fst t) /\ num (f_mantissa p) = snd t.

Lemma computes_mux_parts c p p' t t' : parts_are p t -> parts_are p' t' ->
  computes v (mux_parts c p p') (fun q => parts_are q (if value v c then t else t')).
Proof.
  intros (L1 & L2 & H1 & H2 & H3) (L1' & L2' & H1' & H2' & H3'). unfold mux_parts.
  eapply computes_bind; [apply computes_mux|]. intros s Hs.
  eapply computes_bind; [apply computes_mux_word; apply Nat2Z.inj; now rewrite L1, L1'|]. intros e [Le He].
  eapply computes_bind; [apply computes_mux_word; apply Nat2Z.inj; now rewrite L2, L2'|]. intros m [Lm Hm].
  apply computes_ret. unfold parts_are. cbn [f_sign f_exponent f_mantissa]. rewrite Le, Lm, Hs, He, Hm. destruct (value v c); repeat split; assumption.
Qed.

Lemma packed_fields p t : parts_are p t -> len (packed f p) = width f /\ num (packed f p) = pattern_of r t.
Proof.
  intros (L1 & L2 & H1 & H2 & H3). destruct (float_parts f Hf) as (_ & _ & _ & _ & P5 & P6 & P7 & P8 & _). unfold packed, pattern_of, fields. split.
  - rewrite !length_concat, L1, L2, length_constant, length_repeated by lia. lia.
  - rewrite !(num_concat v), !length_concat, L1, L2, (num_constant0 v v0), length_constant, (num_repeated v), H1, H2, H3, !pow2_correct by lia.
    rewrite !Z.pow_add_r by lia. destruct (fst (fst t)); change (2 ^ 1 - 1) with 1; ring.
Qed.

Lemma constant_parts s e m : 0 <= e < 2 ^ E -> 0 <= m < 2 ^ M -> parts_are (Parts s (constant e E) (constant m M)) (value v s, e, m).
Proof.
  intros He Hm. destruct (float_parts f Hf) as (_ & _ & _ & _ & P5 & P6 & _). unfold parts_are. cbn [f_sign f_exponent f_mantissa fst snd].
  rewrite !length_constant, !(num_constant v v0), !Z.mod_small by lia. repeat split.
Qed.

Lemma num_constant_ones w : 0 <= w <= 64 -> num (constant (-1) w) = 2 ^ w - 1.
Proof.
  intros H. rewrite (num_constant v v0) by exact H. pose proof (Z.pow_pos_nonneg 2 w eq_refl ltac:(lia)).
  symmetry. apply (Z.mod_unique _ _ (-1)); lia.
Qed.

(** The upper bits of what a NaN carries, with the quiet bit. *)
Lemma quiet_bits p : 0 <= p < 2 ^ payload_bits -> M <= payload_bits ->
  Z.lor (p * 2 ^ (64 - payload_bits)) quiet_bit / pow2 (64 - M) = 2 ^ (M - 1) + (p / 2 ^ (payload_bits - M)) mod 2 ^ (M - 1).
Proof.
  destruct (float_parts f Hf) as (_ & _ & _ & _ & _ & P6 & _). unfold payload_bits. intros Hp HM. unfold quiet_bit. rewrite !pow2_correct.
  rewrite <- Z.shiftr_div_pow2, Z.shiftr_lor, !Z.shiftr_div_pow2 by lia.
  replace (2 ^ 63) with (2 ^ (M - 1) * 2 ^ (64 - M)) by (rewrite <- Z.pow_add_r by lia; f_equal; ring).
  rewrite Z.div_mul by (apply Z.pow_nonzero; lia).
  replace (64 - M) with (52 - M + (64 - 52)) by ring. rewrite (Z.pow_add_r 2 (52 - M)), Z.div_mul_cancel_r by (try apply Z.pow_nonzero; lia).
  set (y := p / 2 ^ (52 - M)). assert (B : 0 <= y < 2 ^ M).
  { unfold y. split; [apply Z.div_pos; [lia|apply Z.pow_pos_nonneg; lia]|]. apply Z.div_lt_upper_bound; [apply Z.pow_pos_nonneg; lia|].
    rewrite <- Z.pow_add_r by lia. now replace (52 - M + M) with 52 by ring. }
  clearbody y. rewrite Z.add_comm. pose proof (Z.mod_pos_bound y (2 ^ (M - 1)) ltac:(apply Z.pow_pos_nonneg; lia)) as Bm.
  rewrite Z.add_nocarry_lxor.
  2: { apply Z.bits_inj'. intros i Hi. rewrite Z.land_spec, Z.bits_0. destruct (Z.eq_dec i (M - 1)) as [->|N].
       - rewrite Z.mod_pow2_bits_high by lia. reflexivity.
       - rewrite (Z.pow2_bits_false (M - 1) i) by lia. apply andb_false_r. }
  apply Z.bits_inj'. intros i Hi. rewrite Z.lor_spec, Z.lxor_spec. destruct (Z.lt_trichotomy i (M - 1)) as [L|[->|L]].
  - rewrite Z.mod_pow2_bits_low, Z.pow2_bits_false by lia. now destruct (Z.testbit y i).
  - rewrite Z.mod_pow2_bits_high, Z.pow2_bits_true by lia. apply orb_true_r.
  - rewrite Z.mod_pow2_bits_high, Z.pow2_bits_false, orb_false_r by lia. cbn [xorb].
    destruct (Z.eq_dec y 0) as [->|N0]; [apply Z.bits_0|]. apply Z.bits_above_log2; [lia|]. assert (Z.log2 y < M) by (apply Z.log2_lt_pow2; lia). lia.
Qed.

Lemma nan_of_parts s x fr : 0 <= x < 2 ^ E -> 0 <= fr < 2 ^ M ->
  match kind_of f with Ieee => x = 2 ^ E - 1 /\ fr <> 0 | Fn => x = 2 ^ E - 1 /\ fr = 2 ^ M - 1 | Fnuz | Inuz => s = true /\ x = 0 /\ fr = 0 | _ => False end ->
  is_nan_number (read f (pattern_of r (s, x, fr))) = true.
Proof.
  intros Hx Hfr H. destruct (fields_read f Hf s x fr Hx Hfr) as (R1 & R2 & R3). unfold pattern_of. cbn [fst snd].
  rewrite nan_of_fields, R1, R2, R3, !pow2_correct. destruct (kind_of f); try destruct H.
  - rewrite H, Z.eqb_refl. cbn [andb]. apply negb_true_iff. now apply Z.eqb_neq.
  - rewrite H, H0, !Z.eqb_refl. reflexivity.
  - destruct H0 as [-> ->]. now rewrite H.
  - destruct H0 as [-> ->]. now rewrite H.
Qed.

Lemma computes_nan_parts k : computes v (nan_parts f k)
  (fun p => exists t, parts_are p t /\ is_nan_number (read f (pattern_of r t)) = true /\
     forall c, kind_of f = Ieee -> M <= payload_bits -> content_is v k c -> pattern_of r t = write_nan f (or_invalid c)).
Proof.
  destruct (float_parts f Hf) as (Fx & _ & _ & HN & P5 & P6 & P7 & P8 & _ & P10 & P11). pose proof nan_of_parts as NF. unfold nan_parts, is_fixed, has_nan in *.
  destruct (kind_of f) eqn:K; try discriminate.
  - eapply computes_bind; [apply computes_mux|]. intros s Hs. eapply computes_bind; [apply computes_mask|]. intros pl [Lp Np].
    rewrite <- (Nat2Z.inj_iff), length_slice in Lp by lia. apply computes_ret.
    exists (value v s, 2 ^ E - 1, num (concat (repeated yes 1) (slice pl 0 (M - 1)))).
    assert (Lc : len (concat (repeated yes 1) (slice pl 0 (M - 1))) = M) by (rewrite length_concat, length_slice, length_repeated by lia; ring).
    pose proof (num_bound v (concat (repeated yes 1) (slice pl 0 (M - 1)))) as B. rewrite Lc in B.
    assert (Nc : num (concat (repeated yes 1) (slice pl 0 (M - 1))) = 2 ^ (M - 1) + num pl mod 2 ^ (M - 1)).
    { rewrite (num_concat v), (num_repeated v), (value_yes v v0), length_slice, (num_slice v v0), Z.pow_0_r, Z.div_1_r by lia. change (2 ^ 1 - 1) with 1. ring. }
    pose proof (Z.pow_pos_nonneg 2 (M - 1) eq_refl ltac:(lia)) as Pm. pose proof (Z.mod_pos_bound (num pl) (2 ^ (M - 1)) Pm). split; [|split].
    + unfold parts_are. cbn [f_sign f_exponent f_mantissa fst snd]. rewrite length_constant, num_constant_ones by lia. repeat split. exact Lc.
    + apply NF; [lia|exact B|]. split; [reflexivity|]. lia.
    + intros c _ HM (Lk & C). unfold pattern_of, write_nan. rewrite K. cbn [fst snd]. rewrite (pow2_correct E), Nc. cbv beta in Hs. rewrite Hs, Np. clear Hs Np.
      pose proof (num_bound v (k_payload k)) as Bk. rewrite Lk in Bk. pose proof (quiet_bits _ Bk HM) as Q. destruct c as [c|].
      * destruct C as (-> & -> & C). cbn [or_invalid]. rewrite C, Q. unfold payload_bits in *. rewrite (num_slice v v0) by lia.
        assert (0 <= num (k_payload k) / 2 ^ (52 - M) < 2 ^ M).
        { split; [apply Z.div_pos; [lia|apply Z.pow_pos_nonneg; lia]|]. apply Z.div_lt_upper_bound; [apply Z.pow_pos_nonneg; lia|].
          rewrite <- Z.pow_add_r by lia. now replace (52 - M + M) with 52 by ring. }
        rewrite (Z.mod_small _ (2 ^ M)) by lia. reflexivity.
      * rewrite C, (value_yes v v0). cbn [or_invalid invalid content_negative content_fraction].
        pose proof (quiet_bits 0 ltac:(unfold payload_bits; lia) HM) as Q0. rewrite Z.mul_0_l, Z.lor_0_l, Z.div_0_l in Q0 by (apply Z.pow_nonzero; unfold payload_bits in *; lia).
        rewrite Q0. reflexivity.
  - eapply computes_bind; [apply computes_something|]. intros s _. apply computes_ret. exists (value v s, 2 ^ E - 1, 2 ^ M - 1). split; [|split; [|discriminate]].
    + unfold parts_are. cbn [f_sign f_exponent f_mantissa fst snd]. rewrite !length_constant, !num_constant_ones by lia. repeat split.
    + apply NF; [lia|lia|]. now split.
  - apply computes_ret. exists (true, 0, 0). split; [|split; [|discriminate]].
    + pose proof (constant_parts yes 0 0 ltac:(lia) ltac:(lia)) as C. now rewrite (value_yes v v0) in C.
    + apply NF; [lia|lia|]. now repeat split.
  - apply computes_ret. exists (true, 0, 0). split; [|split; [|discriminate]].
    + pose proof (constant_parts yes 0 0 ltac:(lia) ltac:(lia)) as C. now rewrite (value_yes v v0) in C.
    + apply NF; [lia|lia|]. now repeat split.
Qed.

(** Of the NaN of a factor, or an invalid one, the pattern does not depend on what is carried. *)
Lemma computes_nan_of_rule x : n_kind x = None \/ kind_of f = Ieee ->
  computes v (match n_kind x with Some kind => nan_parts_by_kind f x kind | None => nan_parts f (n_content x) end)
    (fun p => exists t, parts_are p t /\ is_nan_number (read f (pattern_of r t)) = true /\
       forall u n, kind_of f = Ieee -> M <= payload_bits -> is_nan_number n = true -> content_is v (n_content x) (carried n) -> kind_is v u x n ->
         pattern_of r t = write_nan f (or_invalid (carried (nan_of_rule u f n)))).
Proof.
  intros NK. destruct (n_kind x) as [k|] eqn:EK.
  2: { eapply computes_weaken; [apply computes_nan_parts|]. intros p (t & T1 & T2 & T3). exists t. split; [exact T1|]. split; [exact T2|].
       intros u n K HM _ C Q. unfold kind_is in Q. destruct (has_kinds u) eqn:Hk; [destruct Q as (_ & k & Q & _); congruence|].
       rewrite (T3 _ K HM C). unfold nan_of_rule, has_kinds in *. destruct (unit_nan u); try discriminate Hk; reflexivity. }
  destruct NK as [NK|K]; [discriminate|]. destruct (float_parts f Hf) as (_ & _ & _ & _ & P5 & P6 & _ & _ & _ & P10 & P11).
  pose proof (factor_nan_fits f (proj1 P6)) as FF. pose proof (Z.pow_pos_nonneg 2 (M - 1) eq_refl ltac:(lia)) as Pm.
  assert (E2 : 2 ^ M = 2 * 2 ^ (M - 1)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  assert (PN : forall fr, 2 ^ (M - 1) <= fr < 2 ^ M -> parts_are (Parts yes (constant (-1) E) (constant fr M)) (true, 2 ^ E - 1, fr) /\
     is_nan_number (read f (pattern_of r (true, 2 ^ E - 1, fr))) = true /\
     forall o, pattern_of r (true, 2 ^ E - 1, fr) = write_nan f (Content true (fr * pow2 (64 - M)) o)).
  { intros fr B. split; [|split].
    - unfold parts_are. cbn [f_sign f_exponent f_mantissa fst snd]. rewrite !length_constant, num_constant_ones, (num_constant v v0), Z.mod_small, (value_yes v v0) by lia. repeat split.
    - apply nan_of_parts; [lia|lia|]. rewrite K. lia.
    - intros o. unfold pattern_of, write_nan. rewrite K. cbn [fst snd content_negative content_fraction].
      rewrite Z.div_mul, !pow2_correct by (rewrite pow2_correct; apply Z.pow_nonzero; lia). reflexivity. }
  unfold nan_parts_by_kind. set (fi := if invalid_as_factor k then factor_nan_fraction f else pow2 (M - 1)).
  assert (Bi : 2 ^ (M - 1) <= fi < 2 ^ M) by (unfold fi; rewrite pow2_correct; destruct (invalid_as_factor k); lia).
  replace (if invalid_as_factor k then Parts yes (constant (-1) E) (constant (factor_nan_fraction f) M) else Parts yes (constant (-1) E) (constant (pow2 (M - 1)) M))
    with (Parts yes (constant (-1) E) (constant fi M)) by (unfold fi; now destruct (invalid_as_factor k)).
  destruct (PN _ FF) as (F1 & F2 & F3). destruct (PN _ Bi) as (I1 & I2 & I3).
  eapply computes_bind; [apply computes_nan_parts|]. intros pc (tc & C1 & C2 & C3).
  eapply computes_bind; [unfold is_invalid_wire; apply computes_or|]. intros i Hi. cbv beta in Hi. rewrite value_invert in Hi.
  eapply computes_bind; [exact (computes_mux_parts i _ _ _ _ I1 C1)|]. intros other Ho.
  eapply computes_weaken; [exact (computes_mux_parts (of_factor k) _ _ _ _ F1 Ho)|]. intros p Hp. eexists. split; [exact Hp|]. split.
  - destruct (value v (of_factor k)); [exact F2|]. destruct (value v i); [exact I2|exact C2].
  - intros u n _ HM N C Q. unfold kind_is in Q. destruct (has_kinds u) eqn:Hk; [|congruence]. destruct Q as (_ & k' & E & Q1 & Q2). rewrite EK in E. injection E as <-.
    destruct n as [d e s|s t|s t c]; try discriminate N. destruct Q2 as (_ & Q2 & Q3 & _). unfold nan_of_rule. unfold has_kinds in Hk.
    destruct (unit_nan u); try discriminate Hk. cbn [carried] in C. specialize (C3 c K HM C). rewrite Q2. destruct C as [_ C]. unfold fi in I3 |- *. rewrite Q1 in I3 |- *.
    destruct (origin_of c) eqn:O; cbn [origin_eqb carried or_invalid] in *.
    + apply F3.
    + rewrite Hi, (Q3 ltac:(discriminate)). cbn [orb]. rewrite I3 with (o := OfInvalid). do 2 f_equal. destruct (invalid_is_as_of_factor u); [reflexivity|].
      unfold quiet_bit. rewrite !pow2_correct, <- Z.pow_add_r by lia. f_equal. ring.
    + rewrite Hi, (Q3 ltac:(discriminate)). destruct c as [c|]; [|discriminate O]. destruct C as (-> & _). exact C3.
Qed.

Lemma overflows_value s : value v (overflows_wire (r_overflow r) (r_mode r) s) = overflows_to_infinity r (value v s).
Proof.
  unfold overflows_wire, overflows_to_infinity. destruct (r_overflow r); [exact (value_yes v v0)|exact (value_no v v0)|].
  destruct (r_mode r); try exact (value_yes v v0); try exact (value_no v v0); try reflexivity. apply value_invert.
Qed.

(** The sign of a zero, from those that were seen. *)
Definition zero_negative (plus_ minus : bool) : bool :=
  negb (r_zsign_pos r) && (if plus_ then minus && (match r_mode r with rd => true | _ => false end) else minus).

(** Which fields the pattern has. *)
Lemma computes_float_pattern x y infinite minus is_nan : n_kind x = None \/ kind_of f = Ieee ->
  len (st_exponent y) = E -> len (st_mantissa y) = M ->
  computes v (float_pattern r x y infinite minus is_nan) (fun p => len p = width f /\
    exists nan, is_nan_number (read f (pattern_of r nan)) = true /\
    (forall u n, kind_of f = Ieee -> M <= payload_bits -> is_nan_number n = true -> content_is v (n_content x) (carried n) -> kind_is v u x n ->
       pattern_of r nan = write_nan f (or_invalid (carried (nan_of_rule u f n)))) /\
    let inf s := if has_infinity f then (s, 2 ^ E - 1, infinite_fraction f) else nan in
    let s := value v (n_negative x) in
    let flushed := value v (st_flushed y) in
    num p = pattern_of r
      (if value v is_nan then nan else if value v infinite then inf (value v minus)
       else if flushed || value v (st_to_zero y)
       then (has_minus_zero f && (if value v (st_zero y) then zero_negative (value v (n_seen_plus x)) (value v (n_seen_minus x))
                                  else if flushed then negb (r_ftz_pos r) && s else negb (r_usign_pos r) && s), 0, 0)
       else if value v (st_overflow y) then if overflows_to_infinity r s then inf s else (s, emax f + bias f, largest_fraction f)
       else (s, num (st_exponent y), num (st_mantissa y)))).
Proof.
  intros NK Le Lm. destruct (float_parts f Hf) as (_ & _ & _ & _ & P5 & P6 & _ & _ & _ & P10 & P11).
  destruct (emin_below_emax f Hf) as (B & Bm & Em).
  assert (PL : 0 <= largest_fraction f < 2 ^ M) by (unfold largest_fraction; rewrite pow2_correct; destruct (kind_of f); lia).
  unfold float_pattern. eapply computes_bind; [exact (computes_nan_of_rule x NK)|]. intros nan (tn & Pn & Nn & Cn).
  set (inf := fun s : bool => if has_infinity f then (s, 2 ^ E - 1, infinite_fraction f) else tn).
  assert (PI : forall s, parts_are (if has_infinity f then infinity_parts f s else nan) (inf (value v s))).
  { intros s. unfold inf. destruct (has_infinity f); [|exact Pn]. unfold infinity_parts, parts_are. cbn [f_sign f_exponent f_mantissa fst snd].
    pose proof (infinite_fraction_fits f Hf). rewrite !length_constant, num_constant_ones, (num_constant v v0), Z.mod_small by lia. repeat split. }
  eapply computes_bind; [apply computes_mux_parts; [apply PI|apply constant_parts; lia]|]. intros bl Hbl. rewrite overflows_value in Hbl.
  eapply computes_bind.
  { apply computes_mux_parts; [exact Hbl|]. instantiate (1 := (value v (n_negative x), num (st_exponent y), num (st_mantissa y))). now repeat split. }
  intros r1 Hr1. eapply computes_bind; [apply computes_and|]. intros mixed Hmixed. eapply computes_bind; [apply computes_mux|]. intros zs Hzs.
  eapply computes_bind; [apply computes_mux|]. intros s1 Hs1. eapply computes_bind; [apply computes_mux|]. intros s2 Hs2.
  eapply computes_bind; [apply computes_or|]. intros gone Hgone.
  eapply computes_bind; [apply computes_mux_parts; [apply constant_parts; lia|exact Hr1]|]. intros r2 Hr2.
  eapply computes_bind; [apply computes_mux_parts; [apply PI|exact Hr2]|]. intros r3 Hr3.
  eapply computes_bind; [apply computes_mux_parts; [exact Pn|exact Hr3]|]. intros r4 Hr4. apply computes_ret.
  destruct (packed_fields r4 _ Hr4) as [L N]. split; [exact L|]. exists tn. split; [exact Nn|]. split; [exact Cn|]. cbv zeta. rewrite N. f_equal.
  destruct (value v is_nan); [reflexivity|]. destruct (value v infinite); [reflexivity|]. cbv beta in Hgone. rewrite Hgone.
  destruct (value v (st_flushed y) || value v (st_to_zero y)); [|reflexivity]. f_equal. f_equal.
  destruct (has_minus_zero f); [|exact (value_no v v0)]. cbn [andb]. cbv beta in *. rewrite Hs2, Hs1. unfold zero_negative.
  destruct (value v (st_zero y)).
  - destruct (r_zsign_pos r); [exact (value_no v v0)|]. rewrite Hzs, Hmixed. cbn [negb andb].
    replace (value v (match r_mode r with rd => yes | _ => no end)) with (match r_mode r with rd => true | _ => false end); [reflexivity|].
    destruct (r_mode r); symmetry; (exact (value_yes v v0) || exact (value_no v v0)).
  - destruct (value v (st_flushed y)), (r_ftz_pos r), (r_usign_pos r); cbn [negb andb]; try reflexivity; exact (value_no v v0).
Qed.

(** Pattern of the rounded number, whatever else is in the netlist; and in an IEEE format, the NaN of the unit's rule. *)
Theorem computes_round_carried u above x n : above <= 2 ^ 43 -> is_number v above x n -> n_kind x = None \/ kind_of f = Ieee -> carries_fitting n ->
  computes v (round_wires r x) (fun p => len p = width f /\ packs f (num p) (rounded u r n) /\
    (kind_of f = Ieee -> M <= payload_bits -> is_nan_number n = true -> content_is v (n_content x) (carried n) -> kind_is v u x n ->
     num p = write_nan f (or_invalid (carried (nan_of_rule u f n))))).
Proof.
  intros Ha Hx NK Hc. destruct (float_parts f Hf) as (Fx & HS & HZ & _ & P5 & P6 & _ & _ & _ & P10 & P11).
  unfold round_wires. rewrite Fx. eapply computes_bind; [exact (computes_stages_of v v0 r (float_fields_fit f Hf) above x n Ha Hx)|].
  intros y (Le & Lm & Hy). destruct Hx as ((_ & Sp & W) & _ & N). cbv zeta. apply (computes_special v v0 x n Sp).
  { destruct n; (exact N || exact I). }
  intros minus infinite is_nan Hnan Hinf Hminus.
  assert (NI : forall s, s <> Mixed -> forall nan, is_nan_number (read f (pattern_of r nan)) = true ->
            packs f (pattern_of r (if has_infinity f then (sign_eqb s Minus, 2 ^ E - 1, infinite_fraction f) else nan)) (infinity_of f s)).
  { intros s Hs nan Hn. pose proof (infinity_packs f Hf (pattern_of r (sign_eqb s Minus, 2 ^ E - 1, infinite_fraction f)) (pattern_of r nan) s Hs) as H.
    replace (pattern_of r (if has_infinity f then (sign_eqb s Minus, 2 ^ E - 1, infinite_fraction f) else nan))
      with (if has_infinity f then pattern_of r (sign_eqb s Minus, 2 ^ E - 1, infinite_fraction f) else pattern_of r nan) by (now destruct (has_infinity f)).
    apply H; [|exact Hn]. unfold pattern_of, write_infinity. cbn [fst snd]. now rewrite pow2_correct. }
  eapply computes_weaken; [apply (computes_float_pattern x y infinite minus is_nan NK Le Lm)|].
  intros p (Lp & nan & Nn & Cn & Np). split; [exact Lp|]. cbv zeta in Np. rewrite Np. clear Np. split.
  2: { intros K HM N' C Q. rewrite Hnan, N'. exact (Cn u n K HM N' C Q). }
  unfold rounded, Notation.round. rewrite Fx.
  assert (NR : match n with NaN s t _ => exists c, nan_of_rule u f n = NaN s t c | _ => nan_of_rule u f n = n end).
  { unfold nan_of_rule. destruct (unit_nan u), n as [| |s t c]; try reflexivity; try (now exists c). destruct (origin_of c); eexists; reflexivity. }
  pose proof (rule_fits u f n (proj1 P6) ltac:(lia) Hc) as Fc.
  rewrite Hnan. destruct n as [d e s|s t|s t c]; cbn [is_nan_number is_infinite_number sign_of] in *.
  - rewrite NR, (Hinf eq_refl). destruct Hy as (S & _ & _ & Y1 & Y2 & Y3 & Y4 & Y5 & Y6 & Y7).
    rewrite Y1, Y2, Y4. destruct (is_zero d) eqn:Z.
    + rewrite (Y6 eq_refl). cbn [Z.eqb]. rewrite orb_true_r. destruct W as (_ & _ & _ & _ & (Pp & Pm)). cbn [sign_of] in Pp, Pm. rewrite Z in Pp, Pm. rewrite Pp, Pm.
      unfold round_zero. pose proof (fun s Hs => zero_packs f Hf s Hs) as ZP. unfold zero_negative.
      destruct (r_zsign_pos r); [apply (ZP Plus); discriminate|]. destruct s; [apply (ZP Plus)|apply (ZP Minus)|]; try discriminate.
      destruct (r_mode r); first [apply (ZP Plus); discriminate|apply (ZP Minus); discriminate].
    + destruct (Y7 eq_refl) as (Q1 & Q2 & Q3 & Q4 & Q5). rewrite Q3, Q4. destruct W as (V & _).
      pose proof (wires_negative v x d V Z) as Neg.
      assert (S1' : sign_if (value v (n_negative x)) <> Mixed) by apply not_mixed_if.
      pose proof (NI _ S1' nan Nn) as PI. replace (sign_eqb (sign_if (value v (n_negative x))) Minus) with (value v (n_negative x)) in PI by (now destruct (value v (n_negative x))).
      exact (rounded_packs r Hf d (value v (n_negative x)) S (num (st_exponent y)) _ Z Neg Y3 Y5 Q1 Q2 Q5 PI).
  - rewrite NR, (Hinf eq_refl), (Hminus eq_refl). exact (NI s N nan Nn).
  - destruct NR as [c' NR]. rewrite NR in *. now apply (nan_packs f Hf).
Qed.

(** Without what is carried. *)
Theorem computes_round u above x n : above <= 2 ^ 43 -> is_number v above x n -> n_kind x = None \/ kind_of f = Ieee -> carries_fitting n ->
  computes v (round_wires r x) (fun p => len p = width f /\ packs f (num p) (rounded u r n)).
Proof.
  intros Ha Hx NK Hc. eapply computes_weaken; [exact (computes_round_carried u above x n Ha Hx NK Hc)|]. now intros p (H1 & H2 & _).
Qed.

End Round.
