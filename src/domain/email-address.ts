const form = /^[^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,189}$/

/** Characters that nobody sees. */
const hidden = /[\p{C}\p{Default_Ignorable_Code_Point}]/u

/**
 * The address of a person in lower case, by which they are recognised; `null` when it is none. An
 * address that only looks like another one, or becomes it in lower case (`K`, the sign for kelvin,
 * becomes `k`), is none: two accounts would be one person, or one human two people.
 */
export function readEmailAddress(text: string): string | null {
  const isPlain = form.test(text) && !hidden.test(text) && text.normalize('NFKC') === text
  return isPlain ? text.toLowerCase() : null
}
