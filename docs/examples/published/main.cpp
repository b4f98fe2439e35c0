// Prints the published results beside what the catalogue's units give. Exit status 0 if each is as expected, 1 if not.
//
//     build/examples/published/published [divergence|gemm|floor|rounding|frame|correction]…
//     build/examples/published/published --svg >docs/six-answers.svg

#include "published.hpp"

#include <cstdio>
#include <exception>
#include <set>
#include <string>

namespace {

using namespace discern::published;

std::string text(const Collection& table, double number) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, table.notation.c_str(), number);
    return buffer;
}

/// Prints a table and returns whether every result is as expected.
bool print(const Collection& table) {
    std::printf("%s\n%s\n\n", table.title.c_str(), table.story.c_str());
    std::size_t subject = 0, unit = 0;
    for (const Result& r : table.results) {
        subject = std::max(subject, r.subject.size());
        unit = std::max(unit, r.unit.size());
    }
    std::printf("  %-*s  %-*s  %12s  %12s\n", static_cast<int>(subject), "", static_cast<int>(unit), "unit",
                "published", "discern");
    bool good = true;
    for (const Result& r : table.results) {
        const char* verdict = !r.as_expected() ? "  WRONG" : r.contradiction ? "  differs: " : "";
        std::printf("  %-*s  %-*s  %12s  %12s%s%s\n", static_cast<int>(subject), r.subject.c_str(),
                    static_cast<int>(unit), r.unit.c_str(), text(table, r.published).c_str(),
                    text(table, r.computed).c_str(), verdict, r.as_expected() ? r.remark.c_str() : "");
        good = good && r.as_expected();
    }
    std::printf("\n");
    return good;
}

} // namespace

int main(int argc, char** argv) try {
    const std::set<std::string> wanted(argv + 1, argv + argc);
    if (wanted == std::set<std::string>{"--svg"}) {
        std::fputs(picture().c_str(), stdout);
        return 0;
    }
    std::set<std::string> unknown = wanted;
    bool good = true;
    for (const Named& entry : collections()) unknown.erase(entry.name);
    if (!unknown.empty()) {
        std::fprintf(stderr, "published: there are no results named '%s'; there are", unknown.begin()->c_str());
        for (const Named& entry : collections()) std::fprintf(stderr, " %s", entry.name);
        std::fprintf(stderr, "\n");
        return 2;
    }
    for (const Named& entry : collections())
        if (wanted.empty() || wanted.contains(entry.name)) good = print(entry.compute()) && good;
    return good ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "published: %s\n", error.what());
    return 2;
}
