/* rt.h - what compiled Lambent programs stand on: values, ownership, errors.  C99, no LibTorch.
 *
 * A value is one word.  Its low bits say what it is:
 *
 *     ...xxx1   a fixnum: an exact integer of 63 bits, shifted left by one
 *     ...x000   a pointer to a counted object that begins with an rt_object
 *     ...x010   a pointer to a tensor's handle (a ct_tensor), counted by ctorch
 *     ...x110   an immediate: #t, #f, (), a character, the unspecified value ...
 *
 * Ownership in one sentence: borrowed in, owned out.  A function neither frees nor keeps its
 * arguments, and what it returns belongs to the receiver.  The exceptions are written at the
 * function: an argument "moved in" is consumed, also when the function fails.
 *
 * Failure: a function that returns an rt_value returns RT_ERROR; any other fallible function
 * returns an int status, 0 for success, and writes its result through its last parameter.  The
 * error waits in the runtime until a handler takes it or the program ends; each frame that it
 * leaves adds its place with rt_at.
 */
#ifndef RT_H
#define RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
#define RT_CHAR(code) ((rt_value)(uint32_t)(code) << 8 | 0x86)

#define RT_FIXNUM_MAX (INT64_MAX >> 1)
#define RT_FIXNUM_MIN (INT64_MIN >> 1)

/* A place in the source: what an error shows.  in is the procedure that holds it, NULL for the top
 * level; text the whole line; width how many characters of the place stand on that line; whole
 * whether all of it does; library whether it is in the library, whose frames traces leave out. */
typedef struct rt_place {
    const char *file;
    int line, column, width;
    bool whole, library;
    const char *text;
    const char *in;
} rt_place;

#endif
