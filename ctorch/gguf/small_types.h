// small_types.h - what the reader of GGUF's small types shares with the repacking of them.  C++ only.
#pragma once

#include "gguf/gguf.h"

namespace ct {

// The 16 levels of IQ4_NL and IQ4_XS.
inline constexpr int8_t IQ4_LEVELS[] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                        1,    13,   25,  38,  53,  69,  89,  113};
// The 4-bit floats of MXFP4 and NVFP4, doubled.
inline constexpr int8_t E2M1_DOUBLED[] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

// NULL if the code is not that of such a type.
const GgufType *small_gguf_type(uint32_t code);
// ", Q2_K, Q3_K ...".
std::string small_gguf_type_names();

// The scale of group g of 32 in a block of IQ4_XS.
float iq4_xs_scale(const uint8_t *block, int g);
// What doubled levels are multiplied by.
float mxfp4_scale(int exponent);
// The 256 elements of a block, from -1 to 1 (2 in bits that no file should have).
void tq1_0_trits(const uint8_t *block, int8_t *out);
void tq2_0_trits(const uint8_t *block, int8_t *out);

}  // namespace ct
