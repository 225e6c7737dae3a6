// A layer of a model by its name, for tests that look at one.
#pragma once

#include <stdexcept>
#include <string>

#include "tests/namespace.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::test {

/// Throws std::runtime_error where the model has none.
inline const Layer& layer_named(const Model& model, const std::string& name) {
  for (const Layer& layer : model.layers)
    if (layer.name == name) return layer;
  throw std::runtime_error("no layer " + name);
}

}  // namespace mlsim::test
