// A certificate numbers gates, and so the calls that make them have an order: the same one whatever compiles them. What
// the numbers here say is that a checker built with one compiler makes the gate lists that another's prover made, and
// that certificates stay valid. (Another unit in the catalogue makes another number of it.)
#include "certificate/aiger.hpp"
#include "certificate/miter.hpp"

#include "models/catalogue.hpp"
#include "models/format.hpp"
#include "models/notation.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <string_view>

namespace discern::tests {
namespace {

using namespace certificate;

/// FNV-1a, 64 bits.
class Digest {
  public:
    void add(std::uint64_t number) {
        for (int i = 0; i < 8; ++i) add_byte(static_cast<unsigned char>(number >> (8 * i)));
    }
    void add(std::string_view text) {
        for (const char letter : text) add_byte(static_cast<unsigned char>(letter));
    }
    std::uint64_t value() const { return hash_; }

  private:
    void add_byte(unsigned char byte) { hash_ = (hash_ ^ byte) * 0x100000001b3ull; }
    std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

void add(Digest& digest, const Netlist& netlist) {
    for (const Netlist::Node& node : netlist.nodes()) {
        digest.add(static_cast<std::uint64_t>(node.gate));
        for (std::size_t k = 0; k < inputs_of(node.gate); ++k) digest.add(node.in[k]);
    }
}

/// The list as it is made, unused gates and all.
void add_circuit(Digest& digest, const Unit& unit) {
    Netlist n(input_bits(unit));
    const Bits d = reference_circuit(n, unit, operands(n, unit));
    add(digest, n);
    for (const Literal bit : d) digest.add(bit);
}

TEST(GateOrder, OfCatalogueUnits) {
    Digest digest;
    std::set<std::uint64_t> seen;
    for (const CatalogueEntry& entry : catalogue())
        if (entry.unit.K <= 16 && seen.insert(arithmetic_hash(entry.unit)).second) add_circuit(digest, entry.unit);
    EXPECT_GT(seen.size(), 40u);
    EXPECT_EQ(digest.value(), 8764005983361257364u);
}

/// Trees that once were drawn at random, of which each parameter has several values.
TEST(GateOrder, OfRandomTrees) {
    Digest digest;
    std::ifstream lines(DISCERN_TEST_DATA "/random_units.txt");
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) add_circuit(digest, parse_unit(line));
    EXPECT_EQ(count, 150);
    EXPECT_EQ(digest.value(), 13338025285039919316u);
}

/// Comparison, limits of every kind and operand, and the file for others' programs.
TEST(GateOrder, OfComparisonsWithinLimits) {
    Digest digest;
    for (const char* text : {"e2m1ieee*tf32+e5m2->f16 K=2 scale=ue4m3/1 nan=any : round[f16 rne](fuse[F=4](p*, c))",
                             "e4m3*e5m2fnuz+f16->e4m3 K=1 nan=any : round[e4m3 rz](fuse[F=4 carry=2](p*, c))",
                             "fix8.6*fix4.2+f16->fix16.8 K=1 : round[fix16.8 rne](fuse[exact](p*, c))"}) {
        const Unit unit = parse_unit(text);
        for (const bool shared : {false, true}) {
            Limits limits;
            const auto add_miter = [&] {
                const Miter miter = make_miter({unit, unit, unit}, limits, shared);
                add(digest, miter.netlist);
                digest.add(to_aiger(miter, unit));
            };
            add_miter();
            for (const Row& row : rows(unit)) limits.ranges.push_back({row.name, -2, 3});
            add_miter();
            for (const Row& row : rows(unit)) limits.numbers.push_back({row.name, 0, 3});
            limits.finite = limits.no_subnormals = true;
            add_miter();
        }
    }
    EXPECT_EQ(digest.value(), 10080248839670115871u);
}

} // namespace
} // namespace discern::tests
