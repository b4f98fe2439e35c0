// Packing and the life of a device's process, with devices that the tests make up.
#include "hwrunner/matrix_target.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/families.hpp"
#include "random_tile.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <set>

#include <unistd.h>

namespace discern::testing {
namespace {

const std::string unit_name = "ampere/mma.m16n8k8.f32.f16.f16.f32";

struct Batch {
    std::vector<InputBuffer> buffers;
    std::vector<Inputs> inputs;

    explicit Batch(std::size_t count) : buffers(count) {
        InputGenerator generator(resolve_unit(unit_name), Family::normal, 12);
        for (InputBuffer& buffer : buffers) {
            generator.next(buffer);
            inputs.push_back(buffer.inputs());
        }
    }
};

MatrixShape shape_of_tiles(int M, int N) { return {.dot = shape_of(resolve_unit(unit_name)), .M = M, .N = N}; }

TEST(PackTiles, EachVectorMeetsItselfAtItsPlace) {
    for (const auto& [M, N] : {std::pair{16, 8}, std::pair{8, 16}, std::pair{4, 4}, std::pair{64, 8}}) {
        const int rows = M, columns = N;
        const MatrixShape shape = shape_of_tiles(rows, columns);
        const Batch batch(30);
        Random random(3);
        const Packed packed = pack_tiles(shape, batch.inputs, random);
        const auto side = static_cast<std::size_t>(std::min(rows, columns));
        EXPECT_EQ(packed.tiles.size(), (30 + side - 1) / side);
        ASSERT_EQ(packed.places.size(), 30u);
        std::set<std::pair<int, int>> seen;
        for (std::size_t v = 0; v < 30; ++v) {
            const Packed::Place& place = packed.places[v];
            const MatrixTile& tile = packed.tiles[place.tile];
            const auto i = static_cast<std::size_t>(place.row), j = static_cast<std::size_t>(place.column);
            EXPECT_EQ(place.tile, v / side);
            EXPECT_TRUE(
                std::equal(batch.buffers[v].a.begin(), batch.buffers[v].a.end(), tile.a.begin() + place.row * 8));
            EXPECT_TRUE(
                std::equal(batch.buffers[v].b.begin(), batch.buffers[v].b.end(), tile.b.begin() + place.column * 8));
            EXPECT_EQ(tile.c[i * static_cast<std::size_t>(columns) + j], batch.buffers[v].c);
            EXPECT_EQ(tile.a.size(), static_cast<std::size_t>(rows * 8));
            EXPECT_EQ(tile.b.size(), static_cast<std::size_t>(columns * 8));
            seen.insert({place.row, place.column});
        }
        EXPECT_GT(seen.size(), 10u); // places vary
    }
}

/// Computes with the unit; some go wrong on purpose.
class MadeUp : public MatrixDevice {
  public:
    MadeUp() : evaluate_(resolve_unit(unit_name)) {}
    const MatrixShape& shape() const override { return shape_; }
    Identity identity() const override { return {{"vendor", "nobody"}}; }
    std::size_t tiles_per_launch() const override { return 3; }
    void launch(std::span<const MatrixTile> tiles, std::vector<std::uint64_t>& d) override {
        EXPECT_LE(tiles.size(), 3u);
        for (const MatrixTile& tile : tiles) evaluate_tile(evaluate_, shape_, tile, d);
    }

  private:
    MatrixShape shape_ = shape_of_tiles(16, 8);
    Evaluator evaluate_;
};

TEST(MatrixTarget, AnswersAreInTheOrderOfTheVectors) {
    const auto target = make_matrix_target(
        "made:up", [] { return std::make_unique<MadeUp>(); }, 10);
    EXPECT_EQ(target->identity(), (Identity{{"vendor", "nobody"}}));
    const Evaluator evaluate(resolve_unit(unit_name));
    for (const std::size_t count : {1u, 7u, 8u, 100u}) {
        const Batch batch(count);
        std::vector<TargetAnswer> answers;
        target->run(batch.inputs, answers);
        ASSERT_EQ(answers.size(), count);
        for (std::size_t v = 0; v < count; ++v) EXPECT_EQ(answers[v].d, evaluate(batch.inputs[v])) << v;
    }
}

std::string failure_to_open(OpenDevice open) {
    try {
        make_matrix_target("made:up", std::move(open), 0.2);
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing failed";
}

TEST(MatrixTarget, FailuresToOpenAreSentences) {
    EXPECT_EQ(failure_to_open([]() -> std::unique_ptr<MatrixDevice> { throw Error("no, because"); }), "no, because");
    EXPECT_EQ(failure_to_open([]() -> std::unique_ptr<MatrixDevice> { throw DeviceError("broken"); }),
              "unavailable: made:up: broken");
    EXPECT_EQ(failure_to_open([]() -> std::unique_ptr<MatrixDevice> { _exit(3); }),
              "unavailable: made:up: the process that runs it ended with exit status 3");
}

TEST(AskInProcess, AnswersOrSaysWhyNot) {
    constexpr double long_enough = 60;
    const auto failure = [](const std::function<std::string()>& ask, double timeout) {
        try {
            return ask_in_process("it", ask, timeout);
        } catch (const Error& error) {
            return std::string(error.what());
        }
    };
    EXPECT_EQ(failure([] { return std::string("yes"); }, long_enough), "yes");
    EXPECT_EQ(failure([] { return std::string(3'000'000, 'x'); }, long_enough).size(), 3'000'000u);
    EXPECT_EQ(failure([]() -> std::string { throw Error("no"); }, long_enough), "no");
    EXPECT_EQ(failure(
                  []() -> std::string {
                      std::raise(SIGKILL);
                      return "";
                  },
                  long_enough),
              "it: the process that runs it ended with signal 9");
    const auto hang = []() -> std::string {
        while (true) pause();
    };
    EXPECT_EQ(failure(hang, 0.2), "it gave no answer within 0.2 s and was stopped");
}

} // namespace
} // namespace discern::testing
