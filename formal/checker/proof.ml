(* The text of a proof, one line after the other, as steps for the verified checker (Lrat.v). Not verified: what is read
   wrongly is another step, which that checker refuses, or which is right as well. *)
module Big = Z (* Zarith: the definition has a Z of its own *)
open Definition

let z = Big.of_int

(* Takes the steps of a proof, one line after the other. *)
let check (n : Formula.numbering) next_variable state (proof : string) =
  let at = ref 0 and line = ref 0 and length = String.length proof in
  let fail what = Files.refuse (Printf.sprintf "the proof, line %d: %s" !line what) in
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
