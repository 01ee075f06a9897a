/* files.c - what the library asks of the file system: %file-call. */
#define _GNU_SOURCE   /* flock, realpath, struct stat's st_mtim, utimensat */
#include "ports/ports.h"
#include "system/calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MODE_BITS 07777

/* ---- Questions ----------------------------------------------------------- */

static rt_value seconds_and_nanoseconds(struct timespec time) {
    return rt_cons(rt_of_int64(time.tv_sec), rt_of_fixnum(time.tv_nsec));
}

static const char *kind_of(mode_t mode) {
    if (S_ISREG(mode)) return "file";
    if (S_ISDIR(mode)) return "folder";
    if (S_ISLNK(mode)) return "symlink";
    if (S_ISFIFO(mode)) return "fifo";
    if (S_ISSOCK(mode)) return "socket";
    return "device";
}

/* first: whether links are followed, or a descriptor.  #f if there is no such file. */
static rt_value status(const system_arguments *given) {
    struct stat about;
    int failed = rt_is_fixnum(given->first) ? fstat((int)rt_fixnum(given->first), &about)
                 : given->first == RT_TRUE  ? stat(given->path, &about)
                                            : lstat(given->path, &about);
    if (failed != 0 && (errno == ENOENT || errno == ENOTDIR)) return RT_FALSE;
    if (failed != 0) return NO_RESULT;
    rt_value fields[] = {
        rt_intern(kind_of(about.st_mode)), rt_of_fixnum(about.st_mode & MODE_BITS),
        rt_of_int64(about.st_size), rt_of_int64((int64_t)about.st_dev),
        rt_of_int64((int64_t)about.st_ino), rt_of_int64((int64_t)about.st_nlink),
        rt_of_fixnum(about.st_uid), rt_of_fixnum(about.st_gid),
        rt_of_int64((int64_t)about.st_rdev), rt_of_int64(about.st_blksize),
        rt_of_int64(about.st_blocks), seconds_and_nanoseconds(about.st_atim), seconds_and_nanoseconds(about.st_mtim),
        seconds_and_nanoseconds(about.st_ctim),
    };
    return rt_new_vector(sizeof fields / sizeof *fields, fields);
}

static rt_value names(const system_arguments *given) {
    DIR *folder = opendir(given->path);
    if (folder == NULL) return NO_RESULT;
    rt_value list = RT_NIL;
    const struct dirent *entry;
    while (list != RT_ERROR && (entry = readdir(folder)) != NULL) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        rt_value text = rt_string_of_utf8(name, strlen(name));
        if (text != RT_ERROR) list = rt_cons(text, list);
        else rt_free(list), list = RT_ERROR;
    }
    closedir(folder);
    return list;
}

static rt_value text_or_nothing(const char *text) {
    return text == NULL ? NO_RESULT : rt_string_of_utf8(text, strlen(text));
}

static rt_value read_link(const system_arguments *given) {
    char target[PATH_MAX + 1];
    ssize_t size = readlink(given->path, target, PATH_MAX);
    return size < 0 ? NO_RESULT : rt_string_of_utf8(target, (size_t)size);
}

static rt_value real_path(const system_arguments *given) {
    char *path = realpath(given->path, NULL);
    rt_value text = text_or_nothing(path);
    int reason = errno;
    free(path);
    errno = reason;
    return text;
}

static rt_value current_folder(const system_arguments *given) {
    (void)given;
    char *path = getcwd(NULL, 0);
    rt_value text = text_or_nothing(path);
    int reason = errno;
    free(path);
    errno = reason;
    return text;
}

/* first: a descriptor, if there is no path. */
static rt_value free_space(const system_arguments *given) {
    struct statvfs about;
    int failed = given->path != NULL ? statvfs(given->path, &about)
                                     : fstatvfs((int)integer_of(given->first), &about);
    if (failed != 0) return NO_RESULT;
    return rt_of_int64((int64_t)(about.f_bavail * about.f_frsize));
}

/* ---- Changes ------------------------------------------------------------- */

static rt_value create_folder(const system_arguments *given) {
    return without_result(mkdir(given->path, (mode_t)integer_of(given->first)));
}

static rt_value delete_folder(const system_arguments *given) {
    return without_result(rmdir(given->path));
}

static rt_value create_link(const system_arguments *given) {
    return without_result(link(given->path, given->to));
}

static rt_value create_symlink(const system_arguments *given) {
    return without_result(symlink(given->path, given->to));
}

static rt_value create_fifo(const system_arguments *given) {
    return without_result(mkfifo(given->path, (mode_t)integer_of(given->first)));
}

static rt_value set_mode(const system_arguments *given) {
    return without_result(chmod(given->path, (mode_t)integer_of(given->first)));
}

static rt_value set_owner(const system_arguments *given) {
    return without_result(chown(given->path, (uid_t)integer_of(given->first),
                                (gid_t)integer_of(given->second)));
}

/* A pair of seconds and nanoseconds, #t for now, or #f for no change. */
static struct timespec time_of(rt_value v) {
    if (v == RT_TRUE) return (struct timespec){0, UTIME_NOW};
    if (!rt_is_pair(v)) return (struct timespec){0, UTIME_OMIT};
    return (struct timespec){(time_t)integer_of(rt_pair_of(v)->car),
                             (long)integer_of(rt_pair_of(v)->cdr)};
}

static rt_value set_times(const system_arguments *given) {
    struct timespec times[] = {time_of(given->first), time_of(given->second)};
    return without_result(utimensat(AT_FDCWD, given->path, times, 0));
}

/* second: a descriptor, if there is no path. */
static rt_value truncate_file(const system_arguments *given) {
    int64_t size = integer_of(given->first);
    return without_result(given->path != NULL ? truncate(given->path, size)
                                              : ftruncate((int)integer_of(given->second), size));
}

static rt_value change_folder(const system_arguments *given) {
    return without_result(chdir(given->path));
}

/* ---- Files that are created or locked ------------------------------------ */

/* A new file, with a mode; #f if there is one already. */
static rt_value create_file(const system_arguments *given) {
    int file = open(given->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                    (mode_t)integer_of(given->first));
    if (file < 0) return errno == EEXIST ? RT_FALSE : NO_RESULT;
    close(file);
    return RT_TRUE;
}

/* A descriptor of a file that is locked, which is created if there is none; #f if another process
 * has locked it.  first: whether others may have such a lock, too. */
static rt_value lock_file(const system_arguments *given) {
    int file = open(given->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return NO_RESULT;
    int kind = given->first == RT_TRUE ? LOCK_SH : LOCK_EX;
    if (flock(file, kind | LOCK_NB) == 0) return rt_of_fixnum(file);
    int reason = errno;
    close(file);
    errno = reason;
    return reason == EWOULDBLOCK ? RT_FALSE : NO_RESULT;
}

static rt_value unlock_file(const system_arguments *given) {
    return without_result(close((int)integer_of(given->first)));
}

/* What was written to a file is on the disk. */
static rt_value synchronize(const system_arguments *given) {
    int file = open(given->path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NO_RESULT;
    int failed = fsync(file), reason = errno;
    close(file);
    errno = reason;
    return without_result(failed);
}

/* The descriptor of an open port (first); #f if its text is in memory only. */
static rt_value descriptor_of(const system_arguments *given) {
    const rt_port_object *port = rt_port_of(given->first);
    return port->file == RT_MEMORY ? RT_FALSE : rt_of_fixnum(port->file);
}

rt_value rt_file_call(rt_value name, rt_value who, rt_value verb, rt_value path, rt_value first,
                      rt_value second) {
    static const system_call calls[] = {
        {"status", status}, {"names", names}, {"read-link", read_link}, {"real-path", real_path},
        {"current-folder", current_folder}, {"free-space", free_space},
        {"create-folder", create_folder}, {"delete-folder", delete_folder},
        {"create-link", create_link}, {"create-symlink", create_symlink},
        {"create-fifo", create_fifo}, {"set-mode", set_mode}, {"set-owner", set_owner},
        {"set-times", set_times}, {"truncate", truncate_file}, {"change-folder", change_folder},
        {"create-file", create_file}, {"lock", lock_file}, {"unlock", unlock_file},
        {"synchronize", synchronize}, {"descriptor", descriptor_of},
    };
    return rt_system_call(calls, name, (rt_value[]){who, verb}, path, first, second);
}
