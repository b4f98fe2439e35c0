// The writer looks for runs; the reader takes numbers and runs of them, and refuses anything else.
#include "models/runs.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <charconv>

namespace discern {

std::string runs_text(std::span<const std::vector<std::size_t>> lists) {
    std::string text;
    for (const auto& list : lists) {
        if (&list != lists.data()) text += ';';
        for (std::size_t begin = 0, end = 0; begin < list.size(); begin = end) {
            for (end = begin + 1; end < list.size() && list[end] == list[end - 1] + 1;) ++end;
            if (begin > 0) text += ' ';
            text += std::to_string(list[begin]);
            if (end - begin > 1) text += '-' + std::to_string(list[end - 1]);
        }
    }
    return text;
}

std::vector<std::vector<std::size_t>> runs_from(std::string_view text, std::size_t most) {
    std::vector<std::vector<std::size_t>> lists;
    if (text.empty()) return lists;
    const char* at = text.data();
    const char* const end = at + text.size();
    std::size_t numbers = 0;
    const auto fail = [&] { throw Error("the lists " + excerpt(text) + " are damaged"); };
    const auto number = [&] {
        std::size_t value = 0;
        const auto [next, error] = std::from_chars(at, end, value);
        if (error != std::errc{} || value > most) fail();
        at = next;
        return value;
    };
    for (;; ++at) {
        lists.emplace_back();
        const char* const stop = std::find(at, end, ';');
        while (at != stop) {
            const std::size_t first = number();
            std::size_t last = first;
            if (at != stop && *at == '-') {
                ++at;
                last = number();
            }
            if (last < first || (numbers += last - first + 1) > most + 1) fail();
            for (std::size_t n = first; n <= last; ++n) lists.back().push_back(n);
            if (at != stop && (*at++ != ' ' || at == stop)) fail();
        }
        if (at == end) return lists;
    }
}

} // namespace discern
