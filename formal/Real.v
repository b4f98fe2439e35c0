(** * The definition's numbers as real numbers

    What [num · 2^scale] is as a real number, and that the operations of Notation.v are those of the reals: sums and
    products are exact, [lg] is the exponent, and [rnd] is Flocq's rounding. *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core Round_odd.
From Discern Require Import Notation.
Import ListNotations.
Open Scope Z_scope.

Definition D2R (x : dyadic) : R := F2R (Float radix2 (num x) (scale x)).

Lemma pow2_correct n : pow2 n = 2 ^ n.
Proof. apply Z.shiftl_1_l. Qed.

Lemma IZR_pow2 n : 0 <= n -> IZR (pow2 n) = bpow radix2 n.
Proof. intros H. rewrite pow2_correct. rewrite <- (IZR_Zpower radix2 n H). reflexivity. Qed.

Lemma pow2_pos n : 0 <= n -> 0 < pow2 n.
Proof. intros H. rewrite pow2_correct. now apply Z.pow_pos_nonneg. Qed.

(** ** Exact operations *)

Lemma D2R_zero : D2R zero = 0%R.
Proof. apply F2R_0. Qed.

Lemma D2R_opposite x : D2R (opposite x) = (- D2R x)%R.
Proof. unfold D2R, opposite; cbn. now rewrite F2R_Zopp. Qed.

Lemma D2R_magnitude x : D2R (magnitude x) = Rabs (D2R x).
Proof. unfold D2R, magnitude; cbn. now rewrite F2R_Zabs. Qed.

Lemma D2R_times x y : D2R (times x y) = (D2R x * D2R y)%R.
Proof. unfold D2R, times, F2R; cbn [num scale Fnum Fexp]. rewrite mult_IZR, bpow_plus. ring. Qed.

Lemma scaled_up x q : q <= scale x -> (IZR (num x * pow2 (scale x - q)) * bpow radix2 q)%R = D2R x.
Proof.
  intros H. unfold D2R, F2R; cbn. rewrite mult_IZR, IZR_pow2 by lia.
  rewrite Rmult_assoc, <- bpow_plus. do 2 f_equal. lia.
Qed.

Lemma D2R_plus x y : D2R (plus x y) = (D2R x + D2R y)%R.
Proof.
  unfold plus. set (q := Z.min (scale x) (scale y)). unfold D2R at 1, F2R; cbn [num scale Fnum Fexp].
  rewrite plus_IZR, Rmult_plus_distr_r, !scaled_up by lia. reflexivity.
Qed.

Definition Rsum (l : list R) : R := fold_right Rplus 0%R l.

Lemma D2R_sum l : D2R (sum l) = Rsum (map D2R l).
Proof.
  unfold sum. assert (G : forall a, D2R (fold_left plus l a) = (D2R a + Rsum (map D2R l))%R).
  { induction l as [|x l IH]; intros a; cbn [fold_left map]; unfold Rsum; cbn [fold_right]; [ring|].
    fold (Rsum (map D2R l)). rewrite IH, D2R_plus. ring. }
  rewrite G, D2R_zero. ring.
Qed.

Lemma is_zero_correct x : is_zero x = true <-> D2R x = 0%R.
Proof.
  unfold is_zero. rewrite Z.eqb_eq. unfold D2R. split; intros H.
  - rewrite H. apply F2R_0.
  - now apply eq_0_F2R in H.
Qed.

Lemma is_zero_false x : is_zero x = false <-> D2R x <> 0%R.
Proof. rewrite <- is_zero_correct. destruct (is_zero x); split; congruence. Qed.

Lemma is_negative_correct x : is_negative x = true <-> (D2R x < 0)%R.
Proof.
  unfold is_negative. rewrite Z.ltb_lt. unfold D2R. split; intros H.
  - now apply F2R_lt_0.
  - now apply lt_0_F2R in H || (apply (lt_F2R radix2 (scale x)); rewrite F2R_0).
Qed.

Lemma is_negative_Rlt_bool x : is_negative x = Rlt_bool (D2R x) 0.
Proof.
  destruct (is_negative x) eqn:H; symmetry.
  - apply Rlt_bool_true. now apply is_negative_correct.
  - apply Rlt_bool_false. apply Rnot_lt_le. rewrite <- is_negative_correct. congruence.
Qed.

Lemma less_than_correct x y : less_than x y = Rlt_bool (D2R x) (D2R y).
Proof.
  unfold less_than. rewrite is_negative_Rlt_bool, D2R_plus, D2R_opposite.
  destruct (Rlt_bool_spec (D2R x) (D2R y)).
  - apply Rlt_bool_true. lra.
  - apply Rlt_bool_false. lra.
Qed.

(** How many units of 2^q a multiple of 2^q has. *)
Lemma units_correct x k q : D2R x = F2R (Float radix2 k q) -> units x q = k.
Proof.
  intros H. unfold units. destruct (Z.leb_spec q (scale x)) as [L|L].
  - apply eq_IZR. apply Rmult_eq_reg_r with (bpow radix2 q); [|apply Rgt_not_eq, bpow_gt_0].
    rewrite scaled_up by exact L. exact H.
  - assert (N : num x = k * pow2 (q - scale x)).
    { apply eq_IZR. rewrite mult_IZR, IZR_pow2 by lia.
      apply Rmult_eq_reg_r with (bpow radix2 (scale x)); [|apply Rgt_not_eq, bpow_gt_0].
      rewrite Rmult_assoc, <- bpow_plus. replace (q - scale x + scale x) with q by ring. exact H. }
    rewrite N. apply Z.div_mul. pose proof (pow2_pos (q - scale x)). lia.
Qed.

(** ** lg *)

Lemma lg_correct x : D2R x <> 0%R -> lg x = mag radix2 (D2R x) - 1.
Proof.
  intros H. unfold D2R in *. assert (N : num x <> 0).
  { intros E. apply H. rewrite E. apply F2R_0. }
  rewrite mag_F2R by exact N. unfold lg.
  rewrite <- Zdigits_mag by exact N.
  enough (E : Zdigits radix2 (num x) = Z.log2 (Z.abs (num x)) + 1) by lia.
  apply Zdigits_unique. rewrite Z.add_simpl_r.
  change (Zpower radix2) with (Z.pow 2).
  apply Z.log2_spec. lia.
Qed.

(** ** Rounding *)

(** Flocq's function for a mode, from a real number to one of the two integers beside it. *)
Definition Zrnd (m : mode) : R -> Z :=
  match m with
  | rz => Ztrunc
  | rd => Zfloor
  | ru => Zceil
  | rne => ZnearestE
  | rna => ZnearestA
  | odd => Zrnd_odd
  | ra => Zaway
  | rnu => Znearest (fun _ => true)
  | rn_d => Znearest (fun _ => false)
  | rnz => Znearest (fun n => n <? 0)
  | rno => Znearest Z.even
  end.

Global Instance valid_Zrnd m : Valid_rnd (Zrnd m).
Proof. destruct m; cbn; eauto with typeclass_instances. Qed.

Lemma quotient_compare n s : 0 < s ->
  Rcompare (IZR n / IZR s - IZR (n / s)) (/ 2) = (2 * (n mod s) ?= s).
Proof.
  intros S. assert (P : (0 < IZR s)%R) by now apply IZR_lt.
  replace (IZR n / IZR s - IZR (n / s))%R with (IZR (n mod s) / IZR s)%R.
  2: { rewrite (Z_div_mod_eq_full n s) at 2. rewrite plus_IZR, mult_IZR. field. lra. }
  rewrite <- (Rcompare_mult_r (IZR s)) by exact P.
  replace (IZR (n mod s) / IZR s * IZR s)%R with (IZR (n mod s)) by (field; lra).
  rewrite <- (Rcompare_mult_l 2) by lra.
  replace (2 * (/ 2 * IZR s))%R with (IZR s) by field.
  rewrite <- (mult_IZR 2). apply Rcompare_IZR.
Qed.

(** The integer that a mode chooses beside n/s is the one that the definition chooses. *)
Lemma Zrnd_quotient m n s : 0 < s ->
  Zrnd m (IZR n / IZR s) =
  if n mod s =? 0 then n / s
  else if goes_up m (n / s) (n <? 0) (2 * (n mod s) ?= s) then n / s + 1 else n / s.
Proof.
  intros S. assert (P : (0 < IZR s)%R) by now apply IZR_lt.
  assert (Fl : Zfloor (IZR n / IZR s) = n / s) by (apply Zfloor_div; lia).
  destruct (Z.eqb_spec (n mod s) 0) as [E|E].
  { replace (IZR n / IZR s)%R with (IZR (n / s)).
    - apply Zrnd_IZR. apply valid_Zrnd.
    - rewrite (Z_div_mod_eq_full n s) at 2. rewrite E, Z.add_0_r, mult_IZR. field. lra. }
  assert (NE : IZR (Zfloor (IZR n / IZR s)) <> (IZR n / IZR s)%R).
  { rewrite Fl. intros K. apply E.
    assert (IZR (n / s * s) = IZR n) as Q by (rewrite mult_IZR, K; field; lra).
    apply eq_IZR in Q. rewrite <- Q. apply Z.mod_mul. lia. }
  assert (Ce : Zceil (IZR n / IZR s) = n / s + 1) by (rewrite Zceil_floor_neq by exact NE; now rewrite Fl).
  assert (Ne : (n <? 0) = Rlt_bool (IZR n / IZR s) 0).
  { destruct (Z.ltb_spec n 0) as [K|K]; symmetry.
    - apply Rlt_bool_true. apply Rmult_lt_reg_r with (IZR s); [exact P|].
      replace (IZR n / IZR s * IZR s)%R with (IZR n) by (field; lra). rewrite Rmult_0_l. now apply IZR_lt.
    - apply Rlt_bool_false. apply Rmult_le_reg_r with (IZR s); [exact P|].
      replace (IZR n / IZR s * IZR s)%R with (IZR n) by (field; lra). rewrite Rmult_0_l. now apply IZR_le. }
  assert (Sg : (n / s <? 0) = (n <? 0)).
  { destruct (Z.ltb_spec n 0) as [K|K]; [apply Z.ltb_lt, Z.div_lt_upper_bound; lia|apply Z.ltb_ge; now apply Z.div_pos]. }
  destruct m; unfold Zrnd, goes_up.
  - unfold Ztrunc. rewrite <- Ne, Fl, Ce. reflexivity.
  - exact Fl.
  - exact Ce.
  - unfold Znearest. rewrite Fl, Ce, quotient_compare by exact S.
    destruct (2 * (n mod s) ?= s); try reflexivity. now rewrite Z.negb_even.
  - unfold Znearest. rewrite Fl, Ce, quotient_compare by exact S.
    destruct (2 * (n mod s) ?= s); try reflexivity.
    rewrite <- Sg, Z.ltb_antisym, negb_involutive. reflexivity.
  - unfold Zrnd_odd. rewrite Fl, Ce. destruct Req_EM_T as [K|K]; [|reflexivity].
    exfalso. apply NE. rewrite Fl. now symmetry.
  - unfold Zaway. rewrite <- Ne, Fl, Ce. now destruct (n <? 0).
  - unfold Znearest. rewrite Fl, Ce, quotient_compare by exact S. now destruct (2 * (n mod s) ?= s).
  - unfold Znearest. rewrite Fl, Ce, quotient_compare by exact S. now destruct (2 * (n mod s) ?= s).
  - unfold Znearest. rewrite Fl, Ce, quotient_compare by exact S. rewrite Sg.
    now destruct (2 * (n mod s) ?= s).
  - unfold Znearest. rewrite Fl, Ce, quotient_compare by exact S. now destruct (2 * (n mod s) ?= s).
Qed.

(** ** [rnd m x q] is Flocq's rounding of x to a multiple of 2^q. *)
Theorem rnd_correct m x q : D2R (rnd m x q) = Generic_fmt.round radix2 (FIX_exp q) (Zrnd m) (D2R x).
Proof.
  unfold Generic_fmt.round, scaled_mantissa, cexp, FIX_exp, rnd.
  destruct (Z.leb_spec q (scale x)) as [H|H].
  - rewrite <- (scaled_up x q H) at 2. rewrite Rmult_assoc, <- bpow_plus, Z.add_opp_diag_r, Rmult_1_r.
    rewrite Zrnd_IZR by apply valid_Zrnd. unfold F2R; cbn. now rewrite scaled_up.
  - assert (K : (D2R x * bpow radix2 (- q))%R = (IZR (num x) / IZR (pow2 (q - scale x)))%R).
    { unfold D2R, F2R; cbn. rewrite IZR_pow2 by lia. unfold Rdiv. rewrite <- bpow_opp, Rmult_assoc, <- bpow_plus.
      do 2 f_equal. lia. }
    rewrite K, Zrnd_quotient by (apply pow2_pos; lia). unfold is_negative.
    destruct (num x mod pow2 (q - scale x) =? 0); [reflexivity|].
    now destruct goes_up.
Qed.

(** ** Rounding to a format of M fraction bits and the smallest exponent emin is Flocq's, with its FLT format. *)
Theorem rnd_FLT m x M emin : 0 <= M -> D2R x <> 0%R ->
  D2R (rnd m x (Z.max (lg x) emin - M)) =
  Generic_fmt.round radix2 (FLT_exp (emin - M) (M + 1)) (Zrnd m) (D2R x).
Proof.
  intros HM H. rewrite rnd_correct. unfold Generic_fmt.round, scaled_mantissa, cexp, FIX_exp, FLT_exp.
  rewrite (lg_correct x H).
  replace (Z.max (mag radix2 (D2R x) - 1) emin - M)
    with (Z.max (mag radix2 (D2R x) - (M + 1)) (emin - M)) by lia.
  reflexivity.
Qed.

(** Without a smallest exponent (ftz=after looks at that). *)
Theorem rnd_FLX m x M : 0 <= M -> D2R x <> 0%R ->
  D2R (rnd m x (lg x - M)) = Generic_fmt.round radix2 (FLX_exp (M + 1)) (Zrnd m) (D2R x).
Proof.
  intros HM H. rewrite rnd_correct. unfold Generic_fmt.round, scaled_mantissa, cexp, FIX_exp, FLX_exp.
  rewrite (lg_correct x H). replace (mag radix2 (D2R x) - 1 - M) with (mag radix2 (D2R x) - (M + 1)) by lia.
  reflexivity.
Qed.
