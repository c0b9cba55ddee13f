/* Preloaded into vault-agent, so that several run on one vault: each is granted the byte of the lock
   file that stands for the only agent. Every other lock is the kernel's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>

static const off_t AGENT = (off_t)1 << 62;

static int pass(const char *name, int descriptor, int command, void *argument) {
    int (*real)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, name);
    if (command == F_OFD_SETLK) {
        struct flock *range = argument;
        if (range->l_start == AGENT && range->l_len == 1) return 0;
    }
    return real(descriptor, command, argument);
}

int fcntl(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    return pass("fcntl", descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    return pass("fcntl64", descriptor, command, argument);
}
