(** * Sums

    The circuit of a sum computes [fuse] of the definition: of terms that keep F bits, in any mode, or all of them, with any
    zero policies, floor, drop, less, frame and number of carry bits; value, exponent, zero sign, infinities and NaN. *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core.
From Discern Require Import Notation Real Exact Laws Units Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading
  Sums Exponents Numbers Alignment FuseTerms Frames.
Import ListNotations.
Open Scope Z_scope.

(** The largest F of the terms that do not keep all bits. *)
Definition largest_F_of (l : list sum_term) : Z :=
  fold_left (fun m t => Z.max m (match ch_F (s_child t) with Some F => F | None => 0 end)) l 0.

(** What is covered of the attributes of a fuse. *)
Definition fair_fuse (u : fuse_attr) : Prop :=
  u_step u = None /\
  match u_floor u with Some n => - 2 ^ 40 <= n <= 2 ^ 40 | None => True end.

(** With a register of limited width no term is exact, and the largest F is that of a term. *)
Definition fair_carry (u : fuse_attr) (children : list child_attr) (given : list sum_term) : Prop :=
  match u_carry u with
  | Some w => 0 <= w /\ Forall (fun t => ch_F (s_child t) <> None) given /\ largest_F children = largest_F_of given
  | None => True
  end.

(** With a sticky bit, which is one more, no term is exact, and the register has no limited width. *)
Definition fair_sticky (u : fuse_attr) (children : list child_attr) (given : list sum_term) : Prop :=
  u_sticky u = true -> u_carry u = None /\ Forall (fun t => match ch_F (s_child t) with Some F => F <= 2 ^ 39 | None => False end) given /\
    largest_F children = largest_F_of given.

Section Fuse.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).

Lemma fold_pairs above E l l' : forall m, Forall2 (is_aligned v E above) l l' -> Forall (fun t => ch_F (s_child t) <> None) l ->
  fold_left (fun m a => Z.max m (al_F a)) l' m =
  fold_left (fun m t => Z.max m (match ch_F (s_child t) with Some F => F | None => 0 end)) l m.
Proof.
  intros m H. revert m. induction H as [|t a l l' (A & _) _ IH]; intros m N; [reflexivity|]. inversion N as [|? ? N1 N2]; subst. cbn [fold_left].
  rewrite IH by exact N2. f_equal. rewrite A. unfold kept_bits. destruct (ch_F (s_child t)); [reflexivity|congruence].
Qed.

Lemma fold_less l : forall m, fold_left (fun m t => Z.max m (match ch_F (s_child t) with Some F => F | None => 0 end)) (map with_less l) m =
  fold_left (fun m t => Z.max m (match ch_F (s_child t) with Some F => F | None => 0 end)) l m.
Proof. induction l as [|t l IH]; intros m; [reflexivity|]. cbn [map fold_left]. apply IH. Qed.

(** The largest is one of them, or the least. *)
Lemma fold_max_below (f : aligned_term -> Z) b l : forall m, m <= b -> (forall a, In a l -> f a <= b) -> fold_left (fun m a => Z.max m (f a)) l m <= b.
Proof. induction l as [|y l IH]; intros m Hm H; cbn [fold_left]; [exact Hm|]. apply IH; [pose proof (H y (or_introl eq_refl)); lia|]. intros x I. apply H. now right. Qed.

Theorem computes_fuse u given defs children above :
  given <> [] -> fair_fuse u -> fair_carry u children given -> fair_sticky u children given -> fair_frame u defs -> 0 <= above -> Forall2 (is_term v above) given defs ->
  computes v (fuse_wires u given)
    (fun y => is_number v (above + bits_for (Z.of_nat (length given) - 1) + 4) y (fuse u children defs)).
Proof.
  intros Ne (Hstep & Hfloor) Hcarry Hsticky Hframe A0 HG. unfold fuse_wires.
  set (terms := map with_less given).
  assert (HT : Forall2 (is_placed v above) terms defs).
  { unfold terms. clear -HG. induction HG as [|t d l l' H _ IH]; constructor; [now apply with_less_placed|exact IH]. }
  assert (NeT : terms <> []) by (unfold terms; destruct given; [congruence|discriminate]).
  assert (LG : length given = length terms) by (unfold terms; symmetry; apply map_length).
  assert (CT : match u_carry u with Some w => 0 <= w /\ Forall (fun t => ch_F (s_child t) <> None) terms /\ largest_F children = largest_F_of terms | None => True end).
  { unfold fair_carry in Hcarry. destruct (u_carry u) as [w|]; [|exact I]. destruct Hcarry as (H1 & H2 & H3). split; [exact H1|]. split.
    - unfold terms. rewrite Forall_map. eapply Forall_impl; [|exact H2]. intros t H. exact H.
    - rewrite H3. unfold terms, largest_F_of. symmetry. apply fold_less. }
  assert (ST : u_sticky u = true -> u_carry u = None /\ Forall (fun t => match ch_F (s_child t) with Some F => F <= 2 ^ 39 | None => False end) terms /\
                 largest_F children = largest_F_of terms).
  { intros H. destruct (Hsticky H) as (S1 & S2 & S3). split; [exact S1|]. split.
    - unfold terms. rewrite Forall_map. eapply Forall_impl; [|exact S2]. intros t Q. exact Q.
    - rewrite S3. unfold terms, largest_F_of. symmetry. apply fold_less. }
  rewrite LG. clearbody terms. clear given Ne HG LG Hcarry Hsticky.
  assert (LT : length terms = length defs) by exact (pairs_length _ _ _ HT).
  eapply computes_bind.
  { apply (computes_combine_specials v v0 _ (map t_number defs)); [|reflexivity].
    clear -HT. induction HT as [|t d l l' H _ IH]; constructor; [apply H|exact IH]. }
  intros sum (sp & k & kind & -> & SP). unfold special_number in SP.
  eapply computes_bind.
  { apply (computes_sum_exponent v v0 u terms NeT Hstep Hfloor).
    - clear -HT. induction HT as [|t d l l' H _ IH]; constructor; [|exact IH]. apply H.
    - clear -HT. induction HT as [|t d l l' H _ IH]; constructor; [split; apply H|exact IH]. }
  intros [E here] (OE & NE & HE). cbn [fst snd] in *.
  eapply computes_bind.
  { apply (computes_map v _ (is_aligned v E above)). intros t It.
    assert (TD : exists d, is_placed v above t d).
    { clear -HT It. induction HT as [|a b l l' H _ IH]; [destruct It|]. destruct It as [->|It]; [eauto|now apply IH]. }
    destruct TD as (d & P). exact (computes_aligned v v0 E above t d OE NE A0 P). }
  intros al HA. assert (LA : length al = length terms) by (symmetry; exact (pairs_length _ _ _ HA)).
  set (F := fold_left (fun m a => Z.max m (al_F a)) al 0).
  destruct (fold_max_upper al_F al 0) as [F0 F1]. fold F in F0, F1.
  assert (InA : forall a, In a al -> 0 <= al_F a <= 2 ^ 43 /\ 0 < len (al_magnitude a) <= al_F a + above + 2).
  { clear -HA HT NE. intros a Ia. revert defs HT. induction HA as [|t b l l' (H1 & H2 & _) _ IH]; intros defs HT; [destruct Ia|].
    inversion HT as [|? d ? ds P Ps]; subst. destruct Ia as [->|Ia]; [|exact (IH Ia ds Ps)].
    rewrite H1. split; [exact (kept_range v above t d E NE P)|exact H2]. }
  assert (FU : F <= 2 ^ 43) by (apply fold_max_below; [lia|intros a Ia; apply (InA a Ia)]).
  assert (FS : u_sticky u = true -> F <= 2 ^ 39).
  { intros H. destruct (ST H) as (_ & S2 & _). apply fold_max_below; [lia|]. intros a Ia. clear - HA S2 Ia. revert Ia. induction HA as [|t b l l' (H1 & _) _ IH]; intros Ia; [destruct Ia|].
    inversion S2 as [|? ? Q1 Q2]; subst. destruct Ia as [->|Ia]; [|exact (IH Q2 Ia)]. rewrite H1. unfold kept_bits. destruct (ch_F (s_child t)); [exact Q1|destruct Q1]. }
  set (q := int E - F).
  set (widest := fold_left (fun m a => Z.max m (width_of (al_magnitude a) + F - al_F a)) al 0).
  destruct (fold_max_upper (fun a => width_of (al_magnitude a) + F - al_F a) al 0) as [W0 W1]. fold widest in W0, W1.
  assert (WU : widest <= F + above + 2).
  { apply (fold_max_below (fun a => width_of (al_magnitude a) + F - al_F a)); [lia|]. intros a Ia. specialize (InA a Ia). unfold width_of. lia. }
  eapply computes_bind; [exact (computes_frame v v0 u above terms defs here HT)|]. intros fr [FrN FrV].
  set (is_framed := negb (same (fst fr) no)). set (fb := if is_framed then 1 else 0). assert (FB : 0 <= fb <= 1) by (unfold fb; destruct is_framed; lia).
  assert (F39 : is_framed = true -> forall a, In a al -> al_F a <= 2 ^ 39).
  { intros Q. destruct Hframe as [N|(_ & HF)]; [unfold is_framed in Q; rewrite (FrN N) in Q; discriminate Q|]. clear - HA HT HF. revert defs HT HF. induction HA as [|t b l l' (H1 & _) _ IH]; intros defs HT HF a Ia; [destruct Ia|].
    inversion HT as [|? d ? ds (C & _) Ps]; subst. inversion HF as [|? ? [F1 _] F2]; subst. destruct Ia as [->|Ia]; [|exact (IH ds Ps F2 a Ia)].
    rewrite H1. unfold kept_bits. rewrite C. destruct (ch_F (t_child d)); [exact F1|destruct F1]. }
  set (width := widest + fb + bits_for (Z.of_nat (length terms) - 1) + 1).
  pose proof (bits_for_spec (Z.of_nat (length terms) - 1)) as BF.
  assert (LT0 : 0 < Z.of_nat (length terms)) by (destruct terms; [congruence|cbn; lia]). specialize (BF ltac:(lia)). destruct BF as [BF0 BF1].
  assert (WP : 0 < width) by (unfold width; lia).
  assert (P2w : 2 ^ (widest + fb) <= 2 ^ width) by (apply Z.pow_le_mono_r; unfold width; lia).
  assert (InB : forall t a, In (t, a) (combine terms al) -> (num (al_magnitude a) + Z.abs (step v u fr t a)) * 2 ^ (F - al_F a) < 2 ^ (widest + fb)).
  { intros t a I. pose proof (in_combine_r _ _ _ _ I) as Ia. pose proof (num_bound v (al_magnitude a)) as B. pose proof (step_bound v v0 u fr t a) as SB. fold is_framed fb in SB.
    specialize (W1 a Ia). specialize (F1 a Ia). destruct (InA a Ia) as [_ [LP _]]. unfold width_of in W1. pose proof (Z.pow_pos_nonneg 2 (F - al_F a) eq_refl ltac:(lia)) as P.
    assert (Q : 2 ^ (len (al_magnitude a) + (F - al_F a)) <= 2 ^ widest) by (apply Z.pow_le_mono_r; lia). rewrite Z.pow_add_r in Q by lia.
    assert (2 <= 2 ^ len (al_magnitude a)) by (change 2 with (2 ^ 1) at 1; apply Z.pow_le_mono_r; lia).
    assert (2 ^ (widest + fb) = (1 + fb) * 2 ^ widest) by (rewrite Z.pow_add_r by lia; unfold fb; destruct is_framed; ring). nia. }
  assert (LB : forall t, In t terms -> - 2 ^ 41 <= lsb_of t E).
  { intros t It. assert (G : - 2 ^ 41 <= n_lsb (s_number t)).
    { clear -HT It. induction HT as [|a b l l' H _ IH]; [destruct It|]. destruct It as [->|It]; [apply H|now apply IH]. }
    unfold lsb_of. destruct (ch_F (s_child t)); lia. }
  eapply computes_bind.
  { apply (computes_fold v _ (fun done (s : partial) => len (a_total s) = width /\ holds_integer v (a_total s) (total_of v u fr F done) /\
      value v (a_cancelled s) = existsb (fun ta => negb (num (al_magnitude (snd ta)) =? 0) || is_opposed v u fr (fst ta) (snd ta)) done /\
      value v (a_lost s) = existsb (fun ta => value v (al_changed (snd ta))) done /\
      value v (a_plus s) = existsb (fun ta => value v (n_seen_plus (s_number (fst ta)))) done /\
      value v (a_minus s) = existsb (fun ta => value v (n_seen_minus (s_number (fst ta)))) done /\
      - 2 ^ 41 <= a_lsb s /\ forall ta, In ta done -> a_lsb s <= lsb_of (fst ta) E /\ (is_framed = true -> a_lsb s <= i_low E - al_F (snd ta)))).
    - cbn [a_total a_cancelled a_lost a_plus a_minus a_lsb existsb]. split; [apply length_constant; lia|].
      split; [unfold holds_integer; rewrite (num_constant0 v v0); change (total_of v u fr F []) with 0; symmetry; apply Z.mod_0_l; pose proof (two_pos (length (constant 0 width))); lia|].
      do 4 (split; [exact (value_no v v0)|]). split; [|intros ta []].
      destruct terms as [|t l]; [congruence|]. apply LB. now left.
    - intros done s [t a] It (L1 & H1 & C1 & G1 & S1 & M1 & Lo1 & Lo2). cbn [fst snd]. pose proof (InB t a It) as BA. pose proof (Z.abs_nonneg (step v u fr t a)) as SA.
      specialize (F1 a (in_combine_r _ _ _ _ It)). pose proof (Z.pow_pos_nonneg 2 (F - al_F a) eq_refl ltac:(lia)) as Pk.
      eapply computes_bind.
      { apply (computes_add_signed_integer v v0 (a_total s) (al_magnitude a) (n_negative (s_number t)) (F - al_F a) (total_of v u fr F done) ltac:(lia)); [rewrite L1; nia|exact H1]. }
      intros tot (Lt & Ht). eapply computes_bind; [apply (computes_any v v0)|]. intros sm Hsm.
      eapply computes_bind; [apply computes_or|]. intros ca Hca. rewrite L1 in Lt.
      eapply computes_bind; [exact (computes_step v v0 u fr tot ca t a _ (F - al_F a) width WP Lt Ht ltac:(lia))|]. intros [tot' ca'] (Lt' & Ht' & Hca'). cbn [fst snd] in *.
      eapply computes_bind; [apply computes_or|]. intros lo Hlo. eapply computes_bind; [apply computes_or|]. intros pl Hpl.
      eapply computes_bind; [apply computes_or|]. intros mi Hmi. apply computes_ret. cbn [a_total a_cancelled a_lost a_plus a_minus a_lsb fst snd].
      rewrite !existsb_snoc, total_snoc. cbn [fst snd]. rewrite Hca', Hca, Hlo, Hpl, Hmi, C1, G1, S1, M1, Hsm, orb_assoc.
      split; [exact Lt'|]. split; [replace (total_of v u fr F done + _) with (total_of v u fr F done + addend v t a * 2 ^ (F - al_F a) + step v u fr t a * 2 ^ (F - al_F a)) by ring; exact Ht'|]. do 4 (split; [reflexivity|]).
      pose proof (LB t (in_combine_l _ _ _ _ It)). pose proof (fun Q => F39 Q a (in_combine_r _ _ _ _ It)) as A39. destruct NE as (NE1 & _). change (2 ^ 41) with (4 * 2 ^ 39) in *. change (2 ^ 40) with (2 * 2 ^ 39) in *.
      destruct is_framed; [specialize (A39 eq_refl)|]; (split; [lia|]); intros ta I; apply in_app_or in I; (destruct I as [I|[<-|[]]]; [destruct (Lo2 ta I) as [Lo3 Lo4]; split; [lia|intros Q; specialize (Lo4 Q); lia]|cbn [fst snd]; split; [lia|intros Q; try discriminate Q; lia]]). }
  intros acc (LW & HW & HC & HL & HP & HM & Lo1 & Lo2). set (n := total_of v u fr F (combine terms al)) in *.
  assert (NB : - 2 ^ (width - 1) <= n < 2 ^ (width - 1)).
  { pose proof (total_bound v u fr F (combine terms al) (2 ^ (widest + fb)) InB ltac:(apply Z.pow_pos_nonneg; lia)) as TB.
    rewrite combine_length, LA, Nat.min_id in TB. fold n in TB. replace (width - 1) with (widest + fb + bits_for (Z.of_nat (length terms) - 1)) by (unfold width; ring).
    rewrite Z.pow_add_r by lia. pose proof (Z.pow_pos_nonneg 2 (widest + fb) eq_refl ltac:(lia)). nia. }
  (* the register *)
  set (W := match u_carry u with Some w => Z.min width (1 + w + 2 + F) | None => width end).
  set (word_ := match u_carry u with Some w => resize (a_total acc) (Z.min width (1 + w + 2 + F)) | None => a_total acc end).
  assert (WW : 0 < W <= width) by (unfold W; destruct (u_carry u); lia).
  assert (Lword : len word_ = W) by (unfold word_, W; destruct (u_carry u); [apply length_resize; lia|exact LW]).
  set (n' := shown W n). destruct (shown_ok W n ltac:(lia)) as [B' M'].
  assert (Hword : holds_integer v word_ n').
  { unfold holds_integer. rewrite Lword. unfold n'. rewrite M'. unfold holds_integer in HW. rewrite LW in HW. unfold word_, W in *. destruct (u_carry u) as [w|].
    - rewrite (num_resize v v0), HW by lia. rewrite <- Znumtheory.Zmod_div_mod; [reflexivity|apply Z.pow_pos_nonneg; lia|apply Z.pow_pos_nonneg; lia|].
      exists (2 ^ (width - Z.min width (1 + w + 2 + F))). rewrite <- Z.pow_add_r by lia. f_equal. ring.
    - exact HW. }
  destruct (computes_sign_and_magnitude v v0 word_ n' ltac:(lia) Hword ltac:(rewrite Lword; exact B')) as [Sg Mg].
  cbv zeta. fold word_. eapply computes_bind; [exact Mg|]. intros mag0 [Lmag0 Nmag0].
  (* the sticky bit *)
  set (sb := if u_sticky u then 1 else 0). assert (K01 : 0 <= sb <= 1) by (unfold sb; destruct (u_sticky u); lia).
  set (lost := u_sticky u && value v (a_lost acc)).
  set (nr := n'). set (n2 := if u_sticky u then (if nr <? 0 then 2 * nr - Z.b2z lost else 2 * nr + Z.b2z lost) else nr).
  set (mag := if u_sticky u then concat mag0 (repeated (a_lost acc) 1) else mag0).
  set (lsb2 := if u_sticky u then Z.min (a_lsb acc) (i_low E - F - 1) else a_lsb acc).
  assert (Lmag : len mag = W + sb).
  { unfold mag, sb. destruct (u_sticky u); [rewrite length_concat, length_repeated by lia|]; rewrite Lmag0, Lword; ring. }
  assert (Nmag : num mag = Z.abs n2).
  { unfold mag, n2, lost. destruct (u_sticky u); [|exact Nmag0]. cbn [andb]. rewrite (num_concat v), length_repeated, (num_repeated v), Nmag0 by lia. change (2 ^ 1) with 2. fold nr.
    change (2 - 1) with 1. destruct (Z.ltb_spec nr 0), (value v (a_lost acc)); cbn [Z.b2z]; lia. }
  assert (Sg2 : value v (msb word_) = (n2 <? 0)).
  { rewrite Sg. fold nr. unfold n2. destruct (u_sticky u); [|reflexivity]. destruct (Z.ltb_spec nr 0), lost; cbn [Z.b2z];
      match goal with |- _ = (?a <? 0) => destruct (Z.ltb_spec a 0) end; try reflexivity; lia. }
  eapply computes_bind; [apply (computes_any v v0)|]. intros nonzero Hnz. rewrite Nmag in Hnz.
  eapply computes_bind; [apply computes_or|]. intros p1 Hp1. eapply computes_bind; [apply computes_mux|]. intros sp1 Hsp1.
  eapply computes_bind; [apply computes_or|]. intros m1 Hm1. eapply computes_bind; [apply computes_mux|]. intros sm1 Hsm1.
  eapply computes_bind with (P := fun pm => value v (fst pm) = (if u_plus u then value v sp1 || negb (value v nonzero) else value v sp1) /\
                                          value v (snd pm) = (if u_plus u then value v sm1 && value v nonzero else value v sm1)).
  { destruct (u_plus u); [|apply computes_ret; now split]. eapply computes_bind; [apply computes_or|]. intros p Hp.
    eapply computes_bind; [apply computes_and|]. intros m Hm. apply computes_ret. cbn [fst snd]. now rewrite Hp, Hm, value_invert. }
  intros [pp mm] [Hpp Hmm]. apply computes_ret. cbn [fst snd] in *.
  (* what does not depend on values *)
  set (y := Wires _ _ _ _ _ _ _ _ _ _ _ _).
  assert (SZ : sized (above + bits_for (Z.of_nat (length terms) - 1) + 4) y).
  { unfold sized, y. cbn [n_fraction n_magnitude n_lsb n_base n_exponent]. rewrite Lmag. unfold width in *.
    assert (FK : F + sb <= 2 ^ 43 /\ - 2 ^ 41 <= lsb2).
    { destruct NE as (NE1 & _). unfold sb, lsb2. change (2 ^ 43) with (16 * 2 ^ 39) in *. change (2 ^ 41) with (4 * 2 ^ 39) in *. change (2 ^ 40) with (2 * 2 ^ 39) in *.
      destruct (u_sticky u); [specialize (FS eq_refl)|]; lia. }
    split; [lia|]. split; [lia|]. split; [apply FK|]. now split. }
  destruct (special_sum (map t_number defs)) as [special|] eqn:SS.
  { unfold fuse. rewrite SS. split; [|split; [exact SZ|]].
    - split; [exact OE|]. split; [exact SP|]. unfold special_sum, special_of in SS.
      repeat match type of SS with context [if ?c then _ else _] => destruct c end; inversion SS; exact I.
    - unfold special_sum, special_of in SS. repeat match type of SS with context [if ?c then _ else _] => destruct c end; inversion SS; first [exact I | discriminate]. }
  (* all terms are finite *)
  assert (Fin : Forall is_finite_term defs).
  { apply not_special in SS; [now rewrite Forall_map in SS|]. rewrite Forall_map. clear -HT.
    induction HT as [|t d l l' H _ IH]; constructor; [|exact IH]. destruct H as (_ & _ & _ & _ & _ & _ & _ & _ & _ & _ & W). now destruct (t_number d). }
  assert (HI : Forall2 (term_is v) terms defs).
  { clear -HT Fin. revert Fin. induction HT as [|t d l l' H _ IH]; intros Fin; inversion Fin; subst; constructor; [now apply (placed_is_term v above)|now apply IH]. }
  specialize (HE defs HI).
  assert (InK : forall t d, In (t, d) (combine terms defs) -> is_placed v above t d).
  { clear -HT. induction HT as [|a b l l' H _ IH]; intros t d []; [congruence|now apply IH]. }
  assert (Takes : forall t d val e s, In (t, d) (combine terms defs) -> t_number d = Finite val e s -> is_zero val = false ->
            exists n, e = Some n /\ int (n_exponent (s_number t)) = n - ch_less (s_child t) /\ int (n_base (s_number t)) <= n - ch_less (s_child t) /\
            In (Some (n - ch_less (s_child t))) (map takes_part defs)).
  { intros t d val e s Itd N Z. pose proof (InK t d Itd) as (C & _ & _ & _ & _ & _ & _ & _ & _ & _ & WK).
    rewrite N in WK. destruct WK as ((_ & V2 & _) & _ & _ & V4 & _). destruct (V2 Z) as (m & -> & Hm). specialize (V4 Z).
    exists m. split; [reflexivity|]. split; [exact Hm|]. split; [lia|]. apply in_map_iff. exists d. split; [|exact (in_combine_r _ _ _ _ Itd)].
    unfold takes_part. rewrite N, Z, <- C. reflexivity. }
  assert (Below : forall t d val e s, In (t, d) (combine terms defs) -> t_number d = Finite val e s ->
            is_zero val = false -> int (n_base (s_number t)) <= int E).
  { intros t d val e s Itd N Z. destruct (Takes t d val e s Itd N Z) as (m & _ & _ & Hb & TP).
    unfold common_exponent in HE. rewrite Hstep in HE.
    pose proof (largest_fold (map takes_part defs) (u_floor u) (fun _ _ => Logic.I)) as LF.
    destruct (fold_left max_option (map takes_part defs) (u_floor u)) as [b|]; cbn [option_map] in HE.
    - destruct HE as [_ HE]. destruct LF as [_ LF]. specialize (LF _ (or_intror TP)). unfold raised in HE. lia.
    - destruct LF as [_ LF]. now destruct (LF _ TP). }
  (* the frame *)
  specialize (FrV Fin). destruct FrV as [Fr1 Fr2]; [destruct Hframe as [N|(_ & HF)]; [now left|right; eapply Forall_impl; [|exact HF]; intros d Q; apply Q]|].
  assert (FO : frame_of u defs <> None -> Forall (fun d => ch_F (t_child d) <> None /\ has_one_sign (t_number d)) defs).
  { intros N. destruct Hframe as [N'|(_ & HF)]; [exfalso; apply N; unfold frame_of; rewrite N'; now destruct (find t_is_c defs)|].
    eapply Forall_impl; [|exact HF]. intros d [Q1 Q2]. split; [destruct (ch_F (t_child d)); [discriminate|destruct Q1]|exact Q2]. }
  set (fs := match common_exponent u defs with Some _ => frame_of u defs | None => None end).
  assert (FS0 : common_exponent u defs = None -> fs = None) by (unfold fs; now intros ->).
  assert (FS1 : forall ce, common_exponent u defs = Some ce -> fs = frame_of u defs) by (unfold fs; now intros ce ->).
  assert (FV1 : value v (fst fr) = match fs with Some _ => true | None => false end).
  { rewrite Fr1. unfold fs. destruct (common_exponent u defs); [destruct HE as [-> _]|rewrite HE]; reflexivity. }
  assert (FSo : fs <> None -> frame_of u defs <> None /\ fs = frame_of u defs) by (unfold fs; destruct (common_exponent u defs); [now split|congruence]).
  assert (FV2 : forall s, fs = Some s -> s <> Mixed /\ value v (snd fr) = sign_eqb s Minus).
  { intros s Q. apply Fr2. rewrite <- Q. symmetry. apply FSo. rewrite Q. discriminate. }
  assert (FV3 : fs <> None -> is_framed = true).
  { intros Q. unfold is_framed. destruct (same (fst fr) no) eqn:S; [|reflexivity]. apply (same_value v) in S. rewrite S, (value_no v v0) in FV1. destruct fs; congruence. }
  assert (FVS : u_sticky u = true -> fs = None).
  { intros US. destruct fs eqn:Q; [|reflexivity]. destruct Hframe as [N|(N & _)]; [|congruence]. destruct FSo as [G _]; [discriminate|]. exfalso. apply G. unfold frame_of. rewrite N. now destruct (find t_is_c defs). }
  clearbody fs. set (g := added u fs (int E)).
  destruct (total_value v u fr F above E fs terms al defs HA HT Fin Below F1 (fun N => FO (proj1 (FSo N))) FV1 FV2) as [TV CZ]. fold n q g in TV. fold g in CZ. rewrite <- HC in CZ.
  (* the definition *)
  assert (NZ : value v nonzero = negb (n2 =? 0)) by (rewrite Hnz; f_equal; destruct (Z.eqb_spec (Z.abs n2) 0), (Z.eqb_spec n2 0); try reflexivity; lia).
  assert (SGN : value v sp1 = (if n2 =? 0 then value v (a_plus acc) || value v (a_cancelled acc) else negb (n2 <? 0)) /\
                value v sm1 = (if n2 =? 0 then value v (a_minus acc) || value v (a_cancelled acc) else n2 <? 0)).
  { rewrite Hsp1, Hsm1, NZ, value_invert, Sg2, Hp1, Hm1. now destruct (n2 =? 0). }
  destruct SGN as [SG1 SG2].
  assert (PL : forall (f : sum_term -> bool), existsb (fun ta : sum_term * aligned_term => f (fst ta)) (combine terms al) =
               existsb (fun tn : sum_term * number => f (fst tn)) (combine terms (map t_number defs))).
  { intros f. clear -LA HT. revert al LA. induction HT as [|t d l l' _ _ IH]; intros [|a al] LA; try discriminate; [reflexivity|].
    cbn [combine map existsb fst]. rewrite (IH al); [reflexivity|now inversion LA]. }
  assert (SC : sees v pp mm (sign_if (n2 <? 0)) \/ n2 = 0) by
    (destruct (Z.eqb_spec n2 0) as [Q|Q]; [now right|left]; unfold sees; rewrite Hpp, Hmm, SG1, SG2, NZ;
     destruct (Z.eqb_spec n2 0); [congruence|]; destruct (u_plus u), (n2 <? 0); now split).
  assert (CS := sees_all v (combine terms (map t_number defs))).
  assert (CM : map snd (combine terms (map t_number defs)) = map t_number defs).
  { clear -HT. induction HT as [|t d l l' _ _ IH]; [reflexivity|]. cbn. now rewrite IH. }
  rewrite CM in CS. destruct CS as [CP CMn].
  { intros t x Itx. apply in_combine_map in Itx. destruct Itx as (d & Itd & <-). pose proof (InK t d Itd) as (_ & _ & _ & _ & _ & _ & _ & _ & _ & _ & WK).
    rewrite Forall_forall in Fin. specialize (Fin d (in_combine_r _ _ _ _ Itd)). unfold is_finite_term in Fin.
    destruct (t_number d); [|destruct Fin|destruct Fin]. apply WK. }
  { destruct terms; [congruence|]. inversion HT; subst. discriminate. }
  rewrite (PL (fun t => value v (n_seen_plus (s_number t)))), CP in HP. rewrite (PL (fun t => value v (n_seen_minus (s_number t)))), CMn in HM.
  assert (VY : D2R (wires_value v y) = D2R (Dyadic n2 (q - sb))).
  { unfold wires_value, y. cbn [n_negative n_magnitude n_base n_fraction]. apply D2R_same; [|unfold q; ring]. rewrite Sg2, Nmag. destruct (Z.ltb_spec n2 0); lia. }
  assert (MU0 : multiple_of (Dyadic nr q) (a_lsb acc)).
  { apply shown_multiple; [lia|]. unfold multiple_of. rewrite TV. apply multiple_of_sum. rewrite Forall_map. apply Forall_forall. intros d Id.
    assert (KD : exists t a, In (t, d) (combine terms defs) /\ In (t, a) (combine terms al)).
    { clear -HT LA Id. revert al LA. induction HT as [|t b l l' H _ IH]; intros [|a al] LA; try discriminate; [destruct Id|]. destruct Id as [->|Id].
      - exists t, a. split; now left.
      - destruct (IH Id al) as (t' & a' & I1 & I2); [now inversion LA|]. exists t', a'. split; now right. }
    destruct KD as (t & a & I1 & I2). destruct (Lo2 (t, a) I2) as [Lo3 Lo4]. cbn [fst snd] in *.
    assert (HK : al_F a = kept_bits t E) by (clear - HA I2; induction HA as [|x b l l' (H1 & _) _ IH]; [destruct I2|destruct I2 as [I2|I2]; [congruence|now apply IH]]).
    rewrite Forall_forall in Fin. apply (added_multiple v u above fs t a d E _ (InK t d I1) (Fin d Id) Lo3); [|exact HK].
    intros Q. destruct (FSo Q) as [Q' _]. specialize (FO Q'). rewrite Forall_forall in FO. split; [apply (FO d Id)|exact (Lo4 (FV3 Q))]. }
  assert (MU : multiple_of (Dyadic n2 (q - sb)) lsb2).
  { unfold n2, sb, lsb2. destruct (u_sticky u); [|rewrite Z.sub_0_r; exact MU0]. apply (multiple_of_less _ (q - 1)); [|eexists; reflexivity].
    pose proof (int_bounds v E). unfold q. lia. }
  assert (LV : u_sticky u = true -> value v (a_lost acc) = existsb (fun tv => negb (is_zero (plus (value_of (t_number (fst tv))) (opposite (snd tv))))) (combine defs (map g defs))).
  { intros US. unfold g. rewrite (FVS US), HL. exact (lost_value v above E terms al defs HA HT Fin Below). }
  assert (SGN0 : sees v pp mm (if u_plus u then Plus else if forallb is_zero (map g defs) then common_sign (map t_number defs) else Mixed) \/ n2 <> 0).
  { destruct (Z.eq_dec n2 0) as [Q|Q]; [left|now right]. assert (Q0 : (n2 =? 0) = true) by now rewrite Q.
    unfold sees. rewrite Hpp, Hmm, SG1, SG2, NZ, HP, HM, CZ, ?Q0. cbn [negb].
    destruct (u_plus u); [rewrite orb_true_r, andb_false_r; now split|].
    destruct (forallb is_zero _); cbn [negb]; [rewrite !orb_false_r; destruct (common_sign _); now split|rewrite !orb_true_r; now split]. }
  unfold fuse. rewrite SS.
  destruct (common_exponent u defs) as [ce|] eqn:CE.
  - destruct HE as [Hhere HEq]. rewrite in_frame_added, <- (FS1 ce eq_refl), <- HEq. fold g.
    set (S := register u (largest_F children) (int E) defs (map g defs)).
    assert (VS : D2R S = D2R (Dyadic n2 (q - sb))).
    { set (S0 := match u_carry u with Some w => wrapped (1 + w + 2 + largest_F children) (int E - largest_F children) (sum (map g defs)) | None => sum (map g defs) end).
      enough (VS0 : D2R S0 = D2R (Dyadic nr q)).
      { unfold S, register. fold S0. unfold n2, sb, lost in *. destruct (u_sticky u) eqn:US; [|now rewrite Z.sub_0_r]. rewrite <- (LV eq_refl). cbn [andb].
        destruct (ST eq_refl) as (_ & S2 & S3). assert (FE : largest_F children = F).
        { rewrite S3. unfold F, largest_F_of. symmetry. apply (fold_pairs above E terms al 0 HA). eapply Forall_impl; [|exact S2]. intros t Q E0. cbv beta in Q. rewrite E0 in Q. exact Q. }
        rewrite FE. fold q. unfold with_sticky. rewrite (is_negative_value _ _ VS0). change (is_negative (Dyadic nr q)) with (nr <? 0).
        assert (TW : forall m, D2R (Dyadic m q) = D2R (Dyadic (2 * m) (q - 1))).
        { intros m. unfold D2R, F2R. cbn [Notation.num scale Fnum Fexp]. replace q with (1 + (q - 1)) at 1 by ring. rewrite bpow_plus, mult_IZR. change (bpow radix2 1) with 2%R. ring. }
        rewrite TW in VS0. destruct (value v (a_lost acc)); [|rewrite VS0; apply D2R_same; [|reflexivity]; destruct (nr <? 0); cbn [Z.b2z]; ring].
        rewrite D2R_plus, VS0. unfold D2R, F2R. cbn [Notation.num scale Fnum Fexp]. rewrite <- Rmult_plus_distr_r, <- plus_IZR. do 2 f_equal. destruct (nr <? 0); cbn [Z.b2z]; ring. }
      unfold S0. assert (U : D2R (Notation.sum (map g defs)) = F2R (Float radix2 n q)) by (rewrite D2R_sum, <- TV; reflexivity).
      unfold nr, n', W. destruct (u_carry u) as [w|].
      - destruct CT as (_ & C1 & C2). assert (FE : largest_F children = F) by (rewrite C2; unfold F, largest_F_of; symmetry; exact (fold_pairs above E terms al 0 HA C1)).
        rewrite FE. fold q. unfold wrapped. rewrite (units_correct _ n q U), !pow2_correct. fold (shown (1 + w + 2 + F) n). apply D2R_same; [|reflexivity].
        destruct (Z.le_gt_cases (1 + w + 2 + F) width) as [G|G]; [now rewrite Z.min_r by lia|].
        rewrite Z.min_l by lia. assert (2 ^ (width - 1) <= 2 ^ (1 + w + 2 + F - 1)) by (apply Z.pow_le_mono_r; lia).
        now rewrite !shown_fits by lia.
      - rewrite (shown_fits width n) by lia. exact U. }
    split; [|split; [exact SZ|split; [discriminate|exact (multiple_of_value _ _ _ (eq_sym VS) MU)]]].
    split; [exact OE|]. split; [exact SP|].
    split; [now rewrite VY|split; [exact Hhere|split; [reflexivity|split; [intros _; split; [exact OE|apply Z.le_refl]|]]]].
    unfold y. cbn [n_seen_plus n_seen_minus sign_of]. rewrite (is_zero_value _ _ VS), (is_negative_value _ _ VS).
    change (is_zero (Dyadic n2 (q - sb))) with (n2 =? 0). change (is_negative (Dyadic n2 (q - sb))) with (n2 <? 0).
    destruct (Z.eqb_spec n2 0) as [Q|Q]; [|destruct SC; [assumption|congruence]].
    destruct SGN0 as [SGN0|]; [|congruence]. unfold zero_sum_sign. exact SGN0.
  - (* no term takes part: all are zero *)
    unfold g in *. rewrite (FS0 eq_refl) in *. clear g. change (added u None (int E)) with (aligned (int E)) in *.
    assert (AZ : forallb is_zero (map (aligned (int E)) defs) = true).
    { apply forallb_forall. intros x Ix. apply in_map_iff in Ix. destruct Ix as (d & <- & Id).
      assert (KD : exists t, In (t, d) (combine terms defs)).
      { clear -HT Id. induction HT as [|t b l l' H _ IH]; [destruct Id|]. destruct Id as [->|Id]; [exists t; now left|]. destruct (IH Id) as (t' & I1). exists t'. now right. }
      destruct KD as (t & Itd). unfold aligned. destruct (t_number d) as [val e s| |] eqn:N; [|reflexivity|reflexivity].
      destruct (is_zero val) eqn:Z; [reflexivity|]. exfalso. destruct (Takes t d val e s Itd N Z) as (m & _ & _ & _ & TP).
      unfold common_exponent in CE. pose proof (largest_fold (map takes_part defs) (u_floor u) (fun _ _ => Logic.I)) as LF.
      destruct (fold_left max_option (map takes_part defs) (u_floor u)); [discriminate|]. destruct LF as [_ LF]. exact (LF _ TP). }
    assert (N0 : n = 0).
    { assert (R0 : Rsum (map D2R (map (aligned (int E)) defs)) = 0%R).
      { clear -AZ. induction (map (aligned (int E)) defs) as [|x l IH]; [reflexivity|]. cbn [forallb] in AZ. apply andb_prop in AZ. destruct AZ as [A1 A2].
        apply is_zero_correct in A1. change (D2R x + Rsum (map D2R l) = 0)%R. rewrite A1, (IH A2). ring. }
      rewrite R0 in TV. apply is_zero_correct in TV. unfold is_zero in TV. cbn [Notation.num] in TV. now apply Z.eqb_eq. }
    assert (L0 : lost = false).
    { unfold lost. destruct (u_sticky u) eqn:US; [|reflexivity]. rewrite (LV eq_refl). cbn [andb]. apply not_true_is_false. intros Q. apply existsb_exists in Q. destruct Q as ([d y0] & I & Q).
      pose proof (in_combine_l _ _ _ _ I) as Id. assert (Z0 : is_zero y0 = true) by (rewrite forallb_forall in AZ; exact (AZ _ (in_combine_r _ _ _ _ I))).
      assert (KD : exists t, In (t, d) (combine terms defs)).
      { clear -HT Id. induction HT as [|t b l l' H _ IH]; [destruct Id|]. destruct Id as [->|Id]; [exists t; now left|]. destruct (IH Id) as (t' & I1). exists t'. now right. }
      destruct KD as (t & Itd). cbn [fst snd] in Q. apply negb_true_iff, is_zero_false in Q. apply Q. rewrite D2R_plus, D2R_opposite. apply is_zero_correct in Z0. rewrite Z0.
      assert (Zv : is_zero (value_of (t_number d)) = true).
      { destruct (t_number d) as [val e s| |] eqn:N; [|reflexivity|reflexivity]. cbn [value_of]. destruct (is_zero val) eqn:Z; [reflexivity|]. exfalso.
        destruct (Takes t d val e s Itd N Z) as (m & _ & _ & _ & TP). unfold common_exponent in CE.
        pose proof (largest_fold (map takes_part defs) (u_floor u) (fun _ _ => Logic.I)) as LF.
        destruct (fold_left max_option (map takes_part defs) (u_floor u)); [discriminate|]. destruct LF as [_ LF]. exact (LF _ TP). }
      apply is_zero_correct in Zv. rewrite Zv. ring. }
    assert (N'0 : n2 = 0).
    { enough (R0 : nr = 0) by (unfold n2; rewrite L0, R0; destruct (u_sticky u); reflexivity). unfold nr, n'. rewrite N0. apply shown_fits; [lia|]. pose proof (Z.pow_pos_nonneg 2 (W - 1) eq_refl ltac:(lia)). lia. }
    split; [|split; [exact SZ|split; [discriminate|now apply multiple_of_zero]]].
    split; [exact OE|]. split; [exact SP|].
    split; [|split; [exact HE|split; [exact I|split; [discriminate|]]]].
    + rewrite VY, N'0, D2R_zero. now apply is_zero_correct.
    + unfold y. cbn [n_seen_plus n_seen_minus sign_of]. change (is_zero zero) with true. cbv iota.
      destruct SGN0 as [SGN0|]; [|congruence]. rewrite AZ in SGN0. exact SGN0.
Qed.

End Fuse.
