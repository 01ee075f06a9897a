/* Doubles in loops: how many points of a square stay near in 1000 steps. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 1000

static bool stays(double cr, double ci)
{
    double zr = 0.0, zi = 0.0;
    for (int n = 0;; n++) {
        double zr2 = zr * zr, zi2 = zi * zi;
        if (zr2 + zi2 > 4.0) return false;
        if (n == STEPS) return true;
        zi = 2.0 * zr * zi + ci;
        zr = zr2 - zi2 + cr;
    }
}

int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 0;
    double step = 3.0 / size;
    long count = 0;
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++)
            count += stays(x * step - 2.0, y * step - 1.5);
    printf("%ld\n", count);
    return 0;
}
