// Both evaluators on both units: the integer machine and the exact oracle.
#include "replay.hpp"

namespace discern {

Replay replay(const Pair& pair, const Inputs& inputs) {
    Replay r;
    r.d1 = pair.first(inputs);
    r.d2 = pair.second(inputs);
    r.exact_d1 = evaluate_exactly(pair.first(), inputs);
    r.exact_d2 = evaluate_exactly(pair.second(), inputs);
    r.models_agree = same_result(pair.first(), r.d1, r.exact_d1) && same_result(pair.second(), r.d2, r.exact_d2);
    r.different = pair.allows(inputs) && pair.differ(r.d1, r.d2);
    return r;
}

} // namespace discern
