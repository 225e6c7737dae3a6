"""Training steps of PyTorch on one GPU, on data that lies there: a row of pytorch_steps.csv for each."""

import json
import statistics
import tempfile

import torch
import torch.nn.functional as F
import torchvision
from torch.profiler import ProfilerActivity, profile
from transformers import (BertConfig, BertForPreTraining, GPT2Config, GPT2LMHeadModel, LlamaConfig,
                          LlamaForCausalLM)

WARM_UPS, STEPS, TRACED = 6, 20, 3


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
    """Seconds of all kernels and copies of a step, and how many there are."""
    with profile(activities=[ProfilerActivity.CUDA]) as kept:
        for _ in range(TRACED):
            step()
        torch.cuda.synchronize()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        kept.export_chrome_trace(file.name)
        events = json.load(open(file.name))["traceEvents"]
    kernels = [e["dur"] for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    return sum(kernels) / TRACED / 1e6, len(kernels) // TRACED


def measure(workload, make_step, batch, precision):
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    torch.manual_seed(1)
    step = make_step(batch, precision)
    for _ in range(WARM_UPS):
        step()
    torch.cuda.synchronize()
    step_s = timed(step)
    busy_s, launches = traced(step)
    memory = torch.cuda.max_memory_allocated()
    print(f"{workload},{precision},{batch},{step_s:.6f},{busy_s:.6f},{launches},{memory}", flush=True)


def mixed_step(model, loss_of, optimizer, precision):
    """A step in mixed precision; the loss is scaled in fp16."""
    scaler = torch.amp.GradScaler(enabled=precision == "fp16")

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.float16 if precision == "fp16" else torch.bfloat16):
            loss = loss_of(model)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    return step


def images(make):
    def make_step(batch, precision):
        model = make().cuda().to(memory_format=torch.channels_last)
        x = torch.randn(batch, 3, 224, 224, device="cuda").contiguous(memory_format=torch.channels_last)
        y = torch.randint(1000, (batch,), device="cuda")
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
        return mixed_step(model, lambda m: F.cross_entropy(m(x), y), optimizer, precision)

    return make_step


def bert(length):
    def make_step(batch, precision):
        model = BertForPreTraining(BertConfig(vocab_size=30528, hidden_size=1024, num_hidden_layers=24,
                                              num_attention_heads=16, intermediate_size=4096)).cuda()
        x = torch.randint(30000, (batch, length), device="cuda")
        labels = torch.where(torch.rand(batch, length, device="cuda") < 0.15, x, -100)
        follows = torch.randint(2, (batch,), device="cuda")
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
        return mixed_step(model, lambda m: m(input_ids=x, labels=labels, next_sentence_label=follows).loss, optimizer,
                          precision)

    return make_step


def gpt2_medium(batch, precision):
    model = GPT2LMHeadModel(GPT2Config(n_embd=1024, n_layer=24, n_head=16, use_cache=False)).cuda()
    x = torch.randint(50000, (batch, 1024), device="cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
    return mixed_step(model, lambda m: m(input_ids=x, labels=x).loss, optimizer, precision)


def llama_1b(batch, _):
    """Weights and optimizer state are bf16, too."""
    config = LlamaConfig(vocab_size=128256, hidden_size=2048, intermediate_size=8192, num_hidden_layers=16,
                         num_attention_heads=32, num_key_value_heads=8, max_position_embeddings=4096,
                         tie_word_embeddings=True, use_cache=False)
    with torch.device("cuda"):
        model = LlamaForCausalLM(config).to(torch.bfloat16)
    x = torch.randint(128256, (batch, 4096), device="cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(input_ids=x, labels=x).loss.backward()
        optimizer.step()

    return step


torch.backends.cudnn.benchmark = True
torch.backends.cuda.matmul.allow_tf32 = True
print("workload,precision,batch,step_s,busy_s,launches,memory_bytes")
measure("llama-3.2-1b:sequence=4096", llama_1b, 2, "bf16")
measure("bert-large-128", bert(128), 64, "fp16")
measure("resnet50", images(torchvision.models.resnet50), 256, "fp16")
measure("vgg16", images(torchvision.models.vgg16), 128, "fp16")
measure("bert-large", bert(512), 16, "bf16")
measure("gpt2-medium", gpt2_medium, 8, "bf16")
measure("resnet152", images(torchvision.models.resnet152), 128, "fp16")
