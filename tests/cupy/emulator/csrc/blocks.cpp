// Runs the blocks of a launch, one after the other; the threads of a block in one of three orders.
//
// A fiber is a thread of a block with a stack of its own.  It is made once and reused by all launches: setjmp and
// longjmp switch between fibers without asking the kernel, which swapcontext does at every switch.
#include "blocks.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "cuda_on_cpu.h"

extern "C" {
uint3 emu_thread, emu_block;
dim3 emu_block_size, emu_grid_size;
unsigned emu_number;
char *emu_shared;
uint64_t emu_exchange[1024];
}

namespace {

constexpr unsigned MOST_THREADS = 1024;
constexpr size_t STACK = 64 * 1024;

enum State { READY, AT_BLOCK, AT_WARP, DONE };

struct Fiber {
    jmp_buf here;
    ucontext_t start;
    State state;
    unsigned mask;  // of the warp function where it waits
    bool made;
};

Fiber fibers[MOST_THREADS];
jmp_buf scheduler;
bool in_fiber = false;
Kernel kernel;
void **values;

void become(unsigned number) {
    emu_number = number;
    emu_thread.x = number % emu_block_size.x;
    emu_thread.y = number / emu_block_size.x % emu_block_size.y;
    emu_thread.z = number / emu_block_size.x / emu_block_size.y;
}

void leave(unsigned number, State state) {
    fibers[number].state = state;
    if (!_setjmp(fibers[number].here)) _longjmp(scheduler, 1);
    become(number);
}

void live(unsigned number) {
    for (;;) {
        leave(number, DONE);
        kernel(values);
    }
}

void make(unsigned number) {
    Fiber &fiber = fibers[number];
    getcontext(&fiber.start);
    fiber.start.uc_stack.ss_sp = aligned_alloc(64, STACK);
    fiber.start.uc_stack.ss_size = STACK;
    fiber.start.uc_link = nullptr;
    makecontext(&fiber.start, reinterpret_cast<void (*)()>(live), 1, number);
    if (!_setjmp(scheduler)) setcontext(&fiber.start);
    fiber.made = true;
}

void run(unsigned number) {
    become(number);
    if (!_setjmp(scheduler)) _longjmp(fibers[number].here, 1);
}

// The thread whose turn it is as number `turn`: which one comes first must not matter.
unsigned in_order(unsigned turn, unsigned count, int order) {
    if (order == 1) return count - 1 - turn;
    if (order == 2 && count % 31) return (turn * 31 + 7) % count;
    return turn;
}

// Lets the threads of a warp go on that wait for nobody else.
bool release_warps(unsigned count) {
    bool released = false;
    for (unsigned first = 0; first < count; first += 32) {
        unsigned waiting = 0, done = 0, size = count - first < 32 ? count - first : 32;
        for (unsigned lane = 0; lane < size; lane++) {
            if (fibers[first + lane].state == AT_WARP) waiting |= 1u << lane;
            if (fibers[first + lane].state == DONE) done |= 1u << lane;
        }
        unsigned there = waiting | done | (size < 32 ? ~0u << size : 0u), going = 0;
        for (unsigned lane = 0; lane < size; lane++)
            if (waiting >> lane & 1 && !(fibers[first + lane].mask & ~there)) going |= 1u << lane;
        for (unsigned lane = 0; lane < size; lane++)
            if (going >> lane & 1) fibers[first + lane].state = READY, released = true;
    }
    return released;
}

const char *run_fibers(unsigned count, int order) {
    for (unsigned number = 0; number < count; number++) {
        if (!fibers[number].made) make(number);
        fibers[number].state = READY;
    }
    for (;;) {
        for (unsigned turn = 0; turn < count; turn++) {
            unsigned number = in_order(turn, count, order);
            if (fibers[number].state == READY) run(number);
        }
        if (release_warps(count)) continue;
        unsigned at_block = 0, alive = 0;
        for (unsigned number = 0; number < count; number++) {
            at_block += fibers[number].state == AT_BLOCK;
            alive += fibers[number].state != DONE;
        }
        if (!alive) return nullptr;
        if (at_block < alive) {
            static char text[128];
            snprintf(text, sizeof text, "deadlock: of %u threads, %u wait at __syncthreads and %u for their warp", alive,
                     at_block, alive - at_block);
            for (unsigned number = 0; number < count; number++) fibers[number].made = false;  // they are lost
            return text;
        }
        for (unsigned number = 0; number < count; number++)
            if (fibers[number].state == AT_BLOCK) fibers[number].state = READY;
    }
}

}  // namespace

extern "C" void emu_wait_for_block() {
    if (!in_fiber) fputs("emulator: __syncthreads in a kernel that was taken for one without\n", stderr), abort();
    leave(emu_number, AT_BLOCK);
}

extern "C" void emu_wait_for_warp(unsigned mask) {
    if (!in_fiber) fputs("emulator: a warp function in a kernel that was taken for one without\n", stderr), abort();
    fibers[emu_number].mask = mask;
    leave(emu_number, AT_WARP);
}

const char *emu_launch(const Entry *entry, const unsigned *grid, const unsigned *block, unsigned shared, void **given) {
    static char *memory = nullptr;
    static unsigned capacity = 0;
    const char *chosen = getenv("PADDLITE_EMULATOR_ORDER");
    const int order = chosen ? atoi(chosen) : 0;
    const unsigned count = block[0] * block[1] * block[2];
    if (count == 0 || count > MOST_THREADS) return "a block has between 1 and 1024 threads";
    if (shared > capacity) {
        free(memory);
        capacity = (shared + 4095u) & ~4095u;
        memory = static_cast<char *>(aligned_alloc(64, capacity));
    }
    emu_shared = memory;
    emu_grid_size = {grid[0], grid[1], grid[2]};
    emu_block_size = {block[0], block[1], block[2]};
    kernel = entry->kernel;
    values = given;
    in_fiber = entry->waits;
    for (emu_block.z = 0; emu_block.z < grid[2]; emu_block.z++)
        for (emu_block.y = 0; emu_block.y < grid[1]; emu_block.y++)
            for (emu_block.x = 0; emu_block.x < grid[0]; emu_block.x++) {
                if (shared) memset(memory, 0xFF, shared);  // NaN in what nobody has written
                if (entry->waits) {
                    if (const char *error = run_fibers(count, order)) return error;
                } else {
                    for (unsigned turn = 0; turn < count; turn++) become(in_order(turn, count, order)), kernel(values);
                }
            }
    return nullptr;
}
