#include "manual.hpp"

#include "hwrunner/kinds.hpp"
#include "models/catalogue.hpp"
#include "models/format.hpp"
#include "models/products.hpp"
#include "models/stimulus/stimulus.hpp"
#include "solver/backend/backend.hpp"

#include <algorithm>

namespace discern::cli {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool begins_with(std::string_view word, std::string_view typed) {
    return word.size() >= typed.size() &&
           std::equal(typed.begin(), typed.end(), word.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

/// Words without blanks, so that no shell has to quote them: products are found without theirs.
std::string without_blanks(std::string text) {
    std::erase(text, ' ');
    return text;
}

/// Catalogue names, products and the names that they make. A name is offered up to its slash first: there are hundreds.
std::vector<std::string> units(std::string_view typed) {
    std::vector<std::string> words;
    const bool has_slash = typed.find('/') != std::string_view::npos;
    for (const CatalogueEntry& entry : catalogue()) {
        const std::string word = has_slash ? entry.name : entry.architecture + "/";
        if (std::ranges::find(words, word) == words.end()) words.push_back(word);
    }
    for (const SoldProduct& product : products()) {
        if (!has_slash) {
            words.push_back(without_blanks(std::string(product.name)) + "/");
            continue;
        }
        for (const std::string& name : names_of_units(product)) words.push_back(without_blanks(name));
    }
    return words;
}

std::vector<std::string> families(std::string_view) {
    const auto names = stimulus_family_names();
    return {names.begin(), names.end()};
}

std::vector<std::string> solvers(std::string_view) {
    std::vector<std::string> words = {"portfolio", "random"};
    for (const BackendKind& kind : backends()) words.emplace_back(kind.name);
    return words;
}

std::vector<std::string> named_formats(std::string_view) {
    std::vector<std::string> words;
    for (const Format& format : formats()) words.emplace_back(format.name);
    return words;
}

std::vector<std::string> roundings(std::string_view) {
    std::vector<std::string> words(rounding_names.begin(), rounding_names.end());
    words.emplace_back("exact");
    return words;
}
std::vector<std::string> of_digits(std::string_view) { return {"exact"}; }
std::vector<std::string> nothing(std::string_view) { return {}; }

/// Targets, and units behind model:.
std::vector<std::string> targets(std::string_view typed) {
    constexpr std::string_view model = "model:";
    std::vector<std::string> words;
    for (const TargetKind& kind : target_kinds()) words.emplace_back(kind.name);
    if (begins_with(typed, model))
        for (const std::string& unit : units(typed.substr(model.size()))) words.push_back(std::string(model) + unit);
    return words;
}

/// What a value can be, by the name of its option or argument, or by what the help calls it.
struct Values {
    std::string_view name;
    std::vector<std::string> (*words)(std::string_view typed);
    bool files;
};

constexpr auto by_name = std::to_array<Values>({
    {"UNIT", units, false},
    {"UNIT2", units, false},
    {"KERNEL", units, false},
    {"KERNEL2", units, false},
    {"PATTERN", units, false},
    {"TARGET", targets, false},
    {"FILE|TARGET", targets, true},
    {"SPACE", units, true},
    {"--family", families, false},
    {"--solver", solvers, false},
    {"--cross-check", solvers, false},
    {"--round", roundings, false},
    {"--format", named_formats, false},
    {"--formats", named_formats, false},
    {"--digits", of_digits, false},
    {"FILE", nothing, true},
    {"FILE2", nothing, true},
    {"DIR", nothing, true},
    {"PATH", nothing, true},
    {"A", nothing, true},
    {"B", nothing, true},
    {"C", nothing, true},
    {"…", nothing, true},
});

const Values* find_values(std::string_view name) {
    const auto* const found = std::ranges::find(by_name, name, &Values::name);
    return found == by_name.end() ? nullptr : found;
}

void offer(Completion& completion, const DescribedOption& option, std::string_view typed) {
    for (const std::string& choice : option.choices) completion.words.push_back(choice);
    const Values* values = nullptr;
    for (const std::string& name : option.names)
        if (values == nullptr) values = find_values(name);
    if (values == nullptr) values = find_values(option.value);
    if (values == nullptr) return;
    const auto words = values->words(typed);
    completion.words.insert(completion.words.end(), words.begin(), words.end());
    completion.files = values->files;
}

/// @param before  the words of the command before the one that is typed
void complete_of(const Command& command, std::span<const std::string> before, std::string_view typed,
                 Completion& completion) {
    const std::vector<DescribedOption> all = options_of(command);
    const auto option_of = [&](const std::string& word) {
        return std::ranges::find_if(all, [&](const DescribedOption& option) {
            return !option.is_argument() && std::ranges::find(option.names, word) != option.names.end();
        });
    };
    if (!before.empty())
        if (const auto option = option_of(before.back()); option != all.end() && !option->value.empty())
            return offer(completion, *option, typed);
    if (typed.starts_with('-')) {
        for (const DescribedOption& option : all)
            if (!option.is_argument())
                for (const std::string& name : option.names) completion.words.push_back(name);
        return;
    }
    std::size_t arguments = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const auto option = option_of(before[i]);
        if (option == all.end())
            ++arguments;
        else if (!option->value.empty())
            ++i;
    }
    const DescribedOption* argument = nullptr;
    for (const DescribedOption& option : all) {
        if (!option.is_argument()) continue;
        argument = &option;
        if (arguments-- == 0) break;
    }
    if (argument == nullptr) return;
    offer(completion, *argument, typed);
    if (!command.units_and_files) return;
    completion.files = true;
    if (argument->names.front() != "UNIT")
        for (std::string& unit : units(typed)) completion.words.push_back(std::move(unit));
}

} // namespace

Completion complete(const std::vector<std::string>& words) {
    Completion completion;
    const std::string typed = words.empty() ? "" : words.back();
    if (words.size() < 2) {
        for (const Command& command : commands())
            if (command.run != nullptr) completion.words.emplace_back(command.name);
        for (const char* word : {"help", "--help", "--version", "--manual", "--completions"})
            completion.words.emplace_back(word);
    } else {
        if (const Command* const command = find_command(words.front()))
            complete_of(*command, std::span(words).subspan(1, words.size() - 2), typed, completion);
        else if (words.front() == "--completions")
            completion.words = {"bash", "fish", "zsh"};
        else if (words.front() == "help")
            for (const Command& one : commands()) completion.words.emplace_back(one.name);
    }
    std::erase_if(completion.words, [&](const std::string& word) { return !begins_with(word, typed); });
    return completion;
}

} // namespace discern::cli
