// These pages show one system, accelerator or workload whole.
#include "reports/pages/lists.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/result/length_setting.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::reports {
namespace {

// `Facts` are texts behind their labels; those without text are left out.
class Facts {
 public:
  void row(const std::string& label, const std::string& text) {
    if (!text.empty()) items_.items.push_back({label, text});
  }
  Page page(const std::string& name, const std::string& title) const {
    return {title.empty() ? name : name + ": " + title, {}, {{"", "", {items_}}}, ""};
  }

 private:
  PageItems items_;
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

Page system_page(const SystemFacts& system) {
  Facts facts;
  facts.row("Accelerators", fmt::format("{} x {}", count_text(system.accelerators), chip_text(system.accelerator)));
  facts.row("Peak", peaks_text(system.accelerator));
  if (system.interconnect != Interconnect::torus) facts.row("Nodes", count_text(system.nodes));
  facts.row("Inside", fmt::format("{}, {} from each accelerator", interconnect_text(system.interconnect),
                                  to_text(system.inside)));
  if (system.slices > 1)
    facts.row("Slices", fmt::format("{}, {} from each accelerator to the network between them",
                                    count_text(system.slices), to_text(system.accelerator.slice_link_bandwidth.value)));
  if (system.network.value > 0) facts.row("Network", to_text(system.network) + " from each node");
  facts.row("Host", host_text(system.host));
  facts.row("Cloud", system.cloud);
  facts.row("Price", system_price_text(system));
  facts.row("Ask", "mlsim predict --topology " + system.name + " --workload resnet50");
  return facts.page(system.name, system.description);
}

Page accelerator_page(const AcceleratorSpec& chip) {
  Facts facts;
  facts.row("Peak", peaks_text(chip));
  facts.row("Memory", fmt::format("{} at {}", to_text(chip.memory.value), to_text(chip.memory_bandwidth.value)));
  if (chip.multiprocessors.value > 0) facts.row("SMs", count_text(chip.multiprocessors.value));
  if (chip.grid_links > 0)
    facts.row("Links", fmt::format("{} of {} a direction", chip.grid_links, to_text(chip.grid_link_bandwidth.value)));
  facts.row("Source", chip.memory.source.source);
  facts.row("Systems", "mlsim list topologies --accelerator " + chip.name);
  return facts.page(chip.name, chip.title);
}

Page workload_page(const Model& model, const ConvergenceTable* recipes) {
  Facts facts;
  facts.row("Parameters", fmt::format("{} in {} gradient tensors", count_text(static_cast<double>(model.parameters())),
                                      model.gradient_tensors()));
  facts.row("Work", fmt::format("{:.4g} GMAC forward a sample", static_cast<double>(model.macs()) / 1e9));
  facts.row("Sample", model.sample);
  if (!model.dataset.name.empty())
    facts.row("Dataset", fmt::format("{}: {} samples to train on, {} to validate", model.dataset.name,
                                     count_text(static_cast<double>(model.dataset.train_samples)),
                                     count_text(static_cast<double>(model.dataset.validation_samples))));
  facts.row("Settings", file_parameters_text(model));
  facts.row("Target", recipes == nullptr
                          ? fmt::format("none known; --set {}=N gives a job an end", length_setting(model.tokens > 0))
                          : model.target);
  facts.row("Source", model.source.source);
  Page page = facts.page(model.name, model.title);
  if (recipes != nullptr)
    for (PageSection& section : recipes_page({*recipes}).sections) page.sections.push_back(std::move(section));
  return page;
}

}  // namespace mlsim::reports
