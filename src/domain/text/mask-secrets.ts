import { hashBytes } from '../json/digest.ts'
import { replaceSecrets } from './secrets.ts'

/**
 * A text, which may be cut, with each secret replaced by its kind, its length and its hash, for
 * places that must not show it (security.md 20). Never for text that an approver decides by.
 * @example maskSecrets('use ghp_…') // 'use [GitHub token, 40 characters, sha256:1f0c…]'
 */
export function maskSecrets(text: string): string {
  return replaceSecrets(text, (value, kind) => {
    const short = hashBytes(value).slice(0, 'sha256:'.length + 12)
    return `[${kind}, ${value.length} characters, ${short}…]`
  })
}
