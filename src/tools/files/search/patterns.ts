import { RE2JS } from 're2js'
import { compileGlob } from '#policy/globs/compile-glob.ts'

/**
 * A search pattern in JavaScript's or RE2's notation. Throws, with the reason, for one that is
 * invalid in RE2.
 */
export function compilePattern(pattern: string): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(pattern))
}

/** Whether a path, relative to the searched folder, matches. Without a glob everything does. */
export function globMatcher(glob: string | undefined): (path: string) => boolean {
  if (glob === undefined) return () => true
  const compiled = compileGlob(glob, { byName: true })
  if (!compiled.ok) throw new TypeError(compiled.problem)
  return (path) => compiled.matches(path)
}
