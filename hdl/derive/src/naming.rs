//! `#[names]`.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Block, Expr, Item, Local, Pat, Stmt, parse_quote, visit_mut::VisitMut};

pub fn rewrite(mut item: Item) -> TokenStream {
    Names.visit_item_mut(&mut item);
    item.into_token_stream()
}

struct Names;

impl VisitMut for Names {
    fn visit_block_mut(&mut self, block: &mut Block) {
        syn::visit_mut::visit_block_mut(self, block);
        let mut stmts = Vec::new();
        for stmt in block.stmts.drain(..) {
            let names = match &stmt {
                Stmt::Local(local) if can_name(local) => bound(&local.pat),
                _ => vec![],
            };
            stmts.push(stmt);
            for ident in names {
                let text = ident.to_string();
                let text = text.trim_start_matches("r#");
                stmts.push(parse_quote! {
                    {
                        #[allow(unused_imports)]
                        use ::hdl::names::{NameIt as _, NameNothing as _};
                        (&::hdl::names::Probe(&#ident)).name_it(#text);
                    }
                });
            }
        }
        block.stmts = stmts;
    }
}

/// Bindings whose type is known at the `let` itself and that have a value.
fn can_name(local: &Local) -> bool {
    let Some(init) = &local.init else { return false };
    !matches!(
        &*init.expr,
        Expr::Closure(_)
            | Expr::Lit(_)
            | Expr::Reference(_)
            | Expr::Macro(_)
            | Expr::Range(_)
            | Expr::Struct(_)
            | Expr::Binary(syn::ExprBinary {
                op: syn::BinOp::Lt(_)
                    | syn::BinOp::Gt(_)
                    | syn::BinOp::Eq(_)
                    | syn::BinOp::Ne(_)
                    | syn::BinOp::Le(_)
                    | syn::BinOp::Ge(_),
                ..
            })
    ) && !is_new_collection(&init.expr)
}

fn is_new_collection(expr: &Expr) -> bool {
    matches!(expr, Expr::Call(c) if c.args.is_empty() && c.func.to_token_stream().to_string().ends_with(":: new"))
}

fn bound(pat: &Pat) -> Vec<syn::Ident> {
    match pat {
        Pat::Ident(p) if p.by_ref.is_none() && !p.ident.to_string().starts_with('_') => vec![p.ident.clone()],
        Pat::Tuple(t) => t.elems.iter().flat_map(bound).collect(),
        Pat::Slice(s) => s.elems.iter().flat_map(bound).collect(),
        Pat::Type(t) => bound(&t.pat),
        _ => vec![],
    }
}
