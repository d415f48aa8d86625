import { sql } from 'kysely'
import { untilStored } from '#store/connection/until-stored.ts'
import { finishExecution, notCarriedOut } from '../attempts/finish-execution.ts'
import { lockCall } from '../attempts/call-at-hand.ts'
import { bySystem, executor } from '../../core/authority.ts'
import type { SystemContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'

/** A start that was sent to Postgres: what it writes, and the id that no other start has. */
export interface SentStart {
  readonly callId: string
  readonly requestId: string | null
  readonly attempt: number
  readonly digest: string
  readonly startId: string
}

/**
 * `absent`: the start is not recorded. `givenUp`: it is, but its attempt counts as lost by now.
 */
type RecordedStart = 'started' | 'absent' | 'givenUp'

/**
 * Reads, once Postgres answers again, what became of a start whose commit failed. True: it is
 * recorded, and the caller carries the call out. False: people have been asked about the attempt
 * meanwhile; it did nothing, so it has failed. Rejects with `error` if nothing is recorded.
 */
export async function confirmStart(
  ctx: SystemContext,
  start: SentStart,
  error: unknown,
): Promise<boolean> {
  const recorded = await readOrFinish(ctx, start, notConfirmed)
  if (recorded === 'absent') throw error
  return recorded === 'started'
}

const notConfirmed = notCarriedOut(
  'start not confirmed in time',
  'This call was not carried out, because its host had no answer from the database.',
)

/**
 * Whether a start that Postgres has acknowledged may still be carried out. False: its attempt was
 * given up meanwhile, and has failed, since it did nothing; or its row is gone.
 */
export async function mayStillRun(ctx: SystemContext, start: SentStart): Promise<boolean> {
  return (await readOrFinish(ctx, start, tooLate)) === 'started'
}

const tooLate = notCarriedOut(
  'host stood still',
  'This call was not carried out, because its host stood still before it could begin.',
)

/** Reads a start. One that was given up did nothing: it is finished with `result`. */
async function readOrFinish(
  ctx: SystemContext,
  start: SentStart,
  result: ReturnType<typeof notCarriedOut>,
): Promise<RecordedStart> {
  const recorded = await untilStored(() => readStart(ctx, start))
  if (recorded === 'givenUp') await untilStored(() => finishExecution(ctx, start, result))
  return recorded
}

/** The run's lock, which a commit under way still holds, makes the answer final. */
async function readStart(
  ctx: SystemContext,
  { callId, attempt, startId }: SentStart,
): Promise<RecordedStart> {
  return inUnitOfWork(ctx, bySystem(ctx, executor), async ({ tx }) => {
    await lockCall(tx, callId)
    const row = await tx
      .selectFrom('execution')
      .select('state')
      .where('call_id', '=', callId)
      .where('attempt', '=', attempt)
      .where(sql<boolean>`detail ->> 'startId' = ${startId}`)
      .executeTakeFirst()
    if (row === undefined) return 'absent'
    return row.state === 'started' ? 'started' : 'givenUp'
  })
}
