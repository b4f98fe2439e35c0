#include "scoreboard.hpp"

namespace discern::rtl {

const char* what(Fault fault) {
    return fault == Fault::no_operands ? "a result comes for which there were no operands"
           : fault == Fault::late      ? "a result is lost, or late"
           : fault == Fault::stuck     ? "operands are never taken again, though they are offered and results are taken"
                                       : "a result is wrong";
}

std::optional<Fault> Scoreboard::edge(Offer offer, bool ready_in, bool valid_out) {
    took_operands_ = offer.valid && ready_in;
    took_result_ = valid_out && offer.ready;
    std::size_t older = left_.size();
    if (took_operands_) left_.push_back(cycles_ + static_cast<int>(older));
    if (took_result_) {
        if (left_.empty()) return Fault::no_operands;
        left_.erase(left_.begin());
        if (older > 0) --older;
    }
    if (!offer.ready) return std::nullopt;
    for (std::size_t i = 0; i < left_.size(); ++i) {
        if (i < older) --left_[i];
        if (left_[i] <= 0) return Fault::late;
    }
    return std::nullopt;
}

} // namespace discern::rtl
