/* Results below the smallest normal number are 0 during a call, unless bits are to be the evaluator's: a processor takes
   a hundred steps for one of them, and such results come of weights that have vanished. */
static inline PB_UNUSED uint64_t pb_flush(void) {
#if defined(PB_STRICT)
  return 0;
#elif defined(__x86_64__)
  const uint32_t mode = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(mode | 1u << 15);
  return mode;
#elif defined(__aarch64__)
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  __asm__ volatile("msr fpcr, %0" : : "r"(mode | UINT64_C(1) << 24));
  return mode;
#else
  return 0;
#endif
}

/* Computes as the caller does again. */
static inline PB_UNUSED void pb_flush_ends(uint64_t mode) {
#if defined(PB_STRICT)
  (void)mode;
#elif defined(__x86_64__)
  __builtin_ia32_ldmxcsr((uint32_t)mode);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#else
  (void)mode;
#endif
}
