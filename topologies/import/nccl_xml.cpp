#include "topologies/import/nccl_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <pugixml.hpp>
#include <set>

#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/units_text.hpp"
#include "topologies/import/xml_check.hpp"

namespace mlsim::topologies {
namespace {

// NCCL's own limit on the depth of a node is far below (src/graph/xml.cc); this guards the stack.
constexpr int kDeepest = 64;
constexpr int kMostNvlinks = 1000;  // links of one accelerator to one target; Blackwell has 18 in all

class Reader {
 public:
  explicit Reader(const std::string& path)
      : path_(path), text_(checked_xml(path, "system", "a topology of NCCL (NCCL_TOPO_DUMP_FILE)")) {}

  NcclXmlSystem system() {
    pugi::xml_document document;
    document.load_buffer(text_.data(), text_.size());
    const pugi::xml_node root = document.document_element();
    for (const auto& cpu : root.children("cpu")) take_cpu(cpu);
    if (system_.gpus.empty()) throw error(root, "lists no <gpu>");
    system_.hosts = std::max<int>(1, static_cast<int>(hosts_.size()));
    return std::move(system_);
  }

 private:
  void take_cpu(const pugi::xml_node& cpu) {
    if (const auto hash = cpu.attribute("host_hash")) hosts_.insert(hash.value());
    system_.threads += threads_of(cpu.attribute("affinity").value());
    NcclPlace place;
    for (const auto& child : cpu.children()) take(child, place, 1);
  }

  // Masks have 32 bits a word: "0000ffff,00000000".
  static int threads_of(const char* mask) {
    int threads = 0;
    for (; *mask != '\0'; ++mask) {
      const char* digits = "0123456789abcdef";
      const char* digit = std::strchr(digits, std::tolower(static_cast<unsigned char>(*mask)));
      if (digit != nullptr) threads += std::popcount(static_cast<unsigned>(digit - digits));
    }
    return threads;
  }

  void take(const pugi::xml_node& node, const NcclPlace& above, int depth) {
    if (depth > kDeepest) throw error(node, fmt::format("is nested beyond {} levels", kDeepest));
    if (std::strcmp(node.name(), "gpu") == 0) return take_gpu(node, above);
    if (std::strcmp(node.name(), "nic") == 0) {
      for (const auto& net : node.children("net")) take_net(net, above);
      return;
    }
    if (std::strcmp(node.name(), "pci") != 0) return;
    NcclPlace place;
    place.bus_id = node.attribute("busid").value();
    place.pci_class = node.attribute("class").value();
    place.device = node.attribute("device").value();
    place.link_speed = node.attribute("link_speed").value();
    place.link_width = node.attribute("link_width") ? count(node, "link_width", 0) : 0;
    // The outermost bridge counts, whose link to the processor all below it share.
    place.pcie_switch = above.pcie_switch.empty() ? above.bus_id : above.pcie_switch;
    for (const auto& child : node.children()) take(child, place, depth + 1);
  }

  void take_gpu(const pugi::xml_node& node, const NcclPlace& place) {
    NcclGpu gpu;
    gpu.place = place;
    gpu.dev = count(node, "dev", 0);
    gpu.sm = count(node, "sm", 1);
    for (const auto& link : node.children("nvlink")) {
      NcclNvlinks links;
      const std::string target_class = link.attribute("tclass").value();
      links.target = link.attribute("target").value();
      links.count = count(link, "count", 1);
      if (links.count > kMostNvlinks) throw error(link, fmt::format("{} NVLinks are too many", links.count));
      links.to_switch = target_class == "0x068000";
      links.to_gpu = target_class.starts_with("0x03");
      gpu.nvlinks.push_back(links);
    }
    system_.gpus.push_back(std::move(gpu));
  }

  void take_net(const pugi::xml_node& node, const NcclPlace& place) {
    NcclNet net;
    net.place = place;
    net.name = node.attribute("name").value();
    net.gpu_direct = std::strcmp(node.attribute("gdr").value(), "1") == 0;
    if (const auto speed = node.attribute("speed")) {
      try {
        net.megabits = parse_number(speed.value());
      } catch (const InputError&) {
        throw error(node, fmt::format("<net> has speed {}, which is no number of Mbit/s", in_quotes(speed.value())));
      }
    }
    system_.nets.push_back(std::move(net));
  }

  int count(const pugi::xml_node& node, const char* key, int lowest) const {
    const auto attribute = node.attribute(key);
    if (!attribute) throw error(node, fmt::format("<{}> has no \"{}\"", node.name(), key));
    try {
      return parse_count(attribute.value(), lowest);
    } catch (const InputError& e) {
      throw error(node, fmt::format("<{}> has {}={}: {}", node.name(), key, in_quotes(attribute.value()), e.reason()));
    }
  }

  InputError error(const pugi::xml_node& node, const std::string& reason) const {
    return {xml_place(path_, text_, node.offset_debug()), reason};
  }

  std::string path_, text_;
  std::set<std::string> hosts_;
  NcclXmlSystem system_;
};

}  // namespace

NcclXmlSystem read_nccl_xml(const std::string& path) { return Reader(path).system(); }

}  // namespace mlsim::topologies
