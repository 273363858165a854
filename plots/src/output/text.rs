//! A plot as lines of characters: braille dots for curves and areas, blocks for bars and cells, symbols for points of several kinds.

use crate::colour::PlotColour;
use crate::layout::geometry::{PanelProjection, draw_mark};
use crate::prepare::marks::PanelMark;
use crate::prepare::prepared::{PlotPanel, PreparedPlot};
use crate::scale::{AxisScale, ScaleKind};
use crate::scene::{PathStep, SceneBox, SceneItem};
use crate::ticks::ScaleTick;

/// Dots of a character, across and down.
const DOTS: (usize, usize) = (2, 4);

/// Symbols of the points of different colours.
const SYMBOLS: [char; 12] = ['o', 'x', '+', '*', '#', '@', '%', '&', 'a', 'b', 'c', 'd'];

/// Fills of the bars of different colours.
const FILLS: [char; 4] = ['█', '▓', '▒', '░'];

/// Panels that are drawn below each other.
const PANELS_MAX: usize = 8;

/// The characters of a panel.
struct CharacterGrid {
    columns: usize,
    rows: usize,
    cells: Vec<char>,
    dots: Vec<u8>,
}

impl CharacterGrid {
    fn new(columns: usize, rows: usize) -> Self {
        Self {
            columns,
            rows,
            cells: vec![' '; columns * rows],
            dots: vec![0; columns * rows],
        }
    }

    fn dot(&mut self, column: i64, row: i64) {
        // The bit of each dot of U+2800..U+28FF: 1 2 3 7 down the left side, 4 5 6 8 down the right one.
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        let (width, height) = ((self.columns * DOTS.0) as i64, (self.rows * DOTS.1) as i64);
        // A place on the edge belongs to the last dot.
        let (column, row) = (
            if column == width { width - 1 } else { column },
            if row == height { height - 1 } else { row },
        );
        if (0..width).contains(&column) && (0..height).contains(&row) {
            let (column, row) = (column as usize, row as usize);
            self.dots[row / DOTS.1 * self.columns + column / DOTS.0] |=
                BITS[column % DOTS.0][row % DOTS.1];
        }
    }

    fn put(&mut self, x: f64, y: f64, symbol: char) {
        let last = |place: f64, dots: usize, count: usize| {
            ((place / dots as f64).max(0.0) as usize).min(count - 1)
        };
        let (column, row) = (last(x, DOTS.0, self.columns), last(y, DOTS.1, self.rows));
        self.cells[row * self.columns + column] = symbol;
    }

    fn stroke(&mut self, from: (f64, f64), to: (f64, f64)) {
        let steps = (to.0 - from.0)
            .abs()
            .max((to.1 - from.1).abs())
            .min(1e5)
            .ceil()
            .max(1.0) as usize;
        for step in 0..=steps {
            let share = step as f64 / steps as f64;
            let place = |a: f64, b: f64| libm::floor(a + share * (b - a)) as i64;
            self.dot(place(from.0, to.0), place(from.1, to.1));
        }
    }

    fn path(&mut self, steps: &[PathStep]) {
        let (mut start, mut at) = ((0.0, 0.0), (0.0, 0.0));
        for step in steps {
            match *step {
                PathStep::Move(x, y) => (start, at) = ((x, y), (x, y)),
                PathStep::Line(x, y) => {
                    self.stroke(at, (x, y));
                    at = (x, y);
                }
                PathStep::Close => {
                    self.stroke(at, start);
                    at = start;
                }
            }
        }
    }

    /// Sets every second dot inside a path, so that curves show upon it.
    fn fill(&mut self, steps: &[PathStep]) {
        let mut edges: Vec<[(f64, f64); 2]> = Vec::new();
        let (mut start, mut at) = ((0.0, 0.0), (0.0, 0.0));
        for step in steps {
            match *step {
                PathStep::Move(x, y) => (start, at) = ((x, y), (x, y)),
                PathStep::Line(x, y) => {
                    edges.push([at, (x, y)]);
                    at = (x, y);
                }
                PathStep::Close => edges.push([at, start]),
            }
        }
        for row in 0..self.rows * DOTS.1 {
            let y = row as f64 + 0.5;
            let mut crossings: Vec<f64> = edges
                .iter()
                .filter(|[a, b]| (a.1 <= y) != (b.1 <= y))
                .map(|[a, b]| a.0 + (y - a.1) / (b.1 - a.1) * (b.0 - a.0))
                .collect();
            crossings.sort_by(f64::total_cmp);
            for pair in crossings.chunks_exact(2) {
                let (from, to) = (
                    libm::ceil(pair[0] - 0.5).max(0.0) as i64,
                    libm::floor(pair[1] - 0.5).min((self.columns * DOTS.0) as f64) as i64,
                );
                for column in from..=to {
                    if (column + row as i64) % 2 == 0 {
                        self.dot(column, row as i64);
                    }
                }
            }
        }
    }

    /// A bar or cell: whole characters, and eighths at its upper end and right side.
    fn rectangle(&mut self, place: &SceneBox, fill: char) {
        const UP: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        const RIGHT: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
        let (width, height) = (DOTS.0 as f64, DOTS.1 as f64);
        let first_column = (place.left / width).max(0.0) as usize;
        let last_column = ((place.right() / width).ceil().max(0.0) as usize).min(self.columns);
        let first_row = (place.top / height).max(0.0) as usize;
        let last_row = ((place.bottom() / height).ceil().max(0.0) as usize).min(self.rows);
        for row in first_row..last_row {
            for column in first_column..last_column {
                let (left, top) = (column as f64 * width, row as f64 * height);
                let across = ((place.right().min(left + width) - place.left.max(left)) / width)
                    .clamp(0.0, 1.0);
                let down = ((place.bottom().min(top + height) - place.top.max(top)) / height)
                    .clamp(0.0, 1.0);
                let eighths = |share: f64| libm::round(share * 8.0) as usize;
                let symbol = match fill {
                    '█' if across > 0.4 && down < 0.95 && place.bottom() >= top + height - 0.3 => {
                        UP[eighths(down)]
                    }
                    '█' if down > 0.4 && across < 0.95 && place.left <= left + 0.3 => {
                        RIGHT[eighths(across)]
                    }
                    fill if across > 0.4 && down > 0.4 => fill,
                    _ => continue,
                };
                if symbol != ' ' {
                    self.cells[row * self.columns + column] = symbol;
                }
            }
        }
    }

    fn line(&self, row: usize) -> String {
        let range = row * self.columns..(row + 1) * self.columns;
        let cells = self.cells[range.clone()].iter().zip(&self.dots[range]);
        cells
            .map(|(&cell, &dots)| {
                if cell == ' ' && dots != 0 {
                    char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' ')
                } else {
                    cell
                }
            })
            .collect()
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

pub(crate) fn cut(text: &str, most: usize) -> String {
    if length(text) <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    if most == 0 {
        String::new()
    } else {
        format!("{}…", kept.trim_end())
    }
}

/// The ticks of an axis of `count` characters, each `size(label)` of them long.
fn character_ticks(
    axis: &AxisScale,
    count: usize,
    size: impl Fn(&str) -> usize,
    per_label: usize,
) -> Vec<(usize, String)> {
    let place = |value: f64| {
        ((axis.directed(value) * count as f64).max(0.0) as usize).min(count.saturating_sub(1))
    };
    let fits = |ticks: &[ScaleTick]| {
        let mut free = i64::MIN;
        let mut places: Vec<(i64, i64)> = ticks
            .iter()
            .filter(|tick| !tick.label.is_empty())
            .map(|tick| {
                let (middle, size) = (place(tick.value) as i64, size(&tick.label) as i64);
                (middle - size / 2, middle - size / 2 + size)
            })
            .collect();
        places.sort_unstable();
        places.iter().all(|(start, end)| {
            let is_free = *start >= free;
            free = end + 1;
            is_free
        })
    };
    let most = (count / per_label).clamp(2, 12);
    let ticks = axis.ticks(most, &fits);
    let is_in = |tick: &ScaleTick| {
        !tick.label.is_empty() && (-1e-9..=1.0 + 1e-9).contains(&axis.fraction(tick.value))
    };
    ticks
        .iter()
        .filter(|tick| is_in(tick))
        .map(|tick| (place(tick.value), tick.label.clone()))
        .collect()
}

/// The whole plot, `width` characters wide, each panel with `height` rows of plotting area.
pub(crate) fn draw_characters(plot: &PreparedPlot, width: usize, height: usize) -> String {
    let mut lines = Vec::new();
    let centred = |text: &str| {
        let text = cut(text, width);
        format!("{}{text}", " ".repeat((width - length(&text)) / 2))
    };
    if !plot.title.is_empty() {
        lines.push(centred(&plot.title));
    }
    let per_panel = if plot.panels.len() > 1 {
        (height / 2).max(6).min(height)
    } else {
        height
    };
    for panel in plot.panels.iter().take(PANELS_MAX) {
        draw_panel(&mut lines, plot, panel, width, per_panel);
    }
    if plot.panels.len() > PANELS_MAX {
        lines.push(format!(
            "and {} more panels",
            plot.panels.len() - PANELS_MAX
        ));
    }
    if !plot.axes.x.is_hidden && !plot.axes.x.title.is_empty() {
        lines.push(centred(&plot.axes.x.title));
    }
    lines.extend(legend_lines(plot, width));
    let trimmed: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    trimmed.join("\n")
}

fn draw_panel(
    lines: &mut Vec<String>,
    plot: &PreparedPlot,
    panel: &PlotPanel,
    width: usize,
    rows: usize,
) {
    let title = match (
        panel.title.as_str(),
        plot.row_titles.get(panel.row).map_or("", String::as_str),
    ) {
        ("", other) | (other, "") => other.to_owned(),
        (column, row) => format!("{column}, {row}"),
    };
    if !title.is_empty() {
        lines.push(cut(&format!("── {title} "), width));
    }
    let axis = &plot.axes.y;
    let shown = |axis: &AxisScale| {
        if axis.is_hidden || axis.title.is_empty() {
            None
        } else {
            Some(cut(&axis.title, width))
        }
    };
    lines.extend(shown(axis));
    let y_ticks = if axis.is_hidden {
        Vec::new()
    } else {
        character_ticks(axis, rows, |_| 1, 3)
    };
    let widest = y_ticks
        .iter()
        .map(|(_, label)| length(label))
        .max()
        .unwrap_or(0)
        .min(width / 3);
    let right_ticks = plot
        .axes
        .right
        .as_ref()
        .filter(|axis| !axis.is_hidden)
        .map(|axis| character_ticks(axis, rows, |_| 1, 3))
        .unwrap_or_default();
    let right_width = right_ticks
        .iter()
        .map(|(_, label)| length(label) + 1)
        .max()
        .unwrap_or(0)
        .min(width / 3);
    let columns = width.saturating_sub(widest + 2 + right_width).max(4);
    let mut grid = CharacterGrid::new(columns, rows);
    let cell = SceneBox::new(0.0, 0.0, (columns * DOTS.0) as f64, (rows * DOTS.1) as f64);
    for (is_right, mark) in &panel.marks {
        let y = plot
            .axes
            .right
            .as_ref()
            .filter(|_| *is_right)
            .unwrap_or(axis);
        draw_characters_of(
            &mut grid,
            plot,
            mark,
            &PanelProjection::new(&plot.axes.x, y, cell),
            cell,
        );
    }
    for row in 0..rows {
        // Rows count downwards, places of an axis upwards.
        let at = |ticks: &[(usize, String)]| {
            ticks
                .iter()
                .find(|(place, _)| rows - 1 - place == row)
                .map(|(_, label)| label.clone())
        };
        let label = at(&y_ticks);
        let border = if label.is_some() { '┤' } else { '│' };
        let text = cut(&label.unwrap_or_default(), widest);
        let pad = " ".repeat(widest - length(&text));
        let right = at(&right_ticks)
            .map(|label| format!("├{label}"))
            .unwrap_or_default();
        lines.push(format!("{pad}{text} {border}{}{right}", grid.line(row)));
    }
    let x_ticks = if plot.axes.x.is_hidden {
        Vec::new()
    } else {
        character_ticks(
            &plot.axes.x,
            columns,
            length,
            if plot.axes.x.kind == ScaleKind::Time {
                10
            } else {
                7
            },
        )
    };
    let mut border: Vec<char> = vec!['─'; columns];
    for (place, _) in &x_ticks {
        border[*place] = '┬';
    }
    lines.push(format!(
        "{} └{}",
        " ".repeat(widest),
        border.into_iter().collect::<String>()
    ));
    let mut labels: Vec<char> = vec![' '; width];
    let mut free = 0;
    let mut ordered = x_ticks;
    ordered.sort_by_key(|(place, _)| *place);
    let room = columns / plot.axes.x.levels.len().max(1);
    for (place, label) in ordered {
        let label = if plot.axes.x.kind == ScaleKind::Band {
            cut(&label, room.saturating_sub(1).max(3))
        } else {
            label
        };
        let size = length(&label);
        let start = (widest + 2 + place)
            .saturating_sub(size / 2)
            .min(width.saturating_sub(size));
        if start >= free && size > 0 {
            for (offset, one) in label.chars().enumerate().take(width - start) {
                labels[start + offset] = one;
            }
            free = start + size + 1;
        }
    }
    if labels.iter().any(|one| *one != ' ') {
        lines.push(labels.into_iter().collect());
    }
}

/// The position of a colour among the categories.
fn category_of(plot: &PreparedPlot, colour: PlotColour) -> usize {
    let categories = plot.guides.categories.as_ref();
    categories
        .and_then(|known| {
            known
                .colours
                .iter()
                .position(|one| one.channels == colour.channels)
        })
        .unwrap_or(0)
}

fn has_categories(plot: &PreparedPlot) -> bool {
    plot.guides
        .categories
        .as_ref()
        .is_some_and(|known| known.levels.len() > 1)
}

fn draw_characters_of(
    grid: &mut CharacterGrid,
    plot: &PreparedPlot,
    mark: &PanelMark,
    projection: &PanelProjection,
    cell: SceneBox,
) {
    let mut items = Vec::new();
    draw_mark(&mut items, mark, projection, cell);
    for item in &items {
        match item {
            SceneItem::Points(cloud) => {
                let colour = cloud
                    .fill
                    .or(cloud.stroke.as_ref().map(|stroke| stroke.colour));
                let symbol = colour
                    .filter(|_| has_categories(plot))
                    .map(|colour| SYMBOLS[category_of(plot, colour) % SYMBOLS.len()]);
                for [x, y] in &cloud.centres {
                    match symbol {
                        Some(symbol) => grid.put(f64::from(*x), f64::from(*y), symbol),
                        None => grid.dot(x.floor() as i64, y.floor() as i64),
                    }
                }
            }
            SceneItem::Path {
                steps,
                fill,
                stroke,
            } => {
                if let Some(fill) = fill
                    && fill.alpha > 60
                {
                    grid.fill(steps);
                }
                if let Some(stroke) = stroke {
                    grid.path(steps);
                    if has_categories(plot) && matches!(mark, PanelMark::Line { .. }) {
                        mark_curve(
                            grid,
                            steps,
                            SYMBOLS[category_of(plot, stroke.colour) % SYMBOLS.len()],
                            category_of(plot, stroke.colour),
                        );
                    }
                }
            }
            SceneItem::Rectangle {
                place,
                fill: Some(fill),
                ..
            } if fill.alpha > 60 => {
                let symbol = match &plot.guides.quantities {
                    // Cells of a heat map: four shades.
                    Some(colours) if !has_categories(plot) => {
                        shade_of(plot, colours.palette, *fill)
                    }
                    _ if has_categories(plot) => FILLS[category_of(plot, *fill) % FILLS.len()],
                    _ => '█',
                };
                grid.rectangle(place, symbol);
            }
            _ => {}
        }
    }
}

/// The shade of a colour of a palette: its place between the ends of the palette.
fn shade_of(
    plot: &PreparedPlot,
    palette: crate::colour::GradientPalette,
    colour: PlotColour,
) -> char {
    const SHADES: [char; 4] = ['░', '▒', '▓', '█'];
    let distance = |other: PlotColour| -> i32 {
        colour
            .channels
            .iter()
            .zip(other.channels)
            .map(|(a, b)| (i32::from(*a) - i32::from(b)).pow(2))
            .sum()
    };
    let nearest = (0..=32)
        .min_by_key(|step| distance(palette.colour(f64::from(*step) / 32.0)))
        .unwrap_or(0);
    let is_reversed = plot
        .guides
        .quantities
        .as_ref()
        .is_some_and(|colours| colours.is_reversed);
    let step = if is_reversed { 32 - nearest } else { nearest };
    SHADES[(step * 4 / 33) as usize]
}

/// Marks a curve with the symbol of its colour at four places.
fn mark_curve(grid: &mut CharacterGrid, steps: &[PathStep], symbol: char, category: usize) {
    const MARKS: usize = 4;
    let places: Vec<(f64, f64)> = steps
        .iter()
        .filter_map(|step| match step {
            PathStep::Move(x, y) | PathStep::Line(x, y) => Some((*x, *y)),
            PathStep::Close => None,
        })
        .collect();
    for mark in 0..MARKS {
        // Shifted for each colour, so that curves that meet keep their symbols.
        let share = (mark as f64 + (0.37 * (category + 1) as f64).fract()) / MARKS as f64;
        if let Some((x, y)) = places.get((share * places.len() as f64) as usize) {
            grid.put(*x, *y, symbol);
        }
    }
}

fn legend_lines(plot: &PreparedPlot, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    if let Some(axis) = plot
        .axes
        .right
        .as_ref()
        .filter(|axis| !axis.is_hidden && !axis.title.is_empty())
    {
        lines.push(cut(&format!("right axis: {}", axis.title), width));
    }
    let Some(known) = plot
        .guides
        .categories
        .as_ref()
        .filter(|known| !known.is_hidden && known.levels.len() > 1)
    else {
        return lines;
    };
    if plot.axes.x.levels == known.levels || plot.axes.y.levels == known.levels {
        return lines;
    }
    let has_boxes = plot
        .panels
        .iter()
        .flat_map(|panel| &panel.marks)
        .any(|(_, mark)| matches!(mark, PanelMark::Boxes { .. }));
    let mut line = String::new();
    for (index, level) in known.levels.iter().enumerate() {
        let sign = if has_boxes {
            FILLS[index % FILLS.len()]
        } else {
            SYMBOLS[index % SYMBOLS.len()]
        };
        let entry = cut(&format!("{sign} {level}"), width);
        if !line.is_empty() && length(&line) + 3 + length(&entry) > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push_str("   ");
        }
        line.push_str(&entry);
    }
    lines.push(line);
    lines
}
