#include "page.h"

#include <ctype.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "program.h"

static uint64_t shard_bytes(uint64_t histograms)
{
    uint64_t bytes = (PAGE_COUNTERS + PAGE_STATUSES) * sizeof(word) + histograms * sizeof(struct histogram);
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

struct page page_open(int descriptor)
{
    struct stat found;
    if (fstat(descriptor, &found) != 0)
        die_errno("no shared page behind descriptor %d", descriptor);
    if (found.st_size < PAGE_BYTES)
        die("the shared page is too small");
    void *memory = mmap(NULL, (size_t)found.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED)
        die_errno("the shared page cannot be mapped");
    struct page page = {memory};
    const struct page_header *header = page.header;
    if (header->magic != PAGE_MAGIC || header->version != PAGE_VERSION)
        die("the shared page is of another version: build the programs again (make setup)");
    if (PAGE_BYTES + header->shards * shard_bytes(header->histograms) != (uint64_t)found.st_size)
        die("the shared page does not have the size that its header says");
    return page;
}

bool page_rate(struct page page, uint64_t number, uint64_t *begin_ns, double *per_s)
{
    const struct page_rate *rate = &page.header->rates[number % PAGE_RATES];
    if (word_get(&rate->number) != number)
        return false;
    uint64_t bits = word_get(&rate->per_s);
    *begin_ns = word_get(&rate->begin_ns);
    if (word_get(&rate->check) != (number ^ *begin_ns ^ bits))
        return false;
    memcpy(per_s, &bits, sizeof bits);
    return true;
}

struct shard_block page_shard(struct page page, uint64_t shard)
{
    char *block = (char *)page.header + PAGE_BYTES + shard * shard_bytes(page.header->histograms);
    word *statuses = (word *)block + PAGE_COUNTERS;
    return (struct shard_block){(word *)block, statuses, (struct histogram *)(statuses + PAGE_STATUSES)};
}

static void add_status(struct served *served, const char *text)
{
    bool whole_class = text[0] && strcmp(text + 1, "xx") == 0;
    bool digits = isdigit(text[0]) && text[0] != '0';
    if (!digits || strlen(text) != 3 || !(whole_class || (isdigit(text[1]) && isdigit(text[2]))))
        die("%s is neither a status nor a class of them", text);
    unsigned first = (unsigned)(text[0] - '0') * 100;
    if (whole_class)
        memset(&served->statuses[first], true, 100);
    else
        served->statuses[first + (unsigned)(text[1] - '0') * 10 + (unsigned)(text[2] - '0')] = true;
}

void served_parse(struct served *served, const char *text)
{
    char words[4096], *rest = words;
    if (strlen(text) >= sizeof words)
        die("more statuses than there are");
    strcpy(words, text);
    for (char *status; (status = strsep(&rest, ","));)
        add_status(served, status);
}

bool count_answer(struct shard_block shard, const struct served *served, unsigned status, uint64_t latency_us)
{
    bool serves = served->statuses[status];
    word_add(&shard.counters[COUNT_COMPLETED], 1);
    word_add(&shard.statuses[status], 1);
    histogram_add(&shard.histograms[serves ? HISTOGRAM_LATENCY : HISTOGRAM_REJECTED], latency_us);
    if (!serves)
        word_add(&shard.counters[COUNT_ERRORS_STATUS], 1);
    return serves;
}

void count_established(word *counters, bool again)
{
    word_add(&counters[COUNT_CONNECTS], 1);
    if (again)
        word_add(&counters[COUNT_RECONNECTS], 1);
    word_add(&counters[COUNT_CONNECTIONS], 1);
    word_raise(&counters[COUNT_CONNECTIONS_MAX], word_get(&counters[COUNT_CONNECTIONS]));
}

void count_gone(word *counters) { word_set(&counters[COUNT_CONNECTIONS], word_get(&counters[COUNT_CONNECTIONS]) - 1); }
