(** What each theorem rests on, for the output of the build. Those of script/formal are allowed: the axioms of the real
    numbers of Coq's library, and none of our own. *)
From Discern Require Import Notation Real Patterns Exact Fma Dot Laws Units Order RoundTrip.
From Discern Require Gates Lrat Making Words Shifts Largest Fields Reading Claim Chain.

(* Anchors *)
Print Assumptions rnd_correct.
Print Assumptions rnd_FLT.
Print Assumptions rnd_FLX.
Print Assumptions read_correct.
Print Assumptions write_correct.
Print Assumptions write_read.
Print Assumptions write_read_fixed.
Print Assumptions fuse_exact.
Print Assumptions round_correct.
Print Assumptions fma_unit_correct.
Print Assumptions fma_f16.
Print Assumptions fma_bf16.
Print Assumptions fma_f32.
Print Assumptions fma_f64.
Print Assumptions exact_sum_is_rounded.
Print Assumptions dot_unit_correct.
(* Laws *)
Print Assumptions rnd_monotone.
Print Assumptions rnd_opposite.
Print Assumptions nothing_cut.
Print Assumptions truncated_sum.
Print Assumptions truncation_error.
Print Assumptions truncation_error_nearest.
Print Assumptions carry_enough.
Print Assumptions carry_one_less_is_not.
Print Assumptions order_does_not_matter.
Print Assumptions zero_term_is_neutral.
Print Assumptions negation.
Print Assumptions to_format_opposite.
Print Assumptions odd_then_nearest.
Print Assumptions odd_then_nearest_format.
Print Assumptions double_rounding_of_a_sum.
Print Assumptions double_rounding_of_a_product.
Print Assumptions exact_sum_is_monotone.
Print Assumptions carry_enough_unit.
Print Assumptions order_in_a_block.
Print Assumptions order_in_a_unit.
Print Assumptions order_on_all_inputs.
Print Assumptions round_alike.
Print Assumptions result_alike.
Print Assumptions volta_three_carry_bits.
Print Assumptions volta_two_carry_bits_are_not_enough.
(* The circuit and the checker *)
Print Assumptions Lrat.refutes.
Print Assumptions Making.computes_mux.
Print Assumptions Making.computes_majority.
Print Assumptions Words.computes_add_carry.
Print Assumptions Words.computes_less.
Print Assumptions Shifts.computes_multiply.
Print Assumptions Shifts.computes_shift_left.
Print Assumptions Shifts.computes_shift_right.
Print Assumptions Shifts.computes_normalise.
Print Assumptions Shifts.computes_add_signed.
Print Assumptions Largest.computes_maximum.
Print Assumptions Largest.computes_difference.
Print Assumptions Largest.computes_i_larger.
Print Assumptions Fields.computes_is_nan.
Print Assumptions Reading.computes_read.
Print Assumptions Claim.not_different.
Print Assumptions Claim.accepted_units_agree.
Print Assumptions Chain.chain_of_equal_blocks.
