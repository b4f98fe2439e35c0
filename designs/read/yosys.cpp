// The script for yosys, its run, and messages with positions in the design's files.
#include "yosys.hpp"

#include "folder.hpp"
#include "hazards.hpp"
#include "indices.hpp"
#include "syntax.hpp"
#include "text.hpp"

#include "hwrunner/process/run_process.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

namespace discern::rtl {

namespace {

/// Warnings of yosys after which the netlist is another design than the one that was written.
constexpr auto fatal_warnings = std::to_array<std::string_view>({
    "conflict", // two drivers, one of them a constant
    "multiple drivers",
    "out of bounds",          // a constant index outside of a word: x
    "Range select",           // likewise, a range
    "is implicitly declared", // a name that was written wrong
    "Ignoring",               // a construct that is passed over
    "Replacing memory",       // which mem2reg does by itself, and then with x where an index is outside
});

std::string line_with(const std::string& text, std::string_view word) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.find(word) != std::string::npos) return line;
    return "";
}

std::string without_dot(std::string line) {
    while (!line.empty() && (line.back() == '.' || line.back() == ' ' || line.back() == '\n')) line.pop_back();
    return line;
}

std::string hierarchy(const Sources& sources) {
    std::string script = "hierarchy -check ";
    script += sources.top.empty() ? "-auto-top" : "-top " + sources.top;
    for (const auto& [name, value] : sources.parameters) script += " -chparam " + name + " " + value;
    return script + "\n";
}

/// The modules of a file that top has in it.
std::vector<SyntaxNode> of_file(std::vector<SyntaxNode> modules, const std::string& file, const std::string& top) {
    const std::set<std::string> used = used_modules(modules, top);
    std::erase_if(modules, [&](const SyntaxNode& m) { return m.file != file || !used.contains(m.name); });
    return modules;
}

std::vector<Hazard> with_file(std::vector<Hazard> hazards, const std::string& file) {
    for (Hazard& hazard : hazards) hazard.file = file;
    return hazards;
}

} // namespace

// No step that may use freedom: neither opt nor setundef, and proc without its opt_expr.
const char* const to_netlist = "setattr -mod -unset keep_hierarchy\nproc -norom -noopt\nflatten\nopt_clean\n";

void require_clean(const std::string& said, const std::string& program) {
    if (const std::string error = line_with(said, "ERROR"); !error.empty())
        throw CannotRead(program + " cannot read the design: " + without_dot(error)); // "FILE:LINE: ERROR: …"
    std::istringstream lines(said);
    for (std::string line; std::getline(lines, line);) {
        const auto at = line.find("Warning: ");
        if (at == std::string::npos) continue;
        for (const std::string_view word : fatal_warnings)
            if (word != "Replacing memory" && line.find(word) != std::string::npos)
                throw Error("the design is not clear, as " + program + " says: " + without_dot(line.substr(at + 9)));
    }
}

std::string reading_script(const Sources& sources) {
    std::string script = "read_verilog -sv -mem2reg";
    for (const std::string& folder : folders_of(sources)) script += " -I\"" + folder + "\"";
    for (const auto& [name, value] : sources.macros) script += " -D" + name + (value.empty() ? "" : "=" + value);
    for (const std::string& file : sources.files) script += " \"" + file + "\"";
    return script + "\n" + hierarchy(sources);
}

Netlists read_by_yosys(const Sources& sources, const std::function<bool()>& must_stop) {
    const Folder folder;
    const auto in_folder = [&](const char* name) { return '"' + folder.file(name) + '"'; };
    const std::optional<SimulatedText> text = SimulatedText::read(sources, folder, must_stop);
    const auto run = [&](const std::string& script, const char* log) {
        const ProcessResult result =
            run_process("yosys -Q -q -l " + shell_word(folder.file(log)) + " -p " + shell_word(script), "", must_stop);
        if (result.stopped) throw OutOfTime("yosys did not read the design in time; --timeout gives it more");
        require_clean(result.errors + "\n" + (result.ended == "exit status 0" ? "" : result.output), "yosys");
        if (result.ended != "exit status 0")
            throw Error(sentence("yosys ended with ", result.ended, ": ", excerpt(result.errors, 200)));
    };
    std::string script = reading_script(sources) + to_netlist + "write_json " + in_folder("synthesised.json") + "\n";
    const auto place = [&](const Hazard& hazard) {
        return text ? text->place(hazard.line, sources) : sentence(hazard.file, ":", hazard.line);
    };
    // What cannot be compared is refused, too.
    const auto refuse_first = [&](const std::vector<Hazard>& hazards) {
        if (hazards.empty()) return;
        const Hazard& first = hazards.front();
        const Remedy remedy = row_of(first.construct).remedy;
        if (remedy == Remedy::other_reader)
            throw CannotRead(sentence("yosys reads otherwise than a simulator at ", place(first), ": ", first.what));
        if (remedy == Remedy::refused || !text)
            throw Error(sentence("simulation and synthesis part at ", place(first), ": ", first.what));
    };
    if (!text) {
        script.replace(script.find("-mem2reg"), 8, "-mem2reg -dump_ast1 -no_dump_ptr");
        run(script, "syntax");
        if (const std::string where = first_word_for_synthesis(sources); !where.empty())
            throw Error("simulation and synthesis may read another text at " + where +
                        ", and Icarus Verilog, which says what a simulator reads, is not installed");
        std::vector<Hazard> of_text;
        for (const std::string& file : sources.files) {
            const SimulatedText own(content_of(file));
            for (Hazard hazard : own.hazards()) {
                hazard.file = file;
                of_text.push_back(std::move(hazard));
            }
        }
        const std::vector<SyntaxNode> modules = read_syntax(content_of(folder.file("syntax")));
        refuse_first(hazards_of(modules, sources, of_text));
        for (const std::string& file : sources.files)
            if (const auto written = indices_written_out(content_of(file), of_file(modules, file, sources.top),
                                                         [&](int line) { return sentence(file, ":", line); }))
                refuse_first(with_file(written->places, file));
        return {"yosys", content_of(folder.file("synthesised.json")), {}};
    }
    run(script, "log");
    // The same text as a simulator reads it. What yosys says of it has the lines of that text.
    const auto simulated = [&](const std::string& as_simulated, const std::string& dump) {
        std::ofstream(folder.file("simulated.sv")) << as_simulated;
        try {
            run("read_verilog -sv -mem2reg -nosynthesis " + dump + in_folder("simulated.sv") + "\n" +
                    hierarchy(sources) + to_netlist + "write_json " + in_folder("simulated.json") + "\n",
                "syntax");
        } catch (const CannotRead& error) {
            throw CannotRead(text->with_places(error.what(), folder.file("simulated.sv"), sources));
        } catch (const Error& error) {
            throw Error(text->with_places(error.what(), folder.file("simulated.sv"), sources));
        }
    };
    simulated(text->text(), "-dump_ast1 -no_dump_ptr ");
    std::vector<SyntaxNode> modules = read_syntax(content_of(folder.file("syntax")));
    std::vector<Hazard> hazards = hazards_of(modules, sources, text->hazards());
    refuse_first(hazards);
    const std::set<std::string> used = used_modules(modules, sources.top);
    std::erase_if(modules, [&](const SyntaxNode& module) { return !used.contains(module.name); });
    if (const auto written =
            indices_written_out(text->text(), modules, [&](int line) { return text->place(line, sources); })) {
        simulated(written->text, "");
        hazards.insert(hazards.end(), written->places.begin(), written->places.end());
    }
    const std::string where = hazards.empty() ? "" : sentence(place(hazards.front()), ": ", hazards.front().what);
    const auto with_places = [text, file = folder.file("simulated.sv"), sources](const std::string& what) {
        return text->with_places(what, file, sources);
    };
    return {
        "yosys",
        content_of(folder.file("synthesised.json")),
        {{content_of(folder.file("simulated.json")),
          "as a simulator reads it, without SYNTHESIS, comments for synthesis and attributes,", with_places, where}}};
}

} // namespace discern::rtl
