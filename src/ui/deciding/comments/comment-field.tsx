import { Button, Textarea, type TextareaProps } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useAriaKeys } from '../../keyboard/keyboard-provider.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { useDraft } from '../../states/draft.ts'
import { leaveField, useSaveKeys } from './comment-keys.ts'
import { useCommentAct } from './use-comment-act.ts'
import { verbs } from '../../words/verbs.ts'

/**
 * A field for the text of a comment, with its buttons. It takes the focus, and returns it to the
 * control that opened it. Escape closes an empty field; otherwise it only moves the focus out. The
 * text is kept until it is saved or cancelled, even if the field is removed with the elements
 * around it.
 */
export function CommentField(props: {
  field: Pick<TextareaProps, 'label' | 'aria-label' | 'description' | 'minRows'>
  initialText: string
  /** the place of what is written and not saved */
  draft: Parameters<typeof useDraft>
  /** what the person should read before they save; absent: nothing */
  note?: string | undefined
  /** what is written can be saved now */
  canSave: boolean
  buttons: { readonly save: string; readonly size: 'xs' | 'compact-sm' }
  save: (text: string) => Promise<unknown>
  /** announced once it is saved; absent: nothing is announced */
  message?: string
  onDone: () => void
}) {
  const { field: words, initialText, buttons, save, message } = props
  const [draft, setDraft] = useDraft(...props.draft)
  const [text, setText] = useState(draft === '' ? initialText : draft)
  const write = (next: string): void => {
    setText(next)
    setDraft(next === initialText ? '' : next)
  }
  const onDone = (): void => {
    setDraft('')
    props.onDone()
  }
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    field.current?.focus()
    return () => {
      const isLost = document.activeElement === document.body
      if (isLost && opener instanceof HTMLElement) opener.focus({ preventScroll: true })
    }
  }, [])
  const { act, busy, refusal } = useCommentAct()
  const submit = async (): Promise<void> => {
    if (await act(() => save(text.trim()), message)) onDone()
  }
  const form = useRef<HTMLDivElement>(null)
  const keys = useAriaKeys('submit')
  const canSave = text.trim() !== '' && props.canSave
  useSaveKeys(form, canSave && !busy ? () => void submit() : null)
  return (
    <div ref={form} className="column comment-form" tabIndex={-1}>
      <Textarea
        {...words}
        ref={field}
        autosize
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) =>
          event.key === 'Escape' && text === initialText ? onDone() : leaveField(event)
        }
      />
      {refusal !== null && <p role="alert">{refusal}</p>}
      {props.note !== undefined && !busy && (
        <p role="status" className="small">
          <VisibleText text={props.note} />
        </p>
      )}
      <div className="row">
        <Button
          size={buttons.size}
          loading={busy}
          disabled={!canSave}
          onClick={() => void submit()}
          {...keys}
        >
          {buttons.save}
        </Button>
        <Button size={buttons.size} variant="default" onClick={onDone}>
          {verbs.cancel}
        </Button>
      </div>
    </div>
  )
}
