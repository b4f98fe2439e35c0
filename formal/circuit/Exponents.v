(** * The common exponent of a sum

    The largest of the exponents of the terms that take part, with every zero policy, floor and less, but without a step:
    [common_exponent] of the definition. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Discern Require Import Notation Real Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading.
Import ListNotations.
Open Scope Z_scope.

(** All numbers are this near to 0. *)
Definition near (x : integer) : Prop := - 2 ^ 40 <= i_low x /\ i_high x <= 2 ^ 40 /\ i_low x <= i_high x.

Lemma pairs_length {A B} (R : A -> B -> Prop) l l' : Forall2 R l l' -> length l = length l'.
Proof. induction 1; cbn; congruence. Qed.
Lemma pairs_map {A B C} (R : A -> B -> Prop) (f : A -> C) (g : B -> C) l l' :
  Forall2 R l l' -> (forall a b, R a b -> f a = g b) -> map f l = map g l'.
Proof. intros H E. induction H as [|a b l l' Hab _ IH]; [reflexivity|]. cbn. now rewrite (E a b Hab), IH. Qed.
Lemma pairs_right {A B} (R : A -> B -> Prop) (P : B -> Prop) l l' :
  Forall2 R l l' -> (forall a b, R a b -> P b) -> Forall P l'.
Proof. intros H E. induction H as [|a b l l' Hab _ IH]; constructor; eauto. Qed.

Section Exponents.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).

Lemma fold_min_le l : forall m, fold_left (fun m x => Z.min m (i_low x)) l m <= m /\ forall x, In x l -> fold_left (fun m x => Z.min m (i_low x)) l m <= i_low x.
Proof.
  induction l as [|y l IH]; intros m; cbn [fold_left]; [split; [lia|intros x []]|].
  destruct (IH (Z.min m (i_low y))) as [H1 H2]. split; [lia|]. intros x [->|I]; [lia|now apply H2].
Qed.
Lemma fold_max_le l : forall m, m <= fold_left (fun m x => Z.max m (i_high x)) l m /\ forall x, In x l -> i_high x <= fold_left (fun m x => Z.max m (i_high x)) l m.
Proof.
  induction l as [|y l IH]; intros m; cbn [fold_left]; [split; [lia|intros x []]|].
  destruct (IH (Z.max m (i_high y))) as [H1 H2]. split; [lia|]. intros x [->|I]; [lia|now apply H2].
Qed.
Lemma fold_min_ge l b : forall m, b <= m -> (forall x, In x l -> b <= i_low x) -> b <= fold_left (fun m x => Z.min m (i_low x)) l m.
Proof. induction l as [|y l IH]; intros m Hm H; cbn [fold_left]; [exact Hm|]. apply IH; [pose proof (H y (or_introl eq_refl)); lia|]. intros x I. apply H. now right. Qed.
Lemma fold_max_ge' l b : forall m, m <= b -> (forall x, In x l -> i_high x <= b) -> fold_left (fun m x => Z.max m (i_high x)) l m <= b.
Proof. induction l as [|y l IH]; intros m Hm H; cbn [fold_left]; [exact Hm|]. apply IH; [pose proof (H y (or_introl eq_refl)); lia|]. intros x I. apply H. now right. Qed.

(** The largest of those that take part. *)
Theorem computes_largest numbers takes : numbers <> [] -> length takes = length numbers ->
  Forall (fun x => int_ok v x /\ near x) numbers ->
  computes v (largest_of_integers numbers takes)
    (fun z => int_ok v z /\ near z /\
              (forall n, In (true, n) (combine (map (value v) takes) (map int numbers)) -> n <= int z) /\
              (In (true, int z) (combine (map (value v) takes) (map int numbers)) \/
               forall n, ~ In (true, n) (combine (map (value v) takes) (map int numbers)))).
Proof.
  intros Ne L HN. rewrite Forall_forall in HN. unfold largest_of_integers.
  set (first_low := match numbers with x :: _ => i_low x | [] => 0 end).
  set (first_high := match numbers with x :: _ => i_high x | [] => 0 end).
  set (lowest := fold_left (fun m x => Z.min m (i_low x)) numbers first_low).
  set (high := fold_left (fun m x => Z.max m (i_high x)) numbers first_high).
  set (low := if lowest <? 0 then - pow2 (bits_for (- lowest - 1)) else 0).
  assert (F : - 2 ^ 40 <= first_low /\ first_high <= 2 ^ 40 /\ first_low <= first_high).
  { unfold first_low, first_high. destruct numbers as [|x l]; [congruence|]. apply (HN x). now left. }
  assert (L1 : - 2 ^ 40 <= lowest).
  { apply fold_min_ge; [lia|]. intros x I. apply (HN x I). }
  assert (L2 : high <= 2 ^ 40).
  { apply fold_max_ge'; [lia|]. intros x I. apply (HN x I). }
  assert (L3 : lowest <= high).
  { pose proof (proj1 (fold_min_le numbers first_low)). pose proof (proj1 (fold_max_le numbers first_high)). unfold lowest, high. lia. }
  assert (L4 : low <= lowest /\ - 2 ^ 40 <= low).
  { unfold low. destruct (Z.ltb_spec lowest 0); [|lia]. rewrite pow2_correct.
    pose proof (bits_for_spec (- lowest - 1) ltac:(lia)) as [B0 B1].
    pose proof (bits_for_small (- lowest - 1) 40 ltac:(lia) ltac:(lia)) as B2.
    assert (2 ^ bits_for (- lowest - 1) <= 2 ^ 40) by (apply Z.pow_le_mono_r; lia). lia. }
  assert (R : high - low < 2 ^ 64) by (change (2 ^ 64) with (16777216 * 2 ^ 40); lia).
  clearbody low.
  eapply computes_bind.
  { apply (computes_map v _ (fun x w => len w = bits_for (high - low) /\ num w = int x - low)).
    intros x I. apply (computes_rebased v v0); [apply (HN x I)| | |exact R].
    - pose proof (proj2 (fold_min_le numbers first_low) x I). unfold lowest in L4. lia.
    - exact (proj2 (fold_max_le numbers first_high) x I). }
  intros words HW.
  assert (LW : length words = length numbers) by (symmetry; exact (pairs_length _ _ _ HW)).
  assert (NW : map num words = map (fun x => int x - low) numbers).
  { symmetry. apply (pairs_map _ _ _ _ _ HW). intros x w [_ H]. now symmetry. }
  eapply computes_bind.
  { apply (computes_maximum v v0 words takes (bits_for (high - low))).
    - apply (pairs_right _ _ _ _ HW). intros x w [H _]. exact H.
    - intros ->. destruct numbers; [congruence|discriminate].
    - exact (eq_trans L (eq_sym LW)). }
  intros bits [Lb [Hub Hin]]. apply computes_ret. rewrite NW in Hub, Hin.
  assert (Shift : forall n, In (true, n) (combine (map (value v) takes) (map (fun x => int x - low) numbers)) <->
                            In (true, n + low) (combine (map (value v) takes) (map int numbers))).
  { clear. intros n. revert numbers. induction takes as [|t takes IH]; intros [|x numbers]; cbn [map combine In]; try tauto.
    rewrite IH. split; intros [E|I]; try (right; exact I); left; inversion E; f_equal; lia. }
  assert (EI : int (Integer bits low high) = low + num bits) by reflexivity.
  split; [|split; [|split]].
  - unfold int_ok. rewrite EI. cbn [i_high].
    destruct Hin as [Hin|[-> _]]; [|lia]. apply Shift in Hin.
    assert (exists x, In x numbers /\ int x = num bits + low).
    { apply in_combine_r in Hin. apply in_map_iff in Hin. destruct Hin as (x & E & I). eauto. }
    destruct H as (x & I & E). pose proof (proj2 (fold_max_le numbers first_high) x I) as M. destruct (HN x I) as [O _]. unfold int_ok in O.
    fold high in M. lia.
  - unfold near. cbn [i_low i_high]. lia.
  - intros n I. rewrite EI. specialize (Hub (n - low)). rewrite Shift in Hub. replace (n - low + low) with n in Hub by ring. specialize (Hub I). lia.
  - destruct Hin as [Hin|[_ None]].
    + left. rewrite EI. apply Shift in Hin. now replace (low + num bits) with (num bits + low) by ring.
    + right. intros n I. apply (None (n - low)). apply Shift. now replace (n - low + low) with n by ring.
Qed.

(** A term of a sum in the circuit, after [less], and in the definition. *)
Definition term_is (t : sum_term) (d : term) : Prop :=
  s_child t = t_child d /\
  exists val e s, t_number d = Finite val e s /\
    (num (n_magnitude (s_number t)) =? 0) = is_zero val /\
    value v (n_has_exponent (s_number t)) = (match e with Some _ => true | None => false end) /\
    (is_zero val = false -> e <> None) /\
    int_ok v (n_exponent (s_number t)) /\ near (n_exponent (s_number t)) /\
    match e with Some e => int (n_exponent (s_number t)) = e - ch_less (t_child d) | None => True end.

Lemma largest_fold l : forall x, (forall n, x = Some n -> True) ->
  match fold_left max_option l x with
  | Some m => (x = Some m \/ In (Some m) l) /\ (forall n, x = Some n \/ In (Some n) l -> n <= m)
  | None => x = None /\ forall n, ~ In (Some n) l
  end.
Proof.
  induction l as [|y l IH]; intros x _; cbn [fold_left].
  - destruct x as [m|]; [|split; [reflexivity|intros n []]]. split; [now left|]. intros n [E|[]]. inversion E. lia.
  - specialize (IH (max_option x y) (fun _ _ => I)). destruct (fold_left max_option l (max_option x y)) as [m|].
    + destruct IH as [H1 H2]. split.
      * destruct H1 as [H1|H1]; [|right; now right]. destruct x as [a|], y as [b|]; cbn in H1; inversion H1.
        -- destruct (Z.max_spec a b) as [[_ E]|[_ E]]; rewrite E; [right; now left|now left].
        -- now left.
        -- right. now left.
      * intros n [->|[->|I]].
        -- destruct y as [b|]; cbn in H2; [|apply H2; now left]. pose proof (H2 (Z.max n b) (or_introl eq_refl)). lia.
        -- destruct x as [a|]; cbn in H2; [|apply H2; now left]. pose proof (H2 (Z.max a n) (or_introl eq_refl)). lia.
        -- apply H2. now right.
    + destruct IH as [H1 H2]. destruct x, y; cbn in H1; try discriminate. split; [reflexivity|]. intros n [E|I]; [discriminate|exact (H2 n I)].
Qed.

Theorem computes_sum_exponent u terms : terms <> [] -> u_step u = None ->
  match u_floor u with Some n => - 2 ^ 40 <= n <= 2 ^ 40 | None => True end ->
  Forall (fun t => match ch_zero (s_child t) with At n => - 2 ^ 40 <= n - ch_less (s_child t) <= 2 ^ 40 | _ => True end) terms ->
  Forall (fun t => int_ok v (n_exponent (s_number t)) /\ near (n_exponent (s_number t))) terms ->
  computes v (sum_exponent u terms)
    (fun Eh => int_ok v (fst Eh) /\ near (fst Eh) /\ forall defs, Forall2 term_is terms defs ->
               match common_exponent u defs with
               | Some e => value v (snd Eh) = true /\ int (fst Eh) = e
               | None => value v (snd Eh) = false
               end).
Proof.
  intros Ne Hstep Hfloor Hat HO. unfold sum_exponent. rewrite Hstep.
  eapply computes_bind.
  { apply (computes_map v _ (fun t ep => int_ok v (fst ep) /\ near (fst ep) /\
      forall d, term_is t d -> match takes_part d with
        | Some e => value v (snd ep) = true /\ int (fst ep) = e
        | None => value v (snd ep) = false end)).
    intros t It. rewrite Forall_forall in Hat, HO. specialize (Hat t It). destruct (HO t It) as [O0 N0].
    eapply computes_bind; [apply (computes_any v v0)|]. intros nz Hnz.
    eapply computes_bind with (P := fun e => int_ok v e /\ near e /\ int e = match ch_zero (s_child t) with
         | At n => if value v nz then int (n_exponent (s_number t)) else n - ch_less (s_child t) | _ => int (n_exponent (s_number t)) end).
    { destruct (ch_zero (s_child t)) as [| |n]; try (apply computes_ret; auto).
      destruct (fixed_ok v (n - ch_less (s_child t))) as [F1 F2]. destruct N0 as (N1 & N2 & N3).
      intros st St. pose proof (computes_i_mux v v0 nz (n_exponent (s_number t)) (fixed_integer (n - ch_less (s_child t))) O0 F2) as M.
      cbn [fixed_integer i_low i_high] in M. specialize (M ltac:(change (2 ^ 64) with (16777216 * 2 ^ 40); lia) st St).
      destruct M as [M1 M2]. split; [exact M2|]. split.
      - unfold i_mux in St |- *. cbn [bind run] in *.
        destruct (run (rebased _ _ _) st) as [a1 s1]. destruct (run (rebased _ _ _) s1) as [a2 s2]. destruct (run (mux _ _ _) s2) as [a3 s3].
        cbn [fst ret run]. unfold near. cbn [i_low i_high fixed_integer]. lia.
      - now rewrite M1, F1. }
    intros e (Oe & Nr & Ie). eapply computes_bind; [apply computes_or|]. intros p Hp. apply computes_ret. cbn [fst snd].
    split; [exact Oe|]. split; [exact Nr|]. intros d (Ch & val & ed & sd & Dn & Zm & He & Hne & _ & _ & Hint).
    unfold takes_part. rewrite Dn, <- Ch. rewrite <- Ch in Hint. rewrite Hp, Hnz, Zm.
    destruct (is_zero val) eqn:Z; cbn [negb orb].
    - destruct (ch_zero (s_child t)) as [| |n] eqn:CZ; cbn [exponent_of_zero option_map].
      + exact (value_no v v0).
      + rewrite He. destruct ed; cbn; [split; [reflexivity|]; now rewrite Ie|reflexivity].
      + split; [exact (value_yes v v0)|]. rewrite Ie, Hnz, Zm. reflexivity.
    - destruct ed as [ed|]; [|now destruct (Hne eq_refl)]. cbn [option_map]. split; [reflexivity|]. rewrite Ie.
      destruct (ch_zero (s_child t)); try exact Hint. rewrite Hnz, Zm. exact Hint. }
  intros each HE. set (floors := match u_floor u with Some n => [(fixed_integer n, yes)] | None => [] end).
  set (all := each ++ floors).
  assert (LE : length each = length terms) by (symmetry; exact (pairs_length _ _ _ HE)).
  eapply computes_bind.
  { apply (computes_largest (map fst all) (map snd all)).
    - unfold all. destruct each; [destruct terms; [congruence|discriminate]|discriminate].
    - now rewrite !map_length.
    - apply Forall_forall. intros x I. apply in_map_iff in I. destruct I as ([x' p] & <- & I). apply in_app_or in I. cbn [fst].
      destruct I as [I|I].
      + clear -HE I. induction HE as [|t ep l l' (H1 & H2 & _) _ IH]; [destruct I|]. destruct I as [->|I]; [now split|now apply IH].
      + unfold floors in I. destruct (u_floor u) as [n|]; [|destruct I]. destruct I as [E|[]]. inversion E; subst.
        split; [apply fixed_ok|unfold near; cbn; lia]. }
  intros E (OE & HE40 & Hub & Hin).
  eapply computes_bind with (P := fun E' => E' = E); [now apply computes_ret|]. intros E' ->.
  eapply computes_bind; [apply (computes_any_of v v0)|]. intros here Hhere. apply computes_ret. cbn [fst snd]. split; [exact OE|]. split; [exact HE40|]. intros defs HT.
  (* what takes part here is what takes part there *)
  assert (Same : forall n, In (true, n) (combine (map (value v) (map snd all)) (map int (map fst all))) <->
                           (u_floor u = Some n \/ In (Some n) (map takes_part defs))).
  { intros n. unfold all. rewrite !map_app.
    assert (C1 : forall (A B : Type) (a a' : list A) (b b' : list B), length a = length b -> combine (a ++ a') (b ++ b') = combine a b ++ combine a' b').
    { clear. induction a as [|x a IH]; intros a' [|y b] b' L; try discriminate; [reflexivity|]. cbn. now rewrite IH by (now inversion L). }
    rewrite C1 by now rewrite !map_length. rewrite in_app_iff.
    assert (G1 : In (true, n) (combine (map (value v) (map snd each)) (map int (map fst each))) <-> In (Some n) (map takes_part defs)).
    { clear -HE HT. revert defs HT. induction HE as [|t ep l l' (_ & _ & H) _ IH]; intros defs HT; inversion HT as [|? d ? ds Htd Hds]; subst;
        cbn [map combine In]; [tauto|]. rewrite (IH ds Hds). specialize (H d Htd).
      destruct (takes_part d) as [e|].
      - destruct H as [-> ->]. split; intros [Q|Q]; try (right; exact Q); left; congruence.
      - rewrite H. split; intros [Q|Q]; try (right; exact Q); discriminate. }
    rewrite G1. unfold floors. destruct (u_floor u) as [f|]; cbn [map combine In fst snd].
    - rewrite (value_yes v v0), (proj1 (fixed_ok v f)). split.
      + intros [Q|[Q|[]]]; [now right|left; congruence].
      + intros [Q|Q]; [right; left; congruence|now left].
    - split; [intros [Q|[]]; now right|intros [Q|Q]; [discriminate|now left]]. }
  assert (Some_ : value v here = true <-> exists n, In (true, n) (combine (map (value v) (map snd all)) (map int (map fst all)))).
  { rewrite Hhere. clear. induction all as [|[x p] l IH]; cbn [map existsb combine In fst snd].
    - split; [discriminate|intros (n & [])].
    - rewrite orb_true_iff, IH. split.
      + intros [H|(n & H)]; [exists (int x); left; now rewrite H|exists n; now right].
      + intros (n & [H|H]); [left; congruence|right; now exists n]. }
  unfold common_exponent. rewrite Hstep. cbn [raised].
  pose proof (largest_fold (map takes_part defs) (u_floor u) (fun _ _ => I)) as LF.
  destruct (fold_left max_option (map takes_part defs) (u_floor u)) as [m|]; cbn [option_map].
  - destruct LF as [L1 L2]. assert (Hm : In (true, m) (combine (map (value v) (map snd all)) (map int (map fst all)))) by (now apply Same).
    split; [apply Some_; eauto|]. destruct Hin as [Hin|Hin]; [|now destruct (Hin m)].
    pose proof (Hub m Hm). apply Same in Hin. pose proof (L2 _ Hin). unfold raised. cbn [fst] in *. lia.
  - destruct LF as [L1 L2]. destruct (value v here) eqn:VH; [|reflexivity]. destruct (proj1 Some_ eq_refl) as (n & In_).
    apply Same in In_. destruct In_ as [Q|Q]; [congruence|now destruct (L2 n)].
Qed.

End Exponents.
