//! `Encode`: writes a type as a value.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::attributes::{DeriveBody, DeriveField, DeriveTarget, DeriveVariant, FieldLayout};

pub(crate) fn implement_encode(container: &DeriveTarget) -> TokenStream {
    let body = encode_body(container);
    container.implement(
        quote!(::tool_core::convert::Encode),
        quote! {
            fn encode(&self, encoder: &mut ::tool_core::convert::Encoder) -> ::core::result::Result<::tool_core::Value, ::tool_core::convert::EncodeError> {
                #body
            }
        },
    )
}

fn encode_body(container: &DeriveTarget) -> TokenStream {
    let attributes = &container.attributes;
    if let Some(into) = &attributes.into {
        return quote! {
            let value: #into = ::core::convert::Into::into(::core::clone::Clone::clone(self));
            ::tool_core::convert::Encode::encode(&value, encoder)
        };
    }
    if let Some(inner) = container.inner() {
        let member = &inner.member;
        return write_field(inner, &quote!(&self.#member));
    }
    match &container.body {
        DeriveBody::Struct(FieldLayout::Unit) => quote!(Ok(::tool_core::Value::Null)),
        DeriveBody::Struct(FieldLayout::Named(fields)) => {
            let access = |field: &DeriveField| {
                let member = &field.member;
                quote!(&self.#member)
            };
            self::write_named_fields(fields, access, |rows| quote!(encoder.fields(#rows)))
        }
        DeriveBody::Struct(FieldLayout::Tuple(fields)) => {
            let members = fields.iter().map(|field| &field.member);
            quote!(encoder.elements(&[#(&self.#members),*]))
        }
        DeriveBody::Struct(FieldLayout::Newtype(_)) => unreachable!("written as its field"),
        DeriveBody::Enum(variants) => {
            let arms = variants.iter().map(variant_arm);
            quote!(match self { #(#arms)* })
        }
    }
}

/// Writes one value, given as an expression of a reference.
fn write_field(field: &DeriveField, value: &TokenStream) -> TokenStream {
    match &field.encode_with {
        Some(function) => quote!(#function(#value, encoder)),
        None => quote!(::tool_core::convert::Encode::encode(#value, encoder)),
    }
}

/// Writes named fields by a method of the encoder: rows of `(name, value where it is written)`.
fn write_named_fields(
    fields: &[DeriveField],
    access: impl Fn(&DeriveField) -> TokenStream,
    write: impl Fn(TokenStream) -> TokenStream,
) -> TokenStream {
    let (mut bindings, mut rows) = (Vec::new(), Vec::new());
    for field in fields.iter().filter(|field| !field.skip_encoding) {
        let (name, local, access) = (&field.name, &field.local, access(field));
        let value = match &field.encode_with {
            Some(function) => {
                let write = quote!(|value, encoder| #function(value, encoder));
                bindings
                    .push(quote!(let #local = ::tool_core::convert::EncodeWith(#access, #write);));
                quote!(&#local)
            }
            None => access.clone(),
        };
        let value = quote!(#value as &dyn ::tool_core::convert::Encode);
        rows.push(match &field.skip_encoding_if {
            Some(skip) => quote!((#name, (!#skip(#access)).then_some(#value))),
            None => quote!((#name, ::core::option::Option::Some(#value))),
        });
    }
    let written = write(quote!(&[#(#rows),*]));
    quote!({ #(#bindings)* #written })
}

fn variant_arm(variant: &DeriveVariant) -> TokenStream {
    let (ident, name) = (&variant.ident, &variant.name);
    match &variant.shape {
        FieldLayout::Unit if variant.untagged => {
            quote!(Self::#ident => Ok(::tool_core::Value::Null),)
        }
        FieldLayout::Unit => quote!(Self::#ident => Ok(::tool_core::Value::from(#name)),),
        FieldLayout::Newtype(field) => {
            let inner = match variant.untagged {
                true => write_field(field, &quote!(inner)),
                false => quote!(encoder.tagged(#name, inner)),
            };
            quote!(Self::#ident(inner) => #inner,)
        }
        FieldLayout::Tuple(fields) => {
            let locals: Vec<_> = (0..fields.len())
                .map(|index| format_ident!("element_{index}"))
                .collect();
            let written = match variant.untagged {
                true => quote!(encoder.elements(&[#(#locals),*])),
                false => quote!(encoder.tagged_elements(#name, &[#(#locals),*])),
            };
            quote!(Self::#ident(#(#locals),*) => #written,)
        }
        FieldLayout::Named(fields) => {
            let members = fields.iter().filter(|field| !field.skip_encoding);
            let members = members.map(|field| &field.member);
            let access = |field: &DeriveField| {
                let member = &field.member;
                quote!(#member)
            };
            let written = self::write_named_fields(fields, access, |rows| match variant.untagged {
                true => quote!(encoder.fields(#rows)),
                false => quote!(encoder.tagged_fields(#name, #rows)),
            });
            quote!(Self::#ident { #(#members,)* .. } => #written,)
        }
    }
}
