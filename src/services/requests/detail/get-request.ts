import { requestHeadline } from '#domain/requests/request-headline.ts'
import type { Json } from '#domain/json/json.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { editsOf } from '#domain/deciding/edits-policy.ts'
import { reachOf, reachWords } from '#domain/deciding/grant-reach.ts'
import { notOffered } from '#domain/policy/narrowed-scopes.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import type { Presentation } from '#domain/tools/presentation.ts'
import { starterName } from '#domain/text/starter-name.ts'
import { titleWithoutRequest } from '../facts/call-title.ts'
import { commentOf } from '../facts/comment-rows.ts'
import { readWords } from '../words/read-words.ts'
import { needsSignature } from '../facts/needs-signature.ts'
import { getRemainingTexts } from '#store/content/content.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { readAlike } from '../lists/read-alike.ts'
import { findRequest } from '../people/find-request.ts'
import { namedFilesOf, withWriters } from '../facts/named-files.ts'
import { eligiblePeople } from './eligible-people.ts'
import { missingAfterEdit } from './missing-after-edit.ts'
import { readDetail, type DetailRow } from './read-detail.ts'
import { readProgramFacts } from './read-external.ts'
import { readItems } from '../lists/read-items.ts'
import { presentationProblem, type DisplayedRequest } from './check-presentation.ts'
import type { RequestDetailRecord, RequestItemRecord } from '../facts/request-record.ts'
import { viewerOf, type Viewer } from '../people/viewer.ts'

/**
 * Reads everything about one request, by id or number, with the caller's eligibility and a
 * `version` that changes with any of it: nine queries, one for the files of a command, and two for
 * alike requests. Rejects with `not_found` for a request that the caller may not see.
 */
export async function getRequest(
  ctx: ServiceContext,
  caller: Caller,
  query: { readonly request: string },
): Promise<RequestDetailRecord> {
  const viewer = await viewerOf(ctx, caller)
  const { id } = await findRequest(ctx.db, viewer, query.request)
  const [item] = await readItems(ctx.db, caller, [id], { shownIn: 'detail' })
  if (item === undefined) throw new Error(`Request ${id} no longer exists`)
  const { row, hashes, texts } = await readContents(ctx, id)
  const wordsOf = await readWords(ctx.db, hashes, texts)
  const textOf = (hash: string | null): string | null => (hash === null ? null : wordsOf(hash))
  const input = JSON.parse(texts.get(row.input_hash) ?? 'null') as Json
  const presentation = presentationOf(row, texts)
  const record = {
    ...item,
    ...answerRights(caller, viewer, item),
    ...(await undecidable(ctx, item, { inputHash: row.input_hash, presentation })),
    alike: await readAlike(ctx.db, { caller, viewer }, id),
    input,
    namedFiles: await withWriters(ctx.db, id, namedFilesOf(item, presentation)),
    scopeCoverage: coverageOf(item, input, row.facts),
    scopesNotOffered: notOffered(item.tool, item.allowedScopes, row.narrowed ?? {}),
    presentation,
    batch:
      item.batch === null
        ? null
        : {
            ...item.batch,
            finished: row.finished,
            otherRequests: row.other_requests,
            siblings: siblingsOf(row, texts),
          },
    runState: row.run_state,
    eligiblePeople: eligiblePeople(item, row),
    decisions: row.decisions.map(({ reasonHash, at, ...decision }) => ({
      ...decision,
      at: new Date(at),
      reason: textOf(reasonHash),
    })),
    previous: row.previous.map(({ reasonHash, ...request }) => ({
      ...request,
      reason: textOf(reasonHash),
    })),
    comments: row.comments.map((comment) => commentOf(comment, wordsOf)),
    revisions: row.revisions.map(({ reasonHash, at, ...revision }) => ({
      ...revision,
      reason: textOf(reasonHash),
      at: new Date(at),
    })),
    edits: editsOf(row.edits, item),
    missingAfterEdit: missingAfterEdit(caller, item, row),
    signatureRequired: needsSignature({ ...item, routing: { signature: row.signature } }),
    facts: row.facts,
    external: await readProgramFacts(ctx, id, item.external),
    outcomeOf: row.outcome_of,
    outcomeCheck: await findOutcomeCheck(ctx, item),
    erased: row.erased === null ? null : { ...row.erased, at: new Date(row.erased.at) },
  }
  return { ...record, version: hashBytes(JSON.stringify(record)) }
}

/** Holders of `manageRuns` may answer the questions of any run (product.md 30). */
function answerRights(
  { actor }: Caller,
  { managesRuns }: Viewer,
  { kind, state, runId }: RequestItemRecord,
): Partial<Pick<RequestItemRecord, 'eligibility'>> {
  const may = managesRuns && actor.type === 'person' && runId !== null
  if (!may || kind !== 'question' || state !== 'pending') return {}
  return { eligibility: { canDecide: true, reason: null } }
}

/** The newest request that asks what became of a call whose outcome is unknown. */
async function findOutcomeCheck(
  ctx: ServiceContext,
  { id, runId, execution }: RequestItemRecord,
): Promise<string | null> {
  if (execution.state !== 'unknown') return null
  if (runId === null) {
    // SQL may have written any id there: only a check of this request is one.
    const check = await ctx.db
      .selectFrom('gateway_call')
      .innerJoin('request', 'request.id', 'gateway_call.outcome_check_id')
      .select('request.id')
      .where('gateway_call.request_id', '=', id)
      .where('request.kind', '=', 'outcome_check')
      .where('request.outcome_of', '=', id)
      .executeTakeFirst()
    return check?.id ?? null
  }
  const check = await ctx.db
    .selectFrom('request')
    .select('id')
    .where('run_id', '=', runId)
    .where('outcome_of', '=', id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return check?.id ?? null
}

/** Why nobody can decide because rows were changed by SQL. */
async function undecidable(
  ctx: ServiceContext,
  { id: requestId, kind, state }: RequestItemRecord,
  contents: Omit<DisplayedRequest, 'requestId' | 'kind'>,
): Promise<Partial<Pick<RequestItemRecord, 'eligibility' | 'allowedDecisions'>>> {
  if (state !== 'pending') return {}
  const eligibility = await presentationProblem(ctx, { requestId, kind, ...contents })
  return eligibility === null ? {} : { eligibility, allowedDecisions: [] }
}

/** Its rows and the texts that they name, read again if the contents were erased in between. */
async function readContents(ctx: ServiceContext, id: string) {
  for (let again = false; ; again = true) {
    const row = await readDetail(ctx.db, id)
    const hashes = hashesOf(row)
    const texts = await getRemainingTexts(ctx.db, hashes)
    const isWhole = texts.has(row.input_hash) && texts.has(row.presentation_hash)
    if (isWhole || again) return { row, hashes, texts }
  }
}

/** What an approval with each scope would cover, by the same rules as giving a grant. */
function coverageOf(
  item: RequestItemRecord,
  input: Json,
  facts: CallFacts,
): RequestDetailRecord['scopeCoverage'] {
  const [root] = item.lineage
  return item.allowedScopes.flatMap((scope) => {
    const reach = reachOf(scope, { tool: item.tool, digest: item.digest, input, facts })
    if (reach === null) return []
    const words = reachWords(
      reach,
      root === undefined
        ? null
        : {
            worker: root.worker,
            startedBy: starterName(root.startedBy),
            isOwn: root.runId === item.runId,
          },
    )
    return [{ ...reach, covers: words }]
  })
}

function hashesOf(row: DetailRow): string[] {
  const textOf = [...row.decisions, ...row.previous, ...row.revisions].flatMap(
    (one) => one.reasonHash ?? [],
  )
  const comments = row.comments.map((comment) => comment.textHash)
  const titles = row.siblings.flatMap(({ titleInput }) => titleInput ?? [])
  return [row.input_hash, row.presentation_hash, ...textOf, ...comments, ...titles]
}

type Siblings = NonNullable<RequestDetailRecord['batch']>['siblings']

function siblingsOf({ siblings }: DetailRow, texts: ReadonlyMap<string, string>): Siblings {
  return siblings.map(({ titleInput, headline, ...call }) => ({
    ...call,
    title:
      headline === null
        ? titleWithoutRequest(call.tool, texts.get(titleInput ?? ''))
        : requestHeadline(headline),
  }))
}

/** As stored; the digest is the row's, which the decision compares with. */
function presentationOf(row: DetailRow, texts: ReadonlyMap<string, string>): Presentation {
  const storedPresentation = JSON.parse(texts.get(row.presentation_hash) ?? '{}') as Presentation
  return { ...storedPresentation, digest: row.presentation_digest }
}
