/* Strings: a hash table with chains that counts words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 16384
#define LONGEST 32

typedef struct entry {
    struct entry *next;
    long count;
    char key[];
} entry;

static entry *table[BUCKETS];

static size_t hash(const char *text)
{
    long h = 5381;
    for (; *text; text++) h = (h * 33 + (unsigned char)*text) % 1000000007;
    return (size_t)(h % BUCKETS);
}

static entry *find(const char *key, entry *chain)
{
    while (chain && strcmp(key, chain->key) != 0) chain = chain->next;
    return chain;
}

static void count_word(const char *key)
{
    size_t place = hash(key);
    entry *found = find(key, table[place]);
    if (found) {
        found->count++;
        return;
    }
    entry *added = malloc(sizeof *added + strlen(key) + 1);
    strcpy(added->key, key);
    added->count = 1;
    added->next = table[place];
    table[place] = added;
}

static const char *word(long i, char *room)
{
    snprintf(room, LONGEST, "word-%ld", i * 7919 % 50021);
    return room;
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0, sum = 0;
    char room[LONGEST];
    for (long i = 0; i < size; i++) count_word(word(i, room));
    for (long i = 0; i < 1000; i++) {
        const char *key = word(i, room);
        sum = (sum * 31 + find(key, table[hash(key)])->count) % 1000003;
    }
    printf("%ld\n", sum);
    for (size_t place = 0; place < BUCKETS; place++) {
        for (entry *at = table[place], *next; at; at = next) {
            next = at->next;
            free(at);
        }
    }
    return 0;
}
