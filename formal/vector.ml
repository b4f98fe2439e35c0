(* The inputs of a vector, a line of a file of vectors (docs/vectors.md), for the definition. Not verified. *)
module Big = Z (* Zarith: the definition has a Z of its own *)
open Definition

(* A pattern: as many hexadecimal digits as the format needs, of no bits that it does not have. *)
let pattern f text =
  let is_digit = function '0' .. '9' | 'a' .. 'f' | 'A' .. 'F' -> true | _ -> false in
  if String.length text <> Reader.digits f || not (String.for_all is_digit text) then
    failwith ("the pattern '" ^ text ^ "' is not " ^ string_of_int (Reader.digits f) ^ " hexadecimal digits");
  let bits = Big.of_string_base 16 text in
  if Big.numbits bits > Big.to_int f.width then failwith ("the pattern '" ^ text ^ "' has more bits than its format");
  bits

let hex f bits = Big.format (Printf.sprintf "%%0%dx" (Reader.digits f)) bits

(* The patterns of an operand: a list of texts, or all of them in one. *)
let patterns line key f =
  match Json.member key line with
  | Some (Json.List l) ->
    Array.of_list (List.map (function Json.Text t -> pattern f t | _ -> failwith (key ^ " is no list of texts")) l)
  | Some (Json.Text t) ->
    let n = Reader.digits f in
    Array.init (String.length t / n) (fun i -> pattern f (String.sub t (i * n) n))
  | _ -> [||]

let inputs u line =
  let k = Big.to_int u.unit_K in
  let at key f count =
    let list = patterns line key f in
    if Array.length list <> count then
      failwith (Printf.sprintf "%s has %d patterns where %d are right" key (Array.length list) count);
    fun i -> list.(Big.to_int i) in
  let scale key = match u.unit_scales with
    | None -> fun _ -> Big.zero
    | Some (f, n) -> at key f ((k + Big.to_int n - 1) / Big.to_int n) in
  { in_a = at "a" u.unit_a k; in_b = at "b" u.unit_b k; in_sa = scale "sa"; in_sb = scale "sb";
    in_c = (match u.unit_c, Json.member "c" line with
        | None, None -> Big.zero
        | Some f, Some (Json.Text t) -> pattern f t
        | _ -> failwith "c is missing, or too much") }
