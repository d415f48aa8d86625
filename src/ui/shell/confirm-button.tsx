import { Button, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { useAttempt } from '../states/use-attempt.ts'
import { useFocusReturn } from '../states/use-focus-return.ts'

interface ConfirmButtonProps {
  /** label of the first button */
  readonly label: string
  readonly confirm: string
  /** label of the button that cancels */
  readonly cancelLabel: string
  /**
   * `note` describes the field. An empty reason is accepted unless `isNeeded`. `null`: there is no
   * field for a reason
   */
  readonly reason: { readonly isNeeded: boolean; readonly note?: string } | null
  /** Performs the action with the trimmed reason. An error is shown as its refusal. */
  readonly act: (reason: string) => Promise<unknown>
  /** shows the form as a card that says what it will do */
  readonly card?: { readonly title: string; readonly text: string }
  /** what the row is about, if the button is in a row of a list */
  readonly row?: string
}

/**
 * A button for an irreversible action, then a form with a reason and a cancel button. Afterwards
 * the page reloads its data.
 */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, confirm, cancelLabel, reason, act, card, row } = props
  const client = useQueryClient()
  const titleId = useId()
  const [isOpen, setIsOpen] = useState(false)
  const [text, setText] = useState('')
  const { attempt, busy, refusal } = useAttempt()
  const button = useFocusReturn<HTMLButtonElement>(isOpen)
  // The button that confirms loses the focus while it waits.
  const fields = useFocusReturn<HTMLDivElement>(isOpen, busy)
  useEffect(() => {
    // The button that had the focus is gone.
    if (isOpen) fields.current?.querySelector<HTMLElement>('textarea, button')?.focus()
  }, [isOpen, fields])
  const trimmed = text.trim()
  const go = (): Promise<boolean> =>
    attempt(async () => {
      await act(trimmed)
      await client.invalidateQueries()
    })
  if (!isOpen) {
    return (
      <Button
        ref={button}
        variant="default"
        {...(row !== undefined && { size: 'compact-sm' })}
        onClick={() => setIsOpen(true)}
      >
        {label}
        {row !== undefined && <span className="visually-hidden"> {row}</span>}
      </Button>
    )
  }
  const form = (
    <div ref={fields} className="column">
      {reason !== null && (
        <Textarea
          label="Reason"
          description={reason.note}
          autosize
          minRows={2}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {refusal !== null && <p role="alert">{refusal}</p>}
      <div className="row">
        <Button variant="default" onClick={() => setIsOpen(false)}>
          {cancelLabel}
        </Button>
        <Button
          color="red"
          loading={busy}
          disabled={reason?.isNeeded === true && trimmed === ''}
          onClick={() => void go()}
        >
          {confirm}
        </Button>
      </div>
    </div>
  )
  if (card === undefined) return form
  return (
    <section className="card column" aria-labelledby={titleId}>
      <h2 id={titleId}>{card.title}</h2>
      <p className="small">{card.text}</p>
      {form}
    </section>
  )
}
