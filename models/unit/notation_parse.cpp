// Reading of the notation: a recursive-descent parser whose errors name the column, what was found and what was
// expected.
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"
#include "nan_rule.hpp"
#include "parameters.hpp"
#include "texts.hpp"
#include "tree_shape.hpp"

#include <cctype>
#include <string_view>
#include <vector>

namespace discern {

namespace {

using parametric::Form;
using parametric::Meaning;
using parametric::Owner;
using parametric::OwnerKind;
using parametric::Parameter;
using parametric::Word;

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
        std::string_view name = word();
        if (at_ < text_.size() && text_[at_] == '.') { // fixed point
            ++at_;
            word();
            name = text_.substr(start, at_ - start);
        }
        const auto id = everyday_format(name);
        if (!id) {
            if (const std::string why = why_not_one_format(name); !why.empty())
                throw Error("notation, column " + std::to_string(start + 1) + ": " + why);
            std::vector<std::string_view> names;
            for (const Format& f : formats()) names.push_back(f.name);
            fail_at(start, sentence(what, " (", texts::joined(names, " "), ", or ", format_by_fields, ")"));
        }
        return *id;
    }
    /// A parameter that may stand here, and the part whose it is.
    struct Possible {
        const Parameter* parameter;
        Owner owner;
    };
    using PossibleList = std::vector<Possible>;
    static PossibleList all_of(OwnerKind kind, const Owner& owner) {
        PossibleList list;
        for (const Parameter* p : parametric::parameters_of(kind)) list.push_back({p, owner});
        return list;
    }

    /// name | name=value …, up to the bracket's end. @return whether F or exact is one of them
    bool attributes(const PossibleList& list, std::string_view whose) {
        bool aligned = false;
        while (peek() != ']') {
            const std::size_t start = at_;
            const std::string_view key = word();
            const bool has_value = !key.empty() && peek() == '=';
            if (has_value) ++at_;
            std::optional<int> value;
            for (std::size_t i = 0; i < list.size() && !value; ++i) {
                const auto& [parameter, owner] = list[i];
                value = attribute(*parameter, key, has_value);
                if (!value) continue;
                parameter->set(owner, *value);
                aligned = aligned || parameter->meaning == Meaning::fraction;
                const Possible* after = i + 1 < list.size() ? &list[i + 1] : nullptr;
                if (after != nullptr && after->parameter->form == Form::suffix && accept(':'))
                    after->parameter->set(after->owner, choice(unusual(*after->parameter), "the kind of infinity"));
            }
            if (!value) fail_at(start, syntax(list, whose));
        }
        ++at_;
        return aligned;
    }

    static std::string syntax(const PossibleList& list, std::string_view whose) {
        std::string text;
        for (const auto& [parameter, owner] : list)
            if (!parameter->syntax.empty())
                text += (text.empty()                                             ? ""
                         : whose == "child" && parameter == list.back().parameter ? " or "
                                                                                  : ", ") +
                        std::string(parameter->syntax);
        return text + " (" + std::string(whose) + "), or ']'";
    }

    /// The value of the parameter that the attribute gives, nothing if it is another's.
    std::optional<int> attribute(const Parameter& p, std::string_view key, bool has_value) {
        const bool is_word = key == p.word;
        if (p.form == Form::flag && is_word) return has_value ? choice(unusual(p), std::string(key)) : 1;
        if (p.form == Form::named && is_word && has_value) return value(p);
        if (p.form == Form::bare && is_word && has_value) return integer(std::string(key));
        if (p.form == Form::bare && !has_value) return parametric::find_word(p.words(), key);
        return std::nullopt;
    }

    int value(const Parameter& p) {
        const auto& values = parametric::values_of(p.meaning);
        const std::string name(p.word);
        if (values.formats) return static_cast<int>(format_here("the format of c"));
        if (p.meaning == Meaning::result_flush) {
            std::vector<Word> kinds; // those of the words that say no sign
            for (const Word& w : values.words)
                if (w.text.find(':') == std::string_view::npos) kinds.push_back(w);
            const int ftz = choice(kinds, name);
            static constexpr Word signs[] = {{"pos", 1}, {"keep", 0}};
            const int to_positive = accept(':') ? choice(signs, "the sign of flushed results") : 0;
            return ftz == 0 ? 0 : ftz + to_positive;
        }
        if (!values.numbers) return choice(p.words(), name);
        if (values.words.size() < 2) return integer(name); // the one word is what is left out
        if (const auto found = parametric::find_word(values.words, peek() == '-' ? "" : peek_word())) {
            word();
            return *found;
        }
        return integer(name + " (or " + std::string(values.words[0].text) + ", " + std::string(values.words[1].text) +
                       ")");
    }
    std::string_view peek_word() {
        const std::size_t start = at_;
        const std::string_view next = word();
        at_ = start;
        return next;
    }

    /// The names of all values but the one that is left out.
    static std::vector<Word> unusual(const Parameter& p) {
        std::vector<Word> words;
        for (const Word& w : p.words())
            if (w.value != p.standard) words.push_back(w);
        return words;
    }
    /// Of words that people may expect, what there is instead.
    static std::string hint(std::string_view found, std::string_view what) {
        if (what == "overflow" && found.starts_with("wrap"))
            return " (a sum in fixed point wraps by carry= of its fuse)";
        if (what == "the rounding mode" && (found.starts_with("sr") || found.starts_with("stochastic")))
            return " (stochastic rounding is none of them: its random bits would be an operand)";
        return "";
    }

    int choice(std::span<const Word> words, const std::string& what) {
        peek();
        const std::size_t start = at_;
        const auto value = parametric::find_word(words, word());
        if (!value) fail_at(start, parametric::choices(words) + " for " + what + hint(text_.substr(start), what));
        return *value;
    }

    void settings(Unit& unit) {
        static constexpr Word last[] = {{"last", static_cast<int>(AccumulatorPlace::last)}};
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
                unit.place = static_cast<AccumulatorPlace>(choice(last, "c"));
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

    Product product(Selection which) {
        Product p;
        p.which = which;
        if (accept('[')) attributes(all_of(OwnerKind::product, &p), "products");
        return p;
    }

    Group group(Selection which) {
        Group g;
        g.which = which;
        expect('[', "'[G=n]' after a group, n ≥ 1");
        const std::size_t start = at_;
        if (word() != "G" || !accept('=')) fail_at(start, "G=n (groups)");
        g.size = integer("G");
        if (g.size <= 0) fail_at(start, "G=n (groups), n ≥ 1,");
        attributes(all_of(OwnerKind::group, &g), "groups");
        return g;
    }

    Accumulator accumulator() {
        Accumulator c;
        if (accept('[')) attributes(all_of(OwnerKind::accumulator, &c), "c");
        return c;
    }

    Fuse fuse(int depth) {
        Fuse result;
        Child model;
        PossibleList of_fuse;
        for (const Possible& one : all_of(OwnerKind::child, &model))
            if (one.parameter->of_all) of_fuse.push_back(one);
        for (const Possible& one : all_of(OwnerKind::fuse, &result)) of_fuse.push_back(one);
        const bool aligned = accept('[') && attributes(of_fuse, "fuse");
        expect('(', "'(' and the children of fuse");
        do {
            if (result.children.size() >= max_children) fail("at most " + std::to_string(max_children) + " children");
            Child child = model;
            child.node = {node(depth + 1)};
            if (!is_leaf(child.get())) child.zero = {ZeroExponent::Kind::own, 0};
            bool own = false;
            if (accept('@')) {
                if (peek() != '[') fail("'[' and how the child is aligned");
                ++at_;
                own = attributes(all_of(OwnerKind::child, &child), "child");
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
        result.mode = static_cast<Rounding>(choice(parametric::values_of(Meaning::mode).words, "the rounding mode"));
        attributes(all_of(OwnerKind::round, &result), "round");
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
