// Any text is a kernel, an instruction with a schedule, or an Error; a kernel is printed, and read as the same.

#include "models/error.hpp"
#include "models/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace discern::fuzz::schedule_fuzz {
int run(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const Kernel kernel = resolve_kernel(text);
        const std::string printed = to_string(kernel);
        if (to_string(resolve_kernel(printed)) != printed) {
            std::fprintf(stderr, "%s is read as another kernel\n", printed.c_str());
            std::abort();
        }
    } catch (const Error&) { // one sentence
    }
    return 0;
}

} // namespace discern::fuzz::schedule_fuzz
