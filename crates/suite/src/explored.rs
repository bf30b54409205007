//! What hunts keep of a unit.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{Input, InputStream, StreamKind};

/// A unit that was explored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explored {
    /// What it was run on, in order.
    pub inputs: Vec<Input>,
    /// Whether a run failed.
    pub fails: bool,
    /// The time that it had, if that ended it; kept in milliseconds.
    pub cut_after: Option<Duration>,
}

impl Explored {
    /// As it is kept; none if inputs have other streams than drivers make.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let digits = |input: &Input| match input.streams.as_slice() {
            [one] if one.kind == StreamKind::Objects => {
                let digits = one.bytes.iter().map(|byte| format!("{byte:02x}"));
                Some(digits.collect::<String>())
            }
            _ => None,
        };
        let inputs: Option<Vec<String>> = self.inputs.iter().map(digits).collect();
        let mut kept = json!({"fails": self.fails, "inputs": inputs?});
        if let Some(time) = self.cut_after {
            kept["cut_after_ms"] = json!(u64::try_from(time.as_millis()).ok()?);
        }
        Some(kept.to_string() + "\n")
    }

    /// From a text; none if it is of another form.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let inputs = value.get("inputs")?.as_array()?.iter();
        let inputs: Option<Vec<Input>> = inputs.map(|one| input(one.as_str()?)).collect();
        Some(Explored {
            inputs: inputs?,
            fails: value.get("fails")?.as_bool()?,
            cut_after: match value.get("cut_after_ms") {
                Some(time) => Some(Duration::from_millis(time.as_u64()?)),
                None => None,
            },
        })
    }
}

fn input(digits: &str) -> Option<Input> {
    let starts = (0..digits.len()).step_by(2);
    let byte = |start| u8::from_str_radix(digits.get(start..start + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = starts.map(byte).collect();
    Some(Input::new(vec![InputStream::objects(bytes?)]))
}
