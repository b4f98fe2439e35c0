(* The notation as text (docs/notation.md, Grammar) to the tree of the definition. Not verified, and written from the
   page: it shares nothing with the reader of discern. It reads right lines; what is refused it need not refuse. *)
module Big = Z (* Zarith: the definition has a Z of its own *)
open Definition

exception Wrong of string

let z = Big_int_Z.big_int_of_int

let format_of_name name =
  let fail () = raise (Wrong ("there is no format '" ^ name ^ "'")) in
  match List.assoc_opt name names with
  | Some f -> f
  | None ->
    let as_written spelled f = if spelled = name then f else fail () in (* %u reads zeros before a number, and more *)
    try Scanf.sscanf name "fix%u.%u%!" (fun w f -> as_written (Printf.sprintf "fix%d.%d" w f) (fixed_point (z w) (z f)))
    with Scanf.Scan_failure _ | End_of_file | Failure _ ->
    try Scanf.sscanf name "e%um%u%s%!" (fun e m suffix ->
        let kind = match suffix with
          | "" | "ieee" -> Ieee | "fn" -> Fn | "fnuz" -> Fnuz | "inuz" -> Inuz | "f" -> AllFinite | _ -> fail () in
        as_written (Printf.sprintf "e%dm%d%s" e m suffix) (by_fields (z e) (z m) kind))
    with Scanf.Scan_failure _ | End_of_file | Failure _ -> fail ()

let digits f = (Big_int_Z.int_of_big_int f.width + 3) / 4

let parse (s : string) : unit0 =
  let n = String.length s in
  let at = ref 0 in
  let wrong what = raise (Wrong (Printf.sprintf "notation, column %d: %s is expected" (!at + 1) what)) in
  let rec peek () =
    if !at >= n then '\000'
    else match s.[!at] with ' ' | '\t' | '\n' | '\011' | '\012' | '\r' -> incr at; peek () | c -> c in
  let accept c = peek () = c && (incr at; true) in
  let expect c = if not (accept c) then wrong (Printf.sprintf "'%c'" c) in
  let is_letter = function 'a' .. 'z' | 'A' .. 'Z' | '0' .. '9' | '_' -> true | _ -> false in
  let word () =
    ignore (peek ());
    let start = !at in
    while !at < n && is_letter s.[!at] do incr at done;
    String.sub s start (!at - start) in
  let integer () =
    let sign = if accept '-' then -1 else 1 in
    let w = word () in
    match int_of_string_opt w with
    | Some i when w <> "" && String.length w <= 7 && String.for_all (fun c -> c >= '0' && c <= '9') w -> z (sign * i)
    | _ -> wrong "a whole number" in
  let value () = expect '='; integer () in
  let choice l = let w = word () in match List.assoc_opt w l with Some v -> v | None -> wrong "one of its words" in
  let chosen l = expect '='; choice l in
  let format_here () =
    let w = word () in
    let name = if !at < n && s.[!at] = '.' then (incr at; w ^ "." ^ word ()) else w in
    format_of_name name in
  let mode_names = [ "rz", Rz; "rd", Rd; "ru", Ru; "rne", Rne; "rna", Rna; "odd", Odd;
    "ra", Ra; "rnu", Rnu; "rnd", Rn_d; "rnz", Rnz; "rno", Rno ] in
  let zero_exponent () =
    expect '=';
    if peek () = '-' || (peek () >= '0' && peek () <= '9') then At (integer ())
    else choice [ "ignore", Ignore; "emin", Emin ] in
  (* attributes up to ']': each given to the function *)
  let attributes set = while not (accept ']') do set (word ()) done in
  let leaf_ftz () =
    if accept '=' then choice [ "keep", FlushKeep; "pos", FlushPos; "plus", FlushPlus ] else FlushKeep in
  (* a word that stands alone, or before "=yes" *)
  let yes () = not (accept '=') || choice [ "yes", true ] in
  let selection () =
    if accept '*' then All
    else if accept '(' then begin
      let first = integer () in
      expect ':'; expect ':';
      let step = integer () in
      expect ')'; Every (first, step)
    end
    else Nth (integer ()) in
  (* align | zero=; whether it was one of them *)
  let child_attribute (c : child_attr ref) key =
    match key with
    | "exact" -> c := { !c with ch_F = None }; true
    | "F" -> c := { !c with ch_F = Some (value ()) }; true
    | "zero" -> c := { !c with ch_zero = zero_exponent () }; true
    | _ when List.mem_assoc key mode_names -> c := { !c with ch_mode = List.assoc key mode_names }; true
    | _ -> false in
  let rec node () =
    ignore (peek ());
    let start = !at in
    match word () with
    | "fuse" -> fuse ()
    | "round" -> let r, child = round () in RoundNode (r, child)
    | "c" ->
      let c = ref { c_as = None; c_ftz = KeepSubnormals } in
      if accept '[' then attributes (function
          | "as" -> expect '='; c := { !c with c_as = Some (format_here ()) }
          | "ftz" -> c := { !c with c_ftz = leaf_ftz () }
          | _ -> wrong "an attribute of c");
      CLeaf !c
    | w when w <> "" && w.[0] = 'p' -> at := start + 1; product (selection ())
    | w when w <> "" && w.[0] = 'g' -> at := start + 1; group (selection ())
    | _ -> wrong "a node"
  and product which =
    let p = ref { p_which = which; p_normalisation = Raw; p_limit = None; p_counts = false; p_as = None;
                  p_ftz = KeepSubnormals; p_infnan = false; p_nanzero = false; p_infzero = false } in
    if accept '[' then attributes (function
        | "carry" -> p := { !p with p_normalisation = Carry }
        | "full" -> p := { !p with p_normalisation = Full }
        | "raw" -> p := { !p with p_normalisation = Raw }
        | "limit" ->
          p := { !p with p_limit = Some (value ()) };
          if accept ':' then p := { !p with p_counts = choice [ "counts", true ] }
        | "as" -> expect '='; p := { !p with p_as = Some (format_here ()) }
        | "ftz" -> p := { !p with p_ftz = leaf_ftz () }
        | "infnan" -> p := { !p with p_infnan = yes () }
        | "nanzero" -> p := { !p with p_nanzero = yes () }
        | "infzero" -> p := { !p with p_infzero = yes () }
        | _ -> wrong "an attribute of products");
    ProductLeaf !p
  and group which =
    expect '[';
    if word () <> "G" then wrong "G=";
    let g = ref { g_which = which; g_size = value (); g_empty = Emin } in
    attributes (function
        | "empty" -> g := { !g with g_empty = zero_exponent () }
        | _ -> wrong "an attribute of groups");
    GroupLeaf !g
  and fuse () =
    let u = ref { u_floor = None; u_carry = None; u_sticky = false; u_plus = false; u_frame = NoFrame;
                  u_opposed = AllOpposed; u_step = None; u_phase = z 0 } in
    let model = ref { ch_F = None; ch_mode = Rz; ch_zero = Ignore; ch_drop = None; ch_less = z 0; ch_scaled = ByNone } in
    if accept '[' then attributes (fun key ->
        if not (child_attribute model key) then
          match key with
          | "floor" -> u := { !u with u_floor = Some (value ()) }
          | "carry" -> u := { !u with u_carry = Some (value ()) }
          | "sticky" -> u := { !u with u_sticky = yes () }
          | "plus" -> u := { !u with u_plus = yes () }
          | "frame" ->
            u := { !u with u_frame = chosen [ "none", NoFrame; "c", FrameC; "c_or_plus", FrameCOrPlus; "nonzero_c", FrameNonzeroC ] }
          | "opposed" ->
            u := { !u with u_opposed = chosen [ "all", AllOpposed; "nonzero", NonzeroOpposed; "kept", KeptOpposed ] }
          | "step" -> u := { !u with u_step = Some (value ()) }
          | "phase" -> u := { !u with u_phase = value () }
          | _ -> wrong "an attribute of a fuse");
    expect '(';
    let rec children acc =
      let child = node () in
      let a = ref !model in
      (match child with FuseNode _ | RoundNode _ -> a := { !a with ch_zero = Emin } | _ -> ());
      if accept '@' then begin
        expect '[';
        attributes (fun key ->
            if not (child_attribute a key) then
              match key with
              | "drop" -> a := { !a with ch_drop = Some (value ()) }
              | "less" -> a := { !a with ch_less = value () }
              | "scaled" ->
                a := { !a with ch_scaled = if accept '=' then choice [ "yes", ByBoth; "a", ByA; "b", ByB ] else ByBoth }
              | _ -> wrong "an attribute of a child")
      end;
      let acc = (child, !a) :: acc in
      if accept ',' then children acc else (expect ')'; List.rev acc) in
    let l = children [] in
    FuseNode (!u, l)
  and round () =
    expect '[';
    let format = format_here () in
    let mode = choice mode_names in
    let r = ref { r_format = format; r_mode = mode; r_overflow = OverflowIeee; r_ftz = NoFlush; r_ftz_pos = false;
                  r_zsign_pos = false; r_usign_pos = false } in
    attributes (function
        | "overflow" ->
          r := { !r with r_overflow = chosen [ "inf", OverflowInf; "max", OverflowMax; "ieee", OverflowIeee ] }
        | "ftz" ->
          let ftz = chosen [ "none", NoFlush; "result", FlushResult; "after", FlushAfter; "before", FlushBefore ] in
          r := { !r with r_ftz = ftz; r_ftz_pos = accept ':' && choice [ "pos", true; "keep", false ] }
        | "zsign" -> r := { !r with r_zsign_pos = chosen [ "pos", true; "ieee", false ] }
        | "usign" -> r := { !r with r_usign_pos = chosen [ "pos", true; "keep", false ] }
        | _ -> wrong "an attribute of a round");
    expect '(';
    let child = node () in
    expect ')';
    (!r, child) in
  let a = format_here () in
  expect '*';
  let b = format_here () in
  let c = if accept '+' then Some (format_here ()) else None in
  expect '-'; expect '>';
  let d = format_here () in
  let k = ref None and l = ref None and scales = ref None and interleave = ref (z 0) in
  let last = ref false and nan = ref NanAny in
  while not (accept ':') do
    match word () with
    | "K" -> k := Some (value ())
    | "L" -> l := Some (value ())
    | "scale" ->
      expect '=';
      let f = format_here () in
      expect '/';
      scales := Some (f, integer ())
    | "interleave" -> interleave := value ()
    | "c" -> last := chosen [ "last", true ]
    | "nan" ->
      expect '=';
      (match word () with
       | "any" -> nan := NanAny
       | "x86" -> nan := NanX86
       | "rdna" -> nan := NanRdna
       | w ->
         let is_digit = function '0' .. '9' | 'a' .. 'f' | 'A' .. 'F' -> true | _ -> false in
         if String.length w <> digits d || not (String.for_all is_digit w) then wrong "any, x86, rdna or a pattern of d";
         nan := NanPattern (Big.of_string_base 16 w))
    | _ -> wrong "K=, L=, scale=, interleave=, c=last, nan= or ':'"
  done;
  let k = match !k with Some k -> k | None -> wrong "K=" in
  match node () with
  | RoundNode (root, tree) ->
    if peek () <> '\000' then wrong "the end of the line";
    { unit_a = a; unit_b = b; unit_c = c; unit_d = d; unit_scales = !scales; unit_K = k;
      unit_L = (match !l with Some l -> l | None -> k); unit_interleave = !interleave; unit_c_last = !last;
      unit_nan = !nan; unit_root = root; unit_tree = tree }
  | _ -> wrong "a round"
