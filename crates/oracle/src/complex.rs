//! Complex numbers for the complex-step derivative: `f (x + i h) = f x + i h f' x + O (h^2)`.
//!
//! Every real function is continued analytically by formulas that keep a tiny imaginary part exact
//! (Kahan's for the inverse functions), so `h` may be 1e-100 and nothing cancels. Outside the real
//! domain the result is NaN, as the real function's. Kinks follow the language's conventions: a tie
//! of `max` takes the mean, `abs` at zero and `hypot 0 0` are flat.

use crate::scalar::{Binary, Scalar, Unary, square_and_multiply};
use crate::special::{self, Series};
use crate::{Error, ErrorKind};

/// A complex number whose imaginary part is tiny.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

const NAN: Complex = Complex { re: f64::NAN, im: f64::NAN };

fn c(re: f64, im: f64) -> Complex {
    Complex { re, im }
}

impl Complex {
    fn neg(self) -> Self {
        c(-self.re, -self.im)
    }
    fn times(self, other: Self) -> Self {
        // A constant has a structurally zero imaginary part, which no infinity may turn into NaN.
        let cross = |a: f64, b: f64| if b == 0.0 { 0.0 } else { a * b };
        let im = cross(self.re, other.im) + cross(other.re, self.im);
        c(self.re * other.re - self.im * other.im, im)
    }
    fn over(self, other: Self) -> Self {
        if other.im == 0.0 {
            return c(self.re / other.re, if self.im == 0.0 { 0.0 } else { self.im / other.re });
        }
        // The quotient of imaginary to real part is tiny: Smith's formula without the other case.
        let ratio = other.im / other.re;
        let whole = other.re + other.im * ratio;
        c((self.re + self.im * ratio) / whole, (self.im - self.re * ratio) / whole)
    }
    fn exp(self) -> Self {
        let size = self.re.exp();
        c(size * self.im.cos(), if self.im == 0.0 { 0.0 } else { size * self.im.sin() })
    }
    fn ln(self) -> Self {
        if self.re < 0.0 {
            return NAN;
        }
        c(self.re.hypot(self.im).ln(), self.im.atan2(self.re))
    }
    /// The principal root of any complex number.
    fn root(self) -> Self {
        if self.im == 0.0 && self.re >= 0.0 {
            return c(self.re.sqrt(), 0.0);
        }
        let half = ((self.re.abs() + self.re.hypot(self.im)) * 0.5).sqrt();
        if self.re >= 0.0 {
            c(half, 0.5 * self.im / half)
        } else {
            c(0.5 * self.im.abs() / half, half.copysign(self.im))
        }
    }
    fn sqrt(self) -> Self {
        if self.re < 0.0 { NAN } else { self.root() }
    }
    fn cbrt(self) -> Self {
        if self.re < 0.0 {
            return self.neg().cbrt().neg();
        }
        let size = self.re.hypot(self.im).cbrt();
        let angle = self.im.atan2(self.re) / 3.0;
        c(size * angle.cos(), size * angle.sin())
    }
    fn asin(self) -> Self {
        if self.re.abs() > 1.0 {
            return NAN;
        }
        self.asin_anywhere()
    }
    fn asin_anywhere(self) -> Self {
        let low = c(1.0 - self.re, -self.im).root();
        let high = c(1.0 + self.re, self.im).root();
        let re = self.re.atan2(low.re * high.re - low.im * high.im);
        c(re, libm::asinh(low.re * high.im - low.im * high.re))
    }
    fn acos(self) -> Self {
        let asin = self.asin();
        c(self.re.acos(), -asin.im)
    }
    fn atanh(self) -> Self {
        if self.re.abs() > 1.0 { NAN } else { self.atanh_anywhere() }
    }
    fn atanh_anywhere(self) -> Self {
        let (x, y) = (self.re, self.im);
        let re = 0.25 * (4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)).ln_1p();
        c(re, 0.5 * (2.0 * y).atan2((1.0 - x) * (1.0 + x) - y * y))
    }
    /// `atan z = -i atanh (i z)`
    fn atan(self) -> Self {
        let (x, y) = (-self.im, self.re);
        let re = 0.25 * (4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)).ln_1p();
        c(self.re.atan(), -re)
    }
    fn asinh(self) -> Self {
        // asinh z = -i asin (i z)
        let turned = c(-self.im, self.re).asin_anywhere();
        c(libm::asinh(self.re), -turned.re)
    }
    fn acosh(self) -> Self {
        if self.re < 1.0 {
            return NAN;
        }
        let low = c(self.re - 1.0, self.im).root();
        let high = c(self.re + 1.0, self.im).root();
        c(libm::acosh(self.re), 2.0 * low.im.atan2(high.re))
    }
    /// The integral of `2/sqrt pi * exp (-t^2)` from `re` to `re + i im`: its middle point is exact
    /// for a path as short as ours.
    fn erf_step(self) -> f64 {
        let density = c(self.im * self.im * 0.25 - self.re * self.re, -self.re * self.im).exp();
        std::f64::consts::FRAC_2_SQRT_PI * self.im * density.re
    }
    fn atan2(self, x: Self) -> Self {
        let y = self;
        let angle = y.re.atan2(x.re);
        if y.im == 0.0 && x.im == 0.0 {
            return c(angle, 0.0);
        }
        let im = if x.re.abs() >= y.re.abs() { y.over(x).atan().im } else { -x.over(y).atan().im };
        c(angle, im)
    }
    fn hypot(self, other: Self) -> Self {
        let size = self.re.abs().max(other.re.abs());
        if size == 0.0 || !size.is_finite() {
            return c(self.re.hypot(other.re), if size == 0.0 { 0.0 } else { f64::NAN });
        }
        let scale = power_of_two_near(size);
        let (x, y) = (c(self.re / scale, self.im / scale), c(other.re / scale, other.im / scale));
        let sum = c(x.re * x.re + y.re * y.re, 2.0 * (x.re * x.im + y.re * y.im)).root();
        c(sum.re * scale, sum.im * scale)
    }
    fn pow(self, exponent: Self) -> Self {
        let value = self.re.powf(exponent.re);
        if exponent.im == 0.0 && exponent.re == exponent.re.trunc() && exponent.re.abs() < 1024.0 {
            let n = exponent.re as i64;
            return c(value, power(self, n).im);
        }
        if self.re < 0.0 {
            return c(value, f64::NAN);
        }
        c(value, exponent.times(self.ln()).exp().im)
    }
    fn is_constant(self) -> bool {
        self.im == 0.0
    }
}

fn power(x: Complex, n: i64) -> Complex {
    let product = square_and_multiply(&x, n.unsigned_abs(), &c(1.0, 0.0), |a, b| a.times(*b));
    if n < 0 { c(1.0, 0.0).over(product) } else { product }
}

/// A power of two within a factor of two of a positive number.
pub(crate) fn power_of_two_near(x: f64) -> f64 {
    let exponent = libm::ilogb(x).clamp(-1000, 1000);
    libm::ldexp(1.0, exponent)
}

impl Series for Complex {
    fn constant(x: f64) -> Self {
        c(x, 0.0)
    }
    fn re(&self) -> f64 {
        self.re
    }
    fn add(&self, other: &Self) -> Self {
        c(self.re + other.re, self.im + other.im)
    }
    fn mul(&self, other: &Self) -> Self {
        self.times(*other)
    }
    fn div(&self, other: &Self) -> Self {
        self.over(*other)
    }
    fn log(&self) -> Self {
        self.ln()
    }
}

impl Scalar for Complex {
    fn from_f64(x: f64) -> Self {
        c(x, 0.0)
    }

    fn real_part(&self) -> f64 {
        self.re
    }

    #[rustfmt::skip]
    fn unary(op: Unary, x: &Self) -> Result<Self, Error> {
        let z = *x;
        if z.is_constant() {
            return Ok(c(f64::unary(op, &z.re)?, 0.0));
        }
        Ok(match op {
            Unary::Neg => z.neg(),
            Unary::Abs if z.re == 0.0 => c(0.0, 0.0),
            Unary::Abs => if z.re < 0.0 { z.neg() } else { z },
            Unary::Signum | Unary::Floor | Unary::Ceil | Unary::Round => c(f64::unary(op, &z.re)?, 0.0),
            Unary::Sqrt => z.sqrt(),
            Unary::Cbrt => z.cbrt(),
            Unary::Exp => z.exp(),
            Unary::Expm1 => c(z.re.exp_m1(), z.exp().im),
            Unary::Log => z.ln(),
            Unary::Log1p => c(z.re.ln_1p(), c(1.0 + z.re, z.im).ln().im),
            Unary::Sin => c(z.re.sin() * z.im.cosh(), z.re.cos() * z.im.sinh()),
            Unary::Cos => c(z.re.cos() * z.im.cosh(), -z.re.sin() * z.im.sinh()),
            Unary::Tan => {
                let (sin, cos) = z.re.sin_cos();
                let sinh = z.im.sinh();
                let below = cos * cos + sinh * sinh;
                c(sin * cos / below, sinh * z.im.cosh() / below)
            }
            Unary::Asin => z.asin(),
            Unary::Acos => z.acos(),
            Unary::Atan => z.atan(),
            Unary::Sinh => c(z.re.sinh() * z.im.cos(), z.re.cosh() * z.im.sin()),
            Unary::Cosh => c(z.re.cosh() * z.im.cos(), z.re.sinh() * z.im.sin()),
            Unary::Tanh => {
                // The addition theorem, divided through by squares that could overflow.
                let (tanh, tan) = (z.re.tanh(), z.im.tan());
                let below = 1.0 + tanh * tanh * tan * tan;
                c(tanh, tan / z.re.cosh() / z.re.cosh() / below)
            }
            Unary::Sech2 if z.re.cosh().is_infinite() => c(0.0, 0.0),
            Unary::Sech2 => {
                let sech = c(1.0, 0.0).over(c(z.re.cosh() * z.im.cos(), z.re.sinh() * z.im.sin()));
                sech.times(sech)
            }
            Unary::Asinh => z.asinh(),
            Unary::Acosh => z.acosh(),
            Unary::Atanh => z.atanh(),
            Unary::Erf => c(libm::erf(z.re), z.erf_step()),
            Unary::Erfc => c(libm::erfc(z.re), -z.erf_step()),
            Unary::Lgamma => special::lgamma(&z),
            Unary::Digamma => special::digamma(&z),
            Unary::Sigmoid => {
                let one = c(1.0, 0.0);
                let tail = if z.re >= 0.0 { z.neg().exp() } else { z.exp() };
                let whole = c(1.0 + tail.re, tail.im);
                if z.re >= 0.0 { one.over(whole) } else { tail.over(whole) }
            }
            Unary::Softplus => {
                let tail = if z.re >= 0.0 { z.neg().exp() } else { z.exp() };
                let rest = c(tail.re.ln_1p(), c(1.0 + tail.re, tail.im).ln().im);
                if z.re >= 0.0 { c(z.re + rest.re, z.im + rest.im) } else { rest }
            }
        })
    }

    fn binary(op: Binary, x: &Self, y: &Self) -> Result<Self, Error> {
        let (x, y) = (*x, *y);
        if x.is_constant() && y.is_constant() {
            return Ok(c(f64::binary(op, &x.re, &y.re)?, 0.0));
        }
        Ok(match op {
            Binary::Add => c(x.re + y.re, x.im + y.im),
            Binary::Sub => c(x.re - y.re, x.im - y.im),
            Binary::Mul => x.times(y),
            Binary::Div => x.over(y),
            Binary::Rem => {
                let rest = f64::binary(op, &x.re, &y.re)?;
                let times = ((x.re - rest) / y.re).round();
                c(rest, if y.im == 0.0 { x.im } else { x.im - times * y.im })
            }
            Binary::Pow => x.pow(y),
            Binary::Max => choose(x, y, f64::binary(op, &x.re, &y.re)?),
            Binary::Min => choose(x, y, f64::binary(op, &x.re, &y.re)?),
            Binary::Atan2 => x.atan2(y),
            Binary::Hypot => x.hypot(y),
            Binary::Xlogy => c(f64::binary(op, &x.re, &y.re)?, x.times(y.ln()).im),
        })
    }

    fn pow_int(x: &Self, n: i64) -> Result<Self, Error> {
        Ok(power(*x, n))
    }

    fn polygamma(n: i64, x: &Self) -> Result<Self, Error> {
        if n > 150 {
            return Err(Error::new(ErrorKind::Unsupported, "polygamma of a high order"));
        }
        Ok(special::polygamma(n, x))
    }
}

fn choose(x: Complex, y: Complex, value: f64) -> Complex {
    if x.re == y.re {
        c(value, 0.5 * (x.im + y.im))
    } else if value == x.re {
        x
    } else if value == y.re {
        y
    } else {
        NAN
    }
}
