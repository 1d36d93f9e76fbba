/* When requests are due: instants that follow from rates and a seed alone, not from what happens to the requests.
 *
 * Rates are steps that follow each other; within one the rate is constant or moves evenly. After the last step its
 * last rate goes on. Evenly spaced arrivals are dealt to the shards in turn (arrival k belongs to shard k mod shards);
 * of a Poisson process each shard draws its own with its share of the rate, and their union is the whole. */
#ifndef NGXLAB_SCHEDULE_H
#define NGXLAB_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCHEDULE_NEVER UINT64_MAX
#define MOST_STEPS 100

struct rate_step {
    double per_s, to_per_s, duration_s;
};

struct rates {
    struct rate_step steps[MOST_STEPS];
    size_t count;
    bool poisson;
    uint64_t seed;
    uint64_t shards;
};

/* A position in one shard's schedule. Two copies of it are enough for a queue of instants: its first and its end. */
struct schedule {
    const struct rates *rates;
    uint64_t taken;   /* instants before next_ns */
    uint64_t next_ns; /* after the start; SCHEDULE_NEVER: no more */
    double position;  /* of the next arrival, in arrivals of all shards since the start */
    size_t step;
    double step_begin_s, step_begin_position;
    uint64_t random;
};

struct schedule schedule_begin(const struct rates *rates, uint64_t shard);
void schedule_advance(struct schedule *schedule);

#endif
