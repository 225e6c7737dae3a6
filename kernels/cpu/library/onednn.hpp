// This header has what every user of oneDNN here needs: the engine, tensors over memory of ours, changes of layout.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include <string>

namespace mlsim::kernels::onednn {

using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;

dnnl::engine& engine();
dnnl::stream& stream();
/// Returns "2.6.3".
std::string version();

Desc fp32_desc(const dnnl::memory::dims& dims, Tag tag);
/// Returns the layout of activations (batch, channels, height, width) in blocks of 16, 8 or 1 channels.
Tag activation_tag(std::int64_t block);
inline std::int64_t elements(const Desc& desc) { return std::int64_t(desc.get_size() / sizeof(float)); }
/// Makes a tensor over memory of the caller's, which a run does not outlive.
dnnl::memory tensor(const Desc& desc, const float* data);

void reorder(const Desc& from_desc, const float* from, const Desc& to_desc, float* to);

/// Sets the number of threads of what follows on this thread: primitives share out their work when they are made.
void use_threads(int threads);

}  // namespace mlsim::kernels::onednn
