/* symbol.c - symbols and keywords: one immortal object for each name, so that eq? is identity. */
#include "rt_internal.h"

#include <stdlib.h>

#define FIRST_TABLE_SIZE 256   /* a power of two */

/* Open addressing; at most half full.  Symbols and keywords have a table each. */
typedef struct table {
    rt_symbol_object **slots;
    size_t size, used;
} table;

static table symbols, keywords;

/* FNV-1a. */
static uint64_t hash_of(const char *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return hash;
}

static rt_symbol_object **slot_for(const table *t, uint64_t hash, const char *text, size_t size) {
    size_t i = hash & (t->size - 1);
    while (t->slots[i] != NULL) {
        rt_symbol_object *found = t->slots[i];
        if (found->hash == hash && found->size == size && memcmp(found->text, text, size) == 0)
            break;
        i = (i + 1) & (t->size - 1);
    }
    return &t->slots[i];
}

static void grow(table *t) {
    table larger = {NULL, t->size ? 2 * t->size : FIRST_TABLE_SIZE, t->used};
    larger.slots = rt_malloc(larger.size * sizeof *larger.slots);
    for (size_t i = 0; i < larger.size; i++) larger.slots[i] = NULL;
    for (size_t i = 0; i < t->size; i++) {
        rt_symbol_object *symbol = t->slots[i];
        if (symbol != NULL)
            *slot_for(&larger, symbol->hash, symbol->text, symbol->size) = symbol;
    }
    free(t->slots);
    *t = larger;
}

static rt_symbol_object *new_symbol(rt_kind kind, uint64_t hash, const char *text, size_t size) {
    rt_symbol_object *symbol = rt_allocate(kind, sizeof *symbol + size + 1);
    symbol->hash = hash;
    symbol->size = size;
    memcpy(symbol->text, text, size);
    symbol->text[size] = '\0';
    return symbol;
}

static rt_value intern(table *t, rt_kind kind, const char *text, size_t size) {
    if (2 * (t->used + 1) > t->size) grow(t);
    uint64_t hash = hash_of(text, size);
    rt_symbol_object **slot = slot_for(t, hash, text, size);
    if (*slot == NULL) {
        *slot = new_symbol(kind, hash, text, size);
        rt_make_immortal(rt_of_object(*slot));
        t->used++;
    }
    return rt_of_object(*slot);
}

rt_value rt_intern(const char *utf8) { return intern(&symbols, RT_SYMBOL, utf8, strlen(utf8)); }

rt_value rt_intern_keyword(const char *utf8) {
    return intern(&keywords, RT_KEYWORD, utf8, strlen(utf8));
}

/* ---- Primitives ---------------------------------------------------------- */

rt_value rt_symbol_to_string(rt_value symbol) {
    RT_CHECK(rt_is_symbol(symbol), "symbol->string", "a symbol", symbol);
    return rt_string_of_utf8(rt_symbol_of(symbol)->text, rt_symbol_of(symbol)->size);
}

rt_value rt_string_to_symbol(rt_value text) {
    RT_CHECK(rt_is_string(text), "string->symbol", "a string", text);
    rt_text name = {NULL, 0, 0};
    rt_text_add(&name, "", 0);
    rt_text_lisp_string(&name, text);
    rt_value symbol = intern(&symbols, RT_SYMBOL, name.bytes, name.size);
    rt_text_free(&name);
    return symbol;
}

/* A symbol that is in no table, and so equal to no other. */
rt_value rt_gensym(void) {
    static unsigned long long last;
    rt_text name = {NULL, 0, 0};
    rt_text_format(&name, "g%llu", ++last);
    rt_symbol_object *symbol = new_symbol(RT_SYMBOL, 0, name.bytes, name.size);
    rt_text_free(&name);
    return rt_of_object(symbol);
}
