import { sql } from 'kysely'
import type { Presentation } from '#domain/tools/presentation.ts'
import { Problem } from '#domain/problem.ts'
import type { Verdict } from '#domain/policy/verdict.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import type { Routing } from '#domain/deciding/judgement.ts'
import { getRemainingTexts } from '#store/content/content.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { tamperedProblem } from '../../core/problems/tampered.ts'
import { isWhole } from '../../requests/detail/check-presentation.ts'
import { needsSignature } from '../../requests/facts/needs-signature.ts'
import { titleInputHash, titleWithoutRequest } from '../../requests/facts/call-title.ts'
import { commentOf, commentRows, type CommentRow } from '../../requests/facts/comment-rows.ts'
import type {
  RequestDetailRecord,
  RequestItemRecord,
  TaskRecord,
} from '../../requests/facts/request-record.ts'
import { personOfTask, readTasks } from '../../requests/facts/read-tasks.ts'
import { readWords } from '../../requests/words/read-words.ts'
import { readItems } from '../../requests/lists/read-items.ts'
import { assertVisible } from '../visible-run.ts'

/** A request of a turn with everything that a decision of it needs. */
export interface PresentedRequest {
  readonly request: RequestItemRecord & {
    /** the presentation's digest, which an approval repeats */
    readonly seen: string
    readonly signatureRequired: boolean
    /** position of the earlier call of the turn that this one is shown on top of */
    readonly assumes: number | null
    readonly comments: RequestDetailRecord['comments']
  }
  readonly presentation: Presentation
}

export interface ChangeSetCall {
  readonly callId: string
  readonly position: number
  readonly tool: string
  readonly title: string
  readonly verdict: Verdict | null
  /** the call's newest request; `null`: there is none */
  readonly shown: PresentedRequest | null
  /** of a delegation: a request for each file that needs one */
  readonly attachments: readonly PresentedRequest[]
}

/** The calls of one turn, in call order, and the task of the root run. */
export interface ChangeSetRecord {
  readonly task: TaskRecord | null
  readonly calls: readonly ChangeSetCall[]
}

interface CallRow {
  readonly id: string
  readonly position: number
  readonly tool: string
  readonly verdict: Verdict | null
  readonly request_id: string | null
  /** hash of the input that its title is made from */
  readonly title_input: string | null
}

interface RevisionRow {
  readonly id: string
  readonly call_id: string
  readonly kind: string
  readonly facts: CallFacts
  readonly routing: Routing
  readonly presentation_hash: string
  readonly presentation_digest: string
  readonly comments: readonly CommentRow[]
}

/**
 * The change set of a turn (product.md 40): seven queries, and one more where a comment was erased.
 * Rejects with `not_found` for a run that the caller may not see, and for an unknown turn.
 */
export async function readChangeSet(
  ctx: ServiceContext,
  caller: Caller,
  { runId, turn }: { readonly runId: string; readonly turn: number },
): Promise<ChangeSetRecord> {
  await assertVisible(ctx, caller, runId)
  const { rows } = await sql<{ made: boolean; calls: CallRow[]; asked: RevisionRow[] }>`
    select exists (select 1 from message
          where run_id = ${runId} and turn = ${turn} and role = 'assistant')
        or exists (select 1 from tool_call where run_id = ${runId} and turn = ${turn}) as made,
      (select coalesce(json_agg(json_build_object('id', c.id, 'position', c.position, 'tool', c.tool,
          'verdict', c.verdict, 'request_id', c.request_id, 'title_input', ${titleInputHash('c')}) order by c.position), '[]')
        from tool_call c where c.run_id = ${runId} and c.turn = ${turn}) as calls,
      (select coalesce(json_agg(json_build_object('id', request.id, 'call_id', request.call_id,
          'kind', request.kind, 'routing', request.routing, 'facts', r.facts,
          'presentation_hash', r.presentation_hash, 'presentation_digest', r.presentation_digest,
          'comments', ${commentRows})
          order by request.position, request.number), '[]')
        from request join request_revision r
          on r.request_id = request.id and r.revision = request.revision
        where request.run_id = ${runId} and request.turn = ${turn}
          and request.superseded_by is null) as asked
  `.execute(ctx.db)
  const [row] = rows
  if (row?.made !== true) throw new Problem('not_found', `Run ${runId} has made no turn ${turn}`)
  const inputs = row.calls.flatMap((call) => call.title_input ?? [])
  const { records, texts } = await readPresentedRequests(ctx, caller, row.asked, inputs)
  const task = await taskOf(ctx, runId)
  return {
    task,
    calls: row.calls.map((call) => {
      const requests = row.asked.filter((one) => one.call_id === call.id)
      const own = call.request_id === null ? null : (records.get(call.request_id) ?? null)
      return {
        callId: call.id,
        position: call.position,
        tool: call.tool,
        title:
          own?.request.title ?? titleWithoutRequest(call.tool, texts.get(call.title_input ?? '')),
        verdict: call.verdict,
        shown: own,
        attachments: requests.flatMap(({ id, kind }) =>
          kind === 'attachment' ? (records.get(id) ?? []) : [],
        ),
      }
    }),
  }
}

/** The presented requests, and by hash all texts that were read: theirs and `others`. */
async function readPresentedRequests(
  ctx: ServiceContext,
  caller: Caller,
  rows: readonly RevisionRow[],
  others: readonly string[],
): Promise<{
  readonly records: ReadonlyMap<string, PresentedRequest>
  readonly texts: ReadonlyMap<string, string>
}> {
  const ids = rows.map((row) => row.id)
  const items = new Map((await readItems(ctx.db, caller, ids)).map((item) => [item.id, item]))
  const comments = rows.flatMap((row) => row.comments.map(({ textHash }) => textHash))
  const texts = await getRemainingTexts(ctx.db, [
    ...rows.map((row) => row.presentation_hash),
    ...comments,
    ...others,
  ])
  const wordsOf = await readWords(ctx.db, comments, texts)
  const records = new Map<string, PresentedRequest>()
  for (const row of rows) {
    const item = items.get(row.id)
    const storedText = texts.get(row.presentation_hash)
    if (item === undefined || storedText === undefined) continue
    const digest = row.presentation_digest
    const presentation: Presentation = { ...(JSON.parse(storedText) as Presentation), digest }
    // An approval states the digest, so it must be that of the presentation.
    if (item.state === 'pending' && !isWhole(presentation)) throw tamperedProblem('presentation')
    const signatureRequired = needsSignature({ ...item, routing: row.routing })
    records.set(row.id, {
      request: {
        ...item,
        seen: digest,
        signatureRequired,
        assumes: row.facts.assumes ?? null,
        comments: row.comments.map((comment) => commentOf(comment, wordsOf)),
      },
      presentation,
    })
  }
  return { records, texts }
}

/** The task of the root run. */
async function taskOf(ctx: ServiceContext, runId: string): Promise<ChangeSetRecord['task']> {
  const { id, by } = await ctx.db
    .selectFrom('run')
    .innerJoin('run as root', 'root.id', 'run.root_run_id')
    .select(['root.id', personOfTask('root').as('by')])
    .where('run.id', '=', runId)
    .executeTakeFirstOrThrow()
  const task = (await readTasks(ctx.db, [id], 'detail')).get(id)
  return task === undefined ? null : { ...task, by }
}
