/* Which request comes next: drawn by weight from a list, by a seed and the request's place in the order of instants.
 *
 * The draw of request k depends on the seed and on k alone. Request k belongs to shard k mod shards, as instant k does
 * (schedule.h); so evenly spaced requests are the same, one after the other, whatever the number of processes. Of a
 * Poisson process, where each shard draws its own instants, the shards' requests are the same, in another order. */
#ifndef NGXLAB_MIX_H
#define NGXLAB_MIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_MESSAGES 10000
#define LONGEST_NUMBER 20

/* How the number in a path is chosen; FIXED: there is none. */
enum choice { CHOICE_FIXED, CHOICE_UNIFORM, CHOICE_ZIPF, CHOICE_SEQUENCE, CHOICES };

/* One entry of the list. */
struct message {
    const char *text; /* as it goes over the wire, without the number; for HTTP/2 and HTTP/3 see multiplex_set_up */
    size_t size, before; /* the number stands after that many bytes */
    bool of_head;
    enum choice choice;
    uint64_t count; /* numbers from 0 to count - 1 */
    double exponent, zipf_first, zipf_last, zipf_accept;
    double share;  /* of the alias method: below it this entry is meant, from it on the other */
    size_t other;
};

struct mix {
    struct message *messages;
    size_t count;
    uint64_t seed;
    size_t longest; /* bytes of a request with its number; 0: none has a number */
    bool has_sequences;
};

/* What was drawn. */
struct drawn {
    const struct message *message;
    uint64_t number;
};

/* One shard's place in the order. */
struct draws {
    const struct mix *mix;
    uint64_t next, shards;
    uint64_t counted;       /* requests of all shards whose sequences are counted */
    uint64_t *in_sequence; /* how many of each message came, where one counts */
};

/* A single request, which costs no draw. */
struct mix mix_of_one(const char *text, size_t size);

/* The file's entries: each a struct mix_entry of mix.c and its bytes. Ends the process where something is wrong. */
struct mix mix_read(const char *path);

struct draws draws_begin(const struct mix *mix, uint64_t shard, uint64_t shards);
struct drawn draws_next(struct draws *draws);

/* Write the request with its number: at most mix->longest bytes. Returns their count. */
size_t compose(const struct drawn *drawn, char *to);

/* The number in decimal digits. Returns their count, at most LONGEST_NUMBER. */
size_t write_number(uint64_t number, char *to);

#endif
