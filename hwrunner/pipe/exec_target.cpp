// Any program as a target: vectors go to its standard input, a line each, and answers come back in order.
//
// docs/targets.md is the protocol. At most `ahead` vectors are under way, and a peer that waits for one answer before
// it reads the next is as right as one that does not.
#include "hwrunner/makers.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"
#include "peer.hpp"
#include "side_by_side.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>

namespace discern {

namespace {

constexpr std::size_t ahead = 64;               ///< vectors under way
constexpr std::size_t longest_answer = 1 << 16; ///< bytes without a line end

constexpr std::string_view right_answer = R"(an answer is a line {"d":"3f800000"} or {"error":"…"})";

/// The one string of that name, if the object has it.
const std::string* string_field(const nlohmann::json& object, const char* field) {
    const auto found = object.find(field);
    return found == object.end() ? nullptr : found->get_ptr<const std::string*>();
}

class ExecTarget final : public Target {
  public:
    ExecTarget(const std::string& command, const TargetOptions& options)
        : shape_(options.shape.value()), peer_(command, options, header_of(shape_)), streak_(peer_.name()) {}

    const Shape& shape() const override { return shape_; }
    Identity identity() const override { return peer_.identity(); }

    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override {
        peer_.require_alive();
        peer_.owes();
        std::size_t queued = 0, answered = 0;
        while (answered < batch.size()) {
            for (; queued < batch.size() && queued - answered < ahead; ++queued) queue(batch[queued]);
            const std::size_t lines = take_answers(batch.size() - answered, answers);
            answered += lines;
            if (lines > 0)
                peer_.owes();
            else
                peer_.talk({.what = "vector", .answered = answered_});
        }
    }

  private:
    static std::string header_of(const Shape& shape) {
        Header header;
        header.shape = shape;
        return to_json(header);
    }
    /// Appends a vector's line to what is to be sent.
    void queue(const Inputs& inputs) {
        line_.a.assign(inputs.a.begin(), inputs.a.end());
        line_.b.assign(inputs.b.begin(), inputs.b.end());
        line_.sa.assign(inputs.sa.begin(), inputs.sa.end());
        line_.sb.assign(inputs.sb.begin(), inputs.sb.end());
        line_.c = shape_.c ? std::optional(inputs.c) : std::nullopt;
        peer_.send(to_json(shape_, line_) + "\n");
        ++asked_;
    }

    /// Moves whole lines from what was received to the answers. @return how many
    std::size_t take_answers(std::size_t most, std::vector<TargetAnswer>& answers) {
        std::size_t taken = 0, begin = 0;
        for (; taken < most; ++taken) {
            const std::size_t end = peer_.received.find('\n', begin);
            if (end == std::string::npos) break;
            std::string_view line = std::string_view(peer_.received).substr(begin, end - begin);
            if (line.ends_with('\r')) line.remove_suffix(1);
            if (answered_ == sent()) fail_answer("answered ", line, " before it was asked");
            answers.push_back(answer(line));
            ++answered_;
            begin = end + 1;
            note(answers.back());
        }
        peer_.received.erase(0, begin);
        if (peer_.received.size() > longest_answer)
            fail_answer("gave ", peer_.received, ", which goes on without a line end");
        return taken;
    }

    /// Vectors whose lines it has been sent whole.
    std::uint64_t sent() const {
        const std::string_view unsent = peer_.unsent();
        const auto unsent_lines = static_cast<std::uint64_t>(std::count(unsent.begin(), unsent.end(), '\n'));
        return asked_ - std::min(asked_, unsent_lines);
    }

    TargetAnswer answer(std::string_view line) {
        std::set<std::string> keys;
        std::string twice;
        const auto note_key = [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& key) {
            if (depth == 1 && event == nlohmann::json::parse_event_t::key && !keys.insert(key).second) twice = key;
            return true;
        };
        const nlohmann::json object = nlohmann::json::parse(line.begin(), line.end(), note_key, false);
        if (!object.is_object()) fail_answer("answered ", line, "");
        if (!twice.empty()) fail_answer("answered ", line, sentence(", which has ", excerpt(twice, 20), " twice"));
        const std::string* d = string_field(object, "d");
        const std::string* error = string_field(object, "error");
        if ((d == nullptr) == (error == nullptr)) fail_answer("answered ", line, "");
        if (error != nullptr) return {.d = 0, .error = error->empty() ? "no reason given" : *error};
        const Format& format = discern::format(shape_.d);
        const auto bits = parse_pattern(format, *d);
        if (!bits) fail_answer("answered ", line, sentence(", whose d ", pattern_complaint(format, *d)));
        const std::string* flags = string_field(object, "flags");
        if (flags == nullptr) return {.d = *bits};
        const auto raised = flags_of_digits(*flags);
        if (!raised)
            fail_answer("answered ", line, sentence(", whose flags are ", excerpt(*flags, 20), "; ", right_flags));
        return {.d = *bits, .flags = raised};
    }

    void note(const TargetAnswer& answer) {
        try {
            streak_.count(answer);
        } catch (const Error& error) {
            peer_.fail(error.what());
        }
    }

    [[noreturn]] void fail_answer(std::string_view verb, std::string_view line, std::string_view remark) {
        peer_.fail(sentence(peer_.name(), " ", verb, excerpt(line, 80), remark, " (vector ", answered_ + 1, "); ",
                            right_answer));
    }

    Shape shape_;
    PipePeer peer_;
    FailureStreak streak_;
    std::uint64_t asked_ = 0, answered_ = 0; ///< of all batches
    Vector line_;
};

} // namespace

std::unique_ptr<Target> make_exec(const std::string& command, const TargetOptions& options) {
    const auto start = [command, options]() -> std::unique_ptr<Target> {
        return std::make_unique<ExecTarget>(command, options);
    };
    if (options.programs < 2) return start();
    return std::make_unique<SideBySide>(start, options.programs);
}

} // namespace discern
