// The part of a matrix target that no device matters to: a process for the device, and what becomes of its failures.
#include "matrix_target.hpp"

#include "every_place.hpp"
#include "hwrunner/process/seconds.hpp"
#include "hwrunner/process/worker_process.hpp"
#include "models/error.hpp"
#include "models/random.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace discern {

namespace {

using std::chrono::milliseconds;

constexpr double time_to_open = 120; ///< seconds at least: a driver may have to translate code first

milliseconds in_milliseconds(double seconds) {
    return milliseconds(static_cast<milliseconds::rep>(std::ceil(std::min(seconds, longest_timeout) * 1000)));
}

// ---- messages. Both sides are the same program, so that numbers are sent as they lie in memory.

/// The first byte of an answer.
enum class Tag : char { done = 'd', device_error = 'e', error = 'x' };

template <typename Value>
void put(std::string& message, const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    message.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void put(std::string& message, const std::vector<std::uint64_t>& words) {
    put(message, words.size());
    message.append(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t));
}
void put(std::string& message, const std::string& text) {
    put(message, text.size());
    message += text;
}

class MessageReader {
  public:
    explicit MessageReader(std::string_view message) : rest_(message) {}
    template <typename Value>
    void get(Value& value) {
        static_assert(std::is_trivially_copyable_v<Value>);
        take(&value, sizeof value);
    }
    void get(std::vector<std::uint64_t>& words) {
        words.resize(size());
        take(words.data(), words.size() * sizeof(std::uint64_t));
    }
    void get(std::string& text) {
        text.resize(size());
        take(text.data(), text.size());
    }

  private:
    std::size_t size() {
        std::size_t count = 0;
        get(count);
        if (count > rest_.size()) throw std::logic_error("a message of a device's process is too short");
        return count;
    }
    void take(void* to, std::size_t bytes) {
        if (bytes > rest_.size()) throw std::logic_error("a message of a device's process is too short");
        if (bytes > 0) std::memcpy(to, rest_.data(), bytes);
        rest_.remove_prefix(bytes);
    }

    std::string_view rest_;
};

/// What a device says of itself when it has been opened.
struct Opened {
    MatrixShape shape;
    std::size_t tiles_per_launch = 1;
    Identity identity;
};

std::string to_message(const MatrixDevice& device) {
    std::string message;
    put(message, device.shape());
    put(message, device.tiles_per_launch());
    const Identity identity = device.identity();
    put(message, identity.size());
    for (const auto& [field, value] : identity) {
        put(message, field);
        put(message, value);
    }
    return message;
}

Opened opened_from(std::string_view message) {
    MessageReader reader(message);
    Opened opened;
    std::size_t fields = 0;
    reader.get(opened.shape);
    reader.get(opened.tiles_per_launch);
    reader.get(fields);
    for (std::size_t i = 0; i < fields; ++i) {
        auto& [field, value] = opened.identity.emplace_back();
        reader.get(field);
        reader.get(value);
    }
    return opened;
}

std::string to_message(std::span<const MatrixTile> tiles) {
    std::string message;
    put(message, tiles.size());
    for (const MatrixTile& tile : tiles)
        for (const auto* words : {&tile.a, &tile.b, &tile.c, &tile.sa, &tile.sb}) put(message, *words);
    return message;
}

std::vector<MatrixTile> tiles_from(std::string_view message) {
    MessageReader reader(message);
    std::size_t count = 0;
    reader.get(count);
    std::vector<MatrixTile> tiles(count);
    for (MatrixTile& tile : tiles)
        for (auto* words : {&tile.a, &tile.b, &tile.c, &tile.sa, &tile.sb}) reader.get(*words);
    return tiles;
}

/// In the worker: the answer, or the exception, as a message.
template <typename Action>
std::string tagged(Action action) {
    const auto message = [](Tag tag, const std::string& text) { return static_cast<char>(tag) + text; };
    try {
        return message(Tag::done, action());
    } catch (const Error& error) {
        return message(Tag::error, error.what());
    } catch (const std::exception& error) {
        return message(Tag::device_error, error.what());
    }
}

/// Hands an answer on. @throws Error, DeviceError
std::string untagged(const std::string& name, const WorkerReply& reply, double timeout) {
    if (reply.kind == WorkerReply::Kind::silent)
        throw Error(sentence(name, " gave no answer within ", in_seconds(timeout), " s and was stopped"));
    if (reply.kind == WorkerReply::Kind::ended || reply.text.empty())
        throw DeviceError(sentence("the process that runs it ended with ", reply.text));
    std::string text = reply.text.substr(1);
    if (reply.text[0] == static_cast<char>(Tag::device_error)) throw DeviceError(text);
    if (reply.text[0] == static_cast<char>(Tag::error)) throw Error(text);
    return text;
}

class MatrixTarget final : public Target {
  public:
    MatrixTarget(std::string name, OpenDevice open, double timeout)
        : name_(std::move(name)), open_(std::move(open)), timeout_(timeout) {
        if (!(timeout_ > 0)) throw Error("--answer-timeout: must be a number of seconds above 0");
        try {
            start();
        } catch (const DeviceError& error) {
            throw Error(sentence("unavailable: ", name_, ": ", error.what()));
        }
    }

    const Shape& shape() const override { return opened_.shape.dot; }
    Identity identity() const override { return opened_.identity; }

    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override {
        if (!failure_.empty()) throw Error(failure_);
        try {
            const std::size_t unchecked = std::min(vectors_at_every_place - at_every_place_, batch.size());
            for (const Inputs& inputs : batch.first(unchecked)) require_same_at_every_place(inputs);
            const auto side = static_cast<std::size_t>(std::min(opened_.shape.M, opened_.shape.N));
            const std::size_t most = side * std::max<std::size_t>(1, opened_.tiles_per_launch);
            for (std::size_t first = 0; first < batch.size(); first += most)
                run_launch(batch.subspan(first, std::min(most, batch.size() - first)), answers);
        } catch (const Error& error) {
            failure_ = error.what();
            worker_.reset();
            throw;
        }
    }

  private:
    /// A new process that opens the device. @throws Error, DeviceError
    void start() {
        worker_.reset(); // the old one first: a device may be there for one alone
        worker_ = std::make_unique<WorkerProcess>(
            [open = open_, device = std::shared_ptr<MatrixDevice>()](const std::string& question) mutable {
                return tagged([&] {
                    if (!device) {
                        device = open();
                        return to_message(*device);
                    }
                    std::vector<std::uint64_t> d;
                    device->launch(tiles_from(question), d);
                    std::string message;
                    put(message, d);
                    return message;
                });
            });
        const double limit = std::max(timeout_, time_to_open);
        const Opened opened = opened_from(untagged(name_, worker_->ask("", in_milliseconds(limit)), limit));
        if (!opened_.identity.empty() && (opened.identity != opened_.identity || !(opened.shape == opened_.shape)))
            throw Error(sentence(name_, " is another device than before"));
        opened_ = opened;
    }

    std::vector<std::uint64_t> launch_once(const std::string& question) {
        std::vector<std::uint64_t> d;
        const std::string answer = untagged(name_, worker_->ask(question, in_milliseconds(timeout_)), timeout_);
        MessageReader(answer).get(d);
        return d;
    }

    /// D of the tiles; a second try after a device error.
    std::vector<std::uint64_t> launch(std::span<const MatrixTile> tiles) {
        const std::string question = to_message(tiles);
        std::vector<std::uint64_t> d;
        try {
            d = launch_once(question);
        } catch (const DeviceError& first) {
            try {
                start();
                d = launch_once(question);
            } catch (const std::runtime_error& second) {
                throw Error(sentence(name_, " failed: ", first.what(), "; tried once more: ", second.what()));
            }
        }
        if (d.size() != tiles.size() * elements()) throw std::logic_error("a device gave another number of results");
        return d;
    }

    void run_launch(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) {
        const Packed packed = pack_tiles(opened_.shape, batch, random_);
        const std::vector<std::uint64_t> d = launch(packed.tiles);
        for (const Packed::Place& place : packed.places)
            answers.push_back({.d = d[place.tile * elements() + element(place.row, place.column)], .error = {}});
    }

    void require_same_at_every_place(const Inputs& inputs) {
        const MatrixTile tile = tile_of_one(opened_.shape, inputs);
        const std::vector<std::uint64_t> d = launch({&tile, 1});
        ++at_every_place_;
        const auto& shape = opened_.shape;
        if (const auto complaint =
                differs_by_place(name_, "an instruction", format(shape.dot.d), d, static_cast<std::size_t>(shape.N)))
            throw Error(*complaint);
    }

    std::size_t element(int row, int column) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(opened_.shape.N) +
               static_cast<std::size_t>(column);
    }
    std::size_t elements() const { return element(opened_.shape.M, 0); }

    std::string name_;
    OpenDevice open_;
    double timeout_;
    Random random_{1}; ///< of the order in which rows and columns are used
    Opened opened_;
    std::unique_ptr<WorkerProcess> worker_;
    std::size_t at_every_place_ = 0;
    std::string failure_;
};

} // namespace

std::unique_ptr<Target> make_matrix_target(const std::string& name, OpenDevice open, double timeout) {
    return std::make_unique<MatrixTarget>(name, std::move(open), timeout);
}

std::string ask_in_process(const std::string& name, const std::function<std::string()>& ask, double timeout) {
    WorkerProcess worker([&ask](const std::string& /*question*/) { return tagged(ask); });
    try {
        return untagged(name, worker.ask("", in_milliseconds(timeout)), timeout);
    } catch (const DeviceError& error) {
        throw Error(sentence(name, ": ", error.what()));
    }
}

std::string why_no_answer(const std::string& name, const std::function<std::string()>& ask, double timeout) {
    try {
        ask_in_process(name, ask, timeout);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

} // namespace discern
