(** * What the multiplier, the shifters, the normalisation and the maximum compute *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real Gates Lrat Making Words.
Import ListNotations.
Open Scope Z_scope.

Section Shifts.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).

Lemma width_len (x : word) : width_of x = len x.
Proof. reflexivity. Qed.
Lemma length_of (x : word) n : len x = n -> 0 <= n /\ length x = Z.to_nat n.
Proof. intros <-. split; [lia|]. now rewrite Nat2Z.id. Qed.

(** ** Multiplication *)

Lemma computes_rows x both : forall y row total, 0 <= row -> len total = both -> len x + row + len y <= both ->
  num total < 2 ^ (len x + row) ->
  computes v (multiply_rows x both row y total)
    (fun z => len z = both /\ num z = num total + 2 ^ row * (num x * num y)).
Proof.
  induction y as [|b y IH]; intros row total Hr Ht Hb Hn; cbn [multiply_rows].
  - apply computes_ret. split; [exact Ht|]. change (num []) with 0. ring.
  - assert (B0 : 0 <= both) by lia. cbn [length] in Hb.
    eapply computes_bind; [apply computes_mask|]. intros m [Lm Hm].
    pose proof (num_bound v x) as Bx. pose proof (num_bound v total) as Bt.
    assert (P : 2 ^ (len x + row) = 2 ^ len x * 2 ^ row) by (rewrite Z.pow_add_r by lia; reflexivity).
    assert (Q : 2 ^ (len x + row + 1) <= 2 ^ both) by (apply Z.pow_le_mono_r; lia).
    assert (Q1 : 2 ^ (len x + row + 1) = 2 * 2 ^ (len x + row)) by (rewrite Z.pow_add_r by lia; ring).
    pose proof (Z.pow_pos_nonneg 2 row eq_refl Hr) as Pr.
    assert (Ns : num (slice m (- row) both) = num m * 2 ^ row).
    { rewrite (num_slice_up v v0) by lia. apply Z.mod_small. rewrite Hm. destruct (value v b); nia. }
    eapply computes_bind.
    { apply (computes_add v v0). apply Nat2Z.inj. rewrite length_slice by lia. exact Ht. }
    intros t [Lt Ht']. cbv beta in *. rewrite Ns, Ht, Hm in Ht'.
    assert (Nt : num t = num total + (if value v b then num x else 0) * 2 ^ row).
    { rewrite Ht'. apply Z.mod_small. destruct (value v b); nia. }
    eapply computes_weaken; [apply IH|].
    + lia.
    + lia.
    + lia.
    + rewrite Nt. replace (len x + (row + 1)) with (len x + row + 1) by ring. destruct (value v b); nia.
    + intros z [Lz Hz]. split; [exact Lz|]. rewrite Hz, Nt, num_cons. rewrite Z.pow_add_r by lia.
      destruct (value v b); cbn [Z.b2z]; ring.
Qed.

Lemma computes_multiply x y : computes v (multiply x y) (fun z => len z = len x + len y /\ num z = num x * num y).
Proof.
  unfold multiply, width_of. eapply computes_weaken.
  - apply computes_rows; [lia|apply length_constant; lia|lia|]. rewrite (num_constant0 v v0). apply Z.pow_pos_nonneg; lia.
  - intros z [Lz Hz]. split; [exact Lz|]. rewrite Hz, (num_constant0 v v0). ring.
Qed.

(** ** Shifts *)

(** Wider by the largest amount. *)
Lemma computes_shift_left_stages : forall amount x stage, 0 <= stage ->
  computes v (shift_left_stages x stage amount)
    (fun z => len z = len x + 2 ^ stage * (2 ^ len amount - 1) /\ num z = num x * 2 ^ (2 ^ stage * num amount)).
Proof.
  induction amount as [|a amount IH]; intros x stage Hs; cbn [shift_left_stages].
  - apply computes_ret. change (num []) with 0. change (2 ^ len (@nil literal)) with 1.
    split; [lia|]. rewrite Z.mul_0_r, Z.pow_0_r. ring.
  - rewrite pow2_correct. pose proof (Z.pow_pos_nonneg 2 stage eq_refl Hs) as Ps. set (by_ := 2 ^ stage) in *.
    pose proof (num_bound v x) as Bx. unfold width_of.
    assert (W : 0 <= len x + by_) by lia.
    assert (Pw : 2 ^ (len x + by_) = 2 ^ len x * 2 ^ by_) by (rewrite Z.pow_add_r by lia; reflexivity).
    pose proof (Z.pow_pos_nonneg 2 by_ eq_refl ltac:(lia)) as Pb.
    eapply computes_bind.
    { apply computes_mux_word. apply Nat2Z.inj. now rewrite length_slice, length_resize by lia. }
    intros x' [Lx' Hx']. assert (Lx : len x' = len x + by_) by (rewrite Lx'; apply length_slice; lia).
    assert (Nx : num x' = num x * (if value v a then 2 ^ by_ else 1)).
    { rewrite Hx'. destruct (value v a).
      - rewrite (num_slice_up v v0) by lia. apply Z.mod_small. nia.
      - rewrite (num_resize_small v v0) by nia. ring. }
    eapply computes_weaken; [apply IH; lia|]. intros z [Lz Hz]. split.
    + rewrite Lz, Lx. cbn [length]. rewrite two_succ, Z.pow_add_r by lia. fold by_. ring.
    + rewrite Hz, Nx, num_cons, (Z.pow_add_r 2 stage 1) by lia. fold by_. pose proof (num_bound v amount).
      replace (by_ * (Z.b2z (value v a) + 2 * num amount)) with (by_ * Z.b2z (value v a) + by_ * 2 ^ 1 * num amount) by (change (2 ^ 1) with 2; ring).
      rewrite Z.pow_add_r by (try (destruct (value v a); cbn [Z.b2z]; lia); change (2 ^ 1) with 2; nia).
      destruct (value v a); cbn [Z.b2z]; rewrite ?Z.mul_1_r, ?Z.mul_0_r, ?Z.pow_0_r; ring.
Qed.

Lemma computes_shift_left x amount : computes v (shift_left x amount)
  (fun z => len z = len x + (2 ^ len amount - 1) /\ num z = num x * 2 ^ num amount).
Proof.
  unfold shift_left. eapply computes_weaken; [apply computes_shift_left_stages; lia|]. intros z [Lz Hz].
  rewrite Z.pow_0_r in *. rewrite !Z.mul_1_l in *. now split.
Qed.

(** What is left, and whether something was lost. *)
Definition right_shifted (x n : Z) (lost : bool) (z : Z) (sticky : bool) : Prop :=
  z = x / 2 ^ n /\ sticky = lost || negb (x mod 2 ^ n =? 0).

Lemma shift_twice x m n lost z z' s s' : 0 <= x -> 0 <= m -> 0 <= n ->
  right_shifted x m lost z s -> right_shifted z n s z' s' -> right_shifted x (m + n) lost z' s'.
Proof.
  intros Hx Hm Hn [-> ->] [-> ->]. pose proof (Z.pow_pos_nonneg 2 m eq_refl Hm) as Pm. pose proof (Z.pow_pos_nonneg 2 n eq_refl Hn) as Pn.
  unfold right_shifted. rewrite Z.pow_add_r by lia. rewrite Z.div_div by lia. split; [reflexivity|].
  rewrite Z.rem_mul_r by lia. rewrite <- orb_assoc. f_equal.
  pose proof (Z.mod_pos_bound x (2 ^ m) Pm). pose proof (Z.mod_pos_bound (x / 2 ^ m) (2 ^ n) Pn).
  set (p := x mod 2 ^ m) in *. set (q := (x / 2 ^ m) mod 2 ^ n) in *.
  destruct (Z.eqb_spec p 0), (Z.eqb_spec q 0), (Z.eqb_spec (p + 2 ^ m * q) 0); cbn; try reflexivity; nia.
Qed.

Lemma computes_shift_right_stages : forall amount x sticky stage, 0 <= stage ->
  computes v (shift_right_stages x sticky stage amount)
    (fun zs => len (fst zs) = len x /\
               right_shifted (num x) (2 ^ stage * num amount) (value v sticky) (num (fst zs)) (value v (snd zs))).
Proof.
  induction amount as [|a amount IH]; intros x sticky stage Hs; cbn [shift_right_stages].
  - apply computes_ret. cbn [fst snd]. split; [reflexivity|]. unfold right_shifted. change (num []) with 0.
    rewrite Z.mul_0_r, Z.pow_0_r, Z.div_1_r, Z.mod_1_r. cbn. now rewrite orb_false_r.
  - rewrite pow2_correct. unfold width_of. pose proof (Z.pow_pos_nonneg 2 stage eq_refl Hs) as Ps.
    set (by_ := Z.min (2 ^ stage) (len x)). assert (Bb : 0 <= by_ <= len x) by (unfold by_; lia).
    pose proof (num_bound v x) as Bx.
    eapply computes_bind; [apply (computes_any v v0)|]. intros leaves Hl.
    eapply computes_bind; [apply computes_and|]. intros lost Hlost.
    eapply computes_bind; [apply computes_or|]. intros sticky' Hsticky.
    eapply computes_bind.
    { apply computes_mux_word. apply Nat2Z.inj. now rewrite length_slice by lia. }
    intros x' [Lx' Hx']. assert (Lx : len x' = len x) by (rewrite Lx'; apply length_slice; lia).
    rewrite (num_slice v v0), Z.pow_0_r, Z.div_1_r in Hl by lia. rewrite (num_slice v v0) in Hx' by lia.
    eapply computes_weaken; [apply IH; lia|]. intros [z s] [Lz Hz]. cbn [fst snd] in *. split; [lia|].
    assert (B1 : right_shifted (num x) (2 ^ stage * Z.b2z (value v a)) (value v sticky) (num x') (value v sticky')).
    { rewrite Hsticky, Hlost, Hl, Hx'. destruct (value v a); cbn [Z.b2z andb].
      - rewrite Z.mul_1_r. unfold right_shifted.
        assert (E : num x / 2 ^ by_ = num x / 2 ^ (2 ^ stage) /\ num x mod 2 ^ by_ = num x mod 2 ^ (2 ^ stage)).
        { destruct (Z.eq_dec by_ (2 ^ stage)) as [->|N]; [now split|].
          assert (E : by_ = len x) by (unfold by_ in *; lia). assert (G : len x <= 2 ^ stage) by (unfold by_ in E; lia).
          assert (2 ^ len x <= 2 ^ (2 ^ stage)) by (apply Z.pow_le_mono_r; lia). rewrite E.
          now rewrite !Z.div_small, !Z.mod_small by lia. }
        destruct E as [-> ->]. split; [|reflexivity]. rewrite Z.mod_small; [reflexivity|].
        split; [apply Z.div_pos; [lia|apply Z.pow_pos_nonneg; lia]|].
        apply Z.div_lt_upper_bound; [apply Z.pow_pos_nonneg; lia|].
        pose proof (Z.pow_pos_nonneg 2 (2 ^ stage) eq_refl ltac:(lia)). nia.
      - rewrite Z.mul_0_r. unfold right_shifted. rewrite Z.pow_0_r, Z.div_1_r, Z.mod_1_r. cbn. split; [reflexivity|].
        now rewrite !orb_false_r. }
    rewrite num_cons. replace (2 ^ stage * (Z.b2z (value v a) + 2 * num amount)) with
      (2 ^ stage * Z.b2z (value v a) + 2 ^ (stage + 1) * num amount).
    2: { rewrite Z.pow_add_r by lia. change (2 ^ 1) with 2. ring. }
    pose proof (num_bound v amount). pose proof (Z.pow_pos_nonneg 2 (stage + 1) eq_refl ltac:(lia)).
    eapply shift_twice; [lia| |nia|exact B1|exact Hz]. destruct (value v a); cbn [Z.b2z]; lia.
Qed.

(** x / 2^amount, rounded down, and whether a set bit was shifted out. *)
Lemma computes_shift_right x amount : computes v (shift_right x amount)
  (fun zs => len (fst zs) = len x /\ num (fst zs) = num x / 2 ^ num amount /\
             value v (snd zs) = negb (num x mod 2 ^ num amount =? 0)).
Proof.
  unfold shift_right. eapply computes_weaken; [apply computes_shift_right_stages; lia|]. intros zs [L [H1 H2]].
  rewrite Z.pow_0_r, Z.mul_1_l, (value_no0 v v0) in *. now repeat split.
Qed.

(** ** Normalisation *)

(** The leading zeros of a number of w bits. *)
Lemma computes_normalise_stages : forall stages x zeros, len x <= 2 ^ Z.of_nat stages * 2 ^ 0 \/ True ->
  0 < num x -> len x - 1 - Z.log2 (num x) < 2 ^ Z.of_nat stages ->
  computes v (normalise_stages x zeros stages)
    (fun zs => len (fst zs) = len x /\ exists n, 0 <= n < 2 ^ Z.of_nat stages /\ n = len x - 1 - Z.log2 (num x) /\
               num (fst zs) = num x * 2 ^ n /\ num (snd zs) = n + 2 ^ Z.of_nat stages * num zeros /\
               len (snd zs) = Z.of_nat stages + len zeros).
Proof.
  induction stages as [|k IH]; intros x zeros _ Hx Hl; cbn [normalise_stages].
  - apply computes_ret. cbn [fst snd]. split; [reflexivity|]. exists 0. change (2 ^ Z.of_nat 0) with 1 in *.
    assert (Lg : Z.log2 (num x) < len x) by (apply Z.log2_lt_pow2; [lia|apply num_bound]).
    rewrite Z.pow_0_r. repeat split; lia.
  - rewrite pow2_correct. unfold width_of. rewrite two_succ in Hl. set (by_ := 2 ^ Z.of_nat k) in *.
    assert (Pb : 0 < by_) by (apply two_pos). pose proof (num_bound v x) as Bx.
    assert (Lg : Z.log2 (num x) < len x) by (apply Z.log2_lt_pow2; lia).
    assert (Lg0 : 0 <= Z.log2 (num x)) by apply Z.log2_nonneg.
    eapply computes_bind; [apply (computes_any v v0)|]. intros some Hsome.
    eapply computes_bind.
    { apply computes_mux_word. apply Nat2Z.inj. now rewrite length_slice by lia. }
    intros x' [Lx' Hx']. assert (Lx : len x' = len x) by (rewrite Lx'; apply length_slice; lia).
    rewrite value_invert in Hx'.
    (* whether the highest by_ bits are zeros *)
    assert (S : value v some = (len x - by_ <=? Z.log2 (num x))).
    { rewrite Hsome. destruct (Z.le_gt_cases by_ (len x)) as [G|G].
      - rewrite (num_slice v v0) by lia.
        assert (D : num x / 2 ^ (len x - by_) < 2 ^ by_).
        { apply Z.div_lt_upper_bound; [apply Z.pow_pos_nonneg; lia|]. rewrite <- Z.pow_add_r by lia.
          replace (len x - by_ + by_) with (len x) by ring. lia. }
        rewrite Z.mod_small by (split; [apply Z.div_pos; [lia|apply Z.pow_pos_nonneg; lia]|exact D]).
        pose proof (Z.pow_pos_nonneg 2 (len x - by_) eq_refl ltac:(lia)) as Pp.
        destruct (Z.leb_spec (len x - by_) (Z.log2 (num x))) as [L|L].
        + assert (2 ^ (len x - by_) <= num x) by (apply Z.log2_le_pow2; lia).
          assert (0 < num x / 2 ^ (len x - by_)) by (apply Z.div_str_pos; lia).
          destruct (Z.eqb_spec (num x / 2 ^ (len x - by_)) 0); [lia|reflexivity].
        + assert (num x < 2 ^ (len x - by_)) by (apply Z.log2_lt_pow2; lia). now rewrite Z.div_small by lia.
      - replace (len x - by_) with (- (by_ - len x)) by ring. rewrite (num_slice_up v v0) by lia.
        rewrite Z.mod_small.
        2: { split; [apply Z.mul_nonneg_nonneg; [lia|apply Z.pow_nonneg; lia]|].
             replace (2 ^ by_) with (2 ^ len x * 2 ^ (by_ - len x)) by (rewrite <- Z.pow_add_r by lia; f_equal; ring).
             apply Z.mul_lt_mono_pos_r; [apply Z.pow_pos_nonneg; lia|lia]. }
        destruct (Z.leb_spec (- (by_ - len x)) (Z.log2 (num x))); [|lia].
        pose proof (Z.pow_pos_nonneg 2 (by_ - len x) eq_refl ltac:(lia)).
        destruct (Z.eqb_spec (num x * 2 ^ (by_ - len x)) 0); [nia|reflexivity]. }
    rewrite S in Hx'. destruct (Z.leb_spec (len x - by_) (Z.log2 (num x))) as [L|L]; cbn [negb] in Hx'.
    + eapply computes_weaken; [apply (IH x' (invert some :: zeros)); [now right|lia|]|].
      * rewrite Hx', Lx. fold by_. lia.
      * intros [z s] (Lz & n & Hn & En & Hz & Hs & Ls). cbn [fst snd] in *. split; [lia|]. exists n.
        rewrite Hx', Lx in *. fold by_ in Hn, Hs. rewrite two_succ. fold by_. split; [lia|]. split; [exact En|]. split; [exact Hz|].
        rewrite num_cons, value_invert, S in Hs. cbn [negb Z.b2z] in Hs. cbn [length] in Ls. split; [lia|lia].
    + assert (N0 : by_ <= len x) by lia.
      assert (Nx : num x' = num x * 2 ^ by_).
      { rewrite Hx', (num_slice_up v v0) by lia. apply Z.mod_small. split; [apply Z.mul_nonneg_nonneg; [lia|apply Z.pow_nonneg; lia]|].
        assert (num x < 2 ^ (len x - by_)) by (apply Z.log2_lt_pow2; lia).
        replace (2 ^ len x) with (2 ^ (len x - by_) * 2 ^ by_) by (rewrite <- Z.pow_add_r by lia; f_equal; ring).
        apply Z.mul_lt_mono_pos_r; [apply Z.pow_pos_nonneg; lia|lia]. }
      assert (Pp : 0 < 2 ^ by_) by (apply Z.pow_pos_nonneg; lia).
      assert (Lgx : Z.log2 (num x') = Z.log2 (num x) + by_) by (rewrite Nx, Z.log2_mul_pow2 by lia; ring).
      eapply computes_weaken; [apply (IH x' (invert some :: zeros)); [now right|nia|]|].
      * rewrite Lgx, Lx. fold by_. lia.
      * intros [z s] (Lz & n & Hn & En & Hz & Hs & Ls). cbn [fst snd] in *. split; [lia|]. exists (n + by_).
        fold by_ in Hn, Hs. rewrite two_succ. fold by_. rewrite Lgx, Lx in En. split; [lia|]. split; [lia|].
        split; [rewrite Hz, Nx, Z.pow_add_r by lia; ring|].
        rewrite num_cons, value_invert, S in Hs. cbn [negb Z.b2z] in Hs. cbn [length] in Ls. split; [lia|lia].
Qed.

(** A number that is not zero: its highest bit set, and the leading zeros. Of a zero only the widths are known. *)
Lemma computes_normalise x : computes v (normalise x)
  (fun zs => len (fst zs) = len x /\ len (snd zs) = match x with [] => 0 | _ => bits_for (len x - 1) end /\
             (0 < num x -> let n := len x - 1 - Z.log2 (num x) in num (fst zs) = num x * 2 ^ n /\ num (snd zs) = n)).
Proof.
  assert (W : forall stages x zeros, computes v (normalise_stages x zeros stages)
    (fun zs => len (fst zs) = len x /\ len (snd zs) = Z.of_nat stages + len zeros)).
  { clear x. induction stages as [|k IH]; intros x zeros; cbn [normalise_stages]; [apply computes_ret; cbn; lia|].
    rewrite pow2_correct. unfold width_of. pose proof (two_pos k) as P.
    eapply computes_bind; [apply (computes_any v v0)|]. intros some _. eapply computes_bind.
    { apply computes_mux_word. apply Nat2Z.inj. now rewrite length_slice by lia. }
    intros x' [Lx' _]. assert (Lx : len x' = len x) by (rewrite Lx'; apply length_slice; lia).
    eapply computes_weaken; [apply IH|]. intros zs [L1 L2]. cbn [length] in L2. lia. }
  unfold normalise. set (stages := Z.to_nat (match x with [] => 0 | _ => bits_for (width_of x - 1) end)).
  assert (SN : Z.of_nat stages = match x with [] => 0 | _ => bits_for (len x - 1) end).
  { unfold stages, width_of. destruct x; [reflexivity|]. apply Z2Nat.id. unfold bits_for. destruct (_ <=? 0); [lia|].
    pose proof (Z.log2_nonneg (len (l :: x) - 1)). lia. }
  intros s S. split; [|split].
  - exact (proj1 (W stages x [] s S)).
  - pose proof (proj2 (W stages x [] s S)) as L. rewrite L, SN. cbn [length]. lia.
  - intros Hx. cbv zeta. assert (Ne : x <> []) by (intros ->; cbn in Hx; lia).
    assert (Lg : Z.log2 (num x) < len x) by (apply Z.log2_lt_pow2; [lia|apply num_bound]).
    pose proof (Z.log2_nonneg (num x)).
    assert (Hl : len x - 1 - Z.log2 (num x) < 2 ^ Z.of_nat stages).
    { rewrite SN. destruct x as [|a x]; [congruence|]. unfold bits_for. destruct (Z.leb_spec (len (a :: x) - 1) 0); [rewrite Z.pow_0_r; lia|].
      pose proof (Z.log2_spec (len (a :: x) - 1) ltac:(lia)) as [_ Q]. rewrite <- Z.add_1_r in Q. lia. }
    destruct (computes_normalise_stages stages x [] (or_intror I) Hx Hl s S) as (_ & n & _ & -> & Hz & Hs & _).
    split; [exact Hz|]. rewrite Hs. change (num []) with 0. ring.
Qed.

Lemma computes_normalise_zero x : num x = 0 -> computes v (normalise x) (fun zs => num (fst zs) = 0).
Proof.
  unfold normalise. generalize (Z.to_nat (match x with [] => 0 | _ => bits_for (width_of x - 1) end)) as stages.
  intros stages. generalize (@nil literal) as zeros. revert x. induction stages as [|k IH]; intros x zeros Hx; cbn [normalise_stages].
  - now apply computes_ret.
  - rewrite pow2_correct. unfold width_of. pose proof (two_pos k) as P.
    eapply computes_bind; [apply computes_something|]. intros some _. eapply computes_bind.
    { apply computes_mux_word. apply Nat2Z.inj. now rewrite length_slice by lia. }
    intros x' [_ Hx']. apply IH. rewrite Hx'. destruct (value v (invert some)); [|exact Hx].
    rewrite (num_slice_up v v0), Hx by lia. rewrite Z.mul_0_l. apply Z.mod_0_l. pose proof (two_pos (length x)). lia.
Qed.

(** ** Sums of signed addends *)

Lemma computes_add_signed total x negative i : 0 <= i -> num x * 2 ^ i < 2 ^ len total ->
  computes v (add_signed total x negative i)
    (fun z => len z = len total /\
              num z = (num total + (if value v negative then - (num x * 2 ^ i) else num x * 2 ^ i)) mod 2 ^ len total).
Proof.
  intros Hi Hx. unfold add_signed. eapply computes_bind; [apply computes_invert|]. intros y [Ly Hy]. unfold width_of in *.
  assert (Ls : len (slice x (- i) (len total)) = len total) by (apply length_slice; lia).
  rewrite (num_slice_up v v0) in Hy by lia. pose proof (num_bound v x) as Bx.
  pose proof (Z.pow_nonneg 2 i ltac:(lia)) as Pi.
  rewrite Z.mod_small in Hy by nia. rewrite Ls in Hy.
  eapply computes_weaken; [apply computes_add_carry; apply Nat2Z.inj; lia|]. intros z [Lz Hz]. split; [lia|].
  rewrite Hz, Hy. pose proof (two_pos (length total)). destruct (value v negative); cbn [Z.b2z].
  - replace (num total + (2 ^ len total - 1 - num x * 2 ^ i) + 1) with (num total + - (num x * 2 ^ i) + 1 * 2 ^ len total) by ring.
    now rewrite Z.mod_add by lia.
  - now rewrite Z.add_0_r.
Qed.

End Shifts.
