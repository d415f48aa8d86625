import type { ScopeName } from '#api/schemas/policy/grants.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { dim } from './colour.ts'
import { printableLine } from './terminal-text.ts'

/** What an approval with this scope covers, exactly, a sentence a line (security.md 16). */
export function coverageText(request: RequestDetail, scope: ScopeName): string {
  if (request.state !== 'pending') return `It cannot be approved: it is ${request.state}.`
  const coverage = request.scopeCoverage.find((one) => one.scope === scope)
  if (coverage === undefined) {
    const why = request.scopesNotOffered.find((one) => one.scope === scope)?.why
    const because = why === undefined ? '' : `, because ${why}`
    return `This request offers no scope ${scope}${because}, only: ${request.allowedScopes.join(', ')}`
  }
  const lines = coverage.covers.map((sentence) => `  ${printableLine(sentence)}`)
  return [dim('what this approval covers'), ...lines].join('\n')
}
