#include "tokens.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <array>

namespace discern::programs {

namespace {

/// Characters of words: of names, numbers, and opcodes with their modifiers.
constexpr auto word_characters = [] {
    std::array<bool, 256> is{};
    for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$%."))
        is[static_cast<unsigned char>(c)] = true;
    return is;
}();

bool in_word(char c) { return word_characters[static_cast<unsigned char>(c)]; }

class Lexer {
  public:
    Lexer(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    std::vector<Token> all() {
        while (skip_blanks()) {
            const std::size_t start = at_;
            const int line = line_;
            if (in_word(text_[at_]))
                word();
            else if (text_[at_] == '"')
                quoted();
            else
                ++at_;
            tokens_.push_back({text_.substr(start, at_ - start), start, line});
        }
        tokens_.push_back({text_.substr(text_.size()), text_.size(), line_});
        return std::move(tokens_);
    }

  private:
    bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

    /// Steps over blanks and comments. @return whether something follows
    bool skip_blanks() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') ++line_;
            if (c == '\n' || c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
                ++at_;
            } else if (starts("//")) {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (starts("/*")) {
                comment();
            } else {
                return true;
            }
        }
        return false;
    }

    void comment() {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos)
            throw Error(sentence(file_, ":", line_, ": a comment begins here, and no */ ends it"));
        for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n';
    }

    /// A colon belongs to a word only as a pair inside of it: `shared::cta`.
    void word() {
        while (at_ < text_.size()) {
            if (in_word(text_[at_]))
                ++at_;
            else if (starts("::") && at_ + 2 < text_.size() && in_word(text_[at_ + 2]))
                at_ += 2;
            else
                return;
        }
    }

    void quoted() {
        const std::size_t end = text_.find_first_of("\"\n", at_ + 1);
        if (end == std::string_view::npos || text_[end] == '\n')
            throw Error(sentence(file_, ":", line_, ": a text begins here, and no \" ends it on its line"));
        at_ = end + 1;
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::vector<Token> tokens_;
};

} // namespace

bool Token::is_word() const { return !text.empty() && in_word(text[0]); }

std::vector<Token> tokens_of(std::string_view text, const std::string& file) {
    if (text.size() > longest_ptx)
        throw Error(sentence(file, " has ", text.size(), " bytes; PTX of at most ", longest_ptx, " is read"));
    return Lexer(text, file).all();
}

} // namespace discern::programs
