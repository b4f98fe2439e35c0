(** * Units

    The circuit of a unit that is [covered] computes [evaluate] of the definition: blocks and their chains, c last, and the
    NaN of the unit: a pattern, any, or the one that is carried on (nan=x86), or that of the operation (nan=rdna). *)

From Coq Require Import ZArith List Bool Reals Lia.
From Flocq Require Import Core.
From Discern Require Import Notation Real Exact Units Gates Lrat Making Words Shifts Integers Largest Circuit CircuitUnit Fields Reading
  Exponents Numbers Factors Operands FixedOperands Products Carried Alignment FuseTerms FuseCorrect Packing RoundCorrect ScaledSums Kinds Contents Tree Origins ContentsTree.
Import ListNotations.
Open Scope Z_scope.

(** ** What is covered, as a check *)

Definition kind_eqb (k l : kind) : bool :=
  match k, l with Ieee, Ieee | Fn, Fn | Fnuz, Fnuz | Inuz, Inuz | AllFinite, AllFinite | Fixed, Fixed => true | _, _ => false end.

(** What is written in the format f has the width of d, and is NaN in d if it is in f. *)
Definition same_nans (f d : format) : bool :=
  (width f =? width d) && (E_bits f =? E_bits d) && (padding f + M_bits f =? padding d + M_bits d) && (padding d <=? padding f) &&
  kind_eqb (kind_of f) (kind_of d) && (kind_eqb (kind_of f) Ieee || (padding f =? padding d)).

Definition nan_value (u : unit) : Z := match unit_nan u with NanPattern bits => bits | _ => canonical_nan (unit_d u) end.
Definition keeps_payloads (u : unit) : bool :=
  fair_format (unit_a u) && fair_format (unit_b u) && rounds_keep u (unit_tree u) && keeps_payload (r_format (unit_root u)) && keeps_payload (unit_d u).
Definition fair_nan (u : unit) : bool :=
  match unit_nan u with NanPattern _ | NanAny => true | NanX86 | NanRdna => keeps_payloads u end && has_nan (unit_d u) && (width (unit_d u) <=? 64) &&
  (0 <=? nan_value u) && (nan_value u <? pow2 (width (unit_d u))).

Definition covered (u : unit) : bool :=
  fair_operand (unit_a u) && fair_operand (unit_b u) && fair_scales (unit_scales u) && fair_nan u &&
  fair_format (unit_d u) && float_format (unit_d u) && match unit_c u with Some f => fair_format f | None => true end &&
  fair_round u (unit_root u) && same_nans (r_format (unit_root u)) (unit_d u) &&
  fair_node u (unit_tree u) && (1 <=? count u (unit_tree u)) && (above u (unit_tree u) <=? 2 ^ 43) &&
  ((1 <=? unit_K u / unit_L u) && (0 <? unit_L u)) &&
  forallb (fun i => forallb (fun l => (0 <=? element u i l) && (element u i l <? unit_K u)) (below (unit_L u)))
          (below (unit_K u / unit_L u)).

(** ** It suffices *)

Section Nans.
Variables f d : format.
Hypothesis Hf : float_format f = true.
Hypothesis Hd : fair_format d = true.
Hypothesis Hdf : float_format d = true.
Hypothesis H : same_nans f d = true.

Lemma same_parts : width f = width d /\ E_bits f = E_bits d /\ padding f + M_bits f = padding d + M_bits d /\ padding d <= padding f /\
  kind_of f = kind_of d /\ (kind_of f = Ieee \/ padding f = padding d).
Proof.
  pose proof H as G. unfold same_nans in G. apply andb_prop in G. destruct G as [G G6]. apply andb_prop in G. destruct G as [G G5].
  apply andb_prop in G. destruct G as [G G4]. apply andb_prop in G. destruct G as [G G3]. apply andb_prop in G. destruct G as [G1 G2].
  apply Z.eqb_eq in G1, G2, G3. apply Z.leb_le in G4. repeat (split; [assumption|]). split.
  - destruct (kind_of f), (kind_of d); try discriminate; reflexivity.
  - apply orb_prop in G6. destruct G6 as [G6|G6]; [left|right; now apply Z.eqb_eq]. destruct (kind_of f); try discriminate; reflexivity.
Qed.

Lemma same_fields p : exponent_of f p = exponent_of d p /\ sign_of_pattern f p = sign_of_pattern d p /\
  (padding f = padding d -> fraction_of f p = fraction_of d p).
Proof.
  destruct same_parts as (_ & E & P & _). destruct (float_parts f Hf) as (_ & S & _). destruct (float_parts d Hdf) as (_ & S' & _).
  unfold exponent_of, sign_of_pattern, fraction_of. rewrite S, S', E, P. repeat split. intros Q. rewrite Q. now replace (M_bits f) with (M_bits d) by lia.
Qed.

(** A NaN of f is one of d; and what is no NaN and was written in f is none of d. *)
Lemma nan_of_d p x : packs f p x -> is_nan_number (read d p) = is_nan_number x.
Proof.
  intros P. destruct same_parts as (W & E & Q & L & K & KP). destruct (same_fields p) as (F1 & F2 & F3).
  destruct (float_parts f Hf) as (_ & HS & HZ & HN & P5 & P6 & P7 & _ & _ & P10 & P11).
  destruct (float_parts d Hdf) as (_ & _ & _ & _ & _ & P6' & P7' & _).
  assert (N : is_nan_number (read f p) = is_nan_number x).
  { pose proof (packs_read f Hf p x P) as R. destruct (read f p), x; try reflexivity; destruct R. }
  rewrite <- N, !nan_of_fields, <- K, <- F1, <- F2, <- E. destruct KP as [KP|KP].
  2: { rewrite <- (F3 KP). replace (M_bits d) with (M_bits f) by lia. reflexivity. }
  rewrite KP. destruct (exponent_of f p =? pow2 (E_bits f) - 1) eqn:EE; [|reflexivity]. cbn [andb]. f_equal.
  (* the fraction field of d has more bits at its end *)
  set (g := padding f - padding d). assert (G0 : 0 <= g) by (unfold g; lia).
  assert (FD : fraction_of f p = fraction_of d p / 2 ^ g).
  { unfold fraction_of. rewrite !pow2_correct. replace (M_bits d) with (g + M_bits f) by (unfold g; lia).
    replace (padding f) with (padding d + g) by (unfold g; lia). pose proof (Z.pow_pos_nonneg 2 g eq_refl G0) as Pg. pose proof (Z.pow_pos_nonneg 2 (padding d) eq_refl P7') as Pd.
    rewrite (Z.pow_add_r 2 (padding d)), <- Z.div_div by lia.
    set (z := p / 2 ^ padding d). rewrite Z.pow_add_r, Z.rem_mul_r by lia.
    pose proof (Z.mod_pos_bound z (2 ^ g) ltac:(apply Z.pow_pos_nonneg; lia)). rewrite (Z.add_comm (z mod 2 ^ g)), Z.mul_comm, Z.div_add_l by lia.
    rewrite (Z.div_small (z mod 2 ^ g)) by lia. ring. }
  destruct (Z.eqb_spec (fraction_of d p) 0) as [Z0|Z0].
  { rewrite FD, Z0, Z.div_0_l by (apply Z.pow_nonzero; lia). reflexivity. }
  destruct (Z.eqb_spec (fraction_of f p) 0) as [Z1|Z1]; [exfalso|reflexivity].
  (* it is an infinity, then, and was written as one *)
  assert (X : exists s, x = Infinite s false /\ p = write_infinity f s).
  { pose proof (packs_read f Hf p x P) as R. assert (I : is_infinite_number (read f p) = true) by (rewrite (infinite_of_fields f (float_valid f Hf)), KP, EE, Z1; reflexivity).
    destruct (read f p) as [| s t|]; try discriminate I. destruct x as [|s' t'|]; try (now destruct R). destruct P as (-> & _ & _ & ->). now exists s'. }
  destruct X as (s & _ & Hp). apply Z0. rewrite Hp. unfold write_infinity, infinite_fraction, fields, fraction_of. rewrite KP, !pow2_correct, Z.add_0_r.
  replace (padding f) with (g + padding d) by (unfold g; ring). rewrite Z.pow_add_r by lia. rewrite Z.mul_assoc, Z.div_mul by (apply Z.pow_nonzero; lia).
  rewrite <- Z.mul_assoc, <- Z.pow_add_r by lia. replace (M_bits f + g) with (M_bits d) by (unfold g; lia). apply Z.mod_mul. apply Z.pow_nonzero; lia.
Qed.
End Nans.

Section Units.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Variable u : unit.
Variable i : operands.
Variable x : inputs.
Hypothesis Hu : covered u = true.
Hypothesis Hi : operands_are v u i x.

Lemma covered_parts :
  fair_operand (unit_a u) = true /\ fair_operand (unit_b u) = true /\ fair_scales (unit_scales u) = true /\ fair_nan u = true /\
  fair_format (unit_d u) = true /\ float_format (unit_d u) = true /\ match unit_c u with Some f => fair_format f = true | None => True end /\
  fair_round u (unit_root u) = true /\ same_nans (r_format (unit_root u)) (unit_d u) = true /\ fair_node u (unit_tree u) = true /\
  1 <= count u (unit_tree u) /\ above u (unit_tree u) <= 2 ^ 43 /\ (1 <= unit_K u / unit_L u /\ 0 < unit_L u) /\
  (forall k, In k (below (unit_K u / unit_L u)) -> forall l, In l (below (unit_L u)) -> 0 <= element u k l < unit_K u).
Proof.
  pose proof Hu as G. unfold covered in G.
  apply andb_prop in G. destruct G as [G G13]. apply andb_prop in G. destruct G as [G G14]. apply andb_prop in G. destruct G as [G G12]. apply andb_prop in G. destruct G as [G G11].
  apply andb_prop in G. destruct G as [G G10]. apply andb_prop in G. destruct G as [G G9]. apply andb_prop in G. destruct G as [G G8].
  apply andb_prop in G. destruct G as [G G7]. apply andb_prop in G. destruct G as [G G6]. apply andb_prop in G. destruct G as [G G5].
  apply andb_prop in G. destruct G as [G G4]. apply andb_prop in G. destruct G as [G G3]. apply andb_prop in G. destruct G as [G1 G2].
  apply Z.leb_le in G11, G12. apply andb_prop in G14. destruct G14 as [G14 G15]. apply Z.leb_le in G14. apply Z.ltb_lt in G15. repeat (split; [assumption|]). split; [destruct (unit_c u); [exact G7|exact I]|]. repeat (split; [solve [assumption|now split]|]).
  intros k Ik l Il. rewrite forallb_forall in G13. specialize (G13 k Ik). rewrite forallb_forall in G13. specialize (G13 l Il).
  apply andb_prop in G13. destruct G13 as [A B]. apply Z.leb_le in A. apply Z.ltb_lt in B. lia.
Qed.

Lemma keeps_parts : keeps_nan u = true -> fair_format (unit_a u) = true /\ fair_format (unit_b u) = true /\
  rounds_keep u (unit_tree u) = true /\ keeps_payload (r_format (unit_root u)) = true /\ keeps_payload (unit_d u) = true.
Proof.
  intros U. destruct covered_parts as (_ & _ & _ & N & _). unfold fair_nan, keeps_nan in *. do 4 (apply andb_prop in N; destruct N as [N _]).
  assert (K : keeps_payloads u = true) by (destruct (unit_nan u); (discriminate U || exact N)). unfold keeps_payloads in K.
  apply andb_prop in K. destruct K as [K K3]. apply andb_prop in K. destruct K as [K K2]. apply andb_prop in K. destruct K as [K K1]. apply andb_prop in K. tauto.
Qed.

(** The NaN of a round, once the rule has said which one it is. *)
Lemma result_of_rule m r p : keeps_nan u = true -> float_format (r_format r) = true -> keeps_payload (r_format r) = true -> carries_fitting m ->
  is_nan_number (rounded u r m) = true -> (is_nan_number m = true -> p = write_nan (r_format r) (or_invalid (carried (nan_of_rule u (r_format r) m)))) ->
  p = result u (r_format r) (rounded u r m).
Proof.
  intros U Hf K Fm NM Np. destruct (float_parts _ Hf) as (_ & _ & _ & _ & _ & PM & _). unfold rounded in *. set (m' := nan_of_rule u (r_format r) m) in *.
  pose proof (round_nan_only r m' Hf K NM) as NM'. rewrite Np by (rewrite <- NM'; symmetry; apply rule_nan).
  symmetry. apply result_of_nan; try assumption; [|reflexivity]. apply rule_fits; (lia || assumption).
Qed.

(** The NaN of the unit. *)
Lemma computes_nan_rule f p m : float_format f = true -> same_nans f (unit_d u) = true -> len p = width f -> packs f (num p) m ->
  (keeps_nan u = true -> is_nan_number m = true -> num p = result u f m) ->
  computes v (with_nan_rule u p) (fun d => len d = width (unit_d u) /\ num d = result u f m).
Proof.
  intros Hf Sn Lp Pp Cp. destruct covered_parts as (_ & _ & _ & N & Fd & Ffd & _). destruct (same_parts f (unit_d u) Sn) as (W & _).
  destruct (fair_parts (unit_d u) Fd) as (Vd & _).
  unfold fair_nan in N. apply andb_prop in N. destruct N as [N N5]. apply andb_prop in N. destruct N as [N N4]. apply andb_prop in N. destruct N as [N N3].
  apply andb_prop in N. destruct N as [N1 N2]. apply Z.leb_le in N3, N4. apply Z.ltb_lt in N5. rewrite pow2_correct in N5.
  assert (X : keeps_nan u = true -> num p = result u f m).
  { intros U. destruct (is_nan_number m) eqn:NM; [exact (Cp U eq_refl)|now apply packs_result]. }
  assert (G : keeps_nan u = false -> computes v (is_nan <- is_nan_wire (unit_d u) p ;; mux is_nan (constant (nan_value u) (width (unit_d u))) p)
            (fun d => len d = width (unit_d u) /\ num d = result u f m)).
  { intros NX. assert (W0 : 0 <= width (unit_d u)) by lia.
    eapply computes_bind; [apply (computes_is_nan v v0 (unit_d u) Vd); lia|]. intros n Hn. rewrite (nan_of_d f (unit_d u) Hf Ffd Sn (num p) m Pp) in Hn.
    eapply computes_weaken; [apply computes_mux_word; apply Nat2Z.inj; rewrite length_constant by exact W0; lia|].
    intros d [Ld Nd]. split; [rewrite Ld; now apply length_constant|]. rewrite Nd, Hn, (num_constant v v0), Z.mod_small by lia.
    destruct (is_nan_number m) eqn:NM; [|now apply packs_result].
    destruct m as [| |s t c]; try discriminate NM. cbn [result]. unfold nan_value, keeps_nan in *. destruct (unit_nan u); (reflexivity || discriminate NX). }
  unfold with_nan_rule. rewrite N2. unfold nan_value, keeps_nan in *. destruct (unit_nan u); try (exact (G eq_refl));
    apply computes_ret; (split; [lia|exact (X eq_refl)]).
Qed.

Theorem computes_block k cf c cb : In k (below (unit_K u / unit_L u)) -> fair_format cf = true -> len c = width cf -> num c = cb ->
  computes v (d <- block_wires u i k cf c ;; with_nan_rule u d)
    (fun d => len d = width (unit_d u) /\ num d = block u x k cf cb).
Proof.
  intros Ik Fc Lc Nc. destruct covered_parts as (Fa & Fb & Fs & _ & _ & _ & _ & Fr & Sn & Fn & Co & Ab & _ & El).
  pose proof Fr as Fr'. unfold fair_round in Fr'. apply andb_prop in Fr'. destruct Fr' as [Fr' _]. apply andb_prop in Fr'. destruct Fr' as [Ff Ffair].
  destruct (computes_node v v0 u i x k cf c cb Hi Fa Fb Fs (El k Ik) Fc Lc Nc (unit_tree u) Fn) as (N1 & N2 & N3 & N4 & _).
  destruct (numbers u x k cf cb (unit_tree u)) as [|m ms] eqn:EM; [cbn [length] in N2; lia|]. assert (Fm : carries_fitting m) by (inversion N4; assumption).
  eapply computes_bind with (P := fun p => len p = width (r_format (unit_root u)) /\
     packs (r_format (unit_root u)) (num p) (rounded u (unit_root u) m) /\
     (keeps_nan u = true -> is_nan_number m = true -> num p = write_nan (r_format (unit_root u)) (or_invalid (carried (nan_of_rule u (r_format (unit_root u)) m))))).
  - unfold block_wires.
    eapply computes_bind with (P := fun xs => Forall2 (is_number v (above u (unit_tree u))) xs (m :: ms) /\ (keeps_nan u = true -> Forall2 (tells v u (unit_tree u)) xs (m :: ms)) /\
      (has_kinds u = false -> Forall (fun x => n_kind x = None) xs)).
    { apply computes_both; [exact N1|]. apply computes_both; apply computes_if; intros U; [|exact (node_unsaid v u U i k cf c (unit_tree u))].
      destruct (keeps_parts U) as (Ka & Kb & K & _). rewrite <- EM. exact (computes_node_carries v v0 u i x k cf c cb Hi Ka Kb Fs (El k Ik) Fc Lc Nc (unit_tree u) Fn K). }
    intros xs (Hxs & Cxs & Kxs). inversion Hxs as [|y ? ys ? Hy _]; subst.
    assert (NK : n_kind y = None \/ kind_of (r_format (unit_root u)) = Ieee) by (apply (kind_or_ieee u); [exact Fr|intros U; specialize (Kxs U); now inversion Kxs]).
    eapply computes_weaken; [exact (computes_round_carried v v0 (unit_root u) Ff u _ y m Ab Hy NK Fm)|]. intros p (Lp & Pp & Np). split; [exact Lp|]. split; [exact Pp|].
    intros U NM. specialize (Cxs U). inversion Cxs as [|? ? ? ? ([Cy _] & Qy & _) _]; subst. destruct (keeps_parts U) as (_ & _ & _ & K & _). unfold keeps_payload in K.
    destruct (kind_of (r_format (unit_root u))) eqn:EK; try discriminate. apply Z.leb_le in K. now apply Np.
  - intros p (Lp & Pp & Np).
    assert (EB : block u x k cf cb = result u (r_format (unit_root u)) (rounded u (unit_root u) m)).
    { unfold block. cbn [numbers]. now rewrite EM. }
    rewrite EB. apply (computes_nan_rule _ p _ Ff Sn Lp Pp). intros U NM. destruct (keeps_parts U) as (_ & _ & _ & K & _).
    exact (result_of_rule m (unit_root u) _ U Ff K Fm NM (Np U)).
Qed.

Lemma computes_chain l : (forall k, In k l -> In k (below (unit_K u / unit_L u))) -> forall cf c cb, fair_format cf = true -> len c = width cf -> num c = cb ->
  computes v (fold_m (fun acc index =>
            d <- block_wires u i index (fst acc) (snd acc) ;;
            d <- with_nan_rule u d ;;
            ret (unit_d u, d)) l (cf, c))
    (fun acc => let acc' := fold_left (fun acc i => (unit_d u, block u x i (fst acc) (snd acc))) l (cf, cb) in
                fst acc = fst acc' /\ len (snd acc) = width (fst acc) /\ num (snd acc) = snd acc' /\ fair_format (fst acc) = true).
Proof.
  destruct covered_parts as (_ & _ & _ & _ & Fd & _). induction l as [|k l IH]; intros Hl cf c cb Fc Lc Nc; cbn [fold_m fold_left].
  - apply computes_ret. cbn [fst snd]. repeat split; assumption.
  - cbn [fst snd]. eapply computes_bind with (P := fun acc => fst acc = unit_d u /\ len (snd acc) = width (unit_d u) /\ num (snd acc) = block u x k cf cb).
    + intros s S. cbn [bind run] in *. pose proof (computes_block k cf c cb (Hl k (or_introl eq_refl)) Fc Lc Nc s) as B. cbn [bind run] in B.
      destruct (run (block_wires u i k cf c) s) as [d s1]. destruct (run (with_nan_rule u d) s1) as [d' s2]. cbn [fst snd ret run] in *.
      destruct (B S) as [B1 B2]. auto.
    + intros [f d] (E1 & E2 & E3). cbn [fst snd] in *. subst f. apply (IH (fun k' I => Hl k' (or_intror I)) (unit_d u) d _ Fd E2 E3).
Qed.

(** c last: an exact sum of two. *)
Definition plain_child : child_attr := ChildAttr None rz Ignore None 0 ByNone.
Definition exact_fuse : fuse_attr := FuseAttr None None false false NoFrame AllOpposed None 0.

Lemma exact_two dm cm :
  match dm with Finite _ e _ => e <> None | Infinite s _ => s <> Mixed | _ => True end ->
  match cm with Finite _ e _ => e <> None | Infinite s _ => s <> Mixed | _ => True end ->
  alike (fuse exact_fuse [plain_child; plain_child] [Term plain_child false dm; Term plain_child false cm]) (exact_sum [dm; cm]).
Proof.
  intros Hd Hcm. set (terms := [Term plain_child false dm; Term plain_child false cm]).
  destruct (special_sum [dm; cm]) as [y|] eqn:S.
  { unfold fuse, exact_sum. change (map t_number terms) with [dm; cm]. rewrite S. apply alike_refl. }
  assert (Fin : Forall (fun x => match x with Finite _ _ _ => True | _ => False end) [dm; cm]).
  { apply not_special; [|exact S]. constructor; [now destruct dm|constructor; [now destruct cm|constructor]]. }
  inversion Fin as [|? ? F1 F2]; inversion F2 as [|? ? F3 _]; subst.
  destruct dm as [d e s| |]; [|destruct F1|destruct F1]. destruct cm as [d' e' s'| |]; [|destruct F3|destruct F3].
  destruct (fuse_exact exact_fuse [plain_child; plain_child] terms) as (Sm & e0 & -> & V).
  { repeat split. }
  { constructor; [|constructor; [|constructor]]; (split; [reflexivity|split; [reflexivity|do 3 eexists; split; [reflexivity|auto]]]). }
  unfold exact_sum. rewrite S. cbn [alike]. split; [now rewrite V, D2R_sum|]. unfold zero_sum_sign. reflexivity.
Qed.

Lemma computes_added_last p cf c : fair_format cf = true -> unit_c u = Some cf -> len p = width (unit_d u) -> len c = width cf ->
  computes v (d <- added_last_wires u p c ;; with_nan_rule u d)
    (fun d => len d = width (unit_d u) /\ num d = added_last u (num p) cf (num c)).
Proof.
  intros Fc Ec Lp Lc. destruct covered_parts as (_ & _ & _ & N & Fd & Ffd & _).
  destruct (fair_parts (unit_d u) Fd) as (_ & _ & _ & PM & _).
  set (dm := kept (read (unit_d u) (num p))). set (cm := kept (read cf (num c))).
  assert (RD : forall f b, match kept (read f b) with Finite _ e _ => e <> None | Infinite s _ => s <> Mixed | _ => True end).
  { intros f b. pose proof (read_is f b) as R. destruct (read f b); cbn [kept]; [exact R|apply R|exact I]. }
  assert (FC : fair_child plain_child) by (unfold fair_child; cbn; repeat split; lia).
  set (m := fuse exact_fuse [plain_child; plain_child] [Term plain_child false dm; Term plain_child false cm]).
  assert (Fm : carries_fitting m).
  { apply fuse_carries; [exact fits_any_origin|]. constructor; [|constructor; [|constructor]]; cbn [t_number]; (apply kept_carries; [exact fits_any_origin|now apply fair_read_fits]). }
  eapply computes_bind with (P := fun q => len q = width (unit_d u) /\ packs (unit_d u) (num q) (rounded u (ieee_rne (unit_d u)) m) /\
     (keeps_nan u = true -> is_nan_number m = true -> num q = write_nan (unit_d u) (or_invalid (carried (nan_of_rule u (unit_d u) m))))).
  { unfold added_last_wires. rewrite Ec.
    assert (RK : forall f w, fair_format f = true -> len w = width f -> computes v (read_wires f w) (fun y =>
      is_number v 1 (kept_wires u y) (kept (read f (num w))) /\ carries_is v (kept_wires u y) (kept (read f (num w))) /\ kind_is v u (kept_wires u y) (kept (read f (num w))))).
    { intros f w Hf Lw. eapply computes_weaken.
      { exact (computes_both v _ _ _ (computes_read_factor v v0 f w Hf Lw) (computes_both v _ _ _ (computes_read_carries v v0 f w Hf Lw)
          (computes_both v _ _ _ (computes_read_only v v0 f Hf w Lw) (read_kind v f w)))). }
      intros y ((Ny & _) & Cy & Oy & Ky). destruct (read_of_factor f (num w)) as (_ & Ty & Sy). split; [|split].
      - apply is_number_kept. unfold kept_wires. destruct (has_kinds u); exact Ny.
      - apply (carries_kept v). unfold kept_wires. destruct (has_kinds u); exact Cy.
      - apply (kept_kind v v0); [intros _; split; [apply Ny|exact Ty]|now intros _|]. intros NM. split; [exact (Sy NM)|exact (Oy NM)]. }
    eapply computes_bind; [exact (RK _ p Fd Lp)|]. intros wd (Hwd & Cwd & Qwd). eapply computes_bind; [exact (RK _ c Fc Lc)|]. intros wc (Hwc & Cwc & Qwc).
    fold plain_child exact_fuse. fold dm in Hwd, Cwd, Qwd. fold cm in Hwc, Cwc, Qwc.
    assert (T : forall y m, is_number v 1 y m -> is_term v 1 (SumTerm y plain_child false) (Term plain_child false m)).
    { intros y m' H. split; [reflexivity|]. split; [reflexivity|]. split; [exact FC|]. cbn [s_number s_child t_number]. split; [exact H|].
      cbn [ch_less plain_child]. rewrite Z.sub_0_r. destruct H as (_ & (S1 & S2 & _ & S4 & S5) & _). split; [exact S2|]. split; [lia|].
      unfold near, offset_by in *. cbn [i_low i_high]. lia. }
    eapply computes_bind.
    - apply computes_both.
      + apply (computes_fuse v v0 exact_fuse _ [Term plain_child false dm; Term plain_child false cm] [plain_child; plain_child] 1); [discriminate| | |discriminate|now left|lia|].
        * repeat split.
        * exact I.
        * constructor; [exact (T _ _ Hwd)|constructor; [exact (T _ _ Hwc)|constructor]].
      + apply computes_both; [apply (computes_fuse_carries v v0 exact_fuse _ [Term plain_child false dm; Term plain_child false cm] [plain_child; plain_child])|
                              apply (computes_fuse_kinds v v0 u exact_fuse _ [Term plain_child false dm; Term plain_child false cm] [plain_child; plain_child]); [discriminate|]].
        * constructor; [exact Cwd|constructor; [exact Cwc|constructor]].
        * constructor; [exact Qwd|constructor; [exact Qwc|constructor]].
    - intros t (Ht & (Ct & _) & Qt). cbv beta in Ht. fold m in Ht, Ct, Qt.
      assert (NK : n_kind t = None \/ kind_of (unit_d u) = Ieee).
      { unfold kind_is in Qt. destruct (has_kinds u) eqn:Hk; [right|now left]. assert (U : keeps_nan u = true) by (unfold has_kinds, keeps_nan in *; destruct (unit_nan u); (discriminate Hk || reflexivity)).
        destruct (keeps_parts U) as (_ & _ & _ & _ & K). unfold keeps_payload in K. destruct (kind_of (unit_d u)); try discriminate K; reflexivity. }
      eapply computes_weaken; [apply (computes_round_carried v v0 (ieee_rne (unit_d u)) Ffd u _ t m) with (2 := Ht); [cbn; lia|exact NK|exact Fm]|].
      intros q (Lq & Pq & Nq). split; [exact Lq|]. split; [exact Pq|]. intros U NM. destruct (keeps_parts U) as (_ & _ & _ & _ & K). unfold keeps_payload in K.
      cbn [ieee_rne r_format] in Nq. destruct (kind_of (unit_d u)); try discriminate. apply Z.leb_le in K. now apply Nq. }
  intros q (Lq & Pq & Nq).
  assert (Sn : same_nans (unit_d u) (unit_d u) = true).
  { unfold same_nans. rewrite !Z.eqb_refl, Z.leb_refl. cbn. rewrite orb_true_r, andb_true_r. now destruct (kind_of (unit_d u)). }
  eapply computes_weaken.
  { apply (computes_nan_rule (unit_d u) q _ Ffd Sn Lq Pq). intros U NM. destruct (keeps_parts U) as (_ & _ & _ & _ & K).
    exact (result_of_rule m (ieee_rne (unit_d u)) _ U Ffd K Fm NM (Nq U)). }
  intros d [Ld Nd]. split; [exact Ld|]. rewrite Nd.
  unfold added_last. apply result_alike. apply rounded_alike; [cbn; lia|]. apply exact_two; apply RD.
Qed.

Lemma chain_format l : forall a, l <> [] \/ fst a = unit_d u ->
  fst (fold_left (fun acc i0 => (unit_d u, block u x i0 (fst acc) (snd acc))) l a) = unit_d u.
Proof.
  induction l as [|k l IH]; intros a [H|H]; try congruence; cbn [fold_left]; [exact H| |]; apply IH; now right.
Qed.

(** The word of c is its input. *)
Definition c_is : Prop := match unit_c u with Some f => len (operand (o_c i) 0) = width f /\ num (operand (o_c i) 0) = in_c x | None => True end.

(** The circuit of a unit that is covered computes the unit. *)
Theorem computes_unit : c_is -> computes v (unit_wires u i) (fun d => len d = width (unit_d u) /\ num d = evaluate u x).
Proof.
  intros Hc. destruct covered_parts as (_ & _ & _ & _ & Fd & _ & Fc & _ & _ & _ & _ & _ & KL & _). destruct (fair_parts (unit_d u) Fd) as (_ & _ & P3 & P4 & P5 & P6 & _).
  assert (L0 : len (constant 0 (width (unit_d u))) = width (unit_d u)) by (apply length_constant; lia).
  pose proof (num_constant0 v v0 (width (unit_d u))) as N0.
  set (blocks := below (unit_K u / unit_L u)).
  assert (Ne : blocks <> []).
  { unfold blocks, below. destruct (Z.to_nat (unit_K u / unit_L u)) eqn:Z; [lia|]. cbn. discriminate. }
  assert (CC := fun cf c cb => computes_chain blocks (fun k I => I) cf c cb).
  assert (CL := computes_added_last). assert (CF := chain_format blocks).
  unfold unit_wires, evaluate, chain. fold blocks. clearbody blocks. unfold c_is in Hc.
  destruct (unit_c u) as [cf|] eqn:EC.
  - destruct Hc as [Lc Nc]. destruct (unit_c_last u); cbn [negb].
    + eapply computes_bind; [exact (CC (unit_d u) _ 0 Fd L0 N0)|]. intros acc (E1 & E2 & E3 & _). cbv zeta in E1, E3.
      rewrite (CF (unit_d u, 0) (or_intror eq_refl)) in E1. rewrite E1 in E2. rewrite <- E3, <- Nc. exact (CL (snd acc) cf _ Fc eq_refl E2 Lc).
    + eapply computes_bind; [exact (CC cf _ _ Fc Lc Nc)|]. intros acc (E1 & E2 & E3 & _). cbv zeta in E1, E3.
      rewrite (CF (cf, in_c x) (or_introl Ne)) in E1. apply computes_ret. rewrite E3. split; [|reflexivity]. now rewrite E2, E1.
  - eapply computes_bind; [exact (CC (unit_d u) _ 0 Fd L0 N0)|]. intros acc (E1 & E2 & E3 & _). cbv zeta in E1, E3.
    rewrite (CF (unit_d u, 0) (or_introl Ne)) in E1. apply computes_ret. rewrite E3. split; [|reflexivity]. now rewrite E2, E1.
Qed.

End Units.
