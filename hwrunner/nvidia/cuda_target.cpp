// cuda:N/INSTRUCTION: an instruction of an NVIDIA GPU, fed with images and scanned before it is believed.
#include "cubin.hpp"
#include "cuda_driver.hpp"
#include "fragments.hpp"
#include "hwrunner/makers.hpp"
#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"
#include "ptx.hpp"

#include <algorithm>
#include <charconv>

namespace discern {

namespace {

constexpr double time_to_ask = 60;           ///< seconds in which a driver must say what devices it has
constexpr std::size_t images_at_once = 1024; ///< of one launch
constexpr unsigned blocks_a_multiprocessor = 8;

class CudaDevice final : public MatrixDevice {
  public:
    CudaDevice(int index, const std::string& instruction) : driver_(cuda_library_files()), info_(info(index)) {
        const std::optional<Capability> predecessor = predecessor_of(info_.capability);
        const Capability machine = predecessor.value_or(info_.capability);
        const std::string architecture(architecture_of(machine));
        const std::vector<std::string> names =
            predecessor ? portable_instructions(machine) : cuda_instructions(architecture);
        const bool is_whole = instruction.starts_with(architecture + "/"); // its name in the catalogue
        const std::string name = is_whole ? instruction : sentence(architecture, "/", instruction);
        if (architecture.empty() || find_entry(name) == nullptr ||
            (predecessor && std::ranges::find(names, name) == names.end()))
            throw Error(sentence(info_.name, " (compute capability ", to_string(info_.capability),
                                 ") has no instruction ", excerpt(instruction, 80), " that the catalogue knows",
                                 did_you_mean(name, names)));
        instruction_ = cuda_instruction(name, machine);
        require_driver();
        layout_ = image_layout(instruction_);
        driver_.use(index);
        const std::vector<std::uint8_t> cubin = driver_.assemble(
            ptx_module(instruction_), instruction_.machine_alone ? std::optional(instruction_.machine) : std::nullopt);
        code_ = describe_code(instruction_, count_matrix_code(kernel_code(cubin, kernel_name)));
        driver_.load(cubin, kernel_name);
    }

    const MatrixShape& shape() const override { return instruction_.shape; }
    Identity identity() const override {
        return {{"vendor", "NVIDIA"},
                {"model", info_.name},
                {"compute_capability", to_string(info_.capability)},
                {"driver", driver_.version()},
                {"instruction", instruction_.unit},
                {"code", code_}};
    }
    std::size_t tiles_per_launch() const override {
        return images_at_once * static_cast<std::size_t>(instruction_.tiles);
    }

    void launch(std::span<const MatrixTile> tiles, std::vector<std::uint64_t>& d) override {
        const auto a_image = static_cast<std::size_t>(instruction_.tiles);
        const std::size_t images = (tiles.size() + a_image - 1) / a_image;
        in_.assign(images * layout_.in_bytes, 0);
        out_.assign(images * layout_.out_bytes, 0);
        const auto part = [&](std::size_t i) {
            return tiles.subspan(i * a_image, std::min(a_image, tiles.size() - i * a_image));
        };
        for (std::size_t i = 0; i < images; ++i)
            pack_image(layout_, instruction_.shape.dot, part(i),
                       std::span(in_).subspan(i * layout_.in_bytes, layout_.in_bytes));
        const auto most = static_cast<std::size_t>(info_.multiprocessors) * blocks_a_multiprocessor;
        driver_.run(in_, out_, static_cast<std::uint32_t>(images), static_cast<unsigned>(std::min(images, most)),
                    static_cast<unsigned>(threads_per_block(instruction_)));
        for (std::size_t i = 0; i < images; ++i)
            unpack_results(layout_, instruction_.shape, part(i).size(),
                           std::span(out_).subspan(i * layout_.out_bytes, layout_.out_bytes), d);
    }

  private:
    /// @throws Error if the driver is older than the text for its assembler
    void require_driver() const {
        const DriverOfIsa* const first = driver_of(instruction_);
        if (first == nullptr || driver_.cuda_version() >= first->cuda) return;
        throw Error(sentence("the driver, ", driver_.version(), ", is too old for PTX ", first->isa_major, ".",
                             first->isa_minor, ", which has the instruction; driver ", first->driver, " (CUDA ",
                             first->cuda / 1000, ".", first->cuda % 1000 / 10, ") or a newer one is right"));
    }

    CudaDeviceInfo info(int index) const {
        if (index >= driver_.devices())
            throw Error(sentence("there is no NVIDIA GPU ", index, "; the last one is ", driver_.devices() - 1));
        return driver_.info(index);
    }

    CudaDriver driver_;
    CudaDeviceInfo info_;
    CudaInstruction instruction_;
    ImageLayout layout_;
    std::string code_;
    std::vector<std::uint8_t> in_, out_;
};

} // namespace

std::string cuda_unavailable(std::string_view) {
    return why_no_answer(
        "the NVIDIA driver", [] { return CudaDriver(cuda_library_files()).version(); }, time_to_ask);
}

std::vector<TargetInstance> cuda_instances() {
    const std::string answer = ask_in_process(
        "the NVIDIA driver",
        [] {
            const CudaDriver driver(cuda_library_files());
            std::string lines;
            for (int i = 0; i < driver.devices(); ++i) {
                const CudaDeviceInfo info = driver.info(i);
                lines += sentence(info.capability.major, " ", info.capability.minor, " ", info.name, "\n");
            }
            return lines;
        },
        time_to_ask);
    std::vector<TargetInstance> instances;
    int index = 0;
    for (std::size_t at = 0; at < answer.size(); ++index) {
        const std::size_t end = answer.find('\n', at);
        const std::string line = answer.substr(at, end - at);
        at = end + 1;
        Capability capability;
        const char* const last = line.data() + line.size();
        const char* const after = std::from_chars(line.data(), last, capability.major).ptr + 1;
        const std::string name(std::from_chars(after, last, capability.minor).ptr + 1, last);
        const std::string_view architecture = architecture_of(capability);
        const std::optional<Capability> predecessor = predecessor_of(capability);
        const std::string device =
            sentence(name, ", compute capability ", to_string(capability),
                     architecture.empty() ? ": not in the catalogue" : ", ", architecture,
                     predecessor ? sentence("; asked what the instructions of ", architecture_of(*predecessor), " are")
                                 : std::string());
        const std::vector<std::string> names =
            predecessor ? portable_instructions(*predecessor) : cuda_instructions(architecture);
        if (names.empty()) instances.push_back({sentence("cuda:", index), device});
        for (const std::string& unit : names) {
            const std::string& remark = find_entry(unit)->remark;
            instances.push_back({sentence("cuda:", index, unit.substr(unit.find('/'))),
                                 device + (remark.empty() ? "" : "; " + remark), unit});
        }
    }
    return instances;
}

std::unique_ptr<Target> make_cuda(const std::string& rest, const TargetOptions& options) {
    const auto open = [](int index, const std::string& instruction) {
        return std::make_unique<CudaDevice>(index, instruction);
    };
    return make_numbered_target("cuda:", rest, "mma.m16n8k16.f32.f16.f16.f32", open, options.answer_timeout);
}

} // namespace discern
