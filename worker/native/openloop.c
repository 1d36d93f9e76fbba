/* ngxlab-openloop: the open-loop engine's program. See openloop.h; its options are written by
 * worker/ngxlab_worker/engines/open_loop.py. */
#include "openloop.h"

#include <fcntl.h>
#include <getopt.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "now.h"
#include "say.h"
#include "shards.h"

static const char usage[] =
    "ngxlab-openloop --page DESCRIPTOR --address ADDRESS --port PORT... --connections N --request FILE\n"
    "                --timeout SECONDS --served STATUS,... [--head] [--close] [--tls]\n"
    "                (--step PER_S:TO_PER_S:SECONDS... [--poisson --seed N] | --closed-loop)\n"
    "ngxlab-openloop --print-schedule N:SHARD:SHARDS --step ...    the first instants of a shard, in ns\n"
    "ngxlab-openloop --check                  fails with a reason where this kernel lacks something\n";

enum choice {
    CHOOSE_PAGE = 1,
    CHOOSE_ADDRESS,
    CHOOSE_PORT,
    CHOOSE_CONNECTIONS,
    CHOOSE_REQUEST,
    CHOOSE_TIMEOUT,
    CHOOSE_SERVED,
    CHOOSE_HEAD,
    CHOOSE_CLOSE,
    CHOOSE_TLS,
    CHOOSE_STEP,
    CHOOSE_POISSON,
    CHOOSE_SEED,
    CHOOSE_CLOSED_LOOP,
    CHOOSE_PRINT_SCHEDULE,
    CHOOSE_CHECK,
};

static const struct option known[] = {
    {"page", required_argument, NULL, CHOOSE_PAGE},
    {"address", required_argument, NULL, CHOOSE_ADDRESS},
    {"port", required_argument, NULL, CHOOSE_PORT},
    {"connections", required_argument, NULL, CHOOSE_CONNECTIONS},
    {"request", required_argument, NULL, CHOOSE_REQUEST},
    {"timeout", required_argument, NULL, CHOOSE_TIMEOUT},
    {"served", required_argument, NULL, CHOOSE_SERVED},
    {"head", no_argument, NULL, CHOOSE_HEAD},
    {"close", no_argument, NULL, CHOOSE_CLOSE},
    {"tls", no_argument, NULL, CHOOSE_TLS},
    {"step", required_argument, NULL, CHOOSE_STEP},
    {"poisson", no_argument, NULL, CHOOSE_POISSON},
    {"seed", required_argument, NULL, CHOOSE_SEED},
    {"closed-loop", no_argument, NULL, CHOOSE_CLOSED_LOOP},
    {"print-schedule", required_argument, NULL, CHOOSE_PRINT_SCHEDULE},
    {"check", no_argument, NULL, CHOOSE_CHECK},
    {NULL, 0, NULL, 0},
};

/* The command line, and what to do with it. */
struct arguments {
    struct options options;
    const char *address;
    int page;
    unsigned long print_count, print_shard, print_shards;
    bool check;
};

static uint64_t number(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    if (end == text || *end)
        die("%s is not a number\n%s", text, usage);
    return value;
}

static void add_target(struct arguments *arguments, const char *port)
{
    struct options *options = &arguments->options;
    struct addrinfo wanted = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *found;
    if (arguments->address == NULL || options->target_count == MOST_PORTS)
        die("--address must come before --port, of which at most %d are allowed\n%s", MOST_PORTS, usage);
    int reason = getaddrinfo(arguments->address, port, &wanted, &found);
    if (reason != 0)
        die("%s port %s: %s", arguments->address, port, gai_strerror(reason));
    struct target *target = &options->targets[options->target_count++];
    memcpy(&target->address, found->ai_addr, found->ai_addrlen);
    target->size = found->ai_addrlen;
    freeaddrinfo(found);
}

static void add_step(struct rates *rates, const char *text)
{
    struct rate_step step;
    char rest;
    if (rates->count == MOST_STEPS)
        die("at most %d steps", MOST_STEPS);
    if (sscanf(text, "%lf:%lf:%lf%c", &step.per_s, &step.to_per_s, &step.duration_s, &rest) != 3 ||
        !(step.per_s >= 0 && step.to_per_s >= 0 && step.duration_s > 0))
        die("%s is not a step\n%s", text, usage);
    rates->steps[rates->count++] = step;
}

static void map_request(struct options *options, const char *path)
{
    struct stat found;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &found) != 0)
        die_errno("%s cannot be read", path);
    options->request_size = (size_t)found.st_size;
    options->request = mmap(NULL, options->request_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (options->request == MAP_FAILED)
        die_errno("%s cannot be mapped", path);
    close(file);
}

static void set_printing(struct arguments *arguments, const char *text)
{
    if (sscanf(text, "%lu:%lu:%lu", &arguments->print_count, &arguments->print_shard, &arguments->print_shards) != 3)
        die("%s", usage);
}

static void take(struct arguments *arguments, int choice, const char *value)
{
    struct options *options = &arguments->options;
    switch (choice) {
    case CHOOSE_PAGE: arguments->page = (int)number(value); break;
    case CHOOSE_ADDRESS: arguments->address = value; break;
    case CHOOSE_PORT: add_target(arguments, value); break;
    case CHOOSE_CONNECTIONS: options->connections = number(value); break;
    case CHOOSE_REQUEST: map_request(options, value); break;
    case CHOOSE_TIMEOUT: options->timeout_ns = number(value) * NS_PER_S; break;
    case CHOOSE_SERVED: served_parse(&options->served, value); break;
    case CHOOSE_HEAD: options->of_head = true; break;
    case CHOOSE_CLOSE: options->keep_alive = false; break;
    case CHOOSE_TLS: options->tls = true; break;
    case CHOOSE_STEP: add_step(&options->rates, value); break;
    case CHOOSE_POISSON: options->rates.poisson = true; break;
    case CHOOSE_SEED: options->rates.seed = number(value); break;
    case CHOOSE_CLOSED_LOOP: options->closed_loop = true; break;
    case CHOOSE_PRINT_SCHEDULE: set_printing(arguments, value); break;
    case CHOOSE_CHECK: arguments->check = true; break;
    default: die("%s", usage);
    }
}

static void parse(struct arguments *arguments, int count, char **values)
{
    int choice;
    *arguments = (struct arguments){.page = -1};
    arguments->options.keep_alive = true;
    while ((choice = getopt_long(count, values, "", known, NULL)) != -1)
        take(arguments, choice, optarg);
}

static void print_schedule(struct rates *rates, const struct arguments *arguments)
{
    rates->shards = arguments->print_shards;
    struct schedule schedule = schedule_begin(rates, arguments->print_shard);
    for (unsigned long i = 0; i < arguments->print_count && schedule.next_ns != SCHEDULE_NEVER; i++) {
        printf("%lu\n", (unsigned long)schedule.next_ns);
        schedule_advance(&schedule);
    }
}

/* Run one shard; the first one also waits for the others. */
static int load(struct options *options, int descriptor)
{
    struct page page = page_open(descriptor);
    if (page.header->histograms != 4)
        die("the shared page needs four histograms");
    uint64_t shards = page.header->shards;
    if (options->connections < shards || !options->target_count || !options->request_size || !options->timeout_ns)
        die("%s", usage);
    options->rates.shards = shards;
    signal(SIGPIPE, SIG_IGN); /* OpenSSL writes without MSG_NOSIGNAL */
    uint64_t shard = shards_fork(shards);
    prctl(PR_SET_TIMERSLACK, 1UL); /* otherwise a sleep may end 50 us late */
    bool sound = shard_run(options, page, shard);
    if (!sound)
        die("one of the processes ended early");
    return shards_join() ? 0 : 1;
}

static void check_kernel(void)
{
    struct timespec now = {0, 0};
    struct epoll_event event;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0 || epoll_pwait2(epoll, &event, 1, &now, NULL) < 0)
        die_errno("this kernel has no epoll_pwait2 (Linux 5.11 or newer is needed)");
    puts("ok");
}

int main(int count, char **values)
{
    static struct arguments arguments;
    parse(&arguments, count, values);
    if (arguments.check) {
        check_kernel();
        return 0;
    }
    if (!arguments.options.closed_loop && arguments.options.rates.count == 0)
        die("%s", usage);
    if (arguments.print_count) {
        print_schedule(&arguments.options.rates, &arguments);
        return 0;
    }
    return load(&arguments.options, arguments.page);
}
