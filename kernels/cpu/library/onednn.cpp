#include "kernels/cpu/library/onednn.hpp"

#include <omp.h>

namespace mlsim::kernels::onednn {

dnnl::engine& engine() {
  static dnnl::engine the_engine(dnnl::engine::kind::cpu, 0);
  return the_engine;
}

dnnl::stream& stream() {
  static dnnl::stream the_stream(engine());
  return the_stream;
}

std::string version() {
  const dnnl_version_t* v = dnnl_version();
  return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
}

Desc fp32_desc(const dnnl::memory::dims& dims, Tag tag) { return {dims, dnnl::memory::data_type::f32, tag}; }

Tag activation_tag(std::int64_t block) { return block == 16 ? Tag::nChw16c : block == 8 ? Tag::nChw8c : Tag::nchw; }

dnnl::memory tensor(const Desc& desc, const float* data) { return {desc, engine(), const_cast<float*>(data)}; }

void reorder(const Desc& from_desc, const float* from, const Desc& to_desc, float* to) {
  dnnl::memory source = tensor(from_desc, from), target = tensor(to_desc, to);
  dnnl::reorder(source, target).execute(stream(), source, target);
  stream().wait();
}

void use_threads(int threads) { omp_set_num_threads(threads); }

}  // namespace mlsim::kernels::onednn
