// Runs a fuzz target over files, where there is no libFuzzer: NAME_fuzz FILE-OR-FOLDER…
//
// Each file is also run with its last half missing, and with one byte after another inverted, which costs
// nothing and finds the simplest mistakes in any build.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t most_flipped = 512; // bytes of a file whose bits are flipped

void run(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::vector<char> text((std::istreambuf_iterator<char>(stream)), {});
    std::vector<std::uint8_t> bytes(text.begin(), text.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size() / 2);
    for (std::size_t i = 0; i < bytes.size() && i < most_flipped; ++i) {
        bytes[i] ^= 0xff;
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
        bytes[i] ^= 0xff;
    }
}

} // namespace

int main(int argc, char** argv) {
    std::size_t files = 0;
    for (int i = 1; i < argc; ++i) {
        if (!std::filesystem::is_directory(argv[i])) {
            run(argv[i]);
            ++files;
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
            if (!entry.is_regular_file()) continue;
            run(entry.path());
            ++files;
        }
    }
    std::printf("ran %zu files\n", files);
    return files > 0 ? 0 : 1;
}
