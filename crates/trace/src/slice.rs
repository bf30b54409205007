//! Slices: the earlier steps that a step depends on, through shared symbols.
//!
//! Two steps depend on one another if they share a symbol, or each depends on a third; the
//! slice of step t is its class among the steps before t, without t itself. Law: dropping from
//! a path constraint what is outside the slice leaves the same models for the slice's symbols.
//!
//! Classes grow along the trace, so they are kept in a union-find forest whose links are never
//! compressed and bear the step that made them: the classes before step t are those of the
//! links made before t. Elements are the parts of the support sets, down to single symbols; a
//! part that was joined with its members once need not be opened again, which makes a step
//! whose support shares its parts with earlier ones cheap however large it is.

use crate::sets::{Set, SetId, Sets, keys};

/// No step or element.
const NONE: u32 = u32::MAX;

/// An element of the forest.
#[derive(Clone, Copy, Debug)]
struct Element {
    parent: u32,
    /// Step that made the link to `parent`; [`NONE`] for a root.
    linked: u32,
    /// Step that first joined this set with its members; [`NONE`] if none did.
    joined: u32,
    /// Elements below and with this one.
    size: u32,
    /// Elements linked to this one, in order of their links.
    first_child: u32,
    last_child: u32,
    next_sibling: u32,
    /// Steps whose support is this set, in order.
    first_step: u32,
    last_step: u32,
}

/// The classes of the steps of a trace, as far as they were asked for.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    elements: Vec<Element>,
    /// By step: the next one with the same support.
    next_step: Vec<u32>,
}

impl Classes {
    /// Number of steps entered so far.
    pub(crate) fn steps(&self) -> usize {
        self.next_step.len()
    }

    /// Enters the next step with its support.
    pub(crate) fn push(&mut self, sets: &mut Sets, support: SetId) {
        let step = self.next_step.len() as u32;
        self.next_step.push(NONE);
        if support == SetId::EMPTY {
            return;
        }
        self.join(sets, support, step);
        let element = &mut self.elements[support.index()];
        if element.first_step == NONE {
            element.first_step = step;
        } else {
            self.next_step[element.last_step as usize] = step;
        }
        self.elements[support.index()].last_step = step;
    }

    /// Puts a set and its members into one class. Recursion is bounded by the 64 bits of a key.
    fn join(&mut self, sets: &mut Sets, set: SetId, step: u32) {
        self.grow(sets.len());
        if self.elements[set.index()].joined != NONE {
            return;
        }
        self.elements[set.index()].joined = step;
        match sets.get(set) {
            Set::Empty => {}
            Set::Fork { low, high, .. } => {
                for part in [low, high] {
                    self.join(sets, part, step);
                    self.link(set, part, step);
                }
            }
            Set::Leaf { first, map } => {
                for key in keys(first, map) {
                    let member = sets.singleton(key);
                    self.grow(sets.len());
                    self.link(set, member, step);
                }
            }
        }
    }

    fn grow(&mut self, length: usize) {
        for index in self.elements.len()..length {
            self.elements.push(Element {
                parent: index as u32,
                linked: NONE,
                joined: NONE,
                size: 1,
                first_child: NONE,
                last_child: NONE,
                next_sibling: NONE,
                first_step: NONE,
                last_step: NONE,
            });
        }
    }

    fn link(&mut self, a: SetId, b: SetId, step: u32) {
        let (mut root, mut child) = (self.root(a, NONE), self.root(b, NONE));
        if root == child {
            return;
        }
        if self.elements[root as usize].size < self.elements[child as usize].size {
            core::mem::swap(&mut root, &mut child);
        }
        let size = self.elements[child as usize].size;
        self.elements[child as usize].parent = root;
        self.elements[child as usize].linked = step;
        let parent = &mut self.elements[root as usize];
        parent.size += size;
        let last = core::mem::replace(&mut parent.last_child, child);
        if last == NONE {
            parent.first_child = child;
        } else {
            self.elements[last as usize].next_sibling = child;
        }
    }

    /// The root of an element by the links made before step `before`.
    fn root(&self, set: SetId, before: u32) -> u32 {
        let mut at = set.index() as u32;
        while let Some(element) = self.elements.get(at as usize) {
            if element.linked >= before {
                break;
            }
            at = element.parent;
        }
        at
    }

    /// The slice of the step after `before` steps, whose support this is, in ascending order.
    pub(crate) fn slice(&self, sets: &mut Sets, support: SetId, before: u32) -> Vec<usize> {
        let mut roots = Vec::new();
        self.roots(sets, support, before, &mut roots);
        roots.sort_unstable();
        roots.dedup();
        let mut slice = Vec::new();
        let mut stack = roots;
        while let Some(at) = stack.pop() {
            // A symbol that no step entered so far has is an element of no forest.
            let Some(element) = self.elements.get(at as usize) else {
                continue;
            };
            let mut step = element.first_step;
            while step < before {
                slice.push(step as usize);
                step = self.next_step[step as usize];
            }
            let mut child = element.first_child;
            while child != NONE && self.elements[child as usize].linked < before {
                stack.push(child);
                child = self.elements[child as usize].next_sibling;
            }
        }
        sorted(slice, before as usize)
    }

    /// Collects the roots of a set's members.
    fn roots(&self, sets: &mut Sets, set: SetId, before: u32, roots: &mut Vec<u32>) {
        let joined = self
            .elements
            .get(set.index())
            .map_or(NONE, |element| element.joined);
        if joined < before {
            roots.push(self.root(set, before));
            return;
        }
        match sets.get(set) {
            Set::Empty => {}
            Set::Fork { low, high, .. } => {
                self.roots(sets, low, before, roots);
                self.roots(sets, high, before, roots);
            }
            Set::Leaf { first, map } => {
                for key in keys(first, map) {
                    let member = sets.singleton(key);
                    roots.push(self.root(member, before));
                }
            }
        }
    }
}

/// Numbers below `end`, each once, in ascending order.
fn sorted(mut numbers: Vec<usize>, end: usize) -> Vec<usize> {
    let words = end.div_ceil(64);
    if numbers.len() < words {
        // They are made of few ascending runs, which the stable sort merges.
        numbers.sort();
        return numbers;
    }
    let mut bits = vec![0_u64; words];
    for number in &numbers {
        bits[number / 64] |= 1 << (number % 64);
    }
    numbers.clear();
    for (word, mut rest) in bits.into_iter().enumerate() {
        while rest != 0 {
            numbers.push(word * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
    numbers
}
