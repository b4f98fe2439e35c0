#include "identify_kernel.hpp"

#include "cli/base/colour.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "hwrunner/products.hpp"
#include "identification/kernel/identify_kernel.hpp"
#include "identification/which/known_units.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"
#include "unsteady.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>
#include <memory>

namespace discern::cli {

namespace {

using identify::Conclusion;
using kernels::KernelResult;

constexpr double usual_seconds = 60;

Json as_json(const std::optional<kernels::Elsewhere>& place) {
    if (!place) return nullptr;
    return {{"at", place->size}, {"schedule", place->schedule ? Json(*place->schedule) : Json(nullptr)}};
}

/// Puts "tried" and "depends".
void put_sizes(Json& object, const std::vector<kernels::SizeRange>& sizes) {
    Json tried = Json::object(), depends = Json::array();
    for (const kernels::SizeRange& s : sizes) {
        tried[std::string(1, s.size)] = {s.tried_from, s.tried_to};
        if (!s.depends()) continue;
        depends.push_back(
            {{"on", s.size}, {"from", s.from}, {"to", s.to}, {"below", as_json(s.below)}, {"above", as_json(s.above)}});
    }
    object["tried"] = tried;
    object["depends"] = depends;
}

/// "M from 4 to 512; at 3 @[from=zero]"
std::string in_words(const kernels::SizeRange& s) {
    std::string text = fmt::format("{} from {} to {}", s.size, s.from, s.to);
    for (const auto& place : {s.below, s.above})
        if (place)
            text += fmt::format("; at {} {}", place->size,
                                place->schedule ? "@[" + *place->schedule + "]" : "another, which was not found");
    return text;
}

void print_sizes(const std::vector<kernels::SizeRange>& sizes, std::ostream& out) {
    std::string same;
    for (const kernels::SizeRange& s : sizes)
        if (s.depends())
            out << "depends:   on " << in_words(s) << '\n';
        else
            same += (same.empty() ? "" : ", ") + in_words(s);
    if (!same.empty()) out << "same for:  " << same << '\n';
}

/// What follows the sums, with alpha as a number and the least and greatest that it can be.
Json as_json(const kernels::Fitting& f) {
    const kernels::Epilogue& e = f.epilogue;
    static constexpr std::string_view additions[] = {"none", "fused", "after"};
    Json object = {{"words", in_words(e)}, {"alpha", e.alpha}, {"least", f.least}, {"greatest", f.greatest}};
    if (e.second) object["second"] = *e.second;
    object["addition"] = additions[static_cast<std::size_t>(e.addition)];
    object["bias"] = e.bias;
    object["once"] = e.once;
    object["saturates"] = e.saturates;
    return object;
}

/// "…; alpha is from x to y"
std::string in_words(const kernels::Fitting& f) {
    std::string text = in_words(f.epilogue);
    if (f.least != f.greatest) text += fmt::format("; alpha can be from {:.9g} to {:.9g}", f.least, f.greatest);
    return text;
}

Json as_json(const KernelResult& r, const Shape& shape) {
    Json object = {{"unit", nullptr}, {"tree", nullptr}, {"schedule", nullptr}};
    if (r.kernel) {
        object["tree"] = to_string(r.kernel->unit);
        object["unit"] = r.unit_name.empty() ? to_string(r.kernel->unit) : r.unit_name;
        object["schedule"] = to_string(r.kernel->schedule);
    }
    object["K"] = shape.K;
    if (r.then) object["then"] = as_json(*r.then);
    object["also"] = r.also;
    object["observations"] = r.order_probes + r.observations;
    object["validated"] = r.validated;
    object["verdict"] = name(r.conclusion);
    put_ground(object, r.ground);
    object["open"] = r.open;
    if (r.unsteady) object["unsteady"] = json_of(shape, *r.unsteady);
    if (r.kernel) put_sizes(object, r.sizes);
    if (!r.trouble.empty()) object["trouble"] = r.trouble;
    object["seconds"] = number(r.seconds, "{:.3f}");
    return object;
}

void print_text(const KernelResult& r, const Shape& shape, const Colours& colours, std::ostream& out) {
    if (r.unsteady) {
        out << said_of(shape, *r.unsteady);
    } else if (!r.kernel) {
        out << fmt::format("unexplained: {}\n", r.trouble);
    } else {
        out << fmt::format("unit:      {}\n", r.unit_name.empty() ? "none with a name" : r.unit_name);
        out << fmt::format("tree:      {}\n", to_string(r.kernel->unit));
        out << fmt::format("schedule:  @[{}]\n", to_string(r.kernel->schedule, shape.K));
        if (r.then) out << fmt::format("then:      {}\n", in_words(*r.then));
        if (!r.also.empty()) out << fmt::format("also:      @[{}]\n", fmt::join(r.also, "], @["));
        print_sizes(r.sizes, out);
        if (!r.open.empty()) out << fmt::format("open:      {}\n", fmt::join(r.open, ", "));
        const std::string verdict(name(r.conclusion));
        out << "verdict:   " << (r.conclusion == Conclusion::open ? colours.open(verdict) : colours.good(verdict))
            << '\n';
    }
    out << fmt::format("probes of the order {}, observations {}, validated {}, {:.1f} s\n", r.order_probes,
                       r.observations, r.validated, r.seconds);
}

/// Whole products of a target, if it has them.
kernels::AskProduct products_of(Target& target) {
    auto* const products = dynamic_cast<ProductTarget*>(&target);
    if (products == nullptr) return {};
    return [products](GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d) {
        products->multiply(size, a, b, c, d);
    };
}

/// A target that is started for one K.
struct Started {
    explicit Started(std::unique_ptr<Target> t) : target(std::move(t)), asker{*target} {}
    std::unique_ptr<Target> target;
    Asker asker;
};

/// The target at another K, unless it is made for one.
std::optional<kernels::AtLength> at_length(TargetChoice choice, int K, std::stop_token stop, const Streams& io) {
    choice.K = K;
    const auto started = std::make_shared<Started>(start_target(choice, std::nullopt, std::move(stop), io));
    if (started->target->shape().K != K) return std::nullopt;
    return kernels::AtLength{std::ref(started->asker), products_of(*started->target), started};
}

} // namespace

int identify_kernel(const KernelQuestion& question, const Streams& io) {
    kernels::KernelOptions options;
    options.timeout = std::isfinite(question.choice.timeout) ? question.choice.timeout : usual_seconds;
    Interrupt interrupt(io, options.timeout + 30); // what is found is validated within the time
    const std::unique_ptr<Target> target = start_target(question.choice, std::nullopt, interrupt.token(), io);
    const Shape shape = target->shape();
    if (shape.scale && shape.scales() < 2)
        throw Error(sentence("identify: a kernel with one scale has no order that could be seen; --K of ",
                             2 * shape.scale->block, " or more, or no --kernel, is right"));
    if (shape.K < 2)
        throw Error("identify: a kernel of one product has no order; --K of 2 or more, or no --kernel, is right");
    Asker asker{*target};
    options.seed = question.seed;
    options.validate = question.validate;
    options.finite = question.finite;
    options.stop = interrupt.token();
    options.product = products_of(*target);
    if (question.choice.K != 0 && question.choice.target != callable_target)
        options.at_length = [&](int K) { return at_length(question.choice, K, interrupt.token(), io); };
    Shape one = shape;
    one.K = 1;
    const KnownUnits known = known_units(one);
    for (std::size_t i = 0; i < known.units.size(); ++i)
        options.known.emplace_back(known.names[i], known.units[i].unit);
    for (const TargetKind& kind : target_kinds()) // instructions of CPUs, of any K
        if (kind.unit != nullptr) options.known.emplace_back(kind.name, resolve_unit(kind.unit()));
    Progress progress(io);
    if (progress.is_wanted()) options.progress = [&](const std::string& stage) { progress.show(stage); };
    const KernelResult result = kernels::identify_kernel(shape, std::ref(asker), options);
    interrupt.work_is_done();
    progress.clear();
    if (interrupt.requested()) io.err << "discern: interrupted; this is what is known\n";
    if (question.json)
        print_line(io.out, as_json(result, shape));
    else
        print_text(result, shape, Colours::of(io), io.out);
    static constexpr int statuses[] = {status::done, status::done, status::unknown, status::different};
    return statuses[static_cast<std::size_t>(result.conclusion)];
}

} // namespace discern::cli
