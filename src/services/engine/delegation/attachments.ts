import type { Selectable } from 'kysely'
import { callDigest, canonicalJson, hashJson } from '#domain/json/digest.ts'
import type { AttachmentAsk, Judgement } from '#domain/deciding/judgement.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import type { Presentation } from '#domain/tools/presentation.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { targetOf } from '#policy/judge/consent/delegation.ts'
import { putContent } from '#store/content/content.ts'
import type { RunTable, ToolCallTable } from '#store/tables/runs.ts'
import { loadExisting } from '#tools/files/load-version.ts'
import { decodeText, languageOf, mediaTypeOf } from '#tools/presentations/file-kind.ts'
import { makePresentation } from '#tools/presentations/make-presentation.ts'
import { titleLine } from '#tools/presentations/structured.ts'
import { textWarnings } from '#tools/presentations/text-warnings.ts'
import type { Caller } from '../../core/context.ts'
import { openRequest } from '../../requests/opening/open-request.ts'
import type { ReplacedAttachment } from '../../requests/ending/lock-delegation.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import type { AttachedFile } from '#tools/delegation/call-worker.ts'

/** An attachment that asks, with its presentation for the approver. */
export interface PresentedAttachment {
  readonly ask: AttachmentAsk
  readonly file: AttachedFile
  readonly title: string
  readonly presentation: Presentation
  readonly content: Uint8Array
  readonly contentType: 'text/plain' | 'application/octet-stream'
}

/** The input of a request of kind *attachment*: a file's bytes, for a worker, by a call. */
function attachmentInput(callId: string, worker: string, file: AttachedFile): JsonObject {
  return { callId, worker, path: file.path, bytes: file.bytes, hash: file.hash }
}

/** The digest that its approver decides about and its permit names. */
export function attachmentDigest(
  call: { readonly callId: string; readonly tool: string; readonly toolHash: string },
  worker: string,
  file: AttachedFile,
): string {
  const input = attachmentInput(call.callId, worker, file)
  return callDigest({ tool: call.tool, input, toolHash: call.toolHash })
}

/**
 * Presents each attachment of a delegation that asks (product.md 23): a text in full, anything else
 * by its type, size and hash. Empty for every other judgement. Rejects with `WorkspaceProblem` when
 * a file cannot be read.
 */
export async function presentAttachments(
  judgement: Judgement,
  workspace: Workspace,
): Promise<readonly PresentedAttachment[]> {
  const worker = targetOf(judgement.input)
  return Promise.all((judgement.attachments ?? []).map((ask) => presentOne(ask, worker, workspace)))
}

async function presentOne(
  ask: AttachmentAsk,
  worker: string,
  workspace: Workspace,
): Promise<PresentedAttachment> {
  const { path } = ask
  const version = await loadExisting(workspace, path)
  const { bytes, hash } = version
  const content = version.content ?? new Uint8Array()
  const text = version.content === null ? null : decodeText(version.content)
  const mediaType = mediaTypeOf(path, content)
  const metadata = { path, bytes, hash, mediaType, worker }
  const presentation =
    text === null
      ? makePresentation({
          type: 'binary',
          language: null,
          content: `type   ${mediaType}\nbytes  ${bytes}\nhash   ${hash}\n`,
          metadata,
          warnings:
            version.content === null
              ? ['A file too large to be shown is described by its size and hash.']
              : [],
        })
      : makePresentation({
          type: 'file_content',
          language: languageOf(path),
          content: text,
          metadata,
          warnings: textWarnings(text.split('\n')),
        })
  return {
    ask,
    file: { path, bytes, hash },
    title: titleLine(`Share ${path} with ${worker} (${countWords(bytes, 'byte')})`),
    presentation,
    content,
    contentType: text === null ? 'application/octet-stream' : 'text/plain',
  }
}

/**
 * Opens a request for each attachment that asks, beside the request of its call: in the same batch,
 * at the same position, with a decision of its own; the `previous` of each begins with the one that
 * it replaces. Returns the ids by path. The caller holds the run's lock.
 */
export async function openAttachments(
  unit: UnitOfWork,
  caller: Caller,
  opening: {
    readonly run: Selectable<RunTable>
    readonly call: Pick<Selectable<ToolCallTable>, 'id' | 'turn' | 'position'>
    readonly judgement: Judgement
    readonly attachments: readonly PresentedAttachment[]
    readonly agentReasonHash: string | null
    readonly attempt: number
    /** the requests about the files that these replace */
    readonly replaced: readonly ReplacedAttachment[]
  },
): Promise<ReadonlyMap<string, string>> {
  const { call, judgement, replaced } = opening
  const newIds = new Map<string, string>()
  const { tool, toolHash } = judgement
  const worker = targetOf(judgement.input)
  for (const { ask, file, title, presentation, content, contentType } of opening.attachments) {
    const facts = { toolHash, bases: [{ path: file.path, hash: file.hash }] }
    const old = replaced.find(({ path }) => path === file.path)
    const requestId = await openRequest(unit, caller, {
      kind: 'attachment',
      run: opening.run,
      call,
      tool,
      digest: attachmentDigest({ callId: call.id, tool, toolHash }, worker, file),
      policyDigest: judgement.policyDigest,
      rule: ask.rule,
      risk: ask.risk,
      routing: ask.routing,
      presented: {
        title,
        inputHash: await putContent(unit.tx, canonicalJson(attachmentInput(call.id, worker, file))),
        facts,
        factsDigest: hashJson(facts),
        presentationHash: await putContent(unit.tx, canonicalJson(presentation)),
        presentationDigest: presentation.digest,
        contentHash: await putContent(unit.tx, content),
        contentType,
      },
      agentReasonHash: opening.agentReasonHash,
      attempt: opening.attempt,
      previous: old === undefined ? [] : [old.id, ...old.previous],
      outcomeOf: null,
    })
    newIds.set(file.path, requestId)
  }
  return newIds
}
