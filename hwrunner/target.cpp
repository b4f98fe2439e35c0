#include "target.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern {

void FailureStreak::count(const TargetAnswer& answer) {
    failures_ = answer.ok() ? 0 : failures_ + 1;
    if (failures_ >= most)
        throw Error(sentence(target_, " could not answer ", most,
                             " vectors in a row, the last for this reason: ", answer.error));
}

} // namespace discern
