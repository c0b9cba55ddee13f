#define _GNU_SOURCE
#include "cplatform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- sockets ---------------------------------------------------------------------------------

static int option(int descriptor, int name, int *value) {
    socklen_t length = sizeof *value;
    return getsockopt(descriptor, SOL_SOCKET, name, value, &length) ? -errno : 0;
}

int32_t cplatform_listening_path(int32_t descriptor, char *path, uint32_t capacity) {
    int domain, type, listens;
    int result = option(descriptor, SO_DOMAIN, &domain);
    if (result == 0) result = option(descriptor, SO_TYPE, &type);
    if (result == 0) result = option(descriptor, SO_ACCEPTCONN, &listens);
    if (result) return result;
    if (domain != AF_UNIX) return -EAFNOSUPPORT;
    if (type != SOCK_STREAM) return -EPROTOTYPE;
    if (!listens) return -ENOTCONN;
    struct sockaddr_un address;
    socklen_t length = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &length)) return -errno;
    if (length <= offsetof(struct sockaddr_un, sun_path)) return 0;
    size_t count = strnlen(address.sun_path, length - offsetof(struct sockaddr_un, sun_path));
    if (count > capacity) return -ENAMETOOLONG;
    memcpy(path, address.sun_path, count);
    return (int32_t)count;
}

int32_t cplatform_send_datagram(
    const char *path, uint32_t length, const void *bytes, uint32_t count, int32_t timeout_ms) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (length == 0 || length > sizeof address.sun_path) return -ENAMETOOLONG;
    memcpy(address.sun_path, path, length);
    // Such a name has no file: it begins with a zero and has none at its end (unix(7)).
    if (path[0] == '@') address.sun_path[0] = 0;
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    // While a machine starts there may be more notices than the manager's queue has room for.
    struct timeval limit = {.tv_sec = timeout_ms / 1000, .tv_usec = timeout_ms % 1000 * 1000};
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    ssize_t sent;
    do sent = sendto(descriptor, bytes, count, MSG_NOSIGNAL, (struct sockaddr *)&address, size);
    while (sent < 0 && errno == EINTR);
    int failure = errno;
    close(descriptor);
    return sent < 0 ? -failure : 0;
}

// ---- descriptors -----------------------------------------------------------------------------

int64_t cplatform_raise_descriptor_limit(uint64_t wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return -errno;
    if (limit.rlim_cur < wanted && limit.rlim_cur < limit.rlim_max) {
        struct rlimit more = {limit.rlim_max < wanted ? limit.rlim_max : wanted, limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &more) == 0) limit = more;
    }
    return limit.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)limit.rlim_cur;
}

// ---- directories -----------------------------------------------------------------------------

int32_t cplatform_watch_directory(const char *path, int32_t *watch) {
    int descriptor = inotify_init1(IN_CLOEXEC);
    if (descriptor < 0) return -errno;
    uint32_t events = IN_CREATE | IN_DELETE | IN_MOVE | IN_DELETE_SELF | IN_MOVE_SELF
        | IN_CLOSE_WRITE | IN_ONLYDIR;
    *watch = inotify_add_watch(descriptor, path, events);
    if (*watch >= 0) return descriptor;
    int failure = errno;
    close(descriptor);
    return -failure;
}

static int is_one_of(const char *name, char *const names[]) {
    for (int index = 0; names[index]; index++) {
        if (strcmp(name, names[index]) == 0) return 1;
    }
    return 0;
}

int32_t cplatform_wait_directory_change(int32_t descriptor, char *const names[]) {
    _Alignas(struct inotify_event) char buffer[16 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
    int32_t result = 0;
    while (result == 0) {
        ssize_t count = read(descriptor, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -errno;
        const struct inotify_event *event;
        for (char *next = buffer; next < buffer + count; next += sizeof *event + event->len) {
            event = (const struct inotify_event *)next;
            if (event->mask & IN_IGNORED) return 0;
            // What concerns the directory itself has no name.
            if (event->len == 0 || is_one_of(event->name, names)) result = 1;
        }
    }
    return result;
}

void cplatform_end_watch(int32_t descriptor, int32_t watch) {
    inotify_rm_watch(descriptor, watch);
}

// ---- children --------------------------------------------------------------------------------

// Milliseconds until a moment of the clock that nobody sets, rounded up.
static int64_t milliseconds_until(int64_t end) {
    int64_t left = end - cplatform_boottime();
    return left > 0 ? (left + 999999) / 1000000 : 0;
}

// poll(2) that a signal on this thread does not end.
static int wait_readable(int descriptor, int64_t end) {
    struct pollfd entry = {.fd = descriptor, .events = POLLIN};
    int ready;
    do {
        int64_t left = milliseconds_until(end);
        ready = poll(&entry, 1, left > INT_MAX ? INT_MAX : (int)left);
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

int32_t cplatform_has_ended(int32_t process, int32_t timeout_ms) {
    int64_t end = cplatform_boottime() + timeout_ms * INT64_C(1000000);
    int watch = (int)syscall(SYS_pidfd_open, process, 0);
    if (watch >= 0) {
        int has_ended = wait_readable(watch, end);
        close(watch);
        return has_ended;
    }
    // Kernels before 5.3, and sandboxes.
    while (1) {
        siginfo_t found = {.si_pid = 0};
        if (waitid(P_PID, (id_t)process, &found, WEXITED | WNOHANG | WNOWAIT)) return 1;
        if (found.si_pid == process) return 1;
        if (milliseconds_until(end) == 0) return 0;
        usleep(20000);
    }
}

int32_t cplatform_reap(int32_t process) {
    int status;
    pid_t got;
    do got = waitpid(process, &status, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0) return -errno;
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

void cplatform_kill_group(int32_t process) {
    if (process > 1) kill(-process, SIGKILL);
}
