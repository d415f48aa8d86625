import { hashJson } from '../../domain/digest.ts'
import type { Judgement } from '../../domain/judgement.ts'
import { ToolProblem } from '../../domain/tool-problem.ts'
import type { Presented, Tool, Workspace } from '../../domain/tool.ts'
import { WorkspaceProblem } from '../../domain/workspace-problem.ts'
import { putContents } from '../../store/content/content.ts'
import { canonicalJson } from '../../domain/digest.ts'
import type { Db, Tx } from '../../store/database.ts'
import { presentRaw } from '../../tools/presentations/structured.ts'
import type { StoredPresentation } from '../context.ts'
import { presentAttachments, type AttachmentShown } from '../delegation/attachments.ts'

/** What would be shown of a call, or the sentence for the model when it cannot run as it is. */
export type CallShown =
  | {
      readonly ok: true
      readonly presented: Presented
      /** of a delegation: those that need an approval of their own */
      readonly attachments: readonly AttachmentShown[]
    }
  | { readonly ok: false; readonly text: string }

/**
 * Builds what an approver is shown. When that fails for a reason that is not the call's own, the raw arguments are
 * shown with a warning: the request still appears (product.md 27).
 */
export async function presentCall(
  tool: Tool,
  judgement: Judgement,
  context: { readonly workspace: Workspace; readonly signal: AbortSignal },
): Promise<CallShown> {
  try {
    const attachments = await presentAttachments(judgement, context.workspace)
    return { ok: true, presented: await tool.present(judgement.input, context), attachments }
  } catch (error) {
    if (error instanceof WorkspaceProblem || error instanceof ToolProblem) {
      return { ok: false, text: error.message }
    }
    if (context.signal.aborted) throw error
    return { ok: true, presented: presentRaw(tool, judgement.input, error), attachments: [] }
  }
}

/** Stores what a call shows, and the canonical input it was computed from. `assumes`: see `CallFacts`. */
export async function storePresented(
  db: Db | Tx,
  judgement: Judgement,
  presented: Presented,
  assumes: number | null,
): Promise<StoredPresentation> {
  const [stored] = await storeAllPresented(db, [{ judgement, presented, assumes }])
  if (stored === undefined) throw new Error('What a call shows was not stored')
  return stored
}

/** The same for several calls, in one query; answers in their order. */
export async function storeAllPresented(
  db: Db | Tx,
  shown: readonly {
    readonly judgement: Judgement
    readonly presented: Presented
    readonly assumes: number | null
  }[],
): Promise<StoredPresentation[]> {
  const contents = shown.map(({ judgement, presented }) => [
    canonicalJson(judgement.input),
    canonicalJson(presented.presentation),
    presented.content,
    ...(presented.named ?? []),
  ])
  const hashes = await putContents(db, contents.flat())
  let place = 0
  return shown.map(({ judgement, presented, assumes }, index) => {
    const parts = contents[index]?.length ?? 0
    const [inputHash = '', presentationHash = '', contentHash = '', ...fileHashes] = hashes.slice(
      place,
      place + parts,
    )
    place += parts
    const facts = {
      ...presented.facts,
      toolHash: judgement.toolHash,
      ...(assumes === null ? {} : { assumes }),
    }
    return {
      title: presented.title,
      inputHash,
      facts,
      factsDigest: hashJson(facts),
      presentationHash,
      presentationDigest: presented.presentation.digest,
      contentHash,
      contentType: presented.contentType,
      ...(fileHashes.length === 0 ? {} : { fileHashes }),
    }
  })
}
