// Vectors as one CUDA program for a machine that has the GPU and nothing of ours: what goes into the instruction is in
// it as images, ready for the kernel, and what comes out is printed as observations.
#include "export.hpp"
#include "hwrunner/nvidia/fragments.hpp"
#include "hwrunner/nvidia/ptx.hpp"
#include "models/error.hpp"
#include "models/random.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <ostream>

namespace discern {

namespace {

/// What follows the data: nothing in it depends on the instruction.
constexpr std::string_view cuda_program = R"code(
#define CHECK(call) check(call, #call)
static void check(cudaError_t error, const char* call) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    std::exit(2);
}

static unsigned long long bits_at(const unsigned char* image, unsigned bit) {
    unsigned long long bits = 0;
    for (unsigned i = 0; i < result_bits; ++i)
        bits |= (unsigned long long)(image[(bit + i) / 8] >> ((bit + i) % 8) & 1) << i;
    return bits;
}

int main() {
    cudaDeviceProp properties;
    int driver = 0;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaDriverGetVersion(&driver));
    if (properties.major != compute_major) {
        std::fprintf(stderr, "this program is for GPUs of compute capability %d.x; %s has %d.%d\n", compute_major,
                     properties.name, properties.major, properties.minor);
        return 2;
    }
    const unsigned out_size = image_count * out_bytes;
    unsigned char* result = (unsigned char*)std::calloc(out_size, 1);
    void *in = 0, *out = 0;
    CHECK(cudaMalloc(&in, sizeof images));
    CHECK(cudaMalloc(&out, out_size));
    CHECK(cudaMemcpy(in, images, sizeof images, cudaMemcpyHostToDevice));
    unsigned count = image_count;
    void* arguments[] = {&in, &out, &count};
    CHECK(cudaLaunchKernel((const void*)kernel, dim3(image_count < 1024 ? image_count : 1024), dim3(threads), arguments,
                           0, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(result, out, out_size, cudaMemcpyDeviceToHost));

    // The first image has the first vector in every place, and every place must give the same.
    for (unsigned i = 0; i < sizeof places / sizeof *places; ++i)
        if (bits_at(result, places[i]) != bits_at(result, places[0])) {
            std::fprintf(stderr, "one vector gave different results in different places of an instruction\n");
            return 1;
        }
    char date[32];
    const std::time_t now = std::time(0);
    std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    std::printf("%s,\"vendor\":\"NVIDIA\",\"model\":\"%s\",\"compute_capability\":\"%d.%d\",\"driver\":\"CUDA %d.%d\","
                "\"date\":\"%s\"}\n",
                header, properties.name, properties.major, properties.minor, driver / 1000, driver % 1000 / 10, date);
    for (unsigned v = 0; v < sizeof vectors / sizeof *vectors; ++v)
        std::printf("%s,\"d\":\"%0*llx\"}\n", vectors[v].inputs, (int)(result_bits + 3) / 4,
                    bits_at(result + vectors[v].image * out_bytes, vectors[v].bit));
    return 0;
}
)code";

/// The instruction that the vectors are for.
CudaInstruction instruction_for(const Exported& what) {
    const std::string name = what.unit.substr(0, what.unit.find('{'));
    const CatalogueEntry* const entry = find_entry(name);
    const std::vector<Capability> machines =
        entry == nullptr ? std::vector<Capability>() : capabilities_of(entry->architecture);
    if (machines.empty())
        throw Error(sentence("--as cuda: ",
                             what.unit.empty() ? "the file names no unit"
                                               : sentence(excerpt(what.unit, 120), " is no instruction of NVIDIA GPUs"),
                             "; name one with --unit, as in --unit hopper/wgmma.m64n8k16.f32.f16.f16"));
    CudaInstruction instruction = cuda_instruction(name, machines.front());
    if (instruction.shape.dot != what.shape)
        throw Error(sentence("--as cuda: the vectors (", to_string(what.shape), ") and ", name, " (",
                             to_string(instruction.shape.dot), ") differ in ",
                             difference(what.shape, instruction.shape.dot)));
    return instruction;
}

/// The images and where each vector's result will be.
struct Images {
    struct Result {
        std::size_t image, bit;
    };
    std::vector<std::uint8_t> bytes;
    std::vector<Result> results;
};

Images images_of(const CudaInstruction& instruction, const ImageLayout& layout, const std::vector<Vector>& vectors) {
    std::vector<Inputs> batch;
    for (const Vector& vector : vectors) batch.push_back(vector.inputs());
    Random random(1);
    const Packed packed = pack_tiles(instruction.shape, batch, random);
    const auto tiles = static_cast<std::size_t>(instruction.tiles);
    const std::vector<MatrixTile> same(tiles, tile_of_one(instruction.shape, batch.front()));
    const std::size_t count = 1 + (packed.tiles.size() + tiles - 1) / tiles;
    Images images;
    images.bytes.resize(count * layout.in_bytes);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t first = (i - 1) * tiles;
        const auto part = i == 0 ? std::span(same)
                                 : std::span(packed.tiles).subspan(first, std::min(tiles, packed.tiles.size() - first));
        pack_image(layout, instruction.shape.dot, part,
                   std::span(images.bytes).subspan(i * layout.in_bytes, layout.in_bytes));
    }
    const auto M = static_cast<std::size_t>(instruction.shape.M), N = static_cast<std::size_t>(instruction.shape.N);
    for (const Packed::Place& place : packed.places) {
        const std::size_t element =
            (place.tile % tiles * M + static_cast<std::size_t>(place.row)) * N + static_cast<std::size_t>(place.column);
        images.results.push_back({1 + place.tile / tiles, layout.d[element]});
    }
    return images;
}

/// PTX as the lines of an asm statement, its registers' percent signs doubled.
std::string quoted(const std::string& text) {
    std::string lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        lines += "        \"";
        for (const char letter : text.substr(at, end - at)) {
            if (letter == '"') lines += '\\';
            lines += letter;
            if (letter == '%') lines += '%';
        }
        lines += "\\n\"\n";
        at = end + 1;
    }
    return lines;
}

void write_kernel(std::ostream& out, const CudaInstruction& instruction) {
    std::string text = quoted(ptx_body(instruction, "    mov.u64 %all_in, $0;\n"
                                                    "    mov.u64 %all_out, $1;\n"
                                                    "    mov.u32 %count, $2;\n"));
    std::replace(text.begin(), text.end(), '$', '%');
    out << "__global__ void __launch_bounds__(" << threads_per_block(instruction)
        << ") kernel(const void* in, void* out, unsigned count) {\n#ifdef __CUDA_ARCH__\n    asm volatile(\n"
        << "        \"{\\n\"\n"
        << text << "        \"}\\n\" : : \"l\"(in), \"l\"(out), \"r\"(count) : \"memory\");\n#endif\n}\n";
}

} // namespace

void export_cuda(std::ostream& out, const Exported& what) {
    const CudaInstruction instruction = instruction_for(what);
    const ImageLayout layout = image_layout(instruction);
    const Images images = images_of(instruction, layout, what.vectors);
    write_export_head(out, what, "//", "; prints what the GPU gives as observations (JSON Lines)");
    const std::string number = instruction.target().substr(3);
    out << "// Build: nvcc -gencode arch=compute_" << number << ",code=sm_" << number << " FILE.cu -o FILE\n"
        << "// Back at home: discern eval '" << instruction.unit << "' OBSERVATIONS --check\n\n"
        << "#include <cstdio>\n#include <cstdlib>\n#include <ctime>\n\n#include <cuda_runtime.h>\n\n";
    const auto constant = [&](std::string_view name, std::size_t value) {
        out << "static const unsigned " << name << " = " << value << ";\n";
    };
    constant("image_count", images.bytes.size() / layout.in_bytes);
    constant("out_bytes", layout.out_bytes);
    constant("result_bits", static_cast<std::size_t>(format(what.shape.d).width));
    constant("threads", static_cast<std::size_t>(threads_per_block(instruction)));
    out << "static const int compute_major = " << instruction.machine.major << ";\n\n";
    write_kernel(out, instruction);

    Header header;
    header.shape = what.shape;
    header.nan = what.nan_any ? NanComparison::any : NanComparison::unsaid;
    header.target = "cuda:0" + instruction.unit.substr(instruction.unit.find('/'));
    header.other.emplace_back("instruction", json_string(instruction.unit));
    if (const std::string& remark = find_entry(instruction.unit)->remark; !remark.empty())
        header.other.emplace_back("remark", json_string(remark));
    header.other.emplace_back("exported", json_string(what.origin));
    out << "\nstatic const char* const header =\n    " << open_object(to_json(header)) << ";\n\n"
        << "// What goes in, where its result is: an image and a bit of it.\n"
        << "static const struct { const char* inputs; unsigned image, bit; } vectors[] = {\n";
    for (std::size_t v = 0; v < what.vectors.size(); ++v) {
        what.tell("vectors", v);
        Vector vector = what.vectors[v];
        vector.d.clear();
        out << "    {" << open_object(to_json(what.shape, vector)) << ", " << images.results[v].image << ", "
            << images.results[v].bit << "},\n";
    }
    out << "};\n\n// Where the results of one instruction are.\nstatic const unsigned places[] = {";
    for (std::size_t i = 0; i < layout.d.size(); ++i) out << (i % 12 == 0 ? "\n    " : " ") << layout.d[i] << ',';
    out << "\n};\n\n";
    write_words(out, "images", images.bytes, 16, "");
    out << cuda_program;
}

} // namespace discern
