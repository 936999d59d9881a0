// What CUDA C++ adds to C++, for g++: kernels compiled with this header run on the CPU.
//
// A block runs in one thread of the process (blocks.cpp).  A kernel without barriers is called once a thread, one after
// the other; the threads of a kernel with barriers are fibers, switched at each barrier and warp function.
#pragma once

#include <assert.h>
#include <math.h>  // with C++: overloads for float in the global namespace, as CUDA has them
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>
#include <utility>

#include "bits.h"

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __shared__ static  // one block runs at a time
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __restrict__ __restrict

struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) double2 { double x, y; };
struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

// ---- the running thread, kept by blocks.cpp ----
extern "C" {
extern uint3 emu_thread, emu_block;
extern dim3 emu_block_size, emu_grid_size;
extern unsigned emu_number;      // of the thread in its block
extern char *emu_shared;         // the dynamic shared memory of the block
extern uint64_t emu_exchange[];  // one word a thread, for warp functions
void emu_wait_for_block();
void emu_wait_for_warp(unsigned mask);
}
#define threadIdx emu_thread
#define blockIdx emu_block
#define blockDim emu_block_size
#define gridDim emu_grid_size
static const int warpSize = 32;

// ---- the way in: parameters come as an array of pointers to values, as cuLaunchKernel gives them ----
template <class... Values, size_t... I>
inline void emu_call(void (*kernel)(Values...), void **values, std::index_sequence<I...>) {
    kernel(*static_cast<std::remove_cv_t<std::remove_reference_t<Values>> *>(values[I])...);
}
template <class... Values>
inline void emu_call(void (*kernel)(Values...), void **values) {
    emu_call(kernel, values, std::index_sequence_for<Values...>{});
}

// ---- barriers and warp functions ----
inline void __syncthreads() { emu_wait_for_block(); }
inline void __syncwarp(unsigned mask = ~0u) { emu_wait_for_warp(mask); }
inline void __threadfence() {}
inline void __threadfence_block() {}

template <class T>
inline T emu_shuffle(unsigned mask, T value, int lane) {
    static_assert(sizeof(T) <= sizeof(uint64_t), "a shuffled value has at most 8 bytes");
    memcpy(&emu_exchange[emu_number], &value, sizeof value);
    emu_wait_for_warp(mask);
    T found;
    memcpy(&found, &emu_exchange[(emu_number & ~31u) + (lane & 31)], sizeof found);
    emu_wait_for_warp(mask);
    return found;
}
inline int emu_lane() { return emu_number & 31; }
// A lane outside of the segment of `width` lanes leaves the caller's own value.
inline int emu_within(int lane, int width) { return lane / width == emu_lane() / width && lane >= 0 ? lane : emu_lane(); }
template <class T> T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
    return emu_shuffle(mask, value, emu_lane() / width * width + lane % width);
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
    return emu_shuffle(mask, value, emu_within(emu_lane() ^ bits, width));
}
template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
    return emu_shuffle(mask, value, emu_within(emu_lane() + static_cast<int>(by), width));
}
template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
    return emu_shuffle(mask, value, emu_within(emu_lane() - static_cast<int>(by), width));
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
    emu_exchange[emu_number] = predicate != 0;
    emu_wait_for_warp(mask);
    unsigned found = 0;
    for (int lane = 0; lane < 32; lane++)
        if (mask >> lane & 1 && emu_exchange[(emu_number & ~31u) + lane]) found |= 1u << lane;
    emu_wait_for_warp(mask);
    return found;
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
inline int __syncthreads_count(int predicate) {
    static int count;  // three barriers: nobody may still be reading when the next call clears it
    __syncthreads();
    count = 0;
    __syncthreads();
    count += predicate != 0;
    __syncthreads();
    return count;
}
inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
inline int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }

// ---- atomic functions: threads run one at a time ----
#define EMU_ATOMIC(name, change) \
    template <class T, class U> inline T name(T *at, U operand) { \
        T old = *at, value = static_cast<T>(operand); \
        *at = change; \
        return old; \
    }
EMU_ATOMIC(atomicSub, old - value)
EMU_ATOMIC(atomicMax, old > value ? old : value)
EMU_ATOMIC(atomicMin, old < value ? old : value)
EMU_ATOMIC(atomicExch, value)
EMU_ATOMIC(atomicOr, old | value)
EMU_ATOMIC(atomicAnd, old & value)
EMU_ATOMIC(atomicXor, old ^ value)
#undef EMU_ATOMIC
template <class T> inline T atomicCAS(T *at, T expected, T value) {
    T old = *at;
    if (old == expected) *at = value;
    return old;
}
// atomicAdd has overloads for halves and for long long in CuPy's own headers, so it is no template here.
#define EMU_ADD(T) inline T atomicAdd(T *at, T value) { T old = *at; *at = old + value; return old; }
EMU_ADD(int)
EMU_ADD(unsigned)
EMU_ADD(unsigned long long)
EMU_ADD(float)
EMU_ADD(double)
#undef EMU_ADD

// ---- intrinsic functions ----
template <class T> inline T __ldg(const T *at) { return *at; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<uint64_t>(a) * b >> 32; }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned __int128>(a) * b >> 64;
}
inline unsigned __float_as_uint(float x) { return emu_bits<unsigned>(x); }
inline int __float_as_int(float x) { return emu_bits<int>(x); }
inline float __uint_as_float(unsigned x) { return emu_bits<float>(x); }
inline float __int_as_float(int x) { return emu_bits<float>(x); }
inline long long __double_as_longlong(double x) { return emu_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return emu_bits<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
    return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
}

// ---- mathematics that CUDA has and C++ lacks ----
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline double norm3d(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }
// One type: the smaller and the larger; two arithmetic types: in their common type.
#define EMU_EXTREME(name, order) \
    template <class T, class U> \
    inline auto name(T x, U y) -> std::enable_if_t< \
        std::is_arithmetic<T>::value && std::is_arithmetic<U>::value, std::common_type_t<T, U>> { \
        using V = std::common_type_t<T, U>; \
        if constexpr (std::is_floating_point<V>::value) return f##name(static_cast<V>(x), static_cast<V>(y)); \
        else return static_cast<V>(x) order static_cast<V>(y) ? static_cast<V>(x) : static_cast<V>(y); \
    }
EMU_EXTREME(min, <)
EMU_EXTREME(max, >)
#undef EMU_EXTREME
