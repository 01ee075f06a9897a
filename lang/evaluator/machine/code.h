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

/* What code needs of tensors.  operator returns the operator of LibTorch with these names, which are
 * copied.  find fails if LibTorch has no such operator, which call needs first.  reuses: the first
 * argument is freed right afterwards, so that its memory may hold the result. */
typedef struct rt_operator rt_operator;
typedef struct rt_tensor_calls {
    const rt_tensor_hooks *hooks;
    rt_operator *(*operator)(const char *lisp_name, const char *usage, const char *name);
    rt_value (*value_of)(rt_operator *called);   /* the procedure */
    int (*find)(rt_operator *called);
    rt_value (*call)(rt_operator *called, size_t count, const rt_value *arguments, bool reuses);
    rt_value (*literal)(size_t rank, const int64_t *sizes, size_t count, const rt_value *elements);
    bool (*set_grad_mode)(bool enabled);   /* returns the mode before */
    /* Append the text that a session shows of a tensor: its rows, then dtype and shape. */
    int (*show_result)(rt_text *text, rt_value tensor);
    /* LibTorch's long calls poll as ours do, whatever else in the process asked them to. */
    void (*start_polls)(void);
} rt_tensor_calls;

/* In the generated table: NULL in the evaluator for programs without tensors. */
extern const rt_tensor_calls *const rt_code_tensors;

/* What the failure of an instruction does: release registers, then add locations to the trace.
 * data: [count, registers ..., count, locations ...]; a location's lowest bit is that of a tail
 * call, and a register with OF_GRAD_MODE holds a mode, which is restored. */
#define OF_GRAD_MODE ((uint32_t)1 << 16)
typedef struct rt_failure_row { uint32_t pc, data; } rt_failure_row;

/* function comes first, because a closure leads to it.  The tables are those of its unit. */
typedef struct rt_code {
    rt_function function;
    rt_closure_object closure;   /* the procedure, if it captures nothing; of closed units */
    uint32_t captures, parameters, registers, failure_count, borrowed_count;
    bool owns_captures, is_library;
    uint8_t entry_flags;         /* those of a frame that a call of a value enters */
    const rt_instruction *instructions;
    const rt_failure_row *failures;
    const uint32_t *failure_data;
    const uint16_t *borrowed;    /* the parameters that a call of a value frees at its end */
    struct rt_unit *unit;
    struct rt_code *functions;
    rt_any_function **imports;
    rt_value **globals;
    rt_value *constants;
    const char **texts;          /* names and messages */
} rt_code;

/* Code that was loaded together, and what it refers to by number.
 *
 * A closed unit is a whole program, and stays.  An open one lives as long as a procedure of it: its
 * closures have one capture more, the holder, and what holds nothing else is freed when no frame
 * runs its code any more (rt_free_dead_units).  Its constants are counted, too. */
typedef struct rt_unit {
    char *memory;                /* the file, in which instructions and texts lie */
    bool is_open;
    size_t function_count, constant_count;
    rt_code *functions;
    rt_any_function **imports;
    rt_operator **operators;
    rt_value **globals;
    rt_value *constants;
    const char **texts;
    const char **location_rows;      /* where each location lies in the memory */
    const rt_location **locations;   /* made when they are first needed */
    rt_code *main;
    const char *source;          /* of an open program: its text, for `eval` */
    struct rt_world *world;      /* whose variables it uses, if it is open */
    rt_value holder;             /* RT_FALSE: nothing holds it */
    bool is_dead, is_running;    /* for rt_free_dead_units */
    uint64_t *objects;           /* the numbers of variables that only this code names (ask.c) */
    size_t object_count;
} rt_unit;

/* The location with a number.  Those of an open unit outlive it, because failures refer to them:
 * equal ones are one. */
RT_COLD const rt_location *rt_unit_location(rt_unit *unit, size_t number);
/* The holder of an open unit, owned. */
rt_value rt_hold_unit(rt_unit *unit);
/* Free the units that nothing holds, and no frame uses. */
void rt_free_dead_units(void);
/* Nothing runs any more: free units as soon as nothing holds them. */
void rt_end_units(void);
/* Set is_running of the units of all frames (evaluate.c). */
void rt_mark_running_units(bool running);

/* Make the constants of the generated table's own code. */
void rt_make_table_literals(void);

/* The code in a file; ends the process with one line if it is none.  It is loaded when the runtime
 * has started. */
char *rt_read_code_file(const char *path, size_t *size);
/* Make the functions and constants of some code, whose memory is moved in; an open unit is held once,
 * by its holder.  Ends the process if it is damaged; returns NULL with an error if it needs tensors,
 * and these are not available. */
rt_unit *rt_load_unit(char *memory, size_t size);
/* Whether the code in a file uses tensors. */
bool rt_code_needs_tensors(const char *memory, size_t size);

/* The entry points of all procedures that the evaluator runs. */
rt_entry rt_evaluator_entry;
rt_last_entry rt_evaluator_last_entry;
void rt_start_evaluator(void);
/* Run the top level of a unit; its value, owned.  An open unit is held meanwhile. */
rt_value rt_run_unit(rt_unit *unit);

/* Frames that a call of a value has entered: what their end does. */
#define RT_FREES_PARAMETERS 1u
#define RT_OF_LIBRARY 2u
#define RT_HOLDS_CLOSURE 4u

#endif
