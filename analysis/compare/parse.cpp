// Reads programs. See program.hpp.
//
//     program    = { statement } expression
//     statement  = NAME "=" expression ";" | "each" [ n ] "{" { statement } "}" [ ";" ]
//     expression = term { ( "+" | "-" ) term }
//     term       = factor { ( "*" | "/" ) factor }
//     factor     = "-" factor | number [ "^" [ "-" ] n ] | NAME | NAME [ "." MODE ] "(" expression { "," expression }
//     ")"
//                | "(" expression ")"
#include "program.hpp"

#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

namespace discern::compare {

namespace {

constexpr int deepest = 200; ///< levels of an expression

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    Program program() {
        Program program{std::string(text_), statements(false), {}};
        program.result = expression();
        skip_blanks();
        if (peek() == ';') ++at_;
        skip_blanks();
        if (at_ < text_.size()) fail("the end, since the last expression is the result");
        return program;
    }

  private:
    // ------------------------------------------------------------------------------------------------ characters

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void skip_blanks() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    }

    [[noreturn]] void fail(std::string_view wanted) const {
        const std::string found = at_ < text_.size() ? excerpt(text_.substr(at_), 20) : "the end";
        throw Error(sentence("a program, column ", at_ + 1, ": ", found, " is there, where ", wanted, " is right"));
    }

    bool take(char c) {
        skip_blanks();
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void require(char c) {
        if (!take(c)) fail(std::string("'") + c + "'");
    }

    std::string name() {
        skip_blanks();
        const std::size_t begin = at_;
        if (begins_name(peek()))
            while (in_name(peek())) ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }

    std::optional<double> number() {
        skip_blanks();
        double value = 0;
        const char* const begin = text_.data() + at_;
        const auto read = std::from_chars(begin, text_.data() + text_.size(), value);
        if (read.ec != std::errc() || !std::isfinite(value)) return std::nullopt;
        at_ += static_cast<std::size_t>(read.ptr - begin);
        return value;
    }

    // ------------------------------------------------------------------------------------------------- statements

    /// Whether `NAME =` or `each` comes now, and not the last expression.
    bool is_statement() {
        const std::size_t begin = at_;
        const std::string word = name();
        skip_blanks();
        const bool is = !word.empty() && (peek() == '=' || word == "each");
        at_ = begin;
        return is;
    }

    std::vector<Statement> statements(bool inside) {
        std::vector<Statement> all;
        skip_blanks();
        while (is_statement()) {
            all.push_back(statement(inside));
            skip_blanks();
        }
        return all;
    }

    Statement statement(bool inside) {
        skip_blanks();
        Statement s;
        s.column = at_ + 1;
        s.name = name();
        if (s.name == "each") {
            if (inside) throw Error(sentence("a program, column ", s.column, ": an each stands in another one"));
            s.kind = Statement::Kind::each;
            skip_blanks();
            if (peek() != '{') s.piece = elements();
            require('{');
            s.body = statements(true);
            if (s.body.empty()) fail("a statement NAME = …");
            require('}');
            take(';');
            return s;
        }
        if (s.name == "a" || s.name == "b" || s.name == "c" || s.name == "base")
            throw Error(sentence("a program, column ", s.column, ": ", s.name, " is given, and cannot be changed"));
        require('=');
        s.value = expression();
        require(';');
        return s;
    }

    std::size_t elements() {
        const std::size_t begin = at_;
        const auto n = number();
        if (n && *n >= 1 && *n <= 1e9 && *n == std::floor(*n)) return static_cast<std::size_t>(*n);
        at_ = begin;
        fail("a number of elements, or '{'");
    }

    // ------------------------------------------------------------------------------------------------ expressions

    Expression binary(Expression::Kind kind, std::size_t column, Expression left, Expression right) const {
        Expression e{.kind = kind, .column = column};
        e.operands.push_back(std::move(left));
        e.operands.push_back(std::move(right));
        return e;
    }

    /// Operands with one of two signs between them, each of which has its kind.
    Expression sequence(std::string_view signs, Expression::Kind first, Expression::Kind second,
                        Expression (Parser::*operand)()) {
        Expression left = (this->*operand)();
        for (skip_blanks(); peek() == signs[0] || peek() == signs[1]; skip_blanks()) {
            const auto kind = peek() == signs[0] ? first : second;
            const std::size_t column = ++at_;
            left = binary(kind, column, std::move(left), (this->*operand)());
        }
        return left;
    }

    Expression expression() {
        if (++depth_ > deepest) fail("less nesting");
        Expression sum = sequence("+-", Expression::Kind::add, Expression::Kind::subtract, &Parser::term);
        --depth_;
        return sum;
    }

    Expression term() { return sequence("*/", Expression::Kind::multiply, Expression::Kind::divide, &Parser::factor); }

    static Expression constant(double value, std::size_t column) { return {.number = value, .column = column}; }

    Expression factor() {
        skip_blanks();
        const std::size_t column = at_ + 1;
        if (take('-')) {
            if (++depth_ > deepest) fail("less nesting");
            Expression one = factor();
            --depth_;
            if (one.kind == Expression::Kind::number) return constant(-one.number, column);
            return binary(Expression::Kind::multiply, column, constant(-1, column), std::move(one));
        }
        if (take('(')) {
            Expression inner = expression();
            require(')');
            return inner;
        }
        if (begins_name(peek())) return named(column);
        if (auto value = number()) {
            if (take('^')) value = power(*value);
            return constant(*value, column);
        }
        fail("a number, a name or '('");
    }

    double power(double base) {
        const std::size_t begin = at_;
        const bool negative = take('-');
        const auto n = number();
        const double value = n ? std::pow(base, negative ? -*n : *n) : INFINITY;
        if (n && *n == std::floor(*n) && std::isfinite(value) && value != 0) return value;
        at_ = begin;
        fail("a whole exponent");
    }

    Expression named(std::size_t column) {
        Expression e{.kind = Expression::Kind::name, .name = name(), .column = column};
        std::string mode;
        const bool is_dotted = take('.');
        if (is_dotted) mode = name();
        skip_blanks();
        if (peek() != '(') {
            if (is_dotted) fail("'('");
            return e;
        }
        ++at_;
        call(e, is_dotted, mode);
        e.operands.push_back(expression());
        while (take(',')) e.operands.push_back(expression());
        require(')');
        const std::size_t wanted = e.kind == Expression::Kind::mma ? 3 : 1;
        if (e.operands.size() != wanted)
            throw Error(sentence("a program, column ", column, ": ", e.name, " has ",
                                 counted(e.operands.size(), "operand"), "; ", wanted, " is right",
                                 wanted == 3 ? ", as in mma(x, y, c)" : ""));
        return e;
    }

    /// The operation or function that a name before a parenthesis denotes.
    void call(Expression& e, bool is_dotted, const std::string& mode) const {
        const std::string where = sentence("a program, column ", e.column, ": ");
        if (is_dotted) {
            const auto rounding = rounding_from_name(mode);
            if (!rounding || e.name == "mma")
                throw Error(sentence(where, e.name, ".", mode,
                                     " is no conversion; FORMAT.MODE(x) is right, with one of ", rounding_list));
            e.mode = *rounding;
        }
        if (e.name == "mma") {
            e.kind = Expression::Kind::mma;
        } else if (e.name == "word") {
            e.kind = Expression::Kind::word;
        } else if (const auto id = format_from_name(e.name)) {
            e.kind = Expression::Kind::convert;
            e.format = *id;
        } else {
            std::vector<std::string> names = {"mma", "word"};
            for (const Format& f : formats()) names.emplace_back(f.name);
            throw Error(sentence(where, "there is no ", excerpt(e.name), did_you_mean(e.name, names),
                                 "; mma(x, y, c), word(x) and FORMAT(x) are what can be called"));
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

} // namespace

Program parse_program(std::string_view text) { return Parser(text).program(); }

} // namespace discern::compare
