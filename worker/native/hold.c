/* ngxlab-hold: keep-alive connections that are opened at a set rate and held, each asleep most of the time.
 *
 * The agent creates the page (page.h) with a shard for each process; the file-descriptor limit decides how many. */
#include "hold.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <sys/epoll.h>

enum {
    MOST_EVENTS = 512,
    TIMERS_A_ROUND = 64,   /* then events are handled */
    LONGEST_SLEEP_MS = 50, /* then check whether to stop */
    START_PAUSE_MS = 5,    /* connections have their own instants, so the start need not be exact */
};

static const struct option known[] = {
    {"page", required_argument, NULL, 'p'},        /* descriptor of the shared page */
    {"request", required_argument, NULL, 'r'},     /* file with the request, byte for byte */
    {"head", no_argument, NULL, 'n'},              /* answers end with their headers: the request is a HEAD */
    {"address", required_argument, NULL, 'a'},     /* of the target */
    {"port", required_argument, NULL, 't'},        /* of the target; once for each port */
    {"source", required_argument, NULL, 's'},      /* an address to connect from; may be repeated */
    {"connections", required_argument, NULL, 'c'}, /* of all processes */
    {"rate", required_argument, NULL, 'o'},        /* connections opened a second, by all processes */
    {"think-min", required_argument, NULL, 'l'},   /* seconds asleep, at least */
    {"think-max", required_argument, NULL, 'h'},   /* and at most */
    {"timeout", required_argument, NULL, 'w'},     /* seconds for a connect or an answer */
    {"served", required_argument, NULL, 'e'},      /* statuses that serve a request, as in "2xx,3xx" */
    {"seed", required_argument, NULL, 'd'},
    {0},
};

static void add_source(struct plan *plan, const char *text)
{
    if (plan->source_count == MOST_SOURCES)
        die("more than %d source addresses", MOST_SOURCES);
    plan->sources[plan->source_count++] = parse_address(text, "0");
}

/* The descriptor of the page. */
static int parse(int count, char **arguments, struct plan *plan)
{
    int page = -1, option;
    const char *address = NULL;
    while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
        switch (option) {
        case 'p': page = (int)parse_number(optarg, 0, 1 << 20); break;
        case 'r': plan->request = map_request(optarg, &plan->request_bytes); break;
        case 'n': plan->headers_only = true; break;
        case 'a': address = optarg; break;
        case 't': add_target(&plan->targets, address, optarg); break;
        case 's': add_source(plan, optarg); break;
        case 'c': plan->connections = (uint32_t)parse_number(optarg, 1, 1e9); break;
        case 'o': plan->connect_per_s = parse_number(optarg, 1e-3, 1e9); break;
        case 'l': plan->think_min_s = parse_number(optarg, 0, 1e6); break;
        case 'h': plan->think_max_s = parse_number(optarg, 0, 1e6); break;
        case 'w': plan->timeout_ms = (uint32_t)(1e3 * parse_number(optarg, 1e-3, 1e6)); break;
        case 'e': served_parse(&plan->served, optarg); break;
        case 'd': plan->seed = strtoull(optarg, NULL, 10); break;
        default: exit(2);
        }
    }
    if (page < 0 || !plan->request || !plan->targets.count || !plan->connections || !plan->connect_per_s ||
        !plan->timeout_ms || plan->think_max_s < plan->think_min_s)
        die("an option is missing, see hold.c");
    return page;
}

static void make(struct holder *holder)
{
    const struct plan *plan = holder->plan;
    holder->count = (plan->connections - holder->number + plan->shards - 1) / plan->shards;
    holder->connections = calloc(holder->count, sizeof *holder->connections);
    holder->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!holder->connections || !timers_make(&holder->timers, holder->count))
        die_errno("there is no memory for %u connections", holder->count);
    if (holder->epoll < 0)
        die_errno("epoll_create1");
    holder->random = plan->seed ^ (uint64_t)holder->number << 40;
    holder->opening_step_us = 1e6 * plan->shards / plan->connect_per_s;
    holder->opening_us = 1e6 * holder->number / plan->connect_per_s;
    for (uint32_t i = 0; i < holder->count; i++)
        open_in_turn(holder, i, 0);
}

/* Wait for the instant to begin at. Returns now where it is told to stop before. */
static uint64_t await_start(struct page page)
{
    const struct timespec pause = {.tv_nsec = START_PAUSE_MS * NS_PER_MS};
    uint64_t start_ns;
    while (!(start_ns = word_get(&page.header->start_ns)) || now_ns() < start_ns) {
        if (word_get(&page.header->stop) || shards_lost())
            return now_ns();
        nanosleep(&pause, NULL);
    }
    return start_ns;
}

static void run(struct holder *holder, struct page page)
{
    static struct epoll_event events[MOST_EVENTS];
    while (!word_get(&page.header->stop) && !shards_lost()) {
        uint32_t i;
        for (int round = 0; round < TIMERS_A_ROUND && timers_take(&holder->timers, since_ms(holder), &i); round++)
            on_time(holder, i);
        uint32_t now_ms = since_ms(holder), next_ms = timers_next(&holder->timers, now_ms + LONGEST_SLEEP_MS);
        int wait_ms = next_ms > now_ms ? (int)(next_ms - now_ms) : 0;
        int ready = epoll_wait(holder->epoll, events, MOST_EVENTS, wait_ms);
        if (ready < 0 && errno != EINTR)
            die_errno("epoll_wait");
        for (int k = 0; k < ready; k++)
            on_event(holder, events[k].data.u32, events[k].events);
    }
}

static uint64_t unanswered(const struct holder *holder)
{
    uint64_t waiting = 0;
    for (uint32_t i = 0; i < holder->count; i++)
        waiting += holder->connections[i].stage >= SENDING;
    return waiting;
}

/* Hold connections `number`, `number + shards`, ... from the page's start until its stop, or until a child is lost. */
static void hold(const struct plan *plan, uint32_t number, struct page page)
{
    static struct holder holder;
    holder.plan = plan;
    holder.number = number;
    holder.shard = page_shard(page, number);
    word *counters = holder.shard.counters;
    make(&holder);
    word_set(&counters[COUNT_STATE], SHARD_READY);
    holder.began_us = await_start(page) / NS_PER_US;
    word_set(&counters[COUNT_STATE], SHARD_LOADING);
    run(&holder, page);
    word_set(&counters[COUNT_UNFINISHED], unanswered(&holder));
    word_set(&counters[COUNT_STATE], SHARD_ENDED);
}

int main(int count, char **arguments)
{
    static struct plan plan;
    struct page page = page_open(parse(count, arguments, &plan));
    plan.shards = (uint32_t)page.header->shards;
    if (plan.shards > plan.connections)
        die("%u processes for %u connections", plan.shards, plan.connections);
    hold(&plan, (uint32_t)shards_fork(plan.shards), page);
    if (shards_lost() && !word_get(&page.header->stop))
        die("one of the processes ended early");
    return shards_join() ? 0 : 1;
}
