#include "core/kernel_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/errors.hpp"

namespace mlsim {

const Words<KernelOp>& words(KernelOp) {
  static const Words<KernelOp> table{"kernel",
                                     {"conv_forward",
                                      "conv_input_gradient",
                                      "conv_weight_gradient",
                                      "dense_forward",
                                      "dense_input_gradient",
                                      "dense_weight_gradient",
                                      "elementwise",
                                      "optimizer",
                                      "matmul",
                                      "lstm_forward",
                                      "lstm_backward",
                                      "gather",
                                      "scatter_add",
                                      "roi_align_forward",
                                      "roi_align_backward",
                                      "batch_norm_forward",
                                      "batch_norm_backward",
                                      "layer_norm_forward",
                                      "layer_norm_backward",
                                      "max_pool_forward",
                                      "max_pool_backward",
                                      "average_pool_forward",
                                      "average_pool_backward",
                                      "softmax_loss_forward",
                                      "softmax_loss_backward",
                                      "sigmoid_loss_forward",
                                      "sigmoid_loss_backward"}};
  return table;
}

std::string to_text(const KernelKey& key) {
  std::string text = fmt::format("{} {}", name(key.op), name(key.precision));
  auto last = key.dims.size();
  while (last > 0 && key.dims[last - 1] == 0) --last;
  for (std::size_t i = 0; i < last; ++i) text += fmt::format(" {}", key.dims[i]);
  return text;
}

KernelKey parse_kernel_key(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  KernelKey key;
  if (words.size() < 3 || words.size() > 2 + key.dims.size()) {
    throw InputError(fmt::format("\"{}\" is no kernel key (operator, precision, 1 to {} dimensions)",
                                 text.substr(0, 80), key.dims.size()));
  }
  key.op = parse<KernelOp>(words[0]);
  key.precision = parse<Precision>(words[1]);
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto word = words[i];
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), key.dims[i - 2]);
    if (error != std::errc() || end != word.data() + word.size() || key.dims[i - 2] < 0) {
      throw InputError(fmt::format("\"{}\" is no dimension of a kernel", word));
    }
  }
  return key;
}

}  // namespace mlsim
