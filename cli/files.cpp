#include "files.hpp"

#include "models/error.hpp"
#include "models/sentence.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace discern::cli {

namespace {

/// What the system said last, as the end of a sentence.
std::string reason(int number) { return number == 0 ? "" : sentence(": ", std::strerror(number)); }

} // namespace

void require_written(std::ostream& out, const std::string& name) {
    if (out.good()) {
        errno = 0;
        out.flush();
    }
    if (out.good()) return;
    if (errno == EPIPE) throw BrokenPipe();
    throw Error(name + " cannot be written" + reason(errno));
}

InputFile::InputFile(const std::string& path, const Streams& io) : stream_(&io.in), name_("standard input") {
    if (path == "-") return;
    name_ = path;
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw Error(path + " is a directory; a file of vectors is needed");
    errno = 0;
    file_.open(path, std::ios::binary);
    if (!file_) throw Error(path + " cannot be read" + reason(errno));
    stream_ = &file_;
}

OutputFile::OutputFile(const std::string& path, const Streams& io, const std::string& input)
    : stream_(&io.out), name_("standard output") {
    if (path.empty() || path == "-") return;
    name_ = path;
    std::error_code ignored;
    if (!input.empty() && std::filesystem::is_regular_file(path, ignored) &&
        std::filesystem::equivalent(path, input, ignored))
        throw Error(path + " is also the input; write to another file");
    errno = 0;
    file_.open(path, std::ios::binary | std::ios::trunc);
    if (!file_) throw Error(path + " cannot be written" + reason(errno));
    stream_ = &file_;
}

void OutputFile::require_good() {
    if (!stream_->good()) require_written(*stream_, name_);
}

} // namespace discern::cli
