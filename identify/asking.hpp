// How an evaluation for a whole box reads the parameters of a structure: by asking, where their values matter.
#pragma once

#include "chooser.hpp"
#include "models/parametric/structure.hpp"

namespace discern::identify {

using namespace parametric;

class Asking {
  public:
    Asking(const Structure& structure, Chooser& chooser) : structure_(structure), chooser_(chooser) {}

    const Structure& structure() const { return structure_; }

    /// One of the values that are still possible: for what all of them treat alike.
    int one(Slot slot) const { return at(slot, chooser_.possible(slot).first()); }
    /// Forks where values of the parameter have different keys. @return one of those that remain
    template <typename KeyOf>
    int choose(Slot slot, KeyOf key_of) {
        return at(slot, chooser_.ask(slot, [&](std::size_t i) { return key_of(at(slot, i)); }));
    }
    template <typename Visit>
    void for_possible(Slot slot, Visit visit) const {
        chooser_.possible(slot).for_each([&](std::size_t i) { visit(at(slot, i)); });
    }
    template <typename Predicate>
    bool any(Slot slot, Predicate predicate) const {
        bool any = false;
        for_possible(slot, [&](int v) { any = any || predicate(v); });
        return any;
    }

  private:
    int at(Slot slot, std::size_t index) const { return structure_.variables[slot].values[index]; }

    const Structure& structure_;
    Chooser& chooser_;
};

} // namespace discern::identify
