// The tests of Li et al. ("FTTN", CCGrid 2024, §III), read as they read them.
//
// The vectors are made from the paper's description, for any formats; with ulp = 2^-m, m the fraction bits of d. Where
// the text leaves a choice (Figures 2, 4 and 5 give values that the text does not), the simplest vector that the text
// allows is taken. Their readings assume features that a unit need not have: Khattak & Mikaitis (2025, §V-A) show
// units on which they are wrong, which is what these are kept for.
#include "models/unit/sentence.hpp"
#include "probe.hpp"
#include "session.hpp"

#include <algorithm>

namespace discern {

namespace {

using probe::Amount;
using probe::amount;
using probe::Answer;
using probe::at_c;
using probe::power;
using probe::Scene;
using probe::Session;

class Classic {
  public:
    explicit Classic(Session& session) : session_(session), shape_(session.shape()), m_(session.d().mantissa_bits) {}

    void run() {
        subnormals();
        one_bit();
        rounding();
        three_bits();
        width();
        kept_bits();
        order();
        product();
    }

  private:
    Scene scene() const { return session_.scene(); }
    /// 1, or another number, where it is in most tests: in c, or the last lane of a unit without one.
    Scene scene(const Amount& base) const { return scene().put(shape_.c ? at_c : shape_.K - 1, base); }
    Amount ulps(std::int64_t n, int below = 0) const { return amount(n, -m_ - below); }

    /// Adds the result of a test, if any of its vectors was asked.
    void add(std::string_view key, std::size_t first, std::optional<std::string> value, std::string why) {
        if (session_.count() == first) value.reset(), why = "these formats cannot hold the test's values";
        session_.report(key, {std::move(value), std::move(why)}, session_.since(first));
    }
    /// Whether the scene gives that, as a test of one vector.
    bool gives(std::string_view key, const Scene& scene, const Amount& expected, const char* why) {
        const std::size_t first = session_.count();
        const bool yes = session_.ask(scene).is(expected);
        add(key, first, yes ? "yes" : "no", why);
        return yes;
    }

    void subnormals() {
        const Format &a = format(shape_.a), &b = format(shape_.b);
        const int subnormal = a.emin() - 1, other = std::clamp(-subnormal, b.emin(), b.emax());
        gives("T_si_no", scene().put_factors(0, power(subnormal), power(other)), power(subnormal + other),
              "a subnormal a whose product is normal");
        const Amount result = power(session_.d().emin() - 1);
        gives("T_ni_so", scene().put(0, result), result, "normal factors of a subnormal product");
        if (!shape_.c) return add("T_sa", session_.count(), {}, "");
        const Amount c = power(format(*shape_.c).emin() - 1);
        gives("T_sa", scene().put(at_c, c), c, "a subnormal c alone");
    }

    /// 1 − ulp/2
    Amount below_one() const { return ulps((std::int64_t{1} << std::min(m_ + 1, 62)) - 1, 1); }

    void one_bit() {
        bit_at_ = session_.count();
        extra_ = gives("T_1_bit", scene(power(0)).put(0, -ulps(1, 1)), below_one(), "1 − ulp/2");
    }

    /// The mode of which that is the rounding of a number and of its negative; nothing if it is of none.
    static std::optional<std::string> mode(const Answer& up, const Answer& down, const Amount& away,
                                           const Amount& stays) {
        const bool up_away = up.is(away), down_away = down.is(-away), up_stays = up.is(stays),
                   down_stays = down.is(-stays);
        if (up_away && down_away) return "RTN-TE";
        if (up_stays && down_stays) return "truncate";
        if (up_away && down_stays) return "up";
        if (up_stays && down_away) return "down";
        return std::nullopt;
    }

    /// 2 + 3 ulp/2, which is three quarters of the way to the next number, and the same negative.
    void rounding() {
        const std::size_t first = session_.count();
        const Answer up = session_.ask(scene(power(1)).put(0, ulps(3, 1)));
        const Answer down = session_.ask(scene(-power(1)).put(0, -ulps(3, 1)));
        mode_ = mode(up, down, amount((std::int64_t{1} << m_) + 1, 1 - m_), power(1));
        add("T_rnd_dir", first, mode_, "2 + 3 ulp/2 and its negative");
    }

    /// How many of the three bits beyond ulp are there. Truncation shows each by a borrow; rounding to nearest needs
    /// the bits below it for a tie, or for what is more than one.
    void three_bits() {
        const std::size_t first = extra_ ? session_.count() : bit_at_;
        int bits = extra_ ? 1 : 0;
        const auto minus = [&](const Amount& small) { return session_.ask(scene(power(0)).put(0, -small)); };
        if (extra_ && mode_ == "RTN-TE") {
            const bool two = minus(ulps(3, 2)).is(ulps((std::int64_t{1} << m_) - 1));
            const bool three = minus(ulps(3, 3)).is(below_one());
            bits = three ? 3 : two ? 2 : 1;
        } else if (extra_) {
            while (bits < 3 && minus(ulps(1, bits + 1)).is(below_one())) ++bits;
        }
        add("T_3_bits_fin_rnd", first, bits == 3 && mode_ == "truncate" ? "≥ 3" : std::to_string(bits),
            "1 minus parts of ulp/2");
    }

    /// 1 + ulp/2 in lane 0 + ulp/2 in lane i is 1 from the lane on that is not of the same block. Their loop stops at
    /// the first 1.
    void width() {
        width_at_ = session_.count();
        const int last = shape_.c ? shape_.K : shape_.K - 1;
        for (width_ = 1; width_ < last; ++width_)
            if (session_.ask(scene(power(0)).put(0, ulps(1, 1)).put(width_, ulps(1, 1))).is(power(0))) break;
        add("T_blk_fma_width", width_at_, sentence(width_ == last ? "≥ " : "", width_),
            "1 + ulp/2 + ulp/2 is 1 if not added at once");
    }

    void kept_bits() {
        const std::size_t first = session_.count();
        if (shape_.K < 4) return add("T_pres_extra_acc", first, {}, "");
        const Answer d = session_.ask(scene(power(0)).put(0, ulps(1, 1)).put(1, ulps(1, 1)).put(2, ulps(1, 1)));
        add("T_pres_extra_acc", first, d.value && !d.is(power(0)) ? "yes" : "no",
            "1 + ulp/2 + ulp/2 + ulp/2 is more than 1");
    }

    /// 1 and four times ulp/4 in all orders: they differ where the order of the terms is the order of the additions.
    void order() {
        if (width_ == 1) return add("T_acc_order", width_at_, "N.A.", "the width is 1");
        const std::size_t first = session_.count();
        if (shape_.K < 5) return add("T_acc_order", first, {}, "");
        std::vector<Scene> sums;
        for (int one = 0; one < std::min(5, width_ + 1); ++one) {
            sums.push_back(scene());
            for (int i = 0; i < 5; ++i) sums.back().put(shape_.c ? i - 1 : i, i == one ? power(0) : ulps(1, 2));
        }
        const auto answers = session_.ask(sums);
        const bool same =
            std::ranges::all_of(answers, [&](const Answer& d) { return d.value == answers.front().value; });
        add("T_acc_order", first, same ? "no" : "yes", "1 + ulp/4 + ulp/4 + ulp/4 + ulp/4 in all orders");
    }

    /// (1 + 3 ulp)(1 + 1/4) = 1.25 + 3 ulp + 3 ulp/4, for inputs whose products d does not hold.
    void product() {
        const std::size_t first = session_.count();
        if (format(shape_.a).mantissa_bits < m_) return add("T_prod", first, {}, "");
        const Amount factor = ulps((std::int64_t{1} << m_) + 3);
        const Answer up = session_.ask(scene().put_factors(0, factor, amount(5, -2)));
        const Answer down = session_.ask(scene().put_factors(0, -factor, amount(5, -2)));
        const std::int64_t kept = (std::int64_t{5} << (m_ - 2)) + 3;
        add("T_prod", first, mode(up, down, ulps(kept + 1), ulps(kept)), "(1 + 3 ulp)(1 + 1/4) and its negative");
    }

    Session& session_;
    const Shape& shape_;
    int m_;
    bool extra_ = false;
    std::size_t bit_at_ = 0, width_at_ = 0; ///< where T_1_bit and T_blk_fma_width began
    std::optional<std::string> mode_;
    int width_ = 0;
};

} // namespace

ProbeReport probe_classic(const Shape& shape, const AskTarget& ask) {
    Session session(shape, ask);
    Classic(session).run();
    return std::move(session).report();
}

} // namespace discern
