// A server of a few files, for a browser on the same machine: `discern page`.
//
// The files are read when it starts, and a request names one of them or gets 404: no path of a request ever reaches the
// file system. It listens on 127.0.0.1 alone, and knows GET and HEAD.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>

namespace discern::cli {

/// What is served, by the path of a request: "/page.js"; "/" is "/index.html".
class PageFiles {
  public:
    /// The files of a folder, without those in folders within it. @throws Error if there is no index.html
    static PageFiles read(const std::filesystem::path& folder);
    void add(const std::string& name, std::string content) { files_["/" + name] = std::move(content); }

    /// The whole answer to a request: status, header and content.
    /// @param request  from its first line to the empty line
    std::string answer(std::string_view request) const;

  private:
    std::map<std::string, std::string, std::less<>> files_;
};

/// The address of a server that listens, which ends with its life.
class PageServer {
  public:
    /// @param port  0: any that is free. @throws Error if it is in use
    PageServer(PageFiles files, std::uint16_t port);
    ~PageServer();
    PageServer(const PageServer&) = delete;
    PageServer& operator=(const PageServer&) = delete;

    std::uint16_t port() const { return port_; }
    /// Answers until the stop is requested.
    void serve(const std::stop_token& stop);

  private:
    PageFiles files_;
    int socket_ = -1;
    std::uint16_t port_ = 0;
};

} // namespace discern::cli
