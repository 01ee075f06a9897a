"""A list of integers, sorted in place by quicksort."""

import sys


def random_list(n: int) -> list[int]:
    items = []
    seed = 42
    for _ in range(n):
        seed = seed * 16807 % 2147483647
        items.append(seed)
    return items


def sort(items: list[int], first: int, last: int) -> None:
    if first >= last:
        return
    pivot = items[(first + last) // 2]
    i, j = first, last
    while True:
        while items[i] < pivot:
            i += 1
        while items[j] > pivot:
            j -= 1
        if i >= j:
            break
        items[i], items[j] = items[j], items[i]
        i += 1
        j -= 1
    sort(items, first, j - 1 if i == j else j)
    sort(items, i + 1 if i == j else i, last)


def checksum(items: list[int]) -> int:
    total = 0
    for item in items:
        total = (total * 3 + item) % 1000003
    return total


numbers = random_list(int(sys.argv[1]))
sort(numbers, 0, len(numbers) - 1)
print(checksum(numbers))
