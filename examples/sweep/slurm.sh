#!/usr/bin/env bash
# A sweep as a Slurm array, a shard a task; options of `mlsim sweep` follow the script:
#   sbatch --array=0-3 slurm.sh --topology dgx-a100:nodes=1..16 --workload resnet50,bert
#   mlsim sweep --merge shard-*.sqlite --output sweep.sqlite
# A task that is killed or requeued goes on where it stopped.
#SBATCH --job-name=mlsim-sweep
#SBATCH --array=0-3
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail
exec mlsim sweep "$@" --shard "/$SLURM_ARRAY_TASK_COUNT" --workers "$SLURM_CPUS_PER_TASK" \
  --output "shard-$SLURM_ARRAY_TASK_ID.sqlite"
