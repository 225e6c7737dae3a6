"""The systems and networks of published runs, in the words of mlsim's catalogues."""
import pathlib
import re


class Left(Exception):
    """Raised with the reason for which a row stays out."""


# Accelerators, the machine that stands for the source's boxes and their size; by source where one tells more.
MACHINES = {
    "A100-SXM4-40GB": ("dgx-a100", 8), "A100-SXM4-80GB": ("dgx-a100-80gb", 8), "H100-SXM5-80GB": ("dgx-h100", 8),
    "H200-SXM5-141GB": ("hgx-h200", 8), "B200": ("dgx-b200", 8), "GB200": ("gb200-nvl72", 72),
    "GB300": ("gb300-nvl72", 72), "H800-SXM5-80GB": ("hgx-h800", 8), "A800-SXM4-80GB": ("hgx-a800", 8),
    "H100-SXM5-96GB-HBM2e-500W": ("dgx-h100:power=500W:memory=96GB:memory_bandwidth=2.4TB/s", 8),
    "MI300X": ("mi300x-8", 8), "MI325X": ("mi325x-8", 8), "MI350X": ("mi350x-8", 8), "MI355X": ("mi355x-8", 8),
    "MI250X (one die)": ("lumi-g", 8), "Gaudi2": ("hls-gaudi2", 8),
    "Trainium (one NeuronCore)": ("trn1.32xlarge", 32), "Ascend 910B (Atlas 800T A2)": ("atlas-800t-a2", 8),
    "Ascend 910B (Atlas 900 A2)": ("atlas-900-a2", 8),
    "Intel Data Center GPU Max 1550 (one tile)": ("aurora", 12),
}
NETWORKS = {"vtrain-multi": ":network_bandwidth=800Gbit/s", "bloom-chronicles": ":network_bandwidth=400Gbit/s",
            "sc21-megatron": ":nodes_per_leaf=20", "korthikanti-2022": ":nodes_per_leaf=20",
            "mt-nlg-2022": ":nodes_per_leaf=20", "nemo-launcher": ":nodes_per_leaf=20"}


# Slices of TPU pods: their names by the number of chips.
SLICES = {"TPU v5e": "tpu-v5e-{}", "TPU v6e": "tpu-v6e-{}"}
CUBES = {64: "4x4x4", 128: "4x4x8", 256: "4x8x8"}


def slice_of_pod(row):
    n = row.n_accelerators
    if "Ironwood" in row["accelerator"]:
        return f"tpu7x-{CUBES[n]}"
    slices = int(re.match(r"(\d+) x v", row["system"]).group(1)) if " x v" in row["system"] else 1
    if row["accelerator"] in ("TPU v4", "TPU v5p"):  # named by TensorCores
        name = f"tpu-{row['accelerator'][4:]}-{2 * n // slices}"
        return name if slices == 1 else f"{name}:slices={slices}"
    name = SLICES[row["accelerator"]]
    return name.format(n) if n <= 256 else f"{name.format(256)}:slices={n // 256}"


def topology(row):
    if row["accelerator"].startswith("TPU"):
        return slice_of_pod(row)
    name, size = MACHINES.get(row["accelerator"], (None, 0))
    if name is None:
        raise Left("machine: " + row["accelerator"])
    n = row.n_accelerators
    if n <= size:
        return name
    if size == 72:
        racks = next((k for k in range(-(-n // size), n) if n % (4 * k) == 0), 0)
        if not racks:
            raise Left("accelerators do not fill racks")
        return f"{name}:nodes={racks}" + ("" if n == racks * size else f":per_node={n // racks}")
    if n % size:
        raise Left("accelerators do not fill boxes")
    return f"{name}:nodes={n // size}{NETWORKS.get(row.source, '')}"


# Model names of the table, the model of the catalogue whose layers they have, and whether its sizes stand in the row;
# those of the others are the catalogue's.
NETWORKS_BY_NAME = [
    (r"bloom-7b1", "bloom-7.1b", False), (r"bloom-176b", "bloom-176b", False), (r"llama3\.2-([13]b)", r"llama-3.2-\1", False),
    (r"qwen2-(\d+\.?\d*b)$", r"qwen2.5-\1", False), (r"(qwen1\.5-\S+|qwen2-57b-a14b|qwen2\.5-(?:3|14|32)b)$", r"\1", False),
    (r"gemma2-(\d+b)", r"gemma-2-\1", False), (r"(gemma-[27]b|yi-34b|baichuan2-13b|aquila2-34b)$", r"\1", False),
    (r"glm4-9b", "glm-4-9b", False), (r"codellama-34b", "code-llama-34b", False),
    (r"deepseek-v2-lite-16b", "deepseek-v2-lite", False), (r"deepseek-v2-60b", "deepseek-v2:layers=16", False),
    (r"bloom", "bloom-176b", True), (r"mpt", "mpt-7b", True), (r"(gpt-oss)[- ](20b|120b)", r"gpt-oss-\2", False),
    (r"nemotron3-(nano|super|ultra)", r"nemotron-3-\1", False), (r"nemotron v3 (nano|super)", r"nemotron-3-\1", False),
    (r"nemotron-h-56b", "nemotron-h-56b", False),
    (r"gpt|mt-nlg|opt|gopher", "gpt3-175b", True), (r"nemotron4|nemotron3-(8b|22b)", "nemotron-4-15b", True),
    (r"mixtral-8x(7|22)b", r"mixtral-8x\1b", False), (r"qwen3[- ](moe[- ])?30b", "qwen3-30b-a3b", False),
    (r"qwen3-235b", "qwen3-235b-a22b", False), (r"qwen3", "qwen3-8b", True), (r"qwen2.5", "qwen2.5-7b", True),
    (r"gemma-?3-12b", "gemma-3-12b", False), (r"deepseek[- ]v3( 671b)?$", "deepseek-v3", False),
    (r"deepseek-v([23]) \(4 layers\)", r"deepseek-v\1:layers=4,dense_layers=1", False),
    (r"llama4-(scout|maverick)", r"llama-4-\1", False), (r"chatglm3-6b", "chatglm3-6b", False),
    (r"llama-|llama2|llama3|mistral-7b|baichuan|auroragpt|maxtext-", "llama-3-8b", True),
]


# Networks of the catalogue that are one of these bases in other sizes.
SIZES_OF = {
    "llama-3-8b": ["llama-3-8b", "llama-3-70b", "llama-3.1-405b", "llama-2-7b", "llama-2-13b", "llama-2-70b", "llama-7b",
                   "llama-13b", "llama-33b", "llama-65b", "mistral-7b"],
    "mpt-7b": ["mpt-7b", "mpt-125m", "mpt-350m", "mpt-760m", "mpt-1b", "mpt-3b", "mpt-13b", "mpt-30b", "mpt-70b"],
    "nemotron-4-15b": ["nemotron-4-15b", "nemotron-3-8b", "nemotron-3-22b", "nemotron-4-340b"],
    "gpt3-175b": ["gpt3-175b", "gpt-126m", "gpt-350m", "gpt-760m", "gpt-1.3b", "gpt-1.7b", "gpt-2.7b", "gpt-3.6b", "gpt-5b",
                  "gpt-6.7b", "gpt-7.5b", "gpt-13b", "gpt-18.4b", "gpt-20b", "gpt-22b", "gpt-40b", "gpt-76.1b",
                  "gpt-145.6b", "gpt-310.1b", "gpt-530b", "gpt-1t"],
}
CATALOGUE = pathlib.Path(__file__).parents[2] / "workloads/catalogue/models"


def parameters(name):
    """The numbers of a network in the catalogue, with those of the file that it is like; what follows from others is
    left out."""
    text = (CATALOGUE / f"{name}.yaml").read_text()
    like = re.search(r"^like: (\S+)", text, re.MULTILINE)
    own = re.search(r"^parameters:(.*?)^(?=\S)", text + "end", re.MULTILINE | re.DOTALL)
    numbers = parameters(like.group(1)) if like else {}
    for key, value in re.findall(r"(\w+): ([^,}#\n]+)", own.group(1) if own else ""):
        numbers.pop(key, None)
        if re.fullmatch(r"-?[0-9.]+", value.strip()):
            numbers[key] = float(value)
    return numbers


def of_these_sizes(base, counts):
    """The network of the catalogue that has these sizes and is the base in all else, with the vocabulary where that is
    another: its padding is the software's. Nothing where none has."""
    def settled(numbers):
        heads, hidden = numbers["heads"], numbers["hidden"]
        return {**numbers, "kv_heads": numbers.get("kv_heads") or heads, "ffn": numbers.get("ffn") or 4 * hidden,
                "head_size": numbers.get("head_size") or hidden / heads, "sequence": 0, "vocabulary": 0}
    wanted = settled({**parameters(base), **counts})
    name = next((each for each in SIZES_OF.get(base, []) if settled(parameters(each)) == wanted), None)
    if not name and "vocabulary" not in counts:
        raise Left("network: sizes are not told")
    same = name and parameters(name).get("vocabulary") == counts.get("vocabulary", parameters(name)["vocabulary"])
    return name if not name or same else f"{name}:vocabulary={counts['vocabulary']}"


def kind(row):
    if "LoRA" in row.model:
        return "lora"
    if row.model.startswith(("nemotron-h", "nemotron3-nano", "nemotron3-super", "nemotron3-ultra", "nemotron v3")):
        return "hybrid"
    return "mixture" if row.experts else "dense"


def sizes(row):
    if not row.layers or not row.hidden or not row.heads:
        raise Left("network: sizes are not told")
    vocabulary = row.vocabulary or (50304 if row.model.startswith(("gpt", "mt-nlg", "opt")) else 0)
    counts = {"layers": row.layers, "hidden": row.hidden, "heads": row.heads, "kv_heads": row.kv_heads or row.heads,
              "ffn": row.ffn_hidden or 4 * row.hidden, **({"vocabulary": vocabulary} if vocabulary else {})}
    if row.model.startswith("maxtext-"):  # the network of MaxText's base.yml of 2023, as the notes of each row have it
        counts.update(head_size=256, gated=0, tied=1, parallel=1)
    return counts


def adapters(row):
    """Where adapters stand and their rank, whose size a step hardly knows (0.1 % from 8 to 32): NVIDIA's measured recipes
    adapt queries, keys and values (NVIDIA-NeMo/NeMo, llm/recipes, target_modules), Automodel and JAX-Toolbox every dense
    layer (docs/guides/peft.md; "on all layers")."""
    if "LoRA" not in row.model:
        return {}
    rank = re.search(r"LoRA rank (\d+)", row.notes)
    everywhere = row.source in ("nemo-automodel", "jax-toolbox-pax")
    return {"lora_rank": int(rank.group(1)) if rank else 16, **({"lora_ffn": 1} if everywhere else {"lora_projection": 0})}


def workload(row):
    if "LoRA" in row.model and row.source.startswith("mlperf"):
        return "llama2-70b-lora"
    for pattern, base, told in NETWORKS_BY_NAME:
        found = re.match(pattern, row.model)
        if not found:
            continue
        if not row.sequence_length:
            raise Left("network: sizes are not told")
        counts = {**(sizes(row) if told else {}), "sequence": row.sequence_length, **adapters(row)}
        if named := of_these_sizes(base, sizes(row)) if told else None:
            own = ",".join(f"{key}={value}" for key, value in {"sequence": row.sequence_length, **adapters(row)}.items())
            return f"{named}{',' if ':' in named else ':'}{own}"
        name = found.expand(base)
        return name + (",:"[":" not in name]) + ",".join(f"{key}={value}" for key, value in counts.items())
    raise Left("network: " + row.model)
