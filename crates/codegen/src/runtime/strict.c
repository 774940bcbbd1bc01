/* Where bits are to be the evaluator's, the functions are: whoever loads this puts them here. Other libraries round in
   their own way, and so does a compiler that computes what it knows the arguments of. */
static double pb_lgamma_here(double x) {
  int sign;
  return lgamma_r(x, &sign);
}
typedef struct {
  double (*exp)(double);
  double (*expm1)(double);
  double (*log)(double);
  double (*log1p)(double);
  double (*cbrt)(double);
  double (*sin)(double);
  double (*cos)(double);
  double (*tan)(double);
  double (*asin)(double);
  double (*acos)(double);
  double (*atan)(double);
  double (*sinh)(double);
  double (*cosh)(double);
  double (*tanh)(double);
  double (*asinh)(double);
  double (*acosh)(double);
  double (*atanh)(double);
  double (*erf)(double);
  double (*erfc)(double);
  double (*lgamma)(double);
  double (*pow)(double, double);
  double (*atan2)(double, double);
  double (*hypot)(double, double);
} pb_maths;
#ifdef PB_BESIDE
extern __attribute__((visibility("default"))) pb_maths pb_functions;
#else
/* A library's are those of C, and nobody sees them. What never changes would be computed by the compiler. */
#ifdef PB_LIBRARY
static volatile pb_maths pb_functions
#else
__attribute__((visibility("default"))) pb_maths pb_functions
#endif
  = {
    exp, expm1, log, log1p, cbrt, sin, cos, tan, asin, acos, atan, sinh,
    cosh, tanh, asinh, acosh, atanh, erf, erfc, pb_lgamma_here, pow, atan2, hypot};
#endif
#define exp(x) pb_functions.exp(x)
#define expm1(x) pb_functions.expm1(x)
#define log(x) pb_functions.log(x)
#define log1p(x) pb_functions.log1p(x)
#define cbrt(x) pb_functions.cbrt(x)
#define sin(x) pb_functions.sin(x)
#define cos(x) pb_functions.cos(x)
#define tan(x) pb_functions.tan(x)
#define asin(x) pb_functions.asin(x)
#define acos(x) pb_functions.acos(x)
#define atan(x) pb_functions.atan(x)
#define sinh(x) pb_functions.sinh(x)
#define cosh(x) pb_functions.cosh(x)
#define tanh(x) pb_functions.tanh(x)
#define asinh(x) pb_functions.asinh(x)
#define acosh(x) pb_functions.acosh(x)
#define atanh(x) pb_functions.atanh(x)
#define erf(x) pb_functions.erf(x)
#define erfc(x) pb_functions.erfc(x)
#define pow(x, y) pb_functions.pow(x, y)
#define atan2(x, y) pb_functions.atan2(x, y)
#define hypot(x, y) pb_functions.hypot(x, y)
