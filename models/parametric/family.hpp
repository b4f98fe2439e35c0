#pragma once
#include "structure.hpp"
namespace discern::parametric {
Structure structure_of(const Unit& unit);
}
