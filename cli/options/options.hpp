// Options in one way for every command: errors end with status 2, help with 0 and an example. What parses them is seen
// by options.cpp and help.cpp alone, so that no command has to compile it.
#pragma once

#include "cli/base/command.hpp"
#include "models/error.hpp"
#include "number.hpp"
#include "shared_options.hpp"

#include <concepts>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace discern::cli {

/// One option, or one argument without a name, of a command line that is being described.
class Option {
  public:
    Option(CLI::Option* option) : option_(option) {}

    Option required();
    /// What the help calls the value.
    Option type_name(const std::string& name);
    /// One value each time that it is given, where several are kept.
    Option one_each_time();
    /// The value may be left out.
    Option value_is_optional();
    /// @param why_not  what is wrong with a value; "" if nothing is
    Option check(std::function<std::string(const std::string&)> why_not);
    Option one_of(const std::vector<std::string>& values);
    /// The two options exclude each other.
    Option excludes(const Option& other);

  private:
    CLI::Option* option_;
};

/// What an action says is wrong, as Option::check() has it.
template <typename Action>
std::string error_of(const Action& action) {
    try {
        action();
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

class CommandLine {
  public:
    explicit CommandLine(const Command& command);
    ~CommandLine();

    /// Names as CLI11 takes them: `-n,--name`, or a word for an argument without a name.
    Option add_option(const std::string& name, std::string& value, std::string_view text);
    Option add_option(const std::string& name, std::vector<std::string>& values, std::string_view text);
    Option add_flag(const std::string& name, bool& value, std::string_view text);

    // Numbers are read as number.hpp says; the help shows the value that the variable has now as the default.

    /// A whole number. @param range  what it may be, besides what the variable can hold
    template <std::integral Number>
    Option add_whole(std::string_view name, Number& value, std::string_view text, WholeRange range = {}) {
        constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
        range.most = std::min(range.most, most);
        const auto given = static_cast<std::uint64_t>(value);
        const std::string shown = given < range.least ? "" : given == most ? "all" : std::to_string(value);
        return add_number(name, "N", with_default(text, shown), [&value, range](const std::string& word) {
            value = static_cast<Number>(require_whole(word, range));
        });
    }
    /// Seconds. Infinity, which cannot be written, means no limit.
    Option add_seconds(std::string_view name, double& value, std::string_view text, bool may_be_zero = true);
    Option add_real(std::string_view name, double& value, std::string_view text);

    /// An option that other commands have too, with the name, the range and the words of shared_options.hpp.
    /// @param remark  what the option means here, after a semicolon
    template <typename Value>
    Option add_shared(std::string_view name, Value& value, std::string_view remark = "") {
        const SharedOption& option = shared_option(name);
        const std::string text = full_text(option, remark);
        if constexpr (std::same_as<Value, bool>) {
            require_kind(option, Takes::nothing);
            return add_flag(std::string(name), value, text);
        } else if constexpr (std::integral<Value>) {
            require_kind(option, Takes::whole);
            return add_whole(name, value, text, option.range);
        } else if constexpr (std::floating_point<Value>) {
            require_kind(option, Takes::seconds);
            return add_seconds(name, value, text, option.range.least == 0);
        } else {
            require_kind(option, Takes::text);
            return add_option(std::string(name), value, text).type_name(std::string(option.value));
        }
    }

    /// The words that a value can be, for completions. @param name  of an option, with dashes, or of an argument
    void offer(const std::string& name, std::vector<std::string> values);

    /// Reads the arguments. @return the exit status if that was all (help); nothing if the command is to be run
    /// @throws Error for a wrong usage
    std::optional<int> read(Arguments arguments, const Streams& io);
    /// Whether it was given. @param name  as it is written, with its dashes
    bool was_given(const std::string& name) const;

  private:
    Option add_number(std::string_view name, const char* value, const std::string& text,
                      std::function<void(const std::string&)> read);
    static std::string with_default(std::string_view text, const std::string& value);
    static std::string full_text(const SharedOption& option, std::string_view remark);
    std::string nearest_option(const std::vector<std::string>& unexpected) const;
    static void require_kind(const SharedOption& option, Takes kind);

    struct Parser;
    std::string name_;
    std::unique_ptr<Parser> parser_;
};

/// A word as a shell's command line has it.
std::string quoted_word(const std::string& word);

/// A command line that would run this again, for the header of what it writes.
std::string quoted_command(std::string_view name, Arguments arguments);

} // namespace discern::cli
