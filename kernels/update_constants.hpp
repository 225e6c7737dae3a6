// UpdateConstants are those of weight updates, on processors and GPUs alike.
#pragma once

namespace mlsim::kernels {

/// The defaults are those of torch.optim, apex and the papers; any other values take the same time. Adam, LAMB and the
/// average of averaged SGD are as in step 1000, far enough from the first.
struct UpdateConstants {
  float rate = 0.1f, decay = 1e-4f, momentum = 0.9f;
  float trust = 1e-3f;                     // LARS's coefficient (You et al., arXiv:1708.03888)
  float beta1 = 0.9f, beta2 = 0.999f;      // Kingma and Ba, Adam, arXiv:1412.6980, algorithm 1
  float epsilon = 1e-8f;                   // ibidem; it keeps the quotients of the other rules finite, too
  float mean_correction = 1;               // 1 - beta1^1000
  float square_correction = 0.632304575f;  // 1 - beta2^1000
  float average_share = 1e-3f;  // share of the new weight in the mean of 1000 (Polyak and Juditsky, SIAM J. Control
                                // Optim. 30, 1992)
  float largest_norm = 1;       // norm of all gradients, for clipping (Pascanu et al., arXiv:1211.5063)
};

inline constexpr UpdateConstants kUpdate{};

}  // namespace mlsim::kernels
