/* endpoint ACCOUNTS DELAY_MS: a token endpoint for load tests, and its ledger.
 *
 * Prints its port, then serves one refresh after the other on 127.0.0.1: refresh token r-NUMBER-GENERATION,
 * each good once. The answer comes DELAY_MS later, as from a server far away. GET /stats tells what was
 * asked: requests, refused ones (a refresh token that was spent), the first request's time on the
 * monotonic clock, and how many are waiting. GET /accounts/N tells the generation of the newest token
 * of an account. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 8192
#define REQUEST 4096

static struct connection {
    int open, length, waits, status;
    long number, generation;
    double due;
    char bytes[REQUEST + 1];
} connections[CONNECTIONS];

static uint32_t *generations;
static long accounts, requests, refused, waiting;
static double first, delay;
/* Answers that are held back, in their order: the delay is the same for all. */
static int queue[CONNECTIONS * 2];
static unsigned head, tail;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void drop(int socket) {
    close(socket);
    connections[socket].open = 0;
}

static void reply(int socket, int status, const char *body) {
    char bytes[1600];
    int count = snprintf(bytes, sizeof bytes,
        "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
        "Content-Length: %zu\r\nConnection: close\r\n\r\n%s", status, strlen(body), body);
    if (write(socket, bytes, (size_t)count) != count) perror("write");
    drop(socket);
}

static void grant(int socket) {
    struct connection *c = &connections[socket];
    waiting--;
    if (c->status != 200) {
        reply(socket, 400, "{\"error\":\"invalid_grant\"}");
        return;
    }
    char body[1200];
    snprintf(body, sizeof body,
        "{\"access_token\":\"a-%ld-%ld-%0900d\",\"token_type\":\"Bearer\",\"expires_in\":3600,"
        "\"refresh_token\":\"r-%ld-%ld\"}", c->number, c->generation, 0, c->number, c->generation);
    reply(socket, 200, body);
}

static void tell(int socket, const char *path) {
    char body[200];
    long number;
    if (sscanf(path, "/accounts/%ld", &number) == 1 && number >= 0 && number < accounts)
        snprintf(body, sizeof body, "{\"generation\":%u}", generations[number]);
    else
        snprintf(body, sizeof body,
            "{\"requests\":%ld,\"refused\":%ld,\"first\":%.6f,\"waiting\":%ld}",
            requests, refused, first, waiting);
    reply(socket, 200, body);
}

/* Whether a whole request was there, and was taken. */
static int take(int socket) {
    struct connection *c = &connections[socket];
    c->bytes[c->length] = 0;
    char *end = strstr(c->bytes, "\r\n\r\n");
    if (!end) return 0;
    if (!strncmp(c->bytes, "GET ", 4)) {
        tell(socket, c->bytes + 4);
        return 1;
    }
    char *field = strcasestr(c->bytes, "\r\ncontent-length:");
    int body = field && field < end ? atoi(field + 17) : 0;
    if (c->length < end + 4 - c->bytes + body) return 0;
    char *token = strstr(end, "refresh_token=r-");
    if (requests++ == 0) first = now();
    c->status = 400;
    if (token && sscanf(token + 16, "%ld-%ld", &c->number, &c->generation) == 2
        && c->number >= 0 && c->number < accounts
        && generations[c->number] == (uint32_t)c->generation) {
        c->generation = ++generations[c->number];
        c->status = 200;
    } else {
        refused++;
    }
    c->waits = 1;
    waiting++;
    c->due = now() + delay;
    queue[tail++ % (CONNECTIONS * 2)] = socket;
    return 1;
}

static void receive(int socket) {
    struct connection *c = &connections[socket];
    ssize_t count = read(socket, c->bytes + c->length, (size_t)(REQUEST - c->length));
    if (count < 0 && errno == EAGAIN) return;
    /* One that waits for its answer is told nothing if it went away. */
    if (count <= 0 && !c->waits) { drop(socket); return; }
    if (count <= 0 || c->waits) return;
    c->length += (int)count;
    if (!take(socket) && c->length == REQUEST) drop(socket);
}

static void accept_all(int listener, int poll) {
    int socket, one = 1;
    while ((socket = accept4(listener, 0, 0, SOCK_NONBLOCK)) >= 0) {
        if (socket >= CONNECTIONS) { close(socket); continue; }
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        memset(&connections[socket], 0, offsetof(struct connection, bytes));
        connections[socket].open = 1;
        struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = socket};
        epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event);
    }
}

int main(int count, char **arguments) {
    if (count != 3) { fprintf(stderr, "endpoint ACCOUNTS DELAY_MS\n"); return 2; }
    accounts = atol(arguments[1]);
    delay = atof(arguments[2]) / 1000;
    generations = malloc((size_t)accounts * sizeof *generations);
    if (!generations) return 1;
    for (long i = 0; i < accounts; i++) generations[i] = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (bind(listener, (void *)&address, size) || listen(listener, 1024)
        || getsockname(listener, (void *)&address, &size)) { perror("endpoint"); return 1; }
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    int poll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[256];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        double wait = head == tail ? -1 : connections[queue[head % (CONNECTIONS * 2)]].due - now();
        int ready = epoll_wait(poll, events, 256, head == tail ? -1 : wait > 0 ? (int)(wait * 1000) + 1 : 0);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.fd == listener) accept_all(listener, poll);
            else receive(events[i].data.fd);
        }
        while (head != tail && connections[queue[head % (CONNECTIONS * 2)]].due <= now())
            grant(queue[head++ % (CONNECTIONS * 2)]);
    }
}
