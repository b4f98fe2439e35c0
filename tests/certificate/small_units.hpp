// Units of so few bits of input that all inputs can be tried, which between them have every value of every parameter.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace discern::tests {

/// Units by a text with choices in braces.
struct Small {
    const char* name;
    int bits; ///< of a vector, at most
    std::vector<std::string> texts;
};
inline std::ostream& operator<<(std::ostream& out, const Small& small) { return out << small.name; }

inline const Small small_units[] = {
    // Of nine bits on purpose: with fewer, an invalid operation has the NaN of a factor.
    {"KindsOfNan",
     18,
     {"e2m6ieee*e2m6ieee->e3m2ieee K=1 nan=rdna : round[e3m2ieee rz](p0)",
      "e2m1ieee*e2m1ieee+e3m2ieee->e3m2ieee K=1 nan=rdna : round[e3m2ieee rz](fuse[F=4 {frame=c|floor=-9}](p*, c "
      "@[less=2]))",
      "e2m1ieee*e2m1ieee+e3m2ieee->e3m2ieee K=1 nan=rdna : round[e3m2ieee rz](round[e3m3ieee rne](fuse[F=4](p*, c)))",
      "e2m1ieee*e2m1ieee+e3m2ieee->e3m2ieee K=1 nan=rdna : round[e3m2ieee rz](fuse[F=4](round[e3m3ieee rne](p*), c))"}},
    {"OneProductOfE2m1",
     12,
     {"e2m1*e2m1+e2m1->e4m3 K=1 nan={7f|any} : round[e4m3 {rz|rd|ru|rne|rna|odd|ra|rnu|rnd|rnz|rno} "
      "ftz={none|result|before:pos|after}]("
      "fuse[F=1](p*, c))",
      "e2m1*e2m1+e2m1->e5m2 K=1 : round[e5m2 {rz|rd|rne} zsign={pos|ieee} usign={pos|keep}]("
      "fuse[F={0|2} {rd|rne|rna|odd|ra|rnu|rnd|rnz|rno} zero={ignore|emin|3} floor=-1](p*[full], c))",
      "e2m1*e2m1+e2m1->e4m3fnuz K=1 : round[e4m3fnuz {rne|rd}](fuse[F={0|3} {sticky|carry=0|carry=1}]("
      "p*[{carry|limit=2|limit=3:counts|ftz|ftz=pos}], c[{ftz|ftz=pos}] @[drop={0|1}]))"}},
    {"FlushedOperandsAndEmptyGroups",
     14,
     {"e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 {rne|rd}](fuse[F=1](p*[{ftz=pos|ftz=plus}], c[{ftz|ftz=pos|ftz=plus}]))",
      "e2m1*e2m1+e3m2->e4m3 K=1 : round[e4m3 rz](fuse[F=0 zero={emin|3}](g*[G=1 empty={ignore|3|-2}], c))"}},
    {"FlushedResultsAndOverflow",
     12,
     {"e3m2*e3m2->e4m3 K=1 : round[e4m3 {rd|rne} ftz={none|result|result:pos|after|after:pos|before|before:pos} "
      "usign={pos|keep}](p0)",
      "e3m2*e3m2->e3m2ieee K=1 : round[e3m2ieee {rz|rd|ru|rne|rna|odd|ra|rnu|rnd|rnz|rno} "
      "overflow={inf|max|ieee}](p0[limit={4|7}])"}},
    {"WiderAccumulators",
     16,
     {"e2m1*e2m1+e4m3->e5m2 K=1 : round[e5m2 rz](fuse[F={2|5} zero={emin|ignore}](p*, c[as={f16|f32} ftz]))",
      "e2m1*e2m1+e4m3->e5m2 K=1 : round[e5m2 rz](fuse[exact](p*, c[as=f16]))"}},
    {"WiderOperands",
     14,
     {"e2m1*e3m2+e2m1->e4m3 K=1 : round[e4m3 {rz|rne}](fuse[F={1|4} zero={emin|ignore}](p*[as={e3m2|f16} "
      "{|carry|full|ftz|limit=3:counts}], c))",
      "e2m3*e2m1+e2m1->e4m3 K=1 : round[e4m3 rz](fuse[F={1|3} zero={emin|ignore}](p*[{as=e3m3f|as=e2m4f|as=e4m3ieee "
      "nanzero}], c))"}},
    {"ExponentsThatCountLess",
     12,
     {"e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 {rne|rd}](fuse[F={0|2} {rz|rne}](p* @[less={0|1|3}], c @[less={0|2|5}]))",
      "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rz](fuse[F=1 frame={none|c} zero={emin|3}](p*, c @[less={1|2}]))",
      "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rz](fuse[F={1|2} {carry=0|sticky|step=2}](p* @[drop=1 less=1], c "
      "@[drop={0|2} "
      "less={1|4}]))",
      "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne](fuse[F=0](fuse[F=1 {rz|rd}](p*) @[less={0|2}], fuse[exact](c) "
      "@[exact less={0|3}]))"}},
    {"Frames",
     12,
     {"e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 {rne|rd}](fuse[F={0|2} {rz|rne} frame={c|c_or_plus|nonzero_c} floor=1]("
      "p*, c))",
      "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne](fuse[F=0 frame={c|c_or_plus|nonzero_c} opposed={all|nonzero|kept} "
      "zero={emin|3}](p*, c))",
      "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rz](fuse[carry=0 frame=c](p* @[F=2], c @[F=1]))",
      "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 {rz|rd}](fuse[F=1 {carry=1|plus|step=4} frame=c_or_plus opposed=kept]("
      "p*[{carry|full|limit=3|ftz=plus}], c[ftz]))",
      // A sum that is +0 whatever its terms are, beside a c that may be −0.
      "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 {rne|rd}](fuse[exact](fuse[F=1 plus](p*), c))"}},
    {"Steps",
     12,
     {"e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rz](fuse[F={1|3} step=4 {phase=1|phase=3}](p*, c))",
      "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rz](fuse[F=2 step={2|8|64} floor=-1](p*, c))",
      "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne](fuse[F={0|3} {rne|ru} step=2 {phase=0|phase=1} zero={emin|-3}]("
      "p*[carry], c @[drop=1]))"}},
    {"SpecialProducts",
     12,
     {"e2m1ieee*e2m1ieee+e2m1->e4m3 K=1 : round[e4m3 rz](fuse[F=2 zero=emin]("
      "p*[{infnan|nanzero|infzero|nanzero infzero|infnan nanzero|nanzero ftz=pos}], c))",
      "e2m1ieee*e2m1ieee->e4m3ieee K=1 nan=x86 : round[e4m3ieee rz](fuse[exact](p*[{infnan|nanzero|infzero}]))",
      "e2m1ieee*e2m1ieee+e2m1ieee->e4m3ieee K=1 : round[e4m3ieee rne](fuse[F=2](p*[limit={1|3}{:counts|}], c))"}},
    {"TwoProductsOfE2m1",
     16,
     {"e2m1*e2m1->e4m3 K=2 : round[e4m3 {rz|rd} zsign=ieee](fuse[{exact|F=2 ru|F=2 rna|F=1 carry=0|F=1 sticky}]("
      "{p*|g*[G=2]}))",
      "e2m1*e2m1->e4m3 K=2 : round[e4m3 {rne|rd}](fuse[F=0 rz floor={-1|3}](fuse[F=1 plus](p*)))",
      "e2m1*e2m1->e5m2 K=2 : round[e5m2 rne](fuse[exact](round[e4m3 {rz|rd|rne}](p0), "
      "fuse[F={0|1} floor=1](p1) @[zero={ignore|emin|1}]))",
      // A sum in which no term takes part has no exponent, and its parent's terms may be far below any that it could
      // have.
      "e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 rz](fuse[F=1](fuse[F=2](p*) @[zero=emin], c))"}},
    {"Chains", 20, {"e2m1*e2m1+e2m1->e4m3 K=2 L=1 {c=last|interleave=1} : round[e4m3 rne](fuse[F=2](p*, c))"}},
    {"PairsOfE3m2AndE4m3",
     16,
     {"e3m2*e3m2->e4m3 K=1 : round[e4m3 {rz|rd|ru|rne|rna|odd|ra|rnu|rnd|rnz|rno} ftz={none|result|before|after}]("
      "fuse[{exact|F=3 rd|F=3 rna}](p*[{carry|full|limit=3}]))",
      "e4m3*e4m3->{e4m3|e5m2|e4m3fnuz} K=1 nan=any : round[{e4m3|e5m2|e4m3fnuz} {rne|ru} overflow={inf|ieee}]("
      "fuse[exact](p*[{ftz|limit=8|full}]))",
      "e4m3*e4m3->e4m3 K=1 : round[e4m3 {rne|ru} ftz={result|after|before:pos}](p0)",
      "e5m2*e4m3fnuz->e5m2 K=1 nan={x86|7d} : round[e5m2 {odd|rne}](p0)"}},
    {"InfinitiesAndNoMinusZero",
     14,
     {"e2m1inuz*e2m1inuz+e2m1inuz->e2m2inuz K=1 nan={10|any} : round[e2m2inuz "
      "{rz|rd|ru|rne|rna|odd|ra|rnu|rnd|rnz|rno} overflow={inf|max|ieee}](fuse[exact](p*[{|infnan|infzero}], c))",
      "e2m1inuz*e2m2inuz->e3m2inuz K=1 : round[e3m2inuz {rne|odd} ftz={result|after:pos}](fuse[F=1 rz](p*[limit=2]))",
      "e2m2inuz*e2m1inuz+e2m1inuz->e3m2ieee K=1 : round[e3m2ieee {rne|rd}](fuse[exact](round[{e2m1inuz|e2m2inuz} "
      "{rne|odd} overflow={inf|max}](p*[{|ftz=plus nanzero}]), c))"}},
    {"FixedPoint",
     14,
     {"e2m1*e2m1->{fix4.1|fix2.0|fix3.3} K=1 nan=any : round[{fix4.1|fix2.0|fix3.3} "
      "{rz|rd|ru|rne|rna|odd|ra|rnu|rnd|rnz|rno}](fuse[{exact|F=1 rd|F=0 carry=0}](p*))",
      "fix3.1*e2m1+fix4.2->fix4.2 K=1 : round[fix4.2 {rne|rd|odd}](fuse[{exact|F=1|F=2 "
      "sticky}](p*[{|carry|full|ftz|limit=1|limit=2:counts}], c))",
      "fix2.0*fix3.1+fix3.3->fix3.1 K=1 : round[fix3.1 {rne|rd}](fuse[F={0|1|2} "
      "{|zero=emin|frame=c|step=2|floor=1}](p*[{|full}], c[{|as=f16}]))",
      "fix2.0*fix2.0+e3m2->fix5.3 K=2 L=1 {|c=last} : round[fix5.3 {rz|ru}](fuse[{exact|F=2}](p*, c))",
      "e2m1ieee*e2m1ieee+fix4.1->e3m2ieee K=1 : round[e3m2ieee {rz|rd}](fuse[exact](round[{fix2.0|fix4.0|fix6.4} "
      "{rne|rd}](p0), c))",
      "e2m1ieee*fix2.0+e2m1ieee->fix4.0 K=1 : round[fix4.0 rne](fuse[exact](p*, c))",
      "fix3.1*fix2.2->fix4.1 K=2 : round[fix4.1 rne](fuse[F={1|3}](g*[G=2]))"}},
};

} // namespace discern::tests
