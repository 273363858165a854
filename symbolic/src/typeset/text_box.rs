//! [`TextBox`]: a rectangle of characters with a line on which it stands.

/// Rows of cells; a cell is one character with its combining marks, or empty behind a wide character.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct TextBox {
    rows: Vec<Vec<String>>,
    /// The row of the line.
    base: usize,
}

/// Whether a character has no width of its own.
fn is_combining(letter: char) -> bool {
    matches!(letter as u32, 0x300..=0x36F | 0x20D0..=0x20FF | 0x200B..=0x200F | 0xFE00..=0xFE0F)
}

/// Whether a character takes two cells (East Asian wide).
fn is_wide(letter: char) -> bool {
    matches!(letter as u32, 0x1100..=0x115F | 0x2E80..=0xA4CF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFF00..=0xFF60 | 0x1F300..=0x1FAFF)
}

fn cells_of(text: &str) -> Vec<String> {
    let mut cells: Vec<String> = Vec::new();
    for letter in text.chars() {
        if is_combining(letter)
            && let Some(last) = cells.last_mut()
        {
            last.push(letter);
            continue;
        }
        cells.push(letter.to_string());
        if is_wide(letter) {
            cells.push(String::new());
        }
    }
    cells
}

impl TextBox {
    /// One line of text.
    pub(super) fn line(text: &str) -> Self {
        Self {
            rows: vec![cells_of(text)],
            base: 0,
        }
    }

    /// Lines, all of the width of the longest, with the row of the line.
    pub(super) fn lines<'a>(lines: impl IntoIterator<Item = &'a str>, base: usize) -> Self {
        let rows = lines.into_iter().map(cells_of).collect();
        let mut made = Self { rows, base };
        made.pad_to(made.width());
        made
    }

    pub(super) fn width(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    pub(super) fn height(&self) -> usize {
        self.rows.len()
    }

    /// Rows above the line.
    pub(super) fn base(&self) -> usize {
        self.base
    }

    /// Rows below the line.
    pub(super) fn below(&self) -> usize {
        self.height() - 1 - self.base
    }

    /// The only row, if there is one.
    pub(super) fn single(&self) -> Option<String> {
        (self.rows.len() == 1).then(|| self.rows[0].concat())
    }

    pub(super) fn with_base(mut self, base: usize) -> Self {
        self.base = base.min(self.rows.len().saturating_sub(1));
        self
    }

    fn pad_to(&mut self, width: usize) {
        for row in &mut self.rows {
            row.resize(width.max(row.len()), " ".to_owned());
        }
    }

    /// The box with as many empty rows above and below.
    pub(super) fn extended(mut self, above: usize, below: usize) -> Self {
        // A row of many boxes would copy its width for each of them.
        if above + below == 0 {
            return self;
        }
        let width = self.width();
        let blank = vec![" ".to_owned(); width];
        self.rows.splice(0..0, vec![blank.clone(); above]);
        self.rows.extend(vec![blank; below]);
        self.base += above;
        self
    }

    /// Both beside each other, their lines at one height.
    pub(super) fn beside(self, other: Self) -> Self {
        if self.rows.is_empty() || self.width() == 0 {
            return if other.rows.is_empty() { self } else { other };
        }
        if other.rows.is_empty() {
            return self;
        }
        let (above, below) = (self.base.max(other.base), self.below().max(other.below()));
        let fit = |one: Self| {
            let (more_above, more_below) = (above - one.base, below - one.below());
            one.extended(more_above, more_below)
        };
        let (mut left, right) = (fit(self), fit(other));
        let width = left.width();
        left.pad_to(width);
        for (row, more) in left.rows.iter_mut().zip(right.rows) {
            row.extend(more);
        }
        let width = left.width();
        left.pad_to(width);
        left
    }

    /// Boxes below each other, each placed in the common width: 0 left, 1 centred, 2 right; the line is that of the first row.
    pub(super) fn stack(boxes: Vec<Self>, place: usize) -> Self {
        let width = boxes.iter().map(Self::width).max().unwrap_or(0);
        let rows = boxes
            .into_iter()
            .flat_map(|one| one.placed(width, place).rows);
        Self {
            rows: rows.collect(),
            base: 0,
        }
    }

    /// The box in a wider one.
    pub(super) fn placed(self, width: usize, place: usize) -> Self {
        let room = width.saturating_sub(self.width());
        let left = room * place / 2;
        let mut placed = Self {
            base: self.base,
            rows: self
                .rows
                .into_iter()
                .map(|row| {
                    let blanks = std::iter::repeat_n(" ".to_owned(), left);
                    blanks.chain(row).collect()
                })
                .collect(),
        };
        placed.pad_to(width);
        placed
    }

    /// The box as text, without spaces at the ends of lines.
    pub(super) fn to_text(&self) -> String {
        let lines: Vec<String> = self
            .rows
            .iter()
            .map(|row| row.concat().trim_end().to_owned())
            .collect();
        lines.join("\n").trim_end().to_owned()
    }
}
