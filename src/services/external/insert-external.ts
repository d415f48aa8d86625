import { sql, type Selectable } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Judgement, Routing } from '../../domain/judgement.ts'
import { Problem } from '../../domain/problem.ts'
import type { Queue } from '../../policy/policy.ts'
import { toJsonb } from '../../store/database.ts'
import type { RequestTable } from '../../store/tables/requests.ts'
import type { Caller, RemoteJudgement, StoredPresentation } from '../context.ts'
import { signatureMark } from '../decisions/signing/needs-signature.ts'
import { noteFiles } from '../requests/note-files.ts'
import { firstStepAt } from '../requests/open-request.ts'
import { storable } from '../runs/transcript/storable-text.ts'
import type { UnitOfWork } from '../unit-of-work.ts'
import { claimOf, type ExternalInput } from './external-input.ts'
import { presentExternal } from './present-external.ts'
import type { Program } from './require-program.ts'

const hourMs = 60 * 60 * 1000

/** A judged call of a program, and who is behind it. */
export interface ExternalOpening {
  readonly asked: ExternalInput
  readonly bodyHash: string
  readonly judged: RemoteJudgement
  readonly program: Program
  readonly onBehalfOf: string | null
  /** who may see it when policy asks nobody */
  readonly queue: Queue | null
}

/**
 * Writes a pending request of a program, in the caller's transaction: what is shown, the people behind it (the owner of
 * the key, and the person for whom it acts), the trail and the stream. No run is locked, since it is of none.
 */
export async function insertExternal(
  unit: UnitOfWork,
  caller: Caller,
  opening: ExternalOpening,
): Promise<Selectable<RequestTable>> {
  const { tx } = unit
  const { judgement } = opening.judged
  const routing = judgement.routing ?? unasked(opening.queue)
  const claim = claimOf(opening.asked)
  const shown = await presentExternal(tx, opening.judged, claim)
  const request = await tx
    .insertInto('request')
    .values(requestRow(judgement, routing, shown))
    .returningAll()
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('request_revision')
    .values({
      request_id: request.id,
      revision: 1,
      title: request.title,
      digest: judgement.digest,
      input_hash: shown.inputHash,
      facts: toJsonb(shown.facts),
      presentation_hash: shown.presentationHash,
      presentation_digest: shown.presentationDigest,
      content_hash: shown.contentHash,
      content_type: shown.contentType,
    })
    .execute()
  await noteFiles(tx, request.id, shown)
  const { asked, bodyHash, onBehalfOf, program } = opening
  await tx
    .insertInto('external_request')
    .values({
      request_id: request.id,
      owner_id: program.ownerId,
      external_id: asked.externalId,
      api_key_id: program.id,
      on_behalf_of: onBehalfOf,
      worker: asked.worker ?? null,
      verdict: verdictOf(judgement),
      body_hash: bodyHash,
      claim_hash: shown.claimHash,
      metadata: asked.metadata === undefined ? null : toJsonb(asked.metadata),
      callback_url: asked.callback?.url ?? null,
      callback_secret: asked.callback?.secret ?? null,
    })
    .execute()
  await tx
    .insertInto('request_principal')
    .values([
      { request_id: request.id, person_id: program.ownerId, why: 'asked' },
      ...(onBehalfOf === null
        ? []
        : [{ request_id: request.id, person_id: onBehalfOf, why: 'on_behalf' }]),
    ])
    .execute()
  await recordOpening(unit, caller, request, opening, shown)
  return request
}

function requestRow(judgement: Judgement, routing: Routing, shown: StoredPresentation) {
  const rule = judgement.rule ?? { id: 'ask', text: judgement.reason, source: null }
  return {
    id: uuidv7(),
    kind: 'external' as const,
    queue: routing.queue,
    team: routing.team,
    risk: judgement.risk,
    tool: judgement.tool,
    title: storable(shown.title),
    digest: judgement.digest,
    policy_digest: judgement.policyDigest,
    rule: toJsonb(rule),
    routing: toJsonb(routing),
    expires_at: sql<Date>`clock_timestamp() + ${routing.expiresAfterMs} * interval '1 millisecond'`,
    next_step_at: firstStepAt(routing),
    epoch: sql<number>`(select epoch from installation)`,
  }
}

/** Of what policy pre-approved: nobody is asked, and the people of the queue may look. */
function unasked(queue: Queue | null): Routing {
  return {
    queue: queue?.name ?? '',
    team: queue?.team ?? '',
    quorum: { any: [] },
    quorumText: 'nobody: policy pre-approves it',
    expiresAfterMs: hourMs,
    permitForMs: hourMs,
    scopes: ['once'],
    edits: 'off',
    selfApproval: false,
    signature: 'optional',
  }
}

function verdictOf({ verdict }: Judgement): 'ask' | 'preApproved' {
  if (verdict === 'ask' || verdict === 'preApproved') return verdict
  throw new Problem('internal', `A call with the verdict ${verdict} opens no request`)
}

async function recordOpening(
  unit: UnitOfWork,
  { actor, channel }: Caller,
  request: Selectable<RequestTable>,
  { asked, onBehalfOf }: ExternalOpening,
  shown: StoredPresentation,
): Promise<void> {
  await unit.audit({
    type: 'request.opened',
    actor,
    channel,
    requestId: request.id,
    digest: request.digest,
    policyDigest: request.policy_digest,
    detail: {
      kind: request.kind,
      tool: request.tool,
      rule: request.rule.id,
      risk: request.risk,
      queue: request.queue,
      quorum: request.routing.quorumText,
      factsDigest: shown.factsDigest,
      presentationDigest: shown.presentationDigest,
      externalId: asked.externalId,
      onBehalfOf,
      worker: asked.worker ?? null,
      previous: null,
      ...signatureMark(request),
    },
  })
  await unit.event('request.opened', { requestId: request.id })
}
