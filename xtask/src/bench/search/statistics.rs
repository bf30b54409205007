//! Mann and Whitney's U test, two-sided, exact for small samples.

/// Samples of up to this many values together are tested exactly.
const EXACT: usize = 16;

/// The probability that samples as different as these come from one distribution; `None` if one
/// is empty.
pub(super) fn mann_whitney(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let ranks = ranks(&all);
    let sum: f64 = ranks[..a.len()].iter().sum();
    if all.len() <= EXACT {
        Some(exact(&ranks, a.len(), sum))
    } else {
        Some(normal(&ranks, a.len(), sum))
    }
}

/// The mean of some values.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Ranks from 1; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let smaller = values.iter().filter(|other| *other < value).count() as f64;
        let equal = values.iter().filter(|other| *other == value).count() as f64;
        smaller + f64::midpoint(equal, 1.0)
    };
    values.iter().map(rank).collect()
}

/// How far a sum of ranks is from what is expected.
fn distance(ranks: &[f64], n: usize, sum: f64) -> f64 {
    (sum - n as f64 * mean(ranks)).abs()
}

/// Counts the choices of `n` ranks whose sum is as far off.
fn exact(ranks: &[f64], n: usize, sum: f64) -> f64 {
    let (mut all, mut as_far) = (0u32, 0u32);
    for choice in 0u32..1 << ranks.len() {
        if choice.count_ones() as usize == n {
            let chosen = (0..ranks.len()).filter(|index| choice >> index & 1 == 1);
            let here: f64 = chosen.map(|index| ranks[index]).sum();
            all += 1;
            let far = distance(ranks, n, here) >= distance(ranks, n, sum) - 1e-9;
            as_far += u32::from(far);
        }
    }
    f64::from(as_far) / f64::from(all)
}

/// The normal approximation, corrected for ties and continuity.
fn normal(ranks: &[f64], n: usize, sum: f64) -> f64 {
    let all = ranks.len() as f64;
    let (n, m) = (n as f64, all - n as f64);
    let center = mean(ranks);
    let spread: f64 = ranks.iter().map(|rank| (rank - center).powi(2)).sum();
    let variance = n * m / (all * (all - 1.0)) * spread;
    if variance <= 0.0 {
        return 1.0;
    }
    let z = (distance(ranks, n as usize, sum) - 0.5).max(0.0) / variance.sqrt();
    (2.0 * upper_tail(z)).min(1.0)
}

/// The upper tail of the normal distribution, as the series of the error function, or its
/// asymptotic form far out.
fn upper_tail(z: f64) -> f64 {
    if z > 6.0 {
        return (-z * z / 2.0).exp() / (z * (2.0 * std::f64::consts::PI).sqrt());
    }
    let (mut term, mut sum, mut k) = (z, z, 1.0);
    while term.abs() > 1e-16 {
        term *= -z * z * (2.0 * k - 1.0) / (2.0 * k * (2.0 * k + 1.0));
        sum += term;
        k += 1.0;
    }
    0.5 - sum / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from the tables of the test: complete separation of 5 and 5 has p = 2 / 252.
    #[test]
    fn known_values() {
        let low = [1.0, 2.0, 3.0, 4.0, 5.0];
        let high = [6.0, 7.0, 8.0, 9.0, 10.0];
        let p = mann_whitney(&low, &high).expect("two samples");
        assert!((p - 2.0 / 252.0).abs() < 1e-12, "{p}");
        assert_eq!(mann_whitney(&low, &low), Some(1.0));
        assert_eq!(mann_whitney(&low, &[]), None);
        // U = 2 of 3 and 4 values: the lower tail is 4 of 35.
        let p = mann_whitney(&[1.0, 2.0, 5.0], &[3.0, 4.0, 6.0, 7.0]).expect("two samples");
        assert!((p - 8.0 / 35.0).abs() < 1e-12, "{p}");
    }

    #[test]
    fn approximation_is_near_the_exact_value() {
        let a: Vec<f64> = (0..8).map(f64::from).collect();
        let b: Vec<f64> = (0..8).map(|i| f64::from(i) + 3.5).collect();
        let ranks = ranks(&a.iter().chain(&b).copied().collect::<Vec<_>>());
        let sum: f64 = ranks[..8].iter().sum();
        assert!((exact(&ranks, 8, sum) - normal(&ranks, 8, sum)).abs() < 0.01);
        assert!((upper_tail(1.96) - 0.025).abs() < 1e-4);
    }
}
