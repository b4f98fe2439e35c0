// Any bytes are NumPy's arrays, or an archive of some, or an Error; what was read has as many bytes as it says, and
// gives patterns or an Error. An array that was read is written and read again as the same.

#include "models/error.hpp"
#include "models/import/npy.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace discern::fuzz::arrays_fuzz {
namespace {

void check(bool good, const char* what) {
    if (good) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

void look_at(const Array& array) {
    check(array.size() == 0 || array.data.size() % array.size() == 0, "an array has a part of an element");
    for (const FormatId id : {FormatId::f16, FormatId::bf16, FormatId::e4m3, FormatId::f32}) {
        try {
            const OperandPatterns patterns = array_patterns(array, format(id), CellKind::told_apart, Rounding::rne);
            check(patterns.bits.size() == array.size(), "an array has other patterns than elements");
        } catch (const Error&) { // one sentence
        }
    }
    if (array.is_fortran) return;
    const std::string_view data(reinterpret_cast<const char*>(array.data.data()), array.data.size());
    const Array again = read_npy(npy_of(array.type, array.shape, data), "again");
    check(again.shape == array.shape && again.data == array.data && again.type == array.type,
          "an array is read as another");
}

} // namespace

int run(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try {
        look_at(read_npy(bytes, "fuzz"));
    } catch (const Error&) { // one sentence
    }
    try {
        for (const auto& [name, array] : read_npz(bytes, "fuzz")) look_at(array);
    } catch (const Error&) { // one sentence
    }
    return 0;
}

} // namespace discern::fuzz::arrays_fuzz
