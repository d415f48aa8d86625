import { widerScopes, type Scope } from './verdict.ts'

/**
 * Why a scope is not offered: the tool or the routing excludes it, the call hands files over, or
 * does more than write one file.
 */
export type WhyNarrow = 'tool' | 'routing' | 'share' | 'path'
export type NarrowedScopes = Readonly<Partial<Record<Scope, WhyNarrow>>>

/** As a member of a routing; without narrowed scopes there is none. */
export function withNarrowed(narrowed: NarrowedScopes): { readonly narrowed?: NarrowedScopes } {
  return Object.keys(narrowed).length === 0 ? {} : { narrowed }
}

/** The reasons for the approver; each completes "not offered, because". */
export function notOffered(
  tool: string,
  scopes: readonly Scope[],
  narrowed: NarrowedScopes,
): readonly { readonly scope: Scope; readonly why: string }[] {
  // Without any scope the person cannot approve at all.
  if (scopes.length === 0) return []
  const words: Readonly<Record<WhyNarrow, string>> = {
    tool: `${tool} does not offer it`,
    routing: 'no routing entry lists it for the whole call',
    share: 'the call hands files over, which is approved each time',
    path: 'the call does not just write one file',
  }
  return widerScopes.flatMap((scope) => {
    const why = narrowed[scope]
    return why === undefined || scopes.includes(scope) ? [] : [{ scope, why: words[why] }]
  })
}
