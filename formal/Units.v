(** * Laws of whole units, bit for bit

    How many carry bits are enough, for a whole unit: every format, K, F, mode and conversion at once. *)

From Coq Require Import ZArith List Bool Reals Lia Lra Permutation.
From Flocq Require Import Core.
From Discern Require Import Notation Real Carried Exact Laws.
From Discern Require Dot.
Import ListNotations.
Open Scope Z_scope.

(** ** What is written depends on the real number, not on how it is represented *)

Definition alike (x y : number) : Prop :=
  match x, y with
  | Finite v _ s, Finite w _ s' => D2R v = D2R w /\ s = s'
  | _, _ => x = y
  end.

Lemma alike_refl x : alike x x.
Proof. destruct x; cbn; auto. Qed.

Lemma is_zero_value v w : D2R v = D2R w -> is_zero v = is_zero w.
Proof.
  intros H. destruct (is_zero w) eqn:Z.
  - apply is_zero_correct. rewrite H. now apply is_zero_correct.
  - apply is_zero_false. rewrite H. now apply is_zero_false.
Qed.

Lemma is_negative_value v w : D2R v = D2R w -> is_negative v = is_negative w.
Proof. intros H. now rewrite !is_negative_Rlt_bool, H. Qed.

Lemma lg_value v w : D2R v = D2R w -> D2R v <> 0%R -> lg v = lg w.
Proof. intros H N. rewrite !lg_correct by (try rewrite <- H; exact N). now rewrite H. Qed.

Lemma rnd_value m v w q : D2R v = D2R w -> D2R (rnd m v q) = D2R (rnd m w q).
Proof. intros H. now rewrite !rnd_correct, H. Qed.

Lemma write_finite_value f v w s : D2R v = D2R w -> write_finite f v s = write_finite f w s.
Proof.
  intros H. unfold write_finite. destruct (is_fixed f); [now rewrite !units_floor, H|].
  unfold sign_of. rewrite (is_zero_value v w H), (is_negative_value v w H).
  destruct (is_zero w) eqn:Z; [reflexivity|].
  apply is_zero_false in Z. rewrite (lg_value v w H) by (rewrite H; exact Z). cbv zeta.
  rewrite !units_floor, !D2R_magnitude, H. reflexivity.
Qed.

Lemma result_alike u f x y : alike x y -> result u f x = result u f y.
Proof.
  destruct x as [v e s| |], y as [w e' s'| |]; cbn [alike]; try (intros H; inversion H; subst; reflexivity).
  intros [H ->]. cbn [result]. now apply write_finite_value.
Qed.

Lemma is_flushed_value ra v w r r' : 0 <= M_bits (r_format ra) -> D2R v = D2R w -> D2R v <> 0%R -> D2R r = D2R r' ->
  is_flushed ra v r = is_flushed ra w r'.
Proof.
  intros HM H N Hr. unfold is_flushed. destruct (r_ftz ra); [reflexivity| | |].
  - rewrite (is_zero_value r r' Hr). destruct (is_zero r') eqn:Z; [reflexivity|]. apply is_zero_false in Z.
    now rewrite (lg_value r r' Hr) by (rewrite Hr; exact Z).
  - now rewrite (lg_value v w H N).
  - rewrite (lg_value v w H N).
    rewrite (lg_value (rnd (r_mode ra) v (lg w - M_bits (r_format ra))) (rnd (r_mode ra) w (lg w - M_bits (r_format ra)))).
    + reflexivity.
    + now apply rnd_value.
    + rewrite <- (lg_value v w H N), rnd_FLX by assumption.
      assert (P : FLX.Prec_gt_0 (M_bits (r_format ra) + 1)) by (unfold FLX.Prec_gt_0; lia).
      apply round_neq_0_negligible_exp; [apply FLX_exp_valid; exact P|apply negligible_exp_FLX; exact P|apply valid_Zrnd|exact N].
Qed.

Lemma round_alike ra x y : 0 <= M_bits (r_format ra) -> alike x y ->
  alike (Notation.round ra x) (Notation.round ra y).
Proof.
  intros HM. destruct x as [v e s| |], y as [w e' s'| |]; cbn [alike]; try (intros H; inversion H; subst; apply alike_refl).
  intros [H ->]. unfold Notation.round. destruct (is_fixed (r_format ra)).
  - unfold round_to_fixed. cbn [alike]. split; [|reflexivity]. cbv zeta.
    rewrite !less_than_correct, (rnd_value _ v w _ H).
    destruct (Rlt_bool _ _); [reflexivity|]. destruct (Rlt_bool _ _); [reflexivity|]. now apply rnd_value.
  - rewrite (is_zero_value v w H). destruct (is_zero w) eqn:Z; [apply alike_refl|]. apply is_zero_false in Z.
    assert (N : D2R v <> 0%R) by (now rewrite H).
    unfold round_finite. rewrite (lg_value v w H N), (is_negative_value v w H).
    set (q := Z.max (lg w) (emin (r_format ra)) - M_bits (r_format ra)).
    pose proof (rnd_value (r_mode ra) v w q H) as R.
    rewrite (is_flushed_value ra v w _ _ HM H N R).
    destruct (is_flushed _ _ _); [apply alike_refl|].
    rewrite (is_zero_value _ _ R). destruct (is_zero (rnd (r_mode ra) w q)); [apply alike_refl|].
    rewrite !less_than_correct, !D2R_magnitude, R.
    destruct (Rlt_bool _ _); [apply alike_refl|]. cbn [alike]. now split.
Qed.

Lemma rounded_alike u ra x y : 0 <= M_bits (r_format ra) -> alike x y -> alike (rounded u ra x) (rounded u ra y).
Proof.
  intros HM H. unfold rounded. apply round_alike; [exact HM|]. unfold nan_of_rule. destruct (unit_nan u); try exact H.
  destruct x as [v e s| |], y as [w e' s'| |]; cbn [alike] in H; try exact H; try discriminate H.
  inversion H; subst; apply alike_refl.
Qed.

(** ** How large a term is, relative to its exponent *)

(** A finite number has an exponent, and is at most 2^(e + b) in magnitude; no sign is mixed. *)
Definition bounded (b : Z) (x : number) : Prop :=
  match x with
  | Finite v (Some e) s => (Rabs (D2R v) <= bpow radix2 (e + b))%R /\ s <> Mixed
  | Finite _ None _ => False
  | Infinite s _ | NaN s _ _ => s <> Mixed
  end.

Lemma bounded_zero b e s : s <> Mixed -> bounded b (Finite zero (Some e) s).
Proof. cbn. rewrite D2R_zero, Rabs_R0. split; [apply bpow_ge_0|assumption]. Qed.

Lemma not_mixed_if s : sign_if s <> Mixed.
Proof. now destruct s. Qed.

Lemma sign_not_mixed b x : bounded b x -> sign_of x <> Mixed.
Proof.
  destruct x as [v [e|] s|s t|s t c]; cbn [bounded sign_of]; try tauto. intros [_ H].
  destruct (is_zero v); [exact H|apply not_mixed_if].
Qed.

Lemma bound_significand n k e : 0 <= k -> Z.abs n <= 2 ^ k -> (Rabs (D2R (Dyadic n (e - k + 1))) <= bpow radix2 (e + 1))%R.
Proof.
  intros Hk H. unfold D2R. rewrite <- F2R_Zabs. unfold F2R; cbn [num scale Fnum Fexp].
  replace (e + 1) with (k + (e - k + 1)) by ring. rewrite (bpow_plus radix2 k).
  apply Rmult_le_compat_r; [apply bpow_ge_0|]. rewrite <- IZR_pow2, pow2_correct by exact Hk. now apply IZR_le.
Qed.

Lemma read_bounded f bits : is_fixed f = false -> 0 <= M_bits f -> bounded 1 (read f bits).
Proof.
  intros Hf HM. unfold read. rewrite Hf. unfold read_float.
  assert (R : forall neg x, bounded 1 (read_finite f neg x ((bits / pow2 (padding f)) mod pow2 (M_bits f)))).
  { intros neg x. unfold read_finite. cbn [bounded]. split; [|apply not_mixed_if].
    pose proof (Z.mod_pos_bound (bits / pow2 (padding f)) (pow2 (M_bits f)) (pow2_pos _ HM)) as B.
    set (fr := (bits / pow2 (padding f)) mod pow2 (M_bits f)) in *. rewrite pow2_correct in *.
    assert (P : 2 ^ (M_bits f + 1) = 2 * 2 ^ M_bits f) by (rewrite Z.pow_add_r by lia; change (2 ^ 1) with 2; ring).
    match goal with |- context [Dyadic ?n (?e - M_bits f)] => replace (e - M_bits f) with (e - (M_bits f + 1) + 1) by ring end.
    apply bound_significand; [lia|].
    destruct neg, (negb (has_zero f) || negb (x =? 0)); lia. }
  destruct (kind_of f); try exact (R _ _);
    repeat match goal with |- context [if ?c then _ else _] => destruct c end; try exact (R _ _); cbn [bounded]; apply not_mixed_if.
Qed.

Lemma flush_bounded b ftz f x : bounded b x -> bounded b (flush_operand ftz f x).
Proof.
  destruct x as [v [e|] s| |]; cbn [flush_operand]; try tauto; [|now intros []].
  intros H. pose proof (sign_not_mixed b _ H) as S. destruct H as [H N].
  match goal with |- bounded _ (if ?c then Finite zero _ ?z else _) => assert (Z : z <> Mixed); [|destruct c] end.
  - destruct (is_zero v); destruct ftz; try discriminate; assumption.
  - now apply bounded_zero.
  - now split.
Qed.

Lemma lg_bound v : D2R v <> 0%R -> (Rabs (D2R v) <= bpow radix2 (lg v + 1))%R.
Proof.
  intros H. rewrite lg_correct by exact H. replace (mag radix2 (D2R v) - 1 + 1) with (mag radix2 (D2R v) : Z) by ring.
  apply Rlt_le. apply bpow_mag_gt.
Qed.

Lemma read_again_bounded wide x : bounded 1 x -> bounded 1 (read_again wide x).
Proof.
  intros B. destruct wide as [wide|]; [|exact B]. destruct x as [v [e|] s| |]; try exact B; [|contradiction].
  cbn [read_again bounded] in *. destruct B as [B N]. split; [|exact N]. destruct (is_zero v) eqn:Z.
  - apply is_zero_correct in Z. rewrite Z, Rabs_R0. apply bpow_ge_0.
  - apply is_zero_false in Z. eapply Rle_trans; [now apply lg_bound|]. apply bpow_le. lia.
Qed.

Lemma factor_bounded p f x : bounded 1 x -> bounded 1 (factor p f x).
Proof.
  intros H. unfold factor. apply read_again_bounded, flush_bounded. destruct x as [v e s|s t|s t c]; [exact H| |].
  - destruct (p_infnan p); [|exact H]. destruct (p_nanzero p); [now apply bounded_zero|exact H].
  - destruct (p_nanzero p); [now apply bounded_zero|exact H].
Qed.

Lemma sign_product_not_mixed s t : s <> Mixed -> t <> Mixed -> sign_product s t <> Mixed.
Proof. destruct s, t; cbn; congruence. Qed.

Lemma product_bounded z x y : bounded 1 x -> bounded 1 y -> bounded 2 (product z x y).
Proof.
  intros Hx Hy. pose proof (sign_product_not_mixed _ _ (sign_not_mixed _ _ Hx) (sign_not_mixed _ _ Hy)) as S.
  unfold product. set (s0 := sign_product (sign_of x) (sign_of y)) in *. clearbody s0.
  destruct x as [v [e|] s|s t|s t [c|]], y as [w [e'|] s'|s' t'|s' t' [c'|]]; cbn [bounded] in Hx, Hy; try tauto;
    try discriminate;
    try (match goal with |- context [if ?c then _ else _] => destruct c end; cbn [bounded]; (discriminate || exact S)).
  cbn [bounded]. split; [|exact S]. destruct Hx as [Hx _], Hy as [Hy _].
  rewrite D2R_times, Rabs_mult. replace (e + e' + 2) with ((e + 1) + (e' + 1)) by ring. rewrite bpow_plus.
  apply Rmult_le_compat; auto using Rabs_pos.
Qed.

Lemma normalised_bounded p x : bounded 2 x -> bounded 2 (limit_and_normalise p x).
Proof.
  destruct x as [v [e|] s| |]; cbn [limit_and_normalise]; try tauto; [|now intros []]. intros H.
  destruct (is_zero v) eqn:Z; [exact H|]. pose proof (sign_not_mixed 2 _ H) as S. apply is_zero_false in Z.
  match goal with |- context [if ?c then Infinite _ _ else _] => destruct c end; [exact S|].
  destruct (p_normalisation p); cbn [bounded] in *; [exact H| |]; destruct H as [H N]; (split; [|exact N]).
  - eapply Rle_trans; [exact H|]. apply bpow_le. destruct (e <? lg v); lia.
  - eapply Rle_trans; [now apply lg_bound|]. apply bpow_le. lia.
Qed.

Lemma accumulator_bounded c f bits : is_fixed f = false -> 0 <= M_bits f -> bounded 1 (accumulator c f bits).
Proof.
  intros Hf HM. apply read_again_bounded, flush_bounded. now apply read_bounded.
Qed.

Lemma kept_bounded b x : bounded b x -> bounded b (kept x).
Proof. destruct x; exact (fun H => H). Qed.

(** ** E is at least the exponent of each term that is not zero *)

Lemma fold_max_ge l : forall x E, fold_left max_option l x = Some E -> forall e, In (Some e) l -> e <= E.
Proof.
  assert (G : forall l x E, fold_left max_option l x = Some E -> forall e, x = Some e -> e <= E).
  { clear l. induction l as [|y l IH]; intros x E H e ->; cbn in H; [inversion H; lia|].
    destruct y as [n|].
    - specialize (IH _ _ H (Z.max e n) eq_refl). lia.
    - exact (IH _ _ H e eq_refl). }
  induction l as [|y l IH]; intros x E H e; [intros []|]; intros [I|I]; cbn in H.
  - subst y. destruct x as [n|].
    + pose proof (G _ _ _ H (Z.max n e) eq_refl). lia.
    + exact (G _ _ _ H e eq_refl).
  - exact (IH _ _ H e I).
Qed.

Lemma raised_ge step phase e : (match step with Some n => 0 < n | None => True end) -> e <= raised step phase e.
Proof. destruct step as [n|]; cbn; [|lia]. intros H. pose proof (Z.mod_pos_bound (phase - e) n H). lia. Qed.

Lemma bounded_term u terms E b t : (match u_step u with Some n => 0 < n | None => True end) ->
  common_exponent u terms = Some E -> In t terms -> ch_less (t_child t) = 0 -> finite_term t ->
  bounded b (t_number t) -> below_power b E t.
Proof.
  intros Hstep HE Ht Hl (v & e & s & Hn) Hb. unfold below_power, real_of. rewrite Hn in *. cbn [value_of bounded] in *.
  destruct e as [e|]; [|contradiction]. destruct Hb as [Hb _].
  destruct (Req_dec (D2R v) 0) as [Z|Z]; [rewrite Z, Rabs_R0; apply bpow_ge_0|].
  eapply Rle_trans; [exact Hb|]. apply bpow_le.
  unfold common_exponent in HE. destruct (fold_left max_option (map takes_part terms) (u_floor u)) as [m|] eqn:HM; [|discriminate].
  cbn in HE. inversion HE as [K].
  assert (e <= m).
  { apply (fold_max_ge _ _ _ HM). apply in_map_iff. exists t. split; [|exact Ht].
    unfold takes_part. rewrite Hn. apply is_zero_false in Z. rewrite Z, Hl. cbn. f_equal. ring. }
  pose proof (raised_ge (u_step u) (u_phase u) m Hstep). lia.
Qed.

(** ** Carry bits of a unit *)

(** fuse[F=F … carry=w](p*[…], c[…]): any floor, step and modes, and a register of w carry bits, or none. *)
Definition with_carry (u : fuse_attr) (w : option Z) : fuse_attr :=
  FuseAttr (u_floor u) w (u_sticky u) (u_plus u) (u_frame u) (u_opposed u) (u_step u) (u_phase u).

Definition sum_unit (u : Notation.unit) (fu : fuse_attr) (p : product_attr) (pc : child_attr) (c : c_attr) (cc : child_attr)
  : Notation.unit :=
  Unit (unit_a u) (unit_b u) (unit_c u) (unit_d u) None (unit_K u) (unit_L u) (unit_interleave u) (unit_c_last u)
       (unit_nan u) (unit_root u) (FuseNode fu [(ProductLeaf p, pc); (CLeaf c, cc)]).

Lemma special_of_none b l : special_of b l = None -> forall x, In x l ->
  is_nan_of b x = false /\ is_infinity_of b Plus x = false /\ is_infinity_of b Minus x = false.
Proof.
  intros H x Hx. unfold special_of in H.
  assert (G : forall p, existsb p l = false -> p x = false).
  { intros p Hp. destruct (p x) eqn:Q; [|reflexivity].
    assert (existsb p l = true) by (apply existsb_exists; now exists x). congruence. }
  destruct (existsb (is_nan_of b) l) eqn:N; [discriminate|].
  destruct (existsb (is_infinity_of b Plus) l) eqn:P; destruct (existsb (is_infinity_of b Minus) l) eqn:M; try discriminate.
  auto.
Qed.

Lemma finite_if_no_special terms t b : special_sum (map t_number terms) = None -> In t terms -> bounded b (t_number t) ->
  finite_term t.
Proof.
  intros H Ht B. unfold special_sum in H.
  destruct (special_of false (map t_number terms)) eqn:S0; [discriminate|].
  pose proof (special_of_none _ _ S0 _ (in_map t_number _ _ Ht)) as (N0 & P0 & M0).
  pose proof (special_of_none _ _ H _ (in_map t_number _ _ Ht)) as (N1 & P1 & M1).
  unfold finite_term. destruct (t_number t) as [v e s|s b'|s b' k]; [now do 3 eexists| |]; cbn in *.
  - destruct b', s; try discriminate; contradiction.
  - destruct b'; discriminate.
Qed.

Lemma fuse_carry_alike fu w F children products c :
  0 <= F -> 0 <= w -> 2 * Z.of_nat (length products) + 1 <= 2 ^ (w + 1) -> largest_F children = F ->
  u_sticky fu = false -> u_frame fu = NoFrame -> (match u_step fu with Some n => 0 < n | None => True end) ->
  Forall (fun t => keeps F t /\ ch_less (t_child t) = 0) (products ++ [c]) ->
  Forall (fun t => bounded 2 (t_number t)) products -> bounded 1 (t_number c) ->
  alike (fuse (with_carry fu (Some w)) children (products ++ [c])) (fuse (with_carry fu None) children (products ++ [c])).
Proof.
  intros HF Hw Hn HL Hs Hf Hstep Hk Hp Hc. set (terms := products ++ [c]) in *.
  unfold fuse. destruct (special_sum (map t_number terms)) as [x|] eqn:SP; [apply alike_refl|].
  change (common_exponent (with_carry fu (Some w)) terms) with (common_exponent fu terms).
  change (common_exponent (with_carry fu None) terms) with (common_exponent fu terms).
  destruct (common_exponent fu terms) as [E|] eqn:HE; [|apply alike_refl].
  rewrite !in_frame_none by exact Hf. cbn [alike u_plus with_carry]. split; [|reflexivity].
  unfold register. cbn [u_carry u_sticky with_carry]. rewrite Hs, HL.
  assert (Bd : forall t, In t terms -> exists b, bounded b (t_number t)).
  { intros t Ht. apply in_app_or in Ht. destruct Ht as [Ht|[<-|[]]]; [exists 2|now exists 1].
    exact (proj1 (Forall_forall _ _) Hp t Ht). }
  assert (Fin : Forall finite_term terms).
  { apply Forall_forall. intros t Ht. destruct (Bd t Ht) as [b B]. now apply (finite_if_no_special terms t b). }
  apply (carry_enough E F w products c HF Hw Hn Fin).
  - eapply Forall_impl; [|exact Hk]. intros t [H _]. exact H.
  - apply Forall_forall. intros t Ht. assert (In t terms) as I by (apply in_or_app; now left).
    apply (bounded_term fu terms E 2 t Hstep HE I).
    + apply (proj1 (Forall_forall _ _) Hk t I).
    + exact (proj1 (Forall_forall _ _) Fin t I).
    + exact (proj1 (Forall_forall _ _) Hp t Ht).
  - assert (In c terms) as I by (apply in_or_app; right; now left).
    apply (bounded_term fu terms E 1 c Hstep HE I).
    + apply (proj1 (Forall_forall _ _) Hk c I).
    + exact (proj1 (Forall_forall _ _) Fin c I).
    + exact Hc.
Qed.

Definition is_float (f : format) : Prop := is_fixed f = false /\ 0 <= M_bits f.

Section CarryOfAUnit.

Variable u : Notation.unit.
Variable fu : fuse_attr.
Variables (p : product_attr) (pc : child_attr) (c : c_attr) (cc : child_attr).
Variables w F : Z.

Hypothesis Ha : is_float (unit_a u).
Hypothesis Hb : is_float (unit_b u).
Hypothesis Hd : is_float (unit_d u).
Hypothesis Hc : match unit_c u with Some f => is_float f | None => True end.
Hypothesis Hroot : 0 <= M_bits (r_format (unit_root u)).
Hypothesis Hall : p_which p = All.
Hypothesis HF : 0 <= F.
Hypothesis Hw : 0 <= w.
Hypothesis Hn : 2 * Z.of_nat (Z.to_nat (unit_L u)) + 1 <= 2 ^ (w + 1).
Hypothesis Hpc : ch_F pc = Some F /\ ch_drop pc = None /\ ch_less pc = 0.
Hypothesis Hcc : ch_F cc = Some F /\ ch_drop cc = None /\ ch_less cc = 0.
Hypothesis Hsticky : u_sticky fu = false.
Hypothesis Hframe : u_frame fu = NoFrame.
Hypothesis Hstep : match u_step fu with Some n => 0 < n | None => True end.

Notation narrow := (sum_unit u (with_carry fu (Some w)) p pc c cc).
Notation wide := (sum_unit u (with_carry fu None) p pc c cc).

Lemma block_carry x i cf cb : is_float cf -> block narrow x i cf cb = block wide x i cf cb.
Proof.
  intros [Hf HM]. unfold block.
  change (unit_root narrow) with (unit_root u). change (unit_root wide) with (unit_root u).
  change (unit_tree narrow) with (FuseNode (with_carry fu (Some w)) [(ProductLeaf p, pc); (CLeaf c, cc)]).
  change (unit_tree wide) with (FuseNode (with_carry fu None) [(ProductLeaf p, pc); (CLeaf c, cc)]).
  cbn [numbers flat_map is_c_leaf snd app]. rewrite !terms_unscaled by reflexivity. cbn [map as_term snd app]. rewrite Hall.
  change (unit_L narrow) with (unit_L u). change (unit_L wide) with (unit_L u).
  change (product_of_element narrow x i p) with (product_of_element wide x i p).
  set (products := map (Term pc false) (map (product_of_element wide x i p) (selected All (unit_L u)))).
  set (cterm := Term cc true (kept (accumulator c cf cb))).
  change (result narrow) with (result wide). change (rounded narrow) with (rounded wide).
  apply result_alike. apply rounded_alike; [exact Hroot|].
  destruct Hpc as (P1 & P2 & P3), Hcc as (C1 & C2 & C3).
  apply (fuse_carry_alike fu w F); try assumption.
  - unfold products. rewrite !map_length. unfold selected, below.
    rewrite Dot.filter_true by reflexivity. rewrite map_length, seq_length. exact Hn.
  - unfold largest_F. cbn [map fold_left]. rewrite P1, C1. lia.
  - apply Forall_app. split.
    + unfold products. apply Forall_map. apply Forall_forall. intros y _. now repeat split.
    + constructor; [|constructor]. now repeat split.
  - unfold products. apply Forall_map. apply Forall_map. apply Forall_forall. intros l _. cbn [t_number].
    unfold product_of_element. apply normalised_bounded.
    rewrite product_scales_none by reflexivity. cbn [scaled].
    destruct Ha as [A1 A2], Hb as [B1 B2].
    apply product_bounded; apply factor_bounded; now apply read_bounded.
  - cbn [t_number cterm]. apply kept_bounded. now apply accumulator_bounded.
Qed.

Lemma chain_carry x l : forall acc, is_float (fst acc) ->
  fold_left (fun acc i => (unit_d narrow, block narrow x i (fst acc) (snd acc))) l acc =
  fold_left (fun acc i => (unit_d wide, block wide x i (fst acc) (snd acc))) l acc.
Proof.
  induction l as [|i l IH]; intros acc H; [reflexivity|]. cbn [fold_left]. rewrite block_carry by exact H.
  apply IH. exact Hd.
Qed.

(** A unit of L products and c, each kept to F bits in any mode, with the products' exponents as multiplied or normalised:
    a register of w carry bits with 2·L + 1 ≤ 2^(w+1) gives the same bits as one that never wraps, on all inputs. *)
Theorem carry_enough_unit x : evaluate narrow x = evaluate wide x.
Proof.
  unfold evaluate. change (unit_c narrow) with (unit_c u). change (unit_c wide) with (unit_c u).
  change (unit_d narrow) with (unit_d u). change (unit_d wide) with (unit_d u).
  change (unit_c_last narrow) with (unit_c_last u). change (unit_c_last wide) with (unit_c_last u).
  assert (C : forall acc, is_float (fst acc) -> chain narrow x acc = chain wide x acc).
  { intros acc H. unfold chain. change (unit_K narrow) with (unit_K u). change (unit_K wide) with (unit_K u).
    change (unit_L narrow) with (unit_L u). change (unit_L wide) with (unit_L u). now apply chain_carry. }
  destruct (unit_c u) as [f|].
  - destruct (unit_c_last u); rewrite C by assumption; reflexivity.
  - now rewrite C.
Qed.

End CarryOfAUnit.

(** ** Order within a block *)

(** What is not the NaN of an operand carries nothing. *)
Notation carries_nothing := (carries (fun _ => False)).

Lemma first_carried_nothing b l : Forall carries_nothing l -> first_carried b l = None.
Proof.
  intros H. induction H as [|x l Hx Hl IH]; [reflexivity|]. cbn.
  destruct x as [| |s t [k|]]; try exact IH. contradiction.
Qed.

Lemma special_permutation l l' : Permutation l l' -> Forall carries_nothing l -> special_sum l = special_sum l'.
Proof.
  intros P H. assert (H' : Forall carries_nothing l') by now apply (Permutation_Forall P).
  assert (G : forall b, special_of b l = special_of b l').
  { intros b. unfold special_of, carried_on. rewrite !first_carried_nothing by assumption. cbn [option_map].
    now rewrite (existsb_permutation (is_nan_of b) _ _ P), (existsb_permutation (is_infinity_of b Plus) _ _ P),
      (existsb_permutation (is_infinity_of b Minus) _ _ P). }
  unfold special_sum. now rewrite !G.
Qed.

Lemma fuse_order_alike u children terms terms' : u_frame u = NoFrame -> Permutation terms terms' ->
  Forall (fun t => carries_nothing (t_number t) /\ exists b, bounded b (t_number t)) terms ->
  alike (fuse u children terms) (fuse u children terms').
Proof.
  intros Hf P H.
  assert (C : Forall carries_nothing (map t_number terms)).
  { apply Forall_map. eapply Forall_impl; [|exact H]. intros t [C _]. exact C. }
  pose proof (special_permutation _ _ (Permutation_map t_number P) C) as S.
  destruct (special_sum (map t_number terms)) as [x|] eqn:Q.
  - unfold fuse. rewrite Q, <- S. apply alike_refl.
  - assert (Fin : Forall finite_term terms).
    { apply Forall_forall. intros t Ht. destruct (proj1 (Forall_forall _ _) H t Ht) as [_ [b B]].
      now apply (finite_if_no_special terms t b). }
    destruct (order_does_not_matter u children terms terms' Hf P Fin) as (S1 & S2 & e & s & -> & -> & V).
    cbn [alike]. now split.
Qed.

Section OrderOfABlock.

Variable u : Notation.unit.
Variable fu : fuse_attr.
Variables (p : product_attr) (pc : child_attr) (c : c_attr) (cc : child_attr).

Hypothesis Ha : is_float (unit_a u).
Hypothesis Hb : is_float (unit_b u).
Hypothesis Hroot : 0 <= M_bits (r_format (unit_root u)).
Hypothesis Hall : p_which p = All.
Hypothesis Hframe : u_frame fu = NoFrame.

Notation whole := (sum_unit u fu p pc c cc).

(** The pairs of patterns that block i multiplies. *)
Definition pairs (x : inputs) (i : Z) : list (Z * Z) :=
  map (fun l => (in_a x (element u i l), in_b x (element u i l))) (below (unit_L u)).

Definition product_of_pair (ab : Z * Z) : number :=
  limit_and_normalise p (product (p_infzero p) (factor p (unit_a u) (read (unit_a u) (fst ab)))
                                               (factor p (unit_b u) (read (unit_b u) (snd ab)))).

Lemma products_of_pairs x i :
  map (product_of_element whole x i p) (selected All (unit_L u)) = map product_of_pair (pairs x i).
Proof.
  unfold pairs, selected. rewrite Dot.filter_true by reflexivity. rewrite map_map. apply map_ext. intros l. unfold product_of_element. now rewrite product_scales_none by reflexivity.
Qed.

(** One block of products and c, any attributes but frame: the order of its pairs does not matter, on inputs without NaN.
    (Of several NaN, nan=x86 takes the first.) *)
Theorem order_in_a_block x x' i cf cb : is_float cf ->
  Permutation (pairs x i) (pairs x' i) ->
  (forall a b, In (a, b) (pairs x i) -> carries_nothing (read (unit_a u) a) /\ carries_nothing (read (unit_b u) b)) ->
  carries_nothing (read cf cb) ->
  block whole x i cf cb = block whole x' i cf cb.
Proof.
  intros [Hf HM] P N Nc. unfold block.
  change (unit_root whole) with (unit_root u).
  change (unit_tree whole) with (FuseNode fu [(ProductLeaf p, pc); (CLeaf c, cc)]).
  cbn [numbers flat_map is_c_leaf snd app]. rewrite !terms_unscaled by reflexivity. cbn [map as_term snd app]. rewrite Hall.
  change (unit_L whole) with (unit_L u). rewrite !products_of_pairs.
  apply result_alike. apply rounded_alike; [exact Hroot|].
  apply fuse_order_alike; [exact Hframe| |].
  - apply Permutation_app_tail. now repeat apply Permutation_map.
  - apply Forall_app. split.
    + apply Forall_map. apply Forall_map. apply Forall_forall. intros [a b] I. cbn [t_number].
      destruct (N a b I) as [Na Nb]. unfold product_of_pair. cbn [fst snd]. destruct Ha as [A1 A2], Hb as [B1 B2]. split.
      * apply limited_carries, product_carries; now apply factor_carries.
      * exists 2. apply normalised_bounded, product_bounded; apply factor_bounded; now apply read_bounded.
    + constructor; [|constructor]. cbn [t_number]. split; [apply kept_carries; [exact (fun _ _ F => F)|now apply accumulator_carries]|].
      exists 1. apply kept_bounded. now apply accumulator_bounded.
Qed.

(** A whole unit of one block. *)
Theorem order_in_a_unit x x' f : unit_c u = Some f -> unit_c_last u = false -> unit_K u = unit_L u -> 0 < unit_L u ->
  is_float f -> in_c x = in_c x' -> Permutation (pairs x 0) (pairs x' 0) ->
  (forall a b, In (a, b) (pairs x 0) -> carries_nothing (read (unit_a u) a) /\ carries_nothing (read (unit_b u) b)) ->
  carries_nothing (read f (in_c x)) ->
  evaluate whole x = evaluate whole x'.
Proof.
  intros Uc Ul UK UL Hf Hc P N Nc. unfold evaluate.
  change (unit_c whole) with (unit_c u). change (unit_c_last whole) with (unit_c_last u). rewrite Uc, Ul.
  unfold chain. change (unit_K whole) with (unit_K u). change (unit_L whole) with (unit_L u).
  rewrite UK, Z.div_same by lia. change (below 1) with [0]. cbn [fold_left fst snd]. rewrite <- Hc.
  now apply order_in_a_block.
Qed.

End OrderOfABlock.

(** ** The published case: four products and c *)

(** volta/mma.m8n8k4.f32.f16.f16.f32, with a register of w carry bits. *)
Definition volta (w : option Z) : Notation.unit :=
  sum_unit (Unit f16 f16 (Some f32) f32 None 4 4 0 false (NanPattern 2147483647)
                 (RoundAttr f32 rz OverflowInf NoFlush false true true) (CLeaf (CAttr None KeepSubnormals)))
           (FuseAttr None w false false NoFrame AllOpposed None 0)
           (ProductAttr All raw None false None KeepSubnormals false false false) (ChildAttr (Some 23) rz Ignore None 0 ByNone)
           (CAttr None KeepSubnormals) (ChildAttr (Some 23) rz Ignore None 0 ByNone).

(** Three carry bits are enough, on all inputs … *)
Theorem volta_three_carry_bits x : evaluate (volta (Some 3)) x = evaluate (volta None) x.
Proof.
  pose (base := Unit f16 f16 (Some f32) f32 None 4 4 0 false (NanPattern 2147483647)
                 (RoundAttr f32 rz OverflowInf NoFlush false true true) (CLeaf (CAttr None KeepSubnormals))).
  apply (carry_enough_unit base (FuseAttr None None false false NoFrame AllOpposed None 0)
           (ProductAttr All raw None false None KeepSubnormals false false false) (ChildAttr (Some 23) rz Ignore None 0 ByNone)
           (CAttr None KeepSubnormals) (ChildAttr (Some 23) rz Ignore None 0 ByNone) 3 23);
    cbn; repeat split; try lia; try discriminate.
Qed.

(** … and two are not: four products 1.999·1.999 and c just below 2 are more than 16. *)
Definition large_inputs : inputs := Inputs (fun _ => 16383) (fun _ => 16383) (fun _ => 0) (fun _ => 0) 1073741823.

Theorem volta_two_carry_bits_are_not_enough :
  evaluate (volta (Some 2)) large_inputs <> evaluate (volta None) large_inputs.
Proof. vm_compute. discriminate. Qed.
