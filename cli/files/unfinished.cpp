#include "unfinished.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace discern::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t random_letters = 6;    ///< as mkstemp wants them
constexpr std::size_t longest_of_name = 200; ///< of 255 bytes that a name may have
constexpr int tries = 100;

fs::path folder_of(const std::string& place) {
    const fs::path folder = fs::path(place).parent_path();
    return folder.empty() ? "." : folder;
}

/// What the names beside the place begin with.
std::string beginning(const std::string& place) {
    return "." + fs::path(place).filename().string().substr(0, longest_of_name) + ".discern-";
}

bool lock(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

bool has_a_name(int descriptor) {
    struct stat status {};
    return fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

/// Removes what programs left that were killed: files beside the place without a lock.
void remove_what_is_left(const std::string& place) {
    const std::string begin = beginning(place);
    std::error_code failed;
    for (fs::directory_iterator entry(folder_of(place), failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(begin) || name.size() != begin.size() + random_letters) continue;
        const int descriptor = open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (descriptor < 0) continue;
        struct stat status {};
        if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && lock(descriptor))
            unlink(entry->path().c_str());
        close(descriptor);
    }
}

std::string path_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

/// A file without a name on the file system of the place; -1 where there is no such thing.
int without_name([[maybe_unused]] const std::string& place) {
#ifdef O_TMPFILE
    const int descriptor = open(folder_of(place).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0 && lock(descriptor) && access(path_of(descriptor).c_str(), W_OK) == 0) return descriptor;
    if (descriptor >= 0) close(descriptor); // no /proc, by which it would get its name
#endif
    return -1;
}

} // namespace

UnfinishedFile::UnfinishedFile(const std::string& place, bool named) : place_(place) {
    remove_what_is_left(place);
    if (!named) descriptor_ = without_name(place);
    for (int i = 0; descriptor_ < 0 && i < tries; ++i) {
        const WritingDown file;
        std::string name = (folder_of(place) / (beginning(place) + std::string(random_letters, 'X'))).string();
        descriptor_ = mkostemp(name.data(), O_CLOEXEC);
        if (descriptor_ < 0) return;
        name_ = name;
        removed_at_signal_ = RemovedAtSignal(name_);
        // A program that begins at this moment may have found it before it was locked.
        if (lock(descriptor_) && has_a_name(descriptor_)) return;
        close(std::exchange(descriptor_, -1));
        unlink(name_.c_str());
    }
}

UnfinishedFile::~UnfinishedFile() {
    if (!name_.empty()) unlink(name_.c_str());
    if (descriptor_ >= 0) close(descriptor_);
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : place_(std::move(other.place_)), name_(std::exchange(other.name_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)), removed_at_signal_(std::move(other.removed_at_signal_)) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
    std::swap(place_, other.place_);
    std::swap(name_, other.name_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(removed_at_signal_, other.removed_at_signal_);
    return *this;
}

std::string UnfinishedFile::path() const { return name_.empty() ? path_of(descriptor_) : name_; }

int UnfinishedFile::put_in_place() {
    if (fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) return errno;
    for (int i = 0; name_.empty(); ++i) { // a file without a name gets one first: only what has one can replace another
        const WritingDown file;
        std::string name = (folder_of(place_) / (beginning(place_) + std::string(random_letters, 'X'))).string();
        const int placeholder = mkostemp(name.data(), O_CLOEXEC);
        if (placeholder < 0) return errno;
        close(placeholder);
        unlink(name.c_str()); // linkat replaces nothing either
        if (linkat(AT_FDCWD, path_of(descriptor_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
            name_ = name;
            removed_at_signal_ = RemovedAtSignal(name_);
        } else if (errno != EEXIST || i == tries) {
            return errno;
        }
    }
    if (std::rename(name_.c_str(), place_.c_str()) != 0) return errno;
    name_.clear();
    removed_at_signal_ = {};
    return 0;
}

} // namespace discern::cli
