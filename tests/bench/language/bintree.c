/* Nodes that come and go: complete binary trees of depth 12, made, counted, dropped. */
#include <stdio.h>
#include <stdlib.h>

typedef struct tree { struct tree *left, *right; } tree;

static tree *grow(int depth)
{
    if (depth == 0) return NULL;
    tree *made = malloc(sizeof *made);
    made->left = grow(depth - 1);
    made->right = grow(depth - 1);
    return made;
}

static long count_nodes(const tree *at)
{
    return at ? 1 + count_nodes(at->left) + count_nodes(at->right) : 0;
}

static void release(tree *at)
{
    if (!at) return;
    release(at->left);
    release(at->right);
    free(at);
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0, sum = 0;
    for (long i = 0; i < size; i++) {
        tree *made = grow(12);
        sum += count_nodes(made);
        release(made);
    }
    printf("%ld\n", sum);
    return 0;
}
