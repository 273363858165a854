//! `Describe`: the JSON Schema of a type.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use crate::attributes::{
    CommonAttributes, DefaultValue, DeriveBody, DeriveField, DeriveTarget, DeriveVariant,
    FieldLayout, NumberBounds, SchemaSource,
};

pub(crate) fn implement_describe(container: &DeriveTarget) -> TokenStream {
    let attributes = &container.attributes;
    let schema = describe_body(container);
    let notes = schema_notes(&attributes.common);
    container.implement(
        quote!(::tool_core::schema::Describe),
        quote! {
            fn describe(contract: ::tool_core::schema::Contract) -> ::tool_core::schema::Schema {
                let mut schema = #schema;
                #notes
                schema
            }
        },
    )
}

/// Adds the doc comment and the extensions to `schema`.
fn schema_notes(common: &CommonAttributes) -> TokenStream {
    let (described, extended) = (describe_doc_comment(common), extend_schema(common));
    quote!(#described #extended)
}

fn describe_doc_comment(common: &CommonAttributes) -> Option<TokenStream> {
    let doc = &common.doc;
    (!doc.is_empty())
        .then(|| quote!(::tool_core::schema::derived::set_description(&mut schema, #doc);))
}

fn extend_schema(common: &CommonAttributes) -> TokenStream {
    let extend = common.extend.iter().map(|(key, value)| {
        quote!(::tool_core::schema::derived::set_keyword(&mut schema, #key, ::tool_core::schema::json!(#value));)
    });
    quote!(#(#extend)*)
}

fn type_schema_call(ty: &Type) -> TokenStream {
    quote!(<#ty as ::tool_core::schema::Describe>::describe(contract))
}

fn describe_body(container: &DeriveTarget) -> TokenStream {
    let attributes = &container.attributes;
    if let Some(with) = &attributes.schema_with {
        return type_schema_call(with);
    }
    let from = attributes.from.as_ref().or(attributes.try_from.as_ref());
    if from.is_some() || attributes.into.is_some() {
        let own = quote!(::core::compile_error!(
            "state the schema: `#[schema(with = ..)]`"
        ));
        let (read, written) = (
            from.map(type_schema_call),
            attributes.into.as_ref().map(type_schema_call),
        );
        let (read, written) = (read.unwrap_or_else(|| own.clone()), written.unwrap_or(own));
        return quote! {
            match contract {
                ::tool_core::schema::Contract::Read => #read,
                ::tool_core::schema::Contract::Write => #written,
            }
        };
    }
    if let Some(inner) = container.inner() {
        return field_schema(inner);
    }
    match &container.body {
        DeriveBody::Struct(FieldLayout::Unit) => {
            quote!(<() as ::tool_core::schema::Describe>::describe(contract))
        }
        DeriveBody::Struct(FieldLayout::Named(fields)) => {
            describe_named_fields(fields, attributes.default, attributes.closed)
        }
        DeriveBody::Struct(FieldLayout::Tuple(fields)) => describe_tuple_fields(fields),
        DeriveBody::Struct(FieldLayout::Newtype(_)) => unreachable!("described as its field"),
        DeriveBody::Enum(variants) => describe_variants(container, variants),
    }
}

/// The schema of the type of a field.
fn field_type_schema(field: &DeriveField) -> TokenStream {
    match (&field.schema.with, field.schema.required) {
        (Some(SchemaSource::Type(ty)), _) => type_schema_call(ty),
        (Some(SchemaSource::Function(function)), _) => quote!(#function()),
        (None, true) => {
            let ty = &field.ty;
            quote!(<#ty as ::tool_core::schema::Describe>::describe_present(contract))
        }
        (None, false) => type_schema_call(&field.ty),
    }
}

/// The schema of a field with what its attributes add.
fn field_schema(field: &DeriveField) -> TokenStream {
    let (source, described, bounds) = (
        field_type_schema(field),
        describe_doc_comment(&field.common),
        field_bounds(field),
    );
    let extended = extend_schema(&field.common);
    quote!({
        #[allow(unused_mut, reason = "few fields add something")]
        let mut schema = #source;
        #described
        #bounds
        #extended
        schema
    })
}

fn field_bounds(field: &DeriveField) -> TokenStream {
    let row = |kind: &str, key: &str, bound: &syn::Expr| quote!(::tool_core::schema::derived::set_bound(&mut schema, #kind, #key, ::tool_core::schema::json!(#bound)););
    let mut rows = Vec::new();
    let mut add = |bounds: &NumberBounds, kind: &str, suffix: &str| {
        rows.extend(
            bounds
                .min
                .as_ref()
                .map(|min| row(kind, &format!("min{suffix}"), min)),
        );
        rows.extend(
            bounds
                .max
                .as_ref()
                .map(|max| row(kind, &format!("max{suffix}"), max)),
        );
    };
    add(&field.schema.length, "string", "Length");
    add(&field.schema.length, "array", "Items");
    add(&field.schema.range, "number", "imum");
    quote!(#(#rows)*)
}

fn describe_named_fields(
    fields: &[DeriveField],
    container_default: bool,
    closed: bool,
) -> TokenStream {
    let shown = fields
        .iter()
        .filter(|field| !(field.skip_decoding && field.skip_encoding));
    let rows = shown.map(|field| field_row(field, container_default));
    quote!(::tool_core::schema::derived::struct_schema(contract, #closed, &[#(#rows),*]))
}

/// A row of the table of fields.
fn field_row(field: &DeriveField, container_default: bool) -> TokenStream {
    let (name, ty) = (&field.name, &field.ty);
    let doc = &field.common.doc;
    let source = match (&field.schema.with, field.schema.required) {
        (Some(SchemaSource::Type(ty)), _) => {
            quote!(<#ty as ::tool_core::schema::Describe>::describe)
        }
        (Some(SchemaSource::Function(function)), _) => quote!(|_| #function()),
        (None, true) => quote!(<#ty as ::tool_core::schema::Describe>::describe_present),
        (None, false) => quote!(<#ty as ::tool_core::schema::Describe>::describe),
    };
    let some = |function: TokenStream| quote!(::core::option::Option::Some(#function));
    let none = || quote!(::core::option::Option::None);
    let bounds = field_bounds(field);
    let bounds = match bounds.is_empty() {
        true => none(),
        false => some(quote!(|schema: &mut ::tool_core::schema::Schema| {
            let mut schema = schema;
            #bounds
        })),
    };
    let extended = extend_schema(&field.common);
    let extended = match extended.is_empty() {
        true => none(),
        false => some(quote!(|schema: &mut ::tool_core::schema::Schema| {
            let mut schema = schema;
            #extended
        })),
    };
    let default = default(field, container_default);
    let default = default.map_or_else(none, |default| some(quote!(|| #default)));
    let has_default = container_default || !matches!(field.default, DefaultValue::None);
    let option = match &field.schema.with {
        Some(SchemaSource::Type(ty)) => quote!(<#ty as ::tool_core::schema::Describe>::OPTIONAL),
        Some(SchemaSource::Function(_)) => quote!(false),
        None => quote!(<#ty as ::tool_core::schema::Describe>::OPTIONAL),
    };
    let (required, skips) = (field.schema.required, field.skip_encoding_if.is_some());
    let (read, written) = (!field.skip_decoding, !field.skip_encoding);
    quote!(::tool_core::schema::derived::FieldRow {
        name: #name,
        doc: #doc,
        describe: #source,
        bounds: #bounds,
        extend: #extended,
        default: #default,
        optional_in: #has_default || (!#required && #option),
        optional_out: #skips,
        read: #read,
        written: #written,
    })
}

/// The default as it is written, `None` where it would be left out.
fn default(field: &DeriveField, container_default: bool) -> Option<TokenStream> {
    let (ty, member) = (&field.ty, &field.member);
    let value = match &field.default {
        _ if field.skip_encoding => return None,
        DefaultValue::None if !container_default => return None,
        DefaultValue::None => quote!(<Self as ::core::default::Default>::default().#member),
        DefaultValue::Trait => quote!(<#ty as ::core::default::Default>::default()),
        DefaultValue::Function(function) => quote!(#function()),
    };
    let written = match &field.encode_with {
        Some(function) => {
            quote!(::tool_core::schema::derived::default_with(&value, |value, encoder| #function(value, encoder)))
        }
        None => quote!({
            #[allow(
                unused_imports,
                reason = "one of both says whether the type can be written"
            )]
            use ::tool_core::schema::derived::{MaybeEncode, NotEncode as _};
            MaybeEncode(value).schema()
        }),
    };
    let skip = field.skip_encoding_if.as_ref().map(|skip| {
        quote! {
            if #skip(&value) {
                return ::core::option::Option::None;
            }
        }
    });
    Some(quote!({
        let value: #ty = #value;
        #skip
        #written
    }))
}

fn describe_tuple_fields(fields: &[DeriveField]) -> TokenStream {
    let items = fields.iter().map(field_schema);
    quote!(::tool_core::schema::derived::tuple_schema(
        vec![#(#items),*]
    ))
}

fn describe_variants(container: &DeriveTarget, variants: &[DeriveVariant]) -> TokenStream {
    let attributes = &container.attributes;
    let plain = |variant: &&DeriveVariant| {
        matches!(variant.shape, FieldLayout::Unit) && variant.common.is_empty() && !variant.untagged
    };
    let names = variants.iter().filter(plain).map(|variant| {
        let (name, read) = (&variant.name, !variant.skip_decoding);
        quote!((#name, #read))
    });
    let branches = variants
        .iter()
        .filter(|variant| !plain(variant))
        .map(|variant| {
            let (name, read, notes) = (
                &variant.name,
                !variant.skip_decoding,
                schema_notes(&variant.common),
            );
            let content = match &variant.shape {
                FieldLayout::Unit => {
                    quote!(<() as ::tool_core::schema::Describe>::describe(contract))
                }
                FieldLayout::Newtype(inner) => field_schema(inner),
                FieldLayout::Tuple(fields) => describe_tuple_fields(fields),
                FieldLayout::Named(fields) => {
                    describe_named_fields(fields, false, attributes.closed)
                }
            };
            let schema = match (variant.untagged, &variant.shape) {
                (true, _) => content,
                (false, FieldLayout::Unit) => {
                    quote!(::tool_core::schema::derived::name_schema(#name))
                }
                (false, _) => quote!(::tool_core::schema::derived::tagged_schema(#name, #content)),
            };
            quote!((#read, {
                #[allow(unused_mut, reason = "not every variant has notes")]
                let mut schema = #schema;
                #notes
                schema
            }))
        });
    let exclusive = !variants.iter().any(|variant| variant.untagged);
    quote!(::tool_core::schema::derived::enum_schema(contract, #exclusive, &[#(#names),*], vec![#(#branches),*]))
}
