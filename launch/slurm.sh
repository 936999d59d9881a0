#!/bin/bash
# Trains on several hosts of a Slurm cluster:   sbatch launch/slurm.sh [RECIPE] [options of paddlite.launch]
# `paddlite slurm RECIPE --nodes N ...` prints such a script for a recipe and its batch size.
#SBATCH --job-name=paddlite
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=4
#SBATCH --time=04:00:00
#SBATCH --output=%x-%j.log
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
##SBATCH --gpus-per-node=1

recipe=${1:-lenet_digits}
python=${PYTHON:-python}

# mpiexec (MPICH, Open MPI) sees that it runs under Slurm and starts the processes by srun.
hosts=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed "s/$/:${SLURM_NTASKS_PER_NODE:-1}/" | paste -sd, -)
"$python" -m paddlite.launch --hosts "$hosts" --run-dir "runs/$recipe/slurm-$SLURM_JOB_ID" --resume auto \
    "$recipe" "${@:2}" &
run=$!

# Two minutes before the limit Slurm sends SIGTERM: the run writes a checkpoint and leaves with code 75.
trap 'kill -TERM $run' TERM
wait $run; code=$?
while [ "$code" -gt 128 ] && kill -0 $run 2>/dev/null; do wait $run; code=$?; done
if [ "$code" -eq 75 ]; then scontrol requeue "$SLURM_JOB_ID"; fi
exit "$code"
