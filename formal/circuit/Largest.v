(** * The maximum of words, by elimination, and whole numbers with bounds *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real Gates Lrat Making Words Shifts Integers.
Import ListNotations.
Open Scope Z_scope.

(** ** The largest of those that take part *)

(** m is the largest number of those whose bit is set; 0 if there are none. *)
Definition is_largest (l : list (bool * Z)) (m : Z) : Prop :=
  (forall w, In (true, w) l -> w <= m) /\ (In (true, m) l \/ m = 0 /\ forall w, ~ In (true, w) l).

Section Largest.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).

(** Bits of which each is set if its word takes part, beside the low k bits of the words. *)
Definition taking (takes : word) (words : list word) (k : Z) : list (bool * Z) :=
  combine (map (value v) takes) (map (fun x => num x mod 2 ^ k) words).

Lemma in_taking takes words k b w : In (b, w) (taking takes words k) <->
  exists t x, In (t, x) (combine takes words) /\ value v t = b /\ num x mod 2 ^ k = w.
Proof.
  unfold taking. revert words. induction takes as [|t takes IH]; intros [|x words]; cbn [combine map In].
  - split; [intros []|intros (? & ? & [] & _)].
  - split; [intros []|intros (? & ? & [] & _)].
  - split; [intros []|intros (? & ? & [] & _)].
  - rewrite IH. split.
    + intros [E|(t' & x' & I & H)]; [inversion E; subst; exists t, x; auto|exists t', x'; auto].
    + intros (t' & x' & [E|I] & H1 & H2); [inversion E; subst; now left|right; exists t', x'; auto].
Qed.

Lemma in_combine_map {A B C} (f : B -> C) (l : list A) l' a c : In (a, c) (combine l (map f l')) ->
  exists b, In (a, b) (combine l l') /\ f b = c.
Proof.
  revert l'. induction l as [|x l IH]; intros [|y l']; cbn; try tauto. intros [E|I]; [inversion E; subst; eauto|].
  destruct (IH _ I) as (b & Ib & Hb). eauto.
Qed.
Lemma in_combine_map_in {A B C} (f : B -> C) (l : list A) l' a b : In (a, b) (combine l l') -> In (a, f b) (combine l (map f l')).
Proof. revert l'. induction l as [|x l IH]; intros [|y l']; cbn; try tauto. intros [E|I]; [inversion E; subst; auto|]. right. now apply IH. Qed.

Lemma low_bits x k : 0 <= k -> num x mod 2 ^ (k + 1) = num x mod 2 ^ k + 2 ^ k * Z.b2z (Z.testbit (num x) k).
Proof.
  intros Hk. rewrite Z.pow_add_r by lia. pose proof (Z.pow_pos_nonneg 2 k eq_refl Hk). rewrite Z.rem_mul_r by lia. f_equal. f_equal.
  change (2 ^ 1) with 2. now rewrite Z.testbit_spec' by exact Hk.
Qed.

Lemma zip_combine (f : literal -> literal -> making literal) (g : bool -> bool -> bool) :
  (forall a b, computes v (f a b) (fun c => value v c = g (value v a) (value v b))) ->
  forall x y, length x = length y ->
  computes v (zip_m f x y) (fun z => map (value v) z = map (fun ab => g (value v (fst ab)) (value v (snd ab))) (combine x y)).
Proof.
  intros H. induction x as [|a x IH]; intros [|b y] L; try discriminate; cbn [zip_m combine map]; [now apply computes_ret|].
  eapply computes_bind; [apply H|]. intros c Hc. eapply computes_bind; [apply IH; now inversion L|]. intros z Hz.
  apply computes_ret. cbn [map fst snd]. now rewrite Hc, Hz.
Qed.

Lemma computes_eliminate words : forall (k : nat) takes result, length takes = length words ->
  computes v (eliminate (map (fun i => map (fun x => bit x i) words) (rev (below (Z.of_nat k)))) takes result)
    (fun z => len z = Z.of_nat k + len result /\
              exists m, is_largest (taking takes words (Z.of_nat k)) m /\ num z = m + 2 ^ Z.of_nat k * num result).
Proof.
  induction k as [|k IH]; intros takes result L.
  - cbn [Z.of_nat below Z.to_nat seq map rev eliminate]. apply computes_ret. split; [lia|]. exists 0.
    rewrite Z.pow_0_r. split; [|ring]. split.
    + intros w I. apply in_taking in I. destruct I as (t & x & _ & _ & <-). rewrite Z.mod_1_r. lia.
    + destruct (in_dec (fun p q : bool * Z => ltac:(decide equality; [apply Z.eq_dec|apply bool_dec])) (true, 0) (taking takes words 0)) as [I|N]; [now left|].
      right. split; [reflexivity|]. intros w I. apply N. pose proof I as J. apply in_taking in J. destruct J as (t & x & _ & _ & E).
      rewrite Z.pow_0_r, Z.mod_1_r in E. now subst w.
  - assert (Bl : rev (below (Z.of_nat (S k))) = Z.of_nat k :: rev (below (Z.of_nat k))).
    { unfold below. rewrite !Nat2Z.id, seq_S, map_app, rev_app_distr. reflexivity. }
    rewrite Bl. cbn [map eliminate]. set (column := map (fun x => bit x (Z.of_nat k)) words).
    assert (Lc : length takes = length column) by (unfold column; now rewrite map_length).
    eapply computes_bind.
    { apply (computes_fold v _ (fun (done : list (literal * literal)) found =>
               value v found = existsb (fun tb => value v (fst tb) && value v (snd tb)) done)); [exact (value_no v v0)|].
      intros done a b _ Ha. eapply computes_bind; [apply computes_and|]. intros p Hp.
      eapply computes_weaken; [apply computes_or|]. intros z ->. rewrite existsb_app, Ha, Hp. cbn [existsb]. now rewrite orb_false_r. }
    intros top Htop. cbv beta in Htop.
    eapply computes_bind.
    { apply (zip_combine _ (fun t b => t && (b || negb (value v top)))); [|exact Lc].
      intros t b. eapply computes_bind; [apply computes_or|]. intros m Hm. eapply computes_weaken; [apply computes_and|].
      intros z ->. now rewrite Hm, value_invert. }
    intros left Hleft. cbv beta in Hleft.
    assert (Ll : length left = length words).
    { rewrite <- (map_length (value v) left), Hleft, map_length, combine_length. lia. }
    eapply computes_weaken; [apply IH; exact Ll|]. intros z [Lz (m & Hm & Hz)]. cbn [length] in Lz. split; [lia|].
    assert (Hl : forall b w, In (b, w) (taking left words (Z.of_nat k)) <->
              exists t x, In (t, x) (combine takes words) /\ num x mod 2 ^ Z.of_nat k = w /\
                          b = value v t && (Z.testbit (num x) (Z.of_nat k) || negb (value v top))).
    { intros b w. unfold taking. rewrite Hleft. unfold column. clear -v0 L. revert words L.
      induction takes as [|t takes IHt]; intros [|x words] L; cbn [combine map In]; try discriminate L.
      - split; [intros []|intros (? & ? & [] & _)].
      - rewrite IHt by (now inversion L). cbn [fst snd]. rewrite (value_bit v v0) by lia. split.
        + intros [E|(t' & x' & I & H)]; [inversion E; subst; exists t, x; auto|exists t', x'; auto].
        + intros (t' & x' & [E|I] & H1 & H2); [inversion E; subst; now left|right; exists t', x'; auto]. }
    assert (Tt : value v top = true <-> exists t x, In (t, x) (combine takes words) /\ value v t = true /\ Z.testbit (num x) (Z.of_nat k) = true).
    { rewrite Htop, existsb_exists. split.
      - intros ([t b] & I & H). cbn [fst snd] in H. apply andb_prop in H. destruct H as [H1 H2].
        unfold column in I. apply in_combine_map in I. destruct I as (x & I & <-). rewrite (value_bit v v0) in H2 by lia. eauto.
      - intros (t & x & I & H1 & H2). exists (t, bit x (Z.of_nat k)). split; [exact (in_combine_map_in (fun x => bit x (Z.of_nat k)) _ _ _ _ I)|].
        cbn [fst snd]. now rewrite H1, (value_bit v v0), H2 by lia. }
    pose proof (two_pos k) as Pk. rewrite Nat2Z.inj_succ, <- Z.add_1_r.
    exists (m + 2 ^ Z.of_nat k * Z.b2z (value v top)). split.
    2: { rewrite Hz, num_cons, Z.pow_add_r by lia. change (2 ^ 1) with 2. ring. }
    destruct Hm as [Hub Hin]. split.
    + intros w I. apply in_taking in I. destruct I as (t & x & I & Vt & <-). rewrite low_bits by lia.
      destruct (Z.testbit (num x) (Z.of_nat k)) eqn:B.
      * assert (VT : value v top = true) by (apply Tt; eauto). rewrite VT.
        assert (In (true, num x mod 2 ^ Z.of_nat k) (taking left words (Z.of_nat k))).
        { apply Hl. exists t, x. rewrite Vt, B. auto. }
        specialize (Hub _ H). cbn [Z.b2z]. lia.
      * destruct (value v top) eqn:VT; cbn [Z.b2z].
        -- pose proof (Z.mod_pos_bound (num x) (2 ^ Z.of_nat k) Pk).
           assert (0 <= m).
           { destruct Hin as [Hin|[-> _]]; [|lia]. apply in_taking in Hin. destruct Hin as (? & ? & _ & _ & <-).
             now apply Z.mod_pos_bound. }
           lia.
        -- assert (In (true, num x mod 2 ^ Z.of_nat k) (taking left words (Z.of_nat k))).
           { apply Hl. exists t, x. rewrite Vt, B. auto. }
           specialize (Hub _ H). lia.
    + destruct Hin as [Hin|[-> None]].
      * left. apply Hl in Hin. destruct Hin as (t & x & I & E & H). symmetry in H. apply andb_prop in H. destruct H as [Vt H].
        apply in_taking. exists t, x. split; [exact I|]. split; [exact Vt|]. rewrite low_bits by lia. rewrite E. f_equal. f_equal.
        destruct (Z.testbit (num x) (Z.of_nat k)) eqn:B.
        -- assert (VT : value v top = true) by (apply Tt; eauto). now rewrite VT.
        -- cbn [orb] in H. now destruct (value v top).
      * destruct (value v top) eqn:VT.
        -- exfalso. destruct (proj1 Tt eq_refl) as (t & x & I & Vt & B).
           apply (None (num x mod 2 ^ Z.of_nat k)). apply Hl. exists t, x. rewrite Vt, B. auto.
        -- right. split; [cbn; ring|]. intros w I. apply in_taking in I. destruct I as (t & x & I & Vt & _).
           apply (None (num x mod 2 ^ Z.of_nat k)). apply Hl. exists t, x. rewrite Vt. rewrite orb_true_r. auto.
Qed.

Lemma computes_maximum words takes w : Forall (fun x => len x = w) words -> words <> [] -> length takes = length words ->
  computes v (maximum words takes)
    (fun z => len z = w /\ is_largest (combine (map (value v) takes) (map num words)) (num z)).
Proof.
  intros HW Ne L.
  assert (Hw : 0 <= w) by (destruct words as [|x words]; [congruence|inversion HW; lia]).
  assert (E : maximum words takes = eliminate (map (fun i => map (fun x => bit x i) words) (rev (below w))) takes []).
  { unfold maximum. destruct words as [|x words]; [congruence|]. inversion HW. subst. reflexivity. }
  rewrite E. clear E.
  replace w with (Z.of_nat (Z.to_nat w)) by (now apply Z2Nat.id).
  eapply computes_weaken; [apply computes_eliminate; exact L|]. intros z [Lz (m & Hm & Hz)]. cbn [length] in Lz.
  split; [lia|]. change (num []) with 0 in Hz. rewrite Hz, Z.mul_0_r, Z.add_0_r.
  replace (combine (map (value v) takes) (map num words)) with (taking takes words (Z.of_nat (Z.to_nat w))); [exact Hm|].
  unfold taking. f_equal. apply map_ext_in. intros x I. apply Z.mod_small. pose proof (num_bound v x).
  rewrite (proj1 (Forall_forall _ _) HW x I) in H. rewrite Z2Nat.id by exact Hw. exact H.
Qed.

(** ** Whole numbers with bounds *)

Definition int_of (x : integer) : Z := i_low x + num (i_bits x).
(** The number is between its bounds; these are near enough that constants of 64 bits hold the distances. *)
Definition int_ok (x : integer) : Prop := int_of x <= i_high x.

Lemma bits_for_spec n : 0 <= n -> 0 <= bits_for n /\ n < 2 ^ bits_for n.
Proof.
  intros H. unfold bits_for. destruct (Z.leb_spec n 0).
  - rewrite Z.pow_0_r. lia.
  - pose proof (Z.log2_spec n ltac:(lia)). pose proof (Z.log2_nonneg n). rewrite Z.add_1_r. lia.
Qed.
Lemma bits_for_small n k : 0 <= k -> n < 2 ^ k -> bits_for n <= k.
Proof.
  intros Hk H. unfold bits_for. destruct (Z.leb_spec n 0); [lia|].
  assert (Z.log2 n < k) by (apply Z.log2_lt_pow2; lia). lia.
Qed.

Lemma int_bounds x : i_low x <= int_of x.
Proof. unfold int_of. pose proof (num_bound v (i_bits x)). lia. Qed.

Lemma fixed_ok n : int_of (fixed_integer n) = n /\ int_ok (fixed_integer n).
Proof. unfold int_ok, int_of, fixed_integer. cbn [i_low i_bits i_high]. change (num []) with 0. lia. Qed.
Lemma integer_of_ok bits offset : int_of (integer_of bits offset) = offset + num bits /\ int_ok (integer_of bits offset).
Proof.
  unfold int_ok, int_of, integer_of. cbn [i_low i_bits i_high]. rewrite pow2_correct. unfold width_of.
  pose proof (num_bound v bits). lia.
Qed.
Lemma offset_by_ok x n : int_of (offset_by x n) = int_of x + n /\ (int_ok x -> int_ok (offset_by x n)).
Proof. unfold int_ok, int_of, offset_by. cbn [i_low i_bits i_high]. lia. Qed.

Lemma computes_rebased x low high : int_ok x -> low <= i_low x -> i_high x <= high -> high - low < 2 ^ 64 ->
  computes v (rebased x low high) (fun z => len z = bits_for (high - low) /\ num z = int_of x - low).
Proof.
  intros Hx Hl Hh Hs. unfold rebased. pose proof (int_bounds x) as B. unfold int_ok in Hx.
  pose proof (bits_for_spec (high - low) ltac:(lia)) as [W0 W1]. pose proof (bits_for_small (high - low) 64 ltac:(lia) Hs) as W2.
  set (w := bits_for (high - low)) in *.
  eapply computes_weaken.
  - apply (computes_add v v0). apply Nat2Z.inj. now rewrite length_resize, length_constant by lia.
  - intros z [Lz Hz]. assert (L : len z = w) by (rewrite Lz; apply length_resize; lia). split; [exact L|].
    rewrite Hz, length_resize, (num_constant v v0), (num_resize v v0) by lia. unfold int_of in *.
    pose proof (num_bound v (i_bits x)).
    rewrite (Z.mod_small (num (i_bits x))), (Z.mod_small (i_low x - low)) by lia. rewrite Z.mod_small by lia. lia.
Qed.

Lemma computes_i_sum x y : int_ok x -> int_ok y ->
  computes v (i_sum x y) (fun z => int_of z = int_of x + int_of y /\ int_ok z /\ i_low z = i_low x + i_low y /\ i_high z = i_high x + i_high y).
Proof.
  intros Hx Hy. unfold i_sum, int_ok in *. pose proof (int_bounds x). pose proof (int_bounds y).
  pose proof (bits_for_spec (i_high x + i_high y - (i_low x + i_low y)) ltac:(lia)) as [W0 W1].
  set (w := bits_for _) in *. pose proof (num_bound v (i_bits x)). pose proof (num_bound v (i_bits y)). unfold int_of in *.
  eapply computes_bind.
  - apply (computes_add v v0). apply Nat2Z.inj. now rewrite !length_resize by lia.
  - intros z [Lz Hz]. apply computes_ret. cbn [i_low i_bits i_high].
    rewrite length_resize, !(num_resize v v0) in Hz by lia.
    rewrite (Z.mod_small (num (i_bits x))), (Z.mod_small (num (i_bits y))) in Hz by lia. rewrite Z.mod_small in Hz by lia. lia.
Qed.

Lemma computes_i_plus x one : int_ok x ->
  computes v (i_plus x one) (fun z => int_of z = int_of x + Z.b2z (value v one) /\ int_ok z).
Proof.
  intros Hx. unfold i_plus, int_ok in *. pose proof (int_bounds x).
  pose proof (bits_for_spec (i_high x + 1 - i_low x) ltac:(lia)) as [W0 W1].
  set (w := bits_for _) in *. pose proof (num_bound v (i_bits x)). unfold int_of in *.
  eapply computes_bind; [apply (computes_increment v v0)|]. intros z [Lz Hz]. apply computes_ret. cbn [i_low i_bits i_high].
  rewrite length_resize, (num_resize v v0) in Hz by lia.
  rewrite (Z.mod_small (num (i_bits x))) in Hz by lia. rewrite Z.mod_small in Hz by (destruct (value v one); cbn [Z.b2z]; lia).
  destruct (value v one); cbn [Z.b2z] in *; lia.
Qed.

(** x − y, if that lies between the bounds; otherwise anything. *)
Lemma computes_difference x y low high : low <= high -> high - low < 2 ^ 64 ->
  computes v (difference x y low high)
    (fun z => i_low z = low /\ i_high z = high /\ (low <= int_of x - int_of y <= high -> int_of z = int_of x - int_of y /\ int_ok z)).
Proof.
  intros Hlh Hs. unfold difference.
  pose proof (bits_for_spec (high - low) ltac:(lia)) as [W0 W1]. pose proof (bits_for_small (high - low) 64 ltac:(lia) Hs) as W2.
  set (w := bits_for (high - low)) in *.
  eapply computes_bind.
  { apply (computes_subtract v v0). apply Nat2Z.inj. now rewrite !length_resize by lia. }
  intros d [Ld Hd]. assert (Ld' : len d = w) by (rewrite Ld; apply length_resize; lia).
  eapply computes_bind.
  { apply (computes_add v v0). apply Nat2Z.inj. now rewrite length_constant by lia. }
  intros z [Lz Hz]. apply computes_ret. cbn [i_low i_bits i_high]. split; [reflexivity|]. split; [reflexivity|]. intros B.
  rewrite Hd, length_resize, Ld', (num_constant v v0), !(num_resize v v0) in Hz by lia.
  unfold int_ok, int_of in *. cbn [i_low i_bits i_high]. pose proof (Z.pow_pos_nonneg 2 w eq_refl W0) as P.
  rewrite <- Zminus_mod, <- Zplus_mod in Hz.
  rewrite Z.mod_small in Hz by lia. lia.
Qed.

Lemma computes_i_less x y : int_ok x -> int_ok y -> Z.max (i_high x) (i_high y) - Z.min (i_low x) (i_low y) < 2 ^ 64 ->
  computes v (i_less x y) (fun z => value v z = (int_of x <? int_of y)).
Proof.
  intros Hx Hy Hs. unfold i_less.
  eapply computes_bind; [apply (computes_rebased y); [exact Hy|lia|lia|exact Hs]|]. intros r [Lr Hr].
  eapply computes_bind; [apply (computes_rebased x); [exact Hx|lia|lia|exact Hs]|]. intros l [Ll Hl].
  eapply computes_weaken; [apply (computes_less v v0); apply Nat2Z.inj; lia|]. intros z ->. rewrite Hl, Hr.
  destruct (Z.ltb_spec (int_of x) (int_of y)), (Z.ltb_spec (int_of x - Z.min (i_low x) (i_low y)) (int_of y - Z.min (i_low x) (i_low y)));
    try reflexivity; lia.
Qed.

(** The number that is chosen; the other one may be anything. *)
Lemma computes_i_mux_chosen c x y : int_ok (if value v c then x else y) -> Z.max (i_high x) (i_high y) - Z.min (i_low x) (i_low y) < 2 ^ 64 ->
  computes v (i_mux c x y) (fun z => int_of z = (if value v c then int_of x else int_of y) /\ int_ok z).
Proof.
  intros H Hs. unfold i_mux. set (low := Z.min _ _) in *. set (high := Z.max _ _) in *.
  assert (B : low <= high) by (unfold low, high, int_ok in *; destruct (value v c); [pose proof (int_bounds x)|pose proof (int_bounds y)]; lia).
  pose proof (bits_for_spec (high - low) ltac:(lia)) as [W0 _].
  assert (R : forall a, low <= i_low a -> i_high a <= high -> computes v (rebased a low high) (fun z => len z = bits_for (high - low) /\ (int_ok a -> num z = int_of a - low))).
  { intros a La Ha. apply computes_both; [|apply computes_if; intros O; eapply computes_weaken; [now apply computes_rebased|now intros z []]].
    unfold rebased. eapply computes_weaken; [apply (computes_add v v0); apply Nat2Z.inj; now rewrite length_resize, length_constant by lia|].
    intros z [L _]. rewrite L. now apply length_resize. }
  eapply computes_bind; [apply (R y); unfold low, high; lia|]. intros r [Lr Hr].
  eapply computes_bind; [apply (R x); unfold low, high; lia|]. intros l [Ll Hl].
  eapply computes_bind; [apply computes_mux_word; apply Nat2Z.inj; congruence|]. intros z [Lz Hz]. apply computes_ret.
  match goal with |- int_of ?i = _ /\ _ => assert (E : int_of i = if value v c then int_of x else int_of y) end.
  { unfold int_of at 1. cbn [i_low i_bits]. rewrite Hz. destruct (value v c); [rewrite (Hl H)|rewrite (Hr H)]; ring. }
  split; [exact E|]. unfold int_ok in *. rewrite E. cbn [i_high]. unfold high. destruct (value v c); lia.
Qed.
Lemma computes_i_mux c x y : int_ok x -> int_ok y -> Z.max (i_high x) (i_high y) - Z.min (i_low x) (i_low y) < 2 ^ 64 ->
  computes v (i_mux c x y) (fun z => int_of z = (if value v c then int_of x else int_of y) /\ int_ok z).
Proof. intros Hx Hy. apply computes_i_mux_chosen. now destruct (value v c). Qed.

Lemma computes_i_larger x y : int_ok x -> int_ok y -> Z.max (i_high x) (i_high y) - Z.min (i_low x) (i_low y) < 2 ^ 64 ->
  computes v (i_larger x y) (fun z => int_of z = Z.max (int_of x) (int_of y) /\ int_ok z).
Proof.
  intros Hx Hy Hs. unfold i_larger. eapply computes_bind; [now apply computes_i_less|]. intros c Hc.
  eapply computes_weaken; [apply computes_i_mux; [exact Hy|exact Hx|lia]|]. intros z [Hz Oz]. split; [|exact Oz].
  rewrite Hz, Hc. destruct (Z.ltb_spec (int_of x) (int_of y)); lia.
Qed.

(** The bounds do not depend on the values. *)
Lemma bounds_i_plus x one : computes v (i_plus x one) (fun z => i_low z = i_low x /\ i_high z = i_high x + 1).
Proof. unfold i_plus. eapply computes_bind; [apply computes_something|]. intros bits _. now apply computes_ret. Qed.
Lemma bounds_i_mux c x y : computes v (i_mux c x y)
  (fun z => i_low z = Z.min (i_low x) (i_low y) /\ i_high z = Z.max (i_high x) (i_high y)).
Proof.
  unfold i_mux. do 2 (eapply computes_bind; [apply computes_something|]; intros ? _).
  eapply computes_bind; [apply computes_something|]. intros bits _. now apply computes_ret.
Qed.
Lemma bounds_i_larger x y : computes v (i_larger x y)
  (fun z => i_low z = Z.min (i_low x) (i_low y) /\ i_high z = Z.max (i_high x) (i_high y)).
Proof.
  unfold i_larger. eapply computes_bind; [apply computes_something|]. intros c _.
  eapply computes_weaken; [apply bounds_i_mux|]. intros z [-> ->]. split; lia.
Qed.

End Largest.
