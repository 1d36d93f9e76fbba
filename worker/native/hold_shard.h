/* One process's share of the connections, which are opened at a set rate and each asleep most of the time. */
#ifndef NGXLAB_HOLD_SHARD_H
#define NGXLAB_HOLD_SHARD_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers.h"
#include "page.h"

enum { MOST_SOURCES = 4096, MOST_TARGETS = 64 };

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* What all shards have in common. Connection `g` of all goes from source `g % sources` to target
   `g / sources % targets`. Without sources the kernel chooses. */
struct plan {
    union address sources[MOST_SOURCES];
    union address targets[MOST_TARGETS];
    uint32_t source_count, target_count;
    uint32_t connections; /* of all shards */
    uint32_t shards;
    double connect_per_s; /* of all shards */
    double think_min_s, think_max_s;
    uint32_t timeout_ms;
    uint64_t seed;
    const char *request;
    size_t request_bytes;
    struct served served;
    bool headers_only; /* answers have no body: the request is a HEAD */
};

/* Hold connections `number`, `number + shards`, ... from the page's start until its stop, or until a child is lost.
   Ends the process with a message where memory or epoll fail. */
void hold(const struct plan *plan, uint32_t number, struct page page);

#endif
