/* Pattern matching: sums and products of symbols are simplified by rules.  Terms are trees that
 * share parts, with counts of references; the bindings are an array. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum { NUMBER, SYMBOL, VARIABLE, SUM, PRODUCT } kind;

typedef struct term term;
struct term {
    kind kind;
    long count;     /* of references */
    long value;     /* of a number; the letter of a symbol; the index of a variable */
    term *left, *right;
};

enum { VARIABLES = 3, RULES = 10 };

static term *new_term(kind kind, long value, term *left, term *right)
{
    term *made = malloc(sizeof *made);
    if (!made) abort();
    *made = (term){kind, 1, value, left, right};
    return made;
}

static term *keep(term *t)
{
    t->count++;
    return t;
}

static void release(term *t)
{
    if (--t->count) return;
    if (t->left) release(t->left);
    if (t->right) release(t->right);
    free(t);
}

static bool equal(const term *a, const term *b)
{
    if (a == b) return true;
    if (a->kind != b->kind || a->value != b->value) return false;
    return !a->left || (equal(a->left, b->left) && equal(a->right, b->right));
}

/* Whether a pattern matches; the bindings are borrowed from the term. */
static bool match(const term *pattern, term *t, term **bindings)
{
    if (pattern->kind == VARIABLE) {
        term **bound = &bindings[pattern->value];
        if (*bound) return equal(*bound, t);
        *bound = t;
        return true;
    }
    if (pattern->kind != t->kind || pattern->value != t->value) return false;
    return !pattern->left || (match(pattern->left, t->left, bindings)
                              && match(pattern->right, t->right, bindings));
}

static term *fill(term *template, term **bindings)
{
    if (template->kind == VARIABLE) return keep(bindings[template->value]);
    if (!template->left) return keep(template);
    term *left = fill(template->left, bindings);
    return new_term(template->kind, 0, left, fill(template->right, bindings));
}

typedef struct { term *left, *right; } rule;
static rule rules[RULES];

static term *simplify(term *t)
{
    if (!t->left) return keep(t);
    term *left = simplify(t->left), *inner = new_term(t->kind, 0, left, simplify(t->right));
    for (int i = 0; i < RULES; i++) {
        term *bindings[VARIABLES] = {NULL};
        if (!match(rules[i].left, inner, bindings)) continue;
        term *changed = fill(rules[i].right, bindings), *result = simplify(changed);
        release(changed);
        release(inner);
        return result;
    }
    return inner;
}

/* The Lisp program counts the operator and the end of a list, too. */
static long size_of(const term *t)
{
    return t->left ? 2 + size_of(t->left) + size_of(t->right) : 1;
}

static term *number(long value) { return new_term(NUMBER, value, NULL, NULL); }
static term *symbol(char letter) { return new_term(SYMBOL, letter, NULL, NULL); }
static term *sum(term *a, term *b) { return new_term(SUM, 0, a, b); }
static term *product(term *a, term *b) { return new_term(PRODUCT, 0, a, b); }
static term *a(void) { return new_term(VARIABLE, 0, NULL, NULL); }
static term *b(void) { return new_term(VARIABLE, 1, NULL, NULL); }
static term *c(void) { return new_term(VARIABLE, 2, NULL, NULL); }

static void make_rules(void)
{
    rule made[RULES] = {
        {sum(number(0), a()), a()},
        {sum(a(), number(0)), a()},
        {product(number(1), a()), a()},
        {product(a(), number(1)), a()},
        {product(number(0), a()), number(0)},
        {product(a(), number(0)), number(0)},
        {sum(a(), a()), product(number(2), a())},
        {product(a(), sum(b(), c())), sum(product(a(), b()), product(a(), c()))},
        {product(sum(b(), c()), a()), sum(product(b(), a()), product(c(), a()))},
        {sum(sum(a(), b()), c()), sum(a(), sum(b(), c()))},
    };
    for (int i = 0; i < RULES; i++) rules[i] = made[i];
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0, total = 0;
    make_rules();
    term *first = sum(product(number(1), symbol('x')), sum(symbol('y'), number(0)));
    term *second = sum(symbol('x'), product(symbol('z'), number(1)));
    term *third = sum(product(number(0), symbol('y')), sum(symbol('z'), symbol('z')));
    term *whole = product(first, product(second, third));
    for (long i = 0; i < size; i++) {
        term *result = simplify(whole);
        total += size_of(result);
        release(result);
    }
    printf("%ld\n", total);
    return 0;
}
