(** * What NaN carry, in the definition

    Whatever a tree computes, a NaN of it carries nothing, or something quiet of 64 bits; rounds rest on that. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real Fields Factors Packing.
Import ListNotations.
Open Scope Z_scope.

Lemma read_fitting f bits : fair_format f = true -> carries_fitting (read f bits).
Proof.
  intros Hf. destruct (fair_parts f Hf) as (_ & Fx & PE & PM & _). unfold read. rewrite Fx. unfold read_float, read_finite.
  assert (B : 0 <= (bits / pow2 (padding f)) mod pow2 (M_bits f) < 2 ^ M_bits f) by (rewrite !pow2_correct; apply Z.mod_pos_bound, Z.pow_pos_nonneg; lia).
  assert (C : forall n o, content_fits (Content n (Z.lor ((bits / pow2 (padding f)) mod pow2 (M_bits f) * pow2 (64 - M_bits f)) quiet_bit) o)).
  { intros n o. unfold content_fits. cbn [content_fraction]. apply with_quiet_bit. rewrite (pow2_correct (64 - M_bits f)).
    assert (Q : 2 ^ 64 = 2 ^ M_bits f * 2 ^ (64 - M_bits f)) by (rewrite <- Z.pow_add_r by lia; f_equal; ring).
    pose proof (Z.pow_pos_nonneg 2 (64 - M_bits f) eq_refl ltac:(lia)). nia. }
  destruct (kind_of f); repeat match goal with |- context [if ?c then _ else _] => destruct c end; first [exact I | apply C].
Qed.

Lemma product_fitting z x y : carries_fitting x -> carries_fitting y -> carries_fitting (product z x y).
Proof.
  intros Hx Hy. destruct x as [d [e|] s|s t|s t [c|]], y as [d' [e'|] s'|s' t'|s' t' [c'|]]; cbn [product carries_fitting] in *; try exact I; try assumption;
    match goal with |- context [if ?c then _ else _] => destruct c; exact I end.
Qed.

Lemma flush_fitting z f x : carries_fitting x -> carries_fitting (flush_operand z f x).
Proof. intros H. destruct x; cbn [flush_operand]; try exact H. match goal with |- context [if ?c then _ else _] => destruct c; exact I end. Qed.

Lemma factor_fitting p f x : carries_fitting x -> carries_fitting (factor p f x).
Proof.
  intros H. unfold factor. apply flush_fitting. destruct x as [d e s|s t|s t c]; [exact I| |].
  - destruct (p_infnan p); [|exact I]. destruct (p_nanzero p); exact I.
  - destruct (p_nanzero p); [exact I|exact H].
Qed.

Lemma limited_fitting p x : carries_fitting x -> carries_fitting (limit_and_normalise p x).
Proof.
  intros H. destruct x as [d e s| |]; cbn [limit_and_normalise]; try exact H. destruct (is_zero d); [exact I|].
  match goal with |- context [if ?c then _ else _] => destruct c; [exact I|] end. destruct (p_normalisation p), e; exact I.
Qed.

Lemma scaled_fitting s i z k x : carries_fitting x -> carries_fitting (scaled s i z k x).
Proof.
  intros H. unfold scaled. destruct s as [[f n]|]; [|exact H].
  assert (S : forall b, carries_fitting (read_scale f b)) by (intros b; unfold read_scale; destruct (read f b); exact I).
  now repeat apply product_fitting.
Qed.

Lemma kept_fitting x : carries_fitting x -> carries_fitting (kept x).
Proof. intros H. destruct x as [| |s t [c|]]; try exact I. exact H. Qed.

Lemma fuse_fitting u children terms : Forall (fun t => carries_fitting (t_number t)) terms -> carries_fitting (fuse u children terms).
Proof.
  intros H. unfold fuse. destruct (special_sum (map t_number terms)) as [x|] eqn:S; [|destruct (common_exponent u terms); exact I].
  assert (F : forall t o, match option_map (with_origin o) (first_carried t (map t_number terms)) with Some c => content_fits c | None => True end).
  { intros t o. clear S. induction H as [|d l Hd _ IH]; [exact I|]. cbn [map first_carried].
    destruct (t_number d) as [| |s t' [c|]]; try exact IH. destruct (Bool.eqb t' t); [exact Hd|exact IH]. }
  assert (G : forall t y, special_of t (map t_number terms) = Some y -> carries_fitting y).
  { intros t y. unfold special_of. repeat match goal with |- context [if ?c then _ else _] => destruct c end; intros E; inversion E; try exact I.
    cbn [carries_fitting]. unfold carried_on. match goal with |- context [option_map (with_origin ?o)] => specialize (F t o) end.
    destruct (first_carried t _); exact F. }
  unfold special_sum in S. destruct (special_of false _) eqn:S1; [inversion S; subst; exact (G _ _ S1)|exact (G _ _ S)].
Qed.

Lemma rounded_fitting r x : fair_format (r_format r) = true -> carries_fitting x -> carries_fitting (Notation.round r x).
Proof.
  intros Hf H. destruct (fair_parts _ Hf) as (_ & Fx & _). unfold Notation.round. rewrite Fx.
  assert (N : forall s, carries_fitting (infinity_of (r_format r) s)).
  { intros s. unfold infinity_of. destruct (has_infinity _); [exact I|]. destruct (has_nan _); [now apply read_fitting|exact I]. }
  destruct x as [d e s|s t|s t c].
  - destruct (is_zero d); [exact I|]. unfold round_finite.
    repeat match goal with |- context [if ?c then _ else _] => destruct c end; first [apply N|exact I].
  - apply N.
  - unfold round_nan. destruct (has_nan _); [|exact H]. pose proof (read_fitting (r_format r) (write_nan (r_format r) match c with Some c => c | None => invalid end) Hf) as R.
    destruct (read _ _) as [| |s' t' [c'|]]; try exact I. exact R.
Qed.
