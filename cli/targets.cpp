// The real units that can be run here and now, and why others cannot.
#include "command.hpp"
#include "hwrunner/kinds.hpp"
#include "models/sentence.hpp"
#include "models/vectors.hpp"
#include "options.hpp"

#include <fmt/format.h>

namespace discern::cli {

namespace {

constexpr std::string_view example = "  discern targets\n"
                                     "      what TARGET can be in 'discern run TARGET FILE' on this machine";

} // namespace

int targets(Arguments arguments, const Streams& io) {
    bool json = false;
    CommandLine line("targets", example);
    line.add_flag("--json", json, "as a JSON list");
    if (const auto ended = line.read(arguments, io)) return *ended;
    std::string objects;
    for (const TargetKind& kind : target_kinds()) {
        const std::string reason = kind.unavailable();
        const std::string name = sentence(kind.name, kind.rest);
        if (json)
            objects += fmt::format("{}\n {{\"target\":{},\"available\":{},\"reason\":{},\"summary\":{}}}",
                                   objects.empty() ? "" : ",", json_string(name), reason.empty(),
                                   reason.empty() ? "null" : json_string(reason), json_string(kind.summary));
        else
            io.out << fmt::format("{:<20}{}\n", name,
                                  reason.empty() ? std::string(kind.summary) : "unavailable: " + reason);
    }
    if (json) io.out << '[' << objects << "\n]\n";
    return status::done;
}

} // namespace discern::cli
