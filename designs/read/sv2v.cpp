// One run of sv2v, whose output is read as if it were the design.
#include "sv2v.hpp"

#include "folder.hpp"
#include "text.hpp"
#include "yosys.hpp"

#include "hwrunner/process/run_process.hpp"
#include "models/unit/sentence.hpp"

namespace discern::rtl {

namespace {

constexpr const char* in_translation = "sv2v's translation";

} // namespace

Netlists read_by_sv2v(const Sources& sources, const std::function<bool()>& must_stop) {
    if (const std::string where = first_word_for_synthesis(sources); !where.empty())
        throw CannotRead("sv2v leaves out what is for synthesis only, as at " + where);
    if (const std::string where = first_promise_in_comment(sources); !where.empty())
        throw CannotRead("sv2v passes over a comment that synthesis obeys, at " + where);
    const Folder folder;
    const std::string out = folder.file("translated.v");
    std::string command = "sv2v" + simulator_options(sources);
    for (const std::string& file : sources.files) command += " " + shell_word(file);
    const ProcessResult result = run_process(command + " > " + shell_word(out), "", must_stop);
    if (result.stopped) throw OutOfTime("sv2v did not read the design in time; --timeout gives it more");
    if (result.ended != "exit status 0")
        throw CannotRead(sentence("sv2v cannot read the design: ", excerpt(result.errors, 200)));
    Sources translated = sources;
    translated.files = {out};
    translated.folders.clear();
    translated.macros.clear();
    // sv2v keeps no lines, and its file is gone when the sentence is read.
    const auto with_places = [&](std::string said) {
        for (auto at = said.find(out); at != std::string::npos; at = said.find(out, at))
            said.replace(at, out.size(), in_translation);
        return said;
    };
    try {
        Netlists read = read_by_yosys(translated, must_stop);
        read.by = "yosys, after sv2v";
        return read;
    } catch (const CannotRead& error) {
        throw CannotRead(with_places(error.what()));
    } catch (const Error& error) {
        throw Error(with_places(error.what()));
    }
}

} // namespace discern::rtl
