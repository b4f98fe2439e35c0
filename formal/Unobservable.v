(** * Truncations that cannot be observed

    What two rules of the encoder rest on (encodings/number/folding.hpp), for every format, mode and number of bits:
    [align_as_outer], rounding down twice, and [beside_ties], a truncation of the smaller of two terms so far down that
    their rounded sum is the same. *)

From Coq Require Import ZArith Bool Reals Lia Lra.
From Flocq Require Import Core Round_odd.
From Discern Require Import Notation Real Laws.
Open Scope Z_scope.

(** ** Down, and down again *)

Definition down_or_up (m : mode) : Prop := m = rd \/ m = ru.

Lemma Zfloor_coarser z h : 0 <= h -> Zfloor (IZR (Zfloor z) * bpow radix2 (- h)) = Zfloor (z * bpow radix2 (- h)).
Proof.
  intros H. pose proof (bpow_gt_0 radix2 (- h)) as P.
  apply Zfloor_imp. rewrite plus_IZR. split.
  - (* the floor of the coarser one is a multiple of the finer unit *)
    set (g := Zfloor (z * bpow radix2 (- h))).
    assert (G : IZR g = (IZR (g * 2 ^ h) * bpow radix2 (- h))%R).
    { rewrite mult_IZR. change (IZR (2 ^ h)) with (IZR (Zpower radix2 h)). rewrite IZR_Zpower by exact H.
      rewrite Rmult_assoc, <- bpow_plus. replace (h + - h) with 0 by ring. cbn. ring. }
    rewrite G. apply Rmult_le_compat_r; [lra|]. apply IZR_le. apply Zfloor_lub.
    apply Rmult_le_reg_r with (1 := P). rewrite <- G. apply Zfloor_lb.
  - apply Rle_lt_trans with (z * bpow radix2 (- h))%R.
    + apply Rmult_le_compat_r; [lra|]. apply Zfloor_lb.
    + apply Zfloor_ub.
Qed.

Lemma round_down_FIX q x : Generic_fmt.round radix2 (FIX_exp q) Zfloor x = (IZR (Zfloor (x * bpow radix2 (- q))) * bpow radix2 q)%R.
Proof. reflexivity. Qed.

Lemma down_twice k q x : k <= q ->
  Generic_fmt.round radix2 (FIX_exp q) Zfloor (Generic_fmt.round radix2 (FIX_exp k) Zfloor x) =
  Generic_fmt.round radix2 (FIX_exp q) Zfloor x.
Proof.
  intros H. rewrite !round_down_FIX. do 2 f_equal.
  rewrite Rmult_assoc, <- bpow_plus. replace (k + - q) with (- (q - k)) by ring.
  rewrite Zfloor_coarser by lia. f_equal. rewrite Rmult_assoc, <- bpow_plus. do 2 f_equal. ring.
Qed.

Lemma up_is_down q x : Generic_fmt.round radix2 (FIX_exp q) Zceil x = (- Generic_fmt.round radix2 (FIX_exp q) Zfloor (- x))%R.
Proof. rewrite <- (Ropp_involutive x) at 1. apply round_UP_opp. Qed.

(** Rounding down to a multiple of a finer and then of a coarser power of two is rounding down once. *)
Theorem rounded_down_twice m x k q : down_or_up m -> k <= q -> D2R (rnd m (rnd m x k) q) = D2R (rnd m x q).
Proof.
  intros [-> | ->] H; rewrite !rnd_correct; cbn [Zrnd].
  - now apply down_twice.
  - rewrite !up_is_down, Ropp_involutive. f_equal. now apply down_twice.
Qed.

Lemma down_of_sum_with_multiple k n x :
  Generic_fmt.round radix2 (FIX_exp k) Zfloor (IZR n * bpow radix2 k + x) =
  (IZR n * bpow radix2 k + Generic_fmt.round radix2 (FIX_exp k) Zfloor x)%R.
Proof.
  rewrite !round_down_FIX. rewrite Rmult_plus_distr_r.
  rewrite Rmult_assoc, <- bpow_plus. replace (k + - k) with 0 by ring. cbn [bpow]. rewrite Rmult_1_r.
  set (s := (x * bpow radix2 (- k))%R).
  replace (Zfloor (IZR n + s)) with (n + Zfloor s).
  - rewrite plus_IZR. ring.
  - symmetry. apply Zfloor_imp. rewrite !plus_IZR. pose proof (Zfloor_lb s). pose proof (Zfloor_ub s). lra.
Qed.

(** [align_as_outer]: two terms rounded down, to multiples of 2^k1 and 2^k2, and their sum rounded down to one of 2^q. If
    one of them is a multiple of 2^k with k1, k2 ≤ k ≤ q, both may be rounded down to a multiple of 2^k to begin with.
    (E is the exponent of that one, which loses nothing where F bits are kept, k = E − F; the sum is aligned by an
    exponent of at least E.) *)
Theorem align_as_outer m x y n k1 k2 k q : down_or_up m -> k1 <= k -> k2 <= k -> k <= q ->
  D2R x = F2R (Float radix2 n k) ->
  D2R (rnd m (plus (rnd m x k1) (rnd m y k2)) q) = D2R (rnd m (plus (rnd m x k) (rnd m y k)) q).
Proof.
  intros W H1 H2 H3 X.
  assert (F1 : D2R (rnd m x k1) = D2R x).
  { apply rnd_multiple with (k := n * 2 ^ (k - k1)). rewrite X. apply F2R_change_exp. exact H1. }
  assert (F2 : D2R (rnd m x k) = D2R x) by (now apply rnd_multiple with (k := n)).
  rewrite <- (rounded_down_twice m (plus (rnd m x k1) (rnd m y k2)) k q) by assumption.
  rewrite !rnd_correct, !D2R_plus, F1, F2, !rnd_correct, X. unfold F2R; cbn [Fnum Fexp]. f_equal.
  destruct W as [-> | ->]; cbn [Zrnd].
  - rewrite down_of_sum_with_multiple. f_equal. now apply down_twice.
  - rewrite !up_is_down, Ropp_plus_distr, Ropp_involutive.
    replace (- (IZR n * bpow radix2 k))%R with (IZR (- n) * bpow radix2 k)%R by (rewrite opp_IZR; ring).
    rewrite down_of_sum_with_multiple, down_twice by assumption. rewrite opp_IZR. ring.
Qed.

(** ** Between two multiples of half of the last place *)

(** Between two neighbouring halves every mode rounds to the same integer. *)
Lemma Zrnd_between_halves m h s : (IZR h / 2 < s < IZR (h + 1) / 2)%R -> Zrnd m s = Zrnd m (IZR h / 2 + / 4)%R.
Proof.
  assert (G : forall s, (IZR h / 2 < s < IZR (h + 1) / 2)%R ->
    Zfloor s = h / 2 /\ Zceil s = h / 2 + 1 /\ (IZR (h / 2) < s)%R /\
    Rlt_bool s 0 = (h <? 0) /\ Rcompare (s - IZR (h / 2)) (/ 2) = if Z.even h then Lt else Gt).
  { intros z [L U]. pose proof (Z.div_mod h 2 ltac:(lia)) as D. pose proof (Z.mod_pos_bound h 2 ltac:(lia)) as B.
    set (f := h / 2) in *. set (r := h mod 2) in *.
    assert (DR : IZR h = (2 * IZR f + IZR r)%R) by (rewrite D, plus_IZR, mult_IZR; reflexivity).
    rewrite plus_IZR in U.
    assert (R01 : r = 0 \/ r = 1) by lia.
    assert (L' : (IZR f < z)%R) by (destruct R01 as [E|E]; rewrite E in DR; lra).
    assert (U' : (z < IZR f + 1)%R) by (destruct R01 as [E|E]; rewrite E in DR; lra).
    split; [apply Zfloor_imp; rewrite plus_IZR; lra|].
    split; [apply Zceil_imp; rewrite plus_IZR; replace (f + 1 - 1) with f by ring; lra|].
    split; [exact L'|]. split.
    - destruct (Z.ltb_spec h 0) as [N|N].
      + apply Rlt_bool_true. assert (IZR (h + 1) <= 0)%R by (apply IZR_le; lia). rewrite plus_IZR in H. lra.
      + apply Rlt_bool_false. assert (0 <= IZR h)%R by (apply IZR_le; lia). lra.
    - destruct R01 as [E|E]; rewrite E in DR, D.
      + replace (Z.even h) with true by (symmetry; apply Z.even_spec; exists f; lia). apply Rcompare_Lt. lra.
      + replace (Z.even h) with false; [apply Rcompare_Gt; lra|].
        symmetry. rewrite <- Z.negb_odd. apply negb_false_iff. apply Z.odd_spec. exists f. lia. }
  intros H. destruct (G s H) as (F1 & C1 & L1 & S1 & R1).
  destruct (G (IZR h / 2 + / 4)%R) as (F2 & C2 & L2 & S2 & R2); [rewrite plus_IZR; lra|].
  assert (N : forall c z, Zfloor z = h / 2 -> Zceil z = h / 2 + 1 ->
    Rcompare (z - IZR (h / 2)) (/ 2) = (if Z.even h then Lt else Gt) ->
    Znearest c z = if Z.even h then h / 2 else h / 2 + 1).
  { intros c z Fz Cz Rz. unfold Znearest. rewrite Fz, Rz, Cz. now destruct (Z.even h). }
  destruct m; cbn [Zrnd].
  - unfold Ztrunc. now rewrite S1, S2, F1, F2, C1, C2.
  - congruence.
  - congruence.
  - now rewrite !N by congruence.
  - now rewrite !N by congruence.
  - unfold Zrnd_odd. rewrite F1, F2, C1, C2.
    destruct (Req_EM_T s (IZR (h / 2))); [lra|]. destruct (Req_EM_T _ (IZR (h / 2))); [lra|]. reflexivity.
  - unfold Zaway. now rewrite S1, S2, F1, F2, C1, C2.
  - now rewrite !N by congruence.
  - now rewrite !N by congruence.
  - now rewrite !N by congruence.
  - now rewrite !N by congruence.
Qed.

Section Result.

Variables M emin j : Z.
Hypothesis HM : 0 <= M.
Notation fexp := (FLT_exp (emin - M) (M + 1)).
Local Instance prec_pos : FLX.Prec_gt_0 (M + 1). Proof. unfold FLX.Prec_gt_0. lia. Qed.

(** z is between the n-th and the next multiple of 2^j. *)
Definition between (n : Z) (z : R) : Prop := (IZR n * bpow radix2 j < z < IZR (n + 1) * bpow radix2 j)%R.

Lemma power_is_multiple e : j <= e -> bpow radix2 e = (IZR (2 ^ (e - j)) * bpow radix2 j)%R.
Proof.
  intros H. change (IZR (2 ^ (e - j))) with (IZR (Zpower radix2 (e - j))). rewrite IZR_Zpower by lia.
  rewrite <- bpow_plus. f_equal. ring.
Qed.

Lemma below_multiple a b : (IZR a * bpow radix2 j < IZR b * bpow radix2 j)%R -> a < b.
Proof. intros H. apply lt_IZR. apply Rmult_lt_reg_r with (2 := H). apply bpow_gt_0. Qed.

Lemma multiple_below a b : a <= b -> (IZR a * bpow radix2 j <= IZR b * bpow radix2 j)%R.
Proof. intros H. apply Rmult_le_compat_r; [apply bpow_ge_0|]. now apply IZR_le. Qed.

Lemma same_powers n z z' e : j <= e -> between n z -> between n z' -> (bpow radix2 e <= Rabs z)%R ->
  (bpow radix2 e <= Rabs z')%R.
Proof.
  intros He [L U] [L' U'] H. rewrite (power_is_multiple e He) in *. set (p := 2 ^ (e - j)) in *.
  destruct (Rle_or_lt 0 z) as [P|P].
  - rewrite Rabs_pos_eq in H by exact P.
    assert (p < n + 1) by (apply below_multiple; lra).
    apply Rle_trans with z'; [|apply Rle_abs]. apply Rle_trans with (IZR n * bpow radix2 j)%R; [|lra].
    apply multiple_below. lia.
  - rewrite Rabs_left in H by exact P.
    assert (Q : p < - n).
    { apply below_multiple. rewrite opp_IZR. lra. }
    rewrite <- Rabs_Ropp. apply Rle_trans with (- z')%R; [|apply Rle_abs].
    apply Rle_trans with (IZR (- (n + 1)) * bpow radix2 j)%R; [apply multiple_below; lia|]. rewrite opp_IZR. lra.
Qed.

Lemma between_nonzero n z : between n z -> z <> 0%R.
Proof.
  intros [L U] Z. rewrite Z in *. replace 0%R with (IZR 0 * bpow radix2 j)%R in L, U by ring.
  apply below_multiple in L, U. lia.
Qed.

Lemma mag_at_least n z z' : between n z -> between n z' -> j <= mag radix2 z - 1 ->
  mag radix2 z <= mag radix2 z'.
Proof.
  intros B B' H. pose proof (between_nonzero n z B) as N.
  assert (mag radix2 z - 1 < mag radix2 z'); [|lia].
  apply (lt_bpow radix2). apply Rle_lt_trans with (Rabs z'); [|apply bpow_mag_gt].
  apply (same_powers n z z'); try assumption. now apply bpow_mag_le.
Qed.

(** Half of the last place of what z is rounded to is a multiple of 2^j: of results of at least 2^(j + M + 1), and of all,
    if the least number is a multiple of 2^(j + 1). *)
Definition fine (z : R) : Prop := j + 1 <= cexp radix2 fexp z.

Lemma fine_where_large z : (bpow radix2 (j + M + 1) <= Rabs z)%R -> fine z.
Proof.
  intros H. unfold fine, cexp, FLT_exp.
  assert (j + M + 1 < mag radix2 z); [|lia]. apply (lt_bpow radix2). apply Rle_lt_trans with (1 := H). apply bpow_mag_gt.
Qed.

Lemma fine_where_subnormal z : j + 1 <= emin - M -> fine z.
Proof. unfold fine, cexp, FLT_exp. lia. Qed.

Lemma same_cexp n z z' : between n z -> between n z' -> j <= cexp radix2 fexp z ->
  cexp radix2 fexp z' = cexp radix2 fexp z.
Proof.
  unfold cexp, FLT_exp. intros B B' H.
  pose proof (mag_at_least n z z' B B') as G. pose proof (mag_at_least n z' z B' B) as G'.
  destruct (Z.le_gt_cases j (mag radix2 z - 1)) as [A|A], (Z.le_gt_cases j (mag radix2 z' - 1)) as [A'|A']; lia.
Qed.

(** Two numbers between the same multiples of 2^j are rounded to the same, in every mode. *)
Theorem round_between m n z z' : between n z -> between n z' -> fine z ->
  Generic_fmt.round radix2 fexp (Zrnd m) z' = Generic_fmt.round radix2 fexp (Zrnd m) z.
Proof.
  intros B B' H. unfold Generic_fmt.round, scaled_mantissa. unfold fine in H. rewrite (same_cexp n z z') by (assumption || lia).
  set (c := cexp radix2 fexp z) in *. unfold F2R; cbn [Fnum Fexp]. do 2 f_equal.
  pose (K := 2 ^ (c - 1 - j)). assert (K0 : 0 < K) by (apply Z.pow_pos_nonneg; lia).
  assert (HK : forall a, (IZR (a * K) * bpow radix2 j * bpow radix2 (- c) = IZR a / 2)%R).
  { intros a. rewrite mult_IZR. unfold K. change (IZR (2 ^ (c - 1 - j))) with (IZR (Zpower radix2 (c - 1 - j))).
    rewrite IZR_Zpower by lia. rewrite Rmult_assoc, Rmult_assoc, <- !bpow_plus.
    replace (c - 1 - j + (j + - c)) with (-1) by ring. cbn. lra. }
  assert (G : forall y, between n y -> (IZR (n / K) / 2 < y * bpow radix2 (- c) < IZR (n / K + 1) / 2)%R).
  { intros y [L U]. rewrite <- !HK. pose proof (Z.div_mod n K ltac:(lia)). pose proof (Z.mod_pos_bound n K K0).
    split; apply Rmult_lt_compat_r; try apply bpow_gt_0.
    - apply Rle_lt_trans with (2 := L). apply multiple_below. nia.
    - apply Rlt_le_trans with (1 := U). apply multiple_below. nia. }
  rewrite (Zrnd_between_halves m (n / K) (z * _)), (Zrnd_between_halves m (n / K) (z' * _)) by now apply G. reflexivity.
Qed.

(** Beside a result y, what is nearer than 2^j is rounded to y, to nearest. *)
Theorem round_near_result m b y x : m = rne \/ m = rna ->
  generic_format radix2 fexp y -> y = (IZR b * bpow radix2 j)%R -> (Rabs x < bpow radix2 j)%R -> (x <> 0%R -> fine (y + x)) ->
  Generic_fmt.round radix2 fexp (Zrnd m) (y + x) = y.
Proof.
  intros Hm Fy Y X H. destruct (Req_dec x 0) as [Z|Z].
  { rewrite Z, Rplus_0_r. apply round_generic; [apply valid_Zrnd|exact Fy]. }
  specialize (H Z). pose proof (bpow_gt_0 radix2 j) as P.
  set (v := Generic_fmt.round radix2 fexp (Zrnd m) (y + x)).
  (* all numbers between y and y + x are rounded to v, so that v is as near to y as any of them *)
  assert (D : forall t, (0 < t <= 1)%R -> (Rabs (v - y) <= 2 * t * Rabs x)%R).
  { intros t Ht.
    assert (V : v = Generic_fmt.round radix2 fexp (Zrnd m) (y + t * x)).
    { symmetry. unfold v. destruct (Rlt_or_le 0 x) as [S|S].
      - rewrite Rabs_pos_eq in X by lra. apply (round_between m b); unfold between; [| |exact H];
          rewrite plus_IZR, Rmult_plus_distr_r, Rmult_1_l, <- Y; nra.
      - rewrite Rabs_left in X by lra. apply (round_between m (b - 1)); unfold between; [| |exact H];
          replace (b - 1 + 1) with b by ring; rewrite minus_IZR, Rmult_minus_distr_r, Rmult_1_l, <- Y; nra. }
    assert (N : (Rabs (v - (y + t * x)) <= Rabs (y - (y + t * x)))%R).
    { rewrite V. destruct Hm as [-> | ->]; cbn [Zrnd]; apply round_N_pt; auto with typeclass_instances. }
    replace (y - (y + t * x))%R with (- (t * x))%R in N by ring. rewrite Rabs_Ropp, Rabs_mult, (Rabs_pos_eq t) in N by lra.
    replace (v - y)%R with ((v - (y + t * x)) + t * x)%R by ring.
    apply Rle_trans with (1 := Rabs_triang _ _). rewrite (Rabs_mult t), (Rabs_pos_eq t) by lra. lra. }
  destruct (Req_dec v y) as [E|E]; [exact E|exfalso].
  assert (A : (0 < Rabs (v - y))%R) by (apply Rabs_pos_lt; lra).
  assert (Ax : (0 < Rabs x)%R) by (now apply Rabs_pos_lt).
  pose proof (D 1%R ltac:(lra)) as D1.
  assert (T : (0 < Rabs (v - y) / (4 * Rabs x) <= 1)%R).
  { split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (4 * Rabs x)%R; [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  pose proof (D _ T) as DT.
  replace (2 * (Rabs (v - y) / (4 * Rabs x)) * Rabs x)%R with (Rabs (v - y) / 2)%R in DT by (field; lra). lra.
Qed.

(** ** What alignment makes of x *)

(** |x| in units of 2^k, and its digits from 2^k up to below 2^j. *)
Definition units_of (x : R) (k : Z) : Z := Zfloor (Rabs x * bpow radix2 (- k)).
Definition digits_between (x : R) (k : Z) : Z := units_of x k mod 2 ^ (j - k).

Lemma units_bounds x k : (IZR (units_of x k) * bpow radix2 k <= Rabs x < IZR (units_of x k + 1) * bpow radix2 k)%R.
Proof.
  unfold units_of. rewrite plus_IZR. set (s := (Rabs x * bpow radix2 (- k))%R).
  assert (S : Rabs x = (s * bpow radix2 k)%R).
  { unfold s. rewrite Rmult_assoc, <- bpow_plus. replace (- k + k) with 0 by ring. cbn. ring. }
  rewrite S. pose proof (Zfloor_lb s). pose proof (Zfloor_ub s). pose proof (bpow_gt_0 radix2 k).
  split; [apply Rmult_le_compat_r|apply Rmult_lt_compat_r]; lra.
Qed.

Lemma aligned_bounds m x k : let x' := D2R (rnd m x k) in
  (IZR (units_of (D2R x) k) * bpow radix2 k <= Rabs x' <= IZR (units_of (D2R x) k + 1) * bpow radix2 k)%R /\
  (m = rz -> (Rabs x' <= Rabs (D2R x))%R) /\ (0 <= D2R x -> 0 <= x')%R /\ (D2R x <= 0 -> x' <= 0)%R.
Proof.
  cbv zeta. rewrite rnd_correct. pose proof (units_bounds (D2R x) k) as [L U]. set (u := units_of (D2R x) k) in *.
  assert (G : forall a, generic_format radix2 (FIX_exp k) (IZR a * bpow radix2 k)).
  { intros a. apply generic_format_FIX. exists (Float radix2 a k); reflexivity. }
  repeat split.
  - apply abs_round_ge_generic; auto with typeclass_instances.
  - apply abs_round_le_generic; auto with typeclass_instances. lra.
  - intros ->. cbn [Zrnd]. destruct (Rle_or_lt 0 (D2R x)) as [P|P].
    + rewrite (Rabs_pos_eq (D2R x)) by exact P. rewrite Rabs_pos_eq.
      * rewrite round_ZR_DN by exact P. apply round_DN_pt. auto with typeclass_instances.
      * apply round_ge_generic; auto with typeclass_instances. apply generic_format_0.
    + rewrite (Rabs_left (D2R x)) by exact P. rewrite Rabs_left1.
      * apply Ropp_le_contravar. rewrite round_ZR_UP by lra. apply round_UP_pt. auto with typeclass_instances.
      * apply round_le_generic; auto with typeclass_instances; [apply generic_format_0|lra].
  - intros P. apply round_ge_generic; auto with typeclass_instances. apply generic_format_0.
  - intros P. apply round_le_generic; auto with typeclass_instances. apply generic_format_0.
Qed.

Lemma between_of_magnitude n z y b : y = (IZR b * bpow radix2 j)%R -> between n (Rabs z) ->
  between (if Rlt_bool z 0 then b - n - 1 else b + n) (y + z).
Proof.
  unfold between. intros -> [L U]. destruct (Rlt_bool_spec z 0) as [S|S].
  - rewrite Rabs_left in L, U by exact S. replace (b - n - 1 + 1) with (b - n) by ring.
    rewrite !minus_IZR. rewrite plus_IZR in U. lra.
  - rewrite Rabs_pos_eq in L, U by exact S. rewrite !plus_IZR. rewrite plus_IZR in U. lra.
Qed.

Lemma same_side m x k : D2R (rnd m x k) <> 0%R -> Rlt_bool (D2R (rnd m x k)) 0 = Rlt_bool (D2R x) 0.
Proof.
  intros N. destruct (aligned_bounds m x k) as (_ & _ & P & Q). destruct (Rlt_bool_spec (D2R x) 0) as [S|S].
  - apply Rlt_bool_true. specialize (Q ltac:(lra)). lra.
  - apply Rlt_bool_false. auto.
Qed.

(** [beside_ties]: aligning x to a multiple of 2^k does not change the rounded sum of y and x, where y is a multiple of
    2^j, as all ties and results are, if
    - the digits of x from 2^k up to below 2^j are not all zero, or |x| < 2^j, and y is a result and the mode to nearest;
    - they are not all one either, unless x is truncated;
    or if x is a multiple of 2^k, from which nothing is taken. *)
Theorem beside_ties m m' x y b k : k <= j ->
  D2R y = F2R (Float radix2 b j) -> fine (D2R y + D2R x) ->
  (exists n, D2R x = F2R (Float radix2 n k)) \/
  (digits_between (D2R x) k <> 0 \/
   (Rabs (D2R x) < bpow radix2 j)%R /\ generic_format radix2 fexp (D2R y) /\ (m = rne \/ m = rna)) /\
  (digits_between (D2R x) k <> 2 ^ (j - k) - 1 \/ m' = rz) ->
  Generic_fmt.round radix2 fexp (Zrnd m) (D2R y + D2R (rnd m' x k)) = Generic_fmt.round radix2 fexp (Zrnd m) (D2R y + D2R x).
Proof.
  intros Hk Y H [(n & Hn)|(Z1 & Z2)]; [now rewrite (rnd_multiple m' x k n Hn)|]. unfold F2R in Y; cbn [Fnum Fexp] in Y.
  destruct (aligned_bounds m' x k) as (B & T & _ & _). pose proof (units_bounds (D2R x) k) as [L U].
  unfold digits_between in *. set (u := units_of (D2R x) k) in *.
  set (K := 2 ^ (j - k)) in *. assert (K0 : 0 < K) by (apply Z.pow_pos_nonneg; lia).
  pose proof (Z.div_mod u K ltac:(lia)) as D. pose proof (Z.mod_pos_bound u K K0) as R. set (n := u / K) in *. set (r := u mod K) in *.
  assert (HK : forall a, (IZR a * bpow radix2 j = IZR (a * K) * bpow radix2 k)%R).
  { intros a. rewrite mult_IZR, Rmult_assoc. f_equal. unfold K. change (IZR (2 ^ (j - k))) with (IZR (Zpower radix2 (j - k))).
    rewrite IZR_Zpower by lia. rewrite <- bpow_plus. f_equal. ring. }
  assert (C : forall a c, a <= c -> (IZR a * bpow radix2 k <= IZR c * bpow radix2 k)%R).
  { intros a c Q. apply Rmult_le_compat_r; [apply bpow_ge_0|]. now apply IZR_le. }
  assert (C' : forall a c, a < c -> (IZR a * bpow radix2 k < IZR c * bpow radix2 k)%R).
  { intros a c Q. apply Rmult_lt_compat_r; [apply bpow_gt_0|]. now apply IZR_lt. }
  (* neither the truncation nor a carry reaches the next multiple of 2^j *)
  assert (Up : (Rabs (D2R x) < IZR (n + 1) * bpow radix2 j)%R).
  { rewrite HK. apply Rlt_le_trans with (1 := U). apply C. nia. }
  assert (Up' : (Rabs (D2R (rnd m' x k)) < IZR (n + 1) * bpow radix2 j)%R).
  { destruct Z2 as [Z2|Z2].
    - rewrite HK. apply Rle_lt_trans with (1 := proj2 B). apply C'. nia.
    - apply Rle_lt_trans with (2 := Up). auto. }
  destruct (Z.eq_dec r 0) as [R0|R0].
  - destruct Z1 as [Z1|(X & Fy & Hm)]; [contradiction|].
    assert (n = 0).
    { assert (0 <= u) by (unfold u, units_of; apply Zfloor_lub; cbn; apply Rmult_le_pos; [apply Rabs_pos|apply bpow_ge_0]).
      assert (n < 1); [|apply Z.le_antisymm; [lia|apply Z.div_pos; lia]].
      apply below_multiple. apply Rle_lt_trans with (Rabs (D2R x)); [|lra]. rewrite HK. apply Rle_trans with (2 := L). apply C. lia. }
    rewrite H0 in *. replace (IZR (0 + 1) * bpow radix2 j)%R with (bpow radix2 j) in * by (cbn; ring).
    rewrite (round_near_result m b (D2R y) (D2R x)) by auto.
    apply (round_near_result m b); auto. intros N.
    assert (Nx : D2R x <> 0%R).
    { intros E. apply N. rewrite rnd_correct, E. apply round_0. apply valid_Zrnd. }
    assert (I : between 0 (Rabs (D2R x)) /\ between 0 (Rabs (D2R (rnd m' x k)))).
    { unfold between. pose proof (Rabs_pos_lt _ N). pose proof (Rabs_pos_lt _ Nx). cbn [Z.add]. rewrite Rmult_0_l, Rmult_1_l. lra. }
    destruct I as [I I']. apply (between_of_magnitude 0 _ (D2R y) b Y) in I, I'. rewrite same_side in I' by exact N.
    unfold fine in *. rewrite (same_cexp _ _ _ I I' ltac:(lia)). exact H.
  - assert (Lo : (IZR n * bpow radix2 j < IZR u * bpow radix2 k)%R) by (rewrite HK; apply C'; nia).
    assert (I : between n (Rabs (D2R x)) /\ between n (Rabs (D2R (rnd m' x k)))) by (unfold between; lra).
    destruct I as [I I']. apply (between_of_magnitude n _ (D2R y) b Y) in I, I'. rewrite same_side in I'.
    + apply (round_between m _ _ _ I I' H).
    + intros E. rewrite E, Rabs_R0 in B. assert (n < 0); [|assert (0 <= n); [|lia]].
      * apply below_multiple. rewrite Rmult_0_l. lra.
      * apply Z.div_pos; [|lia]. unfold u, units_of; apply Zfloor_lub; cbn; apply Rmult_le_pos; [apply Rabs_pos|apply bpow_ge_0].
Qed.

End Result.

(** ** Ties themselves *)

Section Ties.

Variables M emin j : Z.
Hypothesis HM : 0 <= M.
Notation fexp := (FLT_exp (emin - M) (M + 1)).

Lemma floor_of_half f : Zfloor (IZR f + / 2) = f.
Proof. apply Zfloor_imp. rewrite plus_IZR. lra. Qed.
Lemma ceil_of_half f : Zceil (IZR f + / 2) = f + 1.
Proof. apply Zceil_imp. rewrite plus_IZR. replace (f + 1 - 1) with f by ring. lra. Qed.

Lemma nearest_of_half c f : Znearest c (IZR f + / 2) = if c f then f + 1 else f.
Proof.
  unfold Znearest. rewrite floor_of_half, ceil_of_half.
  replace (IZR f + / 2 - IZR f)%R with (/ 2)%R by ring. now rewrite Rcompare_Eq.
Qed.

(** Just below a power of two ties lie half as far apart, and the nearest one below it is rounded up to it: to even, or
    away from zero. So a run of ones may be carried onto that tie. More generally, y is an even result. *)
Theorem carried_to_tie m y x b : m = rne \/ m = rna -> generic_format radix2 fexp y ->
  y = (IZR (2 * b) * bpow radix2 (j + 1))%R -> (Rabs x <= bpow radix2 j)%R -> (x <> 0%R -> fine M emin j (y + x)) ->
  m = rne \/ (y * x < 0)%R ->
  Generic_fmt.round radix2 fexp (Zrnd m) (y + x) = y.
Proof.
  intros Hm Fy Y X H S.
  assert (J : bpow radix2 (j + 1) = (2 * bpow radix2 j)%R) by (rewrite bpow_plus; cbn; ring).
  pose proof (bpow_gt_0 radix2 j) as P.
  destruct (Rlt_or_le (Rabs x) (bpow radix2 j)) as [L|G].
  { apply (round_near_result M emin j HM m (4 * b)); auto. rewrite Y, J, !mult_IZR. ring. }
  assert (A : Rabs x = bpow radix2 j) by lra. clear X G.
  assert (N : x <> 0%R) by (intros E; rewrite E, Rabs_R0 in A; lra).
  specialize (H N). unfold fine in H.
  destruct (Z.eq_dec (cexp radix2 fexp (y + x)) (j + 1)) as [C|C].
  - unfold Generic_fmt.round, scaled_mantissa. rewrite C. unfold F2R; cbn [Fnum Fexp].
    assert (Q : (bpow radix2 (j + 1) * bpow radix2 (- (j + 1)) = 1)%R).
    { rewrite <- bpow_plus. replace (j + 1 + - (j + 1)) with 0 by ring. reflexivity. }
    assert (Q' : (bpow radix2 j * bpow radix2 (- (j + 1)) = / 2)%R).
    { rewrite <- bpow_plus. replace (j + - (j + 1)) with (-1) by ring. reflexivity. }
    rewrite Y at 2. f_equal. f_equal.
    destruct (Rlt_or_le x 0) as [D|D].
    + rewrite Rabs_left in A by exact D.
      replace ((y + x) * bpow radix2 (- (j + 1)))%R with (IZR (2 * b - 1) + / 2)%R.
      2: { rewrite minus_IZR. replace x with (- bpow radix2 j)%R by lra. rewrite Y, Rmult_plus_distr_r, Rmult_assoc, Q.
           rewrite Ropp_mult_distr_l_reverse, Q'. lra. }
      destruct Hm as [-> | ->]; cbn [Zrnd]; rewrite nearest_of_half.
      * replace (Z.even (2 * b - 1)) with false; [cbn; ring|].
        symmetry. rewrite <- Z.negb_odd. apply negb_false_iff, Z.odd_spec. exists (b - 1). ring.
      * destruct S as [S|S]; [discriminate|]. replace (0 <=? 2 * b - 1) with true; [ring|]. symmetry. apply Z.leb_le.
        assert (0 < y)%R by nra.
        assert (0 < 2 * b); [|lia]. apply lt_IZR. apply Rmult_lt_reg_r with (bpow radix2 (j + 1)); [apply bpow_gt_0|].
        rewrite Rmult_0_l, <- Y. lra.
    + rewrite Rabs_pos_eq in A by exact D.
      replace ((y + x) * bpow radix2 (- (j + 1)))%R with (IZR (2 * b) + / 2)%R.
      2: { rewrite A, Y, Rmult_plus_distr_r, Rmult_assoc, Q, Q'. lra. }
      destruct Hm as [-> | ->]; cbn [Zrnd]; rewrite nearest_of_half.
      * replace (Z.even (2 * b)) with true; [reflexivity|]. symmetry. apply Z.even_spec. now exists b.
      * destruct S as [S|S]; [discriminate|]. replace (0 <=? 2 * b) with false; [reflexivity|]. symmetry. apply Z.leb_gt.
        assert (y < 0)%R by nra. apply lt_IZR. apply Rmult_lt_reg_r with (bpow radix2 (j + 1)); [apply bpow_gt_0|].
        rewrite Rmult_0_l, <- Y. lra.
  - apply (round_near_result M emin (j + 1) HM m (2 * b)); auto; [lra|]. intros _. unfold fine. lia.
Qed.

(** x is aligned onto n·2^j beside which y is a result: the one to which y + x is rounded, too. *)
Theorem onto_a_result m y x b n : m = rne \/ m = rna ->
  y = (IZR (2 * b) * bpow radix2 j)%R -> cexp radix2 fexp (y + x) = j + 1 ->
  n mod 2 = 0 -> (Rabs (x - IZR n * bpow radix2 j) < bpow radix2 j)%R ->
  Generic_fmt.round radix2 fexp (Zrnd m) (y + IZR n * bpow radix2 j) = Generic_fmt.round radix2 fexp (Zrnd m) (y + x).
Proof.
  intros Hm Y C N X. pose proof (Z.div_mod n 2 ltac:(lia)) as D. rewrite N in D. set (q := n / 2) in *.
  assert (J : bpow radix2 (j + 1) = (2 * bpow radix2 j)%R) by (rewrite bpow_plus; cbn; ring).
  assert (T : (y + IZR n * bpow radix2 j = IZR (b + q) * bpow radix2 (j + 1))%R).
  { rewrite Y, J, D, !plus_IZR, !mult_IZR. ring. }
  assert (Q : (bpow radix2 (j + 1) * bpow radix2 (- (j + 1)) = 1)%R).
  { rewrite <- bpow_plus. replace (j + 1 + - (j + 1)) with 0 by ring. reflexivity. }
  assert (Q' : (bpow radix2 j * bpow radix2 (- (j + 1)) = / 2)%R).
  { rewrite <- bpow_plus. replace (j + - (j + 1)) with (-1) by ring. reflexivity. }
  assert (R : Generic_fmt.round radix2 fexp (Zrnd m) (y + x) = (IZR (b + q) * bpow radix2 (j + 1))%R).
  { unfold Generic_fmt.round, scaled_mantissa. rewrite C. unfold F2R; cbn [Fnum Fexp]. do 2 f_equal.
    assert (A : (Rabs ((y + x) * bpow radix2 (- (j + 1)) - IZR (b + q)) < / 2)%R).
    { replace ((y + x) * bpow radix2 (- (j + 1)) - IZR (b + q))%R with ((x - IZR n * bpow radix2 j) * bpow radix2 (- (j + 1)))%R.
      - rewrite Rabs_mult, (Rabs_pos_eq (bpow _ _)) by apply bpow_ge_0. rewrite <- Q'.
        apply Rmult_lt_compat_r; [apply bpow_gt_0|exact X].
      - replace (y + x)%R with ((y + IZR n * bpow radix2 j) + (x - IZR n * bpow radix2 j))%R by ring.
        rewrite T, Rmult_plus_distr_r, Rmult_assoc, Q. ring. }
    destruct Hm as [-> | ->]; cbn [Zrnd]; now apply Znearest_imp. }
  assert (P : FLX.Prec_gt_0 (M + 1)) by (unfold FLX.Prec_gt_0; lia).
  rewrite R, T. apply round_generic; [apply valid_Zrnd|]. rewrite <- R. apply generic_format_round; auto with typeclass_instances.
Qed.

(** [beside_ties_evenly]: x is aligned onto a tie n·2^j, from above where n is 3 modulo 4, and from below where it is 1. Beside
    a multiple y of 4·2^j the tie goes to even, which is where the sum goes. *)
Theorem tie_goes_evenly y x b n :
  y = (IZR (4 * b) * bpow radix2 j)%R -> fine M emin j (y + x) ->
  n mod 4 = 3 /\ between j n x \/ n mod 4 = 1 /\ between j (n - 1) x ->
  Generic_fmt.round radix2 fexp ZnearestE (y + IZR n * bpow radix2 j) = Generic_fmt.round radix2 fexp ZnearestE (y + x).
Proof.
  intros Y H B. unfold fine in H. pose proof (bpow_gt_0 radix2 j) as P.
  assert (J : bpow radix2 (j + 1) = (2 * bpow radix2 j)%R) by (rewrite bpow_plus; cbn; ring).
  pose proof (Z.div_mod n 4 ltac:(lia)) as D. set (q := n / 4) in *.
  (* with f below the tie, in last places of twice 2^j *)
  set (f := 2 * b + 2 * q + (if n mod 4 =? 3 then 1 else 0)).
  assert (T : (y + IZR n * bpow radix2 j = (IZR f + / 2) * bpow radix2 (j + 1))%R).
  { rewrite Y, J. replace (IZR n) with (2 * IZR (2 * q + (if n mod 4 =? 3 then 1 else 0)) + 1)%R.
    - unfold f. rewrite !plus_IZR, !mult_IZR. lra.
    - rewrite <- mult_IZR, <- plus_IZR. f_equal. destruct B as [[E _]|[E _]]; rewrite E in D |- *; cbn [Z.eqb Pos.eqb]; lia. }
  assert (B1 : between (j + 1) f (y + IZR n * bpow radix2 j)).
  { unfold between. rewrite T, plus_IZR. pose proof (bpow_gt_0 radix2 (j + 1)). nra. }
  assert (X : ((IZR f + / 2) * bpow radix2 (j + 1) < y + x < (IZR f + 1) * bpow radix2 (j + 1))%R /\ n mod 4 = 3 \/
              (IZR f * bpow radix2 (j + 1) < y + x < (IZR f + / 2) * bpow radix2 (j + 1))%R /\ n mod 4 = 1).
  { destruct B as [[E [L U]]|[E [L U]]]; [left|right]; (split; [|exact E]).
    - rewrite <- T. replace ((IZR f + 1) * bpow radix2 (j + 1))%R with (y + IZR (n + 1) * bpow radix2 j)%R; [lra|].
      rewrite plus_IZR. replace ((IZR f + 1) * bpow radix2 (j + 1))%R with ((IZR f + / 2) * bpow radix2 (j + 1) + / 2 * bpow radix2 (j + 1))%R by field.
      rewrite <- T, J. lra.
    - rewrite <- T. replace (IZR f * bpow radix2 (j + 1))%R with (y + IZR (n - 1) * bpow radix2 j)%R.
      + replace (n - 1 + 1) with n in U by ring. lra.
      + rewrite minus_IZR. replace (IZR f * bpow radix2 (j + 1))%R with ((IZR f + / 2) * bpow radix2 (j + 1) - / 2 * bpow radix2 (j + 1))%R by field.
        rewrite <- T, J. lra. }
  pose proof (bpow_gt_0 radix2 (j + 1)) as P1.
  assert (B2 : between (j + 1) f (y + x)).
  { unfold between. rewrite plus_IZR. destruct X as [[X _]|[X _]]; nra. }
  destruct (Z.eq_dec (cexp radix2 fexp (y + x)) (j + 1)) as [C|C].
  - unfold Generic_fmt.round, scaled_mantissa.
    rewrite (same_cexp M emin (j + 1) HM f _ _ B2 B1) by lia. rewrite C. unfold F2R; cbn [Fnum Fexp]. do 2 f_equal.
    assert (Q : (bpow radix2 (j + 1) * bpow radix2 (- (j + 1)) = 1)%R).
    { rewrite <- bpow_plus. replace (j + 1 + - (j + 1)) with 0 by ring. reflexivity. }
    pose proof (bpow_gt_0 radix2 (- (j + 1))) as P2.
    rewrite T, Rmult_assoc, Q, Rmult_1_r, nearest_of_half.
    set (z := ((y + x) * bpow radix2 (- (j + 1)))%R).
    assert (SZ : (y + x = z * bpow radix2 (j + 1))%R).
    { unfold z. rewrite Rmult_assoc, (Rmult_comm (bpow radix2 (- (j + 1)))), Q. ring. }
    rewrite SZ in X. symmetry. destruct X as [[[L U] E]|[[L U] E]]; apply Rmult_lt_reg_r in L, U; try exact P1.
    + replace (Z.even f) with false.
      * cbn. apply Znearest_imp. rewrite plus_IZR. apply Rabs_def1; lra.
      * symmetry. rewrite <- Z.negb_odd. apply negb_false_iff, Z.odd_spec. exists (b + q). unfold f. rewrite E. cbn [Z.eqb Pos.eqb]. ring.
    + replace (Z.even f) with true.
      * cbn. apply Znearest_imp. apply Rabs_def1; lra.
      * symmetry. apply Z.even_spec. exists (b + q). unfold f. rewrite E. cbn [Z.eqb Pos.eqb]. ring.
  - apply (round_between M emin (j + 1) HM rne f _ _ B2 B1). unfold fine. lia.
Qed.

End Ties.
