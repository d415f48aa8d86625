import { replaceSecrets } from '#domain/text/secrets.ts'

/** A text whose secrets are masked, for places without chips (security.md 20). Pure. */
export function maskedString(text: string): string {
  return replaceSecrets(text, (value, kind) => `[${kind}, ${value.length} characters]`)
}
