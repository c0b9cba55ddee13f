#define _GNU_SOURCE
#include "cplatform.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int32_t cplatform_boot_timer(void) {
    int descriptor = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

int32_t cplatform_set_boot_timer(int32_t descriptor, int64_t nanoseconds) {
    struct itimerspec deadline = {
        .it_value = {
            .tv_sec = nanoseconds / INT64_C(1000000000),
            .tv_nsec = nanoseconds % INT64_C(1000000000)}};
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &deadline, NULL) ? -errno : 0;
}

int32_t cplatform_wait_boot_timer(int32_t descriptor) {
    uint64_t count;
    ssize_t got;
    do got = read(descriptor, &count, sizeof count);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : 0;
}

int32_t cplatform_watch_wall_clock(void) {
    int descriptor = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (descriptor < 0) return -errno;
    // Never reached: what it is for is being cancelled when somebody sets the clock.
    struct itimerspec never = {.it_value = {.tv_sec = (time_t)(INT64_MAX / 1000000000)}};
    if (timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL)) {
        int failure = errno;
        close(descriptor);
        return -failure;
    }
    return descriptor;
}

int32_t cplatform_take_clock_change(int32_t descriptor) {
    uint64_t count;
    return read(descriptor, &count, sizeof count) < 0 && errno == ECANCELED;
}

int32_t cplatform_watch_network(void) {
    int descriptor =
        socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -errno;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE
            | RTMGRP_IPV6_ROUTE};
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address)) {
        int failure = errno;
        close(descriptor);
        return -failure;
    }
    return descriptor;
}

int32_t cplatform_take_network_changes(int32_t descriptor) {
    // That something changed is all that is wanted of them: what does not fit is cut off.
    char message[64];
    int32_t some = 0;
    // Bounded, so that a flood of changes does not hold up the other notices.
    for (int count = 0; count < 4096; count++) {
        if (recv(descriptor, message, sizeof message, MSG_DONTWAIT) >= 0) {
            some = 1;
        } else if (errno == ENOBUFS) {
            // More came than the kernel keeps.
            some = 1;
        } else if (errno != EINTR) {
            return some;
        }
    }
    return some;
}
