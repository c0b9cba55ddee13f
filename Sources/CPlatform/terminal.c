// Questions to the person at the terminal.
//
// While one is open, the signals that end or stop a process are only noted: the terminal gets its
// echo back first, then each signal is raised again and does what it does. They are let in while
// the process waits (ppoll), so that none can slip in between looking and waiting.
#define _GNU_SOURCE
#include "cplatform.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int watched[] = {
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT};
enum { watched_count = sizeof watched / sizeof *watched };

static volatile sig_atomic_t noted[NSIG];

static void note(int signal) { noted[signal] = 1; }

typedef struct {
    int descriptor;
    int is_changed;
    struct termios before;
    struct sigaction actions[watched_count];
    sigset_t mask;
} question;

void cplatform_wipe(void *bytes, uint64_t count) { explicit_bzero(bytes, count); }

static int open_terminal(void) { return open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY); }

int32_t cplatform_has_terminal(void) {
    int descriptor = open_terminal();
    if (descriptor < 0) return 0;
    close(descriptor);
    return 1;
}

int32_t cplatform_is_terminal(int32_t descriptor) { return isatty(descriptor) == 1; }

static void watch_signals(question *asked) {
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    sigset_t held;
    sigemptyset(&held);
    for (int i = 0; i < watched_count; i++) {
        noted[watched[i]] = 0;
        sigaction(watched[i], NULL, &asked->actions[i]);
        // What whoever started us wants ignored (nohup) stays ignored.
        if (asked->actions[i].sa_handler != SIG_IGN) sigaction(watched[i], &action, NULL);
        // A process in the background that holds these two back gets errors in their place.
        if (watched[i] != SIGTTIN && watched[i] != SIGTTOU) sigaddset(&held, watched[i]);
    }
    sigprocmask(SIG_BLOCK, &held, &asked->mask);
}

static void unwatch_signals(question *asked) {
    for (int i = 0; i < watched_count; i++) sigaction(watched[i], &asked->actions[i], NULL);
    sigprocmask(SIG_SETMASK, &asked->mask, NULL);
}

// The first signal that came, SIGCONT aside unless it came alone.
static int noted_signal(void) {
    for (int i = 0; i < watched_count; i++) {
        if (noted[watched[i]]) return watched[i];
    }
    return 0;
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
static int read_line(const question *asked, unsigned char *bytes, uint32_t capacity) {
    uint32_t count = 0;
    int is_too_long = 0;
    while (1) {
        if (noted_signal()) return -EINTR;
        struct pollfd wait = {.fd = asked->descriptor, .events = POLLIN};
        if (ppoll(&wait, 1, NULL, &asked->mask) < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        unsigned char byte;
        ssize_t got = read(asked->descriptor, &byte, 1);
        if (got < 0 && errno == EINTR) continue;
        // A terminal that hung up.
        if (got < 0) return errno == EIO && !noted_signal() ? -ENODATA : -errno;
        if (got == 0 && count == 0) return -ENODATA;
        if (got == 0 || byte == '\n') return is_too_long ? -EMSGSIZE : (int)count;
        if (count == capacity) {
            is_too_long = 1;
        } else {
            bytes[count++] = byte;
        }
        explicit_bzero(&byte, sizeof byte);
    }
}

static int ask_once(
    question *asked, const char *prompt, int is_hidden, void *bytes, uint32_t capacity) {
    int result = is_hidden ? hide(asked) : 0;
    if (result == 0) result = write_prompt(asked->descriptor, prompt);
    if (result == 0) result = read_line(asked, bytes, capacity);
    show_again(asked);
    return result;
}

int32_t cplatform_ask_terminal(
    const char *prompt, int32_t is_hidden, void *bytes, uint32_t capacity) {
    question asked = {.descriptor = open_terminal()};
    // There is a device, and no terminal behind it.
    if (asked.descriptor < 0) return errno == EIO || errno == ENOENT ? -ENXIO : -errno;
    int result;
    while (1) {
        watch_signals(&asked);
        result = ask_once(&asked, prompt, is_hidden, bytes, capacity);
        if (result < 0) explicit_bzero(bytes, capacity);
        int signal = noted_signal();
        unwatch_signals(&asked);
        if (!signal) break;
        // An answer that came first is not lost to a signal that changes nothing.
        if (signal == SIGCONT && result != -EINTR) break;
        if (signal == SIGCONT) continue;
        explicit_bzero(bytes, capacity);
        result = -EINTR;
        kill(getpid(), signal);
        // Whoever was stopped and continued is asked again; a handler of the program's own decides
        // about the rest.
        if (signal != SIGTSTP && signal != SIGTTIN && signal != SIGTTOU) break;
    }
    close(asked.descriptor);
    return result;
}
