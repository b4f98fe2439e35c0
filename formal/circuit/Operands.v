(** * Operands

    What is read of a pattern, and what [ftz], in all its forms, and [infnan] make of it, is in the circuit as in the
    definition. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Flocq Require Import Core.
From Discern Require Import Notation Real Units Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading Exponents Numbers Factors.
Import ListNotations.
Open Scope Z_scope.

(** ** What is read, in the definition *)

(** A finite number that is read has a significand, normal or at emin. *)
Definition has_significand (f : format) (negative : bool) (d : dyadic) (e : Z) : Prop :=
  exists n, D2R d = D2R (Dyadic (if negative then - n else n) (e - M_bits f)) /\ 0 <= n < 2 ^ (M_bits f + 1) /\
    (2 ^ M_bits f <= n /\ emin f <= e \/ n < 2 ^ M_bits f /\ e = emin f /\ has_zero f = true).

Lemma read_significand f bits : fair_format f = true ->
  match read f bits with
  | Finite d e s => exists e', e = Some e' /\ s = sign_if (sign_of_pattern f bits) /\ has_significand f (sign_of_pattern f bits) d e'
  | Infinite s _ | NaN s _ _ => s = sign_if (sign_of_pattern f bits)
  end.
Proof.
  intros Hf. destruct (fair_parts f Hf) as (_ & Fx & PE & PM & _ & _ & _ & HZ). unfold read. rewrite Fx. unfold read_float.
  fold (sign_of_pattern f bits) (exponent_of f bits) (fraction_of f bits). set (sg := sign_of_pattern f bits).
  assert (X0 : 0 <= exponent_of f bits) by (unfold exponent_of; apply Z.mod_pos_bound, pow2_pos; lia).
  assert (Fr : 0 <= fraction_of f bits < 2 ^ M_bits f) by (unfold fraction_of; rewrite !pow2_correct; apply Z.mod_pos_bound, Z.pow_pos_nonneg; lia).
  set (xe := exponent_of f bits) in *. set (fr := fraction_of f bits) in *. clearbody xe fr sg.
  assert (P2 : 2 ^ (M_bits f + 1) = 2 * 2 ^ M_bits f) by (rewrite Z.pow_add_r by lia; change (2 ^ 1) with 2; ring).
  assert (G : match read_finite f sg xe fr with Finite d e s => exists e', e = Some e' /\ s = sign_if sg /\ has_significand f sg d e' | _ => True end).
  { unfold read_finite. set (hid := negb (has_zero f) || negb (xe =? 0)). rewrite pow2_correct. eexists. split; [reflexivity|]. split; [reflexivity|].
    exists (if hid then 2 ^ M_bits f + fr else fr). split; [reflexivity|]. split; [destruct hid; lia|]. unfold emin. unfold hid.
    destruct (has_zero f); cbn [negb orb]; [|left; lia]. destruct (Z.eqb_spec xe 0); cbn [negb]; [right|left]; lia. }
  unfold read_finite in *. cbv zeta in *.
  destruct (kind_of f); repeat match goal with |- context [if ?c then _ else _] => destruct c end; first [reflexivity|exact G].
Qed.

Lemma same_units a b q : D2R (Dyadic a q) = D2R (Dyadic b q) -> a = b.
Proof. intros H. rewrite <- (units_correct (Dyadic a q) b q H). symmetry. now apply units_correct. Qed.

Section Operands.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).
Variable f : format.
Hypothesis Hf : fair_format f = true.

(** The wires of an operand: those that were read, or what attributes of a leaf made of them. *)
Definition is_operand (x : wires) (n : number) : Prop :=
  len (n_magnitude x) = M_bits f + 1 /\ n_fraction x = M_bits f /\ n_lsb x = last_bit f /\ n_base x = n_exponent x /\
  int_ok v (n_base x) /\ (emin f - 1 <= i_low (n_base x) /\ i_low (n_base x) <= i_high (n_base x) /\ i_high (n_base x) <= 2 ^ 31) /\
  special_is v (n_special x) n /\ n_has_exponent x = yes /\
  sees v (n_seen_plus x) (n_seen_minus x) (sign_if (value v (n_negative x))) /\
  (is_nan_number n = false -> sign_of n = sign_if (value v (n_negative x))) /\
  (has_sign f = false -> value v (n_negative x) = false) /\
  match n with
  | Finite d e _ => e = Some (int (n_base x)) /\ D2R (wires_value v x) = D2R d /\ emin f <= int (n_base x) /\
      (num (n_magnitude x) < 2 ^ M_bits f -> int (n_base x) = emin f /\ has_zero f = true)
  | Infinite _ t => t = false /\ 2 ^ M_bits f <= num (n_magnitude x)
  | NaN _ t _ => t = false
  end.

(** What a leaf has of it: an operand, or one that was read again in another format. *)
Definition is_leaf (x : wires) (n : number) : Prop :=
  len (n_magnitude x) = M_bits f + 1 /\ n_fraction x = M_bits f /\ n_lsb x = last_bit f /\
  (- 2 ^ 32 <= i_low (n_base x) /\ i_low (n_base x) <= i_high (n_base x) /\ i_high (n_base x) <= 2 ^ 32) /\
  int_ok v (n_exponent x) /\ close (n_exponent x) /\
  special_is v (n_special x) n /\ n_has_exponent x = yes /\
  sees v (n_seen_plus x) (n_seen_minus x) (sign_if (value v (n_negative x))) /\
  (is_nan_number n = false -> sign_of n = sign_if (value v (n_negative x))) /\
  match n with
  | Finite d e _ => e = Some (int (n_exponent x)) /\ D2R (wires_value v x) = D2R d /\ multiple_of d (last_bit f) /\
      (is_zero d = false -> int_ok v (n_base x) /\ int (n_base x) <= int (n_exponent x))
  | Infinite _ t => t = false /\ 0 < num (n_magnitude x)
  | NaN _ t _ => t = false
  end.

Lemma operand_leaf x n : is_operand x n -> is_leaf x n.
Proof.
  destruct (fair_parts f Hf) as (_ & _ & PE & PM & _ & _ & PB & HZ). pose proof (Z.pow_pos_nonneg 2 (M_bits f) eq_refl ltac:(lia)) as PpM.
  intros (Lm & Fr & Lsb & BE & OB & (B1 & B2 & B3) & SP & HE & Se & Sg & _ & W).
  assert (Em : - 2 ^ 30 <= emin f <= 2 ^ 30 + 1) by (unfold emin; destruct (has_zero f); lia).
  change (2 ^ 31) with (2 * 2 ^ 30) in *. change (2 ^ 32) with (4 * 2 ^ 30).
  split; [exact Lm|]. split; [exact Fr|]. split; [exact Lsb|]. split; [lia|]. rewrite <- BE. split; [exact OB|].
  split; [unfold close; change (2 ^ 39) with (512 * 2 ^ 30); lia|]. split; [exact SP|]. split; [exact HE|]. split; [exact Se|]. split; [exact Sg|].
  destruct n as [d e s|s t|s t c]; [|split; [apply W|lia]|exact W]. destruct W as (-> & V & Le & _). split; [reflexivity|]. split; [exact V|].
  split; [|intros _; split; [exact OB|apply Z.le_refl]]. apply (multiple_of_value _ _ _ V). unfold wires_value. rewrite Fr.
  apply (multiple_of_less _ (int (n_base x) - M_bits f)); [unfold last_bit; lia|]. eexists. reflexivity.
Qed.

(** A leaf is a number, and a factor. *)
Lemma leaf_number x n : is_leaf x n -> is_number v 1 x n /\ roomy x.
Proof.
  destruct (fair_parts f Hf) as (_ & _ & PE & PM & _ & _ & PB & HZ).
  intros (Lm & Fr & Lsb & (B1 & B2 & B3) & OE & NE & SP & HE & Se & Sg & W).
  assert (Em : - 2 ^ 30 <= emin f <= 2 ^ 30 + 1) by (unfold emin; destruct (has_zero f); lia).
  change (2 ^ 32) with (4 * 2 ^ 30) in *. unfold roomy, close in *. change (2 ^ 39) with (512 * 2 ^ 30) in *.
  split; [|lia]. split; [|split].
  - split; [exact OE|]. split; [exact SP|]. destruct n as [d e s| |]; [|exact I|exact I]. destruct W as (-> & V & _ & L).
    split; [exact V|]. split; [rewrite HE; exact (value_yes v v0)|]. split; [reflexivity|]. split; [exact L|]. now rewrite (Sg eq_refl).
  - unfold sized, near. rewrite Lm, Fr, Lsb. unfold last_bit. change (2 ^ 43) with (8192 * 2 ^ 30). change (2 ^ 41) with (2048 * 2 ^ 30).
    change (2 ^ 40) with (1024 * 2 ^ 30) in *. lia.
  - destruct n as [d e s|s t|s t c]; [|specialize (Sg eq_refl); cbn [sign_of] in Sg; rewrite Sg; destruct (value v (n_negative x)); discriminate|exact I].
    destruct W as (-> & _ & M & _). split; [discriminate|]. now rewrite Lsb.
Qed.

Lemma leaf_factor x n : is_leaf x n -> n_base x = n_exponent x -> is_factor v x n.
Proof.
  destruct (fair_parts f Hf) as (_ & _ & PE & PM & _ & _ & PB & HZ).
  intros (Lm & Fr & Lsb & B & OE & NE & SP & HE & Se & Sg & W) BE. rewrite <- BE in *.
  assert (Em : - 2 ^ 30 <= emin f <= 2 ^ 30 + 1) by (unfold emin; destruct (has_zero f); lia).
  split; [exact OE|]. split; [|split].
  - unfold narrow. rewrite Lm, Fr, Lsb. unfold last_bit. change (2 ^ 32) with (4 * 2 ^ 30) in *. lia.
  - apply factor_describes; [exact SP| |].
    + split; [exact Sg|]. destruct n; cbn [is_infinite_number]; try discriminate. intros _. apply W.
    + destruct n as [d e s|s t|s t c]; [destruct W as (-> & V & _); split; [discriminate|exact V]|split; [apply W|]|exact W].
      specialize (Sg eq_refl). cbn [sign_of] in Sg. rewrite Sg. destruct (value v (n_negative x)); discriminate.
  - destruct n as [d e s| |]; [|exact I|exact I]. destruct W as (-> & V & M & _). split; [exact V|]. split; [reflexivity|now rewrite Lsb].
Qed.

(** The logarithm of what wires are. *)
Lemma wires_lg x d : D2R (wires_value v x) = D2R d -> is_zero d = false ->
  0 < num (n_magnitude x) /\ lg d = Z.log2 (num (n_magnitude x)) + (int (n_base x) - n_fraction x).
Proof.
  intros V Z. pose proof (wires_zero v x d V) as Zm. rewrite Z in Zm. apply Z.eqb_neq in Zm. pose proof (num_bound v (n_magnitude x)).
  split; [lia|]. apply is_zero_false in Z. symmetry in V. rewrite (lg_value d _ V Z). unfold lg, wires_value. cbn [Notation.num scale].
  now replace (Z.abs (if value v (n_negative x) then - num (n_magnitude x) else num (n_magnitude x))) with (num (n_magnitude x)) by (destruct (value v (n_negative x)); lia).
Qed.

(** What is read is an operand. *)
Lemma computes_read_parts p : computes v (read_wires f p) (fun x => n_negative x = sign_field f p /\ n_seen_plus x = invert (n_negative x) /\
  n_seen_minus x = n_negative x /\ n_has_exponent x = yes /\ exists hidden, n_magnitude x = concat (repeated hidden 1) (mantissa_field f p) /\
  value v hidden = negb (has_zero f) || negb (exponent_of f (num p) =? 0)).
Proof.
  destruct (fair_parts f Hf) as (Vf & Fx & _). unfold read_wires. rewrite Fx.
  eapply computes_bind with (P := fun h => value v h = negb (has_zero f) || negb (exponent_of f (num p) =? 0)).
  { destruct (has_zero f); [|apply computes_ret; exact (value_yes1 v v0)].
    eapply computes_weaken; [apply (computes_any v v0)|]. intros h ->. now rewrite (num_exponent v v0 f Vf). }
  intros hidden Hh. do 5 (eapply computes_bind; [apply computes_something|]; intros ? _). apply computes_ret. repeat split.
  exists hidden. now split.
Qed.

Theorem computes_read_operand p : len p = width f -> computes v (read_wires f p)
  (fun x => is_operand x (read f (num p)) /\ sign_of (read f (num p)) = sign_if (value v (n_negative x))).
Proof.
  intros Lp. destruct (fair_parts f Hf) as (Vf & Fx & PE & PM & PP & PW & PB & HZ). intros st St.
  destruct (computes_read v v0 f p Vf Fx ltac:(lia) Lp HZ st St) as ((OB & SP & W) & L & Fr & Lo & Hi & BE & _ & FI). rewrite <- BE in OB.
  destruct (computes_read_lsb v f p Fx st St) as (Lsb & Sgn). destruct (computes_read_parts p st St) as (Ng & Pl & Mi & HE & hidden & Mag & Hh).
  set (x := fst (run (read_wires f p) st)) in *. clearbody x.
  pose proof (value_sign v v0 f Vf p Fx Lp) as VS. rewrite <- Ng in VS. pose proof (read_significand f (num p) Hf) as RS. rewrite <- VS in RS.
  assert (P2 : 1 <= pow2 (E_bits f) <= 2 ^ 30).
  { rewrite pow2_correct. split; [pose proof (Z.pow_pos_nonneg 2 (E_bits f)); lia|]. apply Z.pow_le_mono_r; lia. }
  change (2 ^ 31) with (2 * 2 ^ 30).
  assert (Sg : sign_of (read f (num p)) = sign_if (value v (n_negative x))).
  { destruct (read f (num p)) as [d e s|s t|s t c]; [|exact RS|exact RS]. destruct RS as (e' & -> & -> & n & V & Bn & _). cbn [sign_of].
    destruct (is_zero d) eqn:Z; [reflexivity|]. rewrite (is_zero_value _ _ V) in Z. rewrite (is_negative_value _ _ V). unfold is_zero, is_negative in *. cbn [Notation.num] in *.
    apply Z.eqb_neq in Z. destruct (value v (n_negative x)); [destruct (Z.ltb_spec (- n) 0)|destruct (Z.ltb_spec n 0)]; try reflexivity; lia. }
  split; [|exact Sg]. split; [exact L|]. split; [exact Fr|]. split; [exact Lsb|]. split; [exact BE|]. split; [exact OB|].
  split; [unfold emin; destruct (has_zero f); lia|].
  split; [exact SP|]. split; [exact HE|]. split; [rewrite Pl, Mi; apply sees_sign; [reflexivity|apply value_invert]|]. split; [now intros _|].
  split; [intros HS; rewrite (Sgn HS); exact (value_no v v0)|].
  destruct (read f (num p)) as [d e s|s t|s t c] eqn:R.
  - destruct RS as (e' & -> & Es & n & V & Bn & He). destruct W as (V' & _ & V3 & _). rewrite BE, V3. split; [reflexivity|]. split; [exact V'|].
    assert (N : num (n_magnitude x) = n).
    { rewrite V in V'. unfold wires_value in V'. rewrite Fr, BE, V3 in V'. apply same_units in V'. destruct (value v (n_negative x)); lia. }
    rewrite N. split; [lia|]. intros L1. destruct He as [[He _]|(_ & He1 & He2)]; [lia|now split].
  - pose proof (read_is f (num p)) as RI. rewrite R in RI. destruct RI as [-> _]. split; [reflexivity|].
    pose proof (infinite_of_fields f Vf (num p)) as I. rewrite R in I. cbn [is_infinite_number] in I.
    rewrite Mag, (num_concat v), (num_mantissa v v0 f Vf), (length_mantissa f Vf), (num_repeated v) in * by lia.
    assert (X1 : exponent_of f (num p) = pow2 (E_bits f) - 1).
    { destruct (kind_of f); try discriminate; symmetry in I; apply andb_prop in I; now apply Z.eqb_eq. }
    assert (2 <= pow2 (E_bits f)) by (rewrite pow2_correct; change 2 with (2 ^ 1) at 1; apply Z.pow_le_mono_r; lia).
    rewrite X1 in Hh. destruct (Z.eqb_spec (pow2 (E_bits f) - 1) 0); [lia|]. rewrite orb_true_r in Hh. rewrite Hh. change (2 ^ 1 - 1) with 1.
    assert (0 <= fraction_of f (num p)) by (unfold fraction_of; apply Z.mod_pos_bound, pow2_pos; lia). lia.
  - pose proof (read_is f (num p)) as RI. now rewrite R in RI.
Qed.

(** ** Attributes *)

Lemma computes_make_positive those x : computes v (make_positive those x)
  (fun y => exists ng pl mi, y = with_signs ng pl mi x /\ value v ng = value v (n_negative x) && negb (value v those) /\
            value v pl = value v (n_seen_plus x) || value v those /\ value v mi = value v (n_seen_minus x) && negb (value v those)).
Proof.
  unfold make_positive. eapply computes_bind; [apply computes_and|]. intros ng Hn. eapply computes_bind; [apply computes_and|]. intros mi Hm.
  eapply computes_bind; [apply computes_or|]. intros pl Hp. apply computes_ret. cbv beta in *. rewrite value_invert in *. exists ng, pl, mi. auto.
Qed.

(** The magnitude may become zero, and a zero positive. *)
Lemma operand_changed x n m ng pl mi (positive : bool) : is_operand x n -> len m = M_bits f + 1 ->
  value v ng = value v (n_negative x) && negb positive -> value v pl = value v (n_seen_plus x) || positive ->
  value v mi = value v (n_seen_minus x) && negb positive ->
  match n with
  | Finite _ _ _ => (num m = num (n_magnitude x) \/ num m = 0 /\ num (n_magnitude x) < 2 ^ M_bits f) /\ (positive = true -> num m = 0)
  | Infinite _ _ => num m = num (n_magnitude x) /\ positive = false
  | NaN _ _ _ => True
  end ->
  is_operand (with_signs ng pl mi (with_magnitude m x))
    (match n with Finite d e s => if num m =? 0 then Finite zero e (if positive then Plus else sign_of n) else n | _ => n end).
Proof.
  intros (Lm & Fr & Lsb & BE & OB & B & SP & HE & (Se1 & Se2) & Sg & HS & W) Lm' Hn Hp Hm C. set (y := with_signs ng pl mi (with_magnitude m x)).
  assert (Sy : sees v pl mi (sign_if (value v ng))).
  { unfold sees. rewrite Hp, Hm, Hn, Se1, Se2. now destruct (value v (n_negative x)), positive. }
  assert (HS' : has_sign f = false -> value v ng = false) by (intros H; rewrite Hn, (HS H); reflexivity).
  destruct (fair_parts f Hf) as (_ & _ & PE & PM & _). pose proof (Z.pow_pos_nonneg 2 (M_bits f) eq_refl ltac:(lia)) as PpM.
  assert (G : forall n', special_is v (n_special x) n' -> (is_nan_number n' = false -> sign_of n' = sign_if (value v ng)) ->
     match n' with
     | Finite d e _ => e = Some (int (n_base x)) /\ D2R (wires_value v y) = D2R d /\ emin f <= int (n_base x) /\
                       (num m < 2 ^ M_bits f -> int (n_base x) = emin f /\ has_zero f = true)
     | Infinite _ t => t = false /\ 2 ^ M_bits f <= num m
     | NaN _ t _ => t = false
     end -> is_operand y n').
  { intros n' S1 S2 S3. split; [exact Lm'|]. split; [exact Fr|]. split; [exact Lsb|]. split; [exact BE|]. split; [exact OB|].
    split; [exact B|]. split; [exact S1|]. split; [exact HE|]. split; [exact Sy|]. split; [exact S2|]. split; [exact HS'|exact S3]. }
  destruct n as [d e s|s t|s t c].
  - destruct W as (-> & V & Le & Ls). destruct C as [C1 C2]. specialize (Sg eq_refl). destruct (Z.eqb_spec (num m) 0) as [E0|N0].
    + apply G; [exact SP| |].
      * intros _. transitivity (if positive then Plus else sign_of (Finite d (Some (int (n_base x))) s)); [reflexivity|].
        rewrite Hn, Sg. now destruct positive, (value v (n_negative x)).
      * split; [reflexivity|]. split; [|split; [exact Le|]].
        -- rewrite D2R_zero. apply is_zero_correct. unfold y, wires_value, is_zero. cbn [with_signs with_magnitude n_magnitude n_negative Notation.num].
           rewrite E0. now destruct (value v ng).
        -- intros _. destruct C1 as [C1|[_ C1]]; apply Ls; lia.
    + destruct C1 as [C1|[C1 _]]; [|congruence]. assert (P : positive = false) by (destruct positive; [specialize (C2 eq_refl); congruence|reflexivity]).
      rewrite P, andb_true_r in Hn. apply G; [exact SP|intros _; now rewrite Hn|]. split; [reflexivity|]. split; [|split; [exact Le|now rewrite C1]].
      rewrite <- V. unfold y, wires_value. cbn [with_signs with_magnitude n_magnitude n_negative n_base n_fraction]. now rewrite Hn, C1.
  - destruct C as [C ->]. rewrite andb_true_r in Hn. apply G; [exact SP|intros N; rewrite Hn; exact (Sg N)|]. now rewrite C.
  - apply G; [exact SP|discriminate|exact W].
Qed.

Theorem computes_flushed z x n : is_operand x n -> computes v (flushed f z x) (fun y => is_operand y (flush_operand z f n)).
Proof.
  intros H. destruct (fair_parts f Hf) as (_ & Fx & PE & PM & _). pose proof (Z.pow_pos_nonneg 2 (M_bits f) eq_refl ltac:(lia)) as PpM.
  pose proof H as (Lm & Fr & Lsb & BE & OB & B & SP & HE & Se & Sg & HS & W). set (mag := num (n_magnitude x)) in *.
  assert (HN : has_subnormals f = has_zero f) by (unfold has_subnormals; now rewrite Fx, andb_true_r).
  set (sub := has_zero f && ((0 <? mag) && (mag <? 2 ^ M_bits f))).
  (* the number that is flushed *)
  assert (FL : z <> KeepSubnormals -> flush_operand z f n = match n with
      | Finite d e s => let m := if sub then 0 else mag in
                        let positive := match z with FlushKeep => false | FlushPos => sub | _ => m =? 0 end in
                        if m =? 0 then Finite zero e (if positive then Plus else sign_of n) else n
      | _ => n end).
  { intros Nz. destruct n as [d e s| |]; [|reflexivity|reflexivity]. destruct W as (-> & V & Le & Ls). fold mag in Ls. cbn [flush_operand]. rewrite HN.
    assert (Zd : is_zero d = (mag =? 0)) by (rewrite <- (wires_zero v x d V); reflexivity). rewrite Zd.
    pose proof (num_bound v (n_magnitude x)) as Bm. fold mag in Bm.
    assert (Lg : mag <> 0 -> (lg d <? emin f) = (mag <? 2 ^ M_bits f)).
    { intros N. destruct (wires_lg x d V) as [_ ->]; [rewrite Zd; now apply Z.eqb_neq|]. fold mag. rewrite Fr.
      destruct (Z.ltb_spec mag (2 ^ M_bits f)) as [L|L].
      - assert (Z.log2 mag < M_bits f) by (apply Z.log2_lt_pow2; lia). apply Z.ltb_lt. lia.
      - assert (M_bits f <= Z.log2 mag) by (apply Z.log2_le_pow2; lia). apply Z.ltb_ge. lia. }
    unfold sub. destruct (Z.eqb_spec mag 0) as [E0|N0].
    - rewrite E0 in *. destruct (Ls ltac:(lia)) as [_ HZ]. rewrite HZ. cbn [andb orb Z.ltb Z.compare Z.eqb sign_of]. rewrite Zd. cbn [Z.eqb].
      destruct z; try congruence; reflexivity.
    - rewrite (Lg N0). cbn [orb]. replace (0 <? mag) with true by (symmetry; apply Z.ltb_lt; lia). cbn [andb].
      destruct (Z.ltb_spec mag (2 ^ M_bits f)) as [L|L].
      + destruct (Ls L) as [_ ->]. cbn [andb Z.eqb]. destruct z; try congruence; reflexivity.
      + rewrite andb_false_r. destruct (Z.eqb_spec mag 0); [congruence|]. destruct z; try congruence; reflexivity. }
  assert (Wm : msb (n_magnitude x) = bit (n_magnitude x) (M_bits f)) by (unfold msb, width_of; rewrite Lm; f_equal; ring).
  destruct z; [unfold flushed, flush_operand; apply computes_ret; destruct n; exact H| | |]; rewrite (FL ltac:(discriminate)); cbn [flushed]; cbv zeta.
  all: assert (HSub : computes v (if has_subnormals f then some <- any (slice (n_magnitude x) 0 (M_bits f)) ;; make_and some (invert (msb (n_magnitude x))) else ret no)
                         (fun s => value v s = sub)).
  1, 3, 5: rewrite HN; unfold sub; destruct (has_zero f); [|apply computes_ret; exact (value_no v v0)];
    eapply computes_bind; [apply (computes_any v v0)|]; intros some Hs; eapply computes_weaken; [apply computes_and|]; intros s ->;
    rewrite value_invert, Hs, (num_slice v v0), Z.pow_0_r, Z.div_1_r by lia; fold mag;
    rewrite (value_msb v v0) by (destruct (n_magnitude x); [cbn [length] in Lm; lia|discriminate]); rewrite Lm; fold mag;
    replace (M_bits f + 1 - 1) with (M_bits f) by ring; pose proof (num_bound v (n_magnitude x)) as Bm; fold mag in Bm; cbn [andb];
    destruct (Z.leb_spec (2 ^ M_bits f) mag), (Z.ltb_spec mag (2 ^ M_bits f)); try lia; cbn [negb]; rewrite ?andb_false_r, ?andb_true_r; try reflexivity;
    rewrite Z.mod_small by lia; destruct (Z.eqb_spec mag 0), (Z.ltb_spec 0 mag); try reflexivity; lia.
  all: eapply computes_bind; [exact HSub|]; intros subnormal Vs; cbv beta in Vs;
    eapply computes_bind; [apply computes_mask|]; intros m [Lm' Nm]; rewrite value_invert, Vs in Nm; fold mag in Nm;
    assert (Lm2 : len m = M_bits f + 1) by (rewrite Lm'; exact Lm);
    assert (Nm' : num m = if sub then 0 else mag) by (rewrite Nm; now destruct sub); rewrite <- Nm';
    assert (SL : sub = true -> mag < 2 ^ M_bits f)
      by (unfold sub; intros Q; apply andb_prop in Q; destruct Q as [_ Q]; apply andb_prop in Q; destruct Q as [_ Q]; now apply Z.ltb_lt);
    assert (CF : num m = mag \/ num m = 0 /\ mag < 2 ^ M_bits f) by (rewrite Nm'; destruct sub; auto);
    assert (CI : 2 ^ M_bits f <= mag -> sub = false) by (intros Q; destruct sub; [specialize (SL eq_refl); lia|reflexivity]).
  - pose proof (operand_changed x n m (n_negative x) (n_seen_plus x) (n_seen_minus x) false H Lm2) as OC.
    rewrite !andb_true_r, orb_false_r in OC. specialize (OC eq_refl eq_refl eq_refl). apply computes_ret.
    replace (with_magnitude m x) with (with_signs (n_negative x) (n_seen_plus x) (n_seen_minus x) (with_magnitude m x)) by (now destruct x).
    apply OC. destruct n as [d e s| |]; [split; [exact CF|discriminate]|destruct W as [_ W]; split; [rewrite Nm', (CI W)|]; reflexivity|exact I].
  - eapply computes_weaken; [apply computes_make_positive|]. intros y (ng & pl & mi & -> & Hn & Hp & Hm). rewrite Vs in *.
    cbn [with_magnitude n_negative n_seen_plus n_seen_minus] in *.
    apply (operand_changed x n m ng pl mi sub H Lm2 Hn Hp Hm). destruct n as [d e s| |].
    + split; [exact CF|]. intros Q. now rewrite Nm', Q.
    + destruct W as [_ W]. rewrite Nm', (CI W). now split.
    + exact I.
  - eapply computes_bind; [apply computes_make_positive|]. intros y (ng & pl & mi & -> & Hn & Hp & Hm).
    eapply computes_bind; [apply (computes_any v v0)|]. intros some Hsome. cbn [with_signs with_magnitude n_magnitude] in Hsome.
    eapply computes_weaken; [apply computes_make_positive|]. intros y (ng' & pl' & mi' & -> & Hn' & Hp' & Hm').
    rewrite value_invert, Hsome, negb_involutive in *. cbn [with_signs with_magnitude n_negative n_seen_plus n_seen_minus] in *.
    assert (SZ : sub = true -> (num m =? 0) = true) by (intros Q; rewrite Nm', Q; reflexivity).
    assert (E1 : negb sub && negb (num m =? 0) = negb (num m =? 0)) by (destruct sub; [rewrite SZ by reflexivity; reflexivity|reflexivity]).
    assert (E2 : sub || (num m =? 0) = (num m =? 0)) by (destruct sub; [rewrite SZ by reflexivity; reflexivity|reflexivity]).
    rewrite Hn, Vs, <- andb_assoc, E1 in Hn'. rewrite Hm, Vs, <- andb_assoc, E1 in Hm'. rewrite Hp, Vs, <- orb_assoc, E2 in Hp'.
    apply (operand_changed x n m ng' pl' mi' (num m =? 0) H Lm2 Hn' Hp' Hm'). destruct n as [d e s| |].
    + split; [exact CF|]. apply Z.eqb_eq.
    + destruct W as [_ W]. rewrite Nm', (CI W). split; [reflexivity|]. apply Z.eqb_neq. lia.
    + exact I.
Qed.

(** An infinity that counts as NaN. *)
Lemma operand_infnan x n nan : is_operand x n ->
  value v nan = value v (w_nan (n_special x)) || (value v (w_plus (n_special x)) || value v (w_minus (n_special x))) ->
  is_operand (with_special (SpecialWires nan no no (t_nan (n_special x)) (t_plus (n_special x)) (t_minus (n_special x))) (n_content x) (n_kind x) x)
    (match n with Infinite s t => NaN s false None | _ => n end).
Proof.
  intros (Lm & Fr & Lsb & BE & OB & B & (S1 & S2 & S3 & S4 & S5) & HE & Se & Sg & HS & W) Hn.
  assert (S : special_is v (SpecialWires nan no no (t_nan (n_special x)) (t_plus (n_special x)) (t_minus (n_special x)))
                (match n with Infinite s t => NaN s false None | _ => n end)).
  { unfold special_is. cbn [w_nan w_plus w_minus t_nan t_plus t_minus]. rewrite (value_no v v0), Hn, S1, S2, S4, S5. rewrite S1 in S3.
    destruct n as [d e s|s t|s t c]; cbn [is_nan_of is_infinity_of] in *.
    - destruct (S3 eq_refl) as [-> ->]. now repeat split.
    - destruct (S3 eq_refl) as [-> ->]. destruct W as [-> _]. specialize (Sg eq_refl). cbn [sign_of] in Sg. rewrite Sg.
      destruct (value v (n_negative x)); cbn; repeat split; discriminate.
    - subst t. cbn. now repeat split. }
  unfold is_operand. cbn [with_special n_magnitude n_fraction n_lsb n_base n_exponent n_special n_has_exponent n_seen_plus n_seen_minus n_negative].
  do 6 (split; [assumption|]). split; [exact S|]. split; [exact HE|]. split; [exact Se|]. split; [|split; [exact HS|]].
  - destruct n; [exact Sg|discriminate|discriminate].
  - destruct n; [exact W|reflexivity|exact W].
Qed.

(** What is read as NaN is not infinite, too. *)
Definition only_nan (x : wires) (n : number) : Prop :=
  is_nan_number n = true -> value v (w_plus (n_special x)) = false /\ value v (w_minus (n_special x)) = false.

Lemma computes_read_only p : len p = width f -> computes v (read_wires f p) (fun x => only_nan x (read f (num p))).
Proof.
  intros Lp. destruct (fair_parts f Hf) as (Vf & Fx & _). unfold read_wires. rewrite Fx.
  do 2 (eapply computes_bind; [apply computes_something|]; intros ? _).
  eapply computes_bind; [exact (computes_is_infinite v v0 f Vf p Lp)|]. intros inf Hinf. eapply computes_bind; [apply computes_something|]. intros nan _.
  eapply computes_bind; [apply computes_and|]. intros pl Hp. eapply computes_bind; [apply computes_and|]. intros mi Hm. apply computes_ret. intros N.
  cbn [n_special w_plus w_minus]. cbv beta in *. rewrite Hp, Hm, Hinf. destruct (read f (num p)); try discriminate N. now split.
Qed.

(** A NaN that counts as a zero. *)
Lemma computes_nanzero x n : has_zero f = true -> is_operand x n -> sign_of n = sign_if (value v (n_negative x)) -> only_nan x n ->
  computes v (let s := n_special x in
              let other := invert (w_nan s) in
              magnitude <- mask other (n_magnitude x) ;;
              base <- i_mux other (n_base x) (fixed_integer (emin f)) ;;
              let k := n_content x in
              ret (with_exponent base (with_base base (n_fraction x) (with_magnitude magnitude
                    (with_special (SpecialWires no (w_plus s) (w_minus s) (t_nan s) (t_plus s) (t_minus s))
                                  (ContentWires no (k_negative k) (k_payload k)) (n_kind x) x)))))
    (fun y => is_operand y (match n with NaN s _ _ => Finite zero (Some (emin f)) s | _ => n end)).
Proof.
  intros HZ (Lm & Fr & Lsb & BE & OB & (B1 & B2 & B3) & (S1 & S2 & S3 & S4 & S5) & HE & Se & Sg & HS & W) Sn On.
  destruct (fair_parts f Hf) as (_ & _ & PE & PM & _ & _ & PB & _). assert (Em : - 2 ^ 30 <= emin f <= 2 ^ 30 + 1) by (unfold emin; destruct (has_zero f); lia).
  change (2 ^ 31) with (2 * 2 ^ 30) in *. cbv zeta.
  eapply computes_bind; [apply computes_mask|]. intros mag [Lmag Nmag]. rewrite value_invert, S1 in Nmag.
  eapply computes_bind with (P := fun b => int_ok v b /\ int b = (if is_nan_of false n then emin f else int (n_base x)) /\
     emin f - 1 <= i_low b /\ i_low b <= i_high b /\ i_high b <= 2 * 2 ^ 30).
  { destruct (fixed_ok v (emin f)) as [F1 F2]. intros st St.
    pose proof (computes_i_mux v v0 (invert (w_nan (n_special x))) (n_base x) (fixed_integer (emin f)) OB F2) as M.
    cbn [fixed_integer i_low i_high] in M. specialize (M ltac:(change (2 ^ 64) with (17179869184 * 2 ^ 30); lia) st St). destruct M as [M1 M2].
    split; [exact M2|]. split; [rewrite M1, value_invert, S1, F1; now destruct (is_nan_of false n)|].
    unfold i_mux in St |- *. cbn [bind run] in *.
    destruct (run (rebased _ _ _) st) as [a1 s1]. destruct (run (rebased _ _ _) s1) as [a2 s2]. destruct (run (mux _ _ _) s2) as [a3 s3].
    cbn [fst ret run i_low i_high fixed_integer]. lia. }
  intros b (Ob & Vb & Bl). apply computes_ret. unfold is_operand. cbn [with_exponent with_base with_magnitude with_special n_magnitude n_fraction n_lsb n_base n_exponent n_special
    n_has_exponent n_seen_plus n_seen_minus n_negative]. split; [now rewrite Lmag|]. split; [exact Fr|]. split; [exact Lsb|]. split; [reflexivity|]. split; [exact Ob|]. split; [exact Bl|].
  rewrite S1 in S3. destruct n as [d e s|s t|s t c]; cbn [is_nan_of is_infinity_of is_nan_number sign_of] in *.
  - destruct (S3 eq_refl) as [P M]. split; [unfold special_is; cbn [w_nan w_plus w_minus t_nan t_plus t_minus is_nan_of is_infinity_of]; rewrite (value_no v v0); auto|]. do 2 (split; [assumption|]). split; [exact Sg|]. split; [exact HS|].
    cbn [negb] in Nmag. rewrite Vb, Nmag. destruct W as (W1 & W2 & W3). split; [exact W1|]. split; [|exact W3].
    rewrite <- W2. unfold wires_value. cbn [n_negative n_magnitude n_base n_fraction with_exponent with_base with_magnitude with_special]. now rewrite Vb, Nmag.
  - destruct (S3 eq_refl) as [P M]. split; [unfold special_is; cbn [w_nan w_plus w_minus t_nan t_plus t_minus is_nan_of is_infinity_of]; rewrite (value_no v v0); auto|]. do 2 (split; [assumption|]). split; [exact Sg|]. split; [exact HS|].
    cbn [negb] in Nmag. now rewrite Nmag.
  - subst t. cbn [Bool.eqb negb] in Nmag, Vb. destruct (On eq_refl) as [P M]. split; [unfold special_is; cbn [w_nan w_plus w_minus t_nan t_plus t_minus is_nan_of is_infinity_of]; rewrite (value_no v v0); auto|]. do 2 (split; [assumption|]).
    split; [intros _; exact Sn|]. split; [exact HS|]. rewrite Vb, Nmag. split; [reflexivity|]. split; [|split; [lia|now split]].
    rewrite D2R_zero. apply is_zero_correct. unfold wires_value, is_zero. cbn [n_negative n_magnitude n_base n_fraction with_exponent with_base with_magnitude with_special Notation.num].
    rewrite Nmag. now destruct (value v (n_negative x)).
Qed.

End Operands.
