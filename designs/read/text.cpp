// Runs the preprocessor, keeps the line numbers of the files, and looks for text that only synthesis reads.
#include "text.hpp"

#include "hwrunner/process/run_process.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <sstream>

namespace discern::rtl {

namespace {

/// Between files, for the preprocessor.
constexpr std::string_view border = "// discern: the next file";

constexpr auto words_for_synthesis =
    std::to_array<std::string_view>({"translate_off", "synthesis_off", "SYNTHESIS", "YOSYS", "__ICARUS__", "nolatches",
                                     "mem2reg", "blackbox", "whitebox", "keep_hierarchy", "defaultvalue"});

/// What a designer promises of the values of a case: that there are no others, and that no two items hold at once.
constexpr auto promises = std::to_array<std::string_view>({"full_case", "parallel_case"});

/// After these a # is a delay; after any other word it begins parameters.
constexpr auto before_delays = std::to_array<std::string_view>(
    {"always",  "always_comb", "always_ff", "and",    "assign", "begin", "buf",     "bufif0",  "bufif1",
     "default", "do",          "else",      "end",    "fork",   "join",  "forever", "initial", "logic",
     "nand",    "nor",         "not",       "notif0", "notif1", "or",    "reg",     "return",  "tri",
     "uwire",   "wand",        "wire",      "wor",    "xnor",   "xor",   "var"});

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '`'; }

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string trimmed(const std::string& line) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) return "";
    return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

} // namespace

/// One pass over the text: what a simulator does not read becomes spaces, lines stay lines.
class SimulatedText::Scanner {
  public:
    Scanner(const std::string& in, std::vector<Hazard>& hazards) : in_(in), hazards_(hazards) {}

    std::string run() {
        while (at_ < in_.size()) {
            const char c = in_[at_];
            if (ahead("//"))
                comment(in_.find('\n', at_));
            else if (ahead("/*"))
                comment(after("*/", at_ + 2));
            else if (c == '"')
                string();
            else if (ahead("(*") && !is_star())
                attribute();
            else if (c == '\\')
                take(in_.find_first_of(" \t\n", at_), true); // a name that ends with a space
            else if (is_name(c))
                word();
            else
                symbol();
        }
        return std::move(out_);
    }

  private:
    bool ahead(std::string_view text) const { return in_.compare(at_, text.size(), text) == 0; }
    std::size_t after(std::string_view text, std::size_t from) const {
        const auto found = in_.find(text, from);
        return found == std::string::npos ? found : found + text.size();
    }
    /// "(*)", of @(*).
    bool is_star() const {
        const auto next = in_.find_first_not_of(" \t\n\r", at_ + 2);
        return next != std::string::npos && in_[next] == ')';
    }
    void take(std::size_t end, bool is_name_of_something) {
        end = std::min(end, in_.size());
        const std::string token = in_.substr(at_, end - at_);
        line_ += static_cast<int>(std::count(token.begin(), token.end(), '\n'));
        out_ += token;
        at_ = end;
        if (is_name_of_something) previous_ = "\\";
    }
    void blank(std::size_t end) {
        end = std::min(end, in_.size());
        for (; at_ < end; ++at_) {
            if (in_[at_] == '\n') ++line_;
            out_ += in_[at_] == '\n' ? '\n' : ' ';
        }
    }
    /// Of the promises full_case is kept: the values that it excludes are left open. parallel_case is not: a simulator
    /// takes the first of several items that hold.
    bool keeps_full_case(const std::string& text) {
        if (text.find("parallel_case") != std::string::npos) hazard(Construct::overlap);
        return text.find("full_case") != std::string::npos;
    }
    void comment(std::size_t end) {
        end = std::min(end, in_.size());
        std::string text = in_.substr(at_, end - at_);
        const std::size_t start = at_;
        blank(end);
        if (text.find("translate") != std::string::npos || text.find('\n') != std::string::npos ||
            !keeps_full_case(text))
            return;
        for (auto at = text.find("parallel_case"); at != std::string::npos; at = text.find("parallel_case"))
            text.erase(at, 13);
        out_.replace(out_.size() - (end - start), end - start, text);
    }
    void string() {
        std::size_t end = at_ + 1;
        while (end < in_.size() && in_[end] != '"') end += in_[end] == '\\' ? 2 : 1;
        take(end + 1, false);
        previous_ = "\"";
    }
    void attribute() {
        const std::size_t end = std::min(after("*)", at_ + 2), in_.size());
        const std::string text = in_.substr(at_, end - at_);
        blank(end);
        if (keeps_full_case(text)) out_ += "(* full_case *) ";
    }
    void word() {
        std::size_t end = at_;
        while (end < in_.size() && is_name(in_[end])) ++end;
        const std::string token = in_.substr(at_, end - at_);
        if (previous_ == "module" || previous_ == "macromodule") module_ = "\\" + token;
        if (token == "specify") hazard(Construct::specify);
        if ((token == "unique" || token == "unique0") && is_before_case(end)) {
            hazard(Construct::overlap);
            blank(end);
            if (token == "unique") out_ += "priority "; // full_case alone
        } else {
            take(end, false);
        }
        previous_ = token;
    }
    bool is_before_case(std::size_t at) const {
        at = in_.find_first_not_of(" \t\n\r", at);
        return at != std::string::npos && (in_.compare(at, 4, "case") == 0 || in_.compare(at, 2, "if") == 0);
    }
    void symbol() {
        const char c = in_[at_];
        if (c == '#' && is_delay()) hazard(Construct::delay);
        if (std::isspace(static_cast<unsigned char>(c)) == 0) previous_ = std::string(1, c);
        take(at_ + 1, false);
    }
    bool is_delay() const {
        if (previous_.empty() || previous_ == "#") return false;
        if (!is_name(previous_.front()) && previous_.front() != '\\') return true;
        return std::find(before_delays.begin(), before_delays.end(), previous_) != before_delays.end();
    }
    void hazard(Construct construct) { hazards_.push_back({construct, module_, line_, sentence_of(construct)}); }

    const std::string& in_;
    std::vector<Hazard>& hazards_;
    std::string out_, previous_, module_;
    std::size_t at_ = 0;
    int line_ = 1;
};

SimulatedText::SimulatedText(const std::string& preprocessed) : lines_(lines_of(preprocessed)) {
    for (std::size_t i = 0; i < lines_.size(); ++i)
        if (lines_[i].find(border) != std::string::npos) starts_.push_back(i + 1);
    text_ = Scanner(preprocessed, hazards_).run();
}

std::optional<SimulatedText> SimulatedText::read(const Sources& sources, const Folder& folder,
                                                 const std::function<bool()>& must_stop) {
    if (!is_program("iverilog")) return std::nullopt;
    const std::string between = folder.file("border.v"), out = folder.file("preprocessed.v");
    std::ofstream(between) << "\n" << border << "\n";
    std::string command = "iverilog -E -g2012 -o " + shell_word(out);
    command += simulator_options(sources);
    for (const std::string& file : sources.files) command += " " + shell_word(between) + " " + shell_word(file);
    const ProcessResult result = run_process(command, "", must_stop);
    if (result.stopped) throw OutOfTime("Icarus Verilog did not read the design in time; --timeout gives it more");
    if (result.ended != "exit status 0")
        throw CannotRead(sentence("Icarus Verilog cannot read the design: ", excerpt(result.errors, 200)));
    return SimulatedText(content_of(out));
}

std::string SimulatedText::place(int line, const Sources& sources) const {
    const auto at = static_cast<std::size_t>(std::max(line, 1)) - 1;
    if (at >= lines_.size()) return sources.files.front();
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), at);
    const std::string wanted = trimmed(lines_[at]);
    if (next != starts_.begin()) {
        const auto file = static_cast<std::size_t>(next - starts_.begin()) - 1;
        const std::size_t own = at - starts_[file];
        const auto lines = file < sources.files.size() ? lines_of(content_of(sources.files[file])) : lines_;
        if (own < lines.size() && trimmed(lines[own]) == wanted) return sentence(sources.files[file], ":", own + 1);
    }
    // Something is included before it, or a macro stands in it.
    for (const std::string& file : with_included(sources)) {
        const auto lines = lines_of(content_of(file));
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (trimmed(lines[i]) == wanted) return sentence(file, ":", i + 1);
    }
    return sentence("at ", excerpt(wanted, 80), " in ", sources.files.front());
}

std::string SimulatedText::with_places(std::string what, const std::string& file, const Sources& sources) const {
    const std::string name = file + ":";
    for (auto at = what.find(name); at != std::string::npos; at = what.find(name)) {
        std::size_t end = at + name.size();
        const int line = std::atoi(what.c_str() + end);
        while (end < what.size() && std::isdigit(static_cast<unsigned char>(what[end])) != 0) ++end;
        what.replace(at, end - at, place(line, sources));
    }
    return "as a simulator reads the design, without SYNTHESIS and comments for synthesis: " + what;
}

std::string first_word_for_synthesis(const Sources& sources) {
    for (const std::string& file : with_included(sources)) {
        const auto lines = lines_of(content_of(file));
        for (std::size_t i = 0; i < lines.size(); ++i)
            for (const std::string_view word : words_for_synthesis)
                if (lines[i].find(word) != std::string::npos) return sentence(file, ":", i + 1, " (", word, ")");
    }
    return "";
}

std::string first_promise_in_comment(const Sources& sources) {
    for (const std::string& file : with_included(sources)) {
        const std::string text = content_of(file);
        for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
            const bool is_line = text.compare(at, 2, "//") == 0, is_block = text.compare(at, 2, "/*") == 0;
            end = at + 1;
            if (text[at] == '"') {
                while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
                ++end;
            }
            if (!is_line && !is_block) continue;
            end = std::min(is_line ? text.find('\n', at) : text.find("*/", at + 2), text.size());
            for (const std::string_view promise : promises) {
                const auto found = std::string_view(text).substr(0, end).find(promise, at);
                if (found == std::string::npos) continue;
                const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(found), '\n') + 1;
                return sentence(file, ":", line, " (", promise, ")");
            }
        }
    }
    return "";
}

} // namespace discern::rtl
