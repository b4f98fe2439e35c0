// The C interface: each function calls the library's own and turns its exceptions into a status and a sentence.
#include "discern.h"

#include "cli/base/command.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/kernel_gemm.hpp"
#include "models/same_bits.h"
#include "models/shape.hpp"
#include "models/unit/patterns.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

using namespace discern;

struct discern_unit {
    std::string text;
    std::optional<Kernel> kernel;
    Shape shape;
    std::optional<Gemm> gemm;        ///< of a unit
    std::optional<KernelGemm> whole; ///< of a kernel

    explicit discern_unit(const char* line) : text(line) {
        if (has_schedule(text)) {
            kernel = resolve_kernel(text);
            shape = shape_of(*kernel);
            whole.emplace(*kernel);
        } else {
            const Unit unit = resolve_unit(text);
            shape = shape_of(unit);
            gemm.emplace(unit);
        }
    }
    const Unit& instruction() const { return kernel ? kernel->unit : gemm->unit(); }
    std::size_t K() const { return static_cast<std::size_t>(shape.K); }
};

namespace {

void tell(const std::string& sentence, char* message, std::size_t size) {
    if (message == nullptr || size == 0) return;
    const std::size_t length = std::min(sentence.size(), size - 1);
    std::memcpy(message, sentence.data(), length);
    message[length] = '\0';
}

/// The work's result, or `failed` with a sentence.
template <class Result, class Work>
Result told(Result failed, char* message, std::size_t size, const Work& work) {
    try {
        return work();
    } catch (const std::exception& error) {
        tell(error.what(), message, size);
    } catch (...) {
        tell("something that is no exception of the library was thrown", message, size);
    }
    return failed;
}

/// An operand of so many patterns; one that is not there for a format that the unit does not have.
Patterns operand(const char* name, const void* data, std::size_t count, const std::optional<FormatId>& id) {
    if (!id) return {};
    if (data == nullptr && count != 0)
        throw Error(
            sentence(name, " is missing; the unit reads ", counted(count, "pattern"), " of ", format(*id).name));
    return {data, count, word_bytes(*id)};
}

struct Operands {
    Patterns a, b, c, sa, sb;
};

/// The operands of a unit, checked. The counts are those of a, b, c (and d), sa and sb.
Operands operands(const discern_unit& unit, const std::array<std::size_t, 5>& counts, const void* a, const void* b,
                  const void* c, const void* sa, const void* sb) {
    const Shape& shape = unit.shape;
    const auto scale = shape.scale ? std::optional(shape.scale->format) : std::nullopt;
    const Operands all{operand("a", a, counts[0], shape.a), operand("b", b, counts[1], shape.b),
                       operand("c", c, counts[2], shape.c), operand("sa", sa, counts[3], scale),
                       operand("sb", sb, counts[4], scale)};
    require_inputs(unit.instruction(), all.a, all.b, all.c, all.sa, all.sb);
    return all;
}

MutablePatterns result(const discern_unit& unit, void* d, std::size_t count) {
    if (d == nullptr && count != 0) throw Error("d is missing: the array for the results");
    return {d, count, word_bytes(unit.shape.d)};
}

char* copy_of(const std::string& text) {
    auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy == nullptr) throw Error("there is no memory for the answer");
    std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
}

/// @return the exit status. @throws Error for what ends with status 2
int run_command(const std::vector<std::string>& words, std::string& output) {
    std::istringstream in;
    std::ostringstream out, err;
    const int status = cli::run_for({}, words, in, out, err);
    if (status == cli::status::trouble) throw Error(err.str().empty() ? words.front() + " failed" : err.str());
    output = out.str();
    return status;
}

/// Patterns as --a takes them.
std::string list_of(Patterns patterns, FormatId id) {
    std::string list;
    for (std::size_t i = 0; i < patterns.size(); ++i)
        list += (i == 0 ? "" : ",") + to_hex(format(id), pattern_at(patterns, i));
    return list;
}

} // namespace

extern "C" {

const char* discern_version(void) { return DISCERN_VERSION; }

discern_unit* discern_unit_new(const char* text, char* message, size_t size) {
    return told<discern_unit*>(nullptr, message, size, [&] {
        if (text == nullptr) throw Error("the unit's text is missing");
        return std::make_unique<discern_unit>(text).release();
    });
}

void discern_unit_free(discern_unit* unit) { delete unit; }

void discern_unit_shape(const discern_unit* unit, struct discern_shape* shape) {
    const auto bits = [](FormatId id) { return format(id).width; };
    const Shape& of = unit->shape;
    *shape = {.a_bits = bits(of.a),
              .b_bits = bits(of.b),
              .c_bits = of.c ? bits(*of.c) : 0,
              .d_bits = bits(of.d),
              .scale_bits = of.scale ? bits(of.scale->format) : 0,
              .K = of.K,
              .scale_block = of.scale ? of.scale->block : 0,
              .scales = of.scales()};
}

int discern_dots(const discern_unit* unit, size_t count, const void* a, const void* b, const void* c, const void* sa,
                 const void* sb, void* d, char* message, size_t size) {
    return told(-1, message, size, [&] {
        const std::size_t elements = count * unit->K(), scales = count * static_cast<std::size_t>(unit->shape.scales());
        const Operands all = operands(*unit, {elements, elements, count, scales, scales}, a, b, c, sa, sb);
        const MutablePatterns into = result(*unit, d, count);
        if (unit->gemm) {
            unit->gemm->dots(count, all.a, all.b, all.c, into, all.sa, all.sb);
            return 0;
        }
        const KernelEvaluator evaluate(*unit->kernel);
        const std::size_t K = unit->K(), each = static_cast<std::size_t>(unit->shape.scales());
        for (std::size_t i = 0; i < count; ++i) {
            const auto row = [i](Patterns of, std::size_t length) { return patterns_at(of, i * length, length); };
            const auto row_a = row(all.a, K), row_b = row(all.b, K), row_sa = row(all.sa, each),
                       row_sb = row(all.sb, each);
            const std::uint64_t bits = evaluate(
                {.a = row_a, .b = row_b, .sa = row_sa, .sb = row_sb, .c = unit->shape.c ? pattern_at(all.c, i) : 0});
            std::memcpy(static_cast<std::byte*>(into.data()) + i * into.word(), &bits, into.word());
        }
        return 0;
    });
}

int discern_gemm(const discern_unit* unit, size_t m, size_t n, size_t k, const void* a, const void* b, const void* c,
                 const void* sa, const void* sb, void* d, char* message, size_t size) {
    return told(-1, message, size, [&] {
        if (unit->whole && k != unit->K())
            throw Error(sentence("the kernel computes products of k = ", unit->K(), ", and k is ", k));
        const std::size_t block = unit->shape.scale ? static_cast<std::size_t>(unit->shape.scale->block) : 1;
        const std::size_t scales = unit->shape.scale ? (k + block - 1) / block : 0;
        const Operands all = operands(*unit, {m * k, k * n, m * n, m * scales, scales * n}, a, b, c, sa, sb);
        const MutablePatterns into = result(*unit, d, m * n);
        const GemmSize whole{.m = m, .n = n, .k = k};
        if (unit->whole)
            (*unit->whole)(whole, all.a, all.b, all.c, into, all.sa, all.sb);
        else
            (*unit->gemm)(whole, all.a, all.b, all.c, into, all.sa, all.sb);
        return 0;
    });
}

char* discern_explain(const discern_unit* unit, const void* a, const void* b, const void* c, const void* sa,
                      const void* sb, char* message, size_t size) {
    return told<char*>(nullptr, message, size, [&] {
        const Shape& shape = unit->shape;
        const auto scales = static_cast<std::size_t>(shape.scales());
        const Operands all = operands(*unit, {unit->K(), unit->K(), 1, scales, scales}, a, b, c, sa, sb);
        std::vector<std::string> words{"explain", unit->text, "--json"};
        const auto add = [&words](const char* option, Patterns patterns, FormatId id) {
            words.insert(words.end(), {option, list_of(patterns, id)});
        };
        add("--a", all.a, shape.a);
        add("--b", all.b, shape.b);
        if (shape.c) add("--c", all.c, *shape.c);
        if (shape.scale) add("--sa", all.sa, shape.scale->format);
        if (shape.scale) add("--sb", all.sb, shape.scale->format);
        std::string output;
        run_command(words, output);
        return copy_of(output);
    });
}

int discern_command(const char* const* words, size_t count, char** output, char* message, size_t size) {
    if (output != nullptr) *output = nullptr;
    return told(2, message, size, [&] {
        if (output == nullptr || words == nullptr)
            throw Error("the words of a command, and a place for what it prints, are missing");
        std::string text;
        const int status = run_command({words, words + count}, text);
        *output = copy_of(text);
        return status;
    });
}

void discern_free(char* text) { std::free(text); }

} // extern "C"
