import { Problem } from '#domain/problem.ts'
import type { ActivationStatement } from '#domain/statements/statement.ts'
import type { Db } from '#store/database.ts'
import { sideBySide } from '#store/connection/side-by-side.ts'
import { writeRecords } from '#store/records/records.ts'
import type { Log } from '../../core/context.ts'
import type { KnownPolicy, Memory } from '../../core/ledger.ts'

interface Parts {
  readonly db: Db
  /** runs its argument as if no connection were held: a transaction may have asked */
  readonly outside: <T>(work: () => T) => T
  readonly memory: Memory
  readonly log: Log
  /** what the memory had before the activation in force was read */
  readonly newest: KnownPolicy | null
}

/** The activations that this process has refused: one event for each, however often it is asked. */
const refusals = new WeakMap<Memory, Set<string>>()

/**
 * Compares the activation in force by the database with the newest one that this data folder saw
 * (security.md 29). An older one, another one under the same number, or one that does not follow
 * from it was inserted by SQL: rejects with `unavailable`, and records `policy.rejected` once. A
 * newer one is remembered.
 */
export async function refuseOlder(
  parts: Parts,
  statement: ActivationStatement | null,
  hash: string | null,
): Promise<void> {
  const { newest } = parts
  const sequence = statement?.sequence ?? 0
  if (newest !== null) {
    const forked = sequence === newest.sequence && hash !== newest.hash
    const unlinked =
      sequence === newest.sequence + 1 &&
      statement?.previousHash !== undefined &&
      statement.previousHash !== newest.hash
    if (sequence < newest.sequence || forked || unlinked) refuse(parts, newest.sequence, sequence)
    if (sequence === newest.sequence) return
  }
  if (hash !== null) await parts.memory.rememberPolicy({ sequence, hash })
}

function refuse(
  { db, memory, log, outside }: Parts,
  newestSequence: number,
  foundSequence: number,
): never {
  const versions = refusals.get(memory) ?? new Set()
  refusals.set(memory, versions)
  const what = `${newestSequence} ${foundSequence}`
  if (!versions.has(what)) {
    versions.add(what)
    log.error(
      { seen: newestSequence, found: foundSequence },
      'the policy in force was rolled back in the database',
    )
    // Not awaited: the caller may hold a connection, and must not wait for a second one. Its
    // rollback does not undo the record.
    const recorded = outside(() =>
      db.transaction().execute(async (alone) => {
        const entry = {
          type: 'policy.rejected',
          actor: { type: 'system', name: 'policy' },
          channel: 'system',
          detail: { why: 'rolled_back', seen: newestSequence, found: foundSequence },
        } as const
        const tx = await sideBySide(alone)
        await writeRecords(tx, { audit: [entry], events: [], outbox: [] }, null)
      }),
    )
    recorded.catch((error: unknown) => {
      versions.delete(what)
      log.error({ err: error }, 'the refusal of an older policy could not be recorded')
    })
  }
  throw new Problem(
    'unavailable',
    `Activation ${newestSequence} of the policy was in force here, but the database now has ${foundSequence}: somebody changed it. ` +
      'Restart the API to activate the project folder again, or, when it was restored from a backup, accept that with: countersign doctor --repair',
    { sequence: newestSequence, found: foundSequence },
  )
}
