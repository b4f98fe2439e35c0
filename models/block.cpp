#include "block.hpp"

namespace discern::integer {

Frame::Frame(const Unit& u)
    : a(&format(u.a)), b(&format(u.b)), c(u.c ? &format(*u.c) : nullptr), d(&format(u.d)),
      scale(u.scale ? &format(u.scale->format) : nullptr), L(static_cast<std::size_t>(u.L)),
      scale_block(u.scale ? static_cast<std::size_t>(u.scale->block) : 1),
      starts_with_c(u.c && u.place == AccumulatorPlace::chained), decode_a(*a), decode_b(*b) {
    for (int block = 0; block < u.blocks(); ++block)
        for (int l = 0; l < u.L; ++l) order.push_back(static_cast<std::size_t>(u.element(block, l)));
}

} // namespace discern::integer
