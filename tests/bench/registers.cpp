// What ptxas makes of the kernels of a GPU: registers, spilled bytes and instructions for each arithmetic of the
// catalogue, as comma-separated values. No GPU is needed; script/registers writes a page from them.
//
// Usage: registers PTXAS MACHINE [TEXT]   TEXT: only units in whose names it occurs
#include "hwrunner/gpu/kernel.hpp"
#include "hwrunner/process/run_process.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

using namespace discern;

/// From sm_70 on an instruction takes 16 bytes.
constexpr std::uint64_t instruction_bytes = 16;

struct Made {
    std::string unit, failure;
    int K = 0;
    std::size_t statements = 0;
    long registers = 0, spilled = 0;
    std::uint64_t instructions = 0;
};

/// The bytes of the sections of an ELF file whose names begin with .text.
std::uint64_t bytes_of_text(const std::string& elf) {
    const auto read = [&](std::size_t at, std::size_t bytes) {
        std::uint64_t value = 0;
        if (at + bytes <= elf.size()) std::memcpy(&value, elf.data() + at, bytes);
        return value;
    };
    const std::size_t sections = read(0x28, 8), size = read(0x3a, 2), count = read(0x3c, 2), names = read(0x3e, 2);
    const std::size_t strings = read(sections + names * size + 0x18, 8);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t header = sections + i * size, name = strings + read(header, 4);
        if (name < elf.size() && elf.compare(name, 5, ".text") == 0) sum += read(header + 0x20, 8);
    }
    return sum;
}

/// The number before a text, where it is found last.
long number_before(const std::string& report, const std::string& text) {
    const std::size_t end = report.rfind(text);
    if (end == std::string::npos || end == 0) return 0;
    const std::size_t begin = report.find_last_not_of("0123456789", end - 1);
    return std::atol(report.substr(begin + 1, end - begin - 1).c_str());
}

Made assembled(const CatalogueEntry& entry, const std::string& ptxas, const std::string& machine,
               const std::filesystem::path& folder, int number) {
    Made made;
    made.unit = entry.name;
    made.K = entry.unit.K;
    try {
        const std::string text = gpu::kernel_text(entry.unit);
        made.statements = static_cast<std::size_t>(std::count(text.begin(), text.end(), ';'));
        const std::string file = (folder / std::to_string(number)).string(), cubin = file + ".cubin";
        std::ofstream(file) << text;
        const ProcessResult result =
            run_process(ptxas + " -v -arch=" + machine + " " + file + " -o " + cubin, "", [] { return false; });
        const std::string report = result.output + result.errors;
        if (result.ended != "exit status 0") throw Error(result.ended + ": " + report.substr(0, report.find('\n')));
        made.registers = number_before(report, " registers");
        made.spilled = number_before(report, " bytes spill stores") + number_before(report, " bytes spill loads");
        std::ifstream binary(cubin, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(binary), std::istreambuf_iterator<char>()};
        made.instructions = bytes_of_text(bytes) / instruction_bytes;
        std::filesystem::remove(file);
        std::filesystem::remove(cubin);
    } catch (const Error& error) {
        made.failure = error.what();
    }
    return made;
}

/// A line of the file; what could not be made has no numbers, and its reason on the standard error.
void print(const Made& one) {
    if (!one.failure.empty()) {
        std::fprintf(stderr, "%s: %s\n", one.unit.c_str(), one.failure.c_str());
        std::printf("%s,%d,,,,\n", one.unit.c_str(), one.K);
        return;
    }
    std::printf("%s,%d,%zu,%ld,%ld,%llu\n", one.unit.c_str(), one.K, one.statements, one.registers, one.spilled,
                static_cast<unsigned long long>(one.instructions));
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::puts("usage: registers PTXAS MACHINE [TEXT]");
        return 2;
    }
    const std::string ptxas = argv[1], machine = argv[2], text = argc > 3 ? argv[3] : "";
    std::vector<const CatalogueEntry*> entries;
    std::set<std::uint64_t> seen;
    for (const CatalogueEntry& entry : catalogue())
        if (std::string(entry.name).find(text) != std::string::npos && seen.insert(arithmetic_hash(entry.unit)).second)
            entries.push_back(&entry);
    std::string name = (std::filesystem::temp_directory_path() / "discern-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        std::puts("registers: there is no folder for temporary files");
        return 2;
    }
    std::vector<Made> made(entries.size());
    std::atomic<std::size_t> next{0};
    {
        std::vector<std::jthread> workers;
        for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
            workers.emplace_back([&] {
                for (std::size_t n; (n = next++) < entries.size();)
                    made[n] = assembled(*entries[n], ptxas, machine, name, static_cast<int>(n));
            });
    }
    std::filesystem::remove_all(name);
    std::puts("unit,K,statements,registers,spilled_bytes,instructions");
    for (const Made& one : made) print(one);
    return std::all_of(made.begin(), made.end(), [](const Made& one) { return one.failure.empty(); }) ? 0 : 1;
}
