//! Every engine as a contender of the oracle's comparisons.

use pullback_engines::{ENGINES, How, evaluate};
use pullback_lambda::eval::Options;
use pullback_oracle::{Contender, closed, failure, of_value};

/// Enough for small programs; a wrong one should not fill the machine.
const MAX_MEMORY: usize = 512 << 20;

/// Every engine of the table.
pub fn contenders() -> Vec<Contender> {
    let contender = |engine: &'static pullback_engines::EngineInfo| match engine.how {
        How::Runtime(make) => Contender::machine(engine.name, make()),
        How::Transform { .. } | How::Own(_) => {
            Contender::new(engine.name, move |program, def, args| {
                let (program, def) = closed(program, def, args);
                let options = Options { max_memory: MAX_MEMORY, ..Options::default() };
                of_value(
                    &evaluate(engine, &program, def, &options)
                        .map_err(|diagnostic| failure(&diagnostic))?,
                )
            })
        }
    };
    ENGINES.iter().map(contender).collect()
}
