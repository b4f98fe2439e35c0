// A line of LLVM IR as words: names, numbers, texts in quotation marks, and single characters.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace discern::programs::llir {

/// The longest LLVM IR that is read, in bytes.
inline constexpr std::size_t longest_llir = std::size_t(64) << 20;

/// Whether a name may have the character.
bool is_name(char c);

class Line {
  public:
    Line() = default;
    /// Comments are left out. @throws Error if a text in quotation marks does not end
    explicit Line(std::string_view text);

    /// The word so many further on; "" behind the end.
    std::string_view peek(std::size_t ahead = 0) const {
        return at_ + ahead < words_.size() ? words_[at_ + ahead] : std::string_view();
    }
    bool at_end() const { return at_ == words_.size(); }
    std::size_t place() const { return at_; }
    std::size_t size() const { return words_.size(); }
    /// @throws Error at the end
    std::string_view next();
    bool take(std::string_view word);
    /// @throws Error if it is another
    void expect(std::string_view word);
    /// A natural number. @throws Error
    std::uint64_t natural(std::string_view what, std::uint64_t most);
    /// The same between parentheses.
    std::uint64_t natural_in_parentheses(std::string_view what, std::uint64_t most);
    /// Skips what stands in parentheses, if some do.
    void skip_parentheses();

  private:
    std::vector<std::string_view> words_;
    std::size_t at_ = 0;
};

} // namespace discern::programs::llir
