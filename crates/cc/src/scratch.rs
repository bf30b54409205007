//! The folder of one build, made when it is first needed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use labrys_scratch::TemporaryFolder;

use crate::Error;

/// See the module. Clones are of the same folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch(Arc<Mutex<Option<TemporaryFolder>>>);

impl Scratch {
    /// Where it is.
    pub(crate) fn path(&self) -> Result<PathBuf, Error> {
        let mut folder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if folder.is_none() {
            let made = TemporaryFolder::new().map_err(|source| Error::Io {
                path: std::env::temp_dir(),
                source,
            });
            *folder = Some(made?);
        }
        let path = folder.as_ref().map(|folder| folder.path().to_path_buf());
        Ok(path.unwrap_or_default())
    }

    /// Removes it.
    pub(crate) fn clear(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
