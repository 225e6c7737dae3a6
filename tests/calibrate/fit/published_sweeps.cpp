#include "published_sweeps.hpp"

#include <fstream>
#include <stdexcept>

#include "core/text/split.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {
namespace {

CollectivePoint point(double bytes, Seconds time) { return {Bytes(bytes), {time, time, time, 1, 0}, {}}; }

}  // namespace

std::vector<Row> published_table(const std::string& file) {
  std::ifstream in(std::string(MLSIM_SOURCE_DIR) + "/calibrate/published/" + file);
  if (!in) throw std::runtime_error("no " + file);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> columns = split(line, ',');
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split(line, ',');
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = cells.at(i);
  }
  return rows;
}

std::vector<CollectiveSweep> nccl_sweeps(const std::string& use) {
  std::vector<CollectiveSweep> sweeps;
  for (const Row& system : published_table("nccl_systems.csv")) {
    if (system.at("use") != use) continue;
    CollectiveSweep& sweep = sweeps.emplace_back();
    sweep.communicator = "nccl";
    sweep.device = "cuda";
    sweep.machine = system.at("sweep");
    sweep.nodes = std::stoi(system.at("nodes"));
    sweep.ranks_per_node = std::stoi(system.at("ranks_per_node"));
    sweep.source = {Provenance::published, system.at("citation"), ""};
    for (const Row& row : published_table("nccl_all_reduce.csv"))
      if (row.at("sweep") == sweep.machine)
        sweep.points.push_back(point(std::stod(row.at("payload_bytes")), microseconds(std::stod(row.at("time_us")))));
  }
  return sweeps;
}

CollectiveSweep task0_sweep(const std::string& library, const std::string& device, Precision precision, int nodes) {
  CollectiveSweep sweep;
  sweep.communicator = library;
  sweep.device = device;
  sweep.precision = precision;
  sweep.machine = "gke";
  sweep.nodes = nodes;
  sweep.source = {Provenance::published, "MLBench task 0a, mlbench/mlbench-docs@d321755, digitised", ""};
  for (const Row& row : published_table("mlbench_task0.csv"))
    if (row.at("library") == library && row.at("device") == device && row.at("precision") == name(precision) &&
        row.at("nodes") == std::to_string(nodes))
      sweep.points.push_back(point(std::stod(row.at("payload_bytes")), Seconds(std::stod(row.at("time_s")))));
  return sweep;
}

std::vector<PayloadTime> times_of(const CollectiveSweep& sweep) {
  std::vector<PayloadTime> times;
  for (const CollectivePoint& p : sweep.points) times.push_back({p.payload, p.time.median});
  return times;
}

}  // namespace mlsim::test
