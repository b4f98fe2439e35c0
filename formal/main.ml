(* formal/run: what the definition gives for files of vectors. Not verified: only [Definition], which is extracted, is.

   A file is JSON Lines as docs/vectors.md describes them, canonical or compact, with the unit as notation: in the
   header, or by --unit. A line with "unit" is a header, and a file may have several: each holds for the vectors below
   it. *)
module Big = Z (* Zarith: the definition has a Z of its own *)
open Definition

let trouble text = prerr_endline ("formal/run: " ^ text); exit 2

let usage = "usage: formal/run [--check [--first]] [--unit NOTATION] FILE|-\n\
  writes the vectors of FILE with d as the definition gives it; --check compares with the d of FILE instead: the last\n\
  line is 'checked N, mismatches M', and the exit status 1 if there is one; --first stops there"

let is_nan f bits = match read f bits with NaN _ -> true | _ -> false

let same u one other =
  Big.equal one other || (u.unit_nan = NanAny && is_nan u.unit_d one && is_nan u.unit_d other)

(* The line with d replaced, as it was otherwise. *)
let with_d line d =
  let rec text = function
    | Json.Text t -> Json.quoted t
    | Json.List l -> "[" ^ String.concat "," (List.map text l) ^ "]"
    | Json.Object l -> "{" ^ String.concat "," (List.map (fun (k, v) -> Json.quoted k ^ ":" ^ text v) l) ^ "}"
    | Json.Word w -> w in
  match line with
  | Json.Object l -> text (Json.Object (List.filter (fun (k, _) -> k <> "d") l @ [ "d", Json.Text d ]))
  | other -> text other

let () =
  let check = ref false and first = ref false and given = ref None and file = ref None in
  let rec arguments = function
    | "--check" :: rest -> check := true; arguments rest
    | "--first" :: rest -> first := true; arguments rest
    | "--unit" :: text :: rest -> given := Some text; arguments rest
    | ("--help" | "-h") :: _ -> print_endline usage; exit 0
    | name :: rest when !file = None && (name = "-" || name.[0] <> '-') -> file := Some name; arguments rest
    | [] -> ()
    | other :: _ -> trouble ("there is no option '" ^ other ^ "'\n" ^ usage) in
  arguments (List.tl (Array.to_list Sys.argv));
  let name = match !file with Some f -> f | None -> trouble usage in
  let channel = if name = "-" then stdin else try open_in_bin name with Sys_error e -> trouble e in
  let number = ref 0 in
  let unit_of text = Reader.parse text in
  let current = ref None in
  let checked = ref 0 and mismatches = ref 0 and units = ref 0 in
  let header line =
    let text = match !given, Json.member "unit" line with
      | Some text, _ | None, Some (Json.Text text) -> text
      | _ -> failwith "the header does not say the unit; --unit does" in
    incr units;
    current := Some (text, unit_of text) in
  let vector raw line =
    let text, u = match !current with Some u -> u | None -> failwith "a vector comes before the header" in
    let d = evaluate u (Vector.inputs u line) in
    if not !check then print_endline (with_d line (Vector.hex u.unit_d d))
    else match Json.member "d" line with
      | Some (Json.Text expected) ->
        incr checked;
        if not (same u d (Vector.pattern u.unit_d expected)) then begin
          incr mismatches;
          if !mismatches <= 10 then
            Printf.printf "line %d: the definition gives %s for\n%s\nof %s\n" !number (Vector.hex u.unit_d d) raw text;
          if !first then raise End_of_file
        end
      | _ -> if Json.member "error" line = None then failwith "d is missing" in
  (try
     while true do
       let raw = input_line channel in
       incr number;
       if raw <> "" then begin
         let line = Json.parse raw in
         match Json.member "a" line, Json.member "unit" line with
         | Some (Json.List _), None -> vector raw line
         | Some _, None when Json.member "K" line = None -> vector raw line
         | _ -> header line; if not !check then print_endline raw
       end
     done
   with
   | End_of_file -> ()
   | Json.Wrong e | Reader.Wrong e | Failure e | Invalid_argument e ->
     trouble (Printf.sprintf "%s, line %d: %s" name !number e));
  if !check then begin
    Printf.printf "checked %d, mismatches %d\n" !checked !mismatches;
    if !checked = 0 then trouble (name ^ " has no vector with d");
    if !mismatches > 0 then exit 1
  end
