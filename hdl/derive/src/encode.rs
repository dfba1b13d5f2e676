//! `#[derive(Encode)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result};

pub fn derive(input: DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "a state is an enum"));
    };
    if let Some(v) = data.variants.iter().find(|v| !matches!(v.fields, Fields::Unit) || v.discriminant.is_some()) {
        return Err(Error::new_spanned(v, "a state's variants have no fields and no discriminants"));
    }
    if data.variants.is_empty() {
        return Err(Error::new_spanned(&input.ident, "a state has at least one variant"));
    }
    let name = &input.ident;
    let text = name.to_string();
    let variants: Vec<_> = data.variants.iter().map(|v| &v.ident).collect();
    let texts: Vec<_> = variants.iter().map(|v| v.to_string()).collect();
    let codes = 0..variants.len() as u64;
    Ok(quote! {
        impl ::hdl::Encode for #name {
            const NAME: &'static str = #text;
            const VARIANTS: &'static [(&'static str, Self)] = &[#((#texts, #name::#variants)),*];
            fn encoded(self) -> u64 {
                match self { #(#name::#variants => #codes,)* }
            }
        }
    })
}
