#include "core/kernel/precision.hpp"

namespace mlsim {

Bytes element_size(Precision precision) {
  return Bytes(precision == Precision::fp32 || precision == Precision::tf32 ? 4.0 : 2.0);
}

Bytes operand_size(Precision precision) {
  switch (precision) {
    case Precision::fp8:
    case Precision::int8: return Bytes(1);
    case Precision::fp8_block: return Bytes(1 + 4.0 / 128);
    case Precision::mxfp8: return Bytes(1 + 1.0 / 32);
    case Precision::nvfp4: return Bytes(0.5 + 1.0 / 16);
    default: return element_size(precision);
  }
}

}  // namespace mlsim
