/* json.h - reading JSON (RFC 8259) token by token.
 *
 *     {"a": [1, true]}   =>   OBJECT  KEY "a"  ARRAY  INTEGER 1  TRUE  CLOSE  CLOSE  END
 *
 * It knows bytes of UTF-8 and no values: executables, the interpreter's C module
 * (lang/interp/native/) and ctorch build what they need of the tokens. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The limits of all readers. */
#define RT_JSON_DEEPEST 1000        /* brackets in each other: readers may use recursion */
enum { RT_JSON_STEP = 1 << 18 };    /* bytes between two calls of `more` for a text that is there */

typedef enum rt_json_token {
    RT_JSON_WRONG,                  /* not JSON: `wanted` was expected at `at` */
    RT_JSON_STOPPED,                /* `more` has failed */
    RT_JSON_END,                    /* of the text, after its value and white space */
    RT_JSON_NULL, RT_JSON_TRUE, RT_JSON_FALSE,
    RT_JSON_INTEGER, RT_JSON_REAL,
    RT_JSON_STRING, RT_JSON_KEY,    /* between the quotes */
    RT_JSON_ARRAY, RT_JSON_OBJECT, RT_JSON_CLOSE
} rt_json_token;

/* `bytes` may change whenever more are asked for, so a place is an index. */
typedef struct rt_json {
    const unsigned char *bytes;
    size_t size;                    /* of those that may be read now */
    size_t at;                      /* the next byte */
    size_t start, end;              /* the latest token */
    bool has_escapes;               /* of the latest string */
    bool stopped;
    const char *wanted;
    /* Makes `size` larger: 1, or 0 at the end of the text, or -1 after an error. */
    int (*more)(struct rt_json *in);
    void *source;
    int state, depth;
    unsigned char is_object[RT_JSON_DEEPEST];
} rt_json;

void rt_json_begin(rt_json *in, int (*more)(rt_json *in), void *source);
rt_json_token rt_json_next(rt_json *in);

/* Writes what stands at `at`, for messages: 'x', or `the end of the text`.  Returns its size; it
 * means nothing if `stopped`. */
enum { RT_JSON_LONGEST_SHOWN = 32 };
size_t rt_json_show_next(rt_json *in, char *to);

/* Consumes white space.  Whether a byte follows; false also if `stopped`. */
bool rt_json_skip_space(rt_json *in);

/* Writes what a string with escapes means, which is never longer; the result is its size. */
size_t rt_json_unescape(const unsigned char *from, size_t size, unsigned char *to);

/* The escape of a character in a string, such as \n; 0 if it stands for itself, or its size. */
enum { RT_JSON_LONGEST_ESCAPE = 6 };
int rt_json_escape(unsigned char c, char *to);

#ifdef __cplusplus
}
#endif

#endif
