//! What becomes of each kind of value.

use std::fmt::Display;

use serde::ser::{self, Impossible, Serialize};

use super::writer::{Unwritten, Writer, Written};

/// A list or an object that is being written.
pub(super) struct Compound<'w> {
    writer: &'w mut Writer,
    empty: bool,
    close: u8,
}

impl<'w> Compound<'w> {
    pub(super) fn new(writer: &'w mut Writer, close: u8) -> Self {
        Self { writer, empty: true, close }
    }

    fn comma(&mut self) {
        if !self.empty {
            self.writer.out.push(b',');
        }
        self.empty = false;
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.comma();
        value.serialize(&mut *self.writer)
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.writer.out.push(b':');
        value.serialize(&mut *self.writer)
    }

    fn close(self) -> Written {
        self.writer.out.push(self.close);
        Ok(())
    }
}

impl<'w> ser::Serializer for &'w mut Writer {
    type Ok = ();
    type Error = Unwritten;
    type SerializeSeq = Compound<'w>;
    type SerializeTuple = Compound<'w>;
    type SerializeTupleStruct = Impossible<(), Unwritten>;
    type SerializeTupleVariant = Impossible<(), Unwritten>;
    type SerializeMap = Compound<'w>;
    type SerializeStruct = Compound<'w>;
    type SerializeStructVariant = Impossible<(), Unwritten>;

    fn serialize_bool(self, v: bool) -> Written {
        self.raw(if v { b"true" } else { b"false" })
    }
    fn serialize_i8(self, v: i8) -> Written {
        self.number(v)
    }
    fn serialize_i16(self, v: i16) -> Written {
        self.number(v)
    }
    fn serialize_i32(self, v: i32) -> Written {
        self.number(v)
    }
    fn serialize_i64(self, v: i64) -> Written {
        self.number(v)
    }
    fn serialize_u8(self, v: u8) -> Written {
        self.number(v)
    }
    fn serialize_u16(self, v: u16) -> Written {
        self.number(v)
    }
    fn serialize_u32(self, v: u32) -> Written {
        self.number(v)
    }
    fn serialize_u64(self, v: u64) -> Written {
        self.number(v)
    }
    fn serialize_f32(self, v: f32) -> Written {
        self.float(v)
    }
    fn serialize_f64(self, v: f64) -> Written {
        self.float(v)
    }
    fn serialize_char(self, v: char) -> Written {
        self.serialize_str(v.encode_utf8(&mut [0; 4]))
    }
    fn serialize_str(self, v: &str) -> Written {
        self.text(v);
        Ok(())
    }
    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Written {
        self.shown(value)
    }
    fn serialize_bytes(self, _: &[u8]) -> Written {
        Err(Unwritten)
    }
    fn serialize_none(self) -> Written {
        self.serialize_unit()
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Written {
        self.raw(b"null")
    }
    fn serialize_unit_struct(self, _: &'static str) -> Written {
        self.serialize_unit()
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Written {
        self.serialize_str(variant)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Written {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Written {
        Err(Unwritten)
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'w>, Unwritten> {
        Ok(self.begin(b'[', b']'))
    }
    fn serialize_tuple(self, _: usize) -> Result<Compound<'w>, Unwritten> {
        Ok(self.begin(b'[', b']'))
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Unwritten> {
        Err(Unwritten)
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Unwritten> {
        Err(Unwritten)
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'w>, Unwritten> {
        Ok(self.begin(b'{', b'}'))
    }
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Compound<'w>, Unwritten> {
        // So serde_json passes to itself what is JSON already.
        if name.starts_with('$') { Err(Unwritten) } else { Ok(self.begin(b'{', b'}')) }
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Unwritten> {
        Err(Unwritten)
    }
}

impl ser::SerializeSeq for Compound<'_> {
    type Ok = ();
    type Error = Unwritten;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.element(value)
    }
    fn end(self) -> Written {
        self.close()
    }
}

impl ser::SerializeTuple for Compound<'_> {
    type Ok = ();
    type Error = Unwritten;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.element(value)
    }
    fn end(self) -> Written {
        self.close()
    }
}

impl ser::SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = Unwritten;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Written {
        self.comma();
        let at = self.writer.out.len();
        key.serialize(&mut *self.writer)?;
        // A number may be a key, between quotes.
        if self.writer.out.get(at) == Some(&b'"') { Ok(()) } else { Err(Unwritten) }
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.value(value)
    }
    fn end(self) -> Written {
        self.close()
    }
}

impl ser::SerializeStruct for Compound<'_> {
    type Ok = ();
    type Error = Unwritten;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.comma();
        self.writer.text(name);
        self.value(value)
    }
    fn end(self) -> Written {
        self.close()
    }
}
