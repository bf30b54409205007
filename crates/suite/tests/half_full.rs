//! The second input of a search for a function: lengths at half of what they may be.

#![allow(missing_docs)]

use labrys_suite::unit::{Content, Entry, Leaf, Length, Order, Place, Root};

fn leaf(offset: u64) -> Leaf {
    Leaf {
        name: "number".to_owned(),
        place: Place {
            root: Root::Result,
            path: Vec::new(),
        },
        offset,
        size: 4,
        element: 4,
        content: Content::Unsigned,
    }
}

fn length(leaf: usize) -> Length {
    Length {
        leaf,
        of: "array".to_owned(),
        most: 8,
        negative: false,
        room: None,
    }
}

#[test]
fn what_begins_anew_at_a_length_is_less() {
    let mut entry = Entry {
        leaves: vec![leaf(0), leaf(4)],
        lengths: vec![length(0), length(1)],
        ..Entry::default()
    };
    assert_eq!(entry.half_full(), Some(vec![4, 0, 0, 0, 4, 0, 0, 0]));
    entry.orders = vec![Order { leaf: 0, below: 1 }];
    assert_eq!(entry.half_full(), Some(vec![2, 0, 0, 0, 4, 0, 0, 0]));
    assert_eq!(length(0).less().most, 7);
}
