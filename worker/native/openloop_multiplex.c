/* Many requests at once on a connection: see openloop_multiplex.h. */
#include "openloop_multiplex.h"

#include <stdlib.h>

static struct fields *messages; /* as those of the mix */
static bool have_bodies;        /* some of them */
static struct request *spare;   /* linked by `older` */

static struct request *request_of(struct link *link) { return (struct request *)link; }

void multiplex_set_up(const struct options *options)
{
    options->protocol->set_up(options);
    messages = calloc(options->mix.count, sizeof *messages);
    if (messages == NULL)
        die("no memory for the requests");
    for (size_t i = 0; i < options->mix.count; i++) {
        messages[i] = fields_of(&options->mix.messages[i]);
        have_bodies |= messages[i].body_size > 0;
    }
}

bool multiplex_has_bodies(void) { return have_bodies; }

static struct request *request_new(struct draws *draws, uint64_t intended)
{
    struct request *request = spare ? spare : malloc(sizeof *request);
    if (request == NULL)
        die("no memory for another request");
    if (spare)
        spare = spare->older;
    struct drawn drawn = draws_next(draws);
    const struct fields *fields = &messages[drawn.message - draws->mix->messages];
    *request = (struct request){.instants.intended_ns = intended, .fields = fields, .number = drawn.number};
    return request;
}

static void request_free(struct request *request)
{
    request->older = spare;
    spare = request;
}

static void list_insert(struct list *list, struct link *link, uint64_t due_ns)
{
    struct link *before = list->last;
    while (before && before->due_ns > due_ns)
        before = before->previous;
    if (before == list->last) {
        list_append(list, link, due_ns);
        return;
    }
    struct link *after = before ? before->next : list->first;
    *link = (struct link){.previous = before, .next = after, .due_ns = due_ns, .on_list = true};
    *(before ? &before->next : &list->first) = link;
    after->previous = link;
}

static void attach(struct carrier *carrier, struct request *request, uint64_t due_ns)
{
    request->carrier = carrier;
    request->older = carrier->youngest;
    request->younger = NULL;
    if (carrier->youngest)
        carrier->youngest->younger = request;
    else
        carrier->oldest = request;
    carrier->youngest = request;
    carrier->requests++;
    list_insert(&carrier->shard->sent, &request->link, due_ns);
    carrier->shard->in_flight++;
}

/* Take a request off its connection and out of `sent`. */
static void detach(struct carrier *carrier, struct request *request)
{
    if (request->older)
        request->older->younger = request->younger;
    else
        carrier->oldest = request->younger;
    if (request->younger)
        request->younger->older = request->older;
    else
        carrier->youngest = request->older;
    request->carrier = NULL;
    carrier->requests--;
    list_remove(&carrier->shard->sent, &request->link);
    carrier->shard->in_flight--;
}

void carrier_give_back(struct carrier *carrier, struct request *request)
{
    struct shard *shard = carrier->shard;
    uint64_t due_ns = request->link.due_ns;
    detach(carrier, request);
    list_insert(&shard->returned, &request->link, due_ns);
    shard->returned_count++;
}

void carrier_begin(struct carrier *carrier, struct shard *shard, struct connection *connection)
{
    carrier->shard = shard;
    carrier->connection = connection;
    connection->carrier = carrier;
    connection->state = STATE_SETTLING;
    carrier_want_flush(carrier);
}

void carrier_established(struct carrier *carrier)
{
    struct connection *connection = carrier->connection;
    list_remove(&carrier->shard->busy, &connection->link);
    connection_established(carrier->shard, connection);
    connection->state = STATE_SHARED;
}

void carrier_want_flush(struct carrier *carrier)
{
    if (!carrier->unflushed.on_list)
        list_append(&carrier->shard->unflushed, &carrier->unflushed, 0);
}

void carrier_settle(struct carrier *carrier, uint64_t now)
{
    struct shard *shard = carrier->shard;
    struct connection *connection = carrier->connection;
    if (connection->state != STATE_SHARED)
        return;
    if (carrier->draining && carrier->requests == 0) {
        connection_close(shard, connection, now);
        return;
    }
    bool takes = !carrier->draining && !carrier->blocked && carrier->streams < carrier->limit;
    if (takes && !connection->link.on_list) {
        connection->free_since_ns = now;
        list_append(&shard->free, &connection->link, 0);
    } else if (!takes && connection->link.on_list) {
        list_remove(&shard->free, &connection->link);
    }
}

void carrier_written(struct carrier *carrier, struct request *request, uint64_t now)
{
    request->written = true;
    if (request->instants.first_write_ns)
        return; /* it is sent again */
    request->instants.first_write_ns = now;
    word_add(&carrier->shard->counters[COUNT_SENT], 1);
    record_lateness(carrier->shard, request->instants.intended_ns, carrier->connection->free_since_ns, now);
}

void carrier_ended(struct carrier *carrier, struct request *request, bool whole)
{
    struct shard *shard = carrier->shard;
    if (!whole && carrier->draining && request->stream > carrier->last) {
        carrier_give_back(carrier, request);
        return;
    }
    if (whole && request->status < PAGE_STATUSES)
        record_answer(shard, request->status, &request->instants, carrier->heard_ns);
    else if (request->reset == NOT_RESET)
        word_add(&shard->counters[COUNT_ERRORS_GARBAGE], 1);
    else
        word_add(&shard->counters[request->reset == REFUSED ? COUNT_ERRORS_REFUSED : COUNT_ERRORS_RESET], 1);
    detach(carrier, request);
    request_free(request);
}

void carrier_broken(struct carrier *carrier, enum page_counter kind, uint64_t errors)
{
    bool settling = carrier->connection->state == STATE_SETTLING;
    connection_fail(carrier->shard, carrier->connection, settling ? COUNT_ERRORS_CONNECT : kind, settling ? 1 : errors);
}

void carrier_not_spoken(struct carrier *carrier)
{
    carrier_broken(carrier, COUNT_ERRORS_GARBAGE, carrier->requests ? carrier->requests : 1);
}

/* It takes no more requests, and is closed after its last answer. */
static void drain(struct carrier *carrier)
{
    carrier->draining = true;
    carrier->last = INT64_MAX;
}

static void send_on(struct shard *shard, struct carrier *carrier, struct request *request, uint64_t due_ns)
{
    struct connection *connection = carrier->connection;
    fields_fill_in(request->fields, request->number);
    request->written = false;
    attach(carrier, request, due_ns);
    list_remove(&shard->free, &connection->link);
    if (!shard->options->protocol->send(carrier, request)) {
        drain(carrier);
        carrier_give_back(carrier, request);
        carrier_settle(carrier, now_ns());
        return;
    }
    carrier->streams++;
    if (carrier->streams < carrier->limit)
        list_append(&shard->free, &connection->link, 0); /* behind the others: they take turns */
    carrier_want_flush(carrier);
}

void multiplex_start_request(struct shard *shard, struct connection *connection, uint64_t intended, uint64_t now)
{
    send_on(shard, connection->carrier, request_new(&shard->draws, intended), now + shard->options->timeout_ns);
}

void multiplex_repeat_request(struct shard *shard, struct connection *connection)
{
    struct request *request = request_of(shard->returned.first);
    list_remove(&shard->returned, &request->link);
    shard->returned_count--;
    request->body_sent = 0;
    request->reset = NOT_RESET;
    word_add(&shard->counters[COUNT_REPEATED], 1);
    send_on(shard, connection->carrier, request, request->link.due_ns);
}

void multiplex_time_out(struct shard *shard, struct link *link, uint64_t now)
{
    struct request *request = request_of(link);
    struct carrier *carrier = request->carrier;
    word_add(&shard->counters[COUNT_ERRORS_TIMEOUT], 1);
    if (carrier == NULL) {
        list_remove(&shard->returned, link);
        shard->returned_count--;
        request_free(request);
        return;
    }
    shard->options->protocol->give_up(carrier, request);
    detach(carrier, request);
    request_free(request);
    carrier_want_flush(carrier);
    if (carrier->heard_ns + shard->options->timeout_ns <= now) /* nothing comes any more: begin anew after the others */
        drain(carrier);
    carrier_settle(carrier, now);
}

void multiplex_flush(struct shard *shard)
{
    while (shard->unflushed.first) {
        struct carrier *carrier = (struct carrier *)shard->unflushed.first;
        list_remove(&shard->unflushed, &carrier->unflushed);
        shard->options->protocol->flush(carrier);
    }
}

void multiplex_forget(struct shard *shard, struct connection *connection)
{
    struct carrier *carrier = connection->carrier;
    connection->carrier = NULL;
    if (carrier == NULL)
        return;
    while (carrier->oldest) {
        struct request *request = carrier->oldest;
        detach(carrier, request);
        request_free(request);
    }
    if (carrier->unflushed.on_list)
        list_remove(&shard->unflushed, &carrier->unflushed);
    shard->options->protocol->end(carrier);
}
