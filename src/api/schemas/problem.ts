import { z } from 'zod'
import { problemStatus, type ProblemCode } from '../../domain/problem.ts'

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
