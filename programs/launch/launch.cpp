#include "launch.hpp"

#include "models/error.hpp"
#include "models/format.hpp"
#include "models/gemm.hpp"
#include "models/unit/sentence.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace discern::programs {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t most_elements = std::uint64_t(1) << 26;
/// Of all arrays, each byte of which takes four.
constexpr std::uint64_t most_bytes = std::uint64_t(1) << 27;

/// Formats of integers, which have no numbers of the library.
unsigned bytes_of_format(const std::string& format, const std::string& where) {
    if (format == "s8" || format == "u8") return 1;
    if (format == "s32" || format == "u32" || format == "i32") return 4;
    return static_cast<unsigned>(word_bytes(require_format(format, where)));
}

class Reader {
  public:
    explicit Reader(const std::string& name) : name_(name) {}

    Launch read(const Json& json) {
        if (!json.is_object()) fail("is no object");
        if (natural(json, "launch", 0) != 1) fail("has no \"launch\": 1");
        require_known(
            json, {"launch", "entry", "grid", "block", "cluster", "shared", "arguments", "buffers", "cubin", "target"});
        Launch launch;
        if (json.contains("entry")) launch.entry = text(json, "entry");
        if (json.contains("target")) launch.target = text(json, "target");
        const auto grid = numbers(json, "grid", 3);
        for (std::size_t i = 0; i < grid.size(); ++i) launch.grid[i] = grid[i];
        launch.block = numbers(json, "block", 3);
        launch.cluster = numbers(json, "cluster", 3);
        launch.shared = natural(json, "shared", 0);
        if (launch.shared > (1u << 20)) fail("\"shared\" is more than a MiB");
        for (const Json& item : list(json, "buffers")) array(item, launch);
        const Json& arguments = list(json, "arguments");
        for (where_ = 1; where_ <= arguments.size(); ++where_) {
            const Json& item = arguments[where_ - 1];
            if (item.is_object() && (item.contains("matrix") || item.contains("result"))) array(item, launch);
        }
        std::size_t next = list(json, "buffers").size();
        for (where_ = 1; where_ <= arguments.size(); ++where_)
            launch.arguments.push_back(argument(arguments[where_ - 1], launch, next));
        if (launch.arrays.empty()) fail("has no matrix and no result");
        std::uint64_t bytes = 0;
        for (const ArraySpec& array : launch.arrays) bytes += array.extent();
        for (const ArgumentSpec& argument : launch.arguments) {
            bytes += argument.zeros;
            for (const InnerPointer& pointer : argument.inner) bytes += pointer.zeros;
        }
        where_ = 0;
        if (bytes > most_bytes) fail("has more than 128 MiB of memory");
        return launch;
    }

  private:
    [[noreturn]] void fail(std::string_view what) const {
        throw Error(where_ == 0 ? sentence(name_, " ", what)
                                : sentence(name_, ": argument ", where_, " (from 1) ", what));
    }
    void require_known(const Json& object, std::initializer_list<std::string_view> known) const {
        for (const auto& [key, value] : object.items())
            if (std::find(known.begin(), known.end(), key) == known.end())
                fail(sentence("has the key ", excerpt(key), ", which is not known"));
    }
    std::uint64_t natural(const Json& object, const char* key, std::uint64_t otherwise) const {
        if (!object.contains(key)) return otherwise;
        if (!object[key].is_number_unsigned()) fail(sentence("needs a natural number as \"", key, "\""));
        return object[key].get<std::uint64_t>();
    }
    const Json& list(const Json& object, const char* key) const {
        static const Json none = Json::array();
        if (!object.contains(key)) return none;
        if (!object[key].is_array() || object[key].size() > 1000) fail(sentence("needs a list as \"", key, "\""));
        return object[key];
    }
    std::string text(const Json& object, const char* key) const {
        if (!object.contains(key) || !object[key].is_string()) fail(sentence("needs a text as \"", key, "\""));
        return object[key].get<std::string>();
    }
    std::vector<unsigned> numbers(const Json& object, const char* key, std::size_t most) const {
        std::vector<unsigned> found;
        for (const Json& item : list(object, key)) {
            if (!item.is_number_unsigned() || item.get<std::uint64_t>() == 0 ||
                item.get<std::uint64_t>() > most_elements)
                fail(sentence("needs numbers from 1 to ", most_elements, " in \"", key, "\""));
            found.push_back(item.get<unsigned>());
        }
        if (found.size() > most) fail(sentence("has more than ", most, " numbers in \"", key, "\""));
        return found;
    }

    static std::vector<std::uint64_t> row_by_row(const std::vector<std::uint32_t>& shape) {
        std::vector<std::uint64_t> strides(shape.size(), 1);
        for (std::size_t i = shape.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * shape[i + 1];
        return strides;
    }

    void array(const Json& item, Launch& launch) {
        require_known(item, {"matrix", "result", "format", "shape", "axes", "strides", "base", "initial"});
        ArraySpec made;
        made.is_result = item.contains("result");
        made.name = text(item, made.is_result ? "result" : "matrix");
        made.format = text(item, "format");
        made.element = bytes_of_format(made.format, name_);
        made.shape = numbers(item, "shape", 8);
        made.axes = text(item, "axes");
        if (made.shape.empty() || made.axes.size() != made.shape.size())
            fail("needs as many letters in \"axes\" as numbers in \"shape\"");
        for (const char c : made.axes)
            if (c < 'a' || c > 'z' || std::count(made.axes.begin(), made.axes.end(), c) != 1)
                fail("needs a letter from a to z for each axis, each once");
        if (made.elements() > most_elements) fail("has more than 67,108,864 elements");
        made.base = natural(item, "base", 0);
        if (made.base > most_bytes) fail("needs a \"base\" of at most 128 MiB");
        for (const unsigned stride : numbers(item, "strides", 8)) made.strides.push_back(stride);
        if (made.strides.empty()) made.strides = row_by_row(made.shape);
        if (made.strides.size() != made.shape.size()) fail("needs as many \"strides\" as numbers in \"shape\"");
        if (made.extent() > (std::uint64_t(1) << 30)) fail("is larger than a GiB");
        if (item.contains("initial")) made.initial = text(item, "initial");
        for (const ArraySpec& other : launch.arrays)
            if (other.name == made.name) fail(sentence("has the name ", excerpt(made.name), " of another"));
        launch.arrays.push_back(std::move(made));
    }

    std::size_t array_of(const std::string& array_name, const Launch& launch) const {
        for (std::size_t i = 0; i < launch.arrays.size(); ++i)
            if (launch.arrays[i].name == array_name) return i;
        fail(sentence("names ", excerpt(array_name), ", which is no matrix and no result of the launch"));
    }

    ArgumentSpec argument(const Json& item, const Launch& launch, std::size_t& next) const {
        using enum ArgumentSpec::Kind;
        ArgumentSpec made;
        if (!item.is_object()) fail("is no object");
        if (item.contains("matrix") || item.contains("result")) {
            made.kind = array;
            made.array = next++;
        } else if (item.contains("pointer")) {
            made.kind = pointer;
            made.array = array_of(text(item, "pointer"), launch);
            made.offset = natural(item, "offset", 0);
        } else if (item.contains("zeros")) {
            made.kind = zeros;
            made.zeros = scratch(item);
        } else if (item.contains("tensor_map")) {
            made.kind = tensor_map;
            made.array = array_of(text(item, "tensor_map"), launch);
            made.map = map_of(item, launch.arrays[made.array]);
        } else {
            made.is_hex = item.contains("hex");
            if (made.is_hex) {
                require_known(item, {"hex", "pointers"});
                made.bytes = hex(text(item, "hex"));
                for (const Json& each : list(item, "pointers"))
                    made.inner.push_back(inner_pointer(each, made.bytes.size(), launch));
            } else {
                made.bytes = scalar(item);
            }
        }
        return made;
    }

    InnerPointer inner_pointer(const Json& item, std::size_t bytes, const Launch& launch) const {
        if (!item.is_object()) fail("needs objects in \"pointers\"");
        InnerPointer made{.at = natural(item, "at", bytes), .offset = natural(item, "offset", 0)};
        const bool is_map = item.contains("tensor_map");
        is_map ? require_known(item, {"at", "tensor_map", "offset", "shape", "strides", "box", "swizzle"})
               : require_known(item, {"at", "pointer", "offset", "zeros"});
        const std::uint64_t size = is_map ? MapSpec::bytes : 8;
        if (made.at > bytes || bytes - made.at < size)
            fail(sentence("needs \"at\" of ", size, " bytes inside of \"hex\" for each ",
                          is_map ? "tensor map" : "pointer"));
        if (item.contains("zeros")) {
            made.zeros = scratch(item);
        } else {
            made.array = array_of(text(item, is_map ? "tensor_map" : "pointer"), launch);
            if (is_map) made.map = map_of(item, launch.arrays[made.array]);
        }
        return made;
    }

    /// A tensor map, as cuTensorMapEncodeTiled is asked for one.
    MapSpec map_of(const Json& item, const ArraySpec& array) const {
        MapSpec made{.offset = natural(item, "offset", array.base), .shape = numbers(item, "shape", 5), .box = {}};
        made.box = numbers(item, "box", 5);
        made.swizzle = static_cast<unsigned>(natural(item, "swizzle", 0));
        for (const unsigned stride : numbers(item, "strides", 5)) made.strides.push_back(stride);
        if (made.shape.empty()) {
            if (!made.strides.empty()) fail("needs a \"shape\" for its \"strides\"");
            made.shape = array.shape;
            made.strides = array.strides;
        }
        if (made.strides.empty()) made.strides = row_by_row(made.shape);
        if (made.box.size() != made.shape.size()) fail("needs a \"box\" of the matrix's axes");
        if (made.strides.size() != made.shape.size()) fail("needs as many \"strides\" as numbers in \"shape\"");
        if (made.swizzle != 0 && made.swizzle != 32 && made.swizzle != 64 && made.swizzle != 128)
            fail("needs 0, 32, 64 or 128 as \"swizzle\"");
        std::uint64_t last = 0; // at most 5 · 2^52
        for (std::size_t i = 0; i < made.shape.size(); ++i) last += (made.shape[i] - 1) * made.strides[i];
        if (made.offset > most_bytes || made.offset + (last + 1) * array.element > array.extent())
            fail(sentence("has a \"shape\" that ends behind ", array.name, ", which has ", array.extent(), " bytes"));
        return made;
    }

    std::uint64_t scratch(const Json& item) const {
        const std::uint64_t zeros = natural(item, "zeros", 0);
        if (zeros == 0 || zeros > most_elements) fail("needs from 1 to 67,108,864 \"zeros\"");
        return zeros;
    }

    std::vector<std::uint8_t> scalar(const Json& item) const {
        if (item.size() != 1) fail("is none of matrix, result, pointer, zeros, tensor_map, i32, i64, f32, f64, hex");
        const std::string key = item.begin().key();
        const Json& value = item.begin().value();
        if (!value.is_number()) fail(sentence("needs a number as ", excerpt(key)));
        if (key == "f32") return little_endian(std::bit_cast<std::uint32_t>(value.get<float>()), 4);
        if (key == "f64") return little_endian(std::bit_cast<std::uint64_t>(value.get<double>()), 8);
        if (key != "i32" && key != "i64")
            fail("is none of matrix, result, pointer, zeros, tensor_map, i32, i64, f32, f64, hex");
        if (!value.is_number_integer()) fail(sentence("needs a whole number as ", excerpt(key)));
        // Signed or not; of 64 bits the library has refused what is larger as no integer.
        const std::uint64_t bits = value.is_number_unsigned() ? value.get<std::uint64_t>()
                                                              : static_cast<std::uint64_t>(value.get<std::int64_t>());
        const bool fits = value.is_number_unsigned() ? bits >> 32 == 0 : value.get<std::int64_t>() >= INT32_MIN;
        if (key == "i32" && !fits) fail("needs a number of 32 bits as 'i32'");
        return little_endian(bits, key == "i32" ? 4 : 8);
    }
    std::vector<std::uint8_t> hex(const std::string& digits) const {
        std::vector<std::uint8_t> made;
        const auto digit = [&](char c) {
            const std::size_t at = std::string_view("0123456789abcdef").find(c);
            if (at == std::string_view::npos) fail("needs pairs of hexadecimal digits as \"hex\"");
            return static_cast<std::uint8_t>(at);
        };
        if (digits.size() % 2 != 0 || digits.size() > (1 << 16)) fail("needs pairs of hexadecimal digits as \"hex\"");
        for (std::size_t i = 0; i < digits.size(); i += 2)
            made.push_back(static_cast<std::uint8_t>(digit(digits[i]) * 16 + digit(digits[i + 1])));
        return made;
    }

    const std::string& name_;
    std::size_t where_ = 0; ///< the argument that is read, from 1
};

} // namespace

std::vector<std::uint8_t> little_endian(std::uint64_t bits, std::size_t bytes) {
    std::vector<std::uint8_t> made;
    for (std::size_t i = 0; i < bytes; ++i) made.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
    return made;
}

std::uint64_t ArraySpec::elements() const {
    std::uint64_t count = 1;
    for (const std::uint32_t length : shape) {
        if (count > most_elements) return count;
        count *= length;
    }
    return count;
}

std::uint64_t ArraySpec::extent() const {
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) last += (shape[i] - 1) * strides[i];
    return base + (last + 1) * element;
}

std::map<char, std::uint32_t> ArraySpec::indices_of(std::uint64_t element_index) const {
    std::map<char, std::uint32_t> indices;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        indices[axes[axis]] = static_cast<std::uint32_t>(element_index % shape[axis]);
        element_index /= shape[axis];
    }
    return indices;
}

std::uint64_t ArraySpec::offset_of(std::uint64_t element_index) const {
    std::uint64_t at = 0;
    for (std::size_t i = shape.size(); i-- > 0;) {
        at += element_index % shape[i] * strides[i];
        element_index /= shape[i];
    }
    return base + at * element;
}

Launch parse_launch(std::string_view json, const std::string& name) {
    const Json parsed = Json::parse(json, nullptr, false);
    if (parsed.is_discarded()) throw Error(name + " is no JSON");
    return Reader(name).read(parsed);
}

} // namespace discern::programs
