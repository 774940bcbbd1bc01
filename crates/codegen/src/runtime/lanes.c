/* Eight lanes at once: vectors of Reals, and of Ints or masks, whose lanes are 0 or -1. They are of two parts where
   processors have no vectors of that size: compilers keep larger ones in memory. */

/* What is called wherever it is used, and is compiled with Pullback itself for each kind of vectors. */
#define PB_LANES PB_CALLED
/* What takes dozens of operations: much code calls it, so that it is compiled once, with Pullback itself or with the code. */
#ifdef PB_LARGE
#define PB_MATHS PB_CALLED
#else
#define PB_MATHS PB_INLINE
#endif
#if defined(__AVX512F__)
#define PB_PART 8
#else
#define PB_PART 4
#endif
typedef double pb_p __attribute__((vector_size(8 * PB_PART)));
typedef int64_t pb_q __attribute__((vector_size(8 * PB_PART)));
/* The same in memory, where it may lie anywhere. */
typedef double pb_p_any __attribute__((vector_size(8 * PB_PART), aligned(8), may_alias));
typedef int64_t pb_q_any __attribute__((vector_size(8 * PB_PART), aligned(8), may_alias));
typedef double pb_real_any __attribute__((may_alias));
typedef int64_t pb_int_any __attribute__((may_alias));
#if PB_PART == 8
typedef pb_p pb_v;
typedef pb_q pb_w;
#else
typedef struct { pb_p a, b; } pb_v;
typedef struct { pb_q a, b; } pb_w;
#endif
/* The lanes of a part. */
#define PB_LANE(l) for (int l = 0; l < PB_PART; l++)

/* What some processors do for all lanes at once, if the compiler has a name for it. */
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__has_builtin)
#if __has_builtin(__builtin_ia32_ptestmq512) && __has_builtin(__builtin_ia32_ptestnmq512) && \
    __has_builtin(__builtin_ia32_loadupd512_mask) && __has_builtin(__builtin_ia32_storeupd512_mask) && \
    __has_builtin(__builtin_ia32_loaddqudi512_mask) && __has_builtin(__builtin_ia32_storedqudi512_mask) && \
    __has_builtin(__builtin_ia32_gatherdiv8df) && __has_builtin(__builtin_ia32_scatterdiv8df) && \
    __has_builtin(__builtin_ia32_gatherdiv8di) && __has_builtin(__builtin_ia32_scatterdiv8di) && \
    __has_builtin(__builtin_ia32_rangepd512_mask) && __has_builtin(__builtin_ia32_sqrtpd512_mask)
#define PB_WIDE 1
typedef long long pb_ll __attribute__((vector_size(64)));
#define PB_BITS(w) __builtin_ia32_ptestmq512((pb_ll)(w), (pb_ll)(w), (unsigned char)-1)
#endif
#endif
#if !defined(__AVX512F__) && defined(__AVX2__) && defined(__has_builtin)
#if __has_builtin(__builtin_ia32_movmskpd256) && __has_builtin(__builtin_ia32_maskloadpd256) && \
    __has_builtin(__builtin_ia32_maskloadq256) && __has_builtin(__builtin_ia32_maskstorepd256) && \
    __has_builtin(__builtin_ia32_gatherdiv4df) && __has_builtin(__builtin_ia32_gatherdiv4di) && \
    __has_builtin(__builtin_ia32_sqrtpd256) && __has_builtin(__builtin_ia32_roundpd256)
#define PB_MIDDLE 1
typedef long long pb_ll __attribute__((vector_size(32)));
#endif
#endif
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define PB_SHUFFLE 1
#endif
#endif

#ifdef __has_builtin
#if __has_builtin(__builtin_shuffle)
#define PB_SHUFFLE_BY 1
#endif
#endif


/* What is done to each part. */
#if PB_PART == 8
#define PB_MAP1(type, f, x) f(x)
#define PB_MAP2(type, f, x, y) f(x, y)
#define PB_BOTH(f, x, one, other) f(x, one, other)
#define PB_MAP3(type, f, x, y, z) f(x, y, z)
#define PB_OP(x, op, y) ((x) op (y))
#define PB_CMP(x, op, y) ((x) op (y))
#define PB_NEG(x) (-(x))
#define PB_NOT(x) (~(x))
#define PB_ROUNDED_ALL(x) PB_ROUNDED(x)
#else
#define PB_MAP1(type, f, x) ((type){f((x).a), f((x).b)})
#define PB_MAP2(type, f, x, y) ((type){f((x).a, (y).a), f((x).b, (y).b)})
#define PB_BOTH(f, x, one, other) (f((x).a, &(one)->a, &(other)->a), f((x).b, &(one)->b, &(other)->b))
#define PB_MAP3(type, f, x, y, z) ((type){f((x).a, (y).a, (z).a), f((x).b, (y).b, (z).b)})
#define PB_OP(x, op, y) ({ \
  const __auto_type op_x = (x); \
  const __auto_type op_y = (y); \
  (__typeof__(op_x)){op_x.a op op_y.a, op_x.b op op_y.b}; })
#define PB_CMP(x, op, y) ({ \
  const __auto_type op_x = (x); \
  const __auto_type op_y = (y); \
  (pb_w){op_x.a op op_y.a, op_x.b op op_y.b}; })
#define PB_NEG(x) ({ \
  const __auto_type op_x = (x); \
  (__typeof__(op_x)){-op_x.a, -op_x.b}; })
#define PB_NOT(x) ({ \
  const __auto_type op_x = (x); \
  (__typeof__(op_x)){~op_x.a, ~op_x.b}; })
#define PB_ROUNDED_ALL(x) ({ \
  const __auto_type op_x = (x); \
  (__typeof__(op_x)){PB_ROUNDED(op_x.a), PB_ROUNDED(op_x.b)}; })
#endif

PB_INLINE pb_p pb_p_all(double x) { return x - (pb_p){0}; }
PB_INLINE pb_q pb_q_all(int64_t n) { return n + (pb_q){0}; }
/* The numbers of the lanes. */
#if PB_PART == 8
#define PB_NUMBERS ((pb_q){0, 1, 2, 3, 4, 5, 6, 7})
#else
#define PB_NUMBERS ((pb_q){0, 1, 2, 3})
#endif
PB_INLINE int pb_p_some(pb_q w) {
#ifdef PB_WIDE
  return PB_BITS(w) != 0;
#elif defined(PB_MIDDLE)
  return __builtin_ia32_movmskpd256((pb_p)w) != 0;
#else
  int64_t any = 0;
  PB_LANE(l) any |= w[l];
  return any != 0;
#endif
}
PB_INLINE int pb_p_every(pb_q w) {
#ifdef PB_WIDE
  return __builtin_ia32_ptestnmq512((pb_ll)w, (pb_ll)w, (unsigned char)-1) == 0;
#elif defined(PB_MIDDLE)
  return __builtin_ia32_movmskpd256((pb_p)w) == 15;
#else
  int64_t every = -1;
  PB_LANE(l) every &= w[l];
  return every != 0;
#endif
}
PB_INLINE pb_q pb_q_where(pb_q mask, pb_q a, pb_q b) { return (mask & a) | (~mask & b); }
PB_INLINE pb_p pb_p_where(pb_q mask, pb_p a, pb_p b) { return (pb_p)((mask & (pb_q)a) | (~mask & (pb_q)b)); }

PB_INLINE pb_v pb_all(double x) {
#if PB_PART == 8
  return pb_p_all(x);
#else
  return (pb_v){pb_p_all(x), pb_p_all(x)};
#endif
}
PB_INLINE pb_w pb_all_int(int64_t n) {
#if PB_PART == 8
  return pb_q_all(n);
#else
  return (pb_w){pb_q_all(n), pb_q_all(n)};
#endif
}
PB_INLINE pb_w pb_all_bool(int b) { return pb_all_int(b ? -1 : 0); }
PB_INLINE pb_w pb_ramp(int64_t n, int64_t stride) {
  const pb_q first = pb_q_all(n) + pb_q_all(stride) * PB_NUMBERS;
#if PB_PART == 8
  return first;
#else
  return (pb_w){first, first + pb_q_all(stride) * pb_q_all(4)};
#endif
}
/* The mask of the first lanes. */
PB_INLINE pb_w pb_first(int64_t m) {
#if PB_PART == 8
  return PB_NUMBERS < pb_q_all(m);
#else
  return (pb_w){PB_NUMBERS < pb_q_all(m), PB_NUMBERS + 4 < pb_q_all(m)};
#endif
}
PB_INLINE int pb_some(pb_w w) {
#if PB_PART == 8
  return pb_p_some(w);
#else
  return pb_p_some(w.a | w.b);
#endif
}
PB_INLINE int pb_every(pb_w w) {
#if PB_PART == 8
  return pb_p_every(w);
#else
  return pb_p_every(w.a & w.b);
#endif
}
PB_INLINE pb_w pb_where_int(pb_w mask, pb_w a, pb_w b) { return PB_MAP3(pb_w, pb_q_where, mask, a, b); }
PB_INLINE pb_v pb_where(pb_w mask, pb_v a, pb_v b) { return PB_MAP3(pb_v, pb_p_where, mask, a, b); }
/* The last lanes of one vector, as many as d, and the first of another after them. */
PB_INLINE pb_v pb_shifted(pb_v p, pb_v q, int64_t d) {
#if PB_PART == 8 && defined(PB_SHUFFLE_BY)
  return __builtin_shuffle(p, q, (pb_w){8, 9, 10, 11, 12, 13, 14, 15} - pb_all_int(d));
#elif defined(PB_SHUFFLE_BY)
  /* By a shuffle of parts: a load of what was stored as two parts would wait for both stores. */
  const pb_q from = (pb_q){4, 5, 6, 7} - (d <= 4 ? d : d - 4);
  if (d <= 4) return (pb_v){__builtin_shuffle(p.b, q.a, from), __builtin_shuffle(q.a, q.b, from)};
  return (pb_v){__builtin_shuffle(p.a, p.b, from), __builtin_shuffle(p.b, q.a, from)};
#else
  const pb_v both[2] = {p, q};
  pb_v shifted;
  memcpy(&shifted, (const char *)both + 8 * (8 - d), sizeof shifted);
  return shifted;
#endif
}

/* The lanes together, always in this order. */
PB_INLINE double pb_across(pb_v v) {
#if PB_PART == 4
  const pb_p a = v.a + v.b;
  return (a[0] + a[2]) + (a[1] + a[3]);
#elif defined(PB_SHUFFLE)
  typedef double half __attribute__((vector_size(32)));
  typedef double pair __attribute__((vector_size(16)));
  const half a = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  const pair b = __builtin_shufflevector(a, a, 0, 1) + __builtin_shufflevector(a, a, 2, 3);
  return b[0] + b[1];
#else
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
#endif
}
/* Adds four vectors to four places that follow each other, the lanes of each together, in that order too. */
PB_INLINE void pb_add_across(double *p, pb_v a, pb_v b, pb_v c, pb_v d) {
#if PB_PART == 4 && defined(PB_SHUFFLE)
  const pb_p a4 = a.a + a.b, b4 = b.a + b.b, c4 = c.a + c.b, d4 = d.a + d.b;
  const pb_p ab = __builtin_shufflevector(a4, b4, 0, 1, 4, 5) + __builtin_shufflevector(a4, b4, 2, 3, 6, 7);
  const pb_p cd = __builtin_shufflevector(c4, d4, 0, 1, 4, 5) + __builtin_shufflevector(c4, d4, 2, 3, 6, 7);
  *(pb_p_any *)p += __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
#elif defined(PB_SHUFFLE)
  typedef double four_any __attribute__((vector_size(32), aligned(8), may_alias));
  const pb_v ab = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) + __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  const pb_v cd = __builtin_shufflevector(c, d, 0, 1, 2, 3, 8, 9, 10, 11) + __builtin_shufflevector(c, d, 4, 5, 6, 7, 12, 13, 14, 15);
  const pb_v all = __builtin_shufflevector(ab, cd, 0, 1, 4, 5, 8, 9, 12, 13) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7, 10, 11, 14, 15);
  const pb_v sums = all + __builtin_shufflevector(all, all, 1, 0, 3, 2, 5, 4, 7, 6);
  *(four_any *)p += __builtin_shufflevector(sums, sums, 0, 2, 4, 6);
#else
  p[0] += pb_across(a);
  p[1] += pb_across(b);
  p[2] += pb_across(c);
  p[3] += pb_across(d);
#endif
}
/* What comes of the lanes one after the other. */
#define PB_FOLD(type, f, x) ({ \
  const __auto_type fold_x = (x); \
  type lanes[8]; \
  memcpy(lanes, &fold_x, sizeof lanes); \
  type all = lanes[0]; \
  for (int l = 1; l < 8; l++) all = f(all, lanes[l]); \
  all; })
#define PB_PLUS(a, b) ((a) + (b))
PB_INLINE int64_t pb_across_int(pb_w w) { return PB_FOLD(int64_t, PB_PLUS, w); }
PB_INLINE double pb_across_max(pb_v v) { return PB_FOLD(double, pb_max, v); }
PB_INLINE double pb_across_min(pb_v v) { return PB_FOLD(double, pb_min, v); }

/* What lies in memory, part after part. */
#if PB_PART == 8
#define PB_PARTS(type, f, p) f(p)
#define PB_PARTS_OF(type, f, p, x) f(p, x)
#define PB_PUT_PARTS(f, p, x) f(p, x)
#define PB_PUT_SOME(f, p, x, m) f(p, x, m)
#else
#define PB_PARTS(type, f, p) ((type){f(p), f((p) + 4)})
#define PB_PARTS_OF(type, f, p, x) ((type){f(p, (x).a), f((p) + 4, (x).b)})
#define PB_PUT_PARTS(f, p, x) (f(p, (x).a), f((p) + 4, (x).b))
#define PB_PUT_SOME(f, p, x, m) (f(p, (x).a, m), f((p) + 4, (x).b, (m) - 4))
#endif
/* What lies in places of its own for each lane. */
#if PB_PART == 8
#define PB_GATHER(type, f, p, at, mask) f(p, at, mask, 0)
#define PB_SCATTER(f, p, at, x, m) f(p, at, x, m)
#define PB_ADD_PARTS(f, p, at, x, mask) f(p, at, x, mask, 0)
#else
#define PB_GATHER(type, f, p, at, mask) ((type){f(p, (at).a, (mask).a, 0), f(p, (at).b, (mask).b, 4)})
#define PB_SCATTER(f, p, at, x, m) (f(p, (at).a, (x).a, m), f(p, (at).b, (x).b, (m) - 4))
#define PB_ADD_PARTS(f, p, at, x, mask) (f(p, (at).a, (x).a, (mask).a, 0), f(p, (at).b, (x).b, (mask).b, 4))
#endif

PB_INLINE pb_p pb_p_load(const double *p) { return *(const pb_p_any *)p; }
PB_INLINE pb_q pb_q_load(const int64_t *p) { return *(const pb_q_any *)p; }
PB_INLINE pb_q pb_q_load_bool(const _Bool *p) {
  pb_q w;
  PB_LANE(l) w[l] = -(int64_t)p[l];
  return w;
}
PB_INLINE pb_v pb_load(const double *p) { return PB_PARTS(pb_v, pb_p_load, p); }
PB_INLINE pb_w pb_load_int(const int64_t *p) { return PB_PARTS(pb_w, pb_q_load, p); }
PB_INLINE pb_w pb_load_bool(const _Bool *p) { return PB_PARTS(pb_w, pb_q_load_bool, p); }
PB_INLINE pb_p pb_p_load_where(const double *p, pb_q mask) {
#ifdef PB_WIDE
  return __builtin_ia32_loadupd512_mask(p, (pb_p){0}, PB_BITS(mask));
#elif defined(PB_MIDDLE)
  return __builtin_ia32_maskloadpd256((const pb_p *)p, (pb_ll)mask);
#else
  if (pb_p_every(mask)) return pb_p_load(p);
  pb_p v = {0};
  PB_LANE(l) if (mask[l]) v[l] = p[l];
  return v;
#endif
}
PB_INLINE pb_q pb_q_load_where(const int64_t *p, pb_q mask) {
#ifdef PB_WIDE
  return (pb_q)__builtin_ia32_loaddqudi512_mask((const long long *)p, (pb_ll){0}, PB_BITS(mask));
#elif defined(PB_MIDDLE)
  return (pb_q)__builtin_ia32_maskloadq256((const pb_ll *)p, (pb_ll)mask);
#else
  if (pb_p_every(mask)) return pb_q_load(p);
  pb_q w = {0};
  PB_LANE(l) if (mask[l]) w[l] = p[l];
  return w;
#endif
}
PB_INLINE pb_q pb_q_load_where_bool(const _Bool *p, pb_q mask) {
  pb_q w = {0};
  PB_LANE(l) if (mask[l]) w[l] = -(int64_t)p[l];
  return w;
}
PB_INLINE pb_v pb_load_where(const double *p, pb_w mask) { return PB_PARTS_OF(pb_v, pb_p_load_where, p, mask); }
PB_INLINE pb_w pb_load_where_int(const int64_t *p, pb_w mask) { return PB_PARTS_OF(pb_w, pb_q_load_where, p, mask); }
PB_INLINE pb_w pb_load_where_bool(const _Bool *p, pb_w mask) {
  return PB_PARTS_OF(pb_w, pb_q_load_where_bool, p, mask);
}
PB_INLINE pb_p pb_p_gather(const double *p, pb_q at, pb_q mask, int first) {
  (void)first;
#ifdef PB_WIDE
  return __builtin_ia32_gatherdiv8df((pb_p){0}, p, (pb_ll)at, PB_BITS(mask), 8);
#elif defined(PB_MIDDLE)
  return __builtin_ia32_gatherdiv4df((pb_p){0}, p, (pb_ll)at, (pb_p)mask, 8);
#else
  pb_p v = {0};
  PB_LANE(l) if (mask[l]) v[l] = p[at[l]];
  return v;
#endif
}
PB_INLINE pb_q pb_q_gather(const int64_t *p, pb_q at, pb_q mask, int first) {
  (void)first;
#ifdef PB_WIDE
  return (pb_q)__builtin_ia32_gatherdiv8di((pb_ll){0}, (const long long *)p, (pb_ll)at, PB_BITS(mask), 8);
#elif defined(PB_MIDDLE)
  return (pb_q)__builtin_ia32_gatherdiv4di((pb_ll){0}, (const long long *)p, (pb_ll)at, (pb_ll)mask, 8);
#else
  pb_q w = {0};
  PB_LANE(l) if (mask[l]) w[l] = p[at[l]];
  return w;
#endif
}
PB_INLINE pb_q pb_q_gather_bool(const _Bool *p, pb_q at, pb_q mask, int first) {
  (void)first;
  pb_q w = {0};
  PB_LANE(l) if (mask[l]) w[l] = -(int64_t)p[at[l]];
  return w;
}
PB_INLINE pb_v pb_gather(const double *p, pb_w at, pb_w mask) { return PB_GATHER(pb_v, pb_p_gather, p, at, mask); }
PB_INLINE pb_w pb_gather_int(const int64_t *p, pb_w at, pb_w mask) { return PB_GATHER(pb_w, pb_q_gather, p, at, mask); }
PB_INLINE pb_w pb_gather_bool(const _Bool *p, pb_w at, pb_w mask) {
  return PB_GATHER(pb_w, pb_q_gather_bool, p, at, mask);
}
/* Elements so far apart. Without vectors of eight a gather takes longer than a load for each lane. */
PB_INLINE pb_v pb_strided(const double *p, int64_t d) {
#if PB_PART == 8
  return pb_gather(p, pb_ramp(0, d), pb_all_bool(1));
#else
  return (pb_v){{p[0], p[d], p[2 * d], p[3 * d]}, {p[4 * d], p[5 * d], p[6 * d], p[7 * d]}};
#endif
}
PB_INLINE pb_w pb_strided_int(const int64_t *p, int64_t d) {
#if PB_PART == 8
  return pb_gather_int(p, pb_ramp(0, d), pb_all_bool(1));
#else
  return (pb_w){{p[0], p[d], p[2 * d], p[3 * d]}, {p[4 * d], p[5 * d], p[6 * d], p[7 * d]}};
#endif
}
PB_INLINE pb_w pb_strided_bool(const _Bool *p, int64_t d) { return pb_gather_bool(p, pb_ramp(0, d), pb_all_bool(1)); }
/* The same where lanes may be behind the end. */
#if PB_PART == 8
#define PB_STRIDED_WHERE(strided, gather, p, d, mask) gather(p, pb_ramp(0, d), mask)
#else
#define PB_STRIDED_WHERE(strided, gather, p, d, mask) \
  (pb_every(mask) ? strided(p, d) : gather(p, pb_ramp(0, d), mask))
#endif
PB_CALLED pb_v pb_strided_where(const double *p, int64_t d, pb_w mask) {
  return PB_STRIDED_WHERE(pb_strided, pb_gather, p, d, mask);
}
PB_INLINE pb_w pb_strided_where_int(const int64_t *p, int64_t d, pb_w mask) {
  return PB_STRIDED_WHERE(pb_strided_int, pb_gather_int, p, d, mask);
}
PB_INLINE pb_w pb_strided_where_bool(const _Bool *p, int64_t d, pb_w mask) {
  return pb_gather_bool(p, pb_ramp(0, d), mask);
}
PB_INLINE void pb_p_store(double *p, pb_p v) { *(pb_p_any *)p = v; }
PB_INLINE void pb_q_store(int64_t *p, pb_q w) { *(pb_q_any *)p = w; }
PB_INLINE void pb_q_store_bool(_Bool *p, pb_q w) { PB_LANE(l) p[l] = w[l] != 0; }
PB_INLINE void pb_store(double *p, pb_v v) { PB_PUT_PARTS(pb_p_store, p, v); }
PB_INLINE void pb_store_int(int64_t *p, pb_w w) { PB_PUT_PARTS(pb_q_store, p, w); }
PB_INLINE void pb_store_bool(_Bool *p, pb_w w) { PB_PUT_PARTS(pb_q_store_bool, p, w); }
PB_INLINE void pb_p_store_some(double *p, pb_p v, int64_t m) {
#ifdef PB_WIDE
  __builtin_ia32_storeupd512_mask(p, v, PB_BITS(PB_NUMBERS < pb_q_all(m)));
#elif defined(PB_MIDDLE)
  __builtin_ia32_maskstorepd256((pb_p *)p, (pb_ll)(PB_NUMBERS < pb_q_all(m)), v);
#else
  PB_LANE(l) if (l < m) p[l] = v[l];
#endif
}
PB_INLINE void pb_q_store_some(int64_t *p, pb_q w, int64_t m) {
#ifdef PB_WIDE
  __builtin_ia32_storedqudi512_mask((long long *)p, (pb_ll)w, PB_BITS(PB_NUMBERS < pb_q_all(m)));
#else
  PB_LANE(l) if (l < m) p[l] = w[l];
#endif
}
PB_INLINE void pb_q_store_some_bool(_Bool *p, pb_q w, int64_t m) { PB_LANE(l) if (l < m) p[l] = w[l] != 0; }
PB_INLINE void pb_store_some(double *p, pb_v v, int64_t m) { PB_PUT_SOME(pb_p_store_some, p, v, m); }
PB_INLINE void pb_store_some_int(int64_t *p, pb_w w, int64_t m) { PB_PUT_SOME(pb_q_store_some, p, w, m); }
PB_INLINE void pb_store_some_bool(_Bool *p, pb_w w, int64_t m) { PB_PUT_SOME(pb_q_store_some_bool, p, w, m); }
PB_INLINE void pb_p_scatter(double *p, pb_q at, pb_p v, int64_t m) {
#ifdef PB_WIDE
  __builtin_ia32_scatterdiv8df(p, PB_BITS(PB_NUMBERS < pb_q_all(m)), (pb_ll)at, v, 8);
#else
  PB_LANE(l) if (l < m) p[at[l]] = v[l];
#endif
}
PB_INLINE void pb_q_scatter(int64_t *p, pb_q at, pb_q w, int64_t m) {
#ifdef PB_WIDE
  __builtin_ia32_scatterdiv8di((long long *)p, PB_BITS(PB_NUMBERS < pb_q_all(m)), (pb_ll)at, (pb_ll)w, 8);
#else
  PB_LANE(l) if (l < m) p[at[l]] = w[l];
#endif
}
PB_INLINE void pb_q_scatter_bool(_Bool *p, pb_q at, pb_q w, int64_t m) {
  PB_LANE(l) if (l < m) p[at[l]] = w[l] != 0;
}
PB_INLINE void pb_scatter(double *p, pb_w at, pb_v v, int64_t m) { PB_SCATTER(pb_p_scatter, p, at, v, m); }
PB_INLINE void pb_scatter_int(int64_t *p, pb_w at, pb_w w, int64_t m) { PB_SCATTER(pb_q_scatter, p, at, w, m); }
PB_INLINE void pb_scatter_bool(_Bool *p, pb_w at, pb_w w, int64_t m) { PB_SCATTER(pb_q_scatter_bool, p, at, w, m); }
/* Adds to elements side by side. */
PB_INLINE void pb_p_add_where(double *p, pb_p v, pb_q mask) {
#ifdef PB_WIDE
  const unsigned char bits = PB_BITS(mask);
  __builtin_ia32_storeupd512_mask(p, __builtin_ia32_loadupd512_mask(p, (pb_p){0}, bits) + v, bits);
#else
  if (pb_p_every(mask)) {
    pb_p_store(p, pb_p_load(p) + v);
    return;
  }
  PB_LANE(l) if (mask[l]) p[l] += v[l];
#endif
}
PB_INLINE void pb_add_where(double *p, pb_v v, pb_w mask) {
#if PB_PART == 8
  pb_p_add_where(p, v, mask);
#else
  pb_p_add_where(p, v.a, mask.a);
  pb_p_add_where(p + 4, v.b, mask.b);
#endif
}
/* Adds lane after lane: places may be the same. */
PB_INLINE void pb_p_add_each(double *p, pb_q at, pb_p v, pb_q mask, int first) {
  (void)first;
  PB_LANE(l) if (mask[l]) p[at[l]] += v[l];
}
PB_INLINE void pb_add_each(double *p, pb_w at, pb_v v, pb_w mask) { PB_ADD_PARTS(pb_p_add_each, p, at, v, mask); }

/* Arrays of which each lane has its own: element after element, the lanes side by side. */
PB_INLINE pb_p pb_p_own_gather(const pb_v *p, pb_q at, pb_q mask, int first) {
  pb_p v = {0};
  PB_LANE(l) if (mask[l]) v[l] = ((const pb_real_any *)(p + at[l]))[first + l];
  return v;
}
PB_INLINE pb_q pb_q_own_gather(const pb_w *p, pb_q at, pb_q mask, int first) {
  pb_q w = {0};
  PB_LANE(l) if (mask[l]) w[l] = ((const pb_int_any *)(p + at[l]))[first + l];
  return w;
}
PB_INLINE void pb_p_add_own(pb_v *p, pb_q at, pb_p v, pb_q mask, int first) {
  PB_LANE(l) if (mask[l]) ((pb_real_any *)(p + at[l]))[first + l] += v[l];
}
PB_INLINE pb_v pb_own_gather(const pb_v *p, pb_w at, pb_w mask) { return PB_GATHER(pb_v, pb_p_own_gather, p, at, mask); }
PB_INLINE pb_w pb_own_gather_int(const pb_w *p, pb_w at, pb_w mask) {
  return PB_GATHER(pb_w, pb_q_own_gather, p, at, mask);
}
PB_INLINE void pb_add_own(pb_v *p, pb_w at, pb_v v, pb_w mask) { PB_ADD_PARTS(pb_p_add_own, p, at, v, mask); }

/* Turns eight vectors into those of their first lanes, of their second lanes and so on. */
#if PB_PART == 4 && defined(PB_SHUFFLE)
PB_INLINE void pb_turn_four(pb_p *w, pb_p *x, pb_p *y, pb_p *z) {
  const pb_p a = __builtin_shufflevector(*w, *x, 0, 4, 2, 6), b = __builtin_shufflevector(*w, *x, 1, 5, 3, 7);
  const pb_p c = __builtin_shufflevector(*y, *z, 0, 4, 2, 6), d = __builtin_shufflevector(*y, *z, 1, 5, 3, 7);
  *w = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  *x = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  *y = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  *z = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
#endif
PB_INLINE void pb_turn(pb_v v[8]) {
#if PB_PART == 4 && defined(PB_SHUFFLE)
  pb_turn_four(&v[0].a, &v[1].a, &v[2].a, &v[3].a);
  pb_turn_four(&v[0].b, &v[1].b, &v[2].b, &v[3].b);
  pb_turn_four(&v[4].a, &v[5].a, &v[6].a, &v[7].a);
  pb_turn_four(&v[4].b, &v[5].b, &v[6].b, &v[7].b);
  for (int k = 0; k < 4; k++) {
    const pb_p b = v[k].b;
    v[k].b = v[k + 4].a;
    v[k + 4].a = b;
  }
#elif defined(PB_SHUFFLE)
  pb_v a[8], b[8];
  for (int k = 0; k < 8; k += 2) {
    a[k] = __builtin_shufflevector(v[k], v[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[k + 1] = __builtin_shufflevector(v[k], v[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int k = 0; k < 8; k += 4)
    for (int l = k; l < k + 2; l++) {
      b[l] = __builtin_shufflevector(a[l], a[l + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[l + 2] = __builtin_shufflevector(a[l], a[l + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int k = 0; k < 4; k++) {
    v[k] = __builtin_shufflevector(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    v[k + 4] = __builtin_shufflevector(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#else
  double turned[8][8], lanes[8][8];
  memcpy(lanes, v, sizeof lanes);
  for (int k = 0; k < 8; k++)
    for (int l = 0; l < 8; l++) turned[k][l] = lanes[l][k];
  memcpy(v, turned, sizeof turned);
#endif
}

/* Adds, of four vectors, the numbers of each lane to four places beside each other; those of the lanes are so far apart. */
PB_LANES void pb_add_rows(double *p, int64_t d, pb_v a, pb_v b, pb_v c, pb_v e) {
#ifdef PB_SHUFFLE
  /* No place is another one's. */
  if (d >= 4) {
#if PB_PART == 4
    pb_turn_four(&a.a, &b.a, &c.a, &e.a);
    pb_turn_four(&a.b, &b.b, &c.b, &e.b);
    const pb_p rows[8] = {a.a, b.a, c.a, e.a, a.b, b.b, c.b, e.b};
    for (int l = 0; l < 8; l++) *(pb_p_any *)(p + l * d) += rows[l];
#else
    typedef double four_any __attribute__((vector_size(32), aligned(8), may_alias));
    const pb_v ab = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14), ba = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    const pb_v ce = __builtin_shufflevector(c, e, 0, 8, 2, 10, 4, 12, 6, 14), ec = __builtin_shufflevector(c, e, 1, 9, 3, 11, 5, 13, 7, 15);
    const pb_v rows[4] = {
      __builtin_shufflevector(ab, ce, 0, 1, 8, 9, 4, 5, 12, 13), __builtin_shufflevector(ba, ec, 0, 1, 8, 9, 4, 5, 12, 13),
      __builtin_shufflevector(ab, ce, 2, 3, 10, 11, 6, 7, 14, 15), __builtin_shufflevector(ba, ec, 2, 3, 10, 11, 6, 7, 14, 15)};
    for (int l = 0; l < 4; l++) *(four_any *)(p + l * d) += __builtin_shufflevector(rows[l], rows[l], 0, 1, 2, 3);
    for (int l = 0; l < 4; l++) *(four_any *)(p + (l + 4) * d) += __builtin_shufflevector(rows[l], rows[l], 4, 5, 6, 7);
#endif
    return;
  }
#endif
  const pb_w at = pb_ramp(0, d), all = pb_all_bool(1);
  pb_add_each(p, at, a, all);
  pb_add_each(p + 1, at, b, all);
  pb_add_each(p + 2, at, c, all);
  pb_add_each(p + 3, at, e, all);
}

/* Puts the rows of the first lanes to a place each, so many elements apart. Of so many vectors of lanes (step), the elements
   lie side by side; more than eight rows are those of several of them. */
PB_LANES void pb_put_rows(double *p, int64_t stride, const pb_v *own, int64_t step, int64_t count, int64_t rows) {
  for (; rows > 0; rows -= 8, p += 8 * stride, own++)
    for (int64_t e = 0; e < count; e += 8) {
      pb_v v[8];
      const int64_t some = count - e < 8 ? count - e : 8, m = rows < 8 ? rows : 8;
      for (int64_t k = 0; k < 8; k++) v[k] = k < some ? own[(e + k) * step] : (pb_v){0};
      pb_turn(v);
      if (some == 8 && m == 8) {
        for (int l = 0; l < 8; l++) pb_store(p + l * stride + e, v[l]);
      } else {
        for (int l = 0; l < 8; l++)
          if (l < m) pb_store_some(p + l * stride + e, v[l], some);
      }
    }
}
PB_INLINE void pb_put_rows_int(
  int64_t *p, int64_t stride, const pb_w *own, int64_t step, int64_t count, int64_t rows) {
  pb_put_rows((double *)p, stride, (const pb_v *)own, step, count, rows);
}
/* Takes rows from such places; those of lanes that are not among the first are zeros. Up to four elements are gathered, which
   takes less than to turn eight. */
PB_LANES void pb_take_rows(pb_v *own, int64_t vectors, const double *p, int64_t stride, int64_t count, int64_t m) {
  for (int64_t at = 0; at < vectors; at++, p += 8 * stride)
    for (int64_t e = 0; e < count; e += 8) {
      pb_v v[8];
      const int64_t some = count - e < 8 ? count - e : 8;
      if (some <= 4) {
        const pb_w lanes = pb_first(m);
        for (int64_t k = 0; k < some; k++)
          own[(e + k) * vectors + at] = PB_STRIDED_WHERE(pb_strided, pb_gather, p + e + k, stride, lanes);
        break;
      }
      if (some == 8 && m == 8) {
        for (int l = 0; l < 8; l++) v[l] = pb_load(p + l * stride + e);
      } else {
        for (int l = 0; l < 8; l++) v[l] = l < m ? pb_load_where(p + l * stride + e, pb_first(some)) : (pb_v){0};
      }
      pb_turn(v);
      for (int64_t k = 0; k < some; k++) own[(e + k) * vectors + at] = v[k];
    }
}

/* A matrix that is read down its columns: how far it is from row to row, and from column to column. */
typedef struct { const double *p; int64_t row, column; } pb_matrix;
/* As it stands, or turned if so many rows are to be copied, which are all. */
PB_LANES pb_matrix pb_turned(const double *p, int64_t rows, int64_t columns, int64_t copied, double *own) {
  if (copied == 0) return (pb_matrix){p, columns, 1};
  for (int64_t i = 0; i < rows; i += 8)
    for (int64_t j = 0; j < columns; j += 8) {
      const double *const from = p + i * columns + j;
      double *const to = own + j * rows + i;
      const int64_t m = rows - i < 8 ? rows - i : 8, n = columns - j < 8 ? columns - j : 8;
      if (m == 8 && n == 8) {
        pb_v v[8];
        for (int k = 0; k < 8; k++) v[k] = pb_load(from + k * columns);
        pb_turn(v);
        for (int k = 0; k < 8; k++) pb_store(to + k * rows, v[k]);
      } else {
        for (int64_t k = 0; k < m; k++)
          for (int64_t l = 0; l < n; l++) to[l * rows + k] = from[k * columns + l];
      }
    }
  return (pb_matrix){own, 1, rows};
}
/* As many columns as so many vectors have: of the matrix, or a copy of so many rows, which are all. */
PB_LANES pb_matrix pb_take_columns(pb_v *own, int64_t vectors, const double *p, int64_t stride, int64_t copied) {
  if (copied == 0) return (pb_matrix){p, stride, 1};
  for (int64_t k = 0; k < copied; k++, p += stride, own += vectors)
    for (int64_t at = 0; at < vectors; at++) own[at] = pb_load(p + 8 * at);
  return (pb_matrix){(const double *)(own - copied * vectors), 8 * vectors, 1};
}

/* Functions that only numbers have, lane after lane: of a part, and of all. */
#define PB_LANES1(type, f, a) ({ \
  const __auto_type each_a = (a); \
  type each_r; \
  PB_LANE(each_l) each_r[each_l] = f(each_a[each_l]); \
  each_r; })
#define PB_LANES2(type, f, a, b) ({ \
  const __auto_type each_a = (a); \
  const __auto_type each_b = (b); \
  type each_r; \
  PB_LANE(each_l) each_r[each_l] = f(each_a[each_l], each_b[each_l]); \
  each_r; })
#if PB_PART == 8
#define PB_EACH1(type, f, a) PB_LANES1(type, f, a)
#define PB_EACH2(type, f, a, b) PB_LANES2(type, f, a, b)
#else
#define PB_EACH1(type, f, x) ({ \
  const __auto_type each_x = (x); \
  type each_r; \
  PB_LANE(each_l) each_r.a[each_l] = f(each_x.a[each_l]); \
  PB_LANE(each_l) each_r.b[each_l] = f(each_x.b[each_l]); \
  each_r; })
#define PB_EACH2(type, f, x, y) ({ \
  const __auto_type each_x = (x); \
  const __auto_type each_y = (y); \
  type each_r; \
  PB_LANE(each_l) each_r.a[each_l] = f(each_x.a[each_l], each_y.a[each_l]); \
  PB_LANE(each_l) each_r.b[each_l] = f(each_x.b[each_l], each_y.b[each_l]); \
  each_r; })
#endif

PB_INLINE pb_p pb_p_Abs(pb_p x) { return (pb_p)((pb_q)x & INT64_MAX); }
PB_INLINE pb_q pb_p_IsNan(pb_p x) { return x != x; }
PB_INLINE pb_p pb_p_Max(pb_p x, pb_p y) {
#ifdef PB_WIDE
  const pb_p larger = __builtin_ia32_rangepd512_mask(x, y, 5, (pb_p){0}, (unsigned char)-1, 4);
  return pb_p_where((x == x) & (y == y), larger, pb_p_all((double)NAN));
#else
  pb_p max = pb_p_where(x > y, x, y);
  max = pb_p_where((x == y) & (x == 0.0), x + y, max);
  return pb_p_where((x == x) & (y == y), max, pb_p_all((double)NAN));
#endif
}
PB_INLINE pb_p pb_p_Min(pb_p x, pb_p y) {
#ifdef PB_WIDE
  const pb_p smaller = __builtin_ia32_rangepd512_mask(x, y, 4, (pb_p){0}, (unsigned char)-1, 4);
  return pb_p_where((x == x) & (y == y), smaller, pb_p_all((double)NAN));
#else
  return -pb_p_Max(-x, -y);
#endif
}
PB_INLINE pb_p pb_p_Signum(pb_p x) {
  pb_p sign = pb_p_where(x > 0.0, pb_p_all(1.0), pb_p_where(x < 0.0, pb_p_all(-1.0), pb_p_all(0.0)));
  return pb_p_where(x == x, sign, pb_p_all((double)NAN));
}
PB_INLINE pb_p pb_p_Sqrt(pb_p x) {
#ifdef PB_WIDE
  return __builtin_ia32_sqrtpd512_mask(x, (pb_p){0}, (unsigned char)-1, 4);
#elif defined(PB_MIDDLE)
  return __builtin_ia32_sqrtpd256(x);
#else
  return PB_LANES1(pb_p, sqrt, x);
#endif
}
PB_INLINE pb_p pb_p_Floor(pb_p x) {
#ifdef PB_MIDDLE
  return __builtin_ia32_roundpd256(x, 9);
#else
  return PB_LANES1(pb_p, floor, x);
#endif
}
/* Remainders of the lanes whose quotients are large or no numbers. Mostly there are none. */
static PB_UNUSED __attribute__((noinline, cold)) void pb_p_rem_far(pb_p *rest, const pb_p *x, const pb_p *y, const pb_q *is_near) {
  PB_LANE(l) if (!(*is_near)[l]) (*rest)[l] = pb_rem_by_steps((*x)[l], (*y)[l]);
}
/* As `pb_rem`. */
PB_INLINE pb_p pb_p_Rem(pb_p x, pb_p y) {
#ifdef PB_FMA
  const pb_p times = pb_p_Floor(x / y);
  pb_p rest;
  PB_LANE(l) rest[l] = __builtin_fma(-times[l], y[l], x[l]);
  const pb_q is_near = (pb_p_Abs(times) < 0x1p52) & (rest == rest);
  rest += (pb_p)((pb_q)y & (rest != 0.0) & ((rest < 0.0) != (y < 0.0)));
  rest = pb_p_where(rest == 0.0, (pb_p)((pb_q)y & INT64_MIN), rest);
  if (__builtin_expect(!pb_p_every(is_near), 0)) {
    /* Copies: what has an address is kept in memory. */
    pb_p far = rest;
    const pb_p top = x, bottom = y;
    const pb_q near = is_near;
    pb_p_rem_far(&far, &top, &bottom, &near);
    rest = far;
  }
  return rest;
#else
  return PB_LANES2(pb_p, pb_rem_by_steps, x, y);
#endif
}
/* Where t is 0 the product is masked away, whatever x is. */
PB_INLINE pb_p pb_p_mul_zero(pb_p t, pb_p x) { return (pb_p)((pb_q)(t != 0.0) & (pb_q)(t * x)); }
/* The quotient as Reals give it, towards zero or one beyond: exact enough for Ints that are Reals, other than 0. */
PB_INLINE pb_q pb_near_quotient(pb_q m, pb_q n) {
  return __builtin_convertvector(__builtin_convertvector(m, pb_p) / __builtin_convertvector(n, pb_p), pb_q);
}
PB_INLINE int pb_are_reals(pb_q m, pb_q n) {
  const int64_t most = INT64_C(1) << 52;
  return pb_p_every((m >= -most) & (m <= most) & (n >= -most) & (n <= most) & (n != 0));
}
/* Lanes that are not at work may hold anything: nothing fails. */
PB_INLINE pb_q pb_p_IntDiv(pb_q m, pb_q n) {
  if (pb_are_reals(m, n)) {
    const pb_q near = pb_near_quotient(m, n), rest = m - near * n;
    return near + ((rest != 0) & ((rest < 0) != (n < 0)));
  }
  pb_q r;
  PB_LANE(l) r[l] = n[l] == 0 || n[l] == -1 ? (int64_t)(0 - (uint64_t)m[l] * (n[l] != 0))
                                            : m[l] / n[l] - (m[l] % n[l] != 0 && (m[l] < 0) != (n[l] < 0));
  return r;
}
PB_INLINE pb_q pb_p_IntRem(pb_q m, pb_q n) {
  if (pb_are_reals(m, n)) {
    const pb_q rest = m - pb_near_quotient(m, n) * n;
    return rest + ((rest != 0) & ((rest < 0) != (n < 0)) & n);
  }
  pb_q r;
  PB_LANE(l) {
    const int64_t rest = n[l] == 0 || n[l] == -1 ? 0 : m[l] % n[l];
    r[l] = rest != 0 && (rest < 0) != (n[l] < 0) ? rest + n[l] : rest;
  }
  return r;
}

/* The same of all lanes. */
PB_INLINE pb_p pb_p_to_real(pb_q w) { return __builtin_convertvector(w, pb_p); }
PB_INLINE pb_v pb_to_real(pb_w w) { return PB_MAP1(pb_v, pb_p_to_real, w); }
PB_INLINE pb_v pb_v_Abs(pb_v x) { return PB_MAP1(pb_v, pb_p_Abs, x); }
PB_INLINE pb_w pb_v_IsNan(pb_v x) { return PB_MAP1(pb_w, pb_p_IsNan, x); }
PB_INLINE pb_v pb_v_Max(pb_v x, pb_v y) { return PB_MAP2(pb_v, pb_p_Max, x, y); }
PB_INLINE pb_v pb_v_Min(pb_v x, pb_v y) { return PB_MAP2(pb_v, pb_p_Min, x, y); }
PB_INLINE pb_v pb_v_Signum(pb_v x) { return PB_MAP1(pb_v, pb_p_Signum, x); }
PB_INLINE pb_v pb_v_Sqrt(pb_v x) { return PB_MAP1(pb_v, pb_p_Sqrt, x); }
PB_INLINE pb_v pb_v_Floor(pb_v x) { return PB_MAP1(pb_v, pb_p_Floor, x); }
PB_INLINE pb_v pb_v_Rem(pb_v x, pb_v y) { return PB_MAP2(pb_v, pb_p_Rem, x, y); }
PB_INLINE pb_v pb_v_mul_zero(pb_v x, pb_v y) { return PB_MAP2(pb_v, pb_p_mul_zero, x, y); }
PB_INLINE pb_w pb_v_IntDiv(pb_w x, pb_w y) { return PB_MAP2(pb_w, pb_p_IntDiv, x, y); }
PB_INLINE pb_w pb_v_IntRem(pb_w x, pb_w y) { return PB_MAP2(pb_w, pb_p_IntRem, x, y); }
