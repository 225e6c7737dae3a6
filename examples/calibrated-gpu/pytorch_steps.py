"""Training steps of PyTorch on one GPU, on data that lies there: python3 pytorch_steps.py > pytorch_steps.csv

A row for each step, and in pytorch_kernels.csv what its kernels do. LIMIT_S: begin no step later than that.
"""

import collections
import datetime
import gc
import json
import os
import re
import statistics
import sys
import tempfile
import time

import torch
import torch.nn.functional as F
import torchvision
from torch.profiler import ProfilerActivity, profile
from transformers import (AutoModelForCausalLM, BertConfig, BertForPreTraining, GPT2Config, GPT2LMHeadModel,
                          LlamaConfig, Qwen3Config)

WARM_UPS, STEPS, TRACED = 6, 20, 3
STARTED, LIMIT_S = time.monotonic(), float(os.environ.get("LIMIT_S", "3600"))
GPU = torch.cuda.get_device_name().split()[1].lower()  # "NVIDIA H100 80GB HBM3"
KERNELS = open("pytorch_kernels.csv", "w")

# What a kernel does, by the first expression that its name has. Kernels of torch.compile name all that they do.
GROUPS = [
    ("generated", r"^triton"),
    ("attention", r"sdpa|flash|fmha|compute_dot_do_o|convert_dq"),
    ("convolution", r"fprop|dgrad|wgrad|conv|implicit_gemm|nchwToNhwc|nhwcToNchw"),
    ("product", r"nvjet|gemm|cutlass|splitK"),
    ("normalisation", r"[Nn]orm|bn_|GammaBeta|[Rr]ms"),
    ("optimizer", r"multi_tensor_apply"),
    ("loss", r"[Ss]oft[Mm]ax|nll_loss"),
    ("copy", r"copy|Memcpy|Memset|Cat|Fill"),
    ("reduction", r"reduce"),
    ("pooling", r"pool"),
    ("embedding", r"embedding|index|gather|scatter"),
    ("elementwise", r"elementwise|dropout|masked_scale"),
]


def group_of(kernel):
    return next((group for group, expression in GROUPS if re.search(expression, kernel)), "other")


def timed(step):
    """Seconds of a step, by events around STEPS of them."""
    events = [torch.cuda.Event(enable_timing=True) for _ in range(STEPS + 1)]
    events[0].record()
    for event in events[1:]:
        step()
        event.record()
    torch.cuda.synchronize()
    return statistics.mean(a.elapsed_time(b) / 1e3 for a, b in zip(events, events[1:]))


def traced(step):
    """The kernels and copies of a step: seconds of all, how many there are, and both for each group."""
    with profile(activities=[ProfilerActivity.CUDA]) as kept:
        for _ in range(TRACED):
            step()
        torch.cuda.synchronize()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        kept.export_chrome_trace(file.name)
        events = json.load(open(file.name))["traceEvents"]
    kernels = [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    groups = collections.defaultdict(lambda: [0, 0.0])
    for kernel in kernels:
        entry = groups[group_of(kernel["name"])]
        entry[0] += 1 / TRACED
        entry[1] += kernel["dur"] / TRACED / 1e6
    return sum(kernel["dur"] for kernel in kernels) / TRACED / 1e6, len(kernels) // TRACED, groups


def measure(workload, make_step, batch, precision, software):
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    torch._dynamo.reset()
    torch.manual_seed(1)
    try:
        step = make_step(batch, precision, software == "compiled")
        for _ in range(WARM_UPS):
            step()
        torch.cuda.synchronize()
        step_s = timed(step)
        busy_s, launches, groups = traced(step)
    except Exception as error:
        print(f"{workload} {precision} {batch} {software}: {str(error)[:300]}", file=sys.stderr, flush=True)
        return
    memory = torch.cuda.max_memory_allocated()
    case = f"{datetime.date.today()},{GPU},{workload},{precision},{batch},{software}"
    print(f"{case},{step_s:.6f},{busy_s:.6f},{launches},{memory}", flush=True)
    for group, (count, seconds) in sorted(groups.items(), key=lambda item: -item[1][1]):
        print(f"{case},{group},{count:.0f},{seconds:.6f}", file=KERNELS, flush=True)


def prepared(model, compiled):
    return torch.compile(model) if compiled else model


def mixed_step(loss_of, optimizer, precision):
    """A step in mixed precision; the loss is scaled in fp16."""
    scaler = torch.amp.GradScaler(enabled=precision == "fp16")

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.float16 if precision == "fp16" else torch.bfloat16,
                            enabled=precision != "tf32"):
            loss = loss_of()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    return step


def images(make):
    def make_step(batch, precision, compiled):
        model = make().cuda().to(memory_format=torch.channels_last)
        x = torch.randn(batch, 3, 224, 224, device="cuda").contiguous(memory_format=torch.channels_last)
        y = torch.randint(1000, (batch,), device="cuda")
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
        run = prepared(model, compiled)
        return mixed_step(lambda: F.cross_entropy(run(x), y), optimizer, precision)

    return make_step


def bert(layers, hidden, length):
    def make_step(batch, precision, compiled):
        model = BertForPreTraining(BertConfig(vocab_size=30528, hidden_size=hidden, num_hidden_layers=layers,
                                              num_attention_heads=hidden // 64, intermediate_size=4 * hidden)).cuda()
        x = torch.randint(30000, (batch, length), device="cuda")
        labels = torch.where(torch.rand(batch, length, device="cuda") < 0.15, x, -100)
        follows = torch.randint(2, (batch,), device="cuda")
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
        run = prepared(model, compiled)
        return mixed_step(lambda: run(input_ids=x, labels=labels, next_sentence_label=follows).loss, optimizer,
                          precision)

    return make_step


def gpt2(layers, hidden):
    def make_step(batch, precision, compiled):
        model = GPT2LMHeadModel(GPT2Config(n_embd=hidden, n_layer=layers, n_head=hidden // 64, use_cache=False)).cuda()
        x = torch.randint(50000, (batch, 1024), device="cuda")
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
        run = prepared(model, compiled)
        return mixed_step(lambda: run(input_ids=x, labels=x).loss, optimizer, precision)

    return make_step


def decoder(config, sequence):
    """Weights and optimizer state are bf16, too."""
    def make_step(batch, _, compiled):
        with torch.device("cuda"):
            model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
        x = torch.randint(config.vocab_size, (batch, sequence), device="cuda")
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
        run = prepared(model, compiled)

        def step():
            optimizer.zero_grad(set_to_none=True)
            run(input_ids=x, labels=x).loss.backward()
            optimizer.step()

        return step

    return make_step


def llama(hidden, ffn, layers, heads, kv_heads, head_size, vocabulary):
    return LlamaConfig(vocab_size=vocabulary, hidden_size=hidden, intermediate_size=ffn, num_hidden_layers=layers,
                       num_attention_heads=heads, num_key_value_heads=kv_heads, head_dim=head_size,
                       max_position_embeddings=8192, tie_word_embeddings=True, use_cache=False)


def qwen3(hidden, ffn, layers, heads, kv_heads):
    return Qwen3Config(vocab_size=151936, hidden_size=hidden, intermediate_size=ffn, num_hidden_layers=layers,
                       num_attention_heads=heads, num_key_value_heads=kv_heads, head_dim=128,
                       max_position_embeddings=8192, tie_word_embeddings=True, use_cache=False)


models = torchvision.models
LLAMA_1B = decoder(llama(2048, 8192, 16, 32, 8, 64, 128256), 4096)
LLAMA_3B = decoder(llama(3072, 8192, 28, 24, 8, 128, 128256), 4096)
QWEN3_0_6B = decoder(qwen3(1024, 3072, 28, 16, 8), 4096)
QWEN3_1_7B = decoder(qwen3(2048, 6144, 28, 16, 8), 4096)
EAGER = [
    ("resnet50", images(models.resnet50), [("fp16", 256), ("fp16", 64), ("bf16", 128), ("tf32", 128), ("tf32", 32)]),
    ("bert-large-128", bert(24, 1024, 128), [("fp16", 64), ("fp16", 16), ("tf32", 32)]),
    ("gpt2-medium", gpt2(24, 1024), [("bf16", 8), ("bf16", 2), ("tf32", 8)]),
    ("llama-3.2-1b:sequence=4096", LLAMA_1B, [("bf16", 2), ("bf16", 4)]),
    ("vgg16", images(models.vgg16), [("fp16", 128), ("fp16", 32), ("tf32", 64)]),
    ("bert-large", bert(24, 1024, 512), [("bf16", 16), ("bf16", 4)]),
    ("resnet152", images(models.resnet152), [("fp16", 128), ("fp16", 32), ("tf32", 64)]),
    ("gpt2", gpt2(12, 768), [("bf16", 16), ("bf16", 4), ("tf32", 8)]),
    ("qwen3-0.6b:sequence=4096", QWEN3_0_6B, [("bf16", 2)]),
    ("qwen3-1.7b:sequence=4096", QWEN3_1_7B, [("bf16", 2)]),
    ("bert-base", bert(12, 768, 128), [("fp16", 128), ("fp16", 32), ("tf32", 64)]),
    ("gpt2-large", gpt2(36, 1280), [("bf16", 4)]),
    ("llama-3.2-3b:sequence=4096", LLAMA_3B, [("bf16", 1), ("bf16", 2)]),
    ("efficientnet-b0", images(models.efficientnet_b0), [("fp16", 256), ("fp16", 64)]),
]
COMPILED = [
    ("gpt2-medium", gpt2(24, 1024), [("bf16", 8)]),
    ("llama-3.2-1b:sequence=4096", LLAMA_1B, [("bf16", 2)]),
    ("resnet50", images(models.resnet50), [("fp16", 256)]),
    ("bert-large-128", bert(24, 1024, 128), [("fp16", 64)]),
    ("vgg16", images(models.vgg16), [("fp16", 128)]),
    ("gpt2", gpt2(12, 768), [("bf16", 16)]),
    ("qwen3-0.6b:sequence=4096", QWEN3_0_6B, [("bf16", 2)]),
    ("bert-base", bert(12, 768, 128), [("fp16", 128)]),
]
torch.backends.cudnn.benchmark = True
torch.backends.cuda.matmul.allow_tf32 = True
print("date,gpu,workload,precision,batch,software,step_s,busy_s,launches,memory_bytes")
print("date,gpu,workload,precision,batch,software,group,launches,seconds", file=KERNELS)
for software, cases in (("eager", EAGER), ("compiled", COMPILED)):
    for workload, make_step, settings in cases:
        for precision, batch in settings:
            if time.monotonic() - STARTED < LIMIT_S:
                measure(workload, make_step, batch, precision, software)
