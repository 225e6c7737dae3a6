#include "calibrate/fit/kernel_class.hpp"

#include <map>

namespace mlsim::calibrate {

using enum KernelOp;

const std::vector<KernelClass>& kernel_classes() {
  // A dense layer's passes are the same library's matrix products.
  static const std::vector<KernelClass> classes{
      {"matrix products", {matmul, dense_forward, dense_input_gradient, dense_weight_gradient}, "products"},
      {"recurrent layers", {lstm_forward, lstm_backward}, "products"},
      {"convolutions forward", {conv_forward}, "convolutions"},
      {"convolutions by input", {conv_input_gradient}, "convolutions"},
      {"convolutions by weights", {conv_weight_gradient}, "convolutions"},
      {"elementwise", {elementwise}, "memory"},
      {"normalisations", {batch_norm_forward, batch_norm_backward, layer_norm_forward, layer_norm_backward}, "memory"},
      {"largest of windows", {max_pool_forward, max_pool_backward}, "memory"},
      {"means of windows", {average_pool_forward, average_pool_backward}, "memory"},
      {"losses of a softmax", {softmax_loss_forward, softmax_loss_backward}, "memory"},
      {"losses of a sigmoid", {sigmoid_loss_forward, sigmoid_loss_backward}, "memory"},
      {"optimizers", {optimizer}, "memory"},
      {"look-ups", {gather, scatter_add, roi_align_forward, roi_align_backward}, "memory"},
      {"fused attention", {flash_attention_forward, flash_attention_backward}, "products"}};
  return classes;
}

std::vector<std::vector<std::size_t>> grouped_classes(const std::vector<std::size_t>& counts, std::size_t fewest) {
  const auto& classes = kernel_classes();
  std::vector<std::vector<std::size_t>> groups;
  std::map<std::string, std::vector<std::size_t>> scarce;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (counts[i] >= fewest)
      groups.push_back({i});
    else if (counts[i] > 0)
      scarce[classes[i].family].push_back(i);
  }
  for (const auto& [family, members] : scarce) {
    std::size_t together = 0;
    for (const std::size_t i : members) together += counts[i];
    if (together >= fewest) groups.push_back(members);
  }
  return groups;
}

}  // namespace mlsim::calibrate
