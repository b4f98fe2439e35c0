// Any LLVM IR, and any assembly beside it, is either a kernel that is run and folded, or an Error. The first line may
// be a launch description, else a launch of three arrays is used; what stands behind a line of "====" is the assembly.

#include "models/error.hpp"
#include "programs/amd/launch.hpp"
#include "programs/fold/listing.hpp"
#include "programs/reading/reading.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace discern::fuzz::llir_fuzz {
namespace {

constexpr std::string_view usual_launch = R"({"launch":1,"block":[64],"arguments":[
  {"matrix":"A","format":"f16","shape":[16,16],"axes":"mk"},
  {"matrix":"B","format":"f16","shape":[16,8],"axes":"kn"},
  {"result":"D","format":"f32","shape":[16,8],"axes":"mn","initial":"zero"}]})";

} // namespace

int run(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    std::string_view description = usual_launch;
    if (text.starts_with("{")) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        description = text.substr(0, end);
        text.remove_prefix(end);
    }
    std::string_view assembly;
    if (const std::size_t at = text.find("\n====\n"); at != std::string_view::npos) {
        assembly = text.substr(at + 6);
        text = text.substr(0, at + 1);
    }
    try {
        programs::Launch launch = programs::parse_launch(description, "launch");
        for (const auto& array : launch.arrays)
            if (array.elements() > 4096 || array.extent() > 65536) return 0; // only large
        launch.most_steps = 2000;
        for (unsigned& blocks : launch.grid) blocks = blocks % 3 + 1;
        programs::Terms terms;
        const auto reading = programs::reading_of(
            programs::amd::run_llir(std::string(text), "kernel", std::move(launch), assembly, "assembly"), terms);
        for (const auto& result : reading.results)
            for (const auto& one : result.folded.classes) programs::listing_of(terms, one.term, 50);
    } catch (const Error&) { // one sentence
    }
    return 0;
}

} // namespace discern::fuzz::llir_fuzz
