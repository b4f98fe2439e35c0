// A walk over the syntax tree with a rule for each construct on which simulation and synthesis differ.
#include "hazards.hpp"

#include "syntax.hpp"

#include "models/unit/sentence.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace discern::rtl {

namespace {

using Names = std::set<std::string>;
using Lines = std::map<std::string, int>; ///< names, and where

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
            return true;
        });
    return names;
}

bool is_block(const SyntaxNode& node) { return node.is("BLOCK") || node.is("GENBLOCK"); }
bool is_condition(const SyntaxNode& node) { return node.is("COND") || node.is("CONDX") || node.is("CONDZ"); }
bool is_call(const SyntaxNode& node) { return node.is("FCALL") || node.is("TCALL"); }

struct Function {
    const SyntaxNode* node = nullptr;
    Lines outer; ///< what it reads and does not declare
};
using Functions = std::map<std::string, Function>;

/// Statements in order: what they read before they have given it a value, and what they give one.
class Walk {
  public:
    Walk(const Names& constants, const Functions& functions) : constants_(constants), functions_(functions) {}

    Names given;             ///< so far, on every path, by blocking assignments
    Lines blocking, waiting; ///< all that get a value, by blocking and by non-blocking assignments
    Lines reads;             ///< of what had no value of this process
    Names loops, locals;     ///< variables of for loops; what is declared within
    bool is_left = false;    ///< by a return, or for a loop's end: what follows is not reached

    void statement(const SyntaxNode& node) {
        if (is_left) return;
        if (node.is("RETURN") || node.is("BREAK")) {
            if (node.is("BREAK")) at_breaks_.push_back(given);
            is_left = true;
        } else if (node.is("WIRE")) {
            locals.insert(node.name);
        } else if (is_block(node) || node.is("INITIAL")) {
            for (const SyntaxNode& part : node.parts) statement(part);
        } else if (node.is("ASSIGN_EQ") || node.is("ASSIGN_LE")) {
            if (node.parts.size() < 2) return;
            for (std::size_t i = 1; i < node.parts.size(); ++i) read(node.parts[i]);
            assign(node.parts.front(), node.is("ASSIGN_EQ"));
        } else if (node.is("CASE")) {
            choice(node);
        } else if (node.is("FOR")) {
            loop(node);
        } else if (node.is("TCALL")) {
            call(node);
        } else if (!node.is("PARAMETER") && !node.is("LOCALPARAM")) {
            for (const SyntaxNode& part : node.parts) statement_or_read(part);
        }
    }

    void read(const SyntaxNode& node) {
        if (node.is("IDENTIFIER")) note(node.name, node.line);
        if (is_call(node))
            if (const auto found = functions_.find(node.name); found != functions_.end())
                for (const auto& [name, line] : found->second.outer) note(name, node.line);
        for (const SyntaxNode& part : node.parts) read(part);
    }

  private:
    void statement_or_read(const SyntaxNode& node) {
        if (is_block(node) || node.kind.starts_with("ASSIGN") || node.is("CASE"))
            statement(node);
        else
            read(node);
    }

    void note(const std::string& name, int line) {
        if (!constants_.contains(name) && name.find("::") == std::string::npos && !given.contains(name))
            reads.try_emplace(name, line);
    }

    void assign(const SyntaxNode& to, bool at_once) {
        if (to.is("IDENTIFIER")) {
            for (const SyntaxNode& part : to.parts) read(part); // indices
            (at_once ? blocking : waiting).try_emplace(to.name, to.line);
            if (at_once) given.insert(to.name);
            return;
        }
        for (const SyntaxNode& part : to.parts) assign(part, at_once);
    }

    /// `if` and `case`. A case without default is taken for one that has all of its values: yosys makes a latch of
    /// others.
    void choice(const SyntaxNode& node) {
        if (node.parts.empty()) return;
        read(node.parts.front());
        bool complete = !node.parts.front().is("REDUCE_BOOL");
        const Names before = given;
        std::vector<Names> after;
        bool all_left = true;
        for (std::size_t i = 1; i < node.parts.size(); ++i) {
            const SyntaxNode& branch = node.parts[i];
            if (!is_condition(branch)) continue;
            given = before;
            is_left = false;
            for (const SyntaxNode& part : branch.parts) {
                complete = complete || part.is("DEFAULT");
                if (is_block(part))
                    statement(part);
                else
                    read(part);
            }
            if (!is_left) after.push_back(given);
            all_left = all_left && is_left;
        }
        if (!complete) after.push_back(before);
        is_left = complete && all_left && node.parts.size() > 1;
        given = after.empty() ? before : in_all(after);
    }

    static Names in_all(const std::vector<Names>& sets) {
        Names names;
        for (const std::string& name : sets.front())
            if (std::all_of(sets.begin(), sets.end(), [&](const Names& of) { return of.contains(name); }))
                names.insert(name);
        return names;
    }

    /// Loops that yosys reads are unrolled, and run at least once as a rule.
    void loop(const SyntaxNode& node) {
        if (node.parts.size() < 4) return;
        if (!node.parts[0].parts.empty()) loops.insert(node.parts[0].parts.front().name);
        statement(node.parts[0]);
        read(node.parts[1]);
        const std::vector<Names> outside = std::exchange(at_breaks_, {});
        statement(node.parts[3]);
        std::vector<Names> ends = std::exchange(at_breaks_, outside);
        const bool returns = is_left && ends.empty();
        if (!is_left) ends.push_back(given);
        is_left = false;
        if (!ends.empty()) given = in_all(ends);
        statement(node.parts[2]);
        is_left = returns;
    }

    void call(const SyntaxNode& node) {
        if (node.name.starts_with("$") || node.name.starts_with("\\$")) return; // which computes nothing
        const auto found = functions_.find(node.name);
        if (found == functions_.end()) return read(node);
        std::vector<const SyntaxNode*> ports;
        for (const SyntaxNode& part : found->second.node->parts)
            if (part.is("WIRE") && part.more.find(" port=") != std::string::npos) ports.push_back(&part);
        for (const auto& [name, line] : found->second.outer) note(name, node.line);
        for (std::size_t i = 0; i < node.parts.size(); ++i)
            if (i >= ports.size() || ports[i]->more.find("input") != std::string::npos) read(node.parts[i]);
        for (std::size_t i = 0; i < node.parts.size() && i < ports.size(); ++i)
            if (ports[i]->more.find("output") != std::string::npos) assign(node.parts[i], true);
    }

    const Names& constants_;
    const Functions& functions_;
    std::vector<Names> at_breaks_; ///< what was given where the loop is left
};

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
            return true;
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
    void hazard(int line, const std::string& what) { hazards_.push_back({module_.name, line, what, module_.file}); }

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
        for (const auto& [name, line] : walk.reads) {
            if (own.contains(name))
                hazard(line, sentence(node.is("TASK") ? "task " : "function ", plain(node.name), " reads ", plain(name),
                                      " before it gives it a value: a simulator keeps the one of the call before"));
            else
                made.outer.emplace(name, line);
        }
        for (const auto* assigned : {&walk.blocking, &walk.waiting})
            for (const auto& [name, line] : *assigned)
                if (!own.contains(name) && !walk.loops.contains(name))
                    hazard(line, sentence(node.is("TASK") ? "task " : "function ", plain(node.name), " gives ",
                                          plain(name), " a value, which is not its own"));
        int line = node.line;
        for (const SyntaxNode& part : node.parts)
            if (!part.is("WIRE")) line = part.line;
        if (node.is("FUNCTION") && own.contains(node.name) && !walk.is_left && !walk.given.contains(node.name))
            hazard(line, sentence("function ", plain(node.name),
                                  " does not give a result on every path: a simulator "
                                  "keeps the one of the call before"));
        functions_[node.name] = std::move(made);
    }

    /// A process that calls a function is not run again when signals of the module change which the function reads.
    void shared_functions() {
        for (const Process& process : processes_) {
            if (process.is_clocked) continue;
            each(*process.node, [&](const SyntaxNode& node) {
                if (!is_call(node)) return true;
                const auto found = functions_.find(node.name);
                if (found != functions_.end() && !found->second.outer.empty())
                    hazard(node.line,
                           sentence(plain(node.name), " reads ", plain(found->second.outer.begin()->first),
                                    ", which it is not given: a simulator does not call it again when that changes"));
                return true;
            });
        }
    }

    // ---- processes

    void collect(const SyntaxNode& node, bool in_loop) {
        for (const SyntaxNode& part : node.parts) {
            if (part.is("FUNCTION") || part.is("TASK") || part.is("INITIAL")) continue;
            if (part.is("CELL")) {
                Walk walk(constants_, functions_);
                each(part, [&](const SyntaxNode& argument) {
                    if (argument.is("ARGUMENT"))
                        for (const SyntaxNode& value : argument.parts) walk.read(value);
                    return true;
                });
                for (const auto& [name, line] : walk.reads) to_cells_.insert(name);
            } else if (part.is("ASSIGN") && part.parts.size() >= 2) {
                Process process{.node = &part, .walk = Walk(constants_, functions_)};
                for (std::size_t i = 1; i < part.parts.size(); ++i) process.walk.read(part.parts[i]);
                each(part.parts.front(), [&](const SyntaxNode& to) {
                    if (to.is("IDENTIFIER")) process.walk.waiting.try_emplace(to.name, to.line);
                    return true;
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
        for (const auto& [name, line] : walk.reads) {
            if (walk.blocking.contains(name) && !walk.loops.contains(name)) {
                hazard(line, sentence("a process reads ", plain(name),
                                      " before it gives it a value: a simulator reads the "
                                      "one of its last run"));
                continue;
            }
            if (process.is_listed && !walk.locals.contains(name) && !listed.contains(name))
                hazard(line, sentence("a process reads ", plain(name),
                                      ", which is not in its list: a simulator does not run it when that changes"));
        }
        if (!process.is_listed && walk.reads.empty() && process.node->more.find("always_") == std::string::npos)
            hazard(process.node->line, "an always @* reads nothing that changes, so a simulator never runs it");
    }

    void clocked(const Process& process) {
        const Walk& walk = process.walk;
        for (const auto& [name, line] : walk.blocking) {
            if (walk.locals.contains(name) || walk.loops.contains(name)) continue;
            if (walk.waiting.contains(name))
                hazard(line, sentence(plain(name), " is assigned with = and with <= in one process: the later value is "
                                                   "another one in simulation"));
            else if (process.in_loop && walk.reads.contains(name))
                races(line, name);
            else if (is_read_at_an_edge(name, process))
                races(line, name);
        }
    }

    void races(int line, const std::string& name) {
        hazard(line, sentence(plain(name),
                              " is assigned with = in a clocked process and read outside of it: whether at "
                              "the same edge the old value is read or the new one is open in simulation; <= is not"));
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

std::vector<Hazard> hazards_of(const std::vector<SyntaxNode>& modules, const std::string& top,
                               const std::vector<Hazard>& of_text) {
    const Names constants = constants_of(modules);
    std::map<std::string, Names> within;
    Names inner;
    for (const SyntaxNode& module : modules)
        each(module, [&](const SyntaxNode& node) {
            if (node.is("CELLTYPE")) {
                within[module.name].insert(node.name);
                inner.insert(node.name);
            }
            return true;
        });
    std::vector<std::string> left;
    for (const SyntaxNode& module : modules)
        if (top.empty() ? !inner.contains(module.name) : module.name == "\\" + top) left.push_back(module.name);
    const Names tops(left.begin(), left.end());
    Names used = tops;
    while (!left.empty()) {
        const std::string at = left.back();
        left.pop_back();
        for (const std::string& name : within[at])
            if (used.insert(name).second) left.push_back(name);
    }
    std::vector<Hazard> hazards;
    for (const Hazard& hazard : of_text)
        if (used.contains(hazard.module)) hazards.push_back(hazard);
    for (const SyntaxNode& module : modules)
        if (used.contains(module.name)) Module(module, constants, tops.contains(module.name), hazards).run();
    std::stable_sort(hazards.begin(), hazards.end(), [](const Hazard& a, const Hazard& b) { return a.line < b.line; });
    return hazards;
}

} // namespace discern::rtl
