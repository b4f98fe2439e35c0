(** * Scales of rounded sums

    The circuit of a rounded number times the scales of its elements, or one of them, is that number of the definition, and
    carries what it does. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Discern Require Import Notation Real Units Gates Lrat Making Words Shifts Integers Largest Circuit CircuitUnit Fields Reading Exponents Numbers
  Factors Operands Products Kinds Contents Packing.
Import ListNotations.
Open Scope Z_scope.

Lemma describes_same t b n m : same_number n m -> describes t b n -> describes t b m.
Proof.
  intros S D. destruct t as [[nan infinite] zero_]. destruct n as [d e s|s t|s t c], m as [d' e' s'|s' t'|s' t' c']; cbn [same_number] in S; try (now destruct S).
  - destruct S as (V & <- & Sg). destruct D as (E & D1 & D2 & D3 & D4). split; [exact E|]. split; [now rewrite <- Sg|]. split; [exact D2|]. split; [exact D3|].
    rewrite <- (is_zero_value _ _ V). exact D4.
  - destruct S as [<- <-]. exact D.
Qed.

Section ScaledSums.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).

(** ** What is read of a round *)

Lemma is_number_more a b x n : a <= b -> is_number v a x n -> is_number v b x n.
Proof. intros L (W & (S1 & S2 & S3) & N). split; [exact W|]. split; [|exact N]. split; [exact S1|]. split; [lia|exact S3]. Qed.

Lemma is_number_same a x n m : same_number n m -> is_number v a x n -> is_number v a x m.
Proof.
  intros S H. destruct n as [d e s|s t|s t c], m as [d' e' s'|s' t'|s' t' c']; cbn [same_number] in S; try (now destruct S).
  - destruct S as (V & -> & Sg). destruct H as ((O2 & SP & W) & Z & N). split; [|split; [exact Z|]].
    + split; [exact O2|]. split; [exact SP|]. destruct W as (W1 & W2 & W3 & W4 & W5).
      split; [now rewrite W1|]. split; [exact W2|]. split; [exact W3|]. split; [rewrite <- (is_zero_value _ _ V); exact W4|]. rewrite <- Sg. exact W5.
    + destruct N as [N1 N2]. split; [rewrite <- (is_zero_value _ _ V); exact N1|exact (multiple_of_value _ _ _ V N2)].
  - destruct S as [-> ->]. exact H.
Qed.

(** A number that is a factor too: its sign is the wire's, it is never tentative, and its exponent is far from the limits. *)
Definition is_rounded (y : wires) (m : number) : Prop :=
  is_number v 1 y m /\ is_factor v y m /\ n_has_exponent y = yes /\
  (t_nan (n_special y) = no /\ t_plus (n_special y) = no /\ t_minus (n_special y) = no) /\
  sees v (n_seen_plus y) (n_seen_minus y) (sign_if (value v (n_negative y))) /\ roomy y.

Lemma rounded_same y n m : same_number n m -> is_rounded y n -> is_rounded y m.
Proof.
  intros S (N & (O & A & D & V) & R). split; [exact (is_number_same 1 y n m S N)|]. split; [|exact R].
  split; [exact O|]. split; [exact A|]. split; [exact (describes_same _ _ n m S D)|].
  destruct n as [d e s|s t|s t c], m as [d' e' s'|s' t'|s' t' c']; cbn [same_number] in S; try (now destruct S); try exact I.
  destruct S as (W & <- & _). destruct V as (V1 & V2 & V3). split; [now rewrite V1|]. split; [exact V2|exact (multiple_of_value _ _ _ W V3)].
Qed.

Lemma rounded_kept y m : is_rounded y m -> is_rounded y (kept m).
Proof. intros H. destruct m; exact H. Qed.

Lemma computes_read_rounded f p : fair_format f = true -> len p = width f -> computes v (read_wires f p) (fun y => is_rounded y (read f (num p))).
Proof.
  intros Hf Lp. destruct (fair_parts f Hf) as (_ & Fx & _).
  assert (T : computes v (read_wires f p) (fun y => t_nan (n_special y) = no /\ t_plus (n_special y) = no /\ t_minus (n_special y) = no)).
  { unfold read_wires. rewrite Fx. repeat (eapply computes_bind with (P := fun _ => True); [intros s _; exact I|]; intros ? _). apply computes_ret. repeat split. }
  eapply computes_weaken; [exact (computes_both v _ _ _ T (computes_both v _ _ _ (computes_read_factor v v0 f p Hf Lp) (computes_read_parts v v0 f Hf p)))|].
  intros y (T' & (N & F & BE & _) & (_ & Pl & Mi & HE & _)). split; [exact N|]. split; [exact F|]. split; [exact HE|]. split; [exact T'|].
  rewrite Pl, Mi. split; [apply sees_sign; [reflexivity|apply value_invert]|]. destruct F as (_ & (_ & _ & _ & B1 & B2 & B3) & _).
  unfold roomy, close. rewrite <- BE. change (2 ^ 39) with (128 * 2 ^ 32). lia.
Qed.

(** ** Times scales *)

Theorem computes_scaled_sum u i x how k y m : fair_scales (unit_scales u) = true -> scales_are v (unit_scales u) i x k ->
  is_rounded y m -> computes v (scaled_wires u i how k y) (fun z => is_number v 4 z (scaled_sum how (unit_scales u) x k m)).
Proof.
  intros Hsc HS (N & P1 & HE & T0 & Se & _). unfold scaled_wires.
  eapply computes_bind; [exact (computes_scale_wires v v0 how (unit_scales u) i x k Hsc HS)|]. intros ss (ms & HM & LS & HB & _). rewrite HB.
  assert (HM' : Forall2 (fun s n => is_factor v s n /\ value v (n_negative s) = false) (map without_content ss) ms).
  { clear - HM. induction HM as [|s n ss ns H _ IH]; cbn [map]; constructor; [exact H|exact IH]. }
  assert (LS' : (length (map without_content ss) <= 2)%nat) by (now rewrite map_length). destruct (map without_content ss) as [|s rest].
  { inversion HM'; subst. apply computes_ret. cbn [fold_left]. apply (is_number_more 1); [lia|exact N]. }
  set (t := fold_left or3 (map (bits_of_factor v) rest) (or3 (bits_of_factor v y) (bits_of_factor v s))). set (M := fold_left (product false) ms m).
  assert (D : describes t (value v (n_negative y)) M).
  { assert (G : forall ss ms t m, Forall2 (fun s n => is_factor v s n /\ value v (n_negative s) = false) ss ms -> describes t (value v (n_negative y)) m ->
        describes (fold_left or3 (map (bits_of_factor v) ss) t) (value v (n_negative y)) (fold_left (product false) ms m)).
    { clear. induction ss as [|s ss IH]; intros ms t m H D; inversion H as [|? n ? ns [Hs Hn] Hl]; subst; [exact D|]. cbn [map fold_left]. apply (IH ns); [exact Hl|].
      destruct Hs as (_ & _ & Ds & _). pose proof (product_describes _ _ _ _ _ _ D Ds) as Q. rewrite Hn, xorb_false_r in Q. exact Q. }
    exact (G (s :: rest) ms (bits_of_factor v y) m HM' (proj1 (proj2 (proj2 P1)))). }
  eapply computes_bind; [exact (computes_specials v v0 u y s rest (n_negative y) y t M eq_refl D T0)|].
  intros y' (w & c & kd & -> & SP).
  eapply computes_bind; [exact (computes_multiply_scales v v0 (s :: rest) ms 1 (with_special w c kd y) (bits_of_factor v y) m ltac:(lia) HM' P1)|].
  intros z (Pz & mm & bs & fs & ls & Ez). fold M in Pz. apply computes_ret.
  destruct Pz as (O & (A1 & A2 & A3 & A4 & A5 & A6) & _ & V). set (kk := 1 + Z.of_nat (length (s :: rest))) in *. assert (KK : 2 <= kk <= 3) by (unfold kk; cbn [length] in *; lia).
  assert (NE : near (n_base z)) by (unfold near; change (2 ^ 40) with (256 * 2 ^ 32); nia).
  assert (ZZ : n_has_exponent z = yes /\ n_special z = w /\ n_seen_plus z = n_seen_plus y /\ n_seen_minus z = n_seen_minus y)
    by (rewrite Ez; repeat split; exact HE).
  destruct ZZ as (Z1 & Z2 & Z4 & Z5). clear Ez.
  split; [|split].
  - split; [exact O|]. split; [cbn [with_exponent n_special]; rewrite Z2; exact SP|].
    destruct t as [[tn ti] tz]. destruct M as [d e sg|sg tt|sg tt cc]; [|exact I|exact I].
    destruct V as (V1 & V2 & V3). split; [exact V1|]. split; [|split; [|split]].
    + change (value v (n_has_exponent z) = match e with Some _ => true | None => false end). rewrite Z1, V2. exact (value_yes v v0).
    + rewrite V2. reflexivity.
    + intros _. split; [exact O|apply Z.le_refl].
    + cbn [with_exponent n_seen_plus n_seen_minus]. rewrite Z4, Z5. destruct D as (_ & -> & _). exact Se.
  - unfold sized. cbn [with_exponent n_fraction n_magnitude n_lsb n_base n_exponent]. change (2 ^ 43) with (2048 * 2 ^ 32). change (2 ^ 41) with (512 * 2 ^ 32).
    repeat split; try nia; apply NE.
  - destruct t as [[tn ti] tz]. destruct M as [d e sg|sg tt|sg tt cc]; [| |exact I].
    + destruct V as (V1 & V2 & V3). split; [rewrite V2; discriminate|exact V3].
    + destruct D as (_ & -> & _). destruct (value v (n_negative y)); discriminate.
Qed.

(** ** What a NaN carries *)

Lemma scaled_sum_carried how sc x k n : carried (scaled_sum how sc x k n) = carried n.
Proof.
  assert (S : forall f b, carried (read_scale f b) = None) by (intros f b; unfold read_scale; destruct (read f b); reflexivity).
  unfold scaled_sum. destruct how, sc as [[f m]|]; try reflexivity; try apply scaled_carried;
    (rewrite (proj1 (product_carried _ _ _)), S; now destruct (carried n)).
Qed.

(** A scale without what it carries. *)
Lemma computes_scale_contents how scales i x k : fair_scales scales = true -> scales_are v scales i x k ->
  computes v (scale_wires how scales i k) (fun ss => Forall (fun s => carries_is v (without_content s) (Finite zero None Plus)) ss /\
    (ss = [] -> forall m, scaled_sum how scales x k m = m) /\
    (ss <> [] -> forall m, match scaled_sum how scales x k m with NaN _ true _ => False | _ => True end)).
Proof.
  intros Hsc HS. unfold scaled_sum, scaled, scales_are, scale_wires, fair_scales in *. destruct scales as [[f n]|]; [|destruct how; apply computes_ret; (split; [constructor|split; [reflexivity|congruence]])].
  destruct HS as (L1 & _ & L2 & _). apply andb_prop in Hsc. destruct Hsc as [Hsc _]. apply andb_prop in Hsc. destruct Hsc as [Hsc _].
  assert (R : forall w, len w = width f -> computes v (read_wires f w) (fun s => carries_is v (without_content s) (Finite zero None Plus))).
  { intros w Lw. eapply computes_weaken; [exact (computes_read_carries v v0 f w Hsc Lw)|]. intros s [[L _] _]. split; [|exact I]. split; [exact L|exact (value_no v v0)]. }
  destruct how.
  - apply computes_ret. split; [constructor|split; [reflexivity|congruence]].
  - eapply computes_bind; [exact (R _ L1)|]. intros a Ha. eapply computes_bind; [exact (R _ L2)|]. intros b Hb. apply computes_ret.
    split; [exact (Forall_cons _ Ha (Forall_cons _ Hb (Forall_nil _)))|split; [discriminate|intros _ m; apply product_carried]].
  - eapply computes_bind; [exact (R _ L1)|]. intros a Ha. apply computes_ret. split; [exact (Forall_cons _ Ha (Forall_nil _))|split; [discriminate|intros _ m; apply product_carried]].
  - eapply computes_bind; [exact (R _ L2)|]. intros b Hb. apply computes_ret. split; [exact (Forall_cons _ Hb (Forall_nil _))|split; [discriminate|intros _ m; apply product_carried]].
Qed.

Theorem computes_scaled_carries u i x how k y m : fair_scales (unit_scales u) = true -> scales_are v (unit_scales u) i x k ->
  carries_is v y m ->
  computes v (scaled_wires u i how k y) (fun z => carries_is v z (scaled_sum how (unit_scales u) x k m)).
Proof.
  intros Hsc HS C. pose proof (scaled_sum_carried how (unit_scales u) x k m) as CS. unfold scaled_wires.
  eapply computes_bind; [exact (computes_scale_contents how (unit_scales u) i x k Hsc HS)|]. intros ss (Hss & None_ & TS).
  destruct ss as [|s ss]; cbn [map]; [apply computes_ret; now rewrite (None_ eq_refl)|]. specialize (TS ltac:(discriminate) m).
  inversion Hss as [|? ? Hs _]; subst.
  eapply computes_bind.
  { apply (computes_specials_carry v u y (without_content s) (map without_content ss) (n_negative y) false y m (Finite zero None Plus)
             (scaled_sum how (unit_scales u) x k m) C Hs); [|exact TS].
    rewrite CS, (proj1 (product_carried _ _ _)). cbn [carried]. now destruct (carried m). }
  intros z [Cz Tz]. eapply computes_bind; [apply multiply_scales_same_nan|]. intros w (_ & Hw & _). apply computes_ret. split; [|exact Tz]. cbn [with_exponent n_content]. now rewrite Hw.
Qed.

End ScaledSums.
