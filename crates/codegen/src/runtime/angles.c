/* Trigonometric functions on the lanes of a part and their inverses, within 2 units in the last place. Products of which the
   rounding errors are asked for are exact, so that it is all one whether the compiler rounds a product and a sum
   once. */

static const double pb_sin_terms[7] = {
  -0x1.5555555555555p-3, 0x1.111111111111p-7, -0x1.a01a01a01992fp-13, 0x1.71de3a545f836p-19, -0x1.ae645410e937bp-26,
  0x1.61217d9252c03p-33, -0x1.ab16f5caa198ap-41};
static const double pb_cos_terms[6] = {
  0x1.5555555555555p-5, -0x1.6c16c16c16963p-10, 0x1.a01a019f4ddfdp-16, -0x1.27e4fa16cc2d1p-22, 0x1.1eeb67d026ec6p-29,
  -0x1.907cd8ff5ede7p-37};
static const double pb_atan_terms[12] = {
  -0x1.5555555555555p-2, 0x1.99999999998c5p-3, -0x1.2492492485503p-3, 0x1.c71c71bd2b8bcp-4, -0x1.745d154c84f7ap-4,
  0x1.3b1375ce5bdc6p-4, -0x1.110c9ce7b0572p-4, 0x1.e170800a4621p-5, -0x1.ab59b417b2d3fp-5, 0x1.7001816fd063fp-5,
  -0x1.0f62bba6a2558p-5, 0x1.e4167464d3de8p-7};
static const double pb_asin_terms[13] = {
  0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5, 0x1.f1c71c1db0623p-6, 0x1.6e8bb1c8209a2p-6,
  0x1.1c4d35cf95421p-6, 0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7, 0x1.52420b04b37bep-7, 0x1.65a9c4dfcf8b2p-8,
  0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7, 0x1.d72b2bc8155f8p-6};

/* Angles of at most this are x = n pi/2 + r for n of 18 bits: its products with the first two parts of pi/2 are exact. */
#define PB_NEAR 0x1p18

/* The angle that is left over, with the rest that it lacks, and in which quarter it is. */
PB_INLINE pb_p pb_quarter(pb_p x, pb_p *rest, pb_q *n) {
  const double shift = 0x1.8p52;
  pb_p shifted = x * 0x1.45f306dc9c883p-1 + shift;
  *n = (pb_q)shifted;
  pb_p whole = shifted - shift;
  pb_p first = x - whole * 0x1.921fb544p+0;
  pb_p high = first - whole * 0x1.0b4611a6p-34;
  pb_p low = whole * 0x1.3198a2e037073p-69 - ((first - high) - whole * 0x1.0b4611a6p-34);
  pb_p r = high - low;
  *rest = (high - r) - low;
  return r;
}
/* The sine and the cosine of r + rest, in two parts. */
PB_INLINE pb_p pb_near_sin(pb_p r, pb_p rest, pb_p *more) {
  pb_p z = r * r;
  *more = r * z * pb_polynomial(z, pb_sin_terms, 7) + rest * (1.0 - 0.5 * z);
  return r;
}
PB_INLINE pb_p pb_near_cos(pb_p r, pb_p rest, pb_p *more) {
  pb_p z = r * r, half = 0.5 * z, most = 1.0 - half;
  *more = ((1.0 - most) - half) + (z * z * pb_polynomial(z, pb_cos_terms, 6) - r * rest);
  return most;
}
/* Lanes whose angles are large have the C library's values, each for itself. */
static PB_UNUSED __attribute__((cold, noinline)) void pb_far(pb_p *value, const pb_p *x, double (*f)(double)) {
  PB_LANE(l) if (fabs((*x)[l]) > PB_NEAR) (*value)[l] = f((*x)[l]);
}
#define PB_IF_FAR(value, x, f) \
  if (PB_RARE(pb_p_some(pb_p_Abs(x) > PB_NEAR))) { \
    pb_p far_x = x, far_value = value; \
    pb_far(&far_value, &far_x, f); \
    value = far_value; \
  }

/* The sine and the cosine of what is left of an angle, and its quarter. */
typedef struct { pb_p sine, cosine; pb_q n; } pb_angle;
PB_INLINE pb_angle pb_angle_of(pb_p x) {
  pb_q n;
  pb_p rest, more1, more2, r = pb_quarter(x, &rest, &n);
  pb_p sine = pb_near_sin(r, rest, &more1), cosine = pb_near_cos(r, rest, &more2);
  return (pb_angle){sine + more1, cosine + more2, n};
}
/* The sine of the angle that is so many quarters further on. */
PB_INLINE pb_p pb_wave(pb_angle a, int64_t further) {
  const pb_q n = a.n + further;
  return (pb_p)((pb_q)pb_p_where((n & 1) == 0, a.sine, a.cosine) ^ ((n & 2) << 62));
}
PB_INLINE pb_p pb_sin_of(pb_p x, pb_angle a) {
  pb_p value = pb_p_where(x == 0.0, x, pb_wave(a, 0));
  PB_IF_FAR(value, x, sin)
  return value;
}
PB_INLINE pb_p pb_cos_of(pb_p x, pb_angle a) {
  pb_p value = pb_wave(a, 1);
  PB_IF_FAR(value, x, cos)
  return value;
}
PB_MATHS pb_p pb_p_Sin(pb_p x) { return pb_sin_of(x, pb_angle_of(x)); }
PB_MATHS pb_p pb_p_Cos(pb_p x) { return pb_cos_of(x, pb_angle_of(x)); }
PB_MATHS void pb_p_SinCos(pb_p x, pb_p *sin, pb_p *cos) {
  const pb_angle a = pb_angle_of(x);
  *sin = pb_sin_of(x, a);
  *cos = pb_cos_of(x, a);
}
PB_MATHS pb_p pb_p_Tan(pb_p x) {
  pb_q n;
  pb_p rest, more1, more2, r = pb_quarter(x, &rest, &n);
  pb_p sine = pb_near_sin(r, rest, &more1), cosine = pb_near_cos(r, rest, &more2);
  pb_q is_even = (n & 1) == 0;
  pb_p top = pb_p_where(is_even, sine, -cosine), top_more = pb_p_where(is_even, more1, -more2);
  pb_p bottom = pb_p_where(is_even, cosine, sine), bottom_more = pb_p_where(is_even, more2, more1);
  pb_p value = pb_p_where(pb_p_Abs(x) < 0x1p-500, x, pb_ratio(top, top_more, bottom, bottom_more));
  PB_IF_FAR(value, x, tan)
  return value;
}

/* |x| is turned back by one of five angles, atan c: t = (|x| - c) / (1 + c |x|), or -1 / |x|, is at most 7/16. */
PB_MATHS pb_p pb_p_Atan(pb_p x) {
  pb_p a = pb_p_Abs(x), c = pb_p_all(0.0), one = pb_p_all(1.0), scale = one, high = c, low = c;
#define PB_FROM(bound, of_c, of_one, of_scale, of_high, of_low) { \
    pb_q is_above = a >= bound; \
    c = pb_p_where(is_above, pb_p_all(of_c), c); \
    one = pb_p_where(is_above, pb_p_all(of_one), one); \
    scale = pb_p_where(is_above, pb_p_all(of_scale), scale); \
    high = pb_p_where(is_above, pb_p_all(of_high), high); \
    low = pb_p_where(is_above, pb_p_all(of_low), low); \
  }
  PB_FROM(0.4375, 0.5, 1.0, 1.0, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56)
  PB_FROM(0.6875, 1.0, 1.0, 1.0, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55)
  PB_FROM(1.1875, 1.5, 1.0, 1.0, 0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56)
  PB_FROM(2.4375, 1.0, 0.0, 0.0, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54)
#undef PB_FROM
  pb_q is_huge = a > 0x1p60;
  pb_p top = pb_p_where(is_huge, pb_p_all(0.0), a * scale - c), bottom = pb_p_where(is_huge, pb_p_all(1.0), one + c * a);
  pb_p t = top / bottom, z = t * t;
  pb_p value = high + (t + (t * z * pb_polynomial(z, pb_atan_terms, 12) + low));
  value = (pb_p)((pb_q)value | ((pb_q)x & INT64_MIN));
  return pb_p_where(x == x, value, x);
}

/* asin a = a + a^3 p(a^2), up to a half. Beyond, half the angle from 1 has the sine s = sqrt((1 - a) / 2), and s + rest
   is exact enough. */
PB_INLINE pb_p pb_arc(pb_p a, pb_q is_beyond, pb_p *rest) {
  pb_p z = pb_p_where(is_beyond, 0.5 * (1.0 - a), a * a);
  pb_p s = pb_p_where(is_beyond, pb_p_Sqrt(z), a), high = pb_high(s);
  pb_p lost = pb_p_where(is_beyond & (s > 0.0), (z - high * high) / (s + high), s - high);
  *rest = (lost - (s - high)) + s * z * pb_polynomial(z, pb_asin_terms, 13);
  return s;
}
PB_MATHS pb_p pb_p_Asin(pb_p x) {
  pb_p a = pb_p_Abs(x), rest;
  pb_q is_beyond = a > 0.5;
  pb_p s = pb_arc(a, is_beyond, &rest);
  const double quarter = 0x1.921fb54442d18p+0;
  pb_p twice = 2.0 * s, turned = quarter - twice;
  pb_p beyond = turned + (((quarter - turned) - twice) + (0x1.1a62633145c07p-54 - 2.0 * rest));
  pb_p value = pb_p_where(is_beyond, beyond, s + rest);
  return (pb_p)((pb_q)value | ((pb_q)x & INT64_MIN));
}
PB_MATHS pb_p pb_p_Acos(pb_p x) {
  pb_p a = pb_p_Abs(x), rest;
  pb_q is_beyond = a > 0.5, is_negative = x < 0.0;
  pb_p s = pb_arc(a, is_beyond, &rest);
  /* Up to a half pi/2 -+ arc; beyond 2 arc, or pi - 2 arc. */
  s = pb_p_where(is_beyond, 2.0 * s, s), rest = pb_p_where(is_beyond, 2.0 * rest, rest);
  pb_p base = pb_p_where(is_beyond, pb_p_where(is_negative, pb_p_all(0x1.921fb54442d18p+1), pb_p_all(0.0)),
                       pb_p_all(0x1.921fb54442d18p+0));
  pb_p lack = base * (0x1.1a62633145c07p-54 * 0x1.45f306dc9c883p-1);
  pb_q is_added = is_beyond ^ is_negative;
  s = pb_p_where(is_added, s, -s), rest = pb_p_where(is_added, rest, -rest);
  pb_p sum = base + s;
  return sum + (((base - sum) + s) + (rest + lack));
}

PB_INLINE pb_v pb_v_Sin(pb_v x) { return PB_MAP1(pb_v, pb_p_Sin, x); }
PB_INLINE pb_v pb_v_Cos(pb_v x) { return PB_MAP1(pb_v, pb_p_Cos, x); }
PB_INLINE void pb_v_SinCos(pb_v x, pb_v *sin, pb_v *cos) { PB_BOTH(pb_p_SinCos, x, sin, cos); }
PB_INLINE pb_v pb_v_Tan(pb_v x) { return PB_MAP1(pb_v, pb_p_Tan, x); }
PB_INLINE pb_v pb_v_Atan(pb_v x) { return PB_MAP1(pb_v, pb_p_Atan, x); }
PB_INLINE pb_v pb_v_Asin(pb_v x) { return PB_MAP1(pb_v, pb_p_Asin, x); }
PB_INLINE pb_v pb_v_Acos(pb_v x) { return PB_MAP1(pb_v, pb_p_Acos, x); }
