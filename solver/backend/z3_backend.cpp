// Z3 through its C++ interface, in pure QF_BV.
//
// Terms of one bit that are conditions by nature (comparisons, connectives) become Z3's booleans, all others bit
// vectors; either is converted to the other where it is used as such.
#include "makers.hpp"

#include <z3++.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <unordered_set>

namespace discern {

namespace {

// Interrupts a context from when the limit is reached until it is destroyed: Z3's own time limit is not always kept.
class Watchdog {
  public:
    Watchdog(z3::context& context, const Limit& limit)
        : thread_([this, &context, &limit](const std::stop_token& done) {
              using std::chrono::milliseconds;
              std::unique_lock lock(mutex_);
              while (!done.stop_requested()) {
                  if (limit.reached()) context.interrupt();
                  wake_.wait_for(lock, done, milliseconds(20), [] { return false; });
              }
          }) {}

  private:
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread thread_;
};

class Z3Backend : public Backend {
  public:
    Z3Backend(const Terms& terms, std::uint64_t seed) : terms_(terms), solver_(context_, "QF_BV") {
        z3::params parameters(context_);
        parameters.set("random_seed", static_cast<unsigned>(seed & 0x7fffffff));
        // Flattened sums lose what they share with other terms, and the equality of two sums becomes hard.
        parameters.set("flat", false);
        solver_.set(parameters);
    }

    void require(Term condition) override {
        lower(condition);
        solver_.add(boolean(condition));
    }

    using Backend::check;
    Outcome check(const Limit& limit, std::span<const Term> assumptions) override {
        model_.reset();
        if (limit.reached()) return Outcome::unknown;
        z3::expr_vector assumed(context_);
        for (const Term t : assumptions) { // Z3 assumes literals only
            lower(t);
            const z3::expr literal = context_.bool_const(("assume" + std::to_string(t.id)).c_str());
            if (assumed_.insert(t.id).second) solver_.add(z3::implies(literal, boolean(t)));
            assumed.push_back(literal);
        }
        z3::check_result result = z3::unknown;
        {
            const Watchdog watchdog(context_, limit);
            try {
                result = solver_.check(assumed);
            } catch (const z3::exception&) { // an interrupt may also end as an exception
                return Outcome::unknown;
            }
        }
        if (result == z3::sat) model_ = solver_.get_model();
        return result == z3::sat ? Outcome::sat : result == z3::unsat ? Outcome::unsat : Outcome::unknown;
    }

    Bits value(Term variable) override {
        if (!model_) throw std::logic_error("Z3Backend: value() without a solution");
        lower(variable);
        const z3::expr number = model_->eval(bits(variable), true);
        const std::string digits = Z3_get_numeral_binary_string(context_, number);
        Bits result(terms_.width(variable));
        for (std::size_t i = 0; i < digits.size(); ++i)
            if (digits[digits.size() - 1 - i] == '1') result.set(static_cast<int>(i));
        return result;
    }

  private:
    z3::expr bits(Term t) {
        const z3::expr e = lowered_.at(t.id);
        return e.is_bool() ? z3::ite(e, context_.bv_val(1, 1), context_.bv_val(0, 1)) : e;
    }

    z3::expr boolean(Term t) {
        const z3::expr e = lowered_.at(t.id);
        return e.is_bool() ? e : e == context_.bv_val(1, 1);
    }

    z3::expr constant(const Bits& value) {
        if (value.width() == 1) return context_.bool_val(value.bit(0));
        const auto length = static_cast<std::size_t>(value.width());
        const auto digits = std::make_unique<bool[]>(length); // least significant first
        for (std::size_t i = 0; i < length; ++i) digits[i] = value.bit(static_cast<int>(i));
        return context_.bv_val(static_cast<unsigned>(length), digits.get());
    }

    void lower(Term root) {
        for (const Term t : terms_.cone(std::span(&root, 1)))
            if (!lowered_.contains(t.id)) lowered_.emplace(t.id, make(t));
    }

    z3::expr make(Term t) {
        const auto args = terms_.args(t);
        const auto width = static_cast<unsigned>(terms_.width(t));
        const auto arg = [&](std::size_t i) { return bits(args[i]); };
        const auto amount = [&] {
            const auto own = static_cast<unsigned>(terms_.width(args[1]));
            return own < width ? z3::zext(arg(1), width - own) : arg(1);
        };
        switch (terms_.op(t)) {
        case Op::constant: return constant(terms_.value(t));
        case Op::variable: return context_.bv_const(terms_.name(t).c_str(), width);
        case Op::bvnot: return width == 1 ? !boolean(args[0]) : ~arg(0);
        case Op::bvand: return width == 1 ? boolean(args[0]) && boolean(args[1]) : arg(0) & arg(1);
        case Op::bvor: return width == 1 ? boolean(args[0]) || boolean(args[1]) : arg(0) | arg(1);
        case Op::bvxor: return width == 1 ? boolean(args[0]) != boolean(args[1]) : arg(0) ^ arg(1);
        case Op::bvneg: return -arg(0);
        case Op::bvadd: {
            z3::expr sum = arg(0);
            for (std::size_t i = 1; i < args.size(); ++i) sum = sum + arg(i);
            return sum;
        }
        case Op::bvmul: return arg(0) * arg(1);
        case Op::bvumax: {
            z3::expr largest = arg(0);
            for (std::size_t i = 1; i < args.size(); ++i) largest = z3::ite(z3::ult(largest, arg(i)), arg(i), largest);
            return largest;
        }
        case Op::bvshl: return z3::shl(arg(0), amount());
        case Op::bvlshr: return z3::lshr(arg(0), amount());
        case Op::bvashr: return z3::ashr(arg(0), amount());
        case Op::bvult: return z3::ult(arg(0), arg(1));
        case Op::eq: return arg(0) == arg(1);
        case Op::ite:
            return width == 1 ? z3::ite(boolean(args[0]), boolean(args[1]), boolean(args[2]))
                              : z3::ite(boolean(args[0]), arg(1), arg(2));
        case Op::concat: return z3::concat(arg(0), arg(1));
        case Op::extract: {
            const auto low = static_cast<unsigned>(terms_.low(t));
            return arg(0).extract(low + width - 1, low);
        }
        case Op::zero_extend: return z3::zext(arg(0), width - static_cast<unsigned>(terms_.width(args[0])));
        case Op::sign_extend: return z3::sext(arg(0), width - static_cast<unsigned>(terms_.width(args[0])));
        }
        throw std::logic_error("Z3Backend: unknown kind of term");
    }

    const Terms& terms_;
    z3::context context_;
    z3::solver solver_;
    std::optional<z3::model> model_;
    std::unordered_map<std::uint32_t, z3::expr> lowered_;
    std::unordered_set<std::uint32_t> assumed_; ///< terms that have an assumption literal
};

} // namespace

std::unique_ptr<Backend> make_z3(const Terms& terms, std::uint64_t seed) {
    return std::make_unique<Z3Backend>(terms, seed);
}

std::string z3_version() {
    unsigned major = 0, minor = 0, build = 0, revision = 0;
    Z3_get_version(&major, &minor, &build, &revision);
    return "Z3 " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
}

} // namespace discern
