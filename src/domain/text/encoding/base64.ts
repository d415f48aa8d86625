/**
 * Bytes of base64 (with padding) or base64url (without); `null` unless the text is exactly the
 * encoding of those bytes. Node's decoder alone passes over characters that are not in the
 * alphabet, so that many texts would mean the same bytes.
 */
export function decodeBase64(text: string, form: 'base64' | 'base64url' = 'base64'): Buffer | null {
  const bytes = Buffer.from(text, form)
  return bytes.toString(form) === text ? bytes : null
}
