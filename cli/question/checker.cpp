// Finds the program beside this one, runs it, and reads its verdict.
#include "checker.hpp"

#include "certificate/sha256.hpp"
#include "cli/base/own_program.hpp"
#include "cli/options/options.hpp"
#include "hwrunner/process/run_process.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"

#include <nlohmann/json.hpp>

namespace discern::cli {

namespace {

constexpr const char* name_of_program = "discern-check";

} // namespace

std::filesystem::path checker_program() {
    std::filesystem::path program = program_beside_us(name_of_program);
    if (program.empty())
        throw Error(sentence("--checked: there is no program ", name_of_program, " beside ",
                             excerpt(own_file().string(), 200),
                             "; it is built and installed with discern, or alone by certificate/build"));
    return program;
}

CheckerSays ask_checker(const std::filesystem::path& program, const std::filesystem::path& folder,
                        std::string_view claim, const certificate::Certified& what,
                        const std::function<bool()>& must_stop) {
    const ProcessResult ran = run_process(quoted_word(program.string()) + " --json " +
                                              quoted_word(std::filesystem::absolute(folder).string()),
                                          "", must_stop);
    if (ran.stopped) return {};
    using Json = nlohmann::json;
    const Json said = Json::parse(ran.output, nullptr, false);
    const auto is = [&](const char* key, const Json& value) {
        return said.is_object() && said.value(key, Json()) == value;
    };
    if (said.is_discarded() || !said.contains("verdict"))
        return {CheckerSays::Verdict::none,
                sentence(name_of_program, " gave no answer (", ran.ended, ")",
                         ran.errors.empty() ? "" : ": " + excerpt(ran.errors.substr(0, ran.errors.find('\n')), 200))};
    if (is("verdict", "refused"))
        return {CheckerSays::Verdict::refused, said.value("reason", std::string("it says no reason"))};
    std::vector<std::string> lines, digests;
    for (const Unit& unit : what.units) lines.push_back(to_string(unit));
    for (const certificate::CertifiedDesign& design : what.designs)
        digests.push_back(certificate::sha256(design.text(what.any_unit())));
    const Json designs = digests.empty() ? Json() : Json(digests);
    if (!is("verdict", "accepted") || !is("claim", claim) || !is("units", lines) || !is("designs", designs) ||
        ran.ended != "exit status 0")
        return {CheckerSays::Verdict::refused, "it accepted something else: " + excerpt(ran.output, 400)};
    return {CheckerSays::Verdict::accepted, ""};
}

} // namespace discern::cli
