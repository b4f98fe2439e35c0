// Looks beside the executable file, or beside Python's module, and in a few folders above.
#include "own_program.hpp"

#include <system_error>

#include <dlfcn.h>
#include <unistd.h>

namespace discern::cli {

namespace {

constexpr int folders_above = 2; ///< build/tests/…, build/python/discern

bool can_be_run(const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

} // namespace

std::filesystem::path own_file() {
    static constexpr const char* own_program = "/proc/self/exe";
    Dl_info about{};
    std::error_code error;
    // Of the program itself only the name is known by which it was called, which need not be a path.
    if (dladdr(reinterpret_cast<const void*>(&own_file), &about) != 0 && about.dli_fname != nullptr) {
        const std::filesystem::path file = about.dli_fname;
        if (file.extension() == ".so") return std::filesystem::canonical(file, error);
    }
    return std::filesystem::read_symlink(own_program, error);
}

std::filesystem::path program_beside_us(std::string_view name) {
    std::filesystem::path folder = own_file().parent_path();
    for (int i = 0; i <= folders_above && !folder.empty(); ++i, folder = folder.parent_path())
        if (can_be_run(folder / name)) return folder / name;
    return {};
}

} // namespace discern::cli
