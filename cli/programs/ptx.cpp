#include "ptx.hpp"

#include "cli/files/files.hpp"
#include "models/error.hpp"

#include <fmt/format.h>

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

} // namespace

programs::KernelReading read_ptx(const std::string& argument, const std::string& launch, programs::Terms& terms,
                                 const Streams& io) {
    const std::string path = argument.substr(ptx_prefix.size());
    std::string beside = path.ends_with(".ptx") ? path.substr(0, path.size() - 4) : path;
    beside += ".launch.json";
    const std::string& described = launch.empty() ? beside : launch;
    InputFile ptx(path, io), description(described, io);
    std::string text = contents(ptx, path, most_ptx);
    return programs::read_kernel(std::move(text), path,
                                 programs::parse_launch(contents(description, described, most_description), described),
                                 terms);
}

} // namespace discern::cli
