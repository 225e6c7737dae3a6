// These operations change many tensors: one launch a pass for all of them, and the unfused twins tensor by tensor.
#pragma once

#include <memory>
#include <optional>

#include "core/text/errors.hpp"
#include "kernels/cuda/framework/operation.hpp"
#include "kernels/cuda/operations/pointwise.hpp"
#include "kernels/cuda/operations/update_rules.hpp"

namespace mlsim::kernels::cuda {

/// UpdateArrays are the numbers of the arrays of an update, and the cut into tensors. Unused arrays are -1.
struct UpdateArrays {
  int table = -1, weight = -1, gradient = -1, first = -1, second = -1, step = -1, norms = -1, part = -1;
  ChunkTable chunks;
  std::vector<std::int64_t> sizes;

  float* pointer(const Pointers& p, int array) const { return array >= 0 ? p.get<float>(array) : nullptr; }
  std::int64_t begin(std::size_t tensor) const { return chunks.chunks[chunks.first_chunk[tensor]].begin; }
};

/// Runs one update; `a` says where its arrays are.
template <class Executor>
class UpdateRun {
 public:
  UpdateRun(Executor& executor, const Pointers& pointers, const UpdateArrays& arrays)
      : executor_(executor), p_(pointers), a_(arrays) {}

  void clear_norms() const { executor_.zero(p_.get<float>(a_.norms), 2 * a_.sizes.size() * sizeof(float)); }
  /// Runs an update over the chunks [first, end).
  void update(UpdateKind rule, std::int64_t first, std::int64_t end) const {
    executor_.chunks(end - first, Update{{p_.get<Chunk>(a_.table) + first},
                                         rule,
                                         {},
                                         a_.pointer(p_, a_.weight),
                                         a_.pointer(p_, a_.gradient),
                                         a_.pointer(p_, a_.first),
                                         a_.pointer(p_, a_.second),
                                         a_.pointer(p_, a_.step),
                                         norms(rule)});
  }
  void square_sums(UpdateKind rule, const float* weight, const float* gradient, std::int64_t first,
                   std::int64_t end) const {
    executor_.chunks(end - first, SquareSums{{p_.get<Chunk>(a_.table) + first}, weight, gradient, norms(rule)});
  }
  void all(UpdateKind rule) const { update(rule, 0, count()); }
  void of_tensor(UpdateKind rule, std::size_t t) const {
    update(rule, a_.chunks.first_chunk[t], a_.chunks.first_chunk[t + 1]);
  }
  void norms_of_all(UpdateKind rule) const {
    square_sums(rule, a_.pointer(p_, a_.weight), a_.pointer(p_, a_.gradient), 0, count());
  }
  /// Computes the norms of one tensor, a kernel for each array, as frameworks do it tensor by tensor.
  void norms_of_tensor(UpdateKind rule, const float* weight, const float* gradient, std::size_t t) const {
    square_sums(rule, weight, gradient, a_.chunks.first_chunk[t], a_.chunks.first_chunk[t + 1]);
  }
  /// Runs a primitive step on one tensor; pointers are to the arrays' first tensor.
  void step(std::size_t t, Primitive<float> one) const {
    const std::int64_t begin = a_.begin(t);
    one.out += begin, one.x += begin;
    if (one.y != nullptr) one.y += begin;
    if (one.z != nullptr) one.z += begin;
    executor_.template flat<float>(a_.sizes[t], 0, one);
  }
  std::size_t tensors() const { return a_.sizes.size(); }

 private:
  std::int64_t count() const { return static_cast<std::int64_t>(a_.chunks.chunks.size()); }
  Norms norms(UpdateKind rule) const { return {a_.pointer(p_, a_.norms), rule == UpdateKind::clip}; }

  Executor& executor_;
  const Pointers& p_;
  const UpdateArrays& a_;
};

/// Runs the kernels of PyTorch's for-loop implementations for one tensor (torch.optim, foreach=False), as counted in
/// workloads/lowering/optimizer.cpp; LARS and clipping run their rule tensor by tensor behind the norms.
template <class Executor>
void unfused_update(const std::string& kind, const UpdateRun<Executor>& run, const Pointers& p, const UpdateArrays& a) {
  using Kind = Primitive<float>::Kind;
  const UpdateConstants c;
  const auto array = [&](int number) { return a.pointer(p, number); };
  float *const w = array(a.weight), *const g = array(a.gradient), *const m = array(a.first), *const s = array(a.second);
  float *const u = array(a.step), *const part = array(a.part);
  if (a.norms >= 0) run.clear_norms();
  const float mean = 1 / c.mean_correction, square = 1 / c.square_correction;
  for (std::size_t t = 0; t < run.tensors(); ++t) {
    const bool has_velocity = kind == "momentum" || kind == "nesterov", averages = kind == "averaged_sgd";
    if (kind == "sgd" || averages || has_velocity) run.step(t, {Kind::sum, part, g, w, nullptr, 1, c.decay});
    if (kind == "sgd") run.step(t, {Kind::sum, w, w, part, nullptr, 1, -c.rate});
    if (has_velocity) {
      run.step(t, {Kind::sum, m, m, nullptr, nullptr, c.momentum});
      run.step(t, {Kind::sum, m, m, part});
      if (kind == "nesterov") run.step(t, {Kind::sum, part, part, m, nullptr, 1, c.momentum});
      run.step(t, {Kind::sum, w, w, kind == "nesterov" ? part : m, nullptr, 1, -c.rate});
    }
    if (averages) {
      run.step(t, {Kind::sum, part, part, nullptr, nullptr, c.rate});
      run.step(t, {Kind::sum, w, w, part, nullptr, 1, -1});
      run.step(t, {Kind::sum, part, w, m, nullptr, 1, -1});
      run.step(t, {Kind::sum, part, part, nullptr, nullptr, c.average_share});
      run.step(t, {Kind::sum, m, m, part});
    }
    if (kind == "adagrad") {
      run.step(t, {Kind::multiply_add, s, s, g, g, 1});
      run.step(t, {Kind::square_root, part, s});
      run.step(t, {Kind::sum, part, part, nullptr, nullptr, 1, 0, c.epsilon});
      run.step(t, {Kind::divide_add, w, w, g, part, -c.rate});
    }
    if (kind == "lars") {
      run.norms_of_tensor(UpdateKind::lars, w, g, t);
      run.of_tensor(UpdateKind::lars, t);
    }
    if (kind == "adam" || kind == "lamb") {
      run.step(t, {Kind::sum, m, m, nullptr, nullptr, c.beta1});
      run.step(t, {Kind::sum, m, m, g, nullptr, 1, 1 - c.beta1});
      run.step(t, {Kind::sum, s, s, nullptr, nullptr, c.beta2});
      run.step(t, {Kind::multiply_add, s, s, g, g, 1 - c.beta2});
      run.step(t, {Kind::sum, part, s, nullptr, nullptr, square});
      run.step(t, {Kind::square_root, part, part});
      run.step(t, {Kind::sum, part, part, nullptr, nullptr, 1, 0, c.epsilon});
    }
    if (kind == "adam") run.step(t, {Kind::divide_add, w, w, m, part, -c.rate * mean});
    if (kind == "lamb") {
      run.step(t, {Kind::quotient, u, m, part});
      run.step(t, {Kind::sum, u, u, w, nullptr, mean, c.decay});
      run.norms_of_tensor(UpdateKind::lamb_step, w, u, t);
      run.of_tensor(UpdateKind::lamb_apply, t);
    }
    if (kind == "clip_gradient") run.norms_of_tensor(UpdateKind::clip, nullptr, g, t);
  }
  for (std::size_t t = 0; t < run.tensors() && kind == "clip_gradient"; ++t) run.of_tensor(UpdateKind::clip, t);
}

template <class Executor>
void fused_update(const std::string& kind, const UpdateRun<Executor>& run, bool has_norms) {
  if (has_norms) run.clear_norms();
  if (kind == "sgd") run.all(UpdateKind::sgd);
  if (kind == "momentum") run.all(UpdateKind::momentum);
  if (kind == "nesterov") run.all(UpdateKind::nesterov);
  if (kind == "averaged_sgd") run.all(UpdateKind::averaged_sgd);
  if (kind == "adagrad") run.all(UpdateKind::adagrad);
  if (kind == "adam") run.all(UpdateKind::adam);
  if (kind == "lars") run.norms_of_all(UpdateKind::lars), run.all(UpdateKind::lars);
  if (kind == "lamb") run.all(UpdateKind::lamb_step), run.all(UpdateKind::lamb_apply);
  if (kind == "clip_gradient") run.norms_of_all(UpdateKind::clip), run.all(UpdateKind::clip);
  if (kind == "update_norms") run.norms_of_all(UpdateKind::lars);
  if (kind == "lamb_step") run.all(UpdateKind::lamb_step);
  if (kind == "lamb_apply") run.all(UpdateKind::lamb_apply);
}

/// Does to Values what an update should, tensor by tensor in float64.
void reference_update(const std::string& kind, const UpdateArrays& arrays, Values& values);

/// Counts the bytes a parameter that an update moves, norms too; unfused as workloads/lowering/optimizer.hpp does.
double update_bytes(const std::string& kind, bool fused);

const std::vector<std::string>& update_kinds();

/// The sizes are parameters and tensors. update_norms, lamb_step and lamb_apply are the passes that keys name apart.
template <class Executor>
std::optional<Operation<Executor>> update_operation(const OperationName& name) {
  const auto& kinds = update_kinds();
  if (std::find(kinds.begin(), kinds.end(), name.kind) == kinds.end()) return std::nullopt;
  const std::string kind = name.kind;
  const bool fused = name.fused, is_lamb = kind.starts_with("lamb"), clips = kind == "clip_gradient";
  auto a = std::make_shared<UpdateArrays>();
  a->sizes = tensor_sizes(name.sizes[0], name.sizes[1]);
  a->chunks = chunk_table(a->sizes);
  const std::int64_t n = a->chunks.elements;
  Operation<Executor> op;
  a->table =
      add(op, Array{Format::chunk, static_cast<std::int64_t>(a->chunks.chunks.size()), 0, 0, false, a->chunks.chunks});
  if (!clips) a->weight = add(op, result<float>(n));
  if (kind != "lamb_apply") a->gradient = add(op, clips ? result<float>(n) : input<float>(n));
  const bool moments = kind == "adam" || kind == "lamb" || kind == "lamb_step";
  const bool keeps_one = kind == "momentum" || kind == "nesterov" || kind == "averaged_sgd" || kind == "lars";
  if (moments || keeps_one) a->first = add(op, result<float>(n));
  if (moments || kind == "adagrad") a->second = add(op, result<float>(n, 0, 1));
  if (is_lamb) a->step = add(op, result<float>(n));
  if (is_lamb || clips || kind == "lars" || kind == "update_norms") {
    const bool shown = kind == "update_norms";
    const auto norms = static_cast<std::int64_t>(2 * a->sizes.size());
    a->norms = add(op, shown ? result<float>(norms, 0, 1) : input<float>(norms, 0, 1));
  }
  if (!fused) a->part = add(op, input<float>(n));
  op.run = [=](Executor& executor, const Pointers& p) {
    const UpdateRun<Executor> run(executor, p, *a);
    if (!fused) return unfused_update(kind, run, p, *a);
    // LAMB's second pass alone reads norms that are there.
    fused_update(kind, run, a->norms >= 0 && kind != "lamb_apply");
  };
  op.reference = [=](Values& v) { reference_update(kind, *a, v); };
  op.bytes = Bytes(update_bytes(kind, fused) * double(name.sizes[0]));
  return op;
}

}  // namespace mlsim::kernels::cuda
