#pragma once
// Only <stdint.h> types appear here, so that importing this module never pulls a second copy of
// the C library's headers into Swift. Functions return 0 or a value, or minus errno.
#include <stdint.h>

// Tells the thread sanitizer about a lock it cannot see. Nothing without the sanitizer.
void cplatform_tsan_acquire(const void *address);
void cplatform_tsan_release(const void *address);

// Has few threads share one heap each, and large pieces of memory go back to the system when they are
// freed (mallopt(3)): for a program that runs for very long.
void cplatform_keep_memory_small(void);
// Gives back what is free (malloc_trim(3)).
void cplatform_give_memory_back(void);

// Fatal signals and SIGCHLD back to their defaults, no core file, not dumpable, umask 077, no SIGPIPE and no
// SIGXFSZ, and descriptors 0 to 2 taken where they were closed.
int32_t cplatform_harden(void);

// Whether the kernel keeps a page of ours out of the swap: 1 or 0.
int32_t cplatform_can_lock_memory(void);

// Open-file-description byte-range lock, exclusive, never waiting. length 0 reaches to the end.
// 1 locked, 0 held by another description, minus errno.
int32_t cplatform_try_lock(int32_t descriptor, int64_t offset, int64_t length);
int32_t cplatform_unlock(int32_t descriptor, int64_t offset, int64_t length);
// Whether another description holds part of the range: 1 or 0.
int32_t cplatform_is_locked(int32_t descriptor, int64_t offset, int64_t length);

// Opens or creates a regular file for locking: close-on-exec, mode 0600 whatever the umask, no
// symbolic link followed.
// Anything else at the path is EINVAL.
int32_t cplatform_open_lock_file(const char *path);
// The same for a name in an open directory, where the file has to be there.
int32_t cplatform_open_lock_file_in(int32_t directory, const char *name);

// Opens a directory that is ours and nobody else's (0700), following no symbolic link to it.
// Any other is EPERM.
int32_t cplatform_open_own_directory(const char *path);
// Removes a file of an open directory; one that is not there is no error.
int32_t cplatform_remove_in(int32_t directory, const char *name);

// Nanoseconds since boot, suspended time included.
int64_t cplatform_boottime(void);
// Nanoseconds since 1970 of the wall clock.
int64_t cplatform_walltime(void);

// A timer of the clock that counts suspended time. Setting it to a moment of that clock (0: to none)
// moves also the wait of a thread that sleeps in it.
int32_t cplatform_boot_timer(void);
int32_t cplatform_set_boot_timer(int32_t descriptor, int64_t nanoseconds);
int32_t cplatform_wait_boot_timer(int32_t descriptor);

// A descriptor that is readable once somebody has set the wall clock, which a resume does too.
int32_t cplatform_watch_wall_clock(void);
// Whether somebody has since the last time: 1 or 0; never waits.
int32_t cplatform_take_clock_change(int32_t descriptor);
// The same for links, addresses and routes of the network (rtnetlink(7)).
int32_t cplatform_watch_network(void);
int32_t cplatform_take_network_changes(int32_t descriptor);

// A new process: its own session, descriptors 0 to 2 on /dev/null, `keep` as descriptor 3, nothing
// else open, working directory /. The process id, or minus errno of whatever step failed.
int32_t cplatform_spawn_daemon(
    const char *path, char *const argv[], char *const envp[], int32_t keep);

// A new process that shares standard input, output and error and no other descriptor.
// Descriptor 1 becomes 2, so that a chatty child cannot spoil this program's data on stdout.
int32_t cplatform_spawn_attached(const char *path, char *const argv[], char *const envp[]);

// A child that is waited for: its own session and process group, `input` as descriptor 0, 1 and 2 on
// /dev/null, nothing else open, working directory /.
int32_t cplatform_spawn_child(
    const char *path, char *const argv[], char *const envp[], int32_t input);
// Whether a child ends within a time (1 or 0); its number stays its own until it is reaped.
int32_t cplatform_has_ended(int32_t process, int32_t timeout_ms);
// Its exit code, or 256 and the signal that ended it.
int32_t cplatform_reap(int32_t process);
// Ends a child that was not reaped yet, and all that is left of its group.
void cplatform_kill_group(int32_t process);

// UNIX sockets. A path too long for a socket address goes through its directory's descriptor.
// Where more connections wait to be accepted than may, connecting takes up to timeout_ms (more than
// 0): minus EAGAIN then. A later read or write has no limit.
int32_t cplatform_unix_connect(const char *directory, const char *name, int32_t timeout_ms);
int32_t cplatform_unix_listen(const char *directory, const char *name, int32_t backlog);
// A listening TCP socket on 127.0.0.1 (or [::1] when ipv6 is not 0); port 0 means any.
int32_t cplatform_loopback_listen(int32_t ipv6, uint16_t port, int32_t backlog);
// The port a listening socket is bound to.
int32_t cplatform_local_port(int32_t descriptor);
// Waits for a connection up to timeout_ms; the descriptor, minus EAGAIN on time-out.
int32_t cplatform_accept(int32_t descriptor, int32_t timeout_ms);
// User id of the process at the other end of a UNIX socket.
int64_t cplatform_peer_uid(int32_t descriptor);
// Process id of the process at the other end of a UNIX socket.
int64_t cplatform_peer_pid(int32_t descriptor);
int32_t cplatform_set_timeouts(int32_t descriptor, int32_t seconds);

// The path of a listening UNIX stream socket; 0 for one without. Minus ENOTSOCK, EAFNOSUPPORT (of
// another family), EPROTOTYPE (no stream) or ENOTCONN (it does not listen) for anything else.
int32_t cplatform_listening_path(int32_t descriptor, char *path, uint32_t capacity);
// Sends a datagram to a UNIX socket, waiting up to timeout_ms (more than 0) for room in its queue; '@'
// in front of a name of the kernel's.
int32_t cplatform_send_datagram(
    const char *path, uint32_t length, const void *bytes, uint32_t count, int32_t timeout_ms);

// Raises the limit of open descriptors to what is wanted, as far as it may be; what it is then.
int64_t cplatform_raise_descriptor_limit(uint64_t wanted);

// A descriptor for what happens to a directory, and in *watch what ends that.
int32_t cplatform_watch_directory(const char *path, int32_t *watch);
// Sleeps until something has happened to the directory or to one of these names in it: 1; 0 once it
// is not watched any more.
int32_t cplatform_wait_directory_change(int32_t descriptor, char *const names[]);
void cplatform_end_watch(int32_t descriptor, int32_t watch);

// One pipe, both ends close-on-exec.
int32_t cplatform_pipe(int32_t ends[2]);

typedef struct {
    uint32_t mode;      // st_mode
    uint32_t owner;     // st_uid
    uint64_t links;     // st_nlink
    int64_t size;       // bytes
    uint64_t device;
    uint64_t inode;
    uint32_t device_major;
    uint32_t device_minor;
} cplatform_file_status;

// lstat: never opens the file. (Opening and closing a database file in a process that has it open
// drops SQLite's locks.)
int32_t cplatform_lstat(const char *path, cplatform_file_status *status);

// Opens a file for reading and says what it is, not what the path meant a moment ago; a device or
// FIFO never blocks the open. The descriptor; minus ELOOP for a symbolic link unless `follow`.
int32_t cplatform_open_to_read(
    const char *path, int32_t follow, cplatform_file_status *status, int32_t *is_read_only);
// What kind of file system a path is on: statfs's f_type.
int64_t cplatform_file_system_type(const char *path);
// Makes a new file (mode 0600) whose bytes are all really there on the disk.
int32_t cplatform_allocate_file(const char *path, int64_t size);

// Writes a new file that must not exist: mode 0600 whatever the umask, synced, its directory
// synced.
int32_t cplatform_write_new_file(const char *path, const void *bytes, uint64_t count);
// Syncs a finished file, gives it its name unless that is taken, and syncs the directory.
int32_t cplatform_install_file(const char *unfinished, const char *path);
// The same for a name that may be taken: its file is replaced.
int32_t cplatform_replace_file(const char *unfinished, const char *path);
// Reads at most `capacity` bytes of a file; a device or FIFO never blocks the open.
int64_t cplatform_read_file(const char *path, void *bytes, uint64_t capacity);

// SIGTERM, SIGINT and SIGHUP no longer end the process: they are kept to be waited for.
int32_t cplatform_catch_stop_signals(void);
// Waits for one of them; the signal, or minus EAGAIN on time-out.
int32_t cplatform_wait_stop_signal(int32_t timeout_ms);

// Whether this process has a controlling terminal it can open: 1 or 0.
int32_t cplatform_has_terminal(void);
// Whether a descriptor is a terminal: 1 or 0.
int32_t cplatform_is_terminal(int32_t descriptor);
// Writes a prompt to the controlling terminal and reads one line from it into `bytes`, without its
// line feed; hidden means with echo off. Echo is as before on every way out. A signal that stops
// or ends the process takes its effect once it is; what is typed before that is thrown away.
// The count; -ENXIO without a terminal, -ENODATA when the input ended, -EMSGSIZE for a line of
// more than `capacity` bytes, which are wiped.
int32_t cplatform_ask_terminal(
    const char *prompt, int32_t is_hidden, void *bytes, uint32_t capacity);
// The cells of a terminal across and down; minus errno where there is none.
int32_t cplatform_terminal_size(int32_t descriptor, int32_t *columns, int32_t *rows);
// Notes the signals that end, stop or resize a program at its terminal, until cplatform_watch_end.
int32_t cplatform_watch_begin(void);
// Waits for one of them, or 0 after timeout_ms.
int32_t cplatform_watch_wait(int32_t timeout_ms);
// The same, and ends with 0 also once one of these descriptors can be read or has ended: *ready has a
// bit for each that can, the first the lowest. No more than 8.
int32_t cplatform_watch_wait_for(
    const int32_t *descriptors, uint32_t count, int32_t timeout_ms, uint32_t *ready);
// What is typed at a terminal neither shows nor waits for the end of its line, which the kernel cuts at
// 4095 bytes (termios(3)); until cplatform_show_typing.
int32_t cplatform_hush_typing(int32_t descriptor);
void cplatform_show_typing(int32_t descriptor);
// Lets them take their effect again, and has the one that is not 0 take it now.
void cplatform_watch_end(int32_t signal);
// Overwrites memory with zeros in a way that no optimiser removes.
void cplatform_wipe(void *bytes, uint64_t count);
