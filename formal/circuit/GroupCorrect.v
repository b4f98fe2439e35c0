(** * Groups, whole

    The circuit of a group computes [group] of the definition: the exact sum of the products, its sign, the scales, and what
    an empty group has for an exponent. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Flocq Require Import Core.
From Discern Require Import Notation Real Exact Units Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading Sums Exponents
  Numbers Factors Operands Products FuseTerms GroupSpecials Groups.
Import ListNotations.
Open Scope Z_scope.

Section Group.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).

(** The integer that a product adds, in units of the smallest product. *)
Definition addend (y : wires * word) : Z := if value v (n_negative (fst y)) then - num (snd y) else num (snd y).
Definition total_of (l : list (wires * word)) : Z := fold_right (fun y n => addend y + n) 0 l.

Lemma total_snoc l y : total_of (l ++ [y]) = total_of l + addend y.
Proof. unfold total_of. rewrite fold_right_app. cbn [fold_right]. induction l as [|x l IH]; cbn [fold_right]; [ring|]. rewrite IH. ring. Qed.
Lemma total_bound l b : (forall y, In y l -> num (snd y) < b) -> 0 < b -> Z.abs (total_of l) <= Z.of_nat (length l) * (b - 1).
Proof.
  intros H Hb. induction l as [|y l IH]; [cbn; lia|]. cbn [total_of fold_right length]. fold (total_of l).
  assert (I : Z.abs (total_of l) <= Z.of_nat (length l) * (b - 1)) by (apply IH; intros; apply H; now right).
  pose proof (H y (or_introl eq_refl)) as B. pose proof (num_bound v (snd y)) as B0.
  assert (Z.abs (addend y) <= b - 1) by (unfold addend; destruct (value v _); lia). lia.
Qed.

(** The products of a group, added up. *)
Lemma computes_group_sum W wg (products : list (wires * word)) : 0 <= wg -> 0 < W -> (forall y : wires * word, In y products -> len (snd y) = wg) -> wg <= W ->
  computes v (fold_m (fun (s : word * literal * literal * literal) (p : wires * word) =>
           let '(total, plus_, minus, cancelled) := s in
           let negative := n_negative (fst p) in
           total' <- add_signed total (snd p) negative 0 ;;
           plus' <- make_or plus_ (invert negative) ;;
           minus' <- make_or minus negative ;;
           some <- any (snd p) ;;
           cancelled' <- make_or cancelled some ;;
           ret (total', plus', minus', cancelled')) products (constant 0 W, no, no, no))
    (fun s => let '(total, plus_, minus, cancelled) := s in
       len total = W /\ holds_integer v total (total_of products) /\
       value v plus_ = existsb (fun y => negb (value v (n_negative (fst y)))) products /\
       value v minus = existsb (fun y => value v (n_negative (fst y))) products /\
       value v cancelled = existsb (fun y => negb (num (snd y) =? 0)) products).
Proof.
  intros W0 WP HW WL.
  apply (computes_fold v _ (fun done s => let '(total, plus_, minus, cancelled) := s in
       len total = W /\ holds_integer v total (total_of done) /\
       value v plus_ = existsb (fun y => negb (value v (n_negative (fst y)))) done /\
       value v minus = existsb (fun y => value v (n_negative (fst y))) done /\
       value v cancelled = existsb (fun y => negb (num (snd y) =? 0)) done)).
  - split; [apply length_constant; lia|]. split; [unfold holds_integer; rewrite (num_constant0 v v0); change (total_of []) with 0; symmetry; apply Z.mod_0_l; pose proof (two_pos (length (constant 0 W))); lia|].
    repeat split; exact (value_no v v0).
  - intros done [[[total pl] mi] ca] y Iy (L & H & P & M & C). pose proof (HW y Iy) as Ly. pose proof (num_bound v (snd y)) as B. assert (B2 : num (snd y) < 2 ^ wg) by (rewrite <- Ly; apply B).
    assert (2 ^ wg <= 2 ^ W) by (apply Z.pow_le_mono_r; lia).
    eapply computes_bind.
    { apply (computes_add_signed_integer v v0 total (snd y) (n_negative (fst y)) 0 (total_of done) ltac:(lia)); [rewrite L, Z.pow_0_r; lia|exact H]. }
    intros t (Lt & Ht). eapply computes_bind; [apply computes_or|]. intros p' Hp. eapply computes_bind; [apply computes_or|]. intros m' Hm.
    eapply computes_bind; [apply (computes_any v v0)|]. intros sm Hsm. eapply computes_bind; [apply computes_or|]. intros c' Hc. apply computes_ret.
    rewrite !existsb_snoc, total_snoc, Hp, Hm, Hc, Hsm, P, M, C, value_invert. split; [lia|]. split; [|repeat split].
    rewrite Z.pow_0_r, Z.mul_1_r in Ht. exact Ht.
Qed.

(** A product and its number. *)
Definition is_product (lsb : Z) (y : wires * word) (p : number) : Prop :=
  match p with Finite d _ _ => D2R (Dyadic (addend y) lsb) = D2R d /\ sign_of p = sign_if (value v (n_negative (fst y))) | _ => True end.

Lemma sum_of_products lsb ys ps : Forall2 (is_product lsb) ys ps -> Forall (fun x => match x with Finite _ _ _ => True | _ => False end) ps ->
  D2R (Dyadic (total_of ys) lsb) = D2R (sum (map value_of ps)) /\
  existsb (fun y => negb (num (snd y) =? 0)) ys = negb (forallb is_zero_number ps) /\
  forallb is_zero (map value_of ps) = forallb is_zero_number ps.
Proof.
  rewrite D2R_sum. intros H. induction H as [|y p ys ps Hy _ IH]; intros F; [split; [unfold D2R, F2R; cbn; ring|split; reflexivity]|].
  inversion F as [|? ? F1 F2]; subst. destruct (IH F2) as (I1 & I2 & I3). destruct p as [d e s| |]; [|destruct F1|destruct F1]. destruct Hy as [V _].
  cbn [total_of fold_right map value_of existsb forallb is_zero_number]. fold (total_of ys). split; [|split].
  - change (Rsum (D2R d :: map D2R (map value_of ps))) with (D2R d + Rsum (map D2R (map value_of ps)))%R. rewrite <- I1, <- V.
    unfold D2R, F2R. cbn [Notation.num scale Fnum Fexp]. rewrite plus_IZR. ring.
  - rewrite I2, negb_andb. f_equal. f_equal. rewrite <- (is_zero_value _ _ V). unfold is_zero, addend. cbn [Notation.num].
    destruct (value v _), (Z.eqb_spec (num (snd y)) 0), (Z.eqb_spec (- num (snd y)) 0); try reflexivity; lia.
  - now rewrite I3.
Qed.

(** The signs that were seen. *)
Lemma signs_of_products lsb ys ps : ys <> [] -> Forall2 (is_product lsb) ys ps -> Forall (fun x => match x with Finite _ _ _ => True | _ => False end) ps ->
  existsb (fun y => negb (value v (n_negative (fst y)))) ys = (match common_sign ps with Minus => false | _ => true end) /\
  existsb (fun y => value v (n_negative (fst y))) ys = (match common_sign ps with Plus => false | _ => true end).
Proof.
  intros Ne H F. assert (G : forall p, In p ps -> exists y, In y ys /\ sign_of p = sign_if (value v (n_negative (fst y)))).
  { clear Ne. induction H as [|y p ys ps Hy _ IH]; intros q I; [destruct I|]. inversion F as [|? ? F1 F2]; subst. destruct I as [<-|I].
    - exists y. split; [now left|]. destruct p; [apply Hy|destruct F1|destruct F1].
    - destruct (IH F2 q I) as (y' & I' & E). exists y'. split; [now right|exact E]. }
  assert (G' : forall y, In y ys -> exists p, In p ps /\ sign_of p = sign_if (value v (n_negative (fst y)))).
  { clear Ne G. induction H as [|y p ys ps Hy _ IH]; intros q I; [destruct I|]. inversion F as [|? ? F1 F2]; subst. destruct I as [<-|I].
    - exists p. split; [now left|]. destruct p; [apply Hy|destruct F1|destruct F1].
    - destruct (IH F2 q I) as (p' & I' & E). exists p'. split; [now right|exact E]. }
  assert (NeP : ps <> []) by (inversion H; subst; [congruence|discriminate]).
  assert (S1 : existsb (fun y => negb (value v (n_negative (fst y)))) ys = true <-> exists p, In p ps /\ sign_of p = Plus).
  { rewrite existsb_exists. split.
    - intros (y & I & E). destruct (G' y I) as (p & Ip & Sp). exists p. split; [exact Ip|]. rewrite Sp. now destruct (value v _).
    - intros (p & Ip & E). destruct (G p Ip) as (y & I & Sp). exists y. split; [exact I|]. rewrite E in Sp. now destruct (value v _). }
  assert (S2 : existsb (fun y => value v (n_negative (fst y))) ys = true <-> exists p, In p ps /\ sign_of p = Minus).
  { rewrite existsb_exists. split.
    - intros (y & I & E). destruct (G' y I) as (p & Ip & Sp). exists p. split; [exact Ip|]. rewrite Sp. now rewrite E.
    - intros (p & Ip & E). destruct (G p Ip) as (y & I & Sp). exists y. split; [exact I|]. rewrite E in Sp. now destruct (value v _). }
  assert (NM : forall p, In p ps -> sign_of p <> Mixed) by (intros p I; destruct (G p I) as (y & _ & ->); now destruct (value v _)).
  destruct (common_sign ps) eqn:C.
  - apply (Laws.common_sign_spec ps Plus ltac:(discriminate)) in C. destruct C as [_ C]. split.
    + apply S1. destruct ps as [|p ps]; [congruence|]. exists p. split; [now left|]. apply C. now left.
    + apply not_true_is_false. intros E. apply S2 in E. destruct E as (p & I & E). rewrite (C p I) in E. discriminate.
  - apply (Laws.common_sign_spec ps Minus ltac:(discriminate)) in C. destruct C as [_ C]. split.
    + apply not_true_is_false. intros E. apply S1 in E. destruct E as (p & I & E). rewrite (C p I) in E. discriminate.
    + apply S2. destruct ps as [|p ps]; [congruence|]. exists p. split; [now left|]. apply C. now left.
  - (* both *)
    destruct ps as [|p ps]; [congruence|]. cbn [common_sign] in C. destruct (forallb _ ps) eqn:A; [exfalso; now apply (NM p (or_introl eq_refl))|].
    assert (X : exists q, In q ps /\ sign_of q <> sign_of p).
    { clear -A. induction ps as [|q ps IH]; [discriminate|]. cbn [forallb] in A. apply andb_false_iff in A. destruct A as [A|A].
      - exists q. split; [now left|]. intros E. rewrite E in A. destruct (sign_of p); discriminate.
      - destruct (IH A) as (r & I & D). exists r. split; [now right|exact D]. }
    destruct X as (q & Iq & Dq). pose proof (NM p (or_introl eq_refl)) as Np. pose proof (NM q (or_intror Iq)) as Nq.
    split; [apply S1|apply S2]; destruct (sign_of p) eqn:Sp, (sign_of q) eqn:Sq; try congruence;
      first [exists p; split; [now left|assumption]|exists q; split; [now right|assumption]].
Qed.

(** The scales of the definition have the sign +, and none is infinite. *)
Lemma scales_are_scales ss ms f : Forall2 (fun s m => is_factor v s m /\ value v (n_negative s) = false) ss ms ->
  has_infinity f = false -> Forall (fun m => exists b, m = read_scale f b) ms -> Forall is_scale ms.
Proof.
  intros H HI HR. induction H as [|s m ss ms [(_ & _ & D & _) Hn] _ IH]; [constructor|]. inversion HR as [|? ? (b & Hb) HR']; subst.
  constructor; [|exact (IH HR')]. rewrite Hn in D. destruct (bits_of_factor v s) as [[n i] z].
  assert (NI : forall s' t, read_scale f b <> Infinite s' t).
  { intros s' t E. unfold read_scale in E. assert (R : read f b = Infinite s' t) by (destruct (read f b); congruence). clear E.
    unfold read in R. unfold has_infinity in HI. unfold is_fixed in R. unfold read_fixed, read_float, read_finite in R.
    destruct (kind_of f); try discriminate; repeat match type of R with context [if ?c then _ else _] => destruct c end; discriminate. }
  destruct (read_scale f b) as [d e s'|s' t|s' t c]; cbn [describes is_scale] in *; [split; apply D|now apply (NI s' t)|apply D].
Qed.

Lemma computes_empty ss cancelled : computes v
  (fold_m (fun empty (s : wires) => some <- any (n_magnitude s) ;; make_or empty (invert some)) ss (invert cancelled))
  (fun e => value v e = negb (value v cancelled) || existsb (fun s => num (n_magnitude s) =? 0) ss).
Proof.
  apply (computes_fold v _ (fun done e => value v e = negb (value v cancelled) || existsb (fun s => num (n_magnitude s) =? 0) done)).
  - cbn [existsb]. now rewrite value_invert, orb_false_r.
  - intros done e s _ He. eapply computes_bind; [apply (computes_any v v0)|]. intros sm Hsm. eapply computes_weaken; [apply computes_or|]. intros z ->.
    now rewrite existsb_snoc, He, value_invert, Hsm, negb_involutive, orb_assoc.
Qed.

(** Whether a scale is zero, if none is NaN. *)
Lemma zero_scales ss ms : Forall2 (fun s m => is_factor v s m /\ value v (n_negative s) = false) ss ms ->
  Forall (fun x => match x with Finite _ _ _ => True | _ => False end) ms ->
  existsb (fun s => num (n_magnitude s) =? 0) ss = existsb is_zero_number ms.
Proof.
  intros H. induction H as [|s m ss ms [(_ & _ & _ & V) _] _ IH]; intros F; [reflexivity|]. inversion F as [|? ? F1 F2]; subst. cbn [existsb].
  rewrite (IH F2). f_equal. destruct m; [|destruct F1|destruct F1]. cbn [is_zero_number]. destruct V as (V & _). now apply (wires_zero v).
Qed.

Lemma finite_scales ms x : is_definite x -> Forall is_scale ms -> match fold_left (product false) ms x with Finite _ _ _ => True | _ => False end ->
  Forall (fun x => match x with Finite _ _ _ => True | _ => False end) ms /\ class_of x = CFinite.
Proof.
  intros Hx Hm H. destruct (products_class ms x Hx Hm) as [_ C]. assert (CF : fold_left (fun c m => scale_class m c) ms (class_of x) = CFinite).
  { rewrite <- C. now destruct (fold_left (product false) ms x). }
  clear C H Hx. revert CF. generalize (class_of x). induction Hm as [|m ms Hm _ IH]; intros c CF; [now split|]. cbn [fold_left] in CF. destruct (IH _ CF) as [I1 I2].
  destruct m as [d e s| |s t k]; [|destruct Hm|discriminate I2]. split; [constructor; [exact I|exact I1]|]. cbn [scale_class] in I2.
  destruct c; try reflexivity; try discriminate I2; destruct (is_zero_number _); discriminate I2.
Qed.

Theorem computes_group u i x g first : fair_scales (product_scales u) = true ->
  fair_group u g = true -> scales_are v (product_scales u) i x first ->
  (forall l, 0 <= l < g_size g -> len (operand (o_a i) (first + l)) = width (unit_a u) /\ num (operand (o_a i) (first + l)) = in_a x (first + l) /\
                                  len (operand (o_b i) (first + l)) = width (unit_b u) /\ num (operand (o_b i) (first + l)) = in_b x (first + l)) ->
  computes v (group_wires u i g first) (fun y => is_number v (2 ^ 40) y
    (group (product_scales u) x (g_empty g) first
       (map (fun l => product false (read (unit_a u) (in_a x (first + l))) (read (unit_b u) (in_b x (first + l)))) (below (g_size g))))).
Proof.
  intros Hsc Hg HS Hop. unfold fair_group in Hg. apply andb_prop in Hg. destruct Hg as [Hg Hinf]. apply andb_prop in Hg. destruct Hg as [Hg Hempty].
  apply andb_prop in Hg. destruct Hg as [Hg Hlsb]. apply andb_prop in Hg. destruct Hg as [Hg _]. apply andb_prop in Hg. destruct Hg as [Hg HG2].
  apply andb_prop in Hg. destruct Hg as [Hg HG1]. apply andb_prop in Hg. destruct Hg as [Ha Hb].
  apply Z.leb_le in HG1, HG2, Hlsb. set (fa := unit_a u) in *. set (fb := unit_b u) in *. set (G := g_size g) in *.
  destruct (fair_parts fa Ha) as (_ & _ & PEa & PMa & _ & _ & PBa & _). destruct (fair_parts fb Hb) as (_ & _ & PEb & PMb & _ & _ & PBb & _).
  set (lsb := last_bit fa + last_bit fb) in *. set (P := fun l => product false (read fa (in_a x (first + l))) (read fb (in_b x (first + l)))).
  set (ps := map P (below G)).
  unfold group_wires. fold fa fb G. cbv zeta.
  eapply computes_bind; [exact (computes_scale_wires v v0 ByBoth (product_scales u) i x first Hsc HS)|]. intros ss (ms & HM & LS & HB & HR).
  assert (HE : forall y, scaled (product_scales u) x false first y = fold_left (product false) ms y) by (intros y; rewrite <- scaled_sum_both; apply HB).
  assert (HMs : Forall is_scale ms).
  { destruct (product_scales u) as [[f n]|]; [|subst ms; constructor]. apply negb_true_iff in Hinf. exact (scales_are_scales ss ms f HM Hinf HR). }
  set (wg := group_width fa fb).
  eapply computes_bind.
  { apply (computes_map v _ (fun l y => special_is v (n_special (fst y)) (fold_left (product false) ms (P l)) /\ len (snd y) = wg /\
       is_product lsb y (P l))). intros l Il. apply below_in in Il. destruct (Hop l Il) as (L1 & N1 & L2 & N2).
    exact (proj2 (computes_group_product v v0 u i x ss ms (first + l) Ha Hb HM HMs L1 N1 L2 N2)). }
  intros ys HY.
  assert (LY : Z.of_nat (length ys) = G).
  { pose proof (pairs_length _ _ _ HY) as L. unfold below in L. rewrite map_length, seq_length in L. apply (f_equal Z.of_nat) in L. rewrite Z2Nat.id in L by lia. symmetry. exact L. }
  assert (LW : forall y : wires * word, In y ys -> len (snd y) = wg).
  { intros y Iy. clear - HY Iy. induction HY as [|l y' ls ys (_ & H & _) _ IH]; [destruct Iy|]. destruct Iy as [<-|Iy]; [exact H|now apply IH]. }
  assert (NeY : ys <> []) by (intros ->; cbn in LY; lia).
  assert (NeP : ps <> []) by (unfold ps, below; destruct (Z.to_nat G) eqn:E; [lia|cbn; discriminate]).
  assert (WE : width_of (match rev ys with p :: _ => snd p | [] => [] end) = wg).
  { destruct (rev ys) as [|y l] eqn:R; [apply (f_equal (@rev _)) in R; rewrite rev_involutive in R; now destruct NeY|]. unfold width_of. apply LW. apply in_rev. rewrite R. now left. }
  rewrite WE. pose proof (bits_for_spec (G - 1) ltac:(lia)) as [BF0 BF1]. pose proof (bits_for_small (G - 1) 30 ltac:(lia) ltac:(lia)) as BF2.
  assert (WG : 2 <= wg <= 2 ^ 34).
  { assert (PP : forall f, fair_format f = true -> 2 <= pow2 (E_bits f) <= 2 ^ 30).
    { intros f Hf. destruct (fair_parts f Hf) as (_ & _ & PE & _). rewrite pow2_correct. split; [change 2 with (2 ^ 1) at 1|]; apply Z.pow_le_mono_r; lia. }
    pose proof (PP fa Ha). pose proof (PP fb Hb).
    assert (EMa : - bias fa <= emin fa <= - bias fa + 1) by (unfold emin; destruct (has_zero fa); lia).
    assert (EMb : - bias fb <= emin fb <= - bias fb + 1) by (unfold emin; destruct (has_zero fb); lia).
    unfold wg, group_width. set (D := - bias fa + pow2 (E_bits fa) - 1 + (- bias fb + pow2 (E_bits fb) - 1) - (emin fa + emin fb)).
    assert (DB : 0 <= D < 2 ^ 33) by (unfold D; change (2 ^ 33) with (8 * 2 ^ 30); lia). pose proof (bits_for_spec D ltac:(lia)) as [B0 _].
    pose proof (bits_for_small D 33 ltac:(lia) ltac:(lia)) as B1. assert (2 ^ bits_for D <= 2 ^ 33) by (apply Z.pow_le_mono_r; lia).
    pose proof (Z.pow_pos_nonneg 2 (bits_for D) eq_refl B0). change (2 ^ 34) with (2 * 2 ^ 33). lia. }
  set (W := wg + bits_for (G - 1) + 1).
  eapply computes_bind; [exact (computes_group_sum W wg ys ltac:(lia) ltac:(unfold W; lia) LW ltac:(unfold W; lia))|].
  intros [[[total pl] mi] ca] (Ltot & Htot & Hpl & Hmi & Hca). set (n := total_of ys) in *.
  assert (NB : Z.abs n < 2 ^ (W - 1)).
  { replace (W - 1) with (wg + bits_for (G - 1)) by (unfold W; ring). rewrite Z.pow_add_r by lia. pose proof (Z.pow_pos_nonneg 2 wg eq_refl ltac:(lia)) as Pw.
    assert (Z.abs n <= G * (2 ^ wg - 1)); [|nia].
    apply Z.le_trans with (Z.of_nat (length ys) * (2 ^ wg - 1)); [|apply Z.eq_le_incl; f_equal; exact LY].
    apply (total_bound ys (2 ^ wg)); [intros y Iy; rewrite <- (LW y Iy); apply (num_bound v)|exact Pw]. }
  eapply computes_bind.
  { apply (computes_combine_specials v v0 (map fst ys) (map (fold_left (product false) ms) ps)); [|reflexivity].
    unfold ps. clear - HY. induction HY as [|l y ls ys (H & _) _ IH]; constructor; [exact H|exact IH]. }
  intros sum0 (sp & kk & kind & -> & SP).
  destruct (computes_sign_and_magnitude v v0 total n ltac:(rewrite Ltot; unfold W; lia) Htot ltac:(rewrite Ltot; lia)) as [Sg Mg].
  eapply computes_bind; [exact Mg|]. intros absolute [Labs Nabs].
  set (sum1 := with_signs _ _ _ _). set (negative := msb total) in *.
  assert (Lm1 : len (n_magnitude sum1) = W - 1) by (unfold sum1; cbn [with_signs with_lsb with_base with_magnitude n_magnitude]; apply length_resize; unfold W; lia).
  assert (Nm1 : num (n_magnitude sum1) = Z.abs n).
  { unfold sum1; cbn [with_signs with_lsb with_base with_magnitude n_magnitude]. rewrite (num_resize_small v v0) by (rewrite ?Nabs; unfold W in *; lia). exact Nabs. }
  assert (V1 : D2R (wires_value v sum1) = D2R (Dyadic n lsb)).
  { unfold wires_value. rewrite Nm1. unfold sum1. cbn [with_signs with_lsb with_base with_magnitude with_special n_negative n_base n_fraction].
    rewrite (proj1 (fixed_ok v 0)). fold negative in Sg. rewrite Sg. apply D2R_same; [destruct (Z.ltb_spec n 0); lia|]. unfold lsb. ring. }
  destruct (fixed_ok v 0) as [FZ FO].
  eapply computes_bind; [exact (computes_scaled_value v v0 ss ms sum1 HM FO)|].
  cbv zeta. intros sum2 ((m2 & b2 & f2 & l2 & E2) & O2 & B1 & B2 & B3 & B4 & B5 & VV).
  assert (F1 : n_fraction sum1 = - lsb /\ n_lsb sum1 = lsb /\ i_low (n_base sum1) = 0 /\ i_high (n_base sum1) = 0) by (unfold sum1; repeat split).
  destruct F1 as (F1 & F2 & F3 & F4). rewrite F1 in B1, B2. rewrite F2 in B3. rewrite F3 in B4. rewrite F4 in B5. rewrite Lm1 in B2.
  assert (LSS : 0 <= Z.of_nat (length ss) <= 2) by lia.
  assert (LSB : - 2 ^ 32 <= lsb) by (unfold lsb, last_bit, emin; change (2 ^ 32) with (4 * 2 ^ 30); destruct (has_zero fa), (has_zero fb); lia).
  assert (NE2 : near (n_base sum2)).
  { unfold near. pose proof (int_bounds v (n_base sum2)) as IB. unfold int_ok in O2. change (2 ^ 40) with (256 * 2 ^ 32). nia. }
  eapply computes_bind; [exact (computes_empty ss ca)|]. intros empty Hemptyv. cbv beta in Hemptyv.
  set (sum3 := match g_empty g with Ignore => with_has_exponent (invert empty) (with_exponent (n_base sum2) sum2) | _ => with_exponent (n_base sum2) sum2 end).
  eapply computes_bind with (P := fun y => exists e, y = with_exponent e sum3 /\ int_ok v e /\ near e /\
     int e = match g_empty g with At m => if value v empty then m else int (n_base sum2) | _ => int (n_base sum2) end).
  { unfold sum3. destruct (g_empty g) as [| |m].
    - apply computes_ret. exists (n_base sum2). cbn [with_has_exponent with_exponent]. auto.
    - apply computes_ret. exists (n_base sum2). cbn [with_exponent]. auto.
    - apply andb_prop in Hempty. destruct Hempty as [M1 M2]. apply Z.leb_le in M1, M2. destruct (fixed_ok v m) as [FM FMO]. destruct NE2 as (N1 & N2 & N3).
      eapply computes_bind.
      + apply computes_both; [apply (computes_i_mux v v0 empty (fixed_integer m) (n_base sum2) FMO O2); cbn [fixed_integer i_low i_high]; change (2 ^ 64) with (16777216 * 2 ^ 40); lia|apply bounds_i_mux].
      + cbn [fixed_integer i_low i_high]. intros e ((E1 & E3) & E4 & E5). apply computes_ret. exists e. cbn [with_exponent n_exponent] in *. split; [reflexivity|]. split; [exact E3|].
        split; [unfold near; lia|]. now rewrite E1, FM. }
  intros sum4 (e4 & -> & O4 & NE4 & IE4).
  eapply computes_bind; [apply (computes_any v v0)|]. intros nonzero Hnz.
  eapply computes_bind; [apply computes_or|]. intros p1 Hp1. eapply computes_bind; [apply computes_mux|]. intros sp1 Hsp1.
  eapply computes_bind; [apply computes_or|]. intros m1 Hm1. eapply computes_bind; [apply computes_mux|]. intros sm1 Hsm1. apply computes_ret.
  set (y := with_signs _ _ _ _).
  assert (FY : n_magnitude y = n_magnitude sum2 /\ n_base y = n_base sum2 /\ n_fraction y = n_fraction sum2 /\ n_lsb y = n_lsb sum2 /\ n_exponent y = e4 /\
               n_special y = sp /\ n_negative y = negative /\ n_seen_plus y = sp1 /\ n_seen_minus y = sm1 /\
               n_has_exponent y = match g_empty g with Ignore => invert empty | _ => yes end).
  { unfold y, sum3. rewrite E2. unfold sum1. destruct (g_empty g); repeat split. }
  destruct FY as (Y1 & Y2 & Y3 & Y4 & Y5 & Y6 & Y8 & Y9 & Y10 & Y11).
  assert (NG2 : n_negative sum2 = negative) by (rewrite E2; reflexivity).
  assert (SZ : sized (2 ^ 40) y).
  { unfold sized. rewrite Y1, Y2, Y3, Y4, Y5. change (2 ^ 43) with (2048 * 2 ^ 32). change (2 ^ 41) with (512 * 2 ^ 32). change (2 ^ 40) with (64 * 2 ^ 34).
    change (2 ^ 34) with (4 * 2 ^ 32) in *. unfold W in B2. repeat split; try nia; try apply NE2; apply NE4. }
  (* the definition *)
  assert (DPs : Forall is_definite ps).
  { unfold ps. rewrite Forall_map. apply Forall_forall. intros l Il. apply below_in in Il. destruct (Hop l Il) as (L1 & N1 & L2 & N2).
    exact (proj1 (computes_group_product v v0 u i x ss ms (first + l) Ha Hb HM HMs L1 N1 L2 N2)). }
  change (is_number v (2 ^ 40) y (group (product_scales u) x (g_empty g) first ps)).
  set (total_ := exact_sum ps). destruct (definite_sum ps DPs) as [_ DS].
  assert (DT : is_definite total_ /\ class_of total_ = class_of (special_number ps)).
  { unfold total_, exact_sum, special_number. destruct (special_sum ps); [now split|]. split; [discriminate|reflexivity]. }
  destruct DT as [DT CT]. pose proof (group_special v sp ps ms total_ NeP DPs HMs DT CT SP) as SPF. destruct (products_class ms total_ DT HMs) as [DR CR].
  unfold group. cbv zeta. fold total_. rewrite !HE. set (R := fold_left (product false) ms total_) in *.
  assert (OB : int_ok v (n_base y) /\ int_ok v (n_exponent y)) by (rewrite Y2, Y5; now split). destruct OB as [OB OE].
  rewrite <- Y6 in SPF. destruct R as [d' e' s'|s' t'|s' t' c'] eqn:ER.
  2, 3: split; [split; [exact OE|]; split; [exact SPF|exact I]|split; [exact SZ|]]; first [exact (proj2 DR)|exact I].
  assert (FR : match R with Finite _ _ _ => True | _ => False end) by (rewrite ER; exact I). destruct (finite_scales ms total_ DT HMs FR) as [FMs CT0].
  assert (SN : special_sum ps = None).
  { rewrite CT in CT0. unfold special_number in CT0. destruct (special_sum ps) as [z|] eqn:SS; [|reflexivity]. exfalso.
    unfold special_sum, special_of in SS. repeat match type of SS with context [if ?c then _ else _] => destruct c end; inversion SS; subst z; discriminate. }
  assert (FPs : Forall (fun x => match x with Finite _ _ _ => True | _ => False end) ps).
  { apply not_special; [|exact SN]. eapply Forall_impl; [|exact DPs]. intros z Hz. destruct z; [exact I|apply Hz|exact I]. }
  assert (HIP : Forall2 (is_product lsb) ys ps).
  { unfold ps. clear - HY. induction HY as [|l z ls ys (_ & _ & H) _ IH]; constructor; [exact H|exact IH]. }
  destruct (sum_of_products lsb ys ps HIP FPs) as (VS & CA & FZ2). destruct (signs_of_products lsb ys ps NeY HIP FPs) as [SPl SMi]. fold n in VS.
  rewrite CA in Hca. rewrite SPl in Hpl. rewrite SMi in Hmi. set (d := sum (map value_of ps)) in *. set (zs := zero_sum_sign ps (map value_of ps)) in *.
  assert (ET : total_ = Finite d (Some 0) zs) by (unfold total_, exact_sum; rewrite SN; reflexivity).
  assert (ER' : fold_left (product false) ms (Finite d (Some 0) zs) = Finite d' e' s') by (rewrite <- ET; exact ER).
  assert (MU : multiple_of d (n_lsb sum1)) by (rewrite F2; exists n; rewrite <- VS; reflexivity).
  pose proof (VV d 0 zs (eq_trans V1 VS) FZ MU) as VR. rewrite ER' in VR. destruct VR as (VR1 & VR2 & VR3).
  pose proof (scales_sign ms HMs d 0 zs) as SS. rewrite ER' in SS. destruct SS as [SS1 SS2].
  pose proof (scales_sign ms HMs (Dyadic 1 0) 0 Plus) as S1. destruct (products_class ms (Finite (Dyadic 1 0) (Some 0) Plus) ltac:(discriminate) HMs) as [_ C1].
  assert (ZS : is_zero_number (fold_left (product false) ms (Finite (Dyadic 1 0) (Some 0) Plus)) = existsb is_zero_number ms).
  { rewrite ET in CR. try rewrite ER in CR. cbn [class_of] in CR. change (class_of (Finite d (Some 0) zs)) with CFinite in CR. change (class_of (Finite (Dyadic 1 0) (Some 0) Plus)) with CFinite in C1. rewrite <- CR in C1.
    destruct (fold_left (product false) ms (Finite (Dyadic 1 0) (Some 0) Plus)); [exact (proj2 S1)| |discriminate C1]. destruct s; discriminate C1. }
  rewrite ZS, ET. cbn [is_zero_number]. clear S1 C1 ZS.
  rewrite (zero_scales ss ms HM FMs), Hca, negb_involutive in Hemptyv. set (none := forallb is_zero_number ps) in *. set (zsc := existsb is_zero_number ms) in *.
  assert (Zm : (num (n_magnitude sum2) =? 0) = is_zero d') by exact (wires_zero v sum2 d' VR1).
  assert (NM : num (n_magnitude (with_exponent e4 sum3)) = num (n_magnitude sum2)) by (unfold sum3; destruct (g_empty g); reflexivity).
  rewrite NM, Zm in Hnz.
  (* if all products are zero, the sum is *)
  assert (NZ0 : none = true -> is_zero d = true).
  { intros E. rewrite <- FZ2 in E. apply is_zero_correct. unfold d. rewrite D2R_sum. clear - E. induction (map value_of ps) as [|z l IH]; [reflexivity|].
    cbn [forallb] in E. apply andb_prop in E. destruct E as [E1 E2]. apply is_zero_correct in E1. change (D2R z + Rsum (map D2R l) = 0)%R. rewrite E1, (IH E2). ring. }
  assert (VY : D2R (wires_value v y) = D2R d').
  { rewrite <- VR1. unfold wires_value. now rewrite Y1, Y2, Y3, Y8, NG2. }
  assert (SGN : sees v (n_seen_plus y) (n_seen_minus y) (if is_zero d' then if is_zero d then s' else Mixed else sign_if (is_negative d'))).
  { rewrite Y9, Y10. unfold sees. rewrite Hsp1, Hsm1, Hnz, Hp1, Hm1, value_invert, Hpl, Hmi, Hca. destruct (is_zero d') eqn:Z'; cbn [negb].
    - destruct (is_zero d) eqn:Z.
      + rewrite (SS1 eq_refl). unfold zs, zero_sum_sign. rewrite FZ2. fold none. destruct none; cbn [negb]; [rewrite !orb_false_r; destruct (common_sign ps); now split|rewrite !orb_true_r; now split].
      + destruct none; [specialize (NZ0 eq_refl); congruence|]. cbn [negb]. rewrite !orb_true_r. now split.
    - assert (N : is_negative d' = value v negative).
      { rewrite <- (is_negative_value _ _ VR1). unfold is_negative, wires_value. cbn [Notation.num]. rewrite NG2. apply Z.eqb_neq in Zm.
        pose proof (num_bound v (n_magnitude sum2)). destruct (value v negative); [apply Z.ltb_lt|apply Z.ltb_ge]; lia. }
      rewrite N. destruct (value v negative); now split. }
  assert (HX : forall e2 s2, sign_of (Finite d' e2 s2) = (if is_zero d' then if is_zero d then s' else Mixed else sign_if (is_negative d')) ->
     value v (n_has_exponent y) = (match e2 with Some _ => true | None => false end) -> match e2 with Some e2 => int e4 = e2 | None => True end ->
     (is_zero d' = false -> e2 = Some (int (n_base sum2))) -> is_number v (2 ^ 40) y (Finite d' e2 s2)).
  { intros e2 s2 H1 H2 H3 H4. split; [|split; [exact SZ|]].
    - split; [exact OE|]. split; [exact SPF|]. split; [exact VY|]. split; [exact H2|]. split; [rewrite Y5; exact H3|]. split.
      + intros Z'. split; [exact OB|]. rewrite (H4 Z') in H3. rewrite Y2, Y5, H3. apply Z.le_refl.
      + rewrite H1. exact SGN.
    - split; [intros Z'; rewrite (H4 Z'); discriminate|]. rewrite Y4. exact VR3. }
  assert (EM : is_zero d' = false -> none || zsc = false).
  { intros Z'. rewrite Z' in SS2. symmetry in SS2. apply orb_false_elim in SS2. destruct SS2 as [Z2 ->]. rewrite orb_false_r. destruct none; [|reflexivity]. now rewrite (NZ0 eq_refl) in Z2. }
  destruct (is_zero d') eqn:Z'.
  - apply HX; [cbn [sign_of]; now rewrite Z'| | |discriminate].
    + rewrite Y11. rewrite VR2. destruct (none || zsc) eqn:NS, (g_empty g); cbn [exponent_of_zero]; rewrite ?value_invert, ?Hemptyv; first [exact (value_yes v v0)|reflexivity].
    + rewrite IE4, Hemptyv, VR2. destruct (none || zsc), (g_empty g); cbn [exponent_of_zero]; exact I || reflexivity.
  - apply HX; [cbn [sign_of]; now rewrite Z'| | |intros _; exact VR2].
    + rewrite Y11, VR2. specialize (EM eq_refl). destruct (g_empty g); rewrite ?value_invert, ?Hemptyv, ?EM; first [exact (value_yes v v0)|reflexivity].
    + rewrite IE4, Hemptyv, VR2, (EM eq_refl). now destruct (g_empty g).
Qed.

End Group.
