//! What a check says of a claim.

/// What was found out about a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The certificate shows it.
    Checked,
    /// The solver did not answer all queries.
    NotChecked(String),
    /// The certificate does not show it.
    Refused(String),
}

impl Verdict {
    /// What is worse of two verdicts; of two that are as bad the first.
    pub(super) fn and(self, other: Verdict) -> Verdict {
        match (&self, &other) {
            (Verdict::Refused(_), _) | (_, Verdict::Checked) => self,
            (Verdict::NotChecked(_), Verdict::NotChecked(_)) => self,
            _ => other,
        }
    }
}
