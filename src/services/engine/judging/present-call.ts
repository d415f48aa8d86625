import { hashJson } from '#domain/digest.ts'
import type { Judgement } from '#domain/judgement.ts'
import { ToolProblem } from '#domain/tool-problem.ts'
import type { Presented, Tool, Workspace } from '#domain/tool.ts'
import { WorkspaceProblem } from '#domain/workspace-problem.ts'
import { packContents, storeContents, type PackedContents } from '#store/content/content.ts'
import { canonicalJson } from '#domain/digest.ts'
import type { Db, Tx } from '#store/database.ts'
import { effectOf } from '#tools/effects/effect-of.ts'
import { presentRaw } from '#tools/presentations/structured.ts'
import type { StoredPresentation } from '../../core/host-questions.ts'
import { locateCues } from '../../requests/opening/locate-cues.ts'
import { presentAttachments, type PresentedAttachment } from '../delegation/attachments.ts'

/** The parts that a revision keeps beside its title. */
function headlineOf({ effect, cues }: Presented): Pick<StoredPresentation, 'effect' | 'cues'> {
  return {
    ...(effect === undefined ? {} : { effect }),
    ...(cues === undefined ? {} : { cues }),
  }
}

/** What would be shown of a call, or the sentence for the model when it cannot run as it is. */
export type PresentationResult =
  | {
      readonly ok: true
      readonly presented: Presented
      /** of a delegation: those that need an approval of their own */
      readonly attachments: readonly PresentedAttachment[]
    }
  | { readonly ok: false; readonly text: string }

/**
 * Builds what an approver is shown. When that fails for a reason that is not the call's own, the
 * raw arguments are shown with a warning: the request still appears (product.md 27).
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

/** With what it does in a sentence, and its cues at their lines. */
function withHeadline(
  tool: Tool,
  { input, cues = [] }: Judgement,
  presented: Presented,
): Presented {
  const { title, presentation } = presented
  const command = tool.command?.(input) ?? null
  // A server's title for its own tool is its claim; ours is by the schema.
  const own = tool.server === undefined ? title : null
  const call = {
    tool: tool.name,
    input,
    command,
    schema: tool.jsonSchema,
    title: own,
    presentation,
  }
  return { ...presented, effect: effectOf(call), cues: locateCues(cues, presentation) }
}

/**
 * Stores what a call shows, and the canonical input it was computed from. `assumes`: see
 * `CallFacts`.
 */
export async function storePresented(
  db: Db | Tx,
  judgement: Judgement,
  presented: Presented,
  assumes: number | null,
): Promise<StoredPresentation> {
  const packed = packPresented({ judgement, presented, assumes })
  await storeContents(db, [packed.contents])
  return packed.presented
}

/** The same before it is stored, with the contents that it names by their hashes. */
export interface PackedPresentation {
  readonly presented: StoredPresentation
  readonly contents: PackedContents
}

/** Hashes and compresses what a call shows, for {@link storeContents}. */
export function packPresented({
  judgement,
  presented,
  assumes,
}: {
  readonly judgement: Judgement
  readonly presented: Presented
  readonly assumes: number | null
}): PackedPresentation {
  const contents = packContents([
    canonicalJson(judgement.input),
    canonicalJson(presented.presentation),
    presented.content,
    ...(presented.named ?? []),
  ])
  const [inputHash = '', presentationHash = '', contentHash = '', ...fileHashes] = contents.hashes
  const facts = {
    ...presented.facts,
    toolHash: judgement.toolHash,
    ...(assumes === null ? {} : { assumes }),
  }
  return {
    contents,
    presented: {
      title: presented.title,
      ...headlineOf(presented),
      inputHash,
      facts,
      factsDigest: hashJson(facts),
      presentationHash,
      presentationDigest: presented.presentation.digest,
      contentHash,
      contentType: presented.contentType,
      ...(fileHashes.length === 0 ? {} : { fileHashes }),
    },
  }
}
