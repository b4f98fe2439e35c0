(** * Where a NaN comes from, in the circuit

    With nan=rdna: of a factor, from an invalid operation, or kept. In products, sums and rounds the wires say what the
    definition does. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real Carried Units Gates Lrat Making Words Shifts Integers Largest Circuit CircuitUnit Fields Reading Sums Numbers
  Factors Operands Products Kinds Contents Packing.
Import ListNotations.
Open Scope Z_scope.

(** ** In the definition *)

Definition is_tentative (n : number) : bool := match n with Infinite _ t | NaN _ t _ => t | _ => false end.

Lemma product_tentative z m m' : is_tentative (product z m m') = false.
Proof.
  destruct m as [d [e|] s|s t|s t [c|]], m' as [d' [e'|] s'|s' t'|s' t' [c'|]]; cbn [product]; try reflexivity;
    match goal with |- context [if ?b then _ else _] => destruct b; reflexivity end.
Qed.
Lemma scaled_tentative sc x z k n : is_tentative n = false -> is_tentative (scaled sc x z k n) = false.
Proof. intros H. unfold scaled. destruct sc as [[f m]|]; [apply product_tentative|exact H]. Qed.
Lemma limited_tentative p n : match p_limit p with Some _ => p_counts p = true | None => True end -> is_tentative n = false ->
  is_tentative (limit_and_normalise p n) = false.
Proof.
  intros Hp H. destruct n as [d e s| |]; try exact H. cbn [limit_and_normalise]. destruct (is_zero d); [reflexivity|].
  destruct (p_limit p) as [l|]; [destruct (l <=? lg d); [cbn; now rewrite Hp|]|]; destruct (p_normalisation p), e; reflexivity.
Qed.

(** What the product of two operands carries is of a factor. *)
Definition of_a_factor (c : content) : Prop := content_origin c = OfFactor.
Lemma read_of_factor f b : carries of_a_factor (read f b) /\ is_tentative (read f b) = false /\ (is_nan_number (read f b) = true -> carried (read f b) <> None).
Proof.
  unfold read. destruct (is_fixed f); [now repeat split|]. unfold read_float, read_finite.
  destruct (kind_of f); repeat match goal with |- context [if ?c then _ else _] => destruct c end; repeat split; discriminate.
Qed.

Lemma rule_nan u f x : is_nan_number (nan_of_rule u f x) = is_nan_number x.
Proof. unfold nan_of_rule. destruct (unit_nan u), x as [| |s t c]; try reflexivity. destruct (origin_of c); reflexivity. Qed.

(** The NaN of a round keeps where it comes from. *)
Lemma rounded_origin u r m : float_format (r_format r) = true -> kind_of (r_format r) = Ieee -> carries_fitting m ->
  match rounded u r m with
  | NaN _ t c => t = false /\ c <> None /\ is_nan_number m = true /\ origin_of c = origin_of (carried m)
  | Infinite _ t => t = false /\ is_nan_number m = false
  | Finite _ _ _ => is_nan_number m = false
  end.
Proof.
  intros Hf K C. destruct (float_parts _ Hf) as (Fx & _ & _ & HN & _ & PM & _). assert (HI : has_infinity (r_format r) = true) by (unfold has_infinity; now rewrite K).
  pose proof (rule_fits u (r_format r) m (proj1 PM) ltac:(lia) C) as F. unfold rounded, Notation.round, round_finite, infinity_of. rewrite Fx, HI.
  destruct m as [d e s|s t|s t c].
  - replace (nan_of_rule u (r_format r) (Finite d e s)) with (Finite d e s) by (unfold nan_of_rule; now destruct (unit_nan u)).
    repeat match goal with |- context [if ?c then _ else _] => destruct c end; try reflexivity; try (split; reflexivity); unfold round_zero, zero_of, largest_of; reflexivity.
  - replace (nan_of_rule u (r_format r) (Infinite s t)) with (Infinite s t) by (unfold nan_of_rule; now destruct (unit_nan u)). now split.
  - assert (R : exists c', nan_of_rule u (r_format r) (NaN s t c) = NaN s t c' /\ content_origin (or_invalid c') = origin_of c).
    { unfold nan_of_rule. assert (G : content_origin (or_invalid c) = origin_of c) by (now destruct c).
      destruct (unit_nan u); try (exists c; now split). destruct (origin_of c); eexists; (split; [reflexivity|]); try reflexivity. exact G. }
    destruct R as (c' & R & O). rewrite R in *. unfold round_nan. rewrite HN. change (match c' with Some c => c | None => invalid end) with (or_invalid c').
    destruct (read_nan _ Hf _ (written_nan _ Hf _ (or_invalid_fits c' F))) as (s' & c1 & RR & _). fold (or_invalid c') in RR. rewrite RR. cbn [option_map origin_of with_origin content_origin carried].
    repeat split; [discriminate|exact O].
Qed.

Section Origins.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Variable u : unit.
Notation kind_is := (kind_is v u).

(** ** Leaves *)

Theorem product_kind_is y m : product_kind u y None -> special_is v (n_special y) m -> carries_is v y m -> is_tentative m = false -> carries of_a_factor m ->
  kind_is y m.
Proof.
  unfold product_kind, Numbers.kind_is. intros K SP [[_ C] _] T P. destruct (has_kinds u); [|exact K]. split; [exact SP|]. eexists. split; [exact K|]. split; [reflexivity|].
  cbn [of_factor of_invalid]. destruct SP as (S1 & _). rewrite S1. destruct m as [d e s|s t|s t c]; cbn [carried is_tentative is_nan_of] in *; [now rewrite C|now rewrite C|]. subst t.
  destruct c as [c|]; cbn [origin_of carries of_a_factor] in *.
  - unfold of_a_factor in P. rewrite P. destruct C as (-> & _). repeat split; congruence.
  - rewrite C. repeat split; congruence.
Qed.

(** What a sum takes in of c and of a round: if it is NaN it carries something, and is not infinite too. *)
Definition settled (y : wires) (m : number) : Prop :=
  is_nan_number m = true -> carried m <> None /\ value v (w_plus (n_special y)) = false /\ value v (w_minus (n_special y)) = false.

Lemma kept_kind y m : (has_kinds u = true -> special_is v (n_special y) m /\ is_tentative m = false) -> (has_kinds u = false -> n_kind y = None) -> settled y m ->
  kind_is (kept_wires u y) (kept m).
Proof.
  intros SP NK W. unfold Numbers.kind_is, kept_wires. destruct (has_kinds u); [|now apply NK]. destruct (SP eq_refl) as [SP' T]. clear SP NK. split; [destruct m; exact SP'|]. eexists. split; [reflexivity|]. split; [reflexivity|].
  cbn [of_factor of_invalid with_special n_special]. rewrite (value_no v v0). destruct m as [d e s|s t|s t c]; cbn [kept is_tentative] in *; [now split|now repeat split|].
  destruct (W eq_refl) as (W1 & W2). cbn [carried] in W1. destruct c as [c|]; [|congruence]. cbn. repeat split; try congruence; apply W2.
Qed.

Lemma kept_again y m : kind_is y m -> settled y m -> kind_is (kept_wires u y) (kept m).
Proof.
  intros Q. apply kept_kind; unfold Numbers.kind_is in Q; intros E; rewrite E in Q; [|exact Q]. destruct Q as (SP & k & _ & _ & K). split; [exact SP|]. destruct m; [reflexivity|apply K|apply K].
Qed.

Lemma accumulator_nan c f b : is_tentative (accumulator c f b) = false /\
  (is_nan_number (accumulator c f b) = true -> is_nan_number (read f b) = true /\ carried (accumulator c f b) <> None).
Proof.
  destruct (read_of_factor f b) as (_ & T & N). destruct (flushed_carried (c_ftz c) f (read f b)) as [C S]. unfold accumulator.
  replace (carried (read_again (c_as c) (flush_operand (c_ftz c) f (read f b)))) with (carried (read f b)) by (rewrite <- C; destruct (c_as c), (flush_operand (c_ftz c) f (read f b)); reflexivity).
  destruct (read f b) as [d e s|s t|s t k]; cbn [flush_operand is_tentative] in *.
  - destruct (match c_ftz c with KeepSubnormals => _ | _ => _ end), (c_as c); now split.
  - destruct (c_as c); now split.
  - destruct (c_as c); (split; [exact T|intros _; split; [reflexivity|exact (N eq_refl)]]).
Qed.

(** ** Sums *)

(** What the terms say, one after the other. *)
Definition says (g : kind_wires -> literal) (t : wires) : bool := match n_kind t with Some k => value v (g k) | None => false end.

Lemma computes_said seen terms : Forall (fun t => exists k, n_kind t = Some k /\ invalid_as_factor k = invalid_is_as_of_factor u) terms -> terms <> [] ->
  computes v (see_kinds seen None terms)
    (fun r => exists k, r = Some k /\ invalid_as_factor k = invalid_is_as_of_factor u /\ value v (of_factor k) = existsb (says of_factor) terms /\
       value v (of_invalid k) = (value v (w_plus seen) && value v (w_minus seen)) || existsb (says of_invalid) terms).
Proof.
  intros HT Ne. unfold see_kinds. set (said := fun (done : list wires) (r : option kind_wires) => exists k, r = Some k /\ invalid_as_factor k = invalid_is_as_of_factor u /\
    value v (of_factor k) = existsb (says of_factor) done /\
    value v (of_invalid k) = (value v (w_plus seen) && value v (w_minus seen)) || existsb (says of_invalid) done).
  eapply computes_weaken.
  - apply (computes_fold v _ (fun done r => match done with [] => r = None | _ => said done r end)); [reflexivity|].
    intros done r t It Hr. rewrite Forall_forall in HT. destruct (HT t It) as (own & Ho & Hi). rewrite Ho.
    match goal with |- computes v ?w _ => enough (G : computes v w (said (done ++ [t]))) by (eapply computes_weaken; [exact G|]; intros r'; now destruct done) end.
    eapply computes_bind with (P := fun k => invalid_as_factor k = invalid_is_as_of_factor u /\ value v (of_factor k) = existsb (says of_factor) done /\
      value v (of_invalid k) = (value v (w_plus seen) && value v (w_minus seen)) || existsb (says of_invalid) done).
    { destruct done as [|t0 done].
      - rewrite Hr. eapply computes_bind; [apply computes_and|]. intros i Hii. apply computes_ret. cbn. rewrite Hii, orb_false_r. repeat split; [exact Hi|exact (value_no v v0)].
      - destruct Hr as (k & -> & Hr). now apply computes_ret. }
    intros k (K1 & K2 & K3). eapply computes_bind; [apply computes_or|]. intros f Hf. eapply computes_bind; [apply computes_or|]. intros i Hii. apply computes_ret.
    eexists. split; [reflexivity|]. cbn [of_factor of_invalid invalid_as_factor]. 
    assert (S : forall g, says g t = value v (g own)) by (intros g; unfold says; now rewrite Ho). rewrite Hf, Hii, K2, K3, !existsb_snoc, !S, orb_assoc. now repeat split.
  - intros r Hr. destruct terms; [congruence|exact Hr].
Qed.

(** Of numbers none of which is tentative: which NaN there are. *)
Lemma first_carried_some o l : Forall (fun n => is_tentative n = false) l -> o <> OfInvalid -> existsb (is_nan_from false o) l = true -> first_carried false l <> None.
Proof.
  intros T Ho. induction T as [|n l Tn _ IH]; [discriminate|]. cbn [existsb first_carried]. destruct n as [d e s|s t|s t c]; cbn [is_nan_from orb is_tentative] in *; try exact IH. subst t.
  destruct c as [c|]; [discriminate|]. cbn [Bool.eqb andb origin_of]. destruct o; try exact IH. congruence.
Qed.

Lemma some_nan l : existsb (is_nan_of false) l = existsb (is_nan_from false OfFactor) l || (existsb (is_nan_from false OfInvalid) l || existsb (is_nan_from false Kept) l).
Proof.
  induction l as [|n l IH]; [reflexivity|]. cbn [existsb]. rewrite IH. destruct n as [d e s|s t|s t c]; cbn [is_nan_of is_nan_from orb]; try reflexivity.
  destruct (Bool.eqb t false); [|reflexivity]. cbn [andb]. destruct (origin_of c); cbn [origin_eqb orb]; try reflexivity;
    destruct (existsb (is_nan_from false OfFactor) l), (existsb (is_nan_from false OfInvalid) l); reflexivity.
Qed.

Theorem computes_combine_kinds terms numbers sum : terms <> [] -> Forall2 kind_is terms numbers -> n_special sum = no_special_wires -> n_kind sum = None ->
  computes v (combine_specials terms sum) (fun y => kind_is y (special_number numbers)).
Proof.
  intros Ne HT HS HK. destruct (has_kinds u) eqn:Hk.
  2: { eapply computes_weaken; [apply (combine_unsaid v terms sum); [|exact HK]|].
       - clear - HT Hk. induction HT as [|t n ts ns Ht _ IH]; constructor; [|exact IH]. unfold Numbers.kind_is in Ht. now rewrite Hk in Ht.
       - intros y Hy. unfold Numbers.kind_is. now rewrite Hk. }
  assert (HT' : Forall2 (fun t n => special_is v (n_special t) n /\ exists k, n_kind t = Some k /\ invalid_as_factor k = invalid_is_as_of_factor u /\
      value v (of_factor k) = is_nan_from false OfFactor n /\ (is_nan_from false OfFactor n = false -> value v (of_invalid k) = is_nan_from false OfInvalid n) /\
      is_tentative n = false /\ (is_nan_from false Kept n = true -> value v (w_plus (n_special t)) = false /\ value v (w_minus (n_special t)) = false)) terms numbers).
  { clear - HT Hk. induction HT as [|t n ts ns Ht _ IH]; constructor; [|exact IH]. unfold Numbers.kind_is in Ht. rewrite Hk in Ht. destruct Ht as (SP & k & K1 & K2 & K3).
    split; [exact SP|]. exists k. split; [exact K1|]. split; [exact K2|]. destruct n as [d e s|s t'|s t' c]; cbn [is_nan_from is_tentative].
    - destruct K3 as [-> ->]. repeat split; discriminate.
    - destruct K3 as (-> & -> & ->). repeat split; discriminate.
    - destruct K3 as (-> & -> & K4 & K5). cbn [Bool.eqb andb]. split; [reflexivity|]. split; [|split; [reflexivity|]].
      + intros Q. apply K4. intros E. rewrite E in Q. discriminate.
      + intros Q. apply K5. destruct (origin_of c); try discriminate Q; reflexivity. }
  clear HT. rename HT' into HT.
  eapply computes_weaken.
  { apply computes_both; [apply (computes_combine_specials v v0 terms numbers sum); [|exact HS]|].
    - clear - HT. induction HT as [|t n ts ns Ht _ IH]; constructor; [apply Ht|exact IH].
    - instantiate (1 := fun y => exists k, n_kind y = Some k /\ invalid_as_factor k = invalid_is_as_of_factor u /\
        exists plus_ minus, value v (of_factor k) = existsb (says of_factor) terms /\ value v (of_invalid k) = (plus_ && minus) || existsb (says of_invalid) terms /\
          plus_ = has v w_plus terms /\ minus = has v w_minus terms /\
          (has v w_nan terms || (plus_ && minus) = true -> value v (w_plus (n_special y)) = false /\ value v (w_minus (n_special y)) = false)).
      unfold combine_specials. rewrite HS, HK. eapply computes_bind; [apply (computes_seen v v0)|]. intros seen (S1 & S2 & S3 & _).
      eapply computes_bind; [apply computes_and|]. intros both Hb. eapply computes_bind; [apply computes_or|]. intros nan Hn.
      eapply computes_bind; [apply computes_and|]. intros pl Hp. eapply computes_bind; [apply computes_and|]. intros mi Hm.
      do 9 (eapply computes_bind; [apply computes_something|]; intros ? _).
      eapply computes_bind; [apply (computes_said seen terms); [|exact Ne]|].
      { clear - HT. induction HT as [|t n ts ns (_ & k & K1 & K2 & _) _ IH]; constructor; [now exists k|exact IH]. }
      intros r (k & -> & K1 & K2 & K3). apply computes_ret. exists k. split; [reflexivity|]. split; [exact K1|]. exists (has v w_plus terms), (has v w_minus terms).
      rewrite S2, S3 in K3. split; [exact K2|]. split; [exact K3|]. do 2 (split; [reflexivity|]). intros Q. cbn [with_special n_special w_plus w_minus].
      cbv beta in *. rewrite Hp, Hm, value_invert, Hn, Hb, S1, S2, S3, Q. cbn [negb]. now rewrite !andb_false_r. }
  intros y ((sp & c & kd & Ey & SP) & k & K1 & K2 & plus_ & minus & K3 & K4 & K5 & K6 & K7). unfold Numbers.kind_is. rewrite Hk.
  split; [rewrite Ey; exact SP|]. exists k. split; [exact K1|]. split; [exact K2|]. clear Ey SP K1 K2 sp c kd.
  (* what the wires say, of the numbers *)
  assert (T : Forall (fun n => is_tentative n = false) numbers).
  { clear - HT. induction HT as [|t n ts ns (_ & k & _ & _ & _ & _ & T & _) _ IH]; constructor; [exact T|exact IH]. }
  assert (EF : existsb (says of_factor) terms = existsb (is_nan_from false OfFactor) numbers).
  { apply (existsb_pairs _ _ _ _ _ HT). intros t n (_ & k' & E & _ & F & _). unfold says. now rewrite E. }
  assert (EN : has v w_nan terms = existsb (is_nan_of false) numbers).
  { apply (existsb_pairs _ _ _ _ _ HT). intros t n ((S1 & _) & _). exact S1. }
  assert (EI : existsb (is_nan_from false OfFactor) numbers = false -> existsb (says of_invalid) terms = existsb (is_nan_from false OfInvalid) numbers).
  { clear - HT. induction HT as [|t n ts ns (_ & k & E & _ & F & I & _) _ IH]; [reflexivity|]. cbn [existsb]. intros Q. apply orb_false_elim in Q. destruct Q as [Q1 Q2].
    rewrite (IH Q2). f_equal. unfold says. rewrite E. now apply I. }
  assert (EP : existsb (is_nan_from false OfFactor) numbers = false -> existsb (is_nan_from false OfInvalid) numbers = false ->
    plus_ = existsb (is_infinity_of false Plus) numbers /\ minus = existsb (is_infinity_of false Minus) numbers).
  { subst plus_ minus. unfold has. clear - HT. induction HT as [|t n ts ns (SP & k & _ & _ & _ & _ & T & W) _ IH]; [now split|]. cbn [existsb]. intros Q1 Q2.
    apply orb_false_elim in Q1, Q2. destruct Q1 as [Q1 Q1'], Q2 as [Q2 Q2']. destruct (IH Q1' Q2') as [-> ->].
    enough (G : value v (w_plus (n_special t)) = is_infinity_of false Plus n /\ value v (w_minus (n_special t)) = is_infinity_of false Minus n) by (destruct G as [-> ->]; now split).
    destruct SP as (S1 & _ & S3 & _). rewrite S1 in S3. destruct n as [d e s|s t'|s t' c]; cbn [is_nan_of is_nan_from is_tentative] in *; try (now apply S3). subst t'. cbn [Bool.eqb andb] in *.
    apply W. destruct (origin_of c); try discriminate; reflexivity. }
  rewrite EF in K3. rewrite EN in K7. clear EF EN HT Ne HS HK K5 K6.
  assert (T2 : special_of true numbers = None).
  { unfold special_of. assert (G : existsb (is_nan_of true) numbers = false /\ forall s, existsb (is_infinity_of true s) numbers = false).
    { clear - T. induction T as [|n l Tn _ [IH1 IH2]]; [now split|]. cbn [existsb]. rewrite IH1. split; [|intros s; rewrite IH2]; destruct n as [| |s' t c]; cbn [is_tentative] in Tn; try reflexivity; now subst. }
    destruct G as [-> G]. now rewrite !G. }
  pose proof (some_nan numbers) as SN. pose proof (first_carried_some OfFactor numbers T ltac:(discriminate)) as FF. pose proof (first_carried_some Kept numbers T ltac:(discriminate)) as FK.
  unfold special_number, special_sum. rewrite T2. unfold special_of, carried_on.
  set (nan := existsb (is_nan_of false) numbers) in *. set (nf := existsb (is_nan_from false OfFactor) numbers) in *. set (ni := existsb (is_nan_from false OfInvalid) numbers) in *.
  set (nk := existsb (is_nan_from false Kept) numbers) in *. set (p := existsb (is_infinity_of false Plus) numbers) in *. set (q := existsb (is_infinity_of false Minus) numbers) in *.
  clearbody nan nf ni nk p q.
  destruct nf; cbn [orb] in *.
  { (* of a factor *) rewrite SN. cbn [orb]. specialize (FF eq_refl). destruct (first_carried false numbers); [|congruence]. cbn [option_map origin_of with_origin content_origin origin_eqb].
    repeat split; congruence. }
  rewrite (EI eq_refl) in K4. specialize (EP eq_refl). rewrite K3. destruct ni; cbn [orb] in *.
  { (* from an invalid operation *) rewrite orb_true_r in *. rewrite SN, K4. cbn [orb]. destruct (first_carried false numbers); cbn; repeat split; congruence. }
  destruct (EP eq_refl) as [-> ->]. rewrite orb_false_r in *. rewrite K4. subst nan. destruct nk; cbn [orb] in *.
  - (* kept, unless this sum is invalid *) specialize (FK eq_refl). destruct (first_carried false numbers); [|congruence]. cbn [option_map origin_of with_origin content_origin].
    specialize (K7 eq_refl). destruct (p && q); cbn; repeat split; try congruence; apply K7.
  - destruct (p && q) eqn:PQ; [|destruct p; [now repeat split|destruct q; now repeat split]]. destruct (first_carried false numbers); cbn; repeat split; congruence.
Qed.

Theorem computes_fuse_kinds f given defs children : given <> [] -> Forall2 (fun t d => kind_is (s_number t) (t_number d)) given defs ->
  computes v (fuse_wires f given) (fun y => kind_is y (fuse f children defs)).
Proof.
  intros Ne H. unfold fuse_wires.
  eapply computes_bind.
  { apply (computes_combine_kinds _ (map t_number defs)); [destruct given; [congruence|discriminate]| |reflexivity|reflexivity].
    clear - H. induction H as [|t d ts ds Hd _ IH]; cbn [map]; constructor; [exact Hd|exact IH]. }
  intros sum Hsum. eapply computes_bind; [apply computes_something|]. intros [E here] _.
  repeat (eapply computes_bind; [apply computes_something|]; intros ? _). apply computes_ret.
  unfold fuse, special_number in *. destruct (special_sum (map t_number defs)); [exact Hsum|]. destruct (common_exponent f defs); exact Hsum.
Qed.

(** ** Rounds *)

(** z is what is read of the pattern of a round of x. *)
Theorem computes_round_kind r x m z : float_format (r_format r) = true -> (has_kinds u = true -> kind_of (r_format r) = Ieee) -> carries_fitting m ->
  kind_is x m -> content_is v (n_content x) (carried m) -> special_is v (n_special z) (rounded u r m) -> n_kind z = None ->
  only_nan v z (rounded u r m) ->
  computes v (with_kind_of x z)
    (fun t => kind_is t (rounded u r m) /\ n_content t = n_content z /\ n_special t = n_special z).
Proof.
  intros Hf Hi C Q [_ Ct] SP Kz On. unfold with_kind_of. unfold Numbers.kind_is in *. destruct (has_kinds u); [|rewrite Q; now apply computes_ret].
  destruct Q as (_ & k & Ek & K1 & K2). rewrite Ek. pose proof (rounded_origin u r m Hf (Hi eq_refl) C) as R.
  eapply computes_bind; [unfold is_invalid_wire; apply computes_or|]. intros i Hi'. eapply computes_bind; [apply computes_and|]. intros a Ha.
  eapply computes_bind; [apply computes_and|]. intros b Hb. apply computes_ret. cbn [with_special n_special n_content n_kind]. split; [|now split]. split; [exact SP|].
  eexists. split; [reflexivity|]. split; [exact K1|]. cbn [of_factor of_invalid]. cbv beta in *. rewrite value_invert in Hi'. rewrite Ha, Hb, (proj1 SP).
  destruct (rounded u r m) as [d e s|s t|s t c]; cbn [is_nan_of].
  - now split.
  - destruct R as [-> _]. now repeat split.
  - destruct R as (-> & Nc & N & O). cbn [Bool.eqb andb]. destruct m as [d e s'|s' t'|s' t' c']; try discriminate N. cbn [carried] in *. destruct K2 as (_ & K2 & K3 & _). rewrite O, K2.
    split; [reflexivity|]. split; [reflexivity|]. split; [|intros _; exact (On eq_refl)]. intros NF. rewrite Hi', (K3 NF).
    destruct (origin_of c') eqn:Oc; [congruence|reflexivity|]. destruct c' as [c'|]; [|discriminate Oc]. destruct Ct as (-> & _). reflexivity.
Qed.

End Origins.
