(** * Products

    The circuit of a product of two operands, without scales and attributes, is the product of the definition: all finite
    numbers, zeros with their signs, infinities, infinity times zero, and NaN. *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core.
From Discern Require Import Notation Real Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading.
From Discern Require Fma.
Import ListNotations.
Open Scope Z_scope.

(** What is read is never tentative, and a finite number has an exponent. *)
Lemma read_is f bits :
  match read f bits with Finite _ e _ => e <> None | Infinite s t => t = false /\ s <> Mixed | NaN _ t _ => t = false end.
Proof.
  unfold read. destruct (is_fixed f); [discriminate|]. unfold read_float, read_finite.
  destruct (kind_of f); repeat match goal with |- context [if ?c then _ else _] => destruct c end;
    first [ discriminate | reflexivity
          | split; [reflexivity|]; match goal with |- sign_if ?n <> _ => destruct n; discriminate end ].
Qed.

Section Products.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).

(** A factor as it was read: its wires, and no NaN kinds. *)
Definition is_factor (x : wires) (n : number) : Prop :=
  wires_are v x n /\ factor_is v x n /\ n_kind x = None /\ n_base x = n_exponent x /\
  match n with Finite _ e _ => e <> None | Infinite s t => t = false /\ s <> Mixed | NaN _ t _ => t = false end.

Lemma factor_zero x d e s : is_factor x (Finite d e s) -> (num (n_magnitude x) =? 0) = is_zero d.
Proof.
  intros ((_ & _ & _ & (Hv & _)) & _). unfold wires_value in Hv.
  destruct (is_zero d) eqn:Z.
  - apply is_zero_correct in Z. rewrite Z in Hv. apply is_zero_correct in Hv. unfold is_zero in Hv. cbn [Notation.num] in Hv.
    apply Z.eqb_eq in Hv. apply Z.eqb_eq. destruct (value v (n_negative x)); lia.
  - apply is_zero_false in Z. rewrite <- Hv in Z. apply is_zero_false in Z. unfold is_zero in Z. cbn [Notation.num] in Z.
    apply Z.eqb_neq in Z. apply Z.eqb_neq. destruct (value v (n_negative x)); lia.
Qed.

Lemma factor_sign x n : is_factor x n -> is_nan_number n = false -> sign_of n = sign_if (value v (n_negative x)).
Proof. intros (_ & (H & _) & _). exact H. Qed.

Lemma sees_sign_if p m b : value v m = b -> value v p = negb b -> sees v p m (sign_if b).
Proof. intros Hm Hp. unfold sees. rewrite Hm, Hp. now destruct b. Qed.

(** What decides about special values of a product, for the wires of a factor. *)
Lemma factor_special x n : is_factor x n ->
  value v (w_nan (n_special x)) = is_nan_number n /\
  (is_nan_number n = false -> value v (w_plus (n_special x)) || value v (w_minus (n_special x)) = is_infinite_number n) /\
  (is_infinite_number n = true -> (num (n_magnitude x) =? 0) = false).
Proof.
  intros ((_ & _ & (S1 & S2 & S3 & S4 & S5) & _) & (_ & F) & _ & _ & R). split; [|split].
  - rewrite S1. destruct n as [d e s|s t|s t c]; cbn; [reflexivity|reflexivity|now rewrite R].
  - intros N. destruct n as [d e s|s t|s t c]; [| |discriminate].
    + rewrite S1 in S3. destruct (S3 eq_refl) as [-> ->]. reflexivity.
    + rewrite S1 in S3. destruct (S3 eq_refl) as [-> ->]. destruct R as [-> Ns]. cbn. destruct s; [reflexivity|reflexivity|congruence].
  - intros I. apply F in I. apply Z.eqb_neq. lia.
Qed.

Theorem computes_product u i which counts k :
  let p := ProductAttr which raw None counts KeepSubnormals false false false in
  let a := operand (o_a i) k in
  let b := operand (o_b i) k in
  unit_scales u = None -> has_kinds u = false ->
  valid_format (unit_a u) = true -> is_fixed (unit_a u) = false -> 1 <= E_bits (unit_a u) -> len a = width (unit_a u) ->
  (has_zero (unit_a u) = false -> M_bits (unit_a u) = 0) ->
  valid_format (unit_b u) = true -> is_fixed (unit_b u) = false -> 1 <= E_bits (unit_b u) -> len b = width (unit_b u) ->
  (has_zero (unit_b u) = false -> M_bits (unit_b u) = 0) ->
  computes v (product_wires u i p k)
    (fun x => wires_are v x (limit_and_normalise p (product false (factor p (unit_a u) (read (unit_a u) (num a)))
                                                                  (factor p (unit_b u) (read (unit_b u) (num b)))))).
Proof.
  intros p a b Sc Kd Va Fa Ea La Za Vb Fb Eb Lb Zb.
  assert (RF : forall f w, valid_format f = true -> is_fixed f = false -> 1 <= E_bits f -> len w = width f ->
             (has_zero f = false -> M_bits f = 0) -> computes v (factor_wires f w p) (fun x => is_factor x (read f (num w)))).
  { intros f w Vf Ff Ef Lw Zf. unfold factor_wires. cbn [p p_infnan p_nanzero p_ftz].
    eapply computes_bind; [apply (computes_read v v0 f w Vf Ff Ef Lw Zf)|]. intros x (W & _ & _ & _ & _ & BE & FI & NK).
    eapply computes_bind with (P := fun y => y = x); [now apply computes_ret|]. intros y ->.
    eapply computes_bind with (P := fun y => y = x); [now apply computes_ret|]. intros y ->.
    apply computes_ret. split; [exact W|]. split; [exact FI|]. split; [exact NK|]. split; [exact BE|]. apply read_is. }
  assert (PL : forall f x, factor p f x = x) by (intros f x; unfold factor, p; destruct x; reflexivity).
  assert (LN : forall x, limit_and_normalise p x = x) by (intros [d e s| |]; cbn; try reflexivity; now destruct (is_zero d)).
  rewrite !PL, LN. unfold product_wires. fold a b.
  eapply computes_bind; [now apply RF|]. intros xa Ha. eapply computes_bind; [now apply RF|]. intros xb Hb. clear RF.
  set (na := read (unit_a u) (num a)) in *. set (nb := read (unit_b u) (num b)) in *. clearbody na nb.
  pose proof (factor_special xa na Ha) as (Na & Ia & Ma). pose proof (factor_special xb nb Hb) as (Nb & Ib & Mb).
  pose proof (factor_sign xa na Ha) as SA. pose proof (factor_sign xb nb Hb) as SB.
  (* the product of wires *)
  eapply computes_bind with (P := fun x =>
    value v (n_negative x) = xorb (value v (n_negative xa)) (value v (n_negative xb)) /\
    num (n_magnitude x) = num (n_magnitude xa) * num (n_magnitude xb) /\
    int (n_base x) = int (n_base xa) + int (n_base xb) /\ int_ok v (n_base x) /\ n_fraction x = n_fraction xa + n_fraction xb /\
    n_has_exponent x = yes /\ n_special x = no_special_wires /\ n_kind x = None).
  { unfold plain_product_wires. eapply computes_bind; [apply computes_xor|]. intros ng Hng.
    eapply computes_bind; [apply (computes_multiply v v0)|]. intros m [_ Hm].
    eapply computes_bind; [apply (computes_i_sum v v0); [apply Ha|apply Hb]|]. intros bs (Hbs & Obs & _).
    apply computes_ret. cbn. repeat split; assumption. }
  intros x (X1 & X2 & X3 & X4 & X5 & X6 & X7 & X8).
  unfold scale_wires. rewrite Sc. eapply computes_bind with (P := fun l => l = []); [now apply computes_ret|]. intros l ->.
  eapply computes_bind with (P := fun y => y = x); [now apply computes_ret|]. intros y ->.
  cbn [p p_infzero p_limit p_normalisation p_counts].
  set (x' := with_signs (n_negative x) (invert (n_negative x)) (n_negative x) (with_exponent (n_base x) x)).
  (* special values *)
  eapply computes_bind with (P := fun y => exists s c, y = with_special s c None x' /\
    special_is v s (product false na nb)).
  { unfold multiply_specials. cbn [fold_m].
    eapply computes_bind with (P := fun t => let '(n, f, z) := t in
       value v n = is_nan_number na || is_nan_number nb /\
       value v f = (value v (w_plus (n_special xa)) || value v (w_minus (n_special xa))) ||
                   (value v (w_plus (n_special xb)) || value v (w_minus (n_special xb))) /\
       value v z = (num (n_magnitude xa) =? 0) || (num (n_magnitude xb) =? 0)).
    { eapply computes_bind with (P := fun t => let '(n, f, z) := t in value v n = is_nan_number na /\
         value v f = value v (w_plus (n_special xa)) || value v (w_minus (n_special xa)) /\ value v z = (num (n_magnitude xa) =? 0)).
      - eapply computes_bind; [apply computes_or|]. intros n Hn. eapply computes_bind; [apply computes_or|]. intros e He.
        eapply computes_bind; [apply computes_or|]. intros f Hf. eapply computes_bind; [apply (computes_any v v0)|]. intros sm Hs.
        eapply computes_bind; [apply computes_or|]. intros z Hz. apply computes_ret.
        rewrite Hn, Hf, Hz, He, value_invert, Hs, (value_no0 v v0), Na, negb_involutive. cbn [orb]. auto.
      - intros [[n f] z] (H1 & H2 & H3).
        eapply computes_bind with (P := fun t => let '(n, f, z) := t in
          value v n = is_nan_number na || is_nan_number nb /\
          value v f = (value v (w_plus (n_special xa)) || value v (w_minus (n_special xa))) ||
                      (value v (w_plus (n_special xb)) || value v (w_minus (n_special xb))) /\
          value v z = (num (n_magnitude xa) =? 0) || (num (n_magnitude xb) =? 0)).
        + eapply computes_bind; [apply computes_or|]. intros n' Hn. eapply computes_bind; [apply computes_or|]. intros e He.
          eapply computes_bind; [apply computes_or|]. intros f' Hf. eapply computes_bind; [apply (computes_any v v0)|]. intros sm Hs.
          eapply computes_bind; [apply computes_or|]. intros z' Hz. apply computes_ret.
          rewrite Hn, Hf, Hz, He, value_invert, Hs, H1, H2, H3, Nb, negb_involutive. auto.
        + intros t Ht. now apply computes_ret. }
    intros [[n f] z] (Hn & Hf & Hz).
    eapply computes_bind with (P := fun n' => value v n' = value v n || (value v f && value v z)).
    { eapply computes_bind; [apply computes_and|]. intros bo Hbo. eapply computes_weaken; [apply computes_or|]. intros q ->. now rewrite Hbo. }
    intros n' Hn'. eapply computes_bind; [apply computes_and|]. intros pl Hpl. eapply computes_bind; [apply computes_and|]. intros mi Hmi.
    eapply computes_bind with (P := fun _ => True); [intros s0 _; exact I|]. intros here _.
    eapply computes_bind with (P := fun _ => True); [intros s0 _; exact I|]. intros kn _.
    eapply computes_bind with (P := fun _ => True); [intros s0 _; exact I|]. intros pay _.
    apply computes_ret. rewrite Kd.
    assert (K0 : n_kind x' = None) by exact X8. rewrite K0. do 2 eexists. split; [reflexivity|].
    unfold special_is. cbn [w_nan w_plus w_minus t_nan t_plus t_minus].
    assert (T0 : t_nan (n_special x') = no /\ t_plus (n_special x') = no /\ t_minus (n_special x') = no).
    { change (n_special x') with (n_special x). rewrite X7. repeat split. }
    destruct T0 as (-> & -> & ->). rewrite !(value_no0 v v0), Hpl, Hmi, Hn', Hn, Hf, Hz, value_invert.
    change (n_negative x') with (n_negative x). rewrite X1.
    assert (FN : forall d e s, (is_factor xa (Finite d e s) -> (num (n_magnitude xa) =? 0) = is_zero d) /\
                               (is_factor xb (Finite d e s) -> (num (n_magnitude xb) =? 0) = is_zero d)).
    { intros d e s. split; apply factor_zero. }
    destruct na as [d e s|s t|s t c]; destruct nb as [d' e' s'|s' t'|s' t' c']; cbn [is_nan_number is_infinite_number] in *;
      try rewrite (Ia eq_refl); try rewrite (Ib eq_refl);
      try rewrite (Ma eq_refl); try rewrite (Mb eq_refl);
      try rewrite (proj1 (FN _ _ _) Ha); try rewrite (proj2 (FN _ _ _) Hb); cbn [orb andb].
    - unfold product. destruct e, e'; cbn; auto.
    - assert (T : t' = false) by apply Hb. subst t'. cbn [product is_zero_number orb negb andb]. rewrite (SA eq_refl), (SB eq_refl).
      destruct (is_zero d); cbn [orb andb negb]; [destruct e; cbn; repeat split; discriminate|].
      destruct e; cbn [is_nan_of is_infinity_of]; destruct (value v (n_negative xa)), (value v (n_negative xb)); cbn; repeat split.
    - assert (T : t' = false) by apply Hb. subst t'. destruct e, c'; cbn; repeat split; discriminate.
    - assert (T : t = false) by apply Ha. subst t. cbn [product is_zero_number orb negb andb]. rewrite (SA eq_refl), (SB eq_refl).
      destruct (is_zero d'); cbn [orb andb negb]; [cbn; repeat split; discriminate|].
      cbn [is_nan_of is_infinity_of]; destruct (value v (n_negative xa)), (value v (n_negative xb)); cbn; repeat split.
    - assert (T : t = false) by apply Ha. assert (T' : t' = false) by apply Hb. subst t t'.
      cbn [product is_zero_number orb negb andb]. rewrite (SA eq_refl), (SB eq_refl).
      destruct (value v (n_negative xa)), (value v (n_negative xb)); cbn; repeat split.
    - destruct c'; cbn; repeat split; discriminate.
    - destruct c; cbn; repeat split; discriminate.
    - destruct c; cbn; repeat split; discriminate.
    - destruct c, c'; cbn; repeat split; discriminate. }
  intros y (s & c & -> & SP). eapply computes_bind with (P := fun z => z = with_special s c None x'); [now apply computes_ret|]. intros z ->.
  unfold normalise_product. eapply computes_bind with (P := fun _ => True); [intros s0 _; exact I|]. intros some _. apply computes_ret.
  split; [exact X4|]. split; [exact X4|]. split; [exact SP|].
  destruct (product false na nb) as [d e sg|sg t|sg t ct] eqn:PQ; [|exact I|exact I].
  assert (FF : exists da ea sa db eb sb, na = Finite da (Some ea) sa /\ nb = Finite db (Some eb) sb /\
             d = times da db /\ e = Some (ea + eb) /\ sg = sign_product (sign_of na) (sign_of nb)).
  { assert (Ra : match na with Finite _ e _ => e <> None | _ => True end) by (destruct na; try exact I; apply Ha).
    assert (Rb : match nb with Finite _ e _ => e <> None | _ => True end) by (destruct nb; try exact I; apply Hb).
    destruct na as [da [ea|] sa|s1 t1|s1 t1 [c1|]]; destruct nb as [db [eb|] sb|s2 t2|s2 t2 [c2|]]; cbn in PQ; try congruence;
      try (match type of PQ with context [if ?c then _ else _] => destruct c; discriminate end).
    inversion PQ. do 6 eexists. repeat split; reflexivity. }
  destruct FF as (da & ea & sa & db & eb & sb & -> & -> & -> & -> & ->).
  destruct Ha as ((_ & _ & _ & (Va1 & _ & Va3 & Va4 & _)) & _ & _ & BEa & _). destruct Hb as ((_ & _ & _ & (Vb1 & _ & Vb3 & Vb4 & _)) & _ & _ & BEb & _).
  specialize (SA eq_refl). specialize (SB eq_refl).
  split; [|split; [|split; [|split]]].
  - change (wires_value v (with_special s c None x')) with (Dyadic (if value v (n_negative x) then - num (n_magnitude x) else num (n_magnitude x)) (int (n_base x) - n_fraction x)).
    rewrite D2R_times, <- Va1, <- Vb1, <- D2R_times. unfold wires_value, times. cbn [Notation.num scale].
    apply D2R_same; [|rewrite X3, X5; ring]. rewrite X1, X2. destruct (value v (n_negative xa)), (value v (n_negative xb)); cbn [xorb]; ring.
  - change (n_has_exponent (with_special s c None x')) with (n_has_exponent x). rewrite X6. exact (value_yes1 v v0).
  - change (n_exponent (with_special s c None x')) with (n_base x). rewrite X3, BEa, BEb, Va3, Vb3. reflexivity.
  - intros _. change (n_exponent (with_special s c None x')) with (n_base x). change (n_base (with_special s c None x')) with (n_base x). lia.
  - change (n_seen_plus (with_special s c None x')) with (invert (n_negative x)). change (n_seen_minus (with_special s c None x')) with (n_negative x).
    assert (SG : sign_of (Finite (times da db) (Some (ea + eb)) (sign_product (sign_of (Finite da (Some ea) sa)) (sign_of (Finite db (Some eb) sb)))) =
                 sign_if (xorb (value v (n_negative xa)) (value v (n_negative xb)))).
    { rewrite SA, SB. cbn [sign_of]. destruct (is_zero (times da db)) eqn:Z.
      - now destruct (value v (n_negative xa)), (value v (n_negative xb)).
      - assert (Zn : is_zero da = false /\ is_zero db = false).
        { apply is_zero_false in Z. rewrite D2R_times in Z. split; apply is_zero_false; intros Q; apply Z; rewrite Q; ring. }
        destruct Zn as [Zna Znb]. cbn [sign_of] in SA, SB. rewrite Zna in SA. rewrite Znb in SB.
        assert (NA : is_negative da = value v (n_negative xa)) by (destruct (is_negative da), (value v (n_negative xa)); cbn in SA; congruence).
        assert (NB : is_negative db = value v (n_negative xb)) by (destruct (is_negative db), (value v (n_negative xb)); cbn in SB; congruence).
        f_equal. rewrite <- NA, <- NB. unfold is_negative, is_zero, times in *. cbn [Notation.num] in *.
        apply Z.eqb_neq in Zna, Znb. destruct (Z.ltb_spec (Notation.num da) 0), (Z.ltb_spec (Notation.num db) 0), (Z.ltb_spec (Notation.num da * Notation.num db) 0); cbn; try reflexivity; nia. }
    rewrite SG, <- X1. apply sees_sign_if; [reflexivity|apply value_invert].
Qed.

End Products.
