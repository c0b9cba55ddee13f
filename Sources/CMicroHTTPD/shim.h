#pragma once
#include <microhttpd.h>

// What a daemon is started with; see vault_mhd_start.
struct vault_mhd_settings {
    void *context;
    void *(*target)(void *context, const char *uri, struct MHD_Connection *connection);
    MHD_AccessHandlerCallback request;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    size_t connection_memory;
    unsigned int connections;
    unsigned int idle_seconds;
};

// MHD_start_daemon is variadic, which Swift cannot call. No listening socket and no thread: the
// caller accepts, polls the daemon's epoll descriptor and calls MHD_run.
static inline struct MHD_Daemon *vault_mhd_start(const struct vault_mhd_settings *settings) {
    return MHD_start_daemon(
        MHD_USE_NO_LISTEN_SOCKET | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME
            | MHD_USE_SUPPRESS_DATE_NO_CLOCK,
        0, NULL, NULL, settings->request, settings->context,
        MHD_OPTION_URI_LOG_CALLBACK, settings->target, settings->context,
        MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context,
        MHD_OPTION_NOTIFY_CONNECTION, settings->connection, settings->context,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory,
        MHD_OPTION_CONNECTION_LIMIT, settings->connections,
        MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_seconds,
        MHD_OPTION_END);
}

// MHD_get_daemon_info is variadic. The descriptor that says when MHD_run has something to do.
static inline int vault_mhd_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

// MHD_get_connection_info is variadic. The connection's socket.
static inline int vault_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}
