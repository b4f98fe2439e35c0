(** * What a NaN carries, in the circuit

    Sign and payload of the NaN that the definition carries on, in every node of a tree: the first of the operands', quiet.
    They are in the pattern of a round. *)

From Coq Require Import ZArith List Bool Lia.
From Discern Require Import Notation Real Units Gates Lrat Making Words Shifts Integers Largest Circuit CircuitUnit Fields Reading Numbers
  Factors Operands Packing Kinds.
Import ListNotations.
Open Scope Z_scope.

(** The same content, but for where it comes from. *)
Definition same_content (c c' : option content) : Prop :=
  match c, c' with
  | Some c, Some c' => content_negative c = content_negative c' /\ content_fraction c = content_fraction c'
  | None, None => True
  | _, _ => False
  end.

Section Contents.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation content_is := (content_is v).
Notation carries_is := (carries_is v).

Lemma content_same k c c' : same_content c c' -> content_is k c -> content_is k c'.
Proof.
  unfold content_is, same_content. destruct c as [c|], c' as [c'|]; try tauto. intros [E1 E2] (L & H & N & F). rewrite <- E1, <- E2. auto.
Qed.

Lemma carries_kept x n : carries_is x n -> carries_is x (kept n).
Proof. intros [C T]. split; [|destruct n as [| |s [|] [c|]]; exact T]. revert C. apply content_same. destruct n as [| |s t [c|]]; cbn; auto. Qed.

(** ** Reading *)

Theorem computes_read_carries f p : fair_format f = true -> len p = width f ->
  computes v (read_wires f p) (fun x => carries_is x (read f (num p))).
Proof.
  intros Hf Lp. destruct (fair_parts f Hf) as (Vf & Fx & PE & PM & _). unfold payload_bits in *.
  assert (T : match read f (num p) with NaN _ true (Some _) => False | _ => True end).
  { pose proof (read_is f (num p)) as R. destruct (read f (num p)) as [| |s t c]; try exact I. now subst t. }
  unfold read_wires. rewrite Fx. do 3 (eapply computes_bind; [apply computes_something|]; intros ? _).
  eapply computes_bind; [exact (computes_is_nan v v0 f Vf p Lp)|]. intros nan Hnan.
  do 2 (eapply computes_bind; [apply computes_something|]; intros ? _). apply computes_ret. split; [|exact T]. cbn [n_content].
  split; [cbn [k_payload]; apply length_slice; unfold payload_bits; lia|]. cbn [k_here k_negative k_payload]. unfold payload_bits.
  rewrite Hnan, (value_sign v v0 f Vf p Fx Lp). replace (M_bits f - 52) with (- (52 - M_bits f)) by ring.
  rewrite (num_slice_up v v0), (num_mantissa v v0 f Vf) by lia.
  assert (B : 0 <= fraction_of f (num p) < 2 ^ M_bits f) by (unfold fraction_of; rewrite !pow2_correct; apply Z.mod_pos_bound, Z.pow_pos_nonneg; lia).
  assert (Q : 2 ^ 52 = 2 ^ M_bits f * 2 ^ (52 - M_bits f)) by (rewrite <- Z.pow_add_r by lia; f_equal; ring).
  pose proof (Z.pow_pos_nonneg 2 (52 - M_bits f) eq_refl ltac:(lia)) as Pd.
  rewrite (Z.mod_small (fraction_of f (num p) * _)) by (rewrite Q; split; [apply Z.mul_nonneg_nonneg; lia|apply Z.mul_lt_mono_pos_r; lia]).
  rewrite <- Z.mul_assoc, <- Z.pow_add_r by lia. replace (52 - M_bits f + (64 - 52)) with (64 - M_bits f) by ring.
  unfold read. rewrite Fx. unfold read_float, read_finite. fold (sign_of_pattern f (num p)) (exponent_of f (num p)) (fraction_of f (num p)).
  destruct (kind_of f); repeat match goal with |- context [if ?c then _ else _] => destruct c end; cbn [carried is_nan_number]; try reflexivity;
    cbn [content_negative content_fraction]; rewrite pow2_correct; auto.
Qed.

(** ** Operands and products *)

Lemma flushed_carried z f n : carried (flush_operand z f n) = carried n /\
  match flush_operand z f n, n with NaN _ t _, NaN _ t' _ => t = t' | NaN _ _ _, _ => False | _, NaN _ _ _ => False | _, _ => True end.
Proof. destruct n as [d e s| |]; cbn [flush_operand]; try (split; reflexivity || exact I). destruct (match z with KeepSubnormals => _ | _ => _ end); now split. Qed.

Lemma carries_as x y n n' : n_content y = n_content x -> carried n' = carried n ->
  match n', n with NaN _ t _, NaN _ t' _ => t = t' | NaN _ _ _, _ => False | _, NaN _ _ _ => False | _, _ => True end -> carries_is x n -> carries_is y n'.
Proof.
  intros E C T [H1 H2]. split; [rewrite E, C; exact H1|]. destruct n' as [| |s t c], n as [| |s' t' c']; try exact I; try destruct T. cbn [carried] in C. subst. exact H2.
Qed.

Lemma carries_again wide x n : carries_is x n -> carries_is x (read_again wide n).
Proof. destruct wide, n; exact (fun H => H). Qed.

Theorem computes_factor_carries f p w : fair_format f = true -> p_nanzero p = false -> len w = width f ->
  computes v (factor_wires f w p) (fun x => carries_is x (factor p f (read f (num w)))).
Proof.
  intros Hf Hn Lw. unfold factor_wires, factor. rewrite Hn. eapply computes_bind; [exact (computes_read_carries f w Hf Lw)|]. intros x Hx.
  eapply computes_bind with (P := fun y => n_content y = n_content x).
  { destruct (p_infnan p); [|now apply computes_ret]. eapply computes_bind; [apply computes_something|]. intros ? _. now apply computes_ret. }
  intros y Hy. eapply computes_bind with (P := fun z => z = y); [now apply computes_ret|]. intros z ->.
  eapply computes_bind; [apply flushed_same_nan|]. intros z (_ & Hz & _). eapply computes_weaken; [apply again_same_nan|]. intros a (_ & Ha & _). rewrite Hy in Hz. rewrite Hz in Ha.
  apply carries_again. destruct (read f (num w)) as [d e s|s t|s t c].
  - destruct (flushed_carried (p_ftz p) f (Finite d e s)) as [C T]. exact (carries_as x a _ _ Ha C T Hx).
  - destruct Hx as [Hx _]. destruct (p_infnan p); (split; [rewrite Ha; exact Hx|exact I]).
  - exact (carries_as x a (NaN s t c) (NaN s t c) Ha eq_refl eq_refl Hx).
Qed.

Theorem computes_accumulator_carries f c w : fair_format f = true -> len w = width f ->
  computes v (accumulator_wires f w c) (fun x => carries_is x (accumulator c f (num w))).
Proof.
  intros Hf Lw. unfold accumulator. eapply computes_weaken; [exact (computes_accumulator_same v f w c _ (computes_read_carries f w Hf Lw))|].
  intros z (x & Hx & _ & Hz & _). apply carries_again. destruct (flushed_carried (c_ftz c) f (read f (num w))) as [C T]. exact (carries_as x z _ _ Hz C T Hx).
Qed.

(** A product carries what its first NaN does, if that carries something. *)
Lemma product_carried z m m' : carried (product z m m') = match carried m with Some c => Some c | None => carried m' end /\
  match product z m m' with NaN _ true _ => False | _ => True end.
Proof.
  destruct m as [d [e|] s|s t|s t [c|]], m' as [d' [e'|] s'|s' t'|s' t' [c'|]]; cbn [product carried]; try (split; [reflexivity|exact I]);
    match goal with |- context [if ?b then _ else _] => destruct b; (split; [reflexivity|exact I]) end.
Qed.

Lemma computes_specials_carry u a b scales negative beats x ma mb m :
  carries_is a ma -> carries_is b mb -> carried m = carried (product beats ma mb) -> match m with NaN _ true _ => False | _ => True end ->
  computes v (multiply_specials u a b scales negative beats x) (fun y => carries_is y m).
Proof.
  intros [[La Ha] Ta] [[Lb Hb] Tb] Hm Tm. unfold multiply_specials.
  eapply computes_bind; [apply computes_something|]. intros [[nan infinite] zero_] _. eapply computes_bind; [apply computes_something|]. intros nan' _.
  do 2 (eapply computes_bind; [apply computes_something|]; intros ? _).
  eapply computes_bind; [apply computes_or|]. intros here Hh. eapply computes_bind; [apply computes_mux|]. intros neg Hn.
  eapply computes_bind; [apply computes_mux_word; apply Nat2Z.inj; congruence|]. intros pay [Lp Np]. apply computes_ret.
  cbv beta in *. split; [|destruct m as [| |s [|] c]; first [exact I|destruct Tm]]. rewrite Hm, (proj1 (product_carried beats ma mb)). cbn [with_special n_content].
  unfold content_is. cbn [k_payload k_here k_negative]. split; [rewrite Lp; exact La|]. rewrite Hh, Hn, Np.
  destruct (carried ma) as [c|].
  - destruct Ha as (-> & -> & ->). repeat split.
  - rewrite Ha. cbn [orb]. destruct (carried mb) as [c|]; exact Hb.
Qed.
(** Scales carry nothing. *)
Lemma scaled_carried sc x z k n : carried (scaled sc x z k n) = carried n /\ (match n with NaN _ true _ => False | _ => True end ->
  match scaled sc x z k n with NaN _ true _ => False | _ => True end).
Proof.
  unfold scaled. destruct sc as [[f m]|]; [|split; auto].
  assert (S : forall b, carried (read_scale f b) = None) by (intros b; unfold read_scale; destruct (read f b); reflexivity).
  split; [|intros _; apply product_carried]. rewrite !(proj1 (product_carried _ _ _)), !S. now destruct (carried n).
Qed.

Lemma limited_carried p n : carried (limit_and_normalise p n) = carried n /\ (match n with NaN _ true _ => False | _ => True end ->
  match limit_and_normalise p n with NaN _ true _ => False | _ => True end).
Proof.
  destruct n as [d e s| |]; [|split; auto|split; auto]. cbn [limit_and_normalise]. destruct (is_zero d); [split; auto|].
  destruct (match p_limit p with Some n => _ | None => _ end); [split; auto|]. destruct (p_normalisation p), e; split; auto.
Qed.

Theorem computes_product_carries u i x p k : p_normalisation p = raw -> p_nanzero p = false ->
  fair_format (unit_a u) = true -> fair_format (unit_b u) = true ->
  len (operand (o_a i) k) = width (unit_a u) -> num (operand (o_a i) k) = in_a x k ->
  len (operand (o_b i) k) = width (unit_b u) -> num (operand (o_b i) k) = in_b x k ->
  computes v (product_wires u i p k)
    (fun y => carries_is y
       (limit_and_normalise p (scaled (product_scales u) x (p_infzero p) k
          (product (p_infzero p) (factor p (unit_a u) (read (unit_a u) (in_a x k))) (factor p (unit_b u) (read (unit_b u) (in_b x k))))))).
Proof.
  intros P1 P2 Ha Hb La Na Lb Nb. unfold product_wires. rewrite <- Na, <- Nb, P1.
  eapply computes_bind; [exact (computes_factor_carries _ p _ Ha P2 La)|]. intros xa Fa.
  eapply computes_bind; [exact (computes_factor_carries _ p _ Hb P2 Lb)|]. intros xb Fb.
  set (ma := factor p (unit_a u) _) in *. set (mb := factor p (unit_b u) _) in *. set (m := limit_and_normalise p _).
  assert (C : carried m = carried (product (p_infzero p) ma mb)) by (unfold m; rewrite (proj1 (limited_carried _ _)); apply scaled_carried).
  assert (T : match m with NaN _ true _ => False | _ => True end) by (apply limited_carried, scaled_carried, product_carried). clearbody m ma mb.
  do 3 (eapply computes_bind; [apply computes_something|]; intros ? _).
  eapply computes_bind; [exact (computes_specials_carry u xa xb _ _ (p_infzero p) _ ma mb m Fa Fb C T)|]. intros y Hy.
  eapply computes_bind with (P := fun z => n_content z = n_content y).
  { destruct (p_limit p); [|now apply computes_ret]. do 3 (eapply computes_bind; [apply computes_something|]; intros ? _).
    destruct (p_counts p); [|now apply computes_ret]. do 2 (eapply computes_bind; [apply computes_something|]; intros ? _). now apply computes_ret. }
  intros z Hz. unfold normalise_product. eapply computes_bind; [apply computes_something|]. intros ? _. apply computes_ret.
  destruct Hy as [H1 H2]. split; [rewrite Hz; exact H1|exact H2].
Qed.

(** ** Sums *)

Lemma first_carried_snoc l n : (match n with NaN _ true (Some _) => False | _ => True end) ->
  first_carried false (l ++ [n]) = match first_carried false l with Some c => Some c | None => carried n end.
Proof.
  intros T. induction l as [|m l IH]; cbn [app first_carried].
  - destruct n as [| |s [|] [c|]]; cbn; try reflexivity. destruct T.
  - destruct m as [| |s [|] [c|]]; cbn; try exact IH. reflexivity.
Qed.

Lemma computes_combine_carries terms numbers sum : Forall2 carries_is terms numbers -> n_content sum = no_content ->
  computes v (combine_specials terms sum) (fun y => content_is (n_content y) (first_carried false numbers)).
Proof.
  intros HT HS. unfold combine_specials. do 13 (eapply computes_bind; [apply computes_something|]; intros ? _).
  eapply computes_bind with (P := fun k => content_is k (first_carried false numbers)).
  2: { intros k Hk. eapply computes_bind; [apply computes_something|]. intros kind _. now apply computes_ret. }
  rewrite HS. assert (C0 : content_is no_content (first_carried false [])).
  { split; [reflexivity|]. exact (value_no v v0). }
  assert (G : forall ts ns k done, Forall2 carries_is ts ns -> content_is k (first_carried false done) ->
    computes v (fold_m (fun k (t : wires) =>
         let c := n_content t in
         first <- make_and (k_here c) (invert (k_here k)) ;;
         negative <- make_mux first (k_negative c) (k_negative k) ;;
         payload <- mux first (k_payload c) (k_payload k) ;;
         here <- make_or (k_here k) (k_here c) ;;
         ret (ContentWires here negative payload)) ts k) (fun k => content_is k (first_carried false (done ++ ns)))).
  { induction ts as [|t ts IH]; intros ns k done H Hk; inversion H as [|? n ? ns' [Hc Tn] Hr]; subst; cbn [fold_m]; [apply computes_ret; now rewrite app_nil_r|].
    eapply computes_bind with (P := fun k => content_is k (first_carried false (done ++ [n]))).
    - rewrite (first_carried_snoc done n Tn). destruct Hk as [Lk Hk], Hc as [Lc Hc].
      eapply computes_bind; [apply computes_and|]. intros first Hf. rewrite value_invert in Hf.
      eapply computes_bind; [apply computes_mux|]. intros neg Hn. eapply computes_bind; [apply computes_mux_word; apply Nat2Z.inj; congruence|]. intros pay [Lp Np].
      eapply computes_bind; [apply computes_or|]. intros here Hh. apply computes_ret. cbv beta in *. unfold content_is, Numbers.content_is. cbn [k_payload k_here k_negative].
      split; [congruence|]. rewrite Hh, Hn, Np, Hf. destruct (first_carried false done) as [c|].
      + destruct Hk as (-> & Hk). cbn [negb]. rewrite andb_false_r. cbn [orb]. auto.
      + rewrite Hk. cbn [negb orb]. rewrite andb_true_r. destruct (carried n) as [c|].
        * destruct Hc as (-> & Hc). auto.
        * exact Hc.
    - intros k' Hk'. specialize (IH ns' k' (done ++ [n]) Hr Hk'). rewrite <- app_assoc in IH. exact IH. }
  exact (G terms numbers no_content [] HT C0).
Qed.

(** What a sum carries, in the definition. *)
Lemma fuse_carried u children terms :
  Forall (fun t => match t_number t with NaN _ true (Some _) => False | _ => True end) terms ->
  same_content (first_carried false (map t_number terms)) (carried (fuse u children terms)) /\
  match fuse u children terms with NaN _ true (Some _) => False | _ => True end.
Proof.
  intros H. set (l := map t_number terms).
  assert (T : first_carried true l = None).
  { unfold l. induction H as [|t ts Ht _ IH]; [reflexivity|]. cbn [map first_carried]. destruct (t_number t) as [| |s [|] [c|]]; try exact IH. destruct Ht. }
  assert (N : forall b, existsb (is_nan_of b) l = false -> first_carried b l = None).
  { intros b. generalize l. clear. intros l. induction l as [|n ns IH]; [reflexivity|]. cbn [existsb first_carried]. intros E. apply orb_false_elim in E. destruct E as [E1 E2].
    destruct n as [| |s t [c|]]; cbn [is_nan_of] in E1; try (now apply IH). rewrite E1. now apply IH. }
  clear H. unfold fuse. fold l. unfold special_sum, special_of.
  destruct (existsb (is_nan_of false) l) eqn:N0; cbn [orb].
  { cbn [carried]. unfold carried_on. split; [|exact I]. destruct (first_carried false l); cbn; auto. }
  rewrite (N false N0). destruct (existsb (is_infinity_of false Plus) l), (existsb (is_infinity_of false Minus) l); cbn [andb carried]; try (split; exact I).
  { unfold carried_on. rewrite (N false N0). split; exact I. }
  unfold carried_on. rewrite T. cbn [option_map].
  repeat match goal with |- context [if ?c then _ else _] => destruct c end; try (split; exact I); destruct (common_exponent u terms); split; exact I.
Qed.

Theorem computes_fuse_carries u given defs children :
  Forall2 (fun t d => carries_is (s_number t) (t_number d)) given defs ->
  computes v (fuse_wires u given) (fun y => carries_is y (fuse u children defs)).
Proof.
  intros H. unfold fuse_wires.
  eapply computes_bind.
  { apply (computes_combine_carries _ (map t_number defs)); [|reflexivity].
    clear -H. induction H as [|t d ts ds Hd _ IH]; cbn [map]; constructor; [exact Hd|exact IH]. }
  intros sum Hsum. eapply computes_bind; [apply computes_something|]. intros [E here] _.
  repeat (eapply computes_bind; [apply computes_something|]; intros ? _).
  apply computes_ret. cbn [n_content]. unfold carries_is, Numbers.carries_is. cbn [n_content].
  destruct (fuse_carried u children defs) as [C T].
  { clear -H. induction H as [|t d ts ds [_ Hd] _ IH]; constructor; assumption. }
  split; [exact (content_same _ _ _ C Hsum)|exact T].
Qed.

End Contents.
