(** * The circuit of a round to fixed point

    It computes the round of the definition: all modes; what is too large, or infinite, gives the largest number of its sign,
    and NaN gives 0. *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core.
From Discern Require Import Notation Real Units Gates Lrat Making Words Shifts Integers Largest Circuit CircuitUnit Fields Reading
  Numbers Alignment RoundNode Packing.
Import ListNotations.
Open Scope Z_scope.

(** Fixed point of 2 to 60 bits. *)
Definition fixed_format (f : format) : bool :=
  is_fixed f && has_zero f && (E_bits f =? 1) && (M_bits f =? width f - 2) && (2 <=? width f) && (width f <=? 60) && (Z.abs (bias f) <=? 2 ^ 30).

Section Fixed.
Variable r : round_attr.
Notation f := (r_format r).
Notation M := (M_bits (r_format r)).
Notation W := (width (r_format r)).
Hypothesis Hf : fixed_format f = true.

Lemma fixed_parts : is_fixed f = true /\ has_zero f = true /\ E_bits f = 1 /\ M = W - 2 /\ 2 <= W <= 60 /\ emax f = emin f /\ fields_fit f = true /\
  largest_fraction f = 2 ^ M - 1 /\ last_bit f = emin f - M.
Proof.
  pose proof Hf as H. unfold fixed_format in H. repeat (apply andb_prop in H; destruct H as [H ?H']).
  repeat match goal with H : (_ <=? _) = true |- _ => apply Z.leb_le in H end. repeat match goal with H : (_ =? _) = true |- _ => apply Z.eqb_eq in H end.
  assert (Em : emax f = emin f) by (unfold emax, is_fixed in *; destruct (kind_of f); try discriminate; reflexivity).
  assert (L : largest_fraction f = 2 ^ M - 1) by (unfold largest_fraction, is_fixed in *; rewrite pow2_correct; destruct (kind_of f); try discriminate; reflexivity).
  assert (1 <= 2 ^ M) by (pose proof (Z.pow_pos_nonneg 2 M); lia).
  repeat match goal with |- _ /\ _ => split end; try assumption; try lia; try reflexivity.
  unfold fields_fit. rewrite L, Em. unfold emin. match goal with H : has_zero f = true |- _ => rewrite H end. change (2 ^ 40) with (1024 * 2 ^ 30).
  repeat (apply andb_true_intro; split); apply Z.leb_le; lia.
Qed.

(** What is beyond the range is so after rounding, too. *)
Lemma beyond_after m d (s : bool) q k : is_zero d = false -> is_negative d = s -> q <= k -> k <= lg d ->
  if s then (D2R (rnd m d q) <= - bpow radix2 k)%R else (bpow radix2 k <= D2R (rnd m d q))%R.
Proof.
  intros Z Neg Hq Hk. apply is_zero_false in Z. pose proof (lg_correct d Z) as L.
  assert (B : (bpow radix2 k <= Rabs (D2R d))%R).
  { apply Rle_trans with (bpow radix2 (lg d)); [now apply bpow_le|]. rewrite L. now apply bpow_mag_le. }
  assert (G : generic_format radix2 (FIX_exp q) (bpow radix2 k)) by (apply generic_format_bpow; unfold FIX_exp; lia).
  rewrite rnd_correct. rewrite is_negative_Rlt_bool in Neg. destruct s.
  - assert (N : (D2R d < 0)%R) by (destruct (Rlt_bool_spec (D2R d) 0); [assumption|discriminate]). rewrite Rabs_left in B by exact N.
    apply round_le_generic; [apply FIX_exp_valid|apply valid_Zrnd|now apply generic_format_opp|lra].
  - assert (N : (0 <= D2R d)%R) by (destruct (Rlt_bool_spec (D2R d) 0); [discriminate|assumption]). rewrite Rabs_pos_eq in B by exact N.
    apply round_ge_generic; [apply FIX_exp_valid|apply valid_Zrnd|exact G|exact B].
Qed.

(** The units of the rounded number, after saturation, modulo 2^W. *)
Definition units_of (x : number) : Z := units (value_of (round_to_fixed f (r_mode r) x)) (last_bit f) mod 2 ^ W.

Lemma rounded_units d e s' (s : bool) S : is_zero d = false -> is_negative d = s -> 0 <= S <= 2 ^ (M + 1) ->
  let e_ := exponent_before r d + if S =? 2 ^ (M + 1) then 1 else 0 in
  D2R (rounded_to r d) = D2R (Dyadic (if s then - S else S) (exponent_before r d - M)) ->
  (emin f <= lg d -> 2 ^ M <= S) ->
  units_of (Finite d e s') =
    if (emax f <? e_) || ((e_ =? emax f) && (largest_fraction f <? S mod 2 ^ M)) then if s then 2 ^ (W - 1) else 2 ^ (W - 1) - 1
    else (if s then - S else S) mod 2 ^ W.
Proof.
  intros Z Neg HS e_ V Hlg. destruct fixed_parts as (_ & HZ & _ & EM & HW & Em & _ & L & LB).
  pose proof (Z.pow_pos_nonneg 2 M eq_refl ltac:(lia)) as PM. assert (P1 : 2 ^ (M + 1) = 2 * 2 ^ M) by (rewrite Z.pow_add_r by lia; ring).
  assert (P2 : 2 ^ W = 2 * 2 ^ (M + 1)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia). assert (EW : W - 1 = M + 1) by lia.
  assert (Bm : (largest_fraction f <? S mod 2 ^ M) = false) by (apply Z.ltb_ge; rewrite L; pose proof (Z.mod_pos_bound S (2 ^ M) PM); lia).
  rewrite Bm, andb_false_r, orb_false_r, Em, EW. unfold units_of, round_to_fixed. cbv zeta. cbn [value_of]. rewrite !less_than_correct.
  rewrite EW, !pow2_correct. set (q := last_bit f) in *. set (rd_ := rnd (r_mode r) d q).
  assert (Q : forall n, D2R (Dyadic n q) = F2R (Float radix2 n q)) by reflexivity.
  assert (D : emin f <? e_ = false -> D2R rd_ = D2R (Dyadic (if s then - S else S) q) /\ S < 2 ^ (M + 1)).
  { intros G. apply Z.ltb_ge in G. unfold e_, exponent_before in G, V. destruct (Z.eqb_spec S (2 ^ (M + 1))); [lia|].
    unfold rounded_to, exponent_before in V. replace (Z.max (lg d) (emin f) - M) with q in V by (rewrite LB; lia). split; [exact V|lia]. }
  destruct (emin f <? e_) eqn:G.
  - (* beyond *)
    assert (B : if s then (D2R rd_ <= F2R (Float radix2 (- 2 ^ (M + 1)) q))%R else (F2R (Float radix2 (2 ^ (M + 1)) q) <= D2R rd_)%R).
    { assert (T : F2R (Float radix2 (2 ^ (M + 1)) q) = bpow radix2 (emin f + 1)).
      { unfold F2R. cbn [Fnum Fexp]. rewrite <- pow2_correct, IZR_pow2, <- bpow_plus by lia. f_equal. rewrite LB. ring. }
      assert (T' : F2R (Float radix2 (- 2 ^ (M + 1)) q) = (- bpow radix2 (emin f + 1))%R) by (rewrite F2R_Zopp, T; reflexivity).
      apply Z.ltb_lt in G. destruct (Z.le_gt_cases (emin f + 1) (lg d)) as [H|H].
      - rewrite T, T'. apply (beyond_after (r_mode r) d s q (emin f + 1) Z Neg); [rewrite LB; lia|exact H].
      - unfold e_, exponent_before in G. destruct (Z.eqb_spec S (2 ^ (M + 1))) as [->|N]; [|lia].
        unfold rounded_to, exponent_before in V. replace (Z.max (lg d) (emin f) - M) with q in V by (rewrite LB; lia). fold rd_ in V. rewrite V.
        destruct s; apply Rle_refl. }
    destruct s.
    + destruct (Rlt_bool_spec (D2R rd_) (D2R (Dyadic (- 2 ^ (M + 1)) q))) as [H|H].
      * rewrite (units_correct (Dyadic (- 2 ^ (M + 1)) q) (- 2 ^ (M + 1)) q eq_refl). symmetry. apply (Z.mod_unique _ _ (-1)); lia.
      * rewrite Q in H. assert (R : D2R rd_ = F2R (Float radix2 (- 2 ^ (M + 1)) q)) by lra. rewrite R.
        rewrite Rlt_bool_false by (rewrite Q; apply F2R_le; lia). rewrite (units_correct _ _ q R). symmetry. apply (Z.mod_unique _ _ (-1)); lia.
    + rewrite Rlt_bool_false.
      2: { eapply Rle_trans; [|exact B]. rewrite Q. apply F2R_le. lia. }
      rewrite Rlt_bool_true.
      2: { eapply Rlt_le_trans; [|exact B]. rewrite Q. apply F2R_lt. lia. }
      rewrite (units_correct (Dyadic (2 ^ (M + 1) - 1) q) (2 ^ (M + 1) - 1) q eq_refl). apply Z.mod_small. lia.
  - destruct (D eq_refl) as [R SL]. rewrite R, !Q. rewrite Rlt_bool_false by (apply F2R_le; destruct s; lia).
    rewrite Rlt_bool_false by (apply F2R_le; destruct s; lia). now rewrite (units_correct _ _ q R).
Qed.

Lemma zero_units d e s : is_zero d = true -> units_of (Finite d e s) = 0.
Proof.
  intros Z. destruct fixed_parts as (_ & HZ & _ & EM & HW & Em & _ & L & LB). pose proof (Z.pow_pos_nonneg 2 (W - 1) eq_refl ltac:(lia)) as P.
  apply is_zero_correct in Z. unfold units_of, round_to_fixed. cbv zeta. cbn [value_of]. rewrite !less_than_correct, !pow2_correct.
  assert (R : D2R (rnd (r_mode r) d (last_bit f)) = F2R (Float radix2 0 (last_bit f))).
  { rewrite rnd_correct, Z, round_0 by apply valid_Zrnd. symmetry. apply F2R_0. }
  rewrite R. rewrite Rlt_bool_false by (apply F2R_le; cbn [num]; lia). rewrite Rlt_bool_false by (apply F2R_le; cbn [num]; lia).
  rewrite (units_correct _ _ _ R). apply Z.mod_0_l. apply Z.pow_nonzero; lia.
Qed.

Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).

(** Two's complement of the rounded number, whatever else is in the netlist. *)
Theorem computes_round_fixed u above x n : above <= 2 ^ 43 -> is_number v above x n ->
  computes v (round_wires r x) (fun p => len p = W /\ num p = result u f (Notation.round r n)).
Proof.
  intros Ha Hx. destruct fixed_parts as (Fx & HZ & HE & EM & HW & Em & FF & L & LB).
  pose proof (Z.pow_pos_nonneg 2 M eq_refl ltac:(lia)) as PM. assert (P1 : 2 ^ (M + 1) = 2 * 2 ^ M) by (rewrite Z.pow_add_r by lia; ring).
  assert (P2 : 2 ^ W = 2 * 2 ^ (M + 1)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia). assert (EW : W - 1 = M + 1) by lia.
  assert (RU : result u f (Notation.round r n) = units_of n).
  { unfold Notation.round. rewrite Fx. unfold units_of, round_to_fixed. cbv zeta. cbn [result value_of]. unfold write_finite. now rewrite Fx, (pow2_correct W). }
  rewrite RU. clear RU.
  unfold round_wires. rewrite Fx. eapply computes_bind; [exact (computes_stages_of v v0 r FF above x n Ha Hx)|].
  intros y (Le & Lm & Hy). rewrite HE in Le. destruct Hx as ((_ & Sp & Wv) & _ & N). cbv zeta. apply (computes_special v v0 x n Sp).
  { destruct n; (exact N || exact I). }
  intros minus infinite is_nan Hnan Hinf Hminus. unfold fixed_pattern, width_of.
  eapply computes_bind; [apply computes_mux|]. intros sign Hsign. eapply computes_bind; [apply computes_and|]. intros large Hlarge.
  eapply computes_bind; [apply computes_or|]. intros beyond Hbeyond.
  set (magnitude := concat (st_exponent y) (st_mantissa y)).
  assert (Lmag : len magnitude = W - 1) by (unfold magnitude; rewrite length_concat, Le, Lm; lia).
  eapply computes_bind; [apply (computes_negate_if v v0)|]. intros finite [Lf Nf].
  assert (Lf' : len finite = W) by (rewrite Lf; rewrite length_resize, Lmag by lia; lia).
  rewrite length_resize, Lmag in Nf by lia. replace (W - 1 + 1) with W in Nf by ring.
  pose proof (num_bound v magnitude) as Bm. rewrite Lmag, EW in Bm. rewrite (num_resize_small v v0) in Nf by (rewrite ?Lmag; replace (W - 1 + 1) with W by ring; lia).
  eapply computes_bind.
  { apply computes_mux_word. apply Nat2Z.inj. rewrite length_concat, !length_repeated by lia. lia. }
  intros number_ [Lnum Nnum]. apply (f_equal Z.of_nat) in Lnum. rewrite length_concat, !length_repeated in Lnum by lia.
  rewrite (num_concat v), !(num_repeated v), length_repeated, value_invert in Nnum by lia.
  eapply computes_weaken; [apply computes_mask|]. intros p [Lp Np]. split; [rewrite Lp; lia|]. rewrite Np, value_invert, Nnum. clear Np Nnum.
  cbv beta in *. rewrite Hbeyond, Hlarge, Hnan, Hsign, EW.
  unfold magnitude in Nf. rewrite (num_concat v), Lm in Nf.
  assert (Sat : forall b : bool, (if negb b then 2 ^ (M + 1) - 1 else 0) + 2 ^ (M + 1) * (if b then 2 ^ 1 - 1 else 0) = if b then 2 ^ (M + 1) else 2 ^ (M + 1) - 1).
  { intros b. change (2 ^ 1 - 1) with 1. destruct b; cbn [negb]; ring. }
  rewrite !Sat. destruct n as [d e s|s t|s t c]; cbn [is_nan_number is_infinite_number sign_of] in *.
  - rewrite (Hinf eq_refl). cbn [orb]. destruct Hy as (S & _ & _ & Y1 & Y2 & Y3 & Y4 & Y5 & Y6 & Y7). cbn [negb].
    rewrite Nf, value_invert, Y2, Y4. destruct (is_zero d) eqn:Z.
    + rewrite (zero_units d e s Z), (Y6 eq_refl) in *. rewrite (Y5 ltac:(lia)). cbn [Z.eqb negb]. rewrite andb_false_r.
      rewrite Z.mod_0_l, Z.mul_0_r by lia. destruct (value v (n_negative x)); apply Z.mod_0_l; lia.
    + destruct (Y7 eq_refl) as (Q1 & Q2 & Q3 & Q4 & Q5). rewrite Q4. destruct Wv as (V & _).
      pose proof (wires_negative v x d V Z) as Neg.
      rewrite (rounded_units d e s (value v (n_negative x)) S Z Neg Y3 Q1 Q2), EW. set (e_ := exponent_before r d + _) in *. cbv zeta in Q5.
      assert (Bm' : (largest_fraction f <? S mod 2 ^ M) = false) by (apply Z.ltb_ge; rewrite L; pose proof (Z.mod_pos_bound S (2 ^ M) PM); lia).
      rewrite Bm', andb_false_r, orb_false_r, Em. assert (Eb : emin f <= exponent_before r d) by (unfold exponent_before; lia).
      destruct (Z.ltb_spec (emin f) e_) as [G|G].
      * assert (S0 : (S =? 0) = false).
        { apply Z.eqb_neq. unfold e_ in G. intros ->. destruct (Z.le_gt_cases (emin f) (lg d)); [specialize (Q2 H); lia|].
          unfold exponent_before in G. destruct (Z.eqb_spec 0 (2 ^ (M + 1))); lia. }
        rewrite S0. reflexivity.
      * cbn [andb]. unfold e_ in G, Q5. destruct (Z.eqb_spec S (2 ^ (M + 1))) as [|NS]; [lia|].
        replace (S mod 2 ^ M + 2 ^ M * num (st_exponent y)) with S; [reflexivity|]. destruct (Z.lt_ge_cases S (2 ^ M)) as [SL|SL].
        -- rewrite (Y5 SL), Z.mod_small by lia. ring.
        -- rewrite (Q5 SL). replace (exponent_before r d + 0 - (emin f - 1)) with 1 by lia. rewrite HE. change (1 mod 2 ^ 1) with 1.
           rewrite <- (Z.mod_unique S (2 ^ M) 1 (S - 2 ^ M)); lia.
  - rewrite (Hinf eq_refl), (Hminus eq_refl). unfold units_of, round_to_fixed. cbv zeta. cbn [value_of]. rewrite !pow2_correct, EW.
    pose proof (units_correct (Dyadic (- 2 ^ (M + 1)) (last_bit f)) _ _ eq_refl) as U1.
    pose proof (units_correct (Dyadic (2 ^ (M + 1) - 1) (last_bit f)) _ _ eq_refl) as U2. cbn [Notation.num scale] in U1, U2.
    assert (E1 : (- 2 ^ (M + 1)) mod 2 ^ W = 2 ^ (M + 1)) by (symmetry; apply (Z.mod_unique _ _ (-1)); lia).
    destruct s; [| |congruence]; cbn [sign_eqb orb negb]; rewrite ?U1, ?U2, ?E1, ?Z.mod_small by lia; reflexivity.
  - unfold units_of, round_to_fixed. cbv zeta. cbn [value_of]. rewrite (units_correct zero 0 (last_bit f)) by (rewrite D2R_zero; symmetry; apply F2R_0).
    rewrite Z.mod_0_l by lia. reflexivity.
Qed.
End Fixed.
