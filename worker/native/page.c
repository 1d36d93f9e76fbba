/* Mapping the shared page: see page.h. */
#include "page.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "say.h"

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

struct shard_block page_shard(struct page page, uint64_t shard)
{
    char *block = (char *)page.header + PAGE_BYTES + shard * shard_bytes(page.header->histograms);
    word *statuses = (word *)block + PAGE_COUNTERS;
    return (struct shard_block){(word *)block, statuses, (struct histogram *)(statuses + PAGE_STATUSES)};
}
