//! Derive and attribute macros of the `hdl` crate: `#[derive(Bundle)]`, `#[derive(Encode)]` and `#[names]`.

use proc_macro::TokenStream;

mod bundle;
mod encode;
mod naming;

/// Makes a struct generic over its leaves a bundle (see `hdl::bundle`).
///
/// On the struct: `#[bundle(data_w: u32, …)]` names the parameters of the generated `shape(…)` constructor.
/// On fields: `#[width(EXPR)]` of a leaf (default 1), `#[shape(EXPR)]` of a nested bundle (default `Type::shape()`),
/// `#[count(EXPR)]` of a `Vec`, `#[present(EXPR)]` of an `Option`, `#[input]` or `#[flip]` to turn its direction round,
/// `#[output]` to say that it stays, `#[clock(NAME)]` for the clock domain of ports.
#[proc_macro_derive(Bundle, attributes(bundle, width, shape, count, present, input, output, flip, clock))]
pub fn derive_bundle(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    bundle::derive(input).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// Makes an enum without fields a state that a register can hold; variants are encoded 0, 1, 2, ….
#[proc_macro_derive(Encode)]
pub fn derive_encode(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    encode::derive(input).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// On a function or an `impl`: every `let` gives its name to the signals it binds.
#[proc_macro_attribute]
pub fn names(_: TokenStream, item: TokenStream) -> TokenStream {
    let item = syn::parse_macro_input!(item as syn::Item);
    naming::rewrite(item).into()
}
