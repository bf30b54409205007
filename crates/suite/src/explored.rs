//! What hunts keep of a unit.

use std::collections::BTreeMap;
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

/// What of a program matters to what is known of a unit: numbers of functions, hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needs {
    /// All that the unit can come to has this number.
    All(String),
    /// Each function that its runs called by itself, and each function whose stub they called.
    Ran {
        /// Functions, in the program.
        functions: BTreeMap<String, String>,
        /// Functions that stubs stand for.
        stubs: BTreeMap<String, String>,
    },
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
    /// As it is kept, with what it needs; none if inputs have other streams than drivers make.
    #[must_use]
    pub fn text(&self, needs: &Needs) -> Option<String> {
        let lines: Option<Vec<Value>> = self.lines.iter().map(FailedLine::json).collect();
        let mut kept = json!({
            "fails": self.fails,
            "inputs": digits(&self.inputs)?,
            "needs": needs.json(),
        });
        if !self.lines.is_empty() {
            kept["lines"] = Value::Array(lines?);
        }
        if let Some(time) = self.cut_after {
            kept["cut_after_ms"] = json!(u64::try_from(time.as_millis()).ok()?);
        }
        Some(kept.to_string() + "\n")
    }

    /// From a text, with what it needs; none if it is of another form.
    #[must_use]
    pub fn read(text: &str) -> Option<(Self, Needs)> {
        let value: Value = serde_json::from_str(text).ok()?;
        let lines: Option<Vec<FailedLine>> = match value.get("lines") {
            Some(lines) => lines.as_array()?.iter().map(FailedLine::read).collect(),
            None => Some(Vec::new()),
        };
        let explored = Explored {
            inputs: inputs(value.get("inputs")?)?,
            fails: value.get("fails")?.as_bool()?,
            lines: lines?,
            cut_after: match value.get("cut_after_ms") {
                Some(time) => Some(Duration::from_millis(time.as_u64()?)),
                None => None,
            },
        };
        Some((explored, Needs::read(value.get("needs")?)?))
    }
}

impl Needs {
    fn json(&self) -> Value {
        match self {
            Needs::All(number) => json!({"all": number}),
            Needs::Ran { functions, stubs } => json!({"functions": functions, "stubs": stubs}),
        }
    }

    fn read(value: &Value) -> Option<Self> {
        if let Some(number) = value.get("all") {
            return Some(Needs::All(number.as_str()?.to_owned()));
        }
        let numbers = |name: &str| {
            let numbers = value.get(name)?.as_object()?.iter();
            numbers
                .map(|(name, number)| Some((name.clone(), number.as_str()?.to_owned())))
                .collect::<Option<BTreeMap<String, String>>>()
        };
        Some(Needs::Ran {
            functions: numbers("functions")?,
            stubs: numbers("stubs")?,
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
