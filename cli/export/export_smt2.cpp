// Vectors as one question about their unit's circuit. The inputs are variables; the condition says that they are those
// of some vector, and that the circuit's result differs from the vector's d. unsat: all results are what the circuit
// gives; sat: the values are a vector whose result is not.
#include "encodings/encode.hpp"
#include "encodings/graph/smtlib.hpp"
#include "export.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"

namespace discern::cli {

namespace {

/// The variables and the patterns that they are to be equal to.
void require_equal(Terms& t, std::span<const Term> variables, std::span<const std::uint64_t> patterns,
                   std::vector<Term>& conditions) {
    for (std::size_t i = 0; i < variables.size(); ++i)
        conditions.push_back(t.eq(variables[i], t.constant(t.width(variables[i]), patterns[i])));
}

} // namespace

void export_smt2(std::ostream& out, const Exported& what) {
    if (what.unit.empty()) throw Error("--as smt2: the file names no unit; name one with --unit");
    if (!what.has_results())
        throw Error("--as smt2: the vectors have no d; 'discern eval UNIT FILE' or 'discern run TARGET FILE' adds it");
    if (what.results_each() > 1)
        throw Error("--as smt2: the vectors have several results each; --class says which to ask about");
    Unit unit = resolve_unit(what.unit);
    if (what.nan_any) unit.nan = {};
    Terms t;
    const InputTerms inputs = input_variables(t, unit);
    const Term d = encode(t, unit, inputs);
    std::vector<Term> wrong;
    for (const Vector& vector : what.vectors) {
        what.tell("conditions", wrong.size());
        std::vector<Term> all;
        require_equal(t, inputs.a, vector.a, all);
        require_equal(t, inputs.b, vector.b, all);
        require_equal(t, inputs.sa, vector.sa, all);
        require_equal(t, inputs.sb, vector.sb, all);
        if (inputs.c) all.push_back(t.eq(*inputs.c, t.constant(t.width(*inputs.c), vector.c.value())));
        all.push_back(results_differ(t, unit, unit, d, t.constant(t.width(d), vector.d.front())));
        wrong.push_back(t.all_of(all));
    }
    const Term conditions[] = {t.any_of(wrong)};
    write_smtlib(out, t, conditions,
                 "Is there a vector whose result is not that of the unit's circuit? unsat: no, the results of " +
                     counted(what.vectors.size(), "vector") + " are right.\nunit: " + to_string(unit) +
                     "\nWritten by: " + what.origin,
                 false);
}

} // namespace discern::cli
