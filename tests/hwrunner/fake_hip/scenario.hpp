// The behaviour of the fake libraries, set by environment variables.
#pragma once

#include <cstdlib>
#include <string>

namespace discern::testing {

inline std::string from_environment(const char* name, const std::string& otherwise) {
    const char* const value = std::getenv(name);
    return value == nullptr ? otherwise : value;
}

/// What goes wrong: empty for nothing.
inline std::string scenario() { return from_environment("DISCERN_FAKE_HIP", ""); }

} // namespace discern::testing
