// bfloat16 as CuPy's headers use it: the upper half of a float32, rounded to the nearest, ties to even.
#pragma once

#include "bits.h"

struct __nv_bfloat16 {
    unsigned short bits;
    __nv_bfloat16() = default;
    __nv_bfloat16(float x) {
        unsigned word = emu_bits<unsigned>(x);
        const bool is_nan = (word & 0x7fffffffu) > 0x7f800000u;
        bits = is_nan ? 0x7fff : (word + 0x7fff + (word >> 16 & 1)) >> 16;
    }
    __nv_bfloat16(double x) : __nv_bfloat16(static_cast<float>(x)) {}
    __nv_bfloat16(int x) : __nv_bfloat16(static_cast<float>(x)) {}
    operator float() const { return emu_bits<float>(static_cast<unsigned>(bits) << 16); }
};

inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
inline float __bfloat162float(__nv_bfloat16 x) { return x; }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) {
    __nv_bfloat16 made;
    made.bits = x;
    return made;
}
inline bool __hisnan(__nv_bfloat16 x) { return (x.bits & 0x7fff) > 0x7f80; }
inline bool __hisinf(__nv_bfloat16 x) { return (x.bits & 0x7fff) == 0x7f80; }
