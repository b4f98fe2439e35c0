// The formats of numbers that have names of their own, as a table.
#include "models/format.hpp"

#include "cli/base/json.hpp"
#include "cli/options/options.hpp"
#include "cli/options/values.hpp"
#include "models/hex.hpp"

#include <fmt/format.h>

#include <ostream>

namespace discern::cli {

namespace {

std::uint64_t largest(const Format& f) { return pack(f, {.significand = f.max_significand(), .exponent = f.emax()}); }

Json json_of_format(const Format& f) {
    return {{"format", f.name},
            {"also", f.synonym.empty() ? Json(nullptr) : Json(f.synonym)},
            {"bits", f.width},
            {"exponent_bits", f.exponent_bits},
            {"fraction_bits", f.mantissa_bits},
            {"bias", f.bias},
            {"signed", f.is_signed},
            {"largest", {{"pattern", to_hex(f, largest(f))}, {"value", hexfloat(f, largest(f))}}},
            {"source", f.source}};
}

int run_formats(const Command& self, Arguments arguments, const Streams& io) {
    bool json = false;
    CommandLine line(self);
    line.add_shared("--json", json, "a list");
    if (const auto ended = line.read(arguments, io)) return *ended;
    if (json) {
        io.out << to_lines(list_of(formats(), json_of_format), " ") << '\n';
        return status::done;
    }
    const auto row = [&](const auto&... cells) {
        io.out << fmt::format("{:<8}  {:>4}  {:>2}  {:>2}  {:>4}  {:<16}  {}\n", cells...);
    };
    row("format", "bits", "E", "M", "bias", "largest", "source");
    for (const Format& f : formats())
        row(f.name, f.width, f.exponent_bits, f.mantissa_bits, f.bias, to_hex(f, largest(f)), f.source);
    return status::done;
}

} // namespace

extern constinit const Command formats_command{
    .name = "formats",
    .summary = "the formats of numbers that have names",
    .example = "  discern formats\n"
               "      what FORMAT can be, beside formats by their fields such as e8m31",
    .run = run_formats,
    .docs = {.group = "Units", .page = "notation", .schemas = {"formats"}}};

} // namespace discern::cli
