/* A set as a red-black tree.  Insertion goes down by recursion and mends the tree on its way back
 * up by relinking its nodes. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct node { struct node *left, *right; long key; bool red; } node;

static bool is_red(const node *tree) { return tree && tree->red; }

/* A black node `middle` over two black ones becomes red over them. */
static node *join(node *low, node *middle, node *high)
{
    low->red = high->red = false;
    middle->red = true;
    middle->left = low;
    middle->right = high;
    return middle;
}

/* A black node whose left, or right, side may have become red twice. */
static node *balance_left(node *tree)
{
    node *l = tree->left;
    if (!is_red(l)) return tree;
    if (is_red(l->left)) {
        tree->left = l->right;
        return join(l->left, l, tree);
    }
    if (is_red(l->right)) {
        node *lr = l->right;
        l->right = lr->left;
        tree->left = lr->right;
        return join(l, lr, tree);
    }
    return tree;
}

static node *balance_right(node *tree)
{
    node *r = tree->right;
    if (!is_red(r)) return tree;
    if (is_red(r->left)) {
        node *rl = r->left;
        tree->right = rl->left;
        r->left = rl->right;
        return join(tree, rl, r);
    }
    if (is_red(r->right)) {
        tree->right = r->left;
        return join(tree, r, r->right);
    }
    return tree;
}

static node *insert_below(node *tree, long key)
{
    if (!tree) {
        node *made = malloc(sizeof *made);
        *made = (node){NULL, NULL, key, true};
        return made;
    }
    if (key < tree->key) {
        tree->left = insert_below(tree->left, key);
        return tree->red ? tree : balance_left(tree);
    }
    if (key > tree->key) {
        tree->right = insert_below(tree->right, key);
        return tree->red ? tree : balance_right(tree);
    }
    return tree;
}

static node *insert(node *tree, long key)
{
    tree = insert_below(tree, key);
    tree->red = false;
    return tree;
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
