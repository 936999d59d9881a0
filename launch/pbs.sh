#!/bin/bash
# Trains on several hosts of a PBS cluster:   qsub -v RECIPE=lenet_digits launch/pbs.sh
#PBS -N paddlite
#PBS -l select=2:ncpus=4:mpiprocs=1
#PBS -l walltime=04:00:00
#PBS -j oe
#PBS -r y

cd "$PBS_O_WORKDIR" || exit 1
recipe=${RECIPE:-lenet_digits}
python=${PYTHON:-python}

# PBS lists the host of each process in a file.  The run stops with a checkpoint before the walltime is up; the same
# job submitted again (qrerun) goes on from it.
"$python" -m paddlite.launch --hostfile "$PBS_NODEFILE" --run-dir "runs/$recipe/pbs-${PBS_JOBID%%.*}" --resume auto \
    -o train.max_seconds="${SECONDS_TO_TRAIN:-14000}" "$recipe"
