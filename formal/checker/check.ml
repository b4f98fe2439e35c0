(* discern-check-verified: checks a certificate (docs/certificates.md) with the functions that Rocq makes of Claim.v and
   Lrat.v. Verified are the circuit's meaning, its clauses, and each step of the proof; not verified is this file: reading
   claim.json, the notation (reader.ml) and the text of the proof, and the loop over its steps. What it reads wrongly can
   make it refuse, or speak of other units than the claim; it prints the units that it read. *)
module Big = Z (* Zarith: the definition has a Z of its own *)
open Definition

exception Refused of string
exception Not_covered of string

let refuse text = raise (Refused text)
let not_covered text = raise (Not_covered text)
let z = Big.of_int

let contents path =
  let channel = try open_in_bin path with Sys_error e -> refuse e in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () -> really_input_string channel (in_channel_length channel))

let member key object_ =
  match Json.member key object_ with Some x -> x | None -> refuse ("claim.json: '" ^ key ^ "' is missing")
let text key object_ = match member key object_ with Json.Text t -> t | _ -> refuse ("claim.json: '" ^ key ^ "' is no text")
let list key object_ = match member key object_ with Json.List l -> l | _ -> refuse ("claim.json: '" ^ key ^ "' is no list")
let flag key object_ =
  match member key object_ with
  | Json.Word "true" -> true
  | Json.Word "false" -> false
  | _ -> refuse ("claim.json: '" ^ key ^ "' is neither true nor false")
let texts key object_ =
  List.map (function Json.Text t -> t | _ -> refuse ("claim.json: '" ^ key ^ "' is no list of texts")) (list key object_)

let limits claim =
  let l = member "limits" claim in
  if list "ranges" l <> [] || list "numbers" l <> [] then not_covered "limits of the inputs by range or by number";
  { l_finite = flag "finite" l; l_no_subnormals = flag "no_subnormals" l }

let inputs_of = function
  | And (x, y) | Xor (x, y) -> [ x; y ]
  | Mux (x, y, w) | Majority (x, y, w) -> [ x; y; w ]

(* The nodes of a circuit as the formula numbers them: inputs and gates that a result needs. *)
type numbering = { original : int array; (* node of variable *) variable : int array (* of node; 0: none *) }

let numbering first (m : miter) (s : netlist) =
  let count = Big.to_int s.next in
  let used = Bytes.make count '\000' in
  let use (x : literal) = Bytes.set used (Big.to_int x.node_of) '\001' in
  List.iter (List.iter use) m.m_results;
  List.iter use m.m_same;
  use m.m_allowed;
  use m.m_different;
  List.iter (fun (n, g) -> if Bytes.get used (Big.to_int n) = '\001' then List.iter use (inputs_of g)) s.gates;
  let variable = Array.make count 0 and original = Array.make count 0 and last = ref 0 in
  for n = 1 to count - 1 do
    if n < first || Bytes.get used n = '\001' then begin
      incr last;
      variable.(n) <- !last;
      original.(!last) <- n
    end
  done;
  { original = Array.sub original 0 (!last + 1); variable }

(* The formula as the checker in C++ writes it. *)
let dimacs n (m : miter) (s : netlist) =
  let b = Buffer.create 1000000 and count = ref 0 in
  let clause c =
    incr count;
    List.iter (fun x ->
        let x = Big.to_int x in
        let v = n.variable.(abs x) in
        Buffer.add_string b (string_of_int (if x < 0 then -v else v));
        Buffer.add_char b ' ') c;
    Buffer.add_string b "0\n" in
  List.iter (fun (g, k) -> if n.variable.(Big.to_int g) <> 0 then List.iter clause (clauses_of g k)) (List.rev s.gates);
  List.iter clause (difference_clause m.m_different);
  Printf.sprintf "p cnf %d %d\n" (Array.length n.original - 1) !count ^ Buffer.contents b

(* ------------------------------------------------------------------------------------------------ proofs *)

(* Takes the steps of a proof, one line after the other. *)
let check_proof n next_variable state (proof : string) =
  let at = ref 0 and line = ref 0 and length = String.length proof in
  let fail what = refuse (Printf.sprintf "the proof, line %d: %s" !line what) in
  let most = Array.length n.original - 1 in
  let word () =
    while !at < length && proof.[!at] = ' ' do incr at done;
    let start = !at in
    while !at < length && proof.[!at] <> ' ' && proof.[!at] <> '\n' do incr at done;
    String.sub proof start (!at - start) in
  let number_of w =
    let size = String.length w in
    let sign = size > 1 && w.[0] = '-' in
    let x = ref 0 in
    if size = 0 || size > 15 then fail "a number is expected";
    for i = (if sign then 1 else 0) to size - 1 do
      match w.[i] with '0' .. '9' as c -> x := 10 * !x + Char.code c - 48 | _ -> fail "a number is expected"
    done;
    if sign then - !x else !x in
  let number () = number_of (word ()) in
  let node v = if v <= most then n.original.(v) else v - most - 1 + next_variable in
  let literal x = z (if x < 0 then - node (-x) else node x) in
  let input () = let x = number () in { negated = x < 0; node_of = z (node (abs x)) } in
  let rec until_zero f = match number () with 0 -> [] | x -> let y = f x in y :: until_zero f in
  let state = ref state in
  while not !state.refuted do
    incr line;
    if !at >= length then fail "the proof ends before the empty clause";
    let id = number () in
    let step = match word () with
      | "d" -> Delete (until_zero z)
      | "e" ->
        let name = word () in
        let v = z (node (number ())) in
        let k = match name with
          | "and" -> let x = input () in let y = input () in And (x, y)
          | "xor" -> let x = input () in let y = input () in Xor (x, y)
          | "ite" -> let x = input () in let y = input () in let w = input () in Mux (x, y, w)
          | "maj" -> let x = input () in let y = input () in let w = input () in Majority (x, y, w)
          | _ -> fail "there is no such gate" in
        if number () <> 0 then fail "0 is expected after the inputs of a gate";
        Define (z id, v, k)
      | w ->
        let added = match number_of w with 0 -> [] | x -> let first = literal x in first :: until_zero literal in
        let hints = until_zero z in
        Derive (z id, added, hints) in
    if !at >= length || proof.[!at] <> '\n' then fail "the end of the line is expected";
    incr at;
    match take !state step with Some next -> state := next | None -> fail "the step is wrong"
  done;
  if !at <> length then fail "there is text after the empty clause"

(* ------------------------------------------------------------------------------------------------ claims *)

(* An obligation: the proof that these units give the same results. *)
let obligation folder l needed o =
  let read = List.map Reader.parse (texts "units" o) in
  if read <> needed then refuse "an obligation is about other units than the claim needs";
  let first = Big.to_int (first_gate read) in
  let circuit = claim_circuit l read in
  let m, s = circuit in
  let n = numbering first m s in
  let keep x = n.variable.(Big.to_int x) <> 0 in
  let state = match start_of read circuit keep with Some s -> s | None -> refuse "the circuit is not in order" in
  let formula = text "formula" o in
  if dimacs n m s <> contents (Filename.concat folder formula) then
    refuse (formula ^ " is not the formula of these units");
  check_proof n (Big.to_int s.next) state (contents (Filename.concat folder (text "proof" o)))

(* Of each line of standard input, a unit: length and digest of the formula that says that it differs from itself. *)
let formulas () =
  let no_limits = { l_finite = false; l_no_subnormals = false } in
  try
    while true do
      let line = input_line stdin in
      let units = let u = Reader.parse line in [ u; u ] in
      let m, s = claim_circuit no_limits units in
      let n = numbering (Big.to_int (first_gate units)) m s in
      let text = dimacs n m s in
      let digest = ref 2166136261 in
      String.iter (fun c -> digest := (!digest lxor Char.code c) * 16777619 land 0xffffffff) text;
      Printf.printf "%d %d %s\n%!" (String.length text) !digest line
    done
  with End_of_file -> ()

(* Whether it is proved of all these units that their circuits compute what the definition says (covered of UnitCorrect.v);
   then the claim is one about the definition, by accepted_claim, accepted_units_evaluate or accepted_chain of Accepted.v. *)
let definition needed =
  if List.for_all (List.for_all covered) needed then "the definition gives the same results: proved"
  else "the circuits give the same results; that they compute what the definition says is not proved of each"

(* Of each line of standard input, a unit: whether the theorem covers it. *)
let coverage () =
  try
    while true do
      let line = input_line stdin in
      Printf.printf "%s %s\n" (if covered (Reader.parse line) then "covered" else "open") line
    done
  with End_of_file -> ()

let check folder =
  let claim = Json.parse (contents (Filename.concat folder "claim.json")) in
  if text "claim" claim <> "equivalent" then not_covered "a claim other than 'equivalent'";
  if flag "shared" claim then not_covered "a circuit of which gates are shared";
  (match Json.member "designs" claim with
   | None | Some (Json.List []) -> ()
   | Some _ -> not_covered "a claim about designs");
  let units = texts "units" claim in
  if List.length units < 2 then refuse "claim.json: 'units' has to be two lines or more";
  let read = List.map Reader.parse units and l = limits claim in
  let needed = match text "combination" claim with
    | "whole" -> [ read ]
    | "chain" ->
      (* chain_of_equal_blocks: the first block, and a later one with d as its accumulator *)
      if not (same_shapes read) then refuse "the units have different shapes";
      let first = List.hd read in
      if List.exists (fun u -> not (is_chain u && Big.equal u.unit_L first.unit_L)) read then
        refuse "the units cannot be compared block by block";
      if l.l_finite || l.l_no_subnormals then refuse "the units cannot be compared block by block: the inputs are limited";
      if List.exists (fun u -> match u.unit_nan with NanPattern _ -> false | _ -> true) read then
        not_covered "a chain of blocks that does not say which NaN it gives";
      let blocks later = List.map (fun u -> block_of u later) read in
      if blocks false = blocks true then [ blocks true ] else [ blocks false; blocks true ]
    | _ -> refuse "claim.json: 'combination' has to be whole or chain" in
  let obligations = list "obligations" claim in
  if List.length obligations <> List.length needed then
    refuse (Printf.sprintf "the claim needs %d obligations and has %d" (List.length needed) (List.length obligations));
  List.iter2 (obligation folder l) needed obligations;
  if list "assumed" claim <> [] then not_covered "a claim that assumes something";
  units @ [ definition needed ]

let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 20; space_overhead = 400 };
  match Array.to_list Sys.argv with
  | [ _; "--formulas" ] -> formulas ()
  | [ _; "--covered" ] -> coverage ()
  | [ _; folder ] when folder <> "--help" ->
    if not (Sys.file_exists folder && Sys.is_directory folder) then begin
      prerr_endline ("discern-check-verified: there is no folder " ^ folder);
      exit 2
    end;
    let answer, status =
      try "accepted: equivalent\n" ^ String.concat "\n" (check folder), 0 with
      | Refused why -> "refused: " ^ why, 1
      | Json.Wrong e | Reader.Wrong e | Failure e | Invalid_argument e -> "refused: " ^ e, 1
      | Not_covered what -> "no answer: the verified checker does not cover " ^ what, 4 in
    print_endline answer;
    exit status
  | _ ->
    prerr_endline "usage: discern-check-verified DIR | --covered\n\
      Checks the certificate in a folder with functions that are proved right. Exit status: 0 accepted, 1 refused,\n\
      4 the claim is of a kind that is not covered, 2 trouble.\n\
      --covered says of each line of standard input, a unit, whether its circuit is proved to compute the definition.";
    exit 2
