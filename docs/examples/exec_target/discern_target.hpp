// A target for discern in C++: discern_target.h with a function object in the place of a pointer. C++11, nothing else.
//
//     int main() {
//         return discern_target::serve("f16,f16,f32,f32", 4, [](const discern_vector& v) {
//             return my_dot_product(v.a, v.b, v.c);
//         });
//     }
//
// A vector that cannot be computed is an exception: std::runtime_error("infinities are not supported").
#ifndef DISCERN_TARGET_HPP
#define DISCERN_TARGET_HPP

#include "discern_target.h"

#include <exception>
#include <string>
#include <vector>

namespace discern_target {

/// Patterns of `width` bits side by side in words of 32 bits, element 0 lowest: what wide ports are in Verilator.
inline std::vector<std::uint32_t> packed(const std::uint64_t* patterns, int count, int width) {
    std::vector<std::uint32_t> words((static_cast<std::size_t>(count) * static_cast<std::size_t>(width) + 31) / 32);
    discern_pack(patterns, count, width, words.data());
    return words;
}

/// Answers vectors until the end of input. @return the exit status of the program
/// @param formats  of a, b, c and d, with - for no c
/// @param K        that of the unit, or 0 if any will do
/// @param unit     from a discern_vector to the pattern of d
template <typename Unit>
int serve(const char* formats, int K, Unit unit) {
    struct Call {
        Unit& unit;
        std::string why_not;
    } call{unit, ""};
    const discern_compute compute = [](void* context, const discern_vector* vector, std::uint64_t* d) -> const char* {
        Call& with = *static_cast<Call*>(context);
        try {
            *d = with.unit(*vector);
            return nullptr;
        } catch (const std::exception& error) {
            with.why_not = error.what();
            return with.why_not.c_str();
        }
    };
    return discern_serve(formats, K, compute, &call);
}

} // namespace discern_target

#endif
