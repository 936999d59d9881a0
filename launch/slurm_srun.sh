#!/bin/bash
# As slurm.sh, with the processes started by srun itself:   sbatch launch/slurm_srun.sh [RECIPE] [options]
# For an MPI library that was built for Slurm (mpi4py built against it); the launcher finds that srun has started it.
#SBATCH --job-name=paddlite
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=4
#SBATCH --time=04:00:00
#SBATCH --output=%x-%j.log
#SBATCH --signal=TERM@120
#SBATCH --requeue

recipe=${1:-lenet_digits}
python=${PYTHON:-python}

srun --mpi="${PADDLITE_PMI:-pmi2}" "$python" -m paddlite.launch \
    --run-dir "runs/$recipe/slurm-$SLURM_JOB_ID" --resume auto "$recipe" "${@:2}"
code=$?
if [ "$code" -eq 75 ]; then scontrol requeue "$SLURM_JOB_ID"; fi
exit "$code"
