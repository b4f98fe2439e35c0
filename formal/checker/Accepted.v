(** * An accepted certificate is a theorem about the definition

    An accepted proof shows that the circuits of units agree (Claim.v), and the circuit of a unit that is [covered] computes
    [evaluate] (UnitCorrect.v). So the units give the same results by the definition, on all inputs within the limits. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Gates Lrat Making Words Integers Circuit CircuitUnit Fields Factors Products Tree UnitCorrect Inputs Limits
  Claim Chain.
From Discern Require Units Fma.
Import ListNotations.
Open Scope Z_scope.

(** ** Units of one shape have the same inputs *)

Lemma format_eqb_eq f g : format_eqb f g = true -> f = g.
Proof.
  unfold format_eqb. intros H. repeat (apply andb_prop in H; destruct H as [H ?H]).
  repeat match goal with H : (_ =? _) = true |- _ => apply Z.eqb_eq in H | H : Bool.eqb _ _ = true |- _ => apply eqb_prop in H end.
  destruct f as [w e m p b k s z], g as [w' e' m' p' b' k' s' z']. cbn in *. subst.
  destruct k, k'; try discriminate; reflexivity.
Qed.

Lemma same_shape_parts u w : same_shape u w = true ->
  unit_a u = unit_a w /\ unit_b u = unit_b w /\ unit_d u = unit_d w /\ unit_c u = unit_c w /\ unit_scales u = unit_scales w /\ unit_K u = unit_K w.
Proof.
  unfold same_shape. intros H. apply andb_prop in H. destruct H as [H HK]. apply andb_prop in H. destruct H as [H Hs].
  apply andb_prop in H. destruct H as [H Hc]. apply andb_prop in H. destruct H as [H Hd]. apply andb_prop in H. destruct H as [Ha Hb].
  apply format_eqb_eq in Ha, Hb, Hd. apply Z.eqb_eq in HK. repeat (split; [assumption|]). split; [|split; [|exact HK]].
  - destruct (unit_c u), (unit_c w); try discriminate; [|reflexivity]. now apply format_eqb_eq in Hc as ->.
  - destruct (unit_scales u) as [[f n]|], (unit_scales w) as [[g m]|]; try discriminate; [|reflexivity].
    apply andb_prop in Hs. destruct Hs as [H1 H2]. apply format_eqb_eq in H1. apply Z.eqb_eq in H2. now subst.
Qed.

Lemma cut_same u w x : same_shape u w = true -> cut u x = cut w x.
Proof.
  intros H. destruct (same_shape_parts u w H) as (Ea & Eb & Ed & Ec & Es & _). unfold cut, scale_format, c_format_of. now rewrite Ea, Eb, Ec, Ed, Es.
Qed.

Lemma operands_same u w v i x : same_shape u w = true -> operands_are v u i x -> c_is v u i x -> operands_are v w i x /\ c_is v w i x.
Proof.
  intros H. destruct (same_shape_parts u w H) as (Ea & Eb & _ & Ec & Es & EK). unfold operands_are, c_is, scale_count. rewrite Ea, Eb, Ec, Es, EK. auto.
Qed.

(** ** The values of the inputs *)

Lemma values_of_inputs inputs first l : forall next, is_in_order first next l = true -> forall n, 1 <= n < first -> values inputs first l n = inputs n.
Proof.
  induction l as [|[m k] l IH]; intros next O n Hn; cbn [values].
  - destruct (Z.leb_spec 1 n), (Z.ltb_spec n first); try lia. reflexivity.
  - cbn in O. apply andb_prop in O. destruct O as [O O']. apply andb_prop in O. destruct O as [O _]. apply andb_prop in O. destruct O as [O1 _].
    apply Z.leb_le in O1. destruct (Z.eqb_spec n m); [lia|]. exact (IH m O' n Hn).
Qed.

(** ** What the circuit of a claim computes *)

Lemma computes_any_thing {A} v (m : making A) : computes v m (fun _ => True).
Proof. intros s _. exact I. Qed.

Lemma computes_miter v l first rest x : v 0 = false -> let units := first :: rest in
  covered first = true -> forallb (same_shape first) units = true ->
  operands_are v first (operands_of first) x -> c_is v first (operands_of first) x ->
  computes v (miter_wires l units) (fun m =>
    Forall2 (fun u d => covered u = true -> num_of v d = evaluate u x) units (m_results m) /\ value v (m_allowed m) = inputs_within l first x).
Proof.
  intros v0 units Hf Hsh Hi Hc. unfold miter_wires, units. fold units. rewrite forallb_forall in Hsh.
  eapply computes_bind.
  { apply (computes_map v _ (fun u d => covered u = true -> num_of v d = evaluate u x)). intros u Iu.
    destruct (covered u) eqn:Cu; [|eapply computes_weaken; [apply computes_any_thing|discriminate]].
    destruct (operands_same first u v (operands_of first) x (Hsh u Iu) Hi Hc) as [Hi' Hc'].
    eapply computes_weaken; [exact (computes_unit v v0 u (operands_of first) x Cu Hi' Hc')|]. intros d [_ H] _. exact H. }
  intros results HR. destruct (covered_parts first Hf) as (Fa & Fb & Fs & _ & _ & _ & Fc & _).
  eapply computes_bind; [exact (computes_allowed v v0 l first x Fa Fb Fs Fc Hi Hc)|]. intros good Hg.
  eapply computes_bind; [apply computes_any_thing|]. intros same _. eapply computes_bind; [apply computes_any_thing|]. intros different _.
  apply computes_ret. cbn [m_results m_allowed]. now split.
Qed.

Lemma nth_pairs {A B} (R : A -> B -> Prop) l l' a b : Forall2 R l l' -> forall k, (k < length l)%nat -> R (nth k l a) (nth k l' b).
Proof. induction 1 as [|x y l l' H _ IH]; intros k Hk; [cbn in Hk; lia|]. destruct k; [exact H|]. apply IH. cbn in Hk. lia. Qed.

Theorem accepted_units_evaluate l first rest keep steps st0 st :
  let units := first :: rest in
  start l units keep = Some st0 -> take_all st0 steps = Some st -> refuted st = true -> forallb covered units = true ->
  forall x, inputs_within l first (cut first x) = true ->
  forall k, (k < length units)%nat -> k <> 0%nat ->
  let j := compared_with units k in
  results_agree (nth j units first) (nth k units first) (evaluate (nth j units first) x) (evaluate (nth k units first) x).
Proof.
  intros units S T R C x Hx k Lk Nk j.
  pose proof (accepted_units_agree l first rest keep steps st0 st (input_bit first x) S T R) as A.
  pose proof (not_different l units keep steps st0 st (input_bit first x) S T R) as D.
  fold units in A. unfold start, start_of in S. destruct (claim_circuit l units) as [m s] eqn:E. cbv zeta in *.
  destruct (same_shapes units && is_right_circuit units m s) eqn:G; [|discriminate].
  apply andb_prop in G. destruct G as [Sh G]. unfold same_shapes, units in Sh. fold units in Sh.
  unfold is_right_circuit in G. apply andb_prop in G. destruct G as [G _]. apply andb_prop in G. destruct G as [G _].
  apply andb_prop in G. destruct G as [G _]. apply andb_prop in G. destruct G as [_ O].
  set (v := values (input_bit first x) (first_gate units) (gates s)) in *. destruct D as [Sat _]. pose proof (proj1 Sat) as v0.
  rewrite forallb_forall in C. assert (Cf : covered first = true) by (apply C; now left).
  destruct (covered_parts first Cf) as (Fa & Fb & Fs & _ & _ & _ & Fc & _ & _ & _ & _ & _ & KL & _).
  assert (K0 : 0 <= unit_K first).
  { destruct KL as [KL L0]. destruct (Z.le_gt_cases 0 (unit_K first)) as [L|L]; [exact L|]. assert (unit_K first / unit_L first < 0) by (apply Z.div_lt_upper_bound; lia). lia. }
  destruct (operands_of_inputs v v0 first x K0 Fa Fb Fs Fc) as [Hi Hc].
  { intros n Hn. exact (values_of_inputs _ _ _ _ O n Hn). }
  pose proof (computes_miter v l first rest (cut first x) v0 Cf Sh Hi Hc (Netlist (1 + input_bits first) [])) as M.
  fold units in M. unfold claim_circuit, units in E. fold units in E. rewrite E in M. cbn [fst snd] in M. destruct (M Sat) as [M1 M2].
  rewrite Hx in M2. specialize (A M2 k Lk Nk). fold j in A.
  assert (Lj : (j < length units)%nat) by (apply compared_with_in; cbn; lia).
  assert (EV : forall i, (i < length units)%nat -> num_of v (nth i (m_results m) []) = evaluate (nth i units first) x).
  { intros i Li. assert (Iu : In (nth i units first) units) by now apply nth_In. pose proof (C _ Iu) as Cu.
    pose proof (nth_pairs _ _ _ first [] M1 i Li) as NP. cbv beta in NP. etransitivity; [exact (NP Cu)|]. rewrite forallb_forall in Sh. rewrite (cut_same first _ x (Sh _ Iu)).
    destruct (covered_parts _ Cu) as (Ua & Ub & Us & _ & _ & _ & Uc & _ & _ & _ & _ & _ & UL & _). apply evaluate_cut; [assumption|assumption|assumption|assumption|apply UL]. }
  pose proof (EV j Lj) as Ej. pose proof (EV k Lk) as Ek. cbv zeta in Ej, Ek. rewrite <- Ej, <- Ek. exact A.
Qed.

(** Of units of which none has nan=any: the same bits. *)
Theorem accepted_units_equal l first rest keep steps st0 st :
  let units := first :: rest in
  start l units keep = Some st0 -> take_all st0 steps = Some st -> refuted st = true -> forallb covered units = true ->
  forallb (fun u => negb (is_any_nan u)) units = true ->
  forall x, inputs_within l first (cut first x) = true -> forall u, In u units -> evaluate u x = evaluate first x.
Proof.
  intros units S T R C N x Hx u Iu. apply (In_nth _ _ first) in Iu. destruct Iu as (k & Lk & Ek). rewrite forallb_forall in N.
  assert (NA : forall i, (i < length units)%nat -> is_any_nan (nth i units first) = false) by (intros i Li; specialize (N _ (nth_In units first Li)); now apply negb_true_iff in N).
  destruct k as [|k]; [now rewrite <- Ek|]. pose proof (accepted_units_evaluate l first rest keep steps st0 st S T R C x Hx (Datatypes.S k) Lk ltac:(discriminate)) as A.
  assert (J : compared_with units (Datatypes.S k) = 0%nat).
  { unfold compared_with. destruct (is_any_nan (nth (Datatypes.S k) units _)); [reflexivity|]. unfold units at 1. cbn [Nat.ltb Nat.leb].
    assert (N0 : is_any_nan first = false) by exact (NA 0%nat ltac:(cbn; lia)). now rewrite N0. }
  cbv zeta in A. fold units in A. rewrite J, Ek in A. change (nth 0 units first) with first in A. destruct A as [A|[A _]]; [now symmetry|].
  pose proof (NA 0%nat ltac:(cbn; lia)) as N0. pose proof (NA _ Lk) as N1. rewrite Ek in N1. change (nth 0 units first) with first in N0. rewrite N0, N1 in A. discriminate.
Qed.

(** ** Claims *)

(** Some proof is accepted that these units give the same results. *)
Definition accepts (l : limits) (units : list unit) : Prop :=
  exists keep steps st0 st, start l units keep = Some st0 /\ take_all st0 steps = Some st /\ refuted st = true.

Definition no_limits : limits := Limits false false.
Lemma all_within u x : inputs_within no_limits u x = true.
Proof.
  assert (G : forall f row n, forallb (fun k => pattern_within no_limits f (row k)) (below n) = true) by (intros; now apply forallb_forall).
  unfold inputs_within. rewrite !G. destruct (unit_scales u) as [[f n]|]; rewrite ?G; now destruct (unit_c u).
Qed.

(** A claim about whole units: they give the same bits on all inputs. *)
Theorem accepted_claim units : accepts no_limits units -> forallb covered units = true -> forallb (fun u => negb (is_any_nan u)) units = true ->
  forall u w x, In u units -> In w units -> evaluate u x = evaluate w x.
Proof.
  intros (keep & steps & st0 & st & S & T & R) C N u w x Iu Iw. destruct units as [|first rest]; [destruct Iu|].
  pose proof (accepted_units_equal no_limits first rest keep steps st0 st S T R C N x (all_within _ _)) as E. now rewrite (E u Iu), (E w Iw).
Qed.

(** A claim about chains, of which two blocks are proved: the first, and a later one. *)
Theorem accepted_chain units L :
  (forall later, accepts no_limits (map (fun u => block_of u later) units) /\ forallb covered (map (fun u => block_of u later) units) = true) ->
  forallb is_chain units = true -> forallb (fun u => unit_L u =? L) units = true -> same_shapes units = true ->
  forallb (fun u => negb (is_any_nan u)) units = true ->
  forall u w x, In u units -> In w units -> evaluate u x = evaluate w x.
Proof.
  intros A HC HL HS N u w x Iu Iw. rewrite forallb_forall in HC, HL, N.
  assert (B : forall later y, evaluate (block_of u later) y = evaluate (block_of w later) y).
  { intros later y. destruct (A later) as [A1 A2]. apply (accepted_claim _ A1 A2); [|now apply in_map with (f := fun u => block_of u later)..].
    apply forallb_forall. intros b Ib. apply in_map_iff in Ib. destruct Ib as (t & <- & It). exact (N t It). }
  pose proof (HL u Iu) as Lu. pose proof (HL w Iw) as Lw. apply Z.eqb_eq in Lu, Lw.
  assert (P : forall t, In t units -> exists first, hd_error units = Some first /\ same_shape first t = true).
  { intros t It. unfold same_shapes in HS. destruct units as [|first rest]; [destruct It|]. rewrite forallb_forall in HS. exists first. split; [reflexivity|now apply HS]. }
  destruct (P u Iu) as (first & Hd & Su). destruct (P w Iw) as (first' & Hd' & Sw). rewrite Hd in Hd'. inversion Hd'; subst first'.
  destruct (same_shape_parts _ _ Su) as (_ & _ & U3 & U4 & U5 & U6). destruct (same_shape_parts _ _ Sw) as (_ & _ & W3 & W4 & W5 & W6).
  apply chain_of_equal_blocks; try (now apply HC); try congruence; apply B.
Qed.

(** The published unit, with a register of three carry bits and without: both are covered. *)
Example covered_volta : covered (Units.volta None) && covered (Units.volta (Some 3)) = true.
Proof. reflexivity. Qed.
(** So are the multiply-adds, whichever NaN they give. *)
Example covered_fma : forallb (fun f => forallb (fun nan => covered (Fma.fma_unit f rne nan)) [NanPattern (canonical_nan f); NanAny; NanX86; NanRdna])
  [f16; bf16; f32; f64] = true.
Proof. reflexivity. Qed.
