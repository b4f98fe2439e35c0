#include "evaluate.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/gemm.hpp"
#include "models/pattern_words.hpp"
#include "models/unit/sentence.hpp"
#include "plan.hpp"
#include "programs/functions/functions.hpp"
#include "programs/functions/integer_unit.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace discern::programs {

struct Evaluation::Plan {
    const Graph& graph;
    std::vector<NodeId> roots;
    Order order;
    std::vector<Function> functions;          ///< of each group
    std::vector<std::shared_ptr<Gemm>> units; ///< of each group, or nothing
    std::vector<std::optional<IntegerUnit>> integers;
    std::vector<std::string> stand_ins;
    std::vector<std::uint32_t> place; ///< of each node that is computed, in the values

    Plan(const Graph& g, std::span<const NodeId> r, unsigned threads)
        : graph(g), roots(r.begin(), r.end()), order(order_of(g, r)) {
        std::map<OpId, std::shared_ptr<Gemm>> known;
        std::set<std::string> inexact;
        for (const Group& group : order.groups) {
            const Operation& operation = graph.operation(group.op);
            functions.emplace_back();
            units.emplace_back();
            integers.push_back(operation.kind == Kind::unit ? integer_unit(operation.name) : std::nullopt);
            if (operation.kind == Kind::unit && !integers.back()) {
                auto& unit = known[group.op];
                GemmOptions options;
                options.b_by_columns = true;
                options.threads = threads;
                if (!unit) unit = std::make_shared<Gemm>(resolve_unit(operation.name), options);
                units.back() = unit;
            } else if (operation.kind == Kind::function) {
                functions.back() = function_of(operation.name);
                if (!functions.back()) throw Error(sentence("the values of ", operation.name, " are not known"));
                if (!functions.back().is_exact) inexact.insert(operation.name);
            }
        }
        stand_ins.assign(inexact.begin(), inexact.end());
        give_places();
    }

    void give_places() {
        place.resize(graph.size());
        std::uint32_t next = 0;
        for (const NodeId id : order.leaves) place[id] = next++;
        for (const NodeId id : order.constants) place[id] = next++;
        for (const Group& group : order.groups) {
            for (const NodeId id : group.nodes) place[id] = next++;
            for (const ChainNode& chain : group.chains) place[chain.end] = next++;
        }
        values = next;
    }
    std::size_t values = 0;
};

namespace {

/// One run over the groups.
class Running {
  public:
    Running(const Graph& graph, const std::vector<std::uint32_t>& place, std::size_t values, std::size_t assignments)
        : graph_(graph), place_(place), count_(assignments), values_(values * assignments) {}

    std::uint64_t* of(NodeId id) { return values_.data() + place_[id] * count_; }

    void functions(const Group& group, const Function& function) {
        for (const NodeId id : group.nodes) {
            const auto arguments = graph_.arguments(id);
            std::uint64_t* into = of(id);
            for (std::size_t i = 0; i < count_; ++i) {
                std::uint64_t given[4] = {};
                for (std::size_t j = 0; j < std::min<std::size_t>(arguments.size(), 4); ++j)
                    given[j] = of(arguments[j])[i];
                if (graph_.operation(group.op).name.starts_with("max.") ||
                    graph_.operation(group.op).name.starts_with("min.")) {
                    // Of any number of operands.
                    given[1] = given[0];
                    for (const NodeId operand : arguments) {
                        given[0] = of(operand)[i];
                        given[1] = function(given);
                    }
                    into[i] = given[1];
                } else {
                    into[i] = function(given);
                }
            }
        }
    }

    void bytes(const Group& group) {
        for (const NodeId id : group.nodes) {
            const auto codes = graph_.arguments(id);
            if (codes.size() > 8) throw Error("values of more than eight bytes are not computed");
            for (std::size_t i = 0; i < count_; ++i) {
                std::uint64_t value = 0;
                for (std::size_t j = 0; j < codes.size(); ++j) {
                    const std::uint64_t byte =
                        is_known(codes[j]) ? codes[j] : of(node_of(codes[j]))[i] >> (8 * byte_of(codes[j])) & 255;
                    value |= byte << (8 * j);
                }
                of(id)[i] = value;
            }
        }
    }

    void integers(const Group& group, const IntegerUnit& unit) {
        std::vector<std::uint64_t> a, b;
        const auto fill = [&](std::vector<std::uint64_t>& into, const std::vector<NodeId>& row,
                              std::size_t assignment) {
            into.clear();
            for (const NodeId id : row) into.push_back(of(id)[assignment]);
        };
        for (const ChainNode& chain : group.chains)
            for (std::size_t i = 0; i < count_; ++i) {
                fill(a, group.rows_a[chain.a], i);
                fill(b, group.rows_b[chain.b], i);
                of(chain.end)[i] = unit(a, b, static_cast<std::uint32_t>(of(chain.base)[i]));
            }
    }

    void units(const Group& group, const Gemm& gemm) {
        const Unit& unit = gemm.unit();
        const std::size_t k = group.rows_a[0].size();
        if (group.is_product) {
            for (std::size_t i = 0; i < count_; ++i) product(group, gemm, k, i);
            return;
        }
        // One chain after the other; long ones in pieces of the unit's own K.
        const std::size_t all = group.chains.size() * count_, step = static_cast<std::size_t>(unit.K),
                          scales = static_cast<std::size_t>(unit.scales());
        const FormatId scale = unit.scale ? unit.scale->format : unit.a;
        PatternWords c(unit.c.value_or(unit.d), all), a(unit.a, all * step), b(unit.b, all * step),
            sa(scale, all * scales), sb(scale, all * scales);
        for (std::size_t n = 0; n < all; ++n) c.set(n, of(group.chains[n / count_].base)[n % count_]);
        for (std::size_t from = 0; from < k; from += step) {
            for (std::size_t n = 0; n < all; ++n) {
                const ChainNode& chain = group.chains[n / count_];
                fill(a, n, group.rows_a[chain.a], from, step, n % count_);
                fill(b, n, group.rows_b[chain.b], from, step, n % count_);
                if (scales == 0) continue;
                fill(sa, n, group.rows_sa[chain.sa], from / step * scales, scales, n % count_);
                fill(sb, n, group.rows_sb[chain.sb], from / step * scales, scales, n % count_);
            }
            PatternWords d(unit.d, all);
            gemm.dots(all, a.patterns(), b.patterns(), c.patterns(), d.out(), sa.patterns(), sb.patterns());
            c = std::move(d);
        }
        for (std::size_t n = 0; n < all; ++n) of(group.chains[n / count_].end)[n % count_] = c.at(n);
    }

  private:
    /// Some elements of a row, in one assignment, to the n-th of as many.
    void fill(PatternWords& into, std::size_t n, const std::vector<NodeId>& row, std::size_t from, std::size_t count,
              std::size_t assignment) {
        for (std::size_t i = 0; i < count; ++i) into.set(n * count + i, of(row[from + i])[assignment]);
    }

    void product(const Group& group, const Gemm& gemm, std::size_t k, std::size_t assignment) {
        const Unit& unit = gemm.unit();
        const std::size_t m = group.rows_a.size(), n = group.rows_b.size(), all = group.chains.size();
        PatternWords a(unit.a, m * k), b(unit.b, n * k), c(unit.c.value_or(unit.d), all), d(unit.d, all);
        for (std::size_t i = 0; i < m; ++i) fill(a, i, group.rows_a[i], 0, k, assignment);
        for (std::size_t i = 0; i < n; ++i) fill(b, i, group.rows_b[i], 0, k, assignment);
        for (std::size_t i = 0; i < all; ++i) c.set(i, of(group.chains[i].base)[assignment]);
        gemm({m, n, k}, a.patterns(), b.patterns(), c.patterns(), d.out());
        for (std::size_t i = 0; i < all; ++i) of(group.chains[i].end)[assignment] = d.at(i);
    }

    const Graph& graph_;
    const std::vector<std::uint32_t>& place_;
    std::size_t count_;
    std::vector<std::uint64_t> values_;
};

} // namespace

Evaluation::Evaluation(const Graph& graph, std::span<const NodeId> roots, unsigned threads)
    : plan_(std::make_unique<const Plan>(graph, roots, threads)) {}
Evaluation::~Evaluation() = default;
Evaluation::Evaluation(Evaluation&&) noexcept = default;
Evaluation& Evaluation::operator=(Evaluation&&) noexcept = default;

const std::vector<NodeId>& Evaluation::leaves() const { return plan_->order.leaves; }
const std::vector<std::string>& Evaluation::stand_ins() const { return plan_->stand_ins; }

std::vector<std::uint64_t> Evaluation::operator()(std::span<const std::uint64_t> given, std::size_t assignments) const {
    if (given.size() != leaves().size() * assignments) throw std::logic_error("a value for each leaf is needed");
    Running running(plan_->graph, plan_->place, plan_->values, assignments);
    for (std::size_t i = 0; i < leaves().size(); ++i)
        std::copy_n(given.begin() + static_cast<std::ptrdiff_t>(i * assignments), assignments, running.of(leaves()[i]));
    for (const NodeId id : plan_->order.constants) std::fill_n(running.of(id), assignments, plan_->graph.bits(id));
    for (std::size_t i = 0; i < plan_->order.groups.size(); ++i) {
        const Group& group = plan_->order.groups[i];
        if (plan_->integers[i])
            running.integers(group, *plan_->integers[i]);
        else if (!group.chains.empty())
            running.units(group, *plan_->units[i]);
        else if (plan_->functions[i])
            running.functions(group, plan_->functions[i]);
        else
            running.bytes(group);
    }
    std::vector<std::uint64_t> result;
    for (const NodeId root : plan_->roots)
        result.insert(result.end(), running.of(root), running.of(root) + assignments);
    return result;
}

} // namespace discern::programs
