// The fake driver in the place of the system's, with the device that runs the text that it is given.
#pragma once

#include "hwrunner/fake_cuda.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include <dlfcn.h>

namespace discern::testing {

class OnAFakeGpu : public ::testing::Test {
  protected:
    void SetUp() override {
        setenv("DISCERN_CUDA_LIBRARY", DISCERN_FAKE_CUDA, 1);
        void* const library = dlopen(DISCERN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library, nullptr) << dlerror();
        fake_ = reinterpret_cast<FakeCudaState*>(dlsym(library, "fake_cuda_state"))();
        *fake_ = FakeCuda{};
    }
    void TearDown() override { unsetenv("DISCERN_CUDA_LIBRARY"); }

    FakeCuda* fake_ = nullptr;
};

} // namespace discern::testing
