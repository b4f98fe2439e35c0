(** * Whole numbers with known bounds, for exponents

    certificate/circuit/integer.hpp: low + bits, which is at most high. *)

From Coq Require Import ZArith List Bool.
From Discern Require Import Notation Gates.
Import ListNotations.
Open Scope Z_scope.

Record integer := Integer { i_bits : word; i_low : Z; i_high : Z }.

Definition fixed_integer (value : Z) : integer := Integer [] value value.
(** offset + bits. *)
Definition integer_of (bits : word) (offset : Z) : integer :=
  Integer bits offset (offset + pow2 (width_of bits) - 1).
Definition offset_by (x : integer) (by_ : Z) : integer := Integer (i_bits x) (i_low x + by_) (i_high x + by_).

(** The same number counted from a lower [low], in a word for numbers up to [high]. *)
Definition rebased (x : integer) (low high : Z) : making word :=
  let w := bits_for (high - low) in add (resize (i_bits x) w) (constant (i_low x - low) w).

Definition i_sum (x y : integer) : making integer :=
  let low := i_low x + i_low y in
  let high := i_high x + i_high y in
  let w := bits_for (high - low) in
  bits <- add (resize (i_bits x) w) (resize (i_bits y) w) ;;
  ret (Integer bits low high).

(** x + one, for a bit. *)
Definition i_plus (x : integer) (one : literal) : making integer :=
  bits <- increment (resize (i_bits x) (bits_for (i_high x + 1 - i_low x))) one ;;
  ret (Integer bits (i_low x) (i_high x + 1)).

(** x − y, of which it is known that it lies between the bounds. *)
Definition difference (x y : integer) (low high : Z) : making integer :=
  let w := bits_for (high - low) in
  without <- subtract (resize (i_bits x) w) (resize (i_bits y) w) ;;
  bits <- add without (constant (i_low x - i_low y - low) w) ;;
  ret (Integer bits low high).

Definition i_less (x y : integer) : making literal :=
  let low := Z.min (i_low x) (i_low y) in
  let high := Z.max (i_high x) (i_high y) in
  right <- rebased y low high ;;
  left <- rebased x low high ;;
  less left right.

Definition i_mux (c : literal) (x y : integer) : making integer :=
  let low := Z.min (i_low x) (i_low y) in
  let high := Z.max (i_high x) (i_high y) in
  second <- rebased y low high ;;
  first <- rebased x low high ;;
  bits <- mux c first second ;;
  ret (Integer bits low high).

Definition i_larger (x y : integer) : making integer := c <- i_less x y ;; i_mux c y x.

(** The largest of those numbers that take part; the bounds go down to a power of two. *)
Definition largest_of_integers (numbers : list integer) (takes_part : word) : making integer :=
  let lowest := fold_left (fun m x => Z.min m (i_low x)) numbers (match numbers with x :: _ => i_low x | [] => 0 end) in
  let high := fold_left (fun m x => Z.max m (i_high x)) numbers (match numbers with x :: _ => i_high x | [] => 0 end) in
  let low := if lowest <? 0 then - pow2 (bits_for (- lowest - 1)) else 0 in
  words <- map_m (fun x => rebased x low high) numbers ;;
  bits <- maximum words takes_part ;;
  ret (Integer bits low high).
