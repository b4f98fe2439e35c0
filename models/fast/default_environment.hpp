// Kernels compute with the processor's own additions, which round as its control register says. A caller may have set
// that to another rounding, or to flush subnormal numbers.
#pragma once

#include <cfenv>

namespace discern::fast {

/// The default while it lives: to nearest even, nothing is flushed, no traps. Threads that begin meanwhile have it,
/// too.
class DefaultEnvironment {
  public:
    DefaultEnvironment() {
        std::fegetenv(&before_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~DefaultEnvironment() { std::fesetenv(&before_); }
    DefaultEnvironment(const DefaultEnvironment&) = delete;
    DefaultEnvironment& operator=(const DefaultEnvironment&) = delete;

  private:
    std::fenv_t before_{};
};

} // namespace discern::fast
