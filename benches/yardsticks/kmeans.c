/* The cost of k centroids for n points in d dimensions, as in examples/gradbench/kmeans.pull: `kmeans n k d`. The
   derivative is the Newton direction, a gradient and its tangent. */
#include "bench.h"
#include "kmeans.h"

static double cost(int n, int k, int d, const double *points, const double *centroids) {
  double total = 0;
  for (int i = 0; i < n; i++) {
    double least = INFINITY;
    for (int j = 0; j < k; j++) {
      double distance = 0;
      for (int c = 0; c < d; c++) {
        double difference = points[i * d + c] - centroids[j * d + c];
        distance += difference * difference;
      }
      if (distance < least) least = distance;
    }
    total += least;
  }
  return total;
}

int main(int count, char **words) {
  if (count != 4) return 2;
  int n = atoi(words[1]), k = atoi(words[2]), d = atoi(words[3]);
  double *points = uniforms((size_t)n * d, 0, 1), *centroids = uniforms((size_t)k * d, 0, 1);
  double yardstick, ours, derivative, theirs = 0, value = 0;
  MEDIAN(yardstick, theirs = cost(n, k, d, points, centroids));
  kmeans_context *context = kmeans_open();
  kmeans_reals_2 p = {points, {n, d}}, c = {centroids, {k, d}}, direction;
  MEDIAN(ours, DO(kmeans_cost(context, p, c, &value)));
  agree("kmeans", value, theirs);
  MEDIAN(derivative, DO(kmeans_dir(context, p, c, &direction)));
  report(yardstick, ours, derivative);
  kmeans_close(context);
  return 0;
}
