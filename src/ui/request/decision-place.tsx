import { Button } from '@mantine/core'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { UnsentChoice } from '../deciding/decision/choosing/use-unsent-choice.ts'
import { useNarrow } from '../effect/settings/diff-settings.ts'
import { laterDialog } from '../floating/later-dialog.ts'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'
import { leadTo } from '../states/lead-to.ts'
import { resultTitleId } from './execution-result.tsx'

/** Loaded on screens without room beside the request. */
const DecisionSheet = laterDialog(() =>
  import('../deciding/decision/decision-sheet.tsx').then((module) => module.DecisionSheet),
)

/** Where a request is decided: beside it, or on a phone in a sheet that a button opens. */
export function DecisionPlace(props: {
  request: RequestDetail
  /** the file of the call is open for changes, which the sheet would cover */
  isFileOpen: boolean
  /** the choice so far, which a button on the page can make too */
  unsentChoice: UnsentChoice
  /** the result is at the end of the page, which the sheet covers */
  hasOutcomeBelow: boolean
  /** `goTo` leaves the sheet for the element with that id, `leave` for the page */
  children: (goTo: (id: string) => void, leave: () => void) => ReactNode
}) {
  const { request, isFileOpen } = props
  const { choice, setChoice, arm } = props.unsentChoice
  const phone = useNarrow()
  const [isOpen, setOpen] = useState(false)
  const [goal, setGoal] = useState<string | null>(null)
  useEffect(() => {
    // The sheet is closed by now, and the element is drawn.
    if (goal !== null) leadTo(document.getElementById(goal))
  }, [goal])
  const open = (): void => {
    setGoal(null)
    setOpen(true)
  }
  const close = (): void => {
    if (!isOpen) return
    // A key that was pressed before does not count afterwards: the next press does not submit.
    setChoice(choice)
    setOpen(false)
  }
  const goTo = (id: string): void => {
    close()
    setGoal(id)
    if (goal === id) leadTo(document.getElementById(id))
  }
  const children = props.children(goTo, close)
  const isToDecide = request.state === 'pending' && request.eligibility.canDecide
  useEffect(() => {
    if (!phone || isFileOpen) close()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- not when the choice changes
  }, [phone, isFileOpen])
  const lastChoice = useRef(choice)
  useEffect(() => {
    // A choice that was made beside the request does not open it when a tablet is turned.
    const isNew = choice !== lastChoice.current
    lastChoice.current = choice
    if (isNew && phone && choice !== null && isToDecide && !isFileOpen) setOpen(true)
  }, [phone, choice, isToDecide, isFileOpen])
  const press = (value: 'approve' | 'deny'): void => {
    if (request.allowedDecisions.includes(value)) arm(value)
    open()
  }
  // The form in the sheet has these keys while the sheet is open.
  const hasKeys = phone && !isOpen && isToDecide
  useShortcut('approve', hasKeys ? () => press('approve') : null)
  useShortcut('deny', hasKeys ? () => press('deny') : null)
  if (!phone) {
    return (
      <aside className="request-side" aria-label="Decision">
        <div className="card">{children}</div>
      </aside>
    )
  }
  return (
    <>
      <div className="decide-bar">
        <Button fullWidth size="md" variant={isToDecide ? 'filled' : 'default'} onClick={open}>
          {isToDecide ? actOf(request) : 'See the decision'}
        </Button>
        {props.hasOutcomeBelow && <ToOutcome onPress={() => goTo(resultTitleId)} />}
      </div>
      <DecisionSheet isOpen={isOpen} returnsFocus={goal === null} onClose={close}>
        {children}
      </DecisionSheet>
    </>
  )
}

/** The button that leads to the result of the request. */
export function ToOutcome({ onPress }: { onPress: () => void }) {
  return (
    <Button fullWidth size="md" variant="default" onClick={onPress}>
      See what came of it
    </Button>
  )
}

function actOf({ kind }: RequestDetail): string {
  if (kind === 'question') return 'Answer…'
  return kind === 'outcome_check' ? 'Settle…' : 'Decide…'
}
