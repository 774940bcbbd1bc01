//! `pullback show`: a stage of the pipeline as text.
//!
//! Input: a [`Call`] and the name of a stage. Output: the text of that stage, for the entry and all it
//! needs if the call names one, else for the whole file. The stages of engines are served from their
//! table.

use pullback_base::{Diagnostic, Span, did_you_mean};
use pullback_engines::{
    EngineInfo, LETTERS, Letter, SOURCES, Stage as Form, variant as engine_variant,
};
use pullback_lambda::{Def, DefId, Expr, Program};
use pullback_session::call::{Prepared, Purpose, prepare};
use pullback_session::engine::Engine;
use pullback_session::entry::Entry;
use pullback_session::load::load;
use pullback_session::pipeline::typed;
use pullback_session::wrap::{add_function, curried};
use pullback_session::{Call, Query, Settings, Stop, Variant};
use pullback_types::tir::GlobalId;
use pullback_types::{open_types, show_scheme};

use crate::stages::{Listed, PASSES, form_named, stages};

/// The text of a stage.
pub fn show(query: &mut Query<'_>, call: &Call, stage: &str) -> Result<String, Stop> {
    if let Some(variant) = call.settings.variant
        && form_named(stage, None).is_none()
        && stages().any(|known| known.name == stage)
    {
        return no_variant(query, stage, variant);
    }
    match stage {
        "tokens" => {
            let file = query.read_text(&call.file)?;
            Ok(pullback_syntax::dump_tokens(query.sources.text(file)))
        }
        "ast" => ast(query, call),
        "types" => types(query, call),
        "lambda" => lambda(query, call),
        _ => {
            if let Some((engine, form)) = form_named(stage, call.settings.engine.as_deref()) {
                let form = variant_of(query, call, engine, form)?;
                return show_entry(query, call, engine, form);
            }
            let title = format!("there is no stage `{stage}`");
            let names = stages().map(|stage| stage.name);
            let hint = did_you_mean("stage", stage, names);
            query.fail(Diagnostic::error("E0813", Span::NONE, title, "").hint(hint))
        }
    }
}

/// A stage as the text of a program that can be saved and run.
pub fn show_source(query: &mut Query<'_>, call: &Call, stage: &str) -> Result<String, Stop> {
    let known = SOURCES.iter().find(|(name, _)| *name == stage);
    let Some(((_, write), (engine, form))) = known.zip(form_named(stage, None)) else {
        let title = format!("the stage `{stage}` cannot be written as a program");
        let names: Vec<String> = SOURCES.iter().map(|(name, _)| format!("`{name}`")).collect();
        let hint = format!("`--as-source` goes with {}", names.join(", "));
        return query.fail(Diagnostic::error("E0813", Span::NONE, title, "").hint(hint));
    };
    let form = Form { show: *write, ..*form };
    let text = show_entry(query, call, engine, &form)?;
    // What the form is called is up to the program; that the text is one is up to the form.
    Ok(pullback_syntax::format(&text).unwrap_or(text))
}

/// The list of passes with their laws, after what elaboration makes of the entry or the file.
pub fn show_passes(query: &mut Query<'_>, call: &Call) -> Result<String, Stop> {
    let (program, ..) = calculus(query, call)?;
    let terms: usize = program.defs.iter().map(|def| def.body.size()).sum();
    let mut text = format!(
        "`{}` after `elaborate`: {} definitions, {terms} terms.\n",
        call.file.display(),
        program.defs.len()
    );
    for Listed { pass, phase, about, when } in PASSES {
        text.push_str(&format!("\n{}\n", pass.name));
        for (label, words) in [
            ("type", pass.ty),
            ("does", *about),
            ("law", pass.law),
            ("phase", phase.name()),
            ("runs", *when),
        ] {
            text.push_str(&entry_of_page(label, words));
        }
    }
    for pass in pullback_opt::PASSES {
        text.push_str(&format!("\n{}\n", pass.name));
        let ty = "(IR, functions) -> (IR, functions)";
        for (label, words) in [
            ("type", ty),
            ("does", pass.about),
            ("law", pass.law),
            ("phase", pass.phase.name()),
            ("scope", pass.scope.about()),
            ("runs", pass.phase.about()),
        ] {
            text.push_str(&entry_of_page(label, words));
        }
    }
    for one in pullback_codegen::TRANSFORMATIONS {
        text.push_str(&format!("\n{}\n", one.name));
        for (label, words) in [
            ("type", "IR -> C"),
            ("does", one.about),
            ("law", one.law),
            ("phase", one.phase.name()),
            ("runs", one.phase.about()),
        ] {
            text.push_str(&entry_of_page(label, words));
        }
        if !one.is_optional {
            text.push_str(&entry_of_page("stays", "it cannot be left out"));
        }
    }
    Ok(text)
}

/// A label and what belongs to it, wrapped at a width that terminals have.
fn entry_of_page(label: &str, words: &str) -> String {
    const WIDTH: usize = 100;
    const INDENT: usize = 8;
    let mut lines = vec![format!("  {label:<6}")];
    for word in words.split_whitespace() {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(format!("{:INDENT$}{word}", ""));
        } else {
            if line.chars().count() > INDENT {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

/// The form of the entry, or of `main` if none is named.
fn show_entry(
    query: &mut Query<'_>,
    call: &Call,
    engine: &EngineInfo,
    form: &Form,
) -> Result<String, Stop> {
    if !call.entry.is_empty() {
        return show_form(query, call, engine, form);
    }
    let main = Call { entry: "main".to_owned(), ..call.clone() };
    let shown = show_form(query, &main, engine, form);
    let missing = query.diagnostics.pop_if(|last| last.code == "E0809");
    query.diagnostics.extend(missing.map(|missing| {
        missing.note("this stage is that of one definition, `main` if none is named")
    }));
    shown
}

/// The form, or that of the engine's variant if one is asked for.
fn variant_of(
    query: &mut Query<'_>,
    call: &Call,
    engine: &EngineInfo,
    form: &'static Form,
) -> Result<&'static Form, Stop> {
    let Some(variant) = call.settings.variant else { return Ok(form) };
    let forms = engine_variant(engine, variant).map_or(&[][..], |engine| engine.stages);
    match forms.iter().find(|other| other.name == form.name) {
        Some(other) => Ok(other),
        None => no_variant(query, form.name, variant),
    }
}

fn no_variant<T>(query: &mut Query<'_>, stage: &str, variant: Variant) -> Result<T, Stop> {
    let (option, engine) = variant.option();
    let shown = match variant {
        Variant::Fused => "`delta`, `delta-trace` or `delta-lets`",
        Variant::Erased => "`rep` with `--engine curry-env`",
    };
    let title = format!("the stage `{stage}` has no {} form", variant.adjective());
    let diagnostic = Diagnostic::error("E0812", Span::NONE, title, "")
        .note(format!("`{option}` is a way of running `{engine}`, and its stages show the effect"))
        .hint(format!("leave out `{option}`, or show {shown}"));
    query.fail(diagnostic)
}

fn ast(query: &mut Query<'_>, call: &Call) -> Result<String, Stop> {
    let file = query.read_text(&call.file)?;
    let parse = pullback_syntax::parse(query.sources.text(file), file);
    query.diagnostics.extend(parse.diagnostics);
    Ok(pullback_syntax::dump_ast(query.sources.text(file), &parse.module))
}

fn types(query: &mut Query<'_>, call: &Call) -> Result<String, Stop> {
    let modules = load(query, &call.file)?;
    let inferred = typed(query, &modules);
    query.stop_on_errors()?;
    let line = |name: &str, id| format!("{name} : {}\n", show_scheme(inferred.typed(), id));
    if call.entry.is_empty() {
        return Ok(inferred.globals().map(|(name, id)| line(name, id)).collect());
    }
    let id = inferred.entry(query, &call.entry)?;
    Ok(line(&call.entry, id))
}

/// The calculus of the entry, or of every definition of the file; a comment stands for one that works
/// on any record or tuple with some part, which has no code of its own.
fn lambda(query: &mut Query<'_>, call: &Call) -> Result<String, Stop> {
    let (program, _, generic) = calculus(query, call)?;
    let mut text = program.print();
    for line in generic {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line);
    }
    Ok(text)
}

/// The program of the entry, or of every definition of the file, which definitions these are, and a comment
/// for each one that is not in it.
pub(crate) fn calculus(
    query: &mut Query<'_>,
    call: &Call,
) -> Result<(Program, Vec<DefId>, Vec<String>), Stop> {
    let modules = load(query, &call.file)?;
    let inferred = typed(query, &modules);
    query.stop_on_errors()?;
    if !call.entry.is_empty() {
        let roots = [inferred.entry(query, &call.entry)?];
        let (program, defs) = inferred.program(query, &roots)?;
        return Ok((program, defs, vec![]));
    }
    let all = inferred.globals().map(|(_, id)| id);
    let (generic, roots): (Vec<_>, Vec<_>) =
        all.partition(|id| open_types(inferred.typed(), *id).is_some());
    let (program, defs) = inferred.program(query, &roots)?;
    let comment = |id: GlobalId| {
        let name = &inferred.typed().globals[id].name;
        let scheme = show_scheme(inferred.typed(), id);
        format!("-- {name} : {scheme} becomes code where a use tells its types\n")
    };
    Ok((program, defs, generic.into_iter().map(comment).collect()))
}

/// The intermediate form of an engine. The entry becomes a function of one argument: the tuple of its
/// parameters, or of the data among the arguments if arguments are given.
fn show_form(
    query: &mut Query<'_>,
    call: &Call,
    info: &EngineInfo,
    form: &Form,
) -> Result<String, Stop> {
    let shown = if form.needs_argument || call.has_arguments() {
        let settings = Settings { engine: Some(info.name.to_owned()), ..call.settings.clone() };
        let engine = Engine::resolve(query, &settings)?;
        let purpose = Purpose::Derivative { wrt: &[], scalar: false, direction: None };
        // A form that has bounded recursion itself shows that, not the program with counters.
        let letter = LETTERS.iter().find(|(stage, _)| *stage == form.name);
        let mut call = call.clone();
        if letter.is_some() {
            call.settings.fuel = None;
        }
        let Prepared { code, function, argument, .. } = prepare(query, &call, &engine, &purpose)?;
        match letter {
            Some((_, show)) => {
                let letter = Letter { fuel: settings.fuel, is_strict: settings.strict };
                show(&info.seen(code.program()), function, argument, letter)
            }
            None => (form.show)(&info.seen(code.program()), function, Some(argument)),
        }
    } else {
        let (program, function) = unapplied(query, call, &call.entry)?;
        (form.show)(&info.seen(&program), function, None)
    };
    shown.or_else(|fault| query.fail(*fault))
}

/// An entry without arguments: the program with `\s -> ENTRY s.0 s.1 …`.
pub(crate) fn unapplied(
    query: &mut Query<'_>,
    call: &Call,
    entry: &str,
) -> Result<(Program, DefId), Stop> {
    let modules = load(query, &call.file)?;
    let inferred = typed(query, &modules);
    query.stop_on_errors()?;
    let id = inferred.entry(query, entry)?;
    let global = &inferred.typed().globals[id];
    let info = Entry::new(inferred.typed(), Some(&modules.main().module), global);
    if let Some(param) = info.params.iter().find(|param| !param.is_data) {
        let title = format!("the parameter `{}` of `{entry}` is a function", param.name);
        let diagnostic = Diagnostic::error("E0817", info.span, title, "defined here")
            .note("this stage is the form of a function of data")
            .hint("give arguments after the name, the function among them");
        return query.fail(diagnostic);
    }
    if info.params.is_empty() {
        let title = format!("`{entry}` has no parameters");
        let diagnostic = Diagnostic::error("E0811", info.span, title, "defined here")
            .note("this stage is the form of a function, to be differentiated")
            .hint("name a definition with parameters");
        return query.fail(diagnostic);
    }
    let count = info.params.len();
    let (mut program, roots) = inferred.program(query, &[id])?;
    let Def { name, ty, span, .. } = program.defs[roots[0]].clone();
    let (types, _) = curried(&ty, count);
    let function = program.global(roots[0], span);
    let body = |_: &mut Program, args| Expr::app(function, args, span);
    let function = add_function(&mut program, name, span, types, body);
    Ok((program, function))
}
