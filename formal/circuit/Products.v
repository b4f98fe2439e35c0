(** * Products

    The circuit of a product of two operands and their scales is the product of the definition: all finite numbers, zeros
    with their signs, infinities, infinity times zero, and NaN. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Flocq Require Import Core.
From Discern Require Import Notation Real Units Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading Exponents Numbers Factors Operands ReadAgain FixedOperands.
Import ListNotations.
Open Scope Z_scope.

(** The attributes of a product that are covered. *)
Definition fair_product (u : unit) (p : product_attr) : bool :=
  fair_factor p (unit_a u) && fair_factor p (unit_b u) && match p_normalisation p with raw => true | _ => false end &&
  match p_limit p with Some n => (Z.abs n <=? 2 ^ 40) && p_counts p | None => true end &&
  (negb (p_infzero p) || match product_scales u with None => true | _ => false end).

(** Scales that are covered: formats without a sign. *)
Definition fair_scales (s : option (format * Z)) : bool :=
  match s with Some (f, n) => fair_format f && negb (has_sign f) && (0 <? n) | None => true end.

Lemma below_in n k : In k (below n) <-> 0 <= k < n.
Proof.
  unfold below. rewrite in_map_iff. split.
  - intros (i & <- & I). apply in_seq in I. lia.
  - intros H. exists (Z.to_nat k). split; [lia|]. apply in_seq. lia.
Qed.

Section Products.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).

(** Operands of the circuit are the inputs of the definition: the first [count] patterns of a row. *)
Definition row_is (l : list word) (f : format) (x : Z -> Z) (count : Z) : Prop :=
  forall k, 0 <= k < count -> len (operand l k) = width f /\ num (operand l k) = x k.

(** A product of wires. *)
Lemma computes_plain_product a b ma mb : is_wide_factor v a ma -> is_wide_factor v b mb ->
  computes v (plain_product_wires a b) (fun x =>
    is_part v 4 x (or3 (bits_of_factor v a) (bits_of_factor v b)) (product false ma mb) /\
    n_has_exponent x = yes /\ n_special x = no_special_wires /\
    value v (n_negative x) = xorb (value v (n_negative a)) (value v (n_negative b))).
Proof.
  intros (PA & _) (PB & _). unfold plain_product_wires. eapply computes_bind; [apply computes_xor|]. intros ng Hng.
  eapply computes_bind; [apply (computes_multiply v v0)|]. intros m [Lm Hm].
  eapply computes_bind; [apply (computes_i_sum v v0); [apply PA|apply PB]|]. intros bs (Hbs & Obs & Lo & Hi).
  apply computes_ret. split; [|repeat split; exact Hng].
  change 4 with (2 + 2). apply (part_times v 2 a _ ma 2 b _ mb); try assumption; try reflexivity; lia.
Qed.

(** Times the scales, whose signs are +. *)
Lemma computes_multiply_scales ss : forall ms k x t m, 0 <= k -> Forall2 (fun s n => is_factor v s n /\ value v (n_negative s) = false) ss ms ->
  is_part v k x t m ->
  computes v (multiply_scales ss x) (fun y =>
    is_part v (k + Z.of_nat (length ss)) y (fold_left or3 (map (bits_of_factor v) ss) t) (fold_left (product false) ms m) /\
    exists mm b f l, y = with_lsb l (with_base b f (with_magnitude mm x))).
Proof.
  unfold multiply_scales. induction ss as [|s ss IH]; intros ms k x t m K0 H P; inversion H as [|? n ? ns [Hs Hn] Hl]; subst; cbn [fold_m].
  - apply computes_ret. cbn [length map fold_left]. rewrite Z.add_0_r. split; [exact P|]. exists (n_magnitude x), (n_base x), (n_fraction x), (n_lsb x). now destruct x.
  - eapply computes_bind with (P := fun y => is_part v (k + 1) y (or3 t (bits_of_factor v s)) (product false m n) /\
        exists mm b f l, y = with_lsb l (with_base b f (with_magnitude mm x))).
    { pose proof Hs as PS. eapply computes_bind; [apply (computes_multiply v v0)|]. intros mm [Lm Hm].
      eapply computes_bind; [apply (computes_i_sum v v0); [apply P|apply PS]|]. intros bs (Hbs & Obs & Lo & Hi).
      apply computes_ret. split; [|now repeat eexists].
      apply (part_times v k x _ m 1 s _ n); try assumption; try reflexivity; try lia.
      cbn [with_lsb with_base with_magnitude n_negative]. now rewrite Hn, xorb_false_r. }
    intros y (Py & m1 & b1 & f1 & l1 & Ey). eapply computes_weaken; [apply (IH ns (k + 1) y _ _ ltac:(lia) Hl Py)|].
    intros z (Pz & m2 & b2 & f2 & l2 & Ez). cbn [length map fold_left]. replace (k + Z.of_nat (S (length ss))) with (k + 1 + Z.of_nat (length ss)) by lia.
    split; [exact Pz|]. exists m2, b2, f2, l2. now rewrite Ez, Ey.
Qed.

(** The bits of a list of factors, as [multiply_specials] collects them. *)
Lemma computes_bits fs : forall n i z, computes v
  (fold_m (fun (s : literal * literal * literal) (f : wires) =>
     let '(nan, infinite, zero) := s in
     nan' <- make_or nan (w_nan (n_special f)) ;;
     either <- make_or (w_plus (n_special f)) (w_minus (n_special f)) ;;
     infinite' <- make_or infinite either ;;
     some <- any (n_magnitude f) ;;
     zero' <- make_or zero (invert some) ;;
     ret (nan', infinite', zero')) fs (n, i, z))
  (fun s => let '(n', i', z') := s in
     (value v n', value v i', value v z') = fold_left or3 (map (bits_of_factor v) fs) (value v n, value v i, value v z)).
Proof.
  induction fs as [|f fs IH]; intros n i z; cbn [fold_m]; [now apply computes_ret|].
  eapply computes_bind with (P := fun s => let '(n', i', z') := s in (value v n', value v i', value v z') = or3 (value v n, value v i, value v z) (bits_of_factor v f)).
  { eapply computes_bind; [apply computes_or|]. intros n' Hn. eapply computes_bind; [apply computes_or|]. intros e He.
    eapply computes_bind; [apply computes_or|]. intros i' Hi. eapply computes_bind; [apply (computes_any v v0)|]. intros sm Hs.
    eapply computes_bind; [apply computes_or|]. intros z' Hz. apply computes_ret. unfold or3, bits_of_factor. cbn [fst snd].
    now rewrite Hn, Hi, Hz, He, value_invert, Hs, negb_involutive. }
  intros [[n' i'] z'] E. cbn [map fold_left]. rewrite <- E. apply IH.
Qed.

(** The wires of a product with its special values. *)
Lemma special_of_bits n i z negative m nan' pl mi : describes (n, i, z) negative m ->
  value v nan' = n || (i && z) -> value v pl = i && negb negative -> value v mi = i && negative ->
  special_is v (SpecialWires nan' pl mi no no no) m.
Proof.
  intros D Hn Hp Hm. unfold special_is. cbn [w_nan w_plus w_minus t_nan t_plus t_minus]. rewrite (value_no0 v v0), Hn, Hp, Hm.
  destruct m as [d e s|s t|s t c]; cbn [describes] in D.
  - destruct D as (_ & _ & -> & -> & ->). cbn. repeat split.
  - destruct D as (-> & -> & -> & -> & ->). destruct negative; cbn; repeat split.
  - destruct D as (-> & ->). cbn. repeat split; discriminate.
Qed.

Lemma computes_read_scale f w : fair_format f = true -> has_sign f = false -> len w = width f ->
  computes v (read_wires f w) (fun x => is_factor v x (read_scale f (num w)) /\ value v (n_negative x) = false).
Proof.
  intros Hf Hs Lw. eapply computes_weaken; [exact (computes_read_factor v v0 f w Hf Lw)|]. intros x (_ & (O & N & D & V) & _ & _ & _ & _ & Sg).
  split; [|exact (Sg Hs)]. unfold read_scale. destruct (read f (num w)) as [| |s t c]; split; try exact O; split; try exact N; split; try exact D; exact V.
Qed.

(** Whether a number has reached a power of two. *)
Lemma computes_reaches x d limit : int_ok v (n_base x) -> narrow 8 x -> Z.abs limit <= 2 ^ 40 -> D2R (wires_value v x) = D2R d ->
  computes v (reaches x limit) (fun z => value v z = negb (is_zero d) && (limit <=? lg d)).
Proof.
  intros OB (N1 & N2 & N3 & N4 & N5 & N6) Hl V. unfold reaches. set (mag := num (n_magnitude x)).
  change (2 ^ 40) with (256 * 2 ^ 32) in Hl. destruct (fixed_ok v limit) as [FE FO].
  eapply computes_weaken.
  - apply (computes_fold v _ (fun done z => value v z = existsb (fun i => Z.testbit mag i && (limit <=? int (n_base x) + (i - n_fraction x))) done)); [exact (value_no v v0)|].
    intros done a i Ii Ha. unfold below, width_of in Ii. apply in_map_iff in Ii. destruct Ii as (k & <- & Ik). apply in_seq in Ik.
    destruct (offset_by_ok v (n_base x) (Z.of_nat k - n_fraction x)) as [OE OO].
    eapply computes_bind; [apply (computes_i_less v v0); [exact (OO OB)|exact FO|cbn [offset_by fixed_integer i_low i_high]; change (2 ^ 64) with (4294967296 * 2 ^ 32); lia]|].
    intros b Hb. eapply computes_bind; [apply computes_and|]. intros one Ho. eapply computes_weaken; [apply computes_or|]. intros z ->.
    cbv beta in *. rewrite Ha, Ho, value_invert, Hb, (value_bit v v0), OE, FE by lia. fold mag. rewrite existsb_app. cbn [existsb]. rewrite orb_false_r.
    f_equal. f_equal. now rewrite Z.leb_antisym.
  - intros z ->. rewrite <- (wires_zero v x d V). fold mag. destruct (Z.eqb_spec mag 0) as [E|N].
    + rewrite E. cbn [negb andb]. apply not_true_is_false. intros H. apply existsb_exists in H. destruct H as (i & _ & H). now rewrite Z.bits_0 in H.
    + pose proof (num_bound v (n_magnitude x)) as B. fold mag in B.
      assert (Z : is_zero d = false) by (rewrite <- (wires_zero v x d V); now apply Z.eqb_neq).
      destruct (wires_lg v x d V Z) as [_ Lg]. fold mag in Lg.
      rewrite Lg. cbn [negb andb]. destruct (Z.leb_spec limit (Z.log2 mag + (int (n_base x) - n_fraction x))) as [L|L].
      * apply existsb_exists. exists (Z.log2 mag). split.
        -- unfold below, width_of. apply in_map_iff. exists (Z.to_nat (Z.log2 mag)). pose proof (Z.log2_nonneg mag).
           assert (Z.log2 mag < len (n_magnitude x)) by (apply Z.log2_lt_pow2; lia). split; [now apply Z2Nat.id|]. apply in_seq. lia.
        -- rewrite Z.bit_log2 by lia. cbn [andb]. apply Z.leb_le. lia.
      * apply not_true_is_false. intros H. apply existsb_exists in H. destruct H as (i & _ & H). apply andb_prop in H. destruct H as [H1 H2]. apply Z.leb_le in H2.
        destruct (Z.le_gt_cases i (Z.log2 mag)) as [Q|Q]; [lia|]. rewrite Z.bits_above_log2 in H1 by lia. discriminate.
Qed.

(** The special value of a product that may have reached its limit. *)
Lemma computes_limit p x n : p_normalisation p = raw -> special_is v (n_special x) n ->
  (is_nan_number n = false -> sign_of n = sign_if (value v (n_negative x))) ->
  match p_limit p with Some l => (Z.abs l <=? 2 ^ 40) && p_counts p = true | None => True end ->
  match n with Finite d _ _ => int_ok v (n_base x) /\ narrow 8 x /\ D2R (wires_value v x) = D2R d | Infinite _ t | NaN _ t _ => t = false end ->
  computes v (match p_limit p with
       | None => ret x
       | Some limit =>
           over <- reaches x limit ;;
           plus_ <- make_and over (invert (n_negative x)) ;;
           minus <- make_and over (n_negative x) ;;
           let s := n_special x in
           if p_counts p
           then
             wp <- make_or (w_plus s) plus_ ;;
             wm <- make_or (w_minus s) minus ;;
             ret (with_special (SpecialWires (w_nan s) wp wm (t_nan s) (t_plus s) (t_minus s)) (n_content x) (n_kind x) x)
           else ret (with_special (SpecialWires (w_nan s) (w_plus s) (w_minus s) (t_nan s) plus_ minus) (n_content x)
                                  (n_kind x) x)
       end) (fun y => exists s, y = with_special s (n_content x) (n_kind x) x /\ special_is v s (limit_and_normalise p n)).
Proof.
  intros Hr SP Sg Hl W. assert (LN : limit_and_normalise p n = match n with
      | Finite d _ _ => if negb (is_zero d) && match p_limit p with Some l => l <=? lg d | None => false end then Infinite (sign_of n) (negb (p_counts p)) else n
      | _ => n end).
  { destruct n as [d e s| |]; [|reflexivity|reflexivity]. cbn [limit_and_normalise]. rewrite Hr. destruct (is_zero d); [reflexivity|]. cbn [negb andb].
    destruct (p_limit p) as [l|]; [destruct (l <=? lg d); [reflexivity|]|]; destruct e; reflexivity. }
  rewrite LN. destruct (p_limit p) as [l|].
  2: { apply computes_ret. exists (n_special x). split; [now destruct x|]. destruct n; try exact SP. now rewrite andb_false_r. }
  apply andb_prop in Hl. destruct Hl as [Hl1 Hc]. apply Z.leb_le in Hl1. rewrite Hc.
  eapply computes_bind with (P := fun o => match n with Finite d _ _ => value v o = negb (is_zero d) && (l <=? lg d) | _ => True end).
  { destruct n as [d e s| |]; [|apply computes_something|apply computes_something]. destruct W as (OB & N & V). now apply computes_reaches. }
  intros over Ho. eapply computes_bind; [apply computes_and|]. intros pl Hp. eapply computes_bind; [apply computes_and|]. intros mi Hm.
  eapply computes_bind; [apply computes_or|]. intros wp Hwp. eapply computes_bind; [apply computes_or|]. intros wm Hwm. apply computes_ret.
  eexists. split; [reflexivity|]. cbv beta in *. rewrite value_invert in Hp. rewrite Hp in Hwp. rewrite Hm in Hwm. destruct SP as (S1 & S2 & S3 & S4 & S5).
  unfold special_is. cbn [w_nan w_plus w_minus t_nan t_plus t_minus]. rewrite S1, S2, S4, S5, Hwp, Hwm. rewrite S1 in S3.
  destruct n as [d e s|s t|s t c]; cbn [is_nan_of is_infinity_of] in *.
  - destruct (S3 eq_refl) as [-> ->]. specialize (Sg eq_refl). rewrite Ho. destruct (negb (is_zero d) && (l <=? lg d)); [|now repeat split].
    rewrite Sg. cbn [negb is_nan_of is_infinity_of]. destruct (value v (n_negative x)); cbn; auto.
  - destruct (S3 eq_refl) as [-> ->]. specialize (Sg eq_refl). cbn [sign_of] in Sg. subst s t.
    destruct (value v (n_negative x)), (value v over); cbn; auto.
  - split; [reflexivity|]. split; [reflexivity|]. split; [|now split]. subst t. discriminate.
Qed.

(** The scales of an element. *)
Definition scales_are (scales : option (format * Z)) (i : operands) (x : inputs) (k : Z) : Prop :=
  match scales with
  | Some (f, n) => len (operand (o_sa i) (k / n)) = width f /\ num (operand (o_sa i) (k / n)) = in_sa x (k / n) /\
                   len (operand (o_sb i) (k / n)) = width f /\ num (operand (o_sb i) (k / n)) = in_sb x (k / n)
  | None => True
  end.

Lemma scaled_sum_both scales x k y : scaled_sum ByBoth scales x k y = scaled scales x false k y.
Proof. now destruct scales. Qed.

Lemma computes_scale_wires how scales i x k : fair_scales scales = true -> scales_are scales i x k ->
  computes v (scale_wires how scales i k) (fun ss => exists ms, Forall2 (fun s n => is_factor v s n /\ value v (n_negative s) = false) ss ms /\
    (length ss <= 2)%nat /\ (forall y, scaled_sum how scales x k y = fold_left (product false) ms y) /\
    match scales with Some (f, _) => Forall (fun m => exists b, m = read_scale f b) ms | None => ms = [] end).
Proof.
  intros Hsc HS.
  unfold scales_are, scale_wires, scaled_sum, scaled, fair_scales in *.
  destruct scales as [[f n]|]; [|destruct how; apply computes_ret; exists []; (split; [constructor|split; [cbn; lia|split; reflexivity]])].
  destruct HS as (L1 & N1 & L2 & N2). apply andb_prop in Hsc. destruct Hsc as [Hsc _].
  apply andb_prop in Hsc. destruct Hsc as [Hsc Hsg]. apply negb_true_iff in Hsg.
  pose proof (computes_read_scale f _ Hsc Hsg L1) as Ra. pose proof (computes_read_scale f _ Hsc Hsg L2) as Rb. rewrite N1 in Ra. rewrite N2 in Rb.
  destruct how.
  - apply computes_ret. exists []. split; [constructor|split; [cbn; lia|split; [reflexivity|constructor]]].
  - eapply computes_bind; [exact Ra|]. intros sa Hsa. eapply computes_bind; [exact Rb|]. intros sb Hsb. apply computes_ret.
    exists [read_scale f (in_sa x (k / n)); read_scale f (in_sb x (k / n))].
    split; [exact (Forall2_cons _ _ Hsa (Forall2_cons _ _ Hsb (Forall2_nil _)))|]. split; [cbn; lia|]. split; [reflexivity|]. repeat constructor; eauto.
  - eapply computes_bind; [exact Ra|]. intros sa Hsa. apply computes_ret. exists [read_scale f (in_sa x (k / n))].
    split; [exact (Forall2_cons _ _ Hsa (Forall2_nil _))|]. split; [cbn; lia|]. split; [reflexivity|]. repeat constructor; eauto.
  - eapply computes_bind; [exact Rb|]. intros sb Hsb. apply computes_ret. exists [read_scale f (in_sb x (k / n))].
    split; [exact (Forall2_cons _ _ Hsb (Forall2_nil _))|]. split; [cbn; lia|]. split; [reflexivity|]. repeat constructor; eauto.
Qed.

(** The special value of a product of factors. *)
Lemma computes_specials u a b ss negative x t m :
  t = fold_left or3 (map (bits_of_factor v) ss) (or3 (bits_of_factor v a) (bits_of_factor v b)) -> describes t (value v negative) m ->
  t_nan (n_special x) = no /\ t_plus (n_special x) = no /\ t_minus (n_special x) = no ->
  computes v (multiply_specials u a b ss negative false x) (fun y => exists s c k, y = with_special s c k x /\ special_is v s m).
Proof.
  intros Ht D (T1 & T2 & T3). unfold multiply_specials. eapply computes_bind; [apply computes_bits|]. intros [[n f] zz] Hbits.
  eapply computes_bind with (P := fun n' => value v n' = value v n || (value v f && value v zz)).
  { eapply computes_bind; [apply computes_and|]. intros bo Hbo. eapply computes_weaken; [apply computes_or|]. intros q ->. now rewrite Hbo. }
  intros n' Hn'. eapply computes_bind; [apply computes_and|]. intros pl Hpl. eapply computes_bind; [apply computes_and|]. intros mi Hmi.
  do 3 (eapply computes_bind; [apply computes_something|]; intros ? _).
  apply computes_ret. rewrite T1, T2, T3. do 3 eexists. split; [reflexivity|].
  assert (T : t = (value v n, value v f, value v zz)) by (rewrite Hbits, Ht; cbn [map fold_left]; now rewrite !(value_no0 v v0)).
  rewrite T in D. rewrite value_invert in Hpl. exact (special_of_bits _ _ _ _ _ _ _ _ D Hn' Hpl Hmi).
Qed.

(** With [infzero]: a product of two factors is as without, but that infinity times zero is infinite. *)
Lemma infzero_describes ta ba ma tb bb mb : describes ta ba ma -> describes tb bb mb ->
  exists t, describes t (xorb ba bb) (product true ma mb) /\
            match product true ma mb with Finite _ _ _ => product false ma mb = product true ma mb | _ => True end.
Proof.
  intros Da Db. pose proof (product_describes _ _ _ _ _ _ Da Db) as P. destruct ta as [[na ia] za], tb as [[nb ib] zb].
  destruct ma as [d e s|s t|s t c], mb as [d' e' s'|s' t'|s' t' c']; cbn [describes] in Da, Db.
  - destruct Da as (E & _), Db as (E' & _). destruct e as [e|]; [|congruence]. destruct e' as [e'|]; [|congruence]. eexists. split; [exact P|reflexivity].
  - destruct Da as (E & S & _), Db as (-> & -> & _). exists (false, true, false). cbn [product is_zero_number negb]. rewrite andb_false_r, S. cbn [sign_of].
    destruct e as [e|]; [|congruence]. split; [|exact I]. rewrite sign_product_if. now repeat split.
  - destruct Da as (E & _), Db as (-> & _). destruct e as [e|]; [|congruence]. exists (true, false, false). destruct c'; now repeat split.
  - destruct Da as (-> & -> & _), Db as (E & S & _). exists (false, true, false). cbn [product is_zero_number negb]. rewrite andb_false_r, S. cbn [sign_of].
    destruct e' as [e'|]; [|congruence]. split; [|exact I]. rewrite sign_product_if. now repeat split.
  - destruct Da as (-> & -> & _), Db as (-> & -> & _). exists (false, true, false). cbn. rewrite sign_product_if. now repeat split.
  - destruct Db as (-> & _). exists (true, false, false). destruct c'; now repeat split.
  - destruct Da as (-> & _), Db as (E & _). destruct e' as [e'|]; [|congruence]. exists (true, false, false). destruct c; now repeat split.
  - destruct Da as (-> & _). exists (true, false, false). destruct c; now repeat split.
  - destruct Da as (-> & _), Db as (-> & _). exists (true, false, false). destruct c, c'; now repeat split.
Qed.

Lemma computes_specials_infzero u a b ma mb negative x :
  is_wide_factor v a ma -> is_wide_factor v b mb ->
  value v negative = xorb (value v (n_negative a)) (value v (n_negative b)) ->
  t_nan (n_special x) = no /\ t_plus (n_special x) = no /\ t_minus (n_special x) = no ->
  computes v (multiply_specials u a b [] negative true x) (fun y => exists s c k, y = with_special s c k x /\ special_is v s (product true ma mb)).
Proof.
  intros ((_ & _ & Da & _) & Sa & _) ((_ & _ & Db & _) & Sb & _) Hneg (T1 & T2 & T3). unfold multiply_specials.
  eapply computes_bind; [apply computes_bits|]. intros [[n f] zz] Hbits. eapply computes_bind with (P := fun n' => n' = n); [now apply computes_ret|]. intros n' ->.
  eapply computes_bind; [apply computes_and|]. intros pl Hpl. eapply computes_bind; [apply computes_and|]. intros mi Hmi.
  do 3 (eapply computes_bind; [apply computes_something|]; intros ? _).
  apply computes_ret. rewrite T1, T2, T3. do 3 eexists. split; [reflexivity|]. cbn [map fold_left] in Hbits. rewrite !(value_no0 v v0) in Hbits.
  unfold or3, bits_of_factor in *. cbn [fst snd orb] in Hbits. injection Hbits as Hn Hf _. cbv beta in Hpl, Hmi. rewrite value_invert in Hpl.
  rewrite Sa, Sb in Hn. rewrite Sa in Da. rewrite Sb in Db.
  unfold special_is. cbn [w_nan w_plus w_minus t_nan t_plus t_minus]. rewrite (value_no0 v v0), Hn, Hpl, Hmi, Hf, Hneg. clear Hn Hf Hpl Hmi Hneg.
  destruct ma as [d e s|s t|s t c], mb as [d' e' s'|s' t'|s' t' c']; cbn [describes is_nan_of] in *.
  - destruct Da as (E & _ & _ & -> & _), Db as (E' & _ & _ & -> & _). destruct e as [e|]; [|congruence]. destruct e' as [e'|]; [|congruence]. cbn. repeat split.
  - destruct Da as (E & S & _ & -> & _), Db as (-> & -> & _ & -> & _). destruct e as [e|]; [|congruence]. cbn [product is_zero_number negb]. rewrite andb_false_r, S. cbn [sign_of].
    rewrite sign_product_if. destruct (xorb _ _); cbn; repeat split.
  - destruct Da as (E & _), Db as (-> & _). destruct e as [e|]; [|congruence]. destruct c'; cbn; repeat split; discriminate.
  - destruct Da as (-> & -> & _ & -> & _), Db as (E & S & _ & -> & _). destruct e' as [e'|]; [|congruence]. cbn [product is_zero_number negb]. rewrite andb_false_r, S. cbn [sign_of].
    rewrite sign_product_if. destruct (xorb _ _); cbn; repeat split.
  - destruct Da as (-> & -> & _ & -> & _), Db as (-> & -> & _ & -> & _). cbn [product is_zero_number negb]. rewrite andb_false_r. cbn [sign_of]. rewrite sign_product_if.
    destruct (xorb _ _); cbn; repeat split.
  - destruct Db as (-> & _). destruct c'; cbn; repeat split; discriminate.
  - destruct Da as (-> & _), Db as (E & _). destruct e' as [e'|]; [|congruence]. destruct c; cbn; repeat split; discriminate.
  - destruct Da as (-> & _). destruct c; cbn; repeat split; discriminate.
  - destruct Da as (-> & _), Db as (-> & _). destruct c, c'; cbn; repeat split; discriminate.
Qed.

Theorem computes_product u i x p k :
  fair_product u p = true -> fair_scales (product_scales u) = true ->
  len (operand (o_a i) k) = width (unit_a u) -> num (operand (o_a i) k) = in_a x k ->
  len (operand (o_b i) k) = width (unit_b u) -> num (operand (o_b i) k) = in_b x k ->
  scales_are (product_scales u) i x k ->
  computes v (product_wires u i p k)
    (fun y => is_number v 8 y
       (limit_and_normalise p (scaled (product_scales u) x (p_infzero p) k
          (product (p_infzero p) (factor p (unit_a u) (read (unit_a u) (in_a x k))) (factor p (unit_b u) (read (unit_b u) (in_b x k))))))).
Proof.
  intros Hp Hsc La Na Lb Nb HS. pose proof Hp as Hp'. unfold fair_product in Hp'. repeat (apply andb_prop in Hp'; destruct Hp' as [Hp' ?H]).
  unfold product_wires. destruct (p_normalisation p) eqn:P1; try discriminate.
  assert (P3 : p_infzero p = false \/ product_scales u = None).
  { match goal with H : negb (p_infzero p) || _ = true |- _ => revert H end. destruct (p_infzero p); [|now left]. destruct (product_scales u); [discriminate|now right]. }
  rewrite <- Na, <- Nb.
  eapply computes_bind; [exact (computes_operand v v0 p (unit_a u) _ Hp' La)|]. intros xa Fa.
  eapply computes_bind; [exact (computes_operand v v0 p (unit_b u) _ ltac:(assumption) Lb)|]. intros xb Fb.
  set (ma := factor p (unit_a u) _) in *. set (mb := factor p (unit_b u) _) in *. clearbody ma mb.
  eapply computes_bind; [exact (computes_plain_product xa xb ma mb Fa Fb)|]. intros y (Py & Y1 & Y2 & Ny).
  eapply computes_bind; [exact (computes_scale_wires ByBoth (product_scales u) i x k Hsc HS)|].
  intros ss (ms & HM & LS & HE & HN).
  eapply computes_bind; [exact (computes_multiply_scales ss ms 4 y _ _ ltac:(lia) HM Py)|]. intros z (Pz0 & mm & bs & fs & ls & Ez).
  assert (ZZ : n_has_exponent z = yes /\ n_special z = no_special_wires /\ n_negative z = n_negative y) by (rewrite Ez; repeat split; assumption).
  destruct ZZ as (Z1 & Z2 & Z4). clear Ez.
  set (m := scaled (product_scales u) x (p_infzero p) k (product (p_infzero p) ma mb)) in *.
  set (z' := with_signs (n_negative z) (invert (n_negative z)) (n_negative z) (with_exponent (n_base z) z)).
  (* special values *)
  assert (T0 : t_nan (n_special z) = no /\ t_plus (n_special z) = no /\ t_minus (n_special z) = no) by (rewrite Z2; repeat split).
  assert (Sp : exists t, is_part v (4 + Z.of_nat (length ss)) z t m /\
     computes v (multiply_specials u xa xb ss (n_negative z) (p_infzero p) z') (fun w => exists s c k, w = with_special s c k z' /\ special_is v s m)).
  { unfold m. destruct (p_infzero p) eqn:P4.
    2: { rewrite <- scaled_sum_both, HE. eexists. split; [exact Pz0|].
         exact (computes_specials u xa xb ss (n_negative z) z' _ _ eq_refl (proj1 (proj2 (proj2 Pz0))) T0). }
    destruct P3 as [P3|P3]; [discriminate|]. rewrite P3 in *. subst ms. inversion HM; subst ss. cbn [scaled length map fold_left Z.of_nat] in *.
    destruct Pz0 as (O & A & D & V). assert (Hx : value v (n_negative z) = xorb (value v (n_negative xa)) (value v (n_negative xb))) by (rewrite Z4; exact Ny).
    destruct (infzero_describes _ _ _ _ _ _ (proj1 (proj2 (proj2 (proj1 Fa)))) (proj1 (proj2 (proj2 (proj1 Fb))))) as (t & Dt & Eq). exists t. split.
    - split; [exact O|]. split; [exact A|]. split; [now rewrite Hx|]. destruct (product true ma mb); [rewrite Eq in V; exact V|exact I|exact I].
    - exact (computes_specials_infzero u xa xb ma mb (n_negative z) z' Fa Fb Hx T0). }
  clear Pz0. destruct Sp as (t & Pz & Sp).
  eapply computes_bind; [exact Sp|]. intros w (s & c & kd & -> & SP).
  assert (N4 : narrow 8 z).
  { destruct Pz as (_ & (A1 & A2 & A3 & A4 & A5 & A6) & _). unfold narrow. assert (4 + Z.of_nat (length ss) <= 8) by lia. nia. }
  assert (SG : match m with Finite _ _ _ | Infinite _ _ => sign_of m = sign_if (value v (n_negative z)) | _ => True end /\
               match m with Infinite _ t | NaN _ t _ => t = false | _ => True end).
  { destruct Pz as (_ & _ & D & _). destruct t as [[tn ti] tz]. destruct m as [d e sg|sg tt|sg tt cc]; cbn [describes] in D.
    - split; [apply D|exact I].
    - destruct D as (-> & -> & _). now split.
    - destruct D as (-> & _). now split. }
  destruct SG as [SG ST].
  eapply computes_bind.
  { apply (computes_limit p (with_special s c kd z') m P1 SP).
    - destruct m; [intros _; exact SG|intros _; exact SG|discriminate].
    - destruct (p_limit p); [|exact I]. assumption.
    - destruct m as [d e sg| |]; [|exact ST|exact ST]. destruct Pz as (O & _ & _ & V & _). split; [exact O|]. split; [exact N4|exact V]. }
  intros y' (s' & -> & SP'). cbn [with_special n_content n_kind].
  unfold normalise_product. eapply computes_bind with (P := fun _ => True); [intros s0 _; exact I|]. intros some _. apply computes_ret.
  assert (LM : limit_and_normalise p m = m \/ exists d e sg, m = Finite d e sg /\ limit_and_normalise p m = Infinite (sign_of m) false).
  { destruct m as [d e sg| |]; [|now left|now left]. cbn [limit_and_normalise]. rewrite P1. destruct (is_zero d); [now left|].
    destruct (p_limit p) as [l|]; [|left; now destruct e]. apply andb_prop in H0. destruct H0 as [_ ->]. destruct (l <=? lg d); [|left; now destruct e].
    right. now exists d, e, sg. }
  destruct Pz as (O & (A1 & A2 & A3 & A4 & A5 & A6) & D & V). set (kk := 4 + Z.of_nat (length ss)) in *. assert (KK : 4 <= kk <= 8) by (unfold kk; lia).
  assert (NE : near (n_base z)) by (unfold near; change (2 ^ 40) with (256 * 2 ^ 32); nia).
  assert (SZ : sized 8 (with_special s' c kd z')).
  { unfold sized. cbn [with_special with_signs with_exponent z' n_fraction n_magnitude n_lsb n_base n_exponent].
    change (2 ^ 43) with (2048 * 2 ^ 32). change (2 ^ 41) with (512 * 2 ^ 32). repeat split; try nia; apply NE. }
  change (is_number v 8 (with_special s' c kd z') (limit_and_normalise p m)).
  destruct LM as [LM|(d & e & sg & EM & LM)]; rewrite LM in SP' |- *.
  2: { split; [|split; [exact SZ|]].
       - split; [exact O|]. now split.
       - rewrite EM in *. rewrite SG. destruct (value v (n_negative z)); discriminate. }
  split; [|split; [exact SZ|]].
  - split; [exact O|]. split; [exact SP'|].
    destruct t as [[tn ti] tz]. destruct m as [d e sg|sg tt|sg tt cc]; [|exact I|exact I].
    destruct V as (V1 & V2 & V3). split; [exact V1|]. split; [|split; [|split]].
    + change (value v (n_has_exponent z) = match e with Some _ => true | None => false end). rewrite Z1, V2. exact (value_yes1 v v0).
    + rewrite V2. reflexivity.
    + intros _. split; [exact O|apply Z.le_refl].
    + change (sees v (invert (n_negative z)) (n_negative z) (sign_of (Finite d e sg))). rewrite SG. apply sees_sign; [reflexivity|apply value_invert].
  - destruct m as [d e sg|sg tt|sg tt cc]; [| |exact I].
    + destruct V as (V1 & V2 & V3). split; [rewrite V2; discriminate|exact V3].
    + cbn [sign_of] in SG. rewrite SG. destruct (value v (n_negative z)); discriminate.
Qed.

End Products.
