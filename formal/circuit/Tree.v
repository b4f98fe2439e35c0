(** * Trees

    The circuit of a tree has the numbers that the definition has: leaves, sums and rounds of them, by induction. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real Units Gates Lrat Making Words Shifts Integers Largest Circuit CircuitUnit Fields Reading Exponents Numbers
  Factors Operands ReadAgain FixedOperands Products Groups GroupCorrect Carried Alignment FuseTerms Frames FuseCorrect Packing RoundCorrect ScaledSums Kinds Chain.
Import ListNotations.
Open Scope Z_scope.

(** ** What is covered, as a check *)

Definition within40 (n : Z) : bool := (- 2 ^ 40 <=? n) && (n <=? 2 ^ 40).
Definition fair_child_check (c : child_attr) : bool :=
  match ch_F c with Some F => (0 <=? F) && (F <=? 2 ^ 43) | None => true end &&
  match ch_drop c with Some n => within40 n | None => true end && (0 <=? ch_less c) && (ch_less c <=? 2 ^ 20) &&
  match ch_zero c with At n => within40 (n - ch_less c) | _ => true end.

Definition same_F (children : list child_attr) (c : child_attr) : bool := match ch_F c with Some F => F =? largest_F children | None => false end.

Definition fair_fuse_check (u : fuse_attr) (children : list child_attr) : bool :=
  match u_step u with None => true | _ => false end &&
  (negb (u_sticky u) || match u_carry u with None => true | _ => false end && forallb (same_F children) children && (largest_F children <=? 2 ^ 39)) &&
  match u_floor u with Some n => within40 n | None => true end &&
  match u_carry u with
  | Some w => (0 <=? w) && forallb (same_F children) children
  | None => true
  end &&
  forallb fair_child_check children.

(** In a frame there are products and c, each of which keeps F bits. *)
Definition fair_frame_check (u : fuse_attr) (children : list (node * child_attr)) : bool :=
  match u_frame u with
  | NoFrame => true
  | _ => negb (u_sticky u) &&
         forallb (fun na => match fst na with ProductLeaf _ | CLeaf _ => true | _ => false end &&
                            match ch_F (snd na) with Some F => F <=? 2 ^ 39 | None => false end) children
  end.

Definition is_ieee (f : format) : bool := match kind_of f with Ieee => true | _ => false end.

Section Check.
Variable u : unit.

(** Formats of rounds that are covered. *)
Definition fair_round (r : round_attr) : bool :=
  float_format (r_format r) && fair_format (r_format r) && (negb (has_kinds u) || is_ieee (r_format r)).

(** How many numbers a node stands for. *)
Definition count (n : node) : Z :=
  match n with
  | ProductLeaf p => Z.of_nat (length (selected (p_which p) (unit_L u)))
  | GroupLeaf g => Z.of_nat (length (selected (g_which g) (unit_L u / g_size g)))
  | _ => 1
  end.
Definition terms_of (children : list (node * child_attr)) : Z := fold_right (fun na n => count (fst na) + n) 0 children.

(** How many bits of its numbers are worth 2^base or more. *)
Fixpoint above (n : node) : Z :=
  match n with
  | FuseNode _ children =>
      fold_right (fun na m => Z.max (above (fst na) + ch_less (snd na)) m) 0 children + bits_for (terms_of children - 1) + 4
  | GroupLeaf _ => 2 ^ 40
  | _ => 8
  end.

(** Scales multiply what was rounded, and there is an element that has them. *)
Definition fair_scaled (na : node * child_attr) : bool :=
  match ch_scaled (snd na) with
  | ByNone => true
  | _ => is_round (fst na) && match elements_below (unit_L u) (fst na) with l :: _ => (0 <=? l) && (l <? unit_L u) | [] => false end
  end.

(** [less] is an attribute of what was read: of c and of rounds. *)
Definition is_read (n : node) : bool := is_round n || is_c_leaf n.
Definition fair_less (na : node * child_attr) : bool :=
  (ch_less (snd na) =? 0) || is_read (fst na) && match ch_scaled (snd na) with ByNone => true | _ => false end.

Fixpoint fair_node (n : node) : bool :=
  match n with
  | ProductLeaf p => fair_product u p
  | GroupLeaf g => fair_group u g
  | CLeaf c => fair_c c
  | FuseNode f children =>
      fair_fuse_check f (map snd children) && fair_frame_check f children && (0 <? terms_of children) && forallb fair_scaled children && forallb fair_less children &&
      forallb (fun na => fair_node (fst na)) children
  | RoundNode r child => fair_round r && (count child =? 1) && (above child <=? 2 ^ 43) && fair_node child
  end.
End Check.

(** ** The check suffices *)

Lemma within40_correct n : within40 n = true -> - 2 ^ 40 <= n <= 2 ^ 40.
Proof. intros H. apply andb_prop in H. destruct H as [H1 H2]. apply Z.leb_le in H1, H2. lia. Qed.

Lemma fair_child_correct c : fair_child_check c = true -> fair_child c /\ 0 <= ch_less c <= 2 ^ 20.
Proof.
  intros H. unfold fair_child_check in H. apply andb_prop in H. destruct H as [H H4]. apply andb_prop in H. destruct H as [H H5]. apply andb_prop in H. destruct H as [H H3].
  apply andb_prop in H. destruct H as [H1 H2]. apply Z.leb_le in H3, H5. split; [|lia]. unfold fair_child. split; [|split; [|split; [change (2 ^ 40) with (2 ^ 20 * 2 ^ 20); lia|]]].
  - destruct (ch_F c); [|exact I]. apply andb_prop in H1. destruct H1 as [A B]. apply Z.leb_le in A, B. lia.
  - destruct (ch_drop c); [now apply within40_correct|exact I].
  - destruct (ch_zero c); try exact I. apply within40_correct in H4. lia.
Qed.

(** With nan=rdna the format of a round is one of IEEE, and without it the wires say nothing of where a NaN comes from. *)
Lemma kind_or_ieee u r y : fair_round u r = true -> (has_kinds u = false -> n_kind y = None) -> n_kind y = None \/ kind_of (r_format r) = Ieee.
Proof.
  intros H K. unfold fair_round, is_ieee in H. apply andb_prop in H. destruct H as [_ H]. destruct (has_kinds u); [right|left; now apply K].
  destruct (kind_of (r_format r)); try discriminate H; reflexivity.
Qed.

(** What a NaN carries is not spoken of. *)
Lemma is_number_kept v a x n : is_number v a x n -> is_number v a x (kept n).
Proof. intros H. destruct n; exact H. Qed.
Lemma is_number_as_term v a x n m : is_number v a x n -> is_number v a x (as_term m n).
Proof. intros H. destruct m; cbn [as_term]; try exact H. now apply is_number_kept. Qed.

Section Tree.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Variable u : unit.
Variable i : operands.
Variable x : inputs.
Variable index : Z.
Variable c_format : format.
Variable c : word.
Variable cb : Z.

(** The words are the inputs. *)
Definition operands_are : Prop :=
  row_is v (o_a i) (unit_a u) (in_a x) (unit_K u) /\ row_is v (o_b i) (unit_b u) (in_b x) (unit_K u) /\
  match unit_scales u with
  | Some (f, n) => row_is v (o_sa i) f (in_sa x) (scale_count u) /\ row_is v (o_sb i) f (in_sb x) (scale_count u)
  | None => True
  end.

Hypothesis Hi : operands_are.
Hypothesis Ha : fair_operand (unit_a u) = true.
Hypothesis Hb : fair_operand (unit_b u) = true.
Hypothesis Hs : fair_scales (unit_scales u) = true.
Hypothesis Hel : forall l, In l (below (unit_L u)) -> 0 <= element u index l < unit_K u.
Hypothesis Hcf : fair_format c_format = true.
Hypothesis Lc : len c = width c_format.
Hypothesis Nc : num c = cb.

Lemma scales_of_operands k : 0 <= k < unit_K u -> scales_are v (unit_scales u) i x k.
Proof.
  intros Hk'. clear - Hi Hs Hk'. destruct Hi as (_ & _ & Rs). unfold scales_are, fair_scales, scale_count in *. destruct (unit_scales u) as [[f n]|]; [|exact I].
  destruct Rs as [R1 R2]. apply andb_prop in Hs. destruct Hs as [_ Hn]. apply Z.ltb_lt in Hn.
  assert (B : 0 <= k / n < (unit_K u + n - 1) / n).
  { split; [apply Z.div_pos; lia|]. replace (unit_K u + n - 1) with (unit_K u - 1 + 1 * n) by ring. rewrite Z.div_add by lia.
    assert (k / n <= (unit_K u - 1) / n) by (apply Z.div_le_mono; lia). lia. }
  destruct (R1 _ B) as [L1 N1]. destruct (R2 _ B) as [L2 N2]. auto.
Qed.

Lemma product_scales_fair : fair_scales (product_scales u) = true.
Proof. unfold product_scales. destruct (has_scaled_sums _); [reflexivity|exact Hs]. Qed.
Lemma product_scales_of_operands k : 0 <= k < unit_K u -> scales_are v (product_scales u) i x k.
Proof. intros Hk'. unfold product_scales. destruct (has_scaled_sums _); [exact I|now apply scales_of_operands]. Qed.

Lemma computes_element p l : fair_product u p = true -> In l (below (unit_L u)) ->
  computes v (product_wires u i p (element u index l)) (fun y => is_number v 8 y (product_of_element u x index p l)).
Proof.
  intros Hp Il. specialize (Hel l Il). pose proof (product_scales_of_operands _ Hel) as Sc. destruct Hi as (Ra & Rb & _). destruct (Ra _ Hel) as [La Na]. destruct (Rb _ Hel) as [Lb Nb].
  unfold product_of_element. exact (computes_product v v0 u i x p (element u index l) Hp product_scales_fair La Na Lb Nb Sc).
Qed.

Lemma computes_group_leaf g j : fair_group u g = true -> In j (below (unit_L u / g_size g)) ->
  computes v (group_wires u i g (element u index (j * g_size g))) (fun y => is_number v (2 ^ 40) y (group_of_elements u x index g j)).
Proof.
  intros Hg Ij. apply below_in in Ij. pose proof Hg as H. unfold fair_group in H. apply andb_prop in H. destruct H as [H _]. apply andb_prop in H. destruct H as [H _].
  apply andb_prop in H. destruct H as [H _]. apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H. destruct H as [H _].
  apply andb_prop in H. destruct H as [_ H1].
  apply Z.leb_le in H1. apply Z.eqb_eq in H3. set (G := g_size g) in *.
  assert (EL : forall l, element u index (j * G + l) = element u index (j * G) + l) by (intros l; unfold element; rewrite H3; cbn [Z.eqb]; ring).
  assert (LG : (unit_L u / G) * G <= unit_L u) by (rewrite Z.mul_comm; apply Z.mul_div_le; lia).
  assert (IN : forall l, 0 <= l < G -> 0 <= element u index (j * G) + l < unit_K u).
  { intros l Hl. rewrite <- EL. apply Hel. apply below_in. nia. }
  unfold group_of_elements. fold G.
  replace (map (fun k => product false (read (unit_a u) (in_a x k)) (read (unit_b u) (in_b x k))) (map (fun l => element u index (j * G + l)) (below G)))
    with (map (fun l => product false (read (unit_a u) (in_a x (element u index (j * G) + l))) (read (unit_b u) (in_b x (element u index (j * G) + l)))) (below G))
    by (rewrite map_map; apply map_ext; intros l; now rewrite EL).
  apply (computes_group v v0 u i x g (element u index (j * G)) product_scales_fair Hg).
  - apply product_scales_of_operands. specialize (IN 0 ltac:(lia)). lia.
  - intros l Hl. specialize (IN l Hl). destruct Hi as (Ra & Rb & _). destruct (Ra _ IN) as [La Na]. destruct (Rb _ IN) as [Lb Nb]. auto.
Qed.

Definition good (n : node) : Prop := fair_node u n = true ->
  computes v (node_wires u i index c_format c n) (fun xs => Forall2 (is_number v (above u n)) xs (numbers u x index c_format cb n)) /\
  Z.of_nat (length (numbers u x index c_format cb n)) = count u n /\ 0 <= above u n /\
  Forall carries_fitting (numbers u x index c_format cb n) /\
  (is_round n = true -> 8 <= above u n /\ computes v (node_wires u i index c_format c n) (fun xs => Forall2 (is_rounded v) xs (numbers u x index c_format cb n))) /\
  (is_read n = true -> computes v (node_wires u i index c_format c n) (Forall roomy)).

(** A number of a child, as the sum has it. *)
Lemma computes_child n a y m : fair_scaled u (n, a) = true -> fair_less (n, a) = true -> is_number v (above u n) y m ->
  (is_round n = true -> 8 <= above u n /\ is_rounded v y m) -> (is_read n = true -> roomy y) ->
  computes v (child_wires u i index n a (if is_round n then kept_wires u y else y)) (fun z => is_number v (above u n) z (as_child u x index n a m) /\ (ch_less a = 0 \/ roomy z)).
Proof.
  intros Hfair Hless Hy Hr Hroom.
  set (y' := if is_round n then kept_wires u y else y).
  assert (N : is_number v (above u n) y' (as_term n m)) by (unfold y', kept_wires; destruct (is_round n), (has_kinds u); now apply is_number_as_term).
  assert (R' : is_round n = true -> is_rounded v y' (as_term n m)).
  { intros R. destruct (Hr R) as [_ R1]. apply (rounded_kept v) in R1. unfold y', kept_wires. destruct n; try discriminate R. cbn [as_term is_round]. destruct (has_kinds u); exact R1. }
  assert (RO : is_read n = true -> roomy y') by (intros R; specialize (Hroom R); unfold y', kept_wires; destruct (is_round n), (has_kinds u); exact Hroom).
  clearbody y'. unfold fair_less in Hless. cbn [fst snd] in Hless. apply orb_prop in Hless. rewrite Z.eqb_eq in Hless.
  unfold fair_scaled in Hfair. cbn [fst snd] in Hfair. unfold child_wires, as_child.
  assert (G : forall how, is_round n && match elements_below (unit_L u) n with l :: _ => (0 <=? l) && (l <? unit_L u) | [] => false end = true -> ch_less a = 0 ->
    computes v (match elements_below (unit_L u) n with l :: _ => scaled_wires u i how (element u index l) y' | [] => ret y' end)
      (fun z => is_number v (above u n) z (match elements_below (unit_L u) n with l :: _ => scaled_sum how (unit_scales u) x (element u index l) (as_term n m) | [] => as_term n m end) /\
                (ch_less a = 0 \/ roomy z))).
  { intros how H L0. apply andb_prop in H. destruct H as [H1 H2]. destruct (elements_below (unit_L u) n) as [|l ls]; [discriminate|].
    apply andb_prop in H2. destruct H2 as [H2 H3]. apply Z.leb_le in H2. apply Z.ltb_lt in H3. destruct (Hr H1) as [A4 _].
    eapply computes_weaken.
    - apply (computes_scaled_sum v v0 u i x how (element u index l) y' (as_term n m) Hs); [|exact (R' H1)].
      apply scales_of_operands, Hel, below_in. lia.
    - intros z Hz. split; [|now left]. revert Hz. apply is_number_more. lia. }
  destruct (ch_scaled a).
  - apply computes_ret. split; [exact N|]. destruct Hless as [L|L]; [now left|right]. apply andb_prop in L. now apply RO.
  - apply (G ByBoth Hfair). destruct Hless as [L|L]; [exact L|]. now rewrite andb_false_r in L.
  - apply (G ByA Hfair). destruct Hless as [L|L]; [exact L|]. now rewrite andb_false_r in L.
  - apply (G ByB Hfair). destruct Hless as [L|L]; [exact L|]. now rewrite andb_false_r in L.
Qed.

Lemma largest_same (l : list sum_term) F : 0 <= F -> l <> [] -> Forall (fun t => ch_F (s_child t) = Some F) l -> largest_F_of l = F.
Proof.
  intros F0 Ne H. unfold largest_F_of.
  assert (G : forall l m, 0 <= m <= F -> Forall (fun t => ch_F (s_child t) = Some F) l ->
     fold_left (fun m t => Z.max m (match ch_F (s_child t) with Some F => F | None => 0 end)) l m = match l with [] => m | _ => F end).
  { clear. induction l as [|t l IH]; intros m B H; [reflexivity|]. inversion H as [|? ? H1 H2]; subst. cbn [fold_left]. rewrite H1, IH by (try lia; exact H2).
    destruct l; lia. }
  rewrite G; [destruct l; [congruence|reflexivity]|lia|exact H].
Qed.

Lemma term_of_number a a' y n child b : fair_child child -> 0 <= ch_less child <= 2 ^ 20 -> is_number v a y n -> ch_less child = 0 \/ roomy y ->
  a + ch_less child <= a' -> is_term v a' (SumTerm y child b) (Term child b n).
Proof.
  intros Hc Hl H R La. split; [reflexivity|]. split; [reflexivity|]. split; [exact Hc|]. cbn [s_number s_child t_number]. split; [apply (is_number_more v a); [lia|exact H]|].
  destruct H as (_ & (S1 & S2 & _ & S4 & S5) & _). split; [lia|]. split; [lia|].
  unfold roomy, close, near, offset_by in *. cbn [i_low i_high]. change (2 ^ 40) with (2 * 2 ^ 39) in *. change (2 ^ 39) with (524288 * 2 ^ 20) in *. destruct R as [R|R]; lia.
Qed.

(** The terms in a frame. *)
Lemma frame_of_leaves f children : Forall (fun na => fair_scaled u na = true /\ fair_less na = true) children -> fair_frame_check f children = true ->
  fair_frame f (flat_map (fun child => match child with
                | (n, c0) => map (fun y => Term c0 (is_c_leaf n) (as_child u x index n c0 y)) (numbers u x index c_format cb n) end) children).
Proof.
  intros HS HF. unfold fair_frame_check in HF. unfold fair_frame. destruct (u_frame f); [now left| | |]; right; apply andb_prop in HF; destruct HF as [H1 H2];
    apply negb_true_iff in H1; (split; [exact H1|]); apply Forall_forall; intros t It; apply in_flat_map in It; destruct It as ([n a] & In_ & It);
    apply in_map_iff in It; destruct It as (m & <- & Im); rewrite forallb_forall in H2; specialize (H2 _ In_); cbn [fst snd] in H2; apply andb_prop in H2; destruct H2 as [H2 H3];
    cbn [t_child t_number]; (split; [destruct (ch_F a); [now apply Z.leb_le|discriminate]|]); rewrite Forall_forall in HS; destruct (HS _ In_) as [S _];
    unfold fair_scaled in S; cbn [fst snd] in S; unfold as_child.
  all: destruct n; try discriminate H2; cbn [is_round andb as_term] in *; (destruct (ch_scaled a); [|discriminate S|discriminate S|discriminate S]); cbn [numbers] in Im.
  1, 3, 5: apply in_map_iff in Im; destruct Im as (l & <- & _); unfold product_of_element; apply limited_one_sign, scaled_one_sign, product_one_sign; apply factor_one_sign.
  all: destruct Im as [<-|[]]; unfold accumulator; pose proof (operand_one_sign (c_ftz c0) (c_as c0) c_format _ (read_one_sign c_format cb)) as O;
    destruct (read_again _ _); exact O.
Qed.

(** The terms of a sum, child by child. *)
Lemma computes_terms a children :
  Forall (fun na => good (fst na)) children -> Forall (fun na => fair_node u (fst na) = true) children ->
  Forall (fun na => fair_scaled u na = true /\ fair_less na = true) children ->
  Forall (fun na => fair_child (snd na) /\ 0 <= ch_less (snd na) <= 2 ^ 20) children ->
  (forall na, In na children -> above u (fst na) + ch_less (snd na) <= a) ->
  let defs := flat_map (fun child => match child with
                | (n, c0) => map (fun y => Term c0 (is_c_leaf n) (as_child u x index n c0 y)) (numbers u x index c_format cb n) end) children in
  Z.of_nat (length defs) = terms_of u children /\ Forall (fun t => carries_fitting (t_number t)) defs /\
  computes v ((fix go (l : list (node * child_attr)) : making (list sum_term) :=
                    match l with
                    | [] => ret []
                    | (n, a) :: l' =>
                        xs <- node_wires u i index c_format c n ;;
                        ys <- map_m (fun x => child_wires u i index n a (if is_round n then kept_wires u x else x)) xs ;;
                        rest <- go l' ;;
                        ret (map (fun y => SumTerm y a (is_c_leaf n)) ys ++ rest)
                    end) children)
    (fun given => Forall2 (is_term v a) given defs /\
       Forall (fun t => exists na, In na children /\ s_child t = snd na) given).
Proof.
  intros HG HF HSc HC HA. induction children as [|[n ca] l IH]; [split; [reflexivity|split; [constructor|apply computes_ret; split; constructor]]|].
  inversion HG as [|? ? G1 G2]; inversion HF as [|? ? F1 F2]; inversion HC as [|? ? [C1 C2] C3]; inversion HSc as [|? ? [S0 S1] S2]; subst.
  destruct (IH G2 F2 S2 C3 (fun na I => HA na (or_intror I))) as (IH1 & IH3 & IH2). cbv zeta in *. cbn [fst snd] in *. clear IH.
  destruct (G1 F1) as (N1 & N2 & N3 & N4 & N5 & N6). cbn [flat_map terms_of fold_right fst]. split; [|split].
  - rewrite app_length, map_length, Nat2Z.inj_add, IH1, N2. reflexivity.
  - apply Forall_app. split; [|exact IH3]. rewrite Forall_map. eapply Forall_impl; [|exact N4]. intros y Hy. cbn [t_number].
    apply as_child_carries; [exact fits_any_origin|exact Hy].
  - specialize (HA (n, ca) (or_introl eq_refl)). cbn [fst snd] in HA.
    eapply computes_bind; [exact (computes_both v _ _ _ N1 (computes_both v _ _ _ (computes_if v _ _ _ (fun R => proj2 (N5 R))) (computes_if v _ _ _ N6)))|]. intros xs (Hxs & Rxs & Oxs).
    eapply computes_bind with (P := fun ys => Forall2 (fun z m => is_number v (above u n) z m /\ (ch_less ca = 0 \/ roomy z)) ys (map (as_child u x index n ca) (numbers u x index c_format cb n))).
    { assert (CH := fun y m => computes_child n ca y m S0 S1).
      assert (N4' : is_round n = true -> 8 <= above u n) by (intros R; exact (proj1 (N5 R))).
      clear - Hxs Rxs Oxs CH N4'. revert Rxs Oxs. induction Hxs as [|y m xs ms H _ IH]; intros Rxs Oxs; cbn [map_m map]; [apply computes_ret; constructor|].
      eapply computes_bind; [apply (CH y m H); intros R; [specialize (Rxs R); inversion Rxs|specialize (Oxs R); inversion Oxs]; auto|]. intros z Hz.
      eapply computes_bind; [apply IH; intros R; [specialize (Rxs R); inversion Rxs|specialize (Oxs R); inversion Oxs]; assumption|]. intros zs Hzs. apply computes_ret. now constructor. }
    intros ys Hys. eapply computes_bind; [exact IH2|]. intros rest [R1 R2]. apply computes_ret. split.
    + apply Forall2_app; [|exact R1]. rewrite <- (map_map (as_child u x index n ca) (Term ca (is_c_leaf n))).
      assert (TN := fun y m N R => term_of_number (above u n) a y m ca (is_c_leaf n) C1 C2 N R HA).
      clear - Hys TN. induction Hys as [|y m ys ms [H R] _ IH]; cbn [map]; constructor; [|exact IH]. now apply TN.
    + apply Forall_app. split.
      * apply Forall_forall. intros t It. apply in_map_iff in It. destruct It as (y & <- & _). exists (n, ca). split; [now left|reflexivity].
      * eapply Forall_impl; [|exact R2]. intros t (na & I1 & I2). exists na. split; [now right|exact I2].
Qed.

Theorem computes_node n : good n.
Proof.
  induction n as [p|g|ca|f l IH|r n IH] using node_induction; intros Hf; cbn [fair_node] in Hf.
  - cbn [node_wires numbers above count]. split; [|split; [now rewrite map_length|split; [lia|split; [|split; discriminate]]]].
    2: { rewrite Forall_map. apply Forall_forall. intros l _. unfold product_of_element.
         apply limited_carries, scaled_carries, product_carries; apply factor_carries, operand_fits; assumption. }
    assert (S : forall l, In l (selected (p_which p) (unit_L u)) -> In l (below (unit_L u))) by (intros l I; unfold selected in I; now apply filter_In in I).
    induction (selected (p_which p) (unit_L u)) as [|l ls IH]; cbn [map_m map]; [apply computes_ret; constructor|].
    eapply computes_bind; [apply (computes_element p l Hf); apply S; now left|]. intros y Hy.
    eapply computes_bind; [apply IH; intros l' I; apply S; now right|]. intros ys Hys. apply computes_ret. now constructor.
  - cbn [node_wires numbers above count]. split; [|split; [now rewrite map_length|split; [lia|split; [|split; discriminate]]]].
    2: { rewrite Forall_map. apply Forall_forall. intros j _. unfold group_of_elements. apply group_carries; [exact fits_any_origin|]. rewrite !Forall_map. apply Forall_forall. intros l _.
         apply product_carries; now apply operand_fits. }
    assert (S : forall j, In j (selected (g_which g) (unit_L u / g_size g)) -> In j (below (unit_L u / g_size g))) by (intros j I; unfold selected in I; now apply filter_In in I).
    induction (selected (g_which g) (unit_L u / g_size g)) as [|j js IH]; cbn [map_m map]; [apply computes_ret; constructor|].
    eapply computes_bind; [apply (computes_group_leaf g j Hf); apply S; now left|]. intros y Hy.
    eapply computes_bind; [apply IH; intros j' I; apply S; now right|]. intros ys Hys. apply computes_ret. now constructor.
  - assert (CA : computes v (node_wires u i index c_format c (CLeaf ca)) (fun xs => Forall2 (fun y m => is_number v 8 y m /\ roomy y) xs [kept (accumulator ca c_format cb)])).
    { cbn [node_wires]. eapply computes_bind; [exact (computes_accumulator v v0 c_format Hcf ca c Hf Lc)|]. intros y [Hy Ry]. rewrite Nc in Hy. apply computes_ret.
      constructor; [|constructor]. unfold kept_wires. destruct (has_kinds u); (split; [|exact Ry]); apply (is_number_more v 1); try lia; now apply is_number_kept. }
    cbn [numbers above count]. split; [|split; [reflexivity|split; [lia|split; [|split; [discriminate|intros _]]]]].
    + eapply computes_weaken; [exact CA|]. intros xs H. clear - H. induction H as [|y m ys ms [H _] _ IH]; constructor; assumption.
    + constructor; [|constructor]. apply kept_carries; [exact fits_any_origin|]. now apply accumulator_carries, fair_read_fits.
    + eapply computes_weaken; [exact CA|]. intros xs H. clear - H. induction H as [|y m ys ms [_ H] _ IH]; constructor; assumption.
  - apply andb_prop in Hf. destruct Hf as [Hf Hfair]. apply andb_prop in Hf. destruct Hf as [Hf Hless]. apply andb_prop in Hf. destruct Hf as [Hf Hscaled]. apply andb_prop in Hf. destruct Hf as [Hf Hcount]. apply Z.ltb_lt in Hcount.
    apply andb_prop in Hf. destruct Hf as [Hfuse Hframe].
    unfold fair_fuse_check in Hfuse. apply andb_prop in Hfuse. destruct Hfuse as [Hfuse Hch]. apply andb_prop in Hfuse. destruct Hfuse as [Hfuse Hcarry].
    apply andb_prop in Hfuse. destruct Hfuse as [Hfuse Hfloor]. apply andb_prop in Hfuse. destruct Hfuse as [Hstep Hsticky].
    destruct (u_step f) eqn:ES; [discriminate|].
    assert (HC : Forall (fun na => fair_child (snd na) /\ 0 <= ch_less (snd na) <= 2 ^ 20) l).
    { rewrite forallb_forall in Hch. apply Forall_forall. intros na I. apply fair_child_correct, Hch. now apply in_map. }
    assert (HF : Forall (fun na => fair_node u (fst na) = true) l) by (apply Forall_forall; rewrite forallb_forall in Hfair; exact Hfair).
    set (a := fold_right (fun na m => Z.max (above u (fst na) + ch_less (snd na)) m) 0 l).
    assert (A0 : 0 <= a /\ forall na, In na l -> above u (fst na) + ch_less (snd na) <= a).
    { unfold a. clear. induction l as [|na l IH]; cbn [fold_right]; [split; [lia|intros na []]|]. destruct IH as [IH1 IH2]. split; [lia|].
      intros na' [<-|I]; [lia|specialize (IH2 _ I); lia]. }
    assert (HSc : Forall (fun na => fair_scaled u na = true /\ fair_less na = true) l)
      by (apply Forall_forall; rewrite forallb_forall in Hscaled, Hless; intros na I; split; [exact (Hscaled na I)|exact (Hless na I)]).
    destruct A0 as [A0 A1]. destruct (computes_terms a l IH HF HSc HC A1) as (T1 & T3 & T2). cbv zeta in *.
    cbn [node_wires numbers above count]. fold a. set (defs := flat_map _ _) in *.
    split; [|split; [reflexivity|split; [|split; [|split; discriminate]]]].
    2: { pose proof (bits_for_spec (terms_of u l - 1) ltac:(lia)). lia. }
    2: { constructor; [now apply fuse_carries|constructor]. }
    eapply computes_bind; [exact T2|]. intros given [G1 G2].
    assert (LG : Z.of_nat (length given) = terms_of u l) by (rewrite (pairs_length _ _ _ G1); exact T1).
    assert (Ne : given <> []) by (intros ->; cbn in LG; lia).
    rewrite <- LG. eapply computes_bind.
    + assert (SF : forallb (same_F (map snd l)) (map snd l) = true ->
        Forall (fun t => ch_F (s_child t) = Some (largest_F (map snd l))) given /\ largest_F (map snd l) = largest_F_of given).
      { intros Hc. assert (GF : Forall (fun t => ch_F (s_child t) = Some (largest_F (map snd l))) given).
        { rewrite forallb_forall in Hc. eapply Forall_impl; [|exact G2]. intros t (na & I1 & ->). specialize (Hc (snd na) (in_map snd _ _ I1)). unfold same_F in Hc.
          destruct (ch_F (snd na)); [|discriminate]. apply Z.eqb_eq in Hc. now rewrite Hc. }
        split; [exact GF|]. symmetry. apply largest_same; [|exact Ne|exact GF].
        destruct given as [|t given]; [congruence|]. inversion GF as [|? ? Q _]; inversion G2 as [|? ? (na & I1 & I2) _]; subst.
        rewrite Forall_forall in HC. destruct (HC na I1) as [(HFr & _) _]. rewrite <- I2, Q in HFr. lia. }
      apply (computes_fuse v v0 f given defs (map snd l) a Ne); [|  |  |exact (frame_of_leaves f l HSc Hframe)|exact A0|exact G1].
      * split; [exact ES|]. destruct (u_floor f); [now apply within40_correct|exact I].
      * unfold fair_carry. destruct (u_carry f) as [w|]; [|exact I]. apply andb_prop in Hcarry. destruct Hcarry as [Hw Hc]. apply Z.leb_le in Hw.
        destruct (SF Hc) as [GF GL]. split; [exact Hw|]. split; [eapply Forall_impl; [|exact GF]; intros t ->; discriminate|exact GL].
      * intros US. rewrite US in Hsticky. cbn [negb orb] in Hsticky. apply andb_prop in Hsticky. destruct Hsticky as [Hsticky H3]. apply andb_prop in Hsticky. destruct Hsticky as [H1 H2].
        apply Z.leb_le in H3. destruct (SF H2) as [GF GL]. split; [destruct (u_carry f); [discriminate|reflexivity]|]. split; [|exact GL].
        eapply Forall_impl; [|exact GF]. intros t ->. exact H3.
    + intros y Hy. apply computes_ret. exact (Forall2_cons _ _ Hy (Forall2_nil _)).
  - apply andb_prop in Hf. destruct Hf as [Hf Hchild]. apply andb_prop in Hf. destruct Hf as [Hf Habove]. apply andb_prop in Hf. destruct Hf as [Hf Hcount].
    pose proof Hf as Hround. apply andb_prop in Hf. destruct Hf as [Hf _]. apply andb_prop in Hf. destruct Hf as [Hfloat Hfair]. apply Z.leb_le in Habove. apply Z.eqb_eq in Hcount.
    destruct (IH Hchild) as (N1 & N2 & N3 & N4 & _). cbn [node_wires numbers above count].
    assert (One : exists m, numbers u x index c_format cb n = [m]).
    { rewrite Hcount in N2. destruct (numbers u x index c_format cb n) as [|m [|m' l]]; cbn [length] in N2; [lia|now exists m|lia]. }
    destruct One as [m Hm]. rewrite Hm in *. cbn [map length]. inversion N4 as [|? ? Fm _]; subst.
    match goal with |- computes v ?w _ /\ _ => enough (RW : computes v w (fun xs => Forall2 (is_rounded v) xs [rounded u r m])) end.
    { split; [|split; [reflexivity|split; [lia|split; [constructor; [now apply rounded_fits|constructor]|split; intros _; [split; [lia|exact RW]|]]]]].
      - eapply computes_weaken; [exact RW|]. intros xs Hxs. inversion Hxs as [|y ? ys ? (Hy & _) Hys]; subst. inversion Hys; subst. constructor; [|constructor].
        apply (is_number_more v 1); [lia|exact Hy].
      - eapply computes_weaken; [exact RW|]. intros xs Hxs. inversion Hxs as [|y ? ys ? Hy Hys]; subst. inversion Hys; subst. constructor; [apply Hy|constructor]. }
    eapply computes_bind; [exact (computes_both v _ _ _ N1 (computes_if v _ (has_kinds u = false) _ (fun K => node_unsaid v u K i index c_format c n)))|]. intros xs [Hxs Kxs].
    inversion Hxs as [|y ? ys ? Hy Hys]; subst. inversion Hys; subst.
    assert (NK : n_kind y = None \/ kind_of (r_format r) = Ieee) by (apply (kind_or_ieee u); [exact Hround|intros K; specialize (Kxs K); now inversion Kxs]).
    eapply computes_bind; [exact (computes_round v v0 r Hfloat u (above u n) y m Habove Hy NK Fm)|]. intros p [Lp Pp].
    eapply computes_bind; [exact (computes_read_rounded v v0 (r_format r) p Hfair Lp)|]. intros z Hz.
    apply (rounded_same v z _ _ (packs_read (r_format r) Hfloat _ _ Pp)) in Hz.
    eapply computes_bind with (P := fun t => is_rounded v t (rounded u r m)).
    { unfold with_kind_of. destruct (n_kind y); [|now apply computes_ret]. do 3 (eapply computes_bind; [apply computes_something|]; intros ? _). apply computes_ret. exact Hz. }
    intros t Ht. apply computes_ret. now constructor.
Qed.

End Tree.
