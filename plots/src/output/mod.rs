//! Files of a display list.

pub(crate) mod composition;
pub(crate) mod digest;
pub(crate) mod html;
pub(crate) mod pdf;
pub(crate) mod picture;
pub(crate) mod png;
pub(crate) mod report;
pub(crate) mod stamps;
pub(crate) mod svg;
pub(crate) mod text;
