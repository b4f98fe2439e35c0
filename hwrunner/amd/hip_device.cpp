// The kernel is compiled for the GPU that is there, its code is searched for the instruction, and launched with a wave
// for each: a wave takes as many tiles as the instruction has blocks.
#include "hip_device.hpp"

#include "amd_code.hpp"
#include "hip_kernels.hpp"
#include "mfma_layout.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern {

namespace {

/// The name of the GPU's architecture: the field gcnArchName, which begins with "gfx". Its offset differs between
/// versions of the struct, so it is searched for behind the name, which comes first in all of them.
std::string architecture_of(const HipRuntime& hip, int number) {
    constexpr std::size_t room = 16384, name = 256;
    std::string properties(room, '\0');
    hip.require(hip.properties(properties.data(), number), "hipGetDeviceProperties");
    const std::size_t begin = properties.find("gfx", name);
    if (begin == std::string::npos) throw Error("the HIP runtime does not say which architecture the GPU has");
    return properties.substr(begin, properties.find('\0', begin) - begin);
}

std::string name_of(const HipRuntime& hip, int number) {
    std::array<char, 256> name{};
    hip.require(hip.device_name(name.data(), static_cast<int>(name.size()) - 1, number), "hipDeviceGetName");
    return name.data();
}

/// The instruction, or an Error that says which there are, or what this GPU is.
const MfmaInstruction& require_instruction(const std::string& gfx, std::string name) {
    const auto architecture = cdna_from_gfx(gfx);
    if (!architecture)
        throw Error(
            sentence("the GPU is ", excerpt(gfx), "; matrix instructions of gfx908, gfx90a and gfx942 are known"));
    const std::string before = sentence(catalogue_name(*architecture), "/"); // its name in the catalogue
    if (name.starts_with(before)) name = name.substr(before.size());
    if (const MfmaInstruction* found = find_mfma(*architecture, name)) return *found;
    std::vector<std::string> names;
    for (const MfmaInstruction& instruction : mfma_instructions())
        if (instruction.is_of(*architecture)) names.push_back(instruction.name(*architecture));
    throw Error(sentence("the GPU, ", gfx, ", has no instruction ", excerpt(name), did_you_mean(name, names)));
}

/// @throws Error unless the code has the instruction, and no other matrix instruction
void require_in_code(const std::string& code, const std::string& name, std::uint8_t opcode) {
    const std::vector<std::uint8_t> found = matrix_opcodes(code);
    if (found.empty())
        throw Error(sentence("emulated: the compiler made no matrix instruction for ", name,
                             "; what would be observed is its arithmetic, not the matrix unit's"));
    if (found.size() != 1 || found.front() != opcode)
        throw Error(sentence("emulated: the compiler made other matrix instructions for ", name, " (opcode ",
                             int{found.front()}, " instead of ", int{opcode}, ")"));
}

/// Memory of the device.
class DeviceMemory {
  public:
    DeviceMemory(const HipRuntime& hip, std::size_t bytes) : hip_(hip) {
        hip.require(hip.allocate(&at_, bytes), "hipMalloc");
    }
    ~DeviceMemory() { hip_.release(at_); }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    void* at() const { return at_; }
    void write(std::vector<unsigned char>& bytes) const {
        hip_.require(hip_.copy_to_device(at_, bytes.data(), bytes.size()), "hipMemcpyHtoD");
    }
    void read(std::vector<unsigned char>& bytes) const {
        hip_.require(hip_.copy_from_device(bytes.data(), at_, bytes.size()), "hipMemcpyDtoH");
    }

  private:
    const HipRuntime& hip_;
    void* at_ = nullptr;
};

class HipDevice final : public MatrixDevice {
  public:
    HipDevice(int number, const std::string& name, const HipFiles& files) : hip_(files) {
        int count = 0;
        hip_.require(hip_.device_count(&count), "hipGetDeviceCount");
        if (number >= count) throw Error(sentence("there is no GPU ", number, "; there are ", count));
        hip_.require(hip_.set_device(number), "hipSetDevice");
        gfx_ = architecture_of(hip_, number);
        instruction_ = &require_instruction(gfx_, name);
        const Cdna architecture = cdna_from_gfx(gfx_).value();
        const std::string unit = sentence(catalogue_name(architecture), "/", name);
        const CatalogueEntry* entry = find_entry(unit);
        if (entry == nullptr) throw std::logic_error("an mfma instruction is not in the catalogue: " + unit);
        shape_ = {.dot = shape_of(entry->unit), .M = instruction_->M, .N = instruction_->N};
        const std::string code = compile_hip(files, hip_kernel(*instruction_), gfx_);
        require_in_code(code, name, instruction_->opcode(architecture));
        void* module = nullptr;
        hip_.require(hip_.load_module(&module, code.data()), "hipModuleLoadData");
        hip_.require(hip_.get_function(&kernel_, module, hip_kernel_name), "hipModuleGetFunction");
        identify(number, unit);
    }

    const MatrixShape& shape() const override { return shape_; }
    Identity identity() const override { return identity_; }
    std::size_t tiles_per_launch() const override { return 512 * blocks(); }

    void launch(std::span<const MatrixTile> tiles, std::vector<std::uint64_t>& d) override {
        const std::size_t waves = (tiles.size() + blocks() - 1) / blocks();
        if (waves == 0) return;
        WaveImages images;
        std::vector<MatrixTile> of_wave;
        for (std::size_t wave = 0; wave < waves; ++wave) {
            of_wave.clear(); // blocks without a tile of their own repeat the last
            for (std::size_t block = 0; block < blocks(); ++block)
                of_wave.push_back(tiles[std::min(wave * blocks() + block, tiles.size() - 1)]);
            append_wave(*instruction_, of_wave, images);
        }
        const std::vector<unsigned char> results = run(images, waves);
        for (std::size_t tile = 0; tile < waves * blocks(); ++tile) {
            const auto block = static_cast<int>(tile % blocks());
            std::vector<std::uint64_t> of_tile;
            for (int i = 0; i < shape_.M; ++i)
                for (int j = 0; j < shape_.N; ++j)
                    of_tile.push_back(result_at(*instruction_, results, tile / blocks(), block, i, j));
            if (tile < tiles.size())
                d.insert(d.end(), of_tile.begin(), of_tile.end());
            else if (!std::equal(of_tile.begin(), of_tile.end(), d.end() - static_cast<std::ptrdiff_t>(of_tile.size())))
                throw Error(sentence("blocks of one instruction with the same operands give different results; all "
                                     "blocks must give the same bits"));
        }
    }

  private:
    std::size_t blocks() const { return static_cast<std::size_t>(instruction_->blocks()); }

    std::vector<unsigned char> run(WaveImages& images, std::size_t waves) {
        const DeviceMemory a(hip_, images.a.size()), b(hip_, images.b.size()), c(hip_, images.c.size()),
            d(hip_, images.c.size());
        a.write(images.a);
        b.write(images.b);
        c.write(images.c);
        std::array<void*, 4> pointers = {a.at(), b.at(), c.at(), d.at()};
        std::array<void*, 4> arguments = {&pointers[0], &pointers[1], &pointers[2], &pointers[3]};
        hip_.require(
            hip_.launch(kernel_, static_cast<unsigned>(waves), 1, 1, 64, 1, 1, 0, nullptr, arguments.data(), nullptr),
            "hipModuleLaunchKernel");
        hip_.require(hip_.synchronize(), "hipDeviceSynchronize");
        std::vector<unsigned char> results(images.c.size());
        d.read(results);
        return results;
    }

    void identify(int number, const std::string& unit) {
        int driver = 0, runtime = 0;
        hip_.require(hip_.driver_version(&driver), "hipDriverGetVersion");
        hip_.require(hip_.runtime_version(&runtime), "hipRuntimeGetVersion");
        identity_ = {{"vendor", "AMD"},
                     {"model", name_of(hip_, number)},
                     {"architecture", gfx_},
                     {"driver", std::to_string(driver)},
                     {"runtime", std::to_string(runtime)},
                     {"instruction", unit}};
    }

    HipRuntime hip_;
    std::string gfx_;
    const MfmaInstruction* instruction_ = nullptr;
    MatrixShape shape_;
    Identity identity_;
    void* kernel_ = nullptr;
};

} // namespace

std::string list_hip_devices(const HipFiles& files) {
    const HipRuntime hip(files);
    int count = 0;
    try {
        hip.require(hip.device_count(&count), "hipGetDeviceCount");
        if (count == 0) throw Error("there is no AMD GPU");
        std::string lines;
        for (int number = 0; number < count; ++number)
            lines += sentence(architecture_of(hip, number), " ", name_of(hip, number), "\n");
        return lines;
    } catch (const DeviceError& error) {
        throw Error(error.what());
    }
}

std::unique_ptr<MatrixDevice> open_hip_device(int number, const std::string& instruction, const HipFiles& files) {
    return std::make_unique<HipDevice>(number, instruction, files);
}

} // namespace discern
