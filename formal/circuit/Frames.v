(** * The total of a sum, in a frame or without one

    What the terms add, as integers in units of the last bit that some term keeps. In a frame the circuit adds the terms
    whose sign is not that of c one unit of their last bit farther from zero: they are [framed] of the definition, and
    their total is the sum of [in_frame]. *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core.
From Discern Require Import Notation Real Exact Laws Units Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading
  Sums Exponents Numbers Factors Alignment FuseTerms.
Import ListNotations.
Open Scope Z_scope.

(** ** In the definition *)

(** The sign of the frame, and a term as it is added. *)
Definition frame_of (u : fuse_attr) (terms : list term) : option sign :=
  match find t_is_c terms with Some c => frame_sign (u_frame u) (t_number c) | None => None end.
Definition added (u : fuse_attr) (fs : option sign) (E : Z) (t : term) : dyadic :=
  match fs with Some s => framed u s E t (aligned E t) | None => aligned E t end.

Lemma in_frame_added u E terms : in_frame u E terms = map (added u (frame_of u terms) E) terms.
Proof.
  unfold in_frame, frame_of, added. destruct (find t_is_c terms) as [c|]; [|reflexivity]. destruct (frame_sign (u_frame u) (t_number c)) as [s|]; [|reflexivity].
  induction terms as [|t l IH]; [reflexivity|]. cbn [map combine fst snd]. f_equal. exact IH.
Qed.

(** A number whose sign is + or −. *)
Definition has_one_sign (x : number) : Prop := match x with Finite _ _ s => s <> Mixed | _ => True end.
Lemma one_sign x : has_one_sign x -> match x with Finite _ _ _ => sign_of x <> Mixed | _ => True end.
Proof. destruct x as [v e s| |]; [|exact (fun _ => I)|exact (fun _ => I)]. cbn [has_one_sign sign_of]. destruct (is_zero v); [exact (fun H => H)|intros _; destruct (is_negative v); discriminate]. Qed.

Lemma read_one_sign f b : has_one_sign (read f b).
Proof.
  assert (N : forall s, sign_if s <> Mixed) by (intros []; discriminate). unfold read. destruct (is_fixed f); [discriminate|]. unfold read_float, read_finite.
  destruct (kind_of f); repeat match goal with |- context [if ?c then _ else _] => destruct c end; first [exact I|apply N].
Qed.
Lemma operand_one_sign z wide f x : has_one_sign x -> has_one_sign (read_again wide (flush_operand z f x)).
Proof.
  intros H. pose proof (one_sign x H) as O. destruct x as [v e s| |]; [|destruct wide; exact I|destruct wide; exact I]. cbn [flush_operand].
  destruct (match z with KeepSubnormals => _ | _ => _ end); destruct wide; try exact H; cbn [read_again has_one_sign]; destruct (is_zero v), z; try discriminate; assumption.
Qed.
Lemma factor_one_sign p f b : has_one_sign (factor p f (read f b)).
Proof.
  apply operand_one_sign. pose proof (read_one_sign f b) as H. destruct (read f b) as [v e s|s t|s t c] eqn:R; [exact H| |].
  - destruct (p_infnan p); [destruct (p_nanzero p)|exact I]; [|exact I]. cbn. pose proof (read_is f b) as RI. rewrite R in RI. apply RI.
  - destruct (p_nanzero p); [|exact I]. cbn. unfold read in R. destruct (is_fixed f); [discriminate R|]. unfold read_float, read_finite in R.
    destruct (kind_of f); repeat match type of R with context [if ?c then _ else _] => destruct c end; try discriminate R; injection R as <- _ _;
      match goal with |- sign_if ?b <> _ => destruct b; discriminate end.
Qed.
Lemma product_one_sign z x y : has_one_sign x -> has_one_sign y -> has_one_sign (product z x y).
Proof.
  intros Hx Hy. apply one_sign in Hx, Hy. assert (P : forall s t, s <> Mixed -> t <> Mixed -> sign_product s t <> Mixed) by (intros [] []; cbn; congruence).
  destruct x as [v [e|] s|s t|s t [c|]], y as [v' [e'|] s'|s' t'|s' t' [c'|]]; cbn [product]; try exact I; try (now apply P);
    match goal with |- context [if ?b then _ else _] => destruct b; exact I end.
Qed.
Lemma limited_one_sign p x : has_one_sign x -> has_one_sign (limit_and_normalise p x).
Proof.
  intros H. destruct x as [v e s| |]; try exact I. cbn [limit_and_normalise]. destruct (is_zero v); [exact H|]. match goal with |- context [if ?b then _ else _] => destruct b; [exact I|] end.
  destruct (p_normalisation p), e; exact H.
Qed.
Lemma scaled_one_sign sc i z k x : has_one_sign x -> has_one_sign (scaled sc i z k x).
Proof.
  intros H. unfold scaled. destruct sc as [[f n]|]; [|exact H]. assert (S : forall b, has_one_sign (read_scale f b)).
  { intros b. pose proof (read_one_sign f b) as R. unfold read_scale. destruct (read f b); exact R. }
  now repeat apply product_one_sign.
Qed.

(** What is covered of the terms in a frame: each keeps F bits, not out of all proportion, and has one sign. *)
Definition fair_frame (u : fuse_attr) (terms : list term) : Prop :=
  u_frame u = NoFrame \/
  u_sticky u = false /\ Forall (fun d => match ch_F (t_child d) with Some F => F <= 2 ^ 39 | None => False end /\ has_one_sign (t_number d)) terms.

Section Frames.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).
Variable u : fuse_attr.
Variable fr : literal * literal. (** whether there is a frame, and its sign *)

(** ** In the circuit *)

(** Whether a term is changed, and by how many units of its last bit. *)
Definition is_opposed (t : sum_term) (a : aligned_term) : bool :=
  let x := s_number t in
  let nonzero := negb (num (n_magnitude x) =? 0) in
  negb (s_is_c t) &&
  (value v (fst fr) && xorb (if nonzero then value v (n_negative x) else value v (n_seen_minus x)) (value v (snd fr)) &&
   match u_opposed u with AllOpposed => true | NonzeroOpposed => nonzero | KeptOpposed => negb (num (al_magnitude a) =? 0) end).
Definition step (t : sum_term) (a : aligned_term) : Z := if is_opposed t a then if value v (snd fr) then 1 else -1 else 0.

Lemma computes_inverts t a : computes v (inverts u fr (s_number t) (al_magnitude a)) (fun one => negb (s_is_c t) && value v one = is_opposed t a).
Proof.
  unfold inverts, is_opposed. eapply computes_bind; [apply (computes_any v v0)|]. intros nz Hnz. eapply computes_bind; [apply computes_mux|]. intros sg Hsg.
  eapply computes_bind; [apply computes_xor|]. intros op Hop.
  eapply computes_bind with (P := fun c => value v c = match u_opposed u with AllOpposed => true | NonzeroOpposed => value v nz | KeptOpposed => negb (num (al_magnitude a) =? 0) end).
  { destruct (u_opposed u); [apply computes_ret; exact (value_yes v v0)|now apply computes_ret|apply (computes_any v v0)]. }
  intros c Hc. eapply computes_bind; [apply computes_and|]. intros b Hb. eapply computes_weaken; [apply computes_and|]. intros one ->.
  cbv beta in *. now rewrite Hb, Hop, Hc, Hsg, Hnz.
Qed.

Lemma step_bound t a : Z.abs (step t a) <= if negb (same (fst fr) no) then 1 else 0.
Proof.
  unfold step, is_opposed. destruct (same (fst fr) no) eqn:S; cbn [negb].
  - apply (same_value v) in S. rewrite S, (value_no v v0). cbn [andb]. rewrite andb_false_r. apply Z.le_refl.
  - destruct (_ && _), (value v (snd fr)); lia.
Qed.

(** What is added for a change. *)
Lemma computes_step total cancelled t a n k width : 0 < width -> len total = width -> holds_integer v total n -> 0 <= k ->
  computes v (if negb (same (fst fr) no) && negb (s_is_c t)
              then
                one <- inverts u fr (s_number t) (al_magnitude a) ;;
                down <- make_and one (invert (snd fr)) ;;
                let unit_ := concat (repeated down (width - 1)) (repeated one 1) in
                total' <- add total (slice unit_ (- k) width) ;;
                cancelled' <- make_or cancelled one ;;
                ret (total', cancelled')
              else ret (total, cancelled))
    (fun p => len (fst p) = width /\ holds_integer v (fst p) (n + step t a * 2 ^ k) /\ value v (snd p) = value v cancelled || is_opposed t a).
Proof.
  intros W0 L H K. destruct (negb (same (fst fr) no) && negb (s_is_c t)) eqn:B.
  2: { apply computes_ret. assert (O : is_opposed t a = false).
       { apply andb_false_iff in B. destruct B as [B|B]; [|unfold is_opposed; now rewrite B]. pose proof (step_bound t a) as SB. rewrite B in SB.
         unfold step in SB. destruct (is_opposed t a), (value v (snd fr)); try reflexivity; lia. }
       unfold step. cbn [fst snd]. rewrite O, orb_false_r, Z.mul_0_l, Z.add_0_r. now split. }
  apply andb_prop in B. destruct B as [_ B].
  eapply computes_bind; [apply computes_inverts|]. intros one Ho. rewrite B in Ho. cbn [andb] in Ho.
  eapply computes_bind; [apply computes_and|]. intros down Hd. rewrite value_invert, Ho in Hd.
  assert (Ls : len (slice (concat (repeated down (width - 1)) (repeated one 1)) (- k) width) = width) by (apply length_slice; lia).
  eapply computes_bind; [apply (computes_add v v0); apply Nat2Z.inj; congruence|]. intros tot [Lt Nt].
  eapply computes_bind; [apply computes_or|]. intros ca Hca. apply computes_ret. cbn [fst snd]. split; [congruence|]. split; [|rewrite Hca, Ho; reflexivity].
  unfold holds_integer in *. rewrite Nt, Lt, L. rewrite L in H. rewrite H, (num_slice_up v v0), (num_concat v), !(num_repeated v), length_repeated, Ho, Hd by lia.
  change (2 ^ 1 - 1) with 1. change (2 ^ 1) with 2. pose proof (Z.pow_pos_nonneg 2 width eq_refl ltac:(lia)) as Pw.
  assert (P2 : 2 ^ width = 2 * 2 ^ (width - 1)) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  rewrite <- Zplus_mod. unfold step. destruct (is_opposed t a), (value v (snd fr)); cbn [negb andb]; [f_equal; ring| |f_equal; ring|f_equal; ring].
  match goal with |- ?l mod _ = ?r mod _ => replace l with (r + 2 ^ k * 2 ^ width) by (rewrite P2; ring) end. now rewrite Z.mod_add by lia.
Qed.

(** ** The total *)

(** All that is added, in units of 2^(E − F). *)
Definition total_of (F : Z) (l : list (sum_term * aligned_term)) : Z :=
  fold_right (fun ta n => (addend v (fst ta) (snd ta) + step (fst ta) (snd ta)) * 2 ^ (F - al_F (snd ta)) + n) 0 l.

Lemma total_snoc F l ta : total_of F (l ++ [ta]) = total_of F l + (addend v (fst ta) (snd ta) + step (fst ta) (snd ta)) * 2 ^ (F - al_F (snd ta)).
Proof. unfold total_of. rewrite fold_right_app. cbn [fold_right]. induction l as [|x l IH]; cbn [fold_right]; [ring|]. rewrite IH. ring. Qed.

Lemma total_bound F l b : (forall t a, In (t, a) l -> (num (al_magnitude a) + Z.abs (step t a)) * 2 ^ (F - al_F a) < b) -> 0 < b ->
  Z.abs (total_of F l) <= Z.of_nat (length l) * (b - 1).
Proof.
  intros H Hb. induction l as [|[t a] l IH]; [cbn; lia|]. cbn [total_of fold_right fst snd length]. fold (total_of F l).
  assert (I : Z.abs (total_of F l) <= Z.of_nat (length l) * (b - 1)) by (apply IH; intros; eapply H; right; eassumption).
  pose proof (H t a (or_introl eq_refl)) as B. pose proof (num_bound v (al_magnitude a)) as B0.
  pose proof (Z.pow_nonneg 2 (F - al_F a) ltac:(lia)) as P.
  assert (Z.abs ((addend v t a + step t a) * 2 ^ (F - al_F a)) <= b - 1); [|lia].
  rewrite Z.abs_mul, (Z.abs_eq (2 ^ _)) by lia. assert (Z.abs (addend v t a + step t a) <= num (al_magnitude a) + Z.abs (step t a)) by (unfold addend; destruct (value v _); lia). nia.
Qed.

(** Of finite terms: what is added is what the definition adds. *)
Lemma added_value above E fs t a d : is_placed v above t d -> is_finite_term d ->
  (fs <> None -> ch_F (t_child d) <> None /\ has_one_sign (t_number d)) ->
  value v (fst fr) = match fs with Some _ => true | None => false end -> (forall s, fs = Some s -> s <> Mixed /\ value v (snd fr) = sign_eqb s Minus) ->
  al_F a = kept_bits t E -> D2R (Dyadic (addend v t a) (int E - al_F a)) = D2R (aligned (int E) d) ->
  D2R (Dyadic (addend v t a + step t a) (int E - al_F a)) = D2R (added u fs (int E) d) /\
  is_zero (added u fs (int E) d) = (num (al_magnitude a) =? 0) && negb (is_opposed t a).
Proof.
  intros P Fi HF H1 H2 HK V. pose proof P as (C & IC & _ & _ & _ & _ & _ & _ & _ & _ & W). unfold is_finite_term in Fi.
  assert (ZA : is_zero (aligned (int E) d) = (num (al_magnitude a) =? 0)).
  { rewrite <- (is_zero_value _ _ V). unfold is_zero, addend. cbn [Notation.num].
    destruct (value v (n_negative (s_number t))), (Z.eqb_spec (num (al_magnitude a)) 0), (Z.eqb_spec (- num (al_magnitude a)) 0); try reflexivity; lia. }
  destruct fs as [s|].
  2: { unfold step, is_opposed. rewrite H1. cbn [andb]. rewrite andb_false_r, Z.add_0_r. cbn [added negb]. rewrite andb_true_r. now split. }
  destruct (H2 s eq_refl) as [NM HN]. destruct (HF ltac:(discriminate)) as [NF OS]. apply one_sign in OS. rewrite <- C in NF.
  unfold kept_bits in HK. destruct (ch_F (s_child t)) as [F|] eqn:EF; [|congruence]. clear NF HF H2.
  assert (OP : is_opposed t a = negb (t_is_c d) && negb (sign_eqb (sign_of (t_number d)) s) &&
       match u_opposed u with AllOpposed => true | NonzeroOpposed => negb (is_zero_number (t_number d)) | KeptOpposed => negb (is_zero (aligned (int E) d)) end /\
     (is_opposed t a = true -> if value v (snd fr) then 0 <= addend v t a else addend v t a <= 0)).
  { unfold is_opposed. rewrite H1, HN, IC, ZA. cbn [andb]. destruct (t_number d) as [val e sg| |] eqn:TN; [|destruct Fi|destruct Fi]. destruct W as ((V1 & _) & _ & _ & _ & (_ & Sm)).
    pose proof (wires_zero v (s_number t) val V1) as ZM. cbn [is_zero_number]. rewrite ZM. pose proof (num_bound v (al_magnitude a)) as B.
    assert (SG : xorb (if negb (is_zero val) then value v (n_negative (s_number t)) else value v (n_seen_minus (s_number t))) (sign_eqb s Minus) = negb (sign_eqb (sign_of (Finite val e sg)) s)).
    { destruct (is_zero val) eqn:Z; cbn [negb].
      - rewrite Sm. destruct (sign_of (Finite val e sg)), s; try congruence; reflexivity.
      - rewrite <- (wires_negative v (s_number t) val V1 Z). cbn [sign_of]. rewrite Z. destruct (is_negative val), s; try congruence; reflexivity. }
    rewrite SG, andb_assoc. split; [reflexivity|]. intros Q. apply andb_prop in Q. destruct Q as [Q _]. apply andb_prop in Q. destruct Q as [_ Q].
    destruct (is_zero val) eqn:Z.
    - assert (A0 : aligned (int E) d = zero) by (unfold aligned; rewrite TN, Z; reflexivity). rewrite A0 in ZA. symmetry in ZA. apply Z.eqb_eq in ZA. unfold addend. rewrite ZA.
      destruct (value v (n_negative (s_number t))), (sign_eqb s Minus); lia.
    - cbn [sign_of negb] in *. rewrite Z in Q. unfold addend. rewrite <- (wires_negative v (s_number t) val V1 Z). destruct (is_negative val), s; try discriminate Q; try congruence; cbn; lia. }
  destruct OP as [OP SG]. unfold added, framed. rewrite <- OP, <- C, EF. unfold step. destruct (is_opposed t a).
  - specialize (SG eq_refl). assert (E1 : D2R (Dyadic (addend v t a + (if value v (snd fr) then 1 else -1)) (int E - al_F a)) =
        D2R (plus (aligned (int E) d) (Dyadic (match s with Minus => 1 | _ => -1 end) (int E - F)))).
    { rewrite D2R_plus, <- V, HK, HN. unfold D2R, F2R. cbn [Notation.num scale Fnum Fexp]. rewrite plus_IZR, Rmult_plus_distr_r. destruct s; [reflexivity|reflexivity|congruence]. }
    split; [exact E1|]. rewrite <- (is_zero_value _ _ E1). unfold is_zero. cbn [Notation.num negb]. rewrite andb_false_r. apply Z.eqb_neq. destruct (value v (snd fr)); lia.
  - rewrite Z.add_0_r. cbn [negb]. rewrite andb_true_r. now split.
Qed.

(** The total is the sum of the terms as they are added. *)
Lemma total_value F above E fs : forall terms al defs,
  Forall2 (is_aligned v E above) terms al -> Forall2 (is_placed v above) terms defs -> Forall is_finite_term defs ->
  (forall t d val e s, In (t, d) (combine terms defs) -> t_number d = Finite val e s -> is_zero val = false -> int (n_base (s_number t)) <= int E) ->
  (forall a, In a al -> al_F a <= F) ->
  (fs <> None -> Forall (fun d => ch_F (t_child d) <> None /\ has_one_sign (t_number d)) defs) ->
  value v (fst fr) = match fs with Some _ => true | None => false end -> (forall s, fs = Some s -> s <> Mixed /\ value v (snd fr) = sign_eqb s Minus) ->
  D2R (Dyadic (total_of F (combine terms al)) (int E - F)) = Rsum (map D2R (map (added u fs (int E)) defs)) /\
  existsb (fun ta => negb (num (al_magnitude (snd ta)) =? 0) || is_opposed (fst ta) (snd ta)) (combine terms al) = negb (forallb is_zero (map (added u fs (int E)) defs)).
Proof.
  intros terms al defs H. revert defs. induction H as [|t a terms l (A1 & _ & Ha) _ IH]; intros defs K Fi Bl FM HF H1 H2; inversion K as [|? d ? ds Kd Ks]; subst.
  - split; [|reflexivity]. cbn. unfold D2R, F2R; cbn. ring.
  - cbn [combine total_of fold_right fst snd map]. fold (total_of F (combine terms l)).
    inversion Fi as [|? ? Fd Fs]; subst.
    destruct (IH ds Ks Fs) as [IH1 IH2]; [intros t' d' val e s I'; exact (Bl t' d' val e s (or_intror I'))|intros; apply FM; now right|intros N; specialize (HF N); now inversion HF|exact H1|exact H2|].
    assert (HD : D2R (Dyadic (addend v t a) (int E - al_F a)) = D2R (aligned (int E) d)).
    { rewrite A1. apply (Ha d Kd Fd). intros val e s Tn Z. exact (Bl t d val e s (or_introl eq_refl) Tn Z). }
    destruct (added_value above E fs t a d Kd Fd) as [HA HZ]; [intros N; specialize (HF N); now inversion HF|exact H1|exact H2|exact A1|exact HD|].
    specialize (FM a (or_introl eq_refl)). split.
    + change (Rsum (D2R (added u fs (int E) d) :: map D2R (map (added u fs (int E)) ds))) with (D2R (added u fs (int E) d) + Rsum (map D2R (map (added u fs (int E)) ds)))%R.
      rewrite <- IH1, <- HA. unfold D2R, F2R. cbn [Notation.num scale Fnum Fexp].
      rewrite plus_IZR, mult_IZR, <- pow2_correct, IZR_pow2, Rmult_plus_distr_r, Rmult_assoc, <- bpow_plus by lia. do 3 f_equal. ring.
    + cbn [existsb fst snd forallb]. rewrite IH2, negb_andb, HZ, negb_andb, negb_involutive. reflexivity.
Qed.

(** What a term as it is added is a multiple of. *)
Lemma added_multiple above fs t a d E q : is_placed v above t d -> is_finite_term d -> q <= lsb_of t E ->
  (fs <> None -> ch_F (t_child d) <> None /\ q <= i_low E - al_F a) -> al_F a = kept_bits t E -> multiple_of (added u fs (int E) d) q.
Proof.
  intros P Fi Hq HF HK. pose proof (multiple_of_less _ _ _ Hq (aligned_multiple v above t d E P Fi)) as M. destruct fs as [s|]; [|exact M].
  cbn [added]. unfold framed. destruct (negb _ && _ && _); [|exact M]. destruct (HF ltac:(discriminate)) as [NF L]. destruct P as (C & _). unfold kept_bits in HK. rewrite C in HK.
  destruct (ch_F (t_child d)) as [F|]; [|congruence]. destruct M as [k Hk]. pose proof (int_bounds v E) as IB.
  destruct (multiple_of_less (Dyadic (match s with Minus => 1 | _ => -1 end) (int E - F)) (int E - F) q ltac:(lia)) as [m Hm]; [eexists; reflexivity|].
  exists (k + m). rewrite D2R_plus, Hk, Hm. unfold F2R. cbn [Fnum Fexp]. rewrite plus_IZR. ring.
Qed.

End Frames.

(** ** Which frame there is *)

Lemma find_pairs v above terms defs : Forall2 (is_placed v above) terms defs ->
  match find s_is_c terms with
  | Some t => exists d, find t_is_c defs = Some d /\ In (t, d) (combine terms defs)
  | None => find t_is_c defs = None
  end.
Proof.
  intros H. induction H as [|t d ts ds (_ & IC & _) _ IH]; [reflexivity|]. cbn [find combine]. rewrite IC. destruct (t_is_c d); [exists d; split; [reflexivity|now left]|].
  destruct (find s_is_c ts); [|exact IH]. destruct IH as (d' & E & I). exists d'. split; [exact E|now right].
Qed.

Theorem computes_frame v (v0 : v 0 = false) u above terms defs here : Forall2 (is_placed v above) terms defs ->
  computes v (frame_wires u terms here) (fun fr => (u_frame u = NoFrame -> fr = (no, no)) /\
    (Forall is_finite_term defs -> (u_frame u = NoFrame \/ Forall (fun d => has_one_sign (t_number d)) defs) ->
     value v (fst fr) = value v here && match frame_of u defs with Some _ => true | None => false end /\
     forall s, frame_of u defs = Some s -> s <> Mixed /\ value v (snd fr) = sign_eqb s Minus)).
Proof.
  intros HT. pose proof (find_pairs v above terms defs HT) as FP. unfold frame_wires, frame_of. destruct (find s_is_c terms) as [t|] eqn:FT.
  2: { rewrite FP. destruct (u_frame u); apply computes_ret; (split; [now intros|intros _ _]); cbn [fst snd]; rewrite (value_no v v0), andb_false_r; (split; [reflexivity|discriminate]). }
  destruct FP as (d & -> & I).
  assert (P : is_placed v above t d).
  { clear - HT I. induction HT as [|a b l l' H _ IH]; [destruct I|]. destruct I as [I|I]; [congruence|now apply IH]. }
  pose proof (in_combine_r _ _ _ _ I) as Id. destruct P as (_ & _ & _ & _ & _ & _ & _ & _ & _ & _ & W).
  assert (G : Forall is_finite_term defs -> Forall (fun d => has_one_sign (t_number d)) defs ->
     sign_of (t_number d) <> Mixed /\ is_zero_number (t_number d) = (num_of v (n_magnitude (s_number t)) =? 0) /\
     (is_zero_number (t_number d) = true -> value v (n_seen_minus (s_number t)) = sign_eqb (sign_of (t_number d)) Minus) /\
     (is_zero_number (t_number d) = false -> value v (n_negative (s_number t)) = sign_eqb (sign_of (t_number d)) Minus)).
  { intros Fi OS. rewrite Forall_forall in Fi, OS. specialize (Fi d Id). specialize (OS d Id). apply one_sign in OS. unfold is_finite_term in Fi.
    destruct (t_number d) as [val e s| |]; [|destruct Fi|destruct Fi]. destruct W as ((V & _) & _ & _ & _ & (_ & Sm)). cbn [is_zero_number].
    split; [exact OS|]. split; [symmetry; exact (wires_zero v (s_number t) val V)|]. split; intros Z.
    - rewrite Sm. destruct (sign_of (Finite val e s)); try congruence; reflexivity.
    - rewrite <- (wires_negative v (s_number t) val V Z). cbn [sign_of]. rewrite Z. now destruct (is_negative val). }
  destruct (u_frame u) eqn:UF.
  { apply computes_ret. split; [reflexivity|]. intros _ _. cbn [fst frame_sign]. rewrite (value_no v v0), andb_false_r. split; [reflexivity|discriminate]. }
  all: eapply computes_bind; [apply (computes_any v v0)|]; intros nz Hnz; eapply computes_bind; [apply computes_and|]; intros hr Hh;
    eapply computes_bind; [apply computes_mux|]; intros ng Hng; apply computes_ret; (split; [discriminate|]); intros Fi [OS|OS]; [discriminate OS|];
    destruct (G Fi OS) as (G1 & G2 & G3 & G4); cbn [fst snd frame_sign]; cbv beta in *; rewrite Hh, Hng, Hnz, <- G2, ?(value_yes v v0), ?(value_no v v0).
  - split; [reflexivity|]. intros s E. injection E as <-. split; [exact G1|]. destruct (is_zero_number (t_number d)); cbn [negb]; auto.
  - split; [now destruct (is_zero_number (t_number d))|]. intros s E. destruct (is_zero_number (t_number d)); cbn [negb]; injection E as <-; [split; [discriminate|reflexivity]|split; [exact G1|auto]].
  - split; [now destruct (is_zero_number (t_number d))|]. intros s E. destruct (is_zero_number (t_number d)); cbn [negb]; [discriminate E|]. injection E as <-. split; [exact G1|auto].
Qed.
