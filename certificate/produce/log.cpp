#include "log.hpp"

namespace discern::certificate {

std::string ProofLog::text(ClauseId last) const {
    std::vector<ClauseId> renamed(last - first_ + 1); // 0: not needed
    renamed.back() = 1;
    for (std::size_t i = renamed.size(); i-- > 0;)
        if (renamed[i] != 0)
            for (const std::int32_t hint : hints(i))
                if (static_cast<ClauseId>(hint) >= first_) renamed[static_cast<ClauseId>(hint) - first_] = 1;

    std::string text;
    ClauseId next = first_;
    for (std::size_t i = 0; i < renamed.size(); ++i) {
        if (renamed[i] == 0) continue;
        renamed[i] = next++;
        text += std::to_string(renamed[i]) + ' ';
        for (const std::int32_t literal : literals(i)) text += std::to_string(literal) + ' ';
        text += "0 ";
        for (const std::int32_t hint : hints(i)) {
            const auto id = static_cast<ClauseId>(hint);
            text += std::to_string(id < first_ ? id : renamed[id - first_]) + ' ';
        }
        text += "0\n";
    }
    return text;
}

} // namespace discern::certificate
