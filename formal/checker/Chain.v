(** * A chain of blocks, block by block

    Units of several blocks give the same results if one of their blocks does, for every accumulator: the first with c in
    c's format, a later one with d's. Certificates with the combination `chain` rest on that. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation.
Import ListNotations.
Open Scope Z_scope.

(** The unit of one block: a later one takes the accumulator in d's format. *)
Definition block_of (u : unit) (later : bool) : unit :=
  Unit (unit_a u) (unit_b u) (if later then Some (unit_d u) else unit_c u) (unit_d u) (unit_scales u) (unit_L u) (unit_L u)
       (unit_interleave u) (unit_c_last u) (unit_nan u) (unit_root u) (unit_tree u).

(** Inputs of one block, with an accumulator. *)
Definition inputs_of_block (u : unit) (x : inputs) (i c : Z) : inputs :=
  let s := match unit_scales u with Some (_, n) => i * (unit_L u / n) | None => 0 end in
  Inputs (fun k => in_a x (i * unit_L u + k)) (fun k => in_b x (i * unit_L u + k)) (fun j => in_sa x (s + j)) (fun j => in_sb x (s + j)) c.

(** Units that can be compared block by block. *)
Definition is_chain (u : unit) : bool :=
  (0 <? unit_L u) && (unit_interleave u =? 0) && negb (unit_c_last u) &&
  match unit_c u with Some _ => true | None => false end &&
  match unit_scales u with Some (_, n) => (0 <? n) && (unit_L u mod n =? 0) | None => true end.

Section Node.
Variable P : node -> Prop.
Hypothesis HP : forall p, P (ProductLeaf p).
Hypothesis HG : forall g, P (GroupLeaf g).
Hypothesis HC : forall c, P (CLeaf c).
Hypothesis HF : forall f l, Forall (fun na => P (fst na)) l -> P (FuseNode f l).
Hypothesis HR : forall r n, P n -> P (RoundNode r n).
Fixpoint node_induction (n : node) : P n :=
  match n with
  | ProductLeaf p => HP p
  | GroupLeaf g => HG g
  | CLeaf c => HC c
  | FuseNode f l =>
      HF f l ((fix go l : Forall (fun na => P (fst na)) l :=
                 match l with [] => Forall_nil _ | na :: l' => Forall_cons na (node_induction (fst na)) (go l') end) l)
  | RoundNode r n => HR r n (node_induction n)
  end.
End Node.

Section Block.
Variable u : unit.
Variable later : bool.
Variable x : inputs.
Variables i c0 : Z.
Hypothesis Hu : is_chain u = true.
Notation w := (block_of u later).
Notation y := (inputs_of_block u x i c0).

Lemma scale_shift f n l : unit_scales u = Some (f, n) ->
  in_sa y (l / n) = in_sa x ((i * unit_L u + l) / n) /\ in_sb y (l / n) = in_sb x ((i * unit_L u + l) / n).
Proof.
  intros E. pose proof Hu as H. unfold is_chain in H. rewrite E in H. repeat (apply andb_prop in H; destruct H as [H ?]).
  unfold inputs_of_block. rewrite E. cbn [in_sa in_sb]. match goal with H : (0 <? n) && _ = true |- _ => apply andb_prop in H; destruct H as [N M] end.
  apply Z.ltb_lt in N. apply Z.eqb_eq in M.
  replace ((i * unit_L u + l) / n) with (i * (unit_L u / n) + l / n); [split; reflexivity|].
  pose proof (Z.div_mod (unit_L u) n ltac:(lia)) as D. rewrite M in D.
  replace (i * unit_L u + l) with (l + (i * (unit_L u / n)) * n) by nia. rewrite Z.div_add by lia. ring.
Qed.

Lemma scaled_shift z l t : scaled (unit_scales w) y z l t = scaled (unit_scales u) x z (i * unit_L u + l) t.
Proof.
  change (unit_scales w) with (unit_scales u). unfold scaled. destruct (unit_scales u) as [[f n]|] eqn:E; [|reflexivity].
  destruct (scale_shift f n l E) as [-> ->]. reflexivity.
Qed.

Lemma product_scaled_shift z l t : scaled (product_scales w) y z l t = scaled (product_scales u) x z (i * unit_L u + l) t.
Proof. unfold product_scales. change (unit_tree w) with (unit_tree u). destruct (has_scaled_sums _); [reflexivity|apply scaled_shift]. Qed.

Lemma element_block l : element w 0 l = l /\ element u i l = i * unit_L u + l.
Proof.
  pose proof Hu as H. unfold is_chain in H. repeat (apply andb_prop in H; destruct H as [H ?]).
  assert (I : unit_interleave u = 0) by (now apply Z.eqb_eq).
  unfold element. change (unit_interleave w) with (unit_interleave u). rewrite I. cbn [Z.eqb]. split; [cbn; lia|reflexivity].
Qed.

Lemma as_child_block n a t : as_child w y 0 n a t = as_child u x i n a t.
Proof.
  unfold as_child. change (unit_L w) with (unit_L u). destruct (elements_below (unit_L u) n) as [|l ls]; [reflexivity|].
  destruct (element_block l) as [-> ->]. destruct (ch_scaled a); try reflexivity; cbn [scaled_sum].
  - pose proof (scaled_shift false l (as_term n t)) as S. change (unit_scales w) with (unit_scales u) in *. destruct (unit_scales u); [exact S|reflexivity].
  - change (unit_scales w) with (unit_scales u). destruct (unit_scales u) as [[f m]|] eqn:E; [|reflexivity]. now rewrite (proj1 (scale_shift f m l E)).
  - change (unit_scales w) with (unit_scales u). destruct (unit_scales u) as [[f m]|] eqn:E; [|reflexivity]. now rewrite (proj2 (scale_shift f m l E)).
Qed.

Lemma numbers_block cf cb n : numbers w y 0 cf cb n = numbers u x i cf cb n.
Proof.
  induction n as [p|g|c|f l IH|r n IH] using node_induction; cbn [numbers].
  - change (unit_L w) with (unit_L u). apply map_ext. intros l. unfold product_of_element.
    destruct (element_block l) as [-> ->]. rewrite product_scaled_shift. reflexivity.
  - change (unit_L w) with (unit_L u). apply map_ext. intros j. unfold group_of_elements, group.
    assert (E : forall k, element w 0 k = k /\ element u i k = i * unit_L u + k) by (intros k; apply element_block).
    rewrite (proj1 (E _)), (proj2 (E _)).
    assert (M : map (fun k => product false (read (unit_a w) (in_a y k)) (read (unit_b w) (in_b y k)))
                  (map (fun l => element w 0 (j * g_size g + l)) (below (g_size g))) =
                map (fun k => product false (read (unit_a u) (in_a x k)) (read (unit_b u) (in_b x k)))
                  (map (fun l => element u i (j * g_size g + l)) (below (g_size g)))).
    { rewrite !map_map. apply map_ext. intros l. now rewrite (proj1 (E _)), (proj2 (E _)). }
    rewrite M, !product_scaled_shift. reflexivity.
  - reflexivity.
  - f_equal. f_equal. induction IH as [|[n a] l Hn Hl IHl]; [reflexivity|]. cbn [flat_map fst] in *. rewrite Hn, IHl. f_equal.
    apply map_ext. intros t. now rewrite as_child_block.
  - rewrite IH. reflexivity.
Qed.

Lemma block_is cf cb : block w y 0 cf cb = block u x i cf cb.
Proof.
  unfold block. change (unit_root w) with (unit_root u). change (unit_tree w) with (unit_tree u). rewrite numbers_block. reflexivity.
Qed.
End Block.

(** One block evaluated as a unit of its own. *)
Lemma evaluate_block u later x i f c : is_chain u = true -> unit_c (block_of u later) = Some f ->
  evaluate (block_of u later) (inputs_of_block u x i c) = block u x i f c.
Proof.
  intros H Hc. assert (L : 0 < unit_L u /\ unit_c_last u = false).
  { pose proof H as K. unfold is_chain in K. repeat (apply andb_prop in K; destruct K as [K ?]).
    split; [now apply Z.ltb_lt|now destruct (unit_c_last u)]. }
  destruct L as [L0 L1]. unfold evaluate. rewrite Hc. change (unit_c_last (block_of u later)) with (unit_c_last u). rewrite L1.
  unfold chain. change (unit_K (block_of u later)) with (unit_L u). change (unit_L (block_of u later)) with (unit_L u).
  rewrite Z.div_same by lia. change (below 1) with [0]. cbn [fold_left fst snd]. cbn [inputs_of_block in_c].
  now apply block_is.
Qed.

(** Blocks that give the same bits for all inputs make chains that do. *)
Theorem chain_of_equal_blocks u w : is_chain u = true -> is_chain w = true ->
  unit_K u = unit_K w -> unit_L u = unit_L w -> unit_d u = unit_d w -> unit_c u = unit_c w -> unit_scales u = unit_scales w ->
  (forall x, evaluate (block_of u false) x = evaluate (block_of w false) x) ->
  (forall x, evaluate (block_of u true) x = evaluate (block_of w true) x) ->
  forall x, evaluate u x = evaluate w x.
Proof.
  intros Hu Hw EK EL Ed Ec Es H1 H2 x.
  assert (Hc : exists f, unit_c u = Some f).
  { unfold is_chain in Hu. destruct (unit_c u); [eauto|]. rewrite !andb_false_r in Hu. discriminate. }
  destruct Hc as [f Hf].
  assert (Lu : unit_c_last u = false) by (unfold is_chain in Hu; repeat (apply andb_prop in Hu; destruct Hu as [Hu ?]); now destruct (unit_c_last u)).
  assert (Lw : unit_c_last w = false) by (unfold is_chain in Hw; repeat (apply andb_prop in Hw; destruct Hw as [Hw ?]); now destruct (unit_c_last w)).
  assert (I : forall i c, inputs_of_block u x i c = inputs_of_block w x i c).
  { intros i c. unfold inputs_of_block. now rewrite Es, EL. }
  assert (B1 : forall i c, block u x i f c = block w x i f c).
  { intros i c. rewrite <- (evaluate_block u false x i f c Hu Hf), <- (evaluate_block w false x i f c Hw) by (cbn; congruence).
    rewrite I. apply H1. }
  assert (B2 : forall i c, block u x i (unit_d u) c = block w x i (unit_d u) c).
  { intros i c. rewrite <- (evaluate_block u true x i (unit_d u) c Hu eq_refl), <- (evaluate_block w true x i (unit_d u) c Hw) by (cbn; congruence).
    rewrite I. apply H2. }
  unfold evaluate. rewrite <- Ec, Hf, Lu, Lw. f_equal. unfold chain. rewrite <- EK, <- EL, <- Ed.
  assert (G : forall l acc, (fst acc = f \/ fst acc = unit_d u) ->
    fold_left (fun a i => (unit_d u, block u x i (fst a) (snd a))) l acc = fold_left (fun a i => (unit_d u, block w x i (fst a) (snd a))) l acc).
  { induction l as [|i l IH]; intros [cf cb] A; [reflexivity|]. cbn [fold_left fst snd] in *.
    replace (block u x i cf cb) with (block w x i cf cb) by (destruct A as [-> | ->]; symmetry; auto).
    apply IH. now right. }
  apply G. now left.
Qed.
