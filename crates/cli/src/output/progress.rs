//! Progress of a search on standard error: a bar on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use labrys_engine::{Notice, Observer, Silent, Status};

use super::console::note;

/// Plain lines come this far apart.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// Nothing is shown of what takes less.
const SOON: Duration = Duration::from_millis(500);
/// Length of the bar in steps.
const BAR: u64 = 1000;

/// A search that ends sooner is not said to go on.
const GOES_ON: Duration = Duration::from_secs(1);
const ALL_COVERED: &str = "every branch is covered or proved unreachable; the search goes on for \
                           failures (--until-covered ends it here)";

/// The observer for these options.
pub(crate) fn observer(quiet: bool) -> Box<dyn Observer> {
    if quiet {
        Box::new(Silent)
    } else if stderr().is_terminal() {
        Box::new(Bar::new())
    } else {
        Box::new(Lines::default())
    }
}

/// The same for a search that goes on when no branch is open, which is said once, if it does not
/// end soon.
pub(crate) fn going_on(quiet: bool) -> Box<dyn Observer> {
    Box::new(GoingOn {
        inner: observer(quiet),
        since: None,
        told: false,
    })
}

/// See [`going_on`].
struct GoingOn {
    inner: Box<dyn Observer>,
    /// Since when no branch is open.
    since: Option<Duration>,
    told: bool,
}

impl Observer for GoingOn {
    fn notice(&mut self, notice: Notice<'_>) {
        if let Notice::Status(status) = notice {
            let closed = status.covered + status.unreachable;
            if closed == status.branches && closed > 0 {
                let since = *self.since.get_or_insert(status.elapsed);
                if status.elapsed >= since + GOES_ON && !self.told {
                    self.told = true;
                    self.inner.notice(Notice::Note(ALL_COVERED));
                }
            }
        }
        self.inner.notice(notice);
    }
}

/// A bar that is drawn in place.
struct Bar {
    bar: ProgressBar,
    bounded: bool,
}

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::new(BAR);
        bar.set_style(style("{spinner} {msg}"));
        bar.enable_steady_tick(Duration::from_millis(200));
        Bar {
            bar,
            bounded: false,
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Observer for Bar {
    fn notice(&mut self, notice: Notice<'_>) {
        match notice {
            Notice::Status(status) => {
                if let (Some(used), false) = (status.used, self.bounded) {
                    self.bounded = used >= 0.0;
                    self.bar.set_style(style("{spinner} [{bar:20}] {msg}"));
                }
                let position = status.used.unwrap_or(0.0) * BAR as f64;
                self.bar.set_position(position as u64);
                self.bar.set_message(line(status));
            }
            other => {
                if let Some(text) = news(other) {
                    self.bar.println(text);
                }
            }
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A line now and then.
#[derive(Default)]
struct Lines {
    last: Duration,
}

impl Observer for Lines {
    fn notice(&mut self, notice: Notice<'_>) {
        match notice {
            Notice::Status(status) => {
                if status.elapsed >= self.last + LINE_EVERY {
                    self.last = status.elapsed;
                    note(line(status));
                }
            }
            other => {
                if let Some(text) = news(other) {
                    note(text);
                }
            }
        }
    }
}

/// How much of a file is done, on standard error.
pub(crate) struct Counter(Option<ProgressBar>);

impl Counter {
    /// Nothing is done yet; nothing is shown if it is to be quiet, or where nobody looks.
    pub(crate) fn new(quiet: bool, name: &str) -> Self {
        let shows = !quiet && stderr().is_terminal();
        Counter(shows.then(|| {
            let bar = ProgressBar::new(0);
            bar.set_style(style("{msg} [{bar:20}] {pos}/{len}"));
            bar.set_message(name.to_owned());
            bar
        }))
    }

    /// So much is done, of so much.
    pub(crate) fn show(&self, done: usize, all: usize) {
        if let Some(bar) = &self.0 {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// What is being done, on standard error: in place on a terminal, in a line now and then elsewhere.
pub(crate) struct Doing {
    name: &'static str,
    bar: Option<ProgressBar>,
    quiet: bool,
    began: Instant,
    last: Duration,
    text: String,
}

impl Doing {
    /// Nothing is shown if it is to be quiet, or of what is done at once.
    pub(crate) fn new(quiet: bool, name: &'static str) -> Self {
        Doing {
            name,
            bar: None,
            quiet,
            began: Instant::now(),
            last: Duration::ZERO,
            text: String::new(),
        }
    }

    /// This is being done now.
    pub(crate) fn show(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        self.wait();
    }

    /// The same is still being done.
    pub(crate) fn wait(&mut self) {
        let elapsed = self.began.elapsed();
        if self.quiet || elapsed < SOON {
            return;
        }
        let line = format!("{}: {}, {}", self.name, self.text, time(elapsed));
        if stderr().is_terminal() {
            let bar = self.bar.get_or_insert_with(|| {
                let bar = ProgressBar::new_spinner();
                bar.set_style(style("{spinner} {msg}"));
                bar
            });
            bar.set_message(line);
            bar.tick();
        } else if elapsed >= self.last + LINE_EVERY {
            self.last = elapsed;
            note(line);
        }
    }
}

impl Drop for Doing {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The numbers in one line.
fn line(status: &Status) -> String {
    let seconds = status.elapsed.as_secs_f64();
    let rate = status.new_runs as f64 / seconds.max(0.001);
    let unreachable = match status.unreachable {
        0 => String::new(),
        proved => format!(" ({proved} unreachable)"),
    };
    let seeds = match status.seeds {
        0 => String::new(),
        left => format!("{} to come, ", count(left, "seed")),
    };
    let mut text = format!(
        "{} runs ({rate:.0}/s), {seeds}{}/{} branches{unreachable}, {} queries, {}",
        status.runs,
        status.covered,
        status.branches,
        status.queries,
        count(status.failures, "failure"),
    );
    match status.time_left() {
        Some(left) => text.push_str(&format!(", {} left", time(left))),
        None => text.push_str(&format!(", {}", time(status.elapsed))),
    }
    text
}

/// What happened, in a line; `None` for what is not worth one.
fn news(notice: Notice<'_>) -> Option<String> {
    match notice {
        Notice::Status(_) | Notice::Kept(_) => None,
        Notice::Failure(failure) => {
            let place = failure.location.as_deref().map(|at| format!(" at {at}"));
            let doubt = if failure.confirmed {
                ""
            } else {
                " (not confirmed)"
            };
            Some(format!(
                "failure: {}{}{doubt}",
                failure.kind,
                place.unwrap_or_default()
            ))
        }
        Notice::Target(name) => Some(format!("target reached: {name}")),
        Notice::Note(text) => Some(format!("note: {text}")),
    }
}

/// A number with a noun.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let ending = match number {
        1 => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{number} {noun}{ending}")
}

/// A time for people.
pub(crate) fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        10..120 => format!("{seconds} s"),
        120..7200 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    #[test]
    fn the_line_has_all_numbers() {
        let status = Status {
            elapsed: Duration::from_secs(10),
            used: Some(0.25),
            runs: 1000,
            new_runs: 500,
            covered: 12,
            branches: 40,
            queries: 77,
            failures: 1,
            time_limit: Some(Duration::from_secs(40)),
            ..Status::default()
        };
        let expected = "1000 runs (50/s), 12/40 branches, 77 queries, 1 failure, 30 s left";
        assert_eq!(line(&status), expected);
        let proved = Status {
            unreachable: 3,
            ..status
        };
        assert!(line(&proved).contains("12/40 branches (3 unreachable), 77"));
        let corpus = Status {
            seeds: 2000,
            ..proved
        };
        assert!(line(&corpus).contains("(50/s), 2000 seeds to come, 12/40 branches"));
        assert_eq!(time(Duration::from_secs(3 * 3600 + 240)), "3 h 04 min");
    }

    /// Keeps the notes.
    struct Notes(Rc<RefCell<Vec<String>>>);

    impl Observer for Notes {
        fn notice(&mut self, notice: Notice<'_>) {
            if let Notice::Note(text) = notice {
                self.0.borrow_mut().push(text.to_owned());
            }
        }
    }

    #[test]
    fn a_search_that_goes_on_says_so_once() {
        let notes = Rc::default();
        let mut observer = GoingOn {
            inner: Box::new(Notes(Rc::clone(&notes))),
            since: None,
            told: false,
        };
        let mut told = |millis, covered| {
            let status = Status {
                elapsed: Duration::from_millis(millis),
                covered,
                unreachable: 1,
                branches: 8,
                ..Status::default()
            };
            observer.notice(Notice::Status(&status));
            notes.borrow().len()
        };
        let statuses = [
            (100, 6),
            (2000, 6),
            (2100, 7),
            (2200, 7),
            (3100, 7),
            (9000, 7),
        ];
        let counts = statuses.map(|(millis, covered)| told(millis, covered));
        assert_eq!(counts, [0, 0, 0, 0, 1, 1]);
        assert!(notes.borrow()[0].contains("--until-covered"));
    }
}
