/* code.h - the code that the evaluator runs: owned ANF as instructions on registers.
 *
 * lang/evaluator/emit_code.py writes it, one instruction for an operation; load_code.c reads it,
 * and evaluate.c runs it.  A function's parameters are its first registers, captures before the
 * others.  Every register holds an rt_value: booleans are RT_TRUE and RT_FALSE.
 *
 * What a failure releases and records stands in a table beside the code, so that operations that
 * succeed pay nothing for it.
 */
#ifndef RT_EVALUATOR_CODE_H
#define RT_EVALUATOR_CODE_H

#include <rt_internal.h>

/* An operand list follows the instruction, four registers a word. */
typedef struct rt_instruction { uint8_t op, w; uint16_t a, b, c; } rt_instruction;

/* The order is that of OPCODES in lang/evaluator/opcodes.py. */
typedef enum rt_opcode {
#define RT_OPCODE(name) OP_##name,
#include "opcodes.h"
#undef RT_OPCODE
    OP_COUNT
} rt_opcode;

/* How a C function returns its result. */
typedef void rt_any_function(void);

/* A function of C that code calls: a primitive, or a procedure of the library. */
typedef struct rt_import { const char *name; rt_any_function *function; } rt_import;
/* An object or a variable of the library. */
typedef struct rt_data_import { const char *name; void *data; } rt_data_import;

/* Sorted by name; the generated table of the executable defines them. */
extern const rt_import rt_imports[];
extern const size_t rt_import_count;
extern const rt_data_import rt_data_imports[];
extern const size_t rt_data_import_count;

/* What code needs of tensors.  Operators of LibTorch have numbers; prepare makes room for some, and
 * define enters one.  find fails if LibTorch has no such operator, which call needs first.  reuses:
 * the first argument is freed right afterwards, so that its memory may hold the result. */
typedef struct rt_tensor_calls {
    const rt_tensor_hooks *hooks;
    void (*prepare)(size_t count);
    void (*define)(size_t number, const char *lisp_name, const char *usage, const char *name);
    rt_value (*value_of)(size_t number);   /* the procedure */
    int (*find)(size_t number);
    rt_value (*call)(size_t number, size_t count, const rt_value *arguments, bool reuses);
    rt_value (*literal)(size_t rank, const int64_t *sizes, size_t count, const rt_value *elements);
    bool (*set_grad_mode)(bool enabled);   /* returns the mode before */
} rt_tensor_calls;

/* In the generated table: NULL in the evaluator for programs without tensors. */
extern const rt_tensor_calls *const rt_code_tensors;

/* What the failure of an instruction does: release registers, then add locations to the trace.
 * data: [count, registers ..., count, locations ...]; a location's lowest bit is that of a tail
 * call, and a register with OF_GRAD_MODE holds a mode, which is restored. */
#define OF_GRAD_MODE ((uint32_t)1 << 16)
typedef struct rt_failure_row { uint32_t pc, data; } rt_failure_row;

/* function comes first, because a closure leads to it. */
typedef struct rt_code {
    rt_function function;
    rt_closure_object closure;   /* the procedure, if it captures nothing */
    uint32_t captures, parameters, registers, failure_count, borrowed_count;
    bool owns_captures, is_library;
    uint8_t entry_flags;         /* those of a frame that a call of a value enters */
    const rt_instruction *instructions;
    const rt_failure_row *failures;
    const uint32_t *failure_data;
    const uint16_t *borrowed;    /* the parameters that a call of a value frees at its end */
} rt_code;

/* What the code of a program refers to by number. */
typedef struct rt_loaded_code {
    size_t function_count, global_count;
    rt_code *functions;
    rt_any_function **imports;
    rt_value **globals;
    rt_value *own_globals;       /* those of the program */
    rt_value *constants;
    const char **texts;          /* names and messages */
    rt_location *locations;
    rt_code *main;
} rt_loaded_code;
extern rt_loaded_code rt_loaded;

/* Make the constants of the generated table's own code. */
void rt_make_table_literals(void);

/* Read the code in a file; ends the process with one line if it is none. */
void rt_read_code_file(const char *path);
/* Make its functions, and its constants; the runtime has started. */
void rt_load_code(void);

/* The entry points of all procedures that the evaluator runs. */
rt_entry rt_evaluator_entry;
rt_last_entry rt_evaluator_last_entry;
void rt_start_evaluator(void);
rt_value rt_run_main(void);

/* Frames that a call of a value has entered: what their end does. */
#define RT_FREES_PARAMETERS 1u
#define RT_OF_LIBRARY 2u
#define RT_HOLDS_CLOSURE 4u

#endif
