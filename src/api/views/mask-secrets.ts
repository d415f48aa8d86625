import { hashBytes } from '../../domain/digest.ts'
import { findSecrets } from '../../domain/text/find-secrets.ts'

/**
 * A text for lists: what looks like a secret is replaced by the fact, its length and hash (security.md 20).
 * Never for what an approver decides by.
 *
 * @example maskSecrets('use ghp_…') // 'use [GitHub token, 40 characters, sha256:1f0c…]'
 */
export function maskSecrets(text: string): string {
  let masked = ''
  let at = 0
  for (const { start, end, kind } of findSecrets(text)) {
    const secret = text.slice(start, end)
    const hash = hashBytes(secret).slice(0, 'sha256:'.length + 12)
    masked += `${text.slice(at, start)}[${kind}, ${secret.length} characters, ${hash}…]`
    at = end
  }
  return masked + text.slice(at)
}
