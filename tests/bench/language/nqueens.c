/* How many ways queens stand on a board without a quarrel. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGEST 32

static bool safe(const int *columns, int row, int column)
{
    for (int other = row - 1; other >= 0; other--) {
        int distance = row - other;
        if (columns[other] == column || columns[other] == column + distance
            || columns[other] == column - distance)
            return false;
    }
    return true;
}

static long count_from(int size, int row, int *columns)
{
    if (row == size) return 1;
    long count = 0;
    for (int column = 0; column < size; column++) {
        if (!safe(columns, row, column)) continue;
        columns[row] = column;
        count += count_from(size, row + 1, columns);
    }
    return count;
}

int main(int argc, char **argv)
{
    int columns[LARGEST], size = argc > 1 ? atoi(argv[1]) : 0;
    if (size > LARGEST) return 1;
    printf("%ld\n", count_from(size, 0, columns));
    return 0;
}
