#include "sim/job/job_rules.hpp"

#include "core/units_text.hpp"

namespace mlsim::sim {
namespace {

// 419 unexpected interruptions in 54 days on 16 384 H100, failures of GPUs, hosts, network and software together:
// 16 384 * 54 d / 419 = 50 700 h. Meta's RSC-1 and RSC-2 (16 000 and 8000 A100) had 6.5 and 2.3 failures in 1000 node
// days, that is 29 500 and 83 500 h (Kokolis et al., arXiv:2410.21680, recalled).
Sourced<Seconds> published_time_between_failures() {
  return {hours(16384 * 54 * 24 / 419.0),
          {Provenance::published, "419 unexpected interruptions of 16 384 H100 in 54 days, Llama 3, arXiv:2407.21783",
           "2024"}};
}

constexpr Seconds kRestart{600};  // detect, replace, initialise, read the checkpoint

const Source kGiven{Provenance::assumed, "set by the user", ""};

template <class Q>
std::optional<Q> given(const Settings& settings, const std::string& key) {
  const auto text = setting(settings, key);
  return text.empty() ? std::nullopt : std::optional<Q>(parse_quantity<Q>(text));
}

template <class Q>
Sourced<Q> given_or(const Settings& settings, const std::string& key, const Sourced<Q>& fallback) {
  const auto value = given<Q>(settings, key);
  return value ? Sourced<Q>{*value, kGiven} : fallback;
}

CheckpointRule checkpoint_rule(const std::string& word) {
  if (word == "auto") return CheckpointRule::automatic;
  return word == "on" ? CheckpointRule::on : CheckpointRule::off;
}

}  // namespace

Sourced<BytesPerSecond> usual_checkpoint_bandwidth() {
  return {gigabytes_per_second(1), {Provenance::assumed, "one host writes to one NVMe disk or a fast file store", ""}};
}

JobRules job_rules(const Settings& settings) {
  JobRules rules;
  rules.clock = setting(settings, "clock", "mlperf") == "wall" ? ClockRule::wall : ClockRule::mlperf;
  rules.evaluate = setting(settings, "evaluation", "on") == "on";
  if (const auto rate = setting(settings, "throughput"); !rate.empty())
    rules.throughput = PerSecond(parse_number(rate));
  rules.billing = parse<Billing>(setting(settings, "billing", "second"));
  rules.teardown = given_or(settings, "teardown",
                            Sourced<Seconds>{Seconds(0), {Provenance::assumed, "machines are returned at once", ""}});
  rules.checkpoint = checkpoint_rule(setting(settings, "checkpoint", "auto"));
  rules.checkpoint_interval = given<Seconds>(settings, "checkpoint_interval");
  if (const auto rate = given<BytesPerSecond>(settings, "checkpoint_bandwidth"))
    rules.checkpoint_bandwidth = Sourced<BytesPerSecond>{*rate, kGiven};
  rules.failures = setting(settings, "failures", "off") == "on";
  rules.time_between_failures = given_or(settings, "time_between_failures", published_time_between_failures());
  rules.restart = given_or(
      settings, "restart_time",
      Sourced<Seconds>{kRestart,
                       {Provenance::assumed, "detection, replacement, initialisation and reading the checkpoint", ""}});
  rules.preemptible = setting(settings, "price") == "preemptible";
  if (const auto rate = setting(settings, "preemption_rate"); !rate.empty())
    rules.preemptions_per_vm_hour = parse_number(rate);
  return rules;
}

}  // namespace mlsim::sim
