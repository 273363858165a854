//! A type with its attributes, as the derives see it.
//!
//! `#[value(..)]` on a type: `rename_all`, `default`, `deny_unknown_fields` (always so; accepted for the schema), `transparent`,
//! `untagged`, `from`, `try_from`, `into`. On a variant: `rename`, `rename_all`, `alias`, `skip_decoding`, `untagged`. On a field:
//! `rename`, `default`, `skip`, `skip_encoding`, `skip_decoding`, `skip_encoding_if`, `encode_with`, `decode_with`.
//!
//! `#[schema(..)]` on a type: `with`, `extend`. On a field: `with`, `schema_with`, `required`, `range(min, max)`,
//! `length(min, max)`, `extend("key" = json)`.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident};
use syn::meta::ParseNestedMeta;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, Fields, Generics, Ident, Index, LitStr, Member,
    Path, Result, Token, Type,
};

/// A struct or enum.
pub(crate) struct DeriveTarget {
    pub ident: Ident,
    pub generics: Generics,
    pub attributes: ContainerAttributes,
    pub body: DeriveBody,
}

pub(crate) enum DeriveBody {
    Struct(FieldLayout),
    Enum(Vec<DeriveVariant>),
}

/// The fields of a struct or variant.
pub(crate) enum FieldLayout {
    Unit,
    /// One unnamed field.
    Newtype(Box<DeriveField>),
    Tuple(Vec<DeriveField>),
    Named(Vec<DeriveField>),
}

pub(crate) struct DeriveVariant {
    pub ident: Ident,
    pub name: String,
    /// Every accepted spelling, sorted.
    pub spellings: Vec<String>,
    pub skip_decoding: bool,
    pub untagged: bool,
    pub common: CommonAttributes,
    pub shape: FieldLayout,
}

pub(crate) struct DeriveField {
    pub member: Member,
    /// Name of the local variable that holds it.
    pub local: Ident,
    pub ty: Type,
    pub name: String,
    pub default: DefaultValue,
    pub skip_decoding: bool,
    pub skip_encoding: bool,
    pub skip_encoding_if: Option<Path>,
    pub encode_with: Option<Path>,
    pub decode_with: Option<Path>,
    pub schema: FieldSchema,
    pub common: CommonAttributes,
}

#[derive(Default)]
pub(crate) struct FieldSchema {
    pub with: Option<SchemaSource>,
    pub required: bool,
    pub range: NumberBounds,
    pub length: NumberBounds,
}

/// Where a schema comes from instead of the type of the field.
pub(crate) enum SchemaSource {
    Type(Type),
    Function(Path),
}

#[derive(Default)]
pub(crate) struct NumberBounds {
    pub min: Option<Expr>,
    pub max: Option<Expr>,
}

#[derive(Default)]
pub(crate) enum DefaultValue {
    #[default]
    None,
    /// `Default::default()`.
    Trait,
    Function(Path),
}

#[derive(Default)]
pub(crate) struct CommonAttributes {
    /// The doc comment.
    pub doc: String,
    pub extend: Vec<(LitStr, TokenStream)>,
}

impl CommonAttributes {
    pub(crate) fn is_empty(&self) -> bool {
        self.doc.is_empty() && self.extend.is_empty()
    }
}

#[derive(Default)]
pub(crate) struct ContainerAttributes {
    pub rename_all: Option<NameCase>,
    pub default: bool,
    pub closed: bool,
    pub transparent: bool,
    pub untagged: bool,
    pub from: Option<Type>,
    pub try_from: Option<Type>,
    pub into: Option<Type>,
    pub schema_with: Option<Type>,
    pub common: CommonAttributes,
}

#[derive(Clone, Copy)]
pub(crate) enum NameCase {
    Lower,
    Snake,
    Kebab,
    Camel,
}

impl NameCase {
    fn parse(text: &LitStr) -> Result<Self> {
        Ok(match text.value().as_str() {
            "lowercase" => Self::Lower,
            "snake_case" => Self::Snake,
            "kebab-case" => Self::Kebab,
            "camelCase" => Self::Camel,
            _ => {
                return Err(Error::new(
                    text.span(),
                    "expected lowercase, snake_case, kebab-case or camelCase",
                ));
            }
        })
    }

    /// The spelling of a variant, which is written `LikeThis`.
    pub(crate) fn of_variant(self, name: &str) -> String {
        let separated = |separator: char| {
            let mut spelled = String::new();
            for (index, letter) in name.char_indices() {
                if index > 0 && letter.is_uppercase() {
                    spelled.push(separator);
                }
                spelled.push(letter.to_ascii_lowercase());
            }
            spelled
        };
        match self {
            Self::Lower => name.to_ascii_lowercase(),
            Self::Snake => separated('_'),
            Self::Kebab => separated('-'),
            Self::Camel => name[..1].to_ascii_lowercase() + &name[1..],
        }
    }

    /// The spelling of a field, which is written `like_this`.
    fn of_field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Kebab => name.replace('_', "-"),
            Self::Camel => {
                let mut words = name.split('_');
                let first = words.next().unwrap_or_default().to_owned();
                words.fold(first, |joined, word| {
                    let (head, tail) = word.split_at(word.len().min(1));
                    joined + &head.to_ascii_uppercase() + tail
                })
            }
        }
    }
}

impl DeriveTarget {
    pub(crate) fn parse(input: DeriveInput) -> Result<Self> {
        let attributes = ContainerAttributes::parse(&input.attrs)?;
        let body = match input.data {
            Data::Struct(data) => {
                let case = attributes.rename_all;
                DeriveBody::Struct(FieldLayout::parse(data.fields, case)?)
            }
            Data::Enum(data) => {
                let variants = data.variants.into_iter();
                let variants = variants.map(|variant| DeriveVariant::parse(variant, &attributes));
                DeriveBody::Enum(variants.collect::<Result<_>>()?)
            }
            Data::Union(_) => {
                return Err(Error::new(input.ident.span(), "a union has no spelling"));
            }
        };
        Ok(Self {
            ident: input.ident,
            generics: input.generics,
            attributes,
            body,
        })
    }

    /// The impl block of a trait, with the trait as bound of every type parameter.
    pub(crate) fn implement(&self, path: TokenStream, body: TokenStream) -> TokenStream {
        let mut generics = self.generics.clone();
        for parameter in generics.type_params_mut() {
            parameter.bounds.push(syn::parse_quote!(#path));
        }
        let (parameters, _, clause) = generics.split_for_impl();
        let (_, arguments, _) = self.generics.split_for_impl();
        let ident = &self.ident;
        quote::quote! {
            #[automatically_derived]
            impl #parameters #path for #ident #arguments #clause { #body }
        }
    }

    /// The field that a transparent struct, or one with a single unnamed field, stands for.
    pub(crate) fn inner(&self) -> Option<&DeriveField> {
        match &self.body {
            DeriveBody::Struct(FieldLayout::Newtype(field)) => Some(field),
            DeriveBody::Struct(FieldLayout::Named(fields)) if self.attributes.transparent => {
                fields.iter().find(|field| !field.skip_decoding)
            }
            _ => None,
        }
    }
}

impl FieldLayout {
    fn parse(fields: Fields, case: Option<NameCase>) -> Result<Self> {
        match fields {
            Fields::Unit => Ok(Self::Unit),
            Fields::Named(fields) => {
                let fields = fields.named.into_iter().enumerate();
                let fields = fields.map(|(index, field)| DeriveField::parse(index, field, case));
                Ok(Self::Named(fields.collect::<Result<_>>()?))
            }
            Fields::Unnamed(fields) => {
                let fields = fields.unnamed.into_iter().enumerate();
                let fields = fields.map(|(index, field)| DeriveField::parse(index, field, case));
                let mut fields: Vec<DeriveField> = fields.collect::<Result<_>>()?;
                Ok(match fields.len() {
                    1 => Self::Newtype(Box::new(fields.remove(0))),
                    _ => Self::Tuple(fields),
                })
            }
        }
    }

    pub(crate) fn fields(&self) -> &[DeriveField] {
        match self {
            Self::Unit => &[],
            Self::Newtype(field) => std::slice::from_ref(&**field),
            Self::Tuple(fields) | Self::Named(fields) => fields,
        }
    }
}

impl DeriveVariant {
    fn parse(variant: syn::Variant, container: &ContainerAttributes) -> Result<Self> {
        let written = variant.ident.to_string();
        let case = container.rename_all;
        let mut name = case.map_or_else(|| written.clone(), |case| case.of_variant(&written));
        let (mut aliases, mut skip_decoding, mut untagged) = (Vec::new(), false, false);
        let (mut fields_case, mut common) = (None, CommonAttributes::of(&variant.attrs));
        visit_nested_attributes(&variant.attrs, "value", |meta| {
            let path = &meta.path;
            if path.is_ident("rename") {
                name = attribute_text(&meta)?.value();
            } else if path.is_ident("rename_all") {
                fields_case = Some(NameCase::parse(&attribute_text(&meta)?)?);
            } else if path.is_ident("alias") {
                aliases.push(attribute_text(&meta)?.value());
            } else if path.is_ident("skip_decoding") {
                skip_decoding = true;
            } else if path.is_ident("untagged") {
                untagged = true;
            } else {
                return Err(meta.error("unknown attribute of a variant"));
            }
            Ok(())
        })?;
        visit_nested_attributes(&variant.attrs, "schema", |meta| common.schema(&meta))?;
        let mut spellings = aliases;
        spellings.push(name.clone());
        spellings.sort();
        Ok(Self {
            untagged: untagged || container.untagged,
            ident: variant.ident,
            name,
            spellings,
            skip_decoding,
            common,
            shape: FieldLayout::parse(variant.fields, fields_case)?,
        })
    }
}

impl DeriveField {
    fn parse(index: usize, field: syn::Field, case: Option<NameCase>) -> Result<Self> {
        let member = match field.ident {
            Some(ident) => Member::Named(ident),
            None => Member::Unnamed(Index::from(index)),
        };
        let written = match &member {
            Member::Named(ident) => ident.to_string().trim_start_matches("r#").to_owned(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        let mut parsed = Self {
            name: case.map_or_else(|| written.clone(), |case| case.of_field(&written)),
            local: format_ident!("field_{index}"),
            member,
            ty: field.ty,
            default: DefaultValue::None,
            skip_decoding: false,
            skip_encoding: false,
            skip_encoding_if: None,
            encode_with: None,
            decode_with: None,
            schema: FieldSchema::default(),
            common: CommonAttributes::of(&field.attrs),
        };
        visit_nested_attributes(&field.attrs, "value", |meta| parsed.value(&meta))?;
        visit_nested_attributes(&field.attrs, "schema", |meta| parsed.schema(&meta))?;
        Ok(parsed)
    }

    fn value(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let path = &meta.path;
        if path.is_ident("rename") {
            self.name = attribute_text(meta)?.value();
        } else if path.is_ident("default") {
            self.default = match meta.input.peek(Token![=]) {
                true => DefaultValue::Function(attribute_text(meta)?.parse()?),
                false => DefaultValue::Trait,
            };
        } else if path.is_ident("skip") {
            (self.skip_decoding, self.skip_encoding) = (true, true);
        } else if path.is_ident("skip_decoding") {
            self.skip_decoding = true;
        } else if path.is_ident("skip_encoding") {
            self.skip_encoding = true;
        } else if path.is_ident("skip_encoding_if") {
            self.skip_encoding_if = Some(attribute_text(meta)?.parse()?);
        } else if path.is_ident("encode_with") {
            self.encode_with = Some(attribute_text(meta)?.parse()?);
        } else if path.is_ident("decode_with") {
            self.decode_with = Some(attribute_text(meta)?.parse()?);
        } else {
            return Err(meta.error("unknown attribute of a field"));
        }
        Ok(())
    }

    fn schema(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let path = &meta.path;
        if path.is_ident("with") {
            self.schema.with = Some(SchemaSource::Type(attribute_text(meta)?.parse()?));
        } else if path.is_ident("schema_with") {
            self.schema.with = Some(SchemaSource::Function(attribute_text(meta)?.parse()?));
        } else if path.is_ident("required") {
            self.schema.required = true;
        } else if path.is_ident("range") {
            self.schema.range = NumberBounds::parse(meta)?;
        } else if path.is_ident("length") {
            self.schema.length = NumberBounds::parse(meta)?;
        } else {
            return self.common.schema(meta);
        }
        Ok(())
    }
}

impl NumberBounds {
    fn parse(meta: &ParseNestedMeta<'_>) -> Result<Self> {
        let mut bounds = Self::default();
        meta.parse_nested_meta(|bound| {
            let value: Expr = bound.value()?.parse()?;
            if bound.path.is_ident("min") {
                bounds.min = Some(value);
            } else if bound.path.is_ident("max") {
                bounds.max = Some(value);
            } else {
                return Err(bound.error("expected `min` or `max`"));
            }
            Ok(())
        })?;
        Ok(bounds)
    }
}

impl CommonAttributes {
    fn of(attributes: &[Attribute]) -> Self {
        let mut lines: Vec<String> = Vec::new();
        for attribute in attributes.iter().filter(|one| one.path().is_ident("doc")) {
            if let syn::Meta::NameValue(pair) = &attribute.meta
                && let Expr::Lit(literal) = &pair.value
                && let syn::Lit::Str(line) = &literal.lit
            {
                let line = line.value();
                lines.push(line.strip_prefix(' ').unwrap_or(&line).to_owned());
            }
        }
        Self {
            doc: lines.join("\n").trim_ascii().to_owned(),
            extend: Vec::new(),
        }
    }

    fn schema(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if !meta.path.is_ident("extend") {
            return Err(meta.error("unknown attribute of a schema"));
        }
        let content;
        syn::parenthesized!(content in meta.input);
        while !content.is_empty() {
            let key: LitStr = content.parse()?;
            content.parse::<Token![=]>()?;
            let mut value = TokenStream::new();
            while !content.is_empty() && !content.peek(Token![,]) {
                let token: proc_macro2::TokenTree = content.parse()?;
                token.to_tokens(&mut value);
            }
            self.extend.push((key, value));
            if !content.is_empty() {
                content.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }
}

impl ContainerAttributes {
    fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut parsed = Self {
            common: CommonAttributes::of(attributes),
            ..Self::default()
        };
        visit_nested_attributes(attributes, "value", |meta| parsed.value(&meta))?;
        visit_nested_attributes(attributes, "schema", |meta| {
            let path = &meta.path;
            if path.is_ident("with") {
                parsed.schema_with = Some(attribute_text(&meta)?.parse()?);
            } else {
                return parsed.common.schema(&meta);
            }
            Ok(())
        })?;
        Ok(parsed)
    }

    fn value(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let path = &meta.path;
        if path.is_ident("rename_all") {
            self.rename_all = Some(NameCase::parse(&attribute_text(meta)?)?);
        } else if path.is_ident("default") {
            self.default = true;
        } else if path.is_ident("deny_unknown_fields") {
            self.closed = true;
        } else if path.is_ident("transparent") {
            self.transparent = true;
        } else if path.is_ident("untagged") {
            self.untagged = true;
        } else if path.is_ident("from") {
            self.from = Some(attribute_text(meta)?.parse()?);
        } else if path.is_ident("try_from") {
            self.try_from = Some(attribute_text(meta)?.parse()?);
        } else if path.is_ident("into") {
            self.into = Some(attribute_text(meta)?.parse()?);
        } else {
            return Err(meta.error("unknown attribute of a type"));
        }
        Ok(())
    }
}

/// Calls back for each item in the attributes of a name.
fn visit_nested_attributes(
    attributes: &[Attribute],
    name: &str,
    mut each: impl FnMut(ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    for attribute in attributes.iter().filter(|one| one.path().is_ident(name)) {
        attribute.parse_nested_meta(&mut each)?;
    }
    Ok(())
}

/// The text after `=`; inside of a macro it may arrive wrapped in invisible delimiters.
fn attribute_text(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    match meta.value()?.parse::<Expr>()? {
        Expr::Lit(literal) => match literal.lit {
            syn::Lit::Str(text) => Ok(text),
            other => Err(Error::new_spanned(other, "expected a text")),
        },
        Expr::Group(group) => syn::parse2(group.expr.to_token_stream()),
        other => Err(Error::new_spanned(other, "expected a text")),
    }
}
