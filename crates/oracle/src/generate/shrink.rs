//! Shrinking: fewer and smaller bytes that still fail.

/// The smallest bytes found, from `bytes`, for which `fails` still holds. `fails` must hold for `bytes`
/// and be deterministic; it is called at most `tries` times.
pub fn shrink(bytes: &[u8], tries: usize, mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut best = bytes.to_vec();
    let mut left = tries;
    let mut attempt = |candidate: Vec<u8>, best: &mut Vec<u8>| {
        if left == 0 || candidate == *best {
            return false;
        }
        left -= 1;
        let smaller = fails(&candidate);
        if smaller {
            *best = candidate;
        }
        smaller
    };
    let mut progress = true;
    while progress {
        progress = false;
        // Cut off or out ever smaller pieces.
        let mut piece = best.len() / 2;
        while piece > 0 {
            let mut at = 0;
            while at < best.len() {
                let mut candidate = best.clone();
                candidate.drain(at..(at + piece).min(best.len()));
                if attempt(candidate, &mut best) {
                    progress = true;
                } else {
                    at += piece;
                }
            }
            piece /= 2;
        }
        for at in 0..best.len() {
            for smaller in [0, best[at] / 2, best[at].saturating_sub(1)] {
                let mut candidate = best.clone();
                candidate[at] = smaller;
                if smaller < best[at] && attempt(candidate, &mut best) {
                    progress = true;
                    break;
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_smallest() {
        let bytes: Vec<u8> = (0..200).collect();
        let small = shrink(&bytes, 10_000, |bytes| bytes.iter().any(|b| *b >= 77));
        assert_eq!(small, [77]);
    }
}
