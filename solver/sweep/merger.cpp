#include "merger.hpp"

#include <utility>
#include <vector>

namespace discern::certificate {

void GateMerger::keep_inputs() {
    for (std::uint32_t i = 0; i <= signatures_.inputs(); ++i) keep(i);
}

void GateMerger::place(std::uint32_t gate, bool compared) {
    answers_.add(gate);
    if (merge(gate, compared))
        ++count_.merged;
    else
        keep(gate);
}

void GateMerger::keep(std::uint32_t node) {
    signatures_.enter(node);
    answers_.keep(node);
}

namespace {
constexpr std::size_t most_tries = 6; ///< other gates with which one is compared before it is left alone
} // namespace

bool GateMerger::merge(std::uint32_t gate, bool compared) {
    using Answer = GateAnswers::Answer;
    std::vector<std::uint32_t> tried;
    bool asks_last = options_.asks_last;
    auto which = Signatures::Which::first;
    compared = compared && count_.open < options_.most_open;
    std::optional<std::uint32_t> other = answers_.twin(gate);
    if (!other && compared) other = signatures_.like(gate, tried);
    while (other && !options_.is_over()) {
        tried.push_back(*other);
        switch (answers_.merge(gate, invert_if(signatures_.inverted(gate, *other), 2 * *other))) {
        case Answer::same: return true;
        case Answer::open: // of further ones most are as hard
            ++count_.open;
            if (!std::exchange(asks_last, false)) return false;
            which = Signatures::Which::last;
            break;
        case Answer::far: which = Signatures::Which::last; break;
        case Answer::different:
            ++count_.refuted;
            vectors_.add_near([this](std::size_t input) { return answers_.value_found(input); });
        }
        if (!compared || tried.size() >= most_tries) return false;
        other = signatures_.like(gate, tried, which);
    }
    return false;
}

} // namespace discern::certificate
