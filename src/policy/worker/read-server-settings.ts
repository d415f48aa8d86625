import { findSecrets } from '../../domain/text/secrets.ts'
import { odd, readEntries, wrong, type Spot } from '../reading/spot.ts'
import { readText } from '../reading/values.ts'
import { isOwnVariable } from './own-variable.ts'

const names = {
  env: { pattern: /^[A-Za-z_][A-Za-z0-9_]*$/, what: 'a variable' },
  headers: { pattern: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, what: 'a header' },
} as const

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/**
 * Reads a server's `env` or `headers`. Secrets belong into the service's environment: one that is written out is pointed
 * out, and so is what looks like a reference and is none.
 */
export function readSettings(
  spot: Spot | null,
  kind: keyof typeof names,
): Readonly<Record<string, string>> {
  if (spot === null) return {}
  const { pattern, what } = names[kind]
  const pairs = readEntries(spot).map(([key, value]) => {
    if (!pattern.test(key)) wrong(value, `is not the name of ${what}`, 'correct the name')
    const text = readText(value) ?? ''
    checkReferences(value, text)
    if (looksSecret(key, text)) {
      odd(value, 'looks like a secret', 'write "${NAME}", and set NAME in .env or the environment')
    }
    return [key, text] as const
  })
  return Object.fromEntries(pairs)
}

function looksSecret(key: string, text: string): boolean {
  if (text.includes('${') || text.length < 8) return false
  return /(?:password|passwd|secret|token|key)$/i.test(key) || findSecrets(text).length > 0
}

function checkReferences(spot: Spot, text: string): void {
  const own = [...text.matchAll(reference)].map(([, name = '']) => name).find(isOwnVariable)
  if (own !== undefined) {
    wrong(spot, `names ${own}, which is the service's own`, 'no server is given it')
    return
  }
  const rest = text.replaceAll(reference, '')
  const stray = /\$\{[^}]*\}?|\$[A-Za-z_]\w*/.exec(rest)?.[0]
  if (stray === undefined) return
  odd(spot, `has "${stray}", which stands for itself`, 'write "${NAME}" for a variable')
}

/** A program is one word: nothing splits it. */
export function checkProgram(spot: Spot, program: string, args: readonly string[]): void {
  if (/\s/.test(program) && !program.includes('/')) {
    const remedy = 'write the program alone, and its arguments in `args`'
    odd(spot, `is one program called ${JSON.stringify(program)}`, remedy)
  }
  warnOfUnpinned(spot, program, args)
}

/** What a package runner fetches without a version may be something else tomorrow. */
function warnOfUnpinned(spot: Spot, command: string, args: readonly string[]): void {
  if (!['npx', 'pnpx', 'bunx', 'uvx'].includes(command)) return
  const name = args.find((argument) => !argument.startsWith('-'))
  if (name === undefined || /.@\d/.test(name) || /==\d/.test(name)) return
  const bare = name.replace(/(?<=.)@[^@/]*$/, '')
  odd(spot, `runs the package "${name}" without a version`, `pin it, like "${bare}@1.2.3"`)
}

/** What is sent to it should be read by nobody else. */
export function checkUrl(spot: Spot, url: string): void {
  const { protocol, hostname, username, password } = new URL(url)
  if (username !== '' || password !== '') {
    odd(spot, 'has a name or password in it', 'send them in `headers`, as "${NAME}"')
  }
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
  if (protocol === 'http:' && !isLocal) {
    odd(spot, 'is not encrypted: anybody in between reads and changes it', 'write https://')
  }
}
