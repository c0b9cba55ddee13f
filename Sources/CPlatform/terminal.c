// Questions to the person at the terminal.
//
// While one is open, the signals that end or stop a process are only noted: the terminal gets its
// echo back first, then each signal is raised again and does what it does. They are noted in a
// pipe, so that none can slip in between looking and waiting, whichever thread it comes to.
#define _GNU_SOURCE
#include "cplatform.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static const int watched[] = {
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT};
enum { watched_count = sizeof watched / sizeof *watched };

static int notes[2] = {-1, -1};

static void note(int signal) {
    int saved = errno;
    unsigned char byte = (unsigned char)signal;
    ssize_t written = write(notes[1], &byte, 1);
    (void)written;
    errno = saved;
}

typedef struct {
    int descriptor;
    int is_changed;
    int signal;
    struct termios before;
    struct sigaction actions[watched_count];
} question;

void cplatform_wipe(void *bytes, uint64_t count) { explicit_bzero(bytes, count); }

// Raises a signal in this thread, so that it has had its effect once this returns.
static void take_effect(int signal) {
    sigset_t raised, before;
    sigemptyset(&raised);
    sigaddset(&raised, signal);
    pthread_sigmask(SIG_UNBLOCK, &raised, &before);
    raise(signal);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int open_terminal(void) { return open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY); }

int32_t cplatform_has_terminal(void) {
    int descriptor = open_terminal();
    if (descriptor < 0) return 0;
    close(descriptor);
    return 1;
}

int32_t cplatform_is_terminal(int32_t descriptor) { return isatty(descriptor) == 1; }

static void watch_signals(question *asked) {
    // Not restarted: a read or a change of the terminal that one stops has to come back here.
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < watched_count; i++) {
        sigaction(watched[i], NULL, &asked->actions[i]);
        // What whoever started us wants ignored (nohup) stays ignored.
        if (asked->actions[i].sa_handler != SIG_IGN) sigaction(watched[i], &action, NULL);
    }
}

static void unwatch_signals(question *asked) {
    for (int i = 0; i < watched_count; i++) sigaction(watched[i], &asked->actions[i], NULL);
}

// The signal that was noted first, but for a SIGCONT before another.
static int noted_signal(question *asked) {
    unsigned char byte;
    while (read(notes[0], &byte, 1) == 1) {
        if (!asked->signal || asked->signal == SIGCONT) asked->signal = byte;
    }
    return asked->signal;
}

static int hide(question *asked) {
    if (tcgetattr(asked->descriptor, &asked->before)) return -errno;
    struct termios silent = asked->before;
    silent.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
    silent.c_lflag |= ICANON | ISIG;
    if (tcsetattr(asked->descriptor, TCSAFLUSH, &silent)) return -errno;
    asked->is_changed = 1;
    return 0;
}

static void show_again(question *asked) {
    if (!asked->is_changed) return;
    // Held back, SIGTTOU lets a process in the background do this all the same.
    sigset_t output, before;
    sigemptyset(&output);
    sigaddset(&output, SIGTTOU);
    sigprocmask(SIG_BLOCK, &output, &before);
    while (tcsetattr(asked->descriptor, TCSAFLUSH, &asked->before) && errno == EINTR) {}
    // The line feed that was typed, or the one missing after Ctrl-C, was not shown.
    ssize_t written = write(asked->descriptor, "\n", 1);
    (void)written;
    sigprocmask(SIG_SETMASK, &before, NULL);
    asked->is_changed = 0;
}

static int write_prompt(int descriptor, const char *prompt) {
    size_t left = strlen(prompt);
    while (left > 0) {
        ssize_t written = write(descriptor, prompt, left);
        if (written < 0) return -errno;
        prompt += written;
        left -= (size_t)written;
    }
    return 0;
}

// The count of a line, or minus errno; -EINTR says that a signal was noted.
static int read_line(question *asked, unsigned char *bytes, uint32_t capacity) {
    uint32_t count = 0;
    int is_too_long = 0;
    while (!noted_signal(asked)) {
        struct pollfd waits[] = {
            {.fd = asked->descriptor, .events = POLLIN}, {.fd = notes[0], .events = POLLIN}};
        int ready = poll(waits, 2, -1);
        if (ready < 0 && errno != EINTR) return -errno;
        if (ready < 0 || waits[1].revents) continue;
        unsigned char byte;
        ssize_t got = read(asked->descriptor, &byte, 1);
        if (got < 0 && errno == EINTR) continue;
        // A terminal that hung up.
        if (got < 0) return errno == EIO ? -ENODATA : -errno;
        if (got == 0 && count == 0) return -ENODATA;
        if (got == 0 || byte == '\n') return is_too_long ? -EMSGSIZE : (int)count;
        if (count == capacity) {
            is_too_long = 1;
        } else {
            bytes[count++] = byte;
        }
        explicit_bzero(&byte, sizeof byte);
    }
    return -EINTR;
}

static int ask_once(
    question *asked, const char *prompt, int is_hidden, void *bytes, uint32_t capacity) {
    int result = is_hidden ? hide(asked) : 0;
    if (result == 0) result = write_prompt(asked->descriptor, prompt);
    if (result == 0) result = read_line(asked, bytes, capacity);
    show_again(asked);
    return result;
}

// ---- A program that shows something until it is told to end

static const int shown_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH};
enum { shown_count = sizeof shown_signals / sizeof *shown_signals };
static struct sigaction shown_actions[shown_count];

int32_t cplatform_terminal_size(int32_t descriptor, int32_t *columns, int32_t *rows) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size)) return -errno;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}

int32_t cplatform_watch_begin(void) {
    if (notes[0] < 0 && pipe2(notes, O_CLOEXEC | O_NONBLOCK)) return -errno;
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < shown_count; i++) {
        sigaction(shown_signals[i], NULL, &shown_actions[i]);
        if (shown_actions[i].sa_handler != SIG_IGN) sigaction(shown_signals[i], &action, NULL);
    }
    return 0;
}

int32_t cplatform_watch_wait(int32_t timeout_ms) {
    uint32_t ready;
    return cplatform_watch_wait_for(NULL, 0, timeout_ms, &ready);
}

enum { waited_count = 8 };

int32_t cplatform_watch_wait_for(
    const int32_t *descriptors, uint32_t count, int32_t timeout_ms, uint32_t *ready) {
    struct pollfd waits[1 + waited_count] = {{.fd = notes[0], .events = POLLIN}};
    if (count > waited_count) return -EINVAL;
    for (uint32_t i = 0; i < count; i++) {
        waits[1 + i] = (struct pollfd){.fd = descriptors[i], .events = POLLIN};
    }
    *ready = 0;
    int found = poll(waits, 1 + count, timeout_ms);
    if (found < 0 && errno != EINTR) return -errno;
    for (uint32_t i = 0; found > 0 && i < count; i++) {
        if (waits[1 + i].revents) *ready |= 1u << i;
    }
    unsigned char byte, noted = 0;
    // Of several the last but a change of size, which comes along with nothing that matters more.
    while (read(notes[0], &byte, 1) == 1) {
        if (!noted || byte != SIGWINCH) noted = byte;
    }
    return noted;
}

static struct termios shown_typing;

int32_t cplatform_hush_typing(int32_t descriptor) {
    if (tcgetattr(descriptor, &shown_typing)) return -errno;
    struct termios silent = shown_typing;
    silent.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON);
    silent.c_lflag |= ISIG;
    silent.c_cc[VMIN] = 1;
    silent.c_cc[VTIME] = 0;
    // What was pasted ahead of the question is not lost.
    return tcsetattr(descriptor, TCSADRAIN, &silent) ? -errno : 0;
}

void cplatform_show_typing(int32_t descriptor) {
    // Held back, SIGTTOU lets a process in the background do this all the same.
    sigset_t output, before;
    sigemptyset(&output);
    sigaddset(&output, SIGTTOU);
    sigprocmask(SIG_BLOCK, &output, &before);
    // The rest of what was pasted is not for the shell.
    while (tcsetattr(descriptor, TCSAFLUSH, &shown_typing) && errno == EINTR) {}
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void cplatform_watch_end(int32_t signal) {
    for (int i = 0; i < shown_count; i++) sigaction(shown_signals[i], &shown_actions[i], NULL);
    if (signal) take_effect(signal);
}

int32_t cplatform_ask_terminal(
    const char *prompt, int32_t is_hidden, void *bytes, uint32_t capacity) {
    question asked = {.descriptor = open_terminal()};
    // There is a device, and no terminal behind it.
    if (asked.descriptor < 0) return errno == EIO || errno == ENOENT ? -ENXIO : -errno;
    if (notes[0] < 0 && pipe2(notes, O_CLOEXEC | O_NONBLOCK)) {
        int failure = errno;
        close(asked.descriptor);
        return -failure;
    }
    int result, signal;
    do {
        asked.signal = 0;
        watch_signals(&asked);
        result = ask_once(&asked, prompt, is_hidden, bytes, capacity);
        unwatch_signals(&asked);
        signal = noted_signal(&asked);
        // An answer that came first is not lost to a signal that changes nothing.
        if (signal == SIGCONT && result != -EINTR) signal = 0;
        if (signal) result = -EINTR;
        if (result < 0) explicit_bzero(bytes, capacity);
        if (signal && signal != SIGCONT) take_effect(signal);
        // Whoever was stopped and continued is asked again; a handler of the program's own decides
        // about the rest.
    } while (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU || signal == SIGCONT);
    close(asked.descriptor);
    return result;
}
