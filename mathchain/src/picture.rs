//! Pictures as clients show them: a sixel text as a PNG image.
//!
//! Clients take PNG, JPEG, GIF and WebP; a sixel or SVG image makes some of them refuse the whole conversation.

use std::io::Write as _;

/// Most pixels of a picture.
const PIXELS_MAX: usize = 4_000_000;

/// The sixel text as a PNG image; `None` for a text that is no sixel picture.
pub fn png_of_sixel(text: &str) -> Option<Vec<u8>> {
    let body = text.strip_prefix("\u{1b}P")?;
    let (_, body) = body.split_once('q')?;
    let mut picture = PixelImage::sized(body)?;
    picture.draw(body)?;
    picture.png()
}

struct PixelImage {
    width: usize,
    height: usize,
    /// A colour for each pixel, row by row.
    pixels: Vec<u8>,
    palette: Vec<[u8; 3]>,
}

impl PixelImage {
    /// A picture of the size that the raster attributes give: `"1;1;WIDTH;HEIGHT`.
    fn sized(body: &str) -> Option<Self> {
        let attributes = body.strip_prefix('"')?;
        let end = attributes.find(|one: char| !one.is_ascii_digit() && one != ';')?;
        let mut sizes = attributes[..end]
            .split(';')
            .skip(2)
            .map(|size| size.parse::<usize>().ok());
        let (width, height) = (sizes.next()??, sizes.next()??);
        let count = width
            .checked_mul(height)
            .filter(|count| (1..=PIXELS_MAX).contains(count))?;
        Some(Self {
            width,
            height,
            pixels: vec![0; count],
            palette: vec![[255; 3]; 256],
        })
    }

    fn draw(&mut self, body: &str) -> Option<()> {
        let bytes = body.as_bytes();
        let (mut at, mut column, mut band, mut colour) = (0, 0, 0, 0_u8);
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match byte {
                b'"' => at += parse_numbers(&bytes[at..]).1,
                b'#' => {
                    let (numbers, length) = parse_numbers(&bytes[at..]);
                    at += length;
                    colour = u8::try_from(*numbers.first()?).ok()?;
                    if let [_, 2, red, green, blue] = numbers[..] {
                        self.palette[usize::from(colour)] = [red, green, blue].map(colour_channel);
                    }
                }
                b'!' => {
                    let (numbers, length) = parse_numbers(&bytes[at..]);
                    let bits = bytes.get(at + length)?.checked_sub(b'?')?;
                    at += length + 1;
                    column = self.set(column, band, *numbers.first()?, bits, colour);
                }
                b'$' => column = 0,
                b'-' => (column, band) = (0, band + 1),
                b'?'..=b'~' => column = self.set(column, band, 1, byte - b'?', colour),
                0x1b => return Some(()),
                _ => {}
            }
        }
        Some(())
    }

    /// Colours the rows of a band in some columns; gives the next column.
    fn set(&mut self, column: usize, band: usize, count: usize, bits: u8, colour: u8) -> usize {
        let next = column.saturating_add(count);
        for row in (0..6).filter(|row| bits >> row & 1 == 1) {
            let line = band * 6 + row;
            if line < self.height {
                let start = line * self.width;
                let (first, last) = (column.min(self.width), next.min(self.width));
                self.pixels[start + first..start + last].fill(colour);
            }
        }
        next
    }

    /// The picture as an indexed PNG file.
    fn png(&self) -> Option<Vec<u8>> {
        let mut rows = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        for row in self.pixels.chunks(self.width) {
            rows.write_all(&[0]).ok()?; // no filter
            rows.write_all(row).ok()?;
        }
        let mut header = Vec::new();
        for size in [self.width, self.height] {
            header.extend(u32::try_from(size).ok()?.to_be_bytes());
        }
        header.extend([8, 3, 0, 0, 0]); // 8 bits, indexed, deflate, no filters, not interlaced
        let palette: Vec<u8> = self.palette.concat();
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        for (name, content) in [
            (b"IHDR", header),
            (b"PLTE", palette),
            (b"IDAT", rows.finish().ok()?),
            (b"IEND", Vec::new()),
        ] {
            let mut chunk = name.to_vec();
            chunk.extend(&content);
            file.extend(u32::try_from(content.len()).ok()?.to_be_bytes());
            file.extend(&chunk);
            file.extend(crc32fast::hash(&chunk).to_be_bytes());
        }
        Some(file)
    }
}

/// A channel from per cent.
fn colour_channel(percent: usize) -> u8 {
    u8::try_from((percent.min(100) * 255 + 50) / 100).unwrap_or(u8::MAX)
}

/// Numbers separated by `;`, and the length of their text.
fn parse_numbers(bytes: &[u8]) -> (Vec<usize>, usize) {
    let is_part = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
    let length = bytes.iter().take_while(is_part).count();
    let text = std::str::from_utf8(&bytes[..length]).unwrap_or_default();
    (
        text.split(';')
            .map(|number| number.parse().unwrap_or(0))
            .collect(),
        length,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sixel_text_becomes_the_same_pixels() {
        // Two colours: a column of six rows, a run of three with the second row, then a second band.
        let text = "\u{1b}P0;1q\"1;1;4;7#0;2;100;100;100#1;2;100;0;50#0~~~~$#1~!3A-#0@@@@\u{1b}\\";
        let (_, body) = text.split_once('q').unwrap();
        let mut picture = PixelImage::sized(body).unwrap();
        picture.draw(body).unwrap();
        assert_eq!((picture.width, picture.height), (4, 7));
        let rows: Vec<&[u8]> = picture.pixels.chunks(4).collect();
        assert_eq!(rows[0], [1, 0, 0, 0]);
        assert_eq!(rows[1], [1, 1, 1, 1]);
        assert_eq!(rows[6], [0, 0, 0, 0]);
        assert_eq!(picture.palette[1], [255, 0, 128]);
        let png = picture.png().unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.ends_with(b"IEND\xae\x42\x60\x82"));
        assert!(png_of_sixel(text).is_some());
    }

    #[test]
    fn other_texts_and_unbounded_pictures_are_none() {
        for text in [
            "",
            "plain",
            "\u{1b}Pq",
            "\u{1b}P0q\"1;1;99999999;99999999#0~",
            "\u{1b}P0q\"1;1;0;5#0~",
            "\u{1b}P0q\"1;1;4;4#999~",
        ] {
            assert_eq!(png_of_sixel(text), None, "{text:?}");
        }
    }
}
