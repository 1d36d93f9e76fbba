/* ngxlab-openloop: the open-loop engine's program. See openloop.h; its options are written by
 * worker/ngxlab_worker/engines/open_loop.py. */
#include "http2_library.h"
#include "http3_library.h"
#include "openloop_multiplex.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>

static const char usage[] =
    "ngxlab-openloop --page DESCRIPTOR --address ADDRESS --port PORT... --connections N\n"
    "                (--request FILE [--head] | --mix FILE --mix-seed N) --timeout SECONDS --served STATUS,... [--close]\n"
    "                [--http2 STREAMS | --http3 STREAMS]\n"
    "                [--tls [--tls-resumed SHARE [--tls-early SHARE]] [--tls-by-id] [--tls-version 1.2|1.3] [--tls-groups LIST] [--tls-ciphers LIST]\n"
    "                 [--tls-suites LIST] [--tls-name NAME]]\n"
    "                [--websocket FILE]\n"
    "                [--read-rate BYTES_PER_S] [--send-rate BYTES_PER_S] [--leaving SHARE] [--patience SECONDS]\n"
    "                [--round-trip SECONDS]\n"
    "                ((--step PER_S:TO_PER_S:SECONDS... | --steered PER_S) [--poisson --seed N] | --replay FILE | --closed-loop [--steered CONNECTIONS])\n"
    "ngxlab-openloop --print-schedule N:SHARD:SHARDS --step ...    the first instants of a shard, in ns\n"
    "ngxlab-openloop --print-mix N:SHARD:SHARDS --mix ... --mix-seed ...    its first requests, with their numbers\n"
    "ngxlab-openloop --check                  fails with a reason where this kernel lacks something\n"
    "ngxlab-openloop --check-http2            likewise, where HTTP/2 lacks something\n"
    "ngxlab-openloop --check-http3            likewise, where HTTP/3 lacks something\n"
    "ngxlab-openloop --check-groups LIST      likewise, where OpenSSL lacks a group of TLS\n";

static const struct option known[] = {
    {"page", required_argument, NULL, 'p'},
    {"address", required_argument, NULL, 'a'},
    {"port", required_argument, NULL, 't'},
    {"connections", required_argument, NULL, 'c'},
    {"request", required_argument, NULL, 'r'},
    {"timeout", required_argument, NULL, 'w'},
    {"served", required_argument, NULL, 'e'},
    {"head", no_argument, NULL, 'n'},
    {"close", no_argument, NULL, 'l'},
    {"tls", no_argument, NULL, 's'},
    {"step", required_argument, NULL, 'o'},
    {"poisson", no_argument, NULL, 'i'},
    {"seed", required_argument, NULL, 'd'},
    {"replay", required_argument, NULL, 'y'},
    {"closed-loop", no_argument, NULL, 'b'},
    {"print-schedule", required_argument, NULL, 'x'},
    {"check", no_argument, NULL, 'k'},
    {"mix", required_argument, NULL, 'f'},
    {"mix-seed", required_argument, NULL, 'g'},
    {"print-mix", required_argument, NULL, 'q'},
    {"http2", required_argument, NULL, 'm'},
    {"check-http2", no_argument, NULL, 'h'},
    {"http3", required_argument, NULL, 'M'},
    {"check-http3", no_argument, NULL, 'H'},
    {"steered", required_argument, NULL, 'j'},
    {"tls-resumed", required_argument, NULL, 'R'},
    {"tls-early", required_argument, NULL, 'E'},
    {"tls-by-id", no_argument, NULL, 'I'},
    {"tls-version", required_argument, NULL, 'V'},
    {"tls-groups", required_argument, NULL, 'G'},
    {"tls-ciphers", required_argument, NULL, 'C'},
    {"tls-suites", required_argument, NULL, 'S'},
    {"tls-name", required_argument, NULL, 'N'},
    {"check-groups", required_argument, NULL, 'K'},
    {"read-rate", required_argument, NULL, 'u'},
    {"send-rate", required_argument, NULL, 'v'},
    {"leaving", required_argument, NULL, 'z'},
    {"patience", required_argument, NULL, 'P'},
    {"round-trip", required_argument, NULL, 'T'},
    {"websocket", required_argument, NULL, 'W'},
    {0},
};

/* The command line, and what to do with it. */
struct arguments {
    struct options options;
    const char *address, *check_groups;
    int page;
    uint64_t mix_seed;
    unsigned long print_count, print_shard, print_shards;
    bool print_mix, check, check_http2, check_http3, of_head;
};

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

/* The file has the instants of struct rates, as 64-bit numbers. */
static void set_replay(struct rates *rates, const char *path)
{
    size_t size, whole = sizeof *rates->replayed;
    const void *file = map_request(path, &size);
    if (size < 2 * whole || size % whole)
        die("%s has no instants", path);
    rates->replayed = file;
    rates->replay_count = size / whole - 1;
    for (uint64_t i = 0; i < rates->replay_count; i++)
        if (rates->replayed[i] > rates->replayed[i + 1])
            die("%s has instants that are not in order", path);
    if (rates->replayed[rates->replay_count] == 0)
        die("%s has all its instants at once", path);
}

static void set_printing(struct arguments *arguments, const char *text)
{
    if (sscanf(text, "%lu:%lu:%lu", &arguments->print_count, &arguments->print_shard, &arguments->print_shards) != 3)
        die("%s", usage);
}

static void take_single(struct options *options, const char *path)
{
    size_t size;
    const char *text = map_request(path, &size);
    options->mix = mix_of_one(text, size);
}

static void take_of_tls(struct tls_client *client, int choice, const char *value)
{
    switch (choice) {
    case 'R': client->resumed = parse_number(value, 0, 1); break;
    case 'E': client->early = parse_number(value, 0, 1); break;
    case 'I': client->by_id = true; break;
    case 'V': client->version = value; break;
    case 'G': client->groups = value; break;
    case 'C': client->ciphers = value; break;
    case 'S': client->suites = value; break;
    case 'N': client->name = value; break;
    default: die("%s", usage);
    }
}

static bool take_of_clients(struct clients *clients, int choice, const char *value)
{
    switch (choice) {
    case 'u': clients->read_per_s = parse_number(value, 1, 1e12); break;
    case 'v': clients->send_per_s = parse_number(value, 1, 1e12); break;
    case 'z': clients->leaving = parse_number(value, 0, 1); break;
    case 'P': clients->patience_ns = (uint64_t)(1e9 * parse_number(value, 0, 1e6)); break;
    default: return false;
    }
    return true;
}

static void speak(struct options *options, const struct protocol *protocol, const char *requests_at_once)
{
    options->protocol = protocol;
    options->streams = (uint64_t)parse_number(requests_at_once, 1, 1e6);
}

static void take(struct arguments *arguments, int choice, const char *value)
{
    struct options *options = &arguments->options;
    switch (choice) {
    case 'K': arguments->check_groups = value; break;
    case 'p': arguments->page = (int)parse_number(value, 0, 1 << 20); break;
    case 'a': arguments->address = value; break;
    case 't': add_target(&options->targets, arguments->address, value); break;
    case 'c': options->connections = (uint64_t)parse_number(value, 1, 1e9); break;
    case 'r': take_single(options, value); break;
    case 'f': options->mix = mix_read(value); break;
    case 'g': arguments->mix_seed = strtoull(value, NULL, 10); break;
    case 'q':
        arguments->print_mix = true;
        set_printing(arguments, value);
        break;
    case 'w': options->timeout_ns = (uint64_t)(1e9 * parse_number(value, 1e-3, 1e6)); break;
    case 'e': served_parse(&options->served, value); break;
    case 'n': arguments->of_head = true; break;
    case 'l': options->keep_alive = false; break;
    case 's': options->tls = true; break;
    case 'o': add_step(&options->rates, value); break;
    case 'i': options->rates.poisson = true; break;
    case 'd': options->rates.seed = strtoull(value, NULL, 10); break;
    case 'y': set_replay(&options->rates, value); break;
    case 'b': options->closed_loop = true; break;
    case 'W': options->upgrade.request = map_request(value, &options->upgrade.size); break;
    case 'T': options->round_trip_ns = (uint64_t)(1e9 * parse_number(value, 0, 10)); break;
    case 'x': set_printing(arguments, value); break;
    case 'k': arguments->check = true; break;
    case 'm': speak(options, &http2_protocol, value); break;
    case 'h': arguments->check_http2 = true; break;
    case 'M': speak(options, &http3_protocol, value); break;
    case 'H': arguments->check_http3 = true; break;
    case 'j':
        options->steered = true;
        rates_begin(&options->rates, parse_number(value, 0, 1e7));
        break;
    default:
        if (!take_of_clients(&options->clients, choice, value))
            take_of_tls(&options->tls_client, choice, value);
    }
}

static void parse(struct arguments *arguments, int count, char **values)
{
    int choice;
    *arguments = (struct arguments){.page = -1};
    arguments->options.keep_alive = true;
    while ((choice = getopt_long(count, values, "", known, NULL)) != -1)
        take(arguments, choice, optarg);
    struct mix *mix = &arguments->options.mix;
    mix->seed = mixed(arguments->mix_seed);
    if (arguments->of_head && mix->count)
        mix->messages[0].of_head = true;
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

static void print_mix(const struct mix *mix, const struct arguments *arguments)
{
    if (!mix->count)
        die("%s", usage);
    struct draws draws = draws_begin(mix, arguments->print_shard, arguments->print_shards);
    for (unsigned long i = 0; i < arguments->print_count; i++) {
        struct drawn drawn = draws_next(&draws);
        printf("%zu %lu\n", (size_t)(drawn.message - mix->messages), (unsigned long)drawn.number);
    }
}

/* Run one shard; the first one also waits for the others. */
static int load(struct options *options, int descriptor)
{
    struct page page = page_open(descriptor);
    if (page.header->histograms != (options->tls ? HISTOGRAM_HANDSHAKE + 1 : HISTOGRAM_HANDSHAKE))
        die("the shared page has not the histograms of this load");
    uint64_t shards = page.header->shards;
    if (options->connections < shards || !options->targets.count || !options->mix.count || !options->timeout_ns)
        die("%s", usage);
    clients_begin(&options->clients);
    lines_begin(options->round_trip_ns);
    if (options->protocol)
        multiplex_set_up(options);
    options->rates.shards = shards;
    signal(SIGPIPE, SIG_IGN); /* OpenSSL writes without MSG_NOSIGNAL */
    uint64_t shard = shards_fork(shards);
    prctl(PR_SET_TIMERSLACK, 1UL); /* otherwise a sleep may end 50 us late */
    bool sound = shard_run(options, page, shard);
    if (!sound)
        die("one of the processes ended early");
    return shards_join() ? 0 : 1;
}

static int say_missing(const char *missing)
{
    if (missing)
        die("%s", missing);
    puts("ok");
    return 0;
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
    if (arguments.check_http2)
        return say_missing(http2_load());
    if (arguments.check_http3)
        return say_missing(http3_load());
    if (arguments.check_groups)
        return say_missing(transport_lacks_groups(arguments.check_groups));
    if (arguments.print_mix) {
        print_mix(&arguments.options.mix, &arguments);
        return 0;
    }
    if (!arguments.options.closed_loop && arguments.options.rates.count == 0 && !arguments.options.rates.replayed)
        die("%s", usage);
    if (arguments.print_count) {
        print_schedule(&arguments.options.rates, &arguments);
        return 0;
    }
    return load(&arguments.options, arguments.page);
}
