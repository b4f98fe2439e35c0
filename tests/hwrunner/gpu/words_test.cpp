// Random terms as PTX, run by the machine of programs/, against the meaning of their operations.
//
// Kernels of units use few widths; here words have up to 200 bits, and a variable may be any number in registers that
// is right modulo 2 to its width.
#include "encodings/graph/term_eval.hpp"
#include "hwrunner/gpu/words.hpp"
#include "models/random.hpp"
#include "programs/launch/device.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace discern::testing {
namespace {

using namespace gpu;

using Memory = std::vector<std::uint32_t>;

constexpr int widths[] = {1, 2, 5, 8, 16, 27, 31, 32, 33, 40, 63, 64, 65, 96, 97, 130, 200};

Bits from_memory(const std::uint32_t* memory, int width) {
    std::vector<std::uint64_t> words((static_cast<std::size_t>(width) + 63) / 64);
    for (std::size_t i = 0; i < Numbers::parts_of(width); ++i)
        words[i / 2] |= static_cast<std::uint64_t>(memory[i]) << (32 * (i % 2));
    return Bits::from_words(width, words);
}

/// A graph of a few terms, its kernel, and where in memory its variables and roots are.
class RandomTerms {
  public:
    explicit RandomTerms(std::uint64_t seed) : random_(seed) {
        for (int i = 0; i < 4; ++i) {
            const Term x =
                t_.variable("x" + std::to_string(i), widths[random_.below(static_cast<int>(std::size(widths)))]);
            variables_.push_back(x);
            pool_.push_back(x);
        }
        for (int i = 0; i < 24; ++i) {
            const Term made = next();
            if (!t_.is_constant(made)) pool_.push_back(made);
        }
        write();
    }

    /// The first root that is wrong; -1: none.
    int wrong() {
        Memory memory(size_);
        std::map<std::uint32_t, Bits> values;
        for (std::size_t i = 0; i < variables_.size(); ++i)
            values.emplace(variables_[i].id, filled(memory.data() + offsets_[i], t_.width(variables_[i]), kinds_[i]));
        constexpr std::uint64_t address = 1 << 20;
        std::vector<std::uint8_t> parameter(8);
        std::memcpy(parameter.data(), &address, sizeof address);
        const programs::DeviceArray array{
            address, {reinterpret_cast<std::uint8_t*>(memory.data()), memory.size() * sizeof memory[0]}};
        programs::LoadedKernel(text_, "words.ptx").launch({.block = {32, 1, 1}, .parameters = parameter}, {&array, 1});
        define(values);
        TermEvaluator meaning(t_, pool_);
        for (const auto& [id, value] : values) meaning.set({id}, value);
        meaning.run();
        for (std::size_t i = 0; i < pool_.size(); ++i)
            if (from_memory(memory.data() + offsets_[variables_.size() + i], t_.width(pool_[i])) !=
                meaning.value(pool_[i]))
                return static_cast<int>(i);
        return -1;
    }
    /// For a failure.
    std::string description(int root) const {
        const Term x = pool_[static_cast<std::size_t>(root)];
        std::string text =
            "operation " + std::to_string(static_cast<int>(t_.op(x))) + ", widths " + std::to_string(t_.width(x));
        for (const Term arg : t_.args(x)) text += " " + std::to_string(t_.width(arg));
        return text + "\n" + text_;
    }

  private:
    enum class Filled : std::uint8_t { without_sign, with_sign, anyhow };

    Term any() { return pool_[static_cast<std::size_t>(random_.below(static_cast<int>(pool_.size())))]; }
    Term of_width(int width) {
        const Term x = any();
        if (t_.width(x) >= width) return t_.extract(x, random_.below(t_.width(x) - width + 1), width);
        return random_.below(2) == 0 ? t_.zero_extend(x, width) : t_.sign_extend(x, width);
    }
    Term constant(int width) {
        switch (random_.below(4)) {
        case 0: return t_.constant(width, 0);
        case 1: return t_.constant(Bits::ones(width));
        case 2: return t_.constant(width, std::uint64_t{1} << random_.below(64));
        default: return t_.constant(width, random_.bits());
        }
    }
    int width() { return widths[random_.below(static_cast<int>(std::size(widths)))]; }

    Term next() {
        const Term x = any();
        const int w = t_.width(x);
        const Term y = random_.below(5) == 0 ? constant(w) : of_width(w);
        const int amount = std::min(w, 1 + random_.below(9));
        switch (random_.below(21)) {
        case 0: return t_.bvnot(x);
        case 1: return t_.bvand(x, y);
        case 2: return t_.bvor(x, y);
        case 3: return t_.bvxor(x, y);
        case 4: return t_.bvneg(x);
        case 5: return t_.bvadd(x, y);
        case 6: {
            std::vector<Term> terms = {x, y, t_.bvneg(of_width(w)), constant(w), t_.zero_extend(of_width(1), w)};
            for (int i = 0; i < 8 && w > 5; ++i) terms.push_back(t_.sign_extend(of_width(w / 2), w));
            return t_.bvadd(terms);
        }
        case 7: return t_.bvmul(x, y);
        case 8: {
            const Term some[] = {x, y, of_width(w)};
            return t_.bvumax(some);
        }
        case 9: return t_.bvshl(x, of_width(amount));
        case 10: return t_.bvlshr(x, of_width(amount));
        case 11: return t_.bvult(x, y);
        case 12: return t_.eq(x, y);
        case 13: return t_.ite(of_width(1), x, y);
        case 14: return t_.ite(of_width(1), t_.bvneg(x), x);
        case 15: return w > 200 ? x : t_.concat(x, of_width(width()));
        case 16: return of_width(width());
        case 17: { // a significand: a hidden bit above a field
            const int whole = std::max(w, 3), l = random_.below(whole - 2), m = l + 1 + random_.below(whole - l - 2),
                      n = m + 1 + random_.below(whole - m);
            const Term from = t_.resize(x, whole);
            return t_.concat(t_.bvnot(t_.is_zero(t_.extract(from, m, n - m))), t_.extract(from, l, m - l));
        }
        case 18: { // a sign: of two bits
            const Term other = any();
            const int i = random_.below(std::min(w, t_.width(other)));
            return t_.bvxor(t_.bit(x, i), t_.bit(other, i));
        }
        case 19: { // an aligned term without the bits that are truncated
            const int zeros = 1 + random_.below(40), low = 1 + random_.below(zeros);
            if (w > 200) return x;
            const Term shifted = t_.bvlshr(t_.concat(x, t_.constant(zeros, 0)), of_width(std::min(w, 7)));
            return t_.extract(shifted, low, w + zeros - low);
        }
        default: { // of a word that is not zero
            const WordDomain::Normalised normal = domain_.normalise(domain_.word(t_.bvor(x, t_.constant(w, 1))));
            if (normal.leading_zeros.width > 0 && random_.below(2) == 0) return normal.leading_zeros.term;
            return normal.word.term;
        }
        }
    }

    void write() {
        Code code("");
        Numbers numbers(code);
        Words words(t_, domain_.definitions(), code);
        std::size_t at = 0;
        const auto place = [&](int width) {
            offsets_.push_back(at);
            at += Numbers::parts_of(width);
        };
        for (const Term x : variables_) {
            const std::size_t n = Numbers::parts_of(t_.width(x));
            const int bits = t_.width(x) - 32 * static_cast<int>(n - 1);
            kinds_.push_back(static_cast<Filled>(random_.below(3)));
            gpu::Number number{{}, {0, 0xffffffff}};
            if (kinds_.back() == Filled::without_sign) number.top = {0, (std::int64_t{1} << bits) - 1};
            if (kinds_.back() == Filled::with_sign)
                number.top = {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
            for (std::size_t i = 0; i < n; ++i)
                number.parts.push_back(
                    code.load(Code::Kind::narrow, "ld.global.u32", "[%at+" + std::to_string(4 * (at + i)) + "]"));
            words.bind(x, number);
            place(t_.width(x));
        }
        for (const Term x : pool_) {
            const int width = t_.width(x);
            const gpu::Number root = numbers.without_sign(words.print(x), width);
            for (std::size_t i = 0; i < Numbers::parts_of(width); ++i)
                code.statement("st.global.u32 [%at+" + std::to_string(4 * (at + i)) + "], " + numbers.part(root, i));
            place(width);
        }
        size_ = at;
        text_ = ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry words(.param .u64 arguments)\n{\n"
                "    .reg .b64 %at;\n" +
                code.declarations() + "    ld.param.u64 %at, [arguments+0];\n" + code.text() + "    ret;\n}\n";
    }

    Bits filled(std::uint32_t* memory, int width, Filled how) {
        const std::size_t n = Numbers::parts_of(width);
        const bool narrow = random_.below(3) == 0; // values near 0
        for (std::size_t i = 0; i < n; ++i)
            memory[i] = narrow && i > 0 ? 0 : static_cast<std::uint32_t>(random_.bits() >> (narrow ? 61 : 32));
        const int bits = width - 32 * static_cast<int>(n - 1);
        std::uint32_t& top = memory[n - 1];
        if (how == Filled::without_sign && bits < 32) top &= (1u << bits) - 1;
        if (how == Filled::with_sign)
            top = static_cast<std::uint32_t>(static_cast<std::int32_t>(top << (32 - bits)) >> (32 - bits));
        return from_memory(memory, width);
    }

    /// Values of the variables that stand for leading zeros and for shifted words, the inner ones first.
    void define(std::map<std::uint32_t, Bits>& values) {
        std::map<std::uint32_t, Definition> definitions(domain_.definitions().begin(), domain_.definitions().end());
        for (const auto& [id, definition] : definitions) {
            TermEvaluator inner(t_, {definition.of});
            for (const auto& [other, value] : values) inner.set({other}, value);
            inner.run();
            const Bits x = inner.value(definition.of);
            const auto zeros = static_cast<std::uint64_t>(x.width() - 1 - x.top());
            const int width = t_.width({id});
            values.emplace(id, definition.is_count
                                   ? Bits(width, zeros)
                                   : bvshl(zero_extend(x, width),
                                           Bits(32, zeros + static_cast<std::uint64_t>(width - x.width()))));
        }
    }

    using WordDomain = rtl::WordDomain;

    Random random_;
    Terms t_;
    GpuDomain domain_{t_};
    std::vector<Term> variables_, pool_;
    std::vector<Filled> kinds_;
    std::vector<std::size_t> offsets_; ///< in memory: of the variables, and of the roots
    std::size_t size_ = 0;
    std::string text_;
};

TEST(GpuWords, AgreeWithTheMeaningOfTerms) {
    for (int seed = 0; seed < tests::sweep(300); ++seed) {
        RandomTerms terms(static_cast<std::uint64_t>(seed));
        for (int i = 0; i < 8; ++i) {
            const int wrong = terms.wrong();
            if (wrong < 0) continue;
            FAIL() << "seed " << seed << ", " << terms.description(wrong);
        }
    }
}

/// What circuits do with fields of patterns, in a domain's operations.
template <class D>
std::vector<Term> conditions(D& d, Term p, Term q, Term n, Term m) {
    using Word = rtl::WordDomain::Word;
    const Word whole = d.word(p), other = d.word(q), fraction = d.slice(whole, 0, 2), exponent = d.slice(whole, 2, 3);
    const Term full = d.all(exponent), some = d.any(fraction), hidden = d.any(exponent);
    const Word nan = d.constant(0x1e, 5), quiet = d.concat(d.constant(1, 1), d.slice(other, 0, 1));
    const Word made = d.concat(d.mux(n, d.constant(7, 3), d.slice(other, 2, 3)), d.mux(n, quiet, d.slice(other, 0, 2)));
    const Word unmade = d.mux(d.bit_not(m), made, other);
    std::vector<Term> all = {d.bit_and(full, some),
                             d.bit_and(some, full),
                             d.bit_and(full, d.bit_not(some)),
                             d.bit_and(d.bit_not(hidden), d.bit_not(some)),
                             d.bit_and(full, d.all(fraction)),
                             d.bit_or(some, hidden),
                             d.bit_or(d.bit_or(n, some), d.any(other)),
                             d.any(d.concat(d.repeat(hidden, 1), fraction)),
                             d.word_or(exponent, d.resize(d.repeat(d.bit_not(hidden), 1), 3)).term,
                             d.maximum({whole, other, nan}, {n, m, d.one()}).word.term};
    for (const Word& x : {made, unmade}) {
        const Term is_nan = d.bit_and(d.all(d.slice(x, 2, 3)), d.any(d.slice(x, 0, 2)));
        all.push_back(is_nan);
        all.push_back(d.mux(is_nan, nan, x).term);
        all.push_back(d.mux(d.bit_or(n, m), nan, x).term);
        all.push_back(d.mux(d.bit_or(m, is_nan), nan, x).term);
    }
    return all;
}

TEST(GpuDomain, ComputesWhatWordsForHardwareCompute) {
    Terms t;
    GpuDomain gpu_domain(t);
    rtl::WordDomain domain(t);
    const Term p = t.variable("p", 5), q = t.variable("q", 5), n = t.variable("n", 1), m = t.variable("m", 1);
    const std::vector<Term> some = conditions(gpu_domain, p, q, n, m), others = conditions(domain, p, q, n, m);
    std::vector<Term> roots = some;
    roots.insert(roots.end(), others.begin(), others.end());
    TermEvaluator meaning(t, roots);
    EXPECT_NE(some[0], others[0]); // a rule was used
    for (std::uint64_t inputs = 0; inputs < 1u << 12; ++inputs) {
        meaning.set(p, inputs & 31);
        meaning.set(q, inputs >> 5 & 31);
        meaning.set(n, inputs >> 10 & 1);
        meaning.set(m, inputs >> 11 & 1);
        meaning.run();
        for (std::size_t i = 0; i < some.size(); ++i)
            ASSERT_EQ(meaning.low(some[i]), meaning.low(others[i])) << "condition " << i << " of " << inputs;
    }
}

} // namespace
} // namespace discern::testing
