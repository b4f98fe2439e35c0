#include "files.hpp"

#include "hwrunner/process/run_process.hpp"
#include "models/error.hpp"
#include "models/import/npy.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <limits>
#include <sstream>
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
    const bool failed_before = !out.good();
    if (!failed_before) {
        errno = 0;
        out.flush();
    }
    if (out.good()) return;
    // A write may have failed long ago, and other calls since then have left errors of theirs.
    constexpr std::array<int, 5> of_writing = {ENOSPC, EFBIG, EDQUOT, EIO, EPIPE};
    if (failed_before && std::ranges::find(of_writing, errno) == of_writing.end()) errno = 0;
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

std::string array_file(std::istream& in, std::string first) {
    constexpr std::size_t beginning = std::size_t{1} << 17; // the header of an array has up to 2^16 bytes
    std::string text = std::move(first);
    const auto read_to = [&](std::uint64_t size) {
        std::array<char, 1 << 16> piece;
        while (text.size() < size && in.good()) {
            in.read(piece.data(),
                    static_cast<std::streamsize>(std::min<std::uint64_t>(piece.size(), size - text.size())));
            text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
        }
    };
    read_to(beginning);
    if (const auto size = npy_file_size(text))
        read_to(std::max(*size, *size + 1));
    else if (text.starts_with(zip_magic))
        read_to(std::numeric_limits<std::uint64_t>::max());
    return text;
}

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

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
    try {
        require_written(*stream_, name_);
    } catch (const Error&) {
        // What was kept before is whole, and a part of a line behind it would spoil it.
        if (is_kept_ && unfinished_.is_open()) [[maybe_unused]]
            const int ignored = ftruncate(unfinished_.descriptor(), kept_size_);
        throw;
    }
    if (struct stat now{}; unfinished_.is_open() && fstat(unfinished_.descriptor(), &now) == 0)
        kept_size_ = now.st_size;
    if (is_kept_) return;
    if (const int failed = unfinished_.put_in_place(); failed != 0)
        throw Error(name_ + " cannot be written" + reason(failed));
    is_kept_ = true;
}

void OutputFile::require_good() {
    if (!stream_->good()) require_written(*stream_, name_);
}

void write_file(const std::string& path, const Streams& io, const std::function<void(std::ostream&)>& print) {
    OutputFile output(path, io);
    print(output.stream());
    output.finish();
}

void write_picture(const std::string& path, const Streams& io, const std::function<void(std::ostream&)>& print_svg) {
    if (!path.ends_with(".pdf")) return write_file(path, io, print_svg);
    write_file(path, io, [&](std::ostream& out) {
        std::ostringstream svg;
        print_svg(svg);
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        const ProcessResult made =
            run_process("rsvg-convert -f pdf", svg.str(), [&] { return std::chrono::steady_clock::now() > deadline; });
        if (!made.succeeded() || !made.output.starts_with("%PDF"))
            throw Error(sentence(path, ": rsvg-convert made no PDF, ",
                                 made.stopped ? "in a minute" : made.ended + ": " + printable(made.errors)));
        out << made.output;
    });
}

void finish_unless(bool interrupted, OutputFile& output, const std::string& path, const Streams& io) {
    if (interrupted && !path.empty() && path != "-")
        io.err << "discern: " << path << " is not written\n";
    else
        output.finish();
}

} // namespace discern::cli
