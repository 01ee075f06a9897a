/* load_code.c - reads code, and makes its functions and constants.
 *
 * Code is a sequence of numbers and texts, written by lang/evaluator/code_file.py in the order in
 * which they are read here.  Instructions and texts are used where they lie in its memory.
 */
#include "code.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

#define MAGIC "lambent code 3\n\n"
#define MAGIC_SIZE 16

/* The bits of the first number. */
enum { OPEN = 1, NEEDS_TENSORS = 2 };

static const char *at, *end;
static rt_unit *unit;   /* that is being loaded */

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

/* A C string, in the memory. */
static const char *text(void) {
    size_t size = number();
    return take(size + 1);
}

static const char *text_or_null(void) { return number() ? text() : NULL; }

static void *array_of(size_t count, size_t size) {
    return rt_malloc((count ? count : 1) * size);
}

char *rt_read_code_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) refuse("cannot open ", path);
    long size = ftell(file);
    rewind(file);
    char *memory = malloc(size > 0 ? (size_t)size : 1);
    if (memory == NULL || fread(memory, 1, (size_t)size, file) != (size_t)size)
        refuse("cannot read ", path);
    fclose(file);
    *length = (size_t)size;
    return memory;
}

static void begin(const char *memory, size_t size) {
    at = memory;
    end = memory + size;
    if (size < MAGIC_SIZE || memcmp(memory, MAGIC, MAGIC_SIZE) != 0)
        refuse("it is of another version", "");
    at += MAGIC_SIZE;
}

bool rt_code_needs_tensors(const char *memory, size_t size) {
    begin(memory, size);
    return (number() & NEEDS_TENSORS) != 0;
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
    unit->imports = array_of(count, sizeof *unit->imports);
    for (size_t i = 0; i < count; i++) {
        size_t row = find(text(), (const char *)rt_imports, rt_import_count, sizeof *rt_imports);
        unit->imports[i] = rt_imports[row].function;
    }
}

static void *data_import(const char *name) {
    const char *rows = (const char *)rt_data_imports;
    return rt_data_imports[find(name, rows, rt_data_import_count, sizeof *rt_data_imports)].data;
}

rt_value *rt_library_variable(const char *name) { return rt_world_note(data_import(name)); }

static void read_operators(void) {
    size_t count = number();
    if (count > 0 && rt_code_tensors == NULL) refuse("the runtime lacks ", "tensors");
    unit->operators = array_of(count, sizeof *unit->operators);
    for (size_t i = 0; i < count; i++) {
        const char *lisp_name = text(), *usage = text();
        unit->operators[i] = rt_code_tensors->operator(lisp_name, usage, text());
    }
}

/* Make the constants of the library's files that the code reaches, each once. */
static void make_library_literals(void) {
    static bool *made;
    if (made == NULL) {
        made = rt_malloc(rt_data_import_count * sizeof *made);
        memset(made, 0, rt_data_import_count * sizeof *made);
    }
    for (size_t count = number(); count > 0; count--) {
        size_t row = find(text(), (const char *)rt_data_imports, rt_data_import_count,
                          sizeof *rt_data_imports);
        if (made[row]) continue;
        made[row] = true;
        const rt_literals *literals = rt_data_imports[row].data;
        rt_make_literals(literals->count, literals->rows);
    }
}

/* Those of the program are the world's if its code is open, and else the unit's own. */
static void read_globals(void) {
    size_t count = number();
    unit->globals = array_of(count, sizeof *unit->globals);
    for (size_t i = 0; i < count; i++) {
        bool is_library = number() != 0;
        const char *name = text();
        rt_value *variable;
        if (is_library) variable = rt_world_note(data_import(name));
        else if (unit->is_open) variable = rt_world_variable(name);
        else variable = rt_world_new_variable();
        unit->globals[i] = variable;
    }
}

/* ---- Texts and locations ------------------------------------------------- */

static void read_texts(void) {
    size_t count = number();
    unit->texts = array_of(count, sizeof *unit->texts);
    for (size_t i = 0; i < count; i++) unit->texts[i] = text();
}

static rt_location location(void) {
    rt_location read;
    read.file = text();
    read.line = (int)number();
    read.column = (int)number();
    read.width = (int)number();
    read.one_line = number() != 0;
    read.library = false;
    read.text = text();
    read.in = text_or_null();
    read.expansion = text_or_null();
    return read;
}

static void read_locations(void) {
    size_t count = number();
    unit->location_rows = array_of(count, sizeof *unit->location_rows);
    unit->locations = array_of(count, sizeof *unit->locations);
    for (size_t i = 0; i < count; i++) {
        unit->location_rows[i] = at;
        unit->locations[i] = NULL;
        location();
    }
}

/* It has been read once, so it is complete. */
const rt_location *rt_unit_location(rt_unit *owner, size_t index) {
    if (owner->locations[index] == NULL) {
        const char *at_before = at, *end_before = end;
        at = owner->location_rows[index];
        end = at + PTRDIFF_MAX / 2;
        rt_location read = location();
        owner->locations[index] = rt_world_location(&read);
        at = at_before;
        end = end_before;
    }
    return owner->locations[index];
}

/* ---- Functions ----------------------------------------------------------- */

static const rt_keyword *read_keywords(int count) {
    rt_keyword *keywords = count > 0 ? array_of((size_t)count, sizeof *keywords) : NULL;
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
    code->unit = unit;
    code->functions = unit->functions;
    code->imports = unit->imports;
    code->globals = unit->globals;
    code->constants = unit->constants;
    code->texts = unit->texts;
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

static void read_functions(void) {
    unit->function_count = number();
    unit->constant_count = number();
    unit->functions = array_of(unit->function_count, sizeof *unit->functions);
    unit->constants = array_of(unit->constant_count, sizeof *unit->constants);
    for (size_t i = 0; i < unit->function_count; i++) read_function(&unit->functions[i]);
    unit->main = &unit->functions[number()];
}

/* ---- Constants ----------------------------------------------------------- */

/* How the rows of constants are read; the first ones are those of rt_literal_kind. */
enum { OF_PROCEDURE = 100, OF_OBJECT, OF_OPERATOR };

/* Constants of a closed program stay; those of an open unit are freed with it. */
static rt_value lasting(rt_value made) {
    return unit->is_open ? made : rt_make_immortal(made);
}

static rt_value element(uint64_t index) {
    rt_value found = unit->constants[index];
    return unit->is_open ? rt_dup(found) : found;
}

static rt_value list_of(size_t count, rt_value tail) {
    const uint64_t *elements = take(count * sizeof *elements);
    while (count > 0) tail = lasting(rt_cons(element(elements[--count]), tail));
    return tail;
}

static rt_value vector_of(size_t count) {
    const uint64_t *elements = take(count * sizeof *elements);
    rt_value *items = array_of(count, sizeof *items);
    for (size_t i = 0; i < count; i++) items[i] = element(elements[i]);
    rt_value made = lasting(rt_new_vector(count, items));
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
        return lasting(rt_of_double(value));
    }
    case RT_LITERAL_NUMBER: return lasting(rt_parse_number(take(count), count, 10));
    case RT_LITERAL_STRING: return lasting(rt_string_of_utf8(take(count), count));
    case RT_LITERAL_SYMBOL: return rt_intern_sized(take(count), count);
    case RT_LITERAL_KEYWORD: return rt_intern_keyword_sized(take(count), count);
    case RT_LITERAL_BYTES: return lasting(rt_new_bytes(count, take(count)));
    case RT_LITERAL_LIST: return list_of(count, RT_NIL);
    case RT_LITERAL_LIST_ON: {
        rt_value tail = element(number());
        return list_of(count, tail);
    }
    case RT_LITERAL_VECTOR: return vector_of(count);
    case RT_LITERAL_CYCLE: return rt_literal_read(take(count), count);
    case OF_PROCEDURE: return rt_of_object(&unit->functions[count].closure);
    case OF_OPERATOR: return rt_code_tensors->value_of(unit->operators[count]);
    case OF_OBJECT: return rt_of_object(data_import(take(count + 1)));
    }
    refuse("it is of another version", "");
    return RT_NIL;
}

/* ---- Units --------------------------------------------------------------- */

/* Those that nothing holds. */
static rt_unit **dead;
static size_t dead_count, dead_room, dead_limit;
static bool has_ended;
#define FEWEST_DEAD 16   /* before the frames are searched for them */

static void free_unit(rt_unit *freed) {
    rt_world *before = rt_use_world(freed->world);
    rt_forget_objects(freed->object_count, freed->objects);
    rt_use_world(before);
    for (size_t i = 0; i < freed->constant_count; i++) rt_free(freed->constants[i]);
    for (size_t i = 0; i < freed->function_count; i++)
        free((void *)(uintptr_t)freed->functions[i].function.keywords);
    free(freed->functions);
    free(freed->imports);
    free(freed->operators);
    free(freed->globals);
    free(freed->constants);
    free((void *)(uintptr_t)freed->texts);
    free((void *)(uintptr_t)freed->location_rows);
    free((void *)(uintptr_t)freed->locations);
    free(freed->memory);
    rt_release_world(freed->world);
    free(freed);
}

static void unit_dies(void *thing) {
    rt_unit *dying = thing;
    dying->holder = RT_FALSE;
    if (has_ended) {
        free_unit(dying);
        return;
    }
    if (dying->is_dead) return;
    dying->is_dead = true;
    RT_GROW(dead, dead_count, dead_room);
    dead[dead_count++] = dying;
}

static const char *text_of_unit(void *thing) {
    (void)thing;
    return "#<code>";
}

static const rt_foreign_kind unit_kind = {unit_dies, text_of_unit};

rt_value rt_hold_unit(rt_unit *held) {
    if (held->holder != RT_FALSE) return rt_dup(held->holder);
    held->holder = rt_new_foreign(&unit_kind, held);   /* its code still runs */
    return held->holder;
}

/* A constant may be the last holder of another unit: so this goes on until none is added. */
static void free_all_dead(void) {
    for (;;) {
        rt_unit *found = NULL;
        for (size_t i = 0; i < dead_count && found == NULL; i++) {
            rt_unit *each = dead[i];
            if (each->holder == RT_FALSE && each->is_running) continue;
            dead[i--] = dead[--dead_count];
            each->is_dead = false;
            if (each->holder == RT_FALSE) found = each;
        }
        if (found == NULL) return;
        free_unit(found);
    }
}

void rt_free_dead_units(void) {
    if (dead_count <= dead_limit) return;
    rt_mark_running_units(true);
    free_all_dead();
    rt_mark_running_units(false);
    dead_limit = 2 * dead_count > FEWEST_DEAD ? 2 * dead_count : FEWEST_DEAD;
}

void rt_end_units(void) {
    free_all_dead();
    has_ended = true;
}

rt_unit *rt_load_unit(char *memory, size_t size) {
    static bool has_started;
    begin(memory, size);
    uint64_t flags = number();
    if (flags & NEEDS_TENSORS && !rt_world_needs_tensors()) {
        free(memory);
        return NULL;
    }
    if (!has_started) {
        rt_start_evaluator();
        rt_make_table_literals();
        has_started = true;
    }
    unit = rt_malloc(sizeof *unit);
    memset(unit, 0, sizeof *unit);
    unit->memory = memory;
    unit->is_open = (flags & OPEN) != 0;
    unit->holder = RT_FALSE;
    unit->world = rt_hold_world();
    unit->source = text_or_null();
    make_library_literals();
    read_imports();
    read_operators();
    read_globals();
    read_texts();
    read_locations();
    read_functions();
    for (size_t i = 0; i < unit->constant_count; i++) unit->constants[i] = read_constant();
    if (unit->is_open) rt_hold_unit(unit);
    return unit;
}
