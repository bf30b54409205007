//! Parameters of the walk, and switches to measure what each part of it is worth.

/// How the walk searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Source of all random choices.
    pub seed: u64,
    /// I: steps for each constraint that is not linear.
    pub steps: usize,
    /// R: pairs of neighbors looked at in a step.
    pub neighbors: usize,
    /// T: steps for which a variable that led nowhere is left alone, at most; 0 for never.
    pub tabu: usize,
    /// Neighbors by linear approximation.
    pub bisection: bool,
    /// Compile the objective; else the evaluator computes it.
    pub compile: bool,
    /// What goes beyond the dissertation; `None` is its algorithm alone.
    pub beyond: Option<Beyond>,
}

/// What goes beyond the dissertation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beyond {
    /// Walks again from other starts while there is work left.
    pub restarts: bool,
    /// Seeds by damped Gauss–Newton steps on all variables at once.
    pub gradient: bool,
    /// Neighbors from a table: halving brackets, next values, single bits, constants of the
    /// condition, round numbers.
    pub neighbors: bool,
    /// Restores equalities after every step, also those that give a variable's value and are not
    /// linear.
    pub settle: bool,
    /// Searches among the next values around a point that is nearly a solution.
    pub polish: bool,
}

impl Options {
    /// Everything.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Options {
            seed,
            steps: 150,
            neighbors: 10,
            tabu: 3,
            bisection: true,
            compile: true,
            beyond: Some(Beyond {
                restarts: true,
                gradient: true,
                neighbors: true,
                settle: true,
                polish: true,
            }),
        }
    }
}

/// What is wrong with a word for [`Options::set`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordError {
    /// There is no such word.
    #[error(
        "no such part of the walk; there are: paper, no-tabu, no-bisection, no-restarts, \
         no-gradient, no-neighbors, no-settle, no-polish, no-compile, steps=N, neighbors=N, tabu=N"
    )]
    Unknown,
    /// The number is none.
    #[error("the number after = is none, or too large")]
    Number,
}

impl Options {
    /// Changes what a word says: `paper`, `no-PART`, `steps=N`, `neighbors=N` or `tabu=N`.
    ///
    /// # Errors
    /// There is no such word, or its number is none.
    pub fn set(&mut self, word: &str) -> Result<(), WordError> {
        let mut without = |part: fn(&mut Beyond)| {
            self.beyond.iter_mut().for_each(part);
        };
        match word {
            "no-restarts" => without(|beyond| beyond.restarts = false),
            "no-gradient" => without(|beyond| beyond.gradient = false),
            "no-neighbors" => without(|beyond| beyond.neighbors = false),
            "no-settle" => without(|beyond| beyond.settle = false),
            "no-polish" => without(|beyond| beyond.polish = false),
            "paper" => self.beyond = None,
            "no-tabu" => self.tabu = 0,
            "no-bisection" => self.bisection = false,
            "no-compile" => self.compile = false,
            _ => self.set_number(word)?,
        }
        Ok(())
    }

    fn set_number(&mut self, word: &str) -> Result<(), WordError> {
        let (name, number) = word.split_once('=').ok_or(WordError::Unknown)?;
        let place = match name {
            "steps" => &mut self.steps,
            "neighbors" => &mut self.neighbors,
            "tabu" => &mut self.tabu,
            _ => return Err(WordError::Unknown),
        };
        let number: u32 = number.parse().map_err(|_| WordError::Number)?;
        *place = number as usize;
        Ok(())
    }
}

impl Default for Options {
    fn default() -> Self {
        Options::new(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_change_one_thing_each() {
        let mut options = Options::new(1);
        for word in ["no-tabu", "steps=10", "no-polish"] {
            assert_eq!(options.set(word), Ok(()));
        }
        assert_eq!((options.tabu, options.steps), (0, 10));
        assert!(
            options
                .beyond
                .is_some_and(|beyond| !beyond.polish && beyond.gradient)
        );
        assert_eq!(options.set("paper"), Ok(()));
        assert_eq!(options.beyond, None);
        assert_eq!(options.set("no-sense"), Err(WordError::Unknown));
        assert_eq!(options.set("steps=many"), Err(WordError::Number));
    }
}
