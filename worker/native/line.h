/* Lines with a round trip, between this process and its targets.
 *
 * What is sent leaves a whole round trip later, and answers come at once: neither end can tell that from half of it each
 * way, as long as it waits for the other one's answer. TCP does not know of it: there is no slow start. A connection is to
 * be opened a round trip late, too. One round trip for all lines of a process, so that what is under way is in order. */
#ifndef NGXLAB_LINE_H
#define NGXLAB_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line;

/* Once a process. 0: there are no lines. */
void lines_begin(uint64_t round_trip_ns);
uint64_t lines_round_trip_ns(void);

/* Send what has arrived by now. */
void lines_turn(uint64_t now);

/* When the next of it arrives; UINT64_MAX: nothing is under way. */
uint64_t lines_due(void);

/* For a connected socket, which belongs to the line from now on. */
struct line *line_open(int socket);
void line_send(struct line *line, const char *data, size_t size);

/* The socket is closed once all that was sent has arrived. */
void line_close(struct line *line);

/* An I/O layer of OpenSSL over it. Ends the process where there is no memory for it. */
struct bio_st *line_layer(struct line *line);

#endif
