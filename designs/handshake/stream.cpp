// 32 runs side by side, each a second time with other values of what the design leaves open. They begin with a reset
// and go on through several batches; what was on the ports is kept, so that a run can be shown from its reset on.
#include "stream.hpp"

#include "models/hex.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern::rtl {

namespace {

constexpr std::size_t operations_each = 16; ///< at least, of a run in a batch: with fewer vectors there are fewer runs
constexpr std::size_t longest_run = 4'000;  ///< edges from a reset on, before the next batch begins with another
constexpr std::size_t longest_phase = 40;   ///< edges at which operands are mostly offered, or mostly not, …
constexpr int edges_compared = 300;         ///< with a simulator, at least

bool is_in(Lanes lanes, std::size_t i) { return ((lanes >> i) & 1u) != 0; }

} // namespace

StreamTarget::StreamTarget(const DesignQuestion& question, const Sources& sources, std::uint64_t seed,
                           std::function<bool()> must_stop)
    : question_(question), sources_(sources), must_stop_(std::move(must_stop)), shape_(shape_of(question.unit)),
      stepper_(question, seed + 61), random_(seed + 62), lanes_(pairs) {}

void StreamTarget::begin() {
    stepper_.reset();
    log_.clear();
    for (Lane& lane : lanes_) lane = {.pending = {}, .on_way = {}, .board = Scoreboard(question_.connection.cycles)};
}

/// Phases of mostly one or the other, in half of the runs without exception, so that there are long waits, long
/// idleness, operations back to back, and everything between.
void StreamTarget::draw_offers() {
    if (log_.size() % longest_phase == 0) {
        mostly_valid_ = random_.bits() | random_.bits();
        mostly_ready_ = random_.bits() | random_.bits();
        steady_ = random_.bits();
    }
    const auto drawn = [&](Lanes mostly) {
        const Lanes change = random_.bits() & random_.bits() & ~steady_;
        return (mostly & ~change) | (random_.bits() & change);
    };
    valid_ = drawn(mostly_valid_);
    ready_ = question_.connection.handshake->ready_out.empty() ? ~Lanes{0} : drawn(mostly_ready_);
    const int most_waits = edges_until_stuck(question_.connection.cycles);
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        const Lanes own = Lanes{1} << i;
        if (lanes_[i].waits > most_waits) { // from here on nothing keeps it from going on
            valid_ |= own;
            ready_ |= own;
        }
        if (lanes_[i].pending.empty()) valid_ &= ~own;
    }
}

void StreamTarget::edge(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) {
    draw_offers();
    for (std::size_t i = 0; i < lanes_used_; ++i) {
        Lane& lane = lanes_[i];
        // What is on the ports and not taken may be anything: now and then another operation is offered first.
        std::size_t there = lane.pending.empty() ? 0 : lane.pending.back();
        if (!is_in(valid_, i))
            there = static_cast<std::size_t>(random_.below(static_cast<int>(batch.size())));
        else if (lane.pending.size() > 1 && random_.one_in(4)) {
            std::swap(lane.pending.back(),
                      lane.pending[static_cast<std::size_t>(random_.below(static_cast<int>(lane.pending.size())))]);
            there = lane.pending.back();
        }
        stepper_.set_operands(both(Lanes{1} << i), batch[there]);
    }
    stepper_.set_offers(both(valid_), both(ready_));
    stepper_.evaluate();
    log_.push_back({stepper_.operands(), valid_, ready_});
    for (std::size_t i = 0; i < lanes_used_ && !faulty_; ++i) judge_lane(i, answers);
    stepper_.edge();
}

void StreamTarget::judge_lane(std::size_t i, std::vector<TargetAnswer>& answers) {
    Lane& lane = lanes_[i];
    const bool ready_in = is_in(stepper_.ready_in(), i), valid_out = is_in(stepper_.valid_out(), i);
    if (ready_in != is_in(stepper_.ready_in(), i + pairs) || valid_out != is_in(stepper_.valid_out(), i + pairs))
        throw Error(sentence("port ",
                             excerpt(ready_in != is_in(stepper_.ready_in(), i + pairs)
                                         ? question_.connection.handshake->ready_in
                                         : question_.connection.handshake->valid_out),
                             " is not defined ", counted(log_.size() - 1, "edge"),
                             " after the reset: it depends on x, or on what registers held before"));
    const Offer offer{is_in(valid_, i), is_in(ready_, i)};
    const auto fault = lane.board.edge(offer, ready_in, valid_out);
    if (lane.board.took_operands()) {
        lane.on_way.push_back(lane.pending.back());
        lane.pending.pop_back();
        lane.waits = 0;
    } else if (!lane.pending.empty()) {
        ++lane.waits;
    }
    const int most_waits = edges_until_stuck(question_.connection.cycles);
    if (fault || lane.waits > 2 * most_waits) {
        fault_ = what(fault.value_or(Fault::stuck));
        faulty_ = run_of(i, log_.size());
        if (!fault) faulty_->waits = static_cast<std::size_t>(most_waits);
        return;
    }
    if (!lane.board.took_result()) return;
    const std::size_t vector = lane.on_way.front();
    lane.on_way.pop_front();
    edge_of_[vector] = log_.size();
    answers[vector].error.clear();
    answers[vector].d = stepper_.d(i);
    if (is_in(stepper_.d_differs(), i))
        answers[vector].error = "the design's result is not defined by the operands: it depends on x, or on what "
                                "registers held before";
}

void StreamTarget::run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) {
    const bool is_first = edge_of_.empty();
    before_ += edge_of_.size();
    if (log_.size() > longest_run || is_first) begin();
    lanes_used_ = std::clamp<std::size_t>(batch.size() / operations_each, 1, pairs);
    for (std::size_t i = batch.size(); i-- > 0;) lanes_[i % lanes_used_].pending.push_back(i);
    edge_of_.assign(batch.size(), 0);
    std::vector<TargetAnswer> own(batch.size(), {.d = 0, .error = "no result came"});
    const auto is_done = [&] {
        return std::ranges::all_of(lanes_,
                                   [](const Lane& lane) { return lane.pending.empty() && lane.on_way.empty(); });
    };
    while (!is_done() && !faulty_) {
        if (must_stop_()) throw Stopped("the time was over");
        edge(batch, own);
    }
    if (is_first && !faulty_) compare_with_simulator();
    // After a fault those before the first that has no result.
    const auto end = !faulty_ ? edge_of_.end() : std::ranges::find(edge_of_, std::size_t{0});
    for (std::ptrdiff_t i = 0; i < end - edge_of_.begin(); ++i)
        answers.push_back(std::move(own[static_cast<std::size_t>(i)]));
    if (faulty_) throw HandshakeFault(fault_);
}

HandshakeRun StreamTarget::run_of(std::size_t lane, std::size_t edges) const {
    HandshakeRun run;
    for (std::size_t i = 0; i < edges; ++i) {
        run.offers.push_back({is_in(log_[i].valid, lane), is_in(log_[i].ready, lane)});
        run.operands.push_back(stepper_.vector_of(log_[i].operands, lane));
    }
    return run;
}

HandshakeRun StreamTarget::run_to(std::uint64_t vector) const {
    const auto i = static_cast<std::size_t>(vector - before_);
    return run_of(i % lanes_used_, edge_of_.at(i));
}

/// The netlist and a simulator, edge by edge, on the first run.
void StreamTarget::compare_with_simulator() const {
    const HandshakeRun run = run_of(
        0, std::min(log_.size(), static_cast<std::size_t>(std::max(edges_compared, 4 * question_.connection.cycles))));
    std::string why_not;
    const auto simulated = simulate_run(question_, sources_, run, must_stop_, why_not);
    if (!simulated) return;
    const Simulated netlist = std::move(simulate_netlist(question_, std::span(&run, 1)).front());
    for (std::size_t i = 0; i < run.offers.size(); ++i) {
        const std::string& is = netlist.d[i];
        // Without a result d may be anything.
        const std::size_t count = is[1] == '1' ? is.size() : 2;
        for (std::size_t k = 0; k < count; ++k)
            if (is[k] != 'x' && is[k] != simulated->d[i][k])
                throw Error(sentence("simulation and synthesis make different things of the design: ",
                                     counted(i, "edge"), " after the reset ready, valid and d are ", simulated->d[i],
                                     " by ", simulated->by, ", and in the netlist ", is, "; operands are offered ",
                                     digits(run.offers, &Offer::valid).substr(0, i + 1), " and results taken ",
                                     digits(run.offers, &Offer::ready).substr(0, i + 1)));
    }
}

Answer StreamTarget::shown(HandshakeRun run, const Limit& limit) const {
    run = shortened(question_, std::move(run), limit);
    std::string why_not;
    const auto simulated = simulate_run(question_, sources_, run, must_stop_, why_not);
    const Simulated outputs = simulated ? *simulated : simulate_netlist(question_, std::span(&run, 1)).front();
    const Replayed replayed = judge(question_, run, outputs);
    const std::string at = in_words(run.offers);
    if (!replayed.undefined.empty()) throw Error(sentence(at, ", ", replayed.by, " says that ", replayed.undefined));
    if (!replayed.fault)
        throw Error(
            sentence("simulation and synthesis make different things of the design: in the netlist something is "
                     "wrong ",
                     at, ", and ", replayed.by, " gives what is right"));
    Answer answer;
    show(answer, question_, std::move(run), replayed, "random");
    return answer;
}

} // namespace discern::rtl
