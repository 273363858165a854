//! Plots: a specification as data, scales and ticks, a layout that measures its text, and one display list from which every file is
//! written. No system fonts, no clock, no functions of the system's mathematics: the same specification gives the same bytes everywhere.

mod colour;
mod data;
mod dates;
mod decimal;
mod description;
mod error;
mod font;
mod layout;
pub mod limits;
mod output;
mod prepare;
mod scale;
mod scene;
mod specification;
mod ticks;

pub use colour::{GradientPalette, PlotColour, PlotTheme};
pub use data::{ColumnCells, DataTable, PlotColumn};
pub use dates::parse_date;
pub use decimal::readable_number;
pub use error::PlotError;
pub use font::FONT_LICENCE;
pub use output::picture::{PictureContent, PictureFormat};
pub use output::png::RasterImage;
pub use output::report::{ReportCell, ReportPage, ReportPicture, ReportSection, ReportTable};
pub use scene::*;
pub use specification::*;

/// A plot that can be drawn: data read, rows put together, scales found.
#[derive(Debug, Clone)]
pub struct PreparedDrawing {
    kind: PreparedPicture,
}

#[derive(Debug, Clone)]
enum PreparedPicture {
    Plot(Box<prepare::prepared::PreparedPlot>),
    Composition(prepare::composition::PreparedComposition),
}

impl PreparedDrawing {
    /// Prepares a specification.
    ///
    /// # Errors
    /// [`PlotError`] that names what cannot be drawn: a field that is not there, texts for numbers, nothing to draw, too many of something.
    pub fn new(specification: &PlotSpecification) -> Result<Self, PlotError> {
        let plot = prepare::plot::prepare_plot(specification)?;
        Ok(Self {
            kind: PreparedPicture::Plot(Box::new(plot)),
        })
    }

    /// Prepares a picture of several plots.
    ///
    /// # Errors
    /// As [`PreparedDrawing::new`], for the picture or one of its parts.
    pub fn compose(picture: &PlotComposition) -> Result<Self, PlotError> {
        let composition = prepare::composition::PreparedComposition::new(picture)?;
        Ok(Self {
            kind: PreparedPicture::Composition(composition),
        })
    }

    /// The display list.
    #[must_use]
    pub fn scene(&self) -> PlotScene {
        match &self.kind {
            PreparedPicture::Plot(plot) => layout::lay_out(plot),
            PreparedPicture::Composition(picture) => {
                layout::composition::lay_out_composition(picture)
            }
        }
    }

    /// The plot as lines of characters, `width` of them wide (at least 10) with `height` rows of plotting area (at least 2): braille
    /// dots, blocks and symbols.
    #[must_use]
    pub fn to_text(&self, width: usize, height: usize) -> String {
        let (width, height) = (width.clamp(10, 1000), height.clamp(2, 500));
        match &self.kind {
            PreparedPicture::Plot(plot) => output::text::draw_characters(plot, width, height),
            PreparedPicture::Composition(picture) => {
                output::composition::draw_characters(picture, width, height)
            }
        }
    }

    /// What the plot shows, in words: marks, axes, ranges, extremes, trend.
    #[must_use]
    pub fn description(&self) -> String {
        match &self.kind {
            PreparedPicture::Plot(plot) => description::describe_plot(plot),
            PreparedPicture::Composition(picture) => {
                layout::composition::describe_composition(picture)
            }
        }
    }
}
