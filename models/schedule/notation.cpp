// The notation of schedules: keys between brackets, read and printed. docs/notation.md, "Schedules", is the grammar.
#include "models/notation.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/suggest.hpp"
#include "models/unit/texts.hpp"

#include <algorithm>
#include <set>

namespace discern {

namespace schedules {
namespace {

constexpr int longest = longest_kernel;

/// Which docs/kernels.md explains.
constexpr auto keys = std::to_array<std::string_view>(
    {"K", "kc", "split", "slice", "run", "unroll", "lanes", "promote", "reduce", "from", "d"});

[[noreturn]] void fail_value(std::string_view key, std::string_view value, std::string_view right) {
    throw Error(sentence("schedule: ", key, "=", excerpt(value), " is wrong; ", right, " is right"));
}

int number(std::string_view key, std::string_view text, std::string_view value) {
    const auto n = texts::whole_number(text);
    if (!n || *n < 1 || *n > longest) fail_value(key, value, sentence("a number from 1 to ", longest));
    return *n;
}

std::vector<int> lengths(std::string_view key, std::string_view value) {
    std::vector<int> list;
    for (const std::string_view part : texts::split(value, '+')) list.push_back(number(key, part, value));
    return list;
}

FoldOrder order_named(std::string_view key, std::string_view text, std::string_view value) {
    const auto* const found = std::find(fold_order_names.begin(), fold_order_names.end(), text);
    if (found == fold_order_names.end()) fail_value(key, value, "order, reverse, pairwise, halving or last-halves");
    return static_cast<FoldOrder>(found - fold_order_names.begin());
}

Conversion conversion(std::string_view key, std::string_view name, std::string_view mode, std::string_view value) {
    const auto rounding = rounding_from_name(mode);
    if (!rounding) fail_value(key, value, sentence("a mode, one of ", rounding_list, ","));
    return {require_format(name, sentence("schedule: ", key)), *rounding};
}

/// n, or n:ORDER.
int count_and_order(std::string_view key, std::string_view value, std::optional<FoldOrder>& order) {
    const auto parts = texts::split(value, ':');
    if (parts.size() > 2) fail_value(key, value, sentence(key, "=n or ", key, "=n:ORDER"));
    if (parts.size() == 2) order = order_named(key, parts[1], value);
    return number(key, parts[0], value);
}

struct Reading {
    Schedule schedule{};
    std::optional<int> K{};

    void take(std::string_view key, std::string_view value) {
        Schedule& s = schedule;
        const auto parts = texts::split(value, ':');
        if (key == "K") {
            K = number(key, value, value);
        } else if (key == "kc") {
            const auto halves = texts::split(value, '/');
            if (halves.size() > 2) fail_value(key, value, "kc=n, kc=n/m or kc=n+n+…");
            s.kc = lengths(key, halves[0]);
            if (halves.size() == 2) {
                if (s.kc.size() != 1) fail_value(key, value, "kc=n/m, as in kc=384/16,");
                s.kc_share = number(key, halves[1], value);
            }
        } else if (key == "split") {
            if (parts.size() > 2) fail_value(key, value, "split=n or split=n:ORDER");
            if (parts.size() == 2) s.split_order = order_named(key, parts[1], value);
            s.split = lengths(key, parts[0]);
            if (s.split.size() == 1 && s.split.front() == 1) s.split.clear();
        } else if (key == "slice") {
            s.slice = count_and_order(key, value, s.slice_order);
        } else if (key == "run") {
            s.run = number(key, value, value);
        } else if (key == "lanes") {
            s.lanes = count_and_order(key, value, s.lanes_order);
        } else if (key == "unroll") {
            s.unroll = count_and_order(key, value, s.unroll_order);
        } else if (key == "promote") {
            if (parts.size() != 3) fail_value(key, value, "promote=n:FORMAT:MODE, as in promote=128:f32:rne,");
            s.promote = Promotion{number(key, parts[0], value), conversion(key, parts[1], parts[2], value)};
        } else if (key == "reduce") {
            if (parts.size() != 3 && parts.size() != 1)
                fail_value(key, value, "reduce=ORDER:FORMAT:MODE, as in reduce=pairwise:f32:rne,");
            s.order = order_named(key, parts[0], value);
            if (parts.size() == 3) s.reduce = conversion(key, parts[1], parts[2], value);
        } else if (key == "from") {
            if (value != "c" && value != "zero") fail_value(key, value, "c or zero");
            s.from_zero = value == "zero";
        } else if (key == "d") {
            if (parts.size() != 2) fail_value(key, value, "d=FORMAT:MODE, as in d=bf16:rne,");
            s.result = conversion(key, parts[0], parts[1], value);
        } else {
            const std::vector<std::string> names(keys.begin(), keys.end());
            throw Error(sentence("schedule: there is no key ", excerpt(key), did_you_mean(key, names),
                                 "; the keys are ", texts::joined(names, ", ")));
        }
    }
};

std::string text_of(const Conversion& to) { return sentence(format(to.format).name, ":", name(to.mode)); }

std::string with_order(const std::string& text, const std::optional<FoldOrder>& order) {
    return order ? sentence(text, ":", name(*order)) : text;
}

} // namespace
} // namespace schedules

bool has_schedule(std::string_view text) {
    const std::string_view all = texts::trimmed(text);
    return all.ends_with(']') && all.find("@[") != std::string_view::npos;
}

void require_closed_schedule(std::string_view text) {
    const std::size_t at = text.find("@[");
    // In the notation @[…] stands behind a child of a sum, too.
    if (at != std::string_view::npos && !has_schedule(text) && !is_notation(text.substr(0, at)))
        throw Error(sentence("schedule: the bracket in ", excerpt(text.substr(at)),
                             " is not closed; UNIT@[KEY=VALUE …] is right"));
}

std::pair<Schedule, std::optional<int>> parse_schedule(std::string_view inside) {
    schedules::Reading reading;
    std::set<std::string_view> seen;
    static constexpr std::string_view between = " \t\r\n,";
    for (const std::string_view word : texts::words(inside, between)) {
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos)
            throw Error(sentence("schedule: ", excerpt(word), " is no KEY=VALUE, as in split=4"));
        const std::string_view key = word.substr(0, equals);
        if (!seen.insert(key).second) throw Error(sentence("schedule: ", excerpt(key), " is there twice"));
        reading.take(key, word.substr(equals + 1));
    }
    const Schedule& s = reading.schedule;
    if (s.run && s.slice == 1) throw Error("schedule: run says how slices are dealt; slice=n is missing");
    return {s, reading.K};
}

std::string to_string(const Schedule& s, std::optional<int> K) {
    std::string text;
    const auto add = [&](std::string_view key, const std::string& value) {
        text += sentence(text.empty() ? "" : " ", key, "=", value);
    };
    if (K) add("K", std::to_string(*K));
    if (!s.kc.empty()) add("kc", texts::joined(s.kc, "+") + (s.kc_share ? "/" + std::to_string(*s.kc_share) : ""));
    if (!s.split.empty() || s.split_order)
        add("split", schedules::with_order(s.split.empty() ? "1" : texts::joined(s.split, "+"), s.split_order));
    if (s.slice > 1 || s.slice_order) add("slice", schedules::with_order(std::to_string(s.slice), s.slice_order));
    if (s.run) add("run", std::to_string(*s.run));
    if (s.unroll > 1 || s.unroll_order) add("unroll", schedules::with_order(std::to_string(s.unroll), s.unroll_order));
    if (s.lanes > 1 || s.lanes_order) add("lanes", schedules::with_order(std::to_string(s.lanes), s.lanes_order));
    if (s.promote) add("promote", sentence(s.promote->every, ":", schedules::text_of(s.promote->sum)));
    if (s.reduce)
        add("reduce", sentence(name(s.order), ":", schedules::text_of(*s.reduce)));
    else if (s.order != FoldOrder::order)
        add("reduce", std::string(name(s.order)));
    if (s.from_zero) add("from", "zero");
    if (s.result) add("d", schedules::text_of(*s.result));
    return text;
}

std::string to_string(const Kernel& kernel) {
    return sentence(to_string(kernel.unit), " @[", to_string(kernel.schedule, kernel.K), "]");
}

std::string with_length(std::string_view text, int K) {
    const std::string_view all = texts::trimmed(text);
    require_closed_schedule(all);
    if (!has_schedule(all)) return sentence(all, "@[K=", K, "]");
    const std::size_t at = all.rfind("@[") + 2;
    const std::string_view inside = all.substr(at, all.size() - at - 1);
    const std::optional<int> said = parse_schedule(inside).second;
    if (!said) return sentence(all.substr(0, at), "K=", K, inside.empty() ? "" : " ", inside, "]");
    if (*said != K)
        throw Error(
            sentence("schedule: K=", *said, " is between the brackets and ", K, " is asked for; one length is right"));
    return std::string(all);
}

Unit instruction_of(std::string_view text) {
    const std::string_view all = texts::trimmed(text);
    return resolve_unit(has_schedule(all) ? all.substr(0, all.rfind("@[")) : all);
}

Kernel resolve_kernel(std::string_view text, std::optional<int> K) {
    const std::string all = K ? with_length(text, *K) : std::string(texts::trimmed(text));
    Kernel kernel;
    std::optional<int> said;
    if (has_schedule(all)) {
        const std::size_t at = all.rfind("@[");
        std::tie(kernel.schedule, said) = parse_schedule(std::string_view(all).substr(at + 2, all.size() - at - 3));
        kernel.unit = resolve_unit(all.substr(0, at));
        if (!said)
            throw Error("schedule: the length is missing; K=n between the brackets, or the option --K n, is right");
    } else {
        kernel.unit = resolve_unit(all);
        said = kernel.unit.K;
    }
    kernel.K = *said;
    validate(kernel);
    return kernel;
}

} // namespace discern
