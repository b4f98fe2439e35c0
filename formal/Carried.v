(** * What NaN carry

    A property of what is carried, that every NaN has which carries something, stays one through operands, products and sums.
    Three are of use: none carries anything; what is carried is quiet, of 64 bits; and the round of such a NaN is one, too. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real.
Import ListNotations.
Open Scope Z_scope.

Definition carries (P : content -> Prop) (x : number) : Prop := match x with NaN _ _ (Some c) => P c | _ => True end.

(** ** Any property *)

Section Carries.
Variable P : content -> Prop.

Lemma flush_carries z f x : carries P x -> carries P (flush_operand z f x).
Proof. intros H. destruct x; cbn [flush_operand]; try exact H. match goal with |- context [if ?c then _ else _] => destruct c; exact I end. Qed.

Lemma read_again_carries wide x : carries P x -> carries P (read_again wide x).
Proof. intros H. destruct wide, x; exact H. Qed.

Lemma factor_carries p f x : carries P x -> carries P (factor p f x).
Proof.
  intros H. unfold factor. apply read_again_carries, flush_carries. destruct x as [d e s|s t|s t c]; [exact I| |].
  - destruct (p_infnan p); [|exact I]. destruct (p_nanzero p); exact I.
  - destruct (p_nanzero p); [exact I|exact H].
Qed.

Lemma product_carries z x y : carries P x -> carries P y -> carries P (product z x y).
Proof.
  intros Hx Hy. destruct x as [d [e|] s|s t|s t [c|]], y as [d' [e'|] s'|s' t'|s' t' [c'|]]; cbn [product carries] in *; try exact I; try assumption;
    match goal with |- context [if ?c then _ else _] => destruct c; exact I end.
Qed.

Lemma limited_carries p x : carries P x -> carries P (limit_and_normalise p x).
Proof.
  intros H. destruct x as [d e s| |]; cbn [limit_and_normalise]; try exact H. destruct (is_zero d); [exact I|].
  match goal with |- context [if ?c then _ else _] => destruct c; [exact I|] end. destruct (p_normalisation p), e; exact I.
Qed.

Lemma scaled_carries s i z k x : carries P x -> carries P (scaled s i z k x).
Proof.
  intros H. unfold scaled. destruct s as [[f n]|]; [|exact H].
  assert (S : forall b, carries P (read_scale f b)) by (intros b; unfold read_scale; destruct (read f b); exact I).
  now repeat apply product_carries.
Qed.

Lemma scaled_sum_carries how s i k x : carries P x -> carries P (scaled_sum how s i k x).
Proof.
  intros H. assert (S : forall f b, carries P (read_scale f b)) by (intros f b; unfold read_scale; destruct (read f b); exact I).
  unfold scaled_sum. destruct how, s as [[f n]|]; try exact H; try (now apply product_carries). now apply scaled_carries.
Qed.

Lemma accumulator_carries c f bits : carries P (read f bits) -> carries P (accumulator c f bits).
Proof. intros H. now apply read_again_carries, flush_carries. Qed.

(** It does not depend on where the NaN comes from. *)
Hypothesis any_origin : forall o c, P c -> P (with_origin o c).

Lemma kept_carries x : carries P x -> carries P (kept x).
Proof. intros H. destruct x as [| |s t [c|]]; try exact I. now apply any_origin. Qed.

Lemma as_child_carries u i k n a x : carries P x -> carries P (as_child u i k n a x).
Proof.
  intros H. assert (T : carries P (as_term n x)) by (destruct n; cbn [as_term]; try exact H; now apply kept_carries).
  unfold as_child. destruct (ch_scaled a), (elements_below (unit_L u) n); try exact T; now apply scaled_sum_carries.
Qed.

Lemma carried_on_carries t o l : Forall (carries P) l -> match carried_on t o l with Some c => P c | None => True end.
Proof.
  intros H. assert (G : match first_carried t l with Some c => P c | None => True end).
  { induction H as [|x l Hx _ IH]; [exact I|]. cbn [first_carried]. destruct x as [| |s t' [c|]]; try exact IH. destruct (Bool.eqb t' t); [exact Hx|exact IH]. }
  unfold carried_on. destruct (first_carried t l); [now apply any_origin|exact I].
Qed.

Lemma special_carries l x : Forall (carries P) l -> special_sum l = Some x -> carries P x.
Proof.
  intros H. assert (G : forall t y, special_of t l = Some y -> carries P y).
  { intros t y. unfold special_of. repeat match goal with |- context [if ?c then _ else _] => destruct c end; intros E; inversion E; try exact I.
    now apply carried_on_carries. }
  unfold special_sum. destruct (special_of false l) as [y|] eqn:S; [|apply G]. intros E. inversion E. subst. exact (G _ _ S).
Qed.

Lemma fuse_carries u children terms : Forall (fun t => carries P (t_number t)) terms -> carries P (fuse u children terms).
Proof.
  intros H. unfold fuse. destruct (special_sum (map t_number terms)) as [x|] eqn:S; [|destruct (common_exponent u terms); exact I].
  apply (special_carries (map t_number terms)); [now apply Forall_map|exact S].
Qed.

Lemma group_carries s i z k ps : Forall (carries P) ps -> carries P (group s i z k ps).
Proof.
  intros H. unfold group. assert (T : carries P (exact_sum ps)).
  { unfold exact_sum. destruct (special_sum ps) eqn:S; [exact (special_carries ps _ H S)|exact I]. }
  pose proof (scaled_carries s i false k _ T) as F. destruct (scaled s i false k (exact_sum ps)); [destruct (is_zero _); exact I|exact F|exact F].
Qed.
End Carries.

(** ** Quiet, of 64 bits *)

Definition content_fits (c : content) : Prop := 2 ^ 63 <= content_fraction c < 2 ^ 64.
Notation carries_fitting := (carries content_fits).

Lemma fits_any_origin o c : content_fits c -> content_fits (with_origin o c).
Proof. exact (fun H => H). Qed.
Lemma invalid_fits : content_fits invalid.
Proof. unfold content_fits, invalid, quiet_bit. cbn [content_fraction]. rewrite pow2_correct. lia. Qed.
Lemma or_invalid_fits c : match c with Some c => content_fits c | None => True end -> content_fits (match c with Some c => c | None => invalid end).
Proof. destruct c; [exact (fun H => H)|intros _; exact invalid_fits]. Qed.

Lemma with_quiet_bit a : 0 <= a < 2 ^ 64 -> 2 ^ 63 <= Z.lor a quiet_bit < 2 ^ 64.
Proof.
  intros Ha. unfold quiet_bit. rewrite pow2_correct. assert (N : 0 <= Z.lor a (2 ^ 63)) by (apply Z.lor_nonneg; lia).
  assert (B : Z.testbit (Z.lor a (2 ^ 63)) 63 = true) by (rewrite Z.lor_spec, Z.pow2_bits_true, orb_true_r by lia; reflexivity). split.
  - destruct (Z.lt_ge_cases (Z.lor a (2 ^ 63)) (2 ^ 63)) as [L|L]; [exfalso|exact L].
    rewrite Z.testbit_odd, Z.shiftr_div_pow2, Z.div_small in B by lia. discriminate.
  - destruct (Z.eq_dec (Z.lor a (2 ^ 63)) 0) as [E0|NE]; [lia|]. apply Z.log2_lt_pow2; [lia|]. rewrite Z.log2_lor by lia.
    rewrite Z.log2_pow2 by lia. destruct (Z.eq_dec a 0) as [->|N0]; [reflexivity|].
    assert (Z.log2 a < 64) by (apply Z.log2_lt_pow2; lia). lia.
Qed.

(** The fraction field of a NaN, as it is carried. *)
Lemma field_fits M x n o : 0 <= M <= 64 -> 0 <= x < 2 ^ M -> content_fits (Content n (Z.lor (x * pow2 (64 - M)) quiet_bit) o).
Proof.
  intros HM Hx. unfold content_fits. cbn [content_fraction]. apply with_quiet_bit. rewrite pow2_correct.
  assert (Q : 2 ^ 64 = 2 ^ M * 2 ^ (64 - M)) by (rewrite <- Z.pow_add_r by lia; f_equal; ring).
  pose proof (Z.pow_pos_nonneg 2 (64 - M) eq_refl ltac:(lia)). rewrite Q. split; [apply Z.mul_nonneg_nonneg; lia|apply Z.mul_lt_mono_pos_r; lia].
Qed.

(** And back: the field that is written. *)
Lemma written_field M c : 1 <= M <= 64 -> content_fits c -> 2 ^ (M - 1) <= content_fraction c / pow2 (64 - M) < 2 ^ M.
Proof.
  intros HM Hc. unfold content_fits in Hc. rewrite pow2_correct. pose proof (Z.pow_pos_nonneg 2 (64 - M) eq_refl ltac:(lia)) as P. split.
  - apply Z.div_le_lower_bound; [lia|]. rewrite <- Z.pow_add_r by lia. replace (64 - M + (M - 1)) with 63 by ring. lia.
  - apply Z.div_lt_upper_bound; [lia|]. rewrite <- Z.pow_add_r by lia. replace (64 - M + M) with 64 by ring. lia.
Qed.

(** With nan=rdna: the fraction field of the NaN of a factor, and what the rule makes of a NaN. *)
Lemma factor_nan_fits f : 1 <= M_bits f -> 2 ^ (M_bits f - 1) <= factor_nan_fraction f < 2 ^ M_bits f.
Proof.
  intros HM. unfold factor_nan_fraction. rewrite pow2_correct. pose proof (Z.pow_pos_nonneg 2 (M_bits f - 1) eq_refl ltac:(lia)) as P.
  pose proof (Z.mod_pos_bound 2621 _ P). replace (2 ^ M_bits f) with (2 * 2 ^ (M_bits f - 1)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia). lia.
Qed.

Lemma rule_fits u f x : 1 <= M_bits f -> M_bits f <= 64 -> carries_fitting x -> carries_fitting (nan_of_rule u f x).
Proof.
  intros H1 H2 H. unfold nan_of_rule. destruct (unit_nan u); try exact H. destruct x as [| |s t c]; try exact H.
  assert (F : forall n o, content_fits (Content n (factor_nan_fraction f * pow2 (64 - M_bits f)) o)).
  { intros n o. unfold content_fits. cbn [content_fraction]. destruct (factor_nan_fits f H1) as [L U]. rewrite pow2_correct.
    pose proof (Z.pow_pos_nonneg 2 (64 - M_bits f) eq_refl ltac:(lia)) as P.
    replace (2 ^ 63) with (2 ^ (M_bits f - 1) * 2 ^ (64 - M_bits f)) by (rewrite <- Z.pow_add_r by lia; f_equal; ring).
    replace (2 ^ 64) with (2 ^ M_bits f * 2 ^ (64 - M_bits f)) by (rewrite <- Z.pow_add_r by lia; f_equal; ring).
    split; [apply Z.mul_le_mono_nonneg_r; lia|apply Z.mul_lt_mono_pos_r; lia]. }
  destruct (origin_of c); cbn [carries]; [apply F| |exact H]. destruct (invalid_is_as_of_factor u); [apply F|exact invalid_fits].
Qed.

Lemma read_fits f bits : 0 <= M_bits f <= 64 -> carries_fitting (read f bits).
Proof.
  intros HM. unfold read. destruct (is_fixed f); [exact I|]. unfold read_float, read_finite.
  assert (B : 0 <= (bits / pow2 (padding f)) mod pow2 (M_bits f) < 2 ^ M_bits f) by (rewrite !pow2_correct; apply Z.mod_pos_bound, Z.pow_pos_nonneg; lia).
  destruct (kind_of f); repeat match goal with |- context [if ?c then _ else _] => destruct c end; first [exact I | now apply field_fits].
Qed.

Lemma round_fits r x : 0 <= M_bits (r_format r) <= 64 -> carries_fitting x -> carries_fitting (Notation.round r x).
Proof.
  intros HM H. unfold Notation.round. destruct (is_fixed (r_format r)); [exact I|].
  assert (N : forall s, carries_fitting (infinity_of (r_format r) s)).
  { intros s. unfold infinity_of. destruct (has_infinity _); [exact I|]. destruct (has_nan _); [now apply read_fits|exact I]. }
  destruct x as [d e s|s t|s t c].
  - destruct (is_zero d); [exact I|]. unfold round_finite.
    repeat match goal with |- context [if ?c then _ else _] => destruct c end; first [apply N|exact I].
  - apply N.
  - unfold round_nan. destruct (has_nan _); [|exact H]. pose proof (read_fits (r_format r) (write_nan (r_format r) match c with Some c => c | None => invalid end) HM) as R.
    destruct (read _ _) as [| |s' t' [c'|]]; try exact I. exact R.
Qed.
