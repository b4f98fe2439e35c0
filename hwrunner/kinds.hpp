// The table of all kinds of target, and the one way to make one from what a user wrote.
#pragma once

#include "target.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace discern {

struct TargetOptions {
    std::optional<Shape> shape; ///< of targets that do not say their own: exec
    double answer_timeout = 10; ///< seconds that a target may be silent while answers are due
    unsigned programs = 1;      ///< exec: how many of them answer a batch side by side
    /// matrices: the first vectors are asked at every place, where all results must be the same. Without it the caller
    /// sees for itself whether the target is a function of a vector.
    bool at_every_place_first = true;
    std::stop_token stop = {}; ///< for targets that may be slow: a run ends as soon as it is requested
    /// Reads a design, rtl:FILE, of a shape. @param rest  what follows the colon
    std::function<std::unique_ptr<Target>(const std::string& rest, const Shape& shape)> design = nullptr;
    /// Reads a kernel, ptx:FILE. @param rest  what follows the colon
    std::function<std::unique_ptr<Target>(const std::string& rest)> kernel = nullptr;
};

/// One of the targets of a kind that can say what there is.
struct TargetInstance {
    std::string target;  ///< as a user writes it
    std::string summary; ///< one line
    std::string unit{};  ///< of the catalogue, which it should compute; empty: the device is not in the catalogue
};

struct TargetKind {
    std::string_view name;    ///< the whole name, or up to and with its colon: "exec:"
    std::string_view rest;    ///< what follows a colon: "COMMAND LINE"; empty: nothing does
    std::string_view summary; ///< one line
    bool shape_is_given;      ///< make() needs TargetOptions::shape
    /// Why no target of this kind can be run here and now; empty if it can. @param name  the kind's
    std::string (*why_unavailable)(std::string_view name);
    /// @param rest  what follows the colon; the name, if there is none. Called only if available. @throws Error
    std::unique_ptr<Target> (*make)(const std::string& rest, const TargetOptions& options);
    /// All of them; nullptr: the kind cannot say. Called only if available. @throws Error
    std::vector<TargetInstance> (*instances)() = nullptr;
    /// What it should compute, as a UNIT; nullptr: that depends on the rest, or is not known.
    std::string (*unit)() = nullptr;

    std::string unavailable() const { return why_unavailable(name); }
    bool has_rest() const { return !rest.empty(); }
};

/// All kinds, in the order in which they are shown.
std::span<const TargetKind> target_kinds();

/// The kind that the text names. @throws Error that names the nearest right ones
const TargetKind& kind_of(const std::string& text);

/// @param text  as a user writes it: "x86/dpps", "exec:./simulator --fast"
/// @throws Error if there is no such target, it is not available, or it cannot be started
std::unique_ptr<Target> make_target(const std::string& text, const TargetOptions& options = {});

/// Formats and K as users give them.
/// @param formats  of a, b, c, d, separated by commas; c may be "-": there is no accumulator
/// @param scale    FORMAT/BLOCK, or empty
/// @throws Error
Shape shape_from_text(const std::string& formats, int K, const std::string& scale = "");

} // namespace discern
