import type { Selectable } from 'kysely'
import { canonicalJson } from '#domain/json/digest.ts'
import { verifyStatement, type Verifier } from '#domain/statements/statement-bytes.ts'
import type { RunStatement } from '#domain/statements/statement.ts'
import type { RunMode } from '#domain/policy/verdict.ts'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import type { WorktreeOfRun } from '#domain/tools/worktree.ts'
import type { RunTable } from '#store/tables/runs.ts'

/**
 * The signed statement of a run when the signature holds for its row; `null` otherwise. The
 * statement is made from the row's own columns, so that a changed column breaks the signature. The
 * executor trusts nothing else of a run (security.md 13); it reads the input from `content` by its
 * digest.
 */
export function verifyRun(verifier: Verifier, run: Selectable<RunTable>): RunStatement | null {
  return verifyStatement<RunStatement>(verifier, 'run', {
    statement: canonicalJson(statementOf(run)),
    signature: run.signature,
    keyId: run.key_id,
  })
}

/** What is signed of a run, from its row's columns. */
export function statementOf(run: Omit<Selectable<RunTable>, 'signature' | 'key_id'>): RunStatement {
  return {
    version: 1,
    runId: run.id,
    rootRunId: run.root_run_id,
    parentCallId: run.parent_call_id,
    ...(run.parent_run_id === null ? {} : { parentRunId: run.parent_run_id }),
    ...(run.forked_from === null ? {} : { forkedFrom: run.forked_from }),
    ...(run.start_request_id === null ? {} : { startRequestId: run.start_request_id }),
    workerName: run.worker,
    workerDigest: run.worker_digest,
    inputDigest: run.input_digest,
    mode: run.mode,
    startedBy: run.started_by,
    ...(run.workspace === defaultWorkspace ? {} : { workspace: run.workspace }),
    ...signedWorktree(run.worktree),
  }
}

/**
 * The signed facts of a worktree. The branch is not among them, because its name contains the run's
 * number, which is assigned later.
 */
export function signedWorktree(
  worktree: Omit<WorktreeOfRun, 'branch'> | null,
): Pick<RunStatement, 'worktree'> {
  if (worktree === null) return {}
  return { worktree: { base: worktree.base, baseCommit: worktree.baseCommit } }
}

/**
 * The mode that a run's calls are judged under: the signed one, whatever the row says. Without a
 * valid signature it is the strictest; nothing of such a run executes anyway.
 */
export function signedModeOf(verifier: Verifier, run: Selectable<RunTable>): RunMode {
  return findSignedMode(verifier, run) ?? 'strict'
}

/** Whether everything that is signed of a run, but its mode, is what the row says. */
export function isSignedInSomeMode(verifier: Verifier, run: Selectable<RunTable>): boolean {
  return findSignedMode(verifier, run) !== undefined
}

function findSignedMode(verifier: Verifier, run: Selectable<RunTable>): RunMode | undefined {
  const modes: readonly RunMode[] = [run.mode, 'prompt', 'strict', 'approve_all']
  return modes.find((mode) => verifyRun(verifier, { ...run, mode }) !== null)
}
