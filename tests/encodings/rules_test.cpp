// What the encoder leaves out because the ranges of numbers say so: every rule at the number where it must stop.
//
// Two units of a rule are one term at its threshold and two terms one step beyond. There, and one step to the other
// side, the terms give what the models give: on all inputs where those are few. At real widths a solver says that the
// term of the unit is that of a space in which the number is a choice, so that no rule about it applies.
#include "written_units.hpp"

#include "models/differential.hpp"
#include "models/parametric/family.hpp"

#include "solver/backend/backend.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <set>

namespace discern {
namespace {

using namespace tests;

/// # stands for the number, M for a rounding mode: the same one everywhere, each of the six in turn.
struct Rule {
    const char* name;
    const char* one;
    const char* other;
    int same;
    int beyond;
    /// Whether the units really differ one step beyond, so that the rule must stop there; else it might go on.
    bool sharp = true;
    /// Where the mode decides how far the rule goes, those for which it goes so far.
    std::vector<std::string_view> modes = {rounding_names.begin(), rounding_names.end()};

    Unit unit(const char* text, int number, std::string_view mode) const {
        return parse_unit(with(with(text, "#", std::to_string(number)), "M", mode));
    }
    std::vector<std::string_view> modes_that_matter() const {
        const bool named = (std::string(one) + other).find('M') != std::string::npos;
        return named ? modes : std::vector<std::string_view>{"rz"};
    }
};
std::ostream& operator<<(std::ostream& out, const Rule& rule) { return out << rule.name; }

// Modes that go up where rz does not; those in which something else than zero is rounded to zero.
const std::vector<std::string_view> up_modes = {"rne", "rna", "ru", "rd", "odd"};
const std::vector<std::string_view> directed = {"rz", "rd", "ru"}, not_directed = {"rne", "rna", "odd"};
const std::vector<std::string_view> not_odd = {"rz", "rne", "rna", "ru", "rd"};
const std::vector<std::string_view> to_zero_modes = {"rne", "rz", "ru", "rd"};

// clang-format off
const std::vector<Rule> rules = {
    // ---------------------------------------------------------------------------- summands that are never truncated
    {"NeverCut", "e2m1*e2m1+e2m3->e4m3 K=1 : round[e4m3 M](fuse[F=# M](p*, c))",
                 "e2m1*e2m1+e2m3->e4m3 K=1 : round[e4m3 M](fuse[exact](p*, c))", 7, 6, true, {"rz", "rne", "rna"}},
    {"NeverCutProducts", "e2m1*e2m1->e4m3 K=2 : round[e4m3 rz](fuse[F=# M](p*))",
                         "e2m1*e2m1->e4m3 K=2 : round[e4m3 rz](fuse[exact](p*))", 6, 5, true, {"rne"}},
    {"NeverCutFromZero", "e2m1*e2m1->e4m3 K=2 : round[e4m3 rz](fuse[F=# M](p*, c))",
                         "e2m1*e2m1->e4m3 K=2 : round[e4m3 rz](fuse[exact](p*, c))", 6, 5, true, {"rne"}},
    {"NeverCutOwn", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rz](fuse(p*@[F=3 rz], c@[F=# M]))",
                    "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rz](fuse(p*@[F=3 rz], c@[F=9 rz]))", 5, 4},
    {"NeverCutOwnExact", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rz](fuse(p*@[F=3 M], c@[F=# rz]))",
                         "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rz](fuse(p*@[F=3 M], c@[exact]))", 5, 4},
    {"ModeOfNeverCut", "e2m1*e2m1+e2m3->e4m3 K=1 : round[e4m3 rne](fuse[F=# M](p*, c))",
                       "e2m1*e2m1+e2m3->e4m3 K=1 : round[e4m3 rne](fuse[F=# rz](p*, c))", 7, 6, true, up_modes},
    {"Sticky", "e2m1*e2m1+e2m3->e4m3 K=1 : round[e4m3 M](fuse[F=# sticky](p*, c))",
               "e2m1*e2m1+e2m3->e4m3 K=1 : round[e4m3 M](fuse[F=#](p*, c))", 7, 6},
    {"SumOfSums", "e2m1*e2m1+e2m3->e4m3 K=1 : round[e4m3 M](fuse[exact](fuse[F=# M](p*, c)))",
                  "e2m1*e2m1+e2m3->e4m3 K=1 : round[e4m3 M](fuse[exact](p*, c))", 7, 6},
    // ---------------------------------------------------------------------------------- exponents without effect
    {"Floor", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=3 M floor=#](p*, c))",
              "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=3 M](p*, c))", 1, 2},
    {"ZeroConstant", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=2 M zero=#](p*, c))",
                     "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=2 M](p*, c))", 0, 1},
    {"ZeroConstantOfProducts", "e2m1*e2m1->e4m3 K=2 : round[e4m3 rz](fuse[F=3 M zero=#](p*))",
                               "e2m1*e2m1->e4m3 K=2 : round[e4m3 rz](fuse[F=3 M](p*))", 1, 2, true, {"rne"}},
    {"ZeroOwn", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=# M zero=emin](p*, c))",
                "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=# M zero=ignore](p*, c))", 3, 2},
    {"ZeroBeside", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse(p*@[F=3 M], c@[F=1 M zero=#]))",
                   "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse(p*@[F=3 M], c@[F=1 M]))", 1, 2},
    {"ZeroBesideDrop", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse(p*@[F=8 drop=1], c@[F=1 M zero=#]))",
                       "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse(p*@[F=8 drop=1], c@[F=1 M]))", 1, 2},
    {"EmptyBelowFloor", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=1 M floor=2](g*[G=1 empty=#]@[zero=emin], c))",
                        "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=1 M floor=2](g*[G=1 empty=ignore]@[zero=emin], c))", 2, 3},
    {"EmptyBesideZero", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=1 M](g*[G=1 empty=#]@[zero=emin], c@[zero=2]))",
                        "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=1 M](g*[G=1 empty=ignore]@[zero=emin], c@[zero=2]))", 0, 1},
    {"EmptyWithLess", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=1 M floor=2](g*[G=1 empty=#]@[zero=emin less=1], c))",
                      "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=1 M floor=2](g*[G=1 empty=ignore]@[zero=emin less=1], c))", 3, 4},
    {"ProductCarry", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=# M](p*[carry], c))",
                     "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[exact](p*, c))", 6, 5, true, {"rz", "rne", "rna"}},
    {"ProductFull", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=# M](p*[full], c))",
                    "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[exact](p*, c))", 6, 5, true, {"rz", "rne", "rna"}},
    {"As", "e2m1*e2m1+e3m2->e4m3 K=1 : round[e4m3 M](fuse[F=# M](p*, c[as=f16]))",
           "e2m1*e2m1+e3m2->e4m3 K=1 : round[e4m3 M](fuse[exact](p*, c))", 8, 7, true, {"rz", "rne", "rna"}},
    {"FloorBesideDrop", "e2m1*e2m1+e4m3->e4m3 K=1 : round[e4m3 M](fuse[F=16 floor=#](p*, c@[drop=2]))",
                        "e2m1*e2m1+e4m3->e4m3 K=1 : round[e4m3 M](fuse[F=16](p*, c@[drop=2]))", -4, -3},
    {"FloorOfZero", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=1 M floor=#](p*, c@[zero=2]))",
                    "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=1 M](p*, c@[zero=2]))", 0, 1},
    {"FloorAndZero", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=1 M floor=2](p*, c@[zero=#]))",
                     "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=1 M floor=2](p*, c))", 2, 3},
    {"FloorBesideOwn", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=0 M floor=#](p*, c@[zero=emin]))",
                       "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=0 M](p*, c@[zero=emin]))", 0, 1},
    // ------------------------------------------------------------------------------------- registers and limits
    {"Carry", "e2m1*e2m1->e4m3 K=2 : round[e4m3 M](fuse[F=2 carry=#](p*))",
              "e2m1*e2m1->e4m3 K=2 : round[e4m3 M](fuse[F=2](p*))", 1, 0, true, {"rne"}},
    {"CarryTruncating", "e2m1*e2m1+e2m3->e4m3 K=1 : round[e4m3 M](fuse[F=# rz carry=0](p*, c))",
                        "e2m1*e2m1+e2m3->e4m3 K=1 : round[e4m3 M](fuse[F=# rz](p*, c))", 1, 2},
    {"CarryUp", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=# ru carry=0](p*, c))",
                "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=# ru](p*, c))", 2, 1},
    {"Limit", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=3](p*[limit=#], c))",
              "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=3](p*, c))", 6, 5},
    {"LimitOfOverflow", "e5m2*e5m2->e5m2 K=1 : round[e5m2 M](p*[limit=#:counts])",
                        "e5m2*e5m2->e5m2 K=1 : round[e5m2 M](p*)", 16, 15, true, {"rne", "rna"}},
    {"LimitOfOverflowToNan", "e4m3*e5m2->e4m3 K=1 : round[e4m3 M overflow=inf](p*[limit=#])",
                             "e4m3*e5m2->e4m3 K=1 : round[e4m3 M overflow=inf](p*)", 9, 8},
    // ------------------------------------------------------------------------------------------------- rounding
    {"NoUnderflow", "e4m3*e2m1->e4m3 K=1 : round[e4m3 M usign=pos](fuse[F=# rz floor=0](p*))",
                    "e4m3*e2m1->e4m3 K=1 : round[e4m3 M usign=keep](fuse[F=# rz floor=0](p*))", 9, 10, true, to_zero_modes},
    {"NoOverflow", "e3m2*e3m2->e4m3 K=1 : round[e4m3 M overflow=inf](p*[limit=#])",
                   "e3m2*e3m2->e4m3 K=1 : round[e4m3 M overflow=max](p*[limit=#])", 8, 9},
    {"NoOverflowToNearest", "e3m2*e3m2+e5m2->e5m2 K=# : round[e5m2 M overflow=inf](fuse[exact](p*, c))",
                            "e3m2*e3m2+e5m2->e5m2 K=# : round[e5m2 M overflow=max](fuse[exact](p*, c))", 5, 6, true, {"rne", "rna"}},
    {"NoOverflowTowardsZero", "e3m2*e3m2+e5m2->e5m2 K=# : round[e5m2 M overflow=inf](fuse[exact](p*, c))",
                              "e3m2*e3m2+e5m2->e5m2 K=# : round[e5m2 M overflow=max](fuse[exact](p*, c))", 10, 11, true, {"rz"}},
    {"NoOverflowCutAway", "e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 rz overflow=inf](fuse[F=# M](p*, c))",
                          "e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 rz overflow=max](fuse[F=# M](p*, c))", 3, 2, true, {"ru", "rd"}},
    {"NotAllVanish", "e2m1*e2m1+e3m2->e4m3 K=1 : round[e4m3 rz zsign=pos](fuse[F=# rz](p*, c[ftz=plus]))",
                     "e2m1*e2m1+e3m2->e4m3 K=1 : round[e4m3 rz](fuse[F=# rz](p*, c[ftz=plus]))", 2, 1},
    {"NotAllVanishFloor", "e2m1*e2m1+e3m2->e4m3 K=1 : round[e4m3 rz zsign=pos](fuse[F=2 rz floor=#](p*, c[ftz=plus]))",
                          "e2m1*e2m1+e3m2->e4m3 K=1 : round[e4m3 rz](fuse[F=2 rz floor=#](p*, c[ftz=plus]))", -2, -1, false},
    {"SubnormalCUnobservable", "e2m1*e2m1+e4m3->e4m3 K=1 : round[e4m3 M ftz=result:pos zsign=pos](fuse[exact](c, round[e4m3 rz](fuse[F=# rz floor=2](p*))))",
                         "e2m1*e2m1+e4m3->e4m3 K=1 : round[e4m3 M ftz=result:pos zsign=pos](fuse[exact](c[ftz=plus], round[e4m3 rz](fuse[F=# rz floor=2](p*))))", 3, 4, true, {"rne", "rna"}},
    {"SubnormalCUnobservableAfter", "e2m1*e2m1+e4m3->e4m3 K=1 : round[e4m3 M ftz=after:pos zsign=pos](fuse[exact](c, round[e4m3 rz](fuse[F=# rz floor=2](p*))))",
                              "e2m1*e2m1+e4m3->e4m3 K=1 : round[e4m3 M zsign=pos](fuse[exact](c[ftz=plus], round[e4m3 rz](fuse[F=# rz floor=2](p*))))", 3, 4, true, {"rne", "rna"}},
    {"RoundedTwice", "e2m1*e2m1->e4m3ieee K=2 : round[e4m3ieee M](round[e4m#ieee M](fuse[exact](p*)))",
                     "e2m1*e2m1->e4m3ieee K=2 : round[e4m3ieee M](fuse[exact](p*))", 3, 2, true, {"rne", "rd", "odd"}},
    {"ZerosOfBlocksBefore", "fix2.0*fix2.0+e3m1ieee->e3m1ieee K=# L=1 : round[e3m1ieee M ftz=result zsign=pos](fuse[exact](p*, c))",
                      "fix2.0*fix2.0+e3m1ieee->e3m1ieee K=# L=1 : round[e3m1ieee M ftz=result:pos zsign=pos](fuse[exact](p*, c))", 2, 1},
    {"CNeverVanishes", "e2m1*e2m1+e4m3fnuz->e4m3 K=1 : round[e4m3 rz zsign=pos](fuse[floor=#](p*@[F=3 rz], c@[F=12 rz]))",
                       "e2m1*e2m1+e4m3fnuz->e4m3 K=1 : round[e4m3 rz](fuse[floor=#](p*@[F=3 rz], c@[F=12 rz]))", 2, 3},
    {"CNeverVanishesZero", "e2m1*e2m1+e4m3fnuz->e4m3 K=2 : round[e4m3 rz zsign=pos](fuse(p*@[F=3 rz zero=#], c@[F=12 rz]))",
                           "e2m1*e2m1+e4m3fnuz->e4m3 K=2 : round[e4m3 rz](fuse(p*@[F=3 rz zero=#], c@[F=12 rz]))", 2, 3},
    {"NeverMinusZero", "e2m1*e2m1+e3m2->e4m3 K=2 L=1 c=last : round[e4m3 rne](fuse[F=#](p*, c[ftz=plus]))",
                       "e2m1*e2m1+e3m2->e4m3 K=2 L=1 c=last : round[e4m3 rne](fuse[exact](p*, c))", 7, 6, false},
    {"RoundedAlready", "e3m2*e3m2->e4m3 K=2 L=1 : round[e4m3 M](fuse[exact](round[e4m3 M](p*[limit=#]), c))",
                       "e3m2*e3m2->e4m3 K=2 : round[e4m3 M zsign=pos](fuse[exact](round[e4m3 M zsign=pos](p0), round[e4m3 M zsign=pos](p1)))", 10, 9, true, {"rz", "ru", "odd"}},
    {"NothingRounded", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 M zsign=pos](fuse[F=# rz](p*, c))",
                       "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rz zsign=pos](fuse[F=# rz](p*, c))", 2, 3, true, up_modes},
    {"NoFlush", "e4m3*e2m1->e4m3 K=1 : round[e4m3 M ftz=result](fuse[F=# rz floor=0](p*))",
                "e4m3*e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=# rz floor=0](p*))", 6, 7},
    {"NoFlushOfCancelled", "e2m1*e2m1+e4m#->e4m3 K=1 : round[e4m3 M ftz=result](fuse[exact](p*, c[ftz]))",
                           "e2m1*e2m1+e4m#->e4m3 K=1 : round[e4m3 M](fuse[exact](p*, c[ftz]))", 3, 4},
    {"NoFlushOfAligned", "e2m1*e2m1+e4m3->e4m3 K=1 : round[e4m3 M ftz=result](fuse[F=# M](p*, c[ftz]))",
                         "e2m1*e2m1+e4m3->e4m3 K=1 : round[e4m3 M](fuse[F=# M](p*, c[ftz]))", 6, 7, false, {"rz", "rne", "rna"}},
    {"NoFlushOfRounded", "e2m1*e2m1+e4m#->e4m3 K=1 : round[e4m3 M ftz=result](round[f16 rz](fuse[exact](p*, c[ftz])))",
                         "e2m1*e2m1+e4m#->e4m3 K=1 : round[e4m3 M](round[f16 rz](fuse[exact](p*, c[ftz])))", 3, 4},
    {"NoFlushOfChain", "e4m3*e2m1->e4m3 K=2 L=1 : round[e4m3 M](fuse[floor=0](p*@[F=# rz], c[ftz]@[exact]))",
                       "e4m3*e2m1->e4m3 K=2 L=1 : round[e4m3 M](fuse[floor=0](p*@[F=# rz], c@[exact]))", 6, 7},
    {"FlushesCoincide", "e4m3*e2m1->e4m3 K=1 : round[e4m3 M ftz=result](fuse[F=# rz floor=0](p*))",
                        "e4m3*e2m1->e4m3 K=1 : round[e4m3 M ftz=before](fuse[F=# rz floor=0](p*))", 9, 10, true, {"rne", "rna", "ru", "rd"}},
    {"FlushesCoincideAfter", "e4m3*e2m1->e4m3 K=1 : round[e4m3 M ftz=after](fuse[F=# rz floor=0](p*))",
                             "e4m3*e2m1->e4m3 K=1 : round[e4m3 M ftz=before](fuse[F=# rz floor=0](p*))", 9, 10, false, {"rne", "rna", "ru", "rd"}},
    {"IdleRounding", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne zsign=pos](fuse[exact](round[e5m2 M](fuse[F=# rz](p*)), c))",
                     "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne zsign=pos](fuse[exact](fuse[F=# rz](p*), c))", 1, 2, true, {"rne", "rna", "ru", "rd", "rz"}},
    {"IdleRoundingNoOverflow", "e5m2*e2m1->f16 K=1 : round[f16 rne](fuse[exact](round[f16 M](p*[limit=#:counts])))",
                               "e5m2*e2m1->f16 K=1 : round[f16 rne](fuse[exact](round[f32 M](p*[limit=#:counts])))", 15, 16, false},
    {"IdleRoundingUnread", "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne zsign=pos](fuse[F=# rz](round[e5m2 M](fuse[F=1 rz](p*)), c))",
                           "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne zsign=pos](fuse[exact](fuse[F=1 rz](p*), c))", 6, 5, true},
    // ---------------------------------------------------------------------------------- unobservable truncations
    {"UnobservableByDigits", "e2m3*e2m3+e5m2->e5m2 K=1 : round[e5m2 rne](fuse[F=# M](p*, c@[exact]))",
                       "e2m3*e2m3+e5m2->e5m2 K=1 : round[e5m2 rne](fuse[exact](p*, c))", 10, 9, true, {"rz", "rne", "ru", "rd"}},
    {"UnobservableByDigitsAway", "e2m3*e2m3+e5m2->e5m2 K=1 : round[e5m2 rna](fuse[F=# M](p*, c@[exact]))",
                           "e2m3*e2m3+e5m2->e5m2 K=1 : round[e5m2 rna](fuse[exact](p*, c))", 10, 9, true, {"rz", "rne", "ru", "rd"}},
    {"UnobservableEven", "e2m2f*e2m2f+e4m1f->e5m3 K=1 : round[e5m3 rne](fuse[F=# M](p*, c@[exact]))",
                   "e2m2f*e2m2f+e4m1f->e5m3 K=1 : round[e5m3 rne](fuse[exact](p*, c))", 8, 7, true, {"rne", "rna"}},
    {"UnobservableEvenToZero", "e2m2f*e2m2f+e4m1f->e5m3 K=1 : round[e5m3 rne](fuse[F=# M](p*, c@[exact]))",
                         "e2m2f*e2m2f+e4m1f->e5m3 K=1 : round[e5m3 rne](fuse[exact](p*, c))", 9, 8, true, {"rz"}},
    {"UnobservableEvenAway", "e2m2f*e2m2f+e4m1f->e5m3 K=1 : round[e5m3 rna](fuse[F=# M](p*, c@[exact]))",
                       "e2m2f*e2m2f+e4m1f->e5m3 K=1 : round[e5m3 rna](fuse[exact](p*, c))", 9, 8, true, {"rne", "rna"}},
    {"UnobservableEvenOfMoreDigits", "e2m2f*e2m2f+e4m2f->e5m3 K=1 : round[e5m3 rne](fuse[F=# M](p*, c@[exact]))",
                               "e2m2f*e2m2f+e4m2f->e5m3 K=1 : round[e5m3 rne](fuse[exact](p*, c))", 9, 8, true, {"rne"}},
    {"UnobservableWhereNoneIsFlushed", "e2m1*e2m1+e4m1f->e5m3 K=1 : round[e5m3 M ftz=before](fuse[F=# odd](p*, c@[exact]))",
                                 "e2m1*e2m1+e4m1f->e5m3 K=1 : round[e5m3 M ftz=before](fuse[exact](p*, c))", 6, 5, true, {"rne"}},
    {"UnobservableWhereNoneIsFlushedDirected", "e2m1*e2m1+e4m1f->e5m3 K=1 : round[e5m3 M ftz=before](fuse[F=# odd](p*, c@[exact]))",
                                 "e2m1*e2m1+e4m1f->e5m3 K=1 : round[e5m3 M ftz=before](fuse[exact](p*, c))", 5, 4, true, {"rz", "rd"}},
    {"UnobservableOfBoth", "e2m1*e2m1+e5m2->e4m3 K=1 : round[e4m3 M](fuse[F=# odd](p*, c))",
                     "e2m1*e2m1+e5m2->e4m3 K=1 : round[e4m3 M](fuse[exact](p*, c))", 8, 7, true, not_directed},
    {"UnobservableOfBothDirected", "e2m1*e2m1+e5m2->e4m3 K=1 : round[e4m3 M](fuse[F=# odd](p*, c))",
                     "e2m1*e2m1+e5m2->e4m3 K=1 : round[e4m3 M](fuse[exact](p*, c))", 7, 6, true, directed},
    {"UnobservableStickyOdd", "e2m1*e2m1+e5m2->e4m3 K=1 : round[e4m3 M](fuse[F=# odd sticky](p*, c))",
                        "e2m1*e2m1+e5m2->e4m3 K=1 : round[e4m3 M](fuse[exact](p*, c))", 8, 7, true, not_directed},
    {"UnobservableStickyOddDirected", "e2m1*e2m1+e5m2->e4m3 K=1 : round[e4m3 M](fuse[F=# odd sticky](p*, c))",
                        "e2m1*e2m1+e5m2->e4m3 K=1 : round[e4m3 M](fuse[exact](p*, c))", 7, 6, true, directed},
    {"UnobservableBesideOneSubnormal", "e3m2*e3m2->e5m2 K=2 : round[e5m2 M](fuse[F=# odd](p*))",
                                 "e3m2*e3m2->e5m2 K=2 : round[e5m2 M](fuse[exact](p*))", 8, 7, false},
    {"UnobservableBesideNormals", "e3m2*e3m2->e5m2 K=2 : round[e5m2 M](fuse[F=# odd](p*[ftz]))",
                            "e3m2*e3m2->e5m2 K=2 : round[e5m2 M](fuse[exact](p*[ftz]))", 6, 5, false},
    {"UnobservableNormalised", "e2m3*e2m3+e5m2->e5m2 K=1 : round[e5m2 rne](fuse[F=# M](p*[full], c@[exact]))",
                         "e2m3*e2m3+e5m2->e5m2 K=1 : round[e5m2 rne](fuse[exact](p*, c))", 10, 9, true, {"rz", "rne", "ru", "rd"}},
    {"UnobservableOdd", "e2m1*e2m1+e5m2->e4m3 K=1 : round[e4m3 M](fuse[F=# odd](p*, c@[exact]))",
                  "e2m1*e2m1+e5m2->e4m3 K=1 : round[e4m3 M](fuse[exact](p*, c))", 6, 5, true, not_directed},
    {"UnobservableOddDirected", "e2m1*e2m1+e5m2->e4m3 K=1 : round[e4m3 M](fuse[F=# odd](p*, c@[exact]))",
                  "e2m1*e2m1+e5m2->e4m3 K=1 : round[e4m3 M](fuse[exact](p*, c))", 5, 4, true, directed},
    {"UnobservableSameWay", "e2m3*e2m3+e5m2->e5m2 K=1 : round[e5m2 M](fuse[F=# M](p*, c@[exact]))",
                      "e2m3*e2m3+e5m2->e5m2 K=1 : round[e5m2 M](fuse[exact](p*, c))", 8, 7, false, {"rd", "ru"}},
    {"UnobservableSameWayZero", "e5m2*e2m1+e2m1->e4m3 K=1 : round[e4m3 M zsign=pos usign=pos](fuse[F=8 M](p*, c@[exact zero=#]))",
                          "e5m2*e2m1+e2m1->e4m3 K=1 : round[e4m3 M zsign=pos usign=pos](fuse[exact](p*, c))", -1, 0, true, {"rd", "ru"}},
    {"UnobservableSameWayZeroDown", "e5m2*e2m1+e2m1->e4m3 K=1 : round[e4m3 rd zsign=pos](fuse[F=8 rd](p*, c@[exact zero=#]))",
                              "e5m2*e2m1+e2m1->e4m3 K=1 : round[e4m3 rd zsign=pos](fuse[exact](p*, c))", -1, 0},
    {"UnobservableSameWayInside", "e5m2*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne zsign=pos](round[e4m3 M](fuse[F=8 M](p*, c@[exact zero=#])))",
                            "e5m2*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne zsign=pos](round[e4m3 M](fuse[exact](p*, c)))", -1, 0, true, {"rd", "ru"}},
    {"UnobservableSameWaySigned", "e5m2*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[F=8 M](p*, c@[exact zero=#]))",
                            "e5m2*e2m1+e2m1->e4m3 K=1 : round[e4m3 M](fuse[exact](p*, c))", -9, -8, true, {"rd", "ru"}},
    {"UnobservableBesideDrop", "e2m1*e2m1+e5m2->e4m3 K=1 : round[e4m3 M](fuse[F=# odd](p*, c@[exact drop=2]))",
                         "e2m1*e2m1+e5m2->e4m3 K=1 : round[e4m3 M](fuse[exact](p*, c@[drop=2]))", 6, 5, true, not_directed},
    {"UnobservableSum", "e2m1*e2m1+e5m2->e5m2 K=2 : round[e5m2 M](fuse[F=# M](fuse[F=2](p*), c@[exact]))",
                  "e2m1*e2m1+e5m2->e5m2 K=2 : round[e5m2 M](fuse[exact](fuse[F=2](p*), c))", 5, 4, false, {"rd", "ru"}},
    {"UnobservableFloor", "e2m3*e2m3+e5m2->e5m2 K=1 : round[e5m2 rne](fuse[F=10 M floor=#](p*, c@[exact]))",
                    "e2m3*e2m3+e5m2->e5m2 K=1 : round[e5m2 rne](fuse[exact](p*, c))", 4, 5, false},
    {"UnobservableZero", "e2m3*e2m3+e5m2->e5m2 K=1 : round[e5m2 rne](fuse[F=10 M](p*, c@[exact zero=#]))",
                   "e2m3*e2m3+e5m2->e5m2 K=1 : round[e5m2 rne](fuse[exact](p*, c))", 4, 5},
    {"UnobservableFloorOdd", "e3m2*e3m2+e3m2->e3m2ieee K=1 : round[e3m2ieee M](fuse[F=8 odd floor=#](p*, c))",
                       "e3m2*e3m2+e3m2->e3m2ieee K=1 : round[e3m2ieee M](fuse[exact](p*, c))", 2, 3, true, {"rne", "rna"}},
    {"UnobservableZeroOdd", "e3m2*e3m2+e3m2->e3m2ieee K=1 : round[e3m2ieee M](fuse(p*@[F=8 odd], c@[exact zero=#]))",
                      "e3m2*e3m2+e3m2->e3m2ieee K=1 : round[e3m2ieee M](fuse[exact](p*, c))", 2, 3, true, {"rne", "rna"}},
    {"UnobservableFloorDown", "e3m3*e3m3+e2m2->e2m2ieee K=1 : round[e2m2ieee rne](fuse[F=12 M floor=#](p*, c))",
                        "e3m3*e3m3+e2m2->e2m2ieee K=1 : round[e2m2ieee rne](fuse[exact](p*, c))", 3, 4, true, {"rd"}},
    {"UnobservableFloorUnsigned", "e3m3*e3m3+e2m2->e2m2ieee K=1 : round[e2m2ieee rne zsign=pos usign=pos](fuse[F=12 M floor=#](p*, c))",
                            "e3m3*e3m3+e2m2->e2m2ieee K=1 : round[e2m2ieee rne zsign=pos usign=pos](fuse[exact](p*, c))", 3, 4, true, {"rz"}},
    {"UnobservableFloorSigned", "e3m3*e3m3+e2m2->e2m2ieee K=1 : round[e2m2ieee rne](fuse[F=12 M floor=#](p*, c))",
                          "e3m3*e3m3+e2m2->e2m2ieee K=1 : round[e2m2ieee rne](fuse[exact](p*, c))", 2, 3, true, {"rz", "ru"}},
    {"UnobservableIfInfinite", "e3m2*e3m2+e3m2->e3m2ieee K=1 : round[e3m2ieee rne](fuse(p*[full]@[exact], c@[F=# M]))",
                         "e3m2*e3m2+e3m2->e3m2ieee K=1 : round[e3m2ieee rne](fuse[exact](p*, c))", 7, 6, true, {"rz", "rne", "ru", "rd"}},
    {"UnobservableHalfAway", "e3m2*e3m2+e5m2->e3m2ieee K=1 : round[e3m2ieee rne](fuse(p*[full]@[exact], c@[F=# M]))",
                       "e3m2*e3m2+e5m2->e3m2ieee K=1 : round[e3m2ieee rne](fuse[exact](p*, c))", 18, 17, true, {"rna"}},
    {"UnobservableHalfAwayAtFloor", "e3m3*e3m3+e2m2->e2m2ieee K=1 : round[e2m2ieee rne](fuse[F=12 M floor=#](p*, c))",
                              "e3m3*e3m3+e2m2->e2m2ieee K=1 : round[e2m2ieee rne](fuse[exact](p*, c))", 3, 4, true, {"rna"}},
    {"UnobservableOfHalfSize", "e3m2*e3m2+e3m2->e3m2ieee K=1 : round[e3m2ieee M](fuse(p*[full]@[F=# odd], c@[exact]))",
                         "e3m2*e3m2+e3m2->e3m2ieee K=1 : round[e3m2ieee M](fuse[exact](p*, c))", 6, 5, true, {"rne", "rna"}},
    {"UnobservableSticky", "e2m3*e2m3+e4m2f->e4m3 K=1 : round[e4m3 rne](fuse[F=# M sticky](p*, c@[F=40]))",
                     "e2m3*e2m3+e4m2f->e4m3 K=1 : round[e4m3 rne](fuse[exact](p*, c))", 11, 10, true, {"rz", "rne", "ru", "rd"}},
    {"FlushedFloor", "e3m2*e3m2+e3m2->e3m2ieee K=1 : round[e3m2ieee M ftz=after:pos zsign=pos](fuse[F=4 rz floor=#](p*, c[ftz]))",
                 "e3m2*e3m2+e3m2->e3m2ieee K=1 : round[e3m2ieee M ftz=after:pos zsign=pos](fuse[F=4 rz](p*, c[ftz]))", -3, -2, false, {"rne", "rna"}},
    {"FlushedZero", "e3m2*e3m2+e3m2->e3m2ieee K=1 : round[e3m2ieee M ftz=after:pos zsign=pos](fuse(p*@[F=4 rz], c[ftz]@[F=4 rz zero=#]))",
                "e3m2*e3m2+e3m2->e3m2ieee K=1 : round[e3m2ieee M ftz=after:pos zsign=pos](fuse[F=4 rz](p*, c[ftz]))", -3, -2, false, {"rne", "rna"}},
    {"FlushedZeroOfFrame", "e3m2*e3m2+e3m2->e3m2ieee K=1 : round[e3m2ieee M ftz=after:pos zsign=pos](fuse[frame=c](p*@[F=4 rz], c[ftz]@[F=4 rz zero=#]))",
                       "e3m2*e3m2+e3m2->e3m2ieee K=1 : round[e3m2ieee M ftz=after:pos zsign=pos](fuse[frame=c](p*@[F=4 rz], c[ftz]@[F=4 rz]))", -3, -2, false, {"rne", "rna"}},
    {"LessBesideOne", "e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 rne](fuse(p*@[F=8 M], c@[F=# M less=2 drop=9]))",
                  "e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 rne](fuse(p*@[F=10 M], c@[F=# M drop=9]))", 2, 1, true},
    {"DownTwice", "e2m1*e2m1+e5m2->e5m2 K=2 : round[e5m2 rne zsign=pos usign=pos](fuse(fuse[F=# M](p*)@[F=4 M zero=emin], c@[F=4 M]))",
              "e2m1*e2m1+e5m2->e5m2 K=2 : round[e5m2 rne zsign=pos usign=pos](fuse(fuse[F=4 M](p*)@[F=4 M zero=emin], c@[F=4 M]))", 5, 3, true, {"rd", "ru"}},
    {"SpanOfTwo", "e2m1*e2m1+e5m2->e5m5 K=1 : round[e5m5 rne zsign=pos](round[e7m# M](fuse(p*@[F=6 rz], c@[F=2 rz])))",
              "e2m1*e2m1+e5m2->e5m5 K=1 : round[e5m5 rne zsign=pos](fuse(p*@[F=6 rz], c@[F=2 rz]))", 6, 5, true},
    {"OddBefore", "e2m3*e2m3->e4m3 K=2 : round[e4m3 M](round[e5m# odd](fuse[exact](p*)))",
              "e2m3*e2m3->e4m3 K=2 : round[e4m3 M](fuse[exact](p*))", 5, 4, true, {"rne", "rna"}},
    {"InnocuousBefore", "e2m1*e2m1+e4m3ieee->e4m3ieee K=1 : round[e4m3ieee rne zsign=pos](round[e5m# M](fuse[exact](p*, c)))",
                  "e2m1*e2m1+e4m3ieee->e4m3ieee K=1 : round[e4m3ieee rne zsign=pos](fuse[exact](p*, c))", 8, 7, true, not_odd},
    {"InnocuousBeforeAway", "e2m1*e2m1+e4m3ieee->e4m3ieee K=1 : round[e4m3ieee rna zsign=pos](round[e5m# M](fuse[exact](p*, c)))",
                      "e2m1*e2m1+e4m3ieee->e4m3ieee K=1 : round[e4m3ieee rna zsign=pos](fuse[exact](p*, c))", 8, 7, true, {"rne", "ru"}},
    {"InnocuousBeforeFlush", "e2m1*e2m1+e4m3ieee->e4m3ieee K=1 : round[e4m3ieee rne ftz=after zsign=pos](round[e5m# M](fuse[exact](p*, c)))",
                       "e2m1*e2m1+e4m3ieee->e4m3ieee K=1 : round[e4m3ieee rne ftz=after zsign=pos](fuse[exact](p*, c))", 8, 7, true, {"rne", "ru"}},
    {"InnocuousOfMoreDigits", "e2m1*e2m1+e4m#ieee->e4m3ieee K=1 : round[e4m3ieee rne zsign=pos](round[e5m8 M](fuse[exact](p*, c)))",
                        "e2m1*e2m1+e4m#ieee->e4m3ieee K=1 : round[e4m3ieee rne zsign=pos](fuse[exact](p*, c))", 3, 4, true, {"rne", "ru"}},
    {"InnocuousAboveSubnormals", "e2m1*e2m1+e4m3ieee->e#m3ieee K=1 : round[e#m3ieee rne zsign=pos](round[e5m8 M](fuse[exact](p*, c)))",
                           "e2m1*e2m1+e4m3ieee->e#m3ieee K=1 : round[e#m3ieee rne zsign=pos](fuse[exact](p*, c))", 4, 3, false, {"rne", "ru"}},
    {"LessOfTheLargest", "e2m1*e2m1+e5m2->e5m20 K=1 : round[e5m20 rne](fuse(p*@[F=# rz], c@[F=2 rz less=2]))",
                     "e2m1*e2m1+e5m2->e5m20 K=1 : round[e5m20 rne](fuse(p*@[F=# rz], c@[F=2 rz]))", 17, 16, true},
    {"SumOfOne", "e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 rne zsign=pos](fuse[F=4 rz zero=emin](fuse[F=# M](p*), c))",
             "e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 rne zsign=pos](fuse[F=4 rz zero=emin](fuse[exact](p*), c))", 2, 1, true},
    {"ExactOrInfinite", "e5m2*e5m2->e5m2 K=1 : round[e5m2 rne](round[e5m# M overflow=inf](fuse[F=3 rz floor=-10](p*)))",
                    "e5m2*e5m2->e5m2 K=1 : round[e5m2 rne](fuse[F=3 rz floor=-10](p*))", 4, 3, true, {"rne", "rna", "rz"}},
    // ------------------------------------------------------------------- what a rounding leaves for the next sum
    {"AfterRounding", "e2m1*e2m1+e2m3->e4m3 K=1 : round[e4m3 rne](fuse[F=# rz](c, round[e4m3 M](fuse[exact](p*))))",
                      "e2m1*e2m1+e2m3->e4m3 K=1 : round[e4m3 rne](fuse[exact](c, round[e4m3 M](fuse[exact](p*))))", 8, 7, false},
    {"LargestFinite", "e5m2*e5m2->e5m2 K=1 : round[e5m2 rne](fuse[F=# rz](round[e5m2 M overflow=max](fuse[F=3 floor=17](p*))))",
                      "e5m2*e5m2->e5m2 K=1 : round[e5m2 rne](fuse[exact](round[e5m2 M overflow=max](fuse[F=3 floor=17](p*))))", 2, 1, true, {"rz"}},
    {"LargestFiniteOfF16", "e5m2*e5m2->f16 K=1 : round[f16 rne](fuse[F=# rz](round[f16 M overflow=max](fuse[F=3 floor=17](p*))))",
                           "e5m2*e5m2->f16 K=1 : round[f16 rne](fuse[exact](round[f16 M overflow=max](fuse[F=3 floor=17](p*))))", 10, 9, true, {"rne"}},
    {"AfterAll", "e2m1*e2m1->f16 K=3 L=1 : round[f16 M](fuse[F=# rz](p*, c))",
                 "e2m1*e2m1->f16 K=3 L=1 : round[f16 M](fuse[exact](p*, c))", 8, 7, true, {"rz", "rne"}},
    {"CarryFull", "e2m1*e2m1->e4m3 K=2 : round[e4m3 rz](fuse[F=# M carry=0](p*[full]))",
                  "e2m1*e2m1->e4m3 K=2 : round[e4m3 rz](fuse[F=# M](p*[full]))", 3, 2, false, {"ru", "rne"}},
    // ---------------------------------------------------------------------------------------------- real widths
    {"RealNeverCut", "e4m3*e4m3+f16->f32 K=2 : round[f32 rne](fuse[F=# M](p*, c))",
                     "e4m3*e4m3+f16->f32 K=2 : round[f32 rne](fuse[exact](p*, c))", 40, 39, true, {"rz", "rne"}},
    {"RealNeverCutProducts", "e5m2*e5m2->f32 K=3 : round[f32 rne](fuse[F=# rz](p*))",
                             "e5m2*e5m2->f32 K=3 : round[f32 rne](fuse[exact](p*))", 62, 61},
    {"RealSticky", "e4m3*e4m3+f16->f32 K=2 : round[f32 rne](fuse[F=# sticky](p*, c))",
                   "e4m3*e4m3+f16->f32 K=2 : round[f32 rne](fuse[F=#](p*, c))", 40, 39},
    {"RealSumOfSums", "e4m3*e4m3+f16->f32 K=2 : round[f32 rz](fuse[exact](fuse[F=#](p*), c))",
                      "e4m3*e4m3+f16->f32 K=2 : round[f32 rz](fuse[exact](p*, c))", 34, 33},
    {"RealFloor", "f16*f16+f32->f32 K=2 : round[f32 rz](fuse[F=25 rz floor=#](p*, c))",
                  "f16*f16+f32->f32 K=2 : round[f32 rz](fuse[F=25 rz](p*, c))", -124, -123},
    {"RealZeroConstant", "f16*f16+f32->f32 K=2 : round[f32 rz](fuse[F=25 rz zero=#](p*, c))",
                         "f16*f16+f32->f32 K=2 : round[f32 rz](fuse[F=25 rz](p*, c))", -124, -123},
    {"RealZeroOwn", "e4m3*e4m3+f16->f32 K=2 : round[f32 rz](fuse[F=# zero=emin](p*, c))",
                    "e4m3*e4m3+f16->f32 K=2 : round[f32 rz](fuse[F=#](p*, c))", 26, 25},
    {"RealProductCarry", "e4m3*e4m3+f16->f32 K=2 : round[f32 rz](fuse[F=#](p*[carry], c))",
                         "e4m3*e4m3+f16->f32 K=2 : round[f32 rz](fuse[exact](p*, c))", 41, 40},
    {"RealProductFull", "e4m3*e4m3+f16->f32 K=2 : round[f32 rz](fuse[F=#](p*[full], c))",
                        "e4m3*e4m3+f16->f32 K=2 : round[f32 rz](fuse[exact](p*, c))", 41, 40},
    {"RealAs", "e4m3*e4m3+f16->f32 K=2 : round[f32 rz](fuse[F=#](p*, c[as=f32]))",
               "e4m3*e4m3+f16->f32 K=2 : round[f32 rz](fuse[exact](p*, c))", 40, 39},
    {"RealCarry", "f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24 carry=#](p*, c))",
                  "f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](p*, c))", 3, 2},
    {"RealLimit", "bf16*bf16+f32->f32 K=2 : round[f32 rne](fuse[F=24](p*[limit=#], c))",
                  "bf16*bf16+f32->f32 K=2 : round[f32 rne](fuse[F=24](p*, c))", 256, 255},
    {"RealLimitOfScaled", "e2m1*e2m1->f32 K=2 scale=e8m0/2 : round[f32 rne](fuse[F=24](p*[limit=#]))",
                          "e2m1*e2m1->f32 K=2 scale=e8m0/2 : round[f32 rne](fuse[F=24](p*))", 262, 261},
    {"RealNothingRounded", "f16*f16+f32->f32 K=4 : round[f32 M overflow=inf zsign=pos](fuse[F=# rz](p*, c))",
                           "f16*f16+f32->f32 K=4 : round[f32 rz overflow=inf zsign=pos](fuse[F=# rz](p*, c))", 19, 20, true, {"rne", "rd"}},
    {"RealNothingRoundedOfProducts", "f16*f16->f32 K=4 : round[f32 M zsign=pos](fuse[F=# rz](p*))",
                                     "f16*f16->f32 K=4 : round[f32 rz zsign=pos](fuse[F=# rz](p*))", 20, 21, true, {"ru"}},
    {"RealNoUnderflow", "f16*f16+f16->f16 K=2 : round[f16 rne usign=pos](fuse[F=# rz floor=0](p*, c))",
                        "f16*f16+f16->f16 K=2 : round[f16 rne usign=keep](fuse[F=# rz floor=0](p*, c))", 24, 25},
    {"RealNoFlush", "f16*f16+f16->f16 K=2 : round[f16 rne ftz=after](fuse[F=# rz floor=0](p*, c))",
                    "f16*f16+f16->f16 K=2 : round[f16 rne](fuse[F=# rz floor=0](p*, c))", 14, 15},
    {"RealFlushesCoincide", "f16*f16+f16->f16 K=2 : round[f16 rne ftz=after](fuse[F=# rz floor=0](p*, c))",
                            "f16*f16+f16->f16 K=2 : round[f16 rne ftz=result](fuse[F=# rz floor=0](p*, c))", 24, 25},
    {"RealNoOverflow", "e2m3*e2m3->e4m3 K=# : round[e4m3 rne overflow=inf](fuse[exact](p*))",
                       "e2m3*e2m3->e4m3 K=# : round[e4m3 rne overflow=max](fuse[exact](p*))", 8, 9},
    {"RealIdleRounding", "f16*f16+f16->f32 K=2 : round[f32 rne zsign=pos](fuse[exact](round[f32 M](fuse[F=# rz](p*)), c))",
                         "f16*f16+f16->f32 K=2 : round[f32 rne zsign=pos](fuse[exact](round[f64 M](fuse[F=# rz](p*)), c))", 21, 22, true, {"rne"}},
    {"Chain", "e4m3*e4m3+e4m3->f16 K=2 L=1 : round[f16 rne](fuse[F=# rz](p*, c))",
                  "e4m3*e4m3+e4m3->f16 K=2 L=1 : round[f16 rne](fuse[exact](p*, c))", 33, 32},
    {"RealOneScale", "e4m3f*e4m3f->f32 K=4 scale=e8m0/4 : round[f32 rne](fuse[F=# M](p*))",
                     "e4m3f*e4m3f->f32 K=4 scale=e8m0/4 : round[f32 rne](fuse[exact](p*))", 34, 33, true, {"rz", "rne"}},
    {"RealOneScaleCarry", "e4m3f*e4m3f->f32 K=4 scale=e8m0/4 : round[f32 rne](fuse[F=35 M carry=#](p*[carry]))",
                          "e4m3f*e4m3f->f32 K=4 scale=e8m0/4 : round[f32 rne](fuse[exact](p*))", 1, 0, true, {"rz", "rne"}},
    {"RealInnocuousBefore", "f16*f16+f16->f16 K=1 : round[f16 rne](round[e8m# M](fuse[exact](round[f16 rne](p0), c)))",
                            "f16*f16+f16->f16 K=1 : round[f16 rne](fuse[exact](round[f16 rne](p0), c))", 22, 21, true, {"rne"}},
    {"RealFewDigits", "fix8.6*fix8.6->e8m# K=2 scale=e8m0/2 : round[e8m# M overflow=inf ftz=after zsign=pos](fuse[exact](p*))",
                      "fix8.6*fix8.6->e8m# K=2 scale=e8m0/2 : round[e8m# rz overflow=inf ftz=before zsign=pos](fuse[exact](p*))", 15, 14, false, up_modes},
    {"RealStickyToOdd", "f16*f16+f32->f32 K=1 : round[f32 rne](fuse[F=# odd sticky](p*[full], c))",
                        "f16*f16+f32->f32 K=1 : round[f32 rne](fuse[exact](p*, c))", 26, 25},
    {"RealGroup", "e2m1*e2m1->f32 K=2 scale=ue4m3/2 : round[f32 rne](fuse[F=# rz](g*[G=2]))",
                  "e2m1*e2m1->f32 K=2 scale=ue4m3/2 : round[f32 rne](fuse[exact](g*[G=2]))", 36, 35},
};
// clang-format on

/// What a rule says of a pair of units at one number.
class Pair {
  public:
    Pair(const Rule& rule, int number, std::string_view mode)
        : one_(rule.unit(rule.one, number, mode)), other_(rule.unit(rule.other, number, mode)),
          inputs_(input_variables(terms_, one_)), d1_(encode(terms_, one_, inputs_)),
          d2_(encode(terms_, other_, inputs_)), circuits_(terms_, {d1_, d2_}), model_(one_), other_model_(other_) {}

    const Unit& unit() const { return one_; }
    bool one_term() const { return d1_ == d2_; }
    /// Whether the two units have been seen to differ.
    bool differ() const { return differ_; }

    /// What is wrong on these inputs, if anything.
    std::optional<std::string> check(const InputBuffer& x, bool exactly) {
        const Inputs inputs = x.inputs();
        set_inputs(circuits_, inputs_, inputs);
        circuits_.run();
        const std::uint64_t first = model_(inputs), second = other_model_(inputs);
        differ_ = differ_ || !same_result(one_, first, second);
        if (!same_result(one_, circuits_.low(d1_), first)) return describe(one_, x, circuits_.low(d1_), first);
        if (!same_result(other_, circuits_.low(d2_), second)) return describe(other_, x, circuits_.low(d2_), second);
        if (exactly && !same_result(one_, first, evaluate_exactly(one_, inputs)))
            return describe(one_, x, first, evaluate_exactly(one_, inputs));
        return std::nullopt;
    }

  private:
    Unit one_, other_;
    Terms terms_;
    InputTerms inputs_;
    Term d1_, d2_;
    TermEvaluator circuits_;
    Evaluator model_, other_model_;
    bool differ_ = false;
};

/// Bits of inputs of which all values are tried.
int few() { return sweep(0) > 0 ? 20 : 16; }

/// All inputs, or vectors of every family and of the ends of the formats.
std::optional<std::string> check(Pair& pair, int vectors) {
    const InputBits bits(pair.unit());
    InputBuffer x;
    if (bits.count() <= few()) {
        for (std::uint64_t i = 0; i < 1ull << bits.count(); ++i)
            if (auto wrong = pair.check(bits.at(i, x), false)) return wrong;
        return std::nullopt;
    }
    for (const Family family : families) {
        InputGenerator generator(pair.unit(), family, 1);
        for (int i = 0; i < vectors; ++i) {
            generator.next(x);
            if (auto wrong = pair.check(x, true)) return wrong;
        }
    }
    Random random(1);
    for (int i = 0; i < vectors; ++i)
        if (auto wrong = pair.check(bits.edges(random, x), true)) return wrong;
    return std::nullopt;
}

class Rules : public testing::TestWithParam<Rule> {};

TEST_P(Rules, GoAsFarAsTheyMay) {
    const Rule& rule = GetParam();
    bool seen = false;
    for (const std::string_view mode : rule.modes_that_matter()) {
        for (const int number : {rule.same, rule.beyond, 2 * rule.same - rule.beyond}) {
            SCOPED_TRACE(std::string(mode) + " " + std::to_string(number));
            Pair pair(rule, number, mode);
            if (number != 2 * rule.same - rule.beyond) {
                EXPECT_EQ(pair.one_term(), number == rule.same);
            }
            const auto wrong = check(pair, sweep(number == rule.same ? 1500 : 500));
            EXPECT_FALSE(wrong) << *wrong;
            if (number == rule.same) {
                EXPECT_FALSE(pair.differ());
            }
            seen = seen || (number == rule.beyond && pair.differ());
        }
    }
    if (InputBits(rule.unit(rule.one, rule.same, "rz")).count() > few()) return;
    EXPECT_EQ(seen, rule.sharp) << "whether the units differ one step beyond";
}

/// A condition that holds where the space's term under a member's parameters is not the term of the member.
Term wrong_member(Terms& t, const parametric::Family& family, std::span<const Unit> members, const InputTerms& inputs) {
    std::vector<parametric::Box> boxes;
    for (const parametric::Assignment& member : family.members) {
        boxes.emplace_back();
        for (const std::size_t value : member) boxes.back().sets.push_back(parametric::ValueSet::single(value));
    }
    const ParameterTerms parameters(t, family.structure, boxes, "x");
    const Term d = encode(t, family.structure, parameters, inputs);
    std::vector<Term> wrong;
    for (std::size_t i = 0; i < members.size(); ++i) {
        std::vector<Term> all = {results_differ(t, members[i], members[i], d, encode(t, members[i], inputs))};
        for (std::size_t slot = 0; slot < family.members[i].size(); ++slot) {
            const auto& variable = parameters.variables()[slot];
            if (variable) all.push_back(t.eq(*variable, t.constant(t.width(*variable), family.members[i][slot])));
        }
        wrong.push_back(t.all_of(all));
    }
    return t.any_of(wrong);
}

/// Rules at real widths that a solver gets through in seconds.
const std::set<std::string_view> provable = {"RealLimit", "RealLimitOfScaled"};

// No rule knows the number of a space that has two, so this holds every fold to a term without it.
TEST_P(Rules, ChangeNothingThatASolverFinds) {
    if (backends().empty()) GTEST_SKIP() << "this build has no solver";
    const Rule& rule = GetParam();
    const std::string_view mode = rule.modes_that_matter().front();
    for (const char* text : {rule.one, rule.other}) {
        const Unit units[] = {rule.unit(text, rule.same, mode), rule.unit(text, rule.beyond, mode)};
        const auto family = parametric::family_of(units);
        if (!family || units[0] == units[1]) continue;
        if (InputBits(units[0]).count() > 20 && provable.count(rule.name) == 0) continue;
        Terms terms(Terms::Order::as_written);
        const Term wrong = wrong_member(terms, *family, units, input_variables(terms, units[0]));
        const auto solver = backends().front().make(terms, 1);
        solver->require(wrong);
        EXPECT_EQ(name(solver->check(Limit::after(60))), name(Outcome::unsat)) << to_string(units[0]);
    }
}

std::string name_of(const testing::TestParamInfo<Rule>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Encode, Rules, testing::ValuesIn(rules), name_of);

} // namespace
} // namespace discern
