#include "workloads/model/config_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>

#include "core/text/errors.hpp"
#include "core/text/words.hpp"
#include "workloads/model/config_form.hpp"

namespace mlsim::workloads {
namespace {

// Training on more tokens a sample than this is a stage of its own, which a question names (Llama 3, arXiv:2407.21783,
// section 3.4.2).
constexpr std::int64_t kUsualSequence = 4096;

// A ConfigReader asks a file for the keys of a form.
class ConfigReader {
 public:
  ConfigReader(const Document& config, const ConfigForm& form)
      : config_(config), form_(form), mixture_(form.mixture), result_(form.parameters) {}

  ParameterOverrides parameters() {
    read_sizes();
    if (form_.patterned) read_pattern();
    read_heads();
    if (!form_.beside.empty()) read_beside();
    if (mixture_) read_experts();
    read_feed_forward();
    read_flags();
    const auto longest = optional({"max_position_embeddings", "n_positions", "seq_length", "max_seq_len"});
    set("sequence", std::min(longest.value_or(kUsualSequence), kUsualSequence));
    return std::move(result_);
  }
  const std::string& pattern() const { return pattern_; }

 private:
  using Keys = std::initializer_list<const char*>;

  // A value of null is as none at all.
  bool given(const std::string& key) const {
    if (!config_.has(key)) return false;
    try {
      return !config_.at(key).text().empty();
    } catch (const InputError&) {
      return !config_.at(key).is_scalar();
    }
  }

  // Returns the number under the one of several words for a size that stands there.
  std::optional<std::int64_t> optional(Keys keys, int lowest = 1) const {
    std::optional<std::int64_t> found;
    std::string first;
    for (const std::string key : keys) {
      if (!given(key)) continue;
      const std::int64_t value = config_.at(key).count(lowest);
      if (found && *found != value)
        throw config_.at(key).error(fmt::format("\"{}\" is {}, but \"{}\" is {}", key, value, first, *found));
      if (!found) first = key;
      found = value;
    }
    return found;
  }

  std::int64_t required(Keys keys) const {
    if (const auto value = optional(keys)) return *value;
    throw config_.error(fmt::format("the key \"{}\" is missing", *keys.begin()));
  }

  bool flag(const std::string& key, bool fallback) const { return given(key) ? config_.at(key).flag() : fallback; }

  void set(const std::string& parameter, std::int64_t value) { result_[parameter] = value; }
  // The form's code goes before: what it fixes a key cannot change.
  void set_open(const std::string& parameter, std::int64_t value) { result_.emplace(parameter, value); }

  InputError error(const std::string& key, const std::string& reason) const {
    return (given(key) ? config_.at(key) : config_).error(reason);
  }

  void read_sizes() {
    hidden_ = required({"hidden_size", "n_embd", "n_embed"});
    if (optional({"word_embed_proj_dim"}).value_or(hidden_) != hidden_)
      throw error("word_embed_proj_dim", "embeddings of another width than hidden_size have no parameter");
    const bool listed = form_.patterned && given("layers_block_type") && !given("num_hidden_layers");
    layers_ = listed ? static_cast<std::int64_t>(config_.at("layers_block_type").items().size())
                     : required({"num_hidden_layers", "n_layer"});
    set("hidden", hidden_);
    set("layers", layers_);
    set("vocabulary", required({"vocab_size"}));
  }

  // Letters are those of NVIDIA/Megatron-LM, core/ssm/mamba_hybrid_layer_allocation.py.
  void read_pattern() {
    const std::string key = given("layers_block_type") ? "layers_block_type" : "hybrid_override_pattern";
    if (!given(key)) throw config_.error(fmt::format("the key \"{}\" is missing", key));
    pattern_ = config_.at(key).is_scalar() ? config_.at(key).text() : pattern_of_words(config_.at(key));
    if (const auto odd = pattern_.find_first_not_of("M*-E"); odd != std::string::npos)
      throw error(key, fmt::format("\"{}\" is no letter of a layer; M, *, - and E are", pattern_.substr(odd, 1)));
    if (static_cast<std::int64_t>(pattern_.size()) != layers_)
      throw error(key, fmt::format("{} letters are not num_hidden_layers {}", pattern_.size(), layers_));
    mixture_ = pattern_.find('E') != std::string::npos;
    if (mixture_) set("router_biases", 1);
    if (pattern_.find('M') != std::string::npos) read_state_space();
    if (const auto latent = optional({"moe_latent_size"})) set("expert_latent", *latent);
  }

  // Newer files have a word for each layer, and no count of them.
  static std::string pattern_of_words(const Document& list) {
    static const std::vector<std::pair<std::string, char>> letters{
        {"mamba", 'M'}, {"attention", '*'}, {"mlp", '-'}, {"moe", 'E'}};
    std::string pattern;
    for (const Document& word : list.items()) {
      const auto found =
          std::find_if(letters.begin(), letters.end(), [&](const auto& l) { return l.first == word.text(); });
      if (found == letters.end())
        throw word.error(
            fmt::format("\"{}\" is no layer; mamba, attention, mlp and moe are", word.text().substr(0, 80)));
      pattern += found->second;
    }
    return pattern;
  }

  void read_state_space() {
    set("mamba_heads", required({"mamba_num_heads"}));
    set("mamba_head_size", required({"mamba_head_dim"}));
    set("mamba_state", required({"ssm_state_size"}));
    set("mamba_groups", required({"n_groups"}));
    set("mamba_taps", required({"conv_kernel"}));
    if (const auto chunk = optional({"chunk_size"})) set("mamba_chunk", *chunk);
    for (const char* key : {"use_bias", "mamba_proj_bias"})
      if (flag(key, false)) throw error(key, "projections of a state space with biases have no parameter");
    if (!flag("use_conv_bias", true)) throw error("use_conv_bias", "a convolution without bias has no parameter");
  }

  void read_heads() {
    const std::int64_t heads = required({"num_attention_heads", "n_head"});
    set("heads", heads);
    if (form_.latent) return read_latent();
    const std::int64_t shared = key_value_heads(heads);
    if (heads % shared != 0)
      throw error("num_key_value_heads",
                  fmt::format("num_key_value_heads {} does not divide num_attention_heads {}", shared, heads));
    set("kv_heads", shared);
    if (const auto size = optional({"head_dim", "attention_head_dim"})) return set("head_size", *size);
    if (hidden_ % heads != 0)
      throw error("num_attention_heads", fmt::format("num_attention_heads {} does not divide hidden_size {}; "
                                                     "\"head_dim\" would tell the width of a head",
                                                     heads, hidden_));
    set("head_size", hidden_ / heads);
  }

  // Falcon says multi_query where one head of keys and values serves all, but not of its newer files.
  std::int64_t key_value_heads(std::int64_t heads) const {
    if (flag("multi_query", false) && !flag("new_decoder_architecture", false)) return 1;
    return optional({"num_key_value_heads", "num_kv_heads"}).value_or(heads);
  }

  // Each has a normalisation of its own in Falcon's newer files and where the form says so.
  void read_beside() {
    const bool newer = flag("new_decoder_architecture", false), parallel = newer || flag(form_.beside, true);
    set("parallel", parallel ? 1 : 0);
    set_open("shared_norm", parallel && !newer ? 1 : 0);
  }

  void read_latent() {
    set("kv_lora_rank", required({"kv_lora_rank"}));
    set("q_lora_rank", optional({"q_lora_rank"}).value_or(0));
    const std::int64_t rope = required({"qk_rope_head_dim"});
    set("rope_size", rope);
    set("head_size", rope + required({"qk_nope_head_dim"}));
    set("value_size", required({"v_head_dim"}));
  }

  void read_experts() {
    const std::int64_t experts = required({"num_experts", "num_local_experts", "n_routed_experts"});
    const std::int64_t chosen = required({"num_experts_per_tok"});
    if (chosen > experts)
      throw error("num_experts_per_tok",
                  fmt::format("num_experts_per_tok {} is more than the {} experts", chosen, experts));
    set("experts", experts);
    set("experts_per_token", chosen);
    set("expert_ffn", required({form_.experts_width.c_str()}));
    const std::int64_t shared = optional({"n_shared_experts"}, 0).value_or(0);
    const auto width = optional({"moe_shared_expert_intermediate_size"});
    if (width)
      set("shared_ffn", *width);
    else if (shared > 0)
      set("shared_experts", shared);
    if (form_.patterned) return;
    set("expert_every", optional({"decoder_sparse_step", "moe_layer_freq"}).value_or(1));
    dense_ = optional({"first_k_dense_replace"}, 0).value_or(0);
    read_dense_layers();
    if (dense_ > layers_)
      throw error("first_k_dense_replace",
                  fmt::format("{} layers without experts are more than the {} layers", dense_, layers_));
    set("dense_layers", dense_);
  }

  // Only the first layers can be dense: {0, 1, 2}, in any order.
  void read_dense_layers() {
    if (!given_list("mlp_only_layers")) return;
    std::vector<int> listed;
    for (const auto& item : config_.at("mlp_only_layers").items()) listed.push_back(item.count(0));
    std::sort(listed.begin(), listed.end());
    for (std::size_t i = 0; i < listed.size(); ++i) {
      if (listed[i] != static_cast<int>(i))
        throw config_.at("mlp_only_layers")
            .error("layers without experts are the first ones; others have no parameter");
    }
    dense_ = std::max(dense_, static_cast<std::int64_t>(listed.size()));
  }

  bool given_list(const std::string& key) const { return config_.has(key) && config_.at(key).is_list(); }

  void read_feed_forward() {
    if (form_.patterned ? pattern_.find('-') == std::string::npos
                        : mixture_ && dense_ == 0 && result_.at("expert_every") == 1)
      return;
    const auto width = optional({"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"});
    const bool four = !form_.parameters.contains("gated") || form_.parameters.contains("squared_relu");
    set("ffn", width ? *width : four ? required({"intermediate_size"}) : 4 * hidden_);
  }

  void read_flags() {
    set("tied", flag("tie_word_embeddings", form_.tied) ? 1 : 0);
    if (flag("attention_bias", false)) {
      set_open("attention_biases", 1);
      set_open("projection_biases", 1);
    }
    if (flag("mlp_bias", false)) {
      set_open("biases", 1);
      set_open("attention_biases", 0);
      set_open("projection_biases", 0);
    }
    if (flag("bias", false) && form_.beside == "parallel_attn") set("biases", 1);  // Falcon's of 2022
    if (form_.parameters.contains("biases") && !flag("use_bias", true)) {
      set("biases", 0);
      set_open("norm_biases", 1);
    }
    if (flag("use_qk_norm", false)) set("qk_norm", 1);
    if (!result_.contains("qk_norm")) result_.erase("own_scales");
    const bool windowed = form_.windowed || flag("use_sliding_window", false);
    const auto window = windowed ? optional({"sliding_window"}) : std::nullopt;
    if (window) set("window", *window);
    if (const auto pattern = optional({"sliding_window_pattern"}); pattern && window) set("full_every", *pattern);
    if (!window) result_.erase("full_every");
  }

  const Document& config_;
  const ConfigForm& form_;
  bool mixture_;
  ParameterOverrides result_;
  std::string pattern_;
  std::int64_t hidden_ = 0, layers_ = 0, dense_ = 0;
};

}  // namespace

bool is_config_path(const std::string& path) {
  if (path.ends_with(".json")) return true;
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) &&
         std::filesystem::exists(std::filesystem::path(path) / "config.json", ignored);
}

std::string config_file(const std::string& path) { return path.ends_with(".json") ? path : path + "/config.json"; }

std::string config_name(const std::string& path) {
  const std::filesystem::path file = std::filesystem::path(config_file(path)).lexically_normal();
  const std::string folder = file.parent_path().filename().string();
  const std::string name = file.filename() == "config.json" && folder != ".." ? folder : file.stem().string();
  return name.empty() || name == "." ? "config" : name;
}

ConfigModel read_config(const Document& config) {
  if (!config.is_map()) throw config.error("a config.json is one object of keys");
  if (!config.has("model_type")) throw config.error("the key \"model_type\" is missing");
  const std::string type = config.at("model_type").text();
  const auto form = config_forms().find(type);
  if (form == config_forms().end()) {
    const auto known = config_model_types();
    throw config.at("model_type")
        .error(fmt::format("unknown model_type \"{}\"; known are {}", type, fmt::join(known, ", ")));
  }
  ConfigReader reader(config, form->second);
  ParameterOverrides parameters = reader.parameters();
  return {type, std::move(parameters), reader.pattern()};
}

std::vector<std::string> config_model_types() {
  std::vector<std::string> types;
  for (const auto& entry : config_forms()) types.push_back(entry.first);
  return types;
}

}  // namespace mlsim::workloads
