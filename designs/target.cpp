// The unrolled design as gates, and the run of 64 vectors through them.
#include "target.hpp"

#include "clocked/simulate.hpp"
#include "clocked/unroll.hpp"
#include "conditions.hpp"
#include "designs/clocked/patterns.hpp"
#include "designs/handshake/stepper.hpp"

#include "encodings/encode.hpp"
#include "encodings/graph/gates.hpp"
#include "models/error.hpp"
#include "models/format.hpp"
#include "models/hex.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern::rtl {

namespace {

constexpr std::size_t at_once = 64;         ///< vectors in a machine word
constexpr std::size_t vectors_to_read = 64; ///< on which the reading of a design is compared with a simulator

} // namespace

Unit any_unit_of(const Shape& shape) {
    return parse_unit(sentence(to_string(shape), " : round[", format(shape.d).name, " rne](fuse[exact](p*",
                               shape.c ? ", c" : "", "))"));
}

struct DesignGates::Impl {
    explicit Impl(const DesignQuestion& question)
        : shape(shape_of(question.unit)), inputs(input_variables(terms, question.unit)),
          design(unroll(terms, question.design, question.connection, inputs, question.reached)), blaster(terms) {
        d = blaster.bits(design.d);
        for (const Term operand : inputs.all()) bits_of.push_back(blaster.bits(operand));
        for (const Open& open : design.open) bits_of_open.push_back(blaster.bits(open.variable));
        values.resize(blaster.netlist().nodes().size());
    }

    void set(const std::vector<Literal>& bits, std::size_t bit, std::uint64_t word) {
        values[certificate::node_of(bits[bit])] = word;
    }
    void set_open(std::size_t open, std::uint64_t word) {
        for (std::size_t bit = 0; bit < bits_of_open[open].size(); ++bit) set(bits_of_open[open], bit, word);
    }

    void set_operands(std::span<const Inputs> batch) {
        std::vector<std::array<std::uint64_t, at_once>> patterns(bits_of.size()); // of each operand
        for (std::size_t v = 0; v < batch.size(); ++v) {
            std::size_t operand = 0;
            for_each_input(inputs, batch[v], [&](Term, std::uint64_t x) { patterns[operand++][v] = x; });
        }
        for (std::size_t operand = 0; operand < bits_of.size(); ++operand)
            for (std::size_t bit = 0; bit < bits_of[operand].size(); ++bit) {
                std::uint64_t word = 0;
                for (std::size_t v = 0; v < batch.size(); ++v) word |= ((patterns[operand][v] >> bit) & 1u) << v;
                // One vector alone is computed 64 times, with as many open values.
                set(bits_of[operand], bit, batch.size() == 1 && word != 0 ? ~0ull : word);
            }
    }

    /// d of all vectors, bit by bit.
    std::vector<std::uint64_t> evaluate() {
        compute(blaster.netlist(), values);
        std::vector<std::uint64_t> words;
        for (const Literal bit : d) words.push_back(certificate::value_of(values, bit));
        return words;
    }

    static std::uint64_t differences(const std::vector<std::uint64_t>& one, const std::vector<std::uint64_t>& other) {
        std::uint64_t differ = 0;
        for (std::size_t bit = 0; bit < one.size(); ++bit) differ |= one[bit] ^ other[bit];
        return differ;
    }

    /// In which of the vectors d is not defined by the operands: it changes with open values.
    std::uint64_t undefined(const std::vector<std::uint64_t>& result) {
        if (design.open.empty()) return 0;
        std::uint64_t differ = 0;
        for (int round = 0; round < 4; ++round) {
            for (std::size_t open = 0; open < bits_of_open.size(); ++open)
                for (std::size_t bit = 0; bit < bits_of_open[open].size(); ++bit)
                    set(bits_of_open[open], bit, round == 0 ? ~0ull : random.bits());
            differ |= differences(result, evaluate());
        }
        return differ;
    }

    /// The first open value that changes d in one of these places of a word, one after the other.
    std::string why(std::uint64_t places) {
        for (std::size_t open = 0; open < bits_of_open.size(); ++open) set_open(open, 0);
        std::vector<std::uint64_t> before = evaluate();
        for (std::size_t open = 0; open < bits_of_open.size(); ++open) {
            for (int round = 0; round < 3; ++round) {
                for (std::size_t bit = 0; bit < bits_of_open[open].size(); ++bit)
                    set(bits_of_open[open], bit, round == 0 ? ~0ull : random.bits());
                if ((differences(before, evaluate()) & places) != 0) return design.open[open].why;
            }
            before = evaluate();
        }
        return design.open.front().why;
    }

    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) {
        set_operands(batch);
        for (std::size_t open = 0; open < bits_of_open.size(); ++open) set_open(open, 0);
        const std::vector<std::uint64_t> result = evaluate();
        const std::uint64_t open = undefined(result);
        for (std::size_t v = 0; v < batch.size(); ++v) {
            TargetAnswer answer;
            const std::uint64_t places = batch.size() == 1 ? ~0ull : std::uint64_t{1} << v;
            if ((open & places) != 0)
                answer.error = "the design's result is not defined by the operands: " + why(places);
            else
                for (std::size_t bit = 0; bit < result.size(); ++bit) answer.d |= ((result[bit] >> v) & 1u) << bit;
            answers.push_back(std::move(answer));
        }
    }

    Shape shape;
    Terms terms;
    InputTerms inputs;
    DesignTerm design;
    Blaster blaster;
    std::vector<Literal> d;
    std::vector<std::vector<Literal>> bits_of, bits_of_open; ///< operands in the order of Inputs; open values
    std::vector<std::uint64_t> values;                       ///< by node
    Random random{17};
};

DesignGates::DesignGates(const DesignQuestion& question) : impl_(std::make_unique<Impl>(question)) {}
DesignGates::~DesignGates() = default;
DesignGates::DesignGates(DesignGates&&) noexcept = default;

void DesignGates::run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) {
    for (std::size_t i = 0; i < batch.size(); i += at_once)
        impl_->run(batch.subspan(i, std::min(at_once, batch.size() - i)), answers);
}

std::size_t DesignGates::gates() const { return impl_->blaster.netlist().nodes().size(); }

namespace {

class DesignTarget final : public Target {
  public:
    DesignTarget(const DesignQuestion& question, const Sources& sources, const std::function<bool()>& must_stop)
        : shape_(shape_of(question.unit)), gates_(question) {
        for (const std::string& file : sources.files) files_ += (files_.empty() ? "" : ",") + file;
        top_ = question.design.top;
        reader_ = question.reader;
        require_same_reading(question, sources, must_stop);
    }

    const Shape& shape() const override { return shape_; }
    Identity identity() const override {
        return {{"vendor", "design"},
                {"model", top_},
                {"files", files_},
                {"reader", reader_},
                {"compared", simulator_.empty() ? "with no simulator" : "with " + simulator_}};
    }
    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override { gates_.run(batch, answers); }

  private:
    void require_same_reading(const DesignQuestion& question, const Sources& sources,
                              const std::function<bool()>& must_stop) {
        Stream stream(question.unit, 3);
        std::vector<Vector> vectors;
        while (vectors.size() < vectors_to_read) vectors.push_back(vector_of(shape_, stream.next().inputs()));
        const Limit limit = Limit::after(longest_for_conditions);
        for (Vector& v : vectors_for_conditions(question, 9, limit).vectors) vectors.push_back(std::move(v));
        std::string why_not;
        const auto simulated = simulate(sources, question.design, question.connection, vectors, must_stop, why_not);
        if (!simulated) return;
        simulator_ = simulated->by;
        std::vector<Inputs> inputs;
        for (const Vector& v : vectors) inputs.push_back(v.inputs());
        std::vector<TargetAnswer> answers;
        gates_.run(inputs, answers);
        for (std::size_t i = 0; i < vectors.size(); ++i) {
            if (!answers[i].ok() || known(simulated->d[i]) == answers[i].d) continue;
            throw Error(sentence("simulation and synthesis make different things of the design: for ",
                                 to_json(shape_, vectors[i]), " ", simulated->by, " gives ",
                                 excerpt(simulated->d[i], 80), ", and the netlist ",
                                 to_hex(format(shape_.d), answers[i].d)));
        }
    }

    Shape shape_;
    DesignGates gates_;
    std::string files_, top_, reader_, simulator_;
};

} // namespace

std::unique_ptr<Target> make_design_target(const DesignQuestion& question, const Sources& sources,
                                           const std::function<bool()>& must_stop) {
    return std::make_unique<DesignTarget>(question, sources, must_stop);
}

} // namespace discern::rtl
