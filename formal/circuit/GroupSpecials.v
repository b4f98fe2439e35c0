(** * Special values of a group

    A group is the sum of some products, times scales. The circuit multiplies each product by the scales before it looks
    whether the sum is NaN or infinite; that comes to the same, since scales have no sign and are not infinite. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Discern Require Import Notation Real Gates Lrat Making Words Circuit Fields Reading Sums.
Import ListNotations.
Open Scope Z_scope.

Inductive class := CFinite | CNan | CPlus | CMinus.
Definition class_of (x : number) : class :=
  match x with Finite _ _ _ => CFinite | NaN _ _ _ => CNan | Infinite Minus _ => CMinus | Infinite _ _ => CPlus end.
Definition class_eqb (c c' : class) : bool :=
  match c, c' with CFinite, CFinite | CNan, CNan | CPlus, CPlus | CMinus, CMinus => true | _, _ => false end.

(** Not tentative, and no infinity without a sign. *)
Definition is_definite (x : number) : Prop :=
  match x with Infinite s t => t = false /\ s <> Mixed | NaN _ t _ => t = false | Finite _ e _ => e <> None end.

Lemma special_is_class v w x y : is_definite x -> is_definite y -> class_of x = class_of y -> special_is v w x -> special_is v w y.
Proof.
  destruct x as [d e s|[| |] t|s t c], y as [d' e' s'|[| |] t'|s' t' c']; cbn [is_definite class_of]; intros X Y E H; try discriminate E;
    repeat match goal with H : _ /\ _ |- _ => destruct H end; subst; try congruence; exact H.
Qed.

(** The class of a sum. *)
Definition sum_class (l : list class) : class :=
  let has c := existsb (class_eqb c) l in
  if has CNan || (has CPlus && has CMinus) then CNan else if has CPlus then CPlus else if has CMinus then CMinus else CFinite.

Lemma definite_sum l : Forall is_definite l -> class_of (special_number l) = sum_class (map class_of l) /\
  match special_sum l with Some x => is_definite x | None => True end.
Proof.
  intros H. assert (G : existsb (is_nan_of true) l = false /\ existsb (is_infinity_of true Plus) l = false /\ existsb (is_infinity_of true Minus) l = false /\
    existsb (is_nan_of false) l = existsb (class_eqb CNan) (map class_of l) /\ existsb (is_infinity_of false Plus) l = existsb (class_eqb CPlus) (map class_of l) /\
    existsb (is_infinity_of false Minus) l = existsb (class_eqb CMinus) (map class_of l)).
  { induction H as [|x l Hx _ (I1 & I2 & I3 & I4 & I5 & I6)]; [repeat split|]. cbn [existsb map]. rewrite I1, I2, I3, I4, I5, I6.
    destruct x as [d e s|s t|s t c]; cbn [is_definite] in Hx; [repeat split| |].
    - destruct Hx as [-> Hx]. destruct s; try congruence; repeat split.
    - subst. repeat split. }
  destruct G as (G1 & G2 & G3 & G4 & G5 & G6). unfold special_number, special_sum, special_of, sum_class. rewrite G1, G2, G3, G4, G5, G6. cbn [orb andb].
  destruct (existsb (class_eqb CNan) _), (existsb (class_eqb CPlus) _), (existsb (class_eqb CMinus) _); cbn; repeat split; discriminate.
Qed.

(** What a scale does to it. *)
Definition scale_class (m : number) (c : class) : class :=
  match m with
  | NaN _ _ _ => CNan
  | _ => match c with CPlus | CMinus => if is_zero_number m then CNan else c | _ => c end
  end.

(** A scale: finite, with the sign +, or NaN. *)
Definition is_scale (m : number) : Prop :=
  match m with Finite _ e _ => e <> None /\ sign_of m = Plus | NaN _ t _ => t = false | Infinite _ _ => False end.

Lemma product_class x m : is_definite x -> is_scale m ->
  is_definite (product false x m) /\ class_of (product false x m) = scale_class m (class_of x).
Proof.
  intros Hx Hm. destruct m as [d' e' s'|s' t'|s' t' c']; [|destruct Hm|]; cbn [is_scale] in Hm.
  - destruct Hm as [He Sg]. destruct e' as [e'|]; [|congruence]. destruct x as [d e s|s t|s t c]; cbn [is_definite] in Hx.
    + destruct e as [e|]; [|congruence]. split; [discriminate|reflexivity].
    + destruct Hx as [-> Hx]. cbn [product]. rewrite Sg. cbn [is_zero_number negb sign_of orb]. rewrite andb_true_r. cbn [scale_class class_of is_zero_number].
      destruct (is_zero d'); [split; [reflexivity|destruct s; try congruence; reflexivity]|]. destruct s; try congruence; (split; [split; [reflexivity|discriminate]|reflexivity]).
    + subst t. destruct c; split; reflexivity.
  - subst t'. destruct x as [d [e|] s|s t|s t [c|]]; cbn [is_definite] in Hx; try congruence; destruct c' as [c'|]; (split; [reflexivity|]); try reflexivity; destruct s; reflexivity.
Qed.

Lemma products_class ms : forall x, is_definite x -> Forall is_scale ms ->
  is_definite (fold_left (product false) ms x) /\ class_of (fold_left (product false) ms x) = fold_left (fun c m => scale_class m c) ms (class_of x).
Proof.
  induction ms as [|m ms IH]; intros x Hx H; [now split|]. inversion H as [|? ? Hm Hms]; subst. cbn [fold_left].
  destruct (product_class x m Hx Hm) as [D C]. destruct (IH _ D Hms) as [D' C']. split; [exact D'|]. now rewrite C', C.
Qed.

(** First the scale, or first the sum. *)
Lemma sum_class_scale m cs : cs <> [] -> sum_class (map (scale_class m) cs) = scale_class m (sum_class cs).
Proof.
  intros Ne. destruct m as [d e s|s t|s t c].
  - destruct (is_zero d) eqn:Z.
    + assert (S : forall c, scale_class (Finite d e s) c = match c with CFinite => CFinite | _ => CNan end) by (intros []; cbn; rewrite ?Z; reflexivity).
      assert (G : existsb (class_eqb CNan) (map (scale_class (Finite d e s)) cs) = existsb (class_eqb CNan) cs || existsb (class_eqb CPlus) cs || existsb (class_eqb CMinus) cs /\
                  existsb (class_eqb CPlus) (map (scale_class (Finite d e s)) cs) = false /\ existsb (class_eqb CMinus) (map (scale_class (Finite d e s)) cs) = false).
      { clear Ne. induction cs as [|c cs IH]; [repeat split|]. destruct IH as (I1 & I2 & I3). cbn [map existsb]. rewrite I1, I2, I3, S.
        destruct c; cbn; rewrite ?orb_true_r; repeat split; now destruct (existsb (class_eqb CNan) cs), (existsb (class_eqb CPlus) cs), (existsb (class_eqb CMinus) cs). }
      destruct G as (G1 & G2 & G3). unfold sum_class. rewrite G1, G2, G3, S.
      destruct (existsb (class_eqb CNan) cs), (existsb (class_eqb CPlus) cs), (existsb (class_eqb CMinus) cs); reflexivity.
    + assert (S : forall c, scale_class (Finite d e s) c = c) by (intros []; cbn; rewrite ?Z; reflexivity).
      rewrite S. f_equal. rewrite <- (map_id cs) at 2. apply map_ext. exact S.
  - assert (S : forall c, scale_class (Infinite s t) c = c) by (intros []; reflexivity).
    rewrite S. f_equal. rewrite <- (map_id cs) at 2. apply map_ext. exact S.
  - destruct cs as [|c' cs]; [congruence|]. reflexivity.
Qed.

Lemma sum_class_scales ms : forall cs, cs <> [] ->
  sum_class (map (fun c => fold_left (fun c m => scale_class m c) ms c) cs) = fold_left (fun c m => scale_class m c) ms (sum_class cs).
Proof.
  induction ms as [|m ms IH]; intros cs Ne; cbn [fold_left]; [now rewrite map_id|].
  rewrite <- (sum_class_scale m cs Ne), <- (IH (map (scale_class m) cs)) by (destruct cs; [congruence|discriminate]). now rewrite map_map.
Qed.

(** What the circuit finds is the special value of the sum times the scales. *)
Theorem group_special v w ps ms total : ps <> [] -> Forall is_definite ps -> Forall is_scale ms -> is_definite total ->
  class_of total = class_of (special_number ps) ->
  special_is v w (special_number (map (fold_left (product false) ms) ps)) -> special_is v w (fold_left (product false) ms total).
Proof.
  intros Ne Hp Hm Ht Hc H.
  assert (HQ : Forall is_definite (map (fold_left (product false) ms) ps) /\
     map class_of (map (fold_left (product false) ms) ps) = map (fun c => fold_left (fun c m => scale_class m c) ms c) (map class_of ps)).
  { clear -Hp Hm. induction Hp as [|p ps Hp _ [I1 I2]]; [split; constructor|]. destruct (products_class ms p Hp Hm) as [D C].
    cbn [map]. split; [constructor; assumption|]. now rewrite C, I2. }
  destruct HQ as [Q1 Q2]. destruct (definite_sum _ Q1) as [E1 E2]. destruct (definite_sum ps Hp) as [E3 _]. destruct (products_class ms total Ht Hm) as [D C].
  assert (CE : class_of (special_number (map (fold_left (product false) ms) ps)) = class_of (fold_left (product false) ms total)).
  { rewrite E1, Q2, sum_class_scales by (destruct ps; [congruence|discriminate]). now rewrite C, Hc, E3. }
  revert CE H. unfold special_number at 1 2. destruct (special_sum (map (fold_left (product false) ms) ps)) as [x|]; intros CE H.
  - exact (special_is_class v w x _ E2 D CE H).
  - apply (special_is_class v w (Finite zero (Some 0) Plus) _); [discriminate|exact D|exact CE|exact H].
Qed.
