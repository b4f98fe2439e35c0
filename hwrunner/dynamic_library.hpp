// A shared library that may be missing: opened when it is needed, its functions found by name, each absence a sentence.
//
// The drivers of GPUs are reached this way, so that the program builds and runs on machines that have none.
#pragma once

#include <span>
#include <string>
#include <type_traits>

namespace discern {

class DynamicLibrary {
  public:
    /// Opens the first of the files that can be opened; names without a slash are searched for by the system.
    /// @param what  what the library is, for the sentences: "the NVIDIA driver"
    /// @throws Error that quotes why none could be opened
    DynamicLibrary(std::span<const std::string> files, std::string what);
    ~DynamicLibrary();
    DynamicLibrary(const DynamicLibrary&) = delete;
    DynamicLibrary& operator=(const DynamicLibrary&) = delete;

    /// The function of that name. @tparam Function  its type, as int(int*)
    /// @throws Error if the library does not have it
    template <typename Function>
    Function* function(const char* name) const {
        static_assert(std::is_function_v<Function>);
        return reinterpret_cast<Function*>(require(name));
    }
    /// A function of whatever type the pointer has that is made of it.
    class Named {
      public:
        Named(const DynamicLibrary& library, const char* name) : library_(library), name_(name) {}
        template <typename Function>
        operator Function*() const { // NOLINT(google-explicit-constructor)
            return library_.function<Function>(name_);
        }

      private:
        const DynamicLibrary& library_;
        const char* name_;
    };
    /// The function of that name: int (*f)(int*) = library.named("f"). @throws Error if the library does not have it
    Named named(const char* name) const { return {*this, name}; }
    /// The function, or nullptr.
    template <typename Function>
    Function* optional_function(const char* name) const {
        static_assert(std::is_function_v<Function>);
        return reinterpret_cast<Function*>(find(name));
    }

  private:
    void* find(const char* name) const;
    void* require(const char* name) const;

    std::string file_, what_;
    void* handle_ = nullptr;
};

} // namespace discern
