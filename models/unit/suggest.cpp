#include "models/suggest.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace discern {

namespace {

bool same_letter(char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
}

/// Levenshtein distance without regard to case, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row.back();
}

constexpr std::size_t longest_compared = 200; // a longer "name" is no misspelling of anything

} // namespace

std::vector<std::string> nearest(std::string_view text, const std::vector<std::string>& candidates, std::size_t most) {
    std::vector<std::pair<std::size_t, std::string>> ranked;
    if (text.size() > longest_compared) return {};
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(text, candidate);
        // Half of the letters may be wrong; a name that begins or ends with the other may differ more.
        const bool contained = text.size() >= 3 && candidate.find(text) != std::string::npos;
        if (contained || 2 * distance <= std::max(text.size(), candidate.size()))
            ranked.emplace_back(contained ? distance / 4 : distance, candidate);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    if (ranked.size() > most) ranked.resize(most);
    std::vector<std::string> names;
    for (auto& entry : ranked) names.push_back(std::move(entry.second));
    return names;
}

std::string did_you_mean(std::string_view text, const std::vector<std::string>& candidates) {
    const std::vector<std::string> near = nearest(text, candidates);
    if (near.empty()) return "";
    std::string sentence = " (did you mean ";
    for (std::size_t i = 0; i < near.size(); ++i) {
        if (i > 0) sentence += i + 1 == near.size() ? " or " : ", ";
        sentence += near[i];
    }
    return sentence + "?)";
}

} // namespace discern
