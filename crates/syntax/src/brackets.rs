//! Which bracket belongs to which, found before parsing.
//!
//! Input: tokens. Output: for each token its partner; unclosed and stray brackets are reported here,
//! stray ones are taken out of the token list, so the parser never reports a bracket.
//! An item keyword ends every open bracket: one forgotten bracket spoils one item only.

use pullback_base::{Diagnostic, FileId, Span};

use crate::errors::{MAX_DIAGNOSTICS, bracket};
use crate::token::Token;

/// "This token has no partner."
pub(crate) const NO_PARTNER: u32 = u32::MAX;

/// Pairs the brackets of `tokens`.
pub(crate) fn pair(
    tokens: &mut Vec<Token>,
    file: FileId,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<u32> {
    let span = |token: &Token| Span::new(file, token.lo as usize, token.hi as usize);
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut partner = Vec::with_capacity(tokens.len());
    let mut open: Vec<usize> = Vec::new();
    let mut last_was_stray = false;
    for (index, token) in tokens.iter().enumerate() {
        let at = kept.len();
        let mut mine = NO_PARTNER;
        if token.kind.closer().is_some() {
            open.push(at);
        } else if token.kind.starts_item() || token.kind == crate::token::TokenKind::Eof {
            if !open.is_empty() {
                let first: Vec<Token> = open.iter().map(|index| kept[*index]).collect();
                let after = kept.last().map_or(span(token), &span).end();
                add(diagnostics, || bracket::unclosed(&first, file, after, span(token)));
            }
            open.clear();
        } else if token.kind.is_closer() {
            let fits = |index: &usize| kept[*index].kind.closer() == Some(token.kind);
            // Only the nearest few are looked at, so that hostile text stays linear.
            let nearest = open.iter().rev().take(64).position(fits);
            if let Some(depth) = nearest {
                let opener = open.len() - 1 - depth;
                if opener + 1 < open.len() {
                    let inner: Vec<Token> =
                        open[opener + 1..].iter().map(|index| kept[*index]).collect();
                    let after = kept.last().map_or(span(token), &span).end();
                    add(diagnostics, || bracket::unclosed(&inner, file, after, span(token)));
                }
                mine = u32::try_from(open[opener]).unwrap_or(NO_PARTNER);
                partner[open[opener]] = u32::try_from(at).unwrap_or(NO_PARTNER);
                open.truncate(opener);
            } else if let Some(top) = open.pop() {
                add(diagnostics, || bracket::mismatched(kept[top], *token, file));
                mine = u32::try_from(top).unwrap_or(NO_PARTNER);
                partner[top] = u32::try_from(at).unwrap_or(NO_PARTNER);
            } else {
                if !last_was_stray {
                    let rest = tokens[index..].iter();
                    let closers = rest.take_while(|token| token.kind.is_closer()).map(&span);
                    add(diagnostics, || bracket::stray(token.kind, span(token), closers.collect()));
                }
                last_was_stray = true;
                continue;
            }
        }
        last_was_stray = false;
        kept.push(*token);
        partner.push(mine);
    }
    *tokens = kept;
    partner
}

/// Hostile text has brackets by the thousand; nobody reads so many messages.
fn add(diagnostics: &mut Vec<Diagnostic>, make: impl FnOnce() -> Diagnostic) {
    if diagnostics.len() <= 4 * MAX_DIAGNOSTICS {
        diagnostics.push(make());
    }
}
