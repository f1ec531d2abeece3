//! Archives of which no more is unpacked than the limits allow.

use std::io::{Cursor, ErrorKind, Read as _};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::{Limits, Unreadable};

/// An archive in memory.
pub(crate) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    limits: Limits,
    /// What may be unpacked yet.
    room: u64,
}

impl<'b> Archive<'b> {
    pub(crate) fn open(bytes: &'b [u8], limits: &Limits) -> Result<Self, Unreadable> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(unreadable)?;
        let limit = limits.max_unpacked_bytes;
        if zip.len() > limits.max_parts {
            return Err(Unreadable::TooMuchUnpacked { limit });
        }
        Ok(Self { zip, limits: *limits, room: limit })
    }

    /// Whether there is a part of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// The bytes of a part, if it is there.
    pub(crate) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, Unreadable> {
        let Some(index) = self.zip.index_for_name(name) else { return Ok(None) };
        self.at(index).map(Some)
    }

    /// The same for a part without which the document is none.
    pub(crate) fn needed(&mut self, name: &str) -> Result<Vec<u8>, Unreadable> {
        self.part(name)?.ok_or_else(|| Unreadable::damaged(format!("it lacks its part {name}")))
    }

    /// Unpacks every part once, for readers that unpack without a limit.
    pub(crate) fn measure(&mut self) -> Result<(), Unreadable> {
        (0..self.zip.len()).try_for_each(|index| self.at(index).map(drop))
    }

    fn at(&mut self, index: usize) -> Result<Vec<u8>, Unreadable> {
        let part = self.zip.by_index(index).map_err(unreadable)?;
        if part.encrypted() {
            return Err(Unreadable::Encrypted);
        }
        // The size that the archive states may be a lie: the bytes themselves are counted.
        let limit = self.limits.max_part_bytes.min(self.room);
        let mut bytes = Vec::new();
        part.take(limit + 1).read_to_end(&mut bytes).map_err(|error| {
            let is_memory = error.kind() == ErrorKind::OutOfMemory;
            if is_memory { Unreadable::TookTooMuchMemory } else { Unreadable::damaged(&error) }
        })?;
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if size > limit {
            return Err(Unreadable::TooMuchUnpacked { limit });
        }
        self.room -= size;
        Ok(bytes)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
fn unreadable(error: ZipError) -> Unreadable {
    let is_encrypted =
        matches!(error, ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword);
    if is_encrypted { Unreadable::Encrypted } else { Unreadable::damaged(&error) }
}
