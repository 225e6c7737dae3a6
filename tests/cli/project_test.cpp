// mlsim.yaml and the environment: price lists, catalogues and profiles of a project.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bad_case.hpp"

namespace {

using nlohmann::json;

const std::string kMachine =
    "name: our-box\n"
    "accelerator: v100-sxm2-16gb\n"
    "node:\n"
    "  accelerators: 4\n"
    "  interconnect: pcie\n"
    "  pcie: {bandwidth: 12 GB/s, latency: 1 us}\n";

// A project in a folder of its own; mlsim is run there.
class ProjectFolder {
 public:
  ProjectFolder() {
    folder_.file("machines/box.yaml", kMachine);
    folder_.file("models/our-net.yaml", text_of(std::string(MLSIM_SOURCE_DIR) + "/examples/own-model/tiny.yaml"));
    folder_.file("prices.yaml", "prices:\n  - {resource: our-box, on_demand: 3 USD/h}\n");
    folder_.file("mlsim.yaml", "prices: prices.yaml\ntopologies: [machines]\nworkloads: [models]\n");
  }
  const ScratchFolder& files() const { return folder_; }
  std::string here() const { return "cd '" + folder_.path().string() + "' && "; }
  ProgramRun run(const std::string& arguments, const std::string& environment = "") const {
    return run_mlsim(arguments, here() + environment);
  }
  double price_per_hour(const std::string& more, const std::string& environment = "") const {
    const ProgramRun run =
        this->run("predict --topology our-box --workload resnet50 --format json " + more, environment);
    INFO(run.err);
    REQUIRE(run.code == 0);
    return json::parse(run.out)["price_usd_per_s"].get<double>() * 3600;
  }

 private:
  ScratchFolder folder_;
};

}  // namespace

TEST_CASE("names and prices of mlsim.yaml work like those of mlsim") {
  const ProjectFolder project;
  CHECK(project.price_per_hour("") == Approx(3));
  CHECK_THAT(project.run("list topologies").out, ContainsSubstring("our-box"));
  CHECK_THAT(project.run("list workloads").out, ContainsSubstring("our-net"));
  CHECK(project.run("predict --topology our-box:nodes=1 --workload our-net").code == 0);
  CHECK(project.run("compare our-box dgx1-v100 --workload resnet50").code == 0);
  CHECK(run_mlsim("predict --topology our-box --workload resnet50").code == 2);  // elsewhere
}

TEST_CASE("the command line counts before the environment, and that before mlsim.yaml") {
  const ProjectFolder project;
  project.files().file("env.yaml", "prices:\n  - {resource: our-box, on_demand: 5 USD/h}\n");
  project.files().file("typed.yaml", "prices:\n  - {resource: our-box, on_demand: 7 USD/h}\n");
  project.files().file("none.yaml", "prices: []\n");
  CHECK(project.price_per_hour("", "MLSIM_PRICES=env.yaml ") == Approx(5));
  CHECK(project.price_per_hour("", "MLSIM_PRICES=none.yaml:env.yaml ") == Approx(5));
  CHECK(project.price_per_hour("--prices typed.yaml", "MLSIM_PRICES=env.yaml ") == Approx(7));
  CHECK(project.price_per_hour("--prices typed.yaml --price our-box=9USD/h", "MLSIM_PRICES=env.yaml ") == Approx(9));
}

TEST_CASE("the environment alone is enough, and MLSIM_CONFIG names a file elsewhere") {
  const ProjectFolder project;
  const std::string root = project.files().path().string();
  const ProgramRun alone = run_mlsim("predict --topology our-box --workload our-net",
                                     "MLSIM_TOPOLOGIES=" + root + "/machines MLSIM_WORKLOADS=" + root + "/models ");
  CHECK(alone.code == 0);
  // Paths start from the folder of the file.
  CHECK(run_mlsim("predict --topology our-box --workload our-net", "MLSIM_CONFIG=" + root + "/mlsim.yaml ").code == 0);
}

TEST_CASE("profiles of a project count where none is named on the command line") {
  const ProjectFolder project;
  const std::string profile = std::string(MLSIM_SOURCE_DIR) + "/examples/import-nccl-tests/profile.json";
  const std::string list = run_mlsim("list profiles --profile " + profile).out;
  CHECK(list != run_mlsim("list profiles").out);
  CHECK(project.run("list profiles", "MLSIM_PROFILES=" + profile + " ").out == list);
  project.files().file("own.json", text_of(profile));
  project.files().file("mlsim.yaml", "profiles: own.json\n");
  CHECK(project.run("list profiles").out == list);
}

TEST_CASE("doctor shows what is in force and where it was named") {
  const ProjectFolder project;
  const ProgramRun run = project.run("doctor", "MLSIM_PRICES=prices.yaml ");
  CHECK(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("mlsim.yaml") && ContainsSubstring("prices.yaml (MLSIM_PRICES)") &&
                          ContainsSubstring("prices.yaml (mlsim.yaml:1)") &&
                          ContainsSubstring("machines (mlsim.yaml:2)"));
  CHECK_THAT(run_mlsim("doctor").out, ContainsSubstring("no mlsim.yaml"));
}

TEST_CASE("a slip in mlsim.yaml or the environment is refused with its place") {
  const std::string ask = "predict --topology our-box --workload resnet50";
  const auto complaint = [&](const std::string& file, const std::string& environment = "",
                             const std::string& arguments = "") {
    const ProjectFolder project;
    if (!file.empty()) project.files().file("mlsim.yaml", file);
    const ProgramRun run = project.run(arguments.empty() ? ask : arguments, environment);
    CHECK(run.code == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  CHECK_THAT(complaint("price: prices.yaml\n"),
             ContainsSubstring("mlsim.yaml:1: ") && ContainsSubstring("did you mean \"prices\"?"));
  CHECK_THAT(complaint("topologies: machines\nprices: [pirces.yaml]\n"),
             ContainsSubstring("mlsim.yaml:2: \"pirces.yaml\" is no file"));
  CHECK_THAT(complaint("topologies: machine\n"), ContainsSubstring("mlsim.yaml:1: \"machine\" is no folder"));
  CHECK_THAT(complaint("", "MLSIM_PROFILES=none.json "), ContainsSubstring("MLSIM_PROFILES: \"none.json\" is no file"));
  CHECK_THAT(complaint("", "MLSIM_CONFIG=none.yaml "), ContainsSubstring("MLSIM_CONFIG: \"none.yaml\" is no file"));
  CHECK_THAT(complaint("", "", "predict --topology our-bux --workload resnet50"),
             ContainsSubstring("did you mean \"our-box\"?"));
}

TEST_CASE("a machine or workload of one's own may not take the name of one of mlsim's") {
  for (const char* const name : {"p5", "Selene", "TPU_v3-32"}) {
    const ProjectFolder project;
    project.files().file("machines/mine.yaml", fmt::format("name: {}{}", name, kMachine.substr(kMachine.find('\n'))));
    const ProgramRun machine = project.run("list topologies");
    CHECK(machine.code == 2);
    CHECK_THAT(machine.err,
               ContainsSubstring(fmt::format("mine.yaml:1: \"{}\"", name)) && ContainsSubstring("another name"));
  }
  const ProjectFolder other;
  other.files().file("models/resnet50.yaml", text_of(std::string(MLSIM_SOURCE_DIR) + "/examples/own-model/tiny.yaml"));
  const ProgramRun model = other.run("predict --topology our-box --workload our-net");
  CHECK(model.code == 2);
  CHECK_THAT(model.err, ContainsSubstring("resnet50.yaml: resnet50 is a workload of mlsim's own"));
}
