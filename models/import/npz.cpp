// NumPy's archives of arrays, which are zip files. Without libzip they are refused with a sentence.
#include "npy.hpp"

#include "models/error.hpp"

#ifdef DISCERN_HAS_LIBZIP
#include "models/bounds.hpp"
#include "models/unit/sentence.hpp"

#include <zip.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#endif

namespace discern {

#ifdef DISCERN_HAS_LIBZIP
std::string npz_of(std::span<const std::pair<std::string, std::string>> files) {
    const auto require = [](bool good) {
        if (!good) throw Error("the .npz file cannot be made: there is not enough memory");
    };
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* const target = zip_source_buffer_create(nullptr, 0, 0, &error);
    require(target != nullptr);
    zip_source_keep(target); // it is read after the archive has been closed
    const std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> releasing(target, zip_source_free);
    zip_t* const archive = zip_open_from_source(target, ZIP_TRUNCATE, &error);
    require(archive != nullptr);
    std::unique_ptr<zip_t, void (*)(zip_t*)> closing(archive, zip_discard);
    for (const auto& [name, content] : files) {
        zip_source_t* const source = zip_source_buffer(archive, content.data(), content.size(), 0);
        require(source != nullptr);
        const zip_int64_t index = zip_file_add(archive, (name + ".npy").c_str(), source, 0);
        if (index < 0) zip_source_free(source);
        require(index >= 0);
        // The same vectors are the same file, whenever they are written.
        zip_file_set_dostime(archive, static_cast<zip_uint64_t>(index), 0, 0x21, 0);
    }
    require(zip_close(archive) == 0);
    static_cast<void>(closing.release());
    zip_stat_t size;
    zip_stat_init(&size);
    require(zip_source_open(target) == 0 && zip_source_stat(target, &size) == 0);
    std::string bytes(size.size, '\0');
    require(zip_source_read(target, bytes.data(), bytes.size()) == static_cast<zip_int64_t>(bytes.size()));
    zip_source_close(target);
    return bytes;
}

std::vector<std::pair<std::string, Array>> read_npz(std::string_view bytes, const std::string& name) {
    constexpr std::string_view suffix = ".npy";
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
    zip_t* const archive = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
    if (archive == nullptr) {
        if (source != nullptr) zip_source_free(source);
        const std::string why = zip_error_strerror(&error);
        zip_error_fini(&error);
        throw Error(sentence(name, " is not an .npz file: ", why));
    }
    const std::unique_ptr<zip_t, void (*)(zip_t*)> closing(archive, zip_discard);
    std::vector<std::pair<std::string, Array>> arrays;
    std::uint64_t grown = 0; // by how much all are longer than in the file
    for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
        zip_stat_t entry;
        zip_stat_init(&entry);
        if (zip_stat_index(archive, static_cast<zip_uint64_t>(i), 0, &entry) != 0)
            throw Error(name + " is not an .npz file: an entry cannot be read");
        const std::string_view file = entry.name;
        if (!file.ends_with(suffix)) continue;
        const std::string own(file.substr(0, file.size() - suffix.size()));
        grown += entry.size - std::min(entry.size, entry.comp_size);
        if (grown > most_of(Bounded::arrays) || entry.size > std::numeric_limits<std::int64_t>::max())
            throw Error(sentence(name, ":", own, " has ", entry.size,
                                 " bytes, as the archive says: ", too_much(Bounded::arrays)));
        zip_file_t* const stream = zip_fopen_index(archive, static_cast<zip_uint64_t>(i), 0);
        if (stream == nullptr) throw Error(sentence(name, ":", own, " cannot be read: ", zip_strerror(archive)));
        const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> ending(stream, zip_fclose);
        std::string content;
        std::array<char, 1 << 16> part;
        zip_int64_t got = 0;
        while (content.size() <= entry.size && (got = zip_fread(stream, part.data(), part.size())) > 0)
            content.append(part.data(), static_cast<std::size_t>(got));
        if (got < 0 || content.size() != entry.size)
            throw Error(sentence(name, ":", own, " cannot be read: the archive is damaged"));
        arrays.emplace_back(own, read_npy(content, name + ":" + own));
    }
    return arrays;
}
#else
std::string npz_of(std::span<const std::pair<std::string, std::string>> /*files*/) {
    throw Error("this discern was built without libzip, and writes no .npz");
}

std::vector<std::pair<std::string, Array>> read_npz(std::string_view /*bytes*/, const std::string& name) {
    throw Error(name + ": this discern was built without libzip, and reads no .npz; .npy files are right");
}
#endif

} // namespace discern
