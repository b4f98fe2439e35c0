#include "line.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <charconv>

namespace discern::programs::llir {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}

    std::vector<std::string_view> words() {
        std::vector<std::string_view> found;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
                ++at_;
                continue;
            }
            if (c == ';') {
                while (at_ < text_.size() && text_[at_] != '\n') ++at_;
                continue;
            }
            const std::size_t from = at_;
            word();
            found.push_back(text_.substr(from, at_ - from));
        }
        return found;
    }

  private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    void quoted() {
        const std::size_t end = text_.find('"', at_ + 1);
        if (end == std::string_view::npos) throw Error("a text in quotation marks does not end");
        at_ = end + 1;
    }
    void name() {
        while (is_name(peek()) || peek() == '-') ++at_;
    }
    void word() {
        const char c = text_[at_];
        if (c == '"') return quoted();
        if ((c == '%' || c == '@' || c == '$' || c == '!' || c == '#') &&
            (is_name(peek(1)) || peek(1) == '-' || peek(1) == '"')) {
            ++at_;
            return peek() == '"' ? quoted() : name();
        }
        if (c == 'c' && peek(1) == '"') {
            ++at_;
            return quoted();
        }
        const bool is_signed = (c == '-' || c == '+') && (is_name(peek(1)));
        if (is_signed) ++at_;
        if (!is_name(peek())) {
            ++at_;
            return;
        }
        const bool is_number = is_digit(peek());
        while (is_name(peek()) || (is_number && (peek() == '-' || peek() == '+') && (text_[at_ - 1] | 32) == 'e'))
            ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace

bool is_name(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}

Line::Line(std::string_view text) : words_(Lexer(text).words()) {}

std::string_view Line::next() {
    if (at_end()) throw Error("the line ends where more is expected");
    return words_[at_++];
}

bool Line::take(std::string_view word) {
    if (peek() != word) return false;
    ++at_;
    return true;
}

void Line::expect(std::string_view word) {
    if (at_end()) throw Error(sentence("the line ends where '", word, "' is expected"));
    if (!take(word)) throw Error(sentence(excerpt(peek()), " stands where '", word, "' is expected"));
}

std::uint64_t Line::natural(std::string_view what, std::uint64_t most) {
    const std::string_view word = next();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value > most)
        throw Error(sentence(excerpt(word), " stands where ", what, " is expected, a number up to ", most));
    return value;
}

std::uint64_t Line::natural_in_parentheses(std::string_view what, std::uint64_t most) {
    expect("(");
    const std::uint64_t value = natural(what, most);
    expect(")");
    return value;
}

void Line::skip_parentheses() {
    if (!take("(")) return;
    for (int depth = 1; depth > 0;) {
        const std::string_view word = next();
        depth += (word == "(") - (word == ")");
    }
}

} // namespace discern::programs::llir
