#include "overrides.hpp"

#include "error.hpp"
#include "suggest.hpp"
#include "tree_names.hpp"
#include "tree_shape.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace discern {

namespace {

/// One key=value being applied; knows how to complain about itself.
struct Setting {
    std::string_view key;
    std::string_view value;

    [[noreturn]] void wrong(const std::string& expected) const {
        throw Error("override " + std::string(key) + "=" + std::string(value.substr(0, 40)) + ": " + expected);
    }
    [[noreturn]] void meaningless(const std::string& why) const { wrong("means nothing for this unit, " + why); }
    int integer(const std::string& expected) const {
        int number = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc() || end != value.data() + value.size() || value.size() > 7)
            wrong(expected + " is right");
        return number;
    }
    /// A whole number, or nothing for the given word.
    std::optional<int> integer_or(std::string_view word) const {
        if (value == word) return std::nullopt;
        return integer("a whole number or " + std::string(word));
    }
    template <typename T, std::size_t N>
    T choice(const Names<T, N>& names) const {
        if (const auto found = find_name(names, value)) return *found;
        wrong(choices(names) + " is right");
    }
};

std::string text_or(const std::optional<int>& value, std::string_view word) {
    return value ? std::to_string(*value) : std::string(word);
}

std::vector<Fuse*> require_product_fuses(Unit& unit, const Setting& s) {
    auto fuses = product_fuses(unit);
    if (fuses.empty()) s.meaningless("whose products are rounded one by one and not aligned in a fused sum");
    return fuses;
}

std::vector<Product*> require_products(Unit& unit, const Setting& s) {
    auto leaves = products(unit);
    if (leaves.empty()) s.meaningless("which sums groups and has no single products");
    return leaves;
}

Accumulator& require_accumulator(Unit& unit, const Setting& s) {
    Accumulator* c = accumulator(unit);
    if (c == nullptr) s.meaningless("which has no accumulator");
    return *c;
}

// ---- structure ----

void set_P(Unit& unit, const Setting& s) {
    const int P = s.integer("a power of two from 2 to 64");
    if (P < 2 || P > 64 || (P & (P - 1)) != 0) s.wrong("a power of two from 2 to 64 is right");
    const auto* root = std::get_if<Round>(&unit.tree.kind);
    if (!product_fuses(unit).empty() || root == nullptr) s.meaningless("which does not add products in pairs");
    Round rounding = *root;
    rounding.child.clear();
    const Accumulator* c = accumulator(unit);
    unit.tree = pairwise_tree(P, rounding, *products(unit).front(), c != nullptr, c != nullptr ? *c : Accumulator{});
    unit.L = P;
}

std::string get_P(Unit& unit) { return product_fuses(unit).empty() && unit.L > 1 ? std::to_string(unit.L) : ""; }

void set_G(Unit& unit, const Setting& s) {
    const auto leaves = groups(unit);
    if (leaves.empty()) s.meaningless("which has no groups (G is for GST-FDPA)");
    for (Group* g : leaves) g->size = s.integer("the number of products in a group");
}

std::string get_G(Unit& unit) {
    const auto leaves = groups(unit);
    return leaves.empty() ? "" : std::to_string(leaves.front()->size);
}

void set_L(Unit& unit, const Setting& s) { unit.L = s.integer("the number of products in a block"); }

void set_K(Unit& unit, const Setting& s) {
    unit.K = s.integer("the number of products");
    unit.L = std::min(unit.K, unit.L);
}

void set_interleave(Unit& unit, const Setting& s) { unit.interleave = s.integer("0 or the length of a run"); }

/// Takes the accumulator out of the tree; returns how it was aligned.
Child remove_accumulator(Unit& unit, const Setting& s) {
    std::vector<Fuse*> fuses = product_fuses(unit);
    const auto sums = sum_fuses(unit);
    fuses.insert(fuses.end(), sums.begin(), sums.end());
    if (auto* root = std::get_if<Round>(&unit.tree.kind))
        if (auto* fuse = std::get_if<Fuse>(&root->get().kind)) fuses.push_back(fuse);
    for (Fuse* fuse : fuses)
        for (auto child = fuse->children.begin(); child != fuse->children.end(); ++child) {
            if (!is_accumulator(child->get()) || fuse->children.size() < 2) continue;
            Child removed = *child;
            fuse->children.erase(child);
            return removed;
        }
    s.wrong("c cannot be moved in this tree; early, late and last are for trees where c is a term of a fuse");
}

void set_c(Unit& unit, const Setting& s) {
    enum class Place { early, late, last };
    const Place place =
        s.choice(Names<Place, 3>{{{"early", Place::early}, {"late", Place::late}, {"last", Place::last}}});
    require_accumulator(unit, s);
    unit.place = place == Place::last ? AccumulatorPlace::last : AccumulatorPlace::chained;
    const bool is_late = has_late_accumulator(unit);
    if (place == Place::last || (place == Place::early && !is_late)) return;
    const Child c = remove_accumulator(unit, s);
    if (is_late) { // the root is now a round over a fuse of the block's own round alone
        Node block = std::get<Fuse>(std::get<Round>(unit.tree.kind).get().kind).children.front().get();
        unit.tree = std::move(block);
    }
    if (place == Place::early) {
        auto fuses = product_fuses(unit);
        if (fuses.size() != 1) s.wrong("early needs a tree with one fused sum of products");
        Child aligned = fuses.front()->children.front();
        aligned.node = c.node;
        fuses.front()->children.push_back(aligned);
        return;
    }
    Fuse sum;
    sum.children = {Child{{unit.tree}, {}, Rounding::rz, {ZeroExponent::Kind::own, 0}, {}},
                    Child{c.node, {}, Rounding::rz, {}, {}}};
    Round addition; // IEEE, in d's format
    addition.format = unit.d;
    addition.child = {Node{sum}};
    unit.tree = {addition};
}

std::string get_c(Unit& unit) {
    if (accumulator(unit) == nullptr) return "";
    if (unit.place == AccumulatorPlace::last) return "last";
    return has_late_accumulator(unit) ? "late" : "early";
}

// ---- alignment ----

/// The alignment that the algorithms call F2: of the sum of products, where it meets c.
bool is_F2(const Fuse& fuse, const Child& child) {
    return is_fuse(child.get()) && std::any_of(fuse.children.begin(), fuse.children.end(),
                                               [](const Child& other) { return is_accumulator(other.get()); });
}

void set_F(Unit& unit, const Setting& s) {
    const std::optional<int> F = s.integer_or("exact");
    auto fuses = require_product_fuses(unit, s);
    const std::optional<int> before = fuses.front()->children.front().F;
    const auto sums = sum_fuses(unit);
    fuses.insert(fuses.end(), sums.begin(), sums.end());
    for (Fuse* fuse : fuses)
        for (Child& child : fuse->children) {
            if (is_F2(*fuse, child)) continue;
            child.F = F;
            // Algorithm 11, line 24: the special truncation of c is at F + 1.
            if (F && before && child.drop == *before + 1) child.drop = *F + 1;
        }
}

std::string get_F(Unit& unit) {
    const auto fuses = product_fuses(unit);
    return fuses.empty() ? "" : text_or(fuses.front()->children.front().F, "exact");
}

Child* F2_child(Unit& unit) {
    for (Fuse* fuse : sum_fuses(unit))
        for (Child& child : fuse->children)
            if (is_F2(*fuse, child)) return &child;
    return nullptr;
}

void set_F2(Unit& unit, const Setting& s) {
    Child* child = F2_child(unit);
    if (child == nullptr) s.meaningless("which has no two-level sum (F2 is for TR- and GTR-FDPA)");
    child->F = s.integer_or("exact");
}

std::string get_F2(Unit& unit) {
    const Child* child = F2_child(unit);
    return child == nullptr ? "" : text_or(child->F, "exact");
}

void set_align(Unit& unit, const Setting& s) {
    for (Fuse* fuse : require_product_fuses(unit, s))
        for (Child& child : fuse->children) child.rounding = s.choice(mode_names);
}

std::string get_align(Unit& unit) {
    const auto fuses = product_fuses(unit);
    if (fuses.empty() || !fuses.front()->children.front().F) return "";
    return std::string(name(fuses.front()->children.front().rounding));
}

void set_sum(Unit& unit, const Setting& s) {
    const auto fuses = sum_fuses(unit);
    if (fuses.empty()) s.meaningless("which has no two-level sum (sum is for TR- and GTR-FDPA)");
    for (Fuse* fuse : fuses)
        for (Child& child : fuse->children) child.rounding = s.choice(mode_names);
}

std::string get_sum(Unit& unit) {
    const auto fuses = sum_fuses(unit);
    return fuses.empty() ? "" : std::string(name(fuses.front()->children.front().rounding));
}

void set_zero(Unit& unit, const Setting& s) {
    auto zero = zero_exponent_from_text(s.value);
    if (!zero) zero = ZeroExponent{ZeroExponent::Kind::constant, s.integer("ignore, emin or a whole number")};
    auto fuses = require_product_fuses(unit, s);
    const auto sums = sum_fuses(unit);
    fuses.insert(fuses.end(), sums.begin(), sums.end());
    for (Fuse* fuse : fuses)
        for (Child& child : fuse->children)
            if (is_leaf(child.get())) child.zero = *zero;
}

std::string get_zero(Unit& unit) {
    const auto fuses = product_fuses(unit);
    if (fuses.empty() || !fuses.front()->children.front().F) return "";
    std::string text;
    for (const Child& child : fuses.front()->children) {
        const std::string one = to_string(child.zero);
        if (text.empty())
            text = one;
        else if (is_accumulator(child.get()) && text != one)
            text += ", c " + one;
    }
    return text;
}

void set_floor(Unit& unit, const Setting& s) {
    for (Fuse* fuse : require_product_fuses(unit, s)) fuse->floor = s.integer_or("none");
}

std::string get_floor(Unit& unit) {
    const auto fuses = product_fuses(unit);
    return fuses.empty() || !fuses.front()->children.front().F ? "" : text_or(fuses.front()->floor, "none");
}

void set_drop(Unit& unit, const Setting& s) {
    require_accumulator(unit, s);
    Child* child = accumulator_child(unit);
    if (child == nullptr || has_late_accumulator(unit)) s.meaningless("where c is no term of the fused sum");
    child->drop = s.integer_or("none");
}

std::string get_drop(Unit& unit) {
    const Child* child = accumulator_child(unit);
    return child == nullptr || !child->F ? "" : text_or(child->drop, "none");
}

void set_carry(Unit& unit, const Setting& s) {
    for (Fuse* fuse : require_product_fuses(unit, s)) fuse->carry = s.integer_or("wide");
}

std::string get_carry(Unit& unit) {
    const auto fuses = product_fuses(unit);
    return fuses.empty() || !fuses.front()->children.front().F ? "" : text_or(fuses.front()->carry, "wide");
}

// ---- leaves ----

void set_product(Unit& unit, const Setting& s) {
    for (Product* p : require_products(unit, s)) p->normalisation = s.choice(normalisation_names);
}

std::string get_product(Unit& unit) {
    const auto leaves = products(unit);
    return leaves.empty() ? "" : std::string(name_in(normalisation_names, leaves.front()->normalisation));
}

void set_limit(Unit& unit, const Setting& s) {
    for (Product* p : require_products(unit, s)) p->limit = s.integer_or("none");
}

std::string get_limit(Unit& unit) {
    const auto leaves = products(unit);
    return leaves.empty() ? "" : text_or(leaves.front()->limit, "none");
}

inline constexpr Names<bool, 2> limit_infinity_names = {{{"yields", true}, {"counts", false}}};

void set_oinf(Unit& unit, const Setting& s) {
    for (Product* p : require_products(unit, s)) {
        if (!p->limit) s.meaningless("which has no limit on products");
        p->limit_yields = s.choice(limit_infinity_names);
    }
}

std::string get_oinf(Unit& unit) {
    const auto leaves = products(unit);
    if (leaves.empty() || !leaves.front()->limit) return "";
    return std::string(name_in(limit_infinity_names, leaves.front()->limit_yields));
}

void set_as(Unit& unit, const Setting& s) {
    Accumulator& c = require_accumulator(unit, s);
    if (s.value == "none")
        c.as = std::nullopt;
    else
        c.as = require_format(s.value, "override as");
}

std::string get_as(Unit& unit) {
    const Accumulator* c = accumulator(unit);
    if (c == nullptr) return "";
    return c->as ? std::string(format(*c->as).name) : "none";
}

// ---- conversions ----

void set_round(Unit& unit, const Setting& s) {
    std::optional<FormatId> to;
    std::string_view mode_text = s.value;
    if (const auto colon = s.value.find(':'); colon != std::string_view::npos) {
        to = require_format(s.value.substr(0, colon), "override round");
        mode_text = s.value.substr(colon + 1);
    }
    const auto mode = rounding_from_name(mode_text);
    if (!mode) s.wrong(choices(mode_names) + " is right, or FORMAT:MODE");
    for (Round* round : final_rounds(unit)) {
        round->mode = *mode;
        if (to) round->format = *to;
    }
}

std::string get_round(Unit& unit) {
    const Round& round = *final_rounds(unit).front();
    return std::string(format(round.format).name) + ":" + std::string(name(round.mode));
}

/// A parameter of the final rounds that is a choice from a table.
template <auto member, const auto& names>
void set_final(Unit& unit, const Setting& s) {
    for (Round* round : final_rounds(unit)) round->*member = s.choice(names);
}
template <auto member, const auto& names>
std::string get_final(Unit& unit) {
    return std::string(name_in(names, final_rounds(unit).front()->*member));
}

struct WhichFlush {
    bool in = false, c = false, out = false;
};

WhichFlush which_flush(const Setting& s) {
    WhichFlush which;
    std::string_view rest = s.value == "none" ? "" : s.value;
    if (s.value.empty()) s.wrong("none, or in, c, out joined by + is right");
    while (!rest.empty()) {
        const auto plus = rest.find('+');
        const std::string_view part = rest.substr(0, plus);
        if (part == "in")
            which.in = true;
        else if (part == "c")
            which.c = true;
        else if (part == "out")
            which.out = true;
        else
            s.wrong("none, or in, c, out joined by + is right");
        rest = plus == std::string_view::npos ? "" : rest.substr(plus + 1);
        if (plus != std::string_view::npos && rest.empty()) s.wrong("none, or in, c, out joined by + is right");
    }
    return which;
}

void set_ftz(Unit& unit, const Setting& s) {
    const WhichFlush which = which_flush(s);
    // What was not flushed before is flushed as FTZ-AddMul does it (Algorithm 2): inputs and c to +0, results keep
    // their sign.
    if (which.in) require_products(unit, s);
    for (Product* p : products(unit)) {
        if (which.in && !p->flush) p->flush_keeps_sign = false;
        p->flush = which.in;
    }
    if (Accumulator* c = which.c ? &require_accumulator(unit, s) : accumulator(unit)) {
        if (which.c && !c->flush) c->flush_keeps_sign = false;
        c->flush = which.c;
    }
    for (Round* round : all_rounds(unit))
        if (which.out != (round->flush != Flush::none)) round->flush = which.out ? Flush::result : Flush::none;
}

std::string joined(bool in, bool c, bool out) {
    std::string text;
    for (const auto& [on, word] : {std::pair{in, "in"}, std::pair{c, "c"}, std::pair{out, "out"}})
        if (on) text += (text.empty() ? "" : "+") + std::string(word);
    return text.empty() ? "none" : text;
}

std::string get_ftz(Unit& unit) {
    const auto leaves = products(unit);
    const Accumulator* c = accumulator(unit);
    return joined(!leaves.empty() && leaves.front()->flush, c != nullptr && c->flush,
                  all_rounds(unit).front()->flush != Flush::none);
}

void set_fsign(Unit& unit, const Setting& s) {
    const WhichFlush keeps = which_flush(s);
    if (get_ftz(unit) == "none") s.meaningless("which flushes nothing");
    for (Product* p : products(unit)) p->flush_keeps_sign = keeps.in;
    if (Accumulator* c = accumulator(unit)) c->flush_keeps_sign = keeps.c;
    for (Round* round : all_rounds(unit)) round->flush_keeps_sign = keeps.out;
}

std::string get_fsign(Unit& unit) {
    const auto leaves = products(unit);
    const Accumulator* c = accumulator(unit);
    const Round& round = *all_rounds(unit).front();
    const bool in = !leaves.empty() && leaves.front()->flush, acc = c != nullptr && c->flush,
               out = round.flush != Flush::none;
    if (!in && !acc && !out) return "";
    return joined(in && leaves.front()->flush_keeps_sign, acc && c->flush_keeps_sign, out && round.flush_keeps_sign);
}

void set_nan(Unit& unit, const Setting& s) {
    const auto rule = nan_rule_from_text(s.value, unit.d);
    if (!rule) s.wrong(std::string(nan_rule_choices) + " is right");
    unit.nan = *rule;
}

std::string get_nan(Unit& unit) { return to_string(unit.nan, unit.d); }

struct Rule {
    OverrideKey key;
    void (*set)(Unit&, const Setting&);
    std::string (*get)(Unit&);
};

// In the order of application: structure first, since the later keys speak of the parts it makes; L before K, which
// cuts L.
constexpr std::array<Rule, 25> rules = {{
    {{"P", "n", "products added in pairs before they meet c (FTZ-AddMul)"}, set_P, get_P},
    {{"G", "n", "products of a group (GST-FDPA)"}, set_G, get_G},
    {{"L", "n", "products of a block; must divide K"}, set_L, [](Unit& u) { return std::to_string(u.L); }},
    {{"K", "n", "products in all, in blocks of min(n, L)"}, set_K, [](Unit& u) { return std::to_string(u.K); }},
    {{"interleave", "0 n", "elements go to the two blocks in runs of n"},
     set_interleave,
     [](Unit& u) { return std::to_string(u.interleave); }},
    {{"c", "early late last", "in the fused sum; added after each block's own rounding; added once at the end"},
     set_c,
     get_c},
    {{"F", "n exact", "fraction bits kept when terms are aligned"}, set_F, get_F},
    {{"F2", "n exact", "fraction bits of the sum of products where it meets c (TR, GTR)"}, set_F2, get_F2},
    {{"align", "rz rd ru rne rna odd", "rounding of aligned terms in the sum of products"}, set_align, get_align},
    {{"sum", "rz rd ru rne rna odd", "rounding in the two-level sums (TR, GTR)"}, set_sum, get_sum},
    {{"zero", "ignore emin n", "reference exponent of a zero term"}, set_zero, get_zero},
    {{"floor", "none n", "lower bound of the maximum exponent"}, set_floor, get_floor},
    {{"drop", "none n", "c counts as zero when its exponent is more than n below the maximum"}, set_drop, get_drop},
    {{"carry", "wide n", "carry bits of the register of the sum, which wraps"}, set_carry, get_carry},
    {{"product", "raw carry full", "normalisation of products"}, set_product, get_product},
    {{"limit", "none n", "a product of magnitude ≥ 2^n becomes infinite"}, set_limit, get_limit},
    {{"oinf", "yields counts", "such an infinity against one from the inputs: gives way, or makes NaN"},
     set_oinf,
     get_oinf},
    {{"as", "none FORMAT", "c is converted to this format first (exponent of subnormal c)"}, set_as, get_as},
    {{"round", "MODE FORMAT:MODE", "the block's final rounding"}, set_round, get_round},
    {{"overflow", "inf max ieee", "what a conversion gives above the largest finite number"},
     set_final<&Round::overflow, overflow_names>,
     get_final<&Round::overflow, overflow_names>},
    {{"ftz", "none, or in c out joined by +", "flush of subnormal a and b, c, results"}, set_ftz, get_ftz},
    {{"fsign", "none, or in c out joined by +", "which flushed numbers keep their sign; the others become +0"},
     set_fsign,
     get_fsign},
    {{"zsign", "pos ieee", "sign of an exactly zero sum"},
     set_final<&Round::zero_sign_ieee, zero_sign_names>,
     get_final<&Round::zero_sign_ieee, zero_sign_names>},
    {{"usign", "pos keep", "sign of a non-zero result that rounds to zero"},
     set_final<&Round::underflow_keeps_sign, keep_sign_names>,
     get_final<&Round::underflow_keeps_sign, keep_sign_names>},
    {{"nan", "HEX any x86", "the NaN of d"}, set_nan, get_nan},
}};

constexpr auto documented = [] {
    std::array<OverrideKey, rules.size()> keys;
    for (std::size_t i = 0; i < rules.size(); ++i) keys[i] = rules[i].key;
    return keys;
}();

const Rule& rule_of(std::string_view key, std::string_view where) {
    const auto rule = std::find_if(rules.begin(), rules.end(), [key](const Rule& r) { return r.key.key == key; });
    if (rule != rules.end()) return *rule;
    std::vector<std::string> names;
    std::string list;
    for (const Rule& r : rules) {
        names.emplace_back(r.key.key);
        list += (list.empty() ? "" : " ") + std::string(r.key.key);
    }
    const std::string hint = did_you_mean(key, names);
    throw Error("overrides " + std::string(where.substr(0, 60)) + ": there is no key '" +
                std::string(key.substr(0, 40)) + "'" + (hint.empty() ? "; the keys are " + list : hint));
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

} // namespace

std::span<const OverrideKey> override_keys() { return documented; }

std::vector<std::pair<std::string_view, std::string_view>> parse_overrides(std::string_view braces) {
    std::vector<std::pair<std::string_view, std::string_view>> settings;
    std::string_view body = trimmed(braces);
    if (body.empty()) return settings;
    if (body.size() < 2 || body.front() != '{' || body.back() != '}' || body.find('}') != body.size() - 1)
        throw Error("overrides " + std::string(body.substr(0, 60)) + ": {key=value,…} at the end of the unit is right");
    body = body.substr(1, body.size() - 2);
    while (!trimmed(body).empty()) {
        const auto comma = body.find(',');
        const std::string_view item = trimmed(body.substr(0, comma));
        body = comma == std::string_view::npos ? "" : body.substr(comma + 1);
        const auto equals = item.find('=');
        if (equals == std::string_view::npos)
            throw Error("overrides: '" + std::string(item.substr(0, 40)) + "' is no setting; key=value is right");
        const std::string_view key = trimmed(item.substr(0, equals));
        rule_of(key, braces);
        for (const auto& earlier : settings)
            if (earlier.first == key) throw Error("overrides: the key " + std::string(key) + " is given twice");
        settings.emplace_back(key, trimmed(item.substr(equals + 1)));
    }
    return settings;
}

Unit with_overrides(const Unit& unit, std::string_view braces) {
    const auto settings = parse_overrides(braces);
    Unit variant = unit;
    for (const Rule& rule : rules)
        for (const auto& [key, value] : settings)
            if (key == rule.key.key) rule.set(variant, {key, value});
    validate(variant);
    return variant;
}

std::vector<std::pair<std::string_view, std::string>> parameters(const Unit& unit) {
    Unit copy = unit; // the parts of a tree are found by functions that may change it
    std::vector<std::pair<std::string_view, std::string>> values;
    for (const Rule& rule : rules)
        if (std::string value = rule.get(copy); !value.empty()) values.emplace_back(rule.key.key, std::move(value));
    return values;
}

} // namespace discern
