import { withCapital } from '../text/readable-name.ts'
import { fieldName } from './value-text.ts'

/** A title of words; `null` for one with signs that the text of a field uses. */
export function readableTitle(title: string | null): string | null {
  return title !== null && /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ()%.,'’/&+-]{0,79}$/u.test(title)
    ? title
    : null
}

/** Whether a name has only letters, digits and what joins words. */
export function isPlain(name: string): boolean {
  return /^[\p{L}_$][\p{L}\p{N}\p{M}_$-]{0,79}$/u.test(name)
}

/** A name as it stands, on one line: one that is not plain is quoted. */
export function exactName(name: string): string {
  return isPlain(name) ? name : JSON.stringify(name)
}

/** Whether a label of words leads back to a name: in snake case or in camel case. */
export function isSpelledBy(label: string, name: string): boolean {
  const words = label.toLowerCase().split(' ')
  const camel = words.map((word, index) => (index === 0 ? word : withCapital(word)))
  return !isPlain(name) || words.join('_') === name || camel.join('') === name
}

/** A plain name as words. */
export function nameAsWords(name: string): string {
  return (isPlain(name) && fieldName(name)) || exactName(name)
}
