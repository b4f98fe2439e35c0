(* JSON, as far as files of vectors need it. Not verified. *)

type t = Object of (string * t) list | List of t list | Text of string | Word of string (* a number, true, false or null *)

exception Wrong of string

let parse (s : string) : t =
  let at = ref 0 in
  let n = String.length s in
  let wrong what = raise (Wrong (Printf.sprintf "column %d: %s is expected" (!at + 1) what)) in
  let rec blank () =
    if !at < n && (match s.[!at] with ' ' | '\t' | '\r' | '\n' -> true | _ -> false) then (incr at; blank ()) in
  let peek () = blank (); if !at < n then s.[!at] else '\000' in
  let expect c = if peek () = c then incr at else wrong (Printf.sprintf "'%c'" c) in
  let text () =
    expect '"';
    let b = Buffer.create 32 in
    let rec go () =
      if !at >= n then wrong "'\"'";
      match s.[!at] with
      | '"' -> incr at
      | '\\' ->
        if !at + 1 >= n then wrong "an escaped letter";
        (match s.[!at + 1] with
         | 'n' -> Buffer.add_char b '\n' | 't' -> Buffer.add_char b '\t'
         | 'u' -> Buffer.add_string b "?"; at := !at + 4
         | c -> Buffer.add_char b c);
        at := !at + 2; go ()
      | c -> Buffer.add_char b c; incr at; go () in
    go (); Buffer.contents b in
  let rec value () =
    match peek () with
    | '"' -> Text (text ())
    | '{' -> incr at; Object (items '}' (fun () -> let k = text () in expect ':'; (k, value ())))
    | '[' -> incr at; List (items ']' value)
    | _ ->
      let start = !at in
      let inside () = !at < n && (match s.[!at] with
        | '-' | '+' | '.' | '0' .. '9' | 'a' .. 'z' | 'A' .. 'Z' -> true | _ -> false) in
      while inside () do incr at done;
      if !at = start then wrong "a value";
      Word (String.sub s start (!at - start))
  and items : 'a. char -> (unit -> 'a) -> 'a list = fun close item ->
    if peek () = close then (incr at; [])
    else
      let rec more acc =
        let acc = item () :: acc in
        match peek () with
        | ',' -> incr at; more acc
        | _ -> expect close; List.rev acc in
      more [] in
  let v = value () in
  if peek () <> '\000' then wrong "the end of the line";
  v

let member key = function Object l -> List.assoc_opt key l | _ -> None
