/* symbol.c - symbols and keywords: one immortal object for each name, so that eq? is identity. */
#include "rt_internal.h"

#include <stdlib.h>

#define FIRST_TABLE_SIZE 256   /* a power of two */

/* Open addressing; at most half full.  There is one table for symbols and one for keywords. */
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
    symbol->name = 0;
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

rt_value rt_intern_sized(const char *utf8, size_t size) {
    return intern(&symbols, RT_SYMBOL, utf8, size);
}

rt_value rt_intern_keyword_sized(const char *utf8, size_t size) {
    return intern(&keywords, RT_KEYWORD, utf8, size);
}

bool rt_is_named(rt_value symbol, const char *name) {
    const rt_symbol_object *object = rt_symbol_of(symbol);
    return object->size == strlen(name) && memcmp(object->text, name, object->size) == 0;
}

void rt_text_symbol(rt_text *text, rt_value symbol) {
    rt_text_add(text, rt_symbol_of(symbol)->text, rt_symbol_of(symbol)->size);
}

/* ---- Primitives ---------------------------------------------------------- */

/* The symbol or keyword named by a string. */
static rt_value intern_string(table *t, rt_kind kind, rt_value text) {
    const rt_string_object *string = rt_string_of(text);
    if (string->object.extra == 1)
        return intern(t, kind, (const char *)string->data, string->length);
    rt_text name = {NULL, 0, 0};
    rt_text_lisp_string(&name, text);
    rt_value symbol = intern(t, kind, name.size ? name.bytes : "", name.size);
    rt_text_free(&name);
    return symbol;
}

/* Strings never change, so a symbol in the table has one for its name. */
static rt_value name_of(rt_value symbol) {
    rt_symbol_object *object = rt_symbol_of(symbol);
    if (object->name != 0) return object->name;
    rt_value name = rt_string_of_utf8(object->text, object->size);
    if (name != RT_ERROR && object->object.count >= RT_IMMORTAL)
        object->name = rt_make_immortal(name);
    return name;
}

rt_value rt_symbol_to_string(rt_value symbol) {
    RT_CHECK(rt_is_symbol(symbol), "symbol->string", "a symbol", symbol);
    return name_of(symbol);
}

rt_value rt_string_to_symbol(rt_value text) {
    RT_CHECK(rt_is_string(text), "string->symbol", "a string", text);
    return intern_string(&symbols, RT_SYMBOL, text);
}

rt_value rt_keyword_to_string(rt_value keyword) {
    RT_CHECK(rt_is_keyword(keyword), "keyword->string", "a keyword", keyword);
    return name_of(keyword);
}

rt_value rt_string_to_keyword(rt_value text) {
    RT_CHECK(rt_is_string(text), "string->keyword", "a string", text);
    return intern_string(&keywords, RT_KEYWORD, text);
}

rt_value rt_keyword_to_symbol(rt_value keyword) {
    RT_CHECK(rt_is_keyword(keyword), "keyword->symbol", "a keyword", keyword);
    return intern(&symbols, RT_SYMBOL, rt_symbol_of(keyword)->text, rt_symbol_of(keyword)->size);
}

rt_value rt_symbol_to_keyword(rt_value symbol) {
    RT_CHECK(rt_is_symbol(symbol), "symbol->keyword", "a symbol", symbol);
    return intern(&keywords, RT_KEYWORD, rt_symbol_of(symbol)->text, rt_symbol_of(symbol)->size);
}

rt_value rt_symbol_append(size_t count, const rt_value *items) {
    rt_text name = {NULL, 0, 0};
    for (size_t i = 0; i < count; i++) {
        if (!rt_is_symbol(items[i])) {
            rt_text_free(&name);
            return rt_fail_wrong_type("symbol-append", "a symbol", items[i]);
        }
        rt_text_add(&name, rt_symbol_of(items[i])->text, rt_symbol_of(items[i])->size);
    }
    rt_value symbol = intern(&symbols, RT_SYMBOL, name.size ? name.bytes : "", name.size);
    rt_text_free(&name);
    return symbol;
}

int rt_symbol_equal(rt_value a, rt_value b, bool *result) {
    RT_CHECK_STATUS(rt_is_symbol(a), "symbol=?", "a symbol", a);
    RT_CHECK_STATUS(rt_is_symbol(b), "symbol=?", "a symbol", b);
    *result = a == b;
    return 0;
}

/* UTF-8 sorts in the order of code points. */
int rt_symbol_less(rt_value a, rt_value b, bool *result) {
    RT_CHECK_STATUS(rt_is_symbol(a), "symbol<?", "a symbol", a);
    RT_CHECK_STATUS(rt_is_symbol(b), "symbol<?", "a symbol", b);
    const rt_symbol_object *x = rt_symbol_of(a), *y = rt_symbol_of(b);
    int order = memcmp(x->text, y->text, x->size < y->size ? x->size : y->size);
    *result = order < 0 || (order == 0 && x->size < y->size);
    return 0;
}

/* A symbol that is not in the table, and so differs from all others. */
rt_value rt_string_to_uninterned_symbol(rt_value text) {
    RT_CHECK(rt_is_string(text), "string->uninterned-symbol", "a string", text);
    rt_text name = {NULL, 0, 0};
    rt_text_lisp_string(&name, text);
    const char *bytes = name.size ? name.bytes : "";
    rt_symbol_object *symbol =
        new_symbol(RT_SYMBOL, hash_of(bytes, name.size), bytes, name.size);
    rt_text_free(&name);
    return rt_of_object(symbol);
}
