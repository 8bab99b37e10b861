//! Messages and places of errors in refused input.

use super::*;
use crate::error::ErrorKind;

/// Decodes input that is refused, whole and in pieces, and checks that the error has the same place.
fn refused(bytes: &[u8], path: &str, offset: u64, says: &str) -> Error {
    for size in [1, 5] {
        let error = in_pieces(bytes, size).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!(place(&error), (path, offset), "in pieces of {size}: {error}");
    }
    decode(bytes, 0, &options(2)).unwrap_err();
    let error = decode(bytes, 0, &options(1)).unwrap_err();
    assert!(error.to_string().contains(says), "{error}");
    assert_eq!(place(&error), (path, offset), "{error}");
    error
}

#[test]
fn errors_in_cells_have_a_path_and_an_offset() {
    let bad = pack().map(2).text("a").array(2).int(1).int(2).text("dep_time").array(2).int(1).raw(&[0xc1]);
    refused(&bad.0, "$.dep_time[1]", 23, "C1");
    let bad = pack().array(2).map(1).text("a").int(1).map(1).text("a").raw(&[0xc1]);
    refused(&bad.0, "$[1].a", 14, "C1");
    let bad = pack().array(2).map(1).text("a").text("x").map(1).text("a").raw(&[0xa2, b'y', 0xff]);
    refused(&bad.0, "$[1].a", 15, "UTF-8");
    let bad = pack().map(1).text("s").array(2).text("x").raw(&[0xa2, b'y', 0xff]);
    refused(&bad.0, "$.s[1]", 10, "UTF-8");
    let bad = pack()
        .array(2)
        .map(2)
        .text("b")
        .int(1)
        .text("a")
        .int(2)
        .map(2)
        .text("a")
        .raw(&[0xd4, 5, 0])
        .text("b")
        .int(0);
    refused(&bad.0, "$[1].a", 17, "extension");
}

#[test]
fn labels_are_refused_by_name() {
    let twice = pack().map(2).text("a").array(0).text("a").array(0);
    refused(&twice.0, "$.a", 8, "second time");
    let twice = pack().array(1).map(2).text("a").int(1).text("a").int(2);
    refused(&twice.0, "$[0].a", 9, "second time");
    let odd = pack().map(1).float(1.0).array(0);
    assert!(matches!(refused(&odd.0, "$", 3, "found a float").kind(), ErrorKind::Unsupported));
    let odd = pack().array(1).map(1).nil().int(1);
    refused(&odd.0, "$[0]", 6, "found nil");
    let both = pack().map(2).text("a").array(0).int(1).array(0);
    let error = decode(&both.0, 0, &options(1)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported));
}

#[test]
fn lengths_and_shapes_are_refused_by_name() {
    let uneven = pack().map(2).text("a").array(2).int(1).int(2).text("b").array(1).int(1);
    refused(&uneven.0, "$.b", 12, "found 2 cells in $.a and 1 in $.b");
    let mixed = pack().map(2).text("a").array(1).int(1).text("b").int(1);
    refused(&mixed.0, "$.b", 11, "expected an array of cells");
    let mixed = pack().map(2).text("a").int(1).text("b").array(1).int(1);
    let error = decode(&mixed.0, 0, &options(1)).unwrap_err();
    assert_eq!(place(&error), ("$.b", 8), "{error}");
    refused(
        &pack().array(2).map(0).int(1).0,
        "$[1]",
        6,
        "expected a map, as every row is one, found an integer",
    );
    for (value, path, offset, found) in [
        (pack().int(1), "$", 0, "found an integer"),
        (pack().text("x"), "$", 0, "found str"),
        (pack().array(1).int(1), "$[0]", 3, "found an array that begins with an integer"),
        (pack().array(1).array(1).int(1), "$[0]", 3, "found an array that begins with an array"),
    ] {
        let error = refused(&value.0, path, offset, found);
        assert!(matches!(error.kind(), ErrorKind::Unsupported), "{error}");
    }
    let rows = pack()
        .map(2)
        .text("columns")
        .array(2)
        .text("a")
        .text("b")
        .text("data")
        .array(2)
        .array(2)
        .int(1)
        .int(2)
        .array(1)
        .int(3);
    refused(&rows.0, "$.data[1]", 31, "expected an array of 2 cells, as there are columns, found one of 1");
}

#[test]
fn truncated_input_and_trailing_bytes_are_refused() {
    for whole in [table().0, pack().array(2).map(1).text("a").int(1).map(1).text("a").array(1).nil().0] {
        for cut in 0..whole.len() {
            let error = decode(&whole[..cut], 0, &options(1)).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "cut at {cut}: {error}");
            assert!(in_pieces(&whole[..cut], 3).is_err());
        }
    }
    let mut longer = table().0;
    longer.push(0);
    let error = decode(&longer, 100, &options(1)).unwrap_err();
    assert_eq!(place(&error), ("$", 100 + longer.len() as u64 - 1));
}

#[test]
fn truncated_input_names_the_incomplete_value() {
    let rows = pack().array(2).map(1).text("a").int(1).map(2).text("a").int(2).text("b").text("xyz").0;
    let last = rows.len() - 1;
    for (end, path, offset) in [(11, "$[1]", 9), (14, "$[1].a", 14), (16, "$[1]", 15), (last, "$[1].b", 17)] {
        let error = decode(&rows[..end], 0, &options(1)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Truncated { had, .. } if *had == end as u64), "{error}");
        assert_eq!(place(&error), (path, offset), "cut at {end}: {error}");
    }
}

#[test]
fn claims_and_bombs() {
    for claim in [
        pack().raw(&[0xdd, 0xff, 0xff, 0xff, 0xff, 0x81, 0xa1, b'a', 1]),
        pack().raw(&[0xdf, 0xff, 0xff, 0xff, 0xff, 0xa1, b'a', 0x91, 1]),
        pack().map(1).text("a").raw(&[0xdd, 0xff, 0xff, 0xff, 0xff, 1]),
    ] {
        assert!(matches!(decode(&claim.0, 0, &options(2)).unwrap_err().kind(), ErrorKind::Truncated { .. }));
        assert!(in_pieces(&claim.0, 2).is_err());
    }
    let bomb = vec![0x91; 1 << 16];
    for bytes in [
        bomb.clone(),
        pack().map(1).text("a").raw(&bomb).0,
        pack().array(1).map(1).text("a").raw(&bomb).0,
        pack().map(2).text("columns").array(1).text("a").text("data").array(1).array(1).raw(&bomb).0,
    ] {
        for error in [decode(&bytes, 0, &options(1)).unwrap_err(), in_pieces(&bytes, 999).unwrap_err()] {
            let bad_row = error.to_string().contains("expected a table");
            assert!(bad_row || matches!(error.kind(), ErrorKind::LimitExceeded), "{error}");
        }
    }
}

#[test]
fn limits_count_columns_bytes_and_missing_cells() {
    let mut tight = options(1);
    tight.limits.max_columns = 2;
    assert!(matches!(decode(&table().0, 0, &tight).unwrap_err().kind(), ErrorKind::LimitExceeded));
    let mut tight = options(1);
    tight.limits.max_nbytes = 10;
    assert!(matches!(decode(&table().0, 0, &tight).unwrap_err().kind(), ErrorKind::LimitExceeded));
    assert!(SchemalessDecoder::new(&tight).feed(&table().0).is_err());
    let mut tight = options(1);
    (tight.limits.max_unbacked_nbytes, tight.limits.max_expansion) = (80, 1);
    let mut rows = pack().array(6);
    for i in 0..6 {
        rows = rows.map(1).int(i).int(1);
    }
    assert!(matches!(decode(&rows.0, 0, &tight).unwrap_err().kind(), ErrorKind::LimitExceeded));
    assert_eq!(decode(&rows.0, 0, &options(1)).unwrap().ncols, 6);
}
