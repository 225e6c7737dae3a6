#include "kernels/cuda/operations/update_operations.hpp"

#include <map>

namespace mlsim::kernels::cuda {
namespace {

struct Row {
  double fused, unfused;
};

const std::map<std::string, Row>& rows() {
  // A fused update moves 4 bytes for each array that a pass reads or writes:
  //   lars  norms 2, update 5      lamb  first pass reads 4, writes 3; second reads 2, writes 1
  // Unfused, lars reads two norms and runs its rule; lamb has nine kernels, norms, and its second pass.
  static const std::map<std::string, Row> table{
      {"sgd", {12, 24}},           {"momentum", {20, 44}},   {"lars", {28, 28}},      {"nesterov", {20, 56}},
      {"averaged_sgd", {20, 64}},  {"adagrad", {20, 44}},    {"adam", {28, 80}},      {"lamb", {40, 108}},
      {"clip_gradient", {12, 12}}, {"update_norms", {8, 8}}, {"lamb_step", {28, 28}}, {"lamb_apply", {12, 12}}};
  return table;
}

UpdateKind rule_of(const std::string& kind) {
  static const std::map<std::string, UpdateKind> table{{"sgd", UpdateKind::sgd},
                                                       {"momentum", UpdateKind::momentum},
                                                       {"lars", UpdateKind::lars},
                                                       {"nesterov", UpdateKind::nesterov},
                                                       {"averaged_sgd", UpdateKind::averaged_sgd},
                                                       {"adagrad", UpdateKind::adagrad},
                                                       {"adam", UpdateKind::adam},
                                                       {"lamb", UpdateKind::lamb_step},
                                                       {"clip_gradient", UpdateKind::clip},
                                                       {"lamb_step", UpdateKind::lamb_step},
                                                       {"lamb_apply", UpdateKind::lamb_apply}};
  return table.at(kind);
}

double squares(Values& values, int array, std::int64_t begin, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = begin; i < begin + count; ++i) sum += std::pow(of(values, array)[at(0, 0, i)], 2);
  return sum;
}

}  // namespace

const std::vector<std::string>& update_kinds() {
  static const auto names = [] {
    std::vector<std::string> all;
    for (const auto& [name, row] : rows()) all.push_back(name);
    return all;
  }();
  return names;
}

double update_bytes(const std::string& kind, bool fused) {
  const Row& row = rows().at(kind);
  return fused ? row.fused : row.unfused;
}

void reference_update(const std::string& kind, const UpdateArrays& a, Values& values) {
  const UpdateConstants c;
  const auto each = [&](UpdateKind rule, double factor, std::int64_t i) {
    const auto e = static_cast<std::size_t>(i);
    const auto get = [&](int array) { return array >= 0 ? of(values, array)[e] : 0; };
    Parameter<double> p{get(a.weight), get(a.gradient), get(a.first), get(a.second), get(a.step)};
    update(rule, c, factor, p);
    const auto set = [&](int array, double value) {
      if (array >= 0) of(values, array)[e] = value;
    };
    set(a.weight, p.weight), set(a.gradient, p.gradient), set(a.first, p.first), set(a.second, p.second);
    set(a.step, p.step);
  };
  double all = 0;
  for (std::size_t t = 0; t < a.sizes.size() && kind == "clip_gradient"; ++t) {
    all += squares(values, a.gradient, a.begin(t), a.sizes[t]);
  }
  for (std::size_t t = 0; t < a.sizes.size(); ++t) {
    const std::int64_t begin = a.begin(t), end = begin + a.sizes[t];
    if (kind == "update_norms") {
      of(values, a.norms)[2 * t] = squares(values, a.weight, begin, a.sizes[t]);
      of(values, a.norms)[2 * t + 1] = squares(values, a.gradient, begin, a.sizes[t]);
      continue;
    }
    double factor = 1;
    if (kind == "clip_gradient") factor = clip_factor(std::sqrt(all), c);
    if (kind == "lars") {
      factor = lars_rate(std::sqrt(squares(values, a.weight, begin, a.sizes[t])),
                         std::sqrt(squares(values, a.gradient, begin, a.sizes[t])), c);
    }
    if (kind == "lamb_apply") {
      factor = lamb_rate(std::sqrt(of(values, a.norms)[2 * t]), std::sqrt(of(values, a.norms)[2 * t + 1]));
    }
    for (std::int64_t i = begin; i < end; ++i) each(rule_of(kind), factor, i);
    if (kind != "lamb") continue;
    const double rate = lamb_rate(std::sqrt(squares(values, a.weight, begin, a.sizes[t])),
                                  std::sqrt(squares(values, a.step, begin, a.sizes[t])));
    for (std::int64_t i = begin; i < end; ++i) each(UpdateKind::lamb_apply, rate, i);
  }
}

}  // namespace mlsim::kernels::cuda
