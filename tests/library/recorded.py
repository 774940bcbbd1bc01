"""Prints the recorded lines of of_complex, of_lie, of_linalg, of_nn, of_rosenbrock, of_sde and of_signal: values and derivatives by other libraries.

    python3 -m venv /tmp/v && /tmp/v/bin/pip install mpmath scipy jax
    /tmp/v/bin/python tests/library/recorded.py

Paste what it prints below the line that begins with "-- Recorded" in each file.
"""

import jax
import jax.numpy as jnp
import mpmath as mp
import numpy as np
import scipy.linalg as sl
import scipy.sparse.linalg as ssl
from scipy.spatial.transform import Rotation, Slerp

jax.config.update("jax_enable_x64", True)
mp.mp.dps = 40


def real(x):
    text = repr(float(x))
    return text if any(mark in text for mark in ".en") else text + ".0"


def argument(x):
    return f"({real(x)})" if float(x) < 0 else real(x)


def array(a):
    a = np.asarray(a)
    return real(a) if a.ndim == 0 else "[" + ", ".join(array(row) for row in a) + "]"


def number(z):
    z = mp.mpc(z)
    return f"c.complex {argument(z.real)} {argument(z.imag)}"


def line(expression, value, within=None):
    print(f"--@ {expression} ~= {value}" + (f" within {within}" if within else ""))


def complex_functions():
    print("of_complex: mpmath with 40 digits")
    points = [mp.mpc(-2, "1e-12"), mp.mpc(-2, "-1e-12"), mp.mpc("1e-8", "3e-9"), mp.mpc("0.6", "0.8"), mp.mpc(-3, 40)]
    functions = {"clog": mp.log, "csqrt": mp.sqrt, "ctan": mp.tan, "ctanh": mp.tanh}
    for name, f in functions.items():
        for z in points:
            # mpmath gets the doubles.
            z = mp.mpc(float(z.real), float(z.imag))
            h = mp.mpf("1e-12") * abs(z)
            slope = (f(z + h) - f(z - h)) / (2 * h) if name != "clog" else 1 / z
            if name in ("ctan", "ctanh"):
                slope = 1 / mp.cos(z) ** 2 if name == "ctan" else 1 / mp.cosh(z) ** 2
            if name == "csqrt":
                slope = 1 / (2 * mp.sqrt(z))
            line(f"c.{name} ({number(z)})", number(f(z)))
            line(f"c.derivative_of c.{name} ({number(z)})", number(slope))
    for z, w in [(mp.mpc(-2, -0.5), mp.mpc(0.25, -1.5)), (mp.mpc("1e-3", 0), mp.mpc(2, 3))]:
        z, w = mp.mpc(float(z.real), float(z.imag)), mp.mpc(w)
        line(f"c.cpow ({number(z)}) ({number(w)})", number(z**w))
        line(f"c.derivative_of (\\z -> c.cpow z ({number(w)})) ({number(z)})", number(w * z ** (w - 1)))
        line(f"c.derivative_of (c.cpow ({number(z)})) ({number(w)})", number(mp.log(z) * z**w))


def quaternion(r):
    x, y, z, w = r.as_quat()
    if w < 0:
        x, y, z, w = -x, -y, -z, -w
    return f"lie.quaternion {argument(w)} {argument(x)} {argument(y)} {argument(z)}"


def twist_matrix(linear, angular):
    (x, y, z), top = angular, np.zeros((4, 4))
    top[:3, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    top[:3, 3] = linear
    return top


def lie_groups():
    print("of_lie: SciPy's Rotation, Slerp, expm, logm and expm_frechet")
    vectors = [[0.4, -1.2, 2.5], [1e-9, -2e-9, 1e-9], [0.0, 3.1415926, 0.0]]
    for w in vectors:
        line(f"lie.so3_exp {array(w)}", quaternion(Rotation.from_rotvec(w)))
        line(f"lie.rotate [0.5, -1.0, 2.0] (lie.so3_exp {array(w)})", array(Rotation.from_rotvec(w).apply([0.5, -1.0, 2.0])))
    one, other = Rotation.from_rotvec([0.4, -1.2, 0.5]), Rotation.from_rotvec([-0.3, 0.8, 1.5])
    for t in [0.3, 0.85]:
        between = Slerp([0, 1], Rotation.concatenate([one, other]))(t)
        line(f"lie.slerp (lie.so3_exp [0.4, -1.2, 0.5]) (lie.so3_exp [-0.3, 0.8, 1.5]) {t}", quaternion(between))
    line("lie.so3_log (lie.times (lie.so3_exp [0.4, -1.2, 0.5]) (lie.so3_exp [-0.3, 0.8, 1.5]))", array((one * other).as_rotvec()))
    for linear, angular in [([1.0, -2.0, 0.5], [0.9, -1.5, 0.8]), ([0.5, 1.0, -1.0], [1e-7, 2e-7, -1e-7])]:
        a = twist_matrix(linear, angular)
        x = f"{{ linear = {array(linear)}, angular = {array(angular)} }}"
        line(f"(lie.se3_exp {x}).translation", array(sl.expm(a)[:3, 3]))
        for k in range(2):
            step = [0.3, -0.7, 0.2] if k else [0.0] * 3
            along = twist_matrix([0.2, 0.1, -0.4], step)
            d = f"{{ linear = [0.2, 0.1, -0.4], angular = {array(step)} }}"
            _, slope = sl.expm_frechet(a, along)
            line(f"(jvp (\\x -> lie.act (lie.se3_exp x) [1.0, 2.0, 3.0]) {x} {d}).1", array((slope @ [1.0, 2.0, 3.0, 1.0])[:3]))
    a, b = twist_matrix([1.0, -2.0, 0.5], [0.9, -1.5, 0.8]), twist_matrix([0.1, 0.2, -0.3], [-0.7, 0.2, 0.4])
    log = sl.logm(sl.expm(a) @ sl.expm(b)).real
    motions = [f"lie.se3_exp {{ linear = {p}, angular = {q} }}" for p, q in
               [("[1.0, -2.0, 0.5]", "[0.9, -1.5, 0.8]"), ("[0.1, 0.2, -0.3]", "[-0.7, 0.2, 0.4]")]]
    line(f"(lie.se3_log (lie.after ({motions[0]}) ({motions[1]}))).linear", array(log[:3, 3]))


def layers():
    print("of_nn: jax.lax and jax.nn")
    image = np.round(np.sin(np.arange(2 * 2 * 4 * 5) * 1.7), 3).reshape(2, 2, 4, 5)
    kernel = np.round(np.cos(np.arange(2 * 2 * 3 * 2) * 0.9), 3).reshape(2, 2, 3, 2)

    def conv(w, x, stride, padding):
        return jax.lax.conv_general_dilated(x, w, (stride, stride), [(padding, padding)] * 2) + jnp.array([0.5, -1.0])[:, None, None]

    print(f"def image: [2][2][4][5]Real = {array(image)}")
    print(f"def kernel: [2][2][3][2]Real = {array(kernel)}")
    print("def convolved (stride: Int) (padding: Int) (w: [2][2][3][2]Real) (x: [2][2][4][5]Real): [][][][]Real =\n"
          "  nn.conv2d stride padding { w = w, b = [0.5, -1.0] } x")
    print("def energy (stride: Int) (padding: Int) (w: [2][2][3][2]Real) (x: [2][2][4][5]Real): Real =\n"
          "  let y = convolved stride padding w x in\n  sum (y * y)")
    for stride, padding in [(1, 0), (2, 1)]:
        energy = lambda w, x, s=stride, p=padding: jnp.sum(conv(w, x, s, p) ** 2)  # noqa: E731
        line(f"(convolved {stride} {padding} kernel image)[1][1]", array(conv(kernel, image, stride, padding)[1, 1]))
        line(f"(grad (\\w -> energy {stride} {padding} w image) kernel)[1][0]", array(jax.grad(energy)(kernel, image)[1, 0]))
        line(f"(grad (energy {stride} {padding} kernel) image)[0][1]", array(jax.grad(energy, 1)(kernel, image)[0, 1]))
    q, k, v = (np.round(np.sin(np.arange(12) * f + 0.3), 3).reshape(3, 4) for f in (0.7, 1.3, 2.1))
    mask = np.tril(np.ones((3, 3), bool))

    def attention(q, k, v):
        # jax.nn.dot_product_attention has scores of single precision.
        return jax.nn.softmax(jnp.where(mask, q @ k.T / 2.0, -jnp.inf)) @ v

    given = f"(nn.causal 3) {array(q)} {array(k)} {array(v)}"
    line(f"nn.masked_attention {given}", array(attention(q, k, v)))
    by_q = jax.grad(lambda q: jnp.sum(attention(q, k, v) ** 2))(q)
    line(f"grad (\\q -> (let y = nn.masked_attention (nn.causal 3) q {array(k)} {array(v)} in sum (y * y))) {array(q)}", array(by_q))
    logits, labels = np.array([[1.0, 2.0, -700.0], [1000.0, 0.0, 999.0]]), np.array([2, 2])
    loss = lambda x: -jnp.mean(jax.nn.log_softmax(x)[jnp.arange(2), labels])  # noqa: E731
    line(f"nn.cross_entropy {array(logits)} [2, 2]", real(loss(logits)))
    line(f"grad (\\x -> nn.cross_entropy x [2, 2]) {array(logits)}", array(jax.grad(loss)(logits)))


def stochastic():
    print("of_sde: the recursions in NumPy, and their derivatives by the complex step")
    dw, h = [0.3, -0.2, 0.1, 0.25, -0.4], 0.2

    def milstein(b):
        y = 1.0 + 0 * b
        for i, w in enumerate(dw):
            t = i * h
            g, slope = b * np.sin(y) + t, b * np.cos(y)
            y = y + h * (t - y * y) + g * w + 0.5 * g * slope * (w * w - h)
        return y

    def heun(b):
        y = 1.0 + 0 * b
        f, g = (lambda t, y: t - y * y), (lambda t, y: b * np.sin(y) + t)
        for i, w in enumerate(dw):
            t, n = i * h, (i + 1) * h
            guess = y + h * f(t, y) + g(t, y) * w
            y = y + h / 2 * (f(t, y) + f(n, guess)) + (g(t, y) + g(n, guess)) / 2 * w
        return y

    for name, method in [("milstein", milstein), ("heun", heun)]:
        call = f"sde.{name} (\\t y -> t - y * y) (\\t y -> B * sin y + t) 0.0 1.0 {array(dw)} 1.0"
        line(call.replace("B", "0.7"), real(method(0.7)))
        line(f"grad (\\b -> {call.replace('B', 'b')}) 0.7", real(method(0.7 + 1e-30j).imag / 1e-30))


def rosenbrock():
    print("of_rosenbrock: Van der Pol's oscillator by mpmath's Taylor series, mu = 20, a step of 0.01")
    mp.mp.dps = 30

    def at(mu, h):
        f = lambda t, y: [y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]]  # noqa: E731
        return mp.odefun(f, 0, [mp.mpf(2), mp.mpf("-0.66")])(h)

    call = "(rosenbrock.step [[1.0, 0.0], [0.0, 1.0]] (\\k -> k) (\\_ y -> [y[1], MU * (1.0 - y[0] ^ 2) * y[1] - y[0]]) 0.0 H [2.0, -0.66]).0"
    # A quarter of the step has a thousandth of the error.
    for h, within in [(mp.mpf("0.01"), "5e-5"), (mp.mpf("0.0025"), "5e-8")]:
        step = mp.mpf("1e-10")
        value = at(mp.mpf(20), h)
        slope = [(a - b) / (2 * step) for a, b in zip(at(20 + step, h), at(20 - step, h))]
        line(call.replace("MU", "20.0").replace("H", real(h)), array([float(x) for x in value]), within)
        line(f"(jvp (\\mu -> {call.replace('MU', 'mu').replace('H', real(h))}) 20.0 1.0).1", array([float(x) for x in slope]), within)


def transforms():
    print("of_signal: numpy.fft.fft2, and derivatives by its formula")
    rng = np.random.default_rng(3)
    for n, m in [(2, 3), (4, 2)]:
        x, y = (np.round(rng.normal(size=(2, n, m)), 2) for _ in range(2))
        z, w = x[0] + 1j * x[1], y[0] + 1j * y[1]
        given, along = (f"({array(a[0])}, {array(a[1])})" for a in (x, y))
        for name, f in [("fft2", np.fft.fft2), ("ifft2", np.fft.ifft2)]:
            value = f(z)
            line(f"signal.{name} {given}", f"({array(value.real)}, {array(value.imag)})")
        # The adjoint of a complex linear map on pairs: the conjugate transpose.
        back = np.conj(np.fft.fft2(np.conj(w)))
        line(f"rd signal.fft2 {given} {along}", f"({array(back.real)}, {array(back.imag)})")
        back = np.fft.fft2(w) / (n * m)
        line(f"rd signal.ifft2 {given} {along}", f"({array(back.real)}, {array(back.imag)})")


def exponentials():
    print("of_linalg: scipy.sparse.linalg.expm_multiply and scipy.linalg.expm_frechet")
    general = np.array([[4, 1, 0.5, -1], [2, 5, 1, 0.25], [-1, 0.5, 3, 2], [0.75, -2, 1, 6]])
    right, way = np.array([1, -2, 0.5, 3]), np.array([[0, 1, 0, -1], [1, 0, 0.5, 0], [0, 0, 1, 2], [-1, 1, 0, 0.5]])
    for scale in [0.3, -1.0]:
        a = scale * general
        what = f"({argument(scale)} *. general)"
        line(f"la.expm_multiply {what} right", array(ssl.expm_multiply(a, right)), "1e-12")
        _, slope = sl.expm_frechet(a, way)
        line(f"(jvp (\\a -> la.expm_multiply a right) {what} way).1", array(slope @ right), "1e-12")
        # By a: the transpose of the derivative at the transpose, of the matrix w rightᵀ.
        w = np.array([1.0, -1.0, 0.25, 2.0])
        _, back = sl.expm_frechet(a.T, np.outer(w, right))
        line(f"rd (\\a -> la.expm_multiply a right) {what} [1.0, -1.0, 0.25, 2.0]", array(back), "1e-12")
        line(f"rd (la.expm_multiply {what}) right [1.0, -1.0, 0.25, 2.0]", array(sl.expm(a.T) @ w), "1e-12")
    # In the kernel of a the value is b, and the derivative is not 0.
    a, b, e = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([1.0, 0.0]), np.array([[1.0, 2.0], [3.0, 4.0]])
    line(f"(jvp (\\a -> la.expm_multiply a {array(b)}) {array(a)} {array(e)}).1", array(sl.expm_frechet(a, e)[1] @ b))


for part in (complex_functions, lie_groups, layers, stochastic, rosenbrock, transforms, exponentials):
    part()
