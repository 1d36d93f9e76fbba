/* Reads "set CONNECTION DUE" and "take NOW" and answers each take with the connection or "-". */
#include <stdio.h>
#include <string.h>

#include "../hold_timers.h"

int main(void)
{
    static struct timers timers; /* static: what the program still refers to at its end is no leak */
    char word[8];
    unsigned connection, ms;
    if (!timers_make(&timers, 1000))
        return 1;
    while (scanf("%7s", word) == 1) {
        if (!strcmp(word, "set") && scanf("%u %u", &connection, &ms) == 2)
            timers_set(&timers, connection, ms);
        else if (!strcmp(word, "take") && scanf("%u", &ms) == 1)
            timers_take(&timers, ms, &connection) ? printf("%u\n", connection) : printf("-\n");
        else
            return 1;
    }
    return 0;
}
