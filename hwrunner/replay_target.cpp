// A file of observations as a target: what was once seen on silicon, to be asked again where the silicon is not.
#include "makers.hpp"
#include "models/error.hpp"
#include "models/vectors.hpp"

#include <filesystem>
#include <fstream>
#include <map>

namespace discern {

namespace {

using Key = std::vector<std::uint64_t>; ///< a, b, sa, sb, c: the lengths are the shape's

Key key_of(const Inputs& inputs, bool has_c) {
    Key key;
    for (const auto part : {inputs.a, inputs.b, inputs.sa, inputs.sb}) key.insert(key.end(), part.begin(), part.end());
    if (has_c) key.push_back(inputs.c);
    return key;
}

class ReplayTarget final : public Target {
  public:
    explicit ReplayTarget(const std::string& path) : path_(path), streak_(path) {
        std::error_code ignored;
        std::ifstream in(path, std::ios::binary);
        if (!in || std::filesystem::is_directory(path, ignored))
            throw Error(path + " cannot be read; replay: takes a file of observations");
        VectorReader reader(in, path);
        shape_ = reader.shape();
        of_ = reader.header().target;
        Vector vector;
        while (reader.next(vector)) {
            if (vector.error.empty() && vector.d.size() != 1)
                throw Error(reader.at_line("field d: there must be one observed result a vector to replay it"));
            TargetAnswer answer{.d = vector.error.empty() ? vector.d.front() : 0, .error = vector.error};
            const auto [entry, is_new] = seen_.emplace(key_of(vector.inputs(), shape_.c.has_value()), answer);
            if (!is_new && entry->second != answer)
                throw Error(reader.at_line("field d: differs from that of an earlier line with the same inputs; a "
                                           "target that answers now so and now so cannot be replayed"));
        }
        if (seen_.empty()) throw Error(path + " has no vectors; there is nothing to replay");
    }

    const Shape& shape() const override { return shape_; }
    Identity identity() const override {
        Identity identity = {{"replayed", path_}};
        if (!of_.empty()) identity.emplace_back("observed", of_);
        return identity;
    }
    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override {
        for (const Inputs& inputs : batch) {
            const auto found = seen_.find(key_of(inputs, shape_.c.has_value()));
            answers.push_back(found != seen_.end() ? found->second
                                                   : TargetAnswer{.d = 0, .error = "the vector is not in " + path_});
            streak_.count(answers.back());
        }
    }

  private:
    std::string path_, of_;
    Shape shape_;
    std::map<Key, TargetAnswer> seen_;
    FailureStreak streak_;
};

} // namespace

std::unique_ptr<Target> make_replay(const std::string& file, const TargetOptions& /*options*/) {
    return std::make_unique<ReplayTarget>(file);
}

} // namespace discern
