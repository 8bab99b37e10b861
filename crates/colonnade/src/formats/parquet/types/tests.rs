use std::sync::Arc;

use super::*;

#[test]
fn types_round_trip_through_their_leaf() {
    let second = TimeUnit::Second;
    let types = [
        DataType::Null,
        DataType::Boolean,
        DataType::Int8,
        DataType::UInt16,
        DataType::Int64,
        DataType::Float16,
        DataType::Timestamp(second, None),
        DataType::Timestamp(TimeUnit::Nanosecond, Some("Europe/Berlin".into())),
        DataType::Time32(second),
        DataType::Time64(TimeUnit::Nanosecond),
        DataType::Date32,
        DataType::Date64,
        DataType::Duration(second),
        DataType::Interval(IntervalUnit::YearMonth),
        DataType::Interval(IntervalUnit::MonthDayNano),
        DataType::LargeUtf8,
        DataType::BinaryView,
        DataType::FixedSizeBinary(0),
        DataType::FixedSizeBinary(16),
        DataType::Decimal64(9, 2),
        DataType::Decimal128(38, 38),
        DataType::Decimal256(76, 0),
        DataType::Decimal128(5, -2),
        DataType::Dictionary(Arc::new(DataType::Int8).as_ref().clone().into(), DataType::Utf8.into()),
    ];
    for data_type in types {
        let field = Field::new("x", data_type.clone(), true);
        let stored = LeafType::of(&field).unwrap();
        let read = conversion_of(&field, stored.physical, stored.logical.as_ref(), stored.converted);
        assert_eq!(read, Some(stored.conversion), "{data_type}");
        assert_eq!(
            Physical::from_number(
                stored.physical.number(),
                match stored.physical {
                    Physical::Fixed(n) => i32::try_from(n).ok(),
                    _ => None,
                }
            ),
            Some(stored.physical)
        );
        if let Some(exact) = LeafType::exact(&data_type) {
            assert_eq!(
                conversion_of(&field, exact.physical, None, None),
                Some(LeafConversion::Same),
                "{data_type}"
            );
        }
    }
}

#[test]
fn types_that_contradict_the_leaf_are_ignored() {
    let field = |data_type| Field::new("x", data_type, true);
    let nano = field(DataType::Timestamp(TimeUnit::Nanosecond, None));
    let micro = Logical::Timestamp(LogicalTimeUnit::Micro, false);
    assert_eq!(conversion_of(&nano, Physical::Int64, Some(&micro), None), None);
    assert_eq!(conversion_of(&field(DataType::Int32), Physical::Int64, None, None), None);
    assert_eq!(conversion_of(&field(DataType::Utf8), Physical::Int32, None, None), None);
    // Decimals in bytes and text without annotation, as other writers store them.
    let decimal = field(DataType::Decimal128(5, 2));
    let digits = Logical::Decimal(2, 5);
    assert_eq!(
        conversion_of(&decimal, Physical::Fixed(3), Some(&digits), Some(5)),
        Some(LeafConversion::BigEndian(16))
    );
    assert_eq!(
        conversion_of(&field(DataType::Utf8), Physical::Bytes, None, None),
        Some(LeafConversion::Same)
    );
    let utc = Logical::Time(LogicalTimeUnit::Micro, true);
    let time = field(DataType::Time64(TimeUnit::Microsecond));
    assert_eq!(conversion_of(&time, Physical::Int64, Some(&utc), Some(8)), Some(LeafConversion::Same));
}

#[test]
fn digits_fit_their_bytes() {
    for (precision, nbytes) in [(1, 1), (2, 1), (3, 2), (9, 4), (18, 8), (19, 9), (38, 16), (76, 32)] {
        assert_eq!(decimal_nbytes(precision), nbytes, "{precision}");
    }
}
