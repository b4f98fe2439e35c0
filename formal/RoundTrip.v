(** * Writing what was read

    For every format by its fields, of every kind of special values, and for fixed point: the pattern of the number of a
    pattern is that pattern, NaN aside. *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core.
From Discern Require Import Notation Real.
Open Scope Z_scope.

(** What a significand is, read back: a normal one, or a subnormal one or zero at emin. *)
Lemma write_significand f (negative : bool) n e :
  is_fixed f = false -> 0 <= M_bits f -> 0 <= n < 2 ^ (M_bits f + 1) ->
  (2 ^ M_bits f <= n /\ emin f <= e \/ n < 2 ^ M_bits f /\ e = emin f) ->
  write_finite f (Dyadic (if negative then - n else n) (e - M_bits f)) (sign_if negative) =
  if n <? 2 ^ M_bits f then fields f negative 0 n
  else fields f negative (e + bias f) (n - 2 ^ M_bits f).
Proof.
  intros Hf HM Hn He. set (M := M_bits f) in *.
  pose proof (Z.pow_pos_nonneg 2 M eq_refl HM) as PM.
  unfold write_finite. rewrite Hf. cbv zeta.
  set (v := Dyadic (if negative then - n else n) (e - M)).
  assert (S : sign_eqb (sign_of (Finite v None (sign_if negative))) Minus = negative).
  { cbn [sign_of]. unfold is_zero, is_negative, v; cbn [num].
    destruct (Z.eqb_spec (if negative then - n else n) 0) as [Z|Z]; [now destruct negative|].
    destruct negative.
    - replace (- n <? 0) with true by (symmetry; apply Z.ltb_lt; lia). reflexivity.
    - replace (n <? 0) with false by (symmetry; apply Z.ltb_ge; lia). reflexivity. }
  rewrite S. unfold is_zero; cbn [num v].
  destruct (Z.eqb_spec (if negative then - n else n) 0) as [Z|Z].
  - assert (n = 0) as -> by (destruct negative; lia).
    replace (0 <? 2 ^ M) with true by (symmetry; now apply Z.ltb_lt). reflexivity.
  - assert (N : 0 < n) by (destruct negative; lia).
    assert (A : Z.abs (if negative then - n else n) = n) by (destruct negative; lia).
    assert (L : lg v = Z.log2 n + (e - M)) by (unfold lg, v; cbn [num scale]; now rewrite A).
    assert (X : Z.max (lg v) (emin f) = e).
    { rewrite L. destruct He as [[H1 H2]|[H1 H2]].
      - assert (Z.log2 n = M) by (apply Z.log2_unique; [exact HM|]; replace (Z.succ M) with (M + 1) by ring; lia). lia.
      - assert (Z.log2 n < M) by (apply Z.log2_lt_pow2; lia). lia. }
    fold M. rewrite X.
    assert (U : units (magnitude v) (e - M) = n).
    { apply units_correct. unfold D2R, magnitude, v; cbn [num scale]. now rewrite A. }
    rewrite U, pow2_correct. reflexivity.
Qed.

(** The fields of a pattern make the pattern. *)
Lemma fields_of_pattern E M k bits : 0 < E -> 0 < M -> 0 <= bits < 2 ^ (M + E + 1) ->
  fields (by_fields E M k) (Z.odd (bits / pow2 (0 + M + E))) ((bits / pow2 (0 + M)) mod pow2 E) ((bits / pow2 0) mod pow2 M)
  = bits.
Proof.
  intros HE HM R. unfold fields. cbn [E_bits M_bits padding by_fields]. rewrite !pow2_correct, !Z.add_0_l.
  change (2 ^ 0) with 1. rewrite Z.div_1_r, Z.mul_1_r.
  pose proof (Z.pow_pos_nonneg 2 M eq_refl ltac:(lia)) as PM. pose proof (Z.pow_pos_nonneg 2 E eq_refl ltac:(lia)) as PE.
  assert (D : bits / 2 ^ (M + E) = bits / 2 ^ M / 2 ^ E) by (rewrite Z.pow_add_r by lia; rewrite Z.div_div by lia; reflexivity).
  assert (B : 0 <= bits / 2 ^ (M + E) < 2).
  { split; [apply Z.div_pos; [lia|apply Z.pow_pos_nonneg; lia]|]. apply Z.div_lt_upper_bound; [apply Z.pow_pos_nonneg; lia|].
    replace (2 ^ (M + E) * 2) with (2 ^ (M + E + 1)) by (rewrite (Z.pow_add_r 2 (M + E) 1) by lia; reflexivity). lia. }
  replace (if Z.odd (bits / 2 ^ (M + E)) then 1 else 0) with (bits / 2 ^ (M + E)).
  2: { assert (C : bits / 2 ^ (M + E) = 0 \/ bits / 2 ^ (M + E) = 1) by lia. destruct C as [-> | ->]; reflexivity. }
  rewrite D. rewrite (Z.mul_comm _ (2 ^ E)), <- (Z_div_mod_eq_full (bits / 2 ^ M) (2 ^ E)).
  rewrite (Z.mul_comm _ (2 ^ M)), <- (Z_div_mod_eq_full bits (2 ^ M)). reflexivity.
Qed.

Theorem write_read u E M k bits : 0 < E -> 0 < M -> k <> Fixed -> 0 <= bits < 2 ^ (M + E + 1) ->
  let f := by_fields E M k in
  (exists s t c, read f bits = NaN s t c) \/ result u f (read f bits) = bits.
Proof.
  intros HE HM Hk R f.
  assert (Hf : is_fixed f = false) by (unfold is_fixed, f; cbn; destruct k; congruence).
  pose proof (fields_of_pattern E M k bits HE HM R) as FP. fold f in FP.
  unfold read. rewrite Hf. unfold read_float.
  change (padding f) with 0. change (M_bits f) with M. change (E_bits f) with E. change (has_sign f) with true.
  cbn [andb]. set (neg := Z.odd (bits / pow2 (0 + M + E))) in *. set (x := (bits / pow2 (0 + M)) mod pow2 E) in *.
  set (fr := (bits / pow2 0) mod pow2 M) in *.
  assert (PM : 0 < pow2 M) by (apply pow2_pos; lia). assert (PE : 0 < pow2 E) by (apply pow2_pos; lia).
  assert (Bx : 0 <= x < pow2 E) by (apply Z.mod_pos_bound; exact PE).
  assert (Bf : 0 <= fr < pow2 M) by (apply Z.mod_pos_bound; exact PM).
  assert (G : result u f (read_finite f neg x fr) = bits).
  { unfold read_finite. change (has_zero f) with true. change (M_bits f) with M. cbn [negb orb result].
    assert (P2 : 2 ^ (M + 1) = 2 * 2 ^ M) by (rewrite Z.pow_add_r by lia; change (2 ^ 1) with 2; ring).
    rewrite pow2_correct in *. rewrite <- FP.
    destruct (Z.eqb_spec x 0) as [X|X]; cbn [negb].
    - pose proof (write_significand f neg fr (emin f) Hf) as W. change (M_bits f) with M in W. rewrite W by lia.
      replace (fr <? 2 ^ M) with true by (symmetry; now apply Z.ltb_lt). now rewrite X.
    - pose proof (write_significand f neg (2 ^ M + fr) (x - bias f) Hf) as W. change (M_bits f) with M in W.
      rewrite W; [|lia|lia|left; split; [lia|]; change (emin f) with (1 - bias f); lia].
      replace (2 ^ M + fr <? 2 ^ M) with false by (symmetry; apply Z.ltb_ge; lia). f_equal; ring. }
  destruct k; try contradiction; cbn [kind_of f by_fields].
  - destruct (Z.eqb_spec x (pow2 E - 1)) as [T|T]; [|now right].
    destruct (Z.eqb_spec fr 0) as [Z|Z]; [right|left; now do 3 eexists].
    cbn [result]. unfold write_infinity. change (infinite_fraction f) with 0. change (E_bits f) with E. rewrite <- T, <- Z.
    replace (sign_eqb (sign_if neg) Minus) with neg by (now destruct neg). exact FP.
  - destruct ((x =? pow2 E - 1) && (fr =? pow2 M - 1)); [left; now do 3 eexists|now right].
  - destruct (neg && (x =? 0) && (fr =? 0)); [left; now do 3 eexists|now right].
  - destruct (neg && (x =? 0) && (fr =? 0)); [left; now do 3 eexists|].
    destruct (Z.eqb_spec x (pow2 E - 1)) as [T|T]; [|now right]. destruct (Z.eqb_spec fr (pow2 M - 1)) as [Z|Z]; [|now right].
    right. cbn [andb result]. unfold write_infinity. change (infinite_fraction f) with (pow2 M - 1). change (E_bits f) with E. rewrite <- T, <- Z.
    replace (sign_eqb (sign_if neg) Minus) with neg by (now destruct neg). exact FP.
  - now right.
Qed.

Theorem write_read_fixed u W F bits : 2 <= W -> 0 <= bits < 2 ^ W ->
  result u (fixed_point W F) (read (fixed_point W F) bits) = bits.
Proof.
  intros HW R. unfold read, read_fixed. change (is_fixed (fixed_point W F)) with true. cbv iota zeta.
  change (width (fixed_point W F)) with W. set (q := last_bit (fixed_point W F)).
  cbn [result]. unfold write_finite. change (is_fixed (fixed_point W F)) with true. cbv iota. fold q.
  change (width (fixed_point W F)) with W. rewrite (units_correct (Dyadic _ q) _ q eq_refl), !pow2_correct, (Z.mod_small bits) by exact R.
  destruct (bits <? 2 ^ (W - 1)).
  - now apply Z.mod_small.
  - symmetry. apply Z.mod_unique with (q := -1); [now left|cbn [num]; ring].
Qed.
