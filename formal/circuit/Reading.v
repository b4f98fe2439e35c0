(** * The wires of a number, and reading patterns

    What it means that wires are a number of the definition, and that the circuit reads patterns as the definition does:
    finite numbers with their value, exponent and signs, infinities and NaN. (What a NaN carries is not spoken of.) *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core.
From Discern Require Import Notation Real Gates Lrat Making Words Shifts Integers Largest Circuit Fields.
Import ListNotations.
Open Scope Z_scope.

Section Reading.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).

(** The value of a finite number's wires. *)
Definition wires_value (x : wires) : dyadic :=
  Dyadic (if value v (n_negative x) then - num (n_magnitude x) else num (n_magnitude x)) (int (n_base x) - n_fraction x).

Definition sees (p m : literal) (s : sign) : Prop :=
  value v p = match s with Minus => false | _ => true end /\ value v m = match s with Plus => false | _ => true end.

(** No special value that counts before others is missed, and none is made up; behind a NaN, infinities do not matter. *)
Definition special_is (w : special_wires) (n : number) : Prop :=
  value v (w_nan w) = is_nan_of false n /\ value v (t_nan w) = is_nan_of true n /\
  (value v (w_nan w) = false -> value v (w_plus w) = is_infinity_of false Plus n /\ value v (w_minus w) = is_infinity_of false Minus n) /\
  value v (t_plus w) = is_infinity_of true Plus n /\ value v (t_minus w) = is_infinity_of true Minus n.

(** The wires of a finite number: the value, the reference exponent, which is not below the base, and the signs. The base of
    a zero may be anything. *)
Definition finite_is (x : wires) (d : dyadic) (e : option Z) (n : number) : Prop :=
  D2R (wires_value x) = D2R d /\
  value v (n_has_exponent x) = (match e with Some _ => true | None => false end) /\
  match e with Some e => int (n_exponent x) = e | None => True end /\
  (is_zero d = false -> int_ok v (n_base x) /\ int (n_base x) <= int (n_exponent x)) /\
  sees (n_seen_plus x) (n_seen_minus x) (sign_of n).

(** The wires are the number. *)
Definition wires_are (x : wires) (n : number) : Prop :=
  int_ok v (n_exponent x) /\ special_is (n_special x) n /\
  match n with Finite d e _ => finite_is x d e n | _ => True end.

(** What a product asks of its factors: the sign of its own wire, and no infinity with the magnitude of a zero. *)
Definition factor_is (x : wires) (n : number) : Prop :=
  (is_nan_number n = false -> sign_of n = sign_if (value v (n_negative x))) /\
  (is_infinite_number n = true -> 0 < num (n_magnitude x)).

Lemma D2R_same m m' q q' : m = m' -> q = q' -> D2R (Dyadic m q) = D2R (Dyadic m' q').
Proof. now intros -> ->. Qed.

Lemma is_zero_scaled m q : is_zero (Dyadic m q) = (m =? 0).
Proof. reflexivity. Qed.

(** ** Reading *)

Lemma sees_sign s : forall p m, value v m = s -> value v p = negb s -> sees p m (sign_if s).
Proof. intros p m Hm Hp. unfold sees. rewrite Hm, Hp. now destruct s. Qed.

Theorem computes_read f p : valid_format f = true -> is_fixed f = false -> 1 <= E_bits f -> len p = width f ->
  (has_zero f = false -> M_bits f = 0) ->
  computes v (read_wires f p) (fun x => wires_are x (read f (num p)) /\
    len (n_magnitude x) = M_bits f + 1 /\ n_fraction x = M_bits f /\
    i_low (n_base x) = - bias f /\ i_high (n_base x) = - bias f + pow2 (E_bits f) - 1 /\ n_base x = n_exponent x /\
    factor_is x (read f (num p))).
Proof.
  intros Vf Hf HE Lp Hz0. destruct (valid_parts f Vf) as (P1 & P2 & P3 & P4 & P5).
  pose proof (num_mantissa v v0 f Vf p) as NM. pose proof (num_exponent v v0 f Vf p) as NE.
  pose proof (length_mantissa f Vf p) as LM. pose proof (length_exponent f Vf p) as LE.
  pose proof (value_sign v v0 f Vf p Hf Lp) as VS.
  unfold read_wires. rewrite Hf.
  set (xe := exponent_of f (num p)) in *. set (fr := fraction_of f (num p)) in *. set (sg := sign_of_pattern f (num p)) in *.
  eapply computes_bind with (P := fun h => value v h = negb (has_zero f) || negb (xe =? 0)).
  { destruct (has_zero f); [|apply computes_ret; exact (value_yes1 v v0)].
    eapply computes_weaken; [apply (computes_any v v0)|]. intros h ->. now rewrite NE. }
  intros hidden Hh. set (hid := negb (has_zero f) || negb (xe =? 0)) in *.
  assert (Lr : len (repeated (invert hidden) 1) = 1) by (apply length_repeated; lia).
  assert (Nr : num (repeated (invert hidden) 1) = Z.b2z (negb hid)).
  { rewrite (num_repeated v) by lia. rewrite value_invert, Hh. now destruct hid. }
  eapply computes_bind.
  { apply (computes_word_or v). apply Nat2Z.inj. now rewrite LE, length_resize by lia. }
  intros field [Lfield Nfield]. cbv beta in *.
  assert (F2 : 1 < 2 ^ E_bits f) by (apply Z.pow_gt_1; lia).
  assert (NF : num field = if hid then xe else 1).
  { rewrite Nfield, NE, (num_resize_small v v0), Nr by (try (rewrite Nr; destruct hid; cbn [negb Z.b2z]); lia).
    unfold hid. destruct (has_zero f); cbn [negb orb].
    - destruct (Z.eqb_spec xe 0) as [->|N]; cbn [negb Z.b2z]; [reflexivity|apply Z.lor_0_r].
    - cbn [Z.b2z]. apply Z.lor_0_r. }
  eapply computes_bind; [now apply (computes_is_infinite v v0 f Vf)|]. intros inf Hinf.
  eapply computes_bind; [now apply (computes_is_nan v v0 f Vf)|]. intros nan Hnan.
  eapply computes_bind; [apply computes_and|]. intros plus_ Hplus.
  eapply computes_bind; [apply computes_and|]. intros minus Hminus. rewrite value_invert in Hplus.
  apply computes_ret. cbn [n_magnitude n_fraction n_base n_exponent].
  destruct (integer_of_ok v field (- bias f)) as [Ei Oi].
  assert (Lw : width_of field = E_bits f) by (unfold width_of; rewrite Lfield; exact LE).
  assert (MV : num (concat (repeated hidden 1) (mantissa_field f p)) = (if hid then pow2 (M_bits f) + fr else fr)).
  { rewrite (num_concat v), LM, NM, (num_repeated v), Hh, pow2_correct by lia. destruct hid; change (2 ^ 1 - 1) with 1; ring. }
  assert (NG : forall q, let d := Dyadic (if sg then - (if hid then pow2 (M_bits f) + fr else fr) else (if hid then pow2 (M_bits f) + fr else fr)) q in
            is_zero d = false -> is_negative d = sg).
  { intros q d Z. unfold d, is_negative, is_zero in *. cbn [Notation.num] in *. apply Z.eqb_neq in Z.
    assert (0 <= fr) by (rewrite <- NM; apply (num_bound v)). pose proof (pow2_pos (M_bits f) P2).
    destruct sg, hid; destruct (Z.ltb_spec (- (pow2 (M_bits f) + fr)) 0), (Z.ltb_spec (pow2 (M_bits f) + fr) 0), (Z.ltb_spec (- fr) 0), (Z.ltb_spec fr 0); try reflexivity; lia. }
  assert (IS : forall s t, read f (num p) = Infinite s t -> t = false /\ s = sign_if sg).
  { intros s t. unfold read. rewrite Hf. unfold read_float, read_finite. fold (sign_of_pattern f (num p)). fold sg.
    destruct (kind_of f); repeat match goal with |- context [if ?c then _ else _] => destruct c end; split; congruence. }
  assert (FF : forall d e s, read f (num p) = Finite d e s -> Finite d e s = read_finite f sg xe fr).
  { intros d e s R. rewrite <- R. unfold read in R |- *. rewrite Hf in R |- *. unfold read_float in R |- *.
    fold (sign_of_pattern f (num p)) (exponent_of f (num p)) (fraction_of f (num p)) in R |- *. fold sg xe fr in R |- *.
    destruct (kind_of f); repeat match type of R with context [if ?c then _ else _] => destruct c end; try reflexivity; discriminate. }
  split; [|repeat split].
  4: { intros N. cbn [n_negative]. rewrite VS. destruct (read f (num p)) as [d e s|s t|s t c] eqn:R; [| |discriminate N].
       - specialize (FF d e s eq_refl). unfold read_finite in FF. fold hid in FF. inversion FF as [[Hd He Hs]].
         cbn [sign_of]. destruct (is_zero _) eqn:Z; [reflexivity|]. now rewrite NG.
       - destruct (IS s t eq_refl) as [_ ->]. reflexivity. }
  4: { intros N. cbn [n_magnitude]. rewrite MV. rewrite (infinite_of_fields f Vf (num p)) in N. fold xe fr in N.
       assert (N' : (xe =? pow2 (E_bits f) - 1) = true) by (destruct (kind_of f); try discriminate; now apply andb_prop in N). clear N.
       rename N' into N. apply Z.eqb_eq in N.
       assert (0 <= fr) by (rewrite <- NM; apply (num_bound v)). pose proof (pow2_pos (M_bits f) P2).
       replace hid with true; [lia|]. unfold hid. destruct (Z.eqb_spec xe 0) as [E0|E0]; [|now destruct (has_zero f)].
       rewrite pow2_correct in N. lia. }
  2: { rewrite length_concat, LM, length_repeated by lia. reflexivity. }
  2: { cbn [integer_of i_high]. now rewrite Lw. }
  split; [exact Oi|]. cbn [n_special n_base n_exponent].
  rewrite VS in Hplus, Hminus.
  assert (NS : forall s t c, read f (num p) = NaN s t c -> t = false).
  { intros s t c. unfold read. rewrite Hf. unfold read_float, read_finite.
    destruct (kind_of f); repeat match goal with |- context [if ?c then _ else _] => destruct c end; congruence. }
  split.
  - unfold special_is. cbn [w_nan w_plus w_minus t_nan t_plus t_minus]. rewrite (value_no0 v v0), Hnan, Hplus, Hminus, Hinf.
    destruct (read f (num p)) as [d e s|s t|s t c] eqn:R; cbn [is_nan_number is_infinite_number is_nan_of is_infinity_of andb].
    + repeat split.
    + destruct (IS s t eq_refl) as [-> ->]. cbn [Bool.eqb andb]. destruct sg; repeat split.
    + rewrite (NS s t c eq_refl). cbn [Bool.eqb]. repeat split; discriminate.
  - destruct (read f (num p)) as [d e s|s t|s t c] eqn:R; [|exact I|exact I].
    specialize (FF d e s eq_refl). unfold read_finite in FF. fold hid in FF. inversion FF as [[Hd He Hs]]. clear FF.
    assert (EM : emin f = 1 - bias f \/ has_zero f = false) by (unfold emin; destruct (has_zero f); auto).
    assert (EV : int (integer_of field (- bias f)) = (if hid then xe - bias f else emin f)).
    { rewrite Ei, NF. unfold hid, emin. destruct (has_zero f); cbn [negb orb]; [|ring]. destruct (Z.eqb_spec xe 0); cbn [negb]; ring. }
    split; [|repeat split].
    + unfold wires_value. cbn [n_negative n_magnitude n_base n_fraction]. rewrite MV, EV, VS. apply D2R_same; reflexivity.
    + exact (value_yes1 v v0).
    + cbn [n_exponent]. exact EV.
    + exact Oi.
    + cbn [n_base n_exponent]. lia.
    + cbn [n_seen_plus n_seen_minus sign_of]. rewrite value_invert, VS.
      destruct (is_zero _) eqn:Z; [now destruct sg|].
      rewrite NG by exact Z. now destruct sg.
    + cbn [n_seen_plus n_seen_minus sign_of]. rewrite VS.
      destruct (is_zero _) eqn:Z; [now destruct sg|].
      rewrite NG by exact Z. now destruct sg.
Qed.

End Reading.
