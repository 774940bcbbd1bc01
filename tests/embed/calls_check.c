/* Stops calls of the library of calls.pull from other threads, from a handler of a signal, by deadlines, and by who
   watches them. The library is a part of this file. */
#define _GNU_SOURCE
#include "calls.c"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int wrong;
static void hold(int holds, const char *what, int line) {
  if (!holds) {
    wrong++;
    printf("%d: it does not hold that %s\n", line, what);
  }
}
#define HOLD(condition) hold(condition, #condition, __LINE__)
#define LONG INT64_C(4000000000000)

/* Whether a message begins like this. */
static int says(const calls_context *c, const char *words) { return !strncmp(calls_message(c), words, strlen(words)); }

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Calls that would take hours, each in its own way. */
static int forever(calls_context *c, int way) {
  static double x[100];
  double value = 5.0, x_bar;
  int64_t whole;
  calls_reals_1 xs = {x, {100}};
  int status = way == 0   ? calls_logistic(c, LONG, 0.3, &value)
               : way == 1 ? calls_states(c, LONG, xs, &value)
               : way == 2 ? calls_until(c, LONG, &whole)
               : way == 3 ? calls_fibonacci(c, 100, &whole)
               : way == 4 ? calls_states_jvp(c, LONG, xs, xs, &value, &x_bar)
                          : calls_logistic_jvp(c, LONG, 0.3, 1.0, &value, &x_bar);
  HOLD(value == 5.0);
  return status;
}
#define WAYS 6

static void deadlines(calls_context *c) {
  for (int way = 0; way < WAYS; way++) {
    calls_deadline(c, 0.05);
    double begun = seconds();
    HOLD(forever(c, way) == 4 && says(c, "E0711: the time limit of 0.05 s is over (calls.pull:"));
    HOLD(seconds() - begun > 0.03 && seconds() - begun < 60.0);
  }
  double value = 5.0;
  const double at_once[] = {0.0, -1.0, -(double)INFINITY, (double)NAN};
  for (int k = 0; k < 4; k++) {
    calls_deadline(c, at_once[k]);
    HOLD(calls_plain(c, 2.0, &value) == 4 && value == 5.0);
    HOLD(calls_fibonacci(c, 5, &(int64_t){0}) == 4);
  }
  calls_deadline(c, 1e300);
  HOLD(calls_plain(c, 2.0, &value) == 0 && value == 4.0);
  /* Calls nest too deep under a deadline as without one. */
  HOLD(calls_fibonacci(c, 20, &(int64_t){0}) == 0);
  calls_deadline(c, (double)INFINITY);
  HOLD(calls_plain(c, 3.0, &value) == 0 && value == 9.0);
}

/* A stop counts for one call: that which is under way, or the next. */
static void early_stops(calls_context *c) {
  double value = 5.0;
  calls_stop(c);
  HOLD(calls_plain(c, 2.0, &value) == 4 && value == 5.0 && says(c, "the call was stopped"));
  HOLD(calls_plain(c, 2.0, &value) == 0 && value == 4.0 && !*calls_message(c));
  calls_stop(c);
  calls_stop(c);
  HOLD(calls_looked_up(c, 4, &value) == 4);
  HOLD(calls_looked_up(c, 4, &value) == 0 && value == 2.0);
}

static calls_context *handled;
static void handler(int signal) {
  (void)signal;
  calls_stop(handled);
}

static void *stops(void *context) {
  usleep(50000);
  calls_stop(context);
  return 0;
}

static void *computes(void *context) { return (void *)(intptr_t)forever(context, 1); }

static void late_stops(calls_context *c) {
  pthread_t thread;
  for (int way = 0; way < WAYS; way++) {
    if (pthread_create(&thread, 0, stops, c)) return;
    HOLD(forever(c, way) == 4 && says(c, "the call was stopped (calls.pull:"));
    pthread_join(thread, 0);
  }
  handled = c;
  signal(SIGALRM, handler);
  ualarm(50000, 0);
  HOLD(forever(c, 0) == 4);
  /* Two threads with a context each: one is stopped, the other goes on to its deadline. */
  calls_context *other = calls_open();
  if (!other) return;
  calls_deadline(other, 0.2);
  void *status;
  pthread_t stopper;
  if (pthread_create(&thread, 0, computes, other) || pthread_create(&stopper, 0, stops, c)) return;
  HOLD(forever(c, 1) == 4 && says(c, "the call was stopped (calls.pull:"));
  pthread_join(stopper, 0);
  pthread_join(thread, &status);
  HOLD((intptr_t)status == 4 && strstr(calls_message(other), "E0711"));
  calls_close(other);
}

/* Another thread reads how far a call is, which only grows. */
static void *reads(void *context) {
  int64_t done = 0, all = 0, last = 0;
  for (int k = 0; k < 200 && last < 1000; k++) {
    calls_progress(context, &done, &all);
    HOLD(done >= last && (all == 0 || all == LONG));
    last = done;
    usleep(5000);
  }
  HOLD(last > 0);
  calls_stop(context);
  return 0;
}

typedef struct {
  calls_context *context;
  int told, of, takes, makes_call;
  int64_t last, all;
} watcher;

static int tell(void *host, int64_t done, int64_t all) {
  watcher *w = host;
  HOLD(done >= w->last);
  w->last = done;
  w->all = all;
  if (w->takes) usleep((unsigned)w->takes);
  if (w->makes_call) {
    double value;
    HOLD(calls_plain(w->context, 1.0, &value) == 1 && strstr(calls_message(w->context), "under way"));
  }
  return ++w->told == w->of;
}

static void progress(calls_context *c) {
  int64_t done = 7, all = 7;
  calls_progress(c, &done, &all);
  HOLD(done == 0 && all == 0);
  pthread_t thread;
  if (pthread_create(&thread, 0, reads, c)) return;
  HOLD(forever(c, 1) == 4);
  pthread_join(thread, 0);
  calls_progress(c, &done, &all);
  calls_progress(c, 0, 0);
  HOLD(done == 0 && all == 0);
  for (int way = 0; way < WAYS; way++) {
    watcher w = {c, 0, 3, 0, way == 1, 0, 0};
    calls_watch(c, tell, &w, 0.01);
    HOLD(forever(c, way) == 4 && w.told == 3 && says(c, "the call was stopped (calls.pull:"));
    HOLD(way == 3 ? w.all == 0 : way == 2 ? w.all == -1 : w.all == LONG && w.last > 0);
  }
  /* Who takes longer than the time between two tales is told again after that time, and a deadline counts on. */
  watcher slow = {c, 0, 0, 30000, 0, 0, 0};
  calls_watch(c, tell, &slow, 0.001);
  calls_deadline(c, 0.2);
  HOLD(forever(c, 1) == 4 && slow.told >= 1 && slow.told < 12 && strstr(calls_message(c), "E0711"));
  /* Nobody is told of a call that is over at once; one who is told stops by saying so too. */
  double value;
  calls_deadline(c, (double)INFINITY);
  watcher none = {c, 0, 1, 0, 0, 0, 0};
  calls_watch(c, tell, &none, 1e300);
  HOLD(calls_plain(c, 2.0, &value) == 0 && none.told == 0);
  calls_watch(c, 0, 0, 0.0);
  HOLD(calls_logistic(c, 1000, 0.3, &value) == 0 && calls_plain(c, 2.0, &value) == 0);
}

int main(void) {
  calls_context *c = calls_open();
  if (!c) return 1;
  deadlines(c);
  early_stops(c);
  late_stops(c);
  progress(c);
  calls_close(c);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
