import { hashBytes } from '../../domain/digest.ts'
import { maskSecrets } from '../../domain/text/secrets.ts'
import type { SettingChange } from './compare-versions.ts'

/** Where settings hand values to other programs: what stands there is told by its hash. */
const handedOn = /\.(env|headers)(\.|$)/

/** A change as lists and the trail show it: what is, or looks like, a secret is its length and hash (security.md 20). */
export function maskChange(change: SettingChange): SettingChange {
  const mask = (value: string | null): string | null => {
    if (value === null) return null
    return handedOn.test(change.at) ? hashed('value', value) : maskSecrets(value, hashBytes)
  }
  return { at: change.at, before: mask(change.before), after: mask(change.after) }
}

function hashed(kind: string, value: string): string {
  const hash = hashBytes(value).slice(0, 'sha256:'.length + 12)
  return `[${kind}, ${value.length} characters, ${hash}…]`
}
