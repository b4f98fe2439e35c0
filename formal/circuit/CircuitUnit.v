(** * The reference circuit: rounds, units, and the circuit of a claim

    certificate/circuit/round and unit, and certificate/miter and limits: what says whether some units differ. *)

From Coq Require Import ZArith List Bool.
From Discern Require Import Notation Gates Integers Circuit.
Import ListNotations.
Open Scope Z_scope.

(** ** Round *)

(** The fields of a pattern, without padding. *)
Record parts := Parts { f_sign : literal; f_exponent : word; f_mantissa : word }.

(** Truncates the last bit of a word, the guard, and rounds the others; one bit more for a carry. *)
Definition rounded_word (m : mode) (negative : literal) (w : word) (sticky : literal) : making word :=
  let whole := slice w 1 (width_of w) in
  away <- rounds_away m (Truncated negative (bit whole 0) (bit w 0) sticky) ;;
  increment whole away.

Definition overflows_wire (o : overflow) (m : mode) (negative : literal) : literal :=
  match o with
  | OverflowInf => yes
  | OverflowMax => no
  | OverflowIeee =>
      match m with
      | rne | rna | ra | rnu | rn_d | rnz | rno => yes
      | rd => negative
      | ru => invert negative
      | rz | odd => no
      end
  end.

Definition packed (f : format) (p : parts) : word :=
  concat (repeated (f_sign p) 1) (concat (f_exponent p) (concat (f_mantissa p) (constant 0 (padding f)))).

Definition mux_parts (c : literal) (x y : parts) : making parts :=
  s <- make_mux c (f_sign x) (f_sign y) ;;
  e <- mux c (f_exponent x) (f_exponent y) ;;
  m <- mux c (f_mantissa x) (f_mantissa y) ;;
  ret (Parts s e m).

Definition ones (w : Z) : word := repeated yes w.
Definition infinity_parts (f : format) (negative : literal) : parts :=
  Parts negative (constant (-1) (E_bits f)) (constant (infinite_fraction f) (M_bits f)).

(** The NaN that keeps what the content carries. *)
Definition nan_parts (f : format) (k : content_wires) : making parts :=
  let m := M_bits f in
  match kind_of f with
  | Fnuz | Inuz => ret (Parts yes (constant 0 (E_bits f)) (constant 0 m))
  | Fn =>
      sign <- make_mux (k_here k) (k_negative k) yes ;;
      ret (Parts sign (constant (-1) (E_bits f)) (constant (-1) m))
  | _ =>
      sign <- make_mux (k_here k) (k_negative k) yes ;;
      payload <- mask (k_here k) (slice (k_payload k) (payload_bits - m) m) ;;
      ret (Parts sign (constant (-1) (E_bits f)) (concat (repeated yes 1) (slice payload 0 (m - 1))))
  end.

Definition is_invalid_wire (x : wires) (kind : kind_wires) : making literal :=
  make_or (of_invalid kind) (invert (k_here (n_content x))).

Definition nan_parts_by_kind (f : format) (x : wires) (kind : kind_wires) : making parts :=
  let negative fraction := Parts yes (constant (-1) (E_bits f)) (constant fraction (M_bits f)) in
  let factor_ := negative (factor_nan_fraction f) in
  let invalid_ := if invalid_as_factor kind then factor_ else negative (pow2 (M_bits f - 1)) in
  content <- nan_parts f (n_content x) ;;
  i <- is_invalid_wire x kind ;;
  other <- mux_parts i invalid_ content ;;
  mux_parts (of_factor kind) factor_ other.

(** The significand of the largest number, without its hidden bit. *)
Definition largest_fraction (f : format) : Z :=
  let ones_ := pow2 (M_bits f) - 1 in match kind_of f with Fn | Inuz => ones_ - 1 | _ => ones_ end.

(** What is found of a number before it is packed: whether it is zero; the fields of the rounded magnitude; whether that is
    zero, flushed, or larger than the largest number. *)
Record stages := Stages { st_zero : literal; st_exponent : word; st_mantissa : word; st_to_zero : literal; st_flushed : literal;
                          st_overflow : literal }.

Definition round_stages (r : round_attr) (x : wires) : making stages :=
  let f := r_format r in
  let m := M_bits f in
  let w := width_of (n_magnitude x) in
  some <- any (n_magnitude x) ;;
  normal <- normalise (n_magnitude x) ;;
  let shift := w - 1 - n_fraction x in
  top <- difference (offset_by (n_base x) shift) (integer_of (snd normal) 0)
           (Z.max (i_low (n_base x) - n_fraction x) (n_lsb x)) (i_high (n_base x) + shift) ;;
  let unlimited := slice (fst normal) (w - (m + 2)) (m + 2) in
  unlimited_sticky <- any (slice (fst normal) 0 (w - (m + 2))) ;;
  let e := fixed_integer (emin f) in
  tiny <- i_less top e ;;
  exponent <- i_larger top e ;;
  amount <- difference exponent top 0 (i_high exponent - i_low top) ;;
  limited <- shift_right unlimited (i_bits amount) ;;
  sticky <- make_or unlimited_sticky (snd limited) ;;
  significand <- rounded_word (r_mode r) (n_negative x) (fst limited) sticky ;;
  exponent <- i_plus exponent (msb significand) ;;
  hidden <- any (slice significand m 2) ;;
  let mantissa := slice significand 0 m in
  something <- any significand ;;
  let to_zero := invert something in
  flushed <- match r_ftz r with
             | NoFlush => ret no
             | FlushResult => make_and (invert hidden) (invert to_zero)
             | FlushBefore => ret tiny
             | FlushAfter =>
                 other <- rounded_word (r_mode r) (n_negative x) unlimited unlimited_sticky ;;
                 above <- i_plus top (msb other) ;;
                 i_less above e
             end ;;
  let last := fixed_integer (emax f) in
  above <- i_less last exponent ;;
  lower <- i_less exponent last ;;
  at_top <- make_and (invert above) (invert lower) ;;
  beyond <- less (constant (largest_fraction f) m) mantissa ;;
  both <- make_and at_top beyond ;;
  overflow <- make_or above both ;;
  field <- difference exponent (fixed_integer (emin f - 1)) 0 (Z.max 1 (i_high exponent - emin f + 1)) ;;
  efield <- mask hidden (resize (i_bits field) (E_bits f)) ;;
  ret (Stages (invert some) efield mantissa to_zero flushed overflow).

(** Two's complement; what is too large, or infinite, gives the largest number of its sign. *)
Definition fixed_pattern (f : format) (x : wires) (y : stages) (infinite minus is_nan : literal) : making word :=
  sign <- make_mux infinite minus (n_negative x) ;;
  large <- make_and (st_overflow y) (invert (st_to_zero y)) ;;
  beyond_all <- make_or infinite large ;;
  let magnitude := concat (st_exponent y) (st_mantissa y) in
  finite <- negate_if (n_negative x) (resize magnitude (width_of magnitude + 1)) ;;
  number <- mux beyond_all (concat (repeated sign 1) (repeated (invert sign) (width f - 1))) finite ;;
  mask (invert is_nan) number.

Definition float_pattern (r : round_attr) (x : wires) (y : stages) (infinite minus is_nan : literal) : making word :=
  let f := r_format r in
  let m := M_bits f in
  let largest := Parts (n_negative x) (constant (emax f + bias f) (E_bits f)) (constant (largest_fraction f) m) in
  nan <- match n_kind x with Some kind => nan_parts_by_kind f x kind | None => nan_parts f (n_content x) end ;;
  let infinity negative := if has_infinity f then infinity_parts f negative else nan in
  beyond_largest <- mux_parts (overflows_wire (r_overflow r) (r_mode r) (n_negative x)) (infinity (n_negative x)) largest ;;
  result <- mux_parts (st_overflow y) beyond_largest (Parts (n_negative x) (st_exponent y) (st_mantissa y)) ;;
  let mixed_sign := match r_mode r with rd => yes | _ => no end in
  mixed <- make_and (n_seen_minus x) mixed_sign ;;
  zero_sign <- make_mux (n_seen_plus x) mixed (n_seen_minus x) ;;
  let zero_sign := if r_zsign_pos r then no else zero_sign in
  sign <- make_mux (st_flushed y) (if r_ftz_pos r then no else n_negative x) (if r_usign_pos r then no else n_negative x) ;;
  sign <- make_mux (st_zero y) zero_sign sign ;;
  let sign := if has_minus_zero f then sign else no in
  let nothing := Parts sign (constant 0 (E_bits f)) (constant 0 m) in
  gone <- make_or (st_flushed y) (st_to_zero y) ;;
  result <- mux_parts gone nothing result ;;
  result <- mux_parts infinite (infinity minus) result ;;
  result <- mux_parts is_nan nan result ;;
  ret (packed f result).

Definition round_wires (r : round_attr) (x : wires) : making word :=
  y <- round_stages r x ;;
  let s := n_special x in
  minus <- make_or (w_minus s) (t_minus s) ;;
  infinite <- any_of [w_plus s; t_plus s; minus] ;;
  is_nan <- make_or (w_nan s) (t_nan s) ;;
  if is_fixed (r_format r) then fixed_pattern (r_format r) x y infinite minus is_nan
  else float_pattern r x y infinite minus is_nan.

(** ** Blocks and units *)

(** y was read of the pattern of a round of x, whose NaN comes from where x's does. *)
Definition with_kind_of (x y : wires) : making wires :=
  match n_kind x with
  | None => ret y
  | Some kind =>
      invalid <- is_invalid_wire x kind ;;
      a <- make_and (w_nan (n_special y)) (of_factor kind) ;;
      b <- make_and (w_nan (n_special y)) invalid ;;
      ret (with_special (n_special y) (n_content y) (Some (KindWires a b (invalid_as_factor kind))) y)
  end.

Section Block.
  Variable u : unit.
  Variable i : operands.
  Variable index : Z.
  Variable c_format : format.
  Variable c : word.

  Definition is_round (n : node) : bool := match n with RoundNode _ _ => true | _ => false end.

  (** A number of a child, times the scales of the elements below if the child says so. *)
  Definition child_wires (n : node) (a : child_attr) (x : wires) : making wires :=
    match ch_scaled a, elements_below (unit_L u) n with
    | ByNone, _ | _, [] => ret x
    | how, l :: _ => scaled_wires u i how (element u index l) x
    end.

  (** The numbers that a node stands for. *)
  Fixpoint node_wires (n : node) : making (list wires) :=
    match n with
    | ProductLeaf p => map_m (fun l => product_wires u i p (element u index l)) (selected (p_which p) (unit_L u))
    | GroupLeaf g =>
        map_m (fun j => group_wires u i g (element u index (j * g_size g))) (selected (g_which g) (unit_L u / g_size g))
    | CLeaf a => x <- accumulator_wires c_format c a ;; ret [kept_wires u x]
    | FuseNode f children =>
        terms <- (fix go (l : list (node * child_attr)) : making (list sum_term) :=
                    match l with
                    | [] => ret []
                    | (n, a) :: l' =>
                        xs <- node_wires n ;;
                        ys <- map_m (fun x => child_wires n a (if is_round n then kept_wires u x else x)) xs ;;
                        rest <- go l' ;;
                        ret (map (fun y => SumTerm y a (is_c_leaf n)) ys ++ rest)
                    end) children ;;
        x <- fuse_wires f terms ;;
        ret [x]
    | RoundNode r child =>
        xs <- node_wires child ;;
        match xs with
        | [] => ret []
        | x :: _ =>
            pattern <- round_wires r x ;;
            y <- read_wires (r_format r) pattern ;;
            y <- with_kind_of x y ;;
            ret [y]
        end
    end.

  Definition block_wires : making word :=
    xs <- node_wires (unit_tree u) ;;
    match xs with [] => ret [] | x :: _ => round_wires (unit_root u) x end.
End Block.

(** A result as d: the unit's rule says which NaN it is. *)
Definition with_nan_rule (u : unit) (pattern : word) : making word :=
  let f := unit_d u in
  let write nan := if has_nan f then is_nan <- is_nan_wire f pattern ;; mux is_nan (constant nan (width f)) pattern
                   else ret pattern in
  match unit_nan u with
  | NanPattern bits => write bits
  | NanAny => write (canonical_nan f)
  | NanX86 | NanRdna => ret pattern
  end.

Definition added_last_wires (u : unit) (result c : word) : making word :=
  let child := ChildAttr None rz Ignore None 0 ByNone in
  d <- read_wires (unit_d u) result ;;
  last <- (match unit_c u with Some f => read_wires f c | None => read_wires (unit_d u) c end) ;;
  total <- fuse_wires (FuseAttr None None false false NoFrame AllOpposed None 0)
             [SumTerm (kept_wires u d) child false; SumTerm (kept_wires u last) child false] ;;
  round_wires (ieee_rne (unit_d u)) total.

(** The bits of d. *)
Definition unit_wires (u : unit) (i : operands) : making word :=
  let f := unit_d u in
  let c_first := match unit_c u with Some _ => negb (unit_c_last u) | None => false end in
  let first := match unit_c u with
               | Some cf => if c_first then (cf, operand (o_c i) 0) else (f, constant 0 (width f))
               | None => (f, constant 0 (width f))
               end in
  last <- fold_m (fun acc index =>
            d <- block_wires u i index (fst acc) (snd acc) ;;
            d <- with_nan_rule u d ;;
            ret (f, d)) (below (unit_K u / unit_L u)) first ;;
  match unit_c u with
  | Some _ => if c_first then ret (snd last)
              else d <- added_last_wires u (snd last) (operand (o_c i) 0) ;; with_nan_rule u d
  | None => ret (snd last)
  end.

(** ** The circuit of a claim *)

(** A row of operands of one format, and how many bits before it there are. *)
Definition words_of (count w first : Z) : list word :=
  map (fun k => map (fun j => Lit false (1 + first + k * w + j)) (below w)) (below count).

Definition scale_count (u : unit) : Z := match unit_scales u with Some (_, n) => (unit_K u + n - 1) / n | None => 0 end.
Definition scale_format (u : unit) : format := match unit_scales u with Some (f, _) => f | None => e8m0 end.
Definition c_format_of (u : unit) : format := match unit_c u with Some f => f | None => unit_d u end.

(** The operands as inputs: a, b, the scales of a and of b, c; each pattern's lowest bit first. *)
Definition operands_of (u : unit) : operands :=
  let wa := width (unit_a u) in
  let wb := width (unit_b u) in
  let n := scale_count u in
  let ws := width (scale_format u) in
  let K := unit_K u in
  let sa := K * wa + K * wb in
  let sb := sa + n * ws in
  Operands (words_of K wa 0) (words_of K wb (K * wa)) (words_of n ws sa) (words_of n ws sb)
           (words_of (match unit_c u with Some _ => 1 | None => 0 end) (width (c_format_of u)) (sb + n * ws)).
Definition input_bits (u : unit) : Z :=
  unit_K u * (width (unit_a u) + width (unit_b u)) + 2 * scale_count u * width (scale_format u) +
  match unit_c u with Some f => width f | None => 0 end.

Definition is_any_nan (u : unit) : bool := match unit_nan u with NanAny => true | _ => false end.

(** Whether two units give the same result: the same bits, or, where one of them has nan=any, two NaN. *)
Definition same_result (one other : unit) (d_one d_other : word) : making literal :=
  same_bits <- fold_m (fun s xy => x <- make_xor (fst xy) (snd xy) ;; make_and s (invert x)) (combine d_one d_other) yes ;;
  if negb (is_any_nan one) && negb (is_any_nan other) then ret same_bits
  else
    nan_other <- is_nan_wire (unit_d other) d_other ;;
    nan_one <- is_nan_wire (unit_d other) d_one ;;
    both <- make_and nan_one nan_other ;;
    make_or same_bits both.

(** The unit with which a unit is compared: the first one; but if that has nan=any and the unit does not, the first
    without nan=any. *)
Definition compared_with (units : list unit) (i : nat) : nat :=
  if is_any_nan (nth i units (Unit f16 f16 None f16 None 1 1 0 false NanAny (ieee_rne f16) (CLeaf (CAttr None KeepSubnormals))))
  then 0%nat
  else
    (fix exact (j : nat) (l : list unit) : nat :=
       match l with
       | [] => 0%nat
       | v :: l' => if (j <? i)%nat then if is_any_nan v then exact (S j) l' else j else 0%nat
       end) 0%nat units.

(** Limits of the inputs: finite; no subnormal numbers. *)
Record limits := Limits { l_finite : bool; l_no_subnormals : bool }.

Definition and_within (l : limits) (f : format) (good : literal) (pattern : word) : making literal :=
  infinite <- is_infinite_wire f pattern ;;
  nan <- is_nan_wire f pattern ;;
  special <- make_or nan infinite ;;
  good <- (if l_finite l then make_and good (invert special) else ret good) ;;
  if l_no_subnormals l && has_subnormals f
  then
    x <- read_wires f pattern ;;
    some <- any (n_magnitude x) ;;
    normal <- make_or (msb (n_magnitude x)) (invert some) ;;
    make_and good normal
  else ret good.

Definition allowed (l : limits) (u : unit) (i : operands) : making literal :=
  good <- fold_m (and_within l (unit_a u)) (o_a i) yes ;;
  good <- fold_m (and_within l (unit_b u)) (o_b i) good ;;
  good <- fold_m (and_within l (scale_format u)) (o_sa i) good ;;
  good <- fold_m (and_within l (scale_format u)) (o_sb i) good ;;
  fold_m (and_within l (c_format_of u)) (o_c i) good.

(** What is said of the results, and whether some two of them differ within the limits. *)
Record miter := Miter { m_results : list word; m_same : list literal; m_allowed : literal; m_different : literal }.

Definition miter_wires (l : limits) (units : list unit) : making miter :=
  match units with
  | [] => ret (Miter [] [] yes no)
  | first :: _ =>
      let i := operands_of first in
      results <- map_m (fun u => unit_wires u i) units ;;
      good <- allowed l first i ;;
      all_same <- fold_m (fun (s : list literal * literal) (k : nat) =>
                    one <- (match k with
                            | O => ret yes
                            | _ =>
                                let j := compared_with units k in
                                same_result (nth j units first) (nth k units first) (nth j results []) (nth k results [])
                            end) ;;
                    each <- make_and (snd s) one ;;
                    ret (fst s ++ [one], each)) (seq 0 (length units)) ([], yes) ;;
      different <- make_and good (invert (snd all_same)) ;;
      ret (Miter results (fst all_same) good different)
  end.

(** The circuit of a claim: what [miter_wires] gives, and its gates. *)
Definition claim_circuit (l : limits) (units : list unit) : miter * netlist :=
  run (miter_wires l units)
    (Netlist (1 + match units with u :: _ => input_bits u | [] => 0 end) []).
