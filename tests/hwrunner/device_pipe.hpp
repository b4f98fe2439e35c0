// What the fake driver and the process that is its device (fake_device.cpp) say to each other: numbers of eight bytes,
// texts and bytes with their lengths before them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

namespace discern::testing {

struct SentArray {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes{};
};

/// One launch.
struct DeviceRequest {
    std::string text; ///< PTX
    std::uint64_t blocks = 0, threads = 0;
    std::vector<std::uint8_t> parameters{};
    std::vector<SentArray> arrays{}; ///< all memory of the device
};

/// Why it failed, or nothing, and the memory afterwards.
struct DeviceAnswer {
    std::string error;
    std::vector<SentArray> arrays{};
};

class DevicePipe {
  public:
    DevicePipe(int from, int to) : from_(from), to_(to) {}

    /// @return false if the other side has ended
    bool send(const DeviceRequest& request) {
        return put(request.text) && put(request.blocks) && put(request.threads) && put(request.parameters) &&
               put(request.arrays);
    }
    bool receive(DeviceRequest& request) {
        return get(request.text) && get(request.blocks) && get(request.threads) && get(request.parameters) &&
               get(request.arrays);
    }
    bool send(const DeviceAnswer& answer) { return put(answer.error) && put(answer.arrays); }
    bool receive(DeviceAnswer& answer) { return get(answer.error) && get(answer.arrays); }

  private:
    template <typename Call, typename Byte>
    static bool whole(Call call, int file, Byte* bytes, std::size_t size) {
        while (size > 0) {
            const ssize_t done = call(file, bytes, size);
            if (done <= 0) return false;
            bytes += done;
            size -= static_cast<std::size_t>(done);
        }
        return true;
    }
    bool put(const void* bytes, std::size_t size) {
        return whole(::write, to_, static_cast<const std::uint8_t*>(bytes), size);
    }
    bool get(void* bytes, std::size_t size) { return whole(::read, from_, static_cast<std::uint8_t*>(bytes), size); }
    bool put(std::uint64_t number) { return put(&number, sizeof number); }
    bool get(std::uint64_t& number) { return get(&number, sizeof number); }
    template <typename Bytes>
    bool put_bytes(const Bytes& bytes) {
        return put(std::uint64_t(bytes.size())) && put(bytes.data(), bytes.size());
    }
    template <typename Bytes>
    bool get_bytes(Bytes& bytes) {
        std::uint64_t size = 0;
        if (!get(size)) return false;
        bytes.resize(size);
        return get(bytes.data(), size);
    }
    bool put(const std::string& text) { return put_bytes(text); }
    bool get(std::string& text) { return get_bytes(text); }
    bool put(const std::vector<std::uint8_t>& bytes) { return put_bytes(bytes); }
    bool get(std::vector<std::uint8_t>& bytes) { return get_bytes(bytes); }
    bool put(const std::vector<SentArray>& arrays) {
        bool good = put(std::uint64_t(arrays.size()));
        for (const SentArray& array : arrays) good = good && put(array.address) && put(array.bytes);
        return good;
    }
    bool get(std::vector<SentArray>& arrays) {
        std::uint64_t count = 0;
        bool good = get(count);
        arrays.resize(good ? count : 0);
        for (SentArray& array : arrays) good = good && get(array.address) && get(array.bytes);
        return good;
    }

    int from_, to_;
};

} // namespace discern::testing
