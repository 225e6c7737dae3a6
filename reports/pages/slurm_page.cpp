#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include "core/text/units_text.hpp"

namespace mlsim::reports {
namespace {

TableCells rate_row(const char* what, const EventRate& rate, const char* hour) {
  const std::string seen = rate.events > 0 ? fmt::format("{:.3g}", rate.per_hour()) : "none seen";
  const std::string range = rate.events > 0 ? fmt::format("{:.3g} .. {:.3g}", rate.lower(), rate.upper())
                                            : fmt::format("at most {:.3g}", rate.upper());
  return {what, std::to_string(rate.events), fmt::format("{} {}s", count_text(rate.hours), hour), seen, range};
}

}  // namespace

Page slurm_page(const SlurmJobs& jobs) {
  const auto counted = [](std::uint64_t number) { return count_text(static_cast<double>(number)); };
  std::string text =
      fmt::format("{} jobs on accelerators, each try counted", counted(jobs.jobs - jobs.without_accelerators));
  if (jobs.without_accelerators > 0)
    text += fmt::format("; left out, without accelerators: {}", counted(jobs.without_accelerators));
  Table table{
      "", "", {{""}, figure_column("events"), figure_column("in"), figure_column("an hour"), figure_column("90 %")}};
  table.rows.push_back(rate_row("node failures", jobs.failures, "accelerator-hour"));
  table.rows.push_back(rate_row("preemptions", jobs.preemptions, "machine-hour"));
  Page page{text, {}, {}, ""};
  page.add({PageTable{std::move(table)}});
  page.add({PageText{"for mlsim predict:"},
            PageVerbatim{fmt::format("  --set failures=on --set time_between_failures=\"{:.6g} h\"\n"
                                     "  --set price=preemptible --set preemption_rate={:.4g}\n",
                                     1 / jobs.failures.cautious(), jobs.preemptions.cautious())}});
  if (jobs.failures.events == 0 || jobs.preemptions.events == 0)
    page.add({PageText{"what was not seen has its upper end here: no event is no rate of 0"}});
  return page;
}

}  // namespace mlsim::reports
