import { sql } from 'kysely'
import { limits } from '../../domain/limits.ts'
import { Problem } from '../../domain/problem.ts'
import type { RequestState } from '../../domain/request.ts'
import type { Db, Tx } from '../../store/database.ts'
import { readStaffedTeams, requireStaffed } from '../requests/staffed-teams.ts'
import type { Caller, RemoteJudgement, SigningContext } from '../context.ts'
import { orLetGo } from '../or-let-go.ts'
import { inUnitOfWork, type UnitOfWork } from '../unit-of-work.ts'
import { memberOf } from '../runs/starting/member-of.ts'
import { bodyHashOf, type ExternalInput } from './external-input.ts'
import { insertExternal } from './insert-external.ts'
import { judgeExternal } from './judge-external.ts'
import { preApprove } from './pre-approve.ts'
import { requireProgram, type Program } from './require-program.ts'

export interface OpenedExternal {
  readonly requestId: string
  readonly state: RequestState
}

/**
 * A program that is no run of ours asks for an approval (api.md, Requests). Policy judges first; what asks becomes a
 * request with the owner of the key, and the person for whom it acts, behind it. Asked again under the same
 * `externalId` it answers the request that is there. Rejects with `forbidden`, `invalid_request`, `unknown_worker`,
 * `policy_blocked`, `unreachable_approvers`, `workspace_unreachable`, `rate_limited` (too many are pending), or
 * `idempotency_key_reused`.
 */
export async function openExternal(
  ctx: SigningContext,
  caller: Caller,
  asked: ExternalInput,
): Promise<OpenedExternal> {
  const program = requireProgram(caller)
  const bodyHash = bodyHashOf(asked)
  const named = { ownerId: program.ownerId, externalId: asked.externalId, bodyHash }
  // Judging may take a round trip to another host: who asks again needs none, and no lock is held meanwhile.
  const before = await askedBefore(ctx.db, named)
  if (before !== null) return before
  const onBehalfOf = await personNamed(ctx, asked.onBehalfOf)
  await refuseWorker(ctx, program, asked.worker)
  const judged = await judgeExternal(ctx, caller, asked)
  return orLetGo(ctx.db, judged.presented, () =>
    inUnitOfWork(ctx, async (unit) => {
      await oneAtATime(unit.tx, program.ownerId)
      const meanwhile = await askedBefore(unit.tx, named)
      if (meanwhile !== null) return meanwhile
      return openJudged(ctx, unit, caller, { asked, bodyHash, judged, onBehalfOf, program })
    }),
  )
}

async function openJudged(
  ctx: SigningContext,
  unit: UnitOfWork,
  caller: Caller,
  opening: {
    readonly asked: ExternalInput
    readonly bodyHash: string
    readonly judged: RemoteJudgement
    readonly onBehalfOf: string | null
    readonly program: Program
  },
): Promise<OpenedExternal> {
  const { judgement } = opening.judged
  if (judgement.routing !== null) {
    requireStaffed(judgement.routing, await readStaffedTeams(unit.tx))
  }
  await refuseTooMany(unit.tx, opening.program.ownerId)
  const { config, workers } = await ctx.policies.inForce()
  const worker = workers.get(opening.asked.worker ?? '')
  const queue = config.queues.get(worker?.queue ?? config.defaultQueue ?? '') ?? null
  const request = await insertExternal(unit, caller, { ...opening, queue })
  if (judgement.verdict === 'preApproved') {
    await preApprove(ctx, unit, request, judgement)
    return { requestId: request.id, state: 'approved' }
  }
  await unit.enqueue({ kind: 'start_approval', runId: request.id, payload: {} })
  return { requestId: request.id, state: 'pending' }
}

/** Whoever asks for the same thing at the same time waits here, and then finds it asked. */
async function oneAtATime(tx: Tx, ownerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`external ${ownerId}`}, 0))`.execute(tx)
}

async function askedBefore(
  db: Db | Tx,
  named: { readonly ownerId: string; readonly externalId: string; readonly bodyHash: string },
): Promise<OpenedExternal | null> {
  const found = await db
    .selectFrom('external_request')
    .innerJoin('request', 'request.id', 'external_request.request_id')
    .select(['request.id as requestId', 'request.state', 'external_request.body_hash'])
    .where('external_request.owner_id', '=', named.ownerId)
    .where('external_request.external_id', '=', named.externalId)
    .executeTakeFirst()
  if (found === undefined) return null
  const { body_hash: bodyHash, ...opened } = found
  if (bodyHash === named.bodyHash) return opened
  throw new Problem(
    'idempotency_key_reused',
    'This externalId was used before for something else; use a new one',
    { requestId: found.requestId },
  )
}

/** Its person id, of somebody who can sign in; `null` when nobody is named. */
async function personNamed(
  ctx: SigningContext,
  reference: string | undefined,
): Promise<string | null> {
  if (reference === undefined) return null
  const person = await ctx.db
    .selectFrom('person')
    .select('id')
    .where(
      sql<boolean>`(email = ${reference.toLowerCase()} or id::text = ${reference.toLowerCase()})`,
    )
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (person !== undefined) return person.id
  const message = 'is nobody whom this project names'
  throw new Problem('invalid_request', `onBehalfOf ${message}`, { field: 'onBehalfOf', message })
}

/** Whose runs may not be started by somebody, neither may its pre-approvals be used in their name. */
async function refuseWorker(
  ctx: SigningContext,
  program: Program,
  name: string | undefined,
): Promise<void> {
  if (name === undefined) return
  const policy = await ctx.policies.inForce()
  const worker = policy.workers.get(name)
  if (worker === undefined) throw new Problem('unknown_worker', `There is no worker ${name}`)
  const teams = worker.startableBy
  if (teams === null) return
  const owner = await ctx.db
    .selectFrom('person')
    .select(memberOf(teams).as('is_member'))
    .where('id', '=', program.ownerId)
    .executeTakeFirstOrThrow()
  if (owner.is_member) return
  throw new Problem(
    'forbidden',
    `Only programs of ${teams.join(' or ')} may use the worker ${name}`,
  )
}

async function refuseTooMany(tx: Tx, ownerId: string): Promise<void> {
  const most = limits.pendingRequestsPerOwner
  const row = await tx
    .selectFrom('external_request')
    .innerJoin('request', 'request.id', 'external_request.request_id')
    .select((builder) => builder.fn.countAll<string>().as('pending'))
    .where('external_request.owner_id', '=', ownerId)
    .where(sql<boolean>`request.state = 'pending' and request.kind = 'external'`)
    .executeTakeFirstOrThrow()
  if (Number(row.pending) < most) return
  throw new Problem(
    'rate_limited',
    `At most ${most} requests of one owner's programs may be pending`,
  )
}
