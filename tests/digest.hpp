// One number for many inputs: two streams of vectors that have the same are the same.
#pragma once

#include "models/evaluate.hpp"

#include <cstdint>

namespace discern::tests {

class Digest {
  public:
    void add(const InputBuffer& v) {
        for (const auto* patterns : {&v.a, &v.b, &v.sa, &v.sb})
            for (const std::uint64_t p : *patterns) add(p);
        add(v.c);
    }
    std::uint64_t value() const { return hash_; }

  private:
    void add(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15ull + (hash_ >> 31); }

    std::uint64_t hash_ = 0;
};

} // namespace discern::tests
