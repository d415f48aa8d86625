import { canonicalJson, hashBytes } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'

/** An event before it is dated and chained. */
export interface TrailEvent {
  readonly type: string
  readonly actor: JsonObject
  readonly at?: string
  readonly runId?: string
  readonly requestId?: string
  readonly callId?: string
  readonly digest?: string
  readonly policyDigest?: string
  readonly detail: JsonObject
}

/** The id of a person of the trail. */
export function personOf(name: string): string {
  return `person-${name}`
}

const start = Date.parse('2026-03-01T10:00:00.000Z')
const later = '2026-04-01T00:00:00.000Z'

/** Ada's run writes a file that Grace and Linus approve, and ends. */
export function legalTrail(): TrailEvent[] {
  const system = { type: 'system' }
  const call = { runId: 'r1', callId: 'c1', digest: 'd1' }
  const about = { ...call, requestId: 'q1' }
  const vote = (name: string): TrailEvent => ({
    type: 'decision.recorded',
    actor: { type: 'person', id: personOf(name), name },
    ...about,
    detail: {
      decision: 'approve',
      revision: 1,
      selfApproved: false,
      edited: false,
      basis: {
        quorum: { any: [[{ team: 'platform', count: 2 }]] },
        selfApproval: false,
        principals: [personOf('ada')],
        expiresAt: later,
        judgedAt: '',
        teams: ['platform'],
      },
    },
  })
  const counted = ['grace', 'linus'].map((name) => ({ personId: personOf(name), team: 'platform' }))
  const permit = { permitId: 'p1', attempt: 1 }
  return [
    { type: 'run.started', actor: system, runId: 'r1', detail: { startedBy: personOf('ada') } },
    { type: 'call.judged', actor: { type: 'policy' }, ...call, detail: { verdict: 'ask' } },
    {
      type: 'request.opened',
      actor: { type: 'policy' },
      ...about,
      detail: { kind: 'tool_call', quorum: '2 of platform', factsDigest: 'f1', previous: null },
    },
    vote('grace'),
    vote('linus'),
    {
      type: 'permit.issued',
      actor: { type: 'person', id: personOf('linus'), name: 'linus' },
      ...about,
      detail: { ...permit, revision: 1, factsDigest: 'f1', expiresAt: later, counted },
    },
    { type: 'permit.consumed', actor: system, ...about, detail: permit },
    { type: 'execution.started', actor: system, ...about, detail: { attempt: 1, by: 'permit' } },
    {
      type: 'execution.finished',
      actor: system,
      ...about,
      detail: { attempt: 1, state: 'succeeded' },
    },
    { type: 'run.ended', actor: system, runId: 'r1', detail: { state: 'completed' } },
  ]
}

/**
 * A copy of the trail with one event changed. Its `detail`, and the `basis` in that, are merged
 * with those of the change.
 */
export function changed(
  trail: readonly TrailEvent[],
  place: number,
  change: Partial<TrailEvent>,
): TrailEvent[] {
  return trail.map((event, at) => {
    if (at !== place) return event
    const detail = { ...event.detail, ...change.detail }
    const basis = change.detail?.['basis']
    if (typeof basis === 'object' && basis !== null) {
      detail['basis'] = { ...(event.detail['basis'] as JsonObject), ...(basis as JsonObject) }
    }
    return { ...event, ...change, detail }
  })
}

/**
 * Gives the events the times, numbers and hashes that the service would, so that only their
 * contents can be wrong.
 */
export function asRequest(
  trail: readonly TrailEvent[],
  idAt = (place: number): string => `event-${place}`,
): string[] {
  const chains = new Map<string, { sequence: number; hash: string }>()
  return trail.map(({ at, requestId, detail, ...event }, index) => {
    const date = at ?? new Date(start + index * 1000).toISOString()
    const last = requestId === undefined ? undefined : chains.get(requestId)
    const link = { sequence: (last?.sequence ?? 0) + 1, previous: last?.hash ?? null }
    const basis = detail['basis']
    const isBasis = typeof basis === 'object' && basis !== null && !Array.isArray(basis)
    const text = canonicalJson({
      id: idAt(index),
      at: date,
      channel: 'api',
      ...event,
      detail: isBasis ? { ...detail, basis: { ...basis, judgedAt: date } } : detail,
      ...(requestId === undefined ? {} : { requestId, ...link }),
    })
    if (requestId !== undefined) {
      chains.set(requestId, { sequence: link.sequence, hash: hashBytes(text) })
    }
    return text
  })
}
