// Any solver that reads SMT-LIB 2 on its standard input, as a program of its own: "boolector", "z3 -in", "cvc5 --lang
// smt2 -".
//
// Each check is a fresh run with the whole script, so that nothing is asked of the program but the standard's simplest
// commands, and a limit can end it for certain.
#include "makers.hpp"

#include "encodings/graph/smtlib.hpp"
#include "hwrunner/process/run_process.hpp"
#include "models/error.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

namespace discern {

namespace {

/// The first line of a text, made short, for a sentence.
std::string first_line(const std::string& text) {
    std::string line = text.substr(0, text.find('\n')).substr(0, 200);
    for (char& letter : line)
        if (static_cast<unsigned char>(letter) < 32) letter = ' ';
    return line;
}

/// Programs that know less than the standard: a model is asked for by a flag, not by (set-option) and (get-value).
struct SolverDialect {
    std::string_view program;
    std::string_view model_flag;
};
constexpr SolverDialect solver_dialects[] = {{"boolector", "-m"}};

const SolverDialect* dialect_of(std::string_view command) {
    std::string_view program = command.substr(0, command.find_first_of(" \t"));
    program = program.substr(program.rfind('/') + 1);
    for (const SolverDialect& d : solver_dialects)
        if (program == d.program) return &d;
    return nullptr;
}

std::string with_model_flag(std::string command, const SolverDialect* dialect) {
    if (dialect != nullptr)
        command.insert(std::min(command.find_first_of(" \t"), command.size()), " " + std::string(dialect->model_flag));
    return command;
}

class SmtlibBackend : public Backend {
  public:
    SmtlibBackend(const Terms& terms, const std::string& command)
        : terms_(terms), get_values_(dialect_of(command) == nullptr),
          command_(with_model_flag(command, dialect_of(command))) {}

    void require(Term condition) override { conditions_.push_back(condition); }

    using Backend::check;
    Outcome check(const Limit& limit, std::span<const Term> assumptions) override {
        values_.clear();
        has_values_ = false;
        std::vector<Term> all = conditions_;
        all.insert(all.end(), assumptions.begin(), assumptions.end());
        std::ostringstream script;
        write_smtlib(script, terms_, all, "", get_values_);
        const ProcessResult run = run_process(command_, script.str(), [&limit] { return limit.reached(); });
        if (run.stopped) return Outcome::unknown;
        std::istringstream output(run.output + "\n");
        for (std::string line; std::getline(output, line);) {
            if (line == "sat") {
                read_values(output);
                return Outcome::sat;
            }
            if (line == "unsat") {
                require_trustworthy(run, static_cast<std::size_t>(output.tellg()));
                return Outcome::unsat;
            }
            if (line == "unknown" || line == "timeout") return Outcome::unknown;
        }
        const std::string said = first_line(run.output.empty() ? run.errors : run.output);
        throw Error("the solver '" + command_ + "' ended with " + run.ended +
                    " and no answer; sat, unsat or unknown on a line of its own is right" +
                    (said.empty() ? "" : "; it said: " + said));
    }

    Bits value(Term variable) override {
        if (!has_values_) throw std::logic_error("SmtlibBackend: value() without a solution");
        Bits result(terms_.width(variable));
        const auto found = values_.find(terms_.name(variable));
        if (found == values_.end()) return result; // the conditions do not depend on it
        for (int i = 0; i < result.width() && i < static_cast<int>(found->second.size()); ++i)
            if (found->second[found->second.size() - 1 - static_cast<std::size_t>(i)] == '1') result.set(i);
        return result;
    }

  private:
    /// Nothing checks an "unsat", so it counts only from a program that read the whole question, complained of nothing
    /// before, said nothing else, and ended by itself. What stands after it may be the error that (get-value …) is
    /// then, and the exit status may say so. 20 is "unsat", too (boolector).
    void require_trustworthy(const ProcessResult& run, std::size_t after) const {
        const auto refuse = [&](const std::string& why) {
            throw Error("the solver '" + command_ + "' said unsat, which does not count, since it " + why);
        };
        if (!run.read_all) refuse("did not read the whole question");
        bool has_error_after = false;
        std::istringstream lines(run.output);
        for (std::string line; std::getline(lines, line);) {
            const bool is_before = lines.tellg() >= 0 && static_cast<std::size_t>(lines.tellg()) < after;
            const bool is_error = line.starts_with("(error");
            if (is_error && is_before) refuse("said before: " + first_line(line));
            has_error_after = has_error_after || is_error;
            if (line == "sat" || line == "unknown" || line == "timeout") refuse("said " + line + ", too");
        }
        const bool is_of_values = get_values_ && has_error_after && run.ended == "exit status 1";
        if (!run.succeeded() && run.ended != "exit status 20" && !is_of_values)
            refuse("ended with " + run.ended + (run.errors.empty() ? "" : ", and said: " + first_line(run.errors)));
    }

    /// ((name #b0101) (name #x3c) …), over any number of lines; or, without brackets and marks, "name 0101".
    void read_values(std::istream& in) {
        std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
        for (char& letter : text)
            if (letter == '(' || letter == ')') letter = ' ';
        std::istringstream words(text);
        for (std::string name, value; words >> name >> value;) values_[name] = binary(value);
        has_values_ = true;
    }

    std::string binary(const std::string& value) const {
        if (value.starts_with("#b")) return value.substr(2);
        if (value.find_first_not_of("01") == std::string::npos) return value;
        if (!value.starts_with("#x"))
            throw Error("the solver '" + command_ + "' gave the value '" + value.substr(0, 40) +
                        "'; #b… or #x… is right");
        std::string digits;
        for (const char digit : value.substr(2)) {
            const int number = std::isdigit(static_cast<unsigned char>(digit)) != 0
                                   ? digit - '0'
                                   : 10 + std::tolower(static_cast<unsigned char>(digit)) - 'a';
            for (int bit = 3; bit >= 0; --bit) digits += ((number >> bit) & 1) != 0 ? '1' : '0';
        }
        return digits;
    }

    const Terms& terms_;
    bool get_values_;
    std::string command_;
    std::vector<Term> conditions_;
    std::map<std::string, std::string> values_;
    bool has_values_ = false;
};

} // namespace

std::unique_ptr<Backend> make_smtlib(const Terms& terms, const std::string& command) {
    return std::make_unique<SmtlibBackend>(terms, command);
}

} // namespace discern
