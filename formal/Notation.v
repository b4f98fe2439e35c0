(** * What a unit computes

    This file defines the notation of docs/notation.md as a function from bit patterns to bit patterns, over the
    integers Z, section by section in the order of the page and with the names of its sections. It is meant to be read
    beside the page: whatever is said in words there is said as a definition here. It can be executed (Extract.v makes
    a program of it, which formal/compare holds against the C++), and theorems about it are in the files beside it.

    Every finite number that occurs is an integer times a power of two, so nothing is rounded but where the page says
    so. The notation as text, its limits and what is refused are no subject of this file: it says what a tree
    computes, and gives some result for trees that the program refuses too. *)

From Coq Require Import ZArith List Bool String.
Import ListNotations.
Open Scope Z_scope.

(** ** Words and symbols of the rules *)

(** 2^n, for n ≥ 0. *)
Definition pow2 (n : Z) : Z := Z.shiftl 1 n.

(** The number num · 2^scale. *)
Record dyadic := Dyadic { num : Z; scale : Z }.

Definition zero : dyadic := Dyadic 0 0.
Definition is_zero (x : dyadic) : bool := num x =? 0.
Definition is_negative (x : dyadic) : bool := num x <? 0.

Definition opposite (x : dyadic) : dyadic := Dyadic (- num x) (scale x).
Definition magnitude (x : dyadic) : dyadic := Dyadic (Z.abs (num x)) (scale x).
Definition times (x y : dyadic) : dyadic := Dyadic (num x * num y) (scale x + scale y).
Definition plus (x y : dyadic) : dyadic :=
  let q := Z.min (scale x) (scale y) in
  Dyadic (num x * pow2 (scale x - q) + num y * pow2 (scale y - q)) q.
Definition less_than (x y : dyadic) : bool := is_negative (plus x (opposite y)).
Definition sum (l : list dyadic) : dyadic := fold_left plus l zero.

(** lg x = ⌊log2 |x|⌋, for x ≠ 0. *)
Definition lg (x : dyadic) : Z := Z.log2 (Z.abs (num x)) + scale x.

(** [rn_d] is the page's `rnd`: nearest, ties down. *)
Inductive mode := rz | rd | ru | rne | rna | odd | ra | rnu | rn_d | rnz | rno.

(** Whether x = n·2^q + r with 0 < r < 2^q is rounded to (n + 1)·2^q, and not to n·2^q.
    [half]: r compared with 2^(q − 1). *)
Definition goes_up (m : mode) (n : Z) (negative : bool) (half : comparison) : bool :=
  match m with
  | rz => negative
  | rd => false
  | ru => true
  | rne => match half with Lt => false | Eq => Z.odd n | Gt => true end
  | rna => match half with Lt => false | Eq => negb negative | Gt => true end
  | odd => Z.even n
  | ra => negb negative
  | rnu => match half with Lt => false | Eq => true | Gt => true end
  | rn_d => match half with Lt => false | Eq => false | Gt => true end
  | rnz => match half with Lt => false | Eq => negative | Gt => true end
  | rno => match half with Lt => false | Eq => Z.even n | Gt => true end
  end.

(** rnd_m(x, q) is x rounded to a multiple of 2^q. *)
Definition rnd (m : mode) (x : dyadic) (q : Z) : dyadic :=
  if q <=? scale x then x
  else
    let s := pow2 (q - scale x) in
    let n := num x / s in
    let r := num x mod s in
    if r =? 0 then Dyadic n q
    else Dyadic (if goes_up m n (is_negative x) (2 * r ?= s) then n + 1 else n) q.

(** The zero sign of a number; of an infinity, and of the NaN of an operand, it is [Plus] or [Minus]. *)
Inductive sign := Plus | Minus | Mixed.

Definition sign_if (negative : bool) : sign := if negative then Minus else Plus.
Definition sign_eqb (s t : sign) : bool :=
  match s, t with Plus, Plus | Minus, Minus | Mixed, Mixed => true | _, _ => false end.
Definition sign_product (s t : sign) : sign :=
  match s, t with Mixed, _ | _, Mixed => Mixed | _, _ => sign_if (negb (sign_eqb s t)) end.

(** Where a NaN comes from: from a factor of a product; an invalid operation took part; or it is kept, that of c or of a
    round. Only [nan=rdna] asks. *)
Inductive origin := OfFactor | OfInvalid | Kept.
Definition origin_eqb (o o' : origin) : bool :=
  match o, o' with OfFactor, OfFactor | OfInvalid, OfInvalid | Kept, Kept => true | _, _ => false end.

(** What a NaN carries: the sign and the quieted fraction field, left-aligned in 64 bits, and where it comes from. *)
Record content := Content { content_negative : bool; content_fraction : Z; content_origin : origin }.
Definition with_origin (o : origin) (c : content) : content := Content (content_negative c) (content_fraction c) o.
(** A NaN that carries nothing is that of an invalid operation. *)
Definition origin_of (c : option content) : origin := match c with Some c => content_origin c | None => OfInvalid end.

(** An intermediate number. A finite one is a value v, a reference exponent e or none, and a zero sign s. *)
Inductive number :=
| Finite (v : dyadic) (e : option Z) (s : sign)
| Infinite (s : sign) (tentative : bool)
| NaN (s : sign) (tentative : bool) (carried : option content).

(** The sign of a number: of a zero, its zero sign. *)
Definition sign_of (x : number) : sign :=
  match x with
  | Finite v _ s => if is_zero v then s else sign_if (is_negative v)
  | Infinite s _ | NaN s _ _ => s
  end.
Definition is_zero_number (x : number) : bool := match x with Finite v _ _ => is_zero v | _ => false end.
Definition value_of (x : number) : dyadic := match x with Finite v _ _ => v | _ => zero end.

(** ** Formats by name, formats by fields *)

Inductive kind :=
| Ieee       (** the largest exponent field is infinity or NaN *)
| Fn         (** only the pattern of ones is NaN *)
| Fnuz       (** only the pattern of −0 is NaN *)
| Inuz       (** Fnuz, but the largest magnitude is infinite *)
| AllFinite  (** every pattern is a finite number *)
| Fixed.     (** two's complement *)

Record format := Format {
  width : Z;       (** bits of a pattern *)
  E_bits : Z;      (** of the exponent field; not used in fixed point *)
  M_bits : Z;      (** of the fraction field; of fixed point, W − 2 *)
  padding : Z;     (** low bits of the pattern that are ignored when read, and zero when written *)
  bias : Z;
  kind_of : kind;
  has_sign : bool; (** false: a top bit, if there is one, is ignored *)
  has_zero : bool  (** false: the exponent field 0 is an ordinary power of two *)
}.

Definition by_fields (E M : Z) (k : kind) : format :=
  Format (1 + E + M) E M 0 (pow2 (E - 1) - match k with Fnuz | Inuz => 0 | _ => 1 end) k true true.

(** ** Fixed point: fixW.F *)

Definition fixed_point (W F : Z) : format := Format W 1 (W - 2) 0 (F - W + 3) Fixed true true.

Definition f64 := by_fields 11 52 Ieee.
Definition f32 := by_fields 8 23 Ieee.
Definition tf32 := Format 32 8 10 13 127 Ieee true true.
Definition bf16 := by_fields 8 7 Ieee.
Definition f16 := by_fields 5 10 Ieee.
Definition e5m2 := by_fields 5 2 Ieee.
Definition e4m3 := by_fields 4 3 Fn.
Definition e5m2fnuz := by_fields 5 2 Fnuz.
Definition e4m3fnuz := by_fields 4 3 Fnuz.
Definition e3m2 := by_fields 3 2 AllFinite.
Definition e2m3 := by_fields 2 3 AllFinite.
Definition e2m1 := by_fields 2 1 AllFinite.
Definition e8m0 := Format 8 8 0 0 127 Fn false false.
Definition ue4m3 := Format 8 4 3 0 7 Fn false true.
Definition ue5m3 := Format 8 5 3 0 15 Fn false true.
Definition e8m13 := Format 32 8 13 10 127 Ieee true true.

Definition names : list (string * format) :=
  [("f64", f64); ("fp64", f64); ("f32", f32); ("fp32", f32); ("tf32", tf32); ("xf32", tf32); ("bf16", bf16);
   ("bfloat16", bf16); ("f16", f16); ("fp16", f16); ("e5m2", e5m2); ("e4m3", e4m3); ("e5m2fnuz", e5m2fnuz);
   ("e4m3fnuz", e4m3fnuz); ("e3m2", e3m2); ("e2m3", e2m3); ("e2m1", e2m1); ("fp4", e2m1); ("e8m0", e8m0);
   ("ue8m0", e8m0); ("ue4m3", ue4m3); ("ue5m3", ue5m3); ("e8m13", e8m13)]%string.

Definition is_fixed (f : format) : bool := match kind_of f with Fixed => true | _ => false end.
Definition has_infinity (f : format) : bool := match kind_of f with Ieee | Inuz => true | _ => false end.
Definition has_nan (f : format) : bool := match kind_of f with Ieee | Fn | Fnuz | Inuz => true | _ => false end.
Definition has_minus_zero (f : format) : bool :=
  has_sign f && has_zero f && match kind_of f with Fnuz | Inuz | Fixed => false | _ => true end.
Definition has_subnormals (f : format) : bool := has_zero f && negb (is_fixed f).

Definition emin (f : format) : Z := if has_zero f then 1 - bias f else - bias f.
Definition last_bit (f : format) : Z := emin f - M_bits f.
Definition emax (f : format) : Z :=
  match kind_of f with
  | Ieee => pow2 (E_bits f) - 2 - bias f
  | Fixed => emin f
  | _ => pow2 (E_bits f) - 1 - bias f
  end.

(** The largest finite number of a format that is not fixed point. *)
Definition largest (f : format) : dyadic :=
  let ones := pow2 (M_bits f + 1) - 1 in
  Dyadic (match kind_of f with Fn | Inuz => ones - 1 | _ => ones end) (emax f - M_bits f).

Definition quiet_bit : Z := pow2 63.
(** What the NaN of an invalid operation becomes at a round: quiet, with the sign bit set. *)
Definition invalid : content := Content true quiet_bit OfInvalid.

(** The number of a pattern. *)
Definition read_fixed (f : format) (bits : Z) : number :=
  let b := bits mod pow2 (width f) in
  let n := if b <? pow2 (width f - 1) then b else b - pow2 (width f) in
  Finite (Dyadic n (last_bit f)) (Some (emin f)) Plus.

Definition read_finite (f : format) (negative : bool) (x fraction : Z) : number :=
  let hidden := negb (has_zero f) || negb (x =? 0) in
  let e := if hidden then x - bias f else emin f in
  let significand := if hidden then pow2 (M_bits f) + fraction else fraction in
  Finite (Dyadic (if negative then - significand else significand) (e - M_bits f)) (Some e) (sign_if negative).

Definition read_float (f : format) (bits : Z) : number :=
  let M := M_bits f in
  let E := E_bits f in
  let negative := has_sign f && Z.odd (bits / pow2 (padding f + M + E)) in
  let x := (bits / pow2 (padding f + M)) mod pow2 E in
  let fraction := (bits / pow2 (padding f)) mod pow2 M in
  let top := x =? pow2 E - 1 in
  let nan :=
    NaN (sign_if negative) false
        (Some (Content negative (Z.lor (fraction * pow2 (64 - M)) quiet_bit) OfFactor)) in
  match kind_of f with
  | Ieee => if top then if fraction =? 0 then Infinite (sign_if negative) false else nan
            else read_finite f negative x fraction
  | Fn => if top && (fraction =? pow2 M - 1) then nan else read_finite f negative x fraction
  | Fnuz => if negative && (x =? 0) && (fraction =? 0) then nan else read_finite f negative x fraction
  | Inuz => if negative && (x =? 0) && (fraction =? 0) then nan
            else if top && (fraction =? pow2 M - 1) then Infinite (sign_if negative) false
            else read_finite f negative x fraction
  | _ => read_finite f negative x fraction
  end.

Definition read (f : format) (bits : Z) : number := if is_fixed f then read_fixed f bits else read_float f bits.

(** The pattern of sign, exponent field and fraction field. *)
Definition fields (f : format) (negative : bool) (x fraction : Z) : Z :=
  (((if negative then 1 else 0) * pow2 (E_bits f) + x) * pow2 (M_bits f) + fraction) * pow2 (padding f).

(** How many times 2^q is in a multiple of it. *)
Definition units (x : dyadic) (q : Z) : Z :=
  if q <=? scale x then num x * pow2 (scale x - q) else num x / pow2 (q - scale x).

(** The pattern of a finite number that the format holds. A subnormal number and a zero have the exponent field 0; of a
    normal number, the leading bit of the significand is not written. *)
Definition write_finite (f : format) (v : dyadic) (s : sign) : Z :=
  if is_fixed f then units v (last_bit f) mod pow2 (width f)
  else
    let negative := sign_eqb (sign_of (Finite v None s)) Minus in
    if is_zero v then fields f negative 0 0
    else
      let e := Z.max (lg v) (emin f) in
      let significand := units (magnitude v) (e - M_bits f) in
      if significand <? pow2 (M_bits f) then fields f negative 0 significand
      else fields f negative (e + bias f) (significand - pow2 (M_bits f)).

Definition infinite_fraction (f : format) : Z := match kind_of f with Inuz => pow2 (M_bits f) - 1 | _ => 0 end.
Definition write_infinity (f : format) (s : sign) : Z :=
  fields f (sign_eqb s Minus) (pow2 (E_bits f) - 1) (infinite_fraction f).

(** The NaN of the format that keeps as much of the content as it can. *)
Definition write_nan (f : format) (c : content) : Z :=
  let ones := pow2 (E_bits f) - 1 in
  match kind_of f with
  | Ieee => fields f (content_negative c) ones (content_fraction c / pow2 (64 - M_bits f))
  | Fn => fields f (content_negative c) ones (pow2 (M_bits f) - 1)
  | _ => fields f true 0 0
  end.

(** The sign is + and only the top fraction bit is set; in Fn all fraction bits are ones, in Fnuz and Inuz there is only one. *)
Definition canonical_nan (f : format) : Z := write_nan f (Content false quiet_bit Kept).

(** ** Operands *)

(** [ftz] of a leaf: none, of the operand's own sign, to +0, and to +0 with −0 read as +0. *)
Inductive operand_ftz := KeepSubnormals | FlushKeep | FlushPos | FlushPlus.

Definition flush_operand (ftz : operand_ftz) (f : format) (x : number) : number :=
  match x with
  | Finite v e s =>
      let flushed := if is_zero v then match ftz with FlushPlus => Plus | _ => s end
                     else match ftz with FlushKeep => sign_of x | _ => Plus end in
      if match ftz with KeepSubnormals => false | _ => has_subnormals f && (is_zero v || (lg v <? emin f)) end
      then Finite zero e flushed
      else x
  | _ => x
  end.

(** ** Product *)

Inductive selection := All | Nth (n : Z) | Every (first step : Z).
Inductive normalisation := raw | carry | full.

Record product_attr := ProductAttr {
  p_which : selection;
  p_normalisation : normalisation;
  p_limit : option Z;
  p_counts : bool;
  p_as : option format;
  p_ftz : operand_ftz;
  p_infnan : bool;
  p_nanzero : bool;
  p_infzero : bool
}.

(** The exact product: values multiplied, exponents added. *)
Definition product (infzero : bool) (x y : number) : number :=
  let s := sign_product (sign_of x) (sign_of y) in
  match x, y with
  | NaN _ _ (Some c), _ => NaN Plus false (Some c)
  | NaN _ _ None, NaN _ _ c => NaN Plus false c
  | NaN _ _ None, _ => NaN Plus false None
  | _, NaN _ _ c => NaN Plus false c
  | Finite v (Some e) _, Finite w (Some e') _ => Finite (times v w) (Some (e + e')) s
  | Finite v _ _, Finite w _ _ => Finite (times v w) None s
  | _, _ => if (is_zero_number x || is_zero_number y) && negb infzero then NaN Plus false None else Infinite s false
  end.

(** The same number in a wider format: only the exponents of small ones change. *)
Definition read_again (wide : option format) (x : number) : number :=
  match wide, x with
  | Some wide, Finite v e s => Finite v (Some (if is_zero v then emin wide else Z.max (lg v) (emin wide))) s
  | _, _ => x
  end.

(** An operand of a product: infnan, then nanzero, then ftz, then as. *)
Definition factor (p : product_attr) (f : format) (x : number) : number :=
  let x := match x with Infinite s t => if p_infnan p then NaN s false None else x | _ => x end in
  let x := match x with NaN s _ _ => if p_nanzero p then Finite zero (Some (emin f)) s else x | _ => x end in
  read_again (p_as p) (flush_operand (p_ftz p) f x).

(** After the product with its scales: limit, then carry or full. *)
Definition limit_and_normalise (p : product_attr) (x : number) : number :=
  match x with
  | Finite v e s =>
      if is_zero v then x
      else if match p_limit p with Some n => n <=? lg v | None => false end
      then Infinite (sign_of x) (negb (p_counts p))
      else match p_normalisation p, e with
           | carry, Some e => Finite v (Some (if e <? lg v then e + 1 else e)) s
           | full, _ => Finite v (Some (lg v)) s
           | _, _ => x
           end
  | _ => x
  end.

(** ** Scales *)

(** What is read: a and b of an element, and their scales. The format of the scales, and how many elements share one. *)
Record inputs := Inputs { in_a : Z -> Z; in_b : Z -> Z; in_sa : Z -> Z; in_sb : Z -> Z; in_c : Z }.

(** A scale. Its NaN carries nothing. *)
Definition read_scale (f : format) (bits : Z) : number :=
  match read f bits with NaN s t _ => NaN s t None | x => x end.

(** x times the scales of element k. *)
Definition scaled (scales : option (format * Z)) (i : inputs) (infzero : bool) (k : Z) (x : number) : number :=
  match scales with
  | None => x
  | Some (f, n) =>
      product infzero (product infzero x (read_scale f (in_sa i (k / n)))) (read_scale f (in_sb i (k / n)))
  end.

(** *** Scales of rounded sums *)

(** By which of the two scales of its elements a rounded sum is multiplied. *)
Inductive scaling := ByNone | ByBoth | ByA | ByB.

(** A rounded number times scales of element k. *)
Definition scaled_sum (how : scaling) (scales : option (format * Z)) (i : inputs) (k : Z) (x : number) : number :=
  match how, scales with
  | ByNone, _ | _, None => x
  | ByBoth, _ => scaled scales i false k x
  | ByA, Some (f, n) => product false x (read_scale f (in_sa i (k / n)))
  | ByB, Some (f, n) => product false x (read_scale f (in_sb i (k / n)))
  end.

(** ** Special values *)

(** Of the terms that are NaN or infinite, and tentative or not: what a NaN would carry, and the result. *)
Fixpoint first_carried (tentative : bool) (l : list number) : option content :=
  match l with
  | NaN _ t (Some c) :: l' => if Bool.eqb t tentative then Some c else first_carried tentative l'
  | _ :: l' => first_carried tentative l'
  | [] => None
  end.
Definition is_nan_of (tentative : bool) (x : number) : bool :=
  match x with NaN _ t _ => Bool.eqb t tentative | _ => false end.
(** What the NaN of a sum carries, and its origin: that of a factor has precedence, and then one that an invalid operation
    made: one of the terms, or this sum itself. *)
Definition is_nan_from (tentative : bool) (o : origin) (x : number) : bool :=
  match x with NaN _ t c => Bool.eqb t tentative && origin_eqb (origin_of c) o | _ => false end.
Definition carried_on (tentative opposite_infinities : bool) (l : list number) : option content :=
  let o := if existsb (is_nan_from tentative OfFactor) l then OfFactor
           else if opposite_infinities || existsb (is_nan_from tentative OfInvalid) l then OfInvalid
           else Kept in
  option_map (with_origin o) (first_carried tentative l).
Definition is_infinity_of (tentative : bool) (s : sign) (x : number) : bool :=
  match x with Infinite s' t => Bool.eqb t tentative && sign_eqb s s' | _ => false end.

Definition special_of (tentative : bool) (l : list number) : option number :=
  let nan := existsb (is_nan_of tentative) l in
  let plus := existsb (is_infinity_of tentative Plus) l in
  let minus := existsb (is_infinity_of tentative Minus) l in
  if nan || (plus && minus) then Some (NaN Plus tentative (carried_on tentative (plus && minus) l))
  else if plus then Some (Infinite Plus tentative)
  else if minus then Some (Infinite Minus tentative)
  else None.

(** Tentative ones count only if there are no others. *)
Definition special_sum (l : list number) : option number :=
  match special_of false l with Some x => Some x | None => special_of true l end.

(** ** Fuse: sign of a zero sum *)

(** The common sign of the terms if all have the same. *)
Definition common_sign (l : list number) : sign :=
  match l with
  | [] => Mixed
  | x :: l' => if forallb (fun y => sign_eqb (sign_of x) (sign_of y)) l' then sign_of x else Mixed
  end.

(** [t]: the terms as they were added. *)
Definition zero_sum_sign (terms : list number) (t : list dyadic) : sign :=
  if forallb is_zero t then common_sign terms else Mixed.

(** The sum of terms that are not rounded. *)
Definition exact_sum (terms : list number) : number :=
  match special_sum terms with
  | Some x => x
  | None => let t := map value_of terms in Finite (sum t) (Some 0) (zero_sum_sign terms t)
  end.

(** ** Group *)

Inductive zero_exponent := Ignore | Emin | At (n : Z).
Record group_attr := GroupAttr { g_which : selection; g_size : Z; g_empty : zero_exponent }.

(** The numbers 0, 1 … n − 1. *)
Definition below (n : Z) : list Z := map Z.of_nat (seq 0 (Z.to_nat n)).

(** The exponent of a zero that would have e. *)
Definition exponent_of_zero (z : zero_exponent) (e : option Z) : option Z :=
  match z with Ignore => None | Emin => e | At n => Some n end.

(** The sum of the products a·b of a group, times the scales of its first element. *)
Definition group (scales : option (format * Z)) (i : inputs) (empty : zero_exponent) (first : Z)
           (products : list number) : number :=
  let total := exact_sum products in
  match scaled scales i false first total with
  | Finite v e s =>
      if is_zero v then
        let zero_scale := is_zero_number (scaled scales i false first (Finite (Dyadic 1 0) (Some 0) Plus)) in
        let none := forallb is_zero_number products in
        Finite v (if none || zero_scale then exponent_of_zero empty e else e)
               (if is_zero_number total then s else Mixed)
      else Finite v e s
  | x => x
  end.

(** ** Accumulator *)

Record c_attr := CAttr { c_as : option format; c_ftz : operand_ftz }.

Definition accumulator (c : c_attr) (f : format) (bits : Z) : number :=
  read_again (c_as c) (flush_operand (c_ftz c) f (read f bits)).

(** The NaN of an accumulator is kept, and so is that of a round in a sum. *)
Definition kept (x : number) : number :=
  match x with NaN s t c => NaN s t (option_map (with_origin Kept) c) | _ => x end.

(** ** Fuse *)

Inductive frame := NoFrame | FrameC | FrameCOrPlus | FrameNonzeroC.
Inductive opposed := AllOpposed | NonzeroOpposed | KeptOpposed.

Record fuse_attr := FuseAttr {
  u_floor : option Z;
  u_carry : option Z;
  u_sticky : bool;
  u_plus : bool;
  u_frame : frame;
  u_opposed : opposed;
  u_step : option Z;
  u_phase : Z
}.

Record child_attr := ChildAttr {
  ch_F : option Z; (** none: exact *)
  ch_mode : mode;
  ch_zero : zero_exponent;
  ch_drop : option Z;
  ch_less : Z;
  ch_scaled : scaling
}.

(** A term of a fuse: the child that it comes from, whether that is c, and the number. *)
Record term := Term { t_child : child_attr; t_is_c : bool; t_number : number }.

(** *** Common exponent *)

(** The exponent with which a term takes part, or none: it does not. *)
Definition takes_part (t : term) : option Z :=
  match t_number t with
  | Finite v e _ =>
      let own := if is_zero v then exponent_of_zero (ch_zero (t_child t)) e else e in
      option_map (fun e => e - ch_less (t_child t)) own
  | _ => None
  end.

Definition max_option (x y : option Z) : option Z :=
  match x, y with Some m, Some n => Some (Z.max m n) | Some m, None | None, Some m => Some m | None, None => None end.

(** The least number that is not below e and is p modulo n. *)
Definition raised (step : option Z) (phase e : Z) : Z :=
  match step with Some n => e + (phase - e) mod n | None => e end.

Definition common_exponent (u : fuse_attr) (terms : list term) : option Z :=
  option_map (raised (u_step u) (u_phase u)) (fold_left max_option (map takes_part terms) (u_floor u)).

(** *** Alignment and drop *)

Definition aligned (E : Z) (t : term) : dyadic :=
  match t_number t with
  | Finite v e _ =>
      let dropped := match ch_drop (t_child t), e with Some n, Some e => e <? E - n | _, _ => false end in
      if is_zero v || dropped then zero
      else match ch_F (t_child t) with Some F => rnd (ch_mode (t_child t)) v (E - F) | None => v end
  | _ => zero
  end.

(** *** Frame *)

(** The sign of the frame: that of c, if products change at all. *)
Definition frame_sign (fr : frame) (c : number) : option sign :=
  match fr with
  | NoFrame => None
  | FrameC => Some (sign_of c)
  | FrameCOrPlus => Some (if is_zero_number c then Plus else sign_of c)
  | FrameNonzeroC => if is_zero_number c then None else Some (sign_of c)
  end.

(** A term t, aligned to v, as the frame changes it: one unit of its last bit farther from zero. *)
Definition framed (u : fuse_attr) (s : sign) (E : Z) (t : term) (v : dyadic) : dyadic :=
  let changes :=
    negb (t_is_c t) && negb (sign_eqb (sign_of (t_number t)) s) &&
    match u_opposed u with
    | AllOpposed => true
    | NonzeroOpposed => negb (is_zero_number (t_number t))
    | KeptOpposed => negb (is_zero v)
    end in
  let F := match ch_F (t_child t) with Some F => F | None => 0 end in
  if changes then plus v (Dyadic (match s with Minus => 1 | _ => -1 end) (E - F)) else v.

Definition in_frame (u : fuse_attr) (E : Z) (terms : list term) : list dyadic :=
  let plain := map (aligned E) terms in
  match find t_is_c terms with
  | None => plain
  | Some c =>
      match frame_sign (u_frame u) (t_number c) with
      | None => plain
      | Some s => map (fun tv => framed u s E (fst tv) (snd tv)) (combine terms plain)
      end
  end.

(** *** Carry *)

(** S as a two's-complement register of W bits shows it, the last of which is worth 2^q. *)
Definition wrapped (W q : Z) (S : dyadic) : dyadic :=
  let half := pow2 (W - 1) in
  Dyadic ((units S q + half) mod pow2 W - half) q.

(** *** Sticky *)

Definition with_sticky (lost : bool) (q : Z) (S : dyadic) : dyadic :=
  if lost then plus S (Dyadic (if is_negative S then -1 else 1) (q - 1)) else S.

(** *** The whole fuse *)

Definition largest_F (children : list child_attr) : Z :=
  fold_left Z.max (map (fun c => match ch_F c with Some F => F | None => 0 end) children) 0.

(** The sum of the aligned terms, as the register holds it. *)
Definition register (u : fuse_attr) (F E : Z) (terms : list term) (t : list dyadic) : dyadic :=
  let S := sum t in
  let S := match u_carry u with Some w => wrapped (1 + w + 2 + F) (E - F) S | None => S end in
  let differs tv := negb (is_zero (plus (value_of (t_number (fst tv))) (opposite (snd tv)))) in
  if u_sticky u then with_sticky (existsb differs (combine terms t)) (E - F) S else S.

Definition fuse (u : fuse_attr) (children : list child_attr) (terms : list term) : number :=
  let numbers := map t_number terms in
  match special_sum numbers with
  | Some x => x
  | None =>
      match common_exponent u terms with
      | None => Finite zero None (if u_plus u then Plus else common_sign numbers)
      | Some E =>
          let t := in_frame u E terms in
          let S := register u (largest_F children) E terms t in
          Finite S (Some E) (if u_plus u then Plus else zero_sum_sign numbers t)
      end
  end.

(** ** Round *)

Inductive overflow := OverflowInf | OverflowMax | OverflowIeee.
Inductive result_ftz := NoFlush | FlushResult | FlushBefore | FlushAfter.

Record round_attr := RoundAttr {
  r_format : format;
  r_mode : mode;
  r_overflow : overflow;
  r_ftz : result_ftz;
  r_ftz_pos : bool;
  r_zsign_pos : bool;
  r_usign_pos : bool
}.

(** *** Zeros *)

Definition zero_of (f : format) (s : sign) : number :=
  Finite zero (Some (emin f)) (if has_minus_zero f then s else Plus).

Definition round_zero (r : round_attr) (s : sign) : number :=
  zero_of (r_format r)
          (if r_zsign_pos r then Plus
           else match s with Mixed => match r_mode r with rd => Minus | _ => Plus end | _ => s end).

(** *** Flushing *)

(** v is what is rounded, to r. *)
Definition is_flushed (ra : round_attr) (v r : dyadic) : bool :=
  let f := r_format ra in
  match r_ftz ra with
  | NoFlush => false
  | FlushResult => negb (is_zero r) && (lg r <? emin f)
  | FlushBefore => lg v <? emin f
  | FlushAfter => lg (rnd (r_mode ra) v (lg v - M_bits f)) <? emin f
  end.

(** *** Overflow *)

Definition overflows_to_infinity (r : round_attr) (negative : bool) : bool :=
  match r_overflow r with
  | OverflowInf => true
  | OverflowMax => false
  | OverflowIeee =>
      match r_mode r with
      | rne | rna | ra | rnu | rn_d | rnz | rno => true
      | rz | odd => false
      | ru => negb negative
      | rd => negative
      end
  end.

Definition largest_of (f : format) (negative : bool) : number :=
  Finite (if negative then opposite (largest f) else largest f) (Some (emax f)) (sign_if negative).

(** An infinity in a format that may have none: then NaN. *)
Definition infinity_of (f : format) (s : sign) : number :=
  if has_infinity f then Infinite s false
  else if has_nan f then read f (write_nan f invalid)
  else largest_of f (sign_eqb s Minus).

(** *** To floating point *)

Definition round_finite (ra : round_attr) (v : dyadic) : number :=
  let f := r_format ra in
  let negative := is_negative v in
  let r := rnd (r_mode ra) v (Z.max (lg v) (emin f) - M_bits f) in
  if is_flushed ra v r then zero_of f (if r_ftz_pos ra then Plus else sign_if negative)
  else if is_zero r then zero_of f (if r_usign_pos ra then Plus else sign_if negative)
  else if less_than (largest f) (magnitude r) then
    if overflows_to_infinity ra negative then infinity_of f (sign_if negative) else largest_of f negative
  else Finite r (Some (Z.max (lg r) (emin f))) (sign_if negative).

(** *** To fixed point *)

Definition round_to_fixed (f : format) (m : mode) (x : number) : number :=
  let q := last_bit f in
  let lowest := Dyadic (- pow2 (width f - 1)) q in
  let highest := Dyadic (pow2 (width f - 1) - 1) q in
  let r :=
    match x with
    | NaN _ _ _ => zero
    | Infinite s _ => match s with Minus => lowest | _ => highest end
    | Finite v _ _ =>
        let r := rnd m v q in if less_than r lowest then lowest else if less_than highest r then highest else r
    end in
  Finite r (Some (emin f)) Plus.

(** A NaN that carries nothing becomes the one of an invalid operation; it stays one in a format without NaN. *)
Definition round_nan (f : format) (carried : option content) : number :=
  let c := match carried with Some c => c | None => invalid end in
  if has_nan f
  then match read f (write_nan f c) with
       | NaN s t c' => NaN s t (option_map (with_origin (content_origin c)) c')
       | x => x
       end
  else NaN Plus false carried.

Definition round (ra : round_attr) (x : number) : number :=
  let f := r_format ra in
  if is_fixed f then round_to_fixed f (r_mode ra) x
  else match x with
       | NaN _ _ c => round_nan f c
       | Infinite s _ => infinity_of f s
       | Finite v _ s => if is_zero v then round_zero ra s else round_finite ra v
       end.

(** ** Trees *)

Inductive node :=
| ProductLeaf (p : product_attr)
| GroupLeaf (g : group_attr)
| CLeaf (c : c_attr)
| FuseNode (u : fuse_attr) (children : list (node * child_attr))
| RoundNode (r : round_attr) (child : node).

(** Whether scales multiply rounded sums, and not products. *)
Fixpoint has_scaled_sums (n : node) : bool :=
  match n with
  | FuseNode _ children =>
      existsb (fun child => match child with
                            | (n, a) => match ch_scaled a with ByNone => has_scaled_sums n | _ => true end
                            end) children
  | RoundNode _ child => has_scaled_sums child
  | _ => false
  end.

(** ** NaN *)

(** Which NaN a unit returns. *)
Inductive nan_rule := NanPattern (bits : Z) | NanAny | NanX86 | NanRdna.

Record unit := Unit {
  unit_a : format;
  unit_b : format;
  unit_c : option format; (** none: there is no input c *)
  unit_d : format;
  unit_scales : option (format * Z);
  unit_K : Z;
  unit_L : Z;
  unit_interleave : Z; (** 0: none *)
  unit_c_last : bool;
  unit_nan : nan_rule;
  unit_root : round_attr;
  unit_tree : node (** the child of the root *)
}.

(** d's pattern of what the round of a format f gave. *)
Definition result (u : unit) (f : format) (x : number) : Z :=
  match x with
  | Finite v _ s => write_finite f v s
  | Infinite s _ => write_infinity f s
  | NaN _ _ carried =>
      match unit_nan u with
      | NanPattern bits => bits
      | NanAny => canonical_nan (unit_d u)
      | NanX86 | NanRdna => write_nan f (match carried with Some c => c | None => invalid end)
      end
  end.

(** With [nan=rdna]: the fraction field of the NaN of a factor, in an IEEE format; and whether an invalid operation has
    that one, too. *)
Definition factor_nan_fraction (f : format) : Z := pow2 (M_bits f - 1) + 2621 mod pow2 (M_bits f - 1).
Definition invalid_is_as_of_factor (u : unit) : bool := (width (unit_a u) <=? 8) || (width (unit_b u) <=? 8).

(** What a round to the format f is given: with [nan=rdna] a NaN that is not kept is one of two. *)
Definition nan_of_rule (u : unit) (f : format) (x : number) : number :=
  match unit_nan u, x with
  | NanRdna, NaN s t c =>
      let o := origin_of c in
      let of_factor := factor_nan_fraction f * pow2 (64 - M_bits f) in
      match o with
      | OfFactor => NaN s t (Some (Content true of_factor o))
      | OfInvalid => NaN s t (Some (Content true (if invalid_is_as_of_factor u then of_factor else quiet_bit) o))
      | Kept => x
      end
  | _, _ => x
  end.

Definition rounded (u : unit) (r : round_attr) (x : number) : number := round r (nan_of_rule u (r_format r) x).

(** ** Blocks *)

(** The element of the unit that is element l of block i. *)
Definition element (u : unit) (i l : Z) : Z :=
  let L := unit_L u in
  let n := unit_interleave u in
  if n =? 0 then i * L + l else 2 * L * (i / 2) + 2 * n * (l / n) + n * (i mod 2) + l mod n.

Definition is_selected (s : selection) (i : Z) : bool :=
  match s with
  | All => true
  | Nth n => i =? n
  | Every first step => (first <=? i) && ((i - first) mod step =? 0)
  end.
Definition selected (s : selection) (count : Z) : list Z := filter (is_selected s) (below count).

(** The elements of a block of L that are below a node. If a sum of them is scaled, all have the same scales. *)
Fixpoint elements_below (L : Z) (n : node) : list Z :=
  match n with
  | ProductLeaf p => selected (p_which p) L
  | GroupLeaf g =>
      flat_map (fun j => map (fun l => j * g_size g + l) (below (g_size g))) (selected (g_which g) (L / g_size g))
  | CLeaf _ => []
  | FuseNode _ children => flat_map (fun child => match child with (n, _) => elements_below L n end) children
  | RoundNode _ child => elements_below L child
  end.

(** The scales that multiply products. *)
Definition product_scales (u : unit) : option (format * Z) :=
  if has_scaled_sums (unit_tree u) then None else unit_scales u.

Section Block.
  Variable u : unit.
  Variable x : inputs.
  Variable i : Z. (** the block *)
  Variable c_format : format. (** of the accumulator, and its pattern *)
  Variable c_bits : Z.

  Definition product_of_element (p : product_attr) (l : Z) : number :=
    let k := element u i l in
    let a := factor p (unit_a u) (read (unit_a u) (in_a x k)) in
    let b := factor p (unit_b u) (read (unit_b u) (in_b x k)) in
    limit_and_normalise p (scaled (product_scales u) x (p_infzero p) k (product (p_infzero p) a b)).

  Definition group_of_elements (g : group_attr) (j : Z) : number :=
    let elements := map (fun l => element u i (j * g_size g + l)) (below (g_size g)) in
    let products := map (fun k => product false (read (unit_a u) (in_a x k)) (read (unit_b u) (in_b x k))) elements in
    group (product_scales u) x (g_empty g) (element u i (j * g_size g)) products.

  Definition is_c_leaf (n : node) : bool := match n with CLeaf _ => true | _ => false end.

  (** A number of a node as a term of a sum. *)
  Definition as_term (n : node) (x : number) : number := match n with RoundNode _ _ => kept x | _ => x end.

  (** The same, times the scales of the elements below, if the child says so. *)
  Definition as_child (n : node) (a : child_attr) (y : number) : number :=
    match ch_scaled a with
    | ByNone => as_term n y
    | how => match elements_below (unit_L u) n with
             | l :: _ => scaled_sum how (unit_scales u) x (element u i l) (as_term n y)
             | [] => as_term n y
             end
    end.

  (** The numbers that a node stands for: one for each element or group that a leaf selects, else one. *)
  Fixpoint numbers (n : node) : list number :=
    match n with
    | ProductLeaf p => map (product_of_element p) (selected (p_which p) (unit_L u))
    | GroupLeaf g => map (group_of_elements g) (selected (g_which g) (unit_L u / g_size g))
    | CLeaf c => [kept (accumulator c c_format c_bits)]
    | FuseNode f children =>
        let terms :=
          flat_map (fun child => match child with
                                 | (n, a) => map (fun y => Term a (is_c_leaf n) (as_child n a y)) (numbers n)
                                 end) children in
        [fuse f (map snd children) terms]
    | RoundNode r child => map (rounded u r) (numbers child)
    end.

  (** d's pattern after this block. *)
  Definition block : Z :=
    result u (r_format (unit_root u))
           (match numbers (RoundNode (unit_root u) (unit_tree u)) with y :: _ => y | [] => Finite zero None Plus end).
End Block.

(** Block i has the accumulator of the blocks before it: its format and its pattern. *)
Definition chain (u : unit) (x : inputs) (first : format * Z) : format * Z :=
  fold_left (fun acc i => (unit_d u, block u x i (fst acc) (snd acc))) (below (unit_K u / unit_L u)) first.

(** ** c last *)

Definition ieee_rne (f : format) : round_attr := RoundAttr f rne OverflowIeee NoFlush false false false.

Definition added_last (u : unit) (d : Z) (c_format : format) (c : Z) : Z :=
  result u (unit_d u) (rounded u (ieee_rne (unit_d u)) (exact_sum [kept (read (unit_d u) d); kept (read c_format c)])).

(** ** The unit *)

(** The pattern of d. *)
Definition evaluate (u : unit) (x : inputs) : Z :=
  let plus_zero := (unit_d u, 0) in
  match unit_c u with
  | None => snd (chain u x plus_zero)
  | Some f =>
      if unit_c_last u then added_last u (snd (chain u x plus_zero)) f (in_c x)
      else snd (chain u x (f, in_c x))
  end.
