//! Several plots prepared for one picture: texts of one size, panels that line up.

use super::plot::{check_size, prepare_part};
use super::prepared::{PanelInsets, PreparedPlot};
use crate::colour::PlotTheme;
use crate::error::PlotError;
use crate::layout::heading::PictureHeading;
use crate::layout::sizes::LayoutSizes;
use crate::layout::{is_bare, panel_insets};
use crate::limits::PANELS_MAX;
use crate::specification::{PartPlace, PlotComposition};

/// Places that differ by less than this share are one.
const SAME_PLACE: f64 = 1e-6;

/// A plot of a picture, and the corner of the picture that it begins at, in pixels.
#[derive(Debug, Clone)]
pub(crate) struct PreparedPart {
    pub(crate) plot: PreparedPlot,
    pub(crate) place: PartPlace,
    pub(crate) left: f64,
    pub(crate) top: f64,
}

/// Several plots and their common titles.
#[derive(Debug, Clone)]
pub(crate) struct PreparedComposition {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) theme: PlotTheme,
    pub(crate) font_scale: f64,
    pub(crate) parts: Vec<PreparedPart>,
}

impl PreparedComposition {
    /// Prepares all parts.
    ///
    /// # Errors
    /// [`PlotError`] of a size, of the number of parts, or of a part.
    pub(crate) fn new(picture: &PlotComposition) -> Result<Self, PlotError> {
        check_size(picture.width, picture.height)?;
        if picture.parts.is_empty() || picture.parts.len() > PANELS_MAX {
            return Err(PlotError::TooMany {
                place: String::new(),
                what: "plots in a picture, and at least one,".to_owned(),
                found: picture.parts.len(),
                most: PANELS_MAX,
            });
        }
        let mut made = Self {
            title: picture.title.clone(),
            subtitle: picture.subtitle.clone(),
            width: picture.width,
            height: picture.height,
            theme: picture.theme,
            font_scale: composed_font_scale(picture),
            parts: Vec::with_capacity(picture.parts.len()),
        };
        let (width, height) = (f64::from(picture.width), f64::from(picture.height));
        // A picture too small for axes has no titles.
        let top = if is_bare(picture.width, picture.height) {
            0.0
        } else {
            made.heading().height().min(height / 2.0)
        };
        for part in &picture.parts {
            let place = &part.place;
            let side = |share: f64, length: f64| libm::round(share.clamp(0.0, 1.0) * length);
            let (left, right) = (
                side(place.left, width),
                side(place.left + place.width, width),
            );
            let (upper, lower) = (
                side(place.top, height - top),
                side(place.top + place.height, height - top),
            );
            let mut specification = part.specification.clone();
            specification.width = (right - left).max(1.0) as u32;
            specification.height = (lower - upper).max(1.0) as u32;
            specification.theme = picture.theme;
            made.parts.push(PreparedPart {
                plot: prepare_part(&specification, made.font_scale)?,
                place: *place,
                left: left.min(width - 1.0),
                top: (upper + top).min(height - 1.0),
            });
        }
        made.align_panels();
        Ok(made)
    }

    /// The titles above all parts.
    pub(crate) fn heading(&self) -> PictureHeading<'_> {
        PictureHeading {
            title: &self.title,
            subtitle: &self.subtitle,
            width: f64::from(self.width),
            theme: self.theme,
            sizes: LayoutSizes::new(self.font_scale),
        }
    }

    /// Panels of parts one above the other begin and end at the same places across, and of parts side by side at the same heights.
    fn align_panels(&mut self) {
        let own: Vec<PanelInsets> = self
            .parts
            .iter()
            .map(|part| panel_insets(&part.plot))
            .collect();
        let is_same = |a: f64, b: f64| (a - b).abs() < SAME_PLACE;
        let places: Vec<PartPlace> = self.parts.iter().map(|part| part.place).collect();
        for (part, place) in self.parts.iter_mut().zip(&places) {
            let mut insets = PanelInsets::default();
            for (other, found) in places.iter().zip(&own) {
                if is_same(other.left, place.left) && is_same(other.width, place.width) {
                    insets.left = insets.left.max(found.left);
                    insets.right = insets.right.max(found.right);
                }
                if is_same(other.top, place.top) && is_same(other.height, place.height) {
                    insets.top = insets.top.max(found.top);
                    insets.bottom = insets.bottom.max(found.bottom);
                }
            }
            part.plot.insets = insets;
        }
    }
}

/// Texts as in a picture of usual size, smaller where parts are small.
fn composed_font_scale(picture: &PlotComposition) -> f64 {
    let area = f64::from(picture.width) * f64::from(picture.height);
    let scale = libm::sqrt(area / (720.0 * 450.0)).clamp(0.72, 2.4);
    let smallest = picture
        .parts
        .iter()
        .flat_map(|part| [part.place.width, part.place.height])
        .fold(1.0, f64::min)
        .max(0.02);
    (scale * libm::pow(smallest, 0.35)).max(scale.min(0.8))
}
