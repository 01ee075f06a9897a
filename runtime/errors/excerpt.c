/* excerpt.c - the source line of an error, with carets under the location.
 *
 *     5 |   (tensor-matmul a b)
 *       |   ^^^^^^^^^^^^^^^^^^^
 *
 * Of a long line it has the characters around the beginning of the location, as in lang/errors.py,
 * which has the same rules.
 */
#include "rt_internal.h"

enum {
    LONGEST_LINE = 120,   /* characters of an excerpt */
    CONTEXT = 40,         /* characters before the location, where the line is cut there */
    CUT_LENGTH = 3
};
#define CUT "..."

static int smaller(int a, int b) { return a < b ? a : b; }

static int digits_of(int number) { return number < 10 ? 1 : 1 + digits_of(number / 10); }

static int count_characters(const rt_text *line) {
    const char *at = line->bytes, *end = at + line->size;
    int count = 0;
    for (; at < end; count++) rt_utf8_next(&at, end);
    return count;
}

/* The first character of a line that is shown, if the location has `width` of them, from `at` on. */
static int first_shown(int at, int width, int length) {
    if (length <= LONGEST_LINE) return 0;
    if (at + smaller(width, LONGEST_LINE - CONTEXT) + CUT_LENGTH <= LONGEST_LINE) return 0;
    int start = smaller(at - CONTEXT, length - LONGEST_LINE);
    return start > 0 ? start : 0;
}

/* Adds the characters of a line from one to before another. */
static void add_characters(rt_text *text, const rt_text *line, int from, int to) {
    const char *at = line->bytes, *end = at + line->size;
    for (int i = 0; i < from && at < end; i++) rt_utf8_next(&at, end);
    const char *start = at;
    for (int i = from; i < to && at < end; i++) rt_utf8_next(&at, end);
    rt_text_add(text, start, (size_t)(at - start));
}

/* Adds what stands below the characters of a line from one to before another. */
static void add_padding(rt_text *text, const rt_text *line, int from, int to) {
    const char *at = line->bytes, *end = at + line->size;
    for (int i = 0; i < from && at < end; i++) rt_utf8_next(&at, end);
    for (int i = from; i < to && at < end; i++)
        rt_text_add(text, rt_utf8_next(&at, end) == '\t' ? "\t" : " ", 1);
}

void rt_text_excerpt(rt_text *text, const rt_location *location) {
    rt_text line = {NULL, 0, 0};
    rt_text_string(&line, location->text);
    int at = location->column - 1, width = location->width, length = count_characters(&line);
    int start = first_shown(at, width, length);
    int end = smaller(start + LONGEST_LINE, length);
    bool cut_before = start > 0, cut_after = end < length;
    int first = cut_before ? start + CUT_LENGTH : 0, last = cut_after ? end - CUT_LENGTH : end;
    if (cut_after) width = smaller(width, last - at);
    rt_text_format(text, "\n  %d | %s", location->line, cut_before ? CUT : "");
    add_characters(text, &line, first, last);
    rt_text_format(text, "%s\n  %*s | %s", cut_after ? CUT : "", digits_of(location->line), "",
                   cut_before ? "   " : "");
    add_padding(text, &line, first, at);
    for (int i = 0; i < width; i++) rt_text_add(text, "^", 1);
    rt_text_free(&line);
}
