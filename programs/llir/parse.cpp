// A file of LLVM IR: what stands outside of functions, and the kernel that is asked for.
#include "instructions.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/ptx/program.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace discern::programs::llir {

namespace {

constexpr std::size_t most_instructions = 1 << 20;

/// What of a function's attributes counts.
struct Attributes {
    std::string_view threads, target, subnormals, subnormals_of_f32;
    void read(std::string_view key, std::string_view value) {
        if (key == "\"amdgpu-flat-work-group-size\"") threads = value;
        if (key == "\"target-cpu\"") target = value;
        if (key == "\"denormal-fp-math\"") subnormals = value;
        if (key == "\"denormal-fp-math-f32\"") subnormals_of_f32 = value;
    }
};

/// What stands before a colon at the beginning of a line: names, unlike words elsewhere, may have a minus.
std::string_view label_of(std::string_view text) {
    std::size_t end = 0;
    if (text.starts_with("\""))
        end = text.find('"', 1) == std::string_view::npos ? 0 : text.find('"', 1) + 1;
    else
        while (end < text.size() && (is_name(text[end]) || text[end] == '-')) ++end;
    return end < text.size() && text[end] == ':' ? text.substr(0, end) : std::string_view();
}

std::string_view unquoted(std::string_view text) { return text.size() < 2 ? text : text.substr(1, text.size() - 2); }

class Parser {
  public:
    Parser(Module& module, std::string_view wanted)
        : module_(module), wanted_(wanted), types_(module), operands_(module, types_) {}

    void run() {
        if (module_.source.size() > longest_llir) throw Error(sentence(module_.file, ": it has more than 64 MiB"));
        if (module_.source.find('\0') != std::string::npos)
            throw Error(sentence(module_.file, ": this is no LLVM IR, which is text"));
        const std::string_view source = module_.source;
        std::size_t kernel = std::string_view::npos;
        int kernel_line = 0;
        bool is_inside = false;
        for (std::size_t from = 0; from < source.size(); ++line_) {
            const std::size_t end = std::min(source.find('\n', from), source.size());
            const std::string_view text = source.substr(from, end - from);
            guarded(text, [&] {
                if (is_inside) {
                    is_inside = !text.starts_with("}");
                } else if (text.starts_with("define")) {
                    is_inside = true;
                    if (is_wanted(text)) {
                        kernel = from;
                        kernel_line = line_;
                    }
                } else {
                    top(text);
                }
            });
            from = end + 1;
        }
        if (kernels_.empty())
            throw Error(sentence(module_.file, ": it has no kernel, no function that is amdgpu_kernel"));
        if (kernel == std::string_view::npos)
            throw Error(sentence(module_.file, ": it has no kernel ", excerpt(wanted_), "; ", listed(),
                                 kernels_.size() == 1 ? " is there" : " are there"));
        if (wanted_.empty() && kernels_.size() > 1)
            throw Error(
                sentence(module_.file, ": it has several kernels; \"entry\" of the launch must be one of ", listed()));
        line_ = kernel_line;
        define(kernel);
    }

  private:
    template <typename Do>
    void guarded(std::string_view text, const Do& act) {
        try {
            act();
        } catch (const Error& error) {
            const std::string_view what = error.what();
            if (what.starts_with(module_.file + ":")) throw;
            Instruction at;
            at.text = text;
            at.line = line_;
            throw Error(refusal(module_, at, what));
        }
    }

    std::string listed() const {
        std::string text;
        for (std::size_t i = 0; i < std::min<std::size_t>(kernels_.size(), 8); ++i)
            text += (i == 0 ? "" : ", ") + excerpt(kernels_[i]);
        return text + (kernels_.size() > 8 ? ", …" : "");
    }

    /// Whether a function is the kernel that is read.
    bool is_wanted(std::string_view text) {
        Line line(text);
        bool is_kernel = false;
        while (!line.at_end() && !line.peek().starts_with("@")) is_kernel |= line.next() == "amdgpu_kernel";
        std::string_view name = line.next().substr(1);
        if (name.starts_with("\"")) name = unquoted(name);
        if (!is_kernel) return false;
        kernels_.push_back(name);
        return wanted_.empty() ? kernels_.size() == 1 : name == wanted_;
    }

    void top(std::string_view text) {
        if (text.find_first_not_of(" \t\r") == std::string_view::npos || text[0] == ';' || text[0] == '!') return;
        if (text.starts_with("declare") || text.starts_with("source_filename") || text.starts_with("uselistorder") ||
            text[0] == '$' || text[0] == '^')
            return;
        Line line(text);
        const std::string_view word = line.next();
        if (word == "target") {
            const bool is_triple = line.next() == "triple";
            line.expect("=");
            if (is_triple) triple(unquoted(line.next()));
        } else if (word == "attributes") {
            const std::string_view name = line.next();
            line.expect("=");
            line.expect("{");
            read_attributes(line, groups_[name]);
        } else if (word.starts_with("%")) {
            line.expect("=");
            line.expect("type");
            if (!line.take("opaque")) types_.name(word, types_.read(line));
        } else if (word.starts_with("@")) {
            global(word, line);
        } else {
            throw Error(sentence(excerpt(word), " is not read here"));
        }
    }

    /// amdgcn-amd-amdhsa, or amdgpu9.42-amd-amdhsa, which names the target.
    void triple(std::string_view text) {
        const std::string_view machine = text.substr(0, text.find('-'));
        if (!machine.starts_with("amdgcn") && !machine.starts_with("amdgpu"))
            throw Error(sentence("the target ", excerpt(text),
                                 " is not AMD's; kernels of NVIDIA's are read from PTX, as ptx:FILE"));
        if (!machine.starts_with("amdgpu") || machine.size() == 6) return;
        module_.target = "gfx";
        for (const char c : machine.substr(6))
            if (c != '.') module_.target += c;
    }

    static void read_attributes(Line& line, Attributes& into) {
        while (!line.at_end() && line.peek() != "}") {
            const std::string_view key = line.next();
            if (line.take("=")) into.read(key, unquoted(line.next()));
        }
    }

    void global(std::string_view name, Line& line) {
        Global made{.name = name};
        line.expect("=");
        while (line.peek() != "global" && line.peek() != "constant") {
            if (line.at_end()) return; // an alias, which only functions outside of kernels use
            if (line.next() != "addrspace") continue;
            made.space = line.natural_in_parentheses("an address space", 8);
        }
        made.is_constant = line.next() == "constant";
        made.type = types_.read(line);
        // Of what the compiler keeps for itself nothing is asked.
        const bool has_value = !line.at_end() && line.peek() != ",";
        if (has_value && made.is_constant) {
            try {
                made.codes = operands_.read(line, made.type).codes;
            } catch (const Error&) { // addresses, and what is too long: no kernel that is read needs it
                made.codes.clear();
            }
        }
        while (!line.at_end())
            if (line.next() == "align") made.alignment = line.natural("an alignment", 1 << 20);
        operands_.add_global(name, static_cast<std::uint32_t>(module_.globals.size()));
        module_.globals.push_back(std::move(made));
    }

    void define(std::size_t from) {
        const std::string_view source = module_.source;
        std::size_t end = std::min(source.find('\n', from), source.size());
        guarded(source.substr(from, end - from), [&] { header(Line(source.substr(from, end - from))); });
        std::set<std::string_view> defined;
        for (;;) {
            from = end + 1;
            ++line_;
            if (from >= source.size())
                throw Error(sentence(module_.file, ": the kernel ", excerpt(module_.entry), " does not end"));
            end = std::min(source.find('\n', from), source.size());
            std::string_view text = source.substr(from, end - from);
            if (text.starts_with("}")) break;
            int more = 0;
            if (text.find(" switch ") != std::string_view::npos || text.starts_with("switch "))
                while (text.find(']') == std::string_view::npos && end < source.size()) { // its cases are a line each
                    end = std::min(source.find('\n', end + 1), source.size());
                    text = source.substr(from, end - from);
                    ++more;
                }
            guarded(text, [&] { statement(text, defined); });
            line_ += more;
        }
        if (module_.blocks.empty())
            throw Error(sentence(module_.file, ": the kernel ", excerpt(module_.entry), " has no instructions"));
        module_.blocks.back().end = module_.code.size();
        guarded("", [&] {
            operands_.require_all_defined();
            for (const auto& [name, number] : labels_)
                if (!order_[number]) throw Error(sentence("there is no block ", excerpt(name)));
        });
        renumber();
    }

    void header(Line line) {
        while (!line.peek().starts_with("@")) line.next();
        std::string_view name = line.next().substr(1);
        module_.entry = name.starts_with("\"") ? unquoted(name) : name;
        line.expect("(");
        std::uint64_t unnamed = 0;
        while (!line.take(")")) {
            if (!module_.parameters.empty()) line.expect(",");
            const Type* type = types_.read(line);
            const Type* by_reference = skip_attributes(line, types_);
            std::string_view own = line.peek().starts_with("%") ? line.next() : std::string_view();
            if (own.empty()) own = numbered(unnamed);
            if (own == numbered(unnamed)) ++unnamed;
            module_.parameters.push_back({type, operands_.define(own, type), by_reference});
        }
        entry_block_ = numbered(unnamed);
        Attributes attributes;
        while (!line.at_end() && line.peek() != "{") {
            const std::string_view word = line.next();
            if (word.starts_with("#") && groups_.contains(word)) attributes = groups_[word];
            if (line.peek() == "=" && word.starts_with("\"")) {
                line.next();
                attributes.read(word, unquoted(line.next()));
            }
        }
        if (!attributes.target.empty()) module_.target = attributes.target;
        const std::size_t comma = attributes.threads.find(',');
        if (comma != std::string_view::npos) {
            Line most(attributes.threads.substr(comma + 1));
            module_.most_threads = most.natural("the number of threads", 1 << 20);
        }
        const std::string_view subnormals =
            attributes.subnormals_of_f32.empty() ? attributes.subnormals : attributes.subnormals_of_f32;
        if (subnormals.starts_with("preserve-sign"))
            module_.flushes_subnormals = true;
        else if (!subnormals.empty() && !subnormals.starts_with("ieee"))
            throw Error(sentence("\"denormal-fp-math\"=", excerpt(subnormals), " is not read"));
        if (!attributes.subnormals.empty() && !attributes.subnormals.starts_with("ieee"))
            throw Error("subnormal numbers of f16 that are flushed are not read");
    }

    std::string_view numbered(std::uint64_t number) { return *kept_.insert("%" + std::to_string(number)).first; }

    void statement(std::string_view text, std::set<std::string_view>& defined) {
        const std::string_view label = label_of(text);
        const bool is_label = !label.empty();
        Line line(is_label ? text.substr(label.size() + 1) : text);
        if (line.at_end() && !is_label) return;
        if (is_label && !line.at_end()) throw Error("something stands behind a label");
        if (is_label || module_.blocks.empty()) {
            std::string_view name = entry_block_;
            if (is_label) name = *kept_.insert("%" + std::string(label)).first;
            if (!defined.insert(name).second) throw Error(sentence("the block ", excerpt(name), " stands twice"));
            if (!module_.blocks.empty()) module_.blocks.back().end = module_.code.size();
            const std::uint32_t number = block(name);
            order_[number] = static_cast<std::uint32_t>(module_.blocks.size());
            module_.blocks.push_back({name, module_.code.size(), 0});
            if (is_label) return;
        }
        if (line.peek() == "#dbg_value" || line.peek() == "#dbg_declare" || line.peek() == "#dbg_label") return;
        if (module_.code.size() >= most_instructions) throw Error("the kernel has more than 1,048,576 instructions");
        Instruction made;
        made.text = text;
        made.line = line_;
        Reading reading{line, types_, operands_, [this](std::string_view name) { return block(name); }, made};
        read_instruction(reading);
        module_.code.push_back(std::move(made));
    }

    /// The number of a label in the order in which labels are met.
    std::uint32_t block(std::string_view name) {
        if (!name.starts_with("%")) throw Error(sentence(excerpt(name), " is no label"));
        const auto [found, is_new] = labels_.try_emplace(name, static_cast<std::uint32_t>(labels_.size()));
        if (is_new) order_.emplace_back();
        return found->second;
    }

    /// Blocks have the numbers of their places.
    void renumber() {
        for (Instruction& at : module_.code)
            if (at.name == "br" || at.name == "switch" || at.name == "phi")
                for (std::uint32_t& number : at.numbers) number = *order_[number];
    }

    Module& module_;
    std::string_view wanted_;
    Types types_;
    Operands operands_;
    int line_ = 1;
    std::vector<std::string_view> kernels_;
    std::map<std::string_view, Attributes> groups_;
    std::map<std::string_view, std::uint32_t> labels_;
    std::vector<std::optional<std::uint32_t>> order_; ///< of each label: the place of its block
    std::set<std::string> kept_;                      ///< names that the file does not write
    std::string_view entry_block_;
};

} // namespace

std::string refusal(const Module& module, const Instruction& at, std::string_view why) {
    return programs::refusal(module.file, at.line, at.text.substr(0, at.text.find_last_not_of(" \t\n\r") + 1), why);
}

std::unique_ptr<const Module> parse_llir(std::string text, std::string file, std::string_view entry) {
    auto module = std::make_unique<Module>();
    module->file = std::move(file);
    module->source = std::move(text);
    Parser(*module, entry).run();
    return module;
}

} // namespace discern::programs::llir
