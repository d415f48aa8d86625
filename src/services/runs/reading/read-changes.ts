import { sql } from 'kysely'
import {
  builtInToolNames,
  builtInTools,
  fileTools,
  callWorkerName,
  gitPushName,
  isCommandTool,
  mergeBranchName,
} from '#domain/tools/built-in-tools.ts'
import { unchangedRuleId } from '#policy/judge/consent/unchanged.ts'
import type { Db } from '#store/database.ts'
import { countChangedLines, type HashedSides } from '#tools/presentations/line-hashes.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { keysBefore, pageFrom, type Page, type PageInput } from '../../core/pages.ts'
import type { Viewer } from '../../requests/people/viewer.ts'
import { runVisibleTo } from '../../requests/people/visible-to.ts'
import { assertVisible } from '../visible-run.ts'
import { NetChanges, type NetChange, type StoredChange, type VersionRef } from './net-changes.ts'

/** A file that differs from its state when the run began. */
export interface ChangedFile extends Omit<NetChange, 'versions'> {
  /** lines; `null`: not text, too large, or not recorded */
  readonly added: number | null
  readonly removed: number | null
}

export interface RunChangesRecord extends Page<ChangedFile> {
  /** listed files, on all pages together */
  readonly total: number
  /** changes by commands that are not listed: too many, too large, or no plain files */
  readonly more: number
  /** calls that have begun and may have changed files that are not listed */
  readonly unknown: { readonly commands: number; readonly calls: number }
}

/** Rows that are read at once; one line for each path is kept in memory. */
const batch = 5_000

/**
 * The net effect of a run, and of those below it that the caller may see, on files of the workspace
 * (product.md 28). Files that are unchanged in the end are not listed; calls with effects that
 * nobody knows file by file are only counted. Rejects with `not_found`.
 */
export async function readChanges(
  ctx: ServiceContext,
  caller: Caller,
  { runId, ...page }: PageInput & { readonly runId: string },
): Promise<RunChangesRecord> {
  const viewer = await assertVisible(ctx, caller, runId)
  const [after = ''] = keysBefore(page, 'changes', ['text']) ?? []
  const runs = await visibleRuns(ctx.db, viewer, runId)
  const net = new NetChanges()
  for await (const change of storedChanges(ctx.db, runs)) net.add(change)
  const all = net.items()
  const rest = all.filter(({ path }) => path > after)
  const { items, nextCursor } = pageFrom(rest, page, 'changes', ({ path }) => [path])
  return {
    items: await countLines(ctx.db, items),
    nextCursor,
    total: all.length,
    ...(await unlistedOf(ctx.db, runs)),
  }
}

/** The runs in the same workspace: paths of another one are other files. */
async function visibleRuns(db: Db, viewer: Viewer, runId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('run_lineage')
    .innerJoin('run', 'run.id', 'run_lineage.run_id')
    .innerJoin('run as own', 'own.id', 'run_lineage.ancestor_id')
    .select('run_lineage.run_id')
    .where('run_lineage.ancestor_id', '=', runId)
    .whereRef('run.workspace', '=', 'own.workspace')
    .where(runVisibleTo(viewer))
    .execute()
  return rows.map((row) => row.run_id)
}

async function* storedChanges(db: Db, runs: readonly string[]): AsyncGenerator<StoredChange> {
  for (let last = '0'; ;) {
    const { rows } = await sql<StoredChange>`
      select f.id, f.path, f.from_path as "from", f.before_hash as before, f.after_hash as after,
        r.number::int as request, json_build_object('id', c.id, 'runId', c.run_id,
          'turn', c.turn, 'position', c.position, 'tool', c.tool) as call
      from file_change f
      join tool_call c on c.id = f.call_id
      left join approval_grant g on g.id = c.grant_id
      left join request r on r.id = coalesce(c.request_id, g.request_id)
      where f.run_id = any(${[...runs]}::uuid[]) and f.id > ${last}
      order by f.id limit ${batch}
    `.execute(db)
    yield* rows
    if (rows.length < batch) return
    last = rows.at(-1)?.id ?? last
  }
}

async function countLines(db: Db, items: readonly NetChange[]): Promise<ChangedFile[]> {
  const lines = await linesOf(
    db,
    items
      .flatMap(({ versions }) => [versions.before, versions.after])
      .filter((ref) => ref !== null),
  )
  const sides = items.map(({ versions: { before, after } }): HashedSides | null => {
    const [old, fresh] = [before, after].map((ref) => (ref === null ? none : lines.get(keyOf(ref))))
    return old === undefined || fresh === undefined ? null : { before: old, after: fresh }
  })
  const present = sides.filter((side) => side !== null)
  const counts = (await countChangedLines(present)) ?? []
  return items.map(({ path, change, from, before, after, requests, calls }, index) => {
    const side = sides[index] ?? null
    const count = side === null ? null : (counts[present.indexOf(side)] ?? null)
    const [added, removed] = [count?.added ?? null, count?.removed ?? null]
    return { path, change, from, before, after, added, removed, requests, calls }
  })
}

const none = new Uint8Array()

function keyOf({ changeId, side }: VersionRef): string {
  return `${changeId} ${side}`
}

async function linesOf(
  db: Db,
  refs: readonly VersionRef[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (refs.length === 0) return new Map()
  const { rows } = await sql<{ id: string; side: VersionRef['side']; lines: Buffer }>`
    select f.id, wanted.side,
      case wanted.side when 'before' then f.before_lines else f.after_lines end as lines
    from unnest(${refs.map(({ changeId }) => changeId)}::bigint[], ${refs.map(({ side }) => side)}::text[])
      as wanted(id, side)
    join file_change f on f.id = wanted.id
    where case wanted.side when 'before' then f.before_lines else f.after_lines end is not null
  `.execute(db)
  return new Map(rows.map(({ id, side, lines }) => [keyOf({ changeId: id, side }), lines]))
}

const commandTools = builtInToolNames.filter(isCommandTool)

/**
 * A delegation's effects are counted in its run, an answer changes nothing, and a merge and a push
 * hand over what other calls of the run changed.
 */
const changeless = builtInToolNames.filter(
  (name) =>
    [callWorkerName, mergeBranchName, gitPushName].includes(name) ||
    builtInTools[name].consent === 'answer',
)

/**
 * The known changes of commands besides those with a row. Also the calls that have begun and may
 * have changed files without a record: calls of tools that do not only read, and writes with an
 * unknown end.
 */
async function unlistedOf(
  db: Db,
  runs: readonly string[],
): Promise<Pick<RunChangesRecord, 'more' | 'unknown'>> {
  const { rows } = await sql<{ more: number; commands: number; calls: number }>`
    select coalesce(sum(more), 0)::int as more,
      count(*) filter (where is_unknown and is_command)::int as commands,
      count(*) filter (where is_unknown and not is_command)::int as calls
    from (
      select c.tool = any(${commandTools}::text[]) as is_command, attempts.more,
        attempts.is_unknown
          and not exists (select from file_change f where f.call_id = c.id
            and not c.tool = any(${commandTools}::text[])) as is_unknown
      from tool_call c
      cross join lateral (
        select sum(e.more_changes) as more, bool_or(e.more_changes is null) as is_unknown
        from execution e
        where e.call_id = c.id and (e.state in ('started', 'succeeded', 'unknown')
          or (e.state = 'failed' and not c.tool = any(${fileTools()}::text[])))
      ) attempts
      where c.run_id = any(${[...runs]}::uuid[]) and not c.read_only and not c.tool = any(${changeless}::text[])
        and not coalesce(c.rule->>'id' = ${unchangedRuleId}, false)
    ) begun
  `.execute(db)
  const { more = 0, commands = 0, calls = 0 } = rows[0] ?? {}
  return { more, unknown: { commands, calls } }
}
