#include "ptx.hpp"

#include "cli/files/files.hpp"
#include "models/unit/sentence.hpp"

namespace discern::cli {

programs::KernelReading read_ptx(const std::string& argument, const std::string& launch, programs::Terms& terms,
                                 const Streams& io) {
    const std::string path = argument.substr(ptx_prefix.size());
    std::string beside = path.ends_with(".ptx") ? path.substr(0, path.size() - 4) : path;
    beside += ".launch.json";
    const std::string& described = launch.empty() ? beside : launch;
    InputFile ptx(path, io), description(described, io);
    return programs::read_kernel(contents_of(ptx.stream()), path,
                                 programs::parse_launch(contents_of(description.stream()), described), terms);
}

} // namespace discern::cli
