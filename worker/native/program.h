/* What every load engine's program needs: the clock, messages, its command line, random numbers, a process a shard. */
#ifndef NGXLAB_PROGRAM_H
#define NGXLAB_PROGRAM_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

/* CLOCK_MONOTONIC: the clock that the agent's schedule is in, too. */
static inline uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Print the message (printf) on standard error, which the agent reports, and exit with 1; die_errno adds what errno
   means. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void die_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define MOST_TARGETS 64

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

struct targets {
    union address list[MOST_TARGETS];
    uint32_t count;
};

/* Values of options. All end the process with a message where the text is something else. */
double parse_number(const char *text, double least, double most);
union address parse_address(const char *text, const char *port);
void add_target(struct targets *targets, const char *address, const char *port);
const char *map_request(const char *path, size_t *bytes);

socklen_t address_size(const union address *address);

/* 0, or the errno of a connect that has come to its end. */
int socket_error(int fd);

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). */
static inline uint64_t mixed(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

/* Uniform in [0, 1). */
static inline double draw_uniform(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return (double)(mixed(*state) >> 11) * 0x1p-53;
}

/* Fork shards - 1 children; returns this process's shard, 0 in the parent. A child ends when the parent does. */
uint64_t shards_fork(uint64_t shards);

/* In the parent: true once a child has ended early. Costs one read of memory. */
bool shards_lost(void);

/* In the parent: wait for all children. False where one of them failed. Nothing to do in a child. */
bool shards_join(void);

#endif
