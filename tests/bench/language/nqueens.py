"""In how many ways queens can stand on a board without attacking each other."""

import sys


def safe(columns: list[int], column: int) -> bool:
    distance = 1
    for other in reversed(columns):
        if other == column or other == column + distance or other == column - distance:
            return False
        distance += 1
    return True


def count_from(size: int, columns: list[int]) -> int:
    if len(columns) == size:
        return 1
    count = 0
    for column in range(size):
        if safe(columns, column):
            columns.append(column)
            count += count_from(size, columns)
            columns.pop()
    return count


print(count_from(int(sys.argv[1]), []))
