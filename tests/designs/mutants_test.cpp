// A design with one wrong gate is refuted, or it is still the unit: exports as synthesis makes gates of them, with one
// gate changed at random. Their formats are so small that all inputs of a mutant can be simulated, 64 at a time, which
// shares nothing with whatever answers: neither how the design is read, nor a term, nor a solver.
#include "made.hpp"
#include "sweep.hpp"

#include "models/error.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>

namespace discern::rtl::testing {
namespace {

using Word = std::uint64_t;

/// A cell of yosys with one output, Y.
struct GateKind {
    std::string cell;
    std::vector<std::string> pins;
    const char* verilog; ///< with x, y and z for the inputs
    Word (*value)(Word x, Word y, Word z);
};

const std::vector<GateKind>& gate_kinds() {
    static const std::vector<GateKind> table = {
        {"$_BUF_", {"A"}, "x", [](Word x, Word, Word) { return x; }},
        {"$_NOT_", {"A"}, "~x", [](Word x, Word, Word) { return ~x; }},
        {"$_AND_", {"A", "B"}, "x & y", [](Word x, Word y, Word) { return x & y; }},
        {"$_NAND_", {"A", "B"}, "~(x & y)", [](Word x, Word y, Word) { return ~(x & y); }},
        {"$_OR_", {"A", "B"}, "x | y", [](Word x, Word y, Word) { return x | y; }},
        {"$_NOR_", {"A", "B"}, "~(x | y)", [](Word x, Word y, Word) { return ~(x | y); }},
        {"$_XOR_", {"A", "B"}, "x ^ y", [](Word x, Word y, Word) { return x ^ y; }},
        {"$_XNOR_", {"A", "B"}, "~(x ^ y)", [](Word x, Word y, Word) { return ~(x ^ y); }},
        {"$_ANDNOT_", {"A", "B"}, "x & ~y", [](Word x, Word y, Word) { return x & ~y; }},
        {"$_ORNOT_", {"A", "B"}, "x | ~y", [](Word x, Word y, Word) { return x | ~y; }},
        {"$_MUX_", {"A", "B", "S"}, "z ? y : x", [](Word x, Word y, Word z) { return (z & y) | (~z & x); }},
        {"$_NMUX_", {"A", "B", "S"}, "~(z ? y : x)", [](Word x, Word y, Word z) { return ~((z & y) | (~z & x)); }},
        {"$_AOI3_", {"A", "B", "C"}, "~((x & y) | z)", [](Word x, Word y, Word z) { return ~((x & y) | z); }},
        {"$_OAI3_", {"A", "B", "C"}, "~((x | y) & z)", [](Word x, Word y, Word z) { return ~((x | y) & z); }},
    };
    return table;
}

/// What a gate reads: a node, or its negation. Nodes 0 and 1 are the constants, then come the inputs, then the gates.
struct Wire {
    std::size_t node = 0;
    bool negated = false;
};

struct SomeGate {
    const GateKind* kind = nullptr;
    std::array<Wire, 3> in{};
};

struct Gates {
    std::vector<std::pair<std::string, std::size_t>> ports; ///< of the inputs: name and bits, in the order of a vector
    std::vector<SomeGate> gates;                            ///< each reads only nodes before it
    std::vector<std::size_t> outputs;                       ///< nodes; the lowest bit of d first

    std::size_t inputs() const {
        std::size_t sum = 0;
        for (const auto& [name, bits] : ports) sum += bits;
        return sum;
    }
    std::size_t first_gate() const { return 2 + inputs(); }
};

/// @param netlist  JSON of yosys, gates alone
Gates gates_of(const std::string& netlist) {
    const nlohmann::json all = nlohmann::json::parse(netlist), module = all.at("modules").at("discern_unit");
    Gates result;
    std::map<nlohmann::json, std::size_t> nodes = {{"0", 0}, {"1", 1}}; // of what the file calls a net
    for (const char* const name : {"a", "b", "sa", "sb", "c"}) {
        if (!module.at("ports").contains(name)) continue;
        const auto& bits = module["ports"][name].at("bits");
        result.ports.emplace_back(name, bits.size());
        for (const auto& bit : bits) nodes.emplace(bit, nodes.size());
    }
    std::vector<nlohmann::json> left;
    for (const auto& [name, cell] : module.at("cells").items()) left.push_back(cell);
    while (!left.empty()) {
        std::vector<nlohmann::json> later;
        for (const auto& cell : left) {
            const auto& kinds = gate_kinds();
            const auto kind =
                std::find_if(kinds.begin(), kinds.end(), [&](const GateKind& x) { return cell.at("type") == x.cell; });
            if (kind == kinds.end()) throw std::runtime_error("no kind of gate: " + cell.at("type").dump());
            SomeGate gate{&*kind, {}};
            bool ready = true;
            for (std::size_t i = 0; i < kind->pins.size() && ready; ++i) {
                const auto driver = nodes.find(cell.at("connections").at(kind->pins[i]).at(0));
                ready = driver != nodes.end();
                if (ready) gate.in[i].node = driver->second;
            }
            if (!ready) {
                later.push_back(cell);
                continue;
            }
            nodes.emplace(cell["connections"].at("Y").at(0), nodes.size());
            result.gates.push_back(gate);
        }
        if (later.size() == left.size()) throw std::runtime_error("a loop of gates");
        left = std::move(later);
    }
    for (const auto& bit : module["ports"].at("d").at("bits")) result.outputs.push_back(nodes.at(bit));
    return result;
}

/// @param mapped  as synthesis simplifies the gates and chooses among all kinds; otherwise cell by cell, as is
Gates synthesised(const Unit& unit, bool mapped) {
    const Folder folder;
    const std::string design = folder.file("unit.sv", to_systemverilog({unit, "a unit", "a test", false}));
    const std::string netlist = folder.path("gates.json");
    const std::string script = "read_verilog -sv " + design +
                               "; hierarchy -top discern_unit; proc; flatten; opt; techmap; opt; " +
                               (mapped ? "abc -g AND,NAND,OR,NOR,XOR,XNOR,ANDNOT,ORNOT,MUX,NMUX,AOI3,OAI3; " : "") +
                               "opt_clean -purge; write_json " + netlist;
    const ProcessResult result = run_process("yosys -q -p '" + script + "'", "", never);
    if (result.ended != "exit status 0") throw std::runtime_error(result.errors);
    return gates_of(discern::testing::read_file(netlist));
}

std::string verilog_of(const Gates& gates) {
    std::vector<std::string> names = {"1'b0", "1'b1"};
    std::string text = "module unit(";
    for (const auto& [port, bits] : gates.ports) {
        text += "input wire [" + std::to_string(bits - 1) + ":0] " + port + ", ";
        for (std::size_t i = 0; i < bits; ++i) names.push_back(port + "[" + std::to_string(i) + "]");
    }
    text += "output wire [" + std::to_string(gates.outputs.size() - 1) + ":0] d);\n";
    for (const SomeGate& gate : gates.gates) {
        const std::string name = "n" + std::to_string(names.size());
        text += "  wire " + name + " = ";
        for (const char* at = gate.kind->verilog; *at != 0; ++at) {
            const Wire* const wire = *at >= 'x' && *at <= 'z' ? &gate.in[static_cast<std::size_t>(*at - 'x')] : nullptr;
            text += wire == nullptr ? std::string(1, *at) : (wire->negated ? "~" : "") + names[wire->node];
        }
        text += ";\n";
        names.push_back(name);
    }
    for (std::size_t i = 0; i < gates.outputs.size(); ++i)
        text += "  assign d[" + std::to_string(i) + "] = " + names[gates.outputs[i]] + ";\n";
    return text + "endmodule\n";
}

/// d for 64 vectors at once, a word a bit.
/// @param inputs  a word an input
void simulate(const Gates& gates, const std::vector<Word>& inputs, std::vector<Word>& values, std::vector<Word>& d) {
    values.assign({0, ~Word{0}});
    values.insert(values.end(), inputs.begin(), inputs.end());
    for (const SomeGate& gate : gates.gates) {
        std::array<Word, 3> in{};
        for (std::size_t i = 0; i < gate.kind->pins.size(); ++i)
            in[i] = values[gate.in[i].node] ^ (gate.in[i].negated ? ~Word{0} : 0);
        values.push_back(gate.kind->value(in[0], in[1], in[2]));
    }
    d.clear();
    for (const std::size_t node : gates.outputs) d.push_back(values[node]);
}

/// The words of vectors first … first + 63, of which bit i is input i.
std::vector<Word> words_of(std::size_t inputs, Word first) {
    constexpr std::array<Word, 6> within = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                            0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};
    std::vector<Word> words;
    for (std::size_t i = 0; i < inputs; ++i)
        words.push_back(i < within.size() ? within[i] : ((first >> i) & 1u) != 0 ? ~Word{0} : 0);
    return words;
}

/// A vector as a number.
Word number_of(const Unit& unit, const Vector& vector) {
    Word number = 0;
    int at = 0;
    const auto add = [&](std::span<const Word> patterns, FormatId id) {
        for (const Word pattern : patterns) {
            number |= pattern << at;
            at += format(id).width;
        }
    };
    add(vector.a, unit.a);
    add(vector.b, unit.b);
    if (unit.scale) add(vector.sa, unit.scale->format);
    if (unit.scale) add(vector.sb, unit.scale->format);
    if (unit.c) add(std::span(&*vector.c, 1), *unit.c);
    return number;
}

Vector vector_of_number(const Unit& unit, Word number) {
    Vector vector;
    const auto take = [&](FormatId id) {
        const Word pattern = number & format(id).mask();
        number >>= format(id).width;
        return pattern;
    };
    for (int k = 0; k < unit.K; ++k) vector.a.push_back(take(unit.a));
    for (int k = 0; k < unit.K; ++k) vector.b.push_back(take(unit.b));
    for (int i = 0; unit.scale && i < unit.scales(); ++i) vector.sa.push_back(take(unit.scale->format));
    for (int i = 0; unit.scale && i < unit.scales(); ++i) vector.sb.push_back(take(unit.scale->format));
    if (unit.c) vector.c = take(*unit.c);
    return vector;
}

/// What a unit gives for all inputs, by its executable model.
class AllResults {
  public:
    AllResults(const Unit& unit, const Gates& gates) : unit_(unit), inputs_(gates.inputs()) {
        const Evaluator model(unit);
        for (Word first = 0; first < Word{1} << inputs_; first += 64) {
            std::vector<Word> d(gates.outputs.size());
            for (Word v = 0; v < 64; ++v) {
                const Word result = model(vector_of_number(unit, first + v).inputs());
                for (std::size_t i = 0; i < d.size(); ++i) d[i] |= ((result >> i) & 1u) << v;
            }
            words_.insert(words_.end(), d.begin(), d.end());
        }
    }

    /// The first inputs for which the gates give something else; nothing if there are none.
    std::optional<Vector> difference(const Gates& gates) const {
        std::vector<Word> values, d;
        const Word* expected = words_.data();
        for (Word first = 0; first < Word{1} << inputs_; first += 64, expected += d.size()) {
            simulate(gates, words_of(inputs_, first), values, d);
            Word differ = 0;
            for (std::size_t i = 0; i < d.size(); ++i) differ |= d[i] ^ expected[i];
            for (Word v = 0; differ != 0 && v < 64; ++v) {
                if (((differ >> v) & 1u) == 0) continue;
                Word one = 0, other = 0;
                for (std::size_t i = 0; i < d.size(); ++i) {
                    one |= ((expected[i] >> v) & 1u) << i;
                    other |= ((d[i] >> v) & 1u) << i;
                }
                if (!same_result(unit_, one, other)) return vector_of_number(unit_, first + v);
            }
        }
        return std::nullopt;
    }

  private:
    const Unit& unit_;
    std::size_t inputs_;
    std::vector<Word> words_;
};

Word result_of(const Gates& gates, const Unit& unit, const Vector& vector) {
    const Word number = number_of(unit, vector);
    std::vector<Word> inputs, values, d;
    for (std::size_t i = 0; i < gates.inputs(); ++i) inputs.push_back((number >> i) & 1u);
    simulate(gates, inputs, values, d);
    Word result = 0;
    for (std::size_t i = 0; i < d.size(); ++i) result |= (d[i] & 1u) << i;
    return result;
}

std::size_t below(Random& random, std::size_t end) {
    return static_cast<std::size_t>(random.below(static_cast<int>(end)));
}

/// One gate changed.
/// @param what  gets what was changed, in words
Gates mutant(Gates gates, std::uint64_t seed, std::string& what) {
    Random random(seed);
    const std::size_t which = below(random, gates.gates.size());
    SomeGate& gate = gates.gates[which];
    const std::size_t node = gates.first_gate() + which, inputs = gate.kind->pins.size();
    const std::size_t place = below(random, inputs);
    Wire& wire = gate.in[place];
    const std::string name = "n" + std::to_string(node), input = gate.kind->pins[place];
    switch (seed % 5) {
    case 0: {
        std::vector<const GateKind*> others;
        for (const GateKind& kind : gate_kinds())
            if (kind.pins.size() == inputs && &kind != gate.kind) others.push_back(&kind);
        const GateKind& other = *others[below(random, others.size())];
        what = name + ": " + gate.kind->cell + " is " + other.cell;
        gate.kind = &other;
        break;
    }
    case 1: {
        const std::size_t other = 2 + below(random, node - 2);
        what = name + ": " + input + " is node " + std::to_string(other) + ", not " + std::to_string(wire.node);
        wire.node = other;
        break;
    }
    case 2:
        what = name + ": " + input + " is negated";
        wire.negated = true;
        break;
    case 3:
        wire.node = below(random, 2);
        what = name + ": " + input + " is " + std::to_string(wire.node);
        break;
    default: {
        const std::size_t value = below(random, 2);
        what = name + " is " + std::to_string(value);
        gate = {gate_kinds().data(), {Wire{value, false}}};
    }
    }
    return gates;
}

struct Export {
    const char* name;
    const char* unit;
    bool mapped;
    int first; ///< mutant, by its number, which is a seed too
};
std::ostream& operator<<(std::ostream& out, const Export& e) { return out << e.name; }

/// Of 22 or 24 bits of inputs.
const Export exports[] = {
    {"truncated", "e2m1*e2m1+e4m3->e4m3 K=2 nan=7f : round[e4m3 rz zsign=pos](fuse[F=3 rz](p*, c))", true, 0},
    {"chain", "e2m1*e2m1+e4m3->e4m3 K=2 L=1 nan=7f : round[e4m3 rne](fuse[F=2 rz sticky](p*, c))", false, 1000},
    {"fma", "e4m3*e4m3+e4m3->e4m3 K=1 nan=any : round[e4m3 rne](fuse[exact](p*, c))", true, 2000},
    {"fixed", "e2m1*e2m1+fix6.2->fix6.2 K=2 : round[fix6.2 rne](fuse[exact](p*, c))", false, 3000},
    {"scales", "fix2.0*fix2.0->e5m2 K=2 scale=ue4m3/2 nan=7f : round[e5m2 rne](fuse[F=4 rz](p*))", true, 4000},
};

class Mutants : public ::testing::TestWithParam<Export> {
  protected:
    void SetUp() override {
        if (!has("yosys") || !has("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
        if (!tests::sweeping() && std::string(GetParam().name) != "fixed")
            GTEST_SKIP() << "all inputs of five units: only in a sweep";
    }
};

TEST_P(Mutants, AreRefutedOrTheSame) {
    const auto began = std::chrono::steady_clock::now();
    const Unit unit = parse_unit(GetParam().unit);
    const Gates gates = synthesised(unit, GetParam().mapped);
    const AllResults all(unit, gates);
    ASSERT_FALSE(all.difference(gates)) << "the gates that synthesis makes are not the unit";
    int same = 0, different = 0;
    double asked = 0;
    for (int i = 0; i < tests::sweep(2); ++i) {
        const int seed = GetParam().first + i;
        std::string what;
        const Gates changed = mutant(gates, static_cast<std::uint64_t>(seed), what);
        const MadeDesign design(verilog_of(changed));
        const Answer answer = design.answer(unit, {}, 300);
        asked += answer.seconds;
        what = std::string(GetParam().name) + ", mutant " + std::to_string(seed) + ": " + what;
        const std::optional<Vector> difference = all.difference(changed);
        if (difference) {
            ++different;
            ASSERT_EQ(answer.verdict, Verdict::different)
                << what << " differs on " << to_json(shape_of(unit), *difference);
            const Vector& witness = answer.witnesses.front();
            EXPECT_EQ(witness.d.at(0), evaluate_exactly(unit, witness.inputs())) << what;
            EXPECT_EQ(witness.d.at(1), result_of(changed, unit, witness)) << what;
            EXPECT_FALSE(same_result(unit, witness.d.at(0), witness.d.at(1))) << what;
            what += ", different for " + to_json(shape_of(unit), witness);
        } else {
            ++same;
            ASSERT_EQ(answer.verdict, Verdict::equivalent) << what << " is the unit for all inputs";
            what += ", the same";
        }
        std::cout << what << ", by " << answer.by << "\n";
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    std::cout << GetParam().name << ": " << gates.gates.size() << " gates, " << gates.inputs() << " inputs; "
              << different << " mutants different, " << same << " the same; " << seconds << " s, of which " << asked
              << " s for the answers\n";
}

INSTANTIATE_TEST_SUITE_P(Exports, Mutants, ::testing::ValuesIn(exports),
                         [](const auto& info) { return std::string(info.param.name); });

} // namespace
} // namespace discern::rtl::testing
