//! Ranges of the functions of libm.
//!
//! Law: what is said here of a function holds for the results that the C library gives, errors of
//! rounding included. Ends are computed by the function itself and widened by far more than the
//! errors that glibc's manual lists (a few units in the last place, of the result; so signs and
//! zeros are right).

use labrys_expr::Value;
use labrys_library::{Function as LibraryFunction, Shape};

use super::interval::{Interval, corners, number};
use crate::functions::call;

/// A function of the library on numbers.
struct Function<'a> {
    name: &'a str,
    width: u32,
}

/// Far more than results are wrong by, relative.
fn slack(width: u32) -> f64 {
    if width == 32 { 1e-4 } else { 1e-9 }
}

impl Function<'_> {
    fn value(&self, x: f64) -> Value {
        let bits = if self.width == 32 {
            u128::from((x as f32).to_bits())
        } else {
            u128::from(x.to_bits())
        };
        Value::new(self.width, bits)
    }

    fn at(&self, arguments: &[f64]) -> f64 {
        let arguments: Vec<Value> = arguments.iter().map(|x| self.value(*x)).collect();
        call(self.name, &arguments, self.width).map_or(f64::NAN, |bits| number(bits, self.width))
    }

    fn widened(&self, interval: Interval) -> Interval {
        // Small results lose digits, so they get more.
        let (most, least) = if self.width == 32 {
            (f64::from(f32::MAX), 1e-36)
        } else {
            (f64::MAX, 1e-300)
        };
        let out = |value: f64| value.abs() * slack(self.width) + least;
        let low = match interval.low {
            low if low == f64::INFINITY => most * (1.0 - slack(self.width)),
            low => low - out(low),
        };
        let high = match interval.high {
            high if high == f64::NEG_INFINITY => -most * (1.0 - slack(self.width)),
            high => high + out(high),
        };
        Interval {
            low,
            high,
            ..interval
        }
    }

    /// A function that does not turn back on the numbers from `least` to `most`, outside of which
    /// it is no number.
    fn monotone(&self, a: Interval, least: f64, most: f64) -> Interval {
        let nan = a.nan || a.low < least || a.high > most;
        let (low, high) = (a.low.max(least), a.high.min(most));
        if low > high {
            return Interval::between(1.0, 0.0, nan);
        }
        let (x, y) = (self.at(&[low]), self.at(&[high]));
        if x.is_nan() || y.is_nan() {
            return Interval::ANY;
        }
        let mut wide = self.widened(Interval::between(x.min(y), x.max(y), nan));
        // Zeros are met exactly, at arguments that have no error themselves.
        let exact =
            |argument: f64, value: f64| value == 0.0 && (argument == 0.0 || argument == 1.0);
        if exact(low, x) || exact(high, y) {
            if x.min(y) == 0.0 {
                wide.low = 0.0;
            }
            if x.max(y) == 0.0 {
                wide.high = 0.0;
            }
        }
        wide
    }

    /// As `monotone`, for results that are rounded rightly.
    fn exact(&self, a: Interval, least: f64) -> Interval {
        let nan = a.nan || a.low < least;
        let a = Interval::between(a.low.max(least), a.high, nan);
        if a.has_no_number() {
            return Interval::between(1.0, 0.0, nan);
        }
        a.through(|x| self.at(&[x]))
    }

    /// `sin`, whose extrema lie at π/2 + kπ, and `cos`, whose extrema lie at kπ.
    fn wave(&self, a: Interval, first: f64) -> Interval {
        use std::f64::consts::PI;
        let nan = a.nan || a.low.is_infinite() || a.high.is_infinite();
        let all = Interval::between(-1.0, 1.0, nan);
        if nan || a.low.abs().max(a.high.abs()) > 1e6 || a.high - a.low > PI {
            return all;
        }
        let index = |x: f64| ((x - first) / PI).floor();
        let near = 1e-6;
        let bounded = |interval: Interval| interval.meet(all);
        if index(a.low - near) == index(a.high + near) {
            return bounded(self.monotone(a, f64::NEG_INFINITY, f64::INFINITY));
        }
        // One extremum, or two: the one that is not there bounds the other side by the ends.
        let ends = self.monotone(a, f64::NEG_INFINITY, f64::INFINITY);
        let (from, to) = (index(a.low - near), index(a.high + near));
        if to - from > 1.0 {
            return all;
        }
        let top = to.rem_euclid(2.0) == 0.0;
        let (low, high) = if top {
            (ends.low, 1.0)
        } else {
            (-1.0, ends.high)
        };
        bounded(Interval::between(low, high, nan))
    }

    fn tangent(&self, a: Interval) -> Interval {
        if a.low > -1.57 && a.high < 1.57 {
            return self.monotone(a, f64::NEG_INFINITY, f64::INFINITY);
        }
        let nan = a.nan || a.low.is_infinite() || a.high.is_infinite();
        Interval {
            nan,
            ..Interval::ANY
        }
    }

    fn power(&self, a: Interval, b: Interval) -> Interval {
        let nan = a.nan || b.nan;
        let positive = Interval::between(0.0, f64::INFINITY, true);
        if a.low > 0.0 || a.low >= 0.0 && b.low >= 0.0 {
            let at = |x, y| self.at(&[x, y]);
            return self.widened(corners(at, a, b, nan)).meet(positive);
        }
        let even = b.low == b.high && b.low.abs() < 1e15 && b.low % 2.0 == 0.0;
        if even || a.low >= 0.0 && b.low > -1.0 {
            // To even powers negative numbers are positive, and so are powers of −0.
            return Interval::between(0.0, f64::INFINITY, nan);
        }
        Interval::ANY
    }

    fn length(&self, a: Interval, b: Interval) -> Interval {
        let least = |x: Interval| {
            if x.low <= 0.0 && x.high >= 0.0 {
                0.0
            } else {
                x.low.abs().min(x.high.abs())
            }
        };
        let most = |x: Interval| x.low.abs().max(x.high.abs());
        let low = self.at(&[least(a), least(b)]);
        let high = self.at(&[most(a), most(b)]);
        let positive = Interval::between(0.0, f64::INFINITY, true);
        let wide = self.widened(Interval::between(low, high, a.nan || b.nan));
        wide.meet(positive)
    }
}

/// `fmax` and `fmin` leave out what is no number, if it is not a signaling one.
fn choice(a: Interval, b: Interval, pick: fn(f64, f64) -> f64) -> Interval {
    let both = Interval::between(pick(a.low, b.low), pick(a.high, b.high), a.nan && b.nan);
    let with_b = if a.nan { both.join(b) } else { both };
    let with_a = if b.nan { with_b.join(a) } else { with_b };
    Interval {
        nan: a.nan || b.nan,
        ..with_a
    }
}

/// The results of a function on arguments in these intervals.
pub(super) fn range(name: &str, width: u32, arguments: &[Interval]) -> Interval {
    let function = Function { name, width };
    let none = arguments.iter().any(|argument| argument.has_no_number());
    if none || !matches!(width, 32 | 64) {
        return Interval::ANY;
    }
    let Some(course) = labrys_library::function(name).and_then(LibraryFunction::course) else {
        return Interval::ANY;
    };
    let (least, most) = course.domain;
    let within = Interval::between(course.within.0, course.within.1, true);
    match (course.shape, arguments) {
        (Shape::Monotone, [a]) => function.monotone(*a, least, most).meet(within),
        (Shape::Rounded, [a]) => function.exact(*a, least),
        (Shape::Sine, [a]) => function.wave(*a, std::f64::consts::FRAC_PI_2),
        (Shape::Cosine, [a]) => function.wave(*a, 0.0),
        (Shape::Tangent, [a]) => function.tangent(*a),
        (Shape::Even, [a]) => {
            let nearest = if a.low <= 0.0 && a.high >= 0.0 {
                0.0
            } else {
                a.low.abs().min(a.high.abs())
            };
            let farthest = a.low.abs().max(a.high.abs());
            let sizes = Interval::between(nearest, farthest, a.nan);
            function.monotone(sizes, least, most).meet(within)
        }
        (Shape::Power, [a, b]) => function.power(*a, *b),
        (Shape::Length, [a, b]) => function.length(*a, *b),
        (Shape::Angle, [a, b]) => {
            let half = std::f64::consts::PI * (1.0 + slack(width));
            Interval::between(-half, half, a.nan || b.nan)
        }
        (Shape::Maximum, [a, b]) => choice(*a, *b, f64::max),
        (Shape::Minimum, [a, b]) => choice(*a, *b, f64::min),
        (Shape::Excess, [a, b]) => Interval::between(0.0, f64::INFINITY, a.nan || b.nan),
        _ => Interval::ANY,
    }
}
