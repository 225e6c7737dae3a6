#include "sim/job/price_index.hpp"

#include <cassert>

namespace mlsim::sim {

PriceIndex price_index(const PricedTime& many, const PricedTime& one) {
  assert(many.time.value > 0 && one.time.value > 0 && many.price.value > 0 && one.price.value > 0);
  return {(many.price * many.time) / (one.price * one.time), one.time / many.time};
}

}  // namespace mlsim::sim
