/* The residuals of bundle adjustment, as in examples/gradbench/ba.pull: `ba n m p`, for n cameras, m points and p
   observations. The derivative is the sparse Jacobian. */
#include "ba.h"
#include "bench.h"

static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static void residual(const double *cam, const double *x, double w, const double *feat, double *out) {
  double v[3], axis[3], across[3], seen[3], squared = 0;
  for (int i = 0; i < 3; i++) {
    v[i] = x[i] - cam[3 + i];
    squared += cam[i] * cam[i];
  }
  if (squared == 0) {
    cross(cam, v, across);
    for (int i = 0; i < 3; i++) seen[i] = v[i] + across[i];
  } else {
    double angle = sqrt(squared), along = 0;
    for (int i = 0; i < 3; i++) {
      axis[i] = cam[i] / angle;
      along += axis[i] * v[i];
    }
    cross(axis, v, across);
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++) seen[i] = c * v[i] + s * across[i] + along * (1 - c) * axis[i];
  }
  double a = seen[0] / seen[2], b = seen[1] / seen[2], r2 = a * a + b * b;
  double distortion = 1 + cam[9] * r2 + cam[10] * r2 * r2;
  out[0] = w * (cam[6] * distortion * a + cam[7] - feat[0]);
  out[1] = w * (cam[6] * distortion * b + cam[8] - feat[1]);
}

static void residuals(int n, int m, int p, const double *cams, const double *xs, const double *ws, const double *feats,
                      double *errors, double *weights) {
  for (int i = 0; i < p; i++) {
    residual(cams + i % n * 11, xs + i % m * 3, ws[i], feats + 2 * i, errors + 2 * i);
    weights[i] = 1 - ws[i] * ws[i];
  }
}

int main(int count, char **words) {
  if (count != 4) return 2;
  int n = atoi(words[1]), m = atoi(words[2]), p = atoi(words[3]);
  double *cams = uniforms((size_t)n * 11, 0.1, 1), *xs = uniforms((size_t)m * 3, 2, 3);
  double *ws = uniforms((size_t)p, 0, 1), *feats = uniforms((size_t)p * 2, -1, 1);
  double *errors = uniforms((size_t)p * 2, 0, 0), *weights = uniforms((size_t)p, 0, 0), yardstick, ours, derivative;
  MEDIAN(yardstick, residuals(n, m, p, cams, xs, ws, feats, errors, weights));
  ba_context *context = ba_open();
  ba_reals_2 c = {cams, {n, 11}}, x = {xs, {m, 3}}, f = {feats, {p, 2}}, e;
  ba_reals_1 w = {ws, {p}}, v, values;
  ba_ints_1 rows, columns;
  MEDIAN(ours, DO(ba_residuals(context, c, x, w, f, &e, &v)));
  for (int i = 0; i < p; i++) agree("ba", e.data[2 * i + 1], errors[2 * i + 1]), agree("ba", v.data[i], weights[i]);
  MEDIAN(derivative, DO(ba_jacobian_rows(context, c, x, w, f, &rows, &columns, &values)));
  report(yardstick, ours, derivative);
  ba_close(context);
  return 0;
}
