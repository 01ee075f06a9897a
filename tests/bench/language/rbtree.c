/* A set as a red-black tree that is never changed: each insertion makes the path to its key anew.
 * Nobody keeps the versions before, so the nodes of the old path are given back on the way. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct node { struct node *left, *right; long key; bool red; } node;

static node *new_node(bool red, node *left, long key, node *right)
{
    node *made = malloc(sizeof *made);
    *made = (node){left, right, key, red};
    return made;
}

/* What a node holds; the node itself is given back. */
static node take(node *tree)
{
    node held = *tree;
    free(tree);
    return held;
}

static bool is_red(const node *tree) { return tree && tree->red; }

static node *three(node *a, long x, node *b, long y, node *c, long z, node *d)
{
    return new_node(true, new_node(false, a, x, b), y, new_node(false, c, z, d));
}

/* A black node whose left, or right, side may have become red twice. */
static node *balance_left(node *left, long key, node *right)
{
    if (is_red(left) && is_red(left->left)) {
        node l = take(left), ll = take(l.left);
        return three(ll.left, ll.key, ll.right, l.key, l.right, key, right);
    }
    if (is_red(left) && is_red(left->right)) {
        node l = take(left), lr = take(l.right);
        return three(l.left, l.key, lr.left, lr.key, lr.right, key, right);
    }
    return new_node(false, left, key, right);
}

static node *balance_right(node *left, long key, node *right)
{
    if (is_red(right) && is_red(right->left)) {
        node r = take(right), rl = take(r.left);
        return three(left, key, rl.left, rl.key, rl.right, r.key, r.right);
    }
    if (is_red(right) && is_red(right->right)) {
        node r = take(right), rr = take(r.right);
        return three(left, key, r.left, r.key, rr.left, rr.key, rr.right);
    }
    return new_node(false, left, key, right);
}

static node *insert_below(node *tree, long new)
{
    if (!tree) return new_node(true, NULL, new, NULL);
    if (new == tree->key) return tree;
    node t = take(tree);
    if (new < t.key) {
        node *left = insert_below(t.left, new);
        return t.red ? new_node(true, left, t.key, t.right) : balance_left(left, t.key, t.right);
    }
    node *right = insert_below(t.right, new);
    return t.red ? new_node(true, t.left, t.key, right) : balance_right(t.left, t.key, right);
}

static node *insert(node *tree, long new)
{
    node *made = insert_below(tree, new);
    if (!made->red) return made;
    node m = take(made);
    return new_node(false, m.left, m.key, m.right);
}

static long checksum(const node *tree, long sum)
{
    if (!tree) return sum;
    return checksum(tree->right, (3 * checksum(tree->left, sum) + tree->key) % 1000003);
}

static void release(node *tree)
{
    if (!tree) return;
    release(tree->left);
    release(tree->right);
    free(tree);
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0, seed = 42;
    node *tree = NULL;
    for (long i = 0; i < size; i++) {
        seed = seed * 16807 % 2147483647;
        tree = insert(tree, seed);
    }
    printf("%ld\n", checksum(tree, 0));
    release(tree);
    return 0;
}
