// cuda:N/INSTRUCTION over a driver that the tests build: everything but the GPU.
#include "fake_gpu.hpp"
#include "hwrunner/kinds.hpp"
#include "hwrunner/nvidia/ptx.hpp"
#include "hwrunner/validate.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace discern::testing {

namespace {

/// Launches so far, of all processes.
std::atomic<int>* launches = nullptr;

cuda::Result compute(const char* text, const std::uint8_t* in, std::uint8_t* out, std::uint32_t count) {
    launches->fetch_add(1);
    return launch_of_the_unit(text, in, out, count);
}

constexpr cuda::Result launch_failed = 719;

/// The launches that these tests want to go wrong: after those that put one vector into every place, the second.
constexpr int probes = 16;

cuda::Result fail_once(const char* text, const std::uint8_t* in, std::uint8_t* out, std::uint32_t count) {
    return *launches == probes + 1 && launches->fetch_add(1) > 0 ? launch_failed : compute(text, in, out, count);
}
cuda::Result fail_from_then_on(const char* text, const std::uint8_t* in, std::uint8_t* out, std::uint32_t count) {
    return *launches > probes ? launch_failed : compute(text, in, out, count);
}
cuda::Result crash(const char* text, const std::uint8_t* in, std::uint8_t* out, std::uint32_t count) {
    if (*launches > probes) std::raise(SIGKILL);
    return compute(text, in, out, count);
}
cuda::Result hang(const char* text, const std::uint8_t* in, std::uint8_t* out, std::uint32_t count) {
    while (*launches > probes) pause();
    return compute(text, in, out, count);
}
/// One bit of one result of mma.m16n8k16, whichever the vector: wrong at one place.
cuda::Result wrong_at_one_place(const char* text, const std::uint8_t* in, std::uint8_t* out, std::uint32_t count) {
    const cuda::Result result = compute(text, in, out, count);
    out[77 * 4] ^= 1;
    return result;
}
/// The same bit of every result.
cuda::Result wrong_everywhere(const char* text, const std::uint8_t* in, std::uint8_t* out, std::uint32_t count) {
    const cuda::Result result = compute(text, in, out, count);
    for (std::uint32_t i = 0; i < count * 512; i += 4) out[i] ^= 1;
    return result;
}

class Cuda : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        void* const shared =
            mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        launches = new (shared) std::atomic<int>(0);
        library = dlopen(DISCERN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library, nullptr) << dlerror();
    }
    void SetUp() override {
        setenv("DISCERN_CUDA_LIBRARY", DISCERN_FAKE_CUDA, 1);
        fake() = FakeCuda{};
        fake().launch = compute;
        *launches = 0;
    }
    void TearDown() override { unsetenv("DISCERN_CUDA_LIBRARY"); }

    static FakeCuda& fake() { return *reinterpret_cast<FakeCudaState*>(dlsym(library, "fake_cuda_state"))(); }
    /// Pretends to be the first machine of that architecture.
    static void be(const std::string& architecture) {
        const Capability machine = capabilities_of(architecture).front();
        fake().major = machine.major;
        fake().minor = machine.minor;
    }
    static std::string unavailable() { return kind_of("cuda:").unavailable(); }

    static inline void* library = nullptr;
};

const std::string hopper_mma = "mma.m16n8k16.f32.f16.f16.f32";

std::string failure_of(const std::string& target) {
    try {
        make_target(target);
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing failed";
}

/// Runs vectors of a unit in small batches. @return how many were answered, and how it ended
std::pair<std::size_t, std::string> run(Target& target, const Unit& unit, std::size_t count) {
    InputGenerator generator(unit, Family::normal, 5);
    std::size_t answered = 0;
    try {
        while (answered < count) {
            std::vector<InputBuffer> buffers(8);
            std::vector<Inputs> batch;
            for (InputBuffer& buffer : buffers) {
                generator.next(buffer);
                batch.push_back(buffer.inputs());
            }
            std::vector<TargetAnswer> answers;
            target.run(batch, answers);
            answered += answers.size();
        }
    } catch (const Error& error) {
        return {answered, error.what()};
    }
    return {answered, ""};
}

/// The whole way: vectors into tiles, images, a launch, and back.
Validation validate(const std::string& name, std::uint64_t vectors) {
    const auto slash = name.find('/');
    const auto target = make_target("cuda:0" + name.substr(slash));
    Validation result;
    std::string first;
    validate_target(
        *target, resolve_unit(name), {.vectors = vectors, .seed = 9},
        [&](const Mismatch& mismatch) {
            if (first.empty()) first = to_json(target->shape(), mismatch.vector);
        },
        result);
    EXPECT_EQ(first, "") << name;
    return result;
}

TEST_F(Cuda, MissingLibrary) {
    setenv("DISCERN_CUDA_LIBRARY", "/nowhere/libcuda.so.1", 1);
    EXPECT_EQ(unavailable(), "the NVIDIA driver cannot be loaded: /nowhere/libcuda.so.1: cannot open shared object "
                             "file: No such file or directory");
    EXPECT_EQ(failure_of("cuda:0/x").substr(0, 25), "unavailable: cuda:0/x: th");
}

TEST_F(Cuda, MissingSymbol) {
    setenv("DISCERN_CUDA_LIBRARY", DISCERN_FAKE_CUDA_OLD, 1);
    EXPECT_EQ(unavailable(), "the NVIDIA driver (" DISCERN_FAKE_CUDA_OLD
                             ") has no function cuLinkCreate_v2; another version of it is needed");
}

TEST_F(Cuda, NoDevice) {
    fake().init = cuda::no_device;
    EXPECT_EQ(unavailable(), "there is no NVIDIA GPU");
    fake().init = cuda::success;
    fake().devices = 0;
    EXPECT_EQ(unavailable(), "there is no NVIDIA GPU");
    fake().init = 999;
    EXPECT_EQ(unavailable(), "the NVIDIA driver does not work: cuInit gave CUDA_ERROR_UNKNOWN (unknown error)");
}

TEST_F(Cuda, NoSuchInstruction) {
    EXPECT_EQ(unavailable(), "");
    EXPECT_EQ(failure_of("cuda:1/" + hopper_mma),
              "unavailable: cuda:1/" + hopper_mma + ": there is no NVIDIA GPU 1; the last one is 0");
    const std::string other = failure_of("cuda:0/mma.m16n8k17.f32.f16.f16.f32");
    EXPECT_NE(other.find("Fake GPU (compute capability 9.0) has no instruction"), std::string::npos) << other;
    EXPECT_NE(other.find("did you mean"), std::string::npos) << other;
    fake().major = 6;
    EXPECT_NE(failure_of("cuda:0/" + hopper_mma).find("(compute capability 6.0) has no instruction"),
              std::string::npos);
    EXPECT_NE(failure_of("cuda:x/" + hopper_mma).find("the number of a GPU and an instruction are needed"),
              std::string::npos);
    be("blackwell");
    EXPECT_NE(failure_of("cuda:0/tcgen05.mma.m256n8k16.f32.f16.f16").find("needs two thread blocks"),
              std::string::npos);
}

TEST_F(Cuda, RefusedByTheAssembler) {
    fake().link = 218;
    const std::string failure = failure_of("cuda:0/" + hopper_mma);
    EXPECT_NE(failure.find("unavailable: cuda:0/" + hopper_mma + ": cuLinkAddData gave"), std::string::npos) << failure;
    EXPECT_NE(failure.find("line 7: no such instruction"), std::string::npos) << failure;
}

TEST_F(Cuda, SaysWhatReallyRuns) {
    const auto code = [](const std::string& instruction) {
        const Identity identity = make_target("cuda:0/" + instruction)->identity();
        EXPECT_EQ(identity.front(), (Identity::value_type{"vendor", "NVIDIA"}));
        EXPECT_EQ(identity[1], (Identity::value_type{"model", "Fake GPU"}));
        EXPECT_EQ(identity[2], (Identity::value_type{"compute_capability", "9.0"}));
        EXPECT_EQ(identity.back().first, "code");
        return identity.back().second;
    };
    EXPECT_EQ(code(hopper_mma), "1 HMMA");
    fake().opcodes = 2;
    EXPECT_EQ(code("mma.m16n8k32.f32.e4m3.e4m3.f32"), "emulated: 2 HMMA instead of 1 QMMA");
    fake().opcode = 0x221; // an FFMA
    EXPECT_EQ(code(hopper_mma), "emulated: no matrix instruction instead of 1 HMMA");
}

TEST_F(Cuda, ListsItsInstructions) {
    const auto instances = kind_of("cuda:").instances();
    ASSERT_EQ(instances.size(), cuda_instructions("hopper").size());
    EXPECT_EQ(instances.front().target, "cuda:0/mma.m16n8k8.f16.f16.f16.f16");
    EXPECT_EQ(instances.front().summary, "Fake GPU, compute capability 9.0, hopper");
    const auto emulated = std::count_if(instances.begin(), instances.end(), [](const TargetInstance& instance) {
        return instance.summary.find("; emulated: ") != std::string::npos;
    });
    EXPECT_EQ(emulated, 16);
    for (const TargetInstance& instance : instances) {
        ASSERT_NE(find_entry(instance.unit), nullptr) << instance.unit;
        EXPECT_EQ("cuda:0/" + find_entry(instance.unit)->instruction, instance.target);
    }
    fake().major = 6;
    EXPECT_EQ(kind_of("cuda:").instances().front().summary, "Fake GPU, compute capability 6.0: not in the catalogue");
    EXPECT_EQ(kind_of("cuda:").instances().front().unit, "");
}

/// Some of each form and format; all of them in the sweep. The device runs the kernel's text.
TEST_F(Cuda, EveryInstructionIsItsUnit) {
    fake().launch = nullptr;
    const bool all = tests::sweeping();
    int tried = 0, index = 0;
    for (const char* architecture : {"volta", "turing", "ampere", "ada", "hopper", "blackwell", "rtxblackwell"}) {
        be(architecture);
        for (const std::string& name : cuda_instructions(architecture)) {
            if (!all && index++ % 23 != 0) continue;
            const std::uint64_t vectors = all ? 200 : 20;
            EXPECT_EQ(validate(name, vectors).checked, vectors) << name;
            ++tried;
        }
    }
    EXPECT_GT(tried, all ? 250 : 10);
}

TEST_F(Cuda, AnyLegalN) {
    fake().launch = nullptr;
    EXPECT_EQ(validate("hopper/wgmma.m64n40k8.f32.tf32.tf32", 50).checked, 50u);
}

/// A text that is no PTX, and one that reads what is not there.
TEST_F(Cuda, TheDeviceSaysWhatAKernelDoesWrong) {
    CudaDriver driver(cuda_library_files());
    driver.use(0);
    const auto failure = [&](const std::string& body) -> std::string {
        std::vector<std::uint8_t> in(4), out(4);
        try {
            driver.load(driver.assemble(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry discern(.param "
                                        ".u64 in, .param .u64 out, .param .u32 count)\n{\n.reg .b64 %q;\n.reg .b32 "
                                        "%r;\nld.param.u64 %q, [in];\n" +
                                        body + "\nret;\n}\n"),
                        kernel_name);
            driver.run(in, out, 1, 1, 32);
        } catch (const DeviceError& error) {
            return error.what();
        }
        return "";
    };
    fake().launch = nullptr;
    EXPECT_EQ(failure("ld.global.b32 %r, [%q];"), "");
    EXPECT_NE(failure("ld.global.b32 %r, [%q+4096];").find("is outside of every buffer"), std::string::npos);
    EXPECT_NE(failure("jump.over %r;").find("kernel.ptx:9: 'jump.over %r': this instruction is not read"),
              std::string::npos)
        << failure("jump.over %r;");
}

TEST_F(Cuda, AFailedLaunchIsTriedOnceMore) {
    const Unit unit = resolve_unit("hopper/" + hopper_mma);
    fake().launch = fail_once;
    auto target = make_target("cuda:0/" + hopper_mma);
    EXPECT_EQ(run(*target, unit, 40), (std::pair<std::size_t, std::string>{40, ""}));
    *launches = 0;
    fake().launch = fail_from_then_on;
    target = make_target("cuda:0/" + hopper_mma);
    const auto [answered, failure] = run(*target, unit, 400);
    EXPECT_EQ(answered, 8u * 1); // what was observed before is there
    EXPECT_EQ(failure, "cuda:0/" + hopper_mma +
                           " failed: cuLaunchKernel gave CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure); tried "
                           "once more: cuLaunchKernel gave CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure)");
    EXPECT_EQ(run(*target, unit, 8).second, failure); // it stays failed
}

TEST_F(Cuda, ALostDeviceEndsTheRun) {
    fake().launch = crash;
    const auto target = make_target("cuda:0/" + hopper_mma);
    const auto [answered, failure] = run(*target, resolve_unit("hopper/" + hopper_mma), 400);
    EXPECT_EQ(answered, 8u);
    EXPECT_EQ(failure, "cuda:0/" + hopper_mma +
                           " failed: the process that runs it ended with signal 9; tried once more: the process that "
                           "runs it ended with signal 9");
}

TEST_F(Cuda, AHangingDeviceIsStopped) {
    fake().launch = hang;
    const auto target = make_target("cuda:0/" + hopper_mma, {.shape = {}, .answer_timeout = 1});
    const auto [answered, failure] = run(*target, resolve_unit("hopper/" + hopper_mma), 400);
    EXPECT_EQ(answered, 8u);
    EXPECT_EQ(failure, "cuda:0/" + hopper_mma + " gave no answer within 1 s and was stopped");
}

TEST_F(Cuda, WrongResultsAreSeen) {
    const Unit unit = resolve_unit("hopper/" + hopper_mma);
    fake().launch = wrong_at_one_place;
    const auto target = make_target("cuda:0/" + hopper_mma);
    const std::string failure = run(*target, unit, 8).second;
    // Word 77: register 2 of lane 13, which is row 3 + 8, column 2.
    EXPECT_NE(failure.find("gives different results for one vector in different places"), std::string::npos) << failure;
    EXPECT_NE(failure.find(" at (11, 2)"), std::string::npos) << failure;
    fake().launch = wrong_everywhere;
    const auto other = make_target("cuda:0/" + hopper_mma);
    Validation result;
    validate_target(
        *other, unit, {.vectors = 100, .seed = 1}, [](const Mismatch&) {}, result);
    EXPECT_EQ(result.checked, 100u);
    EXPECT_EQ(result.mismatches, 100u);
}

} // namespace

} // namespace discern::testing
