// Which values of which parameters some units have, so that a test that is to cover all parameters can say whether it
// does. It reads the table of parameters: one that is added there is asked for here.
#pragma once

#include "models/unit.hpp"
#include "models/unit/parameters.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace discern::tests {

class ValuesSeen {
  public:
    /// Notes the parameters of all parts of a unit's tree, and what is beside the tree.
    /// @return how often the word of it that was seen least has been seen, now included
    int add(const Unit& unit) {
        fewest_ = 1 << 30;
        of_node(unit.tree);
        saw("nan=", unit.nan.kind == NanRule::Kind::any       ? "any"
                    : unit.nan.kind == NanRule::Kind::pattern ? "pattern"
                                                              : "x86");
        saw("c", !unit.c ? "none" : unit.place == AccumulatorPlace::last ? "last" : "chained");
        saw("blocks", unit.blocks() > 1 ? "several" : "one");
        saw("interleave", unit.interleave != 0 ? "yes" : "no");
        saw("scale", unit.scale ? "yes" : "no");
        return fewest_;
    }

    /// What has been seen fewer times than that: words that a parameter can be, and of numbers two, of formats three.
    std::vector<std::string> missing(int times) const {
        std::vector<std::string> list;
        for (const auto& p : parametric::parameters()) {
            const std::string name = name_of(p);
            const auto& values = parametric::values_of(p.meaning);
            for (const auto& word : p.words()) require(list, name, std::string(word.text), times);
            if (values.numbers) require_several(list, name, p, 2);
            if (values.formats && p.words().empty()) require_several(list, name, p, 3);
        }
        for (const auto& [what, kinds] : beside_the_tree)
            for (const char* kind : kinds) require(list, what, kind, times);
        return list;
    }

  private:
    static std::string name_of(const parametric::Parameter& p) {
        static constexpr const char* owners[] = {"p", "c", "fuse", "child", "round", "g"};
        // Some have no word of their own: what they mean tells them apart.
        return std::string(owners[static_cast<std::size_t>(p.owner)]) + "[" + std::string(p.word) + "#" +
               std::to_string(static_cast<int>(p.meaning)) + "] ";
    }

    void saw(const std::string& what, const std::string& value) { fewest_ = std::min(fewest_, ++counts_[what][value]); }
    /// One of many values, of which it does not matter which it is.
    void saw(const std::string& what, const std::string& value, const std::string& together) {
        ++counts_[what][value];
        saw(together, "");
    }
    void of_part(parametric::OwnerKind kind, const parametric::ConstOwner& part) {
        for (const parametric::Parameter* p : parametric::parameters_of(kind)) {
            const std::string value = p->value_text(p->get(part));
            if (parametric::find_word(p->words(), value))
                saw(name_of(*p), value);
            else
                saw(name_of(*p), value, name_of(*p) + "any");
        }
    }
    void of_node(const Node& node) {
        using enum parametric::OwnerKind;
        if (const auto* x = std::get_if<Product>(&node.kind)) of_part(product, x);
        if (const auto* x = std::get_if<Accumulator>(&node.kind)) of_part(accumulator, x);
        if (const auto* x = std::get_if<Group>(&node.kind)) of_part(group, x);
        if (const auto* x = std::get_if<Round>(&node.kind)) {
            of_part(round, x);
            of_node(x->get());
        }
        if (const auto* x = std::get_if<Fuse>(&node.kind)) {
            of_part(fuse, x);
            for (const Child& one : x->children) {
                of_part(child, &one);
                of_node(one.get());
            }
        }
    }

    int count(const std::string& what, const std::string& value) const {
        const auto of_all = counts_.find(what);
        if (of_all == counts_.end()) return 0;
        const auto found = of_all->second.find(value);
        return found == of_all->second.end() ? 0 : found->second;
    }
    void require(std::vector<std::string>& list, const std::string& what, const std::string& value, int times) const {
        if (count(what, value) < times) list.push_back(what + value);
    }
    void require_several(std::vector<std::string>& list, const std::string& name, const parametric::Parameter& p,
                         std::size_t several) const {
        std::set<std::string> values;
        if (const auto found = counts_.find(name); found != counts_.end())
            for (const auto& [value, times] : found->second)
                if (!parametric::find_word(p.words(), value)) values.insert(value);
        if (values.size() < several) list.push_back(name + "others");
    }

    inline static const std::map<std::string, std::vector<const char*>> beside_the_tree = {
        {"nan=", {"any", "pattern", "x86"}}, {"c", {"none", "last", "chained"}}, {"blocks", {"one", "several"}},
        {"interleave", {"yes", "no"}},       {"scale", {"yes", "no"}},
    };

    std::map<std::string, std::map<std::string, int>> counts_;
    int fewest_ = 0;
};

} // namespace discern::tests
