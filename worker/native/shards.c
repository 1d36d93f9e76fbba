/* One process a shard: see shards.h. */
#include "shards.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"

static volatile sig_atomic_t children_ended;
static uint64_t children;

static void note_child(int number)
{
    (void)number;
    children_ended = 1;
}

static void become_child(pid_t parent)
{
    children = 0;
    signal(SIGCHLD, SIG_DFL);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        die_errno("the parent's death cannot be watched");
    if (getppid() != parent)
        exit(1); /* it died before we asked */
}

uint64_t shards_fork(uint64_t shards)
{
    pid_t parent = getpid();
    struct sigaction action = {.sa_handler = note_child, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
    if (sigaction(SIGCHLD, &action, NULL) != 0)
        die_errno("children cannot be watched");
    for (uint64_t shard = 1; shard < shards; shard++) {
        pid_t child = fork();
        if (child < 0)
            die_errno("process %lu of %lu cannot be started", (unsigned long)shard + 1, (unsigned long)shards);
        if (child == 0) {
            become_child(parent);
            return shard;
        }
        children++;
    }
    return 0;
}

bool shards_lost(void) { return children_ended != 0; }

bool shards_join(void)
{
    bool sound = true;
    int status;
    for (; children > 0; children--) {
        pid_t child;
        do
            child = wait(&status);
        while (child < 0 && errno == EINTR);
        if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
            sound = false;
    }
    return sound;
}
