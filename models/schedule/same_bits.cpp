// The C interface to normal forms, which answers what a compiler asks.
#include "models/same_bits.h"

#include "models/error.hpp"
#include "models/families.hpp"
#include "models/hex.hpp"
#include "models/kernel.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

namespace discern {

namespace {

struct Said {
    discern_answer answer;
    std::string message;
};

Said compared(const Kernel& one, const Kernel& other, int products) {
    const KernelEvaluator first(one), second(other);
    const Unit chain = chain_of(one);
    for (int n = 0; n < products; ++n) {
        const Family family = families[static_cast<std::size_t>(n) % families.size()];
        InputGenerator generator(chain, family, static_cast<std::uint64_t>(n) + 1);
        InputBuffer x;
        generator.next(x);
        const std::uint64_t d = first(x.inputs()), e = second(x.inputs());
        if (same_result(one, d, e) || same_result(other, d, e)) continue;
        return {DISCERN_DIFFERENT, sentence("random product ", n + 1, " of the family ", name(family), " is ",
                                            to_hex(format(one.d()), d), " and ", to_hex(format(other.d()), e))};
    }
    return {DISCERN_UNKNOWN,
            sentence("they are put together in different ways, and ", products, " random products are the same")};
}

Said answer(const char* one, const char* other, int k, int products) {
    if (one == nullptr || other == nullptr)
        throw Error("a kernel is missing: a text such as 'UNIT@[split=4]' is right");
    if (k < 0 || products < 0) throw Error("k and products must be 0 or more");
    const std::optional<int> K = k == 0 ? std::nullopt : std::optional(k);
    const Kernel first = resolve_kernel(one, K), second = resolve_kernel(other, K);
    const Shape shape = shape_of(first), shape2 = shape_of(second);
    if (const std::string what = difference(shape, shape2); !what.empty())
        throw Error(sentence("the kernels cannot be compared, because they differ in ", what, ": ", to_string(shape),
                             " and ", to_string(shape2)));
    if (same_structure(first, second)) return {DISCERN_SAME, "they are one computation of the inputs"};
    return compared(first, second, products);
}

} // namespace

} // namespace discern

extern "C" discern_answer discern_same_bits(const char* one, const char* other, int k, int products, char* message,
                                            std::size_t size) {
    discern::Said said{DISCERN_ERROR, {}};
    try {
        said = discern::answer(one, other, k, products);
    } catch (const std::exception& error) {
        said.message = error.what();
    }
    if (message != nullptr && size != 0) {
        const std::size_t length = std::min(said.message.size(), size - 1);
        std::memcpy(message, said.message.data(), length);
        message[length] = '\0';
    }
    return said.answer;
}
