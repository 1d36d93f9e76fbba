/* The page that the agent and the processes of a load engine share.
 *
 * The agent creates it (a sealed memfd), passes its descriptor on, and writes its header: when to start, whether to stop, and
 * where it chooses rates as it goes, from when on which rate holds (of a closed loop: how many connections are in use). Each process (shard) writes its own block: counters, statuses, then histograms. All words are u64, written by one
 * process only and read by anyone at any time (relaxed atomics), so a reading never disturbs the load.
 *
 *   header (4096 bytes)  struct page_header
 *   shard 0              u64 counters[PAGE_COUNTERS]
 *                        u64 statuses[PAGE_STATUSES]: responses by HTTP status
 *                        histograms x { u64 used; u64 counts[HISTOGRAM_CELLS] }
 *   shard 1 ...          each shard begins at a multiple of 4096
 *
 * The counterpart is worker/ngxlab_worker/engines/native/page.py. */
#ifndef NGXLAB_PAGE_H
#define NGXLAB_PAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PAGE_MAGIC UINT64_C(0x3165676170786e67) /* "ngxpage1", little-endian */
#define PAGE_VERSION 7
#define PAGE_BYTES 4096
#define PAGE_COUNTERS 32
#define PAGE_STATUSES 1000
#define PAGE_RATES 64

/* HdrHistogram: lowest 1 us, highest 600 s, 3 significant digits. */
#define HISTOGRAM_HALF_BITS 10
#define HISTOGRAM_HIGHEST_US UINT64_C(600000000)
#define HISTOGRAM_CELLS 21504

enum shard_state { SHARD_PREPARING = 0, SHARD_READY = 1, SHARD_LOADING = 2, SHARD_ENDED = 3 };

/* Numbers of the counters of a shard; page.py has the same list. A change makes another version. */
enum page_counter {
    COUNT_STATE, /* an enum shard_state */
    COUNT_INTENDED,
    COUNT_SENT,
    COUNT_COMPLETED,
    COUNT_BACKLOG, /* due and not sent, now */
    COUNT_BACKLOG_MAX,
    COUNT_CONNECTIONS, /* established, now */
    COUNT_CONNECTIONS_MAX,
    COUNT_CONNECTS,   /* successful, all */
    COUNT_RECONNECTS, /* of these, those after the first of a connection */
    COUNT_BYTES_READ,
    COUNT_UNFINISHED, /* set at the end */
    COUNT_MEMORY_BYTES,
    COUNT_ERRORS_CONNECT,
    COUNT_ERRORS_READ,
    COUNT_ERRORS_WRITE,
    COUNT_ERRORS_TIMEOUT,
    COUNT_ERRORS_STATUS, /* responses that did not serve their request */
    COUNT_ERRORS_GARBAGE,
    COUNT_ERRORS_RESET,   /* HTTP/2, HTTP/3: requests that the server reset */
    COUNT_ERRORS_REFUSED, /* of these, those that it says it has not processed (REFUSED_STREAM, H3_REQUEST_REJECTED); not counted above */
    COUNT_GOAWAYS,        /* received: the server ends a connection in order */
    COUNT_REPEATED,       /* requests sent again, which a GOAWAY had left unprocessed */
    COUNT_HANDSHAKES,     /* of TLS, complete */
    COUNT_RESUMED,        /* of these, those that resumed a session */
    COUNT_ABORTED,        /* requests whose client went away before the whole answer, as it was told to */
    COUNT_EARLY,          /* requests that were sent with the first message of TLS (0-RTT), and taken so by the server */
    COUNT_LAST_ERRNO, /* of the last connect that failed, or the status by which a WebSocket was refused; not in page.py's list, since it is not a sum; nor are these: */
    COUNT_OUTSTANDING, /* due and neither answered nor failed, now; for rates that the agent sets */
    COUNT_RATE,        /* of these rates, the number of the one that the next request belongs to */
};

/* Numbers of the histograms of a shard; an engine may have only the first ones. */
enum page_histogram {
    HISTOGRAM_LATENCY,
    HISTOGRAM_REJECTED,
    HISTOGRAM_SERVICE,
    HISTOGRAM_SCHEDULE,
    HISTOGRAM_FIRST_BYTE, /* of served responses, from the first write of their request */
    HISTOGRAM_CONNECT,    /* until a connection is open, before TLS; of QUIC, with it; of WebSocket, until it is upgraded */
    HISTOGRAM_HANDSHAKE, /* of TLS, from its first message; an open loop without TLS has none */
};

typedef _Atomic uint64_t word;

/* From begin_ns after the start on requests are due at this rate. The agent writes it some time before, so that every
 * shard has seen it when it begins. Words may become visible in any order: it counts once `check` fits the others. */
struct page_rate {
    word number;   /* from 1; the k-th stands in rates[k % PAGE_RATES] */
    word begin_ns;
    word per_s;    /* the bits of a double */
    word check;    /* number ^ begin_ns ^ per_s */
};

struct page_header {
    uint64_t magic;
    uint64_t version;
    uint64_t shards;
    uint64_t histograms;
    word start_ns; /* CLOCK_MONOTONIC; 0: wait */
    word stop;     /* not 0: end now, with complete counts */
    struct page_rate rates[PAGE_RATES];
};

struct histogram {
    word used; /* cells from here on are 0 */
    word counts[HISTOGRAM_CELLS];
};

struct page {
    struct page_header *header;
};

struct shard_block {
    word *counters;
    word *statuses;
    struct histogram *histograms;
};

/* Map the page behind a descriptor; ends the process with a message where it is not such a page. */
struct page page_open(int descriptor);
struct shard_block page_shard(struct page page, uint64_t shard);

/* Take the rate of that number, if the agent has written it. */
bool page_rate(struct page page, uint64_t number, uint64_t *begin_ns, double *per_s);

/* Where a value is counted, as HdrHistogram's counts_index_for; values beyond the highest count as the highest. */
static inline uint64_t histogram_cell(uint64_t value_us)
{
    if (value_us > HISTOGRAM_HIGHEST_US)
        value_us = HISTOGRAM_HIGHEST_US;
    const uint64_t smallest = (UINT64_C(2) << HISTOGRAM_HALF_BITS) - 1;
    unsigned bits = 64u - (unsigned)__builtin_clzll(value_us | smallest);
    unsigned bucket = bits - (HISTOGRAM_HALF_BITS + 1);
    return ((uint64_t)bucket << HISTOGRAM_HALF_BITS) + (value_us >> bucket);
}

static inline uint64_t word_get(const word *cell) { return atomic_load_explicit(cell, memory_order_relaxed); }

/* Only for the one process that writes this word. */
static inline void word_set(word *cell, uint64_t value) { atomic_store_explicit(cell, value, memory_order_relaxed); }
static inline void word_add(word *cell, uint64_t more) { word_set(cell, word_get(cell) + more); }

static inline void word_raise(word *cell, uint64_t value)
{
    if (value > word_get(cell))
        word_set(cell, value);
}

static inline void histogram_add(struct histogram *histogram, uint64_t value_us)
{
    uint64_t cell = histogram_cell(value_us);
    word_raise(&histogram->used, cell + 1);
    word_add(&histogram->counts[cell], 1);
}

/* Which responses serve their request. */
struct served {
    bool statuses[PAGE_STATUSES];
};

/* Parse statuses and classes, as in "2xx,3xx,404". Ends the process with a message where the text is something else. */
void served_parse(struct served *served, const char *text);

/* Count a complete response by its status, and its latency as served or rejected. False where it was rejected. */
bool count_answer(struct shard_block shard, const struct served *served, unsigned status, uint64_t latency_us);

void count_established(word *counters, bool again);
void count_gone(word *counters);

#endif
