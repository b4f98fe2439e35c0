// Files, folders and names, looked at before a program is asked to read them.
#include "sources.hpp"

#include "folder.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

namespace discern::rtl {

namespace {

bool is_word(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return c == '_' || c == '$' || c == '\'' || c == '-' || std::isalnum(c) != 0;
    });
}

/// The packages that a text has, and those that it uses (or that stand in a comment of it, which does no harm).
struct Packages {
    std::set<std::string> has, uses;

    explicit Packages(const std::string& text) {
        const auto is_name = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
        std::string previous;
        for (std::size_t i = 0; i < text.size();) {
            std::size_t end = i;
            while (end < text.size() && is_name(text[end])) ++end;
            if (end == i) {
                ++i;
                continue;
            }
            const std::string word = text.substr(i, end - i);
            if (previous == "package" && word != "automatic" && word != "static") has.insert(word);
            if (text.compare(end, 2, "::") == 0) uses.insert(word);
            if (!(previous == "package" && (word == "automatic" || word == "static"))) previous = word;
            i = end;
        }
    }
};

} // namespace

std::vector<std::string> split(std::string_view text, char by) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == by)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

std::string shell_word(std::string_view text) {
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

void require_file(const std::string& file) {
    if (file.find_first_of("\"\n\\;#") != std::string::npos || file.front() == '-')
        throw Error(sentence("rtl: the file name ", excerpt(file), " has a character that yosys does not take"));
    std::ifstream in(file);
    if (!in) throw Error(sentence("rtl: cannot open ", excerpt(file, 200)));
    whole_text(in, file); // what is no text is refused before other programs read it
}

std::vector<std::string> files_of(std::string_view text) {
    std::vector<std::string> files = split(text.substr(rtl_prefix.size()), ',');
    for (const std::string& file : files) {
        if (file.empty()) throw Error("rtl: a file is missing; designs are written rtl:FILE.sv or rtl:FILE.sv,FILE.sv");
        require_file(file);
    }
    return files;
}

std::vector<std::string> folders_of(const Sources& sources) {
    std::vector<std::string> folders;
    const auto add = [&](const std::string& folder) {
        if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
    };
    for (const std::string& folder : sources.folders) add(folder.ends_with('/') ? folder : folder + "/");
    for (const std::string& file : sources.files) {
        const auto slash = file.rfind('/');
        add(slash == std::string::npos ? "." : file.substr(0, slash + 1));
    }
    return folders;
}

std::vector<std::string> with_included(const Sources& sources) {
    std::vector<std::string> files = sources.files;
    for (std::size_t i = 0; i < files.size(); ++i) {
        std::istringstream in(content_of(files[i]));
        for (std::string line; std::getline(in, line);) {
            const auto at = line.find("`include");
            const auto quote = at == std::string::npos ? at : line.find('"', at);
            if (quote == std::string::npos) continue;
            const std::string name = line.substr(quote + 1, line.find('"', quote + 1) - quote - 1);
            for (const std::string& folder : folders_of(sources)) {
                const std::string file = (folder == "." ? "" : folder) + name;
                if (std::ifstream(file) && std::find(files.begin(), files.end(), file) == files.end())
                    files.push_back(file);
            }
        }
    }
    return files;
}

std::vector<std::string> packages_first(const Sources& sources) {
    std::vector<Packages> packages;
    for (const std::string& file : sources.files) packages.emplace_back(content_of(file));
    std::vector<std::string> ordered;
    std::vector<bool> seen(packages.size());
    const std::function<void(std::size_t)> take = [&](std::size_t i) {
        if (seen[i]) return;
        seen[i] = true;
        for (std::size_t of = 0; of < packages.size(); ++of)
            if (std::any_of(packages[of].has.begin(), packages[of].has.end(),
                            [&](const std::string& name) { return packages[i].uses.contains(name); }))
                take(of);
        ordered.push_back(sources.files[i]);
    };
    for (std::size_t i = 0; i < packages.size(); ++i) take(i);
    return ordered;
}

void require_names(const Sources& sources) {
    if (!sources.top.empty() && !is_word(sources.top))
        throw Error(sentence("--top: ", excerpt(sources.top), " is no name of a module"));
    if (sources.top.empty() && !sources.parameters.empty())
        throw Error(
            sentence("--parameter: which module has ", excerpt(sources.parameters.front().first), "? --top names it"));
    for (const auto& [name, value] : sources.parameters)
        if (!is_word(name) || !is_word(value))
            throw Error(sentence("--parameter: ", excerpt(name + "=" + value), " must be NAME=VALUE with a number"));
    for (const auto& [name, value] : sources.macros)
        if (!is_word(name) || (!value.empty() && !is_word(value)))
            throw Error(sentence("--define: ", excerpt(name + "=" + value),
                                 " must be NAME or NAME=VALUE, of letters, digits, _ and '"));
}

std::string simulator_options(const Sources& sources) {
    std::string text;
    for (const std::string& folder : folders_of(sources)) text += " " + shell_word("-I" + folder);
    for (const auto& [name, value] : sources.macros)
        text += " " + shell_word("-D" + name + (value.empty() ? "" : "=" + value));
    return text;
}

} // namespace discern::rtl
