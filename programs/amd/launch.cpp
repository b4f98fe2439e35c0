#include "launch.hpp"

#include "decode.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/launch/arrays.hpp"

#include <algorithm>

namespace discern::programs::amd {

namespace {

constexpr std::uint64_t most_groups = 65536, most_lds = 1 << 20, most_globals = 1 << 26, default_threads = 1024;

struct Target {
    std::string_view name, architecture; ///< of LLVM, and in the catalogue's words
    unsigned wave;
    bool packs; ///< whether two f32 are computed at once
};
constexpr Target targets[] = {
    {"gfx908", "cdna1", 64, false},   {"gfx90a", "cdna2", 64, true},   {"gfx940", "cdna3", 64, true},
    {"gfx941", "cdna3", 64, true},    {"gfx942", "cdna3", 64, true},   {"gfx950", "cdna4", 64, true},
    {"gfx1100", "rdna3", 32, false},  {"gfx1101", "rdna3", 32, false}, {"gfx1102", "rdna3", 32, false},
    {"gfx1151", "rdna35", 32, false}, {"gfx1200", "rdna4", 32, false}, {"gfx1201", "rdna4", 32, false}};

class Launcher {
  public:
    Launcher(RunKernel& kernel, const llir::Module& module)
        : kernel_(kernel), module_(module), launch_(kernel.launch), memory_(kernel) {}

    void run(std::string_view assembly, const std::string& assembly_file) {
        const Target& target = target_of(assembly);
        Contraction contraction(module_, target.packs);
        if (!assembly.empty()) {
            try {
                contraction.settle(Contraction::counted(assembly, module_.entry));
            } catch (const Error& error) {
                throw Error(sentence(assembly_file, ": it ", error.what()));
            }
        }
        memory_.make_arrays();
        kernel_.fusion = contraction.unsettled();
        place_globals();
        const DecodedKernel code =
            Decoder(module_, kernel_.graph, target.architecture, target.wave, contraction, addresses_).all();
        Machine machine{.module = module_,
                        .code = code,
                        .graph = kernel_.graph,
                        .memory = memory_.memory,
                        .architecture = target.architecture,
                        .wave = target.wave,
                        .grid = launch_.grid};
        machine.lds_bytes = lds_;
        machine.most_steps = launch_.most_steps;
        size_block(machine);
        tell_runtime(machine);
        const std::vector<std::vector<Code>> arguments = arguments_of();
        run_groups(machine, arguments);
        kernel_.steps = machine.steps;
        kernel_.uses_atomic_results = machine.uses_atomic_results;
        kernel_.lines = std::move(machine.lines);
        memory_.collect();
    }

  private:
    [[noreturn]] void fail(std::string_view why) const { throw Error(sentence(module_.file, ": ", why)); }

    /// As the file says, or the launch, or the assembly.
    const Target& target_of(std::string_view assembly) const {
        std::string name = module_.target.empty() ? launch_.target : module_.target;
        constexpr std::string_view mark = "--gfx";
        if (const std::size_t at = assembly.find(mark); name.empty() && at != std::string_view::npos) {
            const std::string_view rest = assembly.substr(at + 2, 16);
            name = rest.substr(0, rest.find_first_of("\":\r\n "));
        }
        if (name.empty()) fail("it does not say for which GPU it is; \"target\": \"gfx942\" of the launch does");
        const auto found =
            std::find_if(std::begin(targets), std::end(targets), [&](const Target& t) { return t.name == name; });
        if (found != std::end(targets)) return *found;
        std::string known;
        for (const Target& target : targets) known += (known.empty() ? "" : ", ") + std::string(target.name);
        fail(sentence("kernels for ", excerpt(name), " are not read; those for ", known, " are"));
    }

    /// Of LDS in their order, those that the launch sizes behind all others; constants in memory.
    void place_globals() {
        addresses_.resize(module_.globals.size());
        std::uint64_t constants = 0, end = 0;
        for (const bool open : {false, true})
            for (std::size_t i = 0; i < module_.globals.size(); ++i) {
                const llir::Global& global = module_.globals[i];
                if ((global.type->stored == 0) != open) continue;
                if (global.space != lds_space) {
                    if (global.name.starts_with("@llvm.") || global.codes.empty()) continue;
                    constants += global.codes.size();
                    if (constants > most_globals) fail("its constants have more than 64 MiB");
                    addresses_[i] = memory_.memory[memory_.memory.add(std::string(global.name), global.codes)].base;
                    continue;
                }
                const std::uint64_t alignment = std::max<std::uint64_t>(global.alignment, global.type->alignment);
                addresses_[i] = (end + alignment - 1) / alignment * alignment;
                // All that the launch sizes are one memory.
                if (!open) end = addresses_[i] + global.type->stored;
                lds_ = std::max(lds_, open ? addresses_[i] + launch_.shared : end);
                if (lds_ > most_lds) fail("more LDS is asked for than any GPU has");
            }
    }

    void size_block(Machine& machine) const {
        if (!launch_.cluster.empty())
            fail("LLVM IR for AMD's GPUs has no clusters of blocks, and the launch a \"cluster\"");
        std::vector<unsigned> block = launch_.block;
        if (block.empty() && module_.most_threads != 0 && module_.most_threads != default_threads)
            block = {static_cast<unsigned>(module_.most_threads)};
        if (block.empty())
            fail("neither the launch nor the kernel says how many lanes a workgroup has; \"block\" of the launch does");
        std::uint64_t threads = 1;
        for (std::size_t i = 0; i < 3; ++i) {
            machine.block[i] = i < block.size() ? std::max(block[i], 1u) : 1;
            threads = std::min<std::uint64_t>(threads * machine.block[i], 1u << 20);
        }
        if (threads % machine.wave != 0 || threads > most_lanes)
            fail(sentence("workgroups of ", threads, " lanes are not run; multiples of ", machine.wave, " up to ",
                          most_lanes, " are"));
    }

    /// What HIP's runtime says of a launch: its grid and its blocks (code object version 5, and the packet of a
    /// dispatch).
    void tell_runtime(Machine& machine) {
        std::vector<Code> implicit(256, 0), dispatch(64, 0);
        const auto put = [](std::vector<Code>& into, std::size_t at, std::uint64_t value, std::size_t bytes) {
            from_word(value, std::span(into).subspan(at, bytes));
        };
        for (std::size_t i = 0; i < 3; ++i) {
            put(implicit, 4 * i, machine.grid[i], 4);
            put(implicit, 12 + 2 * i, machine.block[i], 2);
            put(dispatch, 4 + 2 * i, machine.block[i], 2);
            put(dispatch, 12 + 4 * i, std::uint64_t(machine.grid[i]) * machine.block[i], 4);
        }
        put(implicit, 64, 3, 2);
        machine.implicit = memory_.memory[memory_.memory.add("the implicit arguments", std::move(implicit))].base;
        machine.dispatch = memory_.memory[memory_.memory.add("the dispatch packet", std::move(dispatch))].base;
    }

    /// The bytes of each parameter; missing arguments at the end are zero.
    std::vector<std::vector<Code>> arguments_of() {
        if (launch_.arguments.size() > module_.parameters.size())
            fail(sentence("the launch has ", launch_.arguments.size(), " arguments, and the kernel ", module_.entry,
                          " has ", module_.parameters.size()));
        std::vector<std::vector<Code>> all;
        for (std::size_t i = 0; i < module_.parameters.size(); ++i) {
            const llir::Parameter& parameter = module_.parameters[i];
            const std::uint64_t size =
                parameter.by_reference == nullptr ? parameter.type->size : parameter.by_reference->stored;
            if (size > 65536) fail("a parameter has more than 64 KiB");
            std::vector<Code> codes(size, 0);
            if (i < launch_.arguments.size()) {
                const ArgumentSpec& argument = launch_.arguments[i];
                if (argument.kind == ArgumentSpec::Kind::tensor_map)
                    fail(sentence("argument ", i + 1, " (from 1) is a tensor map, which AMD's GPUs have not"));
                const std::vector<std::uint8_t> bytes = memory_.bytes_of(argument);
                memory_.require_size(i, bytes.size(), size);
                std::copy(bytes.begin(), bytes.end(), codes.begin());
            }
            if (parameter.by_reference != nullptr) {
                const std::uint64_t base = memory_.memory[memory_.memory.add("a parameter", std::move(codes))].base;
                codes.assign(parameter.type->size, 0);
                from_word(base, codes);
            }
            all.push_back(std::move(codes));
        }
        return all;
    }

    void run_groups(Machine& machine, const std::vector<std::vector<Code>>& arguments) const {
        const auto& grid = launch_.grid;
        if (*std::max_element(grid.begin(), grid.end()) > most_groups ||
            std::uint64_t(grid[0]) * grid[1] * grid[2] > most_groups)
            fail(sentence("the launch has more than ", most_groups, " workgroups"));
        for (unsigned z = 0; z < grid[2]; ++z)
            for (unsigned y = 0; y < grid[1]; ++y)
                for (unsigned x = 0; x < grid[0]; ++x) {
                    Workgroup group(machine, {x, y, z});
                    for (std::size_t i = 0; i < arguments.size(); ++i)
                        group.fill(module_.parameters[i].value, arguments[i]);
                    group.run();
                }
    }

    RunKernel& kernel_;
    const llir::Module& module_;
    const Launch& launch_;
    LaunchMemory memory_;
    std::vector<std::uint64_t> addresses_;
    std::uint64_t lds_ = 0;
};

} // namespace

RunKernel run_llir(std::string text, const std::string& file, Launch launch, std::string_view assembly,
                   const std::string& assembly_file) {
    const auto module = llir::parse_llir(std::move(text), file, launch.entry);
    RunKernel kernel;
    kernel.file = file;
    kernel.any_nan = true;
    kernel.launch = std::move(launch);
    Launcher(kernel, *module).run(assembly, assembly_file);
    return kernel;
}

} // namespace discern::programs::amd
