/* The gradient of the mixture model of gmm.pull, from C. README.md says how to build and run this. */
#include <stdio.h>

#include "gmm.h"

static const double points[10][2] = {
    {1.215408162057621, -1.2955735712157117},  {0.8203896032126184, 0.8674399791734169},
    {0.45094682107320144, 0.6885456552696072}, {-0.2186590323746389, 0.7680179875306749},
    {-0.03197944031292938, -1.189500661764833}, {0.4548605276626972, 0.5843511655939126},
    {0.7726779404226064, -0.6405889536481759}, {0.7584684910855557, 0.4779235743831309},
    {-0.24374951932134234, 1.0404954078766635}, {1.1920716759875507, 0.5698348147186554}};
static const double alpha[3] = {0.8350889473912342, -0.11873434383811736, -0.8947930344732505};
static const double mu[3][2] = {{0.8170778941720209, 0.12707521396310117},
                                {0.13281648573544758, 0.6682155662485031},
                                {0.9890143859406291, 0.029135320517456487}};
static const double q[3][2] = {{0.7385500543861896, 0.6142932075583741},
                               {-1.126683439436548, 0.926972690285982},
                               {1.7169665299648238, -1.3058335222461686}};
static const double l[3][1] = {{0.11127581921667648}, {-0.28531257790983333}, {-0.5615361067540255}};

static void print_vector(const double *data, int64_t size) {
  printf("[");
  for (int64_t i = 0; i < size; i++) printf("%s%.17g", i ? ", " : "", data[i]);
  printf("]");
}

static void print_matrix(const char *name, gmm_reals_2 matrix) {
  printf(", \"%s\": [", name);
  for (int64_t i = 0; i < matrix.size[0]; i++) {
    if (i) printf(", ");
    print_vector(matrix.data + i * matrix.size[1], matrix.size[1]);
  }
  printf("]");
}

int main(void) {
  gmm_context *context = gmm_open();
  if (!context) {
    fprintf(stderr, "no memory\n");
    return 1;
  }
  const gmm_reals_2 x = {&points[0][0], {10, 2}};
  const gmm_reals_1 weights = {alpha, {3}};
  const gmm_reals_2 means = {&mu[0][0], {3, 2}}, diagonals = {&q[0][0], {3, 2}}, below = {&l[0][0], {3, 1}};
  double value;
  gmm_reals_1 alpha_bar;
  gmm_reals_2 mu_bar, q_bar, l_bar;
  int status = gmm_objective_grad(context, 2, 3, 10, x, 0, 1.0, weights, means, diagonals, below, &value, &alpha_bar,
                                  &mu_bar, &q_bar, &l_bar);
  if (status != 0) {
    fprintf(stderr, "%s\n", gmm_message(context));
    gmm_close(context);
    return 1;
  }
  printf("{\"value\": %.17g, \"gradient\": {\"alpha\": ", value);
  print_vector(alpha_bar.data, alpha_bar.size[0]);
  print_matrix("mu", mu_bar);
  print_matrix("q", q_bar);
  print_matrix("l", l_bar);
  printf("}}\n");
  gmm_close(context);
  return 0;
}
