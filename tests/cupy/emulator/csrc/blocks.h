// Between the compiled kernels, the scheduler of blocks and the runtime.
#pragma once

typedef void (*Kernel)(void **values);

// What a compiled kernel exports, as `<name>__entry`.
struct Entry {
    Kernel kernel;
    int waits;  // it has barriers or warp functions, so its threads must be fibers
};

// Runs a launch; gives the reason where it cannot be finished, else nullptr.
const char *emu_launch(const Entry *entry, const unsigned *grid, const unsigned *block, unsigned shared, void **values);
