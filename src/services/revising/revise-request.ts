import type { RevisionOfRequest } from '../requests/opening/insert-revision.ts'
import type { Selectable } from 'kysely'
import { callWorkerName } from '#domain/tools/built-in-tools.ts'
import { hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import { editsOf } from '#domain/deciding/edits-policy.ts'
import { editsPolicies, type EditsPolicy } from '#domain/policy/verdict.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import type { RemoteJudgement } from '../core/host-queries.ts'
import { lockForAct } from '../core/locks.ts'
import type { RequestLocation } from '../requests/people/find-request.ts'
import { releaseOnFailure } from '../core/release-on-failure.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import type { DecisionFacts } from '../requests/facts/decision-facts.ts'
import { inputOf } from '../requests/facts/input-of.ts'
import { attemptOnRequest } from '../requests/people/attempt-on-request.ts'
import { factsWhileOpen } from '../requests/ending/refuse-ended.ts'
import { invalid, requireReasonFits } from '../core/problems/invalid.ts'
import { judgePerson, refuseStale } from '../decisions/judge-decision.ts'
import { judgeChange } from './judge-change.ts'
import { writeRevision } from './write-revision.ts'
import { byAttempt, type Authority } from '../core/authority.ts'

export interface ReviseRequestInput {
  /** id or number */
  readonly request: string
  /** the changed input of the call */
  readonly input: JsonObject
  /** of the revision that the editor saw */
  readonly digest?: string
  readonly revision: number
  readonly reason?: string
}

/**
 * Changes a call before it is decided (product.md 11). The host of the workspace judges the new
 * input from the start. It becomes the next revision, with a new presentation, without votes and,
 * under the queue's `revise`, with the editor behind it. Rejects with `policy_blocked`,
 * `edits_off`, `workspace_unreachable` (nothing changed) and the codes of a decision.
 */
export async function reviseRequest(
  ctx: SigningContext,
  caller: Caller,
  input: ReviseRequestInput,
): Promise<RevisionOfRequest> {
  return attemptOnRequest(ctx, caller, input.request, { attempt: 'revise' }, async (target) => {
    const expected = expectedOf(input)
    // Judging takes a round trip to another host: check first that the edit is possible, and hold
    // no lock meanwhile.
    const before = await inUnitOfWork(ctx, byAttempt(caller), (unit) =>
      editable(unit, caller, target, expected),
    )
    if (before instanceof Problem) return before
    await refuseOtherDelegation(ctx, before.request, input.input)
    const { judged: judgement, present } = await judgeChange(ctx, before.request, input.input)
    return releaseOnFailure(ctx.db, judgement.presented, async () => {
      refuseJudged(judgement, before.request)
      return inUnitOfWork(ctx, byAttempt(caller), async (attempt) => {
        const current = await editable(attempt, caller, target, expected)
        if (current instanceof Problem) return current
        const { request, personId, principals, editors } = current
        const edits = strictestEdits(request, judgement)
        if (edits === 'off') throw editsOff()
        const reason = input.reason ?? null
        const presented = await present(attempt.tx)
        await writeRevision(attempt.under(current.authority), caller, {
          request,
          personId,
          principals,
          editors,
          judged: judgement,
          presented,
          edits,
          reason,
        })
        const revision = request.revision + 1
        return { requestId: request.id, revision, digest: judgement.judgement.digest }
      })
    })
  })
}

function expectedOf(input: ReviseRequestInput): { digest: string; revision: number } {
  const { digest, revision, reason } = input
  if (digest === undefined || digest === '') {
    throw new Problem('digest_required', 'A change must name the digest that was shown')
  }
  requireReasonFits(reason ?? null)
  return { digest, revision }
}

interface Editable {
  readonly authority: Authority
  readonly request: Selectable<RequestTable>
  readonly personId: string
  readonly principals: DecisionFacts['principals']
  readonly editors: DecisionFacts['editors']
}

/** Locks the request, expires it after its deadline, and refuses who may not change it. */
async function editable(
  unit: UnitOfWork,
  caller: Caller,
  target: RequestLocation,
  expected: { readonly digest: string; readonly revision: number },
): Promise<Editable | Problem> {
  const request = await lockForAct(unit.tx, target)
  const facts = await factsWhileOpen(unit, caller, request)
  if (facts instanceof Problem) return facts
  // An earlier editor may edit it again, though perhaps not decide it.
  const others = facts.principals.filter((principal) => principal.why !== 'edited')
  const { person, authority } = judgePerson(caller, request, { ...facts, principals: others })
  if (!isChangeable(request)) throw editsOff()
  refuseStale(request, facts, expected)
  return {
    authority,
    request,
    personId: person.id,
    principals: facts.principals,
    editors: facts.editors,
  }
}

/** The approvers saw the worker and the files of a delegation: only its task may change. */
async function refuseOtherDelegation(
  ctx: SigningContext,
  request: Selectable<RequestTable>,
  changed: JsonObject,
): Promise<void> {
  if (request.tool !== callWorkerName) return
  const input = await inputOf(ctx.db, request)
  for (const field of ['worker', 'attachments']) {
    if (hashJson(input[field] ?? []) === hashJson(changed[field] ?? [])) continue
    throw invalid(`input.${field}`, 'of a delegation cannot be changed; deny it and say why')
  }
}

/** A question, a start or an outcome check has no call to change. */
function isChangeable({ kind, routing }: Selectable<RequestTable>): boolean {
  return (kind === 'tool_call' || kind === 'external') && routing.edits !== 'off'
}

function editsOff(): Problem {
  return new Problem('edits_off', 'This call cannot be changed; deny it and say why')
}

/** Refuses an edit that policy blocks or that changes nothing. */
function refuseJudged({ judgement }: RemoteJudgement, request: Selectable<RequestTable>): void {
  if (judgement.verdict === 'blocked') {
    throw new Problem('policy_blocked', judgement.reason, { rule: judgement.rule?.id ?? null })
  }
  if (judgement.verdict === 'error') throw invalid('input', judgement.reason)
  if (judgement.tool !== request.tool) throw invalid('input', 'is judged as another tool')
  if (judgement.digest === request.digest) throw invalid('input', 'changes nothing')
}

/** The stricter of the edit rules at the opening and now. */
function strictestEdits(request: Selectable<RequestTable>, answer: RemoteJudgement): EditsPolicy {
  const { routing, risk } = answer.judgement
  const all = [
    editsOf(request.routing.edits, request),
    editsOf(routing?.edits ?? request.routing.edits, { tool: request.tool, risk }),
  ]
  return editsPolicies.findLast((edits) => all.includes(edits)) ?? 'off'
}
