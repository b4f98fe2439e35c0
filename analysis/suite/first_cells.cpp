// Random vectors for all units at once, without all units in memory. See partition.hpp.
//
// Vectors are made some at a time. Each unit is made, computes all of them, and is forgotten; of its results only the
// number of its row is kept, which it shares with all units of its cell that have the same results. A vector splits a
// cell if two rows of it are equal before that vector and differ there: among sorted rows, two neighbours then do.
#include "partition.hpp"

#include "solver/question/input_limits.hpp"

#include "models/evaluate.hpp"
#include "models/parallel.hpp"
#include "models/shape.hpp"
#include "models/stimulus/aimed_vectors.hpp"
#include "models/vectors/mixture.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <unordered_set>

namespace discern {

namespace {

// For how many units vectors are made; how many vectors in succession may split no cell before cells are examined one
// by one; on how many units those are run; how many are run on all units however many these are, since large cells take
// memory for their terms.
constexpr std::size_t views_of_all = 64;
constexpr std::uint64_t fruitless = 200, most_results = 20'000'000, fewest_vectors = 192;
// Vectors that are computed together, at first and at most; results that are then kept; units that are made together.
constexpr std::size_t first_batch = 16, largest_batch = 256, most_kept = 4'000'000, units_together = 256;

// Units of a cell beyond which it is divided further; by how many vectors, made for how many of its units.
constexpr std::size_t most_of_a_cell = 2048, vectors_of_large = 128, views_of_large = 4;
// What is known is kept so often, or so seldom that keeping it takes no more than this share of the time.
constexpr double seconds_between = 5, share_for_keeping = 0.02;

/// Different rows of results, each of a cell.
class ResultRows {
  public:
    explicit ResultRows(std::size_t width) : width_(width), known_(0, Hash{this}, Equal{this}) {}
    ResultRows(const ResultRows&) = delete;
    ResultRows& operator=(const ResultRows&) = delete;

    /// The number of a row, which is new or known.
    std::size_t number(std::size_t cell, std::span<const std::uint64_t> row) {
        cells_.push_back(cell);
        results_.insert(results_.end(), row.begin(), row.end());
        const auto [at, is_new] = known_.insert(cells_.size() - 1);
        if (is_new) return *at;
        cells_.pop_back();
        results_.resize(results_.size() - width_);
        return *at;
    }
    std::size_t size() const { return cells_.size(); }

    /// Of each vector, whether it splits a cell that those before it leave together.
    std::vector<bool> splitting() const {
        std::vector<std::size_t> order(size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, [this](std::size_t one, std::size_t other) {
            if (cells_[one] != cells_[other]) return cells_[one] < cells_[other];
            const auto first = row(one), second = row(other);
            return std::lexicographical_compare(first.begin(), first.end(), second.begin(), second.end());
        });
        std::vector<bool> splits(width_);
        for (std::size_t i = 1; i < order.size(); ++i) {
            if (cells_[order[i - 1]] != cells_[order[i]]) continue;
            const auto before = row(order[i - 1]), after = row(order[i]);
            const auto differing = std::mismatch(before.begin(), before.end(), after.begin()).first;
            splits[static_cast<std::size_t>(differing - before.begin())] = true;
        }
        return splits;
    }

  private:
    struct Hash {
        const ResultRows* rows;
        std::size_t operator()(std::size_t number) const {
            std::uint64_t hash = rows->cells_[number];
            for (const std::uint64_t result : rows->row(number)) {
                hash = (hash ^ result) * 0x9e3779b97f4a7c15u;
                hash ^= hash >> 32;
            }
            return static_cast<std::size_t>(hash);
        }
    };
    struct Equal {
        const ResultRows* rows;
        bool operator()(std::size_t one, std::size_t other) const {
            return rows->cells_[one] == rows->cells_[other] && std::ranges::equal(rows->row(one), rows->row(other));
        }
    };

    std::span<const std::uint64_t> row(std::size_t number) const {
        return std::span(results_).subspan(number * width_, width_);
    }

    std::size_t width_;
    std::vector<std::size_t> cells_;
    std::vector<std::uint64_t> results_;
    std::unordered_set<std::size_t, Hash, Equal> known_;
};

class FirstPass {
  public:
    FirstPass(const UnitList& units, const PartitionOptions& options)
        : units_(units), options_(options), first_(units[0]), any_(units.size), cell_of_(units.size) {}

    FirstCells run(FirstCells from) {
        if (from.made == 0)
            look_at_all();
        else
            go_on_from(std::move(from));
        if (!out_.complete) run_vectors();
        return std::move(out_);
    }

  private:
    void run_vectors() {
        std::vector<Unit> views(std::min(views_of_all, units_.size));
        for (std::size_t i = 0; i < views.size(); ++i) views[i] = units_[i * units_.size / views.size()];
        InputMixture mixture(each_of(views), options_.cells.seed);
        InputBuffer buffer;
        for (std::uint64_t i = 0; i < out_.made; ++i) mixture.next(buffer); // those of before
        const std::uint64_t most = most_vectors();
        auto kept = Limit::Clock::now();
        double between = seconds_between;
        while (out_.in_vain < fruitless && out_.made < most) {
            const std::size_t count =
                std::min<std::uint64_t>({out_.together, fruitless - out_.in_vain, most - out_.made});
            if (options_.progress) options_.progress("random vectors, " + std::to_string(cells_) + " cells");
            if (!split_by_next(mixture, count, out_.in_vain)) break;
            out_.made += count;
            out_.together = std::clamp<std::uint64_t>(most_kept / std::max<std::size_t>(cells_, 1), first_batch,
                                                      std::min<std::uint64_t>(2 * out_.together, largest_batch));
            if (seconds_since(kept) < between) continue;
            const auto begun = Limit::Clock::now();
            gather_and_keep();
            kept = Limit::Clock::now();
            between = std::max(seconds_between, seconds_since(begun) / share_for_keeping);
        }
        gather_and_keep();
        if (!out_.interrupted) divide_large();
        if (out_.interrupted) return;
        out_.complete = true;
        if (options_.keep_first) options_.keep_first(out_);
    }

    std::uint64_t most_vectors() const {
        return std::max<std::uint64_t>((most_results + units_.size - 1) / units_.size, fewest_vectors);
    }

    void gather_and_keep() {
        gather();
        if (options_.keep_first && out_.made > 0) options_.keep_first(out_);
    }

    void go_on_from(FirstCells from) {
        out_ = std::move(from);
        out_.made = std::min(out_.made, most_vectors());
        any_.assign(out_.any.begin(), out_.any.end());
        for (std::size_t cell = 0; cell < out_.cells.size(); ++cell) {
            for (const std::size_t unit : out_.cells[cell]) cell_of_[unit] = cell;
            if (out_.cells[cell].size() == 1)
                ++alone_;
            else
                together_.insert(together_.end(), out_.cells[cell].begin(), out_.cells[cell].end());
        }
        std::ranges::sort(together_);
        cells_ = next_cell_ = out_.cells.size();
    }

    bool allowed(const Inputs& inputs) const {
        return options_.cells.inputs.none() || allows(options_.cells.inputs, first_, inputs);
    }
    bool stopped() { return out_.interrupted = options_.cells.limit.reached(); }

    template <class Work>
    void for_each_some(std::size_t count, const Work& work) const {
        const std::size_t parts = (count + units_together - 1) / units_together;
        for_each_index(options_.threads, parts, [&](std::size_t part) {
            work(part * units_together, std::min((part + 1) * units_together, count));
        });
    }

    /// Units with nan=any are apart from the others.
    void look_at_all() {
        for_each_some(units_.size, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const Unit unit = units_[i];
                require_comparable(first_, unit);
                any_[i] = unit.nan.kind == NanRule::Kind::any ? 1 : 0;
            }
        });
        for (std::size_t i = 0; i < units_.size; ++i) cell_of_[i] = any_[i];
        const bool mixed = std::ranges::find(any_, 1 - any_.front()) != any_.end();
        cells_ = mixed ? 2 : 1;
        next_cell_ = 2;
        together_.resize(units_.size);
        std::iota(together_.begin(), together_.end(), std::size_t{0});
        out_.any.assign(any_.begin(), any_.end());
        out_.together = first_batch;
    }

    /// @return false at the limit
    bool split_by_next(InputMixture& mixture, std::size_t count, std::uint64_t& in_vain) {
        std::vector<Vector> vectors;
        std::vector<bool> is_allowed(count);
        InputBuffer buffer;
        for (std::size_t i = 0; i < count; ++i) {
            mixture.next(buffer);
            is_allowed[i] = allowed(buffer.inputs());
            if (is_allowed[i]) vectors.push_back(vector_of(shape_of(first_), buffer.inputs()));
        }
        ResultRows rows(vectors.size());
        if (!compute(vectors, rows)) return false;
        const std::vector<bool> splits = rows.splitting();
        for (std::size_t i = 0, allowed = 0; i < count; ++i, ++in_vain) {
            if (!is_allowed[i] || !splits[allowed++]) continue;
            out_.pool.push_back(std::move(vectors[allowed - 1]));
            in_vain = 0;
        }
        regroup(rows.size());
        return true;
    }

    bool compute(const std::vector<Vector>& vectors, ResultRows& rows) {
        const Format& d = format(first_.d);
        std::mutex mutex;
        row_of_.assign(together_.size(), 0);
        for_each_some(together_.size(), [&](std::size_t begin, std::size_t end) {
            if (options_.cells.limit.reached()) return;
            std::vector<std::uint64_t> results;
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t unit = together_[i];
                const Evaluator evaluate(units_[unit]);
                for (const Vector& v : vectors)
                    results.push_back(counted_result(d, any_[unit] != 0, evaluate(v.inputs())));
            }
            const std::lock_guard lock(mutex);
            for (std::size_t i = begin; i < end; ++i)
                row_of_[i] = rows.number(cell_of_[together_[i]],
                                         std::span(results).subspan((i - begin) * vectors.size(), vectors.size()));
        });
        return !stopped();
    }

    /// Rows become cells; units that are alone in theirs are done with.
    void regroup(std::size_t rows) {
        std::vector<std::size_t> sizes(rows);
        for (const std::size_t row : row_of_) ++sizes[row];
        std::size_t kept = 0;
        for (std::size_t i = 0; i < together_.size(); ++i) {
            cell_of_[together_[i]] = next_cell_ + row_of_[i];
            if (sizes[row_of_[i]] > 1) together_[kept++] = together_[i];
        }
        alone_ += together_.size() - kept;
        together_.resize(kept);
        next_cell_ += rows;
        cells_ = alone_ + rows - static_cast<std::size_t>(std::count(sizes.begin(), sizes.end(), std::size_t{1}));
    }

    /// Cells of many units are divided by vectors that are aimed at them, as long as that helps: one cell is the work
    /// of one thread of one machine, and its terms are in memory side by side.
    void divide_large() {
        const auto large = std::stable_partition(out_.cells.begin(), out_.cells.end(),
                                                 [](const Cell& cell) { return cell.size() <= most_of_a_cell; });
        std::vector<Cell> left(std::make_move_iterator(large), std::make_move_iterator(out_.cells.end()));
        out_.cells.erase(large, out_.cells.end());
        while (!left.empty() && !out_.interrupted) {
            const Cell cell = std::move(left.back());
            left.pop_back();
            if (options_.progress) options_.progress("cells of many units, " + std::to_string(left.size() + 1));
            for (Cell& part : divided(cell))
                (part.size() > most_of_a_cell && part.size() < cell.size() ? left : out_.cells)
                    .push_back(std::move(part));
        }
        std::move(left.begin(), left.end(), std::back_inserter(out_.cells));
        std::ranges::sort(out_.cells);
    }

    std::vector<Cell> divided(const Cell& cell) {
        std::vector<Unit> views;
        for (std::size_t view = 0; view < views_of_large; ++view)
            views.push_back(units_[cell[view * cell.size() / views_of_large]]);
        AimedVectors made(views, options_.cells.seed);
        std::vector<Vector> vectors;
        for (std::size_t i = 0; i < vectors_of_large; ++i)
            if (Vector vector = made.next(); allowed(vector.inputs())) vectors.push_back(std::move(vector));
        for (const std::size_t unit : cell) cell_of_[unit] = 0;
        together_ = cell;
        ResultRows rows(vectors.size());
        if (!compute(vectors, rows)) return {cell};
        const std::vector<bool> splits = rows.splitting();
        for (std::size_t i = 0; i < vectors.size(); ++i)
            if (splits[i]) out_.pool.push_back(std::move(vectors[i]));
        return parts_of(cell, {row_of_.begin(), row_of_.end()});
    }

    void gather() {
        out_.cells.clear();
        std::vector<std::size_t> order(units_.size);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(
            order, [this](std::size_t one, std::size_t other) { return cell_of_[one] < cell_of_[other]; });
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i == 0 || cell_of_[order[i - 1]] != cell_of_[order[i]]) out_.cells.emplace_back();
            out_.cells.back().push_back(order[i]);
        }
        std::ranges::sort(out_.cells);
    }

    const UnitList& units_;
    const PartitionOptions& options_;
    const Unit first_;
    std::vector<std::uint8_t> any_;     ///< of each unit: whether it has nan=any
    std::vector<std::size_t> cell_of_;  ///< of each unit
    std::vector<std::size_t> together_; ///< units that are not alone in their cell, ascending
    std::vector<std::size_t> row_of_;   ///< of each of these, among those of the vectors at hand
    std::size_t cells_ = 0, alone_ = 0; ///< how many there are; of one unit
    std::size_t next_cell_ = 0;         ///< a number that none has yet
    FirstCells out_;
};

} // namespace

FirstCells first_cells(const UnitList& units, const PartitionOptions& options, FirstCells from) {
    return FirstPass(units, options).run(std::move(from));
}

} // namespace discern
