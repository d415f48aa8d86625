import { sql } from 'kysely'
import type { NamedFileView } from '#api/schemas/requests/request-parts.ts'
import { builtInToolNames, builtInTools, isCommandTool } from '#domain/tools/built-in-tools.ts'
import type { Json } from '#domain/json/json.ts'
import {
  namedFileKinds,
  type NamedFileKind,
  type Presentation,
} from '#domain/tools/presentation.ts'
import type { Db, Tx } from '#store/database.ts'
import type { RecordOf } from '../../core/record-of.ts'

/** The earlier call of the run, or of one with the same root, that wrote a file. */
export type WritingCall = RecordOf<NonNullable<NamedFileView['writtenBy']>>

/** A file that a command names, as it was when its request opened (dashboard.md, request). */
export type NamedFileRecord = RecordOf<NamedFileView>

const writingTools = builtInToolNames.filter((name) =>
  builtInTools[name].operations.includes('write'),
)

const kinds: ReadonlySet<unknown> = new Set(namedFileKinds)

/** The files that the command of a request names; only the built-in command tools record them. */
export function namedFilesOf(
  request: { readonly kind: string; readonly tool: string },
  presentation: Pick<Presentation, 'type' | 'metadata'>,
): readonly Omit<NamedFileRecord, 'writtenBy'>[] {
  const { files } = presentation.metadata
  const isCommand =
    request.kind === 'tool_call' && isCommandTool(request.tool) && presentation.type === 'command'
  if (!isCommand || !Array.isArray(files)) return []
  return files.flatMap((file) => {
    const one = namedFile(file)
    return one === null ? [] : [one]
  })
}

function namedFile(file: Json): Omit<NamedFileRecord, 'writtenBy'> | null {
  if (typeof file !== 'object' || file === null || Array.isArray(file)) return null
  const { bytes, hash, kind, path } = file
  if (typeof path !== 'string' || typeof bytes !== 'number' || typeof hash !== 'string') return null
  // Requests from before files were stored have no kind.
  return { path, bytes, hash, kind: kinds.has(kind) ? (kind as NamedFileKind) : 'large' }
}

/**
 * Adds to each file the newest earlier call of the same root run that wrote it: an agent could hide
 * what it does by writing a script and then asking to run it. One query, none without files. Files
 * that a command wrote are not known.
 */
export async function withWriters(
  db: Db | Tx,
  requestId: string,
  files: readonly Omit<NamedFileRecord, 'writtenBy'>[],
): Promise<readonly NamedFileRecord[]> {
  if (files.length === 0) return []
  const paths = files.map(({ path }) => path)
  const { rows } = await sql<WritingCall & { path: string }>`
    select distinct on (written.path) written.path, call.id as "callId", call.run_id as "runId",
      run.worker, call.tool, call.turn,
      case call.result_type when 'output' then 'done' when 'unknown' then 'unknown' else 'waiting' end as state
    from request as own
    join run on run.root_run_id = own.root_run_id
    join tool_call as call on call.run_id = run.id
    left join request as asked on asked.id = call.request_id
    left join request_revision as shown on shown.request_id = asked.id and shown.revision = asked.revision
    cross join lateral (
      select coalesce(call.facts, shown.facts)->'bases'->-1->>'path' as path
    ) as written
    where own.id = ${requestId}
      and call.tool = any(${writingTools})
      and (call.result_type is null or call.result_type in ('output', 'unknown'))
      and (call.finished_at < own.created_at
        or (call.run_id = own.run_id and call.turn = own.turn and call.position < own.position))
      and written.path = any(${paths})
    order by written.path, call.finished_at desc nulls first, call.position desc
  `.execute(db)
  const writers = new Map(rows.map(({ path, ...call }) => [path, call]))
  return files.map((file) => ({ ...file, writtenBy: writers.get(file.path) ?? null }))
}
