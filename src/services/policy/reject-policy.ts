import type { JsonObject } from '../../domain/json.ts'
import { Problem } from '../../domain/problem.ts'
import type { ProjectProblem } from '../../policy/policy.ts'
import type { Caller, SigningContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'

/** More problems than these are counted, not told. */
const mostTold = 50

/** Records that files were offered which are not valid. */
export async function rejectPolicy(
  ctx: SigningContext,
  caller: Caller,
  problems: readonly ProjectProblem[],
  digest: string | null,
): Promise<void> {
  const errors = problems.filter((problem) => problem.severity === 'error')
  const shown = errors
    .slice(0, mostTold)
    .map((one): JsonObject => ({ file: one.file.slice(0, 100), line: one.line }))
  await inUnitOfWork(ctx, (unit) =>
    unit.audit({
      type: 'policy.rejected',
      actor: caller.actor,
      channel: caller.channel,
      ...(digest === null ? {} : { digest }),
      detail: { problems: errors.length, at: shown },
    }),
  )
}

/** The refusal of a folder with every problem, a line each. */
export function invalidProject(problems: readonly ProjectProblem[]): Problem {
  const errors = problems.filter((problem) => problem.severity === 'error')
  const lines = errors.slice(0, mostTold).map(describeProblem)
  if (errors.length > mostTold) lines.push(`and ${errors.length - mostTold} more`)
  const facts = errors.slice(0, mostTold).map((one): JsonObject => ({ ...one }))
  return new Problem('invalid_request', lines.join('\n'), { problems: facts })
}

/** One line for people: `workers/notes.md:4: unknown key "zone" (did you mean "zones"?)`. */
function describeProblem(problem: ProjectProblem): string {
  const place = problem.line === null ? problem.file : `${problem.file}:${problem.line}`
  return `${place}: ${problem.problem} (${problem.remedy})`
}
