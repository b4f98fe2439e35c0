// The smallest user of the installed library.
#include <models/format.hpp>

#include <iostream>

int main() {
    const discern::Format& f16 = discern::format(discern::FormatId::f16);
    std::cout << "binary16 has " << f16.mantissa_bits << " mantissa bits\n";
}
