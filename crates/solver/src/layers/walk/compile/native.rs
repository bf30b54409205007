//! Compiled code and how it is called: all `unsafe` of the walk is here.
//!
//! Safety rests on three facts. The code is made by [`emit`](super::emit) alone: it reads
//! `inputs` words at its first argument, writes two doubles for each atom at its second, calls
//! functions of the C library with the signature that the table of functions gives them, and
//! reads tables through [`read_table`]. The lengths are checked at every call. The memory is
//! freed when the last user is gone.

#![allow(unsafe_code)]

use cranelift_jit::JITModule;

/// A kernel: `(inputs, outputs)`.
type Kernel = unsafe extern "C" fn(*const u64, *mut f64);

/// Compiled kernels.
pub(crate) struct Native {
    /// Holds the memory; `None` only while it is dropped.
    module: Option<JITModule>,
    kernels: Vec<(Kernel, usize)>,
    inputs: usize,
    /// Read by the code.
    _tables: Vec<Box<[u8]>>,
}

impl Native {
    /// Kernels at these addresses of `module`, each with its number of atoms.
    pub(super) fn new(
        module: JITModule,
        kernels: &[(*const u8, usize)],
        inputs: usize,
        tables: Vec<Box<[u8]>>,
    ) -> Self {
        let kernel = |&(address, atoms): &(*const u8, usize)| {
            // SAFETY: the address is that of a finished function with this signature.
            let code = unsafe { std::mem::transmute::<*const u8, Kernel>(address) };
            (code, atoms)
        };
        Native {
            module: Some(module),
            kernels: kernels.iter().map(kernel).collect(),
            inputs,
            _tables: tables,
        }
    }

    /// Runs a kernel: difference and score of each of its atoms.
    ///
    /// # Panics
    /// If there are too few values or places for results.
    #[inline]
    pub(crate) fn run(&self, kernel: usize, values: &[u64], results: &mut [[f64; 2]]) {
        let (code, atoms) = self.kernels[kernel];
        assert!(values.len() >= self.inputs && results.len() >= atoms);
        // SAFETY: the code reads and writes no more than was checked above.
        unsafe { code(values.as_ptr(), results.as_mut_ptr().cast()) }
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the kernels' addresses die with `self`.
            unsafe { module.free_memory() }
        }
    }
}

/// `count` bytes of a table of `length` bytes, little-endian; 0 beyond the end.
pub(super) extern "C" fn read_table(table: *const u8, length: u64, index: u64, count: u64) -> u64 {
    let byte = |at: u64| {
        let offset = index.wrapping_add(at);
        if offset >= length {
            return 0;
        }
        // SAFETY: below the length of a table that the code's owner holds.
        u64::from(unsafe { *table.add(offset as usize) })
    };
    (0..count).fold(0, |word, at| word | byte(at) << (8 * at))
}
