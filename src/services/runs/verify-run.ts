import type { Selectable } from 'kysely'
import { hashJson } from '../../domain/digest.ts'
import { verifyStatement, type Verifier } from '../../domain/statement-bytes.ts'
import type { RunStatement } from '../../domain/statement.ts'
import type { RunTable } from '../../store/schema.ts'

/**
 * The signed statement of a run when its signature holds and the row says the same in every field; `null` otherwise.
 * The executor trusts nothing of a run but this (security.md 13).
 */
export function verifyRun(verifier: Verifier, run: Selectable<RunTable>): RunStatement | null {
  const statement = verifyStatement<RunStatement>(verifier, 'run', {
    statement: run.statement,
    signature: run.signature,
    keyId: run.key_id,
  })
  if (statement === null || statement.version !== 1) return null
  const same =
    statement.runId === run.id &&
    statement.rootRunId === run.root_run_id &&
    statement.parentCallId === run.parent_call_id &&
    statement.workerName === run.worker &&
    statement.workerDigest === run.worker_digest &&
    statement.inputDigest === run.input_digest &&
    statement.inputDigest === hashJson(run.input) &&
    statement.mode === run.mode &&
    statement.startedBy === run.started_by
  return same ? statement : null
}

/**
 * The mode a run's calls are judged under: the signed one, whatever the row says by now. Without a signature that holds
 * it is the strictest: nothing of such a run executes anyway.
 */
export function signedModeOf(verifier: Verifier, run: Selectable<RunTable>): RunStatement['mode'] {
  const statement = verifyStatement<RunStatement>(verifier, 'run', {
    statement: run.statement,
    signature: run.signature,
    keyId: run.key_id,
  })
  return statement?.runId === run.id ? statement.mode : 'strict'
}
