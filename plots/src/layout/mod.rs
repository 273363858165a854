//! From a prepared plot to a display list: every text is measured before anything gets its place.

pub(crate) mod axes;
pub(crate) mod composition;
pub(crate) mod decimate;
pub(crate) mod geometry;
pub(crate) mod heading;
pub(crate) mod legend;
pub(crate) mod sizes;

use axes::{AxisLabels, AxisSide, label_axis};
use heading::PictureHeading;
use legend::{LegendBlock, make_legend};
use sizes::{LayoutSizes, text_height};

use crate::colour::PlotColour;
use crate::description::describe_plot;
use crate::font::{ASCENT, fit_text};
use crate::prepare::prepared::{PanelInsets, PreparedPlot};
use crate::scene::{
    PathStep, PlotScene, SceneBox, SceneItem, SceneStroke, TextAnchor, TextRole, TextRun,
};

/// The layout as it grows: items below the marks, and texts.
pub(crate) struct SceneBuilder<'a> {
    pub(crate) plot: &'a PreparedPlot,
    pub(crate) sizes: LayoutSizes,
    pub(crate) items: Vec<SceneItem>,
    pub(crate) texts: Vec<TextRun>,
    pub(crate) dropped: usize,
    pub(crate) panels: Vec<SceneBox>,
}

impl SceneBuilder<'_> {
    fn whole(&self) -> SceneBox {
        SceneBox::new(
            0.0,
            0.0,
            f64::from(self.plot.width),
            f64::from(self.plot.height),
        )
    }

    /// Adds a text if it lies in the picture and apart from those before it; whether it does.
    pub(crate) fn add_text(&mut self, run: TextRun) -> bool {
        if run.text.is_empty() {
            return true;
        }
        let bounds = run.bounds();
        let is_free = self.whole().holds(&bounds)
            && self
                .texts
                .iter()
                .all(|other| !other.bounds().overlaps(&bounds));
        if is_free {
            self.texts.push(run);
        } else if run.role != TextRole::Annotation {
            self.dropped += 1;
        }
        is_free
    }

    pub(crate) fn line(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        colour: PlotColour,
        width: f64,
    ) {
        self.items.push(SceneItem::Path {
            steps: vec![PathStep::Move(from.0, from.1), PathStep::Line(to.0, to.1)],
            fill: None,
            stroke: Some(SceneStroke::plain(colour, width)),
        });
    }
}

/// Where the panels are, and what is beside them.
struct PanelFrame {
    /// All panels together.
    whole: SceneBox,
    panel_width: f64,
    panel_height: f64,
    gap_x: f64,
    gap_y: f64,
    /// Height of the titles above a row of panels.
    header: f64,
    /// Whether each row has titles; else the first alone.
    has_headers: bool,
    x: AxisLabels,
    y: AxisLabels,
    right: Option<AxisLabels>,
}

impl PanelFrame {
    fn cell(&self, panel: &crate::prepare::prepared::PlotPanel) -> SceneBox {
        let above = if self.has_headers { self.header } else { 0.0 };
        SceneBox::new(
            self.whole.left + panel.column as f64 * (self.panel_width + self.gap_x),
            self.whole.top
                + self.header
                + panel.row as f64 * (self.panel_height + self.gap_y + above),
            self.panel_width,
            self.panel_height,
        )
    }
}

/// Below this side a picture has marks alone.
const BARE_WIDTH: f64 = 110.0;
const BARE_HEIGHT: f64 = 70.0;

/// Whether a picture is too small for axes and texts.
pub(crate) fn is_bare(width: u32, height: u32) -> bool {
    f64::from(width) < BARE_WIDTH || f64::from(height) < BARE_HEIGHT
}

/// Lays a plot out.
pub(crate) fn lay_out(plot: &PreparedPlot) -> PlotScene {
    let sizes = LayoutSizes::new(plot.font_scale);
    let mut builder = SceneBuilder {
        plot,
        sizes,
        items: Vec::new(),
        texts: Vec::new(),
        dropped: 0,
        panels: Vec::new(),
    };
    let (width, height) = (f64::from(plot.width), f64::from(plot.height));
    let description = describe_plot(plot);
    let mut hover = Vec::new();
    if is_bare(plot.width, plot.height) {
        builder.dropped += [&plot.title, &plot.axes.x.title, &plot.axes.y.title]
            .iter()
            .filter(|text| !text.is_empty())
            .count();
        let pad = (width.min(height) * 0.04).min(4.0);
        let (rows, columns) = (plot.panel_rows as f64, plot.panel_columns as f64);
        for panel in &plot.panels {
            let cell = SceneBox::new(
                pad + (width - 2.0 * pad) * panel.column as f64 / columns,
                pad + (height - 2.0 * pad) * panel.row as f64 / rows,
                (width - 2.0 * pad) / columns,
                (height - 2.0 * pad) / rows,
            );
            geometry::draw_panel(&mut builder, panel, cell, &mut hover);
        }
    } else {
        draw_whole(&mut builder, &mut hover);
    }
    let mut items = builder.items;
    items.extend(builder.texts.into_iter().map(SceneItem::Text));
    let title = match (
        plot.title.is_empty(),
        plot.axes.x.title.is_empty() || plot.axes.y.title.is_empty(),
    ) {
        (false, _) => plot.title.clone(),
        (true, false) => format!("{} over {}", plot.axes.y.title, plot.axes.x.title),
        (true, true) => "Plot".to_owned(),
    };
    PlotScene {
        width: plot.width,
        height: plot.height,
        background: plot.theme.background(),
        title,
        description,
        items,
        panels: builder.panels,
        hover,
        dropped_texts: builder.dropped,
    }
}

/// Where everything of a plot with axes is.
struct WholePlacement {
    /// Panels and axes, without titles and legend.
    room: SceneBox,
    frame: PanelFrame,
    legend: Option<(LegendBlock, LegendPlace)>,
}

impl WholePlacement {
    fn new(plot: &PreparedPlot, sizes: &LayoutSizes) -> Self {
        let (width, height) = (f64::from(plot.width), f64::from(plot.height));
        let top = (sizes.pad + heading_of(plot, sizes).below_pad()).max(plot.insets.top);
        let room = SceneBox::new(
            sizes.pad,
            top,
            width - 2.0 * sizes.pad,
            height - top - sizes.pad,
        );
        let legend = make_legend(plot, sizes, room);
        let (room, legend) = reserve_legend(room, legend, sizes);
        let frame = frame_panels(plot, sizes, room);
        Self {
            room,
            frame,
            legend,
        }
    }
}

/// The room that a plot takes around its panels.
pub(crate) fn panel_insets(plot: &PreparedPlot) -> PanelInsets {
    let (width, height) = (f64::from(plot.width), f64::from(plot.height));
    if is_bare(plot.width, plot.height) {
        return PanelInsets::default();
    }
    let whole = WholePlacement::new(plot, &LayoutSizes::new(plot.font_scale))
        .frame
        .whole;
    PanelInsets {
        left: whole.left,
        right: width - whole.right(),
        top: whole.top,
        bottom: height - whole.bottom(),
    }
}

fn heading_of<'a>(plot: &'a PreparedPlot, sizes: &LayoutSizes) -> PictureHeading<'a> {
    PictureHeading {
        title: &plot.title,
        subtitle: &plot.subtitle,
        width: f64::from(plot.width),
        theme: plot.theme,
        sizes: *sizes,
    }
}

fn draw_whole(builder: &mut SceneBuilder<'_>, hover: &mut Vec<crate::scene::HoverPoint>) {
    let plot = builder.plot;
    let sizes = builder.sizes;
    let WholePlacement {
        room,
        frame,
        legend,
    } = WholePlacement::new(plot, &sizes);
    let heading = heading_of(plot, &sizes);
    for text in heading.texts(heading.left_side(frame.whole.left)) {
        builder.add_text(text);
    }
    for panel in &plot.panels {
        let cell = frame.cell(panel);
        draw_grid(builder, &frame, cell);
        geometry::draw_panel(builder, panel, cell, hover);
        draw_axis_lines(builder, &frame, cell);
    }
    label_panels(builder, &frame);
    title_axes(builder, &frame, room);
    if let Some((block, place)) = legend {
        let place = match place {
            LegendPlace::Right(left) => (left, frame.whole.top + frame.header),
            LegendPlace::Below(top) => (frame.whole.left, top),
        };
        block.draw(builder, place);
    }
    geometry::draw_texts(builder, |panel| frame.cell(panel));
}

/// Where the legend is.
#[derive(Clone, Copy)]
enum LegendPlace {
    Right(f64),
    Below(f64),
}

/// Takes the room of the legend from that of the panels.
fn reserve_legend(
    room: SceneBox,
    legend: Option<LegendBlock>,
    sizes: &LayoutSizes,
) -> (SceneBox, Option<(LegendBlock, LegendPlace)>) {
    let Some(block) = legend else {
        return (room, None);
    };
    let gap = 1.4 * sizes.pad;
    if block.is_below {
        let height = block.height + gap;
        let rest = SceneBox::new(room.left, room.top, room.width, room.height - height);
        let top = rest.bottom() + gap;
        return (rest, Some((block, LegendPlace::Below(top))));
    }
    let width = block.width + gap;
    let rest = SceneBox::new(room.left, room.top, room.width - width, room.height);
    let left = rest.right() + gap;
    (rest, Some((block, LegendPlace::Right(left))))
}

/// Fits the panels into a room: the labels of y need the height, and those of x the width, so each is asked twice.
fn frame_panels(plot: &PreparedPlot, sizes: &LayoutSizes, room: SceneBox) -> PanelFrame {
    let (rows, columns) = (plot.panel_rows as f64, plot.panel_columns as f64);
    let (width, height) = (f64::from(plot.width), f64::from(plot.height));
    let insets = &plot.insets;
    let is_faceted =
        plot.panels.len() > 1 || plot.panels.iter().any(|panel| !panel.title.is_empty());
    let (gap_x, gap_y) = if is_faceted {
        (1.4 * sizes.pad, 1.1 * sizes.pad)
    } else {
        (0.0, 0.0)
    };
    let header = if plot.panels.iter().any(|panel| !panel.title.is_empty()) {
        1.6 * sizes.panel
    } else {
        0.0
    };
    let has_headers = plot
        .panels
        .iter()
        .any(|panel| panel.row > 0 && !panel.title.is_empty());
    let headers = if has_headers { rows * header } else { header };
    let beside =
        if plot.row_titles.len() > 1 || plot.row_titles.iter().any(|title| !title.is_empty()) {
            1.7 * sizes.panel
        } else {
            0.0
        };
    let title_height = |title: &str, is_hidden: bool| {
        if title.is_empty() || is_hidden {
            0.0
        } else {
            text_height(sizes.axis_title) + 0.5 * sizes.pad
        }
    };
    let axes = &plot.axes;
    let x_title = title_height(&axes.x.title, axes.x.is_hidden);
    let y_title = title_height(&axes.y.title, axes.y.is_hidden);
    let right_title = axes
        .right
        .as_ref()
        .map_or(0.0, |axis| title_height(&axis.title, axis.is_hidden));
    let mut bottom = 2.2 * sizes.tick;
    let mut found = None;
    for _ in 0..3 {
        // With a limit, so that labels never take all of a small picture.
        let below = (bottom + x_title).max(insets.bottom - (height - room.bottom()));
        let panels_height =
            (room.height - below - headers - (rows - 1.0) * gap_y).max(room.height * 0.25);
        let panel_height = panels_height / rows;
        let most_wide = room.width * 0.32;
        let y = label_axis(
            &axes.y,
            AxisSide::Left,
            panel_height,
            most_wide,
            panel_height,
            sizes,
        );
        let right = axes.right.as_ref().map(|axis| {
            label_axis(
                axis,
                AxisSide::Right,
                panel_height,
                most_wide,
                panel_height,
                sizes,
            )
        });
        let left_width = (y_title + y.depth).max(insets.left - room.left);
        let right_width = right_title + right.as_ref().map_or(0.0, |labels| labels.depth) + beside;
        let right_width = right_width.max(insets.right - (width - room.right()));
        let panels_width = (room.width - left_width - right_width - (columns - 1.0) * gap_x)
            .max(room.width * 0.25);
        let panel_width = panels_width / columns;
        let reach = if is_faceted {
            panel_width + 0.9 * gap_x
        } else {
            panel_width + 1.9 * sizes.pad
        };
        let x = label_axis(
            &axes.x,
            AxisSide::Bottom,
            panel_width,
            room.height * 0.36,
            reach,
            sizes,
        );
        bottom = x.depth;
        let whole = SceneBox::new(
            room.left + left_width,
            room.top,
            panels_width + (columns - 1.0) * gap_x,
            panels_height + headers + (rows - 1.0) * gap_y,
        );
        found = Some(PanelFrame {
            whole,
            panel_width,
            panel_height,
            gap_x,
            gap_y,
            header,
            has_headers,
            x,
            y,
            right,
        });
    }
    found.expect("the loop runs three times")
}

fn draw_grid(builder: &mut SceneBuilder<'_>, frame: &PanelFrame, cell: SceneBox) {
    let plot = builder.plot;
    let Some(grid) = plot.theme.grid() else {
        return;
    };
    let width = 1.0_f64.max(builder.sizes.scale * 0.9);
    let fine = grid.mix(plot.theme.background(), 0.55);
    let lines = |labels: &AxisLabels| {
        labels
            .ticks
            .iter()
            .map(|tick| (tick.share, !tick.label.is_empty()))
            .collect::<Vec<_>>()
    };
    if plot.axes.x.draws_grid() {
        for (share, is_labelled) in lines(&frame.x) {
            let x = crisp(cell.left + share * cell.width);
            builder.line(
                (x, cell.top),
                (x, cell.bottom()),
                if is_labelled { grid } else { fine },
                width,
            );
        }
    }
    if plot.axes.y.draws_grid() {
        for (share, is_labelled) in lines(&frame.y) {
            let y = crisp(cell.bottom() - share * cell.height);
            builder.line(
                (cell.left, y),
                (cell.right(), y),
                if is_labelled { grid } else { fine },
                width,
            );
        }
    }
}

/// The middle of a pixel, so that thin lines are not blurred.
pub(crate) fn crisp(place: f64) -> f64 {
    libm::floor(place) + 0.5
}

/// Lines of the axes and the strokes of ticks.
fn draw_axis_lines(builder: &mut SceneBuilder<'_>, frame: &PanelFrame, cell: SceneBox) {
    let plot = builder.plot;
    let colour = plot.theme.axis();
    let width = 1.0_f64.max(builder.sizes.scale * 0.9);
    let length = 4.0 * builder.sizes.scale;
    if !plot.axes.x.is_hidden {
        let bottom = crisp(cell.bottom());
        builder.line((cell.left, bottom), (cell.right(), bottom), colour, width);
        for tick in frame.x.ticks.iter().filter(|tick| tick.has_mark) {
            let x = crisp(cell.left + tick.share * cell.width);
            let length = if tick.label.is_empty() {
                length * 0.6
            } else {
                length
            };
            builder.line((x, bottom), (x, bottom + length), colour, width);
        }
    }
    let has_line = |is_grid: bool| plot.theme.grid().is_none() || !is_grid;
    if !plot.axes.y.is_hidden && has_line(plot.axes.y.draws_grid()) {
        let left = crisp(cell.left);
        builder.line((left, cell.top), (left, cell.bottom()), colour, width);
        for tick in frame.y.ticks.iter().filter(|tick| tick.has_mark) {
            let y = crisp(cell.bottom() - tick.share * cell.height);
            let length = if tick.label.is_empty() {
                length * 0.6
            } else {
                length
            };
            builder.line((left - length, y), (left, y), colour, width);
        }
    }
    if let (Some(axis), Some(labels)) = (&plot.axes.right, &frame.right)
        && !axis.is_hidden
    {
        let right = crisp(cell.right());
        builder.line((right, cell.top), (right, cell.bottom()), colour, width);
        for tick in labels.ticks.iter().filter(|tick| tick.has_mark) {
            let y = crisp(cell.bottom() - tick.share * cell.height);
            builder.line((right, y), (right + length, y), colour, width);
        }
    }
}

/// Labels of the ticks at the outer panels, and the titles of panels.
fn label_panels(builder: &mut SceneBuilder<'_>, frame: &PanelFrame) {
    let plot = builder.plot;
    let sizes = builder.sizes;
    for panel in &plot.panels {
        let cell = frame.cell(panel);
        if !panel.title.is_empty() {
            builder.add_text(TextRun {
                text: fit_text(&panel.title, sizes.panel, cell.width + 0.6 * frame.gap_x),
                x: cell.left + cell.width / 2.0,
                y: cell.top - 0.42 * sizes.panel,
                size: sizes.panel,
                anchor: TextAnchor::Middle,
                is_vertical: false,
                colour: plot.theme.ink(),
                role: TextRole::PanelTitle,
            });
        }
        let is_lowest = !plot
            .panels
            .iter()
            .any(|other| other.column == panel.column && other.row > panel.row);
        if is_lowest && !plot.axes.x.is_hidden {
            // Of a panel above an empty place the labels lie in the gap, which has no room: the row below it is empty there.
            frame.x.draw(builder, cell, AxisSide::Bottom);
        }
        if panel.column == 0 && !plot.axes.y.is_hidden {
            frame.y.draw(builder, cell, AxisSide::Left);
        }
        let is_last = !plot
            .panels
            .iter()
            .any(|other| other.row == panel.row && other.column > panel.column);
        if let (true, Some(labels), Some(axis)) = (is_last, &frame.right, &plot.axes.right)
            && !axis.is_hidden
        {
            labels.draw(builder, cell, AxisSide::Right);
        }
        if is_last
            && let Some(title) = plot
                .row_titles
                .get(panel.row)
                .filter(|title| !title.is_empty())
        {
            // Where the name of the field has no room the value stands alone.
            let room = cell.height + 0.6 * frame.gap_y;
            let title = match crate::font::text_width(title, sizes.panel) <= room {
                true => title.as_str(),
                false => title.rsplit(' ').next().unwrap_or(title),
            };
            let away = frame.right.as_ref().map_or(0.0, |labels| labels.depth);
            builder.add_text(TextRun {
                text: fit_text(title, sizes.panel, room),
                x: cell.right() + away + 1.3 * sizes.panel,
                y: cell.top + cell.height / 2.0,
                size: sizes.panel,
                anchor: TextAnchor::Middle,
                is_vertical: true,
                colour: plot.theme.ink(),
                role: TextRole::PanelTitle,
            });
        }
    }
}

fn title_axes(builder: &mut SceneBuilder<'_>, frame: &PanelFrame, room: SceneBox) {
    let plot = builder.plot;
    let sizes = builder.sizes;
    let title = |text: &str, x: f64, y: f64, is_vertical: bool, space: f64| TextRun {
        text: fit_text(text, sizes.axis_title, space),
        x,
        y,
        size: sizes.axis_title,
        anchor: TextAnchor::Middle,
        is_vertical,
        colour: plot.theme.ink(),
        role: TextRole::AxisTitle,
    };
    let middle = frame.whole.top + frame.whole.height / 2.0;
    if !plot.axes.x.is_hidden {
        let below =
            frame.whole.bottom() + frame.x.depth + 0.5 * sizes.pad + ASCENT * sizes.axis_title;
        let centre = frame.whole.left + frame.whole.width / 2.0;
        let space = 2.0 * (centre - room.left).min(room.right() - centre);
        builder.add_text(title(&plot.axes.x.title, centre, below, false, space));
    }
    if !plot.axes.y.is_hidden {
        builder.add_text(title(
            &plot.axes.y.title,
            room.left + ASCENT * sizes.axis_title,
            middle,
            true,
            frame.whole.height,
        ));
    }
    if let Some(axis) = plot.axes.right.as_ref().filter(|axis| !axis.is_hidden) {
        let away = frame.right.as_ref().map_or(0.0, |labels| labels.depth) + 0.5 * sizes.pad;
        builder.add_text(title(
            &axis.title,
            frame.whole.right() + away + ASCENT * sizes.axis_title,
            middle,
            true,
            frame.whole.height,
        ));
    }
}
