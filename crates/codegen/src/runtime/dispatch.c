/* Which of the translations of a library runs: the one for the highest micro-architecture level that the processor has, and
   whose registers the system keeps. It is chosen once for a process, when the library is loaded. */
#include <stdlib.h>
#include <string.h>

/* The levels by their names in the environment. */
static const struct { const char *name; int number; } pb_named[] = {{"portable", 0}, {"x86-64-v3", 3}, {"x86-64-v4", 4}};

#if defined(__x86_64__)
#include <cpuid.h>

/* Which registers the system keeps for programs. */
#ifndef PB_KEPT_REGISTERS
static unsigned pb_kept_registers(void) {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}
#define PB_KEPT_REGISTERS pb_kept_registers
#endif

#define PB_BIT(k) (1u << (k))
#define PB_HAS(set, bits) (((set) & (bits)) == (bits))
/* Of leaf 1: SSE3, SSSE3, FMA, CMPXCHG16B, SSE4.1, SSE4.2, MOVBE, POPCNT, OSXSAVE, AVX, F16C. */
#define PB_V3_FIRST \
  (PB_BIT(0) | PB_BIT(9) | PB_BIT(12) | PB_BIT(13) | PB_BIT(19) | PB_BIT(20) | PB_BIT(22) | PB_BIT(23) | PB_BIT(27) | PB_BIT(28) | PB_BIT(29))
/* Of leaf 7: BMI1, AVX2, BMI2; and AVX-512 F, DQ, CD, BW, VL. */
#define PB_V3_SEVENTH (PB_BIT(3) | PB_BIT(5) | PB_BIT(8))
#define PB_V4_SEVENTH (PB_BIT(16) | PB_BIT(17) | PB_BIT(28) | PB_BIT(30) | PB_BIT(31))
/* Of the extended leaf 1: LAHF, LZCNT. */
#define PB_V3_EXTENDED (PB_BIT(0) | PB_BIT(5))
/* Of the registers: XMM, YMM; and masks, the upper halves of ZMM, ZMM from 16 on. */
#define PB_V3_KEPT (PB_BIT(1) | PB_BIT(2))
#define PB_V4_KEPT (PB_BIT(5) | PB_BIT(6) | PB_BIT(7))

/* The number of the level of this machine. */
static int pb_machine(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !PB_HAS(c, PB_V3_FIRST)) return 0;
  if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !PB_HAS(c, PB_V3_EXTENDED)) return 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !PB_HAS(b, PB_V3_SEVENTH)) return 0;
  const unsigned kept = PB_KEPT_REGISTERS();
  if (!PB_HAS(kept, PB_V3_KEPT)) return 0;
  return PB_HAS(b, PB_V4_SEVENTH) && PB_HAS(kept, PB_V4_KEPT) ? 4 : 3;
}
#else
static int pb_machine(void) { return 0; }
#endif

/* The highest level that is allowed: that of the machine, but none above the one that the environment names. */
static int pb_allowed(void) {
  const int machine = pb_machine();
  const char *const name = getenv("PULLBACK_TARGET");
  for (int k = 0; name && k < 3; k++)
    if (strcmp(name, pb_named[k].name) == 0 && pb_named[k].number < machine) return pb_named[k].number;
  return machine;
}

/* The table of the level that is used, once it is chosen. The tables are in order, the highest level first and the one that every
   machine has last. */
static const pb_target *pb_chosen;

static __attribute__((cold, noinline)) const pb_target *pb_choose(void) {
  const pb_target *target = pb_targets, *none = 0;
  for (const int allowed = pb_allowed(); target->number > allowed; target++) {}
  /* Where several threads choose at once, the first one counts for all. */
  return __atomic_compare_exchange_n(&pb_chosen, &none, target, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ? target : none;
}

/* Chooses while the process has one thread, if it is the loader that loads the library. */
static __attribute__((constructor)) void pb_loaded(void) { pb_choose(); }

/* What another library's constructor calls may come before this one's. */
static inline const pb_target *pb_used(void) {
  const pb_target *const target = __atomic_load_n(&pb_chosen, __ATOMIC_ACQUIRE);
  return __builtin_expect(!target, 0) ? pb_choose() : target;
}

