(* JSON (RFC 8259), for files of vectors and claims of certificates. Not verified. A text that is not JSON is refused, and so
   are two equal keys of one object, of which each reader may take another, and what is nested deeper than eight levels. *)

type t = Object of (string * t) list | List of t list | Text of string | Word of string (* a number, true, false or null *)

exception Wrong of string

let deepest = 8

(* Whether a text is UTF-8: no longer forms than needed, no surrogates, nothing above U+10FFFF. *)
let is_utf8 (s : string) =
  let n = String.length s in
  let rec from i =
    i >= n ||
    let byte k = if i + k < n then Char.code s.[i + k] else 0 in
    let later k low high = byte k >= low && byte k <= high in
    let rest first last = (* that many bytes follow *)
      let ok = ref true in
      for k = first to last do ok := !ok && later k 0x80 0xbf done;
      !ok && from (i + last + 1) in
    match byte 0 with
    | b when b < 0x80 -> from (i + 1)
    | b when b >= 0xc2 && b <= 0xdf -> rest 1 1
    | 0xe0 -> later 1 0xa0 0xbf && rest 2 2
    | 0xed -> later 1 0x80 0x9f && rest 2 2
    | b when b >= 0xe1 && b <= 0xef -> rest 1 2
    | 0xf0 -> later 1 0x90 0xbf && rest 2 3
    | b when b >= 0xf1 && b <= 0xf3 -> rest 1 3
    | 0xf4 -> later 1 0x80 0x8f && rest 2 3
    | _ -> false in
  from 0

(* Whether a word is a number of JSON that is no infinity in binary64. *)
let is_number w =
  let n = String.length w in
  let at = ref 0 in
  let is c = !at < n && w.[!at] = c in
  let digits () =
    let start = !at in
    while !at < n && w.[!at] >= '0' && w.[!at] <= '9' do incr at done;
    !at > start in
  if is '-' then incr at;
  let whole = if is '0' then (incr at; true) else digits () in
  let fraction = not (is '.') || (incr at; digits ()) in
  let exponent = not (is 'e' || is 'E') || (incr at; if is '-' || is '+' then incr at; digits ()) in
  whole && fraction && exponent && !at = n && Float.abs (float_of_string w) < infinity

let parse (s : string) : t =
  let at = ref (if String.length s >= 3 && String.sub s 0 3 = "\xef\xbb\xbf" then 3 else 0) in (* a byte order mark *)
  let n = String.length s in
  let wrong what = raise (Wrong (Printf.sprintf "column %d: %s is expected" (!at + 1) what)) in
  let rec blank () =
    if !at < n && (match s.[!at] with ' ' | '\t' | '\r' | '\n' -> true | _ -> false) then (incr at; blank ()) in
  let peek () = blank (); if !at < n then s.[!at] else '\000' in
  let expect c = if peek () = c then incr at else wrong (Printf.sprintf "'%c'" c) in
  (* The four digits behind \u. *)
  let code () =
    let is_digit = function '0' .. '9' | 'a' .. 'f' | 'A' .. 'F' -> true | _ -> false in
    if !at + 4 > n || not (String.for_all is_digit (String.sub s !at 4)) then wrong "four hexadecimal digits";
    at := !at + 4;
    int_of_string ("0x" ^ String.sub s (!at - 4) 4) in
  let letter () =
    match code () with
    | high when high >= 0xd800 && high < 0xdc00 ->
      if not (!at + 2 <= n && s.[!at] = '\\' && s.[!at + 1] = 'u') then wrong "the other half of a surrogate pair";
      at := !at + 2;
      let low = code () in
      if low < 0xdc00 || low > 0xdfff then wrong "the other half of a surrogate pair";
      0x10000 + (high - 0xd800) * 0x400 + low - 0xdc00
    | low when low >= 0xdc00 && low < 0xe000 -> wrong "the first half of a surrogate pair before this one"
    | other -> other in
  let text () =
    expect '"';
    let b = Buffer.create 32 in
    let rec go () =
      if !at >= n then wrong "'\"'";
      let c = s.[!at] in
      incr at;
      match c with
      | '"' -> ()
      | '\\' ->
        let escaped = if !at < n then s.[!at] else '\000' in
        incr at;
        (match escaped with
         | '"' | '\\' | '/' -> Buffer.add_char b escaped
         | 'b' -> Buffer.add_char b '\b'
         | 'f' -> Buffer.add_char b '\012'
         | 'n' -> Buffer.add_char b '\n'
         | 'r' -> Buffer.add_char b '\r'
         | 't' -> Buffer.add_char b '\t'
         | 'u' -> Buffer.add_utf_8_uchar b (Uchar.of_int (letter ()))
         | _ -> wrong "one of \"\\/bfnrtu after a backslash");
        go ()
      | c when c < ' ' -> wrong "a control character as an escape"
      | c -> Buffer.add_char b c; go () in
    go ();
    let t = Buffer.contents b in
    if not (is_utf8 t) then wrong "UTF-8";
    t in
  let rec value depth =
    if depth > deepest then wrong (Printf.sprintf "at most %d levels" deepest);
    match peek () with
    | '"' -> Text (text ())
    | '{' -> incr at; Object (items '}' (pair depth (Hashtbl.create 8)))
    | '[' -> incr at; List (items ']' (fun () -> value (depth + 1)))
    | _ ->
      let start = !at in
      let inside () = !at < n && (match s.[!at] with
        | '-' | '+' | '.' | '0' .. '9' | 'a' .. 'z' | 'A' .. 'Z' -> true | _ -> false) in
      while inside () do incr at done;
      match String.sub s start (!at - start) with
      | "true" | "false" | "null" as w -> Word w
      | w when is_number w -> Word w
      | _ -> at := start; wrong "a value"
  and pair depth keys () =
    let key = text () in
    if Hashtbl.mem keys key then wrong ("another key than '" ^ key ^ "', which is there already,");
    Hashtbl.add keys key ();
    expect ':';
    (key, value (depth + 1))
  and items : 'a. char -> (unit -> 'a) -> 'a list = fun close item ->
    if peek () = close then (incr at; [])
    else
      let rec more acc =
        let acc = item () :: acc in
        match peek () with
        | ',' -> incr at; more acc
        | _ -> expect close; List.rev acc in
      more [] in
  let v = value 0 in
  blank ();
  if !at < n then wrong "the end of the text";
  v

let member key = function Object l -> List.assoc_opt key l | _ -> None

(* A text in quotes, as JSON writes it. *)
let quoted t =
  let b = Buffer.create (String.length t + 2) in
  Buffer.add_char b '"';
  String.iter (function
      | '"' | '\\' as c -> Buffer.add_char b '\\'; Buffer.add_char b c
      | c when c < ' ' -> Buffer.add_string b (Printf.sprintf "\\u%04x" (Char.code c))
      | c -> Buffer.add_char b c) t;
  Buffer.add_char b '"';
  Buffer.contents b
