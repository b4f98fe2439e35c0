// Programs on many vectors at once, for the distribution of their errors (compare.hpp): what they do with elements is
// done for whole rows, and mma is a matrix product.
#include "compare.hpp"

#include "run.hpp"

#include "models/pattern_words.hpp"
#include "models/stimulus/stimulus.hpp"
#include "models/unit/patterns.hpp"

#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

namespace discern::compare {

namespace {

using Numbers = std::vector<std::uint64_t>;

/// In the words that products take.
PatternWords words_of(FormatId id, const Numbers& numbers) {
    PatternWords words(id, numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) words.set(i, numbers[i]);
    return words;
}

Numbers numbers_of(const Patterns& words) { return patterns_at(words, 0, words.size()); }

/// The evaluators that a program needs, made once. Safe from several threads.
class Engines {
  public:
    const Evaluator& evaluator(const Unit& unit) { return of(evaluators_, unit); }
    const Gemm& gemm(const Unit& unit) { return of(gemms_, unit); }

  private:
    template <typename Engine>
    const Engine& of(std::vector<std::pair<Unit, std::unique_ptr<Engine>>>& all, const Unit& unit) {
        const std::scoped_lock lock(mutex_);
        for (const auto& [known, engine] : all)
            if (known == unit) return *engine;
        return *all.emplace_back(unit, std::make_unique<Engine>(unit)).second;
    }
    std::mutex mutex_;
    std::vector<std::pair<Unit, std::unique_ptr<Evaluator>>> evaluators_;
    std::vector<std::pair<Unit, std::unique_ptr<Gemm>>> gemms_;
};

/// Numbers of a tile; the domain of run.hpp.
class Tiled {
  public:
    using Number = std::uint64_t;
    Tiled(Engines& engines, const measure::Tile& tile) : engines_(engines), tile_(tile) {}

    static std::uint64_t pattern(const Format&, std::uint64_t bits) { return bits; }

    auto operation(const Unit& unit) {
        return [&evaluate = engines_.evaluator(unit)](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
            return evaluate({.a = {&x, 1}, .b = {&y, 1}, .sa = {}, .sb = {}, .c = z});
        };
    }

    Numbers mma(const Unit& unit, const Numbers& x, const Numbers& y, const Numbers& c) {
        const Gemm& gemm = engines_.gemm(unit);
        const std::size_t length = x.size() / tile_.rows;
        PatternWords d(unit.d, c.size());
        if (!tile_.combined) {
            const auto K = static_cast<std::size_t>(unit.K);
            PatternWords sum = words_of(*unit.c, c);
            for (std::size_t from = 0; from < length; from += K) {
                gemm.dots(tile_.rows, slice(unit.a, x, length, from, K).patterns(),
                          slice(unit.b, y, length, from, K).patterns(), sum.patterns(), d.out());
                sum = d;
            }
            return numbers_of(d.patterns());
        }
        PatternWords turned(unit.b, y.size());
        for (std::size_t column = 0; column < tile_.columns; ++column)
            for (std::size_t k = 0; k < length; ++k) turned.set(k * tile_.columns + column, y[column * length + k]);
        gemm({tile_.rows, tile_.columns, length}, words_of(unit.a, x).patterns(), turned.patterns(),
             words_of(*unit.c, c).patterns(), d.out());
        return numbers_of(d.patterns());
    }

  private:
    /// Elements of one instruction of every row; what is missing is +0.
    PatternWords slice(FormatId id, const Numbers& x, std::size_t length, std::size_t from, std::size_t K) const {
        PatternWords some(id, tile_.rows * K);
        for (std::size_t row = 0; row < tile_.rows; ++row)
            for (std::size_t k = 0; k < std::min(K, length - from); ++k)
                some.set(row * K + k, x[row * length + from + k]);
        return some;
    }

    Engines& engines_;
    const measure::Tile& tile_;
};

class ProgramSubject final : public measure::Subject {
  public:
    ProgramSubject(const Program& program, const Setting& setting) : program_(program), setting_(setting) {}

    void compute(const measure::Tile& tile, MutablePatterns d) const override {
        Tiled domain(engines_, tile);
        const auto result =
            Run<Tiled>(domain, setting_)(program_, numbers_of(tile.a), numbers_of(tile.b), numbers_of(tile.c));
        const PatternWords words = words_of(result.format, result.numbers);
        std::memcpy(d.data(), words.patterns().data(), words.patterns().size() * words.patterns().word());
    }

  private:
    const Program& program_;
    const Setting& setting_;
    mutable Engines engines_;
};

} // namespace

std::vector<measure::Measured> measure_programs(const std::array<Program, 2>& programs, const Setting& setting,
                                                const measure::MeasureOptions& options) {
    const Shape shape = setting.shape(common_result(programs, setting));
    measure::Subjects subjects;
    for (const Program& program : programs) subjects.push_back(std::make_unique<ProgramSubject>(program, setting));
    return measure::measure(subjects, unit_of_shape(shape), options);
}

} // namespace discern::compare
