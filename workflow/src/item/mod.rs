//! Items as Markdown files with frontmatter: [`Page`] keeps every byte, [`project`] shows the state in it.

mod body;
mod frontmatter;
mod page;
mod project;
pub(crate) mod sections;

pub use page::Page;
pub use project::{FOLDER, ItemId, Projected, items, project, touched};

#[cfg(test)]
mod tests;
