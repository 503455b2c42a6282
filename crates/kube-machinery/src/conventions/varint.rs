//! Variable-length integers with seven bits in each byte (LEB128), which protobuf calls varints.

pub(crate) fn write(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// Reads a number from the front of `rest`, and advances it.
///
/// # Errors
/// Go's protobuf message, if there is no complete number.
pub(crate) fn read(rest: &mut &[u8]) -> Result<u64, &'static str> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first().ok_or("unexpected EOF")?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err("proto: integer overflow")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_survives_writing_and_reading() {
        for number in [0, 1, 127, 128, 16_383, 16_384, u64::MAX] {
            let mut bytes = Vec::new();
            write(&mut bytes, number);
            assert_eq!(bytes.len(), (u64::BITS - number.leading_zeros()).div_ceil(7).max(1) as usize);
            bytes.push(7);
            let mut rest = bytes.as_slice();
            assert_eq!((read(&mut rest), rest), (Ok(number), &[7][..]));
        }
        assert_eq!(read(&mut &[0x80][..]), Err("unexpected EOF"));
        assert_eq!(read(&mut &[0xff; 10][..]), Err("proto: integer overflow"));
    }
}
