/* load_code.c - reads the code of a program, and makes its functions and constants.
 *
 * The file is a sequence of numbers and texts, written by lang/evaluator/code_file.py in the order
 * in which they are read here.  The instructions are used where they lie in the file's memory.
 */
#include "code.h"

#include <stdio.h>
#include <stdlib.h>

rt_loaded_code rt_loaded;

#define MAGIC "lambent code 2\n\n"
#define MAGIC_SIZE 16

static const char *at, *end;

/* ---- Reading ------------------------------------------------------------- */

static RT_COLD void refuse(const char *reason, const char *what) {
    fprintf(stderr, "lambent: cannot run the code: %s%s\n", reason, what);
    exit(RT_EXIT_RUNTIME);
}

static const void *take(size_t size) {
    if ((size_t)(end - at) < size) refuse("the file is incomplete", "");
    const char *taken = at;
    at += (size + 7) / 8 * 8;   /* everything is aligned to words */
    return taken;
}

static uint64_t number(void) {
    uint64_t n;
    memcpy(&n, take(sizeof n), sizeof n);
    return n;
}

/* A C string, in the file's memory. */
static const char *text(void) {
    size_t size = number();
    return take(size + 1);
}

static const char *text_or_null(void) { return number() ? text() : NULL; }

static void *array_of(size_t count, size_t size) {
    return rt_malloc((count ? count : 1) * size);
}

void rt_read_code_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) refuse("cannot open ", path);
    long size = ftell(file);
    rewind(file);
    char *memory = malloc(size > 0 ? (size_t)size : 1);
    if (memory == NULL || fread(memory, 1, (size_t)size, file) != (size_t)size)
        refuse("cannot read ", path);
    fclose(file);
    at = memory;
    end = memory + size;
    if (size < MAGIC_SIZE || memcmp(memory, MAGIC, MAGIC_SIZE) != 0)
        refuse("it is of another version", "");
    at += MAGIC_SIZE;
}

/* ---- Imports ------------------------------------------------------------- */

/* The index of a name in a sorted table of structs that begin with it. */
static size_t find(const char *name, const char *rows, size_t count, size_t size) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *found;
        memcpy(&found, rows + middle * size, sizeof found);
        int order = strcmp(found, name);
        if (order == 0) return middle;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    refuse("the runtime lacks ", name);
    return 0;
}

static void read_imports(void) {
    size_t count = number();
    rt_loaded.imports = array_of(count, sizeof *rt_loaded.imports);
    for (size_t i = 0; i < count; i++) {
        size_t row = find(text(), (const char *)rt_imports, rt_import_count, sizeof *rt_imports);
        rt_loaded.imports[i] = rt_imports[row].function;
    }
}

static void *data_import(const char *name) {
    const char *rows = (const char *)rt_data_imports;
    return rt_data_imports[find(name, rows, rt_data_import_count, sizeof *rt_data_imports)].data;
}

static void read_operators(void) {
    size_t count = number();
    if (count > 0 && rt_code_tensors == NULL) refuse("the runtime lacks ", "tensors");
    if (rt_code_tensors != NULL) rt_code_tensors->prepare(count);
    for (size_t i = 0; i < count; i++) {
        const char *lisp_name = text(), *usage = text();
        rt_code_tensors->define(i, lisp_name, usage, text());
    }
}

/* Make the constants of the library's files that the program reaches. */
static void make_library_literals(void) {
    for (size_t count = number(); count > 0; count--) {
        const rt_literals *literals = data_import(text());
        rt_make_literals(literals->count, literals->rows);
    }
}

/* Those of the program have no name. */
static void read_globals(void) {
    size_t count = rt_loaded.global_count = number();
    rt_loaded.globals = array_of(count, sizeof *rt_loaded.globals);
    rt_loaded.own_globals = array_of(count, sizeof *rt_loaded.own_globals);
    for (size_t i = 0; i < count; i++) {
        const char *name = text_or_null();
        rt_loaded.own_globals[i] = RT_UNBOUND;
        rt_loaded.globals[i] = name ? data_import(name) : &rt_loaded.own_globals[i];
    }
}

/* ---- Texts and locations ------------------------------------------------- */

static void read_texts(void) {
    size_t count = number();
    rt_loaded.texts = array_of(count, sizeof *rt_loaded.texts);
    for (size_t i = 0; i < count; i++) rt_loaded.texts[i] = text();
}

static void read_locations(void) {
    size_t count = number();
    rt_loaded.locations = array_of(count, sizeof *rt_loaded.locations);
    for (size_t i = 0; i < count; i++) {
        rt_location *location = &rt_loaded.locations[i];
        location->file = text();
        location->line = (int)number();
        location->column = (int)number();
        location->width = (int)number();
        location->one_line = number() != 0;
        location->library = false;
        location->text = text();
        location->in = text_or_null();
        location->expansion = text_or_null();
    }
}

/* ---- Functions ----------------------------------------------------------- */

static const rt_keyword *read_keywords(int count) {
    rt_keyword *keywords = array_of((size_t)count, sizeof *keywords);
    for (int i = 0; i < count; i++) {
        keywords[i].name = text();
        keywords[i].index = (int)number();
    }
    return keywords;
}

/* The head: what calls of the procedure as a value need. */
static void read_head(rt_code *code) {
    rt_function *function = &code->function;
    memset(code, 0, sizeof *code);
    function->name = text_or_null();
    function->usage = text();
    function->entry = rt_evaluator_entry;
    function->required = (int)number();
    code->captures = (uint32_t)number();
    code->parameters = (uint32_t)number();
    function->parameters = (int)(code->parameters - code->captures);
    function->has_rest = number() != 0;
    function->keyword_count = (int)number();
    function->keywords = read_keywords(function->keyword_count);
    if (function->required == function->parameters) function->exact = function->required + 1;
    code->owns_captures = number() != 0;
    if (code->owns_captures) function->last_entry = rt_evaluator_last_entry;
    code->is_library = number() != 0;
    code->closure.object.count = RT_IMMORTAL;
    code->closure.object.kind = RT_CLOSURE;
    code->closure.function = function;
}

static void read_function(rt_code *code) {
    read_head(code);
    code->registers = (uint32_t)number();
    code->borrowed_count = (uint32_t)number();
    code->borrowed = take(code->borrowed_count * sizeof *code->borrowed);
    code->entry_flags = (uint8_t)((code->borrowed_count > 0 ? RT_FREES_PARAMETERS : 0) |
                                  (code->is_library ? RT_OF_LIBRARY : 0));
    size_t words = number();
    code->instructions = take(words * sizeof *code->instructions);
    code->failure_count = (uint32_t)number();
    code->failures = take(code->failure_count * sizeof *code->failures);
    size_t data = number();
    code->failure_data = take(data * sizeof *code->failure_data);
}

/* ---- Constants ----------------------------------------------------------- */

/* How the rows of constants are read; the first ones are those of rt_literal_kind. */
enum { OF_PROCEDURE = 100, OF_OBJECT, OF_OPERATOR };

static rt_value list_of(size_t count, rt_value tail) {
    const uint64_t *elements = take(count * sizeof *elements);
    while (count > 0)
        tail = rt_make_immortal(rt_cons(rt_loaded.constants[elements[--count]], tail));
    return tail;
}

static rt_value vector_of(size_t count) {
    const uint64_t *elements = take(count * sizeof *elements);
    rt_value *items = array_of(count, sizeof *items);
    for (size_t i = 0; i < count; i++) items[i] = rt_loaded.constants[elements[i]];
    rt_value made = rt_make_immortal(rt_new_vector(count, items));
    free(items);
    return made;
}

static rt_value read_constant(void) {
    uint64_t kind = number();
    size_t count = number();
    switch (kind) {
    case RT_LITERAL_WORD: return (rt_value)count;
    case RT_LITERAL_DOUBLE: {
        double value;
        memcpy(&value, &count, sizeof value);
        return rt_make_immortal(rt_of_double(value));
    }
    case RT_LITERAL_NUMBER:
        return rt_make_immortal(rt_parse_number(take(count), count, 10));
    case RT_LITERAL_STRING: return rt_make_immortal(rt_string_of_utf8(take(count), count));
    case RT_LITERAL_SYMBOL: return rt_intern_sized(take(count), count);
    case RT_LITERAL_KEYWORD: return rt_intern_keyword_sized(take(count), count);
    case RT_LITERAL_BYTES: return rt_make_immortal(rt_new_bytes(count, take(count)));
    case RT_LITERAL_LIST: return list_of(count, RT_NIL);
    case RT_LITERAL_LIST_ON: {
        rt_value tail = rt_loaded.constants[number()];
        return list_of(count, tail);
    }
    case RT_LITERAL_VECTOR: return vector_of(count);
    case RT_LITERAL_CYCLE: return rt_literal_read(take(count), count);
    case OF_PROCEDURE: return rt_of_object(&rt_loaded.functions[count].closure);
    case OF_OPERATOR: return rt_code_tensors->value_of(count);
    case OF_OBJECT: return rt_of_object(data_import(take(count + 1)));
    }
    refuse("it is of another version", "");
    return RT_NIL;
}

void rt_load_code(void) {
    rt_start_evaluator();
    rt_make_table_literals();
    make_library_literals();
    read_imports();
    read_operators();
    read_globals();
    read_texts();
    read_locations();
    rt_loaded.function_count = number();
    rt_loaded.functions = array_of(rt_loaded.function_count, sizeof *rt_loaded.functions);
    for (size_t i = 0; i < rt_loaded.function_count; i++) read_function(&rt_loaded.functions[i]);
    rt_loaded.main = &rt_loaded.functions[number()];
    size_t count = number();
    rt_loaded.constants = array_of(count, sizeof *rt_loaded.constants);
    for (size_t i = 0; i < count; i++) rt_loaded.constants[i] = read_constant();
}
