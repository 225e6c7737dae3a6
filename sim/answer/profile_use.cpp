#include "sim/answer/profile_use.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/process/activity.hpp"
#include "core/result/prediction.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"

namespace mlsim::sim {
namespace {

// Kernels, stacks, anchors and measured collectives count alike in every fidelity, and closed form is the quickest.
std::optional<Prediction> quick_answer(PredictRequest request) {
  const Fidelity asked = std::exchange(request.fidelity, Fidelity::closed);
  for (const Fidelity fidelity : {Fidelity::closed, asked}) {
    request.fidelity = fidelity;
    try {
      Prediction answer = predict(request);
      answer.measure_next.clear();  // which is for those who measure, whatever they measured
      return answer;
    } catch (const InputError&) {
    } catch (const Infeasible&) {
    }
  }
  return std::nullopt;
}

PredictRequest without(PredictRequest request, std::size_t place) {
  std::vector<Profile> left = request.own_profiles;
  left.erase(left.begin() + static_cast<std::ptrdiff_t>(place));
  request.own_profiles = std::move(left);
  return request;
}

bool changes(const PredictRequest& request, std::size_t place, const Prediction& answer) {
  const auto other = quick_answer(without(request, place));
  return !other || to_json(*other) != to_json(answer);
}

std::set<std::string> precisions_of(const Profile& profile) {
  std::set<std::string> precisions;
  for (const auto& each : profile.kernels) precisions.insert(std::string(name(each.key.precision)));
  for (const auto& each : profile.laws) precisions.insert(std::string(name(each.precision)));
  for (const auto& each : profile.efficiency) precisions.insert(std::string(name(each.precision)));
  return precisions;
}

bool names_no_machine(const Profile& profile) {
  return profile.machine.empty() && !profile.collectives.empty() &&
         std::all_of(profile.collectives.begin(), profile.collectives.end(),
                     [](const auto& each) { return each.machine.empty(); });
}

std::string reason_of(const Profile& profile, const std::set<std::string>& accelerators,
                      const std::set<std::string>& precisions, const std::string& system) {
  const bool kernels = !profile.kernels.empty() || !profile.laws.empty() || !profile.efficiency.empty();
  const bool collectives = !profile.collectives.empty() || !profile.rank_scalings.empty();
  if (!kernels && !collectives && profile.stacks.empty() && profile.anchors.empty())
    return "it holds no kernels, collectives or steps";
  if (!accelerators.contains(profile.accelerator))
    return fmt::format("it is of {}, and the accelerators here are {}", profile.accelerator,
                       fmt::join(accelerators, ", "));
  const std::set<std::string> measured = precisions_of(profile);
  const auto is_asked = [&](const std::string& precision) { return precisions.contains(precision); };
  if (kernels && !collectives && std::none_of(measured.begin(), measured.end(), is_asked))
    return fmt::format("its kernels are in {}, and the step is in {}", fmt::join(measured, ", "),
                       fmt::join(precisions, ", "));
  if (collectives && !kernels && names_no_machine(profile))
    return fmt::format("its collectives name no machine; import them again as FILE:machine={}", system);
  if (collectives && !kernels)
    return "its collectives are of other ranks, libraries or kinds than this step exchanges with, or it exchanges "
           "nothing";
  return "no kernel or collective of it is one of this step, or a profile before it has them all";
}

}  // namespace

std::vector<UnusedProfile> unused_profiles(const std::vector<PredictRequest>& requests, std::size_t given) {
  std::vector<UnusedProfile> unused;
  if (given == 0) return unused;
  std::set<std::size_t> open;
  for (std::size_t place = 0; place < given; ++place) open.insert(place);
  std::set<std::string> accelerators, precisions;
  std::string system;
  Activity activity("looking what each profile changes", requests.size());
  for (const PredictRequest& request : requests) {
    activity.advance();
    if (open.empty()) return unused;
    const auto answer = quick_answer(request);
    if (!answer) continue;
    system = answer->inputs.topology.substr(0, answer->inputs.topology.find(':'));
    accelerators.insert(answer->inputs.accelerator);
    precisions.insert(std::string(name(answer->inputs.precision)));
    std::erase_if(open, [&](std::size_t place) { return changes(request, place, *answer); });
  }
  if (accelerators.empty()) return unused;
  for (const std::size_t place : open)
    unused.push_back({place, reason_of(requests.front().own_profiles[place], accelerators, precisions, system)});
  return unused;
}

}  // namespace mlsim::sim
