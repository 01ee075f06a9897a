/* rt.h - the base of compiled Lambent programs: values, ownership, errors, calls.  C99, no
 * LibTorch.  The primitives themselves are declared in rt_primitives.h.
 *
 * A value is one word.  Its low bits say what it is:
 *
 *     ...xxx1   a fixnum: an exact integer of 63 bits, shifted left by one
 *     ...x000   a pointer to a counted object that begins with an rt_object
 *     ...x100   a pointer into a tensor's handle (a ct_tensor), to its count
 *     ...s010   a double of sign s and usual size, without an object: see rt_of_double
 *     ...x110   an immediate: #t, #f, (), a character, the unspecified value ...
 *
 * Ownership in one sentence: borrowed in, owned out.  A function neither frees nor keeps its
 * arguments, and what it returns belongs to the receiver.  The exceptions are written at the
 * function: an argument "moved in" is consumed, also when the function fails.
 *
 * Failure: a function that returns an rt_value returns RT_ERROR; any other fallible function
 * returns an int status, 0 for success, and writes its result through its last parameter, which it
 * leaves alone when it fails.  The error waits in the runtime until a handler takes it or the
 * program ends; each frame that it leaves adds its location with rt_at:
 *
 *     x = rt_car(p);
 *     if (rt_failed(&x)) { rt_at(&location_7); goto cleanup_2; }
 *     if (rt_failed_status(rt_length(p, &n))) { rt_at(&location_8); goto cleanup_2; }
 */
#ifndef RT_H
#define RT_H

#if defined __SIZEOF_POINTER__ && __SIZEOF_POINTER__ != 8
#error "Lambent needs a 64-bit processor, and this compiler makes code for one with other pointers"
#endif
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Lambent needs a little-endian processor, and this compiler makes code for a big-endian one"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __GNUC__
/* Code of a shared library then needs no table of addresses. */
#pragma GCC visibility push(hidden)
/* A program may well compare a variable with itself: (< i i). */
#pragma GCC diagnostic ignored "-Wtautological-compare"
#define RT_LIKELY(test) __builtin_expect(!!(test), 1)
#define RT_UNLIKELY(test) __builtin_expect(!!(test), 0)
#define RT_COLD __attribute__((cold, noinline))
/* Of an object that several files define alike: one of them is the program's. */
#define RT_ONE_OF_MANY __attribute__((weak))
#ifndef __clang__
/* Before a loop over an array literal: its elements then stay in registers. */
#define RT_UNROLL _Pragma("GCC unroll 16")
#endif
#define RT_PRINTF(text, first) __attribute__((__format__(__printf__, text, first), nonnull(text)))
#else
#define RT_LIKELY(test) (test)
#define RT_UNLIKELY(test) (test)
#define RT_COLD
#define RT_PRINTF(text, first)
#endif
#ifndef RT_UNROLL
#define RT_UNROLL
#endif

/* ---- Values -------------------------------------------------------------- */

typedef uint64_t rt_value;

#define RT_ERROR ((rt_value)0)       /* not a value: the function failed */
#define RT_IMMEDIATE(n) ((rt_value)(n) << 8 | 6)
#define RT_FALSE RT_IMMEDIATE(0)
#define RT_TRUE RT_IMMEDIATE(1)
#define RT_NIL RT_IMMEDIATE(2)
#define RT_UNSPECIFIED RT_IMMEDIATE(3)
#define RT_ABSENT RT_IMMEDIATE(4)    /* a keyword argument that the call left out */
#define RT_UNBOUND RT_IMMEDIATE(5)   /* a top-level variable that has no value yet */
#define RT_TAIL RT_IMMEDIATE(6)      /* not a value: the trampoline has a call to make */
#define RT_EOF RT_IMMEDIATE(7)
#define RT_UNBOXED RT_IMMEDIATE(8)   /* not a value: an rt_number holds a double */
#define RT_CHAR(code) ((rt_value)(uint32_t)(code) << 8 | 0x86)

/* Subtracted from the bits of a double, it lowers the exponent by 384. */
#define RT_DOUBLE_SHIFT ((uint64_t)384 << 52)
#define RT_ZERO ((rt_value)2)        /* 0.0 */

#define RT_FIXNUM_MAX (INT64_MAX >> 1)
#define RT_FIXNUM_MIN (INT64_MIN >> 1)

/* Objects that hold values come first. */
typedef enum {
    RT_PAIR, RT_VALUES, RT_TWO_VALUES, RT_CLOSURE, RT_CELL, RT_RECORD_TYPE, RT_RECORD,
    RT_CONDITION, RT_CAUGHT, RT_HASH_TABLE, RT_VECTOR,
    RT_DOUBLES, RT_DOUBLE, RT_INTEGER, RT_RATIO, RT_STRING, RT_SYMBOL, RT_KEYWORD, RT_PORT,
    RT_BYTES, RT_FOREIGN
} rt_kind;
#define RT_LAST_HOLDER RT_VECTOR

/* What every counted object begins with.  A count from RT_IMMORTAL on never changes: constants,
 * and objects whose count has overflowed.  block is the memory's size in words, 0 if malloc gave
 * it, and two flags of the collector; extra counts the values that follow, except where the kind
 * says otherwise. */
typedef struct rt_object {
    uint32_t count;
    uint8_t kind, block;
    uint16_t extra;
} rt_object;

#define RT_IMMORTAL 0x80000000u
#define RT_TENSOR_TAG 4   /* and where in a handle its count is: see rt_is_counted */

/* The cdr stands first because the release of an object follows its first field last: a list is
 * freed from its front while it is walked. */
typedef struct rt_pair { rt_object object; rt_value cdr, car; } rt_pair;
/* A double that no word holds: -0.0, an infinity, a nan, very large or very small. */
typedef struct rt_double_box { rt_object object; double number; } rt_double_box;
typedef struct rt_cell { rt_object object; rt_value value; } rt_cell;
/* A vector, or any number of values other than one or two (RT_VALUES). */
typedef struct rt_vector_object { rt_object object; size_t length; rt_value items[]; }
    rt_vector_object;
/* A vector (RT_DOUBLES) that holds doubles only, without tags and boxes.  It is made where all
 * elements are doubles, and becomes an RT_VECTOR in its place when something else is stored: see
 * rt_tag_doubles. */
typedef struct rt_doubles_object { rt_object object; size_t length; double items[]; }
    rt_doubles_object;

/* length counts characters.  extra is how many bytes each takes in data: 1 if all are ASCII, else
 * 4.  One-byte text has a NUL after it. */
typedef struct rt_string_object { rt_object object; size_t length; unsigned char data[]; }
    rt_string_object;

typedef struct rt_bytes_object { rt_object object; size_t length; unsigned char data[]; }
    rt_bytes_object;

/* A symbol or a keyword (without its colon).  The text is UTF-8; name is the same as a string, or 0
 * as long as nobody has asked for it. */
typedef struct rt_symbol_object {
    rt_object object;
    uint64_t hash;
    rt_value name;
    size_t size;
    char text[];
} rt_symbol_object;

/* fields holds the names of the fields in a vector; #f: records print without their fields.  The
 * last names may be #f: those fields are not printed.  call is the procedure that a call of a record
 * runs, with the record before the arguments; #f: records are not applicable.  roles is #f, or the
 * vector that makes records modules (stdlib/nn/modules.lisp): the role of each named field.  parent
 * is the type that it extends, or #f; its fields are the first of this type's. */
typedef struct rt_record_type_object { rt_object object; rt_value name, fields, call, roles, parent; }
    rt_record_type_object;
typedef struct rt_record_object { rt_object object; rt_value type, fields[]; } rt_record_object;

/* An object that another library allocates and counts, and the functions that the runtime needs for
 * it.  The value owns one reference to the object. */
typedef struct rt_foreign_kind {
    void (*free)(void *thing);
    const char *(*text)(void *thing);   /* how it prints; borrowed */
} rt_foreign_kind;
typedef struct rt_foreign_object {
    rt_object object;
    const rt_foreign_kind *kind;
    void *thing;
} rt_foreign_object;

struct ct_tensor;

static inline bool rt_is_fixnum(rt_value v) { return (v & 1) != 0; }
static inline bool rt_is_object(rt_value v) { return (v & 7) == 0; }
#ifdef RT_WITHOUT_TENSORS   /* a program without tensors needs no test */
static inline bool rt_is_tensor(rt_value v) { (void)v; return false; }
#else
static inline bool rt_is_tensor(rt_value v) { return (v & 7) == RT_TENSOR_TAG; }
#endif
/* Whether it is an object or a tensor.  A word of either points to its count, so both are counted
 * by the same instructions. */
#ifdef RT_WITHOUT_TENSORS
static inline bool rt_is_counted(rt_value v) { return rt_is_object(v); }
#else
static inline bool rt_is_counted(rt_value v) { return (v & 3) == 0; }
#endif
static inline bool rt_is_boolean(rt_value v) { return v == RT_TRUE || v == RT_FALSE; }
static inline bool rt_is_char(rt_value v) { return (v & 0xff) == 0x86; }
static inline bool rt_is_null(rt_value v) { return v == RT_NIL; }

static inline rt_object *rt_object_of(rt_value v) { return (rt_object *)(uintptr_t)v; }
static inline rt_value rt_of_object(const void *object) { return (rt_value)(uintptr_t)object; }
static inline bool rt_is_kind(rt_value v, rt_kind kind) {
    return rt_is_object(v) && rt_object_of(v)->kind == kind;
}
static inline bool rt_is_pair(rt_value v) { return rt_is_kind(v, RT_PAIR); }
static inline bool rt_is_tagged_double(rt_value v) { return (v & 7) == 2; }
static inline bool rt_is_double(rt_value v) {
    return RT_LIKELY(rt_is_tagged_double(v)) || rt_is_kind(v, RT_DOUBLE);
}
static inline bool rt_is_string(rt_value v) { return rt_is_kind(v, RT_STRING); }
static inline bool rt_is_symbol(rt_value v) { return rt_is_kind(v, RT_SYMBOL); }
static inline bool rt_is_keyword(rt_value v) { return rt_is_kind(v, RT_KEYWORD); }
static inline bool rt_is_vector(rt_value v) {
    return rt_is_object(v) &&
           (uint8_t)(rt_object_of(v)->kind - RT_VECTOR) <= RT_DOUBLES - RT_VECTOR;
}
static inline bool rt_is_plain_vector(rt_value v) { return rt_is_kind(v, RT_VECTOR); }
static inline bool rt_is_doubles(rt_value v) { return rt_is_kind(v, RT_DOUBLES); }
static inline bool rt_is_bytes(rt_value v) { return rt_is_kind(v, RT_BYTES); }
static inline bool rt_is_procedure(rt_value v) { return rt_is_kind(v, RT_CLOSURE); }
static inline bool rt_is_values(rt_value v) {
    return rt_is_kind(v, RT_VALUES) || rt_is_kind(v, RT_TWO_VALUES);
}
static inline bool rt_is_port(rt_value v) { return rt_is_kind(v, RT_PORT); }
static inline bool rt_is_condition(rt_value v) { return rt_is_kind(v, RT_CONDITION); }
static inline bool rt_is_foreign(rt_value v) { return rt_is_kind(v, RT_FOREIGN); }
static inline bool rt_is_caught(rt_value v) { return rt_is_kind(v, RT_CAUGHT); }

/* The contents of a value whose type is known.  Unchecked. */
static inline int64_t rt_fixnum(rt_value v) { return (int64_t)v >> 1; }
/* What rt_of_double has done, undone. */
static inline double rt_tagged_double(rt_value v) {
    uint64_t bits = v == RT_ZERO ? 0 : (v >> 4 | v << 60) + RT_DOUBLE_SHIFT;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
static inline double rt_double(rt_value v) {
    if (RT_LIKELY(rt_is_tagged_double(v))) return rt_tagged_double(v);
    return ((rt_double_box *)(uintptr_t)v)->number;
}
static inline bool rt_boolean(rt_value v) { return v == RT_TRUE; }
static inline uint32_t rt_char_code(rt_value v) { return (uint32_t)(v >> 8); }
static inline rt_pair *rt_pair_of(rt_value v) { return (rt_pair *)(uintptr_t)v; }
static inline rt_doubles_object *rt_doubles_of(rt_value v) {
    return (rt_doubles_object *)(uintptr_t)v;
}
/* Of any vector. */
static inline size_t rt_vector_size(rt_value v) { return rt_doubles_of(v)->length; }
/* Of what is known to be no RT_DOUBLES. */
static inline rt_vector_object *rt_plain_vector_of(rt_value v) {
    return (rt_vector_object *)(uintptr_t)v;
}
/* Make a vector of doubles a plain one, whose elements are values.  No program can notice it. */
void rt_tag_doubles(rt_doubles_object *vector);
/* A vector or multiple values; a vector of doubles becomes a plain one. */
static inline rt_vector_object *rt_vector_of(rt_value v) {
    if (RT_UNLIKELY(rt_object_of(v)->kind == RT_DOUBLES)) rt_tag_doubles(rt_doubles_of(v));
    return rt_plain_vector_of(v);
}
static inline rt_string_object *rt_string_of(rt_value v) {
    return (rt_string_object *)(uintptr_t)v;
}
static inline rt_record_type_object *rt_record_type_of(rt_value v) {
    return (rt_record_type_object *)(uintptr_t)v;
}
static inline rt_record_object *rt_record_of(rt_value v) {
    return (rt_record_object *)(uintptr_t)v;
}
/* The procedure that a call of an applicable record runs, borrowed; RT_FALSE for other values. */
static inline rt_value rt_call_procedure(rt_value v) {
    if (!rt_is_kind(v, RT_RECORD)) return RT_FALSE;
    return rt_record_type_of(rt_record_of(v)->type)->call;
}
/* A procedure, or an applicable record. */
static inline bool rt_is_applicable(rt_value v) {
    return rt_is_procedure(v) || rt_call_procedure(v) != RT_FALSE;
}
static inline bool rt_is_module(rt_value v) {
    return rt_is_kind(v, RT_RECORD) && rt_record_type_of(rt_record_of(v)->type)->roles != RT_FALSE;
}
static inline rt_bytes_object *rt_bytes_of(rt_value v) { return (rt_bytes_object *)(uintptr_t)v; }
static inline rt_foreign_object *rt_foreign_of(rt_value v) {
    return (rt_foreign_object *)(uintptr_t)v;
}
static inline rt_symbol_object *rt_symbol_of(rt_value v) {
    return (rt_symbol_object *)(uintptr_t)v;
}
/* The handle in a value that is a tensor; the value keeps its reference.  And back: the reference
 * moves into the value.  Both cost nothing. */
static inline struct ct_tensor *rt_tensor(rt_value v) {
    return (struct ct_tensor *)(uintptr_t)(v & ~(rt_value)7);
}
static inline rt_value rt_of_tensor(struct ct_tensor *handle) {
    return (rt_value)(uintptr_t)handle | RT_TENSOR_TAG;
}
static inline rt_value rt_of_boolean(bool b) { return b ? RT_TRUE : RT_FALSE; }
/* n must be in the range of a fixnum; rt_of_int64 takes any. */
static inline rt_value rt_of_fixnum(int64_t n) { return (rt_value)n << 1 | 1; }

/* ---- Tensors, through hooks ---------------------------------------------- */

/* Text under construction, UTF-8; bytes may move when it grows.  {NULL, 0, 0} is empty.
 *
 * Text may hold a NUL.  In a C string, such as a name or a line of the source in emitted code, the
 * bytes C0 80 stand for it, which are not valid UTF-8.  Functions that take a C string
 * (rt_text_string, and all that format) turn them back into a NUL. */
typedef struct rt_text { char *bytes; size_t size, room; } rt_text;

/* Make room for size more bytes and a NUL; false if there is no memory for a large text.  Then the
 * text is lost: nothing more is added to it, and the program fails at its next poll. */
bool rt_text_reserve(rt_text *text, size_t size);
static inline bool rt_text_is_lost(const rt_text *text) { return text->room == SIZE_MAX; }
void rt_text_add(rt_text *text, const char *bytes, size_t size);
void rt_text_string(rt_text *text, const char *string);
void rt_text_format(rt_text *text, const char *format, ...) RT_PRINTF(2, 3);
void rt_text_char(rt_text *text, uint32_t code);
void rt_text_free(rt_text *text);

/* What the runtime needs to do with tensors.  who is the procedure that messages name; arguments
 * are borrowed, results owned; a function that fails has called one of the rt_fail functions. */
typedef struct rt_tensor_hooks {
    /* Called once, in the first thread.  False if tensors are not available; it has printed the
     * reason to stderr. */
    bool (*load)(void);
    /* Called once, in the program's thread, before it runs. */
    void (*start)(void);
    void (*free)(struct ct_tensor *tensor);
    /* Append the text that display or write prints. */
    int (*show)(rt_text *text, struct ct_tensor *tensor, bool write);
    /* The tensor of nested vectors of numbers and booleans, or an appended description of what is
     * wrong with them. */
    int (*make)(rt_value data, struct ct_tensor **result, rt_text *problem);
    /* Append its description in messages: "a tensor float32 (2 3)".  It cannot fail. */
    void (*describe)(rt_text *text, struct ct_tensor *tensor);
    int64_t (*count)(struct ct_tensor *tensor);       /* of its elements */
    const char *(*dtype)(struct ct_tensor *tensor);   /* its name, borrowed */
    int (*truth)(struct ct_tensor *tensor, bool *result);
    int (*equal)(struct ct_tensor *a, struct ct_tensor *b, bool *result);
    /* The one element as a number, for comparisons by `who`; several are an error. */
    rt_value (*item)(const char *who, struct ct_tensor *tensor);
    /* `(who arguments ...)` where who is a generic procedure such as + or exp, each argument is a
     * number or a tensor, and at least one is a tensor. */
    rt_value (*arithmetic)(const char *who, size_t count, const rt_value *arguments);
    size_t (*live)(void);
    int64_t (*live_bytes)(void);                      /* of all tensors */
    /* Call reached, once and in any thread, when there are more: ct_watch_live_bytes. */
    void (*watch_live_bytes)(int64_t limit, void (*reached)(void));
    /* Begin the requested reports; profile is the name of a file, or NULL. */
    int (*start_reports)(bool memory, const char *profile);
    /* Their text, from malloc, or NULL. */
    char *(*finish_reports)(void);
    /* Exchange the peak of a period, and return how many blocks were allocated so far, and how many
     * bytes: ct_exchange_window. */
    int64_t (*exchange_window)(int64_t least, int64_t *allocations, int64_t *bytes);
} rt_tensor_hooks;

/* NULL in a program without tensors. */
extern const rt_tensor_hooks *rt_tensors;

/* ---- Memory -------------------------------------------------------------- */

void *rt_malloc(size_t size);   /* does not fail: where memory runs out, the next poll does */

#define RT_BLOCK_LIMIT 33   /* words; larger objects come from malloc */

extern rt_object *rt_free_blocks[RT_BLOCK_LIMIT];
size_t rt_live_objects(void);   /* constants do not count */

rt_object *rt_refill(size_t words);           /* its `block` is set */
void rt_release(rt_object *object);           /* its last reference, or that of a tensor, is gone */

static inline rt_object **rt_next_block(rt_object *block) { return (rt_object **)(block + 1); }

/* Take the first of a list of free blocks. */
static inline void *rt_take_block(rt_object **blocks) {
    rt_object *block = *blocks;
    *blocks = *rt_next_block(block);
    return block;
}

/* Give the memory of an object back.  block has the size in words, and flags; where it is anything
 * else than the size of a block, the object is from malloc, or the collector knows it. */
RT_COLD void rt_give_back_specially(rt_object *object);
static inline void rt_give_back(rt_object *object) {
    if (RT_UNLIKELY((uint8_t)(object->block - 1) >= RT_BLOCK_LIMIT - 1)) {
        rt_give_back_specially(object);
    } else {
        *rt_next_block(object) = rt_free_blocks[object->block];
        rt_free_blocks[object->block] = object;
    }
}

/* A new object of count 1, its fields and extra not set. */
static inline void *rt_allocate_plain(rt_kind kind, size_t size) {
    size_t words = (size + 7) / 8;
    rt_object *object = RT_LIKELY(words < RT_BLOCK_LIMIT) ? rt_free_blocks[words] : NULL;
    if (RT_LIKELY(object != NULL)) rt_free_blocks[words] = *rt_next_block(object);
    else object = rt_refill(words);
    object->count = 1;
    object->kind = (uint8_t)kind;
    return object;
}
/* The same, with extra set to 0. */
static inline void *rt_allocate(rt_kind kind, size_t size) {
    rt_object *object = rt_allocate_plain(kind, size);
    object->extra = 0;
    return object;
}

/* Another reference, owned, to the same object. */
static inline rt_value rt_dup(rt_value v) {
    if (rt_is_counted(v)) {
        rt_object *object = rt_object_of(v);
        if (RT_LIKELY(object->count < RT_IMMORTAL)) object->count++;
    }
    return v;
}

/* Give a reference back. */
static inline void rt_free(rt_value v) {
    if (rt_is_counted(v)) {
        rt_object *object = rt_object_of(v);
        int32_t count = (int32_t)object->count;   /* one test for all that just loses a reference */
        if (count > 1) object->count = (uint32_t)count - 1;
        else if (RT_LIKELY(count == 1)) rt_release(object);
    }
}
/* The number of a double, which is consumed. */
static inline double rt_take_double(rt_value v) {
    if (RT_LIKELY(rt_is_tagged_double(v))) return rt_tagged_double(v);
    double number = rt_double(v);
    rt_free(v);
    return number;
}

/* The same where it happens at most once, as after a failure: a call takes less code. */
RT_COLD void rt_free_cold(rt_value v);
void rt_free_all(size_t count, const rt_value *items);

/* A word holds 0.0, and doubles from 2^-127 to 2^129 of either sign.  Their exponent, stored with an
 * offset of 1023, is between 896 and 1151; lowered by 384, it is between 512 and 767, and begins
 * with the bits 010.  Turned left by four, the word ends in the sign and these bits.  The word that
 * would be that of 2^-127 is 0.0, because zeros are frequent.
 *
 * rt_word_of_double is RT_ERROR for a double that no word holds; rt_box_double makes an object. */
static inline rt_value rt_word_of_double(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    rt_value word = (bits - RT_DOUBLE_SHIFT) << 4 | (bits - RT_DOUBLE_SHIFT) >> 60;
    if (RT_LIKELY(rt_is_tagged_double(word)) && RT_LIKELY(word != RT_ZERO)) return word;
    return bits == 0 ? RT_ZERO : RT_ERROR;
}
rt_value rt_box_double(double number);
static inline rt_value rt_of_double(double number) {
    rt_value word = rt_word_of_double(number);
    return RT_LIKELY(word != RT_ERROR) ? word : rt_box_double(number);
}

/* Both are moved in.  A pair does not need extra. */
#define RT_PAIR_WORDS (sizeof(rt_pair) / 8)
static inline rt_value rt_cons(rt_value car, rt_value cdr) {
    rt_pair *pair = rt_allocate_plain(RT_PAIR, sizeof *pair);
    pair->car = car;
    pair->cdr = cdr;
    return rt_of_object(pair);
}

/* Two values, which are moved in.  They have the layout of a pair, so that one function frees both:
 * the first stands where a pair has its cdr. */
static inline rt_value rt_two_values(rt_value first, rt_value second) {
    rt_pair *values = rt_allocate_plain(RT_TWO_VALUES, sizeof *values);
    values->object.extra = 2;
    values->cdr = first;
    values->car = second;
    return rt_of_object(values);
}

/* Free a pair, or two values, but keep its car or its cdr or both: they belong to the caller from
 * here on. */
static inline void rt_free_keeping(rt_value v, bool car, bool cdr) {
    rt_pair *pair = (rt_pair *)rt_object_of(v);
    uint32_t count = pair->object.count;
    if (count == 1) {
        if (!car) rt_free(pair->car);
        if (!cdr) rt_free(pair->cdr);
        if (RT_LIKELY(pair->object.block == RT_PAIR_WORDS)) {
            *rt_next_block(&pair->object) = rt_free_blocks[RT_PAIR_WORDS];
            rt_free_blocks[RT_PAIR_WORDS] = &pair->object;
        } else {
            rt_give_back_specially(&pair->object);
        }
        return;
    }
    if (car) rt_dup(pair->car);
    if (cdr) rt_dup(pair->cdr);
    if (RT_LIKELY(count < RT_IMMORTAL)) pair->object.count = count - 1;
}

/* Free a vector or a record, but keep the fields whose bits are set in kept: they are `names`,
 * which belong to the caller from here on.
 *
 * Most such objects are of the size that the code expects, so that their last field is kept, and
 * their other fields are not counted: then the block is free without a call. */
void rt_release_others(rt_object *object, size_t count, const rt_value *fields, uint64_t kept);
static inline size_t rt_last_bit(uint64_t bits) {
#ifdef __GNUC__
    return 63 - (size_t)__builtin_clzll(bits);
#else
    size_t last = 0;
    while (bits >>= 1) last++;
    return last;
#endif
}
static inline bool rt_others_are_plain(size_t count, const rt_value *fields, uint64_t kept) {
    if (count != rt_last_bit(kept) + 1) return false;
    RT_UNROLL
    for (size_t i = 0; i < rt_last_bit(kept); i++)
        if (!(kept >> i & 1) && rt_is_counted(fields[i])) return false;
    return true;
}
static inline void rt_lose_reference(rt_object *object, size_t count, const rt_value *names) {
    RT_UNROLL
    for (size_t i = 0; i < count; i++) rt_dup(names[i]);
    if (RT_LIKELY(object->count < RT_IMMORTAL)) object->count--;
}
static inline void rt_free_vector_keeping(
    rt_value v, uint64_t kept, size_t count, const rt_value *names
) {
    if (RT_UNLIKELY(rt_is_doubles(v))) {   /* names holds words without counts */
        rt_free_cold(v);
        return;
    }
    rt_vector_object *vector = rt_plain_vector_of(v);
    if (vector->object.count != 1)
        rt_lose_reference(&vector->object, count, names);
    else if (RT_LIKELY(rt_others_are_plain(vector->length, vector->items, kept)))
        rt_give_back(&vector->object);
    else
        rt_release_others(&vector->object, vector->length, vector->items, kept);
}
static inline void rt_free_record_keeping(
    rt_value v, uint64_t kept, size_t count, const rt_value *names
) {
    rt_record_object *record = rt_record_of(v);
    size_t values = record->object.extra;   /* the type is the first of them */
    if (record->object.count != 1) {
        rt_lose_reference(&record->object, count, names);
    } else if (RT_LIKELY(rt_others_are_plain(values - 1, record->fields, kept))) {
        rt_free(record->type);
        rt_give_back(&record->object);
    } else {
        rt_release_others(&record->object, values, &record->type, kept << 1);
    }
}

/* ---- Cycles -------------------------------------------------------------- */

/* Only a store into an object that exists already can close a cycle.  So what stores a value calls
 * rt_before_store first, and the collector (memory/collect.c) examines the objects that it was told
 * of.  It may run in this call: both values must be owned by somebody, as arguments are. */
#define RT_CANDIDATE 0x80u   /* in `block`: the collector knows the object */
void rt_add_candidate(rt_object *holder);
void rt_note_store(rt_object *holder, rt_object *value);   /* the same, if it may close a cycle */

static inline bool rt_holds_values(rt_value v) {
    return rt_is_object(v) && rt_object_of(v)->kind <= RT_LAST_HOLDER;
}
/* Whether the collector must hear of a store. */
static inline bool rt_closes_cycles(rt_value holder, rt_value value) {
    return rt_is_object(value) && RT_UNLIKELY(!(rt_object_of(holder)->block & RT_CANDIDATE)) &&
           rt_object_of(value)->kind <= RT_LAST_HOLDER;
}
static inline void rt_before_store(rt_value holder, rt_value value) {
    if (rt_closes_cycles(holder, value)) rt_note_store(rt_object_of(holder), rt_object_of(value));
}

/* What the collector has done: collections; objects visited, and freed; tensors freed; seconds of
 * the longest collection that the program did not ask for. */
typedef struct rt_collections {
    size_t count, visited, objects, tensors;
    double longest;
} rt_collections;
extern rt_collections rt_collected;

/* Cells hold variables that are both captured and assigned.  value is moved in. */
rt_value rt_new_cell(rt_value value);
static inline rt_value rt_cell_get(rt_value cell) {
    return rt_dup(((rt_cell *)rt_object_of(cell))->value);
}
static inline void rt_cell_set(rt_value cell, rt_value value) {
    rt_before_store(cell, value);
    rt_cell *object = (rt_cell *)rt_object_of(cell);
    rt_value old = object->value;
    object->value = value;
    rt_free(old);
}

/* ---- Errors -------------------------------------------------------------- */

/* A location in the source, as an error shows it.  in is the procedure that contains it ("lambda"
 * for an anonymous one), NULL at the top level; text is its full line; width is how many of its
 * characters are on that line; one_line says whether all of them are; library says whether it is in
 * the library, whose frames traces leave out; expansion has the lines about the macros that it
 * comes from, each after a line end, or NULL. */
typedef struct rt_location {
    const char *file;
    int line, column, width;
    bool one_line, library;
    const char *text;
    const char *in;
    const char *expansion;
} rt_location;

/* The waiting error leaves a frame at this location.  The first call sets the error's own
 * location. */
RT_COLD void rt_at(const rt_location *location);
/* The same for a tail call, which has no frame: its location counts only if the error has none
 * yet. */
RT_COLD void rt_at_tail(const rt_location *location);

/* What an entry point of the library's returns.  Its procedures leave no frame, so an error of a
 * tail call is at the call that waits for the result, not at the tail call (rt_at_tail). */
RT_COLD rt_value rt_fail_at_caller(void);
static inline rt_value rt_of_library(rt_value result) {
    return RT_UNLIKELY(result == RT_ERROR) ? rt_fail_at_caller() : result;
}

/* For reports: the location of the last operation that may create tensors.  NULL before the
 * first. */
extern const rt_location *rt_here;

/* All of these record an error and return RT_ERROR.  rt_status converts that to a status. */
RT_COLD rt_value rt_fail(const char *format, ...) RT_PRINTF(1, 2);
RT_COLD rt_value rt_fail_hint(const char *message, const char *hint);   /* hint may be NULL */
/* `who: expected noun, got value`; value is borrowed. */
RT_COLD rt_value rt_fail_wrong_type(const char *who, const char *noun, rt_value value);
/* `who: index k is out of range for length n` */
RT_COLD rt_value rt_fail_index(const char *who, rt_value index, size_t length);
RT_COLD void rt_fail_element(const char *who, int64_t k, size_t length);   /* k is not an index */
/* `who: division by zero` */
RT_COLD rt_value rt_fail_division(const char *who);
/* `unbound variable: name`, with a hint or NULL. */
RT_COLD rt_value rt_fail_unbound(const char *name, const char *hint);
/* `not enough memory`.  It has no location, because which of many small allocations fails is
 * chance. */
RT_COLD rt_value rt_fail_memory(void);
/* Say that the error just recorded satisfies file-error? or read-error?. */
typedef enum { RT_OTHER_ERROR, RT_FILE_ERROR, RT_READ_ERROR } rt_error_category;
RT_COLD rt_value rt_categorize_error(rt_error_category category);
static inline int rt_status(rt_value v) { return v == RT_ERROR; }

/* Whether an operation failed.  Compiled with -DRT_INJECT, the LAMBENT_FAIL_AT-th test returns
 * true: the operation's result is released and the error is `injected failure`.  For a status
 * function whose result must be released, the caller asks rt_inject and releases it. */
#ifdef RT_INJECT
bool rt_inject(void);   /* whether to fail now; if so, it has recorded the error */
static inline bool rt_failed(rt_value *value) {
    if (*value == RT_ERROR) return true;
    if (!rt_inject()) return false;
    rt_free(*value);
    *value = RT_ERROR;
    return true;
}
static inline bool rt_failed_status(int status) { return status != 0 || rt_inject(); }
#else
static inline bool rt_inject(void) { return false; }
static inline bool rt_failed(rt_value *value) { return RT_UNLIKELY(*value == RT_ERROR); }
static inline bool rt_failed_status(int status) { return RT_UNLIKELY(status != 0); }
#endif

/* ---- Stack and interrupts ------------------------------------------------ */

/* Below this address the stack is too deep.  Ctrl-C sets it to the highest address, so that one
 * comparison at a function's entry notices both. */
extern volatile uintptr_t rt_stack_limit;
RT_COLD int rt_enter_slow(void);

static inline uintptr_t rt_stack_here(void) {
#if defined __GNUC__ && defined __x86_64__
    uintptr_t here;   /* no function needs a frame pointer for this */
    __asm__("mov %%rsp, %0" : "=r"(here));
    return here;
#elif defined __GNUC__
    return (uintptr_t)__builtin_frame_address(0);
#else
    char here;
    return (uintptr_t)(void *)&here;
#endif
}

/* At the entry of a function that may be recursive: fails if the recursion is too deep or the user
 * has pressed Ctrl-C.  The error's location is the caller's. */
static inline int rt_enter(void) {
    return RT_UNLIKELY(rt_stack_here() < rt_stack_limit) ? rt_enter_slow() : 0;
}
/* The same in code that must restore something: Ctrl-C waits for its end. */
RT_COLD int rt_enter_steady_slow(void);
static inline int rt_enter_steady(void) {
    return RT_UNLIKELY(rt_stack_here() < rt_stack_limit) ? rt_enter_steady_slow() : 0;
}
/* At each iteration of a loop: fails if the user has pressed Ctrl-C. */
static inline int rt_poll(void) {
    return RT_UNLIKELY(rt_stack_limit == UINTPTR_MAX) ? rt_enter_slow() : 0;
}
/* The same where nothing can fail: leaves the process at once, with the output flushed. */
RT_COLD void rt_leave_if_interrupted(void);
static inline void rt_poll_or_leave(void) {
    if (RT_UNLIKELY(rt_stack_limit == UINTPTR_MAX)) rt_leave_if_interrupted();
}
/* For long calls outside of the runtime: whether there was a Ctrl-C, and a poll for that alone. */
extern volatile int rt_interrupted;
RT_COLD int rt_poll_interrupt(void);

/* ---- Procedures ---------------------------------------------------------- */

/* A procedure's code: captures are borrowed (the closure owns them), arguments are moved in, one
 * for each parameter: positional ones, keyword ones, and the rest list if there is one.  An
 * argument that the call left out is RT_ABSENT.  The code reads the arguments before it calls
 * anything, because the array is reused; primitives are excepted.  It may return RT_TAIL. */
typedef rt_value rt_entry(const rt_value *captures, const rt_value *arguments);
/* The same for a call that consumes the closure: its captures are moved if it dies. */
typedef rt_value rt_last_entry(rt_value closure, const rt_value *arguments);

/* A parameter that a call may name; index counts parameters from 0. */
typedef struct rt_keyword { const char *name; int index; } rt_keyword;

/* What closures of one lambda, or of one primitive, have in common. */
typedef struct rt_function {
    const char *name;              /* NULL if anonymous */
    const char *usage;             /* "(f x [:dim] rest ...)", for hints */
    rt_entry *entry;
    int required, optional;        /* positional parameters; optional ones may be RT_ABSENT */
    int parameters;                /* all of them, with keyword ones and the rest list */
    int keyword_count;
    const rt_keyword *keywords;
    bool has_rest;
    bool at_once;                  /* a tail call of it needs no trampoline: a primitive */
    rt_last_entry *last_entry;     /* NULL: the code needs no captures of its own */
    rt_entry *general;             /* for calls of other counts than `exact` says; NULL: entry */
    int exact;                     /* 1 + how many arguments entry takes; 0: any call is slow */
} rt_function;

/* extra counts the captures, which follow the struct. */
typedef struct rt_closure_object { rt_object object; const rt_function *function; }
    rt_closure_object;

/* static rt_closure_object f = RT_STATIC_CLOSURE(&f_function); ... rt_of_object(&f) */
#define RT_STATIC_CLOSURE(function) {{RT_IMMORTAL, RT_CLOSURE, 0, 0}, function}

static inline rt_value *rt_captures(rt_value closure) {
    return (rt_value *)((rt_closure_object *)(uintptr_t)closure + 1);
}
static inline const rt_function *rt_function_of(rt_value closure) {
    return ((const rt_closure_object *)(uintptr_t)closure)->function;
}
/* The captures are moved in. */
static inline rt_value rt_new_closure(
    const rt_function *function, size_t count, const rt_value *captures
) {
    rt_closure_object *closure =
        rt_allocate(RT_CLOSURE, sizeof *closure + count * sizeof captures[0]);
    closure->object.extra = (uint16_t)count;
    closure->function = function;
    rt_value result = rt_of_object(closure);
    RT_UNROLL
    for (size_t i = 0; i < count; i++) rt_captures(result)[i] = captures[i];
    return result;
}

/* Take the captures out of a closure, which is consumed. */
static inline void rt_take_captures(rt_value closure, size_t count, rt_value *captures) {
    const rt_value *held = rt_captures(closure);
    rt_object *object = rt_object_of(closure);
    if (RT_LIKELY(object->count == 1)) {
        RT_UNROLL
        for (size_t i = 0; i < count; i++) captures[i] = held[i];
        rt_give_back(object);
    } else {
        RT_UNROLL
        for (size_t i = 0; i < count; i++) captures[i] = rt_dup(held[i]);
        rt_free(closure);
    }
}

/* Whether it is a procedure that takes that many arguments one to one. */
static inline bool rt_takes_exactly(rt_value callee, size_t count) {
    return rt_is_procedure(callee) && rt_function_of(callee)->exact == (int)count + 1;
}

/* The call that RT_TAIL stands for.  There is always room for RT_SURE_ROOM arguments. */
#define RT_SURE_ROOM 16
typedef struct rt_next_call { rt_value callee, *arguments; size_t room; } rt_next_call;
extern rt_next_call rt_next;

/* Make that call, and its tail calls, to their result. */
rt_value rt_trampoline(void);
static inline rt_value rt_finish(rt_value result) {
    return RT_UNLIKELY(result == RT_TAIL) ? rt_trampoline() : result;
}

/* Call a procedure or an applicable record.  callee is borrowed, the arguments are moved in.  The
 * result is never RT_TAIL.
 * rt_last_call is for the last use of callee, which is moved in.
 * rt_call_spread is for `apply`: its last argument is a list of further arguments. */
rt_value rt_call_slowly(rt_value callee, size_t count, const rt_value *arguments);
rt_value rt_call_spread(rt_value callee, size_t count, const rt_value *arguments);
static inline rt_value rt_call(rt_value callee, size_t count, const rt_value *arguments) {
    if (RT_UNLIKELY(!rt_takes_exactly(callee, count)))
        return rt_call_slowly(callee, count, arguments);
    return rt_finish(rt_function_of(callee)->entry(rt_captures(callee), arguments));
}
static inline rt_value rt_last_call(rt_value callee, size_t count, const rt_value *arguments) {
    rt_last_entry *entry = NULL;
    if (RT_LIKELY(rt_takes_exactly(callee, count))) entry = rt_function_of(callee)->last_entry;
    if (entry != NULL) return rt_finish(entry(callee, arguments));
    rt_value result = rt_call(callee, count, arguments);
    rt_free(callee);
    return result;
}

/* A tail call: `r = rt_tail_call(...); if (r == RT_ERROR) rt_at(&location); return r;`.  callee and
 * arguments are moved in.  Returns RT_TAIL, the result of a primitive, or RT_ERROR. */
rt_value rt_tail_call_slowly(rt_value callee, size_t count, const rt_value *arguments);
rt_value rt_tail_call_spread(rt_value callee, size_t count, const rt_value *arguments);
static inline rt_value rt_tail_call(rt_value callee, size_t count, const rt_value *arguments) {
    bool usual = count <= RT_SURE_ROOM && rt_takes_exactly(callee, count);
    if (RT_UNLIKELY(!usual) || RT_UNLIKELY(rt_function_of(callee)->at_once))
        return rt_tail_call_slowly(callee, count, arguments);
    rt_value *room = rt_next.arguments;
    RT_UNROLL
    for (size_t i = 0; i < count; i++) room[i] = arguments[i];
    rt_next.callee = callee;
    return RT_TAIL;
}

/* ---- Variables, tests, conversions --------------------------------------- */

/* A top-level variable's value, borrowed, or RT_ERROR if it has none yet. */
static inline rt_value rt_global(rt_value variable, const char *name, const char *hint) {
    return RT_UNLIKELY(variable == RT_UNBOUND) ? rt_fail_unbound(name, hint) : variable;
}
/* value is moved in.  rt_global_define is `define`, and `set!` of a variable that has a value;
 * rt_global_set is any other `set!`. */
static inline void rt_global_define(rt_value *variable, rt_value value) {
    rt_value old = *variable;
    *variable = value;
    rt_free(old);
}
int rt_global_set(rt_value *variable, rt_value value, const char *name, const char *hint);

/* Whether a test succeeds.  It fails on tensors of several elements. */
static inline int rt_truth(rt_value v, bool *result) {
    if (RT_UNLIKELY(rt_is_tensor(v))) return rt_tensors->truth(rt_tensor(v), result);
    *result = v != RT_FALSE;
    return 0;
}

/* The same for what the compiler knows not to be a tensor, which sanitized programs check. */
static inline bool rt_plain_truth(rt_value v) {
#ifdef __SANITIZE_ADDRESS__
    if (rt_is_tensor(v)) __builtin_trap();
#endif
    return v != RT_FALSE;
}

/* Unbox a value; v is moved in.  who and noun are used in the error's message. */
int rt_convert_fixnum(rt_value v, const char *who, const char *noun, int64_t *result);
int rt_convert_double(rt_value v, const char *who, const char *noun, double *result);
int rt_convert_boolean(rt_value v, const char *who, const char *noun, bool *result);
int rt_convert_tensor(rt_value v, const char *who, const char *noun, struct ct_tensor **result);

/* ---- Making values, for generated code and the bridge -------------------- */

rt_value rt_of_wide_int64(int64_t n);                    /* an integer object */
static inline rt_value rt_of_int64(int64_t n) {
    bool fits = n >= RT_FIXNUM_MIN && n <= RT_FIXNUM_MAX;
    return RT_LIKELY(fits) ? rt_of_fixnum(n) : rt_of_wide_int64(n);
}
bool rt_to_int64(rt_value v, int64_t *result);           /* false unless an exact integer fits */
bool rt_to_double(rt_value v, double *result);           /* nearest; false unless a number */
rt_value rt_string_of_utf8(const char *bytes, size_t size);
/* The folder of the program's file, with its links resolved, or the current one if nothing tells;
 * false if it is longer than size allows. */
bool rt_find_program_folder(char *path, size_t size);
/* The file of a program that an evaluator runs, for (program-folder); NULL: the executable is the
 * program.  Borrowed for as long as the process lives. */
extern const char *rt_program_file;
/* The number in the text, in the syntax of Lisp, or RT_FALSE. */
rt_value rt_parse_number(const char *text, size_t size, int radix);
char *rt_string_to_c(rt_value string);                   /* a C string, malloc'ed */
bool rt_holds_nul(rt_value text);                        /* of a string, symbol or keyword */
rt_value rt_intern(const char *utf8);                    /* a symbol: immortal */
rt_value rt_intern_keyword(const char *utf8);            /* without the colon: immortal */
rt_value rt_intern_sized(const char *utf8, size_t size); /* the name may hold a NUL */
rt_value rt_intern_keyword_sized(const char *utf8, size_t size);
rt_value rt_new_list(size_t count, const rt_value *items);   /* the items are moved in */
rt_value rt_list_of_two(rt_value first, rt_value second);   /* likewise, as below */
rt_value rt_list_of_three(rt_value first, rt_value second, rt_value third);
/* Make a vector whose elements are all doubles one of RT_DOUBLES; leave another one as it is. */
void rt_untag_doubles(rt_vector_object *vector);
static inline rt_value rt_new_vector(size_t count, const rt_value *items) {   /* moved in, too */
    rt_vector_object *vector =
        rt_allocate(RT_VECTOR, sizeof *vector + count * sizeof vector->items[0]);
    vector->length = count;
    if (count > 0) {
        RT_UNROLL   /* values that are in registers are stored from there */
        for (size_t i = 0; i < count; i++) vector->items[i] = items[i];
        if (RT_UNLIKELY(rt_is_tagged_double(items[0]))) rt_untag_doubles(vector);
    }
    return rt_of_object(vector);
}
rt_value rt_new_foreign(const rt_foreign_kind *kind, void *thing);   /* thing is moved in */
rt_value rt_new_bytes(size_t length, const void *data);      /* a bytevector; data is copied */
/* The length of a proper list, or -1. */
int64_t rt_list_length(rt_value list);

/* Constants, made once when the program starts: immortal, and not counted as live.  They are in a
 * table, elements before what contains them (literals.c); text is UTF-8. */
typedef enum rt_literal_kind {
    RT_LITERAL_WORD,                      /* count: the value itself, no object */
    RT_LITERAL_FIXNUM,                    /* count: the number */
    RT_LITERAL_FIXNUMS,                   /* data: int64_t[count], each an element */
    RT_LITERAL_DOUBLE,                    /* data: one double */
    RT_LITERAL_DOUBLES,                   /* data: double[count], each an element */
    RT_LITERAL_NUMBER,                    /* data: the text of a number, count bytes; as below */
    RT_LITERAL_STRING,
    RT_LITERAL_SYMBOL,
    RT_LITERAL_KEYWORD,
    RT_LITERAL_BYTES,
    RT_LITERAL_LIST,                      /* count: of elements, made just before; likewise below */
    RT_LITERAL_LIST_ON,                   /* one element more: what follows the last pair */
    RT_LITERAL_VECTOR,
    RT_LITERAL_CYCLE,                     /* data: an rt_cycle of count bytes */
    RT_LITERAL_MADE,                      /* data: the variable of a constant used as an element */
    RT_LITERAL_NAMED                      /* the element made just before has a variable, too */
} rt_literal_kind;

typedef struct rt_literal {
    rt_literal_kind kind;
    int64_t count;
    const void *data;
    rt_value *name;                       /* the constant's variable; NULL: it is an element */
} rt_literal;

/* Circular data, written with labels.  Only programs with such data are linked with the reader. */
typedef struct rt_cycle {
    rt_value (*read)(const char *utf8, size_t size);
    const char *text;
} rt_cycle;

typedef struct rt_literals {
    size_t count;
    const rt_literal *rows;
} rt_literals;

void rt_make_literals(size_t count, const rt_literal *rows);
rt_value rt_literal_read(const char *utf8, size_t size);   /* the datum that a text writes */

/* Append the text that display or write prints.  rt_describe appends what messages show of a value:
 * the text of write, cut to 60 characters, but a description of tensors and procedures. */
int rt_show(rt_text *text, rt_value v, bool write);
void rt_describe(rt_text *text, rt_value v);

/* ---- The program --------------------------------------------------------- */

typedef struct rt_program {
    void (*make_literals)(void);          /* or NULL */
    rt_value (*run)(void);                /* RT_ERROR if an error got out */
    size_t global_count;
    rt_value *const *globals;             /* their values are freed when the program ends */
    const rt_tensor_hooks *tensors;       /* NULL without tensors */
    bool reads_arguments;                 /* whether it may read its command line */
} rt_program;

/* int main(int argc, char **argv) { return rt_main(argc, argv, &program); }  Does not return. */
int rt_main(int argc, char **argv, const rt_program *program);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#include "rt_primitives.h"
#include "rt_unboxed.h"

#endif
