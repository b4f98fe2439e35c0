(** * The reference circuit: numbers, leaves and sums

    certificate/circuit of the checker, written down again call for call, so that it makes the same gates in the same order:
    number, read, specials, leaves, rounding and fuse. The units are those of Notation.v. *)

From Coq Require Import ZArith List Bool.
From Discern Require Import Notation Gates Integers.
Import ListNotations.
Open Scope Z_scope.

(** ** Numbers as wires *)

Definition payload_bits : Z := 52.

(** More than one may hold: a NaN counts before infinities, and both before tentative ones. *)
Record special_wires := SpecialWires { w_nan : literal; w_plus : literal; w_minus : literal;
                                       t_nan : literal; t_plus : literal; t_minus : literal }.
Definition no_special_wires : special_wires := SpecialWires no no no no no no.
Record content_wires := ContentWires { k_here : literal; k_negative : literal; k_payload : word }.
Definition no_content : content_wires := ContentWires no no (constant 0 payload_bits).
(** Under nan=rdna: of a factor, invalid; and whether both give the same pattern. *)
Record kind_wires := KindWires { of_factor : literal; of_invalid : literal; invalid_as_factor : bool }.

(** A finite number is (−1)^negative · magnitude · 2^(base − fraction_bits), a multiple of 2^lsb. *)
Record wires := Wires {
  n_negative : literal;
  n_magnitude : word;
  n_base : integer;
  n_fraction : Z;
  n_lsb : Z;
  n_exponent : integer;
  n_has_exponent : literal;
  n_seen_plus : literal;
  n_seen_minus : literal;
  n_special : special_wires;
  n_content : content_wires;
  n_kind : option kind_wires
}.

Definition with_magnitude (m : word) (x : wires) : wires :=
  Wires (n_negative x) m (n_base x) (n_fraction x) (n_lsb x) (n_exponent x) (n_has_exponent x) (n_seen_plus x)
        (n_seen_minus x) (n_special x) (n_content x) (n_kind x).
Definition with_base (b : integer) (f : Z) (x : wires) : wires :=
  Wires (n_negative x) (n_magnitude x) b f (n_lsb x) (n_exponent x) (n_has_exponent x) (n_seen_plus x)
        (n_seen_minus x) (n_special x) (n_content x) (n_kind x).
Definition with_lsb (l : Z) (x : wires) : wires :=
  Wires (n_negative x) (n_magnitude x) (n_base x) (n_fraction x) l (n_exponent x) (n_has_exponent x) (n_seen_plus x)
        (n_seen_minus x) (n_special x) (n_content x) (n_kind x).
Definition with_exponent (e : integer) (x : wires) : wires :=
  Wires (n_negative x) (n_magnitude x) (n_base x) (n_fraction x) (n_lsb x) e (n_has_exponent x) (n_seen_plus x)
        (n_seen_minus x) (n_special x) (n_content x) (n_kind x).
Definition with_has_exponent (h : literal) (x : wires) : wires :=
  Wires (n_negative x) (n_magnitude x) (n_base x) (n_fraction x) (n_lsb x) (n_exponent x) h (n_seen_plus x)
        (n_seen_minus x) (n_special x) (n_content x) (n_kind x).
Definition with_signs (negative plus_ minus : literal) (x : wires) : wires :=
  Wires negative (n_magnitude x) (n_base x) (n_fraction x) (n_lsb x) (n_exponent x) (n_has_exponent x) plus_
        minus (n_special x) (n_content x) (n_kind x).
Definition with_special (s : special_wires) (k : content_wires) (kind : option kind_wires) (x : wires) : wires :=
  Wires (n_negative x) (n_magnitude x) (n_base x) (n_fraction x) (n_lsb x) (n_exponent x) (n_has_exponent x)
        (n_seen_plus x) (n_seen_minus x) s k kind.

(** The significand with its highest bit set, and floor(log2 |value|) as base. *)
Definition normalised (x : wires) : making wires :=
  n <- normalise (n_magnitude x) ;;
  let above := width_of (n_magnitude x) - 1 in
  let highest := offset_by (n_base x) (above - n_fraction x) in
  base <- difference highest (integer_of (snd n) 0) (i_low (n_base x) - n_fraction x) (i_high highest) ;;
  ret (with_base base above (with_magnitude (fst n) x)).

(** ** Reading patterns *)

Definition sign_field (f : format) (p : word) : literal := if has_sign f then msb p else no.
Definition mantissa_field (f : format) (p : word) : word := slice p (padding f) (M_bits f).
Definition exponent_field (f : format) (p : word) : word := slice p (padding f + M_bits f) (E_bits f).

Definition is_nan_wire (f : format) (p : word) : making literal :=
  match kind_of f with
  | Ieee =>
      m <- any (mantissa_field f p) ;;
      e <- all (exponent_field f p) ;;
      make_and e m
  | Fn =>
      m <- all (mantissa_field f p) ;;
      e <- all (exponent_field f p) ;;
      make_and e m
  | Fnuz | Inuz =>
      m <- any (mantissa_field f p) ;;
      e <- any (exponent_field f p) ;;
      o <- make_or e m ;;
      make_and (sign_field f p) (invert o)
  | _ => ret no
  end.

Definition is_infinite_wire (f : format) (p : word) : making literal :=
  match kind_of f with
  | Ieee =>
      m <- any (mantissa_field f p) ;;
      e <- all (exponent_field f p) ;;
      make_and e (invert m)
  | Inuz =>
      m <- all (mantissa_field f p) ;;
      e <- all (exponent_field f p) ;;
      make_and e m
  | _ => ret no
  end.

Definition read_fixed_wires (f : format) (p : word) : making wires :=
  let negative := msb p in
  magnitude <- negate_if negative p ;;
  let e := fixed_integer (emin f) in
  ret (Wires negative magnitude e (M_bits f) (last_bit f) e yes (invert negative) negative no_special_wires no_content None).

Definition read_wires (f : format) (p : word) : making wires :=
  if is_fixed f then read_fixed_wires f p
  else
    let sign := sign_field f p in
    let mantissa := mantissa_field f p in
    let exponent := exponent_field f p in
    hidden <- (if has_zero f then any exponent else ret yes) ;;
    let is_subnormal := resize (repeated (invert hidden) 1) (E_bits f) in
    field <- word_or exponent is_subnormal ;;
    let e := integer_of field (- bias f) in
    infinite <- is_infinite_wire f p ;;
    nan <- is_nan_wire f p ;;
    plus_ <- make_and infinite (invert sign) ;;
    minus <- make_and infinite sign ;;
    ret (Wires sign (concat (repeated hidden 1) mantissa) e (M_bits f) (last_bit f) e yes (invert sign) sign
               (SpecialWires nan plus_ minus no no no)
               (ContentWires nan sign (slice mantissa (M_bits f - payload_bits) payload_bits)) None).

(** ** Special values *)

Definition has_kinds (u : unit) : bool := match unit_nan u with NanRdna => true | _ => false end.

Definition kept_wires (u : unit) (x : wires) : wires :=
  if has_kinds u then with_special (n_special x) (n_content x) (Some (KindWires no no (invalid_is_as_of_factor u))) x else x.

(** The special value of a product of factors; only a and b, the first two, have something to carry. *)
Definition multiply_specials (u : unit) (a b : wires) (scales : list wires) (negative : literal) (beats_zero : bool)
           (x : wires) : making wires :=
  seen <- fold_m (fun (s : literal * literal * literal) (f : wires) =>
            let '(nan, infinite, zero) := s in
            nan' <- make_or nan (w_nan (n_special f)) ;;
            either <- make_or (w_plus (n_special f)) (w_minus (n_special f)) ;;
            infinite' <- make_or infinite either ;;
            some <- any (n_magnitude f) ;;
            zero' <- make_or zero (invert some) ;;
            ret (nan', infinite', zero')) (a :: b :: scales) (no, no, no) ;;
  let '(nan, infinite, zero) := seen in
  nan' <- (if beats_zero then ret nan else both <- make_and infinite zero ;; make_or nan both) ;;
  plus_ <- make_and infinite (invert negative) ;;
  minus <- make_and infinite negative ;;
  let ka := n_content a in
  let kb := n_content b in
  here <- make_or (k_here ka) (k_here kb) ;;
  knegative <- make_mux (k_here ka) (k_negative ka) (k_negative kb) ;;
  payload <- mux (k_here ka) (k_payload ka) (k_payload kb) ;;
  let s := n_special x in
  ret (with_special (SpecialWires nan' plus_ minus (t_nan s) (t_plus s) (t_minus s))
                    (ContentWires here knegative payload)
                    (if has_kinds u then Some (KindWires here nan' (invalid_is_as_of_factor u)) else n_kind x) x).

(** The special values among numbers, beside those that were seen before. *)
Definition see_specials (seen : special_wires) (terms : list wires) : making special_wires :=
  fold_m (fun s (t : wires) =>
    let x := n_special t in
    a <- make_or (w_nan s) (w_nan x) ;;
    b <- make_or (w_plus s) (w_plus x) ;;
    c <- make_or (w_minus s) (w_minus x) ;;
    d <- make_or (t_nan s) (t_nan x) ;;
    e <- make_or (t_plus s) (t_plus x) ;;
    f <- make_or (t_minus s) (t_minus x) ;;
    ret (SpecialWires a b c d e f)) terms seen.

(** Under nan=rdna: where the NaN of a sum comes from, of which the special values were seen. *)
Definition see_kinds (seen : special_wires) (kind : option kind_wires) (terms : list wires) : making (option kind_wires) :=
  fold_m (fun (k : option kind_wires) (t : wires) =>
    match n_kind t with
    | None => ret k
    | Some own =>
        k' <- match k with
              | Some k' => ret k'
              | None => i <- make_and (w_plus seen) (w_minus seen) ;; ret (KindWires no i (invalid_as_factor own))
              end ;;
        f <- make_or (of_factor k') (of_factor own) ;;
        i <- make_or (of_invalid k') (of_invalid own) ;;
        ret (Some (KindWires f i (invalid_as_factor k')))
    end) terms kind.

(** The special value of a sum of numbers, and what a NaN carries. *)
Definition combine_specials (terms : list wires) (sum : wires) : making wires :=
  seen <- see_specials (n_special sum) terms ;;
  both <- make_and (w_plus seen) (w_minus seen) ;;
  nan <- make_or (w_nan seen) both ;;
  plus_ <- make_and (w_plus seen) (invert nan) ;;
  minus <- make_and (w_minus seen) (invert nan) ;;
  some <- any_of [w_nan seen; w_plus seen; w_minus seen] ;;
  let none := invert some in
  tboth <- make_and (t_plus seen) (t_minus seen) ;;
  tnan <- make_or (t_nan seen) tboth ;;
  rnan <- make_and none tnan ;;
  tplus <- make_and (t_plus seen) (invert tnan) ;;
  rplus <- make_and none tplus ;;
  tminus <- make_and (t_minus seen) (invert tnan) ;;
  rminus <- make_and none tminus ;;
  k <- fold_m (fun k (t : wires) =>
         let c := n_content t in
         first <- make_and (k_here c) (invert (k_here k)) ;;
         negative <- make_mux first (k_negative c) (k_negative k) ;;
         payload <- mux first (k_payload c) (k_payload k) ;;
         here <- make_or (k_here k) (k_here c) ;;
         ret (ContentWires here negative payload)) terms (n_content sum) ;;
  kind <- see_kinds seen (n_kind sum) terms ;;
  ret (with_special (SpecialWires nan plus_ minus rnan rplus rminus) k kind sum).

(** ** Leaves *)

(** Makes the sign + where [those] holds. *)
Definition make_positive (those : literal) (x : wires) : making wires :=
  negative <- make_and (n_negative x) (invert those) ;;
  minus <- make_and (n_seen_minus x) (invert those) ;;
  plus_ <- make_or (n_seen_plus x) those ;;
  ret (with_signs negative plus_ minus x).

Definition flushed (f : format) (ftz : operand_ftz) (x : wires) : making wires :=
  match ftz with
  | KeepSubnormals => ret x
  | _ =>
      let hidden := msb (n_magnitude x) in
      subnormal <- (if has_subnormals f
                    then some <- any (slice (n_magnitude x) 0 (M_bits f)) ;; make_and some (invert hidden)
                    else ret no) ;;
      magnitude <- mask (invert subnormal) (n_magnitude x) ;;
      let x := with_magnitude magnitude x in
      match ftz with
      | FlushKeep => ret x
      | FlushPos => make_positive subnormal x
      | _ =>
          x <- make_positive subnormal x ;;
          some <- any (n_magnitude x) ;;
          make_positive (invert some) x
      end
  end.

(** A factor of a format in a wider one: shifted until it is normal there, or has that format's least exponent. *)
Definition read_again_wires (f wide : format) (x : wires) : making wires :=
  if emin f <=? emin wide then ret x
  else
    let e := fixed_integer (emin wide) in
    some <- any (n_magnitude x) ;;
    let zero := invert some in
    y <- normalised x ;;
    y <- (if n_lsb x <? emin wide
          then
            exponent <- i_larger (n_base y) e ;;
            back <- difference exponent (n_base y) 0 (emin wide - n_lsb x) ;;
            shifted <- shift_right (n_magnitude y) (i_bits back) ;;
            ret (with_base exponent (n_fraction y) (with_magnitude (fst shifted) y))
          else ret y) ;;
    base <- i_mux zero e (n_base y) ;;
    ret (with_exponent base (with_base base (n_fraction y) y)).

Definition factor_wires (f : format) (pattern : word) (p : product_attr) : making wires :=
  x <- read_wires f pattern ;;
  x <- (if p_infnan p
        then let s := n_special x in
             nan <- any_of [w_nan s; w_plus s; w_minus s] ;;
             ret (with_special (SpecialWires nan no no (t_nan s) (t_plus s) (t_minus s)) (n_content x) (n_kind x) x)
        else ret x) ;;
  x <- (if p_nanzero p
        then let s := n_special x in
             let other := invert (w_nan s) in
             magnitude <- mask other (n_magnitude x) ;;
             base <- i_mux other (n_base x) (fixed_integer (emin f)) ;;
             let k := n_content x in
             ret (with_exponent base (with_base base (n_fraction x) (with_magnitude magnitude
                   (with_special (SpecialWires no (w_plus s) (w_minus s) (t_nan s) (t_plus s) (t_minus s))
                                 (ContentWires no (k_negative k) (k_payload k)) (n_kind x) x))))
        else ret x) ;;
  x <- flushed f (p_ftz p) x ;;
  match p_as p with None => ret x | Some wide => read_again_wires f wide x end.

(** The inputs of a unit, as words. *)
Record operands := Operands { o_a : list word; o_b : list word; o_sa : list word; o_sb : list word; o_c : list word }.
Definition operand (l : list word) (k : Z) : word := nth (Z.to_nat k) l [].

(** The scales of an element: both, or one of them. *)
Definition scale_wires (how : scaling) (scales : option (format * Z)) (i : operands) (k : Z) : making (list wires) :=
  match how, scales with
  | ByNone, _ | _, None => ret []
  | ByBoth, Some (f, n) =>
      a <- read_wires f (operand (o_sa i) (k / n)) ;;
      b <- read_wires f (operand (o_sb i) (k / n)) ;;
      ret [a; b]
  | ByA, Some (f, n) => a <- read_wires f (operand (o_sa i) (k / n)) ;; ret [a]
  | ByB, Some (f, n) => b <- read_wires f (operand (o_sb i) (k / n)) ;; ret [b]
  end.

Definition multiply_scales (scales : list wires) (x : wires) : making wires :=
  fold_m (fun x s =>
    magnitude <- multiply (n_magnitude x) (n_magnitude s) ;;
    base <- i_sum (n_base x) (n_base s) ;;
    ret (with_lsb (n_lsb x + n_lsb s) (with_base base (n_fraction x + n_fraction s) (with_magnitude magnitude x))))
    scales x.

(** A rounded number times the scales of an element, or one of them; a scale has nothing to carry. *)
Definition without_content (x : wires) : wires :=
  let k := n_content x in with_special (n_special x) (ContentWires no (k_negative k) (k_payload k)) (n_kind x) x.
Definition scaled_wires (u : unit) (i : operands) (how : scaling) (k : Z) (x : wires) : making wires :=
  scales <- scale_wires how (unit_scales u) i k ;;
  match map without_content scales with
  | [] => ret x
  | s :: rest =>
      y <- multiply_specials u x s rest (n_negative x) false x ;;
      y <- multiply_scales (s :: rest) y ;;
      ret (with_exponent (n_base y) y)
  end.

(** Whether |value| ≥ 2^limit. *)
Definition reaches (x : wires) (limit : Z) : making literal :=
  fold_m (fun reached i =>
    below_ <- i_less (offset_by (n_base x) (i - n_fraction x)) (fixed_integer limit) ;;
    one <- make_and (bit (n_magnitude x) i) (invert below_) ;;
    make_or reached one) (below (width_of (n_magnitude x))) no.

Definition normalise_product (how : normalisation) (x : wires) : making wires :=
  some <- any (n_magnitude x) ;;
  let zero := invert some in
  let above := width_of (n_magnitude x) - n_fraction x - 1 in
  match how with
  | raw => ret x
  | carry =>
      one <- any (slice (n_magnitude x) (n_fraction x + 1) above) ;;
      e <- i_plus (n_exponent x) one ;;
      ret (with_exponent e x)
  | full =>
      y <- normalised x ;;
      e <- i_mux zero (n_exponent x) (n_base y) ;;
      ret (with_exponent e y)
  end.

(** A product of wires: signs, values and exponents; what it is special by is left to others. *)
Definition plain_product_wires (a b : wires) : making wires :=
  negative <- make_xor (n_negative a) (n_negative b) ;;
  magnitude <- multiply (n_magnitude a) (n_magnitude b) ;;
  base <- i_sum (n_base a) (n_base b) ;;
  ret (Wires negative magnitude base (n_fraction a + n_fraction b) (n_lsb a + n_lsb b) (fixed_integer 0) yes no no
             no_special_wires no_content None).

Definition product_wires (u : unit) (i : operands) (p : product_attr) (k : Z) : making wires :=
  a <- factor_wires (unit_a u) (operand (o_a i) k) p ;;
  b <- factor_wires (unit_b u) (operand (o_b i) k) p ;;
  x <- plain_product_wires a b ;;
  scales <- scale_wires ByBoth (product_scales u) i k ;;
  x <- multiply_scales scales x ;;
  let x := with_signs (n_negative x) (invert (n_negative x)) (n_negative x) (with_exponent (n_base x) x) in
  x <- multiply_specials u a b scales (n_negative x) (p_infzero p) x ;;
  x <- match p_limit p with
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
       end ;;
  normalise_product (p_normalisation p) x.

(** One product of a group: its wires, and its magnitude as a multiple of the smallest one. *)
Definition group_product (u : unit) (i : operands) (scales : list wires) (k : Z) : making (wires * word) :=
  let fa := unit_a u in
  let fb := unit_b u in
  a <- read_wires fa (operand (o_a i) k) ;;
  b <- read_wires fb (operand (o_b i) k) ;;
  negative <- make_xor (n_negative a) (n_negative b) ;;
  above <- i_sum (n_exponent a) (n_exponent b) ;;
  let lowest := emin fa + emin fb in
  shift <- difference above (fixed_integer lowest) 0 (i_high above - lowest) ;;
  product <- multiply (n_magnitude a) (n_magnitude b) ;;
  shifted <- shift_left product (i_bits shift) ;;
  let x := Wires negative [] (fixed_integer 0) 0 0 (fixed_integer 0) yes no no no_special_wires no_content None in
  x <- multiply_specials u a b scales negative false x ;;
  ret (x, shifted).

Definition group_wires (u : unit) (i : operands) (g : group_attr) (first : Z) : making wires :=
  scales <- scale_wires ByBoth (product_scales u) i first ;;
  products <- map_m (fun l => group_product u i scales (first + l)) (below (g_size g)) ;;
  let lsb := last_bit (unit_a u) + last_bit (unit_b u) in
  let width := width_of (match rev products with p :: _ => snd p | [] => [] end) + bits_for (g_size g - 1) + 1 in
  acc <- fold_m (fun (s : word * literal * literal * literal) (p : wires * word) =>
           let '(total, plus_, minus, cancelled) := s in
           let negative := n_negative (fst p) in
           total' <- add_signed total (snd p) negative 0 ;;
           plus' <- make_or plus_ (invert negative) ;;
           minus' <- make_or minus negative ;;
           some <- any (snd p) ;;
           cancelled' <- make_or cancelled some ;;
           ret (total', plus', minus', cancelled')) products (constant 0 width, no, no, no) ;;
  let '(total, plus_, minus, cancelled) := acc in
  let sum := Wires no [] (fixed_integer 0) 0 0 (fixed_integer 0) yes plus_ minus no_special_wires no_content None in
  sum <- combine_specials (map fst products) sum ;;
  let negative := msb total in
  absolute <- negate_if negative total ;;
  let magnitude := resize absolute (width - 1) in
  let sum := with_signs negative plus_ minus
               (with_lsb lsb (with_base (n_base sum) (- lsb) (with_magnitude magnitude sum))) in
  sum <- multiply_scales scales sum ;;
  let sum := with_exponent (n_base sum) sum in
  empty <- fold_m (fun empty (s : wires) => some <- any (n_magnitude s) ;; make_or empty (invert some)) scales
             (invert cancelled) ;;
  let sum := match g_empty g with Ignore => with_has_exponent (invert empty) sum | _ => sum end in
  sum <- match g_empty g with
         | At n => e <- i_mux empty (fixed_integer n) (n_exponent sum) ;; ret (with_exponent e sum)
         | _ => ret sum
         end ;;
  nonzero <- any (n_magnitude sum) ;;
  p1 <- make_or plus_ cancelled ;;
  seen_plus <- make_mux nonzero (invert negative) p1 ;;
  m1 <- make_or minus cancelled ;;
  seen_minus <- make_mux nonzero negative m1 ;;
  ret (with_signs negative seen_plus seen_minus sum).

(** c in a wider format: its leading bit in front, and the exponent that it has there. *)
Definition c_again_wires (wide : format) (x : wires) : making wires :=
  let e := fixed_integer (emin wide) in
  some <- any (n_magnitude x) ;;
  let zero := invert some in
  y <- normalised x ;;
  top <- i_larger (n_base y) e ;;
  exponent <- i_mux zero e top ;;
  ret (with_exponent exponent y).

Definition accumulator_wires (f : format) (pattern : word) (c : c_attr) : making wires :=
  x <- read_wires f pattern ;;
  x <- flushed f (c_ftz c) x ;;
  match c_as c with None => ret x | Some wide => c_again_wires wide x end.

(** ** Rounding of a magnitude *)

Record truncated := Truncated { q_negative : literal; q_lsb : literal; q_guard : literal; q_sticky : literal }.

(** Whether the magnitude is incremented by one unit of its lsb. *)
Definition rounds_away (m : mode) (x : truncated) : making literal :=
  inexact <- make_or (q_guard x) (q_sticky x) ;;
  let tie_away l := tie <- make_or (q_sticky x) l ;; make_and (q_guard x) tie in
  match m with
  | rz => ret no
  | rd => make_and (q_negative x) inexact
  | ru => make_and (invert (q_negative x)) inexact
  | rne => tie_away (q_lsb x)
  | rna => ret (q_guard x)
  | odd => make_and inexact (invert (q_lsb x))
  | ra => ret inexact
  | rnu => tie_away (invert (q_negative x))
  | rn_d => tie_away (q_negative x)
  | rnz => make_and (q_guard x) (q_sticky x)
  | rno => tie_away (invert (q_lsb x))
  end.

(** ** Fuse *)

Record sum_term := SumTerm { s_number : wires; s_child : child_attr; s_is_c : bool }.

Definition with_less (t : sum_term) : sum_term :=
  let n := ch_less (s_child t) in
  let x := s_number t in
  SumTerm (with_exponent (offset_by (n_exponent x) (- n)) (with_base (offset_by (n_base x) (- n)) (n_fraction x - n) x))
          (s_child t) (s_is_c t).

(** E, and whether some term took part. *)
Definition sum_exponent (u : fuse_attr) (terms : list sum_term) : making (integer * literal) :=
  each <- map_m (fun t =>
            let x := s_number t in
            let z := ch_zero (s_child t) in
            nonzero <- any (n_magnitude x) ;;
            let zero_takes_part := match z with At _ => yes | Emin => n_has_exponent x | Ignore => no end in
            e <- match z with
                 | At n => i_mux nonzero (n_exponent x) (fixed_integer (n - ch_less (s_child t)))
                 | _ => ret (n_exponent x)
                 end ;;
            p <- make_or nonzero zero_takes_part ;;
            ret (e, p)) terms ;;
  let each := each ++ match u_floor u with Some n => [(fixed_integer n, yes)] | None => [] end in
  E <- largest_of_integers (map fst each) (map snd each) ;;
  E <- match u_step u with
       | Some step =>
           if 1 <? step then
             let below_ := (i_low E - u_phase u) mod step in
             let w := Z.max (width_of (i_bits E)) 7 + 1 in
             let digits := bits_for (step - 1) in
             bits <- add (resize (i_bits E) w) (constant (below_ + step - 1) w) ;;
             ret (Integer (concat (slice bits digits (w - digits)) (constant 0 digits)) (i_low E - below_)
                          (i_high E + step - 1))
           else ret E
       | None => ret E
       end ;;
  here <- any_of (map snd each) ;;
  ret (E, here).

(** A term in units of 2^(E − F): its magnitude, F, and whether its rounding, or drop, changed it. *)
Record aligned_term := AlignedTerm { al_magnitude : word; al_F : Z; al_changed : literal }.

Definition align_wires (t : sum_term) (E : integer) : making aligned_term :=
  let x := s_number t in
  let how := s_child t in
  let kept := match ch_F how with Some F => F | None => Z.max 0 (Z.max (n_fraction x) (i_high E - n_lsb x)) end in
  let below_ := Z.max (kept + 1) (n_fraction x) in
  let truncated_bits := below_ - kept in
  let wider := below_ - n_fraction x in
  let unshifted := slice (n_magnitude x) (- wider) (Z.max (width_of (n_magnitude x) + wider) (truncated_bits + 1)) in
  amount <- difference E (n_base x) 0 (Z.max 0 (i_high E - i_low (n_base x))) ;;
  shifted <- shift_right unshifted (i_bits amount) ;;
  let '(w, lost) := shifted in
  let whole := slice w truncated_bits (width_of w - truncated_bits) in
  rest <- any (slice w 0 (truncated_bits - 1)) ;;
  sticky <- make_or lost rest ;;
  let at_ := Truncated (n_negative x) (bit whole 0) (bit w (truncated_bits - 1)) sticky in
  whole <- match ch_F how, ch_mode how with
           | None, _ | _, rz => ret whole
           | _, m => away <- rounds_away m at_ ;; increment (resize whole (width_of whole + 1)) away
           end ;;
  changed <- make_or (q_guard at_) (q_sticky at_) ;;
  match ch_drop how with
  | None => ret (AlignedTerm whole kept changed)
  | Some n =>
      nonzero <- any (n_magnitude x) ;;
      far <- i_less (offset_by (n_exponent x) (n + ch_less how)) E ;;
      dropped <- make_and far nonzero ;;
      magnitude <- mask (invert dropped) whole ;;
      changed' <- make_or changed dropped ;;
      ret (AlignedTerm magnitude kept changed')
  end.

(** The frame: whether the sum has one, and its sign. *)
Definition frame_wires (u : fuse_attr) (terms : list sum_term) (some_take_part : literal) : making (literal * literal) :=
  match u_frame u, find s_is_c terms with
  | NoFrame, _ | _, None => ret (no, no)
  | fr, Some t =>
      let c := s_number t in
      nonzero <- any (n_magnitude c) ;;
      let of_zero := match fr with FrameC => n_seen_minus c | _ => no end in
      here <- make_and some_take_part (match fr with FrameNonzeroC => nonzero | _ => yes end) ;;
      negative <- make_mux nonzero (n_negative c) of_zero ;;
      ret (here, negative)
  end.

(** Whether a term is in one's complement where it should be in two's complement. *)
Definition inverts (u : fuse_attr) (frame : literal * literal) (x : wires) (aligned : word) : making literal :=
  nonzero <- any (n_magnitude x) ;;
  sign <- make_mux nonzero (n_negative x) (n_seen_minus x) ;;
  opposes <- make_xor sign (snd frame) ;;
  counts <- match u_opposed u with AllOpposed => ret yes | NonzeroOpposed => ret nonzero | KeptOpposed => any aligned end ;;
  both <- make_and (fst frame) opposes ;;
  make_and both counts.

Definition lsb_of (t : sum_term) (E : integer) : Z :=
  match ch_F (s_child t) with Some F => Z.max (n_lsb (s_number t)) (i_low E - F) | None => n_lsb (s_number t) end.

Record partial := Partial { a_total : word; a_cancelled : literal; a_lost : literal; a_plus : literal; a_minus : literal;
                            a_lsb : Z }.

Definition fuse_wires (u : fuse_attr) (given : list sum_term) : making wires :=
  let terms := map with_less given in
  let sum := Wires no [] (fixed_integer 0) 0 0 (fixed_integer 0) yes no no no_special_wires no_content None in
  sum <- combine_specials (map s_number terms) sum ;;
  exponent <- sum_exponent u terms ;;
  let '(E, here) := exponent in
  aligned <- map_m (fun t => align_wires t E) terms ;;
  let F := fold_left (fun m a => Z.max m (al_F a)) aligned 0 in
  let widest := fold_left (fun m a => Z.max m (width_of (al_magnitude a) + F - al_F a)) aligned 0 in
  frame <- frame_wires u terms here ;;
  let is_framed := negb (same (fst frame) no) in
  let width := widest + (if is_framed then 1 else 0) + bits_for (Z.of_nat (length terms) - 1) + 1 in
  let first_lsb := match terms with t :: _ => lsb_of t E | [] => 0 end in
  acc <- fold_m (fun s (ta : sum_term * aligned_term) =>
           let x := s_number (fst ta) in
           let value := al_magnitude (snd ta) in
           let at_ := F - al_F (snd ta) in
           total <- add_signed (a_total s) value (n_negative x) at_ ;;
           some <- any value ;;
           cancelled <- make_or (a_cancelled s) some ;;
           framed <- (if is_framed && negb (s_is_c (fst ta))
                      then
                        one <- inverts u frame x value ;;
                        down <- make_and one (invert (snd frame)) ;;
                        let unit_ := concat (repeated down (width - 1)) (repeated one 1) in
                        total' <- add total (slice unit_ (- at_) width) ;;
                        cancelled' <- make_or cancelled one ;;
                        ret (total', cancelled')
                      else ret (total, cancelled)) ;;
           lost <- make_or (a_lost s) (al_changed (snd ta)) ;;
           plus_ <- make_or (a_plus s) (n_seen_plus x) ;;
           minus <- make_or (a_minus s) (n_seen_minus x) ;;
           let lsb := Z.min (a_lsb s) (lsb_of (fst ta) E) in
           let lsb := if is_framed then Z.min lsb (i_low E - al_F (snd ta)) else lsb in
           ret (Partial (fst framed) (snd framed) lost plus_ minus lsb))
         (combine terms aligned) (Partial (constant 0 width) no no no no first_lsb) ;;
  let word_ := match u_carry u with
               | Some w => resize (a_total acc) (Z.min width (1 + w + 2 + F))
               | None => a_total acc
               end in
  let negative := msb word_ in
  magnitude <- negate_if negative word_ ;;
  let magnitude := if u_sticky u then concat magnitude (repeated (a_lost acc) 1) else magnitude in
  let lsb := if u_sticky u then Z.min (a_lsb acc) (i_low E - F - 1) else a_lsb acc in
  nonzero <- any magnitude ;;
  p1 <- make_or (a_plus acc) (a_cancelled acc) ;;
  seen_plus <- make_mux nonzero (invert negative) p1 ;;
  m1 <- make_or (a_minus acc) (a_cancelled acc) ;;
  seen_minus <- make_mux nonzero negative m1 ;;
  signs <- (if u_plus u
            then
              p <- make_or seen_plus (invert nonzero) ;;
              m <- make_and seen_minus nonzero ;;
              ret (p, m)
            else ret (seen_plus, seen_minus)) ;;
  ret (Wires negative magnitude E (F + if u_sticky u then 1 else 0) lsb E here (fst signs) (snd signs) (n_special sum)
             (n_content sum) (n_kind sum)).
