import { limits } from '#domain/limits.ts'
import { Problem } from '#domain/problem.ts'
import { parsePath } from '#sandbox/names/path-names.ts'
import type { SigningContext } from '../../core/context.ts'
import type { ReadFile } from '../../core/attached-files.ts'

/**
 * Reads the attachments of a run on the host of the workspace. Rejects with `invalid_request` or
 * `policy_blocked`, which name the file, and `workspace_unreachable`. Without files it does
 * nothing.
 */
export async function readRunAttachments(
  ctx: Pick<SigningContext, 'readAttachments'>,
  start: {
    readonly worker: string
    readonly startedBy: string
    readonly workspace: string
    readonly attachments: readonly string[]
  },
): Promise<readonly ReadFile[]> {
  const { attachments, startedBy, worker, workspace } = start
  if (attachments.length === 0) return []
  if (attachments.length > limits.attachmentsPerCall) {
    const text = `A run can have at most ${limits.attachmentsPerCall} attachments`
    throw new Problem('invalid_request', text, { field: 'attachments' })
  }
  const paths = attachments.map((path, at) => {
    const pathResult = parsePath(path)
    const problem = pathResult.ok
      ? pathResult.path === ''
        ? 'It names no file.'
        : null
      : pathResult.problem
    if (problem !== null || !pathResult.ok) throw refuse(at, 'invalid_request', problem ?? '')
    return pathResult.path
  })
  for (const [at, path] of paths.entries()) {
    if (paths.indexOf(path) < at) throw refuse(at, 'invalid_request', 'It is attached twice.')
  }
  const answer = await ctx.readAttachments({ attachmentsFor: worker, workspace, paths, startedBy })
  if (answer.ok) return answer.files
  throw refuse(answer.at, answer.code, answer.text)
}

function refuse(at: number, code: 'invalid_request' | 'policy_blocked', text: string): Problem {
  const field = `attachments.${at}`
  return new Problem(code, `${field}: ${text}`, { field })
}
