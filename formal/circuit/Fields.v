(** * What the circuit reads of patterns is what the definition reads

    The fields of a pattern, and which patterns are NaN and infinities: certificate/circuit/read beside [read_float]. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real Gates Lrat Making Words Integers Circuit.
Import ListNotations.
Open Scope Z_scope.

(** The fields of a format are in its patterns. *)
Definition valid_format (f : format) : bool :=
  (0 <=? padding f) && (0 <=? M_bits f) && (match kind_of f with Inuz => 1 | _ => 0 end <=? E_bits f) && (0 <=? width f) &&
  (negb (has_sign f) || is_fixed f || (width f =? padding f + M_bits f + E_bits f + 1)).

Definition is_nan_number (x : number) : bool := match x with NaN _ _ _ => true | _ => false end.
Definition is_infinite_number (x : number) : bool := match x with Infinite _ _ => true | _ => false end.

Section Fields.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Variable f : format.
Hypothesis Hf : valid_format f = true.

Lemma valid_parts : 0 <= padding f /\ 0 <= M_bits f /\ 0 <= E_bits f /\ 0 <= width f /\
  (has_sign f = true -> is_fixed f = false -> width f = padding f + M_bits f + E_bits f + 1).
Proof.
  pose proof Hf as H. unfold valid_format in H. repeat (apply andb_prop in H; destruct H as [H ?H']).
  repeat match goal with H : (_ <=? _) = true |- _ => apply Z.leb_le in H end.
  assert (0 <= E_bits f) by (destruct (kind_of f); lia).
  repeat split; try assumption. intros S F. rewrite S, F in *. cbn [negb orb] in *.
  match goal with H : (_ =? _) = true |- _ => now apply Z.eqb_eq in H end.
Qed.

Lemma exponent_bits_of_inuz : kind_of f = Inuz -> 1 <= E_bits f.
Proof.
  intros K. pose proof Hf as H. unfold valid_format in H. rewrite K in H. repeat (apply andb_prop in H; destruct H as [H ?H']).
  now match goal with H : (1 <=? _) = true |- _ => apply Z.leb_le in H end.
Qed.

(** The fields, as [read_float] has them. *)
Definition exponent_of (bits : Z) : Z := (bits / pow2 (padding f + M_bits f)) mod pow2 (E_bits f).
Definition fraction_of (bits : Z) : Z := (bits / pow2 (padding f)) mod pow2 (M_bits f).
Definition sign_of_pattern (bits : Z) : bool := has_sign f && Z.odd (bits / pow2 (padding f + M_bits f + E_bits f)).

Lemma num_mantissa p : num (mantissa_field f p) = fraction_of (num p).
Proof.
  destruct valid_parts as (P1 & P2 & P3 & P4 & P5). unfold mantissa_field, fraction_of.
  rewrite (num_slice v v0) by lia. now rewrite !pow2_correct.
Qed.
Lemma num_exponent p : num (exponent_field f p) = exponent_of (num p).
Proof.
  destruct valid_parts as (P1 & P2 & P3 & P4 & P5). unfold exponent_field, exponent_of.
  rewrite (num_slice v v0) by lia. now rewrite !pow2_correct.
Qed.
Lemma length_mantissa p : Z.of_nat (length (mantissa_field f p)) = M_bits f.
Proof. destruct valid_parts as (P1 & P2 & P3 & P4 & P5). apply length_slice. lia. Qed.
Lemma length_exponent p : Z.of_nat (length (exponent_field f p)) = E_bits f.
Proof. destruct valid_parts as (P1 & P2 & P3 & P4 & P5). apply length_slice. lia. Qed.

Lemma value_sign p : is_fixed f = false -> Z.of_nat (length p) = width f -> value v (sign_field f p) = sign_of_pattern (num p).
Proof.
  intros F L. destruct valid_parts as (P1 & P2 & P3 & P4 & P5). unfold sign_field, sign_of_pattern.
  destruct (has_sign f); [|exact (value_no0 v v0)]. specialize (P5 eq_refl F). unfold msb, width_of.
  rewrite (value_bit v v0) by lia. rewrite L, P5. replace (padding f + M_bits f + E_bits f + 1 - 1) with (padding f + M_bits f + E_bits f) by ring.
  rewrite Z.testbit_odd, Z.shiftr_div_pow2 by lia. now rewrite pow2_correct.
Qed.

(** [read_float] in terms of the fields. *)
Ltac by_fields bits :=
  unfold read, is_fixed; destruct (kind_of f) eqn:K; unfold read_float; rewrite ?K; fold (exponent_of bits) (fraction_of bits) (sign_of_pattern bits);
  repeat match goal with |- context [if ?c then _ else _] => destruct c end; reflexivity.
Lemma nan_of_fields bits : is_nan_number (read f bits) =
  match kind_of f with
  | Ieee => (exponent_of bits =? pow2 (E_bits f) - 1) && negb (fraction_of bits =? 0)
  | Fn => (exponent_of bits =? pow2 (E_bits f) - 1) && (fraction_of bits =? pow2 (M_bits f) - 1)
  | Fnuz | Inuz => sign_of_pattern bits && (exponent_of bits =? 0) && (fraction_of bits =? 0)
  | _ => false
  end.
Proof. by_fields bits. Qed.
Lemma infinite_of_fields bits : is_infinite_number (read f bits) =
  match kind_of f with
  | Ieee => (exponent_of bits =? pow2 (E_bits f) - 1) && (fraction_of bits =? 0)
  | Inuz => (exponent_of bits =? pow2 (E_bits f) - 1) && (fraction_of bits =? pow2 (M_bits f) - 1)
  | _ => false
  end.
Proof.
  pose proof exponent_bits_of_inuz as EB. unfold read, is_fixed; destruct (kind_of f) eqn:K; unfold read_float; rewrite ?K;
    fold (exponent_of bits) (fraction_of bits) (sign_of_pattern bits).
  4: { specialize (EB eq_refl). destruct (Z.eqb_spec (exponent_of bits) (pow2 (E_bits f) - 1)) as [->|N].
       - rewrite pow2_correct. assert (2 <= 2 ^ E_bits f) by (change 2 with (2 ^ 1) at 1; apply Z.pow_le_mono_r; lia).
         destruct (Z.eqb_spec (2 ^ E_bits f - 1) 0); [lia|]. rewrite andb_false_r. cbn [andb]. destruct (fraction_of bits =? _); reflexivity.
       - cbn [andb]. destruct (_ && _ && _); reflexivity. }
  all: repeat match goal with |- context [if ?c then _ else _] => destruct c end; reflexivity.
Qed.

Lemma computes_is_nan p : Z.of_nat (length p) = width f ->
  computes v (is_nan_wire f p) (fun z => value v z = is_nan_number (read f (num p))).
Proof.
  intros L. rewrite nan_of_fields. unfold is_nan_wire.
  pose proof (num_mantissa p) as NM. pose proof (num_exponent p) as NE.
  pose proof (length_mantissa p) as LM. pose proof (length_exponent p) as LE.
  destruct (kind_of f) eqn:K.
  - eapply computes_bind; [apply (computes_any v v0)|]. intros a Ha. eapply computes_bind; [apply (computes_all v v0)|]. intros b Hb.
    eapply computes_weaken; [apply computes_and|]. intros z ->. now rewrite Ha, Hb, NM, NE, LE, pow2_correct.
  - eapply computes_bind; [apply (computes_all v v0)|]. intros a Ha. eapply computes_bind; [apply (computes_all v v0)|]. intros b Hb.
    eapply computes_weaken; [apply computes_and|]. intros z ->. now rewrite Ha, Hb, NM, NE, LM, LE, !pow2_correct.
  - eapply computes_bind; [apply (computes_any v v0)|]. intros a Ha. eapply computes_bind; [apply (computes_any v v0)|]. intros b Hb.
    eapply computes_bind; [apply computes_or|]. intros o Ho. eapply computes_weaken; [apply computes_and|]. intros z ->.
    rewrite value_invert, Ho, Ha, Hb, NM, NE, value_sign; [|unfold is_fixed; now rewrite K|exact L].
    destruct (sign_of_pattern (num p)), (exponent_of (num p) =? 0), (fraction_of (num p) =? 0); reflexivity.
  - eapply computes_bind; [apply (computes_any v v0)|]. intros a Ha. eapply computes_bind; [apply (computes_any v v0)|]. intros b Hb.
    eapply computes_bind; [apply computes_or|]. intros o Ho. eapply computes_weaken; [apply computes_and|]. intros z ->.
    rewrite value_invert, Ho, Ha, Hb, NM, NE, value_sign; [|unfold is_fixed; now rewrite K|exact L].
    destruct (sign_of_pattern (num p)), (exponent_of (num p) =? 0), (fraction_of (num p) =? 0); reflexivity.
  - apply computes_ret. exact (value_no0 v v0).
  - apply computes_ret. exact (value_no0 v v0).
Qed.

Lemma computes_is_infinite p : Z.of_nat (length p) = width f ->
  computes v (is_infinite_wire f p) (fun z => value v z = is_infinite_number (read f (num p))).
Proof.
  intros L. rewrite infinite_of_fields. unfold is_infinite_wire.
  pose proof (num_mantissa p) as NM. pose proof (num_exponent p) as NE. pose proof (length_exponent p) as LE.
  destruct (kind_of f) eqn:K; try (apply computes_ret; exact (value_no0 v v0)).
  - eapply computes_bind; [apply (computes_any v v0)|]. intros a Ha. eapply computes_bind; [apply (computes_all v v0)|]. intros b Hb.
    eapply computes_weaken; [apply computes_and|]. intros z ->. rewrite value_invert, Ha, Hb, NM, NE, LE, negb_involutive.
    now rewrite pow2_correct.
  - pose proof (length_mantissa p) as LM. eapply computes_bind; [apply (computes_all v v0)|]. intros a Ha.
    eapply computes_bind; [apply (computes_all v v0)|]. intros b Hb. eapply computes_weaken; [apply computes_and|]. intros z ->.
    now rewrite Ha, Hb, NM, NE, LM, LE, !pow2_correct.
Qed.
End Fields.
