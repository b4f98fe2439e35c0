#include "claim.hpp"

#include <exception>

namespace discern::claims {

Compared compare(const Kind& kind, const Case& asked) {
    try {
        return kind.compare(asked);
    } catch (const std::exception& error) {
        Compared stopped;
        stopped.claims = 1;
        stopped.stopped = true;
        stopped.wrong = std::string("stopped: ") + error.what();
        stopped.command = "(units:";
        for (const WrittenUnit& unit : asked.units) stopped.command += " '" + unit.text() + "'";
        for (const std::string& option : asked.options) stopped.command += " " + option;
        stopped.command += ")";
        return stopped;
    }
}

} // namespace discern::claims
