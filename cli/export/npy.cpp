// Vectors as NumPy's arrays in one archive (.npz): a and b with a row a vector, c and d with a number a vector, in
// floats where NumPy has the format and in unsigned integers, which are patterns, where it does not. numpy.load reads
// it.
#include "models/import/npy.hpp"
#include "export.hpp"
#include "models/gemm.hpp"

#include <ostream>

namespace discern::cli {

void export_npy(std::ostream& out, const Exported& what) {
    std::vector<std::pair<std::string, std::string>> arrays;
    for (const ExportedField& field : exported_fields(what)) {
        const std::size_t word = word_bytes(field.format);
        std::string data;
        std::uint64_t done = 0;
        for (const Vector& vector : what.vectors) {
            what.tell(field.name, done++);
            for (const std::uint64_t pattern : field.of(vector))
                for (std::size_t i = 0; i < word; ++i) data += static_cast<char>(pattern >> (8 * i));
        }
        std::vector<std::size_t> shape = {what.vectors.size()};
        if (field.is_list) shape.push_back(static_cast<std::size_t>(field.count));
        arrays.emplace_back(field.name, npy_of(npy_type(field.format), shape, data));
    }
    out << npz_of(arrays);
}

} // namespace discern::cli
