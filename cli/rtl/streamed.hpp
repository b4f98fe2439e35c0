// check of a design with a handshake: operations back to back with random stalls, and what is said of a run in which
// something is wrong.
#pragma once

#include "cli/base/command.hpp"
#include "cli/base/json.hpp"
#include "cli/files/target.hpp"
#include "cli/options/read_design.hpp"
#include "designs/handshake/stream.hpp"

#include <memory>
#include <optional>
#include <ostream>
#include <stop_token>
#include <string>

namespace discern::cli {

class StreamedCheck {
  public:
    /// @param choice  of a design with a handshake
    StreamedCheck(const TargetChoice& choice, const Unit& unit, std::uint64_t seed, const std::stop_token& stop);

    /// Operations with stalls; and each by itself, after a reset.
    Target& target() { return stream_; }
    Target& single() { return *single_; }

    /// Keeps the run in which a vector, one of the last batch among all, has another result than the unit's.
    void keep(std::uint64_t vector) { wrong_ = stream_.run_to(vector); }
    /// Makes the run short that was kept, or in which a fault of the handshake showed.
    void find_short_run(const std::stop_token& stop);

    void print(std::ostream& out) const;
    void put(Json& object) const;
    /// @param file  of waves
    void write_wave(const std::string& file, const Streams& io) const;
    bool has_run() const { return shown_.has_value(); }

  private:
    ReadDesign read_;
    Limit limit_;
    std::unique_ptr<Target> single_;
    rtl::StreamTarget stream_;
    std::optional<rtl::HandshakeRun> wrong_;
    std::optional<Answer> shown_;
};

/// Nothing: the target is another one.
std::unique_ptr<StreamedCheck> streamed_check(const TargetChoice& choice, const Unit& unit, std::uint64_t seed,
                                              const std::stop_token& stop);

} // namespace discern::cli
