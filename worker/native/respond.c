/* ngxlab-respond --protocol NAME --address A --port P ... --bytes N [--delay-ms MEAN --distribution NAME --spread-ms S]
   [--processes N]: see respond.h. It runs until it is told to end. */
#include "hold_timers.h"
#include "program.h"
#include "respond.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_PORTS 1000
#define MOST_DESCRIPTORS 65536
#define MOST_EVENTS 256
#define ACCEPTS_A_ROUND 64
#define LONGEST_SLEEP_MS 1000
#define LARGEST_READ 65536
#define NS_PER_TICK 20000 /* an answer is late by one at most; 2^32 of them are 24 hours */

enum distribution { CONSTANT, UNIFORM, EXPONENTIAL };
enum stage { CLOSED, LISTENING, TIMING, READING, WAITING, WRITING, DRAINING };

struct connection {
    enum stage stage;
    struct request request;
    char prefix[LARGEST_PREFIX];
    const uint8_t *body; /* what follows the prefix */
    size_t prefixed, body_size, written;
};

static const char *const protocols[] = {"fastcgi", "uwsgi", "scgi", "memcached", "websocket", NULL};
static const char *const distributions[] = {"constant", "uniform", "exponential", NULL};

static const struct option known[] = {
    {"protocol", required_argument, NULL, 'p'}, {"address", required_argument, NULL, 'a'},
    {"port", required_argument, NULL, 't'},     {"bytes", required_argument, NULL, 'b'},
    {"delay-ms", required_argument, NULL, 'd'}, {"distribution", required_argument, NULL, 'i'},
    {"spread-ms", required_argument, NULL, 's'}, {"processes", required_argument, NULL, 'n'},
    {0},
};

static struct {
    enum protocol protocol;
    enum distribution distribution;
    double delay_ms, spread_ms;
    uint64_t bytes, processes, random, began_ns;
    int listeners[MOST_PORTS], count, epoll, timer;
    uint8_t *response;
    size_t response_size;
    struct timers timers; /* by descriptor, in ticks */
    uint32_t timed;       /* when the descriptor `timer` fires */
    struct connection *connections[MOST_DESCRIPTORS];
} server;

static int choice(const char *text, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (!strcmp(text, names[i]))
            return i;
    die("%s is not known", text);
}

static int listen_at(const char *address, const char *port)
{
    if (!address)
        die("--address must come before --port");
    union address place = parse_address(address, port);
    int on = 1, fd = socket(place.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(fd, &place.any, address_size(&place)) < 0 || listen(fd, 511) < 0)
        die_errno("it cannot listen at %s, port %s", address, port);
    return fd;
}

static void parse(int count, char **arguments)
{
    const char *address = NULL;
    int option;
    server.processes = 1;
    while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
        switch (option) {
        case 'p': server.protocol = (enum protocol)choice(optarg, protocols); break;
        case 'a': address = optarg; break;
        case 't':
            if (server.count == MOST_PORTS)
                die("more than %d ports", MOST_PORTS);
            server.listeners[server.count++] = listen_at(address, optarg);
            break;
        case 'b': server.bytes = (uint64_t)parse_number(optarg, 0, 1 << 20); break;
        case 'd': server.delay_ms = parse_number(optarg, 0, 600e3); break;
        case 'i': server.distribution = (enum distribution)choice(optarg, distributions); break;
        case 's': server.spread_ms = parse_number(optarg, 0, 600e3); break;
        case 'n': server.processes = (uint64_t)parse_number(optarg, 1, 256); break;
        default: exit(2);
        }
    }
    if (!server.count)
        die("an option is missing, see respond.c");
}

static uint64_t since_ns(void) { return now_ns() - server.began_ns; }

static double draw_delay_ms(void)
{
    double drawn = draw_uniform(&server.random);
    switch (server.distribution) {
    case UNIFORM: return fmax(0, server.delay_ms + (2 * drawn - 1) * server.spread_ms);
    case EXPONENTIAL: return -server.delay_ms * log(1 - drawn);
    default: return server.delay_ms;
    }
}

static void watch(int fd, int how, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    if (epoll_ctl(server.epoll, how, fd, &event) < 0)
        die_errno("epoll_ctl");
}

static void end(int fd)
{
    struct connection *connection = server.connections[fd];
    request_free(&connection->request);
    connection->stage = CLOSED;
    close(fd);
}

static void answer_more(int fd)
{
    struct connection *connection = server.connections[fd];
    size_t whole = connection->prefixed + connection->body_size;
    while (connection->written < whole) {
        size_t in_prefix = connection->written < connection->prefixed ? connection->written : connection->prefixed;
        size_t in_rest = connection->written - in_prefix;
        struct iovec parts[2] = {{connection->prefix + in_prefix, connection->prefixed - in_prefix},
                                 {(uint8_t *)connection->body + in_rest, connection->body_size - in_rest}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        ssize_t put = sendmsg(fd, &message, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EAGAIN) {
            if (connection->stage != WRITING)
                watch(fd, EPOLL_CTL_MOD, EPOLLOUT);
            connection->stage = WRITING;
            return;
        }
        if (put < 0) {
            end(fd);
            return;
        }
        connection->written += (size_t)put;
    }
    if (connection->stage == WRITING)
        watch(fd, EPOLL_CTL_MOD, EPOLLIN);
    connection->stage = connection->request.keep ? READING : DRAINING;
    if (!connection->request.keep)
        shutdown(fd, SHUT_WR); /* and closed once nginx has: what it still sent would reset the connection */
    if (server.protocol == WEBSOCKET)
        websocket_next(&connection->request);
    else
        request_next(&connection->request);
}

static void answer(int fd)
{
    struct connection *connection = server.connections[fd];
    struct request *request = &connection->request;
    connection->written = 0;
    if (server.protocol == WEBSOCKET) {
        connection->prefixed = websocket_answer(request, connection->prefix, &connection->body, &connection->body_size);
    } else {
        connection->prefixed = request_prefix(request, server.protocol, server.bytes, connection->prefix);
        connection->body = server.response;
        connection->body_size = server.response_size;
    }
    answer_more(fd);
}

static void take_request(int fd)
{
    struct connection *connection = server.connections[fd];
    bool waits = server.protocol != WEBSOCKET || websocket_is_message(&connection->request);
    double delay_ms = waits ? draw_delay_ms() : 0;
    if (delay_ms <= 0) {
        answer(fd);
        return;
    }
    connection->stage = WAITING;
    double due_ns = (double)since_ns() + delay_ms * NS_PER_MS;
    timers_set(&server.timers, (uint32_t)fd, (uint32_t)ceil(due_ns / NS_PER_TICK));
}

/* WebSocket: other messages may have come while one was sent back. */
static void take_those_that_came(int fd)
{
    struct connection *connection = server.connections[fd];
    enum progress progress = MORE;
    while (connection->stage == READING && (progress = websocket_whole(&connection->request)) == WHOLE)
        take_request(fd);
    if (connection->stage == READING && progress == WRONG)
        end(fd);
}

/* Of WebSocket, messages may come at any time. */
static void hear(int fd, const uint8_t *data, size_t size)
{
    struct connection *connection = server.connections[fd];
    if (websocket_read(&connection->request, data, size) == WRONG)
        end(fd);
    else
        take_those_that_came(fd);
}

static void read_more(int fd)
{
    static uint8_t data[LARGEST_READ];
    struct connection *connection = server.connections[fd];
    ssize_t got = recv(fd, data, sizeof data, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0 || (connection->stage == WAITING && server.protocol != WEBSOCKET)) {
        end(fd);
        return;
    }
    if (server.protocol == WEBSOCKET && connection->stage != DRAINING) {
        hear(fd, data, (size_t)got);
        return;
    }
    if (connection->stage != READING)
        return;
    switch (request_read(&connection->request, server.protocol, data, (size_t)got)) {
    case MORE: break;
    case WHOLE: take_request(fd); break;
    default: end(fd);
    }
}

static bool has_room(int fd)
{
    if (fd < MOST_DESCRIPTORS && !server.connections[fd])
        server.connections[fd] = calloc(1, sizeof(struct connection));
    return fd < MOST_DESCRIPTORS && server.connections[fd];
}

static void accept_some(int listener)
{
    int on = 1;
    for (int i = 0; i < ACCEPTS_A_ROUND; i++) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return; /* nothing more, or no descriptor left: whoever asks waits */
        if (!has_room(fd)) {
            close(fd);
            return;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        server.connections[fd]->stage = READING;
        watch(fd, EPOLL_CTL_ADD, EPOLLIN);
        read_more(fd);
    }
}

static void on_event(int fd)
{
    switch (server.connections[fd]->stage) {
    case CLOSED: break; /* by an event before it in the same round */
    case LISTENING: accept_some(fd); break;
    case TIMING: server.timed = 0; break; /* it has fired: who is due is asked before each wait */
    case WRITING:
        answer_more(fd);
        if (server.protocol == WEBSOCKET)
            take_those_that_came(fd);
        break;
    default: read_more(fd);
    }
}

static void answer_those_due(void)
{
    uint32_t fd;
    while (timers_take(&server.timers, (uint32_t)(since_ns() / NS_PER_TICK), &fd))
        if (server.connections[fd]->stage == WAITING) {
            answer((int)fd);
            if (server.protocol == WEBSOCKET)
                take_those_that_came((int)fd);
        }
}

/* Wake when the next answer is due. The timeout of epoll_wait counts whole milliseconds, of which half are too many. */
static void set_timer(void)
{
    uint32_t next = timers_next(&server.timers, UINT32_MAX);
    if (next == server.timed)
        return;
    uint64_t at_ns = server.began_ns + (uint64_t)next * NS_PER_TICK;
    struct itimerspec at = {.it_value = {(time_t)(at_ns / NS_PER_S), (long)(at_ns % NS_PER_S)}};
    if (timerfd_settime(server.timer, TFD_TIMER_ABSTIME, &at, NULL) < 0)
        die_errno("timerfd_settime");
    server.timed = next;
}

static void make(uint64_t number)
{
    server.random = mixed(number + 1);
    server.began_ns = now_ns();
    server.epoll = epoll_create1(EPOLL_CLOEXEC);
    server.timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    server.timed = UINT32_MAX;
    server.response = response_make(server.protocol, server.bytes, &server.response_size);
    if (server.epoll < 0 || server.timer < 0 || !server.response || !timers_make(&server.timers, MOST_DESCRIPTORS) ||
        !has_room(server.timer))
        die_errno("there is no memory");
    server.connections[server.timer]->stage = TIMING;
    watch(server.timer, EPOLL_CTL_ADD, EPOLLIN | EPOLLET);
    for (int i = 0; i < server.count; i++) {
        int fd = server.listeners[i];
        if (!has_room(fd))
            die("there is no memory");
        server.connections[fd]->stage = LISTENING;
        watch(fd, EPOLL_CTL_ADD, EPOLLIN | EPOLLEXCLUSIVE);
    }
}

int main(int count, char **arguments)
{
    static struct epoll_event events[MOST_EVENTS];
    parse(count, arguments);
    if (server.protocol == WEBSOCKET && !websocket_make())
        die_errno("there is no memory");
    make(shards_fork(server.processes));
    while (!shards_lost()) {
        answer_those_due();
        set_timer();
        int ready = epoll_wait(server.epoll, events, MOST_EVENTS, LONGEST_SLEEP_MS);
        if (ready < 0 && errno != EINTR)
            die_errno("epoll_wait");
        for (int i = 0; i < ready; i++)
            on_event(events[i].data.fd);
    }
    die("one of the processes ended early");
}
