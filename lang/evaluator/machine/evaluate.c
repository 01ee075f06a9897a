/* evaluate.c - runs the code of code.h.
 *
 * Frames lie on a stack of their own, so that a call of code by code is not a call of C: a frame's
 * registers follow those of its caller.  C code calls procedures of the evaluator as any other
 * (rt_entry), and then a new loop runs until the frame that it began with ends.
 *
 * A tail call of code replaces the frame.  One of C code goes to the trampoline, as in compiled
 * code: the loop returns RT_TAIL if its first frame ends so, and else runs it to its result.
 */
#define _GNU_SOURCE   /* mmap's MAP_NORESERVE */
#include "code.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MEBIBYTE ((size_t)1 << 20)
#define SMALLEST_PART 64
#define LARGEST_RESERVE (8 * MEBIBYTE)

typedef struct frame {
    const rt_code *code;
    rt_value *registers;
    const rt_instruction *pc;   /* of its call, while it waits for the result */
    rt_value held;              /* a closure that is freed with the frame */
    unsigned flags;
} frame;

/* The first free register, and the frame after the last one. */
static rt_value *first_register, *top, *register_limit;
static frame *first_frame, *next_frame, *frame_limit;

/* ---- The stack ----------------------------------------------------------- */

/* Memory whose pages are mapped when they are used; less of it where the machine allows less.  size
 * becomes what may be used before the stack is full; some is left for functions that cannot be
 * recursive, which do not look. */
static void *map_stack(size_t *size) {
    for (size_t part = *size; part >= *size / SMALLEST_PART; part /= 2) {
        void *memory = mmap(NULL, part, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) continue;
        *size = part - (part / 8 < LARGEST_RESERVE ? part / 8 : LARGEST_RESERVE);
        return memory;
    }
    fprintf(stderr, "not enough memory for the stack\n");
    exit(RT_EXIT_RUNTIME);
}

void rt_start_evaluator(void) {
    /* Together smaller than the stack of C, which is mapped, too. */
    size_t registers = rt_stack_size() / 8 * 3, frames = rt_stack_size() / 4;
    first_register = top = map_stack(&registers);
    register_limit = top + registers / sizeof *top;
    first_frame = next_frame = map_stack(&frames);
    frame_limit = next_frame + frames / sizeof *next_frame;
}

void rt_forget_frames(void) {
    top = first_register;
    next_frame = first_frame;
}

void rt_mark_running_units(bool running) {
    for (const frame *each = first_frame; each < next_frame; each++)
        each->code->unit->is_running = running;
}

static int check_stack(bool steady) {
    if ((steady ? rt_enter_steady() : rt_enter()) != 0) return 1;
    if (RT_LIKELY(top < register_limit && next_frame < frame_limit)) return 0;
    return rt_status(rt_fail_depth());
}

/* A call by C code, or by code: the registers after the frame are the callee's. */
static frame *push_frame(const rt_code *code, unsigned flags, rt_value held) {
    frame *made = next_frame++;
    made->code = code;
    made->registers = top;
    made->held = held;
    made->flags = flags;
    top += code->registers;
    return made;
}

/* What the end of a frame does that a call of a value has entered. */
static void leave_frame(frame *left) {
    if (left->flags & RT_FREES_PARAMETERS)
        for (uint32_t i = 0; i < left->code->borrowed_count; i++)
            rt_free(left->registers[left->code->borrowed[i]]);
    if (left->flags & RT_HOLDS_CLOSURE) rt_free(left->held);
    left->flags = 0;
}

/* ---- Failures ------------------------------------------------------------ */

static const rt_failure_row *failure_at(const rt_code *code, uint32_t pc) {
    size_t low = 0, high = code->failure_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (code->failures[middle].pc < pc) low = middle + 1;
        else high = middle;
    }
    if (low == code->failure_count || code->failures[low].pc != pc) return NULL;
    return &code->failures[low];
}

static const uint32_t *failure_data_at(const rt_code *code, const rt_instruction *pc) {
    const rt_failure_row *row = failure_at(code, (uint32_t)(pc - code->instructions));
    return row == NULL ? NULL : code->failure_data + row->data;
}

/* Record the location of an instruction that gets a tensor, for reports: it is the first one that
 * its failure adds to the trace. */
RT_COLD static void record(const rt_code *code, const rt_instruction *pc) {
    const uint32_t *data = failure_data_at(code, pc);
    if (data == NULL) return;
    const uint32_t *notes = data + data[0] + 1;
    if (notes[0] > 0) rt_here = rt_unit_location(code->unit, notes[1] >> 1);
}

/* Release what the failed instruction leaves behind, and record where it was. */
RT_COLD static void clean_up(const frame *failed, const rt_instruction *pc) {
    const uint32_t *data = failure_data_at(failed->code, pc);
    if (data == NULL) return;
    uint32_t freed = *data++;
    const uint32_t *notes = data + freed;
    for (uint32_t i = 0; i < notes[0]; i++) {
        const rt_location *location = rt_unit_location(failed->code->unit, notes[i + 1] >> 1);
        if (notes[i + 1] & 1) rt_at_tail(location);
        else rt_at(location);
    }
    for (uint32_t i = 0; i < freed; i++) {
        rt_value held = failed->registers[data[i] & (OF_GRAD_MODE - 1)];
        if (data[i] & OF_GRAD_MODE) rt_code_tensors->set_grad_mode(held != RT_FALSE);
        else rt_free_cold(held);
    }
}

/* ---- Calls of C functions ------------------------------------------------ */

#define MOST_C_PARAMETERS 16

#define V rt_value

/* One switch for each way to return a result. */
#define C_CALLS(name, result, ONE, MORE, PASS_ONE, PASS_MORE)                                   \
    static result name(rt_any_function *f, size_t count, const rt_value *v EXTRA) {             \
        switch (count) {                                                                        \
        case 0: return ((result (*)(ONE))f)(PASS_ONE);                                          \
        case 1: return ((result (*)(V MORE))f)(v[0] PASS_MORE);                                 \
        case 2: return ((result (*)(V, V MORE))f)(v[0], v[1] PASS_MORE);                        \
        case 3: return ((result (*)(V, V, V MORE))f)(v[0], v[1], v[2] PASS_MORE);               \
        case 4:                                                                                 \
            return ((result (*)(V, V, V, V MORE))f)(v[0], v[1], v[2], v[3] PASS_MORE);          \
        case 5:                                                                                 \
            return ((result (*)(V, V, V, V, V MORE))f)(v[0], v[1], v[2], v[3], v[4] PASS_MORE); \
        case 6:                                                                                 \
            return ((result (*)(V, V, V, V, V, V MORE))f)(                                      \
                v[0], v[1], v[2], v[3], v[4], v[5] PASS_MORE);                                  \
        case 7:                                                                                 \
            return ((result (*)(V, V, V, V, V, V, V MORE))f)(                                   \
                v[0], v[1], v[2], v[3], v[4], v[5], v[6] PASS_MORE);                            \
        case 8:                                                                                 \
            return ((result (*)(V, V, V, V, V, V, V, V MORE))f)(                                \
                v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7] PASS_MORE);                      \
        case 9:                                                                                 \
            return ((result (*)(V, V, V, V, V, V, V, V, V MORE))f)(                             \
                v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8] PASS_MORE);                \
        case 10:                                                                                \
            return ((result (*)(V, V, V, V, V, V, V, V, V, V MORE))f)(                          \
                v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9] PASS_MORE);          \
        case 11:                                                                                \
            return ((result (*)(V, V, V, V, V, V, V, V, V, V, V MORE))f)(                       \
                v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10] PASS_MORE);   \
        case 12:                                                                                \
            return ((result (*)(V, V, V, V, V, V, V, V, V, V, V, V MORE))f)(                    \
                v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10],              \
                v[11] PASS_MORE);                                                               \
        }                                                                                       \
        abort();   /* emit_code refuses calls with more */                                      \
    }

#define NOTHING
#define COMMA ,
#define EXTRA
C_CALLS(call_value, rt_value, void, NOTHING, NOTHING, NOTHING)
C_CALLS(call_boolean, bool, void, NOTHING, NOTHING, NOTHING)
C_CALLS(call_fixnum, int64_t, void, NOTHING, NOTHING, NOTHING)
C_CALLS(call_float, double, void, NOTHING, NOTHING, NOTHING)
C_CALLS(call_number, rt_number, void, NOTHING, NOTHING, NOTHING)
C_CALLS(call_tensor, struct ct_tensor *, void, NOTHING, NOTHING, NOTHING)
C_CALLS(call_status, int, void, NOTHING, NOTHING, NOTHING)
#undef EXTRA
#define EXTRA , bool *r
C_CALLS(call_boolean_status, int, bool *, COMMA bool *, r, COMMA r)
#undef EXTRA
#define EXTRA , int64_t *r
C_CALLS(call_fixnum_status, int, int64_t *, COMMA int64_t *, r, COMMA r)
#undef EXTRA
#define EXTRA , double *r
C_CALLS(call_float_status, int, double *, COMMA double *, r, COMMA r)
#undef EXTRA

static void call_void(rt_any_function *f, size_t count, const rt_value *v) {
    switch (count) {
    case 0: ((void (*)(void))f)(); return;
    case 1: ((void (*)(V))f)(v[0]); return;
    case 2: ((void (*)(V, V))f)(v[0], v[1]); return;
    case 3: ((void (*)(V, V, V))f)(v[0], v[1], v[2]); return;
    case 4: ((void (*)(V, V, V, V))f)(v[0], v[1], v[2], v[3]); return;
    case 5: ((void (*)(V, V, V, V, V))f)(v[0], v[1], v[2], v[3], v[4]); return;
    }
    abort();
}

/* Functions with a rest parameter: count of the other parameters, then the array. */
static rt_value call_rest(
    rt_any_function *f, size_t fixed, const rt_value *v, size_t count, const rt_value *items
) {
    switch (fixed) {
    case 0: return ((rt_value (*)(size_t, const V *))f)(count, items);
    case 1: return ((rt_value (*)(V, size_t, const V *))f)(v[0], count, items);
    case 2: return ((rt_value (*)(V, V, size_t, const V *))f)(v[0], v[1], count, items);
    }
    abort();
}
static int call_rest_status(
    rt_any_function *f, size_t fixed, const rt_value *v, size_t count, const rt_value *items
) {
    switch (fixed) {
    case 0: return ((int (*)(size_t, const V *))f)(count, items);
    case 1: return ((int (*)(V, size_t, const V *))f)(v[0], count, items);
    case 2: return ((int (*)(V, V, size_t, const V *))f)(v[0], v[1], count, items);
    }
    abort();
}
static int call_rest_boolean(
    rt_any_function *f, size_t fixed, const rt_value *v, size_t count, const rt_value *items,
    bool *r
) {
    switch (fixed) {
    case 0: return ((int (*)(size_t, const V *, bool *))f)(count, items, r);
    case 1: return ((int (*)(V, size_t, const V *, bool *))f)(v[0], count, items, r);
    }
    abort();
}

/* ---- The loop ------------------------------------------------------------ */

/* How many words an operand list takes. */
static inline size_t list_words(size_t count) { return (count + 3) / 4; }

static inline const uint16_t *list_of(const rt_instruction *pc) {
    return (const uint16_t *)(const void *)(pc + 1);
}

static inline uint32_t wide(uint16_t low, uint16_t high) { return (uint32_t)high << 16 | low; }

/* The code of a procedure that takes that many arguments one to one; NULL for another value. */
static inline const rt_code *exact_code(rt_value callee, size_t count) {
    if (!rt_takes_exactly(callee, count)) return NULL;
    const rt_function *function = rt_function_of(callee);
    if (function->entry != rt_evaluator_entry) return NULL;
    return (const rt_code *)(const void *)function;
}

/* The captures of a closure as the first registers; is_last: the closure is consumed.  Returns the
 * flags of the frame, which then holds the closure, if its code only borrows them. */
static unsigned take_captures(
    const rt_code *code, rt_value callee, rt_value *registers, bool is_last
) {
    size_t count = code->captures;
    if (count > 0 && !code->owns_captures) {
        memcpy(registers, rt_captures(callee), count * sizeof *registers);
    } else if (is_last && count > 0) {
        if (code->unit->is_open && rt_object_of(callee)->count == 1)
            rt_free(rt_captures(callee)[count]);   /* the holder; this frame keeps the unit */
        rt_take_captures(callee, count, registers);
        return code->entry_flags;
    } else {
        for (size_t i = 0; i < count; i++) registers[i] = rt_dup(rt_captures(callee)[i]);
    }
    return code->entry_flags | (is_last ? RT_HOLDS_CLOSURE : 0);
}

static inline bool both_doubles(rt_value a, rt_value b) { return (a & 7) == 2 && (b & 7) == 2; }

#define A registers[pc->a]
#define B registers[pc->b]
#define C registers[pc->c]
#define IMMEDIATE(x) ((rt_value)(int64_t)(int16_t)(x) << 1 | 1)
#define TARGET(word) (code->instructions + wide((word)->b, (word)->c))
#define NEXT(words) { pc += (words); continue; }
#define FAIL_IF(test) do { if (RT_UNLIKELY(test)) goto failed; } while (0)

#define ARITHMETIC(name, function, operator, second)                                         \
    case OP_##name: {                                                                         \
        rt_value x = B, y = second, result;                                                   \
        int64_t word;                                                                         \
        if (RT_LIKELY(function##_quickly(x, y, &word))) result = (rt_value)word;              \
        else if (both_doubles(x, y))                                                          \
            result = rt_of_double(rt_tagged_double(x) operator rt_tagged_double(y));          \
        else {                                                                                \
            if (rt_is_tensor(x) || rt_is_tensor(y)) record(code, pc);                         \
            if (pc->w) result = rt_compute_freeing(function##_slow, x, y, pc->w);             \
            else result = function##_slow(x, y);                                              \
        }                                                                                     \
        FAIL_IF(result == RT_ERROR);                                                          \
        A = result;                                                                           \
        NEXT(1)                                                                               \
    }
#define COMPARISON(name, function, operator, second)                                         \
    case OP_##name: {                                                                         \
        rt_value x = A, y = second;                                                           \
        bool holds;                                                                           \
        if (RT_LIKELY(rt_both_fixnums(x, y))) holds = (int64_t)x operator (int64_t)y;         \
        else if (both_doubles(x, y)) holds = rt_tagged_double(x) operator rt_tagged_double(y); \
        else if (pc->w)                                                                       \
            FAIL_IF(rt_compare_freeing(function##_slow, x, y, pc->w, &holds) != 0);           \
        else FAIL_IF(function##_slow(x, y, &holds) != 0);                                     \
        if (holds) NEXT(2)                                                                    \
        pc = TARGET(pc + 1);                                                                  \
        continue;                                                                             \
    }
#define UNLESS(name, test)                                                                    \
    case OP_##name:                                                                           \
        if (test) NEXT(2)                                                                     \
        pc = TARGET(pc + 1);                                                                  \
        continue;

/* The operands of a call, in an array after the frame. */
#define GATHER(target, first, count)                                                          \
    do {                                                                                      \
        const uint16_t *list = list_of(pc) + (first);                                         \
        for (size_t k = 0; k < (count); k++) (target)[k] = registers[list[k]];                \
    } while (0)

/* The bits in w of calls of the library's procedures. */
#define CAUGHT 1      /* a failure becomes RT_ERROR in the register */
#define FINISHED 2    /* the result may be RT_TAIL */

/* The bits in w of reads of variables that may have no value. */
#define OWNED 1
#define HINTED 2      /* a word with a hint follows */

#define C_CALL(name, statement, is_failure, boxed)                                            \
    case OP_##name: {                                                                         \
        rt_value arguments[MOST_C_PARAMETERS];                                                \
        size_t count = pc->c;                                                                 \
        GATHER(arguments, 0, count);                                                          \
        statement;                                                                            \
        if (RT_UNLIKELY(is_failure)) {                                                        \
            if (!(pc->w & CAUGHT)) goto failed;                                               \
            A = RT_ERROR;                                                                     \
        } else {                                                                              \
            A = boxed;                                                                        \
        }                                                                                     \
        NEXT(1 + list_words(count))                                                           \
    }

static rt_value run(frame *const bottom) {
    frame *here = bottom;
    const rt_code *code = here->code;
    const rt_instruction *pc = code->instructions;
    rt_value *registers = here->registers, value;
    for (;;) {
        switch ((rt_opcode)pc->op) {
        case OP_MOVE: A = B; NEXT(1)
        case OP_CONSTANT: A = code->constants[wide(pc->b, pc->c)]; NEXT(1)
        case OP_GLOBAL: A = *code->globals[wide(pc->b, pc->c)]; NEXT(1)
        case OP_GLOBAL_DUP: A = rt_dup(*code->globals[wide(pc->b, pc->c)]); NEXT(1)
        case OP_GLOBAL_CHECKED: {
            rt_value held = *code->globals[wide(pc->b, pc->c)];
            bool has_hint = (pc->w & HINTED) != 0;
            if (RT_UNLIKELY(held == RT_UNBOUND)) {
                const char *hint = has_hint ? code->texts[wide(pc[2].b, pc[2].c)] : NULL;
                rt_fail_unbound(code->texts[wide(pc[1].b, pc[1].c)], hint);
                goto failed;
            }
            A = pc->w & OWNED ? rt_dup(held) : held;
            NEXT(has_hint ? 3 : 2)
        }
        case OP_GLOBAL_DEFINE:
            rt_global_define(code->globals[wide(pc->b, pc->c)], A);
            NEXT(1)
        case OP_GLOBAL_INITIALIZE: {   /* of the library, which other code may have done */
            rt_value *variable = code->globals[wide(pc->b, pc->c)];
            if (*variable == RT_UNBOUND) *variable = A;
            else rt_free(A);
            NEXT(1)
        }
        case OP_GLOBAL_SET: {
            const char *name = code->texts[wide(pc[1].b, pc[1].c)];
            FAIL_IF(rt_global_set(code->globals[wide(pc->b, pc->c)], A, name, NULL) != 0);
            NEXT(2)
        }
        case OP_DUP: A = rt_dup(B); NEXT(1)
        case OP_FREE: rt_free(A); NEXT(1)
        case OP_FREE_PAIR: rt_free_keeping(A, pc->b & 1, (pc->b & 2) != 0); NEXT(1)
        case OP_FREE_VECTOR: case OP_FREE_RECORD: {
            uint64_t mask;
            size_t count = pc->c;
            memcpy(&mask, pc + 1, sizeof mask);
            rt_value *kept = top;
            const uint16_t *list = list_of(pc + 1);
            for (size_t k = 0; k < count; k++) kept[k] = registers[list[k]];
            if (pc->op == OP_FREE_VECTOR) rt_free_vector_keeping(A, mask, count, kept);
            else rt_free_record_keeping(A, mask, count, kept);
            NEXT(2 + list_words(count))
        }
        case OP_NEW_CELL: A = rt_new_cell(B); NEXT(1)
        case OP_CELL_GET: A = rt_cell_get(B); NEXT(1)
        case OP_CELL_SET: rt_cell_set(A, B); NEXT(1)
        case OP_SLOT_SET: {
            rt_value old = A;
            A = B;
            rt_free(old);
            NEXT(1)
        }
        case OP_TRUTH: {
            bool holds;
            FAIL_IF(rt_truth(B, &holds) != 0);
            A = rt_of_boolean(holds);
            NEXT(1)
        }
        case OP_ABSENT: A = rt_of_boolean(B == RT_ABSENT); NEXT(1)

        case OP_JUMP: pc = TARGET(pc); continue;
        case OP_LOOP: {
            const rt_instruction *target = TARGET(pc);
            FAIL_IF(rt_poll() != 0);
            pc = target;
            continue;
        }
        case OP_LOOP_OR_LEAVE: rt_poll_or_leave(); pc = TARGET(pc); continue;
        case OP_JUMP_IF_FALSE:
            if (A != RT_FALSE) NEXT(1)
            pc = TARGET(pc);
            continue;
        case OP_CHECK_STACK: FAIL_IF(check_stack(false) != 0); NEXT(1)
        case OP_CHECK_STACK_STEADY: FAIL_IF(check_stack(true) != 0); NEXT(1)
        case OP_FAIL:
            rt_fail_hint(code->texts[wide(pc->b, pc->c)],
                         pc->w ? code->texts[wide(pc[1].b, pc[1].c)] : NULL);
            goto failed;
        case OP_RETURN: value = A; goto returned;

        case OP_CALL: {
            const rt_code *callee = &code->functions[pc->b];
            GATHER(top, 0, (size_t)pc->c);
            here->pc = pc;
            here = push_frame(callee, 0, RT_FALSE);
            goto entered;
        }
        case OP_CALL_VALUE: case OP_CALL_LAST: {
            rt_value callee = B;
            size_t count = pc->c;
            bool is_last = pc->op == OP_CALL_LAST;
            const rt_code *found = exact_code(callee, count);
            if (RT_LIKELY(found != NULL)) {
                GATHER(top + found->captures, 0, count);
                here->pc = pc;
                unsigned flags = take_captures(found, callee, top, is_last);
                here = push_frame(found, flags, callee);
                goto entered;
            }
            rt_value *arguments = top;
            GATHER(arguments, 0, count);
            top += count;   /* a primitive reads them while it calls others */
            value = is_last ? rt_last_call(callee, count, arguments)
                            : rt_call(callee, count, arguments);
            top -= count;
            FAIL_IF(value == RT_ERROR);
            A = value;
            NEXT(1 + list_words(count))
        }
        case OP_CALL_SPREAD: {
            size_t count = pc->c;
            rt_value *arguments = top;
            GATHER(arguments, 0, count);
            top += count;
            value = rt_call_spread(B, count, arguments);
            top -= count;
            FAIL_IF(value == RT_ERROR);
            A = value;
            NEXT(1 + list_words(count))
        }
        case OP_TAIL_CALL: {
            const rt_code *callee = &code->functions[pc->b];
            size_t count = pc->c;
            GATHER(top, 0, count);
            if (RT_UNLIKELY(here->flags != 0)) {   /* it has to free what the callee may borrow */
                here->pc = pc;
                here = push_frame(callee, 0, RT_FALSE);
                goto entered;
            }
            memmove(registers, top, count * sizeof *registers);
            here->code = callee;
            top = registers + callee->registers;
            goto entered;
        }
        case OP_TAIL_VALUE: {
            rt_value callee = B;
            size_t count = pc->c;
            const rt_code *found = exact_code(callee, count);
            if (RT_LIKELY(found != NULL) && RT_LIKELY(rt_stack_limit != UINTPTR_MAX)) {
                GATHER(top, 0, count);
                if (here->flags != 0) leave_frame(here);
                memmove(registers + found->captures, top, count * sizeof *registers);
                here->flags = take_captures(found, callee, registers, true);
                here->held = callee;
                here->code = found;
                top = registers + found->registers;
                goto entered;
            }
            rt_value *arguments = top;
            GATHER(arguments, 0, count);
            top += count;
            value = rt_tail_call(callee, count, arguments);
            top -= count;
            goto tail_called;
        }
        case OP_TAIL_SPREAD: {
            size_t count = pc->c;
            rt_value *arguments = top;
            GATHER(arguments, 0, count);
            top += count;
            value = rt_tail_call_spread(B, count, arguments);
            top -= count;
            goto tail_called;
        }
        case OP_TAIL_C: {
            rt_value arguments[MOST_C_PARAMETERS];
            GATHER(arguments, 0, (size_t)pc->c);
            value = call_value(code->imports[pc->b], pc->c, arguments);
            goto tail_called;
        }
        case OP_TAIL_MANY: {
            rt_value (*function)(const V *) = (rt_value (*)(const V *))code->imports[pc->b];
            size_t count = pc->c;
            GATHER(top, 0, count);
            value = function(top);
            goto tail_called;
        }
        case OP_CLOSURE: {
            size_t count = pc->c;
            GATHER(top, 0, count);
            const rt_code *made = &code->functions[pc->b];
            if (code->unit->is_open) top[count++] = rt_hold_unit(code->unit);
            A = rt_new_closure(&made->function, count, top);
            NEXT(1 + list_words(pc->c))
        }

        C_CALL(C_VALUE,
               value = call_value(code->imports[pc->b], count, arguments);
               if (pc->w & FINISHED) value = rt_finish(value),
               value == RT_ERROR, value)
        C_CALL(C_BOOLEAN, bool r = call_boolean(code->imports[pc->b], count, arguments),
               false, rt_of_boolean(r))
        C_CALL(C_BOOLEAN_STATUS,
               bool r = false;
               int status = call_boolean_status(code->imports[pc->b], count, arguments, &r),
               status != 0, rt_of_boolean(r))
        C_CALL(C_FIXNUM, int64_t r = call_fixnum(code->imports[pc->b], count, arguments),
               false, rt_of_fixnum(r))
        C_CALL(C_FIXNUM_STATUS,
               int64_t r = 0;
               int status = call_fixnum_status(code->imports[pc->b], count, arguments, &r),
               status != 0, rt_of_fixnum(r))
        C_CALL(C_FLOAT, double r = call_float(code->imports[pc->b], count, arguments),
               false, rt_of_double(r))
        C_CALL(C_FLOAT_STATUS,
               double r = 0;
               int status = call_float_status(code->imports[pc->b], count, arguments, &r),
               status != 0, rt_of_double(r))
        C_CALL(C_NUMBER,
               rt_number r = call_number(code->imports[pc->b], count, arguments),
               r.value == RT_ERROR, rt_box(r))
        C_CALL(C_VOID, call_void(code->imports[pc->b], count, arguments), false,
               RT_UNSPECIFIED)
        C_CALL(C_VOID_STATUS,
               int status = call_status(code->imports[pc->b], count, arguments),
               status != 0, RT_UNSPECIFIED)
        case OP_C_REST: case OP_C_REST_BOOLEAN_STATUS: case OP_C_REST_VOID_STATUS: {
            size_t count = pc->c, fixed = pc->w;
            rt_value *arguments = top;
            rt_any_function *function = code->imports[pc->b];
            GATHER(arguments, 0, count);
            top += count;
            const rt_value *items = count > fixed ? arguments + fixed : NULL;
            if (pc->op == OP_C_REST) {
                value = call_rest(function, fixed, arguments, count - fixed, items);
            } else if (pc->op == OP_C_REST_VOID_STATUS) {
                int status = call_rest_status(function, fixed, arguments, count - fixed, items);
                value = status ? RT_ERROR : RT_UNSPECIFIED;
            } else {
                bool r = false;
                int status =
                    call_rest_boolean(function, fixed, arguments, count - fixed, items, &r);
                value = status ? RT_ERROR : rt_of_boolean(r);
            }
            top -= count;
            FAIL_IF(value == RT_ERROR);
            A = value;
            NEXT(1 + list_words(count))
        }
        case OP_C_FREEING: {
            rt_value (*function)(V, V, int) =
                (rt_value (*)(V, V, int))code->imports[wide(pc[1].b, pc[1].c)];
            value = function(B, C, pc->w);
            FAIL_IF(value == RT_ERROR);
            A = value;
            NEXT(2)
        }
        case OP_C_FREEING_STATUS: {
            int (*function)(V, V, int, bool *) =
                (int (*)(V, V, int, bool *))code->imports[wide(pc[1].b, pc[1].c)];
            bool r = false;
            FAIL_IF(function(B, C, pc->w, &r) != 0);
            A = rt_of_boolean(r);
            NEXT(2)
        }

        C_CALL(C_TENSOR,
               struct ct_tensor *r = call_tensor(code->imports[pc->b], count, arguments);
               if (r != NULL) value = rt_of_tensor(r),
               r == NULL, value)
        case OP_OPERATOR: {
            size_t count = pc->c;
            rt_operator *operator = code->unit->operators[pc->b];
            if (rt_code_tensors->find(operator) != 0) {
                pc++;   /* where the failure is that of its name */
                goto failed;
            }
            rt_value *arguments = top;
            const uint16_t *list = list_of(pc + 1);
            for (size_t k = 0; k < count; k++) arguments[k] = registers[list[k]];
            value = rt_code_tensors->call(operator, count, arguments, pc->w != 0);
            FAIL_IF(value == RT_ERROR);
            A = value;
            NEXT(2 + list_words(count))
        }
        case OP_LITERAL: {
            size_t count = pc->b, rank = pc->c;
            const int64_t *sizes = (const int64_t *)(const void *)(pc + 1);
            const uint16_t *list = list_of(pc + rank);
            const rt_value *elements = top;
            size_t elements_count = count;
            for (size_t k = 0; k < count; k++) top[k] = registers[list[k]];
            if (pc->w) {
                elements_count = rt_vector_of(top[0])->length;
                elements = rt_vector_of(top[0])->items;
            }
            value = rt_code_tensors->literal(rank, sizes, elements_count, elements);
            FAIL_IF(value == RT_ERROR);
            A = value;
            NEXT(1 + rank + list_words(count))
        }
        case OP_SET_GRAD_MODE:
            A = rt_of_boolean(rt_code_tensors->set_grad_mode(pc->w != 0));
            NEXT(1)
        case OP_RESTORE_GRAD_MODE: rt_code_tensors->set_grad_mode(A != RT_FALSE); NEXT(1)
        case OP_HERE: {
            rt_unit *unit = code->unit;
            size_t number = wide(pc->b, pc->c);
            const rt_location *known = unit->locations[number];
            rt_here = RT_LIKELY(known != NULL) ? known : rt_unit_location(unit, number);
            NEXT(1)
        }

        case OP_C_MANY: {
            rt_value (*function)(const V *) = (rt_value (*)(const V *))code->imports[pc->b];
            size_t count = pc->c;
            GATHER(top, 0, count);
            value = function(top);
            if (pc->w & FINISHED) value = rt_finish(value);
            FAIL_IF(value == RT_ERROR && !(pc->w & CAUGHT));
            A = value;
            NEXT(1 + list_words(count))
        }

        ARITHMETIC(ADD, rt_add, +, C)
        ARITHMETIC(SUBTRACT, rt_subtract, -, C)
        ARITHMETIC(MULTIPLY, rt_multiply, *, C)
        ARITHMETIC(ADD_I, rt_add, +, IMMEDIATE(pc->c))
        ARITHMETIC(SUBTRACT_I, rt_subtract, -, IMMEDIATE(pc->c))
        case OP_CAR: value = rt_car_projection(B); FAIL_IF(value == RT_ERROR); A = rt_dup(value);
            NEXT(1)
        case OP_CDR: value = rt_cdr_projection(B); FAIL_IF(value == RT_ERROR); A = rt_dup(value);
            NEXT(1)
        case OP_CAR_BORROWED: value = rt_car_projection(B); FAIL_IF(value == RT_ERROR); A = value;
            NEXT(1)
        case OP_CDR_BORROWED: value = rt_cdr_projection(B); FAIL_IF(value == RT_ERROR); A = value;
            NEXT(1)
        case OP_CONS: A = rt_cons(B, C); NEXT(1)
        case OP_VECTOR_REF: case OP_VECTOR_REF_BORROWED:
            value = rt_vector_ref_projection(B, C);
            FAIL_IF(value == RT_ERROR);
            A = pc->op == OP_VECTOR_REF ? rt_dup(value) : value;
            NEXT(1)
        case OP_VECTOR_SET: FAIL_IF(rt_vector_set(A, B, C) != 0); NEXT(1)
        case OP_RECORD_REF: case OP_RECORD_REF_BORROWED: {
            const uint16_t *list = list_of(pc);
            value = rt_record_ref_projection(B, C, registers[list[0]], registers[list[1]]);
            FAIL_IF(value == RT_ERROR);
            A = pc->op == OP_RECORD_REF ? rt_dup(value) : value;
            NEXT(2)
        }

        COMPARISON(UNLESS_EQUAL, rt_equal_numbers, ==, B)
        COMPARISON(UNLESS_LESS, rt_less, <, B)
        COMPARISON(UNLESS_GREATER, rt_greater, >, B)
        COMPARISON(UNLESS_LESS_OR_EQUAL, rt_less_or_equal, <=, B)
        COMPARISON(UNLESS_GREATER_OR_EQUAL, rt_greater_or_equal, >=, B)
        COMPARISON(UNLESS_EQUAL_I, rt_equal_numbers, ==, IMMEDIATE(pc->b))
        COMPARISON(UNLESS_LESS_I, rt_less, <, IMMEDIATE(pc->b))
        COMPARISON(UNLESS_GREATER_I, rt_greater, >, IMMEDIATE(pc->b))
        COMPARISON(UNLESS_LESS_OR_EQUAL_I, rt_less_or_equal, <=, IMMEDIATE(pc->b))
        COMPARISON(UNLESS_GREATER_OR_EQUAL_I, rt_greater_or_equal, >=, IMMEDIATE(pc->b))
        UNLESS(UNLESS_EQ, rt_eq(A, B))
        UNLESS(UNLESS_NULL, rt_is_null(A))
        UNLESS(UNLESS_PAIR, rt_is_pair(A))
        UNLESS(UNLESS_FALSE, A == RT_FALSE)
        case OP_COUNT: break;
        }
        abort();

    tail_called:   /* an error is of this frame, and RT_TAIL replaces it */
        FAIL_IF(value == RT_ERROR);
        if (value != RT_TAIL || here == bottom) goto returned;
        if (here->flags != 0) leave_frame(here);
        value = rt_trampoline();
        if (value != RT_ERROR) goto returned;
        goto left;

    returned:
        if (RT_UNLIKELY(here->flags != 0)) leave_frame(here);
        top = here->registers;
        next_frame = here;
        if (here == bottom) return value;
        here--;
        pc = here->pc;
        if (RT_UNLIKELY(pc->op == OP_TAIL_CALL)) goto returned;
        code = here->code;
        registers = here->registers;
        A = value;
        NEXT(1 + list_words(pc->c))

    entered:
        code = here->code;
        registers = here->registers;
        pc = code->instructions;
        continue;

    failed:
        clean_up(here, pc);
    left:
        if (here->flags & RT_OF_LIBRARY) rt_fail_at_caller();
        if (here->flags != 0) leave_frame(here);
        top = here->registers;
        next_frame = here;
        if (here == bottom) return RT_ERROR;
        here--;
        code = here->code;
        registers = here->registers;
        pc = here->pc;
        if (pc->op != OP_CALL || !(pc->w & CAUGHT)) goto failed;
        A = RT_ERROR;
        NEXT(1 + list_words(pc->c))
    }
}

/* ---- Entry points -------------------------------------------------------- */

rt_value rt_evaluator_entry(const rt_value *captures, const rt_value *arguments) {
    const rt_closure_object *closure = (const rt_closure_object *)(const void *)captures - 1;
    const rt_code *code = (const rt_code *)(const void *)closure->function;
    size_t count = code->parameters - code->captures;
    memmove(top + code->captures, arguments, count * sizeof *top);
    unsigned flags = take_captures(code, rt_of_object(closure), top, false);
    return run(push_frame(code, flags, RT_FALSE));
}

rt_value rt_evaluator_last_entry(rt_value closure, const rt_value *arguments) {
    const rt_code *code = (const rt_code *)(const void *)rt_function_of(closure);
    size_t count = code->parameters - code->captures;
    memmove(top + code->captures, arguments, count * sizeof *top);
    unsigned flags = take_captures(code, closure, top, true);
    return run(push_frame(code, flags, closure));
}

rt_value rt_run_unit(rt_unit *unit) {
    rt_value result = rt_finish(run(push_frame(unit->main, 0, RT_FALSE)));
    if (unit->is_open) rt_free(unit->holder);
    return result;
}
