//! The checksum of an executable: over all that the loader maps from the file and over the
//! sections that Labrys put into it.
//!
//! Law: a change of a byte that a run or a later command would see changes the checksum; what
//! `strip` and an install step that edits the run path in place leave behind does not. So names,
//! symbols and the table of sections are left out, bytes are taken through the segments as the
//! loader takes them, and the run path is left out with its entry of the dynamic section.

use object::LittleEndian as Little;
use object::elf::{
    DT_NULL, DT_RPATH, DT_RUNPATH, Dyn64, FileHeader64, PT_LOAD, ProgramHeader64, SHF_ALLOC,
    SHT_DYNAMIC, SHT_NOBITS,
};
use object::pod::slice_from_all_bytes;
use object::read::elf::FileHeader;
use sha2::{Digest, Sha256};
use std::ops::Range;

use super::elf::SectionTable;

/// Bytes of the section that holds a [`Seal`].
const SIZE: usize = 48;

/// A checksum, and what it leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seal {
    sum: [u8; 32],
    /// Where the run path stands among the names of the dynamic section; empty if there is none.
    run_path: Range<u64>,
}

impl Seal {
    /// The seal of an executable and these sections of Labrys, as they are now. `None` if the file
    /// is no whole ELF file.
    pub(super) fn of(file: &[u8], sections: &[(&str, Option<&[u8]>)]) -> Option<Self> {
        let run_path = Image::read(file)?.run_path().unwrap_or(0..0);
        Self::without(run_path, file, sections)
    }

    /// Whether the executable and these sections are as they were when it was sealed.
    pub(super) fn fits(&self, file: &[u8], sections: &[(&str, Option<&[u8]>)]) -> bool {
        Self::without(self.run_path.clone(), file, sections).as_ref() == Some(self)
    }

    fn without(
        run_path: Range<u64>,
        file: &[u8],
        sections: &[(&str, Option<&[u8]>)],
    ) -> Option<Self> {
        let mut hash = Sha256::new();
        hash.update(run_path.start.to_le_bytes());
        hash.update(run_path.end.to_le_bytes());
        Image::read(file)?.hash(&run_path, &mut hash)?;
        for (name, bytes) in sections {
            let Some(bytes) = bytes else { continue };
            hash.update(name);
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
        let sum = hash.finalize().into();
        Some(Seal { sum, run_path })
    }

    /// As it is kept.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let (start, end) = (self.run_path.start, self.run_path.end);
        [&self.sum[..], &start.to_le_bytes(), &end.to_le_bytes()].concat()
    }

    /// From what was kept.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; SIZE] = bytes.try_into().ok()?;
        let word = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        Some(Seal {
            sum: *bytes.first_chunk()?,
            run_path: word(32)?..word(40)?,
        })
    }
}

/// An executable as the loader sees it.
struct Image<'a> {
    file: &'a [u8],
    header: &'a FileHeader64<Little>,
    segments: &'a [ProgramHeader64<Little>],
    table: SectionTable,
}

impl<'a> Image<'a> {
    fn read(file: &'a [u8]) -> Option<Self> {
        let header = FileHeader64::<Little>::parse(file).ok()?;
        Some(Image {
            file,
            header,
            segments: header.program_headers(Little, file).ok()?,
            table: SectionTable::read(file)?,
        })
    }

    fn hash(&self, run_path: &Range<u64>, hash: &mut Sha256) -> Option<()> {
        let header = self.header;
        hash.update(header.e_type.get(Little).to_le_bytes());
        hash.update(header.e_machine.get(Little).to_le_bytes());
        hash.update(header.e_entry.get(Little).to_le_bytes());
        for segment in self.segments {
            let words = [
                u64::from(segment.p_type.get(Little)),
                u64::from(segment.p_flags.get(Little)),
                segment.p_vaddr.get(Little),
                segment.p_filesz.get(Little),
                segment.p_memsz.get(Little),
                segment.p_align.get(Little),
                u64::from(self.is_in_place(segment)),
            ];
            words
                .iter()
                .for_each(|word| hash.update(word.to_le_bytes()));
        }
        let dynamic = self.dynamic();
        let names = dynamic.and_then(|index| self.table.link(index));
        for index in 1..self.table.count() {
            let (flags, kind) = self.table.flags_and_kind(index);
            if flags & u64::from(SHF_ALLOC) == 0 || kind == SHT_NOBITS {
                continue;
            }
            let bytes = self.mapped(index)?;
            hash.update(self.table.address(index).to_le_bytes());
            if Some(index) == dynamic {
                entries(bytes)?
                    .filter(|entry| !is_run_path(entry))
                    .for_each(|entry| hash.update(object::pod::bytes_of(entry)));
            } else if Some(index) == names {
                let start = usize::try_from(run_path.start).ok()?;
                let end = usize::try_from(run_path.end).ok()?;
                hash.update(bytes.get(..start)?);
                hash.update(bytes.get(end..)?);
            } else {
                hash.update(bytes);
            }
        }
        Some(())
    }

    fn dynamic(&self) -> Option<usize> {
        (1..self.table.count()).find(|&index| self.table.flags_and_kind(index).1 == SHT_DYNAMIC)
    }

    /// Where the names of the dynamic section hold the run path.
    fn run_path(&self) -> Option<Range<u64>> {
        let dynamic = self.dynamic()?;
        let entry = entries(self.mapped(dynamic)?)?.find(|entry| is_run_path(entry))?;
        let start = entry.d_val.get(Little);
        let names = self.mapped(self.table.link(dynamic)?)?;
        let rest = names.get(usize::try_from(start).ok()?..)?;
        let length = rest.iter().position(|&byte| byte == 0)?;
        Some(start..start + length as u64)
    }

    /// Whether a segment lies in the file where its addresses are mapped from: the system reads
    /// some by the one, some by the other.
    fn is_in_place(&self, segment: &ProgramHeader64<Little>) -> bool {
        let address = segment.p_vaddr.get(Little);
        let place = self.place(address, segment.p_filesz.get(Little));
        place.is_some_and(|place| place == segment.p_offset.get(Little))
    }

    /// The bytes of a section as they are mapped.
    fn mapped(&self, index: usize) -> Option<&'a [u8]> {
        let size = self.table.size(index);
        let start = self.place(self.table.address(index), size)?;
        let end = usize::try_from(start.checked_add(size)?).ok()?;
        self.file.get(usize::try_from(start).ok()?..end)
    }

    /// Where in the file so many bytes at an address are mapped from.
    fn place(&self, address: u64, size: u64) -> Option<u64> {
        let segment = self.segments.iter().find(|segment| {
            let start = segment.p_vaddr.get(Little);
            let inside = address.checked_sub(start);
            let end = inside.and_then(|inside| inside.checked_add(size));
            segment.p_type.get(Little) == PT_LOAD
                && end.is_some_and(|end| end <= segment.p_filesz.get(Little))
        })?;
        let inside = address - segment.p_vaddr.get(Little);
        segment.p_offset.get(Little).checked_add(inside)
    }
}

/// The entries of a dynamic section.
fn entries(bytes: &[u8]) -> Option<impl Iterator<Item = &Dyn64<Little>>> {
    let entries = slice_from_all_bytes::<Dyn64<Little>>(bytes).ok()?;
    let is_entry = |entry: &&Dyn64<Little>| entry.d_tag.get(Little) != u64::from(DT_NULL);
    Some(entries.iter().take_while(is_entry))
}

fn is_run_path(entry: &Dyn64<Little>) -> bool {
    let tag = entry.d_tag.get(Little);
    tag == u64::from(DT_RPATH) || tag == u64::from(DT_RUNPATH)
}
