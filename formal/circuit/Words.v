(** * What the operations on words compute

    A word read as an unsigned number, and each operation of Gates.v in terms of these numbers: adders, multiplier, shifts,
    comparison, normalisation, maximum. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real Gates Lrat Making.
Import ListNotations.
Open Scope Z_scope.

(** ** Bits as a number *)

Fixpoint number_of_bits (l : list bool) : Z :=
  match l with [] => 0 | b :: l' => Z.b2z b + 2 * number_of_bits l' end.

Definition bits_of (v : Z -> bool) (x : word) : list bool := map (value v) x.
(** The number of a word. *)
Definition num_of (v : Z -> bool) (x : word) : Z := number_of_bits (bits_of v x).
Notation len x := (Z.of_nat (length x)).

Lemma two_succ n : 2 ^ Z.of_nat (S n) = 2 * 2 ^ Z.of_nat n.
Proof. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. reflexivity. Qed.
Lemma two_pos n : 0 < 2 ^ Z.of_nat n.
Proof. apply Z.pow_pos_nonneg; lia. Qed.

Lemma bits_bound l : 0 <= number_of_bits l < 2 ^ len l.
Proof.
  induction l as [|b l IH]; [cbn; lia|]. cbn [number_of_bits length]. rewrite two_succ. destruct b; cbn [Z.b2z]; lia.
Qed.
Lemma num_bound v x : 0 <= num_of v x < 2 ^ len x.
Proof. unfold num_of. pose proof (bits_bound (bits_of v x)) as H. unfold bits_of in *. now rewrite map_length in H. Qed.

Lemma bits_app a b : number_of_bits (a ++ b) = number_of_bits a + 2 ^ len a * number_of_bits b.
Proof.
  induction a as [|x a IH]; [cbn [app number_of_bits length]; rewrite Z.pow_0_r; lia|].
  cbn [app number_of_bits length]. rewrite IH, two_succ. lia.
Qed.
Lemma bits_zeros n : number_of_bits (repeat false n) = 0.
Proof. induction n as [|n IH]; [reflexivity|]. cbn [repeat number_of_bits]. rewrite IH. reflexivity. Qed.
Lemma bits_ones n : number_of_bits (repeat true n) = 2 ^ Z.of_nat n - 1.
Proof. induction n as [|n IH]; [reflexivity|]. cbn [repeat number_of_bits]. rewrite IH, two_succ. cbn [Z.b2z]. lia. Qed.

Lemma bits_firstn n l : number_of_bits (firstn n l) = number_of_bits l mod 2 ^ Z.of_nat n.
Proof.
  revert l. induction n as [|n IH]; intros l; [cbn; now rewrite Z.mod_1_r|].
  destruct l as [|b l]; [cbn [firstn number_of_bits]; rewrite Z.mod_0_l by (pose proof (two_pos (S n)); lia); reflexivity|].
  cbn [firstn number_of_bits]. rewrite IH, two_succ. pose proof (two_pos n) as P.
  rewrite Z.rem_mul_r by lia.
  replace ((Z.b2z b + 2 * number_of_bits l) mod 2) with (Z.b2z b).
  2: { rewrite Z.mul_comm, Z.mod_add by lia. now destruct b. }
  replace ((Z.b2z b + 2 * number_of_bits l) / 2) with (number_of_bits l).
  2: { rewrite Z.mul_comm, Z.div_add by lia. now destruct b. }
  reflexivity.
Qed.
Lemma bits_skipn n l : number_of_bits (skipn n l) = number_of_bits l / 2 ^ Z.of_nat n.
Proof.
  revert l. induction n as [|n IH]; intros l; [cbn; now rewrite Z.div_1_r|].
  destruct l as [|b l]; [cbn [skipn number_of_bits]; rewrite Z.div_0_l by (pose proof (two_pos (S n)); lia); reflexivity|].
  cbn [skipn number_of_bits]. rewrite IH, two_succ. pose proof (two_pos n) as P.
  rewrite <- Z.div_div by lia. f_equal. rewrite Z.mul_comm, Z.div_add by lia. now destruct b.
Qed.
Lemma bits_nth i l : nth i l false = Z.testbit (number_of_bits l) (Z.of_nat i).
Proof.
  revert l. induction i as [|i IH]; intros l.
  - destruct l as [|b l]; [reflexivity|]. cbn [nth number_of_bits]. change (Z.of_nat 0) with 0. now rewrite Z.add_b2z_double_bit0.
  - destruct l as [|b l]; [cbn [nth number_of_bits]; now rewrite Z.bits_0|].
    cbn [nth number_of_bits]. rewrite IH, Nat2Z.inj_succ.
    replace (Z.b2z b + 2 * number_of_bits l) with (2 * number_of_bits l + Z.b2z b) by ring.
    now rewrite Z.testbit_succ_r by lia.
Qed.
Lemma bits_zero l : number_of_bits l = 0 <-> Forall (fun b => b = false) l.
Proof.
  split.
  - induction l as [|b l IH]; [constructor|]. cbn [number_of_bits]. pose proof (bits_bound l) as B. intros H.
    constructor; [destruct b; [cbn [Z.b2z] in H; lia|reflexivity]|]. apply IH. destruct b; cbn [Z.b2z] in H; lia.
  - intros H. induction H as [|b l -> Hl IH]; [reflexivity|]. cbn [number_of_bits]. now rewrite IH.
Qed.

(** ** Words without gates *)

Section Words.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).

Lemma value_no0 : value v no = false. Proof. exact (value_no v v0). Qed.
Lemma value_yes1 : value v yes = true. Proof. exact (value_yes v v0). Qed.

Lemma num_cons a x : num (a :: x) = Z.b2z (value v a) + 2 * num x.
Proof. reflexivity. Qed.
Lemma num_app a b : num (a ++ b) = num a + 2 ^ len a * num b.
Proof. unfold num_of, bits_of. rewrite map_app, bits_app, map_length. reflexivity. Qed.
Lemma map_repeat {A B} (f : A -> B) a n : map f (repeat a n) = repeat (f a) n.
Proof. induction n as [|n IH]; [reflexivity|]. cbn. now rewrite IH. Qed.
Lemma num_zeros n : num (repeat no n) = 0.
Proof. unfold num_of, bits_of. rewrite map_repeat, value_no0. apply bits_zeros. Qed.
Lemma num_repeated b n : 0 <= n -> num (repeated b n) = if value v b then 2 ^ n - 1 else 0.
Proof.
  intros H. unfold num_of, bits_of, repeated. rewrite map_repeat. destruct (value v b); [|apply bits_zeros].
  rewrite bits_ones. now rewrite Z2Nat.id.
Qed.
Lemma length_repeated b n : 0 <= n -> len (repeated b n) = n.
Proof. intros H. unfold repeated. rewrite repeat_length. now apply Z2Nat.id. Qed.

Lemma length_resize x w : 0 <= w -> len (resize x w) = w.
Proof. intros H. unfold resize. rewrite app_length, firstn_length, repeat_length. lia. Qed.
Lemma num_resize x w : 0 <= w -> num (resize x w) = num x mod 2 ^ w.
Proof.
  intros H. unfold resize. rewrite num_app, num_zeros, Z.mul_0_r, Z.add_0_r.
  unfold num_of, bits_of. rewrite <- firstn_map, bits_firstn. now rewrite Z2Nat.id.
Qed.
Lemma num_resize_small x w : 0 <= w -> num x < 2 ^ w -> num (resize x w) = num x.
Proof. intros H L. rewrite num_resize by exact H. apply Z.mod_small. pose proof (num_bound v x). lia. Qed.

Lemma length_slice x i w : 0 <= w -> len (slice x i w) = w.
Proof. intros H. unfold slice. now apply length_resize. Qed.
Lemma num_slice x i w : 0 <= i -> 0 <= w -> num (slice x i w) = (num x / 2 ^ i) mod 2 ^ w.
Proof.
  intros Hi Hw. unfold slice. rewrite num_resize by exact Hw. destruct (Z.ltb_spec i 0); [lia|].
  unfold num_of, bits_of. rewrite <- skipn_map, bits_skipn. now rewrite Z2Nat.id.
Qed.
Lemma num_slice_up x i w : 0 <= i -> 0 <= w -> num (slice x (- i) w) = (num x * 2 ^ i) mod 2 ^ w.
Proof.
  intros Hi Hw. unfold slice. rewrite num_resize by exact Hw. f_equal. destruct (Z.ltb_spec (- i) 0).
  - rewrite num_app, num_zeros, repeat_length, Z2Nat.id, Z.opp_involutive by lia. ring.
  - replace i with 0 by lia. change (Z.to_nat (- 0)) with 0%nat. cbn [skipn]. now rewrite Z.pow_0_r, Z.mul_1_r.
Qed.

Lemma num_concat h l : num (concat h l) = num l + 2 ^ len l * num h.
Proof. apply num_app. Qed.
Lemma length_concat h l : len (concat h l) = len l + len h.
Proof. unfold concat. rewrite app_length. lia. Qed.

Lemma value_bit x i : 0 <= i -> value v (bit x i) = Z.testbit (num x) i.
Proof.
  intros H. unfold bit, num_of, bits_of.
  rewrite <- (map_nth (value v) x no (Z.to_nat i)), value_no0, bits_nth, Z2Nat.id by exact H. reflexivity.
Qed.
Lemma value_msb x : x <> [] -> value v (msb x) = (2 ^ (len x - 1) <=? num x).
Proof.
  intros N. unfold msb, width_of. assert (0 < len x) by (destruct x; [congruence|cbn; lia]).
  rewrite value_bit by lia. pose proof (num_bound v x) as B.
  assert (E : 2 ^ len x = 2 * 2 ^ (len x - 1)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  pose proof (Z.pow_pos_nonneg 2 (len x - 1) eq_refl ltac:(lia)) as P.
  rewrite Z.testbit_odd, Z.shiftr_div_pow2 by lia.
  destruct (Z.leb_spec (2 ^ (len x - 1)) (num x)).
  - replace (num x / 2 ^ (len x - 1)) with 1; [reflexivity|]. apply (Z.div_unique _ _ 1 (num x - 2 ^ (len x - 1))); lia.
  - now rewrite Z.div_small by lia.
Qed.

Lemma length_below n : 0 <= n -> len (below n) = n.
Proof. intros H. unfold below. rewrite map_length, seq_length. now apply Z2Nat.id. Qed.
Lemma length_constant c w : 0 <= w -> len (constant c w) = w.
Proof. intros H. unfold constant. rewrite map_length. now apply length_below. Qed.

Lemma bits_unique a b : length a = length b -> (forall i, nth i a false = nth i b false) -> a = b.
Proof.
  revert b. induction a as [|x a IH]; intros [|y b] L H; try discriminate; [reflexivity|].
  pose proof (H 0%nat) as H0. cbn in H0. f_equal; [exact H0|]. apply IH; [now inversion L|]. intros i. exact (H (S i)).
Qed.

(** Constants of up to 64 bits. *)
Lemma num_constant c w : 0 <= w <= 64 -> num (constant c w) = c mod 2 ^ w.
Proof.
  intros H. apply Z.bits_inj'. intros i Hi.
  assert (N : Z.testbit (num (constant c w)) i = (i <? w) && Z.testbit c i).
  { unfold num_of, bits_of, constant. rewrite map_map.
    replace i with (Z.of_nat (Z.to_nat i)) at 1 by (now apply Z2Nat.id). rewrite <- bits_nth.
    unfold below. rewrite map_map. destruct (Z.ltb_spec i w) as [L|L].
    - rewrite nth_indep with (d' := value v (if (Z.of_nat (Z.to_nat i) <? 64) && Z.testbit c (Z.of_nat (Z.to_nat i)) then yes else no)).
      2: { rewrite map_length, seq_length. lia. }
      rewrite (map_nth (fun k => value v (if (Z.of_nat k <? 64) && Z.testbit c (Z.of_nat k) then yes else no))).
      rewrite seq_nth by lia. cbn [Nat.add]. rewrite Z2Nat.id by exact Hi. destruct (Z.ltb_spec i 64); [|lia]. cbn [andb].
      destruct (Z.testbit c i); [exact value_yes1|exact value_no0].
    - apply nth_overflow. rewrite map_length, seq_length. lia. }
  rewrite N. destruct (Z.ltb_spec i w).
  - now rewrite Z.mod_pow2_bits_low by lia.
  - now rewrite Z.mod_pow2_bits_high by lia.
Qed.

Lemma num_zero x : num x = 0 <-> forallb (fun b => negb (value v b)) x = true.
Proof.
  unfold num_of. rewrite bits_zero. unfold bits_of. rewrite Forall_map, forallb_forall, Forall_forall.
  split; intros H a Ha; specialize (H a Ha); destruct (value v a); try reflexivity; discriminate.
Qed.

(** ** Programs over lists *)

Lemma computes_map {A B} (f : A -> making B) (P : A -> B -> Prop) l :
  (forall a, In a l -> computes v (f a) (P a)) -> computes v (map_m f l) (Forall2 P l).
Proof.
  induction l as [|a l IH]; intros H; cbn [map_m]; [apply computes_ret; constructor|].
  eapply computes_bind; [apply H; now left|]. intros b Hb. eapply computes_bind; [apply IH; intros; apply H; now right|].
  intros bs Hbs. apply computes_ret. now constructor.
Qed.

Lemma computes_fold_from {A B} (f : A -> B -> making A) (I : list B -> A -> Prop) l : forall done a,
  I done a -> (forall done a b, In b l -> I done a -> computes v (f a b) (I (done ++ [b]))) ->
  computes v (fold_m f l a) (I (done ++ l)).
Proof.
  induction l as [|b l IH]; intros done a Ha H; cbn [fold_m]; [apply computes_ret; now rewrite app_nil_r|].
  eapply computes_bind; [apply H; [now left|exact Ha]|]. intros a' Ha'.
  replace (done ++ b :: l) with ((done ++ [b]) ++ l) by (now rewrite <- app_assoc). apply IH; [exact Ha'|].
  intros d x c Hc. apply H. now right.
Qed.
Lemma computes_fold {A B} (f : A -> B -> making A) (I : list B -> A -> Prop) l a :
  I [] a -> (forall done a b, In b l -> I done a -> computes v (f a b) (I (done ++ [b]))) -> computes v (fold_m f l a) (I l).
Proof. intros Ha H. exact (computes_fold_from f I l [] a Ha H). Qed.

(** ** Bit by bit *)

Lemma computes_any x : computes v (any x) (fun z => value v z = negb (num x =? 0)).
Proof.
  unfold any. eapply computes_weaken.
  - apply (computes_fold make_or (fun done z => value v z = existsb (value v) done)); [exact value_no0|].
    intros done a b _ Ha. eapply computes_weaken; [apply computes_or|]. intros z ->. rewrite existsb_app. cbn. now rewrite Ha, orb_false_r.
  - intros z ->. destruct (Z.eqb_spec (num x) 0) as [E|E].
    + apply num_zero in E. rewrite forallb_forall in E. apply not_true_is_false. intros H. apply existsb_exists in H.
      destruct H as (a & Ha & Hv). specialize (E a Ha). rewrite Hv in E. discriminate.
    + destruct (existsb (value v) x) eqn:H; [reflexivity|]. exfalso. apply E. apply num_zero. apply forallb_forall.
      intros a Ha. destruct (value v a) eqn:Hv; [|reflexivity].
      assert (existsb (value v) x = true) by (apply existsb_exists; now exists a). congruence.
Qed.

Lemma computes_any_of l : computes v (any_of l) (fun z => value v z = existsb (value v) l).
Proof.
  unfold any_of. apply (computes_fold make_or (fun done z => value v z = existsb (value v) done)); [exact value_no0|].
  intros done a b _ Ha. eapply computes_weaken; [apply computes_or|]. intros z ->. rewrite existsb_app. cbn. now rewrite Ha, orb_false_r.
Qed.

Lemma bits_all_ones l : number_of_bits l = 2 ^ len l - 1 <-> forallb (fun b => b) l = true.
Proof.
  induction l as [|b l IH]; [split; reflexivity|]. cbn [number_of_bits length forallb]. rewrite two_succ.
  pose proof (bits_bound l). destruct b; cbn [Z.b2z andb].
  - rewrite <- IH. lia.
  - split; [lia|discriminate].
Qed.

Lemma computes_all x : computes v (all x) (fun z => value v z = (num x =? 2 ^ len x - 1)).
Proof.
  unfold all. eapply computes_weaken.
  - apply (computes_fold make_and (fun done z => value v z = forallb (value v) done)); [exact value_yes1|].
    intros done a b _ Ha. eapply computes_weaken; [apply computes_and|]. intros z ->. rewrite forallb_app. cbn. now rewrite Ha, andb_true_r.
  - intros z ->. pose proof (bits_all_ones (bits_of v x)) as K. unfold bits_of in K at 2 3. rewrite map_length in K.
    assert (E : forallb (fun b => b) (map (value v) x) = forallb (value v) x).
    { clear. induction x as [|a x IH]; [reflexivity|]. cbn. now rewrite IH. }
    unfold bits_of in K. rewrite E in K. unfold num_of, bits_of.
    destruct (Z.eqb_spec (number_of_bits (map (value v) x)) (2 ^ len x - 1)) as [Q|Q].
    + now apply K.
    + destruct (forallb (value v) x); [|reflexivity]. exfalso. now apply Q, K.
Qed.

Lemma computes_zip (f : literal -> literal -> making literal) (g : bool -> bool -> bool) :
  (forall a b, computes v (f a b) (fun c => value v c = g (value v a) (value v b))) ->
  forall x y, length x = length y ->
  computes v (zip_m f x y) (fun z => length z = length x /\
    forall i, nth i (bits_of v z) false = if (i <? length x)%nat then g (nth i (bits_of v x) false) (nth i (bits_of v y) false) else false).
Proof.
  intros H. induction x as [|a x IH]; intros [|b y] L; try discriminate; cbn [zip_m].
  - apply computes_ret. split; [reflexivity|]. intros i. now destruct i.
  - eapply computes_bind; [apply H|]. intros c Hc. eapply computes_bind; [apply IH; now inversion L|]. intros z [Lz Hz].
    apply computes_ret. split; [cbn; now rewrite Lz|]. intros [|i]; [exact Hc|]. unfold bits_of in *. cbn [map nth length]. rewrite (Hz i).
    reflexivity.
Qed.

Lemma computes_mux_word c x y : length x = length y ->
  computes v (mux c x y) (fun z => length z = length x /\ num z = if value v c then num x else num y).
Proof.
  intros L. unfold mux.
  assert (G : forall x y, length x = length y -> computes v (zip_m (make_mux c) x y) (fun z => length z = length x /\
            bits_of v z = if value v c then bits_of v x else bits_of v y)).
  { clear x y L. induction x as [|a x IH]; intros [|b y] L; try discriminate; cbn [zip_m].
    - apply computes_ret. split; [reflexivity|]. now destruct (value v c).
    - eapply computes_bind; [apply computes_mux|]. intros d Hd. eapply computes_bind; [apply IH; now inversion L|].
      intros z [Lz Hz]. apply computes_ret. split; [cbn; now rewrite Lz|]. cbn [bits_of map] in *. rewrite Hd.
      change (map (value v) z) with (bits_of v z). rewrite Hz. now destruct (value v c). }
  eapply computes_weaken; [now apply G|]. intros z [Lz Hz]. split; [exact Lz|]. unfold num_of. rewrite Hz. now destruct (value v c).
Qed.

Lemma computes_mask c x : computes v (mask c x) (fun z => length z = length x /\ num z = if value v c then num x else 0).
Proof.
  unfold mask. induction x as [|a x IH]; cbn [map_m].
  - apply computes_ret. split; [reflexivity|]. now destruct (value v c).
  - eapply computes_bind; [apply computes_and|]. intros b Hb. eapply computes_bind; [exact IH|]. intros z [Lz Hz].
    apply computes_ret. split; [cbn; now rewrite Lz|]. rewrite !num_cons, Hb, Hz. destruct (value v c), (value v a); reflexivity.
Qed.

Lemma computes_invert c x : computes v (invert_word_if c x)
  (fun z => length z = length x /\ num z = if value v c then 2 ^ len x - 1 - num x else num x).
Proof.
  unfold invert_word_if. induction x as [|a x IH]; cbn [map_m].
  - apply computes_ret. split; [reflexivity|]. now destruct (value v c).
  - eapply computes_bind; [apply computes_xor|]. intros b Hb. eapply computes_bind; [exact IH|]. intros z [Lz Hz].
    apply computes_ret. split; [cbn; now rewrite Lz|]. rewrite !num_cons, Hb, Hz. cbn [length]. rewrite two_succ.
    destruct (value v c), (value v a); cbn [xorb Z.b2z]; lia.
Qed.

Lemma computes_word_or x y : length x = length y ->
  computes v (word_or x y) (fun z => length z = length x /\ num z = Z.lor (num x) (num y)).
Proof.
  intros L. unfold word_or. eapply computes_weaken.
  - apply (computes_zip make_or orb); [intros; apply computes_or|exact L].
  - intros z [Lz Hz]. split; [exact Lz|]. apply Z.bits_inj'. intros i Hi. rewrite Z.lor_spec.
    replace i with (Z.of_nat (Z.to_nat i)) by (now apply Z2Nat.id).
    unfold num_of. rewrite <- !bits_nth, (Hz (Z.to_nat i)).
    destruct (Nat.ltb_spec (Z.to_nat i) (length x)); [reflexivity|].
    rewrite !nth_overflow by (unfold bits_of; rewrite map_length; lia). reflexivity.
Qed.

(** ** Arithmetic modulo 2^width *)

Lemma computes_add_carry x : forall y c, length x = length y ->
  computes v (add_carry x y c) (fun z => length z = length x /\ num z = (num x + num y + Z.b2z (value v c)) mod 2 ^ len x).
Proof.
  induction x as [|a x IH]; intros [|b y] c L; try discriminate; cbn [add_carry].
  - apply computes_ret. split; [reflexivity|]. change (2 ^ len (@nil literal)) with 1. now rewrite Z.mod_1_r.
  - eapply computes_bind; [apply computes_xor|]. intros p Hp. eapply computes_bind; [apply computes_xor|]. intros s Hs.
    eapply computes_bind with (P := fun d => x = [] \/ value v d = majority (value v a) (value v b) (value v c)).
    { destruct x as [|a' x]; [apply computes_ret; now left|]. eapply computes_weaken; [apply computes_majority|]. intros d Hd. now right. }
    intros d Hd. eapply computes_bind; [apply IH; now inversion L|]. intros z [Lz Hz]. apply computes_ret.
    split; [cbn; now rewrite Lz|]. rewrite !num_cons, Hs, Hp, Hz. cbn [length]. rewrite two_succ.
    destruct Hd as [->|Hd].
    { destruct y; [|discriminate]. cbn [length]. change (2 ^ Z.of_nat 0) with 1. rewrite Z.mod_1_r. cbn [num_of bits_of map number_of_bits].
      destruct (value v a), (value v b), (value v c); reflexivity. }
    rewrite Hd. pose proof (two_pos (length x)) as P. rewrite Z.rem_mul_r by lia.
    set (X := num x) in *. set (Y := num y) in *.
    assert (E : (Z.b2z (value v a) + 2 * X + (Z.b2z (value v b) + 2 * Y) + Z.b2z (value v c)) =
                Z.b2z (xorb (xorb (value v a) (value v b)) (value v c)) +
                (X + Y + Z.b2z (majority (value v a) (value v b) (value v c))) * 2).
    { destruct (value v a), (value v b), (value v c); cbn [xorb Z.b2z majority andb orb]; lia. }
    rewrite E, Z.mod_add, Z.div_add by lia.
    destruct (xorb (xorb (value v a) (value v b)) (value v c)); cbn [Z.b2z];
      [change (1 mod 2) with 1; change (1 / 2) with 0|change (0 mod 2) with 0; change (0 / 2) with 0]; now rewrite Z.add_0_l.
Qed.

Lemma computes_add x y : length x = length y ->
  computes v (add x y) (fun z => length z = length x /\ num z = (num x + num y) mod 2 ^ len x).
Proof.
  intros L. eapply computes_weaken; [now apply computes_add_carry|]. intros z [Lz Hz]. split; [exact Lz|].
  rewrite Hz, value_no0. cbn [Z.b2z]. now rewrite Z.add_0_r.
Qed.

Lemma computes_subtract x y : length x = length y ->
  computes v (subtract x y) (fun z => length z = length x /\ num z = (num x - num y) mod 2 ^ len x).
Proof.
  intros L. unfold subtract. eapply computes_bind; [apply computes_invert|]. intros y' [Ly Hy]. rewrite value_yes1 in Hy.
  eapply computes_weaken; [apply computes_add_carry; congruence|]. intros z [Lz Hz]. split; [exact Lz|].
  rewrite Hz, Hy, value_yes1. cbn [Z.b2z]. rewrite <- L.
  replace (num x + (2 ^ len x - 1 - num y) + 1) with (num x - num y + 1 * 2 ^ len x) by ring.
  pose proof (two_pos (length x)). now rewrite Z.mod_add by lia.
Qed.

Lemma num_constant0 w : num (constant 0 w) = 0.
Proof.
  apply num_zero. apply forallb_forall. unfold constant. intros a Ha. apply in_map_iff in Ha. destruct Ha as (i & <- & _).
  rewrite Z.bits_0, andb_false_r, value_no0. reflexivity.
Qed.

Lemma computes_increment x c :
  computes v (increment x c) (fun z => length z = length x /\ num z = (num x + Z.b2z (value v c)) mod 2 ^ len x).
Proof.
  unfold increment, width_of.
  assert (L : length (constant 0 (len x)) = length x) by (pose proof (length_constant 0 (len x)); lia).
  eapply computes_weaken; [apply computes_add_carry; now symmetry|]. intros z [Lz Hz]. split; [exact Lz|].
  now rewrite Hz, num_constant0, Z.add_0_r.
Qed.

Lemma computes_negate_if c x :
  computes v (negate_if c x) (fun z => length z = length x /\ num z = (if value v c then - num x else num x) mod 2 ^ len x).
Proof.
  unfold negate_if. eapply computes_bind; [apply computes_invert|]. intros y [Ly Hy].
  eapply computes_weaken; [apply computes_increment|]. intros z [Lz Hz]. split; [congruence|]. rewrite Hz, Hy, Ly.
  pose proof (two_pos (length x)). destruct (value v c); cbn [Z.b2z].
  - replace (2 ^ len x - 1 - num x + 1) with (- num x + 1 * 2 ^ len x) by ring. now rewrite Z.mod_add by lia.
  - now rewrite Z.add_0_r.
Qed.

Lemma computes_less_from x : forall y s, length x = length y ->
  computes v (less_from x y s) (fun z => value v z = (num x <? num y) || ((num x =? num y) && value v s)).
Proof.
  induction x as [|a x IH]; intros [|b y] s L; try discriminate; cbn [less_from].
  - apply computes_ret. reflexivity.
  - eapply computes_bind; [apply computes_majority|]. intros m Hm. eapply computes_weaken; [apply IH; now inversion L|].
    intros z ->. rewrite Hm, value_invert, !num_cons. unfold majority.
    destruct (value v a), (value v b), (value v s); cbn [negb andb orb Z.b2z];
      destruct (Z.ltb_spec (num x) (num y)), (Z.eqb_spec (num x) (num y)); cbn [andb orb];
      repeat match goal with |- context [?p <? ?q] => destruct (Z.ltb_spec p q); try lia
                           | |- context [?p =? ?q] => destruct (Z.eqb_spec p q); try lia end; reflexivity.
Qed.
Lemma computes_less x y : length x = length y -> computes v (less x y) (fun z => value v z = (num x <? num y)).
Proof.
  intros L. eapply computes_weaken; [now apply computes_less_from|]. intros z ->. rewrite value_no0, andb_false_r. apply orb_false_r.
Qed.

End Words.
