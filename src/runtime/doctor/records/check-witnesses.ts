import { countWords } from '#domain/text/quantities/count-words.ts'
import { readWitnesses, type WitnessStatus } from '#store/audit/witnesses.ts'
import { askDatabase } from '../target/open-servers.ts'
import type { Check, Finding } from '../target/check.ts'

const check = 'witness'
const slowMs = 10 * 60_000

/** Each configured witness saw this log only, and is not far behind. */
export const checkWitnesses: Check = (target) =>
  askDatabase(target, async (db) =>
    (await readWitnesses(db)).map((witness) => findingOf(witness, target.isAtWork)),
  )

function findingOf(witness: WitnessStatus, isAtWork: boolean): Finding {
  const { name, size, cosignedAt, lagMs, problem, isContradicted } = witness
  const until =
    cosignedAt === null
      ? 'nothing yet'
      : `${countWords(size, 'event')}, the last time at ${cosignedAt.toISOString()}`
  if (isContradicted) {
    return {
      check,
      state: 'problem',
      found: `${name} says that it has another history of the log: ${problem ?? 'it said so before'}`,
      remedy:
        'the database was changed or set back behind the service, or the witness is wrong: keep the database as it is, and ' +
        'compare it with the checkpoint that the witness keeps (docs/witnesses.md)',
    }
  }
  if (lagMs < slowMs) return { check, state: 'ok', found: `${name} cosigned ${until}` }
  return {
    check,
    state: isAtWork ? 'problem' : 'warning',
    found: `${name} cosigned ${until}; what came since has waited for ${Math.round(lagMs / 1000)} s (${problem ?? 'it was not asked'})`,
    remedy: 'it catches up as soon as an API process runs and the witness answers',
  }
}
