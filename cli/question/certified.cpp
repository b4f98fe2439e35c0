#include "certified.hpp"

#include "certificate/file.hpp"
#include "designs/cases/proof.hpp"
#include "designs/gates.hpp"
#include "models/unit/sentence.hpp"

#include <utility>

namespace discern::cli {

namespace {

using Said = std::vector<std::pair<std::string, std::vector<std::string>>>;

void say(Said& about, const std::string& what, std::vector<std::string> values) {
    std::erase(values, "");
    if (!values.empty()) about.emplace_back(what, std::move(values));
}

std::vector<std::string> pairs(const std::vector<std::pair<std::string, std::string>>& list) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : list) texts.push_back(name + "=" + value);
    return texts;
}

/// @return why its circuit cannot be certified; empty: it was added
std::string add_design(const ReadDesign& design, certificate::Certified& what) {
    const rtl::Connection& connection = design.question.connection;
    if (connection.state && !connection.result_is_state)
        return sentence("a certificate is of one result, and here the state and a port are d; --map d=",
                        connection.state->name, " asks about the state alone");
    std::optional<certificate::AndCircuit> circuit;
    std::optional<certificate::CertifiedHandshake> handshake;
    if (connection.handshake) {
        handshake = {0, connection.cycles, connection.has_reset, !connection.handshake->ready_out.empty()};
        circuit = rtl::edge_gates_of(design.question, handshake->registers);
    } else {
        std::string why_not;
        circuit = rtl::and_gates_of(design.question, why_not);
        if (!circuit)
            return sentence("there are certificates of designs whose result does not, as it is written, depend on what "
                            "registers held before, and this one's does: ",
                            why_not);
    }
    Said about;
    const DesignOptions& options = design.options;
    say(about, "module", {design.question.design.top});
    say(about, "read by", {design.question.reader});
    std::vector<std::string> files;
    for (const std::string& file : rtl::with_included(design.sources))
        files.push_back(sentence(file, ", SHA-256 ", certificate::digest_of(file, certificate::most_of_file)));
    say(about, "file", std::move(files));
    say(about, "parameter", pairs(design.sources.parameters));
    say(about, "macro", pairs(design.sources.macros));
    say(about, "operands and their ports (--map)", {options.map});
    say(about, "constant (--set)", options.set);
    say(about, "clock", {options.clock});
    const bool counted = options.cycles == "auto";
    say(about, "edges from the operands to their result",
        {counted ? sentence(design.question.connection.cycles, ", found by --cycles auto") : options.cycles});
    say(about, "reset", {options.reset});
    say(about, "operands stay on the ports until the result is there", {options.hold ? "yes" : ""});
    say(about, "registers that are c before an operation and d after it (--state)", {options.state});
    say(about, "only the first operation after each reset", {options.once ? "yes" : ""});
    say(about, "ports that say that operands and a result are there (--valid)", {options.valid});
    say(about, "ports that say that they are taken (--ready)", {options.ready});
    what.designs.push_back({std::move(*circuit), std::move(about), handshake});
    return "";
}

certificate::SplitProof split(const Unit& unit, const Unit& shape, const DiscriminateOptions& options) {
    return rtl::split_proof(unit, shape, options.limits,
                            {.seed = options.seed, .threads = rtl::threads_for_cases(options.threads)});
}

} // namespace

CertifiedSides certified(const Unit& unit, const std::vector<ReadDesign>& designs, const DiscriminateOptions& options) {
    CertifiedSides result;
    if (designs.size() == 1)
        result.what.units = {unit};
    else
        result.what.shape = unit;
    for (const ReadDesign& design : designs)
        if (result.why_not.empty()) result.why_not = add_design(design, result.what);
    if (designs.size() == 1)
        result.what.by_cases = split(designs.front().question.operation(), designs.front().question.unit, options);
    return result;
}

CertifiedSides certified(const std::pair<Unit, Unit>& units, const DiscriminateOptions& options) {
    return {.what = {.units = {units.first, units.second}, .by_cases = split(units.first, units.first, options)},
            .why_not = ""};
}

} // namespace discern::cli
