/* Preloaded: shifts the clock of the day by the microseconds in the file $NGXLAB_TEST_CLOCK. All else, such as
   CLOCK_MONOTONIC and sleeping, stays as it is, as where somebody sets the clock of a machine. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift_us;
static int (*real_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("NGXLAB_TEST_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    real_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof *shift_us, PROT_READ, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) shift_us = mapped;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    int result = real_gettime ? real_gettime(clock, at) : (int)syscall(SYS_clock_gettime, clock, at);
    if (result == 0 && shift_us && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t ns = at->tv_nsec + *shift_us * 1000 % 1000000000;
        int64_t carried = ns < 0 ? -1 : ns / 1000000000;
        at->tv_sec += *shift_us / 1000000 + carried;
        at->tv_nsec = ns - carried * 1000000000;
    }
    return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    *at = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *at) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
