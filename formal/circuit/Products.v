(** * Products

    The circuit of a product of two operands and their scales is the product of the definition: all finite numbers, zeros
    with their signs, infinities, infinity times zero, and NaN. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Flocq Require Import Core.
From Discern Require Import Notation Real Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading Exponents Numbers Factors.
Import ListNotations.
Open Scope Z_scope.

(** The attributes of a product that are covered. *)
Definition fair_product (p : product_attr) : bool :=
  match p_normalisation p with raw => true | _ => false end &&
  match p_limit p with None => true | _ => false end &&
  match p_ftz p with KeepSubnormals => true | _ => false end &&
  negb (p_infnan p) && negb (p_nanzero p) && negb (p_infzero p).

(** Scales that are covered: formats without a sign. *)
Definition fair_scales (s : option (format * Z)) : bool :=
  match s with Some (f, n) => fair_format f && negb (has_sign f) && (0 <? n) | None => true end.

Section Products.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).

(** Operands of the circuit are the inputs of the definition: the first [count] patterns of a row. *)
Definition row_is (l : list word) (f : format) (x : Z -> Z) (count : Z) : Prop :=
  forall k, 0 <= k < count -> len (operand l k) = width f /\ num (operand l k) = x k.

Lemma computes_factor f w p : fair_format f = true -> fair_product p = true -> len w = width f ->
  computes v (factor_wires f w p) (fun x => is_factor v x (factor p f (read f (num w)))).
Proof.
  intros Hf Hp Lw. unfold fair_product in Hp. repeat (apply andb_prop in Hp; destruct Hp as [Hp ?H]).
  unfold factor_wires, flushed, factor, flush_operand. destruct (p_infnan p), (p_nanzero p), (p_ftz p); try discriminate.
  eapply computes_bind; [exact (computes_read_factor v v0 f w Hf Lw)|]. intros x (_ & F & _).
  eapply computes_bind with (P := fun y => y = x); [now apply computes_ret|]. intros y ->.
  eapply computes_bind with (P := fun y => y = x); [now apply computes_ret|]. intros y ->.
  apply computes_ret. destruct (read f (num w)); exact F.
Qed.

(** A product of wires. *)
Lemma computes_plain_product a b ma mb : is_factor v a ma -> is_factor v b mb ->
  computes v (plain_product_wires a b) (fun x =>
    is_part v 2 x (or3 (bits_of_factor v a) (bits_of_factor v b)) (product false ma mb) /\
    n_has_exponent x = yes /\ n_special x = no_special_wires /\ n_kind x = None).
Proof.
  intros (_ & PA) (_ & PB). unfold plain_product_wires. eapply computes_bind; [apply computes_xor|]. intros ng Hng.
  eapply computes_bind; [apply (computes_multiply v v0)|]. intros m [Lm Hm].
  eapply computes_bind; [apply (computes_i_sum v v0); [apply PA|apply PB]|]. intros bs (Hbs & Obs & Lo & Hi).
  apply computes_ret. split; [|repeat split].
  change 2 with (1 + 1). apply (part_times v 1 a _ ma 1 b _ mb); try assumption; try reflexivity; lia.
Qed.

(** Times the scales, whose signs are +. *)
Lemma computes_multiply_scales ss : forall ms k x t m, 0 <= k -> Forall2 (fun s n => is_factor v s n /\ value v (n_negative s) = false) ss ms ->
  is_part v k x t m -> n_has_exponent x = yes -> n_special x = no_special_wires -> n_kind x = None ->
  computes v (multiply_scales ss x) (fun y =>
    is_part v (k + Z.of_nat (length ss)) y (fold_left or3 (map (bits_of_factor v) ss) t) (fold_left (product false) ms m) /\
    n_has_exponent y = yes /\ n_special y = no_special_wires /\ n_kind y = None /\ n_negative y = n_negative x).
Proof.
  unfold multiply_scales. induction ss as [|s ss IH]; intros ms k x t m K0 H P X1 X2 X3; inversion H as [|? n ? ns [Hs Hn] Hl]; subst; cbn [fold_m].
  - apply computes_ret. cbn [length map fold_left]. rewrite Z.add_0_r. repeat split; try assumption; apply P.
  - eapply computes_bind with (P := fun y => is_part v (k + 1) y (or3 t (bits_of_factor v s)) (product false m n) /\
        n_has_exponent y = yes /\ n_special y = no_special_wires /\ n_kind y = None /\ n_negative y = n_negative x).
    { destruct Hs as (_ & PS). eapply computes_bind; [apply (computes_multiply v v0)|]. intros mm [Lm Hm].
      eapply computes_bind; [apply (computes_i_sum v v0); [apply P|apply PS]|]. intros bs (Hbs & Obs & Lo & Hi).
      apply computes_ret. split; [|now repeat split].
      apply (part_times v k x _ m 1 s _ n); try assumption; try reflexivity; try lia.
      cbn [with_lsb with_base with_magnitude n_negative]. now rewrite Hn, xorb_false_r. }
    intros y (Py & Y1 & Y2 & Y3 & Y4). eapply computes_weaken; [apply (IH ns (k + 1) y _ _ ltac:(lia) Hl Py Y1 Y2 Y3)|].
    intros z (Pz & Z1 & Z2 & Z3 & Z4). cbn [length map fold_left]. replace (k + Z.of_nat (S (length ss))) with (k + 1 + Z.of_nat (length ss)) by lia.
    repeat split; try assumption; try apply Pz. congruence.
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
  intros Hf Hs Lw. eapply computes_weaken; [exact (computes_read_factor v v0 f w Hf Lw)|]. intros x (_ & (K & O & N & D & V) & _ & _ & _ & _ & Sg).
  split; [|exact (Sg Hs)]. unfold read_scale. destruct (read f (num w)) as [| |s t c]; split; try exact K; split; try exact O; split; try exact N; split; try exact D; exact V.
Qed.

Theorem computes_product u i x p k :
  fair_product p = true -> fair_format (unit_a u) = true -> fair_format (unit_b u) = true -> fair_scales (unit_scales u) = true ->
  has_kinds u = false ->
  len (operand (o_a i) k) = width (unit_a u) -> num (operand (o_a i) k) = in_a x k ->
  len (operand (o_b i) k) = width (unit_b u) -> num (operand (o_b i) k) = in_b x k ->
  match unit_scales u with
  | Some (f, n) => len (operand (o_sa i) (k / n)) = width f /\ num (operand (o_sa i) (k / n)) = in_sa x (k / n) /\
                   len (operand (o_sb i) (k / n)) = width f /\ num (operand (o_sb i) (k / n)) = in_sb x (k / n)
  | None => True
  end ->
  computes v (product_wires u i p k)
    (fun y => is_number v 4 y
       (limit_and_normalise p (scaled (unit_scales u) x (p_infzero p) k
          (product (p_infzero p) (factor p (unit_a u) (read (unit_a u) (in_a x k))) (factor p (unit_b u) (read (unit_b u) (in_b x k))))))).
Proof.
  intros Hp Ha Hb Hsc Kd La Na Lb Nb HS. pose proof Hp as Hp'. unfold fair_product in Hp'. repeat (apply andb_prop in Hp'; destruct Hp' as [Hp' ?H]).
  unfold product_wires. destruct (p_normalisation p) eqn:P1; try discriminate. destruct (p_limit p) eqn:P2; try discriminate.
  destruct (p_infzero p) eqn:P3; try discriminate.
  assert (LN : forall y, limit_and_normalise p y = y).
  { intros [d e s| |]; cbn; try reflexivity. rewrite P1, P2. now destruct (is_zero d), e. }
  rewrite LN. rewrite <- Na, <- Nb.
  eapply computes_bind; [exact (computes_factor _ _ p Ha Hp La)|]. intros xa Fa.
  eapply computes_bind; [exact (computes_factor _ _ p Hb Hp Lb)|]. intros xb Fb.
  set (ma := factor p (unit_a u) _) in *. set (mb := factor p (unit_b u) _) in *. clearbody ma mb.
  eapply computes_bind; [exact (computes_plain_product xa xb ma mb Fa Fb)|]. intros y (Py & Y1 & Y2 & Y3).
  eapply computes_bind with (P := fun ss => exists ms, Forall2 (fun s n => is_factor v s n /\ value v (n_negative s) = false) ss ms /\
      (length ss <= 2)%nat /\ scaled (unit_scales u) x false k (product false ma mb) = fold_left (product false) ms (product false ma mb)).
  { unfold scale_wires, scaled, fair_scales in *. destruct (unit_scales u) as [[f n]|]; [|apply computes_ret; exists []; split; [constructor|split; [cbn; lia|reflexivity]]].
    destruct HS as (L1 & N1 & L2 & N2). apply andb_prop in Hsc. destruct Hsc as [Hsc _].
    apply andb_prop in Hsc. destruct Hsc as [Hsc Hsg]. apply negb_true_iff in Hsg.
    eapply computes_bind; [exact (computes_read_scale f _ Hsc Hsg L1)|]. intros sa Hsa.
    eapply computes_bind; [exact (computes_read_scale f _ Hsc Hsg L2)|]. intros sb Hsb. apply computes_ret.
    exists [read_scale f (in_sa x (k / n)); read_scale f (in_sb x (k / n))]. rewrite N1 in Hsa. rewrite N2 in Hsb.
    split; [exact (Forall2_cons _ _ Hsa (Forall2_cons _ _ Hsb (Forall2_nil _)))|]. split; [cbn; lia|reflexivity]. }
  intros ss (ms & HM & LS & ->).
  eapply computes_bind; [exact (computes_multiply_scales ss ms 2 y _ _ ltac:(lia) HM Py Y1 Y2 Y3)|]. intros z (Pz & Z1 & Z2 & Z3 & Z4).
  set (t := fold_left or3 _ _) in *. set (m := fold_left (product false) ms _) in *.
  set (z' := with_signs (n_negative z) (invert (n_negative z)) (n_negative z) (with_exponent (n_base z) z)).
  (* special values *)
  eapply computes_bind with (P := fun y => exists s c, y = with_special s c None z' /\ special_is v s m).
  { unfold multiply_specials. eapply computes_bind; [apply computes_bits|]. intros [[n f] zz] Hbits.
    eapply computes_bind with (P := fun n' => value v n' = value v n || (value v f && value v zz)).
    { eapply computes_bind; [apply computes_and|]. intros bo Hbo. eapply computes_weaken; [apply computes_or|]. intros q ->. now rewrite Hbo. }
    intros n' Hn'. eapply computes_bind; [apply computes_and|]. intros pl Hpl. eapply computes_bind; [apply computes_and|]. intros mi Hmi.
    eapply computes_bind with (P := fun _ => True); [intros s0 _; exact I|]. intros here _.
    eapply computes_bind with (P := fun _ => True); [intros s0 _; exact I|]. intros kn _.
    eapply computes_bind with (P := fun _ => True); [intros s0 _; exact I|]. intros pay _.
    apply computes_ret. rewrite Kd. assert (K0 : n_kind z' = None) by exact Z3. rewrite K0. do 2 eexists. split; [reflexivity|].
    assert (T0 : t_nan (n_special z') = no /\ t_plus (n_special z') = no /\ t_minus (n_special z') = no).
    { change (n_special z') with (n_special z). rewrite Z2. repeat split. }
    destruct T0 as (-> & -> & ->). change (n_negative z') with (n_negative z) in *.
    destruct Pz as (_ & _ & D & _).
    assert (T : t = (value v n, value v f, value v zz)).
    { rewrite Hbits. unfold t. cbn [map fold_left]. now rewrite !(value_no0 v v0). }
    rewrite T in D. rewrite value_invert in Hpl. exact (special_of_bits _ _ _ _ _ _ _ _ D Hn' Hpl Hmi). }
  intros w (s & c & -> & SP).
  eapply computes_bind with (P := fun y => y = with_special s c None z'); [now apply computes_ret|]. intros y' ->.
  unfold normalise_product. eapply computes_bind with (P := fun _ => True); [intros s0 _; exact I|]. intros some _. apply computes_ret.
  destruct Pz as (O & (A1 & A2 & A3 & A4 & A5 & A6) & D & V). set (kk := 2 + Z.of_nat (length ss)) in *. assert (KK : 2 <= kk <= 4) by (unfold kk; lia).
  assert (NE : near (n_base z)) by (unfold near; change (2 ^ 40) with (256 * 2 ^ 32); nia).
  split; [|split; [|split; [reflexivity|]]].
  - split; [exact O|]. split; [exact O|]. split; [exact SP|].
    destruct t as [[tn ti] tz]. destruct m as [d e sg|sg tt|sg tt cc] eqn:EM; [|exact I|exact I].
    destruct V as (V1 & V2 & V3). cbn [describes] in D. destruct D as (_ & D2 & _). split; [exact V1|]. split; [|split; [|split]].
    + change (n_has_exponent (with_special s c None z')) with (n_has_exponent z). rewrite Z1, V2. exact (value_yes1 v v0).
    + rewrite V2. reflexivity.
    + intros _. change (n_exponent (with_special s c None z')) with (n_base z). change (n_base (with_special s c None z')) with (n_base z). lia.
    + change (n_seen_plus (with_special s c None z')) with (invert (n_negative z)). change (n_seen_minus (with_special s c None z')) with (n_negative z).
      rewrite D2. apply sees_sign; [reflexivity|apply value_invert].
  - unfold sized. change (n_fraction (with_special s c None z')) with (n_fraction z). change (n_magnitude (with_special s c None z')) with (n_magnitude z).
    change (n_lsb (with_special s c None z')) with (n_lsb z). change (n_base (with_special s c None z')) with (n_base z). change (n_exponent (with_special s c None z')) with (n_base z).
    change (2 ^ 43) with (2048 * 2 ^ 32). change (2 ^ 41) with (512 * 2 ^ 32). repeat split; try nia; apply NE.
  - destruct t as [[tn ti] tz]. destruct m as [d e sg|sg tt|sg tt cc]; [| |exact I].
    + destruct V as (V1 & V2 & V3). split; [rewrite V2; discriminate|exact V3].
    + cbn [describes] in D. destruct D as (_ & -> & _). destruct (value v (n_negative z)); discriminate.
Qed.

End Products.
