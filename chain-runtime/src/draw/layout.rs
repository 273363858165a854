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
pub(super) struct Size {
    pub(super) row: usize,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// An arrow between two boxes; the first is in an earlier row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Width and height of its label.
    pub(super) label: Option<(f64, f64)>,
}

/// A rectangle: middle, top, and size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Place {
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
pub(super) struct Layout {
    pub(super) boxes: Vec<Place>,
    /// The points of each arrow: an entry above and an exit below for every row it crosses.
    pub(super) ways: Vec<Vec<(f64, f64)>>,
    /// The label of each arrow.
    pub(super) labels: Vec<Option<Place>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A box, bend or label in a row.
struct Vertex {
    row: usize,
    width: f64,
    height: f64,
    x: f64,
    /// Neighbours in the row above and below.
    above: Vec<usize>,
    below: Vec<usize>,
    /// Weight of its position: high for bends, to keep arrows straight.
    weight: f64,
}

/// Computes the layout; `None` above [`VERTICES_MAX`].
pub(super) fn place(boxes: &[Size], links: &[Link]) -> Option<Layout> {
    let bends: usize = links
        .iter()
        .map(|link| boxes[link.to].row - boxes[link.from].row - 1)
        .sum();
    if boxes.len() + bends > VERTICES_MAX {
        return None;
    }
    let (mut vertices, chains) = vertices(boxes, links);
    let rows = order(&vertices);
    position(&mut vertices, &rows);
    let tops = tops(&vertices, &rows);
    Some(finish(boxes, links, &vertices, &rows, &chains, &tops))
}

/// Returns boxes, then the bends of each arrow from top to bottom; and for each arrow all its vertices, ends included.
fn vertices(boxes: &[Size], links: &[Link]) -> (Vec<Vertex>, Vec<Vec<usize>>) {
    let new = |row, width, height, weight| Vertex {
        row,
        width,
        height,
        x: 0.0,
        above: Vec::new(),
        below: Vec::new(),
        weight,
    };
    let mut vertices: Vec<Vertex> = boxes
        .iter()
        .map(|size| new(size.row, size.width, size.height, 1.0))
        .collect();
    let mut chains = Vec::with_capacity(links.len());
    for link in links {
        let (first, last) = (boxes[link.from].row, boxes[link.to].row);
        let mut chain = vec![link.from];
        for row in first + 1..last {
            let vertex = match link.label.filter(|_| row + 1 == last) {
                Some((width, height)) => new(row, width, height, 2.0),
                None => new(row, BEND, 0.0, 4.0),
            };
            chain.push(vertices.len());
            vertices.push(vertex);
        }
        chain.push(link.to);
        for pair in chain.windows(2) {
            vertices[pair[0]].below.push(pair[1]);
            vertices[pair[1]].above.push(pair[0]);
        }
        chains.push(chain);
    }
    (vertices, chains)
}

/// The vertices of each row, from left to right.
fn order(vertices: &[Vertex]) -> Vec<Vec<usize>> {
    let count = vertices.iter().map(|one| one.row + 1).max().unwrap_or(0);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (index, vertex) in vertices.iter().enumerate() {
        rows[vertex.row].push(index);
    }
    let mut rank = vec![0.0; vertices.len()];
    let number = |row: &[usize], rank: &mut [f64]| {
        row.iter()
            .enumerate()
            .for_each(|(at, &vertex)| rank[vertex] = at as f64);
    };
    rows.iter().for_each(|row| number(row, &mut rank));
    let mut best = rows.clone();
    let mut fewest = usize::MAX;
    for pass in 0..PASSES {
        let down = pass % 2 == 0;
        let mut sort = |row: &mut Vec<usize>| {
            let mean = |&vertex: &usize| {
                let one: &Vertex = &vertices[vertex];
                let near = if down { &one.above } else { &one.below };
                match near.len() {
                    0 => rank[vertex],
                    count => near.iter().map(|&other| rank[other]).sum::<f64>() / count as f64,
                }
            };
            let mut keyed: Vec<(f64, usize)> = row.iter().map(|v| (mean(v), *v)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0)); // stable: equal means keep their order
            *row = keyed.into_iter().map(|(_, vertex)| vertex).collect();
            number(row, &mut rank);
        };
        if down {
            rows.iter_mut().for_each(&mut sort);
        } else {
            rows.iter_mut().rev().for_each(&mut sort);
        }
        let crossings = crossings(vertices, &rows, &rank);
        if crossings < fewest {
            fewest = crossings;
            best.clone_from(&rows);
        }
    }
    best
}

/// The number of crossing pairs of lines.
fn crossings(vertices: &[Vertex], rows: &[Vec<usize>], rank: &[f64]) -> usize {
    let mut sum = 0;
    for row in rows {
        let mut ends: Vec<usize> = Vec::new();
        for &vertex in row {
            let mut below: Vec<usize> = vertices[vertex]
                .below
                .iter()
                .map(|&other| rank[other] as usize)
                .collect();
            below.sort_unstable();
            ends.extend(below);
        }
        sum += inversions(&mut ends);
    }
    sum
}

/// Counts inversions by merge sort.
fn inversions(numbers: &mut [usize]) -> usize {
    if numbers.len() < 2 {
        return 0;
    }
    let middle = numbers.len() / 2;
    let mut count = inversions(&mut numbers[..middle]) + inversions(&mut numbers[middle..]);
    let (left, right) = (numbers[..middle].to_vec(), numbers[middle..].to_vec());
    let (mut a, mut b) = (0, 0);
    for slot in numbers.iter_mut() {
        let take_left = b == right.len() || (a < left.len() && left[a] <= right[b]);
        if take_left {
            *slot = left[a];
            a += 1;
        } else {
            *slot = right[b];
            b += 1;
            count += left.len() - a;
        }
    }
    count
}

/// Computes the horizontal centre of every vertex.
fn position(vertices: &mut [Vertex], rows: &[Vec<usize>]) {
    for row in rows {
        let wanted = vec![0.0; row.len()];
        settle(vertices, row, &wanted);
    }
    for pass in 0..2 * PASSES {
        let down = pass % 2 == 0;
        let mut move_row = |row: &Vec<usize>| {
            let wanted: Vec<f64> = row
                .iter()
                .map(|&vertex| {
                    let one = &vertices[vertex];
                    let near = if down { &one.above } else { &one.below };
                    match near.len() {
                        0 => one.x,
                        count => {
                            near.iter().map(|&other| vertices[other].x).sum::<f64>() / count as f64
                        }
                    }
                })
                .collect();
            settle(vertices, row, &wanted);
        };
        if down {
            rows.iter().for_each(&mut move_row);
        } else {
            rows.iter().rev().for_each(&mut move_row);
        }
    }
    let left = vertices
        .iter()
        .map(|one| one.x - one.width / 2.0)
        .fold(f64::INFINITY, f64::min);
    vertices.iter_mut().for_each(|one| one.x -= left);
}

/// Moves a row as close to its wanted positions as order and gaps allow.
fn settle(vertices: &mut [Vertex], row: &[usize], wanted: &[f64]) {
    // Without gaps the centres must be increasing: blocks that would overlap share the weighted mean of their wanted positions.
    let mut offsets = Vec::with_capacity(row.len());
    let mut offset = 0.0;
    for (at, &vertex) in row.iter().enumerate() {
        if at > 0 {
            offset += (vertices[row[at - 1]].width + vertices[vertex].width) / 2.0 + GAP;
        }
        offsets.push(offset);
    }
    /// Adjacent vertices: their count, weight, and mean wanted position.
    struct Block(usize, f64, f64);
    let mut blocks: Vec<Block> = Vec::new();
    for (at, &vertex) in row.iter().enumerate() {
        let mut block = Block(1, vertices[vertex].weight, wanted[at] - offsets[at]);
        while let Some(Block(count, weight, mean)) = blocks.pop_if(|last| last.2 > block.2) {
            let whole = weight + block.1;
            block = Block(
                count + block.0,
                whole,
                (mean * weight + block.2 * block.1) / whole,
            );
        }
        blocks.push(block);
    }
    let mut at = 0;
    for Block(count, _, mean) in blocks {
        for _ in 0..count {
            vertices[row[at]].x = mean + offsets[at];
            at += 1;
        }
    }
}

/// The top and height of each row; wide arrows get more space between rows.
fn tops(vertices: &[Vertex], rows: &[Vec<usize>]) -> Vec<(f64, f64)> {
    const ROOM_LEAST: f64 = 16.0;
    const ROOM_MOST: f64 = 44.0;
    let mut tops = Vec::with_capacity(rows.len());
    let mut top = 0.0;
    for row in rows {
        let height = row
            .iter()
            .map(|&vertex| vertices[vertex].height)
            .fold(0.0, f64::max);
        tops.push((top, height));
        let far = row
            .iter()
            .flat_map(|&vertex| {
                let one = &vertices[vertex];
                one.below
                    .iter()
                    .map(|&other| (vertices[other].x - one.x).abs())
            })
            .fold(0.0, f64::max);
        top += height + (ROOM_LEAST + far / 10.0).min(ROOM_MOST);
    }
    tops
}

fn finish(
    boxes: &[Size],
    links: &[Link],
    vertices: &[Vertex],
    rows: &[Vec<usize>],
    chains: &[Vec<usize>],
    tops: &[(f64, f64)],
) -> Layout {
    let placed = |index: usize| {
        let vertex = &vertices[index];
        let (top, height) = tops[vertex.row];
        Place {
            x: vertex.x,
            top: top + (height - vertex.height) / 2.0,
            width: vertex.width,
            height: vertex.height,
        }
    };
    let (leaves, enters) = (
        ports(vertices, chains, true),
        ports(vertices, chains, false),
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
            let (top, height) = tops[vertices[vertex].row];
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
    let last = rows
        .len()
        .checked_sub(1)
        .map_or((0.0, 0.0), |last| tops[last]);
    Layout {
        boxes: (0..boxes.len()).map(placed).collect(),
        ways,
        labels,
        width: vertices
            .iter()
            .map(|one| one.x + one.width / 2.0)
            .fold(0.0, f64::max),
        height: last.0 + last.1,
    }
}

/// The position of each arrow on the side of its box, from 0 to 1, ordered by its other end.
fn ports(vertices: &[Vertex], chains: &[Vec<usize>], leaving: bool) -> Vec<f64> {
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
