import { callDigest } from '#domain/json/digest.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import { unclearNumberIn } from '#domain/json/number-literal.ts'
import type { Access } from '#domain/tools/access.ts'
import type { Tool } from '#domain/tools/tool.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { analyseCommand, type CommandAnalysis } from '../../shell/analyse-command.ts'

/** A call in the form that is shown, approved and executed. */
export interface CanonicalCall {
  readonly tool: Tool
  readonly input: JsonObject
  readonly digest: string
  readonly accesses: readonly Access[]
  /** the analysed command of a command tool; `null` for other tools */
  readonly command: CommandAnalysis | null
}

/**
 * Step 2: the canonical form, which the digest is over; or the problem of the input, for the model.
 * `workspace`: `null` where it cannot be read, for paths that depend on it.
 */
export async function canonicalCall(
  tool: Tool,
  input: Json,
  workspace: Workspace | null,
): Promise<{ readonly call: CanonicalCall } | { readonly error: string }> {
  const unclear = unclearNumberIn(input)
  if (unclear !== null) {
    return {
      error: `Invalid input for ${tool.name}: the number at ${unclear} is beyond 2^53, where readers disagree; give it as text`,
    }
  }
  const parsedInput = await tool.parse(input)
  if (!parsedInput.ok) {
    const problems = parsedInput.problems.join('; ')
    return {
      error: parsedInput.isUnread ? problems : `Invalid input for ${tool.name}: ${problems}`,
    }
  }
  const { input: canonical } = parsedInput
  const digest = digestOf(tool, canonical)
  if (digest === null) {
    return { error: `Invalid input for ${tool.name}: it holds text that is not valid Unicode` }
  }
  const commandLine = tool.command?.(canonical)
  const command = commandLine === undefined ? null : analyseCommand(commandLine)
  try {
    const touched = workspace === null ? [] : await tool.touches?.(canonical, workspace)
    const accesses = [...tool.accesses(canonical), ...(touched ?? [])]
    return { call: { tool, input: canonical, digest, accesses, command } }
  } catch (error) {
    if (!(error instanceof ToolProblem || error instanceof WorkspaceProblem)) throw error
    return { error: error.message }
  }
}

/** Lone surrogates and numbers beyond JSON have no canonical form, so no digest. */
function digestOf(tool: Tool, input: JsonObject): string | null {
  try {
    return callDigest({ tool: tool.name, input, toolHash: tool.definitionHash })
  } catch {
    return null
  }
}

/** A digest for calls without a canonical form, so that a refusal can be named. */
export function refusedDigest(tool: string, input: Json): string {
  try {
    return callDigest({ tool, input: { refused: input }, toolHash: 'none' })
  } catch {
    return callDigest({ tool: 'refused', input: {}, toolHash: 'none' })
  }
}
