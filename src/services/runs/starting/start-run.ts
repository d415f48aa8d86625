import type { Json, JsonObject } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import type { RunBudget } from '#domain/runs/run-budget.ts'
import type { RunMode } from '#domain/policy/verdict.ts'
import { pictureTypesOf } from '#models/picture-types-of.ts'
import { didYouMean } from '#policy/reading/did-you-mean.ts'
import { inputProblem } from '#policy/worker/input-schema.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { workspacesOf } from '#policy/workspaces.ts'
import { onOneConnection, together } from '#store/connection/side-by-side.ts'
import type { Caller, SigningContext } from '../../core/context.ts'
import { isAnswered, onceForKey } from '../../core/idempotency.ts'
import { listedFiles, withAttached } from '../../core/attached-files.ts'
import { namedFiles, readSentFiles, type SentFile } from '../../transcript/sent-files.ts'
import type { Principal } from '../../requests/people/principals-of-run.ts'
import { personBehind } from '../../requests/people/viewer.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { requireBudgetFits } from './require-budget-fits.ts'
import { newRunOf, recordRun, type StartedRun } from './record-run.ts'
import type { PersonRef } from '../../requests/facts/request-record.ts'
import { readPersonRows } from './find-member.ts'
import { requireApproveAll, requireStarter } from './require-starter.ts'
import { readRunAttachments } from './read-run-attachments.ts'
import { worktreeStart } from './worktree-start.ts'
import { rightsOf } from '../../core/rights-of.ts'
import type { PersonRows } from '../../core/verified-person.ts'
import { byEligibility, byProgram, type Authority } from '../../core/authority.ts'

export interface StartRunInput {
  readonly worker: string
  /** text or an object */
  readonly input: Json
  /** one of those that the worker may work in; absent: its first */
  readonly workspace?: string
  /** absent: `prompt` */
  readonly mode?: RunMode
  /** paths in the workspace: files for the task */
  readonly attachments?: readonly string[]
  /** pictures and texts of the task */
  readonly files?: readonly SentFile[]
  /** it rests after each answer; absent: for people as the worker says, else not */
  readonly conversation?: boolean
  /** within the worker's limits */
  readonly budget?: RunBudget
  readonly idempotencyKey?: string
}

/**
 * Starts a run: writes its signed statement, its first message, the event and the start of its
 * workflow in one transaction. A key starts it for its owner. Rejects with `unknown_worker`,
 * `forbidden` (the worker's `startableBy`), `mode_not_permitted`, `unreachable_approvers`,
 * `invalid_request` (also by the worker's `input` schema and `workspace`),
 * `idempotency_key_reused`, and for attachments `policy_blocked` or `workspace_unreachable`.
 */
export async function startRun(
  ctx: SigningContext,
  caller: Caller,
  input: StartRunInput,
): Promise<StartedRun> {
  const personId = personBehind(caller)
  const { idempotencyKey: key, attachments = [], files: sentFiles = [], ...rest } = input
  const [policy, person, isRepeated] = await onOneConnection(ctx.db, (on) =>
    together([
      ctx.policies.inForce(on),
      readPersonRows(on, personId),
      isAnswered(on, { caller, key }),
    ]),
  )
  const worker = policy.workers.get(input.worker)
  if (worker === undefined) {
    const hint = didYouMean(input.worker, [...policy.workers.keys()])
    throw new Problem('unknown_worker', `There is no worker ${input.worker.slice(0, 80)}; ${hint}`)
  }
  const mode = input.mode ?? 'prompt'
  const { starter, authority } = await judgeStart(ctx, caller, { person, worker, mode })
  requireBudgetFits(policy, worker, input.budget)
  const task = taskMessage(input.input)
  requireInputFits(worker, input.input)
  const workspace = chosenWorkspace(worker, input.workspace)
  const sent = readSentFiles(sentFiles, pictureTypesOf(policy.config, worker.model))
  const named = namedFiles(sent)
  const body = {
    ...rest,
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(named.length === 0 ? {} : { files: named }),
  }
  // Read before the transaction, which must not wait for another host; a repeated call gets its
  // first answer.
  const files = isRepeated
    ? null
    : await readRunAttachments(ctx, {
        worker: worker.name,
        startedBy: personId,
        workspace,
        attachments,
      })
  const worktree = isRepeated ? null : await worktreeStart(ctx, policy, workspace)
  return inUnitOfWork(ctx, authority, (unit) =>
    onceForKey(unit.tx, { caller, key, route: 'start-run', body }, async () => {
      if (files === null) throw new Error('The stored answer for this key no longer exists')
      return recordRun(ctx, unit, caller, {
        input: input.input,
        text: withAttached(task, [...files, ...named]),
        attachments: listedFiles(files),
        files: sent,
        mode,
        ...newRunOf(ctx, policy, worker, workspace),
        worktree,
        starter,
        principals: behindStart(caller, personId),
        isConversation: isConversation(caller, worker, input),
        budget: input.budget ?? null,
      })
    }),
  )
}

/**
 * The authority of the caller to start the worker in this mode. `person` has the rows of the person
 * behind the caller: rows of anybody else are an error. Rejects with `forbidden` or
 * `mode_not_permitted`.
 */
export async function judgeStart(
  ctx: SigningContext,
  caller: Caller,
  { person, worker, mode }: WantedStart,
): Promise<{ readonly starter: PersonRef; readonly authority: Authority }> {
  const personId = personBehind(caller)
  const starter = requireStarter(ctx.seals, worker, person)
  if (starter.id !== personId) throw new Error(`${starter.id} does not start as ${personId}`)
  const authority =
    caller.actor.type === 'machine'
      ? byProgram(caller)
      : byEligibility(caller, starter, () => new Problem('forbidden', 'Only people can start runs'))
  if (mode === 'approve_all') requireApproveAll(await rightsOf(ctx, personId))
  return { starter, authority }
}

interface WantedStart {
  readonly person: PersonRows | null
  readonly worker: WorkerDefinition
  readonly mode: RunMode
}

/** The people behind the run's requests, as far as its start determines them (product.md 17). */
export function behindStart({ actor }: Caller, personId: string): readonly Principal[] {
  if (actor.type !== 'machine') return [{ personId, why: 'started' }]
  const { ownerId, proposedBy } = actor
  return [
    ...(proposedBy === undefined ? [] : [{ personId: proposedBy, why: 'proposed_key' } as const]),
    { personId: ownerId, why: 'owns_key' },
  ]
}

/** Programs must ask for it: a key's run ends with its answer unless its request says otherwise. */
function isConversation(
  { actor }: Caller,
  worker: WorkerDefinition,
  { conversation }: StartRunInput,
): boolean {
  return conversation ?? (actor.type === 'person' && worker.conversation === true)
}

/** The person who starts it, if `startableBy` names one of their present teams. */
export async function starterOf(
  ctx: Pick<SigningContext, 'db' | 'seals'>,
  worker: WorkerDefinition,
  personId: string,
): Promise<PersonRef> {
  return requireStarter(ctx.seals, worker, await readPersonRows(ctx.db, personId))
}

/** Throws `invalid_request` for a workspace in which the worker's runs do not work. */
function chosenWorkspace(worker: WorkerDefinition, name: string | undefined): string {
  const allowed = workspacesOf(worker)
  if (name === undefined) return allowed[0]
  if (allowed.includes(name)) return name
  const text = `workspace: runs of ${worker.name} work in ${allowed.join(' or ')}`
  throw new Problem('invalid_request', text, { field: 'workspace' })
}

/** The task of the run as text: an object as JSON. */
export function taskMessage(task: Json): string {
  const isObject = task !== null && typeof task === 'object' && !Array.isArray(task)
  if (typeof task !== 'string' && !isObject) {
    throw new Problem('invalid_request', 'The input is text or an object', { field: 'input' })
  }
  // The input needs a canonical form, without lone surrogates, and a title, without NUL.
  if (!isStorable(task)) {
    throw new Problem('invalid_request', 'The input has a NUL character or half a surrogate pair', {
      field: 'input',
    })
  }
  return typeof task === 'string' ? task : JSON.stringify(task satisfies JsonObject, null, 2)
}

/** Checks the input of a run against the schema in the worker file. */
export function requireInputFits(worker: WorkerDefinition, input: Json): void {
  const wrong = worker.input === null ? null : inputProblem(worker.input, input)
  if (wrong === null) return
  const { field, sentence } = wrong
  throw new Problem('invalid_request', sentence, { field })
}

function isStorable(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (value === null || typeof value !== 'object') return true
  if (Array.isArray(value)) return value.every(isStorable)
  return Object.entries(value).every(([key, member]) => isStorable(key) && isStorable(member))
}
