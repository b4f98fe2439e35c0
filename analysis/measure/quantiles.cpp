#include "quantiles.hpp"

#include <algorithm>
#include <bit>

namespace discern::measure {

namespace {

constexpr int dropped_bits = 52 - 7; ///< of a double's fraction

std::size_t cell_of(double x) { return std::bit_cast<std::uint64_t>(x) >> dropped_bits; }
double lower_end(std::size_t cell) { return std::bit_cast<double>(std::uint64_t{cell} << dropped_bits); }

} // namespace

void Quantiles::widen(std::size_t first, std::size_t last) {
    constexpr std::size_t more = 512; // four octaves at a time
    if (counts_.empty()) {
        begin_ = first - std::min(first, more);
        counts_.resize(last + more - begin_);
    }
    if (first < begin_) {
        const std::size_t from = first - std::min(first, more);
        counts_.insert(counts_.begin(), begin_ - from, 0);
        begin_ = from;
    }
    if (last >= begin_ + counts_.size()) counts_.resize(last + more - begin_);
}

void Quantiles::add(double x) {
    ++all_;
    if (x == 0) {
        ++zeros_;
        return;
    }
    const std::size_t cell = cell_of(x);
    if (cell < begin_ || cell >= begin_ + counts_.size()) widen(cell, cell);
    ++counts_[cell - begin_];
}

void Quantiles::add(const Quantiles& other) {
    all_ += other.all_;
    zeros_ += other.zeros_;
    if (other.counts_.empty()) return;
    widen(other.begin_, other.begin_ + other.counts_.size() - 1);
    for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[other.begin_ - begin_ + i] += other.counts_[i];
}

double Quantiles::at(double share) const {
    // A share of a whole number may come out a little larger: 0.99 of 100 is 99.
    const double wanted = share * static_cast<double>(all_) * (1 - 1e-12);
    std::uint64_t so_far = zeros_;
    if (static_cast<double>(so_far) >= wanted) return 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        so_far += counts_[i];
        if (static_cast<double>(so_far) >= wanted) return lower_end(begin_ + i);
    }
    return 0;
}

} // namespace discern::measure
