/* Functions as values: lists of 1000 integers through map, filter and a fold, with closures made by
 * hand: a function and what it needs. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct node { struct node *next; long item; } node;
typedef struct closure { long (*call)(const struct closure *, long); } closure;

typedef struct adder { closure closure; long amount; } adder;
typedef struct chained { closure closure; const closure *outer, *inner; } chained;

static node *prepend(long item, node *next)
{
    node *made = malloc(sizeof *made);
    *made = (node){next, item};
    return made;
}

static void release(node *items)
{
    while (items) {
        node *next = items->next;
        free(items);
        items = next;
    }
}

static node *map(const closure *f, const node *items)
{
    node *first = NULL, **end = &first;
    for (; items; items = items->next) {
        *end = prepend(f->call(f, items->item), NULL);
        end = &(*end)->next;
    }
    return first;
}

static node *keep(const closure *ok, const node *items)
{
    node *first = NULL, **end = &first;
    for (; items; items = items->next) {
        if (!ok->call(ok, items->item)) continue;
        *end = prepend(items->item, NULL);
        end = &(*end)->next;
    }
    return first;
}

static long fold_up(long (*f)(long, long), long start, const node *items)
{
    for (; items; items = items->next) start = f(start, items->item);
    return start;
}

static long add(const closure *self, long x) { return x + ((const adder *)self)->amount; }
static long twice(const closure *self, long x) { (void)self; return x * 2; }
static long square(const closure *self, long x) { (void)self; return x * x; }
static long in_threes(const closure *self, long x) { (void)self; return x % 3 == 0; }
static long sum_up(long a, long b) { return (a + b) % 1000003; }

static long chain(const closure *self, long x)
{
    const closure *outer = ((const chained *)self)->outer, *inner = ((const chained *)self)->inner;
    return outer->call(outer, inner->call(inner, x));
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0, sum = 0;
    node *items = NULL;
    for (long i = 1000; i > 0; i--) items = prepend(i, items);
    for (long i = 0; i < size; i++) {
        adder adding = {{add}, i};
        closure doubling = {twice}, testing = {in_threes}, squaring = {square};
        chained both = {{chain}, &adding.closure, &doubling};
        node *changed = map(&both.closure, items);
        node *kept = keep(&testing, changed);
        node *squares = map(&squaring, kept);
        sum = fold_up(sum_up, sum, squares);
        release(changed);
        release(kept);
        release(squares);
    }
    printf("%ld\n", sum);
    release(items);
    return 0;
}
