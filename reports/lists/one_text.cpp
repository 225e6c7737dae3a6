#include "reports/lists/one_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text/units_text.hpp"
#include "reports/lists/recipes_text.hpp"
#include "reports/page.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kListLabel = 14;

// A page of "Label  text" under the name of the thing.
class OneThing {
 public:
  OneThing(const std::string& name, const std::string& title) : page_(false) {
    page_.item("", title.empty() ? name : name + ": " + title, 0);
  }
  void row(const std::string& label, const std::string& text) {
    if (!text.empty()) page_.item("  " + label, text, kListLabel + 2);
  }
  std::string text() const { return page_.text(); }

 private:
  Page page_;
};

const char* interconnect_text(Interconnect interconnect) {
  switch (interconnect) {
    case Interconnect::torus: return "links between neighbours";
    case Interconnect::nvlink_mesh: return "NVLink between pairs";
    case Interconnect::nvswitch: return "NVLink through switches";
    case Interconnect::pcie: break;
  }
  return "PCIe";
}

std::string host_text(const std::optional<HostSpec>& host) {
  if (!host) return {};
  std::string text = count_text(host->threads.value) + " threads";
  if (host->memory) text += ", " + to_text(host->memory->value);
  if (host->accelerators > 0) text += fmt::format(", for {} accelerators", host->accelerators);
  return text;
}

std::string system_price_text(const SystemFacts& system) {
  if (!system.price) return "none on record (mlsim list prices)";
  const std::string& date = system.price->source.date;
  return system.price->what.text + (date.empty() ? "" : " (" + date + ")");
}

std::string chip_text(const AcceleratorSpec& chip) {
  return fmt::format("{} ({}), {} at {} each", chip.name, chip.title, to_text(chip.memory.value),
                     to_text(chip.memory_bandwidth.value));
}

std::string peaks_text(const AcceleratorSpec& chip) {
  std::string text;
  for (const auto& [format, rate] : chip.peak)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(format), to_text(rate.value));
  return text;
}

std::string file_parameters_text(const Model& model) {
  std::string text;
  for (const auto& [key, value] : model.parameters_of_file)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key, value);
  return text;
}

}  // namespace

std::string system_text(const SystemFacts& system) {
  OneThing page(system.name, system.description);
  page.row("Accelerators", fmt::format("{} x {}", count_text(system.accelerators), chip_text(system.accelerator)));
  page.row("Peak", peaks_text(system.accelerator));
  if (system.interconnect != Interconnect::torus) page.row("Nodes", count_text(system.nodes));
  page.row("Inside",
           fmt::format("{}, {} from each accelerator", interconnect_text(system.interconnect), to_text(system.inside)));
  if (system.network.value > 0) page.row("Network", to_text(system.network) + " from each node");
  page.row("Host", host_text(system.host));
  page.row("Cloud", system.cloud);
  page.row("Price", system_price_text(system));
  page.row("Ask", "mlsim predict --topology " + system.name + " --workload resnet50");
  return page.text();
}

std::string accelerator_text(const AcceleratorSpec& chip) {
  OneThing page(chip.name, chip.title);
  page.row("Peak", peaks_text(chip));
  page.row("Memory", fmt::format("{} at {}", to_text(chip.memory.value), to_text(chip.memory_bandwidth.value)));
  if (chip.multiprocessors.value > 0) page.row("SMs", count_text(chip.multiprocessors.value));
  if (chip.grid_links > 0)
    page.row("Links", fmt::format("{} of {} a direction", chip.grid_links, to_text(chip.grid_link_bandwidth.value)));
  page.row("Source", chip.memory.source.source);
  page.row("Systems", "mlsim list topologies --accelerator " + chip.name);
  return page.text();
}

std::string workload_text(const Model& model, const ConvergenceTable* recipes) {
  OneThing page(model.name, model.title);
  page.row("Parameters", fmt::format("{} in {} gradient tensors", count_text(static_cast<double>(model.parameters())),
                                     model.gradient_tensors()));
  page.row("Work", fmt::format("{:.4g} GMAC forward a sample", static_cast<double>(model.macs()) / 1e9));
  page.row("Sample", model.sample);
  if (!model.dataset.name.empty())
    page.row("Dataset", fmt::format("{}: {} samples to train on, {} to validate", model.dataset.name,
                                    count_text(static_cast<double>(model.dataset.train_samples)),
                                    count_text(static_cast<double>(model.dataset.validation_samples))));
  page.row("Settings", file_parameters_text(model));
  page.row("Target", recipes == nullptr ? "none known; --set epochs=N gives a job an end" : model.target);
  page.row("Source", model.source.source);
  return page.text() + (recipes == nullptr ? "" : "\n" + recipes_text({*recipes}));
}

}  // namespace mlsim::reports
