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
    /// The lines at which it fails, if all of them can be found again in another source.
    pub lines: Vec<FailedLine>,
    /// The part of the hunt's time that it had, if time ended it; kept in milliseconds.
    pub cut_after: Option<Duration>,
}

/// A line at which a unit fails, wherever its function stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedLine {
    /// The function, in the program.
    pub function: String,
    /// Lines behind the first one of the function.
    pub distance: u32,
    /// One word for what went wrong.
    pub kind: String,
    /// The inputs that fail there.
    pub inputs: Vec<Input>,
}

impl Explored {
    /// As it is kept; none if inputs have other streams than drivers make.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let lines: Option<Vec<Value>> = self.lines.iter().map(FailedLine::json).collect();
        let mut kept = json!({"fails": self.fails, "inputs": digits(&self.inputs)?});
        if !self.lines.is_empty() {
            kept["lines"] = Value::Array(lines?);
        }
        if let Some(time) = self.cut_after {
            kept["cut_after_ms"] = json!(u64::try_from(time.as_millis()).ok()?);
        }
        Some(kept.to_string() + "\n")
    }

    /// From a text; none if it is of another form.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let lines: Option<Vec<FailedLine>> = match value.get("lines") {
            Some(lines) => lines.as_array()?.iter().map(FailedLine::read).collect(),
            None => Some(Vec::new()),
        };
        Some(Explored {
            inputs: inputs(value.get("inputs")?)?,
            fails: value.get("fails")?.as_bool()?,
            lines: lines?,
            cut_after: match value.get("cut_after_ms") {
                Some(time) => Some(Duration::from_millis(time.as_u64()?)),
                None => None,
            },
        })
    }
}

impl FailedLine {
    fn json(&self) -> Option<Value> {
        Some(json!({
            "function": self.function,
            "distance": self.distance,
            "kind": self.kind,
            "inputs": digits(&self.inputs)?,
        }))
    }

    fn read(value: &Value) -> Option<Self> {
        let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
        Some(FailedLine {
            function: text("function")?,
            distance: value.get("distance")?.as_u64()?.try_into().ok()?,
            kind: text("kind")?,
            inputs: inputs(value.get("inputs")?)?,
        })
    }
}

/// Inputs as hexadecimal digits.
fn digits(inputs: &[Input]) -> Option<Vec<String>> {
    let digits = |input: &Input| match input.streams.as_slice() {
        [one] if one.kind == StreamKind::Objects => {
            let digits = one.bytes.iter().map(|byte| format!("{byte:02x}"));
            Some(digits.collect::<String>())
        }
        _ => None,
    };
    inputs.iter().map(digits).collect()
}

fn inputs(digits: &Value) -> Option<Vec<Input>> {
    let inputs = digits.as_array()?.iter();
    inputs.map(|one| input(one.as_str()?)).collect()
}

fn input(digits: &str) -> Option<Input> {
    let starts = (0..digits.len()).step_by(2);
    let byte = |start| u8::from_str_radix(digits.get(start..start + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = starts.map(byte).collect();
    Some(Input::new(vec![InputStream::objects(bytes?)]))
}
