//! Lines that begin with a colon.

use std::path::PathBuf;

use pullback_base::{Instant, Span};
use pullback_session::{Call, Query, Stop};
use pullback_syntax::ast::{Expr, ExprKind};
use pullback_syntax::parse_expr;
use pullback_tools::{Around, Named, Plot};

use crate::prompt::{Next, Prompt};
use crate::said::{Said, Tell};

/// The commands with what each does.
pub const COMMANDS: [(&str, &str, &str); 14] = [
    ("type", "EXPR", "the type of an expression"),
    ("grad", "CALL", "value and gradient of a call, with respect to all its arguments"),
    ("clarke", "CALL", "the derivatives of all smooth pieces that meet at a call's arguments"),
    ("bounds", "CALL X=[A,B]…", "what a call and its derivatives are where X is from A to B"),
    ("show", "NAME [STAGE]", "a definition at a stage of the pipeline, `lambda` if none is named"),
    ("doc", "NAME", "what is documented of a definition, a module or a built-in operation"),
    ("cost", "CALL", "how many operations a call takes, alone and with its pullback"),
    ("time", "EXPR", "the value of an expression, and how long it took"),
    ("plot", "NAME… [A B]", "functions of a number from A to B, or arrays"),
    ("load", "FILE", "a file in the place of all that is defined"),
    ("reload", "", "the file anew, without what was defined since"),
    ("defs", "", "what is defined"),
    ("help", "", "this"),
    ("quit", "", "the end"),
];

/// Does what a command says.
pub fn command(prompt: &mut Prompt, name: &str, rest: &str, tell: Tell<'_>) -> Next {
    let wants = COMMANDS.iter().find(|(known, ..)| *known == name);
    if let Some((_, argument, _)) = wants
        && rest.is_empty()
        && !argument.is_empty()
    {
        tell(Said::Note(format!("`:{name}` wants more: `:{name} {argument}`")));
        return Next::More;
    }
    match name {
        "quit" | "q" => return Next::Quit,
        "help" | "h" | "?" => tell(Said::Answer(help())),
        "type" | "t" => match prompt.session().type_of(&prompt.path(), rest) {
            Ok(ty) => tell(Said::Answer(ty)),
            Err(findings) => tell(Said::Findings(findings)),
        },
        "grad" => grad(prompt, rest, tell),
        "clarke" => clarke(prompt, rest, tell),
        "bounds" => bounds(prompt, rest, tell),
        "show" => {
            let (name, stage) = rest.split_once(char::is_whitespace).unwrap_or((rest, "lambda"));
            prompt.ask(tell, |query, call| pullback_tools::show(query, call, stage.trim()), name);
        }
        "doc" => doc(prompt, rest, tell),
        "cost" => cost(prompt, rest, tell),
        "time" => {
            let start = Instant::now();
            prompt.evaluate(rest, tell);
            let seconds = start.elapsed().as_secs_f64();
            tell(Said::Note(format!("{:.1} ms, checking included", seconds * 1e3)));
        }
        "plot" => plot(prompt, rest, tell),
        "load" | "l" => prompt.load(PathBuf::from(rest), tell),
        "reload" | "r" => prompt.reload(tell),
        "defs" => {
            let known = prompt.known();
            let lines = known.definitions.iter().map(|it| format!("{} : {}", it.name, it.ty));
            tell(Said::Answer(lines.collect::<Vec<_>>().join("\n")));
        }
        _ => {
            let names = COMMANDS.iter().map(|(name, ..)| *name);
            let hint = pullback_base::did_you_mean("command", name, names);
            tell(Said::Note(format!("there is no command `:{name}`; {hint}")));
        }
    }
    Next::More
}

fn help() -> String {
    let lines = COMMANDS.map(|(name, argument, about)| {
        let head = format!(":{name} {argument}");
        format!("  {head:22}{about}")
    });
    format!(
        "A line is an expression, or it begins with `def`, `type` or `import`. `it` is the last value.\n{}",
        lines.join("\n")
    )
}

/// A call of a definition, with its arguments as they are written.
fn call_of(prompt: &mut Prompt, text: &str) -> Option<(String, Vec<String>)> {
    let (expr, problems) = parse_expr(text, Span::NONE.file);
    let slice = |expr: &Expr| text[expr.span.range()].to_owned();
    let (fun, args) = if let ExprKind::App { fun, args } = &expr.kind {
        (fun.as_ref(), args.iter().map(slice).collect())
    } else {
        (&expr, vec![])
    };
    let ExprKind::Name(name) = &fun.kind else { return None };
    let known = prompt.known();
    let is_defined = known.definitions.iter().any(|it| it.name == *name);
    (problems.is_empty() && is_defined).then(|| (name.to_string(), args))
}

fn grad(prompt: &mut Prompt, text: &str, tell: Tell<'_>) {
    match call_of(prompt, text) {
        Some((entry, args)) => prompt.gradient(&entry, args, tell),
        None => {
            let words = "`:grad` takes a call of a definition, as in `:grad f 1.0`";
            tell(Said::Note(words.to_owned()));
        }
    }
}

fn clarke(prompt: &mut Prompt, text: &str, tell: Tell<'_>) {
    let Some((entry, args)) = call_of(prompt, text) else {
        let words = "`:clarke` takes a call of a definition, as in `:clarke f 1.0`";
        tell(Said::Note(words.to_owned()));
        return;
    };
    let tool = |query: &mut Query<'_>, call: &Call| {
        let call = Call { args, ..call.clone() };
        let found = pullback_tools::clarke(query, &call, &[])?;
        Ok(found.shown(&query.sources, false))
    };
    prompt.ask(tell, tool, &entry);
}

/// Intervals are the last words, each without space inside.
fn bounds(prompt: &mut Prompt, text: &str, tell: Tell<'_>) {
    let (mut text, mut around) = (text.trim_end(), Around::default());
    while let Some((before, word)) = text.rsplit_once(char::is_whitespace)
        && word.contains("=[")
    {
        match Named::parse(word) {
            Ok(named) => around.intervals.insert(0, named),
            Err(fault) => return tell(Said::Note(fault)),
        }
        text = before.trim_end();
    }
    let Some((entry, args)) = call_of(prompt, text) else {
        let words =
            "`:bounds` takes a call of a definition and intervals, as in `:bounds f x=[0,1]`";
        tell(Said::Note(words.to_owned()));
        return;
    };
    let tool = |query: &mut Query<'_>, call: &Call| {
        let call = Call { args, ..call.clone() };
        Ok(pullback_tools::bounds(query, &call, &[], &around)?.shown(false))
    };
    prompt.ask(tell, tool, &entry);
}

fn cost(prompt: &mut Prompt, text: &str, tell: Tell<'_>) {
    let Some((entry, args)) = call_of(prompt, text) else {
        tell(Said::Note("`:cost` takes a call of a definition, as in `:cost f 1.0`".to_owned()));
        return;
    };
    let tool = |query: &mut Query<'_>, call: &Call| {
        let call = Call { args, ..call.clone() };
        let cost = pullback_tools::operations(query, &call, false)?;
        let (alone, both) = (cost.primal, cost.derived);
        let (alone, both) = (alone.operations, both.operations + both.derivative);
        let ratio = both as f64 / alone.max(1) as f64;
        let s = if alone == 1 { "" } else { "s" };
        Ok::<String, Stop>(format!(
            "{alone} operation{s}, {both} with the pullback of a cotangent ({ratio:.1} times)"
        ))
    };
    prompt.ask(tell, tool, &entry);
}

fn doc(prompt: &mut Prompt, name: &str, tell: Tell<'_>) {
    let known = prompt.known();
    if let Some(own) = known.definitions.iter().find(|it| it.name == name) {
        let text = format!("{} : {}\n\n{}", own.name, own.ty, own.doc);
        tell(Said::Answer(text.trim_end().to_owned()));
        return;
    }
    prompt.ask(tell, |query, _| pullback_tools::doc(query, Some(name), None), "");
}

fn plot(prompt: &mut Prompt, text: &str, tell: Tell<'_>) {
    let known = prompt.known();
    let is_name = |word: &str| known.definitions.iter().any(|it| it.name == word);
    let words: Vec<&str> = text.split_whitespace().collect();
    let count = words.iter().take_while(|word| is_name(word)).count();
    let (names, rest) = words.split_at(count);
    let range = match rest {
        [] => None,
        [from, to] => Some(((*from).to_owned(), (*to).to_owned())),
        _ => {
            let words = "`:plot` takes names and perhaps a range, as in `:plot f -2 2`";
            tell(Said::Note(words.to_owned()));
            return;
        }
    };
    let plot = Plot {
        entries: names.iter().map(|name| (*name).to_owned()).collect(),
        range,
        second: None,
        points: 401,
        grid: (80, 80),
        derivatives: true,
    };
    let (size, colours) = ((prompt.page.width, 24), prompt.page.colours);
    let draw = |query: &mut Query<'_>, call: &Call| {
        Ok(pullback_tools::plot(query, call, &plot)?.text(size, colours))
    };
    prompt.ask(tell, draw, "");
}
