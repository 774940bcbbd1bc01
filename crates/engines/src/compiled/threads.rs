//! Whether native code gives the same bits on one thread and on several: asked of programs whose passes are verified,
//! whatever their loops are worth.

use pullback_base::bug;
use pullback_codegen::{Limits, Native, Threads};
use pullback_ir::Program;
use pullback_ir::eval::Value;

/// Native code on several numbers of threads.
pub(super) struct Alike(Vec<(usize, Native)>);

impl Alike {
    pub fn of(native: &Native) -> Self {
        let on = |most| (most, native.clone().on(Threads { most, worth: 0.0 }));
        Self([1, 2, 4].into_iter().map(on).collect())
    }

    /// Stops where the results of a root differ. Runs that fail may do so at different times.
    pub fn check(&self, program: &mut Program, root: usize, args: &[Value], limits: &Limits) {
        let limits = Limits { tell: |_| {}, ..limits.clone() };
        let mut first: Option<String> = None;
        for (most, native) in &self.0 {
            let Ok(results) = native.call(program, root, args, &limits) else { continue };
            // A number's text gives its bits, but for those of NaNs.
            let told = format!("{results:?}");
            if *first.get_or_insert_with(|| told.clone()) != told {
                bug("threads", format_args!("the same bits on {most} threads"));
            }
        }
    }
}
