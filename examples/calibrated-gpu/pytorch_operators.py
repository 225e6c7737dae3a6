"""Operators of language models on one GPU, kernel by kernel: python3 pytorch_operators.py > pytorch_operators.csv

Scans of state spaces as state-spaces/mamba has them (with Dao-AILab/causal-conv1d), and what a mixture does around and
in its experts as Megatron-LM runs it: rows brought by Transformer Engine's kernels, products expert by expert on
streams of cuBLAS, activations that torch.compile fuses, biases that are added row by row; and fused attention.
Seconds are the kernels' own, in a trace. Triton compiles for minutes at the first time. LIMIT_S: begin no operator
later than that; ONLY: these operators alone.
"""

import datetime
import json
import os
import statistics
import sys
import tempfile
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile

STARTED, LIMIT_S = time.monotonic(), float(os.environ.get("LIMIT_S", "3600"))
GPU = torch.cuda.get_device_name().split()[1].lower()
ONLY = os.environ.get("ONLY", "").split()
WARM_UPS, TRACED = 3, 6


def timed_replays(graph):
    events = [torch.cuda.Event(enable_timing=True) for _ in range(WARM_UPS + TRACED + 1)]
    torch.cuda._sleep(20_000_000)  # the host queues all replays meanwhile
    events[0].record()
    for event in events[1:]:
        graph.replay()
        event.record()
    torch.cuda.synchronize()
    return statistics.median(a.elapsed_time(b) / 1e3 for a, b in zip(events[WARM_UPS:], events[WARM_UPS + 1:]))


def kernels_of(run):
    """Seconds that kernels of a run take, the median of TRACED runs, and how many there are.

    A recorded graph runs kernels beside each other, so it is timed by events, and its kernels are not counted.
    """
    if isinstance(run, torch.cuda.CUDAGraph):
        return timed_replays(run), 0
    for _ in range(WARM_UPS):
        run()
    torch.cuda.synchronize()
    seconds, counts = [], []
    for _ in range(TRACED):
        with profile(activities=[ProfilerActivity.CUDA]) as kept:
            run()
            torch.cuda.synchronize()
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            kept.export_chrome_trace(file.name)
            events = json.load(open(file.name))["traceEvents"]
        durations = [e["dur"] for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
        seconds.append(sum(durations) / 1e6)
        counts.append(len(durations))
    return statistics.median(seconds), int(statistics.median(counts))


def measure(operator, shape, precision, make):
    """A row for each pass that `make` returns: its name and what runs it."""
    if time.monotonic() - STARTED > LIMIT_S or (ONLY and operator not in ONLY):
        return
    torch.manual_seed(1)
    torch.cuda.empty_cache()
    try:
        for name, run in make():
            seconds, kernels = kernels_of(run)
            words = ";".join(f"{key}={value}" for key, value in shape.items())
            print(f"{datetime.date.today()},{GPU},{operator},{name},{precision},{words},{seconds:.3e},{kernels}", flush=True)
    except Exception as error:
        print(f"{operator} {shape}: {type(error).__name__} {str(error)[:300]}", file=sys.stderr, flush=True)


def random(*shape, dtype=torch.bfloat16, grad=False, scale=1.0):
    return (torch.randn(*shape, device="cuda", dtype=torch.float32) * scale).to(dtype).requires_grad_(grad)


def both_ways(forward, leaves):
    """Passes of a function that is differentiated: forward, and backward from one gradient."""
    result = forward()
    gradient = torch.randn_like(result)

    def backward():
        for leaf in leaves:
            leaf.grad = None
        result.backward(gradient, retain_graph=True)

    yield "forward", forward
    yield "backward", backward


# A state-space layer between its projections: convolution, scan, gated norm (MambaSplitConv1dScanCombinedFn).
def scan(samples, tokens, heads, head_size, state, groups, chunk):
    from mamba_ssm.ops.triton.ssd_combined import mamba_split_conv1d_scan_combined
    inner = heads * head_size
    packed = random(samples, tokens, 2 * inner + 2 * groups * state + heads, grad=True)
    weight, bias = random(inner + 2 * groups * state, 4, grad=True), random(inner + 2 * groups * state, grad=True)
    steps, decay = random(heads, dtype=torch.float32, grad=True), -torch.rand(heads, device="cuda") - 0.5
    decay.requires_grad_(True)
    through, norm = random(heads, dtype=torch.float32, grad=True), random(inner, dtype=torch.float32, grad=True)
    return both_ways(
        lambda: mamba_split_conv1d_scan_combined(packed, weight, bias, steps, decay, through, chunk, activation="silu",
                                                 rmsnorm_weight=norm, headdim=head_size, ngroups=groups,
                                                 norm_before_gate=False),
        [packed, weight, bias, steps, decay, through, norm])


def routing(tokens, experts, chosen):
    scores = torch.rand(tokens, experts, device="cuda")
    picked = scores.topk(chosen, dim=1).indices
    mask = torch.zeros(tokens, experts, dtype=torch.bool, device="cuda").scatter_(1, picked, True)
    return mask, torch.rand(tokens, experts, device="cuda") * mask


# Rows brought into the order of experts and back, Transformer Engine's Triton kernels.
def bring(tokens, hidden, experts, chosen):
    from transformer_engine.pytorch.triton import permutation
    mask, weights = routing(tokens, experts, chosen)
    rows = tokens * chosen
    table = permutation.make_row_id_map(mask, tokens, experts)
    given, spread = random(tokens, hidden), random(rows, hidden)
    row_weights = torch.rand(rows, device="cuda")
    yield "map", lambda: permutation.make_row_id_map(mask, tokens, experts)
    yield "to", lambda: permutation.permute_with_mask_map(given, table, weights, None, None, tokens, experts, rows, hidden, 0)
    yield "back", lambda: permutation.unpermute_with_mask_map(spread, table, None, None, None, tokens, experts, hidden)
    yield "back_of_to", lambda: permutation.unpermute_with_mask_map(spread, table, None, row_weights, None, tokens, experts, hidden)


# Chunks of several ranks sorted by local expert behind an all-to-all.
def sort_chunks(rows, hidden, local_experts, ranks):
    from transformer_engine.pytorch.triton import permutation
    splits = torch.full((local_experts * ranks,), rows // (local_experts * ranks), dtype=torch.int32, device="cuda")
    order = torch.arange(local_experts * ranks, dtype=torch.int32, device="cuda").view(ranks, -1).T.contiguous().view(-1)
    given, weights = random(rows, hidden), torch.rand(rows, device="cuda")
    table = permutation.make_chunk_sort_map(splits, order, rows, local_experts * ranks)
    yield "map", lambda: permutation.make_chunk_sort_map(splits, order, rows, local_experts * ranks)
    yield "sort", lambda: permutation.sort_chunks_by_map(given, table, weights, rows, hidden, True)


# Products of experts: one after the other on four streams, as Transformer Engine does, and as one grouped kernel.
def products(rows, local_experts, channels, outputs):
    each = rows // local_experts
    inputs, gradients = random(rows, channels), random(rows, outputs)
    weights = [random(outputs, channels, scale=channels ** -0.5) for _ in range(local_experts)]
    sums = [torch.zeros(outputs, channels, device="cuda") for _ in range(local_experts)]
    result, back = torch.empty_like(gradients), torch.empty_like(inputs)
    rows_of = lambda tensor, e: tensor[e * each:(e + 1) * each]
    streams = [torch.cuda.Stream() for _ in range(4)]

    def on_streams(run):
        event = torch.cuda.current_stream().record_event()
        for stream in streams:
            stream.wait_event(event)
        for e in range(local_experts):
            with torch.cuda.stream(streams[e % 4]):
                run(e)
        for stream in streams:
            torch.cuda.current_stream().wait_stream(stream)

    def recorded(run):
        graph = torch.cuda.CUDAGraph()
        for _ in range(WARM_UPS):
            on_streams(run)
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            on_streams(run)
        return graph

    kinds = {
        "forward": lambda e: torch.mm(rows_of(inputs, e), weights[e].T, out=rows_of(result, e)),
        "input_gradient": lambda e: torch.mm(rows_of(gradients, e), weights[e], out=rows_of(back, e)),
        "weight_gradient": lambda e: torch.mm(rows_of(gradients, e).T, rows_of(inputs, e), out_dtype=torch.float32,
                                              out=sums[e]),  # added up in fp32, as Megatron-LM does
    }
    for name, run in kinds.items():
        yield f"streams_{name}", recorded(run)
    packed = torch.stack(weights)
    ends = torch.arange(each, rows + 1, each, dtype=torch.int32, device="cuda")
    yield "grouped_forward", lambda: torch._grouped_mm(inputs, packed.transpose(1, 2), offs=ends)
    yield "grouped_input_gradient", lambda: torch._grouped_mm(gradients, packed, offs=ends)
    yield "grouped_weight_gradient", lambda: torch._grouped_mm(gradients.T, inputs, offs=ends)


# Biases of experts behind the last product (Megatron-LM, TEGroupedMLP._apply_bias).
def biases(rows, local_experts, hidden):
    each = [rows // local_experts] * local_experts
    given = random(rows, hidden, grad=True)
    of_experts = [random(hidden, grad=True) for _ in each]
    weights = torch.rand(rows, 1, device="cuda").requires_grad_(True)

    def forward():
        parts = zip(torch.split(given, each), of_experts, torch.split(weights, each))
        return torch.cat([part + bias * weight for part, bias, weight in parts]).to(given.dtype)

    return both_ways(forward, [given, weights, *of_experts])


@torch.compile
def weighted_swiglu(packed, weights):
    gate, up = torch.chunk(packed, 2, -1)
    return (F.silu(gate) * up * weights).to(packed.dtype)


@torch.compile
def weighted_quick_geglu(packed, weights):
    gate, up = torch.chunk(packed, 2, -1)
    gate, up = gate.clamp(max=7.0), up.clamp(-7.0, 7.0)
    return (gate * torch.sigmoid(1.702 * gate) * (up + 1) * weights).to(packed.dtype)


def activation(rows, width, function):
    packed, weights = random(rows, 2 * width, grad=True), torch.rand(rows, 1, device="cuda").requires_grad_(True)
    return both_ways(lambda: function(packed, weights), [packed, weights])


# A router in fp32: scores, the chosen, their weights and mask, and the loss that balances (Megatron-LM's, unfused).
def router(tokens, hidden, experts, chosen):
    given, weight = random(tokens, hidden, grad=True), random(experts, hidden, dtype=torch.float32, grad=True)

    def forward():
        logits = F.linear(given.float(), weight)
        top = torch.topk(logits, k=chosen, dim=1)
        shares = torch.softmax(top.values, dim=-1, dtype=torch.float32)
        routed = torch.zeros_like(logits).scatter(1, top.indices, shares)
        mask = torch.zeros_like(logits).int().scatter(1, top.indices, 1).bool()
        loss = (torch.softmax(logits, -1).sum(0) * mask.sum(0)).sum() * (experts / (tokens * tokens * chosen))
        return routed + loss * 0

    return both_ways(forward, [given, weight])


def attention(samples, heads, kv_heads, head_size, tokens, backend):
    queries = random(samples, heads, tokens, head_size, grad=True)
    keys, values = (random(samples, kv_heads, tokens, head_size, grad=True) for _ in range(2))

    def forward():
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(queries, keys, values, is_causal=True, enable_gqa=kv_heads != heads)

    return both_ways(forward, [queries, keys, values])


def windowed(samples, heads, kv_heads, head_size, tokens, window):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    mask = create_block_mask(lambda b, h, q, k: (q >= k) & (q - k < window), None, None, tokens, tokens, device="cuda")
    fused = torch.compile(flex_attention, dynamic=False)
    queries = random(samples, heads, tokens, head_size, grad=True)
    keys, values = (random(samples, kv_heads, tokens, head_size, grad=True) for _ in range(2))
    return both_ways(lambda: fused(queries, keys, values, block_mask=mask, enable_gqa=kv_heads != heads),
                     [queries, keys, values])


# Mixtures: hidden, width of an expert, experts, chosen, local experts, ranks that share them, and the activation.
MIXTURES = {
    "gpt-oss-120b": (2880, 2880, 128, 4, 16, 8, weighted_quick_geglu),
    "qwen3-30b-a3b": (2048, 768, 128, 8, 8, 16, weighted_swiglu),
    "deepseek-v3": (7168, 2048, 256, 8, 8, 32, weighted_swiglu),
    "nemotron-3-nano": (2688, 1856, 128, 6, 16, 8, None),
}


def main():
    print("date,gpu,operator,pass,precision,shape,seconds,kernels", flush=True)
    for samples, tokens, heads, head_size, state, groups in [
            (1, 8192, 64, 64, 128, 8), (1, 8192, 32, 64, 256, 1), (4, 8192, 64, 64, 128, 8)]:
        shape = dict(samples=samples, tokens=tokens, heads=heads, head_size=head_size, state=state, groups=groups, chunk=128)
        measure("scan", shape, "bf16", lambda: scan(**shape))
    for model, (hidden, width, experts, chosen, local, ranks, function) in MIXTURES.items():
        for tokens in (4096, 16384):
            rows = tokens * chosen
            shape = dict(tokens=tokens, hidden=hidden, experts=experts, chosen=chosen)
            measure("router", shape, "fp32", lambda: router(**shape))
            measure("bring", shape, "bf16", lambda: bring(**shape))
            chunks = dict(rows=rows, hidden=hidden, local_experts=local, ranks=ranks)
            measure("sort_chunks", chunks, "bf16", lambda: sort_chunks(**chunks))
            gates = 1 if function is None else 2
            for channels, outputs in ((hidden, gates * width), (width, hidden)):
                product = dict(rows=rows, local_experts=local, channels=channels, outputs=outputs)
                measure("expert_product", product, "bf16", lambda: products(**product))
            if function is not None:
                measure(function.__name__, dict(rows=rows, width=width), "bf16", lambda: activation(rows, width, function))
            if model == "gpt-oss-120b":
                biased = dict(rows=rows, local_experts=local, hidden=hidden)
                measure("expert_bias", biased, "bf16", lambda: biases(**biased))
    for samples, heads, kv_heads, head_size, tokens in [
            (1, 64, 8, 64, 4096), (4, 64, 8, 64, 4096), (1, 32, 8, 128, 4096), (1, 32, 8, 128, 8192), (1, 32, 8, 128, 2048),
            (4, 16, 16, 64, 1024), (8, 16, 16, 64, 512), (1, 32, 32, 128, 16384)]:
        shape = dict(samples=samples, heads=heads, kv_heads=kv_heads, head_size=head_size, tokens=tokens)
        measure("attention_cudnn", shape, "bf16", lambda: attention(**shape, backend=SDPBackend.CUDNN_ATTENTION))
        measure("attention_flash2", shape, "bf16", lambda: attention(**shape, backend=SDPBackend.FLASH_ATTENTION))
    for samples in (1, 4):
        shape = dict(samples=samples, heads=64, kv_heads=8, head_size=64, tokens=4096, window=128)
        measure("attention_flex", shape, "bf16", lambda: windowed(**shape))


main()
