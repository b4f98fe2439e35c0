(** * The result of a unit

    The round at the root, and which NaN the unit returns: the bits of d are those that the definition gives, where a NaN is a
    pattern, or any. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Discern Require Import Notation Real Units Gates Lrat Making Words Circuit CircuitUnit Fields Reading Numbers RoundNode Packing
  RoundCorrect RoundFixed.
Import ListNotations.
Open Scope Z_scope.

(** The NaN of a unit is one pattern, or its rule says that it does not matter which. *)
Definition fair_nan (u : unit) : bool :=
  match unit_nan u with NanPattern bits => (0 <=? bits) && (bits <? 2 ^ width (unit_d u)) | NanAny => true | _ => false end.

(** The formats to which rounds are covered. *)
Definition round_format (f : format) : bool := float_format f && (width f <=? 64) || fixed_format f.

Example named_formats : forallb round_format
  [f64; f32; tf32; bf16; f16; e5m2; e4m3; e5m2fnuz; e4m3fnuz; e8m13; fixed_point 2 0; fixed_point 8 6; fixed_point 54 54] = true.
Proof. reflexivity. Qed.

Section Results.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Variable u : unit.
Notation d := (unit_d u).

Lemma rounded_plainly r x : fair_nan u = true -> rounded u r x = Notation.round r x.
Proof. intros H. unfold rounded, nan_of_rule, fair_nan in *. destruct (unit_nan u); try discriminate; now destruct x. Qed.

Lemma canonical_bounds : float_format d = true -> 0 <= canonical_nan d < 2 ^ width d.
Proof.
  intros Hf. destruct (float_parts d Hf) as (Fx & _ & _ & HN & P5 & P6 & P7 & P8 & _ & P10 & P11).
  assert (B : forall (s : bool) x fr, 0 <= x < 2 ^ E_bits d -> 0 <= fr < 2 ^ M_bits d -> 0 <= fields d s x fr < 2 ^ width d).
  { intros s x fr Hx Hfr. unfold fields. rewrite !pow2_correct, P8. rewrite !Z.pow_add_r by lia. change (2 ^ 1) with 2.
    pose proof (Z.pow_pos_nonneg 2 (padding d) eq_refl P7). set (P := 2 ^ padding d) in *. set (A := 2 ^ M_bits d) in *. set (C := 2 ^ E_bits d) in *.
    set (b := if s then 1 else 0). assert (Bb : 0 <= b <= 1) by (unfold b; destruct s; lia).
    assert (B1 : 0 <= b * C + x < 2 * C) by nia. set (y := b * C + x) in *. assert (B2 : 0 <= y * A + fr < 2 * C * A) by nia.
    set (z := y * A + fr) in *. split; [apply Z.mul_nonneg_nonneg; lia|]. replace (P * A * C * 2) with (2 * C * A * P) by ring. apply Z.mul_lt_mono_pos_r; lia. }
  unfold canonical_nan, write_nan, is_fixed, has_nan in *. cbn [content_negative content_fraction]. rewrite !pow2_correct.
  assert (Q : 0 <= quiet_bit / 2 ^ (64 - M_bits d) < 2 ^ M_bits d).
  { unfold quiet_bit. rewrite pow2_correct. split; [apply Z.div_pos; [|apply Z.pow_pos_nonneg]; lia|]. apply Z.div_lt_upper_bound; [apply Z.pow_pos_nonneg; lia|].
    rewrite <- Z.pow_add_r by lia. replace (64 - M_bits d + M_bits d) with 64 by ring. lia. }
  destruct (kind_of d); try discriminate; apply B; lia.
Qed.

(** A pattern of the round at the root, with the NaN of the unit. *)
Theorem computes_nan_rule p x : float_format d = true -> width d <= 64 -> fair_nan u = true -> len p = width d -> packs d (num p) x ->
  computes v (with_nan_rule u p) (fun q => len q = width d /\ num q = result u d x).
Proof.
  intros Hf Hw Hn Lp Hp. destruct (float_parts d Hf) as (Fx & HS & _ & HN & P5 & P6 & P7 & P8 & _).
  assert (Vf : valid_format d = true).
  { unfold valid_format. rewrite HS, Fx. cbn [negb orb]. repeat (apply andb_true_intro; split); first [apply Z.leb_le|apply Z.eqb_eq]; lia. }
  assert (G : forall nan, 0 <= nan < 2 ^ width d -> (is_nan_number x = true -> result u d x = nan) ->
            computes v (is_nan <- is_nan_wire d p ;; mux is_nan (constant nan (width d)) p) (fun q => len q = width d /\ num q = result u d x)).
  { intros nan Bn Rn. eapply computes_bind; [exact (computes_is_nan v v0 d Vf p Lp)|]. intros n Hn'.
    eapply computes_weaken; [apply computes_mux_word; apply Nat2Z.inj; rewrite length_constant by lia; now symmetry|]. intros q [Lq Nq].
    split; [rewrite Lq; apply length_constant; lia|]. rewrite Nq, Hn', (num_constant v v0), Z.mod_small by lia.
    pose proof (packs_read d Hf _ _ Hp) as S. destruct x as [e s|s t|s t c], (read d (num p)); cbn [same_number is_nan_number] in *; try destruct S;
      try (exact (packs_result d Hf u _ _ Hp eq_refl)). symmetry. now apply Rn. }
  unfold with_nan_rule. rewrite HN. unfold fair_nan in Hn. destruct (unit_nan u) as [bits| | |] eqn:U; try discriminate.
  - apply andb_prop in Hn. destruct Hn as [H1 H2]. apply Z.leb_le in H1. apply Z.ltb_lt in H2. apply G; [lia|]. intros N.
    destruct x; try discriminate. cbn [result]. now rewrite U.
  - apply G; [now apply canonical_bounds|]. intros N. destruct x; try discriminate. cbn [result]. now rewrite U.
Qed.

(** The bits of d: the round at the root of a number, and the unit's rule of NaN. *)
Theorem computes_result r above x n : r_format r = d -> round_format d = true -> fair_nan u = true ->
  above <= 2 ^ 43 -> is_number v above x n -> carries_fitting n ->
  computes v (p <- round_wires r x ;; with_nan_rule u p) (fun q => len q = width d /\ num q = result u d (rounded u r n)).
Proof.
  intros Er Hd Hn Ha Hx Hc. rewrite rounded_plainly by exact Hn. unfold round_format in Hd. apply orb_prop in Hd. destruct Hd as [Hd|Hd].
  - apply andb_prop in Hd. destruct Hd as [Hf Hw]. apply Z.leb_le in Hw. rewrite <- Er in Hf, Hw.
    eapply computes_bind; [exact (computes_round v v0 r Hf above x n Ha Hx Hc)|]. intros p [Lp Hp]. rewrite Er in *.
    now apply computes_nan_rule.
  - rewrite <- Er in Hd. eapply computes_bind; [exact (computes_round_fixed r Hd v v0 u above x n Ha Hx)|]. intros p [Lp Hp]. rewrite Er in *.
    assert (HN : has_nan d = false).
    { unfold fixed_format, is_fixed, has_nan in *. destruct (kind_of d); try discriminate; reflexivity. }
    unfold with_nan_rule. rewrite HN. unfold fair_nan in Hn. destruct (unit_nan u); try discriminate; apply computes_ret; now split.
Qed.

End Results.
