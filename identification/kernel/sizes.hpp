// Does a kernel hold for other K, M and N? A library chooses its order by the sizes, and where it does so is found by
// bisection.
//
// From the size at which the kernel was found, others are tried in steps of two, down and up, on products of two
// families; between the last that it gives and the first that it does not, the interval is halved.
#pragma once

#include "fresh.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace discern::kernels {

/// The target at another K.
struct AtLength {
    Ask ask;
    AskProduct product;           ///< if it has whole products
    std::shared_ptr<void> target; ///< what these use
};

/// A size at which the kernel does not give the products.
struct Elsewhere {
    int size = 0;
    std::optional<std::string> schedule; ///< which gives them there, with the same unit, if one was found
};

/// The range of K, M or N in which the kernel holds, the other sizes being unchanged.
struct SizeRange {
    char size = 'K';
    int tried_from = 0, tried_to = 0;      ///< smallest and largest that was tried
    int from = 0, to = 0;                  ///< the kernel gives all products that were tried, from here to here
    std::optional<Elsewhere> below, above; ///< the nearest that were found on either side

    bool depends() const { return below || above; }
};

struct SizeOptions {
    AskProduct product; ///< of the kernel's K, if the target has whole products: M and N are varied
    /// The target at another K; nothing if there is none. Empty: K is not varied.
    std::function<std::optional<AtLength>(int K)> at_length;
    double seconds = 10;
    std::uint64_t seed = 1;
    std::stop_token stop;
};

/// Rows and columns of products in which vectors are asked, and beside which M and N are varied.
constexpr int usual_side = 64;

/// The kernel by a rule that holds for other K too, where its schedule has lengths of blocks that follow one (kc=n/m),
/// and the target at another K does so. Nothing otherwise.
std::optional<Kernel> with_a_rule(const Finished& kernel, const SizeOptions& options);

/// Whether the schedule gives the products of the target at that K; nothing if one of them has none there.
std::optional<bool> holds_at(const Finished& kernel, int K, const SizeOptions& options);

/// The ranges of the sizes that can be varied: M, N, and K unless the schedule has lengths of its own.
std::vector<SizeRange> size_ranges(const Finished& kernel, const SizeOptions& options);

} // namespace discern::kernels
