// See checker.hpp.
#include "checker.hpp"

#include "cli/options/options.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"
#include "process/run_process.hpp"

#include <nlohmann/json.hpp>

#include <dlfcn.h>
#include <unistd.h>

namespace discern::cli {

namespace {

constexpr const char* name_of_program = "discern-check";
constexpr int folders_above = 2; ///< build/tests/…, build/python/discern

/// The file in which this code is: the program, or a library that another program has loaded.
std::filesystem::path own_file() {
    static constexpr const char* own_program = "/proc/self/exe";
    Dl_info about{};
    std::error_code error;
    // Of the program itself only the name is known by which it was called, which need not be a path.
    if (dladdr(reinterpret_cast<const void*>(&checker_program), &about) != 0 && about.dli_fname != nullptr) {
        const std::filesystem::path file = about.dli_fname;
        if (file.extension() == ".so") return std::filesystem::canonical(file, error);
    }
    return std::filesystem::read_symlink(own_program, error);
}

bool can_be_run(const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

} // namespace

std::filesystem::path checker_program() {
    const std::filesystem::path own = own_file();
    std::filesystem::path folder = own.parent_path();
    for (int i = 0; i <= folders_above && !folder.empty(); ++i, folder = folder.parent_path())
        if (can_be_run(folder / name_of_program)) return folder / name_of_program;
    throw Error(sentence("--checked: there is no program ", name_of_program, " beside ", excerpt(own.string(), 200),
                         "; it is built and installed with discern, or alone by certificate/build"));
}

CheckerSays ask_checker(const std::filesystem::path& program, const std::filesystem::path& folder,
                        std::string_view claim, const std::vector<Unit>& units,
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
    std::vector<std::string> lines;
    for (const Unit& unit : units) lines.push_back(to_string(unit));
    if (!is("verdict", "accepted") || !is("claim", claim) || !is("units", lines) || ran.ended != "exit status 0")
        return {CheckerSays::Verdict::refused, "it accepted something else: " + excerpt(ran.output, 400)};
    return {CheckerSays::Verdict::accepted, ""};
}

} // namespace discern::cli
