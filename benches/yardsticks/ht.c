/* The residuals of hand tracking, as in examples/gradbench/ht.pull: `ht b v n us`, for b bones, v points of the skin, n
   observations, of corners of the skin (`us` is 0) or inside its triangles (1). The derivative is the Jacobian. */
#include "bench.h"
#include "ht.h"

#define ANGLES 26

typedef struct {
  int bones, points;
  const int64_t *parents, *triangles;
  const double *relatives, *inverses, *positions, *weights;
} hand;

/* The upper three rows of transforms are kept: the last is 0, 0, 0, 1. */
static void product(const double *a, const double *b, double *c) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) {
      double sum = j == 3 ? a[4 * i + 3] : 0;
      for (int k = 0; k < 3; k++) sum += a[4 * i + k] * b[4 * k + j];
      c[4 * i + j] = sum;
    }
}

static void turned(double x, double y, double z, double *out) {
  double sx = sin(x), cx = cos(x), sy = sin(y), cy = cos(y), sz = sin(z), cz = cos(z);
  const double turn[12] = {cy * cz, sx * sy * cz - cx * sz, sx * sz + cx * sy * cz, 0,
                           cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz, 0,
                           -sy,     sx * cy,                cx * cy,                0};
  memcpy(out, turn, sizeof turn);
}

static void rotation(const double *r, double *out) {
  double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  if (angle < 0.0001) {
    for (int i = 0; i < 9; i++) out[i] = i % 4 == 0;
    return;
  }
  double x = r[0] / angle, y = r[1] / angle, z = r[2] / angle, s = sin(angle), c = cos(angle);
  const double turn[9] = {x * x + (1 - x * x) * c,     x * y * (1 - c) - z * s, x * z * (1 - c) + y * s,
                          x * y * (1 - c) + z * s, y * y + (1 - y * y) * c,     y * z * (1 - c) - x * s,
                          x * z * (1 - c) - y * s, z * y * (1 - c) + x * s, z * z + (1 - z * z) * c};
  memcpy(out, turn, sizeof turn);
}

static void transform(const hand *h, const double *theta, int bone, double *absolutes, double *out) {
  double turn[12], relative[12];
  int at = (bone - 1) % 4, first = 6 + 4 * ((bone - 1) / 4);
  if (bone == 0 || bone > 20 || at == 0) turned(0, 0, 0, turn);
  else if (at == 1) turned(theta[first], 0, theta[first + 1], turn);
  else turned(theta[first + at], 0, 0, turn);
  product(h->relatives + 16 * bone, turn, relative);
  double *absolute = absolutes + 12 * bone;
  if (h->parents[bone] == -1) memcpy(absolute, relative, sizeof relative);
  else product(absolutes + 12 * h->parents[bone], relative, absolute);
  product(absolute, h->inverses + 16 * bone, out);
}

/* Where the points of the skin are, and the differences to what was seen. */
static void objective(const hand *h, const double *theta, int n, const int64_t *seen, const double *points,
                      const double *us, double *absolutes, double *transforms, double *skin, double *out) {
  double turn[9];
  for (int bone = 0; bone < h->bones; bone++) transform(h, theta, bone, absolutes, transforms + 12 * bone);
  rotation(theta, turn);
  for (int p = 0; p < h->points; p++) {
    const double *x = h->positions + 4 * p, *weights = h->weights + p * h->bones;
    double moved[3] = {0, 0, 0};
    for (int bone = 0; bone < h->bones; bone++) {
      const double *t = transforms + 12 * bone;
      for (int r = 0; r < 3; r++)
        moved[r] += weights[bone] * (t[4 * r] * x[0] + t[4 * r + 1] * x[1] + t[4 * r + 2] * x[2] + t[4 * r + 3] * x[3]);
    }
    for (int r = 0; r < 3; r++)
      skin[3 * p + r] = turn[3 * r] * moved[0] + turn[3 * r + 1] * moved[1] + turn[3 * r + 2] * moved[2] + theta[3 + r];
  }
  for (int i = 0; i < n; i++)
    for (int r = 0; r < 3; r++) {
      double at = skin[3 * seen[i] + r];
      if (us) {
        const int64_t *corners = h->triangles + 3 * seen[i];
        double u = us[2 * i], v = us[2 * i + 1];
        at = u * skin[3 * corners[0] + r] + v * skin[3 * corners[1] + r] + (1 - u - v) * skin[3 * corners[2] + r];
      }
      out[3 * i + r] = points[3 * i + r] - at;
    }
}

/* Transforms with a last row 0, 0, 0, 1. */
static double *transforms_of(int count) {
  double *all = uniforms((size_t)count * 16, -0.5, 0.5);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < 4; j++) all[16 * i + 12 + j] = j == 3;
  return all;
}

static int64_t *below(size_t count, int limit) {
  int64_t *numbers = malloc(count * sizeof *numbers);
  if (!numbers) exit(1);
  for (size_t i = 0; i < count; i++) numbers[i] = (int64_t)(uniform() * limit);
  return numbers;
}

int main(int count, char **words) {
  if (count != 5) return 2;
  int b = atoi(words[1]), v = atoi(words[2]), n = atoi(words[3]), inside = atoi(words[4]), t = 2 * v;
  int64_t *parents = below((size_t)b, 1), *triangles = below((size_t)t * 3, v), *seen = below((size_t)n, inside ? t : v);
  /* Fingers of four bones each, from the wrist. */
  for (int i = 0; i < b; i++) parents[i] = i == 0 ? -1 : (i - 1) % 4 == 0 ? 0 : i - 1;
  double *theta = uniforms(ANGLES, -1, 1), *points = uniforms((size_t)n * 3, -1, 1);
  double *us = inside ? uniforms((size_t)n * 2, 0, 0.5) : 0;
  hand h = {b, v, parents, triangles, transforms_of(b), transforms_of(b), 0, uniforms((size_t)v * b, 0, 0.1)};
  double *positions = uniforms((size_t)v * 4, -1, 1), *out = uniforms((size_t)n * 3, 0, 0);
  for (int i = 0; i < v; i++) positions[4 * i + 3] = 1;
  h.positions = positions;
  double *absolutes = uniforms((size_t)b * 12, 0, 0), *transforms = uniforms((size_t)b * 12, 0, 0);
  double *skin = uniforms((size_t)v * 3, 0, 0), yardstick, ours, derivative;
  MEDIAN(yardstick, objective(&h, theta, n, seen, points, us, absolutes, transforms, skin, out));
  ht_context *context = ht_open();
  ht_reals_1 angles = {theta, {ANGLES}}, value;
  ht_ints_1 of = {parents, {b}}, at = {seen, {n}};
  ht_ints_2 corners = {triangles, {t, 3}};
  ht_reals_3 relatives = {h.relatives, {b, 4, 4}}, inverses = {h.inverses, {b, 4, 4}};
  ht_reals_2 base = {positions, {v, 4}}, weights = {h.weights, {v, b}}, targets = {points, {n, 3}};
  ht_reals_2 inner = {us, {inside ? n : 0, 2}}, jacobian;
  MEDIAN(ours, DO(ht_objective(context, angles, of, relatives, inverses, base, weights, corners, at, targets, inner, &value)));
  for (int i = 0; i < 3 * n; i++) agree("ht", value.data[i], out[i]);
  MEDIAN(derivative, DO(ht_jacobian_matrix(context, angles, of, relatives, inverses, base, weights, corners, at, targets,
                                           inner, &jacobian)));
  report(yardstick, ours, derivative);
  ht_close(context);
  return 0;
}
