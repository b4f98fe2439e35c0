(** * Numbers in the fields of patterns

    Which fields a number has that a round gave, that they are the pattern that the definition writes, and that this pattern,
    read, is the number again. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Flocq Require Import Core.
From Discern Require Import Notation Real RoundTrip Carried Units Gates Circuit CircuitUnit Fields RoundNode.
Import ListNotations.
Open Scope Z_scope.

(** The floating-point formats that rounds have: signed, with zero and NaN. *)
Definition float_format (f : format) : bool :=
  negb (is_fixed f) && has_sign f && has_zero f && has_nan f && (2 <=? E_bits f) && (E_bits f <=? 30) && (1 <=? M_bits f) &&
  (M_bits f <=? 60) && (0 <=? padding f) && (width f =? padding f + M_bits f + E_bits f + 1) && (Z.abs (bias f) <=? 2 ^ 30).

(** The same number, but for the way in which a value is written, and for what a NaN carries. *)
Definition same_number (x y : number) : Prop :=
  match x, y with
  | Finite d e _, Finite d' e' _ => D2R d = D2R d' /\ e = e' /\ sign_of x = sign_of y
  | Infinite s t, Infinite s' t' => s = s' /\ t = t'
  | NaN _ t _, NaN _ t' _ => t = t'
  | _, _ => False
  end.

Section Packing.
Variable f : format.
Hypothesis Hf : float_format f = true.
Notation M := (M_bits f).
Notation E := (E_bits f).

Lemma float_parts : is_fixed f = false /\ has_sign f = true /\ has_zero f = true /\ has_nan f = true /\ 2 <= E <= 30 /\ 1 <= M <= 60 /\
  0 <= padding f /\ width f = padding f + M + E + 1 /\ - 2 ^ 30 <= bias f <= 2 ^ 30 /\ 4 <= 2 ^ E <= 2 ^ 30 /\ 2 <= 2 ^ M.
Proof.
  pose proof Hf as H. unfold float_format in H. repeat (apply andb_prop in H; destruct H as [H ?H']).
  repeat match goal with H : (_ <=? _) = true |- _ => apply Z.leb_le in H end. apply Z.eqb_eq in H'0. apply negb_true_iff in H.
  repeat (split; [solve [assumption|lia]|]). split.
  - split; [change 4 with (2 ^ 2)|]; apply Z.pow_le_mono_r; lia.
  - change 2 with (2 ^ 1) at 1. apply Z.pow_le_mono_r; lia.
Qed.

Lemma float_fields_fit : fields_fit f = true.
Proof.
  destruct float_parts as (P1 & P2 & P3 & P4 & P5 & P6 & P7 & P8 & P9 & P10 & P11). unfold fields_fit, emin, emax, largest_fraction. rewrite P3, !pow2_correct.
  unfold is_fixed in P1. change (2 ^ 40) with (1024 * 2 ^ 30).
  destruct (kind_of f); try discriminate; repeat (apply andb_true_intro; split); apply Z.leb_le; lia.
Qed.

Lemma float_valid : valid_format f = true.
Proof.
  destruct float_parts as (P1 & P2 & P3 & P4 & P5 & P6 & P7 & P8 & P9 & P10 & P11). unfold valid_format. rewrite P2, P1. cbn [negb orb].
  repeat (apply andb_true_intro; split); try (apply Z.leb_le; destruct (kind_of f); lia). now apply Z.eqb_eq.
Qed.
Lemma infinite_fraction_fits : 0 <= infinite_fraction f < 2 ^ M.
Proof. destruct float_parts as (_ & _ & _ & _ & _ & _ & _ & _ & _ & _ & P11). unfold infinite_fraction. rewrite pow2_correct. destruct (kind_of f); lia. Qed.

(** The fields of the pattern that is made of them. *)
Lemma fields_read (s : bool) x fr : 0 <= x < 2 ^ E -> 0 <= fr < 2 ^ M ->
  exponent_of f (fields f s x fr) = x /\ fraction_of f (fields f s x fr) = fr /\ sign_of_pattern f (fields f s x fr) = s.
Proof.
  intros Hx Hfr. destruct float_parts as (_ & HS & _ & _ & P5 & P6 & P7 & _ & _ & P10 & P11).
  pose proof (Z.pow_pos_nonneg 2 (padding f) eq_refl P7) as PP. set (b := if s then 1 else 0).
  assert (D1 : fields f s x fr / 2 ^ padding f = (b * 2 ^ E + x) * 2 ^ M + fr).
  { unfold fields. rewrite !pow2_correct. apply Z.div_mul. lia. }
  assert (D2 : fields f s x fr / 2 ^ (padding f + M) = b * 2 ^ E + x).
  { rewrite Z.pow_add_r, <- Z.div_div, D1 by lia. rewrite Z.div_add_l, Z.div_small by lia. ring. }
  assert (D3 : fields f s x fr / 2 ^ (padding f + M + E) = b).
  { rewrite (Z.pow_add_r 2 (padding f + M)), <- Z.div_div, D2 by (try apply Z.pow_pos_nonneg; lia). rewrite Z.div_add_l, Z.div_small by lia. ring. }
  unfold exponent_of, fraction_of, sign_of_pattern. rewrite HS, !pow2_correct, D1, D2, D3. split; [|split].
  - rewrite Z.add_comm, Z.mod_add, Z.mod_small by lia. reflexivity.
  - rewrite Z.add_comm, Z.mod_add, Z.mod_small by lia. reflexivity.
  - unfold b. now destruct s.
Qed.

(** Whether fields are no finite number. *)
Definition are_special (s : bool) (x fr : Z) : bool :=
  match kind_of f with
  | Ieee => x =? 2 ^ E - 1
  | Fn => (x =? 2 ^ E - 1) && (fr =? 2 ^ M - 1)
  | Fnuz => s && (x =? 0) && (fr =? 0)
  | Inuz => s && (x =? 0) && (fr =? 0) || (x =? 2 ^ E - 1) && (fr =? 2 ^ M - 1)
  | _ => false
  end.

Lemma read_fields (s : bool) x fr : 0 <= x < 2 ^ E -> 0 <= fr < 2 ^ M -> are_special s x fr = false ->
  read f (fields f s x fr) = read_finite f s x fr.
Proof.
  intros Hx Hfr Hs. destruct (fields_read s x fr Hx Hfr) as (R1 & R2 & R3). destruct float_parts as (Fx & _).
  unfold read. rewrite Fx. unfold read_float.
  fold (exponent_of f (fields f s x fr)) (fraction_of f (fields f s x fr)) (sign_of_pattern f (fields f s x fr)).
  rewrite R1, R2, R3, !pow2_correct. unfold are_special in Hs.
  destruct (kind_of f); rewrite ?Hs; try reflexivity. apply orb_false_elim in Hs. destruct Hs as [-> ->]. reflexivity.
Qed.

(** The number with significand n and exponent e that fields have. *)
Definition holds (s : bool) (n e : Z) : Prop :=
  0 <= n < 2 ^ (M + 1) /\ (2 ^ M <= n /\ emin f <= e \/ n < 2 ^ M /\ e = emin f) /\
  e <= emax f /\ (e = emax f -> n - 2 ^ M <= largest_fraction f) /\ (has_minus_zero f = false -> n = 0 -> s = false).

(** p is the pattern of a number: of a NaN, one of NaN. *)
Definition packs (p : Z) (x : number) : Prop :=
  match x with
  | Finite d e s => exists (negative : bool) n e', e = Some e' /\ D2R d = D2R (Dyadic (if negative then - n else n) (e' - M)) /\
      holds negative n e' /\ sign_of x = sign_if negative /\
      p = if n <? 2 ^ M then fields f negative 0 n else fields f negative (e' + bias f) (n - 2 ^ M)
  | Infinite s t => t = false /\ has_infinity f = true /\ s <> Mixed /\ p = write_infinity f s
  | NaN _ t _ => t = false /\ is_nan_number (read f p) = true
  end.

Lemma zero_of_units (negative : bool) n q : is_zero (Dyadic (if negative then - n else n) q) = (n =? 0).
Proof. unfold is_zero. cbn [num]. destruct negative, (Z.eqb_spec n 0), (Z.eqb_spec (- n) 0); try reflexivity; lia. Qed.
Lemma sign_of_units (negative : bool) n q e : 0 <= n -> sign_of (Finite (Dyadic (if negative then - n else n) q) e (sign_if negative)) = sign_if negative.
Proof.
  intros H. cbn [sign_of]. rewrite zero_of_units. destruct (Z.eqb_spec n 0) as [E0|N]; [reflexivity|]. unfold is_negative. cbn [num].
  destruct negative; [destruct (Z.ltb_spec (- n) 0)|destruct (Z.ltb_spec n 0)]; try reflexivity; lia.
Qed.

(** It is the pattern that the definition gives. *)
Theorem packs_result u p x : packs p x -> is_nan_number x = false -> p = result u f x.
Proof.
  destruct x as [d e s|s t|s t c]; intros H N; cbn [packs result] in *; [|now destruct H as (_ & _ & _ & H)|discriminate N].
  destruct H as (negative & n & e' & -> & V & (Hn & He & _) & Sg & ->). destruct float_parts as (Fx & _ & _ & _ & _ & P6 & _).
  rewrite (write_finite_value f d _ s V). rewrite <- (write_significand f negative n e') by (assumption || lia).
  unfold write_finite. rewrite Fx. cbv zeta. rewrite (sign_of_units negative n (e' - M) None) by lia.
  replace (sign_of (Finite (Dyadic (if negative then - n else n) (e' - M)) None s)) with (sign_if negative); [reflexivity|].
  rewrite <- Sg. cbn [sign_of]. now rewrite (is_zero_value _ _ V), (is_negative_value _ _ V).
Qed.

(** Read again, it is the number. *)
Theorem packs_read p x : packs p x -> same_number (read f p) x.
Proof.
  destruct float_parts as (Fx & HS & HZ & HN & P5 & P6 & P7 & P8 & P9 & P10 & P11).
  assert (P2 : 2 ^ (M + 1) = 2 * 2 ^ M) by (rewrite Z.pow_add_r by lia; change (2 ^ 1) with 2; ring).
  assert (Em : emin f = 1 - bias f) by (unfold emin; now rewrite HZ).
  destruct x as [d e s|s t|s t c]; cbn [packs].
  - intros (negative & n & e' & -> & V & (Hn & He & Hmax & Htop & Hzero) & Sg & ->).
    assert (Ex : emax f + bias f = match kind_of f with Ieee => 2 ^ E - 2 | _ => 2 ^ E - 1 end).
    { unfold emax, is_fixed in *. rewrite pow2_correct. destruct (kind_of f); try discriminate; ring. }
    assert (SP : forall x fr, are_special negative x fr = true -> (x = 0 -> fr = n /\ n < 2 ^ M) -> (0 < x -> x = e' + bias f /\ fr = n - 2 ^ M) -> 0 <= x -> False).
    { intros x fr A B C X0. unfold are_special, largest_fraction, has_minus_zero, is_fixed in *. rewrite pow2_correct in *. rewrite HS, HZ in *.
      destruct (kind_of f); try discriminate.
      - apply Z.eqb_eq in A. destruct C as [C _]; lia.
      - apply andb_prop in A. destruct A as [A1 A2]. apply Z.eqb_eq in A1, A2. destruct C as [C D]; [lia|]. specialize (Htop ltac:(lia)). lia.
      - apply andb_prop in A. destruct A as [A A3]. apply andb_prop in A. destruct A as [A1 A2]. apply Z.eqb_eq in A2, A3.
        destruct (B A2) as [B1 _]. specialize (Hzero eq_refl ltac:(lia)). congruence.
      - apply orb_prop in A. destruct A as [A|A].
        + apply andb_prop in A. destruct A as [A A3]. apply andb_prop in A. destruct A as [A1 A2]. apply Z.eqb_eq in A2, A3.
          destruct (B A2) as [B1 _]. specialize (Hzero eq_refl ltac:(lia)). congruence.
        + apply andb_prop in A. destruct A as [A1 A2]. apply Z.eqb_eq in A1, A2. destruct C as [C D]; [lia|]. specialize (Htop ltac:(lia)). lia. }
    destruct (Z.ltb_spec n (2 ^ M)) as [L|L].
    + rewrite read_fields; [|lia|lia|destruct (are_special negative 0 n) eqn:A; [exfalso; apply (SP _ _ A); lia|reflexivity]].
      unfold read_finite. rewrite HZ. cbn [negb orb Z.eqb same_number]. assert (e' = emin f) as -> by lia.
      split; [now symmetry|]. split; [reflexivity|]. rewrite Sg. apply sign_of_units. lia.
    + assert (B : emin f <= e' /\ 1 <= e' + bias f <= 2 ^ E - 1) by (destruct (kind_of f); lia).
      rewrite read_fields; [|lia|lia|destruct (are_special negative (e' + bias f) (n - 2 ^ M)) eqn:A; [exfalso; apply (SP _ _ A); lia|reflexivity]].
      unfold read_finite. rewrite HZ. destruct (Z.eqb_spec (e' + bias f) 0); [lia|]. cbn [negb orb same_number].
      rewrite pow2_correct. replace (2 ^ M + (n - 2 ^ M)) with n by ring. replace (e' + bias f - bias f) with e' by ring.
      split; [now symmetry|]. split; [reflexivity|]. rewrite Sg. apply sign_of_units. lia.
  - intros (-> & K & Hs & ->). unfold write_infinity. rewrite pow2_correct.
    pose proof infinite_fraction_fits as FI. set (p := fields f (sign_eqb s Minus) (2 ^ E - 1) (infinite_fraction f)).
    destruct (fields_read (sign_eqb s Minus) (2 ^ E - 1) (infinite_fraction f) ltac:(lia) FI) as (R1 & R2 & R3). fold p in R1, R2, R3.
    unfold read. rewrite Fx. unfold read_float. fold (exponent_of f p) (fraction_of f p) (sign_of_pattern f p).
    rewrite R1, R2, R3. unfold has_infinity, infinite_fraction in *.
    destruct (kind_of f); try discriminate K; rewrite ?pow2_correct, ?Z.eqb_refl.
    + cbn [same_number]. destruct s; [now split|now split|congruence].
    + destruct (Z.eqb_spec (2 ^ E - 1) 0); [lia|]. rewrite andb_false_r. cbn [andb same_number]. destruct s; [now split|now split|congruence].
  - intros (-> & N). destruct (read f p) as [d e s'|s' t|s' t c'] eqn:R; try discriminate N. cbn [same_number].
    revert R. unfold read. rewrite Fx. unfold read_float, read_finite.
    destruct (kind_of f); repeat match goal with |- context [if ?c then _ else _] => destruct c end; congruence.
Qed.

(** ** NaN *)

(** A NaN that is read carries something. *)
Lemma read_nan bits : is_nan_number (read f bits) = true ->
  exists s c, read f bits = NaN s false (Some c) /\ content_fits c.
Proof.
  destruct float_parts as (Fx & _ & _ & _ & P5 & P6 & _). unfold read. rewrite Fx. unfold read_float, read_finite.
  fold (sign_of_pattern f bits) (exponent_of f bits) (fraction_of f bits).
  assert (B : 0 <= fraction_of f bits < 2 ^ M) by (unfold fraction_of; rewrite !pow2_correct; apply Z.mod_pos_bound, Z.pow_pos_nonneg; lia).
  assert (C : forall n o, content_fits (Content n (Z.lor (fraction_of f bits * pow2 (64 - M)) quiet_bit) o)) by (intros; apply field_fits; lia).
  destruct (kind_of f); repeat match goal with |- context [if ?c then _ else _] => destruct c end; cbn [is_nan_number]; intros H;
    try discriminate H; do 2 eexists; (split; [reflexivity|apply C]).
Qed.

(** What is written as a NaN is one. *)
Lemma written_nan c : content_fits c -> is_nan_number (read f (write_nan f c)) = true.
Proof.
  intros Hc. destruct float_parts as (Fx & _ & _ & HN & P5 & P6 & _ & _ & _ & P10 & P11). rewrite nan_of_fields. unfold write_nan.
  unfold is_fixed, has_nan in *. pose proof (written_field M c ltac:(lia) Hc) as B. pose proof (Z.pow_pos_nonneg 2 (M - 1) eq_refl ltac:(lia)).
  destruct (kind_of f); try discriminate.
  - destruct (fields_read (content_negative c) (2 ^ E - 1) (content_fraction c / pow2 (64 - M)) ltac:(lia) ltac:(lia)) as (R1 & R2 & _).
    rewrite <- (pow2_correct E) in R1, R2. rewrite R1, R2, Z.eqb_refl. cbn [andb]. apply negb_true_iff, Z.eqb_neq. lia.
  - destruct (fields_read (content_negative c) (2 ^ E - 1) (2 ^ M - 1) ltac:(lia) ltac:(lia)) as (R1 & R2 & _).
    rewrite <- (pow2_correct E), <- (pow2_correct M) in R1, R2. now rewrite R1, R2, !Z.eqb_refl.
  - destruct (fields_read true 0 0 ltac:(lia) ltac:(lia)) as (R1 & R2 & R3). now rewrite R1, R2, R3.
  - destruct (fields_read true 0 0 ltac:(lia) ltac:(lia)) as (R1 & R2 & R3). now rewrite R1, R2, R3.
Qed.

(** The NaN of an overflow, or of an infinity, in a format without infinity. *)
Lemma infinity_packs p q s : s <> Mixed -> p = write_infinity f s -> is_nan_number (read f q) = true ->
  packs (if has_infinity f then p else q) (infinity_of f s).
Proof.
  intros Hs -> Hq. destruct float_parts as (_ & _ & _ & HN & _). unfold infinity_of, has_infinity. rewrite HN.
  destruct (kind_of f) eqn:K; try (destruct (read_nan _ (written_nan _ invalid_fits)) as (s' & c & -> & _); cbn [packs]; now split).
  all: cbn [packs]; unfold has_infinity; rewrite K; repeat split; assumption.
Qed.

Lemma nan_packs q c : is_nan_number (read f q) = true -> match c with Some c => content_fits c | None => True end -> packs q (round_nan f c).
Proof.
  intros Hq Hc. destruct float_parts as (_ & _ & _ & HN & _). unfold round_nan. rewrite HN.
  destruct (read_nan _ (written_nan _ (or_invalid_fits c Hc))) as (s' & c' & -> & _). cbn [packs]. now split.
Qed.

(** ** Finite numbers *)

Lemma emin_below_emax : emin f < emax f /\ emax f + bias f < 2 ^ E /\ emin f = 1 - bias f.
Proof.
  destruct float_parts as (Fx & _ & HZ & _ & P5 & P6 & _ & _ & _ & P10 & _). unfold emin, emax, is_fixed in *. rewrite HZ, pow2_correct.
  destruct (kind_of f); try discriminate; lia.
Qed.

Lemma zero_packs s : s <> Mixed -> packs (fields f (has_minus_zero f && sign_eqb s Minus) 0 0) (zero_of f s).
Proof.
  intros Hs. destruct float_parts as (_ & _ & _ & _ & P5 & P6 & _ & _ & _ & _ & P11). destruct emin_below_emax as (B & _).
  unfold zero_of. cbn [packs]. exists (has_minus_zero f && sign_eqb s Minus), 0, (emin f). split; [reflexivity|]. split; [|split; [|split]].
  - rewrite D2R_zero. symmetry. apply is_zero_correct. now rewrite zero_of_units.
  - unfold holds. split; [split; [lia|apply Z.pow_pos_nonneg; lia]|]. split; [right; lia|]. split; [lia|]. split; [lia|]. now intros ->.
  - cbn [sign_of]. change (is_zero zero) with true. cbv iota. destruct (has_minus_zero f); [|reflexivity]. now destruct s.
  - replace (0 <? 2 ^ M) with true by (symmetry; apply Z.ltb_lt; lia). reflexivity.
Qed.

Lemma largest_packs (s : bool) : packs (fields f s (emax f + bias f) (largest_fraction f)) (largest_of f s).
Proof.
  destruct float_parts as (Fx & _ & _ & _ & P5 & P6 & _ & _ & _ & _ & P11). destruct emin_below_emax as (B & _).
  assert (P2 : 2 ^ (M + 1) = 2 * 2 ^ M) by (rewrite Z.pow_add_r by lia; change (2 ^ 1) with 2; ring).
  assert (L : 0 <= largest_fraction f < 2 ^ M /\ num (largest f) = 2 ^ M + largest_fraction f).
  { unfold largest_fraction, largest. cbn [num]. rewrite !pow2_correct, P2. destruct (kind_of f); lia. }
  destruct L as [L1 L2]. assert (Q : largest f = Dyadic (2 ^ M + largest_fraction f) (emax f - M)) by (rewrite <- L2; reflexivity).
  unfold largest_of. cbn [packs]. exists s, (2 ^ M + largest_fraction f), (emax f). split; [reflexivity|]. rewrite Q. split; [|split; [|split]].
  - now destruct s.
  - unfold holds. split; [lia|]. split; [left; lia|]. split; [lia|]. split; [lia|]. lia.
  - pose proof (sign_of_units s (2 ^ M + largest_fraction f) (emax f - M) (Some (emax f)) ltac:(lia)) as H. now destruct s.
  - destruct (Z.ltb_spec (2 ^ M + largest_fraction f) (2 ^ M)); [lia|]. f_equal. ring.
Qed.

(** Whether a number is larger than the largest one. *)
Lemma beyond_largest n e : 0 <= n < 2 ^ (M + 1) -> (2 ^ M <= n /\ emin f <= e \/ n < 2 ^ M /\ e = emin f) ->
  Rlt_bool (D2R (largest f)) (D2R (Dyadic n (e - M))) = (emax f <? e) || ((e =? emax f) && (largest_fraction f <? n - 2 ^ M)).
Proof.
  intros Hn He. destruct float_parts as (Fx & _ & _ & _ & P5 & P6 & _ & _ & _ & _ & P11). destruct emin_below_emax as (B & _).
  assert (P2 : 2 ^ (M + 1) = 2 * 2 ^ M) by (rewrite Z.pow_add_r by lia; change (2 ^ 1) with 2; ring).
  assert (L : 0 <= largest_fraction f < 2 ^ M /\ num (largest f) = 2 ^ M + largest_fraction f).
  { unfold largest_fraction, largest. cbn [num]. rewrite !pow2_correct, P2. destruct (kind_of f); lia. }
  destruct L as [L1 L2]. assert (Q : largest f = Dyadic (2 ^ M + largest_fraction f) (emax f - M)) by (rewrite <- L2; reflexivity).
  rewrite Q. unfold D2R. cbn [num scale]. set (L := 2 ^ M + largest_fraction f) in *.
  destruct (Z.le_gt_cases e (emax f)) as [G|G].
  - replace (emax f <? e) with false by (symmetry; apply Z.ltb_ge; lia). cbn [orb].
    rewrite (F2R_change_exp radix2 (e - M) L (emax f - M)) by lia. change (radix2 ^ (emax f - M - (e - M))) with (2 ^ (emax f - M - (e - M))).
    replace (emax f - M - (e - M)) with (emax f - e) by ring.
    destruct (Z.eqb_spec e (emax f)) as [->|NE].
    + rewrite Z.sub_diag, Z.pow_0_r, Z.mul_1_r. cbn [andb].
      destruct (Z.ltb_spec (largest_fraction f) (n - 2 ^ M)); [apply Rlt_bool_true, F2R_lt; lia|apply Rlt_bool_false, F2R_le; lia].
    + cbn [andb]. apply Rlt_bool_false, F2R_le. assert (2 <= 2 ^ (emax f - e)) by (change 2 with (2 ^ 1) at 1; apply Z.pow_le_mono_r; lia).
      nia.
  - replace (emax f <? e) with true by (symmetry; apply Z.ltb_lt; lia). cbn [orb]. apply Rlt_bool_true.
    rewrite (F2R_change_exp radix2 (emax f - M) n (e - M)) by lia. change (radix2 ^ (e - M - (emax f - M))) with (2 ^ (e - M - (emax f - M))).
    replace (e - M - (emax f - M)) with (e - emax f) by ring. apply F2R_lt.
    assert (2 <= 2 ^ (e - emax f)) by (change 2 with (2 ^ 1) at 1; apply Z.pow_le_mono_r; lia). nia.
Qed.

End Packing.
