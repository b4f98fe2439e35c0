// The columns of a table, wherever they stand: every one is found by its name alone.
#include "models/import/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace discern {
namespace {

/// A shape with two products.
Shape two_products() {
    Shape shape;
    shape.a = shape.b = FormatId::f16;
    shape.c = shape.d = FormatId::f32;
    shape.K = 2;
    return shape;
}

TEST(TableColumns, AnOperandIsFoundInAnyOrderAndBehindAnyColumn) {
    struct Column {
        std::string name, cell;
    };
    std::vector<Column> columns = {{"a0", "3c00"}, {"a1", "4000"},    {"b0", "3800"},
                                   {"b1", "c200"}, {"c", "3e800000"}, {"d", "c0a80000"}};
    for (std::size_t turned = 0; turned < columns.size(); ++turned) {
        std::rotate(columns.begin(), columns.begin() + 1, columns.end());
        for (std::size_t others = 0; others <= 8; ++others) {
            std::string names, cells, list;
            const auto add = [&](const std::string& name, const std::string& cell) {
                names += (names.empty() ? "" : ",") + name;
                cells += (cells.empty() ? "" : ",") + cell;
            };
            for (std::size_t i = 0; i < others; ++i) add("x" + std::to_string(i), "0");
            for (const Column& column : columns) add(column.name, column.cell);
            for (const Column& column : columns) list += (list.empty() ? "" : ",") + column.name + "=" + column.name;
            TableOptions options;
            options.columns = list; // which leaves out all others
            std::istringstream in(names + "\n" + cells + "\n");
            const Table table = read_table(in, "table", two_products(), options);
            ASSERT_EQ(table.vectors.size(), 1u);
            const Vector& vector = table.vectors.front();
            EXPECT_EQ(vector.a, (std::vector<std::uint64_t>{0x3c00, 0x4000})) << names;
            EXPECT_EQ(vector.b, (std::vector<std::uint64_t>{0x3800, 0xc200})) << names;
            EXPECT_EQ(vector.c, 0x3e800000u);
            EXPECT_EQ(vector.d, (std::vector<std::uint64_t>{0xc0a80000}));
        }
    }
}

} // namespace
} // namespace discern
