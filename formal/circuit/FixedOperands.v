(** * Operands in fixed point

    What is read of a two's-complement integer is a factor of a product, beside those in floating point. Its significand may
    have two bits before the point. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Flocq Require Import Core.
From Discern Require Import Notation Real Carried Units Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading Sums Exponents Numbers
  Factors Operands ReadAgain.
Import ListNotations.
Open Scope Z_scope.

(** Fixed point that is covered, and the formats of a and b. *)
Definition fair_fixed (f : format) : bool :=
  valid_format f && is_fixed f && (2 <=? width f) && (width f <=? 2 ^ 30) && (M_bits f =? width f - 2) && (Z.abs (bias f) <=? 2 ^ 30) && has_zero f.
Definition fair_operand (f : format) : bool := fair_format f || fair_fixed f.

(** How it may be read: in fixed point, as it is. *)
Definition fair_factor (p : product_attr) (f : format) : bool :=
  fair_format f && fair_again (p_as p) f && (negb (p_nanzero p) || has_zero f) ||
  fair_fixed f && match p_as p, p_ftz p with None, KeepSubnormals => true | _, _ => false end && negb (p_infnan p) && negb (p_nanzero p).

Lemma fixed_parts f : fair_fixed f = true ->
  valid_format f = true /\ is_fixed f = true /\ 2 <= width f <= 2 ^ 30 /\ M_bits f = width f - 2 /\ - 2 ^ 30 <= bias f <= 2 ^ 30 /\ has_zero f = true.
Proof.
  intros H. assert (V : valid_format f = true) by (unfold fair_fixed in H; destruct (valid_format f); [reflexivity|discriminate H]).
  unfold fair_fixed in H. repeat (apply andb_prop in H; destruct H as [H ?H']).
  repeat match goal with H : (_ <=? _) = true |- _ => apply Z.leb_le in H | H : (_ =? _) = true |- _ => apply Z.eqb_eq in H end.
  repeat match goal with |- _ /\ _ => split end; try assumption; lia.
Qed.

Lemma operand_valid f : fair_operand f = true -> valid_format f = true /\ 0 < width f.
Proof.
  intros H. unfold fair_operand in H. apply orb_prop in H. destruct H as [H|H].
  - destruct (fair_parts f H) as (V & _ & P1 & P2 & P3 & P4 & _). split; [exact V|lia].
  - destruct (fixed_parts f H) as (V & _ & P1 & _). split; [exact V|lia].
Qed.

Lemma operand_fits f bits : fair_operand f = true -> carries_fitting (read f bits).
Proof.
  intros H. unfold fair_operand in H. apply orb_prop in H. destruct H as [H|H]; [now apply fair_read_fits|].
  destruct (fixed_parts f H) as (_ & Fx & _). unfold read. now rewrite Fx.
Qed.

Section FixedOperands.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).

Lemma part_more k k' x t m : k <= k' -> is_part v k x t m -> is_part v k' x t m.
Proof. intros L (O & (A1 & A2 & A3 & A4 & A5 & A6) & R). split; [exact O|]. split; [|exact R]. unfold narrow. change (2 ^ 32) with 4294967296 in *. lia. Qed.

(** A factor whose significand may have two bits before the point. *)
Definition is_wide_factor (x : wires) (m : number) : Prop :=
  is_part v 2 x (bits_of_factor v x) m /\ special_is v (n_special x) m.

Theorem computes_read_fixed f p : fair_fixed f = true -> len p = width f -> computes v (read_wires f p) (fun x => is_wide_factor x (read f (num p))).
Proof.
  intros Hf Lp. destruct (fixed_parts f Hf) as (_ & Fx & PW & PM & PB & HZ). unfold read_wires, read. rewrite Fx. unfold read_fixed_wires, read_fixed.
  pose proof (num_bound v p) as B. rewrite Lp in B. rewrite !pow2_correct, (Z.mod_small _ _ B). set (b := num p) in *.
  set (n := if b <? 2 ^ (width f - 1) then b else b - 2 ^ width f).
  assert (P2 : 2 ^ width f = 2 * 2 ^ (width f - 1)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  assert (Bn : - 2 ^ (width f - 1) <= n < 2 ^ (width f - 1)) by (unfold n; destruct (Z.ltb_spec b (2 ^ (width f - 1))); lia).
  assert (Hn : holds_integer v p n).
  { unfold holds_integer. rewrite Lp. fold b. unfold n. destruct (b <? 2 ^ (width f - 1)); [now rewrite Z.mod_small|].
    apply (Z.mod_unique _ _ (-1)); lia. }
  destruct (computes_sign_and_magnitude v v0 p n ltac:(lia) Hn ltac:(rewrite Lp; exact Bn)) as [Sg Mg].
  eapply computes_bind; [exact Mg|]. intros mag [Lmag Nmag]. apply computes_ret.
  destruct (fixed_ok v (emin f)) as [FE FO]. assert (Em : - 2 ^ 30 <= emin f <= 2 ^ 30 + 1) by (unfold emin; rewrite HZ; lia).
  set (x := Wires _ _ _ _ _ _ _ _ _ _ _ _).
  assert (V : D2R (wires_value v x) = D2R (Dyadic n (last_bit f))).
  { unfold wires_value, x. cbn [n_negative n_magnitude n_base n_fraction]. rewrite FE. apply D2R_same; [|reflexivity]. rewrite Sg, Nmag. destruct (Z.ltb_spec n 0); lia. }
  assert (SP : special_is v (n_special x) (Finite (Dyadic n (last_bit f)) (Some (emin f)) Plus)).
  { unfold special_is, x. cbn [n_special no_special_wires w_nan w_plus w_minus t_nan t_plus t_minus is_nan_of is_infinity_of]. rewrite (value_no v v0). now repeat split. }
  split; [|exact SP]. split; [exact FO|]. split; [|split].
  - unfold narrow, x. cbn [n_fraction n_magnitude n_lsb n_base fixed_integer i_low i_high]. rewrite Lmag, Lp, PM. unfold last_bit. rewrite PM. change (2 ^ 32) with (4 * 2 ^ 30). lia.
  - apply factor_describes; [exact SP| |split; [discriminate|exact V]]. split; [|discriminate]. intros _. cbn [sign_of].
    change (is_zero (Dyadic n (last_bit f))) with (n =? 0). change (is_negative (Dyadic n (last_bit f))) with (n <? 0). unfold x. cbn [n_negative]. rewrite Sg.
    destruct (Z.eqb_spec n 0) as [->|]; reflexivity.
  - split; [exact V|]. split; [unfold x; cbn [n_base]; now rewrite FE|]. unfold x. cbn [n_lsb]. eexists. reflexivity.
Qed.

(** A factor of either kind, with the attributes of its leaf. *)
Theorem computes_operand p f w : fair_factor p f = true -> len w = width f ->
  computes v (factor_wires f w p) (fun x => is_wide_factor x (factor p f (read f (num w)))).
Proof.
  intros H Lw. unfold fair_factor in H. apply orb_prop in H. destruct H as [H|H].
  - apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H. destruct H as [H1 H2].
    eapply computes_weaken; [exact (computes_factor v v0 f H1 p w H3 H2 Lw)|]. intros x [P SP]. split; [|exact SP]. now apply (part_more 1).
  - apply andb_prop in H. destruct H as [H H4]. apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H. destruct H as [H1 H2].
    apply negb_true_iff in H3, H4. destruct (fixed_parts f H1) as (_ & Fx & _). unfold factor_wires, factor. rewrite H3, H4.
    destruct (p_as p); [discriminate|]. destruct (p_ftz p); try discriminate.
    eapply computes_bind; [exact (computes_read_fixed f w H1 Lw)|]. intros x Hx.
    do 3 (eapply computes_bind with (P := fun y => y = x); [now apply computes_ret|]; intros ? ->). apply computes_ret.
    assert (R : exists d, read f (num w) = Finite d (Some (emin f)) Plus) by (unfold read; rewrite Fx; eexists; reflexivity). destruct R as [d R]. rewrite R in *. exact Hx.
Qed.

End FixedOperands.
