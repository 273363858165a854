use proptest::prelude::*;

use super::encode_sixel;
use crate::plot::raster::Raster;

/// Rows of a sixel: its six bits, the lowest on top (DEC VT330/VT340 Programmer Reference Manual, volume 2, section 14.2).
const SIXEL_ROWS: usize = 6;

/// A decoder of its own, after the manual and not after the encoder: the picture and the palette in percent.
///
/// Reads raster attributes, colour definitions, runs, carriage returns and new lines; anything else fails the test.
pub(in crate::plot) fn decode(sixel: &str) -> (Raster, Vec<[u32; 3]>) {
    let body = sixel
        .strip_prefix("\u{1b}P0;1q")
        .and_then(|rest| rest.strip_suffix("\u{1b}\\"))
        .expect("an escape sequence");
    let mut input = body.as_bytes();
    let number = |input: &mut &[u8]| -> usize {
        let digits = input
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (text, rest) = input.split_at(digits);
        *input = rest;
        std::str::from_utf8(text)
            .expect("digits")
            .parse()
            .expect("a number")
    };
    let numbers = |input: &mut &[u8]| -> Vec<usize> {
        let mut found = vec![number(input)];
        while let Some(rest) = input.strip_prefix(b";") {
            *input = rest;
            found.push(number(input));
        }
        found
    };
    let (mut raster, mut palette) = (Raster::new(0, 0), Vec::new());
    let (mut colour, mut column, mut top) = (0, 0, 0);
    while let Some((&byte, rest)) = input.split_first() {
        input = rest;
        let mut run = 1;
        let bits = match byte {
            b'"' => {
                let attributes = numbers(&mut input);
                raster = Raster::new(attributes[2], attributes[3]);
                continue;
            }
            b'#' => {
                let parts = numbers(&mut input);
                match parts.as_slice() {
                    [index] => colour = *index,
                    [index, 2, red, green, blue] => {
                        assert_eq!(*index, palette.len(), "colours are defined in order");
                        palette.push([*red as u32, *green as u32, *blue as u32]);
                    }
                    other => panic!("colour {other:?}"),
                }
                continue;
            }
            b'$' => {
                column = 0;
                continue;
            }
            b'-' => {
                (column, top) = (0, top + SIXEL_ROWS);
                continue;
            }
            b'!' => {
                run = number(&mut input);
                let (&symbol, rest) = input.split_first().expect("what is repeated");
                input = rest;
                symbol - b'?'
            }
            b'?'..=b'~' => byte - b'?',
            other => panic!("byte {other:#x}"),
        };
        for _ in 0..run {
            for row in (0..SIXEL_ROWS).filter(|row| bits >> row & 1 == 1) {
                assert!(
                    column < raster.width && top + row < raster.height,
                    "a pixel outside the picture"
                );
                raster.pixels[(top + row) * raster.width + column] = colour as u8;
            }
            column += 1;
        }
    }
    (raster, palette)
}

proptest! {
    #[test]
    fn a_picture_survives_the_round_trip(
        width in 1_usize..40,
        height in 1_usize..30,
        runs in proptest::collection::vec((0_u8..5, 1_usize..20), 1..60),
    ) {
        let mut raster = Raster::new(width, height);
        let pixels: Vec<u8> = runs.iter().flat_map(|&(colour, count)| std::iter::repeat_n(colour, count)).collect();
        for (pixel, colour) in raster.pixels.iter_mut().zip(pixels.iter().cycle()) {
            *pixel = *colour;
        }
        let palette = [[255, 255, 255], [0, 0, 0], [255, 0, 0], [0, 255, 0], [51, 102, 153]];
        let (decoded, colours) = decode(&encode_sixel(&raster, &palette));
        prop_assert_eq!(decoded, raster);
        prop_assert_eq!(colours, vec![[100, 100, 100], [0, 0, 0], [100, 0, 0], [0, 100, 0], [20, 40, 60]]);
    }
}
