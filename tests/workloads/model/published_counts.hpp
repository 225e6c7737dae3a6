// Parameters and work of the catalogue's models against published counts.
#pragma once

#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::test {

struct PublishedCount {
  const char* model;
  double published;
};

/// Checks what `count` says of each model against its row, times `unit`: to the unit where the tolerance is 0, else
/// within that share.
inline void check_counts(const std::vector<PublishedCount>& rows, std::int64_t (workloads::Model::*count)() const,
                         double tolerance = 0, double unit = 1) {
  for (const PublishedCount& row : rows) {
    INFO(row.model);
    const auto found = static_cast<double>((workloads::load_model(row.model).*count)());
    if (tolerance == 0)
      CHECK(found == row.published * unit);
    else
      CHECK(found == Approx(row.published * unit).epsilon(tolerance));
  }
}

}  // namespace mlsim::test
