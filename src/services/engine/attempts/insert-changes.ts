import { sql, type RawBuilder } from 'kysely'
import type { FileChange, FileSide } from '#domain/tools/file-change.ts'

/**
 * The statements that store what an attempt did to files. The end of an attempt may be stored
 * twice, when an answer of the database was lost; its changes are stored once.
 */
export function insertChanges(
  runId: string,
  { callId, attempt }: { readonly callId: string; readonly attempt: number },
  changes: readonly FileChange[],
): RawBuilder<unknown>[] {
  return changes.map(
    ({ path, from, before, after }, index) => sql`
      insert into file_change (run_id, call_id, attempt, position, path, from_path,
        before_hash, after_hash, before_lines, after_lines)
      values (${runId}, ${callId}, ${attempt}, ${index + 1}, ${path}, ${from},
        ${before?.hash ?? null}, ${after?.hash ?? null}, ${linesOf(before)}, ${linesOf(after)})
      on conflict (call_id, attempt, position) do nothing
    `,
  )
}

function linesOf(side: FileSide | null): Buffer | null {
  return side === null || side.lines === null ? null : Buffer.from(side.lines)
}
