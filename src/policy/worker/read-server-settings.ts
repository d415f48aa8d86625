import { findSecrets } from '#domain/text/secrets.ts'
import { warn, readEntries, wrong, type YamlField } from '../reading/yaml-field.ts'
import { readText } from '../reading/values.ts'

const names = {
  env: { pattern: /^[A-Za-z_][A-Za-z0-9_]*$/, what: 'a variable' },
  headers: { pattern: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, what: 'a header' },
} as const

/** `${NAME}` in a server's settings: a variable of the service's environment. */
export const variableReference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/**
 * Reads a server's `env` or `headers`. Secrets belong into the service's environment: a literal
 * secret gets a warning, and so does text that looks like a reference and is not one.
 */
export function readSettings(
  field: YamlField | null,
  kind: keyof typeof names,
): Readonly<Record<string, string>> {
  if (field === null) return {}
  const { pattern, what } = names[kind]
  const pairs = readEntries(field).map(([key, value]) => {
    if (!pattern.test(key)) wrong(value, `is not the name of ${what}`, 'correct the name')
    const text = readText(value) ?? ''
    checkReferences(value, text)
    if (looksSecret(key, text)) {
      warn(value, 'looks like a secret', 'write "${NAME}", and set NAME in .env or the environment')
    }
    return [key, text] as const
  })
  return Object.fromEntries(pairs)
}

function looksSecret(key: string, text: string): boolean {
  if (text.includes('${') || text.length < 8) return false
  return /(?:password|passwd|secret|token|key)$/i.test(key) || findSecrets(text).length > 0
}

function checkReferences(field: YamlField, text: string): void {
  const own = [...text.matchAll(variableReference)].map(([, name = '']) => name).find(isOwnVariable)
  if (own !== undefined) {
    wrong(field, `names ${own}, which is the service's own`, 'no server is given it')
    return
  }
  const rest = text.replaceAll(variableReference, '')
  const stray = /\$\{[^}]*\}?|\$[A-Za-z_]\w*/.exec(rest)?.[0]
  if (stray === undefined) return
  warn(field, `has "${stray}", which stands for itself`, 'write "${NAME}" for a variable')
}

/** A program is one word: nothing splits it. */
export function checkProgram(field: YamlField, program: string, args: readonly string[]): void {
  if (/\s/.test(program) && !program.includes('/')) {
    const remedy = 'write the program alone, and its arguments in `args`'
    warn(field, `is one program called ${JSON.stringify(program)}`, remedy)
  }
  warnOfUnpinned(field, program, args)
}

/** A package runner without a version may fetch another one tomorrow. */
function warnOfUnpinned(field: YamlField, command: string, args: readonly string[]): void {
  if (!['npx', 'pnpx', 'bunx', 'uvx'].includes(command)) return
  const name = args.find((argument) => !argument.startsWith('-'))
  if (name === undefined || /.@\d/.test(name) || /==\d/.test(name)) return
  const bare = name.replace(/(?<=.)@[^@/]*$/, '')
  warn(field, `runs the package "${name}" without a version`, `pin it, like "${bare}@1.2.3"`)
}

/** Warns of a connection that others can read. */
export function checkUrl(field: YamlField, url: string): void {
  const { protocol, hostname, username, password } = new URL(url)
  if (username !== '' || password !== '') {
    warn(field, 'has a name or password in it', 'send them in `headers`, as "${NAME}"')
  }
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
  if (protocol === 'http:' && !isLocal) {
    warn(field, 'is not encrypted: anybody in between reads and changes it', 'write https://')
  }
}

/** Whether a variable is a setting or secret of the service, which no MCP server may get. */
export function isOwnVariable(name: string): boolean {
  return /^(COUNTERSIGN_|TEMPORAL_|PG|DATABASE_URL$)/.test(name)
}
