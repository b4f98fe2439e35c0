// Operands are copied to the device, a kernel computes the product, and the results come back. When the GPU is opened,
// the kernel is tried on some vectors.
#include "accelerator.hpp"

#include "kernel.hpp"

#include "hwrunner/nvidia/cuda_driver.hpp"
#include "hwrunner/nvidia/ptx.hpp"
#include "models/batch.hpp"
#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors/mixture.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace discern::gpu {

namespace {

constexpr Capability oldest{7, 0};
constexpr std::size_t vectors_to_try = 256;
/// Instructions of a launch: some tenths of a second on a small GPU, whose screen would otherwise stand still.
constexpr std::size_t instructions_a_launch = std::size_t{1} << 26u;
constexpr std::size_t fewest_elements = std::size_t{1} << 16u; ///< of a launch; fewer do not keep a GPU busy

std::span<const std::uint8_t> bytes(const Patterns& p) {
    return {static_cast<const std::uint8_t*>(p.data()), p.size() * p.word()};
}

/// An array in the device's memory.
class DeviceArray {
  public:
    DeviceArray(CudaDriver& driver, std::size_t size)
        : driver_(driver), address_(size == 0 ? 0 : driver.allocate(size)) {}
    DeviceArray(CudaDriver& driver, const Patterns& from) : DeviceArray(driver, bytes(from).size()) {
        if (address_ != 0) driver_.copy_to(address_, bytes(from));
    }
    ~DeviceArray() {
        if (address_ != 0) driver_.release(address_);
    }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    cuda::Address address() const { return address_; }

  private:
    CudaDriver& driver_;
    cuda::Address address_;
};

class Gpu final : public Accelerator {
  public:
    explicit Gpu(const Unit& unit) : unit_(unit), driver_(cuda_library_files()), info_(driver_.info(0)) {
        if (info_.capability < oldest)
            throw Error(sentence(info_.name, " has compute capability ", to_string(info_.capability), "; ",
                                 to_string(oldest), " or later is needed"));
        driver_.use(0);
        driver_.load(driver_.assemble(kernel_text(unit)), kernel_name);
    }

    std::string name() const override { return sentence("GPU (", info_.name, ")"); }

    bool run(const Work& work, const std::function<bool(double)>& progress) override {
        try {
            return compute(work, progress);
        } catch (const DeviceError& error) {
            throw Error(sentence("the GPU failed: ", error.what()));
        }
    }

    /// The machine and what drives it.
    std::string described() const { return sentence(info_.name, " with driver ", driver_.version()); }

  private:
    bool compute(const Work& work, const std::function<bool(double)>& progress) {
        const std::scoped_lock alone(mutex_);
        driver_.use(0); // of this thread
        const bool reads_c = unit_.c && work.from_c;
        const DeviceArray a(driver_, work.a), b(driver_, work.b), sa(driver_, work.sa), sb(driver_, work.sb),
            c(driver_, reads_c ? work.c : Patterns()), d(driver_, work.d.size() * work.d.word());
        Arguments arguments = shape_of_work(work);
        arguments.a = a.address();
        arguments.b = b.address();
        arguments.c = c.address();
        arguments.d = d.address();
        arguments.sa = sa.address();
        arguments.sb = sb.address();
        arguments.from_c = reads_c ? 1 : 0;
        const std::size_t elements = work.size.m * work.size.n, steps = work.size.k / static_cast<std::size_t>(unit_.K);
        const std::size_t of_launch =
            std::max(fewest_elements, instructions_a_launch / std::max<std::size_t>(steps, 1));
        for (std::size_t first = 0; first < elements; first += of_launch) {
            if (progress && !progress(static_cast<double>(first) / static_cast<double>(elements))) return false;
            const std::size_t count = std::min(of_launch, elements - first);
            arguments.first = first;
            arguments.count = count;
            void* parameter = &arguments;
            driver_.launch(static_cast<unsigned>((count + threads_per_block - 1) / threads_per_block),
                           threads_per_block, {&parameter, 1});
        }
        driver_.copy_from({static_cast<std::uint8_t*>(work.d.data()), work.d.size() * work.d.word()}, d.address());
        return true;
    }

    /// All but addresses and the part of a launch.
    Arguments shape_of_work(const Work& work) const {
        const auto K = static_cast<std::size_t>(unit_.K);
        const std::size_t steps = work.size.k / K, scales = steps * static_cast<std::size_t>(unit_.scales());
        Arguments arguments;
        arguments.columns = work.size.n;
        arguments.steps = steps;
        arguments.a_row = work.size.k * word_bytes(unit_.a);
        arguments.sa_row = scales * scale_bytes();
        const std::size_t b = word_bytes(unit_.b), sb = scale_bytes();
        if (work.vectors) { // rows of B, as of A
            arguments.b_row = work.size.k * b;
            arguments.b_k = b;
            arguments.sb_row = scales * sb;
            arguments.sb_k = sb;
        } else {
            arguments.b_column = b;
            arguments.b_k = work.size.n * b;
            arguments.sb_column = sb;
            arguments.sb_k = work.size.n * sb;
        }
        return arguments;
    }
    std::size_t scale_bytes() const { return unit_.scale ? word_bytes(unit_.scale->format) : 0; }

    Unit unit_;
    CudaDriver driver_;
    CudaDeviceInfo info_;
    std::mutex mutex_;
};

/// What no test without a GPU can know: that this driver and this machine do what the text says.
void try_vectors(const Unit& unit, const std::shared_ptr<Gpu>& gpu) {
    GemmOptions there;
    there.accelerator = gpu;
    BatchEvaluator computed(unit, there);
    const Evaluator model(unit);
    InputMixture mixture(unit, 1);
    std::vector<InputBuffer> buffers(vectors_to_try);
    std::vector<Inputs> vectors;
    for (InputBuffer& buffer : buffers) {
        mixture.next(buffer);
        vectors.push_back(buffer.inputs());
    }
    std::vector<std::uint64_t> d(vectors.size());
    computed(vectors, d);
    for (std::size_t i = 0; i < d.size(); ++i)
        if (d[i] != model(vectors[i]))
            throw Error(sentence(gpu->described(), " gives other bits than the unit, on vector ", i + 1, " of ",
                                 d.size(),
                                 " that were tried; the kernels of the CPU are right, and this is worth a report"));
}

} // namespace

std::shared_ptr<Accelerator> open_gpu(const Unit& unit) {
    const auto unavailable = [](const std::exception& reason) {
        return Error(sentence("unavailable: the kernels of a GPU: ", reason.what()));
    };
    try {
        auto gpu = std::make_shared<Gpu>(unit);
        try_vectors(unit, gpu);
        return gpu;
    } catch (const DeviceError& reason) {
        throw unavailable(reason);
    } catch (const Error& reason) {
        throw unavailable(reason);
    }
}

} // namespace discern::gpu
