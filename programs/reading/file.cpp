#include "file.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/amd/launch.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace discern::programs {

namespace {

constexpr std::size_t most_code = 64 << 20, most_description = 4 << 20; ///< bytes

std::string contents(const std::string& name, std::size_t most) {
    std::ifstream file(name, std::ios::binary);
    if (!file || std::filesystem::is_directory(name))
        throw Error(sentence(name, " cannot be read: ",
                             std::filesystem::is_directory(name) ? "it is a directory"
                             : std::filesystem::exists(name)     ? "permission denied"
                                                                 : "there is no such file"));
    std::string text;
    char piece[1 << 16];
    while (text.size() <= most && (file.read(piece, sizeof piece), file.gcount() > 0)) {
        text.append(piece, static_cast<std::size_t>(file.gcount()));
        if (text.find('\0', text.size() - static_cast<std::size_t>(file.gcount())) != std::string::npos)
            throw Error(name + " has a zero byte; text has none");
    }
    if (text.size() > most) throw Error(sentence(name, " has more than ", most >> 20, " MiB"));
    return text;
}

/// Why a result's bits are not those of one tree for certain, or nothing.
std::string unsettled(const RunKernel& kernel, const ReadResult& result) {
    if (result.order_matters) return "it has atomic operations, and the order of blocks is not the kernel's";
    if (result.contractible > 0)
        return kernel.fusion.empty()
                   ? sentence("the assembler may fuse a product and a sum without .rn, as on line ",
                              result.contractible_line)
                   : sentence("it has a product and a sum on line ", result.contractible_line, kernel.fusion);
    return "";
}

} // namespace

KernelFiles files_of(const std::string& argument, const std::string& launch) {
    const bool is_llir = argument.starts_with(llir_prefix);
    KernelFiles files{.code = argument.substr((is_llir ? llir_prefix : ptx_prefix).size()), .launch = launch};
    files.is_llir = is_llir;
    std::string root = files.code;
    for (const std::string_view ending : {".ptx", ".llir", ".ll"})
        if (root.ends_with(ending) && (ending == ".ptx") != is_llir) root.resize(root.size() - ending.size());
    if (launch.empty()) files.launch = root + ".launch.json";
    for (const char* ending : {".amdgcn", ".s"})
        if (is_llir && files.assembly.empty() && std::filesystem::is_regular_file(root + ending))
            files.assembly = root + ending;
    return files;
}

KernelReading read_kernel_file(const KernelFiles& files, Terms& terms) {
    std::string code = contents(files.code, most_code);
    Launch launch = parse_launch(contents(files.launch, most_description), files.launch);
    if (!files.is_llir) return read_kernel(std::move(code), files.code, std::move(launch), terms);
    const std::string assembly = files.assembly.empty() ? "" : contents(files.assembly, most_code);
    return reading_of(amd::run_llir(std::move(code), files.code, std::move(launch), assembly, files.assembly), terms);
}

std::string schedule_in_file(const std::string& argument, const std::string& launch) {
    Terms terms;
    const KernelReading reading = read_kernel_file(files_of(argument, launch), terms);
    const auto refused = [&](const std::string& why) {
        return Error(sentence(argument, " is no schedule, which this command needs: ", why,
                              "; show, gemm and same-bits take it"));
    };
    if (reading.results.size() != 1) throw refused(sentence("it has ", reading.results.size(), " results"));
    const ReadResult& result = reading.results.front();
    if (!result.schedule)
        throw refused(result.folded.classes.size() > 1
                          ? sentence("its elements have ", result.folded.classes.size(), " different trees")
                          : "its tree has operations that the notation of schedules lacks");
    if (const std::string why = unsettled(reading.kernel, result); !why.empty()) throw refused(why);
    return result.schedule->text;
}

} // namespace discern::programs
