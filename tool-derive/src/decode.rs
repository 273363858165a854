//! `Decode`: reads a type from a value.

use proc_macro2::TokenStream;
use quote::quote;

use crate::attributes::{
    DefaultValue, DeriveBody, DeriveField, DeriveTarget, DeriveVariant, FieldLayout,
};

pub(crate) fn implement_decode(container: &DeriveTarget) -> TokenStream {
    let body = decode_body(container);
    container.implement(
        quote!(::tool_core::convert::Decode),
        quote! {
            fn decode(value: &::tool_core::Value) -> ::core::result::Result<Self, ::tool_core::convert::DecodeError> {
                #body
            }
        },
    )
}

fn decode_body(container: &DeriveTarget) -> TokenStream {
    let attributes = &container.attributes;
    if let Some(from) = &attributes.from {
        return quote! {
            <#from as ::tool_core::convert::Decode>::decode(value).map(::core::convert::From::from)
        };
    }
    if let Some(from) = &attributes.try_from {
        return quote! {
            let value = <#from as ::tool_core::convert::Decode>::decode(value)?;
            ::core::convert::TryFrom::try_from(value).map_err(::tool_core::convert::DecodeError::new)
        };
    }
    if let Some(inner) = container.inner() {
        let (member, read) = (&inner.member, field_reader(inner));
        let skipped = container_fields(container)
            .iter()
            .filter(|field| field.skip_decoding);
        let skipped = skipped.map(|field| &field.member);
        return quote! {
            Ok(Self { #member: #read(value)?, #(#skipped: ::core::default::Default::default(),)* })
        };
    }
    match &container.body {
        DeriveBody::Struct(FieldLayout::Unit) => quote! {
            <() as ::tool_core::convert::Decode>::decode(value).map(|()| Self)
        },
        DeriveBody::Struct(FieldLayout::Named(fields)) => {
            let read = decode_named_fields(fields, &quote!(Self), attributes.default);
            let names = field_names(fields);
            quote! {
                let mut fields = ::tool_core::convert::Fields::read(value, &[#(#names),*])?;
                #read
            }
        }
        DeriveBody::Struct(FieldLayout::Tuple(fields)) => {
            decode_tuple_fields(fields, &quote!(Self), &quote!(value))
        }
        DeriveBody::Struct(FieldLayout::Newtype(_)) => unreachable!("read as its field"),
        DeriveBody::Enum(variants) if attributes.untagged => {
            decode_untagged_variants(container, variants)
        }
        DeriveBody::Enum(variants) => decode_tagged_variants(variants),
    }
}

fn container_fields(container: &DeriveTarget) -> &[DeriveField] {
    match &container.body {
        DeriveBody::Struct(shape) => shape.fields(),
        DeriveBody::Enum(_) => &[],
    }
}

/// The function that reads a field.
fn field_reader(field: &DeriveField) -> TokenStream {
    let ty = &field.ty;
    match &field.decode_with {
        Some(function) => quote!(#function),
        None => quote!(<#ty as ::tool_core::convert::Decode>::decode),
    }
}

fn field_names(fields: &[DeriveField]) -> Vec<&str> {
    let read = fields.iter().filter(|field| !field.skip_decoding);
    read.map(|field| field.name.as_str()).collect()
}

/// Reads named fields from `fields`.
fn decode_named_fields(
    fields: &[DeriveField],
    constructor: &TokenStream,
    container_default: bool,
) -> TokenStream {
    let read_fields: Vec<&DeriveField> = fields.iter().filter(|one| !one.skip_decoding).collect();
    let reads = read_fields.iter().map(|field| {
        let (local, name, ty, read) = (&field.local, &field.name, &field.ty, field_reader(field));
        if container_default || !matches!(field.default, DefaultValue::None) {
            quote!(let #local = fields.optional(#name, #read);)
        } else if field.decode_with.is_some() {
            quote!(let #local = fields.required(#name, #read, ::core::option::Option::None);)
        } else {
            quote!(let #local = fields.required(#name, #read, <#ty as ::tool_core::convert::Decode>::absent());)
        }
    });
    let locals = read_fields.iter().map(|field| &field.local);
    let patterns = locals.clone();
    let taken = match read_fields.is_empty() {
        true => quote!(fields.finish()?;),
        false => quote! {
            let (#(::core::option::Option::Some(#patterns),)*) = (#(#locals,)*) else {
                return Err(fields.into_error());
            };
        },
    };
    let values = fields.iter().map(|field| {
        let (member, local) = (&field.member, &field.local);
        let default = match &field.default {
            DefaultValue::Function(function) => quote!(#function()),
            _ if container_default => quote!(defaults.#member),
            _ => quote!(::core::default::Default::default()),
        };
        let has_default = container_default || !matches!(field.default, DefaultValue::None);
        match (field.skip_decoding, has_default) {
            (true, _) => quote!(#member: #default),
            (false, true) => quote! {
                #member: match #local {
                    ::core::option::Option::Some(given) => given,
                    ::core::option::Option::None => #default,
                }
            },
            (false, false) => quote!(#member: #local),
        }
    });
    let defaults = container_default
        .then(|| quote!(let defaults: Self = ::core::default::Default::default();));
    quote! {
        #(#reads)*
        #taken
        #defaults
        Ok(#constructor { #(#values),* })
    }
}

fn decode_tuple_fields(
    fields: &[DeriveField],
    constructor: &TokenStream,
    value: &TokenStream,
) -> TokenStream {
    let length = fields.len();
    let reads = fields.iter().enumerate().map(|(index, field)| {
        let read = field_reader(field);
        quote!(elements.read_with(#index, #read)?)
    });
    quote! {
        let elements = ::tool_core::convert::Elements::read(#value, #length)?;
        Ok(#constructor(#(#reads),*))
    }
}

fn decode_tagged_variants(variants: &[DeriveVariant]) -> TokenStream {
    let readable: Vec<&DeriveVariant> = variants.iter().filter(|one| !one.skip_decoding).collect();
    let spellings = readable.iter().flat_map(|variant| &variant.spellings);
    let arms = readable.iter().map(|variant| {
        let (ident, spellings) = (&variant.ident, &variant.spellings);
        let constructor = quote!(Self::#ident);
        let content = match &variant.shape {
            FieldLayout::Unit => quote!(tagged.unit().map(|()| #constructor)),
            FieldLayout::Newtype(field) => {
                let read = field_reader(field);
                quote!(tagged.content("newtype variant", #read).map(#constructor))
            }
            FieldLayout::Tuple(fields) => {
                let read = decode_tuple_fields(fields, &constructor, &quote!(value));
                quote!(tagged.content("tuple variant", |value| { #read }))
            }
            FieldLayout::Named(fields) => {
                let (read, names) = (
                    decode_named_fields(fields, &constructor, false),
                    field_names(fields),
                );
                quote!(tagged.content("struct variant", |value| {
                    let mut fields = ::tool_core::convert::Fields::read(value, &[#(#names),*])?;
                    #read
                }))
            }
        };
        quote!(#(#spellings)|* => #content,)
    });
    quote! {
        let tagged = ::tool_core::convert::TaggedObject::read(value)?;
        match tagged.name() {
            #(#arms)*
            _ => Err(tagged.unknown(&[#(#spellings),*])),
        }
    }
}

fn decode_untagged_variants(container: &DeriveTarget, variants: &[DeriveVariant]) -> TokenStream {
    let readable = variants.iter().filter(|variant| !variant.skip_decoding);
    let attempts = readable.map(|variant| {
        let ident = &variant.ident;
        let constructor = quote!(Self::#ident);
        let body = match &variant.shape {
            FieldLayout::Unit => quote! {
                <() as ::tool_core::convert::Decode>::decode(value).map(|()| #constructor)
            },
            FieldLayout::Newtype(field) => {
                let read = field_reader(field);
                quote!(#read(value).map(#constructor))
            }
            FieldLayout::Tuple(fields) => decode_tuple_fields(fields, &constructor, &quote!(value)),
            FieldLayout::Named(fields) => {
                let (read, names) = (decode_named_fields(fields, &constructor, false), field_names(fields));
                quote! {
                    let mut fields = ::tool_core::convert::Fields::read(value, &[#(#names),*])?;
                    #read
                }
            }
        };
        quote! {
            let attempt = || -> ::core::result::Result<Self, ::tool_core::convert::DecodeError> { #body };
            if let Ok(read) = attempt() {
                return Ok(read);
            }
        }
    });
    let message = format!(
        "data did not match any variant of untagged enum {}",
        container.ident
    );
    quote! {
        #(#attempts)*
        Err(::tool_core::convert::DecodeError::new(#message))
    }
}
