#include "sim/parameter_server/server_options.hpp"

#include <fmt/format.h>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::sim {
namespace {

constexpr std::string_view kColocated = "colocated";
constexpr int kMostServers = 65536;

}  // namespace

ServerCount parse_server_count(std::string_view text) {
  if (text == kColocated) return {};
  ServerCount servers;
  servers.apart = !text.starts_with(kColocated);
  if (!servers.apart) text.remove_prefix(kColocated.size());
  if (!servers.apart && !text.starts_with(':'))
    throw InputError(fmt::format("is none of colocated, colocated:COUNT and COUNT"));
  if (!servers.apart) text.remove_prefix(1);
  servers.count = parse_count(std::string(text));
  if (servers.count > kMostServers) throw InputError(fmt::format("at most {} servers", kMostServers));
  return servers;
}

std::string text(const ServerCount& servers) {
  if (servers.apart) return fmt::format("{}", servers.count);
  return servers.count == 0 ? std::string(kColocated) : fmt::format("{}:{}", kColocated, servers.count);
}

}  // namespace mlsim::sim
