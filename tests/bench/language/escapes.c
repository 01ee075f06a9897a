/* Escapes: Takeuchi's function, in which every call returns through a continuation of its own, and
 * searches that leave a loop.  C leaves loops with return, and other procedures with longjmp. */
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct target { jmp_buf where; volatile long result; } target;

static void leave(target *out, long result)
{
    out->result = result;
    longjmp(out->where, 1);
}

static long tak(long x, long y, long z);

static void tak_to(target *out, long x, long y, long z)
{
    if (y >= x) leave(out, z);
    leave(out, tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y)));
}

static long tak(long x, long y, long z)
{
    target here;
    if (setjmp(here.where) == 0) tak_to(&here, x, y, z);
    return here.result;
}

static long find_above(long least, const long *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (items[i] > least) return items[i];
    return -1;
}

int main(int argc, char **argv)
{
    static const long items[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    const size_t count = sizeof items / sizeof *items;
    long size = argc > 1 ? atol(argv[1]) : 0, sum = 0;
    /* Read at every iteration, so that the compiler does not search once for all. */
    volatile long limit = 8;
    for (long i = 0; i < size; i++)
        sum += tak(12, 8, 4) + find_above(limit, items, count) + find_above(i, items, count);
    printf("%ld\n", sum);
    return 0;
}
