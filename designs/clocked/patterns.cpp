// Random inputs and probes take turns; in some of the random ones terms cancel.
#include "patterns.hpp"

#include "models/format.hpp"

#include <algorithm>

namespace discern::rtl {

const InputBuffer& Stream::next() {
    const std::size_t turn = turn_++;
    if (turn % 2 == 1) return buffer_ = probes_.make(static_cast<Probe>((turn + 1) / 2 % probe_kinds), unit_);
    mixture_.next(buffer_);
    if (turn % 4 == 2) cancel();
    return buffer_;
}

void Stream::cancel() {
    const auto sign = [](FormatId id) { return std::uint64_t{1} << (format(id).width - 1); };
    const auto some = [&] { return static_cast<std::size_t>(random_.below(unit_.K)); };
    const std::size_t one = some(), other = some(), left = some();
    for (std::size_t k = 0; k < buffer_.a.size(); ++k)
        if (k != one && k != left) buffer_.a[k] = buffer_.b[k] = 0;
    if (unit_.c && *unit_.c == unit_.d && random_.below(2) == 0) {
        InputBuffer alone = buffer_;
        if (left != one) alone.a[left] = alone.b[left] = 0;
        alone.c = 0;
        buffer_.c = evaluate_(alone.inputs()) ^ sign(unit_.d);
    } else if (other != one) {
        buffer_.a[other] = buffer_.a[one];
        buffer_.b[other] = buffer_.b[one] ^ sign(unit_.b);
    }
}

InputTerms numbered(Terms& t, const InputTerms& like, int number) {
    InputTerms own = like;
    const auto rename = [&](Term& x) { x = t.variable("o" + std::to_string(number) + t.name(x), t.width(x)); };
    for (auto* row : {&own.a, &own.b, &own.sa, &own.sb}) std::ranges::for_each(*row, rename);
    if (own.c) rename(*own.c);
    return own;
}

Found found_from(const DesignCircuit& circuit, const std::function<std::uint64_t(Term)>& value) {
    Found found{vector_from(circuit.inputs, value), {}};
    for (const Open& open : circuit.open()) found.open[circuit.terms.name(open.variable)] = value(open.variable);
    return found;
}

} // namespace discern::rtl
