import { RE2JS } from 're2js'
import { errorMessage } from '#domain/error-message.ts'
import { globSource } from './glob-source.ts'

/** A compiled glob: its match function, or a sentence that says why it is invalid. */
export type CompiledGlob =
  | { readonly ok: true; matches(text: string): boolean }
  | { readonly ok: false; readonly problem: string }

/**
 * Compiles a glob over paths with `/`. Matching takes time proportional to the length of the text,
 * whatever the glob (security.md 27), since RE2 does not backtrack. Names that begin with a dot
 * match too, a leading `!` inverts the glob, and with `byName` a glob without `/` matches the last
 * name of the path.
 * @example compileGlob('docs/**' + '/*.{md,mdx}', { byName: false })
 */
export function compileGlob(glob: string, options: { readonly byName: boolean }): CompiledGlob {
  const bare = /^(?:!(?!\())*/.exec(glob)?.[0].length ?? 0
  const body = glob.slice(bare).replace(/^(?:\.\/)+/, '')
  const turned = bare % 2 === 1
  const source = globSource(body)
  if (!source.ok) return source
  const name = options.byName && !body.includes('/')
  let expression: RE2JS
  try {
    expression = RE2JS.compile(source.source)
  } catch (error) {
    return { ok: false, problem: errorMessage(error) }
  }
  return {
    ok: true,
    matches(text) {
      const subject = name ? text.slice(text.lastIndexOf('/') + 1) : text
      return text !== '' && expression.testExact(subject) !== turned
    },
  }
}

/** The folder of all that a glob can match: its first names without special characters. */
export function globBase(glob: string): { readonly base: string; readonly rest: string } {
  if (/^!(?!\()/.test(glob)) return { base: '', rest: glob }
  const names = glob.replace(/^(?:\.\/)+/, '').split('/')
  const signs = names.findIndex((name) => /[*?[\]{}()\\]/.test(name))
  const plain = signs === -1 ? names.length : signs
  return { base: names.slice(0, plain).join('/'), rest: names.slice(plain).join('/') }
}
