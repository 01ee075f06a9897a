/* Strings: split into words, capitalize and join them, count letters, rotate, compare. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 32

static const char text[] =
    "the quick brown fox jumps over the lazy dog and then the dog sleeps for now";

static char *copy_of(const char *start, size_t size)
{
    char *copy = malloc(size + 1);
    memcpy(copy, start, size);
    copy[size] = '\0';
    return copy;
}

static size_t split(const char *from, char **words)
{
    size_t count = 0;
    for (;;) {
        size_t size = strcspn(from, " ");
        words[count++] = copy_of(from, size);
        if (from[size] == '\0') return count;
        from += size + 1;
    }
}

static long count_vowels(const char *at)
{
    long count = 0;
    for (; *at; at++) count += strchr("aeiou", *at) != NULL;
    return count;
}

static char *title_of(char **words, size_t count)
{
    char *title = malloc(sizeof text), *at = title;
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(words[i]);
        if (i > 0) *at++ = ' ';
        memcpy(at, words[i], size);
        *at = (char)toupper((unsigned char)*at);
        at += size;
    }
    *at = '\0';
    return title;
}

static char *rotated(const char *from)
{
    size_t size = strlen(from);
    char *result = copy_of(from, size);
    for (size_t i = 0; i < size; i++)
        if (from[i] != ' ') result[i] = (char)('a' + (13 + from[i] - 'a') % 26);
    return result;
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 0, sum = 0;
    for (long i = 0; i < size; i++) {
        char *words[MOST_WORDS];
        size_t count = split(text, words), found = 0;
        char *title = title_of(words, count), *once = rotated(text), *twice = rotated(once);
        sum += count_vowels(title);
        while (found < count && strcmp(words[found], "dog") != 0) found++;
        sum += (long)(count - found) + (strcmp(twice, text) == 0) + (strcmp(title, text) < 0);
        for (size_t w = 0; w < count; w++) free(words[w]);
        free(title);
        free(once);
        free(twice);
    }
    printf("%ld\n", sum);
    return 0;
}
