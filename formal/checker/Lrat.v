(** * Clauses of gates, and proofs that formulas have no solution

    The clauses that say that a variable is the value of a gate, and the proofs of certificates: LRAT with definitions
    (certificate/proof). A proof is checked forward, step by step. Theorem [refutes]: if its steps derive the empty
    clause, then no values of the nodes satisfy all clauses.

    A literal is a variable or its negative, and variable n is node n. *)

From Coq Require Import ZArith List Bool Lia FMapAVL FMapFacts OrderedTypeEx.
From Discern Require Import Notation Gates.
Import ListNotations.
Open Scope Z_scope.

Module Map := FMapAVL.Make(Z_as_OT).
Module Facts := FMapFacts.Facts Map.

(** ** Clauses *)

Definition clause := list Z.

(** A literal of a formula; not of the constant. *)
Definition in_formula (x : literal) : Z := if negated x then - node_of x else node_of x.

Definition clauses_of (g : Z) (k : gate) : list clause :=
  match k with
  | And x y =>
      let x := in_formula x in let y := in_formula y in [[- g; x]; [- g; y]; [g; - x; - y]]
  | Xor x y =>
      let x := in_formula x in let y := in_formula y in [[- g; x; y]; [- g; - x; - y]; [g; - x; y]; [g; x; - y]]
  | Mux x y z =>
      let x := in_formula x in let y := in_formula y in let z := in_formula z in
      [[- g; - x; y]; [g; - x; - y]; [- g; x; z]; [g; x; - z]]
  | Majority x y z =>
      let x := in_formula x in let y := in_formula y in let z := in_formula z in
      [[- g; x; y]; [- g; x; z]; [- g; y; z]; [g; - x; - y]; [g; - x; - z]; [g; - y; - z]]
  end.

(** ** Steps *)

Inductive step :=
| Derive (id : Z) (added : clause) (hints : list Z)      (** a clause that follows by unit propagation *)
| Define (id : Z) (variable : Z) (k : gate)              (** a new variable is a gate *)
| Delete (ids : list Z).                                 (** clauses that no later step names *)

(** The clauses by number, the first number and the first variable not yet used, and whether the empty clause was derived. *)
Record state := State { db : Map.t clause; next_id : Z; next_variable : Z; refuted : bool }.

Definition put (st : state) (c : clause) : state :=
  State (Map.add (next_id st) c (db st)) (next_id st + 1) (next_variable st) (refuted st).

Definition begin (clauses : list clause) (next_variable : Z) : state :=
  fold_left put clauses (State (Map.empty clause) 1 next_variable false).

(** Literals that are true. *)
Definition is_true (t : Map.t bool) (x : Z) : bool := match Map.find (Z.abs x) t with Some b => Bool.eqb b (0 <? x) | None => false end.
Definition make_true (x : Z) (t : Map.t bool) : Map.t bool := Map.add (Z.abs x) (0 <? x) t.

(** The literals of a clause that are not false, but only as many as matter. *)
Inductive left_over := Conflict | One (x : Z) | More.
Fixpoint open_literals (t : Map.t bool) (c : clause) (found : option Z) : left_over :=
  match c with
  | [] => match found with None => Conflict | Some x => One x end
  | x :: c' =>
      match Map.find (Z.abs x) t with
      | Some b =>
          if Bool.eqb b (0 <? x) (* true: nothing follows from the clause *)
          then More
          else open_literals t c' found
      | None =>
          match found with
          | None => open_literals t c' (Some x)
          | Some y => if x =? y then open_literals t c' found else More
          end
      end
  end.

(** Whether the hints, in their order, end in a conflict; the last one has to be it. *)
Fixpoint propagate (d : Map.t clause) (t : Map.t bool) (hints : list Z) : bool :=
  match hints with
  | [] => false
  | h :: hints' =>
      match Map.find h d with
      | None => false
      | Some c =>
          match open_literals t c None with
          | Conflict => match hints' with [] => true | _ => false end
          | One x => propagate d (make_true x t) hints'
          | More => false
          end
      end
  end.

(** The clause's literals made false; none if it has a literal and its opposite. *)
Fixpoint opposite_of (c : clause) (t : Map.t bool) : option (Map.t bool) :=
  match c with
  | [] => Some t
  | x :: c' => if is_true t x then None else opposite_of c' (make_true (- x) t)
  end.

Definition in_range (n : Z) (x : Z) : bool := negb (x =? 0) && (Z.abs x <? n).

Definition gate_in_range (n : Z) (k : gate) : bool :=
  let ok x := (0 <? node_of x) && (node_of x <? n) in
  match k with
  | And x y | Xor x y => ok x && ok y
  | Mux x y z | Majority x y z => ok x && ok y && ok z
  end.

(** Nothing if the step is wrong. *)
Definition take (st : state) (s : step) : option state :=
  if refuted st then None
  else
  match s with
  | Derive id c hints =>
      if (id =? next_id st) && forallb (in_range (next_variable st)) c
      then match opposite_of c (Map.empty bool) with
           | Some t =>
               if propagate (db st) t hints
               then Some (let st' := put st c in
                          State (db st') (next_id st') (next_variable st') (match c with [] => true | _ => false end))
               else None
           | None => None
           end
      else None
  | Define id v k =>
      if (id =? next_id st) && (v =? next_variable st) && gate_in_range (next_variable st) k
      then let st' := fold_left put (clauses_of v k) st in
           Some (State (db st') (next_id st') (v + 1) (refuted st'))
      else None
  | Delete ids =>
      if forallb (fun i => Map.mem i (db st)) ids
      then Some (State (fold_left (fun d i => Map.remove i d) ids (db st)) (next_id st) (next_variable st) (refuted st))
      else None
  end.

Fixpoint take_all (st : state) (l : list step) : option state :=
  match l with [] => Some st | s :: l' => match take st s with Some st' => take_all st' l' | None => None end end.

(** A program may take the steps in parts. *)
Lemma take_all_app l : forall st l', take_all st (l ++ l') =
  match take_all st l with Some st' => take_all st' l' | None => None end.
Proof. induction l as [|s l IH]; intros st l'; [reflexivity|]. cbn. destruct (take st s); [apply IH|reflexivity]. Qed.

(** ** Values *)

(** Values of the variables; of a literal. *)
Definition holds (v : Z -> bool) (x : Z) : bool := if 0 <? x then v x else negb (v (- x)).
Definition holds_clause (v : Z -> bool) (c : clause) : bool := existsb (holds v) c.

Lemma holds_opposite v x : x <> 0 -> holds v (- x) = negb (holds v x).
Proof.
  intros H. unfold holds. destruct (Z.ltb_spec 0 x), (Z.ltb_spec 0 (- x)); try lia.
  - now rewrite Z.opp_involutive.
  - now rewrite negb_involutive.
Qed.

(** The value of a literal of gates: node 0 is false. *)
Definition value (v : Z -> bool) (x : literal) : bool := xorb (negated x) (v (node_of x)).
Definition gate_value (v : Z -> bool) (k : gate) : bool :=
  match k with
  | And x y => value v x && value v y
  | Xor x y => xorb (value v x) (value v y)
  | Mux x y z => if value v x then value v y else value v z
  | Majority x y z => (value v x && value v y) || (value v x && value v z) || (value v y && value v z)
  end.

Lemma holds_in_formula v x : 0 < node_of x -> holds v (in_formula x) = value v x.
Proof.
  intros H. unfold holds, in_formula, value. destruct (negated x); cbn [xorb].
  - destruct (Z.ltb_spec 0 (- node_of x)); [lia|]. rewrite Z.opp_involutive. now destruct (v (node_of x)).
  - destruct (Z.ltb_spec 0 (node_of x)); [|lia]. now destruct (v (node_of x)).
Qed.

Lemma in_formula_nonzero x : 0 < node_of x -> in_formula x <> 0.
Proof. intros H. unfold in_formula. destruct (negated x); lia. Qed.

(** The clauses of a gate hold where its variable has its value. *)
Lemma clauses_of_hold v g k n : 0 < g -> gate_in_range n k = true -> v g = gate_value v k ->
  Forall (fun c => holds_clause v c = true) (clauses_of g k).
Proof.
  intros Hg Hk E.
  assert (G : holds v g = gate_value v k) by (unfold holds; destruct (Z.ltb_spec 0 g); [exact E|lia]).
  pose proof (holds_opposite v g ltac:(lia)) as G'. rewrite G in G'.
  destruct k as [x y|x y|x y z|x y z]; cbn [gate_in_range] in Hk;
    repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H; destruct H end;
    repeat match goal with H : (0 <? node_of ?a) = true |- _ =>
      apply Z.ltb_lt in H; pose proof (holds_in_formula v a H);
      pose proof (holds_opposite v (in_formula a) (in_formula_nonzero a H)); clear H end;
    cbn [gate_value clauses_of] in *; repeat constructor; cbn [holds_clause existsb];
    repeat match goal with H : holds v _ = _ |- _ => rewrite H in * ; clear H end;
    repeat match goal with |- context [value v ?a] => destruct (value v a) end; reflexivity.
Qed.

(** ** Soundness *)

(** What is known of true literals, under values v. *)
Definition truthful (v : Z -> bool) (t : Map.t bool) : Prop :=
  forall n b, Map.find n t = Some b -> v n = b.

Lemma truthful_is_true v t x : truthful v t -> is_true t x = true -> x <> 0 -> holds v x = true.
Proof.
  intros T H N. unfold is_true in H. destruct (Map.find (Z.abs x) t) as [b|] eqn:F; [|discriminate].
  apply T in F. apply Bool.eqb_prop in H. subst b. unfold holds. destruct (Z.ltb_spec 0 x).
  - replace (Z.abs x) with x in H by lia. exact H.
  - replace (Z.abs x) with (- x) in H by lia. now rewrite H.
Qed.

Lemma truthful_make_true v t x : truthful v t -> x <> 0 -> holds v x = true -> truthful v (make_true x t).
Proof.
  intros T N H n b. unfold make_true. rewrite Facts.add_o. destruct (Z_as_OT.eq_dec (Z.abs x) n) as [E|E]; [|apply T].
  intros Q. inversion Q; subst b. unfold holds in H. unfold Z_as_OT.eq in E. subst n. destruct (Z.ltb_spec 0 x).
  - now replace (Z.abs x) with x by lia.
  - replace (Z.abs x) with (- x) by lia. now destruct (v (- x)).
Qed.

Definition no_zero (c : clause) : Prop := Forall (fun x => x <> 0) c.

Lemma open_literals_sound v t : truthful v t -> forall c found, no_zero c ->
  match open_literals t c found with
  | Conflict => found = None /\ holds_clause v c = false
  | One x => (found = Some x \/ found = None /\ In x c) /\ (holds_clause v c = true -> holds v x = true)
  | More => True
  end.
Proof.
  intros T. induction c as [|x c IH]; intros found N; cbn [open_literals].
  - destruct found; cbn; [split; [now left|discriminate]|now split].
  - inversion N as [|y l Nx Nc]; subst y l. destruct (Map.find (Z.abs x) t) as [b|] eqn:F.
    + destruct (Bool.eqb b (0 <? x)) eqn:BE; [exact I|].
      assert (X : holds v x = false).
      { apply T in F. unfold holds. destruct (Z.ltb_spec 0 x).
        - replace (Z.abs x) with x in F by lia. rewrite F. now destruct b.
        - replace (Z.abs x) with (- x) in F by lia. rewrite F. now destruct b. }
      specialize (IH found Nc). destruct (open_literals t c found); cbn [holds_clause existsb]; rewrite ?X; cbn [orb];
        [exact IH| |exact I]. destruct IH as [A B]. split; [|exact B]. destruct A as [A|[A A']]; [now left|]. right. split; [exact A|now right].
    + destruct found as [y|].
      * destruct (Z.eqb_spec x y) as [->|Ne]; [|exact I]. specialize (IH (Some y) Nc).
        destruct (open_literals t c (Some y)); [destruct IH; discriminate| |exact I].
        destruct IH as [[A|[A _]] B]; [|discriminate]. inversion A; subst. split; [now left|]. cbn [holds_clause existsb].
        intros H. apply orb_prop in H. destruct H as [H|H]; [exact H|now apply B].
      * specialize (IH (Some x) Nc).
        destruct (open_literals t c (Some x)); [destruct IH; discriminate| |exact I].
        destruct IH as [[A|[A _]] B]; [|discriminate]. inversion A; subst. split; [right; split; [reflexivity|now left]|].
        cbn [holds_clause existsb]. intros H. apply orb_prop in H. destruct H as [H|H]; [exact H|now apply B].
Qed.

Definition clauses_hold (v : Z -> bool) (d : Map.t clause) : Prop :=
  forall i c, Map.find i d = Some c -> holds_clause v c = true.
Definition clauses_in_range (n : Z) (d : Map.t clause) : Prop :=
  forall i c, Map.find i d = Some c -> forallb (in_range n) c = true.

Lemma in_range_no_zero n c : forallb (in_range n) c = true -> no_zero c.
Proof.
  intros H. apply Forall_forall. intros x Hx. rewrite forallb_forall in H. specialize (H x Hx). unfold in_range in H.
  apply andb_prop in H. destruct H as [H _]. destruct (Z.eqb_spec x 0); [discriminate|exact n0].
Qed.

Lemma propagate_sound v d n : clauses_hold v d -> clauses_in_range n d ->
  forall hints t, truthful v t -> propagate d t hints = true -> False.
Proof.
  intros H R. induction hints as [|h hints IH]; intros t T P; [discriminate|]. cbn in P.
  destruct (Map.find h d) as [c|] eqn:F; [|discriminate].
  pose proof (H _ _ F) as Hc. pose proof (in_range_no_zero _ _ (R _ _ F)) as Nz.
  pose proof (open_literals_sound v t T c None Nz) as O. destruct (open_literals t c None) as [|x|]; [| |discriminate].
  - destruct O as [_ O]. congruence.
  - destruct O as [[O|[_ O]] O']; [discriminate|]. apply (IH (make_true x t)); [|exact P].
    apply truthful_make_true; [exact T| |now apply O'].
    exact (proj1 (Forall_forall _ _) Nz x O).
Qed.

Lemma opposite_of_sound v : forall c t t', no_zero c -> truthful v t -> holds_clause v c = false ->
  opposite_of c t = Some t' -> truthful v t'.
Proof.
  induction c as [|x c IH]; intros t t' N T H O; cbn in O; [inversion O; subst; exact T|].
  inversion N as [|y l Nx Nc]; subst y l. destruct (is_true t x); [discriminate|].
  cbn in H. apply orb_false_elim in H. destruct H as [H1 H2].
  apply (IH _ _ Nc) in O; [exact O| |exact H2]. apply truthful_make_true; [exact T|lia|].
  rewrite holds_opposite by exact Nx. now rewrite H1.
Qed.

(** A state is right if all values of the variables below n0 that satisfy the first clauses can be extended so that all
    of its clauses hold, and if the empty clause is not among what holds. *)
Definition agree (n : Z) (v w : Z -> bool) : Prop := forall i, i < n -> v i = w i.

Definition right_state (first : (Z -> bool) -> Prop) (n0 : Z) (st : state) : Prop :=
  0 < n0 <= next_variable st /\ clauses_in_range (next_variable st) (db st) /\
  (forall v, first v -> exists w, agree n0 v w /\ clauses_hold w (db st) /\ refuted st = false).

Lemma put_find st c i : Map.find i (db (put st c)) = if Z.eqb (next_id st) i then Some c else Map.find i (db st).
Proof.
  unfold put; cbn [db]. rewrite Facts.add_o. destruct (Z_as_OT.eq_dec (next_id st) i) as [E|E]; unfold Z_as_OT.eq in E;
    destruct (Z.eqb_spec (next_id st) i); congruence.
Qed.

Lemma puts_hold v l : forall st, clauses_hold v (db st) -> Forall (fun c => holds_clause v c = true) l ->
  clauses_hold v (db (fold_left put l st)).
Proof.
  induction l as [|c l IH]; intros st H F; [exact H|]. inversion F; subst. cbn [fold_left]. apply IH; [|assumption].
  intros i d. rewrite put_find. destruct (Z.eqb (next_id st) i); [intros Q; now inversion Q; subst|apply H].
Qed.

Lemma puts_in_range n l : forall st, clauses_in_range n (db st) -> Forall (fun c => forallb (in_range n) c = true) l ->
  clauses_in_range n (db (fold_left put l st)).
Proof.
  induction l as [|c l IH]; intros st H F; [exact H|]. inversion F; subst. cbn [fold_left]. apply IH; [|assumption].
  intros i d. rewrite put_find. destruct (Z.eqb (next_id st) i); [intros Q; now inversion Q; subst|apply H].
Qed.

Lemma puts_rest l : forall st, next_variable (fold_left put l st) = next_variable st /\ refuted (fold_left put l st) = refuted st.
Proof. induction l as [|c l IH]; intros st; [now split|]. cbn [fold_left]. destruct (IH (put st c)) as [-> ->]. now split. Qed.

Lemma holds_agree n v w x : agree n v w -> in_range n x = true -> holds v x = holds w x.
Proof.
  intros A R. unfold in_range in R. apply andb_prop in R. destruct R as [R1 R2]. apply Z.ltb_lt in R2.
  unfold holds. destruct (Z.ltb_spec 0 x); [apply A; lia|]. f_equal. apply A. lia.
Qed.

Lemma clause_agree n v w c : agree n v w -> forallb (in_range n) c = true -> holds_clause v c = holds_clause w c.
Proof.
  intros A. induction c as [|x c IH]; [reflexivity|]. cbn [forallb]. intros R. apply andb_prop in R. destruct R as [R1 R2].
  unfold holds_clause in *. cbn [existsb]. now rewrite (holds_agree n v w x A R1), IH.
Qed.

Lemma in_range_more n m x : n <= m -> in_range n x = true -> in_range m x = true.
Proof.
  intros L R. unfold in_range in *. apply andb_prop in R. destruct R as [-> R]. apply Z.ltb_lt in R. cbn. apply Z.ltb_lt. lia.
Qed.

Lemma clauses_of_in_range g k : 0 < g -> gate_in_range g k = true ->
  Forall (fun c => forallb (in_range (g + 1)) c = true) (clauses_of g k).
Proof.
  intros Hg Hk.
  assert (G : in_range (g + 1) g = true /\ in_range (g + 1) (- g) = true).
  { unfold in_range. split; (rewrite (proj2 (Z.eqb_neq _ _)) by lia); cbn; apply Z.ltb_lt; lia. }
  assert (A : forall x, (0 <? node_of x) && (node_of x <? g) = true ->
              in_range (g + 1) (in_formula x) = true /\ in_range (g + 1) (- in_formula x) = true).
  { intros x Hx. apply andb_prop in Hx. destruct Hx as [H1 H2]. apply Z.ltb_lt in H1, H2.
    unfold in_range, in_formula. destruct (negated x);
      (split; (rewrite (proj2 (Z.eqb_neq _ _)) by lia); cbn [negb andb]; apply Z.ltb_lt; lia). }
  destruct G as [G1 G2].
  destruct k as [x y|x y|x y z|x y z]; cbn [gate_in_range] in Hk;
    [apply andb_prop in Hk; destruct Hk as [Hx Hy] | apply andb_prop in Hk; destruct Hk as [Hx Hy]
    |apply andb_prop in Hk; destruct Hk as [Hxy Hz]; apply andb_prop in Hxy; destruct Hxy as [Hx Hy]
    |apply andb_prop in Hk; destruct Hk as [Hxy Hz]; apply andb_prop in Hxy; destruct Hxy as [Hx Hy]];
    destruct (A x Hx), (A y Hy); try destruct (A z Hz); cbn [clauses_of]; repeat constructor; cbn [forallb];
    repeat match goal with H : in_range _ _ = true |- _ => rewrite H; clear H end; reflexivity.
Qed.

Lemma gate_value_agree n v w k : agree n v w -> gate_in_range n k = true -> gate_value v k = gate_value w k.
Proof.
  intros A Hk.
  assert (V : forall x, (0 <? node_of x) && (node_of x <? n) = true -> value v x = value w x).
  { intros x Hx. apply andb_prop in Hx. destruct Hx as [_ H]. apply Z.ltb_lt in H. unfold value. now rewrite (A _ H). }
  destruct k as [x y|x y|x y z|x y z]; cbn [gate_in_range] in Hk;
    [apply andb_prop in Hk; destruct Hk as [Hx Hy] | apply andb_prop in Hk; destruct Hk as [Hx Hy]
    |apply andb_prop in Hk; destruct Hk as [Hxy Hz]; apply andb_prop in Hxy; destruct Hxy as [Hx Hy]
    |apply andb_prop in Hk; destruct Hk as [Hxy Hz]; apply andb_prop in Hxy; destruct Hxy as [Hx Hy]];
    cbn [gate_value]; rewrite (V x Hx), (V y Hy); try rewrite (V z Hz); reflexivity.
Qed.

Lemma take_sound first n0 st s st' : right_state first n0 st -> take st s = Some st' ->
  if refuted st' then forall v, first v -> False else right_state first n0 st'.
Proof.
  intros (Hn & R & E) T. unfold take in T. destruct (refuted st) eqn:RF; [discriminate|].
  destruct s as [id c hints|id x k|ids].
  - destruct ((id =? next_id st) && forallb (in_range (next_variable st)) c) eqn:G; [|discriminate].
    apply andb_prop in G. destruct G as [_ G].
    destruct (opposite_of c (Map.empty bool)) as [t|] eqn:O; [|discriminate].
    destruct (propagate (db st) t hints) eqn:P; [|discriminate]. inversion T; subst st'; clear T. cbn [refuted].
    assert (D : forall w, clauses_hold w (db st) -> holds_clause w c = true).
    { intros w Hw. destruct (holds_clause w c) eqn:Hc; [reflexivity|]. exfalso.
      apply (propagate_sound w (db st) (next_variable st) Hw R hints t); [|exact P].
      apply (opposite_of_sound w c (Map.empty bool) t (in_range_no_zero _ _ G)); [|exact Hc|exact O].
      intros n b F. rewrite Facts.empty_o in F. discriminate. }
    destruct c as [|x c].
    + intros v Hv. destruct (E v Hv) as (w & _ & Hw & _). specialize (D w Hw). discriminate D.
    + split; [exact Hn|]. split.
      * intros i d Q. change (Map.find i (db (put st (x :: c))) = Some d) in Q. rewrite put_find in Q. cbn [next_variable].
        destruct (Z.eqb (next_id st) i); [inversion Q; subst; exact G|now apply (R i)].
      * intros v Hv. destruct (E v Hv) as (w & A & Hw & _). exists w. split; [exact A|]. split; [|reflexivity].
        intros i d Q. change (Map.find i (db (put st (x :: c))) = Some d) in Q. rewrite put_find in Q.
        destruct (Z.eqb (next_id st) i); [inversion Q; subst; now apply D|now apply (Hw i)].
  - destruct ((id =? next_id st) && (x =? next_variable st) && gate_in_range (next_variable st) k) eqn:G; [|discriminate].
    apply andb_prop in G. destruct G as [G Gk]. apply andb_prop in G. destruct G as [_ Gx]. apply Z.eqb_eq in Gx. subst x.
    inversion T; subst st'; clear T. cbn [refuted]. destruct (puts_rest (clauses_of (next_variable st) k) st) as [PV PR].
    rewrite PR, RF. split; [cbn; lia|]. split.
    + cbn [db next_variable]. apply puts_in_range; [|apply clauses_of_in_range; [lia|exact Gk]].
      intros i c F. specialize (R i c F). rewrite forallb_forall in *. intros y Hy. apply (in_range_more (next_variable st)); [lia|now apply R].
    + intros v Hv. destruct (E v Hv) as (w & A & Hw & _). cbn [db refuted].
      pose (w' := fun i => if Z.eqb i (next_variable st) then gate_value w k else w i).
      assert (A' : agree (next_variable st) w w').
      { intros i Hi. unfold w'. destruct (Z.eqb_spec i (next_variable st)); [lia|reflexivity]. }
      exists w'. split; [|split; [|reflexivity]].
      * intros i Hi. rewrite (A i Hi). apply A'. lia.
      * apply puts_hold.
        -- intros i c F. rewrite <- (clause_agree _ _ _ c A' (R i c F)). now apply (Hw i).
        -- apply (clauses_of_hold w' _ k (next_variable st)); [lia|exact Gk|].
           rewrite <- (gate_value_agree _ _ _ k A' Gk). unfold w'. now rewrite Z.eqb_refl.
  - destruct (forallb (fun i => Map.mem i (db st)) ids); [|discriminate]. inversion T; subst st'; clear T. cbn [refuted].
    rewrite ?RF. cbv iota.
    assert (D : forall l (d : Map.t clause) i c, Map.find i (fold_left (fun d i => Map.remove i d) l d) = Some c -> Map.find i d = Some c).
    { induction l as [|j l IH]; intros d i c F; [exact F|]. cbn in F. apply IH in F. rewrite Facts.remove_o in F.
      destruct (Z_as_OT.eq_dec j i); [discriminate|exact F]. }
    split; [exact Hn|]. cbn [db next_variable]. split.
    + intros i c F. apply (R i). now apply (D ids).
    + intros v Hv. destruct (E v Hv) as (w & A & Hw & _). exists w. split; [exact A|]. split; [|reflexivity].
      intros i c F. apply (Hw i). now apply (D ids).
Qed.

(** Clauses that hold of some values, and whose variables are below n. *)
Theorem refutes clauses n steps st : 0 < n -> Forall (fun c => forallb (in_range n) c = true) clauses ->
  take_all (begin clauses n) steps = Some st -> refuted st = true ->
  forall v, Forall (fun c => holds_clause v c = true) clauses -> False.
Proof.
  intros Hn HR T F.
  assert (B : right_state (fun v => Forall (fun c => holds_clause v c = true) clauses) n (begin clauses n)).
  { unfold begin. destruct (puts_rest clauses (State (Map.empty clause) 1 n false)) as [PV PR]. split; [rewrite PV; cbn; lia|].
    split.
    - rewrite PV. apply puts_in_range; [|exact HR]. intros i c Q. cbn [db] in Q. rewrite Facts.empty_o in Q. discriminate.
    - intros v Hv. exists v. split; [now intros i|]. split; [|exact PR]. apply puts_hold; [|exact Hv].
      intros i c Q. cbn [db] in Q. rewrite Facts.empty_o in Q. discriminate. }
  revert B T. generalize (begin clauses n). induction steps as [|s steps IH]; intros st0 B T.
  - cbn in T. inversion T; subst. intros v Hv. destruct B as (_ & _ & E). destruct (E v Hv) as (w & _ & _ & R). congruence.
  - cbn in T. destruct (take st0 s) as [st1|] eqn:S; [|discriminate]. pose proof (take_sound _ _ _ _ _ B S) as K.
    destruct (refuted st1); [exact K|]. exact (IH st1 K T).
Qed.
