/* Lists of connections, in the order in which they were put there. Each connection is in one list at most. */
#ifndef NGXLAB_OPENLOOP_LIST_H
#define NGXLAB_OPENLOOP_LIST_H

#include "openloop.h"

static inline void list_append(struct list *list, struct connection *connection, uint64_t due_ns)
{
    connection->due_ns = due_ns;
    connection->on_list = true;
    connection->previous = list->last;
    connection->next = NULL;
    if (list->last)
        list->last->next = connection;
    else
        list->first = connection;
    list->last = connection;
}

static inline void list_remove(struct list *list, struct connection *connection)
{
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        list->first = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    else
        list->last = connection->previous;
    connection->on_list = false;
}

#endif
