// Any bytes are either a file of vectors or an Error, however the file is read; what was read can be written and reads
// back as the same vectors.

#include "models/error.hpp"
#include "models/vectors.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>

namespace discern::fuzz::vectors_fuzz {
namespace {

/// What a caller may say about the file: nothing, or one of some shapes (with scales, without c).
const std::array<std::optional<ReadAs>, 4>& readings() {
    static const std::array<std::optional<ReadAs>, 4> all = [] {
        ReadAs plain{.unit = "fp16", .shape = {}};
        plain.shape.K = 4;
        ReadAs scaled{.unit = "scaled", .shape = {}};
        scaled.shape.a = scaled.shape.b = FormatId::e2m1;
        scaled.shape.K = 4;
        scaled.shape.scale = Scale{.format = FormatId::ue4m3, .block = 2};
        ReadAs without_c{.unit = "without c", .shape = {}};
        without_c.shape.c.reset();
        without_c.shape.K = 2;
        return std::array<std::optional<ReadAs>, 4>{std::nullopt, plain, scaled, without_c};
    }();
    return all;
}

void check(bool good, const char* what) {
    if (good) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

/// Reads all vectors and writes them; nothing if the file is refused.
std::optional<std::string> rewrite(const std::string& bytes, const std::optional<ReadAs>& as) {
    std::istringstream in(bytes);
    std::ostringstream out;
    try {
        VectorReader reader(in, "fuzz", as);
        VectorWriter writer(out, reader.shape(), reader.header());
        Vector vector;
        while (reader.next(vector)) writer.write(vector);
    } catch (const Error&) {
        return std::nullopt;
    }
    return out.str();
}

} // namespace

int run(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    for (const std::optional<ReadAs>& as : readings()) {
        const std::optional<std::string> written = rewrite(bytes, as);
        if (!written) continue;
        const std::optional<std::string> again = rewrite(*written, as);
        check(again.has_value(), "what was written is refused");
        check(*again == *written, "what was written reads back as something else");
    }
    return 0;
}

} // namespace discern::fuzz::vectors_fuzz
