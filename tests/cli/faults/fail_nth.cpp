// A library to preload that makes the n-th call of one kind fail, as SQLite's own tests do it: an allocation, a write,
// an fsync, an open, a thread. FAIL_NTH="write 17" says which; where the call was reached, the file that
// FAIL_NTH_REACHED names is made, so that a test knows when it has been through all of them.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

extern "C" {
// glibc's own names: looking up the next of a name allocates.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t by, std::size_t size);
}

namespace {

std::atomic<long> left = -1; ///< calls until the one that fails; counted from the first statement of main() on
long asked = -1;
char kind[16];
char reached[4096];

__attribute__((constructor)) void read_environment() {
    const char* const text = std::getenv("FAIL_NTH");
    const char* const place = std::getenv("FAIL_NTH_REACHED");
    if (text == nullptr || place == nullptr) return;
    const std::size_t size = std::strcspn(text, " ");
    if (size >= sizeof kind || text[size] == 0 || std::strlen(place) >= sizeof reached) return;
    std::memcpy(kind, text, size);
    std::strcpy(reached, place);
    asked = std::atol(text + size + 1);
    unsetenv("FAIL_NTH"); // of programs that it starts none fails
}

/// Whether this call is the one.
bool fails(const char* what) {
    if (left < 0 || std::strcmp(kind, what) != 0 || left.fetch_sub(1) != 1) return false;
    const long file = syscall(SYS_openat, AT_FDCWD, reached, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0) syscall(SYS_close, file);
    return true;
}

template <class Result>
Result failed(int why, Result result) {
    errno = why;
    return result;
}

int opened(const char* path, int flags, std::va_list rest) {
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
    return fails("open") ? failed(EMFILE, -1) : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

} // namespace

extern "C" {

// The first that main() calls. Before it constants are made, and nothing can be said yet.
sighandler_t signal(int number, sighandler_t handler) noexcept {
    if (asked >= 0) left = std::exchange(asked, -1);
    return reinterpret_cast<sighandler_t (*)(int, sighandler_t)>(dlsym(RTLD_NEXT, "signal"))(number, handler);
}

void* malloc(std::size_t size) noexcept {
    return fails("malloc") ? failed<void*>(ENOMEM, nullptr) : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
    return fails("malloc") ? failed<void*>(ENOMEM, nullptr) : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) noexcept {
    return fails("malloc") ? failed<void*>(ENOMEM, nullptr) : __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t by, std::size_t size) noexcept {
    return fails("malloc") ? failed<void*>(ENOMEM, nullptr) : __libc_memalign(by, size);
}

// What is written to the standard streams is the reader's matter.
ssize_t write(int file, const void* bytes, std::size_t size) {
    return file > 2 && fails("write") ? failed<ssize_t>(ENOSPC, -1) : syscall(SYS_write, file, bytes, size);
}
ssize_t writev(int file, const iovec* parts, int count) {
    return file > 2 && fails("write") ? failed<ssize_t>(ENOSPC, -1) : syscall(SYS_writev, file, parts, count);
}
ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t at) {
    return fails("write") ? failed<ssize_t>(ENOSPC, -1) : syscall(SYS_pwrite64, file, bytes, size, at);
}
ssize_t pwrite64(int file, const void* bytes, std::size_t size, off64_t at) {
    return fails("write") ? failed<ssize_t>(ENOSPC, -1) : syscall(SYS_pwrite64, file, bytes, size, at);
}
int ftruncate(int file, off_t size) noexcept {
    return fails("write") ? failed(ENOSPC, -1) : static_cast<int>(syscall(SYS_ftruncate, file, size));
}
int ftruncate64(int file, off64_t size) noexcept {
    return fails("write") ? failed(ENOSPC, -1) : static_cast<int>(syscall(SYS_ftruncate, file, size));
}

int fsync(int file) { return fails("fsync") ? failed(EIO, -1) : static_cast<int>(syscall(SYS_fsync, file)); }
int fdatasync(int file) { return fails("fsync") ? failed(EIO, -1) : static_cast<int>(syscall(SYS_fdatasync, file)); }

int open(const char* path, int flags, ...) {
    std::va_list rest;
    va_start(rest, flags);
    const int file = opened(path, flags, rest);
    va_end(rest);
    return file;
}
int open64(const char* path, int flags, ...) {
    std::va_list rest;
    va_start(rest, flags);
    const int file = opened(path, flags, rest);
    va_end(rest);
    return file;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*work)(void*), void* with) noexcept {
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    if (fails("thread")) return EAGAIN;
    return reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"))(thread, how, work, with);
}

} // extern "C"
