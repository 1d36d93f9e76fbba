#include "schedule.h"

#include <math.h>

#include "program.h"

static double random_exponential(uint64_t *state) { return -log1p(-draw_uniform(state)); }

static double arrivals_of(const struct rate_step *step)
{
    return (step->per_s + step->to_per_s) / 2 * step->duration_s;
}

/* Seconds into a step until that many arrivals: the inverse of per_s t + slope t^2 / 2, in a form without cancellation. */
static double seconds_until(double arrivals, double per_s, double slope)
{
    if (arrivals <= 0)
        return 0;
    return 2 * arrivals / (per_s + sqrt(fmax(0, per_s * per_s + 2 * slope * arrivals)));
}

static void locate(struct schedule *schedule)
{
    const struct rates *rates = schedule->rates;
    for (; schedule->step < rates->count; schedule->step++) {
        const struct rate_step *step = &rates->steps[schedule->step];
        double within = schedule->position - schedule->step_begin_position;
        double whole = arrivals_of(step);
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
    locate(&schedule);
    return schedule;
}

void schedule_advance(struct schedule *schedule)
{
    const struct rates *rates = schedule->rates;
    double stride = rates->poisson ? random_exponential(&schedule->random) : 1;
    schedule->position += stride * (double)rates->shards;
    schedule->taken++;
    locate(schedule);
}
