(** * Sums: special values and signed addends

    The special value of a sum is [special_sum] of the definition; and addends with signs, added one after the other in
    two's complement, give their sum. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading.
Import ListNotations.
Open Scope Z_scope.

Section Sums.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).

(** What is not special is finite, here. *)
Definition special_number (l : list number) : number := match special_sum l with Some x => x | None => Finite zero None Plus end.

Lemma existsb_snoc {A} (f : A -> bool) l a : existsb f (l ++ [a]) = existsb f l || f a.
Proof. rewrite existsb_app. cbn. now rewrite orb_false_r. Qed.

Lemma existsb_pairs {A B} (f : A -> bool) (g : B -> bool) (R : A -> B -> Prop) l l' :
  Forall2 R l l' -> (forall a b, R a b -> f a = g b) -> existsb f l = existsb g l'.
Proof. intros H E. induction H as [|a b l l' Hab Hl IH]; [reflexivity|]. cbn. now rewrite (E a b Hab), IH. Qed.

(** What some term is, after all of them were seen. *)
Definition has (f : special_wires -> literal) (l : list wires) : bool := existsb (fun t => value v (f (n_special t))) l.

Lemma computes_seen terms :
  computes v (see_specials no_special_wires terms)
    (fun s => value v (w_nan s) = has w_nan terms /\ value v (w_plus s) = has w_plus terms /\
      value v (w_minus s) = has w_minus terms /\ value v (t_nan s) = has t_nan terms /\ value v (t_plus s) = has t_plus terms /\
      value v (t_minus s) = has t_minus terms).
Proof.
  unfold see_specials. apply (computes_fold v _ (fun done s => value v (w_nan s) = has w_nan done /\ value v (w_plus s) = has w_plus done /\
      value v (w_minus s) = has w_minus done /\ value v (t_nan s) = has t_nan done /\ value v (t_plus s) = has t_plus done /\
      value v (t_minus s) = has t_minus done)).
  - cbn. repeat split; exact (value_no v v0).
  - intros done s t _ (H1 & H2 & H3 & H4 & H5 & H6).
    eapply computes_bind; [apply computes_or|]. intros a Ha. eapply computes_bind; [apply computes_or|]. intros b Hb.
    eapply computes_bind; [apply computes_or|]. intros c Hc. eapply computes_bind; [apply computes_or|]. intros d Hd.
    eapply computes_bind; [apply computes_or|]. intros e He. eapply computes_bind; [apply computes_or|]. intros f Hf.
    apply computes_ret. cbn [w_nan w_plus w_minus t_nan t_plus t_minus]. unfold has. rewrite !existsb_snoc.
    rewrite Ha, Hb, Hc, Hd, He, Hf, H1, H2, H3, H4, H5, H6. repeat split.
Qed.

Theorem computes_combine_specials terms numbers sum :
  Forall2 (fun x n => special_is v (n_special x) n) terms numbers ->
  n_special sum = no_special_wires ->
  computes v (combine_specials terms sum)
    (fun y => exists s k kind, y = with_special s k kind sum /\ special_is v s (special_number numbers)).
Proof.
  intros HT HS. unfold combine_specials. rewrite HS. eapply computes_bind; [apply computes_seen|].
  intros seen (S1 & S2 & S3 & S4 & S5 & S6).
  eapply computes_bind; [apply computes_and|]. intros both Hboth. eapply computes_bind; [apply computes_or|]. intros nan Hnan.
  eapply computes_bind; [apply computes_and|]. intros pl Hpl. eapply computes_bind; [apply computes_and|]. intros mi Hmi.
  eapply computes_bind; [apply (computes_any_of v v0)|]. intros some Hsome.
  eapply computes_bind; [apply computes_and|]. intros tboth Htboth. eapply computes_bind; [apply computes_or|]. intros tnan Htnan.
  eapply computes_bind; [apply computes_and|]. intros rnan Hrnan. eapply computes_bind; [apply computes_and|]. intros tp Htp.
  eapply computes_bind; [apply computes_and|]. intros rp Hrp. eapply computes_bind; [apply computes_and|]. intros tm Htm.
  eapply computes_bind; [apply computes_and|]. intros rm Hrm.
  eapply computes_bind with (P := fun _ => True); [intros s0 _; exact I|]. intros k _.
  eapply computes_bind with (P := fun _ => True); [intros s0 _; exact I|]. intros kind _.
  apply computes_ret. do 3 eexists. split; [reflexivity|].
  (* in terms of the numbers *)
  assert (N0 : has w_nan terms = existsb (is_nan_of false) numbers).
  { apply (existsb_pairs _ _ _ _ _ HT). intros x n H. apply H. }
  assert (N1 : has t_nan terms = existsb (is_nan_of true) numbers).
  { apply (existsb_pairs _ _ _ _ _ HT). intros x n H. apply H. }
  assert (P1 : has t_plus terms = existsb (is_infinity_of true Plus) numbers).
  { apply (existsb_pairs _ _ _ _ _ HT). intros x n H. apply H. }
  assert (M1 : has t_minus terms = existsb (is_infinity_of true Minus) numbers).
  { apply (existsb_pairs _ _ _ _ _ HT). intros x n H. apply H. }
  assert (PM0 : existsb (is_nan_of false) numbers = false ->
                has w_plus terms = existsb (is_infinity_of false Plus) numbers /\ has w_minus terms = existsb (is_infinity_of false Minus) numbers).
  { clear -HT v0. intros Q. unfold has. induction HT as [|x n terms numbers Hx Hl IH]; [now split|]. cbn [existsb] in *.
    apply orb_false_elim in Q. destruct Q as [Q1 Q2]. destruct (IH Q2) as [-> ->]. destruct Hx as (X1 & _ & X3 & _).
    rewrite Q1 in X1. destruct (X3 X1) as [-> ->]. now split. }
  unfold special_is. cbn [w_nan w_plus w_minus t_nan t_plus t_minus].
  cbn [existsb] in Hsome. rewrite value_invert in Hpl, Hmi, Htp, Htm, Hrnan, Hrp, Hrm.
  rewrite Hrnan, Hrp, Hrm, Hpl, Hmi, Hnan, Hboth, Hsome, Htnan, Htboth, Htp, Htm, S1, S2, S3, S4, S5, S6, N0, N1, P1, M1.
  rewrite ?Htnan, ?Htboth, ?S4, ?S5, ?S6, ?N1, ?P1, ?M1.
  unfold special_number, special_sum, special_of.
  destruct (existsb (is_nan_of false) numbers) eqn:E0; cbn [orb andb negb].
  - cbn. repeat split; discriminate.
  - destruct (PM0 eq_refl) as [-> ->].
    destruct (existsb (is_infinity_of false Plus) numbers), (existsb (is_infinity_of false Minus) numbers); cbn [orb andb negb];
      try (cbn; repeat split; discriminate).
    destruct (existsb (is_nan_of true) numbers), (existsb (is_infinity_of true Plus) numbers), (existsb (is_infinity_of true Minus) numbers);
      cbn; repeat split; try discriminate.
Qed.

(** ** Addends one after the other *)

(** A sum in two's complement that has room for the integer n. *)
Definition holds_integer (x : word) (n : Z) : Prop := num x = n mod 2 ^ len x.

Lemma computes_add_signed_integer total x negative i n : 0 <= i -> num x * 2 ^ i < 2 ^ len total -> holds_integer total n ->
  computes v (add_signed total x negative i)
    (fun z => len z = len total /\ holds_integer z (n + (if value v negative then - num x else num x) * 2 ^ i)).
Proof.
  intros Hi Hx Hn. eapply computes_weaken; [now apply (computes_add_signed v v0)|]. intros z [Lz Hz]. split; [exact Lz|].
  unfold holds_integer in *. rewrite Hz, Lz, Hn. pose proof (two_pos (length total)) as P.
  rewrite Zplus_mod_idemp_l. f_equal. destruct (value v negative); ring.
Qed.

(** The sign and the magnitude of a sum that fits. *)
Theorem computes_sign_and_magnitude x n : 0 < len x -> holds_integer x n -> - 2 ^ (len x - 1) <= n < 2 ^ (len x - 1) ->
  value v (msb x) = (n <? 0) /\
  computes v (negate_if (msb x) x) (fun z => len z = len x /\ num z = Z.abs n).
Proof.
  intros Lx Hn B. unfold holds_integer in Hn.
  assert (P2 : 2 ^ len x = 2 * 2 ^ (len x - 1)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  assert (P0 : 0 < 2 ^ (len x - 1)) by (apply Z.pow_pos_nonneg; lia).
  assert (N : num x = if n <? 0 then n + 2 ^ len x else n).
  { rewrite Hn. destruct (Z.ltb_spec n 0).
    - replace n with (n + 2 ^ len x + (-1) * 2 ^ len x) at 1 by ring. rewrite Z.mod_add by lia. apply Z.mod_small. lia.
    - apply Z.mod_small. lia. }
  assert (S : value v (msb x) = (n <? 0)).
  { rewrite (value_msb v v0) by (destruct x; [cbn in Lx; lia|discriminate]). rewrite N.
    destruct (Z.ltb_spec n 0), (Z.leb_spec (2 ^ (len x - 1)) (if n <? 0 then n + 2 ^ len x else n)); destruct (Z.ltb_spec n 0); try reflexivity; lia. }
  split; [exact S|]. eapply computes_weaken; [apply (computes_negate_if v v0)|]. intros z [Lz Hz]. split; [now rewrite Lz|].
  rewrite Hz, S, N. destruct (Z.ltb_spec n 0).
  - replace (- (n + 2 ^ len x)) with (- n + (-1) * 2 ^ len x) by ring. rewrite Z.mod_add by lia. rewrite Z.mod_small by lia. lia.
  - rewrite Z.mod_small by lia. lia.
Qed.

End Sums.
