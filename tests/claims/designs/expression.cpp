// Expressions: widths, signs and contexts are where readers of Verilog part.
#include "verilog.hpp"

#include "claims/draw.hpp"

#include <fmt/format.h>

namespace discern::claims {

namespace {

struct Pair {
    std::string one, other;
};

class Expressions {
  public:
    Expressions(Random& random, const std::vector<PortWidth>& words) : random_(random), words_(words) {}

    Pair draw(int depth) {
        const Pair pair = any(depth);
        return {"(" + pair.one + ")", "(" + pair.other + ")"};
    }

  private:
    Pair any(int depth) {
        if (depth == 0 || random_.one_in(6)) return leaf();
        switch (random_.below(9)) {
        case 0:
        case 1:
        case 2: return binary(depth);
        case 3: return compared(depth);
        case 4: return unary(depth);
        case 5: return shifted(depth);
        case 6: {
            const Pair x = draw(depth - 1);
            const Pair y = draw(depth - 1);
            const Pair z = draw(depth - 1);
            const std::string other = random_.one_in(2)
                                          ? fmt::format("(!({}) ? {} : {})", x.other, z.other, y.other)
                                          : fmt::format("(({}) != 0 ? {} : {})", x.other, y.other, z.other);
            return {fmt::format("(({}) ? {} : {})", x.one, y.one, z.one), other};
        }
        case 7: {
            const Pair x = draw(depth - 1);
            const Pair y = draw(depth - 1);
            const Pair joined = {fmt::format("{{{}, {}}}", x.one, y.one), fmt::format("{{{}, {}}}", x.other, y.other)};
            return random_.one_in(2) ? joined : cast(joined);
        }
        default: return cast(draw(depth - 1));
        }
    }

    static Pair same(const std::string& text) { return {text, text}; }

    Pair leaf() {
        const PortWidth& word = any_of(random_, words_);
        switch (random_.below(6)) {
        case 0: {
            const int width = random_.between(1, 5);
            const int value = random_.below(1 << width);
            return same(fmt::format("{}'{}d{}", width, random_.one_in(3) ? "s" : "", value));
        }
        case 1: return same(fmt::format("32'sd{}", random_.below(9)));
        case 2: {
            const int low = random_.below(word.width);
            const int high = random_.between(low, word.width - 1);
            return {fmt::format("{}[{}:{}]", word.name, high, low),
                    fmt::format("{}[{} +: {}]", word.name, low, high - low + 1)};
        }
        case 3: {
            if ((word.width & (word.width - 1)) != 0 || word.width == 1) return same(word.name);
            int bits = 0;
            while ((1 << bits) < word.width) ++bits;
            const PortWidth& by = any_of(random_, words_);
            if (by.width < bits) return same(word.name);
            return same(fmt::format("{}[{}[{}:0]]", word.name, by.name, bits - 1));
        }
        case 4: return same(fmt::format("$signed({})", word.name));
        default: return same(word.name);
        }
    }

    Pair cast(const Pair& x) {
        static const std::vector<std::string> casts = {"$signed({})", "$unsigned({})", "{{{}}}"};
        const std::string& how = any_of(random_, casts);
        return {fmt::format(fmt::runtime(how), x.one), fmt::format(fmt::runtime(how), x.other)};
    }

    Pair binary(int depth) {
        const Pair x = draw(depth - 1);
        const Pair y = draw(depth - 1);
        static const std::vector<std::string> operators = {"+", "-", "*", "&", "|", "^", "~^", "+", "-"};
        const std::string& op = any_of(random_, operators);
        const std::string one = fmt::format("({} {} {})", x.one, op, y.one);
        if (op == "-") {
            if (random_.one_in(2)) return {one, fmt::format("({} + ~{} + 1'b1)", x.other, y.other)};
            return {one, fmt::format("(-{} + {})", y.other, x.other)};
        }
        if (op == "&" && random_.one_in(2)) return {one, fmt::format("~(~{} | ~{})", x.other, y.other)};
        if (op == "~^") return {one, fmt::format("~({} ^ {})", x.other, y.other)};
        if (op == "*" && random_.one_in(3)) return {one, fmt::format("-({} * -{})", y.other, x.other)};
        return {one, fmt::format("({} {} {})", y.other, op, x.other)};
    }

    Pair compared(int depth) {
        const Pair x = draw(depth - 1);
        const Pair y = draw(depth - 1);
        static const std::vector<std::array<const char*, 3>> pairs = {
            {"({0} < {1})", "({1} > {0})", "!({0} >= {1})"},
            {"({0} <= {1})", "!({1} < {0})", "({1} >= {0})"},
            {"({0} == {1})", "!({0} != {1})", "~|({0} ^ {1})"},
            {"({0} && {1})", "!(!{0} || !{1})", "(|{0} & |{1})"},
            {"({0} || {1})", "!(!{1} && !{0})", "((|{0}) | (|{1}))"}};
        const auto& how = any_of(random_, pairs);
        const char* const other = how[random_.one_in(4) ? 2 : 1];
        return {fmt::format(fmt::runtime(how[0]), x.one, y.one), fmt::format(fmt::runtime(other), x.other, y.other)};
    }

    Pair unary(int depth) {
        const Pair x = draw(depth - 1);
        static const std::vector<std::array<const char*, 2>> pairs = {{"(~{})", "(~{})"},     {"(-{})", "(~{} + 1'b1)"},
                                                                      {"(!{})", "({} == 0)"}, {"(&{})", "!(|(~{}))"},
                                                                      {"(^{})", "!(~^{})"},   {"{}", "(~(~{}))"}};
        const auto& how = any_of(random_, pairs);
        return {fmt::format(fmt::runtime(how[0]), x.one), fmt::format(fmt::runtime(how[1]), x.other)};
    }

    Pair shifted(int depth) {
        const Pair x = draw(depth - 1);
        const Pair by = random_.one_in(2) ? draw(depth - 1) : same(std::to_string(random_.below(5)));
        static const std::vector<std::string> operators = {"<<", ">>", ">>>", "<<<"};
        const std::string& op = any_of(random_, operators);
        const std::string one = fmt::format("({} {} {})", x.one, op, by.one);
        if (op == "<<" && random_.one_in(2)) return {one, fmt::format("({} <<< {})", x.other, by.other)};
        return {one, fmt::format("({} {} {})", x.other, op, by.other)};
    }

    Random& random_;
    const std::vector<PortWidth>& words_;
};

} // namespace

std::pair<std::string, std::string> draw_expressions(Random& random, const std::vector<PortWidth>& words) {
    Expressions expressions(random, words);
    const int depth = random.between(1, 4);
    const Pair pair = expressions.draw(depth);
    return {pair.one, pair.other};
}

} // namespace discern::claims
