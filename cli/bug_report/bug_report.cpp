// A command run again, with everything that is needed to reproduce what it did: one text in Markdown, to read and to
// send.
//
// The command runs in a process of its own, so that a crash, a lack of memory or an endless loop is reported too. For a
// question about two units the report has the question as SMT-LIB 2, which any solver reads, and each vector step by
// step. Names of the person and of the machine are taken out of everything (private_names.hpp).
#include "certificate/sha256.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/own_program.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/options/options.hpp"
#include "command_line.hpp"
#include "hwrunner/process/run_process.hpp"
#include "hwrunner/process/temporary.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "private_names.hpp"
#include "solver/backend/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>

#include <sys/utsname.h>
#include <unistd.h>

extern char** environ;

namespace discern::cli {

namespace {

constexpr std::size_t most_text = 1 << 20, most_bytes = 1 << 16, most_explained = 3;
constexpr std::size_t most_kept = 16 << 20; ///< bytes of a file

// ---- the program and the machine; whatever cannot be read is left out

std::string compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "g++ " __VERSION__;
#endif
}

std::string build() {
    std::string text = sentence(compiler(), ", C++ ", __cplusplus / 100 % 100);
#if defined(__OPTIMIZE__)
    text += ", optimised";
#endif
#if defined(__SANITIZE_ADDRESS__)
    text += ", with the address sanitizer";
#endif
    return text;
}

std::string solvers() {
    std::string text;
    for (const BackendKind& solver : backends())
        text += sentence(text.empty() ? "" : ", ", solver.name, " ", solver.version);
    return text.empty() ? "none" : text;
}

/// What stands behind "KEY" and `between` in the first line of the file that begins with the key.
std::string value_in(const char* file, std::string_view key, char between) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(key)) continue;
        std::string value = line.substr(line.find(between) + 1);
        value.erase(0, value.find_first_not_of(" \t\""));
        while (!value.empty() && value.back() == '"') value.pop_back();
        return value;
    }
    return "";
}

std::string system_name() {
    utsname name{};
    if (uname(&name) != 0) return "not known";
    const std::string release = value_in("/etc/os-release", "PRETTY_NAME", '=');
    return sentence(release, release.empty() ? "" : ", ", name.sysname, " ", name.release, " ", name.machine);
}

/// The vector instructions that decide which kernels are used.
std::string vector_instructions() {
    static constexpr std::array<std::string_view, 7> known = {"fma",      "avx2",        "avx512f",    "avx512vl",
                                                              "avx512bw", "avx512_vnni", "avx512_fp16"};
    const std::string flags = " " + value_in("/proc/cpuinfo", "flags", ':') + " ";
    std::string text;
    for (const std::string_view flag : known)
        if (flags.find(sentence(" ", flag, " ")) != std::string::npos) text += sentence(text.empty() ? "" : " ", flag);
    return text.empty() ? "none that is known here" : text;
}

std::string settings() {
    std::string text;
    for (char** one = environ; *one != nullptr; ++one)
        if (std::string_view(*one).starts_with("DISCERN_")) text += sentence(text.empty() ? "" : ", ", *one);
    return text.empty() ? "none" : text;
}

/// Rows of a table: what, and its value. No name of the machine is among them.
std::vector<std::pair<std::string, std::string>> about_program_and_machine() {
    const std::string cpu = value_in("/proc/cpuinfo", "model name", ':');
    return {{"version", DISCERN_VERSION},
            {"build", build()},
            {"solvers", solvers()},
            {"system", system_name()},
            {"CPU", sentence(cpu.empty() ? "not known" : cpu, ", ", std::thread::hardware_concurrency(), " threads")},
            {"vector instructions", vector_instructions()},
            {"environment", settings()}};
}

// ---- what the command did

/// What a command did in a process of its own.
struct Ran {
    std::string output, errors, ended;
    double seconds = 0;
};

class Runner {
  public:
    explicit Runner(const Streams& io) : interrupt_(io), program_(program_beside_us("discern")) {
        if (program_.empty())
            throw Error(sentence("bug-report: it runs the program discern, and there is none beside ",
                                 excerpt(own_file().string(), 200)));
        place_.emplace("discern-report-");
    }

    Ran run(const std::vector<std::string>& words, const std::string& input) const {
        const std::string errors = place_->file("errors");
        std::string command = quoted_word(program_.string());
        for (const std::string& word : words) command += ' ' + quoted_word(word);
        command = "exec " + command + " 2>" + quoted_word(errors);
        const auto start = std::chrono::steady_clock::now();
        const ProcessResult result = run_process(command, input, [&] { return interrupt_.stopped(); });
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        std::ifstream said(errors, std::ios::binary);
        return {result.output, std::string(std::istreambuf_iterator<char>(said), {}),
                result.stopped ? "interrupted, and killed" : result.ended, seconds.count()};
    }

  private:
    Interrupt interrupt_;
    std::filesystem::path program_;
    std::optional<TemporaryFolder> place_;
};

class Report {
  public:
    Report(const PrivateNames& names, std::ostream& out) : names_(names), out_(out) {}

    void line(std::string_view text = "") { out_ << names_.without(text) << '\n'; }
    void heading(std::string_view text) { line(sentence("\n## ", text, "\n")); }
    void row(std::string_view what, std::string_view value) { line(sentence("| ", what, " | ", value, " |")); }

    /// Text as it is, between fences that do not occur in it; what is too long is truncated.
    void block(std::string_view text) {
        if (text.empty()) {
            line("(empty)");
            return;
        }
        std::string fence = "~~~~";
        while (text.find(fence) != std::string_view::npos) fence += '~';
        const std::string_view shown = text.substr(0, most_text);
        out_ << fence << '\n' << names_.without(shown) << (shown.ends_with('\n') ? "" : "\n") << fence << '\n';
        if (shown.size() < text.size())
            line(sentence("The first ", most_text, " bytes of ", text.size(), " are shown."));
    }

    /// A file or the standard input: as text, or in hexadecimal, which `xxd -r -p` reads.
    void bytes(const std::string& name, const std::string& content) {
        const bool is_long = content.size() > most_kept;
        line(fmt::format("\n### {}\n\n{}{} bytes, SHA-256 {}{}\n", names_.without(name), is_long ? "more than " : "",
                         content.size() - (is_long ? 1 : 0), certificate::sha256(content),
                         is_long ? " of these and the next" : ""));
        if (content.find('\0') == std::string::npos) {
            block(content);
            return;
        }
        std::string hex;
        for (std::size_t i = 0; i < std::min(content.size(), most_bytes); ++i)
            hex += fmt::format("{:02x}{}", static_cast<unsigned char>(content[i]), i % 32 == 31 ? "\n" : "");
        block(hex);
        if (content.size() > most_bytes) line(sentence("The first ", most_bytes, " bytes are shown."));
    }

  private:
    const PrivateNames& names_;
    std::ostream& out_;
};

/// No more than the beginning of a long file.
std::string content_of(const std::filesystem::path& file, const Streams& io) {
    InputFile in(file.string(), io);
    std::string content(most_kept + 1, '\0');
    in.stream().read(content.data(), static_cast<std::streamsize>(content.size()));
    content.resize(static_cast<std::size_t>(in.stream().gcount()));
    return content;
}

/// The vectors in what a question printed: the lines of a vector file, or the list of --json.
std::string vectors_in(const std::string& output) {
    const Json all = Json::parse(output, nullptr, false);
    std::string lines;
    if (all.is_object() && all.contains("vectors")) {
        for (const Json& vector : all["vectors"]) lines += to_text(vector) + '\n';
        return lines;
    }
    std::istringstream in(output);
    for (std::string line; std::getline(in, line);) {
        const Json one = Json::parse(line, nullptr, false);
        if (one.is_object() && one.contains("a") && one["a"].is_array()) lines += line + '\n';
    }
    return lines;
}

void about_the_question(const ReportedCommand& command, const std::string& vectors, const Runner& runner,
                        Report& report) {
    const auto units = command.units();
    std::vector<std::string> question = {"smt2", units[0].second, units[1].second};
    for (const std::string& word : command.limits()) question.push_back(word);
    const Ran smt2 = runner.run(question, "");
    report.heading("The question as SMT-LIB 2");
    report.line("sat: the units differ on the values of the variables; unsat: they are the same.\n");
    report.block(smt2.output.empty() ? smt2.errors : smt2.output);

    const std::string header = to_text({{"discern", 1}, {"unit", units[0].second}}) + '\n';
    std::istringstream lines(vectors);
    std::size_t number = 0;
    for (std::string vector; std::getline(lines, vector) && number < most_explained;) {
        report.heading(sentence("Vector ", ++number, ", step by step"));
        report.block(vector);
        report.line();
        const Ran steps = runner.run({"explain", units[0].second, units[1].second, "-"}, header + vector + '\n');
        report.block(steps.output.empty() ? steps.errors : steps.output);
    }
    if (number == 0) {
        report.heading("Vectors");
        report.line("None was printed. (Those of --table, or of a file, are not looked for.)");
    }
}

int run_bug_report(const Command& self, Arguments arguments, const Streams& io) {
    std::string out;
    std::vector<std::string> none;
    CommandLine line(self);
    line.add_shared("-o", out);
    line.add_option("COMMAND", none, "behind --: the command as it was given, with its options");
    const auto dashes = std::ranges::find(arguments, "--");
    const auto before = static_cast<std::size_t>(dashes - arguments.begin());
    if (const auto ended = line.read(arguments.first(before), io)) return *ended;
    if (dashes == arguments.end() || !none.empty())
        throw Error("bug-report: the command stands behind --, as in 'discern bug-report -o report.md -- prove UNIT "
                    "UNIT'");
    const ReportedCommand command(arguments.subspan(before + 1));

    const Runner runner(io);
    std::vector<std::pair<std::string, std::string>> inputs;
    for (const std::filesystem::path& file : command.files()) inputs.emplace_back(file.string(), content_of(file, io));
    std::string input;
    if (command.reads_standard_input()) {
        input.assign(std::istreambuf_iterator<char>(io.in), {});
        inputs.emplace_back("standard input", input);
    }
    OutputFile output(out, io);
    Progress progress(io);
    if (progress.is_wanted()) progress.show("running the command again");
    const Ran ran = runner.run(command.words(), input);
    if (progress.is_wanted()) progress.show("writing down what it was about");

    const PrivateNames names;
    Report report(names, output.stream());
    report.line("# A report about discern\n\nWhat is wrong, and what would be right: (please write it here)\n");
    report.line("| | |\n|---|---|");
    report.row("command", "`" + command.text() + "`");
    report.row("ended", fmt::format("{}, after {:.1f} s", ran.ended, ran.seconds));
    if (const std::string seed = command.seed(); !seed.empty()) report.row("seed", seed);
    for (const auto& [what, value] : about_program_and_machine()) report.row(what, value);
    report.heading("Standard output");
    report.block(ran.output);
    report.heading("Standard error");
    report.block(ran.errors);
    if (!inputs.empty()) report.heading("Input");
    for (const auto& [name, content] : inputs) report.bytes(name, content);
    const auto units = command.units();
    if (!units.empty()) report.heading("Units");
    for (const auto& [name, notation] : units) report.line(sentence("- `", name, "`\n\n      ", notation, "\n"));
    if (command.is_about_two_units()) about_the_question(command, vectors_in(ran.output), runner, report);
    progress.clear();
    output.finish();
    return status::done;
}

} // namespace

extern constinit const Command bug_report_command{
    .name = "bug-report",
    .usage = "-- COMMAND",
    .summary = "a command run again, with all that others need to see the same",
    .example = "  discern bug-report -o report.md -- prove volta/mma.m8n8k4.f32.f16.f16.f32 "
               "'volta/mma.m8n8k4.f32.f16.f16.f32{F=22}'\n"
               "      runs the command behind -- again and writes what it printed, what it was about, and where it ran",
    .run = of_a_machine<run_bug_report>,
    .docs = {.group = "The program", .page = "debugging"}};

} // namespace discern::cli
