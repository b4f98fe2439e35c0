// The page of docs/page.md, served from this machine to a browser on it: for those who cannot or may not use the web.
#include "cli/base/interrupt.hpp"
#include "cli/base/own_program.hpp"
#include "cli/files/files.hpp"
#include "cli/options/options.hpp"
#include "server.hpp"

#include <ostream>

namespace discern::cli {

namespace {

constexpr std::uint16_t usual_port = 8265;

/// Where the page lies: as installed, beside the program's folder, or as built, beside the program or above it.
std::filesystem::path page_folder() {
    std::filesystem::path folder = own_file().parent_path();
    const std::filesystem::path installed = folder.parent_path() / "share/discern/page";
    if (is_there(installed / "index.html")) return installed;
    constexpr int folders_above = 2; // build/tests/cli
    for (int i = 0; i < folders_above && !is_there(folder / "page/index.html"); ++i)
        if (is_there(folder.parent_path() / "page/index.html")) folder = folder.parent_path();
    return folder / "page";
}

int run_page(const Command& self, Arguments arguments, const Streams& io) {
    std::uint16_t port = usual_port;
    std::string folder;
    CommandLine line(self);
    line.add_whole("--port", port, "of 127.0.0.1; 0: any that is free");
    line.add_option("--folder", folder, "the page's files, if they are not where the program expects them")
        .type_name("DIR");
    if (const auto ended = line.read(arguments, io)) return *ended;
    PageServer server(PageFiles::read(folder.empty() ? page_folder() : std::filesystem::path(folder)), port);
    io.out << "http://127.0.0.1:" << server.port() << "/\n" << std::flush;
    Interrupt interrupt(io);
    server.serve(interrupt.token());
    return status::done;
}

} // namespace

extern constinit const Command page_command{
    .name = "page",
    .summary = "a page in the browser for all of this, from this machine",
    .example = "  discern page\n"
               "      prints an address to open in a browser, and serves the page until Ctrl-C\n"
               "  discern page --port 0\n"
               "      the same on any port that is free",
    .run = of_a_machine<run_page>,
    .docs = {.group = "The program", .page = "page"}};

} // namespace discern::cli
