//! The flat permissions of an earlier system, as a layer.

use tool_core::Category;

use crate::model::{Layer, Level, Selector};

/// Permissions of a role in the flat form: forbidden wins, then the listed tools, then the categories, of which `web` also
/// needs `web_access`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RolePermissions {
    /// Whether the category `web` counts.
    pub web_access: bool,
    /// Categories whose tools are allowed.
    pub allowed_categories: Vec<Category>,
    /// Tools that are allowed whatever their category.
    pub allowed_tools: Vec<Selector>,
    /// Tools that are never allowed.
    pub forbidden_tools: Vec<Selector>,
}

impl RolePermissions {
    /// The same permissions as a layer; those that grant nothing give a layer that allows nothing.
    pub fn to_layer(&self, role: &str) -> Layer {
        let categories = self
            .allowed_categories
            .iter()
            .filter(|category| **category != Category::Web || self.web_access)
            .map(|category| format!("category:{category}"));
        let mut layer = Layer::new(Level::Role, role);
        layer.allow = Some(
            self.allowed_tools
                .iter()
                .cloned()
                .chain(categories.map(|text| Selector { text, place: None }))
                .collect(),
        );
        layer.deny.clone_from(&self.forbidden_tools);
        layer
    }
}
