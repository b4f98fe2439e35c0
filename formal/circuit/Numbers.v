(** * The numbers that circuits pass on

    Between the nodes of a tree, wires are more than a number: their words have some width, their exponents are near to 0,
    and the value is a multiple of 2^lsb, on which the widths of exact sums and of rounds rest. *)

From Coq Require Import ZArith List Bool Reals Lia.
From Flocq Require Import Core.
From Discern Require Import Notation Real Gates Lrat Words Integers Largest Circuit Fields Reading Exponents.
Import ListNotations.
Open Scope Z_scope.

(** A whole number times 2^q. *)
Definition multiple_of (d : dyadic) (q : Z) : Prop := exists k, D2R d = F2R (Float radix2 k q).

(** The widths; at most [above] bits of the magnitude are worth 2^base or more. *)
Definition sized (above : Z) (x : wires) : Prop :=
  0 <= n_fraction x <= 2 ^ 43 /\ 0 < len (n_magnitude x) <= n_fraction x + above /\ - 2 ^ 41 <= n_lsb x /\
  near (n_base x) /\ near (n_exponent x).

(** Exponents that stay near if the attribute [less] of a term is subtracted. *)
Definition close (x : integer) : Prop := - 2 ^ 39 <= i_low x /\ i_high x <= 2 ^ 39 /\ i_low x <= i_high x.
Definition roomy (x : wires) : Prop := close (n_base x) /\ close (n_exponent x).

(** The wires are the number, and what else is known of both. *)
Definition is_number (v : Z -> bool) (above : Z) (x : wires) (n : number) : Prop :=
  wires_are v x n /\ sized above x /\
  match n with
  | Finite d e _ => (is_zero d = false -> e <> None) /\ multiple_of d (n_lsb x)
  | Infinite s _ => s <> Mixed
  | NaN _ _ _ => True
  end.

(** What a number carries, and what a NaN does that carries nothing, once it is written. *)
Definition carried (x : number) : option content := match x with NaN _ _ c => c | _ => None end.
Definition or_invalid (c : option content) : content := match c with Some c => c | None => invalid end.

(** Wires carry something: the sign, and the payload, quiet. *)
Definition content_is (v : Z -> bool) (k : content_wires) (c : option content) : Prop :=
  len (k_payload k) = payload_bits /\
  match c with
  | Some c => value v (k_here k) = true /\ value v (k_negative k) = content_negative c /\
              content_fraction c = Z.lor (num_of v (k_payload k) * 2 ^ (64 - payload_bits)) quiet_bit
  | None => value v (k_here k) = false
  end.

(** Wires carry what the number does; one that is tentative carries nothing. *)
Definition carries_is (v : Z -> bool) (x : wires) (n : number) : Prop :=
  content_is v (n_content x) (carried n) /\ match n with NaN _ true (Some _) => False | _ => True end.

(** Under nan=rdna wires say where a NaN comes from, and no number is tentative. Both may be said of a NaN, and then it is that of a
    factor. One that is kept is not infinite, too, or a sum might find infinities of both signs. *)
Definition kind_is (v : Z -> bool) (u : unit) (x : wires) (n : number) : Prop :=
  if has_kinds u
  then special_is v (n_special x) n /\ exists k, n_kind x = Some k /\ invalid_as_factor k = invalid_is_as_of_factor u /\
    match n with
    | NaN _ t c =>
        let o := origin_of c in
        t = false /\ value v (of_factor k) = origin_eqb o OfFactor /\
        (o <> OfFactor -> value v (of_invalid k) = origin_eqb o OfInvalid) /\
        (o = Kept -> value v (w_plus (n_special x)) = false /\ value v (w_minus (n_special x)) = false)
    | Infinite _ t => t = false /\ value v (of_factor k) = false /\ value v (of_invalid k) = false
    | Finite _ _ _ => value v (of_factor k) = false /\ value v (of_invalid k) = false
    end
  else n_kind x = None.

Lemma multiple_of_zero d q : is_zero d = true -> multiple_of d q.
Proof. intros H. exists 0. apply is_zero_correct in H. rewrite H. symmetry. apply F2R_0. Qed.

Lemma multiple_of_value d d' q : D2R d = D2R d' -> multiple_of d q -> multiple_of d' q.
Proof. intros H [k Hk]. exists k. now rewrite <- H. Qed.

Lemma multiple_of_less d q q' : q' <= q -> multiple_of d q -> multiple_of d q'.
Proof.
  intros L [k Hk]. exists (k * 2 ^ (q - q')). rewrite Hk. unfold F2R. cbn [Fnum Fexp].
  rewrite mult_IZR, <- pow2_correct, IZR_pow2, Rmult_assoc, <- bpow_plus by lia. f_equal. f_equal. ring.
Qed.

Lemma multiple_of_times d e p q : multiple_of d p -> multiple_of e q -> multiple_of (times d e) (p + q).
Proof.
  intros [k Hk] [l Hl]. exists (k * l). rewrite D2R_times, Hk, Hl. unfold F2R. cbn [Fnum Fexp]. rewrite mult_IZR, bpow_plus. ring.
Qed.

(** Rounding keeps multiples. *)
Lemma multiple_of_rnd m d p q : multiple_of d p -> multiple_of (rnd m d q) (Z.max p q).
Proof.
  intros H. rewrite Z.max_comm. unfold multiple_of. destruct (Z.le_gt_cases q p) as [L|L].
  - rewrite Z.max_r by exact L. destruct (multiple_of_less d p q L H) as [k Hk].
    destruct H as [k' H']. exists k'. rewrite rnd_correct, round_generic; [exact H'|apply valid_Zrnd|].
    rewrite Hk. apply generic_format_FIX. now exists (Float radix2 k q).
  - rewrite Z.max_l by lia. rewrite rnd_correct. unfold Generic_fmt.round, cexp, FIX_exp. eexists. reflexivity.
Qed.
