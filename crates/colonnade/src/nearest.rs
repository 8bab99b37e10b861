//! The label that a mistyped name most likely means.

/// Returns the label that differs least from `name`, if one is near.
#[must_use]
pub fn nearest<'l>(name: &str, labels: impl Iterator<Item = &'l String>) -> Option<String> {
    let length = name.chars().count();
    // A label that shares no character is not near, however short both are. A label of a damaged file may be very long.
    let near = |label: &&String| {
        if label.chars().count().abs_diff(length) * 3 > length.max(3) {
            return false;
        }
        let changes = distance(name, label);
        changes < length && changes * 3 <= length.max(3)
    };
    labels.take(10_000).filter(near).min_by_key(|label| distance(name, label)).cloned()
}

/// Returns Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (y, &up) in b.iter().zip(row.iter().skip(1)) {
            left = (diagonal + usize::from(x != *y)).min(up + 1).min(left + 1);
            diagonal = up;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_label_is_near() {
        let labels = ["price".to_owned(), "count".to_owned()];
        assert_eq!(nearest("prize", labels.iter()), Some("price".into()));
        assert_eq!(nearest("weather", labels.iter()), None);
        assert_eq!(nearest("c", ["a".to_owned()].iter()), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
