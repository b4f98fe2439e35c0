// Text and JSON of a design on a vector.
#include "design_explained.hpp"

#include "cli/options/read_design.hpp"

#include "cli/files/exactness.hpp"
#include "cli/options/values.hpp"
#include "designs/target.hpp"
#include "models/error.hpp"
#include "models/format.hpp"
#include "models/hex.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace discern::cli {

namespace {

constexpr std::size_t most_nets_shown = 40; ///< nets that are like no wire

} // namespace

ExplainedDesign::ExplainedDesign(std::string word, const DesignOptions& options, const Unit& unit, bool is_compared,
                                 double timeout)
    : word_(std::move(word)), unit_(unit), is_compared_(is_compared) {
    const double seconds = std::min(timeout, longest_reading);
    read_ = std::make_unique<ReadDesign>(read_design(unit, word_, options, seconds));
    const Limit limit = Limit::after(seconds, {});
    target_ = rtl::make_design_target(read_->question, read_->sources, [&limit] { return limit.reached(); });
}
ExplainedDesign::~ExplainedDesign() = default;

std::uint64_t ExplainedDesign::operator()(const Inputs& inputs) const {
    std::vector<TargetAnswer> answers;
    target_->run(std::span(&inputs, 1), answers);
    if (!answers.front().ok()) throw Error(sentence(excerpt(word_, 80), ": ", answers.front().error));
    return answers.front().d;
}

void ExplainedDesign::explain(const Vector& vector) {
    d_ = (*this)(vector.inputs());
    exactness_ = explain::exactness(shape_of(unit_), vector.inputs(), d_);
    nets_ = rtl::nets_on(read_->question, vector.inputs(), is_compared_ ? &unit_ : nullptr, 1);
}

void ExplainedDesign::print(std::optional<std::uint64_t> unit_gives, const Colours& colours, std::ostream& out) const {
    const Format& f = format(unit_.d);
    out << fmt::format("{}, module {}\n  d is {}; it is {}\n", word_, read_->question.design.top, described(f, d_),
                       distance_text(exactness_));
    if (unit_gives && !same_result(unit_, *unit_gives, d_))
        out << "  " << colours.bad("the unit gives " + described(f, *unit_gives)) << '\n';
    const bool has_cycles = read_->question.connection.has_clock;
    const auto name = [&](const rtl::NetValue& net) {
        return has_cycles ? fmt::format("{} after {}", net.name, counted(static_cast<std::size_t>(net.cycle), "edge"))
                          : net.name;
    };
    std::size_t width = 0, values = 0, others = 0;
    for (const rtl::NetValue& net : nets_) {
        width = std::max(width, name(net).size());
        values = std::max(values, net.value.size());
    }
    width = std::min<std::size_t>(width, 40);
    bool has_headline = false, has_parted = false;
    for (const rtl::NetValue& net : nets_) {
        if (net.wire.empty()) continue;
        if (!has_headline)
            out << "  nets that are a wire of the unit on nearly all of 256 random vectors (export --as sv has the "
                   "wires)\n";
        has_headline = true;
        const std::string line = fmt::format("    {:<{}}  {:>{}}  {}", name(net), width, net.value, values, net.wire);
        if (!net.parts())
            out << line << '\n';
        else
            out << colours.bad(line + " is " + net.wire_value + (has_parted ? "" : ": here they part")) << '\n';
        has_parted = has_parted || net.parts();
    }
    for (const rtl::NetValue& net : nets_) {
        if (!net.wire.empty()) continue;
        if (others++ == 0) out << (is_compared_ ? "  other nets\n" : "  nets\n");
        if (others <= most_nets_shown) out << fmt::format("    {:<{}}  {:>{}}\n", name(net), width, net.value, values);
    }
    if (others > most_nets_shown) out << fmt::format("    … and {} more; --json has all\n", others - most_nets_shown);
}

Json ExplainedDesign::json() const {
    Json object = {{"design", word_}, {"module", read_->question.design.top}, {"d", to_hex(format(unit_.d), d_)}};
    put_exactness(object, exactness_);
    object["nets"] = Json::array();
    for (const rtl::NetValue& net : nets_) {
        Json one = {{"net", net.name}, {"cycle", net.cycle}, {"value", net.value}};
        if (!net.wire.empty()) {
            one["wire"] = net.wire;
            one["wire_value"] = net.wire_value;
        }
        object["nets"].push_back(std::move(one));
    }
    return object;
}

} // namespace discern::cli
