#include "dynamic_library.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <utility>

#include <dlfcn.h>

namespace discern {

DynamicLibrary::DynamicLibrary(std::span<const std::string> files, std::string what) : what_(std::move(what)) {
    std::string reasons, absent;
    for (const std::string& file : files) {
        handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_ != nullptr) {
            file_ = file;
            return;
        }
        const char* const said = dlerror();
        const std::string reason = said == nullptr ? "no reason given" : said;
        if (files.size() > 1 && reason.ends_with("No such file or directory")) // several of those say one thing
            absent += sentence(absent.empty() ? "there is no " : ", ", file);
        else
            reasons += sentence(reasons.empty() ? "" : "; ", reason);
    }
    if (reasons.empty()) reasons = absent;
    throw Error(sentence(what_, " cannot be loaded: ", reasons));
}

DynamicLibrary::~DynamicLibrary() {
    if (handle_ != nullptr) dlclose(handle_);
}

void* DynamicLibrary::find(const char* name) const { return dlsym(handle_, name); }

void* DynamicLibrary::require(const char* name) const {
    void* const address = find(name);
    if (address == nullptr)
        throw Error(sentence(what_, " (", file_, ") has no function ", name, "; another version of it is needed"));
    return address;
}

} // namespace discern
