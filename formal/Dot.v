(** * Exact dot products

    f*g+h->d K=n : round[d m](fuse[exact](p*, c))  rounds the real number  Σ a_k·b_k + c  once, as Flocq does, for any
    IEEE formats and any n. *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core.
From Flocq Require Import BinarySingleNaN Binary Bits.
From Discern Require Import Notation Real Patterns Exact Fma.
Import ListNotations.
Open Scope Z_scope.

(** ** Any exact fuse under a round of an IEEE format *)

Section Sum.

Variables E M : Z.
Hypothesis HE : 0 < E.
Hypothesis HM : 0 < M.
Hypothesis Hmax : M + 1 < 2 ^ (E - 1).
Notation prec := (M + 1).
Notation fmax := (2 ^ (E - 1)).
Notation fexp := (SpecFloat.fexp prec fmax).
Notation f := (ieee E M).
Notation to_bits := (bits_of_binary_float M E).

(** A number that is in range is one of Flocq's. *)
Lemma finite_is_flocq w e s : generic_format radix2 fexp (D2R w) -> (Rabs (D2R w) < bpow radix2 fmax)%R ->
  s <> Mixed -> exists b, same E M (Finite w e s) b /\ is_finite prec fmax b = true /\ B2R prec fmax b = D2R w.
Proof.
  intros G L NM.
  assert (P : FLX.Prec_gt_0 prec) by (unfold FLX.Prec_gt_0; clear -HM; lia).
  assert (Q : Prec_lt_emax prec fmax) by exact Hmax.
  pose proof (binary_normalize_correct prec fmax P Q mode_NE (num w) (scale w) (sign_eqb s Minus)) as K.
  change (F2R (Float radix2 (num w) (scale w))) with (D2R w) in K.
  rewrite round_generic in K by (auto with typeclass_instances).
  rewrite Rlt_bool_true in K by exact L. destruct K as (K1 & K2 & K3).
  exists (binary_normalize prec fmax P Q mode_NE (num w) (scale w) (sign_eqb s Minus)).
  unfold same. split; [|split; assumption]. split; [exact K2|]. split; [now symmetry|]. rewrite K3.
  unfold sign_of. destruct (is_zero w) eqn:Z.
  - apply is_zero_correct in Z. rewrite Rcompare_Eq by exact Z. now destruct s.
  - apply is_zero_false in Z. rewrite is_negative_Rlt_bool. unfold Rlt_bool.
    destruct (Rcompare_spec (D2R w) 0); try reflexivity. contradiction.
Qed.

Theorem exact_sum_is_rounded u fu children terms m :
  plain_fuse fu -> Forall exact_term terms ->
  let x := Rsum (map real_of terms) in
  let r := Generic_fmt.round radix2 fexp (round_mode m) x in
  let d := Notation.round (ieee_round E M m) (fuse fu children terms) in
  if Rlt_bool (Rabs r) (bpow radix2 fmax)
  then exists b, is_finite prec fmax b = true /\ B2R prec fmax b = r /\ result u f d = to_bits b
  else d = if overflow_to_inf m (Rlt_bool x 0) then Infinite (sign_if (Rlt_bool x 0)) false
           else largest_of f (Rlt_bool x 0).
Proof.
  intros Pf Ft x r d. unfold d. destruct (fuse_exact fu children terms Pf Ft) as (S & e & -> & HS).
  fold x in HS. pose proof (round_correct E M HE HM Hmax m S e) as R.
  match goal with |- context [Finite S e ?z] => specialize (R z) end. cbv zeta in R. rewrite HS in R. fold r in R.
  destruct (Rlt_bool_spec (Rabs r) (bpow radix2 fmax)) as [L|L]; [|exact R].
  destruct R as (w & e' & s' & -> & HW & Sg).
  destruct (finite_is_flocq w e' (match s' with Minus => Minus | _ => Plus end)) as (b & Sb & Fb & Vb).
  - rewrite HW. apply generic_format_round; auto with typeclass_instances. now apply (valid_fexp E M).
  - now rewrite HW.
  - now destruct s'.
  - exists b. split; [exact Fb|]. split; [now rewrite Vb|].
    rewrite <- (write_correct E M HE HM u _ _ Sb) by (now destruct b).
    (* a zero sign that is mixed is not a sign of a rounded number, and is written as + *)
    cbn [result]. unfold write_finite. change (is_fixed f) with false. cbv iota. unfold sign_of.
    destruct (is_zero w); [|reflexivity]. now destruct s'.
Qed.

(** The number of a result, an infinity being the power of two that no number reaches. *)
Definition extended (x : number) : R :=
  match x with
  | Infinite s _ => if sign_eqb s Minus then (- bpow radix2 fmax)%R else bpow radix2 fmax
  | _ => D2R (value_of x)
  end.

(** What overflow gives, without its sign. *)
Definition beyond (m : BinarySingleNaN.mode) (negative : bool) : R :=
  if overflow_to_inf m negative then bpow radix2 fmax else D2R (largest f).

Lemma extended_round m v e s :
  let r := Generic_fmt.round radix2 fexp (round_mode m) (D2R v) in
  let negative := Rlt_bool (D2R v) 0 in
  extended (Notation.round (ieee_round E M m) (Finite v e s)) =
    if Rlt_bool (Rabs r) (bpow radix2 fmax) then r else if negative then (- beyond m negative)%R else beyond m negative.
Proof.
  intros r negative. pose proof (round_correct E M HE HM Hmax m v e s) as R. cbv zeta in R. fold r negative in R.
  destruct (Rlt_bool (Rabs r) (bpow radix2 fmax)).
  - destruct R as (w & e' & s' & -> & HW & _). exact HW.
  - rewrite R. unfold beyond. destruct (overflow_to_inf m negative); [now destruct negative|].
    unfold largest_of. destruct negative; cbn [extended value_of]; [apply D2R_opposite|reflexivity].
Qed.

(** The larger of two exact sums does not get the smaller result, overflow included. With a cut sum this does not hold: a
    larger term can raise E, and cut more of the others. *)
Theorem exact_sum_is_monotone fu children terms fu' children' terms' m :
  plain_fuse fu -> Forall exact_term terms -> plain_fuse fu' -> Forall exact_term terms' ->
  (Rsum (map real_of terms) <= Rsum (map real_of terms'))%R ->
  (extended (Notation.round (ieee_round E M m) (fuse fu children terms)) <=
   extended (Notation.round (ieee_round E M m) (fuse fu' children' terms')))%R.
Proof.
  intros Pf Ft Pf' Ft' H.
  destruct (fuse_exact fu children terms Pf Ft) as (S & e & -> & HS).
  destruct (fuse_exact fu' children' terms' Pf' Ft') as (S' & e' & -> & HS').
  rewrite !extended_round. rewrite <- HS, <- HS' in H. clear - H HE HM Hmax. set (x := D2R S) in *. set (x' := D2R S') in *.
  assert (V : Valid_exp fexp) by now apply (valid_fexp E M).
  assert (I : forall y z, (y <= z)%R -> (Generic_fmt.round radix2 fexp (round_mode m) y <= Generic_fmt.round radix2 fexp (round_mode m) z)%R).
  { intros y z L. apply round_le; auto with typeclass_instances. }
  pose proof (I _ _ H) as R. pose proof (I x 0%R) as N. pose proof (I 0%R x) as P. pose proof (I x' 0%R) as N'. pose proof (I 0%R x') as P'.
  rewrite !round_0 in N, P, N', P' by auto with typeclass_instances.
  assert (F : forall y, generic_format radix2 fexp (Generic_fmt.round radix2 fexp (round_mode m) y)) by (intros; apply generic_format_round; auto with typeclass_instances).
  pose proof (overflow_correct E M HE HM Hmax _ (F x)) as O. pose proof (overflow_correct E M HE HM Hmax _ (F x')) as O'.
  set (r := Generic_fmt.round radix2 fexp (round_mode m) x) in *. set (r' := Generic_fmt.round radix2 fexp (round_mode m) x') in *.
  assert (L : (0 < D2R (largest f) <= bpow radix2 fmax)%R).
  { rewrite (D2R_largest E M HE HM). pose proof (bpow_gt_0 radix2 (fmax - prec)). pose proof (bpow_lt radix2 (fmax - prec) fmax ltac:(lia)). lra. }
  assert (B : forall n, (0 < D2R (largest f) <= beyond m n /\ beyond m n <= bpow radix2 fmax)%R) by (intros n; unfold beyond; destruct (overflow_to_inf m n); lra).
  pose proof (B true). pose proof (B false). clear B I F.
  destruct (Rlt_bool_spec (Rabs r) (bpow radix2 fmax)) as [A|A]; destruct (Rlt_bool_spec (Rabs r') (bpow radix2 fmax)) as [A'|A'].
  all: cbn [negb] in O, O'; destruct (Rlt_bool_spec (D2R (largest f)) (Rabs r)) as [G|G]; try discriminate;
    destruct (Rlt_bool_spec (D2R (largest f)) (Rabs r')) as [G'|G']; try discriminate.
  all: try exact R.
  all: try (destruct (Rlt_bool_spec x 0) as [X|X]); try (destruct (Rlt_bool_spec x' 0) as [X'|X']); try lra.
  all: unfold Rabs in *; destruct (Rcase_abs r); destruct (Rcase_abs r'); lra.
Qed.

End Sum.

(** ** The dot product *)

Section Dot.

Variables Ea Ma Eb Mb Ec Mc Ed Md : Z.
Hypothesis (HEa : 0 < Ea) (HMa : 0 < Ma) (Hma : Ma + 1 < 2 ^ (Ea - 1)).
Hypothesis (HEb : 0 < Eb) (HMb : 0 < Mb) (Hmb : Mb + 1 < 2 ^ (Eb - 1)).
Hypothesis (HEc : 0 < Ec) (HMc : 0 < Mc) (Hmc : Mc + 1 < 2 ^ (Ec - 1)).
Hypothesis (HEd : 0 < Ed) (HMd : 0 < Md) (Hmd : Md + 1 < 2 ^ (Ed - 1)).

Definition dot_unit (n : Z) (m : BinarySingleNaN.mode) (nan : nan_rule) : Notation.unit :=
  Unit (ieee Ea Ma) (ieee Eb Mb) (Some (ieee Ec Mc)) (ieee Ed Md) None n n 0 false nan (ieee_round Ed Md m)
       (FuseNode exact_fuse [(ProductLeaf plain_product, exact_child); (CLeaf plain_c, exact_child)]).

Notation a_of := (binary_float_of_bits Ma Ea HMa HEa Hma).
Notation b_of := (binary_float_of_bits Mb Eb HMb HEb Hmb).
Notation c_of := (binary_float_of_bits Mc Ec HMc HEc Hmc).

Definition dot_terms (x : inputs) (n : Z) : list term :=
  map (fun k => Term exact_child false (product false (read (ieee Ea Ma) (in_a x k)) (read (ieee Eb Mb) (in_b x k))))
      (below n) ++ [Term exact_child true (kept (read (ieee Ec Mc) (in_c x)))].

Lemma filter_true {A} (p : A -> bool) l : (forall y, p y = true) -> filter p l = l.
Proof. intros H. induction l as [|y l IH]; [reflexivity|]. cbn. now rewrite H, IH. Qed.

Lemma rounded_finite u r v e s : rounded u r (Finite v e s) = Notation.round r (Finite v e s).
Proof. unfold rounded, nan_of_rule. now destruct (unit_nan u). Qed.

Theorem dot_unit_is n m nan x : 0 < n -> let u := dot_unit n m nan in
  evaluate u x = result u (ieee Ed Md) (rounded u (ieee_round Ed Md m)
                   (fuse exact_fuse [exact_child; exact_child] (dot_terms x n))).
Proof.
  intros Hn. cbv zeta. unfold evaluate, chain. change (unit_c (dot_unit n m nan)) with (Some (ieee Ec Mc)).
  change (unit_K (dot_unit n m nan)) with n. change (unit_L (dot_unit n m nan)) with n.
  change (unit_c_last (dot_unit n m nan)) with false. cbv iota.
  rewrite Z.div_same by lia. change (below 1) with [0]. cbn [fold_left snd fst].
  unfold block. change (unit_tree (dot_unit n m nan)) with
    (FuseNode exact_fuse [(ProductLeaf plain_product, exact_child); (CLeaf plain_c, exact_child)]).
  change (unit_root (dot_unit n m nan)) with (ieee_round Ed Md m).
  cbn [numbers map flat_map is_c_leaf as_child ch_scaled exact_child as_term snd app p_which plain_product].
  change (unit_L (dot_unit n m nan)) with n.
  unfold selected. rewrite filter_true by reflexivity.
  rewrite accumulator_plain, map_map. unfold dot_terms. do 4 f_equal.
  apply map_ext. intros k. unfold product_of_element.
  change (unit_a (dot_unit n m nan)) with (ieee Ea Ma). change (unit_b (dot_unit n m nan)) with (ieee Eb Mb).
  rewrite limit_plain, !factor_plain. reflexivity.
Qed.

Theorem dot_unit_correct n m nan x :
  0 < n ->
  (forall k, 0 <= k < n -> is_pattern Ea Ma (in_a x k) /\ is_finite _ _ (a_of (in_a x k)) = true) ->
  (forall k, 0 <= k < n -> is_pattern Eb Mb (in_b x k) /\ is_finite _ _ (b_of (in_b x k)) = true) ->
  is_pattern Ec Mc (in_c x) -> is_finite _ _ (c_of (in_c x)) = true ->
  let real := (Rsum (map (fun k => B2R _ _ (a_of (in_a x k)) * B2R _ _ (b_of (in_b x k)))%R (below n)) +
               B2R _ _ (c_of (in_c x)))%R in
  let r := Generic_fmt.round radix2 (SpecFloat.fexp (Md + 1) (2 ^ (Ed - 1))) (round_mode m) real in
  let d := evaluate (dot_unit n m nan) x in
  if Rlt_bool (Rabs r) (bpow radix2 (2 ^ (Ed - 1)))
  then exists b, is_finite (Md + 1) (2 ^ (Ed - 1)) b = true /\ B2R _ _ b = r /\ d = bits_of_binary_float Md Ed b
  else d = if overflow_to_inf m (Rlt_bool real 0)
           then write_infinity (ieee Ed Md) (sign_if (Rlt_bool real 0))
           else write_finite (ieee Ed Md)
                  (if Rlt_bool real 0 then opposite (largest (ieee Ed Md)) else largest (ieee Ed Md)) Plus.
Proof.
  intros Hn Ha Hb Rc Fc real r d. unfold d. rewrite dot_unit_is by exact Hn.
  assert (PT : forall k, 0 <= k < n -> exists v e s,
             product false (read (ieee Ea Ma) (in_a x k)) (read (ieee Eb Mb) (in_b x k)) = Finite v (Some e) s /\
             D2R v = (B2R _ _ (a_of (in_a x k)) * B2R _ _ (b_of (in_b x k)))%R).
  { intros k Hk. destruct (Ha k Hk) as [Ra Fa]. destruct (Hb k Hk) as [Rb Fb].
    rewrite (read_correct Ea Ma HEa HMa Hma) by exact Ra. rewrite (read_correct Eb Mb HEb HMb Hmb) by exact Rb.
    destruct (number_finite Ea Ma _ Fa) as (va & ea & Na & Va & _).
    destruct (number_finite Eb Mb _ Fb) as (vb & eb & Nb & Vb & _).
    rewrite Na, Nb. cbn [product]. do 3 eexists. split; [reflexivity|]. now rewrite D2R_times, Va, Vb. }
  assert (B : forall k, In k (below n) -> 0 <= k < n).
  { intros k H. unfold below in H. apply in_map_iff in H. destruct H as (j & <- & H). apply in_seq in H. lia. }
  destruct (number_finite Ec Mc _ Fc) as (vc & ec & Nc & Vc & _).
  assert (FT : Forall exact_term (dot_terms x n)).
  { unfold dot_terms. apply Forall_app. split.
    - apply Forall_map. apply Forall_forall. intros k Hk. destruct (PT k (B k Hk)) as (v & e & s & P & _).
      split; [reflexivity|]. split; [reflexivity|]. exists v, (Some e), s. split; [exact P|discriminate].
    - constructor; [|constructor]. split; [reflexivity|]. split; [reflexivity|].
      exists vc, (Some ec), (sign_if (Bsign _ _ (c_of (in_c x)))). split; [|discriminate].
      cbn [t_number]. rewrite (read_correct Ec Mc HEc HMc Hmc) by exact Rc. now rewrite Nc. }
  assert (SR : Rsum (map real_of (dot_terms x n)) = real).
  { unfold dot_terms. rewrite map_app, map_map.
    assert (AP : forall l y, Rsum (l ++ [y]) = (Rsum l + y)%R).
    { induction l as [|z l IH]; intros y; cbn; [ring|]. unfold Rsum in IH. rewrite IH. ring. }
    cbn [map]. rewrite AP. unfold real. f_equal.
    - f_equal. apply map_ext_in. intros k Hk. destruct (PT k (B k Hk)) as (v & e & s & P & V).
      unfold real_of; cbn [t_number]. rewrite P. exact V.
    - unfold real_of; cbn [t_number]. rewrite (read_correct Ec Mc HEc HMc Hmc) by exact Rc. rewrite Nc. exact Vc. }
  assert (RF : rounded (dot_unit n m nan) (ieee_round Ed Md m) (fuse exact_fuse [exact_child; exact_child] (dot_terms x n)) =
               Notation.round (ieee_round Ed Md m) (fuse exact_fuse [exact_child; exact_child] (dot_terms x n))).
  { destruct (fuse_exact exact_fuse [exact_child; exact_child] (dot_terms x n) ltac:(repeat split) FT) as (S0 & e0 & -> & _).
    apply rounded_finite. }
  rewrite RF. clear RF.
  pose proof (exact_sum_is_rounded Ed Md HEd HMd Hmd (dot_unit n m nan) exact_fuse [exact_child; exact_child]
                (dot_terms x n) m ltac:(repeat split) FT) as K.
  cbv zeta in K. rewrite SR in K. fold r in K.
  destruct (Rlt_bool (Rabs r) _); [exact K|]. rewrite K. destruct (overflow_to_inf m _); [reflexivity|].
  unfold largest_of, result, write_finite. change (is_fixed (ieee Ed Md)) with false. cbv iota.
  assert (NZ : forall y, (D2R y = D2R (largest (ieee Ed Md)) \/ D2R y = - D2R (largest (ieee Ed Md)))%R -> is_zero y = false).
  { intros y Hy. apply is_zero_false. rewrite (D2R_largest Ed Md HEd HMd) in Hy.
    assert (bpow radix2 (2 ^ (Ed - 1) - (Md + 1)) < bpow radix2 (2 ^ (Ed - 1)))%R by (apply bpow_lt; lia). lra. }
  unfold sign_of. destruct (Rlt_bool real 0).
  - rewrite (NZ (opposite _)) by (right; apply D2R_opposite). reflexivity.
  - rewrite NZ by (now left). reflexivity.
Qed.

End Dot.
