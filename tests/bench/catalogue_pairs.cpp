#include "catalogue_pairs.hpp"

#include "models/catalogue.hpp"
#include "solver/question/question.hpp"

#include <set>

namespace discern::bench {

std::vector<const CatalogueEntry*> distinct_units() {
    std::vector<const CatalogueEntry*> distinct;
    std::set<std::uint64_t> seen;
    for (const CatalogueEntry& entry : catalogue())
        if (seen.insert(arithmetic_hash(entry.unit)).second) distinct.push_back(&entry);
    return distinct;
}

std::vector<std::pair<std::string, std::string>> catalogue_pairs() {
    const std::vector<const CatalogueEntry*> distinct = distinct_units();
    std::vector<std::pair<std::string, std::string>> pairs;
    for (std::size_t i = 0; i < distinct.size(); ++i)
        for (std::size_t j = i + 1; j < distinct.size(); ++j)
            if (incomparable(distinct[i]->unit, distinct[j]->unit).empty())
                pairs.emplace_back(distinct[i]->name, distinct[j]->name);
    return pairs;
}

} // namespace discern::bench
