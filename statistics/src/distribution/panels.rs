//! Integrals of positive functions with one peak, to about one rounding of their own size, also far out in a tail.

/// Nodes and weights of Gauss and Legendre with 20 points on -1 to 1, the positive half.
const NODES: [[f64; 2]; 10] = [
    [0.076_526_521_133_497_33, 0.152_753_387_130_725_85],
    [0.227_785_851_141_645_08, 0.149_172_986_472_603_75],
    [0.373_706_088_715_419_56, 0.142_096_109_318_382_05],
    [0.510_867_001_950_827_1, 0.131_688_638_449_176_63],
    [0.636_053_680_726_515, 0.118_194_531_961_518_42],
    [0.746_331_906_460_150_8, 0.101_930_119_817_240_44],
    [0.839_116_971_822_218_8, 0.083_276_741_576_704_75],
    [0.912_234_428_251_326, 0.062_672_048_334_109_06],
    [0.963_971_927_277_913_8, 0.040_601_429_800_386_94],
    [0.993_128_599_185_094_9, 0.017_614_007_139_152_12],
];

/// The integral over one panel.
fn integrate_panel(function: &dyn Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let pair = |[node, weight]: &[f64; 2]| {
        weight * (function(middle - half * node) + function(middle + half * node))
    };
    half * NODES.iter().map(pair).sum::<f64>()
}

/// The integral from `from` towards `end` (on either side), where the function falls on a scale: panels of that width until they add nothing.
pub(super) fn integrate_outward(
    function: &dyn Fn(f64) -> f64,
    from: f64,
    end: f64,
    scale: f64,
) -> f64 {
    const PANELS_MAX: usize = 4000;
    let direction = if end < from { -1.0 } else { 1.0 };
    let (mut sum, mut start, mut width) = (0.0, from, scale);
    for _ in 0..PANELS_MAX {
        let to = start + direction * width;
        let is_last = (to - end) * direction >= 0.0;
        let to = if is_last { end } else { to };
        let part = integrate_panel(function, start, to) * direction;
        sum += part;
        if is_last || part <= 1e-18 * sum || to == start {
            break;
        }
        (start, width) = (to, width * 1.1);
    }
    sum
}

/// The integral of the exponential of a concave function from `low` to `high`, whose greatest value is looked for from `start` on with steps of `scale`.
pub(super) fn integrate_peak(
    ln_function: &dyn Fn(f64) -> f64,
    low: f64,
    high: f64,
    start: f64,
    scale: f64,
) -> f64 {
    let peak = climb_peak(ln_function, low, high, start, scale);
    let top = ln_function(peak);
    if top.is_nan() || top == f64::NEG_INFINITY {
        return 0.0;
    }
    let function = |x: f64| (ln_function(x) - top).exp();
    let mut sum = 0.0;
    for end in [low, high] {
        if end == peak {
            continue;
        }
        let fall = drop_width(ln_function, peak, end, scale);
        sum += integrate_outward(&function, peak, end, fall);
    }
    sum * top.exp()
}

/// The place of the greatest value of a concave function, to a hundredth of the width of its peak or so.
fn climb_peak(f: &dyn Fn(f64) -> f64, low: f64, high: f64, start: f64, scale: f64) -> f64 {
    let mut step = scale;
    let inside = |x: f64| x.clamp(low, high);
    let mut middle = inside(start);
    let (mut left, mut right) = (inside(middle - step), inside(middle + step));
    // Out until the middle is the highest of three.
    for _ in 0..200 {
        let (at_left, at_middle, at_right) = (f(left), f(middle), f(right));
        if at_left <= at_middle && at_right <= at_middle {
            break;
        }
        step *= 2.0;
        match at_left > at_right {
            true => (right, middle, left) = (middle, left, inside(left - step)),
            false => (left, middle, right) = (middle, right, inside(right + step)),
        }
    }
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut a, mut b) = (
        right - GOLDEN * (right - left),
        left + GOLDEN * (right - left),
    );
    let (mut at_a, mut at_b) = (f(a), f(b));
    for _ in 0..60 {
        let is_flat = (at_a - at_b).abs() < 0.02 && f(0.5 * (a + b)) - at_a < 0.1;
        if is_flat {
            break;
        }
        match at_a < at_b {
            true => {
                (left, a, at_a) = (a, b, at_b);
                b = left + GOLDEN * (right - left);
                at_b = f(b);
            }
            false => {
                (right, b, at_b) = (b, a, at_a);
                a = right - GOLDEN * (right - left);
                at_a = f(a);
            }
        }
    }
    0.5 * (left + right)
}

/// How far from the peak a concave function has fallen by about 2, on the side of `end`.
fn drop_width(f: &dyn Fn(f64) -> f64, peak: f64, end: f64, scale: f64) -> f64 {
    const FALL: f64 = 2.0;
    let direction = if end < peak { -1.0 } else { 1.0 };
    let top = f(peak);
    let most = (end - peak).abs();
    let falls = |width: f64| width >= most || top - f(peak + direction * width) > FALL;
    let mut width = scale.min(most);
    while falls(width) && width > 1e-14 * peak.abs().max(1e-290) {
        width *= 0.5;
    }
    while !falls(width) {
        width *= 2.0;
    }
    width.min(most)
}
