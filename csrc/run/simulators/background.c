/* A process that builds a simulator with waves. See background.h. */
#include "run/simulators/background.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/simulators/simulators.h"

/* The run that has just ended counts as one. */
static bool core_is_free(void) {
    double load;
    return getloadavg(&load, 1) == 1 && load + 0.5 < (double)sysconf(_SC_NPROCESSORS_ONLN);
}

/* A lock that only one process holds until it ends; -1: another one has it. */
static int take_lock(const char *path) {
    const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        return lock;
    if (lock >= 0)
        close(lock);
    return -1;
}

/* The builder: keeps the lock and the log, nothing else of its parent. */
static void build(const char *config, const char *rtl_name, int lock, const char *log) {
    const int null = open("/dev/null", O_RDONLY), out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    struct error err;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    if (nice(10) < 0 || null < 0 || out < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 ||
        dup2(lock, 3) < 0)
        _exit(1);
    close_range(4, ~0U, 0);
    const bool built = ensure_simulator(config, rtl_name, VARIANT_WAVES, &err);
    if (!built)
        fprintf(stderr, "%s\n", err.text);
    fflush(NULL);
    _exit(!built);
}

void build_waves_in_background(const char *config, const char *rtl_name, bool always) {
    struct error err;
    if ((!always && (!isatty(STDERR_FILENO) || getenv("CI") || !core_is_free())) ||
        simulator_is_current(config, rtl_name, VARIANT_WAVES) || !simulators_can_be_built(&err))
        return;
    autofree char *name = simulator_name(config, rtl_name, VARIANT_WAVES), *file = xprintf("%s.log", name);
    char log[SIMULATOR_PATH], about[32];
    autofree char *lock_path = simulator_side_path(file, log, sizeof log, &err) ? xprintf("%s.lock", log) : NULL;
    const int lock = lock_path ? take_lock(lock_path) : -1;
    fflush(NULL);
    const pid_t pid = lock >= 0 ? fork() : -1;
    if (pid == 0)
        build(config, rtl_name, lock, log);
    if (pid > 0)
        fprintf(stderr,
                "nvcosim: building %s in the background, for nvcosim debug (about %s; log: %s; kill %d ends it)\n",
                name, simulator_build_time(config, rtl_name, VARIANT_WAVES, about, sizeof about), log, (int)pid);
    else if (lock_path && lock < 0)
        fprintf(stderr, "nvcosim: %s is being built in the background; nvcosim debug waits for it\n", name);
    if (lock >= 0)
        close(lock);
}
