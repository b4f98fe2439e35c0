(** * What a NaN carries, in the circuit

    Sign and payload of the NaN that the definition carries on, in every node of a tree: the first of the operands', quiet.
    They are in the pattern of a round. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real Units Gates Lrat Making Words Shifts Integers Largest Circuit CircuitUnit Fields Reading Numbers
  Factors Operands Packing.
Import ListNotations.
Open Scope Z_scope.

(** The same content, but for where it comes from. *)
Definition same_content (c c' : option content) : Prop :=
  match c, c' with
  | Some c, Some c' => content_negative c = content_negative c' /\ content_fraction c = content_fraction c'
  | None, None => True
  | _, _ => False
  end.

Section Contents.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation content_is := (content_is v).
Notation carries_is := (carries_is v).

Lemma content_same k c c' : same_content c c' -> content_is k c -> content_is k c'.
Proof.
  unfold content_is, same_content. destruct c as [c|], c' as [c'|]; try tauto. intros [E1 E2] (L & H & N & F). rewrite <- E1, <- E2. auto.
Qed.

Lemma carries_kept x n : carries_is x n -> carries_is x (kept n).
Proof. intros [C T]. split; [|destruct n as [| |s [|] [c|]]; exact T]. revert C. apply content_same. destruct n as [| |s t [c|]]; cbn; auto. Qed.

(** ** Reading *)

Theorem computes_read_carries f p : fair_format f = true -> M_bits f <= payload_bits -> len p = width f ->
  computes v (read_wires f p) (fun x => carries_is x (read f (num p))).
Proof.
  intros Hf HM Lp. destruct (fair_parts f Hf) as (Vf & Fx & PE & PM & _). unfold payload_bits in *.
  assert (T : match read f (num p) with NaN _ true (Some _) => False | _ => True end).
  { pose proof (read_is f (num p)) as R. destruct (read f (num p)) as [| |s t c]; try exact I. now subst t. }
  unfold read_wires. rewrite Fx. do 3 (eapply computes_bind; [apply computes_something|]; intros ? _).
  eapply computes_bind; [exact (computes_is_nan v v0 f Vf p Lp)|]. intros nan Hnan.
  do 2 (eapply computes_bind; [apply computes_something|]; intros ? _). apply computes_ret. split; [|exact T]. cbn [n_content].
  split; [cbn [k_payload]; apply length_slice; unfold payload_bits; lia|]. cbn [k_here k_negative k_payload]. unfold payload_bits.
  rewrite Hnan, (value_sign v v0 f Vf p Fx Lp). replace (M_bits f - 52) with (- (52 - M_bits f)) by ring.
  rewrite (num_slice_up v v0), (num_mantissa v v0 f Vf) by lia.
  assert (B : 0 <= fraction_of f (num p) < 2 ^ M_bits f) by (unfold fraction_of; rewrite !pow2_correct; apply Z.mod_pos_bound, Z.pow_pos_nonneg; lia).
  assert (Q : 2 ^ 52 = 2 ^ M_bits f * 2 ^ (52 - M_bits f)) by (rewrite <- Z.pow_add_r by lia; f_equal; ring).
  pose proof (Z.pow_pos_nonneg 2 (52 - M_bits f) eq_refl ltac:(lia)) as Pd.
  rewrite (Z.mod_small (fraction_of f (num p) * _)) by (rewrite Q; split; [apply Z.mul_nonneg_nonneg; lia|apply Z.mul_lt_mono_pos_r; lia]).
  rewrite <- Z.mul_assoc, <- Z.pow_add_r by lia. replace (52 - M_bits f + (64 - 52)) with (64 - M_bits f) by ring.
  unfold read. rewrite Fx. unfold read_float, read_finite. fold (sign_of_pattern f (num p)) (exponent_of f (num p)) (fraction_of f (num p)).
  destruct (kind_of f); repeat match goal with |- context [if ?c then _ else _] => destruct c end; cbn [carried is_nan_number]; try reflexivity;
    cbn [content_negative content_fraction]; rewrite pow2_correct; auto.
Qed.

(** ** Operands and products *)

Lemma flushed_content f z x : computes v (flushed f z x) (fun y => n_content y = n_content x).
Proof.
  assert (MP : forall those w, computes v (make_positive those w) (fun y => n_content y = n_content w)).
  { intros those w. unfold make_positive. do 3 (eapply computes_bind; [apply computes_something|]; intros ? _). now apply computes_ret. }
  unfold flushed. destruct z; [now apply computes_ret| | |]; do 2 (eapply computes_bind; [apply computes_something|]; intros ? _).
  - now apply computes_ret.
  - eapply computes_weaken; [apply MP|]. intros y Hy. exact Hy.
  - eapply computes_bind; [apply MP|]. intros y Hy. eapply computes_bind; [apply computes_something|]. intros ? _.
    eapply computes_weaken; [apply MP|]. intros w ->. exact Hy.
Qed.

Lemma flushed_carried z f n : carried (flush_operand z f n) = carried n /\
  match flush_operand z f n, n with NaN _ t _, NaN _ t' _ => t = t' | NaN _ _ _, _ => False | _, NaN _ _ _ => False | _, _ => True end.
Proof. destruct n as [d e s| |]; cbn [flush_operand]; try (split; reflexivity || exact I). destruct (match z with KeepSubnormals => _ | _ => _ end); now split. Qed.

Lemma carries_as x y n n' : n_content y = n_content x -> carried n' = carried n ->
  match n', n with NaN _ t _, NaN _ t' _ => t = t' | NaN _ _ _, _ => False | _, NaN _ _ _ => False | _, _ => True end -> carries_is x n -> carries_is y n'.
Proof.
  intros E C T [H1 H2]. split; [rewrite E, C; exact H1|]. destruct n' as [| |s t c], n as [| |s' t' c']; try exact I; try destruct T. cbn [carried] in C. subst. exact H2.
Qed.

Theorem computes_factor_carries f p w : fair_format f = true -> M_bits f <= payload_bits -> p_nanzero p = false -> len w = width f ->
  computes v (factor_wires f w p) (fun x => carries_is x (factor p f (read f (num w)))).
Proof.
  intros Hf HM Hn Lw. unfold factor_wires, factor. rewrite Hn. eapply computes_bind; [exact (computes_read_carries f w Hf HM Lw)|]. intros x Hx.
  eapply computes_bind with (P := fun y => n_content y = n_content x).
  { destruct (p_infnan p); [|now apply computes_ret]. eapply computes_bind; [apply computes_something|]. intros ? _. now apply computes_ret. }
  intros y Hy. eapply computes_bind with (P := fun z => z = y); [now apply computes_ret|]. intros z ->.
  eapply computes_weaken; [apply flushed_content|]. intros z Hz. rewrite Hy in Hz.
  destruct (read f (num w)) as [d e s|s t|s t c].
  - destruct (flushed_carried (p_ftz p) f (Finite d e s)) as [C T]. exact (carries_as x z _ _ Hz C T Hx).
  - destruct Hx as [Hx _]. destruct (p_infnan p); (split; [rewrite Hz; exact Hx|exact I]).
  - exact (carries_as x z (NaN s t c) (NaN s t c) Hz eq_refl eq_refl Hx).
Qed.

Theorem computes_accumulator_carries f c w : fair_format f = true -> M_bits f <= payload_bits -> c_as c = None -> len w = width f ->
  computes v (accumulator_wires f w c) (fun x => carries_is x (accumulator c f (num w))).
Proof.
  intros Hf HM Hc Lw. unfold accumulator_wires, accumulator. rewrite Hc. eapply computes_bind; [exact (computes_read_carries f w Hf HM Lw)|]. intros x Hx.
  eapply computes_bind; [apply flushed_content|]. intros y Hy. apply computes_ret.
  destruct (flushed_carried (c_ftz c) f (read f (num w))) as [C T]. pose proof (carries_as x y _ _ Hy C T Hx) as G.
  destruct (flush_operand (c_ftz c) f (read f (num w))); exact G.
Qed.

(** A product carries what its first NaN does, if that carries something. *)
Lemma product_carried z m m' : carried (product z m m') = match carried m with Some c => Some c | None => carried m' end /\
  match product z m m' with NaN _ true _ => False | _ => True end.
Proof.
  destruct m as [d [e|] s|s t|s t [c|]], m' as [d' [e'|] s'|s' t'|s' t' [c'|]]; cbn [product carried]; try (split; [reflexivity|exact I]);
    match goal with |- context [if ?b then _ else _] => destruct b; (split; [reflexivity|exact I]) end.
Qed.

Lemma computes_specials_carry u a b scales negative beats x ma mb m : has_kinds u = false ->
  carries_is a ma -> carries_is b mb -> carried m = carried (product beats ma mb) -> match m with NaN _ true _ => False | _ => True end ->
  computes v (multiply_specials u a b scales negative beats x) (fun y => carries_is y m).
Proof.
  intros Hk [[La Ha] Ta] [[Lb Hb] Tb] Hm Tm. unfold multiply_specials.
  eapply computes_bind; [apply computes_something|]. intros [[nan infinite] zero_] _. eapply computes_bind; [apply computes_something|]. intros nan' _.
  do 2 (eapply computes_bind; [apply computes_something|]; intros ? _).
  eapply computes_bind; [apply computes_or|]. intros here Hh. eapply computes_bind; [apply computes_mux|]. intros neg Hn.
  eapply computes_bind; [apply computes_mux_word; apply Nat2Z.inj; congruence|]. intros pay [Lp Np]. apply computes_ret.
  cbv beta in *. split; [|destruct m as [| |s [|] c]; first [exact I|destruct Tm]]. rewrite Hm, (proj1 (product_carried beats ma mb)). cbn [with_special n_content].
  unfold content_is. cbn [k_payload k_here k_negative]. split; [rewrite Lp; exact La|]. rewrite Hh, Hn, Np.
  destruct (carried ma) as [c|].
  - destruct Ha as (-> & -> & ->). repeat split.
  - rewrite Ha. cbn [orb]. destruct (carried mb) as [c|]; exact Hb.
Qed.
End Contents.
