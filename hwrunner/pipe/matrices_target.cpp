// Any program that multiplies whole matrices as a target: a library is asked for the sizes that it is made for.
//
// docs/targets.md is the protocol: a header line, then products in binary words. Vectors are answered by products, too,
// with other rows and columns in each product, so that a result which depends on its position is noticed: the first of
// them in all places at once, and the first 64 products have a vector in each place.
#include "hwrunner/every_place.hpp"
#include "hwrunner/makers.hpp"
#include "hwrunner/products.hpp"
#include "models/pattern_words.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"
#include "models/vectors/in_products.hpp"
#include "peer.hpp"

#include <algorithm>
#include <cstring>

namespace discern {

namespace {

constexpr std::size_t product_side = 64; ///< rows and columns of a product of vectors

/// The header line. @throws Error for shapes that the protocol does not have
std::string header_of(const Shape& shape) {
    if (shape.scale) throw Error("matrices: products with scales are not part of its protocol; exec: is right");
    Header header;
    header.shape = shape;
    header.other.emplace_back("matrices", "1");
    return to_json(header);
}

class MatricesTarget final : public ProductTarget {
  public:
    MatricesTarget(const std::string& command, const TargetOptions& options)
        : shape_(options.shape.value()), peer_(command, options, header_of(shape_)),
          first_ones_(options.at_every_place_first ? vectors_at_every_place : 0) {}

    const Shape& shape() const override { return shape_; }
    Identity identity() const override { return peer_.identity(); }

    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override {
        const auto one = [this](GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d) {
            multiply(size, a, b, c, d);
        };
        for (const Inputs& vector : batch.first(std::min(first_ones_, batch.size())))
            require_same_at_every_place(vector);
        for (std::size_t first = 0; first < batch.size();
             first += product_side) // what was answered before a failure is kept
            for (const std::uint64_t d :
                 in_products(shape_, batch.subspan(first, std::min(product_side, batch.size() - first)), product_side,
                             product_side, products_++, one))
                answers.push_back({.d = d, .error = {}});
    }

    void multiply(GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d) override {
        peer_.require_alive();
        std::string sizes;
        for (const std::size_t n : {size.m, size.n, size.k})
            for (int byte = 0; byte < 4; ++byte) sizes += static_cast<char>(n >> (8 * byte) & 0xff);
        peer_.send(sizes);
        for (const Patterns& p : {a, b, c})
            if (p.size() != 0) peer_.send({static_cast<const char*>(p.data()), p.size() * p.word()});
        const std::size_t bytes = d.size() * d.word();
        peer_.owes();
        while (peer_.received.size() < bytes || !peer_.unsent().empty()) {
            if (peer_.received.size() > bytes) break;
            if (peer_.talk({.what = "product", .answered = answered_, .is_text = false})) peer_.owes();
        }
        if (peer_.received.size() > bytes)
            peer_.fail(sentence(peer_.name(), " answered ", peer_.received.size(), " bytes or more to product ",
                                answered_ + 1, "; ", bytes, " are right, the M·N words of D", peer_.said()));
        std::memcpy(d.data(), peer_.received.data(), bytes);
        peer_.received.clear();
        const Format& f = format(shape_.d);
        for (std::size_t i = 0; f.width < static_cast<int>(8 * d.word()) && i < d.size(); ++i) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, static_cast<const char*>(d.data()) + i * d.word(), d.word());
            if (bits > f.mask())
                peer_.fail(sentence(peer_.name(), " answered a word with bits above the ", f.width, " of ", f.name,
                                    " (element ", i, " of D); zeros there are right"));
        }
        ++answered_;
    }

  private:
    void require_same_at_every_place(const Inputs& vector) {
        const auto K = static_cast<std::size_t>(shape_.K);
        PatternWords a(shape_.a, product_side * K), b(shape_.b, K * product_side),
            c(shape_.c.value_or(shape_.d), product_side * product_side), d(shape_.d, product_side * product_side);
        for (std::size_t i = 0; i < product_side; ++i)
            for (std::size_t k = 0; k < K; ++k) {
                a.set(i * K + k, vector.a[k]);
                b.set(k * product_side + i, vector.b[k]);
            }
        for (std::size_t i = 0; i < product_side * product_side; ++i) c.set(i, vector.c);
        multiply({product_side, product_side, K}, a.patterns(), b.patterns(), shape_.c ? c.patterns() : Patterns(),
                 d.out());
        --first_ones_;
        std::vector<std::uint64_t> results(product_side * product_side);
        for (std::size_t i = 0; i < results.size(); ++i) results[i] = d.at(i);
        if (const auto complaint = differs_by_place(peer_.name(), "a product", format(shape_.d), results, product_side))
            peer_.fail(*complaint);
    }

    Shape shape_;
    PipePeer peer_;
    std::size_t products_ = 0, answered_ = 0;
    std::size_t first_ones_; ///< vectors that are still to be put into every place
};

} // namespace

std::unique_ptr<Target> make_matrices(const std::string& command, const TargetOptions& options) {
    return std::make_unique<MatricesTarget>(command, options);
}

} // namespace discern
