import { Button } from '@mantine/core'
import { useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { TextDifference } from '../../effect/text-difference.tsx'
import { Loading } from '../../states/loading.tsx'
import { useDraft } from '../../states/draft.ts'
import { VisibleText } from '../../text/visible-text.tsx'
import { EditForm } from './edit-form.tsx'
import { RevisionRules } from './revision-rules.tsx'
import { TextEditor } from './text-editor.tsx'
import { useEditedFile, type EditedFile } from './use-edited-file.ts'
import { useRevise } from './use-revise.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { editsBetween } from './edits-between.ts'
import { membersOf, type EditedCall } from './results-in-file.ts'
import { changeDraftField, draftOfText, textOfDraft } from './unsent-change.ts'

interface FormProps {
  readonly request: RequestDetail
  readonly onDone: (fresh: RequestDetail) => void
}

/**
 * Edits the file that a call results in, and shows the difference from the proposal. The result is
 * a new revision, which is then decided.
 */
export function FileEditForm(
  props: FormProps & {
    /** the fields of the input are changed, and not the file */
    readonly byFields: boolean
    readonly onByFields: () => void
  },
) {
  const { request, byFields, onByFields, onDone } = props
  const file = useEditedFile(request)
  const titleId = useId()
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    section.current?.scrollIntoView({ block: 'start' })
  }, [])
  const path = request.presentation.metadata['path']
  return (
    <section ref={section} className="card column file-edit" aria-labelledby={titleId}>
      <h2 id={titleId}>
        Change <VisibleText text={typeof path === 'string' ? path : 'the file'} />
      </h2>
      {file.problem !== null && (
        <p role="alert" className="obstacle">
          {file.problem}
        </p>
      )}
      {file.problem !== null || byFields ? (
        <EditForm request={request} onDone={onDone} />
      ) : file.isPending ? (
        <Loading what="the resulting file" lines={6} />
      ) : (
        <Editing request={request} file={file} onDone={onDone} />
      )}
      {file.problem === null && !byFields && (
        <div>
          <Button size="compact-sm" variant="default" onClick={onByFields}>
            Change the input field by field instead
          </Button>
        </div>
      )}
    </section>
  )
}

function Editing({ request, file, onDone }: FormProps & { readonly file: EditedFile }) {
  const { proposedText } = file
  const [draft, setDraft] = useDraft(
    request.id,
    changeDraftField({ of: 'file', revision: request.revision }),
  )
  const [text, setText] = useState(() => textOfDraft(draft, proposedText))
  const [initialText] = useState(text)
  const write = (next: string): void => {
    setText(next)
    setDraft(draftOfText(next, proposedText))
  }
  const comparedText = useDeferredValue(text)
  const path = request.presentation.metadata['path']
  const { revise, refusal, setRefusal, busy } = useRevise(request, (fresh) => {
    setDraft('')
    onDone(fresh)
  })
  const preview = (): void => {
    const edited = inputOfFile(request, file.before, text)
    if ('input' in edited) void revise(edited.input)
    else setRefusal(edited.problem)
  }
  return (
    <>
      <TextEditor
        label={request.tool === 'write_file' ? 'content' : 'Resulting file'}
        path={typeof path === 'string' ? path : null}
        initial={initialText}
        text={comparedText}
        onChange={write}
      />
      <p className="dim small">Escape and then Tab leaves the editor.</p>
      <div role="group" aria-label="What differs from the proposal" className="column">
        <h3>What differs from the proposal</h3>
        {comparedText === proposedText ? (
          <p className="dim small">Nothing yet.</p>
        ) : (
          <TextDifference before={proposedText} after={comparedText} />
        )}
      </div>
      {refusal !== null && (
        <p role="alert" className="obstacle">
          {refusal}
        </p>
      )}
      <RevisionRules request={request} />
      <div>
        <Button loading={busy} disabled={text === proposedText} onClick={preview}>
          Preview the changes
        </Button>
      </div>
    </>
  )
}

/** The input that results in `text`. `before` is the file before the call. Pure. */
function inputOfFile(
  { tool, input }: EditedCall,
  before: string,
  text: string,
): { readonly input: JsonObject } | { readonly problem: string } {
  const members = membersOf(input)
  if (members === null) return { problem: 'This call cannot be edited as a file.' }
  if (tool === 'write_file') return { input: { ...members, content: text } }
  const edits = editsBetween(before, text)
  if (edits === null) return { problem: 'This is the file as it is: deny the call instead.' }
  return { input: { ...members, edits } }
}
