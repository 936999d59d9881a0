// float16 as CuPy's headers use it, by the processor's own conversions (g++ -mf16c, or __fp16 on ARM).
#pragma once

#include "bits.h"

#if defined(__F16C__)
#include <immintrin.h>
inline unsigned short emu_to_half(float x) { return _cvtss_sh(x, 0); }
inline float emu_from_half(unsigned short x) { return _cvtsh_ss(x); }
#else
inline unsigned short emu_to_half(float x) { return emu_bits<unsigned short>(static_cast<__fp16>(x)); }
inline float emu_from_half(unsigned short x) { return emu_bits<__fp16>(x); }
#endif

struct __half_raw { unsigned short x; };

struct __half {
    unsigned short bits;
    __half() = default;
    __half(const __half_raw &raw) : bits(raw.x) {}
    __half(float x) : bits(emu_to_half(x)) {}
    __half(double x) : __half(static_cast<float>(x)) {}
    __half(int x) : __half(static_cast<float>(x)) {}
    __half(unsigned x) : __half(static_cast<float>(x)) {}
    __half(long long x) : __half(static_cast<float>(x)) {}
    __half(unsigned long long x) : __half(static_cast<float>(x)) {}
    operator float() const { return emu_from_half(bits); }
    operator __half_raw() const { return {bits}; }
};
typedef __half half;

inline __half __float2half(float x) { return __half(x); }
inline __half __float2half_rn(float x) { return __half(x); }
inline float __half2float(__half x) { return x; }
inline unsigned short __half_as_ushort(__half x) { return x.bits; }
inline __half __ushort_as_half(unsigned short x) { return __half(__half_raw{x}); }
