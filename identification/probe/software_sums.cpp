#include "software_sums.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <string>

namespace discern::probe {

namespace {

/// Trees as text, of one way to round.
class Writer {
  public:
    /// @param inner   a round node without its child: "round[f64 rne]"
    /// @param product the same, of a product; empty: products are not rounded
    Writer(std::string inner, std::string product, std::string p, std::string c)
        : inner_(std::move(inner)), product_(std::move(product)), p_(std::move(p)), c_(std::move(c)) {}

    std::string c() const { return c_; }
    std::string add(const std::string& x, const std::string& y) const {
        return sentence(inner_, "(fuse[exact](", x, ", ", y, "))");
    }
    /// The product alone, as the first of a sum.
    std::string first(int lane) const { return sentence(product_.empty() ? inner_ : product_, "(", bare(lane), ")"); }
    /// The product as one of two summands.
    std::string term(int lane) const { return product_.empty() ? bare(lane) : first(lane); }

    /// s + p0, + p1, …, from a sum or from the first product.
    std::string chain(std::string sum, const std::vector<int>& lanes) const {
        for (const int lane : lanes) sum = sum.empty() ? first(lane) : add(term(lane), sum);
        return sum;
    }
    /// Neighbours first, or halves.
    std::string tree(const std::vector<int>& lanes, bool neighbours) const {
        std::vector<std::string> terms;
        for (const int lane : lanes) terms.push_back(first(lane));
        while (terms.size() > 1) {
            const std::size_t half = terms.size() / 2;
            std::vector<std::string> sums;
            for (std::size_t i = 0; i < half; ++i)
                sums.push_back(neighbours ? add(terms[2 * i], terms[2 * i + 1]) : add(terms[i], terms[half + i]));
            terms = std::move(sums);
        }
        return terms.front();
    }

  private:
    std::string bare(int lane) const { return sentence("p", lane, p_); }

    std::string inner_, product_, p_, c_;
};

std::vector<int> every_other(int first, int K) {
    std::vector<int> lanes;
    for (int lane = first; lane < K; lane += 2) lanes.push_back(lane);
    return lanes;
}

/// The tree of one block, or of all; nothing if the order is none of these.
std::optional<std::string> tree_of(const Writer& w, const Shape& shape, const Structure& s, bool all_of_k) {
    std::vector<int> lanes;
    if (all_of_k)
        for (const auto& block : s.blocks) lanes.insert(lanes.end(), block.begin(), block.end());
    else
        for (std::size_t i = 0; i < s.blocks.front().size(); ++i) lanes.push_back(static_cast<int>(i));
    const bool c = shape.c.has_value();
    const auto with_c = [&](std::string sum) { return c ? w.add(w.c(), sum) : sum; };
    switch (s.order) {
    case Order::single: return w.chain(c ? w.c() : "", lanes);
    case Order::pairs: return with_c(w.tree(lanes, true));
    case Order::halves: return with_c(w.tree(lanes, false));
    case Order::one_by_one: return with_c(w.chain("", lanes));
    case Order::two_chains:
        return w.add(w.chain(c ? w.c() : "", every_other(0, shape.K)), w.chain("", every_other(1, shape.K)));
    default: return std::nullopt;
    }
}

} // namespace

std::vector<SoftwareSum> software_sums(const Shape& shape, const Structure& structure, const ProbeReport& report) {
    std::vector<SoftwareSum> found;
    if (!structure.known() || shape.scale) return found;
    const bool one_sum = structure.order == Order::single || structure.order == Order::two_chains;
    if (!one_sum && structure.runs.value_or(-1) != 0) return found;
    const std::string mode = report.value_of("output_rounding", "rne");
    const std::string d(format(shape.d).name);
    const std::string p = report.value_of("subnormal_a") == "flushed" ? "[ftz]" : "";
    const std::string c = report.value_of("subnormal_c").starts_with("flushed") ? "c[ftz]" : "c";
    std::vector<std::string> flushes = {""};
    if (report.value_of("subnormal_d").starts_with("flushed")) flushes = {" ftz=after", " ftz=before"};
    const auto L = one_sum ? shape.K : static_cast<int>(structure.blocks.front().size());
    for (const bool wider : {false, true}) {
        if (wider && shape.d == FormatId::f64) break;
        for (const std::string& ftz : flushes)
            for (const char* const overflow : {"", " overflow=inf"})
                for (const char* const zero : {"", " zsign=pos"})
                    for (const bool rounds_products : {false, true}) {
                        const std::string last = sentence("round[", d, " ", mode, ftz, overflow, zero, "]");
                        const std::string inner = wider ? "round[f64 rne]" : last;
                        const Writer writer(inner, rounds_products ? sentence("round[", d, " ", mode, ftz, "]") : "", p,
                                            c);
                        auto tree = tree_of(writer, shape, structure, one_sum);
                        if (!tree) return found;
                        if (wider) tree = sentence(last, "(", *tree, ")");
                        try {
                            found.push_back({parse_unit(sentence(formats_of(shape), " K=", shape.K, " L=", L,
                                                                 " nan=any : ", *tree)),
                                             wider});
                        } catch (const Error&) { // too deep for a line of the notation
                        }
                    }
    }
    return found;
}

} // namespace discern::probe
