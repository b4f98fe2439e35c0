// discern page: what its server answers, and that no request reaches a file that was not meant.
#include "cli/page/server.hpp"

#include "cli/program.hpp"
#include "models/error.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace discern::testing {
namespace {

using cli::PageFiles;
using cli::PageServer;

PageFiles some_files() {
    PageFiles files;
    files.add("index.html", "<!doctype html>\n");
    files.add("page.js", "go();");
    files.add("discern.wasm.gz", std::string("\x1f\x8b\0x", 4));
    return files;
}

std::string get(const PageFiles& files, const std::string& path, const std::string& method = "GET") {
    return files.answer(method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
}

std::string status_of(const std::string& answer) { return answer.substr(9, 3); }
std::string content_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

TEST(PageServerAnswers, Files) {
    const PageFiles files = some_files();
    EXPECT_EQ(content_of(get(files, "/")), "<!doctype html>\n");
    EXPECT_EQ(content_of(get(files, "/index.html")), "<!doctype html>\n");
    EXPECT_EQ(content_of(get(files, "/page.js?x=1")), "go();");
    EXPECT_EQ(content_of(get(files, "/discern.wasm.gz")), std::string("\x1f\x8b\0x", 4));
    EXPECT_NE(get(files, "/").find("Content-Type: text/html; charset=utf-8\r\n"), std::string::npos);
    EXPECT_NE(get(files, "/page.js").find("Content-Length: 5\r\n"), std::string::npos);
    EXPECT_NE(get(files, "/discern.wasm.gz").find("Content-Type: application/gzip\r\n"), std::string::npos);
    EXPECT_EQ(get(files, "/").find("Content-Encoding"), std::string::npos); // the page undoes the compression itself
    EXPECT_EQ(content_of(get(files, "/page.js", "HEAD")), "");
    EXPECT_NE(get(files, "/page.js", "HEAD").find("Content-Length: 5\r\n"), std::string::npos);
}

TEST(PageServerAnswers, NothingElse) {
    const PageFiles files = some_files();
    for (const char* path : {"/../etc/passwd", "/./page.js", "//page.js", "/etc/passwd", "/page.js/", "/page",
                             "page.js", "/%2e%2e/page.js", "http://127.0.0.1/page.js", "/index.html\\..", "*"})
        EXPECT_EQ(status_of(get(files, path)), "404") << path;
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get"})
        EXPECT_EQ(status_of(get(files, "/", method)), "405") << method;
    for (const char* request :
         {"", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / SPDY/1\r\n\r\n", "\r\n\r\n", "hello world\r\n\r\n"})
        EXPECT_EQ(status_of(files.answer(request)), "400") << request;
}

TEST(PageServerAnswers, OnlyThoseWhoAskThisMachine) {
    const PageFiles files = some_files();
    const auto from = [&](const std::string& host) {
        return status_of(files.answer("GET / HTTP/1.1\r\nAccept: x\r\nhOST:" + host + "\r\n\r\n"));
    };
    for (const char* host : {" 127.0.0.1:8000", "localhost", " LocalHost:1 ", " [::1]:80", "127.0.0.1"})
        EXPECT_EQ(from(host), "200") << host;
    for (const char* host :
         {" example.org", " example.org:8000", " 127.0.0.1.example.org", "", " 0.0.0.0", " 127.0.0.1:x"})
        EXPECT_EQ(from(host), "421") << host;
    EXPECT_EQ(status_of(files.answer("GET / HTTP/1.0\r\n\r\n")), "200");
    EXPECT_EQ(status_of(files.answer("GET / HTTP/1.1\r\nHost: localhost\r\nHost: other\r\n\r\n")), "421");
}

class Client {
  public:
    explicit Client(std::uint16_t port, std::uint32_t host = INADDR_LOOPBACK)
        : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(host);
        connected_ = connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    ~Client() { close(socket_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    bool connected() const { return connected_; }
    void send(const std::string& text) {
        ASSERT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL), ssize_t(text.size()));
    }
    std::string receive() {
        std::string all;
        char part[4096];
        for (ssize_t n; (n = recv(socket_, part, sizeof part, 0)) > 0;) all.append(part, static_cast<std::size_t>(n));
        return all;
    }

  private:
    int socket_;
    bool connected_ = false;
};

/// A server that answers in a thread of its own while it lives.
struct Running {
    explicit Running(PageFiles files) : server(std::move(files), 0) {
        thread = std::jthread([this](const std::stop_token& stop) { server.serve(stop); });
    }
    PageServer server;
    std::jthread thread;
};

TEST(PageServerRuns, ManyAtOnce) {
    PageFiles files = some_files();
    const std::string large(3 << 20, 'x');
    files.add("large.js", large);
    Running running(std::move(files));
    Client silent(running.server.port()), slow(running.server.port());
    ASSERT_TRUE(silent.connected());
    slow.send("GET /page.js HT");
    for (int i = 0; i < 20; ++i) {
        Client client(running.server.port());
        client.send("GET /large.js HTTP/1.1\r\nHost: localhost\r\n\r\n");
        EXPECT_EQ(content_of(client.receive()), large);
    }
    slow.send("TP/1.1\r\n\r\n");
    EXPECT_EQ(content_of(slow.receive()), "go();");
    Client endless(running.server.port());
    endless.send(std::string(20'000, 'a'));
    EXPECT_EQ(status_of(endless.receive()), "431");
}

TEST(PageServerRuns, IdleOnesMakeRoom) {
    Running running(some_files());
    std::vector<std::unique_ptr<Client>> idle;
    for (int i = 0; i < 70; ++i) {
        idle.push_back(std::make_unique<Client>(running.server.port()));
        if (i % 2 == 0) idle.back()->send("GET");
    }
    Client client(running.server.port());
    client.send("GET /page.js HTTP/1.1\r\n\r\n");
    EXPECT_EQ(content_of(client.receive()), "go();");
}

TEST(PageServerRuns, OnlyOnThisMachine) {
    Running running(some_files());
    EXPECT_TRUE(Client(running.server.port()).connected());
    EXPECT_FALSE(Client(running.server.port(), 0x7f000002).connected()); // another address of the machine
}

TEST(PageServerRuns, APortThatIsTaken) {
    Running running(some_files());
    try {
        const PageServer other(some_files(), running.server.port());
        FAIL() << "two servers on one port";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("--port 0 takes one that is free"), std::string::npos) << error.what();
    }
}

TEST(PageCommand, SaysWhatIsMissing) {
    Folder folder;
    const Outcome outcome = discern({"page", "--folder", folder.path("")});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("there is no page in "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("script/page makes one"), std::string::npos) << outcome.err;
    EXPECT_EQ(discern({"page", "--port", "70000"}).status, 2);
}

TEST(PageCommand, ReadsItsFolder) {
    Folder folder;
    folder.file("index.html", "hello");
    folder.file("page.css", "p {}");
    const PageFiles files = PageFiles::read(folder.path(""));
    EXPECT_EQ(content_of(get(files, "/")), "hello");
    EXPECT_EQ(content_of(get(files, "/page.css")), "p {}");
    EXPECT_EQ(status_of(get(files, "/page.js")), "404");
}

} // namespace
} // namespace discern::testing
