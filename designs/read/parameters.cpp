// Values are followed until no more parameters are known to be unsigned.
#include "parameters.hpp"

#include "models/unit/sentence.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace discern::rtl {

namespace {

bool is_parameter(const SyntaxNode& node) { return node.is("PARAMETER") || node.is("LOCALPARAM"); }
bool says_signed(const SyntaxNode& node) { return node.more.find(" signed") != std::string::npos; }
bool has_range(const SyntaxNode& node) {
    return std::ranges::any_of(node.parts, [](const SyntaxNode& part) { return part.is("RANGE"); });
}
bool is_without_range(const SyntaxNode& node) { return is_parameter(node) && !has_range(node); }

/// A parameter and a value that it gets.
struct Given {
    const SyntaxNode *of, *in; ///< modules: whose the parameter is, and where the value stands
    const SyntaxNode *parameter, *value;
};

class Parameters {
  public:
    explicit Parameters(const std::vector<SyntaxNode>& modules) : modules_(modules) {
        for (const SyntaxNode& module : modules) {
            each(module, [&](const SyntaxNode& node) {
                if (is_parameter(node)) {
                    declared_[{&module, node.name}] = &node;
                    if (!node.parts.empty()) given_.push_back({&module, &module, &node, &node.parts.front()});
                }
            });
        }
        for (const SyntaxNode& module : modules)
            each(module, [&](const SyntaxNode& node) {
                if (node.is("CELL")) instance(module, node);
                if (node.is("DEFPARAM") && node.parts.size() > 1) defparam(module, node);
            });
    }

    std::vector<Hazard> hazards(const Sources& sources) {
        std::vector<Hazard> all;
        const auto top = std::ranges::find(modules_, "\\" + sources.top, &SyntaxNode::name);
        for (const auto& [name, value] : sources.parameters) {
            const auto quote = value.find('\'');
            const bool is_unsigned =
                quote != std::string::npos && value.substr(quote + 1, 1).find_first_of("sS\"") != 0;
            const auto found = declared_.find({top == modules_.end() ? nullptr : &*top, "\\" + name});
            if (!is_unsigned || found == declared_.end() || has_range(*found->second)) continue;
            if (says_signed(*found->second)) all.push_back(hazard(*top, *found->second, found->second->line));
            unsigned_.insert(found->second);
        }
        for (bool more = true; more;) {
            more = false;
            for (const Given& one : given_)
                if (is_without_range(*one.parameter) && !says_signed(*one.parameter) && !is_signed(*one.in, *one.value))
                    more = unsigned_.insert(one.parameter).second || more;
        }
        for (const Given& one : given_)
            if (is_without_range(*one.parameter) && says_signed(*one.parameter) && !is_signed(*one.in, *one.value))
                all.push_back(hazard(*one.in, *one.parameter, one.value->line));
        return all;
    }

  private:
    static Hazard hazard(const SyntaxNode& module, const SyntaxNode& parameter, int line) {
        const std::string name = excerpt(parameter.name.substr(1));
        return {Construct::signed_parameter, module.name, line, sentence_of(Construct::signed_parameter, {name}),
                module.file};
    }

    /// Values that an instance gives to the parameters of its module.
    void instance(const SyntaxNode& in, const SyntaxNode& cell) {
        const auto type = std::ranges::find_if(cell.parts, [](const SyntaxNode& part) { return part.is("CELLTYPE"); });
        if (type == cell.parts.end()) return;
        const auto of = std::ranges::find(modules_, type->name, &SyntaxNode::name);
        if (of == modules_.end()) return;
        std::vector<const SyntaxNode*> declared; // in the order in which values without a name are given
        for (const SyntaxNode& part : of->parts)
            if (part.is("PARAMETER")) declared.push_back(&part);
        std::size_t next = 0;
        for (const SyntaxNode& set : cell.parts) {
            if (!set.is("PARASET")) continue;
            for (std::size_t i = 0; i < declared.size() && !set.parts.empty(); ++i)
                if (set.name.empty() ? i == next : declared[i]->name == set.name)
                    given_.push_back({&*of, &in, declared[i], &set.parts.front()});
            ++next;
        }
    }

    /// Of whichever module it is.
    void defparam(const SyntaxNode& in, const SyntaxNode& node) {
        const std::string& path = node.parts.front().name;
        const std::string name = "\\" + path.substr(path.rfind('.') + 1);
        for (const auto& [key, parameter] : declared_)
            if (key.second == name) given_.push_back({key.first, &in, parameter, &node.parts.back()});
    }

    /// Whether an expression of constants is signed, as far as it is seen here.
    bool is_signed(const SyntaxNode& module, const SyntaxNode& x) const {
        if (x.is("CONSTANT")) return says_signed(x);
        if (x.is("REALVALUE") || x.is("TO_SIGNED")) return true;
        if (x.is("FCALL")) return x.name == "\\$clog2";
        if (x.is("IDENTIFIER")) {
            const auto found = declared_.find({&module, x.name});
            if (!x.parts.empty() || x.name.find("genfordecl") != std::string::npos) return x.parts.empty();
            if (found == declared_.end()) return false;
            return says_signed(*found->second) || (!has_range(*found->second) && !unsigned_.contains(found->second));
        }
        return of_operands(x, [&](const SyntaxNode& of) { return is_signed(module, of); });
    }

    const std::vector<SyntaxNode>& modules_;
    std::map<std::pair<const SyntaxNode*, std::string>, const SyntaxNode*> declared_;
    std::vector<Given> given_;
    std::set<const SyntaxNode*> unsigned_; ///< without sign and range, and with a value that is unsigned
};

} // namespace

std::vector<Hazard> hazards_of_parameters(const std::vector<SyntaxNode>& modules, const Sources& sources) {
    return Parameters(modules).hazards(sources);
}

} // namespace discern::rtl
