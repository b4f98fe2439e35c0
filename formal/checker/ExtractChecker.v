(** The checker of certificates as a program, with the definition. *)
From Coq Require Import ZArith Extraction ExtrOcamlBasic ExtrOcamlNativeString ExtrOcamlZBigInt.
From Discern Require Import Notation Gates CircuitUnit UnitCorrect Lrat Claim Chain.

(** Integers that fit a word are compared as such; the others as Zarith does. *)
Extract Constant Z.compare =>
 "(fun x y ->
    if Obj.is_int (Obj.repr x) && Obj.is_int (Obj.repr y)
    then let x : int = Obj.magic x and y : int = Obj.magic y in if x = y then Eq else if x < y then Lt else Gt
    else let s = Big_int_Z.compare_big_int x y in if s = 0 then Eq else if s < 0 then Lt else Gt)".

Extraction "definition.ml" evaluate names by_fields fixed_point read claim_circuit start_of take refuted first_gate clauses_of difference_clause is_chain block_of same_shapes covered.
