#include <algorithm>
#include <optional>

#include "kernels/cpu/fused/update.hpp"
#include "kernels/cpu/kernel_operations.hpp"
#include "kernels/key_work.hpp"

namespace mlsim::kernels {
namespace {

struct UpdatePass {
  UpdateRule rule;
  UpdatePart part;
};

// Multi-tensor passes by their bytes per parameter (workloads/lowering/optimizer.cpp): 12 is SGD and LAMB's last pass,
// which move the same; 20 momentum and what is like it; 8 and 32 the norms of LARS and LAMB.
std::optional<UpdatePass> pass_of(std::int64_t bytes, std::int64_t launches) {
  if (launches > 1) return std::nullopt;
  switch (bytes) {
    case 8: return UpdatePass{UpdateRule::lars, UpdatePart::norms};
    case 12: return UpdatePass{UpdateRule::sgd, UpdatePart::update};
    case 20: return UpdatePass{UpdateRule::momentum, UpdatePart::update};
    case 28: return UpdatePass{UpdateRule::adam, UpdatePart::update};
    case 32: return UpdatePass{UpdateRule::lamb, UpdatePart::norms};
    case 44: return UpdatePass{UpdateRule::lamb, UpdatePart::whole};
    default: return std::nullopt;
  }
}

}  // namespace

CpuOperation optimizer_operation(const KernelKey& key, int threads) {
  const auto& d = key.dims;
  const KeyWork work = key_work(key);
  const auto pass = pass_of(d[2], d[3]);
  if (!pass) {  // kernels for each tensor, two reads to a write as most of them
    const std::int64_t elements = d[0] * d[2] / 4;
    CpuOperation moves =
        elementwise_operation({KernelOp::elementwise,
                               Precision::fp32,
                               {elements - elements / 3, elements / 3, std::max<std::int64_t>(d[3], 1)}},
                              threads);
    moves.bytes = work.bytes;
    return moves;
  }
  const auto tensors = std::make_shared<Tensors>(d[0], std::max<std::int64_t>(d[1], 1), 1);
  const UpdatePass what = *pass;
  return {[=] { update_fused(what.rule, what.part, *tensors, threads); },
          [=] {
            // Norms alone show in the update that follows.
            return update_error(what.rule, *tensors, [&] {
              if (what.part == UpdatePart::norms) return update_fused(what.rule, UpdatePart::whole, *tensors, threads);
              update_fused(what.rule, what.part, *tensors, threads);
            });
          },
          work.bytes, work.flop};
}

}  // namespace mlsim::kernels
