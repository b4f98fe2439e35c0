(** * Laws of sums

    What people use of a fuse, for every number of terms, every F and every exponent at once: when F cuts nothing, how far
    truncation can be off, how many carry bits are enough, order, zero terms, negation, monotonicity, double rounding. *)

From Coq Require Import ZArith List Bool Reals Lia Lra Permutation.
From Flocq Require Import Core Round_odd Double_rounding.
From Discern Require Import Notation Real Exact.
From Discern Require Fma.
Import ListNotations.
Open Scope Z_scope.

(** ** Finite terms *)

Definition finite_term (t : term) : Prop := exists v e s, t_number t = Finite v e s.

Lemma finite_no_special terms : Forall finite_term terms -> special_sum (map t_number terms) = None.
Proof.
  intros H. apply no_special. apply Forall_map. eapply Forall_impl; [|exact H].
  intros t (v & e & s & ->). exact I.
Qed.

(** What a fuse of finite terms is, E known. *)
Lemma fuse_is u children terms E : Forall finite_term terms -> common_exponent u terms = Some E ->
  let t := in_frame u E terms in
  fuse u children terms =
    Finite (register u (largest_F children) E terms t) (Some E)
           (if u_plus u then Plus else zero_sum_sign (map t_number terms) t).
Proof. intros H HE. unfold fuse. now rewrite finite_no_special, HE. Qed.

(** No register, no sticky bit, no frame. *)
Definition simple_fuse (u : fuse_attr) : Prop := u_carry u = None /\ u_sticky u = false /\ u_frame u = NoFrame.

Lemma simple_fuse_value u children terms E : simple_fuse u -> Forall finite_term terms ->
  common_exponent u terms = Some E ->
  D2R (value_of (fuse u children terms)) = Rsum (map (fun t => D2R (aligned E t)) terms).
Proof.
  intros (Hc & Hs & Hf) H HE. rewrite (fuse_is u children terms E H HE). cbv zeta. cbn [value_of].
  unfold register. rewrite Hc, Hs, in_frame_none, D2R_sum, map_map by exact Hf. reflexivity.
Qed.

(** ** Rounding to a multiple of 2^q *)

Lemma rnd_error m x q : (Rabs (D2R (rnd m x q) - D2R x) < bpow radix2 q)%R.
Proof.
  rewrite rnd_correct. destruct (Req_dec (D2R x) 0) as [Z|Z].
  - rewrite Z, round_0 by apply valid_Zrnd. rewrite Rminus_0_r, Rabs_R0. apply bpow_gt_0.
  - rewrite <- (ulp_FIX radix2 q (D2R x)). apply error_lt_ulp; auto with typeclass_instances.
Qed.

(** The nearer neighbour, whatever ties do. *)
Definition nearest (m : mode) : Prop := match m with rne | rna | rnu | rn_d | rnz | rno => True | _ => False end.

Lemma rnd_error_nearest m x q : nearest m ->
  (Rabs (D2R (rnd m x q) - D2R x) <= / 2 * bpow radix2 q)%R.
Proof.
  intros H. rewrite rnd_correct. rewrite <- (ulp_FIX radix2 q (D2R x)).
  destruct m; try contradiction; cbn [Zrnd]; apply error_le_half_ulp; auto with typeclass_instances.
Qed.

Lemma rnd_multiple m x q k : D2R x = F2R (Float radix2 k q) -> D2R (rnd m x q) = D2R x.
Proof.
  intros H. rewrite rnd_correct. apply round_generic; [apply valid_Zrnd|].
  rewrite H. apply generic_format_FIX. now exists (Float radix2 k q).
Qed.

Lemma rnd_bound m x q k : q <= k -> (Rabs (D2R x) <= bpow radix2 k)%R -> (Rabs (D2R (rnd m x q)) <= bpow radix2 k)%R.
Proof.
  intros Hq H. rewrite rnd_correct. apply abs_round_le_generic; auto with typeclass_instances.
  apply generic_format_FIX. exists (Float radix2 (pow2 (k - q)) q); [|reflexivity].
  unfold F2R; cbn [Fnum Fexp]. rewrite IZR_pow2, <- bpow_plus by lia. f_equal. ring.
Qed.

(** A larger number is not rounded to a smaller one. *)
Theorem rnd_monotone m x y q : (D2R x <= D2R y)%R -> (D2R (rnd m x q) <= D2R (rnd m y q))%R.
Proof. intros H. rewrite !rnd_correct. apply round_le; auto with typeclass_instances. Qed.

Definition symmetric (m : mode) : Prop := match m with rd | ru | rnu | rn_d => False | _ => True end.

Lemma Zrnd_odd_opp x : Zrnd_odd (- x) = (- Zrnd_odd x)%Z.
Proof.
  unfold Zrnd_odd. assert (F : Zfloor (- x) = (- Zceil x)%Z) by (unfold Zceil; now rewrite Z.opp_involutive).
  assert (C : Zceil (- x) = (- Zfloor x)%Z) by (unfold Zceil; now rewrite Ropp_involutive).
  destruct (Req_EM_T x (IZR (Zfloor x))) as [I|I]; destruct (Req_EM_T (- x) (IZR (Zfloor (- x)))) as [J|J].
  - rewrite F. rewrite I. now rewrite Zceil_IZR, Zfloor_IZR.
  - exfalso. apply J. rewrite F. rewrite I, Zceil_IZR. now rewrite opp_IZR.
  - exfalso. apply I. rewrite F in J. assert (x = IZR (Zceil x)) as K by (rewrite opp_IZR in J; lra).
    rewrite K. now rewrite Zfloor_IZR.
  - rewrite C, F. rewrite Z.even_opp.
    assert (CF : Zceil x = (Zfloor x + 1)%Z) by (apply Zceil_floor_neq; congruence).
    rewrite CF, Z.even_add. destruct (Z.even (Zfloor x)); cbn; lia.
Qed.

Theorem rnd_opposite m x q : symmetric m -> D2R (rnd m (opposite x) q) = (- D2R (rnd m x q))%R.
Proof.
  intros H. rewrite !rnd_correct, D2R_opposite. destruct m; try contradiction; cbn [Zrnd].
  - apply round_ZR_opp.
  - apply round_NE_opp.
  - apply round_NA_opp.
  - unfold Generic_fmt.round. rewrite cexp_opp, scaled_mantissa_opp, Zrnd_odd_opp. apply F2R_Zopp.
  - apply round_AW_opp.
  - apply round_N0_opp.
  - rewrite round_N_opp. f_equal. apply round_ext. intros z. unfold Znearest. destruct Rcompare; try reflexivity.
    now rewrite Z.even_opp, Z.even_add, <- Z.negb_odd; destruct (Z.odd (Zfloor z)).
Qed.

(** ** When F cuts nothing *)

(** A term that is a multiple of its last kept bit. *)
Definition kept_whole (E : Z) (t : term) : Prop :=
  ch_drop (t_child t) = None /\
  match ch_F (t_child t) with
  | None => True
  | Some F => exists k, real_of t = F2R (Float radix2 k (E - F))
  end.

Lemma aligned_whole E t : finite_term t -> kept_whole E t -> D2R (aligned E t) = real_of t.
Proof.
  intros (v & e & s & Hn) (Hd & HF). unfold aligned, real_of in *. rewrite Hn in *. rewrite Hd. cbn [value_of] in *.
  rewrite orb_false_r. destruct (is_zero v) eqn:Z.
  - rewrite D2R_zero. symmetry. now apply is_zero_correct.
  - destruct (ch_F (t_child t)) as [F|]; [|reflexivity]. destruct HF as [k HF]. now apply (rnd_multiple _ _ _ k).
Qed.

Theorem nothing_cut u children terms E : simple_fuse u -> Forall finite_term terms ->
  common_exponent u terms = Some E -> Forall (kept_whole E) terms ->
  D2R (value_of (fuse u children terms)) = Rsum (map real_of terms).
Proof.
  intros Hu H HE HK. rewrite (simple_fuse_value u children terms E Hu H HE). f_equal.
  apply map_ext_in. intros t Ht. apply aligned_whole; [exact (proj1 (Forall_forall _ _) H t Ht)|exact (proj1 (Forall_forall _ _) HK t Ht)].
Qed.

(** ** The error of one block *)

Lemma Rsum_difference {A} (f g : A -> R) l :
  (Rsum (map f l) - Rsum (map g l))%R = Rsum (map (fun x => f x - g x)%R l).
Proof. unfold Rsum. induction l as [|x l IH]; cbn; [ring|]. rewrite <- IH. ring. Qed.

Lemma Rsum_bound {A} (f : A -> R) l b : Forall (fun x => (Rabs (f x) <= b)%R) l ->
  (Rabs (Rsum (map f l)) <= INR (length l) * b)%R.
Proof.
  intros H. induction H as [|x l Hx Hl IH].
  - cbn. rewrite Rabs_R0. lra.
  - change (Rsum (map f (x :: l))) with (f x + Rsum (map f l))%R. change (length (x :: l)) with (S (length l)).
    rewrite S_INR. eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

(** The child keeps F bits, in any mode. *)
Definition keeps (F : Z) (t : term) : Prop := ch_drop (t_child t) = None /\ ch_F (t_child t) = Some F.

Lemma aligned_rnd E F t : finite_term t -> keeps F t ->
  D2R (aligned E t) = D2R (rnd (ch_mode (t_child t)) (value_of (t_number t)) (E - F)).
Proof.
  intros (v & e & s & Hn) (Hd & HF). unfold aligned. rewrite Hn, Hd, HF. cbn [value_of].
  rewrite orb_false_r. destruct (is_zero v) eqn:Z; [|reflexivity].
  apply is_zero_correct in Z. rewrite rnd_correct, Z, round_0 by apply valid_Zrnd. apply D2R_zero.
Qed.

(** A truncated sum is the sum of Flocq's roundings of the terms to multiples of 2^(E − F). *)
Theorem truncated_sum u children terms E F : simple_fuse u -> Forall finite_term terms ->
  common_exponent u terms = Some E -> Forall (keeps F) terms ->
  D2R (value_of (fuse u children terms)) =
  Rsum (map (fun t => Generic_fmt.round radix2 (FIX_exp (E - F)) (Zrnd (ch_mode (t_child t))) (real_of t)) terms).
Proof.
  intros Hu H HE HK. rewrite (simple_fuse_value u children terms E Hu H HE). f_equal. apply map_ext_in. intros t Ht.
  rewrite (aligned_rnd E F t); [|exact (proj1 (Forall_forall _ _) H t Ht)|exact (proj1 (Forall_forall _ _) HK t Ht)].
  apply rnd_correct.
Qed.

(** n terms are off by less than n units of the last kept bit: by at most half as much to nearest. *)
Theorem truncation_error u children terms E F : simple_fuse u -> Forall finite_term terms ->
  common_exponent u terms = Some E -> Forall (keeps F) terms ->
  (Rabs (D2R (value_of (fuse u children terms)) - Rsum (map real_of terms)) <=
   INR (length terms) * bpow radix2 (E - F))%R.
Proof.
  intros Hu H HE HK. rewrite (simple_fuse_value u children terms E Hu H HE), Rsum_difference.
  apply Rsum_bound. apply Forall_forall. intros t Ht.
  rewrite (aligned_rnd E F t); [|exact (proj1 (Forall_forall _ _) H t Ht)|exact (proj1 (Forall_forall _ _) HK t Ht)].
  apply Rlt_le. apply rnd_error.
Qed.

Theorem truncation_error_nearest u children terms E F : simple_fuse u ->
  Forall (fun t => nearest (ch_mode (t_child t))) terms ->
  Forall finite_term terms -> common_exponent u terms = Some E -> Forall (keeps F) terms ->
  (Rabs (D2R (value_of (fuse u children terms)) - Rsum (map real_of terms)) <=
   INR (length terms) * (/ 2 * bpow radix2 (E - F)))%R.
Proof.
  intros Hu Hm H HE HK. rewrite (simple_fuse_value u children terms E Hu H HE), Rsum_difference.
  apply Rsum_bound. apply Forall_forall. intros t Ht.
  rewrite (aligned_rnd E F t); [|exact (proj1 (Forall_forall _ _) H t Ht)|exact (proj1 (Forall_forall _ _) HK t Ht)].
  apply rnd_error_nearest. exact (proj1 (Forall_forall _ _) Hm t Ht).
Qed.

(** ** Carry bits *)

Lemma units_floor x q : units x q = Zfloor (D2R x * bpow radix2 (- q)).
Proof.
  unfold units. destruct (Z.leb_spec q (scale x)) as [L|L].
  - rewrite <- (scaled_up x q L), Rmult_assoc, <- bpow_plus, Z.add_opp_diag_r, Rmult_1_r. now rewrite Zfloor_IZR.
  - symmetry. rewrite <- Zfloor_div by (pose proof (pow2_pos (q - scale x)); lia). f_equal.
    unfold D2R, F2R; cbn. rewrite IZR_pow2 by lia. unfold Rdiv. rewrite <- bpow_opp, Rmult_assoc, <- bpow_plus.
    do 2 f_equal. lia.
Qed.

(** A register of W bits shows what it can hold, and nothing else. *)
Lemma wrapped_holds W q S k : 0 < W -> D2R S = F2R (Float radix2 k q) -> - 2 ^ (W - 1) <= k < 2 ^ (W - 1) ->
  D2R (wrapped W q S) = D2R S.
Proof.
  intros HW HS Hk. unfold wrapped. rewrite (units_correct S k q HS), !pow2_correct.
  assert (P : 2 ^ W = 2 * 2 ^ (W - 1)) by (replace W with (1 + (W - 1)) at 1 by ring; rewrite Z.pow_add_r by lia; reflexivity).
  rewrite Z.mod_small by lia. rewrite HS. unfold D2R; cbn. f_equal. f_equal. ring.
Qed.

Lemma wrapped_range W q S : 0 < W -> (D2R (wrapped W q S) < bpow radix2 (W - 1 + q))%R.
Proof.
  intros HW. unfold wrapped, D2R, F2R; cbn [num scale Fnum Fexp]. rewrite bpow_plus.
  apply Rmult_lt_compat_r; [apply bpow_gt_0|]. rewrite <- IZR_pow2 by lia. apply IZR_lt. rewrite !pow2_correct.
  assert (P : 2 ^ W = 2 * 2 ^ (W - 1)) by (replace W with (1 + (W - 1)) at 1 by ring; rewrite Z.pow_add_r by lia; reflexivity).
  pose proof (Z.mod_pos_bound (units S q + 2 ^ (W - 1)) (2 ^ W)). pose proof (Z.pow_pos_nonneg 2 (W - 1)). lia.
Qed.

(** The sum of terms that keep F bits is a multiple of the last. *)
Lemma sum_multiple E F terms : Forall finite_term terms -> Forall (keeps F) terms ->
  exists k, Rsum (map (fun t => D2R (aligned E t)) terms) = F2R (Float radix2 k (E - F)).
Proof.
  intros H HK. induction terms as [|t l IH].
  - exists 0. symmetry. apply F2R_0.
  - inversion H; inversion HK; subst. destruct IH as [k IH]; [assumption..|].
    assert (G : generic_format radix2 (FIX_exp (E - F)) (D2R (aligned E t))).
    { rewrite (aligned_rnd E F t) by assumption. rewrite rnd_correct.
      apply generic_format_round; auto with typeclass_instances. }
    apply FIX_format_generic in G. destruct G as [[n e] G1 G2]. cbn in G2. subst e.
    exists (n + k). change (D2R (aligned E t) + Rsum (map (fun t => D2R (aligned E t)) l) = F2R (Float radix2 (n + k) (E - F)))%R.
    rewrite IH, G1. unfold F2R; cbn. rewrite plus_IZR. ring.
Qed.

(** A number is below 2^b relative to its exponent: b = 2 for a product as it is multiplied, b = 1 for c and for a
    normalised product. *)
Definition below_power (b E : Z) (t : term) : Prop := (Rabs (real_of t) <= bpow radix2 (E + b))%R.

(** n terms below 2^(E+2) and one below 2^(E+1) need w carry bits with 2n + 1 ≤ 2^(w+1): 3 for 4 products and c. *)
Theorem carry_enough E F w products c : 0 <= F -> 0 <= w ->
  2 * Z.of_nat (length products) + 1 <= 2 ^ (w + 1) ->
  Forall finite_term (products ++ [c]) -> Forall (keeps F) (products ++ [c]) ->
  Forall (below_power 2 E) products -> below_power 1 E c ->
  let S := sum (map (aligned E) (products ++ [c])) in
  D2R (wrapped (1 + w + 2 + F) (E - F) S) = D2R S.
Proof.
  intros HF Hw Hn Hfin Hk Hp Hc S.
  destruct (sum_multiple E F _ Hfin Hk) as [k Hsum].
  assert (HS : D2R S = F2R (Float radix2 k (E - F))) by (unfold S; now rewrite D2R_sum, map_map).
  apply (wrapped_holds _ _ _ k); [lia|exact HS|]. replace (1 + w + 2 + F - 1) with (w + 2 + F) by ring.
  assert (A : forall b t, 0 <= b -> finite_term t -> keeps F t -> below_power b E t ->
                (Rabs (D2R (aligned E t)) <= bpow radix2 (E + b))%R).
  { intros b t Hb0 Hft Hkt Hb. rewrite (aligned_rnd E F t) by assumption. apply rnd_bound; [lia|].
    destruct Hft as (v & e & s & Hnum). unfold below_power, real_of in Hb. exact Hb. }
  assert (B : (Rabs (D2R S) <= (4 * INR (length products) + 2) * bpow radix2 E)%R).
  { unfold S. rewrite D2R_sum, map_map, map_app. cbn [map].
    assert (AP : forall l y, Rsum (l ++ [y]) = (Rsum l + y)%R).
    { induction l as [|z l IH]; intros y; cbn; [ring|]. unfold Rsum in IH. rewrite IH. ring. }
    rewrite AP. apply Forall_app in Hfin, Hk. destruct Hfin as [F1 F2], Hk as [K1 K2]. inversion F2; inversion K2; subst.
    eapply Rle_trans; [apply Rabs_triang|].
    pose proof (A 1 c ltac:(lia) ltac:(assumption) ltac:(assumption) Hc) as Bc.
    rewrite bpow_plus in Bc. change (bpow radix2 1) with 2%R in Bc.
    assert (Bp : (Rabs (Rsum (map (fun t => D2R (aligned E t)) products)) <= INR (length products) * bpow radix2 (E + 2))%R).
    { apply Rsum_bound. apply Forall_forall. intros t Ht.
      apply (A 2); [lia| | |]; [exact (proj1 (Forall_forall _ _) F1 t Ht)|exact (proj1 (Forall_forall _ _) K1 t Ht)|
                                exact (proj1 (Forall_forall _ _) Hp t Ht)]. }
    rewrite bpow_plus in Bp. change (bpow radix2 2) with 4%R in Bp. lra. }
  assert (Bk : Z.abs k <= (4 * Z.of_nat (length products) + 2) * 2 ^ F).
  { apply le_IZR. rewrite mult_IZR, plus_IZR, mult_IZR, <- INR_IZR_INZ.
    replace (IZR (2 ^ F)) with (bpow radix2 F) by (rewrite <- pow2_correct; symmetry; now apply IZR_pow2).
    apply Rmult_le_reg_r with (bpow radix2 (E - F)); [apply bpow_gt_0|].
    rewrite Rmult_assoc, <- bpow_plus. replace (F + (E - F)) with E by ring.
    rewrite abs_IZR. rewrite HS in B. unfold F2R in B; cbn in B. rewrite Rabs_mult, (Rabs_pos_eq (bpow _ _)) in B by apply bpow_ge_0.
    exact B. }
  assert (P : (4 * Z.of_nat (length products) + 2) * 2 ^ F < 2 ^ (w + 2 + F)).
  { rewrite (Z.pow_add_r 2 (w + 2)) by lia. apply Z.mul_lt_mono_pos_r; [apply Z.pow_pos_nonneg; lia|].
    replace (w + 2) with (1 + (w + 1)) by ring. rewrite Z.pow_add_r by lia. change (2 ^ 1) with 2.
    assert (Ev : exists j, 2 ^ (w + 1) = 2 * j).
    { exists (2 ^ w). replace (w + 1) with (1 + w) by ring. now rewrite Z.pow_add_r by lia. }
    destruct Ev as [j Ej]. lia. }
  lia.
Qed.

Lemma map_repeat {A B} (f : A -> B) x n : map f (repeat x n) = repeat (f x) n.
Proof. induction n as [|n IH]; [reflexivity|]. cbn. now rewrite IH. Qed.

(** One bit less is not enough as soon as F is wide enough to write the largest terms. *)
Theorem carry_one_less_is_not E F w n : 0 <= F -> 0 <= w -> Z.of_nat n + 1 <= 2 ^ (F + 1) ->
  2 ^ (w + 1) < 2 * Z.of_nat n + 1 ->
  let p := Dyadic (4 * 2 ^ F - 1) (E - F) in (* 4·2^E less one unit of the last bit: a product of two large numbers *)
  let c := Dyadic (2 * 2 ^ F - 1) (E - F) in
  let S := sum (repeat p n ++ [c]) in
  D2R (wrapped (1 + w + 2 + F) (E - F) S) <> D2R S.
Proof.
  intros HF Hw Hn Hless p c S.
  assert (HS : D2R S = F2R (Float radix2 ((4 * Z.of_nat n + 2) * 2 ^ F - (Z.of_nat n + 1)) (E - F))).
  { unfold S. rewrite D2R_sum, map_app, map_repeat.
    assert (AP : forall k, Rsum (repeat (D2R p) k ++ [D2R c]) = (INR k * D2R p + D2R c)%R).
    { induction k as [|k IH]; [cbn; ring|]. rewrite S_INR.
      change (repeat (D2R p) (Datatypes.S k)) with (D2R p :: repeat (D2R p) k).
      change (D2R p + Rsum (repeat (D2R p) k ++ [D2R c]) = (INR k + 1) * D2R p + D2R c)%R. rewrite IH. ring. }
    cbn [map]. rewrite AP, INR_IZR_INZ. unfold p, c, D2R, F2R; cbn [num scale Fnum Fexp].
    rewrite <- Rmult_assoc, <- mult_IZR, <- Rmult_plus_distr_r, <- plus_IZR. do 2 f_equal. ring. }
  intros Eq. pose proof (wrapped_range (1 + w + 2 + F) (E - F) S ltac:(lia)) as R. rewrite Eq, HS in R.
  replace (1 + w + 2 + F - 1 + (E - F)) with (w + 2 + F + (E - F)) in R by ring.
  rewrite bpow_plus, <- IZR_pow2, pow2_correct in R by lia. unfold F2R in R; cbn [Fnum Fexp] in R.
  apply Rmult_lt_reg_r in R; [|apply bpow_gt_0]. apply lt_IZR in R.
  rewrite (Z.pow_add_r 2 (w + 2)) in R by lia. replace (w + 2) with (1 + (w + 1)) in R by ring.
  rewrite (Z.pow_add_r 2 1) in R by lia. rewrite Z.pow_add_r in Hn by lia. change (2 ^ 1) with 2 in *.
  nia.
Qed.

(** ** Order within a block *)

Lemma Rsum_permutation l l' : Permutation l l' -> Rsum l = Rsum l'.
Proof. unfold Rsum. induction 1; cbn; lra || congruence. Qed.

Lemma max_option_comm x y z : max_option (max_option x y) z = max_option (max_option x z) y.
Proof. destruct x, y, z; cbn; try reflexivity; f_equal; lia. Qed.

Lemma fold_max_permutation l l' : Permutation l l' -> forall x, fold_left max_option l x = fold_left max_option l' x.
Proof. induction 1; intros z; cbn; [reflexivity|apply IHPermutation|now rewrite max_option_comm|congruence]. Qed.

Lemma common_exponent_permutation u l l' : Permutation l l' -> common_exponent u l = common_exponent u l'.
Proof. intros H. unfold common_exponent. f_equal. apply fold_max_permutation. now apply Permutation_map. Qed.

Lemma existsb_permutation {A} (p : A -> bool) l l' : Permutation l l' -> existsb p l = existsb p l'.
Proof. induction 1; cbn; [reflexivity|now rewrite IHPermutation|destruct (p x), (p y); reflexivity|congruence]. Qed.

Lemma forallb_permutation {A} (p : A -> bool) l l' : Permutation l l' -> forallb p l = forallb p l'.
Proof. induction 1; cbn; [reflexivity|now rewrite IHPermutation|destruct (p x), (p y); reflexivity|congruence]. Qed.

Lemma finite_permutation l l' : Permutation l l' -> Forall finite_term l -> Forall finite_term l'.
Proof. intros P H. now apply (Permutation_Forall P). Qed.

(** The sum, as a register holds it, depends on the real number alone. *)
Lemma wrapped_value W q S S' : D2R S = D2R S' -> wrapped W q S = wrapped W q S'.
Proof. intros H. unfold wrapped. now rewrite !units_floor, H. Qed.

Lemma sticky_value b q S S' : D2R S = D2R S' -> D2R (with_sticky b q S) = D2R (with_sticky b q S').
Proof. intros H. destruct b; [|exact H]. unfold with_sticky. now rewrite !D2R_plus, !is_negative_Rlt_bool, H. Qed.

Lemma combine_map {A B} (f : A -> B) l : combine l (map f l) = map (fun x => (x, f x)) l.
Proof. induction l as [|x l IH]; [reflexivity|]. cbn. now rewrite IH. Qed.

Lemma sign_eqb_eq s t : sign_eqb s t = true <-> s = t.
Proof. destruct s, t; cbn; split; congruence. Qed.

Lemma common_sign_spec l s : s <> Mixed -> (common_sign l = s <-> l <> [] /\ forall x, In x l -> sign_of x = s).
Proof.
  intros N. destruct l as [|x l]; cbn [common_sign].
  - split; [intros H; congruence|intros [H _]; congruence].
  - destruct (forallb _ l) eqn:F.
    + rewrite forallb_forall in F. split.
      * intros H. split; [discriminate|]. intros y [<-|Hy]; [exact H|]. specialize (F y Hy). apply sign_eqb_eq in F. congruence.
      * intros [_ H]. apply H. now left.
    + split; [congruence|]. intros [_ H]. exfalso. apply Bool.not_true_iff_false in F. apply F.
      apply forallb_forall. intros y Hy. apply sign_eqb_eq. rewrite !H by (cbn; auto). reflexivity.
Qed.

Lemma common_sign_permutation l l' : Permutation l l' -> common_sign l = common_sign l'.
Proof.
  intros P.
  assert (G : forall s, s <> Mixed -> common_sign l = s <-> common_sign l' = s).
  { intros s N. rewrite !common_sign_spec by exact N. split; intros [H1 H2]; split.
    - intros ->. apply H1. now apply Permutation_sym, Permutation_nil in P.
    - intros x Hx. apply H2. now apply (Permutation_in x (Permutation_sym P)).
    - intros ->. apply H1. now apply Permutation_nil in P.
    - intros x Hx. apply H2. now apply (Permutation_in x P). }
  destruct (common_sign l) eqn:C; [symmetry; now apply (G Plus)|symmetry; now apply (G Minus)|].
  destruct (common_sign l') eqn:C'; [|  |reflexivity].
  - assert (Mixed = Plus) by (now apply (G Plus)). discriminate.
  - assert (Mixed = Minus) by (now apply (G Minus)). discriminate.
Qed.

(** The order of the terms of a fuse without a frame does not matter: the same value, exponent and zero sign. *)
Theorem order_does_not_matter u children terms terms' : u_frame u = NoFrame -> Permutation terms terms' ->
  Forall finite_term terms ->
  exists S S' e s, fuse u children terms = Finite S e s /\ fuse u children terms' = Finite S' e s /\ D2R S = D2R S'.
Proof.
  intros Hf P H. assert (H' := finite_permutation _ _ P H).
  pose proof (common_exponent_permutation u _ _ P) as HE.
  unfold fuse. rewrite !finite_no_special by assumption. rewrite <- HE.
  assert (CS : common_sign (map t_number terms) = common_sign (map t_number terms'))
    by (apply common_sign_permutation; now apply Permutation_map).
  destruct (common_exponent u terms) as [E|].
  - do 4 eexists. split; [reflexivity|]. rewrite !in_frame_none by exact Hf. split.
    + f_equal. unfold zero_sum_sign. rewrite CS.
      now rewrite (forallb_permutation is_zero _ _ (Permutation_map (aligned E) P)).
    + unfold register.
      assert (V : D2R (sum (map (aligned E) terms)) = D2R (sum (map (aligned E) terms'))).
      { rewrite !D2R_sum. apply Rsum_permutation. now repeat apply Permutation_map. }
      assert (W : D2R (match u_carry u with Some w => wrapped (1 + w + 2 + largest_F children) (E - largest_F children)
                                                        (sum (map (aligned E) terms)) | None => sum (map (aligned E) terms) end) =
                  D2R (match u_carry u with Some w => wrapped (1 + w + 2 + largest_F children) (E - largest_F children)
                                                        (sum (map (aligned E) terms')) | None => sum (map (aligned E) terms') end)).
      { destruct (u_carry u) as [w|]; [|exact V]. f_equal. now apply wrapped_value. }
      destruct (u_sticky u); [|exact W]. rewrite !combine_map.
      rewrite (existsb_permutation _ _ _ (Permutation_map (fun t => (t, aligned E t)) P)).
      now apply sticky_value.
  - do 4 eexists. split; [reflexivity|]. rewrite CS. now split.
Qed.

(** ** Zero terms *)

(** A zero product with zero=ignore, the default, changes neither the exponent nor the sum. *)
Theorem zero_term_is_neutral u children t terms : simple_fuse u -> Forall finite_term terms ->
  is_zero_number (t_number t) = true -> ch_zero (t_child t) = Ignore ->
  common_exponent u (t :: terms) = common_exponent u terms /\
  D2R (value_of (fuse u children (t :: terms))) = D2R (value_of (fuse u children terms)).
Proof.
  intros Hu H Hz Hi.
  assert (Ft : finite_term t).
  { unfold is_zero_number in Hz. unfold finite_term. destruct (t_number t); try discriminate. now do 3 eexists. }
  assert (TP : takes_part t = None).
  { destruct Ft as (v & e & s & Hn). unfold takes_part. rewrite Hn in *. cbn in Hz. now rewrite Hz, Hi. }
  assert (CE : common_exponent u (t :: terms) = common_exponent u terms).
  { unfold common_exponent. cbn [map fold_left]. rewrite TP. do 2 f_equal. now destruct (u_floor u). }
  split; [exact CE|].
  destruct (common_exponent u terms) as [E|] eqn:HE.
  - rewrite !(simple_fuse_value u children _ E) by (try assumption; now constructor).
    change (D2R (aligned E t) + Rsum (map (fun t => D2R (aligned E t)) terms) =
            Rsum (map (fun t => D2R (aligned E t)) terms))%R.
    replace (aligned E t) with zero; [rewrite D2R_zero; ring|].
    destruct Ft as (v & e & s & Hn). unfold aligned. rewrite Hn in *. cbn in Hz. now rewrite Hz.
  - unfold fuse. rewrite !finite_no_special by (try assumption; now constructor). now rewrite CE, HE.
Qed.

(** ** Negation *)

Definition negated (t : term) : term :=
  Term (t_child t) (t_is_c t)
       (match t_number t with
        | Finite v e s => Finite (opposite v) e (match s with Plus => Minus | Minus => Plus | Mixed => Mixed end)
        | x => x
        end).

Lemma is_zero_opposite v : is_zero (opposite v) = is_zero v.
Proof. unfold is_zero, opposite; cbn. destruct (num v); reflexivity. Qed.

(** All terms negated, the sum is, if the modes of the children are symmetric. *)
Theorem negation u children terms : simple_fuse u -> Forall finite_term terms ->
  Forall (fun t => symmetric (ch_mode (t_child t))) terms ->
  common_exponent u (map negated terms) = common_exponent u terms /\
  D2R (value_of (fuse u children (map negated terms))) = (- D2R (value_of (fuse u children terms)))%R.
Proof.
  intros Hu H Hm.
  assert (TP : map takes_part (map negated terms) = map takes_part terms).
  { rewrite map_map. apply map_ext_in. intros t Ht. apply (proj1 (Forall_forall _ _) H) in Ht.
    destruct Ht as (v & e & s & Hn). unfold takes_part, negated; cbn. rewrite Hn. now rewrite is_zero_opposite. }
  assert (CE : common_exponent u (map negated terms) = common_exponent u terms) by (unfold common_exponent; now rewrite TP).
  split; [exact CE|].
  assert (H' : Forall finite_term (map negated terms)).
  { apply Forall_map. eapply Forall_impl; [|exact H]. intros t (v & e & s & Hn). unfold finite_term, negated; cbn. rewrite Hn.
    now do 3 eexists. }
  destruct (common_exponent u terms) as [E|] eqn:HE.
  - rewrite (simple_fuse_value u children (map negated terms) E Hu H' CE), (simple_fuse_value u children terms E Hu H HE).
    rewrite map_map.
    assert (A : forall t, finite_term t -> symmetric (ch_mode (t_child t)) ->
                D2R (aligned E (negated t)) = (- D2R (aligned E t))%R).
    { intros t (v & e & s & Hn) Hs. unfold aligned, negated; cbn. rewrite Hn, is_zero_opposite.
      destruct (is_zero v || _); [rewrite D2R_zero; ring|].
      destruct (ch_F (t_child t)); [now apply rnd_opposite|apply D2R_opposite]. }
    clear -A H Hm. unfold Rsum. induction terms as [|t l IH]; cbn; [ring|]. inversion H; inversion Hm; subst.
    rewrite IH, A by assumption. ring.
  - unfold fuse. rewrite !finite_no_special by assumption. rewrite CE, HE. cbn. rewrite D2R_zero. ring.
Qed.

(** ** Double rounding *)

Lemma exists_NE_FIX q : Exists_NE radix2 (FIX_exp q).
Proof. right. unfold FIX_exp. intros e. split; [now intros|now intros]. Qed.

(** Rounding to odd with two more bits, and then to nearest even, is rounding once. *)
Theorem odd_then_nearest x q k : k + 2 <= q ->
  D2R (rnd rne (rnd odd x k) q) = D2R (rnd rne x q).
Proof.
  intros H. rewrite !rnd_correct. cbn [Zrnd].
  apply (@round_N_odd radix2 eq_refl _ _ _ (FIX_exp_valid q) (exists_NE_FIX q) (FIX_exp_valid k) (exists_NE_FIX k)).
  unfold FIX_exp. lia.
Qed.

(** x rounded to M fraction bits with the smallest exponent emin: what a round does before it looks at the range. *)
Definition to_format (m : mode) (M emin : Z) (x : dyadic) : dyadic := rnd m x (Z.max (lg x) emin - M).

Lemma to_format_correct m M emin x : 0 <= M ->
  D2R (to_format m M emin x) = Generic_fmt.round radix2 (FLT_exp (emin - M) (M + 1)) (Zrnd m) (D2R x).
Proof.
  intros HM. destruct (Req_dec (D2R x) 0) as [Z|Z]; [|now apply rnd_FLT].
  unfold to_format. rewrite rnd_correct, Z, !round_0 by apply valid_Zrnd. reflexivity.
Qed.

(** The opposite of a number is rounded to the opposite, in a symmetric mode. *)
Theorem to_format_opposite m M emin x : symmetric m ->
  D2R (to_format m M emin (opposite x)) = (- D2R (to_format m M emin x))%R.
Proof.
  intros H. unfold to_format.
  replace (lg (opposite x)) with (lg x) by (unfold lg, opposite; cbn [num scale]; now rewrite Z.abs_opp).
  now apply rnd_opposite.
Qed.

(** To odd in a format with two more bits at both ends, and then to nearest even: the same as once, for every number. *)
Theorem odd_then_nearest_format x M emin M' emin' : 0 < M -> M + 2 <= M' -> emin' - M' <= emin - M - 2 ->
  D2R (to_format rne M emin (to_format odd M' emin' x)) = D2R (to_format rne M emin x).
Proof.
  intros HM H1 H2. rewrite !to_format_correct by lia. cbn [Zrnd].
  assert (P : FLX.Prec_gt_0 (M + 1)) by (unfold FLX.Prec_gt_0; lia).
  assert (P' : FLX.Prec_gt_0 (M' + 1)) by (unfold FLX.Prec_gt_0; lia).
  assert (N : forall e p, 1 < p -> Exists_NE radix2 (FLT_exp e p)).
  { intros e p Hp. right. unfold FLT_exp. intros z. split; intros; lia. }
  apply (@round_N_odd radix2 eq_refl _ _ _ (FLT_exp_valid _ _) (N (emin - M) (M + 1) ltac:(lia))
           (FLT_exp_valid _ _) (N (emin' - M') (M' + 1) ltac:(lia))).
  unfold FLT_exp. lia.
Qed.

(** The sum of two numbers of a format of precision q = M + 1, rounded to nearest first with precision p = M' + 1 of at
    least 2q + 1 and then with q, is rounded once; so it is with p ≥ 2q + 2. *)
Theorem double_rounding_of_a_sum v w M emin M' emin' : 0 < M -> 2 * (M + 1) + 1 <= M' + 1 -> emin' - M' <= emin - M ->
  FLT_format radix2 (emin - M) (M + 1) (D2R v) -> FLT_format radix2 (emin - M) (M + 1) (D2R w) ->
  D2R (to_format rne M emin (to_format rne M' emin' (plus v w))) = D2R (to_format rne M emin (plus v w)).
Proof.
  intros HM H1 H2 Fv Fw. rewrite !to_format_correct, D2R_plus by lia. cbn [Zrnd].
  assert (P : FLX.Prec_gt_0 (M + 1)) by (unfold FLX.Prec_gt_0; lia).
  assert (P' : FLX.Prec_gt_0 (M' + 1)) by (unfold FLX.Prec_gt_0; lia).
  now apply round_round_plus_FLT.
Qed.

(** The product of two such numbers, in any mode, with p ≥ 2q. *)
Theorem double_rounding_of_a_product m v w M emin M' emin' : 0 < M -> 2 * (M + 1) <= M' + 1 ->
  emin' - M' <= 2 * (emin - M) ->
  FLT_format radix2 (emin - M) (M + 1) (D2R v) -> FLT_format radix2 (emin - M) (M + 1) (D2R w) ->
  D2R (to_format m M emin (to_format m M' emin' (times v w))) = D2R (to_format m M emin (times v w)).
Proof.
  intros HM H1 H2 Fv Fw. rewrite !to_format_correct, D2R_times by lia.
  apply round_round_mult_FLT; auto with typeclass_instances.
Qed.

(** ** Monotonicity *)

(** Rounding to a format without a largest number keeps the order. *)
Theorem to_format_monotone M emin m x y : 0 <= M -> (D2R x <= D2R y)%R ->
  (D2R (to_format m M emin x) <= D2R (to_format m M emin y))%R.
Proof.
  intros HM H. rewrite !to_format_correct by exact HM.
  assert (P : FLX.Prec_gt_0 (M + 1)) by (unfold FLX.Prec_gt_0; lia).
  apply round_le; auto with typeclass_instances.
Qed.
