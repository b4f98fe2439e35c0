// The term of a space, with its parameters set to those of a member, gives what the member gives.
//
// Identification and comparison ask one question about many units at once, so each parameter of the notation is held
// here against the models as a choice: with the values at which it does something, with every other parameter, and in
// random trees.
#include "space_circuit.hpp"
#include "written_units.hpp"

#include "models/differential.hpp"
#include "models/random_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

namespace discern::space_test {
namespace {

using namespace tests;
using namespace parametric;

/// The first vector on which the term of the space is not what a member gives.
std::optional<std::string> space_difference(const std::vector<Unit>& units, std::uint64_t seed, int vectors) {
    const auto family = family_of(units);
    if (!family) return "no units of one form";
    SpaceCircuit circuit(*family);
    Random random(seed);
    for (std::size_t i = 0; i < units.size(); ++i) {
        const Evaluator model(units[i]);
        const InputBits bits(units[i]);
        InputBuffer x;
        const auto check = [&]() -> std::optional<std::string> {
            const std::uint64_t expected = model(x.inputs());
            const auto found = circuit(i, x.inputs());
            if (!found) return "not a member: " + to_string(units[i]);
            if (same_result(units[i], *found, expected)) return std::nullopt;
            return describe(units[i], x, *found, expected);
        };
        for (int n = 0; n < 3; ++n) { // zeros, zeros of any sign, anything
            if (n == 0) bits.at(0, x);
            if (n == 1) bits.zeros(random, x);
            if (n == 2) bits.edges(random, x);
            const std::uint64_t expected = model(x.inputs()), found = circuit.of_constants(i, x.inputs());
            if (!same_result(units[i], found, expected)) return "constants: " + describe(units[i], x, found, expected);
        }
        for (const discern::Family kind : families) {
            InputGenerator generator(units[i], kind, seed);
            for (int n = 0; n < vectors; ++n) {
                generator.next(x);
                if (auto wrong = check()) return wrong;
            }
        }
        for (int n = 0; n < vectors; ++n) {
            bits.edges(random, x);
            if (auto wrong = check()) return wrong;
        }
    }
    return std::nullopt;
}

struct Choices {
    const char* name;
    const char* text;
};
std::ostream& operator<<(std::ostream& out, const Choices& choices) { return out << choices.name; }

// Small formats on purpose: their numbers meet the floors, limits and ulps far more often.
// clang-format off
const Choices spaces[] = {
    {"F", "e4m3*e4m3+f16->f32 K=2 : round[f32 rne](fuse[F={0|3|12|25|39|40|exact}](p*, c))"},
    {"FAndModes", "e4m3*e4m3+f16->f16 K=2 : round[f16 rz](fuse[F={1|4|11|exact} {rz|rd|ru|rne|rna|odd|ra|rnu|rnd|rnz|rno}](p*, c))"},
    {"FOfEach", "e4m3*e4m3+f32->f32 K=2 : round[f32 rz](fuse(p*@[F={3|7|exact} rne], c@[F={2|9|30|exact} {rz|ru}]))"},
    {"FIntoF32", "f16*f16+f32->f32 K=2 : round[f32 {rz|rne}](fuse[F={22|23|24|25|26} floor={none|-133|-126}](p*, c))"},
    {"Mode", "e4m3*e4m3+f16->e4m3 K=2 : round[e4m3 {rz|rd|ru|rne|rna|odd|ra|rnu|rnd|rnz|rno} overflow={inf|max|ieee}](fuse[F=9 {rz|rd|rna}](p*, c))"},
    {"Zero", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse(p*@[F={3|6} zero={ignore|emin|-3|4}], c@[F={3|6} zero={ignore|emin|0}]))"},
    {"Floor", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F={3|8} rne floor={none|-20|-5|0|9}](p*, c))"},
    {"FloorOfInner", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F=9](fuse[F={3|8} floor={none|-20|-5|0|9} zero={ignore|emin}](p*), c))"},
    {"Drop", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse(p*@[F={5|20|60}], c@[F=9 drop={none|0|3|10}]))"},
    {"Carry", "e4m3*e4m3+f16->f16 K=4 : round[f16 rne](fuse[F={4|9} {rz|ru} carry={none|0|1|2|5}](p*, c))"},
    {"CarryOrExact", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F={4|exact} carry={none|0|1}](p*, c))"},
    {"CarryOrExactLong", "e4m3*e4m3+f32->f32 K=2 : round[f32 rne](fuse[F={4|exact} carry={none|0|1}](p*, c))"},
    {"Sticky", "e4m3*e4m3+f16->f16 K=2 : round[f16 {rne|rd}](fuse[F={0|4|9|12} {rz|rne} sticky={no|yes}](p*, c))"},
    {"StickyDrop", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F={4|9} sticky={no|yes}](p*, c@[rz drop={none|2|7}]))"},
    {"StickyApart", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[rz sticky={no|yes}](p*@[F={3|6|40}], c@[F={4|6|9}]))"},
    {"StickyOrCarryOrExact", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F={4|9|exact} sticky={no|yes} carry={none|1}](p*, c))"},
    {"Plus", "e4m3*e4m3+f16->f16 K=2 : round[f16 {rne|rd}](fuse[F=2 floor={none|-4}](fuse[F={4|9|exact} plus={no|yes}](p*), c))"},
    {"PlusOfExactSums", "e4m3*e4m3+f16->f16 K=2 : round[f16 {rne|rd}](fuse[exact plus={no|yes}](fuse[exact plus={no|yes}](p*), c))"},
    {"Frame", "e4m3*e4m3+f16->f16 K=2 : round[f16 {rne|rd}](fuse[F={4|9} {rz|rne} frame={none|c|c_or_plus|nonzero_c}](p*, c))"},
    {"FrameOpposed", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F={4|9|12} frame=c opposed={all|nonzero|kept}](p*[ftz], c))"},
    {"FrameZero", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[frame={none|c}](p*@[F={3|6} zero={ignore|emin|-3}], c@[F={3|6} zero={ignore|emin}]))"},
    {"Step", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F={3|8} step={none|2|8} floor={none|-5}](p*, c))"},
    {"Less", "e4m3*e4m3+f16->f16 K=2 : round[f16 {rne|rd}](fuse[F={3|8} zero={ignore|emin|2}](p*, c@[less={0|1|4} drop={none|3}]))"},
    {"LessOfInner", "e4m3*e4m3+f16->f16 K=2 : round[f16 rz](fuse[F={6|9}](fuse[exact](p0)@[less={0|1|3}], fuse[F=5](p1)@[less={0|2}], c))"},
    {"LessOfExactInner", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F=2](fuse[exact](round[f16 rne](p0)@[less={4|20|57}], p1@[less=9])@[F={2|6}], c))"},
    {"LessFrame", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F={4|9} frame={none|c}](p*@[less={0|1}], c@[less={0|2}]))"},
    {"StepPhase", "e4m3*e4m3+f16->f16 K=2 : round[f16 rz](fuse[F=8 step=4 phase={0|1|2|3}](p*, c@[drop={none|3}]))"},
    {"StepOfInner", "e4m3*e4m3+f16->f16 K=2 : round[f16 rz](fuse[F={6|exact}](fuse[F=5 step={none|4} phase={0}](p*), c))"},
    {"SpecialOperands", "e5m2*e4m3+f16->f16 K=2 : round[f16 rz](fuse[F=8 zero={ignore|emin}](p*[infnan={no|yes} nanzero={no|yes} infzero={no|yes}], c))"},
    {"Normalisation", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F={3|7|exact}](p*[{|carry|full}], c))"},
    {"NormalisationOfScaled", "e2m1*e2m1+f32->f32 K=2 scale=ue4m3/1 : round[f32 rz](fuse[F={4|40} carry={none|0|1}](p*[{carry|full}], c))"},
    {"Limit", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F=9](p*[limit={none|3|9|17|18}{:counts|}], c))"},
    {"OperandFlush", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F=9 zero={ignore|emin}](p*[{|ftz|ftz=pos}], c[as={f16|f32}]))"},
    {"OperandsAs", "e4m3*e3m2+f16->f16 K=2 : round[f16 rne](fuse[F={4|9|40} zero={ignore|emin}](p*[{|as=f16|as=e5m3|as=f32}{|carry|full}], c))"},
    {"FlushedOperandsAs", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F=9 zero={ignore|emin}](p*[{|as=f16}{| ftz}{| nanzero}], c))"},
    {"ScaledOperandsAs", "e2m1*e3m2+f32->f32 K=2 scale=ue4m3/1 : round[f32 rz](fuse[F={4|12}](p*[{|as=f16|as=e3m2}{|carry|limit=3}], c))"},
    {"AccumulatorFlush", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F={9|30} zero={ignore|emin}](p*, c[{|ftz|ftz=pos}]))"},
    {"As", "e4m3*e4m3+e4m3->f16 K=2 L=1 : round[f16 rne](fuse[F={4|9|60} zero={ignore|emin}](p*, c[{|as=f32|as=f16}]))"},
    {"AsOfFixedPoint", "fix2.2*fix2.2+fix2.1->f32 K=1 : round[f32 rne](fuse(p*@[F={0|1|2}], c[{|as=e2m3fnuz|as=f16}]@[F={0|1|exact}]))"},
    {"Format", "f16*f16+f32->f32 K=2 : round[{f32|tf32|e8m13} {rz|rne}](fuse[F={13|24}](p*, c))"},
    {"FormatOfInner", "f16*f16+f32->f32 K=2 : round[f32 rz](fuse[F=24](round[{f32|tf32|e8m13} rz](fuse[F={13|24}](p*)), c))"},
    {"Overflow", "e5m2*e5m2+e5m2->e5m2 K=2 L=1 : round[e5m2 {rz|rd|rne} overflow={inf|max|ieee}](fuse[F={2|6|exact}](p*, c))"},
    {"ResultFlush", "e4m3*e4m3+e4m3->e4m3 K=2 : round[e4m3 {rz|rne} ftz={result|after|before|result:pos|after:pos|before:pos}](fuse[F={7|12} floor={none|0}](p*, c))"},
    {"Signs", "e4m3*e4m3+e4m3->e4m3 K=2 : round[e4m3 {rne|rd} zsign={pos|ieee} usign={pos|keep}](fuse[F={7|12} floor={none|0}](p*, c))"},
    {"Groups", "e2m1*e2m1+f32->f32 K=4 scale=ue4m3/2 : round[f32 {rz|rne}](fuse[F={4|20|exact} zero={ignore|emin} floor={none|-9}](g*[G=2], c))"},
    {"SumsOfSums", "f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F={20|24|exact}](fuse[F={8|24} zero={ignore|emin}](p(0::2)), fuse[F=24 {rz|rne}](p(1::2)), c@[F={24|30}]))"},
    {"Chain", "e4m3*e4m3+f16->f16 K=4 L=2 : round[f16 {rne|rz} overflow={inf|max}](fuse[F={4|20|40|exact}](p*, c))"},
    {"StickyOrExactLong", "e4m3*e4m3+f32->f32 K=2 : round[f32 odd](fuse[rz sticky={no|yes}](p*@[F={4|19|exact} rd], c@[F={13|exact}]))"},
    {"EmptyGroups", "e2m1*e2m1+f16->f16 K=4 scale=ue4m3/2 : round[f16 rz](fuse[F={3|9} floor={none|-9}](g*[G=2 empty={ignore|emin|-3|2}]@[zero={emin|ignore}], c))"},
    {"InnerPrecision", "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](round[{e8m4|e8m7|e8m12|e8m31} {rd|rne} overflow=inf](fuse[F={9|32} rd](p*, c)))"},
    {"FlushOfZeros", "e4m3*e4m3+f16->f16 K=2 : round[f16 {rne|rd}](fuse[F=9 zero={ignore|emin}](p*[{|ftz|ftz=pos|ftz=plus}], c[{|ftz=plus}]))"},
    {"LastAddition", "e4m3*e4m3+f16->f16 K=2 c=last : round[f16 {rne|rd} zsign={pos|ieee}](fuse[F={3|9|exact}](p*, c))"},
};
// clang-format on

/// `none` in an attribute is written by leaving the attribute out.
std::string without_none(std::string text) {
    for (const char* word : {" floor=none", " drop=none", " carry=none", "limit=none:counts", "limit=none",
                             " sticky=no", " plus=no", " frame=none", " opposed=all", " step=none", " phase=0",
                             " less=0", "less=0 ", "@[less=0]", "infnan=no", "nanzero=no", "infzero=no"})
        text = with(text, word, "");
    for (const char* flag : {"sticky", "plus", "infnan", "nanzero", "infzero"})
        text = with(text, std::string(flag) + "=yes", flag);
    return with(text, "F=exact", "exact");
}

std::vector<Unit> members_of(const std::string& choices) {
    std::vector<Unit> units;
    for (const std::string& text : written_out(choices))
        for (Unit& unit : units_of(without_none(text)))
            if (std::find(units.begin(), units.end(), unit) == units.end()) units.push_back(std::move(unit));
    return units;
}

class Spaces : public testing::TestWithParam<Choices> {};

TEST_P(Spaces, GiveWhatTheirMembersGive) {
    const std::vector<Unit> units = members_of(GetParam().text);
    ASSERT_GT(units.size(), 2u);
    const auto difference = space_difference(units, 1, std::max(sweep(0), 600 / static_cast<int>(units.size())));
    EXPECT_FALSE(difference) << *difference;
}

std::string name_of(const testing::TestParamInfo<Choices>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Encode, Spaces, testing::ValuesIn(spaces), name_of);

/// The smallest number of fixed point times itself is 4 units: it has a carry, and is no less than 2 after it.
TEST(Spaces, ProductsOfFixedPointAreNormalisedOnAllInputs) {
    for (const char* const text :
         {"fix3.1*fix3.1->f16 K=2 : round[f16 rz](fuse[F={4|9} carry={none|0|1}](p*[{carry|full}]))",
          "fix3.3*fix3.3->f16 K=2 : round[f16 rz](fuse[F={3|5|9} carry={none|0|1}](p*[{|carry|full}]))"}) {
        const std::vector<Unit> units = members_of(text);
        ASSERT_GT(units.size(), 2u);
        const auto family = family_of(units);
        ASSERT_TRUE(family);
        SpaceCircuit circuit(*family);
        for (std::size_t i = 0; i < units.size(); ++i) {
            const Evaluator model(units[i]);
            for (std::uint64_t bits = 0; bits < 1u << 12; ++bits) {
                const InputBuffer x{{bits & 7, bits >> 3 & 7}, {bits >> 6 & 7, bits >> 9}, {}, {}, 0};
                const auto found = circuit(i, x.inputs());
                ASSERT_TRUE(found);
                ASSERT_EQ(*found, model(x.inputs())) << describe(units[i], x, *found, model(x.inputs()));
            }
        }
    }
}

/// The parts of a tree that have parameters.
void collect(Node& node, std::vector<Owner>& owners) {
    if (auto* p = std::get_if<Product>(&node.kind)) owners.emplace_back(p);
    if (auto* c = std::get_if<Accumulator>(&node.kind)) owners.emplace_back(c);
    if (auto* g = std::get_if<Group>(&node.kind)) owners.emplace_back(g);
    if (auto* f = std::get_if<Fuse>(&node.kind)) {
        owners.emplace_back(f);
        for (Child& child : f->children) {
            owners.emplace_back(&child);
            collect(child.get(), owners);
        }
    }
    if (auto* r = std::get_if<Round>(&node.kind)) {
        owners.emplace_back(r);
        collect(r->get(), owners);
    }
}

/// A value that the parameter can have; numbers near those of small formats.
int random_value(const Parameter& p, Random& random) {
    const Values& values = values_of(p.meaning);
    if (p.meaning == Meaning::format || p.meaning == Meaning::optional_format) {
        static constexpr FormatId wide[] = {FormatId::f32, FormatId::tf32, FormatId::e8m13};
        if (p.meaning == Meaning::optional_format && random.one_in(3)) return none;
        return static_cast<int>(wide[random.below(3)]);
    }
    const auto words = p.words();
    if (!words.empty() && (!values.numbers || random.one_in(3)))
        return words[static_cast<std::size_t>(random.below(static_cast<int>(words.size())))].value;
    return std::clamp(random.between(-30, 30), values.low, values.high);
}

/// Formats of one rounding must have patterns in common: those of f32 have.
bool may_become(const Parameter& p, const Owner& part) {
    return p.meaning != Meaning::format ||
           holds(format(FormatId::f32), format(static_cast<FormatId>(p.get(std::get<Round*>(part)))));
}

/// Members of a random tree in which some parts have several values of the parameters `first` and `second`.
std::vector<Unit> random_members(const Parameter& first, const Parameter& second, UnitGenerator& trees,
                                 Random& random) {
    for (;;) {
        Unit unit = trees.next();
        std::vector<Owner> owners;
        collect(unit.tree, owners);
        std::vector<Unit> members = {unit};
        for (const Parameter* p : {&first, &second}) {
            std::vector<std::size_t> at;
            for (std::size_t i = 0; i < owners.size(); ++i)
                if (owners[i].index() == static_cast<std::size_t>(p->owner)) at.push_back(i);
            if (at.empty()) break;
            const std::size_t one = at[static_cast<std::size_t>(random.below(static_cast<int>(at.size())))];
            const bool everywhere = random.one_in(2);
            for (const Unit& member : std::vector(members)) {
                for (int n = 0; n < 3; ++n) {
                    Unit other = member;
                    std::vector<Owner> parts;
                    collect(other.tree, parts);
                    const int value = random_value(*p, random);
                    for (const std::size_t i : at)
                        if ((everywhere || i == one) && may_become(*p, parts[i])) p->set(parts[i], value);
                    for (const Owner& part : parts) clear_unused(part);
                    try {
                        validate(other);
                    } catch (const Error&) {
                        continue;
                    }
                    if (std::find(members.begin(), members.end(), other) == members.end()) members.push_back(other);
                }
            }
        }
        if (members.size() > 2) return members;
    }
}

TEST(EncodeSpaces, GiveWhatTheirMembersGiveForEveryPairOfParameters) {
    UnitGenerator trees(1, true);
    Random random(1);
    int failures = 0;
    std::size_t pair = 0;
    for (const Parameter& first : parameters()) {
        for (const Parameter& second : parameters()) {
            if (&second < &first || failures > 4 || !takes_part(pair++, 2)) continue;
            if (first.word == "scaled" || second.word == "scaled") continue; // members of a space agree in it
            const std::vector<Unit> units = random_members(first, second, trees, random);
            const auto difference = space_difference(units, 1, sweep(slowness > 1 ? 1 : 3));
            EXPECT_FALSE(difference) << first.word << " (" << first.key << ") and " << second.word << " (" << second.key
                                     << "): " << *difference;
            failures += difference ? 1 : 0;
        }
    }
}

} // namespace
} // namespace discern::space_test
