/* Lists changed in place: make a list, sort it by merging its own nodes, turn it round, hang two
 * together. */
#include <stdio.h>
#include <stdlib.h>

typedef struct node { struct node *next; long item; } node;

static node *random_list(long n, long seed)
{
    node *items = NULL;
    for (long i = 0; i < n; i++) {
        node *added = malloc(sizeof *added);
        seed = seed * 16807 % 2147483647;
        *added = (node){items, seed % 10000};
        items = added;
    }
    return items;
}

static node *reverse(node *items)
{
    node *done = NULL;
    while (items) {
        node *next = items->next;
        items->next = done;
        done = items;
        items = next;
    }
    return done;
}

static node *merge(node *a, node *b)
{
    node *first = NULL, **end = &first;
    while (a && b) {
        node **smaller = b->item < a->item ? &b : &a;
        *end = *smaller;
        end = &(*smaller)->next;
        *smaller = *end;
    }
    *end = a ? a : b;
    return first;
}

static node *cut(node *items, long n)
{
    while (--n > 0) items = items->next;
    node *rest = items->next;
    items->next = NULL;
    return rest;
}

static node *sort(node *items, long n)
{
    if (n < 2) return items;
    long half = n / 2;
    node *rest = cut(items, half);
    node *left = sort(items, half);
    return merge(left, sort(rest, n - half));
}

static void append(node *a, node *b)
{
    while (a->next) a = a->next;
    a->next = b;
}

static long checksum(const node *items)
{
    long sum = 0;
    for (; items; items = items->next) sum = (sum * 3 + items->item) % 1000003;
    return sum;
}

static void release(node *items)
{
    while (items) {
        node *next = items->next;
        free(items);
        items = next;
    }
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0, sum = 0;
    for (long i = 0; i < size; i++) {
        node *up = sort(random_list(1000, i + 1), 1000);
        node *down = reverse(sort(random_list(1000, i + 7), 1000));
        append(up, down);
        sum = (sum + checksum(up)) % 1000003;
        release(up);
    }
    printf("%ld\n", sum);
    return 0;
}
