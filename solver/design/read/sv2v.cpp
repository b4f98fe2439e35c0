// One run of sv2v, whose output is read as if it were the design.
#include "sv2v.hpp"

#include "folder.hpp"
#include "text.hpp"
#include "yosys.hpp"

#include "hwrunner/process/run_process.hpp"
#include "models/unit/sentence.hpp"

#include <fstream>

namespace discern::rtl {

Netlists read_by_sv2v(const Sources& sources, const std::function<bool()>& must_stop) {
    if (const std::string where = first_word_for_synthesis(sources); !where.empty())
        throw CannotRead("sv2v leaves out what is for synthesis only, as at " + where);
    const Folder folder;
    const std::string out = folder.file("translated.v");
    std::string command = "sv2v" + simulator_options(sources);
    for (const std::string& file : sources.files) command += " " + shell_word(file);
    const ProcessResult result = run_process(command + " > " + shell_word(out), "", must_stop);
    if (result.stopped) throw Error("sv2v did not read the design in time; --timeout gives it more");
    if (result.ended != "exit status 0")
        throw CannotRead(sentence("sv2v cannot read the design: ", excerpt(result.errors, 200)));
    Sources translated = sources;
    translated.files = {out};
    translated.folders.clear();
    translated.macros.clear();
    Netlists read = read_by_yosys(translated, must_stop);
    read.by = "yosys, after sv2v";
    return read;
}

} // namespace discern::rtl
