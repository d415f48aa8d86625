import { z } from 'zod'
import { problemStatus, type ProblemCode } from '../../domain/problem.ts'
import { text } from './common.ts'

const codes = Object.keys(problemStatus) as [ProblemCode, ...ProblemCode[]]

/** RFC 9457. `code` is stable; further members carry the facts, such as `decidedBy` or `digest`. */
export const problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(codes),
    detail: z.string(),
    requestId: z.string(),
  })
  .meta({ id: 'Problem' })
export type ProblemBody = z.infer<typeof problem>

/** What was wrong with a field of the question; facts of `invalid_request`. */
export const fieldProblem = z.object({ field: text(1000), message: z.string() })
export type FieldProblem = z.infer<typeof fieldProblem>
