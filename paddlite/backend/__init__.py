"""Row 0: places, dtypes, array modules, random numbers and the process's place in the job."""

from paddlite.backend import malloc

malloc.tune()
