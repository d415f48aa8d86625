const form = /^[^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,189}$/

/** Characters that nobody sees. */
const hidden = /[\p{C}\p{Default_Ignorable_Code_Point}]/u

/**
 * A person's address in lower case, which identifies them; `null` if the text is no valid address.
 * A text that only looks like another address, or becomes it in lower case (the kelvin sign `K`
 * becomes `k`), is not valid: otherwise two accounts could be one person, or one human two people.
 */
export function readEmailAddress(text: string): string | null {
  const isPlain = form.test(text) && !hidden.test(text) && text.normalize('NFKC') === text
  return isPlain ? text.toLowerCase() : null
}
