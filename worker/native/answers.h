/* Which responses serve their request, and how each is counted: by its status, and as served or rejected. */
#ifndef NGXLAB_ANSWERS_H
#define NGXLAB_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "page.h"

struct served {
    bool statuses[PAGE_STATUSES];
};

/* Parse statuses and classes, as in "2xx,3xx,404". Ends the process with a message where the text is something else. */
void served_parse(struct served *served, const char *text);

/* Count a complete response and its latency. False where it did not serve its request. */
bool count_answer(struct shard_block shard, const struct served *served, unsigned status, uint64_t latency_us);

#endif
