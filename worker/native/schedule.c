#include "schedule.h"

#include <math.h>
#include <string.h>

#include "program.h"

static double random_exponential(uint64_t *state) { return -log1p(-draw_uniform(state)); }

static double arrivals_of(const struct rate_step *step)
{
    if (isinf(step->duration_s))
        return INFINITY; /* also of none a second: nothing follows yet */
    return (step->per_s + step->to_per_s) / 2 * step->duration_s;
}

/* Seconds into a step until that many arrivals: the inverse of per_s t + slope t^2 / 2, in a form without cancellation. */
static double seconds_until(double arrivals, double per_s, double slope)
{
    if (arrivals <= 0)
        return 0;
    return 2 * arrivals / (per_s + sqrt(fmax(0, per_s * per_s + 2 * slope * arrivals)));
}

static uint64_t replayed(const struct rates *rates, uint64_t arrival)
{
    uint64_t round = arrival / rates->replay_count, place = arrival % rates->replay_count;
    return round * rates->replayed[rates->replay_count] + rates->replayed[place];
}

void schedule_place(struct schedule *schedule)
{
    const struct rates *rates = schedule->rates;
    if (rates->replayed) {
        schedule->next_ns = replayed(rates, (uint64_t)schedule->position);
        return;
    }
    for (; schedule->step - rates->forgotten < rates->count; schedule->step++) {
        const struct rate_step *step = &rates->steps[schedule->step - rates->forgotten];
        double within = schedule->position - schedule->step_begin_position;
        double whole = arrivals_of(step);
        if (isinf(whole) && step->per_s <= 0) {
            schedule->next_ns = SCHEDULE_NEVER;
            return;
        }
        if (within < whole) {
            double slope = (step->to_per_s - step->per_s) / step->duration_s;
            double second = schedule->step_begin_s + seconds_until(within, step->per_s, slope);
            schedule->next_ns = (uint64_t)llround(second * 1e9);
            return;
        }
        schedule->step_begin_s += step->duration_s;
        schedule->step_begin_position += whole;
    }
    double last_per_s = rates->steps[rates->count - 1].to_per_s;
    double within = schedule->position - schedule->step_begin_position;
    if (last_per_s > 0)
        schedule->next_ns = (uint64_t)llround((schedule->step_begin_s + within / last_per_s) * 1e9);
    else
        schedule->next_ns = SCHEDULE_NEVER;
}

struct schedule schedule_begin(const struct rates *rates, uint64_t shard)
{
    struct schedule schedule = {.rates = rates, .position = (double)shard};
    if (rates->poisson) {
        schedule.random = mixed(rates->seed ^ mixed(shard + 1));
        schedule.position = random_exponential(&schedule.random) * (double)rates->shards;
    }
    schedule_place(&schedule);
    return schedule;
}

void schedule_advance(struct schedule *schedule)
{
    const struct rates *rates = schedule->rates;
    double stride = rates->poisson ? random_exponential(&schedule->random) : 1;
    schedule->position += stride * (double)rates->shards;
    schedule->taken++;
    schedule_place(schedule);
}

void rates_begin(struct rates *rates, double per_s)
{
    rates->steps[0] = (struct rate_step){per_s, per_s, INFINITY};
    rates->count = 1;
}

void rates_change(struct rates *rates, double begin_ns, double per_s, uint64_t oldest)
{
    double begin_s = begin_ns / 1e9;
    size_t behind = (size_t)(oldest - rates->forgotten);
    if (rates->count == MOST_STEPS && behind) {
        rates->count -= behind;
        rates->forgotten += behind;
        memmove(rates->steps, rates->steps + behind, rates->count * sizeof *rates->steps);
    }
    if (rates->count == MOST_STEPS)
        die("more than %d rates before the first of them has ended", MOST_STEPS);
    rates->steps[rates->count - 1].duration_s = fmax(0, begin_s - rates->last_begin_s);
    rates->steps[rates->count++] = (struct rate_step){per_s, per_s, INFINITY};
    rates->last_begin_s = begin_s;
}
