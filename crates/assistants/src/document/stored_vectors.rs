//! The vectors of an uploaded document as they stand in the store: a header, then numbers of 32 bits, all little-endian, in pieces.

use std::sync::Arc;

use super::embedder::VectorModel;
use super::stored_passages::read_part;
use super::vectors::{DocumentVectors, TextsDigest};
use crate::store::{AssistantStore, DocumentKey, DocumentPart, MAX_PIECE_BYTES, StoreError};

/// The first bytes: a mark, and the version of the format.
const MARK: [u8; 4] = *b"CWV\x01";

/// The bytes of a number.
const NUMBER: usize = size_of::<f32>();

/// The vectors with a header that says what they were made of: name of the model, number of dimensions, digest of the texts.
fn encode(model: &VectorModel, texts: &TextsDigest, vectors: &DocumentVectors) -> Vec<u8> {
    let name = model.name.as_bytes();
    let mut bytes = Vec::with_capacity(64 + name.len() + vectors.rows.len() * NUMBER);
    bytes.extend(MARK);
    bytes.extend(u32::try_from(vectors.dimension).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(u32::try_from(name.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(name);
    bytes.extend(texts);
    bytes.extend(vectors.rows.iter().flat_map(|number| number.to_le_bytes()));
    bytes
}

/// The vectors, if this model has made them of these texts and there is one for each of `count` passages.
fn decode(bytes: &[u8], model: &VectorModel, texts: &TextsDigest, count: usize) -> Option<DocumentVectors> {
    let number = |bytes: &[u8; 4]| usize::try_from(u32::from_le_bytes(*bytes)).ok();
    let (mark, rest) = bytes.split_first_chunk()?;
    let (dimension, rest) = rest.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let dimension = number(dimension)?;
    let (name, rest) = rest.split_at_checked(number(length)?)?;
    let (digest, rest) = rest.split_first_chunk()?;
    let (numbers, odd) = rest.as_chunks::<NUMBER>();
    let is_same_model = name == model.name.as_bytes() && model.makes(dimension);
    let is_whole = odd.is_empty() && count.checked_mul(dimension) == Some(numbers.len());
    let rows = || numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect::<Arc<[f32]>>();
    (*mark == MARK && is_same_model && digest == texts && is_whole).then(|| DocumentVectors { dimension, rows: rows() })
}

/// Writes the vectors of a document in place of earlier ones. For a document that is gone, nothing is written.
pub(super) async fn write(
    store: &dyn AssistantStore,
    key: DocumentKey,
    model: &VectorModel,
    texts: &TextsDigest,
    vectors: &DocumentVectors,
) -> Result<(), StoreError> {
    store.clear_part(key, DocumentPart::Vectors).await?;
    for piece in encode(model, texts, vectors).chunks(MAX_PIECE_BYTES) {
        if !store.add_piece(key, DocumentPart::Vectors, piece.to_vec()).await? {
            return Ok(());
        }
    }
    Ok(())
}

/// Reads the vectors of a document; `None` where there are none, or those of another model or other texts.
pub(super) async fn read(
    store: &dyn AssistantStore,
    key: DocumentKey,
    model: &VectorModel,
    texts: &TextsDigest,
    count: usize,
) -> Result<Option<DocumentVectors>, StoreError> {
    let bytes = read_part(store, key, DocumentPart::Vectors).await?;
    Ok(decode(&bytes, model, texts, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_back_only_for_the_model_and_the_texts_they_were_made_of() {
        let (model, texts) = (VectorModel::new("bge-m3", None), [7; 32]);
        let vectors = DocumentVectors { dimension: 3, rows: Arc::from([0.6, 0.8, 0.0, -1.0, 0.0, 1e-9]) };
        let bytes = encode(&model, &texts, &vectors);
        assert_eq!(bytes.len(), 4 + 4 + 4 + 6 + 32 + 6 * 4);
        assert_eq!(decode(&bytes, &model, &texts, 2), Some(vectors.clone()));
        assert_eq!(decode(&bytes, &VectorModel::new("bge-m3", Some(3)), &texts, 2), Some(vectors));
        for (model, texts, count) in [
            (VectorModel::new("bge-m4", None), texts, 2),
            (VectorModel::new("bge-m3", Some(4)), texts, 2),
            (model.clone(), [8; 32], 2),
            (model.clone(), texts, 3),
        ] {
            assert_eq!(decode(&bytes, &model, &texts, count), None, "{model:?} {count}");
        }
        for cut in 0..bytes.len() {
            assert_eq!(decode(&bytes[..cut], &model, &texts, 2), None, "{cut}");
        }
        let mut other = bytes;
        other[3] = 2;
        assert_eq!(decode(&other, &model, &texts, 2), None, "of a later version");
    }
}
