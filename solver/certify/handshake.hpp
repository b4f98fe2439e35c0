// A certificate of a design with a handshake: its states, and proofs that they are all and that results in them are the
// unit's (certificate/handshake.hpp).
#pragma once

#include "solver/certify/write.hpp"

namespace discern::certificate {

/// @param what     a unit and a design with `handshake`
/// @param vectors  that it shows, of the unit alone
/// @return equivalent or open; of a difference there is no certificate
/// @throws as write_certificate
Written write_handshake(const Certified& what, const Limits& limits, const std::filesystem::path& folder,
                        const std::vector<InputBuffer>& vectors, const WriteOptions& options);

} // namespace discern::certificate
