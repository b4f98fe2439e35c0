(* discern-check-verified: checks a certificate (docs/certificates.md) with the functions that Rocq makes of Claim.v and
   Lrat.v. Verified are the circuit's meaning, its clauses, and each step of the proof. Not verified are this file, which
   decides of which units, limits and combination the theorems speak, and what reads the folder: claim.json, the notation and
   the text of the proof. So it prints all that it proved, from what it has read and not from the text: the units, the limits
   of the inputs, what counts as the same, and how the proofs imply the claim. *)
module Big = Z (* Zarith: the definition has a Z of its own *)
open Definition

exception Not_covered of string

let refuse = Files.refuse
let not_covered text = raise (Not_covered text)

(* ------------------------------------------------------------------------------------------------ claim.json *)

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
  let finite = flag "finite" l and no_subnormals = flag "no_subnormals" l in
  if list "ranges" l <> [] || list "numbers" l <> [] then not_covered "limits of the inputs by range or by number";
  { l_finite = finite; l_no_subnormals = no_subnormals }

(* The unit of a line, which has to be as units are printed: there is one line for each unit. *)
let unit_of line =
  let unit = Reader.parse line in
  Allowed.unit unit;
  let printed = Line.of_unit unit in
  if printed <> line then refuse ("the line of a unit is not as it is printed: " ^ printed);
  unit
let units_of object_ = List.map unit_of (texts "units" object_)

(* A folder with its claim, and the names of its files: every file is the one whose digest the claim has. *)
type certificate = { folder : string; claim : Json.t; names : string list }

let certificate folder =
  let path name = Filename.concat folder name in
  let said = Files.contents (path "claim.json") Files.most_of_claim in
  let digest = Files.digest (path "claim.json") Files.most_of_claim in
  if Files.contents (path "claim.sha256") Files.most_of_claim <> digest ^ "  claim.json\n" then
    refuse "claim.json is not the file whose digest is in claim.sha256";
  let claim = Json.parse said in
  if member "discern-certificate" claim <> Json.Word "1" then refuse "claim.json: only certificates of version 1 are known";
  let files = match member "files" claim with Json.Object l -> l | _ -> refuse "claim.json: 'files' is no object" in
  List.iter (fun (name, expected) ->
      if expected <> Json.Text (Files.digest (path (Files.plain name)) Files.most_of_file) then
        refuse (name ^ " is not the file whose digest is in the claim")) files;
  { folder; claim; names = List.map fst files }

let path certificate name =
  if not (List.mem (Files.plain name) certificate.names) then refuse ("claim.json names " ^ name ^ " without its digest");
  Filename.concat certificate.folder name
let file certificate name = Files.contents (path certificate name) Files.most_of_file

(* ------------------------------------------------------------------------------------------------ what is proved *)

(* An obligation: the proof that these units give the same results. That the circuit in AIGER, which is for other programs,
   is that of the formula is not looked at. *)
let obligation certificate l needed o =
  ignore (text "name" o);
  if units_of o <> needed then refuse "an obligation is about other units than the claim needs";
  ignore (path certificate (text "circuit" o));
  let first = Big.to_int (first_gate needed) in
  let circuit = claim_circuit l needed in
  let m, s = circuit in
  let n = Formula.numbering first m s in
  let keep x = n.variable.(Big.to_int x) <> 0 in
  let state = match start_of needed circuit keep with Some s -> s | None -> refuse "the circuit is not in order" in
  let formula = text "formula" o in
  if Formula.dimacs n m s <> file certificate formula then refuse (formula ^ " is not the formula of these units");
  Proof.check n (Big.to_int s.next) state (file certificate (text "proof" o))

(* The vectors have the results of all units, as the definition gives them. *)
let check_vectors certificate units =
  let parse where line = try Json.parse line with Json.Wrong e -> refuse (where ^ ": " ^ e) in
  let vector where line =
    let x = parse where line in
    List.iter (fun key -> match Json.member key x with
        | None | Some (Json.List _) -> ()
        | Some _ -> refuse (where ^ ": '" ^ key ^ "' is no list")) [ "a"; "b"; "sa"; "sb" ];
    let result u = Vector.hex u.unit_d (evaluate u (Vector.inputs u x)) in
    let right = try List.map result units with Failure e -> refuse (where ^ ": " ^ e) in
    if texts "d" x <> right then refuse (where ^ ": the definition gives other results") in
  match String.split_on_char '\n' (file certificate (text "vectors" certificate.claim)) with
  | [] -> ()
  | first :: rest ->
    if Json.member "discern" (parse "the first line of the vectors" first) <> Some (Json.Word "1") then
      refuse "the vectors have no header with \"discern\":1";
    let last = List.length rest - 1 in (* behind the end of the last line there is no other one *)
    List.iteri (fun i line -> if i < last || line <> "" then vector (Printf.sprintf "the vectors, line %d" (i + 2)) line) rest

(* The units of which each obligation has to be the proof, and how these imply the claim. *)
let needed claim units l =
  match text "combination" claim with
  | "whole" -> [ units ], "proved of the units as they stand"
  | "chain" ->
    (* chain_of_equal_blocks: the first block, and a later one with d as its accumulator *)
    let first = List.hd units in
    let comparable u = is_chain u && Big.equal u.unit_L first.unit_L && Big.gt u.unit_K u.unit_L in
    if not (List.for_all comparable units) then refuse "the units cannot be compared block by block";
    if l.l_finite || l.l_no_subnormals then refuse "the units cannot be compared block by block: the inputs are limited";
    if List.exists (fun u -> match u.unit_nan with NanPattern _ -> false | _ -> true) units then
      not_covered "a chain of blocks that does not say which NaN it gives";
    let blocks later = List.map (fun u -> block_of u later) units in
    if blocks false = blocks true then [ blocks true ], "proved of one block, with any accumulator"
    else [ blocks false; blocks true ], "proved of the first block, and of a later one with any accumulator"
  | _ -> refuse "claim.json: 'combination' has to be whole or chain"

(* What was proved, a line each; and whether it is about the definition: whether it is proved of all these units that their
   circuits compute what that says (covered of UnitCorrect.v). Then the claim is accepted_claim, accepted_units_evaluate or
   accepted_chain of Accepted.v. *)
type proved = { lines : string list; of_definition : bool }

let check folder =
  let certificate = certificate folder in
  let claim = certificate.claim in
  let l = limits claim and assumed = texts "assumed" claim in
  (match text "claim" claim with
   | "equivalent" -> ()
   | "different" | "classes" -> not_covered "a claim other than 'equivalent'"
   | _ -> refuse "claim.json: 'claim' has to be equivalent, different or classes");
  let units = units_of claim in
  if flag "shared" claim then not_covered "a circuit of which gates are shared";
  (match Json.member "designs" claim with
   | None | Some (Json.List []) -> ()
   | Some (Json.List _) -> not_covered "a claim about designs"
   | Some _ -> refuse "claim.json: 'designs' is no list");
  if List.length units < 2 then refuse "claim.json: 'units' has to be two lines or more";
  if not (same_shapes units) then refuse "the units have different shapes";
  let any = List.exists (fun u -> u.unit_nan = NanAny) units in
  (match Json.member "nan" claim with
   | None -> ()
   | Some said -> if said <> Json.Text (if any then "every NaN equals every other" else "bits") then refuse "claim.json: 'nan' is not what the units say");
  if assumed <> [] then not_covered "a claim that assumes something";
  check_vectors certificate units;
  let needed, how = needed claim units l in
  let obligations = list "obligations" claim in
  if List.length obligations <> List.length needed then
    refuse (Printf.sprintf "the claim needs %d obligations and has %d" (List.length needed) (List.length obligations));
  List.iter2 (obligation certificate l) needed obligations;
  let within = (if l.l_finite then [ "no NaN and no infinity" ] else []) @ if l.l_no_subnormals then [ "no subnormal number" ] else [] in
  let first = "accepted: equivalent" ^ if within = [] then "" else ", of inputs within these limits: " ^ String.concat "; " within in
  let same = if any then "the same bits, or, where one of two units has nan=any, NaN both" else "the same bits" in
  let of_definition = List.for_all (List.for_all covered) needed in
  let by =
    if of_definition then "the definition gives the same results: proved"
    else "the circuits give the same results; that they compute what the definition says is not proved of each" in
  { lines = (first :: List.map Line.of_unit units) @ [ same ^ ": " ^ how; by ]; of_definition }

(* ------------------------------------------------------------------------------------------------ the program *)

(* What a function gives for each line of standard input, a unit. Lines that cannot be read are said, and make the exit status 1. *)
let each_unit answer =
  let status = ref 0 in
  (try
     while true do
       let line = input_line stdin in
       match answer line (Reader.parse line) with
       | said -> print_endline said
       | exception (Reader.Wrong e | Failure e | Invalid_argument e) ->
         print_endline ("unreadable " ^ line);
         prerr_endline ("discern-check-verified: " ^ e ^ ": " ^ line);
         status := 1
     done
   with End_of_file -> ());
  exit !status

(* Length and digest of the formula that says that the unit differs from itself. *)
let formula line u =
  let units = [ u; u ] in
  let m, s = claim_circuit { l_finite = false; l_no_subnormals = false } units in
  let text = Formula.dimacs (Formula.numbering (Big.to_int (first_gate units)) m s) m s in
  let digest = ref 2166136261 in
  String.iter (fun c -> digest := (!digest lxor Char.code c) * 16777619 land 0xffffffff) text;
  Printf.sprintf "%d %d %s" (String.length text) !digest line

let coverage line u = (if covered u then "covered " else "open ") ^ line

(* The line as units are printed. *)
let printed _ u = Allowed.unit u; Line.of_unit u

let accepted = 0 and refused = 1 and trouble = 2 and of_circuits = 3 and no_answer = 4

let usage =
  "Usage: discern-check-verified DIR | --covered | --printed\n\
   Checks the certificate in a folder with functions that are proved right. Exit status: 0 accepted, and proved of what the\n\
   definition says; 3 accepted, and proved of the circuits, of which it is not proved that they compute the definition;\n\
   1 refused; 4 the claim is of a kind that is not covered; 2 trouble.\n\
   --covered says of each line of standard input, a unit, whether its circuit is proved to compute the definition,\n\
   --printed how it is printed."

let checked folder =
  match check folder with
  | proved -> String.concat "\n" proved.lines, if proved.of_definition then accepted else of_circuits
  | exception Not_covered what -> "no answer: the verified checker does not cover " ^ what, no_answer
  | exception Json.Wrong e -> "refused: claim.json, " ^ e, refused
  | exception (Files.Refused e | Reader.Wrong e | Failure e | Invalid_argument e) -> "refused: " ^ e, refused

let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 20; space_overhead = 400 };
  let fail e = prerr_endline ("discern-check-verified: " ^ e); exit trouble in
  match Array.to_list Sys.argv with
  | [ _; ("--help" | "-h") ] -> print_endline usage
  | [ _; "--formulas" ] -> each_unit formula
  | [ _; "--covered" ] -> each_unit coverage
  | [ _; "--printed" ] -> each_unit printed
  | [ _; folder ] ->
    if not (Sys.file_exists folder && Sys.is_directory folder) then fail ("there is no folder " ^ folder);
    (match checked folder with
     | answer, status -> print_endline answer; exit status
     | exception Out_of_memory -> fail "there is not enough memory for this claim"
     | exception Stack_overflow -> fail "the claim is nested too deep, or its circuit is too large")
  | _ -> prerr_endline usage; exit trouble
