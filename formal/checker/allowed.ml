(* What docs/notation.md allows of a unit: its Limits, and what goes together. The definition gives some result for other
   units as well, and a theorem may hold of them, but the program has none: a claim about them is refused. Not verified, and
   shares nothing with the C++. *)
module Big = Z (* Zarith: the definition has a Z of its own *)
open Definition

let wrong what = raise (Reader.Wrong ("a unit: " ^ what))
let require condition what = if not condition then wrong what
let between what low high n = require (low <= n && n <= high) (Printf.sprintf "%s=%d is not between %d and %d" what n low high)
let optionally what low high = Option.iter (fun n -> between what low high (Big.to_int n))
let exponent what = function At n -> between what (-2500) 2500 (Big.to_int n) | Ignore | Emin -> ()

let has_nan f = match f.kind_of with Ieee | Fn | Fnuz | Inuz -> true | AllFinite | Fixed -> false
let is_fixed f = f.kind_of = Fixed
let carries_operands u = match u.unit_nan with NanX86 | NanRdna -> true | NanAny | NanPattern _ -> false
let int_of f = Big.to_int f.e_bits, Big.to_int f.m_bits
let least f = (if f.has_zero then 1 else 0) - Big.to_int f.bias (* the exponent emin *)
let largest f = (* the exponent emax *)
  let e, m = int_of f in
  let top = (1 lsl e) - 1 - Big.to_int f.bias in
  if f.kind_of = Ieee || (f.kind_of = Fn && m = 0) then top - 1 else top
let significand f = snd (int_of f) + if is_fixed f then 2 else 1 (* bits *)

let scales = [ "e8m0"; "ue4m3"; "ue5m3" ]
let formats u =
  let operand f =
    require (not (List.mem (Line.format_name f) ("e8m13" :: scales))) (Line.format_name f ^ " is no format of operands") in
  List.iter operand (u.unit_a :: u.unit_b :: u.unit_d :: Option.to_list u.unit_c);
  Option.iter (fun (f, n) ->
      require (List.mem (Line.format_name f) scales) "scales are e8m0, ue4m3 or ue5m3";
      between "the scale block" 1 (1 lsl 20) (Big.to_int n)) u.unit_scales;
  (match u.unit_nan with
   | NanPattern bits ->
     let is_nan = match read u.unit_d bits with NaN _ -> true | _ -> false in
     require (has_nan u.unit_d && Big.sign bits >= 0 && Big.numbits bits <= Big.to_int u.unit_d.width && is_nan)
       "the pattern of nan= is no NaN of d"
   | _ -> ());
  require (not (carries_operands u) || u.unit_d.kind_of = Ieee) "nan= needs a d with IEEE's NaN"

let blocks u =
  let k = Big.to_int u.unit_K and l = Big.to_int u.unit_L and n = Big.to_int u.unit_interleave in
  between "K" 1 (1 lsl 20) k;
  between "L" 1 4096 l;
  require (k mod l = 0) "L does not divide K";
  if n <> 0 then begin
    between "interleave" 1 l n;
    require (l mod n = 0 && k / l mod 2 = 0) "interleave= has to divide L, and K to be a multiple of 2L"
  end;
  require (not u.unit_c_last || u.unit_c <> None) "c=last, but there is no c"

(* The tree of a unit: each element of the block is in one leaf, and c in one at most. *)
let tree u =
  let l = Big.to_int u.unit_L and several = Big.gt u.unit_K u.unit_L in
  let used = Array.make l false and accumulators = ref 0 in
  let mark which size =
    let count = l / size in
    let first, step = match which with
      | All -> 0, 1 | Nth n -> Big.to_int n, count | Every (first, step) -> Big.to_int first, Big.to_int step in
    require (first >= 0 && step >= 1 && first < count) "the tree names an element that the block does not have";
    let rec from i seen =
      if i >= count then seen
      else begin
        for k = i * size to (i + 1) * size - 1 do
          require (not used.(k)) "an element is in the tree twice";
          used.(k) <- true
        done;
        from (i + step) (seen + 1)
      end in
    from first 0 in
  let flushes ftz f or_f = require (ftz = KeepSubnormals || not (is_fixed f && is_fixed or_f)) "ftz of fixed point, which has no subnormals" in
  let group g =
    let size = Big.to_int g.g_size in
    between "G" 1 l size;
    exponent "empty" g.g_empty;
    let divides n = n mod size = 0 in
    require (divides l && Option.fold ~none:true ~some:(fun (_, n) -> divides (Big.to_int n)) u.unit_scales)
      "G has to divide L and the scale block";
    require (Big.sign u.unit_interleave = 0) "groups and interleave= do not go together";
    let range f = significand f + largest f - least f and a = u.unit_a and b = u.unit_b in
    let scales = Option.fold ~none:0 ~some:(fun (f, _) -> 2 * significand f) u.unit_scales in
    require (fst (int_of a) <= 5 && fst (int_of b) <= 5 && significand a + significand b <= 64 &&
             range a + range b + scales + Big.numbits g.g_size <= 126) "groups need narrower operands";
    mark g.g_which size in
  let read_as wide what formats =
    let holds f =
      snd (int_of wide) >= snd (int_of f) && least wide - snd (int_of wide) <= least f - snd (int_of f) &&
      largest wide >= largest f + significand f - snd (int_of f) - 1 && least wide <= least f in
    require (not (is_fixed wide) && wide.has_zero && wide.has_sign && List.for_all holds formats)
      ("as= needs a format that holds every " ^ what) in
  let product p =
    flushes p.p_ftz u.unit_a u.unit_b;
    optionally "limit" (-2500) 2500 p.p_limit;
    Option.iter (fun wide ->
        require (not (is_fixed u.unit_a || is_fixed u.unit_b)) "as= of operands in fixed point, whose exponents are not read";
        read_as wide "operand" [ u.unit_a; u.unit_b ]) p.p_as;
    mark p.p_which 1 in
  let accumulator c =
    incr accumulators;
    let from = match u.unit_c with Some f when not u.unit_c_last -> f | _ -> u.unit_d in
    flushes c.c_ftz from (if several then u.unit_d else from);
    Option.iter (fun wide -> read_as wide "c" (if several then [ from; u.unit_d ] else [ from ])) c.c_as in
  let round r =
    if is_fixed r.r_format then require (r.r_ftz = NoFlush) "ftz of fixed point, which has no subnormals"
    else require (r.r_format.has_sign && has_nan r.r_format) "a round is to a format with a sign and NaN";
    require (not (carries_operands u) || r.r_format.kind_of = Ieee) "nan= needs rounds to formats with IEEE's NaN" in
  let fuse f children =
    let aligned = List.for_all (fun (_, a) -> a.ch_F <> None) children in
    List.iter (fun (_, a) ->
        optionally "F" 0 64 a.ch_F;
        exponent "zero" a.ch_zero;
        optionally "drop" 0 2500 a.ch_drop;
        between "less" 0 63 (Big.to_int a.ch_less)) children;
    optionally "floor" (-2500) 2500 f.u_floor;
    optionally "carry" 0 64 f.u_carry;
    optionally "step" 2 64 f.u_step;
    require (f.u_carry = None || (aligned && not f.u_sticky)) "carry= needs aligned children, and no sticky";
    require (not f.u_sticky || aligned) "sticky needs aligned children";
    let with_c = List.exists (function CLeaf _, _ -> true | _ -> false) children in
    let plain = List.for_all (fun (n, a) -> a.ch_drop = None && match n with CLeaf _ | ProductLeaf _ -> true | _ -> false) children in
    require (f.u_frame = NoFrame || (with_c && plain && aligned && not f.u_sticky)) "frame= needs c and products, aligned, and no drop= or sticky";
    require (f.u_opposed = AllOpposed || f.u_frame <> NoFrame) "opposed= needs frame=";
    let step = Option.fold ~none:1 ~some:Big.to_int f.u_step in
    require (step land (step - 1) = 0) "step= is no power of two";
    between "phase" 0 (step - 1) (Big.to_int f.u_phase) in
  (* How many numbers the node stands for. *)
  let rec node depth n =
    require (depth <= 700) "the tree has more than 700 levels";
    match n with
    | ProductLeaf p -> product p
    | GroupLeaf g -> group g
    | CLeaf c -> accumulator c; 1
    | RoundNode (r, child) -> round r; require (node (depth + 1) child = 1) "a round takes one number"; 1
    | FuseNode (f, children) ->
      require (List.length children <= 4096) "a fuse has more than 4096 children";
      fuse f children;
      List.iter (fun (child, _) -> ignore (node (depth + 1) child)) children;
      1 in
  ignore (node 0 (RoundNode (u.unit_root, u.unit_tree)));
  require (Array.for_all Fun.id used) "an element of the block is nowhere in the tree";
  require (!accumulators <= 1) "c is in the tree twice";
  require (!accumulators = 1 || (u.unit_c = None && not several)) "c is nowhere in the tree"

(* Scales of rounded sums: what is rounded has one scale of a and one of b, and each product is multiplied once by each. *)
let scaled_sums u =
  let l = Big.to_int u.unit_L in
  let by_a = Array.make l 0 and by_b = Array.make l 0 in
  let rec with_c = function
    | CLeaf _ -> true | ProductLeaf _ | GroupLeaf _ -> false
    | RoundNode (_, n) -> with_c n | FuseNode (_, children) -> List.exists (fun (n, _) -> with_c n) children in
  let child (n, a) =
    if a.ch_scaled <> ByNone then begin
      require (u.unit_nan <> NanRdna) "nan=rdna does not say which NaN a scale makes of a rounded sum";
      require (match n with RoundNode _ -> true | _ -> false) "scaled is behind what is no round";
      require (not (with_c n)) "c is below scaled";
      let size = match u.unit_scales with Some (_, size) -> size | None -> wrong "scaled, but there are no scales" in
      let elements = elements_below u.unit_L n in
      for block = 0 to Big.to_int u.unit_K / l - 1 do
        let scale k = Big.div (element u (Big.of_int block) k) size in
        require (List.for_all (fun k -> Big.equal (scale k) (scale (List.hd elements))) elements)
          "the elements of a sum that is scaled have different scales"
      done;
      let count by = List.iter (fun k -> let k = Big.to_int k in by.(k) <- by.(k) + 1) elements in
      if a.ch_scaled <> ByB then count by_a;
      if a.ch_scaled <> ByA then count by_b
    end in
  let rec node = function
    | FuseNode (_, children) -> List.iter child children; List.iter (fun (n, _) -> node n) children
    | RoundNode (_, n) -> node n
    | ProductLeaf _ | GroupLeaf _ | CLeaf _ -> () in
  node u.unit_tree;
  if has_scaled_sums u.unit_tree then
    require (Array.for_all ((=) 1) by_a && Array.for_all ((=) 1) by_b) "a product is not multiplied once by each of its scales"

(* The root is rounded to d's format, or to one whose patterns are patterns of it. *)
let root u =
  let d = u.unit_d and r = u.unit_root.r_format in
  let fields f = f.width, f.e_bits, f.bias, f.kind_of, f.has_sign, Big.add f.m_bits f.padding in
  require (fields d = fields r && Big.geq d.m_bits r.m_bits) "the root is not rounded to the format of d"

let unit u = formats u; blocks u; tree u; scaled_sums u; root u
