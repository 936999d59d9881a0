// The bits of one type read as another.
#pragma once

#include <string.h>

template <class To, class From> inline To emu_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "both have the same size");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
