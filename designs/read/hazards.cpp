// The constructs of the table that are seen in the syntax tree: lists, order, functions, initial values, parameters.
#include "hazards.hpp"

#include "parameters.hpp"
#include "syntax.hpp"
#include "walk.hpp"

#include "models/unit/sentence.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace discern::rtl {

namespace {

/// Without what keeps it apart from others.
std::string plain(const std::string& name) {
    const std::size_t begin = name.starts_with('\\') ? 1 : 0;
    return excerpt(name.substr(begin, name.find(' ') - begin));
}

/// The names that are no signals.
Names constants_of(const std::vector<SyntaxNode>& modules) {
    Names names;
    for (const SyntaxNode& module : modules)
        each(module, [&](const SyntaxNode& node) {
            if (node.is("PARAMETER") || node.is("LOCALPARAM") || node.is("GENVAR") || node.is("ENUM_ITEM"))
                names.insert(node.name);
        });
    return names;
}

/// A process, or a continuous assignment.
struct Process {
    const SyntaxNode* node = nullptr;
    bool is_clocked = false, is_listed = false, in_loop = false;
    Walk walk;
};

class Module {
  public:
    Module(const SyntaxNode& module, const Names& constants, bool is_top, std::vector<Hazard>& hazards)
        : module_(module), constants_(constants), is_top_(is_top), hazards_(hazards) {}

    void run() {
        each(module_, [&](const SyntaxNode& node) {
            if (node.is("FUNCTION") || node.is("TASK")) function(node);
            if (node.is("CASE")) labels(node);
        });
        collect(module_, false);
        for (const Process& process : processes_) {
            if (process.is_clocked)
                clocked(process);
            else if (process.node->is("ALWAYS"))
                combinational(process);
        }
        shared_functions();
    }

  private:
    void hazard(int line, Construct construct, std::initializer_list<std::string_view> names = {}) {
        hazards_.push_back({construct, module_.name, line, sentence_of(construct, names), module_.file});
    }

    // ---- functions and tasks

    void function(const SyntaxNode& node) {
        Walk walk(constants_, functions_);
        Names own;
        for (const SyntaxNode& part : node.parts) {
            if (!part.is("WIRE")) continue;
            own.insert(part.name);
            if (part.more.find("input") != std::string::npos) walk.given.insert(part.name);
        }
        for (const SyntaxNode& part : node.parts)
            if (!part.is("WIRE")) walk.statement(part); // of one statement there is no block
        own.insert(walk.locals.begin(), walk.locals.end());
        Function made{&node, {}};
        const char* const kind = node.is("TASK") ? "task" : "function";
        for (const auto& [name, line] : walk.reads) {
            if (own.contains(name))
                hazard(line, Construct::kept_by_function, {kind, plain(node.name), plain(name)});
            else
                made.outer.emplace(name, line);
        }
        for (const auto* assigned : {&walk.blocking, &walk.waiting})
            for (const auto& [name, line] : *assigned)
                if (!own.contains(name) && !walk.loops.contains(name))
                    hazard(line, Construct::foreign_variable, {kind, plain(node.name), plain(name)});
        int line = node.line;
        for (const SyntaxNode& part : node.parts)
            if (!part.is("WIRE")) line = part.line;
        if (node.is("FUNCTION") && own.contains(node.name) && !walk.is_left && !walk.given.contains(node.name))
            hazard(line, Construct::no_result, {plain(node.name)});
        functions_[node.name] = std::move(made);
    }

    /// A process that calls a function is not run again when signals of the module change which the function reads.
    void shared_functions() {
        for (const Process& process : processes_) {
            if (process.is_clocked) continue;
            each(*process.node, [&](const SyntaxNode& node) {
                if (!is_call(node)) return;
                const auto found = functions_.find(node.name);
                if (found != functions_.end() && !found->second.outer.empty())
                    hazard(node.line, Construct::not_an_argument,
                           {plain(node.name), plain(found->second.outer.begin()->first)});
            });
        }
    }

    // ---- labels of a case

    void labels(const SyntaxNode& node) {
        for (const SyntaxNode& item : node.parts)
            if (item.is("COND"))
                for (const SyntaxNode& label : item.parts)
                    if (!label.parts.empty() && is_narrow(label)) return hazard(label.line, Construct::computed_label);
    }

    /// Whether an expression of constants is less than 32 bits wide by itself, as far as it is seen here.
    bool is_narrow(const SyntaxNode& x) const {
        constexpr std::size_t wide = 32;
        if (x.is("CONSTANT")) { // bits='0101'(4)
            const auto first = x.more.find('\'');
            return first != std::string::npos && x.more.find('\'', first + 1) - first <= wide;
        }
        if (x.is("IDENTIFIER")) return constants_.contains(x.name);
        return of_operands(x, [&](const SyntaxNode& part) { return is_narrow(part); });
    }

    // ---- processes

    void collect(const SyntaxNode& node, bool in_loop) {
        for (const SyntaxNode& part : node.parts) {
            if (part.is("FUNCTION") || part.is("TASK")) continue;
            if (part.is("INITIAL")) {
                initial(part);
            } else if (part.is("CELL")) {
                Walk walk(constants_, functions_);
                each(part, [&](const SyntaxNode& argument) {
                    if (argument.is("ARGUMENT"))
                        for (const SyntaxNode& value : argument.parts) walk.read(value);
                });
                for (const auto& [name, line] : walk.reads) to_cells_.insert(name);
            } else if (part.is("ASSIGN") && part.parts.size() >= 2) {
                Process process{.node = &part, .walk = Walk(constants_, functions_)};
                for (std::size_t i = 1; i < part.parts.size(); ++i) process.walk.read(part.parts[i]);
                each(part.parts.front(), [&](const SyntaxNode& to) {
                    if (to.is("IDENTIFIER")) process.walk.waiting.try_emplace(to.name, to.line);
                });
                processes_.push_back(std::move(process));
            } else if (part.is("ALWAYS")) {
                Process process{.node = &part, .in_loop = in_loop, .walk = Walk(constants_, functions_)};
                for (const SyntaxNode& of : part.parts) {
                    process.is_clocked = process.is_clocked || of.is("POSEDGE") || of.is("NEGEDGE");
                    process.is_listed = process.is_listed || of.is("EDGE");
                    if (is_block(of)) process.walk.statement(of);
                }
                processes_.push_back(std::move(process));
            } else {
                collect(part, in_loop || part.is("GENFOR"));
            }
        }
    }

    void combinational(const Process& process) {
        const Walk& walk = process.walk;
        Names listed;
        for (const SyntaxNode& of : process.node->parts)
            if (of.is("EDGE"))
                for (const SyntaxNode& what : of.parts)
                    if (what.parts.empty() && what.is("IDENTIFIER")) listed.insert(what.name); // a part is not the word
        const bool is_always_of_kind = process.node->more.find("always_") != std::string::npos;
        for (const auto& [name, line] : walk.reads) {
            if (walk.loops.contains(name)) continue;
            if (walk.blocking.contains(name))
                hazard(line, Construct::read_before_given, {plain(name)});
            else if (is_always_of_kind && walk.waiting.contains(name))
                hazard(line, Construct::stale_in_always_comb, {plain(name)});
            else if (process.is_listed && !walk.locals.contains(name) && !listed.contains(name))
                hazard(line, Construct::unlisted_signal, {plain(name)});
        }
        for (const auto& [name, line] : walk.blocking)
            if (!is_own(walk, name) && walk.waiting.contains(name)) hazard(line, Construct::two_kinds, {plain(name)});
        if (!process.is_listed && walk.reads.empty() && !is_always_of_kind)
            hazard(process.node->line, Construct::nothing_read);
    }

    static bool is_own(const Walk& walk, const std::string& name) {
        return walk.locals.contains(name) || walk.loops.contains(name);
    }

    void clocked(const Process& process) {
        const Walk& walk = process.walk;
        for (const auto& [name, line] : walk.blocking) {
            if (is_own(walk, name)) continue;
            if (walk.waiting.contains(name))
                hazard(line, Construct::two_kinds, {plain(name)});
            else if ((process.in_loop && walk.reads.contains(name)) || is_read_at_an_edge(name, process))
                hazard(line, Construct::race, {plain(name)});
        }
    }

    /// Synthesis makes a wire of a variable whose initial value is no constant.
    void initial(const SyntaxNode& node) {
        Walk walk(constants_, functions_);
        walk.statement(node);
        for (const auto& [name, line] : walk.reads) {
            if (is_own(walk, name)) continue;
            for (const auto* assigned : {&walk.blocking, &walk.waiting})
                if (!assigned->empty())
                    return hazard(line, Construct::initial_value, {plain(assigned->begin()->first), plain(name)});
        }
    }

    /// Whether another process, or a module within or outside, may read it at the edge at which it changes.
    bool is_read_at_an_edge(const std::string& name, const Process& own) const {
        std::vector<std::string> left = {name};
        Names seen = {name};
        while (!left.empty()) {
            const std::string at = left.back();
            left.pop_back();
            if (to_cells_.contains(at) || (!is_top_ && is_output(at))) return true;
            for (const Process& process : processes_) {
                if (&process == &own || !process.walk.reads.contains(at)) continue;
                if (process.is_clocked) return true;
                for (const auto* to : {&process.walk.blocking, &process.walk.waiting})
                    for (const auto& [next, line] : *to)
                        if (seen.insert(next).second) left.push_back(next);
            }
        }
        return false;
    }

    bool is_output(const std::string& name) const {
        return std::any_of(module_.parts.begin(), module_.parts.end(), [&](const SyntaxNode& part) {
            return part.is("WIRE") && part.name == name && part.more.find("output") != std::string::npos;
        });
    }

    const SyntaxNode& module_;
    const Names& constants_;
    bool is_top_;
    std::vector<Hazard>& hazards_;
    Functions functions_;
    std::vector<Process> processes_;
    Names to_cells_; ///< what modules within read
};

} // namespace

namespace {

struct Used {
    Names tops, all;
};

Used used_of(const std::vector<SyntaxNode>& modules, const std::string& top) {
    std::map<std::string, Names> within;
    Names inner;
    for (const SyntaxNode& module : modules)
        each(module, [&](const SyntaxNode& node) {
            if (node.is("CELLTYPE")) {
                within[module.name].insert(node.name);
                inner.insert(node.name);
            }
        });
    std::vector<std::string> left;
    for (const SyntaxNode& module : modules)
        if (top.empty() ? !inner.contains(module.name) : module.name == "\\" + top) left.push_back(module.name);
    Used used;
    used.tops = used.all = Names(left.begin(), left.end());
    while (!left.empty()) {
        const std::string at = left.back();
        left.pop_back();
        for (const std::string& name : within[at])
            if (used.all.insert(name).second) left.push_back(name);
    }
    return used;
}

} // namespace

Names used_modules(const std::vector<SyntaxNode>& modules, const std::string& top) { return used_of(modules, top).all; }

std::vector<Hazard> hazards_of(const std::vector<SyntaxNode>& modules, const Sources& sources,
                               const std::vector<Hazard>& of_text) {
    const Names constants = constants_of(modules);
    const Used used = used_of(modules, sources.top);
    std::vector<Hazard> hazards;
    for (const Hazard& hazard : of_text)
        if (used.all.contains(hazard.module)) hazards.push_back(hazard);
    for (const SyntaxNode& module : modules)
        if (used.all.contains(module.name)) Module(module, constants, used.tops.contains(module.name), hazards).run();
    std::vector<Hazard> of_parameters = hazards_of_parameters(modules, sources);
    std::erase_if(of_parameters, [&](const Hazard& hazard) { return !used.all.contains(hazard.module); });
    hazards.insert(hazards.end(), of_parameters.begin(), of_parameters.end());
    const auto order = [](const Hazard& hazard) { return std::pair(row_of(hazard.construct).remedy, hazard.line); };
    std::ranges::stable_sort(hazards, std::ranges::less{}, order);
    return hazards;
}

} // namespace discern::rtl
