// Programs on many vectors at once: what they do with elements is done for whole rows, and mma is a matrix product.
// Programs run on many vectors at once, for the distribution of their errors (compare.hpp).
#include "compare.hpp"

#include "run.hpp"

#include "models/gemm.hpp"
#include "models/stimulus/stimulus.hpp"

#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

namespace discern::compare {

namespace {

using Numbers = std::vector<std::uint64_t>;

/// Patterns in the words that products take.
class Words {
  public:
    Words(FormatId id, std::size_t count) : word_(word_bytes(id)), bytes_(count * word_) {}
    explicit Words(FormatId id, const Numbers& numbers) : Words(id, numbers.size()) {
        for (std::size_t i = 0; i < numbers.size(); ++i) set(i, numbers[i]);
    }
    void set(std::size_t i, std::uint64_t bits) {
        std::memcpy(bytes_.data() + i * word_, &bits, word_);
    } // little-endian
    Numbers numbers() const {
        Numbers all(bytes_.size() / word_);
        for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(&all[i], bytes_.data() + i * word_, word_);
        return all;
    }
    Patterns patterns() const { return {bytes_.data(), bytes_.size() / word_, word_}; }
    MutablePatterns writable() { return {bytes_.data(), bytes_.size() / word_, word_}; }

  private:
    std::size_t word_;
    std::vector<std::byte> bytes_;
};

Numbers numbers_of(const Patterns& words) {
    Numbers all(words.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        std::memcpy(&all[i], static_cast<const std::byte*>(words.data()) + i * words.word(), words.word());
    return all;
}

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
    std::size_t sums() const { return tile_.dots(); }

    Numbers apply(const Unit& unit, const Numbers& x, const Numbers& y, const Numbers& z) {
        const Evaluator& evaluator = engines_.evaluator(unit);
        Numbers results(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const std::uint64_t of_y = y[y.size() == 1 ? 0 : i], of_z = z.empty() ? 0 : z[z.size() == 1 ? 0 : i];
            results[i] = evaluator({.a = {&x[i], 1}, .b = {&of_y, 1}, .sa = {}, .sb = {}, .c = of_z});
        }
        return results;
    }

    Numbers mma(const Unit& unit, const Numbers& x, const Numbers& y, const Numbers& c, std::size_t length) {
        const Gemm& gemm = engines_.gemm(unit);
        Words d(unit.d, sums());
        if (!tile_.combined) {
            const auto K = static_cast<std::size_t>(unit.K);
            Words sum(*unit.c, c);
            for (std::size_t from = 0; from < length; from += K) {
                gemm.dots(tile_.rows, slice(unit.a, x, length, from, K).patterns(),
                          slice(unit.b, y, length, from, K).patterns(), sum.patterns(), d.writable());
                sum = d;
            }
            return d.numbers();
        }
        Words turned(unit.b, y.size());
        for (std::size_t column = 0; column < tile_.columns; ++column)
            for (std::size_t k = 0; k < length; ++k) turned.set(k * tile_.columns + column, y[column * length + k]);
        gemm({tile_.rows, tile_.columns, length}, Words(unit.a, x).patterns(), turned.patterns(),
             Words(*unit.c, c).patterns(), d.writable());
        return d.numbers();
    }

  private:
    /// Elements of one instruction of every row; what is missing is +0.
    Words slice(FormatId id, const Numbers& x, std::size_t length, std::size_t from, std::size_t K) const {
        Words some(id, tile_.rows * K);
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
        const Words words(result.format, result.numbers);
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
