(** * Without nan=rdna, no wires say where a NaN comes from

    And with it, which operations leave that alone, as well as what is special and what a NaN carries; and what a product has
    to say of it. *)

From Coq Require Import ZArith List Bool.
From Discern Require Import Notation Gates Making Words Integers Circuit CircuitUnit Chain.
Import ListNotations.
Open Scope Z_scope.

Section Kinds.
Variable v : Z -> bool.

(** The operations of a circuit one after the other, of which nothing is asked. *)
Ltac anyway := repeat (eapply computes_bind; [apply computes_something|]; intros ? _).

(** What is special, carried, and said of where it comes from, is the same. *)
Definition same_nan (y x : wires) : Prop := n_special y = n_special x /\ n_content y = n_content x /\ n_kind y = n_kind x.

Lemma same_nan_trans z y x : same_nan z y -> same_nan y x -> same_nan z x.
Proof. intros (E1 & E2 & E3) H. unfold same_nan. rewrite E1, E2, E3. exact H. Qed.
Lemma then_same_nan m (f : wires -> making wires) x : computes v m (fun y => same_nan y x) -> (forall y, computes v (f y) (fun z => same_nan z y)) ->
  computes v (y <- m ;; f y) (fun z => same_nan z x).
Proof. intros Hm Hf. eapply computes_bind; [exact Hm|]. intros y Hy. eapply computes_weaken; [apply Hf|]. intros z Hz. exact (same_nan_trans _ _ _ Hz Hy). Qed.
Lemma ret_same_nan y x : same_nan y x -> computes v (ret y) (fun z => same_nan z x).
Proof. exact (computes_ret v y _). Qed.

(** ** Leaves *)

Lemma read_kind f p : computes v (read_wires f p) (fun x => n_kind x = None).
Proof. unfold read_wires, read_fixed_wires. destruct (is_fixed f); anyway; now apply computes_ret. Qed.

Lemma positive_same_nan those x : computes v (make_positive those x) (fun y => same_nan y x).
Proof. unfold make_positive. anyway. now apply ret_same_nan. Qed.

Lemma flushed_same_nan f z x : computes v (flushed f z x) (fun y => same_nan y x).
Proof.
  unfold flushed. destruct z; [now apply ret_same_nan| | |]; do 2 (eapply computes_bind; [apply computes_something|]; intros ? _).
  - now apply ret_same_nan.
  - eapply computes_weaken; [apply positive_same_nan|]. intros y Hy. exact Hy.
  - apply then_same_nan; [eapply computes_weaken; [apply positive_same_nan|]; intros y Hy; exact Hy|]. intros y.
    eapply computes_bind; [apply computes_something|]. intros ? _. apply positive_same_nan.
Qed.

Lemma normalised_same_nan x : computes v (normalised x) (fun y => same_nan y x).
Proof. unfold normalised. anyway. now apply ret_same_nan. Qed.

Lemma again_same_nan f wide x : computes v (match wide with None => ret x | Some w => read_again_wires f w x end) (fun y => same_nan y x).
Proof.
  destruct wide as [w|]; [|now apply ret_same_nan]. unfold read_again_wires. destruct (emin f <=? emin w); [now apply ret_same_nan|].
  eapply computes_bind; [apply computes_something|]. intros ? _. apply then_same_nan; [apply normalised_same_nan|]. intros y.
  apply then_same_nan; [destruct (_ <? _); anyway; now apply ret_same_nan|]. intros z. anyway. now apply ret_same_nan.
Qed.

Lemma c_again_same_nan w x : computes v (c_again_wires w x) (fun y => same_nan y x).
Proof.
  unfold c_again_wires. eapply computes_bind; [apply computes_something|]. intros ? _. apply then_same_nan; [apply normalised_same_nan|]. intros y.
  anyway. now apply ret_same_nan.
Qed.

(** c is what was read of it. *)
Lemma computes_accumulator_same f w c P : computes v (read_wires f w) P ->
  computes v (accumulator_wires f w c) (fun y => exists x, P x /\ same_nan y x).
Proof.
  intros H. unfold accumulator_wires. eapply computes_bind; [exact H|]. intros x Hx. eapply computes_weaken.
  - apply then_same_nan; [apply flushed_same_nan|]. intros y. destruct (c_as c); [apply c_again_same_nan|now apply ret_same_nan].
  - intros y Hy. now exists x.
Qed.

Lemma multiply_scales_same_nan ss : forall x, computes v (multiply_scales ss x) (fun y => same_nan y x).
Proof.
  unfold multiply_scales. induction ss as [|s ss IH]; intros x; cbn [fold_m]; [now apply ret_same_nan|].
  apply then_same_nan; [anyway; now apply ret_same_nan|exact IH].
Qed.

(** ** Products *)

(** What a product says: a NaN that carries something is that of a factor, and any NaN may be an invalid one. *)
Definition product_kind (u : unit) (y : wires) (otherwise : option kind_wires) : Prop :=
  n_kind y = if has_kinds u then Some (KindWires (k_here (n_content y)) (w_nan (n_special y)) (invalid_is_as_of_factor u)) else otherwise.

Lemma specials_kind u a b scales negative beats x :
  computes v (multiply_specials u a b scales negative beats x) (fun y => product_kind u y (n_kind x)).
Proof.
  unfold multiply_specials. eapply computes_bind; [apply computes_something|]. intros [[nan infinite] zero_] _. anyway. now apply computes_ret.
Qed.

Theorem computes_product_kind u i p k : computes v (product_wires u i p k) (fun y => product_kind u y None).
Proof.
  unfold product_wires. do 2 (eapply computes_bind; [apply computes_something|]; intros ? _).
  eapply computes_bind with (P := fun x => n_kind x = None); [unfold plain_product_wires; anyway; now apply computes_ret|]. intros x Hx.
  eapply computes_bind; [apply computes_something|]. intros ss _. eapply computes_bind; [apply multiply_scales_same_nan|]. intros y (_ & _ & Hy).
  eapply computes_bind; [apply specials_kind|]. intros z Hz. cbn [with_signs with_exponent n_kind] in Hz. rewrite Hy, Hx in Hz.
  eapply computes_bind with (P := fun z => product_kind u z None).
  { destruct (p_limit p); [|now apply computes_ret]. do 3 (eapply computes_bind; [apply computes_something|]; intros ? _).
    destruct (p_counts p); anyway; now apply computes_ret. }
  intros t Ht. assert (S : forall y, same_nan y t -> product_kind u y None) by (intros y' (E1 & E2 & E3); unfold product_kind; rewrite E1, E2, E3; exact Ht).
  unfold normalise_product. eapply computes_bind; [apply computes_something|]. intros ? _. destruct (p_normalisation p).
  - now apply computes_ret.
  - anyway. apply computes_ret. now apply S.
  - eapply computes_bind; [apply normalised_same_nan|]. intros y' Hy'. anyway. apply computes_ret. now apply S.
Qed.

(** ** Without nan=rdna *)

Section None.
Variable u : unit.
Hypothesis Hk : has_kinds u = false.
Notation unsaid := (fun x => n_kind x = None).

Lemma product_unsaid i p k : computes v (product_wires u i p k) unsaid.
Proof. eapply computes_weaken; [apply computes_product_kind|]. intros y Hy. unfold product_kind in Hy. now rewrite Hk in Hy. Qed.

Lemma scaled_unsaid i how k x : n_kind x = None -> computes v (scaled_wires u i how k x) unsaid.
Proof.
  intros Hx. unfold scaled_wires. eapply computes_bind; [apply computes_something|]. intros ss _. destruct (map _ ss) as [|s rest]; [now apply computes_ret|].
  eapply computes_bind; [apply specials_kind|]. intros y Hy. unfold product_kind in Hy. rewrite Hk, Hx in Hy.
  eapply computes_bind; [apply multiply_scales_same_nan|]. intros z (_ & _ & Hz). apply computes_ret. cbn [with_exponent n_kind]. congruence.
Qed.

Lemma combine_unsaid terms sum : Forall (fun x => n_kind x = None) terms -> n_kind sum = None -> computes v (combine_specials terms sum) unsaid.
Proof.
  intros HT HS. unfold combine_specials. do 14 (eapply computes_bind; [apply computes_something|]; intros ? _).
  eapply computes_bind with (P := fun kind => kind = None); [|intros kind ->; now apply computes_ret].
  unfold see_kinds. rewrite HS. clear HS. induction HT as [|t ts Ht _ IH]; cbn [fold_m]; [now apply computes_ret|]. rewrite Ht. exact IH.
Qed.

Lemma group_unsaid i g k : computes v (group_wires u i g k) unsaid.
Proof.
  unfold group_wires. eapply computes_bind; [apply computes_something|]. intros ss _.
  eapply computes_bind with (P := fun ps => Forall (fun x => n_kind x = None) (map fst ps)).
  { induction (below (g_size g)) as [|l ls IH]; cbn [map_m]; [apply computes_ret; constructor|].
    eapply computes_bind with (P := fun y => n_kind (fst y) = None).
    - unfold group_product. do 7 (eapply computes_bind; [apply computes_something|]; intros ? _).
      eapply computes_bind; [apply specials_kind|]. intros y Hy. unfold product_kind in Hy. rewrite Hk in Hy. now apply computes_ret.
    - intros y Hy. eapply computes_bind; [exact IH|]. intros ys Hys. apply computes_ret. now constructor. }
  intros ps Hps. eapply computes_bind; [apply computes_something|]. intros [[[total pl] mi] ca] _.
  eapply computes_bind; [apply combine_unsaid; [exact Hps|reflexivity]|]. intros s Hs.
  eapply computes_bind; [apply computes_something|]. intros ? _. eapply computes_bind; [apply multiply_scales_same_nan|]. intros t (_ & _ & Ht).
  eapply computes_bind; [apply computes_something|]. intros ? _.
  eapply computes_bind with (P := fun x => n_kind x = None).
  { destruct (g_empty g); anyway; apply computes_ret; cbn [with_exponent with_has_exponent n_kind]; rewrite Ht; exact Hs. }
  intros x Hx. anyway. apply computes_ret. exact Hx.
Qed.

Lemma fuse_unsaid f given : Forall (fun t => n_kind (s_number t) = None) given -> computes v (fuse_wires f given) unsaid.
Proof.
  intros H. unfold fuse_wires. eapply computes_bind.
  { apply combine_unsaid; [|reflexivity]. rewrite !Forall_map. exact H. }
  intros s Hs. eapply computes_bind; [apply computes_something|]. intros [E here] _. anyway. apply computes_ret. exact Hs.
Qed.

Theorem node_unsaid i index cf c n : computes v (node_wires u i index cf c n) (Forall (fun x => n_kind x = None)).
Proof.
  induction n as [p|g|ca|f l IH|r n IH] using node_induction; cbn [node_wires].
  - induction (selected (p_which p) (unit_L u)) as [|k ks IH]; cbn [map_m]; [now apply computes_ret|].
    eapply computes_bind; [apply product_unsaid|]. intros y Hy. eapply computes_bind; [exact IH|]. intros ys Hys. apply computes_ret. now constructor.
  - induction (selected (g_which g) (unit_L u / g_size g)) as [|k ks IH]; cbn [map_m]; [now apply computes_ret|].
    eapply computes_bind; [apply group_unsaid|]. intros y Hy. eapply computes_bind; [exact IH|]. intros ys Hys. apply computes_ret. now constructor.
  - eapply computes_bind; [exact (computes_accumulator_same cf c ca _ (read_kind cf c))|]. intros y (x & Hx & _ & _ & Hy). apply computes_ret.
    unfold kept_wires. rewrite Hk. constructor; [congruence|constructor].
  - eapply computes_bind with (P := Forall (fun t => n_kind (s_number t) = None)).
    + induction IH as [|[n a] l Hn _ IHl]; [now apply computes_ret|]. cbn [fst] in Hn. eapply computes_bind; [exact Hn|]. intros xs Hxs.
      eapply computes_bind with (P := Forall (fun x => n_kind x = None)).
      { clear - Hxs Hk. unfold kept_wires. rewrite Hk. induction Hxs as [|x xs Hx _ IH]; cbn [map_m]; [now apply computes_ret|].
        eapply computes_bind with (P := fun x => n_kind x = None).
        - replace (if is_round n then x else x) with x by (now destruct (is_round n)). unfold child_wires.
          destruct (ch_scaled a), (elements_below (unit_L u) n); first [now apply computes_ret|now apply scaled_unsaid].
        - intros y Hy. eapply computes_bind; [exact IH|]. intros ys Hys. apply computes_ret. now constructor. }
      intros ys Hys. eapply computes_bind; [exact IHl|]. intros rest Hrest. apply computes_ret. apply Forall_app. split; [|exact Hrest].
      rewrite Forall_map. exact Hys.
    + intros given Hg. eapply computes_bind; [exact (fuse_unsaid f given Hg)|]. intros y Hy. apply computes_ret. now constructor.
  - eapply computes_bind; [exact IH|]. intros xs Hxs. destruct Hxs as [|x xs Hx _]; [now apply computes_ret|].
    eapply computes_bind; [apply computes_something|]. intros p _. eapply computes_bind; [apply read_kind|]. intros y Hy. unfold with_kind_of. rewrite Hx.
    eapply computes_bind with (P := fun z => z = y); [now apply computes_ret|]. intros z ->. apply computes_ret. now constructor.
Qed.
End None.
End Kinds.
