// A store that is gone after the test, and the unit that it is asked about.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

inline const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32";

struct TemporaryStore {
    std::string path;

    explicit TemporaryStore(const std::string& name = "")
        : path((std::filesystem::path(testing::TempDir()) /
                (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + name + ".store"))
                   .string()) {
        remove();
    }
    ~TemporaryStore() { remove(); }
    TemporaryStore(const TemporaryStore&) = delete;
    TemporaryStore& operator=(const TemporaryStore&) = delete;
    void remove() const {
        for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path + suffix);
    }
};
