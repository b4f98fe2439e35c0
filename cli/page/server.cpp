#include "server.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace discern::cli {

namespace {

constexpr std::size_t longest_request = std::size_t{1} << 14;
constexpr std::size_t most_connections = 64;
constexpr int poll_milliseconds = 100;
constexpr std::chrono::seconds longest_silence{20}; ///< without a request that is whole, or an answer that is taken

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> types = {{
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".gz", "application/gzip"},
    {".wasm", "application/wasm"},
}};

std::string_view type_of(std::string_view path) {
    for (const auto& [ending, type] : types)
        if (path.ends_with(ending)) return type;
    return "application/octet-stream";
}

// The policy of the page stands in its markup, but for what can only be said here: no other page may frame it.
std::string reply(std::string_view status, std::string_view type, std::string_view content, bool with_content) {
    return sentence("HTTP/1.1 ", status, "\r\nContent-Type: ", type, "\r\nContent-Length: ", content.size(),
                    "\r\nContent-Security-Policy: frame-ancestors 'none'\r\nX-Content-Type-Options: nosniff"
                    "\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n",
                    with_content ? content : std::string_view{});
}

/// Whether it names this machine, if it names one. Another name may be that of a page elsewhere, which would read ours
/// by leading its name here.
bool is_for_us(std::string_view request) {
    std::string text(request.substr(0, request.find("\r\n\r\n")));
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::string_view field = "\r\nhost:";
    for (std::size_t at = text.find(field); at != std::string::npos; at = text.find(field, at + 1)) {
        std::size_t begin = text.find_first_not_of(" \t", at + field.size());
        begin = std::min(begin, text.size());
        std::string host = text.substr(begin, text.find("\r\n", begin) - begin);
        host.erase(std::min(host.find_last_not_of(" \t") + 1, host.size()));
        const std::size_t port = host.rfind(':');
        if (port != std::string::npos && host.find_first_not_of("0123456789", port + 1) == std::string::npos)
            host.resize(port);
        if (host != "127.0.0.1" && host != "localhost" && host != "[::1]") return false;
    }
    return true;
}

struct Connection {
    int socket;
    std::chrono::steady_clock::time_point since;
    std::string request, answer;
    std::size_t sent = 0;

    bool is_over = false;

    void read_more(const PageFiles& files) {
        std::array<char, 4096> part;
        const ssize_t got = recv(socket, part.data(), part.size(), 0);
        if (got <= 0) {
            is_over = got == 0 || (errno != EAGAIN && errno != EINTR);
            return;
        }
        request.append(part.data(), static_cast<std::size_t>(got));
        if (request.find("\r\n\r\n") != std::string::npos)
            answer = files.answer(request);
        else if (request.size() > longest_request)
            answer = reply("431 Request Header Fields Too Large", "text/plain", "the request is too long\n", true);
    }

    void send_more() {
        const ssize_t gone = send(socket, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
        if (gone < 0)
            is_over = errno != EAGAIN && errno != EINTR;
        else if ((sent += static_cast<std::size_t>(gone)) == answer.size())
            is_over = true;
    }
};

void accept_one(int listening, std::vector<Connection>& connections) {
    const int socket = accept(listening, nullptr, nullptr);
    if (socket < 0) return;
    if (connections.size() >= most_connections) { // what has waited longest without a request makes room
        const auto idle = std::ranges::find_if(connections, [](const Connection& c) { return c.answer.empty(); });
        close(idle == connections.end() ? socket : idle->socket);
        if (idle == connections.end()) return;
        connections.erase(idle);
    }
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    connections.push_back({.socket = socket, .since = std::chrono::steady_clock::now(), .request = {}, .answer = {}});
}

} // namespace

PageFiles PageFiles::read(const std::filesystem::path& folder) {
    PageFiles files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream in(entry.path(), std::ios::binary);
        if (!in) throw Error(entry.path().string() + " cannot be read");
        files.add(entry.path().filename().string(), {std::istreambuf_iterator<char>(in), {}});
    }
    if (!files.files_.contains("/index.html"))
        throw Error("there is no page in " + folder.string() + "; script/page makes one, in build/page");
    return files;
}

std::string PageFiles::answer(std::string_view request) const {
    const std::string_view line = request.substr(0, request.find("\r\n"));
    const std::size_t first = line.find(' '), second = line.find(' ', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos ||
        !line.substr(second + 1).starts_with("HTTP/"))
        return reply("400 Bad Request", "text/plain", "this is no request\n", true);
    const std::string_view method = line.substr(0, first);
    if (method != "GET" && method != "HEAD")
        return reply("405 Method Not Allowed", "text/plain", "only GET and HEAD\n", true);
    if (!is_for_us(request))
        return reply("421 Misdirected Request", "text/plain", "this is the page of 127.0.0.1\n", true);
    const bool with_content = method == "GET";
    std::string_view path = line.substr(first + 1, second - first - 1);
    path = path.substr(0, path.find('?'));
    const auto file = files_.find(path == "/" ? "/index.html" : path);
    if (file == files_.end()) return reply("404 Not Found", "text/plain", "there is no such file\n", with_content);
    return reply("200 OK", type_of(file->first), file->second, with_content);
}

PageServer::PageServer(PageFiles files, std::uint16_t port) : files_(std::move(files)) {
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0) throw Error(sentence("no socket: ", std::strerror(errno)));
    const int yes = 1;
    setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(socket_, reinterpret_cast<const sockaddr*>(&address), size) != 0 || listen(socket_, SOMAXCONN) != 0 ||
        getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        const std::string why = std::strerror(errno);
        close(socket_);
        throw Error(sentence("port ", port, " of 127.0.0.1: ", why, "; --port 0 takes one that is free"));
    }
    port_ = ntohs(address.sin_port);
}

PageServer::~PageServer() { close(socket_); }

void PageServer::serve(const std::stop_token& stop) {
    std::vector<Connection> connections;
    std::vector<pollfd> waiting;
    while (!stop.stop_requested()) {
        waiting.assign(1, {socket_, POLLIN, 0});
        for (const Connection& c : connections)
            waiting.push_back({c.socket, static_cast<short>(c.answer.empty() ? POLLIN : POLLOUT), 0});
        if (poll(waiting.data(), waiting.size(), poll_milliseconds) < 0) continue; // a signal, which the stop says too
        const auto now = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < connections.size(); ++i) {
            Connection& c = connections[i];
            if (waiting[i + 1].revents != 0) {
                if (c.answer.empty()) {
                    c.read_more(files_);
                } else {
                    c.since = now;
                    c.send_more();
                }
            }
            c.is_over = c.is_over || now - c.since > longest_silence;
            if (c.is_over) close(c.socket);
        }
        std::erase_if(connections, [](const Connection& c) { return c.is_over; });
        if (waiting[0].revents != 0) accept_one(socket_, connections);
    }
    for (const Connection& c : connections) close(c.socket);
}

} // namespace discern::cli
