//! Archives of which no more is unpacked than the limits allow.

use std::borrow::Cow;
use std::io::{Cursor, ErrorKind, Read as _, Write as _};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::{Limits, Unreadable};

/// An archive in memory.
pub(crate) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    limits: Limits,
    /// The bytes that may still be unpacked, over all parts.
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

    /// The names of all parts.
    pub(crate) fn names(&self) -> Vec<String> {
        self.zip.file_names().flatten().map(Cow::into_owned).collect()
    }

    /// The bytes of a part, if it is there.
    pub(crate) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, Unreadable> {
        let Some(index) = self.zip.index_for_name(name) else { return Ok(None) };
        self.at(index).map(Some)
    }

    /// The bytes of a part that every document of the format has. Without it the file is damaged.
    pub(crate) fn needed(&mut self, name: &str) -> Result<Vec<u8>, Unreadable> {
        self.part(name)?.ok_or_else(|| Unreadable::damaged(format!("it lacks its part {name}")))
    }

    /// Unpacks every part once, for readers that unpack without a limit.
    pub(crate) fn measure(&mut self) -> Result<(), Unreadable> {
        (0..self.zip.len()).try_for_each(|index| self.at(index).map(drop))
    }

    /// A copy of the archive with `change` applied to each part. The parts are stored unpacked: the copy is only read.
    pub(crate) fn rewritten(&mut self, change: impl Fn(&str, Vec<u8>) -> Vec<u8>) -> Result<Vec<u8>, Unreadable> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for index in 0..self.zip.len() {
            let name = self.zip.by_index(index).and_then(|part| Ok(part.name()?.into_owned())).map_err(unreadable)?;
            let bytes = change(&name, self.at(index)?);
            writer.start_file(name, stored).map_err(unreadable)?;
            writer.write_all(&bytes).map_err(Unreadable::damaged)?;
        }
        Ok(writer.finish().map_err(unreadable)?.into_inner())
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
