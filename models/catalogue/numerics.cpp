// Numerics: the parameters of every unit and how its tree is built from them.
//
// Xie et al., Tables 4 to 7; floors of the maximum exponent from the later revisions of Khattak and Mikaitis' toolbox;
// what revision 2.1.1 of the paper's simulator has otherwise, which also is what a row is without Readings::paper;
// RISC-V from the ISA manual's rvbna section; x86 as measured. Families are the paper's elementary operations.
#include "models/notation.hpp"
#include "models/unit/tree_shape.hpp"
#include "written.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace discern::tables {

namespace {

using enum FormatId;
using enum Arch;

enum class Family : std::uint8_t { T, ST, GST, E, FTZ, FMA, TR, GTR, ILV, VDPBF16PS, DPPS, BNA };

constexpr std::array<std::string_view, 12> family_names = {
    "T-FDPA",  "ST-FDPA",  "GST-FDPA",           "E-FDPA",        "FTZ-AddMul", "FMA",
    "TR-FDPA", "GTR-FDPA", "T-FDPA interleaved", "FMA, flushing", "pairwise",   "BNA"};

constexpr int no_floor = 1; // no maximum exponent is floored at a positive number

/// One row of the paper's tables. L_max: products of a block (FTZ: P); round: format and mode of ρ.
struct Numerics {
    Architectures on;
    Input input;
    FormatId d;
    Family family;
    int L_max;
    int F;
    FormatId round_format;
    Rounding round_mode;
    int floor = no_floor; ///< of the maximum exponent; of groups the exponent of an empty one and of a zero c
};

constexpr Rounding rz = Rounding::rz, rne = Rounding::rne;
constexpr int F2 = 31, G = 16; // Table 7; Table 5

constexpr Numerics rows[] = {
    {volta, Input::f16, f32, Family::T, 4, 23, f32, rz},
    {volta, Input::f16, f16, Family::T, 4, 23, f16, rne, -19},
    {turing, Input::f16_as_volta, f32, Family::T, 4, 23, f32, rz},
    {turing, Input::f16_as_volta, f16, Family::T, 4, 23, f16, rne, -19},

    {{turing, ada}, Input::f16, f32, Family::T, 8, 24, f32, rz, -132},
    {{turing, ada}, Input::f16, f16, Family::T, 8, 24, f16, rne, -20},
    {{ampere, ada}, Input::tf32, f32, Family::T, 4, 24, f32, rz, -132},
    {{ampere, ada}, Input::bf16, f32, Family::T, 8, 24, f32, rz, -132},

    {{hopper, rtxblackwell}, Input::tf32, f32, Family::T, 8, 25, f32, rz, -133},
    {{hopper, rtxblackwell}, Input::bf16, f32, Family::T, 16, 25, f32, rz, -133},
    {{hopper, rtxblackwell}, Input::f16, f32, Family::T, 16, 25, f32, rz, -133},
    {{hopper, rtxblackwell}, Input::f16, f16, Family::T, 16, 25, f16, rne, -21},

    {ada, Input::fp8, f32, Family::T, 16, 13, e8m13, rz},
    {ada, Input::fp8, f16, Family::T, 16, 13, f16, rne},
    {hopper, Input::fp8, f32, Family::T, 32, 13, e8m13, rz},
    {hopper, Input::fp8, f16, Family::T, 32, 13, f16, rne},
    {{hopper, blackwell}, Input::fp8_via_f16, f32, Family::ILV, 16, 25, f32, rz},
    {{hopper, blackwell}, Input::fp8_via_f16, f16, Family::ILV, 16, 25, f16, rne},

    {{blackwell, rtxblackwell}, Input::f8f6f4, f32, Family::T, 32, 25, f32, rz},
    {{blackwell, rtxblackwell}, Input::f8f6f4, f16, Family::T, 32, 25, f16, rne},
    {{blackwell, rtxblackwell}, Input::mx, f32, Family::ST, 32, 25, f32, rz, -133},
    {{blackwell, rtxblackwell}, Input::mxf4, f32, Family::GST, 64, 35, f32, rz, -139},

    {{ampere, rtxblackwell}, Input::f64, f64, Family::FMA, 1, 0, f64, rne},

    {cdna1, Input::bf16, f32, Family::E, 2, 0, f32, rne},
    {cdna1, Input::f16, f32, Family::E, 4, 0, f32, rne},
    {cdna2, Input::bf16, f32, Family::FTZ, 2, 0, f32, rne},
    {cdna2, Input::bf16_1k, f32, Family::FTZ, 4, 0, f32, rne},
    {cdna2, Input::f16, f32, Family::FTZ, 4, 0, f32, rne},
    {{cdna1, cdna3}, Input::f32, f32, Family::FMA, 1, 0, f32, rne},
    {{cdna2, cdna3}, Input::f64, f64, Family::FMA, 1, 0, f64, rne},
    {cdna3, Input::tf32, f32, Family::TR, 4, 24, f32, rne},
    {cdna3, Input::bf16, f32, Family::TR, 8, 24, f32, rne},
    {cdna3, Input::f16, f32, Family::TR, 8, 24, f32, rne},
    {cdna3, Input::fp8, f32, Family::GTR, 16, 24, f32, rne},

    {x86, Input::vdpbf16ps, f32, Family::VDPBF16PS, 2, 0, f32, rne},
    {x86, Input::dpps, f32, Family::DPPS, 4, 0, f32, rne},
    {x86, Input::fma, f32, Family::FMA, 1, 0, f32, rne},

    {riscv, Input::bna, f32, Family::BNA, 0, 0, f32, Rounding::odd},
};

const Numerics& numerics_of(const Identity& identity) {
    const auto row = std::find_if(std::begin(rows), std::end(rows), [&](const Numerics& n) {
        return n.on.contains(identity.arch) && n.input == identity.input && n.d == identity.d;
    });
    if (row == std::end(rows)) throw std::logic_error("the catalogue has no numerics for " + identity.instruction);
    return *row;
}

// ---- pieces of trees ----

Child child(Node node, std::optional<int> F, Rounding rounding) {
    const auto zero = is_leaf(node) ? ZeroExponent{} : ZeroExponent{ZeroExponent::Kind::own, 0};
    return {.node = {std::move(node)}, .F = F, .rounding = rounding, .zero = zero, .drop = {}};
}

Node fuse(std::vector<Child> children, std::optional<int> floor = std::nullopt) {
    return {Fuse{std::move(children), floor, {}}};
}

Node round(Round rule, Node below) {
    rule.child = {std::move(below)};
    return {rule};
}

Round ieee(FormatId to, Rounding mode) {
    Round rule;
    rule.format = to;
    rule.mode = mode;
    return rule;
}

/// ρ of the FDPA operations: overflow to infinity, +0 for an exact zero; a result that underflows to zero is +0 under
/// RZ and in fp16, and keeps its sign under RNE-FP32.
Round rho(const Numerics& n) {
    Round rule = ieee(n.round_format, n.round_mode);
    rule.overflow = Overflow::infinity;
    rule.zsign_ieee = false;
    rule.usign_keep = n.round_mode == rne && n.round_format == f32;
    return rule;
}

const Node all_products{Product{}};
const Node c_leaf{Accumulator{}};

// ---- one function a family ----

/// Algorithms 7 and 8 (scales only add to the exponents), and 6 with exact alignment. What the assembler expands to
/// fp16 instructions converts its fp8 operands first.
Node fdpa(const Numerics& n, std::optional<int> F, Readings readings) {
    const bool none = n.floor == no_floor || (n.family == Family::ST && readings == Readings::paper);
    const auto floor = none ? std::nullopt : std::optional(n.floor);
    Product products;
    if (n.input == Input::fp8_via_f16) products.as = f16;
    return round(rho(n), fuse({child({products}, F, rz), child(c_leaf, F, rz)}, floor));
}

/// Algorithm 9. In the paper's revision a group of zeros takes part in the maximum with its scales' exponent and a zero
/// c does not. Since then an empty group and a zero c have an exponent of their own; a group that cancels keeps its
/// scales'.
Node gst(const Numerics& n, Readings readings) {
    const ZeroExponent own{ZeroExponent::Kind::own, 0};
    const ZeroExponent zero{ZeroExponent::Kind::constant, n.floor};
    const bool paper = readings == Readings::paper;
    Child groups = child({Group{{0, 1}, G, paper ? own : zero}}, n.F, rz);
    groups.zero = own;
    Child c = child(c_leaf, n.F, rz);
    if (!paper) c.zero = zero;
    return round(rho(n), fuse({groups, c}));
}

/// Algorithm 3.
Node fma(const Numerics& n) {
    return round(ieee(n.round_format, rne), fuse({child(all_products, {}, rz), child(c_leaf, {}, rz)}));
}

/// Algorithms 1 and 2. In the paper's revision -0 keeps its sign.
Node ftz_addmul(const Numerics& n, Readings readings) {
    Round rule = ieee(n.round_format, rne);
    rule.ftz = Flush::result;
    Product p;
    p.ftz = true;
    p.fsign_keep = false;
    Accumulator c;
    c.ftz = true;
    c.fsign_keep = false;
    p.zin_keep = c.zin_keep = readings == Readings::paper;
    return pairwise_tree(n.L_max, rule, p, true, c);
}

constexpr int product_limit = 128; // §4.2: |s·2^e| ≥ 2^128 overflows

/// The last steps of Algorithms 10 and 11, where the sum of products meets c. The paper's revision truncates the sum of
/// products to F2 bits, a zero c takes no part, and an overflowing product yields to an infinity of the inputs. In
/// later revisions that sum keeps one bit more, and the total is normalised and truncated to F2 bits.
Node with_c(const Numerics& n, Node products, Child c, Readings readings) {
    c.zero = readings == Readings::paper ? ZeroExponent{} : ZeroExponent{ZeroExponent::Kind::own, 0};
    if (readings == Readings::paper) return round(rho(n), fuse({child(std::move(products), F2, Rounding::rd), c}));
    Round truncating = ieee(*format_of_fields(8, F2, Specials::ieee), Rounding::rd);
    truncating.overflow = Overflow::infinity;
    return round(rho(n), round(truncating, fuse({child(std::move(products), F2 + 1, Rounding::rd), c})));
}

Node limited_products(Selection which, Readings readings) {
    Product p;
    p.which = which;
    p.limit = product_limit;
    p.oinf_yields = readings == Readings::paper;
    return {p};
}

/// Algorithm 10.
Node tr(const Numerics& n, Readings readings) {
    const Node sum = fuse({child(limited_products({0, 1}, readings), n.F, rz)});
    return with_c(n, sum, child(c_leaf, n.F, Rounding::rd), readings);
}

/// Algorithm 11.
Node gtr(const Numerics& n, Readings readings) {
    const Node even = fuse({child(limited_products({0, 2}, readings), n.F, rz)});
    const Node odd = fuse({child(limited_products({1, 2}, readings), n.F, rz)});
    const Node sum = fuse({child(even, n.F, Rounding::rd), child(odd, n.F, Rounding::rd)});
    Child c = child(c_leaf, n.F, Rounding::rd);
    c.drop = n.F + 1;
    return with_c(n, sum, c, readings);
}

/// Two flushing FMAs, the odd element first.
Node vdpbf16ps() {
    Round rule = ieee(f32, rne);
    rule.ftz = Flush::after;
    const auto product = [](int k) {
        Product p;
        p.which = {k, 0};
        p.ftz = true;
        return Node{p};
    };
    Accumulator c;
    c.ftz = true;
    const Node t = round(rule, fuse({child(product(1), {}, rz), child({c}, {}, rz)}));
    return round(rule, fuse({child(product(0), {}, rz), child(t, {}, rz)}));
}

/// Bulk-normalised: aligned with jamming to q − 1 + ceil(log2 n) fraction bits, rounded to odd; then c, rounded to odd.
Node bna(int n) {
    Round rule = ieee(f32, Rounding::odd);
    rule.overflow = Overflow::infinity;
    const int guard = static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1)));
    Round inner = rule;
    inner.zsign_ieee = false;
    const Node sum = round(inner, fuse({child(all_products, 23 + guard, Rounding::odd)}));
    return round(rule, fuse({child(sum, {}, rz), child(c_leaf, {}, rz)}));
}

Node tree_of(const Numerics& n, int L, Readings readings) {
    switch (n.family) {
    case Family::T:
    case Family::ST:
    case Family::ILV: return fdpa(n, n.F, readings);
    case Family::E: return fdpa(n, std::nullopt, readings);
    case Family::GST: return gst(n, readings);
    case Family::FTZ: return ftz_addmul(n, readings);
    case Family::FMA: return fma(n);
    case Family::TR: return tr(n, readings);
    case Family::GTR: return gtr(n, readings);
    case Family::VDPBF16PS: return vdpbf16ps();
    case Family::DPPS: return pairwise_tree(n.L_max, ieee(f32, rne), Product{}, false, {});
    case Family::BNA: return bna(L);
    }
    throw std::logic_error("unknown family");
}

/// NaN of d: NVIDIA's all ones; canonical and open on AMD and for fp64; x86 as its manual says; RISC-V canonical.
NanRule nan_of(const Identity& identity) {
    const Arch arch = identity.arch;
    if (arch == x86) return {identity.input == Input::dpps ? NanRule::Kind::any : NanRule::Kind::propagate, 0};
    if (arch == riscv) return {NanRule::Kind::pattern, 0x7fc00000};
    if (arch == cdna1 || arch == cdna2 || arch == cdna3 || identity.d == f64) return {NanRule::Kind::any, 0};
    return {NanRule::Kind::pattern, identity.d == f16 ? 0x7fffull : 0x7fffffffull};
}

} // namespace

Unit build_unit(const Identity& identity, int K, Readings readings) {
    if (identity.input == Input::written) return parse_unit(identity.notation);
    const Numerics& n = numerics_of(identity);
    Unit unit;
    unit.a = identity.a;
    unit.b = identity.b;
    unit.c = identity.c;
    unit.d = identity.d;
    unit.scale = identity.scale;
    unit.K = K;
    unit.L = n.family == Family::BNA ? K : std::min(K, n.L_max);
    if (n.family == Family::ILV) { // two calls of K/2 products each
        unit.L = std::max(1, std::min(K / 2, n.L_max));
        unit.interleave = 2;
        unit.place = AccumulatorPlace::last;
    }
    unit.nan = nan_of(identity);
    unit.tree = tree_of(n, unit.L, readings);
    return unit;
}

std::string family_of(const Identity& identity) {
    for (const WrittenUnit& unit : written_units())
        if (unit.arch == identity.arch && unit.instruction == identity.instruction) return std::string(unit.what);
    return std::string(family_names[static_cast<std::size_t>(numerics_of(identity).family)]);
}

} // namespace discern::tables
