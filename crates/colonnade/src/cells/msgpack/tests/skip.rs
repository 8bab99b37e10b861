use super::*;

/// Values of every kind, also nested, with the length of each.
fn samples() -> Vec<Vec<u8>> {
    let text = |n: usize| vec![b'x'; n];
    let with = |head: &[u8], n: usize| [head, &text(n)].concat();
    let mut out = vec![
        vec![0x00],
        vec![0x7f],
        vec![0xe0],
        vec![0xc0],
        vec![0xc3],
        vec![0xcc, 200],
        vec![0xd1, 1, 2],
        vec![0xca, 1, 2, 3, 4],
        vec![0xcb, 1, 2, 3, 4, 5, 6, 7, 8],
        vec![0xa0],
        with(&[0xa7], 7),
        with(&[0xbf], 31),
        with(&[0xd9, 200], 200),
        with(&[0xda, 1, 0], 256),
        with(&[0xdb, 0, 0, 0, 3], 3),
        with(&[0xc4, 0], 0),
        with(&[0xc5, 0, 9], 9),
        with(&[0xc6, 0, 0, 0, 1], 1),
        with(&[0xc7, 5, 1], 5),
        with(&[0xc8, 0, 5, 1], 5),
        with(&[0xc9, 0, 0, 0, 0, 1], 0),
        with(&[0xd4, 1], 1),
        with(&[0xd8, 1], 16),
        vec![0x90],
        vec![0x80],
        vec![0x93, 1, 0xcc, 9, 0xc0],
        vec![0x82, 0xa1, b'a', 1, 0xa1, b'b', 0x92, 0x91, 0x90, 0xc2],
        vec![0xdc, 0, 2, 0xcc, 1, 0xcb, 0, 0, 0, 0, 0, 0, 0, 0],
        vec![0xdf, 0, 0, 0, 1, 0x81, 1, 2, 0x90],
    ];
    let mut floats = vec![0xdc, 0, 100];
    (0..100).for_each(|_| floats.extend([0xcb, 0xc0, 0xcb, 0xc1, 0, 0, 0, 0, 1]));
    out.push(floats);
    let mut mixed = vec![0xdc, 1, 44];
    for i in 0..300u16 {
        match i % 7 {
            0 => mixed.extend([0xa3, b'a', 0xc1, b'b']),
            1 | 2 => mixed.push(0xc2),
            3 => mixed.extend([0xcd, 0xc1, 0xa1]),
            _ => mixed.push(0xe5),
        }
    }
    out.push(mixed);
    out
}

#[test]
fn a_value_is_incomplete_until_its_last_byte() {
    for value in samples() {
        let mut longer = value.clone();
        longer.extend([0xc1; 20]);
        assert_eq!(skip(&longer, 8).unwrap(), Some(value.len()), "{value:x?}");
        for cut in 0..value.len() {
            assert_eq!(skip(&value[..cut], 8).unwrap(), None, "{value:x?} cut at {cut}");
        }
    }
}

#[test]
fn pieces_of_any_size_find_the_same_end() {
    for value in samples() {
        let mut longer = value.clone();
        longer.extend([0xc1; 20]);
        for size in [1, 2, 3, 7, 64, 1000] {
            let mut skipper = Skipper::new(8);
            let mut taken = 0;
            for piece in longer.chunks(size) {
                taken += skipper.feed(piece).unwrap();
                if skipper.is_whole() {
                    break;
                }
            }
            assert_eq!(taken, value.len(), "{value:x?} in pieces of {size}");
            assert_eq!(skipper.nbytes(), value.len() as u64);
        }
    }
}

#[test]
fn only_whole_values_are_skipped() {
    let all = samples().concat();
    let count = samples().len();
    let taken = skip_cells(&all, count + 5, 8).unwrap();
    assert_eq!(taken, CellExtent { cells: count, nbytes: all.len() });
    assert_eq!(skip_cells(&all, 3, 8).unwrap(), CellExtent { cells: 3, nbytes: 3 });
    let floats = [0xcb; 9 * 20 + 4];
    assert_eq!(skip_cells(&floats, 50, 8).unwrap(), CellExtent { cells: 20, nbytes: 180 });
}

#[test]
fn one_byte_values_of_any_two_markers_are_counted() {
    for first in 0..=u8::MAX {
        for second in 0..=u8::MAX {
            let bytes = [5, first, second, 0xc0, first, second, 0xe0, 0xcc];
            let counted =
                bytes.iter().take_while(|b| !(0x80..=0xdf).contains(*b) || [0xc0, 0xc2, 0xc3].contains(*b));
            assert_eq!(count_one_byte_values(u64::from_le_bytes(bytes)), counted.count(), "{bytes:x?}");
        }
    }
}

#[test]
fn c1_is_refused_with_its_place() {
    let error = skip(&[0x92, 0xcc, 1, 0xc1], 8).unwrap_err();
    assert_eq!(error.offset, 3);
    let mut skipper = Skipper::new(8);
    skipper.feed(&[0x92, 0xcc]).unwrap();
    assert_eq!(skipper.feed(&[1, 0xc1]).unwrap_err().offset, 1);
}

#[test]
fn depth_is_limited_for_bombs_of_any_length() {
    assert_eq!(skip(&[0x91, 0x91, 0x90], 3).unwrap(), Some(3));
    let error = skip(&[0x91, 0x91, 0x90], 2).unwrap_err();
    assert!(matches!(error.error.kind(), ErrorKind::LimitExceeded));
    assert_eq!(error.offset, 2);
    assert!(skip(&vec![0x91; 1 << 20], 64).is_err());
    assert!(Skipper::new(64).feed(&vec![0x81; 1 << 20]).is_err());
}

#[test]
fn claims_cost_nothing() {
    assert_eq!(skip(&[0xdd, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5], 8).unwrap(), None);
    assert_eq!(skip(&[0xdf, 0xff, 0xff, 0xff, 0xff, 1], 8).unwrap(), None);
    assert_eq!(skip(&[0xdb, 0xff, 0xff, 0xff, 0xff, 1], 8).unwrap(), None);
}
