// Replays once more with a file of waves, and holds what it shows against the answer.
#include "wave.hpp"

#include "designs/read/folder.hpp"

#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace discern::rtl {

namespace {

namespace fs = std::filesystem;

/// The scope of the bench: Verilator puts one of its own around it.
std::string scope_of(const std::string& simulator) {
    return simulator == "Verilator" ? "TOP.discern_bench." : "discern_bench.";
}

/// GTKWave's save file: what is shown, and where the marker is. Its manual, "Save Files", has the flags.
std::string save_file(const std::string& scope, const Design& design, const Connection& connection, const Wave& wave,
                      const std::string& file) {
    constexpr int named_markers = 26;
    std::string text =
        sentence("[dumpfile] \"", fs::path(file).filename().string(), "\"\n[timestart] 0\n*-2.0 ", wave.time);
    for (int i = 0; i < named_markers; ++i) text += " -1";
    text += "\n[treeopen] " + scope + "\n";
    const auto show = [&](const std::string& name, std::size_t width) {
        text += sentence(width == 1 ? "@28" : "@22", "\n", scope, name);
        text += width == 1 ? "\n" : sentence("[", width - 1, ":0]\n");
    };
    const auto operands = [&](const Port& port) {
        return port.is_input && connection.inputs.at(port.name).kind == PortUse::Kind::operands;
    };
    const auto is_d = [&](const Port& port) {
        return std::ranges::any_of(connection.outputs, [&](const auto& output) { return output.first == port.name; });
    };
    for (const Port& port : design.ports)
        if (!operands(port) && !is_d(port)) show("s_" + port.name, port.bits.size());
    for (const WaveSignal& signal : wave_signals(design, connection, "", wave))
        show(signal.name, static_cast<std::size_t>(signal.width));
    return text;
}

void put(const std::string& file, const std::string& content) {
    std::ofstream out(file, std::ios::binary);
    out << content;
    if (!out.flush()) throw Error(sentence("--wave: ", excerpt(file, 200), " cannot be written"));
}

} // namespace

std::string save_file_of(const std::string& file) { return fs::path(file).replace_extension(".gtkw").string(); }

ToShow shown_by(const Answer& answer, const Shape& shape, std::size_t side, const std::string& beside) {
    const Vector& witness = answer.witnesses.at(0);
    ToShow what{.vectors = {witness}, .offers = {}, .beside = beside, .d = {}};
    if (answer.stalls) { // a fault shows at the last edge; which result it is of, if of any, the answer says
        what.vectors = answer.stalls->operands;
        for (std::size_t i = 0; i < what.vectors.size(); ++i)
            what.offers.emplace_back(answer.stalls->valid[i] == '1', answer.stalls->ready[i] == '1');
        what.wrong = what.vectors.size() - 1;
    } else if (!answer.sequence.empty()) {
        const std::string text = to_json(shape, witness);
        what.vectors = answer.sequence;
        what.one_run = true;
        while (to_json(shape, what.vectors.at(what.wrong)) != text) ++what.wrong;
    }
    if (witness.d.size() > side) what.d = witness.d[side];
    if (witness.d.size() > 1) what.other = witness.d[1 - side];
    return what;
}

std::string write_wave(const ReadDesignOf& design, const ToShow& what, const std::string& file,
                       const std::function<bool()>& must_stop) {
    const auto& [question, sources] = design;
    const Folder folder;
    Wave wave{.file = folder.file("wave" + fs::path(file).extension().string()), .wrong = what.wrong};
    if (what.other) {
        wave.name = what.beside;
        wave.beside = *what.other;
    }
    std::string why_not;
    const auto simulated = what.offers.empty() ? simulate(sources, question.design, question.connection, what.vectors,
                                                          must_stop, why_not, "", what.one_run, &wave)
                                               : simulate_offers(sources, question.design, question.connection,
                                                                 what.offers, what.vectors, must_stop, why_not, &wave);
    std::ifstream written(wave.file, std::ios::binary); // .fst is no text
    const std::string content(std::istreambuf_iterator<char>(written), {});
    if (!simulated || content.empty())
        throw Error(sentence("--wave: there is no file of waves, which Icarus Verilog or Verilator writes: ",
                             why_not.empty() ? "neither is installed, or the time was over" : why_not));
    const std::string& row = simulated->d.at(what.wrong);
    const auto d = known(what.offers.empty() ? row : row.substr(2)); // ready and valid of a handshake stand before d
    if (what.d && d != what.d)
        throw Error(sentence("--wave: ", simulated->by, " gives ", excerpt(row, 80),
                             " where waves are written, and gave ", to_hex(format(question.unit.d), *what.d),
                             " before"));
    put(file, content);
    put(save_file_of(file), save_file(scope_of(simulated->by), question.design, question.connection, wave, file));
    return simulated->by;
}

} // namespace discern::rtl
