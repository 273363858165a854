//! Items as Markdown files with frontmatter: [`ItemPage`] keeps every byte, [`project_item`] shows the state in it.

mod body;
mod frontmatter;
mod page;
mod project;
pub(crate) mod sections;

pub use page::ItemPage;
pub use project::{FOLDER, ItemId, ProjectedFile, items_with_files, project_item, touched_items};

#[cfg(test)]
mod tests;
