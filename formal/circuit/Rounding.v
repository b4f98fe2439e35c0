(** * Rounding a magnitude

    The decision to round away from zero (certificate/circuit/rounding), and the word that is rounded: [rnd] of the
    definition, in all modes. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real Gates Lrat Making Words Circuit CircuitUnit.
Import ListNotations.
Open Scope Z_scope.

(** Whether a magnitude is rounded away from zero: the last bit that is kept, the first that is not, and the rest. *)
Definition away (m : mode) (negative lsb guard sticky : bool) : bool :=
  match m with
  | rz => false
  | rd => negative && (guard || sticky)
  | ru => negb negative && (guard || sticky)
  | rne => guard && (sticky || lsb)
  | rna => guard
  | odd => (guard || sticky) && negb lsb
  | ra => guard || sticky
  | rnu => guard && (sticky || negb negative)
  | rn_d => guard && (sticky || negative)
  | rnz => guard && sticky
  | rno => guard && (sticky || negb lsb)
  end.

(** X / 2^q: the bit below, and whether something is below that. *)
Lemma guard_and_sticky X q : 0 <= X -> 0 < q ->
  let s := 2 ^ q in
  let r := X mod s in
  let guard := Z.odd (X / 2 ^ (q - 1)) in
  let sticky := negb (X mod 2 ^ (q - 1) =? 0) in
  (2 * r ?= s) = (if guard then if sticky then Gt else Eq else Lt) /\ (r =? 0) = negb (guard || sticky) /\ 0 <= r < s.
Proof.
  intros HX Hq. cbv zeta. assert (P : 2 ^ q = 2 ^ (q - 1) * 2) by (rewrite Z.mul_comm, <- Z.pow_succ_r by lia; f_equal; lia).
  pose proof (Z.pow_pos_nonneg 2 (q - 1) eq_refl ltac:(lia)) as Ph. set (h := 2 ^ (q - 1)) in *.
  rewrite P, Z.rem_mul_r by lia. pose proof (Z.mod_pos_bound X h Ph) as Bl. set (l := X mod h) in *.
  rewrite <- (Z.bit0_mod (X / h)), Z.bit0_odd. destruct (Z.odd (X / h)); cbn [Z.b2z orb].
  - split; [|split; [|lia]].
    + destruct (Z.eqb_spec l 0) as [->|N]; cbn [negb].
      * apply Z.compare_eq_iff. ring.
      * apply Z.compare_gt_iff. lia.
    + apply Z.eqb_neq. lia.
  - split; [|split; [|lia]].
    + apply Z.compare_lt_iff. lia.
    + rewrite Z.mul_0_r, Z.add_0_r, negb_involutive. reflexivity.
Qed.

(** The magnitude of a rounded number is the truncated one, or one more. *)
Lemma rnd_magnitude m (negative : bool) X q : 0 <= X -> 0 < q ->
  Z.abs (num (rnd m (Dyadic (if negative then - X else X) 0) q)) =
  X / 2 ^ q + Z.b2z (away m negative (Z.odd (X / 2 ^ q)) (Z.odd (X / 2 ^ (q - 1))) (negb (X mod 2 ^ (q - 1) =? 0))).
Proof.
  intros HX Hq. destruct (guard_and_sticky X q HX Hq) as (HC & HZ & HR). cbv zeta in *.
  unfold rnd. cbn [scale Notation.num]. destruct (Z.leb_spec q 0); [lia|]. rewrite Z.sub_0_r, pow2_correct.
  pose proof (Z.pow_pos_nonneg 2 q eq_refl ltac:(lia)) as P. set (s := 2 ^ q) in *.
  set (guard := Z.odd (X / 2 ^ (q - 1))) in *. set (sticky := negb (X mod 2 ^ (q - 1) =? 0)) in *. clearbody guard sticky.
  pose proof (Z.div_mod X s ltac:(lia)) as D. set (n := X / s) in *. set (r := X mod s) in *.
  assert (N0 : 0 <= n) by (apply Z.div_pos; lia).
  destruct negative.
  - destruct (Z.eqb_spec r 0) as [R|R].
    + assert (E1 : (- X) mod s = 0) by (apply Z.mod_opp_l_z; lia). rewrite E1. cbn [Z.eqb Notation.num].
      rewrite Z.div_opp_l_z by lia. fold n. symmetry in HZ. apply negb_true_iff in HZ. apply orb_false_elim in HZ. destruct HZ as [-> ->].
      destruct m; cbn; lia.
    + assert (E1 : (- X) mod s = s - r) by (apply Z.mod_opp_l_nz; lia).
      assert (E2 : - X / s = - n - 1) by (apply Z.div_opp_l_nz; lia).
      rewrite E1, E2. destruct (Z.eqb_spec (s - r) 0); [lia|]. cbn [Notation.num is_negative].
      assert (Neg : is_negative (Dyadic (- X) 0) = true) by (unfold is_negative; cbn; apply Z.ltb_lt; nia). rewrite Neg.
      assert (C : (2 * (s - r) ?= s) = CompOpp (2 * r ?= s)).
      { destruct (Z.compare_spec (2 * r) s); cbn [CompOpp];
          [apply Z.compare_eq_iff|apply Z.compare_gt_iff|apply Z.compare_lt_iff]; lia. }
      assert (O : Z.odd (- n - 1) = negb (Z.odd n)) by (replace (- n - 1) with (- (n + 1)) by ring; rewrite Z.odd_opp, Z.odd_add; now destruct (Z.odd n)).
      assert (O' : Z.even (- n - 1) = Z.odd n) by (rewrite <- Z.negb_odd, O; apply negb_involutive).
      rewrite C, HC. symmetry in HZ. apply negb_false_iff in HZ. unfold goes_up, away. rewrite O, O'.
      destruct m, guard, sticky, (Z.odd n); cbn in HZ |- *; try discriminate; lia.
  - fold n r. destruct (Z.eqb_spec r 0) as [R|R].
    + cbn [Notation.num]. symmetry in HZ. apply negb_true_iff in HZ. apply orb_false_elim in HZ. destruct HZ as [-> ->].
      destruct m; cbn; lia.
    + cbn [Notation.num]. assert (Neg : is_negative (Dyadic X 0) = false) by (unfold is_negative; cbn; apply Z.ltb_ge; lia). rewrite Neg.
      symmetry in HZ. apply negb_false_iff in HZ. rewrite HC. unfold goes_up, away. rewrite <- (Z.negb_odd n).
      destruct m, guard, sticky, (Z.odd n); cbn in HZ |- *; try discriminate; lia.
Qed.

Section Rounding.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).

Lemma computes_rounds_away m x :
  computes v (rounds_away m x)
    (fun z => value v z = away m (value v (q_negative x)) (value v (q_lsb x)) (value v (q_guard x)) (value v (q_sticky x))).
Proof.
  unfold rounds_away, away. eapply computes_bind; [apply computes_or|]. intros i Hi. destruct m.
  - apply computes_ret. exact (value_no0 v v0).
  - eapply computes_weaken; [apply computes_and|]. intros z ->. now rewrite Hi.
  - eapply computes_weaken; [apply computes_and|]. intros z ->. now rewrite Hi, value_invert.
  - eapply computes_bind; [apply computes_or|]. intros t Ht. eapply computes_weaken; [apply computes_and|]. intros z ->. now rewrite Ht.
  - now apply computes_ret.
  - eapply computes_weaken; [apply computes_and|]. intros z ->. now rewrite Hi, value_invert.
  - now apply computes_ret.
  - eapply computes_bind; [apply computes_or|]. intros t Ht. eapply computes_weaken; [apply computes_and|]. intros z ->. now rewrite Ht, value_invert.
  - eapply computes_bind; [apply computes_or|]. intros t Ht. eapply computes_weaken; [apply computes_and|]. intros z ->. now rewrite Ht.
  - apply computes_and.
  - eapply computes_bind; [apply computes_or|]. intros t Ht. eapply computes_weaken; [apply computes_and|]. intros z ->. now rewrite Ht, value_invert.
Qed.

(** A word that ends with the guard bit of X / 2^q, and whether something is below: the magnitude that [rnd] gives. *)
Theorem computes_rounded m negative w sticky X q : 0 <= X -> 0 < q -> 0 < len w ->
  num w = X / 2 ^ (q - 1) -> value v sticky = negb (X mod 2 ^ (q - 1) =? 0) ->
  computes v (rounded_word m negative w sticky)
    (fun z => len z = len w /\
              num z = Z.abs (Notation.num (rnd m (Dyadic (if value v negative then - X else X) 0) q))).
Proof.
  intros HX Hq Hw Hn Hs. unfold rounded_word, width_of.
  assert (Wh : num (slice w 1 (len w)) = X / 2 ^ q).
  { rewrite (num_slice v v0) by lia. rewrite Z.pow_1_r. pose proof (num_bound v w) as B. rewrite Z.mod_small.
    - rewrite Hn, Z.div_div by (try lia; apply Z.pow_pos_nonneg; lia). f_equal. rewrite Z.mul_comm, <- Z.pow_succ_r by lia. f_equal. lia.
    - split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; [lia|]. pose proof (two_pos (length w)). lia. }
  eapply computes_bind; [apply computes_rounds_away|]. intros a Ha. cbn [q_negative q_lsb q_guard q_sticky] in Ha.
  rewrite !(value_bit v v0), Wh, Hs, !Z.bit0_odd, Hn in Ha by lia.
  eapply computes_weaken; [apply (computes_increment v v0)|]. intros z [Lz Hz].
  assert (Lw : len (slice w 1 (len w)) = len w) by (apply length_slice; lia). split; [lia|].
  rewrite rnd_magnitude by assumption. rewrite Hz, Lw, Wh, Ha. apply Z.mod_small.
  pose proof (num_bound v w) as B. rewrite Hn in B.
  assert (D : X / 2 ^ q = X / 2 ^ (q - 1) / 2).
  { rewrite Z.div_div by (try lia; apply Z.pow_pos_nonneg; lia). f_equal. rewrite Z.mul_comm, <- Z.pow_succ_r by lia. f_equal. lia. }
  assert (0 <= X / 2 ^ (q - 1)) by (apply Z.div_pos; [lia|apply Z.pow_pos_nonneg; lia]).
  assert (E : 2 ^ len w = 2 * 2 ^ (len w - 1)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  pose proof (Z.pow_pos_nonneg 2 (len w - 1) eq_refl ltac:(lia)) as Pw.
  assert (X / 2 ^ (q - 1) / 2 < 2 ^ (len w - 1)) by (apply Z.div_lt_upper_bound; lia).
  assert (0 <= X / 2 ^ (q - 1) / 2) by (apply Z.div_pos; lia).
  rewrite D. match goal with |- context [away ?a ?b ?c ?d ?e] => destruct (away a b c d e) end; cbn [Z.b2z]; lia.
Qed.

End Rounding.
