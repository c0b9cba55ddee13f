#define _GNU_SOURCE
#include "cplatform.h"

#include <malloc.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- sanitizer -------------------------------------------------------------------------------

__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

void cplatform_tsan_acquire(const void *address) {
    if (__tsan_acquire) __tsan_acquire((void *)address);
}

void cplatform_tsan_release(const void *address) {
    if (__tsan_release) __tsan_release((void *)address);
}

// ---- process hygiene -------------------------------------------------------------------------

// A file that this program opens must not become the standard output that somebody closed. What
// takes the place fails as a closed descriptor does: /dev/null, opened for the other direction.
static int32_t occupy_standard_descriptors(void) {
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0) continue;
        if (open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) != descriptor) return -errno;
    }
    return 0;
}

void cplatform_keep_memory_small(void) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

void cplatform_give_memory_back(void) { malloc_trim(0); }

int32_t cplatform_harden(void) {
    int32_t result = occupy_standard_descriptors();
    if (result) return result;
    // Swift's crash reporter prints the memory behind every register to stderr.
    static const int fatal[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGQUIT};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], SIG_DFL);
    // Where whoever started us ignores it, the kernel reaps our children: their numbers would be
    // others' while we still wait for them, and end their groups.
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    // A write past RLIMIT_FSIZE then fails with EFBIG, as on a full disk.
    signal(SIGXFSZ, SIG_IGN);
    umask(077);
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none)) return -errno;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) return -errno;
    return 0;
}

int32_t cplatform_can_lock_memory(void) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return -errno;
    // The kernel's own: the sanitizers put a mlock that does nothing in the C library's place.
    int result = syscall(SYS_mlock, page, size) == 0;
    munmap(page, size);
    return result;
}

// ---- locks -----------------------------------------------------------------------------------

static int set_lock(int32_t descriptor, short type, int64_t offset, int64_t length) {
    struct flock range = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = offset, .l_len = length};
    while (fcntl(descriptor, F_OFD_SETLK, &range)) {
        if (errno != EINTR) return -errno;
    }
    return 0;
}

int32_t cplatform_try_lock(int32_t descriptor, int64_t offset, int64_t length) {
    int result = set_lock(descriptor, F_WRLCK, offset, length);
    if (result == 0) return 1;
    return result == -EAGAIN || result == -EACCES ? 0 : result;
}

int32_t cplatform_unlock(int32_t descriptor, int64_t offset, int64_t length) {
    return set_lock(descriptor, F_UNLCK, offset, length);
}

int32_t cplatform_is_locked(int32_t descriptor, int64_t offset, int64_t length) {
    struct flock range = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = length};
    while (fcntl(descriptor, F_OFD_GETLK, &range)) {
        if (errno != EINTR) return -errno;
    }
    return range.l_type != F_UNLCK;
}

static int32_t checked_lock_file(int descriptor) {
    if (descriptor < 0) return -errno;
    struct stat found;
    if (fstat(descriptor, &found) || !S_ISREG(found.st_mode)) {
        close(descriptor);
        return -EINVAL;
    }
    // A umask that takes the owner's bits away would keep the next process out; what is another
    // user's is not for us to open up or close.
    if (found.st_uid == geteuid() && (found.st_mode & 0777) != 0600) fchmod(descriptor, 0600);
    return descriptor;
}

enum { lock_file_flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK };

int32_t cplatform_open_lock_file(const char *path) {
    return checked_lock_file(open(path, lock_file_flags | O_CREAT, 0600));
}

int32_t cplatform_open_lock_file_in(int32_t directory, const char *name) {
    return checked_lock_file(openat(directory, name, lock_file_flags));
}

// ---- directories of one's own ----------------------------------------------------------------

int32_t cplatform_open_own_directory(const char *path) {
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return -errno;
    struct stat found;
    if (fstat(descriptor, &found) || found.st_uid != geteuid() || (found.st_mode & 0777) != 0700) {
        close(descriptor);
        return -EPERM;
    }
    return descriptor;
}

int32_t cplatform_remove_in(int32_t directory, const char *name) {
    return unlinkat(directory, name, 0) && errno != ENOENT ? -errno : 0;
}

// ---- clocks ----------------------------------------------------------------------------------

static int64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int64_t cplatform_boottime(void) { return nanoseconds(CLOCK_BOOTTIME); }
int64_t cplatform_walltime(void) { return nanoseconds(CLOCK_REALTIME); }

// ---- processes -------------------------------------------------------------------------------

// The C library's own: one call of the kernel, or /proc where a sandbox does not let that through.
static void close_from(int first) { closefrom(first); }

static void reset_signals(void) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
}

// Tells the parent which errno stopped the child, through a pipe that exec closes.
static int32_t reap_failure(pid_t child, int error_end) {
    int failure = 0;
    ssize_t got;
    do got = read(error_end, &failure, sizeof failure);
    while (got < 0 && errno == EINTR);
    close(error_end);
    return got == (ssize_t)sizeof failure ? -failure : child;
}

static void fail_child(int error_end) {
    int failure = errno;
    if (write(error_end, &failure, sizeof failure) < 0) _exit(126);
    _exit(127);
}

// Turns the grandchild into the program; `keep` is negative for one that shares our terminal.
static void become(
    const char *path, char *const argv[], char *const envp[], int keep, int report) {
    reset_signals();
    // What stays open moves out of the way of 0 to 4 before those are taken.
    int error_end = fcntl(report, F_DUPFD_CLOEXEC, 10);
    if (error_end < 0) fail_child(report);
    if (keep < 0) {
        if (dup2(2, 1) < 0) fail_child(error_end);
    } else {
        int null = open("/dev/null", O_RDWR), kept = fcntl(keep, F_DUPFD_CLOEXEC, 10);
        if (null < 0 || kept < 0 || chdir("/")) fail_child(error_end);
        for (int descriptor = 0; descriptor < 3; descriptor++) {
            if (dup2(null, descriptor) < 0) fail_child(error_end);
        }
        if (dup2(kept, 3) < 0) fail_child(error_end);
    }
    int last = keep < 0 ? 3 : 4;
    if (dup3(error_end, last, O_CLOEXEC) < 0) fail_child(error_end);
    close_from(last + 1);
    execve(path, argv, envp);
    fail_child(last);
}

// fork(2) with a pipe through which the child tells why it could not become another program; minus errno
// without either.
static pid_t fork_with_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC)) return -errno;
    pid_t child = fork();
    if (child >= 0) return child;
    int failure = errno;
    close(ends[0]);
    close(ends[1]);
    return -failure;
}

static int32_t spawn(const char *path, char *const argv[], char *const envp[], int keep) {
    int ends[2];
    pid_t child = fork_with_pipe(ends);
    if (child < 0) return child;
    if (child == 0) {
        // Out of the terminal's foreground group: Ctrl-C in the command ends no agent or browser.
        if (setsid() < 0) fail_child(ends[1]);
        // The program is a grandchild: never a zombie of the caller, never a session leader.
        pid_t grandchild = fork();
        if (grandchild < 0) fail_child(ends[1]);
        if (grandchild > 0) _exit(0);
        become(path, argv, envp, keep, ends[1]);
    }
    close(ends[1]);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    return reap_failure(child, ends[0]);
}

// Turns a child into a program that reads `input` and is heard by nobody.
static void become_child(
    const char *path, char *const argv[], char *const envp[], int input, int report) {
    reset_signals();
    if (setsid() < 0 || chdir("/")) fail_child(report);
    // Out of the way of 0 to 3 before those are taken.
    int error_end = fcntl(report, F_DUPFD_CLOEXEC, 10);
    if (error_end < 0) fail_child(report);
    int kept = fcntl(input, F_DUPFD_CLOEXEC, 10), null = open("/dev/null", O_RDWR);
    if (kept < 0 || null < 0 || dup2(kept, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0
        || dup3(error_end, 3, O_CLOEXEC) < 0) {
        fail_child(error_end);
    }
    close_from(4);
    execve(path, argv, envp);
    fail_child(3);
}

int32_t cplatform_spawn_child(
    const char *path, char *const argv[], char *const envp[], int32_t input) {
    int ends[2];
    pid_t child = fork_with_pipe(ends);
    if (child < 0) return child;
    if (child == 0) become_child(path, argv, envp, input, ends[1]);
    close(ends[1]);
    int32_t result = reap_failure(child, ends[0]);
    // One that did not become the program is nobody's to wait for.
    if (result < 0) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    return result;
}

int32_t cplatform_spawn_daemon(
    const char *path, char *const argv[], char *const envp[], int32_t keep) {
    return spawn(path, argv, envp, keep);
}

int32_t cplatform_spawn_attached(const char *path, char *const argv[], char *const envp[]) {
    return spawn(path, argv, envp, -1);
}

// ---- sockets ---------------------------------------------------------------------------------

// Fills in the address of directory/name; keeps the directory's descriptor in *hold when the path
// has to go through it.
static int unix_address(
    struct sockaddr_un *address, const char *directory, const char *name, int *hold) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    *hold = -1;
    int length = snprintf(address->sun_path, sizeof address->sun_path, "%s/%s", directory, name);
    if (length >= 0 && (size_t)length < sizeof address->sun_path) return 0;
    *hold = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (*hold < 0) return -errno;
    length = snprintf(
        address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", *hold, name);
    if (length >= 0 && (size_t)length < sizeof address->sun_path) return 0;
    close(*hold);
    return -ENAMETOOLONG;
}

static int finish(int descriptor, int hold, int failed) {
    int failure = errno;
    if (hold >= 0) close(hold);
    if (!failed) return descriptor;
    close(descriptor);
    return -failure;
}

static int limit_sending(int descriptor, int32_t milliseconds) {
    struct timeval limit = {
        .tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
    return setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

int32_t cplatform_unix_connect(const char *directory, const char *name, int32_t timeout_ms) {
    struct sockaddr_un address;
    int hold, result = unix_address(&address, directory, name, &hold);
    if (result) return result;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return finish(descriptor, hold, 1);
    // The limit of sending is that of connecting too (socket(7)).
    result = limit_sending(descriptor, timeout_ms)
        || connect(descriptor, (struct sockaddr *)&address, sizeof address)
        || limit_sending(descriptor, 0);
    return finish(descriptor, hold, result != 0);
}

int32_t cplatform_unix_listen(const char *directory, const char *name, int32_t backlog) {
    struct sockaddr_un address;
    int hold, result = unix_address(&address, directory, name, &hold);
    if (result) return result;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return finish(descriptor, hold, 1);
    // Linux takes the mode of the socket file from its descriptor, before bind.
    result = fchmod(descriptor, 0600)
        || bind(descriptor, (struct sockaddr *)&address, sizeof address)
        || listen(descriptor, backlog);
    return finish(descriptor, hold, result != 0);
}

int32_t cplatform_loopback_listen(int32_t ipv6, uint16_t port, int32_t backlog) {
    int descriptor = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    int on = 1, result;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (ipv6) {
        struct sockaddr_in6 address = {
            .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_loopback};
        result = bind(descriptor, (struct sockaddr *)&address, sizeof address);
    } else {
        struct sockaddr_in address = {
            .sin_family = AF_INET,
            .sin_port = htons(port),
            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        result = bind(descriptor, (struct sockaddr *)&address, sizeof address);
    }
    return finish(descriptor, -1, result || listen(descriptor, backlog));
}

int32_t cplatform_local_port(int32_t descriptor) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &length)) return -errno;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    return -EAFNOSUPPORT;
}

int32_t cplatform_accept(int32_t descriptor, int32_t timeout_ms) {
    struct pollfd wait = {.fd = descriptor, .events = POLLIN};
    int ready = poll(&wait, 1, timeout_ms);
    if (ready == 0) return -EAGAIN;
    if (ready < 0) return errno == EINTR ? -EAGAIN : -errno;
    int accepted = accept4(descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return accepted < 0 ? -errno : accepted;
}

static int peer(int32_t descriptor, struct ucred *credentials) {
    socklen_t length = sizeof *credentials;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, credentials, &length) ? -errno : 0;
}

int64_t cplatform_peer_uid(int32_t descriptor) {
    struct ucred credentials;
    int result = peer(descriptor, &credentials);
    return result ? result : (int64_t)credentials.uid;
}

int64_t cplatform_peer_pid(int32_t descriptor) {
    struct ucred credentials;
    int result = peer(descriptor, &credentials);
    return result ? result : (int64_t)credentials.pid;
}

int32_t cplatform_set_timeouts(int32_t descriptor, int32_t seconds) {
    struct timeval limit = {.tv_sec = seconds};
    if (setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit)) return -errno;
    if (setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit)) return -errno;
    return 0;
}

int32_t cplatform_pipe(int32_t ends[2]) { return pipe2(ends, O_CLOEXEC) ? -errno : 0; }

// ---- files -----------------------------------------------------------------------------------

static void describe(const struct stat *found, cplatform_file_status *status) {
    status->mode = found->st_mode;
    status->owner = found->st_uid;
    status->links = found->st_nlink;
    status->size = found->st_size;
    status->device = found->st_dev;
    status->inode = found->st_ino;
    status->device_major = major(found->st_dev);
    status->device_minor = minor(found->st_dev);
}

int32_t cplatform_lstat(const char *path, cplatform_file_status *status) {
    struct stat found;
    if (lstat(path, &found)) return -errno;
    describe(&found, status);
    return 0;
}

int32_t cplatform_open_to_read(
    const char *path, int32_t follow, cplatform_file_status *status, int32_t *is_read_only) {
    int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
    int descriptor = open(path, flags);
    if (descriptor < 0) return -errno;
    struct stat found;
    struct statvfs mount;
    if (fstat(descriptor, &found) || fstatvfs(descriptor, &mount)) {
        int failure = errno;
        close(descriptor);
        return -failure;
    }
    describe(&found, status);
    *is_read_only = (mount.f_flag & ST_RDONLY) != 0;
    return descriptor;
}

int64_t cplatform_file_system_type(const char *path) {
    struct statfs found;
    while (statfs(path, &found)) {
        if (errno != EINTR) return -errno;
    }
    return (int64_t)(uint32_t)found.f_type;
}

int32_t cplatform_allocate_file(const char *path, int64_t size) {
    // Growing past the limit may end the process with a signal.
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < (rlim_t)size) return -EFBIG;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) return -errno;
    int result = fchmod(descriptor, 0600) ? -errno : 0;
    if (result == 0) result = -posix_fallocate(descriptor, 0, size);
    close(descriptor);
    if (result) unlink(path);
    return result;
}

static int sync_directory_of(const char *path) {
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int length = slash ? snprintf(directory, sizeof directory, "%.*s", (int)(slash - path + 1), path)
                       : snprintf(directory, sizeof directory, ".");
    if (length < 0 || (size_t)length >= sizeof directory) return -ENAMETOOLONG;
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return -errno;
    int result = fsync(descriptor) ? -errno : 0;
    close(descriptor);
    return result;
}

static int write_all(int descriptor, const char *bytes, uint64_t count) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return -errno;
        bytes += written;
        count -= (uint64_t)written;
    }
    return 0;
}

int32_t cplatform_write_new_file(const char *path, const void *bytes, uint64_t count) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) return -errno;
    // The umask may have taken away more than it should.
    int result = fchmod(descriptor, 0600) ? -errno : 0;
    if (result == 0) result = write_all(descriptor, bytes, count);
    if (result == 0 && fsync(descriptor)) result = -errno;
    if (close(descriptor) && result == 0) result = -errno;
    if (result == 0) result = sync_directory_of(path);
    if (result) unlink(path);
    return result;
}

static int32_t give_name(const char *unfinished, const char *path, unsigned int flags) {
    int descriptor = open(unfinished, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) return -errno;
    int result = fsync(descriptor) ? -errno : 0;
    close(descriptor);
    if (result) return result;
    if (renameat2(AT_FDCWD, unfinished, AT_FDCWD, path, flags)) return -errno;
    return sync_directory_of(path);
}

int32_t cplatform_install_file(const char *unfinished, const char *path) {
    return give_name(unfinished, path, RENAME_NOREPLACE);
}

int32_t cplatform_replace_file(const char *unfinished, const char *path) {
    return give_name(unfinished, path, 0);
}

int64_t cplatform_read_file(const char *path, void *bytes, uint64_t capacity) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) return -errno;
    uint64_t total = 0;
    while (total < capacity) {
        ssize_t got = read(descriptor, (char *)bytes + total, capacity - total);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            int failure = errno;
            close(descriptor);
            return -failure;
        }
        if (got == 0) break;
        total += (uint64_t)got;
    }
    close(descriptor);
    return (int64_t)total;
}

// ---- signals ---------------------------------------------------------------------------------

// A handler and a pipe, not a blocked signal and sigtimedwait: once a Swift program's main thread
// has nothing more to do, libdispatch parks it in sigsuspend with every signal let through, and a
// signal without a handler would end the process there.
static int stop_pipe[2] = {-1, -1};

static void note_stop_signal(int signal) {
    int saved = errno;
    unsigned char byte = (unsigned char)signal;
    // A full pipe holds enough of them already.
    ssize_t written = write(stop_pipe[1], &byte, 1);
    (void)written;
    errno = saved;
}

int32_t cplatform_catch_stop_signals(void) {
    static const int stops[] = {SIGTERM, SIGINT, SIGHUP};
    if (stop_pipe[0] < 0 && pipe2(stop_pipe, O_CLOEXEC | O_NONBLOCK)) return -errno;
    struct sigaction action = {.sa_handler = note_stop_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        if (sigaction(stops[i], &action, NULL)) return -errno;
    }
    return 0;
}

int32_t cplatform_wait_stop_signal(int32_t timeout_ms) {
    struct pollfd entry = {.fd = stop_pipe[0], .events = POLLIN};
    int ready = poll(&entry, 1, timeout_ms);
    if (ready < 0) return -errno;
    unsigned char byte;
    if (ready == 0 || read(stop_pipe[0], &byte, 1) != 1) return -EAGAIN;
    return byte;
}
