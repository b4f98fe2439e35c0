// Every rule of folding has a customer: a pair of units that is one term by it, and two without it.
#include "customers.hpp"

#include "encodings/encode.hpp"
#include "models/catalogue.hpp"
#include "models/overrides.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>

namespace discern {
namespace {

using namespace tests;

bool are_one_term(const Customer& customer, std::optional<Folding> left_out) {
    Terms terms;
    if (left_out) terms.leave_unfolded(*left_out);
    const Unit one = resolve_unit(std::string(customer.one)), two = resolve_unit(customer.second());
    const InputTerms inputs = input_variables(terms, one);
    return encode(terms, one, inputs) == encode(terms, two, inputs);
}

class Customers : public testing::TestWithParam<Customer> {};

TEST_P(Customers, AreLostWithoutTheirRule) {
    EXPECT_TRUE(are_one_term(GetParam(), std::nullopt));
    EXPECT_FALSE(are_one_term(GetParam(), GetParam().rule));
}

INSTANTIATE_TEST_SUITE_P(Encode, Customers, testing::ValuesIn(customers),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(CustomersOfRules, EveryRuleHasOne) {
    std::set<Folding> served;
    for (const Customer& customer : customers) served.insert(customer.rule);
    for (int rule = 0; rule < static_cast<int>(Folding::count); ++rule)
        EXPECT_EQ(served.count(static_cast<Folding>(rule)), 1u)
            << "the rule after " << rule << " others has no customer";
}

} // namespace
} // namespace discern
