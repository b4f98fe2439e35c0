// The catalogue as a table.
#include "cli/base/json.hpp"
#include "cli/options/options.hpp"
#include "evidence_page.hpp"
#include "hwrunner/kinds.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/products.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <utility>

namespace discern::cli {

namespace {

std::string hash_text(const Unit& unit) { return fmt::format("{:016x}", arithmetic_hash(unit)); }

bool matches(const std::string& name, const std::string& pattern) {
    if (pattern.find_first_of("*?[") == std::string::npos) return name.find(pattern) != std::string::npos;
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

/// The filters besides the pattern.
struct Filters {
    std::string pattern; ///< of the name, or a product's name
    std::string format, formats;
    int K = 0; ///< 0: any
};

bool has_format(const Shape& shape, FormatId id) {
    return shape.a == id || shape.b == id || shape.c == id || shape.d == id ||
           (shape.scale && shape.scale->format == id);
}

std::vector<const CatalogueEntry*> select(const Filters& filters) {
    const std::string& pattern = filters.pattern;
    const SoldProduct* const product = find_product(pattern);
    std::optional<FormatId> id;
    if (!filters.format.empty()) id = require_format(filters.format, "--format");
    const std::string formats = filters.formats.empty() ? "" : formats_of(shape_from_text(filters.formats, 1));
    std::vector<const CatalogueEntry*> named, selected;
    std::vector<std::string> names;
    for (const CatalogueEntry& entry : catalogue()) {
        names.push_back(entry.name);
        const bool fits =
            product != nullptr ? entry.architecture == product->architecture : matches(entry.name, pattern);
        if (fits) named.push_back(&entry);
    }
    for (const SoldProduct& known : products()) names.emplace_back(known.name);
    if (const std::string why = named.empty() ? why_no_product(pattern) : ""; !why.empty())
        throw Error(sentence(excerpt(pattern), ": ", why));
    if (named.empty())
        throw Error("no unit's name matches " + excerpt(pattern) + did_you_mean(pattern, names) +
                    "; 'discern units' lists all");
    for (const CatalogueEntry* entry : named) {
        const Shape shape = shape_of(entry->unit);
        if (!formats.empty() && formats_of(shape) != formats) continue;
        if ((!id || has_format(shape, *id)) && (filters.K == 0 || shape.K == filters.K)) selected.push_back(entry);
    }
    if (selected.empty())
        throw Error(sentence("none of ", counted(named.size(), "unit"), " has",
                             !formats.empty() ? sentence(" formats ", filters.formats) : "", id ? " format " : "",
                             filters.format, id && filters.K != 0 ? " and" : "",
                             filters.K != 0 ? sentence(" K=", filters.K) : ""));
    return selected;
}

void print_products(bool json, const Streams& io) {
    if (json) {
        const auto object = [](const SoldProduct& product) {
            return Json{{"product", product.name},
                        {"arch", product.architecture},
                        {"capability", product.capability},
                        {"source", product.source}};
        };
        io.out << list_of(products(), object).dump(1) << '\n';
        return;
    }
    const auto row = [&](const auto&... cells) { io.out << fmt::format("{:<16}  {:<12}  {:<10}  {}\n", cells...); };
    row("product", "architecture", "capability", "source");
    for (const SoldProduct& product : products())
        row(product.name, product.architecture, product.capability, product.source);
}

Json as_json(const CatalogueEntry& entry) {
    Json object = {{"unit", entry.name}, {"arch", entry.architecture}, {"instruction", entry.instruction}};
    Header header; // has formats, K and scales as files of vectors have them
    header.shape = shape_of(entry.unit);
    object.update(Json::parse(to_json(header)));
    object.erase("discern");
    object["family"] = entry.family;
    object["hash"] = hash_text(entry.unit);
    object["tree"] = to_string(entry.unit);
    if (!entry.remark.empty()) object["remark"] = entry.remark;
    return object;
}

void print_table(const std::vector<const CatalogueEntry*>& entries, const Streams& io) {
    std::size_t widest_name = 4, widest_formats = 7;
    for (const CatalogueEntry* entry : entries) {
        widest_name = std::max(widest_name, entry->name.size());
        widest_formats = std::max(widest_formats, formats_of(shape_of(entry->unit)).size());
    }
    const auto row = [&](std::string_view name, const std::string& formats, const std::string& K,
                         std::string_view family, const std::string& hash) {
        io.out << fmt::format("{:<{}}  {:<{}}  {:>3}  {:<12}  {}\n", name, widest_name, formats, widest_formats, K,
                              family, hash);
    };
    row("name", "formats", "K", "family", "arithmetic");
    for (const CatalogueEntry* entry : entries)
        row(entry->name, formats_of(shape_of(entry->unit)), std::to_string(entry->unit.K), entry->family,
            hash_text(entry->unit));
}

int run_units(const Command& self, Arguments arguments, const Streams& io) {
    Filters filters;
    bool json = false, evidence = false, only_products = false;
    CommandLine line(self);
    line.add_option("PATTERN", filters.pattern,
                    "part of a name, or a whole name with * and ?; or a product, such as H100 or 'RTX 4090'");
    line.add_option("--format", filters.format, "only units with an operand, a result or scales of that format")
        .type_name("NAME");
    line.add_shared("--formats", filters.formats, "only units with these, or, of one format, as --format");
    line.add_shared("--K", filters.K, "only units with that many");
    line.add_flag("--evidence", evidence,
                  "where each parameter comes from, as a page in Markdown (docs/evidence.md and its parts)");
    line.add_flag("--products", only_products, "the products whose names are known, with their architectures");
    line.add_shared("--json", json, "a list of objects");
    if (const auto ended = line.read(arguments, io)) return *ended;

    if (only_products) {
        print_products(json, io);
        return status::done;
    }
    if (filters.formats.find(',') == std::string::npos && filters.format.empty())
        filters.format = std::exchange(filters.formats, "");
    const std::vector<const CatalogueEntry*> selected = select(filters);
    if (json && evidence) throw Error("units: --json and --evidence are two forms; one is right");
    if (evidence) {
        io.out << evidence_page(selected);
    } else if (json) {
        io.out << list_of(selected, [](const CatalogueEntry* entry) { return as_json(*entry); }).dump(1) << '\n';
    } else {
        print_table(selected, io);
    }
    return status::done;
}

} // namespace

extern constinit const Command units_command{.name = "units",
                                             .usage = "[PATTERN]",
                                             .summary = "the catalogue of units",
                                             .example = "  discern units 'cdna3/*f16'\n"
                                                        "      the units of CDNA3 whose names end in f16\n"
                                                        "  discern units wgmma\n"
                                                        "      the units with wgmma in their names\n"
                                                        "  discern units 'RTX 4090' --format e4m3\n"
                                                        "      those of a card that you have",
                                             .run = run_units,
                                             .docs = {.group = "Units", .page = "commands", .schemas = {"units"}}};

} // namespace discern::cli
