// The sums of a tree, from the outermost one inwards. See levels.hpp.
#include "levels.hpp"

#include "models/unit/sentence.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <set>

namespace discern::probe {

namespace {

bool has(const Fuse& sum, bool (*kind)(const Node&)) {
    return std::ranges::any_of(sum.children, [&](const Child& child) { return kind(child.get()); });
}

/// "0 2 4 6", of a block.
std::string lanes_of(const Fuse& sum, const Unit& unit) {
    std::string text;
    for (const Child& child : sum.children)
        if (const auto* products = std::get_if<Product>(&child.get().kind))
            for_each(products->which, unit.L,
                     [&](int lane) { append_part(text, sentence(text.empty() ? "" : " ", lane)); });
    return text;
}

/// "F=24 rd", or several.
std::string alignment_of_sums(const std::vector<const Fuse*>& outer) {
    std::set<std::string> all;
    for (const Fuse* const sum : outer)
        for (const Child& child : sum->children)
            if (is_fuse(child.get()))
                all.insert(child.F ? sentence("F=", *child.F, " ", name(child.rounding)) : std::string("exact"));
    std::string text;
    for (const std::string& one : all) text += (text.empty() ? "" : ", ") + one;
    return text;
}

} // namespace

void tell_levels(ProbeReport& report, const Unit& unit) {
    std::vector<const Fuse*> outer, inner;
    for_each_node(unit.tree, [&](const Node& node) {
        const auto* const sum = std::get_if<Fuse>(&node.kind);
        if (sum != nullptr && has(*sum, is_fuse)) outer.push_back(sum);
        if (sum != nullptr && has(*sum, is_product_or_group)) inner.push_back(sum);
    });
    if (outer.empty() || inner.empty()) return;
    std::string sums;
    for (const Fuse* const sum : inner)
        sums += sentence(sums.empty() ? "one of lanes " : ", one of lanes ", lanes_of(*sum, unit));
    const auto tell = [&](std::string_view key, const std::string& value, const std::string& why) {
        for (Feature& feature : report.features)
            if (feature.key == key) feature.value = value, feature.why = why;
    };
    tell("order", "sums of sums",
         sentence(
             inner.size() == 1 ? "the products of a block are one sum" : "products are sums by themselves, " + sums,
             "; ", inner.size() == 1 ? "it is a term" : "they are terms", " of another sum, as the unit below says"));
    if (std::ranges::any_of(outer, [](const Fuse* sum) { return has(*sum, is_accumulator); }))
        tell("c_place", "outer sum",
             "c is a term of the other sum, beside the sum of products, as the unit below says");
    const auto last = std::ranges::find(report.features, std::string_view("c_alignment_rounding"), &Feature::key);
    report.features.insert(last == report.features.end() ? last : last + 1,
                           Feature{"sum_alignment",
                                   "alignment of sums",
                                   alignment_of_sums(outer),
                                   "how a sum is aligned as a term of another one, as the unit below says",
                                   {}});
}

} // namespace discern::probe
