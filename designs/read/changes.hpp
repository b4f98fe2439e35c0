// Changes to a text, each of which contains those within it: an index that is written out may have others in it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace discern::rtl {

/// A part of the text that becomes another one.
struct Change {
    enum class Kind { write, base, read } kind; ///< of the same text the outer one first
    std::size_t begin = 0, end = 0;
    std::vector<std::pair<std::size_t, std::size_t>> indices; ///< their texts
    std::vector<std::string> bounds;                          ///< of each a condition, in which {i} is its value
    bool is_signed = false;
};
/// By where they begin, the outer ones first.
using Key = std::tuple<std::size_t, std::size_t, Change::Kind>;
using Changes = std::map<Key, Change>;
inline Key key_of(const Change& change) { return {change.begin, ~change.end, change.kind}; }

/// The text with all changes. Lines stay lines.
std::string text_with(const Changes& changes, const std::string& text);

} // namespace discern::rtl
