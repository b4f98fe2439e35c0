(** * Limits of the inputs

    What the circuit of a claim says of the inputs, that they are within the limits, in terms of the definition. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real Gates Lrat Making Words Shifts Integers Circuit CircuitUnit Fields Reading Factors FixedOperands Products Tree
  ContentsTree UnitCorrect Inputs.
Import ListNotations.
Open Scope Z_scope.

(** No number between 0 and the smallest normal one. *)
Definition is_normal (f : format) (bits : Z) : bool :=
  match read f bits with Finite d _ _ => is_zero d || (emin f <=? lg d) | _ => true end.

Definition pattern_within (l : limits) (f : format) (bits : Z) : bool :=
  (negb (l_finite l) || negb (is_nan_number (read f bits) || is_infinite_number (read f bits))) &&
  (negb (l_no_subnormals l) || negb (has_subnormals f) || is_normal f bits).

Definition inputs_within (l : limits) (u : unit) (x : inputs) : bool :=
  let all f row count := forallb (fun k => pattern_within l f (row k)) (below count) in
  all (unit_a u) (in_a x) (unit_K u) && all (unit_b u) (in_b x) (unit_K u) &&
  match unit_scales u with Some (f, _) => all f (in_sa x) (scale_count u) && all f (in_sb x) (scale_count u) | None => true end &&
  match unit_c u with Some f => pattern_within l f (in_c x) | None => true end.

Section Limits.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Variable l : limits.

(** A number is normal or zero, from its fields. *)
Lemma normal_of_fields f bits : fair_format f = true -> has_subnormals f = true ->
  negb (exponent_of f bits =? 0) || (fraction_of f bits =? 0) = true -> is_normal f bits = true.
Proof.
  intros Hf Hs H. destruct (fair_parts f Hf) as (_ & Fx & PE & PM & _). unfold has_subnormals in Hs. apply andb_prop in Hs. destruct Hs as [HZ _].
  unfold is_normal, read. rewrite Fx. assert (G : forall sg, match read_finite f sg (exponent_of f bits) (fraction_of f bits) with Finite d _ _ => is_zero d || (emin f <=? lg d) | _ => true end = true).
  { intros sg. unfold read_finite. rewrite HZ. cbn [negb orb]. assert (X0 : 0 <= exponent_of f bits) by (apply Z.mod_pos_bound; rewrite pow2_correct; apply Z.pow_pos_nonneg; lia).
    assert (F0 : 0 <= fraction_of f bits < 2 ^ M_bits f) by (unfold fraction_of; rewrite !pow2_correct; apply Z.mod_pos_bound, Z.pow_pos_nonneg; lia).
    destruct (Z.eqb_spec (exponent_of f bits) 0) as [E|E]; cbn [negb orb] in H |- *.
    - apply Z.eqb_eq in H. rewrite H. unfold is_zero. cbn [Notation.num]. now destruct sg.
    - unfold is_zero, lg. cbn [Notation.num scale]. rewrite pow2_correct. set (s := 2 ^ M_bits f + fraction_of f bits).
      assert (L : Z.log2 (Z.abs (if sg then - s else s)) = M_bits f).
      { replace (Z.abs (if sg then - s else s)) with s by (unfold s; destruct sg; lia). apply Z.log2_unique; [lia|]. unfold s. rewrite Z.pow_succ_r by lia. lia. }
      rewrite L. apply orb_true_intro. right. apply Z.leb_le. unfold emin. rewrite HZ. lia. }
  unfold read_float. fold (exponent_of f bits) (fraction_of f bits).
  destruct (kind_of f); repeat match goal with |- context [if ?c then NaN _ _ _ else _] => destruct c | |- context [if ?c then Infinite _ _ else _] => destruct c
    | |- context [if ?c then (if _ then _ else _) else _] => destruct c end; try reflexivity; apply G.
Qed.

Lemma fields_of_normal f bits : fair_format f = true -> has_subnormals f = true -> is_normal f bits = true ->
  negb (exponent_of f bits =? 0) || (fraction_of f bits =? 0) = true.
Proof.
  intros Hf Hs H. destruct (fair_parts f Hf) as (_ & Fx & PE & PM & _). pose proof Hs as Hs'. unfold has_subnormals in Hs. apply andb_prop in Hs. destruct Hs as [HZ _].
  destruct (Z.eqb_spec (exponent_of f bits) 0) as [E|E]; [|reflexivity]. cbn [negb orb]. destruct (Z.eqb_spec (fraction_of f bits) 0) as [F|F]; [reflexivity|].
  exfalso. unfold is_normal, read in H. rewrite Fx in H. unfold read_float in H. fold (exponent_of f bits) (fraction_of f bits) in H.
  assert (F0 : 0 <= fraction_of f bits < 2 ^ M_bits f) by (unfold fraction_of; rewrite !pow2_correct; apply Z.mod_pos_bound, Z.pow_pos_nonneg; lia).
  assert (P2 : 2 <= 2 ^ E_bits f) by (change 2 with (2 ^ 1) at 1; apply Z.pow_le_mono_r; lia).
  assert (G : forall sg, match read_finite f sg (exponent_of f bits) (fraction_of f bits) with Finite d _ _ => is_zero d || (emin f <=? lg d) | _ => true end = false).
  { intros sg. unfold read_finite. rewrite HZ, E. cbn [negb orb Z.eqb]. unfold is_zero, lg. cbn [Notation.num scale]. set (s := fraction_of f bits) in *.
    replace (Z.abs (if sg then - s else s)) with s by (destruct sg; lia). assert (Z.log2 s < M_bits f) by (apply Z.log2_lt_pow2; lia).
    apply orb_false_intro; [apply Z.eqb_neq; destruct sg; lia|apply Z.leb_gt; lia]. }
  assert (T : (exponent_of f bits =? pow2 (E_bits f) - 1) = false) by (apply Z.eqb_neq; rewrite pow2_correct; lia).
  assert (T' : (fraction_of f bits =? 0) = false) by now apply Z.eqb_neq.
  rewrite T, ?T', ?andb_false_r in H. cbn [andb] in H. destruct (kind_of f); rewrite G in H; discriminate.
Qed.

Lemma normal_fields f bits : fair_format f = true -> has_subnormals f = true ->
  negb (exponent_of f bits =? 0) || (fraction_of f bits =? 0) = is_normal f bits.
Proof.
  intros Hf Hs. apply eq_true_iff_eq. split; [now apply normal_of_fields|now apply fields_of_normal].
Qed.

(** The highest bit of the magnitude of what is read, or no bit at all. *)
Lemma computes_normal_wire f p : fair_format f = true -> has_subnormals f = true -> len p = width f ->
  computes v (x <- read_wires f p ;; some <- any (n_magnitude x) ;; make_or (msb (n_magnitude x)) (invert some))
    (fun z => value v z = is_normal f (num p)).
Proof.
  intros Hf Hs Lp. rewrite <- (normal_fields f (num p) Hf Hs). destruct (fair_parts f Hf) as (Vf & Fx & PE & PM & _).
  pose proof Hs as Hs'. unfold has_subnormals in Hs'. apply andb_prop in Hs'. destruct Hs' as [HZ _].
  eapply computes_bind with (P := fun x => len (n_magnitude x) = M_bits f + 1 /\
      num (n_magnitude x) = fraction_of f (num p) + 2 ^ M_bits f * Z.b2z (negb (exponent_of f (num p) =? 0))).
  - unfold read_wires. rewrite Fx, HZ. eapply computes_bind; [apply (computes_any v v0)|]. intros h Hh. rewrite (num_exponent v v0 f Vf) in Hh.
    repeat (eapply computes_bind with (P := fun _ => True); [intros s _; exact I|]; intros ? _). apply computes_ret. cbn [n_magnitude].
    rewrite length_concat, (num_concat v), (length_mantissa f Vf), (num_mantissa v v0 f Vf), length_repeated, (num_repeated v), Hh by lia.
    split; [ring|]. now destruct (exponent_of f (num p) =? 0).
  - intros x [Lx Nx]. eapply computes_bind; [apply (computes_any v v0)|]. intros some Hsome. eapply computes_weaken; [apply computes_or|]. intros z ->.
    rewrite value_invert, Hsome, negb_involutive, (value_msb v v0) by (intros Q; rewrite Q in Lx; cbn in Lx; lia). rewrite Lx, Nx.
    replace (M_bits f + 1 - 1) with (M_bits f) by ring.
    assert (F0 : 0 <= fraction_of f (num p) < 2 ^ M_bits f) by (unfold fraction_of; rewrite !pow2_correct; apply Z.mod_pos_bound, Z.pow_pos_nonneg; lia).
    destruct (Z.eqb_spec (exponent_of f (num p)) 0); cbn [negb Z.b2z orb].
    + rewrite Z.mul_0_r, Z.add_0_r. destruct (Z.leb_spec (2 ^ M_bits f) (fraction_of f (num p))); [lia|reflexivity].
    + destruct (Z.leb_spec (2 ^ M_bits f) (fraction_of f (num p) + 2 ^ M_bits f * 1)); [reflexivity|lia].
Qed.

Lemma computes_within f good p : fair_operand f = true -> len p = width f ->
  computes v (and_within l f good p) (fun z => value v z = value v good && pattern_within l f (num p)).
Proof.
  intros Hf Lp. destruct (operand_valid f Hf) as (Vf & _). unfold and_within, pattern_within.
  eapply computes_bind; [exact (computes_is_infinite v v0 f Vf p Lp)|]. intros inf Hinf. eapply computes_bind; [exact (computes_is_nan v v0 f Vf p Lp)|]. intros nan Hnan.
  eapply computes_bind; [apply computes_or|]. intros sp Hsp.
  eapply computes_bind with (P := fun g => value v g = value v good && (negb (l_finite l) || negb (is_nan_number (read f (num p)) || is_infinite_number (read f (num p))))).
  { destruct (l_finite l); cbn [negb orb]; [|apply computes_ret; now rewrite andb_true_r]. eapply computes_weaken; [apply computes_and|]. intros g ->.
    now rewrite value_invert, Hsp, Hnan, Hinf. }
  intros g Hg. rewrite andb_assoc, <- Hg. destruct (l_no_subnormals l); cbn [negb orb andb]; [|apply computes_ret; now rewrite andb_true_r].
  destruct (has_subnormals f) eqn:HS; cbn [negb orb]; [|apply computes_ret; now rewrite andb_true_r].
  assert (Hff : fair_format f = true).
  { unfold fair_operand in Hf. apply orb_prop in Hf. destruct Hf as [Hf|Hf]; [exact Hf|]. destruct (fixed_parts f Hf) as (_ & Fx & _).
    unfold has_subnormals in HS. rewrite Fx, andb_false_r in HS. discriminate. }
  intros s S. pose proof (computes_normal_wire f p Hff HS Lp s) as N. cbn [bind run] in *.
  destruct (run (read_wires f p) s) as [x s1]. destruct (run (any (n_magnitude x)) s1) as [some s2].
  destruct (run (make_or (msb (n_magnitude x)) (invert some)) s2) as [z s3] eqn:E. cbn [fst snd] in *.
  pose proof (computes_and v g z s3 S) as A. rewrite A. f_equal. apply N.
  destruct (run_extends (make_and g z) s3) as [ext Hext]. apply (satisfied_before v s3 (snd (run (make_and g z) s3))); [now exists ext|exact S].
Qed.

Lemma computes_all_within f ws : fair_operand f = true -> Forall (fun w => len w = width f) ws -> forall good,
  computes v (fold_m (and_within l f) ws good) (fun z => value v z = value v good && forallb (fun w => pattern_within l f (num w)) ws).
Proof.
  intros Hf H. induction H as [|w ws Lw _ IH]; intros good; cbn [fold_m forallb]; [apply computes_ret; now rewrite andb_true_r|].
  eapply computes_bind; [exact (computes_within f good w Hf Lw)|]. intros g Hg. eapply computes_weaken; [apply IH|]. intros z ->. now rewrite Hg, andb_assoc.
Qed.

(** A row of operands. *)
Lemma computes_row f g row count good : fair_operand f = true -> row_is v (map g (below count)) f row count ->
  computes v (fold_m (and_within l f) (map g (below count)) good)
    (fun z => value v z = value v good && forallb (fun k => pattern_within l f (row k)) (below count)).
Proof.
  intros Hf R. assert (G : forall k, In k (below count) -> len (g k) = width f /\ num (g k) = row k).
  { intros k I. apply below_in in I. specialize (R k I). unfold operand in R. rewrite nth_below in R by exact I. exact R. }
  eapply computes_weaken; [apply computes_all_within; [exact Hf|]|].
  - rewrite Forall_map. apply Forall_forall. intros k I. now apply G.
  - intros z ->. f_equal. generalize (below count), G. clear. induction l0 as [|k ks IH]; intros G; [reflexivity|]. cbn [map forallb].
    rewrite (proj2 (G k (or_introl eq_refl))). f_equal. apply IH. intros; apply G; now right.
Qed.

Theorem computes_allowed u x : fair_operand (unit_a u) = true -> fair_operand (unit_b u) = true -> fair_scales (unit_scales u) = true ->
  match unit_c u with Some f => fair_format f = true | None => True end ->
  operands_are v u (operands_of u) x -> c_is v u (operands_of u) x ->
  computes v (allowed l u (operands_of u)) (fun z => value v z = inputs_within l u x).
Proof.
  intros Ha Hb Hs Hc (Ra & Rb & Rs) Rc. unfold allowed, inputs_within, operands_of in *. cbn [o_a o_b o_sa o_sb o_c] in *. unfold words_of in *.
  eapply computes_bind; [exact (computes_row _ _ _ _ yes Ha Ra)|]. intros g1 H1. eapply computes_bind; [exact (computes_row _ _ _ _ g1 Hb Rb)|]. intros g2 H2.
  rewrite (value_yes v v0) in H1. cbn [andb] in H1.
  eapply computes_bind with (P := fun g => value v g = value v g2 && match unit_scales u with Some (f, _) => forallb (fun k => pattern_within l f (in_sa x k)) (below (scale_count u)) | None => true end).
  { unfold scale_format, fair_scales in *. destruct (unit_scales u) as [[f n]|] eqn:E.
    - apply andb_prop in Hs. destruct Hs as [Hs _]. apply andb_prop in Hs. destruct Hs as [Hs _]. exact (computes_row f _ _ _ g2 (operand_of_format f Hs) (proj1 Rs)).
    - unfold scale_count. rewrite E. apply computes_ret. now rewrite andb_true_r. }
  intros g3 H3. eapply computes_bind with (P := fun g => value v g = value v g3 && match unit_scales u with Some (f, _) => forallb (fun k => pattern_within l f (in_sb x k)) (below (scale_count u)) | None => true end).
  { unfold scale_format, fair_scales in *. destruct (unit_scales u) as [[f n]|] eqn:E.
    - apply andb_prop in Hs. destruct Hs as [Hs _]. apply andb_prop in Hs. destruct Hs as [Hs _]. exact (computes_row f _ _ _ g3 (operand_of_format f Hs) (proj2 Rs)).
    - unfold scale_count. rewrite E. apply computes_ret. now rewrite andb_true_r. }
  intros g4 H4. unfold c_is, c_format_of, operand in *. destruct (unit_c u) as [f|].
  - eapply computes_weaken; [apply (computes_row f _ (fun _ => in_c x) 1 g4 (operand_of_format f Hc))|].
    + intros k Hk. assert (k = 0) as -> by lia. exact Rc.
    + intros z ->. change (below 1) with [0]. cbn [forallb]. rewrite andb_true_r, H4, H3, H2, H1. destruct (unit_scales u) as [[f' n']|]; rewrite ?andb_true_r, <- ?andb_assoc; reflexivity.
  - change (below 0) with (@nil Z). apply computes_ret. rewrite H4, H3, H2, H1. destruct (unit_scales u) as [[f' n']|]; rewrite ?andb_true_r, <- ?andb_assoc; reflexivity.
Qed.

End Limits.
