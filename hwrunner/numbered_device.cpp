// Names of targets that are instructions of numbered devices, "cuda:0/mma.m16n8k16.f32.f16.f16.f32": split at the
// slash, and both parts checked.
#include "matrix_target.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <charconv>

namespace discern {

std::unique_ptr<Target> make_numbered_target(const std::string& kind, const std::string& rest,
                                             const std::string& example, const OpenNumbered& open, double timeout) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    int number = -1;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + slash, number);
    if (slash + 1 >= rest.size() || error != std::errc() || end != rest.data() + slash || number < 0)
        throw Error(sentence("target ", kind, excerpt(rest, 80),
                             ": the number of a GPU and an instruction are needed, as in ", kind, "0/", example));
    const std::string name = kind + rest, instruction = rest.substr(slash + 1);
    const auto open_this = [name, number = number, instruction, open] {
        try {
            return open(number, instruction);
        } catch (const Error& reason) {
            throw Error(sentence("unavailable: ", name, ": ", reason.what()));
        }
    };
    return make_matrix_target(name, open_this, timeout);
}

} // namespace discern
