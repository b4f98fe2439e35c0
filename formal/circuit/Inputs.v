(** * Inputs as bits

    For all inputs of a unit there are bits of the circuit's inputs with which its operands are these patterns, cut to their
    width; and the definition does not look at more bits than those. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real Gates Lrat Making Words Shifts Integers Circuit CircuitUnit Fields Reading Factors FixedOperands Products Tree
  UnitCorrect.
Import ListNotations.
Open Scope Z_scope.

(** ** Bits of inputs *)

(** Bit number j of a row of patterns of w bits. *)
Definition row_bit (row : Z -> Z) (w j : Z) : bool := Z.testbit (row (j / w)) (j mod w).

(** The bits of the inputs, by nodes: a, b, the scales of a and of b, c. *)
Definition input_bit (u : unit) (x : inputs) (node : Z) : bool :=
  let wa := width (unit_a u) in
  let wb := width (unit_b u) in
  let n := scale_count u in
  let ws := width (scale_format u) in
  let K := unit_K u in
  let j := node - 1 in
  if j <? K * wa then row_bit (in_a x) wa j
  else let j := j - K * wa in
  if j <? K * wb then row_bit (in_b x) wb j
  else let j := j - K * wb in
  if j <? n * ws then row_bit (in_sa x) ws j
  else let j := j - n * ws in
  if j <? n * ws then row_bit (in_sb x) ws j
  else Z.testbit (in_c x) (j - n * ws).

(** The patterns, without what is beyond their width. *)
Definition cut (u : unit) (x : inputs) : inputs :=
  let m f b := b mod 2 ^ width f in
  Inputs (fun k => m (unit_a u) (in_a x k)) (fun k => m (unit_b u) (in_b x k)) (fun k => m (scale_format u) (in_sa x k))
         (fun k => m (scale_format u) (in_sb x k)) (m (c_format_of u) (in_c x)).

Lemma row_bit_at row w k j : 0 <= j < w -> row_bit row w (k * w + j) = Z.testbit (row k) j.
Proof.
  intros H. unfold row_bit. rewrite Z.div_add_l, Z.div_small, Z.add_0_r by lia.
  replace (k * w + j) with (j + k * w) by ring. now rewrite Z.mod_add, Z.mod_small by lia.
Qed.

Section Rows.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).

Lemma nth_below {A} (f : Z -> A) n k d : 0 <= k < n -> nth (Z.to_nat k) (map f (below n)) d = f k.
Proof.
  intros H. unfold below. rewrite map_map. rewrite nth_indep with (d' := f (Z.of_nat 0)) by (rewrite map_length, seq_length; lia).
  rewrite (map_nth (fun i => f (Z.of_nat i))), seq_nth by lia. f_equal. lia.
Qed.

(** A word of inputs. *)
Lemma word_of_inputs first w b : 0 <= w -> (forall j, 0 <= j < w -> v (first + j) = Z.testbit b j) ->
  let x := map (fun j => Lit false (first + j)) (below w) in len x = w /\ num x = b mod 2 ^ w.
Proof.
  intros Hw H x. assert (L : len x = w) by (unfold x; rewrite map_length; now apply length_below). split; [exact L|].
  apply Z.bits_inj'. intros i Hi. rewrite <- (value_bit v v0) by exact Hi. destruct (Z.lt_ge_cases i w) as [G|G].
  - rewrite Z.mod_pow2_bits_low by lia. unfold bit, x. rewrite nth_below by lia. unfold value. cbn [negated node_of]. rewrite H by lia. apply xorb_false_l.
  - rewrite Z.mod_pow2_bits_high by lia. unfold bit. rewrite nth_overflow by lia. exact (value_no v v0).
Qed.

Lemma rows_are count f first row : 0 <= width f ->
  (forall k j, 0 <= k < count -> 0 <= j < width f -> v (1 + first + k * width f + j) = Z.testbit (row k) j) ->
  row_is v (words_of count (width f) first) f (fun k => row k mod 2 ^ width f) count.
Proof.
  intros Hw H k Hk. unfold operand, words_of. rewrite nth_below by exact Hk. apply word_of_inputs; [exact Hw|]. intros j Hj. now apply H.
Qed.

(** Values of the inputs make the operands those of the definition. *)
Theorem operands_of_inputs u x : 0 <= unit_K u -> fair_operand (unit_a u) = true -> fair_operand (unit_b u) = true -> fair_scales (unit_scales u) = true ->
  match unit_c u with Some f => fair_format f = true | None => True end ->
  (forall n, 1 <= n < 1 + input_bits u -> v n = input_bit u x n) ->
  operands_are v u (operands_of u) (cut u x) /\ c_is v u (operands_of u) (cut u x).
Proof.
  intros HK Ha Hb Hs Hc H.
  assert (WP : forall f, fair_format f = true -> 0 < width f) by (intros f Hf; destruct (fair_parts f Hf) as (_ & _ & ? & ? & ? & ? & _); lia).
  pose proof (proj2 (operand_valid _ Ha)) as Wa. pose proof (proj2 (operand_valid _ Hb)) as Wb.
  assert (HN : 0 <= scale_count u /\ 0 <= width (scale_format u)).
  { unfold scale_count, scale_format, fair_scales in *. destruct (unit_scales u) as [[f n]|]; [|cbn; lia].
    apply andb_prop in Hs. destruct Hs as [Hs Hn]. apply andb_prop in Hs. destruct Hs as [Hs _]. apply Z.ltb_lt in Hn. split; [apply Z.div_pos; lia|specialize (WP _ Hs); lia]. }
  destruct HN as [N0 Ws]. set (wa := width (unit_a u)) in *. set (wb := width (unit_b u)) in *. set (ws := width (scale_format u)) in *.
  set (n := scale_count u) in *. set (K := unit_K u) in *.
  assert (B : forall c w k j, 0 <= k < c -> 0 <= j < w -> 0 <= k * w + j < c * w) by (intros; nia).
  assert (TOT : input_bits u = K * wa + K * wb + 2 * (n * ws) + match unit_c u with Some f => width f | None => 0 end).
  { unfold input_bits. fold wa wb ws n K. ring. }
  assert (C0 : 0 <= match unit_c u with Some f => width f | None => 0 end) by (destruct (unit_c u); [specialize (WP _ Hc); lia|lia]).
  assert (KA : 0 <= K * wa) by nia. assert (KB : 0 <= K * wb) by nia. assert (NS : 0 <= n * ws) by nia.
  assert (IB : forall m, input_bit u x m = let j := m - 1 in
     if j <? K * wa then row_bit (in_a x) wa j else if j - K * wa <? K * wb then row_bit (in_b x) wb (j - K * wa)
     else if j - K * wa - K * wb <? n * ws then row_bit (in_sa x) ws (j - K * wa - K * wb)
     else if j - K * wa - K * wb - n * ws <? n * ws then row_bit (in_sb x) ws (j - K * wa - K * wb - n * ws)
     else Z.testbit (in_c x) (j - K * wa - K * wb - n * ws - n * ws)) by reflexivity.
  split; [split; [|split]|].
  - apply (rows_are K (unit_a u) 0 (in_a x)); [fold wa; lia|]. fold wa. intros k j Hk Hj. specialize (B K wa k j Hk Hj).
    rewrite H by lia. rewrite IB. cbv zeta. replace (1 + 0 + k * wa + j - 1) with (k * wa + j) by ring.
    destruct (Z.ltb_spec (k * wa + j) (K * wa)); [|lia]. now apply row_bit_at.
  - apply (rows_are K (unit_b u) (K * wa) (in_b x)); [fold wb; lia|]. fold wb. intros k j Hk Hj. specialize (B K wb k j Hk Hj).
    rewrite H by lia. rewrite IB. cbv zeta. replace (1 + K * wa + k * wb + j - 1) with (K * wa + (k * wb + j)) by ring.
    destruct (Z.ltb_spec (K * wa + (k * wb + j)) (K * wa)); [lia|]. replace (K * wa + (k * wb + j) - K * wa) with (k * wb + j) by ring.
    destruct (Z.ltb_spec (k * wb + j) (K * wb)); [|lia]. now apply row_bit_at.
  - destruct (unit_scales u) as [[f m]|] eqn:US; [|exact I]. assert (F : f = scale_format u) by (unfold scale_format; now rewrite US).
    assert (R : forall first row, (forall k j, 0 <= k < n -> 0 <= j < ws -> v (1 + first + k * ws + j) = Z.testbit (row k) j) ->
      row_is v (words_of n ws first) f (fun k => row k mod 2 ^ ws) n).
    { intros first row G. unfold ws in *. rewrite <- F in *. apply rows_are; [lia|exact G]. }
    split.
    + apply (R (K * wa + K * wb) (in_sa x)). intros k j Hk Hj. specialize (B n ws k j Hk Hj).
      rewrite H by lia. rewrite IB. cbv zeta. replace (1 + (K * wa + K * wb) + k * ws + j - 1) with (K * wa + K * wb + (k * ws + j)) by ring.
      destruct (Z.ltb_spec (K * wa + K * wb + (k * ws + j)) (K * wa)); [lia|].
      destruct (Z.ltb_spec (K * wa + K * wb + (k * ws + j) - K * wa) (K * wb)); [lia|].
      replace (K * wa + K * wb + (k * ws + j) - K * wa - K * wb) with (k * ws + j) by ring.
      destruct (Z.ltb_spec (k * ws + j) (n * ws)); [|lia]. now apply row_bit_at.
    + apply (R (K * wa + K * wb + n * ws) (in_sb x)). intros k j Hk Hj. specialize (B n ws k j Hk Hj).
      rewrite H by lia. rewrite IB. cbv zeta. replace (1 + (K * wa + K * wb + n * ws) + k * ws + j - 1) with (K * wa + K * wb + n * ws + (k * ws + j)) by ring.
      destruct (Z.ltb_spec (K * wa + K * wb + n * ws + (k * ws + j)) (K * wa)); [lia|].
      destruct (Z.ltb_spec (K * wa + K * wb + n * ws + (k * ws + j) - K * wa) (K * wb)); [lia|].
      destruct (Z.ltb_spec (K * wa + K * wb + n * ws + (k * ws + j) - K * wa - K * wb) (n * ws)); [lia|].
      replace (K * wa + K * wb + n * ws + (k * ws + j) - K * wa - K * wb - n * ws) with (k * ws + j) by ring.
      destruct (Z.ltb_spec (k * ws + j) (n * ws)); [|lia]. now apply row_bit_at.
  - unfold c_is. destruct (unit_c u) as [f|] eqn:UC; [|exact I]. assert (F : f = c_format_of u) by (unfold c_format_of; now rewrite UC).
    specialize (WP _ Hc). set (first := K * wa + K * wb + n * ws + n * ws).
    assert (R : row_is v (words_of 1 (width f) first) f (fun _ => in_c x mod 2 ^ width f) 1).
    { apply (rows_are 1 f first (fun _ => in_c x)); [lia|]. intros k j Hk Hj. assert (k = 0) as -> by lia. unfold first in *. rewrite H by lia. rewrite IB. cbv zeta.
      replace (1 + (K * wa + K * wb + n * ws + n * ws) + 0 * width f + j - 1) with (K * wa + K * wb + n * ws + n * ws + j) by ring.
      destruct (Z.ltb_spec (K * wa + K * wb + n * ws + n * ws + j) (K * wa)); [lia|].
      destruct (Z.ltb_spec (K * wa + K * wb + n * ws + n * ws + j - K * wa) (K * wb)); [lia|].
      destruct (Z.ltb_spec (K * wa + K * wb + n * ws + n * ws + j - K * wa - K * wb) (n * ws)); [lia|].
      destruct (Z.ltb_spec (K * wa + K * wb + n * ws + n * ws + j - K * wa - K * wb - n * ws) (n * ws)); [lia|]. f_equal. ring. }
    destruct (R 0 ltac:(lia)) as [R1 R2]. unfold operands_of. cbn [o_c]. fold wa wb ws n K. rewrite UC, <- F. unfold first in *.
    split; [exact R1|]. cbn [cut in_c]. rewrite <- F. exact R2.
Qed.
End Rows.

(** ** The definition looks at no more *)

Lemma read_cut f b : fair_format f = true -> read f (b mod 2 ^ width f) = read f b.
Proof.
  intros Hf. destruct (fair_parts f Hf) as (Vf & Fx & PE & PM & PP & PW & _). destruct (valid_parts f Vf) as (_ & _ & _ & _ & HS). unfold read. rewrite Fx.
  assert (G : forall p k, 0 <= p -> 0 <= k -> p + k <= width f -> (b mod 2 ^ width f / 2 ^ p) mod 2 ^ k = (b / 2 ^ p) mod 2 ^ k).
  { intros p k Hp Hk L. apply Z.bits_inj'. intros i Hi. destruct (Z.lt_ge_cases i k) as [Q|Q].
    - rewrite !Z.mod_pow2_bits_low, !Z.div_pow2_bits, Z.mod_pow2_bits_low by lia. reflexivity.
    - now rewrite !Z.mod_pow2_bits_high by lia. }
  assert (S : has_sign f && Z.odd (b mod 2 ^ width f / pow2 (padding f + M_bits f + E_bits f)) = has_sign f && Z.odd (b / pow2 (padding f + M_bits f + E_bits f))).
  { destruct (has_sign f) eqn:HSn; [|reflexivity]. specialize (HS eq_refl Fx). cbn [andb]. rewrite pow2_correct, <- !Z.bit0_odd, !Z.div_pow2_bits, Z.mod_pow2_bits_low by lia. reflexivity. }
  unfold read_float. rewrite S, !pow2_correct, !G by lia. reflexivity.
Qed.

Lemma operand_cut f b : fair_operand f = true -> read f (b mod 2 ^ width f) = read f b.
Proof.
  intros Hf. unfold fair_operand in Hf. apply orb_prop in Hf. destruct Hf as [Hf|Hf]; [now apply read_cut|].
  destruct (fixed_parts f Hf) as (_ & Fx & W & _). unfold read. rewrite Fx. unfold read_fixed. rewrite !pow2_correct, Z.mod_mod; [reflexivity|].
  apply Z.pow_nonzero; lia.
Qed.

Section Cut.
Variable u : unit.
Hypothesis Ha : fair_operand (unit_a u) = true.
Hypothesis Hb : fair_operand (unit_b u) = true.
Hypothesis Hs : fair_scales (unit_scales u) = true.
Variable x : inputs.

Lemma scale_cut f n j : unit_scales u = Some (f, n) ->
  read_scale f (in_sa (cut u x) j) = read_scale f (in_sa x j) /\ read_scale f (in_sb (cut u x) j) = read_scale f (in_sb x j).
Proof.
  intros E. unfold fair_scales in Hs. rewrite E in Hs. apply andb_prop in Hs. destruct Hs as [H _]. apply andb_prop in H. destruct H as [H _].
  unfold read_scale, cut, scale_format. rewrite E. cbn [in_sa in_sb]. now rewrite !read_cut by exact H.
Qed.

Lemma scaled_cut z k y : scaled (product_scales u) (cut u x) z k y = scaled (product_scales u) x z k y.
Proof.
  assert (SC := scale_cut). unfold product_scales. destruct (has_scaled_sums _); [reflexivity|]. unfold scaled. destruct (unit_scales u) as [[f n]|] eqn:E; [|reflexivity].
  now rewrite (proj1 (SC f n (k / n) eq_refl)), (proj2 (SC f n (k / n) eq_refl)).
Qed.

Lemma as_child_cut k n a y : as_child u (cut u x) k n a y = as_child u x k n a y.
Proof.
  assert (SC := scale_cut). unfold as_child. destruct (elements_below (unit_L u) n) as [|l ls]; [reflexivity|]. unfold scaled_sum, scaled.
  destruct (unit_scales u) as [[f m]|] eqn:E; [|reflexivity].
  now rewrite (proj1 (SC f m (element u k l / m) eq_refl)), (proj2 (SC f m (element u k l / m) eq_refl)).
Qed.

Lemma numbers_cut k cf c c' n : read cf c = read cf c' -> numbers u (cut u x) k cf c n = numbers u x k cf c' n.
Proof.
  intros Hc. induction n as [p|g|ca|f l IH|r n IH] using Chain.node_induction; cbn [numbers].
  - apply map_ext. intros l. unfold product_of_element. rewrite scaled_cut. cbn [cut in_a in_b]. now rewrite !operand_cut by assumption.
  - apply map_ext. intros j. unfold group_of_elements, group. rewrite !scaled_cut.
    assert (M : forall l, map (fun k => product false (read (unit_a u) (in_a (cut u x) k)) (read (unit_b u) (in_b (cut u x) k))) l =
                          map (fun k => product false (read (unit_a u) (in_a x k)) (read (unit_b u) (in_b x k))) l).
    { intros l. apply map_ext. intros k'. cbn [cut in_a in_b]. now rewrite !operand_cut by assumption. }
    now rewrite M.
  - unfold accumulator. now rewrite Hc.
  - f_equal. f_equal. induction IH as [|[n a] l Hn Hl IHl]; [reflexivity|]. cbn [flat_map fst] in *. rewrite Hn, IHl. f_equal.
    apply map_ext. intros y. now rewrite as_child_cut.
  - now rewrite IH.
Qed.

Lemma block_cut k cf c c' : read cf c = read cf c' -> block u (cut u x) k cf c = block u x k cf c'.
Proof. intros Hc. unfold block. cbn [numbers]. now rewrite (numbers_cut k cf c c' _ Hc). Qed.

Theorem evaluate_cut : match unit_c u with Some f => fair_format f = true | None => True end -> 1 <= unit_K u / unit_L u ->
  evaluate u (cut u x) = evaluate u x.
Proof.
  intros Hc HK. assert (G : forall l acc, fold_left (fun acc i => (unit_d u, block u (cut u x) i (fst acc) (snd acc))) l acc =
                             fold_left (fun acc i => (unit_d u, block u x i (fst acc) (snd acc))) l acc).
  { induction l as [|k l IH]; intros acc; [reflexivity|]. cbn [fold_left]. now rewrite (block_cut k _ _ (snd acc) eq_refl), IH. }
  unfold evaluate, chain. destruct (unit_c u) as [f|] eqn:E; [|now rewrite G].
  assert (RC : read f (in_c (cut u x)) = read f (in_c x)) by (cbn [cut in_c]; unfold c_format_of; rewrite E; now apply read_cut).
  destruct (unit_c_last u).
  - rewrite G. unfold added_last. now rewrite RC.
  - assert (Ne : exists k l, below (unit_K u / unit_L u) = k :: l).
    { unfold below. destruct (Z.to_nat (unit_K u / unit_L u)) as [|n] eqn:Z; [lia|]. cbn. eauto. }
    destruct Ne as (k & l & ->). cbn [fold_left fst snd]. rewrite (block_cut k f _ (in_c x) RC). now rewrite G.
Qed.
End Cut.
