/* digest.h - check sums and hash functions, over data that comes in pieces. */
#ifndef DIGEST_H
#define DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RT_DIGEST_BLOCK 128   /* the largest block, and the largest result, in bytes */
#define RT_DIGEST_MOST 64

typedef struct rt_digest rt_digest;
typedef struct rt_digest_kind rt_digest_kind;

/* What has been taken in; size bytes of a block wait for the rest of it. */
struct rt_digest {
    const rt_digest_kind *kind;
    uint64_t words[8];
    unsigned char block[RT_DIGEST_BLOCK];
    size_t size;
    uint64_t total;   /* bytes */
};

/* false if there is no function of that name. */
bool rt_digest_begin(rt_digest *digest, const char *name);
void rt_digest_add(rt_digest *digest, const unsigned char *bytes, size_t size);
/* Write the result, and return its size.  The digest is of no use afterwards. */
size_t rt_digest_end(rt_digest *digest, unsigned char *result);

#endif
