// A driver whose device runs the text that it is given: on the machine of ptx_machine.hpp.
#pragma once

#include "hwrunner/fake_cuda.hpp"
#include "ptx_machine.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include <dlfcn.h>

namespace discern::testing {

/// For FakeCuda::launch_any.
inline cuda::Result launch_on_the_machine(const char* text, void** parameters, unsigned blocks, unsigned threads) {
    struct Loaded {
        std::string text;
        PtxMachine machine;
    };
    static std::optional<Loaded> loaded; // reading a text takes longer than running it a few times
    if (!loaded || loaded->text != text) loaded.emplace(Loaded{text, PtxMachine(text)});
    loaded->machine.run(parameters[0], blocks, threads);
    return cuda::success;
}

/// With that driver in the place of the system's.
class OnAFakeGpu : public ::testing::Test {
  protected:
    void SetUp() override {
        setenv("DISCERN_CUDA_LIBRARY", DISCERN_FAKE_CUDA, 1);
        void* const library = dlopen(DISCERN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library, nullptr) << dlerror();
        fake_ = reinterpret_cast<FakeCudaState*>(dlsym(library, "fake_cuda_state"))();
        *fake_ = FakeCuda{};
        fake_->launch_any = launch_on_the_machine;
    }
    void TearDown() override { unsetenv("DISCERN_CUDA_LIBRARY"); }

    FakeCuda* fake_ = nullptr;
};

} // namespace discern::testing
