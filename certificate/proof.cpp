#include "proof.hpp"

#include "models/error.hpp"

#include <charconv>
#include <limits>

namespace discern::certificate {

namespace {

struct GateName {
    std::string_view name;
    Gate gate;
};
constexpr GateName gate_names[] = {
    {"and", Gate::and_}, {"xor", Gate::xor_}, {"ite", Gate::mux}, {"maj", Gate::majority}};

class Checker {
  public:
    Checker(Formula formula, std::string_view text)
        : clauses_(std::move(formula)), text_(text), values_(clauses_.variables + 1), deleted_(clauses_.size()) {}

    void run() {
        for (bool finished = false; !finished;) {
            ++line_;
            if (at_ >= text_.size()) fail("the proof ends before the empty clause");
            finished = step();
            if (at_ >= text_.size() || text_[at_] != '\n') fail("the end of the line is expected");
            ++at_;
        }
        if (at_ != text_.size()) fail("there is text after the empty clause");
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error("proof, line " + std::to_string(line_) + ": " + what);
    }

    // ---------------------------------------------------------------------------------------------- reading

    std::string_view word() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
        const std::size_t start = at_;
        while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '\n') ++at_;
        return text_.substr(start, at_ - start);
    }
    std::int64_t number(std::string_view word) const {
        std::int64_t x = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
        if (word.empty() || error != std::errc() || end != word.data() + word.size()) fail("a number is expected");
        return x;
    }
    std::int64_t number() { return number(word()); }

    std::int32_t literal(std::int64_t x) const {
        const auto most = static_cast<std::int64_t>(clauses_.variables);
        if (x == 0 || x > most || x < -most) fail("there is no literal " + std::to_string(x));
        return static_cast<std::int32_t>(x);
    }
    /// The index of a clause that is still there.
    std::size_t clause(std::int64_t id) const {
        if (id < 1 || id > static_cast<std::int64_t>(clauses_.size()) || deleted_[static_cast<std::size_t>(id - 1)])
            fail("there is no clause " + std::to_string(id));
        return static_cast<std::size_t>(id - 1);
    }
    void require_next(std::int64_t id) const {
        if (id != static_cast<std::int64_t>(clauses_.size()) + 1)
            fail("the next clause has the number " + std::to_string(clauses_.size() + 1));
    }

    // ---------------------------------------------------------------------------------------------- the steps

    /// @return whether the line derived the empty clause
    bool step() {
        const std::int64_t id = number();
        const std::string_view kind = word();
        if (kind == "d") {
            while (const std::int64_t dead = number()) deleted_[clause(dead)] = true;
            return false;
        }
        require_next(id);
        if (kind == "e") {
            define();
            return false;
        }
        added_.clear();
        for (std::int64_t x = number(kind); x != 0; x = number()) added_.push_back(literal(x));
        derive();
        clauses_.add(added_);
        deleted_.push_back(false);
        return added_.empty();
    }

    void define() {
        const std::string_view name = word();
        for (const GateName& known : gate_names) {
            if (known.name != name) continue;
            const std::int64_t variable = number();
            const auto next = static_cast<std::int64_t>(clauses_.variables) + 1;
            if (variable != next || next >= std::numeric_limits<std::int32_t>::max())
                fail("the next variable is " + std::to_string(next));
            std::array<std::int32_t, 3> in{};
            const std::size_t count = inputs_of(known.gate);
            for (std::size_t i = 0; i < count; ++i) in[i] = literal(number());
            if (number() != 0) fail("0 is expected after the inputs of a gate");
            ++clauses_.variables;
            values_.push_back(0);
            add_gate_clauses(clauses_, known.gate, static_cast<std::int32_t>(variable), std::span(in.data(), count));
            deleted_.resize(clauses_.size());
            return;
        }
        fail("there is no such gate; and, xor, ite or maj are right");
    }

    /// Whether a literal is true (1), false (−1) or neither (0).
    int value(std::int32_t x) const {
        const int v = values_[static_cast<std::size_t>(x < 0 ? -x : x)];
        return x < 0 ? -v : v;
    }
    void make_true(std::int32_t x) {
        values_[static_cast<std::size_t>(x < 0 ? -x : x)] = x < 0 ? -1 : 1;
        made_.push_back(x);
    }

    /// Reads the hints and propagates; fails unless they end in a conflict.
    void derive() {
        made_.clear();
        for (const std::int32_t x : added_) {
            if (value(x) > 0) fail("the clause has a literal and its opposite");
            if (value(x) == 0) make_true(-x);
        }
        bool conflict = false;
        while (const std::int64_t hint = number()) {
            if (conflict) fail("there are hints after the conflict");
            conflict = propagate(clause(hint));
        }
        if (!conflict) fail("the hints do not show that the clause follows");
        for (const std::int32_t x : made_) values_[static_cast<std::size_t>(x < 0 ? -x : x)] = 0;
    }

    /// @return whether all literals of the clause are false
    bool propagate(std::size_t index) {
        std::int32_t open = 0;
        for (const std::int32_t x : clauses_[index]) {
            if (value(x) < 0 || x == open) continue;
            if (value(x) > 0 || open != 0)
                fail("clause " + std::to_string(index + 1) + " is named as a hint, but has more than one literal left");
            open = x;
        }
        if (open != 0) make_true(open);
        return open == 0;
    }

    Formula clauses_; ///< those of the formula, then those added
    std::string_view text_;
    std::size_t at_ = 0, line_ = 0;
    std::vector<std::int8_t> values_; ///< by variable; all 0 between the steps
    std::vector<bool> deleted_;       ///< by clause
    std::vector<std::int32_t> added_, made_;
};

} // namespace

void check_proof(Formula formula, std::string_view proof) { Checker(std::move(formula), proof).run(); }

} // namespace discern::certificate
