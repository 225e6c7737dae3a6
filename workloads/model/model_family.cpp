#include "workloads/model/model_family.hpp"

namespace mlsim::workloads {

const Words<ModelFamily>& words(ModelFamily) {
  static const Words<ModelFamily> table{
      "family", {"convolutional", "transformer", "translation", "recurrent", "recommender", "linear"}};
  return table;
}

}  // namespace mlsim::workloads
