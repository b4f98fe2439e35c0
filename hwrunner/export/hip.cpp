// Vectors as a program for a machine with an AMD GPU: one file, to be compiled by hipcc, that needs nothing else and
// prints what the GPU gives as a file of observations.
//
// This program packs the matrices into the registers of waves. The written one holds the images of the registers, the
// text of the vectors, and for each vector the register and lane of its result.
#include "export.hpp"
#include "hwrunner/amd/hip_kernels.hpp"
#include "hwrunner/amd/mfma_layout.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/random.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <ostream>

namespace discern {

namespace {

struct HipInstruction {
    Cdna architecture = Cdna::gfx908;
    const MfmaInstruction* mfma = nullptr;
    std::string name;
};

HipInstruction require_hip_instruction(const Exported& what) {
    if (what.unit.empty()) throw Error("--as hip: the file names no unit; name the instruction with --unit");
    if (const CatalogueEntry* entry = find_entry(what.unit))
        for (const Cdna architecture : cdna_architectures)
            if (entry->architecture == catalogue_name(architecture))
                if (const MfmaInstruction* mfma = find_mfma(architecture, entry->instruction))
                    return {.architecture = architecture, .mfma = mfma, .name = entry->instruction};
    throw Error(sentence("--as hip: ", excerpt(what.unit, 80),
                         " is no instruction of CDNA1, CDNA2 or CDNA3; name one of 'discern units cdna' with --unit"));
}

/// The registers of all waves, and where the result of each vector is among the elements of D.
struct Waves {
    WaveImages images;
    std::vector<std::size_t> results;
    std::size_t count = 0;
};

Waves waves_of(const Exported& what, const MfmaInstruction& mfma) {
    std::vector<Inputs> batch;
    for (const Vector& vector : what.vectors) batch.push_back(vector.inputs());
    Random random(1);
    const Packed packed = pack_tiles({.dot = what.shape, .M = mfma.M, .N = mfma.N}, batch, random);
    const auto blocks = static_cast<std::size_t>(mfma.blocks());
    Waves waves;
    waves.count = (packed.tiles.size() + blocks - 1) / blocks;
    for (std::size_t wave = 0; wave < waves.count; ++wave) {
        std::vector<MatrixTile> tiles; // blocks without a tile of their own repeat the last
        for (std::size_t block = 0; block < blocks; ++block)
            tiles.push_back(packed.tiles[std::min(wave * blocks + block, packed.tiles.size() - 1)]);
        append_wave(mfma, tiles, waves.images);
    }
    const auto items = static_cast<std::size_t>(mfma.result_items());
    for (const Packed::Place& place : packed.places) {
        const LanePlace lane = result_place(mfma, static_cast<int>(place.tile % blocks), place.row, place.column);
        waves.results.push_back((place.tile / blocks * 64 + static_cast<std::size_t>(lane.lane)) * items +
                                static_cast<std::size_t>(lane.item));
    }
    return waves;
}

/// The part of the program that no vector changes; names in capitals are replaced.
constexpr std::string_view hip_program = R"(
static void require(hipError_t error, const char* call) {
    if (error == hipSuccess) return;
    std::fprintf(stderr, "unavailable: %s: %s\n", call, hipGetErrorString(error));
    std::exit(2);
}

// A field of the header; the text may need escapes.
static void print_field(const char* name, const char* text) {
    std::printf(",\"%s\":\"", name);
    for (; *text != '\0'; ++text) std::printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    std::printf("\"");
}

static void* copy_of(const void* data, size_t bytes) {
    void* memory = nullptr;
    require(hipMalloc(&memory, bytes), "hipMalloc");
    require(hipMemcpy(memory, data, bytes, hipMemcpyHostToDevice), "hipMemcpy");
    return memory;
}

int main() {
    int device = 0, driver = 0, runtime = 0;
    hipDeviceProp_t properties;
    require(hipSetDevice(device), "hipSetDevice");
    require(hipGetDeviceProperties(&properties, device), "hipGetDeviceProperties");
    require(hipDriverGetVersion(&driver), "hipDriverGetVersion");
    require(hipRuntimeGetVersion(&runtime), "hipRuntimeGetVersion");
    const char* gfx = "GFX";
    if (std::strncmp(properties.gcnArchName, gfx, std::strlen(gfx)) != 0) {
        std::fprintf(stderr, "unavailable: INSTRUCTION is of %s; this GPU is %s\n", gfx, properties.gcnArchName);
        return 2;
    }
    void* a = copy_of(a_registers, sizeof a_registers);
    void* b = copy_of(b_registers, sizeof b_registers);
    void* c = copy_of(c_registers, sizeof c_registers);
    void* d = copy_of(c_registers, sizeof c_registers);
    hipLaunchKernelGGL(KERNEL, dim3(waves), dim3(64), 0, 0, static_cast<const Operand*>(a),
                       static_cast<const Operand*>(b), static_cast<const Result*>(c), static_cast<Result*>(d));
    require(hipGetLastError(), "launch");
    require(hipDeviceSynchronize(), "hipDeviceSynchronize");
    static RESULT_WORD results[sizeof c_registers / RESULT_BYTES];
    require(hipMemcpy(results, d, sizeof results, hipMemcpyDeviceToHost), "hipMemcpy");

    char text[64];
    std::printf("%s", HEADER);
    print_field("vendor", "AMD");
    print_field("model", properties.name);
    print_field("architecture", properties.gcnArchName);
    std::snprintf(text, sizeof text, "%d", driver);
    print_field("driver", text);
    std::snprintf(text, sizeof text, "%d", runtime);
    print_field("runtime", text);
    const std::time_t now = std::time(nullptr);
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    print_field("date", text);
    std::printf("}\n");
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i)
        std::printf("%s,\"d\":\"%0DIGITSllx\"}\n", vectors[i], static_cast<unsigned long long>(results[places[i]]));
    return 0;
}
)";

} // namespace

void export_hip(std::ostream& out, const Exported& what) {
    const HipInstruction instruction = require_hip_instruction(what);
    const std::string gfx(gfx_name(instruction.architecture));
    const Waves waves = waves_of(what, *instruction.mfma);
    Header header;
    header.shape = what.shape;
    header.target = "hip:0/" + instruction.name;
    header.other.emplace_back("exported", json_string(what.origin));

    write_export_head(out, what, "//", sentence(", for ", instruction.name, " of ", gfx));
    out << "//\n//     hipcc --offload-arch=" << gfx << " -O2 FILE.hip -o " << what.name << "\n//     ./" << what.name
        << " > observed.jsonl\n//     discern eval " << what.unit << " observed.jsonl --check\n\n"
        << "#include <hip/hip_runtime.h>\n\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include "
           "<ctime>\n\n"
        << hip_kernel(*instruction.mfma)
        << "\n// The operands of each wave, lane after lane.\nstatic const unsigned waves = " << waves.count << ";\n";
    write_words(out, "a_registers", waves.images.a, 8, "u");
    write_words(out, "b_registers", waves.images.b, 8, "u");
    write_words(out, "c_registers", waves.images.c, 8, "u");
    out << "// The vectors, and which element of all that the GPU gives is the result of each.\n"
        << "static const char* const vectors[] = {\n";
    std::uint64_t done = 0;
    for (Vector vector : what.vectors) {
        what.tell("vectors", done++);
        vector.d.clear();
        out << "    " << open_object(to_json(what.shape, vector)) << ",\n";
    }
    out << "};\nstatic const unsigned places[] = {";
    for (std::size_t i = 0; i < waves.results.size(); ++i)
        out << (i % 16 == 0 ? "\n    " : " ") << waves.results[i] << ',';
    out << "\n};\n"
        << replaced(hip_program, {{"GFX", gfx},
                                  {"INSTRUCTION", instruction.name},
                                  {"KERNEL", hip_kernel_name},
                                  {"RESULT_WORD", instruction.mfma->is_f64() ? "unsigned long long" : "unsigned"},
                                  {"HEADER", open_object(to_json(header))},
                                  {"RESULT_BYTES", instruction.mfma->is_f64() ? "8" : "4"},
                                  {"DIGITS", instruction.mfma->is_f64() ? "16" : "8"}});
}

} // namespace discern
