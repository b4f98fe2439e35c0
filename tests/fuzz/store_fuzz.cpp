// A store of which bytes are changed is refused, or gives the answers that were put in, or none: never another one.
// Each four bytes of the input change one byte of the file: where, in three, and by which bits.

#include "analysis/store/merge.hpp"
#include "analysis/store/store.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/overrides.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

namespace discern::fuzz::store_fuzz {
namespace {

const std::string changed_file =
    (std::filesystem::temp_directory_path() / ("store_fuzz." + std::to_string(getpid()))).string();

void remove() {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(changed_file + suffix);
}

struct Known {
    Question same{resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32"),
                  resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32{carry=3}"),
                  {}};
    InputLimits limits;
    FirstPart first{"0-5\n0-3\n", 192, true};
    std::string bytes;

    Known() {
        limits.finite = true;
        remove();
        {
            Store store(changed_file);
            Answer answer;
            answer.verdict = Verdict::equivalent;
            answer.by = "terms";
            answer.ground = by_terms;
            store.keep(same, answer);
            store.keep_first("request", limits, 1, first);
        }
        std::ifstream in(changed_file, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(in), {});
        std::atexit(remove);
    }
};

void check(bool good, const char* what) {
    if (good) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

} // namespace

int run(const std::uint8_t* data, std::size_t size) {
    static const Known known;
    std::string bytes = known.bytes;
    for (std::size_t i = 0; i + 4 <= size; i += 4) {
        const std::size_t at = data[i] | data[i + 1] << 8 | data[i + 2] << 16;
        bytes[at % bytes.size()] ^= static_cast<char>(data[i + 3]);
    }
    remove();
    std::ofstream(changed_file, std::ios::binary) << bytes;
    try {
        Store store(changed_file);
        if (const auto answer = store.find(known.same))
            check(answer->verdict == Verdict::equivalent, "another verdict");
        if (const auto first = store.find_first("request", known.limits, 1))
            check(first->content == known.first.content && first->made == known.first.made &&
                      first->complete == known.first.complete,
                  "other first cells");
        InputLimits other;
        other.no_subnormals = true;
        check(!store.find({known.same.first, known.same.second, other}), "an answer of other limits");
    } catch (const Error&) { // one sentence
    }
    try {
        check_store(changed_file, 10);
    } catch (const Error&) { // one sentence
    }
    return 0;
}

} // namespace discern::fuzz::store_fuzz
