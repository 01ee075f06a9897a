/* Association lists: counts by words, in lists that are copied up to the changed entry. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry { struct entry *next; const char *key; long value; } entry;

static const char *words[] = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu"
};
static const char *colour_names[] = {"red", "green", "blue", "white", "black"};
static const int colours_wanted[] = {4, 0, 3, 2};
#define WORDS (sizeof words / sizeof words[0])
#define SQUARES 40

static entry *cons(const char *key, long value, entry *next)
{
    entry *added = malloc(sizeof *added);
    *added = (entry){next, key, value};
    return added;
}

static void release(entry *list)
{
    for (entry *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

/* A new list; the old entries up to the changed one are released. */
static entry *count(const char *key, entry *counts)
{
    if (!counts) return cons(key, 1, NULL);
    entry *next = counts->next, *result;
    if (strcmp(counts->key, key) == 0) result = cons(key, counts->value + 1, next);
    else {
        entry *others = count(key, next);
        result = cons(counts->key, counts->value, others);
    }
    free(counts);
    return result;
}

static long by_string(const char *key, const entry *list)
{
    while (strcmp(list->key, key) != 0) list = list->next;
    return list->value;
}

static long by_identity(const char *key, const entry *list)
{
    while (list->key != key) list = list->next;
    return list->value;
}

typedef struct square { struct square *next; long number, value; } square;

static long by_number(long number, const square *list)
{
    while (list->number != number) list = list->next;
    return list->value;
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0, sum = 0;
    square room[SQUARES], *squares = NULL;
    for (long i = 0; i < SQUARES; i++) {
        room[i] = (square){squares, i, i * i};
        squares = &room[i];
    }
    entry *colours = NULL, *counts = NULL;
    for (int i = 4; i >= 0; i--) colours = cons(colour_names[i], i + 1, colours);
    for (long i = 0; i < size; i++) {
        if (i % 10 == 0) {
            release(counts);
            counts = NULL;
        }
        for (size_t w = 0; w < WORDS; w++) counts = count(words[w], counts);
        for (size_t w = 0; w < WORDS; w++) sum += by_string(words[w], counts);
        for (int c = 0; c < 4; c++) sum += by_identity(colour_names[colours_wanted[c]], colours);
        for (long k = 0; k < SQUARES; k++) sum += by_number(k, squares);
        sum %= 1000003;
    }
    printf("%ld\n", sum);
    release(counts);
    release(colours);
    return 0;
}
