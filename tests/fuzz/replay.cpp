// Runs a fuzz target over files, where there is no libFuzzer: fuzz_replay TARGET FILE-OR-FOLDER…
//
// Each file is also run with its last half missing, and with one byte after another inverted, which costs
// nothing and finds the simplest mistakes in any build.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

// The build lists the targets: DISCERN_FUZZ_TARGETS is OF(arrays_fuzz) OF(evaluate_fuzz) and so on.
#define OF(target)                                                                                                     \
    namespace discern::fuzz::target {                                                                                  \
    int run(const std::uint8_t* data, std::size_t size);                                                               \
    }
DISCERN_FUZZ_TARGETS
#undef OF

namespace discern::fuzz {
namespace {

using Target = int (*)(const std::uint8_t* data, std::size_t size);
constexpr std::pair<std::string_view, Target> targets[] = {
#define OF(target) {#target, target::run},
    DISCERN_FUZZ_TARGETS
#undef OF
};

constexpr std::size_t most_flipped = 512; // bytes of a file whose bits are flipped

void run_file(Target target, const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::vector<char> text((std::istreambuf_iterator<char>(stream)), {});
    std::vector<std::uint8_t> bytes(text.begin(), text.end());
    target(bytes.data(), bytes.size());
    target(bytes.data(), bytes.size() / 2);
    for (std::size_t i = 0; i < bytes.size() && i < most_flipped; ++i) {
        bytes[i] ^= 0xff;
        target(bytes.data(), bytes.size());
        bytes[i] ^= 0xff;
    }
}

std::size_t run_all(Target target, const std::filesystem::path& place) {
    if (!std::filesystem::is_directory(place)) {
        run_file(target, place);
        return 1;
    }
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(place)) {
        if (!entry.is_regular_file()) continue;
        run_file(target, entry.path());
        ++files;
    }
    return files;
}

} // namespace
} // namespace discern::fuzz

int main(int argc, char** argv) {
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    for (const auto& [name, target] : discern::fuzz::targets) {
        if (name != wanted) continue;
        std::size_t files = 0;
        for (int i = 2; i < argc; ++i) files += discern::fuzz::run_all(target, argv[i]);
        std::printf("ran %zu files\n", files);
        return files > 0 ? 0 : 1;
    }
    std::fprintf(stderr, "fuzz_replay: there is no target '%s'; this build has", argc > 1 ? argv[1] : "");
    for (const auto& row : discern::fuzz::targets) std::fprintf(stderr, " %s", row.first.data());
    std::fprintf(stderr, "\n");
    return 2;
}
