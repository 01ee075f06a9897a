/* json.c - reading JSON token by token, without recursion and without memory of its own. */

#include "json.h"

#include <stdio.h>
#include <string.h>

/* What may come next. */
enum { A_VALUE, FIRST_ITEM, FIRST_KEY, A_SEPARATOR, NOTHING };

enum { NO_BYTE = -1 };
enum { LEAST_SURROGATE = 0xD800, LEAST_LOW = 0xDC00, LAST_SURROGATE = 0xDFFF, HALVES = 0x400,
       FIRST_PAIR = 0x10000 };

/* The letters of short escapes, and what they mean. */
enum { LETTERS = 8 };
static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";

void rt_json_begin(rt_json *in, int (*more)(rt_json *), void *source) {
    in->bytes = NULL;
    in->size = in->at = in->start = in->end = 0;
    in->has_escapes = in->stopped = false;
    in->wanted = NULL;
    in->more = more;
    in->source = source;
    in->state = A_VALUE;
    in->depth = 0;
}

/* Makes the buffer larger; false at the end of the text, and if `stopped`. */
static bool has_more(rt_json *in) {
    int found = in->stopped ? -1 : in->more(in);
    in->stopped = found < 0;
    return found > 0;
}

/* The next byte, which is not in the buffer. */
static int peek_slowly(rt_json *in) { return has_more(in) ? in->bytes[in->at] : NO_BYTE; }

static inline int peek(rt_json *in) {
    return in->at < in->size ? in->bytes[in->at] : peek_slowly(in);
}

static bool fail(rt_json *in, const char *wanted) {
    in->wanted = wanted;
    return false;
}

/* Consumes a byte, if it is the next one. */
static bool take(rt_json *in, int byte, const char *wanted) {
    if (peek(in) != byte) return fail(in, wanted);
    in->at++;
    return true;
}

static inline bool is_space(int c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

static inline int skip_space(rt_json *in) {
    for (;; in->at++) {
        int c = peek(in);
        if (!is_space(c)) return c;
    }
}

bool rt_json_skip_space(rt_json *in) { return skip_space(in) != NO_BYTE; }

/* ---- Words and numbers --------------------------------------------------- */

static rt_json_token read_word(rt_json *in, const char *word, rt_json_token token) {
    for (const char *letter = word; *letter != '\0'; letter++)
        if (!take(in, *letter, word)) return RT_JSON_WRONG;
    return token;
}

static inline bool is_digit(int c) { return c >= '0' && c <= '9'; }

static bool skip_digits(rt_json *in) {
    if (!is_digit(peek(in))) return fail(in, "a digit");
    do in->at++;
    while (is_digit(peek(in)));
    return true;
}

static rt_json_token read_number(rt_json *in) {
    rt_json_token token = RT_JSON_INTEGER;
    if (peek(in) == '-') in->at++;
    if (peek(in) == '0') in->at++;
    else if (!skip_digits(in)) return RT_JSON_WRONG;
    if (peek(in) == '.') {
        token = RT_JSON_REAL;
        in->at++;
        if (!skip_digits(in)) return RT_JSON_WRONG;
    }
    int c = peek(in);
    if (c == 'e' || c == 'E') {
        token = RT_JSON_REAL;
        in->at++;
        c = peek(in);
        if (c == '+' || c == '-') in->at++;
        if (!skip_digits(in)) return RT_JSON_WRONG;
    }
    in->end = in->at;
    return token;
}

/* ---- Strings ------------------------------------------------------------- */

static int hex_digit(int c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_hex(rt_json *in, int *code) {
    *code = 0;
    for (int i = 0; i < 4; i++, in->at++) {
        int digit = hex_digit(peek(in));
        if (digit < 0) return fail(in, "a hexadecimal digit");
        *code = 16 * *code + digit;
    }
    return true;
}

/* Four hexadecimal digits, or two surrogates. */
static bool check_code(rt_json *in) {
    int code, low;
    if (!read_hex(in, &code)) return false;
    if (code < LEAST_SURROGATE || code > LAST_SURROGATE) return true;
    if (code >= LEAST_LOW) return fail(in, "a high surrogate before a low one");
    if (!take(in, '\\', "a low surrogate") || !take(in, 'u', "a low surrogate") ||
        !read_hex(in, &low))
        return false;
    bool is_low = low >= LEAST_LOW && low <= LAST_SURROGATE;
    return is_low || fail(in, "a low surrogate after a high one");
}

/* The rest of an escape, whose backslash has been consumed. */
static bool check_escape(rt_json *in) {
    int c = peek(in);
    bool is_letter = c != NO_BYTE && memchr(letters, c, LETTERS) != NULL;
    if (!is_letter && c != 'u') return fail(in, "one of \"\\/bfnrtu");
    in->at++;
    return is_letter || check_code(in);
}

/* Finds the next quote, backslash or control character, or the end. */
static int skip_ordinary(rt_json *in) {
    for (;;) {
        const unsigned char *at = in->bytes + in->at, *end = in->bytes + in->size;
        while (at < end && *at >= ' ' && *at != '"' && *at != '\\') at++;
        in->at = (size_t)(at - in->bytes);
        if (at < end) return *at;
        if (peek_slowly(in) == NO_BYTE) return NO_BYTE;
    }
}

/* A string, which begins at the next byte. */
static bool read_string(rt_json *in) {
    in->start = ++in->at;
    in->has_escapes = false;
    for (;;) {
        int c = skip_ordinary(in);
        if (c == NO_BYTE) return fail(in, "a closing quote");
        if (c < ' ') return fail(in, "no control character in a string");
        in->at++;
        if (c == '"') break;
        in->has_escapes = true;
        if (!check_escape(in)) return false;
    }
    in->end = in->at - 1;
    return true;
}

static int code_at(const unsigned char *hex) {
    int code = 0;
    for (int i = 0; i < 4; i++) code = 16 * code + hex_digit(hex[i]);
    return code;
}

/* The character of \uXXXX, or of two of them. */
static const unsigned char *code_of_escape(const unsigned char *from, int *code) {
    *code = code_at(from + 2);
    if (*code < LEAST_SURROGATE || *code > LAST_SURROGATE) return from + 6;
    *code = FIRST_PAIR + HALVES * (*code - LEAST_SURROGATE) + (code_at(from + 8) - LEAST_LOW);
    return from + 12;
}

static unsigned char *add_utf8(unsigned char *to, int code) {
    if (code < 0x80) {
        *to++ = (unsigned char)code;
        return to;
    }
    int rest = code < 0x800 ? 1 : code < FIRST_PAIR ? 2 : 3;   /* bytes after the first */
    *to++ = (unsigned char)((0xff00 >> (rest + 1) & 0xff) | code >> 6 * rest);
    while (rest-- > 0) *to++ = (unsigned char)(0x80 | (code >> 6 * rest & 0x3f));
    return to;
}

size_t rt_json_unescape(const unsigned char *from, size_t size, unsigned char *to) {
    const unsigned char *end = from + size;
    unsigned char *out = to;
    while (from < end) {
        const unsigned char *escape = memchr(from, '\\', (size_t)(end - from));
        size_t ordinary = (size_t)((escape != NULL ? escape : end) - from);
        memcpy(out, from, ordinary);
        out += ordinary;
        from += ordinary;
        if (escape == NULL) break;
        if (from[1] == 'u') {
            int code;
            from = code_of_escape(from, &code);
            out = add_utf8(out, code);
        } else {
            const char *letter = memchr(letters, from[1], LETTERS);
            *out++ = (unsigned char)meanings[letter - letters];
            from += 2;
        }
    }
    return (size_t)(out - to);
}

int rt_json_escape(unsigned char c, char *to) {
    static const char digits[] = "0123456789abcdef";
    if (c >= ' ' && c != '"' && c != '\\') return 0;
    const char *meaning = memchr(meanings, c, LETTERS);
    memcpy(to, "\\u00", 4);
    if (meaning != NULL) to[1] = letters[meaning - meanings];
    to[4] = digits[c >> 4];
    to[5] = digits[c & 0xf];
    return meaning != NULL ? 2 : RT_JSON_LONGEST_ESCAPE;
}

/* ---- Brackets ------------------------------------------------------------ */

#define TEXT(x) #x
#define TEXT_OF(macro) TEXT(macro)

static rt_json_token open_bracket(rt_json *in, bool is_object) {
    if (in->depth == RT_JSON_DEEPEST) {
        fail(in, "at most " TEXT_OF(RT_JSON_DEEPEST) " nested brackets");
        return RT_JSON_WRONG;
    }
    in->at++;
    in->is_object[in->depth++] = is_object;
    in->state = is_object ? FIRST_KEY : FIRST_ITEM;
    return is_object ? RT_JSON_OBJECT : RT_JSON_ARRAY;
}

static void end_value(rt_json *in) { in->state = in->depth > 0 ? A_SEPARATOR : NOTHING; }

static rt_json_token close_bracket(rt_json *in) {
    in->at++;
    in->depth--;
    end_value(in);
    return RT_JSON_CLOSE;
}

/* A key with its colon. */
static rt_json_token read_key(rt_json *in, int c) {
    if (c != '"') {
        fail(in, "a key in double quotes");
        return RT_JSON_WRONG;
    }
    if (!read_string(in)) return RT_JSON_WRONG;
    if (peek(in) != ':') skip_space(in);
    if (!take(in, ':', "':'")) return RT_JSON_WRONG;
    in->state = A_VALUE;
    return RT_JSON_KEY;
}

static rt_json_token read_plain(rt_json *in, int c) {
    in->start = in->at;
    switch (c) {
        case '"': return read_string(in) ? RT_JSON_STRING : RT_JSON_WRONG;
        case 't': return read_word(in, "true", RT_JSON_TRUE);
        case 'f': return read_word(in, "false", RT_JSON_FALSE);
        case 'n': return read_word(in, "null", RT_JSON_NULL);
        default: break;
    }
    if (c == '-' || is_digit(c)) return read_number(in);
    fail(in, "a value");
    return RT_JSON_WRONG;
}

static rt_json_token read_value(rt_json *in, int c) {
    if (c == '{' || c == '[') {
        in->start = in->at;
        return open_bracket(in, c == '{');
    }
    rt_json_token token = read_plain(in, c);
    end_value(in);
    return token;
}

/* The token after a value in brackets. */
static rt_json_token read_next(rt_json *in, int c) {
    bool is_object = in->is_object[in->depth - 1];
    if (c == (is_object ? '}' : ']')) return close_bracket(in);
    if (!take(in, ',', is_object ? "',' or '}'" : "',' or ']'")) return RT_JSON_WRONG;
    c = skip_space(in);
    return is_object ? read_key(in, c) : read_value(in, c);
}

static rt_json_token next(rt_json *in) {
    int c = skip_space(in);
    switch (in->state) {
        case A_SEPARATOR: return read_next(in, c);
        case FIRST_ITEM: return c == ']' ? close_bracket(in) : read_value(in, c);
        case FIRST_KEY: return c == '}' ? close_bracket(in) : read_key(in, c);
        case A_VALUE: return read_value(in, c);
        default: break;
    }
    if (c == NO_BYTE) return RT_JSON_END;
    fail(in, "the end of the text");
    return RT_JSON_WRONG;
}

rt_json_token rt_json_next(rt_json *in) {
    rt_json_token token = next(in);
    return in->stopped ? RT_JSON_STOPPED : token;
}

/* Bytes of a character that begins with this one. */
static size_t size_of_character(int first) {
    return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

size_t rt_json_show_next(rt_json *in, char *to) {
    int c = peek(in);
    if (c == NO_BYTE) return (size_t)snprintf(to, RT_JSON_LONGEST_SHOWN, "the end of the text");
    if (c < ' ') return (size_t)snprintf(to, RT_JSON_LONGEST_SHOWN, "the control character %d", c);
    size_t size = size_of_character(c);
    while (in->size - in->at < size && has_more(in)) continue;
    if (in->size - in->at < size) size = in->size - in->at;
    to[0] = to[size + 1] = '\'';
    memcpy(to + 1, in->bytes + in->at, size);
    return size + 2;
}
