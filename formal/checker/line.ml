(* The line of a unit, as docs/notation.md has it: what is left out where it has its usual value, and in which order what is
   written stands. The checker prints a claim by it, from the trees to which the theorems are applied, and a claim has to have
   the same line. So a line that two readers might read in two ways is refused. Not verified, and shares nothing with the C++. *)
module Big = Z (* Zarith: the definition has a Z of its own *)
open Definition

let wrong text = raise (Reader.Wrong text)
let number = Big.to_string

(* Formats by their fields have E from 2 to 11 and M from 1 to 52, with E = 11 only those of IEEE; fixed point has 2 to 54 bits. *)
let format_name f =
  let e = Big.to_int f.e_bits and m = Big.to_int f.m_bits and w = Big.to_int f.width in
  match List.find_opt (fun (_, g) -> g = f) names with
  | Some (name, _) -> name
  | None when f.kind_of = Fixed ->
    let fraction = Big.to_int f.bias + w - 3 in
    if w < 2 || w > 54 || fraction < 0 || fraction > w then wrong "there is no such format of fixed point";
    Printf.sprintf "fix%d.%d" w fraction
  | None ->
    if e < 2 || e > 11 || m < 1 || m > 52 || (e = 11 && f.kind_of <> Ieee) then wrong "there is no format of these fields";
    let name = Printf.sprintf "e%dm%d" e m in
    let suffix = match f.kind_of with Ieee -> "ieee" | Fn -> "fn" | Fnuz -> "fnuz" | Inuz -> "inuz" | AllFinite | Fixed -> "f" in
    if f.kind_of = Ieee && not (List.mem_assoc name names) then name else name ^ suffix

let mode = function
  | Rz -> "rz" | Rd -> "rd" | Ru -> "ru" | Rne -> "rne" | Rna -> "rna" | Odd -> "odd"
  | Ra -> "ra" | Rnu -> "rnu" | Rn_d -> "rnd" | Rnz -> "rnz" | Rno -> "rno"
let zero = function Ignore -> "ignore" | Emin -> "emin" | At n -> number n
let bits = function Some n -> "F=" ^ number n | None -> "exact"

(* An attribute where it does not have its usual value. *)
let if_ condition text = if condition then [ text ] else []
let unless usual value text = if_ (value <> usual) (text value)
let given key = function Some n -> [ key ^ number n ] | None -> []
let bracketed attributes = match List.concat attributes with [] -> "" | l -> "[" ^ String.concat " " l ^ "]"

let which = function
  | All -> "*"
  | Nth n -> number n
  | Every (first, step) when Big.equal first Big.zero && Big.equal step Big.one -> "*"
  | Every (first, step) -> Printf.sprintf "(%s::%s)" (number first) (number step)

let operand_flush = function KeepSubnormals -> [] | FlushKeep -> [ "ftz" ] | FlushPos -> [ "ftz=pos" ] | FlushPlus -> [ "ftz=plus" ]

let read_as = function Some f -> [ "as=" ^ format_name f ] | None -> []

let is_leaf = function FuseNode _ | RoundNode _ -> false | _ -> true

let rec node = function
  | ProductLeaf p ->
    "p" ^ which p.p_which ^
    bracketed [
      (match p.p_normalisation with Raw -> [] | Carry -> [ "carry" ] | Full -> [ "full" ]);
      (match p.p_limit with Some n -> [ "limit=" ^ number n ^ if p.p_counts then ":counts" else "" ] | None -> []);
      read_as p.p_as;
      operand_flush p.p_ftz; if_ p.p_infnan "infnan"; if_ p.p_nanzero "nanzero"; if_ p.p_infzero "infzero" ]
  | GroupLeaf g ->
    "g" ^ which g.g_which ^ bracketed [ [ "G=" ^ number g.g_size ]; unless Emin g.g_empty (fun z -> "empty=" ^ zero z) ]
  | CLeaf c ->
    "c" ^ bracketed [ read_as c.c_as; operand_flush c.c_ftz ]
  | RoundNode (r, child) -> round r child
  | FuseNode (u, children) -> fuse u children

and round r child =
  let ftz = match r.r_ftz with
    | NoFlush -> [] | FlushResult -> [ "ftz=result" ] | FlushAfter -> [ "ftz=after" ] | FlushBefore -> [ "ftz=before" ] in
  "round" ^
  bracketed [
    [ format_name r.r_format; mode r.r_mode ];
    (match r.r_overflow with OverflowIeee -> [] | OverflowInf -> [ "overflow=inf" ] | OverflowMax -> [ "overflow=max" ]);
    List.map (fun t -> if r.r_ftz_pos then t ^ ":pos" else t) ftz;
    if_ r.r_zsign_pos "zsign=pos"; if_ r.r_usign_pos "usign=pos" ] ^
  "(" ^ node child ^ ")"

(* The brackets of a fuse have the alignment of its first child and the zero exponent of its first leaf; a child has what
   differs. *)
and fuse u children =
  let first = snd (List.hd children) in
  let leaf_zero = match List.find_opt (fun (n, _) -> is_leaf n) children with Some (_, a) -> a.ch_zero | None -> Ignore in
  let child (n, a) =
    let usual_zero = if is_leaf n then leaf_zero else Emin in
    let own = bracketed [
        unless first.ch_F a.ch_F bits; unless first.ch_mode a.ch_mode mode;
        unless usual_zero a.ch_zero (fun z -> "zero=" ^ zero z); given "drop=" a.ch_drop;
        unless Big.zero a.ch_less (fun n -> "less=" ^ number n);
        (match a.ch_scaled with ByNone -> [] | ByBoth -> [ "scaled" ] | ByA -> [ "scaled=a" ] | ByB -> [ "scaled=b" ]) ] in
    node n ^ if own = "" then "" else " @" ^ own in
  "fuse" ^
  bracketed [
    [ bits first.ch_F ]; if_ (first.ch_F <> None || first.ch_mode <> Rz) (mode first.ch_mode);
    unless Ignore leaf_zero (fun z -> "zero=" ^ zero z);
    given "floor=" u.u_floor; given "carry=" u.u_carry; if_ u.u_sticky "sticky"; if_ u.u_plus "plus";
    (match u.u_frame with
     | NoFrame -> [] | FrameC -> [ "frame=c" ] | FrameCOrPlus -> [ "frame=c_or_plus" ] | FrameNonzeroC -> [ "frame=nonzero_c" ]);
    (match u.u_opposed with AllOpposed -> [] | NonzeroOpposed -> [ "opposed=nonzero" ] | KeptOpposed -> [ "opposed=kept" ]);
    given "step=" u.u_step; unless Big.zero u.u_phase (fun n -> "phase=" ^ number n) ] ^
  "(" ^ String.concat ", " (List.map child children) ^ ")"

let of_unit u =
  let nan = match u.unit_nan with
    | NanAny -> "any" | NanX86 -> "x86" | NanRdna -> "rdna" | NanPattern bits -> Vector.hex u.unit_d bits in
  let formats =
    format_name u.unit_a ^ "*" ^ format_name u.unit_b ^ (match u.unit_c with Some c -> "+" ^ format_name c | None -> "") ^
    "->" ^ format_name u.unit_d in
  let settings = List.concat [
      [ "K=" ^ number u.unit_K; "L=" ^ number u.unit_L ];
      (match u.unit_scales with Some (f, n) -> [ "scale=" ^ format_name f ^ "/" ^ number n ] | None -> []);
      unless Big.zero u.unit_interleave (fun n -> "interleave=" ^ number n); if_ u.unit_c_last "c=last"; [ "nan=" ^ nan ] ] in
  String.concat " " (formats :: settings) ^ " : " ^ round u.unit_root u.unit_tree
