// What is a file, a unit or an option is guessed from each word; the command is not run for that.
#include "command_line.hpp"

#include "cli/options/manual.hpp"
#include "cli/options/options.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace discern::cli {

namespace {

/// Options whose value is what the command writes.
constexpr std::array<std::string_view, 4> of_output = {"-o", "--svg", "--html", "--certificate"};
constexpr std::array<std::string_view, 2> flags_of_limits = {"--finite", "--no-subnormals"};
constexpr std::array<std::string_view, 2> values_of_limits = {"--range", "--values"};

/// The word, and its parts behind a colon or an @ or =, and between commas.
std::vector<std::string> possible_files(const std::string& word) {
    std::vector<std::string> all = {word};
    const std::size_t begin = word.find_first_of(":@=");
    std::string rest = begin == std::string::npos ? word : word.substr(begin + 1);
    for (std::size_t comma; !rest.empty(); rest = comma == std::string::npos ? "" : rest.substr(comma + 1)) {
        comma = rest.find(',');
        all.push_back(rest.substr(0, comma));
    }
    return all;
}

std::optional<std::string> notation_of(const std::string& word, const std::string& K) {
    try {
        const std::string text =
            K.empty() ? word : with_length(word, static_cast<int>(require_whole(K, {.least = 1, .most = 1 << 20})));
        return to_string(resolve_unit(text));
    } catch (const Error&) {
        return std::nullopt;
    }
}

} // namespace

ReportedCommand::ReportedCommand(Arguments words) : words_(words.begin(), words.end()) {
    if (words_.size() > 1 && std::filesystem::path(words_.front()).filename() == "discern")
        words_.erase(words_.begin());
    if (words_.empty())
        throw Error("bug-report: the command is missing; it stands behind --, as in "
                    "'discern bug-report -o report.md -- prove UNIT UNIT'");
    if (name() == "bug-report") throw Error("bug-report: a report about bug-report would report itself for ever");
    require_command(name(), "bug-report: ");
}

std::string ReportedCommand::text() const { return quoted_command(name(), Arguments(words_).subspan(1)); }

std::string ReportedCommand::value_of(std::string_view option) const {
    for (std::size_t i = 1; i < words_.size(); ++i) {
        if (words_[i] == option) return i + 1 < words_.size() ? words_[i + 1] : "";
        if (words_[i].starts_with(sentence(option, "="))) return words_[i].substr(option.size() + 1);
    }
    return "";
}

bool ReportedCommand::has(std::string_view option) const { return std::ranges::find(words_, option) != words_.end(); }

bool ReportedCommand::reads_standard_input() const { return has("-") || has("replay:-"); }

std::vector<std::filesystem::path> ReportedCommand::files() const {
    std::vector<std::filesystem::path> files;
    for (std::size_t i = 1; i < words_.size(); ++i) {
        if (std::ranges::find(of_output, words_[i - 1]) != of_output.end()) continue;
        for (const std::string& text : possible_files(words_[i])) {
            std::error_code ignored;
            const std::filesystem::path file = text;
            if (std::filesystem::is_regular_file(file, ignored) && std::ranges::find(files, file) == files.end())
                files.push_back(file);
        }
    }
    return files;
}

std::vector<std::pair<std::string, std::string>> ReportedCommand::units() const {
    std::vector<std::pair<std::string, std::string>> units;
    const std::string K = value_of("--K");
    for (std::size_t i = 1; i < words_.size(); ++i) {
        const std::size_t model = words_[i].starts_with("model:") ? std::string_view("model:").size() : 0;
        const std::string word = words_[i].substr(model);
        std::optional<std::string> notation = notation_of(word, K);
        if (!notation && !K.empty()) notation = notation_of(word, "");
        if (notation) units.emplace_back(word, std::move(*notation));
    }
    return units;
}

bool ReportedCommand::is_about_two_units() const {
    return (name() == "prove" || name() == "synth" || name() == "smt2") && units().size() == 2;
}

std::vector<std::string> ReportedCommand::limits() const {
    std::vector<std::string> limits;
    for (const std::string_view flag : flags_of_limits)
        if (has(flag)) limits.emplace_back(flag);
    for (const std::string_view option : values_of_limits)
        if (const std::string value = value_of(option); !value.empty())
            limits.insert(limits.end(), {std::string(option), value});
    return limits;
}

std::string ReportedCommand::seed() const {
    if (const std::string given = value_of("--seed"); !given.empty()) return given;
    for (const DescribedOption& option : options_of(*find_command(name()))) {
        if (std::ranges::find(option.names, "--seed") == option.names.end()) continue;
        const std::size_t begin = option.text.rfind('('), end = option.text.rfind(')');
        const bool has_default = begin != std::string::npos && end > begin && end + 1 == option.text.size();
        return has_default ? option.text.substr(begin + 1, end - begin - 1) + ", not given" : "not given";
    }
    return "";
}

} // namespace discern::cli
