/* Ending with a message on standard error, which the agent reports. */
#ifndef NGXLAB_SAY_H
#define NGXLAB_SAY_H

/* Print the message (printf) and exit with 1; die_errno adds what errno means. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void die_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
