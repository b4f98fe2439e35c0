(** * Leaves: factors of products, and c, also in a wider format

    An operand that is read again in a wider format ([as]) is the same number there: the circuit shifts its significand to
    where that format has it, and loses nothing. So factors and c of the circuit are those of the definition. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Flocq Require Import Core.
From Discern Require Import Notation Real Units Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading Exponents Numbers Factors Operands.
Import ListNotations.
Open Scope Z_scope.

(** Formats of [as] that are covered, of a factor in the format f: those whose least exponent is not larger. *)
Definition fair_again (wide : option format) (f : format) : bool :=
  match wide with Some w => fair_format w && (emin w <=? emin f) | None => true end.
(** Of c, in any format. *)
Definition fair_c (c : c_attr) : bool := match c_as c with Some w => fair_format w | None => true end.

Section ReadAgain.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).
Variable f : format.
Hypothesis Hf : fair_format f = true.

(** How many zeros are in front of the significand. *)
Definition leading_zeros (x : wires) : Z := M_bits f - Z.log2 (num (n_magnitude x)).

(** The significand with its leading bit in front. Of the base of a zero only the bounds are known. *)
Lemma computes_normalised x n : is_operand v f x n ->
  computes v (normalised x) (fun y => exists m b, y = with_base b (M_bits f) (with_magnitude m x) /\ len m = M_bits f + 1 /\
    i_low b = i_low (n_base x) - M_bits f /\ i_high b = i_high (n_base x) /\ (num (n_magnitude x) = 0 -> num m = 0) /\
    (0 < num (n_magnitude x) -> 0 <= leading_zeros x /\ num m = num (n_magnitude x) * 2 ^ leading_zeros x /\
       int b = int (n_base x) - leading_zeros x /\ int_ok v b)).
Proof.
  intros (Lm & Fr & _ & _ & OB & (B1 & B2 & B3) & _). destruct (fair_parts f Hf) as (_ & _ & PE & PM & _ & _ & PB & _).
  assert (Em : - 2 ^ 30 <= emin f) by (unfold emin; destruct (has_zero f); lia). change (2 ^ 31) with (2 * 2 ^ 30) in *.
  unfold normalised, width_of. rewrite Lm, Fr. replace (M_bits f + 1 - 1) with (M_bits f) by ring. rewrite Z.sub_diag.
  destruct (offset_by_ok v (n_base x) 0) as [EO _]. rewrite Z.add_0_r in EO. pose proof (int_bounds v (n_base x)) as IB. unfold int_ok in OB.
  eapply computes_bind; [exact (computes_both v _ _ _ (computes_normalise v v0 (n_magnitude x)) (computes_if v _ _ _ (computes_normalise_zero v v0 (n_magnitude x))))|].
  intros z ((Lz & _ & Nz) & Zz). cbv beta in *. rewrite Lm in *.
  assert (LG : 0 < num (n_magnitude x) -> 0 <= Z.log2 (num (n_magnitude x)) <= M_bits f).
  { intros P. pose proof (num_bound v (n_magnitude x)) as B. rewrite Lm in B. split; [apply Z.log2_nonneg|].
    assert (Z.log2 (num (n_magnitude x)) < M_bits f + 1) by (apply Z.log2_lt_pow2; lia). lia. }
  eapply computes_bind; [apply (computes_difference v v0); cbn [offset_by i_low i_high]; change (2 ^ 64) with (17179869184 * 2 ^ 30); lia|].
  intros b (Lo & Hi & Hb). apply computes_ret. exists (fst z), b. split; [reflexivity|]. split; [exact Lz|]. split; [exact Lo|].
  split; [rewrite Hi; cbn [offset_by i_high]; ring|]. split; [exact Zz|]. intros P. specialize (LG P). specialize (Nz P). cbv zeta in Nz. destruct Nz as [Nz Cz].
  unfold leading_zeros. split; [lia|]. split; [rewrite Nz; f_equal; f_equal; ring|].
  rewrite EO, (proj1 (integer_of_ok v (snd z) 0)), Cz in Hb. cbn [offset_by i_high] in Hb. destruct Hb as [Hb Ob]; [lia|]. split; [lia|exact Ob].
Qed.

(** The exponent of an operand is that of its format. *)
Lemma operand_exponent x d e s : is_operand v f x (Finite d e s) -> e = Some (if is_zero d then emin f else Z.max (lg d) (emin f)).
Proof.
  intros (Lm & Fr & _ & _ & _ & _ & _ & _ & _ & _ & _ & (-> & V & Le & Ls)). destruct (fair_parts f Hf) as (_ & _ & _ & PM & _). f_equal.
  pose proof (Z.pow_pos_nonneg 2 (M_bits f) eq_refl ltac:(lia)) as PpM. pose proof (wires_zero v x d V) as Z. destruct (is_zero d) eqn:Zd.
  - apply Z.eqb_eq in Z. apply Ls. lia.
  - destruct (wires_lg v x d V Zd) as [P ->]. rewrite Fr. pose proof (num_bound v (n_magnitude x)) as B. rewrite Lm in B.
    destruct (Z.lt_ge_cases (num (n_magnitude x)) (2 ^ M_bits f)) as [L|L].
    + assert (Z.log2 (num (n_magnitude x)) < M_bits f) by (apply Z.log2_lt_pow2; lia). destruct (Ls L). lia.
    + assert (Z.log2 (num (n_magnitude x)) = M_bits f) by (apply Z.log2_unique; replace (Z.succ (M_bits f)) with (M_bits f + 1) by ring; lia). lia.
Qed.

(** What is shifted to the left, and counts less, is worth the same. *)
Lemma value_shifted x m b k d : n_fraction x = M_bits f -> 0 <= k -> num m = num (n_magnitude x) * 2 ^ k -> int b = int (n_base x) - k ->
  D2R (wires_value v x) = D2R d -> D2R (wires_value v (with_base b (M_bits f) (with_magnitude m x))) = D2R d.
Proof.
  intros Fr Hk Hm Hb <-. unfold wires_value. cbn [with_base with_magnitude n_negative n_magnitude n_base n_fraction]. rewrite Hm, Hb, Fr.
  unfold D2R, F2R. cbn [Notation.num scale Fnum Fexp].
  replace (int (n_base x) - M_bits f) with (k + (int (n_base x) - k - M_bits f)) by ring. rewrite bpow_plus, <- Rmult_assoc. f_equal.
  rewrite <- IZR_pow2, pow2_correct, <- mult_IZR by exact Hk. f_equal. destruct (value v (n_negative x)); ring.
Qed.

Section Wide.
Variable wide : format.
Hypothesis Hw : fair_format wide = true.

Lemma wide_emin : - 2 ^ 30 <= emin wide <= 2 ^ 30 + 1.
Proof. destruct (fair_parts wide Hw) as (_ & _ & _ & _ & _ & _ & PB & _). unfold emin. destruct (has_zero wide); lia. Qed.

(** A leaf of which the significand, the base and the exponent are others. *)
Lemma leaf_again x n m b e : is_operand v f x n -> len m = M_bits f + 1 ->
  - 2 ^ 32 <= i_low b -> i_low b <= i_high b -> i_high b <= 2 ^ 32 -> int_ok v e -> close e ->
  match n with
  | Finite d _ _ => int e = (if is_zero d then emin wide else Z.max (lg d) (emin wide)) /\
      D2R (wires_value v (with_base b (M_bits f) (with_magnitude m x))) = D2R d /\ (is_zero d = false -> int_ok v b /\ int b <= int e)
  | Infinite _ _ => 0 < num m
  | NaN _ _ _ => True
  end -> is_leaf v f (with_exponent e (with_base b (M_bits f) (with_magnitude m x))) (read_again (Some wide) n).
Proof.
  intros H Lm B1 B2 B3 OE NE C. pose proof (operand_leaf v f Hf x n H) as (_ & _ & Lsb & _ & _ & _ & SP & HE & Se & Sg & W).
  unfold is_leaf. cbn [with_exponent with_base with_magnitude n_magnitude n_fraction n_lsb n_base n_exponent n_special n_has_exponent n_seen_plus n_seen_minus n_negative].
  split; [exact Lm|]. split; [reflexivity|]. split; [exact Lsb|]. split; [auto|]. split; [exact OE|]. split; [exact NE|].
  split; [destruct n; exact SP|]. split; [exact HE|]. split; [exact Se|]. split; [destruct n; exact Sg|].
  destruct n as [d ed s|s t|s t c]; cbn [read_again].
  - destruct W as (_ & _ & M & _), C as (E & V & C). split; [now rewrite E|]. split; [exact V|]. split; [exact M|exact C].
  - split; [apply W|exact C].
  - exact W.
Qed.

(** A factor. *)
Theorem computes_read_again x n : emin wide <= emin f -> is_operand v f x n ->
  computes v (read_again_wires f wide x) (fun y => is_leaf v f y (read_again (Some wide) n) /\ n_base y = n_exponent y).
Proof.
  intros Hle H. pose proof wide_emin as WE. unfold read_again_wires. destruct (Z.leb_spec (emin f) (emin wide)) as [L|L].
  { apply computes_ret. replace (read_again (Some wide) n) with n; [split; [exact (operand_leaf v f Hf x n H)|apply H]|].
    destruct n as [d e s| |]; [|reflexivity|reflexivity]. rewrite (operand_exponent x d e s H). cbn [read_again]. now replace (emin wide) with (emin f) by lia. }
  pose proof H as (Lm & Fr & Lsb & _ & OB & (B1 & B2 & B3) & _ & _ & _ & _ & _ & W).
  destruct (fair_parts f Hf) as (_ & _ & PE & PM & _ & _ & PB & _). pose proof (Z.pow_pos_nonneg 2 (M_bits f) eq_refl ltac:(lia)) as PpM.
  assert (Em : - 2 ^ 30 <= emin f <= 2 ^ 30 + 1) by (unfold emin; destruct (has_zero f); lia). change (2 ^ 31) with (2 * 2 ^ 30) in *.
  set (mag := num (n_magnitude x)) in *. set (top := int (n_base x) - leading_zeros x). pose proof (int_bounds v (n_base x)) as IB.
  pose proof (num_bound v (n_magnitude x)) as Bm. fold mag in Bm. rewrite Lm in Bm.
  destruct (fixed_ok v (emin wide)) as [FE FO].
  eapply computes_bind; [apply (computes_any v v0)|]. intros some Hsome. fold mag in Hsome.
  eapply computes_bind; [exact (computes_normalised x n H)|]. intros y (m0 & b0 & -> & Lm0 & Lo0 & Hi0 & Z0 & P0). fold mag in Z0, P0. fold top in P0.
  (* the significand where the wide format has it *)
  eapply computes_bind with (P := fun y => exists m b, y = with_base b (M_bits f) (with_magnitude m x) /\ len m = M_bits f + 1 /\
      - 2 ^ 32 <= i_low b /\ i_low b <= i_high b /\ i_high b <= 2 ^ 32 /\ (mag = 0 -> num m = 0) /\ (0 < mag -> int_ok v b) /\
      (0 < mag -> Z.min (last_bit f) (emin wide) <= top -> int b = Z.max top (emin wide) /\
         exists k, 0 <= k /\ num m = mag * 2 ^ k /\ int b = int (n_base x) - k)).
  { change (2 ^ 32) with (4 * 2 ^ 30). rewrite Lsb. cbn [with_base with_magnitude n_base n_fraction n_magnitude]. destruct (Z.ltb_spec (last_bit f) (emin wide)) as [S|S].
    - eapply computes_bind.
      { eapply computes_both; [apply bounds_i_larger|]. apply (computes_if v _ (0 < mag) (fun z => int z = Z.max (int b0) (int (fixed_integer (emin wide))) /\ int_ok v z)). intros P. destruct (P0 P) as (_ & _ & _ & O).
        apply (computes_i_larger v v0 _ _ O FO). cbn [fixed_integer i_low i_high]. rewrite Lo0, Hi0. change (2 ^ 64) with (17179869184 * 2 ^ 30). lia. }
      intros e ((E1 & E2) & HE). cbn [fixed_integer i_low i_high] in E1, E2.
      eapply computes_bind; [apply (computes_difference v v0); [lia|unfold last_bit in *; change (2 ^ 64) with (17179869184 * 2 ^ 30); lia]|].
      intros back (K1 & K2 & HK). eapply computes_bind; [apply (computes_shift_right v v0)|]. intros z (Lz & Nz & _). apply computes_ret.
      exists (fst z), e. cbn [with_base with_magnitude n_fraction n_magnitude n_base] in Lz, Nz, HK |- *. rewrite E1, E2, Lo0, Hi0.
      split; [reflexivity|]. split; [congruence|]. do 3 (split; [lia|]).
      split; [intros Q; rewrite Nz, (Z0 Q); apply Z.div_0_l, Z.pow_nonzero; [lia|apply num_bound]|].
      split; [intros P; apply (HE P)|]. intros P T. destruct (HE P) as [HE1 _]. destruct (P0 P) as (D0 & N0 & T0 & _).
      rewrite FE, T0 in HE1. split; [exact HE1|]. destruct HK as [HK _]; [lia|]. unfold int_of at 1 in HK. rewrite K1, HE1, T0 in HK.
      exists (leading_zeros x - num (i_bits back)). unfold top in *. split; [lia|]. split; [|lia].
      rewrite Nz, N0. replace (leading_zeros x) with (leading_zeros x - num (i_bits back) + num (i_bits back)) at 1 by ring.
      rewrite Z.pow_add_r, Z.mul_assoc by (try apply num_bound; lia). apply Z.div_mul, Z.pow_nonzero; [lia|apply num_bound].
    - apply computes_ret. exists m0, b0. rewrite Lo0, Hi0. split; [reflexivity|]. split; [exact Lm0|]. do 3 (split; [lia|]). split; [exact Z0|].
      split; [intros P; apply (P0 P)|]. intros P T. destruct (P0 P) as (D0 & N0 & T0 & _). split; [lia|]. exists (leading_zeros x). auto. }
  intros y (m & b & -> & Lm1 & Lo & LH & Hi & Zm & Ob & Pm). change (2 ^ 32) with (4 * 2 ^ 30) in *. cbn [with_base with_magnitude n_base n_fraction].
  assert (VZ : value v (invert some) = (mag =? 0)) by (rewrite value_invert, Hsome; apply negb_involutive).
  eapply computes_bind.
  { eapply computes_both; [apply bounds_i_mux|]. apply (computes_i_mux_chosen v v0).
    - rewrite VZ. destruct (Z.eqb_spec mag 0); [exact FO|apply Ob; lia].
    - cbn [fixed_integer i_low i_high]. change (2 ^ 64) with (17179869184 * 2 ^ 30). lia. }
  intros e ((E1 & E2) & E3 & OE). cbn [fixed_integer i_low i_high] in E1, E2. rewrite VZ, FE in E3. apply computes_ret. split; [|reflexivity].
  change (is_leaf v f (with_exponent e (with_base e (M_bits f) (with_magnitude m x))) (read_again (Some wide) n)).
  apply leaf_again; try assumption; try (rewrite ?E1, ?E2; change (2 ^ 32) with (4 * 2 ^ 30); lia).
  { unfold close. rewrite E1, E2. change (2 ^ 39) with (512 * 2 ^ 30). lia. }
  destruct n as [d ed s|s t|s t c]; [| |exact I].
  - destruct W as (_ & V & Le & _). pose proof (wires_zero v x d V) as Z. fold mag in Z. rewrite Z in E3. destruct (is_zero d) eqn:Zd.
    + split; [exact E3|]. split; [|discriminate]. apply Z.eqb_eq in Z. apply is_zero_correct in Zd. rewrite Zd. apply is_zero_correct.
      unfold is_zero, wires_value. cbn [with_base with_magnitude n_negative n_magnitude Notation.num]. rewrite (Zm Z). now destruct (value v (n_negative x)).
    + destruct (wires_lg v x d V Zd) as [P Lg]. fold mag in P, Lg. rewrite Fr in Lg. assert (T : top = lg d) by (unfold top, leading_zeros; fold mag; lia).
      destruct (Pm P) as (T1 & k & K0 & K1 & K2); [pose proof (Z.log2_nonneg mag); unfold last_bit; lia|].
      split; [congruence|]. split; [|intros _; split; [exact OE|apply Z.le_refl]]. apply (value_shifted x m e k d Fr K0 K1); [congruence|exact V].
  - destruct W as [_ W]. assert (P : 0 < mag) by lia. assert (LG : Z.log2 mag = M_bits f).
    { apply Z.log2_unique; replace (Z.succ (M_bits f)) with (M_bits f + 1) by ring; lia. }
    destruct (Pm P) as (_ & k & K0 & K1 & _); [unfold top, leading_zeros; fold mag; lia|]. rewrite K1. pose proof (Z.pow_pos_nonneg 2 k eq_refl K0). nia.
Qed.

(** c: its value stays where it is. *)
Theorem computes_c_again x n : is_operand v f x n ->
  computes v (c_again_wires wide x) (fun y => is_leaf v f y (read_again (Some wide) n)).
Proof.
  intros H. pose proof wide_emin as WE. pose proof H as (Lm & Fr & _ & _ & OB & (B1 & B2 & B3) & _ & _ & _ & _ & _ & W).
  destruct (fair_parts f Hf) as (_ & _ & PE & PM & _ & _ & PB & _).
  assert (Em : - 2 ^ 30 <= emin f <= 2 ^ 30 + 1) by (unfold emin; destruct (has_zero f); lia). change (2 ^ 31) with (2 * 2 ^ 30) in *.
  set (mag := num (n_magnitude x)) in *. destruct (fixed_ok v (emin wide)) as [FE FO]. pose proof (num_bound v (n_magnitude x)) as Bm. fold mag in Bm.
  unfold c_again_wires. cbv zeta. eapply computes_bind; [apply (computes_any v v0)|]. intros some Hsome. fold mag in Hsome.
  eapply computes_bind; [exact (computes_normalised x n H)|]. intros y (m & b & -> & Lm0 & Lo & Hi & Z0 & P0). fold mag in Z0, P0.
  cbn [with_base with_magnitude n_base].
  eapply computes_bind.
  { eapply computes_both; [apply bounds_i_larger|]. apply (computes_if v _ (0 < mag) (fun z => int z = Z.max (int b) (int (fixed_integer (emin wide))) /\ int_ok v z)). intros P. destruct (P0 P) as (_ & _ & _ & O).
    apply (computes_i_larger v v0 _ _ O FO). cbn [fixed_integer i_low i_high]. rewrite Lo, Hi. change (2 ^ 64) with (17179869184 * 2 ^ 30). lia. }
  intros top ((T1 & T2) & HT). cbn [fixed_integer i_low i_high] in T1, T2. rewrite FE in HT.
  assert (VZ : value v (invert some) = (mag =? 0)) by (rewrite value_invert, Hsome; apply negb_involutive).
  eapply computes_bind.
  { eapply computes_both; [apply bounds_i_mux|]. apply (computes_i_mux_chosen v v0).
    - rewrite VZ. destruct (Z.eqb_spec mag 0); [exact FO|apply HT; lia].
    - cbn [fixed_integer i_low i_high]. rewrite T1, T2. change (2 ^ 64) with (17179869184 * 2 ^ 30). lia. }
  intros e ((E1 & E2) & E3 & OE). cbn [fixed_integer i_low i_high] in E1, E2. rewrite VZ, FE in E3. apply computes_ret.
  apply leaf_again; try assumption; try (rewrite ?Lo, ?Hi; change (2 ^ 32) with (4 * 2 ^ 30); lia).
  { unfold close. rewrite E1, E2. change (2 ^ 39) with (512 * 2 ^ 30). lia. }
  destruct n as [d ed s|s t|s t c]; [| |exact I].
  - destruct W as (_ & V & _). pose proof (wires_zero v x d V) as Z. fold mag in Z. rewrite Z in E3. destruct (is_zero d) eqn:Zd.
    + split; [exact E3|]. split; [|discriminate]. apply Z.eqb_eq in Z. apply is_zero_correct in Zd. rewrite Zd. apply is_zero_correct.
      unfold is_zero, wires_value. cbn [with_base with_magnitude n_negative n_magnitude Notation.num]. rewrite (Z0 Z). now destruct (value v (n_negative x)).
    + destruct (wires_lg v x d V Zd) as [P Lg]. fold mag in P, Lg. rewrite Fr in Lg. destruct (P0 P) as (D0 & N0 & I0 & O0). destruct (HT P) as [HT1 _].
      assert (T : int b = lg d) by (rewrite I0; unfold leading_zeros; fold mag; lia).
      split; [congruence|]. split; [exact (value_shifted x m b _ d Fr D0 N0 I0 V)|]. intros _. split; [exact O0|]. lia.
  - destruct W as [_ W]. pose proof (Z.pow_pos_nonneg 2 (M_bits f) eq_refl ltac:(lia)). destruct (P0 ltac:(lia)) as (D0 & -> & _).
    pose proof (Z.pow_pos_nonneg 2 _ eq_refl D0). nia.
Qed.

End Wide.

(** A factor of a product, without [nanzero]. *)
Theorem computes_factor p w : negb (p_nanzero p) || has_zero f = true -> fair_again (p_as p) f = true -> len w = width f ->
  computes v (factor_wires f w p) (fun x => is_factor v x (factor p f (read f (num w))) /\ special_is v (n_special x) (factor p f (read f (num w)))).
Proof.
  intros Hn Ha Lw. unfold factor_wires, factor.
  eapply computes_bind; [exact (computes_both v _ _ _ (computes_read_operand v v0 f Hf w Lw) (computes_read_only v v0 f Hf w Lw))|]. intros x [[Hx Sx] Ox].
  set (n := match read f (num w) with Infinite s t => if p_infnan p then NaN s false None else read f (num w) | _ => read f (num w) end).
  eapply computes_bind with (P := fun y => is_operand v f y n /\ sign_of n = sign_if (value v (n_negative y)) /\ only_nan v y n).
  { unfold n. destruct (p_infnan p).
    - eapply computes_bind; [apply (computes_any_of v v0)|]. intros nan Hnan. cbn [existsb] in Hnan. rewrite orb_false_r in Hnan. apply computes_ret.
      split; [exact (operand_infnan v v0 f x _ nan Hx Hnan)|]. split; [destruct (read f (num w)); exact Sx|]. intros _. split; exact (value_no v v0).
    - apply computes_ret. destruct (read f (num w)); now split. }
  intros x' (Hx' & Sx' & Ox').
  eapply computes_bind with (P := fun y => is_operand v f y (match n with NaN s _ _ => if p_nanzero p then Finite zero (Some (emin f)) s else n | _ => n end)).
  { destruct (p_nanzero p); [exact (computes_nanzero v v0 f Hf x' n Hn Hx' Sx' Ox')|]. apply computes_ret. destruct n; exact Hx'. }
  intros y Hy.
  eapply computes_bind; [exact (computes_flushed v v0 f Hf (p_ftz p) y _ Hy)|]. intros z Hz. unfold fair_again in Ha. destruct (p_as p) as [wide|].
  - apply andb_prop in Ha. destruct Ha as [Hw He]. apply Z.leb_le in He.
    eapply computes_weaken; [exact (computes_read_again wide Hw z _ He Hz)|]. intros y' [Hl BE]. split; [exact (leaf_factor v f Hf y' _ Hl BE)|apply Hl].
  - apply computes_ret. split; [apply (leaf_factor v f Hf); [exact (operand_leaf v f Hf z _ Hz)|apply Hz]|apply Hz].
Qed.

(** The accumulator. *)
Theorem computes_accumulator c w : fair_c c = true -> len w = width f ->
  computes v (accumulator_wires f w c) (fun x => is_number v 1 x (accumulator c f (num w)) /\ roomy x).
Proof.
  intros Hc Lw. unfold accumulator_wires, accumulator. eapply computes_bind; [exact (computes_read_operand v v0 f Hf w Lw)|]. intros x [Hx _].
  eapply computes_bind; [exact (computes_flushed v v0 f Hf (c_ftz c) x _ Hx)|]. intros y Hy. unfold fair_c in Hc. destruct (c_as c) as [wide|].
  - eapply computes_weaken; [exact (computes_c_again wide Hc y _ Hy)|]. intros z. apply (leaf_number v v0 f Hf).
  - apply computes_ret. apply (leaf_number v v0 f Hf). exact (operand_leaf v f Hf y _ Hy).
Qed.

End ReadAgain.
