//! Decodes members' names.

use std::borrow::Cow;

/// Upper half of code page 437.
const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
                     └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// UTF-8 where declared and valid, else code page 437, in which every byte is a character.
pub(super) fn decode(name: &[u8], utf8: bool) -> Cow<'_, str> {
    match std::str::from_utf8(name) {
        Ok(text) if utf8 || name.is_ascii() => Cow::Borrowed(text),
        _ => {
            let upper: Vec<char> = CP437.chars().collect();
            let decoded = name.iter().map(|&byte| match byte.checked_sub(0x80) {
                None => char::from(byte),
                Some(i) => upper.get(usize::from(i)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
            });
            Cow::Owned(decoded.collect())
        }
    }
}
