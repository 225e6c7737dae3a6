// The optimizer table has weight updates by the bytes they move, the state they keep and the kernels they start.
#pragma once

#include <vector>

#include "core/kernel/kernel_key.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

enum class Optimizer { sgd, momentum, nesterov, lars, adam, lamb, averaged_sgd, adagrad };
const Words<Optimizer>& words(Optimizer);

/// Returns what models of a family are trained with, the usual one first.
std::vector<Optimizer> usual_optimizers(ModelFamily family);

/// An UpdatePass goes over all parameters: bytes per parameter, kernels per tensor, and the rule of a single kernel.
struct UpdatePass {
  Bytes bytes;
  int kernels = 0;  // 0: there is no such pass
  UpdateRule rule = UpdateRule::other;
};

/// An UpdateCost counts loads and stores of 4 bytes; in mixed precision the gradient that is read has 2 bytes and a
/// copy of 2 bytes of the new weight is written, which is the same sum.
struct UpdateCost {
  UpdatePass norms;  // before the update, where it needs norms of whole tensors
  UpdatePass update;
};

/// `multi_tensor` takes one kernel a pass for all tensors (NVIDIA apex, multi_tensor_apply); else the for-loop
/// implementations of PyTorch 1.x (torch.optim, foreach=False; pytorch-lamb for LAMB) start kernels for each tensor,
/// each reading and writing whole tensors. Sums of bytes per parameter are:
///
///                  multi-tensor                                       state  per tensor (kernels)
///   sgd            12  reads weight and gradient, writes weight         0     24 (2)
///   momentum       20  and reads and writes the momentum                4     44 (4)
///   nesterov       20                                                   4     56 (5)
///   lars           28  norms read weight and gradient (8) before        4     60 (11)
///   adam           28  reads and writes two moments                     8     80 (8)
///   lamb           44  moments, step and norms (32), then the weight    8    100 (13)
///   averaged_sgd   20  reads and writes the average                     4     64 (6)
///   adagrad        20  reads and writes the sum of squares              4     44 (4)
UpdateCost update_cost(Optimizer optimizer, bool multi_tensor);

/// Returns the update of rows of tables: norms and update in one kernel.
UpdatePass row_update(Optimizer optimizer);

/// Returns the kernels of a pass over `parameters` parameters in `tensors` tensors, all in fp32.
KernelWork update_work(const UpdatePass& pass, std::int64_t parameters, int tensors, int launches = 1);

/// Returns the bytes of fp32 state that the optimizer keeps per parameter besides the weight.
Bytes state_bytes_per_parameter(Optimizer optimizer);

}  // namespace mlsim::workloads
