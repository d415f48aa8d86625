import type { Check } from './findings/check.ts'
import type { Findings } from './findings/finding.ts'

/** Says how much was erased by people: it is not here, and what commits to it is. */
export function countErased(findings: Findings): Check {
  const hashes = new Set<string>()
  let contents = 0
  return {
    take({ type, detail }) {
      if (type !== 'content.erased') return
      const erased = detail['hashes']
      if (Array.isArray(erased)) {
        for (const hash of erased) if (typeof hash === 'string') hashes.add(hash)
      }
      const went = detail['of'] === 'contents' ? detail['contents'] : undefined
      if (typeof went === 'number') contents += went
    },
    end() {
      if (hashes.size > 0) findings.note(`${hashes.size} texts were erased; their hashes are kept`)
      if (contents > 0) findings.note(`${contents} contents were erased; their digests are kept`)
    },
  }
}
