/* hash.c - hash tables by equal?, by eqv?, or by an equivalence of the program, in the order of
 * insertion.
 *
 * Entries are in an array in the order of insertion; an index with open addressing finds them.  A
 * deleted entry stays in the array, without key or value, until the table is rebuilt.  A key is
 * hashed when it is inserted: one that is changed afterwards is not found any more.
 *
 * The library (stdlib/language/hash-keying.lisp) searches tables with their own equivalence,
 * because primitives cannot call procedures.  It passes the hash with each key, and it asks only
 * for keys that the table holds; they are compared by eqv?.
 */
#include "rt_internal.h"

#include <stdlib.h>

#define DELETED RT_UNBOUND   /* in place of a key */
#define KEYING RT_ABSENT     /* the key of entry 0 of a table BY_KEYING, whose value is the keying */
#define FIRST_INDEX 8
#define ROOM_TO_REBUILD 8    /* items, hashes and index together take at most that many items */
#define HASH_MODULUS UINT64_C(4294967291)   /* %hash-modulus of the library */
#define LOOSE_EQUALITY 7     /* %loose-equality of the library: equal?, while all keys are plain */
#define HASHED_ELEMENTS 64   /* of a key: a limit, so that a circular key has a hash, too */

/* items holds key, value, key, value ...; index holds the number of an entry plus 1, or 0.  The
 * first entry allocates the arrays. */
typedef enum {
    BY_EQUAL,
    BY_IDENTITY,   /* by eqv?: pairs, vectors, strings and bytevectors by identity */
    BY_KEYING      /* the same, with hashes that the library passes */
} comparison;

typedef struct table_object {
    rt_object object;
    comparison comparison;
    int equivalence;   /* the library's number of the one that the table was made with */
    size_t item_count, live, index_size;   /* index_size is a power of 2 */
    rt_value *items;
    uint64_t *hashes;
    uint32_t *index;
} table_object;

static table_object *table_of(rt_value v) { return (table_object *)rt_object_of(v); }
static size_t entry_count(const table_object *table) { return table->item_count / 2; }
static bool is_key(rt_value v) { return v != DELETED && v != KEYING; }
static size_t entry_room(const table_object *table) { return table->index_size * 2 / 3; }

/* For memory.c: the values that it owns, and how many are still to be released. */
rt_value *rt_table_items(rt_object *object, size_t *count) {
    *count = ((table_object *)object)->item_count;
    return ((table_object *)object)->items;
}

void rt_set_table_items(rt_object *object, size_t count) {
    ((table_object *)object)->item_count = count;
}

void rt_clear_table(rt_object *object) {
    table_object *table = (table_object *)object;
    free(table->items);
    free(table->hashes);
    free(table->index);
}

size_t rt_table_size(rt_value table) { return table_of(table)->live; }

const rt_value *rt_table_entry(rt_value table, size_t index) {
    const rt_value *at = table_of(table)->items;
    for (;; at += 2)
        if (is_key(at[0]) && index-- == 0) return at;
}

/* ---- Hashes -------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Fewer bytes than a word has, as one: two parts of half a word overlap, or three of a byte. */
static uint64_t short_word(const unsigned char *bytes, size_t size) {
    uint32_t first, last;
    if (size == 0) return 0;
    if (size < sizeof first) return bytes[0] | bytes[size / 2] << 8 | bytes[size - 1] << 16;
    memcpy(&first, bytes, sizeof first);
    memcpy(&last, bytes + size - sizeof last, sizeof last);
    return (uint64_t)first << 32 | last;
}

static uint64_t hash_bytes(const unsigned char *bytes, size_t size) {
    uint64_t hash = size, word;
    for (; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = mix(hash, word);
    }
    return mix(hash, short_word(bytes, size));
}

static uint64_t hash_integer(const __mpz_struct *number) {
    size_t limbs = (size_t)abs(number->_mp_size);
    uint64_t hash = (uint64_t)number->_mp_size;
    for (size_t i = 0; i < limbs; i++) hash = mix(hash, number->_mp_d[i]);
    return hash;
}

static uint64_t hash_double(double number) {
    uint64_t bits = 0;   /* of every nan */
    if (number == number) memcpy(&bits, &number, sizeof bits);
    return mix(1, bits);
}

static uint64_t hash_string(const rt_string_object *string) {
    return hash_bytes(string->data, string->length * string->object.extra);
}

static uint64_t hash_element(rt_value v, int *budget);

static uint64_t hash_object(rt_value v, int *budget) {
    if (rt_is_doubles(v)) rt_tag_doubles(rt_doubles_of(v));
    uint64_t hash = rt_object_of(v)->kind;
    switch ((rt_kind)rt_object_of(v)->kind) {
    case RT_PAIR:
        hash = mix(hash, hash_element(rt_pair_of(v)->car, budget));
        return mix(hash, hash_element(rt_pair_of(v)->cdr, budget));
    case RT_VECTOR:
        for (size_t i = 0; i < rt_vector_of(v)->length && *budget > 0; i++)
            hash = mix(hash, hash_element(rt_vector_of(v)->items[i], budget));
        return hash;
    case RT_STRING: return hash_string(rt_string_of(v));
    case RT_BYTES: return mix(hash, hash_bytes(rt_bytes_of(v)->data, rt_bytes_of(v)->length));
    case RT_DOUBLE: return hash_double(rt_double(v));
    case RT_INTEGER: return hash_integer(&((rt_integer_object *)rt_object_of(v))->number);
    case RT_RATIO: {
        const __mpq_struct *number = &((rt_ratio_object *)rt_object_of(v))->number;
        return mix(hash_integer(&number->_mp_num), hash_integer(&number->_mp_den));
    }
    default: return mix(hash, v);
    }
}

static uint64_t hash_element(rt_value v, int *budget) {
    if (--*budget < 0 || rt_is_tensor(v)) return 0;
    return rt_is_object(v) ? hash_object(v, budget) : mix(0, v);
}

/* Whether eqv? distinguishes it from another value that is equal? to it. */
static bool has_identity(rt_value v) {
    return rt_is_pair(v) || rt_is_vector(v) || rt_is_kind(v, RT_STRING) ||
           rt_is_kind(v, RT_BYTES);
}

/* A tensor as a key is compared by identity; inside data it is compared by its elements. */
static uint64_t hash_key(const table_object *table, rt_value key) {
    if (rt_is_fixnum(key) || rt_is_tensor(key)) return mix(0, key);
    if (table->comparison == BY_IDENTITY && has_identity(key)) return mix(0, key);
    if (rt_is_string(key)) return hash_string(rt_string_of(key));
    int budget = HASHED_ELEMENTS;
    return hash_element(key, &budget);
}

/* ---- Finding entries ----------------------------------------------------- */

static int same_key(const table_object *table, rt_value a, rt_value b, bool *result) {
    *result = a == b;
    bool plain = !rt_is_object(a) || !rt_is_object(b) ||
                 (table->comparison != BY_EQUAL && has_identity(a));
    if (!*result && !plain && rt_is_string(a) && rt_is_string(b)) {
        *result = rt_same_string(rt_string_of(a), rt_string_of(b));
        return 0;
    }
    return *result || plain ? 0 : rt_equal(a, b, result);
}

#define NONE SIZE_MAX

/* The entry of a key, or NONE.  Fails where a comparison fails. */
static int find(const table_object *table, rt_value key, uint64_t hash, size_t *entry) {
    *entry = NONE;
    if (table->index_size == 0) return 0;
    size_t mask = table->index_size - 1;
    for (size_t at = (size_t)hash & mask; table->index[at] != 0; at = (at + 1) & mask) {
        size_t candidate = table->index[at] - 1;
        bool same = false;
        if (table->hashes[candidate] != hash) continue;
        if (same_key(table, table->items[2 * candidate], key, &same) != 0) return 1;
        if (same) {
            *entry = candidate;
            return 0;
        }
    }
    return 0;
}

/* ---- Changing ------------------------------------------------------------ */

static void enter(table_object *table, size_t entry) {
    size_t mask = table->index_size - 1, at = (size_t)table->hashes[entry] & mask;
    while (table->index[at] != 0) at = (at + 1) & mask;
    table->index[at] = (uint32_t)(entry + 1);
}

/* Rebuild the table without deleted entries, and with room for more. */
static int rebuild(const char *who, table_object *table) {
    size_t kept = 0;
    if (!rt_has_memory(ROOM_TO_REBUILD * table->live * sizeof *table->items))
        return rt_status(rt_fail_room(who, table->live + 1, "keys"));
    for (size_t i = 0; i < entry_count(table); i++) {
        if (table->items[2 * i] == DELETED) continue;
        table->items[2 * kept] = table->items[2 * i];
        table->items[2 * kept + 1] = table->items[2 * i + 1];
        table->hashes[kept++] = table->hashes[i];
    }
    table->item_count = 2 * kept;
    if (table->index_size == 0) table->index_size = FIRST_INDEX;
    while (entry_room(table) < 2 * kept + 1) table->index_size *= 2;
    table->items = rt_realloc(table->items, 2 * entry_room(table) * sizeof *table->items);
    table->hashes = rt_realloc(table->hashes, entry_room(table) * sizeof *table->hashes);
    table->index = rt_realloc(table->index, table->index_size * sizeof *table->index);
    memset(table->index, 0, table->index_size * sizeof *table->index);
    for (size_t i = 0; i < kept; i++) enter(table, i);
    return 0;
}

/* Key and value are moved in. */
static int add(const char *who, table_object *table, rt_value key, rt_value value, uint64_t hash) {
    if (entry_count(table) == entry_room(table) && rebuild(who, table) != 0) {
        rt_free(key);
        rt_free(value);
        return 1;
    }
    size_t entry = entry_count(table);
    table->items[2 * entry] = key;
    table->items[2 * entry + 1] = value;
    table->hashes[entry] = hash;
    table->item_count += 2;
    table->live++;
    enter(table, entry);
    return 0;
}

static void replace(rt_value *slot, rt_value value) {
    rt_value old = *slot;
    *slot = value;
    rt_free(old);
}

/* ---- The primitives ------------------------------------------------------ */

#define NOUN "a hash table"

static rt_value new_table(comparison by) {
    table_object *table = rt_allocate(RT_HASH_TABLE, sizeof *table);
    table->comparison = by;
    table->equivalence = 0;
    table->item_count = table->live = table->index_size = 0;
    table->items = NULL;
    table->hashes = NULL;
    table->index = NULL;
    return rt_of_object(table);
}

rt_value rt_make_hash_table(void) { return new_table(BY_EQUAL); }
rt_value rt_make_identity_table(void) { return new_table(BY_IDENTITY); }

int rt_note_equivalence(rt_value table, rt_value number) {
    RT_CHECK_STATUS(rt_is_hash_table(table), "%note-equivalence!", NOUN, table);
    table_of(table)->equivalence = (int)rt_fixnum(number);
    return 0;
}

rt_value rt_noted_equivalence(rt_value table) {
    RT_CHECK(rt_is_hash_table(table), "hash-table-equivalence-function", NOUN, table);
    return rt_of_fixnum(table_of(table)->equivalence);
}

int rt_is_identity_table(rt_value table, bool *result) {
    RT_CHECK_STATUS(rt_is_hash_table(table), "hash-table-equivalence-function", NOUN, table);
    *result = table_of(table)->comparison == BY_IDENTITY;
    return 0;
}

bool rt_is_hash_table(rt_value x) { return rt_is_kind(x, RT_HASH_TABLE); }

/* Whether all equalities agree on it. */
static bool is_plain(rt_value key) {
    return rt_is_fixnum(key) || rt_is_string(key) || rt_is_symbol(key) || rt_is_char(key) ||
           rt_is_kind(key, RT_INTEGER);
}

/* Whether a table compares the key by equal? or eqv?. */
bool rt_is_searchable(rt_value table, rt_value key) {
    return rt_is_hash_table(table) && table_of(table)->comparison != BY_KEYING &&
           (table_of(table)->equivalence != LOOSE_EQUALITY || is_plain(key));
}

/* The same; if not, an error. */
static bool check_searchable(const char *who, rt_value table, rt_value key) {
    if (RT_LIKELY(rt_is_searchable(table, key))) return true;
    if (!rt_is_hash_table(table)) return rt_status(rt_fail_wrong_type(who, NOUN, table)) == 0;
    rt_text message = {NULL, 0, 0}, hint = {NULL, 0, 0};
    rt_text_format(&message, "%s: expected a hash table by equal? or eqv?, got ", who);
    rt_describe(&message, table);
    rt_text_string(&hint, "hash-table-ref, hash-table-set! and the other procedures of SRFI 69 "
                          "take all tables");
    rt_fail_text(&message, &hint);
    return false;
}

static rt_value value_at(rt_value table, size_t entry) {
    return rt_dup(table_of(table)->items[2 * entry + 1]);
}

rt_value rt_hash_ref(rt_value table, rt_value key, rt_value otherwise) {
    if (!check_searchable("hash-ref", table, key)) return RT_ERROR;
    size_t entry;
    if (find(table_of(table), key, hash_key(table_of(table), key), &entry) != 0) return RT_ERROR;
    if (entry != NONE) return value_at(table, entry);
    if (otherwise != RT_ABSENT) return rt_dup(otherwise);
    rt_text message = {NULL, 0, 0};
    rt_text_string(&message, "hash-ref: no such key: ");
    rt_describe(&message, key);
    return rt_fail_text(&message, NULL);
}

/* Key and value are moved in. */
static int put(const char *who, table_object *table, rt_value key, rt_value value, uint64_t hash) {
    size_t entry = NONE;
    rt_before_store(rt_of_object(table), key);
    rt_before_store(rt_of_object(table), value);
    int failed = find(table, key, hash, &entry);
    if (failed == 0 && entry == NONE) return add(who, table, key, value, hash);
    rt_free(key);
    if (failed == 0) replace(&table->items[2 * entry + 1], value);
    else rt_free(value);
    return failed;
}

int rt_hash_set(rt_value table, rt_value key, rt_value value) {
    if (check_searchable("hash-set!", table, key))
        return put("hash-set!", table_of(table), key, value, hash_key(table_of(table), key));
    rt_free(key);
    rt_free(value);
    return 1;
}

static int delete_key(table_object *table, rt_value key, uint64_t hash) {
    size_t entry;
    if (find(table, key, hash, &entry) != 0) return 1;
    if (entry == NONE) return 0;
    table->live--;
    rt_value *items = table->items + 2 * entry, old_key = items[0], old_value = items[1];
    items[0] = DELETED;
    items[1] = DELETED;
    rt_free(old_key);
    rt_free(old_value);
    return 0;
}

int rt_hash_delete(rt_value table, rt_value key) {
    if (!check_searchable("hash-delete!", table, key)) return 1;
    return delete_key(table_of(table), key, hash_key(table_of(table), key));
}

int rt_hash_has_key(rt_value table, rt_value key, bool *result) {
    if (!check_searchable("hash-has-key?", table, key)) return 1;
    size_t entry;
    if (find(table_of(table), key, hash_key(table_of(table), key), &entry) != 0) return 1;
    *result = entry != NONE;
    return 0;
}

int rt_hash_size(rt_value table, int64_t *result) {
    RT_CHECK_STATUS(rt_is_hash_table(table), "hash-size", NOUN, table);
    *result = (int64_t)table_of(table)->live;
    return 0;
}

/* ---- Tables with their own equivalence ------------------------------------- */

/* The keying is moved in. */
static int set_keying(table_object *table, rt_value keying) {
    if (add("make-hash-table", table, KEYING, keying, 0) != 0) return 1;
    table->live--;
    return 0;
}

rt_value rt_make_keyed_table(rt_value keying) {
    rt_value table = new_table(BY_KEYING);
    if (set_keying(table_of(table), rt_dup(keying)) == 0) return table;
    rt_free(table);
    return RT_ERROR;
}

int rt_set_keying(rt_value table, rt_value keying) {
    RT_CHECK_STATUS(rt_is_hash_table(table), "%set-keying!", NOUN, table);
    table_of(table)->comparison = BY_KEYING;
    rt_before_store(table, keying);
    return set_keying(table_of(table), rt_dup(keying));
}

/* A polynomial of the code points: both back ends have the same hashes. */
int rt_hash_text(rt_value text, int64_t *result) {
    RT_CHECK_STATUS(rt_is_string(text), "hash", "a string", text);
    uint64_t hash = 0;
    for (size_t i = 0; i < rt_string_of(text)->length; i++)
        hash = (31 * hash + rt_string_at(rt_string_of(text), i) + 7) % HASH_MODULUS;
    *result = (int64_t)hash;
    return 0;
}

rt_value rt_table_keying(rt_value table) {
    if (!rt_is_hash_table(table) || table_of(table)->comparison != BY_KEYING) return RT_FALSE;
    return value_at(table, 0);
}

static uint64_t given_hash(rt_value hash) { return mix(0, hash); }

rt_value rt_keys_of_hash(rt_value table, rt_value hash) {
    const table_object *object = table_of(table);
    rt_value list = RT_NIL, *end = &list;
    size_t mask = object->index_size - 1, at = (size_t)given_hash(hash) & mask;
    for (; object->index[at] != 0; at = (at + 1) & mask) {
        size_t entry = object->index[at] - 1;
        rt_value key = object->items[2 * entry];
        if (object->hashes[entry] != given_hash(hash) || !is_key(key)) continue;
        *end = rt_cons(rt_dup(key), RT_NIL);
        end = &rt_pair_of(*end)->cdr;
    }
    return list;
}

rt_value rt_keyed_ref(rt_value table, rt_value hash, rt_value key, rt_value otherwise) {
    size_t entry;
    if (find(table_of(table), key, given_hash(hash), &entry) != 0) return RT_ERROR;
    return entry == NONE ? rt_dup(otherwise) : value_at(table, entry);
}

int rt_keyed_set(rt_value table, rt_value hash, rt_value key, rt_value value) {
    return put("hash-table-set!", table_of(table), key, value, given_hash(hash));
}

int rt_keyed_delete(rt_value table, rt_value hash, rt_value key) {
    return delete_key(table_of(table), key, given_hash(hash));
}

/* ---- All entries of a table ----------------------------------------------- */

/* What a list has for an entry: key, value, or a pair of both. */
typedef rt_value entry_projection(const rt_value *items);

static rt_value key_of_entry(const rt_value *items) { return rt_dup(items[0]); }
static rt_value value_of_entry(const rt_value *items) { return rt_dup(items[1]); }
static rt_value pair_of_entry(const rt_value *items) {
    return rt_cons(rt_dup(items[0]), rt_dup(items[1]));
}

static rt_value list_of(const char *who, rt_value table, entry_projection *project) {
    RT_CHECK(rt_is_hash_table(table), who, NOUN, table);
    const table_object *object = table_of(table);
    rt_value list = RT_NIL;
    if (!rt_has_pairs(2 * object->live)) return rt_fail_room(who, object->live, "elements");
    for (size_t i = entry_count(object); i > 0; i--)
        if (is_key(object->items[2 * i - 2]))
            list = rt_cons(project(object->items + 2 * i - 2), list);
    return list;
}

rt_value rt_hash_keys(rt_value table) { return list_of("hash-keys", table, key_of_entry); }
rt_value rt_hash_values(rt_value table) { return list_of("hash-values", table, value_of_entry); }
rt_value rt_hash_to_list(rt_value table) { return list_of("hash->list", table, pair_of_entry); }

/* The table is empty before anything is released, because a release may take long. */
int rt_hash_clear(rt_value table) {
    RT_CHECK_STATUS(rt_is_hash_table(table), "hash-clear!", NOUN, table);
    table_object *object = table_of(table), old = *object;
    rt_value keying = rt_table_keying(table);
    object->item_count = object->live = object->index_size = 0;
    object->items = NULL;
    object->hashes = NULL;
    object->index = NULL;
    int status = old.comparison == BY_KEYING ? set_keying(object, keying) : 0;
    rt_free_all(old.item_count, old.items);
    rt_clear_table(&old.object);
    return status;
}

/* ---- Sets: many keys at once ----------------------------------------------- */

rt_value rt_add_keys(rt_value table, rt_value keys, rt_value value) {
    for (; rt_is_pair(keys); keys = rt_pair_of(keys)->cdr) {
        rt_value key = rt_pair_of(keys)->car;
        if (!rt_is_searchable(table, key)) break;
        uint64_t hash = hash_key(table_of(table), key);
        if (put("hash-table-set!", table_of(table), rt_dup(key), rt_dup(value), hash) != 0 ||
            rt_poll() != 0)
            return RT_ERROR;
    }
    return rt_dup(keys);
}

/* Whether both compare keys in the same way, without procedures of the library. */
static bool are_alike(rt_value table, rt_value other) {
    const table_object *a = table_of(table), *b = table_of(other);
    return a->comparison == b->comparison && a->equivalence == b->equivalence &&
           a->comparison != BY_KEYING;
}

static int add_entry(table_object *table, const table_object *from, size_t entry) {
    rt_value key = rt_dup(from->items[2 * entry]), value = rt_dup(from->items[2 * entry + 1]);
    rt_before_store(rt_of_object(table), key);
    rt_before_store(rt_of_object(table), value);
    return add("hash-table-set!", table, key, value, from->hashes[entry]);
}

int rt_unite_tables(rt_value table, rt_value other, bool *result) {
    *result = are_alike(table, other);
    if (!*result || table == other) return 0;
    const table_object *from = table_of(other);
    for (size_t i = 0; i < entry_count(from); i++) {
        size_t entry;
        if (from->items[2 * i] == DELETED) continue;
        if (find(table_of(table), from->items[2 * i], from->hashes[i], &entry) != 0) return 1;
        if (entry == NONE && add_entry(table_of(table), from, i) != 0) return 1;
        if (rt_poll() != 0) return 1;
    }
    return 0;
}

static int select_keys(table_object *result, const table_object *from, const table_object *other,
                       bool kept) {
    for (size_t i = 0; i < entry_count(from); i++) {
        size_t entry;
        if (from->items[2 * i] == DELETED) continue;
        if (find(other, from->items[2 * i], from->hashes[i], &entry) != 0) return 1;
        if ((entry != NONE) == kept && add_entry(result, from, i) != 0) return 1;
        if (rt_poll() != 0) return 1;
    }
    return 0;
}

rt_value rt_selected_keys(rt_value table, rt_value other, rt_value kept) {
    if (!are_alike(table, other)) return RT_FALSE;
    rt_value result = new_table(table_of(table)->comparison);
    table_of(result)->equivalence = table_of(table)->equivalence;
    if (select_keys(table_of(result), table_of(table), table_of(other), kept != RT_FALSE) == 0)
        return result;
    rt_free(result);
    return RT_ERROR;
}

/* A copy of a table without deleted entries. */
static rt_value copy_whole(const table_object *table) {
    rt_value result = new_table(table->comparison);
    table_object *copy = table_of(result);
    copy->equivalence = table->equivalence;
    if (table->index_size == 0) return result;
    size_t room = entry_room(table);
    copy->items = rt_realloc(NULL, 2 * room * sizeof *copy->items);
    copy->hashes = rt_realloc(NULL, room * sizeof *copy->hashes);
    copy->index = rt_realloc(NULL, table->index_size * sizeof *copy->index);
    memcpy(copy->hashes, table->hashes, entry_count(table) * sizeof *copy->hashes);
    memcpy(copy->index, table->index, table->index_size * sizeof *copy->index);
    for (size_t i = 0; i < table->item_count; i++) copy->items[i] = rt_dup(table->items[i]);
    copy->item_count = table->item_count;
    copy->index_size = table->index_size;
    copy->live = table->live;
    return result;
}

rt_value rt_hash_copy(rt_value table) {
    RT_CHECK(rt_is_hash_table(table), "hash-copy", NOUN, table);
    const table_object *object = table_of(table);
    if (!rt_has_memory(ROOM_TO_REBUILD * object->live * sizeof *object->items))
        return rt_fail_room("hash-copy", object->live, "keys");
    if (entry_count(object) == object->live + (object->comparison == BY_KEYING))
        return copy_whole(object);
    rt_value copy = new_table(object->comparison);
    for (size_t i = 0; i < entry_count(object); i++)
        if (object->items[2 * i] != DELETED &&
            add("hash-copy", table_of(copy), rt_dup(object->items[2 * i]),
                rt_dup(object->items[2 * i + 1]), object->hashes[i]) != 0) {
            rt_free(copy);
            return RT_ERROR;
        }
    table_of(copy)->equivalence = object->equivalence;
    table_of(copy)->live = object->live;   /* the keying has been counted, too */
    return copy;
}
