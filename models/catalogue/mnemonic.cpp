#include "mnemonic.hpp"

#include "models/error.hpp"
#include "models/products.hpp"
#include "models/unit/texts.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <span>
#include <string_view>

namespace discern {

namespace {

using texts::in_lower_case;
using Words = std::vector<std::string>;
using Fits = std::function<bool(const CatalogueEntry&)>;

/// What stands between dots, in lower case.
Words words_of(std::string_view text) {
    const std::string lower = in_lower_case(text);
    const auto words = texts::split(lower, '.');
    return {words.begin(), words.end()};
}

bool is_format_word(const std::string& word) { return word == "bf16" || word == "tf32" || everyday_format(word); }

/// An entry of that instruction, whatever the N of wgmma.
Fits named(const std::string& instruction) {
    return [instruction](const CatalogueEntry& entry) {
        return find_entry(entry.architecture + "/" + instruction) == &entry;
    };
}

/// "m16n8k16" of "16816": M is 16 or 8, N is 8.
std::string shape_of_digits(const std::string& digits) {
    for (const char* m : {"16", "8"}) {
        const std::string begin = std::string(m) + "8";
        if (digits.starts_with(begin) && digits.size() > begin.size())
            return std::string("m") + m + "n8k" + digits.substr(begin.size());
    }
    return "";
}

using Entries = std::vector<const CatalogueEntry*>;

/// @throws Error if they are several
const CatalogueEntry* only_one(const Entries& found, std::string_view mnemonic) {
    if (found.size() == 1) return found.front();
    constexpr std::size_t most = 12;
    std::string list;
    for (std::size_t i = 0; i < found.size() && i < most; ++i) list += (i == 0 ? "" : ", ") + found[i]->name;
    throw Error(sentence(excerpt(mnemonic, 100), " may be ", found.size(), " units: ", list,
                         found.size() > most ? ", …" : "", "; one of them is right"));
}

// ---- PTX

/// Elements that share a scale: K divided by the scales of a row.
std::string block_of(const std::string& shape, const std::string& kind, const Words& words) {
    int scales = kind == "kind::mxf4" ? 2 : 1;
    for (const std::string& word : words)
        if (word.starts_with("scale_vec::")) scales = std::max(1, std::atoi(word.c_str() + 11));
    const auto k = shape.find('k');
    return "block" + std::to_string(k == std::string::npos ? 0 : std::atoi(shape.c_str() + k + 1) / scales);
}

/// What says nothing about values in the name of a product of PTX, beside its shape, formats and scales.
constexpr std::string_view said_besides[] = {"mma", "wgmma", "mma_async", "sync", "aligned", "row", "col"};
/// How f64 is rounded, to nearest if nothing is said.
constexpr std::string_view other_roundings[] = {"rz", "rm", "rp"};

bool is_among(std::span<const std::string_view> words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32, wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16
Fits of_ptx(const Words& words) {
    Words formats;
    std::string shape, kind, rounding;
    bool has_scales = false;
    for (const std::string& word : words) {
        if (word.starts_with("m") && word.find('n') != std::string::npos && word.find('k') != std::string::npos &&
            word.size() > 5 && std::isdigit(static_cast<unsigned char>(word[1])) != 0)
            shape = word;
        else if (word.starts_with("kind::"))
            kind = word;
        else if (word == "block_scale")
            has_scales = true;
        else if (is_format_word(word))
            formats.push_back(word);
        else if (is_among(other_roundings, word))
            rounding = word;
        else if (!is_among(said_besides, word) && word != "rn" && !word.starts_with("scale_vec::"))
            return {}; // it may mean another value
    }
    if (shape.empty() || formats.empty()) return {};
    Words name = {words.front(), shape};
    if (!rounding.empty()) name.push_back(rounding);
    if (!has_scales) {
        name.insert(name.end(), formats.begin(), formats.end());
        return named(texts::joined(name, "."));
    }
    // The catalogue's name has the block in front, and leaves out c's format with operands of four bits.
    name.push_back(block_of(shape, kind, words));
    name.insert(name.end(), formats.begin(), formats.end());
    const std::string with_c = texts::joined(name, ".");
    if (name.size() > 2) name.erase(name.end() - 2);
    return [one = named(with_c), other = named(texts::joined(name, "."))](const CatalogueEntry& entry) {
        return one(entry) || other(entry);
    };
}

/// tcgen05.mma.cta_group::1.kind::f16: formats and shape are in descriptors, so that several units fit.
Fits of_tcgen05(const Words& words) {
    const auto kind = std::find_if(words.begin(), words.end(), [](const auto& w) { return w.starts_with("kind::"); });
    const std::string of = kind == words.end() ? "" : kind->substr(6);
    const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    const int block = has("block16") || has("scale_vec::4x") ? 16 : has("block32") || has("scale_vec::2x") ? 32 : 0;
    return [of, block](const CatalogueEntry& entry) {
        const Unit& unit = entry.unit;
        if (!entry.instruction.starts_with("tcgen05.mma")) return false;
        if (unit.scale && block != 0 && unit.scale->block != block) return false;
        const int width = format(unit.a).width;
        if (of == "f16") return width == 16;
        if (of == "tf32") return unit.a == FormatId::tf32;
        if (of == "f8f6f4") return width <= 8 && !unit.scale;
        if (of == "mxf8f6f4") return unit.scale && unit.K == 32;
        if (of == "mxf4")
            return unit.scale && unit.K == 64 && unit.scale->format == FormatId::e8m0 && unit.scale->block == 32;
        if (of == "mxf4nvf4") return unit.scale && unit.K == 64;
        return of.empty();
    };
}

// ---- SASS

/// HMMA.16816.F32.BF16, QMMA.16832.F32.E4M3.E5M2: the result, then the operands; f16 where none is named.
Fits of_sass(const Words& words) {
    const bool is_group = words.front().find("gmma") != std::string::npos;
    std::string shape, rounding, scale;
    int scales = words.front() == "omma" ? 2 : 1; // of a row
    Words formats;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word.find('x') != std::string::npos && std::isdigit(static_cast<unsigned char>(word.front())) != 0 &&
            word.size() > 2) {
            const auto n = word.find('x'), k = word.rfind('x');
            if (k != n)
                shape = "m" + word.substr(0, n) + "n" + word.substr(n + 1, k - n - 1) + "k" + word.substr(k + 1);
        } else if (shape.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
            shape = shape_of_digits(word);
        } else if (word == "4x" || word == "2x") {
            scales = word.front() - '0';
        } else if (word == "e8" || word.starts_with("ue")) {
            scale = word == "e8" ? "ue8m0" : word;
        } else if (is_format_word(word)) {
            formats.push_back(word);
        } else if (is_among(other_roundings, word)) {
            rounding = "." + word;
        } else if (word == "sp") {
            return {};
        }
    }
    if (shape.empty()) return {};
    if (words.front() == "dmma") return named("mma." + shape + rounding + ".f64.f64.f64.f64");
    if (formats.empty()) return {};
    const std::string d = formats.front();
    formats.erase(formats.begin());
    const bool is_volta = shape == "m8n8k4"; // HMMA.884.F32.F32: d and c, operands are f16
    if (is_volta) formats.erase(formats.begin(), formats.begin() + std::min<std::ptrdiff_t>(1, std::ssize(formats)));
    const std::string a = formats.empty() ? "f16" : formats.front(), b = formats.size() > 1 ? formats[1] : a;
    if (!scale.empty()) { // of four bits, the catalogue's name leaves out c's format
        const int K = std::atoi(shape.c_str() + shape.find('k') + 1);
        const std::string name = sentence("mma.", shape, ".block", K / scales, ".", d, ".", a, ".", b, ".");
        return [one = named(name + scale), other = named(name + d + "." + scale)](const CatalogueEntry& entry) {
            return one(entry) || other(entry);
        };
    }
    if (is_group) return named("wgmma." + shape + "." + d + "." + a + "." + b);
    return named("mma." + shape + "." + d + "." + a + "." + b + "." + d);
}

/// UTCHMMA, UTCQMMA, UTCOMMA: tcgen05.mma with operands of 16 bits or tf32, of 8 bits or fewer, and of four with
/// scales.
Fits of_utc(const Words& words) {
    return [letter = words.front()[3]](const CatalogueEntry& entry) {
        const Unit& unit = entry.unit;
        if (!entry.instruction.starts_with("tcgen05.mma")) return false;
        const int width = format(unit.a).width;
        return letter == 'h' ? width >= 16 : letter == 'o' ? unit.scale && unit.K == 64 : width <= 8 && unit.K == 32;
    };
}

// ---- AMD

/// Letters and digits alone, without what says how many lanes or which revision.
std::string plain_of_amd(std::string_view text) {
    std::string plain;
    for (const char c : in_lower_case(text))
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) plain += c;
    for (const std::string_view end : {"wave32", "wave64", "w32", "w64", "1k"})
        if (plain.ends_with(end)) plain.resize(plain.size() - end.size());
    return plain;
}

/// V_MFMA_F32_16X16X16_F16, v_mfma_f32_16x16x16f16, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32
Fits of_amd(std::string_view text) {
    std::string lower = in_lower_case(text);
    for (const std::string_view begin : {"__builtin_amdgcn_", "llvm.amdgcn."})
        if (lower.starts_with(begin)) lower = "v_" + lower.substr(begin.size());
    if (lower.ends_with("_gfx12")) lower.resize(lower.size() - 6);
    const bool is_wide = lower.ends_with("w64") || lower.ends_with("wave64"),
               is_narrow = lower.ends_with("w32") || lower.ends_with("wave32");
    return [wanted = plain_of_amd(lower), is_wide, is_narrow](const CatalogueEntry& entry) {
        const std::string& name = entry.instruction;
        if ((is_wide && name.ends_with("wave32")) || (is_narrow && name.ends_with("wave64"))) return false;
        // Of f8f6f4, the name of the entry has the formats behind the mnemonic, whose operands say them.
        return plain_of_amd(name) == wanted || plain_of_amd(name.substr(0, name.find('.'))) == wanted;
    };
}

// ---- Arm

/// Bits of an element, of which the letter stands last in the type of an operand: v1.8h, z1.h, za0.s, v2.h[1].
int width_of_arm(std::string_view operand) {
    operand = operand.substr(0, operand.find_first_of("[/"));
    const auto dot = operand.rfind('.');
    const auto end = operand.find_last_of("bhsd");
    if (dot == std::string_view::npos || end == std::string_view::npos || end < dot) return 0;
    return operand[end] == 'b' ? 8 : operand[end] == 'h' ? 16 : operand[end] == 's' ? 32 : 64;
}

/// FMOPA ZA0.S, P0/M, P1/M, Z1.H, Z2.H: the elements of the result and of the operands are said by the operands alone.
/// @return nothing if it is no instruction of Arm, or has no operands
/// @throws Error if the catalogue has none with such elements, or several: which FP8 it is, FPMR says
const CatalogueEntry* entry_of_arm(std::string_view text) {
    const auto space = text.find_first_of(" \t");
    if (space == std::string_view::npos) return nullptr;
    std::string word = in_lower_case(text.substr(0, space));
    if (word.starts_with("arm/")) word.erase(0, 4);
    const auto is_stem = [&](const CatalogueEntry& entry) {
        const std::string_view instruction = entry.instruction;
        return entry.architecture == "arm" && instruction.substr(0, instruction.find('.')) == word &&
               instruction.find(".ebf") == std::string_view::npos;
    };
    if (std::none_of(catalogue().begin(), catalogue().end(), is_stem)) return nullptr;
    const std::string operands = in_lower_case(text.substr(space));
    const int d = width_of_arm(operands.substr(0, operands.find(','))),
              a = width_of_arm(operands.substr(operands.rfind(',') + 1));
    if (d == 0 || a == 0) return nullptr; // overrides, say
    Entries found;
    for (const CatalogueEntry& entry : catalogue())
        if (is_stem(entry) && format(entry.unit.d).width == d && format(entry.unit.a).width == a)
            found.push_back(&entry);
    if (!found.empty()) return only_one(found, text);
    throw Error(sentence("there is no unit ", excerpt(text, 120), ": the catalogue has no ", word,
                         " of such elements; 'discern units' lists those that there are"));
}

// ---- x86

/// vdpbf16ps zmm0, zmm1, zmm2: an instruction with its operands.
const CatalogueEntry* entry_of_x86(std::string_view text) {
    const auto space = text.find_first_of(" \t");
    if (space == std::string_view::npos) return nullptr;
    const std::string word = in_lower_case(text.substr(0, space));
    for (const CatalogueEntry& entry : catalogue())
        if (entry.architecture == "x86" && (entry.instruction == word || entry.name == word)) return &entry;
    return nullptr;
}

// ---- all of them

/// How mnemonics of a kind begin, in lower case, and which entries they mean.
struct Kind {
    std::string_view begin;
    Fits (*fits)(const Words&);
};
constexpr Kind of_nvidia[] = {
    {"mma.sync", of_ptx},
    {"wgmma.mma_async", of_ptx},
    {"tcgen05.mma.cta", of_tcgen05},
    {"tcgen05.mma.kind", of_tcgen05},
    {"hmma.", of_sass},
    {"qmma.", of_sass},
    {"omma.", of_sass},
    {"dmma.", of_sass},
    {"hgmma.", of_sass},
    {"qgmma.", of_sass},
    {"utchmma", of_utc},
    {"utcqmma", of_utc},
    {"utcomma", of_utc},
};

constexpr std::string_view of_amd_begin[] = {"v_mfma", "v_smfmac",          "v_wmma",      "v_swmmac",
                                             "v_dot",  "__builtin_amdgcn_", "llvm.amdgcn."};

Fits fits_of(std::string_view mnemonic) {
    const std::string lower = in_lower_case(mnemonic);
    for (const Kind& kind : of_nvidia)
        if (lower.starts_with(kind.begin)) {
            const Fits fits = kind.fits(words_of(mnemonic));
            return fits ? fits : [](const CatalogueEntry&) { return false; };
        }
    for (const std::string_view begin : of_amd_begin)
        if (lower.starts_with(begin)) return of_amd(mnemonic);
    const Fits is_it = [lower](const CatalogueEntry& entry) { return in_lower_case(entry.instruction) == lower; };
    const Fits is_said_in_part = [begin =
                                      lower + "."](const CatalogueEntry& entry) { // fmopa, of which there are several
        return entry.architecture == "arm" && entry.instruction.starts_with(begin);
    };
    for (const Fits& fits : {is_it, is_said_in_part})
        if (std::any_of(catalogue().begin(), catalogue().end(), fits)) return fits;
    return {};
}

/// What stands behind operands and changes values, unless its value is 0; of AMD.
constexpr std::string_view changing[] = {"neg",  "neg_lo", "neg_hi", "op_sel", "cbsz", "abid",
                                         "blgp", "mul",    "div",    "omod",   "clamp"};

/// @throws Error if operands that were pasted behind a mnemonic say that something else is computed
void require_plain_operands(std::string_view operands) {
    const auto refuse = [](std::string_view what) {
        throw Error(sentence(excerpt(what), " behind a mnemonic changes what it computes, and no unit has that; the "
                                            "mnemonic without it is right"));
    };
    for (std::size_t at = 0; at < operands.size();) {
        const std::size_t begin = operands.find_first_not_of(" \t\r\n,;", at);
        if (begin == std::string_view::npos) return;
        at = std::min(operands.find_first_of(" \t\r\n;", begin), operands.size());
        const std::string_view word = operands.substr(begin, at - begin), name = word.substr(0, word.find(':'));
        const bool is_zero = name.size() < word.size() && word.find_first_not_of("0[],", name.size() + 1) == word.npos;
        if (is_among(changing, name) && !is_zero) refuse(word);
        if (name == "op_sel_hi" && word.find('0') != word.npos) refuse(word); // of which 1 is the default
        if (word.starts_with("-1")) refuse(word);                             // the sign of an operand of wgmma
    }
}

} // namespace

std::optional<std::string_view> mnemonic_alone(std::string_view text) {
    for (const auto look : {entry_of_arm, entry_of_x86})
        if (const CatalogueEntry* const entry = look(text)) return entry->name;
    const auto slash = std::min(text.find('/'), text.size());
    const std::size_t begin = slash == text.size() ? 0 : slash + 1;
    const std::string lower = in_lower_case(text.substr(begin));
    const auto begins = [&](std::string_view with) { return lower.starts_with(with); };
    if (std::none_of(std::begin(of_nvidia), std::end(of_nvidia),
                     [&](const Kind& kind) { return begins(kind.begin); }) &&
        std::none_of(std::begin(of_amd_begin), std::end(of_amd_begin), begins))
        return std::nullopt;
    const std::size_t end = std::min(text.find_first_of(" \t\r\n;", begin), text.size());
    const bool has_overrides = text.substr(0, end).find('{') != std::string_view::npos;
    if (has_overrides) return text;
    require_plain_operands(text.substr(end));
    return text.substr(0, end);
}

const CatalogueEntry* entry_of_mnemonic(std::string_view text) {
    const auto slash = text.find('/');
    const std::string_view before = slash == std::string_view::npos ? "" : text.substr(0, slash);
    const std::string_view mnemonic = slash == std::string_view::npos ? text : text.substr(slash + 1);
    std::string architecture;
    if (slash != std::string_view::npos) {
        const SoldProduct* const product = find_product(before);
        architecture = product != nullptr ? product->architecture : before;
        if (std::none_of(catalogue().begin(), catalogue().end(),
                         [&](const CatalogueEntry& entry) { return entry.architecture == architecture; }))
            return nullptr;
    }
    const Fits fits = fits_of(mnemonic);
    if (!fits) return nullptr;
    Entries found;
    for (const CatalogueEntry& entry : catalogue())
        if ((architecture.empty() || entry.architecture == architecture) && fits(entry)) found.push_back(&entry);
    if (found.empty() && !mnemonic_alone(mnemonic)) return nullptr; // an own name, of other architectures
    if (const std::string why = found.empty() ? why_no_product(mnemonic) : ""; !why.empty())
        throw Error(sentence("there is no unit ", excerpt(text, 120), ": ", why));
    if (found.empty())
        throw Error(sentence("there is no unit ", excerpt(text, 120), ": it is no instruction of ",
                             architecture.empty() ? "the catalogue" : architecture,
                             "; 'discern units' lists those that there are"));
    return only_one(found, mnemonic);
}

} // namespace discern
