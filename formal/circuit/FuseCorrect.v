(** * Sums of terms that keep F bits

    The circuit of a sum of finite terms of which each keeps F bits, in any mode, with any zero policy, floor and number of
    carry bits, computes [fuse] of the definition: value, exponent and zero sign. *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core.
From Discern Require Import Notation Real Exact Laws Units Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading
  Rounding Alignment Sums Exponents.
Import ListNotations.
Open Scope Z_scope.

Section Fuse.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).

(** A term of the circuit and of the definition, of a child that keeps F bits. *)
Definition keeps_term (F : Z) (t : sum_term) (d : term) : Prop :=
  s_child t = t_child d /\ ch_F (s_child t) = Some F /\ ch_drop (s_child t) = None /\ ch_less (s_child t) = 0 /\
  match ch_zero (s_child t) with At n => - 2 ^ 40 <= n <= 2 ^ 40 | _ => True end /\
  exists val e s, t_number d = Finite val e s /\ wires_are v (s_number t) (Finite val e s) /\
    (is_zero val = false -> e <> None) /\ 0 <= n_fraction (s_number t) /\ 0 < len (n_magnitude (s_number t)) /\
    near (n_exponent (s_number t)) /\ near (n_base (s_number t)).

Lemma with_less_keeps F t d : keeps_term F t d -> keeps_term F (with_less t) d /\ n_seen_plus (s_number (with_less t)) = n_seen_plus (s_number t).
Proof.
  intros (C & HF & HD & HL & HZ & val & e & s & N & (O1 & O2 & S & (V1 & V2 & V3 & V4 & V5)) & Ne & Fr & Ln & N1 & N2).
  split; [|reflexivity]. unfold with_less. rewrite HL. set (x := s_number t) in *.
  split; [exact C|]. split; [exact HF|]. split; [exact HD|]. split; [exact HL|]. split; [exact HZ|].
  exists val, e, s. split; [exact N|]. cbn [s_number].
  destruct (offset_by_ok v (n_base x) (- 0)) as [B1 B2]. destruct (offset_by_ok v (n_exponent x) (- 0)) as [E1 E2].
  split; [|split; [exact Ne|]].
  - split; [now apply B2|]. split; [now apply E2|]. split; [exact S|]. split; [|split; [exact V2|split; [|split; [|exact V5]]]].
    + rewrite <- V1. unfold wires_value. cbn [with_exponent with_base n_negative n_magnitude n_base n_fraction]. apply D2R_same; [reflexivity|].
      rewrite B1. ring.
    + destruct e as [e|]; [|exact I]. cbn [with_exponent with_base n_exponent]. rewrite E1, V3. ring.
    + intros Z. cbn [with_exponent with_base n_exponent n_base]. rewrite B1, E1. specialize (V4 Z). lia.
  - cbn [with_exponent with_base n_fraction n_magnitude n_exponent n_base]. unfold near in *. cbn [offset_by i_low i_high]. repeat split; lia.
Qed.

(** The integer that a term adds, in units of the last kept bit. *)
Definition addend (t : sum_term) (a : aligned_term) : Z :=
  if value v (n_negative (s_number t)) then - num (al_magnitude a) else num (al_magnitude a).
Definition total_of (l : list (sum_term * aligned_term)) : Z := fold_right (fun ta n => addend (fst ta) (snd ta) + n) 0 l.

Lemma total_snoc l ta : total_of (l ++ [ta]) = total_of l + addend (fst ta) (snd ta).
Proof. unfold total_of. rewrite fold_right_app. cbn [fold_right]. induction l as [|x l IH]; cbn [fold_right]; [ring|]. rewrite IH. ring. Qed.

Lemma total_bound l b : (forall t a, In (t, a) l -> num (al_magnitude a) < b) -> 0 < b -> Z.abs (total_of l) <= Z.of_nat (length l) * (b - 1).
Proof.
  intros H Hb. induction l as [|[t a] l IH]; [cbn; lia|]. cbn [total_of fold_right fst snd length]. fold (total_of l).
  assert (I : Z.abs (total_of l) <= Z.of_nat (length l) * (b - 1)) by (apply IH; intros; eapply H; right; eassumption).
  pose proof (H t a (or_introl eq_refl)) as B. pose proof (num_bound v (al_magnitude a)) as B0.
  assert (Z.abs (addend t a) <= b - 1) by (unfold addend; destruct (value v _); lia). lia.
Qed.

(** Signs of the terms, one after the other. *)
Lemma sees_all (l : list (sum_term * number)) :
  (forall t n, In (t, n) l -> sees v (n_seen_plus (s_number t)) (n_seen_minus (s_number t)) (sign_of n)) -> l <> [] ->
  existsb (fun tn => value v (n_seen_plus (s_number (fst tn)))) l = (match common_sign (map snd l) with Minus => false | _ => true end) /\
  existsb (fun tn => value v (n_seen_minus (s_number (fst tn)))) l = (match common_sign (map snd l) with Plus => false | _ => true end).
Proof.
  intros H Ne. destruct l as [|[t n] l]; [congruence|]. cbn [map snd common_sign existsb fst].
  pose proof (H t n (or_introl eq_refl)) as [P M]. rewrite P, M.
  assert (G : forall s, (forall t' n', In (t', n') l -> sees v (n_seen_plus (s_number t')) (n_seen_minus (s_number t')) (sign_of n')) ->
     forallb (fun y => sign_eqb s (sign_of y)) (map snd l) = true ->
     s <> Mixed -> existsb (fun tn => value v (n_seen_plus (s_number (fst tn)))) l = (match s with Minus => false | _ => negb (match l with [] => true | _ => false end) end) /\
     existsb (fun tn => value v (n_seen_minus (s_number (fst tn)))) l = (match s with Plus => false | _ => negb (match l with [] => true | _ => false end) end)).
  { clear. intros s H A N. induction l as [|[t n] l IH]; [now destruct s|]. cbn [map snd forallb existsb fst] in *.
    apply andb_prop in A. destruct A as [A1 A2]. apply sign_eqb_eq in A1.
    destruct (H t n (or_introl eq_refl)) as [P M]. rewrite <- A1 in P, M. rewrite P, M.
    destruct (IH (fun t' n' I => H t' n' (or_intror I)) A2) as [-> ->]. destruct s; [|  |congruence]; cbn; split; try reflexivity; now destruct l. }
  assert (H' : forall t' n', In (t', n') l -> sees v (n_seen_plus (s_number t')) (n_seen_minus (s_number t')) (sign_of n')) by (intros; apply H; now right).
  destruct (forallb (fun y => sign_eqb (sign_of n) (sign_of y)) (map snd l)) eqn:A.
  - destruct (sign_of n) eqn:S.
    + destruct (G Plus H' A) as [-> ->]; [discriminate|]. split; reflexivity.
    + destruct (G Minus H' A) as [-> ->]; [discriminate|]. split; [reflexivity|reflexivity].
    + split; reflexivity.
  - (* some other sign *)
    assert (X : exists t' n', In (t', n') l /\ sign_of n' <> sign_of n).
    { clear -A. induction l as [|[t' n'] l IH]; [discriminate|]. cbn [map snd forallb] in A. apply andb_false_iff in A. destruct A as [A|A].
      - exists t', n'. split; [now left|]. intros E. rewrite E in A. destruct (sign_of n); discriminate.
      - destruct (IH A) as (t1 & n1 & I1 & D1). exists t1, n1. split; [now right|exact D1]. }
    destruct X as (t' & n' & I' & D). destruct (H' t' n' I') as [P' M'].
    assert (EP : value v (n_seen_plus (s_number t')) = true -> existsb (fun tn => value v (n_seen_plus (s_number (fst tn)))) l = true).
    { intros E. apply existsb_exists. exists (t', n'). now split. }
    assert (EM : value v (n_seen_minus (s_number t')) = true -> existsb (fun tn => value v (n_seen_minus (s_number (fst tn)))) l = true).
    { intros E. apply existsb_exists. exists (t', n'). now split. }
    rewrite P' in EP. rewrite M' in EM.
    destruct (sign_of n), (sign_of n'); try congruence; cbn [orb]; split; try reflexivity; auto.
Qed.

Lemma keeps_is_term F t d : keeps_term F t d -> term_is v t d.
Proof.
  intros (C & _ & _ & HL & _ & val & e & s & N & (O1 & O2 & _ & (V1 & V2 & V3 & _ & _)) & Ne & _ & _ & N1 & _).
  split; [exact C|]. exists val, e, s. split; [exact N|]. rewrite C in HL. split; [|split; [exact V2|split; [exact Ne|split; [exact O2|split; [exact N1|]]]]].
  - unfold wires_value in V1. destruct (is_zero val) eqn:Z.
    + apply is_zero_correct in Z. rewrite Z in V1. apply is_zero_correct in V1. unfold is_zero in V1. cbn [Notation.num] in V1.
      apply Z.eqb_eq in V1. apply Z.eqb_eq. destruct (value v (n_negative (s_number t))); lia.
    + apply is_zero_false in Z. rewrite <- V1 in Z. apply is_zero_false in Z. unfold is_zero in Z. cbn [Notation.num] in Z.
      apply Z.eqb_neq in Z. apply Z.eqb_neq. destruct (value v (n_negative (s_number t))); lia.
  - destruct e as [e|]; [|exact I]. rewrite V3, HL. ring.
Qed.

Lemma keeps_finite F l l' : Forall2 (keeps_term F) l l' -> Forall finite_term l'.
Proof.
  intros H. induction H as [|t d l l' Hk _ IH]; constructor; [|exact IH].
  destruct Hk as (_ & _ & _ & _ & _ & val & e & s & N & _). exists val, e, s. exact N.
Qed.

Lemma fold_max_const (f : aligned_term -> Z) F l : 0 <= F -> (forall a, In a l -> f a = F) ->
  l <> [] -> fold_left (fun m a => Z.max m (f a)) l 0 = F.
Proof.
  intros F0 H Ne. assert (G : forall l m, 0 <= m <= F -> (forall a, In a l -> f a = F) -> fold_left (fun m a => Z.max m (f a)) l m = match l with [] => m | _ => F end).
  { clear l H Ne. induction l as [|a l IH]; intros m Hm H; [reflexivity|]. cbn [fold_left]. rewrite (H a) by now left.
    rewrite IH; [destruct l; lia|lia|]. intros b I. apply H. now right. }
  rewrite G; [destruct l; congruence|lia|exact H].
Qed.
Lemma fold_max_upper (f : aligned_term -> Z) l : forall m, m <= fold_left (fun m a => Z.max m (f a)) l m /\
  forall a, In a l -> f a <= fold_left (fun m a => Z.max m (f a)) l m.
Proof.
  induction l as [|b l IH]; intros m; cbn [fold_left]; [split; [lia|intros a []]|].
  destruct (IH (Z.max m (f b))) as [H1 H2]. split; [lia|]. intros a [->|I]; [lia|now apply H2].
Qed.

(** The total is the sum of the aligned terms, in units of the last kept bit. *)
Lemma total_value F E : forall terms aligned_ defs,
  Forall2 (fun t a => al_F a = F /\ forall d, keeps_term F t d -> D2R (Dyadic (addend t a) (E - F)) = D2R (aligned E d)) terms aligned_ ->
  Forall2 (keeps_term F) terms defs ->
  D2R (Dyadic (total_of (combine terms aligned_)) (E - F)) = Rsum (map D2R (map (aligned E) defs)).
Proof.
  intros terms aligned_ defs H. revert defs. induction H as [|t a terms l [_ Ha] _ IH]; intros defs K; inversion K as [|? d ? ds Kd Ks]; subst.
  - cbn. unfold D2R, F2R; cbn. ring.
  - cbn [combine total_of fold_right fst snd map]. fold (total_of (combine terms l)).
    change (Rsum (D2R (aligned E d) :: map D2R (map (aligned E) ds))) with (D2R (aligned E d) + Rsum (map D2R (map (aligned E) ds)))%R.
    rewrite <- (IH ds Ks), <- (Ha d Kd). unfold D2R, F2R. cbn [Notation.num scale Fnum Fexp]. rewrite plus_IZR. ring.
Qed.

Lemma all_zero_aligned F E : forall terms aligned_ defs,
  Forall2 (fun t a => al_F a = F /\ forall d, keeps_term F t d -> D2R (Dyadic (addend t a) (E - F)) = D2R (aligned E d)) terms aligned_ ->
  Forall2 (keeps_term F) terms defs ->
  existsb (fun ta => negb (num (al_magnitude (snd ta)) =? 0)) (combine terms aligned_) = negb (forallb is_zero (map (aligned E) defs)).
Proof.
  intros terms aligned_ defs H. revert defs. induction H as [|t a terms l [_ Ha] _ IH]; intros defs K; inversion K as [|? d ? ds Kd Ks]; subst; [reflexivity|].
  cbn [combine existsb snd map forallb]. rewrite (IH ds Ks), negb_andb. f_equal. f_equal.
  rewrite <- (is_zero_value _ _ (Ha d Kd)). unfold is_zero, addend. cbn [Notation.num].
  destruct (value v (n_negative (s_number t))), (Z.eqb_spec (num (al_magnitude a)) 0), (Z.eqb_spec (- num (al_magnitude a)) 0); try reflexivity; lia.
Qed.

(** What a register of W bits shows of an integer. *)
Definition shown (W n : Z) : Z := (n + 2 ^ (W - 1)) mod 2 ^ W - 2 ^ (W - 1).

Lemma shown_ok W n : 0 < W -> - 2 ^ (W - 1) <= shown W n < 2 ^ (W - 1) /\ shown W n mod 2 ^ W = n mod 2 ^ W.
Proof.
  intros HW. unfold shown. pose proof (Z.pow_pos_nonneg 2 W eq_refl ltac:(lia)) as P.
  assert (P2 : 2 ^ W = 2 * 2 ^ (W - 1)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  pose proof (Z.mod_pos_bound (n + 2 ^ (W - 1)) (2 ^ W) P). split; [lia|].
  rewrite Zminus_mod_idemp_l. f_equal. ring.
Qed.
Lemma shown_fits W n : 0 < W -> - 2 ^ (W - 1) <= n < 2 ^ (W - 1) -> shown W n = n.
Proof.
  intros HW B. unfold shown. assert (P2 : 2 ^ W = 2 * 2 ^ (W - 1)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  rewrite Z.mod_small by lia. ring.
Qed.

Theorem computes_fuse u given defs children F :
  given <> [] -> u_step u = None -> u_sticky u = false -> u_frame u = NoFrame ->
  match u_floor u with Some n => - 2 ^ 40 <= n <= 2 ^ 40 | None => True end ->
  match u_carry u with Some w => 0 <= w | None => True end ->
  0 <= F -> largest_F children = F -> Forall2 (keeps_term F) given defs ->
  computes v (fuse_wires u given) (fun y => wires_are v y (fuse u children defs)).
Proof.
  intros Ne Hstep Hsticky Hframe Hfloor Hcarry F0 HLF HG. unfold fuse_wires.
  set (terms := map with_less given).
  assert (HT : Forall2 (keeps_term F) terms defs).
  { unfold terms. clear -HG. induction HG as [|t d l l' H _ IH]; constructor; [now apply with_less_keeps|exact IH]. }
  assert (NeT : terms <> []) by (unfold terms; destruct given; [congruence|discriminate]). clearbody terms. clear given Ne HG.
  assert (Fin : Forall finite_term defs) by exact (keeps_finite _ _ _ HT).
  pose proof (finite_no_special defs Fin) as NS.
  eapply computes_bind.
  { apply (computes_combine_specials v v0 _ (map t_number defs)); [|reflexivity].
    clear -HT. induction HT as [|t d l l' H _ IH]; constructor; [|exact IH].
    destruct H as (_ & _ & _ & _ & _ & val & e & s & N & W & _). rewrite N. apply W. }
  intros sum (sp & k & kind & -> & SP). unfold special_number in SP. rewrite NS in SP.
  eapply computes_bind.
  { apply (computes_sum_exponent v v0 u terms defs NeT Hstep Hfloor).
    - clear -HT. induction HT as [|t d l l' H _ IH]; constructor; [|exact IH].
      destruct H as (_ & _ & _ & HL & HZ & _). rewrite HL. destruct (ch_zero (s_child t)); try exact I. lia.
    - clear -HT. induction HT as [|t d l l' H _ IH]; constructor; [now apply (keeps_is_term F)|exact IH]. }
  intros [E here] (OE & E40 & HE). cbn [fst snd] in *. set (q := int E - F).
  (* terms that are not zero are not above E *)
  assert (Below : forall t d val e s, In (t, d) (combine terms defs) -> keeps_term F t d -> t_number d = Finite val e s ->
            is_zero val = false -> int (n_base (s_number t)) <= int E).
  { intros t d val e s I K N Z. destruct K as (C & _ & _ & HL & _ & val' & e' & s' & N' & (_ & _ & _ & (_ & _ & V3 & V4 & _)) & Ne & _).
    rewrite N in N'. inversion N'; subst val' e' s'. specialize (Ne Z). destruct e as [e|]; [|congruence]. specialize (V4 Z).
    unfold common_exponent in HE. rewrite Hstep in HE. cbn [raised] in HE.
    assert (TP : In (Some e) (map takes_part defs)).
    { apply in_map_iff. exists d. split; [|exact (in_combine_r _ _ _ _ I)]. unfold takes_part. rewrite N, Z, <- C, HL. cbn. f_equal. ring. }
    destruct (fold_left max_option (map takes_part defs) (u_floor u)) as [m|] eqn:FM; cbn [option_map] in HE.
    - destruct HE as [_ HE]. pose proof (fold_max_ge _ _ _ FM e TP). unfold raised in HE. lia.
    - pose proof (largest_fold (map takes_part defs) (u_floor u) (fun _ _ => Logic.I)) as LF. rewrite FM in LF. destruct LF as [_ LF]. now destruct (LF e). }
  eapply computes_bind.
  { apply (computes_map v _ (fun t a => al_F a = F /\ forall d, keeps_term F t d -> D2R (Dyadic (addend t a) q) = D2R (aligned (int E) d))).
    intros t It.
    assert (TD : exists d, In (t, d) (combine terms defs) /\ keeps_term F t d).
    { clear -HT It. induction HT as [|a b l l' H _ IH]; [destruct It|]. destruct It as [->|It].
      - exists b. split; [now left|exact H].
      - destruct (IH It) as (d & I & K). exists d. split; [now right|exact K]. }
    destruct TD as (d & Id & K). pose proof K as (C & HF & HD & HL & HZ & val & e & s & N & W & Nz & Fr & Ln & N1 & N2).
    eapply computes_weaken.
    - apply (computes_align v v0 t E F val e s HF F0 HD W Fr Ln OE); [intros Z; exact (Below t d val e s Id K N Z)|].
      destruct N2 as (N2 & _ & _). change (2 ^ 64) with (16777216 * 2 ^ 40). lia.
    - intros a [A1 A2]. split; [exact A1|]. intros d' K'. cbv zeta in A2.
      destruct K' as (C' & _ & _ & _ & _ & val' & e' & s' & N' & W' & _).
      unfold addend. fold q in A2. rewrite A2.
      (* every definition of this term has the same value *)
      assert (VV : D2R val = D2R val') by (destruct W as (_ & _ & _ & (<- & _)); destruct W' as (_ & _ & _ & (-> & _)); reflexivity).
      unfold aligned. rewrite N', <- C', HF, HD. rewrite orb_false_r. rewrite <- (is_zero_value _ _ VV). destruct (is_zero val); [reflexivity|].
      now apply rnd_value. }
  intros al HA.
  assert (LA : length al = length terms) by (symmetry; exact (pairs_length _ _ _ HA)).
  assert (FA : forall a, In a al -> al_F a = F).
  { pose proof (pairs_right _ (fun a => al_F a = F) _ _ HA (fun t a H => proj1 H)) as R. rewrite Forall_forall in R. exact R. }
  assert (NeA : al <> []) by (intros ->; destruct terms; [congruence|discriminate]).
  rewrite (fold_max_const al_F F al F0 FA NeA).
  set (widest := fold_left (fun m a => Z.max m (width_of (al_magnitude a) + F - al_F a)) al 0).
  destruct (fold_max_upper (fun a => width_of (al_magnitude a) + F - al_F a) al 0) as [W0 W1]. fold widest in W0, W1.
  eapply computes_bind with (P := fun fr => fr = (no, no)); [unfold frame_wires; rewrite Hframe; now apply computes_ret|]. intros fr ->.
  change (negb (same (fst (no, no)) no)) with false. cbv iota.
  set (width := widest + 0 + bits_for (Z.of_nat (length terms) - 1) + 1).
  pose proof (bits_for_spec (Z.of_nat (length terms) - 1)) as BF.
  assert (LT : 0 < Z.of_nat (length terms)) by (destruct terms; [congruence|cbn; lia]). specialize (BF ltac:(lia)). destruct BF as [BF0 BF1].
  assert (WP : 0 < width) by (unfold width; lia).
  assert (P2w : 2 ^ widest <= 2 ^ width) by (apply Z.pow_le_mono_r; unfold width; lia).
  assert (InA : forall t a, In (t, a) (combine terms al) -> al_F a = F /\ num (al_magnitude a) < 2 ^ widest).
  { intros t a I. pose proof (in_combine_r _ _ _ _ I) as Ia. split; [now apply FA|]. pose proof (num_bound v (al_magnitude a)) as B.
    specialize (W1 a Ia). rewrite (FA a Ia) in W1. unfold width_of in W1.
    assert (2 ^ len (al_magnitude a) <= 2 ^ widest) by (apply Z.pow_le_mono_r; lia). lia. }
  eapply computes_bind.
  { apply (computes_fold v _ (fun done (s : partial) => len (a_total s) = width /\ holds_integer v (a_total s) (total_of done) /\
      value v (a_cancelled s) = existsb (fun ta => negb (num (al_magnitude (snd ta)) =? 0)) done /\
      value v (a_plus s) = existsb (fun ta => value v (n_seen_plus (s_number (fst ta)))) done /\
      value v (a_minus s) = existsb (fun ta => value v (n_seen_minus (s_number (fst ta)))) done)).
    - cbn [a_total a_cancelled a_plus a_minus existsb]. split; [apply length_constant; lia|].
      split; [unfold holds_integer; rewrite (num_constant0 v v0); change (total_of []) with 0; symmetry; apply Z.mod_0_l; pose proof (two_pos (length (constant 0 width))); lia|].
      repeat split; exact (value_no v v0).
    - intros done s [t a] It (L1 & H1 & C1 & S1 & M1). cbn [fst snd]. destruct (InA t a It) as [FAa BA]. rewrite FAa, Z.sub_diag. cbn [andb].
      eapply computes_bind.
      { apply (computes_add_signed_integer v v0 (a_total s) (al_magnitude a) (n_negative (s_number t)) 0 (total_of done) ltac:(lia)); [rewrite L1, Z.pow_0_r; lia|exact H1]. }
      intros tot (Lt & Ht). eapply computes_bind; [apply (computes_any v v0)|]. intros sm Hsm.
      eapply computes_bind; [apply computes_or|]. intros ca Hca.
      eapply computes_bind with (P := fun f => f = (tot, ca)); [now apply computes_ret|]. intros f ->.
      eapply computes_bind; [apply computes_or|]. intros lo _. eapply computes_bind; [apply computes_or|]. intros pl Hpl.
      eapply computes_bind; [apply computes_or|]. intros mi Hmi. apply computes_ret. cbn [a_total a_cancelled a_plus a_minus fst snd].
      rewrite !existsb_snoc, total_snoc. cbn [fst snd]. rewrite Hca, Hpl, Hmi, C1, S1, M1, Hsm.
      split; [lia|]. split; [|repeat split]. rewrite Z.pow_0_r, Z.mul_1_r in Ht. exact Ht. }
  intros acc (LW & HW & HC & HP & HM). set (n := total_of (combine terms al)) in *.
  assert (NB : - 2 ^ (width - 1) <= n < 2 ^ (width - 1)).
  { pose proof (total_bound (combine terms al) (2 ^ widest) (fun t a I => proj2 (InA t a I)) ltac:(apply Z.pow_pos_nonneg; lia)) as TB.
    rewrite combine_length, LA, Nat.min_id in TB. fold n in TB. replace (width - 1) with (widest + bits_for (Z.of_nat (length terms) - 1)) by (unfold width; ring).
    rewrite Z.pow_add_r by lia. pose proof (Z.pow_pos_nonneg 2 widest eq_refl ltac:(lia)). nia. }
  (* the register *)
  set (W := match u_carry u with Some w => Z.min width (1 + w + 2 + F) | None => width end).
  set (word_ := match u_carry u with Some w => resize (a_total acc) (Z.min width (1 + w + 2 + F)) | None => a_total acc end).
  assert (WW : 0 < W <= width) by (unfold W; destruct (u_carry u); lia).
  assert (Lword : len word_ = W) by (unfold word_, W; destruct (u_carry u); [apply length_resize; lia|exact LW]).
  set (n' := shown W n). destruct (shown_ok W n ltac:(lia)) as [B' M'].
  assert (Hword : holds_integer v word_ n').
  { unfold holds_integer. rewrite Lword. unfold n'. rewrite M'. unfold holds_integer in HW. rewrite LW in HW. unfold word_, W in *. destruct (u_carry u) as [w|].
    - rewrite (num_resize v v0), HW by lia. rewrite <- Znumtheory.Zmod_div_mod; [reflexivity|apply Z.pow_pos_nonneg; lia|apply Z.pow_pos_nonneg; lia|].
      exists (2 ^ (width - Z.min width (1 + w + 2 + F))). rewrite <- Z.pow_add_r by lia. f_equal. ring.
    - exact HW. }
  destruct (computes_sign_and_magnitude v v0 word_ n' ltac:(lia) Hword ltac:(rewrite Lword; exact B')) as [Sg Mg].
  cbv zeta. fold word_. rewrite Hsticky. eapply computes_bind; [exact Mg|]. intros mag [Lmag Nmag].
  eapply computes_bind; [apply (computes_any v v0)|]. intros nonzero Hnz. rewrite Nmag in Hnz.
  eapply computes_bind; [apply computes_or|]. intros p1 Hp1. eapply computes_bind; [apply computes_mux|]. intros sp1 Hsp1.
  eapply computes_bind; [apply computes_or|]. intros m1 Hm1. eapply computes_bind; [apply computes_mux|]. intros sm1 Hsm1.
  eapply computes_bind with (P := fun pm => value v (fst pm) = (if u_plus u then value v sp1 || negb (value v nonzero) else value v sp1) /\
                                          value v (snd pm) = (if u_plus u then value v sm1 && value v nonzero else value v sm1)).
  { destruct (u_plus u); [|apply computes_ret; now split]. eapply computes_bind; [apply computes_or|]. intros p Hp.
    eapply computes_bind; [apply computes_and|]. intros m Hm. apply computes_ret. cbn [fst snd]. now rewrite Hp, Hm, value_invert. }
  intros [pp mm] [Hpp Hmm]. apply computes_ret. cbn [fst snd] in *.
  (* the definition *)
  assert (NZ : value v nonzero = negb (n' =? 0)) by (rewrite Hnz; f_equal; destruct (Z.eqb_spec (Z.abs n') 0), (Z.eqb_spec n' 0); try reflexivity; lia).
  assert (SGN : value v sp1 = (if n' =? 0 then value v (a_plus acc) || value v (a_cancelled acc) else negb (n' <? 0)) /\
                value v sm1 = (if n' =? 0 then value v (a_minus acc) || value v (a_cancelled acc) else n' <? 0)).
  { rewrite Hsp1, Hsm1, NZ, value_invert, Sg, Hp1, Hm1. now destruct (n' =? 0). }
  destruct SGN as [SG1 SG2].
  assert (PL : existsb (fun ta => value v (n_seen_plus (s_number (fst ta)))) (combine terms al) =
               existsb (fun tn => value v (n_seen_plus (s_number (fst tn)))) (combine terms (map t_number defs)) /\
               existsb (fun ta => value v (n_seen_minus (s_number (fst ta)))) (combine terms al) =
               existsb (fun tn => value v (n_seen_minus (s_number (fst tn)))) (combine terms (map t_number defs))).
  { clear -LA HT. revert al LA. induction HT as [|t d l l' _ _ IH]; intros [|a al] LA; try discriminate; [now split|].
    cbn [combine map existsb fst]. destruct (IH al) as [-> ->]; [now inversion LA|]. now split. }
  assert (SC : sees v pp mm (sign_if (n' <? 0)) \/ n' = 0) by
    (destruct (Z.eqb_spec n' 0) as [Q|Q]; [now right|left]; unfold sees; rewrite Hpp, Hmm, SG1, SG2, NZ;
     destruct (Z.eqb_spec n' 0); [congruence|]; destruct (u_plus u), (n' <? 0); now split).
  assert (CS := sees_all (combine terms (map t_number defs))).
  assert (CM : map snd (combine terms (map t_number defs)) = map t_number defs).
  { clear -HT. induction HT as [|t d l l' _ _ IH]; [reflexivity|]. cbn. now rewrite IH. }
  rewrite CM in CS. destruct CS as [CP CMn].
  { intros t x I. clear -HT I. induction HT as [|a b l l' H _ IH]; [destruct I|]. cbn [map combine In] in I. destruct I as [I|I]; [|now apply IH].
    inversion I; subst. destruct H as (_ & _ & _ & _ & _ & val & e & s & N & (_ & _ & _ & (_ & _ & _ & _ & V5)) & _). rewrite N. exact V5. }
  { destruct terms; [congruence|]. inversion HT; subst. discriminate. }
  rewrite (proj1 PL), CP in HP. rewrite (proj2 PL), CMn in HM.
  assert (CZ : value v (a_cancelled acc) = negb (forallb is_zero (map (aligned (int E)) defs))).
  { rewrite HC. exact (all_zero_aligned F (int E) terms al defs HA HT). }
  assert (TV : D2R (Dyadic n q) = Rsum (map D2R (map (aligned (int E)) defs))) by exact (total_value F (int E) terms al defs HA HT).
  assert (VY : D2R (Dyadic (if value v (msb word_) then - num mag else num mag) q) = D2R (Dyadic n' q)).
  { apply D2R_same; [|reflexivity]. rewrite Sg, Nmag. destruct (Z.ltb_spec n' 0); lia. }
  unfold fuse. rewrite NS. split; [exact OE|]. split; [exact OE|].
  destruct (common_exponent u defs) as [ce|] eqn:CE.
  - destruct HE as [Hhere HEq]. split; [exact SP|].
    rewrite in_frame_none by exact Hframe. rewrite HLF. rewrite <- HEq. fold q.
    set (S := register u F (int E) defs (map (aligned (int E)) defs)).
    assert (VS : D2R S = D2R (Dyadic n' q)).
    { unfold S, register. rewrite Hsticky. assert (U : D2R (sum (map (aligned (int E)) defs)) = F2R (Float radix2 n q)) by (rewrite D2R_sum, <- TV; reflexivity).
      unfold n', W. destruct (u_carry u) as [w|]; fold q.
      - unfold wrapped. rewrite (units_correct _ n q U), !pow2_correct. fold (shown (1 + w + 2 + F) n). apply D2R_same; [|reflexivity].
        destruct (Z.le_gt_cases (1 + w + 2 + F) width) as [G|G]; [now rewrite Z.min_r by lia|].
        rewrite Z.min_l by lia. assert (2 ^ (width - 1) <= 2 ^ (1 + w + 2 + F - 1)) by (apply Z.pow_le_mono_r; lia).
        now rewrite !shown_fits by lia.
      - rewrite (shown_fits width n) by lia. exact U. }
    split; [|split; [exact Hhere|split; [reflexivity|split; [intros _; cbn [n_base n_exponent]; apply Z.le_refl|]]]].
    + unfold wires_value. cbn [n_negative n_magnitude n_base n_fraction]. rewrite Z.add_0_r. fold q. rewrite VY. now symmetry.
    + cbn [n_seen_plus n_seen_minus sign_of]. rewrite (is_zero_value _ _ VS), (is_negative_value _ _ VS).
      change (is_zero (Dyadic n' q)) with (n' =? 0). change (is_negative (Dyadic n' q)) with (n' <? 0).
      destruct (Z.eqb_spec n' 0) as [Q|Q]; [|destruct SC; [assumption|congruence]].
      unfold sees. rewrite Hpp, Hmm, SG1, SG2, NZ, HP, HM, CZ. assert (Q0 : (n' =? 0) = true) by now rewrite Q. rewrite ?Q0. cbn [negb].
      destruct (u_plus u); [rewrite orb_true_r, andb_false_r; now split|].
      unfold zero_sum_sign. destruct (forallb is_zero _); cbn [negb]; [rewrite !orb_false_r; destruct (common_sign _); now split|rewrite !orb_true_r; now split].
  - (* no term takes part: all are zero *)
    split; [exact SP|].
    assert (AZ : forallb is_zero (map (aligned (int E)) defs) = true).
    { apply forallb_forall. intros x Ix. apply in_map_iff in Ix. destruct Ix as (d & <- & Id).
      assert (KD : exists t, In (t, d) (combine terms defs) /\ keeps_term F t d).
      { clear -HT Id. induction HT as [|a b l l' H _ IH]; [destruct Id|]. destruct Id as [->|Id].
        - exists a. split; [now left|exact H].
        - destruct (IH Id) as (t & I & K). exists t. split; [now right|exact K]. }
      destruct KD as (t & _ & (C & _ & _ & HL & _ & val & e & s & N & _ & Nz & _)). unfold aligned. rewrite N.
      destruct (is_zero val) eqn:Z; [reflexivity|]. exfalso. specialize (Nz eq_refl). destruct e as [e|]; [|congruence].
      unfold common_exponent in CE. pose proof (largest_fold (map takes_part defs) (u_floor u) (fun _ _ => Logic.I)) as LF.
      destruct (fold_left max_option (map takes_part defs) (u_floor u)); [discriminate|]. destruct LF as [_ LF].
      apply (LF e). apply in_map_iff. exists d. split; [|exact Id]. unfold takes_part. rewrite N, Z, <- C, HL. cbn. f_equal. ring. }
    assert (N0 : n = 0).
    { assert (R0 : Rsum (map D2R (map (aligned (int E)) defs)) = 0%R).
      { clear -AZ. induction (map (aligned (int E)) defs) as [|x l IH]; [reflexivity|]. cbn [forallb] in AZ. apply andb_prop in AZ. destruct AZ as [A1 A2].
        apply is_zero_correct in A1. change (D2R x + Rsum (map D2R l) = 0)%R. rewrite A1, (IH A2). ring. }
      rewrite R0 in TV. apply is_zero_correct in TV. unfold is_zero in TV. cbn [Notation.num] in TV. now apply Z.eqb_eq. }
    assert (N'0 : n' = 0).
    { unfold n'. rewrite N0. apply shown_fits; [lia|]. pose proof (Z.pow_pos_nonneg 2 (W - 1) eq_refl ltac:(lia)). lia. }
    split; [|split; [exact HE|split; [exact I|split; [discriminate|]]]].
    + unfold wires_value. cbn [n_negative n_magnitude n_base n_fraction]. rewrite Z.add_0_r. fold q. rewrite VY, N'0, D2R_zero.
      unfold D2R, F2R. cbn. ring.
    + cbn [n_seen_plus n_seen_minus sign_of]. change (is_zero zero) with true. cbv iota.
      unfold sees. rewrite Hpp, Hmm, SG1, SG2, NZ, HP, HM, CZ, AZ, N'0. cbn [Z.eqb negb]. rewrite !orb_false_r.
      destruct (u_plus u); [rewrite orb_true_r, andb_false_r; now split|]. destruct (common_sign _); now split.
Qed.

End Fuse.
