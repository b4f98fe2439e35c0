#include "session.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace discern::probe {

namespace {

/// Features of the table and, below, the tests of Li et al., by their keys.
constexpr std::pair<std::string_view, std::string_view> titles[] = {
    {"block_width", "block width"},
    {"interleave", "lanes of a block"},
    {"c_place", "place of c"},
    {"order", "sum of a block"},
    {"alignment_bits", "fraction bits kept"},
    {"extra_bits", "extra bits"},
    {"alignment_rounding", "rounding when aligned"},
    {"c_alignment_bits", "fraction bits of c kept"},
    {"c_alignment_rounding", "rounding of c when aligned"},
    {"output_precision", "precision of sums"},
    {"output_rounding", "rounding of sums"},
    {"product_normalisation", "normalisation of products"},
    {"product_rounding", "rounding of products"},
    {"subnormal_a", "subnormal a"},
    {"subnormal_b", "subnormal b"},
    {"subnormal_c", "subnormal c"},
    {"subnormal_d", "subnormal d"},
    {"zero_sum", "zero sum"},
    {"overflow", "overflow"},
    {"nan", "NaN"},
    {"T_si_no", "subnormal in, normal out"},
    {"T_ni_so", "normal in, subnormal out"},
    {"T_sa", "subnormal accumulation"},
    {"T_1_bit", "an extra bit"},
    {"T_rnd_dir", "rounding mode"},
    {"T_3_bits_fin_rnd", "extra bits"},
    {"T_blk_fma_width", "FMA unit width"},
    {"T_pres_extra_acc", "extra bits kept in sums"},
    {"T_acc_order", "order controllable"},
    {"T_prod", "rounding of products"},
};

} // namespace

std::vector<Answer> Session::ask(std::span<const Scene> scenes) {
    const std::size_t first = asked_.size();
    for (const Scene& scene : scenes)
        if (scene.possible()) asked_.push_back(scene.vector());
    std::vector<Inputs> inputs;
    for (std::size_t i = first; i < asked_.size(); ++i) inputs.push_back(asked_[i].inputs());
    if (!inputs.empty()) {
        const auto answers = ask_(inputs);
        if (answers.size() != inputs.size()) throw std::logic_error("a probe got fewer answers than it asked");
        for (std::size_t i = 0; i < answers.size(); ++i)
            if (answers[i]) asked_[first + i].d.assign(1, *answers[i]);
    }
    std::vector<Answer> result;
    std::size_t next = first;
    for (const Scene& scene : scenes) result.push_back(scene.possible() ? answer(next++) : Answer{});
    return result;
}

Answer Session::answer(std::size_t index) const {
    if (asked_[index].d.empty()) return {index, {}, {}};
    const std::uint64_t bits = asked_[index].d.front();
    return {index, bits, amount_of(d(), bits)};
}

void Session::report(std::string_view key, Told told, std::vector<std::size_t> decided_by) {
    const auto* const title =
        std::find_if(std::begin(titles), std::end(titles), [&](const auto& one) { return one.first == key; });
    if (title == std::end(titles)) throw std::logic_error("a feature without title");
    features_.push_back({key, title->second, std::move(told.value), std::move(told.why), std::move(decided_by)});
}

void Session::report(std::string_view key, Told told, std::size_t first) {
    auto decided_by = told.value ? since(first) : std::vector<std::size_t>();
    report(key, std::move(told), std::move(decided_by));
}

std::vector<std::size_t> Session::since(std::size_t first) const {
    std::vector<std::size_t> all(asked_.size() - first);
    std::iota(all.begin(), all.end(), first);
    return all;
}

} // namespace discern::probe
