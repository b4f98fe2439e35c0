// Reading of the notation: a recursive-descent parser whose errors name the column, what was found and what was
// expected.
#include "error.hpp"
#include "notation.hpp"
#include "overrides.hpp"
#include "tree_names.hpp"

#include <cctype>
#include <functional>

namespace discern {

namespace {

constexpr int max_depth = 60;
constexpr std::size_t max_text = 1 << 16;
constexpr std::size_t max_children = 4096;

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    Unit unit() {
        if (text_.size() > max_text)
            throw Error("notation: a unit of " + std::to_string(text_.size()) + " characters is too long; at most " +
                        std::to_string(max_text) + " are right");
        Unit unit;
        unit.a = format_here("the format of a");
        expect('*', "'*' and the format of b");
        unit.b = format_here("the format of b");
        if (accept('+')) unit.c = format_here("the format of c");
        expect('-', "'->' and the format of d");
        expect('>', "'->' and the format of d");
        unit.d = format_here("the format of d");
        settings(unit);
        unit.tree = node(0);
        std::optional<std::string_view> overrides;
        if (peek() == '{') {
            overrides = text_.substr(at_);
            at_ = text_.size();
        }
        if (peek() != '\0') fail("the end of the line, or overrides in braces");
        validate(unit);
        return overrides ? with_overrides(unit, *overrides) : unit;
    }

  private:
    [[noreturn]] void fail_at(std::size_t at, const std::string& expected) const {
        std::string found = at >= text_.size() ? "the end of the line" : "'" + std::string(text_.substr(at, 12)) + "'";
        for (char& letter : found)
            if (static_cast<unsigned char>(letter) < 32 || static_cast<unsigned char>(letter) > 126) letter = '?';
        throw Error("notation, column " + std::to_string(at + 1) + ": found " + found + " where " + expected +
                    " is expected");
    }
    [[noreturn]] void fail(const std::string& expected) const { fail_at(at_, expected); }

    char peek() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool accept(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c, const std::string& what) {
        if (!accept(c)) fail(what);
    }
    std::string_view word() {
        peek();
        const std::size_t start = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
            ++at_;
        return text_.substr(start, at_ - start);
    }
    int integer(const std::string& what) {
        peek();
        const std::size_t start = at_;
        const bool negative = accept('-');
        const std::string_view digits = word();
        if (digits.empty() || digits.size() > 7 || digits.find_first_not_of("0123456789") != std::string_view::npos)
            fail_at(start, "a whole number for " + what);
        return (negative ? -1 : 1) * std::stoi(std::string(digits));
    }
    FormatId format_here(const std::string& what) {
        peek();
        const std::size_t start = at_;
        const auto id = format_from_name(word());
        if (!id) {
            std::string list;
            for (const Format& f : formats()) list += (list.empty() ? "" : " ") + std::string(f.name);
            fail_at(start, what + " (" + list + ")");
        }
        return *id;
    }
    template <typename T, std::size_t N>
    T choice(const Names<T, N>& names, const std::string& what) {
        peek();
        const std::size_t start = at_;
        const auto value = find_name(names, word());
        if (!value) fail_at(start, choices(names) + " for " + what);
        return *value;
    }

    /// [ name | name=value … ] with one handler for all names; returns at once if there is no bracket.
    /// @param handler  reads the value (after '=' if `has_value`) of the attribute; false if there is no such attribute
    void attributes(const std::string& expected, const std::function<bool(std::string_view, bool)>& handler) {
        if (accept('[')) rest_of_attributes(expected, handler);
    }
    void rest_of_attributes(const std::string& expected, const std::function<bool(std::string_view, bool)>& handler) {
        while (peek() != ']') {
            const std::size_t start = at_;
            const std::string_view key = word();
            const bool has_value = !key.empty() && peek() == '=';
            if (has_value) ++at_;
            if (key.empty() || !handler(key, has_value)) fail_at(start, expected);
        }
        ++at_;
    }

    void settings(Unit& unit) {
        bool has_K = false, has_L = false;
        while (peek() != ':') {
            const std::size_t start = at_;
            const std::string_view key = word();
            const bool known =
                key == "K" || key == "L" || key == "scale" || key == "interleave" || key == "c" || key == "nan";
            if (!known) fail_at(start, "K=, L=, scale=, interleave=, c=last, nan= or ':' and the tree");
            expect('=', "'=' after " + std::string(key));
            if (key == "K") {
                unit.K = integer("K");
                has_K = true;
            } else if (key == "L") {
                unit.L = integer("L");
                has_L = true;
            } else if (key == "scale") {
                Scale scale;
                scale.format = format_here("the format of the scales");
                expect('/', "'/' and the number of elements that share a scale");
                scale.block = integer("the scale block");
                unit.scale = scale;
            } else if (key == "interleave") {
                unit.interleave = integer("interleave");
            } else if (key == "c") {
                unit.place = choice(Names<AccumulatorPlace, 1>{{{"last", AccumulatorPlace::last}}}, "c");
            } else {
                peek();
                const std::size_t value = at_;
                const auto rule = nan_rule_from_text(word(), unit.d);
                if (!rule) fail_at(value, std::string(nan_rule_choices));
                unit.nan = *rule;
            }
        }
        ++at_;
        if (!has_K) fail_at(at_ - 1, "K= before ':'");
        if (!has_L) unit.L = unit.K;
    }

    Node node(int depth) {
        if (depth > max_depth) fail("a tree of at most " + std::to_string(max_depth) + " levels");
        peek();
        const std::size_t start = at_;
        const std::string_view head = word();
        if (head == "fuse") return {fuse(depth)};
        if (head == "round") return {round(depth)};
        if (head == "c") return {accumulator()};
        if (!head.empty() && (head[0] == 'p' || head[0] == 'g')) {
            at_ = start + 1;
            const Selection which = selection(start);
            return head[0] == 'p' ? Node{product(which)} : Node{group(which)};
        }
        fail_at(start, "a node: p* p0 p(0::2) g*[G=n] c fuse(…) or round[…](…)");
    }

    Selection selection(std::size_t start) {
        if (accept('*')) return {0, 1};
        if (accept('(')) {
            Selection which;
            which.first = integer("the first index");
            expect(':', "'::' and the step");
            expect(':', "'::' and the step");
            which.step = integer("the step");
            if (which.first < 0 || which.step < 1) fail_at(start, "a first index ≥ 0 and a step ≥ 1");
            expect(')', "')'");
            return which;
        }
        const int index = integer("the index of a leaf, '*' or '(first::step)'");
        if (index < 0) fail_at(start, "an index ≥ 0");
        return {index, 0};
    }

    bool flush_sign(bool has_value) { return !has_value || choice(keep_sign_names, "ftz"); }

    Product product(Selection which) {
        Product p;
        p.which = which;
        attributes("carry, full, limit=n, ftz or ftz=pos (products), or ']'",
                   [&](std::string_view key, bool has_value) {
                       if (key == "limit" && has_value) {
                           p.limit = integer("limit");
                           if (accept(':'))
                               p.limit_yields = !choice(Names<bool, 1>{{{"counts", true}}}, "the kind of infinity");
                       } else if (key == "ftz") {
                           p.flush = true;
                           p.flush_keeps_sign = flush_sign(has_value);
                       } else if (const auto n = find_name(normalisation_names, key); n && !has_value) {
                           p.normalisation = *n;
                       } else {
                           return false;
                       }
                       return true;
                   });
        return p;
    }

    Group group(Selection which) {
        Group g;
        g.which = which;
        g.size = 0;
        attributes("G=n (groups), or ']'", [&](std::string_view key, bool has_value) {
            if (key == "G" && has_value) g.size = integer("G");
            return key == "G" && has_value;
        });
        if (g.size <= 0) fail("'[G=n]' after a group, n ≥ 1");
        return g;
    }

    Accumulator accumulator() {
        Accumulator c;
        attributes("as=FORMAT, ftz or ftz=pos (c), or ']'", [&](std::string_view key, bool has_value) {
            if (key == "as" && has_value)
                c.as = format_here("the format of c");
            else if (key == "ftz")
                c.flush = true, c.flush_keeps_sign = flush_sign(has_value);
            else
                return false;
            return true;
        });
        return c;
    }

    ZeroExponent zero_exponent() {
        if (const auto zero = zero_exponent_from_text(peek() == '-' ? "" : peek_word())) {
            word();
            return *zero;
        }
        return {ZeroExponent::Kind::constant, integer("zero (or ignore, emin)")};
    }
    std::string_view peek_word() {
        const std::size_t start = at_;
        const std::string_view next = word();
        at_ = start;
        return next;
    }

    bool alignment(std::string_view key, bool has_value, std::optional<int>& F, Rounding& mode) {
        if (key == "F" && has_value)
            F = integer("F");
        else if (key == "exact" && !has_value)
            F = std::nullopt;
        else if (const auto m = rounding_from_name(key); m && !has_value)
            mode = *m;
        else
            return false;
        return true;
    }

    Fuse fuse(int depth) {
        Fuse result;
        Child model;
        bool aligned = false;
        attributes("F=n, exact, a rounding mode, zero=, floor=n, carry=n (fuse), or ']'",
                   [&](std::string_view key, bool has_value) {
                       if (alignment(key, has_value, model.F, model.rounding))
                           aligned = aligned || key == "F" || key == "exact";
                       else if (key == "zero" && has_value)
                           model.zero = zero_exponent();
                       else if (key == "floor" && has_value)
                           result.floor = integer("floor");
                       else if (key == "carry" && has_value)
                           result.carry = integer("carry");
                       else
                           return false;
                       return true;
                   });
        expect('(', "'(' and the children of fuse");
        do {
            if (result.children.size() >= max_children) fail("at most " + std::to_string(max_children) + " children");
            Child child = model;
            child.node = {node(depth + 1)};
            if (!is_leaf(child.get())) child.zero = {ZeroExponent::Kind::own, 0};
            bool own = false;
            if (accept('@')) {
                if (peek() != '[') fail("'[' and how the child is aligned");
                attributes("F=n, exact, a rounding mode, zero= or drop=n (child), or ']'",
                           [&](std::string_view key, bool has_value) {
                               if (alignment(key, has_value, child.F, child.rounding))
                                   own = own || key == "F" || key == "exact";
                               else if (key == "zero" && has_value)
                                   child.zero = zero_exponent();
                               else if (key == "drop" && has_value)
                                   child.drop = integer("drop");
                               else
                                   return false;
                               return true;
                           });
            }
            if (!aligned && !own) fail("'@[F=n]' or '@[exact]', since the fuse says neither");
            result.children.push_back(std::move(child));
        } while (accept(','));
        expect(')', "',' and another child, or ')'");
        return result;
    }

    Round round(int depth) {
        Round result;
        expect('[', "'[FORMAT MODE]' after round");
        result.format = format_here("the format of the round");
        result.mode = choice(mode_names, "the rounding mode");
        rest_of_attributes("overflow=, ftz=, zsign=, usign= (round), or ']'",
                           [&](std::string_view key, bool has_value) {
                               if (!has_value) return false;
                               if (key == "overflow")
                                   result.overflow = choice(overflow_names, "overflow");
                               else if (key == "zsign")
                                   result.zero_sign_ieee = choice(zero_sign_names, "zsign");
                               else if (key == "usign")
                                   result.underflow_keeps_sign = choice(keep_sign_names, "usign");
                               else if (key == "ftz") {
                                   result.flush = choice(flush_names, "ftz");
                                   if (accept(':'))
                                       result.flush_keeps_sign = choice(keep_sign_names, "the sign of flushed results");
                               } else
                                   return false;
                               return true;
                           });
        expect('(', "'(' and the child of round");
        result.child = {node(depth + 1)};
        expect(')', "')' after the one child of round");
        return result;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace

Unit parse_unit(std::string_view text) { return Parser(text).unit(); }

bool is_notation(std::string_view text) {
    const std::string_view outside = text.substr(0, text.find('{'));
    return outside.find("->") != std::string_view::npos || outside.find(':') != std::string_view::npos;
}

} // namespace discern
