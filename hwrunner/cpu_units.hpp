// What the dot-product instructions of CPUs that are not in the catalogue should compute, written out whole.
//
// None of these has been checked on silicon by us; they are what the manuals say. Sources: Arm Architecture Reference
// Manual, pseudocode BFMul, BFAdd, BFRound and BFMatMulAdd (FPCR.EBF being 0) and FPMulAdd; Intel's Software
// Developer's Manual, TDPBF16PS, TDPFP16PS and VFMADD231SH.
#pragma once

#include <string>

namespace discern {

/// BFDOT: two products, their sum and the sum with c, each rounded to odd, subnormals flushed before rounding.
std::string bfdot_unit();
/// BFMMLA: two such steps, one after the other.
std::string bfmmla_unit();
/// FMLA of f32 and f16, FPCR at its default. Which NaN is returned is left open.
std::string fmla_f32_unit();
std::string fmla_f16_unit();

/// VFMADD231SH: IEEE; subnormals are kept whatever MXCSR says.
std::string fma_f16_unit();
/// TDPBF16PS: a chain of multiply-adds from +0 for even elements, another for odd ones, their sum, and c; subnormals
/// are flushed. Which NaN is returned, and where tininess is detected, is left open: any, and after rounding.
std::string tdpbf16ps_unit();
/// TDPFP16PS: the same; subnormal f16 operands are kept.
std::string tdpfp16ps_unit();

} // namespace discern
