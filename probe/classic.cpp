// The tests of Li et al. ("FTTN", CCGrid 2024, §III), read as they read them.
//
// The vectors are made from the paper's description, for any formats; with ulp = 2^-m, m the fraction bits of d. Where
// the text leaves a choice (Figures 2, 4 and 5 give values that the text does not), the simplest vector that the text
// allows is taken. Their readings assume features that a unit need not have: Khattak & Mikaitis (2025, §V-A) show
// units on which they are wrong, which is what these are kept for.
#include "models/sentence.hpp"
#include "probe.hpp"
#include "session.hpp"

#include <algorithm>

namespace discern {

namespace {

using namespace probe;

class Classic {
  public:
    explicit Classic(Session& session) : session_(session), m_(session.d().mantissa_bits) {}

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
    Scene scene() const { return Scene(session_.shape()); }
    int K() const { return session_.shape().K; }
    /// Where the 1 goes: into c, or the last lane of a unit without one.
    int base() const { return session_.shape().c ? at_c : K() - 1; }
    std::optional<Amount> ask(const Scene& scene) { return session_.value(session_.ask(scene)); }

    void add(std::string_view key, std::string_view title, std::size_t first, std::optional<std::string> value,
             std::string why) {
        const bool asked = session_.count() > first;
        if (!asked) value.reset();
        session_.add({.key = key,
                      .title = title,
                      .value = std::move(value),
                      .why = asked ? std::move(why) : "these formats cannot hold the test's values",
                      .decided_by = indices(first, session_.count())});
    }

    void subnormals() {
        const Format &a = format(session_.shape().a), &b = format(session_.shape().b), &d = session_.d();
        std::size_t first = session_.count();
        const int subnormal = a.emin() - 1, other = std::clamp(-subnormal, b.emin(), b.emax());
        const bool in = ask(scene().put_factors(0, power(subnormal), power(other))) == power(subnormal + other);
        add("T_si_no", "subnormal in, normal out", first, in ? "yes" : "no", "a subnormal a whose product is normal");
        first = session_.count();
        const bool out = ask(scene().put(0, power(d.emin() - 1))) == power(d.emin() - 1);
        add("T_ni_so", "normal in, subnormal out", first, out ? "yes" : "no", "normal factors of a subnormal product");
        first = session_.count();
        if (session_.shape().c) {
            const Amount small = power(format(*session_.shape().c).emin() - 1);
            const bool kept = ask(scene().put(at_c, small)) == small;
            add("T_sa", "subnormal accumulation", first, kept ? "yes" : "no", "a subnormal c alone");
        } else {
            add("T_sa", "subnormal accumulation", first, {}, "");
        }
    }

    void one_bit() {
        const std::size_t first = session_.count();
        bit_ = first;
        extra_ = ask(scene().put(base(), power(0)).put(0, -power(-m_ - 1))) ==
                 amount((std::int64_t{1} << std::min(m_ + 1, 62)) - 1, -m_ - 1);
        add("T_1_bit", "an extra bit", first, extra_ ? "yes" : "no", "1 − ulp/2");
    }

    /// 2 + 3 ulp/2, which is three quarters of the way to the next number, and the same negative.
    void rounding() {
        const std::size_t first = session_.count();
        const Amount next = amount((std::int64_t{1} << m_) + 1, 1 - m_);
        const auto up = ask(scene().put(base(), power(1)).put(0, amount(3, -m_ - 1)));
        const auto down = ask(scene().put(base(), -power(1)).put(0, amount(-3, -m_ - 1)));
        const bool away_up = up == next, away_down = down == -next;
        const bool stays_up = up == power(1), stays_down = down == -power(1);
        if (away_up && away_down)
            mode_ = "RTN-TE";
        else if (stays_up && stays_down)
            mode_ = "truncate";
        else if (away_up && stays_down)
            mode_ = "up";
        else if (stays_up && away_down)
            mode_ = "down";
        add("T_rnd_dir", "rounding mode", first, mode_.empty() ? std::nullopt : std::optional<std::string>(mode_),
            "2 + 3 ulp/2 and its negative");
    }

    /// How many of the three bits beyond ulp are there. Truncation shows each by a borrow; rounding to nearest needs
    /// the bits below it for a tie, or for what is more than one.
    void three_bits() {
        const std::size_t first = session_.count();
        int bits = extra_ ? 1 : 0;
        const Amount below = amount((std::int64_t{1} << std::min(m_ + 1, 62)) - 1, -m_ - 1);
        const auto minus = [&](const Amount& small) { return ask(scene().put(base(), power(0)).put(0, -small)); };
        if (!extra_) {
            bits = 0;
        } else if (mode_ == "RTN-TE") {
            const bool two = minus(amount(3, -m_ - 2)) == amount((std::int64_t{1} << m_) - 1, -m_);
            const bool three = minus(amount(3, -m_ - 3)) == below;
            bits = three ? 3 : two ? std::max(bits, 2) : bits;
        } else {
            for (int more = 2; more <= 3 && bits == more - 1; ++more)
                if (minus(power(-m_ - more)) == below) bits = more;
        }
        add("T_3_bits_fin_rnd", "extra bits", extra_ ? first : bit_,
            bits == 3 && mode_ == "truncate" ? "≥ 3" : std::to_string(bits), "1 minus parts of ulp/2");
    }

    /// 1 + ulp/2 in lane 0 + ulp/2 in lane i is 1 from the lane on that is not of the same block. Their loop stops at
    /// the first 1.
    void width() {
        const std::size_t first = width_at_ = session_.count();
        int lane = 1;
        const int last = base() == at_c ? K() : K() - 1;
        for (; lane < last; ++lane)
            if (ask(scene().put(base(), power(0)).put(0, power(-m_ - 1)).put(lane, power(-m_ - 1))) == power(0)) break;
        width_ = lane;
        add("T_blk_fma_width", "FMA unit width", first, lane == last ? sentence("≥ ", last) : std::to_string(lane),
            "1 + ulp/2 + ulp/2 is 1 if not added at once");
    }

    void kept_bits() {
        const std::size_t first = session_.count();
        if (K() < 4) return add("T_pres_extra_acc", "extra bits kept in sums", first, {}, "");
        Scene sum = scene().put(base(), power(0));
        for (const int lane : {0, 1, 2}) sum.put(lane, power(-m_ - 1));
        const auto d = ask(sum);
        add("T_pres_extra_acc", "extra bits kept in sums", first, d && d != power(0) ? "yes" : "no",
            "1 + ulp/2 + ulp/2 + ulp/2 is more than 1");
    }

    /// 1 and four times ulp/4 in all orders: they differ where the order of the terms is the order of the additions.
    void order() {
        if (width_ == 1) return add("T_acc_order", "order controllable", width_at_, "N.A.", "the width is 1");
        const std::size_t first = session_.count();
        if (K() < 5) return add("T_acc_order", "order controllable", first, {}, "");
        std::optional<Amount> one;
        bool same = true;
        const int places = std::min(5, width_ + 1);
        for (int i = 0; i < places; ++i) {
            const auto place = [&](int j) { return session_.shape().c ? j - 1 : j; };
            Scene sum = scene();
            for (int j = 0; j < 5; ++j) sum.put(place(j), j == i ? power(0) : power(-m_ - 2));
            const auto d = ask(sum);
            same = same && (i == 0 || d == one);
            one = d;
        }
        add("T_acc_order", "order controllable", first, same ? "no" : "yes",
            "1 + ulp/4 + ulp/4 + ulp/4 + ulp/4 in all orders");
    }

    /// (1 + 3 ulp)(1 + 1/4) = 1.25 + 3 ulp + 3 ulp/4, for inputs whose products d does not hold.
    void product() {
        const std::size_t first = session_.count();
        const int bits = format(session_.shape().a).mantissa_bits;
        if (bits < m_) return add("T_prod", "rounding of products", first, {}, "");
        const auto times = [&](std::int64_t sign) {
            return ask(scene().put_factors(0, amount(sign * ((std::int64_t{1} << m_) + 3), -m_), amount(5, -2)));
        };
        const std::int64_t kept = (std::int64_t{5} << (m_ - 2)) + 3;
        const auto up = times(1), down = times(-1);
        std::optional<std::string> value;
        const bool up_away = up == amount(kept + 1, -m_), down_away = down == amount(-kept - 1, -m_);
        const bool up_stays = up == amount(kept, -m_), down_stays = down == amount(-kept, -m_);
        if (up_away && down_away) value = "RTN-TE";
        if (up_stays && down_stays) value = "truncate";
        if (up_away && down_stays) value = "up";
        if (up_stays && down_away) value = "down";
        add("T_prod", "rounding of products", first, value, "(1 + 3 ulp)(1 + 1/4) and its negative");
    }

    Session& session_;
    int m_;
    bool extra_ = false;
    std::size_t bit_ = 0, width_at_ = 0; ///< where T_1_bit and T_blk_fma_width began
    std::string mode_;
    int width_ = 0;
};

} // namespace

ProbeReport probe_classic(const Shape& shape, const AskTarget& ask) {
    Session session(shape, ask);
    Classic(session).run();
    return std::move(session).report();
}

} // namespace discern
