#include "changes.hpp"

#include <algorithm>

namespace discern::rtl {

namespace {

class Rendering {
  public:
    Rendering(const std::string& text, const Changes& changes) : text_(text) {
        for (const auto& [key, change] : changes) changes_.push_back(&change);
    }

    /// A part of the text. @param without  a change that is being made
    std::string part(std::size_t begin, std::size_t end, const Change* without = nullptr) const {
        std::string out;
        std::size_t at = begin;
        for (const Change* const change : changes_) {
            if (change->begin < at || change->end > end) continue;
            if (without != nullptr && key_of(*change) <= key_of(*without)) continue; // it, and those around it
            out += text_.substr(at, change->begin - at) + changed(*change);
            at = change->end;
        }
        return out + text_.substr(at, end - at);
    }

  private:
    /// The value of an index with its sign, in one line.
    std::string index(std::pair<std::size_t, std::size_t> of, const Change& change) const {
        std::string text = part(of.first, of.second, &change);
        std::replace(text.begin(), text.end(), '\n', ' ');
        return "$signed({(" + text + ") < 0, " + text + "})";
    }

    std::string changed(const Change& change) const {
        if (change.kind == Change::Kind::base) return index(change.indices.front(), change);
        std::string inside;
        for (std::size_t i = 0; i < change.indices.size(); ++i) {
            std::string condition = change.bounds[i];
            const std::string value = index(change.indices[i], change);
            for (auto at = condition.find("{i}"); at != std::string::npos;
                 at = condition.find("{i}", at + value.size()))
                condition.replace(at, 3, value);
            inside += (i == 0 ? "" : " && ") + condition;
        }
        const std::string text = part(change.begin, change.end, &change);
        if (change.kind == Change::Kind::write) return "begin if (" + inside + ") " + text + " end";
        std::string x = text;
        std::replace(x.begin(), x.end(), '\n', ' ');
        x = "{$bits(" + x + "){1'bx}}";
        return "(" + inside + " ? " + text + " : " + (change.is_signed ? "$signed(" + x + ")" : x) + ")";
    }

    const std::string& text_;
    std::vector<const Change*> changes_; ///< by where they begin, the outer ones first
};

} // namespace

std::string text_with(const Changes& changes, const std::string& text) {
    return Rendering(text, changes).part(0, text.size());
}

} // namespace discern::rtl
