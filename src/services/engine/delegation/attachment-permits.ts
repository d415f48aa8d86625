import type { Json } from '#domain/json/json.ts'
import { isJsonObject } from '#domain/json/is-object.ts'
import { sql, type Selectable } from 'kysely'
import { hashJson } from '#domain/json/digest.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import type { Db, Tx } from '#store/database.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'
import type { PermitTable } from '#store/tables/decisions.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { verifyPermit } from '../../permits/permits.ts'
import type { ServiceContext } from '../../core/context.ts'
import type { AttachedFile } from '#tools/delegation/call-worker.ts'
import { attachmentDigest } from './attachments.ts'

/** A permit to hand over one file, with the request it came from. */
export interface AttachmentPermit {
  readonly permitId: string
  readonly requestId: string
  readonly path: string
  readonly digest: string
  readonly policyDigest: string
}

export type AttachmentPermits =
  | { readonly kind: 'valid'; readonly permits: readonly AttachmentPermit[] }
  /** an attachment has no permit for these bytes, or it has lapsed */
  | { readonly kind: 'missing' }
  /** a permit does not verify */
  | { readonly kind: 'invalid'; readonly detail: string }

/**
 * The permits of a call's attachments, each verified for exactly these bytes, this worker and this
 * call. `consumed`: when and in which epoch an execution has consumed them, for which they are
 * verified.
 */
export async function readAttachmentPermits(
  ctx: Pick<ServiceContext, 'verifier' | 'seals'> & { readonly db: Db | Tx },
  at: { readonly call: { readonly id: string; readonly run_id: string; readonly tool: string } },
  needed: {
    readonly worker: string
    readonly toolHash: string
    readonly files: readonly AttachedFile[]
    readonly consumed?: { readonly at: Date; readonly epoch: number }
  },
): Promise<AttachmentPermits> {
  if (needed.files.length === 0) return { kind: 'valid', permits: [] }
  const { call } = at
  const rows = await readPermits(ctx.db, call.id)
  const permits: AttachmentPermit[] = []
  for (const file of needed.files) {
    const digest = attachmentDigest(
      { callId: call.id, tool: call.tool, toolHash: needed.toolHash },
      needed.worker,
      file,
    )
    const match = rows.find(({ request }) => request.digest === digest)
    if (match === undefined) return { kind: 'missing' }
    const { permit, request } = match
    const { consumed } = needed
    if (consumed !== undefined && permit.state !== 'consumed') return { kind: 'missing' }
    const row = consumed === undefined ? permit : { ...permit, state: 'live' as const }
    const verdict = verifyPermit(ctx, row, {
      requestId: request.id,
      revision: 1,
      runId: call.run_id,
      callId: null,
      digest,
      factsDigest: hashJson({
        toolHash: needed.toolHash,
        bases: [{ path: file.path, hash: file.hash }],
      }),
      policyDigest: request.policy_digest,
      attempt: request.attempt,
      epoch: consumed?.epoch ?? match.epoch,
      now: consumed?.at ?? match.now,
    })
    if (!verdict.ok && verdict.reason === 'invalid_permit') {
      return { kind: 'invalid', detail: verdict.detail }
    }
    if (!verdict.ok) return { kind: 'missing' }
    const { id: requestId, policy_digest: policyDigest } = request
    permits.push({ permitId: permit.id, requestId, path: file.path, digest, policyDigest })
  }
  return { kind: 'valid', permits }
}

interface PermitRow {
  readonly permit: Selectable<PermitTable>
  readonly request: Selectable<RequestTable>
  readonly epoch: number
  readonly now: Date
}

async function readPermits(db: Db | Tx, callId: string): Promise<PermitRow[]> {
  const { rows } = await sql<
    Omit<PermitRow, 'permit' | 'request'> & { permit: JsonRow; request: JsonRow }
  >`
    select to_jsonb(permit) as permit, to_jsonb(request) as request,
      installation.epoch, clock_timestamp() as now
    from request join permit on permit.request_id = request.id cross join installation
    where request.call_id = ${callId} and request.kind = 'attachment'
      and request.state = 'approved' and request.superseded_by is null
  `.execute(db)
  return rows.map(({ permit, request, epoch, now }) => ({
    permit: fromJsonRow(permit),
    request: fromJsonRow(request),
    epoch,
    now,
  }))
}

/**
 * The attachments of a judged delegation that ask, as its request showed them. Their sizes are in
 * the digests.
 */
export function attachedOf(facts: CallFacts, judgement: Judgement): readonly AttachedFile[] {
  const attachments = facts.detail?.['attachments']
  const files = Array.isArray(attachments) ? attachments.flatMap(attachedFile) : []
  const asking = judgement.attachments ?? []
  return files.filter(({ path }) => asking.some((ask) => ask.path === path))
}

function attachedFile(value: Json): readonly AttachedFile[] {
  if (!isJsonObject(value)) return []
  const { bytes, hash, path } = value
  const isFile = typeof path === 'string' && typeof bytes === 'number' && typeof hash === 'string'
  return isFile ? [{ path, bytes, hash }] : []
}
