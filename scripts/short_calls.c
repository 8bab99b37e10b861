/* A library to preload: transfers that return less than was asked for, and a wall clock that jumps.
 *
 * COLONNADE_SHORT="1 /2 4095 all": the next transfer moves at most 1 byte, the one after it half of what was asked for, then
 * at most 4,095 bytes, then all, and so on in turn. Only transfers between two uses of the path /colonnade-mark are
 * shortened, of files, pipes and stream sockets. COLONNADE_SHORT_LOG names a file for the number of shortened transfers.
 *
 * COLONNADE_CLOCK="86400 3": the wall clock is ahead by a day, in every second group of 3 calls. Other clocks are unchanged.
 *
 * The Rust crate rustix makes system calls without the C library. So a filter of the kernel (seccomp) stops each transfer,
 * and the handler of the signal makes the shorter one. Linux on x86_64 only. Programs must not start other programs.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define MARK "/colonnade-mark"
#define MOST_ITEMS 64
#define MOST_SLICES 1024

/* ------------------------------------------------------------------ system calls that the filter lets pass */

/* The number of the call, then its arguments. The filter knows the address after the instruction. */
long plain_call(long number, ...);
extern const char after_plain_call[];
__asm__(".text\n"
        ".globl plain_call\n"
        ".hidden plain_call\n"
        ".type plain_call, @function\n"
        "plain_call:\n"
        "  mov %rdi, %rax\n"
        "  mov %rsi, %rdi\n"
        "  mov %rdx, %rsi\n"
        "  mov %rcx, %rdx\n"
        "  mov %r8, %r10\n"
        "  mov %r9, %r8\n"
        "  mov 8(%rsp), %r9\n"
        "  syscall\n"
        ".globl after_plain_call\n"
        ".hidden after_plain_call\n"
        "after_plain_call:\n"
        "  ret\n"
        ".size plain_call, .-plain_call\n");

/* ------------------------------------------------------------------ how short */

struct item {
    size_t most;  /* bytes, or 0 */
    size_t share; /* 2 for half, or 0; neither: all */
};

static struct item items[MOST_ITEMS];
static unsigned nitems;
static atomic_uint turn;
static atomic_bool is_active;
static atomic_ulong nshortened;

static size_t shortened(size_t nbytes) {
    if (nbytes < 2)
        return nbytes;
    struct item item = items[atomic_fetch_add(&turn, 1) % nitems];
    size_t most = item.most ? item.most : item.share ? nbytes / item.share : nbytes;
    if (most < 1)
        most = 1;
    if (most >= nbytes)
        return nbytes;
    atomic_fetch_add(&nshortened, 1);
    return most;
}

/* Short transfers are legal for these only: others have messages. */
static int may_be_short(int fd) {
    if (!atomic_load(&is_active))
        return 0;
    struct stat found;
    if (plain_call(SYS_fstat, (long)fd, &found) < 0)
        return 0;
    if (S_ISREG(found.st_mode) || S_ISFIFO(found.st_mode))
        return 1;
    int kind = 0;
    socklen_t length = sizeof kind;
    return S_ISSOCK(found.st_mode) &&
           plain_call(SYS_getsockopt, (long)fd, (long)SOL_SOCKET, (long)SO_TYPE, &kind, &length) == 0 &&
           kind == SOCK_STREAM;
}

/* The first slices, of fewer bytes together. Returns their number. */
static size_t shortened_slices(const struct iovec *slices, size_t count, struct iovec *out) {
    size_t total = 0;
    if (count > MOST_SLICES)
        count = MOST_SLICES;
    for (size_t i = 0; i < count; i++)
        total += slices[i].iov_len;
    size_t left = shortened(total);
    size_t n = 0;
    while (n < count && (left > 0 || slices[n].iov_len == 0)) {
        out[n] = slices[n];
        if (out[n].iov_len > left)
            out[n].iov_len = left;
        left -= out[n].iov_len;
        n++;
    }
    return n;
}

static long message(long number, long fd, struct msghdr *given, long flags) {
    struct iovec slices[MOST_SLICES];
    struct msghdr changed = *given;
    changed.msg_iov = slices;
    changed.msg_iovlen = shortened_slices(given->msg_iov, given->msg_iovlen, slices);
    long result = plain_call(number, fd, &changed, flags);
    if (number == SYS_recvmsg && result >= 0) {
        given->msg_namelen = changed.msg_namelen;
        given->msg_controllen = changed.msg_controllen;
        given->msg_flags = changed.msg_flags;
    }
    return result;
}

static void on_call(int signal_number, siginfo_t *info, void *context) {
    (void)signal_number;
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    long number = info->si_syscall;
    long a = r[REG_RDI], b = r[REG_RSI], c = r[REG_RDX], d = r[REG_R10], e = r[REG_R8], f = r[REG_R9];
    struct iovec slices[MOST_SLICES];
    switch (number) {
    case SYS_readlink:
        if (strcmp((const char *)a, MARK) == 0)
            atomic_store(&is_active, !atomic_load(&is_active));
        break;
    case SYS_readlinkat:
        if (strcmp((const char *)b, MARK) == 0)
            atomic_store(&is_active, !atomic_load(&is_active));
        break;
    case SYS_read:
    case SYS_write:
    case SYS_pread64:
    case SYS_pwrite64:
        if (may_be_short((int)a))
            c = (long)shortened((size_t)c);
        break;
    case SYS_recvfrom:
    case SYS_sendto:
        /* A peek that never sees more would wait for ever. */
        if (!(d & MSG_PEEK) && may_be_short((int)a))
            c = (long)shortened((size_t)c);
        break;
    case SYS_readv:
    case SYS_writev:
    case SYS_preadv:
    case SYS_pwritev:
    case SYS_preadv2:
    case SYS_pwritev2:
        if (may_be_short((int)a)) {
            c = (long)shortened_slices((const struct iovec *)b, (size_t)c, slices);
            b = (long)slices;
        }
        break;
    case SYS_recvmsg:
    case SYS_sendmsg:
        if (!(c & MSG_PEEK) && may_be_short((int)a)) {
            r[REG_RAX] = message(number, a, (struct msghdr *)b, c);
            return;
        }
        break;
    case SYS_sendfile:
        if (may_be_short((int)a))
            d = (long)shortened((size_t)d);
        break;
    case SYS_copy_file_range:
    case SYS_splice:
        if (may_be_short((int)a))
            e = (long)shortened((size_t)e);
        break;
    }
    r[REG_RAX] = plain_call(number, a, b, c, d, e, f);
}

static const int TRAPPED[] = {
    SYS_read,    SYS_write,    SYS_pread64, SYS_pwrite64, SYS_readv,    SYS_writev,   SYS_preadv,          SYS_pwritev,
    SYS_preadv2, SYS_pwritev2, SYS_sendto,  SYS_recvfrom, SYS_sendmsg,  SYS_recvmsg,  SYS_copy_file_range, SYS_sendfile,
    SYS_splice,  SYS_readlink, SYS_readlinkat,
};
#define NTRAPPED (sizeof TRAPPED / sizeof TRAPPED[0])

static void fail(const char *what) {
    fprintf(stderr, "short_calls: %s: %s\n", what, strerror(errno));
    _exit(9);
}

static void install_filter(void) {
    struct sock_filter program[NTRAPPED + 9];
    unsigned n = 0;
    unsigned long allowed = (unsigned long)after_plain_call;
    program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < NTRAPPED; i++)
        /* To the look at the address, behind the other numbers and one return. */
        program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TRAPPED[i], NTRAPPED - i, 0);
    program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer));
    program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed, 0, 3);
    program[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
    program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(allowed >> 32), 0, 1);
    program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sock_fprog filter = {.len = (unsigned short)n, .filter = program};
    struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    if (sigaction(SIGSYS, &action, NULL) != 0)
        fail("sigaction");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        fail("PR_SET_NO_NEW_PRIVS");
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0)
        fail("PR_SET_SECCOMP");
}

/* ------------------------------------------------------------------ the wall clock */

static time_t offset_s;
static unsigned group;
static atomic_uint nlooks;

static time_t jump(void) {
    if (offset_s == 0)
        return 0;
    return group == 0 || (atomic_fetch_add(&nlooks, 1) / group) % 2 ? offset_s : 0;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
    long result = plain_call(SYS_clock_gettime, (long)clock, out);
    if (result < 0) {
        errno = (int)-result;
        return -1;
    }
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
        out->tv_sec += jump();
    return 0;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL)
        *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}

/* ------------------------------------------------------------------ begin and end */

__attribute__((constructor)) static void begin(void) {
    const char *clock = getenv("COLONNADE_CLOCK");
    if (clock != NULL) {
        char *rest = NULL;
        long seconds = strtol(clock, &rest, 10);
        group = (unsigned)strtoul(rest, NULL, 10);
        offset_s = seconds;
    }
    const char *at = getenv("COLONNADE_SHORT");
    while (at != NULL && *at != '\0' && nitems < MOST_ITEMS) {
        size_t length = strcspn(at, " ");
        struct item item = {0, 0};
        if (*at == '/')
            item.share = strtoul(at + 1, NULL, 10);
        else
            item.most = strtoul(at, NULL, 10); /* "all" is 0 */
        if (length > 0)
            items[nitems++] = item;
        at += length + strspn(at + length, " ");
    }
    if (nitems > 0)
        install_filter();
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("COLONNADE_SHORT_LOG");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%lu\n", atomic_load(&nshortened));
        fclose(file);
    }
}
