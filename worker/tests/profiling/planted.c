/* Loaded into nginx beside libc (LD_PRELOAD): now and then, before a request is read, it takes as much CPU time as it
   needs to have SHARE of all that the process has used since its first request. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <time.h>

#define EACH 64 /* reads: the clock is a system call */

static double used(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

__attribute__((noinline)) void planted_loop(double until) {
    while (used() < until)
        for (volatile int i = 0; i < 20000; i++)
            ;
}

ssize_t recv(int socket, void *buffer, size_t length, int flags) {
    static ssize_t (*next)(int, void *, size_t, int);
    static unsigned reads;
    static double spent, began;
    if (!next) {
        next = (ssize_t(*)(int, void *, size_t, int))dlsym(RTLD_NEXT, "recv");
        began = used();
    }
    if (reads++ % EACH == 0) {
        double now = used();
        planted_loop(now + (SHARE * (now - began) - spent) / (1 - SHARE));
        spent += used() - now;
    }
    return next(socket, buffer, length, flags);
}
