//! A picture in one of the formats, as programs pass it on.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::scene::PlotScene;

/// A format of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// Pixels.
    Png,
    /// Paths and texts.
    Svg,
    /// A page of a document.
    Pdf,
    /// A page with zoom and values of points.
    Html,
}

impl PictureFormat {
    /// The media type of a file.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Svg => "image/svg+xml",
            Self::Pdf => "application/pdf",
            Self::Html => "text/html",
        }
    }

    /// The ending of a file's name.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
            Self::Pdf => "pdf",
            Self::Html => "html",
        }
    }
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureContent {
    /// A file of text.
    Text(String),
    /// A file of bytes, in base64.
    Base64(String),
}

impl PlotScene {
    /// The picture as a file of a format.
    #[must_use]
    pub fn to_picture(&self, format: PictureFormat) -> PictureContent {
        match format {
            PictureFormat::Png => PictureContent::Base64(STANDARD.encode(self.to_png())),
            PictureFormat::Pdf => PictureContent::Base64(STANDARD.encode(self.to_pdf())),
            PictureFormat::Svg => PictureContent::Text(self.to_svg()),
            PictureFormat::Html => PictureContent::Text(self.to_html()),
        }
    }
}
