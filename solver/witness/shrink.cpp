// The simplification is greedy, in passes over all patterns, until a pass changes nothing.
#include "shrink.hpp"

#include <utility>

namespace discern {

namespace {

std::uint64_t low_bits(int n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

class Shrinker {
  public:
    Shrinker(const Unit& unit, Vector vector, const std::function<bool(const Vector&)>& good)
        : unit_(unit), good_(good), v_(std::move(vector)) {}

    Vector run() {
        do {
            changed_ = false;
            zero_terms();
            simple_factors();
        } while (changed_);
        return std::move(v_);
    }

  private:
    // Replaces the pattern by the candidate if the vector still is a witness.
    bool replace(std::uint64_t& pattern, std::uint64_t candidate) {
        if (pattern == candidate) return false;
        const std::uint64_t before = std::exchange(pattern, candidate);
        if (good_(v_)) return changed_ = true;
        pattern = before;
        return false;
    }

    // The same of two at once.
    void replace(std::uint64_t& a, std::uint64_t& b, std::uint64_t candidate_a, std::uint64_t candidate_b) {
        if (a == candidate_a && b == candidate_b) return;
        const std::uint64_t before_a = std::exchange(a, candidate_a), before_b = std::exchange(b, candidate_b);
        if (good_(v_)) {
            changed_ = true;
            return;
        }
        a = before_a;
        b = before_b;
    }

    void zero_terms() {
        for (std::size_t k = 0; k < v_.a.size(); ++k) replace(v_.a[k], v_.b[k], 0, 0);
        if (v_.c) replace(*v_.c, 0);
    }

    void simple_factors() {
        for (std::size_t k = 0; k < v_.a.size(); ++k) {
            without_signs(v_.a[k], v_.b[k]);
            simplify(v_.b[k], format(unit_.b));
            simplify(v_.a[k], format(unit_.a));
        }
        if (unit_.scale)
            for (auto* row : {&v_.sa, &v_.sb})
                for (std::uint64_t& pattern : *row) simplify(pattern, format(unit_.scale->format));
        if (v_.c) simplify(*v_.c, format(*unit_.c));
    }

    // Both signs of a product with two negative factors become plus.
    void without_signs(std::uint64_t& a, std::uint64_t& b) {
        const Format &fa = format(unit_.a), &fb = format(unit_.b);
        const std::uint64_t sign_a = 1ull << (fa.width - 1), sign_b = 1ull << (fb.width - 1);
        if (!fa.is_signed || !fb.is_signed || (a & sign_a) == 0 || (b & sign_b) == 0) return;
        replace(a, b, fa.is_fixed_point() ? negated(fa, a) : a ^ sign_a,
                fb.is_fixed_point() ? negated(fb, b) : b ^ sign_b);
    }

    void simplify(std::uint64_t& pattern, const Format& f) {
        if (pattern == 0 || pattern == one(f)) return;
        if (replace(pattern, one(f))) return;
        // Every step goes to a pattern with fewer bits set below the exponent, or without the sign, so passes end.
        if (f.is_fixed_point() && place_of(f, pattern) < 0) replace(pattern, negated(f, pattern));
        if (f.is_signed) replace(pattern, pattern & low_bits(f.width - 1));
        const int digits = (f.is_fixed_point() ? f.width - 1 : f.mantissa_bits) + f.padding_bits;
        for (int kept = 0; kept < digits; ++kept) // the shortest significand that will do
            if (replace(pattern, pattern & ~low_bits(digits - kept))) break;
        for (int i = digits; i-- > 0;)
            if (((pattern >> i) & 1) != 0) replace(pattern, pattern & ~(1ull << i));
    }

    const Unit& unit_;
    const std::function<bool(const Vector&)>& good_;
    Vector v_;
    bool changed_ = false;
};

} // namespace

Vector simplified(const Unit& unit, Vector vector, const std::function<bool(const Vector&)>& good) {
    return Shrinker(unit, std::move(vector), good).run();
}

Vector shrunk(const Pair& pair, Vector vector, const std::function<bool(const Vector&)>& good) {
    return simplified(pair.first(), std::move(vector),
                      [&](const Vector& v) { return pair.tells(v.inputs()) && (!good || good(v)); });
}

} // namespace discern
