(** * The terms of a sum

    What is known of the terms of a sum in the circuit, and of what they are aligned to: it is [aligned] of the definition, and a
    multiple of the power of two that the circuit uses. *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core.
From Discern Require Import Notation Real Exact Laws Units Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading
  Rounding Exponents Numbers Factors Alignment.
Import ListNotations.
Open Scope Z_scope.

Lemma computes_forall {A B} v (m : making A) (P : B -> A -> Prop) :
  (forall b, computes v m (P b)) -> computes v m (fun a => forall b, P b a).
Proof. intros H s S b. exact (H b s S). Qed.

(** Numbers of which none is special, and no infinity is without a sign, are finite. *)
Lemma not_special l : Forall (fun x => match x with Infinite s _ => s <> Mixed | _ => True end) l -> special_sum l = None ->
  Forall (fun x => match x with Finite _ _ _ => True | _ => False end) l.
Proof.
  intros H N. assert (G : forall t, special_of t l = None).
  { unfold special_sum in N. destruct (special_of false l) eqn:A; [discriminate|]. intros [|]; congruence. }
  rewrite Forall_forall in *. intros x Ix. specialize (H x Ix).
  assert (K : forall t, existsb (is_nan_of t) l = false /\ existsb (is_infinity_of t Plus) l = false /\ existsb (is_infinity_of t Minus) l = false).
  { intros t. specialize (G t). unfold special_of in G.
    destruct (existsb (is_nan_of t) l), (existsb (is_infinity_of t Plus) l), (existsb (is_infinity_of t Minus) l); cbn in G; try discriminate; auto. }
  assert (Q : forall f, existsb f l = false -> f x = false).
  { intros f E. destruct (f x) eqn:F; [|reflexivity]. assert (existsb f l = true) by (apply existsb_exists; eauto). congruence. }
  destruct x as [d e s|s t|s t c]; [exact I| |]; destruct (K t) as (K1 & K2 & K3).
  - apply Q in K2, K3. cbn in K2, K3. rewrite eqb_reflx in K2, K3. destruct s; [discriminate|discriminate|congruence].
  - apply Q in K1. cbn in K1. now rewrite eqb_reflx in K1.
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


(** A register shows a multiple of what it holds a multiple of. *)
Lemma shown_multiple W n q p : 0 < W -> multiple_of (Dyadic n q) p -> multiple_of (Dyadic (shown W n) q) p.
Proof.
  intros HW [k Hk]. destruct (Z.le_gt_cases p q) as [L|L]; [apply (multiple_of_less _ q); [exact L|now exists (shown W n)]|].
  assert (N : n = k * 2 ^ (p - q)).
  { apply eq_IZR. rewrite mult_IZR. rewrite <- pow2_correct, IZR_pow2 by lia. apply Rmult_eq_reg_r with (bpow radix2 q); [|apply Rgt_not_eq, bpow_gt_0].
    rewrite Rmult_assoc, <- bpow_plus. replace (p - q + q) with p by ring. exact Hk. }
  assert (M : exists m, shown W n = m * 2 ^ (p - q)).
  { set (g := p - q) in *. assert (G : 0 < g) by (unfold g; lia). destruct (Z.le_gt_cases g W) as [LG|LG].
    - unfold shown. rewrite Zmod_eq by (pose proof (Z.pow_pos_nonneg 2 W); lia). set (z := (n + 2 ^ (W - 1)) / 2 ^ W).
      exists (k - z * 2 ^ (W - g)). rewrite Z.mul_sub_distr_r, <- Z.mul_assoc, <- Z.pow_add_r by lia. replace (W - g + g) with W by ring. lia.
    - exists 0. unfold shown. rewrite N. replace (k * 2 ^ g) with (k * 2 ^ (g - W) * 2 ^ W) by (rewrite <- Z.mul_assoc, <- Z.pow_add_r by lia; f_equal; f_equal; ring).
      rewrite Z.add_comm, Z.mod_add by (pose proof (Z.pow_pos_nonneg 2 W); lia). rewrite Z.mod_small; [ring|].
      split; [apply Z.pow_nonneg; lia|]. apply Z.pow_lt_mono_r; lia. }
  destruct M as [m Hm]. exists m. rewrite Hm. unfold D2R, F2R. cbn [Notation.num scale Fnum Fexp].
  rewrite mult_IZR, <- pow2_correct, IZR_pow2, Rmult_assoc, <- bpow_plus by lia. f_equal. f_equal. ring.
Qed.

Lemma multiple_of_sum q l : Forall (fun d => multiple_of d q) l -> exists k, Rsum (map D2R l) = F2R (Float radix2 k q).
Proof.
  intros H. induction H as [|d l [k Hk] _ [m Hm]]; [exists 0; symmetry; apply F2R_0|].
  exists (k + m). change (Rsum (map D2R (d :: l))) with (D2R d + Rsum (map D2R l))%R. rewrite Hk, Hm. unfold F2R. cbn [Fnum Fexp].
  rewrite plus_IZR. ring.
Qed.

Section Terms.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).

(** The attributes of a child that are covered: none is out of all proportion. *)
Definition fair_child (c : child_attr) : Prop :=
  match ch_F c with Some F => 0 <= F <= 2 ^ 43 | None => True end /\
  match ch_drop c with Some n => - 2 ^ 40 <= n <= 2 ^ 40 | None => True end /\ - 2 ^ 40 <= ch_less c <= 2 ^ 40 /\
  match ch_zero c with At n => - 2 ^ 40 <= n - ch_less c <= 2 ^ 40 | _ => True end.

(** A term of the circuit and of the definition, after [less]. *)
Definition is_placed (above : Z) (t : sum_term) (d : term) : Prop :=
  let x := s_number t in
  s_child t = t_child d /\ s_is_c t = t_is_c d /\ fair_child (s_child t) /\ special_is v (n_special x) (t_number d) /\
  int_ok v (n_exponent x) /\ near (n_base x) /\ near (n_exponent x) /\
  n_fraction x <= 2 ^ 43 /\ 0 < len (n_magnitude x) <= n_fraction x + above /\ - 2 ^ 41 <= n_lsb x /\
  match t_number d with
  | Finite val e s =>
      finite_term_is v t val e /\
      value v (n_has_exponent x) = (match e with Some _ => true | None => false end) /\
      match e with Some e => int (n_exponent x) = e - ch_less (s_child t) | None => True end /\
      (is_zero val = false -> int (n_base x) <= int (n_exponent x)) /\
      sees v (n_seen_plus x) (n_seen_minus x) (sign_of (t_number d))
  | Infinite s _ => s <> Mixed
  | NaN _ _ _ => True
  end.

(** The same before it. *)
Definition is_term (above : Z) (t : sum_term) (d : term) : Prop :=
  let x := s_number t in
  let n := ch_less (s_child t) in
  s_child t = t_child d /\ s_is_c t = t_is_c d /\ fair_child (s_child t) /\ is_number v above x (t_number d) /\
  0 < len (n_magnitude x) <= n_fraction x - n + above /\ n_fraction x - n <= 2 ^ 43 /\
  near (offset_by (n_base x) (- n)) /\ near (offset_by (n_exponent x) (- n)).

Lemma with_less_placed above t d : is_term above t d -> is_placed above (with_less t) d.
Proof.
  intros (C & IC & HC & ((O2 & S & W) & (F1 & L1 & B1 & _ & _) & N) & L2 & F2 & N1 & N2). unfold is_placed, with_less.
  set (x := s_number t) in *. set (n := ch_less (s_child t)) in *. cbv zeta. cbn [s_child s_number].
  destruct (offset_by_ok v (n_base x) (- n)) as [B3 _]. destruct (offset_by_ok v (n_exponent x) (- n)) as [E3 E4].
  cbn [with_exponent with_base n_special n_base n_exponent n_fraction n_magnitude n_lsb n_has_exponent n_seen_plus n_seen_minus].
  split; [exact C|]. split; [exact IC|]. split; [exact HC|]. split; [exact S|]. split; [now apply E4|].
  split; [exact N1|]. split; [exact N2|]. split; [exact F2|]. split; [exact L2|]. split; [exact B1|].
  destruct (t_number d) as [val e s|s b|s b c]; [|exact N|exact I]. destruct W as (V1 & V2 & V3 & V4 & V5). destruct N as (Ne & Mu).
  split; [|split; [exact V2|split; [|split; [|exact V5]]]].
  - split; [|split; [|exact Mu]].
    + cbn [s_number]. rewrite <- V1. unfold wires_value. cbn [with_exponent with_base n_negative n_magnitude n_base n_fraction].
      apply Reading.D2R_same; [reflexivity|]. rewrite B3. fold x n. ring.
    + cbn [s_number s_child with_exponent with_base n_exponent]. fold n. intros Z. specialize (Ne Z). destruct e as [e|]; [|congruence].
      exists e. split; [reflexivity|]. rewrite E3, V3. ring.
  - destruct e as [e|]; [|exact I]. rewrite E3, V3. unfold n. ring.
  - intros Z. rewrite B3, E3. destruct (V4 Z). lia.
Qed.

Definition is_finite_term (d : term) : Prop := match t_number d with Finite _ _ _ => True | _ => False end.

Lemma placed_is_term above t d : is_placed above t d -> is_finite_term d -> term_is v t d.
Proof.
  intros (C & _ & _ & _ & O2 & _ & N2 & _ & _ & _ & W) Fi. unfold is_finite_term in Fi. split; [exact C|].
  destruct (t_number d) as [val e s| |]; [|destruct Fi|destruct Fi]. destruct W as ((V1 & V2 & V3) & V4 & V5 & _).
  exists val, e, s. split; [reflexivity|]. split; [now apply (wires_zero v)|]. split; [exact V4|]. split.
  - intros Z. destruct (V2 Z) as (n & -> & _). discriminate.
  - split; [exact O2|]. split; [exact N2|]. rewrite <- C. exact V5.
Qed.

(** The integer that a term adds, in units of its last kept bit. *)
Definition addend (t : sum_term) (a : aligned_term) : Z :=
  if value v (n_negative (s_number t)) then - num (al_magnitude a) else num (al_magnitude a).
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

Lemma fold_max_upper (f : aligned_term -> Z) l : forall m, m <= fold_left (fun m a => Z.max m (f a)) l m /\
  forall a, In a l -> f a <= fold_left (fun m a => Z.max m (f a)) l m.
Proof.
  induction l as [|b l IH]; intros m; cbn [fold_left]; [split; [lia|intros a []]|].
  destruct (IH (Z.max m (f b))) as [H1 H2]. split; [lia|]. intros a [->|I]; [lia|now apply H2].
Qed.


(** A term, aligned, and whether that changed it. *)
Definition is_aligned (E : integer) (above : Z) (t : sum_term) (a : aligned_term) : Prop :=
  al_F a = kept_bits t E /\ 0 < len (al_magnitude a) <= kept_bits t E + above + 2 /\
  forall d, is_placed above t d -> is_finite_term d ->
    (forall val e s, t_number d = Finite val e s -> is_zero val = false -> int (n_base (s_number t)) <= int E) ->
    D2R (Dyadic (addend t a) (int E - kept_bits t E)) = D2R (aligned (int E) d) /\
    (value v (al_changed a) = false <-> D2R (aligned (int E) d) = D2R (value_of (t_number d))).

Lemma kept_range above t d E : near E -> is_placed above t d -> 0 <= kept_bits t E <= 2 ^ 43.
Proof.
  intros (E1 & E2 & E3) (_ & _ & (HF & _) & _ & _ & _ & _ & Fr & _ & Lb & _). unfold kept_bits.
  destruct (ch_F (s_child t)); [lia|]. change (2 ^ 43) with (8 * 2 ^ 40) in *. change (2 ^ 41) with (2 * 2 ^ 40) in *. lia.
Qed.

Lemma computes_aligned E above t d : int_ok v E -> near E -> 0 <= above -> is_placed above t d ->
  computes v (align_wires t E) (is_aligned E above t).
Proof.
  intros OE NE A0 P. pose proof (kept_range above t d E NE P) as KR.
  pose proof P as (C & _ & (HF & HD & HL & _) & _ & O2 & N1 & N2 & Fr & Ln & Lb & _).
  assert (G : forall d', computes v (align_wires t E) (fun a => al_F a = kept_bits t E /\ 0 < len (al_magnitude a) <= kept_bits t E + above + 2 /\
     (is_placed above t d' -> is_finite_term d' ->
      (forall val e s, t_number d' = Finite val e s -> is_zero val = false -> int (n_base (s_number t)) <= int E) ->
      D2R (Dyadic (addend t a) (int E - kept_bits t E)) = D2R (aligned (int E) d') /\
      (value v (al_changed a) = false <-> D2R (aligned (int E) d') = D2R (value_of (t_number d')))))).
  { intros d'. set (fin := match t_number d' with Finite val e s => (val, e, s) | _ => (zero, None, Plus) end).
    eapply computes_weaken.
    - apply (computes_align v v0 t E (t_child d') (t_is_c d') (fst (fst fin)) (snd (fst fin)) (snd fin)); try assumption.
      + destruct (ch_F (s_child t)); [lia|exact I].
      + destruct (ch_drop (s_child t)); [|exact I]. change (2 ^ 41) with (2 * 2 ^ 40). lia.
      + lia.
      + destruct NE as (_ & E2 & _), N1 as (N1 & _ & _). change (2 ^ 64) with (16777216 * 2 ^ 40). lia.
    - intros a (A1 & A2 & A3). split; [exact A1|]. split; [lia|]. intros P' Fi Bl. unfold is_finite_term in Fi.
      pose proof P' as (C' & _ & _ & _ & _ & _ & _ & _ & _ & _ & W).
      unfold fin in A3. destruct (t_number d') as [val e s| |] eqn:TN; [|destruct Fi|destruct Fi]. cbn [fst snd] in A3.
      destruct A3 as [A3 A4]; [apply W|exact C'|exact (Bl val e s eq_refl)|]. unfold addend. rewrite A3. destruct d' as [ch b x]; cbn [t_number t_child t_is_c] in *. subst x. now split. }
  intros s S. split; [exact (proj1 (G d s S))|]. split; [exact (proj1 (proj2 (G d s S)))|]. intros d'. exact (proj2 (proj2 (G d' s S))).
Qed.

(** Whether some term was changed. *)
Lemma lost_value above E : forall terms al defs,
  Forall2 (is_aligned E above) terms al -> Forall2 (is_placed above) terms defs -> Forall is_finite_term defs ->
  (forall t d val e s, In (t, d) (combine terms defs) -> t_number d = Finite val e s -> is_zero val = false -> int (n_base (s_number t)) <= int E) ->
  existsb (fun ta => value v (al_changed (snd ta))) (combine terms al) =
  existsb (fun tv => negb (is_zero (plus (value_of (t_number (fst tv))) (opposite (snd tv))))) (combine defs (map (aligned (int E)) defs)).
Proof.
  intros terms al defs H. revert defs. induction H as [|t a terms l (_ & _ & Ha) _ IH]; intros defs K Fi Bl; inversion K as [|? d ? ds Kd Ks]; subst; [reflexivity|].
  inversion Fi as [|? ? Fd Fs]; subst. cbn [combine map existsb fst snd]. rewrite (IH ds Ks Fs); [|intros t' d' val e s I'; exact (Bl t' d' val e s (or_intror I'))].
  f_equal. destruct (Ha d Kd Fd) as [_ C]; [intros val e s Tn Z; exact (Bl t d val e s (or_introl eq_refl) Tn Z)|].
  assert (Z : is_zero (plus (value_of (t_number d)) (opposite (aligned (int E) d))) = true <-> D2R (aligned (int E) d) = D2R (value_of (t_number d))).
  { rewrite is_zero_correct, D2R_plus, D2R_opposite. split; intros Q; lra. }
  destruct (value v (al_changed a)), (is_zero (plus _ _)); try reflexivity; [destruct C as [_ C]|destruct C as [C _]]; cbn [negb].
  - discriminate (C (proj1 Z eq_refl)).
  - exact (proj2 Z (C eq_refl)).
Qed.

(** What an aligned term is a multiple of. *)
Lemma aligned_multiple above t d E : is_placed above t d -> is_finite_term d -> multiple_of (aligned (int E) d) (lsb_of t E).
Proof.
  intros (C & _ & _ & _ & _ & _ & _ & _ & _ & _ & W) Fi. unfold is_finite_term in Fi. unfold aligned.
  destruct (t_number d) as [val e s| |]; [|destruct Fi|destruct Fi]. destruct W as ((_ & _ & M) & _).
  destruct (is_zero val || _) eqn:Z; [now apply multiple_of_zero|]. unfold lsb_of. rewrite <- C.
  destruct (ch_F (s_child t)) as [F|]; [|exact M].
  apply (multiple_of_less _ (Z.max (n_lsb (s_number t)) (int E - F))); [|now apply multiple_of_rnd].
  pose proof (int_bounds v E). lia.
Qed.

End Terms.
