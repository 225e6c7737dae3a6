#include "core/kernel/kernel_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/text/errors.hpp"

namespace mlsim {
namespace {

struct Row {
  const char* name;
  KernelShape family;
};

// The rows stand in the order of KernelOp.
const std::vector<Row>& rows() {
  static const std::vector<Row> table{
      {"conv_forward", ConvolutionShape{}},
      {"conv_input_gradient", ConvolutionShape{}},
      {"conv_weight_gradient", ConvolutionShape{}},
      {"dense_forward", DenseShape{}},
      {"dense_input_gradient", DenseShape{}},
      {"dense_weight_gradient", DenseShape{}},
      {"elementwise", ElementwiseShape{}},
      {"optimizer", OptimizerShape{}},
      {"matmul", ProductShape{}},
      {"lstm_forward", LstmShape{}},
      {"lstm_backward", LstmShape{}},
      {"gather", LookUpShape{}},
      {"scatter_add", LookUpShape{}},
      {"roi_align_forward", RegionShape{}},
      {"roi_align_backward", RegionShape{}},
      {"batch_norm_forward", RowsShape{}},
      {"batch_norm_backward", RowsShape{}},
      {"layer_norm_forward", RowsShape{}},
      {"layer_norm_backward", RowsShape{}},
      {"max_pool_forward", PoolShape{}},
      {"max_pool_backward", PoolShape{}},
      {"average_pool_forward", PoolShape{}},
      {"average_pool_backward", PoolShape{}},
      {"softmax_loss_forward", LossShape{}},
      {"softmax_loss_backward", LossShape{}},
      {"sigmoid_loss_forward", LossShape{}},
      {"sigmoid_loss_backward", LossShape{}},
      {"flash_attention_forward", AttentionShape{}},
      {"flash_attention_backward", AttentionShape{}},
  };
  return table;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::int64_t parse_extent(std::string_view word) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 0) {
    throw InputError(fmt::format("\"{}\" is no dimension of a kernel", word));
  }
  return number;
}

UpdateRule untold_rule(const OptimizerShape& shape) { return usual_rule(shape.bytes_per_parameter, shape.launches); }

bool is_word(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= 'a'; });
}

}  // namespace

const Words<KernelOp>& words(KernelOp) {
  static const auto table = [] {
    Words<KernelOp> all{"kernel", {}};
    for (const Row& row : rows()) all.names.emplace_back(row.name);
    return all;
  }();
  return table;
}

const KernelShape& shape_family(KernelOp op) { return rows()[static_cast<std::size_t>(op)].family; }

std::string to_text(const KernelKey& key) {
  std::string text = fmt::format("{} {}", name(key.op), name(key.precision));
  for (const std::int64_t number : numbers(key.shape)) text += fmt::format(" {}", number);
  const auto* optimizer = std::get_if<OptimizerShape>(&key.shape);
  if (optimizer != nullptr && optimizer->rule != untold_rule(*optimizer)) {
    text += fmt::format(" {}", name(optimizer->rule));
  }
  return text;
}

KernelKey parse_kernel_key(std::string_view text) {
  std::vector<std::string_view> parts = split_words(text);
  if (parts.size() < 3) {
    throw InputError(fmt::format("\"{}\" is no kernel key (operator, precision, dimensions)", text.substr(0, 80)));
  }
  KernelKey key{parse<KernelOp>(parts[0]), parse<Precision>(parts[1]), {}};
  std::string_view rule;
  if (key.op == KernelOp::optimizer && is_word(parts.back())) {
    rule = parts.back();
    parts.pop_back();
  }
  std::vector<std::int64_t> all;
  for (std::size_t i = 2; i < parts.size(); ++i) all.push_back(parse_extent(parts[i]));
  try {
    key.shape = with_numbers(shape_family(key.op), all);
  } catch (const InputError& wrong) {
    throw InputError(fmt::format("\"{}\" is no kernel key: {}", text.substr(0, 80), wrong.what()));
  }
  if (auto* optimizer = std::get_if<OptimizerShape>(&key.shape)) {
    optimizer->rule = rule.empty() ? untold_rule(*optimizer) : parse<UpdateRule>(rule);
  }
  return key;
}

}  // namespace mlsim
