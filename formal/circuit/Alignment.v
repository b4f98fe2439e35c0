(** * Aligning the terms of a sum

    What the shifter, the rounding and drop leave of a term is [aligned] of the definition, in units of 2^(E − F), whether
    it keeps F bits, in any mode, or all. *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core.
From Discern Require Import Notation Real Exact Laws Units Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading Rounding Exponents
  Numbers.
Import ListNotations.
Open Scope Z_scope.

(** Rounding keeps the sign, and does not depend on the unit. *)
Lemma rnd_keeps_sign m (negative : bool) X q : 0 <= X -> 0 < q ->
  let n := num (rnd m (Dyadic (if negative then - X else X) 0) q) in if negative then n <= 0 else 0 <= n.
Proof.
  intros HX Hq. cbv zeta. unfold rnd. cbn [scale num]. destruct (Z.leb_spec q 0); [lia|]. rewrite Z.sub_0_r, pow2_correct.
  pose proof (Z.pow_pos_nonneg 2 q eq_refl ltac:(lia)) as P. destruct negative.
  - pose proof (Z.div_mod (- X) (2 ^ q) ltac:(lia)) as D. pose proof (Z.mod_pos_bound (- X) (2 ^ q) P) as B.
    destruct (Z.eqb_spec ((- X) mod 2 ^ q) 0); cbn [num]; [nia|]. destruct (goes_up _ _ _ _); cbn [num]; nia.
  - pose proof (Z.div_pos X (2 ^ q) HX P). destruct (_ =? 0); cbn [num]; [lia|]. destruct (goes_up _ _ _ _); cbn [num]; lia.
Qed.

Lemma rnd_unit m n s q : 0 < q -> rnd m (Dyadic n s) (s + q) = Dyadic (num (rnd m (Dyadic n 0) q)) (s + q).
Proof.
  intros Hq. unfold rnd. cbn [scale num]. destruct (Z.leb_spec (s + q) s); [lia|]. destruct (Z.leb_spec q 0); [lia|].
  replace (s + q - s) with q by ring. rewrite Z.sub_0_r. change (is_negative (Dyadic n s)) with (is_negative (Dyadic n 0)).
  destruct (_ =? 0); reflexivity.
Qed.

Lemma rnd_of_magnitude m (negative : bool) X q z : 0 <= X -> 0 < q ->
  z = Z.abs (num (rnd m (Dyadic (if negative then - X else X) 0) q)) ->
  (if negative then - z else z) = num (rnd m (Dyadic (if negative then - X else X) 0) q).
Proof. intros HX Hq ->. pose proof (rnd_keeps_sign m negative X q HX Hq) as S. cbv zeta in S. destruct negative; lia. Qed.

Section Alignment.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).

(** The sign of a number that is not zero. *)
Lemma wires_negative x d : D2R (wires_value v x) = D2R d -> is_zero d = false -> is_negative d = value v (n_negative x).
Proof.
  intros V Z. rewrite <- (is_zero_value _ _ V) in Z. rewrite <- (is_negative_value _ _ V). unfold is_zero, is_negative, wires_value in *.
  cbn [Notation.num] in *. apply Z.eqb_neq in Z. pose proof (num_bound v (n_magnitude x)).
  destruct (value v (n_negative x)); [apply Z.ltb_lt|apply Z.ltb_ge]; lia.
Qed.

(** The bits that are kept: F, or as many as an exact term may need. *)
Definition kept_bits (t : sum_term) (E : integer) : Z :=
  match ch_F (s_child t) with
  | Some F => F
  | None => Z.max 0 (Z.max (n_fraction (s_number t)) (i_high E - n_lsb (s_number t)))
  end.

(** What is known of a term's wires, after [less], if the number is finite. *)
Definition finite_term_is (t : sum_term) (d : dyadic) (e : option Z) : Prop :=
  let x := s_number t in
  D2R (wires_value v x) = D2R d /\ (is_zero d = false -> exists n, e = Some n /\ int (n_exponent x) = n - ch_less (s_child t)) /\
  multiple_of d (n_lsb x).

(** Whether a number far below E is dropped. *)
Lemma computes_drop t E w changed d e : int_ok v E -> int_ok v (n_exponent (s_number t)) -> near E -> near (n_exponent (s_number t)) ->
  match ch_drop (s_child t) with Some n => - 2 ^ 41 <= n + ch_less (s_child t) <= 2 ^ 41 | None => True end ->
  computes v
    (match ch_drop (s_child t) with
     | None => ret (AlignedTerm w (kept_bits t E) changed)
     | Some n =>
         nonzero <- any (n_magnitude (s_number t)) ;;
         far <- i_less (offset_by (n_exponent (s_number t)) (n + ch_less (s_child t))) E ;;
         dropped <- make_and far nonzero ;;
         magnitude <- mask (invert dropped) w ;;
         changed' <- make_or changed dropped ;;
         ret (AlignedTerm magnitude (kept_bits t E) changed')
     end)
    (fun a => al_F a = kept_bits t E /\ len (al_magnitude a) = len w /\
       (finite_term_is t d e -> is_zero d = false ->
        num (al_magnitude a) =
        if match ch_drop (s_child t), e with Some n, Some e => e <? int E - n | _, _ => false end then 0 else num w) /\
       (num w = 0 -> num (al_magnitude a) = 0) /\
       (finite_term_is t d e -> is_zero d = false ->
        value v (al_changed a) = value v changed || match ch_drop (s_child t), e with Some n, Some e => e <? int E - n | _, _ => false end) /\
       (num (n_magnitude (s_number t)) = 0 -> value v (al_changed a) = value v changed)).
Proof.
  intros OE Ox NE Nx Hb. destruct (ch_drop (s_child t)) as [n|]; [|apply computes_ret; cbn [al_F al_magnitude al_changed]; rewrite orb_false_r; auto 10].
  set (x := s_number t) in *. destruct NE as (E1 & E2 & E3). destruct Nx as (X1 & X2 & X3).
  eapply computes_bind; [apply (computes_any v v0)|]. intros nz Hnz.
  destruct (offset_by_ok v (n_exponent x) (n + ch_less (s_child t))) as [Of1 Of2].
  eapply computes_bind.
  { apply (computes_i_less v v0); [now apply Of2|exact OE|]. cbn [offset_by i_low i_high]. change (2 ^ 64) with (16777216 * 2 ^ 40).
    change (2 ^ 41) with (2 * 2 ^ 40) in *. lia. }
  intros far Hfar. eapply computes_bind; [apply computes_and|]. intros dr Hdr. eapply computes_bind; [apply computes_mask|]. intros m [Lm Hm].
  eapply computes_bind; [apply computes_or|]. intros ch Hch. apply computes_ret. cbn [al_F al_magnitude al_changed].
  split; [reflexivity|]. split; [now rewrite Lm|]. rewrite value_invert, Hdr, Hfar, Hnz, Of1 in Hm. cbv beta in Hch. rewrite Hdr, Hfar, Hnz, Of1 in Hch.
  enough (G : finite_term_is t d e -> is_zero d = false ->
     negb (num (n_magnitude x) =? 0) = true /\
     (int (n_exponent x) + (n + ch_less (s_child t)) <? int E) = match e with Some e => e <? int E - n | None => false end).
  { split; [|split; [intros Q; rewrite Hm, Q; now destruct (negb (_ && _))|split]].
    - intros Hfin Z. destruct (G Hfin Z) as [G1 G2]. rewrite G1, G2, andb_true_r in Hm. rewrite Hm. now destruct (match e with Some e => _ | None => _ end).
    - intros Hfin Z. destruct (G Hfin Z) as [G1 G2]. now rewrite Hch, G1, G2, andb_true_r.
    - intros Q. rewrite Hch, Q. cbn [Z.eqb negb]. now rewrite andb_false_r, orb_false_r. }
  intros (Hv & He & _) Z. destruct (He Z) as (k & -> & Hk). fold x in Hk, Hv.
  assert (Nz : num (n_magnitude x) <> 0).
  { intros Q. apply is_zero_false in Z. apply Z. rewrite <- Hv. unfold wires_value. rewrite Q. apply is_zero_correct. unfold is_zero. cbn [Notation.num]. now destruct (value v (n_negative x)). }
  apply Z.eqb_neq in Nz. rewrite Nz, Hk. split; [reflexivity|].
  destruct (Z.ltb_spec (k - ch_less (s_child t) + (n + ch_less (s_child t))) (int E)), (Z.ltb_spec k (int E - n)); try reflexivity; lia.
Qed.

Theorem computes_align t E child is_c d e s :
  let x := s_number t in
  match ch_F (s_child t) with Some F => 0 <= F | None => True end ->
  match ch_drop (s_child t) with Some n => - 2 ^ 41 <= n + ch_less (s_child t) <= 2 ^ 41 | None => True end ->
  0 < len (n_magnitude x) -> int_ok v E -> int_ok v (n_exponent x) -> near E -> near (n_exponent x) ->
  i_high E - i_low (n_base x) < 2 ^ 64 ->
  computes v (align_wires t E)
    (fun a => let F := kept_bits t E in
              al_F a = F /\ 0 < len (al_magnitude a) <= Z.max (len (n_magnitude x) + F - n_fraction x) 1 + 1 /\
              (finite_term_is t d e -> s_child t = child -> (is_zero d = false -> int (n_base x) <= int E) ->
               D2R (Dyadic (if value v (n_negative x) then - num (al_magnitude a) else num (al_magnitude a)) (int E - F)) =
               D2R (aligned (int E) (Term child is_c (Finite d e s))) /\
               (value v (al_changed a) = false <-> D2R (aligned (int E) (Term child is_c (Finite d e s))) = D2R d))).
Proof.
  intros x HF Hdrop Hlen OE Oe NE Ne Hs. unfold align_wires. cbv zeta. fold (kept_bits t E). fold x. set (F := kept_bits t E) in *.
  assert (F0 : 0 <= F) by (unfold F, kept_bits; destruct (ch_F (s_child t)); lia).
  set (mag := num (n_magnitude x)) in *. set (ng := value v (n_negative x)) in *.
  set (below_ := Z.max (F + 1) (n_fraction x)). set (tr := below_ - F). set (wider := below_ - n_fraction x).
  assert (T1 : 1 <= tr) by (unfold tr, below_; lia). assert (W1 : 0 <= wider) by (unfold wider, below_; lia).
  unfold width_of. set (W := Z.max (len (n_magnitude x) + wider) (tr + 1)).
  pose proof (num_bound v (n_magnitude x)) as Bm. fold mag in Bm.
  set (X := mag * 2 ^ wider). pose proof (Z.pow_pos_nonneg 2 wider eq_refl W1) as Pw.
  assert (X0 : 0 <= X) by (unfold X; nia).
  assert (XW : X < 2 ^ W).
  { assert (2 ^ (len (n_magnitude x) + wider) <= 2 ^ W) by (apply Z.pow_le_mono_r; unfold W; lia).
    rewrite Z.pow_add_r in H by lia. unfold X. nia. }
  assert (NU : num (slice (n_magnitude x) (- wider) W) = X).
  { rewrite (num_slice_up v v0) by (unfold W; lia). fold mag. apply Z.mod_small. unfold X in *. lia. }
  assert (LU : len (slice (n_magnitude x) (- wider) W) = W) by (apply length_slice; unfold W; lia).
  eapply computes_bind; [apply (computes_difference v v0); [lia|lia]|]. intros amount (HaL & _ & Ha).
  set (a := num (i_bits amount)).
  assert (A0 : 0 <= a) by apply (num_bound v).
  eapply computes_bind; [apply (computes_shift_right v v0)|]. intros [w lost] (Lw & Nw & Vlost). cbn [fst snd] in *.
  rewrite NU in Nw, Vlost. rewrite LU in Lw. fold a in Nw, Vlost.
  pose proof (Z.pow_pos_nonneg 2 a eq_refl A0) as Pa.
  pose proof (Z.pow_pos_nonneg 2 (tr - 1) eq_refl ltac:(lia)) as Pt1.
  eapply computes_bind; [apply (computes_any v v0)|]. intros rest Hrest.
  eapply computes_bind; [apply computes_or|]. intros sticky Hsticky.
  (* the amount with the bits that are truncated *)
  assert (ST : value v sticky = negb (X mod 2 ^ (a + (tr - 1)) =? 0)).
  { rewrite Hsticky, Vlost, Hrest. rewrite (num_slice v v0) by lia. rewrite Z.pow_0_r, Z.div_1_r, Nw.
    destruct (shift_twice X a (tr - 1) false (X / 2 ^ a) (X / 2 ^ a / 2 ^ (tr - 1)) (negb (X mod 2 ^ a =? 0))
                (negb (X mod 2 ^ a =? 0) || negb ((X / 2 ^ a) mod 2 ^ (tr - 1) =? 0)) X0 A0 ltac:(lia)) as [_ S].
    - now split.
    - now split.
    - rewrite S. reflexivity. }
  assert (GD : value v (bit w (tr - 1)) = Z.odd (X / 2 ^ (a + (tr - 1)))).
  { rewrite (value_bit v v0), Z.testbit_odd, Z.shiftr_div_pow2, Nw, Z.div_div by lia. now rewrite Z.pow_add_r by lia. }
  assert (LW : 0 <= len w - tr) by (unfold W in Lw; lia).
  assert (NWh : num (slice w tr (len w - tr)) = X / 2 ^ (a + tr)).
  { rewrite (num_slice v v0) by lia. pose proof (num_bound v w) as Bw. pose proof (Z.pow_pos_nonneg 2 tr eq_refl ltac:(lia)).
    rewrite Z.mod_small.
    - rewrite Nw, Z.div_div by lia. now rewrite Z.pow_add_r by lia.
    - split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; [lia|]. rewrite <- Z.pow_add_r by lia.
      replace (tr + (len w - tr)) with (len w) by ring. lia. }
  assert (LWh : len (slice w tr (len w - tr)) = len w - tr) by (apply length_slice; lia).
  set (whole := slice w tr (len w - tr)) in *.
  set (q := a + tr). assert (Q0 : 0 < q) by (unfold q; lia). replace (a + (tr - 1)) with (q - 1) in * by (unfold q; ring). fold q in NWh.
  (* an exact term is truncated, where nothing is *)
  set (mode_ := match ch_F (s_child t) with Some _ => ch_mode (s_child t) | None => rz end).
  eapply computes_bind with (P := fun z => num z = Z.abs (Notation.num (rnd mode_ (Dyadic (if ng then - X else X) 0) q)) /\
                                          len whole <= len z <= len whole + 1).
  { rewrite rnd_magnitude by lia.
    assert (LB : value v (bit whole 0) = Z.odd (X / 2 ^ q)) by (rewrite (value_bit v v0), Z.bit0_odd, NWh by lia; reflexivity).
    assert (R : forall mm, mm = mode_ -> computes v
        (away <- rounds_away mm (Truncated (n_negative x) (bit whole 0) (bit w (tr - 1)) sticky) ;; increment (resize whole (len whole + 1)) away)
        (fun z => num z = X / 2 ^ q + Z.b2z (away mode_ ng (Z.odd (X / 2 ^ q)) (Z.odd (X / 2 ^ (q - 1))) (negb (X mod 2 ^ (q - 1) =? 0))) /\
                  len whole <= len z <= len whole + 1)).
    { intros mm ->. eapply computes_bind; [apply (computes_rounds_away v v0)|]. intros aw Haw. cbn [q_negative q_lsb q_guard q_sticky] in Haw.
      rewrite LB, GD, ST in Haw. fold ng in Haw. eapply computes_weaken; [apply (computes_increment v v0)|]. intros z [Lz Hz].
      rewrite Hz, Haw, length_resize, (num_resize v v0), NWh by lia.
      assert (Lz' : len z = len whole + 1) by (rewrite Lz; apply length_resize; lia). split; [|lia].
      pose proof (num_bound v whole) as Bh. rewrite NWh in Bh.
      assert (P2 : 2 ^ (len whole + 1) = 2 * 2 ^ len whole) by (rewrite Z.pow_add_r by lia; ring).
      rewrite (Z.mod_small (X / 2 ^ q)) by lia. apply Z.mod_small.
      match goal with |- context [away ?a ?b ?c ?d ?e] => destruct (away a b c d e) end; cbn [Z.b2z]; lia. }
    assert (T : mode_ = rz -> computes v (ret whole) (fun z => num z = X / 2 ^ q + Z.b2z (away mode_ ng (Z.odd (X / 2 ^ q)) (Z.odd (X / 2 ^ (q - 1))) (negb (X mod 2 ^ (q - 1) =? 0))) /\
                  len whole <= len z <= len whole + 1)).
    { intros ->. apply computes_ret. rewrite NWh. cbn [away Z.b2z]. split; [ring|lia]. }
    unfold mode_ in *. destruct (ch_F (s_child t)); [|now apply T].
    destruct (ch_mode (s_child t)) eqn:M; first [now apply T | apply R; now symmetry]. }
  intros z (Hz & Lz). eapply computes_bind; [apply computes_or|]. intros ch Hcg.
  assert (CH : value v ch = negb (X mod 2 ^ q =? 0)).
  { cbn [q_guard q_sticky] in Hcg. rewrite Hcg, GD, ST. replace q with (q - 1 + 1) at 3 by ring. pose proof (Z.pow_pos_nonneg 2 (q - 1) eq_refl ltac:(lia)) as P1.
    rewrite Z.pow_add_r, Z.rem_mul_r by lia. change (2 ^ 1) with 2. pose proof (Zmod_odd (X / 2 ^ (q - 1))) as Od. pose proof (Z.mod_pos_bound X (2 ^ (q - 1)) P1) as Mb.
    destruct (Z.odd (X / 2 ^ (q - 1))); rewrite Od; cbn [orb].
    - destruct (Z.eqb_spec (X mod 2 ^ (q - 1) + 2 ^ (q - 1) * 1) 0); [lia|reflexivity].
    - now rewrite Z.mul_0_r, Z.add_0_r. }
  eapply computes_weaken; [apply (computes_drop t E z ch d e OE Oe NE Ne Hdrop)|]. intros al (A1 & A2 & A3 & A4 & A5 & A6). cbv zeta. fold F in A1.
  split; [exact A1|]. split; [rewrite A2; unfold tr, wider, W, below_ in *; lia|].
  intros Hfin Hch HE. pose proof Hfin as (Hval & _ & Hmul). fold x in Hval, Hmul.
  assert (Zd : (mag =? 0) = is_zero d).
  { unfold wires_value in Hval. fold mag ng in Hval. rewrite <- (is_zero_value _ _ Hval). unfold is_zero. cbn [Notation.num].
    destruct ng, (Z.eqb_spec mag 0), (Z.eqb_spec (- mag) 0); try reflexivity; lia. }
  pose proof (rnd_of_magnitude mode_ ng X q (num z) X0 Q0 Hz) as RM.
  unfold aligned. cbn [t_number t_child]. rewrite <- Hch.
  destruct (is_zero d) eqn:Z.
  - apply Z.eqb_eq in Zd. assert (XZ : X = 0) by (unfold X; rewrite Zd; ring).
    rewrite rnd_magnitude, XZ in Hz by lia. rewrite !Z.div_0_l, Z.mod_0_l in Hz by (pose proof (Z.pow_pos_nonneg 2 q eq_refl ltac:(lia)); pose proof (Z.pow_pos_nonneg 2 (q - 1) eq_refl ltac:(lia)); lia).
    assert (NZ : num z = 0) by (rewrite Hz; destruct mode_, ng; reflexivity).
    rewrite (A4 NZ), (A6 Zd). cbn [orb]. rewrite D2R_zero. split; [apply is_zero_correct; unfold is_zero; cbn [Notation.num]; now destruct ng|].
    apply is_zero_correct in Z. rewrite Z, CH, XZ, Z.mod_0_l by (apply Z.pow_nonzero; lia). now split.
  - specialize (HE eq_refl). pose proof (int_bounds v (n_base x)) as IB. pose proof OE as OE'. unfold int_ok in OE'.
    rewrite (A3 Hfin eq_refl), (A5 Hfin eq_refl). cbn [orb].
    destruct (match ch_drop (s_child t), e with Some n, Some e => e <? int E - n | _, _ => false end).
    { rewrite D2R_zero, orb_true_r. split; [apply is_zero_correct; unfold is_zero; cbn [Notation.num]; now destruct ng|].
      apply is_zero_false in Z. split; [discriminate|]. intros Q. now rewrite <- Q in Z. }
    rewrite orb_false_r, CH. destruct Ha as [Ha1 Ha2]; [lia|].
    assert (LA : a = int E - int (n_base x)).
    { rewrite <- Ha1. unfold a, int_of at 1. rewrite HaL. ring. }
    rewrite RM.
    assert (VX : D2R (Dyadic (if ng then - X else X) (int (n_base x) - below_)) = D2R d).
    { rewrite <- Hval. unfold wires_value. fold mag ng. unfold D2R, F2R. cbn [Notation.num scale Fnum Fexp].
      replace (int (n_base x) - n_fraction x) with (wider + (int (n_base x) - below_)) by (unfold wider; ring).
      rewrite bpow_plus, <- Rmult_assoc. f_equal. rewrite <- IZR_pow2, pow2_correct, <- mult_IZR by exact W1. f_equal.
      unfold X. destruct ng; ring. }
    assert (EF : int E - F = int (n_base x) - below_ + q) by (unfold q, tr; rewrite LA; ring).
    assert (MX : X mod 2 ^ q = 0 <-> multiple_of d (int E - F)).
    { pose proof (Z.pow_pos_nonneg 2 q eq_refl ltac:(lia)) as Pq. rewrite EF. set (s0 := int (n_base x) - below_) in *.
      assert (SU : forall k, D2R (Dyadic (k * 2 ^ q) s0) = F2R (Float radix2 k (s0 + q))).
      { intros k. unfold D2R, F2R. cbn [Notation.num scale Fnum Fexp]. rewrite mult_IZR, <- pow2_correct, IZR_pow2, Rmult_assoc, <- bpow_plus by lia. f_equal. f_equal. ring. }
      split.
      - intros M0. assert (XE : X = X / 2 ^ q * 2 ^ q) by (pose proof (Z.div_mod X (2 ^ q) ltac:(lia)); lia).
        exists (if ng then - (X / 2 ^ q) else X / 2 ^ q). rewrite <- SU, <- VX. apply Reading.D2R_same; [|reflexivity]. destruct ng; lia.
      - intros [k Hk]. rewrite <- VX, <- SU in Hk.
        assert (XE : (if ng then - X else X) = k * 2 ^ q).
        { rewrite <- (units_correct _ (k * 2 ^ q) s0 Hk). symmetry. now apply units_correct. }
        replace X with ((if ng then - k else k) * 2 ^ q) by (destruct ng; lia). apply Z.mod_mul. lia. }
    enough (G : D2R (Dyadic (Notation.num (rnd mode_ (Dyadic (if ng then - X else X) 0) q)) (int E - F)) =
                D2R (match ch_F (s_child t) with Some F0 => rnd (ch_mode (s_child t)) d (int E - F0) | None => d end)).
    { split; [exact G|]. assert (MM : multiple_of d (int E - F) <-> D2R (match ch_F (s_child t) with Some F0 => rnd (ch_mode (s_child t)) d (int E - F0) | None => d end) = D2R d).
      { rewrite <- G. split.
        - intros [k Hk]. rewrite G. destruct (ch_F (s_child t)) as [F'|] eqn:HF'; [|reflexivity]. apply (rnd_multiple _ d _ k). rewrite Hk. unfold F, kept_bits. now rewrite HF'.
        - intros Q. apply (multiple_of_value _ _ _ Q). eexists. reflexivity. }
      rewrite <- MM, <- MX. destruct (Z.eqb_spec (X mod 2 ^ q) 0); cbn [negb]; split; auto; discriminate || (intros; contradiction). }
    replace (int E - F) with (int (n_base x) - below_ + q) by (unfold q, tr; rewrite LA; ring).
    rewrite <- rnd_unit by exact Q0. rewrite (rnd_value mode_ _ _ _ VX).
    replace (int (n_base x) - below_ + q) with (int E - F) by (unfold q, tr; rewrite LA; ring).
    unfold mode_. destruct (ch_F (s_child t)) as [F'|] eqn:HF'; [unfold F, kept_bits; now rewrite HF'|].
    assert (LE : int E - F <= n_lsb x) by (unfold F, kept_bits; rewrite HF'; fold x; lia).
    destruct (multiple_of_less d _ _ LE Hmul) as [k Hk]. exact (rnd_multiple rz d (int E - F) k Hk).
Qed.

End Alignment.
