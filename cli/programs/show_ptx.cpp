// What a kernel computes: its schedule, or its terms, and what cannot be known from its code alone.
#include "cli/base/json.hpp"
#include "programs/fold/listing.hpp"
#include "ptx.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace discern::cli {

namespace {

/// Where sums depend on the place of an element in its row, each element has a tree of its own.
constexpr std::size_t most_trees = 8;

/// The first trees of a result. @param with_places  each with a line on which elements have it, if there are several
std::vector<std::string> lines_of(programs::Terms& terms, const programs::ReadResult& result, bool with_places) {
    const auto& classes = result.folded.classes;
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < std::min(classes.size(), most_trees); ++i) {
        if (with_places && classes.size() > 1)
            lines.push_back(
                fmt::format("of {} elements, the first of which is number {}:", classes[i].count, classes[i].first));
        for (const auto& line : programs::listing_of(terms, classes[i].term)) lines.push_back(line.text);
    }
    if (with_places && classes.size() > most_trees)
        lines.push_back(fmt::format("and {} other trees", classes.size() - most_trees));
    return lines;
}

Json json_of_read(programs::Terms& terms, const programs::ReadResult& result, std::uint64_t unwritten_reads) {
    Json object = {{"result", result.folded.name}, {"kernel", nullptr}};
    if (result.schedule) object["kernel"] = result.schedule->text;
    object["trees"] = result.folded.classes.size();
    object["elements"] = result.folded.elements.size();
    object["terms"] = lines_of(terms, result, false);
    object["uninterpreted"] = result.uninterpreted;
    object["contractible"] = result.contractible;
    object["reads_uninitialised"] = unwritten_reads;
    object["ordered_atomics"] = result.order_matters;
    object["refused"] = nullptr;
    return object;
}

void print_read(programs::Terms& terms, const programs::RunKernel& kernel, const programs::ReadResult& result,
                const Streams& io) {
    const auto row = [&](std::string_view label, const std::string& value) {
        io.out << fmt::format("{:<14}{}\n", label, value);
    };
    row("result",
        fmt::format("{}, {} elements, {}", result.folded.name, result.folded.elements.size(),
                    result.folded.classes.size() == 1 ? "all of one tree"
                                                      : fmt::format("of {} trees", result.folded.classes.size())));
    if (result.schedule) row("kernel", result.schedule->text);
    if (!result.schedule) {
        row("kernel", "no schedule says it; its terms:");
        for (const std::string& line : lines_of(terms, result, true)) io.out << "  " << line << '\n';
    }
    if (!result.uninterpreted.empty()) row("uninterpreted", fmt::format("{}", fmt::join(result.uninterpreted, ", ")));
    if (result.contractible > 0)
        row("contractible", fmt::format("{} pairs of a product and a sum{}", result.contractible,
                                        kernel.fusion.empty() ? " that the assembler may fuse" : kernel.fusion));
    if (result.order_matters) row("atomics", "the order of blocks is not the kernel's; this is one of the orders");
}

} // namespace

int show_ptx(const std::string& argument, const std::string& launch, bool json, const Streams& io) {
    programs::Terms terms;
    const programs::KernelReading reading = read_ptx(argument, launch, terms, io);
    const std::uint64_t unwritten_reads = reading.kernel.graph.unwritten_reads();
    Json results = Json::array();
    for (const auto& result : reading.results) {
        if (json)
            results.push_back(json_of_read(terms, result, unwritten_reads));
        else
            print_read(terms, reading.kernel, result, io);
    }
    if (!json && unwritten_reads > 0)
        io.out << fmt::format("{:<14}{} values that no result needs come from bytes that nothing has written\n",
                              "unwritten", unwritten_reads);
    if (!json && !reading.kernel.unwaited.empty())
        io.out << fmt::format("{:<14}{}; PTX leaves it undefined, and the assembler is believed to wait\n", "unwaited",
                              reading.kernel.unwaited);
    if (!json) return status::done;
    if (!reading.kernel.assumptions.empty())
        for (Json& result : results) result["assumptions"] = reading.kernel.assumptions;
    for (const std::string& assumption : reading.kernel.assumptions)
        if (!json) io.out << fmt::format("{:<14}{}\n", "assumption", assumption);
    if (!reading.kernel.unwaited.empty())
        for (Json& result : results) result["unwaited"] = reading.kernel.unwaited;
    Json object = results.size() == 1 ? results[0] : Json{{"results", results}};
    io.out << object.dump(1) << '\n';
    return status::done;
}

} // namespace discern::cli
