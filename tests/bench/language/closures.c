/* Small closures: composition, curried addition, Church's numerals, and points that answer
 * messages.  C has no closures: a struct holds the code and what it captures, and is freed by hand.
 * The functions that make them come from a table, so that no compiler knows them. */
#include <stdio.h>
#include <stdlib.h>

typedef struct closure closure;
typedef long code(const closure *self, long x);
struct closure { code *run; const closure *f, *g; long a, b; };

static closure *make(code *run, const closure *f, const closure *g, long a, long b)
{
    closure *made = malloc(sizeof *made);
    if (made == NULL) abort();
    *made = (closure){run, f, g, a, b};
    return made;
}

static long composed(const closure *self, long x)
{
    return self->f->run(self->f, self->g->run(self->g, x));
}

static long plus_both(const closure *self, long x) { return self->a + self->b + x; }
static long plus_one(const closure *self, long x) { (void)self; return x + 1; }
static long same(const closure *self, long x) { (void)self; return x; }

static closure *compose(const closure *f, const closure *g) { return make(composed, f, g, 0, 0); }
static closure *adder(const closure *a, const closure *b)
{
    return make(plus_both, NULL, NULL, a->a, b->a);
}

/* The numeral n applied to f: a chain of n compositions; and the end of one. */
static closure *applied(long n, const closure *f)
{
    closure *chain = make(same, NULL, NULL, 0, 0);
    for (long i = 0; i < n; i++) chain = make(composed, f, chain, 0, 0);
    return chain;
}

static void free_chain(const closure *chain)
{
    while (chain != NULL) {
        const closure *next = chain->g;
        free((void *)chain);
        chain = next;
    }
}

typedef closure *maker(const closure *, const closure *);
static maker *volatile makers[] = {compose, adder};

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0, sum = 0;
    closure *point = make(same, NULL, NULL, 0, 0), *one = make(plus_one, NULL, NULL, 0, 0);
    for (long i = 0; i < size; i++) {
        closure first = {same, NULL, NULL, i, 0}, second = {same, NULL, NULL, 2, 0};
        closure *add = makers[1](&first, &second), *twice = makers[0](add, add);
        closure *ten = applied(10, one);
        sum += twice->run(twice, 1) + ten->run(ten, 0);
        closure *moved = make(same, NULL, NULL, point->a + 1, point->b + point->a);
        free(point);
        point = moved;
        free_chain(ten);
        free(twice);
        free(add);
    }
    printf("%ld\n", sum + point->a + point->b);
    free(point);
    free(one);
    return 0;
}
