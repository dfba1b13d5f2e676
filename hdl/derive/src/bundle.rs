//! `#[derive(Bundle)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprLit, Field, Fields, GenericArgument, GenericParam, Ident, Lit, Meta,
    PathArguments, Result, Type, parse_quote,
};

pub fn derive(input: DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "a bundle is a struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "a bundle has named fields"));
    };
    let leaf = match input.generics.params.iter().collect::<Vec<_>>()[..] {
        [GenericParam::Type(t)] => t.ident.clone(),
        _ => {
            return Err(Error::new_spanned(
                &input.generics,
                "a bundle has one type parameter: what stands at its leaves",
            ));
        }
    };
    let name = &input.ident;
    let fields: Vec<Parsed> = fields.named.iter().map(|f| Parsed::new(f, &leaf)).collect::<Result<_>>()?;
    let idents: Vec<_> = fields.iter().map(|f| &f.ident).collect();
    let maps: Vec<_> = fields.iter().map(Parsed::map).collect();
    let params: TokenStream = match input.attrs.iter().find(|a| a.path().is_ident("bundle")) {
        Some(a) => a.meta.require_list()?.tokens.clone(),
        None => quote!(),
    };
    let shapes = fields.iter().map(|f| f.shape_expr(&f.kind)).collect::<Result<Vec<_>>>()?;
    let bundle_doc = format!("Widths of a [`{name}`].");
    Ok(quote! {
        impl<#leaf> ::hdl::Bundle<#leaf> for #name<#leaf> {
            type With<HdlT> = #name<HdlT>;
            fn map_fields<HdlT>(
                &self,
                at: &::hdl::bundle::Field,
                f: &mut dyn FnMut(&::hdl::bundle::Field, &#leaf) -> HdlT,
            ) -> #name<HdlT> {
                #name { #(#idents: #maps),* }
            }
        }
        impl #name<::hdl::Shape> {
            #[doc = #bundle_doc]
            pub fn shape(#params) -> Self {
                #name { #(#idents: #shapes),* }
            }
        }
        impl ::hdl::Nameable for #name<::hdl::Bits> {
            fn give_name(&self, name: &str) {
                ::hdl::names::name_bundle(self, name);
            }
        }
    })
}

enum Kind {
    Leaf,
    List(Box<Kind>),
    Array(Box<Kind>),
    Maybe(Box<Kind>),
    Nested(Box<Type>),
}

impl Kind {
    /// What an attribute would say in vain is a mistake of the field's author.
    fn check_attributes(&self, field: &Field) -> Result<()> {
        let (mut lists, mut options) = (0, 0);
        let mut inner = self;
        let nested = loop {
            inner = match inner {
                Kind::List(k) => {
                    lists += 1;
                    k
                }
                Kind::Maybe(k) => {
                    options += 1;
                    k
                }
                Kind::Array(k) => k,
                Kind::Leaf => break false,
                Kind::Nested(_) => break true,
            };
        };
        if lists > 1 || options > 1 {
            let text = "a field has one Vec and one Option at most: make the inner one a bundle";
            return Err(Error::new_spanned(&field.ty, text));
        }
        let given = |name: &str| field.attrs.iter().find(|a| a.path().is_ident(name));
        let vain = [
            ("width", nested, "a nested bundle has no width of its own: use #[shape(…)]"),
            ("shape", !nested, "a leaf has no shape: use #[width(…)]"),
            ("count", lists == 0, "only a Vec has a count"),
            ("present", options == 0, "only an Option can be absent"),
            ("output", given("input").is_some(), "a field cannot be both input and output"),
        ];
        match vain.iter().find_map(|(name, wrong, text)| given(name).filter(|_| *wrong).map(|a| (a, text))) {
            Some((attribute, text)) => Err(Error::new_spanned(attribute, text)),
            None => Ok(()),
        }
    }
}

struct Parsed<'a> {
    ident: Ident,
    kind: Kind,
    flip: bool,
    clock: TokenStream,
    doc: String,
    attrs: &'a [Attribute],
}

fn argument(ty: &Type, of: &str) -> Option<Type> {
    let Type::Path(p) = ty else { return None };
    let last = p.path.segments.last()?;
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    match (last.ident == of, args.args.first()) {
        (true, Some(GenericArgument::Type(t))) => Some(t.clone()),
        _ => None,
    }
}

fn kind(ty: &Type, leaf: &Ident) -> Result<Kind> {
    if matches!(ty, Type::Path(p) if p.path.is_ident(leaf)) {
        return Ok(Kind::Leaf);
    }
    if let Some(inner) = argument(ty, "Vec") {
        return Ok(Kind::List(Box::new(kind(&inner, leaf)?)));
    }
    if let Some(inner) = argument(ty, "Option") {
        return Ok(Kind::Maybe(Box::new(kind(&inner, leaf)?)));
    }
    match ty {
        Type::Array(a) => Ok(Kind::Array(Box::new(kind(&a.elem, leaf)?))),
        Type::Path(_) => Ok(Kind::Nested(Box::new(ty.clone()))),
        _ => Err(Error::new_spanned(ty, "a field is a leaf, a bundle, or a Vec, array or Option of these")),
    }
}

impl<'a> Parsed<'a> {
    fn new(field: &'a Field, leaf: &Ident) -> Result<Self> {
        let has = |name: &str| field.attrs.iter().any(|a| a.path().is_ident(name));
        let doc: Vec<String> = field.attrs.iter().filter_map(doc_line).collect();
        let clock = match field.attrs.iter().find(|a| a.path().is_ident("clock")) {
            Some(a) => {
                // `async` is a keyword and still a domain.
                let name = a.parse_args_with(Ident::parse_any)?.to_string();
                quote!(Some(#name))
            }
            None => quote!(None),
        };
        let kind = kind(&field.ty, leaf)?;
        kind.check_attributes(field)?;
        Ok(Parsed {
            ident: field.ident.clone().expect("named fields"),
            kind,
            flip: has("flip") || has("input"),
            clock,
            doc: doc.join(" ").trim().to_string(),
            attrs: &field.attrs,
        })
    }

    fn map(&self) -> TokenStream {
        let ident = &self.ident;
        let (flip, clock, doc) = (self.flip, &self.clock, &self.doc);
        let text = ident.to_string();
        let text = text.trim_start_matches("r#");
        let body = map_kind(&self.kind, quote!(&self.#ident), quote!(&at));
        quote! {{
            let at = at.child(#text, #flip, #clock, #doc);
            #body
        }}
    }

    fn expr(&self, name: &str) -> Result<Option<Expr>> {
        self.attrs.iter().find(|a| a.path().is_ident(name)).map(|a| a.parse_args::<Expr>()).transpose()
    }

    fn shape_expr(&self, kind: &Kind) -> Result<TokenStream> {
        Ok(match kind {
            Kind::Leaf => {
                let width = self.expr("width")?.unwrap_or_else(|| parse_quote!(1));
                quote!(::hdl::Shape(#width))
            }
            Kind::List(inner) => {
                let count = self.expr("count")?.ok_or_else(|| {
                    Error::new_spanned(&self.ident, format!("field `{}` is a Vec and needs #[count(…)]", self.ident))
                })?;
                let inner = self.shape_expr(inner)?;
                quote!((0..(#count) as usize).map(|_| #inner).collect())
            }
            Kind::Array(inner) => {
                let inner = self.shape_expr(inner)?;
                quote!(::std::array::from_fn(|_| #inner))
            }
            Kind::Maybe(inner) => {
                let present = self.expr("present")?.ok_or_else(|| {
                    Error::new_spanned(
                        &self.ident,
                        format!("field `{}` is an Option and needs #[present(…)]", self.ident),
                    )
                })?;
                let inner = self.shape_expr(inner)?;
                quote!(if #present { Some(#inner) } else { None })
            }
            Kind::Nested(ty) => match self.expr("shape")? {
                Some(e) => quote!(#e),
                None => {
                    let Type::Path(p) = &**ty else { unreachable!("kind() made it from a path") };
                    let mut path = p.path.clone();
                    if let Some(last) = path.segments.last_mut() {
                        last.arguments = PathArguments::None;
                    }
                    quote!(#path::<::hdl::Shape>::shape())
                }
            },
        })
    }
}

fn map_kind(kind: &Kind, value: TokenStream, at: TokenStream) -> TokenStream {
    match kind {
        Kind::Leaf => quote!(f(#at, #value)),
        Kind::Nested(_) => quote!(::hdl::Bundle::map_fields(#value, #at, f)),
        Kind::Maybe(inner) => {
            let body = map_kind(inner, quote!(item), at);
            quote!((#value).as_ref().map(|item| #body))
        }
        Kind::List(inner) => {
            let body = map_kind(inner, quote!(item), quote!(&at));
            quote! {{
                let list = #value;
                list.iter().enumerate().map(|(i, item)| { let at = at.index(i); #body }).collect()
            }}
        }
        Kind::Array(inner) => {
            let body = map_kind(inner, quote!(item), quote!(&at));
            quote! {{
                let list = #value;
                ::std::array::from_fn(|i| { let item = &list[i]; let at = at.index(i); #body })
            }}
        }
    }
}

fn doc_line(a: &Attribute) -> Option<String> {
    match &a.meta {
        Meta::NameValue(nv) if nv.path.is_ident("doc") => match &nv.value {
            Expr::Lit(ExprLit { lit: Lit::Str(s), .. }) => Some(s.value().trim().to_string()),
            _ => None,
        },
        _ => None,
    }
}
