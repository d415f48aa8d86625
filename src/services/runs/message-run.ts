import { newId } from '#domain/new-id.ts'
import { Problem } from '#domain/problem.ts'
import type { RunBudget } from '#domain/runs/run-budget.ts'
import type { RunState } from '#domain/requests/request.ts'
import { isEnd, runTransitions, transition } from '#domain/requests/transitions.ts'
import { pictureTypesOf } from '#models/picture-types-of.ts'
import { putContent } from '#store/content/content.ts'
import { toJsonb } from '#store/database.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { restEnded } from '../core/runs/rest.ts'
import { refuseWhileStarting } from '../core/runs/waits-to-start.ts'
import { lockRun } from '../core/locks.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { onceForKey } from '../core/idempotency.ts'
import { withAttached } from '../core/attached-files.ts'
import { writeMessageText, nextSequence } from '../transcript/messages.ts'
import {
  namedFiles,
  readSentFiles,
  storeMessageFiles,
  type ReadSentFile,
  type SentFile,
} from '../transcript/sent-files.ts'
import { requireBudgetFits } from './starting/require-budget-fits.ts'
import { bySteering } from './may-steer-run.ts'

/** The most characters of one message. */
const messageCharacters = 100_000

export interface MessageRunInput {
  readonly runId: string
  readonly text: string
  /** a new budget, within the limits of the pinned worker */
  readonly budget?: RunBudget
  /** pictures and texts of the message */
  readonly files?: readonly SentFile[]
  readonly idempotencyKey?: string
}

export interface PostedMessage {
  readonly messageId: string
  readonly runId: string
  readonly state: RunState
}

/**
 * Posts a message that the run's next turn reads; a run that waits for input continues. The author
 * is behind every request opened afterwards (product.md 17). It takes the run's lock, as closing
 * does, so that the message is read or refused, never lost. Rejects with `not_found`, `forbidden`,
 * `invalid_request`, `run_ended` or `idempotency_key_reused`.
 */
export async function messageRun(
  ctx: ServiceContext,
  caller: Caller,
  input: MessageRunInput,
): Promise<PostedMessage> {
  const authority = await bySteering(ctx, caller, input.runId)
  if (input.text.trim() === '' || input.text.length > messageCharacters) {
    throw new Problem('invalid_request', `A message has 1 to ${messageCharacters} characters`, {
      field: 'text',
    })
  }
  const { idempotencyKey: key, files: sent = [], ...words } = input
  const files = await judgeByWorker(ctx, input, sent)
  const body = files.length === 0 ? words : { ...words, files: namedFiles(files) }
  const call = { caller, key, route: 'message-run', body }
  return inUnitOfWork(ctx, authority, (unit) =>
    onceForKey(unit.tx, call, () => postMessage(unit, caller, input, files)),
  )
}

/**
 * Judges budget and files by the run's pinned worker, and pictures by the endpoints in force, at
 * which the model is asked. Without either it reads nothing.
 */
async function judgeByWorker(
  ctx: ServiceContext,
  { runId, budget }: MessageRunInput,
  sent: readonly SentFile[],
): Promise<readonly ReadSentFile[]> {
  if (budget === undefined && sent.length === 0) return []
  const run = await ctx.db
    .selectFrom('run')
    .select(['worker', 'policy_digest'])
    .where('id', '=', runId)
    .executeTakeFirstOrThrow()
  const policy = await ctx.policies.byDigest(run.policy_digest)
  const worker = policy.workers.get(run.worker)
  if (budget !== undefined && worker !== undefined) requireBudgetFits(policy, worker, budget)
  if (sent.length === 0) return []
  const { config } = await ctx.policies.inForce()
  return readSentFiles(sent, worker === undefined ? null : pictureTypesOf(config, worker.model))
}

async function postMessage(
  unit: UnitOfWork,
  caller: Caller,
  input: MessageRunInput,
  files: readonly ReadSentFile[],
): Promise<PostedMessage> {
  const run = await lockRun(unit.tx, input.runId)
  if (isEnd(runTransitions, run.state)) {
    throw new Problem('run_ended', `This run is already ${run.state}`, { state: run.state })
  }
  refuseWhileStarting(run)
  const messageId = newId()
  const text = withAttached(input.text, namedFiles(files))
  await unit.tx
    .insertInto('message')
    .values({
      id: messageId,
      run_id: run.id,
      sequence: await nextSequence(unit.tx, run.id),
      role: 'user',
      author: toJsonb(caller.actor),
      content_hash: await putContent(unit.tx, writeMessageText(text)),
    })
    .execute()
  await storeMessageFiles(unit.tx, messageId, files)
  if (input.budget !== undefined) {
    const budget = toJsonb(input.budget)
    await unit.tx.updateTable('run').set({ budget }).where('id', '=', run.id).execute()
  }
  let { state } = run
  if (state === 'waiting_for_input') {
    state = transition(runTransitions, state, 'resume') ?? state
    await unit.tx
      .updateTable('run')
      .set({ state, failure: null, ...restEnded })
      .where('id', '=', run.id)
      .execute()
  }
  await unit.audit({
    type: 'run.messaged',
    runId: run.id,
    detail: {
      messageId,
      characters: input.text.length,
      ...(files.length === 0 ? {} : { files: files.map(({ hash }) => hash) }),
    },
  })
  await unit.event('run.changed', { runId: run.id })
  await unit.enqueue({ kind: 'signal_messaged', runId: run.id, payload: {} })
  return { messageId, runId: run.id, state }
}
