#include "calibrate/bench.hpp"

#include <nlohmann/json.hpp>

#include <csignal>
#include <exception>
#include <istream>
#include <new>
#include <ostream>

#include "calibrate/measure.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {
namespace {

MeasureReply answer(Bench& bench, const MeasureOrder& order) {
  try {
    const auto timed = bench.prepare(order);
    MeasureReply reply = measure(*timed, order);
    reply.clock = bench.clock();
    reply.hosts = bench.hosts();
    return reply;
  } catch (const std::bad_alloc&) {
    return unavailable_reply(order, "there is not enough memory for it");
  } catch (const std::exception& e) {  // one kernel that a library refuses must not end a long run
    return unavailable_reply(order, e.what());
  }
}

MeasureReply answer(Bench& bench, const std::string& line, const std::string& place) {
  try {
    return answer(bench, order_from_line(line, place));
  } catch (const InputError& e) {
    return unavailable_reply({}, e.what());
  }
}

}  // namespace

int serve(Bench& bench, std::istream& in, std::ostream& out) {
  std::signal(SIGINT, SIG_IGN);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty()) continue;
    out << to_line(answer(bench, line, "order " + std::to_string(number))) << std::endl;
  }
  return 0;
}

std::string versions_line(const std::map<std::string, std::string>& versions) {
  return nlohmann::ordered_json(versions).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::map<std::string, std::string> versions_from_line(const std::string& line, const std::string& place) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) throw InputError(place, "is no list of versions");
  std::map<std::string, std::string> versions;
  for (const auto& [name, version] : json.items()) {
    if (!version.is_string()) throw InputError(place, "the version of " + name + " is no text");
    versions[name] = version.get<std::string>();
  }
  return versions;
}

}  // namespace mlsim::calibrate
