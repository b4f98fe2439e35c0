#include "models/products.hpp"

#include "mnemonic.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/texts.hpp"
#include "text.hpp"

#include <algorithm>
#include <string>

namespace discern {

namespace {

using texts::in_lower_case;

/// Lower-case letters and digits alone.
std::string plain(std::string_view text) {
    std::string letters;
    for (const char c : in_lower_case(text))
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters += c;
    return letters;
}

/// Before "{" or "@[", and from there on.
struct Divided {
    std::string name, rest;
};

Divided divided(std::string_view text) {
    const std::size_t end = std::min({text.find('{'), text.find("@["), text.size()});
    return {std::string(texts::trimmed(text.substr(0, end))), std::string(text.substr(end))};
}

/// Instructions that came with a product's own matrix unit, of two with the same formats and K.
bool is_own(const CatalogueEntry& entry) {
    return entry.instruction.starts_with("tcgen05") || entry.instruction.starts_with("wgmma");
}

/// Whether the one is rather meant than the other, of two with the same formats.
bool is_rather(const CatalogueEntry& one, const CatalogueEntry& other) {
    if (one.unit.scale.has_value() != other.unit.scale.has_value()) return !one.unit.scale;
    if (one.unit.K != other.unit.K) return one.unit.K > other.unit.K;
    return is_own(one) && !is_own(other);
}

/// "f16" or "f16.f16", of units whose two operands have one format; else empty.
std::string short_formats(const Unit& unit) {
    if (unit.a != unit.b || (unit.c && unit.c != unit.d)) return "";
    const std::string in(format(unit.a).name), out(format(unit.d).name);
    return out == "f32" || (in == out && in == "f64") ? in : in + "." + out;
}

/// Removes from the end of a plain name what says of the board, and not of the chip. @return whether there was anything
bool drop_board(std::string& name) {
    static const auto words = texts::words(
        "480gb 128gb 141gb 144g 180gb 192gb 256gb 288gb 12gb 16gb 20gb 24gb 32gb 40gb 48gb 64gb 80gb 94gb 96gb 8gb "
        "generation workstationedition serveredition maxq blackwell sxm sxm2 sxm4 sxm5 pcie hbm2 hbm2e hbm3 hbm3e nvl "
        "oam laptopgpu gpu",
        " ");
    for (const std::string_view word : words)
        if (name.ends_with(word)) {
            name.resize(name.size() - word.size());
            return true;
        }
    return false;
}

/// Formats of blocks that share a scale, as they are called.
struct BlockFormat {
    std::string_view name; ///< plain
    FormatId element;
    Scale scale;
};
constexpr BlockFormat block_formats[] = {
    {"nvfp4", FormatId::e2m1, {FormatId::ue4m3, 16}},    {"mxfp4", FormatId::e2m1, {FormatId::e8m0, 32}},
    {"mxfp8e4m3", FormatId::e4m3, {FormatId::e8m0, 32}}, {"mxfp8e5m2", FormatId::e5m2, {FormatId::e8m0, 32}},
    {"mxfp6e3m2", FormatId::e3m2, {FormatId::e8m0, 32}}, {"mxfp6e2m3", FormatId::e2m3, {FormatId::e8m0, 32}},
};

[[noreturn]] void complain(const SoldProduct& product, const std::string& what) {
    throw Error(what + "; its units are " + texts::joined(names_of_units(product), ", "));
}

} // namespace

std::vector<std::string_view> products_of(std::string_view architecture) {
    std::vector<std::string_view> names;
    for (const SoldProduct& product : products())
        if (product.architecture == architecture) names.push_back(product.name);
    return names;
}

namespace {

/// The unit of a text, or the one of which it is a kernel: also of a K of more than one instruction, NAME{K=64}@[…].
const CatalogueEntry* entry_behind(std::string_view text) {
    const std::size_t keys = text.find("@[");
    if (keys == std::string_view::npos) return find_entry(text);
    const std::string_view unit = text.substr(0, keys);
    const std::size_t brace = unit.find("{K=");
    const CatalogueEntry* const entry = find_entry(unit.substr(0, brace));
    if (entry == nullptr || brace == std::string_view::npos) return entry;
    const std::string_view digits = unit.substr(brace + 3);
    const auto k = digits.ends_with('}') ? texts::whole_number(digits.substr(0, digits.size() - 1)) : std::nullopt;
    return k && *k >= entry->unit.K ? entry : nullptr;
}

} // namespace

std::vector<std::pair<std::string, std::vector<std::string_view>>> products_behind(std::span<const std::string> units) {
    std::vector<std::pair<std::string, std::vector<std::string_view>>> all;
    for (const std::string& unit : units) {
        const CatalogueEntry* const entry = entry_behind(unit);
        if (entry == nullptr) continue;
        const auto is_it = [&](const auto& one) { return one.first == entry->architecture; };
        if (std::ranges::any_of(all, is_it)) continue;
        if (auto names = products_of(entry->architecture); !names.empty())
            all.emplace_back(entry->architecture, std::move(names));
    }
    return all;
}

std::string products_in_words(std::span<const std::string> units) {
    constexpr std::size_t most = 3;
    std::string text;
    for (const auto& [architecture, names] : products_behind(units)) {
        text += text.empty() ? "" : "; ";
        const std::size_t shown = names.size() == most + 1 ? most + 1 : std::min(names.size(), most);
        for (std::size_t i = 0; i < shown; ++i) text += sentence(i == 0 ? "" : ", ", names[i]);
        if (names.size() > shown) text += sentence(" and ", names.size() - shown, " more");
        text += sentence(" (", architecture, ")");
    }
    return text;
}

std::vector<std::string> names_of_units(const SoldProduct& product) {
    std::vector<std::string> names;
    for (const CatalogueEntry& entry : catalogue()) {
        if (entry.architecture != product.architecture) continue;
        const std::string formats = short_formats(entry.unit);
        const std::string name = sentence(product.name, "/", formats);
        if (!formats.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return names;
}

std::optional<std::string> unit_of_product(std::string_view text) {
    if (find_entry(text) != nullptr) return std::nullopt;
    if (const CatalogueEntry* const entry = entry_of_mnemonic(text)) return entry->name;
    const std::size_t slash = text.find('/');
    const SoldProduct* const product = find_product(text.substr(0, slash));
    if (product == nullptr) return std::nullopt;
    if (slash == std::string_view::npos)
        complain(*product, sentence(excerpt(std::string(text)), " is a product, and its formats are not said"));
    const std::string wanted = in_lower_case(text.substr(slash + 1));
    const std::size_t dot = std::min(wanted.find('.'), wanted.size());
    const std::string said = wanted.substr(0, dot);
    if (const std::string which = why_not_one_format(said); !which.empty())
        complain(*product, sentence(product->name, "/", said, ": ", which));
    const auto* const blocks = std::find_if(std::begin(block_formats), std::end(block_formats),
                                            [&](const BlockFormat& one) { return one.name == plain(said); });
    const bool is_of_blocks = blocks != std::end(block_formats);
    const auto in = is_of_blocks ? blocks->element : everyday_format(said);
    const auto out = dot == wanted.size() ? std::nullopt : everyday_format(wanted.substr(dot + 1));
    const CatalogueEntry* found = nullptr;
    const auto look = [&](std::optional<FormatId> d) {
        for (const CatalogueEntry& entry : catalogue()) {
            const Unit& unit = entry.unit;
            const bool fits = entry.architecture == product->architecture && in && unit.a == *in && unit.b == *in &&
                              (!d || unit.d == *d) && (!unit.c || unit.c == unit.d) &&
                              (!is_of_blocks || unit.scale == blocks->scale);
            if (fits && (found == nullptr || is_rather(entry, *found))) found = &entry;
        }
    };
    if (dot < wanted.size()) {
        if (out) look(out);
    } else {
        look(FormatId::f32);
        if (found == nullptr) look(std::nullopt);
    }
    if (found == nullptr)
        complain(*product, sentence(product->name, " has no unit of ", excerpt(std::string(text.substr(slash + 1))),
                                    did_you_mean(sentence(product->name, "/", wanted), names_of_units(*product))));
    return found->name;
}

bool is_product_alone(std::string_view text) { return find_product(divided(text).name) != nullptr; }

std::string with_unit_of_product(std::string_view text, const Shape& shape) {
    const auto [name, rest] = divided(text);
    const SoldProduct* const product = find_product(name);
    if (product == nullptr) return std::string(text);
    const CatalogueEntry* found = nullptr;
    for (const CatalogueEntry& entry : catalogue()) {
        Shape of_entry = shape_of(entry.unit);
        of_entry.K = shape.K;
        if (entry.architecture != product->architecture || of_entry != shape) continue;
        const bool has_k = entry.unit.K == shape.K;
        if (found == nullptr || (has_k && found->unit.K != shape.K) ||
            (has_k == (found->unit.K == shape.K) && is_rather(entry, *found)))
            found = &entry;
    }
    if (found == nullptr) complain(*product, sentence(product->name, " has no unit of ", to_string(shape)));
    if (found->unit.K == shape.K || rest.find("K=") != std::string::npos || rest.starts_with("@["))
        return found->name + rest;
    const std::string K = sentence("K=", shape.K);
    return found->name + (rest.empty() ? "{" + K + "}" : "{" + K + "," + rest.substr(1));
}

std::span<const SoldProduct> products() {
    static const std::vector<SoldProduct> all = [] {
        std::vector<SoldProduct> list;
        for (const catalogue_text::File& file : catalogue_text::files())
            list.insert(list.end(), file.products.begin(), file.products.end());
        return list;
    }();
    return all;
}

namespace {

/// Whether a plain name is that of a product, or of its LLVM target or compute capability.
bool is_name_of(const std::string& wanted, const SoldProduct& product) {
    const std::string name = plain(product.name), target = plain(product.capability);
    if (wanted == name || (target.starts_with("gfx") && (wanted == target || wanted == name + target))) return true;
    const auto is = [&](const std::string& of) { return wanted == of || wanted == of + "a" || wanted == of + "f"; };
    return target.find_first_not_of("0123456789") == std::string::npos && (is("sm" + target) || is("compute" + target));
}

const SoldProduct* product_of(const std::string& wanted) {
    const auto sold = products();
    const auto found =
        std::find_if(sold.begin(), sold.end(), [&](const SoldProduct& one) { return is_name_of(wanted, one); });
    return found == sold.end() ? nullptr : &*found;
}

/// Calls look(plain name) with the name as it is written, without the vendor and brand, and with the series that
/// people leave out, until it has found something.
template <typename Look>
auto look_for(std::string_view text, Look look) -> decltype(look(std::string())) {
    std::string wanted = plain(text);
    if (const auto found = look(wanted)) return found;
    for (const std::string_view brand :
         {"nvidia", "amd", "geforce", "tesla", "radeon", "instinct", "jetson", "intel", "aws", "aipro", "pro"}) {
        if (!wanted.starts_with(brand) || wanted == brand) continue;
        if (const auto found = look("rtx" + wanted)) return found; // PRO 6000
        wanted.erase(0, brand.size());
        if (const auto found = look(wanted)) return found;
    }
    do { // as a driver calls it: A100-SXM4-80GB, H100 80GB HBM3, H100 PCIe
        for (const std::string_view series : {"", "rtx", "rx"})
            if (const auto found = look(std::string(series) + wanted)) return found;
    } while (drop_board(wanted));
    return {};
}

} // namespace

const SoldProduct* find_product(std::string_view text) { return look_for(text, product_of); }

std::string why_no_product(std::string_view text) {
    const auto look = [](const std::string& wanted) -> const std::string* {
        for (const catalogue_text::File& file : catalogue_text::files())
            for (const catalogue_text::UnplacedLine& line : file.unplaced)
                if (plain(line.name) == wanted) return &line.sentence;
        return nullptr;
    };
    const std::string* const found = look_for(text, look);
    return found == nullptr ? "" : *found;
}

} // namespace discern
