import { limits } from '#domain/limits.ts'

/**
 * The canonical form of a path that a project file names: components joined by `/`, `''` for the
 * folder itself. `null` when it is absolute, leaves the folder, or holds characters no path should.
 */
export function canonicalRelative(text: string): string | null {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f\\]/.test(text) || text.startsWith('/') || /^[A-Za-z]:/.test(text)) {
    return null
  }
  if (text !== text.normalize('NFC') || Buffer.byteLength(text) > limits.pathBytes) return null
  const components = text.split('/').filter((component) => component !== '' && component !== '.')
  return components.includes('..') ? null : components.join('/')
}
