import { hashBytes } from '../json/digest.ts'
import { findSecretsOfExcerpt } from './secrets.ts'

/**
 * A text, which may be cut, with each secret replaced by its kind, its length and its hash, for
 * places that must not show it (security.md 20). Never for text that an approver decides by.
 * @example maskSecrets('use ghp_…') // 'use [GitHub token, 40 characters, sha256:1f0c…]'
 */
export function maskSecrets(text: string): string {
  let output = ''
  let at = 0
  for (const { start, end, kind } of findSecretsOfExcerpt(text)) {
    const value = text.slice(start, end)
    const short = hashBytes(value).slice(0, 'sha256:'.length + 12)
    output += `${text.slice(at, start)}[${kind}, ${value.length} characters, ${short}…]`
    at = end
  }
  return output + text.slice(at)
}
