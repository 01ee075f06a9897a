/* Calls and small integers: the Fibonacci numbers by their definition. */
#include <stdio.h>
#include <stdlib.h>

static long fib(long n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0;
    printf("%ld\n", fib(size));
    return 0;
}
