(* The formula of a claim as the checker in C++ writes it, in DIMACS: not verified, and compared with the file of the
   certificate, byte by byte. *)
module Big = Z (* Zarith: the definition has a Z of its own *)
open Definition

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
