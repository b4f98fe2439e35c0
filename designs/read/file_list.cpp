// Words of a list, one after the other.
#include "file_list.hpp"

#include "folder.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace discern::rtl {

namespace {

constexpr int deepest = 16; ///< of lists in lists

/// Words without comments; quotes keep spaces, and $NAME and ${NAME} are variables of the environment.
std::vector<std::string> words_of(const std::string& text, const std::string& list) {
    std::vector<std::string> words;
    std::string word;
    bool is_word = false;
    const auto end = [&] {
        if (is_word) words.push_back(std::exchange(word, ""));
        is_word = false;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool is_start = !is_word;
        if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            end();
        } else if (is_start && (c == '#' || text.compare(i, 2, "//") == 0)) {
            i = std::min(text.find('\n', i), text.size());
        } else if (is_start && text.compare(i, 2, "/*") == 0) {
            i = std::min(text.find("*/", i), text.size() - 2) + 1;
        } else if (c == '"') {
            const auto close = text.find('"', i + 1);
            if (close == std::string::npos) throw Error(sentence("-f: in ", list, " a quotation mark is not closed"));
            word += text.substr(i + 1, close - i - 1);
            is_word = true;
            i = close;
        } else if (c == '$') {
            const bool in_braces = i + 1 < text.size() && text[i + 1] == '{';
            const std::size_t begin = i + (in_braces ? 2 : 1);
            std::size_t stop = begin;
            while (stop < text.size() &&
                   (std::isalnum(static_cast<unsigned char>(text[stop])) != 0 || text[stop] == '_'))
                ++stop;
            const std::string name = text.substr(begin, stop - begin);
            const char* const value = std::getenv(name.c_str());
            if (value == nullptr) throw Error(sentence("-f: in ", list, " stands $", name, ", which is not set"));
            word += value;
            is_word = true;
            i = in_braces ? stop : stop - 1;
        } else {
            word += c;
            is_word = true;
        }
    }
    end();
    return words;
}

class List {
  public:
    List(std::string list, std::string base, int depth, Sources& sources)
        : list_(std::move(list)), base_(std::move(base)), depth_(depth), sources_(sources) {}

    void run() {
        if (depth_ > deepest) throw Error(sentence("-f: ", list_, " is in itself, or lists are too deep"));
        if (!std::ifstream(list_)) throw Error(sentence("-f: cannot open ", excerpt(list_, 200)));
        const std::vector<std::string> words = words_of(content_of(list_), list_);
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::string& word = words[i];
            const auto rest = [&](std::string_view option) -> std::optional<std::string> {
                if (!word.starts_with(option)) return std::nullopt;
                if (word.size() > option.size()) return word.substr(option.size());
                if (++i == words.size()) throw Error(sentence("-f: ", list_, " ends after ", option));
                return words[i];
            };
            if (word.starts_with("+incdir+")) {
                for (const std::string& folder : parts(word)) add_folder(found(folder), "-f: " + list_, sources_);
            } else if (word.starts_with("+define+")) {
                for (const std::string& macro : parts(word)) add_macro(macro, sources_);
            } else if (const auto folder = rest("-I")) {
                add_folder(found(*folder), "-f: " + list_, sources_);
            } else if (const auto macro = rest("-D")) {
                add_macro(*macro, sources_);
            } else if (const auto inner = rest("-f")) {
                List(found(*inner), base_, depth_ + 1, sources_).run();
            } else if (const auto beside = rest("-F")) {
                const std::string file = found(*beside);
                List(file, folder_of(file), depth_ + 1, sources_).run();
            } else if (word.front() == '-' || word.front() == '+') {
                throw Error(sentence("-f: ", list_, " has ", excerpt(word),
                                     "; only files, +incdir+DIR, +define+NAME, -I, "
                                     "-D, -f and -F are read"));
            } else {
                require_file(found(word));
                sources_.files.push_back(found(word));
            }
        }
    }

  private:
    static std::string folder_of(const std::string& file) { return std::filesystem::path(file).parent_path().string(); }
    /// What stands after the second plus, separated by further ones.
    static std::vector<std::string> parts(const std::string& word) {
        return split(word.substr(word.find('+', 1) + 1), '+');
    }
    /// A name as it can be opened from here.
    std::string found(const std::string& name) const {
        const std::filesystem::path path(name);
        if (path.is_absolute()) return name;
        for (const std::string& folder : {base_, folder_of(list_)})
            if (const auto joined = std::filesystem::path(folder) / path; std::filesystem::exists(joined))
                return joined.string();
        return name;
    }

    std::string list_, base_;
    int depth_;
    Sources& sources_;
};

} // namespace

void add_file_list(const std::string& list, Sources& sources) { List(list, "", 0, sources).run(); }

void add_folder(const std::string& folder, const std::string& from, Sources& sources) {
    if (!std::filesystem::is_directory(folder))
        throw Error(sentence(from, ": there is no folder ", excerpt(folder, 200)));
    if (folder.find_first_of("\"\n\\;#") != std::string::npos)
        throw Error(
            sentence(from, ": the folder's name ", excerpt(folder), " has a character that yosys does not take"));
    sources.folders.push_back(folder);
}

void add_macro(const std::string& text, Sources& sources) {
    const auto equals = text.find('=');
    sources.macros.emplace_back(text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1));
}

} // namespace discern::rtl
