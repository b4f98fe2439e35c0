(** * The order of products, on all inputs

    order_in_a_unit of Units.v is about inputs without NaN: of several NaN, nan=x86 takes the first. With nan=any and
    nan=HEX it does not matter which NaN goes on, and so the order of products does not matter on any input. *)

From Coq Require Import ZArith List Bool Reals Lia Permutation.
From Discern Require Import Notation Real Exact Laws Units.
From Discern Require Dot.
Import ListNotations.
Open Scope Z_scope.

(** ** A NaN stays one *)

Definition quiet_content (c : content) : Prop := 2 ^ 63 <= content_fraction c < 2 ^ 64.
Definition carries_quiet (x : number) : Prop := match x with NaN _ _ (Some c) => quiet_content c | _ => True end.
Definition is_nan (x : number) : Prop := match x with NaN _ _ _ => True | _ => False end.

(** A format to which a round may go: its fields, and what its NaN needs. *)
Definition has_fields (f : format) : Prop :=
  is_fixed f = false /\ 0 <= E_bits f /\ 0 <= M_bits f <= 52 /\ 0 <= padding f /\
  match kind_of f with Ieee => 1 <= M_bits f | Fnuz => has_sign f = true | _ => True end.

Lemma quiet_of_field M x : 0 <= M <= 63 -> 0 <= x < 2 ^ M -> 2 ^ 63 <= Z.lor (x * pow2 (64 - M)) quiet_bit < 2 ^ 64.
Proof.
  intros HM Hx. rewrite pow2_correct. change quiet_bit with (2 ^ 63).
  assert (Q : 0 <= x * 2 ^ (64 - M) < 2 ^ 64).
  { split; [apply Z.mul_nonneg_nonneg; lia|]. replace 64 with (M + (64 - M)) at 2 by ring.
    rewrite Z.pow_add_r by lia. apply Z.mul_lt_mono_pos_r; [|lia]. apply Z.pow_pos_nonneg; lia. }
  set (q := x * 2 ^ (64 - M)) in *.
  assert (N : 0 <= Z.lor q (2 ^ 63)) by (apply Z.lor_nonneg; lia).
  assert (N1 : 0 < Z.lor q (2 ^ 63)).
  { apply Z.le_lteq in N. destruct N as [N|N]; [exact N|]. symmetry in N. apply Z.lor_eq_0_iff in N. lia. }
  assert (L : Z.log2 (Z.lor q (2 ^ 63)) = Z.max (Z.log2 q) 63) by (rewrite Z.log2_lor by lia; reflexivity).
  split.
  - apply Z.log2_le_pow2; [exact N1|]. rewrite L. lia.
  - apply Z.log2_lt_pow2; [exact N1|]. rewrite L.
    destruct (Z.eq_dec q 0) as [->|Z0]; [reflexivity|]. assert (Z.log2 q < 64) by (apply Z.log2_lt_pow2; lia). lia.
Qed.

Lemma read_quiet f bits : 0 <= M_bits f <= 52 -> carries_quiet (read f bits).
Proof.
  intros HM. unfold read. destruct (is_fixed f); [exact I|]. unfold read_float.
  set (fr := (bits / pow2 (padding f)) mod pow2 (M_bits f)).
  assert (B : 0 <= fr < 2 ^ M_bits f) by (rewrite <- pow2_correct; apply Z.mod_pos_bound, pow2_pos; lia).
  pose proof (quiet_of_field (M_bits f) fr ltac:(lia) B) as Q.
  destruct (kind_of f); unfold read_finite;
    repeat match goal with |- context [if ?c then _ else _] => destruct c end; try exact I; exact Q.
Qed.

(** What a round writes for a NaN reads as one. *)
Lemma written_nan_is_nan f c : has_fields f -> has_nan f = true -> quiet_content c -> is_nan (read f (write_nan f c)).
Proof.
  intros (Hf & HE & HM & HP & HK) Hn Q. unfold read. rewrite Hf. unfold read_float, write_nan, fields.
  assert (PM : 0 < 2 ^ M_bits f) by (apply Z.pow_pos_nonneg; lia).
  assert (PE : 0 < 2 ^ E_bits f) by (apply Z.pow_pos_nonneg; lia).
  assert (PP : 0 < 2 ^ padding f) by (apply Z.pow_pos_nonneg; lia).
  assert (FR : forall s x fr, 0 <= fr < 2 ^ M_bits f ->
    (((s * pow2 (E_bits f) + x) * pow2 (M_bits f) + fr) * pow2 (padding f)) / pow2 (padding f) mod pow2 (M_bits f) = fr).
  { intros s x fr B. rewrite !pow2_correct, Z.div_mul by lia. rewrite Z.add_comm, Z.mod_add by lia. now apply Z.mod_small. }
  assert (EX : forall s x fr, 0 <= fr < 2 ^ M_bits f -> 0 <= x < 2 ^ E_bits f ->
    (((s * pow2 (E_bits f) + x) * pow2 (M_bits f) + fr) * pow2 (padding f)) / pow2 (padding f + M_bits f)
      mod pow2 (E_bits f) = x).
  { intros s x fr B Bx. rewrite !pow2_correct, Z.pow_add_r by lia. rewrite <- Z.div_div, Z.div_mul by lia.
    rewrite Z.div_add_l, (Z.div_small fr), Z.add_0_r by lia. rewrite Z.add_comm, Z.mod_add by lia. now apply Z.mod_small. }
  destruct (kind_of f) eqn:K; try discriminate; try (unfold has_nan in Hn; rewrite K in Hn; discriminate Hn).
  - assert (B : 0 < content_fraction c / pow2 (64 - M_bits f) < 2 ^ M_bits f).
    { unfold quiet_content in Q. rewrite pow2_correct. pose proof (Z.pow_pos_nonneg 2 (64 - M_bits f) eq_refl ltac:(lia)) as PQ. split.
      - apply Z.div_str_pos. split; [exact PQ|]. apply Z.le_trans with (2 ^ 63); [|lia]. apply Z.pow_le_mono_r; lia.
      - apply Z.div_lt_upper_bound; [exact PQ|]. rewrite <- Z.pow_add_r by lia.
        replace (64 - M_bits f + M_bits f) with 64 by ring. lia. }
    set (fr := content_fraction c / pow2 (64 - M_bits f)) in *. clearbody fr.
    rewrite FR, EX by (rewrite ?pow2_correct; lia). rewrite Z.eqb_refl.
    destruct (Z.eqb_spec fr 0); [lia|exact I].
  - rewrite FR, EX by (rewrite ?pow2_correct; lia). rewrite !Z.eqb_refl. exact I.
  - rewrite HK, (FR 1 0 0), (EX 1 0 0) by lia. change (0 =? 0) with true. cbn [andb].
    match goal with |- context [Z.odd ?n] => replace n with 1 end; [exact I|].
    rewrite !pow2_correct, !Z.pow_add_r by lia. rewrite Z.mul_1_l, !Z.add_0_r.
    replace (2 ^ E_bits f * 2 ^ M_bits f * 2 ^ padding f) with (1 * (2 ^ padding f * 2 ^ M_bits f * 2 ^ E_bits f)) by ring.
    now rewrite Z.div_mul by lia.
Qed.

(** ** Alike, or both NaN *)

Definition alike_but_nan (x y : number) : Prop := alike x y \/ (is_nan x /\ is_nan y /\ carries_quiet x /\ carries_quiet y).

Lemma carried_quiet b o l : Forall carries_quiet l -> match carried_on b o l with Some c => quiet_content c | None => True end.
Proof.
  intros H. assert (G : match first_carried b l with Some c => quiet_content c | None => True end).
  { induction H as [|x l Hx Hl IH]; [exact I|]. cbn. destruct x as [| |s t [c|]]; try exact IH.
    destruct (Bool.eqb t b); [exact Hx|exact IH]. }
  unfold carried_on. destruct (first_carried b l); [exact G|exact I].
Qed.

Lemma special_order l l' : Permutation l l' -> Forall carries_quiet l ->
  (special_sum l = None /\ special_sum l' = None) \/
  exists x y, special_sum l = Some x /\ special_sum l' = Some y /\ alike_but_nan x y.
Proof.
  intros P H. assert (H' : Forall carries_quiet l') by now apply (Permutation_Forall P).
  assert (G : forall b, (special_of b l = None /\ special_of b l' = None) \/
                exists x y, special_of b l = Some x /\ special_of b l' = Some y /\ alike_but_nan x y).
  { intros b. unfold special_of. rewrite <- (existsb_permutation (is_nan_of b) _ _ P),
      <- (existsb_permutation (is_infinity_of b Plus) _ _ P), <- (existsb_permutation (is_infinity_of b Minus) _ _ P).
    destruct (existsb (is_nan_of b) l), (existsb (is_infinity_of b Plus) l), (existsb (is_infinity_of b Minus) l); cbn [orb andb];
      try (left; now split); right; do 2 eexists; (split; [reflexivity|]); (split; [reflexivity|]);
      try (left; reflexivity);
      right; (split; [exact I|]); (split; [exact I|]);
      (split; unfold carries_quiet;
       [pose proof (carried_quiet b true l H) as Q; pose proof (carried_quiet b false l H) as Q'
       |pose proof (carried_quiet b true l' H') as Q; pose proof (carried_quiet b false l' H') as Q'];
       first [exact Q|exact Q']). }
  unfold special_sum. destruct (G false) as [[-> ->]|(x & y & -> & -> & A)]; [exact (G true)|].
  right. now exists x, y.
Qed.

Lemma fuse_order u children terms terms' : u_frame u = NoFrame -> Permutation terms terms' ->
  Forall (fun t => carries_quiet (t_number t) /\ exists b, bounded b (t_number t)) terms ->
  alike_but_nan (fuse u children terms) (fuse u children terms').
Proof.
  intros Hf P H.
  assert (C : Forall carries_quiet (map t_number terms)).
  { apply Forall_map. eapply Forall_impl; [|exact H]. intros t [C _]. exact C. }
  destruct (special_order _ _ (Permutation_map t_number P) C) as [[S S']|(x & y & S & S' & A)].
  - assert (Fin : Forall finite_term terms).
    { apply Forall_forall. intros t Ht. destruct (proj1 (Forall_forall _ _) H t Ht) as [_ [b B]].
      now apply (finite_if_no_special terms t b). }
    destruct (order_does_not_matter u children terms terms' Hf P Fin) as (S1 & S2 & e & s & -> & -> & V).
    left. cbn [alike]. now split.
  - unfold fuse. now rewrite S, S'.
Qed.

Lemma rounded_order u ra x y : has_fields (r_format ra) \/ is_fixed (r_format ra) = true /\ 0 <= M_bits (r_format ra) ->
  unit_nan u <> NanX86 -> unit_nan u <> NanRdna ->
  alike_but_nan x y -> alike_but_nan (rounded u ra x) (rounded u ra y).
Proof.
  intros HF N1 N2 [A|(Nx & Ny & Qx & Qy)].
  - left. apply rounded_alike; [|exact A]. destruct HF as [(_ & _ & H & _)|[_ H]]; lia.
  - unfold rounded, nan_of_rule. destruct (unit_nan u); try contradiction;
      (destruct x as [| |s t c], y as [| |s' t' c']; try contradiction; unfold Notation.round;
       destruct HF as [HF|[HF _]];
       [assert (NF : is_fixed (r_format ra) = false) by (destruct HF as [NF _]; exact NF); rewrite NF; right;
        assert (G : forall c, match c with Some c => quiet_content c | None => True end ->
                     is_nan (round_nan (r_format ra) c) /\ carries_quiet (round_nan (r_format ra) c));
        [ clear -HF; intros c Q; unfold round_nan; destruct (has_nan (r_format ra)) eqn:HN;
          [ assert (Q' : quiet_content (match c with Some c => c | None => invalid end))
              by (destruct c; [exact Q|unfold quiet_content; cbn; lia]);
            pose proof (written_nan_is_nan _ _ HF HN Q') as W;
            pose proof (read_quiet (r_format ra) (write_nan (r_format ra) (match c with Some c => c | None => invalid end))
                          ltac:(destruct HF as (_ & _ & HM & _); exact HM)) as R;
            destruct (read _ _) as [| |s1 t1 c1]; try contradiction; split; [exact I|]; destruct c1; [exact R|exact I]
          | split; [exact I|exact Q] ]
        | destruct (G c Qx) as [G1 G2], (G c' Qy) as [G3 G4]; auto ]
       |rewrite HF; left; split; reflexivity ]).
Qed.

Lemma result_order u f x y : unit_nan u <> NanX86 -> unit_nan u <> NanRdna -> alike_but_nan x y -> result u f x = result u f y.
Proof.
  intros N1 N2 [A|(Nx & Ny & _)]; [now apply result_alike|].
  destruct x as [| |s t c], y as [| |s' t' c']; try contradiction. cbn [result].
  destruct (unit_nan u); try contradiction; reflexivity.
Qed.

(** ** The unit *)

Lemma flush_quiet ftz f x : carries_quiet x -> carries_quiet (flush_operand ftz f x).
Proof.
  destruct x as [v e s| |]; cbn [flush_operand]; try tauto. intros _.
  match goal with |- context [if ?c then _ else _] => destruct c end; exact I.
Qed.

Lemma factor_quiet p f x : carries_quiet x -> carries_quiet (factor p f x).
Proof.
  intros H. unfold factor. apply flush_quiet. destruct x as [v e s|s t|s t c]; [exact I| |].
  - destruct (p_infnan p); [|exact I]. destruct (p_nanzero p); exact I.
  - destruct (p_nanzero p); [exact I|exact H].
Qed.

Lemma product_quiet z x y : carries_quiet x -> carries_quiet y -> carries_quiet (product z x y).
Proof.
  destruct x as [v [e|] s|s t|s t [c|]], y as [w [e'|] s'|s' t'|s' t' [c'|]]; cbn -[sign_product]; try tauto;
    intros; match goal with |- context [if ?c then _ else _] => destruct c; exact I | _ => exact I end.
Qed.

Lemma normalised_quiet p x : carries_quiet x -> carries_quiet (limit_and_normalise p x).
Proof.
  destruct x as [v e s| |]; cbn [limit_and_normalise]; try tauto. intros _.
  destruct (is_zero v); [exact I|].
  match goal with |- context [if ?c then Infinite _ _ else _] => destruct c end; [exact I|].
  destruct (p_normalisation p), e; exact I.
Qed.

Lemma accumulator_quiet c f bits : carries_quiet (read f bits) -> carries_quiet (accumulator c f bits).
Proof.
  intros H. pose proof (flush_quiet (c_ftz c) f _ H) as K. unfold accumulator.
  destruct (flush_operand (c_ftz c) f (read f bits)); destruct (c_as c); (exact I || exact K).
Qed.

Lemma kept_quiet x : carries_quiet x -> carries_quiet (kept x).
Proof. destruct x as [| |s t [k|]]; exact (fun H => H). Qed.

Definition narrow_float (f : format) : Prop := is_fixed f = false /\ 0 <= M_bits f <= 52.

(** One block of products and c, any attributes but frame, nan=any or a pattern, no scales: whatever the inputs are, NaN
    and infinities too, permuting the pairs of a and b leaves every bit of d as it is. *)
Theorem order_on_all_inputs u fu p pc c cc f x x' :
  let whole := sum_unit u fu p pc c cc in
  narrow_float (unit_a u) -> narrow_float (unit_b u) -> narrow_float f ->
  has_fields (r_format (unit_root u)) \/ is_fixed (r_format (unit_root u)) = true /\ 0 <= M_bits (r_format (unit_root u)) ->
  unit_nan u <> NanX86 -> unit_nan u <> NanRdna ->
  p_which p = All -> u_frame fu = NoFrame ->
  unit_c u = Some f -> unit_c_last u = false -> unit_K u = unit_L u -> 0 < unit_L u ->
  in_c x = in_c x' -> Permutation (pairs u x 0) (pairs u x' 0) ->
  evaluate whole x = evaluate whole x'.
Proof.
  intros whole [Ha1 Ha2] [Hb1 Hb2] [Hf HM] Hroot N1 N2 Hall Hframe Uc Ul UK UL Hc P. unfold evaluate.
  change (unit_c whole) with (unit_c u). change (unit_c_last whole) with (unit_c_last u). rewrite Uc, Ul.
  unfold chain. change (unit_K whole) with (unit_K u). change (unit_L whole) with (unit_L u).
  rewrite UK, Z.div_same by lia. change (below 1) with [0]. cbn [fold_left fst snd]. rewrite <- Hc.
  unfold block. change (unit_root whole) with (unit_root u).
  change (unit_tree whole) with (FuseNode fu [(ProductLeaf p, pc); (CLeaf c, cc)]).
  cbn [numbers map flat_map is_c_leaf as_term snd app]. rewrite Hall.
  change (unit_L whole) with (unit_L u). unfold whole. rewrite !(products_of_pairs u fu p pc c cc).
  apply result_order; [exact N1|exact N2|]. apply rounded_order; [exact Hroot|exact N1|exact N2|].
  apply fuse_order; [exact Hframe| |].
  - apply Permutation_app_tail. now repeat apply Permutation_map.
  - apply Forall_app. split.
    + apply Forall_map. apply Forall_map. apply Forall_forall. intros [a b] I. cbn [t_number].
      unfold product_of_pair. cbn [fst snd]. split.
      * apply normalised_quiet, product_quiet; apply factor_quiet; now apply read_quiet.
      * exists 2. apply normalised_bounded, product_bounded; apply factor_bounded; apply read_bounded; tauto || lia.
    + constructor; [|constructor]. cbn [t_number]. split; [now apply kept_quiet, accumulator_quiet, read_quiet|].
      exists 1. apply kept_bounded, accumulator_bounded; tauto || lia.
Qed.
