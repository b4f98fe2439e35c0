// What is said of files of waves, and where they are.
#include "waves.hpp"

#include "designs/waves/wave.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace discern::cli {

namespace {

namespace fs = std::filesystem;

void write(const rtl::ReadDesignOf& design, const rtl::ToShow& what, const std::string& file,
           const std::stop_token& stop, const Streams& io) {
    const Limit limit = Limit::after(longest_reading, stop);
    const std::string by = rtl::write_wave(design, what, file, [&limit] { return limit.reached(); });
    io.err << fmt::format("discern: {} wrote {}, of module {}; {} is for GTKWave\n", by, file,
                          design.question.design.top, rtl::save_file_of(file));
}

} // namespace

void require_wave(const std::string& file, bool of_design) {
    if (file.empty()) return;
    if (!of_design) throw Error("--wave: waves are of a design, rtl:FILE.sv, and here is none");
    const fs::path extension = fs::path(file).extension();
    if (extension != ".vcd" && extension != ".fst")
        throw Error(sentence("--wave: ", excerpt(file, 200), " ends in neither .vcd nor .fst, the forms of waves"));
}

void write_waves(const DesignsAsked& asked, const std::string& file, const std::stop_token& stop, const Streams& io) {
    if (file.empty()) return;
    if (asked.answer.verdict != Verdict::different) {
        io.err << "discern: --wave: there is no difference to show, and no file was written\n";
        return;
    }
    const bool one = asked.designs.size() == 1;
    for (std::size_t i = 0; i < asked.designs.size(); ++i) {
        const ReadDesign& read = asked.designs[i];
        const fs::path path = file;
        fs::path own = path;
        if (!one) own.replace_filename(sentence(path.stem().string(), "-", i + 1, path.extension().string()));
        const Shape shape = shape_of(read.question.unit);
        write({read.question, read.sources},
              rtl::shown_by(asked.answer, shape, one ? 1 : i, one ? "unit_d" : "other_d"), own.string(), stop, io);
    }
}

void write_wave(const std::string& word, const DesignOptions& options, const Unit& unit, const Vector& vector,
                std::uint64_t expected, const std::string& file, const Streams& io) {
    const ReadDesign read = read_design(unit, word, options, longest_reading);
    rtl::ToShow what{.vectors = {vector}, .offers = {}, .beside = "unit_d", .d = vector.d.front()};
    what.other = expected;
    write({read.question, read.sources}, what, file, {}, io);
}

} // namespace discern::cli
