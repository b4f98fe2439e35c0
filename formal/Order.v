(** * The order of products, on all inputs

    order_in_a_unit of Units.v is about inputs without NaN: of several NaN, nan=x86 takes the first. With nan=any and
    nan=HEX it does not matter which NaN goes on, and so the order of products does not matter on any input. *)

From Coq Require Import ZArith List Bool Reals Lia Permutation.
From Discern Require Import Notation Real Carried Exact Laws Units.
From Discern Require Dot.
Import ListNotations.
Open Scope Z_scope.

(** ** A NaN stays one *)

Definition is_nan (x : number) : Prop := match x with NaN _ _ _ => True | _ => False end.

(** A format to which a round may go: its fields, and what its NaN needs. *)
Definition has_fields (f : format) : Prop :=
  is_fixed f = false /\ 0 <= E_bits f /\ 0 <= M_bits f <= 52 /\ 0 <= padding f /\
  match kind_of f with Ieee => 1 <= M_bits f | Fnuz | Inuz => has_sign f = true | _ => True end.

(** What a round writes for a NaN reads as one. *)
Lemma written_nan_is_nan f c : has_fields f -> has_nan f = true -> content_fits c -> is_nan (read f (write_nan f c)).
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
    { unfold content_fits in Q. rewrite pow2_correct. pose proof (Z.pow_pos_nonneg 2 (64 - M_bits f) eq_refl ltac:(lia)) as PQ. split.
      - apply Z.div_str_pos. split; [exact PQ|]. apply Z.le_trans with (2 ^ 63); [|lia]. apply Z.pow_le_mono_r; lia.
      - apply Z.div_lt_upper_bound; [exact PQ|]. rewrite <- Z.pow_add_r by lia.
        replace (64 - M_bits f + M_bits f) with 64 by ring. lia. }
    set (fr := content_fraction c / pow2 (64 - M_bits f)) in *. clearbody fr.
    rewrite FR, EX by (rewrite ?pow2_correct; lia). rewrite Z.eqb_refl.
    destruct (Z.eqb_spec fr 0); [lia|exact I].
  - rewrite FR, EX by (rewrite ?pow2_correct; lia). rewrite !Z.eqb_refl. exact I.
  - rewrite HK, (FR 1 0 0), (EX 1 0 0) by lia; change (0 =? 0) with true; cbn [andb];
    match goal with |- context [Z.odd ?n] => replace n with 1 end; [exact I|];
    rewrite !pow2_correct, !Z.pow_add_r by lia; rewrite Z.mul_1_l, !Z.add_0_r;
    replace (2 ^ E_bits f * 2 ^ M_bits f * 2 ^ padding f) with (1 * (2 ^ padding f * 2 ^ M_bits f * 2 ^ E_bits f)) by ring;
    now rewrite Z.div_mul by lia.
  - rewrite HK, (FR 1 0 0), (EX 1 0 0) by lia; change (0 =? 0) with true; cbn [andb];
    match goal with |- context [Z.odd ?n] => replace n with 1 end; [exact I|];
    rewrite !pow2_correct, !Z.pow_add_r by lia; rewrite Z.mul_1_l, !Z.add_0_r;
    replace (2 ^ E_bits f * 2 ^ M_bits f * 2 ^ padding f) with (1 * (2 ^ padding f * 2 ^ M_bits f * 2 ^ E_bits f)) by ring;
    now rewrite Z.div_mul by lia.
Qed.

(** ** Alike, or both NaN *)

Definition alike_but_nan (x y : number) : Prop := alike x y \/ (is_nan x /\ is_nan y /\ carries_fitting x /\ carries_fitting y).

Lemma special_order l l' : Permutation l l' -> Forall carries_fitting l ->
  (special_sum l = None /\ special_sum l' = None) \/
  exists x y, special_sum l = Some x /\ special_sum l' = Some y /\ alike_but_nan x y.
Proof.
  intros P H. assert (H' : Forall carries_fitting l') by now apply (Permutation_Forall P).
  assert (G : forall b, (special_of b l = None /\ special_of b l' = None) \/
                exists x y, special_of b l = Some x /\ special_of b l' = Some y /\ alike_but_nan x y).
  { intros b. unfold special_of. rewrite <- (existsb_permutation (is_nan_of b) _ _ P),
      <- (existsb_permutation (is_infinity_of b Plus) _ _ P), <- (existsb_permutation (is_infinity_of b Minus) _ _ P).
    destruct (existsb (is_nan_of b) l), (existsb (is_infinity_of b Plus) l), (existsb (is_infinity_of b Minus) l); cbn [orb andb];
      try (left; now split); right; do 2 eexists; (split; [reflexivity|]); (split; [reflexivity|]);
      try (left; reflexivity);
      right; (split; [exact I|]); (split; [exact I|]);
      (split; cbn [carries];
       [pose proof (carried_on_carries content_fits fits_any_origin b true l H) as Q; pose proof (carried_on_carries content_fits fits_any_origin b false l H) as Q'
       |pose proof (carried_on_carries content_fits fits_any_origin b true l' H') as Q; pose proof (carried_on_carries content_fits fits_any_origin b false l' H') as Q'];
       first [exact Q|exact Q']). }
  unfold special_sum. destruct (G false) as [[-> ->]|(x & y & -> & -> & A)]; [exact (G true)|].
  right. now exists x, y.
Qed.

Lemma fuse_order u children terms terms' : u_frame u = NoFrame -> Permutation terms terms' ->
  Forall (fun t => carries_fitting (t_number t) /\ exists b, bounded b (t_number t)) terms ->
  alike_but_nan (fuse u children terms) (fuse u children terms').
Proof.
  intros Hf P H.
  assert (C : Forall carries_fitting (map t_number terms)).
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
        assert (G : forall c, match c with Some c => content_fits c | None => True end ->
                     is_nan (round_nan (r_format ra) c) /\ carries_fitting (round_nan (r_format ra) c));
        [ clear -HF; intros c Q; unfold round_nan; destruct (has_nan (r_format ra)) eqn:HN;
          [ assert (Q' : content_fits (match c with Some c => c | None => invalid end))
              by (destruct c; [exact Q|unfold content_fits; cbn; lia]);
            pose proof (written_nan_is_nan _ _ HF HN Q') as W;
            pose proof (read_fits (r_format ra) (write_nan (r_format ra) (match c with Some c => c | None => invalid end))
                          ltac:(destruct HF as (_ & _ & HM & _); lia)) as R;
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
  cbn [numbers flat_map is_c_leaf snd app]. rewrite !terms_unscaled by reflexivity. cbn [map as_term snd app]. rewrite Hall.
  change (unit_L whole) with (unit_L u). unfold whole. rewrite !(products_of_pairs u fu p pc c cc).
  apply result_order; [exact N1|exact N2|]. apply rounded_order; [exact Hroot|exact N1|exact N2|].
  apply fuse_order; [exact Hframe| |].
  - apply Permutation_app_tail. now repeat apply Permutation_map.
  - apply Forall_app. split.
    + apply Forall_map. apply Forall_map. apply Forall_forall. intros [a b] I. cbn [t_number].
      unfold product_of_pair. cbn [fst snd]. split.
      * apply limited_carries, product_carries; apply factor_carries; apply read_fits; lia.
      * exists 2. apply normalised_bounded, product_bounded; apply factor_bounded; apply read_bounded; tauto || lia.
    + constructor; [|constructor]. cbn [t_number]. split; [apply kept_carries; [exact fits_any_origin|apply accumulator_carries, read_fits; lia]|].
      exists 1. apply kept_bounded, accumulator_bounded; tauto || lia.
Qed.
