// Any program as a target: vectors go to its standard input, a line each, and answers come back in order.
//
// docs/targets.md is the protocol. What is written here so that nobody waits for anybody: reading and writing happen
// when the pipes are ready, at most `ahead` vectors are under way, and a peer that is silent while it owes an answer is
// given up after a while.
#include "makers.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"
#include "process/child_process.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace discern {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t ahead = 64;                 ///< vectors under way
constexpr std::size_t longest_answer = 1 << 16;   ///< bytes without a line end
constexpr milliseconds one_wait{100};             ///< between two looks at the clock
constexpr milliseconds for_last_words{500};       ///< of a target that has closed its output
constexpr double longest_timeout = 365.0 * 86400; ///< beyond it, the same

constexpr std::string_view right_answer = R"(an answer is a line {"d":"3f800000"} or {"error":"…"})";

/// The one string of that name, if the object has it.
const std::string* string_field(const nlohmann::json& object, const char* field) {
    const auto found = object.find(field);
    return found == object.end() ? nullptr : found->get_ptr<const std::string*>();
}

class ExecTarget final : public Target {
  public:
    ExecTarget(const std::string& command, const TargetOptions& options)
        : name_("the target " + excerpt(command, 60)), shape_(options.shape.value()),
          timeout_(std::chrono::duration_cast<Clock::duration>(
              std::chrono::duration<double>(std::min(options.answer_timeout, longest_timeout)))),
          stop_(options.stop), streak_(name_), command_(command), child_(command) {
        Header header;
        header.shape = shape_;
        unsent_ = to_json(header) + "\n";
    }

    const Shape& shape() const override { return shape_; }
    Identity identity() const override { return {{"model", command_}}; }

    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override {
        if (!failure_.empty() && stop_.stop_requested()) throw Stopped(failure_);
        if (!failure_.empty()) throw Error(failure_);
        std::size_t queued = 0, answered = 0;
        Clock::time_point last = Clock::now();
        while (answered < batch.size()) {
            for (; queued < batch.size() && queued - answered < ahead; ++queued) queue(batch[queued]);
            const std::size_t lines = take_answers(batch.size() - answered, answers);
            answered += lines;
            if (lines > 0) {
                last = Clock::now();
                continue;
            }
            if (stop_.stop_requested()) stop();
            if (child_.output_ended()) fail_dead();
            if (Clock::now() - last >= timeout_) fail_silent();
            talk(last);
        }
    }

  private:
    /// Appends a vector's line to what is to be sent.
    void queue(const Inputs& inputs) {
        line_.a.assign(inputs.a.begin(), inputs.a.end());
        line_.b.assign(inputs.b.begin(), inputs.b.end());
        line_.sa.assign(inputs.sa.begin(), inputs.sa.end());
        line_.sb.assign(inputs.sb.begin(), inputs.sb.end());
        line_.c = shape_.c ? std::optional(inputs.c) : std::nullopt;
        unsent_ += to_json(shape_, line_) + "\n";
        ++asked_;
    }

    /// Reads and writes what can be, waiting a little for it.
    void talk(Clock::time_point last) {
        const auto left = std::chrono::ceil<milliseconds>(last + timeout_ - Clock::now());
        std::string_view rest = unsent_;
        child_.exchange(rest, received_, std::clamp(left, milliseconds(0), one_wait));
        unsent_.erase(0, unsent_.size() - rest.size());
    }

    /// Moves whole lines from what was received to the answers. @return how many
    std::size_t take_answers(std::size_t most, std::vector<TargetAnswer>& answers) {
        std::size_t taken = 0, begin = 0;
        for (; taken < most; ++taken) {
            const std::size_t end = received_.find('\n', begin);
            if (end == std::string::npos) break;
            std::string_view line = std::string_view(received_).substr(begin, end - begin);
            if (line.ends_with('\r')) line.remove_suffix(1);
            if (answered_ == sent()) fail_answer("answered ", line, " before it was asked");
            answers.push_back(answer(line));
            ++answered_;
            begin = end + 1;
            note(answers.back());
        }
        received_.erase(0, begin);
        if (received_.size() > longest_answer) fail_answer("gave ", received_, ", which goes on without a line end");
        return taken;
    }

    /// Vectors whose lines it has been sent whole.
    std::uint64_t sent() const {
        const auto unsent_lines = static_cast<std::uint64_t>(std::count(unsent_.begin(), unsent_.end(), '\n'));
        return asked_ - std::min(asked_, unsent_lines);
    }

    TargetAnswer answer(std::string_view line) {
        const nlohmann::json object = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
        if (!object.is_object()) fail_answer("answered ", line, "");
        const std::string* d = string_field(object, "d");
        const std::string* error = string_field(object, "error");
        if ((d == nullptr) == (error == nullptr)) fail_answer("answered ", line, "");
        if (error != nullptr) return {.d = 0, .error = error->empty() ? "no reason given" : *error};
        const Format& format = discern::format(shape_.d);
        const auto bits = parse_pattern(format, *d);
        if (!bits) fail_answer("answered ", line, sentence(", whose d ", pattern_complaint(format, *d)));
        return {.d = *bits, .error = {}};
    }

    void note(const TargetAnswer& answer) {
        try {
            streak_.count(answer);
        } catch (const Error& error) {
            fail(error.what());
        }
    }

    /// Ends it all; what was answered before is the caller's.
    [[noreturn]] void fail(const std::string& sentence) {
        failure_ = sentence;
        child_.kill();
        throw Error(failure_);
    }
    [[noreturn]] void stop() {
        failure_ = name_ + " was stopped";
        child_.kill();
        throw Stopped(failure_);
    }
    [[noreturn]] void fail_answer(std::string_view verb, std::string_view line, std::string_view remark) {
        fail(sentence(name_, " ", verb, excerpt(line, 80), remark, " (vector ", answered_ + 1, "); ", right_answer));
    }
    [[noreturn]] void fail_silent() {
        const double seconds = std::chrono::duration<double>(timeout_).count();
        child_.end(milliseconds(0)); // for what it complained of
        std::string text = std::to_string(seconds);
        text.erase(text.find_last_not_of('0') + 1);
        if (text.ends_with('.')) text.pop_back();
        fail(sentence(name_, " gave no answer to vector ", answered_ + 1, " within ", text, " s (--answer-timeout)",
                      said()));
    }
    [[noreturn]] void fail_dead() {
        const std::string how = child_.end(for_last_words);
        fail(sentence(name_, how.empty() ? " closed its output" : " ended with " + how, " after ",
                      counted(answered_, "answer"), ", when vector ", answered_ + 1, " was to be answered", said()));
    }
    /// What it said besides answers, as the end of a sentence.
    std::string said() const {
        std::string text = child_.complaints();
        while (text.ends_with('\n')) text.pop_back();
        if (!received_.empty()) text += (text.empty() ? "" : "\n") + received_;
        if (text.empty()) return "; it said nothing else";
        constexpr std::size_t most = 400; // the last words are the ones that matter
        const bool cut = text.size() > most;
        return "; it said " + std::string(cut ? "… " : "") +
               excerpt(cut ? text.substr(text.size() - most) : text, most);
    }

    std::string name_;
    Shape shape_;
    Clock::duration timeout_;
    std::stop_token stop_;
    FailureStreak streak_;
    std::string command_;
    ChildProcess child_;
    std::string unsent_, received_;
    std::uint64_t asked_ = 0, answered_ = 0; ///< of all batches
    std::string failure_;
    Vector line_;
};

} // namespace

std::unique_ptr<Target> make_exec(const std::string& command, const TargetOptions& options) {
    if (!(options.answer_timeout > 0)) throw Error("--answer-timeout: must be a number of seconds above 0");
    return std::make_unique<ExecTarget>(command, options);
}

} // namespace discern
