/* digest.c - CRC-32, Adler-32 (RFC 1950), MD5 (RFC 1321), and SHA-1, SHA-256, SHA-512 (FIPS 180-4).
 *
 * The hash functions mix blocks into words.  Their constants are parts of square roots, cube roots
 * and sines, which are computed at the first use: 64 bits of the roots of primes by integers alone.
 */
#define _POSIX_C_SOURCE 200809L
#include "text/digest.h"

#include <math.h>
#include <string.h>

#define ROUNDS_MD5 64
#define ROUNDS_SHA_1 80
#define ROUNDS_SHA_256 64
#define ROUNDS_SHA_512 80
#define SMALL_BLOCK 64
#define CRC_POLYNOMIAL 0xedb88320u
#define ADLER_MODULUS 65521u
#define ADLER_RUN 5552u   /* bytes whose sums fit 32 bits */

/* begin sets the words.  mix takes whole blocks; for a check sum, a block is a byte. */
struct rt_digest_kind {
    const char *name;
    size_t block, result;
    size_t word;          /* bytes of each word in the result */
    bool little;          /* the order of bytes in words, of blocks and of the result */
    void (*begin)(rt_digest *digest);
    void (*mix)(rt_digest *digest, const unsigned char *bytes, size_t count);
};

static uint32_t rotate_left(uint32_t x, unsigned n) { return x << n | x >> (32 - n); }
static uint32_t rotate_right(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }
static uint64_t rotate_right_64(uint64_t x, unsigned n) { return x >> n | x << (64 - n); }

static uint64_t load(const unsigned char *at, size_t size, bool little) {
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++) word = word << 8 | at[little ? size - 1 - i : i];
    return word;
}

static void store(unsigned char *to, uint64_t word, size_t size, bool little) {
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)(word >> 8 * (little ? i : size - 1 - i));
}

/* ---- Constants of SHA-2 -------------------------------------------------- */

static uint64_t cube_fractions[ROUNDS_SHA_512], square_fractions[8];

/* Whether whole.fraction, in units of 2^-64, to the power is at most a small number. */
static bool is_root(unsigned whole, uint64_t fraction, int power, unsigned number) {
    /* Numbers in base 2^32, the least digit first: two digits of fraction, one before them. */
    uint32_t root[3] = {(uint32_t)fraction, (uint32_t)(fraction >> 32), whole};
    uint32_t product[9] = {1};
    int size = 1;
    for (int i = 0; i < power; i++) {
        uint32_t next[9] = {0};
        for (int j = 0; j < size; j++) {
            uint64_t carry = 0;
            for (int k = 0; k < 3; k++) {
                uint64_t sum = (uint64_t)product[j] * root[k] + next[j + k] + carry;
                next[j + k] = (uint32_t)sum;
                carry = sum >> 32;
            }
            if (j + 3 < 9) next[j + 3] += (uint32_t)carry;
        }
        memcpy(product, next, sizeof product);
        size += 3;
        if (size > 6) size = 6;
    }
    uint32_t above = product[2 * power];
    if (above != number) return above < number;
    for (int i = 0; i < 2 * power; i++)
        if (product[i] != 0) return false;
    return true;
}

/* The first 64 bits after the point of a root of a small number. */
static uint64_t fraction_of_root(unsigned number, int power) {
    unsigned whole = 1;
    while (is_root(whole + 1, 0, power, number)) whole++;
    uint64_t fraction = 0;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t longer = fraction | (uint64_t)1 << bit;
        if (is_root(whole, longer, power, number)) fraction = longer;
    }
    return fraction;
}

static bool is_prime(unsigned n) {
    for (unsigned i = 2; i * i <= n; i++)
        if (n % i == 0) return false;
    return true;
}

static void find_constants(void) {
    unsigned number = 1;
    if (cube_fractions[0] != 0) return;
    for (int i = 0; i < ROUNDS_SHA_512; i++) {
        do number++;
        while (!is_prime(number));
        if (i < 8) square_fractions[i] = fraction_of_root(number, 2);
        cube_fractions[i] = fraction_of_root(number, 3);
    }
}

/* ---- SHA-2 --------------------------------------------------------------- */

static void begin_sha_256(rt_digest *digest) {
    find_constants();
    for (int i = 0; i < 8; i++) digest->words[i] = square_fractions[i] >> 32;
}

static void mix_sha_256(rt_digest *digest, const unsigned char *bytes, size_t count) {
    for (; count > 0; count--, bytes += SMALL_BLOCK) {
        uint32_t w[ROUNDS_SHA_256], v[8];
        for (size_t i = 0; i < 16; i++) w[i] = (uint32_t)load(bytes + 4 * i, 4, false);
        for (int i = 16; i < ROUNDS_SHA_256; i++) {
            uint32_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + w[i - 7] +
                   (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) +
                   (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
        }
        for (int i = 0; i < 8; i++) v[i] = (uint32_t)digest->words[i];
        for (int i = 0; i < ROUNDS_SHA_256; i++) {
            uint32_t a = v[0], e = v[4];
            uint32_t first = v[7] + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) +
                             ((e & v[5]) ^ (~e & v[6])) + (uint32_t)(cube_fractions[i] >> 32) + w[i];
            uint32_t second = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) +
                              ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
            memmove(v + 1, v, 7 * sizeof *v);
            v[4] += first;
            v[0] = first + second;
        }
        for (int i = 0; i < 8; i++) digest->words[i] = (uint32_t)(digest->words[i] + v[i]);
    }
}

static void begin_sha_512(rt_digest *digest) {
    find_constants();
    memcpy(digest->words, square_fractions, sizeof square_fractions);
}

static void mix_sha_512(rt_digest *digest, const unsigned char *bytes, size_t count) {
    for (; count > 0; count--, bytes += RT_DIGEST_BLOCK) {
        uint64_t w[ROUNDS_SHA_512], v[8];
        for (size_t i = 0; i < 16; i++) w[i] = load(bytes + 8 * i, 8, false);
        for (int i = 16; i < ROUNDS_SHA_512; i++) {
            uint64_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + w[i - 7] +
                   (rotate_right_64(a, 1) ^ rotate_right_64(a, 8) ^ a >> 7) +
                   (rotate_right_64(b, 19) ^ rotate_right_64(b, 61) ^ b >> 6);
        }
        memcpy(v, digest->words, sizeof v);
        for (int i = 0; i < ROUNDS_SHA_512; i++) {
            uint64_t a = v[0], e = v[4];
            uint64_t first =
                v[7] + (rotate_right_64(e, 14) ^ rotate_right_64(e, 18) ^ rotate_right_64(e, 41)) +
                ((e & v[5]) ^ (~e & v[6])) + cube_fractions[i] + w[i];
            uint64_t second =
                (rotate_right_64(a, 28) ^ rotate_right_64(a, 34) ^ rotate_right_64(a, 39)) +
                ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
            memmove(v + 1, v, 7 * sizeof *v);
            v[4] += first;
            v[0] = first + second;
        }
        for (int i = 0; i < 8; i++) digest->words[i] += v[i];
    }
}

/* ---- SHA-1 and MD5 ------------------------------------------------------- */

static void begin_small(rt_digest *digest) {
    static const uint32_t first[] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) digest->words[i] = first[i];
}

/* What a round of SHA-1 adds, of three words. */
static uint32_t sha_1_term(int round, uint32_t b, uint32_t c, uint32_t d) {
    if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999;
    if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1;
    if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
    return (b ^ c ^ d) + 0xca62c1d6;
}

static void mix_sha_1(rt_digest *digest, const unsigned char *bytes, size_t count) {
    for (; count > 0; count--, bytes += SMALL_BLOCK) {
        uint32_t w[ROUNDS_SHA_1], v[5];
        for (size_t i = 0; i < 16; i++) w[i] = (uint32_t)load(bytes + 4 * i, 4, false);
        for (int i = 16; i < ROUNDS_SHA_1; i++)
            w[i] = rotate_left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
        for (int i = 0; i < 5; i++) v[i] = (uint32_t)digest->words[i];
        for (int i = 0; i < ROUNDS_SHA_1; i++) {
            uint32_t next = rotate_left(v[0], 5) + sha_1_term(i, v[1], v[2], v[3]) + v[4] + w[i];
            memmove(v + 1, v, 4 * sizeof *v);
            v[2] = rotate_left(v[2], 30);
            v[0] = next;
        }
        for (int i = 0; i < 5; i++) digest->words[i] = (uint32_t)(digest->words[i] + v[i]);
    }
}

static void mix_md5(rt_digest *digest, const unsigned char *bytes, size_t count) {
    static uint32_t sines[ROUNDS_MD5];
    static const unsigned shifts[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}
    };
    for (int i = 0; sines[ROUNDS_MD5 - 1] == 0 && i < ROUNDS_MD5; i++)
        sines[i] = (uint32_t)(int64_t)floor(fabs(sin(i + 1.0)) * 4294967296.0);
    for (; count > 0; count--, bytes += SMALL_BLOCK) {
        uint32_t v[4];
        for (int i = 0; i < 4; i++) v[i] = (uint32_t)digest->words[i];
        for (int i = 0; i < ROUNDS_MD5; i++) {
            uint32_t b = v[1], c = v[2], d = v[3], term;
            int round = i / 16, index;
            if (round == 0) term = (b & c) | (~b & d), index = i;
            else if (round == 1) term = (d & b) | (~d & c), index = (5 * i + 1) % 16;
            else if (round == 2) term = b ^ c ^ d, index = (3 * i + 5) % 16;
            else term = c ^ (b | ~d), index = 7 * i % 16;
            term += v[0] + sines[i] + (uint32_t)load(bytes + 4 * index, 4, true);
            v[0] = d;
            v[3] = c;
            v[2] = b;
            v[1] = b + rotate_left(term, shifts[round][i % 4]);
        }
        for (int i = 0; i < 4; i++) digest->words[i] = (uint32_t)(digest->words[i] + v[i]);
    }
}

/* ---- Check sums ---------------------------------------------------------- */

static void begin_crc(rt_digest *digest) { digest->words[0] = 0; }

static void mix_crc(rt_digest *digest, const unsigned char *bytes, size_t count) {
    static uint32_t table[256];
    for (uint32_t i = 0; table[255] == 0 && i < 256; i++) {
        uint32_t entry = i;
        for (int bit = 0; bit < 8; bit++)
            entry = entry >> 1 ^ ((entry & 1) != 0 ? CRC_POLYNOMIAL : 0);
        table[i] = entry;
    }
    uint32_t sum = ~(uint32_t)digest->words[0];
    for (size_t i = 0; i < count; i++) sum = table[(sum ^ bytes[i]) & 0xff] ^ sum >> 8;
    digest->words[0] = (uint32_t)~sum;
}

static void begin_adler(rt_digest *digest) { digest->words[0] = 1; }

static void mix_adler(rt_digest *digest, const unsigned char *bytes, size_t count) {
    uint32_t low = digest->words[0] & 0xffff, high = (uint32_t)digest->words[0] >> 16;
    while (count > 0) {
        size_t run = count < ADLER_RUN ? count : ADLER_RUN;
        for (size_t i = 0; i < run; i++) high += low += bytes[i];
        low %= ADLER_MODULUS;
        high %= ADLER_MODULUS;
        bytes += run;
        count -= run;
    }
    digest->words[0] = high << 16 | low;
}

/* ---- Data in pieces ------------------------------------------------------ */

static const rt_digest_kind kinds[] = {
    {"crc32", 1, 4, 4, false, begin_crc, mix_crc},
    {"adler32", 1, 4, 4, false, begin_adler, mix_adler},
    {"md5", SMALL_BLOCK, 16, 4, true, begin_small, mix_md5},
    {"sha1", SMALL_BLOCK, 20, 4, false, begin_small, mix_sha_1},
    {"sha256", SMALL_BLOCK, 32, 4, false, begin_sha_256, mix_sha_256},
    {"sha512", RT_DIGEST_BLOCK, 64, 8, false, begin_sha_512, mix_sha_512},
};

bool rt_digest_begin(rt_digest *digest, const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) != 0) continue;
        *digest = (rt_digest){.kind = &kinds[i]};
        kinds[i].begin(digest);
        return true;
    }
    return false;
}

void rt_digest_add(rt_digest *digest, const unsigned char *bytes, size_t size) {
    const rt_digest_kind *kind = digest->kind;
    digest->total += size;
    if (digest->size > 0) {
        size_t lacks = kind->block - digest->size, taken = size < lacks ? size : lacks;
        memcpy(digest->block + digest->size, bytes, taken);
        digest->size += taken;
        bytes += taken;
        size -= taken;
        if (digest->size < kind->block) return;
        kind->mix(digest, digest->block, 1);
        digest->size = 0;
    }
    size_t whole = size / kind->block;
    kind->mix(digest, bytes, whole);
    digest->size = size - whole * kind->block;
    if (digest->size > 0) memcpy(digest->block, bytes + whole * kind->block, digest->size);
}

/* A bit, zeros, and the number of bits fill the last blocks. */
static void pad(rt_digest *digest) {
    static const unsigned char first = 0x80, zero = 0;
    const rt_digest_kind *kind = digest->kind;
    unsigned char bits[sizeof(uint64_t)];
    store(bits, digest->total * 8, sizeof bits, kind->little);
    rt_digest_add(digest, &first, 1);
    while (digest->size != kind->block - kind->block / 8) rt_digest_add(digest, &zero, 1);
    while (digest->size != kind->block - sizeof bits) rt_digest_add(digest, &zero, 1);
    rt_digest_add(digest, bits, sizeof bits);
}

size_t rt_digest_end(rt_digest *digest, unsigned char *result) {
    const rt_digest_kind *kind = digest->kind;
    if (kind->block > 1) pad(digest);
    for (size_t i = 0; i < kind->result / kind->word; i++)
        store(result + i * kind->word, digest->words[i], kind->word, kind->little);
    return kind->result;
}
