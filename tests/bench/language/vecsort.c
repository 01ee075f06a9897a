/* An array of integers, sorted in place by quicksort. */
#include <stdio.h>
#include <stdlib.h>

static void sort(long *items, long first, long last)
{
    if (first >= last) return;
    long pivot = items[(first + last) / 2], i = first, j = last;
    for (;; i++, j--) {
        while (items[i] < pivot) i++;
        while (items[j] > pivot) j--;
        if (i >= j) break;
        long old = items[i];
        items[i] = items[j];
        items[j] = old;
    }
    sort(items, first, i == j ? j - 1 : j);
    sort(items, i == j ? i + 1 : i, last);
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0, seed = 42, sum = 0;
    long *items = malloc((size_t)(size + 1) * sizeof *items);
    for (long i = 0; i < size; i++) {
        seed = seed * 16807 % 2147483647;
        items[i] = seed;
    }
    sort(items, 0, size - 1);
    for (long i = 0; i < size; i++) sum = (sum * 3 + items[i]) % 1000003;
    printf("%ld\n", sum);
    free(items);
    return 0;
}
