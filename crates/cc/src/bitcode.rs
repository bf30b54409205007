//! The bitcode inside an ELF object: its section and the modules in it.

use crate::container::elf::SectionTable;

/// Where lld looks for the bitcode of a fat object.
pub(crate) const SECTION: &str = ".llvm.lto";

/// First bytes of a module.
const MAGIC: &[u8] = b"BC\xc0\xde";

/// The bitcode section of an ELF object.
pub(crate) fn of_object(bytes: &[u8]) -> Option<&[u8]> {
    let table = SectionTable::read(bytes)?;
    table.bytes(bytes, table.find(SECTION)?)
}

/// Cuts bitcode into its modules: a module is a magic number and blocks, each with its length.
pub(crate) fn split(bitcode: &[u8]) -> Vec<&[u8]> {
    let mut modules = Vec::new();
    let (mut start, mut position) = (0, 0);
    while let Some(word) = bitcode.get(position..position + 4) {
        if word == MAGIC {
            if position > start {
                modules.push(&bitcode[start..position]);
            }
            (start, position) = (position, position + 4);
            continue;
        }
        // Block header: 2 bits "enter", 8 bits block id, 4 bits width, filled up to 32 bits;
        // then the number of words.
        let Some(length) = bitcode.get(position + 4..position + 8) else {
            break;
        };
        let words = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
        position += 8 + 4 * words;
    }
    let end = position.min(bitcode.len());
    if end > start {
        modules.push(&bitcode[start..end]);
    }
    modules
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(words: &[u32]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0x35, 0x14, 0, 0]);
        bytes.extend((words.len() as u32).to_le_bytes());
        words
            .iter()
            .for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes
    }

    #[test]
    fn modules_are_found_by_the_lengths_of_their_blocks() {
        // The magic number inside a block is no begin of a module.
        let first = module(&[7, u32::from_le_bytes([b'B', b'C', 0xc0, 0xde])]);
        let second = module(&[]);
        let joined = [first.clone(), second.clone()].concat();
        assert_eq!(split(&joined), [&first[..], &second[..]]);
        assert_eq!(split(&first), [&first[..]]);
        assert!(split(&[]).is_empty());
    }
}
