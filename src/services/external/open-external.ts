import { sql } from 'kysely'
import { limits } from '#domain/limits.ts'
import { Problem } from '#domain/problem.ts'
import type { RequestState } from '#domain/requests/request.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { Db, Tx } from '#store/database.ts'
import { quorumTeams } from '#domain/deciding/quorum.ts'
import { widestQuorum } from '#domain/deciding/waiting-steps.ts'
import type { Routing } from '#domain/deciding/judgement.ts'
import type { Queue } from '#policy/project-config.ts'
import type { Principal } from '../requests/people/principals-of-run.ts'
import { readMembers, requireReachable } from '../requests/people/reach.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { lockActivationShared } from '../core/locks.ts'
import { releaseOnFailure } from '../core/release-on-failure.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { findMember } from '../runs/starting/find-member.ts'
import { bodyHashOf, type ExternalInput } from '../requests/facts/external-input.ts'
import { insertExternal, peopleBehind, type ExternalOpening } from './insert-external.ts'
import { judgeExternal } from './judge-external.ts'
import { preApproveExternal } from './pre-approve.ts'
import { presentReported } from './present-reported.ts'
import { hasProposerBehind } from './proposer-behind.ts'
import { byProgram, type ProgramActor } from '../core/authority.ts'
import { requireWorker } from '../core/require-worker.ts'
import { requireLiveKey } from '../core/rights-of.ts'
import { invalid } from '../core/problems/invalid.ts'

export interface OpenedExternal {
  readonly requestId: string
  readonly state: RequestState
}

/**
 * Opens a request of a program that is not a run (api.md, Requests). Policy judges first; a call
 * that asks becomes a request with the owner of the key, and the person for whom the program acts,
 * behind it. A repeated call with the same `externalId` returns the request that exists. Rejects
 * with `forbidden`, `invalid_request`, `unknown_worker`, `policy_blocked`, `unreachable_approvers`,
 * `workspace_unreachable`, `rate_limited` (too many are pending), or `idempotency_key_reused`.
 */
export async function openExternal(
  ctx: SigningContext,
  caller: Caller,
  call: ExternalInput,
): Promise<OpenedExternal> {
  const authority = byProgram(caller)
  const { actor: program } = authority
  const bodyHash = bodyHashOf(call)
  const key = { program, externalId: call.externalId, bodyHash }
  // Judging may take a round trip to another host: a repeated call needs none, and no lock is held
  // meanwhile.
  const existing = await findOpened(ctx, key)
  if (existing !== null) return existing
  const onBehalfOf = await personIdOf(ctx, call.onBehalfOf)
  const alsoBehind = await peopleIdsOf(ctx, call.alsoBehind ?? [])
  await refuseWorker(ctx, program, call.worker)
  const result = await judgeExternal(ctx, caller, call)
  return releaseOnFailure(ctx.db, result.presented, async () => {
    // Done before the lock is taken: a large difference takes seconds.
    const reported =
      result.presented === null ? await presentReported(result.judgement, call.origin) : null
    return inUnitOfWork(ctx, authority, async (unit) => {
      // Sent together, in this order: the second of two equal calls finds the first one.
      const [, earlier] = await together([
        lockOwner(unit, program),
        findOpened({ db: unit.tx, seals: unit.seals }, key),
      ])
      if (earlier !== null) return earlier
      const queue = result.judgement.routing === null ? await queueNow(ctx, unit.tx, call) : null
      const opening = {
        call,
        bodyHash,
        judged: result,
        reported,
        onBehalfOf,
        alsoBehind,
        program,
        queue,
      }
      return openJudged(ctx, unit, caller, opening)
    })
  })
}

/**
 * Opens a judged call in the caller's transaction, which holds the owner's lock: pending, or
 * approved where policy does not ask.
 */
export async function openJudged(
  ctx: SigningContext,
  unit: UnitOfWork,
  caller: Caller,
  opening: Omit<ExternalOpening, 'at'>,
): Promise<OpenedExternal> {
  const { judgement } = opening.judged
  const [, at] = await together([
    judgement.routing !== null && judgement.verdict === 'ask'
      ? requireOthers(unit.tx, judgement.routing, peopleBehind(opening).toReversed())
      : Promise.resolve(),
    readTimeIfRoom(unit.tx, opening.program.ownerId),
  ])
  const request = await insertExternal(unit, caller, { ...opening, at })
  if (judgement.verdict === 'preApproved') {
    await preApproveExternal(ctx, unit, request, judgement)
    return { requestId: request.id, state: 'approved' }
  }
  await unit.enqueue({ kind: 'start_approval', runId: request.id, payload: {} })
  return { requestId: request.id, state: 'pending' }
}

/**
 * Refuses a call that only people behind it could decide, even after every escalation has added its
 * teams (product.md 42).
 */
async function requireOthers(
  tx: Tx,
  routing: Routing,
  behind: readonly Principal[],
): Promise<void> {
  const { queue, team, selfApproval, steps = [] } = routing
  const escalate = steps.flatMap((step) => (step.kind === 'escalate' ? [step] : []))
  const quorum = widestQuorum({ team, quorum: routing.quorum, escalate })
  const people = await readMembers(tx, quorumTeams(quorum))
  requireReachable({ queue, quorum, selfApproval }, people, behind)
}

/**
 * Serialises the requests of one owner, so that the second of two equal ones finds the first, and
 * waits for an activation or the retirement of a key.
 * Rejects with `unauthenticated` where the program's key has ended by then.
 */
export async function lockOwner(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  key: Pick<ProgramActor, 'id' | 'ownerId'>,
): Promise<void> {
  const lock = `external ${key.ownerId}`
  // Sent together, one statement each: the last one reads the key once the locks are held.
  await together([
    lockActivationShared(tx),
    sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx),
    requireLiveKey({ tx, seals }, key),
  ])
}

async function findOpened(
  at: { readonly db: Db | Tx; readonly seals: Seals },
  key: { readonly program: ProgramActor; readonly externalId: string; readonly bodyHash: string },
): Promise<OpenedExternal | null> {
  const row = await at.db
    .selectFrom('external_request')
    .innerJoin('request', 'request.id', 'external_request.request_id')
    .selectAll('request')
    .select('external_request.body_hash')
    .where('external_request.owner_id', '=', key.program.ownerId)
    .where('external_request.external_id', '=', key.externalId)
    .executeTakeFirst()
  if (row === undefined) return null
  const { body_hash: bodyHash, ...request } = row
  const isSame = bodyHash === key.bodyHash
  if (isSame && (await hasProposerBehind(at, request, key.program))) {
    return { requestId: request.id, state: request.state }
  }
  const refusal = isSame
    ? 'Another key used this externalId, and the person who proposed your key is not behind its request; use a new one'
    : 'This externalId was used before for another request; use a new one'
  throw new Problem('idempotency_key_reused', refusal, { request: request.id })
}

/** The queue whose people may see a call that nobody decides. */
async function queueNow(
  { policies }: Pick<SigningContext, 'policies'>,
  tx: Tx,
  call: ExternalInput,
): Promise<Queue | null> {
  const { config, workers } = await policies.inForce(tx)
  const name = workers.get(call.worker ?? '')?.queue ?? config.defaultQueue
  return config.queues.get(name ?? '') ?? null
}

/** The id of a person who can sign in; `null` when nobody is named. */
async function personIdOf(
  ctx: SigningContext,
  reference: string | undefined,
): Promise<string | null> {
  if (reference === undefined) return null
  const person = await ctx.db
    .selectFrom('person')
    .selectAll()
    .where(
      sql<boolean>`(email = ${reference.toLowerCase()} or id::text = ${reference.toLowerCase()})`,
    )
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  // A person's row is used only if its seal is valid: somebody with access to the database could
  // have written it.
  if (person !== undefined && ctx.seals.holds('person', person)) return person.id
  throw invalid('onBehalfOf', 'is not a person of this project')
}

/** The same for several people, each of whom must exist. */
async function peopleIdsOf(ctx: SigningContext, references: readonly string[]): Promise<string[]> {
  const ids = await Promise.all(references.map((reference) => personIdOf(ctx, reference)))
  return ids.filter((id) => id !== null)
}

/** Who may not start a worker's runs may not use its pre-approvals by a program either. */
async function refuseWorker(
  ctx: SigningContext,
  program: ProgramActor,
  name: string | undefined,
): Promise<void> {
  if (name === undefined) return
  const policy = await ctx.policies.inForce()
  const worker = requireWorker(policy, name)
  const teams = worker.startableBy
  if (teams === null) return
  const owner = await findMember(ctx, program.ownerId, teams)
  if (owner?.isMember === true) return
  throw new Problem(
    'forbidden',
    `Only programs of ${teams.join(' or ')} may use the worker ${name}`,
  )
}

/**
 * The time and the epoch for a new request. Rejects with `rate_limited` where the programs of its
 * owner have as many pending requests as they may.
 */
async function readTimeIfRoom(tx: Tx, ownerId: string): Promise<ExternalOpening['at']> {
  const maxPending = limits.pendingRequestsPerOwner
  const { rows } = await sql<ExternalOpening['at'] & { pending: number }>`
    select clock_timestamp() as now, (select epoch from installation) as epoch,
      (select count(*)::int from request
        where owner_id = ${ownerId} and state = 'pending' and kind = 'external') as "pending"
  `.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('The database did not return the time')
  if (row.pending < maxPending) return row
  throw new Problem(
    'rate_limited',
    `The programs of one owner may have at most ${maxPending} pending requests`,
  )
}
