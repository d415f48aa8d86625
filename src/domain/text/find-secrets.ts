/** A part of a text that looks like a secret of known form. `start` and `end` as in `slice`. */
export interface SecretSpan {
  readonly start: number
  readonly end: number
  readonly kind: string
}

/** Known forms; each is bounded, so that hostile text costs no more than its length. */
const forms: readonly { readonly kind: string; readonly pattern: RegExp }[] = [
  {
    kind: 'private key',
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,20000}?-----END [A-Z ]{0,40}PRIVATE KEY-----/g,
  },
  { kind: 'Countersign API key', pattern: /\bcs_[0-9a-f]{16}_[\w-]{43}/g },
  { kind: 'AWS access key', pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  { kind: 'GitHub token', pattern: /\b(?:gh[pousr]_[0-9A-Za-z]{36,255}|github_pat_\w{22,255})/g },
  { kind: 'GitLab token', pattern: /\bglpat-[\w-]{20,255}/g },
  { kind: 'Slack token', pattern: /\bxox[abeoprs]-[0-9A-Za-z-]{10,255}/g },
  { kind: 'Stripe key', pattern: /\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,255}/g },
  { kind: 'model provider key', pattern: /\bsk-[\w-]{20,255}/g },
  { kind: 'Google API key', pattern: /\bAIza[\w-]{35}/g },
  { kind: 'npm token', pattern: /\bnpm_[0-9A-Za-z]{36}\b/g },
  {
    kind: 'JSON web token',
    pattern: /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000}/g,
  },
  {
    kind: 'password in an address',
    pattern: /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,100}:)[^\s:/@]{1,200}(?=@)/gi,
  },
  {
    kind: 'named secret',
    pattern:
      /(?<=\b(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"',;]{8,200}/gi,
  },
]

/** Parts of a text that look like secrets, in order, without overlap: the earlier form of the list wins (security.md 20). */
export function findSecrets(text: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  for (const { kind, pattern } of forms) {
    for (const match of text.matchAll(pattern)) {
      const span = { start: match.index, end: match.index + match[0].length, kind }
      if (spans.every((other) => span.end <= other.start || other.end <= span.start)) {
        spans.push(span)
      }
    }
  }
  return spans.toSorted((one, other) => one.start - other.start)
}
