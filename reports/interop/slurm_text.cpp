#include "reports/interop/slurm_text.hpp"

#include <fmt/format.h>

#include "core/text/units_text.hpp"
#include "reports/text_table.hpp"

namespace mlsim::reports {
namespace {

std::vector<std::string> rate_row(const char* what, const EventRate& rate, const char* hour) {
  const std::string seen = rate.events > 0 ? fmt::format("{:.3g}", rate.per_hour()) : "none seen";
  const std::string range = rate.events > 0 ? fmt::format("{:.3g} .. {:.3g}", rate.lower(), rate.upper())
                                            : fmt::format("at most {:.3g}", rate.upper());
  return {what, std::to_string(rate.events), fmt::format("{} {}s", count_text(rate.hours), hour), seen, range};
}

}  // namespace

std::string slurm_text(const SlurmJobs& jobs) {
  const auto counted = [](std::uint64_t number) { return count_text(static_cast<double>(number)); };
  std::string text =
      fmt::format("{} jobs on accelerators, each try counted", counted(jobs.jobs - jobs.without_accelerators));
  if (jobs.without_accelerators > 0)
    text += fmt::format("; left out, without accelerators: {}", counted(jobs.without_accelerators));
  TextTable table{{{""},
                   {"events", Align::right, true},
                   {"in", Align::right, true},
                   {"an hour", Align::right, true},
                   {"90 %", Align::right, true}},
                  {}};
  table.rows.push_back(rate_row("node failures", jobs.failures, "accelerator-hour"));
  table.rows.push_back(rate_row("preemptions", jobs.preemptions, "machine-hour"));
  text += "\n\n" + to_text(table) + "\nfor mlsim predict:\n";
  text += fmt::format("  --set failures=on --set time_between_failures=\"{:.6g} h\"\n", 1 / jobs.failures.cautious());
  text += fmt::format("  --set price=preemptible --set preemption_rate={:.4g}\n", jobs.preemptions.cautious());
  if (jobs.failures.events == 0 || jobs.preemptions.events == 0)
    text += "what was not seen has its upper end here: no event is no rate of 0\n";
  return text;
}

}  // namespace mlsim::reports
