#include "memory.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

constexpr std::uint64_t first_address = 0x100000000, granule = 0x100000;

} // namespace

std::size_t Memory::add(std::string name, std::vector<Code> codes) {
    std::uint64_t base = first_address;
    if (!buffers_.empty())
        base = (buffers_.back().base + buffers_.back().codes.size() + 2 * granule - 1) / granule * granule;
    buffers_.push_back({std::move(name), base, std::move(codes)});
    return buffers_.size() - 1;
}

Code* Memory::at(std::uint64_t address, std::size_t bytes, bool writes) {
    const auto holds = [&](const Buffer& buffer) {
        return address >= buffer.base && address < buffer.base + buffer.codes.size();
    };
    if (last_ >= buffers_.size() || !holds(buffers_[last_])) {
        const auto found = std::find_if(buffers_.begin(), buffers_.end(), holds);
        if (found == buffers_.end()) {
            const Buffer* before = nullptr;
            for (const Buffer& buffer : buffers_)
                if (buffer.base <= address) before = &buffer;
            throw Error(before == nullptr ? "the address is outside of every buffer"
                                          : sentence("the address is outside of every buffer, ", address - before->base,
                                                     " bytes behind the beginning of ", before->name, ", which has ",
                                                     before->codes.size()));
        }
        last_ = static_cast<std::size_t>(found - buffers_.begin());
    }
    Buffer& buffer = buffers_[last_];
    const std::uint64_t at = address - buffer.base;
    if (buffer.codes.size() - at < bytes)
        throw Error(sentence("an access of ", bytes, " bytes goes past the end of ", buffer.name));
    buffer.is_written |= writes;
    return buffer.codes.data() + at;
}

} // namespace discern::programs
