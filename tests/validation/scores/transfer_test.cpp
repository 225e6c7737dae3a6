// Steps predicted from kernels of another generation, against published runs of both.
#include "validation/scores/transfer.hpp"

#include <nlohmann/json.hpp>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "reports/pages/pages.hpp"
#include "reports/renderers/renderers.hpp"
#include "sim/kernel_cost/kernel_transfer.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("kernels of P100 and V100 predict the published steps of V100 and A100 within their bounds") {
  const TransferErrors errors = transfer_errors(published_cases(), builtin_profiles());
  INFO(page_text(transfer_page(errors), {}));
  REQUIRE(errors.pairs.size() == 2);
  CHECK(errors.pairs[0].error.count >= 16);
  CHECK(errors.pairs[0].error.median <= 0.06);
  CHECK(errors.pairs[0].error.max <= 0.2);
  CHECK(errors.pairs[1].error.count >= 26);
  CHECK(errors.pairs[1].error.median <= 0.25);
  CHECK(errors.pairs[1].error.max <= 0.9);
  CHECK(misses(errors).empty());
  // The spread that answers carry is what was measured here, rounded up to the percent.
  CHECK(errors.pairs[1].log_rms <= kTransferSpread + 0.005);
  CHECK(errors.pairs[1].log_rms >= kTransferSpread - 0.02);
}

TEST_CASE("the table of transfers reads as JSON, too") {
  const TransferErrors errors = transfer_errors(published_cases(), builtin_profiles());
  const auto json = nlohmann::json::parse(to_json(errors));
  CHECK(json["checks"].size() == errors.checks.size());
  CHECK(json["pairs"][0]["name"] == "P100 -> V100");
  CHECK(json["misses"].empty());
  CHECK_THAT(page_text(transfer_page(errors), {}), ContainsSubstring("V100 -> A100: "));
}

TEST_CASE("without runs of both there is nothing to compare") {
  const TransferErrors none = transfer_errors({}, builtin_profiles());
  CHECK(none.checks.empty());
  CHECK(none.all.error.count == 0);
  CHECK(misses(none).empty());
  CHECK_THAT(page_text(transfer_page(none), {}),
             ContainsSubstring("V100 -> A100: no runs\nall: no runs\n") && !ContainsSubstring("median"));
  CHECK(nlohmann::json::parse(to_json(none))["all"]["median_abs_error"].is_null());
}
