// Any program that multiplies whole matrices as a target: a library is asked for the sizes that it is made for.
//
// docs/targets.md is the protocol: a header line, then products in binary words. Vectors are answered by products too:
// each has a row, a column and an element of D of its own, and other places in each product, so that what depends on
// the place is seen.
#include "makers.hpp"
#include "models/error.hpp"
#include "models/pattern_words.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"
#include "process/child_process.hpp"
#include "products.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace discern {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t side = 64;                  ///< rows and columns of a product of vectors
constexpr milliseconds one_wait{100};             ///< between two looks at the clock
constexpr milliseconds for_last_words{500};       ///< of a target that has closed its output
constexpr double longest_timeout = 365.0 * 86400; ///< beyond it, the same

class MatricesTarget final : public ProductTarget {
  public:
    MatricesTarget(const std::string& command, const TargetOptions& options)
        : name_("the target " + excerpt(command, 60)), shape_(options.shape.value()),
          timeout_(std::chrono::duration_cast<Clock::duration>(
              std::chrono::duration<double>(std::min(options.answer_timeout, longest_timeout)))),
          stop_(options.stop), command_(command), child_(command) {
        if (shape_.scale) throw Error("matrices: products with scales are not part of its protocol; exec: is right");
        Header header;
        header.shape = shape_;
        header.other.emplace_back("matrices", "1");
        unsent_ = to_json(header) + "\n";
    }

    const Shape& shape() const override { return shape_; }
    Identity identity() const override { return {{"model", command_}}; }

    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override {
        const auto K = static_cast<std::size_t>(shape_.K);
        for (std::size_t first = 0; first < batch.size(); first += side) {
            const auto part = batch.subspan(first, std::min(side, batch.size() - first));
            const std::size_t shift = ++products_ % side;
            const auto column = [&](std::size_t i) { return (i + shift) % side; };
            PatternWords a(shape_.a, side * K), b(shape_.b, K * side), c(shape_.c.value_or(shape_.d), side * side),
                d(shape_.d, side * side);
            for (std::size_t i = 0; i < side; ++i) {
                const Inputs& one = part[i % part.size()]; // places that are left have some vector, too
                for (std::size_t k = 0; k < K; ++k) {
                    a.set(i * K + k, one.a[k]);
                    b.set(k * side + column(i), one.b[k]);
                }
                if (shape_.c) c.set(i * side + column(i), one.c);
            }
            multiply({side, side, K}, a.patterns(), b.patterns(), shape_.c ? c.patterns() : Patterns(), d.out());
            for (std::size_t i = 0; i < part.size(); ++i)
                answers.push_back({.d = d.at(i * side + column(i)), .error = {}});
        }
    }

    void multiply(GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d) override {
        if (!failure_.empty() && stop_.stop_requested()) throw Stopped(failure_);
        if (!failure_.empty()) throw Error(failure_);
        for (const std::size_t n : {size.m, size.n, size.k})
            for (int byte = 0; byte < 4; ++byte) unsent_ += static_cast<char>(n >> (8 * byte) & 0xff);
        for (const Patterns& p : {a, b, c})
            if (p.size() != 0) unsent_.append(static_cast<const char*>(p.data()), p.size() * p.word());
        const std::size_t bytes = d.size() * d.word();
        Clock::time_point last = Clock::now();
        std::string_view rest = unsent_;
        while (received_.size() < bytes || !rest.empty()) {
            if (received_.size() > bytes) fail_answer(bytes);
            if (stop_.stop_requested()) stop();
            if (child_.output_ended()) fail_dead(bytes);
            const auto left = std::chrono::ceil<milliseconds>(last + timeout_ - Clock::now());
            const std::size_t had = received_.size(), unsent = rest.size();
            child_.exchange(rest, received_, std::clamp(left, milliseconds(0), one_wait));
            if (received_.size() != had || rest.size() != unsent) last = Clock::now();
            if (Clock::now() - last >= timeout_) fail_silent();
        }
        unsent_.clear();
        if (received_.size() > bytes) fail_answer(bytes);
        std::memcpy(d.data(), received_.data(), bytes);
        received_.clear();
        const Format& f = format(shape_.d);
        for (std::size_t i = 0; f.width < static_cast<int>(8 * d.word()) && i < d.size(); ++i) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, static_cast<const char*>(d.data()) + i * d.word(), d.word());
            if (bits > f.mask())
                fail(sentence(name_, " answered a word with bits above the ", f.width, " of ", f.name, " (element ", i,
                              " of D); zeros there are right"));
        }
        ++answered_;
    }

  private:
    [[noreturn]] void fail(const std::string& text) {
        failure_ = text;
        child_.kill();
        throw Error(failure_);
    }
    [[noreturn]] void stop() {
        failure_ = name_ + " was stopped";
        child_.kill();
        throw Stopped(failure_);
    }
    [[noreturn]] void fail_answer(std::size_t bytes) {
        fail(sentence(name_, " answered ", received_.size(), " bytes or more to product ", answered_ + 1, "; ", bytes,
                      " are right, the M·N words of D", said()));
    }
    [[noreturn]] void fail_silent() {
        child_.end(milliseconds(0));
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout_).count();
        fail(sentence(name_, " gave no answer to product ", answered_ + 1, " within ", seconds, " s (--answer-timeout)",
                      said()));
    }
    [[noreturn]] void fail_dead(std::size_t bytes) {
        const std::string how = child_.end(for_last_words);
        fail(sentence(name_, how.empty() ? " closed its output" : " ended with " + how, " after ",
                      counted(answered_, "product"), ", when ", bytes, " bytes of product ", answered_ + 1,
                      " were to come", said()));
    }
    std::string said() const {
        std::string text = child_.complaints();
        while (text.ends_with('\n')) text.pop_back();
        constexpr std::size_t most = 400; // the last words are the ones that matter
        if (text.empty()) return "; it said nothing else";
        return "; it said " + excerpt(text.size() > most ? text.substr(text.size() - most) : text, most);
    }

    std::string name_;
    Shape shape_;
    Clock::duration timeout_;
    std::stop_token stop_;
    std::string command_;
    ChildProcess child_;
    std::string unsent_, received_, failure_;
    std::size_t products_ = 0, answered_ = 0;
};

} // namespace

std::unique_ptr<Target> make_matrices(const std::string& command, const TargetOptions& options) {
    if (!(options.answer_timeout > 0)) throw Error("--answer-timeout: must be a number of seconds above 0");
    return std::make_unique<MatricesTarget>(command, options);
}

} // namespace discern
