import type { Json, JsonObject } from '#domain/json/json.ts'
import type { ParsedInput } from '#domain/tools/tool.ts'
import type { Approval } from '#domain/policy/verdict.ts'
import type { ToolContext } from '../define-tool.ts'
import type { ToolDescription } from '../tool-protocol.ts'

/** A tool of a tool file, in any of its forms. */
export interface LoadedTool {
  readonly description: ToolDescription
  parse(input: Json): Promise<ParsedInput>
  /**
   * `null`: no approval. Throws what the tool throws, or when its answer is neither a verdict nor a
   * boolean.
   */
  approval(input: JsonObject): Promise<Approval | null>
  /** `null`: the tool has no description of the call */
  describe(input: JsonObject): Promise<unknown>
  present(input: JsonObject): Promise<unknown>
  execute(input: JsonObject, context: ToolContext): Promise<unknown>
  /** the model's view of a result, in the AI SDK's form; absent: the result itself */
  modelOutput?(input: JsonObject, output: unknown, context: ToolContext): Promise<unknown>
}

/** Whether a value is a verdict, or a boolean that stands for one. */
export function isApproval(value: unknown): boolean {
  try {
    asApproval(value)
    return true
  } catch {
    return false
  }
}

/** A verdict, or a boolean (`true` asks). Anything else asks too, with its error. */
export function asApproval(answer: unknown): Approval {
  if (answer === true) return 'ask'
  if (answer === false) return 'preApproved'
  if (answer === 'ask' || answer === 'preApproved') return answer
  if (typeof answer === 'object' && answer !== null && 'blocked' in answer) {
    const { blocked } = answer
    if (typeof blocked === 'string' && Object.keys(answer).length === 1) return { blocked }
  }
  throw new TypeError('The approval function returned neither a verdict nor a boolean.')
}
