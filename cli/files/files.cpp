#include "files.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace discern::cli {

namespace fs = std::filesystem;

namespace {

/// The mode of a file that is made new, as the user's mask has it.
mode_t new_file_mode() {
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/// The error of the last system call, as the end of a sentence.
std::string reason(int number) { return number == 0 ? "" : sentence(": ", std::strerror(number)); }

/// Whether standard output is a pipe that no one reads.
bool reader_has_gone() {
    pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

constexpr std::string_view standard_output = "standard output";

/// Files that other programs read; {} is the name.
struct ForeignFile {
    std::string_view ending, sentence;
};

constexpr std::string_view of_torch =
    "{} is a file of torch, which Python reads: discern.which(discern.torch.load(\"{}\")), or numpy.save(\"A.npy\", "
    "a.numpy()) for each matrix";

constexpr auto foreign_files = std::to_array<ForeignFile>({
    {".pt", of_torch},
    {".pth", of_torch},
    {".mat",
     "{} is a file of MATLAB, which scipy reads: in Python m = scipy.io.loadmat(\"{}\"), and numpy.save(\"A.npy\", "
     "m[\"A\"]) for each matrix; in MATLAB writematrix(A, \"A.csv\") writes one as text, which is read, too"},
    {".xlsx", "{} is a spreadsheet; saved as .csv it is read"},
    {".gz", "{} is compressed; gunzip -c {} | discern … - reads it from standard input"},
    {".xz", "{} is compressed; xz -dc {} | discern … - reads it from standard input"},
    {".bz2", "{} is compressed; bzip2 -dc {} | discern … - reads it from standard input"},
    {".zst", "{} is compressed; zstd -dc {} | discern … - reads it from standard input"},
});

/// @throws Error for a file that only other programs read, which says what then reads it
void refuse_foreign(const std::string& path) {
    for (const ForeignFile& file : foreign_files) {
        if (!path.ends_with(file.ending)) continue;
        std::string text(file.sentence);
        for (std::size_t at = 0; (at = text.find("{}", at)) != std::string::npos; at += path.size())
            text.replace(at, 2, path);
        throw Error(text);
    }
}

} // namespace

void require_written(std::ostream& out, const std::string& name) {
    if (out.good()) {
        errno = 0;
        out.flush();
    }
    if (out.good()) return;
    // A write may have failed long ago, and other calls since then have left errors of theirs.
    if (errno == EPIPE || (name == standard_output && reader_has_gone())) throw BrokenPipe();
    throw Error(name + " cannot be written" + reason(errno));
}

InputFile::InputFile(const std::string& path, const Streams& io) : stream_(&io.in), name_("standard input") {
    if (path == "-") return;
    name_ = path;
    refuse_foreign(path);
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) throw Error(path + " is a directory; a file of vectors is needed");
    errno = 0;
    file_.open(path, std::ios::binary);
    if (!file_) throw Error(path + " cannot be read" + reason(errno));
    stream_ = &file_;
    note_input(path, io);
}

std::string contents_of(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

void note_input(const std::string& path, const Streams& io) {
    if (io.inputs != nullptr && path != "-" && !path.empty()) io.inputs->push_back(path);
}

void note_space(const std::string& space, const Streams& io) {
    if (space.starts_with('@')) note_input(space.substr(1), io);
}

OutputFile::OutputFile(const std::string& path, const Streams& io, const std::string& input)
    : stream_(&io.out), name_("standard output") {
    if (path.empty() || path == "-") return;
    name_ = path;
    stream_ = &file_;
    std::error_code ignored;
    const fs::file_status there = fs::status(path, ignored);
    if (fs::is_directory(there)) throw Error(path + " is a directory; the name of a file is needed");
    const bool is_new = !fs::exists(there);
    if (!is_new && !fs::is_regular_file(there)) {
        errno = 0;
        file_.open(path, std::ios::binary);
        if (!file_) throw Error(path + " cannot be written" + reason(errno));
        return;
    }
    const auto is_input = [&](const std::string& read) { return !read.empty() && fs::equivalent(path, read, ignored); };
    if (!is_new &&
        (is_input(input) || (io.inputs != nullptr && std::any_of(io.inputs->begin(), io.inputs->end(), is_input))))
        throw Error(path + " is also the input; write to another file");
    if (!is_new && access(path.c_str(), W_OK) != 0) throw Error(path + " cannot be written" + reason(errno));
    // A link stays what it is; the file that it leads to is replaced.
    place_ = is_new ? path : fs::canonical(path, ignored).string();
    unfinished_ = UnfinishedFile(place_);
    if (!unfinished_.is_open()) throw Error(path + " cannot be written" + reason(errno));
    file_.open(unfinished_.path(), std::ios::binary | std::ios::trunc);
    if (!file_) throw Error(path + " cannot be written" + reason(errno));
    fchmod(unfinished_.descriptor(), is_new ? new_file_mode() : static_cast<mode_t>(there.permissions()));
    is_kept_ = false;
}

void OutputFile::keep() {
    require_written(*stream_, name_);
    if (is_kept_) return;
    if (const int failed = unfinished_.put_in_place(); failed != 0)
        throw Error(name_ + " cannot be written" + reason(failed));
    is_kept_ = true;
}

void OutputFile::require_good() {
    if (!stream_->good()) require_written(*stream_, name_);
}

void finish_unless(bool interrupted, OutputFile& output, const std::string& path, const Streams& io) {
    if (interrupted && !path.empty() && path != "-")
        io.err << "discern: " << path << " is not written\n";
    else
        output.finish();
}

} // namespace discern::cli
