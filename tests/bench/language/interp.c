/* A small interpreter: expressions are trees, environments are chains of bindings.  Pairs, closures
 * and bindings count their references; `letrec` empties its bindings at the end, which refer to
 * closures that refer to them. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { NIL, NUMBER, PAIR, CLOSURE, PRIMITIVE } tag;
typedef struct value value;
typedef struct pair pair;
typedef struct closure closure;
typedef struct binding binding;
typedef struct node node;
typedef value (*primitive)(value *arguments);

struct value {
    tag tag;
    union { long number; pair *pair; closure *closure; primitive primitive; } as;
};
struct pair { long count; value first, rest; };
struct closure { long count; const node *code; binding *env; };
struct binding { long count; const char *name; value value; binding *rest; };

typedef enum { CONSTANT, VARIABLE, IF, LAMBDA, LETREC, CALL } kind;
enum { MOST = 4 };
struct node {
    kind kind;
    value constant;
    const char *name;          /* of a variable */
    const char *names[MOST];   /* of parameters, or of what letrec binds */
    node *parts[MOST + 1];     /* the body last */
    int count;                 /* of names, or of the arguments of a call */
};

static void *allocate(size_t size)
{
    void *block = malloc(size);
    if (!block) abort();
    return block;
}

static void release_env(binding *env);

static void release(value v)
{
    if (v.tag == PAIR && --v.as.pair->count == 0) {
        release(v.as.pair->first);
        release(v.as.pair->rest);
        free(v.as.pair);
    } else if (v.tag == CLOSURE && --v.as.closure->count == 0) {
        release_env(v.as.closure->env);
        free(v.as.closure);
    }
}

static void release_env(binding *env)
{
    while (env && --env->count == 0) {
        binding *rest = env->rest;
        release(env->value);
        free(env);
        env = rest;
    }
}

static value keep(value v)
{
    if (v.tag == PAIR) v.as.pair->count++;
    if (v.tag == CLOSURE) v.as.closure->count++;
    return v;
}

static binding *keep_env(binding *env)
{
    if (env) env->count++;
    return env;
}

static value number(long n) { return (value){NUMBER, {.number = n}}; }

static binding *bind(const char *name, value v, binding *rest)
{
    binding *made = allocate(sizeof *made);
    *made = (binding){1, name, v, rest};
    return made;
}

/* Names are compared by their addresses: each is one literal. */
static value lookup(const char *name, const binding *env)
{
    for (; env; env = env->rest)
        if (env->name == name) return keep(env->value);
    fprintf(stderr, "unbound variable: %s\n", name);
    exit(1);
}

static value evaluate(const node *x, binding *env);

static value evaluate_letrec(const node *x, binding *env)
{
    binding *inner = keep_env(env), *cells[MOST];
    for (int i = 0; i < x->count; i++) {
        inner = bind(x->names[i], (value){NIL, {0}}, inner);
        cells[i] = inner;
    }
    for (int i = 0; i < x->count; i++) cells[i]->value = evaluate(x->parts[i], inner);
    value result = evaluate(x->parts[x->count], inner);
    for (int i = 0; i < x->count; i++) {
        value before = cells[i]->value;
        cells[i]->value = (value){NIL, {0}};
        release(before);
    }
    release_env(inner);
    return result;
}

static value call(const node *x, binding *env)
{
    value f = evaluate(x->parts[MOST], env), arguments[MOST], result;
    for (int i = 0; i < x->count; i++) arguments[i] = evaluate(x->parts[i], env);
    if (f.tag == PRIMITIVE) {
        result = f.as.primitive(arguments);
        for (int i = 0; i < x->count; i++) release(arguments[i]);
        return result;
    }
    const node *code = f.as.closure->code;
    binding *inner = keep_env(f.as.closure->env);
    for (int i = 0; i < x->count; i++) inner = bind(code->names[i], arguments[i], inner);
    result = evaluate(code->parts[MOST], inner);
    release_env(inner);
    release(f);
    return result;
}

static value evaluate(const node *x, binding *env)
{
    switch (x->kind) {
    case CONSTANT:
        return keep(x->constant);
    case VARIABLE:
        return lookup(x->name, env);
    case IF: {
        value test = evaluate(x->parts[0], env);
        bool is_true = test.tag != NIL || test.as.number != 0;
        release(test);
        return evaluate(x->parts[is_true ? 1 : 2], env);
    }
    case LAMBDA: {
        closure *made = allocate(sizeof *made);
        *made = (closure){1, x, keep_env(env)};
        return (value){CLOSURE, {.closure = made}};
    }
    case LETREC:
        return evaluate_letrec(x, env);
    case CALL:
        return call(x, env);
    }
    abort();
}

/* Primitives.  A boolean is a NIL with a number; the empty list has another one than false. */
static value boolean(bool is_true) { return (value){NIL, {.number = is_true}}; }
static const value EMPTY = {NIL, {.number = 2}};
static value add(value *a) { return number(a[0].as.number + a[1].as.number); }
static value subtract(value *a) { return number(a[0].as.number - a[1].as.number); }
static value less(value *a) { return boolean(a[0].as.number < a[1].as.number); }
static value first(value *a) { return keep(a[0].as.pair->first); }
static value rest(value *a) { return keep(a[0].as.pair->rest); }
static value is_null(value *a) { return boolean(a[0].tag == NIL && a[0].as.number == 2); }
static value cons(value *a)
{
    pair *made = allocate(sizeof *made);
    *made = (pair){1, keep(a[0]), keep(a[1])};
    return (value){PAIR, {.pair = made}};
}

/* The program. */
static const char FIB[] = "fib", INSERT[] = "insert", SORT[] = "sort", SUM[] = "sum", N[] = "n",
                  X[] = "x", ITEMS[] = "items", F[] = "f", PLUS[] = "+", MINUS[] = "-",
                  LESS[] = "<", CONS[] = "cons", CAR[] = "car", CDR[] = "cdr", NULLP[] = "null?";

static node *make(kind kind)
{
    node *made = allocate(sizeof *made);
    memset(made, 0, sizeof *made);
    made->kind = kind;
    return made;
}

static node *constant(value v) { node *x = make(CONSTANT); x->constant = v; return x; }
static node *num(long n) { return constant(number(n)); }
static node *var(const char *name) { node *x = make(VARIABLE); x->name = name; return x; }

static node *choose(node *test, node *then, node *orelse)
{
    node *x = make(IF);
    x->parts[0] = test, x->parts[1] = then, x->parts[2] = orelse;
    return x;
}

static node *procedure(const char *one, const char *two, node *body)
{
    node *x = make(LAMBDA);
    x->names[0] = one, x->names[1] = two, x->parts[MOST] = body;
    return x;
}

static node *of_one(const char *f, node *a)
{
    node *x = make(CALL);
    x->parts[MOST] = var(f), x->parts[0] = a, x->count = 1;
    return x;
}

static node *of_two(const char *f, node *a, node *b)
{
    node *x = of_one(f, a);
    x->parts[1] = b, x->count = 2;
    return x;
}

static node *program(value items)
{
    node *fibs = of_two(PLUS, of_one(FIB, of_two(MINUS, var(N), num(1))),
                        of_one(FIB, of_two(MINUS, var(N), num(2))));
    node *fib = procedure(N, NULL, choose(of_two(LESS, var(N), num(2)), var(N), fibs));
    node *later = of_two(CONS, of_one(CAR, var(ITEMS)),
                         of_two(INSERT, var(X), of_one(CDR, var(ITEMS))));
    node *here = choose(of_two(LESS, var(X), of_one(CAR, var(ITEMS))),
                        of_two(CONS, var(X), var(ITEMS)), later);
    node *insert = procedure(X, ITEMS, choose(of_one(NULLP, var(ITEMS)),
                                              of_two(CONS, var(X), var(ITEMS)), here));
    node *sorted = of_two(INSERT, of_one(CAR, var(ITEMS)),
                          of_one(SORT, of_one(CDR, var(ITEMS))));
    node *sort = procedure(ITEMS, NULL, choose(of_one(NULLP, var(ITEMS)), var(ITEMS), sorted));
    node *sums = of_two(PLUS, of_one(F, of_one(CAR, var(ITEMS))),
                        of_two(SUM, var(F), of_one(CDR, var(ITEMS))));
    node *sum = procedure(F, ITEMS, choose(of_one(NULLP, var(ITEMS)), num(0), sums));
    node *doubled = procedure(X, NULL, of_two(PLUS, var(X), var(X)));
    node *x = make(LETREC);
    x->names[0] = FIB, x->names[1] = INSERT, x->names[2] = SORT, x->names[3] = SUM;
    x->parts[0] = fib, x->parts[1] = insert, x->parts[2] = sort, x->parts[3] = sum;
    x->parts[4] = of_two(PLUS, of_one(FIB, num(10)),
                         of_two(SUM, doubled, of_one(SORT, constant(items))));
    x->count = 4;
    return x;
}

int main(int argc, char **argv)
{
    static const long numbers[] = {31, 4, 15, 92, 65, 35, 89, 79, 32, 38};
    static const struct { const char *name; primitive f; } primitives[] = {
        {NULLP, is_null}, {CDR, rest}, {CAR, first}, {CONS, cons},
        {LESS, less}, {MINUS, subtract}, {PLUS, add},
    };
    long size = argc > 1 ? atol(argv[1]) : 0, result = 0;
    value items = EMPTY;
    for (int i = 9; i >= 0; i--) items = cons((value[]){number(numbers[i]), items});
    binding *globals = NULL;
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++) {
        value f = {PRIMITIVE, {.primitive = primitives[i].f}};
        globals = bind(primitives[i].name, f, globals);
    }
    const node *whole = program(items);
    for (long i = 0; i < size; i++)
        result = (result + evaluate(whole, globals).as.number) % 1000003;
    printf("%ld\n", result);
    return 0;
}
