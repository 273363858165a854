//! Pixels as a sixel text, the picture format of terminals (DEC VT330/VT340 Programmer Reference Manual, volume 2, chapter 14).
//!
//! Each band of six rows is written once in the background colour and then once per further colour it holds; runs are
//! counted (`!n`), and what follows the last set pixel is left out.

use std::fmt::Write as _;

use super::raster::Raster;

/// A colour: red, green, blue.
pub(crate) type Rgb = [u8; 3];

const BAND: usize = 6;

/// The picture as a sixel text; colours count from 0, which is the background.
pub(crate) fn encode_sixel(raster: &Raster, palette: &[Rgb]) -> String {
    let mut out = format!("\u{1b}P0;1q\"1;1;{};{}", raster.width, raster.height);
    for (index, colour) in palette.iter().enumerate() {
        let [red, green, blue] = colour.map(channel_percent);
        // Writing to a string cannot fail.
        let _ = write!(out, "#{index};2;{red};{green};{blue}");
    }
    let mut columns = vec![0_u8; raster.width];
    for (index, band) in raster.pixels.chunks(BAND * raster.width).enumerate() {
        if index > 0 {
            out.push('-');
        }
        let full = (1_u8 << (band.len() / raster.width)) - 1;
        columns.fill(full);
        colour_line(0, &columns, &mut out);
        let mut used = [false; 256];
        band.iter()
            .for_each(|&pixel| used[usize::from(pixel)] = true);
        for colour in (1..palette.len()).filter(|&colour| used[colour]) {
            columns.fill(0);
            for (row, line) in band.chunks(raster.width).enumerate() {
                for (bits, &pixel) in columns.iter_mut().zip(line) {
                    *bits |= u8::from(usize::from(pixel) == colour) << row;
                }
            }
            out.push('$');
            colour_line(colour, &columns, &mut out);
        }
    }
    out.push_str("\u{1b}\\");
    out
}

fn channel_percent(channel: u8) -> u32 {
    (u32::from(channel) * 100 + 127) / 255
}

/// One colour of one band.
fn colour_line(colour: usize, columns: &[u8], out: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(out, "#{colour}");
    let end = columns
        .iter()
        .rposition(|&bits| bits != 0)
        .map_or(0, |last| last + 1);
    for run in columns[..end].chunk_by(|a, b| a == b) {
        let symbol = char::from(b'?' + run[0]);
        match run.len() {
            count @ 1..=3 => out.extend(std::iter::repeat_n(symbol, count)),
            count => {
                let _ = write!(out, "!{count}{symbol}");
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
