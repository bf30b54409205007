//! Changes to the section table of a 64-bit little-endian ELF file.
//!
//! Only bytes after the end of the file are added and the file header is pointed to them, so
//! segments, offsets and what the loader sees stay as they were.

use object::elf::{
    DT_NEEDED, FileHeader64, SHN_LORESERVE, SHT_NULL, SHT_PROGBITS, SectionHeader64,
};
use object::pod::bytes_of;
use object::read::elf::{Dyn, FileHeader};
use object::{LittleEndian as Little, U16, U32, U64};

type Header = FileHeader64<Little>;
type Section = SectionHeader64<Little>;

/// Names of the shared libraries that a file asks for; none if it is damaged.
pub(crate) fn needed(file: &[u8]) -> Vec<String> {
    let found = || {
        let header = Header::parse(file).ok()?;
        let endian = header.endian().ok()?;
        let sections = header.sections(endian, file).ok()?;
        let (dynamic, link) = sections.dynamic(endian, file).ok()??;
        let strings = sections.strings(endian, file, link).ok()?;
        let needed = dynamic
            .iter()
            .filter(|entry| entry.d_tag(endian) == u64::from(DT_NEEDED));
        let names = needed.filter_map(|entry| entry.string(endian, strings).ok());
        Some(
            names
                .map(|name| String::from_utf8_lossy(name).into_owned())
                .collect(),
        )
    };
    found().unwrap_or_default()
}

/// Where new tables start: a multiple of this.
const ALIGNMENT: usize = 16;

/// The sections of an ELF file, ready to be changed.
#[derive(Debug)]
pub(crate) struct SectionTable {
    sections: Vec<Section>,
    names: Vec<u8>,
    name_section: usize,
}

impl SectionTable {
    /// Reads the table; `None` if this is no 64-bit little-endian ELF file with sections.
    pub(crate) fn read(file: &[u8]) -> Option<Self> {
        let header = Header::parse(file).ok()?;
        let endian = header.endian().ok()?;
        let sections = header.section_headers(endian, file).ok()?;
        let name_section = header.shstrndx(endian, file).unwrap_or(0) as usize;
        let names = match sections.get(name_section) {
            Some(section) => range(file, section)?.to_vec(),
            None => vec![0],
        };
        Some(SectionTable {
            sections: sections.to_vec(),
            names,
            name_section,
        })
    }

    /// Index of the section of this name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        (1..self.sections.len()).find(|&index| self.name(index) == name.as_bytes())
    }

    /// Bytes of a section.
    pub(crate) fn bytes<'a>(&self, file: &'a [u8], index: usize) -> Option<&'a [u8]> {
        range(file, &self.sections[index])
    }

    /// The number of sections, the empty first one too.
    pub(crate) fn count(&self) -> usize {
        self.sections.len()
    }

    /// Flags and type of a section.
    pub(crate) fn flags_and_kind(&self, index: usize) -> (u64, u32) {
        let section = &self.sections[index];
        (section.sh_flags.get(Little), section.sh_type.get(Little))
    }

    /// Where a section is mapped.
    pub(crate) fn address(&self, index: usize) -> u64 {
        self.sections[index].sh_addr.get(Little)
    }

    /// The size of a section in bytes.
    pub(crate) fn size(&self, index: usize) -> u64 {
        self.sections[index].sh_size.get(Little)
    }

    /// The section that a section refers to, such as that of its names.
    pub(crate) fn link(&self, index: usize) -> Option<usize> {
        let link = self.sections[index].sh_link.get(Little) as usize;
        (1..self.sections.len()).contains(&link).then_some(link)
    }

    /// Whether a section has a name that begins with this.
    pub(crate) fn has_prefix(&self, prefix: &str) -> bool {
        (1..self.sections.len()).any(|index| self.name(index).starts_with(prefix.as_bytes()))
    }

    /// Gives a section another name, type and flags.
    pub(crate) fn retag(&mut self, index: usize, name: &str, kind: u32, flags: u64) {
        let name = self.add_name(name);
        let section = &mut self.sections[index];
        section.sh_name = U32::new(Little, name);
        section.sh_type = U32::new(Little, kind);
        section.sh_flags = U64::new(Little, flags);
    }

    /// Sets the flags of a section.
    pub(crate) fn set_flags(&mut self, index: usize, flags: u64) {
        self.sections[index].sh_flags = U64::new(Little, flags);
    }

    /// Appends a section that is not loaded at run time. The file must be completed by [`SectionTable::append_to`] afterwards.
    pub(crate) fn add(&mut self, file: &mut Vec<u8>, name: &str, bytes: &[u8]) {
        if self.sections.is_empty() {
            self.sections.push(section(0, SHT_NULL, 0, 0));
        }
        align(file);
        let name = self.add_name(name);
        self.sections
            .push(section(name, SHT_PROGBITS, file.len(), bytes.len()));
        file.extend_from_slice(bytes);
    }

    /// Writes names and headers after the end of the file and returns the header that makes
    /// them valid, to be written over the file's first bytes.
    pub(crate) fn append_to(mut self, file: &mut Vec<u8>) -> Option<Vec<u8>> {
        if self.name_section == 0 {
            let name = self.add_name(".shstrtab");
            self.name_section = self.sections.len();
            self.sections
                .push(section(name, object::elf::SHT_STRTAB, 0, 0));
        }
        align(file);
        let names = &mut self.sections[self.name_section];
        names.sh_offset = U64::new(Little, file.len() as u64);
        names.sh_size = U64::new(Little, self.names.len() as u64);
        file.extend_from_slice(&self.names);
        align(file);
        let start = file.len() as u64;
        let (count, name_index) = self.extended_counts();
        for section in &self.sections {
            file.extend_from_slice(bytes_of(section));
        }
        let mut header: Header = *Header::parse(&**file).ok()?;
        header.e_shoff = U64::new(Little, start);
        header.e_shentsize = U16::new(Little, size_of::<Section>() as u16);
        header.e_shnum = U16::new(Little, count);
        header.e_shstrndx = U16::new(Little, name_index);
        Some(bytes_of(&header).to_vec())
    }

    /// The counts of the file header; large ones are kept in the first section instead.
    fn extended_counts(&mut self) -> (u16, u16) {
        let (count, names) = (self.sections.len(), self.name_section);
        let first = &mut self.sections[0];
        let short_count = u16::try_from(count)
            .ok()
            .filter(|&count| count < SHN_LORESERVE);
        let short_names = u16::try_from(names)
            .ok()
            .filter(|&names| names < SHN_LORESERVE);
        let size = if short_count.is_some() {
            0
        } else {
            count as u64
        };
        first.sh_size = U64::new(Little, size);
        first.sh_link = U32::new(
            Little,
            if short_names.is_some() {
                0
            } else {
                names as u32
            },
        );
        (
            short_count.unwrap_or(0),
            short_names.unwrap_or(object::elf::SHN_XINDEX),
        )
    }

    fn name(&self, index: usize) -> &[u8] {
        let start = self.sections[index].sh_name.get(Little) as usize;
        let rest = self.names.get(start..).unwrap_or_default();
        rest.split(|&byte| byte == 0).next().unwrap_or_default()
    }

    fn add_name(&mut self, name: &str) -> u32 {
        let start = self.names.len() as u32;
        self.names.extend_from_slice(name.as_bytes());
        self.names.push(0);
        start
    }
}

/// The type of a 64-bit little-endian ELF file for this machine, whatever else is wrong with it.
pub(crate) fn machine_kind(file: &[u8]) -> Option<u16> {
    let header = Header::parse(file).ok()?;
    let ours = header.e_machine.get(Little) == object::elf::EM_X86_64;
    ours.then(|| header.e_type.get(Little))
}

fn range<'a>(file: &'a [u8], section: &Section) -> Option<&'a [u8]> {
    let start = usize::try_from(section.sh_offset.get(Little)).ok()?;
    let size = usize::try_from(section.sh_size.get(Little)).ok()?;
    file.get(start..start.checked_add(size)?)
}

fn section(name: u32, kind: u32, offset: usize, size: usize) -> Section {
    let zero = U64::new(Little, 0);
    SectionHeader64 {
        sh_name: U32::new(Little, name),
        sh_type: U32::new(Little, kind),
        sh_flags: zero,
        sh_addr: zero,
        sh_offset: U64::new(Little, offset as u64),
        sh_size: U64::new(Little, size as u64),
        sh_link: U32::new(Little, 0),
        sh_info: U32::new(Little, 0),
        sh_addralign: U64::new(Little, u64::from(kind != SHT_NULL)),
        sh_entsize: zero,
    }
}

fn align(file: &mut Vec<u8>) {
    file.resize(file.len().next_multiple_of(ALIGNMENT), 0);
}
