//! A layered layout of boxes, labels and arrows, top to bottom.
//!
//! # Method
//! After K. Sugiyama, S. Tagawa and M. Toda, "Methods for Visual Understanding of Hierarchical System Structures", IEEE Trans.
//! Systems, Man and Cybernetics 11(2), 1981. Boxes have a row (two for each wave; the odd ones hold labels); an arrow has a bend,
//! or its label, in every row between its ends, so nothing is ever drawn across a box. Rows are ordered by the means of their
//! neighbours, the ordering with the fewest crossings is kept, and positions are the least squares of the distances to the
//! neighbours that keep the order and the gaps (isotonic regression, by pooling adjacent violators).
//!
//! # Cost
//! Linear in boxes and bends for each of a fixed number of passes, but for sorting.

/// Most boxes and bends.
pub(super) const VERTICES_MAX: usize = 20_000;
/// Passes that improve the order, and that move boxes.
const PASSES: usize = 12;
/// Gap between neighbours in a row.
const GAP: f64 = 22.0;
/// Width of an arrow that crosses a row.
const BEND: f64 = 10.0;

/// The row and size of a box.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoxSize {
    pub(super) row: usize,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// An arrow between two boxes; the first is in an earlier row.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoxLink {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Width and height of its label.
    pub(super) label: Option<(f64, f64)>,
}

/// A rectangle: middle, top, and size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BoxRectangle {
    pub(super) x: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl BoxRectangle {
    pub(super) fn left(&self) -> f64 {
        self.x - self.width / 2.0
    }

    #[cfg(test)]
    pub(super) fn right(&self) -> f64 {
        self.x + self.width / 2.0
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// The drawing, from the point (0, 0).
#[derive(Debug)]
pub(super) struct DrawingLayout {
    pub(super) boxes: Vec<BoxRectangle>,
    /// The points of each arrow: an entry above and an exit below for every row it crosses.
    pub(super) ways: Vec<Vec<(f64, f64)>>,
    /// The label of each arrow.
    pub(super) labels: Vec<Option<BoxRectangle>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A box, bend or label in a row.
struct LayoutVertex {
    size: BoxSize,
    x: f64,
    /// Neighbours in the row above and in the row below.
    near: [Vec<usize>; 2],
    /// Weight of its position: high for bends, to keep arrows straight.
    weight: f64,
}

impl LayoutVertex {
    /// The mean of a property of the neighbours on one side, if there are any.
    fn mean(&self, side: usize, of: impl Fn(usize) -> f64) -> Option<f64> {
        let near = &self.near[side];
        let sum: f64 = near.iter().map(|&other| of(other)).sum();
        (!near.is_empty()).then(|| sum / near.len() as f64)
    }
}

/// Computes the layout; `None` above [`VERTICES_MAX`].
pub(super) fn compute_layout(boxes: &[BoxSize], links: &[BoxLink]) -> Option<DrawingLayout> {
    let bends = |link: &BoxLink| boxes[link.to].row - boxes[link.from].row - 1;
    if boxes.len() + links.iter().map(bends).sum::<usize>() > VERTICES_MAX {
        return None;
    }
    let (mut vertices, chains) = build_vertices(boxes, links);
    let rows = order_vertices(&vertices);
    position_vertices(&mut vertices, &rows);
    let tops = row_tops(&vertices, &rows);
    Some(finish_layout(boxes, links, &vertices, &chains, &tops))
}

/// Returns boxes, then the bends of each arrow from top to bottom; and for each arrow all its vertices, ends included.
fn build_vertices(boxes: &[BoxSize], links: &[BoxLink]) -> (Vec<LayoutVertex>, Vec<Vec<usize>>) {
    let new = |size, weight| LayoutVertex {
        size,
        x: 0.0,
        near: Default::default(),
        weight,
    };
    let mut vertices: Vec<LayoutVertex> = boxes.iter().map(|&size| new(size, 1.0)).collect();
    let mut chains = Vec::with_capacity(links.len());
    for link in links {
        let (first, last) = (boxes[link.from].row, boxes[link.to].row);
        let mut chain = vec![link.from];
        for row in first + 1..last {
            let (width, height, weight) = match link.label.filter(|_| row + 1 == last) {
                Some((width, height)) => (width, height, 2.0),
                None => (BEND, 0.0, 4.0),
            };
            chain.push(vertices.len());
            vertices.push(new(BoxSize { row, width, height }, weight));
        }
        chain.push(link.to);
        for pair in chain.windows(2) {
            vertices[pair[0]].near[1].push(pair[1]);
            vertices[pair[1]].near[0].push(pair[0]);
        }
        chains.push(chain);
    }
    (vertices, chains)
}

/// The indices of rows downwards or upwards, and the side of the neighbours that were visited before.
fn sweep_passes(rows: usize, count: usize) -> impl Iterator<Item = (Vec<usize>, usize)> {
    (0..count).map(move |pass| match pass % 2 {
        0 => ((0..rows).collect(), 0),
        _ => ((0..rows).rev().collect(), 1),
    })
}

/// The vertices of each row, from left to right.
fn order_vertices(vertices: &[LayoutVertex]) -> Vec<Vec<usize>> {
    let count = vertices.iter().map(|one| one.size.row + 1).max();
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); count.unwrap_or(0)];
    let mut rank = vec![0.0; vertices.len()];
    for (index, vertex) in vertices.iter().enumerate() {
        let row = &mut rows[vertex.size.row];
        rank[index] = row.len() as f64;
        row.push(index);
    }
    let (mut best, mut fewest) = (rows.clone(), usize::MAX);
    for (order, side) in sweep_passes(rows.len(), PASSES) {
        for row in order {
            let row = &mut rows[row];
            let mean = |&vertex: &usize| {
                let mean = vertices[vertex].mean(side, |other| rank[other]);
                (mean.unwrap_or(rank[vertex]), vertex)
            };
            let mut keyed: Vec<(f64, usize)> = row.iter().map(mean).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0)); // stable: equal means keep their order
            *row = keyed.into_iter().map(|(_, vertex)| vertex).collect();
            (row.iter().enumerate()).for_each(|(at, &vertex)| rank[vertex] = at as f64);
        }
        let crossings = rows
            .iter()
            .map(|row| count_crossings(vertices, row, &rank))
            .sum();
        if crossings < fewest {
            fewest = crossings;
            best.clone_from(&rows);
        }
    }
    best
}

/// The number of crossing pairs of lines below a row.
fn count_crossings(vertices: &[LayoutVertex], row: &[usize], rank: &[f64]) -> usize {
    let mut ends: Vec<usize> = Vec::new();
    for &vertex in row {
        let from = ends.len();
        ends.extend(
            vertices[vertex].near[1]
                .iter()
                .map(|&other| rank[other] as usize),
        );
        ends[from..].sort_unstable();
    }
    count_inversions(&ends)
}

/// Counts inversions with a Fenwick tree of the numbers seen so far.
fn count_inversions(numbers: &[usize]) -> usize {
    let mut seen = vec![0; numbers.iter().max().map_or(0, |most| most + 2)];
    let mut count = 0;
    for (before, &number) in numbers.iter().enumerate() {
        let (mut at, mut not_greater) = (number + 1, 0);
        while at > 0 {
            not_greater += seen[at];
            at &= at - 1;
        }
        count += before - not_greater;
        at = number + 1;
        while at < seen.len() {
            seen[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    count
}

/// Computes the horizontal centre of every vertex.
fn position_vertices(vertices: &mut [LayoutVertex], rows: &[Vec<usize>]) {
    rows.iter()
        .for_each(|row| settle_row(vertices, row, &vec![0.0; row.len()]));
    for (order, side) in sweep_passes(rows.len(), 2 * PASSES) {
        for row in order.into_iter().map(|row| &rows[row]) {
            let wanted = row.iter().map(|&vertex| {
                let mean = vertices[vertex].mean(side, |other| vertices[other].x);
                mean.unwrap_or(vertices[vertex].x)
            });
            let wanted: Vec<f64> = wanted.collect();
            settle_row(vertices, row, &wanted);
        }
    }
    let left = vertices.iter().map(|one| one.x - one.size.width / 2.0);
    let left = left.fold(f64::INFINITY, f64::min);
    vertices.iter_mut().for_each(|one| one.x -= left);
}

/// Moves a row as close to its wanted positions as order and gaps allow.
fn settle_row(vertices: &mut [LayoutVertex], row: &[usize], wanted: &[f64]) {
    /// Adjacent vertices: their count, weight, and mean wanted position.
    struct VertexBlock(usize, f64, f64);
    // Without gaps the centres must be increasing: blocks that would overlap share the weighted mean of their wanted positions.
    let mut offsets: Vec<f64> = Vec::with_capacity(row.len());
    let mut blocks: Vec<VertexBlock> = Vec::new();
    for (at, &vertex) in row.iter().enumerate() {
        let width = |vertex: usize| vertices[vertex].size.width;
        offsets.push(match at {
            0 => 0.0,
            _ => offsets[at - 1] + (width(row[at - 1]) + width(vertex)) / 2.0 + GAP,
        });
        let mut block = VertexBlock(1, vertices[vertex].weight, wanted[at] - offsets[at]);
        while let Some(VertexBlock(count, weight, mean)) = blocks.pop_if(|last| last.2 > block.2) {
            let whole = weight + block.1;
            let mean = (mean * weight + block.2 * block.1) / whole;
            block = VertexBlock(count + block.0, whole, mean);
        }
        blocks.push(block);
    }
    let means = blocks
        .iter()
        .flat_map(|block| std::iter::repeat_n(block.2, block.0));
    for ((&vertex, mean), offset) in row.iter().zip(means).zip(offsets) {
        vertices[vertex].x = mean + offset;
    }
}

/// The top and height of each row; wide arrows get more space between rows.
fn row_tops(vertices: &[LayoutVertex], rows: &[Vec<usize>]) -> Vec<(f64, f64)> {
    const ROOM_LEAST: f64 = 16.0;
    const ROOM_MOST: f64 = 44.0;
    let mut tops = Vec::with_capacity(rows.len());
    let mut top = 0.0;
    for row in rows {
        let row = || row.iter().map(|&vertex| &vertices[vertex]);
        let height = row().map(|one| one.size.height).fold(0.0, f64::max);
        tops.push((top, height));
        let spans = row()
            .flat_map(|one| (one.near[1].iter()).map(|&other| (vertices[other].x - one.x).abs()));
        let far = spans.fold(0.0, f64::max);
        top += height + (ROOM_LEAST + far / 10.0).min(ROOM_MOST);
    }
    tops
}

fn finish_layout(
    boxes: &[BoxSize],
    links: &[BoxLink],
    vertices: &[LayoutVertex],
    chains: &[Vec<usize>],
    tops: &[(f64, f64)],
) -> DrawingLayout {
    let placed = |index: usize| {
        let (size, x) = (vertices[index].size, vertices[index].x);
        let (top, height) = tops[size.row];
        BoxRectangle {
            x,
            top: top + (height - size.height) / 2.0,
            width: size.width,
            height: size.height,
        }
    };
    let (leaves, enters) = (
        arrow_ports(vertices, chains, true),
        arrow_ports(vertices, chains, false),
    );
    let mut labels = vec![None; links.len()];
    let mut ways = Vec::with_capacity(links.len());
    for (number, (link, chain)) in links.iter().zip(chains).enumerate() {
        let (from, to) = (placed(link.from), placed(link.to));
        let mut way = vec![(from.left() + from.width * leaves[number], from.bottom())];
        // Straight to the end of its row, so that no curve begins beside a higher box.
        let (top, height) = tops[boxes[link.from].row];
        way.push((way[0].0, top + height));
        for &vertex in &chain[1..chain.len() - 1] {
            let (top, height) = tops[vertices[vertex].size.row];
            if height == 0.0 {
                continue; // the row is empty
            }
            way.push((vertices[vertex].x, top));
            way.push((vertices[vertex].x, top + height));
        }
        let x = to.left() + to.width * enters[number];
        way.push((x, tops[boxes[link.to].row].0));
        way.push((x, to.top));
        ways.push(way);
        if link.label.is_some() {
            labels[number] = Some(placed(chain[chain.len() - 2]));
        }
    }
    let right = vertices.iter().map(|one| one.x + one.size.width / 2.0);
    DrawingLayout {
        boxes: (0..boxes.len()).map(placed).collect(),
        ways,
        labels,
        width: right.fold(0.0, f64::max),
        height: tops.last().map_or(0.0, |(top, height)| top + height),
    }
}

/// The position of each arrow on the side of its box, from 0 to 1, ordered by its other end.
fn arrow_ports(vertices: &[LayoutVertex], chains: &[Vec<usize>], leaving: bool) -> Vec<f64> {
    let mut sides: Vec<Vec<(f64, usize)>> = vec![Vec::new(); vertices.len()];
    for (link, chain) in chains.iter().enumerate() {
        let (end, next) = match leaving {
            true => (chain[0], chain[1]),
            false => (chain[chain.len() - 1], chain[chain.len() - 2]),
        };
        sides[end].push((vertices[next].x, link));
    }
    let mut ports = vec![0.5; chains.len()];
    for side in &mut sides {
        side.sort_by(|a, b| a.0.total_cmp(&b.0)); // stable: keeps the order of equal arrows
        for (at, (_, link)) in side.iter().enumerate() {
            ports[*link] = (at + 1) as f64 / (side.len() + 1) as f64;
        }
    }
    ports
}
