#!/usr/bin/env bash
# Runs steps of replay on labs of several hosts (run_in_lab.sh), each predicted by what was calibrated on the same lab
# before, and prints one line of CSV for each: what docs/replay.md shows.
#
#   [RATES="50mbit ..."] replay_table.sh MLSIM FOLDER [HOSTS...]     replay_table.sh build/release/cli/mlsim build/table 2 4
#
# FOLDER gets profiles, machine files, runs and comparisons. One rank a host. Kernels are calibrated on all hosts at
# once, as they run: the hosts share this machine's cores.
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
mlsim=$(readlink -f "$1")
folder=$(mkdir -p "$2" && readlink -f "$2")
readonly here mlsim folder kTransformer=gpt2:layers=2,hidden=128,heads=4,sequence=64,vocabulary=1000
shift 2

lab() {  # hosts rate command...
  local burst=$((${2%mbit} * 320))b  # 2.56 ms of the rate, and run_in_lab.sh wants 2 at least
  "$here/run_in_lab.sh" "$1" "$2" "$burst" -- "${@:3}"
}

# Every host measures the kernels of all workloads at once, each as a process that knows of no mpirun.
calibrate_kernels() {  # hosts
  local command="cd '$folder' && '$mlsim' calibrate --threads 1 --precision fp32 --fusion on --cache hot,fresh"
  command+=" --noise 0.1 --quiet --output kernels-$1-\$(hostname).json"
  local each
  for each in "--workload resnet20-cifar --batch-per-accelerator 16 --time-limit 60s" \
    "--workload resnet20-cifar --batch-per-accelerator 4 --time-limit 30s" \
    "--workload logreg-epsilon --batch-per-accelerator 512 --time-limit 6s" \
    "--workload $kTransformer --batch-per-accelerator 8 --time-limit 40s"; do
    lab "$1" 100mbit env -u OMPI_COMM_WORLD_RANK -u OMPI_COMM_WORLD_SIZE sh -c "$command $each" \
      >>"$folder/calibration.txt" 2>&1
  done
}

calibrate_exchanges() {  # hosts rate
  cp "$folder/kernels-$1-lab0.json" "$folder/$1-$2.json"
  # Of what a rank sends to one other a burst goes for nothing, so small messages say nothing of the rate.
  local each
  for each in "all-reduce,reduce-scatter,all-gather -b 4K" "point-to-point -b 64K"; do
    # shellcheck disable=SC2086
    lab "$1" "$2" "$mlsim" calibrate --library gloo --precision fp32 -e 2M --time-limit 20s --quiet \
      --output "$folder/$1-$2.json" --collectives $each >>"$folder/calibration.txt" 2>&1
  done
  "$mlsim" topology --profile "$folder/$1-$2.json" |
    sed "s|^  host:|  nic: {count: 1, at: host, bandwidth: ${2%mbit} Mbit/s, latency: 12 us}\n  host:|" >"$folder/$1-$2.yaml"
}

compare() {  # hosts rate name option...
  local run=$folder/$1-$2-${3// /-}.json
  lab "$1" "$2" "$mlsim" replay "${@:4}" --steps 10 --warmup 2 --output "$run" >"${run%.json}.txt" 2>&1 || {
    tail -n 1 "${run%.json}.txt" >&2
    return
  }
  "$mlsim" validate replay "$run" --profile "$folder/$1-$2.json" --topology "$folder/$1-$2.yaml" --format json \
    --output "${run%.json}.error.json" || (($? == 1)) || return 0
  python3 - "$1,$2,$3" "${run%.json}.error.json" <<'EOF'
import json, sys
error = json.load(open(sys.argv[2]))
measured = error["measured_s"]
split = [error["split"][part + "_s"] / measured for part in ("kernel", "collective", "contention", "overlap")]
print(",".join([sys.argv[1], f"{error['predicted_s'] * 1e3:.4g}", f"{measured * 1e3:.4g}"] +
               [f"{100 * part:.1f}" for part in [error["relative_error"]] + split]), flush=True)
EOF
}

echo "hosts,rate,step,predicted_ms,measured_ms,error_percent,kernel,collective,contention,overlap"
for hosts in "${@:-2}"; do
  [[ -e $folder/kernels-$hosts-lab0.json ]] || calibrate_kernels "$hosts"
  for rate in ${RATES:-50mbit 100mbit 200mbit}; do
    [[ -e $folder/$hosts-$rate.yaml ]] || calibrate_exchanges "$hosts" "$rate"
    resnet=(--workload resnet20-cifar --batch 16)
    compare "$hosts" "$rate" "ResNet-20 all-reduce" "${resnet[@]}"
    compare "$hosts" "$rate" "ResNet-20 all-reduce in buckets" "${resnet[@]}" --set bucket=256KiB --set first_bucket=128KiB
    compare "$hosts" "$rate" "ResNet-20 sharded update" "${resnet[@]}" --set sharded_update=on
    compare "$hosts" "$rate" "ResNet-20 parameter servers" "${resnet[@]}" --set variable_update=parameter_server
    compare "$hosts" "$rate" "ResNet-20 pipeline" "${resnet[@]}" --parallelism "pipeline=$hosts,micro_batches=4"
    compare "$hosts" "$rate" "logistic regression all-reduce" --workload logreg-epsilon --batch 512
    compare "$hosts" "$rate" "transformer all-reduce" --workload "$kTransformer" --batch 8
  done
done
