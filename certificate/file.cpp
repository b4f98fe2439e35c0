#include "file.hpp"

#include "sha256.hpp"

#include "models/error.hpp"

#include <algorithm>
#include <fstream>

namespace discern::certificate {

namespace {

using std::filesystem::file_type;

struct TypeName {
    file_type type;
    const char* name;
};
constexpr TypeName type_names[] = {{file_type::directory, "a folder"}, {file_type::fifo, "a FIFO"},
                                   {file_type::socket, "a socket"},    {file_type::block, "a device"},
                                   {file_type::character, "a device"}, {file_type::unknown, "something unknown"}};

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
    throw Error(file.filename().string() + ' ' + what);
}

/// Visits the bytes of a file in parts, no more than its size was at first.
template <typename Visit>
void each_part(const std::filesystem::path& file, std::uintmax_t most, Visit visit) {
    std::uintmax_t left = size_of(file, most);
    std::ifstream in(file, std::ios::binary);
    std::string part;
    for (; left > 0; left -= part.size()) {
        part.resize(static_cast<std::size_t>(std::min<std::uintmax_t>(left, std::uintmax_t{1} << 20)));
        if (!in.read(part.data(), static_cast<std::streamsize>(part.size()))) refuse(file, "cannot be read");
        visit(part);
    }
    if (!in) refuse(file, "cannot be read");
}

} // namespace

std::uintmax_t size_of(const std::filesystem::path& file, std::uintmax_t most) {
    std::error_code error;
    const auto type = std::filesystem::status(file, error).type();
    for (const TypeName& known : type_names)
        if (type == known.type) refuse(file, std::string("is ") + known.name + ", and has to be a plain file");
    if (type != file_type::regular) refuse(file, "cannot be read");
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error) refuse(file, "cannot be read");
    if (size > most)
        refuse(file, "has " + std::to_string(size) + " bytes; at most " + std::to_string(most) + " are right");
    return size;
}

std::string contents(const std::filesystem::path& file, std::uintmax_t most) {
    std::string text;
    text.reserve(static_cast<std::size_t>(size_of(file, most)));
    each_part(file, most, [&](const std::string& part) { text += part; });
    return text;
}

std::string digest_of(const std::filesystem::path& file, std::uintmax_t most) {
    Sha256 sum;
    each_part(file, most, [&](const std::string& part) { sum.add(part); });
    return sum.digest();
}

} // namespace discern::certificate
