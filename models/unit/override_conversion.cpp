// Overrides of leaves and conversions that have rules of their own: the final rounding, flushes, NaN.
#include "override_rules.hpp"

namespace discern::overrides {

void set_round(Unit& unit, const Setting& s) {
    std::optional<FormatId> to;
    std::string_view mode_text = s.value;
    if (const auto colon = s.value.find(':'); colon != std::string_view::npos) {
        to = require_format(s.value.substr(0, colon), "override round");
        mode_text = s.value.substr(colon + 1);
    }
    const auto mode = rounding_from_name(mode_text);
    if (!mode) s.wrong(choices(parametric::values_of(parametric::Meaning::mode).words) + " is right, or FORMAT:MODE");
    for (Round* round : final_rounds(unit)) {
        round->mode = *mode;
        if (to) round->format = *to;
    }
}

std::string get_round(Unit& unit) {
    const Round& round = *final_rounds(unit).front();
    return std::string(format(round.format).name) + ":" + std::string(name(round.mode));
}

namespace {

struct WhichFlush {
    bool in = false, c = false, out = false;
};

WhichFlush which_flush(const Setting& s) {
    WhichFlush which;
    if (s.value == "none") return which;
    for (const std::string_view part : texts::split(s.value, '+'))
        if (part == "in")
            which.in = true;
        else if (part == "c")
            which.c = true;
        else if (part == "out")
            which.out = true;
        else
            s.wrong("none, or in, c, out joined by + is right");
    return which;
}

} // namespace

namespace {

/// The outermost round that flushes, or nullptr: of a result that is rounded twice either may.
const Round* flushing_round(Unit& unit) {
    for (const Round* round : all_rounds(unit))
        if (round->ftz != Flush::none) return round;
    return nullptr;
}

} // namespace

void set_ftz(Unit& unit, const Setting& s) {
    const WhichFlush which = which_flush(s);
    // A new flush is that of FTZ-AddMul (Algorithm 2): inputs and c to +0; results keep their sign.
    if (which.in) require_products(unit, s);
    for (Product* p : products(unit)) {
        if (which.in && !p->ftz) p->fsign_keep = false;
        p->ftz = which.in;
    }
    if (Accumulator* c = which.c ? &require_accumulator(unit, s) : accumulator(unit)) {
        if (which.c && !c->ftz) c->fsign_keep = false;
        c->ftz = which.c;
    }
    if (which.out == (flushing_round(unit) != nullptr)) return;
    for (Round* round : all_rounds(unit)) round->ftz = which.out ? Flush::result : Flush::none;
}

namespace {

std::string joined(bool in, bool c, bool out) {
    std::string text;
    for (const auto& [on, word] : {std::pair{in, "in"}, std::pair{c, "c"}, std::pair{out, "out"}})
        if (on) text += (text.empty() ? "" : "+") + std::string(word);
    return text.empty() ? "none" : text;
}

} // namespace

std::string get_ftz(Unit& unit) {
    const auto leaves = products(unit);
    const Accumulator* c = accumulator(unit);
    return joined(!leaves.empty() && leaves.front()->ftz, c != nullptr && c->ftz, flushing_round(unit) != nullptr);
}

void set_fsign(Unit& unit, const Setting& s) {
    const WhichFlush keeps = which_flush(s);
    if (get_ftz(unit) == "none") s.meaningless("which flushes nothing");
    const auto set = [](auto& operand, bool keeps_sign) {
        if (!operand.ftz) return;
        operand.fsign_keep = keeps_sign;
        if (keeps_sign) operand.zin_keep = true; // a zero loses no sign that a flushed number keeps
    };
    for (Product* p : products(unit)) set(*p, keeps.in);
    if (Accumulator* c = accumulator(unit)) set(*c, keeps.c);
    for (Round* round : all_rounds(unit))
        if (round->ftz != Flush::none) round->fsign_keep = keeps.out;
}

std::string get_fsign(Unit& unit) {
    const auto leaves = products(unit);
    const Accumulator* c = accumulator(unit);
    const Round* round = flushing_round(unit);
    const bool in = !leaves.empty() && leaves.front()->ftz, acc = c != nullptr && c->ftz, out = round != nullptr;
    if (!in && !acc && !out) return "";
    return joined(in && leaves.front()->fsign_keep, acc && c->fsign_keep, out && round->fsign_keep);
}

void set_zin(Unit& unit, const Setting& s) {
    static constexpr parametric::Word signs[] = {{"pos", 0}, {"keep", 1}};
    const bool keeps = s.choice(signs) != 0;
    bool any = false;
    const auto set = [&](auto& operand) {
        if (!operand.ftz) return;
        any = true;
        operand.zin_keep = keeps;
        if (!keeps) operand.fsign_keep = false;
    };
    for (Product* p : products(unit)) set(*p);
    if (Accumulator* c = accumulator(unit)) set(*c);
    if (!any) s.meaningless("which flushes neither inputs nor c");
}

std::string get_zin(Unit& unit) {
    const auto leaves = products(unit);
    const Accumulator* c = accumulator(unit);
    if (!leaves.empty() && leaves.front()->ftz) return leaves.front()->zin_keep ? "keep" : "pos";
    if (c != nullptr && c->ftz) return c->zin_keep ? "keep" : "pos";
    return "";
}

void set_nan(Unit& unit, const Setting& s) {
    const auto rule = nan_rule_from_text(s.value, unit.d);
    if (!rule) s.wrong(std::string(nan_rule_choices) + " is right");
    unit.nan = *rule;
}

std::string get_nan(Unit& unit) { return to_string(unit.nan, unit.d); }

} // namespace discern::overrides
