import type { CancelReason, RequestKind } from '#domain/requests/request.ts'
import { effectSentence } from '#domain/text/effect-sentence.ts'
import { maskSecrets } from '#domain/text/mask-secrets.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { Tx } from '#store/database.ts'

/** An event and its subject, as stored when the notification is made. */
export interface ChannelEvent {
  readonly eventId: string
  readonly type: string
  readonly at: Date
  readonly request: RequestFacts | null
  readonly run: RunFacts | null
}

export interface RequestFacts {
  readonly id: string
  readonly number: string
  readonly kind: RequestKind
  readonly state: string
  readonly revision: number
  readonly queue: string
  readonly risk: string
  readonly tool: string
  readonly title: string
  readonly run_id: string | null
  readonly expires_at: Date
  readonly cancel_reason: CancelReason | null
}

export interface RunFacts {
  readonly id: string
  readonly worker: string
  readonly state: string
}

/** A row of the stream. */
export interface EventRow {
  readonly id: string
  readonly type: string
  readonly subject: Readonly<Record<string, unknown>>
  readonly created_at: Date
}

/**
 * The events with the stored facts of their requests and runs now; events without an existing
 * subject are left out, and so are those of a request whose row was changed by SQL.
 */
export async function readChannelEvents(
  { tx, seals }: { readonly tx: Tx; readonly seals: Seals },
  events: readonly EventRow[],
): Promise<ChannelEvent[]> {
  const ids = (field: string): string[] => [
    ...new Set(events.map(({ subject }) => subject[field]).filter((id) => typeof id === 'string')),
  ]
  const [requestIds, runIds] = [ids('requestId'), ids('runId')]
  const requests =
    requestIds.length === 0
      ? []
      : await tx.selectFrom('request').selectAll().where('id', 'in', requestIds).execute()
  const runs =
    runIds.length === 0
      ? []
      : await tx
          .selectFrom('run')
          .select(['id', 'worker', 'state'])
          .where('id', 'in', runIds)
          .execute()
  const sealed = requests.filter((request) => seals.holds('request', request))
  const requestOf = new Map(sealed.map((request) => [request.id, request]))
  const runOf = new Map(runs.map((run) => [run.id, run]))
  return events
    .map(({ id, type, subject, created_at }) => ({
      eventId: id,
      type,
      at: created_at,
      request: requestOf.get(String(subject['requestId'])) ?? null,
      run: runOf.get(String(subject['runId'])) ?? null,
      isOfRun: subject['requestId'] === undefined,
    }))
    .filter(({ isOfRun, request, run }) => (isOfRun ? run !== null : request !== null))
}

/** One line on the effect, with what looks like a secret masked. */
export function effectOf(request: Pick<RequestFacts, 'kind' | 'tool' | 'title'>): string {
  return effectSentence({ ...request, title: maskSecrets(request.title) })
}
