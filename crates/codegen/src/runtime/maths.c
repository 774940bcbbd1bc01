/* Functions on the lanes of a part, within 2 units in the last place. */

/* A polynomial by its terms, the constant first. */
PB_INLINE pb_p pb_polynomial(pb_p x, const double *terms, int count) {
  pb_p p = pb_p_all(terms[count - 1]);
#pragma GCC unroll 16
  for (int k = count - 2; k >= 0; k--) p = p * x + terms[k];
  return p;
}
/* The first 26 bits: products of two such are exact. */
PB_INLINE pb_p pb_high(pb_p x) { return (pb_p)((pb_q)x & ~INT64_C(0x7ffffff)); }

/* A sum, and what it lacks. */
PB_INLINE pb_p pb_exact_sum(pb_p a, pb_p b, pb_p *lack) {
  pb_p sum = a + b, part = sum - a;
  *lack = (a - (sum - part)) + (b - part);
  return sum;
}
/* The quotient of two numbers that each have a rest, rounded hardly more than once. */
PB_INLINE pb_p pb_ratio(pb_p top, pb_p top_rest, pb_p bottom, pb_p bottom_rest) {
  pb_p inverse = 1.0 / (bottom + bottom_rest), high = pb_high((top + top_rest) * inverse), first = pb_high(bottom);
  pb_p left = ((top - high * first) - high * (bottom - first)) + (top_rest - high * bottom_rest);
  return high + left * inverse;
}

/* 2^n for n from -1022 to 1023. */
PB_INLINE pb_p pb_power_of_two(pb_q n) { return (pb_p)((n + 1023) << 52); }

/* x = n log 2 + r with |r| at most log 2 / 2; the power series of (exp r - 1 - r) / r^2. */
PB_INLINE pb_p pb_reduced(pb_p x, pb_q *n) {
  const double shift = 0x1.8p52;
  pb_p shifted = x * 0x1.71547652b82fep+0 + shift;
  *n = (pb_q)shifted - (pb_q)pb_p_all(shift);
  pb_p whole = shifted - shift;
  return (x - whole * 0x1.62e42fefa0000p-1) - whole * 0x1.cf79abc9e3b3ap-40;
}
PB_INLINE pb_p pb_series(pb_p r) {
  pb_p p = pb_p_all(1.0 / 6227020800.0);
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  return p * r + 0.5;
}
PB_MATHS pb_p pb_p_Exp(pb_p x) {
  x = pb_p_where(x > 710.0, pb_p_all(710.0), x);
  x = pb_p_where(x < -750.0, pb_p_all(-750.0), x);
  pb_q n;
  pb_p r = pb_reduced(x, &n);
  pb_p value = 1.0 + (r + r * r * pb_series(r));
  pb_q half = n >> 1;
  return value * pb_power_of_two(half) * pb_power_of_two(n - half);
}
/* x = 2^k m with m between sqrt 1/2 and sqrt 2. */
PB_INLINE pb_p pb_mantissa(pb_p x, pb_p *k) {
  pb_q is_tiny = x < 0x1p-1022;
  pb_q bits = (pb_q)pb_p_where(is_tiny, x * 0x1p54, x);
  pb_q e = ((bits - INT64_C(0x3fe6a09e667f3bcd)) >> 52);
  *k = __builtin_convertvector(e - (is_tiny & 54), pb_p);
  return (pb_p)(bits - (e << 52));
}
/* log x + more. 2 atanh s = log m for s = (m - 1) / (m + 1). */
PB_INLINE pb_p pb_log_of(pb_p x, pb_p more) {
  pb_p k, m = pb_mantissa(x, &k);
  pb_p f = m - 1.0, s = f / (2.0 + f), z = s * s;
  pb_p p = pb_p_all(2.0 / 23.0);
  p = p * z + 2.0 / 21.0;
  p = p * z + 2.0 / 19.0;
  p = p * z + 2.0 / 17.0;
  p = p * z + 2.0 / 15.0;
  p = p * z + 2.0 / 13.0;
  p = p * z + 2.0 / 11.0;
  p = p * z + 2.0 / 9.0;
  p = p * z + 2.0 / 7.0;
  p = p * z + 2.0 / 5.0;
  p = p * z + 2.0 / 3.0;
  p = p * z;
  /* log m = f - f^2/2 + s (f^2/2 + p), of which f is exact. */
  pb_p square = 0.5 * f * f;
  return k * 0x1.62e42fefa0000p-1 - ((square - (s * (square + p) + (k * 0x1.cf79abc9e3b3ap-40 + more))) - f);
}
PB_MATHS pb_p pb_p_Log(pb_p x) {
  pb_p value = pb_log_of(x, pb_p_all(-0.0));
  value = pb_p_where(x == 0.0, pb_p_all(-(double)INFINITY), value);
  value = pb_p_where(x == (double)INFINITY, x, value);
  return pb_p_where(x >= 0.0, value, pb_p_all((double)NAN));
}
/* exp r - 1 = r + rest for what is left of x, and how often log 2 is in x. */
PB_INLINE pb_p pb_reduced_more(pb_p x, pb_p more, pb_p *rest, pb_q *n) {
  const double shift = 0x1.8p52;
  pb_p shifted = x * 0x1.71547652b82fep+0 + shift;
  *n = (pb_q)shifted - (pb_q)pb_p_all(shift);
  pb_p whole = shifted - shift;
  pb_p high = x - whole * 0x1.62e42fefa0000p-1, low = more - whole * 0x1.cf79abc9e3b3ap-40;
  pb_p r = high + low;
  *rest = (low - (r - high)) + r * r * pb_series(r);
  return r;
}
/* Half of exp x - 1 and a rest, which is finite wherever that is, for x of at least 2^-54 and at most 710. */
PB_INLINE pb_p pb_half_expm1(pb_p x, pb_p *rest) {
  pb_q n;
  pb_p more, r = pb_reduced_more(x, pb_p_all(-0.0), &more, &n);
  pb_p scale = pb_power_of_two(n - 1), less = scale - 0.5, high = scale * r, sum = less + high;
  *rest = ((less - sum) + high) + scale * more;
  return sum;
}
PB_MATHS pb_p pb_p_Expm1(pb_p x) {
  pb_p y = pb_p_where(x > 710.0, pb_p_all(710.0), x), rest;
  y = pb_p_where(y < -40.0, pb_p_all(-40.0), y);
  pb_p half = pb_half_expm1(y, &rest);
  return pb_p_where(pb_p_Abs(x) < 0x1p-54, x, 2.0 * (half + rest));
}
/* tanh a for a of at least 2^-54, and half of exp 2a + 1 with its rest: up to a = 22, from where tanh a is 1. */
PB_INLINE pb_p pb_tanh_of(pb_p a, pb_p *more, pb_p *more_rest) {
  pb_p rest, lack;
  pb_p half = pb_half_expm1(pb_p_where(a > 22.0, pb_p_all(44.0), 2.0 * a), &rest);
  *more = pb_exact_sum(half, pb_p_all(1.0), &lack);
  *more_rest = lack + rest;
  return pb_ratio(half, rest, *more, *more_rest);
}
/* tanh x from tanh a for a = |x|. */
PB_INLINE pb_p pb_signed_tanh(pb_p x, pb_p a, pb_p value) {
  return pb_p_where(a >= 0x1p-54, (pb_p)((pb_q)value | ((pb_q)x & INT64_MIN)), x);
}
PB_MATHS pb_p pb_p_Tanh(pb_p x) {
  pb_p a = pb_p_Abs(x), more, rest, value = pb_tanh_of(a, &more, &rest);
  return pb_signed_tanh(x, a, value);
}
/* The square of the hyperbolic secant where a is above 22: 4 exp -2a. */
PB_CALLED pb_p pb_far_sech2(pb_p a, pb_p value) {
  pb_p y = pb_p_where(a > 400.0, pb_p_all(800.0), 2.0 * a);
  return pb_p_where(a > 22.0, 0x1.39792499b1a24p-56 * pb_p_Exp(40.0 - y), value);
}
/* (1 - tanh a) (1 + tanh a): next to tanh a it takes little. */
PB_INLINE pb_p pb_sech2_of(pb_p a, pb_p tanh, pb_p more, pb_p rest) {
  pb_p inverse = pb_ratio(pb_p_all(1.0), pb_p_all(0.0), more, rest), value = inverse + inverse * tanh;
  return PB_RARE(pb_p_some(a > 22.0)) ? pb_far_sech2(a, value) : value;
}
PB_MATHS pb_p pb_p_Sech2(pb_p x) {
  pb_p a = pb_p_Abs(x), more, rest, value = pb_tanh_of(a, &more, &rest);
  return pb_sech2_of(a, value, more, rest);
}
PB_MATHS void pb_p_TanhSech2(pb_p x, pb_p *tanh, pb_p *sech2) {
  pb_p a = pb_p_Abs(x), more, rest, value = pb_tanh_of(a, &more, &rest);
  *sech2 = pb_sech2_of(a, value, more, rest);
  *tanh = pb_signed_tanh(x, a, value);
}
PB_MATHS pb_p pb_p_Sigmoid(pb_p x) {
  pb_p e = pb_p_Exp(-pb_p_Abs(x)), zero = pb_p_all(0.0), more = 1.0 + e;
  return pb_ratio(pb_p_where(x < 0.0, e, pb_p_all(1.0)), zero, more, (1.0 - more) + e);
}

PB_INLINE pb_v pb_v_Exp(pb_v x) { return PB_MAP1(pb_v, pb_p_Exp, x); }
PB_INLINE pb_v pb_v_Log(pb_v x) { return PB_MAP1(pb_v, pb_p_Log, x); }
PB_INLINE pb_v pb_v_Expm1(pb_v x) { return PB_MAP1(pb_v, pb_p_Expm1, x); }
PB_INLINE pb_v pb_v_Tanh(pb_v x) { return PB_MAP1(pb_v, pb_p_Tanh, x); }
PB_INLINE pb_v pb_v_Sech2(pb_v x) { return PB_MAP1(pb_v, pb_p_Sech2, x); }
PB_INLINE void pb_v_TanhSech2(pb_v x, pb_v *tanh, pb_v *sech2) { PB_BOTH(pb_p_TanhSech2, x, tanh, sech2); }
PB_INLINE pb_v pb_v_Sigmoid(pb_v x) { return PB_MAP1(pb_v, pb_p_Sigmoid, x); }
