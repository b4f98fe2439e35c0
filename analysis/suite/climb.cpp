// Random changes of the best vector so far, and parts of other vectors that are copied into it.
#include "climb.hpp"

#include "models/random.hpp"

#include <algorithm>

namespace discern {

namespace {

constexpr std::size_t starts = 8;
constexpr int steps = 4000; ///< from each

class Climber {
  public:
    Climber(const Unit& unit, std::span<const Vector> pool, std::uint64_t seed)
        : unit_(unit), pool_(pool), random_(seed) {}

    void change(Vector& v) {
        for (int n = 1 + random_.below(2); n > 0; --n) {
            const int kind = random_.below(8);
            if (kind < 3)
                take_product(v);
            else if (kind == 3 && v.c)
                v.c = other().c;
            else if (kind == 4)
                v.a[element(v)] = v.b[element(v)] = 0;
            else if (kind == 5 && !v.sa.empty())
                take_scales(v);
            else
                flip(v);
        }
    }

  private:
    const Vector& other() { return pool_[below(pool_.size())]; }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_.below(static_cast<int>(n))); }
    std::size_t element(const Vector& v) { return below(v.a.size()); }

    void take_product(Vector& v) {
        const Vector& from = other();
        const std::size_t here = element(v), there = random_.one_in(2) ? here : element(v);
        v.a[here] = from.a[there];
        v.b[here] = from.b[there];
    }
    void take_scales(Vector& v) {
        const Vector& from = other();
        const std::size_t i = below(v.sa.size());
        v.sa[i] = from.sa[i];
        v.sb[i] = from.sb[i];
    }
    void flip(Vector& v) {
        if (v.c && random_.one_in(4)) {
            *v.c ^= bit(format(*unit_.c));
            return;
        }
        const bool first = random_.one_in(2);
        (first ? v.a : v.b)[element(v)] ^= bit(format(first ? unit_.a : unit_.b));
    }
    std::uint64_t bit(const Format& f) { return 1ull << (f.padding_bits + random_.below(f.width - f.padding_bits)); }

    const Unit& unit_;
    std::span<const Vector> pool_;
    Random random_;
};

} // namespace

Vector climb(const Unit& unit, std::span<const Vector> pool, const std::function<std::size_t(const Vector&)>& cost,
             std::uint64_t seed, const Limit& limit) {
    Climber climber(unit, pool, seed);
    Vector best = pool.front();
    std::size_t least = cost(best);
    for (std::size_t start = 0; start < std::min(starts, pool.size()) && least > 0; ++start) {
        Vector at = pool[start];
        std::size_t here = cost(at);
        for (int step = 0; step < steps && here > 0 && !limit.reached(); ++step) {
            Vector next = at;
            climber.change(next);
            const std::size_t there = cost(next);
            if (there > here) continue;
            at = std::move(next);
            here = there;
        }
        if (here < least) least = here, best = std::move(at);
    }
    return best;
}

} // namespace discern
