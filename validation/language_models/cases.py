#!/usr/bin/env python3
"""Turns a table of published language model training runs, and runs.csv beside it, into validation/published/llm_*.csv.

    validation/language_models/cases.py TABLE.csv [FOLDER]

A table has a row for each run with the columns that `Row` reads; the cases say the same in the words of `mlsim
predict`. A source that stands in both tables is read from runs.csv. Rows that do not tell enough, and those whose notes
call them doubtful, stay out; the reasons are counted on stderr. Of each mixture of experts or hybrid, chip, precision and software the newest run is an anchor; of each
source, chip, kind of network and precision without one the smallest run, unsplit where there is one, is an input; all others are checks.
"""
import collections
import csv
import functools
import os
import pathlib
import re
import sys

from names import Left, kind, topology, workload
from settings import SOURCES, options, software, zero_bubble

COLUMNS = ["id", "publisher", "source", "topology", "accelerators", "workload", "precision", "global_batch", "options",
           "metric", "value", "unit", "relative_uncertainty", "role", "citation"]

PUBLISHED = pathlib.Path(__file__).parents[1] / "published"
RUNS = pathlib.Path(__file__).with_name("runs.csv")


def number(text):
    return int(float(text)) if text else 0


class Row:
    """A row of the table with its counts as numbers, 1 where a degree is not told."""

    def __init__(self, cells):
        self.cells = cells
        for name in ("layers", "hidden", "heads", "kv_heads", "ffn_hidden", "experts", "experts_per_token",
                     "vocabulary", "sequence_length", "n_accelerators", "global_batch", "micro_batch", "data"):
            setattr(self, name, number(cells[name]))
        for name in ("tensor", "pipeline", "virtual_stages", "context", "expert_parallel"):
            setattr(self, name, number(cells[name]) or 1)
        self.notes = cells["notes"]
        self.model = cells["model"]
        self.source = cells["source"]
        if cells["accelerator"].startswith("TPU") and "per device batch 0" not in self.notes and self.global_batch:
            self.micro_batch = self.global_batch // self.ranks_of_data()  # MaxText takes the batch at once
        if self.source == "nemo-launcher":  # transformer_engine, overlap_p2p_comm: False (conf/training/gpt3 at 2078c595)
            cells.update(flash_attention="no")
        if self.source == "zero-bubble-2024":  # --use-flash-attn (examples/pretrain_zero_bubble.sh of its repository)
            cells.update(flash_attention="yes")
        if self.source == "megascale-2024":  # of the baseline, Megatron-LM, no more is told: its defaults for this size
            self.micro_batch = 1
            cells.update(recompute="selective", flash_attention="no", sequence_parallel="yes", sharding="optimizer")

    def __getitem__(self, name):
        return self.cells[name]

    def ranks_of_data(self):
        return self.n_accelerators // (self.tensor * self.pipeline * self.context)

    def micro_batches(self):
        each = self.ranks_of_data() * self.micro_batch
        if not each or self.global_batch % each:
            raise Left("batch, micro-batch and split contradict one another")
        return self.global_batch // each


DOUBTFUL = re.compile(r"(:|,|;) *check\b|\bcheck$", re.IGNORECASE)


def step_time(row):
    """The time of a step in seconds as the row states it or as follows from its rate."""
    if DOUBTFUL.search(row.notes):
        raise Left("doubtful")
    if not row.global_batch or not row.n_accelerators:
        raise Left("batch is not told")
    if not row.micro_batch:
        raise Left("micro-batch is not told")
    value = float(row["value"])
    metric = row["metric"]
    tokens = row.global_batch * row.sequence_length
    if metric == "step_time":
        return value
    if metric == "tokens_per_s":
        return tokens / value
    if metric == "tokens_per_s_per_accelerator":
        return tokens / value / row.n_accelerators
    if metric == "samples_per_s":
        return row.global_batch / value
    derived = re.search(r"step_s=([0-9.]+)", row.notes)
    if derived:
        return float(derived.group(1))
    if row.source == "simumax-a100-pcie":
        raise Left("machine: A100 PCIe of a server that is not told")
    raise Left("rate in FLOP/s whose count is not told")


def precision(row):
    known = {"bf16": "bf16", "fp16": "fp16", "fp8": "fp8", "fp32": "fp32", "fp16/bf16": "bf16", "mxfp8": "mxfp8",
             "nvfp4": "nvfp4", "int8": "int8"}
    if row["accelerator"] == "TPU v6e" and row["precision"] == "fp8":
        raise Left("precision: fp8 of a chip without it")
    if row["precision"] in known:
        return known[row["precision"]]
    if row.source == "zero-bubble-2024":
        return "bf16"  # not told; its A100 run both formats of 16 bits alike
    raise Left("precision: " + (row["precision"] or "not told"))


# Of the sweep that repeats one layer 1,080 times, a ninth is asked.
def thinned(row, place):
    if row.source == "vtrain-single" and place % 9:
        raise Left("every ninth of one sweep is asked")


def peak_memory(row):
    """The bytes that a row tells as the peak of an accelerator, and how: allocated, or as a device's monitor shows it."""
    allocated = re.search(r"real peak allocated memory ([0-9.]+) GiB", row.notes)
    if allocated:
        return float(allocated.group(1)) * 2**30, "0.01"
    shown = re.search(r"memory=([0-9.]+) ?GB|memory ([0-9.]+) of 80 GB", row.notes)
    if shown:
        return float(shown.group(1) or shown.group(2)) * 2**30, "0.1"
    return None, None


@functools.cache
def logged_steps():
    """The steps that stand in the table of MLPerf's logs of adapters, which tells their systems by name."""
    with open(PUBLISHED / "mlperf_v40_llama2_lora.csv", newline="", encoding="utf-8") as file:
        return {cells["value"] for cells in csv.DictReader(file) if cells["metric"] == "step_time"}


def case(row):
    publisher, group, table, _ = SOURCES[row.source]
    if row.source == "megatron-bridge" and kind(row) == "hybrid":
        group += " hybrids"
    if zero_bubble(row) == "2p":
        group += " 2p"
    if publisher == "mlperf" and row["accelerator"].startswith("TPU"):
        group = "MLPerf v4.1 GPT-3 TPU"
    if publisher == "mlperf" and kind(row) == "lora" and row.source != "mlperf-v5.1":
        group = "MLPerf v4.1+ LoRA"
    if row.source == "simumax-b200" and kind(row) == "mixture":
        group += " mixtures"
    if "parallel transformer block" in row.notes:
        raise Left("network: attention beside the feed-forward part")
    if "one transformer layer" in row.model:
        raise Left("a single layer")
    if row.source == "neusight-2025" and row.n_accelerators == 1:
        raise Left("no optimizer step")
    if row.source in ("mlperf-v3.0", "mlperf-v3.1", "mlperf-v4.0"):
        raise Left("in the tables of MLPerf's logs")
    seconds = step_time(row)
    if kind(row) == "lora" and f"{seconds:.6g}" in logged_steps():
        raise Left("in the tables of MLPerf's logs")
    return table, {
        "publisher": publisher, "source": group, "topology": topology(row), "accelerators": row.n_accelerators,
        "workload": workload(row), "precision": precision(row), "global_batch": row.global_batch,
        "options": options(row), "metric": "step_time", "value": f"{seconds:.6g}", "unit": "s",
        "relative_uncertainty": "0.02" if row["quality"] == "high" else "0.05", "role": "check",
        "citation": row["citation"] + (f" ({row.notes.split(';')[0]})" if row.notes else ""),
    }


def identifier(row, taken):
    parts = [row.source, row.model, row["accelerator"].split("-")[0], f"n{row.n_accelerators}", row["precision"],
             f"t{row.tensor}p{row.pipeline}v{row.virtual_stages}c{row.context}b{row.global_batch}", zero_bubble(row)]
    name = re.sub(r"[^a-z0-9.]+", "-", "-".join(parts).lower()).strip("-")
    taken[name] += 1
    return name if taken[name] == 1 else f"{name}-{taken[name]}"


# A run on more is no evidence that a planner would have before the system is bought.
LARGEST_INPUT = 64


def release(row):
    """Year and month of the software, and its patch: what a planner would run is the newest."""
    stated = re.search(r"(?:20)?(2\d)(?:[.-](\d\d))?(?:\.(\d\d))?", row["framework_version_or_date"])
    return tuple(int(number or 0) for number in stated.groups()) if stated else (0, 0, 0)


def set_anchors(cases):
    """Makes the newest case of each mixture or hybrid, chip, precision and software an anchor, if others are left."""
    families = collections.defaultdict(list)
    for row, _, each in cases:
        if row["experts"] or kind(row) == "hybrid":
            families[each["workload"], row["accelerator"], each["precision"], software(row)].append((row, each))
    for members in families.values():
        small = [member for member in members if member[0].n_accelerators <= LARGEST_INPUT]
        if small and len(members) > 1:
            newest = max(small, key=lambda member: (release(member[0]), -member[0].n_accelerators, member[0].global_batch))
            newest[1]["role"] = "anchor"


def set_inputs(cases):
    """Makes the smallest case of each source, chip, kind, precision and software an input, if others are left."""
    families = collections.defaultdict(list)
    for row, _, each in cases:
        families[each["source"], row["accelerator"], kind(row), each["precision"], software(row)].append((row, each))
    for members in families.values():
        if len(members) < 3 or any(each["role"] == "anchor" for _, each in members):
            continue
        def size(member):
            row = member[0]
            return (row.tensor * row.pipeline * row.context > 1, zero_bubble(row) != "", row.n_accelerators, row.tensor * row.pipeline,
                    row.layers * row.hidden, -row.global_batch)
        smallest = min(members, key=size)
        if smallest[0].n_accelerators <= LARGEST_INPUT:
            smallest[1]["role"] = "input"


def rows_of(table):
    """The rows of a table, without those of sources that runs.csv tells anew, and the rows of runs.csv."""
    with open(table, newline="", encoding="utf-8") as given, open(RUNS, newline="", encoding="utf-8") as own:
        runs = list(csv.DictReader(own))
        anew = {cells["source"] for cells in runs}
        return [Row(cells) for cells in csv.DictReader(given) if cells["source"] not in anew] + [Row(each) for each in runs]


def main(table, folder):
    left, cases, memories, taken = collections.Counter(), [], [], collections.Counter()
    places = collections.Counter()
    for row in rows_of(table):
        places[row.source] += 1
        try:
            if row.source not in SOURCES:
                raise Left("source: " + row.source)
            thinned(row, places[row.source] - 1)
            name, each = case(row)
        except Left as reason:
            left[str(reason)] += 1
            continue
        each["id"] = identifier(row, taken)
        cases.append((row, name, each))
        memory, uncertainty = peak_memory(row)
        if memory:
            memories.append((row, name, {**each, "id": each["id"] + "-memory", "metric": "memory", "unit": "GiB",
                                         "value": f"{memory / 2**30:.4g}", "relative_uncertainty": uncertainty}))
    set_anchors(cases)
    set_inputs(cases)
    tables = collections.defaultdict(list)
    for _, name, each in cases + memories:
        tables[name].append(each)
    for name, rows in tables.items():
        with open(os.path.join(folder, f"llm_{name}.csv"), "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    roles = collections.Counter(each["role"] for _, _, each in cases)
    print(f"{roles['check']} checks of time, {len(memories)} of memory, {roles['input']} inputs, {roles['anchor']} anchors", file=sys.stderr)
    for reason, count in left.most_common():
        print(f"{count:6} {reason}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else PUBLISHED)
