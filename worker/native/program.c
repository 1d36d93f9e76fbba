#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *format, va_list arguments, const char *meaning)
{
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "%s%s\n", meaning ? ": " : "", meaning ? meaning : "");
}

_Noreturn void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments, NULL);
    va_end(arguments);
    exit(1);
}

_Noreturn void die_errno(const char *format, ...)
{
    const char *meaning = strerror(errno);
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments, meaning);
    va_end(arguments);
    exit(1);
}

double parse_number(const char *text, double least, double most)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= least && value <= most))
        die("%s is not a number from %g to %g", text, least, most);
    return value;
}

union address parse_address(const char *text, const char *port)
{
    const struct addrinfo wanted = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    union address address = {0};
    int reason = getaddrinfo(text, port, &wanted, &found);
    if (reason != 0)
        die("%s is not an IP address: %s", text, gai_strerror(reason));
    memcpy(&address, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return address;
}

void add_target(struct targets *targets, const char *address, const char *port)
{
    if (targets->count == MOST_TARGETS)
        die("more than %d ports", MOST_TARGETS);
    if (!address)
        die("--address must come before --port");
    targets->list[targets->count++] = parse_address(address, port);
}

const char *map_request(const char *path, size_t *bytes)
{
    struct stat found;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &found) != 0)
        die_errno("%s cannot be read", path);
    *bytes = (size_t)found.st_size;
    const char *request = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (request == MAP_FAILED)
        die_errno("%s cannot be mapped", path);
    close(file);
    return request;
}

socklen_t address_size(const union address *address)
{
    return address->any.sa_family == AF_INET6 ? sizeof address->v6 : sizeof address->v4;
}

int socket_error(int fd)
{
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? errno : error;
}

static volatile sig_atomic_t children_ended;
static uint64_t children;

static void note_child(int number)
{
    (void)number;
    children_ended = 1;
}

static void become_child(pid_t parent)
{
    children = 0;
    signal(SIGCHLD, SIG_DFL);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        die_errno("the parent's death cannot be watched");
    if (getppid() != parent)
        exit(1); /* it died before we asked */
}

uint64_t shards_fork(uint64_t shards)
{
    pid_t parent = getpid();
    struct sigaction action = {.sa_handler = note_child, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
    if (sigaction(SIGCHLD, &action, NULL) != 0)
        die_errno("children cannot be watched");
    for (uint64_t shard = 1; shard < shards; shard++) {
        pid_t child = fork();
        if (child < 0)
            die_errno("process %lu of %lu cannot be started", (unsigned long)shard + 1, (unsigned long)shards);
        if (child == 0) {
            become_child(parent);
            return shard;
        }
        children++;
    }
    return 0;
}

bool shards_lost(void) { return children_ended != 0; }

bool shards_join(void)
{
    bool sound = true;
    int status;
    for (; children > 0; children--) {
        pid_t child;
        do
            child = wait(&status);
        while (child < 0 && errno == EINTR);
        if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
            sound = false;
    }
    return sound;
}
