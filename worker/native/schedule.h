/* When requests are due: instants that follow from rates and a seed alone, not from what happens to the requests.
 *
 * Rates are steps that follow each other; within one the rate is constant or moves evenly. After the last step its
 * last rate goes on. While the load runs, rates_change may end that one at an instant that has not come yet; copies of
 * a schedule are then to be placed again. Evenly spaced arrivals are dealt to the shards in turn (arrival k belongs to shard k mod shards);
 * of a Poisson process each shard draws its own with its share of the rate, and their union is the whole.
 *
 * Or the instants themselves are given, as a log has them, and are dealt likewise; after the last one they begin again. */
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
    uint64_t forgotten; /* earlier steps that have made room for new ones */
    double last_begin_s;
    bool poisson;
    uint64_t seed;
    uint64_t shards;
    const uint64_t *replayed; /* instants, ns after the start, and that of the first one again; NULL: rates are given */
    uint64_t replay_count;    /* without the last */
};

/* A position in one shard's schedule. Two copies of it are enough for a queue of instants: its first and its end. */
struct schedule {
    const struct rates *rates;
    uint64_t taken;   /* instants before next_ns */
    uint64_t next_ns; /* after the start; SCHEDULE_NEVER: no more */
    double position;  /* of the next arrival, in arrivals of all shards since the start */
    uint64_t step; /* with those forgotten */
    double step_begin_s, step_begin_position;
    uint64_t random;
};

struct schedule schedule_begin(const struct rates *rates, uint64_t shard);
void schedule_advance(struct schedule *schedule);

/* A first rate that goes on until rates_change. */
void rates_begin(struct rates *rates, double per_s);

/* From begin_ns after the start on, evenly per_s, until the next change. No schedule of these rates may have come further
 * than begin_ns; each is then given to schedule_place. `oldest`: the first step that a schedule is still in. */
void rates_change(struct rates *rates, double begin_ns, double per_s, uint64_t oldest);
void schedule_place(struct schedule *schedule);

#endif
