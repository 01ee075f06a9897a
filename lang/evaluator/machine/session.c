/* session.c - the evaluator of a session: a process of Python's reads entries, analyses them, and sends
 * their code; this one runs it, and says how it has ended (lang/evaluator/session.py).
 *
 *     RUN code  =>  RESULT "144"          RUN code  =>  FAILED "repl:5:1: car: expected a pair, got 5 ..."
 *
 * While an entry runs it may ask for code, too, through the same socket (ask.c).  Ctrl-C at the
 * terminal reaches both processes; that of Python's decides what it stops, and then sends
 * STOP_SIGNAL.
 */
#define _GNU_SOURCE   /* SIGURG */
#include "world.h"

#include <ports/ports.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define STOP_SIGNAL SIGURG

/* The orders and the answers, as in session.py; those of ask.c are smaller. */
enum { RUN, LINE, LEAVE };
enum { RESULT = 16, FAILED, STOPPED, LEAVING, LINE_READ, END_OF_INPUT, STARTED };
enum { HAS_POSITIONS = 1, SHOWS = 2, REMEMBERS = 4 };

static const char *const remembered[] = {"*1", "*2", "*3"};
#define MOST_REMEMBERED (sizeof remembered / sizeof *remembered)

static void ignore(int number) { (void)number; }

/* What SIGINT does in programs, STOP_SIGNAL does here. */
static void watch_stops(void) {
    struct sigaction usual, none;
    sigaction(SIGINT, NULL, &usual);
    sigaction(STOP_SIGNAL, &usual, NULL);
    memset(&none, 0, sizeof none);
    none.sa_handler = ignore;   /* not SIG_IGN, which child processes would inherit */
    none.sa_flags = SA_RESTART;
    sigaction(SIGINT, &none, NULL);
}

/* ---- Answers ------------------------------------------------------------- */

static void begin(rt_text *answer, uint64_t kind) {
    rt_flush_ports();
    rt_add_number(answer, kind);
    rt_add_number(answer, rt_line_is_open());
}

static bool answer_text(uint64_t kind, rt_text *text) {
    rt_text answer = {NULL, 0, 0};
    begin(&answer, kind);
    rt_add_text(&answer, text->bytes == NULL ? "" : text->bytes, text->size);
    rt_text_free(text);
    return rt_send_message(&answer);
}

/* The waiting error ends the entry, not the session. */
static bool answer_failure(void) {
    if (rt_waiting.kind == RT_INTERRUPTED || rt_waiting.kind == RT_LEAVING) {
        rt_text answer = {NULL, 0, 0};
        begin(&answer, rt_waiting.kind == RT_LEAVING ? LEAVING : STOPPED);
        rt_add_number(&answer, (uint64_t)rt_waiting.status);
        rt_clear_failure(&rt_waiting);
        rt_forget_interrupt_signal();
        return rt_send_message(&answer);
    }
    rt_text text = {NULL, 0, 0};
    rt_render_error(&text);
    return answer_text(FAILED, &text);
}

/* ---- Values -------------------------------------------------------------- */

/* Set *1 to the value, *2 to the old *1, and *3 to the old *2, apart from those that the session has
 * defined itself. */
static void remember(rt_value v, uint64_t names) {
    for (size_t i = MOST_REMEMBERED; i-- > 0;) {
        rt_value newest = i > 0 ? *rt_world_variable(remembered[i - 1]) : v;
        if (names >> i & 1) rt_global_define(rt_world_variable(remembered[i]), rt_dup(newest));
    }
}

int rt_show_result(rt_text *text, rt_value v) {
    return rt_is_tensor(v) ? rt_code_tensors->show_result(text, v) : rt_show_as(text, v, RT_WRITE);
}

/* Append the text of a result, and remember it; the unspecified value has none. */
static bool add_result(rt_text *answer, size_t *count, rt_value v, uint64_t flags) {
    if (v == RT_UNSPECIFIED) return true;
    rt_text text = {NULL, 0, 0};
    if (rt_show_result(&text, v) != 0) {
        rt_text_free(&text);
        return false;
    }
    rt_add_text(answer, text.bytes == NULL ? "" : text.bytes, text.size);
    rt_text_free(&text);
    if (flags & REMEMBERS) remember(v, flags >> 8);
    ++*count;
    return true;
}

/* value is moved in. */
static bool answer_value(rt_value value, uint64_t flags) {
    rt_text answer = {NULL, 0, 0}, texts = {NULL, 0, 0};
    size_t count = 0;
    bool ok = true;
    if (flags & SHOWS && rt_is_values(value)) {
        size_t values;
        const rt_value *results = rt_values_in(rt_object_of(value), &values);
        for (size_t i = 0; ok && i < values; i++)
            ok = add_result(&texts, &count, results[i], flags);
    } else if (flags & SHOWS) {
        ok = add_result(&texts, &count, value, flags);
    }
    rt_free(value);
    if (!ok) {
        rt_text_free(&texts);
        return answer_failure();
    }
    begin(&answer, RESULT);
    rt_add_number(&answer, count);
    rt_text_add(&answer, texts.bytes == NULL ? "" : texts.bytes, texts.size);
    rt_text_free(&texts);
    return rt_send_message(&answer);
}

/* ---- Orders -------------------------------------------------------------- */

/* From now on, a signal stops what was ordered. */
static bool begin_order(void) {
    rt_forget_interrupt_signal();
    rt_text message = {NULL, 0, 0};
    rt_add_number(&message, STARTED);
    return rt_send_message(&message);
}

static bool run_entry(rt_answer *order) {
    uint64_t flags = rt_take_number(order);
    rt_free_dead_units();
    if (!begin_order()) return false;
    rt_value *handlers = rt_library_variable("%handlers");   /* those of an entry that was stopped */
    if (*handlers != RT_UNBOUND) rt_global_define(handlers, RT_NIL);
    rt_unit *unit = rt_take_unit(order);
    rt_value value = RT_ERROR;
    if (unit != NULL) value = rt_run_form(unit, (flags & HAS_POSITIONS) != 0);
    return value == RT_ERROR ? answer_failure() : answer_value(value, flags);
}

/* The next line of the standard input, which entries and the programs in them read alike. */
static bool read_line(void) {
    if (!begin_order()) return false;
    rt_value line = rt_read_line(rt_current_port(RT_STANDARD_INPUT));
    if (line == RT_ERROR) return answer_failure();
    rt_text text = {NULL, 0, 0};
    if (rt_is_string(line)) rt_text_lisp_string(&text, line);
    bool is_end = !rt_is_string(line);
    rt_free(line);
    return answer_text(is_end ? END_OF_INPUT : LINE_READ, &text);
}

/* Without the other process nobody could end this one, whatever it runs. */
static void end_with_parent(void) {
#ifdef __linux__
    pid_t parent = getppid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (parent == 1) raise(SIGKILL);
#endif
}

rt_value rt_run_session(int socket) {
    end_with_parent();
    watch_stops();
    rt_ask_through(socket);
    bool goes_on = true;
    while (goes_on) {
        rt_answer order;
        if (!rt_receive_message(&order)) return RT_UNSPECIFIED;   /* the other process has ended */
        uint64_t kind = rt_take_number(&order);
        if (kind == LEAVE) {
            uint64_t status = rt_take_number(&order);
            rt_forget_interrupt_signal();
            free(order.memory);
            return status == 0 ? RT_UNSPECIFIED : rt_fail_leaving((int)status);
        }
        goes_on = kind == RUN ? run_entry(&order) : read_line();
        if (kind != RUN) free(order.memory);   /* the unit has taken that of its code */
    }
    rt_clear_failure(&rt_waiting);
    return RT_UNSPECIFIED;
}
