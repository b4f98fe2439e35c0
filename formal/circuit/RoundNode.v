(** * What a round finds before it packs

    The stages of a round of the circuit: the significand is that of [rnd] of the definition at the last bit that the number
    and the smallest exponent give, and what says whether it is zero, flushed or too large is right. What is packed of
    them is in Packing.v. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Flocq Require Import Core.
From Discern Require Import Notation Real Units Gates Lrat Making Words Shifts Integers Largest Circuit CircuitUnit Fields Reading
  Rounding Alignment Exponents Numbers.
Import ListNotations.
Open Scope Z_scope.

(** How large a rounded magnitude is. *)
Lemma rounded_size m (negative : bool) X q M : 0 <= X -> 0 < q -> 0 <= M ->
  let S := Z.abs (num (rnd m (Dyadic (if negative then - X else X) 0) q)) in
  0 <= S /\ (X < 2 ^ (M + 1 + q) -> S <= 2 ^ (M + 1)) /\ (2 ^ (M + q) <= X -> 2 ^ M <= S).
Proof.
  intros HX Hq HM S. split; [apply Z.abs_nonneg|]. unfold S. rewrite rnd_magnitude by assumption.
  pose proof (Z.pow_pos_nonneg 2 q eq_refl ltac:(lia)) as Pq.
  match goal with |- context [Z.b2z ?b] => assert (B : 0 <= Z.b2z b <= 1) by (destruct b; cbn; lia) end.
  split; intros H; rewrite Z.pow_add_r in H by lia.
  - assert (X / 2 ^ q < 2 ^ (M + 1)) by (apply Z.div_lt_upper_bound; lia). lia.
  - assert (2 ^ M <= X / 2 ^ q) by (apply Z.div_le_lower_bound; lia). lia.
Qed.

(** The exponent of a number whose units are known. *)
Lemma lg_units d n q : D2R d = D2R (Dyadic n q) -> is_zero d = false -> n <> 0 /\ lg d = Z.log2 (Z.abs n) + q.
Proof.
  intros H Z. apply is_zero_false in Z. split.
  - intros ->. apply Z. rewrite H. unfold D2R, F2R. cbn. ring.
  - now rewrite (lg_value d _ H Z).
Qed.

Lemma lg_multiple d q : multiple_of d q -> is_zero d = false -> q <= lg d.
Proof.
  intros [k Hk] Z. destruct (lg_units d k q Hk Z) as [N ->]. pose proof (Z.log2_nonneg (Z.abs k)). lia.
Qed.

(** What formats to which circuits round have in common; fixed point, and those of a sign, zero and NaN. *)
Definition fields_fit (f : format) : bool :=
  (1 <=? E_bits f) && (E_bits f <=? 32) && (0 <=? M_bits f) && (M_bits f <=? 60) && (Z.abs (emin f) <=? 2 ^ 40) &&
  (emin f <=? emax f) && (emax f <=? 2 ^ 40) &&
  (0 <=? largest_fraction f).

Section Stages.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).
Variable r : round_attr.
Notation f := (r_format r).
Notation M := (M_bits (r_format r)).
Hypothesis Hf : fields_fit f = true.

Lemma fields_parts : 1 <= E_bits f <= 32 /\ 0 <= M <= 60 /\ - 2 ^ 40 <= emin f <= 2 ^ 40 /\ emin f <= emax f <= 2 ^ 40 /\
  0 <= largest_fraction f < 2 ^ M.
Proof.
  pose proof Hf as H. unfold fields_fit in H. repeat (apply andb_prop in H; destruct H as [H ?H']).
  repeat match goal with H : (_ <=? _) = true |- _ => apply Z.leb_le in H end. repeat (split; [lia|]).
  unfold largest_fraction. rewrite pow2_correct. destruct (kind_of f); lia.
Qed.

(** The last bit of d rounded, and its exponent before it is known whether the rounding carries. *)
Definition exponent_before (d : dyadic) : Z := Z.max (lg d) (emin f).
Definition rounded_to (d : dyadic) : dyadic := rnd (r_mode r) d (exponent_before d - M).

(** The stages of a number d with the sign s, of which S is the magnitude in units of the last bit. *)
Definition stages_are (y : stages) (s : bool) (d : dyadic) (S : Z) : Prop :=
  len (st_exponent y) = E_bits f /\ len (st_mantissa y) = M /\
  value v (st_zero y) = is_zero d /\ value v (st_to_zero y) = (S =? 0) /\
  0 <= S <= 2 ^ (M + 1) /\ num (st_mantissa y) = S mod 2 ^ M /\
  (S < 2 ^ M -> num (st_exponent y) = 0) /\ (is_zero d = true -> S = 0) /\
  (is_zero d = false ->
     let e := exponent_before d + if S =? 2 ^ (M + 1) then 1 else 0 in
     D2R (rounded_to d) = D2R (Dyadic (if s then - S else S) (exponent_before d - M)) /\
     (emin f <= lg d -> 2 ^ M <= S) /\
     value v (st_flushed y) = is_flushed r d (rounded_to d) /\
     value v (st_overflow y) = (emax f <? e) || ((e =? emax f) && (largest_fraction f <? S mod 2 ^ M)) /\
     (2 ^ M <= S -> num (st_exponent y) = (e - (emin f - 1)) mod 2 ^ E_bits f)).

(** The magnitude with its highest bit set; a zero stays one. *)
Lemma computes_normal x : 0 < len x ->
  computes v (normalise x) (fun zs => len (fst zs) = len x /\
    num (fst zs) = (if num x =? 0 then 0 else num x * 2 ^ (len x - 1 - Z.log2 (num x))) /\
    (0 < num x -> num (snd zs) = len x - 1 - Z.log2 (num x))).
Proof.
  intros Hl. pose proof (num_bound v x) as B. destruct (Z.eqb_spec (num x) 0) as [E|E].
  - eapply computes_weaken; [apply computes_both; [apply (computes_normalise v v0)|exact (computes_normalise_zero v v0 x E)]|].
    intros zs [(L & _ & _) Z]. repeat split; [exact L|exact Z|lia].
  - eapply computes_weaken; [apply (computes_normalise v v0)|]. intros zs (L & _ & H). destruct (H ltac:(lia)) as [H1 H2].
    repeat split; auto.
Qed.

(** The highest n bits of a word, n more than it has if it is short, and whether something is below: X / 2^W of X = z·2^n. *)
Lemma computes_highest z n : 0 <= n -> let W := len z in let X := num z * 2 ^ n in
  len (slice z (W - n) n) = n /\ num (slice z (W - n) n) = X / 2 ^ W /\
  computes v (any (slice z 0 (W - n))) (fun s => value v s = negb (X mod 2 ^ W =? 0)).
Proof.
  intros Hn W X. assert (W0 : 0 <= W) by (unfold W; lia). pose proof (num_bound v z) as B. fold W in B.
  pose proof (Z.pow_pos_nonneg 2 n eq_refl Hn) as Pn. pose proof (Z.pow_pos_nonneg 2 W eq_refl W0) as PW.
  split; [apply length_slice; lia|]. destruct (Z.le_gt_cases n W) as [L|L].
  - assert (P : 2 ^ W = 2 ^ (W - n) * 2 ^ n) by (rewrite <- Z.pow_add_r by lia; f_equal; ring).
    pose proof (Z.pow_pos_nonneg 2 (W - n) eq_refl ltac:(lia)) as Pd. split.
    + rewrite (num_slice v v0) by lia. unfold X. rewrite P, Z.div_mul_cancel_r by lia. apply Z.mod_small.
      split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; lia.
    + eapply computes_weaken; [apply (computes_any v v0)|]. intros s ->. rewrite (num_slice v v0) by lia.
      rewrite Z.pow_0_r, Z.div_1_r. unfold X. rewrite P, Z.mul_mod_distr_r by lia.
      pose proof (Z.mod_pos_bound (num z) (2 ^ (W - n)) Pd).
      destruct (Z.eqb_spec (num z mod 2 ^ (W - n)) 0), (Z.eqb_spec (num z mod 2 ^ (W - n) * 2 ^ n) 0); try reflexivity; nia.
  - replace (W - n) with (- (n - W)) by ring. pose proof (Z.pow_pos_nonneg 2 (n - W) eq_refl ltac:(lia)) as Pd.
    assert (P : X = num z * 2 ^ (n - W) * 2 ^ W).
    { unfold X. rewrite <- Z.mul_assoc, <- Z.pow_add_r by lia. f_equal. f_equal. ring. } split.
    + rewrite (num_slice_up v v0) by lia. rewrite P, Z.div_mul by lia. apply Z.mod_small.
      assert (Q : 2 ^ n = 2 ^ W * 2 ^ (n - W)) by (rewrite <- Z.pow_add_r by lia; f_equal; ring). nia.
    + eapply computes_weaken; [apply (computes_any v v0)|]. intros s ->. rewrite P, Z.mod_mul by lia.
      replace (slice z 0 (- (n - W))) with (@nil literal); [reflexivity|].
      assert (G : forall y w, w <= 0 -> resize y w = []) by (intros y w Hw; unfold resize; replace (Z.to_nat w) with 0%nat by lia; reflexivity).
      symmetry. apply G. lia.
Qed.

(** The number that the wires are, in units of the last bit of X = z·2^(M + 2), z the normalised magnitude. *)
Lemma wires_units x d W z (n := W - 1 - Z.log2 (num (n_magnitude x))) : 0 <= M -> 0 <= n ->
  D2R (wires_value v x) = D2R d -> z = num (n_magnitude x) * 2 ^ n ->
  is_zero d = false -> let X := z * 2 ^ (M + 2) in
  0 < num (n_magnitude x) /\ lg d = Z.log2 (num (n_magnitude x)) + int (n_base x) - n_fraction x /\
  D2R d = D2R (Dyadic (if value v (n_negative x) then - X else X) (lg d - M - W - 1)).
Proof.
  intros HM Hn HV -> Z X. set (mag := num (n_magnitude x)) in *. pose proof (num_bound v (n_magnitude x)) as B. fold mag in B.
  unfold wires_value in HV. fold mag in HV. symmetry in HV. destruct (lg_units _ _ _ HV Z) as [N L].
  assert (A : Z.abs (if value v (n_negative x) then - mag else mag) = mag) by (destruct (value v (n_negative x)); lia).
  rewrite A in L. split; [destruct (value v (n_negative x)); lia|]. split; [lia|].
  rewrite HV. unfold D2R, F2R. cbn [Notation.num scale Fnum Fexp].
  replace (if value v (n_negative x) then - X else X) with ((if value v (n_negative x) then - mag else mag) * pow2 (n + (M + 2))).
  2: { rewrite pow2_correct, Z.pow_add_r by lia. unfold X. destruct (value v (n_negative x)); ring. }
  rewrite mult_IZR, IZR_pow2, Rmult_assoc, <- bpow_plus by lia. f_equal. f_equal. unfold n. lia.
Qed.

(** Whether a rounded number is subnormal, from its units; and its exponent if it is not. *)
Lemma lg_rounded (sg : bool) S e rd_ : 0 <= M -> 0 <= S <= 2 ^ (M + 1) -> D2R rd_ = D2R (Dyadic (if sg then - S else S) (e - M)) ->
  is_zero rd_ = (S =? 0) /\ (0 < S -> lg rd_ = Z.log2 S + e - M) /\
  (2 ^ M <= S -> lg rd_ = e + if S =? 2 ^ (M + 1) then 1 else 0).
Proof.
  intros HM HS HD.
  assert (Z : is_zero rd_ = (S =? 0)).
  { rewrite (is_zero_value _ _ HD). unfold is_zero. cbn [Notation.num]. destruct sg, (Z.eqb_spec S 0), (Z.eqb_spec (- S) 0); try reflexivity; lia. }
  assert (L : 0 < S -> lg rd_ = Z.log2 S + e - M).
  { intros P. assert (Zr : is_zero rd_ = false) by (rewrite Z; apply Z.eqb_neq; lia). destruct (lg_units _ _ _ HD Zr) as [_ ->].
    replace (Z.abs (if sg then - S else S)) with S by (destruct sg; lia). lia. }
  split; [exact Z|]. split; [exact L|]. intros G. pose proof (Z.pow_pos_nonneg 2 M eq_refl HM). rewrite L by lia.
  destruct (Z.eqb_spec S (2 ^ (M + 1))) as [->|N].
  - rewrite Z.log2_pow2 by lia. ring.
  - assert (Z.log2 S = M) by (apply Z.log2_unique; replace (Z.succ M) with (M + 1) by ring; lia). lia.
Qed.

Theorem computes_stages above x d e s : above <= 2 ^ 43 -> is_number v above x (Finite d e s) ->
  computes v (round_stages r x) (fun y => exists S, stages_are y (value v (n_negative x)) d S).
Proof.
  intros Habove ((_ & _ & (HV & _ & _ & HB & _)) & ((F1 & F2) & HW & HL & (NB1 & NB2 & NB3) & _) & (_ & Mul)).
  destruct fields_parts as (PE & PM & PE1 & PE2 & PL).
  set (mag := num (n_magnitude x)) in *. set (W := len (n_magnitude x)) in *. set (sg := value v (n_negative x)).
  pose proof (num_bound v (n_magnitude x)) as Bmag. fold mag W in Bmag.
  assert (Zd : is_zero d = (mag =? 0)).
  { rewrite <- (is_zero_value _ _ HV). unfold is_zero, wires_value. cbn [Notation.num]. fold mag.
    destruct (value v (n_negative x)), (Z.eqb_spec mag 0), (Z.eqb_spec (- mag) 0); try reflexivity; lia. }
  unfold round_stages, width_of. fold W.
  eapply computes_bind; [apply (computes_any v v0)|]. intros some Hsome. fold mag in Hsome. rewrite <- Zd in Hsome.
  eapply computes_bind; [apply computes_normal; unfold W in HW; lia|]. intros normal (LN & NN & ZN). fold mag W in LN, NN, ZN.
  set (z := num (fst normal)) in *. set (X := z * 2 ^ (M + 2)).
  assert (Lg : 0 < mag -> 0 <= Z.log2 mag <= W - 1).
  { intros P. split; [apply Z.log2_nonneg|]. assert (Z.log2 mag < W) by (apply Z.log2_lt_pow2; lia). lia. }
  assert (Bz : 0 <= z < 2 ^ W) by (unfold z; rewrite <- LN; apply num_bound).
  assert (X0 : 0 <= X < 2 ^ (M + 1 + (W + 1))).
  { pose proof (Z.pow_pos_nonneg 2 (M + 2) eq_refl ltac:(lia)). unfold X.
    replace (M + 1 + (W + 1)) with (W + (M + 2)) by ring. rewrite (Z.pow_add_r 2 W) by lia.
    split; [apply Z.mul_nonneg_nonneg; lia|apply Z.mul_lt_mono_pos_r; lia]. }
  (* a number that is not zero *)
  assert (Nz : is_zero d = false -> 0 < mag /\ lg d = Z.log2 mag + int (n_base x) - n_fraction x /\
               D2R d = D2R (Dyadic (if sg then - X else X) (lg d - M - W - 1)) /\ 2 ^ (M + (W + 1)) <= X).
  { intros Z. rewrite Zd in Z. rewrite Z in NN. apply Z.eqb_neq in Z. specialize (Lg ltac:(lia)).
    destruct (wires_units x d W z) as (H1 & H2 & H3); [lia|fold mag; lia|exact HV|exact NN| |].
    { rewrite Zd. now apply Z.eqb_neq. }
    split; [exact H1|]. split; [exact H2|]. split; [exact H3|]. unfold X. rewrite NN.
    assert (2 ^ Z.log2 mag <= mag) by (apply Z.log2_spec; lia).
    replace (M + (W + 1)) with (Z.log2 mag + (W - 1 - Z.log2 mag) + (M + 2)) by ring. rewrite !Z.pow_add_r by lia.
    pose proof (Z.pow_pos_nonneg 2 (M + 2) eq_refl ltac:(lia)). pose proof (Z.pow_pos_nonneg 2 (W - 1 - Z.log2 mag) eq_refl ltac:(lia)). nia. }
  assert (Xz : is_zero d = true -> X = 0).
  { intros Z. rewrite Zd in Z. rewrite Z in NN. unfold X. rewrite NN. ring. }
  eapply computes_bind.
  { apply (computes_if v _ (is_zero d = false)
      (fun top => int top = lg d /\ int_ok v top /\ - 2 ^ 44 <= i_low top <= 2 ^ 44 /\ - 2 ^ 44 <= i_high top <= 2 ^ 44)).
    intros Z. destruct (Nz Z) as (Mp & Lgd & _ & _). specialize (Lg Mp). pose proof (lg_multiple d _ Mul Z) as Ml.
    destruct (HB Z) as [OB _]. unfold int_ok in OB. pose proof (int_bounds v (n_base x)) as IB.
    set (low := Z.max (i_low (n_base x) - n_fraction x) (n_lsb x)) in *. set (high := i_high (n_base x) + (W - 1 - n_fraction x)) in *.
    assert (Bd : low <= lg d <= high) by (unfold low, high; lia).
    assert (Bl : - 2 ^ 44 <= low) by (unfold low; lia). assert (Bh : high <= 2 ^ 44) by (unfold high; lia).
    eapply computes_weaken; [apply (computes_difference v v0 _ _ low high); lia|]. intros top (L1 & L2 & H). rewrite L1, L2.
    rewrite (proj1 (offset_by_ok v (n_base x) (W - 1 - n_fraction x))), (proj1 (integer_of_ok v (snd normal) 0)), (ZN Mp) in H.
    destruct H as [H1 H2]; [lia|]. split; [lia|]. split; [exact H2|]. lia. }
  intros top Htop. cbv beta in Htop.
  destruct (computes_highest (fst normal) (M + 2) ltac:(lia)) as (LU & NU & CU). fold z in NU, CU. rewrite LN in LU, NU, CU. fold X in NU, CU.
  set (unlimited := slice (fst normal) (W - (M + 2)) (M + 2)) in *.
  eapply computes_bind; [exact CU|]. intros us Hus. cbv beta in Hus.
  destruct (fixed_ok v (emin f)) as [FE FO]. change (i_low (fixed_integer (emin f))) with (emin f) in *.
  eapply computes_bind.
  { apply (computes_if v _ (is_zero d = false) (fun t => value v t = (lg d <? emin f))). intros Z. destruct (Htop Z) as (T1 & T2 & T3 & T4).
    eapply computes_weaken; [apply (computes_i_less v v0); [exact T2|exact FO|cbn [fixed_integer i_low i_high]; lia]|].
    intros t ->. now rewrite T1, FE. }
  intros tiny Htiny. cbv beta in Htiny.
  eapply computes_bind.
  { apply (computes_if v _ (is_zero d = false)
      (fun x => int x = exponent_before d /\ int_ok v x /\ - 2 ^ 44 <= i_low x <= 2 ^ 44 /\ - 2 ^ 44 <= i_high x <= 2 ^ 44)).
    intros Z. destruct (Htop Z) as (T1 & T2 & T3 & T4).
    eapply computes_weaken; [apply computes_both; [apply (computes_i_larger v v0 _ _ T2 FO); cbn [fixed_integer i_low i_high]; lia|apply bounds_i_larger]|].
    cbn [fixed_integer i_low i_high]. intros b ((B1 & B2) & B3 & B4). rewrite T1, FE in B1. split; [exact B1|]. split; [exact B2|]. lia. }
  intros before Hbefore. cbv beta in Hbefore.
  eapply computes_bind.
  { apply (computes_if v _ (is_zero d = false) (fun a => num (i_bits a) = exponent_before d - lg d)). intros Z.
    destruct (Htop Z) as (T1 & T2 & T3 & T4). destruct (Hbefore Z) as (B1 & B2 & B3 & B4). unfold int_ok in T2, B2.
    pose proof (int_bounds v top) as IT. assert (exponent_before d >= lg d) by (unfold exponent_before; lia).
    eapply computes_weaken; [apply (computes_difference v v0 _ _ 0 (i_high before - i_low top)); lia|]. intros a (L1 & L2 & Ha).
    destruct Ha as [Ha _]; [lia|]. unfold int_of at 1 in Ha. rewrite L1 in Ha. lia. }
  intros amount Hamount. cbv beta in Hamount. set (a := num (i_bits amount)) in *. assert (A0 : 0 <= a) by apply num_bound.
  eapply computes_bind; [apply (computes_shift_right v v0)|]. intros [lim ls] (LL & NL & VL). cbn [fst snd] in *. fold a in NL, VL.
  eapply computes_bind; [apply computes_or|]. intros sticky Hsticky.
  assert (SH : num lim = X / 2 ^ (W + a) /\ value v sticky = negb (X mod 2 ^ (W + a) =? 0)).
  { destruct (shift_twice X W a false (num unlimited) (num lim) (value v us) (value v sticky)) as [E1 E2]; [lia|lia|exact A0| | |].
    - split; [exact NU|rewrite Hus; reflexivity].
    - split; [exact NL|]. rewrite Hsticky, VL. reflexivity.
    - split; [exact E1|exact E2]. }
  destruct SH as [NLim NSt]. rewrite LU in LL. set (q := W + a + 1). replace (W + a) with (q - 1) in NLim, NSt by (unfold q; ring).
  eapply computes_bind.
  { apply (computes_rounded v v0 (r_mode r) (n_negative x) lim sticky X q); [lia|unfold q; lia|lia|exact NLim|exact NSt]. }
  intros sig [Lsig Nsig]. fold sg in Nsig. rewrite LL in Lsig.
  destruct (rounded_size (r_mode r) sg X q M ltac:(lia) ltac:(unfold q; lia) ltac:(lia)) as (S0 & S1 & S2).
  rewrite <- Nsig in S0, S1, S2. set (S := num sig) in *.
  assert (Su : S <= 2 ^ (M + 1)).
  { apply S1. apply Z.lt_le_trans with (2 ^ (M + 1 + (W + 1))); [lia|]. apply Z.pow_le_mono_r; unfold q; lia. }
  assert (Sz : is_zero d = true -> S = 0).
  { intros Z. rewrite Nsig, rnd_magnitude, (Xz Z) by (unfold q; lia).
    rewrite !Z.div_0_l, Z.mod_0_l by (apply Z.pow_nonzero; unfold q; lia). destruct (r_mode r), sg; reflexivity. }
  assert (Sn : is_zero d = false -> D2R (rounded_to d) = D2R (Dyadic (if sg then - S else S) (exponent_before d - M)) /\
                                    (emin f <= lg d -> 2 ^ M <= S)).
  { intros Z. destruct (Nz Z) as (Mp & _ & Vd & Xl). specialize (Hamount Z). split.
    - rewrite Nsig. rewrite (rnd_of_magnitude (r_mode r) sg X q _ ltac:(lia) ltac:(unfold q; lia) eq_refl). unfold rounded_to.
      rewrite (rnd_value _ _ _ _ Vd). replace (exponent_before d - M) with (lg d - M - W - 1 + q) by (unfold q; lia).
      now rewrite rnd_unit by (unfold q; lia).
    - intros Le. apply S2. replace q with (W + 1); [exact Xl|]. unfold q. unfold exponent_before in Hamount. lia. }
  clear NLim NSt Nsig Hsticky VL NL.
  pose proof (Z.pow_pos_nonneg 2 M eq_refl ltac:(lia)) as PpM. assert (P1 : 2 ^ (M + 1) = 2 * 2 ^ M) by (rewrite Z.pow_add_r by lia; ring).
  assert (Vmsb : value v (msb sig) = (S =? 2 ^ (M + 1))).
  { rewrite (value_msb v v0) by (destruct sig; [cbn [length] in Lsig; lia|discriminate]). fold S. rewrite Lsig. replace (M + 2 - 1) with (M + 1) by ring.
    destruct (Z.leb_spec (2 ^ (M + 1)) S), (Z.eqb_spec S (2 ^ (M + 1))); try reflexivity; lia. }
  set (e_ := exponent_before d + if S =? 2 ^ (M + 1) then 1 else 0).
  eapply computes_bind.
  { apply (computes_if v _ (is_zero d = false) (fun x => int x = e_ /\ int_ok v x /\ - 2 ^ 45 <= i_low x <= 2 ^ 45 /\ - 2 ^ 45 <= i_high x <= 2 ^ 45)).
    intros Z. destruct (Hbefore Z) as (B1 & B2 & B3 & B4).
    eapply computes_weaken; [apply computes_both; [apply (computes_i_plus v v0 before (msb sig) B2)|apply bounds_i_plus]|].
    intros b ((C1 & C2) & C3 & C4). rewrite Vmsb, B1 in C1. split; [|split; [exact C2|lia]]. rewrite C1. unfold e_. now destruct (S =? _). }
  intros exponent Hexp. cbv beta in Hexp.
  eapply computes_bind; [apply (computes_any v v0)|]. intros hidden Hhid. rewrite (num_slice v v0) in Hhid by lia. fold S in Hhid.
  assert (Vhid : value v hidden = (2 ^ M <=? S)).
  { rewrite Hhid. assert (S / 2 ^ M < 4) by (apply Z.div_lt_upper_bound; lia). rewrite Z.mod_small by (split; [apply Z.div_pos; lia|change (2 ^ 2) with 4; lia]).
    destruct (Z.leb_spec (2 ^ M) S) as [L|L].
    - assert (0 < S / 2 ^ M) by (apply Z.div_str_pos; lia). destruct (Z.eqb_spec (S / 2 ^ M) 0); [lia|reflexivity].
    - rewrite Z.div_small by lia. reflexivity. }
  clear Hhid. eapply computes_bind; [apply (computes_any v v0)|]. intros something Hsomething. fold S in Hsomething.
  assert (Nman : num (slice sig 0 M) = S mod 2 ^ M) by (rewrite (num_slice v v0), Z.pow_0_r, Z.div_1_r by lia; reflexivity).
  assert (Lman : len (slice sig 0 M) = M) by (apply length_slice; lia).
  set (mantissa := slice sig 0 M) in *. clearbody mantissa.
  (* flushing *)
  eapply computes_bind.
  { apply (computes_if v _ (is_zero d = false) (fun z => value v z = is_flushed r d (rounded_to d))). intros Z.
    destruct (Sn Z) as [Vr Ln]. destruct (Nz Z) as (Mp & _ & Vd & Xl). destruct (Htop Z) as (T1 & T2 & T3 & T4).
    clear Hexp Hbefore Htop Hamount Nz Sn HV Mul. unfold is_flushed. destruct (r_ftz r).
    - apply computes_ret. exact (value_no v v0).
    - eapply computes_weaken; [apply computes_and|]. intros fl ->. rewrite !value_invert, negb_involutive, Vhid, Hsomething.
      destruct (lg_rounded sg S (exponent_before d) _ ltac:(lia) ltac:(lia) Vr) as (Zr & Lr & Lr'). rewrite Zr.
      destruct (Z.eqb_spec S 0) as [E|E]; [now rewrite andb_false_r|]. cbn [negb]. rewrite andb_true_r. cbn [andb].
      destruct (Z.leb_spec (2 ^ M) S) as [G|G]; cbn [negb].
      + rewrite (Lr' G). symmetry. apply Z.ltb_ge. unfold exponent_before. destruct (S =? _); lia.
      + assert (Z.log2 S < M) by (apply Z.log2_lt_pow2; lia). rewrite Lr by lia. symmetry. apply Z.ltb_lt. unfold exponent_before.
        destruct (Z.le_gt_cases (emin f) (lg d)) as [Q|Q]; [specialize (Ln Q); lia|lia].
    - apply computes_ret. exact (Htiny Z).
    - eapply computes_bind.
      { apply (computes_rounded v v0 (r_mode r) (n_negative x) unlimited us X (W + 1)); [lia|lia|lia| |];
          replace (W + 1 - 1) with W by ring; assumption. }
      intros other [Lo No]. fold sg in No. rewrite LU in Lo.
      destruct (rounded_size (r_mode r) sg X (W + 1) M ltac:(lia) ltac:(lia) ltac:(lia)) as (O0 & O1 & O2).
      rewrite <- No in O0, O1, O2. specialize (O1 (proj2 X0)). specialize (O2 Xl).
      assert (Vo : D2R (rnd (r_mode r) d (lg d - M)) = D2R (Dyadic (if sg then - num other else num other) (lg d - M))).
      { rewrite No. rewrite (rnd_of_magnitude (r_mode r) sg X (W + 1) _ ltac:(lia) ltac:(lia) eq_refl). rewrite (rnd_value _ _ _ _ Vd).
        pose proof (rnd_unit (r_mode r) (if sg then - X else X) (lg d - M - W - 1) (W + 1) ltac:(lia)) as RU.
        replace (lg d - M - W - 1 + (W + 1)) with (lg d - M) in RU by ring. now rewrite RU. }
      destruct (lg_rounded sg (num other) (lg d) _ ltac:(lia) ltac:(lia) Vo) as (_ & _ & Lr'). rewrite (Lr' O2).
      eapply computes_bind; [apply computes_both; [apply (computes_i_plus v v0 top (msb other) T2)|apply bounds_i_plus]|].
      intros up ((U1 & U2) & U3 & U4). eapply computes_weaken; [apply (computes_i_less v v0); [exact U2|exact FO|cbn [fixed_integer i_low i_high]; lia]|].
      intros fl ->. rewrite U1, T1, FE, (value_msb v v0) by (destruct other; [cbn [length] in Lo; lia|discriminate]).
      rewrite Lo. replace (M + 2 - 1) with (M + 1) by ring. f_equal. f_equal.
      destruct (Z.leb_spec (2 ^ (M + 1)) (num other)), (Z.eqb_spec (num other) (2 ^ (M + 1))); cbn [Z.b2z]; try reflexivity; lia. }
  intros flushed Hflushed. cbv beta in Hflushed.
  clear Hus CU NU LU Htiny Htop Hbefore Hamount Nz Xz X0 Lg LN NN ZN Bz Mul HV.
  (* overflow *)
  destruct (fixed_ok v (emax f)) as [GE GO]. destruct (fixed_ok v (emin f - 1)) as [HE HO].
  eapply computes_bind.
  { apply (computes_if v _ (is_zero d = false) (fun z => value v z = (emax f <? e_))). intros Z. destruct (Hexp Z) as (E1 & E2 & E3 & E4).
    eapply computes_weaken; [apply (computes_i_less v v0); [exact GO|exact E2|cbn [fixed_integer i_low i_high]; lia]|]. intros b ->. now rewrite E1, GE. }
  intros ab Hab. cbv beta in Hab. eapply computes_bind.
  { apply (computes_if v _ (is_zero d = false) (fun z => value v z = (e_ <? emax f))). intros Z. destruct (Hexp Z) as (E1 & E2 & E3 & E4).
    eapply computes_weaken; [apply (computes_i_less v v0); [exact E2|exact GO|cbn [fixed_integer i_low i_high]; lia]|]. intros b ->. now rewrite E1, GE. }
  intros lo Hlo. cbv beta in Hlo. eapply computes_bind; [apply computes_and|]. intros at_ Hat. rewrite !value_invert in Hat.
  eapply computes_bind; [apply (computes_less v v0); apply Nat2Z.inj; rewrite length_constant by lia; now symmetry|]. intros be Hbe.
  rewrite Nman, (num_constant v v0), Z.mod_small in Hbe by lia.
  eapply computes_bind; [apply computes_and|]. intros bo Hbo. eapply computes_bind; [apply computes_or|]. intros ov Hov.
  (* the field of the exponent *)
  eapply computes_bind.
  { apply (computes_if v _ (is_zero d = false) (fun z => num (i_bits z) = e_ - (emin f - 1))). intros Z. destruct (Hexp Z) as (E1 & E2 & E3 & E4).
    unfold int_ok in E2. assert (emin f <= e_) by (unfold e_, exponent_before; destruct (S =? _); lia).
    eapply computes_weaken; [apply (computes_difference v v0 _ _ 0 (Z.max 1 (i_high exponent - emin f + 1))); lia|]. intros g (L1 & L2 & H3).
    destruct H3 as [H3 _]; [lia|]. unfold int_of at 1 in H3. rewrite L1 in H3. lia. }
  intros field Hfield. cbv beta in Hfield.
  eapply computes_bind; [apply (computes_mask v)|]. intros ef [Lef Nef]. apply computes_ret.
  cbv beta in Hov, Hbo, Hsome, Hsomething.
  exists S. unfold stages_are. cbn [st_zero st_exponent st_mantissa st_to_zero st_flushed st_overflow].
  rewrite Vhid, (num_resize v v0) in Nef by lia. rewrite !value_invert, Hsome, Hsomething, !negb_involutive, Lef, length_resize by lia.
  split; [reflexivity|]. split; [exact Lman|]. split; [reflexivity|]. split; [reflexivity|]. split; [lia|]. split; [exact Nman|].
  split; [intros L; rewrite Nef; destruct (Z.leb_spec (2 ^ M) S); [lia|reflexivity]|]. split; [exact Sz|]. intros Z. fold e_.
  destruct (Sn Z) as [Vr Ln]. split; [exact Vr|]. split; [exact Ln|]. split; [exact (Hflushed Z)|]. split.
  - rewrite Hov, Hbo, Hat, (Hab Z), (Hlo Z), Hbe. f_equal. f_equal.
    destruct (Z.ltb_spec (emax f) e_), (Z.ltb_spec e_ (emax f)), (Z.eqb_spec e_ (emax f)); try reflexivity; lia.
  - intros L. rewrite Nef, (Hfield Z). destruct (Z.leb_spec (2 ^ M) S); [reflexivity|lia].
Qed.

(** The stages of any number: of an infinity and a NaN, only the widths count. *)
Theorem computes_stages_of above x n : above <= 2 ^ 43 -> is_number v above x n ->
  computes v (round_stages r x) (fun y => len (st_exponent y) = E_bits f /\ len (st_mantissa y) = M /\
    match n with Finite d _ _ => exists S, stages_are y (value v (n_negative x)) d S | _ => True end).
Proof.
  intros Ha Hx. destruct fields_parts as (PE & PM & _). destruct n as [d e s| |].
  { eapply computes_weaken; [exact (computes_stages above x d e s Ha Hx)|]. intros y (S & H). split; [apply H|]. split; [apply H|]. now exists S. }
  all: unfold round_stages; do 21 (eapply computes_bind; [apply computes_something|]; intros ? _);
    (eapply computes_bind; [apply computes_mask|]); intros e [Le _]; apply computes_ret; cbn [st_exponent st_mantissa];
    rewrite Le, length_resize, length_slice by lia; now repeat split.
Qed.

(** Special values: which pattern is chosen, and the sign of an infinity. *)
Theorem computes_special x n : special_is v (n_special x) n -> match n with Infinite s _ => s <> Mixed | _ => True end ->
  forall (k : literal -> literal -> literal -> making word) P,
  (forall minus infinite is_nan, value v is_nan = is_nan_number n -> (is_nan_number n = false -> value v infinite = is_infinite_number n) ->
     (is_infinite_number n = true -> value v minus = sign_eqb (sign_of n) Minus) -> computes v (k minus infinite is_nan) P) ->
  computes v (minus <- make_or (w_minus (n_special x)) (t_minus (n_special x)) ;;
              infinite <- any_of [w_plus (n_special x); t_plus (n_special x); minus] ;;
              is_nan <- make_or (w_nan (n_special x)) (t_nan (n_special x)) ;; k minus infinite is_nan) P.
Proof.
  intros (S1 & S2 & S3 & S4 & S5) N k P H. eapply computes_bind; [apply computes_or|]. intros minus Hm.
  eapply computes_bind; [apply (computes_any_of v v0)|]. intros infinite Hi. eapply computes_bind; [apply computes_or|]. intros is_nan Hn.
  cbv beta in *. cbn [existsb] in Hi. rewrite S1, S2 in Hn. rewrite S1 in S3. rewrite Hm, S4 in Hi. rewrite S5 in Hm, Hi.
  apply H; destruct n as [d e s|s t|s t c]; cbn [is_nan_of is_infinity_of is_nan_number is_infinite_number sign_of] in *; try discriminate; try intros _.
  - exact Hn.
  - exact Hn.
  - rewrite Hn. now destruct t.
  - destruct (S3 eq_refl) as [P1 P2]. now rewrite Hi, P1, P2.
  - destruct (S3 eq_refl) as [P1 P2]. rewrite Hi, P1, P2. destruct s, t; try congruence; reflexivity.
  - destruct (S3 eq_refl) as [P1 P2]. rewrite Hm, P2. destruct s, t; try congruence; reflexivity.
Qed.

End Stages.
