/** One value in a text with the form of a known secret. Positions in UTF-16 units. */
export interface FoundSecret {
  readonly start: number
  readonly end: number
  /** kind of secret: `GitHub token` */
  readonly kind: string
}

/**
 * A prefix, `min` to `max` characters of a class, then `end`. Before the mark of a cut text, fewer
 * characters match too, so that half of a value is not shown.
 */
function token(prefix: string, characters: string, min: number, max: number, end = ''): string {
  return `\\b${prefix}(?:${characters}{${min},${max}}${end}|${characters}{1,${min - 1}}(?=…))`
}

const alphanumeric = '[A-Za-z0-9]'
const wordlike = '[A-Za-z0-9_-]'

type Form = readonly [kind: string, pattern: RegExp]

/**
 * Known forms, also of values that are cut, with a mark. The first group, if there is one, is the
 * value itself. Each pattern is linear: bounded repetitions of one class, no nesting.
 */
const formsOfExcerpts: readonly Form[] = [
  [
    'private key',
    // Its last line may be missing: a text may be cut before it is masked.
    /-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY-----([A-Za-z0-9+/=\s\\]{1,20000})(?:-----END (?:[A-Z]{1,20} ){0,3}PRIVATE KEY-----|(?:-[- A-Z]{0,80})?(?:…|$))/g,
  ],
  ['Countersign API key', patternOf(token('cs_[0-9a-f]{16}_', wordlike, 43, 43))],
  ['AWS access key', patternOf(token('(?:AKIA|ASIA|AGPA|AIDA|AROA)', '[A-Z0-9]', 16, 16, '\\b'))],
  [
    'GitHub token',
    patternOf(
      token('gh[pousr]_', alphanumeric, 36, 251, '\\b'),
      token('github_pat_', '[A-Za-z0-9_]', 22, 251, '\\b'),
    ),
  ],
  ['GitLab token', patternOf(token('glpat-', wordlike, 20, 64))],
  ['Slack token', patternOf(token('xox[abeoprs]-', '[A-Za-z0-9-]', 10, 250))],
  [
    'Slack webhook',
    /\bhttps:\/\/hooks\.slack\.com\/services\/([A-Za-z0-9/]{20,120}|[A-Za-z0-9/]{1,19}(?=…))/g,
  ],
  ['Anthropic key', patternOf(token('sk-ant-', wordlike, 20, 250))],
  ['OpenAI key', patternOf(token('sk-(?!ant-)(?:proj-|svcacct-|admin-)?', wordlike, 20, 250))],
  ['Google key', patternOf(token('AIza', wordlike, 35, 35, `(?!${wordlike})`))],
  ['Stripe key', patternOf(token('[sr]k_(?:live|test)_', alphanumeric, 16, 250, '\\b'))],
  ['npm token', patternOf(token('npm_', alphanumeric, 36, 36, '\\b'))],
  [
    'SendGrid key',
    /\bSG\.(?:[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}|[A-Za-z0-9_-]{1,32}(?:\.[A-Za-z0-9_-]{0,31})?(?=…))/g,
  ],
  ['Hugging Face token', patternOf(token('hf_', alphanumeric, 30, 64, '\\b'))],
  [
    'JSON web token',
    // A token matches only where a sequence of its characters begins: a search from each `eyJ` of a
    // long sequence would take quadratic time.
    /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4000}\.(?:eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,1000}|[A-Za-z0-9_-]{1,4000}(?:\.[A-Za-z0-9_-]{0,7})?(?=…))/g,
  ],
  [
    'password in an address',
    /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/'"]{0,100}:([^\s@/'"]{3,200})(?:@|(?=…))/gi,
  ],
  ['bearer token', /\bBearer\s{1,3}([A-Za-z0-9._~+/-]{20,2000}=*|[A-Za-z0-9._~+/-]{1,19}(?=…))/gi],
  [
    'named secret',
    // Names as in code, and as titles of fields for people: `accessToken`, `Access token`.
    /(?:password|passwd|passphrase|secret|(?:api|access|private|secret|signing|encryption|account)[ _-]?key|(?:api|auth|access|bearer|client|refresh|secret|session)[ _-]?token)["']?\s{0,3}[:=]\s{0,3}["']?([^\s"',;{}()<>[\]$]{8,200}|[^\s"',;{}()<>[\]$…]{1,7}(?=…))/gi,
  ],
]

/** The forms of whole values: `(?!)` matches nowhere, as a cut does in a whole text. */
const forms = formsOfExcerpts.map(([kind, { source, flags }]): Form => [
  kind,
  new RegExp(source.replaceAll('(?=…)', '(?!)'), flags),
])

function patternOf(...alternatives: readonly string[]): RegExp {
  return new RegExp(alternatives.join('|'), 'g')
}

/** The names of the known forms. */
export const secretKinds: readonly string[] = [...new Set(forms.map(([kind]) => kind))]

/** Characters that end or change a word in a shell: what follows is not part of a value. */
const shellActive = /[\s;&|<>()$`"'*?[\]{}#!\\^]/

/** Base64 that no other character of a word or path touches. */
const base64 = /(?<![\w+/=.-])[A-Za-z0-9+/]{12,}={0,2}(?!\.?[\w+/=-])/g

/**
 * Whether letters of both cases and digits take turns as in random bytes, where six of ten
 * characters differ in that from the next one. In the words of most paths it is one of ten; a path
 * of short words with capitals and digits may look random, and is covered as a whole.
 */
function isRandom(run: string): boolean {
  const characters = run.replaceAll(/[+/=]/g, '')
  const turns = characters.match(/[a-z](?![a-z])|[A-Z](?![A-Z])|\d(?!\d)/g)?.length ?? 0
  return turns * 4 > characters.length
}

/**
 * The parts of a value that a mask may cover: letters, digits and characters without a meaning to a
 * shell, an address or a path, so that it cannot hide a command (security.md 20). What looks like
 * base64 of random bytes is covered as a whole, since a part between two slashes is a part of the
 * secret.
 */
function maskable(kind: string, value: string): Range[] {
  const isKey = kind === 'private key'
  const end = isKey ? -1 : value.search(shellActive)
  const text = end < 0 ? value : value.slice(0, end)
  if (text.length < 3) return []
  // A value with a slash may be a path, the lines of a key may be words.
  const minCharacters = isKey ? 12 : text.includes('/') ? 8 : 3
  const runs = text.matchAll(isKey ? /[A-Za-z0-9+=]+/g : /[\w+=-]+(?:\.[\w+=-]+)*/g)
  const parts = [...runs].filter(([run]) => run.length >= minCharacters).map(rangeOf)
  // The slashes of a web hook are those of its address.
  if (kind === 'Slack webhook' || !text.includes('/')) return parts
  const minRandom = isKey ? 12 : 20
  const wholes = [...text.matchAll(base64)]
    .filter(([run]) => run.length >= minRandom && run.includes('/') && isRandom(run))
    .map(rangeOf)
  const isCovered = ([from]: Range): boolean => wholes.some(([at, to]) => from >= at && from < to)
  return [...wholes, ...parts.filter((part) => !isCovered(part))]
}

type Range = readonly [from: number, to: number]

function rangeOf({ index, 0: run }: RegExpExecArray): Range {
  return [index, index + run.length]
}

/**
 * Values with the form of a known secret in a whole text, in order and without overlap, for cues
 * and as chips on the request page. The result can be wrong in both directions: digests and bytes
 * never depend on it. Pure.
 */
export function findSecrets(text: string): FoundSecret[] {
  return findByForms(text, forms)
}

/**
 * The same for a text that may be cut, such as a title, which may end within a value. In a whole
 * text it would report `"password": "Enter…"` as a secret.
 */
export function findSecretsOfExcerpt(text: string): FoundSecret[] {
  return findByForms(text, formsOfExcerpts)
}

function findByForms(text: string, table: readonly Form[]): FoundSecret[] {
  const matches: FoundSecret[] = []
  for (const [kind, pattern] of table) {
    for (const match of text.matchAll(pattern)) {
      const value = match[1] ?? match[0]
      const start = match.index + match[0].lastIndexOf(value)
      for (const [from, to] of maskable(kind, value)) {
        matches.push({ start: start + from, end: start + to, kind })
      }
    }
  }
  const ordered = matches.toSorted((one, other) => one.start - other.start || other.end - one.end)
  const separate: FoundSecret[] = []
  for (const secret of ordered) {
    if (secret.start >= (separate.at(-1)?.end ?? 0)) separate.push(secret)
  }
  return separate
}

/** Replaces each secret of a text, which may be cut, by what `write` returns for it. Pure. */
export function replaceSecrets(
  text: string,
  write: (value: string, kind: string) => string,
): string {
  let output = ''
  let at = 0
  for (const { start, end, kind } of findSecretsOfExcerpt(text)) {
    output += text.slice(at, start) + write(text.slice(start, end), kind)
    at = end
  }
  return output + text.slice(at)
}

/** The longest value that is shown as a chip, if it has one line (security.md 20). */
const chipCharacters = 200

/** The secrets of one line that a page shows as chips, in order. */
export function chippedSecrets(line: string): FoundSecret[] {
  return findSecrets(line).filter(({ start, end }) => end - start <= chipCharacters)
}
