# %% [markdown]
# # From Python: which A100 and TPU systems train ResNet-50 in ten minutes, and for how much?
# Keywords are the options of the command line, with _ for -. The cells run in any notebook that reads "# %%".

# %% One answer is a dict: what `mlsim predict --format json` prints.
import mlsim

answer = mlsim.predict(topology="dgx-a100", workload="resnet50", global_batch=3264)
print(f"one DGX A100: {answer['time_to_target_s'] / 60:.0f} min, {answer['throughput_samples_per_s']:.0f} samples/s")

# %% A sweep is a dict of columns. pandas.DataFrame(columns) is a table of them.
columns = mlsim.sweep(topology=["dgx-a100:nodes=1..8", "torus8x8", "torus16x16"], workload="resnet50")
for topology, time, cost in zip(columns["topology"], columns["time_to_target_s"], columns["cost_usd"]):
    print(f"{topology:18} {time / 60:6.1f} min {cost:8.2f} USD")

# %% Those that are done in ten minutes, the cheapest first.
rows = zip(columns["cost_usd"], columns["topology"], columns["time_to_target_s"])
print("in ten minutes:", ", ".join(topology for cost, topology, time in sorted(rows) if time < 600))

# %% What does not fit says why.
try:
    mlsim.predict(topology="dgx-a100", workload="resnet50", batch_per_accelerator=4096)
except mlsim.Infeasible as reason:
    print("infeasible:", reason)
