/* One process a shard: the first shard is the program itself, the others are its children. */
#ifndef NGXLAB_SHARDS_H
#define NGXLAB_SHARDS_H

#include <stdbool.h>
#include <stdint.h>

/* Fork shards - 1 children; returns this process's shard, 0 in the parent. A child ends when the parent does. */
uint64_t shards_fork(uint64_t shards);

/* In the parent: true once a child has ended early. Costs one read of memory. */
bool shards_lost(void);

/* In the parent: wait for all children. False where one of them failed. Nothing to do in a child. */
bool shards_join(void);

#endif
