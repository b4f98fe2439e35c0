(* SHA-256 (FIPS 180-4), for the digests of a certificate's files. Not verified; a wrong digest refuses. *)

(* The first 32 bits of the fractions of the cube roots of the first 64 primes. *)
let k = [|
  0x428a2f98; 0x71374491; 0xb5c0fbcf; 0xe9b5dba5; 0x3956c25b; 0x59f111f1; 0x923f82a4; 0xab1c5ed5;
  0xd807aa98; 0x12835b01; 0x243185be; 0x550c7dc3; 0x72be5d74; 0x80deb1fe; 0x9bdc06a7; 0xc19bf174;
  0xe49b69c1; 0xefbe4786; 0x0fc19dc6; 0x240ca1cc; 0x2de92c6f; 0x4a7484aa; 0x5cb0a9dc; 0x76f988da;
  0x983e5152; 0xa831c66d; 0xb00327c8; 0xbf597fc7; 0xc6e00bf3; 0xd5a79147; 0x06ca6351; 0x14292967;
  0x27b70a85; 0x2e1b2138; 0x4d2c6dfc; 0x53380d13; 0x650a7354; 0x766a0abb; 0x81c2c92e; 0x92722c85;
  0xa2bfe8a1; 0xa81a664b; 0xc24b8b70; 0xc76c51a3; 0xd192e819; 0xd6990624; 0xf40e3585; 0x106aa070;
  0x19a4c116; 0x1e376c08; 0x2748774c; 0x34b0bcb5; 0x391c0cb3; 0x4ed8aa4a; 0x5b9cca4f; 0x682e6ff3;
  0x748f82ee; 0x78a5636f; 0x84c87814; 0x8cc70208; 0x90befffa; 0xa4506ceb; 0xbef9a3f7; 0xc67178f2 |]

let rotated x n = ((x lsr n) lor (x lsl (32 - n))) land 0xffffffff

(* Takes the 64 bytes at a place. *)
let take h w bytes at =
  for t = 0 to 15 do w.(t) <- Int32.to_int (Bytes.get_int32_be bytes (at + 4 * t)) land 0xffffffff done;
  for t = 16 to 63 do
    let x = w.(t - 15) and y = w.(t - 2) in
    let s0 = rotated x 7 lxor rotated x 18 lxor (x lsr 3) and s1 = rotated y 17 lxor rotated y 19 lxor (y lsr 10) in
    w.(t) <- (w.(t - 16) + s0 + w.(t - 7) + s1) land 0xffffffff
  done;
  let a = ref h.(0) and b = ref h.(1) and c = ref h.(2) and d = ref h.(3) in
  let e = ref h.(4) and f = ref h.(5) and g = ref h.(6) and last = ref h.(7) in
  for t = 0 to 63 do
    let s1 = rotated !e 6 lxor rotated !e 11 lxor rotated !e 25 and s0 = rotated !a 2 lxor rotated !a 13 lxor rotated !a 22 in
    let choice = (!e land !f) lxor (lnot !e land !g) and majority = (!a land !b) lxor (!a land !c) lxor (!b land !c) in
    let one = !last + s1 + choice + k.(t) + w.(t) in
    last := !g; g := !f; f := !e;
    e := (!d + one) land 0xffffffff;
    d := !c; c := !b; b := !a;
    a := (one + s0 + majority) land 0xffffffff
  done;
  List.iteri (fun i x -> h.(i) <- (h.(i) + x) land 0xffffffff) [ !a; !b; !c; !d; !e; !f; !g; !last ]

(* The digest of so many bytes of a channel, as hexadecimal digits. *)
let of_channel channel size =
  let h = [| 0x6a09e667; 0xbb67ae85; 0x3c6ef372; 0xa54ff53a; 0x510e527f; 0x9b05688c; 0x1f83d9ab; 0x5be0cd19 |] in
  let w = Array.make 64 0 and part = Bytes.create 65536 and left = ref size in
  while !left >= 64 do
    let n = min 65536 (!left land lnot 63) in
    really_input channel part 0 n;
    for i = 0 to n / 64 - 1 do take h w part (64 * i) done;
    left := !left - n
  done;
  (* the rest, one bit, zeros, and the length in bits: one part of 64 bytes, or two *)
  let total = if !left < 56 then 64 else 128 in
  Bytes.fill part 0 total '\000';
  really_input channel part 0 !left;
  Bytes.set part !left '\x80';
  Bytes.set_int64_be part (total - 8) (Int64.of_int (8 * size));
  for i = 0 to total / 64 - 1 do take h w part (64 * i) done;
  String.concat "" (List.map (Printf.sprintf "%08x") (Array.to_list h))
