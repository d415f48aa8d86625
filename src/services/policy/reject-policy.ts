import type { JsonObject } from '../../domain/json.ts'
import { Problem } from '../../domain/problem.ts'
import type { ProjectProblem } from '../../policy/policy.ts'
import type { Caller, SigningContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'

/** Records that files were offered which are not valid. */
export async function rejectPolicy(
  ctx: SigningContext,
  caller: Caller,
  problems: readonly ProjectProblem[],
  digest: string | null,
): Promise<void> {
  const errors = problems.filter((problem) => problem.severity === 'error')
  const shown = errors.slice(0, 50).map((one): JsonObject => ({ file: one.file, line: one.line }))
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

/** The refusal of a folder, with every problem as `file:line: what is wrong (what would be right)`. */
export function invalidProject(problems: readonly ProjectProblem[]): Problem {
  const errors = problems.filter((problem) => problem.severity === 'error')
  const [first] = errors
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  const facts = errors.map((one): JsonObject => ({ ...one }))
  return new Problem(
    'invalid_request',
    first === undefined ? 'The project folder is not valid' : `${describeProblem(first)}${more}`,
    { problems: facts },
  )
}

/** One line for people: `workers/notes.md:4: unknown key "zone" (did you mean "zones"?)`. */
export function describeProblem(problem: ProjectProblem): string {
  const place = problem.line === null ? problem.file : `${problem.file}:${problem.line}`
  return `${place}: ${problem.problem} (${problem.remedy})`
}
