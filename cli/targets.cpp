// The real units that can be run here and now, and why others cannot.
#include "cli/base/command.hpp"
#include "cli/base/devices.hpp"
#include "cli/base/json.hpp"
#include "cli/options/options.hpp"
#include "hwrunner/kinds.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <ostream>

namespace discern::cli {

namespace {

int run_targets(const Command& self, Arguments arguments, const Streams& io) {
    bool json = false;
    CommandLine line(self);
    line.add_shared("--json", json, "a list");
    if (const auto ended = line.read(arguments, io)) return *ended;
    Json list = Json::array();
    const auto show = [&](const std::string& target, const std::string& reason, std::string_view summary) {
        if (json)
            list.push_back({{"target", target},
                            {"available", reason.empty()},
                            {"reason", reason.empty() ? Json(nullptr) : Json(reason)},
                            {"summary", summary}});
        else
            io.out << fmt::format("{:<20}{}{}\n", target, target.size() < 20 ? "" : "  ",
                                  reason.empty() ? std::string(summary) : "unavailable: " + reason);
    };
    for (const TargetKind& kind : target_kinds()) {
        const std::string reason = kind.unavailable();
        show(sentence(kind.name, kind.rest), reason, kind.summary);
        if (!reason.empty() || kind.instances == nullptr) continue;
        if (json) {
            for (const TargetInstance& instance : kind.instances()) show(instance.target, "", instance.summary);
            continue;
        }
        for (const EqualDevices& group : equal_devices(kind)) {
            for (const TargetInstance& instance : group.instances) show(instance.target, "", instance.summary);
            if (group.devices.size() > 1)
                show(others_in_words(group), "", sentence("the same as ", group.devices.front()));
        }
    }
    if (json) io.out << to_lines(list, " ") << '\n';
    return status::done;
}

} // namespace

extern constinit const Command targets_command{
    .name = "targets",
    .summary = "the real units that can be run here and now",
    .example = "  discern targets\n"
               "      what TARGET can be in 'discern run TARGET FILE' on this machine",
    .run = of_a_machine<run_targets>,
    .docs = {.group = "Real units", .page = "targets", .schemas = {"targets"}, .in_python = true}};

} // namespace discern::cli
