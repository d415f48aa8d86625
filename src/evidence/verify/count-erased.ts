import type { Check } from './check.ts'
import type { Findings } from './finding.ts'

/** Says how much was erased by people: it is not here, and what commits to it is. */
export function countErased(findings: Findings): Check {
  const hashes = new Set<string>()
  return {
    take({ type, detail }) {
      const erased = type === 'content.erased' ? detail['hashes'] : undefined
      if (!Array.isArray(erased)) return
      for (const hash of erased) if (typeof hash === 'string') hashes.add(hash)
    },
    end() {
      if (hashes.size > 0) findings.note(`${hashes.size} texts were erased; their hashes are kept`)
    },
  }
}
