#include "log.hpp"

#include <algorithm>
#include <charconv>

namespace discern::certificate {

ClauseId number_of_clauses(Gate gate) {
    switch (gate) {
    case Gate::input: return 1; // a clause
    case Gate::and_: return 3;
    case Gate::xor_:
    case Gate::mux: return 4;
    case Gate::majority: return 6;
    }
    return 0;
}

namespace {

const char* name(Gate gate) {
    switch (gate) {
    case Gate::and_: return "and";
    case Gate::xor_: return "xor";
    case Gate::mux: return "ite";
    case Gate::majority: return "maj";
    case Gate::input: break;
    }
    return "";
}

void put(std::string& text, std::int64_t number) {
    char digits[24];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
    text += ' ';
}

} // namespace

ClauseId ProofLog::add(std::span<const std::int32_t> clause, std::span<const ClauseId> hints) {
    const bool conditional =
        assumed_ != 0 && std::any_of(hints.begin(), hints.end(), [&](ClauseId id) { return is_conditional(id); });
    const auto has = [&](std::int32_t x) { return std::find(clause.begin(), clause.end(), x) != clause.end(); };
    const bool implied = conditional && has(assumed_);
    conditional_.push_back(conditional);
    implied_.push_back(implied);
    if (implied) return next_++;
    const bool one_more = conditional && !has(-assumed_);
    steps_.push_back({values_.size(), next_, static_cast<std::uint32_t>(clause.size() + (one_more ? 1 : 0))});
    values_.insert(values_.end(), clause.begin(), clause.end());
    if (one_more) values_.push_back(-assumed_);
    for (const ClauseId hint : hints)
        if (hint < first_ || !implied_[hint - first_]) values_.push_back(static_cast<std::int32_t>(hint));
    return next_++;
}

ClauseId ProofLog::assume(std::int32_t literal) {
    assumed_ = literal;
    conditional_.push_back(true);
    implied_.push_back(true);
    return next_++;
}

ClauseId ProofLog::define(Gate gate, std::span<const std::int32_t> in) {
    steps_.push_back({values_.size(), next_, static_cast<std::uint32_t>(in.size()), gate});
    values_.insert(values_.end(), in.begin(), in.end());
    const ClauseId id = next_;
    next_ += number_of_clauses(gate);
    conditional_.resize(next_ - first_);
    implied_.resize(next_ - first_);
    return id;
}

std::string ProofLog::text(ClauseId last) const {
    const auto variable = [](std::int32_t x) { return static_cast<std::size_t>(x < 0 ? -x : x); };
    // Backwards: which clauses, and which of the variables defined here, are needed. 0: not needed.
    std::vector<ClauseId> renamed(next_ - first_);
    std::vector<std::int32_t> defined; // by variable, from the first that the formula has not
    for (const Step& step : steps_)
        if (step.gate != Gate::input) defined.push_back(0);
    renamed[last - first_] = 1;
    std::size_t definition = defined.size();
    std::vector<bool> needed(steps_.size());
    for (std::size_t i = steps_.size(); i-- > 0;) {
        const Step& step = steps_[i];
        bool used = false;
        for (ClauseId k = 0; k < number_of_clauses(step.gate); ++k) used = used || renamed[step.id - first_ + k] != 0;
        if (step.gate != Gate::input) used = defined[--definition] != 0 || used;
        if (!used) continue;
        needed[i] = true;
        if (step.gate != Gate::input) defined[definition] = 1;
        for (const std::int32_t x : literals(i))
            if (variable(x) > variables_) defined[variable(x) - variables_ - 1] = 1;
        for (const std::int32_t hint : hints(i))
            if (static_cast<ClauseId>(hint) >= first_) renamed[static_cast<ClauseId>(hint) - first_] = 1;
    }

    std::string text;
    ClauseId next = first_;
    auto next_variable = static_cast<std::int32_t>(variables_ + 1);
    const auto put_literals = [&](std::size_t step) {
        for (const std::int32_t x : literals(step)) {
            const std::size_t v = variable(x);
            const std::int32_t y = v > variables_ ? defined[v - variables_ - 1] : static_cast<std::int32_t>(v);
            put(text, x < 0 ? -y : y);
        }
    };
    definition = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Step& step = steps_[i];
        const bool is_gate = step.gate != Gate::input;
        if (is_gate) ++definition;
        if (!needed[i]) continue;
        put(text, next);
        for (ClauseId k = 0; k < number_of_clauses(step.gate); ++k) renamed[step.id - first_ + k] = next++;
        if (is_gate) {
            defined[definition - 1] = next_variable;
            text += std::string("e ") + name(step.gate) + ' ';
            put(text, next_variable++);
        }
        put_literals(i);
        text += "0";
        if (!is_gate) {
            text += ' ';
            for (const std::int32_t hint : hints(i)) {
                const auto id = static_cast<ClauseId>(hint);
                put(text, id < first_ ? id : renamed[id - first_]);
            }
            text += "0";
        }
        text += '\n';
    }
    return text;
}

} // namespace discern::certificate
