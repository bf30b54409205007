//! Changed certificates.

/// Numbers that look random, the same each time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound.max(1)
    }

    fn choose<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        (!all.is_empty()).then(|| &all[self.below(all.len())])
    }
}

/// A certificate in parts.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// All before the claims.
    opening: String,
    pub(crate) claims: Vec<String>,
    /// Names and sorts.
    declarations: Vec<(String, String)>,
    /// Names of locations and formulas.
    pub(crate) formulas: Vec<(String, String)>,
}

impl Parts {
    /// The parts of the text of a certificate.
    pub(crate) fn of(text: &str) -> Self {
        let mut parts = Parts {
            opening: String::new(),
            claims: Vec::new(),
            declarations: Vec::new(),
            formulas: Vec::new(),
        };
        let (opening, rest) = text.split_once("(set-info :unreachable").expect("a claim");
        parts.opening = opening.to_owned();
        let rest = format!("(set-info :unreachable{rest}");
        for form in children(&rest) {
            let inside = children(&form[1..form.len() - 1]);
            match inside[0] {
                "set-info" => parts.claims.push(inside[2].trim_matches('"').to_owned()),
                "declare-const" => {
                    parts
                        .declarations
                        .push((inside[1].to_owned(), inside[2].to_owned()));
                }
                "define-fun" => parts
                    .formulas
                    .push((inside[1].to_owned(), inside[4].to_owned())),
                _ => {}
            }
        }
        parts
    }

    /// The text.
    pub(crate) fn text(&self) -> String {
        let mut text = self.opening.clone();
        for claim in &self.claims {
            text += &format!("(set-info :unreachable \"{claim}\")\n");
        }
        for (name, sort) in &self.declarations {
            text += &format!("(declare-const {name} {sort})\n");
        }
        for (name, formula) in &self.formulas {
            text += &format!("(define-fun {name} () Bool {formula})\n");
        }
        text
    }

    /// The same with another formula.
    pub(crate) fn with(&self, at: usize, formula: &str) -> Self {
        let mut parts = self.clone();
        parts.formulas[at].1 = formula.to_owned();
        parts
    }

    /// The same without a location.
    pub(crate) fn without(&self, at: usize) -> Self {
        let mut parts = self.clone();
        parts.formulas.remove(at);
        parts
    }

    /// The conditions whose conjunction a formula is.
    pub(crate) fn conjuncts(&self, at: usize) -> Vec<String> {
        let formula = &self.formulas[at].1;
        let inside = match formula.strip_prefix("(and") {
            Some(rest) => children(&rest[..rest.len() - 1]),
            None => vec![formula.as_str()],
        };
        inside.into_iter().map(str::to_owned).collect()
    }

    /// A text that is changed somewhere.
    pub(crate) fn mutated(&self, random: &mut Random) -> String {
        let at = random.below(self.formulas.len());
        let mut conjuncts = self.conjuncts(at);
        let one = random.below(conjuncts.len());
        match random.below(8) {
            0 => {
                conjuncts.remove(one);
                self.with(at, &conjunction(&conjuncts)).text()
            }
            1 => {
                conjuncts[one] = format!("(not {})", conjuncts[one]);
                self.with(at, &conjunction(&conjuncts)).text()
            }
            2 => self.without(at).text(),
            3 => self
                .with(
                    at,
                    &changed(&self.formulas[at].1, random, is_constant, digit),
                )
                .text(),
            4 => {
                let variables: Vec<String> = self
                    .declarations
                    .iter()
                    .map(|(name, _)| name.clone())
                    .collect();
                let other = |_: &str, random: &mut Random| {
                    random.choose(&variables).cloned().unwrap_or_default()
                };
                let is_name = |token: &str| token.starts_with('|');
                self.with(at, &changed(&self.formulas[at].1, random, is_name, other))
                    .text()
            }
            5 => self
                .with(at, &changed(&self.formulas[at].1, random, is_word, word))
                .text(),
            6 => {
                let (_, other) = &self.formulas[random.below(self.formulas.len())];
                self.with(at, other).text()
            }
            _ => {
                // A byte is lost.
                let mut text = self.text();
                let place = random.below(text.len());
                if text.is_char_boundary(place) && text.is_char_boundary(place + 1) {
                    text.remove(place);
                }
                text
            }
        }
    }
}

pub(crate) fn conjunction(parts: &[String]) -> String {
    match parts {
        [] => "true".to_owned(),
        [one] => one.clone(),
        parts => format!("(and {})", parts.join(" ")),
    }
}

fn is_constant(token: &str) -> bool {
    token.starts_with('#')
}

/// A constant with another digit.
fn digit(token: &str, random: &mut Random) -> String {
    let at = 2 + random.below(token.len() - 2);
    let digits = if token.starts_with("#b") {
        "01"
    } else {
        "0123456789abcdef"
    };
    let digit = digits.as_bytes()[random.below(digits.len())];
    let mut bytes = token.as_bytes().to_vec();
    bytes[at] = digit;
    String::from_utf8(bytes).expect("ASCII")
}

const WORDS: [&str; 6] = ["bvslt", "bvsle", "bvult", "bvule", "and", "or"];

fn is_word(token: &str) -> bool {
    WORDS.contains(&token)
}

fn word(token: &str, random: &mut Random) -> String {
    let logic = |word: &&str| matches!(*word, "and" | "or");
    let same = WORDS
        .iter()
        .filter(|word| logic(word) == logic(&token))
        .copied();
    let same: Vec<&str> = same.collect();
    same[random.below(same.len())].to_owned()
}

/// A text with one of the tokens that are `wanted` replaced.
fn changed(
    text: &str,
    random: &mut Random,
    wanted: impl Fn(&str) -> bool,
    replace: impl Fn(&str, &mut Random) -> String,
) -> String {
    let all = tokens(text);
    let places: Vec<usize> = (0..all.len()).filter(|at| wanted(all[*at])).collect();
    let Some(place) = random.choose(&places).copied() else {
        return "false".to_owned();
    };
    let mut found = String::new();
    for (at, token) in all.iter().enumerate() {
        found += &if at == place {
            replace(token, random)
        } else {
            (*token).to_owned()
        };
        found.push(' ');
    }
    found
}

/// Parentheses and atoms.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = match rest.as_bytes()[0] {
            b'(' | b')' => 1,
            quote @ (b'|' | b'"') => 2 + rest[1..].find(char::from(quote)).expect("an end"),
            _ => rest
                .find(|c: char| c.is_whitespace() || "()|".contains(c))
                .unwrap_or(rest.len()),
        };
        tokens.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    tokens
}

/// The expressions of a text that are in no other.
pub(crate) fn children(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for token in tokens(text) {
        let at = token.as_ptr() as usize - text.as_ptr() as usize;
        if depth == 0 {
            start = at;
        }
        match token {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            found.push(&text[start..at + token.len()]);
        }
    }
    found
}
