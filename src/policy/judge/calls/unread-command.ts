import type { Policy, WorkerDefinition } from '../../policy.ts'
import { whyUnread } from '../../shell/rules/why-unread.ts'
import type { CanonicalCall } from './canonical-call.ts'
import { tokensOf } from '../routing/command-traits.ts'

/**
 * Why a command's text does not say all that it would run, where something is blocked: a mode that approves for people
 * would turn such a block into a run (product.md 21), so that it leaves the call to them. A sentence; `null` when the text
 * says it all, or nothing is blocked.
 */
export function unreadCommand(
  policy: Policy,
  worker: WorkerDefinition,
  call: CanonicalCall,
): string | null {
  if (call.command === null || worker.shell === null) return null
  const { rules, default: otherwise } = worker.shell
  const patterns = [
    ...rules.flatMap(({ consent, pattern }) => (consent.approval === 'blocked' ? [pattern] : [])),
    ...policy.config.overlays.flatMap(({ consent, when }) =>
      consent.approval === 'blocked' ? (when.command ?? []).map(tokensOf) : [],
    ),
  ]
  if (patterns.length === 0 && otherwise !== 'blocked') return null
  return whyUnread(patterns, call.command)
}
