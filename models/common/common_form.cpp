// The common operands are chosen one by one, and each side is written for them; what that took is noted beside it.
#include "models/common_form.hpp"

#include "embedding.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <numeric>

namespace discern {

namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error("the units cannot be compared, because " + why); }

bool is_plain(const Kernel& kernel) { return kernel.schedule == Schedule{}; }

/// Elements that share a scale; of a unit whose K is shorter than a block, all of them.
int scale_block_of(const Unit& unit) { return std::min(unit.scale->block, unit.K); }

std::string text_of(const Conversion& to) { return sentence(format(to.format).name, " (", name(to.mode), ")"); }

class Making {
  public:
    Making(std::vector<NamedKernel> sides, const std::optional<Conversion>& d) : sides_(std::move(sides)), d_(d) {}

    CommonForm run() {
        for (NamedKernel& side : sides_) {
            say_d(side);
            form_.own.push_back(side.kernel);
        }
        common_length();
        const Shape one = shape_of(sides_.front().kernel);
        form_.shape = {.a = narrowest("a", [](const Unit& unit) { return unit.a; }),
                       .b = narrowest("b", [](const Unit& unit) { return unit.b; }),
                       .c = common_c(),
                       .d = one.d,
                       .scale = common_scale(),
                       .K = one.K};
        for (const NamedKernel& side : sides_) form_.kernels.push_back(written(side));
        return std::move(form_);
    }

  private:
    template <typename... Parts>
    void assume(const NamedKernel& side, const Parts&... parts) {
        std::string said = sentence(side.name, ": ", parts...);
        auto& list = form_.assumed; // the same unit may be there twice
        if (std::find(list.begin(), list.end(), said) == list.end()) list.push_back(std::move(said));
    }

    /// Results of one format.
    void say_d(NamedKernel& side) {
        Kernel& kernel = side.kernel;
        if (d_ && kernel.d() != d_->format) {
            if (kernel.schedule.result)
                refuse(sentence("the results of ", side.name, " are converted to ", format(kernel.d()).name,
                                " already; a schedule without d= is right"));
            kernel.schedule.result = d_;
            validate(kernel);
            assume(side, "d, which is ", format(kernel.unit.d).name, ", is rounded to ", text_of(*d_));
        }
        const Kernel& first = sides_.front().kernel;
        const Format &one = format(first.d()), &other = format(kernel.d());
        if (one.id != other.id)
            refuse(sentence("they differ in formats: d is ", one.name, " in ", sides_.front().name, " and ", other.name,
                            " in ", side.name, "; --d ", (embeds(one, other) ? other : one).name,
                            ":rne compares results that are rounded to one format"));
    }

    /// The least common multiple of all lengths.
    void common_length() {
        std::int64_t K = 1;
        for (const NamedKernel& side : sides_) K = std::lcm(K, std::int64_t{side.kernel.K});
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            NamedKernel& side = sides_[i];
            Kernel& kernel = side.kernel;
            if (kernel.K == K) continue;
            const Unit& unit = kernel.unit;
            const std::string lengths = sentence("K is ", kernel.K, " in ", side.name, ", and ", K, " for all; ");
            if (K > longest_kernel) refuse(sentence(lengths, "at most ", longest_kernel, " are right"));
            if (!kernel.is_chain()) refuse(lengths + "its schedule has a K of its own, and is not chained");
            if (!has_accumulator(unit.tree)) refuse(lengths + "it cannot be chained, because it has no accumulator");
            if (unit.c && *unit.c != unit.d)
                refuse(sentence(lengths, "it cannot be chained, because its d is ", format(unit.d).name, " and its c ",
                                format(*unit.c).name));
            kernel.K = static_cast<int>(K);
            if (unit.scale) kernel.unit.scale->block = scale_block_of(unit);
            validate(kernel);
            form_.own[i] = kernel;
            assume(side, "K is ", K, ", ", K / unit.K, " instructions of ", unit.K, " that are chained through c");
        }
    }

    /// The format of an operand that embeds in those of all sides.
    template <typename Get>
    FormatId narrowest(const char* operand, Get get) {
        for (const NamedKernel& side : sides_) {
            const Format& inner = format(get(side.kernel.unit));
            if (std::all_of(sides_.begin(), sides_.end(),
                            [&](const NamedKernel& other) { return embeds(format(get(other.kernel.unit)), inner); }))
                return inner.id;
        }
        std::string list;
        for (const NamedKernel& side : sides_)
            list += sentence(list.empty() ? "" : ", ", format(get(side.kernel.unit)).name, " in ", side.name);
        refuse(sentence("they differ in formats: ", operand, " is ", list,
                        ", and no one of these formats has only "
                        "numbers that the others have too"));
    }

    std::optional<FormatId> common_c() {
        const auto has_none = [](const NamedKernel& side) { return !side.kernel.unit.c; };
        if (std::any_of(sides_.begin(), sides_.end(), has_none)) return std::nullopt;
        return narrowest("c", [](const Unit& unit) { return *unit.c; });
    }

    /// Scales of the longest blocks, unless a side has none.
    std::optional<Scale> common_scale() {
        std::optional<Scale> common;
        for (const NamedKernel& side : sides_) {
            const Unit& unit = side.kernel.unit;
            if (!unit.scale) return std::nullopt;
            if (common && common->format != unit.scale->format)
                refuse(sentence("they differ in scale blocks: scales are ", format(common->format).name, " and ",
                                format(unit.scale->format).name, "; {scale=1} is a unit with all scales 1"));
            common = Scale{unit.scale->format, std::max(common ? common->block : 1, unit.scale->block)};
        }
        for (const NamedKernel& side : sides_) {
            const int own = side.kernel.unit.scale->block;
            if (own == common->block || common->block % scale_block_of(side.kernel.unit) == 0) continue;
            refuse(sentence("they differ in scale blocks: one scale is for ", own, " elements and for ", common->block,
                            ", and the one does not divide the other; {scale=1} is a unit with all scales 1"));
        }
        return common;
    }

    /// The side on the common operands.
    Kernel written(const NamedKernel& side) {
        Kernel kernel = side.kernel;
        Unit& unit = kernel.unit;
        const Shape& to = form_.shape;
        if (unit.scale && !to.scale) {
            assume(side, "its scales are 1");
            remove_scales(unit);
        } else if (unit.scale != to.scale) {
            assume(side, "the scales of each ", to.scale->block, " elements are equal");
            // Scales of a whole chain are those of one unit with as many blocks.
            if (kernel.K != unit.K && unit.K % to.scale->block != 0) {
                if (!is_plain(kernel) || unit.place != AccumulatorPlace::chained)
                    refuse(sentence(side.name, " has scales for ", scale_block_of(unit),
                                    " elements and a schedule; a unit "
                                    "alone is right"));
                unit.K = kernel.K;
            }
            unit.scale = to.scale;
        }
        const Unit own = unit;
        try {
            kernel = common_forms::on_operands(std::move(kernel), to);
        } catch (const Error& error) {
            refuse(sentence("of ", side.name, " it cannot be said what it computes of ", formats_of(to), ": ",
                            error.what()));
        }
        say_operands(side, own);
        return kernel;
    }

    void say_operands(const NamedKernel& side, const Unit& own) {
        const Shape& to = form_.shape;
        const auto converted = [&](const char* what, FormatId from, FormatId as) {
            assume(side, what, format(from).name, ", converted to ", format(as).name, ", which has all its numbers");
        };
        if (to.a != own.a && to.a == to.b && own.a == own.b) {
            converted("a and b are ", to.a, own.a);
        } else {
            if (to.a != own.a) converted("a is ", to.a, own.a);
            if (to.b != own.b) converted("b is ", to.b, own.b);
        }
        if (own.c && !to.c) assume(side, "c is +0");
        if (own.c && to.c && to.c != own.c) converted("c is ", *to.c, *own.c);
    }

    std::vector<NamedKernel> sides_;
    std::optional<Conversion> d_;
    CommonForm form_;
};

} // namespace

CommonForm common_form(std::vector<NamedKernel> sides, const std::optional<Conversion>& d) {
    return Making(std::move(sides), d).run();
}

InputBuffer own_inputs(const CommonForm& form, std::size_t side, const Inputs& common) {
    const Kernel& own = form.own[side];
    const Unit& unit = own.unit;
    const auto all = [](std::span<const std::uint64_t> patterns, FormatId from, FormatId to) {
        std::vector<std::uint64_t> list;
        for (const std::uint64_t pattern : patterns) list.push_back(embedded(format(to), format(from), pattern));
        return list;
    };
    InputBuffer inputs;
    inputs.a = all(common.a, form.shape.a, unit.a);
    inputs.b = all(common.b, form.shape.b, unit.b);
    if (unit.c && form.shape.c) inputs.c = embedded(format(*unit.c), format(*form.shape.c), common.c);
    if (!unit.scale) return inputs;
    for (int begin = 0; begin < own.K; begin += unit.K)
        for (int element = 0; element < unit.K; element += unit.scale->block) {
            const auto scale = [&](std::span<const std::uint64_t> patterns) {
                if (!form.shape.scale) return one(format(unit.scale->format));
                return patterns[static_cast<std::size_t>((begin + element) / form.shape.scale->block)];
            };
            inputs.sa.push_back(scale(common.sa));
            inputs.sb.push_back(scale(common.sb));
        }
    return inputs;
}

} // namespace discern
