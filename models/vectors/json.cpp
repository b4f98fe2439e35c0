// The two JSON forms of a vector's line, read event by event so that nothing is built but the vector itself, duplicate
// keys are seen, and nesting cannot exhaust the stack.
#include "lines.hpp"
#include "models/hex.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace discern::vector_lines {

namespace {

/// The receiver of nlohmann's parse events for one line.
class VectorEvents {
  public:
    VectorEvents(const Place& place, const Shape& shape, std::string_view line, bool concatenated, Vector& vector)
        : place_(place), shape_(shape), line_(line), concatenated_(concatenated), vector_(vector) {}

    // The names and types of these members are nlohmann's.
    using number_integer_t = nlohmann::json::number_integer_t;
    using number_unsigned_t = nlohmann::json::number_unsigned_t;
    using number_float_t = nlohmann::json::number_float_t;
    using string_t = nlohmann::json::string_t;
    using binary_t = nlohmann::json::binary_t;

    bool null() { return scalar("null"); }
    bool boolean(bool /*value*/) { return scalar("a truth value"); }
    bool number_integer(number_integer_t /*value*/) { return scalar("a number"); }
    bool number_unsigned(number_unsigned_t /*value*/) { return scalar("a number"); }
    bool number_float(number_float_t /*value*/, const string_t& /*text*/) { return scalar("a number"); }
    bool binary(binary_t& /*value*/) { return scalar("binary"); }

    bool string(string_t& text) {
        if (depth_ == 0) return scalar("a string");
        if (in_error()) vector_.error = text.empty() ? "no reason given" : text;
        if (in_flags()) vector_.flags = require_flags(text);
        if (!field_) return true;
        const Field field = *field_;
        if (in_list_) {
            auto& list = *list_of(vector_, field);
            require_room(field, list.size());
            list.push_back(require_pattern(place_, shape_, field, static_cast<int>(list.size()), text));
        } else if (!is_list(field)) {
            put(vector_, field, require_pattern(place_, shape_, field, -1, text));
        } else if (concatenated_) {
            split(field, text);
        } else {
            place_.fail_field(name(field), "is a string; there must be a list of strings, one a pattern");
        }
        return true;
    }

    bool start_object(std::size_t /*elements*/) {
        if (depth_ > 0 && (field_ || in_error() || in_flags())) scalar("an object");
        ++depth_;
        return true;
    }
    bool end_object() {
        --depth_;
        return true;
    }

    bool key(string_t& text) {
        if (depth_ != 1) return true;
        field_ = field_from_name(text);
        is_error_ = text == "error";
        is_flags_ = text == "flags";
        if (field_) {
            bool& seen = seen_[static_cast<std::size_t>(*field_)];
            if (seen) place_.fail_field(text, "is there twice");
            seen = true;
            require_known(place_, shape_, *field_);
        } else {
            if (std::find(others_.begin(), others_.end(), text) != others_.end())
                place_.fail("field ", excerpt(text), " is there twice");
            others_.push_back(text);
        }
        return true;
    }

    bool start_array(std::size_t /*elements*/) {
        if (depth_ == 0 || in_error() || in_flags()) scalar("a list");
        if (field_) {
            if (in_list_) scalar("a list");
            if (*field_ == Field::d) vector_.d_is_list = true;
            if (*field_ == Field::c || (concatenated_ && *field_ != Field::d))
                place_.fail_field(name(*field_), "is a list; there must be one string");
            in_list_ = true;
        }
        ++depth_;
        return true;
    }
    bool end_array() {
        --depth_;
        if (depth_ == 1) {
            if (field_ == Field::d && vector_.d.empty()) place_.fail_field("d", "is an empty list");
            in_list_ = false;
        }
        return true;
    }

    bool parse_error(std::size_t position, const std::string& last, const nlohmann::detail::exception& /*error*/) {
        static constexpr std::string_view right = R"(; a vector is one object, {"a":[…],"b":[…],"c":"…"})";
        if (line_.find_first_not_of(" \t\r") == std::string_view::npos) place_.fail("the line is empty", right);
        if (position > line_.size()) place_.fail("the line ends before its JSON object does", right);
        place_.fail("not JSON from column ", position, " on, at ", excerpt(last), right);
    }

  private:
    /// A value that is no string: fine in fields that we do not know.
    bool scalar(std::string_view what) {
        if (depth_ == 0) place_.fail("the line is ", what, "; a vector is one JSON object");
        if (in_error()) place_.fail_field("error", "is ", what, "; it must be a string, the reason why there is no d");
        if (in_flags()) place_.fail_field("flags", "is ", what, "; ", right_flags);
        if (!field_) return true;
        if (in_list_) place_.fail_field(name(*field_), "has ", what, " in its list; patterns are strings");
        place_.fail_field(name(*field_), "is ", what, "; patterns are strings");
    }

    /// Whether the value being read is that of the field `error`.
    bool in_error() const { return depth_ == 1 && is_error_; }
    bool in_flags() const { return depth_ == 1 && is_flags_; }

    StatusFlags require_flags(std::string_view text) const {
        const auto flags = flags_of_digits(text);
        if (!flags) place_.fail_field("flags", "is ", excerpt(text), "; ", right_flags);
        return *flags;
    }

    /// Stops at the first pattern too many, and not after a whole line of them.
    void require_room(Field field, std::size_t have) const {
        if (field == Field::d || have < static_cast<std::size_t>(count_of(shape_, field))) return;
        place_.fail_field(name(field), "has more than ", have, " patterns; there must be ", have, " of ",
                          format_of(shape_, field).name);
    }

    void split(Field field, std::string_view text) const {
        const auto digits = static_cast<std::size_t>(format_of(shape_, field).digits());
        const auto right = static_cast<std::size_t>(count_of(shape_, field));
        if (text.size() != right * digits)
            place_.fail_field(name(field), "has ", counted(text.size(), "digit"), "; there must be ",
                              counted(right, "pattern"), " of ", counted(digits, "digit"));
        for (std::size_t i = 0; i < right; ++i)
            put(vector_, field,
                require_pattern(place_, shape_, field, static_cast<int>(i), text.substr(i * digits, digits)));
    }

    const Place& place_;
    const Shape& shape_;
    std::string_view line_;
    bool concatenated_;
    Vector& vector_;
    int depth_ = 0;
    std::optional<Field> field_; ///< whose value is being read; nothing: one that is ignored
    bool in_list_ = false;
    bool is_error_ = false; ///< the last key of the vector was `error`
    bool is_flags_ = false; ///< … or `flags`
    std::array<bool, field_names.size()> seen_{};
    std::vector<std::string> others_;
};

void parse(const Place& place, const Shape& shape, std::string_view line, bool concatenated, Vector& vector) {
    clear(vector);
    VectorEvents events(place, shape, line, concatenated, vector);
    nlohmann::json::sax_parse(line.begin(), line.end(), &events);
    require_complete(place, shape, vector);
    if (!vector.error.empty() && !vector.d.empty())
        place.fail("there are d and error; a vector has a result, or a reason why it has none");
}

/// A line exactly as it is written by us, all fields there, in order, without a blank: most lines are, and need no
/// parser of JSON. False for any other line, right or wrong, of which nothing is then said; the vector is of no use.
class CanonicalLine {
  public:
    CanonicalLine(const Shape& shape, std::string_view line, Vector& vector)
        : shape_(shape), rest_(line), vector_(vector) {}

    bool parse() {
        clear(vector_);
        for (const Field field : all_fields) {
            if (count_of(shape_, field) == 0) continue;
            if (field == Field::d && rest_ == "}") return true; // not known
            if (!take(field == Field::a ? "{\"" : ",\"") || !take(name(field)) || !take("\":")) return false;
            if (!(is_list(field) ? list(field) : pattern(field, format_of(shape_, field)))) return false;
        }
        return rest_ == "}";
    }

  private:
    bool take(std::string_view text) {
        if (!rest_.starts_with(text)) return false;
        rest_.remove_prefix(text.size());
        return true;
    }
    bool list(Field field) {
        const int count = count_of(shape_, field);
        const Format& f = format_of(shape_, field);
        for (int i = 0; i < count; ++i)
            if (!take(i == 0 ? "[" : ",") || !pattern(field, f)) return false;
        return take("]");
    }
    bool pattern(Field field, const Format& f) {
        const auto digits = static_cast<std::size_t>(f.digits());
        if (rest_.size() < digits + 2 || rest_[0] != '"' || rest_[digits + 1] != '"') return false;
        const auto bits = parse_pattern(f, rest_.substr(1, digits));
        if (!bits) return false;
        put(vector_, field, *bits);
        rest_.remove_prefix(digits + 2);
        return true;
    }

    const Shape& shape_;
    std::string_view rest_;
    Vector& vector_;
};

} // namespace

void parse_json_line(const Place& place, const Shape& shape, std::string_view line, Vector& vector) {
    if (!CanonicalLine(shape, line, vector).parse()) parse(place, shape, line, false, vector);
}

void parse_compact_line(const Place& place, const Shape& shape, std::string_view line, Vector& vector) {
    parse(place, shape, line, true, vector);
}

} // namespace discern::vector_lines
