/* random.c - the numbers of `random`: xoshiro256**, by Blackman and Vigna (2018), whose state
 * splitmix64 fills from the seed.  The interpreter's generator returns the same numbers:
 * lang/interp/builtins/random_numbers.py.
 */
#include "rt_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WORDS 4
#define WORD_BITS 64
#define DOUBLE_DIGITS 53   /* bits of a double's mantissa */

static uint64_t state[WORDS];
static bool seeded;

static uint64_t splitmix(uint64_t *seed) {
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void seed_with(uint64_t seed) {
    for (int i = 0; i < WORDS; i++) state[i] = splitmix(&seed);
    seeded = true;
}

/* From the operating system, or from the time if that fails. */
static uint64_t any_seed(void) {
    uint64_t seed = (uint64_t)time(NULL);
    FILE *file = fopen("/dev/urandom", "rb");
    if (file == NULL) return seed;
    if (fread(&seed, sizeof seed, 1, file) != 1) seed ^= (uint64_t)clock();
    fclose(file);
    return seed;
}

static uint64_t rotate_left(uint64_t word, int count) {
    return word << count | word >> (WORD_BITS - count);
}

static void ensure_seed(void) {
    if (!seeded) seed_with(any_seed());
}

static uint64_t next_word(void) {
    ensure_seed();
    uint64_t result = rotate_left(state[1] * 5, 7) * 9, shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotate_left(state[3], 45);
    return result;
}

/* Numbers of as many bits as limit - 1 has, until one lies below the limit. */
static rt_value below_fixnum(uint64_t limit) {
    uint64_t mask = limit - 1;
    for (int shift = 1; shift < WORD_BITS; shift *= 2) mask |= mask >> shift;
    uint64_t drawn;
    do drawn = next_word() & mask;
    while (drawn >= limit);
    return rt_of_fixnum((int64_t)drawn);
}

/* The same with several words, the lowest first. */
static rt_value below_integer(rt_value limit) {
    rt_value greatest = rt_subtract(limit, rt_of_fixnum(1));
    rt_view room;
    uint64_t bits = rt_bit_length(rt_view_integer(greatest, &room));
    rt_free(greatest);
    size_t count = (size_t)((bits + WORD_BITS - 1) / WORD_BITS);
    uint64_t *words = rt_malloc(count * sizeof *words);
    mpz_t drawn;
    __gmpz_init(drawn);
    do {
        for (size_t i = 0; i < count; i++) words[i] = next_word();
        __gmpz_import(drawn, count, -1, sizeof *words, 0, 0, words);
        __gmpz_fdiv_r_2exp(drawn, drawn, bits);
    } while (__gmpz_cmp(drawn, rt_view_integer(limit, &room)) >= 0);
    free(words);
    return rt_take_integer(drawn);
}

static double unit(void) {
    return (double)(next_word() >> (WORD_BITS - DOUBLE_DIGITS)) /
           (double)((uint64_t)1 << DOUBLE_DIGITS);
}

rt_value rt_random(rt_value limit) {
    if (limit == RT_FALSE) return rt_of_double(unit());
    bool suits = rt_is_exact_int(limit) || (rt_is_double(limit) && isfinite(rt_double(limit)));
    RT_CHECK(suits && rt_order(limit, rt_of_fixnum(0)) > 0, "random",
             "a positive exact integer or double", limit);
    if (rt_is_double(limit)) return rt_of_double(unit() * rt_double(limit));
    return rt_is_fixnum(limit) ? below_fixnum((uint64_t)rt_fixnum(limit)) : below_integer(limit);
}

int rt_random_seed(rt_value seed) {
    RT_CHECK_STATUS(rt_is_exact_int(seed), "random-seed!", "an exact integer", seed);
    rt_view room;
    mpz_t low;
    __gmpz_init(low);
    __gmpz_fdiv_r_2exp(low, rt_view_integer(seed, &room), WORD_BITS);
    seed_with(low->_mp_size == 0 ? 0 : low->_mp_d[0]);
    __gmpz_clear(low);
    return 0;
}

/* The words, the first of them lowest, as one integer. */
rt_value rt_random_words(void) {
    ensure_seed();
    mpz_t all;
    __gmpz_init(all);
    __gmpz_import(all, WORDS, -1, sizeof *state, 0, 0, state);
    return rt_take_integer(all);
}

/* A limb of GMP is a word. */
int rt_set_random_words(rt_value words) {
    rt_view room;
    const __mpz_struct *all = rt_is_exact_int(words) ? rt_view_integer(words, &room) : NULL;
    RT_CHECK_STATUS(all != NULL && all->_mp_size > 0 && all->_mp_size <= WORDS,
                    "set-random-state!", "a state of random", words);
    for (int i = 0; i < WORDS; i++) state[i] = i < all->_mp_size ? all->_mp_d[i] : 0;
    seeded = true;
    return 0;
}
