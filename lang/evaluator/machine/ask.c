/* ask.c - `eval`, `load` and environments: the code of what they evaluate comes from a process of
 * Python's, which analyses programs (lang/evaluator/code_server.py).  It draws plots, too.
 *
 *     (eval '(f 1))  =>  asks for the code of "(f 1)", loads it as a unit, and runs it
 *
 * That process is started at the first question, and ends when its socket is closed, as it is when
 * this process ends.  Messages are numbers of 8 bytes and texts; each begins with its size.
 */
#define _GNU_SOURCE   /* SOCK_CLOEXEC */
#include "world.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOMENT 20       /* milliseconds between two looks for Ctrl-C */
#define FOR_EVER (-1)
#define CHILD_END 3     /* the descriptor of the socket in the other process */
#define SAFE_END 10     /* ours is not below this */

extern char **environ;

/* The questions, and the answers: as in code_server.py. */
enum { BEGIN, EVAL, LOAD, ENVIRONMENT, NEXT, DONE, DROP, DRAW };
enum { NOTHING, CODE, FAILURE, INTERRUPTED, REASON };

static const char *python, *program_path, *program_source;
static int end_here = -1;
static pid_t other;
static rt_host_answers *host;   /* in another program's process, which answers itself */
static rt_answer host_answer;

void rt_ask_host(rt_host_answers *answers) { host = answers; }

void rt_answer_as_host(const char *bytes, size_t size) {
    free(host_answer.memory);
    host_answer = (rt_answer){memcpy(rt_malloc(size + 1), bytes, size), size, 0};
}

void rt_ask_with(const char *with, const char *path, const char *source) {
    python = with;
    program_path = path;
    program_source = source;
}

void rt_ask_through(int socket) {
    end_here = socket;
    fcntl(socket, F_SETFD, FD_CLOEXEC);
}

/* ---- Messages ------------------------------------------------------------ */

void rt_add_number(rt_text *message, uint64_t number) {
    rt_text_add(message, (const char *)&number, sizeof number);
}

void rt_add_text(rt_text *message, const char *bytes, size_t size) {
    rt_add_number(message, size);
    rt_text_add(message, bytes, size);
}

static rt_value fail_lost(void) {
    if (end_here >= 0) close(end_here);
    end_here = -1;
    rt_fail_hint("the process that analyses programs has ended",
                 "it may have been killed, or lacked memory; `eval` and `load` need it");
    return RT_ERROR;
}

/* Send a message, which is freed; false with an error. */
bool rt_send_message(rt_text *message) {
    if (host != NULL) {
        host(message->bytes, message->size);
        rt_text_free(message);
        return true;
    }
    uint64_t size = message->size;
    const char *parts[] = {(const char *)&size, message->bytes};
    size_t sizes[] = {sizeof size, message->size};
    bool ok = end_here >= 0 && !rt_text_is_lost(message);
    for (int i = 0; i < 2; i++) {
        while (ok && sizes[i] > 0) {
            ssize_t sent = send(end_here, parts[i], sizes[i], MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) continue;
            ok = sent > 0;
            if (!ok) break;
            parts[i] += sent;
            sizes[i] -= (size_t)sent;
        }
    }
    rt_text_free(message);
    if (!ok) fail_lost();
    return ok;
}

/* Wait for bytes.  At Ctrl-C, which becomes the waiting error here, the other process stops, and answers
 * so; but not while clean-up runs. */
static bool receive(char *to, size_t size, bool *told) {
    while (size > 0) {
        struct pollfd waiting = {end_here, POLLIN, 0};
        int ready = poll(&waiting, 1, *told ? FOR_EVER : MOMENT);
        if (!*told && rt_is_interrupted() && rt_poll_interrupt() != 0) {
            *told = true;
            kill(other, SIGINT);
        }
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        ssize_t got = recv(end_here, to, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        size -= (size_t)got;
    }
    return true;
}

uint64_t rt_take_number(rt_answer *a) {
    uint64_t number = 0;
    if (a->size - a->at < sizeof number) return 0;
    memcpy(&number, a->memory + a->at, sizeof number);
    a->at += sizeof number;
    return number;
}

/* A C string in the answer; a size of the other side's is trusted, but for its end. */
static const char *take_text(rt_answer *a) {
    size_t size = rt_take_number(a);
    if (a->size - a->at < size + 1) return "";
    const char *text = a->memory + a->at;
    a->at += size + 1;
    return text;
}

static const char *take_optional(rt_answer *a) { return rt_take_number(a) ? take_text(a) : NULL; }

/* ---- The other process --------------------------------------------------- */

static bool start(void) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    end_here = fcntl(ends[0], F_DUPFD_CLOEXEC, SAFE_END);
    int its = fcntl(ends[1], F_DUPFD_CLOEXEC, SAFE_END);
    close(ends[0]);
    close(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, its, CHILD_END);
    posix_spawnattr_init(&attributes);
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    /* Until it has a handler: before, Python would say that it was interrupted. */
    posix_spawnattr_setsigmask(&attributes, &usual);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    /* A group of its own: a Ctrl-C at the terminal is this process's. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    char *words[] = {(char *)(uintptr_t)python, "-P", "-m", "lambent.lang.evaluator.code_server",
                     NULL};
    int failed = posix_spawn(&other, python, &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(its);
    errno = failed;
    return failed == 0 && end_here >= 0;
}

static bool ready(void) {
    if (host != NULL || end_here >= 0) return true;
    if (python == NULL) {
        rt_fail("this program cannot evaluate data");
        return false;
    }
    static bool was_started;
    if (was_started) {
        fail_lost();
        return false;
    }
    was_started = true;
    if (!start()) {
        rt_fail("cannot start %s, which analyses programs: %s", python, strerror(errno));
        return false;
    }
    rt_text begin = {NULL, 0, 0};
    rt_add_number(&begin, BEGIN);
    rt_add_text(&begin, program_path, strlen(program_path));
    rt_add_text(&begin, program_source == NULL ? "" : program_source,
                program_source == NULL ? 0 : strlen(program_source));
    return rt_send_message(&begin);
}

bool rt_receive_message(rt_answer *a) {
    if (host != NULL) {
        *a = host_answer;
        host_answer = (rt_answer){NULL, 0, 0};
        return a->memory != NULL;
    }
    uint64_t size;
    bool told = other == 0;
    *a = (rt_answer){NULL, 0, 0};
    if (!receive((char *)&size, sizeof size, &told)) return false;
    a->memory = rt_malloc(size + 1);
    a->size = size;
    if (receive(a->memory, size, &told)) return true;
    free(a->memory);
    return false;
}

/* Ask a question, which is freed; false with an error. */
static bool ask(rt_text *question, rt_answer *a) {
    rt_flush_ports();   /* macros may print, too */
    if (!rt_send_message(question)) return false;
    if (rt_receive_message(a)) return true;
    fail_lost();
    return false;
}

/* Say how the code of an answer has ended. */
static bool tell(uint64_t what, uint64_t number, bool ok) {
    rt_text message = {NULL, 0, 0};
    rt_add_number(&message, what);
    rt_add_number(&message, number);
    rt_add_number(&message, ok);
    return rt_send_message(&message);
}

/* Say something while an error waits, which stays. */
static void tell_beside_error(uint64_t what, uint64_t number, bool ok) {
    rt_failure waiting = rt_waiting;
    memset(&rt_waiting, 0, sizeof rt_waiting);
    tell(what, number, ok);
    rt_clear_failure(&rt_waiting);
    free(rt_waiting.trace);
    rt_waiting = waiting;
}

static void tell_failure(uint64_t token) { tell_beside_error(DONE, token, false); }

/* ---- Environments -------------------------------------------------------- */

static void drop_environment(void *thing) {
    uint64_t number = (uint64_t)(uintptr_t)thing;
    if (number == 0 || (host == NULL && end_here < 0)) return;
    tell_beside_error(DROP, number, true);
}

static const char *text_of_environment(void *thing) {
    (void)thing;
    return "#<environment>";
}

static const rt_foreign_kind environment_kind = {drop_environment, text_of_environment};

/* The number of an environment; the program's own is 0, and so is #f. */
static bool environment_of(const char *who, rt_value v, uint64_t *number) {
    *number = 0;
    if (v == RT_FALSE) return true;
    if (!rt_is_foreign(v) || rt_foreign_of(v)->kind != &environment_kind) {
        rt_fail_wrong_type(who, "an environment", v);
        return false;
    }
    *number = (uint64_t)(uintptr_t)rt_foreign_of(v)->thing;
    return true;
}

rt_value rt_interaction_environment(void) { return rt_new_foreign(&environment_kind, NULL); }

/* ---- Data as text -------------------------------------------------------- */

/* The names of the variables that stand in a text for what cannot be written. */
typedef struct objects { uint64_t *numbers; size_t count, room; } objects;

static uint64_t last_object;
#define NAME_ROOM 48

static const char *object_name(char *name, uint64_t number) {
    snprintf(name, NAME_ROOM, "#<object %llu>", (unsigned long long)number);
    return name;
}

static bool can_write(rt_value v) {
    return rt_is_fixnum(v) || rt_is_double(v) || rt_is_exact_number(v) || rt_is_boolean(v) ||
           rt_is_char(v) || rt_is_keyword(v) || rt_is_string(v) || rt_is_symbol(v) || v == RT_NIL;
}

static rt_value readable(rt_value v, objects *named);

static rt_value readable_list(rt_value v, objects *named) {
    rt_pieces items = {NULL, 0, 0};
    bool ok = true;
    for (; ok && rt_is_pair(v); v = rt_pair_of(v)->cdr) {
        rt_value item = rt_poll() != 0 ? RT_ERROR : readable(rt_pair_of(v)->car, named);
        ok = rt_add_piece(&items, item);
    }
    rt_value list = ok ? readable(v, named) : RT_ERROR;
    if (list == RT_ERROR) return rt_list_of_pieces(&items, false);
    for (size_t i = items.count; i-- > 0;) list = rt_cons(items.items[i], list);
    free(items.items);
    return list;
}

static rt_value readable_vector(rt_value v, objects *named) {
    size_t count = rt_vector_of(v)->length;
    rt_pieces items = {NULL, 0, 0};
    for (size_t i = 0; i < count; i++)
        if (!rt_add_piece(&items, readable(rt_vector_of(v)->items[i], named)))
            return rt_list_of_pieces(&items, false);
    rt_value made = rt_new_vector(items.count, items.items);
    free(items.items);
    return made;
}

/* The value, owned, with names in place of what cannot be written, such as procedures. */
static rt_value readable(rt_value v, objects *named) {
    if (can_write(v)) return rt_dup(v);
    if (rt_enter() != 0) return RT_ERROR;
    if (rt_is_pair(v)) return readable_list(v, named);
    if (rt_is_vector(v)) return readable_vector(v, named);
    char name[NAME_ROOM];
    RT_GROW(named->numbers, named->count, named->room);
    named->numbers[named->count++] = ++last_object;
    rt_world_object(object_name(name, last_object), rt_dup(v));
    return rt_intern(name);
}

void rt_forget_objects(size_t count, uint64_t *numbers) {
    char name[NAME_ROOM];
    for (size_t i = 0; i < count; i++) rt_world_forget(object_name(name, numbers[i]));
    free(numbers);
}

static void forget(objects *named) {
    rt_forget_objects(named->count, named->numbers);
    *named = (objects){NULL, 0, 0};
}

/* The variables go with the code that names them. */
static void give_objects(rt_unit *unit, objects *named) {
    unit->objects = named->numbers;
    unit->object_count = named->count;
    *named = (objects){NULL, 0, 0};
}

/* ---- Running answers ----------------------------------------------------- */

static rt_value *position(void) { return rt_world_variable("#<position>"); }

static uint64_t present_position(void) {
    rt_value found = *position();
    return rt_is_fixnum(found) ? (uint64_t)rt_fixnum(found) : (uint64_t)-1;
}

static rt_location take_location(rt_answer *a) {
    rt_location read;
    memset(&read, 0, sizeof read);
    read.file = take_text(a);
    read.line = (int)rt_take_number(a);
    read.column = (int)rt_take_number(a);
    read.width = (int)rt_take_number(a);
    read.one_line = rt_take_number(a) != 0;
    read.text = take_text(a);
    read.in = take_optional(a);
    read.expansion = take_optional(a);
    return read;
}

/* The error that the analysis has found. */
static rt_value fail_as_answered(rt_answer *a) {
    rt_error_category category = (rt_error_category)rt_take_number(a);
    rt_text message = {NULL, 0, 0}, hint = {NULL, 0, 0};
    rt_text_string(&message, take_text(a));
    const char *advice = take_optional(a);
    if (advice != NULL) rt_text_string(&hint, advice);
    rt_fail_text(&message, advice != NULL ? &hint : NULL);
    rt_categorize_error(category);
    for (size_t count = rt_take_number(a); count > 0; count--) {
        rt_location read = take_location(a);
        rt_at(rt_world_location(&read));
        rt_waiting.without_trace = count == 1;   /* it is all in the text: no caller is shown */
    }
    return RT_ERROR;
}

/* What is said of a form's code: no form follows; the variables for objects stay; names change their
 * meanings in it. */
enum { IS_LAST = 1, KEEPS = 2, HAS_POSITIONS = 4 };

/* The code that is the rest of an answer, which is freed. */
rt_unit *rt_take_unit(rt_answer *a) {
    size_t size = a->size - a->at;
    char *code = rt_malloc(size + 1);
    memcpy(code, a->memory + a->at, size);
    free(a->memory);
    return rt_load_unit(code, size);
}

rt_value rt_run_form(rt_unit *unit, bool has_positions) {
    if (!has_positions) return rt_run_unit(unit);
    rt_value outer = rt_dup(*position());
    *position() = rt_of_fixnum(-1);
    rt_value result = rt_run_unit(unit);
    *position() = outer;
    return result;
}

/* Ask, and run the code of one form after the other; the value of the last one. */
static rt_value run_answers(rt_text *question, objects *named) {
    rt_value value = RT_UNSPECIFIED;
    for (;;) {
        rt_answer a;
        if (!ask(question, &a)) break;
        uint64_t kind = rt_take_number(&a);
        bool is_stopped = rt_waiting.kind == RT_INTERRUPTED;
        if (kind != CODE) {
            if (kind == FAILURE && !is_stopped) fail_as_answered(&a);
            free(a.memory);
            if (kind == NOTHING && !is_stopped) return value;
            if (kind == INTERRUPTED && !is_stopped) rt_fail_interrupted();
            break;
        }
        uint64_t token = rt_take_number(&a);
        if (is_stopped) {   /* the answer was on its way */
            tell_failure(token);
            free(a.memory);
            break;
        }
        uint64_t flags = rt_take_number(&a);
        rt_unit *unit = rt_take_unit(&a);
        if (flags & KEEPS && named != NULL) named->count = 0;   /* other forms may name them, too */
        if (unit != NULL && named != NULL) give_objects(unit, named);
        if (unit != NULL) {
            rt_free(value);
            value = rt_run_form(unit, (flags & HAS_POSITIONS) != 0);
        }
        if (unit == NULL || value == RT_ERROR) {
            tell_failure(token);
            if (unit == NULL) break;
            return RT_ERROR;
        }
        if (flags & IS_LAST) {
            if (tell(DONE, token, true)) return value;
            break;
        }
        rt_add_number(question, NEXT);
        rt_add_number(question, token);
    }
    rt_free(value);
    return RT_ERROR;
}

/* The current folder, to which paths in a question are relative. */
static void add_folder(rt_text *question) {
    char folder[FILENAME_MAX];
    const char *here = getcwd(folder, sizeof folder) != NULL ? folder : "";
    rt_add_text(question, here, strlen(here));
}

static rt_value run_question(
    uint64_t what, uint64_t environment, const rt_text *text, objects *named
) {
    rt_free_dead_units();
    if (!ready()) return RT_ERROR;
    rt_text question = {NULL, 0, 0};
    rt_add_number(&question, what);
    rt_add_number(&question, environment);
    rt_add_number(&question, present_position());
    rt_add_number(&question, named != NULL && named->count > 0);
    add_folder(&question);
    rt_add_text(&question, text->bytes == NULL ? "" : text->bytes, text->size);
    return run_answers(&question, named);
}

rt_value rt_eval(rt_value expression, rt_value environment) {
    uint64_t number;
    if (!environment_of("eval", environment, &number)) return RT_ERROR;
    objects named = {NULL, 0, 0};
    rt_text text = {NULL, 0, 0};
    rt_value copy = readable(expression, &named), result = RT_ERROR;
    bool ok = copy != RT_ERROR && rt_show_as(&text, copy, RT_WRITE) == 0;
    if (copy != RT_ERROR) rt_free(copy);
    if (ok) result = run_question(EVAL, number, &text, &named);
    rt_text_free(&text);
    forget(&named);
    return result;
}

int rt_load(rt_value path, rt_value environment) {
    RT_CHECK_STATUS(rt_is_string(path), "load", "a string", path);
    uint64_t number;
    if (!environment_of("load", environment, &number)) return 1;
    rt_text text = {NULL, 0, 0};
    rt_text_lisp_string(&text, path);
    rt_value result = run_question(LOAD, number, &text, NULL);
    rt_text_free(&text);
    if (result == RT_ERROR) return 1;
    rt_free(result);
    return 0;
}

/* A new environment with the names of the import sets. */
rt_value rt_new_environment(size_t count, const rt_value *sets) {
    static uint64_t last_environment;
    objects named = {NULL, 0, 0};
    rt_text text = {NULL, 0, 0};
    uint64_t number = ++last_environment;
    bool ok = true;
    if (count > 0) rt_text_string(&text, "(import");
    for (size_t i = 0; ok && i < count; i++) {
        rt_value copy = readable(sets[i], &named);
        rt_text_string(&text, " ");
        ok = copy != RT_ERROR && rt_show_as(&text, copy, RT_WRITE) == 0;
        if (copy != RT_ERROR) rt_free(copy);
    }
    if (count > 0) rt_text_string(&text, ")");
    rt_value made = rt_new_foreign(&environment_kind, (void *)(uintptr_t)number);
    rt_value result = ok ? run_question(ENVIRONMENT, number, &text, NULL) : RT_ERROR;
    rt_text_free(&text);
    forget(&named);
    if (result == RT_ERROR) {
        rt_free(made);
        return RT_ERROR;
    }
    rt_free(result);
    return made;
}

static rt_value standard_environment(const char *who, rt_value version) {
    bool known = version == rt_of_fixnum(5) || version == rt_of_fixnum(7);
    RT_CHECK(known, who, "5 or 7", version);
    return rt_new_environment(0, NULL);
}

rt_value rt_scheme_report_environment(rt_value version) {
    return standard_environment("scheme-report-environment", version);
}

rt_value rt_null_environment(rt_value version) {
    return standard_environment("null-environment", version);
}

/* ---- Plots --------------------------------------------------------------- */

rt_value rt_draw_elsewhere(rt_value path, rt_value figure) {
    rt_text name = {NULL, 0, 0}, text = {NULL, 0, 0}, question = {NULL, 0, 0};
    if (!ready()) return RT_ERROR;
    rt_text_lisp_string(&name, path);
    bool ok = rt_show_as(&text, figure, RT_WRITE) == 0;
    rt_add_number(&question, DRAW);
    add_folder(&question);
    rt_add_text(&question, name.bytes == NULL ? "" : name.bytes, name.size);
    rt_add_text(&question, text.bytes == NULL ? "" : text.bytes, text.size);
    rt_text_free(&name);
    rt_text_free(&text);
    rt_answer a;
    if (!ok) rt_text_free(&question);
    if (!ok || !ask(&question, &a)) return RT_ERROR;
    uint64_t kind = rt_take_number(&a);
    rt_value result = RT_ERROR;
    if (rt_waiting.kind != RT_INTERRUPTED) {
        const char *reason = kind == REASON ? take_text(&a) : "";
        if (kind == NOTHING) result = RT_TRUE;
        else if (kind == REASON) result = rt_string_of_utf8(reason, strlen(reason));
        else if (kind == FAILURE) fail_as_answered(&a);
        else rt_fail_interrupted();
    }
    free(a.memory);
    return result;
}
