//! Unified diffs: which lines of which files they touch.

use std::collections::BTreeSet;

/// Lines of files after a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Lines that were added or changed, with the paths of their files.
    pub added: BTreeSet<(String, u32)>,
    /// Lines that stand where others were taken away: the one before and the one behind.
    pub beside: BTreeSet<(String, u32)>,
}

impl Changes {
    /// Reads a diff, with or without lines of context.
    #[must_use]
    pub fn read(diff: &str) -> Self {
        let mut changes = Changes::default();
        let mut file: Option<String> = None;
        // The next line of the file after the change, and how many of both sides are left.
        let (mut line, mut old, mut new) = (0, 0, 0);
        for text in diff.lines() {
            if old > 0 || new > 0 {
                let place = |line: u32| file.clone().map(|file| (file, line));
                match text.as_bytes().first() {
                    Some(b'+') => {
                        changes.added.extend(place(line));
                        (line, new) = (line.saturating_add(1), new - 1.min(new));
                    }
                    Some(b'-') => {
                        changes.beside.extend(place(line));
                        changes.beside.extend(place(line.saturating_sub(1)));
                        old -= 1.min(old);
                    }
                    Some(b'\\') => {}
                    _ => {
                        line = line.saturating_add(1);
                        (old, new) = (old - 1.min(old), new - 1.min(new));
                    }
                }
            } else if let Some(name) = text.strip_prefix("+++ ") {
                let name = name.split('\t').next().unwrap_or(name);
                let name = name.strip_prefix("b/").unwrap_or(name);
                file = (name != "/dev/null").then(|| name.to_owned());
            } else if let Some(hunk) = text.strip_prefix("@@ ") {
                let side = |sign: char| {
                    let part = hunk.split(' ').find_map(|part| part.strip_prefix(sign));
                    let (start, count) = part.map_or(("0", "0"), |part| {
                        part.split_once(',').unwrap_or((part, "1"))
                    });
                    let read = |text: &str| text.parse::<u32>().unwrap_or(0);
                    (read(start), read(count))
                };
                (_, old) = side('-');
                (line, new) = side('+');
                // Of an empty side the line before is named.
                line = line.saturating_add(u32::from(new == 0));
            }
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_lines_of_a_diff() {
        let diff = "\
diff --git a/x.c b/x.c
--- a/x.c
+++ b/x.c
@@ -3 +3,2 @@ int f(void)
-old
+new
+newer
@@ -9,2 +10,0 @@
-gone
-gone
diff --git a/y.c b/y.c
--- a/y.c
+++ /dev/null
@@ -1 +0,0 @@
-gone
";
        let changes = Changes::read(diff);
        let added: Vec<_> = changes.added.into_iter().collect();
        assert_eq!(added, [("x.c".to_owned(), 3), ("x.c".to_owned(), 4)]);
        let beside: Vec<u32> = changes.beside.into_iter().map(|(_, line)| line).collect();
        assert_eq!(beside, [2, 3, 10, 11]);
    }

    #[test]
    fn the_last_line_that_can_be_numbered_ends_no_count() {
        let last = u32::MAX;
        for lines in ["+new\n+newer\n", "-old\n context\n+new\n"] {
            let diff = format!("+++ b/x.c\n@@ -1,2 +{last},2 @@\n{lines}@@ -1 +{last},0 @@\n-x\n");
            let changes = Changes::read(&diff);
            assert!(
                changes.added.contains(&("x.c".to_owned(), last)),
                "{changes:?}"
            );
        }
    }

    #[test]
    fn lines_of_context_are_no_changes() {
        let diff = "\
--- old/x.c\t2026-01-01
+++ x.c\t2026-01-02
@@ -1,4 +1,4 @@
 int f(void) {
-  return 1;
+  return 2;
 }
 /* end */
";
        let changes = Changes::read(diff);
        let added: Vec<_> = changes.added.into_iter().collect();
        assert_eq!(added, [("x.c".to_owned(), 2)]);
    }
}
