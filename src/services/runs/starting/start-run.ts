import { v7 as uuidv7 } from 'uuid'
import { canonicalJson } from '#domain/digest.ts'
import type { Json, JsonObject } from '#domain/json.ts'
import { Problem } from '#domain/problem.ts'
import type { RunState } from '#domain/request.ts'
import { signStatement } from '#domain/statements/statement-bytes.ts'
import type { RunStatement } from '#domain/statements/statement.ts'
import type { RunMode } from '#domain/verdict.ts'
import type { Policy, WorkerDefinition } from '#policy/policy.ts'
import { inputProblem } from '#policy/worker/input-schema.ts'
import { putContent } from '#store/content/content.ts'
import type { Caller, SigningContext } from '../../core/context.ts'
import { isAnswered, onceForKey } from '../../core/idempotency.ts'
import { listedFiles, withAttached, type ReadFile } from '../../core/attached-files.ts'
import type { Principal } from '../../requests/people/principals-of-run.ts'
import { personBehind } from '../../requests/people/viewer.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { insertRun, workflowIdOf } from './insert-run.ts'
import { memberOf } from './member-of.ts'
import { readRunAttachments } from './read-run-attachments.ts'
import { assertReachable } from './reachable-approvers.ts'
import { rightsOf } from '../../core/rights-of.ts'
import { byEligibility, byProgram } from '../../core/authority.ts'

export interface StartRunInput {
  readonly worker: string
  /** text or an object */
  readonly input: Json
  /** absent: `prompt` */
  readonly mode?: RunMode
  /** paths in the workspace: files that the run is given with its task */
  readonly attachments?: readonly string[]
  /** it rests after each answer; absent: as the worker says of what people start, else not */
  readonly conversation?: boolean
  readonly idempotencyKey?: string
}

/**
 * What starting is answered with; dates are text, so that a repeated call gets the very same
 * answer.
 */
export interface StartedRun {
  readonly id: string
  /** short, for people */
  readonly number: number
  readonly workflowId: string
  readonly worker: string
  readonly state: RunState
  readonly mode: RunMode
  readonly conversation: boolean
  readonly startedBy: { readonly id: string; readonly name: string }
  readonly createdAt: string
}

/**
 * Starts a run: its signed statement, its first message, the event and the start of its workflow
 * are written in one transaction. A key starts it for its owner. Rejects with `unknown_worker`,
 * `forbidden` (the worker's `startableBy`), `mode_not_permitted`, `unreachable_approvers`,
 * `invalid_request` (also by the worker's `input` schema), `idempotency_key_reused`, and for
 * attachments `policy_blocked` or `workspace_unreachable`.
 */
export async function startRun(
  ctx: SigningContext,
  caller: Caller,
  input: StartRunInput,
): Promise<StartedRun> {
  const personId = personBehind(caller)
  const policy = await ctx.policies.inForce()
  const worker = policy.workers.get(input.worker)
  if (worker === undefined) {
    throw new Problem('unknown_worker', `There is no worker ${input.worker.slice(0, 80)}`)
  }
  const mode = input.mode ?? 'prompt'
  const starter = await starterOf(ctx, worker, personId)
  const authority =
    caller.actor.type === 'machine'
      ? byProgram(caller)
      : byEligibility(caller, starter, new Problem('forbidden', 'Only people start runs'))
  if (mode === 'approve_all' && !(await rightsOf(ctx, personId)).has('startApproveAll')) {
    throw new Problem(
      'mode_not_permitted',
      'Starting a run in the mode approve_all needs the right startApproveAll (countersign.yaml, rights)',
    )
  }
  const task = taskText(input.input)
  requireInputFits(worker, input.input)
  const { idempotencyKey: key, attachments = [], ...rest } = input
  const body = attachments.length === 0 ? rest : { ...rest, attachments }
  // Read before the transaction, which must not wait for another host; a repeated call gets its
  // first answer.
  const files = (await isAnswered(ctx.db, { caller, key }))
    ? null
    : await readRunAttachments(ctx, { worker: worker.name, startedBy: personId, attachments })
  const answer = await inUnitOfWork(ctx, authority, (unit) =>
    onceForKey(unit.tx, { caller, key, route: 'start-run', body }, async () => {
      if (files === null) throw new Error('The answer to this key is gone')
      await assertReachable(unit.tx, policy, worker, behindStart(caller, personId))
      return recordRun(ctx, unit, caller, {
        input: input.input,
        text: withAttached(task, files),
        files,
        mode,
        policy,
        worker,
        starter,
        conversation: isConversation(caller, worker, input),
      })
    }),
  )
  if (answer instanceof Problem) throw answer
  return answer
}

/** Who will stand behind what the run asks, as far as its start decides it (product.md 17). */
export function behindStart({ actor }: Caller, personId: string): readonly Principal[] {
  if (actor.type !== 'machine') return [{ personId, why: 'started' }]
  const { ownerId, proposedBy } = actor
  return [
    ...(proposedBy === undefined ? [] : [{ personId: proposedBy, why: 'proposed_key' } as const]),
    { personId: ownerId, why: 'owns_key' },
  ]
}

/** Programs say so themselves: a key's runs end with their answer unless its request asks else. */
function isConversation(
  { actor }: Caller,
  worker: WorkerDefinition,
  { conversation }: StartRunInput,
): boolean {
  return conversation ?? (actor.type === 'person' && worker.conversation === true)
}

interface RunToRecord {
  readonly input: Json
  readonly text: string
  readonly files: readonly ReadFile[]
  readonly mode: RunMode
  readonly policy: Policy
  readonly worker: WorkerDefinition
  readonly conversation: boolean
  readonly starter: { readonly id: string; readonly name: string }
}

async function recordRun(
  ctx: SigningContext,
  unit: UnitOfWork,
  caller: Caller,
  start: RunToRecord,
): Promise<StartedRun> {
  const { tx } = unit
  const { policy, worker, starter, mode } = start
  const id = uuidv7()
  const statement: RunStatement = {
    version: 1,
    runId: id,
    rootRunId: id,
    parentCallId: null,
    workerName: worker.name,
    workerDigest: worker.digest,
    inputDigest: await putContent(tx, canonicalJson(start.input)),
    mode,
    startedBy: starter.id,
  }
  const run = await insertRun(tx, {
    id,
    parent: null,
    worker,
    policyDigest: policy.digest,
    mode,
    input: start.input,
    inputDigest: statement.inputDigest,
    startedBy: starter.id,
    apiKeyId: caller.actor.type === 'machine' ? caller.actor.id : null,
    taskQueue: policy.config.workspaces.get('default')?.taskQueue ?? ctx.taskQueue,
    signed: signStatement(ctx.signer, 'run', statement),
    text: start.text,
    attachments: listedFiles(start.files),
    author: caller.actor,
    restForMs: start.conversation ? worker.restForMs : null,
  })
  await unit.audit({
    type: 'run.started',
    runId: id,
    policyDigest: policy.digest,
    detail: {
      worker: worker.name,
      workerDigest: worker.digest,
      inputDigest: statement.inputDigest,
      mode,
      startedBy: starter.id,
      ...(start.files.length === 0 ? {} : { attachments: start.files.map(({ hash }) => hash) }),
    },
  })
  await unit.event('run.changed', { runId: id })
  await unit.enqueue({ kind: 'start_run', runId: id, payload: {} })
  return {
    id,
    number: run.number,
    workflowId: workflowIdOf(id),
    worker: worker.name,
    state: run.state,
    mode,
    conversation: start.conversation,
    startedBy: starter,
    createdAt: run.createdAt.toISOString(),
  }
}

/** Who starts, if the worker lets them: `startableBy` names teams, in which they have to be now. */
export async function starterOf(
  ctx: Pick<SigningContext, 'db'>,
  worker: WorkerDefinition,
  personId: string,
): Promise<{ readonly id: string; readonly name: string }> {
  const person = await ctx.db
    .selectFrom('person')
    .select(['id', 'name'])
    .select(memberOf(worker.startableBy ?? []).as('is_member'))
    .where('id', '=', personId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (person === undefined) throw new Problem('forbidden', 'This account is disabled')
  const teams = worker.startableBy
  if (teams !== null && !person.is_member) {
    throw new Problem('forbidden', `Only members of ${teams.join(' or ')} may start ${worker.name}`)
  }
  return { id: person.id, name: person.name }
}

/** What the run is asked, as text: an object as JSON. */
function taskText(task: Json): string {
  const isObject = task !== null && typeof task === 'object' && !Array.isArray(task)
  if (typeof task !== 'string' && !isObject) {
    throw new Problem('invalid_request', 'The input is text or an object', { field: 'input' })
  }
  // The input has a canonical form, which has no lone surrogate, and a title, which has no NUL.
  if (!isStorable(task)) {
    throw new Problem('invalid_request', 'The input holds a NUL or half a character', {
      field: 'input',
    })
  }
  return typeof task === 'string' ? task : JSON.stringify(task satisfies JsonObject, null, 2)
}

/** What a run of the worker is started with fits the schema in its file. */
function requireInputFits(worker: WorkerDefinition, input: Json): void {
  const wrong = worker.input === null ? null : inputProblem(worker.input, input)
  if (wrong === null) return
  const { field, problem } = wrong
  throw new Problem('invalid_request', `${field} ${problem}`, { field })
}

function isStorable(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (value === null || typeof value !== 'object') return true
  if (Array.isArray(value)) return value.every(isStorable)
  return Object.entries(value).every(([key, member]) => isStorable(key) && isStorable(member))
}
