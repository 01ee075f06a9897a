/* Continuation-passing style: Takeuchi's function, and sums of lists, where a frame holds what is
 * left to do.  C has no closures: a frame is a struct with the code that continues. */
#include <stdio.h>
#include <stdlib.h>

typedef struct frame frame;
typedef long code(frame *self, long result);
struct frame { code *run; frame *next; long x, y, z; };
typedef struct pair { long first; const struct pair *rest; } pair;

static frame *push(code *run, frame *next, long x, long y, long z)
{
    frame *made = malloc(sizeof *made);
    if (made == NULL) abort();
    *made = (frame){run, next, x, y, z};
    return made;
}

static frame pop(frame *self)
{
    frame copy = *self;
    free(self);
    return copy;
}

static long identity(frame *self, long result)
{
    free(self);
    return result;
}

static long tak(long x, long y, long z, frame *k);

static long after_third(frame *self, long c)
{
    frame f = pop(self);
    return tak(f.x, f.y, c, f.next);
}

static long after_second(frame *self, long b)
{
    /* The frame of the first call waits below: it has x, y and z. */
    frame f = pop(self), g = pop(f.next);
    return tak(g.z - 1, g.x, g.y, push(after_third, g.next, f.x, b, 0));
}

static long after_first(frame *self, long a)
{
    frame *below = self;
    return tak(self->y - 1, self->z, self->x, push(after_second, below, a, 0, 0));
}

static long tak(long x, long y, long z, frame *k)
{
    while (y < x) {
        k = push(after_first, k, x, y, z);
        x--;
    }
    return k->run(k, z);
}

static long add_first(frame *self, long rest)
{
    frame f = pop(self);
    return f.next->run(f.next, f.x + rest);
}

static long sum_of(const pair *items, frame *k)
{
    for (; items != NULL; items = items->rest) k = push(add_first, k, items->first, 0, 0);
    return k->run(k, 0);
}

int main(int argc, char **argv)
{
    static const long numbers[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    static pair items[sizeof numbers / sizeof *numbers];
    size_t count = sizeof numbers / sizeof *numbers;
    for (size_t i = 0; i < count; i++)
        items[i] = (pair){numbers[i], i + 1 < count ? &items[i + 1] : NULL};
    long size = argc > 1 ? atol(argv[1]) : 0, sum = 0;
    for (long i = 0; i < size; i++) {
        sum += tak(18, 12, 6, push(identity, NULL, 0, 0, 0));
        sum += sum_of(items, push(identity, NULL, 0, 0, 0));
    }
    printf("%ld\n", sum);
    return 0;
}
