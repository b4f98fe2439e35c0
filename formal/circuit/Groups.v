(** * Groups

    The circuit of a group, an exact sum of products times scales, is the group of the definition. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Flocq Require Import Core.
From Discern Require Import Notation Real Exact Units Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading Sums Exponents
  Numbers Factors Operands Products FuseTerms GroupSpecials.
Import ListNotations.
Open Scope Z_scope.

(** The groups that are covered, of products of these formats. *)
Definition fair_group (u : unit) (g : group_attr) : bool :=
  fair_format (unit_a u) && fair_format (unit_b u) && (1 <=? g_size g) && (g_size g <=? 2 ^ 30) && (unit_interleave u =? 0) && (last_bit (unit_a u) + last_bit (unit_b u) <=? 0) &&
  match g_empty g with At n => (- 2 ^ 40 <=? n) && (n <=? 2 ^ 40) | _ => true end &&
  match product_scales u with Some (f, _) => negb (has_infinity f) | None => true end.

Lemma fold_special (ms : list number) : forall x, match x with Finite _ _ _ => False | _ => True end ->
  match fold_left (product false) ms x with Finite _ _ _ => False | _ => True end.
Proof.
  induction ms as [|m ms IH]; intros x H; [exact H|]. cbn [fold_left]. apply IH.
  destruct x as [d e s|s t|s t [c|]], m as [d' [e'|] s'|s' t'|s' t' [c'|]]; try destruct H; cbn; try exact I; match goal with |- context [if ?c then _ else _] => destruct c; exact I end.
Qed.

(** A product with scales whose sign is +: the sign of a zero, and whether it is a zero. *)
Lemma scales_sign ms : Forall is_scale ms -> forall d e s, match fold_left (product false) ms (Finite d (Some e) s) with
  | Finite d' _ s' => (is_zero d = true -> s' = s) /\ is_zero d' = is_zero d || existsb is_zero_number ms
  | _ => True end.
Proof.
  intros H. induction H as [|m ms Hm _ IH]; intros d e s; cbn [fold_left existsb]; [split; [reflexivity|now rewrite orb_false_r]|].
  destruct m as [d' [e'|] s'|s' t'|s' t' c']; [|destruct Hm as [Hm _]; congruence|destruct Hm|].
  - destruct Hm as [_ Sg]. cbn [product]. rewrite Sg. specialize (IH (times d d') (e + e') (sign_product (sign_of (Finite d (Some e) s)) Plus)).
    destruct (fold_left (product false) ms _) as [d2 e2 s2| |]; [|exact I|exact I]. destruct IH as [I1 I2]. split.
    + intros Z. rewrite I1 by (rewrite zero_times, Z; reflexivity). cbn [sign_of]. rewrite Z. now destruct s.
    + rewrite I2, zero_times. cbn [is_zero_number]. now rewrite orb_assoc.
  - pose proof (fold_special ms (product false (Finite d (Some e) s) (NaN s' t' c')) ltac:(now destruct c')) as F. destruct (fold_left _ _ _); [destruct F|exact I|exact I].
Qed.

Lemma read_describes f bits : fair_format f = true -> exists t b, describes t b (read f bits).
Proof.
  intros Hf. pose proof (read_significand f bits Hf) as S. pose proof (read_is f bits) as R. set (sg := sign_of_pattern f bits) in *.
  destruct (read f bits) as [d e s|s t|s t c].
  - destruct S as (e' & -> & -> & (n & V & Hn & _)). exists (false, false, is_zero d), sg. split; [discriminate|]. split; [|repeat split].
    cbn [sign_of]. destruct (is_zero d) eqn:Z; [reflexivity|]. f_equal. rewrite (is_zero_value _ _ V) in Z. rewrite (is_negative_value _ _ V).
    unfold is_zero, is_negative in *. cbn [Notation.num] in *. apply Z.eqb_neq in Z. destruct sg; [apply Z.ltb_lt|apply Z.ltb_ge]; lia.
  - destruct R as [-> _]. subst s. exists (false, true, false), sg. repeat split.
  - subst t. exists (true, false, false), sg. split; reflexivity.
Qed.

Lemma describes_definite t b m : describes t b m -> is_definite m.
Proof.
  destruct t as [[n i] z]. destruct m as [d e s|s t|s t c]; cbn [describes is_definite]; [intros H; apply H| |intros H; apply H].
  intros (-> & -> & _). split; [reflexivity|]. now destruct b.
Qed.

Section Groups.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).

Lemma difference_length x y low high : computes v (difference x y low high) (fun z => len (i_bits z) = bits_for (high - low)).
Proof.
  assert (W0 : 0 <= bits_for (high - low)) by (unfold bits_for; destruct (_ <=? 0); [lia|]; pose proof (Z.log2_nonneg (high - low)); lia).
  unfold difference. eapply computes_bind; [apply (computes_subtract v v0); apply Nat2Z.inj; now rewrite !length_resize by lia|]. intros d [Ld _].
  eapply computes_bind.
  - apply (computes_add v v0). apply Nat2Z.inj. rewrite length_constant by lia. rewrite Ld. now apply length_resize.
  - intros z [Lz _]. apply computes_ret. cbn [i_bits]. rewrite Lz, Ld. now apply length_resize.
Qed.

(** Times the scales: value, base and widths. *)
Lemma computes_scaled_value ss : forall ms x, Forall2 (fun s m => is_factor v s m /\ value v (n_negative s) = false) ss ms -> int_ok v (n_base x) ->
  computes v (multiply_scales ss x) (fun y =>
    let k := Z.of_nat (length ss) in
    (exists m b f l, y = with_lsb l (with_base b f (with_magnitude m x))) /\ int_ok v (n_base y) /\
    n_fraction x <= n_fraction y <= n_fraction x + k * 2 ^ 32 /\
    len (n_magnitude x) <= len (n_magnitude y) <= len (n_magnitude x) + (n_fraction y - n_fraction x) + k /\
    n_lsb x - k * 2 ^ 32 <= n_lsb y /\ i_low (n_base x) - k * 2 ^ 32 <= i_low (n_base y) /\ i_high (n_base y) <= i_high (n_base x) + k * 2 ^ 32 /\
    forall d e s, D2R (wires_value v x) = D2R d -> int (n_base x) = e -> multiple_of d (n_lsb x) ->
      match fold_left (product false) ms (Finite d (Some e) s) with
      | Finite d' e' _ => D2R (wires_value v y) = D2R d' /\ e' = Some (int (n_base y)) /\ multiple_of d' (n_lsb y)
      | _ => True
      end).
Proof.
  unfold multiply_scales. induction ss as [|s ss IH]; intros ms x H O; inversion H as [|? m ? ms' Hs Hl]; subst; cbn [fold_m].
  - apply computes_ret. cbn [length fold_left]. split; [exists (n_magnitude x), (n_base x), (n_fraction x), (n_lsb x); now destruct x|]. split; [exact O|].
    repeat (split; [lia|]). intros d e s V E M. now rewrite E.
  - destruct Hs as ((Os & (A1 & A2 & A3 & A4 & A5 & A6) & _ & Vs) & Ns).
    eapply computes_bind with (P := fun y => exists mm bs, y = with_lsb (n_lsb x + n_lsb s) (with_base bs (n_fraction x + n_fraction s) (with_magnitude mm x)) /\
      len mm = len (n_magnitude x) + len (n_magnitude s) /\ num mm = num (n_magnitude x) * num (n_magnitude s) /\ int_ok v bs /\
      int bs = int (n_base x) + int (n_base s) /\ i_low bs = i_low (n_base x) + i_low (n_base s) /\ i_high bs = i_high (n_base x) + i_high (n_base s)).
    { eapply computes_bind; [apply (computes_multiply v v0)|]. intros mm [Lm Hm].
      eapply computes_bind; [apply (computes_i_sum v v0); [exact O|exact Os]|]. intros bs (Hbs & Obs & Lo & Hi). apply computes_ret. exists mm, bs. auto 10. }
    intros y (mm & bs & -> & Lm & Hm & Obs & Hbs & Lo & Hi).
    eapply computes_weaken; [apply (IH ms' (with_lsb (n_lsb x + n_lsb s) (with_base bs (n_fraction x + n_fraction s) (with_magnitude mm x))) Hl Obs)|]. cbv zeta.
    intros y ((m1 & b1 & f1 & l1 & Ey) & O1 & B1 & B2 & B3 & B4 & B5 & V1). cbn [with_lsb with_base with_magnitude n_fraction n_magnitude n_lsb n_base] in *.
    split; [exists m1, b1, f1, l1; exact Ey|]. split; [exact O1|]. cbn [length]. rewrite Nat2Z.inj_succ. repeat (split; [lia|]).
    intros d e sg V E M. cbn [fold_left].
    destruct (product false (Finite d (Some e) sg) m) as [d2 e2 s2|s2 t2|s2 t2 c2] eqn:P.
    2, 3: match goal with |- context [fold_left _ _ ?z] => pose proof (fold_special ms' z I) as F; destruct (fold_left (product false) ms' z); [destruct F|exact I|exact I] end.
    destruct m as [d' e' s'|s' t'|s' t' c'].
    + destruct Vs as (W1 & -> & W3). cbn [product] in P. injection P as Pd Pe _. subst d2 e2. apply (V1 (times d d') (e + int (n_base s)) s2).
      * rewrite D2R_times, <- V, <- W1, <- D2R_times. unfold wires_value, times. cbn [with_lsb with_base with_magnitude n_negative n_magnitude n_base n_fraction Notation.num scale].
        rewrite Ns, Hm. apply D2R_same; [|rewrite Hbs; ring]. destruct (value v (n_negative x)); ring.
      * rewrite Hbs, E. reflexivity.
      * now apply multiple_of_times.
    + cbn in P. match type of P with context [if ?c then _ else _] => destruct c; discriminate end.
    + destruct c'; discriminate P.
Qed.

(** ** One product *)

(** The width of a product of a group, shifted to where it is in the sum. *)
Definition group_width (fa fb : format) : Z :=
  M_bits fa + 1 + (M_bits fb + 1) +
  (2 ^ bits_for (- bias fa + pow2 (E_bits fa) - 1 + (- bias fb + pow2 (E_bits fb) - 1) - (emin fa + emin fb)) - 1).

Lemma computes_group_product u i x ss ms k : fair_format (unit_a u) = true -> fair_format (unit_b u) = true ->
  Forall2 (fun s m => is_factor v s m /\ value v (n_negative s) = false) ss ms -> Forall is_scale ms ->
  len (operand (o_a i) k) = width (unit_a u) -> num (operand (o_a i) k) = in_a x k ->
  len (operand (o_b i) k) = width (unit_b u) -> num (operand (o_b i) k) = in_b x k ->
  let p := product false (read (unit_a u) (in_a x k)) (read (unit_b u) (in_b x k)) in
  is_definite p /\
  computes v (group_product u i ss k) (fun y =>
    special_is v (n_special (fst y)) (fold_left (product false) ms p) /\ len (snd y) = group_width (unit_a u) (unit_b u) /\
    match p with
    | Finite d _ _ => D2R (Dyadic (if value v (n_negative (fst y)) then - num (snd y) else num (snd y)) (last_bit (unit_a u) + last_bit (unit_b u))) = D2R d /\
                      sign_of p = sign_if (value v (n_negative (fst y)))
    | _ => True
    end).
Proof.
  intros Ha Hb HM HS La Na Lb Nb p. set (fa := unit_a u) in *. set (fb := unit_b u) in *.
  destruct (fair_parts fa Ha) as (Va & Fxa & PEa & PMa & _ & _ & PBa & HZa). destruct (fair_parts fb Hb) as (Vb & Fxb & PEb & PMb & _ & _ & PBb & HZb).
  assert (DP : is_definite p).
  { destruct (read_describes fa (in_a x k) Ha) as (t & b & D). destruct (read_describes fb (in_b x k) Hb) as (t' & b' & D').
    exact (describes_definite _ _ _ (product_describes t b _ t' b' _ D D')). }
  split; [exact DP|].
  assert (RO : forall f w, fair_format f = true -> len w = width f -> computes v (read_wires f w) (fun z =>
     is_factor v z (read f (num w)) /\ len (n_magnitude z) = M_bits f + 1 /\ n_fraction z = M_bits f /\ n_base z = n_exponent z /\
     i_low (n_base z) = - bias f /\ i_high (n_base z) = - bias f + pow2 (E_bits f) - 1 /\
     match read f (num w) with Finite _ e _ => forall e', e = Some e' -> emin f <= e' | _ => True end)).
  { intros f w Hf Lw. destruct (fair_parts f Hf) as (Vf & Fx & PE & PM & _ & _ & PB & HZ).
    intros st St. destruct (computes_read v v0 f w Vf Fx ltac:(lia) Lw HZ st St) as (_ & L & Fr & Lo & Hi & BE & _).
    destruct (computes_read_factor v v0 f w Hf Lw st St) as (_ & Fa & _). repeat (split; [assumption|]).
    pose proof (read_significand f (num w) Hf) as S. destruct (read f (num w)) as [d e s| |]; [|exact I|exact I].
    destruct S as (e1 & -> & _ & (n & _ & _ & [H|H])); intros e' E; inversion E; subst; lia. }
  unfold group_product. fold fa fb.
  eapply computes_bind; [exact (RO fa _ Ha La)|]. intros a (Fa & L1 & F1 & BE1 & Lo1 & Hi1 & Em1). rewrite Na in Fa, Em1.
  eapply computes_bind; [exact (RO fb _ Hb Lb)|]. intros b (Fb & L2 & F2 & BE2 & Lo2 & Hi2 & Em2). rewrite Nb in Fb, Em2.
  set (ma := read fa (in_a x k)) in *. set (mb := read fb (in_b x k)) in *.
  eapply computes_bind; [apply computes_xor|]. intros ng Hng.
  pose proof Fa as (Oa & _ & Da & Wa). pose proof Fb as (Ob & _ & Db & Wb).
  eapply computes_bind; [apply (computes_i_sum v v0); [rewrite <- BE1; exact Oa|rewrite <- BE2; exact Ob]|]. intros above (Ab & Oab & Abl & Abh).
  rewrite <- BE1, <- BE2, Hi1, Hi2 in Abh. rewrite <- BE1, <- BE2, Lo1, Lo2 in Abl. rewrite <- BE1, <- BE2 in Ab.
  assert (PP : forall f, fair_format f = true -> 1 <= pow2 (E_bits f) <= 2 ^ 30).
  { intros f Hf. destruct (fair_parts f Hf) as (_ & _ & PE & _). rewrite pow2_correct. split; [pose proof (Z.pow_pos_nonneg 2 (E_bits f)); lia|]. apply Z.pow_le_mono_r; lia. }
  pose proof (PP fa Ha) as Pa. pose proof (PP fb Hb) as Pb.
  assert (EMa : - bias fa <= emin fa <= - bias fa + 1) by (unfold emin; destruct (has_zero fa); lia).
  assert (EMb : - bias fb <= emin fb <= - bias fb + 1) by (unfold emin; destruct (has_zero fb); lia).
  assert (Pa2 : 2 <= pow2 (E_bits fa)) by (rewrite pow2_correct; change 2 with (2 ^ 1) at 1; apply Z.pow_le_mono_r; lia).
  assert (Pb2 : 2 <= pow2 (E_bits fb)) by (rewrite pow2_correct; change 2 with (2 ^ 1) at 1; apply Z.pow_le_mono_r; lia).
  set (lowest := emin fa + emin fb) in *. set (top := i_high above - lowest).
  assert (Tb : 0 <= top < 2 ^ 33) by (unfold top, lowest; rewrite Abh; change (2 ^ 33) with (8 * 2 ^ 30); lia).
  destruct (fixed_ok v lowest) as [FE FO].
  eapply computes_bind; [apply computes_both; [apply (computes_difference v v0 above (fixed_integer lowest) 0 top); lia|apply difference_length]|].
  intros shift ((Sl & Sh & Hsh) & Lsh).
  eapply computes_bind; [apply (computes_multiply v v0)|]. intros pr [Lpr Npr].
  eapply computes_bind; [apply (computes_shift_left v v0)|]. intros sh [Lshd Nshd].
  assert (D0 : describes (or3 (bits_of_factor v a) (bits_of_factor v b)) (value v ng) p) by (rewrite Hng; now apply product_describes).
  set (t := fold_left or3 (map (bits_of_factor v) ss) (or3 (bits_of_factor v a) (bits_of_factor v b))).
  assert (DD : describes t (value v ng) (fold_left (product false) ms p)).
  { unfold t. clear - HM D0. revert D0. generalize (or3 (bits_of_factor v a) (bits_of_factor v b)), p. clear p. induction HM as [|s m ss ms [Hs Hn] _ IH]; intros t p D; [exact D|].
    cbn [map fold_left]. apply IH. destruct Hs as (_ & _ & Ds & _). pose proof (product_describes _ _ _ _ _ _ D Ds) as Q. rewrite Hn, xorb_false_r in Q. exact Q. }
  eapply computes_bind.
  { apply (computes_specials v v0 u a b ss ng _ t _ eq_refl DD); repeat split. }
  intros y (s & c & kd & -> & SP). apply computes_ret. cbn [fst snd with_special n_special n_negative].
  split; [exact SP|]. split.
  { rewrite Lshd, Lpr, L1, L2, Lsh. unfold group_width. fold fa fb. unfold top. rewrite Abh. f_equal. f_equal. f_equal. f_equal. unfold lowest. ring. }
  destruct p as [d e sg| |] eqn:EP; [|exact I|exact I].
  assert (FF : exists da ea sa db eb sb, ma = Finite da (Some ea) sa /\ mb = Finite db (Some eb) sb /\ d = times da db).
  { unfold p in EP. clear - EP Da Db. destruct (bits_of_factor v a) as [[? ?] ?], (bits_of_factor v b) as [[? ?] ?].
    destruct ma as [da [ea|] sa|s1 t1|s1 t1 [c1|]]; destruct mb as [db [eb|] sb|s2 t2|s2 t2 [c2|]]; cbn in EP; try congruence;
      try (match type of EP with context [if ?c then _ else _] => destruct c; discriminate end);
      try (destruct Da as (Da & _); congruence); try (destruct Db as (Db & _); congruence). inversion EP. do 6 eexists. repeat split; reflexivity. }
  destruct FF as (da & ea & sa & db & eb & sb & EA & EB & ->). rewrite EA in *. rewrite EB in *.
  destruct Wa as (Wa1 & Wa2 & _). destruct Wb as (Wb1 & Wb2 & _). inversion Wa2; inversion Wb2; subst ea eb.
  specialize (Em1 _ eq_refl). specialize (Em2 _ eq_refl). unfold int_ok in Oab.
  destruct Hsh as [Hsh _]; [rewrite FE, Ab; unfold top, lowest; lia|].
  assert (NS : num (i_bits shift) = int (n_base a) + int (n_base b) - lowest) by (unfold int_of at 1 in Hsh; lia). split.
  - rewrite D2R_times, <- Wa1, <- Wb1, <- D2R_times. unfold wires_value, times. cbn [Notation.num scale]. rewrite Nshd, Npr, NS, F1, F2, Hng.
    unfold D2R, F2R. cbn [Notation.num scale Fnum Fexp].
    replace (int (n_base a) - M_bits fa + (int (n_base b) - M_bits fb)) with (int (n_base a) + int (n_base b) - lowest + (last_bit fa + last_bit fb)) by (unfold last_bit, lowest; ring).
    generalize (last_bit fa + last_bit fb). intros lsb.
    rewrite bpow_plus, <- Rmult_assoc. f_equal. rewrite <- IZR_pow2, pow2_correct, <- mult_IZR by (unfold lowest; lia). f_equal.
    destruct (value v (n_negative a)), (value v (n_negative b)); cbn [xorb]; ring.
  - destruct (or3 (bits_of_factor v a) (bits_of_factor v b)) as [[? ?] ?]. cbn [describes] in D0. apply D0.
Qed.

End Groups.
