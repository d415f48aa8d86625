import type { Judgement } from '#domain/deciding/judgement.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { CallPresentation, Tool } from '#domain/tools/tool.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { effectOf } from '#tools/effects/effect-of.ts'
import { presentRaw } from '#tools/presentations/structured.ts'
import { locateCues } from '../../requests/opening/locate-cues.ts'
import { presentAttachments, type PresentedAttachment } from '../delegation/attachments.ts'

/** The presentation of a call, or the sentence for the model when it cannot run as it is. */
export type PresentationResult =
  | {
      readonly ok: true
      readonly presented: CallPresentation
      /** of a delegation: those that need an approval of their own */
      readonly attachments: readonly PresentedAttachment[]
    }
  | { readonly ok: false; readonly text: string }

/**
 * Builds the presentation for approvers. If that fails for a reason outside of the call, the
 * presentation is the raw arguments with a warning, so that the request still appears (product.md
 * 27).
 */
export async function presentCall(
  tool: Tool,
  judgement: Judgement,
  context: { readonly workspace: Workspace; readonly signal: AbortSignal },
): Promise<PresentationResult> {
  try {
    const attachments = await presentAttachments(judgement, context.workspace)
    const presented = await tool.present(judgement.input, context)
    return { ok: true, presented: withHeadline(tool, judgement, presented), attachments }
  } catch (error) {
    if (error instanceof WorkspaceProblem || error instanceof ToolProblem) {
      return { ok: false, text: error.message }
    }
    if (context.signal.aborted) throw error
    const presented = presentRaw(tool, judgement.input, error)
    return { ok: true, presented: withHeadline(tool, judgement, presented), attachments: [] }
  }
}

/** The presentation with a headline, and with its cues at their lines. */
function withHeadline(
  tool: Tool,
  { input, cues = [] }: Judgement,
  presented: CallPresentation,
): CallPresentation {
  const { title, presentation } = presented
  const command = tool.command?.(input) ?? null
  // The title of a server's tool is a claim of the server; that of a built-in tool is by its
  // schema.
  const isOurs = tool.server === undefined
  const call = {
    tool: tool.name,
    input,
    command,
    schema: tool.jsonSchema,
    title: isOurs ? title : null,
    sentence: isOurs ? (presented.effect ?? null) : null,
    presentation,
  }
  return { ...presented, effect: effectOf(call), cues: locateCues(cues, presentation) }
}
