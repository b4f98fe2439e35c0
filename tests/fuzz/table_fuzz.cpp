// Any text is a table of vectors, with and without a known shape, a matrix of words, or an Error.

#include "models/error.hpp"
#include "models/import/table.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

namespace discern::fuzz::table_fuzz {
int run(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const int K : {0, 2}) {
        Shape shape; // f16*f16+f32->f32
        shape.K = K;
        std::istringstream in(text);
        try {
            const Table table = read_table(in, "fuzz", shape, {});
            for (const Vector& vector : table.vectors)
                if (vector.a.size() != static_cast<std::size_t>(table.shape.K)) std::abort();
        } catch (const Error&) { // one sentence
        }
    }
    std::istringstream in(text);
    try {
        const WordMatrix matrix = read_word_matrix(in, "fuzz");
        if (matrix.words.size() != matrix.rows * matrix.columns) std::abort();
    } catch (const Error&) { // one sentence
    }
    return 0;
}

} // namespace discern::fuzz::table_fuzz
