import { sql } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { Routing } from '#domain/deciding/judgement.ts'
import { beforeEscalation } from '#domain/deciding/waiting-steps.ts'
import { utcWords } from '#domain/text/quantities/utc-words.ts'
import { together } from '#store/connection/side-by-side.ts'
import { storeContents } from '#store/content/content.ts'
import { toJsonb } from '#store/database.ts'
import { executor } from '../core/authority.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import type { Policy } from '#policy/policy.ts'
import { insertRevision } from '../requests/opening/insert-revision.ts'
import { packCheck, unknownOutcomeRule } from '../requests/opening/outcome-check.ts'
import { routingOfQueue } from '../requests/opening/routing-of-queue.ts'
import { firstStepAt } from '../requests/opening/open-request.ts'
import type { PackedPresentation } from '../requests/opening/store-presented.ts'
import type { CallToMake } from './call-to-make.ts'

/**
 * Asks the people of the call's queue whether a lost gateway call took effect. Returns the
 * request's id; `null`: there is no queue. The caller holds the lock of the call's request.
 */
export async function openOutcomeCheck(
  unit: UnitOfWork,
  { config }: Policy,
  { request, external, call }: CallToMake,
  why: string,
): Promise<string | null> {
  const { tx } = unit
  const queue = config.queues.get(request.queue)
  const wasAsked = external.verdict === 'ask'
  if (!wasAsked && queue === undefined) return null
  const own =
    wasAsked || queue === undefined ? beforeEscalation(request.routing) : routingOfQueue(queue)
  const routing = { ...own, scopes: ['once' as const], edits: 'off' as const }
  const latest = await tx
    .selectFrom('request_revision')
    .select(['input_hash', 'facts', 'effect', sql<Date>`clock_timestamp()`.as('now')])
    .where('request_id', '=', request.id)
    .where('revision', '=', request.revision)
    .executeTakeFirstOrThrow()
  const check = packCheck({
    effect: latest.effect ?? request.title,
    lines: [
      `This call was started, and nobody knows how it ended (${why}).`,
      'Check what it should have changed, then state whether it took effect.',
      '',
      `Request: #${request.number}`,
      `Server: ${call.server}`,
      `Tool: ${request.tool}`,
      `Started: ${external.consumed_at === null ? 'not recorded' : utcWords(external.consumed_at)}`,
    ],
    metadata: { server: call.server, outcomeOf: request.id, inputHash: latest.input_hash },
    inputHash: latest.input_hash,
    facts: latest.facts,
  })
  const { presented } = check
  const id = await insertCheck(unit, request, { routing, now: latest.now }, check)
  await unit.audit({
    type: 'request.opened',
    ...executor,
    requestId: id,
    digest: request.digest,
    policyDigest: request.policy_digest,
    detail: {
      kind: 'outcome_check',
      tool: request.tool,
      rule: unknownOutcomeRule.id,
      risk: request.risk,
      queue: routing.queue,
      quorum: routing.quorumText,
      factsDigest: presented.factsDigest,
      presentationDigest: presented.presentationDigest,
      previous: null,
    },
  })
  await unit.event('request.opened', { requestId: id })
  await unit.enqueue({ kind: 'start_approval', runId: id, payload: {} })
  return id
}

/**
 * Inserts the request with its seal, its contents, its revision, and the people behind the lost
 * one, in queries that are sent together. Returns its id.
 */
async function insertCheck(
  unit: UnitOfWork,
  request: CallToMake['request'],
  { routing, now }: { readonly routing: Routing; readonly now: Date },
  { presented, contents }: PackedPresentation,
): Promise<string> {
  const { tx, seals } = unit
  const { digest } = request
  const sealed = {
    id: newId(),
    kind: 'outcome_check' as const,
    state: 'pending' as const,
    revision: 1,
    queue: routing.queue,
    team: routing.team,
    risk: request.risk,
    tool: request.tool,
    title: presented.title,
    digest,
    policy_digest: request.policy_digest,
    rule: unknownOutcomeRule,
    routing,
    attempt: 1,
    previous: [],
    outcome_of: request.id,
    created_at: now,
    expires_at: new Date(now.getTime() + routing.expiresAfterMs),
    epoch: request.epoch,
    principals_digest: request.principals_digest,
  }
  const { id } = sealed
  await together([
    storeContents(tx, [contents]),
    tx
      .insertInto('request')
      .values({
        ...sealed,
        rule: toJsonb(unknownOutcomeRule),
        routing: toJsonb(routing),
        next_step_at: firstStepAt(routing),
        seal: seals.of('request', sealed),
      })
      .execute(),
    insertRevision(unit, { requestId: id, revision: 1, digest }, presented, null),
    sql`
      insert into request_principal (request_id, person_id, why)
      select ${id}, person_id, why from request_principal where request_id = ${request.id}
    `.execute(tx),
  ])
  return id
}
