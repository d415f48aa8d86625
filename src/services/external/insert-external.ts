import type { Selectable } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { Judgement, Routing } from '#domain/deciding/judgement.ts'
import { principalsDigest } from '#domain/statements/row-seals.ts'
import { Problem } from '#domain/problem.ts'
import type { Queue } from '#policy/project-config.ts'
import { together } from '#store/connection/side-by-side.ts'
import { toJsonb } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { Caller } from '../core/context.ts'
import { signatureMark } from '../requests/facts/needs-signature.ts'
import { insertRevision } from '../requests/opening/insert-revision.ts'
import { firstStepAt } from '../requests/opening/open-request.ts'
import type { Principal } from '../requests/people/principals-of-run.ts'
import { storable } from '#domain/text/encoding/storable-text.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import type { ExternalInput } from '../requests/facts/external-input.ts'
import type { ExternalJudgement } from './judge-external.ts'
import {
  presentExternal,
  type ExternalPresentation,
  type ReportedDifference,
} from './present-external.ts'
import type { ProgramActor } from '../core/authority.ts'

const hourMs = 60 * 60 * 1000

/** A judged call of a program, and who is behind it. */
export interface ExternalOpening {
  readonly call: ExternalInput
  readonly bodyHash: string
  readonly judged: ExternalJudgement
  /** for a write or edit whose file the program reported */
  readonly reported: ReportedDifference | null
  readonly program: ProgramActor
  readonly onBehalfOf: string | null
  /** ids of more people behind it */
  readonly alsoBehind?: readonly string[]
  /** what its seal covers of the database */
  readonly at: { readonly now: Date; readonly epoch: number }
  /** whose people may see it when policy pre-approves it; not read for a call that asks */
  readonly queue: Queue | null
}

/**
 * Writes a pending request of a program in the caller's transaction: its presentation, the people
 * behind it (the owner of the key, its proposer, and the person for whom it acts), the trail and
 * the stream. It belongs to no run, so none is locked.
 */
export async function insertExternal(
  unit: UnitOfWork,
  caller: Caller,
  opening: ExternalOpening,
): Promise<Selectable<RequestTable>> {
  const { tx } = unit
  const { judgement } = opening.judged
  const routing = judgement.routing ?? preApprovedRouting(opening.queue)
  const presentation = await presentExternal(tx, opening.judged, opening.call, {
    reported: opening.reported,
    isChanged: false,
  })
  const behind = peopleBehind(opening)
  const { call, onBehalfOf, program } = opening
  const sealed = {
    ...requestRow(judgement, routing, presentation),
    created_at: opening.at.now,
    expires_at: new Date(opening.at.now.getTime() + routing.expiresAfterMs),
    epoch: opening.at.epoch,
    principals_digest: principalsDigest(behind),
  }
  const { id } = sealed
  const row = externalRow(id, opening, presentation)
  const seal = unit.seals.of('external_request', row)
  const { digest } = judgement
  const [request] = await together([
    tx
      .insertInto('request')
      .values({
        ...sealed,
        rule: toJsonb(sealed.rule),
        routing: toJsonb(routing),
        next_step_at: firstStepAt(routing),
        owner_id: program.ownerId,
        co_owner_id: onBehalfOf === program.ownerId ? null : onBehalfOf,
        seal: unit.seals.of('request', sealed),
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
    insertRevision(unit, { requestId: id, revision: 1, digest }, presentation, null),
    tx
      .insertInto('external_request')
      .values({
        ...row,
        seal,
        metadata: row.metadata === null ? null : toJsonb(row.metadata),
        callback_secret: call.callback?.secret ?? null,
        hook_call: call.hookCall ?? null,
        deployment: row.deployment === null ? null : toJsonb({ ...row.deployment }),
      })
      .execute(),
    tx
      .insertInto('request_principal')
      .values(behind.map(({ personId, why }) => ({ request_id: id, person_id: personId, why })))
      .execute(),
  ])
  // The id is new: no event has it.
  unit.setChainEnd(id, null, request.created_at)
  await recordOpening(unit, caller, request, opening, presentation)
  return request
}

/** What the row of a program's request has under its seal. */
function externalRow(
  requestId: string,
  opening: ExternalOpening,
  presentation: ExternalPresentation,
) {
  const { bodyHash, call, onBehalfOf, program } = opening
  const { judgement, proved: isProved } = opening.judged
  return {
    request_id: requestId,
    owner_id: program.ownerId,
    external_id: call.externalId,
    api_key_id: program.id,
    on_behalf_of: onBehalfOf,
    verdict: verdictOf(judgement),
    body_hash: bodyHash,
    origin_hash: presentation.originHash,
    origin_proved: call.origin === undefined ? null : isProved,
    worker: call.worker ?? null,
    claim_hash: presentation.claimHash,
    metadata: call.metadata ?? null,
    callback_url: call.callback?.url ?? null,
    deployment: call.deployment ?? null,
  }
}

/**
 * The owner of the key, its proposer, and the person for whom the program acts, with others whom
 * the service names.
 */
export function peopleBehind({
  program,
  onBehalfOf,
  alsoBehind = [],
}: Pick<ExternalOpening, 'program' | 'onBehalfOf' | 'alsoBehind'>): readonly Principal[] {
  const served = [...(onBehalfOf === null ? [] : [onBehalfOf]), ...alsoBehind]
  return [
    { personId: program.ownerId, why: 'asked' },
    ...(program.proposedBy === undefined
      ? []
      : [{ personId: program.proposedBy, why: 'proposed_key' } as const]),
    ...served.map((personId) => ({ personId, why: 'on_behalf' }) as const),
  ]
}

/** The columns of the request that the judgement determines. */
function requestRow(judgement: Judgement, routing: Routing, presentation: ExternalPresentation) {
  const rule = judgement.rule ?? { id: 'ask', text: judgement.reason, source: null }
  return {
    id: newId(),
    kind: 'external' as const,
    state: 'pending' as const,
    revision: 1,
    queue: routing.queue,
    team: routing.team,
    risk: judgement.risk,
    tool: judgement.tool,
    title: storable(presentation.title),
    digest: judgement.digest,
    policy_digest: judgement.policyDigest,
    rule,
    routing,
    attempt: 1,
    previous: [],
  }
}

/** The routing of a pre-approved call: nobody decides; the queue's people may see it. */
function preApprovedRouting(queue: Queue | null): Routing {
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
  { call, judged: judgement, onBehalfOf, alsoBehind = [] }: ExternalOpening,
  presentation: ExternalPresentation,
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
      factsDigest: presentation.factsDigest,
      presentationDigest: presentation.presentationDigest,
      externalId: call.externalId,
      onBehalfOf,
      ...(alsoBehind.length === 0 ? {} : { behind: [...alsoBehind] }),
      worker: call.worker ?? null,
      ...(presentation.originHash === null
        ? {}
        : { originHash: presentation.originHash, originProved: judgement.proved }),
      previous: null,
      ...signatureMark(request),
    },
  })
  await unit.event('request.opened', { requestId: request.id })
}
