// A line of an exec target's standard input, for programs that are cross-compiled with nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// The operands of a line, by their letters.
inline std::map<char, std::vector<std::uint64_t>> operands_of(const std::string& line) {
    std::map<char, std::vector<std::uint64_t>> operands;
    char name = 0;
    for (std::size_t begin = line.find('"'); begin != std::string::npos; begin = line.find('"', begin + 1)) {
        const std::string text = line.substr(begin + 1, line.find('"', begin + 1) - begin - 1);
        if (text.size() == 1)
            name = text[0];
        else
            operands[name].push_back(std::stoull(text, nullptr, 16));
        begin += text.size() + 1;
    }
    return operands;
}
