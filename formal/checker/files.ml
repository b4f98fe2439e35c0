(* The files of a certificate, by their digests. Their author is not trusted: each has to be a plain file of a size that can
   be read, so that none makes the checker wait or run out of memory. Not verified. *)
exception Refused of string

let refuse text = raise (Refused text)

let most_of_claim = 1 lsl 24 (* bytes *)
let most_of_file = 1 lsl 30

(* What visit gives for the channel of a file, and its size. *)
let visit path most visit =
  let refuse what = refuse (Filename.basename path ^ " " ^ what) in
  let plain what = refuse ("is " ^ what ^ ", and has to be a plain file") in
  let about = try Unix.stat path with Unix.Unix_error _ -> refuse "cannot be read" in
  (match about.st_kind with
   | Unix.S_REG -> ()
   | S_DIR -> plain "a folder"
   | S_FIFO -> plain "a FIFO"
   | S_SOCK -> plain "a socket"
   | S_CHR | S_BLK | S_LNK -> plain "a device");
  if about.st_size > most then refuse (Printf.sprintf "has %d bytes; at most %d are right" about.st_size most);
  let channel = try open_in_bin path with Sys_error _ -> refuse "cannot be read" in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () ->
      try visit channel about.st_size with End_of_file | Sys_error _ -> refuse "cannot be read")

let contents path most = visit path most really_input_string
let digest path most = visit path most Sha256.of_channel

(* A name of a file in the folder itself. *)
let plain name =
  if name = "" || name.[0] = '.' || String.exists (fun c -> c = '/' || c = '\\' || c < ' ' || c = '\127') name then
    refuse ("claim.json: a file has the name '" ^ String.escaped name ^ "', which is no plain name");
  name
