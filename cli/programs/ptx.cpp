#include "ptx.hpp"

#include "cli/files/files.hpp"

namespace discern::cli {

programs::KernelReading read_ptx(const std::string& argument, const std::string& launch, programs::Terms& terms,
                                 const Streams& io) {
    const programs::KernelFiles files = programs::files_of(argument, launch);
    note_input(files.code, io);
    note_input(files.launch, io);
    return programs::read_kernel_file(files, terms);
}

} // namespace discern::cli
