"""What a published run was set to, in the words of `mlsim predict --set`, and the software that its source ran."""
import re

from names import Left

# Sources, the publisher and the group that their rows are scored in, the file, and the class of software.
SOURCES = {
    "korthikanti-2022": ("korthikanti", "GPT Korthikanti 2022", "megatron", "megatron"),
    "sc21-megatron": ("sc21", "GPT SC21", "megatron", "megatron"),
    "megatron-lm-2020": ("megatron", "GPT Megatron-LM 2020", "megatron", "megatron"),
    "mt-nlg-2022": ("mt-nlg", "GPT MT-NLG", "megatron", "megatron"),
    "megascale-2024": ("bytedance", "GPT MegaScale baseline", "megatron", "megatron"),
    "megatron-lm-h100": ("megatron", "GPT Megatron-LM H100", "megatron", "megatron"),
    "zero-bubble-2024": ("zero-bubble", "GPT zero bubble", "megatron", "megatron"),
    "kwai-atc24": ("kwai", "Llama Kwai", "megatron", "megatron"),
    "llama3-2024": ("meta", "Llama 3 405B Meta", "megatron", "megatron"),
    "vtrain-multi": ("vtrain", "GPT vTrain multi-node", "vtrain", "megatron"),
    "vtrain-single": ("vtrain", "GPT vTrain one node", "vtrain", "megatron"),
    "bloom-chronicles": ("bloom", "GPT BLOOM prototypes", "bloom", "megatron"),
    "dgxc-benchmarking": ("dgxc", "DGX Cloud", "nemo", "nemo"),
    "nemo-docs-24.07": ("nemo", "NeMo documentation", "nemo", "nemo"),
    "nemo-docs-25.02": ("nemo", "NeMo documentation", "nemo", "nemo"),
    "nemo-docs-25.04": ("nemo", "NeMo documentation", "nemo", "nemo"),
    "nemo-docs-25.07": ("nemo", "NeMo documentation", "nemo", "nemo"),
    "nemo-launcher": ("nemo", "GPT NeMo launcher A100", "nemo", "nemo"),
    "megatron-bridge": ("bridge", "Megatron Bridge", "bridge", "nemo"),
    "llm-foundry": ("mosaic", "MPT llm-foundry", "mosaic", "eager"),
    "simumax-b200": ("simumax", "SimuMax B200", "simumax", "megatron"),
    "flagperf": ("flagperf", "FlagPerf", "flagperf", "megatron"),
    "neusight-2025": ("neusight", "GPT NeuSight 4 GPUs", "neusight", "eager"),
    "mlperf-v4.1": ("mlperf", "MLPerf v4.1+ language models", "mlperf_rows", "tuned"),
    "mlperf-v5.1": ("mlperf", "MLPerf v5.1 AMD", "mlperf_rows", "tuned"),
    "mlperf-v5.0": ("mlperf", "MLPerf v4.1+ language models", "mlperf_rows", "tuned"),
    "torchtitan": ("torchtitan", "torchtitan", "torchtitan", "compiled"),
    "nemo-automodel": ("automodel", "NeMo Automodel", "torchtitan", "transformer-engine"),
    "auroragpt": ("aurora", "AuroraGPT", "torchtitan", "compiled"),
    "fms-fsdp": ("fms", "IBM fms-fsdp", "torchtitan", "compiled"),
    "tpu-recipes": ("maxtext", "MaxText TPU recipes", "tpu", "compiled"),
    "tpu-recipes-ironwood": ("maxtext", "MaxText TPU recipes", "tpu", "compiled"),
    "tpu-recipes-v5p": ("maxtext", "MaxText TPU recipes", "tpu", "compiled"),
    "maxtext-v5e": ("maxtext", "MaxText v5e", "tpu", "compiled"),
    "maxtext-v5p": ("maxtext", "MaxText v5p", "tpu", "compiled"),
    "maxtext-v4": ("maxtext", "MaxText v4", "tpu", "compiled"),
    "maxtext-a3": ("maxtext", "MaxText H100", "tpu", "compiled"),
    "jax-toolbox-pax": ("pax", "JAX Pax", "pax", "compiled"),
    "jax-toolbox-maxtext": ("pax", "JAX Pax", "pax", "compiled"),
    "amd-primus": ("primus", "AMD Primus", "primus", "tuned"),
    "colossalai": ("colossal", "Colossal-AI", "primus", "eager"),
    "lumi-llm-scaling": ("lumi", "GPT LUMI", "lumi", "megatron-deepspeed"),
    "aws-neuron": ("aws", "AWS Neuron", "neuron", "neuron"),
    "mindspeed-llm": ("ascend", "MindSpeed-LLM", "ascend", "mindspeed"),
    "mindformers": ("ascend", "MindFormers", "ascend", "mindspeed"),
    "intel-gaudi": ("intel", "Intel Gaudi 2", "gaudi", "megatron-deepspeed"),
}

def software(row):
    publisher, group, table, stack = SOURCES[row.source]
    framework = row["framework"].lower()
    if "maxtext" in framework or "pax" in framework:
        stack = "maxtext" if "maxtext" in framework else "pax"
    if "deepspeed zero-3" in framework or "deepspeed + hf" in framework or "hugging" in framework or "transformers" in framework:
        stack = "eager"
    if row.source == "sc21-megatron" and stack == "eager":
        stack = "megatron-deepspeed"  # the same model's layers
    if row.source == "torchtitan" and "eager" in row.notes:
        stack = "eager"
    return stack


def split(row):
    axes = [f"{axis}={getattr(row, axis)}" for axis in ("tensor", "pipeline", "context") if getattr(row, axis) > 1]
    if row.expert_parallel > 1:
        axes.append(f"expert={row.expert_parallel}")
        if row.tensor > 1:  # whole experts, where the row tells nothing else, as the recipes of both publishers have them
            told = re.search(r"expert tensor parallel ([0-9]+)", row.notes)
            axes.append(f"expert_tensor={told.group(1) if told else 1}")
    if row.pipeline > 1:
        axes.append(f"micro_batches={row.micro_batches()}")
    return ",".join(axes)


SHARDING = {"fsdp": "parameters", "zero3": "parameters", "zero2": "gradients", "optimizer": "optimizer",
            "zero1": "optimizer"}


def sharding(row):
    """What the ranks of data share out, and over how many of them where the row tells a smaller group."""
    ranks = row.ranks_of_data() * row.context
    if ranks == 1 or not row["sharding"]:
        return {}
    words = {"sharding": SHARDING.get(row["sharding"], row["sharding"])}
    group = re.search(r"FSDP group (?:of )?([0-9]+)", row.notes)
    slices = row["accelerator"].startswith("TPU")  # which mlsim shards within by itself
    if group and words["sharding"] == "parameters" and int(group.group(1)) < ranks and not slices:
        words["sharding_ranks"] = group.group(1)
    return words


MODULES = "core_attn|mlp|moe|moe_act|layernorm|mla_up_proj"
# What MaxText's policies run again of products (google/maxtext, layers/decoders.py, get_remat_policy).
POLICIES = {"minimal": "off", "save_dot_except_logits": "off", "save_dot_except_mlpwi": "mlp"}


def recompute(row):
    """What runs forward again. MaxText's own policies for TPUs keep or offload the operands of attention and run the
    rest of a layer again (AI-Hypercomputer/tpu-recipes at c8cfe2f, remat_policy=custom). torchtitan's selective
    checkpointing is every second layer, or every second product, whose FLOP are those of the feed-forward part (torchtitan/distributed/activation_checkpoint.py)."""
    if row["accelerator"].startswith("TPU"):
        policy = re.search(r"remat[_ ]policy[= ](\w+)", row.notes)
        return POLICIES.get(policy.group(1), "full") if policy else "full"
    block = re.search(r"full recompute of ([0-9]+) of [0-9]+ layers", row.notes)
    if block:
        return f"full:{block.group(1)}"
    modules = re.search(r"recompute ((?:%s)(?:\+(?:%s))*)\b" % (MODULES, MODULES), row.notes)
    if row["recompute"] == "selective" and modules:
        return modules.group(1)
    if row.source == "maxtext-a3":  # minimal_flash: the products' results and the kernel of attention's are kept
        return "off"
    if row["recompute"] != "selective" or row.source != "torchtitan":
        return row["recompute"]
    return f"full:{int(row['layers']) // 2}" if "selective layer" in row.notes else "mlp"


def attention(row):
    """The kernels of attention. llm-foundry's benchmarks ran Triton's of 2022 by default, in its large runs of January
    2024 for two sizes alone (scripts/train/benchmarking/submit_benchmarks.py and sweep.py at 5e85bd62d)."""
    if row["flash_attention"] != "yes":
        return "unfused"
    large = "Large Scale" in row["citation"]
    first = row.source == "llm-foundry" and (not large or row.model in ("mpt-13b", "mpt-30b"))
    return "flash-1" if first else "flash"


def zero_bubble(row):
    found = re.search(r"schedule ZB-([12]p)", row.notes)
    return found.group(1) if found else ""


def offload(row):
    """The share of the activations that lies in the host's memory: as told, or layers of all layers."""
    told = re.search(r"offload fraction ([0-9.]+[0-9])", row.notes)
    layers = re.search(r"activation offload of ([0-9]+) layers", row.notes)
    share = float(told.group(1)) if told else int(layers.group(1)) / int(row["layers"]) if layers else 0
    return f"{share:g}" if share > 0 else ""


def options(row):
    if not zero_bubble(row) and re.search(r"schedule (ZB|V)|ZB-|1F1B-V", row.notes):
        raise Left("schedule")
    if "_offloaded" in row.notes:
        raise Left("offload of what a policy names")
    words = {}
    if split(row):
        words["parallelism"] = split(row)
    if row.pipeline == 1 and row.micro_batches() > 1:
        words["accumulation"] = row.micro_batches()
    if row.pipeline > 1 and row.virtual_stages > 1:
        words["interleave"] = row.virtual_stages
    if zero_bubble(row):
        words["pipeline_schedule"] = "zero-bubble-" + zero_bubble(row)
    if row.tensor > 1 and row["sequence_parallel"]:
        words["sequence_parallel"] = "on" if row["sequence_parallel"] == "yes" else "off"
    if row.source == "nemo-launcher" and row.pipeline > 1:
        words["pipeline_overlap"] = "off"
    if row["recompute"] in ("full", "selective"):
        words["recompute"] = recompute(row)
    words.update(sharding(row))
    if offload(row):
        words["offload"] = offload(row)
    if row["flash_attention"]:
        words["attention"] = attention(row)
    if row.source.startswith("vtrain"):
        words["overlap"] = "off"
    if "all-to-all overlapped" in row.notes and row.expert_parallel > 1:
        words["expert_overlap"] = "on"
    if row.source == "dgxc-benchmarking" and row.expert_parallel > 8:
        words["dispatch"] = "alltoall"  # NeMo 25.05 has no DeepEP yet
    words["optimizer"] = "adam"
    words["stack"] = software(row)
    return ";".join(f"{key}={value}" for key, value in words.items())
