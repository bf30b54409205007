//! Functions that are too long to be read at once.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprMatch, Signature, Stmt};

use super::modules::File;
use super::{MAX_ARM, MAX_AROUND, MAX_FUNCTION};

/// The long functions of a file, a line each.
pub(super) fn long(file: &File) -> Vec<String> {
    let mut functions = Functions {
        path: &file.path,
        long: Vec::new(),
    };
    functions.visit_file(&file.syntax);
    functions.long
}

struct Functions<'a> {
    path: &'a str,
    long: Vec<String>,
}

impl Functions<'_> {
    fn look_at(&mut self, signature: &Signature, body: &Block) {
        let first = signature.span().start().line;
        let lines = body.span().end().line + 1 - first;
        if lines > MAX_FUNCTION && !is_flat_match(body, lines) {
            self.long.push(format!(
                "{}:{first}: function `{}` has {lines} lines, more than {MAX_FUNCTION}",
                self.path, signature.ident
            ));
        }
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.look_at(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.look_at(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.look_at(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

/// Is a function of so many lines a table in the form of a `match`?
fn is_flat_match(body: &Block, lines: usize) -> bool {
    body.stmts.iter().filter_map(a_match).any(|table| {
        lines_of(table) + MAX_AROUND >= lines
            && table.arms.iter().all(|arm| lines_of(arm) <= MAX_ARM)
    })
}

/// The `match` that a statement is, or whose value it binds or gives.
fn a_match(statement: &Stmt) -> Option<&ExprMatch> {
    let mut expression = match statement {
        Stmt::Expr(expression, _) => expression,
        Stmt::Local(local) => &local.init.as_ref()?.expr,
        Stmt::Item(_) | Stmt::Macro(_) => return None,
    };
    loop {
        match expression {
            Expr::Match(table) => return Some(table),
            Expr::Return(inner) => expression = inner.expr.as_deref()?,
            Expr::Call(call) if call.args.len() == 1 => expression = &call.args[0],
            _ => return None,
        }
    }
}

fn lines_of(node: &impl Spanned) -> usize {
    let span = node.span();
    span.end().line + 1 - span.start().line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        let file = File {
            path: "a.rs".to_owned(),
            module: Vec::new(),
            syntax: syn::parse_file(text).expect("the text is Rust"),
        };
        long(&file).len()
    }

    #[test]
    fn long_functions_are_found_wherever_they_stand() {
        let body = "f();\n".repeat(61);
        assert_eq!(count(&format!("fn a() {{\n{body}}}")), 1);
        assert_eq!(count(&format!("impl A {{ fn a() {{\n{body}}} }}")), 1);
        assert_eq!(count(&format!("trait A {{ fn a() {{\n{body}}} }}")), 1);
        assert_eq!(count(&format!("fn a() {{\n{}}}", "f();\n".repeat(58))), 0);
    }

    #[test]
    fn flat_matches_may_be_long() {
        let arms = "1 => f(),\n".repeat(80);
        assert_eq!(count(&format!("fn a() {{\nmatch x {{\n{arms}}}\n}}")), 0);
        let deep = format!("1 => {{\n{}}}\n", "f();\n".repeat(20));
        assert_eq!(
            count(&format!("fn a() {{\nmatch x {{\n{arms}{deep}}}\n}}")),
            1
        );
    }
}
