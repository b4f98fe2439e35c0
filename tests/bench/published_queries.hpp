// The ten queries of Valpey, Li, Pai, Gopalakrishnan, "An SMT Formalization of Mixed-Precision Matrix Multiplication",
// Table 4, as questions about two units, each with a companion that has no solution where there is one.
//
// The authors wrote each hypothesis about the hardware as a formula of its own. Here each is a unit: the instruction in
// question, changed in the one respect that the hypothesis denies. A companion says where the same change cannot be
// seen, so that a solver that finds everything different fails here too. The number of products is that of the
// published query, or the instruction's own. The sentences quoted in the comments name the section of the paper.
#pragma once

#include "expectation.hpp"

#include <array>

namespace discern::bench {

inline constexpr auto published_queries = std::to_array<Expectation>({
    // §4.1: "the multiplication between the elements of A and B are performed in single-precision" against products
    // that are rounded to fp16, Listing 1.1, where the modes are tried together.
    {"exact multiplication", "products exact, or rounded to fp16 by rne", names::volta, "",
     "f16*f16+f32->f32 K=4 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=23 rz zero=ignore]("
     "round[f16 rne](p0), round[f16 rne](p1), round[f16 rne](p2), round[f16 rne](p3), c))",
     Verdict::different, "Z3 0.55 s, cvc5 0.027 s"},
    {"exact multiplication", "products exact, or rounded to fp16 by rz", names::volta, "",
     "f16*f16+f32->f32 K=4 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=23 rz zero=ignore]("
     "round[f16 rz](p0), round[f16 rz](p1), round[f16 rz](p2), round[f16 rz](p3), c))",
     Verdict::different},
    // §5: the product of two 11-bit significands "can always be represented in FP32's 24 bit mantissa, meaning that no
    // rounding is required".
    {"exact multiplication", "none: a product, or that rounded to fp32", "f16*f16->f32 K=1 : round[f32 rz](p0)", "",
     "f16*f16->f32 K=1 : round[f32 rz](round[f32 rne](p0))", Verdict::equivalent},

    // Property 1: products that fp16 cannot hold, whose sum it can; "accumulation in single-precision for
    // half-precision inputs and outputs" against fp16 products and fp16 additions, one after the other.
    {"exact addition in fp16", "one sum in single precision, or fp16 after each addition", names::volta_f16, "",
     "f16*f16+f16->f16 K=4 nan=7fff : round[f16 rne](fuse[exact](round[f16 rne](fuse[exact](round[f16 rne](fuse[exact]("
     "round[f16 rne](fuse[exact](c, round[f16 rne](p0))), round[f16 rne](p1))), round[f16 rne](p2))), "
     "round[f16 rne](p3)))",
     Verdict::different, "Z3 27.59 s, cvc5 0.12 s"},
    // The same property without products: 24 bits are 2·11 + 2, so rounding a sum of two to fp32 first is harmless.
    {"exact addition in fp16", "none: fp16 + fp16, directly or by way of fp32",
     "f16*f16+f16->f16 K=1 : round[f16 rne](fuse[exact](round[f16 rne](p0), c))", "",
     "f16*f16+f16->f16 K=1 : round[f16 rne](round[f32 rne](fuse[exact](round[f16 rne](p0), c)))", Verdict::equivalent},

    // Property 2: rm1 ≠ rm2 in ToFP16(rm, …); "the final rounding is performed in round-to-nearest".
    {"rounding of the final result", "fp16 result rounded by rne, or by rz", names::volta_f16, "", "{round=rz}",
     Verdict::different, "Z3 0.52 s, cvc5 0.008 s"},
    {"rounding of the final result", "rne, or rd", names::volta_f16, "", "{round=rd}", Verdict::different},
    {"rounding of the final result", "rne, or ru", names::volta_f16, "", "{round=ru}", Verdict::different},
    {"rounding of the final result", "rz, or rd", names::volta_f16, "{round=rz}", "{round=rd}", Verdict::different},
    {"rounding of the final result", "rz, or ru", names::volta_f16, "{round=rz}", "{round=ru}", Verdict::different},
    {"rounding of the final result", "rd, or ru", names::volta_f16, "{round=rd}", "{round=ru}", Verdict::different},
    // A single term, as in the paper: in fp32 there is nothing to round.
    {"rounding of the final result", "none: one product in fp32 by rz, or by rne",
     "f16*f16->f32 K=1 : round[f32 rz](p0)", "", "f16*f16->f32 K=1 : round[f32 rne](p0)", Verdict::equivalent},

    // §4.2, Table 3: 2 − 2^-40. "tensor cores do not adhere to any of the IEEE-754 rounding modes … Instead, they
    // truncate": one product and c against the exact sum in each mode.
    {"rounding of the accumulator", "terms truncated, or the exact sum rounded by rz", names::volta, "{K=1}",
     "{K=1,F=exact}", Verdict::different, "Z3 0.34 s, cvc5 0.017 s"},
    {"rounding of the accumulator", "terms truncated, or the exact sum rounded by rne", names::volta, "{K=1}",
     "{K=1,F=exact,round=rne}", Verdict::different},
    {"rounding of the accumulator", "terms truncated, or the exact sum rounded by rd", names::volta, "{K=1}",
     "{K=1,F=exact,round=rd}", Verdict::different},
    {"rounding of the accumulator", "terms truncated, or the exact sum rounded by ru", names::volta, "{K=1}",
     "{K=1,F=exact,round=ru}", Verdict::different},
    // "floating point adders often make use of a 'sticky bit'. … However, a sticky bit does not work when aligning more
    // than 2 terms": alignment by rounding to odd keeps one. Small numbers show it as well as large ones.
    {"rounding of the accumulator", "a sticky bit for three fp8 numbers, or their exact sum",
     "e5m2*e5m2+e5m2->e5m2 K=2 : round[e5m2 rz](fuse[exact](round[e5m2 rz](p0), round[e5m2 rz](p1), c))", "",
     "e5m2*e5m2+e5m2->e5m2 K=2 : round[e5m2 rz](fuse[F=4 odd](round[e5m2 rz](p0), round[e5m2 rz](p1), c))",
     Verdict::different},
    {"rounding of the accumulator", "none: a sticky bit for two fp8 numbers, or their exact sum",
     "e5m2*e5m2+e5m2->e5m2 K=1 : round[e5m2 rz](fuse[exact](round[e5m2 rz](p0), c))", "",
     "e5m2*e5m2+e5m2->e5m2 K=1 : round[e5m2 rz](fuse[F=4 odd](round[e5m2 rz](p0), c))", Verdict::equivalent},

    // Property 3: two additions in single precision by rz, associated to the left and to the right.
    {"accumulation order", "(p0 + p1) + p2, or p0 + (p1 + p2)",
     "f16*f16->f32 K=3 : round[f32 rz](fuse[exact](round[f32 rz](fuse[exact](p0, p1)), p2))", "",
     "f16*f16->f32 K=3 : round[f32 rz](fuse[exact](p0, round[f32 rz](fuse[exact](p1, p2))))", Verdict::different,
     "Z3 9.87 s, cvc5 0.25 s"},
    // The orders that the literature proposes, against "the result does not depend on the order of the terms".
    {"accumulation order", "one sum, or a chain of additions from c on", names::volta, "",
     "f16*f16+f32->f32 K=4 nan=7fffffff : round[f32 rz](fuse[exact](round[f32 rz](fuse[exact](round[f32 "
     "rz](fuse[exact]("
     "round[f32 rz](fuse[exact](c, p0)), p1)), p2)), p3))",
     Verdict::different},
    {"accumulation order", "one sum, or a tree of pairs and then c", names::volta, "",
     "f16*f16+f32->f32 K=4 nan=7fffffff : round[f32 rz](fuse[exact](round[f32 rz](fuse[exact]("
     "round[f32 rz](fuse[exact](p0, p1)), round[f32 rz](fuse[exact](p2, p3)))), c))",
     Verdict::different},
    {"accumulation order", "none: one sum, its terms in another order", names::volta, "",
     "f16*f16+f32->f32 K=4 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=23 rz](c, p3, p1, p0, "
     "p2))",
     Verdict::equivalent},

    // Property 4: (a1·b1 ⊕ a2·b2) ⊕ c against no-normalize-sum. The rival truncates like the unit, but brings each
    // partial sum to a 24-bit significand.
    {"normalisation", "one sum of two products and c, or normalised in between", names::volta, "{K=2}",
     "f16*f16+f32->f32 K=2 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=23 rz zero=ignore]("
     "round[f32 rz zsign=pos](fuse[F=23 rz](p0, p1))@[zero=ignore], c))",
     Verdict::different, "Z3 9.63 s, cvc5 0.25 s"},
    {"normalisation", "the same, with four products added one after the other", names::volta, "",
     "f16*f16+f32->f32 K=4 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=23 rz zero=ignore]("
     "round[f32 rz zsign=pos](fuse[F=23 rz](round[f32 rz zsign=pos](fuse[F=23 rz](round[f32 rz zsign=pos]("
     "fuse[F=23 rz](p0, p1))@[zero=ignore], p2))@[zero=ignore], p3))@[zero=ignore], c))",
     Verdict::different},
    // The rival for two products alone: there is one addition, and normalising its result is what the unit does anyway.
    {"normalisation", "none: one sum of two products, or normalised and then converted",
     "f16*f16->f32 K=2 : round[f32 rz](fuse[F=23 rz](p0, p1))", "",
     "f16*f16->f32 K=2 : round[f32 rz](round[f32 rz](fuse[F=23 rz](p0, p1)))", Verdict::equivalent},

    // §4.4: "tensor cores fully support subnormal numbers for both inputs (of all matrices A, B, and C) and outputs";
    // "there is no automatic flush-to-zero".
    {"subnormal inputs", "subnormal a and b counted, or read as zero", names::volta, "", "{ftz=in}", Verdict::different,
     "Z3 0.117 s, cvc5 0.016 s"},
    {"subnormal inputs", "subnormal c counted, or read as zero", names::volta, "", "{ftz=c}", Verdict::different},
    // If zero products had their fields' exponent, 2^-28, it would push every subnormal c out.
    {"subnormal inputs", "none: subnormal c next to zero products that keep their exponent", names::volta,
     "{zero=emin}", "{zero=emin,ftz=c}", Verdict::equivalent},

    {"subnormal outputs", "subnormal fp16 results kept, or flushed", names::volta_f16, "", "{ftz=out}",
     Verdict::different, "Z3 0.682 s, cvc5 0.024 s"},
    // "Testing for subnormal outputs in FP32 cannot be done without also testing for subnormal inputs".
    {"subnormal outputs", "none: fp32 results, subnormal c being read as zero", names::volta, "{ftz=c}", "{ftz=c+out}",
     Verdict::equivalent},

    // §4.3: "accumulation with 4 extra bits is equivalent to accumulation with 3 extra bits", and 2 are too few.
    {"3 carry bits", "four products and c: 3 carry bits, or 2", names::volta, "{carry=3}", "{carry=2}",
     Verdict::different, "Z3 410.25 s, cvc5 72.793 s"},
    {"3 carry bits", "none: 4 carry bits, or 3", names::volta, "{carry=4}", "{carry=3}", Verdict::equivalent},
    {"3 carry bits", "none: a register that never wraps, or 3", names::volta, "", "{carry=3}", Verdict::equivalent},
    // "Ampere's 9-term accumulator should likewise require 4 extra bits, though attempts to find confirming inputs
    // timed out after 6 hours."
    {"4 carry bits (Ampere)", "eight products and c: 4 carry bits, or 3", names::ampere, "{carry=4}", "{carry=3}",
     Verdict::different, "none within 6 hours"},
    {"4 carry bits (Ampere)", "none: 5 carry bits, or 4", names::ampere, "{carry=5}", "{carry=4}", Verdict::equivalent},
    {"4 carry bits (Ampere)", "none: a register that never wraps, or 4", names::ampere, "", "{carry=4}",
     Verdict::equivalent},
    // The paper's own count: products are normalised first, so a term is below 2 and has one integer bit where our
    // register has two. Its 4 carry bits are our 3.
    {"4 carry bits (Ampere)", "normalised products: one carry bit fewer, or two", names::ampere,
     "{product=full,carry=3}", "{product=full,carry=2}", Verdict::different},
});

} // namespace discern::bench
