/**
 * Whether an `If-None-Match` names this entity tag: alone, in a list, or as `*`. The comparison is
 * weak (RFC 9110, 13.1.2), since proxies that compress an answer send its tag back as `W/"…"`.
 */
export function isMatchedBy(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const tags = ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => tag.replace(/^W\//, '') === etag)
}
