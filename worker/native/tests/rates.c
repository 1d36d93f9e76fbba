/* Instants of a schedule whose rates are set while it runs: rates SHARD SHARDS SEED FIRST_PER_S < BEGIN_NS PER_S lines. Each
 * rate is set once the schedule has come to the last instant before it. A seed of 0: evenly spaced. */
#include <stdio.h>
#include <stdlib.h>

#include "../program.h"
#include "../schedule.h"

#define LAST_NS 1000000000u /* how far the last rate is followed */

static void print_until(struct schedule *schedule, double until_ns)
{
    for (; schedule->next_ns != SCHEDULE_NEVER && (double)schedule->next_ns < until_ns; schedule_advance(schedule))
        printf("%lu\n", (unsigned long)schedule->next_ns);
}

int main(int count, char **values)
{
    if (count != 5)
        die("rates SHARD SHARDS SEED FIRST_PER_S");
    static struct rates rates;
    rates.shards = strtoull(values[2], NULL, 10);
    rates.seed = strtoull(values[3], NULL, 10);
    rates.poisson = rates.seed != 0;
    rates_begin(&rates, strtod(values[4], NULL));
    struct schedule schedule = schedule_begin(&rates, strtoull(values[1], NULL, 10));
    double begin_ns = 0, per_s;
    while (scanf("%lf %lf", &begin_ns, &per_s) == 2) {
        print_until(&schedule, begin_ns);
        rates_change(&rates, begin_ns, per_s, schedule.step);
        schedule_place(&schedule);
    }
    print_until(&schedule, begin_ns + LAST_NS);
    return 0;
}
