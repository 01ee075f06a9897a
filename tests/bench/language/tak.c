/* Calls of three arguments: Takeuchi's function, many times. */
#include <stdio.h>
#include <stdlib.h>

static long tak(long x, long y, long z)
{
    if (y >= x) return z;
    return tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y));
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0;
    /* Read at every turn, so that the compiler does not call the function once for all. */
    volatile long x = 18;
    long sum = 0;
    for (long i = 0; i < size; i++) sum += tak(x, 12, 6);
    printf("%ld\n", sum);
    return 0;
}
