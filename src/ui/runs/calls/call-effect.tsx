import { textOrEmpty } from '#domain/json/text-or-empty.ts'
import { isJsonObject } from '#domain/json/is-object.ts'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { TranscriptCall } from '#api/schemas/runs/transcript.ts'
import type { Json } from '#domain/json/json.ts'
import { requestQuery } from '../../api/queries.ts'
import { DiffView } from '../../effect/diff-view.tsx'
import { FieldsView } from '../../effect/fields-view.tsx'
import { LinesView } from '../../effect/lines-view.tsx'
import { TextDifference } from '../../effect/text-difference.tsx'
import { Failure } from '../../states/failure.tsx'
import { linesIn } from '../../effect/white-space.ts'
import { countRows, structuredFields } from '#domain/fields/structured-fields.ts'
import { parseUnifiedDiff } from '#domain/tools/unified-diff.ts'

/**
 * Of a longer effect, these lines are shown at first: the rest of the conversation stays near. The
 * page of the request has all of it.
 */
const maxLines = 100

/** The effect of a call, its difference or command; open while the call is pending. */
export function CallEffect({ call }: { call: TranscriptCall }) {
  const isPending = call.requestState === 'pending'
  const [isOpen, setIsOpen] = useState(isPending)
  const effect = call.requestId === undefined ? inputEffect(call.input) : null
  if (call.requestId === undefined && effect === null) return null
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="small">What it does</summary>
      {isOpen &&
        (call.requestId === undefined ? effect : <RequestEffect requestId={call.requestId} />)}
    </details>
  )
}

/** The presentation of the request's newest revision. */
function RequestEffect({ requestId }: { requestId: string }) {
  const request = useQuery(requestQuery(requestId))
  if (request.isPending) return <p className="dim small">Loading what it does…</p>
  if (request.isLoadingError) return <Failure query={request} />
  return <Presented presentation={request.data.presentation} />
}

function Presented({ presentation }: Pick<RequestDetail, 'presentation'>) {
  const { type, content } = presentation
  const fields = useMemo(() => structuredFields(presentation), [presentation])
  if (fields !== null && countRows(fields) <= maxLines) return <FieldsView fields={fields} />
  const files = type === 'diff' ? parseUnifiedDiff(content) : null
  const lines = files === null ? 0 : linesIn(files.flatMap(({ hunks }) => hunks))
  if (files === null || files.length === 0 || lines > maxLines) {
    const tone = files === null ? {} : ({ tone: 'diff' } as const)
    // Each word of a command has its own number.
    if (type === 'command' && content.startsWith('0  ')) return <CommandWords content={content} />
    return <LinesView text={content} showFinalNewline={false} atFirst={maxLines} {...tone} />
  }
  return files.map((file) => (
    <DiffView key={`${file.oldPath} ${file.newPath}`} file={file} split={false} />
  ))
}

function CommandWords({ content }: { content: string }) {
  return (
    <div className="command-words">
      <LinesView text={content} showFinalNewline={false} atFirst={maxLines} />
    </div>
  )
}

/** The effect of a call without a request, from its input; `null`: the input shows it. */
function inputEffect(input: Json) {
  if (!isJsonObject(input)) return null
  const { command, content, edits } = input
  if (typeof command === 'string') return <FirstLines text={command} />
  if (typeof content === 'string') return <FirstLines text={content} />
  if (!Array.isArray(edits)) return null
  return edits.map((edit, index) => {
    if (!isJsonObject(edit)) return null
    const { find, replace } = edit
    return (
      // oxlint-disable-next-line react/no-array-index-key -- edits have no name but their place
      <TextDifference key={index} before={textOrEmpty(find)} after={textOrEmpty(replace)} />
    )
  })
}

function FirstLines({ text }: { text: string }) {
  return <LinesView text={text} showFinalNewline={false} atFirst={maxLines} />
}
