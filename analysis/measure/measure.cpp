// Makes the inputs by family, computes them in parallel, and adds up the errors of each part.
#include "measure.hpp"

#include "exact_sum.hpp"

#include "models/error.hpp"
#include "models/parallel.hpp"
#include "models/pattern_words.hpp"
#include "models/random.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <mutex>

namespace discern::measure {

namespace {

constexpr std::size_t largest_side = 64;       ///< rows and columns of a tile,
constexpr std::size_t most_numbers = 1u << 20; ///< unless they are very long: numbers of an operand
constexpr std::size_t largest_batch = 1024;    ///< vectors of a family that is not combined, likewise
constexpr std::uint64_t most_parts = 64;       ///< streams of inputs of their own, whatever the number of threads

/// Patterns in the words that the kernels take, and as all other code takes them.
class Operand {
  public:
    Operand(FormatId id, std::size_t count) : words_(id, count), patterns_(count) {}
    void set(std::size_t i, std::uint64_t pattern) {
        words_.set(i, pattern);
        patterns_[i] = pattern;
    }
    Patterns words() const { return words_.patterns(); }
    std::span<const std::uint64_t> patterns() const { return patterns_; }

  private:
    PatternWords words_;
    std::vector<std::uint64_t> patterns_;
};

/// Vectors of one family, or of given spreads.
class Source {
  public:
    Source(const Unit& unit, const std::string& family, const MeasureOptions& options, std::uint64_t seed)
        : unit_(unit), stimulus_(unit, std::vector<std::string>{family}, options.limits, seed), random_(seed),
          spread_(options.spread) {}

    void next(InputBuffer& buffer) {
        stimulus_.next(buffer);
        if (!spread_) return;
        for (std::uint64_t& a : buffer.a) a = nearest(format(unit_.a), spread_->a * random_.normal());
        for (std::uint64_t& b : buffer.b) b = nearest(format(unit_.b), spread_->b * random_.normal());
        if (unit_.c) buffer.c = nearest(format(*unit_.c), spread_->c * random_.normal());
        stimulus_.keep_within(buffer);
    }

  private:
    const Unit& unit_;
    Stimulus stimulus_;
    Random random_;
    std::optional<Spread> spread_;
};

std::size_t side_of(std::size_t K) {
    return std::clamp<std::size_t>(std::bit_floor(most_numbers / K), 1, largest_side);
}

std::size_t batch_of(std::size_t K) { return std::clamp<std::size_t>(most_numbers / K, 1, largest_batch); }

/// One stream of inputs of a family, through all subjects.
class Part {
  public:
    Part(const Subjects& subjects, const Unit& whole, const std::string& family, const MeasureOptions& options,
         std::uint64_t number)
        : subjects_(subjects), whole_(whole), combined_(family == "normal" || options.spread.has_value()),
          source_(whole, family, options, options.seed * 0x9e3779b97f4a7c15ull + number), exact_(shape_of(whole)),
          counter_(format(whole.d)), K_(static_cast<std::size_t>(whole.K)),
          scales_(static_cast<std::size_t>(whole.scales())), side_(side_of(K_)),
          rows_(combined_ ? side_ : batch_of(K_)), dots_(combined_ ? side_ * side_ : rows_), a_(whole.a, rows_ * K_),
          b_(whole.b, rows_ * K_), b_turned_(whole.b, rows_ * K_), c_(whole.c.value_or(whole.d), dots_),
          sa_(scale_format(), rows_ * scales_), sb_(scale_format(), rows_ * scales_),
          sb_turned_(scale_format(), rows_ * scales_), d_(whole.d, dots_), sums_(dots_),
          first_(dots_), measured_{family, std::vector<Errors>(subjects.size()), {}} {}

    template <typename Stop>
    Measured run(std::uint64_t n, Stop stop) {
        for (std::uint64_t done = 0; done < n;) {
            const std::size_t now = std::min<std::uint64_t>(dots_, n - done);
            if (combined_)
                tile();
            else
                vectors();
            const Tile inputs{combined_,   rows_,       combined_ ? side_ : 1, K_,
                              a_.words(),  b_.words(),  b_turned_.words(),     c_.words(),
                              sa_.words(), sb_.words(), sb_turned_.words()};
            for (std::size_t u = 0; u < subjects_.size(); ++u) {
                subjects_[u]->compute(inputs, d_.out());
                for (std::size_t i = 0; i < now; ++i) counter_.add(measured_.units[u], d_.at(i), sums_[i]);
                if (u == 1)
                    for (std::size_t i = 0; i < now; ++i)
                        measured_.nearer.count(format(whole_.d), first_[i], d_.at(i), sums_[i]);
                else if (u == 0)
                    for (std::size_t i = 0; i < now; ++i) first_[i] = d_.at(i);
            }
            done += now;
            if (stop(now)) break;
        }
        return std::move(measured_);
    }

  private:
    FormatId scale_format() const { return whole_.scale ? whole_.scale->format : FormatId::e8m0; }

    static void put(Operand& into, std::size_t row, const std::vector<std::uint64_t>& patterns) {
        for (std::size_t i = 0; i < patterns.size(); ++i) into.set(row * patterns.size() + i, patterns[i]);
    }

    /// a of some vectors with b of others; c of all in turn, each time beside others.
    void tile() {
        std::vector<std::uint64_t> c;
        for (std::size_t i = 0; i < side_; ++i) {
            source_.next(buffer_);
            put(a_, i, buffer_.a);
            put(sa_, i, buffer_.sa);
            c.push_back(buffer_.c);
            source_.next(buffer_);
            put(b_, i, buffer_.b);
            put(sb_, i, buffer_.sb);
            c.push_back(buffer_.c);
            for (std::size_t k = 0; k < K_; ++k) b_turned_.set(k * side_ + i, buffer_.b[k]);
            for (std::size_t s = 0; s < scales_; ++s) sb_turned_.set(s * side_ + i, buffer_.sb[s]);
        }
        for (std::size_t i = 0; i < dots_; ++i) c_.set(i, c[(i + 5 * (i / side_)) % c.size()]);
        exact_.tile(side_, side_, {a_.patterns(), b_.patterns(), c_.patterns(), sa_.patterns(), sb_.patterns()}, sums_);
    }

    void vectors() {
        for (std::size_t i = 0; i < rows_; ++i) {
            source_.next(buffer_);
            put(a_, i, buffer_.a);
            put(b_, i, buffer_.b);
            put(sa_, i, buffer_.sa);
            put(sb_, i, buffer_.sb);
            c_.set(i, buffer_.c);
            sums_[i] = exact_(buffer_.inputs());
        }
    }

    const Subjects& subjects_;
    const Unit& whole_; ///< with the K of the chain
    bool combined_;
    Source source_;
    ExactSums exact_;
    ErrorCounter counter_;
    std::size_t K_, scales_, side_, rows_, dots_;
    Operand a_, b_, b_turned_, c_, sa_, sb_, sb_turned_;
    PatternWords d_;
    std::vector<ExactSum> sums_;
    std::vector<std::uint64_t> first_; ///< results of the first subject
    Measured measured_;
    InputBuffer buffer_;
};

Unit chained(const Unit& unit, int chain) {
    if (chain == 1) return unit;
    if (!unit.c || *unit.c != unit.d)
        throw Error("a chain: the result of this unit cannot be the next instruction's accumulator; c and d are of one "
                    "format where it can");
    Unit whole = unit;
    whole.K = unit.K * chain;
    validate(whole);
    return whole;
}

Measured measure_family(const Subjects& subjects, const Unit& whole, const std::string& family,
                        const MeasureOptions& options, std::uint64_t before) {
    const std::size_t side = side_of(static_cast<std::size_t>(whole.K));
    const std::uint64_t parts = std::clamp<std::uint64_t>(options.n / (side * side), 1, most_parts);
    std::vector<Measured> of_parts(parts, {family, std::vector<Errors>(subjects.size()), {}});
    std::atomic<std::uint64_t> done{before};
    std::mutex mutex;
    for_each_index(options.threads, parts, [&](std::size_t part) {
        if (options.stop.stop_requested()) return;
        const std::uint64_t n = options.n / parts + (part < options.n % parts ? 1 : 0);
        of_parts[part] = Part(subjects, whole, family, options, part).run(n, [&](std::uint64_t more) {
            const std::uint64_t now = done += more;
            if (options.progress) {
                const std::scoped_lock lock(mutex);
                options.progress(now);
            }
            return options.stop.stop_requested();
        });
    });
    Measured all{family, std::vector<Errors>(subjects.size()), {}};
    for (const Measured& part : of_parts) {
        for (std::size_t u = 0; u < subjects.size(); ++u) all.units[u].add(part.units[u]);
        all.nearer.add(part.nearer);
    }
    return all;
}

} // namespace

void NearerCounts::count(const Format& d, std::uint64_t one, std::uint64_t other, const ExactSum& exact) {
    if (!std::isfinite(exact.high)) return;
    const double x = to_double(d, one), y = to_double(d, other);
    if (!std::isfinite(x) || !std::isfinite(y) || x == y) {
        ++(std::isfinite(x) == std::isfinite(y) ? neither : std::isfinite(x) ? first : second);
        return;
    }
    // Below the middle of both the smaller one is nearer. The middle is, as the exact result, a nearest double and a
    // rest.
    double middle = x / 2;
    const double rest = two_sum(middle, y / 2);
    const bool below = exact.high != middle ? exact.high < middle : exact.low < rest;
    const bool in_the_middle = exact.high == middle && exact.low == rest;
    ++(in_the_middle ? neither : below == (x < y) ? first : second);
}

Spread parse_spread(std::string_view text) {
    Spread spread;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view item = text.substr(begin, end - begin);
        double value = 0;
        const char* const last = item.data() + item.size();
        const bool named = item.size() > 2 && item[1] == ':' && item[0] >= 'a' && item[0] <= 'c';
        const auto read = named ? std::from_chars(item.data() + 2, last, value)
                                : std::from_chars_result{last, std::errc::invalid_argument};
        if (read.ec != std::errc() || read.ptr != last || !std::isfinite(value) || value < 0)
            throw Error(
                sentence("--spread: ", excerpt(item),
                         " is not OPERAND:NUMBER with one of a, b, c and a number of 0 or more, such as a:1000"));
        (item[0] == 'a' ? spread.a : item[0] == 'b' ? spread.b : spread.c) = value;
        begin = end + 1;
    }
    return spread;
}

std::vector<Measured> measure(const std::vector<Unit>& units, const MeasureOptions& options) {
    for (const Unit& unit : units)
        if (const std::string what = difference(shape_of(units.front()), shape_of(unit)); !what.empty())
            throw Error(sentence("the units cannot be measured on the same inputs, because they differ in ", what));
    const Unit whole = chained(units.front(), options.chain);
    Subjects subjects;
    for (const Unit& unit : units) subjects.push_back(std::make_unique<UnitSubject>(unit));
    return measure(subjects, whole, options);
}

std::vector<Measured> measure(const Subjects& subjects, const Unit& inputs, const MeasureOptions& options) {
    std::vector<Measured> all;
    const std::vector<std::string> families = options.spread ? std::vector<std::string>{"normal"} : options.families;
    for (const std::string& family : families) {
        if (options.stop.stop_requested()) break;
        all.push_back(measure_family(subjects, inputs, family, options, options.n * all.size()));
    }
    return all;
}

} // namespace discern::measure
