import { whiteSpaceWords } from '#domain/text/quantities/count-words.ts'
import { hashBytes } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Presentation } from '#domain/tools/presentation.ts'
import type { CallPresentation } from '#domain/tools/tool.ts'
import { difference } from './difference.ts'
import { decodeText, languageOf, mediaTypeOf } from './file-kind.ts'
import { countLines, makePresentation } from './make-presentation.ts'
import { finalNewlineWarning, textWarnings } from './text-warnings.ts'

/** One side of a change. `content` is `null` when the file is too large to be shown. */
export interface FileVersion {
  readonly hash: string
  readonly bytes: number
  readonly content: Uint8Array | null
}

/** A change to one file; `null` where the file does not exist before or after; not both. */
export interface ChangeToShow {
  readonly path: string
  readonly before: FileVersion | null
  readonly after: FileVersion | null
  /** further facts for the approver */
  readonly metadata?: JsonObject
  readonly warnings?: readonly string[]
}

export function fileVersion(content: Uint8Array): FileVersion {
  return { hash: hashBytes(content), bytes: content.length, content }
}

/**
 * The presentation of a change: the whole of a new text, a unified diff of a changed or removed
 * one, anything else as type, size and hashes.
 */
export async function presentFileChange(
  change: ChangeToShow,
  signal: AbortSignal | null,
): Promise<Pick<CallPresentation, 'title' | 'presentation'>> {
  const { path, before, after } = change
  const texts = { before: textOf(before), after: textOf(after) }
  const mediaType = mediaTypeOf(path, (after ?? before)?.content ?? new Uint8Array())
  const metadata: JsonObject = {
    path,
    baseHash: before?.hash ?? 'absent',
    newHash: after?.hash ?? 'absent',
    baseBytes: before?.bytes ?? 0,
    newBytes: after?.bytes ?? 0,
    mediaType,
    ...change.metadata,
  }
  const shared = { path, mediaType, metadata, warnings: [...(change.warnings ?? [])] }
  if (before === null && texts.after !== null) return newFile(shared, texts.after)
  const comparable =
    (before === null || texts.before !== null) && (after === null || texts.after !== null)
  if (!comparable) return binaryChange(change, shared)
  const names = { before: before && path, after: after && path }
  const diff = await difference(names, texts.before ?? '', texts.after ?? '', signal)
  const { added, removed, whiteSpaceOnly } = diff
  const removedWarnings = after === null ? [] : finalNewlineWarning(texts.after ?? '')
  return {
    title:
      after === null ? `Delete ${path} (−${removed})` : `Edit ${path} ${counts(added, removed)}`,
    presentation: makePresentation({
      type: 'diff',
      language: languageOf(path),
      content: diff.text,
      metadata: { ...metadata, added, removed, whiteSpaceOnly },
      warnings: [
        ...shared.warnings,
        ...whiteSpaceWarning(whiteSpaceOnly),
        ...textWarnings(diff.addedLines),
        ...removedWarnings,
      ],
    }),
  }
}

interface SharedParts {
  readonly path: string
  readonly mediaType: string
  readonly metadata: JsonObject
  readonly warnings: readonly string[]
}

type PresentedChange = { readonly title: string; readonly presentation: Presentation }

function newFile({ path, metadata, warnings }: SharedParts, text: string): PresentedChange {
  const added = countLines(text)
  return {
    title: `Create ${path} (+${added})`,
    presentation: makePresentation({
      type: 'file_content',
      language: languageOf(path),
      content: text,
      metadata: { ...metadata, added, removed: 0 },
      warnings: [...warnings, ...textWarnings(text.split('\n')), ...finalNewlineWarning(text)],
    }),
  }
}

function whiteSpaceWarning(lines: number): string[] {
  return lines === 0 ? [] : [`${whiteSpaceWords(lines)}.`]
}

function binaryChange({ path, before, after }: ChangeToShow, shared: SharedParts): PresentedChange {
  const verb = after === null ? 'Delete' : before === null ? 'Create' : 'Replace'
  const sizes = [before, after].filter((side) => side !== null).map((side) => side.bytes)
  const lines = [
    `type   ${shared.mediaType}`,
    ...(before === null ? [] : [`before ${before.bytes} bytes  ${before.hash}`]),
    ...(after === null ? [] : [`after  ${after.bytes} bytes  ${after.hash}`]),
  ]
  const tooLarge = before?.content === null || after?.content === null
  const mixed = textOf(after) !== null && !tooLarge ? ['It replaces a file that is not text.'] : []
  return {
    title: `${verb} ${path} (binary, ${sizes.join(' → ')} bytes)`,
    presentation: makePresentation({
      type: 'binary',
      language: null,
      content: `${lines.join('\n')}\n`,
      metadata: shared.metadata,
      warnings: [
        ...shared.warnings,
        ...(tooLarge ? ['A file too large to be shown is described by its size and hash.'] : []),
        ...mixed,
      ],
    }),
  }
}

function textOf(version: FileVersion | null): string | null {
  return version?.content ? decodeText(version.content) : null
}

function counts(added: number, removed: number): string {
  return added === 0 && removed === 0 ? '(no change)' : `(+${added} −${removed})`
}
