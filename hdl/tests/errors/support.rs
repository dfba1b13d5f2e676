//! Small blocks and the text of what is wrong with them.

/// `block!(Name { input a: 8, output y: 8 } |io| { … })` defines a block `Name` whose module is called `m`;
/// `Name as "other"` calls it otherwise.
macro_rules! block {
    ($name:ident { $($body:tt)* } $($rest:tt)*) => {
        $crate::support::block!($name as "m" { $($body)* } $($rest)*);
    };
    ($name:ident as $module:literal { $($dir:ident $(@ $clock:tt)? $field:ident : $width:expr),* $(,)? } |$io:ident| $body:block) => {
        struct $name;
        const _: () = {
            #[derive(hdl::Bundle, Clone)]
            pub struct Io<S> {
                $(#[$dir] $(#[clock($clock)])? #[width($width)] $field: S,)*
            }
            impl hdl::Block for $name {
                type Io<S> = Io<S>;
                fn name(&self) -> String {
                    $module.into()
                }
                fn io(&self) -> Io<hdl::Shape> {
                    Io::shape()
                }
                #[hdl::names]
                fn build(&self, $io: &Io<hdl::Bits>) $body
            }
        };
    };
}
pub(crate) use block;

/// The errors of a block, one a line; `FILE:LINE` becomes the marker that stands on that line as `// MARKER`.
pub fn errors(block: &impl hdl::Block, source: &str) -> String {
    match hdl::elaborate(block) {
        Ok(_) => "no error".into(),
        Err(e) => marked(&e.to_string(), source),
    }
}

/// `text` with each `errors/NAME.rs:LINE` replaced by the marker in that line's comment.
pub fn marked(text: &str, source: &str) -> String {
    let mut out = text.to_string();
    // From the end: line 12 must not match within line 123.
    let lines: Vec<&str> = source.lines().collect();
    for (i, line) in lines.iter().enumerate().rev() {
        if let Some((_, marker)) = line.split_once(" // ").filter(|(code, _)| !code.is_empty()) {
            let name = lines.first().and_then(|l| l.strip_prefix("//! ")).and_then(|l| l.split(':').next());
            let place = format!("hdl/tests/errors/{}.rs:{}", name.unwrap_or_default(), i + 1);
            out = out.replace(&place, marker);
        }
    }
    out
}
