#include "core/result/refusal_json.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "schemas/json_schema.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("a refusal says why and what would work, after its schema") {
  const std::string text =
      refusal_json(Infeasible("too large; at most 10 fit", {"at most ", named("batch", 10), " fit"}));
  const auto json = nlohmann::json::parse(text);
  CHECK(json["feasible"] == false);
  CHECK(json["reason"] == "too large; at most 10 fit");
  CHECK(json["nearest"]["text"] == "at most 10 fit");
  CHECK(json["nearest"]["quantities"][0]["value"] == 10);
  if (const auto errors = schema_errors("core/result/refusal.schema.json", text)) CHECK(*errors == "");
}

TEST_CASE("a refusal that knows nothing better says null") {
  const std::string text = refusal_json(Infeasible("no route is left"));
  CHECK(nlohmann::json::parse(text)["nearest"].is_null());
  if (const auto errors = schema_errors("core/result/refusal.schema.json", text)) CHECK(*errors == "");
}
