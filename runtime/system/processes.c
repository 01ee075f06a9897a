/* processes.c - what the library asks of the system about processes: %process-call. */
#define _GNU_SOURCE   /* getgroups, nice, setenv and what POSIX has */
#include "ports/ports.h"
#include "system/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHUNK ((size_t)1 << 16)   /* bytes that are read or written at once */
#define PATIENCE 50               /* milliseconds between two polls for Ctrl-C */
#define FIRST_NAP 1               /* milliseconds of the first wait for an end; then twice as long */
#define MILLISECOND 1000000       /* nanoseconds */
#define SECOND 1000000000
#define GRACE 1000                /* milliseconds between a request to end and the end by force */
#define GENERATIONS 20            /* of processes that are ended together */
#define CANNOT_START 127

extern char **environ;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / MILLISECOND;
}

static void nap(int64_t milliseconds) {
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * MILLISECOND}, NULL);
}

/* Like pipe; programs that this process starts do not get the ends. */
static int open_pipe(int *ends) {
    int status = pipe(ends);
    for (int i = 0; i < 2 && status == 0; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    return status;
}

static void close_one(int *file) {
    if (*file >= 0) close(*file);
    *file = -1;
}

/* ---- Processes that this one has started --------------------------------- */

/* How each ended: ENDED is set for those that the system has been asked about, so that none stays
 * a zombie.  They are few, and those whose end has been told leave the list. */
typedef struct child {
    pid_t id;
    bool ended;
    int status;
    struct child *next;
} child;

static child *children;

/* The exit status, or the negative number of the signal. */
static int status_of(int wait_status) {
    return WIFSIGNALED(wait_status) ? -WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

static void look_for_ends(void) {
    for (child *one = children; one != NULL; one = one->next) {
        int status;
        if (one->ended) continue;
        pid_t id = waitpid(one->id, &status, WNOHANG);
        if (id == 0 || (id < 0 && errno == EINTR)) continue;
        one->ended = true;
        one->status = id < 0 ? 0 : status_of(status);   /* another part of the process has asked */
    }
}

static bool enter_child(pid_t id) {
    child *one = malloc(sizeof *one);
    if (one == NULL) return false;
    *one = (child){id, false, 0, children};
    children = one;
    return true;
}

/* Whether the process has ended; if so, it leaves the list. */
static bool has_ended(pid_t id, int *status) {
    look_for_ends();
    for (child **at = &children; *at != NULL; at = &(*at)->next) {
        if ((*at)->id != id) continue;
        child *one = *at;
        if (!one->ended) return false;
        *status = one->status;
        *at = one->next;
        free(one);
        return true;
    }
    *status = 0;
    return true;
}

/* Wait for its end, at most so many milliseconds, or for ever if negative.  1 if it has ended, 0 if
 * not, -1 after Ctrl-C. */
static int wait_for(pid_t id, int64_t milliseconds, int *status) {
    int64_t began = now(), length = FIRST_NAP;
    while (!has_ended(id, status)) {
        int64_t left = milliseconds < 0 ? PATIENCE : milliseconds - (now() - began);
        if (left <= 0) return 0;
        nap(length < left ? length : left);
        if (rt_poll() != 0) return -1;
        length = 2 * length < PATIENCE ? 2 * length : PATIENCE;
    }
    return 1;
}

/* Send a signal to a process and to those that it has started, as far as /proc tells them: a shell
 * does not end its commands. */
static void signal_all(pid_t id, int number, int depth) {
    char path[64];
    long other;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)id, (long)id);
    FILE *others = depth == 0 ? NULL : fopen(path, "re");
    while (others != NULL && fscanf(others, "%ld", &other) == 1)
        signal_all((pid_t)other, number, depth - 1);
    if (others != NULL) fclose(others);
    kill(id, number);
}

/* End it and what it has started, if need be by force. */
static void end_child(pid_t id) {
    int status;
    signal_all(id, SIGTERM, GENERATIONS);
    for (int64_t began = now(); now() - began < GRACE; nap(FIRST_NAP))
        if (has_ended(id, &status)) return;
    signal_all(id, SIGKILL, GENERATIONS);
    while (!has_ended(id, &status)) nap(FIRST_NAP);
}

/* ---- Starting ------------------------------------------------------------ */

/* A list of strings as a NULL-terminated array.  Its strings and itself are the caller's. */
static char **strings_of(rt_value list) {
    size_t count = (size_t)rt_list_length(list), i = 0;
    char **strings = calloc(count + 1, sizeof *strings);
    for (; strings != NULL && rt_is_pair(list); list = rt_pair_of(list)->cdr)
        strings[i++] = rt_string_to_c(rt_pair_of(list)->car);
    return strings;
}

static void free_strings(char **strings) {
    for (char **at = strings; at != NULL && *at != NULL; at++) free(*at);
    free(strings);
}

/* What a process is started with.  files: its first three descriptors, -1 to share ours. */
typedef struct {
    char **command, **environment;   /* environment is NULL to inherit ours */
    char *folder;                    /* NULL for the current one */
    int files[3];
} start;

/* Replace this process by the program, which is looked for in the folders of PATH unless its name
 * has a slash.  Returns with errno; no shell takes a file that is no program. */
static void execute(char **command, char **environment) {
    const char *at = "/bin:/usr/bin", *name = command[0];
    if (strchr(name, '/') != NULL) {
        execve(name, command, environment);
        return;
    }
    for (char **variable = environment; *variable != NULL; variable++)
        if (strncmp(*variable, "PATH=", 5) == 0) at = *variable + 5;
    int reason = ENOENT;
    while (at != NULL) {
        char path[PATH_MAX];
        const char *end = strchr(at, ':');
        int size = end == NULL ? (int)strlen(at) : (int)(end - at);
        int length = snprintf(path, sizeof path, "%.*s%s%s", size, at, size == 0 ? "" : "/", name);
        if (length > 0 && (size_t)length < sizeof path) execve(path, command, environment);
        if (errno != ENOENT && errno != ENOTDIR) reason = errno;
        at = end == NULL ? NULL : end + 1;
    }
    errno = reason;
}

/* In the child: only what may be called between fork and exec. */
static void become(const start *given, int report) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    bool failed = false;
    int files[3];
    for (int i = 0; i < 3; i++) {   /* away from 0 to 2, which come next */
        files[i] = given->files[i] < 0 ? -1 : fcntl(given->files[i], F_DUPFD_CLOEXEC, 3);
        failed = failed || (given->files[i] >= 0 && files[i] < 0);
    }
    for (int i = 0; i < 3; i++)
        if (files[i] >= 0) failed = dup2(files[i], i) < 0 || failed;
    if (given->folder != NULL) failed = chdir(given->folder) != 0 || failed;
    char **environment = given->environment != NULL ? given->environment : environ;
    if (!failed) execute(given->command, environment);
    int reason = errno;
    ssize_t written = write(report, &reason, sizeof reason);
    _exit(written < 0 ? 1 : CANNOT_START);
}

/* The process's number, or -1 with errno. */
static pid_t start_child(const start *given) {
    int report[2], reason = 0;
    look_for_ends();
    if (open_pipe(report) != 0) return -1;
    rt_flush_standard_output();
    pid_t id = fork();
    if (id == 0) become(given, report[1]);
    int fork_reason = errno;
    close(report[1]);
    ssize_t size = 0;
    if (id > 0) do size = read(report[0], &reason, sizeof reason);
        while (size < 0 && errno == EINTR);
    close(report[0]);
    if (id < 0) {
        errno = fork_reason;
        return -1;
    }
    if (size == 0 && enter_child(id)) return id;
    while (waitpid(id, NULL, 0) < 0 && errno == EINTR) {}
    errno = size == 0 ? ENOMEM : reason;
    return -1;
}

static bool open_null(int *file, int flags) {
    *file = open("/dev/null", flags | O_CLOEXEC);
    return *file >= 0;
}

/* ---- Ends of pipes ------------------------------------------------------- */

/* How the child's descriptors are connected: those that it gets, and our ends. */
typedef struct {
    start given;
    int ours[3];
    bool binary[3];
} connection;

/* what: for each of the three, 'inherit, 'null, 'text or 'bytes (a pipe, for a port of that kind),
 * or 'output (only for the last: where the second one goes). */
static bool connect_files(connection *c, rt_value what) {
    bool fine = true;
    for (int i = 0; i < 3; i++) c->given.files[i] = c->ours[i] = -1;
    for (int i = 0; i < 3 && fine; i++, what = rt_pair_of(what)->cdr) {
        rt_value one = rt_pair_of(what)->car;
        c->binary[i] = rt_is_named(one, "bytes");
        if (c->binary[i] || rt_is_named(one, "text")) {
            int ends[2];
            fine = open_pipe(ends) == 0;
            if (fine) c->given.files[i] = ends[i != 0], c->ours[i] = ends[i == 0];
        } else if (rt_is_named(one, "null")) {
            fine = open_null(&c->given.files[i], i == 0 ? O_RDONLY : O_WRONLY);
        } else if (rt_is_named(one, "output")) {
            int output = c->given.files[1] >= 0 ? c->given.files[1] : STDOUT_FILENO;
            c->given.files[i] = fcntl(output, F_DUPFD_CLOEXEC, 3);
            fine = c->given.files[i] >= 0;
        }
    }
    return fine;
}

static void close_all(int *files) {
    int reason = errno;
    for (int i = 0; i < 3; i++) close_one(&files[i]);
    errno = reason;
}

/* Start what a list describes: (command environment folder files).  -1 with errno. */
static pid_t start_connected(connection *c, rt_value given) {
    rt_value items[4];
    for (int i = 0; i < 4; i++, given = rt_pair_of(given)->cdr) items[i] = rt_pair_of(given)->car;
    c->given.command = strings_of(items[0]);
    c->given.environment = items[1] == RT_FALSE ? NULL : strings_of(items[1]);
    c->given.folder = items[2] == RT_FALSE ? NULL : rt_string_to_c(items[2]);
    pid_t id = connect_files(c, items[3]) ? start_child(&c->given) : -1;
    close_all(c->given.files);
    if (id < 0) close_all(c->ours);
    int reason = errno;
    free_strings(c->given.command);
    free_strings(c->given.environment);
    free(c->given.folder);
    errno = reason;
    return id;
}

/* ---- Running one to its end ---------------------------------------------- */

/* Bytes to and from a process that runs. */
typedef struct {
    const char *input;
    size_t left;
    rt_text read[2];
    int files[3];   /* our ends: to its input, from its output and its errors; -1 when closed */
} exchange;

/* Write some of the input.  A process that does not want the rest is no failure. */
static void feed(exchange *e) {
    ssize_t size = rt_write_to_pipe(e->files[0], e->input, e->left < CHUNK ? e->left : CHUNK);
    bool is_over = size < 0 && errno != EAGAIN && errno != EINTR;
    if (size > 0) e->input += size, e->left -= (size_t)size;
    if (is_over || e->left == 0) close_one(&e->files[0]);
}

static bool collect(exchange *e, int which) {
    rt_text *text = &e->read[which - 1];
    if (!rt_text_reserve(text, CHUNK)) return false;
    ssize_t size = read(e->files[which], text->bytes + text->size, CHUNK);
    if (size > 0) text->size += (size_t)size;
    else if (size == 0 || (errno != EINTR && errno != EAGAIN)) close_one(&e->files[which]);
    return true;
}

/* One step: 1 if bytes may be left to exchange, 0 if not, -1 if there is no memory for them. */
static int exchange_some(exchange *e) {
    struct pollfd asked[3];
    for (int i = 0; i < 3; i++)
        asked[i] = (struct pollfd){e->files[i], i == 0 ? POLLOUT : POLLIN, 0};
    if (e->files[0] < 0 && e->files[1] < 0 && e->files[2] < 0) return 0;
    if (poll(asked, 3, PATIENCE) <= 0) return 1;
    if (e->files[0] >= 0 && asked[0].revents != 0) feed(e);
    for (int i = 1; i < 3; i++)
        if (e->files[i] >= 0 && asked[i].revents != 0 && !collect(e, i)) return -1;
    return 1;
}

/* Until it has ended and its output too, or the time is over.  1: it has ended; 0: it has not in
 * that time; -1: Ctrl-C, or no memory. */
static int exchange_all(exchange *e, pid_t id, int64_t milliseconds, int *status) {
    int64_t began = now();
    int more = 1;
    while (more > 0) {
        if (milliseconds >= 0 && now() - began >= milliseconds) return 0;
        more = exchange_some(e);
        if (rt_poll() != 0) return -1;
    }
    if (more < 0) return -1;
    return wait_for(id, milliseconds < 0 ? -1 : milliseconds - (now() - began), status);
}

static rt_value bytes_of(const rt_text *text) {
    return rt_new_bytes(text->size, text->size == 0 ? "" : text->bytes);
}

/* first: what to start; second: a pair of the input, a bytevector, and of the most milliseconds,
 * -1 for any time.  A list of the status, #f if it was not over in that time, of its output and of
 * its errors. */
static rt_value run(const system_arguments *given) {
    connection c;
    pid_t id = start_connected(&c, given->first);
    if (id < 0) return NO_RESULT;
    const rt_bytes_object *input = rt_bytes_of(rt_pair_of(given->second)->car);
    int64_t most = integer_of(rt_pair_of(given->second)->cdr);
    exchange e = {(const char *)input->data, input->length, {{NULL, 0, 0}, {NULL, 0, 0}},
                  {c.ours[0], c.ours[1], c.ours[2]}};
    if (e.files[0] >= 0) fcntl(e.files[0], F_SETFL, O_NONBLOCK);
    if (e.left == 0) close_one(&e.files[0]);
    int status = 0, over = exchange_all(&e, id, most, &status);
    if (over <= 0) end_child(id);
    close_all(e.files);
    rt_value results[] = {over > 0 ? rt_of_fixnum(status) : RT_FALSE, RT_ERROR, RT_ERROR};
    for (int i = 0; i < 2 && over >= 0; i++) results[i + 1] = bytes_of(&e.read[i]);
    bool fine = results[1] != RT_ERROR && results[2] != RT_ERROR;
    for (int i = 0; i < 2; i++) {
        rt_text_free(&e.read[i]);
        if (!fine && results[i + 1] != RT_ERROR) rt_free(results[i + 1]);
    }
    if (!fine && over >= 0) rt_fail("run: there is no memory for the output of the program");
    return fine ? rt_new_list(3, results) : RT_ERROR;
}

/* A list of its number and of ports for our ends, #f where there is none. */
static rt_value start_process(const system_arguments *given) {
    connection c;
    pid_t id = start_connected(&c, given->first);
    if (id < 0) return NO_RESULT;
    rt_value items[4] = {rt_of_fixnum(id)};
    for (int i = 0; i < 3; i++)
        items[i + 1] = c.ours[i] < 0 ? RT_FALSE
                                     : rt_new_pipe_port(i != 0, c.binary[i], c.ours[i], given->path);
    return rt_new_list(4, items);
}

/* first: its number; second: the most milliseconds, -1 for any time.  Its status, or #f. */
static rt_value wait_process(const system_arguments *given) {
    int status = 0;
    int over = wait_for((pid_t)integer_of(given->first), integer_of(given->second), &status);
    return over < 0 ? RT_ERROR : over > 0 ? rt_of_fixnum(status) : RT_FALSE;
}

static rt_value signal_process(const system_arguments *given) {
    return without_result(kill((pid_t)integer_of(given->first), (int)integer_of(given->second)));
}

/* ---- This process -------------------------------------------------------- */

/* first: nanoseconds. */
static rt_value wait_a_while(const system_arguments *given) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    int64_t length = integer_of(given->first), last = end.tv_nsec + length % SECOND;
    end.tv_sec += (time_t)(length / SECOND + last / SECOND);
    end.tv_nsec = (long)(last % SECOND);
    for (;;) {
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        int64_t seconds = (int64_t)end.tv_sec - time.tv_sec;
        int64_t left = seconds > 1 ? SECOND : seconds * SECOND + end.tv_nsec - time.tv_nsec;
        if (left <= 0) return RT_UNSPECIFIED;
        int64_t slice = (int64_t)PATIENCE * MILLISECOND;
        nanosleep(&(struct timespec){0, (long)(left < slice ? left : slice)}, NULL);
        if (rt_poll() != 0) return RT_ERROR;
    }
}

/* Nanoseconds that the clock first shows, or, if second is not #f, how fine it is. */
static rt_value read_clock(const system_arguments *given) {
    static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID,
                                       CLOCK_THREAD_CPUTIME_ID};
    clockid_t clock = clocks[integer_of(given->first)];
    struct timespec time;
    int status = given->second == RT_FALSE ? clock_gettime(clock, &time)
                                           : clock_getres(clock, &time);
    return status < 0 ? NO_RESULT : rt_of_int64((int64_t)time.tv_sec * SECOND + time.tv_nsec);
}

static rt_value set_variable(const system_arguments *given) {
    if (given->to == NULL) return without_result(unsetenv(given->path));
    return without_result(setenv(given->path, given->to, 1));
}

static rt_value file_mask(const system_arguments *given) {
    mode_t before = umask((mode_t)(given->first == RT_FALSE ? 0 : integer_of(given->first)));
    if (given->first == RT_FALSE) umask(before);
    return rt_of_fixnum(before);
}

static rt_value numbers(const system_arguments *given) {
    (void)given;
    rt_value items[] = {rt_of_fixnum(getpid()), rt_of_fixnum(getppid()), rt_of_fixnum(getuid()),
                        rt_of_fixnum(getgid()), rt_of_fixnum(geteuid()), rt_of_fixnum(getegid())};
    return rt_new_list(sizeof items / sizeof *items, items);
}

static rt_value groups(const system_arguments *given) {
    (void)given;
    int count = getgroups(0, NULL);
    gid_t *ids = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *ids);
    if (ids != NULL) count = getgroups(count, ids);
    rt_value list = RT_NIL;
    for (int i = count - 1; ids != NULL && i >= 0; i--) list = rt_cons(rt_of_fixnum(ids[i]), list);
    free(ids);
    return list;
}

static rt_value change_priority(const system_arguments *given) {
    errno = 0;
    int priority = nice((int)integer_of(given->first));
    return errno != 0 ? NO_RESULT : rt_of_fixnum(priority);
}

static rt_value text_of(const char *text) { return rt_string_of_utf8(text, strlen(text)); }

/* Of a user's name or number, a list; #f if there is none. */
static rt_value user(const system_arguments *given) {
    const struct passwd *one = given->to != NULL ? getpwnam(given->to)
                                                 : getpwuid((uid_t)integer_of(given->first));
    if (one == NULL) return RT_FALSE;
    rt_value items[] = {text_of(one->pw_name), rt_of_fixnum(one->pw_uid),
                        rt_of_fixnum(one->pw_gid), text_of(one->pw_dir), text_of(one->pw_shell),
                        text_of(one->pw_gecos == NULL ? "" : one->pw_gecos)};
    return rt_new_list(sizeof items / sizeof *items, items);
}

static rt_value group(const system_arguments *given) {
    const struct group *one = given->to != NULL ? getgrnam(given->to)
                                                : getgrgid((gid_t)integer_of(given->first));
    if (one == NULL) return RT_FALSE;
    return rt_list_of_two(text_of(one->gr_name), rt_of_fixnum(one->gr_gid));
}

#define REASON(name) {name, #name}

/* An alist of the reasons of the system, as messages word them, and of their names. */
static rt_value reasons(const system_arguments *given) {
    static const struct { int number; const char *name; } all[] = {
        REASON(EPERM), REASON(ENOENT), REASON(ESRCH), REASON(EINTR), REASON(EIO), REASON(ENXIO),
        REASON(E2BIG), REASON(ENOEXEC), REASON(EBADF), REASON(ECHILD), REASON(EAGAIN),
        REASON(ENOMEM), REASON(EACCES), REASON(EFAULT), REASON(EBUSY), REASON(EEXIST),
        REASON(EXDEV), REASON(ENODEV), REASON(ENOTDIR), REASON(EISDIR), REASON(EINVAL),
        REASON(ENFILE), REASON(EMFILE), REASON(ENOTTY), REASON(ETXTBSY), REASON(EFBIG),
        REASON(ENOSPC), REASON(ESPIPE), REASON(EROFS), REASON(EMLINK), REASON(EPIPE),
        REASON(ENAMETOOLONG), REASON(ENOTEMPTY), REASON(ELOOP), REASON(EOVERFLOW), REASON(ENOTSUP),
        REASON(ENOSYS), REASON(EDQUOT), REASON(ESTALE),
    };
    (void)given;
    rt_value list = RT_NIL;
    for (size_t i = sizeof all / sizeof *all; i > 0; i--)
        list = rt_cons(rt_cons(text_of(strerror(all[i - 1].number)), rt_intern(all[i - 1].name)),
                       list);
    return list;
}

rt_value rt_process_call(rt_value name, rt_value who, rt_value verb, rt_value subject,
                         rt_value first, rt_value second) {
    static const system_call calls[] = {
        {"run", run}, {"start", start_process}, {"wait", wait_process}, {"signal", signal_process},
        {"sleep", wait_a_while}, {"clock", read_clock}, {"set-variable", set_variable},
        {"file-mask", file_mask}, {"numbers", numbers}, {"groups", groups},
        {"change-priority", change_priority},
        {"user", user}, {"group", group}, {"reasons", reasons},
        {"signal-numbers", rt_signal_numbers}, {"watch-signal", rt_watch_signal},
        {"next-signal", rt_next_signal}, {"set-alarm", rt_set_alarm},
    };
    return rt_system_call(calls, name, (rt_value[]){who, verb}, subject, first, second);
}
