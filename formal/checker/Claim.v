(** * Claims: units give the same results

    [start] makes the circuit of a claim and the formula that says that a result differs; a proof that this formula has no
    solution (Lrat.v) shows that the results agree on all inputs within the limits: [accepted_units_agree]. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Gates Making Words Fields Integers Circuit CircuitUnit Lrat.
Import ListNotations.
Open Scope Z_scope.

(** ** The formula *)

(** The gates that are kept, the oldest first. *)
Definition kept_clauses (keep : Z -> bool) (s : netlist) : list clause :=
  flat_map (fun g => if keep (fst g) then clauses_of (fst g) (snd g) else []) (rev_append (gates s) []).

(** That a result differs, last: of the constant false, the empty clause. *)
Definition difference_clause (different : literal) : list clause :=
  if is_constant different then if negated different then [] else [[]] else [[in_formula different]].

(** Each gate reads inputs and gates before it. *)
Fixpoint is_in_order (first next : Z) (l : list (Z * gate)) : bool :=
  match l with
  | [] => first <=? next
  | (n, k) :: l' => (first <=? n) && (n <? next) && gate_in_range n k && is_in_order first n l'
  end.

Definition first_gate (units : list unit) : Z := 1 + match units with u :: _ => input_bits u | [] => 0 end.

(** Units of one shape: only such have the same inputs. *)
Definition format_eqb (f g : format) : bool :=
  (width f =? width g) && (E_bits f =? E_bits g) && (M_bits f =? M_bits g) && (padding f =? padding g) && (bias f =? bias g) &&
  match kind_of f, kind_of g with
  | Ieee, Ieee | Fn, Fn | Fnuz, Fnuz | Inuz, Inuz | AllFinite, AllFinite | Fixed, Fixed => true
  | _, _ => false
  end && Bool.eqb (has_sign f) (has_sign g) && Bool.eqb (has_zero f) (has_zero g).
Definition same_shape (u w : unit) : bool :=
  format_eqb (unit_a u) (unit_a w) && format_eqb (unit_b u) (unit_b w) && format_eqb (unit_d u) (unit_d w) &&
  match unit_c u, unit_c w with Some f, Some g => format_eqb f g | None, None => true | _, _ => false end &&
  match unit_scales u, unit_scales w with
  | Some (f, n), Some (g, m) => format_eqb f g && (n =? m)
  | None, None => true
  | _, _ => false
  end && (unit_K u =? unit_K w).
Definition same_shapes (units : list unit) : bool :=
  match units with [] => false | u :: _ => forallb (same_shape u) units end.

(** What is asked of a circuit beside its gates: results as wide as d, in formats whose fields are in their patterns. *)
Definition results_are_right (units : list unit) (m : miter) : bool :=
  forallb (fun u => valid_format (unit_d u)) units &&
  forallb (fun u => forallb (fun d => width_of d =? width (unit_d u)) (m_results m)) units.
Definition is_right_circuit (units : list unit) (m : miter) (s : netlist) : bool :=
  (0 <? first_gate units) && is_in_order (first_gate units) (next s) (gates s) && (node_of (m_different m) <? next s) &&
  (0 <=? node_of (m_different m)) && results_are_right units m.

(** Any gates may be left out of the formula: [keep] says which are not. Nothing: there is something wrong with the circuit. *)
Definition start_of (units : list unit) (circuit : miter * netlist) (keep : Z -> bool) : option state :=
  let (m, s) := circuit in
  if same_shapes units && is_right_circuit units m s
  then Some (fold_left put (difference_clause (m_different m))
               (fold_left (fun (st : state) (g : Z * gate) => if keep (fst g) then fold_left put (clauses_of (fst g) (snd g)) st else st)
                          (rev_append (gates s) []) (begin [] (next s))))
  else None.

(** It begins with the clauses above; one after the other, since there are many. *)
Lemma begin_is (keep : Z -> bool) (m : miter) (s : netlist) :
  fold_left put (difference_clause (m_different m))
    (fold_left (fun (st : state) (g : Z * gate) => if keep (fst g) then fold_left put (clauses_of (fst g) (snd g)) st else st)
               (rev_append (gates s) []) (begin [] (next s))) =
  begin (kept_clauses keep s ++ difference_clause (m_different m)) (next s).
Proof.
  unfold begin. rewrite fold_left_app. f_equal. unfold kept_clauses. cbn [fold_left]. generalize (State (Map.empty clause) 1 (next s) false).
  generalize (rev_append (gates s) []). induction l as [|g l IH]; intros st; [reflexivity|].
  cbn [fold_left flat_map]. rewrite fold_left_app, IH. now destruct (keep (fst g)).
Qed.

Definition start (l : limits) (units : list unit) (keep : Z -> bool) : option state :=
  start_of units (claim_circuit l units) keep.

(** ** The values of all nodes, from those of the inputs *)

Fixpoint values (inputs : Z -> bool) (first : Z) (l : list (Z * gate)) : Z -> bool :=
  match l with
  | [] => fun i => (1 <=? i) && (i <? first) && inputs i
  | (n, k) :: l' => let v := values inputs first l' in fun i => if i =? n then gate_value v k else v i
  end.

Lemma values_agree inputs first l : forall next, is_in_order first next l = true ->
  forall v, agree next (values inputs first l) v -> Forall (fun g => v (fst g) = gate_value v (snd g)) l.
Proof.
  induction l as [|[n k] l IH]; intros next O v A; [constructor|]. cbn in O.
  apply andb_prop in O. destruct O as [O O']. apply andb_prop in O. destruct O as [O Ok].
  apply andb_prop in O. destruct O as [On1 On2]. apply Z.leb_le in On1. apply Z.ltb_lt in On2.
  assert (A' : agree n (values inputs first l) v).
  { intros i Hi. rewrite <- (A i) by lia. cbn. destruct (Z.eqb_spec i n); [lia|reflexivity]. }
  constructor; [|exact (IH n O' v A')]. cbn [fst snd]. rewrite <- (A n On2). cbn. rewrite Z.eqb_refl.
  exact (gate_value_agree n _ _ k A' Ok).
Qed.

Lemma values_zero inputs first l : forall next, 0 < first -> is_in_order first next l = true -> values inputs first l 0 = false.
Proof.
  induction l as [|[n k] l IH]; intros next F O; [reflexivity|]. cbn in O. cbn [values]. cbv zeta.
  apply andb_prop in O. destruct O as [O O']. apply andb_prop in O. destruct O as [O _].
  apply andb_prop in O. destruct O as [On1 _]. apply Z.leb_le in On1.
  destruct (Z.eqb_spec 0 n); [lia|]. exact (IH n F O').
Qed.

Lemma in_order_range first l : 0 < first -> forall next, is_in_order first next l = true ->
  forall g, In g l -> 0 < fst g < next /\ gate_in_range (fst g) (snd g) = true.
Proof.
  intros F. induction l as [|[n k] l IH]; intros next O g I; [destruct I|]. cbn in O.
  apply andb_prop in O. destruct O as [O O']. apply andb_prop in O. destruct O as [O Ok].
  apply andb_prop in O. destruct O as [On1 On2]. apply Z.leb_le in On1. apply Z.ltb_lt in On2.
  destruct I as [<-|I]; [cbn; split; [lia|exact Ok]|]. destruct (IH n O' g I) as [H1 H2]. split; [lia|exact H2].
Qed.

(** ** The theorem *)

(** A proof shows that the literal [different] is false, whatever the inputs are. *)
Theorem not_different l units keep steps st0 st inputs :
  start l units keep = Some st0 -> take_all st0 steps = Some st -> refuted st = true ->
  let (m, s) := claim_circuit l units in
  let v := values inputs (first_gate units) (gates s) in
  satisfied v s /\ value v (m_different m) = false.
Proof.
  unfold start, start_of. destruct (claim_circuit l units) as [m s]. intros S T R. cbv zeta.
  destruct (same_shapes units && is_right_circuit units m s) eqn:G; [|discriminate].
  apply andb_prop in G. destruct G as [_ G]. unfold is_right_circuit in G.
  apply andb_prop in G. destruct G as [G _].
  apply andb_prop in G. destruct G as [G G0]. apply andb_prop in G. destruct G as [G G1]. apply andb_prop in G.
  destruct G as [G2 O]. apply Z.ltb_lt in G1, G2. apply Z.leb_le in G0.
  rewrite begin_is in S. inversion S; subst st0; clear S.
  set (v := values inputs (first_gate units) (gates s)).
  assert (Sat : satisfied v s).
  { split; [exact (values_zero inputs _ _ (next s) G2 O)|].
    apply (values_agree inputs (first_gate units) (gates s) (next s) O). intros i _. reflexivity. }
  split; [exact Sat|]. destruct (value v (m_different m)) eqn:D; [exfalso|reflexivity].
  pose proof (in_order_range _ (gates s) G2 (next s) O) as B.
  assert (F0 : first_gate units <= next s).
  { clear -O. revert O. generalize (next s). induction (gates s) as [|[n k] t IH]; intros b O; cbn in O; [now apply Z.leb_le|].
    apply andb_prop in O. destruct O as [O O']. apply andb_prop in O. destruct O as [O _].
    apply andb_prop in O. destruct O as [_ On2]. apply Z.ltb_lt in On2. specialize (IH n O'). lia. }
  refine (refutes _ (next s) steps st ltac:(lia) _ T R v _).
  - apply Forall_app. split.
    + unfold kept_clauses. rewrite <- rev_alt. apply Forall_flat_map. apply Forall_forall. intros g I. apply in_rev in I.
      destruct (B g I) as [Bg Bk]. destruct (keep (fst g)); [|constructor].
      eapply Forall_impl; [|apply (clauses_of_in_range (fst g) (snd g)); [lia|exact Bk]].
      intros c Hc. rewrite forallb_forall in *. intros x Hx. apply (in_range_more (fst g + 1)); [lia|now apply Hc].
    + unfold difference_clause, is_constant. destruct (Z.eqb_spec (node_of (m_different m)) 0).
      * destruct (negated _); repeat constructor.
      * repeat constructor. cbn [forallb]. unfold in_range, in_formula. destruct (negated _);
          (rewrite (proj2 (Z.eqb_neq _ _)) by lia); cbn [negb andb];
          (rewrite (proj2 (Z.ltb_lt _ _)) by lia); reflexivity.
  - apply Forall_app. split.
    + unfold kept_clauses. rewrite <- rev_alt. apply Forall_flat_map. apply Forall_forall. intros g I. apply in_rev in I.
      destruct (B g I) as [Bg Bk]. destruct (keep (fst g)); [|constructor].
      apply (clauses_of_hold v (fst g) (snd g) (fst g)); [lia|exact Bk|].
      exact (proj1 (Forall_forall _ _) (proj2 Sat) g I).
    + unfold difference_clause, is_constant. destruct (Z.eqb_spec (node_of (m_different m)) 0) as [Z0|N0].
      * destruct (negated (m_different m)) eqn:Ng; [constructor|]. exfalso. unfold value in D. rewrite Ng, Z0 in D.
        rewrite (proj1 Sat) in D. discriminate D.
      * repeat constructor. cbn [holds_clause existsb]. rewrite holds_in_formula by lia. now rewrite D.
Qed.

(** ** What that says of the results *)

(** Two results are the same: their bits are, or one of the units has nan=any and both are NaN. *)
Definition results_agree (one other : unit) (x y : Z) : Prop :=
  x = y \/
  is_any_nan one || is_any_nan other = true /\
  is_nan_number (read (unit_d other) x) = true /\ is_nan_number (read (unit_d other) y) = true.

Lemma computes_same_bits v x y : length x = length y -> v 0 = false ->
  computes v (fold_m (fun s xy => d <- make_xor (fst xy) (snd xy) ;; make_and s (invert d)) (combine x y) yes)
    (fun z => value v z = true -> bits_of v x = bits_of v y).
Proof.
  intros L v0. eapply computes_weaken.
  - apply (computes_fold v (fun s xy => d <- make_xor (fst xy) (snd xy) ;; make_and s (invert d))
             (fun done z => value v z = forallb (fun xy => Bool.eqb (value v (fst xy)) (value v (snd xy))) done)).
    + exact (value_yes v v0).
    + intros done a b _ Ha. eapply computes_bind; [apply computes_xor|]. intros d Hd.
      eapply computes_weaken; [apply computes_and|]. intros z ->. rewrite forallb_app, value_invert, Ha, Hd. cbn [forallb].
      rewrite andb_true_r. f_equal. now destruct (value v (fst b)), (value v (snd b)).
  - intros z -> H. clear z. revert y L H. induction x as [|a x IH]; intros [|b y] L H; try discriminate; [reflexivity|].
    cbn [combine forallb] in H. apply andb_prop in H. destruct H as [H1 H2]. apply Bool.eqb_prop in H1. cbn [fst snd] in H1.
    unfold bits_of in *. cbn [map]. rewrite H1. f_equal. apply IH; [now inversion L|exact H2].
Qed.

Lemma computes_same_result v one other x y : v 0 = false -> valid_format (unit_d other) = true ->
  width_of x = width (unit_d other) -> width_of y = width (unit_d other) ->
  computes v (same_result one other x y) (fun z => value v z = true -> results_agree one other (num_of v x) (num_of v y)).
Proof.
  intros v0 Vf Lx Ly. unfold same_result, results_agree. assert (L : length x = length y) by (unfold width_of in *; lia).
  eapply computes_bind; [now apply computes_same_bits|]. intros s Hs. cbv beta in Hs.
  destruct (is_any_nan one), (is_any_nan other); cbn [negb andb orb];
    try (eapply computes_bind; [now apply (computes_is_nan v v0 _ Vf)|]; intros n Hn;
         eapply computes_bind; [now apply (computes_is_nan v v0 _ Vf)|]; intros n' Hn';
         eapply computes_bind; [apply computes_and|]; intros b Hb;
         eapply computes_weaken; [apply computes_or|]; intros z -> H; apply orb_prop in H; destruct H as [H|H];
         [left; unfold num_of; now rewrite (Hs H)|];
         right; rewrite Hb in H; apply andb_prop in H; destruct H as [H1 H2]; rewrite <- Hn, <- Hn'; auto).
  apply computes_ret. intros H. left. unfold num_of. now rewrite (Hs H).
Qed.

Lemma compared_with_in units k : (0 < length units)%nat -> (compared_with units k < length units)%nat.
Proof.
  intros HL. unfold compared_with. destruct (is_any_nan _); [exact HL|].
  assert (Q : forall l j, (j + length l <= length units)%nat ->
    ((fix exact (j : nat) (l : list unit) : nat :=
        match l with
        | [] => 0%nat
        | v :: l' => if (j <? k)%nat then if is_any_nan v then exact (S j) l' else j else 0%nat
        end) j l < length units)%nat).
  { induction l as [|u l IH]; intros j H; [exact HL|]. cbn [length] in H.
    destruct (j <? k)%nat; [|exact HL]. destruct (is_any_nan u); [apply IH; lia|lia]. }
  apply Q. lia.
Qed.

Lemma same_length {A B} (P : A -> B -> Prop) l l' : Forall2 P l l' -> length l = length l'.
Proof. induction 1; cbn; congruence. Qed.

Theorem accepted_units_agree l first rest keep steps st0 st inputs :
  let units := first :: rest in
  start l units keep = Some st0 -> take_all st0 steps = Some st -> refuted st = true ->
  let (m, s) := claim_circuit l units in
  let v := values inputs (first_gate units) (gates s) in
  value v (m_allowed m) = true ->
  forall k, (k < length units)%nat -> k <> 0%nat ->
  let j := compared_with units k in
  results_agree (nth j units first) (nth k units first) (num_of v (nth j (m_results m) [])) (num_of v (nth k (m_results m) [])).
Proof.
  intros units S T R. pose proof (not_different l units keep steps st0 st inputs S T R) as D.
  unfold start, start_of in S. destruct (claim_circuit l units) as [m s] eqn:C. cbv zeta in *.
  destruct D as [Sat D]. set (v := values inputs (first_gate units) (gates s)) in *. intros A.
  destruct (same_shapes units && is_right_circuit units m s) eqn:G; [|discriminate].
  apply andb_prop in G. destruct G as [_ G]. unfold is_right_circuit in G. apply andb_prop in G. destruct G as [_ G].
  assert (v0 : v 0 = false) by exact (proj1 Sat).
  assert (K : computes v (miter_wires l units) (fun m => results_are_right units m = true ->
             value v (m_allowed m) = true -> value v (m_different m) = false ->
             forall k, (k < length units)%nat -> k <> 0%nat ->
             results_agree (nth (compared_with units k) units first) (nth k units first)
               (num_of v (nth (compared_with units k) (m_results m) [])) (num_of v (nth k (m_results m) [])))).
  { clear -v0. clearbody v. unfold miter_wires, units. fold units.
    eapply computes_bind; [apply (computes_map v _ (fun _ _ => True)); intros; intros s0 _; exact I|]. intros results HR.
    assert (LR : length results = length units) by (symmetry; exact (same_length _ _ _ HR)). clear HR.
    eapply computes_bind with (P := fun _ => True); [intros s0 _; exact I|]. intros good _.
    destruct (results_are_right units (Miter results [] good good)) eqn:RR.
    - eapply computes_bind.
      + apply (computes_fold v _ (fun done (a : list literal * literal) => value v (snd a) = true ->
                 forall k, In k done -> k <> 0%nat ->
                 results_agree (nth (compared_with units k) units first) (nth k units first)
                   (num_of v (nth (compared_with units k) results [])) (num_of v (nth k results [])))); [intros _ k []|].
        intros done a k Ik Ha. apply in_seq in Ik.
        eapply computes_bind with (P := fun z => value v z = true -> k <> 0%nat ->
                 results_agree (nth (compared_with units k) units first) (nth k units first)
                   (num_of v (nth (compared_with units k) results [])) (num_of v (nth k results []))).
        * destruct k as [|k]; [apply computes_ret; congruence|].
          unfold results_are_right in RR. cbn [m_results] in RR. apply andb_prop in RR. destruct RR as [RV RW].
          rewrite forallb_forall in RV, RW.
          assert (InU : In (nth (S k) units first) units) by (apply nth_In; lia).
          specialize (RW _ InU). rewrite forallb_forall in RW.
          pose proof (compared_with_in units (S k) ltac:(cbn; lia)) as CL.
          eapply computes_weaken; [apply computes_same_result; [exact v0|now apply RV| |]|intros z Hz H _; now apply Hz].
          -- apply Z.eqb_eq, RW, nth_In. lia.
          -- apply Z.eqb_eq, RW, nth_In. lia.
        * intros one Hone. eapply computes_bind; [apply computes_and|]. intros each He. apply computes_ret. cbn [snd].
          intros H k' I N. rewrite He in H. apply andb_prop in H. destruct H as [H1 H2]. apply in_app_or in I.
          destruct I as [I|[<-|[]]]; [now apply Ha|now apply Hone].
      + intros a Ha. eapply computes_bind; [apply computes_and|]. intros d Hd. apply computes_ret. cbn [m_allowed m_different m_results].
        intros _ A D k Lk Nk. apply Ha; [|apply in_seq; lia|exact Nk]. rewrite Hd, A, value_invert in D. cbn [andb] in D.
        now destruct (value v (snd a)).
    - eapply computes_bind with (P := fun _ => True); [intros s0 _; exact I|]. intros a _.
      eapply computes_bind with (P := fun _ => True); [intros s0 _; exact I|]. intros d _. apply computes_ret.
      intros H. unfold results_are_right in *. cbn [m_results] in *. congruence. }
  intros k Lk Nk. specialize (K (Netlist (1 + input_bits first) [])). unfold claim_circuit, units in C. unfold units in K.
  rewrite C in K. cbn [fst snd] in K. exact (K Sat G A D k Lk Nk).
Qed.
