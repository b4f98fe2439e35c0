// Is every result of a design with a handshake the unit's, in order and in time, whatever waits?
#pragma once

#include "designs/clocked/circuit.hpp"
#include "designs/read/sources.hpp"

#include "solver/decide/discriminate.hpp"

#include <functional>

namespace discern::rtl {

/// @param question    with a handshake
/// @param one_result  decides whether the first result after a reset is the unit's, if nothing waits, within an
///                    answer's own time
/// @throws Error as decide()
Answer decide_handshake(const DesignQuestion& question, const Sources& sources, const DiscriminateOptions& options,
                        const std::function<Answer(const DesignQuestion&, const DiscriminateOptions&)>& one_result);

} // namespace discern::rtl
