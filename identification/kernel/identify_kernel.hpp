// Which kernel is it? The order over k first, then the instruction of a leaf, then the whole on fresh products.
//
// A leaf is found by the loop of identification/identify/, asked through the kernel: its products are the first of the
// first chain, all others are zero. Where that says nothing, the units of the catalogue and the loops that software has
// are tried. What is named has given all of the validation's products.
//
// Where the sums are multiplied, added to or rounded before they are seen, sums that are exact in any order show first
// what can follow them (epilogue.hpp). The order is then read from what is seen of numbers of units, and each kernel is
// tried with every way and every alpha that its own sums leave.
#pragma once

#include "order.hpp"
#include "sizes.hpp"

#include <functional>
#include <string>

namespace discern::kernels {

/// `seconds` are for other K, M and N at the end. Whole products also validate, much faster than vectors do.
struct KernelOptions : SizeOptions {
    double timeout = 60;              ///< seconds for everything
    std::uint64_t validate = 100'000; ///< fresh products at the end
    double validate_seconds = 40;     ///< and at most as long
    bool finite = false;              ///< only inputs without infinity and NaN
    /// Units to try besides those of the catalogue, by name.
    std::vector<std::pair<std::string, Unit>> known;
    std::function<void(const std::string& stage)> progress;
};

struct KernelResult {
    identify::Conclusion conclusion = identify::Conclusion::unexplained;
    std::optional<Kernel> kernel;
    std::string unit_name;         ///< a name of the instruction, or empty
    std::optional<Fitting> then;   ///< what follows the sums, where anything does
    std::vector<std::string> also; ///< other schedules that gave all products that were tried
    std::vector<std::string> open; ///< what is not settled
    Ground ground;                 ///< the weakest of why all that the instruction may be is the same
    std::vector<SizeRange> sizes;  ///< at which other K, M and N the kernel was tried, and where it holds
    std::optional<identify::Unsteady> unsteady;
    std::string trouble; ///< unexplained: why
    std::size_t order_probes = 0, observations = 0;
    std::uint64_t validated = 0;
    double seconds = 0;
};

KernelResult identify_kernel(const Shape& shape, const Ask& ask, const KernelOptions& options);

} // namespace discern::kernels
