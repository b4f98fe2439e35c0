(** * What a NaN carries through a tree

    And, with nan=rdna, where it comes from. In trees whose rounds are to IEEE formats; and that a NaN which is written as it
    was carried is the one of nan=x86, and of nan=rdna after that rule. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real Units Gates Lrat Making Words Circuit CircuitUnit Fields Reading Numbers Factors Operands FixedOperands ReadAgain
  Kinds Contents Products Carried Packing RoundCorrect ScaledSums Tree Origins Chain.
Import ListNotations.
Open Scope Z_scope.

(** A NaN of the format keeps its payload. *)
Definition keeps_payload (f : format) : bool := match kind_of f with Ieee => M_bits f <=? payload_bits | _ => false end.
Fixpoint rounds_keep (u : unit) (n : node) : bool :=
  match n with
  | FuseNode _ children =>
      forallb (fun na => (negb (has_kinds u) || match ch_scaled (snd na) with ByNone => true | _ => false end) && rounds_keep u (fst na)) children
  | RoundNode r child => keeps_payload (r_format r) && rounds_keep u child
  | ProductLeaf p => negb (p_nanzero p)
  | GroupLeaf _ => false
  | _ => true
  end.

(** What is read again of a NaN is written as it was. *)
Lemma write_nan_again f c : float_format f = true -> keeps_payload f = true -> content_fits c ->
  exists c', carried (read f (write_nan f c)) = Some c' /\ write_nan f c' = write_nan f c.
Proof.
  intros Hf Hk Hc. unfold keeps_payload in Hk. destruct (kind_of f) eqn:K; try discriminate. destruct (float_parts f Hf) as (Fx & _ & _ & _ & P5 & P6 & _ & _ & _ & P10 & P11).
  set (fr := content_fraction c / pow2 (64 - M_bits f)).
  pose proof (Z.pow_pos_nonneg 2 (64 - M_bits f) eq_refl ltac:(lia)) as P. pose proof (Z.pow_pos_nonneg 2 (M_bits f - 1) eq_refl ltac:(lia)) as Pm.
  assert (Q : 2 ^ 63 = 2 ^ (64 - M_bits f) * 2 ^ (M_bits f - 1)) by (rewrite <- Z.pow_add_r by lia; f_equal; ring).
  assert (E2 : 2 ^ M_bits f = 2 * 2 ^ (M_bits f - 1)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  pose proof (written_field (M_bits f) c ltac:(lia) Hc) as B. fold fr in B.
  assert (W : write_nan f c = fields f (content_negative c) (2 ^ E_bits f - 1) fr) by (unfold write_nan; rewrite K, pow2_correct; reflexivity).
  rewrite W. destruct (fields_read f Hf (content_negative c) (2 ^ E_bits f - 1) fr ltac:(lia) ltac:(lia)) as (R1 & R2 & R3).
  exists (Content (content_negative c) (Z.lor (fr * pow2 (64 - M_bits f)) quiet_bit) OfFactor). split.
  - unfold read. rewrite Fx. unfold read_float. set (p := fields f (content_negative c) (2 ^ E_bits f - 1) fr) in *.
    fold (sign_of_pattern f p) (exponent_of f p) (fraction_of f p). rewrite R1, R2, R3, K, pow2_correct, Z.eqb_refl.
    destruct (Z.eqb_spec fr 0); [lia|]. reflexivity.
  - unfold write_nan. rewrite K, pow2_correct. cbn [content_negative content_fraction]. f_equal; [now rewrite pow2_correct|]. unfold quiet_bit. rewrite pow2_correct, Q.
    rewrite (Z.mul_comm (2 ^ (64 - M_bits f))), <- Z.shiftr_div_pow2, Z.shiftr_lor, !Z.shiftr_div_pow2, !Z.div_mul by lia.
    apply Z.bits_inj'. intros i Hi. rewrite Z.lor_spec. destruct (Z.eq_dec i (M_bits f - 1)) as [->|N].
    + rewrite Z.pow2_bits_true, orb_true_r by lia. symmetry. rewrite Z.testbit_odd, Z.shiftr_div_pow2 by lia.
      replace (fr / 2 ^ (M_bits f - 1)) with 1; [reflexivity|]. apply (Z.div_unique _ _ 1 (fr - 2 ^ (M_bits f - 1))); lia.
    + rewrite Z.pow2_bits_false by lia. apply orb_false_r.
Qed.

(** Rules by which the NaN of d depends on those of the operands. *)
Definition keeps_nan (u : unit) : bool := match unit_nan u with NanX86 | NanRdna => true | _ => false end.

(** The result of a round of a NaN, by such a rule. *)
Lemma result_of_nan u f n : keeps_nan u = true -> float_format f = true -> keeps_payload f = true -> is_nan_number n = true -> carries_fitting n ->
  forall r, r_format r = f -> result u f (Notation.round r n) = write_nan f (or_invalid (carried n)).
Proof.
  intros U Hf Hk N C r <-. destruct (float_parts _ Hf) as (Fx & _ & _ & HN & _). unfold Notation.round. rewrite Fx.
  destruct n as [| |s t c]; try discriminate N. unfold round_nan. rewrite HN. cbn [carried carries] in *.
  change (match c with Some c0 => c0 | None => invalid end) with (or_invalid c).
  pose proof (or_invalid_fits c C : content_fits (or_invalid c)) as F.
  destruct (write_nan_again _ _ Hf Hk F) as (c' & E & W). destruct (read_nan _ Hf _ (written_nan _ Hf _ F)) as (s' & c1 & R & _). rewrite R in *.
  cbn [carried] in E. injection E as ->. cbn [result option_map]. rewrite <- W. unfold keeps_nan in U. destruct (unit_nan u); try discriminate U; unfold write_nan, with_origin; cbn [content_negative content_fraction]; reflexivity.
Qed.

(** Rounds to formats with infinity make no NaN. *)
Lemma round_nan_only r n : float_format (r_format r) = true -> keeps_payload (r_format r) = true ->
  is_nan_number (Notation.round r n) = true -> is_nan_number n = true.
Proof.
  intros Hf Hk. destruct (float_parts _ Hf) as (Fx & _). unfold keeps_payload in Hk. destruct (kind_of (r_format r)) eqn:K; try discriminate.
  assert (HI : has_infinity (r_format r) = true) by (unfold has_infinity; now rewrite K).
  unfold Notation.round, round_finite, infinity_of. rewrite Fx, HI. destruct n as [d e s|s t|s t c]; [|discriminate|reflexivity].
  repeat match goal with |- context [if ?c then _ else _] => destruct c end; discriminate.
Qed.

(** What is read of the pattern of a round carries what the round does. *)
Lemma packs_carried r p n : float_format (r_format r) = true -> keeps_payload (r_format r) = true -> carries_fitting n ->
  packs (r_format r) p (Notation.round r n) ->
  (is_nan_number n = true -> p = write_nan (r_format r) (or_invalid (carried n))) ->
  same_content (carried (read (r_format r) p)) (carried (Notation.round r n)) /\
  match Notation.round r n with NaN _ true (Some _) => False | _ => True end.
Proof.
  intros Hf Hk C Pk N. destruct (float_parts _ Hf) as (Fx & _ & _ & HN & _). pose proof (packs_read _ Hf _ _ Pk) as S.
  unfold keeps_payload in Hk. destruct (kind_of (r_format r)) eqn:K; try discriminate.
  assert (HI : has_infinity (r_format r) = true) by (unfold has_infinity; now rewrite K).
  destruct n as [d e s|s t|s t c].
  - assert (G : is_nan_number (Notation.round r (Finite d e s)) = false).
    { apply not_true_is_false. intros Q. apply round_nan_only in Q; [discriminate|exact Hf|unfold keeps_payload; now rewrite K]. }
    destruct (Notation.round r (Finite d e s)), (read (r_format r) p); try discriminate G; cbn in *; try destruct S; split; exact I.
  - unfold Notation.round in *. rewrite Fx in *. unfold infinity_of in *. rewrite HI in *. destruct (read (r_format r) p); cbn in *; try destruct S; split; exact I.
  - rewrite (N eq_refl) in *. unfold Notation.round in *. rewrite Fx in *. unfold round_nan in *. rewrite HN in *. cbn [carried] in *.
    change (match c with Some c0 => c0 | None => invalid end) with (or_invalid c) in *.
    pose proof (or_invalid_fits c C : content_fits (or_invalid c)) as F.
    destruct (read_nan _ Hf _ (written_nan _ Hf _ F)) as (s' & c1 & R & _). rewrite R in *. cbn. auto.
Qed.

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
Hypothesis Hi : operands_are v u i x.
Hypothesis Ha : fair_format (unit_a u) = true.
Hypothesis Hb : fair_format (unit_b u) = true.
Hypothesis Hs : fair_scales (unit_scales u) = true.
Hypothesis Hel : forall l, In l (below (unit_L u)) -> 0 <= element u index l < unit_K u.
Hypothesis Hcf : fair_format c_format = true.
Hypothesis Lc : len c = width c_format.
Hypothesis Nc : num c = cb.

(** What is known of a number of a node: what its NaN carries, where it comes from, and of a round, what a sum takes in of it. *)
Definition tells (n : node) (y : wires) (m : number) : Prop :=
  carries_is v y m /\ kind_is v u y m /\ (is_round n = true -> settled v y m).

Lemma computes_child_carries n a y m : fair_scaled u (n, a) = true -> negb (has_kinds u) || match ch_scaled a with ByNone => true | _ => false end = true -> tells n y m ->
  computes v (child_wires u i index n a (if is_round n then kept_wires u y else y))
    (fun z => carries_is v z (as_child u x index n a m) /\ kind_is v u z (as_child u x index n a m)).
Proof.
  intros Hfair Hby (Hy & Qy & Sy). set (y' := if is_round n then kept_wires u y else y).
  assert (N : carries_is v y' (as_term n m)).
  { unfold y', kept_wires. destruct n; cbn [as_term is_round]; try exact Hy. apply (carries_kept v) in Hy. destruct (has_kinds u); exact Hy. }
  assert (Q : kind_is v u y' (as_term n m)).
  { unfold y'. destruct n; cbn [as_term is_round] in *; try exact Qy. exact (kept_again v v0 u y m Qy (Sy eq_refl)). }
  clearbody y'. unfold fair_scaled in Hfair. cbn [fst snd] in Hfair. unfold child_wires, as_child.
  assert (G : forall how, is_round n && match elements_below (unit_L u) n with l :: _ => (0 <=? l) && (l <? unit_L u) | [] => false end = true -> has_kinds u = false ->
    computes v (match elements_below (unit_L u) n with l :: _ => scaled_wires u i how (element u index l) y' | [] => ret y' end)
      (fun z => carries_is v z (match elements_below (unit_L u) n with l :: _ => scaled_sum how (unit_scales u) x (element u index l) (as_term n m) | [] => as_term n m end) /\
                kind_is v u z (match elements_below (unit_L u) n with l :: _ => scaled_sum how (unit_scales u) x (element u index l) (as_term n m) | [] => as_term n m end))).
  { intros how H Hk. apply andb_prop in H. destruct H as [_ H2]. destruct (elements_below (unit_L u) n) as [|l ls]; [discriminate|].
    apply andb_prop in H2. destruct H2 as [H2 H3]. apply Z.leb_le in H2. apply Z.ltb_lt in H3. unfold kind_is in *. rewrite Hk in *. apply computes_both.
    - apply (computes_scaled_carries v v0 u i x how (element u index l) y' (as_term n m) Hs); [|exact N].
      apply (scales_of_operands v u i x Hi Hs), Hel, below_in. lia.
    - now apply (scaled_unsaid v u Hk). }
  destruct (ch_scaled a); [now apply computes_ret| | |]; rewrite orb_false_r in Hby; apply negb_true_iff in Hby;
    [exact (G ByBoth Hfair Hby)|exact (G ByA Hfair Hby)|exact (G ByB Hfair Hby)].
Qed.

Lemma operand_of_format f : fair_format f = true -> fair_operand f = true.
Proof. intros H. unfold fair_operand. now rewrite H. Qed.
Notation node_number := (computes_node v v0 u i x index c_format c cb Hi (operand_of_format _ Ha) (operand_of_format _ Hb) Hs Hel Hcf Lc Nc).

Lemma computes_c_carries ca : fair_c ca = true ->
  computes v (node_wires u i index c_format c (CLeaf ca)) (fun xs => Forall2 (tells (CLeaf ca)) xs (numbers u x index c_format cb (CLeaf ca))).
Proof.
  intros Hf. cbn [node_wires numbers].
  eapply computes_bind; [exact (computes_both v _ _ _ (computes_accumulator v v0 c_format Hcf ca c Hf Lc) (computes_both v _ _ _ (computes_accumulator_carries v v0 c_format ca c Hcf Lc)
    (computes_accumulator_same v c_format c ca _ (computes_both v _ _ _ (read_kind v c_format c) (computes_read_only v v0 c_format Hcf c Lc)))))|].
  rewrite Nc. intros y ((((_ & SP & _) & _) & _) & Cy & z & (Kz & Oz) & S1 & _ & S3). apply computes_ret. constructor; [|constructor].
  destruct (accumulator_nan ca c_format cb) as [T N]. split; [|split; [|discriminate]].
  - apply (carries_kept v) in Cy. unfold kept_wires. destruct (has_kinds u); exact Cy.
  - apply (kept_kind v v0); [now split|intros _; congruence|]. intros Q. destruct (N Q) as [N1 N2]. split; [exact N2|]. rewrite S1. exact (Oz N1).
Qed.

Theorem computes_node_carries n : fair_node u n = true -> rounds_keep u n = true ->
  computes v (node_wires u i index c_format c n) (fun xs => Forall2 (tells n) xs (numbers u x index c_format cb n)).
Proof.
  induction n as [p|g|ca|f l IH|r n IH] using node_induction; intros Hf Hr; pose proof Hf as Hf'; cbn [fair_node] in Hf.
  - cbn [node_wires numbers]. pose proof Hf as Hp. unfold fair_product in Hp. apply andb_prop in Hp. destruct Hp as [Hp _]. apply andb_prop in Hp. destruct Hp as [Hp Hl].
    apply andb_prop in Hp. destruct Hp as [_ Hraw].
    assert (P1 : p_normalisation p = raw) by (destruct (p_normalisation p); [reflexivity|discriminate|discriminate]).
    assert (P2 : p_nanzero p = false) by (cbn [rounds_keep] in Hr; now apply negb_true_iff).
    assert (P3 : match p_limit p with Some _ => p_counts p = true | None => True end) by (destruct (p_limit p); [now apply andb_prop in Hl|exact I]).
    assert (S : forall l, In l (selected (p_which p) (unit_L u)) -> In l (below (unit_L u))) by (intros l I; unfold selected in I; now apply filter_In in I).
    induction (selected (p_which p) (unit_L u)) as [|l ls IH]; cbn [map_m map]; [apply computes_ret; constructor|].
    eapply computes_bind with (P := fun y => tells (ProductLeaf p) y (product_of_element u x index p l)).
    + specialize (S l (or_introl eq_refl)). pose proof Hi as (Ra & Rb & _). pose proof (Hel l S) as El. destruct (Ra _ El) as [La Na]. destruct (Rb _ El) as [Lb Nb].
      eapply computes_weaken.
      { apply computes_both; [exact (computes_element v v0 u i x index Hi Hs Hel p l Hf S)|]. apply computes_both; [|apply computes_product_kind].
        exact (computes_product_carries v v0 u i x p _ P1 P2 Ha Hb La Na Lb Nb). }
      intros y (((_ & SP & _) & _) & Cy & Ky). split; [exact Cy|]. split; [|discriminate].
      apply (product_kind_is v u y _ Ky SP Cy); [now apply limited_tentative, scaled_tentative, product_tentative|].
      apply limited_carries, scaled_carries, product_carries; apply factor_carries, read_of_factor.
    + intros y Hy. eapply computes_bind; [apply IH; intros l' I; apply S; now right|]. intros ys Hys. apply computes_ret. now constructor.
  - discriminate.
  - now apply computes_c_carries.
  - apply andb_prop in Hf. destruct Hf as [Hf Hfair]. apply andb_prop in Hf. destruct Hf as [Hf _]. apply andb_prop in Hf. destruct Hf as [Hf Hscaled].
    apply andb_prop in Hf. destruct Hf as [_ Hcount]. apply Z.ltb_lt in Hcount. cbn [node_wires numbers rounds_keep] in *.
    rewrite forallb_forall in Hfair, Hscaled, Hr.
    set (defs := flat_map (fun child => match child with (n, a) => map (fun y => Term a (is_c_leaf n) (as_child u x index n a y)) (numbers u x index c_format cb n) end) l).
    assert (Ne : defs <> []).
    { unfold defs. clear - Hcount Hfair Hi Ha Hb Hs Hel Hcf Lc Nc v0. induction l as [|[n a] l IHl]; cbn [terms_of fold_right fst] in Hcount; [lia|]. cbn [flat_map].
      destruct (node_number n (Hfair (n, a) (or_introl eq_refl))) as (_ & N2 & _). destruct (numbers u x index c_format cb n); [|discriminate].
      cbn [length] in N2. apply IHl; [unfold terms_of; lia|intros na I; apply Hfair; now right]. }
    eapply computes_bind with (P := fun given => Forall2 (fun t d => carries_is v (s_number t) (t_number d) /\ kind_is v u (s_number t) (t_number d)) given defs).
    + unfold defs. clear Ne Hcount Hf'. induction l as [|[n a] l IHl]; [apply computes_ret; constructor|]. inversion IH as [|? ? G1 G2]; subst. cbn [fst] in G1.
      pose proof (Hr _ (or_introl eq_refl)) as Hr1. cbn [fst snd] in Hr1. apply andb_prop in Hr1. destruct Hr1 as [Hr1 Hr2].
      eapply computes_bind; [exact (G1 (Hfair _ (or_introl eq_refl)) Hr2)|]. intros xs Hxs.
      assert (CH := fun y m => computes_child_carries n a y m (Hscaled _ (or_introl eq_refl)) Hr1).
      eapply computes_bind with (P := fun ys => Forall2 (fun z m => carries_is v z m /\ kind_is v u z m) ys (map (as_child u x index n a) (numbers u x index c_format (num c) n))).
      { clear - Hxs CH. induction Hxs as [|y m xs ms H _ IHx]; cbn [map_m map]; [apply computes_ret; constructor|].
        eapply computes_bind; [exact (CH y m H)|]. intros z Hz. eapply computes_bind; [exact IHx|]. intros zs Hzs. apply computes_ret. now constructor. }
      intros ys Hys. eapply computes_bind; [apply (IHl G2); intros na I; first [apply Hfair; now right|apply Hscaled; now right|apply Hr; now right]|]. intros rest Hrest. apply computes_ret.
      cbn [flat_map]. apply Forall2_app; [|exact Hrest]. rewrite <- (map_map (as_child u x index n a) (Term a (is_c_leaf n))).
      clear - Hys. induction Hys as [|y m ys ms H _ IH]; cbn [map]; constructor; [exact H|exact IH].
    + intros given Hg. assert (NeG : given <> []) by (intros ->; inversion Hg; congruence).
      eapply computes_bind.
      { apply computes_both; [apply (computes_fuse_carries v v0 f given defs (map snd l))|apply (computes_fuse_kinds v v0 u f given defs (map snd l) NeG)].
        - clear - Hg. induction Hg as [|t d ts ds [H _] _ IH]; constructor; [exact H|exact IH].
        - clear - Hg. induction Hg as [|t d ts ds [_ H] _ IH]; constructor; [exact H|exact IH]. }
      intros y [Hy Qy]. apply computes_ret. constructor; [|constructor]. split; [exact Hy|split; [exact Qy|discriminate]].
  - apply andb_prop in Hf. destruct Hf as [Hf Hchild]. apply andb_prop in Hf. destruct Hf as [Hf Habove]. apply andb_prop in Hf. destruct Hf as [Hf Hcount].
    apply andb_prop in Hf. destruct Hf as [Hf _]. apply andb_prop in Hf. destruct Hf as [Hfloat Hfair]. apply Z.leb_le in Habove. apply Z.eqb_eq in Hcount.
    cbn [rounds_keep] in Hr. apply andb_prop in Hr. destruct Hr as [Hr Hrc].
    destruct (node_number n Hchild) as (N1 & N2 & N3 & N4 & _). cbn [node_wires numbers].
    assert (One : exists m, numbers u x index c_format cb n = [m]).
    { rewrite Hcount in N2. destruct (numbers u x index c_format cb n) as [|m [|m' l]]; cbn [length] in N2; [lia|now exists m|lia]. }
    destruct One as [m Hm]. specialize (IH Hchild Hrc). rewrite Hm in *. cbn [map]. inversion N4 as [|? ? Fm _]; subst.
    eapply computes_bind; [exact (computes_both v _ _ _ N1 IH)|]. intros xs [Hxs Cxs]. inversion Hxs as [|y ? ys ? Hy Hys]; subst. inversion Hys; subst.
    inversion Cxs as [|? ? ? ? (Cy & Qy & _) _]; subst.
    assert (KP : kind_of (r_format r) = Ieee /\ M_bits (r_format r) <= payload_bits).
    { unfold keeps_payload in Hr. destruct (kind_of (r_format r)); try discriminate. split; [reflexivity|now apply Z.leb_le]. }
    eapply computes_bind; [exact (computes_round_carried v v0 r Hfloat u (above u n) y m Habove Hy (or_intror (proj1 KP)) Fm)|]. intros p (Lp & Pp & Np).
    eapply computes_bind.
    { exact (computes_both v _ _ _ (computes_read_carries v v0 (r_format r) p Hfair Lp) (computes_both v _ _ _ (computes_read_factor v v0 (r_format r) p Hfair Lp)
        (computes_both v _ _ _ (computes_read_only v v0 (r_format r) Hfair p Lp) (read_kind v (r_format r) p)))). }
    intros z ([Cz _] & (Nz & _) & Oz & Kz). pose proof (packs_read (r_format r) Hfloat _ _ Pp) as Same.
    apply (is_number_same v 1 z _ _ Same) in Nz. destruct Nz as ((_ & SP & _) & _).
    assert (Oz' : only_nan v z (rounded u r m)) by (intros N; apply Oz; destruct (rounded u r m), (read (r_format r) (num p)); try discriminate N; try destruct Same; reflexivity).
    eapply computes_bind; [exact (computes_round_kind v u r y m z Hfloat (fun _ => proj1 KP) Fm Qy (proj1 Cy) SP Kz Oz')|]. intros t (Qt & Ct & St).
    apply computes_ret. constructor; [|constructor]. set (m' := nan_of_rule u (r_format r) m). destruct (float_parts _ Hfloat) as (_ & _ & _ & _ & _ & PM & _).
    destruct (packs_carried r (num p) m' Hfloat Hr (rule_fits u _ m (proj1 PM) ltac:(lia) Fm) Pp) as [SC T].
    { unfold m'. rewrite rule_nan. intros N. exact (Np (proj1 KP) (proj2 KP) N (proj1 Cy) Qy). }
    split; [split; [|exact T]|split; [exact Qt|intros _ N]].
    + rewrite Ct. exact (content_same v _ _ _ SC Cz).
    + rewrite St. split; [|exact (Oz' N)]. pose proof (rounded_origin u r m Hfloat (proj1 KP) Fm) as R. destruct (rounded u r m); try discriminate N. apply R.
Qed.

End Tree.
