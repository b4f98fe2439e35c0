#include "side_by_side.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <thread>
#include <utility>

namespace discern {

SideBySide::SideBySide(Start start, std::size_t most) : start_(std::move(start)), most_(most) {
    copies_.push_back(start_());
}

void SideBySide::run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) {
    const std::size_t used = std::clamp<std::size_t>(batch.size() / least_for_a_copy, 1, most_);
    while (copies_.size() < used) copies_.push_back(start_());
    if (used == 1) return copies_.front()->run(batch, answers);

    struct Part {
        std::vector<TargetAnswer> answers;
        std::exception_ptr failure;
    };
    std::vector<Part> parts(used);
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < used; ++i)
            threads.emplace_back([&, i] {
                const std::size_t begin = batch.size() * i / used, end = batch.size() * (i + 1) / used;
                try {
                    copies_[i]->run(batch.subspan(begin, end - begin), parts[i].answers);
                } catch (...) {
                    parts[i].failure = std::current_exception();
                }
            });
    }
    for (Part& part : parts) {
        std::move(part.answers.begin(), part.answers.end(), std::back_inserter(answers));
        if (part.failure) std::rethrow_exception(part.failure);
    }
}

} // namespace discern
