// Results that others published about real matrix units, each computed again from the units of the catalogue.
//
// A result is a number that a paper, a poster or an issue thread reports for a device, and the number that our unit of
// that device gives for the same inputs. They agree, or the difference is known and written down.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace discern::published {

struct Result {
    std::string subject; ///< what was computed, on which device
    std::string unit;    ///< the unit of the catalogue, with overrides
    double computed = 0; ///< what the unit gives
    double published = 0;
    /// What the unit must give where that is known not to be the published number, and why the two differ.
    std::optional<double> contradiction;
    std::string remark;

    bool as_expected() const { return computed == contradiction.value_or(published); }
};

struct Collection {
    std::string title;
    std::string story;    ///< what was computed and why it matters, in lines of text
    std::string notation; ///< printf format of the numbers
    std::vector<Result> results;
};

/// Xie et al., "Bit-Accurate Modeling of GPU Matrix Multiply-Accumulate Units", Table 8: one dot product, six answers.
Collection divergence();
/// Li et al., "FTTN: Feature-Targeted Testing for Numerical Properties of NVIDIA & AMD Matrix Accelerators", §V.
Collection gemm();
/// A measured bf16 dot product of an H100 that only one floor of the maximum exponent explains.
Collection floor_of_h100();
/// Fasi et al., poster "Numerical Behavior of GPU Matrix Operations": rounding, order and products of a V100.
Collection rounding_of_v100();
/// ROCm/rocm-systems, issue 12056: V_DOT2 of an AMD RDNA3.5, whose products are negated in the sign of the accumulator.
Collection frame_of_rdna35();
/// Valpey et al., "An SMT Formalization of Mixed-Precision Matrix Multiplication", Table 5: inputs on which the newer
/// of two error corrections is the worse one.
Collection error_correction();

/// The first of them as a picture in SVG.
std::string picture();

struct Named {
    const char* name;
    Collection (*compute)();
};

/// All of the above, by the name that the program takes.
const std::vector<Named>& collections();

} // namespace discern::published
