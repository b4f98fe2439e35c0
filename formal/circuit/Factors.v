(** * Factors and their products, as numbers

    What a circuit has of a factor, and what of a product of some: finite numbers with their sign, value and exponent, and
    for infinities and NaN three bits, which say whether some factor is NaN, infinite or zero. *)

From Coq Require Import ZArith List Bool Reals Lia Lra.
From Flocq Require Import Core.
From Discern Require Import Notation Real Carried Units Gates Lrat Making Words Shifts Integers Largest Circuit Fields Reading Exponents Numbers.
Import ListNotations.
Open Scope Z_scope.

(** Formats that are covered: their fields are in their patterns, and are not out of all proportion. *)
Definition fair_format (f : format) : bool :=
  valid_format f && negb (is_fixed f) && (1 <=? E_bits f) && (E_bits f <=? 30) && (M_bits f <=? payload_bits) && (padding f <=? 60) &&
  (padding f + M_bits f + E_bits f <=? width f) && (Z.abs (bias f) <=? 2 ^ 30) && (has_zero f || (M_bits f =? 0)).

(** What is read is never tentative, and a finite number has an exponent. *)
Lemma read_is f bits :
  match read f bits with Finite _ e _ => e <> None | Infinite s t => t = false /\ s <> Mixed | NaN _ t _ => t = false end.
Proof.
  unfold read. destruct (is_fixed f); [discriminate|]. unfold read_float, read_finite.
  destruct (kind_of f); repeat match goal with |- context [if ?c then _ else _] => destruct c end;
    first [ discriminate | reflexivity
          | split; [reflexivity|]; match goal with |- sign_if ?n <> _ => destruct n; discriminate end ].
Qed.

Lemma fair_parts f : fair_format f = true ->
  valid_format f = true /\ is_fixed f = false /\ 1 <= E_bits f <= 30 /\ 0 <= M_bits f <= 52 /\ 0 <= padding f <= 60 /\
  padding f + M_bits f + E_bits f <= width f /\ - 2 ^ 30 <= bias f <= 2 ^ 30 /\ (has_zero f = false -> M_bits f = 0).
Proof.
  intros H. assert (V : valid_format f = true) by (unfold fair_format in H; destruct (valid_format f); [reflexivity|discriminate H]).
  unfold fair_format, payload_bits in H. repeat (apply andb_prop in H; destruct H as [H ?H']).
  repeat match goal with H : (_ <=? _) = true |- _ => apply Z.leb_le in H end.
  destruct (valid_parts f V) as (P1 & P2 & P3 & P4 & _).
  repeat match goal with |- _ /\ _ => split end; try assumption; try lia; try (now apply negb_true_iff).
  intros Z. rewrite Z in *. cbn [orb] in *. match goal with H : (_ =? _) = true |- _ => now apply Z.eqb_eq in H end.
Qed.

(** What NaN carry in these formats. *)
Lemma fair_read_fits f bits : fair_format f = true -> carries_fitting (read f bits).
Proof. intros Hf. destruct (fair_parts f Hf) as (_ & _ & _ & PM & _). apply read_fits. lia. Qed.

(** A finite number that was read is a multiple of the last bit of its format. *)
Lemma read_multiple f bits d e s : fair_format f = true -> read f bits = Finite d e s -> multiple_of d (last_bit f).
Proof.
  intros Hf H. destruct (fair_parts f Hf) as (_ & Fx & PE & PM & _ & _ & _ & HZ). unfold read in H. rewrite Fx in H.
  assert (G : forall sg x fr, 0 <= x -> read_finite f sg x fr = Finite d e s -> multiple_of d (last_bit f)).
  { intros sg x fr Hx E. unfold read_finite in E. inversion E as [[Hd He Hs]]. unfold last_bit, emin.
    match goal with |- multiple_of (Dyadic ?n ?q) ?p => apply (multiple_of_less _ q); [|now exists n] end.
    destruct (has_zero f); cbn [negb orb]; [|lia]. destruct (Z.eqb_spec x 0); cbn [negb]; lia. }
  unfold read_float in H.
  assert (X0 : 0 <= (bits / pow2 (padding f + M_bits f)) mod pow2 (E_bits f)) by (apply Z.mod_pos_bound, pow2_pos; lia).
  destruct (kind_of f); repeat match type of H with context [if ?c then _ else _] => destruct c end; try discriminate; exact (G _ _ _ X0 H).
Qed.

Definition or3 (t t' : bool * bool * bool) : bool * bool * bool :=
  (fst (fst t) || fst (fst t'), snd (fst t) || snd (fst t'), snd t || snd t').

(** A product of which some factor is NaN, infinite or zero, and its sign. *)
Definition describes (t : bool * bool * bool) (negative : bool) (m : number) : Prop :=
  let '(nan, infinite, zero_) := t in
  match m with
  | NaN _ tentative _ => tentative = false /\ nan || (infinite && zero_) = true
  | Infinite s tentative => tentative = false /\ s = sign_if negative /\ nan = false /\ infinite = true /\ zero_ = false
  | Finite d e s => e <> None /\ sign_of m = sign_if negative /\ nan = false /\ infinite = false /\ zero_ = is_zero d
  end.

Lemma sign_product_if b b' : sign_product (sign_if b) (sign_if b') = sign_if (xorb b b').
Proof. now destruct b, b'. Qed.

(** The sign of a product of finite numbers. *)
Lemma times_sign da db ea eb e sa sb b b' :
  sign_of (Finite da ea sa) = sign_if b -> sign_of (Finite db eb sb) = sign_if b' ->
  sign_of (Finite (times da db) e (sign_if (xorb b b'))) = sign_if (xorb b b').
Proof.
  intros SA SB. cbn [sign_of] in *. destruct (is_zero (times da db)) eqn:Z; [reflexivity|].
  assert (Zn : is_zero da = false /\ is_zero db = false).
  { apply is_zero_false in Z. rewrite D2R_times in Z. split; apply is_zero_false; intros Q; apply Z; rewrite Q; ring. }
  destruct Zn as [Zna Znb]. rewrite Zna in SA. rewrite Znb in SB.
  assert (NA : is_negative da = b) by (destruct (is_negative da), b; cbn in SA; congruence).
  assert (NB : is_negative db = b') by (destruct (is_negative db), b'; cbn in SB; congruence).
  f_equal. rewrite <- NA, <- NB. unfold is_negative, is_zero, times in *. cbn [Notation.num] in *.
  apply Z.eqb_neq in Zna, Znb. destruct (Z.ltb_spec (Notation.num da) 0), (Z.ltb_spec (Notation.num db) 0), (Z.ltb_spec (Notation.num da * Notation.num db) 0); cbn; try reflexivity; nia.
Qed.

Lemma zero_times d e : is_zero (times d e) = is_zero d || is_zero e.
Proof. unfold is_zero, times. cbn [Notation.num]. destruct (Z.eqb_spec (num d) 0), (Z.eqb_spec (num e) 0), (Z.eqb_spec (num d * num e) 0); cbn; try reflexivity; nia. Qed.

Lemma product_describes t b m t' b' m' : describes t b m -> describes t' b' m' -> describes (or3 t t') (xorb b b') (product false m m').
Proof.
  destruct t as [[n i] z], t' as [[n' i'] z']. unfold or3. cbn [fst snd]. intros H H'.
  destruct m as [d e s|s t|s t c], m' as [d' e' s'|s' t'|s' t' c']; cbn [describes] in H, H'.
  - destruct H as (E & S & -> & -> & ->), H' as (E' & S' & -> & -> & ->). destruct e as [e|]; [|congruence]. destruct e' as [e'|]; [|congruence].
    cbn [product describes]. rewrite S, S', sign_product_if. split; [discriminate|]. split; [exact (times_sign d d' (Some e) (Some e') (Some (e + e')) s s' b b' S S')|].
    cbn. repeat split. symmetry. apply zero_times.
  - destruct H as (E & S & -> & -> & ->), H' as (-> & -> & -> & -> & ->). cbn [product is_zero_number negb]. rewrite S.
    destruct e as [e|]; [|congruence]. rewrite orb_false_r, andb_true_r. cbn [sign_of]. rewrite sign_product_if.
    destruct (is_zero d) eqn:Z; cbn; repeat split.
  - destruct H as (E & _), H' as (-> & H'). destruct e as [e|]; [|congruence].
    assert (G : (n || n') || ((i || i') && (z || z')) = true) by (destruct n, n', i, i', z, z'; cbn in *; congruence).
    destruct c'; cbn [product describes]; now split.
  - destruct H as (-> & -> & -> & -> & ->), H' as (E' & S' & -> & -> & ->). cbn [product is_zero_number negb]. rewrite S'.
    cbn [sign_of orb]. rewrite andb_true_r, sign_product_if. destruct (is_zero d') eqn:Z; cbn; repeat split.
  - destruct H as (-> & -> & -> & -> & ->), H' as (-> & -> & -> & -> & ->). cbn. rewrite sign_product_if. repeat split.
  - destruct H as (-> & -> & -> & -> & ->), H' as (-> & H').
    assert (G : n' || (true && (false || z')) = true) by (destruct n', i', z'; cbn in *; congruence).
    destruct c'; cbn in *; now split.
  - destruct H as (-> & H), H' as (E' & _). destruct e' as [e'|]; [|congruence].
    assert (G : (n || n') || ((i || i') && (z || z')) = true) by (destruct n, n', i, i', z, z'; cbn in *; congruence).
    destruct c; cbn [product describes]; now split.
  - destruct H as (-> & H), H' as (-> & _).
    assert (G : (n || n') || ((i || i') && (z || z')) = true) by (destruct n, n', i, i', z, z'; cbn in *; congruence).
    destruct c; cbn [product describes]; now split.
  - destruct H as (-> & H), H' as (-> & _).
    assert (G : (n || n') || ((i || i') && (z || z')) = true) by (destruct n, n', i, i', z, z'; cbn in *; congruence).
    destruct c, c'; cbn [product describes]; now split.
Qed.

Section Factors.
Variable v : Z -> bool.
Hypothesis v0 : v 0 = false.
Notation num := (num_of v).
Notation int := (int_of v).

(** The widths of a product of k factors. *)
Definition narrow (k : Z) (x : wires) : Prop :=
  0 <= n_fraction x <= k * 2 ^ 32 /\ 0 < len (n_magnitude x) <= n_fraction x + k /\ - (k * 2 ^ 32) <= n_lsb x /\
  - (k * 2 ^ 32) <= i_low (n_base x) /\ i_low (n_base x) <= i_high (n_base x) /\ i_high (n_base x) <= k * 2 ^ 32.

(** A product of k factors, before anything is said of special values. *)
Definition is_part (k : Z) (x : wires) (t : bool * bool * bool) (m : number) : Prop :=
  int_ok v (n_base x) /\ narrow k x /\ describes t (value v (n_negative x)) m /\
  match m with
  | Finite d e _ => D2R (wires_value v x) = D2R d /\ e = Some (int (n_base x)) /\ multiple_of d (n_lsb x)
  | _ => True
  end.

(** What says whether a factor is NaN, infinite or zero. *)
Definition bits_of_factor (x : wires) : bool * bool * bool :=
  (value v (w_nan (n_special x)), value v (w_plus (n_special x)) || value v (w_minus (n_special x)), num (n_magnitude x) =? 0).

(** A factor: an operand, or a scale. *)
Definition is_factor (x : wires) (m : number) : Prop :=
  is_part 1 x (bits_of_factor x) m.

Lemma part_times k x t m k' y t' m' z : 0 <= k -> 0 <= k' -> is_part k x t m -> is_part k' y t' m' ->
  value v (n_negative z) = xorb (value v (n_negative x)) (value v (n_negative y)) ->
  len (n_magnitude z) = len (n_magnitude x) + len (n_magnitude y) -> num (n_magnitude z) = num (n_magnitude x) * num (n_magnitude y) ->
  int (n_base z) = int (n_base x) + int (n_base y) -> int_ok v (n_base z) ->
  i_low (n_base z) = i_low (n_base x) + i_low (n_base y) -> i_high (n_base z) = i_high (n_base x) + i_high (n_base y) ->
  n_fraction z = n_fraction x + n_fraction y -> n_lsb z = n_lsb x + n_lsb y ->
  is_part (k + k') z (or3 t t') (product false m m').
Proof.
  intros K0 K0' (O & (A1 & A2 & A3 & A4 & A5 & A6) & D & V) (O' & (B1 & B2 & B3 & B4 & B5 & B6) & D' & V') Hn Hl Hm Hb Ho Hlo Hhi Hf Hs.
  split; [exact Ho|]. split; [unfold narrow; rewrite Hl, Hlo, Hhi, Hf, Hs; lia|]. split; [rewrite Hn; now apply product_describes|].
  destruct (product false m m') as [d e s| |] eqn:P; [|exact I|exact I].
  assert (FF : exists da ea sa db eb sb, m = Finite da (Some ea) sa /\ m' = Finite db (Some eb) sb /\ d = times da db /\ e = Some (ea + eb)).
  { destruct t as [[? ?] ?], t' as [[? ?] ?].
    destruct m as [da [ea|] sa|s1 t1|s1 t1 [c1|]]; destruct m' as [db [eb|] sb|s2 t2|s2 t2 [c2|]]; cbn in P; try congruence;
      try (match type of P with context [if ?c then _ else _] => destruct c; discriminate end);
      try (destruct D as (D & _); congruence); try (destruct D' as (D' & _); congruence).
    inversion P. do 6 eexists. repeat split; reflexivity. }
  destruct FF as (da & ea & sa & db & eb & sb & -> & -> & -> & ->). destruct V as (V1 & V2 & V3), V' as (V1' & V2' & V3').
  inversion V2; inversion V2'. subst ea eb. split; [|split].
  - rewrite D2R_times, <- V1, <- V1', <- D2R_times. unfold wires_value, times. cbn [Notation.num scale].
    apply D2R_same; [|rewrite Hb, Hf; ring]. rewrite Hn, Hm. destruct (value v (n_negative x)), (value v (n_negative y)); cbn [xorb]; ring.
  - now rewrite Hb.
  - rewrite Hs. now apply multiple_of_times.
Qed.

Lemma wires_zero x d : D2R (wires_value v x) = D2R d -> (num (n_magnitude x) =? 0) = is_zero d.
Proof.
  intros H. rewrite <- (is_zero_value _ _ H). unfold wires_value, is_zero. cbn [Notation.num].
  destruct (value v _), (Z.eqb_spec (num (n_magnitude x)) 0), (Z.eqb_spec (- num (n_magnitude x)) 0); try reflexivity; lia.
Qed.

(** What wires say of a factor is what the three bits say. *)
Lemma factor_describes x m : special_is v (n_special x) m -> factor_is v x m ->
  match m with Finite d e _ => e <> None /\ D2R (wires_value v x) = D2R d | Infinite s t => t = false /\ s <> Mixed | NaN _ t _ => t = false end ->
  describes (bits_of_factor x) (value v (n_negative x)) m.
Proof.
  intros (S1 & _ & S3 & _) (F1 & F2) R. unfold bits_of_factor. rewrite S1.
  destruct m as [d e s|s t|s t c]; cbn [describes is_nan_of is_nan_number is_infinite_number] in *.
  - destruct R as [R1 R2]. rewrite S1 in S3. destruct (S3 eq_refl) as [-> ->]. split; [exact R1|]. split; [exact (F1 eq_refl)|]. cbn. repeat split. now apply wires_zero.
  - destruct R as [-> R2]. rewrite S1 in S3. destruct (S3 eq_refl) as [-> ->]. specialize (F1 eq_refl). specialize (F2 eq_refl). cbn [sign_of] in F1.
    split; [reflexivity|]. split; [exact F1|]. split; [reflexivity|]. split; [destruct s; [reflexivity|reflexivity|congruence]|]. apply Z.eqb_neq. lia.
  - subst t. split; reflexivity.
Qed.

(** ** Operands as they are read *)

Lemma computes_read_lsb f p : is_fixed f = false -> computes v (read_wires f p) (fun x => n_lsb x = last_bit f /\ (has_sign f = false -> n_negative x = no)).
Proof.
  intros Hf. unfold read_wires. rewrite Hf. repeat (eapply computes_bind with (P := fun _ => True); [intros s _; exact I|]; intros ? _).
  apply computes_ret. split; [reflexivity|]. cbn [n_negative]. unfold sign_field. now intros ->.
Qed.

Theorem computes_read_factor f p : fair_format f = true -> len p = width f ->
  computes v (read_wires f p) (fun x => is_number v 1 x (read f (num p)) /\ is_factor x (read f (num p)) /\ n_base x = n_exponent x /\
    factor_is v x (read f (num p)) /\ len (n_magnitude x) = M_bits f + 1 /\ n_fraction x = M_bits f /\
    (has_sign f = false -> value v (n_negative x) = false)).
Proof.
  intros Hf Lp. destruct (fair_parts f Hf) as (Vf & Fx & PE & PM & PP & PW & PB & HZ).
  intros st St. destruct (computes_read v v0 f p Vf Fx ltac:(lia) Lp HZ st St) as (W & L & Fr & Lo & Hi & BE & FI).
  destruct (computes_read_lsb f p Fx st St) as (Lsb & Sg). set (x := fst (run (read_wires f p) st)) in *. clearbody x.
  assert (EL : emin f - M_bits f = last_bit f) by reflexivity. assert (Em : - 2 ^ 30 <= emin f <= 2 ^ 30 + 1) by (unfold emin; destruct (has_zero f); lia).
  assert (P2 : 1 <= pow2 (E_bits f) <= 2 ^ 30).
  { rewrite pow2_correct. split; [pose proof (Z.pow_pos_nonneg 2 (E_bits f)); lia|]. apply Z.pow_le_mono_r; lia. }
  assert (NE : near (n_base x)) by (unfold near; change (2 ^ 40) with (1024 * 2 ^ 30); lia).
  assert (MU : match read f (num p) with Finite d _ _ => multiple_of d (n_lsb x) | _ => True end).
  { destruct (read f (num p)) as [d e s| |] eqn:R; [|exact I|exact I]. rewrite Lsb. exact (read_multiple f (num p) d e s Hf R). }
  pose proof (read_is f (num p)) as RI. pose proof W as (O1 & SP & W'). rewrite <- BE in O1.
  split; [|split; [|split; [exact BE|split; [exact FI|split; [exact L|split; [exact Fr|]]]]]].
  - split; [exact W|]. split.
    + unfold sized. rewrite <- BE, L, Fr, Lsb. unfold last_bit. change (2 ^ 41) with (2048 * 2 ^ 30). change (2 ^ 43) with (8192 * 2 ^ 30). repeat split; try lia; apply NE.
    + destruct (read f (num p)) as [d e s| |]; [|apply RI|exact I]. split; [intros _; exact RI|exact MU].
  - split; [exact O1|]. split; [|split].
    + unfold narrow. rewrite L, Fr, Lo, Hi, Lsb. unfold last_bit. change (2 ^ 32) with (4 * 2 ^ 30). lia.
    + apply factor_describes; [exact SP|exact FI|]. destruct (read f (num p)) as [d e s| |]; [|exact RI|exact RI]. split; [exact RI|apply W'].
    + destruct (read f (num p)) as [d e s| |]; [|exact I|exact I]. destruct W' as (V1 & _ & V3 & _). split; [exact V1|]. split; [|exact MU].
      destruct e as [e|]; [|congruence]. now rewrite BE, V3.
  - intros HS. rewrite (Sg HS). exact (value_no v v0).
Qed.

End Factors.
