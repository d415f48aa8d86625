import type { RunStatement } from '#domain/statements/statement.ts'
import { asRequest, legalTrail, type TrailEvent } from '#evidence/verify/trail.fixture.ts'

const legal = legalTrail()
const read: TrailEvent = {
  type: 'call.judged',
  actor: { type: 'policy' },
  runId: 'r1',
  callId: 'c1',
  detail: { verdict: 'preApproved' },
}
const decided = JSON.stringify(legal)
const openingEvents = legal.slice(0, legal.findIndex(({ type }) => type === 'request.opened') + 1)
const waiting = JSON.stringify([
  ...openingEvents,
  ...legal.slice(openingEvents.length).map(() => read),
])

/** The values of a run's signed statements that its events repeat. */
export interface SignedOf {
  readonly run: RunStatement
  readonly policyDigest: string
}

/** The ten events of a run, a second apart: those of `legalTrail` with this run's ids. */
export function generateEvents(
  isPending: boolean,
  names: Readonly<Record<string, string>>,
  signedOf: SignedOf,
  at: Date,
  idAt: (nth: number) => string,
): object[] {
  const text = (isPending ? waiting : decided).replaceAll(/"([\w :.-]+)"/g, (whole, name: string) =>
    Object.hasOwn(names, name) ? JSON.stringify(names[name]) : whole,
  )
  const trail = (JSON.parse(text) as TrailEvent[]).map((event, nth) => ({
    ...asSigned(event, signedOf),
    at: new Date(at.getTime() + nth * 1000).toISOString(),
  }))
  return asRequest(trail, idAt).map(eventRow)
}

function asSigned(event: TrailEvent, { run, policyDigest }: SignedOf): TrailEvent {
  if (event.type === 'permit.issued') return { ...event, policyDigest }
  if (event.type !== 'run.started') return event
  const { workerName: worker, workerDigest, inputDigest, mode } = run
  return { ...event, detail: { ...event.detail, worker, workerDigest, inputDigest, mode } }
}

/** A document with the columns by which the trail is searched. */
function eventRow(document: string): object {
  const event = JSON.parse(document) as Record<string, unknown> & {
    readonly actor: { readonly type: string; readonly id?: string }
  }
  return {
    id: event['id'],
    at: event['at'],
    type: event['type'],
    actor_type: event.actor.type,
    actor_id: event.actor.id ?? null,
    run_id: event['runId'] ?? null,
    request_id: event['requestId'] ?? null,
    call_id: event['callId'] ?? null,
    sequence: event['sequence'] ?? null,
    document,
  }
}
