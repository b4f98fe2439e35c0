#include "products.hpp"

#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/products.hpp"
#include "models/unit/sentence.hpp"
#include "programs/reading/file.hpp"

#include <algorithm>
#include <sstream>

namespace discern::cli {

namespace {

/// "A100/f16.f16, A100/f16, …"
std::string listed_units(const std::string& product) {
    const SoldProduct* const found = find_product(product.substr(0, product.find_first_of("{@")));
    std::string text;
    if (found != nullptr)
        for (const std::string& name : names_of_units(*found)) text += (text.empty() ? "" : ", ") + name;
    return text;
}

} // namespace

std::vector<std::string*> each_word(std::vector<std::string>& words) {
    std::vector<std::string*> each;
    for (std::string& word : words) each.push_back(&word);
    return each;
}

void put_schedules(std::span<std::string* const> units, const std::vector<std::string>& launches, const Streams& io) {
    std::size_t next = 0;
    for (std::string* unit : units) {
        if (!programs::is_kernel_file(*unit)) continue;
        const programs::KernelFiles files =
            programs::files_of(*unit, next < launches.size() ? launches[next] : std::string());
        ++next;
        note_input(files.code, io);
        note_input(files.launch, io);
        const std::string schedule = programs::schedule_in_file(*unit, files.launch);
        io.err << "discern: " << *unit << " is " << schedule << '\n';
        *unit = schedule;
    }
    if (next < launches.size())
        throw Error(sentence("--launch is of ptx:FILE, and ", launches.size(), " are given for ", next));
}

void decide_products(std::span<std::string* const> units) {
    for (const std::string* unit : units)
        if (programs::is_kernel_file(*unit))
            throw Error(unit->substr(0, unit->find(':')) + ":FILE is no unit for this command; 'discern show " + *unit +
                        "' says which unit and schedule it is, which may stand here");
    const auto is_alone = [](const std::string* unit) { return is_product_alone(*unit); };
    if (std::ranges::none_of(units, is_alone)) return;
    const auto said = std::ranges::find_if_not(units, is_alone);
    if (said == units.end()) return;
    const Shape shape = shape_of(instruction_of(**said));
    for (std::string* unit : units) *unit = with_unit_of_product(*unit, shape);
}

void decide_products_by_file(std::span<std::string* const> units, const std::string& path, const DataOptions& options,
                             const Streams& io) {
    decide_products(units);
    const auto alone = std::ranges::find_if(units, [](const std::string* unit) { return is_product_alone(*unit); });
    if (alone == units.end()) return;
    if (path.empty() || path == "-")
        throw Error(**alone + " is a product, and nothing says its formats; PRODUCT/FORMAT is right, as in A100/f16");
    std::ostringstream unsaid; // what is to be said of the file is said when it is read
    std::optional<Shape> shape;
    try {
        const VectorFile file(path, std::nullopt, options, {.in = io.in, .out = io.out, .err = unsaid});
        shape = file.shape();
    } catch (const Error& error) {
        throw Error(sentence(**alone, " is a product, and the file does not decide its formats (", error.what(),
                             "); its units are ", listed_units(**alone)));
    }
    for (std::string* unit : units) *unit = with_unit_of_product(*unit, *shape);
}

} // namespace discern::cli
