/* Trees of fresh nodes: the derivative of a polynomial in x, written with sums and products of any
 * number of terms, many times.  A derivative shares parts of its formula: it owns only nodes that
 * are fresh. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum { NUMBER, SYMBOL, SUM, PRODUCT, QUOTIENT } kind;

typedef struct expression expression;
typedef struct term { struct term *next; expression *item; } term;
struct expression {
    kind kind;
    bool fresh;
    long value;   /* of a number; the letter of a symbol */
    term *terms;
};

static void *allocate(size_t size)
{
    void *block = malloc(size);
    if (!block) abort();
    return block;
}

static term *new_term(expression *item, term *next)
{
    term *made = allocate(sizeof *made);
    *made = (term){next, item};
    return made;
}

static expression *new_expression(kind kind, long value, term *terms)
{
    expression *made = allocate(sizeof *made);
    *made = (expression){kind, true, value, terms};
    return made;
}

static void release(expression *a)
{
    if (!a->fresh) return;
    for (term *at = a->terms, *next; at; at = next) {
        next = at->next;
        release(at->item);
        free(at);
    }
    free(a);
}

static expression *derive(expression *a);

static term *terms_of_sum(const term *terms)
{
    if (!terms) return NULL;
    expression *first = derive(terms->item);
    return new_term(first, terms_of_sum(terms->next));
}

/* (* a b c)' = (* (* a b c) (+ (/ a' a) (/ b' b) (/ c' c))) */
static term *terms_of_product(const term *terms)
{
    if (!terms) return NULL;
    term *both = new_term(derive(terms->item), new_term(terms->item, NULL));
    return new_term(new_expression(QUOTIENT, 0, both), terms_of_product(terms->next));
}

static expression *derive(expression *a)
{
    switch (a->kind) {
    case SUM:
        return new_expression(SUM, 0, terms_of_sum(a->terms));
    case PRODUCT: {
        expression *sum = new_expression(SUM, 0, terms_of_product(a->terms));
        return new_expression(PRODUCT, 0, new_term(a, new_term(sum, NULL)));
    }
    default:
        return new_expression(NUMBER, a->kind == SYMBOL && a->value == 'x', NULL);
    }
}

/* A number or a symbol is one leaf; an operator counts as one. */
static long count_leaves(const expression *a)
{
    long count = 1;
    for (const term *at = a->terms; at; at = at->next) count += count_leaves(at->item);
    return count;
}

/* Nodes of the formula itself, which nobody frees. */
static expression *keep(expression *a)
{
    a->fresh = false;
    return a;
}
static expression *symbol(char letter) { return keep(new_expression(SYMBOL, letter, NULL)); }
static expression *number(long value) { return keep(new_expression(NUMBER, value, NULL)); }
static expression *sum(term *terms) { return keep(new_expression(SUM, 0, terms)); }
static expression *product(term *terms) { return keep(new_expression(PRODUCT, 0, terms)); }

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0;
    expression *x = symbol('x');
    term *cx5 = new_term(product(new_term(symbol('c'), new_term(x, NULL))),
                         new_term(number(5), NULL));
    term *terms = new_term(sum(new_term(x, cx5)), NULL);
    terms = new_term(product(new_term(symbol('b'), new_term(x, NULL))), terms);
    term *axxx = new_term(x, new_term(x, new_term(x, NULL)));
    terms = new_term(product(new_term(symbol('a'), axxx)), terms);
    terms = new_term(product(new_term(number(3), new_term(x, new_term(x, NULL)))), terms);
    expression *formula = sum(terms), *last = number(0);
    for (long i = 0; i < size; i++) {
        release(last);
        last = derive(formula);
    }
    printf("%ld\n", size > 0 ? count_leaves(last) : 0);
    return 0;
}
