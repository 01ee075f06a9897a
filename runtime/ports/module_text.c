/* module_text.c - how modules print: a summary with shapes and counts, not their elements.
 *
 *     #<sequential 26 parameters, 104 bytes
 *       0: #<linear weight: float32 (4 3) bias: float32 (4)>
 *       1: #<relu>
 *       2: #<linear weight: float32 (2 4) bias: float32 (2)>>
 *
 * A module without submodules takes one line.  In lists, equal neighbours share one entry:
 * `0-11: ...`.  lang/interp/io/module_text.py is the counterpart.
 */
#include "rt_internal.h"

#include <stdlib.h>

#define DEEPEST 64   /* modules inside each other that are printed */

enum { NO_ROLE, PARAMETER, PARAMETERS, BUFFER, UNNAMED };

static int role_of(rt_value role) {
    if (!rt_is_symbol(role)) return NO_ROLE;
    if (rt_is_named(role, "parameter")) return PARAMETER;
    if (rt_is_named(role, "parameters")) return PARAMETERS;
    if (rt_is_named(role, "buffer")) return BUFFER;
    return rt_is_named(role, "unnamed") ? UNNAMED : NO_ROLE;
}

/* ---- The fields of a module, and the elements of a list or a vector ------- */

static rt_value roles_of(rt_value module) {
    return rt_record_type_of(rt_record_of(module)->type)->roles;
}
static size_t field_count(rt_value module) { return rt_vector_of(roles_of(module))->length; }
static int field_role(rt_value module, size_t k) {
    return role_of(rt_vector_of(roles_of(module))->items[k]);
}
static rt_value field_name(rt_value module, size_t k) {
    return rt_vector_of(rt_record_type_of(rt_record_of(module)->type)->fields)->items[k];
}

/* Of a vector or a proper list, else 0. */
static size_t element_count(rt_value v) {
    if (rt_is_vector(v)) return rt_vector_size(v);
    int64_t length = rt_is_pair(v) ? rt_list_length(v) : 0;
    return length > 0 ? (size_t)length : 0;
}

/* The elements in order, for a loop: `walk w = start(v); while (next(&w, &item)) ...` */
typedef struct walk { rt_value rest; size_t next, count; } walk;

static walk start(rt_value v) { return (walk){v, 0, element_count(v)}; }

static bool next(walk *at, rt_value *item) {
    if (at->next == at->count) return false;
    if (rt_is_vector(at->rest)) {
        *item = rt_vector_item(at->rest, at->next);
    } else {
        *item = rt_pair_of(at->rest)->car;
        at->rest = rt_pair_of(at->rest)->cdr;
    }
    at->next++;
    return true;
}

/* A name and a tensor, as in a field of :parameters. */
static bool is_named(rt_value v) {
    return rt_is_pair(v) && rt_is_string(rt_pair_of(v)->car) && rt_is_tensor(rt_pair_of(v)->cdr);
}

static bool holds_modules(rt_value v) {
    if (rt_is_module(v)) return true;
    walk at = start(v);
    for (rt_value item; next(&at, &item);)
        if (holds_modules(item)) return true;
    return false;
}

/* ---- Counting ------------------------------------------------------------- */

/* Each tensor counts once. */
typedef struct sums { int64_t parameters, bytes; rt_value *seen; size_t count, room; } sums;

static bool is_new(sums *all, rt_value tensor) {
    for (size_t i = 0; i < all->count; i++)
        if (all->seen[i] == tensor) return false;
    RT_GROW(all->seen, all->count, all->room);
    all->seen[all->count++] = tensor;
    return true;
}

/* The bytes of an element, from the number in a dtype's name: bool has none. */
static int64_t item_size(const char *dtype) {
    const char *digits = strpbrk(dtype, "0123456789");
    return digits != NULL ? atol(digits) / 8 : 1;
}

static void measure(sums *all, rt_value v, int role, int depth) {
    if (rt_is_tensor(v)) {
        if ((role != PARAMETER && role != BUFFER) || !is_new(all, v)) return;
        int64_t count = rt_tensors->count(rt_tensor(v));
        if (role == PARAMETER) all->parameters += count;
        all->bytes += count * item_size(rt_tensors->dtype(rt_tensor(v)));
    } else if (depth == DEEPEST) {
        return;
    } else if (role == PARAMETERS) {
        walk at = start(v);
        for (rt_value item; next(&at, &item);)
            if (is_named(item)) measure(all, rt_pair_of(item)->cdr, PARAMETER, depth + 1);
    } else if (rt_is_module(v)) {
        for (size_t k = 0; k < field_count(v); k++)
            measure(all, rt_record_of(v)->fields[k], field_role(v, k), depth + 1);
    } else {
        walk at = start(v);
        for (rt_value item; next(&at, &item);) measure(all, item, role, depth + 1);
    }
}

/* 101770 as 101,770. */
static void say_count(rt_text *text, int64_t n) {
    if (n >= 1000) {
        say_count(text, n / 1000);
        rt_text_format(text, ",%03d", (int)(n % 1000));
    } else {
        rt_text_format(text, "%d", (int)n);
    }
}

static void say_size(rt_text *text, int64_t bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) {
        rt_text_format(text, "%d byte%s", (int)bytes, bytes == 1 ? "" : "s");
        return;
    }
    double size = (double)bytes;
    int unit = -1;
    for (; size >= 1024 && unit < 3; unit++) size /= 1024;
    rt_text_format(text, "%.1f %s", size, units[unit]);
}

static void say_counts(rt_text *text, rt_value module) {
    sums all = {0, 0, NULL, 0, 0};
    measure(&all, module, NO_ROLE, -1);
    if (all.parameters > 0 || all.bytes > 0) rt_text_string(text, " ");
    if (all.parameters > 0) {
        say_count(text, all.parameters);
        rt_text_format(text, " parameter%s, ", all.parameters == 1 ? "" : "s");
    }
    if (all.bytes > 0 || all.parameters > 0) say_size(text, all.bytes);
    free(all.seen);
}

/* ---- The text ------------------------------------------------------------- */

static int say_module(rt_text *text, rt_value module, int indent, bool with_counts);

static void begin_line(rt_text *text, int indent) { rt_text_format(text, "\n%*s", indent, ""); }

static int say_value(rt_text *text, rt_value v, int indent);

/* A line for each element; equal neighbours share one. */
static int say_entries(rt_text *text, rt_value items, int indent) {
    rt_text shown = {NULL, 0, 0}, following = {NULL, 0, 0};
    walk at = start(items);
    rt_value item;
    bool more = next(&at, &item);
    int status = more ? say_value(&shown, item, indent) : 0;
    while (more && status == 0) {
        size_t first = at.next - 1, last = first;
        while ((more = next(&at, &item))) {
            following.size = 0;
            status = say_value(&following, item, indent);
            if (status != 0 || following.size != shown.size ||
                memcmp(following.bytes, shown.bytes, shown.size) != 0)
                break;
            last++;
        }
        begin_line(text, indent);
        rt_text_format(text, last > first ? "%zu-%zu: " : "%zu: ", first, last);
        rt_text_add(text, shown.bytes, shown.size);
        rt_text swap = shown;
        shown = following;
        following = swap;
    }
    rt_text_free(&shown);
    rt_text_free(&following);
    return status;
}

/* Whether a list holds only tensors, or only names and tensors. */
static bool is_all(rt_value v, bool named) {
    walk at = start(v);
    for (rt_value item; next(&at, &item);)
        if (named ? !is_named(item) : !rt_is_tensor(item)) return false;
    return at.count > 0;
}

static void say_tensor(rt_text *text, rt_value v) {
    rt_text described = {NULL, 0, 0};
    rt_tensors->describe(&described, rt_tensor(v));
    rt_text_string(text, strncmp(described.bytes, "a tensor ", 9) == 0 ? described.bytes + 9
                                                                       : described.bytes);
    rt_text_free(&described);
}

static int say_without_modules(rt_text *text, rt_value v) {
    if (rt_is_tensor(v)) {
        say_tensor(text, v);
        return 0;
    }
    bool named = is_all(v, true);
    if (!named && !is_all(v, false)) return rt_show(text, v, true);
    int status = 0;
    walk at = start(v);
    for (rt_value item; status == 0 && next(&at, &item);) {
        rt_text_string(text, at.next == 1 ? "(" : ", ");
        if (named) {
            status = rt_show(text, rt_pair_of(item)->car, false);
            rt_text_string(text, ": ");
        }
        say_tensor(text, named ? rt_pair_of(item)->cdr : item);
    }
    rt_text_string(text, ")");
    return status;
}

/* Whether a field of a record that is shown is a tensor. */
static bool is_record_of_tensors(rt_value v) {
    if (!rt_is_kind(v, RT_RECORD)) return false;
    for (size_t k = 0; k < rt_printed_count(v); k++)
        if (rt_is_tensor(rt_record_of(v)->fields[k])) return true;
    return false;
}

/* A record, whose tensors are shown as those of modules are. */
static int say_record(rt_text *text, rt_value record) {
    rt_text_string(text, "#<");
    rt_text_symbol(text, rt_record_type_name(rt_record_of(record)->type));
    int status = 0;
    for (size_t k = 0; k < rt_printed_count(record) && status == 0; k++) {
        rt_text_string(text, " ");
        rt_text_symbol(text, field_name(record, k));
        rt_text_string(text, ": ");
        status = say_without_modules(text, rt_record_of(record)->fields[k]);
    }
    rt_text_string(text, ">");
    return status;
}

static int say_value(rt_text *text, rt_value v, int indent) {
    if (rt_is_module(v)) return say_module(text, v, indent, false);
    if (holds_modules(v)) {
        rt_text_string(text, "list");
        return say_entries(text, v, indent + 2);
    }
    return is_record_of_tensors(v) ? say_record(text, v) : say_without_modules(text, v);
}

static int say_line(rt_text *text, rt_value module, size_t k, int indent) {
    rt_value v = rt_record_of(module)->fields[k];
    bool is_list = !rt_is_module(v) && holds_modules(v);
    if (is_list && field_role(module, k) == UNNAMED) return say_entries(text, v, indent);
    begin_line(text, indent);
    rt_text_symbol(text, field_name(module, k));
    if (is_list) {
        rt_text_string(text, ":");
        return say_entries(text, v, indent + 2);
    }
    rt_text_string(text, ": ");
    return say_value(text, v, indent);
}

static bool has_submodules(rt_value module) {
    for (size_t k = 0; k < field_count(module); k++)
        if (holds_modules(rt_record_of(module)->fields[k])) return true;
    return false;
}

/* indent: the spaces before the line in which it begins. */
static int say_module(rt_text *text, rt_value module, int indent, bool with_counts) {
    rt_text_string(text, "#<");
    rt_text_symbol(text, rt_record_type_name(rt_record_of(module)->type));
    if (with_counts) say_counts(text, module);
    if (indent + 2 > 2 * DEEPEST) {
        rt_text_string(text, " ...>");
        return 0;
    }
    bool in_lines = has_submodules(module);
    int status = 0;
    for (size_t k = 0; k < field_count(module) && status == 0; k++) {
        if (in_lines) {
            status = say_line(text, module, k, indent + 2);
            continue;
        }
        rt_text_string(text, " ");
        rt_text_symbol(text, field_name(module, k));
        rt_text_string(text, ": ");
        status = say_value(text, rt_record_of(module)->fields[k], indent);
    }
    rt_text_string(text, ">");
    return status;
}

int rt_show_module(rt_text *text, rt_value module) { return say_module(text, module, 0, true); }
