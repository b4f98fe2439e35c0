(** * Gates, and words of them

    The lists of gates of which certificates speak (certificate/netlist, certificate/circuit/gates), written down again
    gate for gate: node 0 is the constant false, then come the inputs, then the gates in the order in which they are made.
    A word is a list of literals, the lowest bit first. What the operations compute is proved in Words.v. *)

From Coq Require Import ZArith List Bool.
From Discern Require Import Notation.
Import ListNotations.
Open Scope Z_scope.

(** ** Netlists *)

(** A node, or its negation. *)
Record literal := Lit { negated : bool; node_of : Z }.
Definition no : literal := Lit false 0.
Definition yes : literal := Lit true 0.
Definition invert (x : literal) : literal := Lit (negb (negated x)) (node_of x).
Definition invert_if (b : bool) (x : literal) : literal := Lit (xorb b (negated x)) (node_of x).
Definition same (x y : literal) : bool := Bool.eqb (negated x) (negated y) && (node_of x =? node_of y).
Definition same_node (x y : literal) : bool := node_of x =? node_of y.
Definition is_constant (x : literal) : bool := node_of x =? 0.

Inductive gate := And (x y : literal) | Xor (x y : literal) | Mux (x y z : literal) | Majority (x y z : literal).

(** The next node, and the gates, the newest first. *)
Record netlist := Netlist { next : Z; gates : list (Z * gate) }.

(** What makes gates: it adds some to those that are there, and gives something. *)
Definition extends (s s' : netlist) : Prop := exists l, gates s' = l ++ gates s.
Record making (A : Type) := Making { run : netlist -> A * netlist; run_extends : forall s, extends s (snd (run s)) }.
Arguments Making {A}. Arguments run {A}. Arguments run_extends {A}.

Lemma ret_extends {A} (a : A) s : extends s (snd (a, s)).
Proof. now exists []. Qed.
Definition ret {A} (a : A) : making A := Making (fun s => (a, s)) (ret_extends a).

Lemma bind_extends {A B} (m : making A) (f : A -> making B) s : extends s (snd (let (a, s') := run m s in run (f a) s')).
Proof.
  pose proof (run_extends m s) as [l Hl]. destruct (run m s) as [a s']. pose proof (run_extends (f a) s') as [l' Hl'].
  exists (l' ++ l). rewrite Hl'. cbn [snd] in Hl. now rewrite Hl, app_assoc.
Qed.
Definition bind {A B} (m : making A) (f : A -> making B) : making B :=
  Making (fun s => let (a, s') := run m s in run (f a) s') (bind_extends m f).
Notation "x <- m ;; k" := (bind m (fun x => k)) (at level 61, m at next level, right associativity).

Definition appended (g : gate) (s : netlist) : literal * netlist :=
  (Lit false (next s), Netlist (next s + 1) ((next s, g) :: gates s)).
Lemma append_extends g s : extends s (snd (appended g s)).
Proof. now exists [(next s, g)]. Qed.
Definition append (g : gate) : making literal := Making (appended g) (append_extends g).

(** ** Gates *)

Definition make_and (x y : literal) : making literal :=
  if same x no || same y no || same x (invert y) then ret no
  else if same x yes || same x y then ret y
  else if same y yes then ret x
  else append (And x y).

Definition make_or (x y : literal) : making literal := z <- make_and (invert x) (invert y) ;; ret (invert z).

Definition make_xor (x y : literal) : making literal :=
  if same x y then ret no
  else if same x (invert y) then ret yes
  else if is_constant x then ret (invert_if (same x yes) y)
  else if is_constant y then ret (invert_if (same y yes) x)
  else append (Xor x y).

(** c ? x : y *)
Definition make_mux (c x y : literal) : making literal :=
  if same c yes || same x y then ret x
  else if same c no then ret y
  else if same x (invert y) then make_xor c y
  else if same x no then make_and (invert c) y
  else if same x yes then make_or c y
  else if same y no then make_and c x
  else if same y yes then make_or (invert c) x
  else if same_node c x then if same x c then make_or c y else make_and x y
  else if same_node c y then if same y c then make_and c x else make_or y x
  else append (Mux c x y).

Definition make_majority (x y z : literal) : making literal :=
  if same x y then ret x
  else if same x (invert y) then ret z
  else if same x z || same y z then ret z
  else if same x (invert z) then ret y
  else if same y (invert z) then ret x
  else if is_constant x then if same x no then make_and y z else make_or y z
  else if is_constant y then if same y no then make_and x z else make_or x z
  else if is_constant z then if same z no then make_and x y else make_or x y
  else append (Majority x y z).

(** ** Words *)

Definition word := list literal.

Fixpoint map_m {A B} (f : A -> making B) (l : list A) : making (list B) :=
  match l with [] => ret [] | a :: l' => b <- f a ;; bs <- map_m f l' ;; ret (b :: bs) end.
Fixpoint fold_m {A B} (f : A -> B -> making A) (l : list B) (a : A) : making A :=
  match l with [] => ret a | b :: l' => a' <- f a b ;; fold_m f l' a' end.

Definition width_of (x : word) : Z := Z.of_nat (length x).
(** Bits from the 64th on are zeros. *)
Definition constant (value w : Z) : word := map (fun i => if (i <? 64) && Z.testbit value i then yes else no) (below w).
Definition repeated (b : literal) (n : Z) : word := repeat b (Z.to_nat n).
Definition bit (x : word) (i : Z) : literal := nth (Z.to_nat i) x no.
Definition resize (x : word) (w : Z) : word := firstn (Z.to_nat w) x ++ repeat no (Z.to_nat w - length x).
(** The bits from i on; i may be negative. *)
Definition slice (x : word) (i w : Z) : word :=
  resize (if i <? 0 then repeat no (Z.to_nat (- i)) ++ x else skipn (Z.to_nat i) x) w.
Definition concat (high low : word) : word := low ++ high.
Definition msb (x : word) : literal := bit x (width_of x - 1).

Definition any (x : word) : making literal := fold_m make_or x no.
Definition all (x : word) : making literal := fold_m make_and x yes.

Fixpoint zip_m (f : literal -> literal -> making literal) (x y : word) : making word :=
  match x, y with
  | a :: x', b :: y' => c <- f a b ;; cs <- zip_m f x' y' ;; ret (c :: cs)
  | _, _ => ret []
  end.
Definition word_or (x y : word) : making word := zip_m make_or x y.
Definition mux (c : literal) (x y : word) : making word := zip_m (make_mux c) x y.
Definition mask (c : literal) (x : word) : making word := map_m (make_and c) x.
Definition invert_word_if (c : literal) (x : word) : making word := map_m (make_xor c) x.

(** x + y + carry, modulo 2^width. The last carry is not made. *)
Fixpoint add_carry (x y : word) (carry : literal) : making word :=
  match x, y with
  | a :: x', b :: y' =>
      p <- make_xor a b ;;
      s <- make_xor p carry ;;
      c <- match x' with [] => ret carry | _ => make_majority a b carry end ;;
      rest <- add_carry x' y' c ;;
      ret (s :: rest)
  | _, _ => ret []
  end.
Definition add (x y : word) : making word := add_carry x y no.
Definition subtract (x y : word) : making word := y' <- invert_word_if yes y ;; add_carry x y' yes.
Definition increment (x : word) (one : literal) : making word := add_carry x (constant 0 (width_of x)) one.
Definition negate_if (c : literal) (x : word) : making word := x' <- invert_word_if c x ;; increment x' c.

Fixpoint less_from (x y : word) (smaller : literal) : making literal :=
  match x, y with
  | a :: x', b :: y' => s <- make_majority (invert a) b smaller ;; less_from x' y' s
  | _, _ => ret smaller
  end.
Definition less (x y : word) : making literal := less_from x y no.

(** As wide as both together: one row for each bit of y. *)
Fixpoint multiply_rows (x : word) (both row : Z) (y : word) (total : word) : making word :=
  match y with
  | [] => ret total
  | b :: y' =>
      m <- mask b x ;;
      total' <- add total (slice m (- row) both) ;;
      multiply_rows x both (row + 1) y' total'
  end.
Definition multiply (x y : word) : making word :=
  let both := width_of x + width_of y in multiply_rows x both 0 y (constant 0 both).

Fixpoint shift_left_stages (x : word) (stage : Z) (amount : word) : making word :=
  match amount with
  | [] => ret x
  | a :: amount' =>
      let by_ := pow2 stage in
      let wider := width_of x + by_ in
      x' <- mux a (slice x (- by_) wider) (resize x wider) ;;
      shift_left_stages x' (stage + 1) amount'
  end.
Definition shift_left (x amount : word) : making word := shift_left_stages x 0 amount.

(** x / 2^amount, and whether a set bit was shifted out. *)
Fixpoint shift_right_stages (x : word) (sticky : literal) (stage : Z) (amount : word) : making (word * literal) :=
  match amount with
  | [] => ret (x, sticky)
  | a :: amount' =>
      let w := width_of x in
      let by_ := Z.min (pow2 stage) w in
      leaves <- any (slice x 0 by_) ;;
      lost <- make_and a leaves ;;
      sticky' <- make_or sticky lost ;;
      x' <- mux a (slice x by_ w) x ;;
      shift_right_stages x' sticky' (stage + 1) amount'
  end.
Definition shift_right (x amount : word) : making (word * literal) := shift_right_stages x no 0 amount.

(** Bits that hold 0 … most. *)
Definition bits_for (most : Z) : Z := if most <=? 0 then 0 else Z.log2 most + 1.

(** x·2^n with the n that sets the highest bit, and n. Stages from the highest down; the bits of n, lowest first. *)
Fixpoint normalise_stages (x : word) (zeros : word) (stages : nat) : making (word * word) :=
  match stages with
  | O => ret (x, zeros)
  | S n =>
      let w := width_of x in
      let by_ := pow2 (Z.of_nat n) in
      some <- any (slice x (w - by_) by_) ;;
      let shifts := invert some in
      x' <- mux shifts (slice x (- by_) w) x ;;
      normalise_stages x' (shifts :: zeros) n
  end.
Definition normalise (x : word) : making (word * word) :=
  normalise_stages x [] (Z.to_nat (match x with [] => 0 | _ => bits_for (width_of x - 1) end)).

(** The largest of the words that take part, by elimination from the highest bit on. [columns]: the bits of all words,
    the highest column first. *)
Fixpoint eliminate (columns : list word) (takes_part : word) (result : word) : making word :=
  match columns with
  | [] => ret result
  | bits :: columns' =>
      top <- fold_m (fun found tb => p <- make_and (fst tb) (snd tb) ;; make_or found p) (combine takes_part bits) no ;;
      left <- zip_m (fun t b => m <- make_or b (invert top) ;; make_and t m) takes_part bits ;;
      eliminate columns' left (top :: result)
  end.
Definition maximum (words : list word) (takes_part : word) : making word :=
  let w := match words with x :: _ => width_of x | [] => 0 end in
  eliminate (map (fun i => map (fun x => bit x i) words) (rev (below w))) takes_part [].

(** total + (−1)^negative · x · 2^i. *)
Definition add_signed (total x : word) (negative : literal) (i : Z) : making word :=
  addend <- invert_word_if negative (slice x (- i) (width_of total)) ;;
  add_carry total addend negative.

Definition any_of (bits : list literal) : making literal := fold_m make_or bits no.
