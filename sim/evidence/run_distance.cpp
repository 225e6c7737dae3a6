#include "sim/evidence/nearest_run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace mlsim::sim {
namespace {

// Errors stay small within these distances.
constexpr double kFewDoublings = 3;
constexpr double kSameBatch = 0.1;  // doublings of the micro-batch

bool batch_changed(const Difference& apart) { return apart.batch_apart > kSameBatch; }

Statement reason(const Difference& apart, const std::string& stack) {
  if (apart.precision) return "only another precision is on record";
  if (apart.chip > 1) return "only the chip with another memory or clock is on record";
  if (apart.code_base) return {"only another code base is on record: ", stack};
  std::vector<Statement> parts;
  if (apart.doublings != 0)
    parts.push_back(
        {named("doublings", std::abs(apart.doublings)), std::abs(apart.doublings) == 1 ? " doubling" : " doublings"});
  if (batch_changed(apart)) parts.push_back({"batch x", named("batch_ratio", apart.batch_ratio)});
  if (apart.release) parts.emplace_back("another release");
  if (apart.version) parts.emplace_back("another version of the network");
  if (apart.split) parts.emplace_back("a split model");
  if (apart.settings) parts.emplace_back("other settings");
  if (parts.empty()) return "this step is on record";
  return {"off a measured step by ", joined(parts, ", ")};
}

TrustLevel level(const Difference& apart) {
  if (apart.precision || apart.code_base || apart.chip > 1) return TrustLevel::weak;
  if (apart.release || apart.version || apart.split || batch_changed(apart)) return TrustLevel::fair;
  if (std::abs(apart.doublings) > kFewDoublings) return TrustLevel::fair;
  return apart.doublings == 0 && !apart.settings ? TrustLevel::measured : TrustLevel::good;
}

}  // namespace

Statement distance(const NearRun& near) {
  const Difference& apart = near.apart;
  Statement said("anchored on ", named("anchor", near.run.id), ": ");
  if (apart.doublings == 0) {
    said.add("same size");
  } else {
    said.add(NamedQuantity{"doublings", "1", apart.doublings, fmt::format("{:+.1f}", apart.doublings)},
             " doublings of accelerators");
  }
  if (apart.batch_ratio == 1)
    said.add(", same batch per accelerator");
  else
    said.add(", batch per accelerator x", named("batch_ratio", apart.batch_ratio));
  if (apart.chip > 1) said.add(", the chip with another memory or clock");
  if (apart.tables) {
    said.add(", another code base");
  } else if (apart.release) {
    said.add(", another software stack");
  }
  if (apart.version) said.add(", another version of the network");
  if (apart.precision) said.add(", another precision");
  return said;
}

TrustWord trust(const NearRun& near) {
  return {level(near.apart), reason(near.apart, near.run.options.software.stack)};
}

}  // namespace mlsim::sim
