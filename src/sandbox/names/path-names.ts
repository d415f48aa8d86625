import { limits } from '#domain/limits.ts'

/** A path in its one canonical spelling, or a sentence that says why it is refused. */
export type ParsedPath =
  | { readonly ok: true; readonly path: string; readonly components: readonly string[] }
  | { readonly ok: false; readonly problem: string }

/**
 * Control, format, private-use and ignorable characters, separators and every space but U+0020: a
 * reader could overlook them.
 */
const unseen =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u3164\uFFA0]|(?! )\p{Zs}/u

/**
 * The canonical form of a path relative to the workspace root (security.md 11): `/`-separated, `''`
 * for the root; one leading `./` and one trailing `/` are dropped. Pure; it does not read the disk.
 */
export function parsePath(text: string): ParsedPath {
  const refuse = (problem: string): ParsedPath => ({ ok: false, problem })
  if (text === '' || text === '.' || text === './') return { ok: true, path: '', components: [] }
  if (Buffer.byteLength(text) > limits.pathBytes) {
    return refuse(`The path is longer than ${limits.pathBytes} bytes.`)
  }
  if (text.startsWith('/')) {
    return refuse(`${quotePath(text)} is absolute; paths are relative to the workspace root.`)
  }
  const components = text.replace(/^\.\//, '').replace(/\/$/, '').split('/')
  if (components.length > limits.pathComponents) {
    return refuse(`The path has more than ${limits.pathComponents} components.`)
  }
  for (const component of components) {
    const problem = nameProblem(component)
    if (problem !== null) return refuse(`${quotePath(text)} is refused: ${problem}.`)
  }
  return { ok: true, path: components.join('/'), components }
}

/** Why one component is refused, or `null`. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'it has an empty component'
  if (name === '.') return 'it has a "." component'
  if (name === '..') return '".." is not allowed'
  if (!name.isWellFormed()) return 'it is not well-formed Unicode'
  const hidden = unseen.exec(name)
  if (hidden !== null) {
    return `it has the control or invisible character ${codePoint(hidden[0])}`
  }
  if (name.includes('\\')) return 'it has a back-slash'
  if (name.endsWith('.')) return 'a component ends in a dot'
  if (name.endsWith(' ')) return 'a component ends in a space'
  if (name.normalize('NFC') !== name) return 'it is not in Unicode normal form C'
  if (Buffer.byteLength(name) > limits.componentBytes) {
    return `a component is longer than ${limits.componentBytes} bytes`
  }
  return null
}

/** The common form of names that a person, or a file system that ignores case, could confuse. */
export function foldPathName(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** JSON escapes control characters; other invisible characters are written as code points. */
function quotePath(text: string): string {
  const preview = text.length > 200 ? `${text.slice(0, 200)}…` : text
  return JSON.stringify(preview).replace(new RegExp(unseen.source, 'gu'), codePoint)
}
