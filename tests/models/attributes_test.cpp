// The records of parameters have each parameter of the table, once, and the tree's default is the table's.
#include "models/unit/parameters.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern::parametric {
namespace {

template <template <template <typename> class> class Attributes, typename Part>
void expect_all(OwnerKind kind) {
    Attributes<NumberOf> zipped, numbers;
    int fields = 0;
    Attributes<NumberOf>::zip(zipped, numbers, [&](int& n, int&) { n = ++fields; });
    std::set<int> seen;
    for (const Parameter* p : parameters_of(kind)) {
        seen.insert(zipped.*std::get<int Attributes<NumberOf>::*>(p->number));
        // The slot is that of the same field.
        Attributes<SlotOf> slots;
        p->slot_of(slots) = 7;
        int at = 0, found = 0;
        Attributes<SlotOf>::zip(slots, zipped, [&](OptionalSlot slot, int n) {
            ++at;
            if (slot == 7) found = n;
            EXPECT_EQ(n, at);
        });
        EXPECT_EQ(found, zipped.*std::get<int Attributes<NumberOf>::*>(p->number)) << p->word;
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(fields)) << "a field without a row, or two rows of one field";
    EXPECT_EQ(parameters_of(kind).size(), static_cast<std::size_t>(fields));

    const Part part{};
    put_numbers(kind, &part, numbers);
    for (const Parameter* p : parameters_of(kind)) {
        if (p->form == Form::first) continue; // which is always written
        EXPECT_EQ(numbers.*std::get<int Attributes<NumberOf>::*>(p->number), p->standard) << p->word;
    }
}

TEST(Attributes, AreThoseOfTheTable) {
    expect_all<ProductAttributes, Product>(OwnerKind::product);
    expect_all<GroupAttributes, Group>(OwnerKind::group);
    expect_all<AccumulatorAttributes, Accumulator>(OwnerKind::accumulator);
    expect_all<FuseAttributes, Fuse>(OwnerKind::fuse);
    expect_all<ChildAttributes, Child>(OwnerKind::child);
    expect_all<RoundAttributes, Round>(OwnerKind::round);
}

} // namespace
} // namespace discern::parametric
