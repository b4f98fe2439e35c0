// The pipe of `matrices:` targets, for programs that wrap a library: products come in, results go out.
//
// docs/targets.md is the protocol. Nothing of discern is needed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

/// A product that is asked for: words as they come, row by row.
template <class Operand, class Result>
struct Product {
    std::size_t m = 0, n = 0, k = 0;
    std::vector<Operand> a, b; ///< m × k, k × n
    std::vector<Result> c;     ///< m × n; +0 if there is no C
};

/// Calls multiply(product) for each; what it leaves in `c` is the answer. @return the exit status
template <class Operand, class Result, class Multiply>
int answer_products(const Multiply& multiply) {
    std::string header; // which says the formats; whoever starts this knows them
    for (int letter = std::getchar(); letter != '\n'; letter = std::getchar()) {
        if (letter == EOF) return 0;
        header += static_cast<char>(letter);
    }
    const bool with_c = header.find("\"c\":") != std::string::npos;
    const auto read = [](void* to, std::size_t bytes) { return std::fread(to, 1, bytes, stdin) == bytes; };
    Product<Operand, Result> p;
    for (std::uint32_t size[3]; read(size, sizeof size);) {
        p.m = size[0], p.n = size[1], p.k = size[2];
        p.a.resize(p.m * p.k);
        p.b.resize(p.k * p.n);
        p.c.assign(p.m * p.n, Result{});
        const bool whole = read(p.a.data(), p.a.size() * sizeof(Operand)) &&
                           read(p.b.data(), p.b.size() * sizeof(Operand)) &&
                           (!with_c || read(p.c.data(), p.c.size() * sizeof(Result)));
        if (!whole) return 2;
        multiply(p);
        std::fwrite(p.c.data(), sizeof(Result), p.c.size(), stdout);
        std::fflush(stdout);
    }
    return 0;
}
