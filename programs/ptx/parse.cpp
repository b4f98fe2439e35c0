#include "parse.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "names.hpp"
#include "tokens.hpp"

#include <charconv>
#include <map>

namespace discern::programs {

namespace {

constexpr std::uint64_t largest_variable = std::uint64_t(64) << 20;
constexpr int deepest = 100;

/// What stands before a variable's name.
struct Declared {
    std::string_view type;
    unsigned alignment = 0;
};

class Parser {
  public:
    Parser(Program& program, std::string_view entry) : program_(program), names_(program), wanted_(entry) {
        tokens_ = tokens_of(program.source, program.file);
    }

    void run() {
        choose_entry();
        while (!now().text.empty()) top_level();
        if (program_.sm == 0) throw Error(program_.file + ": .target sm_… is missing");
        names_.finish();
        if (program_.code.empty())
            throw Error(sentence(program_.file, ": the entry ", program_.entry, " has no instruction"));
    }

  private:
    const Token& now() const { return tokens_[at_]; }
    const Token& next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
    bool take(std::string_view text) {
        if (!(now() == text)) return false;
        next();
        return true;
    }
    [[noreturn]] void fail(std::string_view why) const {
        throw Error(sentence(program_.file, ":", now().line, ": ", why));
    }
    void expect(std::string_view text) {
        if (!take(text)) fail(sentence("'", text, "' is expected before ", excerpt(now().text)));
    }
    std::string_view word(std::string_view what) {
        if (!now().is_word()) fail(sentence(what, " is expected before ", excerpt(now().text)));
        return next().text;
    }
    std::uint64_t number(std::string_view what) {
        const auto value = immediate_of(word(what));
        if (!value) fail(sentence(what, " is expected before ", excerpt(now().text)));
        return *value;
    }
    void skip_line() {
        for (const int line = now().line; now().line == line && !now().text.empty();) next();
    }
    /// Over what is in braces, from the opening one.
    void skip_braces() {
        const Token& opening = now();
        expect("{");
        for (int depth = 1; depth > 0;) {
            const Token& token = next();
            if (token.text.empty())
                throw Error(sentence(program_.file, ":", opening.line, ": no } ends what begins here"));
            depth += (token == "{") - (token == "}");
        }
    }

    void choose_entry() {
        std::vector<std::string_view> entries;
        for (std::size_t i = 0; i + 1 < tokens_.size(); ++i)
            if (tokens_[i] == ".entry") entries.push_back(tokens_[i + 1].text);
        if (entries.empty()) throw Error(program_.file + " has no .entry, so it has no kernel");
        std::string list;
        for (const std::string_view name : entries) {
            list += (list.empty() ? "" : ", ") + std::string(name);
            if (name == wanted_ || (wanted_.empty() && entries.size() == 1)) program_.entry = name;
        }
        if (program_.entry.empty())
            throw Error(sentence(program_.file,
                                 wanted_.empty() ? " has several entries, and the launch names none"
                                                 : sentence(" has no entry ", excerpt(wanted_)),
                                 "; \"entry\" may be one of ", list));
    }

    void top_level() {
        using Read = void (Parser::*)();
        static const std::map<std::string_view, Read> directives = {
            {".version", &Parser::skip_line},    {".address_size", &Parser::skip_line},
            {".file", &Parser::skip_line},       {".loc", &Parser::skip_line},
            {".target", &Parser::target},        {".section", &Parser::section},
            {".visible", &Parser::skip},         {".weak", &Parser::skip},
            {".extern", &Parser::skip},          {".common", &Parser::skip},
            {".entry", &Parser::entry},          {".func", &Parser::function},
            {".shared", &Parser::variable},      {".global", &Parser::variable},
            {".const", &Parser::variable},       {".pragma", &Parser::skip_statement},
            {".alias", &Parser::skip_statement},
        };
        const auto found = directives.find(now().text);
        if (found == directives.end()) fail(sentence(excerpt(now().text), " is not read outside of an entry"));
        (this->*found->second)();
    }
    void skip() { next(); }
    void skip_statement() {
        while (!now().text.empty() && !take(";")) next();
    }
    void section() {
        while (!(now() == "{") && !now().text.empty()) next();
        skip_braces();
    }
    void target() {
        const int line = next().line;
        const std::string_view name = word("a target");
        if (!name.starts_with("sm_")) fail(sentence(excerpt(name), " is no target; sm_80 is one"));
        std::from_chars(name.data() + 3, name.data() + name.size(), program_.sm);
        while (now().line == line && !now().text.empty()) next();
    }
    void function() {
        while (!(now() == "{") && !(now() == ";") && !now().text.empty()) next();
        if (!take(";")) skip_braces();
    }

    /// `.align 16 .b8`, with what else may stand there.
    Declared declared() {
        Declared is;
        for (;;) {
            const std::string_view text = now().text;
            if (take(".align")) {
                is.alignment = static_cast<unsigned>(number("an alignment"));
            } else if (text == ".ptr" || text == ".global" || text == ".shared" || text == ".const" ||
                       text == ".local" || text == ".v2" || text == ".v4" || text == ".param") {
                next();
            } else if (text.starts_with(".") && bytes_of_type(text.substr(1))) {
                is.type = next().text.substr(1);
            } else {
                return is;
            }
        }
    }
    /// The bytes of `name[4][8]`, behind the name.
    std::uint64_t extent(std::string_view type, bool& is_open) {
        std::uint64_t bytes = bytes_of_type(type).value_or(0);
        while (take("[")) {
            if (now() == "]")
                is_open = true;
            else
                bytes *= number("a size");
            if (bytes > largest_variable) fail("a variable of more than 64 MiB is not read");
            expect("]");
        }
        return bytes;
    }

    void variable() {
        const std::string_view directive = next().text;
        const Space space = directive == ".shared"                           ? Space::shared
                            : directive == ".local" || directive == ".param" ? Space::local
                                                                             : Space::constant;
        const Declared is = declared();
        do {
            bool is_open = false;
            Variable made;
            made.name = word("a name");
            made.space = space;
            made.bytes = extent(is.type, is_open);
            if (is_open) made.bytes = 0;
            if (is.alignment != 0) made.alignment = is.alignment;
            if (take("=")) initial(made, is.type);
            names_.declare_variable(std::move(made));
        } while (take(","));
        expect(";");
    }

    void initial(Variable& made, std::string_view type) {
        const unsigned bytes = bytes_of_type(type).value_or(1);
        const bool is_list = take("{");
        do {
            const bool negative = take("-");
            const auto value = immediate_of(word("a number"));
            if (!value) fail("only numbers are read as values of a variable");
            const std::uint64_t bits = negative ? 0 - *value : *value;
            for (unsigned i = 0; i < bytes; ++i)
                made.initial.push_back(static_cast<std::uint8_t>(bits >> (8 * (i & 7))));
        } while (is_list && take(","));
        if (is_list) expect("}");
        if (made.initial.size() > made.bytes) fail("a variable has more values than elements");
        made.initial.resize(made.bytes);
    }

    void entry() {
        next();
        const bool is_chosen = word("a name") == program_.entry && !has_entry_;
        if (take("(")) {
            while (!take(")")) {
                const Declared is = declared();
                const std::string_view name = word("a parameter");
                bool is_open = false;
                const std::uint64_t bytes = extent(is.type, is_open);
                if (is_chosen) names_.declare_parameter({name, bytes});
                if (!take(",") && !(now() == ")")) fail("',' or ')' is expected behind a parameter");
            }
        }
        while (!(now() == "{")) {
            if (!now().text.starts_with(".")) fail(sentence("{ is expected before ", excerpt(now().text)));
            const std::string_view directive = next().text;
            std::vector<unsigned> numbers;
            while (now().is_word() && !now().text.starts_with(".")) {
                numbers.push_back(static_cast<unsigned>(number("a number")));
                take(",");
            }
            if (is_chosen && (directive == ".reqntid" || (directive == ".maxntid" && program_.block.empty())))
                program_.block = numbers;
            if (is_chosen && directive == ".reqnctapercluster") program_.cluster = numbers;
        }
        if (!is_chosen) return skip_braces();
        has_entry_ = true;
        body();
    }

    void body() {
        const int line = now().line;
        expect("{");
        int depth = 1;
        while (depth > 0) {
            if (now().text.empty()) throw Error(sentence(program_.file, ":", line, ": no } ends what begins here"));
            if (take(";")) continue;
            if (take("{")) {
                if (++depth > deepest) fail("braces are nested too deeply");
                names_.open();
            } else if (take("}")) {
                --depth;
                if (depth > 0) names_.close();
            } else if (now().is_word() && tokens_[at_ + 1] == ":") {
                names_.declare_label(next().text);
                next();
            } else {
                statement();
            }
        }
    }

    void statement() {
        const std::string_view text = now().text;
        if (text == ".reg") return registers();
        if (text == ".shared" || text == ".local" || text == ".param") return variable(); // .param: of a call
        if (text == ".loc" || text == ".file") return skip_line();
        if (text == ".pragma") return skip_statement();
        if (text == ".branchtargets") return branch_targets();
        if (text.starts_with(".")) fail(sentence(excerpt(text), " is not read inside of an entry"));
        instruction();
    }

    void registers() {
        next();
        const Declared is = declared();
        const unsigned bytes = bytes_of_type(is.type).value_or(0);
        do {
            const std::string_view name = word("a register");
            std::uint64_t count = 0;
            if (take("<")) {
                count = number("a count");
                expect(">");
            }
            if (!names_.declare_registers(name, bytes, count)) fail("there are more than a million registers");
        } while (take(","));
        expect(";");
    }

    void branch_targets() {
        next();
        std::vector<std::string_view> labels;
        do labels.push_back(word("a label"));
        while (take(","));
        expect(";");
        names_.declare_table(std::move(labels));
    }

    void instruction() {
        Instruction made;
        made.line = now().line;
        const std::size_t start = now().at;
        if (take("@")) {
            made.guard_is_negated = take("!");
            const Atom guard = names_.atom(word("a predicate"));
            if (guard.kind != Atom::Kind::reg) fail(sentence(excerpt(guard.text), " is no register"));
            made.guard = guard.index;
        }
        made.opcode = word("an instruction");
        for (std::size_t from = 0; from <= made.opcode.size();) {
            const std::size_t end = std::min(made.opcode.find('.', from), made.opcode.size());
            made.parts.push_back(made.opcode.substr(from, end - from));
            from = end + 1;
        }
        names_.begin(made.parts[0]);
        if (made.parts[0] == "call") { // refused where it is run: assertions call
            while (!(now() == ";") && !now().text.empty()) next();
        } else if (!(now() == ";")) {
            do made.operands.push_back(operand());
            while (take(","));
        }
        made.text = std::string_view(program_.source).substr(start, now().at - start);
        expect(";");
        names_.add(std::move(made));
    }

    Atom atom() {
        const bool negative = take("-");
        const std::string_view text = word("an operand");
        Atom found = names_.atom(text);
        if (negative && found.kind != Atom::Kind::immediate) fail(sentence("- stands before ", excerpt(text)));
        if (negative) found.value = 0 - found.value;
        return found;
    }

    void list(Operand& made) {
        while (!take("}")) {
            made.atoms.push_back(atom());
            if (!take(",") && !(now() == "}")) fail("',' or '}' is expected in a list");
        }
    }

    Operand operand() {
        Operand made;
        if (take("{")) {
            made.form = Operand::Form::list;
            list(made);
            return made;
        }
        if (take("[")) {
            made.form = Operand::Form::address;
            made.atoms.push_back(atom());
            while (now() == "+" || now() == "-") {
                const bool negative = next() == "-";
                const auto value = static_cast<std::int64_t>(atom().value);
                made.offset += negative ? -value : value;
            }
            if (take(",")) {
                expect("{");
                list(made);
            }
            expect("]");
            return made;
        }
        made.is_negated = take("!");
        made.atoms.push_back(atom());
        if (take("|")) made.second = atom();
        if (now() == "+") {
            next();
            made.atoms[0].value += atom().value;
        }
        return made;
    }

    Program& program_;
    Names names_;
    std::string_view wanted_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    bool has_entry_ = false;
};

} // namespace

std::unique_ptr<const Program> parse_ptx(std::string text, std::string file, std::string_view entry) {
    auto program = std::make_unique<Program>();
    program->file = std::move(file);
    program->source = std::move(text);
    Parser(*program, entry).run();
    return program;
}

} // namespace discern::programs
