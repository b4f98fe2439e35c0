// The probes for each pair of terms, and the tree that has their counts.
#include "summation_order.hpp"

#include "zeros.hpp"

#include "models/format.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace discern::identify {

namespace {

constexpr int most_terms = 65;

std::uint64_t power_of_two(const Format& f, int exponent, bool negative) {
    return pack(f, {.negative = negative, .significand = 1ull << f.mantissa_bits, .exponent = exponent});
}

class Measurement {
  public:
    Measurement(const Shape& shape, const Ask& ask)
        : shape_(shape), ask_(ask), a_(format(shape.a)), b_(format(shape.b)), d_(format(shape.d)),
          terms_(shape.K + (shape.c ? 1 : 0)) {
        large_ = std::min(a_.emax() + b_.emax(), d_.emax() - 2);
        small_ = std::max(a_.emin() + b_.emin(), d_.emin());
        if (!shape.c) return;
        large_ = std::min(large_, format(*shape.c).emax());
        small_ = std::max(small_, format(*shape.c).emin());
    }

    std::optional<std::string> run() {
        if (shape_.scale || terms_ < 2 || terms_ > most_terms || large_ < small_ || !measure()) return std::nullopt;
        std::vector<int> all;
        for (int i = 0; i < terms_; ++i) all.push_back(i);
        return tree(all);
    }

  private:
    void put(Vector& v, int term, int exponent, bool negative) const {
        if (term == shape_.K) {
            v.c = power_of_two(format(*shape_.c), exponent, negative);
            return;
        }
        const int of_a = std::clamp(exponent / 2, std::max(a_.emin(), exponent - b_.emax()),
                                    std::min(a_.emax(), exponent - b_.emin()));
        v.a[static_cast<std::size_t>(term)] = power_of_two(a_, of_a, negative);
        v.b[static_cast<std::size_t>(term)] = power_of_two(b_, exponent - of_a, false);
    }

    /// How many terms are below the node where each two meet. @return false if an answer is no such number
    bool measure() {
        std::vector<Vector> vectors;
        for (int i = 0; i < terms_; ++i)
            for (int j = i + 1; j < terms_; ++j) {
                Vector v = zeros_of(shape_);
                for (int k = 0; k < terms_; ++k) put(v, k, k == i || k == j ? large_ : small_, k == j);
                vectors.push_back(std::move(v));
            }
        std::vector<Inputs> batch;
        for (const Vector& v : vectors) batch.push_back(v.inputs());
        const auto answers = ask_(batch);
        below_.assign(static_cast<std::size_t>(terms_), std::vector<int>(static_cast<std::size_t>(terms_)));
        std::size_t at = 0;
        for (int i = 0; i < terms_; ++i)
            for (int j = i + 1; j < terms_; ++j, ++at) {
                if (!answers[at]) return false;
                const double left = std::ldexp(to_double(d_, *answers[at]), -small_);
                if (!(left >= 0 && left <= terms_ - 2) || left != std::floor(left)) return false;
                below(i, j) = below(j, i) = terms_ - static_cast<int>(left);
            }
        return true;
    }
    int& below(int i, int j) { return below_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; }

    /// The tree of some terms, of which all meet below one node: first what the first of them meets first.
    std::optional<std::string> tree(const std::vector<int>& terms) {
        const int first = terms.front();
        std::string text = first == shape_.K ? "c" : "p" + std::to_string(first);
        std::map<int, std::vector<int>> met; // by how many are below where the first one meets them
        for (const int other : terms)
            if (other != first) met[below(first, other)].push_back(other);
        int joined = 1;
        for (auto& [size, others] : met) {
            joined += static_cast<int>(others.size());
            if (joined != size) return std::nullopt;
            while (!others.empty()) { // those that meet among themselves before
                std::vector<int> together, apart;
                for (const int other : others)
                    (other == others.front() || below(others.front(), other) < size ? together : apart)
                        .push_back(other);
                const auto part = tree(together);
                if (!part) return std::nullopt;
                text += " " + *part;
                others = std::move(apart);
            }
            text = "(" + text + ")";
        }
        return text;
    }

    const Shape& shape_;
    const Ask& ask_;
    const Format &a_, &b_, &d_;
    int terms_;         ///< the products, then c
    int large_, small_; ///< exponents
    std::vector<std::vector<int>> below_;
};

} // namespace

std::optional<std::string> summation_order(const Shape& shape, const Ask& ask) { return Measurement(shape, ask).run(); }

} // namespace discern::identify
