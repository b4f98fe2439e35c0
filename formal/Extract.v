(** The definition as a program: Z becomes the integers of the library Zarith, by the table that comes with Coq. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNativeString ExtrOcamlZBigInt.
From Discern Require Import Notation.

Extraction "definition.ml" evaluate names by_fields fixed_point read.
