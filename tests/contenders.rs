//! Every engine as a contender of the oracle's comparisons.

use pullback_engines::source::{Transforms, prepared};
use pullback_engines::{ENGINES, EngineInfo, How, evaluate};
use pullback_lambda::eval::{Options, compile};
use pullback_oracle::{Contender, closed, failure, of_value, on_image};

/// Enough for small programs; a wrong one should not fill the machine.
const MAX_MEMORY: usize = 512 << 20;

/// Every engine of the table.
pub fn contenders() -> Vec<Contender> {
    ENGINES.iter().map(contender).collect()
}

fn contender(engine: &'static EngineInfo) -> Contender {
    match engine.how {
        How::Runtime(make) => Contender::machine(engine.name, make()),
        How::Transform { vjp, jvp } => {
            let transforms = Transforms { engine: engine.name, vjp, jvp };
            Contender::preparing(engine.name, move |program, def| {
                match prepared(transforms, program, def) {
                    Ok((program, def, shapes)) => {
                        let image = compile(&program);
                        Box::new(move |args| on_image(&image, def, args, shapes.clone()))
                    }
                    Err(diagnostic) => {
                        let failure = failure(&diagnostic);
                        Box::new(move |_| Err(failure.clone()))
                    }
                }
            })
        }
        How::Own(_) => Contender::new(engine.name, move |program, def, args| {
            let (program, def) = closed(program, def, args);
            let options = Options { max_memory: MAX_MEMORY, ..Options::default() };
            let value = evaluate(engine, &program, def, &options);
            of_value(&value.map_err(|diagnostic| failure(&diagnostic))?)
        }),
    }
}
