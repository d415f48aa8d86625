import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '#domain/json/is-object.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import type { ProjectProblem } from '#policy/policy.ts'
import { parseEvent } from '#store/audit/event-document.ts'
import type { Tx } from '#store/database.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { byRefusal } from '../core/authority.ts'

/** More problems than these are only counted. */
const maxReported = 50

/**
 * Records that the files of a version were invalid. A watched folder is read at each step of a
 * save: the same problems are recorded once, until others are found or a version takes force.
 */
export async function rejectPolicy(
  ctx: SigningContext,
  caller: Caller,
  problems: readonly ProjectProblem[],
  digest: string | null,
): Promise<void> {
  const errors = problems.filter((problem) => problem.severity === 'error')
  const reported = errors
    .slice(0, maxReported)
    .map((problem): JsonObject => ({ file: problem.file.slice(0, 100), line: problem.line }))
  const detail = { problems: errors.length, at: reported }
  await inUnitOfWork(ctx, byRefusal({ type: 'policy.rejected', ...caller }), async (unit) => {
    if (caller.actor.type === 'system' && (await isRecorded(unit.tx, detail))) return
    await unit.audit({
      type: 'policy.rejected',
      ...(digest === null ? {} : { digest }),
      detail,
    })
  })
}

/** Whether the newest event about versions is the service's rejection with these problems. */
async function isRecorded(tx: Tx, detail: JsonObject): Promise<boolean> {
  const newestOf = (type: string) =>
    tx
      .selectFrom('audit_event')
      .select(['at', 'document'])
      .where('type', '=', type)
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
  const rejected = await newestOf('policy.rejected')
  if (rejected === undefined) return false
  const activated = await newestOf('policy.activated')
  if (activated !== undefined && activated.at >= rejected.at) return false
  const event = parseEvent(rejected.document)
  const actor = event?.['actor']
  return (
    isJsonObject(actor) &&
    actor['type'] === 'system' &&
    isDeepStrictEqual(event?.['detail'], detail)
  )
}

/** The refusal of a folder with every problem, a line each. */
export function invalidProject(problems: readonly ProjectProblem[]): Problem {
  const errors = problems.filter((problem) => problem.severity === 'error')
  const lines = errors.slice(0, maxReported).map(describeProblem)
  if (errors.length > maxReported) lines.push(`and ${errors.length - maxReported} more`)
  const facts = errors.slice(0, maxReported).map((problem): JsonObject => ({ ...problem }))
  return new Problem('invalid_request', lines.join('\n'), { problems: facts })
}

/** One line for people: `workers/notes.md:4: unknown key "zone" (did you mean "zones"?)`. */
function describeProblem(problem: ProjectProblem): string {
  const location = problem.line === null ? problem.file : `${problem.file}:${problem.line}`
  return `${location}: ${problem.problem} (${problem.remedy})`
}
