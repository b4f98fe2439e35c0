(** * What a circuit computes, whatever else is in the netlist

    Values of the nodes satisfy a netlist if each gate has the value of its inputs. [computes v m P]: if v satisfies the
    netlist to which m adds its gates, then P holds of what m gives. So each operation is proved once, in terms of
    values, and a program of operations by composition. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Gates Lrat.
Import ListNotations.
Open Scope Z_scope.

Definition satisfied (v : Z -> bool) (s : netlist) : Prop :=
  v 0 = false /\ Forall (fun g => v (fst g) = gate_value v (snd g)) (gates s).

Lemma satisfied_before v s s' : extends s s' -> satisfied v s' -> satisfied v s.
Proof. intros [l E] [H0 H]. split; [exact H0|]. rewrite E in H. now apply Forall_app in H. Qed.

Definition computes {A} (v : Z -> bool) (m : making A) (P : A -> Prop) : Prop :=
  forall s, satisfied v (snd (run m s)) -> P (fst (run m s)).

Lemma computes_ret {A} v (a : A) (P : A -> Prop) : P a -> computes v (ret a) P.
Proof. intros H s _. exact H. Qed.

Lemma computes_bind {A B} v (m : making A) (f : A -> making B) (P : A -> Prop) (Q : B -> Prop) :
  computes v m P -> (forall a, P a -> computes v (f a) Q) -> computes v (x <- m ;; f x) Q.
Proof.
  intros Hm Hf s. cbn [bind run]. specialize (Hm s). destruct (run m s) as [a s1]. cbn [fst snd] in *. intros S.
  apply Hf; [|exact S]. apply Hm. exact (satisfied_before v _ _ (run_extends (f a) s1) S).
Qed.

Lemma computes_weaken {A} v (m : making A) (P Q : A -> Prop) : computes v m P -> (forall a, P a -> Q a) -> computes v m Q.
Proof. intros H I s S. now apply I, H. Qed.

Lemma computes_both {A} v (m : making A) (P Q : A -> Prop) : computes v m P -> computes v m Q -> computes v m (fun a => P a /\ Q a).
Proof. intros HP HQ s S. split; [now apply HP|now apply HQ]. Qed.
(** What holds only under a condition that is not about the netlist. *)
Lemma computes_if {A} v (m : making A) (H : Prop) (P : A -> Prop) : (H -> computes v m P) -> computes v m (fun a => H -> P a).
Proof. intros K s S h. exact (K h s S). Qed.
Lemma computes_something {A} v (m : making A) : computes v m (fun _ => True).
Proof. intros s _. exact I. Qed.

(** Nothing is known before some values satisfy a netlist; but then node 0 is false. *)
Lemma computes_zero {A} v (m : making A) (P : A -> Prop) : (v 0 = false -> computes v m P) -> computes v m P.
Proof. intros H s S. exact (H (proj1 S) s S). Qed.

Lemma computes_append v g : computes v (append g) (fun x => value v x = gate_value v g).
Proof.
  intros s [_ H]. cbn in *. inversion H as [|a l Ha Hl]; subst. unfold value. cbn [negated node_of xorb]. cbn in Ha.
  now destruct (v (next s)).
Qed.

(** ** Literals *)

Lemma value_no v : v 0 = false -> value v no = false.
Proof. intros H. unfold value. cbn. now rewrite H. Qed.
Lemma value_yes v : v 0 = false -> value v yes = true.
Proof. intros H. unfold value. cbn. now rewrite H. Qed.
Lemma value_invert v x : value v (invert x) = negb (value v x).
Proof. unfold value, invert. cbn. now destruct (negated x), (v (node_of x)). Qed.
Lemma value_invert_if v b x : value v (invert_if b x) = xorb b (value v x).
Proof. unfold value, invert_if. cbn. now destruct b, (negated x), (v (node_of x)). Qed.
Lemma same_value v x y : same x y = true -> value v x = value v y.
Proof.
  unfold same. intros H. apply andb_prop in H. destruct H as [H1 H2]. apply Bool.eqb_prop in H1. apply Z.eqb_eq in H2.
  unfold value. now rewrite H1, H2.
Qed.
Lemma constant_value v x : v 0 = false -> is_constant x = true -> value v x = same x yes.
Proof.
  intros H0 H. apply Z.eqb_eq in H. unfold value, same, yes. cbn. rewrite H, H0. now destruct (negated x).
Qed.
Lemma constant_value_no v x : v 0 = false -> is_constant x = true -> value v x = negb (same x no).
Proof.
  intros H0 H. apply Z.eqb_eq in H. unfold value, same, no. cbn. rewrite H, H0. now destruct (negated x).
Qed.
Lemma same_node_value v x y : same_node x y = true -> value v x = if same y x then value v y else negb (value v y).
Proof.
  unfold same_node, same, value. intros H. apply Z.eqb_eq in H. rewrite H, Z.eqb_refl, andb_true_r.
  now destruct (negated x), (negated y), (v (node_of y)).
Qed.

(** ** Gates *)

(** What is known of literals that are the same, or constants. *)
Ltac known v H0 :=
  repeat match goal with
  | H : same ?x ?y = true |- _ => apply (same_value v) in H; rewrite ?value_invert, ?(value_no v H0), ?(value_yes v H0) in H
  | H : _ || _ = true |- _ => apply orb_prop in H; destruct H
  end.

Lemma computes_and v x y : computes v (make_and x y) (fun z => value v z = value v x && value v y).
Proof.
  apply computes_zero. intros H0. unfold make_and.
  destruct (same x no || same y no || same x (invert y)) eqn:A.
  { apply computes_ret. rewrite (value_no v H0). known v H0;
      repeat match goal with H : value v _ = _ |- _ => rewrite H; clear H end; now destruct (value v y), (value v x). }
  destruct (same x yes || same x y) eqn:B.
  { apply computes_ret. known v H0; repeat match goal with H : value v _ = _ |- _ => rewrite H; clear H end; now destruct (value v y). }
  destruct (same y yes) eqn:C; [|apply computes_append].
  apply computes_ret. known v H0. rewrite C. now destruct (value v x).
Qed.

Lemma computes_or v x y : computes v (make_or x y) (fun z => value v z = value v x || value v y).
Proof.
  unfold make_or. eapply computes_bind; [apply computes_and|]. intros z H. apply computes_ret.
  rewrite value_invert, H, !value_invert. now destruct (value v x), (value v y).
Qed.

Lemma computes_xor v x y : computes v (make_xor x y) (fun z => value v z = xorb (value v x) (value v y)).
Proof.
  apply computes_zero. intros H0. unfold make_xor.
  destruct (same x y) eqn:A.
  { apply computes_ret. rewrite (value_no v H0). known v H0. rewrite A. now destruct (value v y). }
  destruct (same x (invert y)) eqn:B.
  { apply computes_ret. rewrite (value_yes v H0). known v H0. rewrite B. now destruct (value v y). }
  destruct (is_constant x) eqn:C.
  { apply computes_ret. rewrite value_invert_if. now rewrite (constant_value v x H0 C). }
  destruct (is_constant y) eqn:D; [|apply computes_append].
  apply computes_ret. rewrite value_invert_if. rewrite (constant_value v y H0 D). apply xorb_comm.
Qed.

Lemma computes_mux v c x y : computes v (make_mux c x y) (fun z => value v z = if value v c then value v x else value v y).
Proof.
  apply computes_zero. intros H0. unfold make_mux.
  destruct (same c yes || same x y) eqn:A.
  { apply computes_ret. known v H0; rewrite H; [reflexivity|]. now destruct (value v c). }
  destruct (same c no) eqn:B. { apply computes_ret. known v H0. now rewrite B. }
  destruct (same x (invert y)) eqn:C.
  { eapply computes_weaken; [apply computes_xor|]. intros z ->. known v H0. rewrite C. now destruct (value v c), (value v y). }
  destruct (same x no) eqn:D.
  { eapply computes_weaken; [apply computes_and|]. intros z ->. known v H0. rewrite D, value_invert. now destruct (value v c). }
  destruct (same x yes) eqn:E.
  { eapply computes_weaken; [apply computes_or|]. intros z ->. known v H0. rewrite E. now destruct (value v c). }
  destruct (same y no) eqn:F.
  { eapply computes_weaken; [apply computes_and|]. intros z ->. known v H0. rewrite F. now destruct (value v c), (value v x). }
  destruct (same y yes) eqn:G.
  { eapply computes_weaken; [apply computes_or|]. intros z ->. known v H0. rewrite G, value_invert. now destruct (value v c), (value v x). }
  destruct (same_node c x) eqn:I.
  { pose proof (same_node_value v c x I) as N. destruct (same x c).
    - eapply computes_weaken; [apply computes_or|]. intros z ->. rewrite N. now destruct (value v x).
    - eapply computes_weaken; [apply computes_and|]. intros z ->. rewrite N. now destruct (value v x), (value v y). }
  destruct (same_node c y) eqn:J; [|apply computes_append].
  pose proof (same_node_value v c y J) as N. destruct (same y c).
  - eapply computes_weaken; [apply computes_and|]. intros z ->. rewrite N. now destruct (value v y), (value v x).
  - eapply computes_weaken; [apply computes_or|]. intros z ->. rewrite N. now destruct (value v y), (value v x).
Qed.

Definition majority (x y z : bool) : bool := (x && y) || (x && z) || (y && z).

Lemma computes_majority v x y z :
  computes v (make_majority x y z) (fun m => value v m = majority (value v x) (value v y) (value v z)).
Proof.
  apply computes_zero. intros H0. unfold make_majority, majority.
  destruct (same x y) eqn:A. { apply computes_ret. known v H0. rewrite A. now destruct (value v y), (value v z). }
  destruct (same x (invert y)) eqn:B. { apply computes_ret. known v H0. rewrite B. now destruct (value v y), (value v z). }
  destruct (same x z || same y z) eqn:C.
  { apply computes_ret. known v H0; rewrite H; now destruct (value v x), (value v y), (value v z). }
  destruct (same x (invert z)) eqn:D. { apply computes_ret. known v H0. rewrite D. now destruct (value v y), (value v z). }
  destruct (same y (invert z)) eqn:E. { apply computes_ret. known v H0. rewrite E. now destruct (value v x), (value v z). }
  destruct (is_constant x) eqn:F.
  { pose proof (constant_value_no v x H0 F) as N. destruct (same x no);
      (eapply computes_weaken; [first [apply computes_and|apply computes_or]|]); intros m ->; rewrite N;
      now destruct (value v y), (value v z). }
  destruct (is_constant y) eqn:G.
  { pose proof (constant_value_no v y H0 G) as N. destruct (same y no);
      (eapply computes_weaken; [first [apply computes_and|apply computes_or]|]); intros m ->; rewrite N;
      now destruct (value v x), (value v z). }
  destruct (is_constant z) eqn:I; [|apply computes_append].
  pose proof (constant_value_no v z H0 I) as N. destruct (same z no);
    (eapply computes_weaken; [first [apply computes_and|apply computes_or]|]); intros m ->; rewrite N;
    now destruct (value v x), (value v y).
Qed.
