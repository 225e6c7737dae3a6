#include "core/kernel/precision.hpp"

#include <algorithm>

#include "core/text/errors.hpp"

namespace mlsim {

const Words<Precision>& words(Precision) {
  static const Words<Precision> table{
      "precision", {"fp32", "tf32", "fp16", "bf16", "fp8"}, {{"mixed", Precision::fp16}}};
  return table;
}

Bytes element_size(Precision precision) {
  return Bytes(precision == Precision::fp32 || precision == Precision::tf32 ? 4.0 : 2.0);
}

}  // namespace mlsim
