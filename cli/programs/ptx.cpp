#include "ptx.hpp"

#include "cli/files/files.hpp"
#include "models/error.hpp"
#include "programs/amd/launch.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace discern::cli {

namespace {

constexpr std::size_t most_ptx = 64 << 20, most_description = 4 << 20; ///< bytes

std::string contents(InputFile& file, const std::string& name, std::size_t most) {
    std::string text(most + 1, '\0');
    file.stream().read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.stream().gcount()));
    if (text.size() > most) throw Error(fmt::format("{} has more than {} MiB", name, most >> 20));
    return text;
}

/// The path without .ptx, or without .llir or .ll.
std::string without_ending(const std::string& path, bool is_llir) {
    for (const std::string_view ending : {".ptx", ".llir", ".ll"})
        if (path.ends_with(ending) && (ending == ".ptx") != is_llir) return path.substr(0, path.size() - ending.size());
    return path;
}

} // namespace

programs::KernelReading read_ptx(const std::string& argument, const std::string& launch, programs::Terms& terms,
                                 const Streams& io) {
    const bool is_llir = argument.starts_with(llir_prefix);
    const std::string path = argument.substr((is_llir ? llir_prefix : ptx_prefix).size());
    const std::string root = without_ending(path, is_llir);
    const std::string described = launch.empty() ? root + ".launch.json" : launch;
    InputFile file(path, io), description(described, io);
    std::string text = contents(file, path, most_ptx);
    programs::Launch how = programs::parse_launch(contents(description, described, most_description), described);
    if (!is_llir) return programs::read_kernel(std::move(text), path, std::move(how), terms);
    std::string assembly, name;
    for (const std::string_view ending : {".amdgcn", ".s"}) {
        name = root + std::string(ending);
        if (!std::filesystem::is_regular_file(name)) continue;
        InputFile beside(name, io);
        assembly = contents(beside, name, most_ptx);
        break;
    }
    return programs::reading_of(programs::amd::run_llir(std::move(text), path, std::move(how), assembly, name), terms);
}

} // namespace discern::cli
