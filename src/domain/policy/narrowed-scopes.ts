import { widerScopes, type Scope } from './verdict.ts'

/**
 * Why a scope is not offered: tool or routing does not, the call hands files over, or does more
 * than write one file.
 */
export type WhyNarrow = 'tool' | 'routing' | 'share' | 'path'
export type NarrowedScopes = Readonly<Partial<Record<Scope, WhyNarrow>>>

/** As a field of a routing, which has none when there is nothing to say. */
export function withNarrowed(narrowed: NarrowedScopes): { readonly narrowed?: NarrowedScopes } {
  return Object.keys(narrowed).length === 0 ? {} : { narrowed }
}

/**
 * The same in words, for whoever is offered less than they may expect: each ends "not offered,
 * because".
 */
export function notOffered(
  tool: string,
  offered: readonly Scope[],
  narrowed: NarrowedScopes,
): readonly { readonly scope: Scope; readonly why: string }[] {
  // Who cannot approve at all misses no scope.
  if (offered.length === 0) return []
  const words: Readonly<Record<WhyNarrow, string>> = {
    tool: `${tool} does not offer it`,
    routing: 'no routing entry lists it for the whole call',
    share: 'the call hands files over, which is approved each time',
    path: 'the call does not just write one file',
  }
  return widerScopes.flatMap((scope) => {
    const why = narrowed[scope]
    return why === undefined || offered.includes(scope) ? [] : [{ scope, why: words[why] }]
  })
}
