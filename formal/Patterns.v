(** * Patterns: reading and writing is what Flocq's [bits_of_binary_float] and its inverse do

    For every IEEE format by its fields, so for f16, bf16, f32 and f64 at once. *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core.
From Flocq Require Import BinarySingleNaN Binary Bits.
From Discern Require Import Notation Real.
Import ListNotations.
Open Scope Z_scope.

Section Patterns.

Variables E M : Z.
Hypothesis HE : 0 < E.
Hypothesis HM : 0 < M.
Hypothesis Hmax : M + 1 < 2 ^ (E - 1).

Definition ieee : format := by_fields E M Ieee.

(** Flocq's floating-point numbers of that format. *)
Notation prec := (M + 1).
Notation fmax := (2 ^ (E - 1)).
Notation B := (binary_float prec fmax).
Notation of_bits := (binary_float_of_bits M E HM HE Hmax).
Notation to_bits := (bits_of_binary_float M E).
Notation fmin := (3 - fmax - prec).

Lemma pow_E : 2 ^ E = 2 * 2 ^ (E - 1).
Proof. replace E with (1 + (E - 1)) at 1 by ring. rewrite Z.pow_add_r by lia. reflexivity. Qed.

Lemma emin_ieee : emin ieee = fmin + M.
Proof. change (emin ieee) with (1 - (pow2 (E - 1) - 1)). rewrite pow2_correct. lia. Qed.

Lemma bias_ieee : bias ieee = fmax - 1.
Proof. change (bias ieee) with (pow2 (E - 1) - 1). now rewrite pow2_correct. Qed.

Lemma emax_ieee : emax ieee = fmax - 1.
Proof. change (emax ieee) with (pow2 E - 2 - bias ieee). rewrite bias_ieee, pow2_correct, pow_E. lia. Qed.

(** The number that one of Flocq's floating-point numbers is. *)
Definition number_of (x : full_float) : number :=
  match x with
  | F754_zero s => Finite (Dyadic 0 fmin) (Some (emin ieee)) (sign_if s)
  | F754_finite s m e => Finite (Dyadic (cond_Zopp s (Zpos m)) e) (Some (e + M)) (sign_if s)
  | F754_infinity s => Infinite (sign_if s) false
  | F754_nan s m =>
      NaN (sign_if s) false (Some (Content s (Z.lor (Zpos m * pow2 (64 - M)) quiet_bit) OfFactor))
  end.

(** ** Reading *)
Theorem read_correct bits : 0 <= bits < 2 ^ (M + E + 1) ->
  read ieee bits = number_of (B2FF prec fmax (of_bits bits)).
Proof.
  intros R. unfold binary_float_of_bits. rewrite B2FF_FF2B. unfold read, read_float. cbn [is_fixed ieee by_fields kind_of].
  unfold binary_float_of_bits_aux, split_bits.
  change (padding ieee) with 0. change (M_bits ieee) with M. change (E_bits ieee) with E.
  change (has_sign ieee) with true. rewrite !pow2_correct, !Z.add_0_l.
  change (2 ^ 0) with 1. rewrite Z.div_1_r.
  pose proof (Z.pow_pos_nonneg 2 M eq_refl ltac:(lia)) as PM.
  pose proof (Z.pow_pos_nonneg 2 E eq_refl ltac:(lia)) as PE.
  assert (S : Z.odd (bits / 2 ^ (M + E)) = Zle_bool (Zpower 2 M * Zpower 2 E) bits).
  { change Zpower with Z.pow. rewrite <- Z.pow_add_r by lia.
    pose proof (Z.pow_pos_nonneg 2 (M + E) eq_refl ltac:(lia)) as PP.
    rewrite Z.pow_add_r in R by lia. change (2 ^ 1) with 2 in R.
    destruct (Z.leb_spec (2 ^ (M + E)) bits) as [H|H].
    - replace (bits / 2 ^ (M + E)) with 1; [reflexivity|].
      apply Z.div_unique with (bits - 2 ^ (M + E)); lia.
    - rewrite Z.div_small by lia. reflexivity. }
  cbn [andb]. rewrite S. change Zpower with Z.pow.
  set (s := Z.leb (2 ^ M * 2 ^ E) bits). set (x := (bits / 2 ^ M) mod 2 ^ E). set (fr := bits mod 2 ^ M).
  assert (Rx : 0 <= x < 2 ^ E) by (apply Z.mod_pos_bound; lia).
  assert (Rf : 0 <= fr < 2 ^ M) by (apply Z.mod_pos_bound; lia).
  pose proof emin_ieee as Hm. pose proof bias_ieee as Hb.
  pose proof pow_E as HpE. assert (2 <= 2 ^ E) by (rewrite HpE; lia).
  destruct (Z.eqb_spec x (2 ^ E - 1)) as [T|T].
  - replace (Zeq_bool x 0) with false by (symmetry; apply Zeq_bool_false; lia).
    replace (Zeq_bool x (2 ^ E - 1)) with true by (symmetry; now apply Zeq_bool_true).
    destruct fr as [|p|p]; [reflexivity| |lia]. cbn [Z.eqb]. unfold number_of. rewrite pow2_correct. reflexivity.
  - replace (Zeq_bool x (2 ^ E - 1)) with false by (symmetry; now apply Zeq_bool_false).
    unfold read_finite. change (has_zero ieee) with true. change (M_bits ieee) with M. cbn [negb orb].
    rewrite Hm, Hb.
    destruct (Z.eqb_spec x 0) as [Z0|Z0].
    + rewrite Z0. cbn [Zeq_bool Z.compare negb].
      destruct fr as [|p|p]; [| |lia]; unfold number_of; rewrite ?Hm.
      * destruct s; cbn; do 2 f_equal; ring.
      * replace (fmin + M - M) with fmin by ring. destruct s; reflexivity.
    + replace (Zeq_bool x 0) with false by (symmetry; now apply Zeq_bool_false).
      cbn [negb]. rewrite pow2_correct.
      destruct (fr + 2 ^ M) as [|p|p] eqn:P; try lia.
      unfold number_of. replace (2 ^ M + fr) with (Zpos p) by lia.
      replace (x - (fmax - 1) - M) with (x + fmin - 1) by ring.
      replace (x - (fmax - 1)) with (x + fmin - 1 + M) by ring.
      destruct s; reflexivity.
Qed.

(** ** Writing *)

(** x is the number b: the same value and sign, the same infinity, or both are NaN. *)
Definition same (x : number) (b : B) : Prop :=
  match x with
  | Finite v _ _ => is_finite prec fmax b = true /\ D2R v = B2R prec fmax b /\ sign_of x = sign_if (Bsign prec fmax b)
  | Infinite s _ => match b with B754_infinity _ _ sb => s = sign_if sb | _ => False end
  | NaN _ _ _ => is_nan prec fmax b = true
  end.

Lemma sign_eqb_minus s : sign_eqb (sign_if s) Minus = s.
Proof. now destruct s. Qed.

Lemma cond_Zopp_sign (s : bool) m : (cond_Zopp s (Zpos m) <? 0) = s.
Proof. now destruct s. Qed.

Theorem same_number_of (b : B) : same (number_of (B2FF prec fmax b)) b.
Proof.
  destruct b as [s|s|s pl Hpl|s m e Hb]; cbn; try reflexivity.
  - repeat split. unfold D2R; cbn. apply F2R_0.
  - repeat split. unfold is_negative, is_zero; cbn. now destruct s.
Qed.

Lemma fields_join (s : bool) x fr : fields ieee s x fr = join_bits M E s fr x.
Proof.
  unfold fields, join_bits. change (padding ieee) with 0. change (M_bits ieee) with M. change (E_bits ieee) with E.
  rewrite !pow2_correct, Z.shiftl_mul_pow2 by lia. change Zpower with Z.pow. change (2 ^ 0) with 1.
  destruct s; ring.
Qed.

Theorem write_correct u x b : same x b -> is_nan prec fmax b = false -> result u ieee x = to_bits b.
Proof.
  destruct x as [v e s|s t|s t c]; cbn [same]; [| |congruence].
  - intros (Fb & Hv & Hs) _. unfold result, write_finite. change (is_fixed ieee) with false. cbv iota.
    change (sign_of (Finite v None s)) with (sign_of (Finite v e s)). rewrite Hs, sign_eqb_minus.
    destruct b as [sb|sb|sb pl Hpl|sb m ex Hb]; try discriminate Fb; cbn [Bsign].
    + replace (is_zero v) with true by (symmetry; now apply is_zero_correct).
      now rewrite fields_join.
    + assert (NZ : D2R v <> 0%R).
      { rewrite Hv. cbn. now apply F2R_neq_0; destruct sb. }
      replace (is_zero v) with false by (symmetry; now apply is_zero_false).
      assert (Lg : lg v = Zpos (digits2_pos m) + ex - 1).
      { rewrite lg_correct by exact NZ. rewrite Hv. cbn [B2R]. rewrite mag_F2R_Zdigits by (now destruct sb).
        rewrite Zpos_digits2_pos. destruct sb; cbn; ring. }
      apply andb_prop in Hb as Hb'. destruct Hb' as [Hc He].
      apply Zeq_bool_eq in Hc. unfold SpecFloat.fexp, SpecFloat.emin in Hc.
      rewrite Lg, emin_ieee. change (M_bits ieee) with M.
      assert (Hu : units (magnitude v) ex = Zpos m).
      { apply units_correct. rewrite D2R_magnitude, Hv. cbn [B2R]. rewrite <- F2R_Zabs. now destruct sb. }
      replace (Z.max (Zpos (digits2_pos m) + ex - 1) (fmin + M)) with (ex + M) by lia.
      replace (ex + M - M) with ex by ring. rewrite Hu, pow2_correct, bias_ieee.
      unfold bits_of_binary_float. change Zpower with Z.pow.
      destruct (Z.ltb_spec (Zpos m) (2 ^ M)); destruct (Z.leb_spec 0 (Zpos m - 2 ^ M)); try lia; rewrite fields_join.
      * reflexivity.
      * f_equal. unfold SpecFloat.emin. ring.
  - destruct b as [sb|sb|sb pl Hpl|sb m ex Hb]; try easy. intros -> _. cbn [result]. unfold write_infinity. change (infinite_fraction ieee) with 0.
    rewrite sign_eqb_minus, fields_join, pow2_correct. reflexivity.
Qed.

End Patterns.
