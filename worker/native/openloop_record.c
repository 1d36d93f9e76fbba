/* Counts connections and requests, and takes their times. See openloop.h. */
#include "now.h"
#include "openloop.h"

void record_count(struct shard *shard, enum page_counter number) { word_add(&shard->counters[number], 1); }

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* A request begins: record how late that is, counted from when it was due and a connection was free. */
static void record_lateness(struct shard *shard, const struct connection *connection, uint64_t now)
{
    uint64_t possible = later(connection->intended_ns, connection->free_since_ns);
    histogram_add(&shard->block.histograms[HISTOGRAM_SCHEDULE], (now - possible) / NS_PER_US);
}

void record_begun(struct shard *shard, const struct connection *connection, uint64_t now)
{
    if (!shard->options->keep_alive) /* with keep-alive the first write is the beginning */
        record_lateness(shard, connection, now);
}

void record_first_write(struct shard *shard, struct connection *connection, uint64_t now)
{
    connection->first_write_ns = now;
    record_count(shard, COUNT_SENT);
    if (shard->options->keep_alive)
        record_lateness(shard, connection, now);
}

void record_answer(struct shard *shard, const struct connection *connection, uint64_t now)
{
    uint64_t latency_us = (now - connection->intended_ns) / NS_PER_US;
    uint64_t service_us = (now - connection->first_write_ns) / NS_PER_US;
    if (count_answer(shard->block, &shard->options->served, connection->response.status, latency_us))
        histogram_add(&shard->block.histograms[HISTOGRAM_SERVICE], service_us);
}

void record_established(struct shard *shard, struct connection *connection)
{
    record_count(shard, COUNT_CONNECTS);
    if (shard->options->keep_alive && connection->opened_before)
        record_count(shard, COUNT_RECONNECTS);
    connection->opened_before = connection->established = true;
    record_count(shard, COUNT_CONNECTIONS);
    word_raise(&shard->counters[COUNT_CONNECTIONS_MAX], word_get(&shard->counters[COUNT_CONNECTIONS]));
}

void record_gone(struct shard *shard, struct connection *connection)
{
    if (!connection->established)
        return;
    connection->established = false;
    word_set(&shard->counters[COUNT_CONNECTIONS], word_get(&shard->counters[COUNT_CONNECTIONS]) - 1);
}
