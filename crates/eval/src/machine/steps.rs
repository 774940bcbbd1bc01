//! The steps of the machine that leave by a jump or by an error. They are macros so that they work on
//! the machine's local state, which the processor then keeps in registers.

/// The value of a result; an error ends the run with the place of the running instruction.
macro_rules! checked {
    ($result:expr, $core:ident, $primitives:ident, $w:ident) => {
        match $result {
            Ok(value) => value,
            Err(fault) => {
                $core.ctx.meter.counts.operations += $primitives;
                return Err((fault, Some(($w.id, $w.pc))));
            }
        }
    };
}

/// A Real operation: at once on plain numbers, by the context on followed ones.
macro_rules! real_operation {
    ($core:ident, $primitives:ident, $w:ident, $regs:ident, $d:expr, $x:expr, $y:expr, $op:tt, $prim:ident) => {{
        $primitives += 1;
        if let (Value::Real(x), Value::Real(y)) = ($x, $y) {
            let z = x $op y;
            set_real(&mut $regs[$d as usize], z);
        } else {
            let z = $core.ctx.followed2(Prim::$prim, $x, $y);
            let z = checked!(z, $core, $primitives, $w);
            put(&mut $regs[$d as usize], z);
        }
    }};
}

/// A checked Int operation.
macro_rules! int_operation {
    ($core:ident, $primitives:ident, $w:ident, $regs:ident, $d:expr, $x:expr, $n:expr, $op:path, $prim:ident) => {{
        $primitives += 1;
        let (m, n) = (int($x), $n);
        let z = match $op(m, n) {
            Some(z) => z,
            None => checked!(Err(Fault::of_ints(Prim::$prim, &[m, n])), $core, $primitives, $w),
        };
        set_int(&mut $regs[$d as usize], z);
    }};
}

/// A comparison of Reals with a jump.
macro_rules! real_jump {
    ($core:ident, $primitives:ident, $w:ident, $regs:ident, $a:expr, $y:expr, $to:expr, $prim:ident, |$p:ident, $q:ident| $test:expr) => {{
        $primitives += 1;
        let (x, y) = (&$regs[$a as usize], $y);
        if let (Value::Real($p), Value::Real($q)) = (x, y) {
            if $test {
                $w.pc = $to as usize;
            }
        } else {
            let sides = $core.ctx.compared(Prim::$prim, x, y);
            let ($p, $q) = checked!(sides, $core, $primitives, $w);
            if $test {
                $w.pc = $to as usize;
            }
        }
    }};
}

/// A comparison of Ints with a jump.
macro_rules! int_jump {
    ($primitives:ident, $w:ident, $regs:ident, $a:expr, $op:tt, $n:expr, $to:expr) => {{
        $primitives += 1;
        if int(&$regs[$a as usize]) $op $n {
            $w.pc = $to as usize;
        }
    }};
}

/// Every so often, looks at the limits.
macro_rules! burned {
    ($fuel:ident, $core:ident, $primitives:ident, $w:ident, $stack:ident, $regs:ident) => {{
        if $fuel.burn() {
            $core.ctx.meter.counts.operations += std::mem::take(&mut $primitives);
            checked!($core.ctx.tick(), $core, $primitives, $w);
            $core.tell_stand($stack, Frame::new($w.id, $w.pc as u32 + 1, $w.base));
            $regs = &mut $stack[$w.base..$w.end()];
        }
    }};
}

/// Enters the window of a callee whose arguments are in place.
macro_rules! entered {
    ($code:expr, $base:expr, $image:ident, $stack:ident, $core:ident, $primitives:ident, $w:ident, $regs:ident) => {{
        $w = Running::of(&$image.codes[$code as usize], $code, 0, $base);
        if $w.end() > $stack.len()
            && let Err(fault) = $core.ensure($stack, $w.end())
        {
            $core.ctx.meter.counts.operations += $primitives;
            $primitives = 0;
            $core.crowded($stack, $w.id, $w.end(), fault)?;
        }
        $regs = &mut $stack[$w.base..$w.end()];
    }};
}
