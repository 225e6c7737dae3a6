#include "tests/oracles/largest_of_exponentials.hpp"

namespace mlsim::test {

double largest_of_exponentials(int count) {
  double sum = 0;
  for (int i = count; i >= 2; --i) sum += 1.0 / i;
  return sum;
}

}  // namespace mlsim::test
