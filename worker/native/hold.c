/* ngxlab-hold: keep-alive connections that are opened at a set rate and held, each asleep most of the time.
 *
 * The agent creates the page (page.h) with a shard for each process; the file-descriptor limit decides how many. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold_shard.h"
#include "say.h"
#include "shards.h"

static const struct option options[] = {
    {"page", required_argument, NULL, 'p'},        /* descriptor of the shared page */
    {"request", required_argument, NULL, 'r'},     /* file with the request, byte for byte */
    {"no-body", no_argument, NULL, 'n'},           /* answers end with their headers: the request is a HEAD */
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

static double number(const char *text, double least, double most)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= least && value <= most))
        die("%s is not a number from %g to %g", text, least, most);
    return value;
}

static union address parse_address(const char *text, uint16_t port)
{
    union address address = {0};
    if (inet_pton(AF_INET, text, &address.v4.sin_addr) == 1) {
        address.v4.sin_family = AF_INET;
        address.v4.sin_port = htons(port);
    } else if (inet_pton(AF_INET6, text, &address.v6.sin6_addr) == 1) {
        address.v6.sin6_family = AF_INET6;
        address.v6.sin6_port = htons(port);
    } else {
        die("%s is not an IP address", text);
    }
    return address;
}

static const char *read_request(const char *path, size_t *bytes)
{
    struct stat found;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &found) != 0)
        die_errno("%s", path);
    char *request = malloc((size_t)found.st_size + 1);
    if (!request)
        die_errno("there is no memory for the request");
    for (*bytes = 0; *bytes < (size_t)found.st_size;) {
        ssize_t more = read(file, request + *bytes, (size_t)found.st_size - *bytes);
        if (more <= 0)
            die_errno("%s ends before its last byte", path);
        *bytes += (size_t)more;
    }
    close(file);
    return request;
}

static void add_source(struct plan *plan, const char *text)
{
    if (plan->source_count == MOST_SOURCES)
        die("more than %d source addresses", MOST_SOURCES);
    plan->sources[plan->source_count++] = parse_address(text, 0);
}

static void add_target(struct plan *plan, const char *address, const char *port)
{
    if (plan->target_count == MOST_TARGETS)
        die("more than %d ports", MOST_TARGETS);
    if (!address)
        die("--address must come before --port");
    plan->targets[plan->target_count++] = parse_address(address, (uint16_t)number(port, 1, 65535));
}

/* The descriptor of the page. */
static int parse(int count, char **arguments, struct plan *plan)
{
    int page = -1, option;
    const char *address = NULL;
    while ((option = getopt_long(count, arguments, "", options, NULL)) != -1) {
        switch (option) {
        case 'p': page = (int)number(optarg, 0, 1 << 20); break;
        case 'r': plan->request = read_request(optarg, &plan->request_bytes); break;
        case 'n': plan->headers_only = true; break;
        case 'a': address = optarg; break;
        case 't': add_target(plan, address, optarg); break;
        case 's': add_source(plan, optarg); break;
        case 'c': plan->connections = (uint32_t)number(optarg, 1, 1e9); break;
        case 'o': plan->connect_per_s = number(optarg, 1e-3, 1e9); break;
        case 'l': plan->think_min_s = number(optarg, 0, 1e6); break;
        case 'h': plan->think_max_s = number(optarg, 0, 1e6); break;
        case 'w': plan->timeout_ms = (uint32_t)(1e3 * number(optarg, 1e-3, 1e6)); break;
        case 'e': served_parse(&plan->served, optarg); break;
        case 'd': plan->seed = strtoull(optarg, NULL, 10); break;
        default: exit(2);
        }
    }
    if (page < 0 || !plan->request || !plan->target_count || !plan->connections || !plan->connect_per_s ||
        !plan->timeout_ms || plan->think_max_s < plan->think_min_s)
        die("an option is missing, see hold.c");
    return page;
}

int main(int count, char **arguments)
{
    static struct plan plan;
    struct page page = page_open(parse(count, arguments, &plan));
    plan.shards = (uint32_t)page.header->shards;
    if (plan.shards > plan.connections)
        die("%u processes for %u connections", plan.shards, plan.connections);
    hold(&plan, (uint32_t)shards_fork(plan.shards), page);
    bool lost = shards_lost() && !word_get(&page.header->stop);
    if (lost)
        die("one of the processes ended early");
    return shards_join() ? 0 : 1;
}
