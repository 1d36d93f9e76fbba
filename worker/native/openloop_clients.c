/* Clients that are slow, or go away: see struct clients in openloop.h.
 *
 * A client moves bytes as a line of its rate would: what it may move grows with time and does not pile up while there is
 * nothing to move. Once it has moved all that it may, its connection pauses for a tick, the same for all, so that those
 * that pause are in order; or each system call would be followed by one for the bytes of its own duration. */
#include <math.h>
#include <stddef.h>
#include <sys/epoll.h>

#include "openloop.h"

#define SHORTEST_TICK_NS (20 * NS_PER_MS)
#define LEAST_BYTES 64.0                      /* a tick is long enough for so many, */
#define LONGEST_TICK_NS NS_PER_S              /* but not longer than this */
#define MOST_SAVED_S 0.25                     /* what a client may move at once, as its rate would in this time */
#define LEAST_RECEIVE_BUFFER 8192

static struct connection *of_pause(struct link *link)
{
    return (struct connection *)((char *)link - offsetof(struct connection, pause));
}

static struct connection *of_leave(struct link *link)
{
    return (struct connection *)((char *)link - offsetof(struct connection, leave));
}

static double slower(double one, double other)
{
    if (one <= 0 || other <= 0)
        return fmax(one, other);
    return fmin(one, other);
}

void clients_begin(struct clients *clients)
{
    double slowest = slower(clients->read_per_s, clients->send_per_s);
    double tick_ns = slowest > 0 ? LEAST_BYTES / slowest * (double)NS_PER_S : 0;
    clients->tick_ns = (uint64_t)fmin(fmax(tick_ns, (double)SHORTEST_TICK_NS), (double)LONGEST_TICK_NS);
    if (clients->read_per_s > 0) /* a tenth of a second, of what the kernel doubles and takes half of for itself */
        clients->receive_buffer = (int)fmin(fmax(clients->read_per_s / 10, LEAST_RECEIVE_BUFFER), 1 << 30);
}

size_t clients_may_move(const struct shard *shard, struct connection *connection, double per_s, size_t wanted)
{
    if (per_s <= 0)
        return wanted;
    const uint64_t now = now_ns();
    if (connection->flow_since_ns == 0)
        connection->flow_since_ns = now - shard->options->clients.tick_ns;
    double most = per_s * fmax(MOST_SAVED_S, 2 * (double)shard->options->clients.tick_ns / (double)NS_PER_S);
    double moved_by_rate = per_s * (double)(now - connection->flow_since_ns) / (double)NS_PER_S;
    double allowed = moved_by_rate - connection->flowed;
    if (allowed > most) {
        connection->flowed += allowed - most;
        allowed = most;
    }
    if (allowed < 1)
        return 0;
    return allowed < (double)wanted ? (size_t)allowed : wanted;
}

void clients_pause(struct shard *shard, struct connection *connection)
{
    list_append(&shard->paused, &connection->pause, now_ns() + shard->options->clients.tick_ns);
}

bool clients_go_away(struct shard *shard)
{
    shard->leaving_credit += shard->options->clients.leaving;
    if (shard->leaving_credit < 1 - 1e-9)
        return false;
    shard->leaving_credit -= 1;
    return true;
}

static void go_away(struct shard *shard, struct connection *connection, uint64_t now)
{
    word_add(&shard->counters[COUNT_ABORTED], 1);
    connection_close(shard, connection, now);
}

bool clients_wait(struct shard *shard, struct connection *connection)
{
    if (!connection->leaves)
        return true;
    uint64_t now = now_ns();
    if (shard->options->clients.patience_ns == 0) {
        go_away(shard, connection, now);
        return false;
    }
    list_append(&shard->leaving, &connection->leave, now + shard->options->clients.patience_ns);
    return true;
}

void clients_forget(struct shard *shard, struct connection *connection)
{
    if (connection->pause.on_list)
        list_remove(connection->state == STATE_CONNECTING ? &shard->dialing : &shard->paused, &connection->pause);
    if (connection->leave.on_list)
        list_remove(&shard->leaving, &connection->leave);
}

static void resume(struct shard *shard, struct list *list, uint64_t now)
{
    while (list->first && list->first->due_ns <= now) {
        struct connection *connection = of_pause(list->first);
        list_remove(list, &connection->pause);
        connection_go_on(shard, connection);
    }
}

void clients_turn(struct shard *shard, uint64_t now)
{
    lines_turn(now);
    resume(shard, &shard->dialing, now);
    resume(shard, &shard->paused, now);
    while (shard->leaving.first && shard->leaving.first->due_ns <= now)
        go_away(shard, of_leave(shard->leaving.first), now);
}
